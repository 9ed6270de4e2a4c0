// Package stability says before a test how much delay its loop tolerates: the
// critical delay of a partition (exact, by Padé approximations, and by the modal
// method of Gao and You), and the margins of a loop with a given transfer system
// and compensator (paper 001, chapter 5 and section 7.4; paper 002, section 2.2).
// During a test its observers watch energies and tracking (Energies, Synchrony).
//
// Delays are in s, frequencies in rad/s unless a name says Hz.
package stability

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/lti"
	"rths/model/structure"
)

// Hybrid is a structure in two parts: a numerical part M, C, K (kg, N·s/m, N/m)
// and a specimen Me, Ce, Ke at its degree of freedom DOF (from 0), which follows the
// numerical part with a delay τ:
//
//	M ẍ(t) + C ẋ(t) + K x(t) + e [Me ẍ + Ce ẋ + Ke x](t − τ) = 0
//
// It has neither load nor actuator dynamics: only the effect of the delay on stability.
type Hybrid struct {
	M, C, K    *mat.Dense
	DOF        int
	Me, Ce, Ke float64
}

// NewHybrid is a partition with its linear specimen.
func NewHybrid(p *structure.Partition, me, ce, ke float64) (*Hybrid, error) {
	if len(p.Interface) != 1 {
		return nil, fmt.Errorf("critical delay: %d interface coordinates: want 1", len(p.Interface))
	}
	h := &Hybrid{M: p.M, C: p.C, K: p.K, DOF: p.Interface[0], Me: me, Ce: ce, Ke: ke}
	for _, v := range []float64{me, ce, ke} {
		if !rths.Finite(v) {
			return nil, fmt.Errorf("critical delay: specimen of %g kg, %g N·s/m, %g N/m: want finite numbers", me, ce, ke)
		}
	}
	if _, err := p.InverseMass(); err != nil {
		return nil, fmt.Errorf("critical delay: %w", err)
	}
	return h, nil
}

// SDOF is a system of one degree of freedom, n numerical and e experimental.
func SDOF(mn, cn, kn, me, ce, ke float64) *Hybrid {
	one := func(v float64) *mat.Dense { return mat.NewDense(1, 1, []float64{v}) }
	return &Hybrid{M: one(mn), C: one(cn), K: one(kn), Me: me, Ce: ce, Ke: ke}
}

// Whole is the undivided structure: both parts without delay.
func (h *Hybrid) Whole() *structure.Structure {
	n, _ := h.M.Dims()
	add := func(a *mat.Dense, v float64) *mat.Dense {
		out := mat.DenseCopyOf(a)
		out.Set(h.DOF, h.DOF, out.At(h.DOF, h.DOF)+v)
		return out
	}
	return &structure.Structure{N: n, M: add(h.M, h.Me), C: add(h.C, h.Ce), K: add(h.K, h.Ke), Gamma: structure.Ones(n)}
}

// Loop is L(s) = g(s) E(s) with the receptance g of the numerical part at the
// interface and E = Me s² + Ce s + Ke of the specimen, so that 1 + L(s) e^{−sτ}
// has the roots of the hybrid system. (For one degree of freedom L = E/N, paper
// 001 eqs 5.5 and 5.7.) L has the poles of the numerical part, and the zeros of the
// specimen and of the numerical part held at the interface.
func (h *Hybrid) Loop() (lti.ZPK, error) {
	poles, err := roots(h.M, h.C, h.K)
	if err != nil {
		return lti.ZPK{}, fmt.Errorf("critical delay: numerical part: %w", err)
	}
	zeros, err := lti.Roots([]float64{h.Me, h.Ce, h.Ke})
	if err != nil {
		return lti.ZPK{},
			errors.New("critical delay: the specimen has neither mass, damping nor stiffness: it feeds nothing back")
	}
	gain, err := h.highGain()
	if err != nil {
		return lti.ZPK{}, err
	}
	held, err := h.Zeros()
	if err != nil {
		return lti.ZPK{}, err
	}
	return lti.NewZPK(append(zeros, held...), poles, gain, 0)
}

// highGain is the first coefficient of E other than 0, times the coefficient of s⁻² in g,
// the interface's entry of the inverse mass matrix.
func (h *Hybrid) highGain() (float64, error) {
	var inv mat.Dense
	if err := inv.Inverse(h.M); err != nil {
		return 0, fmt.Errorf("critical delay: mass matrix of the numerical part: %w", err)
	}
	for _, c := range []float64{h.Me, h.Ce, h.Ke} {
		if c != 0 {
			return c * inv.At(h.DOF, h.DOF), nil
		}
	}
	return 0, errors.New("critical delay: the specimen feeds nothing back")
}

// MassRatio is |L| at infinite frequency, Me (M⁻¹)_dd: for one degree of freedom the
// specimen's mass over the numerical part's. From 1 on, every delay is unstable, however
// short, because the equation delays the acceleration (it is neutral).
func (h *Hybrid) MassRatio() (float64, error) {
	if h.Me == 0 {
		return 0, nil
	}
	return h.highGain()
}

// roots are the roots of det(M s² + C s + K).
func roots(m, c, k *mat.Dense) ([]complex128, error) {
	a, err := stateMatrix(m, c, k)
	if err != nil {
		return nil, err
	}
	return lti.Eigenvalues(a)
}

// stateMatrix is [0 I; −M⁻¹K −M⁻¹C].
func stateMatrix(m, c, k mat.Matrix) (*mat.Dense, error) {
	n, _ := m.Dims()
	var mk, mc mat.Dense
	if err := mk.Solve(m, k); err != nil {
		return nil, fmt.Errorf("mass matrix: %w", err)
	}
	if err := mc.Solve(m, c); err != nil {
		return nil, fmt.Errorf("mass matrix: %w", err)
	}
	a := mat.NewDense(2*n, 2*n, nil)
	for i := range n {
		a.Set(i, n+i, 1)
		for j := range n {
			a.Set(n+i, j, -mk.At(i, j))
			a.Set(n+i, n+j, -mc.At(i, j))
		}
	}
	return a, nil
}

// without is the matrix less a row and column.
func without(a *mat.Dense, dof int) *mat.Dense {
	n, _ := a.Dims()
	out := mat.NewDense(n-1, n-1, nil)
	for i := range n - 1 {
		for j := range n - 1 {
			out.Set(i, j, a.At(past(i, dof), past(j, dof)))
		}
	}
	return out
}

func past(i, dof int) int {
	if i >= dof {
		return i + 1
	}
	return i
}
