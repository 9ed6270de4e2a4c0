package scenario

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"rths/lab/rig"
	"rths/method/stability"
	"rths/model/plant"
	"rths/scenario/syntax"
)

// Limits is the list of limits of a guard. nil stands for the default limits (see
// defaultLimits), an empty list for the word none: no guard at all.
type Limits []Limit

// None reports whether the scenario has limits: none.
func (l Limits) None() bool { return l != nil && len(l) == 0 }

// Choose reads the list or the word none.
func (l *Limits) Choose(d *syntax.Decoder, path string, n *syntax.Node) {
	switch {
	case n.Shape == syntax.Scalar && n.Text == syntax.None:
		*l = Limits{}
	case n.Shape == syntax.Sequence && len(n.Items) == 0:
		d.Fail(n.At, path, "found an empty list: want limits, none for no guard at all, or no key for the default limits")
	case n.Shape != syntax.Sequence:
		d.Fail(n.At, path,
			"found %s: want a list of limits, as in [{channel: measured_m, trip: 0.02, action: ramp}], or none for no "+
				"guard at all", n.Describe())
	default:
		d.List(path, n, (*[]Limit)(l))
	}
}

// nonFinite is the channel without levels.
const nonFinite = "non_finite"

// Limit is a limit on a channel.
type Limit struct {
	Channel string  `yaml:"channel" doc:"command_m, command_rate_m_s, measured_m, velocity_m_s, error_m, force_N (the largest of all axes; with several axes also one of them, as measured_2_m), age, non_finite, or a channel of a part, as sw_pct and energy_residual_J of the energies"`
	Warn    float64 `yaml:"warn,omitempty" doc:"magnitude that gives a warning, in the channel's unit; 0: no warning"`
	Trip    float64 `yaml:"trip,omitempty" doc:"magnitude at which the limit acts, in the channel's unit"`
	Action  string  `yaml:"action" doc:"indicate, hold, ramp or stop"`
}

// Prepare sets the default.
func (l *Limit) Prepare() { l.Action = "ramp" }

// OnTrip is the block on_trip: how long a hold lasts, and where and how fast a ramp goes.
type OnTrip struct {
	HoldS        float64 `yaml:"hold_s" doc:"time of a hold before the run ends, s"`
	RampTo       string  `yaml:"ramp_to" doc:"zero; or last-safe: the last valid measured position at which every limit that acts was kept"`
	Velocity     float64 `yaml:"velocity_m_s" doc:"largest velocity of a ramp, m/s; a lower rate_m_s of the transfer system counts instead"`
	Acceleration float64 `yaml:"acceleration_m_s2" doc:"largest acceleration of a ramp, m/s²"`
	WithinS      float64 `yaml:"within_s,omitempty" doc:"longest time of a ramp before the run ends, s; default: 30, or longer if the ramp from the farthest limit takes longer"`
}

// gently is the default: 20 mm/s, reached in 40 ms.
func gently() OnTrip {
	return OnTrip{HoldS: 1, RampTo: "zero", Velocity: 0.02, Acceleration: 0.5}
}

// Rating is stroke, rate and force of the actuators, as far as the transfer system states
// them.
func (s *Scenario) Rating() plant.Rating {
	if r, ok := s.transferMaker().(plant.Rated); ok {
		return r.Rated()
	}
	return plant.Rating{}
}

// NoActuatorM is a displacement that no actuator reaches, m. Without a stroke the default
// limits stand at diverged_m, at most here.
const NoActuatorM = 10

// reach is the largest displacement that the default limits allow, m.
func (s *Scenario) reach() float64 {
	if stroke := s.Rating().Stroke; stroke > 0 {
		return stroke
	}
	return min(s.Diverged, NoActuatorM)
}

// jumpPerS times the stroke per second is the command rate at which a command has
// jumped. A sine of 48 Hz over the whole stroke reaches this rate; the amplified noise of
// the benchmark's proportional control stays below. The rate of a ramp is never a jump.
const jumpPerS = 300

// residualM is the residual of a pose at which a pin has slipped or a sensor is wrong, m. The noise of sensors and a
// geometry that was measured to a millimetre leave less, as lengths count from rest.
const residualM = 1e-3

// defaultLimits guard a scenario without limits: values that are not finite, a command
// beyond the stroke, a command that jumps, a specimen beyond the stroke, a tracking
// error of half the stroke, a force beyond the actuator's, lengths that fit no pose. Recovered forces have no
// limit: no load cell measures them.
func (s *Scenario) defaultLimits() Limits {
	rating, reach := s.Rating(), s.reach()
	jump := Limit{Channel: "command_rate_m_s", Trip: max(jumpPerS*reach, s.OnTrip.Velocity), Action: "ramp"}
	out := Limits{
		{Channel: nonFinite, Action: "hold"},
		{Channel: "command_m", Trip: reach, Action: "ramp"},
		jump,
		{Channel: "measured_m", Trip: reach, Action: "ramp"},
		{Channel: "error_m", Trip: reach / 2, Action: "ramp"},
	}
	if s.sensors().L > 0 {
		out = append(out, Limit{Channel: "pose_residual_m", Trip: residualM, Action: "ramp"})
	}
	if _, _, loadCells := s.boundary().size(); rating.Force > 0 && loadCells > 0 {
		out = append(out, Limit{Channel: "force_N", Trip: rating.Force - s.carries(), Action: "ramp"}) // it counts from rest
	}
	out = append(out, s.forceLimits()...)
	if s.Slow() { // a specimen that was not unloaded can go on
		for i := range out {
			out[i].Action = "hold"
		}
	}
	return out
}

// forceLimits bound the displacements of coordinates in which a force is kept.
func (s *Scenario) forceLimits() (out []Limit) {
	for _, i := range s.kept() {
		k := plant.ForceAxis{At: i}
		out = append(out, Limit{Channel: k.DisplacementChannel(), Trip: s.Modes[i].Limit, Action: "ramp"})
	}
	return out
}

// addForceLimits adds those that the list of limits has not.
func (s *Scenario) addForceLimits() {
	for _, l := range s.forceLimits() {
		if !slices.ContainsFunc(s.Limits, func(o Limit) bool { return o.Channel == l.Channel }) {
			s.Limits = append(s.Limits, l)
		}
	}
}

// carries is the largest force of an actuator that holds a platform at rest, N; 0: there is none.
func (s *Scenario) carries() float64 {
	if body, ok := s.Coupler.Params.(*plant.RigidBody); ok {
		if f, err := body.Weighs(); err == nil {
			return f
		}
	}
	return 0
}

// wantRating warns of a missing stroke or rate: the guard then clips no command.
func (b *builder) wantRating() {
	rating := b.s.Rating()
	var missing []string
	for _, q := range []struct {
		key string
		v   float64
	}{{"stroke_m", rating.Stroke}, {"rate_m_s", rating.Rate}} {
		if q.v == 0 {
			missing = append(missing, q.key)
		}
	}
	if len(missing) > 0 {
		b.run.Warnings = append(b.run.Warnings,
			fmt.Sprintf("transfer: %s states no %s, so that no command is clipped: add the numbers of the actuator",
				b.s.TransferKind(), strings.Join(missing, " and no ")))
	}
}

// guard puts the limits around the rig.
func (b *builder) guard() error {
	if b.s.Limits.None() {
		b.run.Notes = append(b.run.Notes, "no limits act on this run (limits: none)")
		return nil
	}
	if defaults := b.s.defaultLimits(); b.s.Limits == nil {
		b.s.Limits = defaults
	} else if b.s.addForceLimits(); !slices.Equal(b.s.Limits, defaults) {
		if err := b.doubtLimits(); err != nil {
			return err
		}
	}
	b.wantRating()
	c, err := b.guardConfig()
	if err != nil {
		return err
	}
	if b.run.Guard, err = rig.NewGuard(b.theRig, c); err != nil {
		return err
	}
	b.theRig = b.run.Guard
	b.follow(b.run.Guard)
	b.observers = append(b.observers, b.run.Guard.Observer())
	if b.o.Disarmed {
		return nil
	}
	return b.run.Guard.Arm()
}

func (b *builder) guardConfig() (rig.GuardConfig, error) {
	rating := b.s.Rating()
	c := rig.GuardConfig{
		RateHz: b.s.RateHz, Axes: b.s.Axes(), Forces: b.forces, Stroke: rating.Stroke, Rate: rating.Rate,
		HoldS: b.s.OnTrip.HoldS, NonFinite: rig.Hold, Channels: b.channels(),
	}
	if b.start != nil {
		c.Start = b.start.Command
	}
	if b.s.Rig.Given() {
		late := b.s.Rig.Params.Late
		c.Late.HoldAfter, c.Late.RampAfter, c.Late.Most, c.Late.Within = late.HoldAfter, late.RampAfter, late.Most,
			late.Within
	}
	for i, l := range b.s.Limits {
		if l.Channel == "" {
			return c, b.s.At(fmt.Sprintf("limits[%d]", i+1), errors.New("channel is missing: want one, such as measured_m"))
		}
		if err := l.add(&c); err != nil {
			return c, b.s.At(fmt.Sprintf("limits[%d]", i+1), err)
		}
		if l.Channel == nonFinite && slices.ContainsFunc(b.s.Limits[:i],
			func(o Limit) bool { return o.Channel == l.Channel }) {
			return c, errors.New("channel non_finite: has two limits: want one")
		}
	}
	if b.o.Rehearsed && !slices.ContainsFunc(c.Limits,
		func(l rig.Limit) bool { return l.Channel == stability.ImplausiblePct }) {
		c.Limits = append(c.Limits, rig.Limit{Channel: stability.ImplausiblePct, Trip: stability.PlausiblePct,
			Action: rig.Indicate})
	}
	var err error
	c.Profile, err = b.s.rampProfile()
	return c, b.s.At("on_trip", err)
}

// rampProfile is the profile of a ramp, and sets the time that on_trip leaves open.
func (s *Scenario) rampProfile() (rig.Profile, error) {
	p, err := s.OnTrip.profile(s.Rating().Rate, s.farthest())
	if err == nil {
		s.OnTrip.WithinS = p.WithinS
	}
	return p, err
}

// LongestRampS is the longest time that a ramp takes from within the limits, s.
func (s *Scenario) LongestRampS() float64 {
	p, err := s.OnTrip.profile(s.Rating().Rate, s.farthest())
	if err != nil {
		return s.OnTrip.WithinS
	}
	if rate := s.Rating().Rate; rate > 0 {
		p.Velocity = min(p.Velocity, rate)
	}
	return min(p.WithinS, p.Duration(s.farthest()))
}

// farthest is the largest displacement that a ramp may start from, m.
func (s *Scenario) farthest() float64 {
	most := s.reach()
	for _, l := range s.Limits {
		if l.Channel == "command_m" || l.Channel == "measured_m" {
			most = max(most, l.Trip)
		}
	}
	return most
}

// profile is the profile of a ramp. Its time is long enough to go farthest metres at the
// actuator's rate, m/s (0: not known).
func (p *OnTrip) profile(rate, farthest float64) (rig.Profile, error) {
	if p.RampTo != "zero" && p.RampTo != "last-safe" {
		return rig.Profile{}, fmt.Errorf("ramp_to %q: want zero or last-safe", p.RampTo)
	}
	out := rig.Profile{ToSafe: p.RampTo == "last-safe", Velocity: p.Velocity, Acceleration: p.Acceleration,
		WithinS: p.WithinS}
	if p.WithinS == 0 {
		slowest := out
		if rate > 0 {
			slowest.Velocity = min(slowest.Velocity, rate)
		}
		out.WithinS = min(max(30, math.Ceil(1.5*slowest.Duration(farthest))), rig.LongestS)
	}
	return out, nil
}

// add adds the limit to the configuration of a guard.
func (l *Limit) add(c *rig.GuardConfig) error {
	action, err := rig.ParseAction(l.Action)
	if err != nil {
		return fmt.Errorf("channel %s: %w", l.Channel, err)
	}
	if l.Channel != nonFinite {
		c.Limits = append(c.Limits, rig.Limit{Channel: l.Channel, Warn: l.Warn, Trip: l.Trip, Action: action})
		return nil
	}
	if l.Warn != 0 || l.Trip != 0 || action == rig.Indicate {
		return fmt.Errorf("non_finite: warn %g, trip %g, action %s: want no levels, and hold, ramp or stop", l.Warn, l.Trip,
			l.Action)
	}
	c.NonFinite = action
	return nil
}
