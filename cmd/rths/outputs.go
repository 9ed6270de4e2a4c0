package main

import (
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"rths/result/record"
	"rths/result/report"
)

// outputs are what a run leaves: its folder, and files on request.
type outputs struct {
	out     string
	csv     bool
	parquet bool
	mat     bool
	hdf5    bool
	tdms    bool
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
	c.Flags().BoolVar(&f.hdf5, "hdf5", false, "write frames.h5 too, for h5read, h5py and others")
	c.Flags().BoolVar(&f.tdms, "tdms", false, "write frames.tdms too, for LabVIEW and DIAdem")
	c.Flags().BoolVar(&f.report, "report", false, "write report.html too")
}

// addExtras writes the files on request and lists all files.
func (f *outputs) addExtras(m *record.Manifest) { report.AddFiles(m, f.out, f.extras()) }

func (f *outputs) extras() []string {
	var out []string
	for _, e := range []struct {
		name string
		want bool
	}{{record.CSVFile, f.csv}, {record.ParquetFile, f.parquet}, {record.MATFile, f.mat}, {record.HDF5File, f.hdf5},
		{record.TDMSFile, f.tdms}, {report.File, f.report}} {
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
