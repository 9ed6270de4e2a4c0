package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"rths/result/record"
)

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
