package lti

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

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
// A continuous regulator ignores sampling: discretise first (C2D), unless the sample time
// is far below the closed loop's time constants.
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
	e := &equation{a: mat.DenseCopyOf(a.T()), b: mat.DenseCopyOf(c.T()), q: Symmetric(Product(g, w, g.T())), r: v,
		discrete: dt > 0, dual: true}
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
		s.Add(Product(c, p, c.T()), v)
		lt, err := luSolve(&s, Product(c, p))
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
