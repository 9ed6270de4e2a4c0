package scenario

import (
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/lab/rig"
)

func TestTableOfRigs(t *testing.T) { rthstest.Keeps(t, rthstest.Table(links)) }

func TestTableOfPaces(t *testing.T) { rthstest.Keeps(t, rthstest.Table(paces)) }

// The guard gets the policy on late readings, in a virtual run too. Without one in the block rig it has a default.
func TestLateReachesTheGuard(t *testing.T) {
	for set, want := range map[string]Late{
		"rig={kind: udp, late: {hold_after: 3, ramp_after: 40}}": {HoldAfter: 3, RampAfter: 40},
		// 50 ms, and half of the watchdog, which is 3 s in lockstep and 100 ms with a clock of the rig's own, at 1024 Hz.
		"rig={kind: udp}":                                {HoldAfter: 52, RampAfter: 1536},
		"rig={kind: udp, late: {}}":                      {HoldAfter: 52, RampAfter: 1536},
		"rig={kind: udp, clock: rig}":                    {HoldAfter: 52, RampAfter: 53},
		"rig={kind: udp, clock: rig, watchdog_ms: 1500}": {HoldAfter: 52, RampAfter: 768},
		"rig={kind: udp, late: {most: 5, within: 64}}":   {HoldAfter: 52, RampAfter: 1536, Most: 5, Within: 64},
		"rig={kind: udp, late: {most: 999999, within: 1000000}}": {HoldAfter: 52, RampAfter: 1536, Most: 999999,
			Within: 1000000},
		"rig={kind: udp, late: {hold_after: 3, most: 1, within: 2}}": {HoldAfter: 3, RampAfter: 1536, Most: 1, Within: 2},
		"rig={kind: udp, late: {hold_after: 2000}}":                  {HoldAfter: 2000, RampAfter: 2001},
		"rig={kind: udp, late: {ramp_after: 3}}":                     {HoldAfter: 2, RampAfter: 3},
		"rig={kind: udp, late: {ramp_after: 1}}":                     {RampAfter: 1},
		"rig={kind: udp, late: {most: 0, within: 0}}":                {HoldAfter: 52, RampAfter: 1536},
		"rig={kind: udp, late: none}":                                {},
		"seed=2":                                                     {},
	} {
		s := rthstest.Must(Parse("small.yaml", []byte(rthstest.Small), ".", []string{set}))
		b := s.builder(Options{})
		b.s.Limits = b.s.defaultLimits()
		var c rig.GuardConfig = rthstest.Must(b.guardConfig())
		if got := (Late{HoldAfter: c.Late.HoldAfter, RampAfter: c.Late.RampAfter, Most: c.Late.Most,
			Within: c.Late.Within}); got != want {
			t.Errorf("%s: %+v: want %+v", set, got, want)
		}
	}
}

// The word none stays in the resolved scenario, and no test in the laboratory takes it.
func TestLateNone(t *testing.T) {
	s := rthstest.Must(Parse("small.yaml", []byte(rthstest.Small), ".", []string{"rig={kind: udp, late: none}"}))
	text := rthstest.Must(rthstest.Must(s.Build(t.Context(), Options{})).Scenario.YAML())
	again := rthstest.Must(Parse("again.yaml", []byte(text), ".", nil))
	if !strings.Contains(text, "late: none") || !again.Link().Late.None() {
		t.Errorf("read again late is %+v in\n%s", again.Link().Late, text)
	}
	rthstest.WantError(t, again.WantLate(), "rig.late: none: want a guard that holds or ramps when the rig is silent")
	if err := rthstest.Must(Parse("small.yaml", []byte(rthstest.Small), ".",
		[]string{"rig={kind: udp}"})).WantLate(); err != nil {
		t.Errorf("a test with the defaults is refused: %v", err)
	}
}
