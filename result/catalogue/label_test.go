package catalogue_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"rths"
	"rths/result/catalogue"
)

// Tags and note of a reader are in the folder: a catalogue made anew has them, and the manifest stays as it was.
func TestRelabel(t *testing.T) {
	dir := t.TempDir()
	m := manifest("a")
	m.Tags = []string{"of the scenario", "b"}
	folder := leave(t, dir, "a", m)
	add(t, folder)
	before := string(must(os.ReadFile(filepath.Join(folder, "manifest.json"))))
	note := "the pump was cold; repeat\nin spring"
	e, err := catalogue.Relabel(folder, catalogue.Change{Add: []string{"thesis", "b"}, Remove: []string{"of the scenario"},
		Note: &note})
	if err != nil || fmt.Sprint(e.Tags) != "[b thesis]" || e.Note != note {
		t.Errorf("%v, %q, %q: want the tags b and thesis, and the note", err, e.Tags, e.Note)
	}
	check := func(when string) {
		t.Helper()
		got := list(t, dir, catalogue.Query{Tags: []string{"thesis"}})
		if len(got) != 1 || fmt.Sprint(got[0].Tags) != "[b thesis]" || got[0].Note != note {
			t.Errorf("%s: %+v: want tags and note", when, got)
		}
	}
	check("changed")
	add(t, folder)
	check("added again")
	if _, err := catalogue.Rebuild(dir); err != nil {
		t.Fatal(err)
	}
	check("rebuilt")
	if got := list(t, dir, catalogue.Query{Tags: []string{"of the scenario"}}); len(got) > 0 {
		t.Errorf("%+v: want no run with the tag that was removed", got)
	}
	wantText(t, filepath.Join(folder, "manifest.json"), before)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Of many that tag one run at once none is lost; of two that write a note the second is told what the first has
// written.
func TestRelabelTogether(t *testing.T) {
	dir := t.TempDir()
	folder := leave(t, dir, "a", manifest("a"))
	add(t, folder)
	const n = 8
	var all sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		all.Go(func() {
			_, errs[i] = catalogue.Relabel(folder, catalogue.Change{Add: []string{fmt.Sprint("tag", i)}})
		})
	}
	all.Wait()
	got := list(t, dir, catalogue.Query{})[0].Tags
	slices.Sort(got)
	if errors.Join(errs...) != nil || strings.Join(got, " ") != "tag0 tag1 tag2 tag3 tag4 tag5 tag6 tag7" {
		t.Errorf("%v, %q: want all tags", errors.Join(errs...), got)
	}
	mine, theirs := "mine", "theirs"
	if _, err := catalogue.Relabel(folder, catalogue.Change{Note: &theirs}); err != nil {
		t.Fatal(err)
	}
	_, err := catalogue.Relabel(folder, catalogue.Change{Note: &mine})
	if changed := (*catalogue.NoteChanged)(nil); !errors.As(err, &changed) || changed.Now != theirs {
		t.Errorf("%v: want that the note is theirs by now", err)
	}
	if _, err := catalogue.Relabel(folder, catalogue.Change{Note: &mine, Was: theirs}); err != nil {
		t.Errorf("%v: want the note of who has seen theirs", err)
	}
}

// A run that goes on is in no catalogue after it was tagged, and has its tags when it ends.
func TestRelabelRunning(t *testing.T) {
	dir := t.TempDir()
	add(t, leave(t, dir, "other", manifest("other")))
	m := manifest("a")
	m.Status = rths.Running
	folder := leave(t, dir, "a", m)
	e, err := catalogue.Relabel(folder, catalogue.Change{Add: []string{"x"}})
	if err != nil || fmt.Sprint(e.Tags) != "[x]" {
		t.Fatalf("%v, %q: want the tag", err, e.Tags)
	}
	if got := folders(list(t, dir, catalogue.Query{})); got != "other" {
		t.Errorf("%s: want the run not yet in the catalogue", got)
	}
	leave(t, dir, "a", manifest("a"))
	add(t, folder)
	if got := folders(list(t, dir, catalogue.Query{Tags: []string{"x"}})); got != "a" {
		t.Errorf("%q: want the run with its tag", got)
	}
}

// What is no tag, a damaged label, a link in its place and a folder that is gone are errors, and change nothing.
func TestRelabelRefuses(t *testing.T) {
	dir := t.TempDir()
	folder := leave(t, dir, "a", manifest("a"))
	add(t, folder)
	long, bell := strings.Repeat("x", 5000), "\a"
	for want, c := range map[string]catalogue.Change{
		"without commas": {Add: []string{"a,b"}}, "no blank": {Add: []string{" a"}}, "1 to 60": {Add: []string{""}},
		"without": {Add: []string{"a\n"}}, "to 60 char": {Add: []string{long}}, "at most 4000": {Note: &long},
		"none of control": {Note: &bell},
	} {
		if _, err := catalogue.Relabel(folder, c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q", err, want)
		}
	}
	path := filepath.Join(folder, catalogue.LabelFile)
	for text, want := range map[string]string{"{": "want the label", `{"format": 2}`: "format 2: want 1"} {
		leaveText(t, dir, "a", catalogue.LabelFile, text)
		if _, err := catalogue.Relabel(folder, catalogue.Change{Add: []string{"a"}}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q", err, want)
		}
		wantText(t, path, text)
	}
	elsewhere := filepath.Join(t.TempDir(), "label.json")
	leaveText(t, filepath.Dir(elsewhere), ".", "label.json", `{"format": 1}`)
	if err := errors.Join(os.Remove(path), os.Symlink(elsewhere, path)); err != nil {
		t.Fatal(err)
	}
	if _, err := catalogue.Relabel(folder, catalogue.Change{Add: []string{"a"}}); err == nil ||
		!strings.Contains(err.Error(), "no plain file") {
		t.Errorf("%v: want no link", err)
	}
	wantText(t, elsewhere, `{"format": 1}`)
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if _, err := catalogue.Relabel(folder, catalogue.Change{Add: []string{"a"}}); err == nil {
		t.Error("a folder that is gone: want an error")
	}
	if got := list(t, dir, catalogue.Query{}); len(got) != 1 || !got[0].Gone || len(got[0].Tags) > 0 {
		t.Errorf("%+v: want the run as it was, gone", got)
	}
}
