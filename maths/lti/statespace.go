package lti

import (
	"fmt"
	"math/cmplx"

	"gonum.org/v1/gonum/mat"
)

// SS is a system in state space with n states, m inputs and p outputs: A is
// n×n, B n×m, C p×n and D p×m. Make it with NewSS, which checks it.
type SS struct {
	A, B, C, D *mat.Dense
	Dt         float64 // sample time, s; 0 is continuous
}

// NewSS returns the system after checking that shapes agree, that there is at
// least one state, one input and one output, that entries are finite and that
// dt is 0 or more. The matrices are copied.
func NewSS(a, b, c, d *mat.Dense, dt float64) (SS, error) {
	if err := checkDt(dt); err != nil {
		return SS{}, fmt.Errorf("state space: %w", err)
	}
	for i, m := range []*mat.Dense{a, b, c, d} {
		if m == nil || m.IsEmpty() {
			return SS{}, fmt.Errorf("state space: %c is empty: want at least 1×1", "ABCD"[i])
		}
	}
	n, _ := a.Dims()
	_, inputs := b.Dims()
	outputs, _ := c.Dims()
	for _, want := range []struct {
		name string
		m    *mat.Dense
		r, c int
	}{{"A", a, n, n}, {"B", b, n, inputs}, {"C", c, outputs, n}, {"D", d, outputs, inputs}} {
		if r, c := want.m.Dims(); r != want.r || c != want.c {
			return SS{}, fmt.Errorf("state space: %s is %d×%d: want %d×%d (%d states, %d inputs, %d outputs)",
				want.name, r, c, want.r, want.c, n, inputs, outputs)
		}
		if err := finiteMatrix(want.name, want.m); err != nil {
			return SS{}, fmt.Errorf("state space: %w", err)
		}
	}
	return SS{A: mat.DenseCopyOf(a), B: mat.DenseCopyOf(b), C: mat.DenseCopyOf(c), D: mat.DenseCopyOf(d), Dt: dt}, nil
}

// Dims returns the numbers of states n, inputs m and outputs p.
func (s SS) Dims() (n, m, p int) {
	n, m = s.B.Dims()
	p, _ = s.C.Dims()
	return n, m, p
}

// Poles returns the eigenvalues of A (rad/s when continuous), sorted by
// magnitude, then imaginary part.
func (s SS) Poles() ([]complex128, error) { return Eigenvalues(s.A) }

// Stable reports whether every pole lies strictly inside the stable region:
// the left half plane when continuous, the unit disc when discrete.
func (s SS) Stable() (bool, error) {
	poles, err := s.Poles()
	if err != nil {
		return false, err
	}
	for _, p := range poles {
		if s.Dt == 0 && real(p) >= 0 || s.Dt > 0 && cmplx.Abs(p) >= 1 {
			return false, nil
		}
	}
	return true, nil
}

// At returns the p×m matrix C (zI-A)^-1 B + D. For a frequency response use
// z = jω (continuous) or z = e^{jω Dt} (discrete), ω in rad/s. A z that is a
// pole is an error.
//
// The complex equations are solved as real ones of twice the size: with
// z = σ + jω and X = P + jQ, (σI-A) P - ω Q = B and ω P + (σI-A) Q = 0.
func (s SS) At(z complex128) (*mat.CDense, error) {
	n, m, p := s.Dims()
	lhs, rhs := mat.NewDense(2*n, 2*n, nil), mat.NewDense(2*n, m, nil)
	var diagonal, offset mat.Dense
	diagonal.Scale(real(z), Diagonal(n, 1))
	diagonal.Sub(&diagonal, s.A)
	offset.Scale(imag(z), Diagonal(n, 1))
	setBlock(lhs, 0, 0, &diagonal)
	setBlock(lhs, n, n, &diagonal)
	setBlock(lhs, n, 0, &offset)
	offset.Scale(-1, &offset)
	setBlock(lhs, 0, n, &offset)
	setBlock(rhs, 0, 0, s.B)
	x, err := solve(lhs, rhs)
	if err != nil {
		return nil, fmt.Errorf("frequency response: z = %g is a pole: %w", z, err)
	}
	var re, im mat.Dense
	re.Mul(s.C, block(x, 0, 0, n, m))
	re.Add(&re, s.D)
	im.Mul(s.C, block(x, n, 0, n, m))
	g := mat.NewCDense(p, m, nil)
	for i := range p {
		for j := range m {
			g.Set(i, j, complex(re.At(i, j), im.At(i, j)))
		}
	}
	return g, nil
}
