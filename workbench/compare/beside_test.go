package compare

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rths"
	"rths/result/catalogue"
	"rths/result/record"
)

// recorded leaves a run of so many samples in the folder runs, and puts it into the catalogue.
func recorded(t testing.TB, folder, name string, rows int) string {
	t.Helper()
	dir := filepath.Join(folder, catalogue.Default, name)
	m := record.Manifest{Name: name, RateHz: 1024, Scenario: "name: " + name + "\nrate_hz: 1024\n",
		Started: "2026-11-02T10:00:00Z"}
	w, err := record.Create(dir, m, []record.Column{{Name: "time_s", Unit: "s", Source: "frame"},
		{Name: "measured_m", Unit: "m", Source: "frame"}})
	if err != nil {
		t.Fatal(err)
	}
	for k := range rows {
		w.Append([]float64{float64(k) / 1024, float64(k%1000) * 1e-6})
	}
	m.Status, m.Samples, m.Criteria = rths.Completed, rows, record.Values{{Name: "J2_pct", V: float64(rows)}}
	if err := w.Close(m); err != nil {
		t.Fatal(err)
	}
	if err := catalogue.Add(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Runs stand beside each other and lie over each other, also those that are gone, damaged or go on.
func TestCompareAndDraw(t *testing.T) {
	folder := t.TempDir()
	b := bench(t, folder)
	recorded(t, folder, "a", 3000)
	gone := recorded(t, folder, "gone", 10)
	bad := filepath.Join(recorded(t, folder, "bad", 3000), record.FramesFile)
	text, err := os.ReadFile(bad)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)-500] ^= 8
	if err := os.WriteFile(bad, text, 0o644); err != nil {
		t.Fatal(err)
	}
	m := record.Manifest{Name: "on", RateHz: 1024}
	w, err := record.Create(filepath.Join(folder, "runs", "on"), m,
		[]record.Column{{Name: "time_s", Unit: "s"}, {Name: "new", Unit: "m"}})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close(m)
	list := func() string {
		t.Helper()
		got, err := ask[Listed](t, b, "runs", Wanted{Sort: "run", Rows: 50})
		if err != nil {
			t.Fatal(err)
		}
		out := ""
		for _, r := range got.Rows {
			out += r.Run + " " + r.State + "; "
		}
		return out
	}
	if got := list(); got != "runs/a completed; runs/bad completed; runs/gone completed; runs/on running; " {
		t.Error(got)
	}
	if err := os.RemoveAll(gone); err != nil {
		t.Fatal(err)
	}
	if got := list(); got != "runs/a completed; runs/bad completed; runs/gone gone; runs/on running; " {
		t.Error(got)
	}
	some := Some{[]string{"runs/a", "runs/gone", "runs/bad", "runs/on"}}
	got, err := ask[Compared](t, b, "runs-compare", some)
	if err != nil {
		t.Fatal(err)
	}
	said := fmt.Sprint(got.Columns, got.Runs[1].Wrong, got.Runs[3].Ended)
	for _, want := range []string{"measured_m", "new", "its folder is gone", "running"} {
		if !strings.Contains(said, want) {
			t.Errorf("%s: want %q", said, want)
		}
	}
	var j2 []string
	for _, r := range got.Tables[1].Rows {
		if r.Name == "J2_pct" {
			j2 = r.Cells
		}
	}
	if fmt.Sprint(j2) != "[3000 10 3000 –]" {
		t.Errorf("%q: want J2 of all that have it", j2)
	}
	drawn, err := ask[Drawn](t, b, "runs-draw", Draw{Some: some, Columns: []string{"measured_m"}, Points: 500})
	if err != nil || len(drawn.Page) < 1000 || len(drawn.Wrong) != 2 ||
		!strings.Contains(drawn.Wrong["runs/bad"], "damaged") || !strings.Contains(drawn.Wrong["runs/gone"], "is gone") {
		t.Errorf("%v, %d bytes, %q: want curves, and what has none", err, len(drawn.Page), drawn.Wrong)
	}
	for range 2000 { // a row more than a batch
		w.Append([]float64{0, 1})
	}
	if _, err := ask[Drawn](t, b, "runs-draw", Draw{Some: some, Columns: []string{"new"}}); err != nil {
		t.Error(err)
	}
}

// Nothing outside of the folder is read or changed, neither by its name nor by a link.
func TestOutsideOfTheFolder(t *testing.T) {
	other, folder := t.TempDir(), t.TempDir()
	recorded(t, folder, "a", 10)
	secret := recorded(t, other, "secret", 10)
	if err := os.Symlink(secret, filepath.Join(folder, "runs", "link")); err != nil {
		t.Fatal(err)
	}
	frames := filepath.Join(folder, "runs", "a", record.FramesFile)
	if err := os.Rename(frames, frames+".away"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(secret, record.FramesFile), frames); err != nil {
		t.Fatal(err)
	}
	b := bench(t, folder)
	for _, run := range []string{"runs/link", "runs/a", "../" + filepath.Base(other), secret, "runs/../../x", "", "."} {
		if _, err := ask[Labelled](t, b, "runs-label", Label{asked: asked{run}, Add: []string{"x"}}); err == nil {
			t.Errorf("%q was labelled", run)
		}
		drawn, err := ask[Drawn](t, b, "runs-draw", Draw{Some: Some{[]string{run}}, Columns: []string{"measured_m"}})
		if err != nil || len(drawn.Page) > 4 || drawn.Wrong[run] == "" {
			t.Errorf("%q: %v, %+v: want why it is not drawn", run, err, drawn)
		}
		got, err := ask[Compared](t, b, "runs-compare", Some{[]string{run}})
		if err != nil || got.Runs[0].Record || got.Runs[0].Wrong == "" {
			t.Errorf("%q: %v, %+v: want nothing of it", run, err, got.Runs)
		}
	}
}

// The first drawing of a long run leaves a pyramid, with which the next one has the same curves; one that is damaged is
// made anew.
func TestPyramidInTheBackground(t *testing.T) {
	folder := t.TempDir()
	dir := recorded(t, folder, "long", record.PyramidRows)
	path := filepath.Join(dir, record.PyramidFile)
	in := Draw{Some: Some{[]string{"runs/long"}}, Columns: []string{"measured_m"}, Points: 300}
	draw := func(b *Bench) Drawn {
		t.Helper()
		got, err := ask[Drawn](t, b, "runs-draw", in)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	made := func() {
		t.Helper()
		for begun := time.Now(); ; time.Sleep(5 * time.Millisecond) {
			if a, err := record.Reopen(dir); err == nil {
				_, whole := a.Signal("measured_m")
				done := whole && !a.WantsPyramid()
				a.Close()
				if done {
					return
				}
			}
			if time.Since(begun) > 20*time.Second {
				t.Fatal("no pyramid in 20 s")
			}
		}
	}
	first := bench(t, folder)
	slow := draw(first)
	made()
	again, quick := draw(first), draw(bench(t, folder))
	if slow.Quick || !again.Quick || !quick.Quick || string(slow.Page) != string(quick.Page) ||
		string(slow.Page) != string(again.Page) {
		t.Errorf("quick %v, %v, %v: want the second and the third so, with the same curves", slow.Quick, again.Quick,
			quick.Quick)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)-20] ^= 1 // in the blocks of measured_m
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	b := bench(t, folder)
	if got := draw(b); string(got.Page) != string(slow.Page) {
		t.Error("with a damaged pyramid the curves are others")
	}
	made()
	if got := draw(b); !got.Quick || string(got.Page) != string(slow.Page) {
		t.Error("want the pyramid made anew, and the same curves")
	}
}

// A folder says how runs come there, and that there are some without a catalogue, which is made on request.
func TestNoRunsYet(t *testing.T) {
	folder := t.TempDir()
	b := bench(t, folder)
	got, err := ask[Listed](t, b, "runs", Wanted{})
	if err != nil || !strings.Contains(got.Empty, "rths run FILE") || got.Rebuild {
		t.Errorf("%v, %+v: want how runs come here", err, got)
	}
	dir := recorded(t, folder, "a", 10)
	runs := filepath.Dir(dir)
	leave(t, runs, "damaged", record.Manifest{})
	if err := os.WriteFile(filepath.Join(runs, "damaged", record.ManifestFile), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(runs, catalogue.File)); err != nil {
		t.Fatal(err)
	}
	got, err = ask[Listed](t, b, "runs", Wanted{})
	if err != nil || !got.Rebuild || !strings.Contains(got.Empty, "no catalogue") {
		t.Errorf("%v, %+v: want that a catalogue can be made", err, got)
	}
	done, err := ask[Rebuilt](t, b, "runs-rebuild", struct{}{})
	if err != nil || done.Runs != 1 || len(done.LeftOut) != 1 {
		t.Errorf("%v, %+v: want a run, and the damaged one left out", err, done)
	}
	got, err = ask[Listed](t, b, "runs", Wanted{Rows: 5})
	if err != nil || got.Total != 1 || !strings.Contains(strings.Join(got.Notes, " "), "damaged cannot be read") {
		t.Errorf("%v, %+v: want the run, and a note", err, got)
	}
	if err := os.WriteFile(filepath.Join(runs, catalogue.File), []byte("no catalogue, but text"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err = ask[Listed](t, b, "runs", Wanted{}); err == nil || !strings.Contains(err.Error(), "Rebuild makes it") {
		t.Errorf("%v: want what to do", err)
	}
}

// A list shows at once what was labelled, also by a change that leaves the instant of the file as it was.
func TestLabelIsShown(t *testing.T) {
	folder := t.TempDir()
	recorded(t, folder, "a", 10)
	b := bench(t, folder)
	for i := range 20 {
		tag := fmt.Sprint("t", i)
		if _, err := ask[Labelled](t, b, "runs-label", Label{asked: asked{"runs/a"}, Add: []string{tag}}); err != nil {
			t.Fatal(err)
		}
		got, err := ask[Listed](t, b, "runs", Wanted{Rows: 1})
		if err != nil || len(got.Rows[0].Tags) != i+1 {
			t.Fatalf("%v, %+v: want %d tags", err, got.Rows, i+1)
		}
	}
}
