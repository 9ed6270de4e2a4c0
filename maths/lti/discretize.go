package lti

import (
	"fmt"
	"math"
	"rths/maths/portable"

	"gonum.org/v1/gonum/mat"
)

// Hold says what the input does between samples when a continuous system is
// made discrete.
type Hold string

const (
	ZOH    Hold = "zoh"    // held constant over the sample: exact for a digital command
	FOH    Hold = "foh"    // linear between samples: exact for ramps and polygons
	Tustin Hold = "tustin" // bilinear, s = (2/dt)(z-1)/(z+1): exact for no input, stable stays stable
)

// C2D returns the continuous system s at the sample time dt, in s.
//
// ZOH: exact states at the samples for an input held between samples.
//
// FOH: exact outputs at the samples for an input that is linear between samples. The next
// state x would need the next input, so the result has the state ξ = x - g1 u (as
// MATLAB's foh), with g1 from FOHInputs.
//
// Tustin: the trapezoidal rule. Poles map to (1 + p dt/2)/(1 - p dt/2), the
// value at z = e^{jω dt} equals s at the frequency (2/dt) tan(ω dt/2). The state is
// w = (I - A dt/2) x - (dt/2) B u, with x and u at the same sample.
func C2D(s SS, dt float64, hold Hold) (SS, error) {
	if s.Dt != 0 {
		return SS{}, fmt.Errorf("c2d: system with sample time %g s: want a continuous one", s.Dt)
	}
	s, err := NewSS(s.A, s.B, s.C, s.D, 0)
	if err != nil {
		return SS{}, fmt.Errorf("c2d: %w", err)
	}
	if err := checkStep(dt); err != nil {
		return SS{}, fmt.Errorf("c2d: %w", err)
	}
	switch hold {
	case ZOH:
		return c2dZOH(s, dt)
	case FOH:
		return c2dFOH(s, dt)
	case Tustin:
		return c2dTustin(s, dt)
	}
	return SS{}, unknownHold(hold)
}

func c2dZOH(s SS, dt float64) (SS, error) {
	phi, gamma, err := ZOHInputs(s.A, s.B, dt)
	if err != nil {
		return SS{}, err
	}
	return NewSS(phi, gamma, s.C, s.D, dt)
}

func c2dFOH(s SS, dt float64) (SS, error) {
	phi, g0, g1, err := FOHInputs(s.A, s.B, dt)
	if err != nil {
		return SS{}, err
	}
	var b, d mat.Dense
	b.Mul(phi, g1)
	b.Add(&b, g0)
	d.Mul(s.C, g1)
	d.Add(&d, s.D)
	return NewSS(phi, &b, s.C, &d, dt)
}

// c2dTustin: with M = (I - A dt/2)^-1 the system is
// M (I + A dt/2), M B dt, C M, D + C M B dt/2.
func c2dTustin(s SS, dt float64) (SS, error) {
	n, m, _ := s.Dims()
	var half, left, right mat.Dense
	half.Scale(dt/2, s.A)
	left.Sub(Diagonal(n, 1), &half)
	right.Add(Diagonal(n, 1), &half)
	all := mat.NewDense(n, 2*n+m, nil)
	setBlock(all, 0, 0, &right)
	setBlock(all, 0, n, s.B)
	setBlock(all, 0, n+m, Diagonal(n, 1))
	x, err := solve(&left, all)
	if err != nil {
		return SS{}, fmt.Errorf("tustin: a pole at 2/dt = %g rad/s has no image: want another dt: %w", 2/dt, err)
	}
	b := block(x, 0, n, n, m)
	b.Scale(dt, b)
	var c, d mat.Dense
	c.Mul(s.C, block(x, 0, n+m, n, n))
	d.Mul(s.C, b)
	d.Scale(0.5, &d)
	d.Add(&d, s.D)
	return NewSS(block(x, 0, 0, n, n), b, &c, &d, dt)
}

// ZOHInputs returns the exact step x[k+1] = phi x[k] + gamma u[k] of
// x' = a x + b u under an input held over dt (s). a is n×n, b n×m; phi is n×n,
// gamma n×m. Both come from one exponential (Van Loan 1978):
//
//	exp [a b; 0 0] dt = [phi gamma; 0 I]
func ZOHInputs(a, b *mat.Dense, dt float64) (phi, gamma *mat.Dense, err error) {
	e, n, m, err := expInputs(a, b, dt, 1)
	if err != nil {
		return nil, nil, fmt.Errorf("zoh: %w", err)
	}
	return block(e, 0, 0, n, n), block(e, 0, n, n, m), nil
}

// FOHInputs returns the exact step x[k+1] = phi x[k] + g0 u[k] + g1 u[k+1] of
// x' = a x + b u under an input linear over dt (s). a is n×n, b n×m; phi is
// n×n, g0 and g1 are n×m. All come from one exponential (Van Loan 1978):
//
//	exp [a dt  b dt  0; 0 0 I; 0 0 0] = [phi  g0+g1  g1; 0 I I; 0 0 I]
func FOHInputs(a, b *mat.Dense, dt float64) (phi, g0, g1 *mat.Dense, err error) {
	e, n, m, err := expInputs(a, b, dt, 2)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("foh: %w", err)
	}
	g0 = block(e, 0, n, n, m)
	g1 = block(e, 0, n+m, n, m)
	g0.Sub(g0, g1)
	return block(e, 0, 0, n, n), g0, g1, nil
}

// NoiseInputs returns the covariance per sample of white noise w of intensity W per
// second that drives x' = a x + g w, n×n (Van Loan 1978):
//
//	∫ e^{a τ} g W gᵀ e^{aᵀ τ} dτ over dt,  exp [-a  g W gᵀ; 0  aᵀ] dt = [·  Φ^-1 Q; 0  Φᵀ]
//
// a is n×n, g n×r, w r×r and symmetric. It is meant for dt below the time constants
// of a: the exponential holds e^{-a dt} too.
func NoiseInputs(a, g, w *mat.Dense, dt float64) (*mat.Dense, error) {
	if err := checkInputs(a, g, dt); err != nil {
		return nil, fmt.Errorf("noise: %w", err)
	}
	n, r := g.Dims()
	if err := weight("W", w, r); err != nil {
		return nil, fmt.Errorf("noise: %w", err)
	}
	both := mat.NewDense(2*n, 2*n, nil)
	var minus mat.Dense
	minus.Scale(-1, a)
	setBlock(both, 0, 0, &minus)
	setBlock(both, 0, n, Product(g, w, g.T()))
	setBlock(both, n, n, a.T())
	both.Scale(dt, both)
	e, err := expm(both)
	if err != nil {
		return nil, fmt.Errorf("noise: %w", err)
	}
	return Symmetric(Product(block(e, n, n, n, n).T(), block(e, 0, n, n, n))), nil
}

// expInputs returns the exponential of a dt and b dt beside a chain of
// integrators that makes the input: 1 link for a constant, 2 for a ramp.
func expInputs(a, b *mat.Dense, dt float64, links int) (e *mat.Dense, n, m int, err error) {
	if err := checkInputs(a, b, dt); err != nil {
		return nil, 0, 0, err
	}
	n, m = b.Dims()
	aug := mat.NewDense(n+links*m, n+links*m, nil)
	setBlock(aug, 0, 0, a)
	setBlock(aug, 0, n, b)
	aug.Scale(dt, aug)
	if links == 2 {
		setBlock(aug, n, n+m, Diagonal(m, 1))
	}
	e, err = expm(aug)
	return e, n, m, err
}

func checkInputs(a, b *mat.Dense, dt float64) error {
	if a == nil || b == nil || a.IsEmpty() || b.IsEmpty() {
		return fmt.Errorf("an empty matrix: want n×n and n×m")
	}
	if err := squareFinite("A", a); err != nil {
		return err
	}
	n, _ := a.Dims()
	if r, c := b.Dims(); r != n {
		return fmt.Errorf("matrix B is %d×%d: want %d rows, as A", r, c, n)
	}
	if err := finiteMatrix("B", b); err != nil {
		return err
	}
	return checkStep(dt)
}

func checkStep(dt float64) error {
	if !(dt > 0) || math.IsInf(dt, 1) {
		return fmt.Errorf("sample time %g s: want a positive number", dt)
	}
	return nil
}

func unknownHold(hold Hold) error {
	return fmt.Errorf("c2d: hold %q: want %q, %q or %q", hold, ZOH, FOH, Tustin)
}

// C2DTF returns the continuous transfer function g at the sample time dt, in
// s, with a monic denominator. Tustin substitutes in the polynomials and takes
// improper functions too; ZOH and FOH go through state space, see C2D.
func C2DTF(g TF, dt float64, hold Hold) (TF, error) {
	if g.Dt != 0 {
		return TF{}, fmt.Errorf("c2d: transfer function with sample time %g s: want a continuous one", g.Dt)
	}
	g, err := NewTF(g.Num, g.Den, 0)
	if err != nil {
		return TF{}, fmt.Errorf("c2d: %w", err)
	}
	if err := checkStep(dt); err != nil {
		return TF{}, fmt.Errorf("c2d: %w", err)
	}
	switch hold {
	case ZOH, FOH:
		return c2dTFExact(g, dt, hold)
	case Tustin:
		return c2dTFTustin(g, dt)
	}
	return TF{}, unknownHold(hold)
}

// c2dTFTustin multiplies numerator and denominator by (z+1)^n, n the higher of
// their orders, after s = (2/dt)(z-1)/(z+1).
func c2dTFTustin(g TF, dt float64) (TF, error) {
	n := max(len(g.Num), len(g.Den)) - 1
	num, den := bilinear(g.Num, dt, n), bilinear(g.Den, dt, n)
	if den[0] == 0 {
		return TF{}, fmt.Errorf("tustin: a pole at 2/dt = %g rad/s has no image: want another dt", 2/dt)
	}
	lead := den[0]
	for i := range den {
		num[i] /= lead
		den[i] /= lead
	}
	return NewTF(num, den, dt)
}

// bilinear returns Σ p_i (2/dt)^i (z-1)^i (z+1)^{n-i}, p_i the coefficient of
// s^i, as n+1 coefficients in descending powers of z.
func bilinear(p []float64, dt float64, n int) []float64 {
	sum := make([]float64, n+1)
	for i := range p {
		term := []float64{ascending(p, i) * math.Pow(2/dt, float64(i))}
		for k := range n {
			factor := []float64{1, 1}
			if k < i {
				factor[1] = -1
			}
			term = PolyMul(term, factor)
		}
		sum = PolyAdd(sum, term)
	}
	return sum
}

// c2dTFExact: the poles p become e^{p dt}, which gives the denominator; the
// numerator is the denominator times the pulse response D, CB, CAB, … of the
// discrete system, of which only the first n+1 samples are needed.
func c2dTFExact(g TF, dt float64, hold Hold) (TF, error) {
	poles, err := g.Poles()
	if err != nil {
		return TF{}, err
	}
	for i := range poles {
		sin, cos := math.Sincos(imag(poles[i]) * dt)
		size := portable.Exp(real(poles[i]) * dt)
		poles[i] = complex(size*cos, size*sin)
	}
	den := fromRoots(poles)
	s, err := g.SS()
	if err != nil {
		return TF{}, err
	}
	s, err = C2D(s, dt, hold)
	if err != nil {
		return TF{}, err
	}
	pulse := pulseResponse(s, len(den))
	return NewTF(PolyMul(den, pulse)[:len(den)], den, dt)
}

// pulseResponse returns n samples of the first output under a pulse of height
// one at the first sample of the first input.
func pulseResponse(s SS, n int) []float64 {
	y := make([]float64, n)
	y[0] = s.D.At(0, 0)
	x := mat.VecDenseCopyOf(s.B.ColView(0))
	for k := 1; k < n; k++ {
		y[k] = mat.Dot(s.C.RowView(0), x)
		next := mat.NewVecDense(x.Len(), nil)
		next.MulVec(s.A, x)
		x = next
	}
	return y
}
