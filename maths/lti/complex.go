package lti

import (
	"errors"
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/mat"
)

// ComplexEigenvalues returns the eigenvalues of a small square complex matrix, in no order. The matrix is balanced, then
// come QR steps with Wilkinson's shift, without a Hessenberg form, of n³ operations each (G. H. Golub, C. F. Van Loan,
// Matrix Computations, 4th ed., section 7.5). Use Eigenvalues for real matrices.
func ComplexEigenvalues(a *mat.CDense) ([]complex128, error) {
	n, m := a.Dims()
	if n != m {
		return nil, errors.New("complex eigenvalues: want a square matrix")
	}
	w, size := make([][]complex128, n), 0.0
	for i := range w {
		w[i] = make([]complex128, n)
		for j := range w[i] {
			w[i][j] = a.At(i, j)
		}
	}
	evenOut(w)
	for i := range w {
		for _, v := range w[i] {
			size = math.Hypot(size, cmplx.Abs(v))
		}
	}
	if math.IsNaN(size) || math.IsInf(size, 0) {
		return nil, errors.New("complex eigenvalues: want finite numbers")
	}
	for last, step := n-1, 0; last > 0; {
		rest := 0.0
		for _, v := range w[last][:last] {
			rest = math.Hypot(rest, cmplx.Abs(v))
		}
		if rest <= 1e-16*size {
			last, step = last-1, 0
			continue
		}
		if step++; step > 60*n {
			return nil, errors.New("complex eigenvalues: the QR iteration did not converge")
		}
		shift := wilkinson(w, last)
		if step%10 == 0 { // a matrix that turns in a circle
			shift += complex(0.75*rest, 0.4375*rest)
		}
		qrStep(w[:last+1], shift)
	}
	out := make([]complex128, n)
	for i := range out {
		out[i] = w[i][i]
	}
	return out, nil
}

// evenOut scales rows and columns by powers of two to like norms, as balance does.
func evenOut(w [][]complex128) {
	for range 8 {
		for i := range w {
			row, column := 0.0, 0.0
			for j := range w {
				if j != i {
					row, column = math.Hypot(row, cmplx.Abs(w[i][j])), math.Hypot(column, cmplx.Abs(w[j][i]))
				}
			}
			if row == 0 || column == 0 {
				continue
			}
			f := complex(math.Exp2(math.Round(math.Log2(row/column)/2)), 0)
			for j := range w {
				w[i][j] /= f
				w[j][i] *= f
			}
		}
	}
}

// wilkinson is the eigenvalue of the last 2 × 2 block that is next to its last entry.
func wilkinson(w [][]complex128, last int) complex128 {
	a, b, c, d := w[last-1][last-1], w[last-1][last], w[last][last-1], w[last][last]
	half := (a - d) / 2
	root := cmplx.Sqrt(half*half + b*c)
	if cmplx.Abs(half+root) < cmplx.Abs(half-root) {
		return d + half + root
	}
	return d + half - root
}

// qrStep is A − s I = Q R, A ← R Q + s I by plane rotations, in place of the leading block of w.
func qrStep(w [][]complex128, shift complex128) {
	n := len(w)
	for i := range n {
		w[i][i] -= shift
	}
	type rotation struct {
		i, j int
		c    float64
		s    complex128
	}
	var turned []rotation
	for j := range n {
		for i := j + 1; i < n; i++ {
			x, y := w[j][j], w[i][j]
			r := math.Hypot(cmplx.Abs(x), cmplx.Abs(y))
			if y == 0 {
				continue
			}
			t := rotation{j, i, cmplx.Abs(x) / r, cmplx.Conj(y) / complex(r, 0)}
			if x != 0 {
				t.s *= x / complex(cmplx.Abs(x), 0)
			}
			for k := j; k < n; k++ {
				p, q := w[j][k], w[i][k]
				w[j][k], w[i][k] = complex(t.c, 0)*p+t.s*q, complex(t.c, 0)*q-cmplx.Conj(t.s)*p
			}
			turned = append(turned, t)
		}
	}
	for _, t := range turned {
		for k := range n {
			p, q := w[k][t.i], w[k][t.j]
			w[k][t.i], w[k][t.j] = complex(t.c, 0)*p+cmplx.Conj(t.s)*q, complex(t.c, 0)*q-t.s*p
		}
	}
	for i := range n {
		w[i][i] += shift
	}
}
