package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"rths"
	"rths/record"
	"rths/rig"
	"rths/scenario"
)

// events are the faults on request within the ticks of a run and the limits that were
// crossed, in order of time; what a fault caused stands behind its beginning.
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

// fallEvents are the changes between the compensator and its fallback.
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
	return out
}

func limitEvents(g *rig.Guard) []record.Event {
	if g == nil {
		return nil
	}
	var out []record.Event
	names := g.Watched()
	for _, e := range g.Events() {
		of := record.Event{TimeS: e.T, Channel: e.Channel, Value: record.Number(e.Value), Limit: record.Number(e.Limit), Action: e.Action}
		for i, v := range e.Values {
			of.Values = append(of.Values, rths.Value{Name: names[i], V: v})
		}
		out = append(out, of)
	}
	return out
}

func printEvents(out io.Writer, events []record.Event) {
	if len(events) == 0 {
		return
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, e := range events {
		if e.Fault != "" {
			fmt.Fprintf(t, "%.4f s\t%s\t\t\tfault %s %s\n", e.TimeS, e.Channel, e.Fault, e.Action)
			continue
		}
		if e.Action == record.FallsBack || e.Action == record.Returns {
			fmt.Fprintf(t, "%.4f s\t%s\t\t\t%s\n", e.TimeS, e.Channel, strings.TrimSuffix(e.Action+": "+e.Cause, ": "))
			continue
		}
		value, limit := fmt.Sprintf("%.5g", float64(e.Value)), fmt.Sprintf("limit %.5g", float64(e.Limit))
		if e.Limit == 0 { // there is no level
			limit = ""
		}
		if e.Channel == record.FailedReading {
			value = "failed"
		}
		fmt.Fprintf(t, "%.4f s\t%s\t%s\t%s\t%s\n", e.TimeS, e.Channel, value, limit, e.Action)
	}
	t.Flush()
	fmt.Fprintln(out)
}
