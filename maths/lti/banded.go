package lti

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// Banded is the Cholesky factor A = L Lᵀ of a symmetric positive definite band
// matrix of n rows and half bandwidth k. It is factorised once, n k² operations;
// a solution then takes 4 n k and allocates nothing. The factor is stored in blocks of
// four rows and the k columns left of them. Each block is one BLAS product down (L y = b)
// and one up (Lᵀ x = y): four times as fast as row by row. Not for numberings with a wide
// band: all n k numbers are stored and used. Solve uses one buffer: no concurrent calls.
type Banded struct {
	n, k  int
	fours []float64    // k columns left of the diagonal block, of rows 4c to 4c+3, row by row
	tri   [][6]float64 // below the diagonal of the block: (1,0), (2,0), (2,1), (3,0), (3,1), (3,2)
	scale [][4]float64 // 1 / L[i][i]
	x     []float64    // k zeros, then the solution, filled up to whole blocks
}

// NewBanded factorises a symmetric matrix, of which the lower triangle is used.
func NewBanded(a *CSR) (*Banded, error) {
	f := &factor{k: a.HalfBandwidth()}
	f.l, f.scale = make([]float64, a.n*f.k), make([]float64, a.n)
	for i := range a.n {
		row, diagonal := f.row(i), 0.0
		for p := a.start[i]; p < a.start[i+1]; p++ {
			switch j := int(a.col[p]); {
			case j == i:
				diagonal = a.v[p]
			case j < i && j >= i-f.k: // further left stand zeros only
				row[j-i+f.k] = a.v[p]
			}
		}
		left := f.eliminate(i, diagonal)
		if !(left > 0) || math.IsInf(left, 1) {
			return nil, fmt.Errorf("band matrix: row %d leaves %g on the diagonal: want a positive definite matrix", i+1, left)
		}
		f.scale[i] = 1 / math.Sqrt(left)
	}
	return f.blocks(), nil
}

// factor is L by single rows, as it is computed.
type factor struct {
	k     int
	l     []float64 // row i: L[i][i−k] to L[i][i−1]; what lies left of column 0 is 0
	scale []float64 // 1 / L[i][i]
}

func (f *factor) row(i int) []float64 { return f.l[i*f.k : (i+1)*f.k] }

// eliminate turns row i of A into row i of L and returns the square of L[i][i].
func (f *factor) eliminate(i int, diagonal float64) float64 {
	k, row := f.k, f.row(i)
	first := max(0, i-k)
	for j := first; j < i; j++ {
		// Columns first to j−1 are in both rows.
		mine, its := row[first-i+k:j-i+k], f.row(j)[first-j+k:]
		sum := 0.0
		for p, v := range mine {
			sum += v * its[p]
		}
		v := (row[j-i+k] - sum) * f.scale[j]
		row[j-i+k] = v
		diagonal -= v * v
	}
	return diagonal
}

// at is L[i][j] below the diagonal; rows beyond the last are rows of a unit matrix.
func (f *factor) at(i, j int) float64 {
	if i >= len(f.scale) || j < i-f.k {
		return 0
	}
	return f.row(i)[j-i+f.k]
}

// blocks arranges the factor by four rows.
func (f *factor) blocks() *Banded {
	n, k := len(f.scale), f.k
	count := (n + 3) / 4
	b := &Banded{
		n: n, k: k, fours: make([]float64, 4*count*k), tri: make([][6]float64, count), scale: make([][4]float64, count),
		x: make([]float64, k+4*count),
	}
	for c := range count {
		i := 4 * c
		for r := range 4 {
			b.scale[c][r] = 1
			if i+r < n {
				b.scale[c][r] = f.scale[i+r]
			}
			for j := range k {
				b.fours[(4*c+r)*k+j] = f.at(i+r, i-k+j)
			}
		}
		b.tri[c] = [6]float64{f.at(i+1, i), f.at(i+2, i), f.at(i+2, i+1), f.at(i+3, i), f.at(i+3, i+1), f.at(i+3, i+2)}
	}
	return b
}

// HalfBandwidth is k.
func (b *Banded) HalfBandwidth() int { return b.k }

// Solve replaces the right side x by the solution of A x = right side.
func (b *Banded) Solve(x []float64) {
	copy(b.x[b.k:], x[:b.n])
	for c := range b.tri {
		b.down(c)
	}
	for c := len(b.tri) - 1; c >= 0; c-- {
		b.up(c)
	}
	copy(x[:b.n], b.x[b.k:])
}

// down solves four rows of L y = right side.
func (b *Banded) down(c int) {
	r := b.x[4*c+b.k : 4*c+b.k+4]
	if b.k > 0 {
		blas64.Gemv(blas.NoTrans, -1, b.block(c), blas64.Vector{N: b.k, Inc: 1, Data: b.x[4*c:]}, 1,
			blas64.Vector{N: 4, Inc: 1, Data: r})
	}
	t, s := &b.tri[c], &b.scale[c]
	r[0] *= s[0]
	r[1] = (r[1] - t[0]*r[0]) * s[1]
	r[2] = (r[2] - t[1]*r[0] - t[2]*r[1]) * s[2]
	r[3] = (r[3] - t[3]*r[0] - t[4]*r[1] - t[5]*r[2]) * s[3]
}

// up solves four rows of Lᵀ x = y and takes them off the rows above.
func (b *Banded) up(c int) {
	t, s, r := &b.tri[c], &b.scale[c], b.x[4*c+b.k:4*c+b.k+4]
	r[3] *= s[3]
	r[2] = (r[2] - t[5]*r[3]) * s[2]
	r[1] = (r[1] - t[2]*r[2] - t[4]*r[3]) * s[1]
	r[0] = (r[0] - t[0]*r[1] - t[1]*r[2] - t[3]*r[3]) * s[0]
	if b.k > 0 {
		blas64.Gemv(blas.Trans, -1, b.block(c), blas64.Vector{N: 4, Inc: 1, Data: r}, 1,
			blas64.Vector{N: b.k, Inc: 1, Data: b.x[4*c:]})
	}
}

// block is the k columns left of the diagonal of rows 4c to 4c+3.
func (b *Banded) block(c int) blas64.General {
	return blas64.General{Rows: 4, Cols: b.k, Stride: b.k, Data: b.fours[4*c*b.k:]}
}
