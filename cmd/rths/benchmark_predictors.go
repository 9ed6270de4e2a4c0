package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rths/papers"
	"rths/report"
)

func predictorsSuite(_ *app) *suite {
	s := &papers.Predictors{}
	var velocity, out string
	c := &cobra.Command{
		Use:   "predictors",
		Short: "Displacement predictors for large time steps: amplitude and phase, and a sweep",
		Long: `Predictors of the displacement one main step Δt ahead (Zhu et al. 2014, section 3).

The first rows are Fig. 7: amplitude β and phase φ (by atan2, so without the jump of
the printed arctangent) of the prediction of a vibration exp(jωt) over ω Δt. Velocities
and accelerations are its exact derivatives, as its eq. 8 says; --velocity integrator
takes the velocity of the dual explicit integrator, (u[i+1] − u[i])/Δt, instead.

The others are Table 2: normalised root mean square error (eq. 12) of DOF1 of the
structure of its Table 1 under a sweep of 0.15 g from 0 to 10 Hz, sin(π f t²/T). The
target is that of the dual explicit integrator with λ = 3 and Δt, velocities and
accelerations are its own; the first six main steps are left out. The duration T is
not printed, and changes little. The published values stand beside: the printed
input does not lead to them, and nothing is tuned to make it.`,
		Example: `  rths benchmark predictors --out figures
  rths benchmark predictors --velocity integrator --json`,
	}
	c.Flags().StringVar(&velocity, "velocity", "exact", "velocity of the amplitudes and phases: exact or integrator")
	c.Flags().Float64SliceVar(&s.Lambdas, "lambda", papers.PublishedLambdas, "λ of the dual explicit method")
	c.Flags().Float64Var(&s.Sweep, "sweep", papers.PredictorSweep, "duration T of the sweep, s")
	c.Flags().StringVarP(&out, "out", "o", "", "folder for predictors.png and predictors.svg, the diagrams of Fig. 7")
	return &suite{
		command: c,
		run: func(cmd *cobra.Command) (*papers.Suite, error) {
			if velocity != "exact" && velocity != "integrator" {
				return nil, fmt.Errorf("benchmark predictors: --velocity %s: want exact or integrator", velocity)
			}
			s.OwnVelocity = velocity == "integrator"
			result, err := s.Run()
			if err != nil || out == "" {
				return result, err
			}
			files, err := drawPredictors(out, velocity, result)
			fmt.Fprint(cmd.ErrOrStderr(), lines(files))
			return result, err
		},
		print: func(w io.Writer, result *papers.Suite) error { return printPredictors(w, s, velocity, result) },
	}
}

// predictorColours are those of the curves, in the order of the rows.
var predictorColours = []string{"#9ECAE1", "#56B4E9", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#D55E00", "#7F2704"}

// predictorName is the method with its λ.
func predictorName(r papers.Row) string {
	if lambda, ok := r.Get("lambda").(float64); ok {
		return fmt.Sprintf("%s λ=%g", r.Get("method"), lambda)
	}
	return fmt.Sprint(r.Get("method"))
}

// unwrapped continues a phase without the jumps of atan2.
func unwrapped(phase []float64) []float64 {
	out := slices.Clone(phase)
	for i := 1; i < len(out); i++ {
		out[i] -= 2 * math.Pi * math.Round((out[i]-out[i-1])/(2*math.Pi))
	}
	return out
}

// drawPredictors draws amplitude and phase as Fig. 7 does, the phase followed on
// beyond ±π.
func drawPredictors(dir, velocity string, s *papers.Suite) ([]string, error) {
	amplitude := report.Panel{X: "ω Δt", Y: "amplitude β", Box: [4]float64{0.1, 1.4, 0, 3}}
	phase := report.Panel{X: "ω Δt", Y: "phase φ, rad"}
	for _, r := range s.Rows {
		if r.Get("omega_dt") == nil {
			continue
		}
		name := predictorName(r)
		if n := len(amplitude.Lines); n == 0 || amplitude.Lines[n-1].Name != name {
			l := report.Line{Name: name, Colour: predictorColours[n%len(predictorColours)], Dashed: !strings.HasPrefix(name, "dual")}
			amplitude.Lines = append(amplitude.Lines, l)
			l.Name = "" // one legend is enough
			phase.Lines = append(phase.Lines, l)
		}
		for _, p := range []struct {
			panel *report.Panel
			key   string
		}{{&amplitude, "amplitude"}, {&phase, "phase_rad"}} {
			l := &p.panel.Lines[len(p.panel.Lines)-1]
			l.X, l.Y = append(l.X, r.Float("omega_dt")), append(l.Y, r.Float(p.key))
		}
	}
	for i := range phase.Lines {
		phase.Lines[i].Y = unwrapped(phase.Lines[i].Y)
	}
	return report.Panels(dir, "predictors", "predicted over true vibration, velocity: "+velocity, []report.Panel{amplitude, phase})
}

// printPredictors prints one line per Ω with the methods side by side, and Table 2.
func printPredictors(out io.Writer, s *papers.Predictors, velocity string, result *papers.Suite) error {
	var names []string
	var omegas []float64
	cells := map[string]papers.Row{}
	for _, r := range result.Rows {
		if r.Get("omega_dt") == nil {
			continue
		}
		name, omega := predictorName(r), r.Float("omega_dt")
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		if !slices.Contains(omegas, omega) {
			omegas = append(omegas, omega)
		}
		cells[fmt.Sprint(name, omega)] = r
	}
	for _, q := range []struct{ title, key string }{{"amplitude", "amplitude"}, {"phase, rad", "phase_rad"}} {
		t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintf(t, "%s (velocity: %s)\nω Δt\t%s\t\n", q.title, velocity, strings.Join(names, "\t"))
		for _, omega := range omegas {
			fmt.Fprintf(t, "%.1f\t", omega)
			for _, name := range names {
				fmt.Fprintf(t, "%s\t", rounded(cells[fmt.Sprint(name, omega)].Float(q.key), 3))
			}
			fmt.Fprintln(t)
		}
		if err := t.Flush(); err != nil {
			return err
		}
		fmt.Fprintln(out)
	}
	return printPredictorErrors(out, s, result)
}

func printPredictorErrors(out io.Writer, s *papers.Predictors, result *papers.Suite) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "NRMS error, DOF1\tΔt, s\tours, %%\tZhu et al. 2014, %%\t\n")
	for _, r := range result.Rows {
		if r.Get("dt") == nil {
			continue
		}
		published := "–"
		if v, ok := r.Get("published_nrms_pct").(float64); ok {
			published = fmt.Sprintf("%.2f", v)
		}
		fmt.Fprintf(t, "%s\t%.8f\t%.3f\t%s\t\n", predictorName(r), r.Float("dt"), r.Float("nrms_pct"), published)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\nsweep 0.15 g, 0 to 10 Hz in %g s; the first %d main steps left out; velocities and\naccelerations of the integrator (λ = 3). The printed input does not lead to the\npublished values.\n", s.Sweep, papers.PredictorsDropped)
	return err
}
