package report_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/result/record"
)

// A run of two actuators on a node shows both axes, the coupling of each with the
// command of the other, displacement and rotation of the node, and the storeys; the
// channels of these figures have no panels of their own.
func TestPageOfTwoActuators(t *testing.T) {
	f := &rths.Frame{Desired: make([]float64, 2), Read: rths.NewReading(2, 3), Command: make([]float64, 2)}
	var channels []rths.Channel
	values := make([]float64, 22)
	for i, p := range []string{"x", "theta", "x2", "theta2", "x3", "theta3"} {
		for j, name := range []string{"numerical_", "undivided_", "monolithic_", "measured_"}[:4-min(1, i/2)] {
			channels = append(channels, rths.Channel{Name: name + p, Unit: "m", V: &values[min(21, 4*i+j)]})
		}
	}
	m := record.Manifest{Name: "two actuators", RateHz: 1024, Samples: 3000, Status: rths.Completed}
	page := html(t, archived(t, m, f, channels, m.Samples, func(k int) {
		f.K, f.T = k, float64(k)/m.RateHz
		for i := range 2 {
			f.Desired[i] = 1e-3 * math.Sin(20*f.T+float64(i))
			f.Read.X[i], f.Command[i] = f.Desired[i], 2*f.Desired[i]
		}
		for i := range values {
			values[i] = f.Desired[0] * float64(i)
		}
	}))
	rthstest.Contains(t, page, "Axis 1", "Axis 2", "Coupling of the actuators", "command of actuator 2, mm",
		"Rotation of the node", "rotation, mrad", "Rotation of storey 3", "numerical part and specimen as one")
	for _, c := range channels {
		if panel := fmt.Sprintf("%q:%q", "title", c.Name); strings.Contains(page, panel) {
			t.Errorf("channel %s has a panel of its own", c.Name)
		}
	}
}
