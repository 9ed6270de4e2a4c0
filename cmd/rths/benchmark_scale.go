package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"rths/papers"
	"rths/report"
)

func scaleSuite() *suite {
	s := &papers.Scale{Meshes: papers.ScaleMeshes, Measure: time.Second / 2}
	var dir string
	c := &cobra.Command{
		Use:   "scale",
		Short: "Cost of a step of finite-element foundations of 234 to 20000 degrees of freedom",
		Long: `Measures a step of the foundation of Zhu et al. 2014 (60 m × 40 m, plane-strain
quads, Rayleigh damping) in meshes of 234, 1240, 5002 and 20000 free degrees of
freedom: Gui-λ with λ = 3, one banded solution and one sparse product, on one core.
step_us is the least disturbed of many repeats, median_us their median, make_ms what
assembly and factorisation take once.`,
		Example: `  rths benchmark scale
  rths benchmark scale --out cost`,
	}
	c.Flags().IntVar(&s.MaxDOF, "max-dof", 20000, "leave out larger meshes")
	c.Flags().StringVarP(&dir, "out", "o", "", "folder for the plot scale.png and scale.svg")
	return &suite{
		command: c,
		run: func(cmd *cobra.Command) (*papers.Suite, error) {
			out, err := s.Run(cmd.Context())
			if err != nil || dir == "" {
				return out, err
			}
			files, err := drawScale(dir, out)
			for _, name := range files {
				fmt.Fprintln(cmd.ErrOrStderr(), name)
			}
			return out, err
		},
		print: printScale,
	}
}

func printScale(out io.Writer, s *papers.Suite) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "elements\tdof\thalf_bandwidth\tstep_us\tmedian_us\tmax_rate_hz\tmake_ms\t")
	for _, r := range s.Rows {
		fmt.Fprintf(t, "%d × %d\t%d\t%d\t%.1f\t%.1f\t%.0f\t%.0f\t\n", r.Get("elements_x"), r.Get("elements_y"), r.Get("dof"), r.Get("half_bandwidth"),
			r.Float("step_us"), r.Float("median_us"), r.Float("max_rate_hz"), r.Float("make_ms"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\nZhu et al. 2014 ran %d degrees of freedom with a main step of %.0f µs, on a computer of its own;\na controller at %g Hz leaves %.0f µs.\n",
		papers.ScalePublished, papers.ScalePublishedUs, papers.ScaleRateHz, 1e6/papers.ScaleRateHz)
	return err
}

// drawScale draws the cost over the degrees of freedom.
func drawScale(dir string, s *papers.Suite) ([]string, error) {
	var dof, us []float64
	for _, r := range s.Rows {
		dof, us = append(dof, float64(r.Get("dof").(int))), append(us, r.Float("step_us"))
	}
	ends, limit := []float64{dof[0], dof[len(dof)-1]}, 1e6/papers.ScaleRateHz
	f := report.LogLog{
		Name: "scale", Title: "Cost of a step of an FE foundation, one core", XLabel: "free degrees of freedom", YLabel: "time of a step, µs",
		Curves: []report.LogLogCurve{
			{Name: "banded solution and product", X: dof, Y: us},
			{Name: fmt.Sprintf("step at %g Hz", papers.ScaleRateHz), X: ends, Y: []float64{limit, limit}, Dashed: true},
			{Name: "main step of Zhu et al. 2014", X: []float64{papers.ScalePublished}, Y: []float64{papers.ScalePublishedUs}},
		},
	}
	return f.Draw(dir)
}
