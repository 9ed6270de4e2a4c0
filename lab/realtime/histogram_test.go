package realtime_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"rths/kit/rthstest"
	"rths/lab/realtime"
)

// drawn are durations of all sizes, ns, and values at the edges of bins.
func drawn(r *rand.Rand, n int) []int64 {
	out := []int64{0, 9, 10, 999, 1000, 1001, 1999, 2000, 999_999, 1_000_000, 1_000_001, 9_999_999_999, 10_000_000_000,
		math.MaxInt64}
	for range n {
		out = append(out, int64(math.Pow(10, 10*r.Float64())))
	}
	return out
}

func counted(values []int64) realtime.Distribution {
	h := realtime.NewHistogram(make([]atomic.Uint64, realtime.HistogramWords))
	for _, v := range values {
		h.Add(v)
	}
	return h.Distribution()
}

// Every duration is in the one bin that holds it, and the bins join.
func TestBins(t *testing.T) {
	for _, v := range drawn(rand.New(rand.NewPCG(1, 1)), 1000) {
		d := counted([]int64{v})
		if d.Count != 1 || len(d.Bins) != 1 {
			t.Fatalf("%d ns: %+v", v, d)
		}
		b, us := d.Bins[0], float64(v)/1e3
		if us < b.FromUs || us >= b.ToUs || b.Count != 1 || d.MaxUs != us {
			t.Errorf("%d ns is in the bin from %g to %g µs, the largest is %g", v, b.FromUs, b.ToUs, d.MaxUs)
		}
		if us >= 1 && us < 1000 && b.ToUs-b.FromUs != 1 {
			t.Errorf("%d ns is in a bin of %g µs: want 1", v, b.ToUs-b.FromUs)
		}
		if us >= 1000 && us < 1e7 && b.ToUs/b.FromUs > 1.0747 { // 10^(1/32) = 1.0746
			t.Errorf("%d ns is in a bin from %g to %g µs", v, b.FromUs, b.ToUs)
		}
	}
	if d := counted([]int64{-5}); d.Count != 1 || d.MaxUs != 0 {
		t.Errorf("a negative duration: %+v: want one of 0", d)
	}
}

// A quantile is not below the exact one, and at most a bin above it.
func TestQuantiles(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 50 {
		values := drawn(r, 1+r.IntN(3000))[14:] // without the edges, which are far beyond
		d := counted(values)
		slices.Sort(values)
		for _, q := range []struct{ share, got float64 }{{0.5, d.P50Us}, {0.99, d.P99Us}, {0.999, d.P999Us},
			{1, d.Quantile(1)}} {
			exact := float64(values[int(math.Ceil(q.share*float64(len(values))))-1]) / 1e3
			if q.got < exact || q.got > max(1.34*exact, exact+1) { // 10^(1/8) = 1.33
				t.Errorf("quantile %g of %d: %g µs: exactly %g", q.share, len(values), q.got, exact)
			}
		}
	}
	if d := counted(nil); d.Count != 0 || d.P50Us != 0 || d.P999Us != 0 || d.MaxUs != 0 || len(d.Bins) != 0 {
		t.Errorf("nothing counted: %+v", d)
	}
}

// A distribution is the same after it was written and read.
func TestDistributionAsText(t *testing.T) {
	for _, values := range [][]int64{nil, {0}, {16_500, 16_700, 17_000}, drawn(rand.New(rand.NewPCG(3, 3)), 500)} {
		want := counted(values)
		var got realtime.Distribution
		text := rthstest.Must(json.Marshal(want))
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got.Count != want.Count || got.MaxUs != want.MaxUs || got.P999Us != want.P999Us ||
			!slices.Equal(got.Bins, want.Bins) {
			t.Errorf("%s:\n%+v\nwant\n%+v", text, got, want)
		}
	}
	text := rthstest.Must(counted([]int64{16_500, 16_700, 17_000, 10, 2_000_000_000_000}).Bins.MarshalText())
	if want := "0.01:1 16:2 17:1 1e+07:1"; string(text) != want {
		t.Errorf("%q: want %q", text, want)
	}
	for wrong, want := range map[string]string{"16": "want from:count", "16:x": "want from:count",
		"a:1": "want from:count", "16.5:1": "an edge of this version", "16:-1": "want from:count"} {
		var b realtime.Bins
		rthstest.WantError(t, b.UnmarshalText([]byte(wrong)), want)
	}
}

func FuzzBins(f *testing.F) {
	f.Add("0.01:1 16:2 17:1 1e+07:1")
	f.Add("0:3")
	f.Fuzz(func(t *testing.T, text string) {
		var b, again realtime.Bins
		if b.UnmarshalText([]byte(text)) != nil {
			return
		}
		written := rthstest.Must(b.MarshalText())
		if err := again.UnmarshalText(written); err != nil || !slices.Equal(again, b) {
			t.Errorf("%q: %v as %q is %v, error %v", text, b, written, again, err)
		}
	})
}

// Ticks keep lateness, execution and departure apart, and leave out the first ticks.
func TestTicks(t *testing.T) {
	words := make([]atomic.Uint64, realtime.TicksWords)
	ticks := realtime.NewTicks(words)
	bad := realtime.Tick{Begun: 1e9, Taken: 2e9, Left: 3e9, Done: 4e9, Slept: true, Late: true}
	for range realtime.LeftOut {
		ticks.See(&bad)
	}
	if of := ticks.Timing(); of.Ticks != 0 || of.Lateness.Count != 0 || of.LeftOut != realtime.LeftOut {
		t.Errorf("%+v: want nothing of the first %d ticks", of, realtime.LeftOut)
	}
	ticks.See(&realtime.Tick{Due: 1000, Begun: 21_000, Taken: 31_000, Left: 41_000, Done: 91_000, Slept: true})
	ticks.See(&realtime.Tick{Due: 1000, Begun: 701_000, Taken: 701_000, Left: 702_000, Done: 711_000, Late: true})
	of := ticks.Timing()
	if of.Ticks != 2 || of.Slept != 1 || of.Late != 1 || of.LateSlept != 0 {
		t.Errorf("%+v: want 2 ticks, one slept, the other late", of)
	}
	if of.Lateness.Count != 1 || of.Lateness.MaxUs != 20 {
		t.Errorf("lateness %+v: want 20 µs of the one that slept", of.Lateness)
	}
	if of.Execution.Count != 2 || of.Execution.MaxUs != 60 || of.Departure.Count != 2 || of.Departure.MaxUs != 701 {
		t.Errorf("execution %+v, departure %+v: want at most 60 and 701 µs", of.Execution, of.Departure)
	}
	ticks.See(&bad)
	// another process, over the same memory
	if of := realtime.NewTicks(words).Timing(); of.Ticks != 3 || of.LateSlept != 1 {
		t.Errorf("%+v: want what was counted", of)
	}
	if n := testing.AllocsPerRun(100, func() { ticks.See(&bad) }); n != 0 {
		t.Errorf("%g allocations per tick", n)
	}
}

func BenchmarkSee(b *testing.B) {
	ticks := realtime.NewTicks(make([]atomic.Uint64, realtime.TicksWords))
	t := realtime.Tick{Due: 0, Begun: 17_000, Taken: 17_000, Left: 20_000, Done: 21_000, Slept: true}
	for b.Loop() {
		ticks.See(&t)
	}
}
