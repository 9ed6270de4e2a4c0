// Package decide makes studies, calibrations and advices for the page of the workbench. They are made by the program:
// a page that closes does not end them, and one that opens finds them.
package decide

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"rths/campaign/study"
	"rths/result/catalogue"
	"rths/workbench"
)

// Desk makes the studies of the folder of a workbench. Several goroutines may use one.
type Desk struct {
	*workbench.Desk
	root *os.Root

	starting sync.Mutex // one folder after the other
	entries  cache

	sync.Mutex                  // of what follows
	works      map[string]*work // the last one of each folder
	changes    int
	changed    chan struct{} // closed at the next change
	due        bool          // a change is told soon
}

// work is a study, a calibration or an advice that this program makes.
type work struct {
	Start
	out  string      // its folder as this program opens it
	text string      // of its file
	plan *study.Plan // nil of an advice
	open func(context.Context) (out string, err error)
	run  func(context.Context) error
	stop context.CancelFunc
	over chan struct{} // closed at its end

	// with the lock of the desk
	progress
	ended bool
	wrong string // what could not be written
}

// progress is how far a work has come.
type progress struct {
	stage    string
	done, of int // runs of the stage
	runs     int // of all stages
	budget   int // at most so many runs; 0: not known
	begun    time.Time
	stageAt  time.Time
	last     time.Time
}

// New is the desk of a workbench.
func New(of *workbench.Desk) (*Desk, error) {
	root, err := os.OpenRoot(of.Folder)
	if err != nil {
		return nil, fmt.Errorf("decide: %w", err)
	}
	return &Desk{Desk: of, root: root, works: map[string]*work{}, changed: make(chan struct{})}, nil
}

// Calls are the calls of the page, by name.
func (d *Desk) Calls() map[string]workbench.Call {
	return map[string]workbench.Call{
		"studies":      workbench.Of(d.list),
		"study-start":  workbench.Of(d.start),
		"study-resume": workbench.Of(d.resume),
		"study-stop":   workbench.Of(d.end),
		"study-show":   workbench.Of(d.show),
		"study-run":    workbench.Of(d.scenarioOf),
	}
}

// Close stops what is made, as Ctrl-C does, and waits until its rows are kept.
func (d *Desk) Close() error {
	d.starting.Lock() // nothing begins any more
	d.Lock()
	var over []chan struct{}
	for _, w := range d.works {
		w.stop()
		over = append(over, w.over)
	}
	d.Unlock()
	for _, end := range over {
		<-end
	}
	return d.root.Close()
}

// soon is how long changes are gathered before they are told.
const soon = 300 * time.Millisecond

// tell tells those who wait that something has changed. The lock is held.
func (d *Desk) tell() {
	if d.due {
		return
	}
	d.due = true
	time.AfterFunc(soon, func() {
		d.Lock()
		defer d.Unlock()
		d.due = false
		d.changes++
		close(d.changed)
		d.changed = make(chan struct{})
	})
}

// launch begins a work whose folder is there.
func (d *Desk) launch(w *work) string {
	folder := d.inside(w.out)
	ctx, cancel := context.WithCancel(context.Background())
	now := time.Now()
	d.Lock()
	defer d.Unlock()
	w.stop, w.over, w.begun, w.stageAt, w.last = cancel, make(chan struct{}), now, now, now
	d.works[folder] = w
	d.tell()
	go d.make(ctx, w)
	return folder
}

// make makes a work to its end.
func (d *Desk) make(ctx context.Context, w *work) {
	wrong := ""
	defer func() {
		if p := recover(); p != nil {
			wrong = fmt.Sprintf("the program has failed: %v; please report this", p)
		}
		w.stop()
		d.Lock()
		defer d.Unlock()
		w.ended, w.wrong = true, wrong
		close(w.over)
		d.tell()
	}()
	if err := w.run(ctx); err != nil {
		wrong = err.Error()
	} else if err := catalogue.Add(w.out); err != nil {
		wrong = fmt.Sprintf("it is in no catalogue: %v: rebuild with rths runs --rebuild %s", err,
			filepath.Dir(d.inside(w.out)))
	}
}

// told takes the progress of a work.
func (d *Desk) told(w *work) func(stage string, done, of int) {
	return func(stage string, done, of int) {
		d.Lock()
		defer d.Unlock()
		if stage != w.stage {
			w.stage, w.stageAt = stage, w.last
		}
		w.done, w.of, w.last = done, of, time.Now()
		w.runs++
		d.tell()
	}
}

// share is the part of the stage, or of a known budget, that is done, and the seconds that the rest takes; negative:
// not known.
func (p *progress) share() (part, left float64) {
	done, of, since := p.done, p.of, p.stageAt
	if p.budget > 0 {
		done, of, since = min(p.runs, p.budget), p.budget, p.begun
	}
	if done == 0 || of == 0 {
		return 0, -1
	}
	return float64(done) / float64(of), p.last.Sub(since).Seconds() / float64(done) * float64(of-done)
}

// running is the work that this program makes in a folder; nil: none. The lock is held.
func (d *Desk) running(folder string) *work {
	if w := d.works[folder]; w != nil && !w.ended {
		return w
	}
	return nil
}

// inside is the path of a folder from the desk's, with slashes.
func (d *Desk) inside(path string) string {
	whole, err := filepath.Abs(path)
	from, wrong := filepath.Abs(d.Folder)
	if err == nil && wrong == nil {
		if way, err := filepath.Rel(from, whole); err == nil {
			return filepath.ToSlash(way)
		}
	}
	return filepath.ToSlash(path)
}

// defaultWorkers leave a processor for the page.
func defaultWorkers() int { return max(1, runtime.GOMAXPROCS(0)-1) }
