package scenario

import (
	"rths/lab/rig"
	"rths/lab/rig/wire"
)

// clocks are the words of the key rig.clock as the protocol has them.
var clocks = map[string]wire.Clock{lockstep: wire.Lockstep, ownClock: wire.OwnClock}

// Expectation is what a loop over this scenario wants of a rig elsewhere.
func (s *Scenario) Expectation(program string) wire.Expectation {
	w := wire.Expectation{RateHz: s.RateHz, Sensors: s.sensors(), Program: program}
	if s.Rig.Given() {
		w.Clock = clocks[s.Rig.Params.Clock]
	}
	return w
}

// Info is what the laboratory says of itself to a loop: SI units, and the ranges that the
// transfer system states. That it is virtual, whoever serves it says (udp.Server).
func (l *Laboratory) Info() wire.Info {
	w, r := l.Scenario.Expectation(""), l.Rating
	info := wire.Info{RateHz: w.RateHz, Clock: w.Clock, Name: l.Name}
	if l.Scenario.Rig.Given() {
		info.WatchdogS = l.Scenario.Rig.Params.WatchdogMs / 1e3
	}
	for range w.Sensors.X {
		info.X = append(info.X, wire.Channel{Range: r.Stroke, Rate: r.Rate, Unit: "m"})
	}
	for range w.Sensors.F {
		info.F = append(info.F, wire.Channel{Range: r.Force, Unit: "N"})
	}
	for range w.Sensors.A {
		info.A = append(info.A, wire.Channel{Unit: "m/s²"})
	}
	for range w.Sensors.L {
		info.L = append(info.L, wire.Channel{Unit: "m"})
	}
	return info
}

// beyond is the share of a range at which the limits of a laboratory act: a loop's own limits
// lie within the range and act first.
const beyond = 1.1

// OwnLimits are the limits of the laboratory, which act whatever the loop does: commands are
// clipped to stroke and rate; a measured displacement or force a tenth beyond its range ramps
// to safety.
func (l *Laboratory) OwnLimits() rig.GuardConfig {
	c := rig.GuardConfig{RateHz: l.RateHz, Axes: l.Sensors.X, Forces: l.Sensors.F, Stroke: l.Rating.Stroke, Rate: l.Rating.Rate,
		NonFinite: rig.Hold, HoldS: 1, Profile: l.Profile}
	c.Limits = []rig.Limit{{Channel: "measured_m", Trip: beyond * l.ReachM, Action: rig.Ramp}}
	if l.Rating.Force > 0 && l.Sensors.F > 0 {
		c.Limits = append(c.Limits, rig.Limit{Channel: "force_N", Trip: beyond * l.Rating.Force, Action: rig.Ramp})
	}
	slow := l.Profile
	if r := l.Rating.Rate; r > 0 {
		slow.Velocity = min(slow.Velocity, r)
	}
	c.Profile.WithinS = min(max(c.Profile.WithinS, 1.5*slow.Duration(beyond*l.ReachM)), rig.LongestS)
	return c
}
