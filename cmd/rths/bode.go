package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/floats"

	"rths/campaign/analyse"
	"rths/maths/lti"
	"rths/result/plotting"
	"rths/result/record"
	"rths/result/report"
	"rths/scenario"
)

// bodeFlags are the flags of bode.
type bodeFlags struct {
	*app
	analyse.Bode
	source
	run, out string
	window   []float64
	from, to float64
	points   int
}

func bodeCommand(a *app) *cobra.Command {
	f := &bodeFlags{app: a}
	c := &cobra.Command{
		Use:   "bode SCENARIO",
		Short: "Magnitude, phase and delay of transfer system, plant and compensated loop",
		Long: `Frequency responses of a scenario's linear parts, with the phase followed from
0 Hz and the delay −φ/ω:

  transfer     the transfer system alone
  plant        with the specimen; plant k×0.5 … k×10 with a softer or stiffer one
  compensated  target to displacement: compensator with its initial parameters,
               hold and plant, sampled (the hold adds half a sample to the delay)
  perturbed n  random plants, by scatter or within the published scatter (--perturbed)
  initial      the model of the plant at the beginning of a run (--run), and
  identified   the model with parameters averaged over a window of the run

Several actuators have plant and compensated only, from the command or target of each
actuator to the displacement of each ("plant 1 to 2").

Without SCENARIO, --run takes the scenario of the run. The default window is the
second half of the strong motion (5 to 95 % of the squared target).`,
		Example: `  rths bode scenarios/demo.yaml --out bode
  rths bode scenarios/demo.yaml --perturbed 20 --to 30 --json
  rths bode --run runs/demo --window 10,20 --out bode`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && f.run != "" {
				return nil
			}
			return want(1, "one scenario file or folder of a run, or --run and the folder of a run")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.bode(cmd, args) },
	}
	f.addTo(c)
	c.Flags().IntVar(&f.Perturbed, "perturbed", 0, "number of random plants")
	c.Flags().StringVar(&f.run, "run", "", "folder of a run with an adaptive compensator")
	c.Flags().Float64SliceVar(&f.window, "window", nil, "window T1,T2 of the run, s (default the second half of the strong motion)")
	c.Flags().Float64Var(&f.from, "from", 0.1, "lowest frequency, Hz")
	c.Flags().Float64Var(&f.to, "to", 0, "highest frequency, Hz (default 50, or the Nyquist frequency if that is lower)")
	c.Flags().IntVar(&f.points, "points", 200, "frequencies, evenly spaced on a logarithmic axis")
	c.Flags().StringVarP(&f.out, "out", "o", "", "folder for bode.png and bode.svg")
	return c
}

func (f *bodeFlags) bode(cmd *cobra.Command, args []string) error {
	if err := f.read(); err != nil {
		return err
	}
	s, err := f.scenario(args)
	if err != nil {
		return err
	}
	rate := s.RateHz
	if f.Run != nil {
		rate = min(rate, f.Run.RateHz)
	}
	hz, err := f.frequencies(rate)
	if err != nil {
		return err
	}
	systems, err := f.Systems(s)
	if err != nil {
		return err
	}
	var notes []string
	if f.Run != nil {
		notes = append(notes, f.averaged())
	}
	if f.out != "" {
		files, err := drawBode(f.out, s.Name, systems, hz)
		if err != nil {
			return err
		}
		notes = append(notes, files...)
	}
	if f.json {
		fmt.Fprint(cmd.ErrOrStderr(), lines(notes))
		return printBodeJSON(cmd.OutOrStdout(), s.Name, systems, hz)
	}
	if err := printBode(cmd.OutOrStdout(), s.Name, systems, hz); err != nil {
		return err
	}
	fmt.Fprint(cmd.OutOrStdout(), lines(notes))
	return nil
}

func printBodeJSON(out io.Writer, name string, systems []analyse.System, hz []float64) error {
	rows, err := analyse.BodeRows(systems, hz)
	if err != nil {
		return err
	}
	return record.WriteJSON(out, struct {
		Name string       `json:"name"`
		Rows []record.Row `json:"rows"`
	}{name, rows})
}

// read opens the run and checks what does not depend on the scenario.
func (f *bodeFlags) read() (err error) {
	switch {
	case f.Perturbed < 0 || f.Perturbed > 1000:
		return fmt.Errorf("bode: --perturbed %d: want 0 to 1000", f.Perturbed)
	case f.window != nil && f.run == "":
		return errors.New("bode: --window: want --run too, the run of the window")
	case f.window != nil && (len(f.window) != 2 || !(f.window[0] < f.window[1])):
		return fmt.Errorf("bode: --window %g: want T1,T2 in s with T1 before T2", f.window)
	case f.window != nil:
		f.Window = [2]float64(f.window)
	}
	if f.run != "" {
		f.Run, err = record.Open(f.run)
	}
	return err
}

// scenario is the scenario of the arguments, or of the run.
func (f *bodeFlags) scenario(args []string) (*scenario.Scenario, error) {
	if len(args) == 1 {
		return f.load(args[0])
	}
	return f.again(f.run, &f.Run.Manifest)
}

// frequencies of the diagram, checked.
func (f *bodeFlags) frequencies(rate float64) ([]float64, error) {
	nyquist := rate / 2
	if f.to == 0 {
		f.to = min(50, nyquist)
	}
	switch {
	case !(f.from > 0) || !(f.from < f.to):
		return nil, fmt.Errorf("bode: --from %g Hz --to %g Hz: want from above 0 and below to", f.from, f.to)
	case !(f.to <= nyquist):
		return nil, fmt.Errorf("bode: --to %g Hz: want at most the Nyquist frequency %g Hz, half of %g samples a second", f.to, nyquist, rate)
	case f.points < 2 || f.points > 100_000:
		return nil, fmt.Errorf("bode: --points %d: want 2 to 100000", f.points)
	}
	hz := floats.LogSpan(make([]float64, f.points), f.from, f.to)
	hz[0], hz[len(hz)-1] = f.from, f.to
	return hz, nil
}

// averaged lists the parameters of the identified model.
func (f *bodeFlags) averaged() string {
	var list []string
	for _, c := range f.Parameters {
		list = append(list, fmt.Sprintf("%s %.5g", c.Name, c.V))
	}
	return fmt.Sprintf("identified: mean over %.4g to %.4g s: %s", f.Window[0], f.Window[1], strings.Join(list, ", "))
}

// bodeStyles are the colours of the systems: transfer system and plant black, stiffness by
// depth of colour, bundles grey.
var bodeStyles = map[analyse.Group]report.BodeCurve{
	analyse.Transfer:    {Colour: plotting.Ink, Width: 1.2, Dashed: true},
	analyse.Plant:       {Colour: plotting.Ink, Width: 1.6},
	analyse.Stiffness:   {Width: 1},
	analyse.Compensated: {Colour: plotting.Vermillion, Width: 1.6},
	analyse.Perturbed:   {Colour: plotting.Bundle, Width: 0.5, Bundle: true},
	analyse.Initial:     {Colour: plotting.Purple, Width: 1.2, Dashed: true},
	analyse.Identified:  {Colour: plotting.Green, Width: 1.6, Dashed: true},
}

// actuatorColours are the colours by the number of the command or target; couplings are
// dashed.
var actuatorColours = map[analyse.Group][]string{
	analyse.Plant:       {plotting.Ink, plotting.Grey},
	analyse.Compensated: {plotting.Vermillion, plotting.Blue},
}

var stiffnessColours = []string{plotting.Blues[3], plotting.SkyBlue, plotting.Blue, plotting.DarkBlue}

func drawBode(dir, title string, systems []analyse.System, hz []float64) ([]string, error) {
	var curves []report.BodeCurve
	stiff := 0
	for _, s := range systems {
		b, err := s.Bode(hz)
		if err != nil {
			return nil, err
		}
		c := bodeStyles[s.Group]
		c.Name, c.Bode = s.Name, b
		if s.From > 0 {
			colours := actuatorColours[s.Group]
			c.Colour, c.Dashed = colours[(s.From-1)%len(colours)], s.From != s.To
		}
		switch s.Group {
		case analyse.Stiffness:
			c.Colour = stiffnessColours[stiff%len(stiffnessColours)]
			stiff++
		case analyse.Perturbed:
			c.Name = "perturbed"
		}
		curves = append(curves, c)
	}
	return report.Bode(dir, title, curves)
}

// tableHz are the frequencies of the printed table, within --from and --to.
var tableHz = []float64{1, 2, 5, 10, 20}

// printBode prints tables of magnitudes, phases and delays. Random plants have one row for
// the smallest and one for the largest value at each frequency.
func printBode(out io.Writer, name string, systems []analyse.System, hz []float64) error {
	low, high := hz[0], hz[len(hz)-1]
	hz = slices.DeleteFunc(slices.Clone(tableHz), func(f float64) bool { return f < low || f > high })
	if len(hz) == 0 {
		hz = []float64{low, high}
	}
	names, bodes, err := evaluate(systems, hz)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, name)
	for _, q := range bodeQuantities {
		t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintf(t, "\n%-18s\t", q.name)
		for _, f := range hz {
			fmt.Fprintf(t, "%g Hz\t", f)
		}
		fmt.Fprintln(t)
		for i, b := range bodes {
			values := q.of(b)
			if values == nil {
				continue // a coupling has no delay
			}
			fmt.Fprintf(t, "%-18s\t", names[i])
			for _, v := range values {
				fmt.Fprintf(t, "%s\t", record.Text(fmt.Sprintf("%%.%df", q.decimals), v))
			}
			fmt.Fprintln(t)
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(out, "\ncompensated is sampled and has the hold in it, the plants are continuous")
	return err
}

var bodeQuantities = []struct {
	name     string
	decimals int
	of       func(lti.Bode) []float64
}{
	{"magnitude, dB", 2, func(b lti.Bode) []float64 { return b.MagDB }},
	{"phase, °", 1, func(b lti.Bode) []float64 { return b.PhaseDeg }},
	{"delay, ms", 2, func(b lti.Bode) []float64 { return b.DelayMs }},
}

// evaluate returns the responses by name, with the extremes in place of the random
// plants.
func evaluate(systems []analyse.System, hz []float64) ([]string, []lti.Bode, error) {
	var names []string
	var bodes, bundle []lti.Bode
	for _, s := range systems {
		b, err := s.Bode(hz)
		if err != nil {
			return nil, nil, err
		}
		if s.Group == analyse.Perturbed {
			bundle = append(bundle, b)
			continue
		}
		names, bodes = append(names, s.Name), append(bodes, b)
	}
	if len(bundle) > 0 {
		names = append(names, "perturbed, least", "perturbed, most")
		bodes = append(bodes, extreme(bundle, slices.Min), extreme(bundle, slices.Max))
	}
	return names, bodes, nil
}

// extreme is the smallest or largest of each quantity at each frequency.
func extreme(bundle []lti.Bode, of func([]float64) float64) lti.Bode {
	out := lti.Bode{Hz: bundle[0].Hz}
	for i := range out.Hz {
		var mag, phase, delay []float64
		for _, b := range bundle {
			mag, phase, delay = append(mag, b.MagDB[i]), append(phase, b.PhaseDeg[i]), append(delay, b.DelayMs[i])
		}
		out.MagDB, out.PhaseDeg, out.DelayMs = append(out.MagDB, of(mag)), append(out.PhaseDeg, of(phase)), append(out.DelayMs, of(delay))
	}
	return out
}
