package criteria

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"rths"
	"rths/kit/rthstest"
)

// harmonic is a sum of sines with whole numbers of cycles in the record, and the
// same with a gain and a delay: what a transform holds without leakage.
func harmonic(n int, rateHz float64, cycles []int, amplitudes []float64, gain, delay float64) (in, out []float64) {
	in, out = make([]float64, n), make([]float64, n)
	for k := range n {
		for i, c := range cycles {
			w := 2 * math.Pi * float64(c) * rateHz / float64(n)
			t := float64(k) / rateHz
			in[k] += amplitudes[i] * math.Sin(w*t+float64(i))
			out[k] += gain * amplitudes[i] * math.Sin(w*(t-delay)+float64(i))
		}
	}
	return in, out
}

// One frequency: the index finds the actuator's amplitude and delay, leads too, and
// ignores a sensor's offset.
func TestIndexOfOneFrequency(t *testing.T) {
	for _, gain := range []float64{0.9, 1, 1.3} {
		for _, delay := range []float64{-0.004, 0, 0.0123, 0.04} {
			for _, n := range []int{4096, 4099} {
				in, out := harmonic(n, 1024, []int{17}, []float64{0.01}, gain, delay)
				for k := range out {
					out[k] += 0.5
				}
				got := NewIndex(in, out, 1024)
				what := fmt.Sprintf("gain %g, delay %g s, %d samples: ", gain, delay, n)
				near(t, what+"A", got.A, gain, 1e-9)
				near(t, what+"delay", got.DelS, delay, 1e-11)
				near(t, what+"f_eq", got.FEq, 17*1024/float64(n), 1e-9)
			}
		}
	}
}

// Several frequencies f_i of power w_i, all late by d: FEI = g Σ w_i e^(−2πi f_i d),
// so A falls short of g by half the variance of the phase, and the delay is right
// but for the phase's third moment.
func TestIndexOfABand(t *testing.T) {
	const rate, n, gain, delay = 1024.0, 8192, 1.1, 0.006
	cycles, amplitudes := []int{9, 23, 40, 61}, []float64{1, 0.7, 0.5, 0.2}
	in, out := harmonic(n, rate, cycles, amplitudes, gain, delay)
	got := NewIndex(in, out, rate)

	var fei complex128
	var power, fEq float64
	for i, c := range cycles {
		w, f := amplitudes[i]*amplitudes[i], float64(c)*rate/n
		fei += complex(gain*w, 0) * cmplx.Exp(complex(0, -2*math.Pi*f*delay))
		power, fEq = power+w, fEq+w*f
	}
	fei, fEq = fei/complex(power, 0), fEq/power
	near(t, "A", got.A, cmplx.Abs(fei), 1e-10)
	near(t, "f_eq", got.FEq, fEq, 1e-10)
	near(t, "delay", got.DelS, -cmplx.Phase(fei)/(2*math.Pi*fEq), 1e-12)

	var second, third float64 // central moments of the phase
	for i, c := range cycles {
		d := 2 * math.Pi * delay * (float64(c)*rate/n - fEq)
		second += amplitudes[i] * amplitudes[i] / power * d * d
		third += amplitudes[i] * amplitudes[i] / power * math.Abs(d*d*d)
	}
	if short := 1 - got.A/gain; short < 0.4*second || short > 0.6*second {
		t.Errorf("A falls short of the gain by %g: want about %g", short, second/2)
	}
	if off := 2 * math.Pi * fEq * math.Abs(got.DelS-delay); off > third {
		t.Errorf("phase off by %g: want at most %g", off, third)
	}
}

// A motion that begins and ends at rest and is late by whole samples: the
// transform needs no whole cycles.
func TestIndexOfAnEarthquakeLikeMotion(t *testing.T) {
	const rate, n, lag = 4096.0, 30011, 20
	r := rand.New(rand.NewPCG(7, 8))
	in, out := make([]float64, n), make([]float64, n)
	phase := r.Float64()
	for k := range n {
		s := float64(k)/rate - 3
		in[k] = math.Exp(-s*s) * math.Sin(2*math.Pi*(3*s+phase))
		if k >= lag {
			out[k] = 0.98 * in[k-lag]
		}
	}
	got := NewIndex(in, out, rate)
	near(t, "A", got.A, 0.98, 1e-4)            // phase spread (0.0293·0.16)²/2 = 1e-5
	near(t, "delay", got.DelS*rate, lag, 1e-3) // samples
	near(t, "f_eq", got.FEq, 3, 1e-2)          // the envelope's band is 0.16 Hz wide
	if e := observed(in, out, rate); math.Abs(e.A-got.A) > 1e-6 || math.Abs(e.DelS-got.DelS) > 1e-8 {
		t.Errorf("from block means %+v: want %+v", e, got)
	}
}

// observed is the index as the observer sees it.
func observed(in, out []float64, rate float64) Index {
	e := NewFEI(rate, len(in), 0, 1)
	r := record{want: in, x: out, exact: out}
	for k := range in {
		e.Observe(r.frame(k))
	}
	s := e.Summary()
	return Index{s[0].V, s[1].V, s[2].V / 1e3}
}

// White sensor noise far above the motion must not fold back into it: the block
// mean of 16 samples leaves 1/16 of its power, and what is left is uncorrelated.
func TestBlockMeansKeepTheIndex(t *testing.T) {
	const rate, n = 4096.0, 16384
	in, out := harmonic(n, rate, []int{9, 20}, []float64{1e-3, 5e-4}, 0.97, 0.008)
	clean := observed(in, out, rate)
	exact := NewIndex(in, out, rate)
	near(t, "A from block means", clean.A, exact.A, 1e-6)
	near(t, "delay from block means", clean.DelS, exact.DelS, 1e-7)
	r := rand.New(rand.NewPCG(1, 1))
	for k := range out {
		out[k] += 16e-6*r.NormFloat64() + 1e-4*math.Sin(2*math.Pi*1500*float64(k)/rate)
	}
	noisy := observed(in, out, rate)
	// noise of 16 µm on one line of 16384/2: 16e-6·√(2/16384)/1e-3 = 2e-4
	near(t, "A in noise", noisy.A, exact.A, 1e-3)
	near(t, "phase in noise", 2*math.Pi*exact.FEq*noisy.DelS, 2*math.Pi*exact.FEq*exact.DelS, 1e-3)
}

func TestIndexOfNothing(t *testing.T) {
	for _, in := range [][]float64{nil, {1}, {1, 2}, {0.1, 0.1, 0.1, 0.1, 0.1}} {
		got := NewIndex(in, in, 1024)
		if !math.IsNaN(got.A) || !math.IsNaN(got.FEq) || !math.IsNaN(got.DelS) {
			t.Errorf("%v: %+v: want NaN", in, got)
		}
	}
}

func TestFEIResumes(t *testing.T) {
	r := sorts["smooth"](rand.New(rand.NewPCG(5, 6)), 3000)
	whole, half := NewFEI(4096, 3000, 0, 1), NewFEI(4096, 3000, 0, 1)
	for k := range 1003 {
		whole.Observe(r.frame(k))
	}
	if rest := rths.SetState(append(rths.AppendState(nil, whole), 7), half); len(rest) != 1 {
		t.Fatalf("%d numbers left: want 1", len(rest))
	}
	for k := 1003; k < 3000; k++ {
		whole.Observe(r.frame(k))
		half.Observe(r.frame(k))
	}
	sameBits(t, "resumed", half.Summary(), whole.Summary())
}

// Longer than announced, and a failed tick: nothing is kept of them.
func TestFEIKeepsToItsBlocks(t *testing.T) {
	r := sorts["smooth"](rand.New(rand.NewPCG(5, 6)), 3000)
	short, long := NewFEI(4096, 2000, 0, 1), NewFEI(4096, 2000, 0, 1)
	for k := range 3000 {
		if k < 2000 {
			short.Observe(r.frame(k))
		}
		long.Observe(r.frame(k))
	}
	failed := r.frame(0)
	failed.Err = &rths.DivergedError{}
	long.Observe(failed)
	sameBits(t, "longer", long.Summary(), short.Summary())
}

func TestNewCriteriaAllocateNothing(t *testing.T) {
	r := sorts["smooth"](rand.New(rand.NewPCG(5, 6)), 1)
	f := r.frame(0)
	num := rths.NewMotion(3)
	f.Num, f.Force, f.Ground = &num, []float64{1}, []float64{1, 1, 1}
	spectra, err := NewFloorSpectra(4096, 0.05, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []rths.Observer{NewFEI(4096, 1e5, 0, 1), NewFloors(threeFloors), spectra} {
		if n := testing.AllocsPerRun(1000, func() { o.Observe(f) }); n != 0 {
			t.Errorf("%T: %g allocations a tick: want 0", o, n)
		}
	}
}

func TestFEIOfAnAxis(t *testing.T) {
	in, out := harmonic(4096, 1024, []int{17}, []float64{0.01}, 0.9, 0.01)
	e := NewFEI(1024, 4096, 1, 2)
	for k := range in {
		e.Observe(&rths.Frame{K: k, Desired: []float64{1, in[k]},
			Read: rths.Reading{Motion: rths.Motion{X: []float64{2, out[k]}}}})
	}
	near(t, "A of axis 2", rthstest.Value(t, e.Summary(), "FEI_2_A"), 0.9, 1e-9)
	near(t, "delay of axis 2", rthstest.Value(t, e.Summary(), "FEI_2_delay_ms"), 10, 1e-8)
}
