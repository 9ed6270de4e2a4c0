package plant

import (
	"math"
	"slices"
	"testing"

	"rths"
	"rths/kit/rthstest"
)

// limited is the benchmark's plant with the 8900 N of the package's editors.
func limited(rateHz float64) *saturated {
	p := silvaCode
	p.ForceLimit = 8900
	return rthstest.Must(p.Make(At{RateHz: rateHz, Specimen: benchmarkSpecimen()})).(*saturated)
}

func free() Plant {
	return rthstest.Must((&silvaCode).Make(At{RateHz: rate, Specimen: benchmarkSpecimen()}))
}

// swept is a sine of growing amplitude, m: above 7.5 mm the force of the
// specimen reaches 8900 N.
func swept(amplitude, hz float64) []float64 {
	u := make([]float64, 3*rate/2)
	for k := range u {
		t := float64(k) / rate
		u[k] = amplitude * min(t, 1) * math.Sin(2*math.Pi*hz*t)
	}
	return u
}

// strokes are commands that reach the limit, some for long.
var strokes = []struct{ amplitude, hz float64 }{{0.009, 3}, {0.011, 6}, {0.014, 1}, {0.014, 3}}

// Below the limit every bit equals the plant without limit.
func TestLimitNotTouched(t *testing.T) {
	for _, u := range [][]float64{swept(0.006, 1), swept(0.0065, 3), wander(30, 5000, 4e-3)} {
		want, got := drive(free(), u), drive(limited(rate), u)
		if peak(want.f) >= 8900 || peak(want.f) < 4000 {
			t.Fatalf("largest force %g N: want a test close below 8900 N", peak(want.f))
		}
		if !slices.Equal(got.x, want.x) || !slices.Equal(got.v, want.v) || !slices.Equal(got.a, want.a) ||
			!slices.Equal(got.f, want.f) {
			t.Error("the limit was not reached, and the plant differs from the free one")
		}
	}
}

// The force stops at the limit and never passes it, whatever the command.
func TestLimitIsKept(t *testing.T) {
	commands := [][]float64{wander(31, 5000, 0.05), repeat([]float64{0.1, -0.1, 0, 1, -1}, 500)}
	for _, s := range strokes {
		commands = append(commands, swept(s.amplitude, s.hz))
	}
	for i, u := range commands {
		if most := peak(drive(limited(rate), u).f); most != 8900 {
			t.Errorf("commands %d: largest force %.17g N: want 8900", i, most)
		}
	}
}

// At the limit the plant is its equations with a saturated force. Two things
// separate it from them: the limit is noticed and left at the end of a slice,
// 1/64 of a sample late at most, and a force that is beyond it only within a
// sample is not noticed at all. Both shrink with the sample: against a finely
// divided Runge–Kutta (which itself is good to 1e-10 m there) they leave 3 nm
// at 4096 Hz and less than a quarter of it at four times the rate.
func TestLimitIsItsEquations(t *testing.T) {
	for _, s := range strokes {
		u := swept(s.amplitude, s.hz)
		p := silvaCode
		p.ForceLimit = 8900
		want := (&rk4{p: p, m: specimenMass, c: specimenDamping, k: specimenStiffness}).drive(u, 64)
		got := drive(limited(rate), u)
		if moved := apart(drive(free(), u).x, want.x); moved < 5e-4 {
			t.Fatalf("%g m at %g Hz: the limit changes the motion by %g m only", s.amplitude, s.hz, moved)
		}
		dx, df := apart(got.x, want.x), apart(got.f, want.f)
		if !(dx <= 1e-8) || !(df <= 0.03) {
			t.Errorf("%g m at %g Hz: %.2g m and %.2g N from the equations", s.amplitude, s.hz, dx, df)
		}
		// in the slice of a change the acceleration belongs to the force before it
		if da := apart(got.a, want.a); !(da <= 1e-3*peak(want.a)) {
			t.Errorf("%g m at %g Hz: %.2g m/s² from the equations, largest %.2g", s.amplitude, s.hz, da, peak(want.a))
		}
		fast := drive(limited(4*rate), repeat(u, 4))
		for k := range u {
			fast.x[k] = fast.x[4*k+3]
		}
		if closer := apart(fast.x[:len(u)], want.x); !(closer <= dx/4+1e-10) {
			t.Errorf("%g m at %g Hz: %.2g m from the equations at four times the rate, %.2g m before", s.amplitude, s.hz, closer,
				dx)
		}
	}
}

// Idealised, the plant has no limit; put back, it has.
func TestLimitIdealised(t *testing.T) {
	u := swept(0.014, 3)
	p := limited(rate)
	p.Idealise(true)
	if got, want := drive(p, u), drive(free(), u); !slices.Equal(got.x, want.x) || !slices.Equal(got.f, want.f) {
		t.Error("idealised, the limited plant differs from the free one")
	}
	rths.SetState(make([]float64, silvaStates), p)
	p.Idealise(false)
	if got, want := drive(p, u), drive(limited(rate), u); !slices.Equal(got.x, want.x) || !slices.Equal(got.f, want.f) {
		t.Error("put back, the limit acts otherwise than before")
	}
}

// Resumed while the force is at the limit, with all the actuator has wound up.
func TestLimitResumes(t *testing.T) {
	u := swept(0.014, 3)
	want := drive(limited(rate), u)
	at := slices.Index(want.f, 8900) + 5
	first, resumed := limited(rate), limited(rate)
	drive(first, u[:at])
	state := rths.AppendState(nil, first)
	if len(state) != silvaStates || !(state[force] > 8900) {
		t.Fatalf("state %v: want five numbers with the force beyond the limit", state)
	}
	drive(resumed, swept(0.02, 1))
	rths.SetState(state, resumed)
	if got := drive(resumed, u[at:]); !slices.Equal(got.x, want.x[at:]) || !slices.Equal(got.f, want.f[at:]) {
		t.Error("resumed at the limit: other bits")
	}
}

var _ rths.Idealiser = (*saturated)(nil)
