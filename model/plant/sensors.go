package plant

import (
	"fmt"

	"rths"
	"rths/maths/signal"
)

// Sensors lie between true quantities and readings:
//
//	reading = ±gain · true + offset + noise, within ±range
//
// with displacement in m, force in N and acceleration in m/s². Noise is white: one independent value
// per sample.
type Sensors struct {
	DisplacementNoise      float64 `yaml:"displacement_noise,omitempty" doc:"standard deviation of displacement noise, m"`
	DisplacementNoisePower float64 `yaml:"displacement_noise_power,omitempty" doc:"in its place: power of Simulink's band-limited white noise, m²·s; the standard deviation is sqrt(power / sample time)"`
	DisplacementGain       float64 `yaml:"displacement_gain" doc:"gain, 1 for a calibrated sensor"`
	DisplacementOffset     float64 `yaml:"displacement_offset,omitempty" doc:"offset, m"`
	DisplacementReversed   bool    `yaml:"displacement_reversed,omitempty" doc:"polarity reversed"`
	DisplacementRange      float64 `yaml:"displacement_range,omitempty" doc:"largest reading, ±m; 0: none"`
	SharedNoise            bool    `yaml:"displacement_noise_shared,omitempty" doc:"several actuators: one noise for all displacements, as from equal seeds; by default each has its own"`

	ForceNoise      float64 `yaml:"force_noise,omitempty" doc:"standard deviation of force noise, N"`
	ForceNoisePower float64 `yaml:"force_noise_power,omitempty" doc:"in its place: power of Simulink's band-limited white noise, N²·s"`
	ForceGain       float64 `yaml:"force_gain" doc:"gain, 1 for a calibrated load cell"`
	ForceOffset     float64 `yaml:"force_offset,omitempty" doc:"offset, N"`
	ForceReversed   bool    `yaml:"force_reversed,omitempty" doc:"polarity reversed"`
	ForceRange      float64 `yaml:"force_range,omitempty" doc:"largest reading, ±N; 0: none"`

	Acceleration      bool    `yaml:"acceleration,omitempty" doc:"an accelerometer on every actuator, as on a shake table: the mean acceleration over every sample is recorded and judged (criterion acceleration); tvc and tvc-rls control it"`
	AccelerationNoise float64 `yaml:"acceleration_noise,omitempty" doc:"standard deviation of acceleration noise, m/s²"`
}

// PerfectSensors have gain 1 and nothing else.
func PerfectSensors() Sensors { return Sensors{DisplacementGain: 1, ForceGain: 1} }

// Gauges makes the sensors at work for a sample time dt (s): of the displacement of every
// axis, and so many load cells. Readings pass the converters. Every sensor has noise from
// a stream of its own, unless the displacements share one.
func (s *Sensors) Gauges(axes, loadCells int, dt float64, seed uint64, c Conversion) (displacements, forces []*Gauge,
	err error) {
	x, err := newGauge("displacement", s.DisplacementNoise, s.DisplacementNoisePower, s.DisplacementRange, dt)
	if err != nil {
		return nil, nil, err
	}
	f, err := newGauge("force", s.ForceNoise, s.ForceNoisePower, s.ForceRange, dt)
	if err != nil {
		return nil, nil, err
	}
	x.calibrate(s.DisplacementGain, s.DisplacementOffset, s.DisplacementReversed)
	f.calibrate(s.ForceGain, s.ForceOffset, s.ForceReversed)
	x.convert(c.Displacement)
	f.convert(c.Force)
	return x.copies(axes, "displacement", seed, s.SharedNoise), f.copies(loadCells, "force", seed, false), nil
}

// DisplacementSD is the standard deviation of the displacement noise, m.
func (s *Sensors) DisplacementSD(rateHz float64) float64 {
	if s.DisplacementNoisePower > 0 {
		return signal.PowerToSD(s.DisplacementNoisePower, 1/rateHz)
	}
	return s.DisplacementNoise
}

// ForceSD is the standard deviation of the force noise, N.
func (s *Sensors) ForceSD(rateHz float64) float64 {
	if s.ForceNoisePower > 0 {
		return signal.PowerToSD(s.ForceNoisePower, 1/rateHz)
	}
	return s.ForceNoise
}

// Accelerometers are the accelerometers of every axis, which have noise and nothing else;
// none unless asked for.
func (s *Sensors) Accelerometers(axes int, dt float64, seed uint64) ([]*Gauge, error) {
	a, err := newGauge("acceleration", s.AccelerationNoise, 0, 0, dt)
	switch {
	case err != nil:
		return nil, err
	case !s.Acceleration && s.AccelerationNoise > 0:
		return nil, fmt.Errorf("acceleration_noise %g m/s² without an accelerometer: want acceleration: true",
			s.AccelerationNoise)
	case !s.Acceleration:
		return nil, nil
	}
	a.calibrate(1, 0, false)
	return a.copies(axes, "acceleration", seed, false), nil
}

// Instruments are n instruments that measure lengths with the noise of a displacement and nothing else.
func (s *Sensors) Instruments(n int, dt float64, seed uint64) ([]*Gauge, error) {
	l, err := newGauge("displacement", s.DisplacementNoise, s.DisplacementNoisePower, 0, dt)
	if err != nil {
		return nil, err
	}
	l.calibrate(1, 0, false)
	return l.copies(n, "length", seed, false), nil
}

// Gauge is a sensor at work.
type Gauge struct {
	sd, gain, offset, limit float64
	adc                     signal.Converter
	noise                   *signal.Noise
	bounded                 bool // has a range or a converter
	ideal                   bool
}

// newGauge is a sensor without its noise.
func newGauge(name string, sd, power, limit, dt float64) (*Gauge, error) {
	for _, q := range []struct {
		key string
		v   float64
	}{{"noise", sd}, {"noise_power", power}, {"range", limit}} {
		if !(q.v >= 0) {
			return nil, fmt.Errorf("%s_%s %g: want 0 or more", name, q.key, q.v)
		}
	}
	if sd > 0 && power > 0 {
		return nil, fmt.Errorf("%s_noise %g and %s_noise_power %g: want one of them", name, sd, name, power)
	}
	if power > 0 {
		sd = signal.PowerToSD(power, dt)
	}
	return &Gauge{sd: sd, limit: limit}, nil
}

// copies are n such sensors. The stream of the first one's noise has no number.
func (g *Gauge) copies(n int, name string, seed uint64, shared bool) []*Gauge {
	out := make([]*Gauge, n)
	for i := range out {
		stream := name
		if i > 0 && !shared {
			stream = fmt.Sprintf("%s %d", name, i+1)
		}
		one := *g
		one.noise = signal.NewNoise(seed, stream, g.sd)
		out[i] = &one
	}
	return out
}

func (g *Gauge) calibrate(gain, offset float64, reversed bool) {
	if g.gain, g.offset = gain, offset; reversed {
		g.gain = -gain
	}
}

func (g *Gauge) convert(c signal.Converter) {
	g.adc, g.bounded = c, g.limit > 0 || c != signal.Converter{}
}

// Read is the reading of a true value. It draws noise once.
func (g *Gauge) Read(truth float64) float64 {
	if g.ideal {
		return g.gain * truth
	}
	y := g.gain*truth + g.offset
	if g.sd > 0 {
		y += g.noise.Next()
	}
	if g.bounded {
		y = g.adc.AD(signal.Saturate(y, g.limit))
	}
	return y
}

// Idealise leaves gain and polarity only.
func (g *Gauge) Idealise(on bool) { g.ideal = on }

// VisitState visits the state of the noise.
func (g *Gauge) VisitState(v *rths.StateVisitor) { g.noise.VisitState(v) }

var (
	_ rths.Stateful  = (*Gauge)(nil)
	_ rths.Idealiser = (*Gauge)(nil)
)
