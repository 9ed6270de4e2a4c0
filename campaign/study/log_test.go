package study

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rths"
)

// However much of the log was written when the program was killed, the study goes on to the
// same rows, and makes no run of a whole line again.
func TestStudyGoesOnFromAnyByte(t *testing.T) {
	b, p := planned(t, crossed)
	whole := made(t, b, p, 2)
	want := rowsOf(whole)
	log, err := os.ReadFile(filepath.Join(whole.Dir, LogFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := whole.log.Close(); err != nil {
		t.Fatal(err)
	}
	heading := bytes.IndexByte(log, '\n') + 1
	for n := heading; n <= len(log); n += 97 {
		if err := os.WriteFile(filepath.Join(whole.Dir, LogFile), log[:n], 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := Resume(whole.Dir, Manifest{Kind: StudyKind}, p)
		if err != nil {
			t.Fatalf("%d of %d bytes: %v", n, len(log), err)
		}
		if kept := bytes.Count(log[:n], []byte("\nrow\t")); f.Table.Done() != kept && f.Table.Done() != kept-1 {
			t.Fatalf("%d of %d bytes: %d rows, of %d begun", n, len(log), f.Table.Done(), kept)
		}
		if err := b.Execute(t.Context(), p, f, Workers(2), nil); err != nil {
			t.Fatal(err)
		}
		sameRows(t, rowsOf(f), want)
		if err := f.log.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Rows of another version of the program are noted.
func TestResumeWithAnotherVersion(t *testing.T) {
	b, p := planned(t, crossed)
	f := made(t, b, p, 2)
	if _, err := f.Finish(p, rths.Completed, "", nil); err != nil {
		t.Fatal(err)
	}
	again, err := Resume(f.Dir, Manifest{Kind: StudyKind, Version: "other"}, p)
	if err != nil || len(again.Manifest.Notes) != 1 ||
		!strings.Contains(again.Manifest.Notes[0], "which has made 6 of the rows") {
		t.Errorf("%q, %v", again.Manifest.Notes, err)
	}
}

// The folder of another study, of none, and one that is being written are refused.
func TestResumeMistakes(t *testing.T) {
	b, p := planned(t, crossed)
	f := made(t, b, p, 2)
	for _, tc := range []struct{ name, text, want string }{
		{"seed", strings.Replace(crossed, "seed: 7", "seed: 8", 1), "another study"},
		{"points", strings.Replace(crossed, "points: 3", "points: 4", 1), "another study"},
		{"distribution", strings.Replace(crossed, "1.3e6", "1.4e6", 1), "another study"},
		{"level", strings.Replace(crossed, "[none, amb]", "[none, kf]", 1), "another study"},
		{"the same, while it is written", crossed, "another program"},
	} {
		_, other := planned(t, tc.text)
		if _, err := Resume(f.Dir, Manifest{Kind: StudyKind}, other); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
	_, other := planned(t, crossed, "specimen.mass=20")
	if _, err := Resume(f.Dir, Manifest{Kind: StudyKind}, other); err == nil ||
		!strings.Contains(err.Error(), "another study") {
		t.Errorf("another base scenario: %v", err)
	}
	if _, err := Resume(t.TempDir(), Manifest{Kind: StudyKind}, p); err == nil ||
		!strings.Contains(err.Error(), "no study") {
		t.Errorf("an empty folder: %v", err)
	}
	if _, err := Create(f.Dir, Manifest{Kind: StudyKind}, p); err == nil || !strings.Contains(err.Error(), "--resume") {
		t.Errorf("a folder with a study: %v", err)
	}
}

// A log on a full disk ends the study with the rows before.
func TestFullDiskEndsTheStudy(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here")
	}
	b, p := planned(t, crossed)
	f, err := Create(filepath.Join(t.TempDir(), "s"), Manifest{Kind: StudyKind}, p)
	if err != nil {
		t.Fatal(err)
	}
	f.log.Close()
	f.log = full
	if err := b.Execute(t.Context(), p, f, Workers(2), nil); err == nil ||
		!strings.Contains(err.Error(), "no space left") {
		t.Errorf("%v: want no space left", err)
	}
	if f.Table.Done() > 1 {
		t.Errorf("%d rows after the first could not be written", f.Table.Done())
	}
}

// longLog is the log of a study with 40 values a row.
func longLog(t testing.TB, runs int) (*Plan, []byte) {
	_, p := planned(t, fmt.Sprintf("points: %d\nvariables: {specimen.mass: {kind: uniform, from: 20, to: 30}}", runs))
	log := appendHeading(nil, p.Identity())
	values := make([]float64, 40)
	names := make([]string, len(values))
	for i := range values {
		values[i], names[i] = math.Sqrt(float64(i)), fmt.Sprintf("value%d_pct", i)
	}
	log = appendNames(log, names)
	for run := range runs {
		log = appendRow(log, &Row{Run: run, Status: rths.Completed, WallS: 0.02, SimulatedS: 41}, 0, values)
	}
	return p, log
}

// Rows of a long log are all there, with all digits.
func TestManyRowsAreRead(t *testing.T) {
	p, log := longLog(t, 5000)
	table := newTable(p.Runs())
	whole, err := readLog(bytes.NewReader(log), p.Identity(), table)
	if err != nil || len(table.Missing()) != 0 || whole != int64(len(log)) {
		t.Fatalf("%d bytes, %d missing, %v", whole, len(table.Missing()), err)
	}
	row, _ := table.Row(4999)
	if v, _ := row.Value("value39_pct"); v != math.Sqrt(39) {
		t.Errorf("last value %v", v)
	}
}

// What a study of 100 000 rows takes before it goes on: its plan and its log.
func BenchmarkResume(b *testing.B) {
	p, log := longLog(b, 100_000)
	for b.Loop() {
		_, again := planned(b, "points: 100000\nvariables: {specimen.mass: {kind: uniform, from: 20, to: 30}}")
		table := newTable(again.Runs())
		if _, err := readLog(bytes.NewReader(log), p.Identity(), table); err != nil || len(table.Missing()) != 0 {
			b.Fatal(err)
		}
	}
}

// FuzzLog reads any text as the log of a study: no panic, and what is read is within the table.
func FuzzLog(f *testing.F) {
	line := appendRow(nil, &Row{Run: 1, Status: "tripped", Reason: "a \"limit\"\n", Warnings: "w"}, 0,
		[]float64{1, math.NaN(), math.Inf(1)})
	good := string(appendHeading(nil, "id")) + "names\ta\tb\tc\n" + string(line)
	for _, seed := range []string{good, good[:len(good)-1], "", "rths rows 2\tother\n", "row\t1\n",
		"rths rows 2\tid\nrow\t0\t0\tx\tgood\t1\t1\t\"\"\t\"\"\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		table := newTable(3)
		whole, err := readLog(strings.NewReader(text), "id", table)
		if whole > int64(len(text)) || table.done > 3 {
			t.Fatalf("%d bytes of %d, %d rows", whole, len(text), table.done)
		}
		if err != nil {
			return
		}
		again := newTable(3)
		if n, err := readLog(strings.NewReader(text[:whole]), "id", again); n != whole || err != nil ||
			fmt.Sprint(again) != fmt.Sprint(table) {
			t.Fatalf("the whole lines by themselves give %d bytes, %v", n, err)
		}
	})
}
