package front_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The bundle of the editor is that of its sources and of the lock file, and the licences are those of what it holds.
func TestEditorBundle(t *testing.T) {
	bundle := read(t, "assets/editor.js")
	found := regexp.MustCompile(`^/\* rthsEditor, .* Holds: (.*)[.] Licences: .* Sources: ([0-9a-f]{64}) \*/\n`).
		FindSubmatch(bundle)
	if found == nil {
		t.Fatal("assets/editor.js does not begin with what it holds: run `make editor`")
	}

	var lock struct {
		Packages map[string]struct {
			Version string
			Dev     bool
		}
	}
	if err := json.Unmarshal(read(t, "editor/package-lock.json"), &lock); err != nil {
		t.Fatal(err)
	}
	locked := map[string]bool{}
	for path, p := range lock.Packages {
		if name, ok := strings.CutPrefix(path, "node_modules/"); ok && !p.Dev {
			locked[name+" "+p.Version] = true
		}
	}
	licences := string(read(t, "assets/editor.LICENSES.txt"))
	for name := range strings.SplitSeq(string(found[1]), ", ") {
		if !locked[name] {
			t.Errorf("the bundle holds %s, which is not in package-lock.json: run `make editor`", name)
		}
		_, text, ok := strings.Cut(licences, "=== "+name+"\n")
		if !ok || !strings.Contains(text, "Permission is hereby granted") {
			t.Errorf("no licence of %s in assets/editor.LICENSES.txt: run `make editor`", name)
		}
	}

	sources, err := filepath.Glob("editor/*.js")
	if err != nil || len(sources) < 5 {
		t.Fatalf("%q, %v: want the sources of the editor", sources, err)
	}
	sum := sha256.New()
	for _, name := range sources {
		sum.Write(read(t, name))
	}
	if fmt.Sprintf("%x", sum.Sum(nil)) != string(found[2]) {
		t.Error("assets/editor.js is not that of the sources: run `make editor`")
	}
}

// The page is loaded at once: 160 kB through the wire at most.
func TestEditorIsSmall(t *testing.T) {
	bundle := read(t, "assets/editor.js")
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(bundle); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes, packed %d", len(bundle), packed.Len())
	if packed.Len() > 160_000 {
		t.Errorf("assets/editor.js is %d bytes packed: want 160 000 or fewer", packed.Len())
	}
}
