// Package compare answers what the page of rths ui asks about the runs of a folder: which there are, by the catalogue
// and the conditions of rths runs; what differs among some of them; and their curves laid over each other. It changes
// tags, notes and catalogues, and keeps pyramids beside long archives; all else of a run stays as it is.
package compare

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"rths/result/catalogue"
	"rths/result/record"
	"rths/workbench"
)

// Bench is the runs of a folder. Several goroutines may use one.
type Bench struct {
	folder string
	root   *os.Root

	listing sync.Mutex
	lists   []*list // that were asked for last, the newest first
	made    int     // lists so far

	drawing  sync.Mutex // an archive is read by one call at a time
	archives []*opened  // that were drawn last, the newest first
	piling   sync.WaitGroup
	stop     chan struct{} // closed: no pyramid is wanted any more
	busy     chan struct{} // holds an entry while a pyramid is made
}

// Open is the bench of a folder, which must exist. No run outside of it is read.
func Open(folder string) (*Bench, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("compare: %w: want a folder", err)
	}
	return &Bench{folder: folder, root: root, stop: make(chan struct{}), busy: make(chan struct{}, 1)}, nil
}

// Close ends what goes on in the background, and lets go of folder and runs.
func (b *Bench) Close() error {
	close(b.stop)
	b.drawing.Lock() // from here on nobody begins a pyramid
	b.drop(b.archives)
	b.drawing.Unlock()
	b.piling.Wait()
	return b.root.Close()
}

// Calls are the calls of the page.
func (b *Bench) Calls() map[string]workbench.Call {
	return map[string]workbench.Call{
		"runs":         workbench.Of(b.runs),
		"runs-label":   workbench.Of(b.label),
		"runs-rebuild": workbench.Of(b.rebuild),
		"runs-compare": workbench.Of(b.compare),
		"runs-draw":    workbench.Of(b.draw),
	}
}

// place is the folder of a run, which a page names from the bench's folder with slashes. It is not outside of that,
// neither by its name nor by links; err is fs.ErrNotExist where it is gone.
func (b *Bench) place(name string) (dir string, err error) {
	if !fs.ValidPath(name) {
		return "", workbench.Refuse("%q: want the folder of a run, as in runs/demo", name)
	}
	for _, file := range []string{"", record.FramesFile, record.ManifestFile} {
		_, err := b.root.Stat(path.Join(name, file)) // a link that leads out is another error
		if err != nil && (file == "" || !os.IsNotExist(err)) {
			return "", err
		}
	}
	return filepath.Join(b.folder, filepath.FromSlash(name)), nil
}

// nameOf is the name of a run for the page.
func (b *Bench) nameOf(r *catalogue.Item) string {
	name, err := filepath.Rel(b.folder, r.Path())
	if err != nil {
		return filepath.ToSlash(r.Path())
	}
	return filepath.ToSlash(name)
}

// asked is a run that a call is about.
type asked struct {
	Run string `json:"run"`
}

// Label is a change of tags and note of a run.
type Label struct {
	asked
	Add    []string `json:"add,omitempty"`
	Remove []string `json:"remove,omitempty"`
	Note   *string  `json:"note,omitempty"`
	Was    string   `json:"was,omitempty"` // the note that the page has shown
}

// Labelled is what tags and note are by now.
type Labelled struct {
	Tags []string `json:"tags"`
	Note string   `json:"note"`
}

func (b *Bench) label(_ context.Context, in Label) (Labelled, error) {
	dir, err := b.place(in.Run)
	if os.IsNotExist(err) {
		return Labelled{}, workbench.Refuse("%s is gone: its tags and its note cannot be changed", in.Run)
	}
	if err != nil {
		return Labelled{}, workbench.Refuse("%w", err)
	}
	e, err := catalogue.Relabel(dir, catalogue.Change{Add: in.Add, Remove: in.Remove, Note: in.Note, Was: in.Was})
	if err != nil {
		return Labelled{}, workbench.Refuse("%s: %w", in.Run, err)
	}
	b.forget()
	return Labelled{append([]string{}, e.Tags...), e.Note}, nil
}

// Rebuilt says what has become of catalogues that were made anew.
type Rebuilt struct {
	Runs    int      `json:"runs"` // with studies and advice
	LeftOut []string `json:"left_out"`
}

func (b *Bench) rebuild(context.Context, struct{}) (Rebuilt, error) {
	out := Rebuilt{LeftOut: []string{}}
	for _, dir := range b.holding() {
		done, err := catalogue.Rebuild(dir)
		if err != nil {
			return out, workbench.Refuse("the catalogue of %s is not made: %w", dir, err)
		}
		out.Runs += done.Runs + done.Studies
		for _, err := range done.LeftOut {
			out.LeftOut = append(out.LeftOut, err.Error())
		}
	}
	b.forget()
	return out, nil
}

// holding are the folders that hold runs or a catalogue.
func (b *Bench) holding() (dirs []string) {
	for _, name := range []string{catalogue.Default, "."} {
		dir := filepath.Join(b.folder, name)
		if _, err := os.Stat(filepath.Join(dir, catalogue.File)); err == nil || len(runsIn(dir, 1)) > 0 {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// runsIn are at most so many runs in a folder.
func runsIn(dir string, most int) (out []string) {
	list, _ := os.ReadDir(dir) // of no folder: none
	for _, e := range list {
		if len(out) < most && !strings.HasPrefix(e.Name(), ".") && catalogue.IsRun(filepath.Join(dir, e.Name())) {
			out = append(out, e.Name())
		}
	}
	return out
}
