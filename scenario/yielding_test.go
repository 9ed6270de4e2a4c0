package scenario_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/scenario"
	"rths/scenario/growth"
)

// yieldingText is a frame of three storeys, of which the upper two yield in the computer.
const yieldingText = `name: yielding
rate_hz: 1024
timing: {target: next}
ground: {kind: clough-penzien, duration_s: 8, pga_g: 0.3}
structure:
  kind: shear
  masses: [1000, 1000, 1000]
  stiffnesses: [4e5, 3e5, 2e5]
  damping: {modal_ratio: [0.02]}
  yielding:
    - {storey: 2, bilinear: {yield_drift: 0.006, post_yield_ratio: 0.1}}
    - {storey: 3, bouc_wen: {yield_drift: 0.004, post_yield_ratio: 0.05}}
integrator: {kind: cr}
specimen: {kind: linear, mass: 10, damping: 100, stiffness: 1e5}
transfer: {kind: ideal}
indicators: {energies: true}
limits: none
`

const elastic = "structure.yielding=[]"

// With an ideal actuator the loop comes to its reference, the undivided frame with its
// yielding storeys, as the sample gets shorter, whether the
// specimen is linear or yields within the structure, or stands beside it. Frame and specimen
// have yielded: the linear frame moves otherwise.
func TestYieldingFrameComesToItsReference(t *testing.T) {
	for _, specimen := range []string{
		"{kind: linear, mass: 10, damping: 100, stiffness: 1e5}",
		"{kind: bilinear, mass: 10, damping: 100, stiffness: 4e5, post_stiffness: 1e5, yield_displacement: 4e-3}",
		"{kind: bouc-wen, mass: 10, damping: 100, stiffness: 1e5, post_yield_ratio: 0.2, yield_force: 400, exponent: 2, " +
			"beta: 0, alpha: 0}",
		"{kind: maxwell, stiffness: 1e5, damping: 2000}",
	} {
		run := func(sets ...string) (j4, j7 float64, top []float64) {
			r := built(t, yieldingText, append(sets, "specimen="+specimen)...)
			steps(t, r, func(f *rths.Frame) { top = append(top, f.Num.X[2]) })
			return result(t, r, "J4_pct"), result(t, r, "J7_pct"), top
		}
		j4, j7, _ := run("rate_hz=1024")
		fine4, fine7, x := run("rate_hz=4096")
		t.Logf("%s: J4 %.3g and %.3g %%, J7 %.3g and %.3g %%", specimen, j4, fine4, j7, fine7)
		for _, r := range [][2]float64{{j4, fine4}, {j7, fine7}} {
			if !(r[1] < 0.02) || !(r[0]/r[1] > 3) {
				t.Errorf("%s: %g %% at 1024 Hz, %g %% at 4096 Hz: want it to fall threefold at least, below 0.02", specimen, r[0],
					r[1])
			}
		}
		_, _, linear := run("rate_hz=4096", elastic)
		off, most := 0.0, 0.0
		for i, v := range x {
			off, most = max(off, math.Abs(v-linear[i])), max(most, math.Abs(v))
		}
		if !(off > 0.1*most) {
			t.Errorf("%s: %g m from the linear frame at a peak of %g m: it has hardly yielded", specimen, off, most)
		}
	}
}

// At rest the storeys are elastic: roots of the loop and modes are the linear
// frame's, to rounding.
func TestYieldingFrameAtRest(t *testing.T) {
	for _, kind := range []string{"rk4", "central-difference", "newmark-explicit", "cr", "gui", "average-acceleration"} {
		sets := []string{"transfer={kind: second-order, omega_rad_s: 150}", "integrator.kind=" + kind}
		if kind == "average-acceleration" {
			sets = append(sets, "timing.target=current")
		}
		roots := func(sets ...string) []complex128 {
			run, err := parsed(t, yieldingText, sets...).AtRest(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			out, err := growth.Roots(t.Context(), run)
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		yields, linear := roots(sets...), roots(append(sets, elastic)...)
		_, a := growth.Grows(yields)
		_, b := growth.Grows(linear)
		if len(yields) != len(linear) || !(math.Abs(a-b) < 1e-11) {
			t.Errorf("%s: %d roots, radius %.15g: want %d, %.15g", kind, len(yields), a, len(linear), b)
		}
	}
	modes := func(sets ...string) float64 {
		p, _, _, _, err := parsed(t, yieldingText, sets...).Partition()
		if err != nil {
			t.Fatal(err)
		}
		modes, err := p.Whole.Modes()
		if err != nil {
			t.Fatal(err)
		}
		return modes[0].FreqHz
	}
	if a, b := modes(), modes(elastic); a != b {
		t.Errorf("lowest mode at %g Hz: want %g", a, b)
	}
}

// Main steps take yielding storeys as they take linear ones: the balance closes to rounding
// with CR, and the record has drifts and forces.
func TestYieldingWithMainSteps(t *testing.T) {
	r := built(t, yieldingText, "two_rate={main_step: 4, predictor: {kind: poly3}}")
	var drift []float64
	steps(t, r, func(*rths.Frame) { drift = append(drift, channel(t, r, "storey2_drift_m")) })
	if got := indicator(t, r, "energy_residual_pct"); !(got < 1e-8) {
		t.Errorf("residual %g %%: want rounding", got)
	}
	if e := channel(t, r, "hysteretic_J"); !(slices.Max(drift) > 0.01) || !(e > 100) {
		t.Errorf("drift %g m, %g J dissipated: want it to yield", slices.Max(drift), e)
	}
}

// Two actuators hold floors 1 and 3, with a linear specimen in storey 1 and a damper between
// floor 3 and the ground, while storeys 2 and 3 yield in the computer.
func TestYieldingBesideSeveralActuators(t *testing.T) {
	r := built(t, severalYielding, "rate_hz=2048")
	steps(t, r, nil)
	for _, name := range []string{"J7_x1_pct", "J7_x3_pct", "J8_x2_pct"} {
		if got := result(t, r, name); !(got < 0.03) || got == 0 {
			t.Errorf("%s %g: want it small", name, got)
		}
	}
	if residual, e := indicator(t, r, "energy_residual_pct"), indicator(t, r, "hysteretic_end_J"); !(residual < 1e-9) ||
		!(e > 100) {
		t.Errorf("residual %g %%, E_h %g J: want rounding, and more than 100", residual, e)
	}
}

// severalYielding is yieldingText with two actuators.
var severalYielding = strings.Replace(yieldingText,
	"specimen: {kind: linear, mass: 10, damping: 100, stiffness: 1e5}\n", `interface: [1, 3]
specimens:
  - {specimen: {kind: linear, mass: 10, damping: 100, stiffness: 1e5}}
  - {specimen: {kind: maxwell, stiffness: 1e5, damping: 2000}}
`, 1)

// A specimen between two floors is a part of the storey between them.
func TestSpecimenInAYieldingStorey(t *testing.T) {
	for specimen, want := range map[string]string{
		"along: [-1, 1], specimen: {kind: bilinear, stiffness: 1e5, post_stiffness: 1e4, " +
			"yield_displacement: 1e-3}": "specimens: specimen 2 yields, and so does storey 2, which it is a part of " +
			"(structure.yielding[1])",
		"along: [-2, 2], specimen: {kind: linear, stiffness: 1e4}": "specimens: specimen 2 does not " +
			"yield, and its stiffness of 10000 N/m is a part of storey 2, which has 30000 N/m after yielding",
		"along: [-2, 2], specimen: {kind: linear, stiffness: 7e3}":                                                 "",
		"along: [0, 1], specimen: {kind: bilinear, stiffness: 1e4, post_stiffness: 1e3, yield_displacement: 1e-3}": "",
	} {
		s, err := scenario.Parse("yielding.yaml", []byte(severalYielding), ".",
			[]string{"interface=[1, 2]", "specimens=[{along: [1, 0], specimen: {kind: linear, stiffness: 1e5}}, {" + specimen +
				"}]"})
		if err == nil {
			_, err = s.Build(t.Context(), scenario.Options{})
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s:\n got  %v\n want %s", specimen, err, want)
		}
	}
}

// Released from a displacement at which both storeys have yielded, and on a shake table, the
// loop comes to its reference too, and the balance of energies closes.
func TestYieldingReleasedAndOnATable(t *testing.T) {
	for what, sets := range map[string][]string{
		"released": {"duration_s=6", "initial_displacement=[0.004, 0.020, 0.035]"},
		"released, specimen too": {
			"duration_s=6", "initial_displacement=[0.004, 0.020, 0.035]",
			"specimen={kind: bilinear, stiffness: 3e5, post_stiffness: 1e5, yield_displacement: 2e-3}",
		},
		"on a table": {
			"interface_dof=3", "interface_motion=absolute", "diverged_m=2",
			"specimen={kind: tuned-mass-damper, damper_mass: 100, stiffness: 4e4, damping: 100}",
		},
	} {
		text := yieldingText
		if what != "on a table" {
			text = strings.Replace(text, "ground: {kind: clough-penzien, duration_s: 8, pga_g: 0.3}\n", "", 1)
		}
		r := built(t, text, append(sets, "rate_hz=2048")...)
		steps(t, r, nil)
		j4, residual, dissipated := result(t, r, "J4_pct"), indicator(t, r, "energy_residual_pct"),
			channel(t, r, "hysteretic_J")
		t.Logf("%s: J4 %.2g %%, residual %.2g %%, E_h %.3g J", what, j4, residual, dissipated)
		if !(j4 < 0.02) || !(residual < 1e-9) || !(dissipated > 1) {
			t.Errorf("%s: J4 %g %%, residual %g %%, E_h %g J: want below 0.02 and 1e-9, above 1", what, j4, residual, dissipated)
		}
	}
}

// A loop whose delay is beyond the critical one: yielding storeys dissipate what the loop
// feeds, and the run ends within its limits; the linear frame is tripped. SW says so in
// both: it reaches 100 % in the yielding frame too, though all dissipation together stays
// above the fed energy.
func TestSWOfALoopThatYieldingBounds(t *testing.T) {
	sets := []string{
		"ground={kind: sine, amplitude_m_s2: 0.3, frequency_hz: 1.5, duration_s: 2}", "duration_s=60",
		"structure.damping.modal_ratio=[0.005]",
		"specimen={kind: linear, stiffness: 5e4}", "transfer={kind: delay, delay_ms: 30}", "diverged_m=0.25",
		"structure.yielding=[{storey: 2, bilinear: {yield_drift: 0.003, post_yield_ratio: 0.3}}, {storey: 3, bouc_wen: " +
			"{yield_drift: 0.003, post_yield_ratio: 0.3}}]",
		"indicators={energies: true, c_sw_j: 1, c_eei_j: 1}",
	}
	r := built(t, yieldingText, sets...)
	steps(t, r, nil)
	fed, damped, hysteretic := channel(t, r, "feedback_work_J"), channel(t, r, "dissipated_J"),
		channel(t, r, "hysteretic_J")
	with := 100 * fed / (damped + hysteretic + 1)
	t.Logf("W_F %.4g J, E_d %.4g J, E_h %.4g J: SW %.4g %%, with E_h %.4g %%", fed, damped, hysteretic,
		indicator(t, r, "sw_end_pct"), with)
	if sw := indicator(t, r, "sw_end_pct"); !(sw > 100) || !(with < 100) {
		t.Errorf("SW %g %%, with E_h %g %%: want above and below 100", sw, with)
	}
	linear := built(t, yieldingText, append(sets, elastic)...)
	var diverged *rths.DivergedError
	if err := linear.Loop.Run(0, nil); !errors.As(err, &diverged) {
		t.Errorf("the linear frame: %v: want it to diverge", err)
	}
}

// Where two springs would yield in one place, where a law is none, or a question has no
// answer, the message says where, what and what to do.
func TestWrongYielding(t *testing.T) {
	const first = "structure.yielding=[{storey: 1, bilinear: {yield_drift: 0.01, post_yield_ratio: 0.5}}]"
	bouc := func(keys string) string {
		return "structure.yielding=[{storey: 2, bouc_wen: {yield_drift: 0.01, " + keys + "}}]"
	}
	for _, c := range []struct {
		sets []string
		want string
	}{
		{[]string{first, "specimen={kind: bilinear, stiffness: 1e5, post_stiffness: 0}"},
			"specimen: bilinear yields, and so does storey 1, which it is a part of (structure.yielding[1])"},
		{[]string{first, "specimen={kind: bouc-wen, stiffness: 1e5}"},
			"want the yielding part of storey 1 in the specimen alone, a linear specimen, or a specimen of another " +
				"storey or floor"},
		{[]string{first, "specimen={kind: linear, stiffness: 3e5}"},
			"specimen: linear does not yield, and its stiffness of 300000 N/m is a part of storey 1, which has 200000 N/m " +
				"after yielding"},
		{[]string{first, "criteria={floors: true}"},
			"criteria: floors: storey 1 on the ground has a law of its own, so that no sum over the stiffness matrix is " +
				"the base shear: want floors off"},
		{[]string{"interface_motion=free-field",
			"specimen={kind: tuned-mass-damper, damper_mass: 100, stiffness: 4e4, damping: 100}"},
			"specimen: interface_motion free-field adds the free field to the motion of the numerical part, which is right of " +
				"a linear part only, and 2 devices or storeys have a law of their own"},
		{[]string{"structure.yielding=[{storey: 4, bilinear: {yield_drift: 0.01}}]"},
			"structure: shear frame: yielding[1]: storey 4: want 1 to 3"},
		{[]string{"structure.yielding=[{storey: 2}]"}, "yielding[1]: storey 2: want one of bilinear and bouc_wen"},
		{[]string{"structure.yielding=[{storey: 2, bilinear: {yield_drift: 0.01}, bouc_wen: {yield_drift: 0.01}}]"},
			"want one of bilinear and bouc_wen"},
		{[]string{"structure.yielding=[{storey: 2, bilinear: {yield_drift: 0.01}}, {storey: 2, bilinear: " +
			"{yield_drift: 0.01}}]"}, "yielding[2]: storey 2 is there twice"},
		{[]string{"structure.yielding=[{storey: 2, bilinear: {post_yield_ratio: 0.1}}]"},
			"bilinear: yield_drift 0 m: want more than 0"},
		{[]string{"structure.yielding=[{storey: 2, bilinear: {yield_drift: 0.01, post_yield_ratio: 1.5}}]"},
			"bilinear: post_yield_ratio 1.5: want 0 to 1"},
		{[]string{"structure.yielding=[{storey: 2, bilinear: {stiffness: 3e5}}]"},
			"structure.yielding[1].bilinear.stiffness: unknown key"},
		{[]string{bouc("post_yield_ratio: 1")}, "bouc_wen: post_yield_ratio 1: want 0 to below 1"},
		{[]string{bouc("exponent: 0.5")}, "bouc_wen: exponent 0.5: want 1 to 100"},
		{[]string{bouc("beta: -1")}, "bouc_wen: beta -1: want 0 or more"},
		{[]string{bouc("hardening: 1e15")},
			"integrator: cr: λ = 4 is stable by the stiffness at rest alone; storey 2 with a tangent of up to 3e+13 N/m, " +
				"1e+08 times its stiffness at rest"},
		{[]string{bouc("hardening: 1e15"), "integrator.kind=rk4"},
			"integrator: storey 2 with a tangent of up to 3e+13 N/m, 1e+08 times its stiffness at rest: rk4: step 0.0009766 s"},
	} {
		s, err := scenario.Parse("yielding.yaml", []byte(yieldingText), ".", c.sets)
		if err == nil {
			_, err = s.Build(t.Context(), scenario.Options{})
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q:\n got  %v\n want %s", c.sets, err, c.want)
		}
	}
	for _, sets := range [][]string{
		{first, "specimen={kind: linear, stiffness: 2e5}"}, // no stiffer than what is left
		{first, "interface_dof=2", "specimen={kind: bilinear, stiffness: 1e5, post_stiffness: 0}"},
		{first, "specimen={kind: maxwell, stiffness: 1e5, damping: 2000}"}, // beside the storey
		{bouc("hardening: 1e15"), "integrator.kind=average-acceleration", "timing.target=current",
			"indicators.energies=false"},
	} {
		if err := buildOf(t.Context(), sets...); err != nil && !strings.Contains(err.Error(), "coupled reference") {
			t.Errorf("%q: %v", sets, err)
		}
	}
	tall := []string{"structure.masses=[" + strings.Repeat("1000, ", 400) + "1000]",
		"structure.stiffnesses=[" + strings.Repeat("4e6, ", 400) + "4e6]", "structure.damping={}"}
	if err := buildOf(t.Context(), tall...); err == nil ||
		!strings.Contains(err.Error(),
			"yielding[1]: a frame of 401 floors is held as sparse matrices, whose steps are linear: want at most") {
		t.Errorf("a tall frame: %v", err)
	}
}

func buildOf(ctx context.Context, sets ...string) error {
	s, err := scenario.Parse("yielding.yaml", []byte(yieldingText), ".", sets)
	if err == nil {
		_, err = s.Build(ctx, scenario.Options{})
	}
	return err
}

// A storey loses its strength at once, in steps of a tenth of a second: the forces of a step do
// not converge. The run has failed, it has not diverged; its reason says where, and what to do.
// With limits the rig is brought to rest and the reason is the same.
func TestYieldingThatDoesNotConverge(t *testing.T) {
	sets := []string{
		"rate_hz=10", "timing.target=current", "integrator.kind=average-acceleration",
		"ground={kind: sine, amplitude_m_s2: 8, frequency_hz: 1, duration_s: 8}", "indicators.energies=false",
		"structure.yielding=[{storey: 2, bouc_wen: {yield_drift: 0.02, exponent: 20, beta: 1}}]",
	}
	const want = "average-acceleration: the force of storey 2 has not converged in 20 iterations of Newton's method"
	r := built(t, yieldingText, append(sets, "diverged_m=100")...)
	status, reason := r.Status(r.Loop.Run(0, nil))
	if status != "failed" || !strings.Contains(reason, "integrator at t = ") || !strings.Contains(reason, want) ||
		!strings.Contains(reason, "want a smaller step") {
		t.Errorf("%s: %s", status, reason)
	}
	guarded := built(t, yieldingText, append(sets, "diverged_m=100", "limits=[{channel: command_m, trip: 9}]")...)
	status, reason = guarded.Status(guarded.Loop.Run(0, nil))
	if status != "tripped" || !strings.Contains(reason, "the integrator failed ("+want) {
		t.Errorf("behind limits %s: %s", status, reason)
	}
}

// The frame goes through its text: resolved, it is the same scenario.
func TestYieldingFrameIsWritten(t *testing.T) {
	text, err := parsed(t, yieldingText).YAML()
	if err != nil {
		t.Fatal(err)
	}
	again, err := parsed(t, text).YAML()
	if err != nil || again != text || !strings.Contains(text, "yield_drift: 0.004") {
		t.Errorf("%v\n%s\nwant\n%s", err, again, text)
	}
}
