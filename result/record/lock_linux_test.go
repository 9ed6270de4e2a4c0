package record

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A record that is closed can be completed at once, also while another process still has its files: one that another
// goroutine was just starting.
func TestLockEndsWithTheWriter(t *testing.T) {
	columns := []Column{{Name: "time_s", Unit: "s"}}
	m := Manifest{RateHz: 32, Columns: columns}
	dir := filepath.Join(t.TempDir(), "run")
	w, err := Create(dir, m, columns)
	if err != nil {
		t.Fatal(err)
	}
	copied, err := syscall.Dup(int(w.lock.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(copied)
	if err := Rewrite(dir, m, nil, nil); err == nil {
		t.Error("a folder that is written into was completed")
	}
	if err := w.Close(m); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := Rewrite(dir, m, nil, nil); err != nil {
			t.Errorf("behind the end: %v", err)
		}
	}
}

// An archive whose stream cannot be read leaves no file open: a program may look at many.
func TestUnsoundStreamIsClosed(t *testing.T) {
	path := filepath.Join(t.TempDir(), FramesFile)
	if err := os.WriteFile(path, []byte("no stream at all"), 0o644); err != nil {
		t.Fatal(err)
	}
	a := &Archive{Dir: filepath.Dir(path), stream: FramesFile}
	if err := a.readStream(); err == nil || !strings.HasPrefix(err.Error(), path+": ") {
		t.Errorf("%v: want that %s is told", err, path)
	}
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range open {
		if to, err := os.Readlink("/proc/self/fd/" + f.Name()); err == nil && to == path {
			t.Errorf("%s is still open", path)
		}
	}
}
