package ground

import (
	"fmt"
	"math"
)

// Axis is the coordinate that a target is for.
type Axis struct {
	I, Of    int  // the first is 0; 0 of 0: the only one
	Rotation bool // in rad
}

// TargetMultisine is a sum of cosines of equal amplitude at whole multiples of 1/period_s, its lines. With n
// coordinates, coordinate i has every n-th line from the i-th on, so that each line is of one coordinate
// (zippered lines; Rivera et al. 2009):
//
//	x_i = Σ_m a cos(2π f_m t + φ_m),  f_m = (k + i + m n)/T
//
// Schroeder's phases (1970), φ_m = −π m (m − 1)/M, keep the peak low. The motion rises in the first quarter of the
// first period and falls in the last quarter of the last one.
type TargetMultisine struct {
	Duration     float64 `yaml:"duration_s" doc:"length, s, at least three whole periods"`
	Period       float64 `yaml:"period_s" doc:"period, s, a whole number of samples; the lines are 1/period_s apart"`
	From         float64 `yaml:"from_hz" doc:"lowest line, Hz, rounded up to one, above 0"`
	To           float64 `yaml:"to_hz" doc:"highest line, Hz, rounded down to one"`
	Amplitude    float64 `yaml:"amplitude_m" doc:"peak of each coordinate, m (under the coupler linear in the unit of the coordinate)"`
	AmplitudeRad float64 `yaml:"amplitude_rad,omitempty" doc:"peak of each coordinate that is a rotation, rad"`
	Phases       string  `yaml:"phases" doc:"schroeder: a low peak; random: another motion with every seed"`
}

const (
	leastPeriods = 3
	mostLines    = 2000 // of all coordinates
	risePart     = 0.25 // of a period
)

// defaultMultisine is 0.1 to 10 Hz in steps of 0.05 Hz.
func defaultMultisine() Source {
	return &TargetMultisine{Duration: 80, Period: 20, From: 0.1, To: 10, Amplitude: 0.005, Phases: schroeder}
}

const schroeder = "schroeder"

// Motion synthesises the motion of one coordinate.
func (p *TargetMultisine) Motion(at At) (Motion, error) {
	m, err := Sampling{Duration: p.Duration}.zeros("multisine", at)
	if err != nil {
		return Motion{}, err
	}
	samples := snap(p.Period / m.Dt)
	periods := snap(p.Duration / p.Period)
	first, last := math.Ceil(snap(p.From*p.Period)), math.Floor(snap(p.To*p.Period))
	peak, key := p.Amplitude, "amplitude_m"
	if at.Axis.Rotation {
		peak, key = p.AmplitudeRad, "amplitude_rad"
	}
	n := max(1, at.Axis.Of)
	err = check(
		rule{p.Period > 0 && samples == math.Trunc(samples), "period_s", p.Period,
			fmt.Sprintf("a whole number of samples of %g s", m.Dt)},
		rule{periods >= leastPeriods && periods == math.Trunc(periods), "duration_s", p.Duration,
			fmt.Sprintf("a whole number of periods of %g s, at least %d", p.Period, leastPeriods)},
		rule{p.From > 0, "from_hz", p.From, "more than 0"},
		nyquistRule("to_hz", p.To, m.Dt),
		rule{last < samples/2, "to_hz", p.To, fmt.Sprintf("less than %g Hz, half the sampling rate", 0.5/m.Dt)},
		rule{last-first+1 >= float64(n), "to_hz", p.To,
			fmt.Sprintf("at least %d lines, %g Hz apart, from %g Hz on", n, 1/p.Period, p.From)},
		rule{last-first+1 <= mostLines, "to_hz", p.To,
			fmt.Sprintf("at most %d lines, %g Hz apart, from %g Hz on", mostLines, 1/p.Period, p.From)},
		rule{peak > 0 && peak <= 1e3, key, peak, fmt.Sprintf("more than 0 to 1000, the peak of coordinate %d", at.Axis.I+1)},
		rule{p.Phases == schroeder || p.Phases == "random", "phases", p.Phases, "schroeder or random"},
	)
	if err != nil {
		return Motion{}, err
	}
	x := p.period(int(samples), int(first), int(last), n, at)
	scale := peak / (Motion{A: x}).PGA()
	rise := risePart * samples
	for i := range m.A {
		m.A[i] = scale * x[i%len(x)] * rising(float64(i)/rise) * rising(float64(len(m.A)-1-i)/rise)
	}
	return m, nil
}

// rising goes from 0 at 0 to 1 at 1 without a bend.
func rising(x float64) float64 { return 0.5 * (1 - math.Cos(math.Pi*min(x, 1))) }

// period is one period of a coordinate. Coordinates are shifted by parts of T/n in time: where one is fast, another is
// slow.
func (p *TargetMultisine) period(samples, first, last, n int, at At) []float64 {
	turn, sum := make([]complex128, samples), make([]complex128, samples)
	for j := range turn {
		sin, cos := math.Sincos(2 * math.Pi * float64(j) / float64(samples))
		turn[j] = complex(cos, sin)
	}
	draw, lines := stream(at.Seed), (last-first-at.Axis.I)/n+1
	for k := first; k <= last; k++ {
		m, phase := (k-first)/n, 2*math.Pi*draw.Float64()
		if (k-first)%n != at.Axis.I {
			continue
		}
		if p.Phases == schroeder {
			phase = -math.Pi*float64(m)*float64(m-1)/float64(lines) - 2*math.Pi*float64(k*at.Axis.I)/float64(n*n)
		}
		sin, cos := math.Sincos(phase)
		for i, j := 0, 0; i < samples; i++ {
			sum[i] += turn[j] * complex(cos, sin)
			if j += k; j >= samples {
				j -= samples
			}
		}
	}
	x := make([]float64, samples)
	for j, z := range sum {
		x[j] = real(z)
	}
	return x
}
