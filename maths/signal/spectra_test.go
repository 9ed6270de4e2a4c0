package signal

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"rths"
)

// The transform is its definition, for lengths of every sort.
func TestSpectrumIsTheDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 3, 4, 7, 64, 97, 210, 509} {
		x := make([]float64, n)
		for i := range x {
			x[i] = 5 + r.NormFloat64()
		}
		got := Spectrum(x)
		if want := max(0, (n-1)/2); len(got) != want {
			t.Fatalf("%d samples: %d lines: want %d", n, len(got), want)
		}
		for k := range got {
			var want complex128
			for i, v := range x {
				want += complex(v, 0) * cmplx.Exp(complex(0, -2*math.Pi*float64(i)*float64(k+1)/float64(n)))
			}
			if cmplx.Abs(got[k]-want) > 1e-10*float64(n) {
				t.Errorf("%d samples: line %d is %v: want %v", n, k+1, got[k], want)
			}
		}
	}
}

// A record of a prime length is no slower than its neighbours: it would take
// minutes by the definition.
func TestSpectrumOfALongPrimeLength(t *testing.T) {
	const n = 168673 // prime
	x := make([]float64, n)
	for i := range x {
		x[i] = math.Cos(2 * math.Pi * 1234 * float64(i) / n)
	}
	for k, v := range Spectrum(x) {
		want := 0.0
		if k+1 == 1234 {
			want = n / 2.0
		}
		if cmplx.Abs(v-complex(want, 0)) > 1e-5 {
			t.Fatalf("line %d is %v: want %g", k+1, v, want)
		}
	}
}

// Free vibration under a step of base acceleration in closed form:
// ω² x = −a (1 − e^(−ζωt)(cos ω_d t + ζω/ω_d sin ω_d t)), exact at any step.
func TestOscillatorsAreExact(t *testing.T) {
	for _, ratio := range []float64{0, 0.05, 0.7} {
		for _, period := range []float64{0.05, 0.3, 4} {
			for _, dt := range []float64{0.001, 0.1} {
				checkStepResponse(t, ratio, period, dt)
			}
		}
	}
}

func checkStepResponse(t *testing.T, ratio, period, dt float64) {
	t.Helper()
	o, err := NewOscillators(dt, ratio, []float64{period})
	if err != nil {
		t.Fatal(err)
	}
	w := 2 * math.Pi / period
	wd := w * math.Sqrt(1-ratio*ratio)
	o.Start(3)
	peak := 0.0
	for k := 1; k <= 100; k++ {
		o.Step(3)
		now := float64(k) * dt
		want := -3 * (1 - math.Exp(-ratio*w*now)*(math.Cos(wd*now)+ratio*w/wd*math.Sin(wd*now)))
		peak = max(peak, math.Abs(want))
		what := fmt.Sprintf("ratio %g, period %g, step %g: ω² x(%g)", ratio, period, dt, now)
		if got := o.list[0].Y; math.Abs(got-want) > 1e-11 {
			t.Fatalf("%s = %g: want %g", what, got, want)
		}
	}
	var got [1]float64
	if o.Peaks(got[:]); math.Abs(got[0]-peak) > 1e-10*peak {
		t.Errorf("ratio %g, period %g, step %g: peak %g: want %g", ratio, period, dt, got[0], peak)
	}
}

// A steady sine at resonance is amplified by 1/(2ζ), far above by 1: pseudo-acceleration
// over the amplitude of the base acceleration.
func TestOscillatorsAmplify(t *testing.T) {
	const dt, ratio = 0.002, 0.05
	periods := []float64{0.02, 0.5}
	o, err := NewOscillators(dt, ratio, periods)
	if err != nil {
		t.Fatal(err)
	}
	for k := 1; k < 20000; k++ {
		o.Step(math.Sin(2 * math.Pi * 2 * dt * float64(k)))
	}
	var peak [2]float64
	o.Peaks(peak[:])
	for i, want := range []float64{1, 1 / (2 * ratio)} {
		if got := peak[i]; math.Abs(got-want) > 0.01*want {
			t.Errorf("period %g s: amplification %g: want %g", periods[i], got, want)
		}
	}
}

func TestOscillatorsResume(t *testing.T) {
	whole, _ := NewOscillators(0.01, 0.05, []float64{0.1, 1})
	half, _ := NewOscillators(0.01, 0.05, []float64{0.1, 1})
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		whole.Step(r.NormFloat64())
	}
	if rest := rths.SetState(append(rths.AppendState(nil, whole), 7), half); len(rest) != 1 {
		t.Fatalf("%d numbers left: want 1", len(rest))
	}
	for range 50 {
		a := r.NormFloat64()
		whole.Step(a)
		half.Step(a)
	}
	if a, b := rths.AppendState(nil, whole), rths.AppendState(nil, half); fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("resumed %v: want %v", b, a)
	}
}

func TestOscillatorsRefuse(t *testing.T) {
	for _, c := range []struct{ dt, ratio, period float64 }{
		{0, 0.05, 1}, {0.01, 1, 1}, {0.01, -0.1, 1}, {0.01, math.NaN(), 1}, {0.01, 0.05, 0}, {0.01, 0.05, math.Inf(1)},
	} {
		if _, err := NewOscillators(c.dt, c.ratio, []float64{c.period}); err == nil {
			t.Errorf("%+v: want an error", c)
		}
	}
}

// A convolution in parts gives the lines of one in a piece, but for rounding.
func TestSpectrumInParts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{3, 97, 500, 512} {
		x := make([]float64, n)
		for i := range x {
			x[i] = r.NormFloat64()
		}
		at, lines := func(i int) complex128 { return complex(x[i], 0) }, (n-1)/2
		want := convolved(n, lines, at, 768, 1)
		for _, parts := range []int{2, 6, 64} {
			for k, got := range convolved(n, lines, at, 768, parts) {
				if cmplx.Abs(got-want[k]) > 1e-13*float64(n) {
					t.Errorf("%d samples in %d parts: line %d is %v: want %v", n, parts, k+1, got, want[k])
				}
			}
		}
	}
}

// Two spectra of one transform are the two by themselves.
func TestSpectraAreTwoSpectra(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{0, 1, 2, 3, 4, 97, 512, 1000} {
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], y[i] = r.NormFloat64(), 3+r.NormFloat64()
		}
		gotX, gotY := Spectra(n, func(i int) float64 { return x[i] }, func(i int) float64 { return y[i] })
		wantX, wantY := Spectrum(x), Spectrum(y)
		if len(gotX) != len(wantX) || len(gotY) != len(wantY) {
			t.Fatalf("%d samples: %d and %d lines: want %d", n, len(gotX), len(gotY), len(wantX))
		}
		for k := range wantX {
			if e := max(cmplx.Abs(gotX[k]-wantX[k]), cmplx.Abs(gotY[k]-wantY[k])); e > 1e-12*float64(n) {
				t.Errorf("%d samples: line %d differs by %g", n, k+1, e)
			}
		}
	}
}
