package analyse

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"rths/result/record"
	"rths/result/tables"
)

// compensator is the block of a scenario to paste.
func (r *Identification) compensator() string {
	return fmt.Sprintf("timing: {target: next}\n"+
		"compensator:\n  kind: adm\n  p: %d\n  q: %d\n  spacing: %d\n  theta0: %s\n  p0: %s\n",
		r.Fit.P, r.Fit.Q, r.Spacing, yamlList(r.Fit.Theta), yamlList(r.Fit.P0))
}

// transfer is the block of a scenario to paste.
func (c *Continuous) transfer() string {
	return fmt.Sprintf("transfer: {kind: tf, num: %s, den: %s, delay_ms: %.4g}\n",
		yamlList(c.Num), yamlList(c.Den), c.DelayMS)
}

func yamlList(v []float64) string {
	out := make([]string, len(v))
	for i, x := range v {
		out[i] = strconv.FormatFloat(x, 'g', 9, 64)
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// printRead prints how the texts were read, and the columns.
func printRead(out io.Writer, read []string, used []tables.Used) {
	for _, line := range read {
		fmt.Fprintln(out, line)
	}
	for _, u := range used {
		fmt.Fprintln(out, u)
	}
	fmt.Fprintln(out)
}

// candidatesShown is the number of models in the printed table.
const candidatesShown = 5

// Print prints what has been found, and the blocks to paste.
func (r *Identification) Print(out io.Writer, s *Identify) {
	fmt.Fprintf(out, "%d samples at %g Hz, %.4g s; taps %d samples apart\n",
		len(s.Command), s.RateHz, float64(len(s.Command))/s.RateHz, r.Spacing)
	printRead(out, r.Read, s.Used)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "past commands p\tdisplacements q\tdelay, samples\terror, mm\tBIC\tAIC\t")
	for _, m := range r.Candidates[:min(candidatesShown, len(r.Candidates))] {
		fmt.Fprintf(t, "%d\t%d\t%d\t%.3g\t%.0f\t%.0f\t\n", m.P, m.Q, m.Delay, 1e3*m.SD, m.BIC, m.AIC)
	}
	t.Flush()
	fmt.Fprintf(out, "\nDelay in slow motion, from the instant a command leaves: %.2f ms%s\n", r.DelayMS, estimates(r))
	fmt.Fprintf(out, "Gain in slow motion: %.4g\n", r.Gain)
	fmt.Fprintf(out, "Compensator's regressor: condition number %.3g, residual %.3g mm\n",
		r.Fit.Condition, 1e3*r.Fit.Residual)
	if c := r.Continuous; c != nil {
		fmt.Fprintf(out, "Continuous model of order %d, %.3g to %.3g Hz: leaves %.2f %% of the measurement\n",
			c.Order, c.FromHz, c.ToHz, c.ErrorPct)
	}
	for _, n := range r.Notes {
		fmt.Fprintln(out, "Note:", n)
	}
	fmt.Fprintf(out, "\nTo paste into a scenario:\n\n%s", r.compensator())
	if r.Continuous != nil {
		fmt.Fprint(out, r.Continuous.transfer())
	}
}

// estimates says where the delay comes from, and what the other estimate is.
func estimates(r *Identification) string {
	if r.BandHz == nil {
		return " (discrete model)"
	}
	return fmt.Sprintf(" (frequency response, %.3g to %.3g Hz); %.2f ms by the discrete model",
		r.BandHz[0], r.BandHz[1], r.DiscreteMS)
}

// Document is what rths identify --json prints of the files data, with the pictures that were drawn.
func (r *Identification) Document(data string, s *Identify, files []string) record.Row {
	out := record.Row{
		{Key: "data", V: data}, {Key: "rate_hz", V: s.RateHz}, {Key: "samples", V: len(s.Command)},
		{Key: "p", V: r.Fit.P}, {Key: "q", V: r.Fit.Q}, {Key: "delay_samples", V: r.Model.Delay},
		{Key: "spacing", V: r.Spacing},
		{Key: "model_p", V: r.Model.P}, {Key: "model_q", V: r.Model.Q},
		{Key: "bic", V: r.Model.BIC}, {Key: "aic", V: r.Model.AIC}, {Key: "error_mm", V: 1e3 * r.Model.SD},
		{Key: "delay_ms", V: r.DelayMS}, {Key: "delay_discrete_ms", V: r.DiscreteMS}, {Key: "gain", V: r.Gain},
		{Key: "offset_mm", V: 1e3 * r.Offset}, {Key: "drift_um_s", V: 1e6 * r.Drift}, {Key: "theta0", V: r.Fit.Theta},
		{Key: "p0", V: r.Fit.P0},
		{Key: "condition", V: r.Fit.Condition}, {Key: "residual_mm", V: 1e3 * r.Fit.Residual},
	}
	transfer := ""
	if c := r.Continuous; c != nil {
		out = append(out, record.Row{
			{Key: "order", V: c.Order}, {Key: "num", V: c.Num}, {Key: "den", V: c.Den},
			{Key: "transport_delay_ms", V: c.DelayMS},
			{Key: "from_hz", V: c.FromHz}, {Key: "to_hz", V: c.ToHz}, {Key: "fit_error_pct", V: c.ErrorPct},
		}...)
		transfer = c.transfer()
	}
	if b := r.Backlash; b != nil {
		out = append(out, record.Row{
			{Key: "backlash_mm", V: 1e3 * b.Play}, {Key: "delay_without_backlash_ms", V: b.DelayMS},
			{Key: "gain_without_backlash", V: b.Gain},
		}...)
	}
	return append(out, record.Row{
		{Key: "compensator", V: r.compensator()}, {Key: "transfer", V: transfer},
		{Key: "read", V: append([]string{}, r.Read...)}, {Key: "notes", V: append([]string{}, r.Notes...)}, {Key: "files",
			V: files},
	}...)
}
