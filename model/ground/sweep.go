package ground

import "math"

// Sweep is a chirp of constant amplitude: sin φ(t), whose frequency φ'/2π goes
// from one value to the other over the duration T.
//
//	linear: φ = 2π (f0 t + (f1−f0) t²/(2T))
//	log:    φ = 2π f0 T/ln(f1/f0) ((f1/f0)^(t/T) − 1)
//
// A sweep may go up or down. It starts at zero but with full amplitude.
type Sweep struct {
	Sampling  `yaml:",inline"`
	From      float64 `yaml:"from_hz" doc:"frequency at the beginning, Hz, 0 (log: above 0) to Nyquist"`
	To        float64 `yaml:"to_hz" doc:"frequency at the end, Hz, 0 (log: above 0) to Nyquist"`
	Amplitude float64 `yaml:"amplitude_m_s2" doc:"amplitude, m/s²"`
	Law       string  `yaml:"law" doc:"how the frequency changes over time: linear or log"`
}

// defaultSweep is the chirp of the single-actuator benchmark.
func defaultSweep() Source {
	return &Sweep{Sampling: Sampling{Duration: 90}, From: 0.1, To: 40, Amplitude: 1, Law: "linear"}
}

// Motion synthesises the chirp.
func (p *Sweep) Motion(at At) (Motion, error) {
	m, err := p.zeros("sweep", at)
	if err != nil {
		return Motion{}, err
	}
	log := p.Law == "log"
	err = check(
		rule{log || p.Law == "linear", "law", p.Law, "linear or log"},
		nyquistRule("from_hz", p.From, m.Dt),
		nyquistRule("to_hz", p.To, m.Dt),
		rule{!log || p.From > 0, "from_hz", p.From, "more than 0 for the law log"},
		rule{!log || p.To > 0, "to_hz", p.To, "more than 0 for the law log"},
		amplitudeRule(p.Amplitude),
	)
	if err != nil {
		return Motion{}, err
	}
	for i := range m.A {
		m.A[i] = p.Amplitude * math.Sin(2*math.Pi*p.cycles(float64(i)*m.Dt))
	}
	return m, nil
}

// cycles is φ/2π at t seconds.
func (p *Sweep) cycles(t float64) float64 {
	if p.Law == "log" && p.From != p.To {
		rate := math.Log(p.To/p.From) / p.Duration
		return p.From / rate * math.Expm1(rate*t)
	}
	return p.From*t + 0.5*(p.To-p.From)/p.Duration*t*t
}
