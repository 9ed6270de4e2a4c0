package files_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rths/scenario/files"
)

// A folder appears whole or not at all, and one that exists stays as it is.
func TestNewFolder(t *testing.T) {
	beside := t.TempDir()
	path := filepath.Join(beside, "folder")
	left := func() int {
		entries, err := os.ReadDir(beside)
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	fill := func(dir string) error {
		if _, err := os.Lstat(path); err == nil {
			t.Error("the folder is there before it is whole")
		}
		return files.Write(filepath.Join(dir, "file"), func(w io.Writer) error {
			_,
				err := io.WriteString(w, "text")
			return err
		})
	}
	broken := errors.New("broken")
	err := files.NewFolder(path, func(dir string) error { return errors.Join(fill(dir), broken) })
	if !errors.Is(err, broken) || left() != 0 {
		t.Errorf("%v, %d entries left: want the error and none", err, left())
	}
	if err := files.NewFolder(path, fill); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(path, "file")); err != nil || string(text) != "text" || left() != 1 {
		t.Errorf("%q, %v, %d entries: want the file in one folder", text, err, left())
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("%v, %v: want a folder that others may read", info.Mode(), err)
	}
	if err := files.NewFolder(path, fill); err == nil ||
		!strings.Contains(err.Error(), "folder exists: want a new folder") {
		t.Errorf("%v: want that the folder exists", err)
	}
	if err := files.NewFolder(filepath.Join(beside, "none", "folder"), fill); err == nil ||
		strings.Contains(err.Error(), ".rths-") {
		t.Errorf("%v: want an error with the name that was given", err)
	}
}
