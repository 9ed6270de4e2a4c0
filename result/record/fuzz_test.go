package record_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"rths"
	"rths/result/record"
)

// FuzzOpen opens folders whose frames are any bytes: an error or an archive
// with columns of one length, no panic, and no more memory than a few times
// the file and the largest batch.
func FuzzOpen(f *testing.F) {
	for _, rows := range []int{0, 1, 40} {
		dir := smallRun(f, rows)
		whole, err := os.ReadFile(filepath.Join(dir, record.FramesFile))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(whole)
		f.Add(whole[:len(whole)*2/3])
	}
	dir := smallRun(f, 0)
	f.Fuzz(func(t *testing.T, frames []byte) {
		if err := os.WriteFile(filepath.Join(dir, record.FramesFile), frames, 0o644); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		a, err := record.Open(dir)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 256<<20+100*uint64(len(frames)) {
			t.Errorf("%d bytes allocated for a file of %d", used, len(frames))
		}
		if err != nil {
			return
		}
		for _, name := range a.Names() {
			if v, ok := a.Column(name); !ok || len(v) != a.Rows() {
				t.Errorf("column %q: %d values in %d rows", name, len(v), a.Rows())
			}
		}
	})
}

// smallRun records at 32 Hz, so that a batch has 8 rows.
func smallRun(f *testing.F, rows int) string {
	dir := filepath.Join(f.TempDir(), "run")
	frame := rths.Frame{Desired: make([]float64, 1), Read: rths.NewReading(1, 1)}
	w, err := record.NewRecorder(dir, record.Manifest{RateHz: 32}, &frame, nil)
	if err != nil {
		f.Fatal(err)
	}
	for k := range rows {
		frame.T = float64(k) / 32
		w.Observe(&frame)
	}
	if err := w.Close(record.Manifest{RateHz: 32}); err != nil {
		f.Fatal(err)
	}
	return dir
}
