package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"rths/model/ground"
	"rths/result/report"
	"rths/scenario/files"
)

// groundFlags are the flags of ground.
type groundFlags struct {
	*app
	unit, channel, column, time, format, out string
	damping, dt                              float64
	skip                                     int
}

func groundCommand(a *app) *cobra.Command {
	f := &groundFlags{app: a}
	c := &cobra.Command{
		Use:   "ground FILE",
		Short: "Measure and draw a ground motion and its spectrum",
		Long: `Reads a ground motion, from a file or a named record of the records folder, and
prints its peaks, Arias intensity, significant durations, cumulative absolute
velocity and response spectrum. With --out the motion and its spectrum are drawn
too, as .png, .svg and .html.

The measures are of the record as it stands; only velocity and displacement are of the
record less a constant acceleration, printed as the baseline. The extension of the file
says the format, or else what it begins with: see rths doc formats.`,
		Example: `  rths ground motion.at2
  rths ground station.v2 --channel 360 --out pictures
  rths ground components.csv --column NS
  rths ground components.csv --column NS,EW,UD
  rths ground elcentro --damping 0.02 --json`,
		Args: want(1, "one file, or the name of a record"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.OutOrStdout(), args[0]) },
	}
	c.Flags().Float64Var(&f.dt, "dt", 0, "time step of a text file with accelerations alone, s")
	c.Flags().StringVar(&f.column, "column", "",
		"column of a text file with several: its title, a word of it, or its position from 1; several with commas")
	c.Flags().StringVar(&f.format, "format", "", "format, as in rths doc formats (default by extension and content)")
	c.Flags().StringVar(&f.time, "time", "", "column of times of a text file: its title, or its position from 1")
	c.Flags().IntVar(&f.skip, "skip", 0, "lines of a text file that are not read, from the first on")
	c.Flags().StringVar(&f.unit, "unit", "", "unit of the file, such as g, gal, m/s2 or cm/s2 (default the file's own)")
	c.Flags().StringVar(&f.channel, "channel", "", "channel, by number or direction, or array, of a file with several")
	c.Flags().Float64Var(&f.damping, "damping", 0.05, "damping ratio of the spectrum, 0 to 1")
	c.Flags().StringVarP(&f.out, "out", "o", "", "folder for the pictures NAME.png, NAME.svg and NAME.html")
	return c
}

// run reads, measures, draws and prints the motion, or those of several columns.
func (f *groundFlags) run(out io.Writer, name string) error {
	columns := strings.Split(f.column, ",")
	motions := make([]report.Ground, len(columns))
	for i, column := range columns {
		m, err := f.read(name, strings.TrimSpace(column))
		if len(columns) > 1 {
			m.Name += "_" + column
		}
		if err == nil {
			motions[i], err = report.NewGround(m, f.damping)
		}
		if err != nil {
			return fmt.Errorf("ground: %w", err)
		}
	}
	documents, left := make([]report.GroundDocument, len(columns)), make([][]string, len(columns))
	for i, g := range motions {
		var err error
		if left[i], err = f.draw(g); err != nil {
			return fmt.Errorf("ground: %w", err)
		}
		documents[i] = g.Document(left[i])
	}
	var document any = documents
	if len(documents) == 1 {
		document = documents[0]
	}
	return f.show(out, document, func(out io.Writer) {
		for i, g := range motions {
			if i > 0 {
				fmt.Fprintln(out)
			}
			g.Print(out)
			io.WriteString(out, lines(left[i]))
		}
	})
}

// read reads a column of the file, or else of the record of that name.
func (f *groundFlags) read(name, column string) (ground.Motion, error) {
	path, at := name, ground.At{Files: files.Disk{}, RecordsDir: f.records}
	if _, err := os.Stat(name); err != nil && name == filepath.Base(name) {
		found, findErr := at.Find(name)
		if findErr != nil {
			return ground.Motion{}, fmt.Errorf("no file %s, and %w", name, findErr)
		}
		path = found
	}
	if f.skip < 0 {
		return ground.Motion{}, fmt.Errorf("--skip %d: want 0 or more lines", f.skip)
	}
	m, err := at.Read(path,
		ground.Want{Format: f.format, Part: f.channel, Column: column, Time: f.time, Skip: f.skip, Unit: f.unit, Dt: f.dt})
	if k := (*ground.KeyError)(nil); errors.As(err, &k) {
		k.Key = map[string]string{"unit": "--unit", "dt_s": "--dt", "column": "--column", "time": "--time",
			"format": "--format", "skip": "--skip", "variable": "--channel",
			"channel": "--channel"}[k.Key]
	}
	return m, err
}

// draw writes the pictures that were asked for.
func (f *groundFlags) draw(g report.Ground) ([]string, error) {
	if f.out == "" {
		return nil, nil
	}
	if err := os.MkdirAll(f.out, 0o755); err != nil {
		return nil, err
	}
	base := filepath.Join(f.out, g.Motion.Name)
	paths := []string{base + ".png", base + ".svg", base + ".html"}
	for _, path := range paths[:2] {
		if err := g.Plot(path); err != nil {
			return nil, err
		}
	}
	return paths, files.Write(paths[2], g.Page)
}
