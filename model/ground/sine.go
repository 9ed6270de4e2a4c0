package ground

import "math"

// Sine is the harmonic acceleration A sin 2πft from rest.
type Sine struct {
	Sampling  `yaml:",inline"`
	Frequency float64 `yaml:"frequency_hz" doc:"frequency, Hz, 0 to Nyquist"`
	Amplitude float64 `yaml:"amplitude_m_s2" doc:"amplitude, m/s²"`
}

// defaultSine is 1 Hz for 20 s.
func defaultSine() Source {
	return &Sine{Sampling: Sampling{Duration: 20}, Frequency: 1, Amplitude: 1}
}

// Motion synthesises the sine.
func (p *Sine) Motion(at At) (Motion, error) {
	m, err := p.zeros("sine", at)
	if err != nil {
		return Motion{}, err
	}
	if err := check(nyquistRule("frequency_hz", p.Frequency, m.Dt), amplitudeRule(p.Amplitude)); err != nil {
		return Motion{}, err
	}
	for i := range m.A {
		m.A[i] = p.Amplitude * math.Sin(2*math.Pi*p.Frequency*float64(i)*m.Dt)
	}
	return m, nil
}
