package rig

import (
	"fmt"
	"strings"

	"rths"
)

// StuckFault is a sensor that stays at one value.
type StuckFault struct {
	Channel string `yaml:"channel" doc:"measured_m or force_N; with several actuators measured_1_m, measured_2_m, …"`
	Span    `yaml:",inline"`
}

// Make makes it.
func (p *StuckFault) Make(c FaultConfig, _ string) (*Fault, error) {
	return c.sensorFault("stuck", p.Channel, p.Span, func(s sensor) faultyReading { return &stuck{sensor: s} })
}

type stuck struct {
	sensor
	value float64
}

func (f *stuck) read(r *rths.Reading, since int, on bool) {
	if !on {
		return
	}
	v := f.of(r)
	if since == 0 {
		f.value = *v
	}
	*v = f.value
}

// VisitState visits the value it is stuck at.
func (f *stuck) VisitState(v *rths.StateVisitor) { v.Float(&f.value) }

// SpikeFault adds a constant.
type SpikeFault struct {
	Channel string `yaml:"channel" doc:"measured_m or force_N; with several actuators measured_1_m, measured_2_m, …"`
	Span    `yaml:",inline"`
	Size    float64 `yaml:"size" doc:"added value, in the channel's unit, m or N"`
}

// Make makes it.
func (p *SpikeFault) Make(c FaultConfig, _ string) (*Fault, error) {
	if p.Size == 0 || !rths.Finite(p.Size) {
		return nil, fmt.Errorf("size %g: want another number than 0", p.Size)
	}
	span := p.Span
	if span.DurationS == 0 {
		span.DurationS = 1 / c.RateHz
	}
	return c.changed("spike", p.Channel, span, func(x float64, _ int) float64 { return x + p.Size })
}

// DriftFault adds a value that grows linearly with time.
type DriftFault struct {
	Channel string `yaml:"channel" doc:"measured_m or force_N; with several actuators measured_1_m, measured_2_m, …"`
	Span    `yaml:",inline"`
	Rate    float64 `yaml:"rate" doc:"value added per second, in the channel's unit per second, m/s or N/s"`
}

// Make makes it.
func (p *DriftFault) Make(c FaultConfig, _ string) (*Fault, error) {
	if p.Rate == 0 || !rths.Finite(p.Rate) {
		return nil, fmt.Errorf("rate %g: want another number than 0", p.Rate)
	}
	perTick := p.Rate / c.RateHz
	return c.changed("drift", p.Channel, p.Span, func(x float64, since int) float64 { return x + perTick*float64(since) })
}

// ReversedFault turns the sign round.
type ReversedFault struct {
	Channel string `yaml:"channel" doc:"measured_m or force_N; with several actuators measured_1_m, measured_2_m, …"`
	Span    `yaml:",inline"`
}

// Make makes it.
func (p *ReversedFault) Make(c FaultConfig, _ string) (*Fault, error) {
	return c.changed("reversed", p.Channel, p.Span, func(x float64, _ int) float64 { return -x })
}

// changed is a fault whose reading follows from the true one and the ticks since it began.
type changed struct {
	sensor
	to func(x float64, since int) float64
}

func (f *changed) read(r *rths.Reading, since int, on bool) {
	if on {
		v := f.of(r)
		*v = f.to(*v, since)
	}
}

func (c FaultConfig) changed(kind, channel string, span Span, to func(x float64, since int) float64) (*Fault, error) {
	return c.sensorFault(kind, channel, span, func(s sensor) faultyReading { return &changed{s, to} })
}

// sensor is a place in a reading.
type sensor struct {
	force bool
	i     int
}

func (s *sensor) of(r *rths.Reading) *float64 {
	if s.force {
		return &r.F[s.i]
	}
	return &r.X[s.i]
}

// sensorFault finds the channel and the time of a fault of one sensor.
func (c FaultConfig) sensorFault(kind, channel string, span Span, make func(sensor) faultyReading) (*Fault, error) {
	at, place, err := c.sensor(channel)
	if err != nil {
		return nil, err
	}
	f := &Fault{Kind: kind, Channel: channel, places: []int{place}, reading: make(at)}
	f.From, f.To, err = span.ticks(c)
	return f, err
}

// sensor finds a channel: axes come first, load cells follow.
func (c FaultConfig) sensor(channel string) (s sensor, place int, err error) {
	var names []string
	for i := range c.Axes + c.LoadCells {
		s = sensor{i: i}
		name := numbered("measured", "m", i, c.Axes)
		if i >= c.Axes {
			s = sensor{force: true, i: i - c.Axes}
			name = numbered("force", "N", s.i, c.LoadCells)
		}
		if name == channel {
			return s, i, nil
		}
		names = append(names, name)
	}
	reason := "no sensor measures it"
	if strings.HasPrefix(channel, "force") && c.LoadCells == 0 {
		reason = "there is no load cell, the force follows from the measured displacement"
	}
	return s, 0, fmt.Errorf("channel %q: %s: want %s", channel, reason, strings.Join(names, " or "))
}
