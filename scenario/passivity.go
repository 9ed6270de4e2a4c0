package scenario

import (
	"rths"
	"rths/model/integrate"
)

// Passivity is the block passivity: time-domain passivity with a virtual damper on the
// numerical part (integrate.Passivity).
type Passivity struct {
	MaxDamping float64 `yaml:"max_damping" doc:"largest damping of the virtual damper, N·s/m: 1 to 1.5 times the specimen's stiffness times the delay that is left, since the motion sticks with much more"`
	Threshold  float64 `yaml:"threshold_j,omitempty" doc:"energy that the transfer system may make before the damper acts, J; default: 0"`
}

// checkPassivity refuses what does not go together with the key passivity.
func (s *Scenario) checkPassivity(want func(key string, ok bool, format string, args ...any)) {
	if s.Passivity == nil {
		return
	}
	want("passivity", !s.Target.Given(), "has no effect with a prescribed target: leave it out")
	want("passivity", s.Loop != "open", "has no effect with loop: open, which feeds no force back: leave it out")
	want("passivity", s.TwoRate == nil,
		"beside two_rate, which uses the force of main instants only, and the damper needs the force of every sample: "+
			"leave one of them out")
	want("passivity", !s.OnShakeTable(),
		"beside interface_motion %s, which has the ground's motion, and the damper would hold the interface against the "+
			"ground: leave one of them out", s.Motion)
	want("passivity", !s.Coupler.Given(),
		"beside coupler, whose coordinates may be displacements and rotations, and one damper has one unit: want interface "+
			"without coupler, an actuator at each degree of freedom, or no passivity")
}

// passivity puts the observer and the damper before the integrator.
func (b *builder) passivity() (err error) {
	k := b.s.Passivity
	if k == nil {
		return nil
	}
	o := integrate.Passivity{MaxDamping: k.MaxDamping, Threshold: k.Threshold}
	_, o.Held = b.s.Integrator.Params.(integrate.Holder)
	if b.integ, err = o.Make(b.integ, b.part, b.h); err == nil {
		b.run.Watched = append(b.run.Watched, b.integ.(rths.Summarizer))
	}
	return err
}
