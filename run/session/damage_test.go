package session

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/result/record"
	"rths/scenario"
)

// recorded is the folder of a record that is over, with rows in both streams if it is a test.
func recorded(t *testing.T, m record.Manifest) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	columns := []record.Column{{Name: "command_m", Unit: "m"}, {Name: "measured_m", Unit: "m"},
		{Name: "force_N", Unit: "N"}, {Name: "phase", Unit: "-"}, {Name: "reading", Unit: "-"}}
	w := rthstest.Must(record.Create(dir, m, columns))
	for k := range 50 {
		w.Append([]float64{0, 0, 0, float64(running), float64(k)})
		if m.Test != nil {
			w.AppendAround([]float64{0, 0, 0, float64(after), float64(k)})
		}
	}
	if err := w.Close(m); err != nil {
		t.Fatal(err)
	}
	return dir
}

// damage alters a bit in the middle of a file, and returns what mends it.
func damage(t *testing.T, path string) (mend func()) {
	t.Helper()
	text := rthstest.Must(os.ReadFile(path))
	put := func() {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text[len(text)/2] ^= 1
	put()
	return func() { text[len(text)/2] ^= 1; put() }
}

// Neither a replay nor a recovery takes a record that was altered, in whichever of its files. A sound
// record has nothing to recover.
func TestDamagedTest(t *testing.T) {
	m := record.Manifest{Name: "test", Status: rths.Completed, RateHz: 64, Scenario: small, Test: &record.Test{}}
	dir := recorded(t, m)
	for _, name := range []string{record.FramesFile, record.AroundFile} {
		mend := damage(t, filepath.Join(dir, name))
		_, replayed := NewReplay(t.Context(), dir, scenario.Options{})
		_, recovered := Recover(t.Context(), dir, scenario.Options{})
		for what, err := range map[string]error{"replay": replayed, "recovery": recovered} {
			var found *record.Damage
			if !errors.As(err, &found) || filepath.Base(found.Path) != name || errors.Is(err, errWhole) {
				t.Errorf("%s of an altered %s: %v: want a damage", what, name, err)
			}
		}
		mend()
	}
	if _, err := Recover(t.Context(), dir, scenario.Options{}); !errors.Is(err, errWhole) {
		t.Errorf("recovery of a sound record: %v: want %v", err, errWhole)
	}
	if _, err := NewReplay(t.Context(), dir, scenario.Options{}); err == nil || errors.As(err, new(*record.Damage)) {
		t.Errorf("replay of a sound record without the columns of its scenario: %v: want another error", err)
	}
}

// A damaged run is no rehearsal, whether it was named or found.
func TestDamagedRehearsal(t *testing.T) {
	m := record.Manifest{Name: "run", Status: rths.Completed, RateHz: 64, Scenario: small, Version: "1",
		Started: "2026-11-26T01:00:00Z"}
	dir := recorded(t, m)
	find := map[string]func() (*rehearsal, error){
		"named": func() (*rehearsal, error) { return findRehearsal(dir, nil, &m) },
		"found": func() (*rehearsal, error) { return findRehearsal("", []string{filepath.Dir(dir)}, &m) },
	}
	for name, of := range find {
		if r, err := of(); err != nil || r.folder != dir {
			t.Errorf("%s: %v: want the sound run", name, err)
		}
	}
	damage(t, filepath.Join(dir, record.FramesFile))
	for name, of := range find {
		if _, err := of(); !errors.As(err, new(*record.Damage)) {
			t.Errorf("%s: %v: want a damage", name, err)
		}
	}
}

// newOnly is a writer of these columns.
func newOnly(t *testing.T, names ...string) *record.Writer {
	t.Helper()
	var columns []record.Column
	for _, name := range names {
		columns = append(columns, record.Column{Name: name, Unit: "-"})
	}
	m := record.Manifest{Name: "test", RateHz: 64, Test: &record.Test{}}
	w := rthstest.Must(record.Create(filepath.Join(t.TempDir(), "run"), m, columns))
	t.Cleanup(func() { _ = w.Close(m) })
	return w
}
