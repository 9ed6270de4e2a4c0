package study

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A log or a folder has one writer, whom others can see, and a log has readers beside it.
func TestLock(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, LogFile)
	if err := os.WriteFile(path, []byte("rows"), 0o644); err != nil {
		t.Fatal(err)
	}
	open := func() *os.File {
		file, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { file.Close() })
		return file
	}
	first, second := open(), open()
	if err := lock(first); err != nil {
		t.Fatal(err)
	}
	if err := lock(second); !errors.Is(err, errWritten) {
		t.Errorf("the second lock: %v: want that the file is written", err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "rows" {
		t.Errorf("%q, %v: want a log that can be read", text, err)
	}
	if Holder(dir) == "" {
		t.Error("nobody holds a locked log")
	}
	first.Close()
	if who := Holder(dir); who != "" {
		t.Errorf("%q holds a log that is free", who)
	}
	unlock, err := LockFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if Holder(dir) == "" {
		t.Error("nobody holds a locked folder")
	}
	if err := unlock(); err != nil || Holder(dir) != "" {
		t.Errorf("%v, %q: want a free folder", err, Holder(dir))
	}
}
