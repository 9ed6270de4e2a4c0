package scenario

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"rths"
	"rths/integrate"
	"rths/rig"
	"rths/stability"
)

// Indicators are what is watched as the test goes, beside the criteria.
type Indicators struct {
	Energies bool    `yaml:"energies" doc:"energies of the numerical part, stability warning indicator SW, energy error indicator EEI (Gálmez 2021, sections 5.3 and 7.4)"`
	Tracking bool    `yaml:"tracking" doc:"running J2, delay by least squares, frequency-domain evaluation index over a sliding window"`
	SW       float64 `yaml:"c_sw_j,omitempty" doc:"constant C_SW of SW, J; default 1 % of the largest input work of the reference response"`
	EEI      float64 `yaml:"c_eei_j,omitempty" doc:"constant of EEI, J; default the same"`
}

// Limit is a limit on a channel.
type Limit struct {
	Channel string  `yaml:"channel" doc:"command_m, command_rate_m_s, measured_m, velocity_m_s, error_m, force_N (the largest of all axes; with several, of one of them, as measured_2_m), age, non_finite, or a channel of a part, as sw_pct and energy_residual_J of the energies"`
	Warn    float64 `yaml:"warn,omitempty" doc:"warning level of its magnitude, in the channel's unit; 0: none"`
	Trip    float64 `yaml:"trip,omitempty" doc:"level it acts at"`
	Action  string  `yaml:"action" doc:"indicate, hold, ramp or stop"`
}

func (l *Limit) tables() { l.Action = "ramp" }

// OnTrip is what a hold and a ramp are like.
type OnTrip struct {
	HoldS        float64 `yaml:"hold_s" doc:"a hold lasts so long before the run ends, s"`
	RampTo       string  `yaml:"ramp_to" doc:"zero, or last-safe: the last command at which no level was crossed"`
	Velocity     float64 `yaml:"velocity_m_s" doc:"largest velocity of a ramp, m/s"`
	Acceleration float64 `yaml:"acceleration_m_s2" doc:"largest acceleration of a ramp, m/s²"`
	WithinS      float64 `yaml:"within_s" doc:"the run ends after so long even if the ramp is not finished, s"`
}

// gently is 20 mm/s, reached in 40 ms.
func gently() OnTrip {
	return OnTrip{HoldS: 1, RampTo: "zero", Velocity: 0.02, Acceleration: 0.5, WithinS: 30}
}

// indicators adds what the scenario wants watched. The constants that it leaves
// open are found and written into it.
func (b *builder) indicators() error {
	in := &b.s.Indicators
	if in.SW < 0 || in.EEI < 0 {
		return fmt.Errorf("c_sw_j %g, c_eei_j %g: want more than 0, or nothing for 1 %% of the reference's input work", in.SW, in.EEI)
	}
	if in.Energies {
		if err := b.energies(in); err != nil {
			return err
		}
	}
	if in.Tracking {
		for axis := range b.s.axes() {
			s, err := stability.NewSynchrony(b.s.RateHz, axis, b.s.axes())
			if err != nil {
				return err
			}
			b.observers = append(b.observers, s)
			b.run.Watched = append(b.run.Watched, s)
		}
	}
	return nil
}

func (b *builder) energies(in *Indicators) error {
	if b.part == nil {
		return errors.New("energies: a prescribed target has no numerical part")
	}
	switch {
	case b.part.Sparse != nil && (in.SW == 0 || in.EEI == 0):
		return fmt.Errorf("energies: no reference response for a %s of %d degrees of freedom held as sparse matrices: want c_sw_j and c_eei_j, J, about 1 %% of its input work", b.s.Structure.Kind, b.part.N())
	case b.s.TwoRate != nil && b.s.TwoRate.ForceFit > 0:
		return errors.New("energies: not with two_rate.force_fit, whose corrected force is not the one recorded")
	}
	if in.SW == 0 || in.EEI == 0 {
		work, err := b.inputWork()
		if err != nil {
			return err
		}
		for _, c := range []*float64{&in.SW, &in.EEI} {
			if *c == 0 {
				*c = work / 100
			}
		}
		if !(work > 0) {
			return errors.New("the reference response takes no input work to have 1 % of: want c_sw_j and c_eei_j, J")
		}
	}
	c := stability.Config{RateHz: b.s.RateHz, SW: in.SW, EEI: in.EEI}
	_, c.Held = b.s.Integrator.Params.(integrate.Holder)
	if l, ok := b.s.Integrator.Params.(integrate.Lagger); ok {
		c.Lambda = l.FamilyLambda()
	}
	if t := b.s.TwoRate; t != nil {
		c.Every, c.RateHz = t.MainStep, b.s.RateHz/float64(t.MainStep)
	}
	if b.s.TwoRate != nil && !c.Held && c.Lambda == 0 {
		c.Lambda = math.Inf(1) // central differences, and Newmark explicit, the same in other words
	}
	e, err := stability.NewEnergies(b.part, c)
	if err != nil {
		return err
	}
	b.observers = append(b.observers, e)
	b.run.Watched = append(b.run.Watched, e)
	return nil
}

// inputWork is the largest of the reference response, J.
func (b *builder) inputWork() (float64, error) {
	reference := b.reference
	if b.coupler != nil {
		reference = b.undividedFrame
	}
	ref, err := reference()
	if err != nil {
		return 0, err
	}
	wave, _ := b.wave()
	return stability.LargestInputWork(ref, b.part.Load, b.run.Whole.K, wave, b.run.Samples), nil
}

// guard puts the limits around the rig.
func (b *builder) guard() error {
	if len(b.s.Limits) == 0 {
		return nil
	}
	c := rig.GuardConfig{RateHz: b.s.RateHz, Axes: b.s.axes(), Forces: max(1, b.forces), HoldS: b.s.OnTrip.HoldS, NonFinite: rig.Hold, Channels: b.channels()}
	if b.start != nil {
		c.Start = b.start.Command
	}
	var err error
	if c.Profile, err = b.s.OnTrip.profile(); err != nil {
		return fmt.Errorf("on_trip: %w", err)
	}
	for i, l := range b.s.Limits {
		if err := l.add(&c); err != nil {
			return err
		}
		if l.Channel == "non_finite" && slices.ContainsFunc(b.s.Limits[:i], func(o Limit) bool { return o.Channel == l.Channel }) {
			return errors.New("channel non_finite: has two limits: want one")
		}
	}
	if b.run.Guard, err = rig.NewGuard(b.theRig, c); err != nil {
		return err
	}
	b.theRig = b.run.Guard
	b.observers = append(b.observers, b.run.Guard.Observer())
	return b.run.Guard.Arm()
}

func (p *OnTrip) profile() (rig.Profile, error) {
	if p.RampTo != "zero" && p.RampTo != "last-safe" {
		return rig.Profile{}, fmt.Errorf("ramp_to %q: want zero or last-safe", p.RampTo)
	}
	return rig.Profile{ToSafe: p.RampTo == "last-safe", Velocity: p.Velocity, Acceleration: p.Acceleration, WithinS: p.WithinS}, nil
}

// add adds the limit to what a guard is made of.
func (l *Limit) add(c *rig.GuardConfig) error {
	action, err := rig.ParseAction(l.Action)
	if err != nil {
		return fmt.Errorf("channel %s: %w", l.Channel, err)
	}
	if l.Channel != "non_finite" {
		c.Limits = append(c.Limits, rig.Limit{Channel: l.Channel, Warn: l.Warn, Trip: l.Trip, Action: action})
		return nil
	}
	if l.Warn != 0 || l.Trip != 0 || action == rig.Indicate {
		return fmt.Errorf("non_finite: warn %g, trip %g, action %s: want no levels, and hold, ramp or stop", l.Warn, l.Trip, l.Action)
	}
	c.NonFinite = action
	return nil
}

// Indicators are the indicators at the end of a run.
func (r *Run) Indicators() []rths.Value {
	var out []rths.Value
	for _, w := range r.Watched {
		out = append(out, w.Summary()...)
	}
	return out
}
