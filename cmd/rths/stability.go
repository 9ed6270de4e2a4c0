package main

import (
	"fmt"
	"io"
	"math"
	"math/cmplx"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rths/report"
	"rths/scenario"
	"rths/stability"
	"rths/study"
)

// stabilityFlags are the flags of stability.
type stabilityFlags struct {
	*app
	study.Stability
	sets   []string
	weight []float64
	out    string
	mapped bool
}

func stabilityCommand(a *app) *cobra.Command {
	f := &stabilityFlags{app: a}
	c := &cobra.Command{
		Use:   "stability SCENARIO",
		Short: "What delay a test tolerates, what its loop leaves, and whether it is stable",
		Long: `Looks at a scenario before the test and says, in one sentence, what delay the
partition tolerates, what the loop leaves without compensator and with it, and
whether it is stable:

  critical delay    of the partition: from the exact delay equation by its crossings
                    and by following its roots, by Padé (--pade ORDER), and by the
                    modal method of Gao and You; PSI
  spectral radius   of one tick of the whole loop, linearised, compensator frozen
                    at its initial parameters
  margins           gain, phase and delay margin, distance from −1
  random plants     --perturbed N, within the published scatter
  unmodelled        --weight LOW,CORNER: |W| = LOW √(1 + (f/CORNER)²), CORNER in Hz:
                    robustly stable if |W T| < 1 at every frequency
  map               --map: over stiffness ratio, mass ratio and damping ratio

Ground motions take no part. --out draws nyquist and, with --map, map.`,
		Example: `  rths stability scenarios/demo.yaml
  rths stability scenarios/demo.yaml --perturbed 20 --weight 0.05,20 --out stability
  rths stability scenarios/demo.yaml --map --json`,
		Args: want(1, "one scenario file"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.stability(cmd, args[0]) },
	}
	c.Flags().StringArrayVar(&f.sets, "set", nil, "override a scenario key, as in --set compensator.kind=kf (repeatable)")
	c.Flags().IntVar(&f.Order, "pade", 2, "order of the Padé approximation, 1 to 10")
	c.Flags().IntVar(&f.Perturbed, "perturbed", 0, "number of random plants")
	c.Flags().Float64SliceVar(&f.weight, "weight", nil, "relative uncertainty LOW,CORNER: LOW at low frequencies, rising above CORNER Hz")
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
	s, err := scenario.Load(path, f.sets)
	if err != nil {
		return err
	}
	v, err := f.Run(cmd.Context(), s)
	if err != nil {
		return stopped(cmd, err)
	}
	var points []study.MapPoint
	if f.mapped {
		if points, err = f.Map(cmd.Context(), s); err != nil {
			return stopped(cmd, err)
		}
	}
	files, err := f.draw(v, points)
	if err != nil {
		return err
	}
	if f.json {
		fmt.Fprint(cmd.ErrOrStderr(), lines(files))
		return printJSON(cmd.OutOrStdout(), f.document(v, points))
	}
	if err := printStability(cmd.OutOrStdout(), v, points); err != nil {
		return err
	}
	fmt.Fprint(cmd.OutOrStdout(), lines(files))
	return nil
}

// document is the verdict's flat object, with the tables behind it.
func (f *stabilityFlags) document(v *study.Verdict, points []study.MapPoint) study.Row {
	out := append(v.Row(), study.Cell{Key: "modes", V: v.ModeRows()})
	if len(v.Plants) > 0 {
		out = append(out, study.Cell{Key: "plants", V: v.PlantRows()})
	}
	if points != nil {
		out = append(out, study.Cell{Key: "map", V: study.MapRows(points, f.Order)})
	}
	return append(out, study.Cell{Key: "nyquist", V: v.NyquistRows()})
}

// printStability prints tables, and the sentence last.
func printStability(out io.Writer, v *study.Verdict, points []study.MapPoint) error {
	fmt.Fprintf(out, "%s\n\n", v.Name)
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
	_, err := fmt.Fprintf(out, "\n%s\n", v.Sentence())
	return err
}

func printCritical(out io.Writer, v *study.Verdict) {
	if v.Note != "" {
		fmt.Fprintf(out, "critical delay: %s\n", v.Note)
		return
	}
	pade := fmt.Sprintf("Padé, order %d", v.Order)
	for _, m := range []struct {
		name string
		c    stability.Critical
	}{{"exact", v.Exact}, {"roots followed", v.Tracked}, {pade, v.Pade}, {"modal", v.Modal}} {
		fmt.Fprintf(out, "critical delay, %-14s %s\n", m.name+":", criticalText(m.c))
	}
	if v.Exact.Exists() && v.Exact.Delay > 0 {
		fmt.Fprintf(out, "PSI: %.3f\n", v.Exact.PSI())
	}
	fmt.Fprintf(out, "mass ratio: %.4f (from 1 on no delay is tolerated)\n", v.MassRatio)
}

func criticalText(c stability.Critical) string {
	switch {
	case !c.Exists():
		return "none"
	case math.IsInf(c.Omega, 1):
		return "0 ms, whatever the delay high frequencies grow"
	}
	return fmt.Sprintf("%.3f ms at %.3f Hz", 1e3*c.Delay, c.Omega/(2*math.Pi))
}

// printDelays is the table of what the loops leave.
func printDelays(out io.Writer, v *study.Verdict) error {
	if len(v.ModesHz) == 0 || !slices.ContainsFunc(v.Loops, func(l study.LoopVerdict) bool { return len(l.Delays) > 0 }) {
		return nil
	}
	fmt.Fprintln(out, "\ndelay left from target to displacement, and in the whole loop (gain in brackets)")
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "\t")
	for _, hz := range v.ModesHz {
		fmt.Fprintf(t, "%.3f Hz\t", hz)
	}
	fmt.Fprintln(t)
	for i := range v.Loops {
		l := &v.Loops[i]
		fmt.Fprintf(t, "%s, target to displacement, ms\t", l.Case)
		for _, hz := range v.ModesHz {
			fmt.Fprintf(t, "%s\t", orDash("%.2f", l.Delay(hz).LeftMs))
		}
		fmt.Fprintf(t, "\n%s, whole loop, ms\t", l.Case)
		for _, hz := range v.ModesHz {
			d := l.Delay(hz)
			fmt.Fprintf(t, "%s (%s)\t", orDash("%.2f", d.LoopMs), orDash("%.2f", d.Gain))
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

// orDash is a dash where there is none.
func orDash(format string, v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "–"
	}
	text := fmt.Sprintf(format, v)
	if v > -1 && strings.Trim(text, "-0.") == "" { // no −0.00
		return strings.TrimPrefix(text, "-")
	}
	return text
}

// printLoops is the table of roots and margins.
func printLoops(out io.Writer, v *study.Verdict) error {
	fmt.Fprintln(out)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "loop\tspectral radius\tgrowth, 1/s\tslowest roots, Hz (damping, %)\tgain margin\tphase, °\tdelay, ms\tdistance from −1\t")
	if v.Weight != nil {
		fmt.Fprint(t, "max |W T|\t")
	}
	fmt.Fprintln(t)
	for i := range v.Loops {
		l := &v.Loops[i]
		var worst []string
		for _, w := range l.Worst {
			text := fmt.Sprintf("%.3g (%.2g)", w.FreqHz, 100*w.Ratio)
			if math.Abs(w.Ratio) > 1-1e-9 { // no oscillation
				text = fmt.Sprintf("%.3g 1/s", w.Growth)
			}
			worst = append(worst, text)
		}
		m := l.Margins
		if !l.Stable() {
			m.GainUp, m.PhaseDeg, m.Delay = math.NaN(), math.NaN(), math.NaN()
		}
		fmt.Fprintf(t, "%s\t%.7f\t%.4g\t%s\t%s\t%s\t%s\t%s\t", l.Case, l.Radius, l.Growth, strings.Join(worst, ", "),
			orDash("%.3g", m.GainUp), orDash("%.1f", m.PhaseDeg), orDash("%.2f", 1e3*m.Delay), orDash("%.3f", m.Distance))
		if v.Weight != nil {
			fmt.Fprintf(t, "%s at %s Hz\t", orDash("%.3f", l.Robust), orDash("%.3g", l.WorstHz))
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for i := range v.Loops {
		l := &v.Loops[i]
		if l.Still > 0 {
			fmt.Fprintf(out, "%s: roots at 1, which are no motion: %d (what has yielded, where a free mass is)\n", l.Case, l.Still)
		}
		if l.Note != "" {
			fmt.Fprintf(out, "%s: %s\n", l.Case, l.Note)
		}
		if v.Weight != nil && drawn(*l) {
			fmt.Fprintf(out, "%s: %s\n", l.Case, robustText(l))
		}
	}
	return nil
}

func robustText(l *study.LoopVerdict) string {
	switch {
	case !l.Stable():
		return "unstable as it is, whatever the uncertainty"
	case l.Robust < 1:
		return fmt.Sprintf("robustly stable: the uncertainty may be %.2f times as large", 1/l.Robust)
	}
	return fmt.Sprintf("not robustly stable: the uncertainty would have to be %.2f times as large", 1/l.Robust)
}

// printMap prints the scenario's own mass and damping.
func printMap(out io.Writer, v *study.Verdict, points []study.MapPoint) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "stiffness ratio\texact, ms\tPadé %d, ms\tmodal, ms\tstep limit, ms\tuncompensated, 1/s\tcompensated, 1/s\t\n", v.Order)
	for _, x := range points {
		if !x.Own {
			continue
		}
		fmt.Fprintf(t, "%.2f\t%s\t%s\t%s\t%s\t", x.StiffnessRatio, orDash("%.2f", 1e3*x.Exact.Delay), orDash("%.2f", 1e3*x.Pade.Delay),
			orDash("%.2f", 1e3*x.Modal.Delay), orDash("%.3f", 1e3*x.StepLimit))
		for i := range 2 {
			growth := math.NaN()
			if i < len(x.Growth) {
				growth = x.Growth[i]
			}
			fmt.Fprintf(t, "%s\t", orDash("%.3g", growth))
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, "the scenario's own mass and damping; growth of the whole loop; other masses and dampings with --json")
	return err
}

// draw draws what --out asks for.
func (f *stabilityFlags) draw(v *study.Verdict, points []study.MapPoint) ([]string, error) {
	if f.out == "" {
		return nil, nil
	}
	var files []string
	if slices.ContainsFunc(v.Loops, drawn) {
		var err error
		if files, err = report.Panels(f.out, "nyquist", v.Name, nyquistPanels(v)); err != nil {
			return files, err
		}
	}
	if points == nil {
		return files, nil
	}
	more, err := report.Panels(f.out, "map", v.Name, mapPanels(v, points))
	return append(files, more...), err
}

// drawn: the loop has a Nyquist curve. Where none has one, the table says why.
func drawn(l study.LoopVerdict) bool { return len(l.Curve.Hz) > 0 }

var loopColours = map[string]string{"uncompensated": "#D55E00", "compensated": "#303030"}

// nyquistPanels are the curves near −1, and the closed loop's gain with the weight.
func nyquistPanels(v *study.Verdict) []report.Panel {
	curves := report.Panel{X: "Re L", Y: "Im L", Box: [4]float64{-2.4, 2.4, -1.5, 1.5}}
	gains := report.Panel{X: "frequency, Hz", Y: "|T| = |L/(1 + L)|, dB", LogX: true}
	for i := range v.Plants {
		l := nyquistLine(&v.Plants[i], "#B8B8B8", 0.5)
		if l.Name = ""; i == 0 {
			l.Name = "perturbed"
		}
		curves.Lines = append(curves.Lines, l)
	}
	circle := report.Line{Name: "|L| = 1", Colour: "#9A9A9A", Width: 0.8, Dashed: true}
	for i := range 181 {
		at := cmplx.Rect(1, math.Pi*float64(i)/90)
		circle.X, circle.Y = append(circle.X, real(at)), append(circle.Y, imag(at))
	}
	curves.Lines = append(curves.Lines, circle, cross("−1", -1, 0))
	loops := slices.DeleteFunc(slices.Clone(v.Loops), func(l study.LoopVerdict) bool { return !drawn(l) })
	if v.Weight != nil {
		curves.Lines = append(curves.Lines, envelope(&loops[len(loops)-1], v.Weight))
	}
	for i := range loops {
		l := &loops[i]
		curves.Lines = append(curves.Lines, nyquistLine(l, loopColours[l.Case], 1.5))
		gain := report.Line{Name: l.Case, X: l.Curve.Hz, Colour: loopColours[l.Case], Width: 1.5}
		for _, v := range l.Curve.L {
			gain.Y = append(gain.Y, 20*math.Log10(cmplx.Abs(v/(1+v))))
		}
		gains.Lines = append(gains.Lines, gain)
	}
	if v.Weight != nil {
		bound := report.Line{Name: "1/|W|", X: loops[0].Curve.Hz, Colour: "#0072B2", Width: 1.2, Dashed: true}
		for _, hz := range bound.X {
			bound.Y = append(bound.Y, -20*math.Log10(v.Weight.At(hz)))
		}
		gains.Lines = append(gains.Lines, bound)
	}
	hz := loops[0].Curve.Hz // what is far below the weight does not matter
	gains.Box = [4]float64{hz[0], hz[len(hz)-1], -60, math.Ceil(highest(gains.Lines)) + 3}
	return []report.Panel{curves, gains}
}

// envelope is the band of circles |W L| about a curve in which the true one may be.
func envelope(l *study.LoopVerdict, w *stability.Weight) report.Line {
	const apart, near = 0.06, 3
	out := report.Line{Name: "within |W L|", Colour: "#56B4E9", Width: 0.5}
	last := complex(math.Inf(1), 0)
	for i, at := range l.Curve.L {
		radius := w.At(l.Curve.Hz[i]) * cmplx.Abs(at)
		if cmplx.Abs(at) > near || radius > near || cmplx.Abs(at-last) < apart {
			continue
		}
		last = at
		for k := range 37 {
			p := at + cmplx.Rect(radius, math.Pi*float64(k)/18)
			out.X, out.Y = append(out.X, real(p)), append(out.Y, imag(p))
		}
		out.X, out.Y = append(out.X, math.NaN()), append(out.Y, math.NaN())
	}
	return out
}

func nyquistLine(l *study.LoopVerdict, colour string, width float64) report.Line {
	out := report.Line{Name: l.Case, Colour: colour, Width: width}
	for _, v := range l.Curve.L {
		out.X, out.Y = append(out.X, real(v)), append(out.Y, imag(v))
	}
	return out
}

// cross marks a point.
func cross(name string, x, y float64) report.Line {
	const arm = 0.04
	gap := math.NaN()
	return report.Line{Name: name, X: []float64{x - arm, x + arm, gap, x - arm, x + arm}, Y: []float64{y - arm, y + arm, gap, y + arm, y - arm}, Colour: "#CC0000", Width: 1.6}
}

var mapColours = []string{"#303030", "#56B4E9", "#009E73", "#CC79A7"}

// mapPanels are the critical delay by mass ratio and method, by damping ratio, and
// the growth of the whole loop, over the stiffness ratio.
func mapPanels(v *study.Verdict, points []study.MapPoint) []report.Panel {
	panels := []report.Panel{
		{Y: "critical delay, ms", Lines: massLines(v, points)},
		{Y: "critical delay, ms", Lines: dampingLines(points)},
		{Y: "growth of the loop, 1/s", Lines: growthLines(v, points)},
	}
	for i := range panels {
		p := &panels[i]
		p.X = "stiffness ratio"
		if i < 2 {
			p.Box = [4]float64{0, 1, 0, 1.05 * highest(p.Lines)}
		}
	}
	return panels
}

// line is a quantity of some points of a map.
func line(name, colour string, points []study.MapPoint, keep func(study.MapPoint) bool, of func(study.MapPoint) float64) report.Line {
	l := report.Line{Name: name, Colour: colour, Width: 1.4}
	for _, p := range points {
		if keep(p) {
			l.X, l.Y = append(l.X, p.StiffnessRatio), append(l.Y, of(p))
		}
	}
	return l
}

func exactMs(p study.MapPoint) float64 { return 1e3 * p.Exact.Delay }
func isOwn(p study.MapPoint) bool      { return p.Own }

func massLines(v *study.Verdict, points []study.MapPoint) []report.Line {
	var out []report.Line
	for i, mass := range study.Masses(points) {
		keep := func(p study.MapPoint) bool { return p.MassRatio == mass && p.DampingFactor == 1 }
		out = append(out, line(fmt.Sprintf("mass ratio %.3g", mass), mapColours[i%len(mapColours)], points, keep, exactMs))
	}
	pade := line(fmt.Sprintf("Padé %d", v.Order), "#D55E00", points, isOwn, func(p study.MapPoint) float64 { return 1e3 * p.Pade.Delay })
	modal := line("modal", "#E69F00", points, isOwn, func(p study.MapPoint) float64 { return 1e3 * p.Modal.Delay })
	step := line("longest step", "#9A9A9A", points, isOwn, func(p study.MapPoint) float64 { return 1e3 * p.StepLimit })
	pade.Dashed, modal.Dashed, step.Width = true, true, 0.8
	return append(out, pade, modal, step)
}

func dampingLines(points []study.MapPoint) []report.Line {
	var out []report.Line
	own := points[0].MassRatio
	for _, first := range points {
		if first.MassRatio != own || first.StiffnessRatio != points[0].StiffnessRatio {
			continue
		}
		keep := func(p study.MapPoint) bool { return p.MassRatio == own && p.DampingFactor == first.DampingFactor }
		out = append(out, line(fmt.Sprintf("damping %.3g %%", 100*first.DampingRatio), mapColours[len(out)%len(mapColours)], points, keep, exactMs))
	}
	return out
}

func growthLines(v *study.Verdict, points []study.MapPoint) []report.Line {
	out := []report.Line{{X: []float64{0, 1}, Y: []float64{0, 0}, Colour: "#CC0000", Width: 0.8, Dashed: true}}
	for i := range v.Loops {
		name := v.Loops[i].Case
		out = append(out, line(name, loopColours[name], points, isOwn, func(p study.MapPoint) float64 { return p.Growth[i] }))
	}
	return out
}

// highest is the largest finite value of the lines.
func highest(list []report.Line) float64 {
	most := 1e-9
	for _, l := range list {
		for _, y := range l.Y {
			if !math.IsInf(y, 0) {
				most = max(most, y)
			}
		}
	}
	return most
}
