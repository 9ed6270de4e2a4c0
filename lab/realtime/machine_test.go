package realtime

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// plant writes files below a folder, which it gives.
func plant(t *testing.T, files map[string]string) (root string) {
	t.Helper()
	root = t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// with is a machine with other files; an empty text takes a file away.
func with(files, others map[string]string) map[string]string {
	out := maps.Clone(files)
	for name, text := range others {
		if out[name] = text; text == "" {
			delete(out, name)
		}
	}
	return out
}
