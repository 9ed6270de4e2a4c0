package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"rths/result/catalogue"
	"rths/result/record"
	"rths/result/report"
)

func openCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "open RUN",
		Short: "Open the report of a run in the browser",
		Long: `Opens report.html of a run with the program in $BROWSER, or else with xdg-open, and
prints its path. Without a display it prints the path alone. A run without a report gets
one, as by rths report. RUN is as for rths runs show.`,
		Example: `  rths runs open runs/demo-20261102
  rths runs open demo`,
		Args:              want(1, "one run: its folder, or a name that rths runs lists"),
		ValidArgsFunction: runNames(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := catalogue.Find(args[0])
			if err != nil {
				return fmt.Errorf("runs open: %w", err)
			}
			page, err := reportOf(&r)
			if err != nil {
				return fmt.Errorf("runs open: %w", err)
			}
			whole, err := filepath.Abs(page)
			if err != nil {
				return fmt.Errorf("runs open: %w", err)
			}
			opened := browse(cmd.ErrOrStderr(), whole)
			if a.json {
				return record.WriteJSON(cmd.OutOrStdout(), map[string]any{"file": page, "opened": opened})
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), page)
			return err
		},
	}
}

// reportOf is the path of the report of a run, which is made if it is missing.
func reportOf(r *catalogue.Item) (string, error) {
	if r.Gone {
		return "", fmt.Errorf("the folder %s is gone: rths runs show says what the catalogue knows of it", r.Path())
	}
	page := filepath.Join(r.Path(), report.File)
	if _, err := os.Stat(page); err == nil {
		return page, nil
	}
	if r.Kind != catalogue.Run {
		return "", fmt.Errorf("%s has no %s: only that of a run is made here", r.Path(), report.File)
	}
	archive, err := record.Open(r.Path())
	if err != nil {
		return "", err
	}
	return page, report.WritePage(page, report.WithRehearsal(archive))
}

// browse starts a browser with a file, by its whole path, or an address, and does not wait for it; opened is false
// where there is none, or no display for it.
func browse(stderr io.Writer, page string) (opened bool) {
	command := strings.Fields(os.Getenv("BROWSER"))
	if len(command) == 0 {
		command = opener(runtime.GOOS)
	}
	if len(command) == 0 {
		return false
	}
	c := exec.Command(command[0], append(command[1:], page)...)
	if err := c.Start(); err != nil {
		fmt.Fprintf(stderr, "note: %v: want a browser in $BROWSER, or xdg-open\n", err)
		return false
	}
	c.Process.Release() // the browser lives longer than this program
	return true
}

// opener is the command of a system that opens a page in its browser, or nil: there is no display. The one of Windows
// takes the page as one word, whatever characters are in it, which start of cmd does not.
func opener(system string) []string {
	switch {
	case system == "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}
	case system == "darwin":
		return []string{"open"}
	case os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "":
		return nil
	}
	return []string{"xdg-open"}
}
