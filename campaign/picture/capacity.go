package picture

import (
	"cmp"
	"fmt"
	"math"

	"rths/campaign/analyse"
	"rths/model/plant"
	"rths/result/panels"
	"rths/result/plotting"
)

// Capacity draws force and speed in the envelope of each actuator, and flow and pressure of each supply over time, into
// capacity.png and capacity.svg of a folder, and returns their paths. The motion is that of perfect actuators.
func Capacity(dir, title string, c *analyse.Capacity) ([]string, error) {
	each := c.Demand.Each
	if each == nil {
		each = []*analyse.Demand{c.Demand}
	}
	t := make([]float64, len(c.Demand.X))
	for k := range t {
		t[k] = float64(k) / c.Demand.RateHz
	}
	var list []panels.Panel
	flow, pressure := panels.Panel{X: "time, s", Y: "flow, l/min"}, panels.Panel{X: "time, s", Y: "supply, bar"}
	for i, d := range each {
		e, of, drawn := c.Envelopes[i], "", d.Drawn
		plane := capacityPlane(d, e)
		if len(each) > 1 {
			plane.X = fmt.Sprintf("force of cylinder %d, kN", i+1)
			of = fmt.Sprintf(" from supply %s", cmp.Or(e.Line, fmt.Sprint("of ", i+1)))
		} else {
			drawn = d.Flow
		}
		if list = append(list, plane); drawn == nil { // the flow of another's supply
			continue
		}
		colour := plotting.Colour(i)
		flow.Lines = append(flow.Lines, panels.Line{Name: "wanted" + of, X: t, Y: scaled(drawn, 6e4), Colour: colour})
		if e.PumpM3s > 0 {
			flow.Lines = append(flow.Lines, panels.Line{Name: "pump" + of, X: []float64{0, t[len(t)-1]},
				Y: []float64{6e4 * e.PumpM3s, 6e4 * e.PumpM3s}, Colour: plotting.Ink, Dashed: true})
		}
		if len(each) == 1 {
			colour = plotting.Vermillion
		}
		pressure.Lines = append(pressure.Lines, panels.Line{Name: "pressure left" + of, X: t, Y: scaled(d.Supply, 1e-5),
			Colour: colour})
	}
	list = append(list, flow, pressure)
	for i := range list {
		list[i].Box = list[i].Room(0)
	}
	return panels.Draw(dir, "capacity", title, list)
}

func scaled(list []float64, f float64) []float64 {
	out := make([]float64, len(list))
	for i, v := range list {
		out[i] = v * f
	}
	return out
}

// capacityPlane is a motion in the envelope of an actuator. Where speed and force have the same sign the load is against
// the motion.
func capacityPlane(d *analyse.Demand, e *plant.Envelope) panels.Panel {
	lowest := e.SupplyPa
	for _, p := range d.Supply {
		lowest = min(lowest, p)
	}
	border := func(supply float64) (force, speed []float64) {
		most := math.Max(e.StallN[0], e.StallN[1])
		for i, extends := range []bool{true, false} {
			way := 1 - 2*float64(i)
			for at := 1.0; at >= -1; at -= 1.0 / 64 {
				against := at * most
				force, speed = append(force, way*against/1e3), append(speed, way*e.Speed(against, supply, extends))
			}
		}
		return append(force, force[0]), append(speed, speed[0])
	}
	plane := panels.Panel{X: "force of the cylinder, kN", Y: "velocity, m/s"}
	plane.Lines = append(plane.Lines, panels.Line{Name: "the motion", X: scaled(d.F, 1e-3), Y: d.V, Colour: plotting.Blue})
	x, y := border(e.SupplyPa)
	plane.Lines = append(plane.Lines, panels.Line{Name: "envelope", X: x, Y: y, Colour: plotting.Ink, Width: 1.6})
	if lowest < e.SupplyPa*0.999 {
		x, y = border(lowest)
		plane.Lines = append(plane.Lines, panels.Line{Name: "at the lowest pressure", X: x, Y: y, Colour: plotting.Vermillion,
			Dashed: true})
	}
	return plane
}
