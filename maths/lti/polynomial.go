package lti

import (
	"cmp"
	"fmt"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rths"
)

// PolyMul returns the product a·b. Coefficients are in descending powers and
// an empty slice is the zero polynomial.
func PolyMul(a, b []float64) []float64 {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	p := make([]float64, len(a)+len(b)-1)
	for i, x := range a {
		for j, y := range b {
			p[i+j] += x * y
		}
	}
	return p
}

// PolyAdd returns the sum a + b, as long as the longer of the two.
// Coefficients are in descending powers and leading zeros are kept.
func PolyAdd(a, b []float64) []float64 {
	if len(a) < len(b) {
		a, b = b, a
	}
	p := slices.Clone(a)
	for i, y := range b {
		p[len(a)-len(b)+i] += y
	}
	return p
}

// PolyEval returns the value of the polynomial p (descending powers) at s, by
// Horner's rule.
func PolyEval(p []float64, s complex128) complex128 {
	var v complex128
	for _, c := range p {
		v = v*s + complex(c, 0)
	}
	return v
}

// Roots returns the roots of the polynomial p (descending powers) as
// eigenvalues of its companion matrix, sorted by magnitude, then imaginary
// part. Leading zeros are stripped and trailing zeros give exact zero roots. A
// non-zero constant has no roots; the zero polynomial and non-finite
// coefficients are errors.
func Roots(p []float64) ([]complex128, error) {
	if err := finite("coefficients", p); err != nil {
		return nil, fmt.Errorf("roots: %w", err)
	}
	p = stripLeading(p)
	if len(p) == 0 {
		return nil, fmt.Errorf("roots of the zero polynomial: want a non-zero coefficient")
	}
	zeros := 0
	for p[len(p)-1] == 0 {
		p = p[:len(p)-1]
		zeros++
	}
	roots := make([]complex128, zeros, zeros+len(p)-1)
	if len(p) == 1 {
		return roots, nil
	}
	nonzero, err := Eigenvalues(companion(p))
	if err != nil {
		return nil, fmt.Errorf("roots: %w", err)
	}
	return append(roots, nonzero...), nil
}

// companion returns the matrix whose characteristic polynomial is p, of order
// 1 or more. It takes its scale, however wide, from balancing in Eigenvalues.
func companion(p []float64) *mat.Dense {
	n := len(p) - 1
	c := mat.NewDense(n, n, nil)
	for i := range n {
		c.Set(0, i, -p[i+1]/p[0])
		if i > 0 {
			c.Set(i, i-1, 1)
		}
	}
	return c
}

// fromRoots returns the monic polynomial with the given roots, which come in
// conjugate pairs.
func fromRoots(roots []complex128) []float64 {
	p := []complex128{1}
	for _, r := range roots {
		next := append(slices.Clone(p), 0)
		for i, c := range p {
			next[i+1] -= r * c
		}
		p = next
	}
	re := make([]float64, len(p))
	for i, c := range p {
		re[i] = real(c)
	}
	return re
}

// sortRoots sorts by magnitude, then by imaginary part.
func sortRoots(r []complex128) {
	slices.SortFunc(r, func(a, b complex128) int {
		return cmp.Or(cmp.Compare(cmplx.Abs(a), cmplx.Abs(b)), cmp.Compare(imag(a), imag(b)))
	})
}

func stripLeading(p []float64) []float64 {
	for len(p) > 0 && p[0] == 0 {
		p = p[1:]
	}
	return p
}

func finite(what string, p []float64) error {
	for i, c := range p {
		if !rths.Finite(c) {
			return fmt.Errorf("%s[%d] = %g: want a finite number", what, i, c)
		}
	}
	return nil
}
