package scenario

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"rths/plant"
	"rths/rig"
)

// Limits are what a guard watches. Left out, they are the defaults (see
// defaultLimits). The word none in place of the list means no guard at all; in memory
// this is a list without entries that is not nil.
type Limits []Limit

// None says that no guard is wanted.
func (l Limits) None() bool { return l != nil && len(l) == 0 }

// choose reads the list, or the word.
func (l *Limits) choose(d *decoder, path string, n *node) {
	switch {
	case n.shape == scalar && n.text == none:
		*l = Limits{}
	case n.shape == sequence && len(n.items) == 0:
		d.fail(n.at, path, "found an empty list: want limits, none for no guard at all, or no key for the default limits")
	case n.shape != sequence:
		d.fail(n.at, path, "found %s: want a list of limits, as in [{channel: measured_m, trip: 0.02, action: ramp}], or none for no guard at all", n.describe())
	default:
		d.list(path, n, reflect.ValueOf((*[]Limit)(l)).Elem())
	}
}

// none is the word for no limits, nonFinite the channel without levels.
const (
	none      = "none"
	nonFinite = "non_finite"
)

// Limit is a limit on a channel.
type Limit struct {
	Channel string  `yaml:"channel" doc:"command_m, command_rate_m_s, measured_m, velocity_m_s, error_m, force_N (the largest of all axes; with several, of one of them, as measured_2_m), age, non_finite, or a channel of a part, as sw_pct and energy_residual_J of the energies"`
	Warn    float64 `yaml:"warn,omitempty" doc:"warning level of its magnitude, in the channel's unit; 0: none"`
	Trip    float64 `yaml:"trip,omitempty" doc:"level it acts at"`
	Action  string  `yaml:"action" doc:"indicate, hold, ramp or stop"`
}

func (l *Limit) prepare() { l.Action = "ramp" }

// OnTrip is what a hold and a ramp are like.
type OnTrip struct {
	HoldS        float64 `yaml:"hold_s" doc:"a hold lasts so long before the run ends, s"`
	RampTo       string  `yaml:"ramp_to" doc:"zero, or last-safe: the last valid measured position at which no level of a limit that acts was crossed"`
	Velocity     float64 `yaml:"velocity_m_s" doc:"largest velocity of a ramp, m/s; where the transfer system's rate_m_s is lower, that"`
	Acceleration float64 `yaml:"acceleration_m_s2" doc:"largest acceleration of a ramp, m/s²"`
	WithinS      float64 `yaml:"within_s,omitempty" doc:"the run ends after so long even if the ramp is not finished, s; default 30, or what the way from the farthest limit takes where that is longer"`
}

// gently is 20 mm/s, reached in 40 ms.
func gently() OnTrip {
	return OnTrip{HoldS: 1, RampTo: "zero", Velocity: 0.02, Acceleration: 0.5}
}

// rating is what the transfer system states of its actuators.
func (s *Scenario) rating() plant.Rating {
	if r, ok := s.Transfer.Params.(plant.Rated); ok {
		return r.Rated()
	}
	return plant.Rating{}
}

// Where a transfer system states no stroke, diverged_m stands in its place, up to what
// no actuator reaches, m.
const noActuator = 10

// reach is the largest displacement that the default limits allow, m.
func (s *Scenario) reach() float64 {
	if stroke := s.rating().Stroke; stroke > 0 {
		return stroke
	}
	return min(s.Diverged, noActuator)
}

// jumpPerS: a command that changes in a sample by more than 300 times the stroke in a
// second has jumped. A sine of 48 Hz over the whole stroke is as fast; the noise that
// proportional control of the benchmark amplifies stays below. (The ramp of a very short
// stroke is no jump.)
const jumpPerS = 300

// defaultLimits guard a scenario that has no limits of its own: values that are not
// finite, a command beyond the stroke or one that jumps, a specimen beyond the stroke,
// a tracking error of half of it, a force beyond the actuator's. (Recovered
// forces are not the actuators'.)
func (s *Scenario) defaultLimits() Limits {
	rating, reach := s.rating(), s.reach()
	jump := Limit{Channel: "command_rate_m_s", Trip: max(jumpPerS*reach, s.OnTrip.Velocity), Action: "ramp"}
	if p, ok := s.Transfer.Params.(plant.Printed); ok && rating.Rate == 0 && p.PrintedRate() < jump.Trip {
		jump.Warn = p.PrintedRate()
	}
	out := Limits{
		{Channel: nonFinite, Action: "hold"},
		{Channel: "command_m", Trip: reach, Action: "ramp"},
		jump,
		{Channel: "measured_m", Trip: reach, Action: "ramp"},
		{Channel: "error_m", Trip: reach / 2, Action: "ramp"},
	}
	if _, _, loadCells := s.boundary().size(); rating.Force > 0 && loadCells > 0 {
		out = append(out, Limit{Channel: "force_N", Trip: rating.Force, Action: "ramp"})
	}
	return out
}

// wantRating warns of what a guard does not know.
func (b *builder) wantRating() {
	rating := b.s.rating()
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
		b.run.Warnings = append(b.run.Warnings, fmt.Sprintf("transfer: %s states no %s: no command is clipped there; want the actuator's own numbers", b.s.Transfer.Kind, strings.Join(missing, " and no ")))
	}
}

// guard puts the limits around the rig.
func (b *builder) guard() error {
	if b.s.Limits.None() {
		b.run.Notes = append(b.run.Notes, "no limits act on this run (limits: none)")
		return nil
	}
	if b.s.Limits == nil {
		b.s.Limits = b.s.defaultLimits()
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
	b.observers = append(b.observers, b.run.Guard.Observer())
	return b.run.Guard.Arm()
}

func (b *builder) guardConfig() (rig.GuardConfig, error) {
	rating := b.s.rating()
	c := rig.GuardConfig{
		RateHz: b.s.RateHz, Axes: b.s.Axes(), Forces: b.forces, Stroke: rating.Stroke, Rate: rating.Rate,
		HoldS: b.s.OnTrip.HoldS, NonFinite: rig.Hold, Channels: b.channels(),
	}
	if b.start != nil {
		c.Start = b.start.Command
	}
	for i, l := range b.s.Limits {
		if err := l.add(&c); err != nil {
			return c, err
		}
		if l.Channel == nonFinite && slices.ContainsFunc(b.s.Limits[:i], func(o Limit) bool { return o.Channel == l.Channel }) {
			return c, errors.New("channel non_finite: has two limits: want one")
		}
	}
	var err error
	if c.Profile, err = b.s.OnTrip.profile(rating.Rate, b.s.farthest()); err != nil {
		return c, fmt.Errorf("on_trip: %w", err)
	}
	b.s.OnTrip.WithinS = c.Profile.WithinS
	return c, nil
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

// profile is that of a ramp, with time for a way of some metres at no more than the
// actuator's rate (0: not known).
func (p *OnTrip) profile(rate, farthest float64) (rig.Profile, error) {
	if p.RampTo != "zero" && p.RampTo != "last-safe" {
		return rig.Profile{}, fmt.Errorf("ramp_to %q: want zero or last-safe", p.RampTo)
	}
	out := rig.Profile{ToSafe: p.RampTo == "last-safe", Velocity: p.Velocity, Acceleration: p.Acceleration, WithinS: p.WithinS}
	if p.WithinS == 0 {
		slowest := out
		if rate > 0 {
			slowest.Velocity = min(slowest.Velocity, rate)
		}
		out.WithinS = min(max(30, math.Ceil(1.5*slowest.Duration(farthest))), rig.LongestS)
	}
	return out, nil
}

// add adds the limit to what a guard is made of.
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
		return fmt.Errorf("non_finite: warn %g, trip %g, action %s: want no levels, and hold, ramp or stop", l.Warn, l.Trip, l.Action)
	}
	c.NonFinite = action
	return nil
}
