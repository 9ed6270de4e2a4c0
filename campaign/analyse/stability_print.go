package analyse

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"rths/method/stability"
	"rths/result/record"
)

// Document is the verdict as a flat object, with the doubts of its scenario, then the tables. maps are nil without
// --map.
func (v *Verdict) Document(maps *Maps, doubts []string) record.Row {
	out := append(v.Row(), record.Cell{Key: "notes", V: append(append([]string{}, doubts...), v.Notes()...)},
		record.Cell{Key: "modes", V: v.ModeRows()})
	if rows := v.AxisRows(); rows != nil {
		out = append(out, record.Cell{Key: "actuators", V: rows})
	}
	if len(v.Plants) > 0 {
		out = append(out, record.Cell{Key: "plants", V: v.PlantRows()})
	}
	if len(v.Learned) > 0 {
		out = append(out, record.Cell{Key: "learned", V: v.LearnedRows()})
	}
	if v.Poles != nil {
		out = append(out, record.Cell{Key: "poles", V: v.Poles.rows()})
	}
	if maps != nil {
		out = append(out, maps.cells(v.Order)...)
	}
	return append(out, record.Cell{Key: "nyquist", V: v.NyquistRows()})
}

// Print prints tables, and the sentence last. maps are nil without --map.
func (v *Verdict) Print(out io.Writer, maps *Maps) {
	printCritical(out, v)
	printDelays(out, v)
	printLoops(out, v)
	for _, of := range []struct {
		loops []LoopVerdict
		what  string
	}{{v.Plants, "random plants"}, {v.Learned, "points of what devices may learn, corners and within"}} {
		if n := len(of.loops); n > 0 {
			unstable, radius, distance := envelope(of.loops)
			fmt.Fprintf(out, "\n%d %s: %d unstable, spectral radius at most %.7f, distance from −1 at least %.4g\n",
				n, of.what, unstable, radius, distance)
		}
	}
	for i := range v.Learned {
		if l := &v.Learned[i]; !l.Stable() {
			fmt.Fprintf(out, "unstable with %s\n", l.Case)
		}
	}
	if maps != nil {
		printMaps(out, v, maps)
	}
	if v.Reduced != nil {
		fmt.Fprintf(out, "\n%s\n", v.Scope())
	}
	fmt.Fprintf(out, "\n%s\n", v.Sentence())
}

func printCritical(out io.Writer, v *Verdict) {
	if v.Note != "" {
		fmt.Fprintf(out, "critical delay: %s\n", v.Note)
		return
	}
	pade := fmt.Sprintf("Padé, order %d", v.Order)
	for _, m := range []struct {
		name string
		c    stability.Critical
	}{{"exact", v.Exact}, {"roots followed", v.Tracked}, {pade, v.Pade}, {"modal", v.Modal}} {
		fmt.Fprintf(out, "critical delay, %-14s %s\n", m.name+":", v.CriticalText(m.c))
	}
	if v.Exact.Exists() && v.Exact.Delay > 0 {
		fmt.Fprintf(out, "PSI: %.3f\n", v.Exact.PSI())
	}
	fmt.Fprintf(out, "mass ratio: %.4f (1 or more: no delay is tolerated)\n", v.MassRatio)
}

// printDelays prints the remaining delays of the loops.
func printDelays(out io.Writer, v *Verdict) {
	if len(v.ModesHz) == 0 || !slices.ContainsFunc(v.Loops, func(l LoopVerdict) bool { return len(l.Delays) > 0 }) {
		return
	}
	fmt.Fprintln(out, "\ndelay left from target to displacement, and in the whole loop (gain in brackets)")
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "\t")
	for _, hz := range v.ModesHz {
		mark := ""
		if v.Beyond(hz) {
			mark = " (reduction)"
		}
		fmt.Fprintf(t, "%.3f Hz%s\t", hz, mark)
	}
	fmt.Fprintln(t)
	for i := range v.Loops {
		l := &v.Loops[i]
		fmt.Fprintf(t, "%s, target to displacement, ms\t", l.Case)
		for _, hz := range v.ModesHz {
			fmt.Fprintf(t, "%s\t", record.Text("%.2f", l.Delay(hz).LeftMs))
		}
		fmt.Fprintf(t, "\n%s, whole loop, ms\t", l.Case)
		for _, hz := range v.ModesHz {
			d := l.Delay(hz)
			fmt.Fprintf(t, "%s (%s)\t", record.Text("%.2f", d.LoopMs), record.Text("%.2f", d.Gain))
		}
		fmt.Fprintln(t)
	}
	t.Flush()
}

// printLoops prints roots and margins of the loops.
func printLoops(out io.Writer, v *Verdict) {
	fmt.Fprintln(out)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "loop\tspectral radius\tgrowth, 1/s\tslowest roots, Hz (damping, %)\tgain margin\tphase, °\t"+
		"delay, ms\tdistance from −1\t")
	if v.Weight != nil {
		fmt.Fprint(t, "max |W T|\t")
	}
	fmt.Fprintln(t)
	for i := range v.Loops {
		l := &v.Loops[i]
		fmt.Fprintf(t, "%s\t%.7f\t%.4g\t%s\t%s", l.Case, l.Radius, l.Growth, worstText(l.Worst), l.marginText(l.Margins))
		if v.Weight != nil {
			fmt.Fprintf(t, "%s at %s Hz\t", record.Text("%.3f", l.Robust), record.Text("%.3g", l.WorstHz))
		}
		fmt.Fprintln(t)
		for a, m := range l.Alone {
			fmt.Fprintf(t, "actuator %d alone\t\t\t\t%s\n", a+1, l.marginText(m))
		}
	}
	t.Flush()
	printLoopNotes(out, v)
}

// marginText is the margins as cells of the table.
func (l *LoopVerdict) marginText(m stability.Margins) string {
	m = l.whereStable(m)
	return fmt.Sprintf("%s\t%s\t%s\t%s\t", record.Text("%.3g", m.GainUp), record.Text("%.1f", m.PhaseDeg),
		record.Text("%.2f", 1e3*m.Delay), record.Text("%.3f", m.Distance))
}

// worstText lists roots by frequency and damping ratio; roots that do not oscillate by
// growth rate.
func worstText(roots []Motion) string {
	var out []string
	for _, w := range roots {
		text := fmt.Sprintf("%.3g (%.2g)", w.FreqHz, 100*w.Ratio)
		if math.Abs(w.Ratio) > 1-1e-9 {
			text = fmt.Sprintf("%.3g 1/s", w.Growth)
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// printLoopNotes prints the notes below the table.
func printLoopNotes(out io.Writer, v *Verdict) {
	if slices.ContainsFunc(v.Loops, func(l LoopVerdict) bool { return len(l.Alone) > 0 }) {
		fmt.Fprintln(out, "margins of a loop: the same change in every actuator; its distance: least singular value of I + L")
	}
	for i := range v.Loops {
		l := &v.Loops[i]
		if l.Still > 0 {
			fmt.Fprintf(out, "%s: %d roots at 1, of states that keep their value (the energy that yielding has dissipated, "+
				"the position of a free mass)\n", l.Case, l.Still)
		}
		if l.Note != "" {
			fmt.Fprintf(out, "%s: %s\n", l.Case, l.Note)
		}
		if v.Weight != nil && l.Drawn() {
			fmt.Fprintf(out, "%s: %s\n", l.Case, robustText(l))
		}
	}
}

func robustText(l *LoopVerdict) string {
	switch {
	case !l.Stable():
		return "unstable as it is, whatever the uncertainty"
	case l.Robust < 1:
		return fmt.Sprintf("robustly stable: the uncertainty may be %.2f times as large", 1/l.Robust)
	}
	return fmt.Sprintf("not robustly stable: the uncertainty would have to be %.2f times as large", 1/l.Robust)
}

// printMaps prints the tables of maps, and why one is missing.
func printMaps(out io.Writer, v *Verdict, maps *Maps) {
	fmt.Fprintln(out)
	if maps.Note != "" {
		fmt.Fprintln(out, maps.Note)
	} else {
		printMap(out, v, maps.Points)
	}
	for _, p := range maps.Planes {
		if p.Name == predictorPlane {
			fmt.Fprintln(out)
			printSteps(out, p)
		}
	}
}

// printMap prints the points with the mass and damping of the scenario.
func printMap(out io.Writer, v *Verdict, points []MapPoint) {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "stiffness ratio\texact, ms\tPadé %d, ms\tmodal, ms\tstep limit, ms\tuncompensated, 1/s\t"+
		"compensated, 1/s\t\n", v.Order)
	for _, x := range points {
		if !x.Own {
			continue
		}
		fmt.Fprintf(t, "%.2f\t%s\t%s\t%s\t%s\t", x.StiffnessRatio, record.Text("%.2f", 1e3*x.Exact.Delay),
			record.Text("%.2f", 1e3*x.Pade.Delay), record.Text("%.2f", 1e3*x.Modal.Delay), record.Text("%.3f", 1e3*x.StepLimit))
		for i := range 2 {
			growth := math.NaN()
			if i < len(x.Growth) {
				growth = x.Growth[i]
			}
			fmt.Fprintf(t, "%s\t", record.Text("%.3g", growth))
		}
		fmt.Fprintln(t)
	}
	t.Flush()
	fmt.Fprintln(out, "the scenario's own mass and damping; growth of the whole loop; other masses and dampings with "+
		"--json")
}

// Drawn reports whether there is a Nyquist curve. The table says why a loop has none.
func (l *LoopVerdict) Drawn() bool { return len(l.Curve.Hz) > 0 }
