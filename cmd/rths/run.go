package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"rths"
	"rths/files"
	"rths/record"
	"rths/report"
	"rths/rig/udp"
	"rths/scenario"
)

// runFlags are the flags of run and demo.
type runFlags struct {
	*app
	source
	out      string
	rig      string
	link     *udp.Rig // to the rig of the flag --rig; nil without
	noRecord bool
	csv      bool
	parquet  bool
	mat      bool
	report   bool
}

func runCommand(a *app) *cobra.Command {
	f := &runFlags{app: a}
	c := &cobra.Command{
		Use:   "run SCENARIO",
		Short: "Run the virtual test a scenario describes",
		Long: `Runs a scenario and leaves a folder with its record: manifest.json (the resolved
scenario, criteria, status) and frames.arrow (every signal at every sample). A
run that diverges or trips a limit keeps its record and exits with status 1.

The folder of a run in place of SCENARIO runs its resolved scenario again, into a new
folder. An input file that has changed since is a warning.

With --rig the loop loads a rig in another process, in lockstep and as fast as both
go: a rehearsal across processes (docs/virtual-laboratory.md).`,
		Example: `  rths run scenarios/benchmark-siso.yaml --report
  rths run scenarios/benchmark-siso.yaml --set compensator.kind=kf --set structure.case=4
  rths run scenarios/benchmark-siso.yaml --no-record --json
  rths run runs/demo --set rate_hz=2048
  rths run scenarios/benchmark-siso.yaml --rig udp://127.0.0.1:7400`,
		Args: wantScenario,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := f.load(args[0])
			if err != nil {
				return err
			}
			printDoubts(cmd.ErrOrStderr(), s)
			return f.run(cmd, s)
		},
	}
	f.source.addTo(c)
	f.addTo(c)
	c.Flags().StringVar(&f.rig, "rig", "", "load the rig at this address, as in udp://127.0.0.1:7400, in place of the simulated one")
	return c
}

func (f *runFlags) addTo(c *cobra.Command) {
	c.Flags().StringVarP(&f.out, "out", "o", "", "folder for the record (default runs/NAME-TIME)")
	c.Flags().BoolVar(&f.noRecord, "no-record", false, "leave no folder")
	c.Flags().BoolVar(&f.csv, "csv", false, "write frames.csv too")
	c.Flags().BoolVar(&f.parquet, "parquet", false, "write frames.parquet too")
	c.Flags().BoolVar(&f.mat, "mat", false, "write frames.mat for MATLAB and Octave too")
	c.Flags().BoolVar(&f.report, "report", false, "write report.html too")
}

// check refuses flags that want a folder beside --no-record.
func (f *runFlags) check() error {
	if wanted := f.extras(); f.noRecord && (f.out != "" || len(wanted) > 0) {
		return errors.New("--no-record leaves no folder for --out, --csv, --parquet, --mat and --report: want one or the other")
	}
	return nil
}

// run builds, runs, records, judges and prints.
func (f *runFlags) run(cmd *cobra.Command, s *scenario.Scenario) error {
	if err := errors.Join(f.check(), f.keepsArchive(f.out)); err != nil {
		return err
	}
	o := scenario.Options{RecordsDir: f.records}
	var err error
	if f.link, err = f.toRig(cmd, &s); err != nil {
		return err
	}
	if f.link != nil {
		defer f.link.Close()
		o.Rig = f.link
	}
	r, err := f.build(s, o)
	if err != nil {
		return err
	}
	f.keep() // from here on Ctrl-C ends the run, which keeps and prints what is done
	if f.link != nil {
		if err := f.link.Begin(); cmd.Context().Err() != nil {
			f.link.Close()
			return failed{errors.New("stopped by the user before the start")}
		} else if err != nil {
			return err
		}
	}
	r.Notes = append(r.Notes, elsewhere(f.link, s)...)
	r.Warnings = append(r.Warnings, narrower(f.link, s.Rating())...)
	m, err := manifestOf(r)
	if err != nil {
		return err
	}
	m.Rig = rigOf(f.link)
	m.Notes = slices.Concat(s.Doubts(), r.Warnings, r.Notes)
	if err := f.simulate(cmd, r, &m); err != nil {
		return err
	}
	printRemarks(cmd.ErrOrStderr(), r)
	f.addExtras(&m)
	if err := f.print(cmd.OutOrStdout(), &m); err != nil {
		return err
	}
	if m.Status != record.Completed {
		return failed{errors.New(m.Reason)}
	}
	if len(m.Unmet) > 0 {
		return failed{fmt.Errorf("expect: %s", strings.Join(m.Unmet, "; "))}
	}
	return nil
}

// printRemarks prints the warnings and notes of a run.
func printRemarks(out io.Writer, r *scenario.Run) {
	for _, warning := range r.Warnings {
		fmt.Fprintln(out, "warning:", warning)
	}
	for _, note := range r.Notes {
		fmt.Fprintln(out, "note:", note)
	}
}

// simulate runs the loop to its end and records it. The manifest tells of a failed record;
// an error means wrong use.
func (f *runFlags) simulate(cmd *cobra.Command, r *scenario.Run, m *record.Manifest) error {
	if f.noRecord {
		finish(cmd.Context(), cmd.ErrOrStderr(), r, nil, m)
		leave(f.link, m)
		return nil
	}
	if f.out == "" {
		f.out = freshFolder(m.Name)
	}
	w, err := record.NewRecorder(f.out, *m, r.Loop.Frame(), r.Channels)
	if err == nil {
		r.Loop.Attach(w)
		finish(cmd.Context(), cmd.ErrOrStderr(), r, w, m)
		leave(f.link, m)
		err = w.Close(*m)
	}
	var broken *record.Failure
	if errors.As(err, &broken) {
		m.Fail(broken)
		err = nil
	}
	if err == nil {
		catalogued(cmd.ErrOrStderr(), f.out)
	}
	return err
}

// manifestOf is the manifest of a run about to start.
func manifestOf(r *scenario.Run) (record.Manifest, error) {
	text, err := r.Scenario.YAML()
	if err != nil {
		return record.Manifest{}, err
	}
	folder, err := filepath.Abs(r.Scenario.Folder())
	if err != nil {
		return record.Manifest{}, fmt.Errorf("the folder of the scenario: %w", err)
	}
	return record.Manifest{
		Format: record.Format, Name: r.Name, Tags: r.Scenario.Tags, Status: "running", RateHz: r.Scenario.RateHz, Seed: r.Scenario.Seed,
		Drawn: r.Drawn, Scenario: text, Folder: folder, Inputs: r.Inputs, Version: version(), Go: runtime.Version(),
		Machine: fmt.Sprintf("%s/%s, %d processors", runtime.GOOS, runtime.GOARCH, runtime.NumCPU()),
		Started: time.Now().Format(time.RFC3339),
	}, nil
}

// freshFolder is a folder under runs that does not exist yet.
func freshFolder(name string) string {
	slug := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, name)
	for strings.Contains(slug, "--") {
		slug = strings.ReplaceAll(slug, "--", "-")
	}
	if slug = strings.Trim(slug, "-"); slug == "" {
		slug = "run"
	}
	base := filepath.Join("runs", slug+time.Now().Format("-20060102-150405"))
	dir := base
	for i := 2; ; i++ {
		if _, err := os.Stat(dir); err != nil {
			return dir
		}
		dir = fmt.Sprintf("%s-%d", base, i)
	}
}

// Ticks that pass between looks at Ctrl-C, and between looks at the record and at the
// progress bar. A tick of a large structure may take milliseconds.
const (
	stopStride = 256
	rigStride  = 1 // a tick over a rig may take seconds
	barStride  = 4096
)

// finish runs the loop to its end and completes the manifest. A run whose record has failed
// ends at the next stride. w is nil without a record.
func finish(ctx context.Context, stderr io.Writer, r *scenario.Run, w *record.Recorder, m *record.Manifest) {
	stride := stopStride
	if m.Rig != nil {
		stride = rigStride
	}
	bar := newBar(stderr, r.Samples, m.Name)
	start := time.Now()
	err := r.Loop.Run(stride, func() bool {
		if ctx.Err() != nil {
			return false
		}
		if r.Loop.Ticks()%barStride != 0 {
			return true
		}
		bar.set(r.Loop.Ticks())
		return w == nil || w.Check() == nil
	})
	ticks := r.Loop.Ticks()
	m.WallS = time.Since(start).Seconds()
	bar.done()
	m.Status, m.Reason = r.Status(err)
	switch early := m.Status == record.Completed && !r.Loop.Done(); {
	case early && ctx.Err() != nil:
		m.Status, m.Reason = record.Stopped, fmt.Sprintf("stopped by the user at t = %.4f s", float64(ticks)/m.RateHz)
	case early:
		m.Status, m.Reason = record.Failed, fmt.Sprintf("stopped at t = %.4f s", float64(ticks)/m.RateHz)
	}
	m.Samples = ticks
	m.SimulatedS = float64(ticks) / m.RateHz
	if m.WallS > 0 {
		m.RealtimeFactor = m.SimulatedS / m.WallS
	}
	m.Criteria = r.Summary()
	m.Indicators = r.Indicators()
	m.Events = events(r, ticks)
	m.Compensator = r.Parameters()
	m.Spectra = spectraOf(r)
	if m.Status == record.Completed {
		m.Warnings, m.Unmet = r.Verdict(func() bool { return ctx.Err() == nil }), r.Unmet()
	}
}

// spectraOf are the response spectra of the floors, or nil if the scenario has none.
func spectraOf(r *scenario.Run) []record.Spectrum {
	if r.Spectra == nil {
		return nil
	}
	var out []record.Spectrum
	for i := range r.Spectra.Floors() {
		periods, sa := r.Spectra.Spectrum(i)
		out = append(out, record.Spectrum{Name: fmt.Sprintf("floor %d", i+1), DampingRatio: r.Spectra.Damping, PeriodS: periods, Sa: sa})
	}
	return out
}

// addExtras writes the files on request (CSV, Parquet, MAT, report) and lists all files. If
// this fails, the record is unharmed, and the command fails.
func (f *runFlags) addExtras(m *record.Manifest) {
	if f.noRecord {
		return
	}
	extras := f.extras()
	if m.RowsKept == nil && len(extras) > 0 {
		if err := f.writeExtras(extras); err != nil {
			m.Status, m.Reason = record.Failed, strings.TrimPrefix(m.Reason+"; "+err.Error(), "; ")
		}
	}
	for _, name := range append([]string{record.ManifestFile, record.FramesFile}, extras...) {
		if _, err := os.Stat(filepath.Join(f.out, name)); err == nil {
			m.Files = append(m.Files, name)
		}
	}
}

func (f *runFlags) writeExtras(names []string) error {
	archive, err := record.Open(f.out)
	if err != nil {
		return err
	}
	for _, name := range names {
		if name == reportFile {
			err = writeReport(filepath.Join(f.out, name), []*record.Archive{archive})
		} else {
			err = archive.Export(name)
		}
		if err != nil {
			return fmt.Errorf("%s was not written: %w", name, err)
		}
	}
	return nil
}

const reportFile = "report.html"

func (f *runFlags) extras() []string {
	var out []string
	for _, e := range []struct {
		name string
		want bool
	}{{record.CSVFile, f.csv}, {record.ParquetFile, f.parquet}, {record.MATFile, f.mat}, {reportFile, f.report}} {
		if e.want {
			out = append(out, e.name)
		}
	}
	return out
}

// writeReport writes the page of runs.
func writeReport(path string, runs []*record.Archive) error {
	return files.Write(path, func(w io.Writer) error { return report.Page(w, runs) })
}

// result is the document of run --json.
type result struct {
	Name           string            `json:"name"`
	Status         string            `json:"status"`
	Reason         string            `json:"reason"`
	RateHz         float64           `json:"rate_hz"`
	Samples        int               `json:"samples"`
	RowsKept       *int              `json:"rows_kept,omitempty"`
	SimulatedS     float64           `json:"simulated_s"`
	WallS          float64           `json:"wall_s"`
	RealtimeFactor float64           `json:"realtime_factor"`
	Drawn          record.Values     `json:"drawn,omitempty"`
	Rig            *record.Rig       `json:"rig,omitempty"`
	Notes          []string          `json:"notes"`
	Warnings       []string          `json:"warnings"`
	Unmet          []string          `json:"unmet"`
	Criteria       record.Values     `json:"criteria"`
	Indicators     record.Values     `json:"indicators"`
	Events         []record.Event    `json:"events"`
	Compensator    record.Values     `json:"compensator"`
	Spectra        []record.Spectrum `json:"spectra,omitempty"`
	Files          []string          `json:"files"`
}

func (f *runFlags) print(out io.Writer, m *record.Manifest) error {
	var files []string
	for _, name := range m.Files {
		files = append(files, filepath.Join(f.out, name))
	}
	if f.json {
		return printJSON(out, result{
			m.Name, m.Status, m.Reason, m.RateHz, m.Samples, m.RowsKept, m.SimulatedS, m.WallS, m.RealtimeFactor, m.Drawn, m.Rig,
			append([]string{}, m.Notes...), append([]string{}, m.Warnings...), append([]string{}, m.Unmet...), m.Criteria, m.Indicators, append([]record.Event{}, m.Events...), m.Compensator, m.Spectra, append([]string{}, files...),
		})
	}
	fmt.Fprintf(out, "%s: %s", m.Name, m.Status)
	if m.Reason != "" {
		fmt.Fprintf(out, ", %s", strings.TrimPrefix(m.Reason, m.Status+" "))
	}
	fmt.Fprintf(out, "\n%.2f s simulated in %.3f s, %.*f times real time\n\n", m.SimulatedS, m.WallS, decimals(m.RealtimeFactor), m.RealtimeFactor)
	printDrawn(out, m.Drawn)
	printRig(out, m.Rig)
	for _, warning := range m.Warnings {
		fmt.Fprintf(out, "warning: %s\n", warning)
	}
	for _, missed := range m.Unmet {
		fmt.Fprintf(out, "not reached: %s\n", missed)
	}
	if len(m.Warnings)+len(m.Unmet) > 0 {
		fmt.Fprintln(out)
	}
	printEvents(out, m.Events)
	if m.Status == record.Tripped {
		fmt.Fprint(out, "criteria are of the whole run, with what the limit did to the command\n\n")
	}
	printValues(out, m.Criteria)
	printValues(out, m.Indicators)
	printValues(out, m.Compensator)
	for _, name := range files {
		fmt.Fprintln(out, name)
	}
	return nil
}

func printValues(out io.Writer, values []rths.Value) {
	if len(values) == 0 {
		return
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, v := range values {
		fmt.Fprintf(t, "%s\t%s\t%s\n", v.Name, record.Text("", v.V), v.Doc)
	}
	t.Flush()
	fmt.Fprintln(out)
}

// printDrawn prints the values of a random plant in digits enough to set them.
func printDrawn(out io.Writer, values []rths.Value) {
	if len(values) == 0 {
		return
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, v := range values {
		fmt.Fprintf(t, "%s\t%.6g\t%s\n", v.Name, v.V, v.Doc)
	}
	t.Flush()
	fmt.Fprintln(out)
}

// decimals is the number of decimals that shows two digits of a factor.
func decimals(x float64) int {
	if x >= 10 {
		return 0
	}
	return 2
}

func printJSON(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
