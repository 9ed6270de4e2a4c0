package stability

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"rths"
	"rths/kit/rthstest"
)

// J2 and the delay follow their definitions: sums of all samples, and a least-squares
// fit of the error to the target's steps whose weights fade with 1 s. The delay waits for 0.1 s
// and stays where its standard error would be more than 1 ms. Both are new with every block.
func TestSynchronyIsItsDefinition(t *testing.T) {
	const rate, every, ticks = 512.0, 4, 6000
	for _, noise := range []float64{0, 0.02, 0.1} {
		r := rand.New(rand.NewPCG(5, 17))
		d := rthstest.Slow(r, rate, ticks)
		x := make([]float64, ticks)
		for k := range x {
			quiet := 1.0
			if k%2000 > 1000 { // at times nothing but noise
				quiet = 0.01
			}
			d[k] *= quiet
			x[k] = 1.1*d[max(0, k-2)] + noise*r.NormFloat64()
		}
		s, err := NewSynchrony(rate, 1, 3)
		if err != nil {
			t.Fatal(err)
		}
		f := &rths.Frame{Desired: make([]float64, 3), Read: rths.NewReading(3, 1)}
		j2, delay, kept := 0.0, 0.0, 0
		for k := range ticks {
			f.K, f.Err = k, fmt.Errorf("a tick that failed")
			f.Desired[1], f.Read.X[1] = 1e3, -1e3
			s.Observe(f)
			f.Err = nil
			f.Desired[1], f.Read.X[1] = d[k], x[k]
			s.Observe(f)
			if (k+1)%every == 0 && (k < 400 || k%97 == 3) {
				j2, delay, kept = fit(d[:k+1], x[:k+1], rate, delay, kept)
			} else if (k+1)%every == 0 {
				j2, delay = s.j2, s.delayMs // not checked at every block
			}
			if !(math.Abs(s.j2-j2) <= 1e-9*j2) || !(math.Abs(s.delayMs-delay) <= 1e-8) {
				t.Fatalf("noise %g: tick %d: J2 %.12g, delay %.12g ms: want %.12g and %.12g", noise, k, s.j2, s.delayMs, j2, delay)
			}
		}
		if noise > 0.05 && kept == 0 {
			t.Error("noise never kept a delay: the test shows nothing")
		}
	}
}

// fit is J2 in % and the delay in ms of the samples so far, the last delay where there is no
// sure one; kept counts these.
func fit(d, x []float64, rate, last float64, kept int) (float64, float64, int) {
	var ee, dd, see, sed, sdd float64
	n := len(d)
	for k := range d {
		e := x[k] - d[k]
		ee += e * e
		dd += d[k] * d[k]
		if k > 0 {
			weight := math.Exp(-float64(n-1-k) / rate)
			mean, slope := (e+x[k-1]-d[k-1])/2, (d[k]-d[k-1])*rate
			see += weight * mean * mean
			sed += weight * mean * slope
			sdd += weight * slope * slope
		}
	}
	delay := -1e3 * sed / sdd
	if variance := (see - sed*sed/sdd) / (rate * sdd); float64(n) <= 0.1*rate || variance >= 1e-6 {
		return 100 * math.Sqrt(ee/dd), last, kept + 1
	}
	return 100 * math.Sqrt(ee/dd), delay, kept
}

// Perfect rest, of the target or of both, has neither an index nor a delay nor J2.
func TestSynchronyAtRest(t *testing.T) {
	for _, x := range []float64{0, 1e-3} {
		s, err := NewSynchrony(512, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		f := &rths.Frame{Desired: make([]float64, 1), Read: rths.NewReading(1, 1)}
		f.Read.X[0] = x
		for range 512 * 5 {
			s.Observe(f)
		}
		if s.fei.Found() || s.amplitude != 0 || s.feiDelayMs != 0 || s.delayMs != 0 || s.j2 != 0 {
			t.Errorf("measured %g m: index %v, %g, %g ms, delay %g ms, J2 %g %%: want none", x, s.fei.Found(), s.amplitude,
				s.feiDelayMs, s.delayMs, s.j2)
		}
	}
}

// Names carry the axis where there are several, each shows its quantity, and a target that
// never moved has no J2.
func TestSynchronyNames(t *testing.T) {
	for axes, suffix := range map[int]string{1: "", 2: "_2"} {
		s, err := NewSynchrony(100, axes-1, axes)
		if err != nil {
			t.Fatal(err)
		}
		s.j2, s.delayMs, s.amplitude, s.feiDelayMs = 1, 2, 3, 4
		want := map[string]float64{"running_j2" + suffix + "_pct": 1, "running_delay" + suffix + "_ms": 2,
			"running_fei_amplitude" + suffix: 3, "running_fei_delay" + suffix + "_ms": 4}
		for _, c := range s.Channels() {
			if *c.V != want[c.Name] {
				t.Errorf("channel %s shows %g: want %g", c.Name, *c.V, want[c.Name])
			}
			delete(want, c.Name)
		}
		if len(want) > 0 {
			t.Errorf("no channels %v", want)
		}
		if got := summary(s, "running_fei_delay"+suffix+"_ms"); !math.IsNaN(got) {
			t.Errorf("delay of the index is %g without a window: want none", got)
		}
		for k := range int(3 * 4096) { // a full window that moved
			s.fei.Add(math.Sin(float64(k)/500), math.Sin(float64(k)/500))
		}
		for name, want := range map[string]float64{"running_j2" + suffix + "_pct": 1, "running_delay" + suffix + "_ms": 2,
			"running_fei_delay" + suffix + "_ms": 4} {
			if got := summary(s, name); got != want {
				t.Errorf("%s is %g: want %g", name, got, want)
			}
		}
	}
	for _, wrong := range [][2]int{{-1, 1}, {1, 1}, {2, 2}, {0, 0}} {
		if _, err := NewSynchrony(100, wrong[0], wrong[1]); err == nil {
			t.Errorf("axis %d of %d was taken", wrong[0], wrong[1])
		}
	}
}

// Every number of the state comes back: of a state of different numbers each is another's
// place exactly once.
func TestStatesComeBackNumberByNumber(t *testing.T) {
	s, err := NewSynchrony(4096, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	e, _ := one(t, false)
	for _, part := range []rths.Stateful{s, e} {
		state := rths.AppendState(nil, part)
		for i := range state {
			state[i] = float64(i + 1)
		}
		if rest := rths.SetState(append(slices.Clone(state), 9), part); len(rest) != 1 || rest[0] != 9 {
			t.Errorf("%T leaves %v: want [9]", part, rest)
		}
		if got := rths.AppendState(nil, part); !slices.Equal(got, state) {
			t.Errorf("%T: state %v comes back as %v", part, state, got)
		}
	}
}
