package record

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A manifest that is written over keeps the size of its file; a file that is too small, or refuses, is an error.
func TestManifestOverManifest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	if err := os.WriteFile(path, []byte("0123456789"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		flag       int
		text, want string
		holds      string
	}{
		{os.O_RDONLY, "abcd\n", "bad file descriptor", "0123456789"},
		{os.O_WRONLY, "abcdefghij\n", "has 10 bytes: want space for 11", "0123456789"},
		{os.O_WRONLY, "abcd\n", "", "abcd     \n"},
		{os.O_WRONLY, "abcdefghi\n", "", "abcdefghi\n"},
	} {
		file, err := os.OpenFile(path, c.flag, 0)
		if err != nil {
			t.Fatal(err)
		}
		err = fill(file, []byte(c.text))
		file.Close()
		if now, _ := os.ReadFile(path); (err == nil) != (c.want == "") ||
			err != nil && !strings.Contains(err.Error(), c.want) || string(now) != c.holds {
			t.Errorf("%q: %v, file %q: want %q and %q", c.text, err, now, c.want, c.holds)
		}
	}
}

// Where no room can be allocated, as in a pipe, it is made by writing.
func TestReserveByWriting(t *testing.T) {
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if err := errors.Join(reserve(in, 100), in.Close()); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(out); err != nil || string(got) != strings.Repeat(" ", 100) {
		t.Errorf("%q, %v: want 100 spaces", got, err)
	}
}
