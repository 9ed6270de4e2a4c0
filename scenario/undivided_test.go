package scenario_test

import (
	"slices"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/scenario"
)

// targetOf is the target of a whole run of a scenario.
func targetOf(t *testing.T, sets ...string) (target []float64) {
	t.Helper()
	finish(t, func(_ *scenario.Run, f *rths.Frame) { target = append(target, f.Target.X[0]) }, sets...)
	return target
}

// The target of an undivided structure is the response of that structure: the same as with a
// specimen that takes nothing out of it, of any size, and beside it.
func TestUndividedTarget(t *testing.T) {
	none := "specimen={kind: linear}"
	want := targetOf(t, "loop=open", none)
	for _, sets := range [][]string{
		{none}, {"specimen.stiffness=2e5"},
		{"specimen={kind: linear, mass: 1e4, damping: 1e5, stiffness: 1e9}"},
		{"specimen={kind: maxwell, mass: 300, stiffness: 1e5, damping: 1e3}"},
		{"compensator={kind: pe, order: 1, tau_ms: 20}"},
	} {
		if got := targetOf(t, append(sets, "loop=open", "undivided=true")...); !slices.Equal(got, want) {
			t.Errorf("%q: another target than the structure's", sets)
		}
	}
	if got := targetOf(t, "loop=open", "specimen.stiffness=2e5"); slices.Equal(got, want) {
		t.Error("a specimen that is taken out leaves the target as it is")
	}
	two := []string{"loop=open", "undivided=true", "interface=[1, 2]",
		"specimen={kind: linear, mass: 1e4, stiffness: 1e9}"}
	if got := targetOf(t, two...); !slices.Equal(got, want) {
		t.Error("two actuators have another target than the structure's")
	}
	table := []string{"loop=open", "interface_motion=absolute"}
	want = targetOf(t, append(table, "specimen={kind: frame}")...)
	if got := targetOf(t, append(table, "undivided=true")...); !slices.Equal(got, want) {
		t.Error("a linear specimen under an absolute target changes it")
	}
}

func TestUndividedRefuses(t *testing.T) {
	_, err := parse(small, "undivided=true")
	rthstest.WantError(t, err,
		"undivided: the force of a specimen that is no part of the structure cannot be fed back to it: want loop: open")
	_, err = scenario.Shipped("ning2020-sweep.yaml", "undivided=true")
	rthstest.WantError(t, err, "undivided: has no effect with a prescribed target")
	s, err := scenario.Shipped("benchmark-multiaxial.yaml", "undivided=true", "loop=open", "ground={kind: sine}")
	if err == nil {
		_, err = s.Build(t.Context(), scenario.Options{})
	}
	rthstest.WantError(t, err, "coupler: undivided has no effect with structure marths")
}
