package session

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/lab/ring"
	"rths/result/record"
	"rths/scenario"
)

// taken is a test that ended well, as a record has it.
func taken(t *testing.T, sets ...string) (*rows, *record.Manifest) {
	t.Helper()
	s := rthstest.Must(scenario.Parse("small", []byte(small), ".", sets))
	list, m, _ := take(t, s, rand.New(rand.NewPCG(1, 1)), 0)
	return list, m
}

// ringOf is what is left of a ring of so many rows that had all of a test: the last ones.
func ringOf(t *testing.T, all *rows, size int) *ring.Rest {
	t.Helper()
	rest := rthstest.Must(ring.Read(ringFile(t, all, size)))
	t.Cleanup(rest.Close)
	return rest
}

// ringFile is the file of this ring.
func ringFile(t *testing.T, all *rows, size int) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "ring")
	c := rthstest.Must(ring.Create(path, ring.Shape{Session: 1, Columns: columnsHash(all.columns), Width: all.width,
		Rows: size, RateHz: 256}))
	p := rthstest.Must(ring.Open(path))
	row := make([]float64, all.width)
	for i := range all.len() {
		if i >= size {
			c.Take(row) // the oldest gives its place
		}
		copy(p.Next(), all.at(i))
		p.Publish()
	}
	p.Close()
	c.Close()
	return path
}

// killed is the folder of a test whose processes have died, with the first rows on the disk.
func killed(t *testing.T, archived *rows, m record.Manifest, ring string) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "test")
	test := *m.Test
	m.Status, m.Reason, m.Test, test.Ring, test.Cause = rths.Running, "", &test, ring, ""
	w := rthstest.Must(record.Create(dir, m, archived.columns))
	for i := range archived.len() {
		if archived.of(i) == running {
			w.Append(archived.at(i))
		} else {
			w.AppendAround(archived.at(i))
		}
	}
	if err := w.Close(m); err != nil {
		t.Fatal(err)
	}
	return dir
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

// A recovery completes the folder from the ring, which goes once the record is whole and stays while rows are missing.
func TestRecover(t *testing.T) {
	all, sound := taken(t)
	n := all.len()
	for name, c := range map[string]struct {
		archived, ring int // rows; archived 0: the loop died before the first was written
		spoil          func(dir string) error
		whole          bool
	}{
		"ring has the rest": {n - 60, 100, nil, true},
		"files of rows are gone": {0, n + 10,
			func(dir string) error { return os.Remove(filepath.Join(dir, record.FramesFile)) }, true},
		"rows between are lost":   {20, 100, nil, false},
		"the ring has gone":       {n, 0, nil, true},
		"no rehearsal to compare": {n, 0, nil, true},
	} {
		m, test := *sound, *sound.Test
		m.Test = &test
		rehearsal := filepath.Join(t.TempDir(), "run")
		test.Rehearsal = &record.Rehearsal{Folder: rehearsal, DisplacementPct: -1}
		if name != "no rehearsal to compare" {
			virtual := record.Manifest{Name: "run", Status: rths.Completed, RateHz: m.RateHz}
			w := rthstest.Must(record.Create(rehearsal, virtual, all.columns))
			for row := range all.all(ofRun) {
				w.Append(row)
			}
			if err := w.Close(virtual); err != nil {
				t.Fatal(err)
			}
		}
		path := filepath.Join(t.TempDir(), "gone")
		if c.ring > 0 {
			path = ringFile(t, all, c.ring)
		}
		dir := killed(t, part(all, c.archived), m, path)
		if c.spoil != nil {
			if err := c.spoil(dir); err != nil {
				t.Fatal(err)
			}
		}
		got, err := Recover(t.Context(), dir, scenario.Options{})
		if err != nil || got.Status != rths.Lost || (len(got.Criteria) > 0) != c.whole || (got.Test.Ring == "") != c.whole ||
			exists(path) == c.whole {
			t.Errorf("%s: %v, %s, %d criteria, ring %q", name, err, got.Status, len(got.Criteria), got.Test.Ring)
		}
		if of := got.Test.Rehearsal; c.whole && name != "no rehearsal to compare" &&
			(of.DisplacementPct != 0 || of.PeakM != of.RehearsedPeakM || !(of.PeakM > 0)) ||
			name == "no rehearsal to compare" && of.DisplacementPct != -1 {
			t.Errorf("%s: beside the rehearsal: %+v", name, of)
		}
		r, err := NewReplay(t.Context(), dir, scenario.Options{})
		if c.whole && (err != nil || r.Rows != n || r.First != nil || r.Unchecked != "" || !r.Rested) {
			t.Errorf("%s: replayed: %v, %+v", name, err, r)
		}
		if _, err := Recover(t.Context(), dir, scenario.Options{}); errors.Is(err, errWhole) != c.whole ||
			err != nil && !c.whole {
			t.Errorf("%s: a second recovery: %v", name, err)
		}
	}
}

// A recovery leaves a folder as it is whose ring is of another test, in use or no ring, or
// whose rows are not of the manifest.
func TestRecoverRefuses(t *testing.T) {
	all, sound := taken(t)
	shape := ring.Shape{Session: 1, Columns: columnsHash(all.columns), Width: all.width, Rows: 16, RateHz: sound.RateHz}
	other := func(spoil func(*ring.Shape)) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			of := shape
			spoil(&of)
			rthstest.Must(ring.Create(path, of)).Close()
		}
	}
	for want, c := range map[string]struct {
		ring  func(t *testing.T, path string)
		spoil func(m *record.Manifest)
	}{
		"is the ring of another test: %d columns at 256 Hz, and the manifest has %d at 256 Hz: want": {other(
			func(s *ring.Shape) { s.Width++ }), nil},
		"is the ring of another test: %d columns at 512 Hz": {other(
			func(s *ring.Shape) { s.RateHz = 512 }), nil},
		"is the ring of another test: %d columns": {other(
			func(s *ring.Shape) { s.Columns++ }), nil},
		"stop it first (Ctrl-C in its window)": {func(t *testing.T, path string) {
			c := rthstest.Must(ring.Create(path, shape))
			t.Cleanup(c.Close)
		}, nil},
		"ring": {func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte("no ring"), 0o644); err != nil {
				t.Fatal(err)
			}
		}, nil},
		"the rows have other columns than the manifest says: want the folder as the test left it": {nil,
			func(m *record.Manifest) {
				m.Columns = slices.Clone(m.Columns)
				m.Columns[0].Name = "another"
			}},
		"the record has no column phase": {nil, func(m *record.Manifest) { m.Columns = m.Columns[:1] }},
	} {
		path := filepath.Join(t.TempDir(), "ring")
		dir := killed(t, part(all, 50), *sound, path)
		if c.ring != nil {
			c.ring(t, path)
		}
		if c.spoil != nil {
			m := rthstest.Must(record.LoadManifest(dir))
			c.spoil(&m)
			if err := os.WriteFile(filepath.Join(dir, record.ManifestFile), rthstest.Must(m.Text()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		before := rthstest.Must(os.ReadFile(filepath.Join(dir, record.ManifestFile)))
		want, _, _ = strings.Cut(want, "%d")
		if _, err := Recover(t.Context(), dir, scenario.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q", err, want)
		}
		if _, err := NewReplay(t.Context(), dir, scenario.Options{}); c.spoil != nil &&
			(err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("replay: %v: want %q", err, want)
		}
		if after := rthstest.Must(os.ReadFile(filepath.Join(dir, record.ManifestFile))); !bytes.Equal(before, after) ||
			c.ring != nil && !exists(path) {
			t.Errorf("%s: the folder is another, or the ring has gone", want)
		}
	}
}

// part are the first rows of a test.
func part(all *rows, n int) *rows {
	return &rows{columns: all.columns, width: all.width, phase: all.phase,
		numbers: slices.Clone(all.numbers[:n*all.width])}
}

// Archive and ring make a record whole wherever the one ends and the other begins, as long as no row lies between. The
// results then equal those of the test. With a gap they are left out, and the ring is kept.
func TestRescue(t *testing.T) {
	all, sound := taken(t)
	ticks, n := 0, all.len()
	for range all.all(ofRun) {
		ticks++
	}
	for name, c := range map[string]struct {
		archived, ring int // rows; ring 0: gone
		status         string
		gap            int
	}{
		"ring alone":             {0, n + 10, rths.Running, 0},
		"both have all":          {n, n + 10, rths.Running, 0},
		"ring has the last rows": {n - 60, 100, rths.Running, 0},
		"they touch":             {n - 99, 100, rths.Running, 0},
		"a row is lost":          {n - 101, 100, rths.Running, 1},
		"many rows are lost":     {20, 100, rths.Running, n - 120},
		"nothing in the archive": {0, 100, rths.Running, n - 100},
		"archive alone":          {n, 0, rths.Running, 0},
		"a part of the archive":  {n - 500, 0, rths.Running, 0},
		"a record that failed":   {n - 500, n + 10, rths.Failed, 0},
	} {
		m, r := *sound, part(all, c.archived)
		kept, test := 3, record.Test{Ring: "/dev/shm/x"}
		m.Status, m.Reason, m.Test, m.RowsKept, m.Criteria = c.status,
			map[bool]string{true: "the disk is full"}[c.status == rths.Failed], &test, &kept, nil
		var rest *ring.Rest
		if c.ring > 0 {
			rest = ringOf(t, all, c.ring)
		}
		whole := rescue(t.Context(), &m, r, rest, scenario.Options{})
		if whole != (c.gap == 0) || m.RowsKept != nil || (m.Test.Ring == "") != (c.gap == 0) ||
			(len(m.Criteria) > 0) != (c.gap == 0) {
			t.Errorf("%s: whole %t, ring %q, %d criteria, notes %q: want a gap of %d rows", name, whole, m.Test.Ring,
				len(m.Criteria), m.Notes, c.gap)
		}
		if lost := fmt.Sprintf("%d rows are lost between archive and ring", c.gap); c.gap > 0 &&
			(len(m.Notes) != 1 || !strings.HasPrefix(m.Notes[0], lost)) {
			t.Errorf("%s: notes %q: want %q", name, m.Notes, lost)
		}
		want := n - c.gap
		if c.ring == 0 {
			want = c.archived
		}
		if r.len() != want || m.Samples+m.Test.AroundRows != want || want == n && m.Samples != ticks ||
			m.SimulatedS != float64(m.Samples)/256 {
			t.Errorf("%s: %d rows, %d of the run, %d around it: want %d, %d of the run", name, r.len(), m.Samples,
				m.Test.AroundRows, want, ticks)
		}
		if want == n && !slices.EqualFunc(r.numbers, all.numbers,
			func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }) {
			t.Errorf("%s: other numbers than those of the test", name)
		}
		from := map[bool]string{true: "archive and ring", false: "the archive alone, as its ring is gone"}[c.ring > 0]
		if !strings.Contains(m.Reason, fmt.Sprintf("%d ticks are recovered from %s", m.Samples, from)) ||
			strings.HasPrefix(m.Reason, "the disk is full; all") != (c.status == rths.Failed) {
			t.Errorf("%s: %s: want %d ticks from %s", name, m.Reason, m.Samples, from)
		}
		status, cause := rths.Lost, "supervisor and loop: their processes have died"
		switch {
		case c.status == rths.Failed:
			status, cause = rths.Failed, ""
		case want == n: // the loop was there to the end
			cause = "supervisor: its process has died"
		}
		if m.Status != status || m.Test.Cause != cause || (m.Test.Rest == nil) || m.Test.Rest.AtRest != (want == n) {
			t.Errorf("%s: %s, cause %q, rest %+v: want %s, %q", name, m.Status, m.Test.Cause, m.Test.Rest, status, cause)
		}
	}
}

// Rows that a cut ring does not give any more are lost, and none is made of others.
func TestRescueFromACutRing(t *testing.T) {
	const lost = 20
	all, sound := taken(t)
	path := ringFile(t, all, all.len()+10)
	rest := rthstest.Must(ring.Read(path))
	defer rest.Close()
	size := rthstest.Must(os.Stat(path)).Size()
	if err := os.Truncate(path, size-int64(8*all.width*(rest.Shape.Rows-all.len()+lost))); err != nil {
		t.Fatal(err)
	}
	m, r, test := *sound, part(all, 30), record.Test{}
	m.Status, m.Test = rths.Running, &test
	if rescue(t.Context(), &m, r, rest, scenario.Options{}) || r.len() != all.len()-lost || len(m.Notes) != 1 ||
		!strings.Contains(m.Notes[0], "rows are lost between archive and ring") {
		t.Errorf("%d of %d rows, notes %q", r.len(), all.len(), m.Notes)
	}
}

// A record that was altered keeps its rows, and has no results.
func TestRescueOfAnAlteredRecord(t *testing.T) {
	all, sound := taken(t)
	r := part(all, all.len())
	r.at(100)[place(r.columns)["guard_command_m"]] += 1e-9
	m, test := *sound, record.Test{Ring: "gone"}
	m.Status, m.Test, m.Criteria = rths.Running, &test, nil
	if rescue(t.Context(), &m, r, nil, scenario.Options{}) || len(m.Notes) != 1 ||
		!strings.HasPrefix(m.Notes[0],
			"results are left out, as they cannot be computed from the record: the replay is not the record: row 100: "+
				"guard_command_m is ") || m.Criteria != nil || m.Test.Ring != "" {
		t.Errorf("notes %q, %d criteria, ring %q", m.Notes, len(m.Criteria), m.Test.Ring)
	}
}

// A replay finds the first row that is not what the loop computes again, and refuses what is no record of a test.
func TestReplayParts(t *testing.T) {
	all, sound := taken(t)
	random := rand.New(rand.NewPCG(2, 7))
	for range 20 {
		k := 1 + random.IntN(all.len()-2) // at the last one the test has come to rest
		r := part(all, all.len())
		at := place(r.columns)["guard_command_m"]
		r.at(k)[at] = math.Nextafter(r.at(k)[at], 1)
		p, err := replay(t.Context(), sound, r, scenario.Options{})
		if err != nil || p.First == nil || p.First.Row != k || p.First.Column != "guard_command_m" ||
			p.First.Recorded != r.at(k)[at] || p.First.Replayed != all.at(k)[at] || p.Rested {
			t.Fatalf("row %d altered by a bit: %v, %+v", k, err, p)
		}
		if want := fmt.Sprintf("row %d: guard_command_m is ", k); !strings.HasPrefix(p.First.String(), want) {
			t.Errorf("%s: want %q", p.First, want)
		}
	}
	for _, asked := range []float64{float64(causes), 99, -1, math.Inf(1), math.NaN()} { // causes that there are not
		r := part(all, all.len())
		at := place(r.columns)["asked"]
		r.at(40)[at] = asked
		if p, err := replay(t.Context(), sound, r, scenario.Options{}); err != nil || p.First == nil || p.First.Row != 40 ||
			p.First.Column != "asked" {
			t.Errorf("cause %g: %v, %+v", asked, err, p)
		}
	}
	over := part(all, all.len())
	over.numbers = append(over.numbers, over.at(all.len()-1)...)
	late := part(all, all.len())
	late.numbers = late.numbers[late.width:]
	other, broken, narrow, flawed, free := *sound, *sound, *sound, *sound, *sound
	text := func(sets ...string) string {
		return rthstest.Must(rthstest.Must(scenario.Parse("small", []byte(small), ".", sets)).YAML())
	}
	flawed.Scenario, free.Scenario = text("specimen.stiffness=-1"), text("limits=none", "rig={kind: udp, clock: rig}")
	other.Columns = slices.DeleteFunc(slices.Clone(sound.Columns),
		func(c record.Column) bool { return c.Name == "guard_command_m" })
	broken.Scenario = "rate_hz: x"
	narrow.Columns = slices.DeleteFunc(slices.Clone(sound.Columns),
		func(c record.Column) bool { return c.Name == "raw_N" })
	for want, c := range map[string]struct {
		m *record.Manifest
		r *rows
	}{
		"the record has no rows: want a test that has begun": {sound, part(all, 0)},
		"the record does not begin with the reading before":  {sound, late},
		"the replay has come to rest and the record goes on": {sound, over},
		"the record has other columns than the loop":         {&other, all},
		"the scenario of the record":                         {&broken, all},
		"stiffness -1":                                       {&flawed, all},
		"columns than the loop of its scenario":              {&free, all},
		"the record has no column raw_N: want the record of": {&narrow, all},
	} {
		if _, err := replay(t.Context(), c.m, c.r, scenario.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q", err, want)
		}
	}
	if _, err := newRows([]record.Column{{Name: "x"}}); err == nil || !strings.Contains(err.Error(), "no column phase") {
		t.Errorf("rows without phases: %v", err)
	}
	if _, err := NewReplay(t.Context(), t.TempDir(), scenario.Options{}); err == nil {
		t.Error("an empty folder is no record")
	}
	virtual := recorded(t, record.Manifest{Name: "run", Status: rths.Completed, RateHz: 64})
	if _, err := NewReplay(t.Context(), virtual, scenario.Options{}); err == nil ||
		!strings.Contains(err.Error(), "is no test in the laboratory: a virtual run is run again") {
		t.Errorf("a virtual run: %v", err)
	}
	if _, err := Recover(t.Context(), virtual, scenario.Options{}); err == nil ||
		!strings.Contains(err.Error(), "is no test in the laboratory: run it again") {
		t.Errorf("a virtual run: %v", err)
	}
}

// A replay begins the way the test began: on its way to the first command, with its shifts, preload and moves.
func TestReplayBegins(t *testing.T) {
	all, m := taken(t, "rig.start={settle_s: 0.1, move_m: 0.001, preload_m: [0.001], zero: force}")
	p := rthstest.Must(replay(t.Context(), m, all, scenario.Options{}))
	if p.First != nil || len(p.Moves) != 1 || len(p.ShiftX) != 1 || p.ShiftX[0] != 0.001 || p.ShiftF[0] == 0 ||
		!p.Rested || p.Rows != all.len() || p.Cause != "" || !p.Manifest.Test.Rest.AtRest {
		t.Errorf("%v, moves %+v, shifts %g, %g, to rest %t", p.First, p.Moves, p.ShiftX, p.ShiftF, p.Rested)
	}
	for seed := range uint64(4) { // from the measured place, or at the first command
		s := rthstest.Must(scenario.Parse("small", []byte(small), ".", nil))
		list, of, _ := takeFrom(t, s, rand.New(rand.NewPCG(seed, 3)), 0, 0.002)
		if again := rthstest.Must(replay(t.Context(), of, list, scenario.Options{})); again.First != nil || !again.Rested {
			t.Errorf("from a first command of 2 mm, seed %d: %v", seed, again.First)
		}
	}
	if m.Test.Rest != nil || m.Test.Moves != nil {
		t.Errorf("the replay has changed what the record says: %+v", m.Test)
	}
	if short := rthstest.Must(replay(t.Context(), m, part(all, all.len()-40), scenario.Options{})); short.Rested ||
		short.Manifest.Test.Rest.AtRest || !strings.Contains(short.Manifest.Test.Rest.Text, "nothing is known") {
		t.Errorf("a part of the record: rested %t, %+v", short.Rested, short.Manifest.Test.Rest)
	}
}
