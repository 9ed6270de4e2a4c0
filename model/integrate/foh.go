package integrate

import (
	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/lti"
	"rths/model/structure"
)

// Reference is the response of the undivided structure to a ground motion
// linear between samples, exact for that motion (first-order hold): the
// reference of the benchmark's criteria. Like other leading integrators it
// shows the motion of t_k after the step of tick k.
type Reference struct {
	z         *lti.Recursion // states x and ẋ or the increment of x, inputs g_k, g_k+1
	now, next []float64      // the inputs
	rates     *lti.Map       // ẋ of the states
	v         []float64
	motion    rths.Motion
	back      *mat.Dense // of [x; ẋ] over the recursion's state
	step      *mat.Dense // of the recursion
}

// NewReference makes the reference of a structure for the step h (s).
func NewReference(s *structure.Structure, h float64) (*Reference, error) {
	f, err := newFirstOrder(s.Undivided())
	if err != nil {
		return nil, err
	}
	phi, g0, g1, err := lti.FOHInputs(f.a, f.g, h)
	if err != nil {
		return nil, err
	}
	n, _ := phi.Dims()
	_, comps := g0.Dims()
	m := mat.NewDense(n, n+2*comps, nil)
	m.Augment(phi, sideBySide(g0, g1))
	m, back := lti.Increments(m, n)
	r := &Reference{step: m, back: back, z: lti.NewRecursion(m, n), rates: lti.NewMap(back.Slice(n/2, n, 0, n))}
	r.now, r.next = r.z.U[:comps], r.z.U[comps:]
	r.v = make([]float64, r.rates.Rows())
	r.motion = rths.Motion{X: r.z.In[: n/2 : n/2], V: r.v[: n/2 : n/2]}
	return r, nil
}

func sideBySide(a, b *mat.Dense) *mat.Dense {
	var out mat.Dense
	out.Augment(a, b)
	return &out
}

// Start releases the structure from rest at the displacements x (m) at t_0.
func (r *Reference) Start(x []float64) error {
	z, err := incremented(append(append([]float64(nil), x...), make([]float64, len(x))...), r.back)
	copy(r.z.State(), z)
	return err
}

// Step advances by one sample; ground is the window of a Frame, of which the
// half step is not used.
func (r *Reference) Step(ground []float64) {
	take(r.now, ground)
	take(r.next, ground[2*len(r.now):])
	r.z.Step()
}

// State is the motion where the last step started: all DOF, without
// acceleration. Each call computes V anew.
func (r *Reference) State() *rths.Motion {
	r.rates.Apply(r.v, r.z.In[:len(r.z.State())])
	return &r.motion
}

// AppendModel appends all that the response hangs on beside the ground motion: the state, and
// the matrix of a step.
func (r *Reference) AppendModel(dst []float64) []float64 {
	return append(rths.AppendState(dst, r), r.step.RawMatrix().Data...)
}

// VisitState visits the state the next step starts from.
func (r *Reference) VisitState(v *rths.StateVisitor) { v.Floats(r.z.State()) }
