package catalogue_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rths"
	"rths/result/catalogue"
	"rths/result/record"
)

// manifest is one of a run that ended well.
func manifest(name string, criteria ...rths.Value) record.Manifest {
	return record.Manifest{
		Format: record.Format, Name: name, Status: rths.Completed, RateHz: 1024, Samples: 2049, SimulatedS: 2.0009765625,
		WallS:          0.1,
		RealtimeFactor: 20.009765625, Started: "2026-11-02T10:00:00+01:00", Scenario: "compensator: {kind: amb}\n",
		Criteria: criteria,
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
	if err := errors.Join(os.MkdirAll(path, 0o755), os.WriteFile(filepath.Join(path, file), []byte(text),
		0o644)); err != nil {
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
	return out.Entries
}

// unlisted are the folders that the catalogue does not have.
func unlisted(t testing.TB, dir string) []string {
	t.Helper()
	out, err := catalogue.List(dir, catalogue.Query{})
	if err != nil {
		t.Fatal(err)
	}
	return out.Unlisted
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
	for i, x := range []float64{0, 1, -3, 1 << 53, 1 << 62, math.MaxFloat64, math.SmallestNonzeroFloat64, math.Pi,
		math.Inf(1), math.NaN()} {
		values = append(values, rths.Value{Name: fmt.Sprintf("w%d", i), V: x})
	}
	m := manifest("bits", values...)
	m.Tags, m.Reason, m.Status = []string{"b", "a"}, "tripped at t = 1 s", rths.Tripped
	m.Indicators = record.Values{{Name: "sw_pct", V: 12.5}, {Name: "v3", V: 99}} // v3 is taken
	add(t, leave(t, dir, "a", m))
	got := list(t, dir, catalogue.Query{})[0]
	numbers := map[string]float64{}
	for _, v := range got.Numbers {
		numbers[v.Name] = v.V
	}
	want := append(values, rths.Value{Name: "sw_pct", V: 12.5}, rths.Value{Name: "rate_hz", V: 1024},
		rths.Value{Name: "samples", V: 2049})
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
		Folder: "a", Kind: catalogue.Run, Name: "bits", Status: rths.Tripped, Reason: m.Reason, Started: m.Started,
		Rig: record.Virtual, Compensator: "amb", Tags: m.Tags,
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
	if one, _ := catalogue.ParseCondition("J1_ms=1"); len(list(t, dir,
		catalogue.Query{Where: []catalogue.Condition{one}})) != 0 {
		t.Error("a criterion of the first is left")
	}
}

// A listing looks at the folders anew: one that is gone, moved there or replaced by a file is told.
func TestGone(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "c", "d"} {
		add(t, leave(t, dir, name, manifest(name)))
	}
	other := filepath.Join(t.TempDir(), "d")
	if err := errors.Join(os.RemoveAll(filepath.Join(dir, "b")), os.RemoveAll(filepath.Join(dir, "c")),
		os.WriteFile(filepath.Join(dir, "c"), nil, 0o644),
		os.Rename(filepath.Join(dir, "d"), other), os.Symlink(other, filepath.Join(dir, "d"))); err != nil {
		t.Fatal(err)
	}
	leave(t, dir, "e", manifest("e"))
	got := ""
	for _, e := range list(t, dir, catalogue.Query{}) {
		got += fmt.Sprint(e.Folder, e.Gone, " ")
	}
	if want := "afalse btrue ctrue dfalse "; got != want {
		t.Errorf("%s: want %s", got, want)
	}
	if left := unlisted(t, dir); !slices.Equal(left, []string{"e"}) {
		t.Errorf("%v: want e", left)
	}
	filtered, err := catalogue.List(dir, catalogue.Query{Name: "a",
		Select: func(name string) bool { return name == "wall_s" }})
	if err != nil || !slices.Equal(filtered.Unlisted, []string{"e"}) || len(filtered.Entries[0].Numbers) != 1 ||
		!slices.Contains(filtered.Names, "samples") {
		t.Errorf("%+v, %v: want a with wall_s alone, and e not listed", filtered, err)
	}
}

// A rebuild from the folders gives what the runs have left, row by row.
func TestRebuild(t *testing.T) {
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 30 {
		m := manifest(fmt.Sprintf("run %d", i%7), rths.Value{Name: "J2_pct", V: r.NormFloat64()},
			rths.Value{Name: "J4_pct", V: math.NaN()})
		m.Started = time.Date(2026, 11, 2, 10, i, 0, 0, time.UTC).In(time.FixedZone("", 3600*(i%3))).Format(time.RFC3339)
		m.Tags = []string{"t", fmt.Sprint(i % 4)}[:i%3]
		m.Status = []string{rths.Completed, rths.Tripped, rths.Running}[i%3]
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
	if missing := unlisted(t, dir); missing != nil {
		t.Errorf("%v: want all of them listed", missing)
	}
	// A second rebuild changes nothing; rows of folders that are gone or broken go.
	if err := errors.Join(os.RemoveAll(filepath.Join(dir, "f03")),
		os.WriteFile(filepath.Join(dir, "f04", record.ManifestFile), []byte("{"), 0o644)); err != nil {
		t.Fatal(err)
	}
	leaveText(t, dir, "notes", "notes.txt", "no run")
	leave(t, dir, ".hidden", manifest("hidden"))
	leave(t, dir, "killed", record.Manifest{Format: record.Format, Name: "killed", Status: rths.Running,
		Started: "2026-11-30T10:00:00Z"})
	if missing := unlisted(t, dir); !slices.Equal(missing, []string{"killed"}) {
		t.Errorf("%v: want killed", missing)
	}
	done, err = catalogue.Rebuild(dir)
	if err != nil || done.Runs != 29 || len(done.LeftOut) != 1 || !strings.Contains(done.LeftOut[0].Error(), "f04") {
		t.Errorf("%+v, %v: want 29 runs, and f04 left out", done, err)
	}
	want := append(append([]catalogue.Entry{}, left[:3]...), left[5:]...)
	again = list(t, dir, catalogue.Query{})
	wantSame(t, again[:len(again)-1], want)
	if last := again[len(again)-1]; last.Folder != "killed" || last.Status != rths.Running {
		t.Errorf("%+v: want the killed run", last)
	}
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

const study = `{"format": 1, "kind": "calibration", "name": "amb gains", "status": "stopped", ` +
	`"reason": "by the user", "started": "2026-11-03T09:00:00Z",
"tags": ["thesis"], "runs": 400, "failed": 2, "wall_s": 61.5, "values": {"J2_pct_best": 1.75, "spread": null}, ` +
	`"design": [1, 2, 3]}`

// An advice is listed with the method that it recommends, and taken in by Rebuild.
func TestAdvice(t *testing.T) {
	dir := t.TempDir()
	leaveText(t, dir, "asked", catalogue.AdviceFile,
		`{"status": "completed", "name": "frame", "started": "2026-11-03T09:00:00Z", "runs_done": 400, "wall_s": 2.5,
		"recommended": {"method": "amb", "J2_true_median_pct": 1.5, "J2_true_p90_pct": null}}`)
	leaveText(t, dir, "none", catalogue.AdviceFile,
		`{"status": "stopped", "reason": "by the user", "name": "frame", "recommended": null}`)
	leaveText(t, dir, "broken", catalogue.AdviceFile, `{"name": "frame"}`)
	done, err := catalogue.Rebuild(dir)
	if err != nil || done.Studies != 2 || len(done.LeftOut) != 1 ||
		!strings.Contains(done.LeftOut[0].Error(), "advice.json: found no status: want the file of an advice") {
		t.Fatalf("%+v, %v: want two folders of advice and a broken one", done, err)
	}
	got := list(t, dir, catalogue.Query{Kind: catalogue.Advice})
	if numbers := fmt.Sprint(got[1].Numbers); !strings.Contains(numbers, "J2_true_median_pct 1.5") ||
		!strings.Contains(numbers, "J2_true_p90_pct NaN") {
		t.Errorf("numbers %s", numbers)
	}
	got[0].Numbers, got[1].Numbers = nil, nil
	want := []catalogue.Entry{
		{Folder: "none", Kind: "advice", Name: "frame", Status: "stopped", Reason: "by the user", Rig: "VIRTUAL"},
		{Folder: "asked", Kind: "advice", Name: "frame", Status: "completed", Started: "2026-11-03T09:00:00Z", Rig: "VIRTUAL",
			Compensator: "amb"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}

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
	want := "[{Folder:study Kind:calibration Name:amb gains Status:stopped Reason:by the user Verdict: " +
		"Started:2026-11-03T09:00:00Z Rig:VIRTUAL Compensator: Tags:[thesis] Note: Numbers:[] Gone:false}]"
	if fmt.Sprintf("%+v", got) != want {
		t.Errorf("%+v\nwant %s", got, want)
	}
	for text, want := range map[string]string{
		"{":                                  "study.json: want the file of a study",
		`{"format": 2, "kind": "study"}`:     "study.json: format 2: want 1",
		`{"format": 1, "kind": "benchmark"}`: `study.json: kind "benchmark": want study or calibration`,
		`{"format": 1, "kind": "study", "values": {"a": "b"}}`: "want a number or null",
	} {
		if err := catalogue.Add(leaveText(t, dir, "other", catalogue.StudyFile, text)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v: want %q", text, err, want)
		}
	}
	if err := catalogue.Add(dir); err == nil || !strings.Contains(err.Error(), "is not the folder of a run") {
		t.Errorf("%v: want that the folder is none of a run", err)
	}
}

// Programs that end at once all get their rows in, and a rebuild among them loses none.
func TestTwoWriters(t *testing.T) {
	dir, n := t.TempDir(), 8
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

// The rig of a run is VIRTUAL or a laboratory; no laboratory can call itself virtual.
func TestRig(t *testing.T) {
	dir := t.TempDir()
	for i, c := range []struct {
		rig      *record.Rig
		scenario string
		want     string
	}{
		{nil, "", record.Virtual},
		{&record.Rig{Virtual: true, Laboratory: "Steel Hall"}, "", record.Virtual},
		{&record.Rig{Laboratory: "Steel Hall"}, "", "Steel Hall"},
		{&record.Rig{Laboratory: "virtual"}, "", "laboratory virtual"},
		{&record.Rig{}, "", "laboratory"},
		{nil, "# judged from hall.csv\n", ""},
		{&record.Rig{Laboratory: "Steel Hall"}, "# judged from hall.csv\n", "Steel Hall"},
	} {
		m := manifest("x")
		m.Rig, m.Scenario = c.rig, cmp.Or(c.scenario, m.Scenario)
		folder := fmt.Sprint(i)
		add(t, leave(t, dir, folder, m))
		for _, e := range list(t, dir, catalogue.Query{Name: folder}) {
			if e.Rig != c.want {
				t.Errorf("%+v, %q: rig %q: want %q", c.rig, c.scenario, e.Rig, c.want)
			}
		}
	}
	if n := len(list(t, dir, catalogue.Query{})); n != 7 {
		t.Errorf("%d runs: want 7", n)
	}
}
