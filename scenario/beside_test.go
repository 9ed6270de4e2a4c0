package scenario_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"rths/kit/rthstest"
)

const besideText = `name: beside
rate_hz: 1024
timing: {target: next}
ground: {kind: sine, duration_s: 1, frequency_hz: 1, amplitude_m_s2: 1}
structure: {kind: shear, masses: [1000, 1000, 1000, 1000], stiffnesses: [2e6, 2e6, 2e6, 2e6], damping: {modal_ratio: ` +
	`[0.02]}}
integrator: {kind: gui, lambda: 3}
specimen: {kind: tuned-mass-damper}
transfer: {kind: second-order, omega_rad_s: 150, damping_ratio: 0.8}
compensator: {kind: amb-fixed, initial: bare-transfer}
limits: none
`

// A specimen that stands beside the structure, or on a shake table on it, feels the ground, whatever
// force histories act: with ones of zero the test is that without, and with others reference and
// test agree.
func TestForcesBesideASpecimen(t *testing.T) {
	const force = "forces=[{dof: 2, history: {kind: sine, duration_s: 1, frequency_hz: 1, amplitude_n: %}}, {dof: 4, " +
		"history: {kind: sine, duration_s: 1, frequency_hz: 2, amplitude_n: %}}]"
	for name, sets := range map[string][]string{
		"beside":         nil,
		"a frame":        {"specimen={kind: frame}"},
		"a table":        {"interface_motion=absolute", "specimen={kind: frame}"},
		"a damper on it": {"interface_motion=absolute"},
		"a free field":   {"interface_motion=free-field", "specimen={kind: frame}"},
		"two rates":      {"two_rate={main_step: 4, predictor: {kind: poly3}}"},
		"a table, two": {"interface_motion=absolute",
			"two_rate={main_step: 4, predictor: {kind: linear-acceleration}, ground: predicted}"},
		"two actuators": {"interface=[2, 4]"},
		"two ground motion": {"interface_motion=absolute",
			"more_ground=[{influence: [0, 1, 0, 1], motion: {kind: sine, duration_s: 1, frequency_hz: 2}}]"},
	} {
		t.Run(name, func(t *testing.T) {
			without := measuredOf(t, built(t, besideText, sets...))
			for i, v := range measuredOf(t, built(t, besideText,
				append(slices.Clone(sets), strings.ReplaceAll(force, "%", "0"))...)) {
				if !rthstest.Near(t, "measured displacement, m", v, without[i], 1e-12) {
					return
				}
			}
			pushed := built(t, besideText, append(slices.Clone(sets), strings.ReplaceAll(force, "%", "1000"))...)
			with := measuredOf(t, pushed)
			twice := measuredOf(t, built(t, besideText, append(slices.Clone(sets), strings.ReplaceAll(force, "%", "2000"))...))
			most := 0.0
			for i, v := range with {
				most = max(most, math.Abs(v-without[i]))
				if !rthstest.Near(t, "twice the force, m", twice[i]-v, v-without[i], 1e-9) {
					return
				}
			}
			if !(most > 1e-5) {
				t.Errorf("forces move the interface by %g m: want more", most)
			}
			for _, v := range pushed.Summary() {
				if (v.Name == "J4_pct" || strings.HasPrefix(v.Name, "J7_")) && !(v.V < 10) {
					t.Errorf("%s is %g: want less", v.Name, v.V)
				}
			}
		})
	}
}
