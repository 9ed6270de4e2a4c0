package scenario_test

import (
	"math"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
)

const zippered = `name: three axes
rate_hz: 128
loop: open
timing: {target: next}
target: {kind: multisine, duration_s: 12, period_s: 4, from_hz: 0.5, to_hz: 6, amplitude_m: 0.003}
interface: [1, 2, 3]
specimens:
  - {along: [1, 0, 0], specimen: {kind: linear, stiffness: 2e5}}
  - {along: [0, 1, 0], specimen: {kind: linear, stiffness: 2e5}}
  - {along: [0, 0, 1], specimen: {kind: linear, stiffness: 2e5}}
transfer: {kind: second-order, omega_rad_s: 150, damping_ratio: 0.7}
compensator: {kind: none}
`

// targetsOf are the targets of all actuators.
func targetsOf(t *testing.T, sets ...string) (out [][]float64) {
	t.Helper()
	steps(t, built(t, zippered, sets...), func(f *rths.Frame) { out = append(out, append([]float64{}, f.Target.X...)) })
	return out
}

// Actuators under a coupler move by its matrix times the coordinates, which are the targets without one.
func TestMultisineMovesCoordinates(t *testing.T) {
	q := targetsOf(t)
	x := targetsOf(t, "coupler={kind: linear, matrix: [[1, 0, -2], [1, 0, 2], [0, 1, 1.5]]}")
	peaks := make([]float64, 3)
	for k, now := range q {
		for i, row := range [][]float64{{1, 0, -2}, {1, 0, 2}, {0, 1, 1.5}} {
			sum := 0.0
			for j, a := range row {
				sum += a * now[j]
			}
			rthstest.Near(t, "actuator", x[k][i], sum, 1e-15)
			peaks[i] = max(peaks[i], math.Abs(now[i]))
		}
	}
	for _, peak := range peaks {
		rthstest.Near(t, "peak", peak, 0.003, 1e-15)
	}
	r := built(t, zippered)
	rthstest.NoAllocation(t, func() {
		if err := r.Loop.Step(); err != nil {
			t.Fatal(err)
		}
	})
}

// A coordinate of a rigid body that is a rotation has a peak in rad.
func TestMultisineTurns(t *testing.T) {
	peak := 0.0
	for _, x := range targetsOf(t, threeArms+"}", "target.amplitude_rad=0.01", "target.amplitude_m=1e-9") {
		peak = max(peak, math.Abs(x[2]))
	}
	rthstest.Near(t, "the third actuator's motion, m", peak, 0.01*0.01, 3e-5) // its arm is 1 cm
	if err := build(t.Context(), zippered, threeArms+"}"); err == nil || !strings.Contains(err.Error(),
		"target: amplitude_rad 0: want more than 0 to 1000, the peak of coordinate 3") {
		t.Error(err)
	}
}

func TestMultisineMistakes(t *testing.T) {
	for set, want := range map[string]string{
		"target={kind: sine, duration_s: 1}": "target: a prescribed target of kind sine has one actuator: want kind " +
			"multisine for several, or no interface",
		"target.amplitude_rad=0.1": "amplitude_rad: has no effect without a coordinate that the coupler rigid-body names " +
			"as a rotation: leave it out",
		"interface=":  "specimens: without interface",
		"loop=closed": "target: a prescribed target needs loop: open",
	} {
		if err := build(t.Context(), zippered, set); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v: want %q", set, err, want)
		}
	}
}
