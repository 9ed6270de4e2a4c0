package scenario

import (
	"testing"

	"rths/rig"
	"rths/rthstest"
)

func TestTableOfRigs(t *testing.T) { rthstest.Keeps(t, rthstest.Table(links)) }

// The guard gets the policy on late readings, in a virtual run too.
func TestLateReachesTheGuard(t *testing.T) {
	for set, want := range map[string]Late{
		"rig={kind: udp, late: {hold_after: 3, ramp_after: 40}}":     {HoldAfter: 3, RampAfter: 40},
		"rig={kind: udp, late: {most: 5, within: 64}}":               {Most: 5, Within: 64},
		"rig={kind: udp, late: {most: 999999, within: 1000000}}":     {Most: 999999, Within: 1000000},
		"rig={kind: udp, late: {hold_after: 3, most: 1, within: 2}}": {HoldAfter: 3, Most: 1, Within: 2},
		"rig={kind: udp, late: {most: 0, within: 0}}":                {},
		"rig={kind: udp}": {}, "seed=2": {},
	} {
		s := rthstest.Must(Parse("small.yaml", []byte(rthstest.Small), ".", []string{set}))
		s.Limits = s.defaultLimits()
		var c rig.GuardConfig = rthstest.Must(s.builder(Options{}).guardConfig())
		if got := Late(c.Late); got != want {
			t.Errorf("%s: %+v: want %+v", set, got, want)
		}
	}
}
