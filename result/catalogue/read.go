package catalogue

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
	"unique"

	"rths"
	"rths/result/record"
	"rths/scenario/files"
)

// Kinds of entries.
const (
	Run         = "run"
	Study       = "study"
	Calibration = "calibration"
	Advice      = "advice"
)

// Kinds are the kinds of entries.
var Kinds = []string{Run, Study, Calibration, Advice}

// Gone is the state of a run without its folder.
const Gone = "gone"

// States are what Item.State may be.
var States = []string{
	rths.Completed, rths.Tripped, rths.Diverged, rths.Stopped, rths.Failed, rths.Lost, rths.Running, Gone,
}

// Entry is what the catalogue knows of a run, a study or an advice.
type Entry struct {
	Folder      string // its name in the folder of the catalogue
	Kind        string // Run, Study, Calibration or Advice
	Name        string
	Status      string
	Reason      string // why it did not complete
	Verdict     string // of a run: what its results are worth, as in its manifest
	Started     string // RFC 3339; empty where the folder does not say
	Rig         string // Virtual, or the name of the laboratory whose rig has moved; empty where the folder does not say
	Compensator string // of a run, as methods names it; of an advice, the recommended one
	Tags        []string
	Note        string        // of a reader (LabelFile)
	Numbers     record.Values // each name once
	Gone        bool          // its folder is not there
}

// Began is the instant of Started; not ok where there is none.
func (e *Entry) Began() (t time.Time, ok bool) {
	t, err := time.Parse(time.RFC3339, e.Started)
	return t, err == nil
}

// Files of a study and of an advice in their folders.
const (
	StudyFile  = "study.json"
	AdviceFile = "advice.json"
)

const (
	studyFormat  = 1
	largestStudy = 16 << 20 // bytes; of an advice too
)

// Read reads what the catalogue keeps of a run, a study or an advice from its folder.
func Read(folder string) (Entry, error) {
	_, name, err := Of(folder)
	if err != nil {
		return Entry{}, err
	}
	e, err := readStudy(folder)
	if errors.Is(err, fs.ErrNotExist) {
		e, err = readAdvice(folder)
	}
	if errors.Is(err, fs.ErrNotExist) {
		e, err = readRun(folder)
	}
	if err == nil {
		err = e.labelled(folder)
	}
	e.Folder = name
	return e, err
}

// IsRun reports whether a folder has the file of a run, a study or an advice.
func IsRun(folder string) bool {
	for _, name := range []string{StudyFile, AdviceFile, record.ManifestFile} {
		if _, err := os.Lstat(filepath.Join(folder, name)); err == nil {
			return true
		}
	}
	return false
}

func readRun(folder string) (Entry, error) {
	m, err := record.LoadManifest(folder)
	if err != nil {
		return Entry{}, err
	}
	e := Entry{
		Kind: Run, Name: m.Name, Status: m.Status, Reason: m.Reason, Verdict: m.Verdict, Started: m.Started,
		Rig: m.Place(), Compensator: methods(m.Scenario), Tags: once(m.Tags),
	}
	e.number("rate_hz", m.RateHz)
	e.number("samples", float64(m.Samples))
	e.number("simulated_s", m.SimulatedS)
	e.number("wall_s", m.WallS)
	e.number("realtime_factor", m.RealtimeFactor)
	e.numbers(m.Criteria)
	e.numbers(m.Indicators)
	return e, nil
}

// study is the part of a study's file that the catalogue keeps.
type study struct {
	Format  int           `json:"format"`
	Kind    string        `json:"kind"`
	Name    string        `json:"name"`
	Status  string        `json:"status"`
	Reason  string        `json:"reason"`
	Started string        `json:"started"`
	Tags    []string      `json:"tags"`
	Runs    int           `json:"runs"`
	Failed  int           `json:"failed"`
	WallS   float64       `json:"wall_s"`
	Values  record.Values `json:"values"`
}

func readStudy(folder string) (Entry, error) {
	path := filepath.Join(folder, StudyFile)
	var s study
	if err := readInto(&s, path, "a study"); err != nil {
		return Entry{}, err
	}
	switch {
	case s.Format != studyFormat:
		return Entry{}, fmt.Errorf("%s: format %d: want %d", path, s.Format, studyFormat)
	case s.Kind != Study && s.Kind != Calibration:
		return Entry{}, fmt.Errorf("%s: kind %q: want %s or %s", path, s.Kind, Study, Calibration)
	}
	e := Entry{Kind: s.Kind, Name: s.Name, Status: s.Status, Reason: s.Reason, Started: s.Started, Rig: record.Virtual,
		Tags: once(s.Tags)}
	e.number("runs", float64(s.Runs))
	e.number("failed", float64(s.Failed))
	e.number("wall_s", s.WallS)
	e.numbers(s.Values)
	return e, nil
}

// advice is the part of an advice's file that the catalogue keeps.
type advice struct {
	Name        string  `json:"name"`
	Status      string  `json:"status"`
	Reason      string  `json:"reason"`
	Started     string  `json:"started"`
	Runs        int     `json:"runs_done"`
	WallS       float64 `json:"wall_s"`
	Recommended *struct {
		Method string        `json:"method"`
		Median record.Number `json:"J2_true_median_pct"`
		P90    record.Number `json:"J2_true_p90_pct"`
	} `json:"recommended"`
}

func readAdvice(folder string) (Entry, error) {
	path := filepath.Join(folder, AdviceFile)
	var a advice
	if err := readInto(&a, path, "an advice"); err != nil {
		return Entry{}, err
	}
	if a.Status == "" {
		return Entry{}, fmt.Errorf("%s: found no status: want the file of an advice", path)
	}
	e := Entry{Kind: Advice, Name: a.Name, Status: a.Status, Reason: a.Reason, Started: a.Started, Rig: record.Virtual}
	e.number("runs", float64(a.Runs))
	e.number("wall_s", a.WallS)
	if best := a.Recommended; best != nil {
		e.Compensator = best.Method
		e.number("J2_true_median_pct", float64(best.Median))
		e.number("J2_true_p90_pct", float64(best.P90))
	}
	return e, nil
}

// readInto reads a JSON file that is of what.
func readInto(out any, path, what string) error {
	file, err := files.Disk{}.Open(path, largestStudy)
	if err != nil {
		return err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, largestStudy+1)) // the file may grow
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("%s: want the file of %s: %w", path, what, err)
	}
	return nil
}

// number adds a number whose name is new.
func (e *Entry) number(name string, v float64) { e.numbers(record.Values{{Name: name, V: v}}) }

func (e *Entry) numbers(values record.Values) {
	seen := map[string]bool{}
	for _, v := range e.Numbers {
		seen[v.Name] = true
	}
	for _, v := range values {
		if !seen[v.Name] {
			seen[v.Name] = true
			// thousands of runs share a name
			e.Numbers = append(e.Numbers, rths.Value{Name: unique.Make(v.Name).Value(), V: v.V})
		}
	}
}

// once is a list with each word once.
func once(words []string) (out []string) {
	seen := map[string]bool{}
	for _, w := range words {
		if !seen[w] {
			seen[w] = true
			out = append(out, w)
		}
	}
	return out
}
