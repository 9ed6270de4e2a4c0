package lti

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rths"
)

// Eigenvalues returns the eigenvalues of the square matrix a, sorted by
// magnitude, then imaginary part.
func Eigenvalues(a mat.Matrix) ([]complex128, error) {
	if err := squareFinite("matrix", a); err != nil {
		return nil, fmt.Errorf("eigenvalues: %w", err)
	}
	balanced, _ := balance(mat.DenseCopyOf(a))
	v, ok := eigenvalues(balanced)
	if !ok {
		return nil, fmt.Errorf("eigenvalues: the QR iteration did not converge")
	}
	sortRoots(v)
	return v, nil
}

// eigenvalues is gonum's, which panics in Dlaqr04 where the QR iteration of a small
// matrix does not converge (entries near the ends of the range of numbers).
func eigenvalues(a *mat.Dense) (v []complex128, ok bool) {
	defer func() {
		if recover() != nil {
			v, ok = nil, false
		}
	}()
	var e mat.Eigen
	if !e.Factorize(a, mat.EigenNone) {
		return nil, false
	}
	return e.Values(nil), true
}

// SpectralRadius returns the largest magnitude among the eigenvalues of the
// square matrix a.
func SpectralRadius(a mat.Matrix) (float64, error) {
	v, err := Eigenvalues(a)
	if err != nil {
		return 0, err
	}
	return cmplx.Abs(v[len(v)-1]), nil
}

// weak is the coupling of every state to a fictitious reference state in
// balance. Without it a matrix with an empty row or column has no balance:
// its couplings could be scaled down for ever.
const weak = 1e-9

// balance returns S = T^-1 a T with T = diag(scale) in powers of two, so that
// the row and the column of each state in S have about equal 1-norms. The
// similarity is free of rounding. E.E. Osborne, J. ACM 7 (1960) 338,
// doi:10.1145/321043.321048; stopping rule by B.N. Parlett and
// C. Reinsch, Numer. Math. 13 (1969) 293, doi:10.1007/BF02165404.
func balance(a *mat.Dense) (s *mat.Dense, scale []float64) {
	n, _ := a.Dims()
	s = mat.DenseCopyOf(a)
	scale = slices.Repeat([]float64{1}, n)
	for changed := true; changed; {
		changed = false
		for i := range n {
			col, row := weak*scale[i], weak/scale[i]
			for j := range n {
				if j != i {
					col += math.Abs(s.At(j, i))
					row += math.Abs(s.At(i, j))
				}
			}
			f := math.Exp2(math.Round((math.Log2(row) - math.Log2(col)) / 2))
			if col*f+row/f < 0.95*(col+row) {
				rescale(s, i, f)
				scale[i] *= f
				changed = true
			}
		}
	}
	return s, scale
}

// rescale multiplies column i of s by f and divides row i by f.
func rescale(s *mat.Dense, i int, f float64) {
	n, _ := s.Dims()
	for j := range n {
		if j != i {
			s.Set(j, i, s.At(j, i)*f)
			s.Set(i, j, s.At(i, j)/f)
		}
	}
}

// unsquared is the largest 1-norm of a matrix whose exponential is one Padé approximant of
// order 13, without squarings. N.J. Higham, SIAM J. Matrix Anal. Appl. 26 (2005) 1179,
// doi:10.1137/04061101X, Table 2.3.
const unsquared = 5.37

// expm returns e^a by scaling and squaring. The norm sets the number of squarings and so the
// rounding error; where there are any, the matrix is balanced first. Where there are none,
// balancing could only lose digits: a rounding error of the size of the largest entry of
// e^{T^-1 a T} can be large beside a small one once scaled back.
func expm(a *mat.Dense) (*mat.Dense, error) {
	n, _ := a.Dims()
	s, scale := a, slices.Repeat([]float64{1}, n)
	if mat.Norm(a, 1) > unsquared {
		s, scale = balance(a)
	}
	var e mat.Dense
	e.Exp(s)
	e.Apply(func(i, j int, v float64) float64 { return v * scale[i] / scale[j] }, &e)
	if err := finite("entries", e.RawMatrix().Data); err != nil {
		return nil, fmt.Errorf("matrix exponential (norm of the exponent %g): %w", mat.Norm(s, 1), err)
	}
	return &e, nil
}

// solve returns a^-1 b, balanced; a singular matrix is an error.
func solve(a, b *mat.Dense) (*mat.Dense, error) {
	s, scale := balance(a)
	var rhs, x mat.Dense
	rhs.Apply(func(i, _ int, v float64) float64 { return v / scale[i] }, b)
	var lu mat.LU
	lu.Factorize(s)
	err := lu.SolveTo(&x, false, &rhs)
	var cond mat.Condition
	if errors.As(err, &cond) && math.IsInf(float64(cond), 1) {
		return nil, fmt.Errorf("singular matrix")
	}
	x.Apply(func(i, _ int, v float64) float64 { return v * scale[i] }, &x)
	return &x, nil
}

// Diagonal returns the n×n matrix with v on its diagonal and 0 elsewhere.
func Diagonal(n int, v float64) *mat.Dense {
	m := mat.NewDense(n, n, nil)
	for i := range n {
		m.Set(i, i, v)
	}
	return m
}

// block returns a copy of the rows i..i+r-1 and columns j..j+c-1 of m.
func block(m *mat.Dense, i, j, r, c int) *mat.Dense {
	return mat.DenseCopyOf(m.Slice(i, i+r, j, j+c))
}

// setBlock copies b into m with its corner at row i, column j.
func setBlock(m *mat.Dense, i, j int, b mat.Matrix) {
	r, c := b.Dims()
	m.Slice(i, i+r, j, j+c).(*mat.Dense).Copy(b)
}

func squareFinite(name string, a mat.Matrix) error {
	r, c := a.Dims()
	if r != c || r == 0 {
		return fmt.Errorf("%s is %d×%d: want a square matrix", name, r, c)
	}
	return finiteMatrix(name, a)
}

func finiteMatrix(name string, a mat.Matrix) error {
	r, c := a.Dims()
	for i := range r {
		for j := range c {
			if v := a.At(i, j); !rths.Finite(v) {
				return fmt.Errorf("%s(%d,%d) = %g: want a finite number", name, i, j, v)
			}
		}
	}
	return nil
}

// luSolve returns a⁻¹ b for a matrix that needs no balancing.
func luSolve(a, b *mat.Dense) (*mat.Dense, error) {
	if !rths.Finite(mat.Norm(a, 1)) || !rths.Finite(mat.Norm(b, 1)) {
		return nil, fmt.Errorf("matrix beyond the range of numbers")
	}
	var lu mat.LU
	lu.Factorize(a)
	var x mat.Dense
	if err := lu.SolveTo(&x, false, b); err != nil && (x.IsEmpty() || !rths.Finite(mat.Norm(&x, 1))) {
		return nil, fmt.Errorf("singular matrix")
	}
	return &x, nil
}

// Product multiplies matrices from left to right; shapes that do not match panic, as
// they do in gonum.
func Product(first mat.Matrix, rest ...mat.Matrix) *mat.Dense {
	p := mat.DenseCopyOf(first)
	for _, m := range rest {
		var next mat.Dense
		next.Mul(p, m)
		p = &next
	}
	return p
}

// Symmetric returns (m + mᵀ)/2.
func Symmetric(m *mat.Dense) *mat.Dense {
	var s mat.Dense
	s.Add(m, m.T())
	s.Scale(0.5, &s)
	return &s
}
