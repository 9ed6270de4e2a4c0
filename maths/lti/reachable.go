package lti

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rths"
)

// reachable is the test of Popov, Belevitch and Hautus on every mode λ that is not
// stable by itself: [A - λI, B] and [Aᵀ - λI, Q] must have full rank. tol is the
// smallest singular value, relative to the largest, that counts.
func (e *equation) reachable(tol float64) error {
	modes, err := Eigenvalues(e.a)
	if err != nil {
		return err
	}
	words := regulatorWords
	if e.dual {
		words = estimatorWords
	}
	size := mat.Norm(e.a, 2)
	for _, l := range modes {
		edge := real(l) + 1e-12*size
		if e.discrete {
			edge = cmplx.Abs(l) - (1 - 1e-12)
		}
		if edge < 0 || imag(l) < 0 {
			continue
		}
		if !fullRank(e.a, e.b, l, tol) {
			return fmt.Errorf("mode %s %s", e.written(l), words.unreached)
		}
		if !fullRank(e.a.T(), e.q, l, tol) {
			return fmt.Errorf("mode %s %s", e.written(l), words.unseen)
		}
	}
	return nil
}

// blame says what is wrong with a mode that B or Q does not touch.
type blame struct{ unreached, unseen string }

var (
	regulatorWords = blame{"cannot be reached by the input: not stabilisable",
		"is not seen by the weight Q: not detectable"}
	estimatorWords = blame{"is not seen by the output: not detectable", "is not driven by the noise W: not stabilisable"}
)

// written is a mode as errors name it.
func (e *equation) written(l complex128) string {
	text := fmt.Sprintf("%.4g", real(l))
	if im := math.Abs(imag(l)); im > 0 {
		text += fmt.Sprintf(" ± %.4gi", im)
	}
	if e.discrete {
		return "z = " + text
	}
	return text + " rad/s"
}

// fullRank of the n×(n+m) matrix [A - λI, B], λ = σ+jω, by singular values. The
// complex matrix is written as a real one of twice the size, and each row is taken
// relative to what stands in it before λ is subtracted.
func fullRank(a mat.Matrix, b *mat.Dense, l complex128, tol float64) bool {
	n, m := b.Dims()
	var shifted mat.Dense
	shifted.Scale(-real(l), Diagonal(n, 1))
	shifted.Add(&shifted, a)
	w := mat.NewDense(2*n, 2*(n+m), nil)
	for _, half := range []int{0, 1} {
		setBlock(w, half*n, half*(n+m), &shifted)
		setBlock(w, half*n, half*(n+m)+n, b)
	}
	for i := range n {
		w.Set(i, n+m+i, imag(l))
		w.Set(n+i, i, -imag(l))
		size := cmplx.Abs(l) + mat.Norm(b.RowView(i), 1)
		for j := range n {
			size += math.Abs(a.At(i, j))
		}
		for _, row := range []int{i, n + i} {
			for j, v := range w.RawRowView(row) {
				w.Set(row, j, v/max(size, math.SmallestNonzeroFloat64))
			}
		}
	}
	var svd mat.SVD
	if !rths.Finite(mat.Norm(w, 1)) || !svd.Factorize(w, mat.SVDNone) {
		return true // the solution is verified in the end
	}
	s := svd.Values(nil)
	return s[len(s)-1] > tol*s[0]
}

// check wants shapes that agree, finite numbers, and definite weights.
func (e *equation) check() error {
	names := "ABQR"
	if e.dual {
		names = "ACWV"
	}
	for i, m := range []*mat.Dense{e.a, e.b, e.q, e.r} {
		if m == nil || m.IsEmpty() {
			return fmt.Errorf("%c is empty: want at least 1×1", names[i])
		}
	}
	if err := squareFinite("matrix A", e.a); err != nil {
		return err
	}
	n, m := e.b.Dims()
	if rows, _ := e.a.Dims(); rows != n {
		return fmt.Errorf("%c has %d rows: want %d, as A", names[1], n, rows)
	}
	if err := finiteMatrix(names[1:2], e.b); err != nil {
		return err
	}
	if err := weight(names[2:3], e.q, n); err != nil {
		return err
	}
	if err := weight(names[3:], e.r, m); err != nil {
		return err
	}
	if err := semidefinite(names[2:3], e.q); err != nil {
		return err
	}
	var c mat.Cholesky
	if !c.Factorize(mat.NewSymDense(m, Symmetric(e.r).RawMatrix().Data)) {
		return fmt.Errorf("%s is not positive definite", names[3:])
	}
	return nil
}

// weight wants a finite symmetric n×n matrix.
func weight(name string, w *mat.Dense, n int) error {
	if w == nil || w.IsEmpty() {
		return fmt.Errorf("%s is empty: want %d×%d", name, n, n)
	}
	if r, c := w.Dims(); r != n || c != n {
		return fmt.Errorf("%s is %d×%d: want %d×%d", name, r, c, n, n)
	}
	if err := finiteMatrix(name, w); err != nil {
		return err
	}
	for i := range n {
		for j := range i {
			u, v := w.At(i, j), w.At(j, i)
			if math.Abs(u-v) > 1e-12*(math.Sqrt(math.Abs(w.At(i, i)*w.At(j, j)))+math.Abs(u)) {
				return fmt.Errorf("%s(%d,%d) = %g and %s(%d,%d) = %g: want a symmetric matrix", name, i, j, u, name, j, i, v)
			}
		}
	}
	return nil
}

// semidefinite looks at the eigenvalues after the diagonal has been scaled to 1,
// since the entries may have very different units.
func semidefinite(name string, w *mat.Dense) error {
	n, _ := w.Dims()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		if d := w.At(i, i); d < 0 {
			return fmt.Errorf("%s(%d,%d) = %g: want a positive semidefinite matrix", name, i, i, d)
		}
		for j := range i + 1 {
			d := math.Sqrt(w.At(i, i)) * math.Sqrt(w.At(j, j))
			switch v := w.At(i, j); {
			case d > 0 && math.Abs(v) <= 2*d:
				s.SetSym(i, j, v/d)
			case d > 0:
				return fmt.Errorf("%s(%d,%d) = %g beside %g and %g on the diagonal: want a positive semidefinite matrix", name, i,
					j, v, w.At(i, i), w.At(j, j))
			case v != 0:
				return fmt.Errorf("%s(%d,%d) = %g beside a zero on the diagonal: want a positive semidefinite matrix", name, i, j,
					v)
			}
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(s, false) {
		return fmt.Errorf("%s: the eigenvalue iteration did not converge", name)
	}
	if least := slices.Min(eig.Values(nil)); least < -1e-10 {
		return fmt.Errorf("%s has an eigenvalue of %.3g after scaling its diagonal to 1: want a positive semidefinite matrix",
			name, least)
	}
	return nil
}
