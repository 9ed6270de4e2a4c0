package integrate

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/lti"
	"rths/model/structure"
)

// AverageAcceleration is Newmark's method with β = 1/4, γ = 1/2 (constant average
// acceleration) for a linear structure, in displacement form:
//
//	(K + 4/h² M + 2/h C) U₁ = M (4/h² U₀ + 4/h V₀ + A₀) + C (2/h U₀ + V₀) − L w₁ − e f₁
//	V₁ = 2/h (U₁ − U₀) − V₀,   A₁ = 4/h² (U₁ − U₀) − 4/h V₀ − A₀
//
// Order 2, stable for any step, no numerical damping. A step goes from t_k−1 to t_k
// with ground motion and force of t_k, so the target of t_k has the force of t_k in it:
// no sample is lost (docs/reference/benchmark-multiaxial.md, Integrator).
//
// Coordinates without mass are allowed. Their accelerations have no part in the
// equations and would alternate in sign for ever (eigenvalue −1): they are neither kept
// nor shown. Not for a structure released from a displacement.
type AverageAcceleration struct{}

// Make makes the integrator.
func (*AverageAcceleration) Make(p *structure.Partition, h float64) (rths.Integrator, error) {
	if len(p.Devices) > 0 {
		return newDeviceAverage(p, h)
	}
	return newAverage(p, h)
}

// Average is the integrator: U₁ − U₀ is a constant matrix times [U; V; A; w; f], or for
// sparse matrices the solution with a band matrix.
type Average struct {
	step       interface{ Apply(d, in []float64) }
	in         []float64 // U, V, A of the coordinates with mass, w, f
	n          int
	heavy      []int // coordinates with mass
	a0, a1, a2 float64
	d          []float64 // U₁ − U₀
	u, v, a    []float64 // views of in
	g, f       []float64
	motion     rths.Motion
	at         []int // interface
	sign       []float64
}

func newAverage(p *structure.Partition, h float64) (*Average, error) {
	if err := checkPositive("average-acceleration", h); err != nil {
		return nil, err
	}
	n, forces := p.N(), len(p.Interface)
	_, actions := p.Load.Dims()
	s := &Average{n: n, heavy: heavyColumns(p), a0: 4 / (h * h), a1: 2 / h, a2: 4 / h, at: p.Interface}
	for i := range forces {
		s.sign = append(s.sign, p.SignOf(i))
	}
	if err := s.increment(p); err != nil {
		return nil, fmt.Errorf("average-acceleration: K + 4/h² M + 2/h C is singular: a coordinate with neither mass, "+
			"damping nor stiffness: %w", err)
	}
	end := 2*n + len(s.heavy)
	s.in = make([]float64, end+actions+forces)
	s.u, s.v, s.a = s.in[:n:n], s.in[n:2*n:2*n], s.in[2*n:end:end]
	s.g, s.f = s.in[end:end+actions], s.in[end+actions:]
	s.motion = rths.Motion{X: s.u, V: s.v, A: make([]float64, n)}
	return s, nil
}

// increment makes the matrix, or the solver, of U₁ − U₀.
func (s *Average) increment(p *structure.Partition) error {
	if p.Sparse != nil {
		return s.bandedIncrement(p)
	}
	_, actions := p.Load.Dims()
	right := mat.NewDense(s.n, 2*s.n+len(s.heavy)+actions+len(s.at), nil)
	s.fill(right, p)
	var left, scaled, step mat.Dense
	left.Scale(s.a0, p.M)
	scaled.Scale(s.a1, p.C)
	left.Add(&left, &scaled)
	left.Add(&left, p.K)
	if err := step.Solve(&left, right); err != nil {
		return err
	}
	increment := lti.NewMap(&step)
	s.step, s.d = increment, make([]float64, increment.Rows())
	return nil
}

// fill writes the right side for U₁ − U₀ in place of U₁:
//
//	−K U₀ + (4/h M + C) V₀ + M A₀ − L w₁ − e f₁
func (s *Average) fill(right *mat.Dense, p *structure.Partition) {
	n, m := s.n, len(s.heavy)
	_, actions := p.Load.Dims()
	for i := range n {
		row := right.RawRowView(i)
		for j := range n {
			row[j] = -p.K.At(i, j)
			row[n+j] = s.a2*p.M.At(i, j) + p.C.At(i, j)
		}
		for j, dof := range s.heavy {
			row[2*n+j] = p.M.At(i, dof)
		}
		for j := range actions {
			row[2*n+m+j] = -p.Load.At(i, j)
		}
	}
	for j, dof := range s.at {
		right.Set(dof, 2*n+m+actions+j, -s.sign[j])
	}
}

// heavyColumns are the coordinates with mass; all of sparse matrices have some.
func heavyColumns(p *structure.Partition) (at []int) {
	for j := range p.N() {
		if p.Sparse != nil || hasMass(p.M, j) {
			at = append(at, j)
		}
	}
	return at
}

func hasMass(m *mat.Dense, j int) bool {
	n, _ := m.Dims()
	for i := range n {
		if m.At(i, j) != 0 {
			return true
		}
	}
	return false
}

// Step advances from t_k−1 to t_k with ground motion and force of t_k. Its targets
// are the first of the interface coordinates, as many as target has.
func (s *Average) Step(target *rths.Motion, ground []float64, felt *rths.Reading) {
	s.advance(ground, felt.F)
	for i := range target.X {
		target.X[i] = s.sign[i] * s.u[s.at[i]]
	}
}

func (s *Average) advance(ground, force []float64) {
	take(s.g, ground)
	take(s.f, force)
	s.step.Apply(s.d, s.in)
	s.move()
}

// move goes on by the increment.
func (s *Average) move() {
	for i, dof := range s.heavy {
		s.a[i] = s.a0*s.d[dof] - s.a2*s.v[dof] - s.a[i]
	}
	d := s.d[:s.n]
	for i, v := range s.v {
		s.u[i] += d[i]
		s.v[i] = s.a1*d[i] - v
	}
}

// Derive gives velocities and accelerations of the target; accelerations of
// coordinates without mass stay 0.
func (s *Average) Derive(target *rths.Motion) {
	for i, dof := range s.heavy {
		s.motion.A[dof] = s.a[i]
	}
	for i := range target.V {
		target.V[i] = s.sign[i] * s.v[s.at[i]]
		target.A[i] = s.sign[i] * s.motion.A[s.at[i]]
	}
}

// Closing is true: the step ends at the instant of the force.
func (s *Average) Closing() bool { return true }

// State is the motion of all coordinates at t_k. A is of the last call of Derive.
func (s *Average) State() *rths.Motion { return &s.motion }

// VisitState visits U, V and A of the coordinates with mass.
func (s *Average) VisitState(v *rths.StateVisitor) { v.Floats(s.in[:2*s.n+len(s.heavy)]) }

// AverageReference is the response of a structure by the same method, undivided or with
// the specimen joined: the references of the multi-axial benchmark. The first ground
// sample acts at t_0, as in the benchmark.
type AverageReference struct{ s *Average }

// NewAverageReference makes the reference for the step h (s). Forces of an
// interface are taken for zero.
func NewAverageReference(p *structure.Partition, h float64) (*AverageReference, error) {
	alone := *p
	alone.Interface, alone.Sign = nil, nil
	s, err := newAverage(&alone, h)
	if err != nil {
		return nil, err
	}
	return &AverageReference{s}, nil
}

// Step advances to the instant of the window.
func (r *AverageReference) Step(ground []float64) { r.s.advance(ground, nil) }

// State is the motion of all coordinates at that instant, without acceleration.
func (r *AverageReference) State() *rths.Motion { return &r.s.motion }

// VisitState visits the state the next step starts from.
func (r *AverageReference) VisitState(v *rths.StateVisitor) { r.s.VisitState(v) }
