package record

import (
	"path/filepath"
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
