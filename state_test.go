package rths_test

import (
	"math"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/scenario"
	"rths/scenarios"
)

// decays is a part with free states: each is multiplied by its factor in every tick.
type decays struct{ factor, x []float64 }

func (d *decays) VisitState(v *rths.StateVisitor) { v.Floats(d.x) }

// A state of any factor below 1 comes to zero, and is subnormal for 40 ticks at
// most. Without Flusher one with a factor over 1/2 is subnormal for ever.
func TestRestOfAFreeState(t *testing.T) {
	const ticks = 500_000
	for _, factor := range []float64{0, 1e-9, 1e-3, 0.02, 0.1, 0.15, 0.39, 0.4, 0.3, 0.5, 0.51, 0.9, -0.9, 0.99, 0.9995} {
		for _, start := range []float64{1, 1e-99, 3e-100, 1e-200, 5e-324} {
			d := &decays{factor: []float64{factor}, x: []float64{start}}
			rest, small := rths.NewFlusher(d), 0
			for k := range ticks {
				rest.At(k)
				d.x[0] *= factor
				small += subnormal(d.x)
			}
			if small > 40 || d.x[0] != 0 {
				t.Errorf("factor %g from %g: subnormal in %d ticks, at last %g: want at most 40, and zero", factor, start, small,
					d.x[0])
			}
		}
	}
}

// What is not decayed is left alone to the last bit, the signs of zeros and what is
// no number among it.
func TestRestLeavesMotionAlone(t *testing.T) {
	want := []float64{1, -1e-99, 1e-100, math.Copysign(0, -1), math.Inf(-1), math.NaN(), 1e-101, -5e-324}
	d := &decays{x: append([]float64(nil), want...)}
	want[6], want[7] = 0, 0
	rths.NewFlusher(d).At(512)
	for i, v := range d.x {
		if math.Float64bits(v) != math.Float64bits(want[i]) {
			t.Errorf("number %d is %g: want %g", i, v, want[i])
		}
	}
	d.x[0] = 1e-200
	rths.NewFlusher(d).At(513)
	if d.x[0] == 0 {
		t.Error("tick 513 put a state to zero: want every 512th tick only")
	}
}

func subnormal(lists ...[]float64) int { return below(0x1p-1022, lists...) }

// below counts the numbers that are not zero and smaller than size.
func below(size float64, lists ...[]float64) (n int) {
	for _, l := range lists {
		for _, v := range l {
			if v != 0 && math.Abs(v) < size {
				n++
			}
		}
	}
	return n
}

// remembered appends the states that the loop brings to rest.
func remembered(dst []float64, parts []rths.Stateful) []float64 {
	for _, p := range parts {
		dst = rths.AppendState(dst, p)
	}
	return dst
}

// decaying is the parts that have these states.
func decaying(r *scenario.Run) []rths.Stateful {
	parts := []rths.Stateful{r.Loop}
	for _, o := range r.Loop.Config().Observers {
		if d, ok := rths.As[rths.Decaying](o); ok {
			parts = append(parts, d.Decaying()...)
		}
	}
	return parts
}

// shown appends what a tick shows: the frame and all channels.
func shown(dst []float64, r *scenario.Run) []float64 {
	f := r.Loop.Frame()
	dst = append(append(append(dst, f.Num.X...), f.Num.V...), f.Num.A...)
	for _, l := range f.Vectors() {
		dst = append(dst, *l...)
	}
	for _, c := range r.Channels {
		dst = append(dst, *c.V)
	}
	return dst
}

// exact is without what would keep a loop in motion, or hide how small a motion is.
var exact = []string{"sensors=", "converters.reading=none"}

// Indicators and criteria that a scenario can ask for.
const (
	indicators = "indicators={energies: true, tracking: true, c_sw_j: 1, c_eei_j: 1}"
	judged     = "criteria={command: true, fei: true, floors: true, floor_spectra: true}"
)

// faint is a knock so small that all motion is decayed from the start.
func faint(n int) *scenario.Shaking {
	s := pulse(n)
	for i := range s.Half {
		s.Half[i] *= 1e-300
	}
	return s
}

// Motion below 1e-100 is brought to rest in all parts and observers, wherever it is
// remembered: after tick 512, and the main step of 20 ticks it falls into, no such number
// is left, and none comes back.
func TestDecayedMotionComesToRest(t *testing.T) {
	everyOn(t, faint, exact, comesToRest)
	for _, row := range [][]string{
		{"benchmark-siso.yaml", indicators, judged},
		{"benchmark-siso.yaml", indicators, "specimen={kind: bouc-wen, mass: 29}"},
		{"two-rate.yaml", indicators}, {"two-rate.yaml", indicators, "two_rate.force_fit=8"},
		{"benchmark-multiaxial.yaml", indicators},
	} {
		t.Run("watched, "+row[0], func(t *testing.T) {
			comesToRest(t, func(n int) *scenario.Run { return shipped(t, row[0], faint(n), append(row[1:], exact...)) })
		})
	}
}

func comesToRest(t *testing.T, make func(n int) *scenario.Run) {
	r := make(700)
	parts := decaying(r)
	var state []float64
	for !r.Loop.Done() {
		k := r.Loop.Frame().K + 1 // of the tick to come
		if k == 512 {
			state = r.Loop.AppendState(nil)
		}
		if err := r.Loop.Step(); err != nil {
			t.Fatal(err)
		}
		if math.Abs(r.Loop.Frame().Command[0]) > 1e-100 {
			t.Skip("this loop is unstable: its motion grows")
		}
		if n := below(1e-100, shown(remembered(nil, parts), r)); n > 0 && k >= 512+20 {
			t.Fatalf("tick %d: %d numbers below 1e-100: want none", k, n)
		}
	}
	if below(1e-100, state) == 0 {
		t.Fatal("no decayed state before tick 512: the test shows nothing")
	}
	rest := rths.NewFlusher(parts...)
	rthstest.NoAllocation(t, func() {
		r.Loop.SetState(state)
		rest.At(0)
	})
}

// Where a run is stopped and resumed makes no difference to when its states come to
// rest.
func TestRestOfAResumedRun(t *testing.T) {
	build := func() *rths.Loop { return siso(t, faint(1200), append(exact, indicators)...).Loop }
	run := func(l *rths.Loop, until int) *rths.Loop {
		for k := l.Frame().K; k < until && !l.Done(); k = l.Frame().K + 1 {
			if err := l.Step(); err != nil {
				t.Fatal(err)
			}
		}
		return l
	}
	want := run(build(), 1200).Checkpoint()
	for _, cut := range []int{300, 511, 512, 513, 600} {
		second := build()
		if err := second.Resume(run(build(), cut).Checkpoint()); err != nil {
			t.Fatal(err)
		}
		for i, v := range run(second, 1200).Checkpoint() {
			if math.Float64bits(v) != math.Float64bits(want[i]) {
				t.Fatalf("stopped at tick %d: number %d is %g at the end, %g in one go", cut, i, v, want[i])
			}
		}
	}
}

// A knock and a long silence, on structures that are damped by 90 % so that their
// motion decays by hundreds of decades: in the whole run there are fewer subnormal
// numbers than 40 of each state, at the end there is none, and the motion is zero. With
// the shipped noise it is only the reference that decays.
func TestQuietRunHasNoSubnormalNumbers(t *testing.T) {
	rthstest.Long(t)
	overdamped := "structure={kind: shear, masses: [1000, 1000, 1000], stiffnesses: [2.5e7, 2.5e7, 2.5e7], damping: " +
		"{modal_ratio: [0.9]}}"
	for _, row := range []struct {
		file    string
		seconds float64
		sets    []string
	}{
		{"benchmark-siso.yaml", 20, []string{"compensator.kind=pe", "sensors=", "converters.reading=none",
			"criteria={fei: true, floors: true, floor_spectra: true, spectrum_damping: 0.9}"}},
		{"benchmark-siso.yaml", 20, []string{"compensator.kind=pe"}}, // with the shipped noise
		{"benchmark-siso.yaml", 20, []string{"transfer={kind: first-order, tau_ms: 0.05}", "compensator.kind=none",
			"sensors=", "converters.reading=none"}},
		{"two-rate.yaml", 80, []string{"two_rate.predictor={kind: poly4}", indicators}}, // rates of indicators fade in 0.1 s
	} {
		t.Run(row.file+" "+row.sets[0], func(t *testing.T) {
			sets := append([]string{overdamped}, row.sets...)
			rate := shipped(t, row.file, pulse(1), sets).Scenario.RateHz
			quiet(t, shipped(t, row.file, pulse(int(row.seconds*rate)), sets))
		})
	}
}

func quiet(t *testing.T, r *scenario.Run) {
	parts := decaying(r)
	var numbers []float64
	states, small := len(remembered(nil, parts)), 0
	for !r.Loop.Done() {
		if err := r.Loop.Step(); err != nil {
			t.Fatal(err)
		}
		numbers = shown(remembered(numbers[:0], parts), r)
		small += subnormal(numbers)
	}
	t.Logf("%d subnormal numbers in %d ticks of %d states", small, r.Samples, states)
	if small > 40*states {
		t.Errorf("%d subnormal numbers in %d ticks: want at most 40 of each of %d states", small, r.Samples, states)
	}
	f, at := r.Loop.Frame(), 0.0
	for _, c := range r.Channels { // the reference's, if there is one
		if c.Name == "ref_x1" {
			at = *c.V
		}
	}
	if n := subnormal(numbers, r.Loop.Checkpoint()); n > 0 || at != 0 ||
		r.Scenario.Sensors.DisplacementNoisePower == 0 && (f.Read.X[0] != 0 || f.Num.X[0] != 0) {
		t.Errorf("at last %d subnormal numbers and displacements of %g, %g and %g m: want rest", n, f.Read.X[0], f.Num.X[0],
			at)
	}
}

// A ground motion with an envelope that decays is settled before it acts.
func TestDecayedGroundMotionIsZero(t *testing.T) {
	text, err := scenarios.Files.ReadFile("two-rate.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenario.Parse("two-rate.yaml", text, ".",
		[]string{"rate_hz=64", "ground.dt_s=0.0625", "ground.duration_s=4000"})
	if err != nil {
		t.Fatal(err)
	}
	shaking, err := s.Shake("")
	if err != nil {
		t.Fatal(err)
	}
	if n := below(1e-100, shaking.Half); n > 0 || below(1e-90, shaking.Half) == 0 {
		t.Errorf("%d numbers below 1e-100, %d below 1e-90: want none, and some", n, below(1e-90, shaking.Half))
	}
}

// BenchmarkRest is a look at the states of the benchmark run.
func BenchmarkRest(b *testing.B) {
	r := shipped(b, "benchmark-siso.yaml", pulse(10), nil)
	rest := rths.NewFlusher(decaying(r)...)
	b.ReportAllocs()
	for b.Loop() {
		rest.At(0)
	}
}
