package files_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rths/scenario/files"
)

// A file that a program reads is replaced as soon as that program closes it. If it does not, the file stays as it was.
func TestWriteOverOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	write := func(text string) error {
		return files.Write(path, func(w io.Writer) error { _, err := fmt.Fprint(w, text); return err })
	}
	if err := write("first"); err != nil {
		t.Fatal(err)
	}
	reader, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := write("second"); err == nil || !strings.Contains(err.Error(), "close it there") {
		t.Errorf("%v: want that the file is open", err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "first" {
		t.Errorf("%q, %v: want the file as it was", text, err)
	}
	time.AfterFunc(300*time.Millisecond, func() { reader.Close() })
	if err := write("third"); err != nil {
		t.Errorf("%v: want a writer that waits", err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "third" {
		t.Errorf("%q, %v: want the new text", text, err)
	}
}
