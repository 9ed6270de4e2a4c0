package scenario_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths/kit/rthstest"
	"rths/maths/lti"
	"rths/scenario"
)

// shaking is a short motion for tests of several actuators.
const shaking = `ground: {kind: clough-penzien, duration_s: 6, pga_g: 0.2, onset_s: 0.5, rise_s: 1, strong_s: 2, ` +
	`decay_s: 2}
`

// threeFloors is a frame whose actuators are perfect: what is left of an error is the
// integrator's.
const threeFloors = `rate_hz: 1024
timing: {target: next}
` + shaking + `structure: {kind: shear, masses: [2000, 2000, 1500], stiffnesses: [3e6, 2.5e6, 2e6], damping: ` +
	`{rayleigh: {ratio: 0.03}}}
integrator: {kind: newmark-explicit}
transfer: {kind: ideal}
compensator: {kind: none}
limits: none
`

// motions is the displacements of all degrees of freedom, tick by tick.
func motions(t *testing.T, text string, sets ...string) (out [][]float64) {
	t.Helper()
	r := built(t, text, sets...)
	for !r.Loop.Done() {
		if err := r.Loop.Step(); err != nil {
			t.Fatalf("%v: %v", sets, err)
		}
		out = append(out, append([]float64(nil), r.Loop.Frame().Num.X...))
	}
	return out
}

// apartBy is the largest difference of two histories over the largest value of want.
func apartBy(got, want [][]float64) float64 {
	most, worst := 0.0, 0.0
	for k, row := range want {
		for j, v := range row {
			most, worst = max(most, math.Abs(v)), max(worst, math.Abs(got[k][j]-v))
		}
	}
	return worst / most
}

// With perfect actuators it does not matter which springs stand in the laboratory: an explicit
// integrator gives the same motion with springs at one, two or three degrees of freedom,
// between floors, and at any geometry of actuators.
func TestWhereSpringsStandDoesNotMatter(t *testing.T) {
	want := motions(t, threeFloors, "specimen={kind: linear, stiffness: 0}")
	for name, sets := range map[string][]string{
		"first floor":      {"interface=[1]", "specimen={kind: linear, stiffness: 5e5}"},
		"two floors":       {"interface=[1, 3]", "specimen={kind: linear, stiffness: 2e5}"},
		"in another order": {"interface=[3, 1]", "specimen={kind: linear, stiffness: 2e5}"},
		"a storey in between": {"interface=[1, 2]",
			"specimens=[{along: [-1, 1], specimen: {kind: linear, stiffness: 2e6}}]"},
		"three springs for two": {"interface=[1, 2]",
			"specimens=[{along: [1, 0], specimen: {kind: linear, stiffness: 2e5}}, {along: [-1, 1], specimen: {kind: linear, " +
				"stiffness: 2e6}}, {along: [0.5, 0.5], specimen: {kind: linear, stiffness: 1e5}}]"},
		"levers": {"interface=[1, 2, 3]",
			"coupler={kind: linear, matrix: [[1, 0, -0.3], [0.2, 1, 0], [0, 0.5, 2]]}",
			"specimen={kind: linear, stiffness: 1e5}"},
		"levers, given springs": {"interface=[1, 2]", "coupler={kind: linear, matrix: [[1, 3], [-2, 1]]}",
			"specimens=[{along: [-1, 1], specimen: {kind: linear, stiffness: 2e6}}]"},
		"computed forces": {"interface=[1, 2]", "force=computed",
			"specimens=[{along: [-1, 1], specimen: {kind: linear, stiffness: 2e6}}, {specimen: {kind: linear, stiffness: " +
				"1e5}}]"},
		"a transfer of all axes": {"interface=[1, 2]", "specimen={kind: linear, stiffness: 2e5}",
			"transfer={kind: ss, a: [[-1]], b: [[0, 0]], c: [[0], [0]], d: [[1, 0], [0, 1]]}"},
		"an actuator of its own": {"interface=[1, 2]", "specimen={kind: linear, stiffness: 2e5}",
			"each=[{transfer: {kind: ideal}, compensator: {kind: none}}, {transfer: {kind: delay, delay_ms: 0}, compensator: " +
				"{kind: none}}]"},
		"one actuator as before": {"specimen={kind: linear, stiffness: 5e5}"},
	} {
		text := threeFloors
		if strings.HasPrefix(name, "an actuator") {
			text = strings.Replace(strings.Replace(text, "transfer: {kind: ideal}\n", "", 1), "compensator: {kind: none}\n", "",
				1)
		}
		if d := apartBy(motions(t, text, sets...), want); !(d <= 1e-10) {
			t.Errorf("%s: displacements differ by %.2g of their peak: want rounding", name, d)
		}
	}
}

// apart are two oscillators that do not touch, each held by an actuator of its own with its
// own yielding specimen; alone is one of them.
const apart = `rate_hz: 2048
timing: {target: next}
` + shaking + `structure:
  kind: matrices
  mass: [[1000, 0], [0, 2000]]
  stiffness: [[8e5, 0], [0, 5e5]]
  damping: {matrix: [[1500, 0], [0, 2500]]}
interface: [1, 2]
integrator: {kind: %s}
specimens:
  - {specimen: {kind: bouc-wen, mass: 10, damping: 100, stiffness: 3e5, yield_force: 900}}
  - {specimen: {kind: bilinear, stiffness: 2e5, post_stiffness: 2e4, yield_displacement: 4e-3, damping: 50}}
each:
  - {transfer: {kind: tf, num: [8000], den: [1, 100, 8000], delay_ms: 2.3}, compensator: {kind: amb}}
  - {transfer: {kind: second-order, omega_rad_s: 150, damping_ratio: 0.8}, compensator: {kind: ats, order: 1}}
%s
indicators: {energies: true, c_sw_j: 1, c_eei_j: 1}
limits: none
`

var alone = [2]string{`rate_hz: 2048
timing: {target: next}
` + shaking + `structure: {kind: matrices, mass: [[1000]], stiffness: [[8e5]], damping: {matrix: [[1500]]}}
integrator: {kind: %s}
specimen: {kind: bouc-wen, mass: 10, damping: 100, stiffness: 3e5, yield_force: 900}
transfer: {kind: tf, num: [8000], den: [1, 100, 8000], delay_ms: 2.3}
compensator: {kind: amb}
%s
indicators: {energies: true, c_sw_j: 1, c_eei_j: 1}
limits: none
`, `rate_hz: 2048
timing: {target: next}
` + shaking + `structure: {kind: matrices, mass: [[2000]], stiffness: [[5e5]], damping: {matrix: [[2500]]}}
integrator: {kind: %s}
specimen: {kind: bilinear, stiffness: 2e5, post_stiffness: 2e4, yield_displacement: 4e-3, damping: 50}
transfer: {kind: second-order, omega_rad_s: 150, damping_ratio: 0.8}
compensator: {kind: ats, order: 1}
%s
indicators: {energies: true, c_sw_j: 1, c_eei_j: 1}
limits: none
`}

// Oscillators that do not touch move in one test with two actuators as in two tests with one,
// with one rate and with two, with corrected forces, and with nonlinear specimens. Energies
// add up.
func TestActuatorsThatDoNotTouchAreTests(t *testing.T) {
	for name, c := range map[string][2]string{
		"one rate":        {"newmark-explicit", ""},
		"two rates":       {"gui", "two_rate: {main_step: 8, predictor: {kind: dual-explicit}}"},
		"forces late":     {"rk4", "timing.force_delay"},
		"two rates, poly": {"central-difference", "two_rate: {main_step: 5, predictor: {kind: poly3}}"},
	} {
		extra, sets := c[1], []string(nil)
		if c[1] == "timing.force_delay" {
			extra, sets = "", []string{"timing.force_delay=1"}
		}
		both := built(t, fmt.Sprintf(apart, c[0], extra), sets...)
		singles := [2]*scenario.Run{built(t, fmt.Sprintf(alone[0], c[0], extra), sets...),
			built(t, fmt.Sprintf(alone[1], c[0], extra), sets...)}
		var got, want [2][][]float64
		for !both.Loop.Done() {
			if err := both.Loop.Step(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			f := both.Loop.Frame()
			for i, s := range singles {
				if err := s.Loop.Step(); err != nil {
					t.Fatalf("%s, actuator %d alone: %v", name, i+1, err)
				}
				own := s.Loop.Frame()
				got[i] = append(got[i], []float64{f.Num.X[i], f.Read.X[i], f.Command[i]})
				want[i] = append(want[i], []float64{own.Num.X[0], own.Read.X[0], own.Command[0]})
			}
		}
		for i := range got {
			// Of yielding specimens both actuators have the sub-steps of the stiffer one.
			if d := apartBy(got[i], want[i]); !(d <= 1e-6) {
				t.Errorf("%s: actuator %d differs by %.2g of its peak: want the motion of a test with this actuator alone", name,
					i+1, d)
			}
		}
		work := func(r *scenario.Run) float64 { return indicator(t, r, "input_work_max_J") }
		if sum := work(singles[0]) + work(singles[1]); !(work(both) <= sum*(1+1e-6) && work(both) >= sum/4) {
			t.Errorf("%s: input work %.4g J, of single tests %.4g J together", name, work(both), sum)
		}
		if e := indicator(t, both, "energy_residual_pct"); !(e < 0.1) {
			t.Errorf("%s: energy residual %.2g %%: want a balance", name, e)
		}
	}
}

// The loop radius of oscillators that do not touch is the larger of both.
func TestRadiusOfActuatorsThatDoNotTouch(t *testing.T) {
	radius := func(text string) float64 {
		return loopRadius(t, parsed(t, fmt.Sprintf(text, "newmark-explicit", "")))
	}
	rthstest.Near(t, "radius", radius(apart), max(radius(alone[0]), radius(alone[1])), 1e-6)
}

// A yielding specimen is elastic about rest: the loop is probed so gently that no state of a
// transfer function, of which 1 is 8 km of displacement, makes it yield. What remains is its
// plastic displacement, a root at 1.
func TestRadiusOfYieldingIsElastic(t *testing.T) {
	text := strings.Replace(fmt.Sprintf(alone[1], "newmark-explicit", ""),
		"transfer: {kind: second-order, omega_rad_s: 150, damping_ratio: 0.8}",
		"transfer: {kind: tf, num: [8000], den: [1, 100, 8000]}", 1)
	rthstest.Near(t, "radius", loopRadius(t, parsed(t, text)), 1, 1e-9)
}

// Motion against the ground's is the ground's motion reversed: yielding between two
// actuators has no side.
func TestSeveralActuatorsHaveNoSide(t *testing.T) {
	sets := []string{"interface=[1, 2]",
		"specimens=[{along: [-1, 1], specimen: {kind: bilinear, stiffness: 1e6, post_stiffness: 1e5, yield_displacement: " +
			"1e-3}}, {specimen: {kind: linear, stiffness: 1e5}}]",
		"transfer={kind: second-order, omega_rad_s: 150, damping_ratio: 0.8}", "compensator={kind: amb}"}
	shaken := func(influence string) [][]float64 {
		const frame = "structure={kind: matrices, mass: [[2000, 0, 0], [0, 2000, 0], [0, 0, 1500]], stiffness: [[5.5e6, " +
			"-2.5e6, 0], [-2.5e6, 4.5e6, -2e6], [0, -2e6, 2e6]], damping: {modal_ratio: [0.03]}, influence: "
		return motions(t, threeFloors, append(sets, frame+influence+"}")...)
	}
	forward, back := shaken("[1, 1, 1]"), shaken("[-1, -1, -1]")
	for _, row := range back {
		for j := range row {
			row[j] = -row[j]
		}
	}
	if d := apartBy(back, forward); !(d < 1e-9) {
		t.Errorf("reversed, the motion differs by %.2g of its peak", d)
	}
}

// Released together from a displacement, structure and actuators follow the undivided
// structure.
func TestSeveralActuatorsReleased(t *testing.T) {
	free := strings.Replace(threeFloors, shaking, "duration_s: 3\ninitial_displacement: [0.004, 0.009, 0.013]\n", 1)
	for _, sets := range [][]string{
		{"specimen={kind: linear, stiffness: 2e5}"},
		{"coupler={kind: linear, matrix: [[1, 3], [-2, 1]]}",
			"specimens=[{along: [-1, 1], specimen: {kind: bilinear, stiffness: 1e6, post_stiffness: 1e5, " +
				"yield_displacement: 1e-3}}]"},
	} {
		r := built(t, free, append(sets, "interface=[1, 2]", "rate_hz=4096")...)
		steps(t, r, nil)
		for _, name := range []string{"J7_x1_pct", "J7_x2_pct", "J8_x3_pct"} {
			if v := result(t, r, name); !(v < 0.2) {
				t.Errorf("%v: %s is %.3g %%: want the motion of the undivided structure", sets, name, v)
			}
		}
	}
}

// What several actuators cannot have is refused with its place, what was found, and what
// is possible.
func TestWrongSeveralActuators(t *testing.T) {
	base := []string{"interface=[1, 2]", "specimen={kind: linear, stiffness: 2e5}"}
	for _, c := range []struct{ set, want string }{
		{"interface=[1, 1]", "interface: degree of freedom 1 stands twice: want each degree of freedom once"},
		{"interface=[1, 4]", "interface: degree of freedom 4: want 1 to 3"},
		{"interface=[0]", "interface: degree of freedom 0: want 1 or more"},
		{"interface_dof=2", "interface_dof: has no effect with interface"},
		{"coupler={kind: linear, matrix: [[1, 2], [2, 4]]}", "coupler: linear coupler: singular matrix: the motion"},
		{"coupler={kind: linear, matrix: [[1]]}", "coupler: 1 coordinates and 1 actuators for the interface of 2 degrees of freedom"},
		{"coupler={kind: frame}", "coupler: frame couples structure and specimen marths: beside interface want linear"},
		{"specimens=[{along: [1], specimen: {kind: linear}}]", "along has 1 numbers: want 2"},
		{"specimens=[{along: [0, 0], specimen: {kind: linear}}]", "along is zero everywhere"},
		{"specimens=[{along: [1, 0]}]", "specimen is missing"},
		{"specimens=[{specimen: {kind: linear}}, {specimen: {kind: linear}}, {specimen: {kind: linear}}]",
			"specimens[3]: along is missing: only as many specimens as actuators (2)"},
		{"specimens=[{specimen: {kind: linear, stiffness: 1e8}}]",
			"specimens: the specimens leave the numerical part a stiffness matrix with the negative eigenvalue"},
		{"specimens=[{specimen: {kind: linear, mass: 1e8}}]",
			"specimens: the specimens leave the numerical part a mass matrix with the negative eigenvalue"},
		{"transfer={kind: marths}", "transfer: marths has the specimen of kind marths inside"},
		{"transfer={kind: silva2020}", "transfer: transfer system: the specimens have no mass at actuator 1"},
		{"each=[{transfer: {kind: ideal}}]", "each: beside transfer: want one or the other"},
		{"each=[{compensator: {kind: amb}}, {}]", "nothing in it: want compensator, transfer or both"},
		{"interface_motion=absolute", "specimen 1, which is taken out of the structure, with interface_motion absolute"},
	} {
		text, sets := threeFloors, append(append([]string(nil), base...), c.set)
		if strings.HasPrefix(c.set, "specimens") {
			sets = []string{base[0], c.set}
		}
		err := build(t.Context(), text, sets...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v: want one that says %q", c.set, err, c.want)
		}
	}
	for set, want := range map[string]string{
		"specimens=[{specimen: {kind: linear}}]": "specimens: without interface: want interface",
		"coupler={kind: linear, matrix: [[1]]}":  "coupler: linear without interface: want interface",
		"each=[{transfer: {kind: ideal}}]":       "transfer systems of several actuators without interface",
	} {
		if err := build(t.Context(), strings.Replace(threeFloors, "transfer: {kind: ideal}\n", "", 1),
			"specimen={kind: linear}", set); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v: want one that says %q", set, err, want)
		}
	}
}

// Two shake tables on oscillators that do not touch are two tests with one table each, and
// follow the reference, in which each specimen feels the absolute motion of its table.
func TestSeveralShakeTables(t *testing.T) {
	const head = "rate_hz: 2048\ntiming: {target: next}\n" + shaking
	const tail = `
interface_motion: absolute
integrator: {kind: newmark-explicit}
transfer: {kind: second-order, omega_rad_s: 150, damping_ratio: 0.8}
compensator: {kind: ats}
limits: none
`
	dampers := [2]string{"{kind: tuned-mass-damper, damper_mass: 100, damping: 200, stiffness: 8e4}",
		"{kind: tuned-mass-damper, damper_mass: 60, damping: 300, stiffness: 3e4}"}
	both := built(t, head+
		"structure: {kind: matrices, mass: [[1000, 0], [0, 2000]], stiffness: [[8e5, 0], [0, 5e5]], damping: {matrix: "+
		"[[1500, 0], [0, 2500]]}}\ninterface: [1, 2]\nspecimens: [{specimen: "+dampers[0]+"}, {specimen: "+dampers[1]+"}]"+
		tail)
	singles := [2]*scenario.Run{
		built(t, head+
			"structure: {kind: matrices, mass: [[1000]], stiffness: [[8e5]], damping: {matrix: [[1500]]}}\nspecimen: "+
			dampers[0]+tail),
		built(t, head+
			"structure: {kind: matrices, mass: [[2000]], stiffness: [[5e5]], damping: {matrix: [[2500]]}}\nspecimen: "+
			dampers[1]+tail),
	}
	var got, want [2][][]float64
	for !both.Loop.Done() {
		if err := both.Loop.Step(); err != nil {
			t.Fatal(err)
		}
		f := both.Loop.Frame()
		for i, s := range singles {
			if err := s.Loop.Step(); err != nil {
				t.Fatal(err)
			}
			own := s.Loop.Frame()
			got[i] = append(got[i], []float64{f.Num.X[i], f.Read.X[i], f.Read.F[i]})
			want[i] = append(want[i], []float64{own.Num.X[0], own.Read.X[0], own.Read.F[0]})
		}
	}
	for i := range got {
		if d := apartBy(got[i], want[i]); !(d < 1e-6) { // ats starts from a least-squares fit, whose rounding grows
			t.Errorf("table %d differs by %.2g of its peak from a test of its own", i+1, d)
		}
		if v := result(t, both, fmt.Sprintf("J7_x%d_pct", i+1)); !(v < 0.5) {
			t.Errorf("table %d: J7 is %.3g %%: want the motion of the reference", i+1, v)
		}
	}
}

// together has a storey that yields in the computer, specimens that yield and slip between and
// at two actuators of different kinds and delays, feedback beside a feedforward, two stages,
// accelerometers and energies.
const together = `name: all at once
rate_hz: 2048
seed: 3
timing: {target: next}
ground: {kind: clough-penzien, duration_s: 12, pga_g: 0.35, onset_s: 1, rise_s: 2, strong_s: 5, decay_s: 3}
structure:
  kind: shear
  masses: [3000, 3000, 2500]
  stiffnesses: [4e6, 3e6, 2.5e6]
  damping: {modal_ratio: [0.03]}
  yielding:
    - {storey: 3, bilinear: {yield_drift: 3e-3, post_yield_ratio: 0.1}}
interface: [1, 2]
integrator: {kind: cr}
specimens:
  - {specimen: {kind: linear, stiffness: 5e5, damping: 800}}
  - {along: [-1, 1], specimen: {kind: bouc-wen, stiffness: 6e5, yield_force: 1500}}
  - {along: [0, 1], specimen: {kind: friction, coefficient: 0.2, normal_force: 2000, stick_stiffness: 1e6}}
each:
  - transfer: {kind: second-order, omega_rad_s: 150, damping_ratio: 0.8, stroke_m: 0.1, rate_m_s: 2}
    compensator: {kind: chain, join: parallel, of: [{kind: amb}, {kind: lqg}]}
  - transfer: {kind: tf, num: [8000], den: [1, 100, 8000], delay_ms: 2.3, stroke_m: 0.1, rate_m_s: 2}
    compensator: {kind: chain, of: [{kind: pe, tau_ms: 1.953125}, {kind: adm2}]}
sensors: {displacement_noise: 5e-6, force_noise: 5, acceleration: true, acceleration_noise: 0.02}
indicators: {energies: true, tracking: true}
`

// Everything together still is one structure: its energies balance, its motion is the
// reference's, and the loop, linearised, is stable with the compensators and not without.
func TestEverythingTogether(t *testing.T) {
	r := built(t, together)
	steps(t, r, nil)
	if e := indicator(t, r, "energy_residual_pct"); !(e < 1e-9) {
		t.Errorf("energy residual %.2g %%: want rounding, as cr has a discrete balance", e)
	}
	if e := indicator(t, r, "hysteretic_end_J"); !(e > 100) {
		t.Errorf("the third storey took %.3g J: want a test of yielding", e)
	}
	for name, most := range map[string]float64{"J7_x1_true_pct": 1.5, "J7_x2_true_pct": 4, "J8_x3_pct": 1.5} {
		if v := result(t, r, name); !(v < most) {
			t.Errorf("%s is %.3g %%: want less than %g %%, about the tracking error of the actuators", name, v, most)
		}
	}
	s := parsed(t, together)
	bare, err := s.Uncompensated()
	if err != nil {
		t.Fatal(err)
	}
	with, without := loopRadius(t, s), loopRadius(t, bare)
	if !(with <= 1+1e-9) || !(without > 1.0001) {
		t.Errorf("loop radius %.7f, without compensators %.7f: want at most 1, and more", with, without)
	}
}

func loopRadius(t *testing.T, s *scenario.Scenario) float64 {
	t.Helper()
	rest, err := s.AtRest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	j, err := rest.Loop.Jacobian()
	if err != nil {
		t.Fatal(err)
	}
	radius, err := lti.SpectralRadius(mat.NewDense(j.N, j.N, j.J))
	if err != nil {
		t.Fatal(err)
	}
	return radius
}

// With transfer systems under each, an error has the place of the block that is wrong: the
// compensator of all actuators, or the block under each.
func TestPlacesOfMistakesUnderEach(t *testing.T) {
	const second = "{kind: tf, num: [8000], den: [1, 100, 8000]}"
	text := strings.NewReplacer(
		"transfer: {kind: ideal}\n",
		"interface: [1, 2]\nspecimen: {kind: linear, stiffness: 2e5}\neach:\n  - transfer: {kind: second-order, "+
			"omega_rad_s: 150, damping_ratio: 0.8}\n  - transfer: "+second+"\n",
		"compensator: {kind: none}", "compensator: {kind: amb}",
	).Replace(threeFloors)
	own := strings.NewReplacer("0.8}\n", "0.8}\n    compensator: {kind: amb}\n", "8000]}\n",
		"8000]}\n    compensator: {kind: amb, order: 9}\n", "compensator: {kind: amb}\nlimits", "limits").Replace(text)
	for _, tc := range []struct{ text, from, to, want string }{
		{text, second, "{kind: delay, delay_ms: 3}",
			"each.yaml:8:1: each: actuator 1 moves as commanded whatever its specimen, and actuator 2 follows"},
		{text, "[1, 100, 8000]", "[0]", "each.yaml:8:1: each: actuator 2: tf transfer system: "},
		{text, "{kind: amb}", "{kind: amb, order: 9}", "each.yaml:11:1: compensator: actuator 1: amb: order 9: want 1 to 3"},
		{text, "{kind: amb}", "{kind: chain, of: [{kind: amb}, {kind: amb}]}",
			"each.yaml:11:47: compensator.of[2]: actuator 1: name amb is taken by part 1"},
		{own, "", "", "each.yaml:12:5: each[2].compensator: amb: order 9: want 1 to 3"},
		{own, "{kind: amb, order: 9}", "{kind: chain, of: [{kind: amb}, {kind: amb}]}",
			"each.yaml:12:51: each[2].compensator.of[2]: name amb is taken by part 1"},
	} {
		text := strings.Replace(tc.text, tc.from, tc.to, 1)
		if text == tc.text && tc.from != "" {
			t.Fatalf("no %q in the text", tc.from)
		}
		s, err := scenario.Parse("each.yaml", []byte(text), ".", nil)
		if err == nil {
			_, err = s.Build(t.Context(), scenario.Options{})
		}
		if err == nil || !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("error %v\nwant %q", err, tc.want)
		}
	}
}
