package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rths"
	"rths/lab/realtime"
	"rths/lab/rig/udp"
	"rths/lab/rig/wire"
	"rths/result/record"
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
(docs/virtual-laboratory.md). One loop at a time has the rig; every session begins
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
	c.Flags().StringVar(&f.listen, "listen", "", "address to listen at, host:port (default rig.address of the scenario, else 127.0.0.1:7400)")
	c.Flags().StringVar(&f.clock, "clock", "", "who makes the ticks: lockstep or rig (default rig.clock of the scenario, else lockstep)")
	c.Flags().Float64SliceVar(&f.at, "at", nil, "where the actuators stand when a session begins, m, as in 0.003 or 0.003,0 (default at zero)")
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
	sessions := []servedSession{}
	server, lab, err := newServer(s, f.listen, f.at, scenario.Options{RecordsDir: f.records}, say, func(of udp.Session) {
		sessions = append(sessions, served(of))
		say(sessions[len(sessions)-1].String())
	})
	if err != nil {
		return err
	}
	f.keep() // Ctrl-C is the end that this command has
	i := lab.Info()
	fmt.Fprintf(cmd.ErrOrStderr(), "%s: virtual laboratory at %s, %g Hz, clock %s, watchdog %g ms, %s; Ctrl-C ends it\n", lab.Name, server.Address(), i.RateHz, i.Clock, lab.Scenario.Rig.Params.WatchdogMs, keyed())
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

// newServer serves the laboratory of a scenario; every session gets a rig with a new specimen, which stands at a place.
func newServer(s *scenario.Scenario, listen string, at []float64, o scenario.Options, notice func(string), report func(udp.Session)) (*udp.Server, *scenario.Laboratory, error) {
	lab, err := s.Laboratory(o)
	if err != nil {
		return nil, nil, err
	}
	if at != nil && len(at) != lab.Axes {
		return nil, nil, fmt.Errorf("--at: %d places: want %d, one for each actuator", len(at), lab.Axes)
	}
	if at != nil && lab.Faults != nil {
		return nil, nil, s.At("faults", errors.New("beside --at: their times would count from the moment at which the rig is brought there: leave one of them out"))
	}
	limits := lab.OwnLimits()
	limits.Start = at
	fresh := func() (rths.Rig, error) {
		l, err := s.Laboratory(o)
		if err == nil && at != nil {
			err = l.Stand(at)
		}
		if err != nil {
			return nil, err
		}
		return l.Rig, nil
	}
	server, err := udp.NewServer(listen, udp.Laboratory{Info: lab.Info(), Guard: limits, Network: lab.Network, Make: fresh, Notice: notice}, report)
	return server, lab, err
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
	Name     string          `json:"name"`
	Address  string          `json:"address"`
	Clock    string          `json:"clock"`
	Sessions []servedSession `json:"sessions"`
}

// servedSession is a session in that document.
type servedSession struct {
	Loop     string      `json:"loop"`
	Program  string      `json:"program"`
	End      string      `json:"end"`
	Status   string      `json:"status"`
	Commands sideCounts  `json:"commands"`
	Readings sideCounts  `json:"readings"`
	Counts   wire.Counts `json:"counts"`
	At       []float64   `json:"at_m"`
	Limits   []string    `json:"limits"`
}

// sideCounts are what faults of the network did to one direction.
type sideCounts struct {
	Lost    uint64 `json:"lost"`
	Doubled uint64 `json:"doubled"`
}

func served(s udp.Session) servedSession {
	out := servedSession{
		Loop: s.Loop.String(), Program: s.Program, End: s.End, Status: s.Status.String(), Counts: s.Counts, At: s.At, Limits: []string{},
		Commands: sideCounts{s.Lost[0], s.Doubled[0]}, Readings: sideCounts{s.Lost[1], s.Doubled[1]},
	}
	for _, e := range s.Events {
		out.Limits = append(out.Limits, fmt.Sprintf("%s is %.5g, limit %.5g: %s", e.Channel, e.Value, e.Limit, e.Action))
	}
	return out
}

// String is the session in words: how it ended, what was sent, and what the rig's limits did.
func (s *servedSession) String() string {
	c := &s.Counts
	var out strings.Builder
	fmt.Fprintf(&out, "session of %s (%s) has ended (%s), when the rig was %s: %d datagrams sent, %d received, of them %d repeated, %d old, %d bad", s.Loop, s.Program, s.End, s.Status, c.Sent, c.Received, c.Repeated, c.Old, c.Bad)
	if c.Clipped > 0 {
		fmt.Fprintf(&out, "; %d commands clipped", c.Clipped)
	}
	if n, m := s.Commands.Lost+s.Readings.Lost, s.Commands.Doubled+s.Readings.Doubled; n+m > 0 {
		fmt.Fprintf(&out, "; faults of the network took %d commands and %d readings and doubled %d and %d", s.Commands.Lost, s.Readings.Lost, s.Commands.Doubled, s.Readings.Doubled)
	}
	for _, text := range s.Limits {
		fmt.Fprintf(&out, "\n  %s", text)
	}
	return out.String()
}
