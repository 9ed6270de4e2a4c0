package decide

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"rths"
	"rths/campaign/advice"
	"rths/campaign/study"
	"rths/result/catalogue"
	"rths/workbench"
)

// Interrupted is the status of what was begun by a program that has ended before it.
const Interrupted = "interrupted"

// Entry is a study, a calibration or an advice of the folder.
type Entry struct {
	Folder  string   `json:"folder"`
	Kind    string   `json:"kind"`
	Name    string   `json:"name"`
	Status  string   `json:"status"` // running, completed, stopped, failed, or Interrupted
	Reason  string   `json:"reason,omitempty"`
	Started string   `json:"started,omitempty"` // RFC 3339
	File    string   `json:"file,omitempty"`    // that it is of, from the folder of the desk
	Done    int      `json:"done"`              // rows
	Runs    int      `json:"runs"`              // that are wanted
	Here    bool     `json:"here,omitempty"`    // this program makes it
	Holder  string   `json:"holder,omitempty"`  // another program makes it
	Stage   string   `json:"stage,omitempty"`
	Share   float64  `json:"share"`
	LeftS   *float64 `json:"left_s,omitempty"`
	Wrong   string   `json:"wrong,omitempty"` // what could not be written
	Resume  bool     `json:"resume,omitempty"`
	Best    bool     `json:"best,omitempty"` // it has found a scenario
	Command string   `json:"command"`        // that does the same in a terminal
}

// found is an entry with what its folder says beside.
type found struct {
	Entry
	dir      string // as this program opens it
	asked    study.Asked
	manifest study.Manifest // none of an advice
	budget   int
	goodPct  float64
	flagged  bool // begun with flags that a page cannot give
}

// Listing is what the page shows.
type Listing struct {
	Seen    int     `json:"seen"`    // number of changes so far
	Workers int     `json:"workers"` // that a page begins with
	Runs    int     `json:"runs"`    // of an advice
	Entries []Entry `json:"entries"` // the newest first
}

type after struct {
	Seen int `json:"seen"` // that the page knows; another number than Listing.Seen is answered at once
}

// Waits for something new. Other programs tell nothing: their folders are looked at again.
const (
	idle  = 15 * time.Second
	other = time.Second
)

// list says what there is. It waits for a change after the one that the page has seen.
func (d *Desk) list(ctx context.Context, in after) (Listing, error) {
	d.Lock()
	seen, changed := d.changes, d.changed
	d.Unlock()
	out, err := d.entriesNow()
	if err == nil && seen == in.Seen {
		wait := idle
		if slices.ContainsFunc(out, func(e Entry) bool { return e.Holder != "" }) {
			wait = other
		}
		select {
		case <-changed:
		case <-time.After(wait):
		case <-ctx.Done():
			return Listing{}, ctx.Err()
		}
		d.Lock()
		seen = d.changes
		d.Unlock()
		out, err = d.entriesNow()
	}
	return Listing{seen, defaultWorkers(), advice.DefaultRuns, out}, err
}

// entriesNow are all entries, the newest first, those that run before the others.
func (d *Desk) entriesNow() ([]Entry, error) {
	out := []Entry{}
	for _, dir := range []string{".", catalogue.Default} {
		list, err := fs.ReadDir(d.root.FS(), dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, workbench.Refuse("%w", err)
		}
		for _, e := range list {
			if f, err := d.found(path.Join(dir, e.Name())); e.IsDir() && err == nil {
				out = append(out, f.Entry)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Entry) int {
		if a.Here != b.Here {
			return map[bool]int{true: -1, false: 1}[a.Here]
		}
		return strings.Compare(b.Started, a.Started)
	})
	return out, nil
}

// found is the entry of a folder.
func (d *Desk) found(folder string) (*found, error) {
	if !fs.ValidPath(folder) {
		return nil, workbench.Refuse("%q: want the folder of a study, a calibration or an advice", folder)
	}
	f, err := d.entries.read(d.root, d.Folder, folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, workbench.Refuse("%s is gone, or is no folder of a study: want one that is listed", folder)
	}
	if err != nil {
		return nil, workbench.Refuse("%s: %w", folder, err)
	}
	if file := f.asked.From(f.dir).File; file != "" {
		f.File = d.inside(file)
	}
	d.Lock()
	defer d.Unlock()
	if w := d.works[folder]; w != nil {
		f.add(w)
	}
	switch {
	case f.Here:
		f.Status, f.Reason = rths.Running, ""
	case f.Status == rths.Running:
		if f.Holder = study.Holder(f.dir); f.Holder == "" {
			f.Status = Interrupted
		}
	}
	if f.Status != rths.Completed && f.Kind == catalogue.Study {
		f.Done = rowsIn(f.dir)
		if f.Runs > 0 && !f.Here {
			f.Share = float64(f.Done) / float64(f.Runs)
		}
	}
	if f.Status == rths.Completed && f.Kind != catalogue.Study {
		_, err := os.Stat(filepath.Join(f.dir, study.TunedFile))
		f.Best = err == nil
	}
	f.Resume = !f.Here && f.Holder == "" && f.Status != rths.Completed
	f.Command = f.command(f.Resume)
	return f, nil
}

// add adds what this program knows of its own work. The lock of the desk is held.
func (f *found) add(w *work) {
	f.Here, f.Wrong = !w.ended, w.wrong
	if w.ended {
		return
	}
	f.Stage, f.Runs = w.stage, max(f.Runs, w.budget)
	if w.Kind == catalogue.Advice {
		f.Done = w.runs
	}
	part, left := w.share()
	if f.Share = part; left >= 0 {
		f.LeftS = &left
	}
}

// rowsIn is the number of rows in the log of a folder.
func rowsIn(dir string) int {
	text, err := os.ReadFile(filepath.Join(dir, study.LogFile))
	if err != nil {
		return 0
	}
	return bytes.Count(text, []byte("\nrow\t"))
}

// cache keeps what folders say for as long as their files are the same.
type cache struct {
	sync.Mutex
	of map[string]kept
}

type kept struct {
	found
	at   time.Time
	size int64
}

// read reads the file of a study or an advice in a folder.
func (c *cache) read(root *os.Root, desk, folder string) (*found, error) {
	file := path.Join(folder, catalogue.StudyFile)
	info, err := root.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		file = path.Join(folder, catalogue.AdviceFile)
		info, err = root.Stat(file)
	}
	if err != nil {
		return nil, err
	}
	c.Lock()
	defer c.Unlock()
	if k, ok := c.of[folder]; ok && k.at.Equal(info.ModTime()) && k.size == info.Size() {
		out := k.found
		return &out, nil
	}
	dir := filepath.Join(desk, filepath.FromSlash(folder))
	f := found{dir: dir, Entry: Entry{Folder: folder}}
	if path.Base(file) == catalogue.AdviceFile {
		err = f.readAdvice()
	} else {
		err = f.readStudy()
	}
	if err != nil {
		return nil, err
	}
	if c.of == nil {
		c.of = map[string]kept{}
	}
	c.of[folder] = kept{f, info.ModTime(), info.Size()}
	return &f, nil
}

func (f *found) readStudy() error {
	m, err := study.ReadManifest(f.dir)
	if err != nil {
		return err
	}
	f.manifest, f.asked = m, m.Asked
	f.Kind, f.Name, f.Status, f.Reason, f.Started = m.Kind, m.Name, m.Status, m.Reason, m.Started
	f.Done, f.Runs, f.flagged = m.Done, m.Runs, m.Executor == study.BySlurm
	return nil
}

func (f *found) readAdvice() error {
	a, err := advice.Read(f.dir)
	if err != nil {
		return err
	}
	f.Kind, f.Name, f.Status, f.Reason, f.Started = catalogue.Advice, "", a.Status, a.Reason, a.Started
	f.asked = a.Asked
	if r := a.Result; r != nil {
		f.Name, f.Done, f.Runs, f.budget, f.goodPct = r.Name, r.Done, r.Budget.Runs, r.Budget.Runs, r.GoodPct
		f.flagged = r.Seed != adviceSeed || r.RoughUm > 0
	}
	return nil
}
