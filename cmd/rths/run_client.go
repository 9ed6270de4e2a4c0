package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rths/numerical"
	"rths/record"
	"rths/rig/openfresco"
	"rths/scenario"
	"rths/session"
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

// meet waits for the analysis.
func meet(cmd *cobra.Command, client *openfresco.Server) error {
	fmt.Fprintln(cmd.ErrOrStderr(), client.Invitation())
	err := client.Meet()
	if errors.Is(err, numerical.Left.Err()) {
		return failed{err}
	}
	if cmd.Context().Err() != nil {
		return failed{errors.New("stopped by the user before the analysis came")}
	}
	return err
}

// dismiss answers the analysis with held values until it leaves, or until Ctrl-C.
func (f *runFlags) dismiss(cmd *cobra.Command) {
	client, ctx := f.client, cmd.Context()
	if client == nil || !client.Waits() {
		return
	}
	stderr, ended := cmd.ErrOrStderr(), ctx.Done()
	if ctx.Err() != nil { // one Ctrl-C has ended the run, the next one ends the waiting
		ended = f.takeSecond()
	}
	how := "end it there, or look in its script for the file " + session.StopFile + " in the folder of the run"
	if f.out != "" {
		if err := session.AskToStop(f.out); err != nil {
			fmt.Fprintln(stderr, "warning:", err)
		} else {
			how = "it should end by " + f.out + "/" + session.StopFile
		}
	}
	fmt.Fprintf(stderr, "the run has ended, and the analysis is still there: it gets the last force until it leaves (%s); Ctrl-C ends the waiting\n", how)
	client.Finish(func() bool {
		select {
		case <-ended:
			return true
		default:
			return false
		}
	})
	if client.Waits() {
		fmt.Fprintln(stderr, "warning: the analysis was left: its program may not notice, and run on without end: end it")
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
