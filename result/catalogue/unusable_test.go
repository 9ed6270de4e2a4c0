package catalogue_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rths"
	"rths/result/catalogue"
)

// A file that is no catalogue stays as it is until a rebuild gives it another name.
func TestForeignFile(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"text": {"my own file\n", "found a file of another kind: unusable as a catalogue of runs"},
		"long text": {strings.Repeat("my own file\n", 1000),
			"found a file of another kind: unusable as a catalogue of runs"},
		"short text":       {"rthsruns\n", "found a file of another kind: unusable as a catalogue of runs"},
		"another database": {"SQLite format 3\x00" + strings.Repeat("\x00", 4080), "unusable as a catalogue of runs"},
		"other records": {"rthsruns\x01\x00\x00\x00" + strings.Repeat("x", 100),
			"found a damaged record at byte 12: unusable as a catalogue"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, catalogue.File)
			if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := catalogue.Add(leave(t, dir, "a", manifest("a"))); err == nil || !strings.Contains(err.Error(), c.want) ||
				!strings.HasPrefix(err.Error(), path+": ") {
				t.Errorf("Add: %v: want %q", err, c.want)
			}
			if _, err := catalogue.List(dir, catalogue.Query{}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("List: %v: want %q", err, c.want)
			}
			wantText(t, path, c.text)
			if n := count(t, dir); n != 2 {
				t.Errorf("%d files: want the file and the folder", n)
			}
			for _, aside := range []string{path + ".old", ""} {
				if done, err := catalogue.Rebuild(dir); err != nil || done.Aside != aside || done.Runs != 1 {
					t.Errorf("%+v, %v: want one run, and the file as %q", done, err, aside)
				}
			}
			wantText(t, path+".old", c.text)
			if err := os.WriteFile(path, []byte("again"), 0o644); err != nil {
				t.Fatal(err)
			}
			if done, err := catalogue.Rebuild(dir); err != nil || done.Aside != path+".old-2" {
				t.Errorf("%+v, %v: want the second file beside the first", done, err)
			}
			wantText(t, path+".old", c.text)
			if got := folders(list(t, dir, catalogue.Query{})); got != "a" {
				t.Errorf("%q: want a", got)
			}
		})
	}
}

func wantText(t *testing.T, path, want string) {
	t.Helper()
	if text, err := os.ReadFile(path); err != nil || string(text) != want {
		t.Errorf("%s: %v, %d bytes: want its %d bytes as they were", path, err, len(text), len(want))
	}
}

func count(t *testing.T, dir string) int {
	t.Helper()
	names, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}

// A newer version is left alone by all; an older one is rebuilt when it is read.
func TestVersions(t *testing.T) {
	dir := t.TempDir()
	folder := leave(t, dir, "a", manifest("a"))
	add(t, folder)
	is := func(version byte) {
		t.Helper()
		path := filepath.Join(dir, catalogue.File)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text[8] = version
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	is(7)
	_, rebuilding := catalogue.Rebuild(dir)
	_, listing := catalogue.List(dir, catalogue.Query{})
	for _, err := range []error{catalogue.Add(folder), listing, rebuilding} {
		if err == nil || !strings.Contains(err.Error(), "version 7, by a newer rths: want version 1, or the newer rths") {
			t.Errorf("%v: want that a newer program has made it", err)
		}
	}
	is(0)
	if err := catalogue.Add(folder); err == nil || !strings.Contains(err.Error(),
		"version 0: want version 1: it has to be rebuilt") {
		t.Errorf("%v: want that it has to be rebuilt", err)
	}
	if got := folders(list(t, dir, catalogue.Query{})); got != "a" {
		t.Errorf("%s: want a", got)
	}
	add(t, folder)
}

// A file that is damaged in its middle is made anew from the folders.
func TestDamaged(t *testing.T) {
	dir := t.TempDir()
	for i := range 200 {
		leave(t, dir, fmt.Sprintf("f%03d", i), manifest("a", rths.Value{Name: "J1_ms", V: float64(i)}))
	}
	if _, err := catalogue.Rebuild(dir); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, catalogue.File)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := len(text) / 2; i < len(text); i++ {
		text[i] ^= 0x5a
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := catalogue.List(dir, catalogue.Query{}); !errors.Is(err, catalogue.ErrUnusable) {
		t.Errorf("%v: want that it is damaged", err)
	}
	if done, err := catalogue.Rebuild(dir); err != nil || done.Runs != 200 || done.Aside == "" {
		t.Errorf("%+v, %v: want 200 runs", done, err)
	}
	if got := list(t, dir, catalogue.Query{}); len(got) != 200 {
		t.Errorf("%d rows: want 200", len(got))
	}
}

// A folder that cannot be written to costs no more than the row.
func TestReadOnly(t *testing.T) {
	dir := t.TempDir()
	folder := leave(t, dir, "a", manifest("a"))
	// A link into a folder that nobody can write to stands for the catalogue: this also holds for root.
	if err := os.Symlink("/proc/none/catalogue", filepath.Join(dir, catalogue.File)); err != nil {
		t.Skip(err)
	}
	if err := catalogue.Add(folder); err == nil || !strings.Contains(err.Error(), "it cannot be opened, or not written") {
		t.Errorf("%v: want that it cannot be written", err)
	}
	if os.Getuid() == 0 {
		t.Skip("root may write everywhere: the folder without the right to write is left out")
	}
	readOnly := t.TempDir()
	folder = leave(t, readOnly, "a", manifest("a"))
	add(t, folder)
	for _, mode := range []os.FileMode{0o555, 0o755} {
		if err := os.Chmod(readOnly, mode); err != nil {
			t.Fatal(err)
		}
		if err := catalogue.Add(folder); (err == nil) != (mode == 0o755) {
			t.Errorf("mode %v: %v", mode, err)
		}
		if got := folders(list(t, readOnly, catalogue.Query{})); got != "a" {
			t.Errorf("mode %v: %q: want a", mode, got)
		}
	}
}

// A folder or a pipe in the place of the file is an error, and no waiting.
func TestNoPlainFile(t *testing.T) {
	dir := t.TempDir()
	folder := leave(t, dir, "a", manifest("a"))
	if err := os.Mkdir(filepath.Join(dir, catalogue.File), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := catalogue.Add(folder); err == nil || !strings.Contains(err.Error(), "want a plain file") {
		t.Errorf("%v: want a plain file", err)
	}
	if _, err := catalogue.List(dir, catalogue.Query{}); err == nil ||
		!strings.Contains(err.Error(), "want a plain file") {
		t.Errorf("%v: want a plain file", err)
	}
	if done, err := catalogue.Rebuild(dir); err != nil || done.Runs != 1 ||
		!strings.HasSuffix(done.Aside, catalogue.File+".old") {
		t.Errorf("%+v, %v: want one run, and the folder put aside", done, err)
	}
	if _, err := catalogue.List(filepath.Join(dir, "a"), catalogue.Query{}); err == nil {
		t.Error("no error of a folder without a catalogue")
	}
	if _, err := catalogue.Rebuild(filepath.Join(dir, "none")); err == nil {
		t.Error("no error of a folder that is not there")
	}
	if names, err := os.ReadDir(filepath.Join(dir, "a")); err != nil || len(names) != 1 {
		t.Errorf("%v, %v: want the manifest alone", names, err)
	}
}
