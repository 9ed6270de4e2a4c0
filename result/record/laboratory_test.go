package record

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"rths"
	"rths/scenario/files"
)

// laboratory is a test with every field set.
func laboratory() *Test {
	awkward := []float64{0.1, -math.Pi / 1e7, math.SmallestNonzeroFloat64, math.MaxFloat64, math.Copysign(0, -1), 1 / 3.0,
		5e-324, 1e21, 123456789.12345679}
	return &Test{
		Steps: []Step{{Name: "armed", At: "2026-11-23T15:54:27.120+01:00", Text: "by <key>"},
			{Name: "start", At: "2026-11-23T15:54:30.001Z"}},
		Checks: []Check{{Name: "memory", Value: Number(math.NaN()), Limit: Number(math.NaN()), OK: true},
			{Name: "idle force", Value: 0.1, Limit: 1e-9, Unit: "N", Text: "beyond"}},
		Rehearsal: &Rehearsal{Folder: "/runs/a", Scenario: strings.Repeat("0f", 32), Version: "v1"},
		Ring:      "/dev/shm/rths-1", FirstSample: 1234567, AroundRows: 5, Held: 6, LateTicks: 7, LongestLate: 8,
		RoundTripUs: 61.3, Cause: "the operator",
		ShiftX: awkward, ShiftF: awkward[1:],
	}
}

// A test survives the manifest, its numbers bit for bit.
func TestLaboratoryInTheManifest(t *testing.T) {
	dir, want := t.TempDir(), laboratory()
	if err := (Manifest{Format: Format, Test: want}).save(dir); err != nil {
		t.Fatal(err)
	}
	m, err := LoadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := m.Test
	for i, list := range [][]float64{got.ShiftX, got.ShiftF} {
		if bits(list) != bits([][]float64{want.ShiftX, want.ShiftF}[i]) {
			t.Errorf("shift %x: want %x", bits(list), bits(want.ShiftX))
		}
	}
	if v := got.Checks[0]; v.Value == v.Value || v.Limit == v.Limit {
		t.Errorf("check %+v: want no numbers", v)
	}
	got.Checks[0], want.Checks[0] = Check{}, Check{}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v: want %+v", got, want)
	}
	if at, err := time.Parse(StepTime, got.Steps[0].At); err != nil || at.Format(StepTime) != got.Steps[0].At ||
		at.Nanosecond() != 120e6 {
		t.Errorf("%v, %v: want %s", at, err, got.Steps[0].At)
	}
	if _, err := time.Parse(time.RFC3339, got.Steps[0].At); err != nil {
		t.Error(err)
	}
}

func bits(list []float64) string {
	var out []uint64
	for _, x := range list {
		out = append(out, math.Float64bits(x))
	}
	text, _ := json.Marshal(out)
	return string(text)
}

// A virtual run says nothing of a laboratory, a test without history no more than its numbers, and
// numbers that JSON cannot hold do not keep a manifest from being written.
func TestLaboratoryIsLeftOut(t *testing.T) {
	text, err := Manifest{}.Text()
	if err != nil || strings.Contains(string(text), `"test"`) {
		t.Errorf("%v: %s: want no test", err, text)
	}
	text, err = json.Marshal(Test{})
	if want := `{"first_sample":0,"around_rows":0,"held":0,"late_ticks":0,"longest_late":0}`; err != nil ||
		string(text) != want {
		t.Errorf("%v: %s: want %s", err, text, want)
	}
	sick := &Test{RoundTripUs: Number(math.Inf(1)), ShiftX: []float64{1, math.NaN()}, ShiftF: []float64{math.Inf(-1)}}
	text, err = Manifest{Test: sick}.Text()
	var m Manifest
	if err := errors.Join(err, json.Unmarshal(text, &m)); err != nil || !slices.Equal(m.Test.ShiftX, []float64{1, 0}) ||
		!slices.Equal(m.Test.ShiftF, []float64{0}) || m.Test.RoundTripUs == m.Test.RoundTripUs {
		t.Errorf("%v, %+v: want zeros and null", err, m.Test)
	}
	if !math.IsNaN(sick.ShiftX[1]) {
		t.Error("the caller's test has changed")
	}
}

// The short manifest of a failed record keeps what a recovery needs and drops the history. It has room
// in the spaces after the manifest "running", whatever has happened since the beginning.
func TestShortManifestOfATest(t *testing.T) {
	begin := Manifest{
		Format: Format, Status: rths.Running, Name: "x", Scenario: "name: x\n",
		Inputs:  []files.Input{{File: "/x.yaml", SHA256: "1"}},
		Rig:     &Rig{Laboratory: "L", Address: "10.0.0.1:1", Clock: "rig"},
		Test:    &Test{Rehearsal: &Rehearsal{Folder: "/a", Scenario: "0f", Version: "v1"}, Ring: "/dev/shm/rths-1"},
		Columns: []Column{{Name: "time_s"}}, Files: []string{ManifestFile, FramesFile},
	}
	room, err := begin.Text()
	if err != nil {
		t.Fatal(err)
	}
	for _, char := range []string{"a", "é", "<", "\x01", "\xff", `"`, "\u2028", "力"} {
		long := strings.Repeat(char, 1<<16)
		end := begin
		large := math.MinInt64
		end.Reason, end.Samples, end.SimulatedS, end.WallS, end.RealtimeFactor = long, large, 1.2345678901234567e-100,
			1.2345678901234567e-100, 1.2345678901234567e-100
		end.Status, end.RowsKept, end.Files = rths.Completed, &large, append(end.Files, AroundFile)
		end.Notes, end.Warnings, end.Unmet, end.Events = []string{long}, []string{long}, []string{long}, make([]Event, 1000)
		rig := *begin.Rig
		for _, n := range []*uint64{&rig.Sent, &rig.Received, &rig.Repeated, &rig.Old, &rig.Bad, &rig.RigSent,
			&rig.RigReceived, &rig.RigClipped} {
			*n = math.MaxUint64
		}
		end.Rig = &rig
		for _, name := range []string{FramesFile, AroundFile} {
			end.Sums = append(end.Sums, Sum{name, math.MinInt64, strings.Repeat("0f", 32)})
		}
		end.Test = &Test{
			Rehearsal: begin.Test.Rehearsal, Ring: begin.Test.Ring, FirstSample: large, AroundRows: large, Held: large,
			LateTicks: large, LongestLate: large,
			RoundTripUs: 1.2345678901234567e-100, Cause: long, Steps: make([]Step, 1000), Checks: make([]Check, 1000),
			ShiftX: slices.Repeat([]float64{-1.2345678901234567e-100}, 16),
			ShiftF: slices.Repeat([]float64{-1.2345678901234567e-100}, 16),
		}
		got := end.short()
		text, err := got.Text()
		if err != nil || len(text) > len(room)+spare {
			t.Errorf("%q: %v, %d bytes: want at most %d", char, err, len(text), len(room)+spare)
		}
		if !strings.HasSuffix(got.Reason, char+" …") || !strings.HasSuffix(got.Test.Cause, char+" …") ||
			got.Test.Steps != nil || got.Test.Checks != nil {
			t.Errorf("%q: reason %q, test %+v: want both cut and no history", char, got.Reason, got.Test)
		}
		if !slices.Equal(got.Sums, end.Sums) || got.Rig == nil || got.Test.Rehearsal == nil || got.Test.Ring == "" ||
			got.Test.FirstSample != large || len(got.Test.ShiftX) != 16 || len(got.Test.ShiftF) != 16 {
			t.Errorf("%q: sums %v, rig %+v, test %+v: want what a recovery needs", char, got.Sums, got.Rig, got.Test)
		}
		if end.Test.Steps == nil || end.Test.Cause != long {
			t.Error("the caller's test has changed")
		}
	}
	for _, text := range []string{strings.Repeat("é", longReason/2), strings.Repeat("a b ", longReason/4)} {
		if cut(text, longReason) != text {
			t.Errorf("a text of %.4q that fits is cut", text)
		}
	}
}

// How a run has ended stands beside what its results are worth, where that was judged.
func TestEnded(t *testing.T) {
	for want, m := range map[string]Manifest{"completed, good": {Status: rths.Completed, Verdict: "good"},
		"tripped": {Status: rths.Tripped}} {
		if got := m.Ended(); got != want {
			t.Errorf("%q: want %q", got, want)
		}
	}
}
