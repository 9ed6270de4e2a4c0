package analyse

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/maths/lti"
	"rths/model/plant"
)

// loadingTest is the response of a transfer system to a slow random command: rows of the
// command that leaves at t_k and the displacement measured at t_k.
func loadingTest(t *testing.T, m plant.TransferMaker, rate float64, n int, noise float64) *Identify {
	t.Helper()
	sp, err := (&plant.LinearSpecimen{}).Make()
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Make(plant.At{RateHz: rate, Specimen: sp})
	if err != nil {
		t.Fatal(err)
	}
	r, now := rand.New(rand.NewPCG(5, 6)), rths.NewReading(1, 1)
	out := &Identify{RateHz: rate}
	a := math.Exp(-2 * math.Pi * 5 / rate) // low-pass of order 3 at 5 Hz
	var u [3]float64
	for range n {
		in := r.NormFloat64()
		for i := range u {
			u[i] = a*u[i] + (1-a)*in
			in = u[i]
		}
		out.Measured = append(out.Measured, now.X[0]+noise*r.NormFloat64())
		out.Command = append(out.Command, 0.05*in)
		p.Step(&now, out.Command[len(out.Command)-1:])
	}
	return out
}

func identified(t *testing.T, s *Identify) *Identification {
	t.Helper()
	out, err := s.Run()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Of the second-order plant of paper 000 identify finds the exact discrete model, one past
// command and three displacements without further delay, its delay 2ζ/ω + h/2, and the
// continuous model ω²/(s² + 2ζω s + ω²).
func TestIdentifyFindsTheSecondOrderPlant(t *testing.T) {
	out := identified(t, loadingTest(t, &plant.SecondOrder{Omega: 50, DampingRatio: 0.8, Gain: 1}, 102.4, 4096, 0))
	m := out.Model
	if m.P != 1 || m.Q != 3 || m.Delay != 1 || out.Spacing != 1 {
		t.Errorf("p %d, q %d, delay %d, spacing %d: want 1, 3, 1, 1", m.P, m.Q, m.Delay, out.Spacing)
	}
	// (−b2, 1, a1, a2)/b1
	want := []float64{-0.770042160075758, 10.910869644052335, -14.136187612964912, 4.995360128988335}
	for i, v := range out.Fit.Theta {
		if math.Abs(v-want[i]) > 1e-6 {
			t.Errorf("θ%d = %.9g: want %.9g", i+1, v, want[i])
		}
	}
	if delay := 1e3 * (2*0.8/50 + 0.5/102.4); math.Abs(out.DelayMS-delay) > 0.01 { // images of the hold: 3 µs
		t.Errorf("delay %.4f ms: want %.4f", out.DelayMS, delay)
	}
	c := out.Continuous
	if c == nil || c.Order != 2 || c.DelayMS != 0 {
		t.Fatalf("continuous model %+v: want order 2 without delay", c)
	}
	for i, v := range []float64{1. / 2500, 80. / 2500, 1} {
		if math.Abs(c.Den[i]-v) > 0.01*v {
			t.Errorf("denominator %.5g: want 1/2500, 80/2500, 1 within 1 %%", c.Den)
		}
	}
	if d := rmsOf(out.Simulated, loadingTest(t, &plant.SecondOrder{Omega: 50, DampingRatio: 0.8, Gain: 1}, 102.4, 4096,
		0).Measured); d > 1e-8 {
		t.Errorf("the model's displacement is %.2g of the measured one off", d)
	}
}

// rmsOf is the rms difference over the rms of b.
func rmsOf(a, b []float64) float64 {
	num, den := 0.0, 0.0
	for i := range a {
		num, den = num+(a[i]-b[i])*(a[i]-b[i]), den+b[i]*b[i]
	}
	return math.Sqrt(num / den)
}

// A sensor that is not zeroed changes nothing but a note, and the model stands as far off.
func TestIdentifyTakesAnOffsetOut(t *testing.T) {
	m := &plant.SecondOrder{Omega: 50, DampingRatio: 0.8, Gain: 1}
	data := loadingTest(t, m, 1024, 10000, 1e-6)
	want := identified(t, data)
	for i := range data.Measured {
		data.Measured[i] += 2e-3
	}
	got := identified(t, data)
	if d := math.Abs(got.DelayMS - want.DelayMS); d > 1e-3 {
		t.Errorf("delay %.4f ms with an offset, %.4f without", got.DelayMS, want.DelayMS)
	}
	for i, v := range got.Fit.Theta {
		if math.Abs(v-want.Fit.Theta[i]) > 1e-3*math.Abs(want.Fit.Theta[i]) {
			t.Errorf("θ%d = %.6g with an offset, %.6g without", i+1, v, want.Fit.Theta[i])
		}
	}
	if math.Abs(got.Offset-2e-3) > 1e-6 || want.Offset != 0 ||
		!strings.Contains(strings.Join(got.Notes, "\n"), "2 mm while the command is 0") {
		t.Errorf("offset %g m, %q; without one %g m", got.Offset, got.Notes, want.Offset)
	}
	for i := range data.Measured {
		data.Measured[i] *= -1e-3
	}
	if notes := strings.Join(identified(t, data).Notes, "\n"); !strings.Contains(notes,
		"moves -0.001 times as far as the command") {
		t.Errorf("units and signs mixed up: notes %q", notes)
	}
	for i := range data.Measured {
		data.Measured[i] *= -1e3
	}
	if e := rmsOf(got.Simulated, data.Measured); e > 1e-3 {
		t.Errorf("the model's displacement is %.2g of the measured one off", e)
	}
}

// A first-order lag in series with a pure delay: both are found, apart.
func TestIdentifyFindsAPureDelay(t *testing.T) {
	m := &plant.GivenTF{Num: []float64{1.1}, Den: []float64{0.01, 1}, DelayMs: 12}
	out := identified(t, loadingTest(t, m, 512, 16384, 1e-6))
	c := out.Continuous
	if c == nil || c.Order != 1 || math.Abs(c.DelayMS-12) > 0.5 || math.Abs(c.Num[0]-1.1) > 0.011 ||
		math.Abs(c.Den[0]-0.01) > 5e-4 {
		t.Errorf("continuous model %+v: want 1.1/(0.01 s + 1), 12 ms", c)
	}
	if want := 1e3 * (0.01 + 0.012 + 0.5/512); math.Abs(out.DelayMS-want) > 0.3 {
		t.Errorf("delay %.3f ms: want %.3f", out.DelayMS, want)
	}
}

// The benchmark's plant, of order 5, at its 4096 Hz and with sensor noise: magnitude and
// phase of the fitted model against the plant's own.
func TestIdentifyAtTheBenchmarksRate(t *testing.T) {
	m := &plant.SecondOrder{Omega: 60, DampingRatio: 0.6, Gain: 1.02}
	out := identified(t, loadingTest(t, m, 4096, 60000, 5e-6))
	if out.Spacing != 31 {
		t.Errorf("spacing %d: want 31 samples, 7.5 ms", out.Spacing)
	}
	c := out.Continuous
	if c == nil {
		t.Fatal(out.Notes)
	}
	for _, hz := range []float64{0.5, 2, 5} {
		s := complex(0, 2*math.Pi*hz)
		want := 1.02 * 3600 / (s*s + 72*s + 3600) * holdAt(s, 1.0/4096)
		if got := c.At(hz, 1.0/4096); cmplx.Abs(got-want) > 0.01*cmplx.Abs(want) {
			t.Errorf("%g Hz: %.4f, plant %.4f", hz, got, want)
		}
	}
}

// The fit of a model to its own response is that model, whatever the frequencies and the ends of the record.
func TestSanathananKoernerIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for trial := range 50 {
		order := 1 + trial%3
		den := []float64{1}
		for len(den)-1 < order {
			if order-(len(den)-1) >= 2 && r.IntN(2) == 0 {
				w, z := 10+90*r.Float64(), 0.1+r.Float64()
				den = lti.PolyMul(den, []float64{1 / (w * w), 2 * z / w, 1})
			} else {
				den = lti.PolyMul(den, []float64{0.005 + 0.02*r.Float64(), 1})
			}
		}
		truth := &Continuous{Num: []float64{0.5 + r.Float64()}, Den: den, DelayMS: 10 * r.Float64()}
		var test motions
		c0, c1 := 10*r.NormFloat64(), r.NormFloat64() // of the ends of the record
		for k := range 40 {
			hz, u := 0.3+0.5*float64(k), complex(r.NormFloat64(), r.NormFloat64())
			s := complex(0, 2*math.Pi*hz)
			x := truth.At(hz, 0.002)*u + (complex(c0, 0)+complex(c1, 0)*s)/lti.PolyEval(den, s)
			test.hz, test.u, test.x = append(test.hz, hz), append(test.u, u), append(test.x, x)
		}
		got, err := sanathananKoerner(test, order, truth.DelayMS/1e3, 0.002)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range got.Den {
			if math.Abs(v-den[i]) > 1e-6*den[i] || math.Abs(got.Num[0]-truth.Num[0]) > 1e-8 {
				t.Fatalf("trial %d: %.9g/%.9g, want %.9g/%.9g", trial, got.Num, got.Den, truth.Num, den)
			}
		}
	}
}

func TestIdentifyWrongInput(t *testing.T) {
	good := loadingTest(t, &plant.SecondOrder{Omega: 50, DampingRatio: 0.8, Gain: 1}, 102.4, 1024, 0)
	for want, change := range map[string]func(*Identify){
		"150 samples: too few, want at least 200": func(s *Identify) {
			s.Command, s.Measured = s.Command[:150],
				s.Measured[:150]
		},
		"1024 commands and 1000 measurements": func(s *Identify) { s.Measured = s.Measured[:1000] },
		"the command is 0 throughout":         func(s *Identify) { s.Command = make([]float64, 1024) },
		"measurement of row 8 is NaN":         func(s *Identify) { s.Measured[7] = math.NaN() },
		"rate -1 Hz: want more than 0":        func(s *Identify) { s.RateHz = -1 },
		"spacing 400 samples: want 1 to 42":   func(s *Identify) { s.Spacing = 400 },
		"top frequency 60 Hz: want 0":         func(s *Identify) { s.ToHz = 60 },
	} {
		s := *good
		s.Command, s.Measured = slices.Clone(s.Command), slices.Clone(s.Measured)
		change(&s)
		if _, err := s.Run(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v: want one that says %q", err, want)
		}
	}
	// one slow sine tells no four parameters apart
	s := *good
	s.Command, s.Measured = make([]float64, 1024), make([]float64, 1024)
	for i := range s.Command {
		s.Command[i], s.Measured[i] = 0.01*math.Sin(1e-4*float64(i)), 0.01*math.Sin(1e-4*float64(i))
	}
	if _, err := s.Run(); err == nil || !strings.Contains(err.Error(), "singular") {
		t.Errorf("error %v: want one that says that the data do not tell parameters apart", err)
	}
}
