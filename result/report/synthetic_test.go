package report_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"rths"
	"rths/result/record"
)

// synthetic describes a run that looks like a hybrid simulation: a modulated
// sine of 3.6 Hz and 4 mm, measured late and with noise.
type synthetic struct {
	name    string
	rows    int
	axes    int
	rateHz  float64
	lagS    float64
	bare    bool // no numerical part, channels or true values
	end     record.Manifest
	diverge bool
}

func usual() synthetic {
	return synthetic{name: "single-actuator benchmark, case 1", rows: 41 * 4096, axes: 1, rateHz: 4096, lagS: 0.005,
		end: record.Manifest{
			Status: rths.Completed, SimulatedS: 41, WallS: 1.23, RealtimeFactor: 33.3, Seed: 1,
			Version: "0.1", Go: "go1.26", Machine: "laboratory", Started: "2025-01-02T03:04:05Z",
			Scenario: "name: single-actuator benchmark, case 1\nstructure: {kind: silva2020, case: 1}\nground: {record: " +
				"elcentro, scale: 0.4}\ncompensator: {kind: amb, order: 3}\n",
			Criteria: []rths.Value{
				{Name: "J1_ms", V: 4.98,
					Doc: "tracking delay: lag of the largest cross-correlation of target and measured displacement"},
				{Name: "J2_pct", V: 7.3112, Doc: "normalised RMS of the tracking error"},
				{Name: "J3_pct", V: math.NaN(), Doc: "peak of the tracking error over the peak of the target"},
			},
			Indicators:  []rths.Value{{Name: "amplitude_pct", V: 99.2, Doc: "measured over target amplitude"}},
			Compensator: []rths.Value{{Name: "a0", V: 1.01}, {Name: "a1_s", V: 0.0211}, {Name: "a2_s2", V: 1.7e-4}},
		}}
}

// wave is the target displacement at time t, m.
func wave(t float64, axis int) float64 {
	envelope := math.Exp(-math.Pow((t-8)/6, 2)) + 0.45*math.Exp(-math.Pow((t-26)/7, 2))
	return 4e-3 * envelope * math.Sin(2*math.Pi*3.6*t+float64(axis))
}

// run records it and opens the archive.
func (s synthetic) run(t testing.TB) *record.Archive {
	t.Helper()
	f, channels, fill := s.frame()
	m := s.end
	m.Name, m.RateHz, m.Samples = s.name, s.rateHz, s.rows
	return archived(t, m, f, channels, s.rows, fill)
}

// frame makes the frame and what fills it in tick k.
func (s synthetic) frame() (*rths.Frame, []rths.Channel, func(k int)) {
	random := rand.New(rand.NewPCG(1, 2))
	num := rths.NewMotion(3)
	f := &rths.Frame{Desired: make([]float64, s.axes), Read: rths.NewReading(s.axes, s.axes),
		Command: make([]float64, s.axes)}
	var values [6]float64
	var channels []rths.Channel
	if s.bare {
		f.Read.TrueX, f.Read.TrueF = nil, nil
	} else {
		f.Num = &num
		for i, c := range []rths.Channel{{Name: "a0", Unit: "-"}, {Name: "a1", Unit: "s"}, {Name: "a2", Unit: "s²"},
			{Name: "ref_x1", Unit: "m"}, {Name: "ref_x2", Unit: "m"}, {Name: "ref_x3", Unit: "m"}} {
			c.V = &values[i]
			channels = append(channels, c)
		}
	}
	return f, channels, func(k int) {
		t := float64(k) / s.rateHz
		f.K, f.T = k, t
		for i := range s.axes {
			f.Desired[i] = wave(t, i)
			f.Read.X[i] = wave(t-s.lagS, i) + 16e-6*random.NormFloat64()
			f.Read.F[i] = 1.19e6 * f.Read.X[i]
			f.Command[i] = wave(t+0.004, i)
			if s.diverge && t > 20 {
				f.Read.X[i] *= math.Exp(4 * (t - 20))
			}
		}
		for i := range 3 {
			num.X[i] = float64(i+1) * wave(t, 0)
			values[3+i] = num.X[i] * 1.02
		}
		values[0], values[1], values[2] = 1+0.01*math.Tanh(t/8), 0.018+0.003*math.Tanh(t/5), 1.7e-4*math.Tanh(t/10)
	}
}
