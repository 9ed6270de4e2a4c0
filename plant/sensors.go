package plant

import (
	"fmt"

	"rths"
	"rths/signal"
)

// Sensor is what lies between a true quantity and its reading:
// reading = polarity · gain · true + noise + offset, within ±range, quantized.
type Sensor struct {
	Noise      float64 `yaml:"noise,omitempty" doc:"standard deviation of white noise, one value per sample, in the sensor's unit"`
	NoisePower float64 `yaml:"noise_power,omitempty" doc:"in place of noise: power of Simulink's band-limited white noise; the standard deviation is its root over the sample time"`
	Gain       float64 `yaml:"gain" doc:"gain, 1 for a calibrated sensor"`
	Offset     float64 `yaml:"offset,omitempty" doc:"offset, in the sensor's unit"`
	Reversed   bool    `yaml:"reversed,omitempty" doc:"polarity reversed"`
	Range      float64 `yaml:"range,omitempty" doc:"largest magnitude, in the sensor's unit; 0: none"`
	Quantum    float64 `yaml:"quantum,omitempty" doc:"smallest step of its converter, in the sensor's unit; 0: none"`
}

// Sensors are those of a test with displacement in m and force in N.
type Sensors struct {
	Displacement Sensor `yaml:"displacement,omitempty" doc:"displacement sensor, m"`
	Force        Sensor `yaml:"force,omitempty" doc:"load cell, N"`
}

// CalibratedSensors have gain 1 and nothing else.
func CalibratedSensors() Sensors {
	return Sensors{Displacement: Sensor{Gain: 1}, Force: Sensor{Gain: 1}}
}

// BenchmarkSensors are those of the single-actuator benchmark: noise powers
// 6.25e-14 and 1.16e-3 at a sample time of 1/4096 s, that is 16.0 µm and 2.18 N
// (facts, section 4).
func BenchmarkSensors() Sensors {
	s := CalibratedSensors()
	s.Displacement.NoisePower = 6.25e-14
	s.Force.NoisePower = 1.16e-3
	return s
}

// Gauge is a sensor at work.
type Gauge struct {
	sd, gain, offset float64
	adc              signal.Converter
	noise            *signal.Noise
	ideal            bool
}

// Make makes the gauge for a sample time dt; noise comes from the named stream
// of the seed.
func (s Sensor) Make(name string, dt float64, seed uint64) (*Gauge, error) {
	for _, q := range []struct {
		name string
		v    float64
	}{{"noise", s.Noise}, {"noise_power", s.NoisePower}, {"range", s.Range}, {"quantum", s.Quantum}} {
		if !(q.v >= 0) {
			return nil, fmt.Errorf("%s sensor: %s %g: want 0 or more", name, q.name, q.v)
		}
	}
	if s.Noise > 0 && s.NoisePower > 0 {
		return nil, fmt.Errorf("%s sensor: noise %g and noise_power %g: want one of them", name, s.Noise, s.NoisePower)
	}
	g := &Gauge{sd: s.Noise, gain: s.Gain, offset: s.Offset, adc: signal.Converter{Quantum: s.Quantum, Range: s.Range}}
	if s.NoisePower > 0 {
		g.sd = signal.PowerToSD(s.NoisePower, dt)
	}
	if s.Reversed {
		g.gain = -g.gain
	}
	g.noise = signal.NewNoise(seed, name, g.sd)
	return g, nil
}

// Read is the reading of a true value; it draws noise once.
func (g *Gauge) Read(truth float64) float64 {
	if g.ideal {
		return g.gain * truth
	}
	y := g.gain*truth + g.offset
	if g.sd > 0 {
		y += g.noise.Next()
	}
	return g.adc.AD(y)
}

// Idealise leaves gain and polarity only.
func (g *Gauge) Idealise(on bool) { g.ideal = on }

// AppendState appends the state of the noise.
func (g *Gauge) AppendState(dst []float64) []float64 { return g.noise.AppendState(dst) }

// SetState takes it.
func (g *Gauge) SetState(src []float64) []float64 { return g.noise.SetState(src) }

var _ rths.Stateful = (*Gauge)(nil)
