package session

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"rths"
	"rths/lab/rig"
	"rths/result/record"
	"rths/scenario"
)

// events are the faults on request within the ticks of a run and the limits that were
// crossed, in order of time. What a fault caused comes after the beginning of the fault.
func events(r *scenario.Run, ticks int) []record.Event {
	out := append(append(faultEvents(r.Faults, ticks), fallEvents(r)...), limitEvents(r.Guard)...)
	slices.SortStableFunc(out, func(a, b record.Event) int { return cmp.Compare(a.TimeS, b.TimeS) })
	return out
}

func faultEvents(f *rig.Faults, ticks int) []record.Event {
	if f == nil {
		return nil
	}
	var out []record.Event
	none := record.Number(math.NaN())
	for _, e := range f.Events(ticks) {
		of := record.Event{TimeS: e.T, Channel: e.Channel, Fault: e.Kind, Value: none, Limit: none, Action: record.Begins}
		if e.Over {
			of.Action = record.Ends
		}
		out = append(out, of)
	}
	return out
}

// fallEvents are the changes between the compensator and its fallback, and parameters of devices that went back.
func fallEvents(r *scenario.Run) (out []record.Event) {
	none := record.Number(math.NaN())
	for _, f := range r.Falls() {
		e := record.Event{TimeS: f.T, Channel: "fallback", Value: none, Limit: none, Action: record.FallsBack, Cause: f.Cause}
		if f.Actuator > 0 {
			e.Channel = fmt.Sprintf("fallback_%d", f.Actuator)
		}
		if f.Back {
			e.Action = record.Returns
		}
		out = append(out, e)
	}
	if r.Learning != nil {
		for _, f := range r.Learning.Falls() {
			out = append(out, record.Event{TimeS: f.T, Channel: f.Group.Name, Value: none, Limit: none, Action: record.FallsBack,
				Cause: "parameters of " + f.Group.Key() + " stayed at a bound, and went back to the last sound ones"})
		}
	}
	return out
}

func limitEvents(g *rig.Guard) []record.Event {
	if g == nil {
		return nil
	}
	var out []record.Event
	names := g.Watched()
	for _, e := range g.Events() {
		of := record.Event{TimeS: e.T, Channel: e.Channel, Value: record.Number(e.Value), Limit: record.Number(e.Limit),
			Age: e.Age, Action: e.Action}
		for i, v := range e.Values {
			of.Values = append(of.Values, rths.Value{Name: names[i], V: v})
		}
		out = append(out, of)
	}
	return out
}
