package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
)

// chainFiles writes the stiffness of n equal storeys between equal masses as a Matrix Market file, and the
// masses as another.
func chainFiles(t *testing.T, dir string, n int, storey float64) {
	t.Helper()
	var m, k strings.Builder
	fmt.Fprintf(&m, "%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %d\n", n, n, n)
	fmt.Fprintf(&k, "%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %d\n", n, n, 2*n-1)
	for i := 1; i <= n; i++ {
		twice := 2 * storey
		if i == n {
			twice = storey
		}
		fmt.Fprintf(&m, "%d %d 1000\n", i, i)
		fmt.Fprintf(&k, "%d %d %g\n", i, i, twice)
		if i < n {
			fmt.Fprintf(&k, "%d %d %g\n", i+1, i, -storey)
		}
	}
	for name, text := range map[string]string{"m.mtx": m.String(), "k.mtx": k.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// inFiles is a test of a structure whose matrices stand in files of a folder.
func inFiles(t *testing.T, dir string, sets ...string) *Scenario {
	t.Helper()
	s, err := Parse("test.yaml", []byte(`rate_hz: 2048
ground: {kind: clough-penzien, duration_s: 1}
structure: {kind: matrices, mass: {file: m.mtx}, stiffness: {file: k.mtx}, damping: {rayleigh: {ratio: 0.02}}}
specimen: {kind: linear, stiffness: 2e5}
transfer: {kind: second-order, omega_rad_s: 150, damping_ratio: 0.8}
`), dir, sets)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func play(t *testing.T, s *Scenario, o Options) (*Run, []rths.Value) {
	t.Helper()
	r, err := s.Build(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Loop.Run(0, nil); err != nil {
		t.Fatal(err)
	}
	return r, r.Summary()
}

// A structure from files is the frame of the same masses and stiffnesses, small and large, read once or read anew, and
// by the text that the run writes of itself.
func TestMatricesFromFilesAreTheFrame(t *testing.T) {
	for _, n := range []int{3, 120} {
		dir := t.TempDir()
		chainFiles(t, dir, n, 2e6)
		s := inFiles(t, dir)
		storeys := func(v string) string { return "[" + strings.Repeat(v+", ", n-1) + v + "]" }
		frame := inFiles(t, dir, "structure={kind: shear, masses: "+storeys("1000")+", stiffnesses: "+storeys("2e6")+
			", damping: {rayleigh: {ratio: 0.02}}}")
		_, want := play(t, frame, Options{})
		run, got := play(t, s, Options{})
		sameBits(t, "from files", got, want)
		if len(run.Inputs) != 2 || filepath.Base(run.Inputs[0].File) != "m.mtx" ||
			filepath.Base(run.Inputs[1].File) != "k.mtx" {
			t.Errorf("inputs %v: want both files", run.Inputs)
		}
		shared := NewShared()
		for range 2 {
			again, got := play(t, s, Options{Shared: shared})
			sameBits(t, "shared", got, want)
			if fmt.Sprint(again.Inputs) != fmt.Sprint(run.Inputs) {
				t.Errorf("inputs %v of a file read before: want %v", again.Inputs, run.Inputs)
			}
		}
		text := rthstest.Must(run.Scenario.YAML())
		resolved, err := Parse("resolved", []byte(text), dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, got = play(t, resolved, Options{})
		sameBits(t, "resolved", got, want)
	}
}

// A reduction that several runs share is another one where a file of the same name holds other numbers.
func TestSharedReductionKnowsTheFiles(t *testing.T) {
	const reduce = "reduce={modes: 8, up_to_hz: 2.5}"
	shared := NewShared()
	var last [][]rths.Value
	for _, storey := range []float64{2e6, 3e6} {
		dir := t.TempDir()
		chainFiles(t, dir, 30, storey)
		s := inFiles(t, dir, reduce)
		_, want := play(t, s, Options{})
		for range 3 { // made, kept, given
			_, got := play(t, s, Options{Shared: shared})
			sameBits(t, fmt.Sprintf("storeys of %g N/m", storey), got, want)
		}
		last = append(last, want)
	}
	if last[0][1] == last[1][1] {
		t.Error("both structures have the same response")
	}
}

// The files of further components of the ground motion are read and listed too, and each error stands at its key.
func TestFilesOfInfluence(t *testing.T) {
	dir := t.TempDir()
	chainFiles(t, dir, 3, 2e6)
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "g.csv"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	more := "more_ground=[{influence: {file: g.csv}, motion: {kind: sine, amplitude_m_s2: 1, duration_s: 1}}]"
	write("0\n1\n0\n")
	r, got := play(t, inFiles(t, dir, more), Options{})
	_, want := play(t, inFiles(t, dir, strings.Replace(more, "{file: g.csv}", "[0, 1, 0]", 1)), Options{})
	sameBits(t, "influence", got, want)
	if n := len(r.Inputs); n != 3 || filepath.Base(r.Inputs[2].File) != "g.csv" {
		t.Errorf("inputs %v: want three files", r.Inputs)
	}
	for text, want := range map[string]string{
		"0\n1\n": "more_ground=[{influence: {file: g.csv}, motion: {kind: sine, amplitude_m_s2: 1, duration_s: 1}}]: " +
			"more_ground: entry 1: influence vector of 2 entries: want 3",
		"0\n1\nx\n": `more_ground[1].influence: ` + filepath.Join(dir, "g.csv") +
			`: line 3: column 1: found "x": want a finite number`,
		"0,1\n1,1\n":    "g.csv: found 2 rows and 2 columns: want one row or one column",
		"0; 1,000; 1\n": `column 2: found "1,000": want a finite number with a point before the decimals`,
		"0 1 0\n0 0 0":  "found 2 rows and 3 columns",
	} {
		write(text)
		_, err := inFiles(t, dir, more).Build(t.Context(), Options{})
		rthstest.WantError(t, err, want)
	}
	if err := os.Remove(filepath.Join(dir, "k.mtx")); err != nil {
		t.Fatal(err)
	}
	s := inFiles(t, dir)
	_, err := s.Build(t.Context(), Options{})
	rthstest.WantError(t, err, "test.yaml:3:50: structure.stiffness: open "+filepath.Join(dir, "k.mtx")+": no such file")
	if _, err := NewShared().Matrices(s); err == nil {
		t.Error("a missing file is no error")
	}
	if read, err := NewShared().Matrices(rthstest.Must(Shipped("benchmark-siso.yaml"))); err != nil || read != nil {
		t.Errorf("%v, %v: want no files", read, err)
	}
}

// A list or a block is wanted; both are told.
func TestMatrixIsListOrFile(t *testing.T) {
	for set, want := range map[string]string{
		"structure.mass=m.csv": `structure.mass: found "m.csv": want a list, as in [[1, 2], [3, 4]], or a file, ` +
			`as in {file: m.csv}`,
		"structure.mass=[1, 2]":        "found a list of numbers: want a list of lists",
		"structure.mass={fil: m.csv}":  "structure.mass.fil: unknown key",
		"structure.mass={variable: M}": "structure.mass: variable without file: want the path of a .mat file too",
		"structure.mass={}":            "mass matrix is missing: want rows of numbers",
		"structure.mass=":              "found nothing: want a list",
		"structure.influence=1":        `structure.influence: found "1": want a list, as in [1], or a file`,
		"structure.influence=1,5":      "found \"1,5\": want a list, as in [1,5]",
		"structure.damping={matrix: 0.1}": `structure.damping.matrix: found "0.1": want a list, as in [[1, 2], [3, 4]], or ` +
			`a file, as in {file: m.csv}`,
	} {
		s, err := Parse("test.yaml", []byte(`rate_hz: 2048
ground: {kind: clough-penzien, duration_s: 1}
structure: {kind: matrices, mass: [[1000]], stiffness: [[2e6]]}
specimen: {kind: linear, stiffness: 2e5}
transfer: {kind: second-order, omega_rad_s: 150, damping_ratio: 0.8}
`), ".", []string{set})
		if err == nil {
			_, err = s.Build(t.Context(), Options{})
		}
		rthstest.WantError(t, err, want)
	}
}
