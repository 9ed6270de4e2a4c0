package scenario_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/lab/rig"
)

// threeArms hold three floors as x, y and rz of a slab that turns a lot.
const threeArms = "coupler={kind: rigid-body, coordinates: [x, y, rz], actuators: [{base_m: [-0.3, 0.05], pin_m: [-0.05, 0.04]}, " +
	"{base_m: [-0.3, -0.05], pin_m: [-0.05, -0.06]}, {base_m: [0.02, -0.4], pin_m: [0.01, -0.07]}]"

// With perfect actuators it does not matter how they stand, in motion as large as their arms, nor whether other
// instruments measure too. (Newton's method leaves 1e-13 m.)
func TestWhereActuatorsOfABodyStandDoesNotMatter(t *testing.T) {
	springs := "specimens=[{along: [1, 0, 0], specimen: {kind: linear, stiffness: 5e5}}, {along: [0.1, 1, -0.5], specimen: " +
		"{kind: linear, stiffness: 2e5}}]"
	want := motions(t, threeFloors, "interface=[1, 2, 3]", "duration_s=3", springs)
	for name, sets := range map[string][]string{
		"three actuators": {threeArms + "}"},
		"two instruments": {threeArms + ", instruments: [{base_m: [1, 0.3], pin_m: [0.05, 0.02]}, {direction: [0, 1], pin_m: [0, 1]}]}"},
		"other axes":      {strings.Replace(threeArms, "coordinates: [x, y, rz]", "coordinates: [y, x, rz]", 1) + ", turned_deg: [0, 0, 20]}"},
		"computed forces": {threeArms + "}", "force=computed"},
	} {
		got := motions(t, threeFloors, append(sets, "interface=[1, 2, 3]", "duration_s=3", springs)...)
		if d := apartBy(got, want); !(d <= 1e-9) {
			t.Errorf("%s: displacements differ by %.2g of their peak: want rounding", name, d)
		}
		turned := 0.0
		for _, row := range got {
			turned = max(turned, math.Abs(row[2]))
		}
		if turned < 0.02 {
			t.Errorf("turned by %.2g rad: want more", turned)
		}
	}
}

// The multi-axial benchmark has two parallel actuators: the general coupler gives its numbers.
func TestBenchmarkOnARigidBody(t *testing.T) {
	rthstest.Long(t)
	text := shipped(t, "benchmark-multiaxial.yaml")
	const general = "coupler={kind: rigid-body, coordinates: [x, rz], actuators: [{direction: [1, 0], pin_m: [0.2667, -0.127]}, " +
		"{direction: [1, 0], pin_m: [0.2667, 0.127]}]}"
	short := "ground={kind: sine, duration_s: 4, frequency_hz: 2, amplitude_m_s2: 3}"
	want, got := motions(t, text, short), motions(t, text, short, general)
	if d := apartBy(got, want); !(d <= 1e-9) {
		t.Errorf("displacements differ by %.2g of their peak: want 1e-9", d)
	}
	if d := apartBy(motions(t, text, short, "coupler.linear=true"), want); d < 1e-7 {
		t.Errorf("linear kinematics differ by %.2g: want a difference that the comparison would see", d)
	}
}

// A pin that slips by 5 mm stops the test within 50 ms with one string pot, and with two it is named.
func TestSlippedPin(t *testing.T) {
	rthstest.Long(t)
	for pots := 1; pots <= 2; pots++ {
		r := built(t, shipped(t, "loading-block.yaml"), "duration_s=4", "limits=", "expect={}",
			"faults=[{kind: slipped-pin, actuator: 4, from_s: 2.5, slip_m: 5e-3}]",
			"coupler.instruments=["+strings.Join([]string{"{base_m: [0, 2.5, 6], pin_m: [0, 0.8, 3.4]}",
				"{base_m: [2.5, -2, 5], pin_m: [0.8, -0.5, 3]}"}[:pots], ", ")+"]")
		var suspect *float64
		for _, ch := range r.Channels {
			if ch.Name == "pose_suspect" {
				suspect = ch.V
			}
		}
		named := 0.0
		var trip *rig.TripError
		var err error
		for err == nil && !r.Loop.Done() {
			err = r.Loop.Step()
			if at := r.Loop.Frame().T; at < 2.5 && *suspect != 0 {
				t.Errorf("link %g is named at %g s", *suspect, at)
			}
			if named == 0 {
				named = *suspect
			}
		}
		if !errors.As(err, &trip) || trip.Cause.Channel != "pose_residual_m" || trip.Cause.T > 2.55 {
			t.Errorf("%d string pots: %v: want a trip by the residual within 50 ms after 2.5 s", pots, err)
		}
		if want := []float64{0, 4}[pots-1]; named != want {
			t.Errorf("%d string pots: link %g is named: want %g", pots, named, want)
		}
	}
}

// sideBySide are two bodies at one interface.
const (
	sideBySide = "interface: [1, 2, 3]\ncoupler: {kind: aggregate, of: [{setup: {kind: two-actuators-2d, la1_m: 0.3, " +
		"la2_m: 0.4, l_m: 0.1}, node_m: [0, 0.02]}, {coordinates: [y], actuators: [{direction: [0, 1], pin_m: [0, 0]}]}]}"
	aggregateSprings = "specimens: [{along: [1, 0, 0], specimen: {kind: linear, stiffness: 5e5}}]\n"
)

// What holds for one body holds for several at one interface.
func TestBodiesSideBySide(t *testing.T) {
	sets := []string{"duration_s=3", "interface=[1, 2, 3]",
		"specimens=[{along: [1, 0, 0], specimen: {kind: linear, stiffness: 5e5}}, {along: [0.1, 1, -0.5], specimen: {kind: linear, " +
			"stiffness: 2e5}}]"}
	_, coupler, _ := strings.Cut(sideBySide, "coupler: ")
	want, got := motions(t, threeFloors, sets...), motions(t, threeFloors, append(sets, "coupler="+coupler)...)
	if d := apartBy(got, want); !(d <= 1e-9) || len(want) < 1000 {
		t.Errorf("displacements differ by %.2g of their peak: want rounding", d)
	}
	s := rthstest.Must(parse(threeFloors, append(sets, "coupler="+coupler)...))
	text := rthstest.Must(s.YAML())
	if again := rthstest.Must(parse(text)); rthstest.Must(again.YAML()) != text || strings.Contains(text, "setup") {
		t.Errorf("%s: want the points, and the same text when it is read again", text)
	}
	for _, c := range []struct{ want, set string }{
		{"coupler.of[2].coordinates: beside setup",
			"coupler={kind: aggregate, of: [{setup: {kind: one-actuator}}, {coordinates: [y], setup: {kind: one-actuator}}]}"},
		{"coupler.of[2].setup: one-actuator: dof \"w\": want x, y or z",
			"coupler={kind: aggregate, of: [{setup: {kind: one-actuator}}, {setup: {kind: one-actuator, dof: w}}]}"},
		{"1 bodies with 3 coordinates: want 2 bodies or more",
			"coupler={kind: aggregate, of: [{setup: {kind: three-actuators-2d" + threeKeys + ", l1_m: 1}}]}"},
		{"coupler: body 1: want no instruments and no platform", "coupler={kind: aggregate, of: [{setup: {kind: two-actuators-2d, " +
			"la1_m: 1, la2_m: 1, l_m: 1}, instruments: [{base_m: [2, 0], pin_m: [0, 0]}]}, {setup: {kind: one-actuator}}]}"},
		{"coupler: aggregate without interface: want interface", "coupler=" + coupler + "|interface="},
		{"specimens: missing beside the coupler aggregate", "coupler=" + coupler + "|specimens="},
	} {
		rthstest.WantError(t, build(t.Context(), threeFloors, append(sets, strings.Split(c.set, "|")...)...), c.want)
	}
}

func TestWrongRigidBodies(t *testing.T) {
	for _, c := range []struct{ want, set string }{
		{"specimens: missing beside the coupler rigid-body", threeArms + "}"},
		{"coupler: 3 coordinates and 3 actuators for the interface of 2 degrees of freedom", threeArms + "}|interface=[1, 2]"},
		{"coupler: 3 coordinates and 2 actuators for the interface of 3 degrees of freedom",
			"coupler={kind: rigid-body, coordinates: [x, y, rz], actuators: [{base_m: [-1, 0], pin_m: [0, 0]}, {base_m: [0, -1], pin_m: " +
				"[0, 0]}]}"},
		{"coupler.actuators[1].stroke: unknown key: did you mean stroke_m?", strings.Replace(threeArms, "pin_m: [-0.05, 0.04]", "pin_m: [-0.05, 0.04], stroke: 3", 1) + "}"},
	} {
		sets := append([]string{"interface=[1, 2, 3]"}, strings.Split(c.set, "|")...)
		rthstest.WantError(t, build(t.Context(), threeFloors, sets...), c.want)
	}
	// Of the structure's own interface the actuators of the benchmark.
	err := build(t.Context(), shipped(t, "benchmark-multiaxial.yaml"), threeArms+"}",
		"ground={kind: sine, duration_s: 4, frequency_hz: 2, amplitude_m_s2: 3}")
	rthstest.WantError(t, err, "coupler: structure marths has the coordinates x and rz")
}

// A body that starts away from rest starts from there: its pose is not looked for from rest.
func TestBodyReleased(t *testing.T) {
	sets := []string{"interface=[1, 2, 3]", "duration_s=1", "initial_displacement=[0.05, 0.02, 0.1]",
		"specimens=[{along: [1, 0, 0], specimen: {kind: linear, stiffness: 5e5}}, {along: [0.1, 1, -0.5], specimen: {kind: linear, " +
			"stiffness: 2e5}}]"}
	text := strings.Replace(threeFloors, shaking, "", 1)
	want, got := motions(t, text, sets...), motions(t, text, append(sets, threeArms+"}")...)
	if d := apartBy(got, want); !(d <= 1e-9) || len(want) < 1000 {
		t.Errorf("displacements differ by %.2g of their peak: want rounding", d)
	}
}
