package structure

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Mode is one undamped mode of vibration.
type Mode struct {
	FreqHz float64
	Omega  float64   // rad/s
	Shape  []float64 // normalised to φᵀMφ = 1
	Ratio  float64   // damping ratio φᵀCφ / 2ω; NaN where ω is 0
}

// Modes solves K φ = ω² M φ, lowest frequency first. It needs a mass at every
// degree of freedom.
func (s *Structure) Modes() ([]Mode, error) {
	if s.Sparse != nil {
		return nil, wantDense("modes", s.N)
	}
	omega, phi, err := eigen(s.M, s.K)
	if err != nil {
		return nil, err
	}
	modes := make([]Mode, s.N)
	var cphi mat.VecDense
	for i := range modes {
		shape := mat.Col(nil, i, phi)
		v := mat.NewVecDense(s.N, shape)
		cphi.MulVec(s.C, v)
		modes[i] = Mode{FreqHz: omega[i] / (2 * math.Pi), Omega: omega[i], Shape: shape, Ratio: math.NaN()}
		if omega[i] > 0 {
			modes[i].Ratio = mat.Dot(v, &cphi) / (2 * omega[i])
		}
	}
	return modes, nil
}

// eigen solves K φ = ω² M φ by the Cholesky factor of M = L Lᵀ: the standard
// problem of L⁻¹ K L⁻ᵀ, with φ = L⁻ᵀ y. An ω² within the rounding of the
// largest counts as a rigid-body mode, ω = 0.
func eigen(m, k *mat.Dense) (omega []float64, phi *mat.Dense, err error) {
	n, _ := m.Dims()
	var chol mat.Cholesky
	if !chol.Factorize(symmetric(m)) {
		return nil, nil, errors.New(whySingular(m))
	}
	var l mat.TriDense
	chol.LTo(&l)
	var a mat.Dense
	if err := a.Solve(&l, k); err != nil {
		return nil, nil, fmt.Errorf("modes: %w", err)
	}
	if err := a.Solve(&l, mat.DenseCopyOf(a.T())); err != nil {
		return nil, nil, fmt.Errorf("modes: %w", err)
	}
	var e mat.EigenSym
	if !e.Factorize(symmetric(&a), true) {
		return nil, nil, errors.New("modes: the eigenvalue iteration did not converge")
	}
	omega = e.Values(nil)
	zero := 16 * float64(n) * epsilon * max(omega[n-1], -omega[0])
	for i, v := range omega {
		omega[i] = 0
		if v > zero {
			omega[i] = math.Sqrt(v)
		}
	}
	var y mat.Dense
	e.VectorsTo(&y)
	phi = mat.NewDense(n, n, nil)
	if err := phi.Solve(l.T(), &y); err != nil {
		return nil, nil, fmt.Errorf("modes: %w", err)
	}
	return omega, phi, nil
}

const epsilon = 0x1p-52

// whySingular names the first coordinate without mass, if there is one.
func whySingular(m *mat.Dense) string {
	n, _ := m.Dims()
	for i := range n {
		if m.At(i, i) <= 0 {
			return fmt.Sprintf("singular mass matrix: degree of freedom %d has mass %g kg: want more than 0", i+1, m.At(i, i))
		}
	}
	return "singular mass matrix: want a positive definite one"
}

func symmetric(m mat.Matrix) *mat.SymDense {
	n, _ := m.Dims()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, (m.At(i, j)+m.At(j, i))/2)
		}
	}
	return s
}
