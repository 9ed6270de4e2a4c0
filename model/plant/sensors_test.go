package plant

import (
	"math"
	"slices"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/maths/signal"
)

const dt = 1.0 / rate

// gauges makes perfect sensors with the given changes.
func gauges(seed uint64, change func(s *Sensors)) (x, f *Gauge) {
	s := PerfectSensors()
	change(&s)
	xs, fs, err := s.Gauges(1, 1, dt, seed, Conversion{})
	if err != nil {
		panic(err)
	}
	return xs[0], fs[0]
}

// readings are n readings of one true value.
func readings(g *Gauge, n int, truth float64) []float64 {
	out := make([]float64, n)
	for k := range out {
		out[k] = g.Read(truth)
	}
	return out
}

// The benchmark's noise: powers 6.25e-14 and 1.16e-3 at 4096 Hz are 16.0 µm
// and 2.18 N (docs/reference/benchmark-siso.md, Noise), given as power or as standard deviation.
func TestSensorNoise(t *testing.T) {
	const n = 200000
	for name, change := range map[string]func(s *Sensors){
		"by power":              func(s *Sensors) { s.DisplacementNoisePower, s.ForceNoisePower = 6.25e-14, 1.16e-3 },
		"by standard deviation": func(s *Sensors) { s.DisplacementNoise, s.ForceNoise = 16e-6, 2.18 },
	} {
		gx, gf := gauges(1, change)
		x, f := readings(gx, n, 0.003), readings(gf, n, -500)
		// four standard errors: 4/√(2n) = 0.0063 and 4/√n = 0.0089; 2.18 is rounded to 0.1 %
		rthstest.Near(t, name+": displacement noise", sd(x), 16.0e-6, 0.0063*16e-6)
		rthstest.Near(t, name+": force noise", sd(f), 2.18, (0.0063+0.001)*2.18)
		rthstest.Near(t, name+": mean displacement", mean(x), 0.003, 0.0089*16e-6)
		rthstest.Near(t, name+": mean force", mean(f), -500, 0.0089*2.18)
		rthstest.Near(t, name+": correlation of displacement and force", correlation(x, f), 0, 0.0089)
		rthstest.Near(t, name+": correlation of neighbours", correlation(x[1:], x[:n-1]), 0, 0.0089)
	}
}

// Power is per sample time: a quarter of the rate has half the standard deviation.
func TestSensorNoisePowerFollowsTheRate(t *testing.T) {
	s := PerfectSensors()
	s.DisplacementNoisePower = 6.25e-14
	fast, _, err := s.Gauges(1, 1, dt, 1, Conversion{})
	if err != nil {
		t.Fatal(err)
	}
	slow, _, err := s.Gauges(1, 1, 4*dt, 1, Conversion{})
	if err != nil {
		t.Fatal(err)
	}
	for k := range 100 {
		rthstest.Near(t, "noise at a quarter of the rate", slow[0].Read(0), fast[0].Read(0)/2, 1e-20)
		if t.Failed() {
			t.Fatalf("at reading %d", k)
		}
	}
}

// The streams belong to the seed: the same seed gives the same noise, another
// seed another, and switching one sensor's noise off leaves the other's alone.
func TestSensorStreams(t *testing.T) {
	both := func(s *Sensors) { s.DisplacementNoise, s.ForceNoise = 1, 1 }
	x, f := gauges(1, both)
	again, _ := gauges(1, both)
	other, _ := gauges(2, both)
	_, alone := gauges(1, func(s *Sensors) { s.ForceNoise = 1 })
	a, b, c := readings(x, 50, 0), readings(again, 50, 0), readings(other, 50, 0)
	if !slices.Equal(a, b) || slices.Equal(a, c) {
		t.Error("noise does not belong to the seed")
	}
	if d := readings(f, 50, 0); slices.Equal(a, d) || !slices.Equal(d, readings(alone, 50, 0)) {
		t.Error("force noise depends on displacement noise")
	}
}

// reading = ±gain · true + offset + noise, within ±range.
func TestSensorGainOffsetPolarityRange(t *testing.T) {
	x, f := gauges(1, func(s *Sensors) {
		s.DisplacementGain, s.DisplacementOffset, s.DisplacementReversed, s.DisplacementRange = 1.5, 0.25, true, 4
		s.ForceGain, s.ForceOffset, s.ForceRange = 0.5, -8, 100
	})
	for _, c := range []struct{ truth, x, f float64 }{
		{0, 0.25, -8}, {1, -1.25, -7.5}, {-2, 3.25, -9}, {-3, 4, -9.5}, {3, -4, -6.5}, {300, -4, 100}, {-300, 4, -100},
	} {
		if got := x.Read(c.truth); got != c.x {
			t.Errorf("displacement %g reads %g: want %g", c.truth, got, c.x)
		}
		if got := f.Read(c.truth); got != c.f {
			t.Errorf("force %g reads %g: want %g", c.truth, got, c.f)
		}
	}
	x, f = gauges(1, func(s *Sensors) { s.ForceReversed = true })
	if got := x.Read(3); got != 3 {
		t.Errorf("a perfect sensor reads %g: want 3", got)
	}
	if got := f.Read(3); got != -3 {
		t.Errorf("a reversed sensor reads %g: want -3", got)
	}
}

// Noise is cut off at the range too, and a reading that is no number stays one.
func TestSensorRange(t *testing.T) {
	x, _ := gauges(1, func(s *Sensors) { s.DisplacementNoise, s.DisplacementRange = 1, 0.5 })
	got := readings(x, 1000, 0)
	if slices.Max(got) != 0.5 || slices.Min(got) != -0.5 {
		t.Errorf("readings from %g to %g: want ±0.5", slices.Min(got), slices.Max(got))
	}
	if v := x.Read(math.NaN()); !math.IsNaN(v) {
		t.Errorf("no number reads %g", v)
	}
}

// Idealised, a sensor has gain and polarity only. Switched back, its noise goes
// on where it was.
func TestSensorIdealised(t *testing.T) {
	s := PerfectSensors()
	s.DisplacementNoise, s.DisplacementGain, s.DisplacementOffset, s.DisplacementReversed, s.DisplacementRange = 1, 2, 3,
		true, 0.5
	c := Conversion{Displacement: signal.Converter{Quantum: 0.25, Range: 1}}
	gauges, _, err := s.Gauges(1, 1, dt, 1, c)
	if err != nil {
		t.Fatal(err)
	}
	others, _, err := s.Gauges(1, 1, dt, 1, c)
	if err != nil {
		t.Fatal(err)
	}
	x, same := gauges[0], others[0]
	for k := range 100 {
		x.Idealise(true)
		if got := x.Read(5.1); got != -2*5.1 {
			t.Fatalf("idealised, 5.1 reads %g: want -10.2", got)
		}
		x.Idealise(false)
		if got, want := x.Read(1.5), same.Read(1.5); got != want {
			t.Fatalf("reading %d after idealising: %g, want %g", k, got, want)
		}
	}
}

// A sensor resumed on one of another seed goes on with the same noise.
func TestSensorResumes(t *testing.T) {
	noisy := func(s *Sensors) { s.DisplacementNoise = 1 }
	x, _ := gauges(1, noisy)
	readings(x, 77, 0)
	resumed, _ := gauges(2, noisy)
	if rest := rths.SetState(append(rths.AppendState(nil, x), 5), resumed); !slices.Equal(rest, []float64{5}) {
		t.Fatalf("rest %v: want [5]", rest)
	}
	if !slices.Equal(readings(resumed, 100, 0), readings(x, 100, 0)) {
		t.Error("resumed noise differs")
	}
}

func TestSensorReadAllocatesNothing(t *testing.T) {
	x, _ := gauges(1, func(s *Sensors) { s.DisplacementNoise, s.DisplacementRange = 1, 2 })
	if n := testing.AllocsPerRun(1000, func() { x.Read(1) }); n != 0 {
		t.Errorf("%g allocations per reading: want none", n)
	}
}

func TestSensorErrors(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		want   string
		change func(s *Sensors)
	}{
		{"displacement_noise -1: want 0 or more", func(s *Sensors) { s.DisplacementNoise = -1 }},
		{"displacement_noise NaN: want 0 or more", func(s *Sensors) { s.DisplacementNoise = nan }},
		{"displacement_noise_power -1e-14: want 0 or more", func(s *Sensors) { s.DisplacementNoisePower = -1e-14 }},
		{"displacement_range -0.1: want 0 or more", func(s *Sensors) { s.DisplacementRange = -0.1 }},
		{"displacement_noise 1e-06 and displacement_noise_power 1e-14: want one of them",
			func(s *Sensors) { s.DisplacementNoise, s.DisplacementNoisePower = 1e-6, 1e-14 }},
		{"force_noise -1: want 0 or more", func(s *Sensors) { s.ForceNoise = -1 }},
		{"force_noise_power NaN: want 0 or more", func(s *Sensors) { s.ForceNoisePower = nan }},
		{"force_range NaN: want 0 or more", func(s *Sensors) { s.ForceRange = nan }},
		{"force_noise 1 and force_noise_power 2: want one of them",
			func(s *Sensors) { s.ForceNoise, s.ForceNoisePower = 1, 2 }},
	} {
		s := PerfectSensors()
		c.change(&s)
		x, f, err := s.Gauges(1, 1, dt, 1, Conversion{})
		rthstest.WantError(t, err, c.want)
		if x != nil || f != nil {
			t.Errorf("%s: sensors beside the error", c.want)
		}
	}
}
