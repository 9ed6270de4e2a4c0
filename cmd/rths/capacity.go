package main

import (
	"io"

	"github.com/spf13/cobra"

	"rths/campaign/analyse"
	"rths/campaign/picture"
	"rths/scenario"
)

// capacityFlags are the flags of capacity.
type capacityFlags struct {
	*app
	source
	out string
}

func capacityCommand(a *app) *cobra.Command {
	f := &capacityFlags{app: a}
	c := &cobra.Command{
		Use:   "capacity SCENARIO",
		Short: "Ask whether an actuator can follow a test",
		Long: `Compares the motion of a test with what pump, valve and cylinder can do, and says whether
they can, how much is in hand and what ends first. The scenario wants a transfer system of
kind servo-hydraulic-nonlinear, or one of its sizes, with the numbers of the data sheet.

The test runs with a perfect actuator, for motion and force at the interface, and with its
own actuator, for the valve. Limits are the stroke, the speed v₀ √(1 − F/(A P_s)) under the
load with moving mass and seals at the pressure that pump and accumulator leave, the oil of
the accumulator, and the valve, which must not open fully. The margin is the largest factor
on the motion at which all hold, as at 1/1.05 of it, less 1. Where the test does not fit,
capacity finds the amplitude and the time scale at which it does, all by runs. --out draws
force and speed in the envelope, and flow and pressure over time. Of several
actuators each has its own limits, and those of one supply its oil together.

A shake table has its payload as specimen. payload_height_m and overturning_n_m of the
transfer system add the overturning moment, and --out draws the limits of sine motions with
the response spectrum of the target.`,
		Example: `  rths capacity scenarios/hydraulic-column.yaml
  rths capacity scenarios/hydraulic-column.yaml --set amplitude=2 --out pictures`,
		Args: wantScenario,
		RunE: func(cmd *cobra.Command, args []string) error { return f.capacity(cmd, args[0]) },
	}
	f.addTo(c)
	c.Flags().StringVarP(&f.out, "out", "o", "",
		"folder for capacity.png and capacity.svg, and of a shake table capacity-performance.png and .svg")
	return c
}

func (f *capacityFlags) capacity(cmd *cobra.Command, path string) error {
	s, err := f.load(path)
	if err != nil {
		return err
	}
	printDoubts(cmd.ErrOrStderr(), s)
	c, err := analyse.CapacityOf(cmd.Context(), s, scenario.Options{RecordsDir: f.records})
	if err != nil {
		return err
	}
	files := []string{}
	if f.out != "" {
		if files, err = picture.Capacity(f.out, s.Name, c); err != nil {
			return err
		}
	}
	document := map[string]any{"scenario": path, "answer": c.Sentence(), "capacity": c,
		"warnings": append([]string{}, c.Doubts()...), "files": files}
	return f.show(cmd.OutOrStdout(), document, func(out io.Writer) {
		c.Print(out)
		out.Write([]byte(lines(files)))
	})
}
