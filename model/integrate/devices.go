package integrate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/lti"
	"rths/model/device"
	"rths/model/structure"
)

// Devices act between degrees of freedom by a law f(d, ḋ, z) of their deformation d = bᵀx; of a yielding storey it is
// the law of the storey. K and C have their linear part k d + c ḋ:
//
//	M ẍ + C ẋ + K x + Σ b (f(d, ḋ, z) − k d − c ḋ) = −L w − e f
//
// The excess f − k d − c ḋ is one more force on the linear numerical part. A method whose displacement at t_k is known
// before its step (central differences, Newmark explicit, CR, Gui-λ, KR-α) takes the excess of t_k beside the force of
// the specimen, with ḋ by backward differences of order 2. RK4 takes it at every stage, average acceleration at the end
// of its step. The states z move along the line from d[k] to d[k+1] (device.Path), with RK4 at its stages.

// devices are the devices of a numerical part.
type devices struct {
	*structure.Memory
	list     []structure.Device
	h        float64
	dofs     []int     // degrees of freedom where they act
	up, down []int     // places in dofs; down −1: the ground
	d, force []float64 // m, N, at the instant shown
	ideal    bool      // each law as it is at rest
	why      error     // of the first law that failed
}

func newDevices(p *structure.Partition, h float64) (*devices, error) {
	memory, err := structure.NewMemory(p.Devices, h)
	if err != nil {
		return nil, err
	}
	s := &devices{Memory: memory, list: p.Devices, h: h, dofs: dofsOf(p), d: make([]float64, len(p.Devices)),
		force: make([]float64, len(p.Devices))}
	for i := range s.list {
		of := &s.list[i]
		s.up, s.down = append(s.up, slices.Index(s.dofs, of.Up)), append(s.down, slices.Index(s.dofs, of.Down))
	}
	return s, nil
}

// dofsOf are the degrees of freedom where devices act.
func dofsOf(p *structure.Partition) (out []int) {
	for _, d := range p.Devices {
		for _, dof := range []int{d.Down, d.Up} {
			if dof >= 0 && !slices.Contains(out, dof) {
				out = append(out, dof)
			}
		}
	}
	return out
}

// withDevices has forces of devices after those of the interface.
func withDevices(p *structure.Partition) *structure.Partition {
	if len(p.Devices) == 0 {
		return p
	}
	out := *p
	out.Interface = append(slices.Clone(p.Interface), dofsOf(p)...)
	if p.Sign != nil {
		out.Sign = slices.Clone(p.Sign)
		for range len(out.Interface) - len(p.Interface) {
			out.Sign = append(out.Sign, 1)
		}
	}
	return &out
}

// show shows device i at the deformation d and the rate v, and gives its excess.
func (s *devices) show(i int, d, v float64) (excess float64) {
	s.d[i] = d
	s.force[i], excess = s.at(i, d, v, s.Each[i])
	return excess
}

// at is force and excess f − k d − c ḋ of device i at the deformation d, the rate v and states z.
func (s *devices) at(i int, d, v float64, z []float64) (force, excess float64) {
	of := &s.list[i]
	if s.ideal {
		k, c := of.Law.AtRest()
		force = k*d + c*v
	} else {
		force = of.Law.Force(d, v, z)
	}
	if math.IsNaN(force) && s.why == nil {
		s.why = of.Err()
	}
	return force, force - of.K*d - of.C*v
}

// Err is why the law of a device failed; nil: none did. See rths.Failer.
func (s *devices) Err() error { return s.why }

// pull adds a force of device i to the forces on degrees of freedom.
func (s *devices) pull(on []float64, i int, force float64) {
	on[s.up[i]] += force
	if s.down[i] >= 0 {
		on[s.down[i]] -= force
	}
}

// bring moves the states from rest to the displacements x, and gives the excess there.
func (s *devices) bring(x []float64) []float64 {
	out := make([]float64, len(s.dofs))
	for i := range s.list {
		of := &s.list[i]
		d := of.Deformation(x)
		device.Bring(of.Law, s.Each[i], d)
		s.pull(out, i, s.show(i, d, 0))
	}
	return out
}

// Idealise keeps each law as it is at rest, for a loop linearised about rest.
func (s *devices) Idealise(on bool) { s.ideal = on }

// Quantities of the channels of devices and yielding storeys, whose names have the device in front: storey1_drift_m,
// device2_deformation_m. Floor of their meaning is the number of the storey or device.
const (
	StoreyDrift       = "storey_drift"
	StoreyForce       = "storey_force"
	DeviceDeformation = "device_deformation"
	DeviceForce       = "device_force"
)

// Channels are deformation and force of every device.
func (s *devices) Channels() (out []rths.Channel) {
	for i := range s.list {
		of := &s.list[i]
		name, n := fmt.Sprintf("storey%d_drift_m", of.Storey), of.Storey
		d, force := StoreyDrift, StoreyForce
		if of.Storey == 0 {
			name, n = fmt.Sprintf("device%d_deformation_m", of.Number), of.Number
			d, force = DeviceDeformation, DeviceForce
		}
		head, _, _ := strings.Cut(name, "_")
		out = append(out,
			rths.Channel{Name: name, Meaning: rths.Meaning{Quantity: d, Floor: n}, Unit: "m", V: &s.d[i]},
			rths.Channel{Name: head + "_force_N", Meaning: rths.Meaning{Quantity: force, Floor: n}, Unit: "N", V: &s.force[i]})
	}
	return out
}

// DeviceElements are the devices of a numerical part as elements of a Coupled, and the rest of the part, without their
// linear part. A device that learns is what it learns from, learned; nil: its own law.
func DeviceElements(p *structure.Partition, learned Specimen) (rest *structure.Partition, elements []Element) {
	rest = p.With(func(*structure.Device) (k, c float64) { return 0, 0 })
	for i := range p.Devices {
		d := &p.Devices[i]
		e := Element{Specimen: &device.Mounted{Law: d.Law}, Along: d.Along(p.N())}
		if len(d.Learned) > 0 && learned != nil {
			e.Specimen = learned
		}
		elements = append(elements, e)
	}
	return rest, elements
}

// deviceStep is a OneStep beside whose interface forces stands the excess of t_k.
type deviceStep struct {
	*OneStep
	*devices
	forces int       // of the interface
	past   []float64 // d[k−1] of each, then d[k−2]
}

// leading makes the integrator of a method, which was made of withDevices(p).
func leading(m method, p *structure.Partition, h float64) (rths.Integrator, error) {
	o := newOneStep(m, withDevices(p))
	if len(p.Devices) == 0 {
		return o, nil
	}
	s, err := newDevices(p, h)
	if err != nil {
		return nil, err
	}
	n := len(p.Interface)
	o.tx, o.tv, o.ta = o.tx[:n], o.tv[:n], o.ta[:n]
	return &deviceStep{o, s, n, make([]float64, 2*len(s.list))}, nil
}

// Step advances by one sample with the forces of specimen and devices held.
func (y *deviceStep) Step(target *rths.Motion, ground []float64, felt *rths.Reading) {
	o, n := y.OneStep, len(y.list)
	on, x := o.f[y.forces:], o.z.State()
	clear(on)
	for i := range y.list {
		d, d1, d2 := y.list[i].Deformation(x), y.past[i], y.past[n+i]
		y.pull(on, i, y.show(i, d, structure.BackwardRate(d, d1, d2, y.h)))
		y.past[i], y.past[n+i] = d, d1
	}
	take(o.g, ground)
	take(o.f[:y.forces], felt.F)
	o.z.Step()
	if !y.ideal {
		for i, path := range y.Paths {
			path.Advance(y.Each[i], y.past[i], y.list[i].Deformation(o.z.Out))
		}
	}
	for i, at := range o.tx {
		target.X[i] = o.z.Out[at]
	}
}

// Start begins a run at the displacements x; the devices were brought there from rest.
func (y *deviceStep) Start(x, force []float64) error {
	excess := y.bring(x)
	copy(y.past[copy(y.past, y.d):], y.d)
	return y.OneStep.Start(x, append(slices.Clone(force), excess...))
}

// VisitState visits the state of the linear method, then the devices'.
func (y *deviceStep) VisitState(v *rths.StateVisitor) {
	y.OneStep.VisitState(v)
	v.Floats(y.Z, y.past)
}

// steepest is the numerical part with every device at its largest stiffness and damping. Damping beyond the matrices'
// reaches a method late by steps of lag (s): its limit at the highest frequency, where a motion changes its sign from
// step to step, is that of a stiffness 4 c/lag. lag 0: it is in time.
func steepest(p *structure.Partition, lag float64) *structure.Partition {
	return p.With(func(d *structure.Device) (k, c float64) {
		k, c, _ = d.Steepest()
		if k = max(k, d.K); lag > 0 {
			return k + 4*max(c-d.C, 0)/lag, d.C
		}
		return k, max(c, d.C)
	})
}

// whileSteep checks the step of a numerical part, then with its devices at their steepest.
func whileSteep(p *structure.Partition, lag float64, check func(p *structure.Partition) error) error {
	if err := check(p); err != nil || len(p.Devices) == 0 {
		return err
	}
	if err := check(steepest(p, lag)); err != nil {
		return fmt.Errorf("%s: %w", atSteepest(p), err)
	}
	return nil
}

// atSteepest says which devices become steeper than at rest.
func atSteepest(p *structure.Partition) string {
	var list []string
	for i := range p.Devices {
		d := &p.Devices[i]
		k, c, _ := d.Steepest()
		if k > d.K {
			text := fmt.Sprintf("%s with a tangent of up to %.4g N/m", d.Name(), k)
			if d.K > 0 {
				text += fmt.Sprintf(", %.4g times its stiffness at rest", k/d.K)
			}
			list = append(list, text)
		}
		if c > d.C {
			list = append(list, fmt.Sprintf("%s with a damping of up to %.4g N·s/m", d.Name(), c))
		}
	}
	return strings.Join(list, ", ")
}

// checkHardening wants Gui-λ to be stable with a tangent stiffness K_t above the K₀ that α
// is made with. Of one mode the condition is (λ δ − 4) Ω₀² ≤ 4 λ with δ = K_t/K₀; of many,
// Δt² (λ K_t − 4 K₀) ≤ 4 λ M as matrices. Softening never breaks it while λ ≤ 4.
func (p *Gui) checkHardening(name string, part *structure.Partition, h float64) error {
	if len(part.Devices) == 0 {
		return nil
	}
	inv, err := part.InverseMass()
	if err != nil {
		return err
	}
	var a, k mat.Dense
	a.Scale(p.Lambda, steepest(part, h).K)
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
			"%s: λ = %g is stable by the stiffness at rest alone; %s: (λ K_t − 4 K₀) Δt², with 4 c/Δt in K_t, is %.4g times "+
				"the 4 λ M that it may be: want less hardening or a rate of %.0f Hz or more, or average-acceleration", name, p.Lambda, atSteepest(part),
			h*h*most/limit, math.Ceil(math.Sqrt(most/limit)))
	}
	return nil
}
