package scenario_test

import (
	"math"
	"testing"

	"rths/kit/rthstest"
	"rths/model/plant"
	"rths/scenario"
	"rths/scenarios"
)

// ran is a shipped scenario with some keys set, run to its end.
func ran(t *testing.T, name string, sets ...string) *scenario.Run {
	t.Helper()
	text := rthstest.Must(scenarios.Files.ReadFile(name))
	r := rthstest.Must(rthstest.Must(scenario.Parse(name, text, ".", sets)).Build(t.Context(), scenario.Options{}))
	if err := r.Loop.Run(1, nil); err != nil {
		t.Fatal(err)
	}
	return r
}

// The benchmark's actuator drifts. The adaptive delay a₁ grows as u/x = c₀ + c₁ s + … of
// the frozen plant, and the compensator that is right for the start, held fixed, is not
// right any more. a₁ is a fit from 0 to 20 Hz with noise, c₁ a slope at 0 Hz: their growth
// agrees within 3 %.
func TestAdaptiveCompensatorFollowsTheVaryingPlant(t *testing.T) {
	const shipped = "varying-actuator.yaml"
	follows, stays := ran(t, shipped), ran(t, shipped, "transfer.varies=[]")
	slope := func(drifted float64) float64 {
		p := *stays.Scenario.Transfer.Params.(*plant.Silva2020)
		p.Alpha1Beta *= drifted
		sp := rthstest.Must((&plant.SilvaSpecimen{Mass: 29.13, Stiffness: 1190e3, DampingRatio: 0.0097}).Make())
		g := rthstest.Must(p.Transfer(sp.(plant.Linear).Linear()))
		return rthstest.Must(g.InverseSeries(2))[1]
	}
	want := slope(1-0.4*(1-math.Exp(-30.0/5))) / slope(1)
	got := named(t, follows.Parameters(), "a1") / named(t, stays.Parameters(), "a1")
	t.Logf("a1 grows %.3f times, the plant's %.3f", got, want)
	rthstest.Near(t, "growth of a1", got, want, 0.03*want)

	fixed := "compensator={kind: amb-fixed, initial: plant}"
	still, lost := ran(t, shipped, fixed, "transfer.varies=[]"), ran(t, shipped, fixed)
	for what, c := range map[string]struct{ got, least, most float64 }{
		"adaptive":                         {result(t, follows, "J2_pct"), 0, 3},
		"fixed, on the plant of the start": {result(t, still, "J2_pct"), 0, 3},
		"fixed, on the plant that drifts":  {result(t, lost, "J2_pct"), 20, 50},
	} {
		if !(c.got >= c.least && c.got <= c.most) {
			t.Errorf("J2 %s: %.3g %%: want %g to %g", what, c.got, c.least, c.most)
		}
	}
}
