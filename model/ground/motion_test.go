package ground

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// ramp is a motion a(t) = 1 + 2t, which linear interpolation reproduces.
func ramp(n int, dt float64) Motion {
	m := Motion{Name: "ramp", Dt: dt, A: make([]float64, n)}
	for i := range m.A {
		m.A[i] = 1 + 2*float64(i)*dt
	}
	return m
}

// wantError checks that an error reads exactly as wanted.
func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || err.Error() != want {
		t.Errorf("error\n  %v\nwant\n  %s", err, want)
	}
}

func TestDurationAndPGA(t *testing.T) {
	m := Motion{Dt: 0.02, A: []float64{1, -3, 2}}
	if m.Duration() != 0.04 || m.PGA() != 3 {
		t.Errorf("duration %g s, PGA %g: want 0.04, 3", m.Duration(), m.PGA())
	}
	if (Motion{}).Duration() != 0 || (Motion{}).PGA() != 0 {
		t.Error("an empty motion has a duration or a peak")
	}
}

func TestScalingLeavesTheOriginal(t *testing.T) {
	m := Motion{Name: "m", T0: 3, Dt: 0.1, A: []float64{1, -2}}
	if got := m.Scaled(0.5); !slices.Equal(got.A, []float64{0.5, -1}) || got.T0 != 3 || got.Dt != 0.1 {
		t.Errorf("scaled: %+v", got)
	}
	got, err := m.ToPGA(0.3 * StandardGravity)
	if err != nil || math.Abs(got.PGA()-2.941995) > 1e-15 {
		t.Errorf("PGA %g m/s², error %v: want 0.3·9.80665 = 2.941995", got.PGA(), err)
	}
	if !slices.Equal(m.A, []float64{1, -2}) {
		t.Errorf("the original changed: %v", m.A)
	}
}

func TestToPGAErrors(t *testing.T) {
	zero := Motion{Name: "flat", Dt: 0.1, A: make([]float64, 5)}
	_, err := zero.ToPGA(3)
	wantError(t, err, "flat: zero throughout: want a motion with a peak, to scale it to 3 m/s²")
	for _, pga := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := ramp(5, 0.1).ToPGA(pga); err == nil || !strings.Contains(err.Error(), "want more than 0") {
			t.Errorf("PGA %g: error %v", pga, err)
		}
	}
}

func TestWindow(t *testing.T) {
	m := ramp(11, 0.1)
	for _, c := range []struct{ from, to, first, last float64 }{
		{0, 1, 0, 1},
		{0.3, 0.7, 0.3, 0.7}, // 0.3/0.1 and 0.7/0.1 are not whole in floating point
		{0.25, 0.75, 0.3, 0.7},
	} {
		got, err := m.Window(c.from, c.to)
		if err != nil {
			t.Fatal(err)
		}
		end := got.T0 + got.Duration()
		if math.Abs(got.T0-c.first) > 1e-12 || math.Abs(end-c.last) > 1e-12 || math.Abs(got.A[0]-(1+2*c.first)) > 1e-12 {
			t.Errorf("window %g to %g: %g to %g, a %g: want %g to %g", c.from, c.to, got.T0, end, got.A[0], c.first, c.last)
		}
	}
}

func TestWindowErrors(t *testing.T) {
	m := ramp(11, 0.1)
	for _, w := range [][2]float64{{-0.1, 1}, {0, 1.1}, {0.5, 0.5}, {0.7, 0.3}, {math.NaN(), 1}, {0, math.NaN()},
		{0, math.Inf(1)}} {
		if _, err := m.Window(w[0], w[1]); err == nil {
			t.Errorf("window %v of 1 s: no error", w)
		}
	}
	_, err := m.Window(0.5, 2)
	wantError(t, err, "ramp: window 0.5 to 2 s: want two increasing times within 0 to 1 s")
	_, err = m.Window(0.51, 0.59)
	wantError(t, err, "ramp: window 0.51 to 0.59 s: want at least one step of 0.1 s")
}

func TestPadded(t *testing.T) {
	m := Motion{T0: 1, Dt: 0.1, A: []float64{5, 6}}
	got := m.Padded(0.25, 0.3)
	if !slices.Equal(got.A, []float64{0, 0, 0, 5, 6, 0, 0, 0}) || math.Abs(got.T0-0.7) > 1e-15 {
		t.Errorf("padded: %+v, want three zeros on both sides", got)
	}
	if got := m.Padded(-1, math.NaN()); !slices.Equal(got.A, m.A) {
		t.Errorf("padded by nothing: %v", got.A)
	}
}

// 41.18·4096 = 168 673.28: ticks 0 … 168 673 (docs/reference/benchmark-siso.md, Ground motions).
func TestSamples(t *testing.T) {
	for _, c := range []struct {
		n    int
		dt   float64
		rate float64
		want int
	}{
		{2060, 0.02, 4096, 168674}, // El Centro
		{2060, 0.02, 50, 2060},
		{11, 0.1, 10, 11}, // 10·0.1·10 may fall below 10
		{4, 0.1, 10, 4},
		{1, 0.1, 10, 1},
		{0, 0.1, 10, 0},
	} {
		if got := ramp(c.n, c.dt).Samples(c.rate); got != c.want {
			t.Errorf("%d points of %g s at %g Hz: %d samples, want %d", c.n, c.dt, c.rate, got, c.want)
		}
	}
}

func TestHalfStepsOfARamp(t *testing.T) {
	m := ramp(2060, 0.02)
	n := m.Samples(4096)
	got := m.HalfSteps(4096, n)
	if len(got) != 2*n+1 {
		t.Fatalf("%d values, want %d", len(got), 2*n+1)
	}
	for j, a := range got {
		at := float64(j) / 8192
		want := 1 + 2*at
		if at > 41.18 {
			want = 0
		}
		if math.Abs(a-want) > 1e-12*(1+want) {
			t.Fatalf("a(%g s) = %.15g, want %.15g", at, a, want)
		}
	}
}

// At a rate that is a multiple of the motion's, knots are hit to the last bit
// up to the last sample of a long record.
func TestHalfStepsHitTheKnots(t *testing.T) {
	m := Motion{Dt: 0.005, A: make([]float64, 200_001)}
	for i := range m.A {
		m.A[i] = math.Sin(float64(i)) * 1e3
	}
	n := m.Samples(1000)
	got := m.HalfSteps(1000, n)
	for i, a := range m.A {
		if got[10*i] != a {
			t.Fatalf("knot %d: %g, want %g", i, got[10*i], a)
		}
	}
	if last := got[len(got)-1]; last != 0 {
		t.Errorf("half a step beyond the end: %g, want 0", last)
	}
}

func TestHalfStepsIgnoreT0AndEndInZeros(t *testing.T) {
	m := Motion{T0: 100, Dt: 0.5, A: []float64{4, 8}}
	want := []float64{4, 6, 8, 0, 0, 0, 0}
	if got := m.HalfSteps(2, 3); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := (Motion{Dt: 0.1}).HalfSteps(2, 1); !slices.Equal(got, []float64{0, 0, 0}) {
		t.Errorf("an empty motion gives %v", got)
	}
}

func TestOurOwnMistakesPanic(t *testing.T) {
	for name, f := range map[string]func(){
		"rate 0":           func() { ramp(3, 1).Samples(0) },
		"rate NaN":         func() { ramp(3, 1).HalfSteps(math.NaN(), 1) },
		"negative samples": func() { ramp(3, 1).HalfSteps(10, -1) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}

// Resampling is linear in the motion and never exceeds its peak.
func TestHalfStepsLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dt := rapid.Float64Range(1e-3, 0.1).Draw(t, "dt")
		rate := rapid.Float64Range(1, 5000).Draw(t, "rate")
		// Doubling is exact but for the smallest numbers there are, which round.
		value := rapid.Float64Range(-10, 10).Filter(func(x float64) bool { return x == 0 || math.Abs(x) > 1e-300 })
		a := rapid.SliceOfN(value, 2, 30).Draw(t, "a")
		m := Motion{Dt: dt, A: a}
		n := m.Samples(rate)
		if end := float64(n-1) / rate; end > m.Duration()*(1+1e-9) || end+1/rate < m.Duration()*(1-1e-9) {
			t.Fatalf("last tick %g s, duration %g s", end, m.Duration())
		}
		twice := m.Scaled(2).HalfSteps(rate, n)
		for j, v := range m.HalfSteps(rate, n) {
			if math.Abs(v) > m.PGA() {
				t.Fatalf("%g exceeds the peak %g", v, m.PGA())
			}
			if twice[j] != 2*v {
				t.Fatalf("twice the motion: %g, want %g", twice[j], 2*v)
			}
		}
	})
}
