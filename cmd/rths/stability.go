package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rths/campaign/analyse"
	"rths/method/stability"
	"rths/result/record"
	"rths/scenario"
)

// stabilityFlags are the flags of stability.
type stabilityFlags struct {
	*app
	analyse.Stability
	source
	weight []float64
	out    string
	mapped bool
}

func stabilityCommand(a *app) *cobra.Command {
	f := &stabilityFlags{app: a}
	c := &cobra.Command{
		Use:   "stability SCENARIO",
		Short: "Delay that a test tolerates, delay that its loop leaves, and stability",
		Long: `Analyses a scenario before the test and says in one sentence which delay the
partition tolerates, which delay the loop leaves without and with compensator, and
whether the loop is stable, behind the modes of the undivided structure:

  critical delay    of the partition: by the exact delay equation (crossings, and
                    roots followed from delay 0), by Padé (--pade ORDER), and by
                    the modal method of Gao and You; PSI
  spectral radius   of one tick of the whole loop, linearised, compensator frozen
                    at its initial parameters
  margins           gain, phase and delay margin, distance from −1
  random plants     --perturbed N, by scatter or within the published scatter
  unmodelled        --weight LOW,CORNER: |W| = LOW √(1 + (f/CORNER)²), CORNER in Hz:
                    robustly stable if |W T| < 1 at every frequency
  map               --map: over stiffness ratio, mass ratio and damping ratio; of a
                    specimen that yields, with its tangent at rest

No ground motion is read. --out draws nyquist and, with --map, map.`,
		Example: `  rths stability scenarios/demo.yaml
  rths stability scenarios/demo.yaml --perturbed 20 --weight 0.05,20 --out stability
  rths stability scenarios/demo.yaml --map --json`,
		Args: wantScenario,
		RunE: func(cmd *cobra.Command, args []string) error { return f.stability(cmd, args[0]) },
	}
	f.addTo(c)
	c.Flags().IntVar(&f.Order, "pade", 2, "order of the Padé approximation, 1 to 10")
	c.Flags().IntVar(&f.Perturbed, "perturbed", 0, "number of random plants")
	c.Flags().Float64SliceVar(&f.weight, "weight", nil, "relative uncertainty LOW,CORNER: LOW at low frequencies, growing above CORNER Hz")
	c.Flags().BoolVar(&f.mapped, "map", false, "maps over stiffness, mass and damping ratio")
	c.Flags().StringVarP(&f.out, "out", "o", "", "folder for the pictures")
	return c
}

func (f *stabilityFlags) check() error {
	switch {
	case f.Perturbed < 0 || f.Perturbed > 1000:
		return fmt.Errorf("stability: --perturbed %d: want 0 to 1000", f.Perturbed)
	case f.Order < 1 || f.Order > 10:
		return fmt.Errorf("stability: --pade %d: want 1 to 10", f.Order)
	case f.weight == nil:
		return nil
	case len(f.weight) != 2 || !(f.weight[0] > 0) || !(f.weight[1] > 0):
		return fmt.Errorf("stability: --weight %g: want LOW,CORNER, both above 0", f.weight)
	}
	f.Weight = &stability.Weight{Low: f.weight[0], CornerHz: f.weight[1]}
	return nil
}

func (f *stabilityFlags) stability(cmd *cobra.Command, path string) error {
	if err := f.check(); err != nil {
		return err
	}
	s, err := f.load(path)
	if err != nil {
		return err
	}
	printDoubts(cmd.ErrOrStderr(), s)
	if !f.json {
		if err := printFirst(cmd.Context(), cmd.OutOrStdout(), s); err != nil {
			return err
		}
	}
	v, err := f.Run(cmd.Context(), s)
	if err != nil {
		return err
	}
	var points []analyse.MapPoint
	if f.mapped {
		if points, err = f.Map(cmd.Context(), s); err != nil {
			return err
		}
	}
	files, err := f.draw(v, points)
	if err != nil {
		return err
	}
	if f.json {
		fmt.Fprint(cmd.ErrOrStderr(), lines(files))
		return record.WriteJSON(cmd.OutOrStdout(), f.document(v, points, s.Doubts()))
	}
	if err := printStability(cmd.OutOrStdout(), v, points); err != nil {
		return err
	}
	fmt.Fprint(cmd.OutOrStdout(), lines(files))
	return nil
}

// printFirst prints the name and the modes of the structure: a wrong unit shows there,
// whatever the loop does.
func printFirst(ctx context.Context, out io.Writer, s *scenario.Scenario) error {
	run, err := s.AtRest(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, s.Name)
	printModes(out, run)
	if run.Reduced != nil {
		for _, note := range run.Reduced.Notes() {
			fmt.Fprintln(out, "note:", note)
		}
	}
	_, err = fmt.Fprintln(out)
	return err
}

// document is the verdict as a flat object, then the tables.
func (f *stabilityFlags) document(v *analyse.Verdict, points []analyse.MapPoint, doubts []string) record.Row {
	out := append(v.Row(), record.Cell{Key: "notes", V: append(append([]string{}, doubts...), v.Notes()...)}, record.Cell{Key: "modes", V: v.ModeRows()})
	if len(v.Plants) > 0 {
		out = append(out, record.Cell{Key: "plants", V: v.PlantRows()})
	}
	if points != nil {
		out = append(out, record.Cell{Key: "map", V: analyse.MapRows(points, f.Order)})
	}
	return append(out, record.Cell{Key: "nyquist", V: v.NyquistRows()})
}

// printStability prints tables, and the sentence last.
func printStability(out io.Writer, v *analyse.Verdict, points []analyse.MapPoint) error {
	printCritical(out, v)
	if err := printDelays(out, v); err != nil {
		return err
	}
	if err := printLoops(out, v); err != nil {
		return err
	}
	if n := len(v.Plants); n > 0 {
		unstable, radius, distance := v.Envelope()
		fmt.Fprintf(out, "\n%d random plants: %d unstable, spectral radius at most %.7f, distance from −1 at least %.4g\n", n, unstable, radius, distance)
	}
	if points != nil {
		fmt.Fprintln(out)
		if err := printMap(out, v, points); err != nil {
			return err
		}
	}
	if v.Reduced != nil {
		fmt.Fprintf(out, "\n%s\n", v.Scope())
	}
	_, err := fmt.Fprintf(out, "\n%s\n", v.Sentence())
	return err
}

func printCritical(out io.Writer, v *analyse.Verdict) {
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
func printDelays(out io.Writer, v *analyse.Verdict) error {
	if len(v.ModesHz) == 0 || !slices.ContainsFunc(v.Loops, func(l analyse.LoopVerdict) bool { return len(l.Delays) > 0 }) {
		return nil
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
	return t.Flush()
}

// printLoops prints roots and margins of the loops.
func printLoops(out io.Writer, v *analyse.Verdict) error {
	fmt.Fprintln(out)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "loop\tspectral radius\tgrowth, 1/s\tslowest roots, Hz (damping, %)\tgain margin\tphase, °\tdelay, ms\tdistance from −1\t")
	if v.Weight != nil {
		fmt.Fprint(t, "max |W T|\t")
	}
	fmt.Fprintln(t)
	for i := range v.Loops {
		l := &v.Loops[i]
		m := l.Margins
		if !l.Stable() {
			m.GainUp, m.PhaseDeg, m.Delay = math.NaN(), math.NaN(), math.NaN()
		}
		fmt.Fprintf(t, "%s\t%.7f\t%.4g\t%s\t%s\t%s\t%s\t%s\t", l.Case, l.Radius, l.Growth, worstText(l.Worst),
			record.Text("%.3g", m.GainUp), record.Text("%.1f", m.PhaseDeg), record.Text("%.2f", 1e3*m.Delay), record.Text("%.3f", m.Distance))
		if v.Weight != nil {
			fmt.Fprintf(t, "%s at %s Hz\t", record.Text("%.3f", l.Robust), record.Text("%.3g", l.WorstHz))
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	printLoopNotes(out, v)
	return nil
}

// worstText lists roots by frequency and damping ratio; roots that do not oscillate by
// growth rate.
func worstText(roots []analyse.Motion) string {
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
func printLoopNotes(out io.Writer, v *analyse.Verdict) {
	for i := range v.Loops {
		l := &v.Loops[i]
		if l.Still > 0 {
			fmt.Fprintf(out, "%s: %d roots at 1, of states that keep their value (the energy that yielding has dissipated, the position of a free mass)\n", l.Case, l.Still)
		}
		if l.Note != "" {
			fmt.Fprintf(out, "%s: %s\n", l.Case, l.Note)
		}
		if v.Weight != nil && drawn(*l) {
			fmt.Fprintf(out, "%s: %s\n", l.Case, robustText(l))
		}
	}
}

func robustText(l *analyse.LoopVerdict) string {
	switch {
	case !l.Stable():
		return "unstable as it is, whatever the uncertainty"
	case l.Robust < 1:
		return fmt.Sprintf("robustly stable: the uncertainty may be %.2f times as large", 1/l.Robust)
	}
	return fmt.Sprintf("not robustly stable: the uncertainty would have to be %.2f times as large", 1/l.Robust)
}

// printMap prints the points with the mass and damping of the scenario.
func printMap(out io.Writer, v *analyse.Verdict, points []analyse.MapPoint) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "stiffness ratio\texact, ms\tPadé %d, ms\tmodal, ms\tstep limit, ms\tuncompensated, 1/s\tcompensated, 1/s\t\n", v.Order)
	for _, x := range points {
		if !x.Own {
			continue
		}
		fmt.Fprintf(t, "%.2f\t%s\t%s\t%s\t%s\t", x.StiffnessRatio, record.Text("%.2f", 1e3*x.Exact.Delay), record.Text("%.2f", 1e3*x.Pade.Delay),
			record.Text("%.2f", 1e3*x.Modal.Delay), record.Text("%.3f", 1e3*x.StepLimit))
		for i := range 2 {
			growth := math.NaN()
			if i < len(x.Growth) {
				growth = x.Growth[i]
			}
			fmt.Fprintf(t, "%s\t", record.Text("%.3g", growth))
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, "the scenario's own mass and damping; growth of the whole loop; other masses and dampings with --json")
	return err
}
