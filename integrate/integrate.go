// Package integrate advances the numerical substructure
//
//	M ẍ + C ẋ + K x = −M Γ a_g − e f
//
// by one sample. A one-step method applied to this linear system is a constant
// matrix: it is computed once, when the integrator is made, and a step is one
// matrix–vector product. Each method is written down as the method itself, a
// function of the step's inputs; its matrix is what the method does to unit
// vectors.
package integrate

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/lti"
	"rths/structure"
)

// Maker is the maker interface of the table Kinds: it makes the integrator of
// a numerical part p for the step h (s).
type Maker interface {
	Make(p *structure.Partition, h float64) (rths.Integrator, error)
}

// Kinds is the table of integrators.
var Kinds = []rths.Kind[Maker]{
	{
		Name: "rk4", Doc: "classical Runge–Kutta of order 4, force held over the step",
		Ref:      "Silva et al. 2020 (ode4); Ning et al. 2020, section 2.5",
		Defaults: func() Maker { return &RK4{} },
	},
	{
		Name: "central-difference", Doc: "central difference with full damping matrix, order 2",
		Ref:      "Wang et al. 2020, section 3; Chopra, Dynamics of Structures, ch. 5",
		Defaults: func() Maker { return &CentralDifference{} },
	},
}

// input is what a step of a method is a linear function of.
type input struct {
	z     []float64    // the method's state at t_k
	g     [3][]float64 // ground acceleration at t_k, t_k + h/2, t_k+1, by components
	force []float64    // interface forces, held over the step
}

// output is what a step yields.
type output struct {
	z      []float64   // state at t_k+1; its first entries are the displacements
	v, a   []float64   // velocity and acceleration of all DOF at t_k
	target rths.Motion // of all DOF at t_k+1
}

// method is one step of a one-step method for a linear system. The state
// begins with the displacements of all DOF.
type method interface {
	states() int
	step(in *input) *output
}

// OneStep is a one-step method as a matrix: [z'; v or a; …] = M [z; g; f].
type OneStep struct {
	matrix     *lti.Map
	w, y       []float64 // w = [z; g; f], y = [z'; …]
	nz, ng     int
	now        rths.Motion // all DOF at t_k: views of w and y
	tx, tv, ta []int       // places in y of the target's motion
}

// rows collects the rows of the matrix; places are indices of y.
type rows struct{ list [][]float64 }

func (r *rows) add(list ...[]float64) (first int) {
	first = len(r.list)
	r.list = append(r.list, list...)
	return first
}

// place is where the row stands, added if it is not there yet: displacement
// and velocity of the target usually are parts of the next state.
func (r *rows) place(row []float64) int {
	if at := slices.IndexFunc(r.list, func(have []float64) bool { return slices.Equal(have, row) }); at >= 0 {
		return at
	}
	return r.add(row)
}

// newOneStep builds the matrix by applying the method to unit vectors, and
// finds a place in w or y for every quantity.
func newOneStep(m method, p *structure.Partition) *OneStep {
	_, comps := p.Load.Dims()
	n, nz, ng := p.N(), m.states(), 3*comps
	nw := nz + ng + len(p.Interface)
	columns := make([]*output, nw)
	for j := range columns {
		columns[j] = m.step(unit(j, nz, comps, len(p.Interface)))
	}
	r := &rows{}
	row := func(of func(*output) float64) []float64 {
		out := make([]float64, nw)
		for j, c := range columns {
			out[j] = of(c)
		}
		return out
	}
	for i := range nz {
		r.add(row(func(o *output) float64 { return o.z[i] }))
	}
	var vel, acc [][]float64
	for i := range n {
		vel = append(vel, row(func(o *output) float64 { return o.v[i] }))
		acc = append(acc, row(func(o *output) float64 { return o.a[i] }))
	}
	o := &OneStep{w: make([]float64, nw), nz: nz, ng: ng}
	inState := nz >= 2*n && isUnit(vel, n)
	vAt := n
	if !inState {
		vAt = r.add(vel...)
	}
	aAt := r.add(acc...)
	for _, d := range p.Interface {
		o.tx = append(o.tx, r.place(row(func(o *output) float64 { return o.target.X[d] })))
		o.tv = append(o.tv, r.place(row(func(o *output) float64 { return o.target.V[d] })))
		o.ta = append(o.ta, r.place(row(func(o *output) float64 { return o.target.A[d] })))
	}
	o.matrix = lti.NewMap(stack(r.list))
	o.y = make([]float64, o.matrix.Rows())
	o.now = rths.Motion{X: o.w[:n:n], A: o.y[aAt : aAt+n : aAt+n]}
	if o.now.V = o.y[vAt : vAt+n : vAt+n]; inState {
		o.now.V = o.w[vAt : vAt+n : vAt+n]
	}
	return o
}

// isUnit reports whether the rows pick the entries at, at+1, … of w.
func isUnit(list [][]float64, at int) bool {
	for i, row := range list {
		for j, v := range row {
			if (j == at+i) != (v == 1) || j != at+i && v != 0 {
				return false
			}
		}
	}
	return true
}

func stack(list [][]float64) *mat.Dense {
	m := mat.NewDense(len(list), len(list[0]), nil)
	for i, row := range list {
		m.SetRow(i, row)
	}
	return m
}

// unit is the input that is 1 at place j of w and 0 elsewhere.
func unit(j, nz, comps, forces int) *input {
	w := make([]float64, nz+3*comps+forces)
	w[j] = 1
	in := &input{z: w[:nz], force: w[nz+3*comps:]}
	for i := range in.g {
		in.g[i] = w[nz+i*comps : nz+(i+1)*comps]
	}
	return in
}

// Step advances by one sample with the force of felt held. It uses nothing
// else of felt.
func (o *OneStep) Step(target *rths.Motion, ground []float64, felt *rths.Reading) {
	w, y := o.w, o.y
	copy(w[:o.nz], y)
	copy(w[o.nz:o.nz+o.ng], ground)
	copy(w[o.nz+o.ng:], felt.F)
	o.matrix.Apply(y, w)
	for i, at := range o.tx {
		target.X[i], target.V[i], target.A[i] = y[at], y[o.tv[i]], y[o.ta[i]]
	}
}

// Closing is false: the step leads from t_k to t_k+1 with the force of t_k.
func (o *OneStep) Closing() bool { return false }

// State is the motion of all DOF where the last step started.
func (o *OneStep) State() *rths.Motion { return &o.now }

// AppendState appends the state at t_k+1, which the next step starts from.
func (o *OneStep) AppendState(dst []float64) []float64 { return append(dst, o.y[:o.nz]...) }

// SetState takes it.
func (o *OneStep) SetState(src []float64) []float64 { return src[copy(o.y[:o.nz], src):] }
