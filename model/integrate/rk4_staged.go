package integrate

import (
	"fmt"

	"rths"
	"rths/maths/lti"
	"rths/model/structure"
)

// stagedRK4 is RK4 of a numerical part with devices, stage by stage on
// y = [x; ẋ; z], with the return map of each law at the end of the step.
type stagedRK4 struct {
	*devices
	n, comps int
	h        float64
	at       []int    // interface
	acc      *lti.Map // of [x; ẋ; w; f; forces on floors]
	in, out  []float64
	y, trial []float64
	k        [4][]float64
	end      []float64   // rates of the target
	ground   []float64   // of the end of the step
	now      rths.Motion // all DOF where the last step started
}

// fastestState is λ h of the states of a law that RK4 holds with room: stable up to 2.78.
const fastestState = 2

func newStagedRK4(p *structure.Partition, h float64) (*stagedRK4, error) {
	err := whileSteep(p, 0, func(p *structure.Partition) error {
		f, err := newFirstOrder(p)
		if err != nil {
			return err
		}
		return f.checkStep("rk4", h, rk4Growth)
	})
	if err != nil {
		return nil, err
	}
	for i := range p.Devices {
		d := &p.Devices[i]
		if _, _, rate := d.Steepest(); rate*h > fastestState {
			return nil, fmt.Errorf("rk4: %s: its state moves by up to %.4g 1/s, too fast for steps of %.4g s: want a "+
				"rate of %.0f Hz or more, or a law that changes less suddenly", d.Name(), rate, h, rate/fastestState)
		}
	}
	s, err := newDevices(p, h)
	if err != nil {
		return nil, fmt.Errorf("rk4: %w", err)
	}
	return s.staged(p, h)
}

// staged allocates and makes the map of the accelerations.
func (s *devices) staged(p *structure.Partition, h float64) (*stagedRK4, error) {
	f, err := newFirstOrder(withDevices(p))
	if err != nil {
		return nil, err
	}
	n := p.N()
	_, comps := p.Load.Dims()
	r := &stagedRK4{devices: s, n: n, comps: comps, h: h, at: p.Interface, now: rths.NewMotion(n)}
	r.in = make([]float64, 2*n+comps+len(p.Interface)+len(s.dofs))
	r.acc = lti.NewMap(sideBySide(sideBySide(f.a, f.g), f.e).Slice(n, 2*n, 0, len(r.in)))
	r.out, r.ground = make([]float64, r.acc.Rows()), make([]float64, comps)
	size := 2*n + len(s.Z)
	r.y, r.trial, r.end = make([]float64, size), make([]float64, size), make([]float64, size)
	for i := range r.k {
		r.k[i] = make([]float64, size)
	}
	s.Hold(r.y[2*n:])
	return r, nil
}

// rate is dy at a stage under the actions w and the force of the specimen, which is held.
func (r *stagedRK4) rate(dy, y, w []float64) {
	n := r.n
	copy(r.in, y[:2*n])
	copy(r.in[2*n:], w[:r.comps])
	on := r.in[len(r.in)-len(r.dofs):]
	clear(on)
	from := 2 * n
	for i := range r.list {
		of := &r.list[i]
		to := from + of.Law.States()
		v, z, dz := of.Deformation(y[n:]), y[from:to], dy[from:to]
		_, excess := r.devices.at(i, of.Deformation(y), v, z)
		r.pull(on, i, excess)
		if clear(dz); !r.ideal {
			of.Law.Rate(dz, z, v)
		}
		from = to
	}
	r.acc.Apply(r.out, r.in)
	copy(dy[:n], y[n:2*n])
	copy(dy[n:2*n], r.out)
}

// ahead is y + h k.
func (r *stagedRK4) ahead(h float64, k []float64) []float64 {
	for i := range r.trial {
		r.trial[i] = r.y[i] + h*k[i]
	}
	return r.trial
}

// Step advances by one sample with the force of felt held.
func (r *stagedRK4) Step(target *rths.Motion, ground []float64, felt *rths.Reading) {
	n, h, k, c := r.n, r.h, &r.k, r.comps
	copy(r.now.X, r.y)
	copy(r.now.V, r.y[n:])
	take(r.in[2*n+c:2*n+c+len(r.at)], felt.F)
	r.rate(k[0], r.y, ground)
	r.rate(k[1], r.ahead(h/2, k[0]), ground[c:])
	r.rate(k[2], r.ahead(h/2, k[1]), ground[c:])
	r.rate(k[3], r.ahead(h, k[2]), ground[2*c:])
	copy(r.now.A, k[0][n:])
	for i := range r.list {
		r.show(i, r.list[i].Deformation(r.now.X), r.list[i].Deformation(r.now.V))
	}
	take(r.ground, ground[2*c:])
	for i := range r.y {
		r.y[i] += h / 6 * (k[0][i] + 2*k[1][i] + 2*k[2][i] + k[3][i])
	}
	for i := range r.list {
		if !r.ideal {
			r.list[i].Law.Commit(r.Each[i], r.list[i].Deformation(r.y))
		}
	}
	for i, d := range r.at {
		target.X[i] = r.y[d]
	}
}

// Derive gives velocity and acceleration of the target of the step just made.
func (r *stagedRK4) Derive(target *rths.Motion) {
	r.rate(r.end, r.y, r.ground)
	for i, d := range r.at {
		target.V[i], target.A[i] = r.y[r.n+d], r.end[r.n+d]
	}
}

// Closing is false: the step leads from t_k to t_k+1 with the force of t_k.
func (r *stagedRK4) Closing() bool { return false }

// State is the motion of all DOF where the last step started.
func (r *stagedRK4) State() *rths.Motion { return &r.now }

// Start begins a run at rest at the displacements x; the devices were brought there.
func (r *stagedRK4) Start(x, _ []float64) error {
	clear(r.y)
	copy(r.y, x)
	r.bring(x)
	return nil
}

// VisitState visits [x; ẋ; z].
func (r *stagedRK4) VisitState(v *rths.StateVisitor) { v.Floats(r.y) }
