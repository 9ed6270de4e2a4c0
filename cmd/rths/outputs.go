package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"rths"
	"rths/result/record"
	"rths/result/report"
)

// outputs are what a run leaves: its folder, and files on request.
type outputs struct {
	out     string
	csv     bool
	parquet bool
	mat     bool
	report  bool
}

func (f *outputs) addTo(c *cobra.Command) {
	c.Flags().StringVarP(&f.out, "out", "o", "", "folder for the record (default runs/NAME-TIME)")
	f.addExtraFlags(c)
}

// addExtraFlags adds the flags of files on request.
func (f *outputs) addExtraFlags(c *cobra.Command) {
	c.Flags().BoolVar(&f.csv, "csv", false, "write frames.csv too")
	c.Flags().BoolVar(&f.parquet, "parquet", false, "write frames.parquet too")
	c.Flags().BoolVar(&f.mat, "mat", false, "write frames.mat for MATLAB and Octave too")
	c.Flags().BoolVar(&f.report, "report", false, "write report.html too")
}

// addExtras writes the files on request (CSV, Parquet, MAT, report) and lists all files. If
// this fails, the record is unharmed, and the command fails.
func (f *outputs) addExtras(m *record.Manifest) {
	extras := f.extras()
	if m.RowsKept == nil && len(extras) > 0 {
		if err := f.writeExtras(extras); err != nil {
			m.Status, m.Reason = rths.Failed, strings.TrimPrefix(m.Reason+"; "+err.Error(), "; ")
		}
	}
	m.Files = nil
	for _, name := range append([]string{record.ManifestFile, record.FramesFile, record.AroundFile}, extras...) {
		if _, err := os.Stat(filepath.Join(f.out, name)); err == nil {
			m.Files = append(m.Files, name)
		}
	}
}

func (f *outputs) writeExtras(names []string) error {
	archive, err := record.Open(f.out)
	if err != nil {
		return err
	}
	for _, name := range names {
		if name == report.File {
			err = report.WritePage(filepath.Join(f.out, name), report.WithRehearsal(archive))
		} else {
			err = archive.Export(name)
		}
		if err != nil {
			return fmt.Errorf("%s was not written: %w", name, err)
		}
	}
	return nil
}

func (f *outputs) extras() []string {
	var out []string
	for _, e := range []struct {
		name string
		want bool
	}{{record.CSVFile, f.csv}, {record.ParquetFile, f.parquet}, {record.MATFile, f.mat}, {report.File, f.report}} {
		if e.want {
			out = append(out, e.name)
		}
	}
	return out
}

// print prints what a run has come to, and the paths of its files.
func (f *outputs) print(out io.Writer, asJSON bool, m *record.Manifest) error {
	var paths []string
	for _, name := range m.Files {
		paths = append(paths, filepath.Join(f.out, name))
	}
	if asJSON {
		return record.WriteJSON(out, m.Result(paths))
	}
	m.Print(out)
	_, err := io.WriteString(out, lines(paths))
	return err
}
