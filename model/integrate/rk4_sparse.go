package integrate

import (
	"math"
	"math/cmplx"

	"rths"
	"rths/model/structure"
)

// SparseRK4 is RK4 on a numerical part too large for the matrix of a step: its four
// stages one after the other, each with one product with the sparse stiffness. Masses
// are lumped, so that nothing is solved. The state is [x; ẋ].
type SparseRK4 struct {
	p      *sparsePart
	h      float64
	x, v   []float64    // at t_k+1
	dx, dv [4][]float64 // ẋ and ẍ of the stages
	xs, r  []float64    // displacements of a stage; M ẍ
	g, f   []float64    // the inputs, g at three instants
	now    rths.Motion
}

func newSparseRK4(part *structure.Partition, h float64) (*SparseRK4, error) {
	if err := checkSparseStep("rk4", part.Sparse, h, rk4Growth); err != nil {
		return nil, err
	}
	n := part.N()
	s := &SparseRK4{p: newSparsePart(part), h: h, now: rths.NewMotion(n)}
	for _, to := range []*[]float64{&s.x, &s.v, &s.xs, &s.r} {
		*to = make([]float64, n)
	}
	for i := range s.dx {
		s.dx[i], s.dv[i] = make([]float64, n), make([]float64, n)
	}
	s.g, s.f = make([]float64, 3*len(s.p.load)), make([]float64, len(part.Interface))
	return s, nil
}

// Step advances by one sample with the force of felt held, and gives the
// displacements of the target. It uses nothing else of felt.
func (s *SparseRK4) Step(target *rths.Motion, ground []float64, felt *rths.Reading) {
	take(s.g, ground)
	take(s.f, felt.F)
	copy(s.now.X, s.x)
	copy(s.now.V, s.v)
	h, comps := s.h, len(s.p.load)
	s.stage(0, 0, s.g[:comps])
	s.stage(1, h/2, s.g[comps:2*comps])
	s.stage(2, h/2, s.g[comps:2*comps])
	s.stage(3, h, s.g[2*comps:])
	for i := range s.x {
		s.x[i] += h / 6 * (s.dx[0][i] + 2*s.dx[1][i] + 2*s.dx[2][i] + s.dx[3][i])
		s.v[i] += h / 6 * (s.dv[0][i] + 2*s.dv[1][i] + 2*s.dv[2][i] + s.dv[3][i])
	}
	for i, d := range s.p.iface {
		target.X[i] = s.x[d]
	}
}

// stage finds ẋ and ẍ at x + a dx, ẋ + a dv of the stage before.
func (s *SparseRK4) stage(k int, a float64, w []float64) {
	dx := s.dx[k]
	copy(s.xs, s.x)
	copy(dx, s.v)
	if k > 0 {
		for i := range dx {
			s.xs[i] += a * s.dx[k-1][i]
			dx[i] += a * s.dv[k-1][i]
		}
	}
	s.accelerate(s.dv[k], s.xs, dx, w)
}

// accelerate sets dv = M⁻¹ (−L w − e f − C v − K x).
func (s *SparseRK4) accelerate(dv, x, v, w []float64) {
	s.p.balance(dv, x, v, w, s.f)
	for i, m := range s.p.M {
		dv[i] /= m
	}
}

// Derive gives accelerations of the state shown, and velocities and accelerations of
// the target of the step just made, with the force held to its end.
func (s *SparseRK4) Derive(target *rths.Motion) {
	copy(s.now.A, s.dv[0])
	s.accelerate(s.r, s.x, s.v, s.g[2*len(s.p.load):])
	for i, d := range s.p.iface {
		target.V[i], target.A[i] = s.v[d], s.r[d]
	}
}

// Start begins a run at t_0 away from rest, before the first step: all DOF are
// released from the displacements x (m).
func (s *SparseRK4) Start(x, _ []float64) error {
	copy(s.x, x)
	clear(s.v)
	return nil
}

// Closing is false: the step leads from t_k to t_k+1 with the force of t_k.
func (s *SparseRK4) Closing() bool { return false }

// State is the motion of all DOF where the last step started; A is of the last
// call of Derive.
func (s *SparseRK4) State() *rths.Motion { return &s.now }

// VisitState visits the state at t_k+1, which the next step starts from.
func (s *SparseRK4) VisitState(v *rths.StateVisitor) { v.Floats(s.x, s.v) }

// checkSparseStep is checkStep of a numerical part without dense matrices. With
// Rayleigh damping its eigenvalues λ lie on the curve
//
//	λ² + (d + A1 ω²) λ + ω² = 0,   0 ≤ ω ≤ the highest frequency
//
// with the same d = C_ii/M_ii everywhere. Where the d differ, as where a specimen's
// dashpot was taken out, the λ lie between the curves of the smallest and the largest
// of them: the limit is then on the safe side.
func checkSparseStep(method string, s *structure.Sparse, h float64, growth func(q complex128) float64) error {
	top, err := s.Highest()
	if err != nil {
		return err
	}
	low, high := math.Inf(1), math.Inf(-1)
	for i, m := range s.M {
		d := s.C[i] / m
		low, high = min(low, d), max(high, d)
	}
	var poles []complex128
	const along = 200 // points of a curve
	for i := range along + 1 {
		square := top * top * float64(i) / along
		for _, d := range []float64{low, high} {
			half := (d + s.A1*square) / 2
			root := cmplx.Sqrt(complex(half*half-square, 0))
			poles = append(poles, complex(-half, 0)+root, complex(-half, 0)-root)
		}
	}
	return checkPoles(method, h, poles, growth)
}
