package integrate

import (
	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/lti"
	"rths/structure"
)

// Reference is the response of the undivided structure to a ground motion
// linear between samples, exact for that motion (first-order hold): the
// reference of the benchmark's criteria. Like other leading integrators it
// shows the motion of t_k after the step of tick k.
type Reference struct {
	matrix *lti.Map
	w, y   []float64 // w = [x; ẋ; g_k; g_k+1], y = [x; ẋ] at t_k+1
	n, ng  int
	now    rths.Motion
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
	r := &Reference{matrix: lti.NewMap(m), n: n, ng: comps, w: make([]float64, n+2*comps)}
	r.y = make([]float64, r.matrix.Rows())
	r.now = rths.Motion{X: r.w[: n/2 : n/2], V: r.w[n/2 : n : n]}
	return r, nil
}

func sideBySide(a, b *mat.Dense) *mat.Dense {
	var out mat.Dense
	out.Augment(a, b)
	return &out
}

// Step advances by one sample; ground is the window of a Frame, of which the
// half step is not used.
func (r *Reference) Step(ground []float64) {
	w := r.w
	take(w[:r.n], r.y)
	for i := range r.ng {
		w[r.n+i], w[r.n+r.ng+i] = ground[i], ground[2*r.ng+i]
	}
	r.matrix.Apply(r.y, w)
}

// State is the motion where the last step started: all DOF, without
// acceleration.
func (r *Reference) State() *rths.Motion { return &r.now }

// AppendState appends the state the next step starts from.
func (r *Reference) AppendState(dst []float64) []float64 { return append(dst, r.y[:r.n]...) }

// SetState takes it.
func (r *Reference) SetState(src []float64) []float64 { return src[copy(r.y[:r.n], src):] }
