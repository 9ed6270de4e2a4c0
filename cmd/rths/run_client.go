package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"rths/lab/numerical"
	"rths/lab/rig/openfresco"
	"rths/result/record"
	"rths/run/session"
	"rths/scenario"
)

// listenFor listens for the analysis of an external structure; nil: the scenario has none. The goroutine keeps its thread
// from here on: its socket calls block.
func listenFor(cmd *cobra.Command, s *scenario.Scenario) (*openfresco.Server, error) {
	if s.External() == nil {
		return nil, nil
	}
	runtime.LockOSThread()
	say := func(text string) { fmt.Fprintln(cmd.ErrOrStderr(), text) }
	return session.ListenFor(s, func() bool { return cmd.Context().Err() != nil }, say)
}

// awaitClient waits for the analysis.
func awaitClient(cmd *cobra.Command, client *openfresco.Server) error {
	fmt.Fprintln(cmd.ErrOrStderr(), client.Invitation())
	err := client.AwaitClient()
	if errors.Is(err, numerical.Left.Err()) {
		return failed{err}
	}
	if cmd.Context().Err() != nil {
		return failed{errors.New("stopped by the user before the analysis came")}
	}
	return err
}

// lastWord is how long a run that was stopped answers an analysis that may look for the file of AskToStop.
const lastWord = 500 * time.Millisecond

// dismiss answers the analysis with held values until it leaves; after Ctrl-C, for a last word at most.
func (f *runFlags) dismiss(cmd *cobra.Command) {
	client, ctx := f.client, cmd.Context()
	if client == nil || !client.Waits() {
		return
	}
	stderr := cmd.ErrOrStderr()
	how := "end it there, or look in its script for the file " + session.StopFile + " in the folder of the run"
	if f.out != "" {
		if err := session.AskToStop(f.out); err != nil {
			fmt.Fprintln(stderr, "warning:", err)
		} else {
			how = "it should end by " + f.out + "/" + session.StopFile
		}
	}
	if ctx.Err() == nil {
		fmt.Fprintf(stderr, "the run has ended, and the analysis is still there: it gets the last force until it leaves (%s); Ctrl-C ends the waiting\n", how)
	}
	var stopped time.Time
	client.Finish(func() bool {
		if stopped.IsZero() && ctx.Err() != nil {
			stopped = time.Now()
		}
		return !stopped.IsZero() && time.Since(stopped) > lastWord
	})
	if client.Waits() {
		fmt.Fprintf(stderr, "warning: the analysis was left: its program may not notice, and run on without end: %s\n", how)
	}
}

// printClient says which analysis in another program gave the targets of a run.
func printClient(out io.Writer, m *record.Manifest) {
	lines := m.Analysis()
	if len(lines) == 0 {
		return
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, l := range lines {
		fmt.Fprintf(t, "%s\t%s\n", strings.ToLower(l.Name), l.Text)
	}
	t.Flush()
	fmt.Fprintln(out)
}
