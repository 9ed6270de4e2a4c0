package scenario_test

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/lab/rig"
	"rths/scenario"
	"rths/scenario/growth"
)

// axial is what becomes of the force in a coordinate of two under a linear coupler.
type axial struct {
	worst, rms float64 // error after the lead-in, of the target
	status     string
	reason     string
	trip       *rig.TripError
	moved      float64 // largest measured displacement of the first axis, m
}

// columnTest runs the shipped column; the true force of its axial coordinate is that of its actuators by virtual work.
func columnTest(t *testing.T, sets ...string) (out axial) {
	t.Helper()
	r := built(t, shipped(t, "column-mixed.yaml"), sets...)
	sum, n := 0.0, 0
	lead := 5 + 1.0/2
	for _, a := range r.Scenario.Modes {
		if a.Bandwidth > 0 {
			lead = 5 + 1/a.Bandwidth
		}
	}
	err := r.Loop.Run(1, func() bool {
		f := r.Loop.Frame()
		out.moved = max(out.moved, math.Abs(f.Read.TrueX[0]))
		if f.T < lead {
			return true
		}
		e := math.Abs((0.02*f.Read.TrueF[0]+f.Read.TrueF[1])/500e3 - 1)
		out.worst, sum, n = max(out.worst, e), sum+e*e, n+1
		return true
	})
	out.status, out.reason = r.Status(err)
	errors.As(err, &out.trip)
	out.rms = math.Sqrt(sum / float64(max(n, 1)))
	return out
}

// The acceptance in a whole hybrid test, over an actuator with a lag of 10 ms and a delay of 4 ms: 2 % rms and 5 % at
// most in real time, 1 % in a slow test (the structure 20 times slower, the same displacements).
func TestColumnKeepsItsLoad(t *testing.T) {
	slow := []string{"structure.masses=[60e6]", "structure.damping.rayleigh.freq_hz=[0.05, 0.15]", "rate_hz=256",
		"ground={kind: sine, frequency_hz: 0.06, amplitude_m_s2: 0.0008, duration_s: 60}", "axes[2].bandwidth_hz=2"}
	for i, tc := range []struct {
		name       string
		sets       []string
		worst, rms float64
	}{
		{"real time", nil, 0.05, 0.02},
		{"slow", slow, 0.01, 0.01},
		{"slow, in ramps and holds", []string{"pace={kind: ramp-hold, dt_s: 0.005, time_scale: 20, settle: {tolerance_m: 5e-5, " +
			"samples: 3}}", "duration_s=10"}, 0.01, 0.01},
		{"no compensator, a stiffer structure", []string{"compensator.kind=none", "structure.stiffnesses=[40e6]",
			"amplitude=2"}, 0.05, 0.02},
		{"5 % longer than known", []string{"perturbed=1",
			`scatter={"specimens[2].length_m": {kind: uniform, from: 3.1499, to: 3.1501}}`}, 0.05, 0.02},
		{"20 % softer than stated", []string{"axes[2].stiffness_n_m=1.2e9"}, 0.05, 0.02},
		{"one that learns", []string{"axes[2].stiffness_n_m=1.3e9", "axes[2].learn_m=1e-4"}, 0.05, 0.02},
		{"slow, without knowing that it leans", append(slow[:len(slow):len(slow)], "perturbed=1",
			`scatter={"specimens[2].length_m": {kind: uniform, from: 2.999, to: 3.001}}`, "specimens[2].length_m=1000"), 0.01,
			0.01},
	} {
		if i >= rthstest.Draws(3, 8) {
			continue
		}
		got := columnTest(t, tc.sets...)
		if got.status != rths.Completed || !(got.worst <= tc.worst && got.rms <= tc.rms) || got.worst < 1e-6 ||
			got.moved < 0.015 {
			t.Errorf("%s: %s %s, error %.3g %% at most, %.3g %% rms, moved by %.3g m: want %g and %g", tc.name, got.status,
				got.reason, 100*got.worst, 100*got.rms, got.moved, 100*tc.worst, 100*tc.rms)
		}
		t.Logf("%s: error %.3g %% at most, %.3g %% rms, moved by %.3g mm", tc.name, 100*got.worst, 100*got.rms, 1e3*got.moved)
	}
}

// What is wrong trips the guard, with the right first cause.
func TestForceDrills(t *testing.T) {
	for _, tc := range []struct{ set, channel, why string }{
		{"sensors.force_reversed=true", "axis_force_N", "the wrong sign"},
		{"sensors.force_gain=0", "axis_force_N", "a dead load cell"},
		{"faults=[{kind: stuck, channel: force_2_N, from_s: 3}]", "axis_force_N", "a load cell that has stopped"},
		{"faults=[{kind: reversed, channel: force_2_N, from_s: 12}]", "axis_force_N", "the wrong sign"},
		{"specimens[2].specimen={kind: bilinear, stiffness: 1e9, post_stiffness: 5e6, yield_displacement: 0.45e-3}",
			"axis_displacement_2_m", ""},
	} {
		sets := []string{tc.set}
		if tc.set == "sensors.force_reversed=true" || tc.set == "sensors.force_gain=0" {
			sets = append(sets, "sensors.force_noise=0")
		}
		got := columnTest(t, sets...)
		if got.status != rths.Tripped || got.trip.Cause.Channel != tc.channel || !strings.Contains(got.reason, tc.why) {
			t.Errorf("%s: %s %s: want a trip by %s: %s", tc.set, got.status, got.reason, tc.channel, tc.why)
		}
		t.Logf("%s: %s", tc.set, got.reason)
	}
}

// With ideal actuators the test is the structure without P/L of its stiffness.
func TestMixedTestIsItsStructure(t *testing.T) {
	ideal := []string{"transfer={kind: ideal}", "compensator.kind=none", "coupler.matrix=[[1, 0.1], [-0.2, 1]]",
		"sensors={}", "axes[2].bandwidth_hz=20"}
	got := motions(t, shipped(t, "column-mixed.yaml"), ideal...)
	text := shipped(t, "column-mixed.yaml")
	from, to := strings.Index(text, "axes:"), strings.Index(text, "integrator:")
	plain := text[:from] + text[to:]
	want := motions(t, plain, "coupler=", "transfer={kind: ideal}", "compensator.kind=none", "sensors={}",
		fmt.Sprintf("structure.stiffnesses=[%g]", 13e6-500e3/3), "specimens=[{specimen: {kind: linear, stiffness: 10e6}}]")
	lead := len(got) - len(want)
	if lead != 5172 {
		t.Fatalf("a lead-in of %d ticks", lead)
	}
	for _, row := range got[:lead] {
		if math.Abs(row[0]) > 1e-9 {
			t.Fatalf("the structure moves by %g m before the excitation", row[0])
		}
	}
	if d := apartBy(got[lead:], want); !(d <= 0.01) || d < 1e-9 {
		t.Errorf("displacements differ by %.2g of their peak: want 1 %%, from the damping and what is left of the error", d)
	}
}

// mixedSlab is a slab on two columns: two actuators keep its weight and no moment, one moves it sideways.
const mixedSlab = `rate_hz: 512
timing: {target: next}
ground: {kind: sine, duration_s: 5, frequency_hz: 1, amplitude_m_s2: 0.5}
structure: {kind: shear, masses: [50e3], stiffnesses: [6e6], damping: {rayleigh: {ratio: 0.05, freq_hz: [1, 3]}}}
interface: [1]
axes:
  - {mode: displacement}
  - {mode: force, target_n: -300e3, displacement_limit_m: 0.005, bandwidth_hz: 4}
  - {mode: force, history: {kind: sine, duration_s: 8, frequency_hz: 0.5, amplitude_n: 20e3}, displacement_limit_m: 0.005, bandwidth_hz: 4}
coupler: {kind: rigid-body, coordinates: [x, y, rz], actuators: [{base_m: [-2, 0], pin_m: [-1, 0]},
  {base_m: [-0.7, 2], pin_m: [-0.7, 0.1]}, {base_m: [0.7, 2], pin_m: [0.7, 0.1]}]}
integrator: {kind: newmark-explicit}
specimens:
  - {along: [1, 0, 0], specimen: {kind: linear, stiffness: 4e6}}
  - {along: [0, -1, 0.5], lean: [[1, 0, 0]], length_m: 2, specimen: {kind: linear, stiffness: 4e8}}
  - {along: [0, -1, -0.5], lean: [[1, 0, 0]], length_m: 2, specimen: {kind: linear, stiffness: 4e8}}
transfer: {kind: tf, num: [1], den: [0.01, 1], delay_ms: 2, stroke_m: 0.2, rate_m_s: 1}
compensator: {kind: adm}
`

// Forces of a rigid body whose actuators turn: a vertical force and a moment.
func TestForcesOfASlab(t *testing.T) {
	r := built(t, mixedSlab)
	channel := map[string]*float64{}
	for _, ch := range r.Channels {
		channel[ch.Name] = ch.V
	}
	start, worst, moved := 5+1.0/4, [2]float64{}, 0.0
	err := r.Loop.Run(1, func() bool {
		f := r.Loop.Frame()
		moved = max(moved, math.Abs(*channel["pose_x_m"]))
		if f.T < start+0.5 {
			return true
		}
		moment := 20e3 * math.Sin(2*math.Pi*0.5*(f.T-start))
		if want := *channel["axis_force_target_3_N"]; math.Abs(want-moment) > 200 {
			t.Fatalf("moment %g at %g s: want %g", want, f.T, moment)
		}
		for i, name := range []string{"axis_force_error_2_N", "axis_force_error_3_N"} {
			worst[i] = max(worst[i], math.Abs(*channel[name]))
		}
		return true
	})
	if status, reason := r.Status(err); status != rths.Completed {
		t.Fatalf("%s %s", status, reason)
	}
	if worst[0] > 3e3 || worst[1] > 4e3 || moved < 0.008 {
		t.Errorf("errors %.3g N and %.3g N·m at most, moved by %.3g m: want 1 %% of 300 kN, 20 %% of a moment at an eighth "+
			"of the bandwidth", worst[0], worst[1], moved)
	}
	t.Logf("errors %.3g N and %.3g N·m, moved by %.3g m", worst[0], worst[1], moved)
}

// A loop over the rig of a laboratory is the same run.
func TestMixedLaboratory(t *testing.T) {
	s := rthstest.Must(parse(mixedSlab, "ground.duration_s=0.5"))
	lab := rthstest.Must(s.Laboratory(scenario.Options{}))
	here, there := built(t, mixedSlab, "ground.duration_s=0.5"), rthstest.Must(s.Build(t.Context(),
		scenario.Options{Rig: lab.Rig}))
	for !here.Loop.Done() {
		rthstest.Must(0, errors.Join(here.Loop.Step(), there.Loop.Step()))
		if x, y := here.Loop.Frame().Command, there.Loop.Frame().Command; fmt.Sprint(x) != fmt.Sprint(y) {
			t.Fatalf("%v: want %v", y, x)
		}
	}
}

// No number makes a scenario panic or take the memory.
func TestExtremesOfAxes(t *testing.T) {
	text := shipped(t, "column-mixed.yaml")
	for i, key := range []string{"axes[2].target_n", "axes[2].displacement_limit_m", "axes[2].bandwidth_hz",
		"axes[2].rise_s",
		"axes[2].stiffness_n_m", "axes[2].learn_m", "specimens[2].length_m", "specimens[2].lean"} {
		for k, x := range extremeFloats {
			if key == "specimens[2].lean" {
				x = "[[" + x + ", 0]]"
			}
			if rthstest.All() || (i+k)%3 == 0 {
				wantSound(t, base{text: text}, key+"="+x)
			}
		}
	}
}

// A checkpoint in the lead-in and one later go on with the same bits; another loop of the scenario takes them.
func TestMixedCheckpoint(t *testing.T) {
	for _, at := range []int{900, 3500} {
		a, b := built(t, mixedSlab, "axes[2].learn_m=1e-4"), built(t, mixedSlab, "axes[2].learn_m=1e-4")
		for range at {
			if err := a.Loop.Step(); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Loop.Resume(a.Loop.Checkpoint()); err != nil {
			t.Fatal(err)
		}
		for k := range 500 {
			rthstest.Must(0, errors.Join(a.Loop.Step(), b.Loop.Step()))
			if x, y := a.Loop.Frame().Command, b.Loop.Frame().Command; fmt.Sprint(x) != fmt.Sprint(y) {
				t.Fatalf("after %d and %d ticks: %v: want %v", at, k, y, x)
			}
		}
	}
}

// The linearised loop has the roots of integral control over a lag: with a = e^(−h/τ) and c = 2πbh
//
//	x ← (a − (1−a)c) x + (1−a) u,  u ← u − c x
//
// for the vertical force and for the moment.
func TestMixedLoopsRoots(t *testing.T) {
	straight := strings.ReplaceAll(mixedSlab, "lean: [[1, 0, 0]], length_m: 2, ", "")
	for _, bandwidth := range []float64{4, 9} {
		s := rthstest.Must(parse(straight, "compensator.kind=none", "transfer.delay_ms=0",
			fmt.Sprintf("axes[2].bandwidth_hz=%g", bandwidth), fmt.Sprintf("axes[3].bandwidth_hz=%g", bandwidth)))
		roots := rthstest.Must(growth.Roots(t.Context(), rthstest.Must(s.AtRest(t.Context()))))
		a, c := math.Exp(-1/512.0/0.01), 2*math.Pi*bandwidth/512
		half := complex((1+a-(1-a)*c)/2, 0)
		for _, want := range []complex128{half + cmplx.Sqrt(half*half-complex(a, 0)),
			half - cmplx.Sqrt(half*half-complex(a, 0))} {
			found := 0
			for _, z := range roots {
				if cmplx.Abs(z-want) < 1e-5 {
					found++
				}
			}
			if found != 2 {
				t.Errorf("bandwidth %g Hz: root %.6g stands %d times: want it twice in %.6g", bandwidth, want, found, roots)
			}
		}
	}
	s := rthstest.Must(parse(mixedSlab))
	if _, err := s.AtRest(t.Context()); err == nil || !strings.Contains(err.Error(), "specimens[2].lean: the motion "+
		"about rest") {
		t.Errorf("%v: want the lean refused", err)
	}
}

// What cannot be is refused in words.
func TestAxesMistakes(t *testing.T) {
	column := shipped(t, "column-mixed.yaml")
	force := "{mode: force, target_n: 500e3, displacement_limit_m: 0.005}"
	for _, tc := range []struct{ set, want string }{
		{"axes[2].mode=forces", `axes[2]: mode "forces": want displacement or force`},
		{"axes=[{mode: displacement}]", "axes: 1 blocks for the 2 coordinates of the coupler: want one for each"},
		{"axes=[" + force + ", " + force + "]", "a force is kept in every coordinate"},
		{"axes=[{mode: displacement}, {mode: displacement}]", "2 coordinates with mode displacement, and interface has 1"},
		{"axes[2].displacement_limit_m=0", "displacement_limit_m 0: want the largest displacement"},
		{"axes[1].target_n=1", "axes[1].target_n: has no effect with mode displacement"},
		{"axes[2].bandwidth_hz=20", "axes[2]: bandwidth_hz 20: gain margin 2.11 at 23.6 Hz"},
		{"axes[2].bandwidth_hz=1e-3", "rise_s 5: want at least 1/bandwidth_hz, 1e+03 s"},
		{"axes[2].target_n=1.2e6", "more than the range of its load cell (sensors.force_range), 1e+06 N"},
		{"transfer.force_n=4e5", "more than its rating (force_n), 400000 N"},
		{"limits=none", "limits: none beside axes with mode force"},
		{"force=computed", "force: computed beside axes with mode force"},
		{"specimens[2].length_m=0", "length_m 0: want the length of a specimen that leans"},
		{"specimens[2].lean=[[1]]", "want lists of 2 finite numbers"},
		{"specimens[1].along=[1, 0.1]", "specimen 1, which is taken out of the structure, is deformed by coordinates of " +
			"both modes"},
		{"specimens[1].length_m=1", "length_m has no effect without lean"},
		{"interface_motion=absolute", "specimens[2]: lean with interface_motion absolute"},
		{"initial_displacement=[0.01]", "initial_displacement: beside axes with mode force"},
		{"specimens[2].specimen={kind: viscous-damper}", "coordinate 2: stiffness 0 N/m: want more than 0"},
	} {
		s, err := parse(column, tc.set)
		if err == nil {
			_, err = s.Build(t.Context(), scenario.Options{})
		}
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v: want %q", tc.set, err, tc.want)
		}
	}
	both := strings.Replace(mixedSlab, "along: [0, -1, 0.5]", "along: [0, -1, -0.5]", 1)
	if _, err := rthstest.Must(parse(both)).Build(t.Context(), scenario.Options{}); err == nil ||
		!strings.Contains(err.Error(), "two of them work on one stiff direction") {
		t.Errorf("%v: want the condition number", err)
	}
}

// In a slow test the numerical part carries damping and mass of what it moves, in whatever order the coordinates stand.
func TestSlowMixedCoordinates(t *testing.T) {
	const text = `name: mixed
rate_hz: 128
ground: {kind: sine, frequency_hz: 1.3, amplitude_m_s2: 2, duration_s: 2}
structure: {kind: shear, masses: [1e3], stiffnesses: [1e6], damping: {modal_ratio: [0.02]}}
interface: [1]
integrator: {kind: newmark-explicit}
transfer: {kind: ideal}
compensator: {kind: none}
pace: {kind: ramp-hold, time_scale: 4, settle: {samples: 4}}
`
	const beam, strut = "specimen: {kind: linear, mass: 100, damping: 500, stiffness: 4e5}", "specimen: {kind: linear, stiffness: 1e6}"
	const moves, keeps = "{mode: displacement}", "{mode: force, target_n: 1e3, displacement_limit_m: 0.1, bandwidth_hz: 2, rise_s: 1}"
	var runs [2][][]float64
	for i, sets := range [][]string{
		{"axes=[" + moves + ", " + keeps + "]", "specimens=[{along: [1, 0], " + beam + "}, {along: [0, 1], " + strut + "}]"},
		{"axes=[" + keeps + ", " + moves + "]", "specimens=[{along: [1, 0], " + strut + "}, {along: [0, 1], " + beam + "}]"},
	} {
		var r *scenario.Run
		runs[i], r = stepsOf(t, text, sets...)
		notes := strings.Join(r.Notes, "; ")
		if !strings.Contains(notes, "(mass 100 kg)") || strings.Count(notes, "of its inertia") != 1 {
			t.Errorf("notes %s: want the beam's inertia alone", notes)
		}
	}
	if d := offBy(t, runs[1], runs[0]); !(d < 1e-12) {
		t.Errorf("the order of coordinates changes the response by %.3g of its peak", d)
	}
}
