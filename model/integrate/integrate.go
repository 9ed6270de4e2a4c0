// Package integrate advances the numerical substructure
//
//	M ẍ + C ẋ + K x = −L w − e f
//
// by one sample. The actions w are the components of the ground acceleration (columns M Γ
// of L, with M of the whole structure) and force histories. Each method is written as a
// function of the step's inputs. The function is linear, so the integrator applies it to
// unit vectors once and keeps the matrix: a step is one matrix–vector product. Large
// structures with sparse matrices are stepped by Banded. TwoRate makes main steps of
// several samples and predicts the displacement that is not yet integrated.
package integrate

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/lti"
	"rths/model/structure"
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
	{
		Name: "newmark-explicit", Doc: "Newmark's method with β = 0, γ = 1/2, order 2",
		Ref:      "Newmark 1959; Zhu et al. 2014, section 3",
		Defaults: func() Maker { return &NewmarkExplicit{} },
	},
	{
		Name: "average-acceleration",
		Doc: "Newmark's method with β = 1/4, γ = 1/2: stable for any step, closing, coordinates without mass " +
			"allowed, order 2",
		Ref:      "Newmark 1959; Condori Uribe et al. 2023, benchmark package",
		Defaults: func() Maker { return &AverageAcceleration{} },
	},
	{
		Name: "cr", Doc: "CR: explicit displacement and velocity, stable for any step, displacement of order 2, velocity " +
			"half a step late, of order 1",
		Ref:      "Chen and Ricles 2008; Zhu et al. 2014, eqs 2–4",
		Defaults: func() Maker { return &CR{} },
	},
	{
		Name: "gui", Doc: "Gui-λ: the family of explicit methods that CR belongs to, displacement of order 2, velocity " +
			"half a step late, of order 1",
		Ref:      "Gui et al. 2014; Zhu et al. 2014, eqs 2–4",
		Defaults: func() Maker { return &Gui{Lambda: 11.5} },
	},
	{
		Name: "kr-alpha", Doc: "KR-α: explicit, stable for any step, with numerical damping of high modes, order 2",
		Ref:      "Kolay and Ricles 2014",
		Defaults: func() Maker { return &KRAlpha{RhoInf: 0.75} },
	},
	{
		Name: "mkr-alpha", Doc: "MKR-α: KR-α with less overshoot of high modes that begin with a velocity, order 2",
		Ref:      "Kolay and Ricles 2019; Malik et al. 2025, eqs 4–10, with β = ½ (½ + γ)",
		Defaults: func() Maker { return &MKRAlpha{RhoInf: 0.75} },
	},
}

// Slow are integrators of slow tests alone: the target is not the displacement that they come to, or a step has
// several.
var Slow = []rths.Kind[Maker]{
	{
		Name: "alpha-os",
		Doc: "α-operator-splitting: implicit numerical part, explicit specimen corrected with its initial stiffness, or some " +
			"iterations in a slow test, order 2",
		Ref:      "Nakashima et al. 1990; Combescure and Pegon 1997; Shing, Vannan and Cater 1991",
		Defaults: func() Maker { return &AlphaOS{Iterations: 1} },
	},
}

// Holder is a maker of integrators that hold the force over the step: the force's work
// in a step is f[k] (x[k+1] − x[k]). With average acceleration the trapezoidal rule of the
// work balances the energies, with all others see Lagger.
type Holder interface{ HoldsForce() }

// Lagger is a maker of integrators of the Gui-λ family, whose limit λ = +Inf are central differences.
// They balance energies with the velocity half a step late (see stability.Energies).
type Lagger interface{ FamilyLambda() float64 }

// Starter is an integrator that can begin away from rest: Start comes before the first step.
type Starter interface {
	Start(x, force []float64) error
}

// input has the quantities that a step of a method is linear in.
type input struct {
	z     []float64    // the method's state at t_k
	g     [3][]float64 // actions at t_k, t_k + h/2, t_k+1
	force []float64    // interface forces, held over the step
}

// output is the result of a step.
type output struct {
	z      []float64   // state at t_k+1; it begins with the displacements of all DOF
	v, a   []float64   // velocity and acceleration of all DOF at t_k
	target rths.Motion // of all DOF at t_k+1
}

// method is one step of a one-step method for a linear system. The state
// begins with the displacements of all DOF.
type method interface {
	states() int
	step(in *input) *output
	// start is the state of all DOF held at x while the interface forces act.
	start(x, force []float64) ([]float64, error)
}

// OneStep is a one-step method as a matrix: z' = M [z; g; f]. The state z begins with the
// displacements; the method's own state or the increments of the displacements follow
// (see lti.Increments). A second matrix gives velocities and accelerations on request.
type OneStep struct {
	z      *lti.Recursion // states z, inputs g, f
	g, f   []float64      // the inputs
	rates  *lti.Map
	r      []float64   // result of rates: v and a at t_k, then v and a of each target
	now    rths.Motion // all DOF at t_k: views of z.In and r
	tx     []int       // places in z.Out of the target's displacements
	tv, ta []int       // places in r of its velocities and accelerations
	start  func(x, force []float64) ([]float64, error)

	inverseMass []float64
}

// InverseMass is M⁻¹ of the interface coordinates, 1/kg, by rows, of a method whose target
// fulfils the equation of motion with the force of the step; nil of others.
func (o *OneStep) InverseMass() []float64 { return o.inverseMass }

// newOneStep builds both matrices by applying the method to unit vectors.
func newOneStep(m method, p *structure.Partition) *OneStep {
	_, comps := p.Load.Dims()
	n, nz, ng := p.N(), m.states(), 3*comps
	nw := nz + ng + len(p.Interface)
	columns := make([]*output, nw)
	for j := range columns {
		columns[j] = m.step(unit(j, nz, comps, len(p.Interface)))
	}
	row := func(of func(*output) float64) []float64 {
		out := make([]float64, nw)
		for j, c := range columns {
			out[j] = of(c)
		}
		return out
	}
	var next, rates [][]float64
	for i := range nz {
		next = append(next, row(func(o *output) float64 { return o.z[i] }))
	}
	for i := range n {
		rates = append(rates, row(func(o *output) float64 { return o.v[i] }))
	}
	for i := range n {
		rates = append(rates, row(func(o *output) float64 { return o.a[i] }))
	}
	inc, back := lti.Increments(stack(next), nz)
	o := &OneStep{z: lti.NewRecursion(inc, nz), tx: p.Interface, start: func(x, force []float64) ([]float64, error) {
		z, err := m.start(x, force)
		if err != nil {
			return nil, err
		}
		return incremented(z, back)
	}}
	o.g, o.f = o.z.U[:ng], o.z.U[ng:]
	for _, d := range p.Interface {
		o.tv, o.ta = append(o.tv, len(rates)), append(o.ta, len(rates)+1)
		rates = append(rates, row(func(o *output) float64 { return o.target.V[d] }),
			row(func(o *output) float64 { return o.target.A[d] }))
	}
	ofMethod := stack(rates) // over the method's own states
	states := ofMethod.Slice(0, len(rates), 0, nz).(*mat.Dense)
	states.Mul(states, back)
	o.rates = lti.NewMap(ofMethod)
	o.r = make([]float64, o.rates.Rows())
	o.now = rths.Motion{X: o.z.In[:n:n], V: o.r[:n:n], A: o.r[n : 2*n : 2*n]}
	return o
}

// incremented turns the method's own state z into the state of a recursion of
// increments; back is the inverse.
func incremented(z []float64, back *mat.Dense) ([]float64, error) {
	var out mat.VecDense
	if err := out.SolveVec(back, mat.NewVecDense(len(z), z)); err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	return out.RawVector().Data, nil
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

// Step advances by one sample with the force of felt held, and gives the
// displacements of the target; see Derive for its rates. It uses nothing else of
// felt. (A few numbers are copied faster by a loop than by a call of copy.)
func (o *OneStep) Step(target *rths.Motion, ground []float64, felt *rths.Reading) {
	take(o.g, ground)
	take(o.f, felt.F)
	o.z.Step()
	for i, at := range o.tx {
		target.X[i] = o.z.Out[at]
	}
}

// take copies as much of src as dst wants.
func take(dst, src []float64) {
	src = src[:len(dst)]
	for i := range dst {
		dst[i] = src[i]
	}
}

// Derive gives velocities and accelerations of the state shown and of the
// target of the step just made.
func (o *OneStep) Derive(target *rths.Motion) {
	o.rates.Apply(o.r, o.z.In)
	for i, at := range o.tv {
		target.V[i], target.A[i] = o.r[at], o.r[o.ta[i]]
	}
}

// Start begins a run at t_0 away from rest, before the first step: all DOF are
// released from the displacements x (m), where the interface forces (N) act.
func (o *OneStep) Start(x, force []float64) error {
	z, err := o.start(x, force)
	if err == nil {
		copy(o.z.State(), z)
	}
	return err
}

// Closing is false: the step leads from t_k to t_k+1 with the force of t_k.
func (o *OneStep) Closing() bool { return false }

// State is the motion of all DOF where the last step started. V and A are of the last
// call of Derive.
func (o *OneStep) State() *rths.Motion { return &o.now }

// VisitState visits the state at t_k+1, which the next step starts from.
func (o *OneStep) VisitState(v *rths.StateVisitor) { v.Floats(o.z.State()) }
