package ground

import (
	"math"
	"testing"
)

// motion makes a source's motion at 1000 Hz.
func motion(t *testing.T, s Source, seed uint64) Motion {
	t.Helper()
	m, err := s.Motion(At{RateHz: 1000, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestSineClosedForm(t *testing.T) {
	m := motion(t, &Sine{Sampling: Sampling{Duration: 1}, Frequency: 2.5, Amplitude: -3}, 0)
	for i, want := range map[int]float64{0: 0, 100: -3, 200: 0, 300: 3, 1000: 0} {
		if math.Abs(m.A[i]-want) > 1e-12 {
			t.Errorf("a(%d ms) = %g, want %g", i, m.A[i], want)
		}
	}
}

func TestStepClosedForm(t *testing.T) {
	m := motion(t, &Step{Sampling: Sampling{Duration: 1}, Onset: 0.3, Amplitude: 2}, 0)
	for i, a := range m.A {
		if want := map[bool]float64{true: 2}[i >= 300]; a != want {
			t.Fatalf("a(%d ms) = %g, want %g", i, a, want)
		}
	}
}

// The frequency of a sweep, from the zero crossings before and after a time.
func TestSweepFrequency(t *testing.T) {
	linear := func(t float64) float64 { return 2 + (20-2)*t/10 }
	log := func(t float64) float64 { return 2 * math.Pow(10, t/10) }
	for _, c := range []struct {
		law      string
		from, to float64
		hz       func(t float64) float64
	}{
		{"linear", 2, 20, linear}, {"log", 2, 20, log},
		{"linear", 20, 2, func(t float64) float64 { return linear(10 - t) }},
		{"log", 20, 2, func(t float64) float64 { return log(10 - t) }},
		{"linear", 5, 5, func(float64) float64 { return 5 }}, {"log", 5, 5, func(float64) float64 { return 5 }},
	} {
		m := motion(t, &Sweep{Sampling: Sampling{Duration: 10}, From: c.from, To: c.to, Amplitude: 1, Law: c.law}, 0)
		last := math.NaN()
		for i := 1; i < len(m.A); i++ {
			a, b := m.A[i-1], m.A[i]
			if a == 0 || a*b > 0 {
				continue
			}
			crossing := (float64(i) - b/(b-a)) * m.Dt
			mid := (last + crossing) / 2
			if hz := 0.5 / (crossing - last); math.Abs(hz-c.hz(mid)) > 0.02*c.hz(mid)+0.02 {
				t.Fatalf("%s %g to %g Hz: %g Hz at %g s, want %g", c.law, c.from, c.to, hz, mid, c.hz(mid))
			}
			last = crossing
		}
		if m.PGA() > 1 || m.PGA() < 0.99 || math.IsNaN(last) {
			t.Errorf("%s %g to %g Hz: peak %g, want 1", c.law, c.from, c.to, m.PGA())
		}
	}
}

// Cycles of the benchmark's chirp, 0.1 to 40 Hz over 90 s: mean frequency
// times duration.
func TestSweepCycles(t *testing.T) {
	p := defaultSweep().(*Sweep)
	if got, want := p.cycles(90), 90*(0.1+40)/2; math.Abs(got-want) > 1e-9 {
		t.Errorf("%g cycles, want %g", got, want)
	}
	p.Law = "log"
	if got, want := p.cycles(90), 90*(40-0.1)/math.Log(400); math.Abs(got-want) > 1e-9 {
		t.Errorf("log: %g cycles, want %g", got, want)
	}
}

// power is the share of the energy of a within a band, by Fourier sums.
func power(m Motion, from, to float64) float64 {
	sum, df := 0.0, 1/(float64(len(m.A))*m.Dt)
	for k := math.Ceil(from / df); k*df <= to; k++ {
		re, im := 0.0, 0.0
		for i, a := range m.A {
			s, c := math.Sincos(2 * math.Pi * k * float64(i) / float64(len(m.A)))
			re, im = re+a*c, im+a*s
		}
		sum += 2 * (re*re + im*im)
	}
	return sum / sq(float64(len(m.A))) / sq(rms(m.A))
}

func TestNoiseBandAndRMS(t *testing.T) {
	m := motion(t, &Noise{Sampling: Sampling{Duration: 20, Dt: 0.01}, From: 2, To: 10, RMS: 0.7}, 3)
	if math.Abs(rms(m.A)-0.7) > 1e-12 {
		t.Errorf("rms %g, want 0.7", rms(m.A))
	}
	if in := power(m, 1.8, 10.2); in < 0.99 || in > 1+1e-9 {
		t.Errorf("%g of the energy in the band, want 0.99 or more", in)
	}
	lower := power(m, 2, 6)
	if lower < 0.35 || lower > 0.65 { // half, within the scatter of 80 degrees of freedom
		t.Errorf("%g of the energy in the lower half of the band, want about half", lower)
	}
	if none := motion(t, &Noise{Sampling: Sampling{Duration: 2}, From: 2, To: 10}, 3); none.PGA() != 0 {
		t.Errorf("rms 0 gives a peak of %g", none.PGA())
	}
}
