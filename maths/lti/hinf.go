package lti

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Generalised is a generalised plant with one command u and one measurement y,
//
//	x' = A x + B1 w + B2 u
//	z  = C1 x          + D12 u
//	y  = C2 x + D21 w
//
// w are disturbances, z is what shall stay small. A is n×n, B1 n×m, B2 n×1, C1 p×n,
// D12 p×1, C2 1×n, D21 1×m. D11 and D22 are 0.
type Generalised struct{ A, B1, B2, C1, D12, C2, D21 *mat.Dense }

// HInfinity is a controller u = K y that keeps the largest gain of the closed loop from w
// to z below Gamma.
type HInfinity struct {
	K     SS
	Gamma float64
	X, Y  *mat.Dense // solutions of the Riccati equations, of the plant with |D12| = |D21| = 1
}

// gammaStep is the ratio of neighbouring γ at the end of the iteration, and gammaMargin
// times the least γ found is what the controller is made for: at the least γ the matrix
// I − YX/γ² is singular and the controller's poles go to infinity.
const gammaStep, gammaMargin = 1.001, 1.05

// HInf returns the central H∞ controller of the two Riccati equations (J.C. Doyle, K. Glover,
// P.P. Khargonekar, B.A. Francis, IEEE Trans. Autom. Control 34 (1989) 831,
// doi:10.1109/9.29425; with the cross terms D12ᵀC1 and B1D21ᵀ as in K. Glover, J.C. Doyle,
// Syst. Control Lett. 11 (1988) 167, doi:10.1016/0167-6911(88)90055-2). With u and y scaled to
// |D12| = |D21| = 1,
//
//	AxᵀX + X Ax − X (B2B2ᵀ − B1B1ᵀ/γ²) X + C1ᵀ(I − D12D12ᵀ)C1 = 0,  Ax = A − B2D12ᵀC1
//	Ay Y + Y Ayᵀ − Y (C2ᵀC2 − C1ᵀC1/γ²) Y + B1(I − D21ᵀD21)B1ᵀ = 0,  Ay = A − B1D21ᵀC2
//
// a controller exists if and only if both have stabilising solutions, X ≥ 0, Y ≥ 0, and the
// spectral radius of XY is below γ². Then, with Z = (I − YX/γ²)⁻¹,
//
//	F1 = B1ᵀX/γ²,  F2 = −(D12ᵀC1 + B2ᵀX),  L = −(B1D21ᵀ + YC2ᵀ)
//	ẋ = (A + B1F1 + B2F2 + Z L (C2 + D21F1)) x − Z L y,  u = F2 x
//
// Bisection finds the least γ to a thousandth; the controller is made for 1.05 times that. A γ
// above 1e5, of a plant that can hardly be controlled, may be some percent above the least.
// A plant that y does not see or u does not reach, and axes jω where the plant's gain from u
// to z or from w to y is 0, are errors.
func HInf(p Generalised) (HInfinity, error) {
	s, du, dy, err := p.normal()
	if err != nil {
		return HInfinity{}, fmt.Errorf("controller by H∞: %w", err)
	}
	gamma, err := s.leastGamma()
	if err != nil {
		return HInfinity{}, fmt.Errorf("controller by H∞: %w", err)
	}
	gamma *= gammaMargin
	x, y, err := s.riccati(gamma)
	if err != nil {
		return HInfinity{}, fmt.Errorf("controller by H∞: γ %.4g, %.3g times the least: %w", gamma, gammaMargin, err)
	}
	k, err := s.central(gamma, x, y)
	if err != nil {
		return HInfinity{}, fmt.Errorf("controller by H∞: %w", err)
	}
	k.C.Scale(1/du, k.C)
	k.B.Scale(1/dy, k.B)
	return HInfinity{K: k, Gamma: gamma, X: x, Y: y}, nil
}

// normal returns the plant with u in units of 1/|D12| and y in units of |D21|.
func (p Generalised) normal() (s Generalised, du, dy float64, err error) {
	du, dy = mat.Norm(p.D12, 2), mat.Norm(p.D21, 2)
	if !(du > 0) {
		return s, 0, 0,
			errors.New("the command costs nothing at high frequencies (D12 is 0): want a weight of the command that does " +
				"not fall off")
	}
	if !(dy > 0) {
		return s, 0, 0, errors.New("the measurement has no disturbance at high frequencies (D21 is 0): want noise on it")
	}
	s = p
	s.B2, s.D12, s.C2, s.D21 = new(mat.Dense), new(mat.Dense), new(mat.Dense), new(mat.Dense)
	s.B2.Scale(1/du, p.B2)
	s.D12.Scale(1/du, p.D12)
	s.C2.Scale(1/dy, p.C2)
	s.D21.Scale(1/dy, p.D21)
	return s, du, dy, nil
}

// leastGamma goes up or down in tens to the border of what can be done, and bisects it.
func (p Generalised) leastGamma() (float64, error) {
	good := 1.0
	var err error
	for _, _, err = p.riccati(good); err != nil; _, _, err = p.riccati(good) {
		if good *= 10; good > 1e9 {
			return 0, fmt.Errorf("no controller at any γ up to 1e9: %w", err)
		}
	}
	bad := good / 10
	for _, _, err = p.riccati(bad); err == nil; _, _, err = p.riccati(bad) {
		if good, bad = bad, bad/10; bad < 1e-9 {
			return good, nil
		}
	}
	for good > gammaStep*bad {
		middle := math.Sqrt(good * bad)
		if _, _, err := p.riccati(middle); err == nil {
			good = middle
		} else {
			bad = middle
		}
	}
	return good, nil
}

// riccati returns X and Y, or which of the conditions does not hold.
func (p Generalised) riccati(gamma float64) (x, y *mat.Dense, err error) {
	x, err = gameRiccati(p.A, p.B1, p.B2, p.C1, p.D12, gamma)
	if err != nil {
		return nil, nil, fmt.Errorf("first Riccati equation: %w", err)
	}
	t := func(m *mat.Dense) *mat.Dense { return mat.DenseCopyOf(m.T()) }
	y, err = gameRiccati(t(p.A), t(p.C1), t(p.C2), t(p.B1), t(p.D21), gamma)
	if err != nil {
		return nil, nil, fmt.Errorf("second Riccati equation: %w", err)
	}
	radius, err := SpectralRadius(Product(x, y))
	if err != nil {
		return nil, nil, err
	}
	if !(radius < gamma*gamma) {
		return nil, nil, fmt.Errorf("spectral radius of XY %.3g: want below γ² = %.3g", radius, gamma*gamma)
	}
	return x, y, nil
}

// gameRiccati solves the first equation; the second is the same with all matrices transposed.
func gameRiccati(a, b1, b2, c1, d12 *mat.Dense, gamma float64) (*mat.Dense, error) {
	p, _ := c1.Dims()
	_, m := b1.Dims()
	var ax, left, b mat.Dense
	ax.Sub(a, Product(b2, d12.T(), c1))
	left.Sub(Diagonal(p, 1), Product(d12, d12.T()))
	b.Augment(b1, b2)
	if p == 1 {
		left.Zero() // but for rounding
	}
	r := Diagonal(m+1, 1)
	for i := range m {
		r.Set(i, i, -gamma*gamma)
	}
	e := &equation{a: &ax, b: &b, q: Symmetric(Product(c1.T(), &left, c1)), r: r}
	x, err := e.signed()
	if err != nil {
		return nil, err
	}
	return x, notNegative(x)
}

// notNegative wants X ≥ 0, but for rounding.
func notNegative(x *mat.Dense) error {
	values, err := Eigenvalues(x)
	if err != nil {
		return err
	}
	least, largest := 0.0, 0.0
	for _, v := range values {
		least, largest = min(least, real(v)), max(largest, real(v))
	}
	if least < -1e-9*max(largest, -least) {
		return fmt.Errorf("solution with a negative eigenvalue, %.3g beside %.3g", least, largest)
	}
	return nil
}

// central is the controller for u and y of the scaled plant.
func (p Generalised) central(gamma float64, x, y *mat.Dense) (SS, error) {
	n, _ := p.A.Dims()
	g2 := 1 / (gamma * gamma)
	f1, f2, l := Product(p.B1.T(), x), Product(p.D12.T(), p.C1), Product(p.B1, p.D21.T())
	f1.Scale(g2, f1)
	f2.Add(f2, Product(p.B2.T(), x))
	f2.Scale(-1, f2)
	l.Add(l, Product(y, p.C2.T())) // −L
	w := Product(y, x)
	w.Scale(-g2, w)
	w.Add(w, Diagonal(n, 1))
	zl, err := luSolve(w, l) // −Z L
	if err != nil {
		return SS{}, fmt.Errorf("matrix I − YX/γ²: %w", err)
	}
	seen := Product(p.D21, f1)
	seen.Add(seen, p.C2)
	a := mat.DenseCopyOf(p.A)
	a.Add(a, Product(p.B1, f1))
	a.Add(a, Product(p.B2, f2))
	a.Sub(a, Product(zl, seen))
	return NewSS(a, zl, f2, mat.NewDense(1, 1, nil), 0)
}

// Closed is the plant with the controller u = K y: from w to z.
func (p Generalised) Closed(k SS) (SS, error) {
	n, m := p.B1.Dims()
	z, _ := p.C1.Dims()
	nk, _, _ := k.Dims()
	a, b, c := mat.NewDense(n+nk, n+nk, nil), mat.NewDense(n+nk, m, nil), mat.NewDense(z, n+nk, nil)
	through := Product(p.B2, k.D, p.C2)
	through.Add(through, p.A)
	setBlock(a, 0, 0, through)
	setBlock(a, 0, n, Product(p.B2, k.C))
	setBlock(a, n, 0, Product(k.B, p.C2))
	setBlock(a, n, n, k.A)
	input := Product(p.B2, k.D, p.D21)
	input.Add(input, p.B1)
	setBlock(b, 0, 0, input)
	setBlock(b, n, 0, Product(k.B, p.D21))
	output := Product(p.D12, k.D, p.C2)
	output.Add(output, p.C1)
	setBlock(c, 0, 0, output)
	setBlock(c, 0, n, Product(p.D12, k.C))
	return NewSS(a, b, c, Product(p.D12, k.D, p.D21), 0)
}

// MixedSensitivity is the generalised plant of a feedback u = K (r − x) around g, with weights of error, command and
// output, and a disturbance of the size delta beside the command: from w = (r, d) to z = (W1 e, W2 u, W3 x), y = e.
// The feedthrough of g and of w1 counts as 0.
func MixedSensitivity(g, w1, w2, w3 SS, delta float64) Generalised {
	var at [5]int // where the states of a block begin
	for i, b := range []SS{g, w1, w2, w3} {
		n, _, _ := b.Dims()
		at[i+1] = at[i] + n
	}
	n := at[4]
	p := Generalised{
		A: mat.NewDense(n, n, nil), B1: mat.NewDense(n, 2, nil), B2: mat.NewDense(n, 1, nil),
		C1: mat.NewDense(3, n, nil), D12: mat.NewDense(3, 1, nil), C2: mat.NewDense(1, n, nil),
		D21: mat.NewDense(1, 2, []float64{1, 0}),
	}
	for i, b := range []SS{g, w1, w2, w3} {
		put(p.A, at[i], at[i], 1, b.A)
		if i > 0 {
			put(p.C1, i-1, at[i], 1, b.C)
		}
	}
	put(p.A, at[1], 0, -1, Product(w1.B, g.C))
	put(p.A, at[3], 0, 1, Product(w3.B, g.C))
	put(p.B1, at[1], 0, 1, w1.B)
	put(p.B1, 0, 1, delta, g.B)
	put(p.B2, 0, 0, 1, g.B)
	put(p.B2, at[2], 0, 1, w2.B)
	put(p.C1, 2, 0, 1, Product(w3.D, g.C))
	put(p.D12, 1, 0, 1, w2.D)
	put(p.C2, 0, 0, -1, g.C)
	return p
}

// put writes a factor times v into m at (i, j).
func put(m *mat.Dense, i, j int, factor float64, v mat.Matrix) {
	r, c := v.Dims()
	m.Slice(i, i+r, j, j+c).(*mat.Dense).Scale(factor, v)
}
