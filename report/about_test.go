package report

import (
	"slices"
	"testing"

	"rths/record"
)

// The summary of a test names the fallback and the virtual damper: both may have moved the rig.
func TestFactsOfFallbackAndDamper(t *testing.T) {
	var a record.Archive
	a.Scenario = "fallback: {kind: kf, blend_s: 0.2}\npassivity: {max_damping: 3e4, threshold_j: 0.5}\n"
	got := facts(&a, newBlocks(&a))
	for _, want := range []fact{
		{"Fallback", "kf; blend 0.2 s"},
		{"Passivity", "a virtual damper on the numerical part, up to 30 kN·s/m, from 0.5 J on"},
	} {
		if !slices.Contains(got, want) {
			t.Errorf("%v: want %v", got, want)
		}
	}
	a.Scenario = "passivity: {max_damping: 500}\n"
	if got := facts(&a, newBlocks(&a)); !slices.Contains(got, fact{"Passivity", "a virtual damper on the numerical part, up to 500 N·s/m"}) {
		t.Errorf("%v", got)
	}
}
