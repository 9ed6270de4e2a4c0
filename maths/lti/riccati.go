package lti

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// CARE returns the stabilising solution X of the continuous-time algebraic
// Riccati equation
//
//	Aᵀ X + X A - X B R⁻¹ Bᵀ X + Q = 0
//
// A is n×n, B n×m, Q n×n symmetric and positive semidefinite, R m×m symmetric
// and positive definite. X is symmetric, positive semidefinite, and A - B R⁻¹ Bᵀ X
// is stable. A pair (A, B) that cannot be stabilised, and an unstable or undamped mode
// without weight in Q, are errors that name the mode; so is a pair so close to either
// (tens of unstable modes and one input) that double precision cannot decide.
//
// The equation is balanced, taken to a discrete one by a Cayley transform and
// solved by structure-preserving doubling: E.K.-W. Chu, H.-Y. Fan, W.-W. Lin,
// Linear Algebra Appl. 396 (2005) 55, doi:10.1016/j.laa.2004.10.010. Steps of
// Newton's method (D.L. Kleinman, IEEE Trans. Autom. Control 13 (1968) 114,
// doi:10.1109/TAC.1968.1098829) remove what rounding the transform left.
func CARE(a, b, q, r *mat.Dense) (*mat.Dense, error) {
	x, err := riccati(a, b, q, r, 0)
	if err != nil {
		return nil, fmt.Errorf("CARE: %w", err)
	}
	return x, nil
}

// DARE returns the stabilising solution X of the discrete-time algebraic Riccati
// equation
//
//	X = Aᵀ X A - Aᵀ X B (R + Bᵀ X B)⁻¹ Bᵀ X A + Q
//
// for matrices as CARE wants them; A - B (R + Bᵀ X B)⁻¹ Bᵀ X A is stable. A may be
// singular. Structure-preserving doubling: E.K.-W. Chu, H.-Y. Fan, W.-W. Lin,
// C.-S. Wang, Int. J. Control 77 (2004) 767, doi:10.1080/00207170410001714988;
// Newton's method as in CARE.
func DARE(a, b, q, r *mat.Dense) (*mat.Dense, error) {
	x, err := riccati(a, b, q, r, 1)
	if err != nil {
		return nil, fmt.Errorf("DARE: %w", err)
	}
	return x, nil
}

// equation is a Riccati equation. dual says that it is an estimator's, so that
// errors speak of outputs and noise in place of inputs and weights.
type equation struct {
	a, b, q, r     *mat.Dense
	discrete, dual bool
}

func riccati(a, b, q, r *mat.Dense, dt float64) (*mat.Dense, error) {
	return (&equation{a: a, b: b, q: q, r: r, discrete: dt > 0}).solve()
}

// residualLimit is the largest residual of a solution, relative to the terms of
// the equation; after Newton's steps it is near 1e-15.
const residualLimit = 1e-10

// solve checks, balances, solves, polishes and verifies.
func (e *equation) solve() (*mat.Dense, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	s, scale, err := e.balanced()
	if err != nil {
		return nil, err
	}
	if err := s.reachable(1e-12); err != nil {
		return nil, err
	}
	x, err := s.doubled()
	if err == nil {
		x, err = s.polished(x)
	}
	if err != nil { // say which mode is to blame, if one is nearly out of reach
		if mode := s.reachable(1e-6); mode != nil {
			return nil, fmt.Errorf("%w; to a millionth, %w", err, mode)
		}
		return nil, err
	}
	x.Apply(func(i, j int, v float64) float64 { return v / (scale[i] * scale[j]) }, x)
	return x, nil
}

// balanced returns the equation in the states T⁻¹ x with R = I,
//
//	T⁻¹ A T,  T⁻¹ B R^(-1/2),  T Q T,  X → T X T,
//
// T = diag(scale) in powers of two, which make the sum of the magnitudes in the
// Hamiltonian matrix [A -G; -Q -Aᵀ], G = B R⁻¹ Bᵀ, least: balance for two matrices
// more.
func (e *equation) balanced() (*equation, []float64, error) {
	n, m := e.b.Dims()
	var c mat.Cholesky
	c.Factorize(mat.NewSymDense(m, Symmetric(e.r).RawMatrix().Data))
	var l mat.TriDense
	c.LTo(&l) // R = L Lᵀ, so that B L⁻ᵀ (B L⁻ᵀ)ᵀ = B R⁻¹ Bᵀ
	bt, err := luSolve(mat.DenseCopyOf(&l), mat.DenseCopyOf(e.b.T()))
	if err != nil {
		return nil, nil, err
	}
	s := &equation{a: mat.DenseCopyOf(e.a), b: mat.DenseCopyOf(bt.T()), q: Symmetric(e.q), r: Diagonal(m, 1),
		discrete: e.discrete, dual: e.dual}
	scale := slices.Repeat([]float64{1}, n)
	for changed := true; changed; {
		changed = false
		for i := range n {
			if f := s.unit(i, scale[i]); f != 1 {
				s.rescale(i, f)
				scale[i] *= f
				changed = true
			}
		}
	}
	return s, scale, nil
}

// unit returns the power of two f to rescale state i by, or 1 if no f reduces the sum of
// the state's entries by a twentieth. Entries of A, Q and G off the diagonal change with f
// or 1/f, diagonal entries of Q and G with f² or 1/f². A coupling to a fictitious state
// bounds f for states without couplings.
func (e *equation) unit(i int, scale float64) float64 {
	n, _ := e.a.Dims()
	up, down := weak*scale, weak/scale
	var up2, down2 float64
	for j := range n {
		g := math.Abs(mat.Dot(e.b.RowView(i), e.b.RowView(j)))
		if j == i {
			up2, down2 = math.Abs(e.q.At(i, i)), g
			continue
		}
		up += 2 * (math.Abs(e.a.At(j, i)) + math.Abs(e.q.At(i, j)))
		down += 2 * (math.Abs(e.a.At(i, j)) + g)
	}
	sum := func(f float64) float64 { return (up2*f+up)*f + (down2/f+down)/f }
	best := 1.0
	for _, step := range []float64{2, 0.5} {
		for f := best * step; sum(f) < sum(best); f *= step {
			best = f
		}
	}
	if sum(best) < 0.95*sum(1) {
		return best
	}
	return 1
}

// rescale takes f times the unit of state i.
func (e *equation) rescale(i int, f float64) {
	rescale(e.a, i, f)
	n, m := e.b.Dims()
	for j := range m {
		e.b.Set(i, j, e.b.At(i, j)/f)
	}
	for j := range n {
		e.q.Set(i, j, e.q.At(i, j)*f)
		e.q.Set(j, i, e.q.At(j, i)*f)
	}
}

// doubled solves the balanced equation by doubling.
func (e *equation) doubled() (*mat.Dense, error) {
	g := Symmetric(Product(e.b, e.b.T()))
	if e.discrete {
		return double(e.a, g, e.q)
	}
	gamma, err := shift(e.a, g, e.q)
	if err != nil {
		return nil, err
	}
	return doubleContinuous(e.a, g, e.q, gamma)
}

// polished takes Newton steps until the residual stops falling, and verifies:
// residual, closed loop. A step X ← X + Δ solves the equation linearised about X,
//
//	Aₗᵀ Δ + Δ Aₗ = -residual   or   Δ = Aₗᵀ Δ Aₗ + residual,  Aₗ = A - B K,
//
// which is doubling without G.
func (e *equation) polished(x *mat.Dense) (*mat.Dense, error) {
	res, rel, err := e.residual(x)
	if err != nil {
		return nil, err
	}
	for range 8 {
		better, err := e.newton(x, res)
		if err != nil {
			break
		}
		r, s, err := e.residual(better)
		if err != nil || !(s < rel/2) {
			break
		}
		x, res, rel = better, r, s
	}
	if !(rel <= residualLimit) {
		return nil, fmt.Errorf("no stabilising solution: relative residual %.2g at a solution of norm %.2g: want at most %g",
			rel, mat.Norm(x, 2), residualLimit)
	}
	_, poles, err := e.loop(x)
	if err != nil {
		return nil, err
	}
	for _, p := range poles {
		if !e.discrete && !(real(p) < 0) || e.discrete && !(cmplx.Abs(p) < 1) {
			return nil, fmt.Errorf("no stabilising solution: closed-loop pole at %s", e.written(p))
		}
	}
	return x, nil
}

func (e *equation) newton(x, res *mat.Dense) (*mat.Dense, error) {
	n, _ := e.a.Dims()
	k, err := e.gain(x)
	if err != nil {
		return nil, err
	}
	var closed mat.Dense
	closed.Sub(e.a, Product(e.b, k))
	zero := mat.NewDense(n, n, nil)
	var delta *mat.Dense
	if e.discrete {
		delta, err = double(&closed, zero, res)
	} else {
		var gamma float64
		if gamma, err = shift(&closed, zero, res); err == nil {
			delta, err = doubleContinuous(&closed, zero, res, gamma)
		}
	}
	if err != nil {
		return nil, err
	}
	delta.Add(delta, x)
	return Symmetric(delta), nil
}

// residual returns AᵀX + XA - KᵀRK + Q or AᵀXA - X - Kᵀ(R + BᵀXB)K + Q, and its
// Frobenius norm relative to the sum of the norms of its terms.
func (e *equation) residual(x *mat.Dense) (res *mat.Dense, rel float64, err error) {
	k, err := e.gain(x)
	if err != nil {
		return nil, 0, err
	}
	first, second, s := Product(e.a.T(), x), Product(x, e.a), e.r
	if e.discrete {
		first = Product(first, e.a)
		second.Scale(-1, x)
		s = e.inner(x)
	}
	third := Product(k.T(), s, k)
	size := mat.Norm(first, 2) + mat.Norm(second, 2) + mat.Norm(third, 2) + mat.Norm(e.q, 2)
	var sum mat.Dense
	sum.Add(first, second)
	sum.Sub(&sum, third)
	sum.Add(&sum, e.q)
	norm := mat.Norm(&sum, 2)
	if norm == 0 {
		return &sum, 0, nil
	}
	return Symmetric(&sum), norm / size, nil
}

// inner is R + BᵀXB.
func (e *equation) inner(x *mat.Dense) *mat.Dense {
	s := Product(e.b.T(), x, e.b)
	s.Add(s, e.r)
	return Symmetric(s)
}

// gain is K = R⁻¹BᵀX or (R + BᵀXB)⁻¹BᵀXA.
func (e *equation) gain(x *mat.Dense) (*mat.Dense, error) {
	bx := Product(e.b.T(), x)
	if !e.discrete {
		return luSolve(e.r, bx)
	}
	return luSolve(e.inner(x), Product(bx, e.a))
}

// loop returns the gain and the poles of A - B K.
func (e *equation) loop(x *mat.Dense) (k *mat.Dense, poles []complex128, err error) {
	if k, err = e.gain(x); err != nil {
		return nil, nil, err
	}
	var closed mat.Dense
	closed.Sub(e.a, Product(e.b, k))
	poles, err = Eigenvalues(&closed)
	return k, poles, err
}
