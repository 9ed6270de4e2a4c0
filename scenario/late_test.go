package scenario

import (
	"testing"

	"rths/rig"
	"rths/rthstest"
)

func TestTableOfRigs(t *testing.T) { rthstest.Keeps(t, rthstest.Table(links)) }

// The guard gets the policy on late readings, in a virtual run too.
func TestLateReachesTheGuard(t *testing.T) {
	for set, want := range map[string]Late{"rig={kind: udp, late: {hold_after: 3, ramp_after: 40}}": {3, 40}, "rig={kind: udp}": {}, "seed=2": {}} {
		s := rthstest.Must(Parse("small.yaml", []byte(rthstest.Small), ".", []string{set}))
		s.Limits = s.defaultLimits()
		var c rig.GuardConfig = rthstest.Must(s.builder(Options{}).guardConfig())
		if got := (Late{c.Late.HoldAfter, c.Late.RampAfter}); got != want {
			t.Errorf("%s: %+v: want %+v", set, got, want)
		}
	}
}
