package criteria

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"rths"
	"rths/kit/rthstest"
)

// lengths lie about the largest lag (49), the shortest record with a delay
// (103) and the blocks of 832.
var lengths = []int{2, 3, 49, 50, 51, 101, 102, 103, 104, 150, 254, 255, 256, 257, 300, 304, 305, 306, 511, 512, 513,
	561, 781, 782, 783, 831, 832, 833, 881, 882, 883, 1000, 1663, 1664, 1665, 5000}

// Tracking equals the definitions of docs/reference/benchmark-siso.md, Criteria, on whole records.
func TestTrackingIsTheDefinition(t *testing.T) {
	for sort, make := range sorts {
		for _, n := range lengths {
			r := make(rand.New(rand.NewPCG(uint64(n), 6)), n)
			got := r.judge().Summary()
			for _, c := range []struct {
				suffix string
				x      []float64
			}{{"", r.x}, {"_true", r.exact}} {
				err := minus(c.x, r.want)
				for _, w := range []struct {
					name string
					want float64
				}{
					{"J2" + c.suffix + "_pct", 100 * std(err) / std(r.want)},
					{"J3" + c.suffix + "_pct", 100 * peak(err, 0) / peak(r.want, 0)},
					{"nrmse" + c.suffix + "_pct", 100 * rms(err) / rms(r.want)},
					{"peak_centred" + c.suffix + "_pct", 100 * peak(err, mean(err)) / peak(r.want, mean(r.want))},
				} {
					near(t, fmt.Sprintf("%s, %d samples: %s", sort, n, w.name), rthstest.Value(t, got, w.name), w.want, 1e-9)
				}
			}
			near(t, fmt.Sprintf("%s, %d samples: J2_floor", sort, n), rthstest.Value(t, got, "J2_floor_pct"),
				100*std(minus(r.x, r.exact))/std(r.want), 1e-9)
		}
	}
}

// J1 (docs/reference/benchmark-siso.md, Criteria) is the lag of the largest coefficient, one sample being
// 1/4096 s; it never looks at a lead, and records up to 102 samples have none.
func TestJ1IsTheDefinition(t *testing.T) {
	for sort, make := range sorts {
		for _, n := range lengths {
			r := make(rand.New(rand.NewPCG(uint64(n), 7)), n)
			got := r.judge().Summary()
			for _, c := range []struct {
				name string
				x    []float64
			}{{"J1_ms", r.x}, {"J1_true_ms", r.exact}} {
				want := math.NaN()
				if n > 102 {
					coefficients := correlations(c.x, r.want)[1:]
					want = float64(slices.Index(coefficients, slices.Max(coefficients))) * 1e3 / 4096
				}
				near(t, fmt.Sprintf("%s, %d samples: %s", sort, n, c.name), rthstest.Value(t, got, c.name), want, 1e-12)
			}
		}
	}
}

// A record that is its target some whole samples late has that J1; beyond 49
// samples J1 stops at 12.0 ms, and a lead reads 0.
func TestJ1FindsTheDelay(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 8))
	const n = 3000
	whole := make([]float64, n+200)
	for lag, last := 0, 0.0; lag < len(whole); lag++ {
		last = 0.9*last + r.NormFloat64() // neighbours resemble each other
		whole[lag] = last
	}
	for _, c := range []struct{ late, want int }{{0, 0}, {1, 1}, {2, 2}, {19, 19}, {48, 48}, {49, 49}, {50, 49}, {-1, 0},
		{-5, 0}} {
		rec := &record{want: whole[100 : 100+n], x: whole[100-c.late : 100-c.late+n]}
		rec.exact = rec.x
		got := rthstest.Value(t, rec.judge().Summary(), "J1_ms")
		near(t, fmt.Sprintf("%d samples late: J1", c.late), got, float64(c.want)*1e3/4096, 1e-12)
	}
}

// wave is a sum of sines of up to 20 Hz with most of its power about 3.6 Hz,
// as the target of the benchmark's case 1, in m.
type wave struct{ hz, amplitude, phase []float64 }

func newWave(r *rand.Rand) *wave {
	w := &wave{}
	for range 6 {
		hz := 1 + 5*r.Float64()
		w.hz, w.amplitude, w.phase = append(w.hz, hz), append(w.amplitude, 1), append(w.phase, r.Float64())
	}
	for range 3 {
		w.hz, w.amplitude, w.phase = append(w.hz, 20*r.Float64()), append(w.amplitude, 0.1), append(w.phase, r.Float64())
	}
	return w
}

// record is n samples at 4096 Hz, the true displacement delayed by some
// samples; scaled for a standard deviation of the target of sd.
func (w *wave) record(n int, delay, sd, noise float64, r *rand.Rand) *record {
	at := func(k float64) (sum float64) {
		for i, hz := range w.hz {
			sum += w.amplitude[i] * math.Sin(2*math.Pi*(hz*k/4096+w.phase[i]))
		}
		return sum
	}
	out := &record{want: make([]float64, n), x: make([]float64, n), exact: make([]float64, n)}
	for k := range n {
		out.want[k], out.exact[k] = at(float64(k)), at(float64(k)-delay)
	}
	scale := sd / std(out.want)
	for k := range n {
		out.want[k] *= scale
		out.exact[k] *= scale
		out.x[k] = out.exact[k] + noise*r.NormFloat64()
	}
	return out
}

// The delay between samples is found within 0.005 sample without noise.
func TestDelayBetweenSamples(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	for _, delay := range []float64{-1.5, -1.2, -1, -0.7, -0.25, 0, 0.1, 0.5, 0.9, 1, 1.5, 2.4, 7.77, 12.5, 19, 23.31,
		29.95, 30, 41.5, 48.6, 49, 49.4} {
		rec := newWave(r).record(2*4096, delay, 625e-6, 0, r)
		got := rthstest.Value(t, rec.judge().Summary(), "delay_ms") * 4096 / 1e3
		if !(math.Abs(got-delay) <= 0.005) {
			t.Errorf("delay of %g samples found as %.4f", delay, got)
		}
	}
}

// With the benchmark's noise, 16.0 µm on a target for which that is a J2 of
// 2.56 % (docs/reference/benchmark-siso.md), over the length of the El Centro record, the delay is
// found within 0.05 sample. The noise alone gives J2_floor.
func TestDelayInNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 10))
	for _, delay := range []float64{-1.5, 0, 0.45, 19, 30} {
		got := newWave(r).record(168674, delay, 16e-6/0.0256, 16e-6, r).judge().Summary()
		if fine := rthstest.Value(t, got, "delay_ms") * 4096 / 1e3; !(math.Abs(fine-delay) <= 0.05) {
			t.Errorf("delay of %g samples found as %.4f in noise", delay, fine)
		}
		if fine := rthstest.Value(t, got, "delay_true_ms") * 4096 / 1e3; !(math.Abs(fine-delay) <= 0.005) {
			t.Errorf("delay of %g samples found as %.4f without noise", delay, fine)
		}
		// three standard errors of a standard deviation: 3·2.56/√(2·168674)
		if floor := rthstest.Value(t, got, "J2_floor_pct"); !(math.Abs(floor-2.56) <= 0.0132) {
			t.Errorf("J2_floor = %.4f: want 2.56", floor)
		}
	}
}

// A perfect actuator scores J2_floor and nothing else.
func TestNoiseFloor(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 11))
	got := newWave(r).record(20000, 0, 625e-6, 16e-6, r).judge().Summary()
	if j2, floor := rthstest.Value(t, got, "J2_pct"), rthstest.Value(t, got, "J2_floor_pct"); j2 != floor || !(j2 > 2) {
		t.Errorf("J2 = %g, floor %g: want the same", j2, floor)
	}
	for _, name := range []string{"J1_true_ms", "J2_true_pct", "J3_true_pct", "nrmse_true_pct", "peak_centred_true_pct"} {
		if v := rthstest.Value(t, got, name); v != 0 {
			t.Errorf("%s = %g: want 0", name, v)
		}
	}
}

// Records that say nothing give NaN.
func TestRecordsThatSayNothing(t *testing.T) {
	constant := func(n int, c float64) []float64 { return slices.Repeat([]float64{c}, n) }
	r := rand.New(rand.NewPCG(1, 12))
	noisy := func(n int) []float64 {
		x := constant(n, 0)
		for k := range x {
			x[k] = r.NormFloat64()
		}
		return x
	}
	all := []string{"J1_ms", "delay_ms", "J2_pct", "J3_pct", "nrmse_pct", "peak_centred_pct", "J1_true_ms",
		"delay_true_ms", "J2_true_pct", "J2_floor_pct"}
	delays := []string{"J1_ms", "delay_ms", "J1_true_ms", "delay_true_ms"}
	spread := append([]string{"J2_pct", "peak_centred_pct", "J2_true_pct", "J2_floor_pct"}, delays...)
	type silence struct {
		what    string
		n       int
		want, x []float64
		nan     []string
	}
	cases := []silence{
		{"no sample", 0, nil, nil, all},
		{"one sample", 1, noisy(1), noisy(1), spread},
		{"two samples", 2, noisy(2), noisy(2), delays},
		{"102 samples", 102, noisy(102), noisy(102), delays},
	}
	for _, n := range []int{103, 150, 256, 300, 1000, 5000} {
		cases = append(cases, silence{"silence", n, constant(n, 0), constant(n, 0), all},
			silence{"noise on silence", n, constant(n, 0), noisy(n), all})
		for _, c := range []float64{0.1, -0.003, 0.7, 1e-3, 1. / 3} {
			cases = append(cases,
				silence{fmt.Sprintf("constants %g", c), n, constant(n, c), constant(n, 2*c), spread},
				silence{fmt.Sprintf("noise on a constant target %g", c), n, constant(n, c), noisy(n), spread},
				silence{fmt.Sprintf("stuck reading %g", c), n, noisy(n), constant(n, c), delays})
		}
	}
	for _, c := range cases {
		got := (&record{want: c.want, x: c.x, exact: c.x}).judge().Summary()
		for _, name := range c.nan {
			if v := rthstest.Value(t, got, name); !math.IsNaN(v) {
				t.Errorf("%s, %d samples: %s = %g: want NaN", c.what, c.n, name, v)
			}
		}
	}
}

// What a lag leaves of a record may be constant though the record is not: a
// step in the first sample has a lag 0 and no other, so no delay between.
func TestStepInTheFirstSample(t *testing.T) {
	x := slices.Repeat([]float64{0.1}, 1000)
	x[0] = 0
	got := (&record{want: x, x: x, exact: x}).judge().Summary()
	if j1, fine := rthstest.Value(t, got, "J1_ms"), rthstest.Value(t, got, "delay_ms"); j1 != 0 || !math.IsNaN(fine) {
		t.Errorf("J1 = %g, delay %g: want 0 and NaN", j1, fine)
	}
}

// Where the correlation has no top about the largest whole lag, there is no
// delay between samples; a vertex of the wrong sort would be one.
func TestNoTopNoDelay(t *testing.T) {
	// The reading leads by 3 samples of coloured noise: its correlation, 0.5^|L+3|,
	// is a cusp and bends upwards on this side of it.
	r := rand.New(rand.NewPCG(1, 13))
	whole, last := make([]float64, 4000), 0.0
	for k := range whole {
		last = 0.5*last + r.NormFloat64()
		whole[k] = last
	}
	got := (&record{want: whole[:3990], x: whole[3:3993], exact: whole[3:3993]}).judge()
	c := got.lag.behind.pearson(measured, &got.tally.sums[target])
	if !(c[0] > c[1] && c[1] > c[2] && c[0]-2*c[1]+c[2] > 0) {
		t.Fatalf("coefficients %v: want a cusp left of 0", c[:3])
	}
	if fine := rthstest.Value(t, got.Summary(), "delay_ms"); !math.IsNaN(fine) {
		t.Errorf("delay = %g ms: want NaN", fine)
	}
}

// The tick that failed is observed too, and not counted: what it left over
// belongs to the tick before.
func TestFailedTickIsNotCounted(t *testing.T) {
	rec := sorts["smooth"](rand.New(rand.NewPCG(1, 14)), 700)
	want := rec.judge().Summary()
	got := NewTracking(4096, 0, 1, true)
	for k := range rec.want {
		got.Observe(rec.frame(k))
		if k%50 == 0 {
			got.Observe(&rths.Frame{Err: errors.New("rig read: timeout"), Desired: []float64{1e9},
				Read: rths.Reading{Motion: rths.Motion{X: []float64{math.NaN()}}, TrueX: []float64{-1e9}}})
		}
	}
	sameBits(t, "with failed ticks", got.Summary(), want)
}

// Asking for the summary on the way changes nothing.
func TestSummaryOnTheWay(t *testing.T) {
	rec := sorts["smooth"](rand.New(rand.NewPCG(1, 15)), 800)
	want := rec.judge().Summary()
	got := NewTracking(4096, 0, 1, true)
	for k := range rec.want {
		got.Observe(rec.frame(k))
		got.Summary()
	}
	sameBits(t, "asked at every tick", got.Summary(), want)
}

// A tracking resumed anywhere, also within a block, on one that has seen
// another run, goes on with the same bits.
func TestTrackingResumes(t *testing.T) {
	rec := sorts["smooth"](rand.New(rand.NewPCG(1, 16)), 900)
	other := sorts["white"](rand.New(rand.NewPCG(2, 16)), 333)
	want := rec.judge()
	size := len(rths.AppendState(nil, NewTracking(4096, 0, 1, true)))
	for _, at := range []int{0, 1, 2, 48, 49, 50, 102, 103, 255, 256, 257, 300, 512, 831, 832, 833, 881, 882, 883, 899,
		900} {
		first := NewTracking(4096, 0, 1, true)
		for k := range at {
			first.Observe(rec.frame(k))
		}
		state := rths.AppendState(nil, first)
		if len(state) != size {
			t.Errorf("state of %d numbers after %d ticks: want %d at any time", len(state), at, size)
		}
		resumed := other.judge()
		if rest := rths.SetState(append(state, 1, 2, 3), resumed); !slices.Equal(rest, []float64{1, 2, 3}) {
			t.Fatalf("rest %v after tick %d: want [1 2 3]", rest, at)
		}
		for k := at; k < len(rec.want); k++ {
			resumed.Observe(rec.frame(k))
		}
		what := fmt.Sprintf("resumed at tick %d", at)
		sameBits(t, what, resumed.Summary(), want.Summary())
		if !slices.Equal(rths.AppendState(nil, resumed), rths.AppendState(nil, want)) {
			t.Errorf("%s: the state differs", what)
		}
	}
}

func TestObserveAllocatesNothing(t *testing.T) {
	rec := sorts["smooth"](rand.New(rand.NewPCG(1, 17)), 1)
	f, tracking := rec.frame(0), NewTracking(4096, 0, 1, true)
	if n := testing.AllocsPerRun(2000, func() { tracking.Observe(f) }); n != 0 {
		t.Errorf("%g allocations per tick: want none", n)
	}
}

// Names, and which axis they are of.
func TestTrackingNames(t *testing.T) {
	measured := []string{"J1_ms", "J2_pct", "J3_pct", "delay_ms", "nrmse_pct", "peak_centred_pct"}
	exact := []string{"J1_true_ms", "J2_true_pct", "J3_true_pct", "delay_true_ms", "nrmse_true_pct",
		"peak_centred_true_pct", "J2_floor_pct"}
	if got := names(NewTracking(4096, 0, 1, false).Summary()); !slices.Equal(got, measured) {
		t.Errorf("without true displacement: %v", got)
	}
	if got := names(NewTracking(4096, 0, 1, true).Summary()); !slices.Equal(got, append(measured, exact...)) {
		t.Errorf("with true displacement: %v", got)
	}
	want := []string{"J1_2_ms", "J2_2_pct", "J3_2_pct", "delay_2_ms", "nrmse_2_pct", "peak_centred_2_pct",
		"J1_2_true_ms", "J2_2_true_pct", "J3_2_true_pct", "delay_2_true_ms", "nrmse_2_true_pct", "peak_centred_2_true_pct",
		"J2_floor_2_pct"}
	if got := names(NewTracking(4096, 1, 2, true).Summary()); !slices.Equal(got, want) {
		t.Errorf("second axis of two: %v", got)
	}
	for _, v := range NewTracking(4096, 1, 2, true).Summary() {
		if v.Doc == "" {
			t.Errorf("%s says nothing", v.Name)
		}
	}
}

// Each axis is judged by itself.
func TestTrackingOfAnAxis(t *testing.T) {
	rec := sorts["white"](rand.New(rand.NewPCG(1, 18)), 400)
	want := rec.judge().Summary()
	got := NewTracking(4096, 1, 2, true)
	for k := range rec.want {
		got.Observe(&rths.Frame{Desired: []float64{9, rec.want[k]}, Read: rths.Reading{
			Motion: rths.Motion{X: []float64{-9, rec.x[k]}}, TrueX: []float64{7, rec.exact[k]}}})
	}
	for i, v := range got.Summary() {
		if v.V != want[i].V {
			t.Errorf("%s = %g: want %g", v.Name, v.V, want[i].V)
		}
	}
}

// given is a numerical part whose motion is written down, leading or closing.
type given struct {
	x       []float64
	k       int
	closing bool
}

func (g *given) Closing() bool { return g.closing }

func (g *given) Step(target *rths.Motion, _ []float64, _ *rths.Reading) {
	if !g.closing {
		g.k++
	}
	target.X[0] = g.x[g.k]
	if g.closing {
		g.k++
	}
}

// follower is a rig, and a compensator, without any lag but the held command.
type follower struct{ x float64 }

func (f *follower) Read(out *rths.Reading) error { out.X[0], out.TrueX[0] = f.x, f.x; return nil }
func (f *follower) Write(u []float64) error      { f.x = u[0]; return nil }
func (f *follower) Step(u []float64, target *rths.Motion, _ *rths.Reading) {
	copy(u, target.X)
}

// In a loop the target and the reading of one instant are compared, whatever
// the order of a tick: a perfect rig is one sample late (0.24 ms) where the
// command aims at the present, and not at all where it aims at the next sample.
func TestTrackingInALoop(t *testing.T) {
	const n = 2000
	r := rand.New(rand.NewPCG(1, 30))
	x := newWave(r).record(n+1, 0, 1e-3, 0, r).want
	x[0] = 0 // a loop starts at rest
	for _, c := range []struct {
		what    string
		target  rths.TargetTime
		closing bool
		late    float64
	}{{"current, leading", rths.Current, false, 1}, {"current, closing", rths.Current, true, 1},
		{"next, leading", rths.Next, false, 0}} {
		tracking := NewTracking(4096, 0, 1, true)
		l, err := rths.NewLoop(rths.Config{RateHz: 4096, Samples: n, Timing: rths.Timing{Target: c.target}, Axes: 1,
			Forces: 1, Truth: true,
			Integrator: &given{x: x, closing: c.closing}, Compensator: &follower{}, Rig: &follower{},
			Observers: []rths.Observer{tracking}})
		if err != nil {
			t.Fatal(err)
		}
		for !l.Done() {
			if err := l.Step(); err != nil {
				t.Fatal(err)
			}
		}
		got := tracking.Summary()
		near(t, c.what+": J1", rthstest.Value(t, got, "J1_ms"), c.late*1e3/4096, 1e-12)
		if j2 := rthstest.Value(t, got, "J2_pct"); (j2 == 0) != (c.late == 0) {
			t.Errorf("%s: J2 = %g", c.what, j2)
		}
	}
}
