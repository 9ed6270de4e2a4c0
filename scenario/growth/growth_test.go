package growth_test

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/scenario"
	"rths/scenario/growth"
	"rths/scenarios"
)

// oscillator has half of its spring in the specimen, behind a pure delay, and no damping.
const oscillator = `name: oscillator
rate_hz: 4000
duration_s: 1
timing: {target: next}
structure: {kind: shear, masses: [1000], stiffnesses: [1e5], damping: {matrix: [[0]]}}
integrator: {kind: cr}
initial_displacement: [0.02]
specimen: {kind: linear, stiffness: 5e4}
transfer: {kind: delay, delay_ms: 5}
compensator: {kind: none}
`

func built(t *testing.T, sets ...string) *scenario.Run {
	t.Helper()
	s := rthstest.Must(scenario.Parse("oscillator.yaml", []byte(oscillator), ".", sets))
	return rthstest.Must(s.Build(t.Context(), scenario.Options{}))
}

// A delay τ of a spring k_s is a damping of −k_s sin(ωτ)/ω: motion grows by k_s sin(ωτ)/(2mω) a second at
// ω² = (k − k_s + k_s cos ωτ)/m. Delays of hold and loop stand in both runs: their difference has the 4 ms alone. With
// a damping against it, motion decays.
func TestGrowthOfADelay(t *testing.T) {
	const m, k, ks = 1000.0, 1e5, 5e4
	closed := func(tau float64) float64 {
		w := math.Sqrt(k / m)
		for range 20 {
			w = math.Sqrt((k - ks + ks*math.Cos(w*tau)) / m)
		}
		return ks * math.Sin(w*tau) / (2 * m * w)
	}
	perS := func(ms float64) float64 {
		g, err := growth.Of(t.Context(), built(t, fmt.Sprintf("transfer.delay_ms=%g", ms)))
		if err != nil || g == nil {
			t.Fatalf("%g ms: %v, %v: want that motion grows", ms, g, err)
		}
		if math.Abs(2*math.Pi*g.Hz/10-1) > 0.02 || math.Abs(math.Log(g.Radius)*4000/g.PerS-1) > 1e-9 {
			t.Errorf("%g ms: %+v: want motion at 10 rad/s", ms, g)
		}
		return g.PerS
	}
	if got, want := perS(9)-perS(5), closed(9e-3)-closed(5e-3); math.Abs(got/want-1) > 0.02 {
		t.Errorf("4 ms make motion grow by %g 1/s, want %g", got, want)
	}
	for _, sets := range [][]string{{"structure.damping.matrix=[[1000]]"}, {"loop=open"}} {
		if g, err := growth.Of(t.Context(), built(t, sets...)); g != nil || err != nil {
			t.Errorf("%q: %v, %v: want no growth", sets, g, err)
		}
	}
	if radius, err := growth.Radius(t.Context(), built(t)); err != nil || !(radius > 1) {
		t.Errorf("spectral radius %g, %v: want more than 1", radius, err)
	}
}

// At the end of a run the parameters that the compensator has learnt count, and the sentence says so.
func TestGrowthAtTheEnd(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"compensator.kind=none", "the loop is unstable: its spectral radius is 1."},
		{"compensator={kind: amb, a: [1, 0, 0], gamma: [1e-9, 1e-9, 1e-9]}",
			"the loop is unstable with what the compensator has learnt"},
		{"devices=[{between: [[0, 1]], kind: linear, stiffness: 1, learn: {parameters: {stiffness: [0.5, 2]}}}]",
			"the loop is unstable with what was learnt during the test"},
		{"passivity={max_damping: 1e5}", ""}, {"structure.damping.matrix=[[1000]]", ""},
	} {
		got := growth.AtEnd(t.Context(), built(t, c.set))
		if !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s: %q, want %q", c.set, got, c.want)
		}
	}
}

// Roots that keep a value do not count, and rounding is no growth; the text has frequency, rate and radius.
func TestGrows(t *testing.T) {
	for _, c := range []struct {
		roots  []complex128
		grows  bool
		moving float64
	}{
		{nil, false, 0}, {[]complex128{1, 1 + 5e-9}, false, 0}, {[]complex128{0.5, -0.9}, false, 0.9},
		{[]complex128{1, 1i * (1 + 1e-13)}, false, 1 + 1e-13}, {[]complex128{1, 1.001i}, true, 1.001},
		{[]complex128{1.0000001}, true, 1.0000001},
	} {
		if grows, moving := growth.Grows(c.roots); grows != c.grows || moving != c.moving {
			t.Errorf("%v: %v, %g: want %v, %g", c.roots, grows, moving, c.grows, c.moving)
		}
	}
	if !growth.Remembers(1+9e-9) || growth.Remembers(1+2e-8) || growth.Remembers(cmplx.Rect(1, 1e-6)) {
		t.Error("a root within 1e-8 of 1 keeps its value, no other")
	}
	g := &growth.Growth{Radius: 1.01, Hz: 3, PerS: 5}
	if got := g.String(); got != "its spectral radius is 1.010000 per sample, want at most 1: motion at 3 Hz "+
		"grows by 5 1/s" {
		t.Error(got)
	}
	if g.Hz = 0; !strings.Contains(g.String(), "motion to one side grows") {
		t.Error(g)
	}
}

// More states than can be looked at are an error with a remedy.
func TestTooManyStates(t *testing.T) {
	_, err := growth.Roots(t.Context(), built(t, "compensator={kind: fir, coefficients: [1]}", "transfer.delay_ms=1000"))
	var many *growth.TooManyStates
	if !errors.As(err, &many) || many.States < 4000 || !strings.Contains(err.Error(), "take fewer degrees of freedom") {
		t.Errorf("%v: want that the loop has too many states", err)
	}
}

// The states of a transfer system may have any unit: the same roots, with a specimen that yields at 1 mm.
func TestGrowthInAnyUnitOfStates(t *testing.T) {
	var want []complex128
	for _, unit := range []float64{1, 1e10, 1e-10} {
		transfer := fmt.Sprintf("transfer={kind: ss, a: [[0, 1], [-32400, -252]], b: [[0], [%g]], c: [[%g, 0]], d: [], "+
			"delay_ms: 0}", 32400/unit, unit)
		roots := rthstest.Must(growth.Roots(t.Context(), built(t, "duration_s=1", transfer, "compensator={kind: amb}",
			"specimen={kind: bilinear, stiffness: 5e4, post_stiffness: 5e3, yield_displacement: 1e-3, damping: 10}")))
		if want == nil {
			want = roots
		}
		if grows, radius := growth.Grows(roots); len(roots) != len(want) ||
			math.Abs(cmplx.Abs(roots[len(roots)-1])-cmplx.Abs(want[len(want)-1])) > 1e-9 {
			t.Errorf("unit %g: %d roots, grows %t, radius %g: want %d, %g", unit, len(roots), grows, radius, len(want),
				cmplx.Abs(want[len(want)-1]))
		}
	}
}

// A state that moves the actuators by 0.8 m where it is probed: the geometry of a body has no such pose, and the loop is
// judged all the same.
func TestGrowthOfABodyInAnyUnit(t *testing.T) {
	text := rthstest.Must(scenarios.Files.ReadFile("loading-block.yaml"))
	s := rthstest.Must(scenario.Parse("block", text, ".", []string{"duration_s=1",
		"transfer={kind: tf, num: [1e12], den: [1, 2613.1, 3.4142e6, 2.6131e9, 1e12]}"}))
	r := rthstest.Must(s.Build(t.Context(), scenario.Options{}))
	if g, err := growth.Of(t.Context(), r); err != nil || g != nil {
		t.Errorf("%v, %v: want motion that decays", g, err)
	}
}
