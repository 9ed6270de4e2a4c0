package scenario

import (
	"errors"
	"fmt"
	"math"
	"net/netip"

	"rths"
	"rths/lab/rig"
	"rths/model/integrate"
	"rths/model/structure"
)

// External is the block of a structure that another program integrates, as a build has filled it in; nil: the
// structure is here.
func (s *Scenario) External() *structure.External {
	p, _ := s.Structure.Params.(*structure.External)
	return p
}

// checkExternal refuses keys that an analysis in another program leaves no use for.
func (s *Scenario) checkExternal(want func(key string, ok bool, format string, args ...any)) {
	p := s.External()
	if p == nil {
		return
	}
	for _, key := range []string{"ground", "more_ground", "amplitude", "forces", "initial_displacement", "undivided",
		"reduce", "interface_dof", "interface_motion", "integrator", "two_rate", "passivity"} {
		want(key, s.Place(key) == "", "has no effect with structure external, whose analysis has it: leave it out here")
	}
	want("loop", s.Loop != "open", "open with structure external, whose analysis waits for forces: want closed")
	want("timing", s.Timing.Target == "next",
		"target %s with structure external: want next, so that the force answered is measured at the target", s.Timing.Target)
	want("timing", s.Timing.ForceDelay == 0 && s.Timing.ForcePredict == 0,
		"force_delay %d, force_predict %g with structure external, whose analysis wants the force at the target: "+
			"leave both out", s.Timing.ForceDelay, s.Timing.ForcePredict)
	want("duration_s", s.Duration > 0, "missing: want the longest time of the run, s; it ends when the analysis does")
	want("interface", len(s.Interface) == 0 || len(s.Interface) == p.DOF,
		"%d degrees of freedom, and the element has %d (structure.dof): leave interface out", len(s.Interface), p.DOF)
	if err := p.Check(); err != nil {
		want("structure", false, "%v", err)
	}
	_, err := s.Address()
	_, notAllowed := s.Allowed()
	for _, err := range []error{err, notAllowed} {
		want("structure", err == nil, "%v", err)
	}
}

// Address is where the analysis of an external structure is listened for.
func (s *Scenario) Address() (netip.AddrPort, error) {
	text := s.External().Listen
	a, err := netip.ParseAddrPort(text)
	if err != nil || !a.Addr().Is4() {
		return a, fmt.Errorf("listen %.60q: want an IPv4 address and a port, as in 127.0.0.1:8090", text)
	}
	return a, nil
}

// Allowed are the other computers that may be its client.
func (s *Scenario) Allowed() (out []netip.Addr, err error) {
	for _, text := range s.External().Allow {
		a, err := netip.ParseAddr(text)
		if err != nil || !a.Is4() {
			return nil, fmt.Errorf("allow %.60q: want IPv4 addresses, as in [192.168.0.5]", text)
		}
		out = append(out, a)
	}
	return out, nil
}

// spreadExternal gives each degree of freedom of an element of several its actuator.
func (s *Scenario) spreadExternal() {
	if p := s.External(); p != nil && len(s.Interface) == 0 && p.DOF > 1 && p.DOF <= structure.MostExternal {
		for i := range p.DOF {
			s.Interface = append(s.Interface, i+1)
		}
	}
}

// Path is how the interface goes from target to target; nil: a tick is a step of the numerical part.
func (r *Run) Path() *integrate.Path { return r.path }

// Outside is the block of an external structure with the values that it leaves open, and whether its steps have one
// motion each.
func (s *Scenario) Outside() (p *structure.External, oneMotion bool, err error) {
	b := s.builder(Options{})
	t, err := s.tempo()
	if err != nil {
		return nil, false, err
	}
	err = b.make(part{"coupler", b.couple}, part{"perturbed", b.perturb}, part{b.s.specimenKey(), b.specimen},
		part{"structure", b.fillExternal})
	b.s.External().Extrapolate = t.Extrapolate
	return b.s.External(), t.oneMotion, err
}

// fillExternal fills in the block, and the stiffness of one degree of freedom.
func (b *builder) fillExternal() error {
	p := b.s.External()
	if err := p.Check(); err != nil {
		return err
	}
	if p.Stiffness == nil && p.DOF == 1 {
		if _, _, k, err := b.boundary.tangent(b); err == nil { // of others the analysis may not ask
			p.Stiffness = [][]float64{{k}}
		}
	}
	return nil
}

// outside is the integrator that follows the targets of an analysis in another program.
func (b *builder) outside() error {
	p := b.s.External()
	if err := b.fillExternal(); err != nil {
		return err
	}
	t, err := b.s.tempo()
	if err != nil {
		return err
	}
	t.Client, t.Rest = b.o.Client, b.rest(t.Samples)
	b.path, b.run.path = &t.Path, &t.Path
	p.Extrapolate = t.Extrapolate
	if b.integ, err = b.path.Make(p.DOF, b.h); err != nil {
		return err
	}
	b.run.Notes = append(b.run.Notes,
		"criteria J4 to J9 and energies need the equations of motion, which the analysis has: they are missing")
	b.run.Notes = append(b.run.Notes, b.whenLate(&t))
	if b.s.Slow() {
		b.run.Notes = append(b.run.Notes,
			fmt.Sprintf("time scale %.6g: a motion takes %d samples, %.6g s, and a step of the analysis is %g s; each further "+
				"motion in a step takes as long again", float64(t.Samples)*b.h/p.Dt, t.Samples, float64(t.Samples)*b.h, p.Dt))
		b.run.Notes = append(b.run.Notes, b.missing(&t)...)
	}
	return nil
}

// whenLate says what follows when the analysis is late.
func (b *builder) whenLate(p *tempo) string {
	lasting := func(n int) string { return fmt.Sprintf("%d samples (%.4g ms)", n, 1e3*float64(n)*b.h) }
	late := fmt.Sprintf(
		"the path extrapolates for %s, slows down within %s more, and holds until the target comes; a target later than %s "+
			"stretches the test", lasting(p.Extrapolate), lasting((p.Samples+1)/2), lasting(p.Extrapolate))
	if p.Ramp != integrate.Cubic {
		late = "the path holds at the target before it until the next one comes, and the test takes longer"
	}
	if b.o.Disarmed { // a test in the laboratory, or its replay
		return "when the analysis is late, " + late
	}
	return "when the analysis is late, a virtual run waits in its tick; in a test " + late
}

// restS is the time for which a path stands at the end of the analysis, s: the commands of a compensator that
// differentiates come to rest in it, and the specimen follows.
const restS = 0.1

// rest is restS in samples, and not less than the way to a target takes.
func (b *builder) rest(samples int) int { return max(samples, int(math.Ceil(restS*b.s.RateHz))) }

// Targets is what became of the targets of the analysis of an external structure.
func (r *Run) Targets() integrate.Targets {
	if t, ok := rths.As[interface{ Targets() integrate.Targets }](r.Loop.Config().Integrator); ok {
		return t.Targets()
	}
	return integrate.Targets{}
}

// Dismiss ends what a run has with the analysis of an external structure: from here on it gets held forces.
func (r *Run) Dismiss() {
	if r.path != nil && r.path.Client != nil {
		r.path.Client.Hold()
	}
}

// follow tells the path when the guard takes over.
func (b *builder) follow(g *rig.Guard) {
	if b.path != nil {
		b.path.Acting = func() bool { return g.State() >= rig.Holding }
	}
}

var errOutside = errors.New(
	"the equations of motion of an external structure are in another program, which knows alone how its loop behaves: " +
		"want the structure here, of another kind")
