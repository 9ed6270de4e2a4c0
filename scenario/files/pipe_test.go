//go:build unix

package files_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"rths/scenario/files"
)

// To open a named pipe that nobody writes to does not wait.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Open(path); err == nil || !strings.Contains(err.Error(), "found a pipe: want a plain file") {
		t.Errorf("%v: want that a pipe is refused", err)
	}
}
