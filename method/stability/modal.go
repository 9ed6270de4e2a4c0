package stability

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rths/maths/lti"
)

// Equivalent are the mass, damping and stiffness of the hybrid system after Gao
// and You (2019), with an amplitude factor Δ and a delay δ (s) for every mode of
// the undivided structure (paper 001, eqs 7.22–7.24):
//
//	M_eq = Mn + (Me Δ − Ce Δ δ)            each between Φ … Φ⁻¹
//	C_eq = Cn + (Me Δ ω² δ + Ce Δ − Ke Δ δ)
//	K_eq = Kn + Ke Δ
//
// The delayed motion is expanded to first order in δ, with x‴ = −ω² x′: good while
// ωδ is small against 1 for all modes that matter.
func (h *Hybrid) Equivalent(amplitude, delay []float64) (m, c, k *mat.Dense, err error) {
	whole := h.Whole()
	if len(amplitude) != whole.N || len(delay) != whole.N {
		return nil, nil, nil, fmt.Errorf("modal method: %d amplitudes and %d delays: want %d, one per mode", len(amplitude),
			len(delay), whole.N)
	}
	modes, err := whole.Modes()
	if err != nil {
		return nil, nil, nil, fmt.Errorf("modal method: undivided structure: %w", err)
	}
	phi := mat.NewDense(whole.N, whole.N, nil)
	for j, mode := range modes {
		phi.SetCol(j, mode.Shape)
	}
	// As φᵀ M φ = I, Φ⁻¹ is Φᵀ M.
	var inverse mat.Dense
	inverse.Mul(phi.T(), whole.M)
	// row is the interface's row of Φ diag(d) Φ⁻¹: the only one Me, Ce, Ke see.
	row := func(d func(j int) float64) []float64 {
		out := make([]float64, whole.N)
		for j := range whole.N {
			for i := range out {
				out[i] += phi.At(h.DOF, j) * d(j) * inverse.At(j, i)
			}
		}
		return out
	}
	gain := row(func(j int) float64 { return amplitude[j] })
	late := row(func(j int) float64 { return amplitude[j] * delay[j] })
	jerk := row(func(j int) float64 { return amplitude[j] * modes[j].Omega * modes[j].Omega * delay[j] })
	m, c, k = mat.DenseCopyOf(h.M), mat.DenseCopyOf(h.C), mat.DenseCopyOf(h.K)
	for i := range whole.N {
		m.Set(h.DOF, i, m.At(h.DOF, i)+h.Me*gain[i]-h.Ce*late[i])
		c.Set(h.DOF, i, c.At(h.DOF, i)+h.Me*jerk[i]+h.Ce*gain[i]-h.Ke*late[i])
		k.Set(h.DOF, i, k.At(h.DOF, i)+h.Ke*gain[i])
	}
	return m, c, k, nil
}

// ModalGrowth is the largest real part (1/s) of the eigenvalues of the state matrix A_eq
// (7.25), with its circular frequency (rad/s). The system is stable if growth < 0.
func (h *Hybrid) ModalGrowth(amplitude, delay []float64) (growth, omega float64, err error) {
	m, c, k, err := h.Equivalent(amplitude, delay)
	if err != nil {
		return 0, 0, err
	}
	a, err := stateMatrix(m, c, k)
	if err != nil {
		return math.Inf(1), 0, nil // M_eq is singular: a root at infinity is changing sides
	}
	v, err := lti.Eigenvalues(a)
	if err != nil {
		return 0, 0, fmt.Errorf("modal method: %w", err)
	}
	growth = math.Inf(-1)
	for _, s := range v {
		if real(s) > growth {
			growth, omega = real(s), math.Abs(imag(s))
		}
	}
	return growth, omega, nil
}

// modalSteps is how many delays are tried between 0 and the longest one.
const modalSteps = 100

// CriticalModal is the smallest delay (s), equal in all modes and without amplitude error
// (Δ = I), at which A_eq has an eigenvalue with positive real part (7.26): the first of
// 100 delays up to longest (s), then bisection; +Inf if there is none.
func (h *Hybrid) CriticalModal(longest float64) (Critical, error) {
	n, _ := h.M.Dims()
	ones, delays := make([]float64, n), make([]float64, n)
	grows := func(tau float64) (bool, float64, error) {
		for i := range n {
			ones[i], delays[i] = 1, tau
		}
		growth, omega, err := h.ModalGrowth(ones, delays)
		return growth > 0, omega, err
	}
	low, high := 0.0, math.Inf(1)
	for k := 1; k <= modalSteps; k++ {
		tau := longest * float64(k) / modalSteps
		bad, _, err := grows(tau)
		if err != nil {
			return Critical{}, err
		}
		if bad {
			high = tau
			break
		}
		low = tau
	}
	if math.IsInf(high, 1) {
		return none, nil
	}
	for range 50 {
		mid := (low + high) / 2
		bad, _, err := grows(mid)
		if err != nil {
			return Critical{}, err
		}
		if bad {
			high = mid
		} else {
			low = mid
		}
	}
	_, omega, err := grows(high)
	return Critical{Delay: high, Omega: omega}, err
}
