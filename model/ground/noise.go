package ground

import (
	"fmt"
	"math"
)

// Noise is Gaussian noise with a flat spectrum between two frequencies, scaled
// so that this realisation has exactly the wanted root mean square. It is cut
// out of a longer stationary process (see gaussian): it starts at full
// intensity and leaks a little over the edges of the band.
type Noise struct {
	Sampling `yaml:",inline"`
	From     float64 `yaml:"from_hz" doc:"lower edge of the band, Hz, 0 or more"`
	To       float64 `yaml:"to_hz" doc:"upper edge of the band, Hz, above from_hz, up to Nyquist"`
	RMS      float64 `yaml:"rms_m_s2" doc:"root mean square, m/s², 0 or more"`
}

// defaultNoise is 0.1 to 20 Hz for 30 s.
func defaultNoise() Source {
	return &Noise{Sampling: Sampling{Duration: 30}, From: 0.1, To: 20, RMS: 0.5}
}

// Motion synthesises the noise.
func (p *Noise) Motion(at At) (Motion, error) {
	m, err := p.zeros("noise", at)
	if err != nil {
		return Motion{}, err
	}
	err = check(
		nyquistRule("from_hz", p.From, m.Dt),
		nyquistRule("to_hz", p.To, m.Dt),
		rule{p.To > p.From, "to_hz", p.To, fmt.Sprintf("more than from_hz, %g", p.From)},
		rule{p.RMS >= 0 && p.RMS <= 1e6, "rms_m_s2", p.RMS, "0 to 1e6 m/s²"},
	)
	if err != nil {
		return Motion{}, err
	}
	band := func(hz float64) float64 {
		if hz >= p.From && hz <= p.To {
			return 1
		}
		return 0
	}
	if gaussian(m.A, m.Dt, band, stream(at.Seed)) == 0 {
		return Motion{}, &KeyError{"to_hz", p.To, fmt.Sprintf("a band of at least %.3g Hz above from_hz for %g s",
			0.5/p.Duration, p.Duration)}
	}
	return m.Scaled(p.RMS / rms(m.A)), nil
}

// rms is the root mean square.
func rms(a []float64) float64 {
	sum := 0.0
	for _, v := range a {
		sum += v * v
	}
	return math.Sqrt(sum / float64(len(a)))
}
