package doubts

import (
	"math"

	"rths/model/plant"
)

// farNode is how many times farther than the pins stand from their middle a node may stand from it, where the file does
// not say where it stands.
const farNode = 2

// geometry looks at degrees that look like radians, and at a node that nobody has placed.
func (d *doubts) geometry() {
	p, ok := d.s.Coupler.Params.(*plant.RigidBody)
	if !ok {
		return
	}
	if meant := asDegrees(p.Turned); meant != nil {
		d.add("coupler.turned_deg", "%g degrees: are these radians? In degrees they are %.4g", p.Turned, meant)
	}
	if kind := d.s.Transfer.Kind; p.Platform != nil && d.s.Sensors.Acceleration &&
		(kind == "second-order" || kind == "first-order") {
		d.add("coupler.platform", "under transfer %s, whose acceleration jumps with every command: the load cells feel the "+
			"jumps, accelerometers their mean, and the rest acts as damping: want a transfer system that feels the specimen, "+
			"or tf with at least four poles more than zeros", kind)
	}
	if len(p.Node) > 0 || d.s.Place("coupler.setup") != "" { // a set-up says where its node stands
		return
	}
	middle, spread := [3]float64{}, 0.0
	for _, a := range p.Actuators {
		for i, v := range a.Pin[:min(3, len(a.Pin))] {
			middle[i] += v / float64(len(p.Actuators))
		}
	}
	for _, a := range p.Actuators {
		for i, v := range a.Pin[:min(3, len(a.Pin))] {
			spread = math.Hypot(spread, (v-middle[i])/math.Sqrt(float64(len(p.Actuators))))
		}
	}
	if far := math.Hypot(math.Hypot(middle[0], middle[1]), middle[2]); far > farNode*spread && len(p.Actuators) > 1 {
		d.add("coupler.node_m", "not stated, and %.3g m from the middle of the pins, which are %.3g m from it: does the "+
			"node stand at the origin of the points? Then state node_m: [0, 0, 0]", far, spread)
	}
}

// asDegrees are numbers in degrees where all look like radians, which are parts of a turn: multiples of π/12 within
// 0.2 %, up to half a turn. nil: they do not.
func asDegrees(v []float64) (out []float64) {
	const part = math.Pi / 12
	some := false
	for _, v := range v {
		n := math.Round(math.Abs(v) / part)
		if v != 0 && (n == 0 || n > 12 || math.Abs(math.Abs(v)-n*part) > 2e-3*n*part) {
			return nil
		}
		some = some || v != 0
		out = append(out, math.Copysign(n*15, v)+0)
	}
	if !some {
		return nil
	}
	return out
}
