package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"rths/docs"
	"rths/run/page"
	"rths/workbench"
	"rths/workbench/compare"
	"rths/workbench/decide"
	"rths/workbench/front"
)

func uiCommand(a *app) *cobra.Command {
	var listen string
	c := &cobra.Command{
		Use:   "ui [FOLDER]",
		Short: "Describe, try and understand tests in the browser",
		Long: `Serves the workbench of a folder of scenarios (default: this one), opens it in the browser
and waits for Ctrl-C. An editor completes and explains every key and says what lint says; each
change of a number runs the test anew and draws it. Runs of the folder are compared, studies are
made and go on when the page is closed. The page writes the same files as an editor
would, and names the command that does the same. It never arms a rig: rths test does.`,
		Example: `  rths ui
  rths ui scenarios
  rths ui --listen 0.0.0.0:7490`,
		Args: wantAtMostOne("a folder of scenarios"),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder := "."
			if len(args) == 1 {
				folder = args[0]
			}
			return a.serveWorkbench(cmd, folder, listen)
		},
	}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:7490",
		"address to listen at; always with a token, beyond this computer with TLS")
	return c
}

// serveWorkbench serves the workbench until the command is stopped.
func (a *app) serveWorkbench(cmd *cobra.Command, folder, listen string) error {
	if info, err := os.Stat(folder); err == nil && !info.IsDir() {
		return fmt.Errorf("ui: %s is a file: want the folder that it lies in", folder)
	}
	desk, err := workbench.Open(folder, a.records, version())
	if err != nil {
		return err
	}
	defer desk.Close()
	runs, err := compare.Open(folder)
	if err != nil {
		return err
	}
	defer runs.Close()
	desk.Add(runs.Calls())
	studies, err := decide.New(desk)
	if err != nil {
		return err
	}
	defer a.keep()()      // Ctrl-C waits until the rows of studies are kept
	defer studies.Close() // before
	desk.Add(studies.Calls())
	site, err := docs.Site("../")
	if err != nil {
		return err
	}
	w, err := page.ListenWorkbench(listen, desk, front.Files(), site)
	if err != nil {
		return err
	}
	defer w.Close()
	err = a.show(cmd.OutOrStdout(), map[string]string{"address": w.URL(), "fingerprint": w.Fingerprint()},
		func(out io.Writer) {
			fmt.Fprintf(out, "%s (Ctrl-C ends it)\n", w.URL())
			if print := w.Fingerprint(); print != "" {
				fmt.Fprintln(out, "SHA-256 fingerprint of its certificate", print)
			}
		})
	if err != nil {
		return err
	}
	browse(cmd.ErrOrStderr(), w.URL())
	<-cmd.Context().Done()
	return nil
}
