package lti

import (
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Map is a constant matrix for one product y = M x per sample, as in a step of a linear
// integrator or of an exactly held plant. Small matrices are stored in blocks of four
// rows, so that four sums run side by side (twice as fast as row by row); large ones use
// BLAS.
type Map struct {
	rows, cols int
	padded     int          // rows rounded up to whole blocks
	fours      [][4]float64 // blocks of four rows by columns, the last filled up with zeros
	flat       []float64    `c:"zero"` // or row-major, for large matrices
}

// largeMap is where BLAS overtakes the plain loops.
const largeMap = 24

// NewMap returns the map of a matrix.
func NewMap(m mat.Matrix) *Map {
	rows, cols := m.Dims()
	return newMap(m, rows >= largeMap && cols >= largeMap)
}

// NewPlainMap returns the map of a matrix that adds up a row from left to right, however large
// the matrix is: the sum that a plain loop in another language has, to the last bit. A large one
// is slower than that of NewMap.
func NewPlainMap(m mat.Matrix) *Map { return newMap(m, false) }

func newMap(m mat.Matrix, large bool) *Map {
	rows, cols := m.Dims()
	p := &Map{rows: rows, cols: cols, padded: (rows + 3) / 4 * 4}
	if large {
		p.flat = make([]float64, rows*cols)
	} else {
		p.fours = make([][4]float64, p.padded/4*cols)
	}
	for i := range rows {
		for j := range cols {
			if large {
				p.flat[i*cols+j] = m.At(i, j)
			} else {
				p.fours[i/4*cols+j][i%4] = m.At(i, j)
			}
		}
	}
	return p
}

// Rows is the length of y in Apply: the number of rows, rounded up to whole blocks. Apply
// sets values beyond the matrix's rows to zero.
func (p *Map) Rows() int { return p.padded }

// Apply sets y = M x. len(y) must be Rows and len(x) the number of columns; the
// two must not overlap.
func (p *Map) Apply(y, x []float64) {
	switch {
	case len(x) != p.cols || len(y) != p.padded:
		panic(fmt.Sprintf("lti: map of %d rows and %d columns applied to y of %d and x of %d", p.padded, p.cols, len(y),
			len(x)))
	case p.fours != nil:
		p.byFours(y, x)
	default:
		clear(y[p.rows:])
		blas64.Gemv(blas.NoTrans, 1, blas64.General{Rows: p.rows, Cols: p.cols, Stride: p.cols, Data: p.flat},
			blas64.Vector{N: p.cols, Inc: 1, Data: x}, 0, blas64.Vector{N: p.rows, Inc: 1, Data: y})
	}
}

func (p *Map) byFours(y, x []float64) {
	blocks := p.fours
	for ; len(y) >= 4; y = y[4:] {
		block := blocks[:len(x)]
		blocks = blocks[len(x):]
		var y0, y1, y2, y3 float64
		for j, v := range x {
			c := &block[j]
			y0 += c[0] * v
			y1 += c[1] * v
			y2 += c[2] * v
			y3 += c[3] * v
		}
		y[0], y[1], y[2], y[3] = y0, y1, y2, y3
	}
}
