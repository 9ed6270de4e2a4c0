// Package workbench answers what the page of rths ui asks about the scenarios of a folder: their texts, what is wrong
// with them, how they run, and what their analyses say. It knows no network, so that a server and a worker in a browser
// can both hand it calls.
package workbench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"rths/maths/words"
)

// Desk answers calls. Several goroutines may use one.
type Desk struct {
	Folder  string // the scenarios
	Records string // named ground motions; "": none
	Version string // of the program

	store store
	all   map[string]Call

	saving sync.Mutex
	kept   keptRuns
}

// Open is the desk of a folder, which must exist. Files outside of it are neither read nor written. In a browser the
// folder is memory, empty at first.
func Open(folder, records, version string) (*Desk, error) {
	files, err := openStore(folder)
	if err != nil {
		return nil, err
	}
	d := &Desk{Folder: folder, Records: records, Version: version, store: files}
	d.all = d.calls()
	return d, nil
}

// Close lets go of the folder.
func (d *Desk) Close() error { return d.store.Close() }

// Refused is what is wrong with a call, for the reader of the page. All other errors are the program's.
type Refused struct{ error }

// Unwrap gives what was wrong.
func (r *Refused) Unwrap() error { return r.error }

// Refuse is an error of what was asked, for the reader of the page.
func Refuse(format string, args ...any) error { return &Refused{fmt.Errorf(format, args...)} }

// Call is one of the things a page may ask for: JSON in, and what encoding/json can write out.
type Call func(ctx context.Context, in []byte, progress func(share float64)) (any, error)

// calls are those about a text and the folder, by name.
func (d *Desk) calls() map[string]Call {
	return map[string]Call{
		"files":    Of(d.files),
		"open":     Of(d.open),
		"save":     Of(d.save),
		"new":      Of(d.create),
		"check":    Of(d.check),
		"complete": Of(d.complete),
		"hover":    Of(d.hover),
		"form":     Of(d.form),
		"edit":     Of(d.edit),
		"draw":     Of(d.draw),
		"try":      Long(d.try),
		"explain":  Long(d.explain),
		"map":      Of(d.mapped),
		"rehearse": Long(d.rehearse),
		"numbers":  Of(d.numbers),
	}
}

// Add adds calls that need more than a text and the folder. Their names must be new.
func (d *Desk) Add(calls map[string]Call) {
	for name, c := range calls {
		if _, twice := d.all[name]; twice {
			panic("workbench: two calls " + name)
		}
		d.all[name] = c
	}
}

// Call answers the call of that name with something that encoding/json can write. progress is told the share that is
// done, from 0 to 1, of a call that takes long; it may be nil. Where ctx ends, the call does too.
func (d *Desk) Call(ctx context.Context, name string, in []byte, progress func(share float64)) (any, error) {
	c, ok := d.all[name]
	if !ok {
		return nil, Refuse("call %q: want %s", name, words.OneOf(slices.Sorted(maps.Keys(d.all))))
	}
	if progress == nil {
		progress = func(float64) {}
	}
	return c(ctx, in, progress)
}

// Of is a call that reads its input as JSON without unknown keys.
func Of[In, Out any](f func(context.Context, In) (Out, error)) Call {
	return Long(func(ctx context.Context, in In, _ func(float64)) (Out, error) { return f(ctx, in) })
}

// Long is Of for a call that tells its progress.
func Long[In, Out any](f func(context.Context, In, func(float64)) (Out, error)) Call {
	return func(ctx context.Context, text []byte, progress func(float64)) (any, error) {
		var in In
		from := json.NewDecoder(bytes.NewReader(text))
		from.DisallowUnknownFields()
		if err := from.Decode(&in); err != nil {
			return nil, Refuse("the call cannot be read: %w", err)
		}
		return f(ctx, in, progress)
	}
}

// Place is a text of a page: a file of the folder, perhaps changed.
type Place struct {
	Path string `json:"path"` // in the folder, with slashes
	Text string `json:"text"`
}

// name is what messages call the text: the last part of the path, as the terminal in that folder does.
func (p Place) name() string { return p.Path[strings.LastIndexByte(p.Path, '/')+1:] }

// largestText is the largest file that is edited, bytes.
const largestText = 1 << 20

func (p Place) check() error {
	if len(p.Text) > largestText {
		return Refuse("%s: found %d bytes: want at most %d", p.name(), len(p.Text), largestText)
	}
	return nil
}

var errGone = errors.New("the page has asked for something newer")
