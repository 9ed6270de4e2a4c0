package record_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/result/record"
)

// Rows of a layout, appended by a writer that has no frame, are the record of the observer, byte by
// byte. A row may stand in a wider place.
func TestRowsAreTheRecord(t *testing.T) {
	const n = 2500 // two batches and a part
	want := recordRun(t, n, manifest())
	tk := newTick()
	l, err := record.NewLayout(&tk.frame, tk.channels)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	w, err := record.Create(dir, manifest(), slices.Clone(l.Columns))
	if err != nil {
		t.Fatal(err)
	}
	row := make([]float64, len(l.Columns)+2)
	row[len(l.Columns)] = 42
	for k := range n {
		if err := l.Row(row, tk.at(k)); err != nil {
			t.Fatal(err)
		}
		w.Append(row[:len(l.Columns)])
	}
	if err := w.Close(manifest()); err != nil {
		t.Fatal(err)
	}
	if row[len(l.Columns)] != 42 {
		t.Error("a row reaches beyond its columns")
	}
	for _, name := range []string{record.FramesFile, record.ManifestFile} {
		a, err := os.ReadFile(filepath.Join(want, name))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Errorf("%s: %d bytes: want the %d bytes of the observer", name, len(b), len(a))
		}
	}
}

// A row of another frame is refused and leaves its place alone; a good one allocates nothing.
func TestRow(t *testing.T) {
	tk, other := newTick(), newTick()
	l, err := record.NewLayout(&tk.frame, tk.channels)
	if err != nil {
		t.Fatal(err)
	}
	row := slices.Repeat([]float64{42}, len(l.Columns))
	two := tk.at(0)
	two.Ground = make([]float64, 6)
	for want, f := range map[string]*rths.Frame{"another frame": other.at(0), "2 ground components": two} {
		if err := l.Row(row, f); err == nil || !strings.Contains(err.Error(), want) ||
			slices.ContainsFunc(row, func(v float64) bool { return v != 42 }) {
			t.Errorf("%v, row %g: want a refusal, %q, and the row as it was", err, row, want)
		}
	}
	f := tk.at(1)
	if n := testing.AllocsPerRun(100, func() { err = l.Row(row, f) }); n > 0 || err != nil {
		t.Errorf("%g allocations, %v: want none", n, err)
	}
	for i, name := range wantNames[1:] {
		if want := value(i+1, 1); row[i+1] != want || l.Columns[i+1].Name != name {
			t.Errorf("column %s: %g: want %g of %s", l.Columns[i+1].Name, row[i+1], want, name)
		}
	}
}

// With several actuators, load cells and accelerometers each has a column of its own, with its unit; velocities and
// accelerations of a numerical part too, up to 64 degrees of freedom.
func TestColumnsOfSeveral(t *testing.T) {
	for dof, last := range map[int]string{64: "num_a64_m_s2", 65: "late"} {
		num := rths.NewMotion(dof)
		f := rths.Frame{
			Ground: make([]float64, 9), Histories: 1, Num: &num, Force: make([]float64, 1), Desired: make([]float64, 2),
			Command: make([]float64, 2),
			Read: rths.Reading{Motion: rths.Motion{X: make([]float64, 2), A: make([]float64, 2)}, F: make([]float64, 3),
				TrueX: make([]float64, 2), TrueF: make([]float64, 3), TrueA: make([]float64, 1)},
		}
		l, err := record.NewLayout(&f, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Fields(
			`time_s ground_1_m_s2 ground_2_m_s2 applied_N target_1_m target_2_m measured_1_m measured_2_m true_1_m true_2_m
			acceleration_1_m_s2 acceleration_2_m_s2 acceleration_true_m_s2 command_1_m command_2_m force_1_N force_2_N force_3_N
			force_true_1_N force_true_2_N force_true_3_N force_used_N age late`)
		for i, name := range want {
			if c := l.Columns[i]; c.Name != name || c.Doc == "" || c.Source != "frame" ||
				!strings.HasSuffix(c.Name, strings.NewReplacer("/", "_", "²", "2", "-", "").Replace(c.Unit)) {
				t.Errorf("column %d: %+v: want %s", i+1, c, name)
			}
		}
		if at := l.Columns[len(l.Columns)-1].Name; at != last {
			t.Errorf("%d degrees of freedom: the last column is %s: want %s", dof, at, last)
		}
	}
	if _, err := record.NewLayout(&rths.Frame{}, []rths.Channel{{Name: "a"}}); err == nil ||
		err.Error() != `record: channel "a" has no value to point at` {
		t.Errorf("%v", err)
	}
}

// A writer refuses columns without names of their own, and a row of another length, which ends
// the record.
func TestWriterRefusesRows(t *testing.T) {
	one := record.Column{Name: "x_m", Unit: "m"}
	for want, columns := range map[string][]record.Column{
		"no columns: want one at least": nil, `"x_m" (unit "m", from a ) is empty or taken`: {one, one},
		`"" (unit "", from a ) is empty`: {{}},
	} {
		dir := filepath.Join(t.TempDir(), "run")
		if _, err := record.Create(dir, manifest(), columns); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q", err, want)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%q: a folder is left", want)
		}
	}
	for _, row := range [][]float64{{}, {1, 2}} {
		w, err := record.Create(filepath.Join(t.TempDir(), "run"), manifest(), []record.Column{one})
		if err != nil {
			t.Fatal(err)
		}
		w.Append([]float64{1})
		w.Append(row)
		w.Append([]float64{3})
		if err := w.Close(manifest()); err == nil || !strings.Contains(err.Error(), "want 1, one for each column") {
			t.Errorf("row %g: %v: want a refusal", row, err)
		}
	}
}
