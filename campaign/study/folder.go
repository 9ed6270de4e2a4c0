package study

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"rths"
	"rths/result/record"
	"rths/scenario/files"
)

// Files of a study's folder.
const (
	ManifestFile   = "study.json"
	studyFile      = "study.yaml"
	LogFile        = "rows.log" // as runs end
	CSVFile        = "rows.csv"
	parquetFile    = "rows.parquet"
	summaryFile    = "summary.json"
	CheckpointFile = "calibration.json"
)

// Kinds of a folder.
const (
	StudyKind       = "study"
	CalibrationKind = "calibration"
)

// Format is the version of a study's folder.
const Format = 1

// Manifest is study.json: what was asked for, by which program, and how it ended.
type Manifest struct {
	Format     int           `json:"format"`
	Kind       string        `json:"kind"`
	Name       string        `json:"name"`
	Tags       []string      `json:"tags,omitempty"`
	Status     string        `json:"status"` // running, completed, stopped, failed
	Reason     string        `json:"reason"`
	Identity   string        `json:"identity"` // fingerprint of all that the runs hang on
	Asked      Asked         `json:"asked,omitzero"`
	Study      string        `json:"study"`    // text of the study file, or the command line
	Scenario   string        `json:"scenario"` // the base scenario in full
	Started    string        `json:"started"`  // RFC 3339
	Version    string        `json:"version"`
	Go         string        `json:"go"`
	Machine    string        `json:"machine"`
	Executor   string        `json:"executor,omitempty"`
	Workers    int           `json:"workers"` // 0: not of this machine
	Runs       int           `json:"runs"`
	Done       int           `json:"done"`
	Failed     int           `json:"failed"`
	WallS      float64       `json:"wall_s"`
	SimulatedS float64       `json:"simulated_s"`
	Inputs     []files.Input `json:"inputs"`
	Notes      []string      `json:"notes,omitempty"`
	Values     any           `json:"values,omitempty"` // of the main criterion, for the catalogue
	Files      []string      `json:"files"`
}

func (m *Manifest) save(dir string) error {
	return files.Write(filepath.Join(dir, ManifestFile), func(w io.Writer) error { return record.WriteJSON(w, m) })
}

// NewManifest is the manifest of a study about to start: of a plan, the study or scenario file at path, and the version
// of the program.
func NewManifest(kind string, p *Plan, path, version string) (Manifest, error) {
	text, err := p.Base.Scenario.YAML()
	if err != nil {
		return Manifest{}, err
	}
	source, err := os.ReadFile(path)
	if err != nil {
		return Manifest{}, err
	}
	return Manifest{
		Kind: kind, Name: p.File.Name, Tags: p.File.Tags, Study: string(source), Scenario: text, Inputs: p.Inputs,
		Identity: p.Identity(), Version: version, Go: runtime.Version(), Started: time.Now().Format(time.RFC3339),
		Machine: fmt.Sprintf("%s/%s, %d processors", runtime.GOOS, runtime.GOARCH, runtime.NumCPU()),
	}, nil
}

// Folder is the folder of a study that is being made.
type Folder struct {
	Dir      string
	Manifest Manifest
	Table    *Table

	log    *os.File
	line   []byte
	broken error // of the log: its last line may be incomplete
	ready  bool  // the tables of all rows are there
}

// Create makes the folder of a new study.
func Create(dir string, m Manifest, p *Plan) (*Folder, error) {
	if _, err := os.Stat(filepath.Join(dir, ManifestFile)); err == nil {
		return nil, fmt.Errorf("%s holds a study already: want another folder, or --resume to go on with it", dir)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	m.Format, m.Status, m.Runs = Format, rths.Running, p.Runs()
	m.Identity = cmp.Or(m.Identity, p.Identity())
	f := &Folder{Dir: dir, Manifest: m, Table: newTable(p.Runs())}
	log, err := os.OpenFile(filepath.Join(dir, LogFile), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("%s holds rows of a study already: want another folder", dir)
	}
	if err != nil {
		return nil, err
	}
	f.log = log
	err = errors.Join(lock(log), f.Manifest.save(dir)) // first: without it there is nothing to go on with
	if err == nil {
		_, err = log.Write(appendHeading(nil, m.Identity))
	}
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	return f, nil
}

// Resume opens the folder of the same study to go on with it.
func Resume(dir string, m Manifest, p *Plan) (*Folder, error) {
	before, err := loadManifest(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s holds no study: want the folder of the study to go on with, by --out", dir)
	}
	if err != nil {
		return nil, err
	}
	m.Identity = cmp.Or(m.Identity, p.Identity())
	if before.Kind != m.Kind || before.Identity != m.Identity {
		return nil, fmt.Errorf("%s holds another study (%s %q of %d runs): its variables, seed or base scenario differ: "+
			"want the same study file and flags, or another folder", dir, before.Kind, before.Name, before.Runs)
	}
	if changed := files.Changed(before.Inputs, m.Inputs); len(changed) > 0 {
		return nil, fmt.Errorf("%s has changed since the study in %s began: want the file as it was, or another folder",
			changed[0].File, dir)
	}
	f := &Folder{Dir: dir, Manifest: m, Table: newTable(p.Runs())}
	f.log, err = openLog(filepath.Join(dir, LogFile), m.Identity, f.Table)
	if err != nil {
		return nil, err
	}
	f.Manifest.Format, f.Manifest.Status, f.Manifest.Runs = Format, rths.Running, p.Runs()
	f.Manifest.Started, f.Manifest.WallS, f.Manifest.Files = before.Started, before.WallS, before.Files
	f.Manifest.Notes = before.Notes
	if before.Version != m.Version {
		f.Manifest.Notes = append(f.Manifest.Notes,
			fmt.Sprintf("begun by another version of the program, %s, which has made %d of the rows", before.Version,
				f.Table.Done()))
	}
	f.ready = before.Status == rths.Completed && f.Table.Done() == p.Runs() && before.Name == m.Name
	if err := f.Manifest.save(dir); err != nil {
		return nil, errors.Join(err, f.log.Close())
	}
	return f, nil
}

// Ended is how a study has ended whose runs have failed so, or not (nil).
func (f *Folder) Ended(ctx context.Context, failure error) (status, reason string) {
	switch {
	case failure == nil:
		return rths.Completed, ""
	case errors.As(failure, new(*Incomplete)):
		return rths.Stopped, failure.Error()
	case ctx.Err() != nil:
		return rths.Stopped, fmt.Sprintf("stopped by the user after %d of %d runs", f.Table.Done(), f.Manifest.Runs)
	}
	return rths.Failed, failure.Error()
}

// LockFolder makes a folder ours until unlock, so that no two programs write into one.
func LockFolder(dir string) (unlock func() error, err error) {
	return lockFolder(dir)
}

// loadManifest reads study.json of a folder.
func loadManifest(dir string) (m Manifest, err error) {
	path := filepath.Join(dir, ManifestFile)
	text, err := readAll(path)
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("%s: %w", path, err)
	}
	if m.Format != Format {
		return m, fmt.Errorf("%s: format %d: want %d", path, m.Format, Format)
	}
	return m, nil
}

// Add keeps a row, in the log and in the table.
func (f *Folder) Add(row Row) error {
	if f.broken != nil {
		return f.broken
	}
	set, fresh := f.Table.put(row)
	f.line = f.line[:0]
	if fresh {
		f.line = appendNames(f.line, f.Table.sets[set])
	}
	f.line = appendRow(f.line, &row, set, f.Table.rows[row.Run].values)
	if _, err := f.log.Write(f.line); err != nil {
		f.broken = fmt.Errorf("row of run %d: %w", row.Run+1, err)
	}
	return f.broken
}

// Close lets go of a folder that is not finished.
func (f *Folder) Close() error { return f.log.Close() }

// Finish writes tables and summary, what more writes, and at last the manifest, and closes the
// log. The log keeps all rows if one of the others cannot be written. more, if given, names the
// files that it has written.
func (f *Folder) Finish(p *Plan, status, reason string, more func(*Summary) ([]string, error)) (*Summary, error) {
	sheet := f.Table.Sheet(p)
	summary, err := f.Table.summarise(p)
	f.Manifest.Files = []string{ManifestFile, LogFile}
	write := func(name string, ready bool, content func(w io.Writer) error) {
		path := filepath.Join(f.Dir, name)
		_, missing := os.Stat(path)
		if ready && missing == nil {
			f.Manifest.Files = append(f.Manifest.Files, name)
		} else if wrong := files.Write(path, content); wrong == nil {
			f.Manifest.Files = append(f.Manifest.Files, name)
		} else if err == nil {
			err = wrong
		}
	}
	write(CSVFile, f.ready, sheet.WriteCSV)
	write(parquetFile, f.ready, sheet.WriteParquet)
	if summary != nil {
		write(summaryFile, false, func(w io.Writer) error { return record.WriteJSON(w, summary) })
	}
	if err == nil && more != nil {
		var names []string
		names, err = more(summary)
		f.Manifest.Files = append(f.Manifest.Files, names...)
	}
	if err != nil && status == rths.Completed {
		status, reason = rths.Failed, err.Error()
	}
	m := &f.Manifest
	m.Status, m.Reason = status, reason
	m.Done, m.Failed, m.SimulatedS = f.Table.Done(), f.Table.Failed(), f.Table.simulatedS()
	if summary != nil {
		m.Values = summary.headline()
	}
	return summary, errors.Join(err, m.save(f.Dir), f.log.Close())
}
