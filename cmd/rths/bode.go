package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"rths/campaign/analyse"
	"rths/campaign/picture"
	"rths/result/record"
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
		Short: "Draw magnitude, phase and delay over frequency",
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
	c.Flags().Float64SliceVar(&f.window, "window", nil,
		"window T1,T2 of the run, s (default the second half of the strong motion)")
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
	hz, err := analyse.Frequencies(f.from, f.to, f.points, rate)
	if err != nil {
		return err
	}
	systems, err := f.Systems(s)
	if err != nil {
		return err
	}
	var notes []string
	if f.Run != nil {
		notes = append(notes, f.Averaged())
	}
	if f.out != "" {
		files, err := picture.Bode(f.out, s.Name, systems, hz)
		if err != nil {
			return err
		}
		notes = append(notes, files...)
	}
	if f.json {
		fmt.Fprint(cmd.ErrOrStderr(), lines(notes))
		rows, err := analyse.BodeRows(systems, hz)
		if err != nil {
			return err
		}
		return record.WriteJSON(cmd.OutOrStdout(), struct {
			Name string       `json:"name"`
			Rows []record.Row `json:"rows"`
		}{s.Name, rows})
	}
	if err := analyse.PrintBode(cmd.OutOrStdout(), s.Name, systems, hz); err != nil {
		return err
	}
	fmt.Fprint(cmd.OutOrStdout(), lines(notes))
	return nil
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
