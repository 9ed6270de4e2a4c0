package report

import (
	"fmt"
	"math"

	"rths"
	"rths/model/plant"
	"rths/result/plotting"
	"rths/result/record"
	"rths/scenario"
)

// ofHydraulics are the quantities of channels of a hydraulic actuator that have figures of their own.
var ofHydraulics = []string{"valve", "flow", "supply", "load_pressure"}

func limitsTitle(i, axes int) string {
	if axes == 1 {
		return "The actuator and its limits"
	}
	return fmt.Sprintf("Actuator %d and its limits", i+1)
}

// actuated is what a hydraulic actuator did in a run.
type actuated struct {
	envelope                  *plant.Envelope
	x, v                      trace // mm, m/s
	force                     trace // of the cylinder, kN
	valve, flow, supply, load trace // %, l/min, bar, bar
}

// actuatedBy is what actuator i of the run did; not ok: it is not a hydraulic one with a valve, or the scenario cannot be
// read again.
func actuatedBy(s source, i, axes int) (a actuated, ok bool) {
	of := func(quantity string, scale float64) trace {
		t, there := s.of(rths.Meaning{Quantity: quantity, Axis: rths.Component(i, axes)}, scale)
		ok = ok && there
		return t
	}
	ok = true
	a.valve, a.flow, a.supply, a.load = of("valve", 1), of("flow", 1), of("supply", 1), of("load_pressure", 1)
	var there bool
	if a.x, there = s.trace(s.numbered("true", "m", i), 1e3); !there { // a difference of noise is no velocity
		a.x, there = s.trace(s.numbered("measured", "m", i), 1e3)
	}
	if !ok || !there || a.x.values.Len() < 3 {
		return a, false
	}
	read, err := scenario.ParseResolved("", []byte(s.archive.Scenario), s.archive.Folder, nil)
	if err != nil {
		return a, false
	}
	params := read.Transfer.Params
	if i < len(read.Each) && read.Each[i].Transfer.Params != nil {
		params = read.Each[i].Transfer.Params
	}
	maker, ok := params.(plant.Enveloped)
	if !ok {
		return a, false
	}
	if a.envelope, err = maker.Envelope(); err != nil {
		return a, false
	}
	area := a.envelope.StallN[0] / a.envelope.SupplyPa
	a.force = a.load
	a.force.values, a.force.of, a.force.ends = a.load.values.Times(100*area), a.load.of+" as force", new(ends)
	a.v = trace{start: a.x.start, rate: a.x.rate, of: a.x.of + " per second", ends: new(ends)}
	a.v.values = record.SignalBy(a.x.values.Len(), func(k int) float64 {
		from, to := max(k-1, 0), min(k+1, a.x.values.Len()-1)
		return (a.x.values.At(to) - a.x.values.At(from)) / float64(to-from) * a.x.rate / 1e3
	})
	return a, true
}

// capacity is force and velocity of actuator i in its envelope, and what it used over time.
func (fs *figures) capacity(s source, i, axes int) []figure {
	a, ok := actuatedBy(s, i, axes)
	if !ok {
		return nil
	}
	e := a.envelope
	id, _ := axisNames(i, axes)
	plane := figure{id: "envelope" + id, title: "Force and velocity in the envelope", xLabel: "force of the cylinder, kN",
		yLabel: "velocity, m/s", shape: square}
	plane.line(true, "the run", fs.add(a.force), fs.add(a.v), plotting.Colours[0])
	border := func(name string, supply float64, colour string, dashed bool) {
		force, velocity := e.Border(supply)
		for k := range force {
			force[k] /= 1e3
		}
		plane.curves = append(plane.curves, curve{name: name, x: fs.add(listed(force)), y: fs.add(listed(velocity)),
			colour: colour, dashed: dashed})
	}
	border("envelope", e.SupplyPa, plotting.Ink, false)
	if lowest := 1e5 * endsOf(a.supply).low; lowest < 0.999*e.SupplyPa {
		border("at the lowest supply pressure", lowest, plotting.Colours[1], true)
	}
	list := []figure{plane}
	over := func(name, title, label string, t trace, bounds ...float64) {
		f := figure{id: name + id, title: title, xLabel: timeLabel, yLabel: label, shape: small, bounds: bounds}
		f.line(true, name, overTime, fs.add(t), plotting.Colours[2])
		list = append(list, f)
	}
	over("valve", "Opening of the valve", "%", a.valve, -100, 100)
	if e.Stroke > 0 {
		over("stroke", "Displacement in the stroke", "mm", a.x, -1e3*e.Stroke, 1e3*e.Stroke)
	}
	if e.PumpM3s > 0 {
		over("flow", "Flow from the supply, and the pump's", "l/min", a.flow, 6e4*e.PumpM3s)
		over("supply", "Supply pressure", "bar", a.supply, e.SupplyPa/1e5)
	} else {
		over("flow", "Flow from the supply", "l/min", a.flow)
	}
	over("load_pressure", "Load pressure", "bar", a.load, -e.SupplyPa/1e5, e.SupplyPa/1e5)
	return list
}

// used is the largest use of a limit.
type used struct {
	name, largest, has string
	pct, at            float64
}

// uses are the largest uses of what the actuator has.
func (a *actuated) uses() []used {
	e, n := a.envelope, a.valve.values.Len()
	most := func(name, unit string, of func(k int) (wanted, has float64)) used {
		u := used{name: name, pct: math.Inf(-1)}
		for k := range n {
			wanted, has := of(k)
			if pct := 100 * wanted / has; pct > u.pct {
				u.pct, u.at = pct, a.valve.start+float64(k)/a.valve.rate
				u.largest, u.has = fmt.Sprintf("%.3g %s", wanted, unit), fmt.Sprintf("%.3g %s", has, unit)
			}
		}
		return u
	}
	list := []used{
		most("Valve", "%", func(k int) (float64, float64) { return math.Abs(a.valve.values.At(k)), 100 }),
		most("Speed under load", "m/s", func(k int) (float64, float64) {
			v, f := a.v.values.At(k), 1e3*a.force.values.At(k)
			return math.Abs(v), e.Speed(math.Copysign(1, v)*f, 1e5*a.supply.values.At(k), v > 0)
		}),
		most("Force", "kN", func(k int) (float64, float64) {
			f, stall := a.force.values.At(k), e.StallN[0]
			if f < 0 {
				stall = e.StallN[1]
			}
			return math.Abs(f), stall / 1e3
		}),
	}
	if e.Stroke > 0 {
		list = append(list, most("Stroke", "mm", func(k int) (float64, float64) { return math.Abs(a.x.values.At(k)), 1e3 * e.Stroke }))
	}
	if e.PumpM3s > 0 {
		list = append(list, most("Flow, of the pump's", "l/min",
			func(k int) (float64, float64) { return a.flow.values.At(k), 6e4 * e.PumpM3s }),
			most("Fall of the supply", "bar", func(k int) (float64, float64) {
				return e.SupplyPa/1e5 - a.supply.values.At(k), e.SupplyPa / 1e5
			}))
	}
	return list
}

// limitsTable is the largest uses of the actuators' limits; of one run with what there was and when.
func limitsTable(runs []*record.Archive, names []string) table {
	t := table{Title: "Largest use of the actuator's limits", First: "Limit", Heads: names, Titled: true}
	if len(runs) == 1 {
		t.Heads = []string{"Largest", "Of", "Used, %", "At, s"}
	}
	for r, archive := range runs {
		s := newSource(archive)
		axes := s.count("measured", "m")
		for i := range axes {
			a, ok := actuatedBy(s, i, axes)
			if !ok {
				continue
			}
			for _, u := range a.uses() {
				name := u.name
				if axes > 1 {
					name = fmt.Sprintf("%s of actuator %d", name, i+1)
				}
				pct := fmt.Sprintf("%.3g", u.pct)
				switch {
				case math.IsInf(u.pct, 1): // nothing was left
					pct = "above 100"
				case math.IsInf(u.pct, -1): // there is no number
					pct = "–"
				}
				if len(runs) > 1 {
					t.row(name + ", %").Cells[r] = pct
					continue
				}
				t.row(name).Cells = []string{u.largest, u.has, pct, fmt.Sprintf("%.4g", u.at)}
			}
		}
	}
	return t
}
