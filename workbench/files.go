package workbench

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"rths/scenario/syntax"
	"rths/scenarios"
)

// File is a scenario or a study of the folder.
type File struct {
	Path  string `json:"path"`
	Study bool   `json:"study,omitempty"`
}

// Files are what the folder has, and what a new scenario may begin with.
type Files struct {
	Folder    string           `json:"folder"`
	Files     []File           `json:"files"`
	More      int              `json:"more,omitempty"` // files that are not listed
	Templates []scenarios.Case `json:"templates"`
	Version   string           `json:"version"`
}

// How far the folder is looked through.
const (
	mostFiles = 500
	mostDeep  = 4
)

func (d *Desk) files(context.Context, struct{}) (Files, error) {
	cases, err := scenarios.Cases()
	if err != nil {
		return Files{}, err
	}
	out := Files{Folder: filepath.Base(d.Folder), Files: []File{}, Templates: cases, Version: d.Version}
	if whole, err := filepath.Abs(d.Folder); err == nil {
		out.Folder = whole
	}
	err = fs.WalkDir(d.store, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil && name == ".":
			return err
		case err != nil:
			return fs.SkipDir
		case e.IsDir() && name != "." && (strings.HasPrefix(e.Name(), ".") || strings.Count(name, "/") >= mostDeep ||
			d.isRun(name)):
			return fs.SkipDir
		case e.IsDir() || !isYAML(name) || !d.isFile(name):
			return nil
		case len(out.Files) == mostFiles:
			out.More++
			return nil
		}
		text, _ := d.read(name) // what cannot be read is said when it is opened
		isStudy, _ := syntax.HasKey(name, text, "scenario")
		out.Files = append(out.Files, File{name, isStudy})
		return nil
	})
	return out, err
}

// isRun is the folder of a run, a study or an advice: its scenarios are results.
func (d *Desk) isRun(name string) bool {
	for _, file := range results {
		if _, err := d.store.Stat(path.Join(name, file)); err == nil {
			return true
		}
	}
	return false
}

// isFile reports whether a name is a file of the folder: a link to one outside is not.
func (d *Desk) isFile(name string) bool {
	info, err := d.store.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

func isYAML(name string) bool {
	ending := strings.ToLower(path.Ext(name))
	return ending == ".yaml" || ending == ".yml"
}

// Text is a file as it is on the disk.
type Text struct {
	Place
	Revision string `json:"revision"` // of the text; "": there is no file yet
}

func revisionOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

type wanted struct {
	Path string `json:"path"`
}

func (d *Desk) open(_ context.Context, in wanted) (Text, error) {
	text, err := d.read(in.Path)
	if err != nil {
		return Text{}, err
	}
	return Text{Place{in.Path, string(text)}, revisionOf(text)}, nil
}

func (d *Desk) read(name string) ([]byte, error) {
	if err := wantPath(name); err != nil {
		return nil, err
	}
	file, err := d.store.Open(name)
	if err != nil {
		return nil, &Refused{err}
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return nil, Refuse("%s is a folder: want a file", name)
	}
	text, err := io.ReadAll(io.LimitReader(file, largestText+1))
	if err != nil {
		return nil, &Refused{err}
	}
	return text, Place{name, string(text)}.check()
}

func wantPath(name string) error {
	if !fs.ValidPath(name) || name == "." || !isYAML(name) {
		return Refuse("%q: want a .yaml file in the folder, as in frame.yaml", name)
	}
	return nil
}

// Save is a text to be kept, and the revision that it has grown from.
type Save struct {
	Place
	Revision string `json:"revision"` // "": the file must not be there yet
	Anyway   bool   `json:"anyway"`   // also if the file has changed meanwhile
}

// Saved has the new revision, or the file as somebody else has changed it.
type Saved struct {
	Revision string `json:"revision,omitempty"`
	Theirs   *Text  `json:"theirs,omitempty"`
}

func (d *Desk) save(_ context.Context, in Save) (Saved, error) {
	if err := errors.Join(wantPath(in.Path), in.check()); err != nil {
		return Saved{}, &Refused{err}
	}
	d.saving.Lock() // two windows of this page
	defer d.saving.Unlock()
	text, err := d.read(in.Path)
	found := ""
	switch {
	case err == nil:
		found = revisionOf(text)
	case !errors.Is(err, fs.ErrNotExist):
		return Saved{}, err
	}
	if found != in.Revision && found != revisionOf([]byte(in.Text)) && !in.Anyway {
		return Saved{Theirs: &Text{Place{in.Path, string(text)}, found}}, nil
	}
	if err := d.store.write(in.Path, in.Text); err != nil {
		return Saved{}, Refuse("%s is not saved: %w: want a folder that can be written", in.Path, err)
	}
	return Saved{Revision: revisionOf([]byte(in.Text))}, nil
}

// New is a scenario to be begun from a template.
type New struct {
	Path     string `json:"path"` // "": the template's name, with a number if that is taken
	Template string `json:"template"`
}

func (d *Desk) create(ctx context.Context, in New) (Text, error) {
	cases, err := scenarios.Cases()
	if err != nil {
		return Text{}, err
	}
	for _, c := range cases {
		if c.Name != in.Template {
			continue
		}
		at := in.Path
		for i := 1; at == ""; i++ {
			name := c.Name + ".yaml"
			if i > 1 {
				name = fmt.Sprintf("%s-%d.yaml", c.Name, i)
			}
			if _, err := d.store.Stat(name); errors.Is(err, fs.ErrNotExist) {
				at = name
			} else if err != nil {
				return Text{}, &Refused{err}
			}
		}
		saved, err := d.save(ctx, Save{Place: Place{at, c.Text}})
		switch {
		case err != nil:
			return Text{}, err
		case saved.Theirs != nil:
			return Text{}, Refuse("%s exists: want another name", at)
		}
		return Text{Place{at, c.Text}, saved.Revision}, nil
	}
	return Text{}, Refuse("template %q: want one that files lists", in.Template)
}
