package scenario

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/kit/rthstest"
	"rths/maths/lti"
)

const fallbackText = `name: fallback
rate_hz: 2048
timing: {target: current, force_delay: 1}
ground: {kind: clough-penzien, duration_s: 6, pga_g: 0.1}
structure: {kind: silva2020, case: 4}
specimen: {kind: silva2020}
transfer: {kind: silva2020, stroke_m: 0.02, rate_m_s: 0}
sensors: {displacement_noise: 16e-6, force_noise: 2.18}
compensator: {kind: kf}
fallback: {kind: amb, gamma: [0, 0, 0, 0], residual_s: 0.2}
`

// ranTo runs a scenario to its end and returns it with its status.
func ranTo(t *testing.T, text string, sets ...string) (r *Run, status string) {
	t.Helper()
	s := rthstest.Must(Parse("fallback.yaml", []byte(text), ".", sets))
	r = rthstest.Must(s.Build(t.Context(), Options{}))
	status, _ = r.Status(r.Loop.Run(1<<30, func() bool { return true }))
	return r, status
}

func resultOf(r *Run, name string) float64 {
	for _, v := range r.Summary() {
		if v.Name == name {
			return v.V
		}
	}
	return math.NaN()
}

// A fallback that does not act changes no bit of a run.
func TestFallbackThatRests(t *testing.T) {
	for _, kind := range []string{"kf", "cats", "forward-prediction"} {
		var ends [2][]float64
		for i, set := range []string{"fallback=", "name=fallback"} {
			r, status := ranTo(t, fallbackText, "compensator.kind="+kind, set)
			f := r.Loop.Frame()
			ends[i] = slices.Concat(f.Command, f.Read.X, f.Read.F, f.Num.X)
			if len(r.Falls()) > 0 || status != "completed" {
				t.Errorf("%s: %s, %v", kind, status, r.Falls())
			}
		}
		if !slices.Equal(ends[0], ends[1]) {
			t.Errorf("%s: ends with %g, without fallback %g", kind, ends[1], ends[0])
		}
	}
}

// The displacement sensor sticks at 3 s. kf takes the plant for one that has stopped, and the
// run trips. With the fixed inverse to fall back to, the run completes, and the structure's
// motion stays near the reference.
func TestFallbackSavesTheRun(t *testing.T) {
	const stuck = "faults=[{kind: stuck, channel: measured_m, from_s: 3}]"
	r, status := ranTo(t, fallbackText, stuck, "fallback=")
	if alone := resultOf(r, "J4_true_pct"); status != "tripped" || !(alone > 100) {
		t.Errorf("kf alone: %s, J4 %.3g %%: want that it trips", status, alone)
	}
	r, status = ranTo(t, fallbackText, stuck)
	falls, saved := r.Falls(), resultOf(r, "J4_true_pct")
	t.Logf("%+v; J2 %.3g %%, J4 %.3g %%", falls, resultOf(r, "J2_true_pct"), saved)
	if status != "completed" || len(falls) != 1 || !(falls[0].T > 3.2 && falls[0].T < 3.3) ||
		!strings.Contains(falls[0].Cause, "residual") {
		t.Fatalf("%s, %+v: want one fall within 0.3 s", status, falls)
	}
	if !(saved < 20) {
		t.Errorf("J4 without noise is %.3g %%: want below 20 %%", saved)
	}
}

// The loop about rest is the loop of the method that commands: its motions die out as with
// that method alone.
func TestJacobianOfAFallback(t *testing.T) {
	radius := func(r *Run) float64 {
		j := rthstest.Must(r.Loop.Jacobian())
		return rthstest.Must(lti.SpectralRadius(mat.NewDense(j.N, j.N, j.J)))
	}
	const fixed = "compensator={kind: amb, gamma: [0, 0, 0, 0]}"
	both := func() *Run { return rthstest.Must(chainScenario(t, fallbackText).Build(t.Context(), Options{})) }
	kf := radius(rthstest.Must(chainScenario(t, fallbackText, "fallback=").Build(t.Context(), Options{})))
	amb := radius(rthstest.Must(chainScenario(t, fallbackText, fixed, "fallback=").Build(t.Context(), Options{})))
	if got := radius(both()); math.Abs(got-kf) > 1e-9 {
		t.Errorf("spectral radius %.12g, of kf alone %.12g", got, kf)
	}
	fallen, status := ranTo(t, fallbackText, "faults=[{kind: lost-readings, from_s: 0.01, duration_s: 0.06}]",
		"duration_s=0.5")
	if got := radius(fallen); len(fallen.Falls()) != 1 || status != "completed" || math.Abs(got-amb) > 1e-9 {
		t.Errorf("%s, %v: spectral radius %.12g, of the fixed inverse alone %.12g", status, fallen.Falls(), got, amb)
	}
	if math.Abs(kf-amb) < 1e-6 {
		t.Errorf("both have a spectral radius of %.12g: the test says nothing", kf)
	}
}

// Nothing returns by itself; asked, the run returns, with the same bits in the midst of
// a blend after a checkpoint.
func TestReturnFromFallback(t *testing.T) {
	lost := "faults=[{kind: lost-readings, from_s: 1, duration_s: 0.2}]"
	build := func() *Run { return rthstest.Must(chainScenario(t, fallbackText, lost).Build(t.Context(), Options{})) }
	play := func(r *Run, to int) {
		for r.Loop.Ticks() < to {
			if err := r.Loop.Step(); err != nil {
				t.Fatal(err)
			}
		}
	}
	share := func(r *Run) float64 {
		for _, p := range r.Parameters() {
			if p.Name == "fallback" {
				return p.V
			}
		}
		return math.NaN()
	}
	r := build()
	play(r, 4*2048)
	if share(r) != 1 {
		t.Errorf("long after the readings are back: share %g of the safe method, want 1", share(r))
	}
	if err := r.ReturnFromFallback(); err != nil {
		t.Fatal(err)
	}
	play(r, 4*2048+200)
	if s := share(r); !(s > 0 && s < 1) {
		t.Errorf("share %g in the midst of the way back", s)
	}
	saved := r.Loop.Checkpoint()
	twin := build()
	if err := twin.Loop.Resume(saved); err != nil {
		t.Fatal(err)
	}
	for _, one := range []*Run{r, twin} {
		play(one, 6*2048)
	}
	if a, b := r.Loop.Frame(), twin.Loop.Frame(); a.Command[0] != b.Command[0] || a.Read.X[0] != b.Read.X[0] {
		t.Errorf("resumed, the run ends with %g, %g: want %g, %g", b.Command, b.Read.X, a.Command, a.Read.X)
	}
	if falls := r.Falls(); share(r) != 0 || len(falls) != 2 || !falls[1].Back || falls[1].T != 4 {
		t.Errorf("share %g, %+v: want that kf commands again", share(r), falls)
	}
}

// Each actuator falls back by itself, and the resolved scenario says with which settings.
func TestFallbackOfEach(t *testing.T) {
	text := string(rthstest.Must(os.ReadFile("../scenarios/two-storeys.yaml")))
	stuck := "faults=[{kind: stuck, channel: measured_2_m, from_s: 4}]"
	sets := []string{"compensator={kind: kf}", "fallback={kind: mbc, residual_s: 0.1}", "expect=", "limits=none", stuck}
	s := chainScenario(t, text, sets...)
	r := rthstest.Must(s.Build(t.Context(), Options{}))
	if err := r.Loop.Run(1<<30, func() bool { return true }); err != nil {
		t.Fatal(err)
	}
	if f := r.Falls(); len(f) != 1 || f[0].Actuator != 2 {
		t.Errorf("%+v: want a fall of actuator 2 alone", f)
	}
	resolved := yamlOf(t, r.Scenario)
	if again := yamlOf(t, chainScenario(t, resolved)); again != resolved ||
		strings.Count(resolved, "residual_s: 0.1") != 2 {
		t.Errorf("read back it is\n%s\nwant, with a fallback of each\n%s", again, resolved)
	}
}

// A mistake says where, what and what to do.
func TestFallbackMistakes(t *testing.T) {
	two := string(rthstest.Must(os.ReadFile("../scenarios/benchmark-multiaxial.yaml")))
	each := strings.Replace(two, "compensator: {kind: none}",
		"each: [{compensator: {kind: amb}, fallback: {kind: kf}}, {compensator: {kind: adm2}}]", 1)
	const sine = "ground={kind: sine, frequency_hz: 2, amplitude_m_s2: 0.2, duration_s: 3}"
	for _, tc := range []struct {
		text string
		sets []string
		want string
	}{
		{fallbackText, []string{"fallback={kind: kf}"},
			"fallback: kf is the kind of the compensator itself, and what makes one fail may make the other fail: want " +
				"another method"},
		{fallbackText, []string{"fallback={kind: chain}"}, "fallback.kind: a chain: want one method"},
		{fallbackText, []string{"fallback={kind: mbc, fallback: {kind: amb}}"},
			"fallback.fallback: a fallback of a fallback: want one safe method"},
		{fallbackText, []string{"fallback={kind: lqg}"}, "fallback: lqg is a correction"},
		{fallbackText, []string{"compensator.kind=pi"}, "fallback.yaml:10:1: fallback: the compensator learns nothing"},
		{fallbackText, []string{"fallback.blend_s=0"}, "fallback: blend_s 0: want more than 0, at most 10"},
		{fallbackText, []string{"fallback.blend_s=11"}, "fallback: blend_s 11: want 0 to 10"},
		{fallbackText, []string{"fallback.residual_s=0"}, "fallback: residual_s 0: want more than 0"},
		{fallbackText, []string{"fallback.stale_s=-1"}, "fallback: stale_s -1: want 0 to"},
		{fallbackText, []string{"fallback={kind: amb, stale_s: 0, residual_pct: 0, at_bounds_s: 0}"},
			"all 0, so the fallback never acts"},
		{fallbackText, []string{"fallback={kind: amb, blend: 1}"}, "fallback.blend: unknown key: did you mean blend_s?"},
		{fallbackText, []string{"fallback={kind: amb, order: 9}"}, "fallback: amb: order 9"},
		{two, []string{"compensator={kind: rodeac}", "fallback={kind: kf}", sine},
			"fallback: kf is of one actuator, and the compensator takes all 2 at once"},
		{each, []string{"fallback={kind: mbc}"}, "each[1].fallback: beside the key fallback of all actuators"},
		{strings.Replace(each, "{kind: adm2}}", "{kind: kf}, fallback: {kind: kf}}", 1), nil,
			"each[2].fallback: kf is the kind of the compensator itself"},
	} {
		s, err := Parse("fallback.yaml", []byte(tc.text), ".", tc.sets)
		if err == nil {
			_, err = s.Build(t.Context(), Options{})
		}
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v: error %v\nwant %q", tc.sets, err, tc.want)
		}
	}
}

// A table actuator whose compensator takes all falls back to one that takes all.
func TestFallbackOfAll(t *testing.T) {
	two := string(rthstest.Must(os.ReadFile("../scenarios/benchmark-multiaxial.yaml")))
	r, status := ranTo(t, two, "compensator={kind: adm-msmc}", "inner_loop=", "fallback={kind: msmc}",
		"ground={kind: sine, frequency_hz: 2, amplitude_m_s2: 0.2, duration_s: 3}",
		"faults=[{kind: lost-readings, from_s: 1, duration_s: 0.06}]", "limits=none")
	if f := r.Falls(); status != "completed" || len(f) != 1 || f[0].Actuator != 0 {
		t.Errorf("%s, %+v: want one fall", status, f)
	}
	if _, ok := rths.As[rths.RateUser](r.Loop.Config().Compensator); ok {
		t.Error("none of both methods looks at rates")
	}
}
