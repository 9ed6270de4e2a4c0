package analyse

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"rths/result/record"
)

// pairsShown is the number of pairs in the printed table.
const pairsShown = 12

// Print prints what has been found, and the blocks to paste.
func (r *AxesIdentification) Print(out io.Writer, s *IdentifyAxes) {
	fmt.Fprintf(out, "%d actuators, %d samples at %g Hz: %d whole periods of %g s from %.4g s on; %d lines from %.4g to "+
		"%.4g Hz\n", len(s.Command), len(s.Command[0]), s.RateHz, r.Periods, s.PeriodS, r.FromS, len(r.Hz), r.Hz[0],
		r.Hz[len(r.Hz)-1])
	printRead(out, r.Read, s.Used)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "actuator\tgain\tdelay, ms\t−3 dB at, Hz\trelative gain\t")
	for i, a := range r.Axes {
		fmt.Fprintf(t, "%d\t%.4g\t%.2f\t%s\t%.4g\t\n", i+1, a.Gain, a.DelayMS, r.bandwidth(i), a.RelativeGain)
	}
	t.Flush()
	fmt.Fprintf(out, "(gain and delay in slow motion, from the instant a command leaves; relative gain at %.4g Hz, 1: no "+
		"interaction)\n\n", r.Hz[0])
	fmt.Fprintln(t, "actuator\tmoves with\tat most, %\t± %\tat, Hz\t")
	for _, p := range r.Pairs[:min(pairsShown, len(r.Pairs))] {
		fmt.Fprintf(t, "%d\t%d\t%.2f\t%.2g\t%.4g\t\n", p.Of, p.By, p.Pct, p.SDPct, p.Hz)
	}
	t.Flush()
	if more := len(r.Pairs) - pairsShown; more > 0 {
		fmt.Fprintf(out, "and %d pairs with less\n", more)
	}
	answer, sentence := r.Apart()
	fmt.Fprintf(out, "(of the motion of the other, up to where that falls by 3 dB)\n\n%s\n", sentence)
	for _, n := range r.Notes {
		fmt.Fprintln(out, "Note:", n)
	}
	if answer == "yes" {
		fmt.Fprintf(out, "\nTo paste into a scenario:\n\n%s", r.blocks())
	}
}

// bandwidth is that of an axis in words.
func (r *AxesIdentification) bandwidth(i int) string {
	if hz := r.Axes[i].BandwidthHz; !math.IsInf(hz, 1) {
		return fmt.Sprintf("%.4g", hz)
	}
	return fmt.Sprintf("above %.4g", r.Hz[len(r.Hz)-1])
}

// blocks are the blocks of a scenario in which each actuator has its own compensator, and its own transfer system where
// all have a continuous model.
func (r *AxesIdentification) blocks() string {
	out, all := "timing: {target: next}\neach:\n", true
	for _, a := range r.Axes {
		all = all && a.Continuous != nil
	}
	for _, a := range r.Axes {
		block := a.compensator()
		_, block, _ = strings.Cut(block, "\n")
		if all {
			block += a.Continuous.transfer()
		}
		out += "  - " + strings.ReplaceAll(strings.TrimSpace(block), "\n", "\n    ") + "\n"
	}
	return out
}

// Document is what rths identify --json prints of the files data, with the pictures that were drawn.
func (r *AxesIdentification) Document(data string, s *IdentifyAxes, files []string) record.Row {
	var axes, responses []record.Row
	for _, a := range r.Axes {
		row := record.Row{{Key: "gain", V: a.Gain}, {Key: "delay_ms", V: a.DelayMS}, {Key: "bandwidth_hz", V: a.BandwidthHz},
			{Key: "relative_gain", V: a.RelativeGain}, {Key: "compensator", V: a.compensator()}}
		if c := a.Continuous; c != nil {
			row.Put("transfer", c.transfer())
		}
		axes = append(axes, row)
	}
	n := len(r.Axes)
	for c := range n * n {
		var re, im, sd []float64
		for k, g := range r.G {
			re, im, sd = append(re, real(g[c])), append(im, imag(g[c])), append(sd, r.SD[k][c])
		}
		responses = append(responses, record.Row{{Key: "of", V: c/n + 1}, {Key: "by", V: c%n + 1}, {Key: "real", V: re},
			{Key: "imaginary", V: im}, {Key: "standard_error", V: sd}})
	}
	answer, sentence := r.Apart()
	return record.Row{
		{Key: "data", V: data}, {Key: "rate_hz", V: s.RateHz}, {Key: "samples", V: len(s.Command[0])},
		{Key: "period_s", V: s.PeriodS}, {Key: "periods", V: r.Periods}, {Key: "from_s", V: r.FromS},
		{Key: "actuators", V: axes}, {Key: "interaction", V: r.Pairs}, {Key: "one_by_one", V: answer},
		{Key: "verdict", V: sentence}, {Key: "hz", V: r.Hz}, {Key: "responses", V: responses},
		{Key: "read", V: append([]string{}, r.Read...)}, {Key: "notes", V: append([]string{}, r.Notes...)},
		{Key: "files", V: files},
	}
}
