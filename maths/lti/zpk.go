package lti

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rths"
)

// ZPK is the transfer function Gain · Π (s - zero) / Π (s - pole) of one input and
// one output, in s (Dt = 0, roots in rad/s) or z (Dt > 0). It may be improper. Make
// it with NewZPK, which checks it.
type ZPK struct {
	Zeros, Poles []complex128 // sorted by magnitude, then imaginary part
	Gain         float64      // of the highest powers, not at s = 0
	Dt           float64      // sample time, s; 0 is continuous
}

// NewZPK returns the function with the given roots, of which complex ones must come
// in conjugate pairs (to 1e-10 of their magnitude; they are made exact). Roots and
// gain must be finite, dt 0 or more.
func NewZPK(zeros, poles []complex128, gain, dt float64) (ZPK, error) {
	if err := checkDt(dt); err != nil {
		return ZPK{}, fmt.Errorf("zeros, poles and gain: %w", err)
	}
	if !rths.Finite(gain) {
		return ZPK{}, fmt.Errorf("zeros, poles and gain: gain %g: want a finite number", gain)
	}
	z, err := conjugates("zero", zeros)
	if err != nil {
		return ZPK{}, fmt.Errorf("zeros, poles and gain: %w", err)
	}
	p, err := conjugates("pole", poles)
	if err != nil {
		return ZPK{}, fmt.Errorf("zeros, poles and gain: %w", err)
	}
	return ZPK{Zeros: z, Poles: p, Gain: gain, Dt: dt}, nil
}

// conjugates returns sorted roots whose pairs are exact.
func conjugates(what string, roots []complex128) ([]complex128, error) {
	left, out := slices.Clone(roots), make([]complex128, 0, len(roots))
	for len(left) > 0 {
		r := left[0]
		left = left[1:]
		if cmplx.IsNaN(r) || cmplx.IsInf(r) {
			return nil, fmt.Errorf("%s %g: want a finite number", what, r)
		}
		if imag(r) == 0 {
			out = append(out, r)
			continue
		}
		i := nearest(left, cmplx.Conj(r))
		if i < 0 || cmplx.Abs(left[i]-cmplx.Conj(r)) > 1e-10*cmplx.Abs(r) {
			return nil, fmt.Errorf("%s %g without its conjugate: want complex ones in pairs", what, r)
		}
		left = slices.Delete(left, i, i+1)
		out = append(out, r, cmplx.Conj(r))
	}
	sortRoots(out)
	return out, nil
}

// nearest is the index of the root nearest to r, -1 of none.
func nearest(roots []complex128, r complex128) int {
	best, at := math.Inf(1), -1
	for i, c := range roots {
		if d := cmplx.Abs(c - r); d < best {
			best, at = d, i
		}
	}
	return at
}

// At returns the value at s or z.
func (g ZPK) At(s complex128) complex128 {
	v := complex(g.Gain, 0)
	for i := range max(len(g.Zeros), len(g.Poles)) { // in turn, against overflow
		if i < len(g.Zeros) {
			v *= s - g.Zeros[i]
		}
		if i < len(g.Poles) {
			v /= s - g.Poles[i]
		}
	}
	return v
}

// SS returns a realization as a chain of sections of order 1 and 2, which keeps roots
// where they are however many there are. An improper function is an error.
func (g ZPK) SS() (SS, error) {
	if len(g.Zeros) > len(g.Poles) {
		return SS{}, fmt.Errorf("state space of an improper function: %d zeros and %d poles: want at most as many zeros",
			len(g.Zeros), len(g.Poles))
	}
	if len(g.Poles) == 0 {
		return constantSS(g.Gain, g.Dt)
	}
	dens, nums := sections(g.Poles), sections(g.Zeros)
	var chain SS
	for i, den := range dens {
		num := []float64{1}
		// With no more zeros than poles every section of zeros finds one of poles of
		// its order or a higher one.
		if i < len(nums) {
			num = nums[i]
		}
		if i == 0 {
			num = PolyMul(num, []float64{g.Gain})
		}
		s, err := TF{Num: num, Den: den, Dt: g.Dt}.SS()
		if err != nil {
			return SS{}, err
		}
		if i == 0 {
			chain = s
		} else if chain, err = Series(chain, s); err != nil {
			return SS{}, err
		}
	}
	return chain, nil
}

// sections returns the roots as monic polynomials of order 2, and one of order 1 at
// the end if their number is odd: pairs first, then real roots two by two.
func sections(roots []complex128) [][]float64 {
	var out [][]float64
	var single []float64
	for _, r := range roots {
		switch {
		case imag(r) > 0:
			out = append(out, []float64{1, -2 * real(r), real(r)*real(r) + imag(r)*imag(r)})
		case imag(r) == 0:
			single = append(single, real(r))
		}
	}
	for ; len(single) >= 2; single = single[2:] {
		out = append(out, []float64{1, -(single[0] + single[1]), single[0] * single[1]})
	}
	if len(single) == 1 {
		out = append(out, []float64{1, -single[0]})
	}
	return out
}

// Series returns the system whose input feeds a and whose output is b's, fed by a.
func Series(a, b SS) (SS, error) {
	na, _, _ := a.Dims()
	nb, _, _ := b.Dims()
	n := na + nb
	big, in, out := mat.NewDense(n, n, nil), mat.NewDense(n, 1, nil), mat.NewDense(1, n, nil)
	setBlock(big, 0, 0, a.A)
	setBlock(big, na, na, b.A)
	setBlock(big, na, 0, Product(b.B, a.C))
	setBlock(in, 0, 0, a.B)
	setBlock(in, na, 0, Product(b.B, a.D))
	setBlock(out, 0, 0, Product(b.D, a.C))
	setBlock(out, 0, na, b.C)
	return NewSS(big, in, out, Product(b.D, a.D), a.Dt)
}

// PoleText writes a pole or zero for people: 3, -0.5+80i.
func PoleText(p complex128) string {
	if imag(p) == 0 {
		return fmt.Sprintf("%.4g", real(p))
	}
	return fmt.Sprintf("%.4g%+.4gi", real(p), imag(p))
}
