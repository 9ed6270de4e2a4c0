package session

import (
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/result/record"
	"rths/scenario"
)

// yielding is a test of a specimen whose force the linear device of the numerical part cannot have.
const yielding = `
rate_hz: 512
duration_s: 6
ground: {kind: sweep, from_hz: 0.5, to_hz: 4, amplitude_m_s2: 2, duration_s: 6}
structure: {kind: shear, masses: [4000, 4000], stiffnesses: [1.6e6, 1.2e6], damping: {modal_ratio: [0.02]}}
devices:
  - between: [[1, 2]]
    kind: linear
    mass: 0
    stiffness: 4e5
    damping: 0
    learn: {force_noise: 20, parameters: {stiffness: [1e5, 2e6]}}
integrator: {kind: cr}
specimen: {kind: bouc-wen, stiffness: 8e5, yield_force: 3900, exponent: 2, alpha: 0, beta: 0, damping: 0, mass: 0, post_yield_ratio: 0.05}
transfer: {kind: second-order, omega_rad_s: 300, damping_ratio: 0.7}
compensator: {kind: inverse}
sensors: {displacement_noise: 2e-6, force_noise: 20}
limits: none
expect: {learn1_residual_not_white: {max: 0}}
`

// The manifest has what devices have learned from their start on, and says that a law of the wrong class does not fit.
func TestManifestOfLearning(t *testing.T) {
	s := rthstest.Must(scenario.Parse("t", []byte(yielding), ".", nil))
	r := rthstest.Must(s.Build(t.Context(), scenario.Options{}))
	v := &Virtual{Out: t.TempDir() + "/run"}
	m := rthstest.Must(v.Play(t.Context(), r))
	kept := rthstest.Must(record.LoadManifest(v.Out))
	for _, m := range []record.Manifest{m, kept} {
		if len(m.Learned) != 1 || len(m.Learned[0].Parameters) != 1 || !m.Learned[0].NotWhite || m.Learned[0].Devices != 1 {
			t.Fatalf("learned %+v", m.Learned)
		}
		p := m.Learned[0].Parameters[0]
		if p.Key != "devices[1].stiffness" || p.Name != "learn1_stiffness" || p.Unit != "N/m" || p.Began != 4e5 ||
			p.Value == p.Began || p.Lower != 1e5 || p.Upper != 2e6 || !(p.SD > 0) {
			t.Errorf("learned %+v", p)
		}
		rthstest.Contains(t, strings.Join(m.Warnings, "\n"), "devices[1]: the residual of the force is not white at the end")
		rthstest.Contains(t, strings.Join(m.Unmet, "\n"), "learn1_residual_not_white is 1: expected at most 0")
	}
}

// Parameters that stay at a bound go back to the last sound ones: an event of the run says when, within its time.
func TestEventOfABound(t *testing.T) {
	s := rthstest.Must(scenario.Parse("t", []byte(yielding), ".", []string{"specimen={kind: linear, stiffness: 8e5}",
		"devices[1].learn.parameters={stiffness: [1e5, 5e5]}", "expect="}))
	r := rthstest.Must(s.Build(t.Context(), scenario.Options{}))
	m := rthstest.Must((&Virtual{}).Play(t.Context(), r))
	if len(m.Events) == 0 || len(m.Events) != m.Learned[0].FellBack {
		t.Fatalf("%d events, %d falls", len(m.Events), m.Learned[0].FellBack)
	}
	e := m.Events[0]
	if e.Channel != "learn1" || e.Action != record.FallsBack || !(e.TimeS > 1 && e.TimeS < 6) ||
		!strings.Contains(e.Cause, "parameters of devices[1] stayed at a bound") {
		t.Errorf("%+v", e)
	}
}
