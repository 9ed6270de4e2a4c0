package criteria

import (
	"math"
	"testing"

	"rths"
)

// The verdict is of the worst actuator, without noise where it is known, and an unstable loop is not good.
func TestVerdict(t *testing.T) {
	measured := func(v ...float64) (out []rths.Value) {
		for _, x := range v {
			out = append(out, rths.Value{Name: "J2", Number: 2, V: x})
		}
		return append(out, rths.Value{Name: "J3", Number: 3, V: 500}, rths.Value{Name: "J2_floor_pct", V: 90})
	}
	exact := func(noisy, v float64) []rths.Value {
		return append(measured(noisy), rths.Value{Name: "J2_true_pct", Number: 2, Meaning: rths.Meaning{Exact: true}, V: v})
	}
	for _, c := range []struct {
		values   []rths.Value
		unstable bool
		want     string
	}{
		{measured(0), false, Good}, {measured(5), false, Good}, {measured(5.01), false, Poor}, {measured(20), false, Poor},
		{measured(20.1), false, Lost}, {measured(2400), false, Lost}, {measured(math.Inf(1)), false, Lost},
		{measured(1, 30, 2), false, Lost}, {measured(1, 7), false, Poor}, {measured(7, 1), false, Poor},
		{exact(30, 1), false, Good}, {exact(1, 30), false, Lost},
		{measured(1), true, Poor}, {measured(7), true, Poor}, {measured(30), true, Lost}, {exact(1, 0), true, Poor},
		{measured(math.NaN()), false, ""}, {measured(math.NaN(), 7), false, Poor}, {measured(7, math.NaN()), false, Poor},
		{nil, false, ""}, {nil, true, ""},
	} {
		if got := Verdict(c.values, c.unstable); got != c.want {
			t.Errorf("%v, unstable %t: %q: want %q", c.values, c.unstable, got, c.want)
		}
	}
}

// The levels are those of the derivation: an actuator that is late by τ has J2 = 2 sin(ωτ/2).
func TestVerdictOfADelay(t *testing.T) {
	const rate, hz = 4096.0, 2.0
	// ωτ = 0.049, 0.055, 0.196, 0.206
	for late, want := range map[int]string{0: Good, 16: Good, 18: Poor, 64: Poor, 67: Lost} {
		track := NewTracking(rate, 0, 1, false)
		f := &rths.Frame{Desired: make([]float64, 1), Read: rths.NewReading(1, 1)}
		for k := range int(rate) {
			at := func(k int) float64 { return math.Sin(2 * math.Pi * hz * float64(k) / rate) }
			f.Desired[0], f.Read.X[0] = at(k), at(k-late)
			track.Observe(f)
		}
		if got := Verdict(track.Summary(), false); got != want {
			t.Errorf("%d samples late: %s: want %s", late, got, want)
		}
	}
}
