package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rths/model/ground"
	"rths/result/record"
	"rths/result/report"
	"rths/scenario/files"
)

// groundFlags are the flags of ground.
type groundFlags struct {
	*app
	unit, channel, column, out string
	damping, dt                float64
}

func groundCommand(a *app) *cobra.Command {
	f := &groundFlags{app: a}
	c := &cobra.Command{
		Use:   "ground FILE",
		Short: "Measure and draw a ground motion, with its response spectrum",
		Long: `Reads a ground motion, from a file or a named record of the records folder, and
prints its peaks, Arias intensity, significant durations, cumulative absolute
velocity and response spectrum. With --out the motion and its spectrum are drawn
too, as .png, .svg and .html.

The measures are of the record as it stands; only velocity and displacement are of the
record less a constant acceleration, printed as the baseline. The extension of the file
says the format: see rths list formats.`,
		Example: `  rths ground motion.at2
  rths ground station.v2 --channel 360 --out pictures
  rths ground components.csv --column NS
  rths ground elcentro --damping 0.02 --json`,
		Args: want(1, "one file, or the name of a record"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.OutOrStdout(), args[0]) },
	}
	c.Flags().Float64Var(&f.dt, "dt", 0, "time step of a text file with accelerations alone, s")
	c.Flags().StringVar(&f.column, "column", "", "column of a text file with several: its title, a word of it, or its position from 1")
	c.Flags().StringVar(&f.unit, "unit", "", "unit of the file, such as g, gal, m/s2 or cm/s2 (default the file's own)")
	c.Flags().StringVar(&f.channel, "channel", "", "channel, by number or direction, or array, of a file with several")
	c.Flags().Float64Var(&f.damping, "damping", 0.05, "damping ratio of the spectrum, 0 to 1")
	c.Flags().StringVarP(&f.out, "out", "o", "", "folder for the pictures NAME.png, NAME.svg and NAME.html")
	return c
}

// run reads, measures, draws and prints.
func (f *groundFlags) run(out io.Writer, name string) error {
	m, err := f.read(name)
	if err != nil {
		return fmt.Errorf("ground: %w", err)
	}
	g, err := report.NewGround(m, f.damping)
	if err != nil {
		return fmt.Errorf("ground: %w", err)
	}
	files, err := f.draw(g)
	if err != nil {
		return fmt.Errorf("ground: %w", err)
	}
	if f.json {
		return record.WriteJSON(out, newGroundJSON(g, files))
	}
	fmt.Fprintln(out, strings.Join(nonEmpty(g.Motion.Name, g.Where()), ": "))
	fmt.Fprintln(out, g.Sampling())
	for _, note := range g.Motion.Notes {
		fmt.Fprintln(out, "note:", note)
	}
	fmt.Fprintln(out)
	printMeasures(out, g)
	printSpectrum(out, g)
	for _, file := range files {
		fmt.Fprintln(out, file)
	}
	return nil
}

// read reads the file, or else the record of that name.
func (f *groundFlags) read(name string) (ground.Motion, error) {
	path, at := name, ground.At{Files: files.Disk{}, RecordsDir: f.records}
	if _, err := os.Stat(name); err != nil && name == filepath.Base(name) {
		found, findErr := at.Find(name)
		if findErr != nil {
			return ground.Motion{}, fmt.Errorf("no file %s, and %w", name, findErr)
		}
		path = found
	}
	m, err := at.Read(path, ground.Want{Part: f.channel, Column: f.column, Unit: f.unit, Dt: f.dt})
	if k := (*ground.KeyError)(nil); errors.As(err, &k) {
		k.Key = map[string]string{"unit": "--unit", "dt_s": "--dt", "column": "--column", "variable": "--channel", "channel": "--channel"}[k.Key]
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

func nonEmpty(texts ...string) []string {
	var out []string
	for _, s := range texts {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

// printMeasures prints the measures with five digits: they differ by powers of ten.
func printMeasures(out io.Writer, g report.Ground) {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, v := range g.Values() {
		fmt.Fprintf(t, "%s\t%.5g\t%s\n", v.Name, v.V, v.Doc)
	}
	t.Flush()
	fmt.Fprintln(out)
}

// printSpectrum prints a few of the periods.
func printSpectrum(out io.Writer, g report.Ground) {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "period_s\tsd_m\tpsv_m_s\tpsa_m_s2\t\n")
	for i := 100; i < len(g.Spectrum); i += 50 { // 0.1 s to 10 s
		p := g.Spectrum[i]
		fmt.Fprintf(t, "%.3g\t%.4g\t%.4g\t%.4g\t\n", p.Period, p.Sd, p.PSV, p.PSA)
	}
	t.Flush()
}

// groundJSON is the document of ground --json.
type groundJSON struct {
	Name        string         `json:"name"`
	Station     string         `json:"station"`
	Component   string         `json:"component"`
	Event       string         `json:"event"`
	Dt          float64        `json:"dt_s"`
	Samples     int            `json:"samples"`
	Duration    float64        `json:"duration_s"`
	PGA         float64        `json:"pga_m_s2"`
	PGAG        float64        `json:"pga_g"`
	PGV         float64        `json:"pgv_m_s"`
	PGD         float64        `json:"pgd_m"`
	Base        float64        `json:"baseline_m_s2"`
	Arias       float64        `json:"arias_m_s"`
	D5To95      float64        `json:"d5_95_s"`
	D5To75      float64        `json:"d5_75_s"`
	CAV         float64        `json:"cav_m_s"`
	Predominant float64        `json:"predominant_period_s"`
	Damping     float64        `json:"damping_ratio"`
	Spectrum    []spectrumJSON `json:"spectrum"`
	Notes       []string       `json:"notes"`
	Files       []string       `json:"files"`
}

type spectrumJSON struct {
	Period float64 `json:"period_s"`
	Sd     float64 `json:"sd_m"`
	PSV    float64 `json:"psv_m_s"`
	PSA    float64 `json:"psa_m_s2"`
	Sa     float64 `json:"sa_m_s2"`
}

func newGroundJSON(g report.Ground, files []string) groundJSON {
	m, s := g.Motion, g.Measures
	j := groundJSON{
		Name: m.Name, Station: m.Station, Component: m.Component, Event: m.Event,
		Dt: m.Dt, Samples: len(m.A), Duration: m.Duration(),
		PGA: s.PGA, PGAG: s.PGA / ground.StandardGravity, PGV: s.PGV, PGD: s.PGD, Base: s.Base,
		Arias: s.Arias, D5To95: s.D5To95, D5To75: s.D5To75, CAV: s.CAV,
		Predominant: g.PredominantPeriod(), Damping: g.Damping, Notes: append([]string{}, m.Notes...), Files: append([]string{}, files...),
	}
	for _, p := range g.Spectrum {
		j.Spectrum = append(j.Spectrum, spectrumJSON(p))
	}
	return j
}
