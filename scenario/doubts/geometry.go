package doubts

import (
	"fmt"
	"math"

	"rths/model/plant"
)

// farNode is how many times farther than the pins stand from their middle a node may stand from it, where the file does
// not say where it stands.
const farNode = 2

// geometry looks at degrees that look like radians, and at a node that nobody has placed.
func (d *doubts) geometry() {
	if all, ok := d.s.Coupler.Params.(*plant.Aggregate); ok {
		for i := range all.Of {
			d.turned(fmt.Sprintf("coupler.of[%d]", i+1), &all.Of[i])
			for k := range all.Of[i].Actuators {
				if all.Of[i].Actuators[k].Stroke > 0 {
					d.add(fmt.Sprintf("coupler.of[%d]", i+1), "stroke_m of actuator %d: nobody compares it with the predicted motion: "+
						"rths lint looks at the geometry of a rigid-body by itself: try each body alone", k+1)
					break
				}
			}
		}
	}
	p, ok := d.s.Coupler.Params.(*plant.RigidBody)
	if !ok {
		return
	}
	d.turned("coupler", p)
	d.platform(p)
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

// turned looks at the axes of a body.
func (d *doubts) turned(at string, p *plant.RigidBody) {
	if meant := asDegrees(p.Turned); meant != nil {
		d.add(at+".turned_deg", "%g degrees: are these radians? In degrees they are %.4g", p.Turned, meant)
	}
}

// platform looks at what a test can take away of the body's own mass.
func (d *doubts) platform(p *plant.RigidBody) {
	switch {
	case p.Platform == nil:
	case !d.s.Sensors.Acceleration:
		d.add("coupler.platform", "without accelerometers: the loop takes the inertia of the platform for a force of the "+
			"specimen: want sensors: {acceleration: true}, or the mass of the platform in the specimens")
	case !d.s.Feels():
		d.add("coupler.platform", "under transfer %s, which moves as commanded: load cells feel how its acceleration jumps with "+
			"every command, accelerometers the mean, and the rest acts as damping: want a transfer system that feels the "+
			"specimen, or few kg, and rths stability", d.s.TransferKind())
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
