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
	"os"
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

	root *os.Root

	saving sync.Mutex
	kept   keptRuns
}

// Open is the desk of a folder, which must exist. Files outside of it are neither read nor written.
func Open(folder, records, version string) (*Desk, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("workbench: %w: want a folder", err)
	}
	return &Desk{Folder: folder, Records: records, Version: version, root: root}, nil
}

// Close lets go of the folder.
func (d *Desk) Close() error { return d.root.Close() }

// Refused is what is wrong with a call, for the reader of the page. All other errors are the program's.
type Refused struct{ error }

// Unwrap gives what was wrong.
func (r *Refused) Unwrap() error { return r.error }

func refuse(format string, args ...any) error { return &Refused{fmt.Errorf(format, args...)} }

// call is one of the things a page may ask for.
type call func(ctx context.Context, d *Desk, in []byte, progress func(share float64)) (any, error)

// calls are all of them, by name.
var calls = map[string]call{
	"files":    of((*Desk).files),
	"open":     of((*Desk).open),
	"save":     of((*Desk).save),
	"new":      of((*Desk).create),
	"check":    of((*Desk).check),
	"complete": of((*Desk).complete),
	"hover":    of((*Desk).hover),
	"draw":     of((*Desk).draw),
	"try":      long((*Desk).try),
	"explain":  long((*Desk).explain),
	"map":      of((*Desk).mapped),
	"rehearse": long((*Desk).rehearse),
	"numbers":  of((*Desk).numbers),
}

// Call answers the call of that name with something that encoding/json can write. progress is told the share that is
// done, from 0 to 1, of a call that takes long; it may be nil. Where ctx ends, the call does too.
func (d *Desk) Call(ctx context.Context, name string, in []byte, progress func(share float64)) (any, error) {
	c, ok := calls[name]
	if !ok {
		var names []string
		for n := range calls {
			names = append(names, n)
		}
		slices.Sort(names)
		return nil, refuse("call %q: want %s", name, words.OneOf(names))
	}
	if progress == nil {
		progress = func(float64) {}
	}
	return c(ctx, d, in, progress)
}

// of is a call that reads its input as JSON without unknown keys.
func of[In, Out any](f func(*Desk, context.Context, In) (Out, error)) call {
	return long(func(d *Desk, ctx context.Context, in In, _ func(float64)) (Out, error) { return f(d, ctx, in) })
}

func long[In, Out any](f func(*Desk, context.Context, In, func(float64)) (Out, error)) call {
	return func(ctx context.Context, d *Desk, text []byte, progress func(float64)) (any, error) {
		var in In
		from := json.NewDecoder(bytes.NewReader(text))
		from.DisallowUnknownFields()
		if err := from.Decode(&in); err != nil {
			return nil, refuse("the call cannot be read: %w", err)
		}
		return f(d, ctx, in, progress)
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
		return refuse("%s: found %d bytes: want at most %d", p.name(), len(p.Text), largestText)
	}
	return nil
}

var errGone = errors.New("the page has asked for something newer")
