package record

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An error of the disk when it syncs is a failure of the record. A pipe cannot be synced.
func TestSyncFails(t *testing.T) {
	columns := []Column{{Name: "time_s", Unit: "s"}}
	for _, c := range []struct {
		name   string
		broken func(w *Writer) *stream
	}{
		{"frames", func(w *Writer) *stream { return w.frames }},
		{"around", func(w *Writer) *stream { return w.around }},
	} {
		dir := filepath.Join(t.TempDir(), "run")
		w, err := Create(dir, Manifest{RateHz: 32}, columns)
		if err != nil {
			t.Fatal(err)
		}
		for range 9 {
			w.Append([]float64{1})
			w.AppendAround([]float64{1})
		}
		if err := w.Sync(); err != nil {
			t.Fatal(err)
		}
		for range 8 {
			w.Append([]float64{1})
			w.AppendAround([]float64{1})
		}
		r, p, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		s := c.broken(w)
		s.file.Close()
		s.file = p
		if err := w.Sync(); err == nil || w.Err() != err || !strings.HasPrefix(err.Error(), "sync ") {
			t.Errorf("%s: %v, kept %v: want an error of the disk", c.name, err, w.Err())
		}
		w.Append([]float64{1})
		var failure *Failure
		if err := w.Close(Manifest{RateHz: 32}); !errors.As(err, &failure) || failure.Rows != 16 || failure.Unsaid != nil {
			t.Errorf("%s: %v: want a failure with 16 rows", c.name, err)
		}
	}
}

// After a Sync, Close syncs too, also the rows that came last.
func TestCloseSyncs(t *testing.T) {
	for _, sync := range []bool{false, true} {
		w, err := Create(filepath.Join(t.TempDir(), "run"), Manifest{RateHz: 32}, []Column{{Name: "time_s", Unit: "s"}})
		if err != nil {
			t.Fatal(err)
		}
		w.Append([]float64{1})
		w.AppendAround([]float64{1})
		if sync && w.Sync() != nil {
			t.Fatal(w.Err())
		}
		if err := w.Close(Manifest{RateHz: 32}); err != nil {
			t.Fatal(err)
		}
		if w.frames.dirty == sync || w.around.dirty == sync {
			t.Errorf("synced %v: %v and %v are not on the disk", sync, w.frames.dirty, w.around.dirty)
		}
	}
}

// Where nothing was written since the last Sync, the disk is not asked again: it may be slow.
func TestSyncOfNothing(t *testing.T) {
	r, p, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer p.Close()
	for _, s := range []stream{{file: p}, {file: p, dirty: true}} {
		if err := s.sync(); (err != nil) != s.dirty {
			t.Errorf("dirty %t: %v: want an error only where there is something to sync", s.dirty, err)
		}
	}
}
