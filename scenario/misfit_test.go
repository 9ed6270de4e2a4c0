package scenario_test

import (
	"slices"
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/method/compensate"
	"rths/scenario"
)

// Kinds that are no answer by themselves say why: numbers of the user's own, a correction without
// command, published settings for another test. On the benchmark the published settings fit; all other
// kinds may be an answer anywhere.
func TestMisfit(t *testing.T) {
	own, published := []string{"tf", "zpk", "ss", "fir"},
		[]string{"amb-galmez2021", "kf-ning2020", "kf-table5", "kf-literal"}
	for _, c := range []struct {
		s    *scenario.Scenario
		fits bool // the published settings
	}{
		{rthstest.Must(scenario.Shipped("benchmark-siso.yaml")), true},
		{rthstest.Must(scenario.Shipped("benchmark-siso.yaml", "transfer.kind=silva2020-paper")), true},
		{rthstest.Must(scenario.Shipped("benchmark-siso.yaml", "rate_hz=2048")), false},
		{rthstest.Must(scenario.Shipped("benchmark-siso.yaml", "transfer.kind=second-order")), false},
		{rthstest.Must(scenario.Shipped("two-storeys.yaml")), false},
		{parsed(t, small), false},
	} {
		met := 0
		for _, k := range compensate.Kinds {
			want := ""
			switch {
			case slices.Contains(own, k.Name):
				want = "its numbers are the user's own"
			case k.Name == "lqg":
				want = "a correction without a command to correct"
			case slices.Contains(published, k.Name) && !c.fits:
				want = k.Name + " has published settings, for the single-actuator benchmark at 4096 Hz: want " +
					strings.SplitN(k.Name, "-", 2)[0] + ","
			}
			got := c.s.Misfit(k.Name)
			if (got == "") != (want == "") || !strings.Contains(got, want) {
				t.Errorf("%s at %g Hz: %s: %q, want %q", c.s.TransferKind(), c.s.RateHz, k.Name, got, want)
			}
			if want != "" {
				met++
			}
		}
		if want := map[bool]int{true: 5, false: 9}[c.fits]; met != want {
			t.Errorf("%s at %g Hz: %d misfits in the table, want %d", c.s.TransferKind(), c.s.RateHz, met, want)
		}
	}
}
