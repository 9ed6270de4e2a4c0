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

// Only a plain file is opened, or a link to one.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	plain, link := filepath.Join(dir, "plain"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(plain, []byte("text"), 0o644), os.Symlink(plain, link)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{plain, link} {
		file, err := files.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(file); err != nil || string(text) != "text" {
			t.Errorf("%s: read %q, %v", path, text, err)
		}
		file.Close()
	}
	for path, want := range map[string]string{dir: "found a folder: want a plain file",
		"/dev/zero": "found a device: want a plain file", filepath.Join(dir, "none"): "no such file"} {
		if _, err := files.Open(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v: want %q", path, err, want)
		}
	}
}

// The size is looked at before anything is read.
func TestDiskOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, make([]byte, 1000), 0o644); err != nil {
		t.Fatal(err)
	}
	if file, err := (files.Disk{}).Open(path, 1000); err != nil {
		t.Error(err)
	} else {
		file.Close()
	}
	if _, err := (files.Disk{}).Open(path, 999); err == nil || !strings.Contains(err.Error(), "found a file of 0.001 MB") {
		t.Errorf("1000 bytes: %v: want at most 999", err)
	}
}

// A file appears whole or not at all, and nothing else is left beside it.
func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	names := func() int {
		entries, err := os.ReadDir(filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	broken := errors.New("broken")
	err := files.Write(path, func(w io.Writer) error {
		if names() != 1 {
			t.Errorf("%d files while writing: want a temporary one", names())
		}
		_, err := io.WriteString(w, "half")
		return errors.Join(err, broken)
	})
	if !errors.Is(err, broken) || names() != 0 {
		t.Errorf("%v, %d files left: want the error and none", err, names())
	}
	for _, text := range []string{"first", "second"} {
		if err := files.Write(path, func(w io.Writer) error { _, err := io.WriteString(w, text); return err }); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text || names() != 1 {
			t.Errorf("read %q, %v, %d files: want %q", got, err, names(), text)
		}
	}
	if err := files.Write(filepath.Join(path, "inside"), nil); err == nil || strings.Contains(err.Error(), ".rths-") {
		t.Errorf("%v: want an error with the name that was given", err)
	}
	if err := files.Write(os.DevNull, func(w io.Writer) error {
		_,
			err := io.WriteString(w, "x")
		return err
	}); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("%s is replaced", os.DevNull)
	}
}
