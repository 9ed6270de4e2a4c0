package scenario_test

import (
	"testing"

	"rths/kit/rthstest"
)

// What a predicted force cannot go with is said, and why.
func TestForcePredictWrongInput(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"timing.force_predict=-1", "force_predict -1: want 0 (none) to 10"},
		{"timing.force_predict=11", "force_predict 11: want 0 (none) to 10"},
	} {
		_, err := parse(small, c.set)
		rthstest.WantError(t, err, c.want)
	}
	_, err := parse(small, "timing.force_predict=1", "loop=open")
	rthstest.WantError(t, err, "force_predict 1 with loop: open, which feeds no force back")
	_, err = parse(small, "timing.force_predict=1", "two_rate={main_step: 4, force_fit: 8}")
	rthstest.WantError(t, err, "want displacement and force of the same sample")
	s, err := parse(small, "compensator={kind: kalman-inverse, loading: maybe}")
	if err == nil {
		_, err = s.CompensatorSettings()
	}
	rthstest.WantError(t, err, `loading "maybe": want specimen or none`)
}
