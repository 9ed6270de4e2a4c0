package files_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"rths/scenario/files"
)

// A file that is read, whole or in part, stands in the list once, with the hash of all of it.
func TestInputs(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile("abc", []byte("abc"), 0o644); err != nil {
		t.Fatal(err)
	}
	var in files.Inputs
	for _, n := range []int64{0, 1, 3, 100} {
		file, err := in.Open("abc", 3)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(io.Discard, file, n); err != nil && err != io.EOF {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := in.Sum("abc", 3); err != nil {
		t.Fatal(err)
	}
	// FIPS 180-2, appendix B.1
	const sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	if len(in.Read) != 1 || filepath.Base(in.Read[0].File) != "abc" || !filepath.IsAbs(in.Read[0].File) ||
		in.Read[0].SHA256 != sum {
		t.Errorf("read %+v: want abc once, with its path and %s", in.Read, sum)
	}
	if err := in.Sum("abc", 2); err == nil || len(in.Read) != 1 {
		t.Errorf("%v, %d files: want an error for 3 bytes of at most 2, and no entry", err, len(in.Read))
	}
}

// A file is compared with the one of its path, else with those of its name.
func TestChanged(t *testing.T) {
	before := []files.Input{{File: "/a/x", SHA256: "1"}, {File: "/b/x", SHA256: "2"}, {File: "/a/y", SHA256: "3"}}
	for _, c := range []struct {
		now     files.Input
		changed bool
	}{
		{files.Input{File: "/a/x", SHA256: "1"}, false},
		{files.Input{File: "/a/x", SHA256: "2"}, true},
		{files.Input{File: "/moved/x", SHA256: "2"}, false},
		{files.Input{File: "/moved/x", SHA256: "3"}, true},
		{files.Input{File: "/a/new", SHA256: "3"}, false},
	} {
		if got := files.Changed(before, []files.Input{c.now}); (len(got) == 1) != c.changed {
			t.Errorf("%+v: changed %v: want %v", c.now, got, c.changed)
		}
	}
}
