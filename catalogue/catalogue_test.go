package catalogue_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"rths"
	"rths/catalogue"
	"rths/record"
)

// manifest is one of a run that ended well.
func manifest(name string, criteria ...rths.Value) record.Manifest {
	return record.Manifest{
		Format: record.Format, Name: name, Status: record.Completed, RateHz: 1024, Samples: 2049, SimulatedS: 2.0009765625, WallS: 0.1,
		RealtimeFactor: 20.009765625, Started: "2026-11-02T10:00:00+01:00", Scenario: "compensator: {kind: amb}\n", Criteria: criteria,
	}
}

// leave writes the folder of a run without frames.
func leave(t testing.TB, dir, folder string, m record.Manifest) string {
	t.Helper()
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return leaveText(t, dir, folder, record.ManifestFile, string(text))
}

func leaveText(t testing.TB, dir, folder, file, text string) string {
	t.Helper()
	path := filepath.Join(dir, folder)
	if err := errors.Join(os.MkdirAll(path, 0o755), os.WriteFile(filepath.Join(path, file), []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
	return path
}

func add(t testing.TB, folder string) {
	t.Helper()
	if err := catalogue.Add(folder); err != nil {
		t.Fatal(err)
	}
}

func list(t testing.TB, dir string, q catalogue.Query) []catalogue.Entry {
	t.Helper()
	out, err := catalogue.List(dir, q)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// folders names the entries in their order.
func folders(list []catalogue.Entry) string {
	var out []string
	for _, e := range list {
		out = append(out, e.Folder)
	}
	return strings.Join(out, " ")
}

// Numbers are what they were to the last bit; what is not finite is NaN.
func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(1, 2))
	var values record.Values
	for i := range 1000 {
		values = append(values, rths.Value{Name: fmt.Sprintf("v%d", i), V: math.Float64frombits(r.Uint64())})
	}
	for i, x := range []float64{0, 1, -3, 1 << 53, 1 << 62, math.MaxFloat64, math.SmallestNonzeroFloat64, math.Pi, math.Inf(1), math.NaN()} {
		values = append(values, rths.Value{Name: fmt.Sprintf("w%d", i), V: x})
	}
	m := manifest("bits", values...)
	m.Tags, m.Reason, m.Status = []string{"b", "a"}, "tripped at t = 1 s", record.Tripped
	m.Indicators = record.Values{{Name: "sw_pct", V: 12.5}, {Name: "v3", V: 99}} // v3 is taken
	add(t, leave(t, dir, "a", m))
	got := list(t, dir, catalogue.Query{})[0]
	numbers := map[string]float64{}
	for _, v := range got.Numbers {
		numbers[v.Name] = v.V
	}
	want := append(values, rths.Value{Name: "sw_pct", V: 12.5}, rths.Value{Name: "rate_hz", V: 1024}, rths.Value{Name: "samples", V: 2049})
	for _, v := range want {
		if !rths.Finite(v.V) {
			v.V = math.NaN()
		}
		if x, ok := numbers[v.Name]; !ok || math.Float64bits(x) != math.Float64bits(v.V) && !(x != x && v.V != v.V) {
			t.Errorf("%s: %v (%x), found %v: want the same", v.Name, x, math.Float64bits(x), ok)
		}
	}
	got.Numbers = nil
	if want := (catalogue.Entry{
		Folder: "a", Kind: catalogue.Run, Name: "bits", Status: record.Tripped, Reason: m.Reason, Started: m.Started, Compensator: "amb", Tags: m.Tags,
	}); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v: want %+v", got, want)
	}
}

// A second Add of a folder replaces its row.
func TestAddAgain(t *testing.T) {
	dir := t.TempDir()
	first := manifest("first", rths.Value{Name: "J1_ms", V: 1}, rths.Value{Name: "J2_pct", V: 2})
	first.Tags = []string{"old"}
	add(t, leave(t, dir, "a", first))
	add(t, leave(t, dir, "b", manifest("b")))
	add(t, leave(t, dir, "a", manifest("second", rths.Value{Name: "J2_pct", V: 3})))
	got := list(t, dir, catalogue.Query{})
	if folders(got) != "a b" || got[0].Name != "second" || got[0].Tags != nil {
		t.Errorf("%+v: want one row of a, of the second", got)
	}
	if one, _ := catalogue.ParseCondition("J1_ms=1"); len(list(t, dir, catalogue.Query{Where: []catalogue.Condition{one}})) != 0 {
		t.Error("a criterion of the first is left")
	}
}

// A rebuild from the folders gives what the runs have left, row by row.
func TestRebuild(t *testing.T) {
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 30 {
		m := manifest(fmt.Sprintf("run %d", i%7), rths.Value{Name: "J2_pct", V: r.NormFloat64()}, rths.Value{Name: "J4_pct", V: math.NaN()})
		m.Started = time.Date(2026, 11, 2, 10, i, 0, 0, time.UTC).In(time.FixedZone("", 3600*(i%3))).Format(time.RFC3339)
		m.Tags = []string{"t", fmt.Sprint(i % 4)}[:i%3]
		m.Status = []string{record.Completed, record.Tripped, record.Running}[i%3]
		add(t, leave(t, dir, fmt.Sprintf("f%02d", i), m))
	}
	add(t, leaveText(t, dir, "study", catalogue.StudyFile, study))
	left := list(t, dir, catalogue.Query{})
	if err := os.Remove(filepath.Join(dir, catalogue.File)); err != nil {
		t.Fatal(err)
	}
	done, err := catalogue.Rebuild(dir)
	if err != nil || done.Runs != 30 || done.Studies != 1 || done.LeftOut != nil || done.Aside != "" {
		t.Fatalf("%+v, %v: want 30 runs and a study", done, err)
	}
	again := list(t, dir, catalogue.Query{})
	if len(left) != 31 {
		t.Errorf("%d rows: want 31", len(left))
	}
	wantSame(t, again, left)
	// A second rebuild changes nothing; rows of folders that are gone or broken go.
	if err := errors.Join(os.RemoveAll(filepath.Join(dir, "f03")), os.WriteFile(filepath.Join(dir, "f04", record.ManifestFile), []byte("{"), 0o644)); err != nil {
		t.Fatal(err)
	}
	leaveText(t, dir, "notes", "notes.txt", "no run")
	done, err = catalogue.Rebuild(dir)
	if err != nil || done.Runs != 28 || len(done.LeftOut) != 1 || !strings.Contains(done.LeftOut[0].Error(), "f04") {
		t.Errorf("%+v, %v: want 28 runs, and f04 left out", done, err)
	}
	want := append(append([]catalogue.Entry{}, left[:3]...), left[5:]...)
	wantSame(t, list(t, dir, catalogue.Query{}), want)
}

// wantSame compares row by row; NaN is the same as NaN.
func wantSame(t *testing.T, got, want []catalogue.Entry) {
	t.Helper()
	if folders(got) != folders(want) {
		t.Fatalf("%s: want %s", folders(got), folders(want))
	}
	for i, e := range got {
		if fmt.Sprintf("%+v", e) != fmt.Sprintf("%+v", want[i]) {
			t.Errorf("%+v: want %+v", e, want[i])
		}
	}
}

const study = `{"format": 1, "kind": "calibration", "name": "amb gains", "status": "stopped", "reason": "by the user", "started": "2026-11-03T09:00:00Z",
"tags": ["thesis"], "runs": 400, "failed": 2, "wall_s": 61.5, "values": {"J2_pct_best": 1.75, "spread": null}, "design": [1, 2, 3]}`

// A study is read from its own file, also where runs of it lie in the folder.
func TestStudy(t *testing.T) {
	dir := t.TempDir()
	leave(t, dir, "study", manifest("a run of it"))
	add(t, leaveText(t, dir, "study", catalogue.StudyFile, study))
	got := list(t, dir, catalogue.Query{Kind: catalogue.Calibration})
	numbers := ""
	for _, v := range got[0].Numbers {
		numbers += fmt.Sprintf("%s=%g ", v.Name, v.V)
	}
	if want := "runs=400 failed=2 wall_s=61.5 J2_pct_best=1.75 spread=NaN "; numbers != want {
		t.Errorf("%s: want %s", numbers, want)
	}
	got[0].Numbers = nil
	want := "[{Folder:study Kind:calibration Name:amb gains Status:stopped Reason:by the user Started:2026-11-03T09:00:00Z Compensator: Tags:[thesis] Numbers:[]}]"
	if fmt.Sprintf("%+v", got) != want {
		t.Errorf("%+v\nwant %s", got, want)
	}
	for text, want := range map[string]string{
		"{":                                  "study.json: want the file of a study",
		`{"format": 2, "kind": "study"}`:     "study.json: format 2: want 1",
		`{"format": 1, "kind": "benchmark"}`: `study.json: kind "benchmark": want study or calibration`,
		`{"format": 1, "kind": "study", "values": {"a": "b"}}`: "want a number or null",
	} {
		if err := catalogue.Add(leaveText(t, dir, "other", catalogue.StudyFile, text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v: want %q", text, err, want)
		}
	}
	if err := catalogue.Add(dir); err == nil || !strings.Contains(err.Error(), "is not the folder of a run") {
		t.Errorf("%v: want that the folder is none of a run", err)
	}
}

// Programs that end at once all get their rows in, and a rebuild among them loses none.
func TestTwoWriters(t *testing.T) {
	dir, n := t.TempDir(), 24
	var all sync.WaitGroup
	for i := range n {
		folder := leave(t, dir, fmt.Sprintf("f%02d", i), manifest("x", rths.Value{Name: "J1_ms", V: float64(i)}))
		all.Go(func() {
			if i%4 > 0 {
				if err := catalogue.Add(folder); err != nil {
					t.Error(err)
				}
				return
			}
			c := exec.Command(os.Args[0], "-test.run=TestAddElsewhere$")
			c.Env = append(os.Environ(), "CATALOGUE_ADD="+folder)
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	all.Go(func() {
		if _, err := catalogue.Rebuild(dir); err != nil {
			t.Error(err)
		}
	})
	all.Wait()
	if got := list(t, dir, catalogue.Query{}); len(got) != n {
		t.Errorf("%d rows of %d: %s", len(got), n, folders(got))
	}
}

// TestAddElsewhere is the program of TestTwoWriters.
func TestAddElsewhere(t *testing.T) {
	if folder := os.Getenv("CATALOGUE_ADD"); folder != "" {
		add(t, folder)
	}
}

// database opens a catalogue by other means.
func database(t *testing.T, dir string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, catalogue.File))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func exec1(t *testing.T, db interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
}, text string) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), text); err != nil {
		t.Fatal(err)
	}
}

// A locked catalogue costs 2 s and an error that says so.
func TestLocked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	add(t, leave(t, dir, "a", manifest("a")))
	c, err := database(t, dir).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	exec1(t, c, "BEGIN EXCLUSIVE")
	began := time.Now()
	err = catalogue.Add(leave(t, dir, "b", manifest("b")))
	if took := time.Since(began); err == nil || !strings.Contains(err.Error(), "another program has locked it for 2s") || took < time.Second || took > 4*time.Second {
		t.Errorf("%v after %v: want that it is locked, after 2 s", err, took)
	}
	if _, err := catalogue.List(dir, catalogue.Query{}); err == nil || !strings.Contains(err.Error(), "locked") {
		t.Errorf("%v: want that it is locked", err)
	}
	exec1(t, c, "ROLLBACK")
	add(t, filepath.Join(dir, "b"))
	if got := folders(list(t, dir, catalogue.Query{})); got != "a b" {
		t.Errorf("%s: want a b", got)
	}
}

// A reader does not keep a run from its row.
func TestReadMeanwhile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	add(t, leave(t, dir, "a", manifest("a")))
	c, err := database(t, dir).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	exec1(t, c, "BEGIN")
	exec1(t, c, "SELECT * FROM runs")
	go func() {
		time.Sleep(200 * time.Millisecond)
		c.ExecContext(context.Background(), "COMMIT")
	}()
	began := time.Now()
	add(t, leave(t, dir, "b", manifest("b")))
	if took := time.Since(began); took < 100*time.Millisecond {
		t.Errorf("it took %v: want to wait for the reader", took)
	}
}

// A program that is killed while it writes leaves a journal: the next one takes back what was
// half written.
func TestKilled(t *testing.T) {
	dir, copied := t.TempDir(), t.TempDir()
	add(t, leave(t, dir, "a", manifest("a")))
	c, err := database(t, dir).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	exec1(t, c, "PRAGMA cache_size = 1; BEGIN; UPDATE runs SET name = 'half'")
	// More than the cache holds: pages go to the file.
	exec1(t, c, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000) INSERT INTO numbers SELECT 9, i, 'n' || i, 1 FROM n")
	before, _ := os.ReadFile(filepath.Join(dir, catalogue.File))
	for _, end := range []string{"", "-journal"} {
		text, err := os.ReadFile(filepath.Join(dir, catalogue.File+end))
		if err == nil {
			err = os.WriteFile(filepath.Join(copied, catalogue.File+end), text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := list(t, copied, catalogue.Query{}); folders(got) != "a" || got[0].Name != "a" {
		t.Errorf("%+v: want a as it was", got)
	}
	add(t, leave(t, copied, "b", manifest("b")))
	if after, _ := os.ReadFile(filepath.Join(copied, catalogue.File)); len(after) >= len(before) {
		t.Errorf("%d bytes of %d: want what was half written gone", len(after), len(before))
	}
}

// A file that is no catalogue stays as it is until a rebuild gives it another name.
func TestForeignFile(t *testing.T) {
	other := t.TempDir()
	exec1(t, database(t, other), "CREATE TABLE mine (x); INSERT INTO mine VALUES (1)")
	foreign, err := os.ReadFile(filepath.Join(other, catalogue.File))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ text, want string }{
		"text":             {"my own file\n", "found no SQLite file: not a catalogue of runs"},
		"long text":        {strings.Repeat("my own file\n", 1000), "found no SQLite file: not a catalogue of runs"},
		"another database": {string(foreign), "a database of another program: not a catalogue of runs"},
		"half a database":  {string(foreign[:len(foreign)/2+100]), "not a catalogue of runs"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, catalogue.File)
			if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := catalogue.Add(leave(t, dir, "a", manifest("a"))); err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), path+": ") {
				t.Errorf("Add: %v: want %q", err, c.want)
			}
			if _, err := catalogue.List(dir, catalogue.Query{}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("List: %v: want %q", err, c.want)
			}
			wantText(t, path, c.text)
			if n := count(t, dir); n != 2 {
				t.Errorf("%d files: want the file and the folder", n)
			}
			for _, aside := range []string{path + ".old", ""} {
				if done, err := catalogue.Rebuild(dir); err != nil || done.Aside != aside || done.Runs != 1 {
					t.Errorf("%+v, %v: want one run, and the file as %q", done, err, aside)
				}
			}
			wantText(t, path+".old", c.text)
			if got := folders(list(t, dir, catalogue.Query{})); got != "a" {
				t.Errorf("%q: want a", got)
			}
		})
	}
}

func wantText(t *testing.T, path, want string) {
	t.Helper()
	if text, err := os.ReadFile(path); err != nil || string(text) != want {
		t.Errorf("%s: %v, %d bytes: want its %d bytes as they were", path, err, len(text), len(want))
	}
}

func count(t *testing.T, dir string) int {
	t.Helper()
	names, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}

// A newer version is left alone by all; an older one is rebuilt when it is read.
func TestVersions(t *testing.T) {
	dir := t.TempDir()
	folder := leave(t, dir, "a", manifest("a"))
	add(t, folder)
	db := database(t, dir)
	exec1(t, db, "PRAGMA user_version = 2")
	_, rebuilding := catalogue.Rebuild(dir)
	_, listing := catalogue.List(dir, catalogue.Query{})
	for _, err := range []error{catalogue.Add(folder), listing, rebuilding} {
		if err == nil || !strings.Contains(err.Error(), "version 2, by a newer rths: want version 1, or the newer rths") {
			t.Errorf("%v: want that a newer program has made it", err)
		}
	}
	exec1(t, db, "PRAGMA user_version = 0; DROP TABLE numbers")
	db.Close()
	if err := catalogue.Add(folder); err == nil || !strings.Contains(err.Error(), "version 0: want version 1: it has to be rebuilt") {
		t.Errorf("%v: want that it has to be rebuilt", err)
	}
	if got := folders(list(t, dir, catalogue.Query{})); got != "a" {
		t.Errorf("%s: want a", got)
	}
	add(t, folder)
}

// A file that is damaged in its middle is made anew from the folders.
func TestDamaged(t *testing.T) {
	dir := t.TempDir()
	for i := range 200 {
		add(t, leave(t, dir, fmt.Sprintf("f%03d", i), manifest("a", rths.Value{Name: "J1_ms", V: float64(i)})))
	}
	path := filepath.Join(dir, catalogue.File)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 4096 * 3; i < len(text); i++ {
		text[i] ^= 0x5a
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	if done, err := catalogue.Rebuild(dir); err != nil || done.Runs != 200 || done.Aside == "" {
		t.Errorf("%+v, %v: want 200 runs", done, err)
	}
	if got := list(t, dir, catalogue.Query{}); len(got) != 200 {
		t.Errorf("%d rows: want 200", len(got))
	}
}

// A folder that cannot be written to costs no more than the row.
func TestReadOnly(t *testing.T) {
	dir := t.TempDir()
	folder := leave(t, dir, "a", manifest("a"))
	// A link into a folder that nobody can write to stands for the catalogue: this also holds for root.
	if err := os.Symlink("/proc/none/catalogue", filepath.Join(dir, catalogue.File)); err != nil {
		t.Skip(err)
	}
	if err := catalogue.Add(folder); err == nil || !strings.Contains(err.Error(), "it cannot be opened, or not written") {
		t.Errorf("%v: want that it cannot be written", err)
	}
	if os.Getuid() == 0 {
		t.Skip("root may write everywhere: the folder without the right to write is left out")
	}
	readOnly := t.TempDir()
	folder = leave(t, readOnly, "a", manifest("a"))
	add(t, folder)
	for _, mode := range []os.FileMode{0o555, 0o755} {
		if err := os.Chmod(readOnly, mode); err != nil {
			t.Fatal(err)
		}
		if err := catalogue.Add(folder); (err == nil) != (mode == 0o755) {
			t.Errorf("mode %v: %v", mode, err)
		}
		if got := folders(list(t, readOnly, catalogue.Query{})); got != "a" {
			t.Errorf("mode %v: %q: want a", mode, got)
		}
	}
}

// A folder or a pipe in the place of the file is an error, and no waiting.
func TestNoPlainFile(t *testing.T) {
	dir := t.TempDir()
	folder := leave(t, dir, "a", manifest("a"))
	if err := os.Mkdir(filepath.Join(dir, catalogue.File), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := catalogue.Add(folder); err == nil || !strings.Contains(err.Error(), "want a plain file") {
		t.Errorf("%v: want a plain file", err)
	}
}
