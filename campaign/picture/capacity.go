package picture

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"rths"
	"rths/campaign/analyse"
	"rths/model/plant"
	"rths/result/panels"
	"rths/result/plotting"
)

// Capacity draws force and speed in the envelope of each actuator, and flow and pressure of each supply over time, into
// capacity.png and capacity.svg of a folder, and returns their paths. The motion is that of perfect actuators. Of a shake
// table it draws capacity-performance.png and .svg too.
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
	files, err := panels.Draw(dir, "capacity", title, list)
	if err != nil || c.Performance == nil {
		return files, err
	}
	more, err := panels.Draw(dir, "capacity-performance", title, []panels.Panel{tripartite(c.Performance)})
	return append(files, more...), err
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
	border := func(supply float64) (force, velocity []float64) {
		force, velocity = e.Border(supply)
		return scaled(force, 1e-3), velocity
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

// diagonals are a panel in decades.
type diagonals struct{ panels.Panel }

// diagonal adds a displacement (slope 1, m) or an acceleration (slope -1, m/s²) within the box, with its name at its lower
// end.
func (p *diagonals) diagonal(value, slope float64) {
	first, last, low, high := p.Box[0], p.Box[1], p.Box[2], p.Box[3]
	at := func(v float64) float64 { return math.Pow(v/value, slope) / (2 * math.Pi) } // Hz
	from, to := max(first, min(at(low), at(high))), min(last, max(at(low), at(high)))
	if from >= to {
		return
	}
	of := func(hz float64) float64 { return value * math.Pow(2*math.Pi*hz, slope) }
	p.Lines = append(p.Lines, panels.Line{X: []float64{from, to}, Y: []float64{of(from), of(to)}, Colour: plotting.Bundle,
		Width: 0.5})
	name, hz := fmt.Sprintf("%g mm", 1e3*value), from*1.1
	switch {
	case slope > 0 && value >= 1:
		name = fmt.Sprintf("%g m", value)
	case slope < 0:
		name, hz = fmt.Sprintf("%g m/s²", value), to/2.2
	}
	if hz > from && hz < to {
		p.Notes = append(p.Notes, panels.Note{X: hz, Y: of(hz), Text: name})
	}
}

// tripartite is velocity over frequency in decades, where displacement and acceleration are diagonals, in equal decades.
func tripartite(p *analyse.Performance) panels.Panel {
	out := diagonals{panels.Panel{X: "frequency, Hz", Y: "velocity, m/s", LogX: true, LogY: true}}
	first, last := p.Hz[0], p.Hz[len(p.Hz)-1]
	lines := []panels.Line{
		{Name: "stroke", Y: p.Stroke, Colour: plotting.Green, Width: 1.6},
		{Name: "valve and force, with payload", Y: p.Valve, Colour: plotting.Ink, Width: 1.6},
		{Name: "without payload", Y: p.Bare, Colour: plotting.Ink, Dashed: true},
		{Name: "overturning", Y: p.Overturn, Colour: plotting.Vermillion, Width: 1.6},
		{Name: "pump alone", Y: p.Pump, Colour: plotting.Purple, Dashed: true},
		{Name: "target's spectrum, 5 %", Y: p.Wanted, Colour: plotting.Blue, Width: 1.6},
	}
	least, most := math.Inf(1), 0.0
	for _, v := range slices.Concat(p.Bare, p.Wanted) {
		if v > 0 && rths.Finite(v) {
			least, most = min(least, v), max(most, v)
		}
	}
	high := math.Pow(10, math.Ceil(math.Log10(most)))
	low := max(math.Pow(10, math.Floor(math.Log10(least))), high/1e4)
	out.Box = [4]float64{first, last, low, high}
	for e := -7; e <= 4; e++ {
		out.diagonal(math.Pow(10, float64(e)), 1)
		out.diagonal(math.Pow(10, float64(e)), -1)
	}
	for _, l := range lines {
		if l.X = p.Hz; l.Y == nil {
			continue
		}
		y := make([]float64, len(l.Y))
		for i, v := range l.Y {
			if y[i] = v; v < low || v > high {
				y[i] = math.NaN()
			}
		}
		l.Y = y
		out.Lines = append(out.Lines, l)
	}
	return out.Panel
}
