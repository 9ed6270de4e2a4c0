package study

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

var ranges = []Tuned{
	{From: 0, To: 1}, {From: -3, To: 0.1}, {From: 0.1, To: 0.7}, {From: -8e307, To: 8e307},
	{From: 1, To: math.Nextafter(1, 2)},
	{From: 1e2, To: 1e10, Log: true}, {From: 1e-4, To: 1e4, Log: true}, {From: 5e-324, To: math.MaxFloat64, Log: true},
	{From: 0.1, To: 0.7, Log: true},
}

// Both ends are met exactly, no value is beyond, values rise with u, and U is the inverse.
func TestTunedRange(t *testing.T) {
	for _, r := range ranges {
		if err := r.Check(); err != nil {
			t.Fatal(err)
		}
		if r.Value(0) != r.From || r.Value(1) != r.To || r.U(r.From) != 0 || r.U(r.To) != 1 {
			t.Errorf("%+v: ends %g and %g, u %g and %g", r, r.Value(0), r.Value(1), r.U(r.From), r.U(r.To))
		}
		narrow, endless := r.To-r.From < 1e-9, r.From == 5e-324 // no inverse in double precision
		last, random := r.From, rand.New(rand.NewPCG(1, 0))
		for i := range 10_001 {
			u := float64(i) / 10_000
			x := r.Value(u)
			if x < last || x > r.To {
				t.Fatalf("%+v: %g at u = %g, after %g", r, x, u, last)
			}
			last = x
			u = random.Float64()
			// rounding, of ranges of up to ten decades
			if got := r.U(r.Value(u)); !narrow && !endless && math.Abs(got-u) > 1e-13 {
				t.Fatalf("%+v: u = %.17g comes back as %.17g", r, u, got)
			}
		}
	}
	if x := (Tuned{From: 1e2, To: 1e10, Log: true}).Value(0.5); math.Abs(x/1e6-1) > 1e-14 {
		t.Errorf("the middle of 10² to 10¹⁰ is %g", x)
	}
	if x := (Tuned{From: -1, To: 3}).Value(0.25); x != 0 {
		t.Errorf("a quarter of −1 to 3 is %g", x)
	}
	r := Tuned{From: 1, To: 10, Log: true}
	if r.U(-1) != 0 || r.U(11) != 1 || r.Value(-1) != 1 || r.Value(2) != 10 {
		t.Errorf("beyond the range: u %g and %g, values %g and %g", r.U(-1), r.U(11), r.Value(-1), r.Value(2))
	}
}

func TestTunedMistakes(t *testing.T) {
	for _, tc := range []struct {
		r    Tuned
		want string
	}{
		{Tuned{From: 1, To: 1}, "want from less than to"}, {Tuned{From: 2, To: 1}, "want from less than to"},
		{Tuned{From: 0, To: 1, Log: true}, "from 0 with log: want from above 0"},
		{Tuned{From: math.NaN(), To: 1}, "want finite numbers"},
		{Tuned{From: 0, To: math.Inf(1)}, "want finite numbers"}, {Tuned{From: -1e308, To: 1e308}, "want a range of at most"},
	} {
		if err := tc.r.Check(); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%+v: error %v, want it to say %q", tc.r, err, tc.want)
		}
	}
}
