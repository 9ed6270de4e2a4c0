package main

import (
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"rths/lab/realtime"
	"rths/lab/rig/udp"
	"rths/result/record"
	"rths/run/session"
	"rths/scenario"
)

// rigFlags are the flags of rig.
type rigFlags struct {
	*app
	source
	listen, clock string
	at            []float64 // where the rig stands when a session begins, m
}

func rigCommand(a *app) *cobra.Command {
	f := &rigFlags{app: a}
	c := &cobra.Command{
		Use:   "rig SCENARIO",
		Short: "Serve the rig of a scenario as a virtual laboratory",
		Long: `Simulates transfer system, specimen and sensors of a scenario, and serves them by
datagrams to a loop in another process, as a laboratory's controller would
(docs/guides/virtual-laboratory.md). One loop at a time has the rig; every session begins
with a new specimen. The rig has limits of its own, and a watchdog: without
commands for rig.watchdog_ms it ramps to safety. Where it may, it runs with a fixed
priority, and not on the processor of a loop. Ctrl-C ends the command.

Beyond loopback both sides need the same key in RTHS_RIG_KEY.`,
		Example: `  rths rig scenarios/benchmark-siso.yaml
  rths rig scenarios/benchmark-siso.yaml --listen 127.0.0.1:7500 --clock rig`,
		Args: wantScenario,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := f.load(args[0])
			if err != nil {
				return err
			}
			return f.serve(cmd, s)
		},
	}
	f.source.addTo(c)
	c.Flags().StringVar(&f.listen, "listen", "",
		"address to listen at, host:port (default rig.address of the scenario, else 127.0.0.1:7400)")
	c.Flags().StringVar(&f.clock, "clock", "",
		"who makes the ticks: lockstep or rig (default rig.clock of the scenario, else lockstep)")
	c.Flags().Float64SliceVar(&f.at, "at", nil,
		"where the actuators stand when a session begins, m, as in 0.003 or 0.003,0 (default at zero)")
	return c
}

func (f *rigFlags) serve(cmd *cobra.Command, s *scenario.Scenario) error {
	s, err := s.WithRig(f.clock)
	if err != nil {
		return err
	}
	if f.listen == "" {
		f.listen = s.Rig.Params.Address
	}
	if _, err := s.Build(cmd.Context(), scenario.Options{RecordsDir: f.records}); err != nil { // what no loop could run
		return err
	}
	say := func(text string) { fmt.Fprintln(cmd.ErrOrStderr(), time.Now().Format(time.TimeOnly), text) }
	sessions := []udp.SessionReport{}
	o := scenario.Options{RecordsDir: f.records}
	server, lab, err := session.NewServer(s, f.listen, f.at, o, say, func(of udp.Session) {
		one := of.Report()
		sessions = append(sessions, one)
		say(one.String())
	})
	if err != nil {
		return err
	}
	f.keep() // Ctrl-C is the end that this command has
	i := lab.Info()
	fmt.Fprintf(cmd.ErrOrStderr(), "%s: virtual laboratory at %s, %g Hz, clock %s, watchdog %g ms, %s; Ctrl-C ends it\n",
		lab.Name, server.Address(), i.RateHz, i.Clock, lab.Scenario.Rig.Params.WatchdogMs, keyed())
	if n, m := len(s.Faults), len(s.Rig.Params.Network); n+m > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "faults of its readings and commands: %d, of its network: %d\n", n, m)
	}
	runtime.LockOSThread() // to the end of the program
	_ = realtime.Beside(realtime.DefaultCPU())
	if err := server.Serve(cmd.Context()); err != nil {
		return failed{err}
	}
	if f.json {
		return record.WriteJSON(cmd.OutOrStdout(), servedAll{lab.Name, server.Address().String(), i.Clock.String(), sessions})
	}
	return nil
}

// keyed says whether datagrams want a key.
func keyed() string {
	if os.Getenv(udp.KeyVariable) == "" {
		return "no key"
	}
	return "with the key of " + udp.KeyVariable
}

// servedAll is the document of rig --json.
type servedAll struct {
	Name     string              `json:"name"`
	Address  string              `json:"address"`
	Clock    string              `json:"clock"`
	Sessions []udp.SessionReport `json:"sessions"`
}
