package record_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rths"
	"rths/result/record"
)

// tick is a frame of one axis and a numerical part of two degrees of freedom,
// with nine channels: the 20 columns and more of a usual run.
type tick struct {
	frame    rths.Frame
	values   [9]float64
	channels []rths.Channel
}

func newTick() *tick {
	num := rths.NewMotion(2)
	t := &tick{frame: rths.Frame{
		Ground:  make([]float64, 3),
		Num:     &num,
		Force:   make([]float64, 1),
		Desired: make([]float64, 1),
		Read:    rths.NewReading(1, 1),
		Command: make([]float64, 1),
	}}
	for i := range t.values {
		t.channels = append(t.channels, rths.Channel{Name: "a" + string(rune('0'+i)), Unit: "s", V: &t.values[i]})
	}
	return t
}

// at sets every value to one of its own that depends on the tick.
func (t *tick) at(k int) *rths.Frame {
	f := &t.frame
	f.K, f.T = k, float64(k)/4096
	f.Ground = []float64{value(1, k), 0, 0} // the window moves
	f.Desired[0] = value(2, k)
	f.Read.X[0] = value(3, k)
	f.Read.TrueX[0] = value(4, k)
	f.Command[0] = value(5, k)
	f.Read.F[0] = value(6, k)
	f.Read.TrueF[0] = value(7, k)
	f.Force[0] = value(8, k)
	f.Read.Age, f.Read.Late = int(value(9, k)), value(10, k) == 1
	for i := range 2 {
		f.Num.X[i], f.Num.V[i], f.Num.A[i] = value(11+i, k), value(13+i, k), value(15+i, k)
	}
	for i := range t.values {
		t.values[i] = value(17+i, k)
	}
	return f
}

// value is a column's value in tick k. The tenth is an age, a whole number; the next one is 0 or 1.
func value(column, k int) float64 {
	switch column {
	case 9:
		return float64(k % 3)
	case 10:
		return float64(k % 2)
	}
	return float64(column) + math.Sin(float64(k))
}

var wantNames = strings.Fields(
	`time_s ground_m_s2 target_m measured_m true_m command_m force_N force_true_N force_used_N age late
	num_x1_m num_x2_m num_v1_m_s num_v2_m_s num_a1_m_s2 num_a2_m_s2 a0 a1 a2 a3 a4 a5 a6 a7 a8`)

func manifest() record.Manifest {
	return record.Manifest{Name: "two storeys", RateHz: 4096, Seed: 7, Scenario: "name: two storeys\n",
		Started: "2025-01-02T03:04:05Z"}
}

// recordRun records n ticks into a new folder and returns it.
func recordRun(t testing.TB, n int, end record.Manifest) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	tk := newTick()
	w, err := record.NewRecorder(dir, manifest(), &tk.frame, tk.channels)
	if err != nil {
		t.Fatal(err)
	}
	for k := range n {
		w.Observe(tk.at(k))
	}
	if err := w.Close(end); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestCreateRefusesFolders(t *testing.T) {
	full := t.TempDir()
	os.WriteFile(filepath.Join(full, "notes.txt"), nil, 0o644)
	file := filepath.Join(full, "notes.txt")
	locked := filepath.Join(t.TempDir(), "locked")
	os.Mkdir(locked, 0o555)
	cases := []struct{ name, dir, want string }{
		{"holds a file", full, "notes.txt: want a new or empty folder"},
		{"is a file", file, "cannot be made"},
		{"below a file", filepath.Join(file, "run"), "cannot be made"},
		{"not writable", filepath.Join(locked, "run"), "permission denied"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "not writable" && os.Geteuid() == 0 {
				t.Skip("root may write everywhere")
			}
			tk := newTick()
			_, err := record.NewRecorder(c.dir, manifest(), &tk.frame, nil)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v: want %q", err, c.want)
			}
		})
	}
}

func TestCreateRefusesInput(t *testing.T) {
	tk := newTick()
	v := 0.0
	cases := []struct {
		name, want string
		rate       float64
		channels   []rths.Channel
	}{
		{"rate", "rate 0 Hz", 0, nil},
		{"infinite rate", "rate +Inf Hz", math.Inf(1), nil},
		{"name taken", `"force_N"`, 4096, []rths.Channel{{Name: "force_N", Unit: "N", V: &v}}},
		{"no name", `""`, 4096, []rths.Channel{{V: &v}}},
		{"no value", `"a0"`, 4096, []rths.Channel{{Name: "a0"}}},
	}
	for _, c := range cases {
		dir := filepath.Join(t.TempDir(), "run")
		_, err := record.NewRecorder(dir, record.Manifest{RateHz: c.rate}, &tk.frame, c.channels)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v: want %q", c.name, err, c.want)
		}
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: left a folder behind", c.name)
		}
	}
}

func TestObserveAllocatesNothing(t *testing.T) {
	tk := newTick()
	w, err := record.NewRecorder(filepath.Join(t.TempDir(), "run"), manifest(), &tk.frame, tk.channels)
	if err != nil {
		t.Fatal(err)
	}
	f := tk.at(3)
	for _, c := range []struct {
		name  string
		ticks int
	}{{"within a batch", 100}, {"across batches", 10000}} {
		if n := testing.AllocsPerRun(c.ticks, func() { w.Observe(f) }); n != 0 {
			t.Errorf("%s: %g allocations a tick: want none", c.name, n)
		}
	}
	if err := w.Close(manifest()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(manifest()); err == nil {
		t.Error("second Close: want an error")
	}
}

// A frame with another number of ground components, or another frame, would be
// recorded wrongly: the failure is kept and shown by Close.
func TestObserveRefusesOtherShapes(t *testing.T) {
	other := newTick()
	tk := newTick()
	wide := tk.frame
	for _, c := range []struct {
		name, want string
		observe    func(w *record.Recorder)
	}{
		{"other frame", "another frame", func(w *record.Recorder) { w.Observe(other.at(0)) }},
		{"ground", "2 ground components", func(w *record.Recorder) {
			tk.frame.Ground = make([]float64, 6)
			w.Observe(&tk.frame)
			tk.frame.Ground = wide.Ground
		}},
	} {
		w, err := record.NewRecorder(filepath.Join(t.TempDir(), "run"), manifest(), &tk.frame, nil)
		if err != nil {
			t.Fatal(err)
		}
		c.observe(w)
		if err := w.Close(manifest()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v: want %q", c.name, err, c.want)
		}
	}
}
