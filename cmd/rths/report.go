package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"gonum.org/v1/plot/vg"

	"rths"
	"rths/campaign/study"
	"rths/result/catalogue"
	"rths/result/record"
	"rths/result/report"
	"rths/scenario/files"
)

// reportFlags are the flags of report.
type reportFlags struct {
	*app
	out, plots, figure, width, table string
}

func reportCommand(a *app) *cobra.Command {
	f := &reportFlags{app: a}
	c := &cobra.Command{
		Use:   "report RUN...",
		Short: "Make a page of one run, or of several side by side",
		Long: `Reads the folders of runs and writes one page: how good the run is, in a
sentence, plots with zoom, criteria, scenario. With --plots png or svg each plot is written as a
file too. A test in the laboratory is drawn beside its rehearsal, if its folder is there.

--figure writes one figure for a paper in place of the page, as wide as --width, without a
title; the ending of --out chooses PDF, SVG or PNG. Several names, with commas, become parts of one
figure. An unknown name lists the names.

--table prints the criteria of the runs, a column for each, as LaTeX (package booktabs) or CSV.
Any ending of --out other than .html, or the table's, is refused.`,
		Example: `  rths report runs/demo
  rths report runs/pi runs/amb -o comparison.html
  rths report runs/amb --plots png
  rths report runs/amb --figure tracking --width 90mm -o tracking.pdf
  rths report runs/slow runs/fast --figure a0,a1,sw -o adaptation.svg
  rths report runs/pi runs/amb --table tex`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("report: found no arguments: want one or more folders of runs")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.report(cmd.OutOrStdout(), args) },
	}
	c.Flags().StringVarP(&f.out, "out", "o", "",
		"file of the page, the figure or the table (default report.html in the run's folder, comparison.html, NAME.pdf, "+
			"standard output)")
	c.Flags().StringVar(&f.plots, "plots", "", "write each plot as a file too: png or svg, in the run's folder")
	c.Flags().StringVar(&f.figure, "figure", "", "write one figure for a paper: tracking, error, force-displacement, …")
	c.Flags().StringVar(&f.width, "width", "", "width of --figure, as 90mm, 9cm or 3.5in (default 90mm)")
	c.Flags().StringVar(&f.table, "table", "", "print the criteria: tex or csv")
	return c
}

func (f *reportFlags) report(out io.Writer, dirs []string) error {
	width, err := f.check()
	if err != nil {
		return err
	}
	archives, err := openAll(dirs)
	if err != nil {
		return err
	}
	var written []string
	switch {
	case f.table != "" && f.out == "":
		return report.WriteTable(out, f.table, archives)
	case f.table != "":
		written = []string{f.out}
		err = files.Write(f.out, func(w io.Writer) error { return report.WriteTable(w, f.table, archives) })
	case f.figure != "":
		path := cmp.Or(f.out, f.figure+".pdf")
		written, err = []string{path}, report.Figure(path, f.figure, width, archives)
	default:
		written, err = f.page(dirs, archives)
	}
	if err != nil {
		return err
	}
	return f.print(out, failures(archives), written)
}

// check refuses values of flags that have no meaning.
func (f *reportFlags) check() (vg.Length, error) {
	if f.plots != "" && f.plots != "png" && f.plots != "svg" {
		return 0, fmt.Errorf("report: --plots %s: want png or svg", f.plots)
	}
	if f.table != "" && !slices.Contains(report.TableFormats, f.table) {
		return 0, fmt.Errorf("report: --table %s: want tex or csv", f.table)
	}
	switch {
	case f.plots != "" && f.figure != "", f.figure != "" && f.table != "", f.table != "" && f.plots != "":
		return 0, errors.New("report: found two of --plots, --figure and --table: want one")
	case f.width != "" && f.figure == "":
		return 0, errors.New("report: found --width without --figure: want the name of a figure")
	case f.json && f.table != "" && f.out == "":
		return 0, errors.New("report: found --json and --table: want --out FILE for the table")
	}
	if f.figure == "" { // report.Figure looks at a figure's ending
		if err := report.WantEnding(f.out, f.table); err != nil {
			return 0, err
		}
	}
	width, err := report.ParseWidth(cmp.Or(f.width, "90mm"))
	if err != nil {
		return 0, fmt.Errorf("report: --%w", err)
	}
	return width, nil
}

// page writes the page and the plots, and returns their paths.
func (f *reportFlags) page(dirs []string, archives []*record.Archive) ([]string, error) {
	page := cmp.Or(f.out, filepath.Join(dirs[0], report.File))
	if f.out == "" && len(dirs) > 1 {
		page = "comparison.html"
	}
	drawn := archives
	if len(archives) == 1 {
		drawn = report.WithRehearsal(archives[0])
	}
	if err := report.WritePage(page, drawn); err != nil {
		return nil, err
	}
	written := []string{page}
	for i, archive := range archives {
		if f.plots == "" {
			break
		}
		more, err := report.Plots(dirs[i], archive, f.plots)
		if err != nil {
			return nil, err
		}
		written = append(written, more...)
	}
	return written, nil
}

func (f *reportFlags) print(out io.Writer, bad []failedRun, written []string) error {
	if f.json {
		return record.WriteJSON(out, reported{bad, written})
	}
	for _, r := range bad {
		fmt.Fprintf(out, "%s: failed: %s\n", r.Run, r.Reason)
	}
	fmt.Fprintln(out, strings.Join(written, "\n"))
	return nil
}

// reported is the document of report --json.
type reported struct {
	Failed []failedRun `json:"failed,omitempty"`
	Files  []string    `json:"files"`
}

type failedRun struct {
	Run    string `json:"run"`
	Reason string `json:"reason"`
}

// failures are the runs whose rig or record has failed. The command prints them first.
func failures(runs []*record.Archive) []failedRun {
	var out []failedRun
	for _, a := range runs {
		if a.Status == rths.Failed {
			out = append(out, failedRun{a.Dir, a.Reason})
		}
	}
	return out
}

func openAll(dirs []string) ([]*record.Archive, error) {
	var out []*record.Archive
	for _, dir := range dirs {
		if _, err := os.Stat(filepath.Join(dir, study.ManifestFile)); err == nil {
			return nil, fmt.Errorf("%s is the folder of a study: its report is %s", dir, filepath.Join(dir, report.File))
		}
		if _, err := os.Stat(filepath.Join(dir, catalogue.AdviceFile)); err == nil {
			return nil, fmt.Errorf("%s is the folder of an advice: its report is %s", dir, filepath.Join(dir, report.File))
		}
		archive, err := record.Open(dir)
		if err != nil {
			return nil, err
		}
		out = append(out, archive)
	}
	return out, nil
}
