package ground

import (
	"fmt"
	"math"
	"math/cmplx"
	"testing"

	"rths/kit/rthstest"
	"rths/maths/signal"
)

// multisine is a target of coordinate i of n with lines from 0.5 to 8 Hz.
func multisine(t *testing.T, i, n int, change func(*TargetMultisine)) Motion {
	t.Helper()
	p := &TargetMultisine{Duration: 30, Period: 10, From: 0.5, To: 8, Amplitude: 0.004, AmplitudeRad: 0.002,
		Phases: schroeder}
	if change != nil {
		change(p)
	}
	m, err := p.Motion(At{RateHz: 128, Seed: 3, Axis: Axis{I: i, Of: n, Rotation: i == 2}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Each coordinate has every n-th line, all of one amplitude, and its peak; no two coordinates share a line.
func TestMultisineHasLinesOfItsOwn(t *testing.T) {
	const n, first, last, periodSamples = 3, 5, 80, 1280
	for _, phases := range []string{schroeder, "random"} {
		owner := map[int]int{}
		for i := range n {
			m := multisine(t, i, n, func(p *TargetMultisine) { p.Phases = phases })
			peak := map[bool]float64{false: 0.004, true: 0.002}[i == 2]
			rthstest.Near(t, "peak", m.PGA(), peak, 1e-15)
			rthstest.Near(t, "start", m.A[0], 0, 0)
			rthstest.Near(t, "end", m.A[len(m.A)-1], 0, 0)
			middle := m.A[periodSamples:][:periodSamples]
			crest := Motion{A: middle}.PGA() / rms(middle)
			if most := map[string]float64{schroeder: 2, "random": 3.7}[phases]; crest > most {
				t.Errorf("%s, coordinate %d: crest factor %.3g: want at most %g", phases, i+1, crest, most)
			}
			lines, largest := signal.Spectrum(middle), 0.0
			for _, z := range lines {
				largest = max(largest, cmplx.Abs(z))
			}
			for j, z := range lines {
				k := j + 1
				switch size := cmplx.Abs(z) / largest; {
				case k >= first && k <= last && (k-first)%n == i:
					rthstest.Near(t, fmt.Sprint("line ", k), size, 1, 1e-9)
					if by, taken := owner[k]; taken {
						t.Errorf("line %d belongs to coordinates %d and %d", k, by+1, i+1)
					}
					owner[k] = i
				case size > 1e-9:
					t.Errorf("coordinate %d has %.2g of line %d: want none", i+1, size, k)
				}
			}
		}
		if len(owner) != last-first+1 {
			t.Errorf("%d lines: want %d", len(owner), last-first+1)
		}
	}
}

// The motion repeats itself from the end of the first quarter of a period to the last quarter, and rises smoothly: no
// velocity is larger than in the middle by more than that of the envelope.
func TestMultisineRepeatsItself(t *testing.T) {
	m := multisine(t, 1, 2, nil)
	for k := 320; k+1280 < len(m.A)-320; k++ {
		rthstest.Near(t, "a period later", m.A[k+1280], m.A[k], 0)
	}
	fastest := func(a []float64) (most float64) {
		for k := 1; k < len(a); k++ {
			most = max(most, math.Abs(a[k]-a[k-1]))
		}
		return most
	}
	if rise, usual := fastest(m.A[:320]), fastest(m.A[640:1920]); rise > 1.05*usual {
		t.Errorf("the rise moves %.3g m a sample, the middle %.3g", rise, usual)
	}
}

func TestMultisineErrors(t *testing.T) {
	for _, c := range []struct {
		change func(*TargetMultisine)
		want   string
	}{
		{func(p *TargetMultisine) { p.Period = 10.001 }, "period_s 10.001: want a whole number of samples of 0.0078125 s"},
		{func(p *TargetMultisine) { p.Duration = 35 },
			"duration_s 35: want a whole number of periods of 10 s, at least 3"},
		{func(p *TargetMultisine) { p.Duration = 20 },
			"duration_s 20: want a whole number of periods of 10 s, at least 3"},
		{func(p *TargetMultisine) { p.From = 0 }, "from_hz 0: want more than 0"},
		{func(p *TargetMultisine) { p.To = 64 }, "to_hz 64: want less than 64 Hz, half the sampling rate"},
		{func(p *TargetMultisine) { p.To = 0.6 }, "to_hz 0.6: want at least 3 lines, 0.1 Hz apart, from 0.5 Hz on"},
		{func(p *TargetMultisine) { p.Duration, p.Period, p.To = 3000, 1000, 4 },
			"to_hz 4: want at most 2000 lines, 0.001 Hz apart, from 0.5 Hz on"},
		{func(p *TargetMultisine) { p.AmplitudeRad = 0 },
			"amplitude_rad 0: want more than 0 to 1000, the peak of coordinate 3"},
		{func(p *TargetMultisine) { p.Phases = "zero" }, `phases "zero": want schroeder or random`},
	} {
		p := &TargetMultisine{Duration: 30, Period: 10, From: 0.5, To: 8, Amplitude: 0.004, AmplitudeRad: 0.002,
			Phases: schroeder}
		c.change(p)
		_, err := p.Motion(At{RateHz: 128, Axis: Axis{I: 2, Of: 3, Rotation: true}})
		wantError(t, err, c.want)
	}
}
