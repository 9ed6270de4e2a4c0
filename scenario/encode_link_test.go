package scenario

import (
	"os"
	"path/filepath"
	"testing"
)

// A file is named from another folder relatively, unless a link on the way makes that name lead elsewhere.
func TestWayThroughLinks(t *testing.T) {
	root := t.TempDir()
	for _, folder := range []string{"work", "far/deep"} {
		if err := os.MkdirAll(filepath.Join(root, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	quake := filepath.Join(root, "work", "quake.csv")
	if err := os.WriteFile(quake, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../far/deep", filepath.Join(root, "work", "link")); err != nil {
		t.Fatal(err)
	}
	for folder, want := range map[string]string{
		"work/out": "../quake.csv", "work": "quake.csv", "far/deep/new": "../../../work/quake.csv", "work/link": quake,
		"work/link/new/er": quake,
	} {
		if got, err := way(filepath.Join(root, folder), quake); got != want || err != nil {
			t.Errorf("%s: %q, %v: want %q", folder, got, err, want)
		}
	}
}
