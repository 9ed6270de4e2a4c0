package catalogue

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"rths"
	"rths/scenario/files"
)

// LabelFile is the file in which a reader of a run, study or advice keeps tags and a note, in its folder. Its tags
// stand in place of those of the scenario, which the manifest goes on to have.
const LabelFile = "label.json"

// Bounds of a label.
const (
	labelFormat  = 1
	largestLabel = 256 << 10 // bytes of the file
	mostTags     = 50
	longestTag   = 60   // characters
	longestNote  = 4000 // characters
)

// label is the content of a LabelFile.
type label struct {
	Format int      `json:"format"`
	Tags   []string `json:"tags"`
	Note   string   `json:"note"`
}

// labelled gives an entry the tags and the note of the label in its folder, if there is one.
func (e *Entry) labelled(folder string) error {
	path := filepath.Join(folder, LabelFile)
	file, err := files.Disk{}.Open(path, largestLabel)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, largestLabel+1)) // the file may grow
	if err != nil {
		return err
	}
	var l label
	if err := json.Unmarshal(text, &l); err != nil {
		return fmt.Errorf("%s: want the label of a run, or no such file: %w", path, err)
	}
	if l.Format != labelFormat {
		return fmt.Errorf("%s: format %d: want %d", path, l.Format, labelFormat)
	}
	e.Tags, e.Note = once(l.Tags), l.Note
	return nil
}

// Change is what a reader changes of tags and note. Tags that others have added meanwhile stay.
type Change struct {
	Add, Remove []string // tags
	Note        *string  // nil: it stays
	Was         string   // the note that the reader has seen
}

// NoteChanged is the error of a note that somebody else has changed meanwhile.
type NoteChanged struct{ Now string }

// Error has the note that is there.
func (n *NoteChanged) Error() string {
	return fmt.Sprintf("the note is %q by now: somebody else has changed it: read it, and change it again", n.Now)
}

func (c *Change) check() error {
	for _, tag := range c.Add {
		bad := strings.ContainsFunc(tag, func(r rune) bool { return unicode.IsControl(r) || r == ',' })
		if n := len([]rune(tag)); tag != strings.TrimSpace(tag) || n == 0 || n > longestTag || bad {
			return fmt.Errorf("tag %q: want 1 to %d characters without commas, and no blank at an end", tag, longestTag)
		}
	}
	if c.Note == nil {
		return nil
	}
	bad := strings.ContainsFunc(*c.Note, func(r rune) bool { return unicode.IsControl(r) && r != '\n' })
	if n := len([]rune(*c.Note)); n > longestNote || bad {
		return fmt.Errorf("the note has %d characters: want at most %d, and none of control", n, longestNote)
	}
	return nil
}

// Relabel changes tags and note of a run, study or advice: first in its folder, then in the catalogue beside it. Of
// several programs that change one run each sees what the one before has done. A run that goes on is put into the
// catalogue when it ends.
func Relabel(run string, c Change) (Entry, error) {
	if err := c.check(); err != nil {
		return Entry{}, err
	}
	dir, _, err := Of(run)
	if err != nil {
		return Entry{}, err
	}
	var e Entry
	err = locked(dir, func(path string) error {
		old, err := load(path) // first: nothing changes where it cannot be used
		if err != nil {
			return err
		}
		if e, err = Read(run); err == nil {
			err = e.relabel(run, c)
		}
		if err != nil || e.Status == rths.Running && !old.has(e.Folder) {
			return err
		}
		return put(path, &e)
	})
	return e, err
}

// relabel changes an entry, and writes its label.
func (e *Entry) relabel(folder string, c Change) error {
	if c.Note != nil && e.Note != c.Was && e.Note != *c.Note {
		return &NoteChanged{e.Note}
	}
	if c.Note != nil {
		e.Note = *c.Note
	}
	e.Tags = slices.DeleteFunc(once(append(e.Tags, c.Add...)), func(tag string) bool {
		return slices.Contains(c.Remove, tag)
	})
	if len(e.Tags) > mostTags {
		return fmt.Errorf("%d tags: want at most %d", len(e.Tags), mostTags)
	}
	path := filepath.Join(folder, LabelFile)
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s: found no plain file: want one, or none", path)
	}
	text, err := json.MarshalIndent(label{labelFormat, append([]string{}, e.Tags...), e.Note}, "", "  ")
	if err != nil {
		return err
	}
	return files.Write(path, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}
