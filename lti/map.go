package lti

import (
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Map is a constant matrix that is multiplied with a vector once per sample:
// y = M x. A one-step method applied to a linear system, or a plant held
// exactly, is such a matrix. Small matrices are stored in blocks of four rows,
// so that four sums run side by side (twice as fast as row by row); large ones
// go to BLAS.
type Map struct {
	rows, cols int
	blocks     [][4]float64 // rows/4 blocks of cols columns, the last padded with zeros
	flat       []float64    // row-major, for large matrices
}

// largeMap is where BLAS overtakes the plain loop.
const largeMap = 24

// NewMap returns the map of a matrix.
func NewMap(m mat.Matrix) *Map {
	rows, cols := m.Dims()
	p := &Map{rows: rows, cols: cols}
	if rows >= largeMap && cols >= largeMap {
		p.flat = make([]float64, rows*cols)
		for i := range rows {
			for j := range cols {
				p.flat[i*cols+j] = m.At(i, j)
			}
		}
		return p
	}
	p.blocks = make([][4]float64, (rows+3)/4*cols)
	for i := range rows {
		for j := range cols {
			p.blocks[i/4*cols+j][i%4] = m.At(i, j)
		}
	}
	return p
}

// Rows is the length Apply wants of y: the number of rows, rounded up to a
// multiple of four. What is beyond the matrix's rows is set to zero.
func (p *Map) Rows() int { return (p.rows + 3) / 4 * 4 }

// Apply sets y = M x. len(y) must be Rows and len(x) the number of columns; the
// two must not overlap.
func (p *Map) Apply(y, x []float64) {
	if len(x) != p.cols || len(y) != p.Rows() {
		panic(fmt.Sprintf("lti: map of %d rows and %d columns applied to y of %d and x of %d", p.Rows(), p.cols, len(y), len(x)))
	}
	if p.flat != nil {
		clear(y[p.rows:])
		blas64.Gemv(blas.NoTrans, 1, blas64.General{Rows: p.rows, Cols: p.cols, Stride: p.cols, Data: p.flat},
			blas64.Vector{N: p.cols, Inc: 1, Data: x}, 0, blas64.Vector{N: p.rows, Inc: 1, Data: y})
		return
	}
	rest := p.blocks
	for i := 0; i+4 <= len(y); i += 4 {
		block := rest[:len(x)]
		rest = rest[len(x):]
		var y0, y1, y2, y3 float64
		for j, v := range x {
			c := &block[j]
			y0 += c[0] * v
			y1 += c[1] * v
			y2 += c[2] * v
			y3 += c[3] * v
		}
		out := y[i : i+4 : i+4]
		out[0], out[1], out[2], out[3] = y0, y1, y2, y3
	}
}
