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
// is stable. A pair (A, B) that cannot be stabilised, and an unstable or undamped
// mode that Q does not see, are errors that name the mode; so is a pair so close to
// that (tens of unstable modes and one input) that double precision cannot tell.
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

// Regulator is the linear–quadratic regulator u = -K x.
type Regulator struct {
	K     *mat.Dense   // gain, m×n
	X     *mat.Dense   // solution of the Riccati equation: the least cost from x is xᵀ X x
	Poles []complex128 // of A - B K, sorted by magnitude (rad/s when continuous)
}

// LQR returns the regulator that minimises, with A n×n, B n×m and weights as CARE
// wants them,
//
//	∫ (xᵀ Q x + uᵀ R u) dt   of x' = A x + B u         (dt = 0)
//	Σ (xᵀ Q x + uᵀ R u)      of x[k+1] = A x[k] + B u[k]   (dt > 0, s)
//
// The continuous regulator has no place for a sampled command: discretise first
// (C2D) where the sample time is not far below the closed loop's time constants.
func LQR(a, b, q, r *mat.Dense, dt float64) (Regulator, error) {
	if err := checkDt(dt); err != nil {
		return Regulator{}, fmt.Errorf("LQR: %w", err)
	}
	x, err := riccati(a, b, q, r, dt)
	if err != nil {
		return Regulator{}, fmt.Errorf("LQR: %w", err)
	}
	k, poles, err := (&equation{a: a, b: b, q: q, r: r, discrete: dt > 0}).loop(x)
	if err != nil {
		return Regulator{}, fmt.Errorf("LQR: %w", err)
	}
	return Regulator{K: k, X: x, Poles: poles}, nil
}

// Estimator is the stationary Kalman filter of x' = A x + B u + G w, y = C x + v.
// Continuous, it is x̂' = A x̂ + B u + L (y - C x̂). Discrete, a reading corrects the
// estimate of its own instant,
//
//	x̂[k|k] = x̂[k|k-1] + L (y[k] - C x̂[k|k-1]),  x̂[k+1|k] = A x̂[k|k] + B u[k]
//
// so that A L is the gain of the one-step predictor.
type Estimator struct {
	L     *mat.Dense   // gain, n×p
	P     *mat.Dense   // covariance of the error, n×n; discrete: of x̂[k|k-1]
	Poles []complex128 // of A - L C or A - A L C, sorted by magnitude
}

// LQE returns the estimator for process noise w through G (n×r) and measurement
// noise v, both white and independent: of intensities W and V per second (dt = 0:
// E w(t) w(s)ᵀ = W δ(t-s)) or of covariances W and V per sample (dt > 0, s). W is
// r×r, symmetric and positive semidefinite, V p×p, symmetric and positive definite.
func LQE(a, g, c, w, v *mat.Dense, dt float64) (Estimator, error) {
	if err := checkNoise(a, g, c, w, dt); err != nil {
		return Estimator{}, fmt.Errorf("LQE: %w", err)
	}
	e := &equation{a: mat.DenseCopyOf(a.T()), b: mat.DenseCopyOf(c.T()), q: symmetric(product(g, w, g.T())), r: v, discrete: dt > 0, dual: true}
	p, err := e.solve()
	if err != nil {
		return Estimator{}, fmt.Errorf("LQE: %w", err)
	}
	k, poles, err := e.loop(p)
	if err != nil {
		return Estimator{}, fmt.Errorf("LQE: %w", err)
	}
	l := mat.DenseCopyOf(k.T())
	if dt > 0 { // k is (A L)ᵀ; L = P Cᵀ (C P Cᵀ + V)⁻¹ needs no inverse of A
		var s mat.Dense
		s.Add(product(c, p, c.T()), v)
		lt, err := luSolve(&s, product(c, p))
		if err != nil {
			return Estimator{}, fmt.Errorf("LQE: %w", err)
		}
		l = mat.DenseCopyOf(lt.T())
	}
	return Estimator{L: l, P: p, Poles: poles}, nil
}

func checkNoise(a, g, c, w *mat.Dense, dt float64) error {
	if err := checkDt(dt); err != nil {
		return err
	}
	for i, m := range []*mat.Dense{a, g, c, w} {
		if m == nil || m.IsEmpty() {
			return fmt.Errorf("%c is empty: want at least 1×1", "AGCW"[i])
		}
	}
	n, _ := a.Dims()
	rows, noises := g.Dims()
	_, seen := c.Dims()
	if rows != n || seen != n {
		return fmt.Errorf("matrix G of %d rows and C of %d columns: want %d, as A", rows, seen, n)
	}
	if err := weight("W", w, noises); err != nil {
		return err
	}
	if err := finiteMatrix("G", g); err != nil {
		return err
	}
	return semidefinite("W", w)
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
	if !c.Factorize(mat.NewSymDense(m, symmetric(e.r).RawMatrix().Data)) {
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
			case d > 0:
				s.SetSym(i, j, v/d)
			case v != 0:
				return fmt.Errorf("%s(%d,%d) = %g beside a zero on the diagonal: want a positive semidefinite matrix", name, i, j, v)
			}
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(s, false) {
		return fmt.Errorf("%s: the eigenvalue iteration did not converge", name)
	}
	if least := slices.Min(eig.Values(nil)); least < -1e-10 {
		return fmt.Errorf("%s has an eigenvalue of %.3g after scaling its diagonal to 1: want a positive semidefinite matrix", name, least)
	}
	return nil
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
	c.Factorize(mat.NewSymDense(m, symmetric(e.r).RawMatrix().Data))
	var l mat.TriDense
	c.LTo(&l) // R = L Lᵀ, so that B L⁻ᵀ (B L⁻ᵀ)ᵀ = B R⁻¹ Bᵀ
	bt, err := luSolve(mat.DenseCopyOf(&l), mat.DenseCopyOf(e.b.T()))
	if err != nil {
		return nil, nil, err
	}
	s := &equation{a: mat.DenseCopyOf(e.a), b: mat.DenseCopyOf(bt.T()), q: symmetric(e.q), r: identity(m), discrete: e.discrete, dual: e.dual}
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

// unit returns the power of two to rescale state i by: 1 where no other makes the
// sum of the entries it touches smaller by a twentieth. Entries of A, Q and G off the
// diagonal go with f or 1/f, those of Q and G on it with f² or 1/f². The coupling
// to a fictitious state keeps a state without any from growing for ever.
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

// reachable is the test of Popov, Belevitch and Hautus on every mode λ that is not
// stable by itself: [A - λI, B] and [Aᵀ - λI, Q] must have full rank. tol is the
// smallest singular value, relative to the largest, that counts.
func (e *equation) reachable(tol float64) error {
	modes, err := Eigenvalues(e.a)
	if err != nil {
		return err
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
		lost := e.seen(l)
		switch {
		case fullRank(e.a, e.b, l, tol) && fullRank(e.a.T(), e.q, l, tol):
		case fullRank(e.a, e.b, l, tol):
			return fmt.Errorf("mode %s %s", lost, [2]string{"is not seen by the weight Q: not detectable", "is not driven by the noise W: not stabilisable"}[bit(e.dual)])
		default:
			return fmt.Errorf("mode %s %s", lost, [2]string{"cannot be reached by the input: not stabilisable", "is not seen by the output: not detectable"}[bit(e.dual)])
		}
	}
	return nil
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// seen writes a mode.
func (e *equation) seen(l complex128) string {
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
	shifted.Scale(-real(l), identity(n))
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
	if !svd.Factorize(w, mat.SVDNone) {
		return true // the solution is verified in the end
	}
	s := svd.Values(nil)
	return s[len(s)-1] > tol*s[0]
}

// doubled solves the balanced equation by doubling.
func (e *equation) doubled() (*mat.Dense, error) {
	g := symmetric(product(e.b, e.b.T()))
	if e.discrete {
		return double(e.a, g, e.q)
	}
	gamma, err := shift(e.a, g, e.q)
	if err != nil {
		return nil, err
	}
	return doubleContinuous(e.a, g, e.q, gamma)
}

// double iterates
//
//	W = I + G H,  A ← A W⁻¹ A,  G ← G + A W⁻¹ G Aᵀ,  H ← H + Aᵀ H W⁻¹ A
//
// from (A, G, Q): after k steps H is what 2^k steps of the Riccati recursion from
// zero give. It converges quadratically to X.
func double(a, g, q *mat.Dense) (*mat.Dense, error) {
	n, _ := a.Dims()
	h := q
	for range 60 {
		w := product(g, h)
		w.Add(w, identity(n))
		rhs := mat.NewDense(n, 2*n, nil)
		setBlock(rhs, 0, 0, a)
		setBlock(rhs, 0, n, g)
		solved, err := luSolve(w, rhs)
		if err != nil {
			return nil, fmt.Errorf("no stabilising solution: doubling broke down: %w", err)
		}
		wa, wg := block(solved, 0, 0, n, n), block(solved, 0, n, n, n)
		dh := symmetric(product(a.T(), h, wa))
		dg := symmetric(product(a, wg, a.T()))
		var nextG, nextH mat.Dense
		nextG.Add(g, dg)
		nextH.Add(h, dh)
		a, g, h = product(a, wa), &nextG, &nextH
		step, size := mat.Norm(dh, 2), mat.Norm(h, 2)
		if !finiteNumber(size) || !finiteNumber(mat.Norm(g, 2)) {
			return nil, fmt.Errorf("no stabilising solution: doubling grew without bound")
		}
		if step <= 1e-15*size {
			return h, nil
		}
	}
	return nil, fmt.Errorf("no stabilising solution: doubling did not converge")
}

// doubleContinuous takes the continuous equation to doubling's form by the Cayley
// transform z = (s+γ)/(s-γ) of its Hamiltonian matrix (Chu, Fan, Lin 2005, section 2).
// With A_γ = A - γI and W = A_γ + G A_γ⁻ᵀ Q:
//
//	A₀ = I + 2γ W⁻¹,  G₀ = 2γ A_γ⁻¹ G W⁻ᵀ,  H₀ = 2γ W⁻ᵀ Q A_γ⁻¹
func doubleContinuous(a, g, q *mat.Dense, gamma float64) (*mat.Dense, error) {
	n, _ := a.Dims()
	ag, w, err := cayley(a, g, q, gamma)
	if err != nil {
		return nil, err
	}
	var inv, invA mat.Dense
	if err := inv.Inverse(w); err != nil && !finiteNumber(mat.Norm(&inv, 2)) {
		return nil, fmt.Errorf("no stabilising solution: singular Cayley transform")
	}
	if err := invA.Inverse(ag); err != nil && !finiteNumber(mat.Norm(&invA, 2)) {
		return nil, fmt.Errorf("no stabilising solution: singular Cayley transform")
	}
	g0 := product(&invA, g, inv.T())
	h0 := product(inv.T(), q, &invA)
	g0.Scale(2*gamma, g0)
	h0.Scale(2*gamma, h0)
	inv.Scale(2*gamma, &inv)
	inv.Add(&inv, identity(n))
	return double(&inv, symmetric(g0), symmetric(h0))
}

// cayley returns A_γ and W.
func cayley(a, g, q *mat.Dense, gamma float64) (ag, w *mat.Dense, err error) {
	n, _ := a.Dims()
	ag = identity(n)
	ag.Scale(-gamma, ag)
	ag.Add(ag, a)
	aq, err := luSolve(mat.DenseCopyOf(ag.T()), q)
	if err != nil {
		return nil, nil, err
	}
	w = product(g, aq)
	w.Add(w, ag)
	return ag, w, nil
}

// shift chooses γ. Doubling starts with the closed-loop eigenvalues (λ+γ)/(λ-γ):
// of some candidates between the smallest and the largest |λ|, taken from the
// Hamiltonian matrix, the one is taken that leaves the largest of them least, unless
// its matrices are nearly singular (γ near an unstable mode of A), when the next
// best is tried.
func shift(a, g, q *mat.Dense) (float64, error) {
	n, _ := a.Dims()
	h := mat.NewDense(2*n, 2*n, nil)
	var minusG, minusQ, minusAT mat.Dense
	minusG.Scale(-1, g)
	minusQ.Scale(-1, q)
	minusAT.Scale(-1, a.T())
	setBlock(h, 0, 0, a)
	setBlock(h, 0, n, &minusG)
	setBlock(h, n, 0, &minusQ)
	setBlock(h, n, n, &minusAT)
	all, err := Eigenvalues(h)
	if err != nil {
		return 0, err
	}
	small, large := cmplx.Abs(all[0]), cmplx.Abs(all[2*n-1])
	small = max(small, 1e-12*large)
	if !(small > 0) {
		return 0, fmt.Errorf("no stabilising solution: all eigenvalues of the Hamiltonian matrix are zero")
	}
	const candidates = 33
	type candidate struct{ gamma, worst float64 }
	list := make([]candidate, candidates)
	for i := range list {
		gamma := small * math.Pow(large/small, float64(i)/(candidates-1))
		list[i] = candidate{gamma, slowest(all, gamma)}
	}
	slices.SortStableFunc(list, func(x, y candidate) int { return compareFloat(x.worst, y.worst) })
	for _, c := range list {
		if _, w, err := cayley(a, g, q, c.gamma); err == nil && conditioned(a, w, c.gamma) {
			return c.gamma, nil
		}
	}
	return list[0].gamma, nil
}

func compareFloat(x, y float64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// slowest is the largest |(λ+γ)/(λ-γ)| of the eigenvalues in the left half plane.
func slowest(lambda []complex128, gamma float64) float64 {
	worst := 0.0
	for _, l := range lambda {
		if real(l) < 0 {
			worst = max(worst, cmplx.Abs((l+complex(gamma, 0))/(l-complex(gamma, 0))))
		}
	}
	return worst
}

// conditioned wants both matrices of the transform to keep half of their digits.
func conditioned(a, w *mat.Dense, gamma float64) bool {
	n, _ := a.Dims()
	ag := identity(n)
	ag.Scale(-gamma, ag)
	ag.Add(ag, a)
	var lu mat.LU
	lu.Factorize(ag)
	first := lu.Cond()
	lu.Factorize(w)
	return first < 1e7 && lu.Cond() < 1e7
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
		return nil, fmt.Errorf("no stabilising solution: relative residual %.2g at a solution of norm %.2g: want at most %g", rel, mat.Norm(x, 2), residualLimit)
	}
	_, poles, err := e.loop(x)
	if err != nil {
		return nil, err
	}
	for _, p := range poles {
		if !e.discrete && !(real(p) < 0) || e.discrete && !(cmplx.Abs(p) < 1) {
			return nil, fmt.Errorf("no stabilising solution: closed-loop pole at %s", e.seen(p))
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
	closed.Sub(e.a, product(e.b, k))
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
	return symmetric(delta), nil
}

// residual returns AᵀX + XA - KᵀRK + Q or AᵀXA - X - Kᵀ(R + BᵀXB)K + Q, and its
// Frobenius norm relative to the sum of those of its terms.
func (e *equation) residual(x *mat.Dense) (res *mat.Dense, rel float64, err error) {
	k, err := e.gain(x)
	if err != nil {
		return nil, 0, err
	}
	first, second, s := product(e.a.T(), x), product(x, e.a), e.r
	if e.discrete {
		first = product(first, e.a)
		second.Scale(-1, x)
		s = e.inner(x)
	}
	third := product(k.T(), s, k)
	size := mat.Norm(first, 2) + mat.Norm(second, 2) + mat.Norm(third, 2) + mat.Norm(e.q, 2)
	var sum mat.Dense
	sum.Add(first, second)
	sum.Sub(&sum, third)
	sum.Add(&sum, e.q)
	norm := mat.Norm(&sum, 2)
	if norm == 0 {
		return &sum, 0, nil
	}
	return symmetric(&sum), norm / size, nil
}

// inner is R + BᵀXB.
func (e *equation) inner(x *mat.Dense) *mat.Dense {
	s := product(e.b.T(), x, e.b)
	s.Add(s, e.r)
	return symmetric(s)
}

// gain is K = R⁻¹BᵀX or (R + BᵀXB)⁻¹BᵀXA.
func (e *equation) gain(x *mat.Dense) (*mat.Dense, error) {
	bx := product(e.b.T(), x)
	if !e.discrete {
		return luSolve(e.r, bx)
	}
	return luSolve(e.inner(x), product(bx, e.a))
}

// loop returns the gain and the poles of A - B K.
func (e *equation) loop(x *mat.Dense) (k *mat.Dense, poles []complex128, err error) {
	if k, err = e.gain(x); err != nil {
		return nil, nil, err
	}
	var closed mat.Dense
	closed.Sub(e.a, product(e.b, k))
	poles, err = Eigenvalues(&closed)
	return k, poles, err
}

// luSolve returns a⁻¹ b for a matrix that needs no balancing.
func luSolve(a, b *mat.Dense) (*mat.Dense, error) {
	var lu mat.LU
	lu.Factorize(a)
	var x mat.Dense
	if err := lu.SolveTo(&x, false, b); err != nil && (x.IsEmpty() || !finiteNumber(mat.Norm(&x, 1))) {
		return nil, fmt.Errorf("singular matrix")
	}
	return &x, nil
}

// product multiplies from left to right.
func product(first mat.Matrix, rest ...mat.Matrix) *mat.Dense {
	p := mat.DenseCopyOf(first)
	for _, m := range rest {
		var next mat.Dense
		next.Mul(p, m)
		p = &next
	}
	return p
}

// symmetric returns (m + mᵀ)/2.
func symmetric(m *mat.Dense) *mat.Dense {
	var s mat.Dense
	s.Add(m, m.T())
	s.Scale(0.5, &s)
	return &s
}

func finiteNumber(x float64) bool { return x-x == 0 }
