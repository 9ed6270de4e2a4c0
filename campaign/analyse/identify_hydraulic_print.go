package analyse

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"rths/result/record"
)

// Print prints the parameters, what the data do not hold, and the block to paste.
func (r *HydraulicFit) Print(out io.Writer, t *HydraulicTest) {
	fmt.Fprintf(out, "%d samples at %g Hz, %.4g s; %d rounds from the first guess\n", len(t.Command), t.RateHz,
		float64(len(t.Command))/t.RateHz, r.Rounds)
	printRead(out, r.Read, t.Used)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "parameter\tvalue\tstandard error\tfirst guess\t")
	for _, p := range r.Parameters {
		if p.Held {
			fmt.Fprintf(w, "%s\t%s\t%.2g\t%.4g\t\n", p.Key, p.rounded(), p.Error, p.Guess)
		}
	}
	w.Flush()
	fmt.Fprintf(out, "\nThe actuator leaves %.3g µm and %.3g N (root of the mean square); a quiet stretch has "+
		"%.3g µm and %.3g N\n", 1e6*r.Residual[0], r.Residual[1], 1e6*r.Noise[0], r.Noise[1])
	fmt.Fprintf(out, "The valve opened by up to %.3g %%, at up to %.3g strokes per second\n", 100*r.Opening, r.SpoolSpeed)
	for _, p := range r.Parameters {
		if !p.Held {
			fmt.Fprintf(out, "Not held by these data: %s: %s; want %s\n", p.Key, p.Why, p.Want)
		}
	}
	for _, n := range r.Notes {
		fmt.Fprintln(out, "Note:", n)
	}
	fmt.Fprintf(out, "\nTo paste into a scenario:\n\n%s", r.transfer(t.Kind))
}

// rounded is the value with as many digits as its standard error lets it have, four at least.
func (p *HydraulicParameter) rounded() string {
	digits := 4
	if p.Value != 0 && p.Error > 0 {
		digits = min(max(digits, 2+int(math.Log10(math.Abs(p.Value)/p.Error))), 8)
	}
	return fmt.Sprintf("%.*g", digits, p.Value)
}

// transfer is the block of a scenario to paste.
func (r *HydraulicFit) transfer(kind string) string {
	text := fmt.Sprintf("transfer: # other keys stay\n  kind: %s\n", kind)
	for _, p := range r.Parameters {
		if p.Held {
			text += fmt.Sprintf("  %s: %s # ± %.2g\n", p.Key, p.rounded(), p.Error)
		}
	}
	return text
}

// Document is what rths identify --nonlinear --json prints of the files data, with the pictures that were drawn.
func (r *HydraulicFit) Document(data string, t *HydraulicTest, files []string) record.Row {
	return record.Row{
		{Key: "data", V: data}, {Key: "columns", V: t.Used}, {Key: "rate_hz", V: t.RateHz},
		{Key: "samples", V: len(t.Command)}, {Key: "parameters", V: r.Parameters},
		{Key: "residual_mm", V: 1e3 * r.Residual[0]}, {Key: "residual_force_N", V: r.Residual[1]},
		{Key: "noise_mm", V: 1e3 * r.Noise[0]}, {Key: "noise_force_N", V: r.Noise[1]},
		{Key: "valve_opening_pct", V: 100 * r.Opening}, {Key: "spool_speed_1_s", V: r.SpoolSpeed},
		{Key: "transfer", V: r.transfer(t.Kind)}, {Key: "read", V: append([]string{}, r.Read...)},
		{Key: "notes", V: append([]string{}, r.Notes...)}, {Key: "files", V: files},
	}
}
