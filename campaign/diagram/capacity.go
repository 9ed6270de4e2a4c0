package diagram

import (
	"fmt"
	"math"
	"slices"

	"rths"
	"rths/campaign/analyse"
	"rths/model/plant"
	"rths/result/panels"
	"rths/result/plotting"
	"rths/result/record"
)

// blocks of samples are drawn by their smallest and largest values.
const blocks = 1000

// thinned keeps of each block the points at which one of both is smallest or largest.
func thinned(l panels.Line) panels.Line {
	n := min(blocks, len(l.X))
	out := l
	out.X, out.Y = nil, nil
	for i := range n {
		from, to := i*len(l.X)/n, (i+1)*len(l.X)/n
		left, right := record.SignalOf(l.X).Extremes(from, to)
		low, high := record.SignalOf(l.Y).Extremes(from, to)
		places := []int{left, right, low, high}
		slices.Sort(places)
		for _, k := range slices.Compact(places) {
			if k < to {
				out.X, out.Y = append(out.X, l.X[k]), append(out.Y, l.Y[k])
			}
		}
	}
	return out
}

func scaled(list []float64, f float64) []float64 {
	out := make([]float64, len(list))
	for i, v := range list {
		out[i] = v * f
	}
	return out
}

// Capacity is force and speed of perfect actuators in their envelopes, and flow and pressure of each supply over time.
func Capacity(c *analyse.Capacity) (list []panels.Panel) {
	t := make([]float64, len(c.Demand.X))
	for k := range t {
		t[k] = float64(k) / c.Demand.RateHz
	}
	flow, pressure := panels.Panel{Title: "Flow", X: "time, s", Y: "flow, l/min"},
		panels.Panel{Title: "Supply pressure", X: "time, s", Y: "supply, bar"}
	for i, d := range c.Demand.All() {
		e, of, colour := c.Envelopes[i], "", plotting.Colour(i)
		plane := inEnvelope(d, e)
		if len(c.Envelopes) > 1 {
			plane.X = fmt.Sprintf("force of cylinder %d, kN", i+1)
			if of = ", supply " + e.Line; e.Line == "" {
				of = fmt.Sprint(", actuator ", i+1)
			}
		}
		if list = append(list, plane); d.Drawn == nil { // its supply is another's
			continue
		}
		flow.Lines = append(flow.Lines, thinned(panels.Line{Name: "wanted" + of, X: t, Y: scaled(d.Drawn, 6e4), Colour: colour}))
		if e.PumpM3s > 0 {
			flow.Lines = append(flow.Lines, panels.Line{Name: "pump" + of, X: []float64{0, t[len(t)-1]},
				Y: []float64{6e4 * e.PumpM3s, 6e4 * e.PumpM3s}, Colour: plotting.Ink, Dashed: true})
		}
		pressure.Lines = append(pressure.Lines, thinned(panels.Line{Name: "pressure left" + of, X: t, Y: scaled(d.Supply, 1e-5),
			Colour: colour}))
	}
	list = append(list, flow, pressure)
	for i := range list {
		list[i].Box = list[i].Room(0)
	}
	return list
}

// inEnvelope is a motion in the envelope of its actuator.
func inEnvelope(d *analyse.Demand, e *plant.Envelope) panels.Panel {
	lowest := e.SupplyPa
	for _, p := range d.Supply {
		lowest = min(lowest, p)
	}
	border := func(supply float64) (force, velocity []float64) {
		force, velocity = e.Border(supply)
		return scaled(force, 1e-3), velocity
	}
	plane := panels.Panel{Title: "A perfect actuator in the envelope", X: "force of the cylinder, kN", Y: "velocity, m/s"}
	plane.Lines = append(plane.Lines, thinned(panels.Line{Name: "the motion", X: scaled(d.F, 1e-3), Y: d.V, Colour: plotting.Blue}))
	x, y := border(e.SupplyPa)
	plane.Lines = append(plane.Lines, panels.Line{Name: "envelope", X: x, Y: y, Colour: plotting.Ink, Width: 1.6})
	if lowest < e.SupplyPa*0.999 {
		x, y = border(lowest)
		plane.Lines = append(plane.Lines, panels.Line{Name: "at the lowest pressure", X: x, Y: y, Colour: plotting.Vermillion,
			Dashed: true})
	}
	return plane
}

// diagonals are displacements (slope 1, m) or accelerations (slope -1, m/s²) in decades within the box of a panel, with
// their names at their lower ends.
func diagonals(p *panels.Panel, slope float64) {
	first, last, low, high := p.Box[0], p.Box[1], p.Box[2], p.Box[3]
	l := panels.Line{Name: "displacement, decades of m", Colour: plotting.Bundle, Width: 0.5}
	if slope < 0 {
		l.Name, l.Dashed = "acceleration, decades of m/s²", true
	}
	for e := -7; e <= 4; e++ {
		value := math.Pow(10, float64(e))
		at := func(v float64) float64 { return math.Pow(v/value, slope) / (2 * math.Pi) } // Hz
		of := func(hz float64) float64 { return value * math.Pow(2*math.Pi*hz, slope) }
		from, to := max(first, min(at(low), at(high))), min(last, max(at(low), at(high)))
		if from >= to {
			continue
		}
		l.X, l.Y = append(l.X, from, to, math.NaN()), append(l.Y, of(from), of(to), math.NaN())
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
	p.Lines = append(p.Lines, l)
}

// Tripartite is velocity over frequency in decades, where displacement and acceleration are diagonals, in equal decades.
func Tripartite(p *analyse.Performance) panels.Panel {
	out := panels.Panel{Title: "Limits of a sine, and what the target wants", X: "frequency, Hz", Y: "velocity, m/s", LogX: true,
		LogY: true}
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
	if most == 0 { // the seals take all the force, and nothing is wanted
		least, most = 0.01, 1
	}
	high := math.Pow(10, math.Ceil(math.Log10(most)))
	low := max(math.Pow(10, math.Floor(math.Log10(least))), high/1e4)
	out.Box = [4]float64{first, last, low, high}
	diagonals(&out, 1)
	diagonals(&out, -1)
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
	return out
}
