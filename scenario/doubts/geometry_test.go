package doubts_test

import (
	"strings"
	"testing"

	"rths/kit/rthstest"
)

const body = `
rate_hz: 1024
ground: {kind: clough-penzien, duration_s: 1}
structure: {kind: matrices, mass: [[1e4, 0], [0, 2e3]], stiffness: [[1e6, 0], [0, 1e6]], influence: [1, 0]}
interface: [1, 2]
coupler:
  kind: rigid-body
  coordinates: [x, rz]
  node_m: [0, 3]
  turned_deg: [0, 0, 90]
  actuators: [{base_m: [-2, 2.5], pin_m: [-0.5, 2.5]}, {base_m: [-2, 3.5], pin_m: [-0.5, 3.5]}]
integrator: {kind: newmark-explicit}
specimens: [{along: [1, 0], specimen: {kind: linear, stiffness: 1e5}}]
transfer: {kind: second-order}
`

// Radians in place of degrees are asked about: all numbers are parts of a turn. So is a node that nobody has placed,
// far from the pins.
func TestGeometry(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"", "", ""},
		{"90]", "1.5708]", "small.yaml:10:3: coupler.turned_deg: [0 0 1.5708] degrees: are these radians? In degrees they " +
			"are [0 0 90]"},
		{"[0, 0, 90]", "[0, -0.7854, 3.1416]", "In degrees they are [0 -45 180]"},
		{"[0, 0, 90]", "[0.785, 0, 0.2618]", "In degrees they are [45 0 15]"},
		{"[0, 0, 90]", "[0.7854, 0, 5]", ""},
		{"90]", "1.5]", ""},
		{"90]", "0]", ""},
		{"90]", "0.001]", ""},
		{"90]", "6.2832]", ""},
		{"  node_m: [0, 3]\n", "", "coupler.node_m: not stated, and 3.04 m from the middle of the pins, which are 0.5 m " +
			"from it: does the node stand at the origin of the points? Then state node_m: [0, 0, 0]"},
		{"[0, 3]", "[0, 0]", ""},
	} {
		got := doubted(t, strings.Replace(body, c.old, c.new, 1))
		if c.want == "" && strings.Contains(got, "coupler") {
			t.Errorf("%s in place of %s: %q: want no doubt", c.new, c.old, got)
		}
		rthstest.Contains(t, got, c.want)
	}
}
