package doctor

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"rths/result/report"
)

// Draw draws for each rate when commands left.
func (f *Findings) Draw(path string) error {
	var rows []report.TimingRow
	for _, rate := range slices.Backward(f.Rates()) {
		name := fmt.Sprintf("%g Hz: when commands left after their instants", rate)
		row := report.TimingRow{Name: name, PeriodUs: 1e6 / rate}
		for i := range f.Measurements {
			if m := &f.Measurements[i]; m.RateHz == rate {
				row.Curves = append(row.Curves, report.TimingCurve{Name: m.Where(), Of: m.Realtime.Timing.Departure})
			}
		}
		rows = append(rows, row)
	}
	return report.DrawTimings(path, rows)
}

// Print prints the verdict first, then the measurements and what the machine grants.
func (f *Findings) Print(out io.Writer) {
	fmt.Fprintf(out, "%s\n\n", f.Verdict.Sentence)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "rate\trig\tload\tticks\tlate\twoke late: p50\tp99\tp99.9\tmost\tcommand left: p99.9\tmost, µs\t")
	for i := range f.Measurements {
		m := &f.Measurements[i]
		rig, load := "none", "idle"
		if m.UDP {
			rig = "UDP"
		}
		if m.Load != "" {
			load = "loaded"
		}
		of := &m.Realtime.Timing
		woke, left := &of.Lateness, &of.Departure
		fmt.Fprintf(t, "%g Hz\t%s\t%s\t%d\t%d\t%.4g\t%.4g\t%.4g\t%.4g\t%.4g\t%.4g\t\n", m.RateHz, rig, load,
			of.Ticks, of.Late, woke.P50Us, woke.P99Us, woke.P999Us, woke.MaxUs, left.P999Us, left.MaxUs)
	}
	t.Flush()
	printMachine(out, f)
}

// printMachine prints what the machine grants, and what is not as real time wants it: first what stands in the
// way of the rate, if it is not held.
func printMachine(out io.Writer, f *Findings) {
	last := f.Measurements[len(f.Measurements)-1]
	fmt.Fprintf(out, "\nprocessor %d; %s\n", f.CPU, loadOf(f))
	for _, g := range last.Realtime.Grants {
		if !g.Granted {
			fmt.Fprintf(out, "  not granted  %s: %s\n%s", g.Name, g.Text, mend(g.Mend))
		}
	}
	word := "matters"
	if f.Held() {
		word = "no matter"
	}
	for _, c := range f.Notable() {
		state := word
		if !c.Known {
			state = "unknown"
		}
		fmt.Fprintf(out, "  %-11s  %s: %s\n%s", state, c.Name, c.Found, mend(c.Mend))
	}
	fmt.Fprintln(out)
}

func mend(command string) string {
	if command == "" {
		return ""
	}
	return "               mend: " + command + "\n"
}

func loadOf(f *Findings) string {
	for _, m := range f.Measurements {
		if m.Load != "" {
			return "load: " + m.Load
		}
	}
	return "without load: --load measures under load too"
}
