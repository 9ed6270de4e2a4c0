package integrate

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/lti"
	"rths/model/device"
	"rths/model/structure"
)

// Yielding storeys replace k₀ d in K x by the force f(d, z) of their law, for the drift
// d = bᵀx:
//
//	M ẍ + C ẋ + K x + Σ b (f(d, z) − k₀ d) = −L w − e f
//
// The excess f − k₀ d is one more force on the linear numerical part. A method whose
// displacement at t_k is known before its step (central differences, Newmark explicit, CR,
// Gui-λ) takes the excess of t_k beside the force of the specimen. RK4 takes it at every
// stage, average acceleration at the end of its step. The states z move along the line
// from d[k] to d[k+1] (device.Path), with RK4 at its stages.

// storeys are the yielding storeys of a numerical part.
type storeys struct {
	list         []structure.Yielding
	paths        []*device.Path
	state        []float64   // z of all
	z            [][]float64 // of each: views of state
	floors       []int       // degrees of freedom where they act
	up, down     []int       // places of their floors in floors; down −1: the ground
	drift, force []float64   // m, N, at the instant shown
	elastic      bool        // idealised: excess 0
}

func newStoreys(p *structure.Partition, h float64) (*storeys, error) {
	s := &storeys{list: p.Yielding, floors: floorsOf(p), drift: make([]float64, len(p.Yielding)),
		force: make([]float64, len(p.Yielding))}
	states := 0
	for _, y := range s.list {
		path, err := device.NewPath(y.Law, h)
		if err != nil {
			return nil, fmt.Errorf("storey %d: %w", y.Storey, err)
		}
		s.paths = append(s.paths, path)
		s.up, s.down = append(s.up, slices.Index(s.floors, y.Up)), append(s.down, slices.Index(s.floors, y.Down))
		states += y.Law.States()
	}
	s.hold(make([]float64, states))
	return s, nil
}

// hold has the states in the slice given.
func (s *storeys) hold(state []float64) {
	s.state, s.z = state, nil
	for _, y := range s.list {
		n := y.Law.States()
		s.z, state = append(s.z, state[:n:n]), state[n:]
	}
}

// floorsOf are the degrees of freedom where yielding storeys act.
func floorsOf(p *structure.Partition) (out []int) {
	for _, y := range p.Yielding {
		for _, dof := range []int{y.Down, y.Up} {
			if dof >= 0 && !slices.Contains(out, dof) {
				out = append(out, dof)
			}
		}
	}
	return out
}

// withFloors has forces of yielding storeys after those of the interface.
func withFloors(p *structure.Partition) *structure.Partition {
	if len(p.Yielding) == 0 {
		return p
	}
	out := *p
	out.Interface = append(slices.Clone(p.Interface), floorsOf(p)...)
	if p.Sign != nil {
		out.Sign = slices.Clone(p.Sign)
		for range len(out.Interface) - len(p.Interface) {
			out.Sign = append(out.Sign, 1)
		}
	}
	return &out
}

// resist sets the forces on the floors to the excess at the displacements x, which it shows.
func (s *storeys) resist(floors, x []float64) {
	clear(floors)
	for i := range s.list {
		s.drift[i] = s.list[i].Drift(x)
		s.force[i] = s.push(floors, i, s.drift[i], s.z[i])
	}
}

// push adds the excess of storey i at drift d to the forces on the floors, and gives the
// storey's force.
func (s *storeys) push(floors []float64, i int, d float64, z []float64) float64 {
	law := s.list[i].Law
	if s.elastic {
		return law.Stiffness() * d
	}
	force := law.Force(d, 0, z)
	s.pull(floors, i, force-law.Stiffness()*d)
	return force
}

// pull adds the excess of storey i to the forces on the floors.
func (s *storeys) pull(floors []float64, i int, excess float64) {
	floors[s.up[i]] += excess
	if s.down[i] >= 0 {
		floors[s.down[i]] -= excess
	}
}

// advance moves the states along the drifts of a step.
func (s *storeys) advance(from, to []float64) {
	if s.elastic {
		return
	}
	for i, path := range s.paths {
		path.Advance(s.z[i], s.list[i].Drift(from), s.list[i].Drift(to))
	}
}

// bring moves the states from rest to the displacements x, and gives the excess there.
func (s *storeys) bring(x []float64) []float64 {
	for i := range s.list {
		device.Bring(s.list[i].Law, s.z[i], s.list[i].Drift(x))
	}
	out := make([]float64, len(s.floors))
	s.resist(out, x)
	return out
}

// Idealise keeps the storeys elastic, for a loop linearised about rest.
func (s *storeys) Idealise(on bool) { s.elastic = on }

// Quantities of the channels of yielding storeys, whose names have the storey in front: storey1_drift_m.
const (
	StoreyDrift = "storey_drift"
	StoreyForce = "storey_force"
)

// Channels are drift and force of every yielding storey.
func (s *storeys) Channels() (out []rths.Channel) {
	for i, y := range s.list {
		drift := rths.Meaning{Quantity: StoreyDrift, Floor: y.Storey}
		force := rths.Meaning{Quantity: StoreyForce, Floor: y.Storey}
		out = append(out,
			rths.Channel{Name: fmt.Sprintf("storey%d_drift_m", y.Storey), Meaning: drift, Unit: "m", V: &s.drift[i]},
			rths.Channel{Name: fmt.Sprintf("storey%d_force_N", y.Storey), Meaning: force, Unit: "N", V: &s.force[i]})
	}
	return out
}

// YieldingElements are the yielding storeys of a numerical part as elements of a Coupled,
// and the rest of the part, without their stiffness.
func YieldingElements(p *structure.Partition) (rest *structure.Partition, elements []Element) {
	rest = p.With(func(*structure.Yielding) float64 { return 0 })
	for i := range p.Yielding {
		y := &p.Yielding[i]
		elements = append(elements, Element{Specimen: &device.Mounted{Law: y.Law}, Along: y.Along(p.N())})
	}
	return rest, elements
}

// yieldingStep is a OneStep beside whose interface forces stands the excess of t_k.
type yieldingStep struct {
	*OneStep
	*storeys
	forces int // of the interface
}

// leading makes the integrator of a method, which was made of withFloors(p).
func leading(m method, p *structure.Partition, h float64) (rths.Integrator, error) {
	o := newOneStep(m, withFloors(p))
	if len(p.Yielding) == 0 {
		return o, nil
	}
	s, err := newStoreys(p, h)
	if err != nil {
		return nil, err
	}
	n := len(p.Interface)
	o.tx, o.tv, o.ta = o.tx[:n], o.tv[:n], o.ta[:n]
	return &yieldingStep{o, s, n}, nil
}

// Step advances by one sample with the forces of specimen and storeys held.
func (y *yieldingStep) Step(target *rths.Motion, ground []float64, felt *rths.Reading) {
	o := y.OneStep
	y.resist(o.f[y.forces:], o.z.State())
	take(o.g, ground)
	take(o.f[:y.forces], felt.F)
	o.z.Step()
	y.advance(o.z.In, o.z.Out)
	for i, at := range o.tx {
		target.X[i] = o.z.Out[at]
	}
}

// Start begins a run at the displacements x; the storeys were brought there from rest.
func (y *yieldingStep) Start(x, force []float64) error {
	return y.OneStep.Start(x, append(slices.Clone(force), y.bring(x)...))
}

// VisitState visits the state of the linear method, then the storeys'.
func (y *yieldingStep) VisitState(v *rths.StateVisitor) {
	y.OneStep.VisitState(v)
	v.Floats(y.state)
}

// steepest is the numerical part with every yielding storey at its largest stiffness.
func steepest(p *structure.Partition) *structure.Partition {
	return p.With(func(y *structure.Yielding) float64 {
		k, _, _ := y.Law.Steepest()
		return max(k, y.Law.Stiffness())
	})
}

// whileSteep checks the step of a numerical part, then with its storeys at their steepest.
func whileSteep(p *structure.Partition, check func(p *structure.Partition) error) error {
	if err := check(p); err != nil || len(p.Yielding) == 0 {
		return err
	}
	if err := check(steepest(p)); err != nil {
		return fmt.Errorf("%s: %w", atSteepest(p), err)
	}
	return nil
}

// atSteepest says which storeys become stiffer than at rest.
func atSteepest(p *structure.Partition) string {
	text := ""
	for _, y := range p.Yielding {
		if k, _, _ := y.Law.Steepest(); k > y.Law.Stiffness() {
			if text != "" {
				text += ", "
			}
			text += fmt.Sprintf("storey %d with a tangent of up to %.4g N/m, %.4g times its stiffness at rest", y.Storey, k,
				k/y.Law.Stiffness())
		}
	}
	return text
}

// checkHardening wants Gui-λ to be stable with a tangent stiffness K_t above the K₀ that α
// is made with. Of one mode the condition is (λ δ − 4) Ω₀² ≤ 4 λ with δ = K_t/K₀; of many,
// Δt² (λ K_t − 4 K₀) ≤ 4 λ M as matrices. Softening never breaks it while λ ≤ 4.
func (p *Gui) checkHardening(name string, part *structure.Partition, h float64) error {
	if len(part.Yielding) == 0 {
		return nil
	}
	inv, err := part.InverseMass()
	if err != nil {
		return err
	}
	var a, k mat.Dense
	a.Scale(p.Lambda, steepest(part).K)
	k.Scale(4, part.K)
	a.Sub(&a, &k)
	a.Mul(inv, &a)
	roots, err := lti.Eigenvalues(&a)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	most := 0.0
	for _, z := range roots {
		most = max(most, real(z))
	}
	if limit := 4 * p.Lambda; h*h*most > limit*(1+1e-12) {
		return fmt.Errorf(
			"%s: λ = %g is stable by the stiffness at rest alone; %s: (λ K_t − 4 K₀) Δt² is %.4g times the 4 λ M that it may "+
				"be: want less hardening or a rate of %.0f Hz or more, or average-acceleration", name, p.Lambda, atSteepest(part),
			h*h*most/limit, math.Ceil(math.Sqrt(most/limit)))
	}
	return nil
}
