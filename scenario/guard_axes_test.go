package scenario

import (
	"errors"
	"math"
	"strings"
	"testing"

	"rths/lab/rig"
)

// Limits of several actuators: the largest of all, or one of them. Each ends its run
// in its own action, within two samples of the crossing, with the right first cause.
func TestLimitsOfSeveralActuators(t *testing.T) {
	for _, limit := range []string{
		"{channel: command_m, trip: 0.0005, action: ramp}", "{channel: command_1_m, trip: 0.0005, action: hold}",
		"{channel: command_rate_2_m_s, trip: 0.005, action: stop}",
		"{channel: measured_2_m, trip: 0.0003, action: hold}", "{channel: velocity_1_m_s, trip: 0.021, action: ramp}",
		"{channel: error_2_m, trip: 0.0002, action: hold}",
		"{channel: force_3_N, trip: 5, action: ramp}", "{channel: sw_pct, trip: 1, action: ramp}",
		"{channel: running_delay_2_ms, trip: 4, action: hold}",
	} {
		r := mustBuild(t, "indicators={energies: true, tracking: true, c_sw_j: 1e-3}", "limits=["+limit+"]")
		acted := -1
		var err error
		for err == nil && !r.Loop.Done() {
			err = r.Loop.Step()
			if acted < 0 && r.Guard.State() > rig.Running && r.Loop.Frame().Err == nil {
				acted = r.Loop.Frame().K
			}
		}
		var trip *rig.TripError
		if !errors.As(err, &trip) || !strings.Contains(limit, "channel: "+trip.Cause.Channel+",") ||
			!strings.Contains(limit, trip.Cause.Action) {
			t.Errorf("%s: ended with %v", limit, err)
			continue
		}
		if end := r.Loop.Frame().K; acted > trip.Cause.K+2 || trip.Cause.Action == "stop" && end > trip.Cause.K+2 {
			t.Errorf("%s: crossed in tick %d, acted in tick %d, end in tick %d", limit, trip.Cause.K, acted, end)
		}
		if trip.Cause.Action == "ramp" {
			for _, c := range r.Channels {
				if strings.HasPrefix(c.Name, "guard_command_") && *c.V != 0 {
					t.Errorf("%s: the ramp ends with %s at %g m", limit, c.Name, *c.V)
				}
			}
		}
	}
}

// Channels of axes that are not there, and a ramp that one axis forbids.
func TestWrongLimitsOfSeveralActuators(t *testing.T) {
	for limits, want := range map[string]string{
		"[{channel: error_3_m, trip: 1}]":         `channel "error_3_m": there is none of this name`,
		"[{channel: measured_0_m, trip: 1}]":      `channel "measured_0_m": there is none of this name`,
		"[{channel: velocity_2_m_s, trip: 0.01}]": "ramp at 0.02 m/s: above the limit 0.01 of velocity_2_m_s",
		"[{channel: measured_1_m, trip: 0.9}]":    "from the limit 0.9 of measured_1_m it takes 45.04 s",
	} {
		s, err := parseMultiAxial(t, "limits="+limits)
		if err == nil {
			_, err = s.Build(t.Context(), Options{})
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v: want %q", limits, err, want)
		}
	}
}

// The energy balance holds with coordinates without mass, three interface forces
// with signs and two measured displacements: average acceleration keeps it exactly.
func TestEnergiesOfSeveralActuators(t *testing.T) {
	r := mustBuild(t, "indicators.energies=true")
	if err := r.Loop.Run(0, nil); err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, v := range r.Indicators() {
		values[v.Name] = v.V
	}
	if v, ok := values["energy_residual_pct"]; !ok || !(v < 1e-8) {
		t.Errorf("residual %g %% of the input work", v)
	}
	if v := values["sw_max_pct"]; !(v > 0 && v < 100) {
		t.Errorf("SW up to %g %%: want it above 0, as the inner loop lags, and below 100, as the loop is stable", v)
	}
	if v := values["error_work_max_pct"]; !(v > 0 && v < 100) {
		t.Errorf("error work up to %g %%: want it as SW", v)
	}
	if v := values["eei_max_pct"]; math.IsNaN(v) || v == 0 {
		t.Errorf("EEI up to %g %%", v)
	}
}
