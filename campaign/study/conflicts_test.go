package study

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
)

// A block as a level, and a key that goes into the block: runs do not write into each other's
// block, whatever the number of workers, and labels keep the block of the file.
func TestKeyWithinABlock(t *testing.T) {
	text := "variables:\n  ground: [{kind: sine, duration_s: 0.5, frequency_hz: 2}, {kind: sine, duration_s: 0.5, " +
		"frequency_hz: 5}]\n  ground.amplitude_m_s2: {kind: grid, from: 1, to: 8, points: 8}\n"
	b, p := planned(t, text)
	want := rowsOf(made(t, b, p, 1))
	for range 3 {
		b, p := planned(t, text)
		sameRows(t, rowsOf(made(t, b, p, 8)), want)
		if got := p.Levels(9).Get("ground").(string); got != "{kind: sine, duration_s: 0.5, frequency_hz: 5}" {
			t.Errorf("the level is %s after the runs", got)
		}
	}
}

// The noise of a run is no part of any index: of points A and AB the noise is the same, and
// of points B another. f = √12 (u1 − ½) + ½ √12 (u2 − ½) + noise of variance 1: S = T without the
// noise in T, of a variance of 1 + ¼ + 1.
func TestNoiseCountsForNoIndex(t *testing.T) {
	_, p := planned(t,
		"sampling: saltelli\npoints: 4096\nvariables: {specimen.mass: {kind: uniform, from: 20, to: 30}, "+
			"specimen.damping_ratio: {kind: uniform, from: 0.01, to: 0.02}}")
	f := make([]float64, p.Runs())
	for run := range f {
		seed, _ := p.Seed(run)
		u := p.points[p.Point(run)]
		f[run] = math.Sqrt(12)*(u[0]-0.5) + math.Sqrt(3)*(u[1]-0.5) + rand.New(rand.NewPCG(seed, 0)).NormFloat64()
	}
	s, _, err := sobolIndices(f, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{1 / 2.25, 0.25 / 2.25} {
		rthstest.Near(t, "first order", s.First[i].Value, want, 0.06) // three standard deviations of 4096 points
		rthstest.Near(t, "total", s.Total[i].Value, want, 0.03)
	}
}

// A criterion without variance has no indices, and JSON has no NaN.
func TestSobolWithoutVariance(t *testing.T) {
	f := make([]float64, 4*16)
	for i := range f {
		f[i] = 2 + 1e-15*float64(i%3)
	}
	if _, _, err := sobolIndices(f, 2, 1); err == nil || !strings.Contains(err.Error(), "no variance") {
		t.Errorf("%v", err)
	}
	if text, err := json.Marshal(Index{math.NaN(), math.Inf(1), 1}); err != nil ||
		string(text) != `{"value":null,"from":null,"to":1}` {
		t.Errorf("%s, %v", text, err)
	}
	f = make([]float64, 4*16)
	for i := range f {
		f[i] = float64(i % 16)
		if i%16 < 9 {
			f[i] = math.NaN()
		}
	}
	if _, lost, err := sobolIndices(f, 2, 1); err == nil || lost != 9 {
		t.Errorf("9 of 16 points lost: %d, %v", lost, err)
	}
}

// Variables that would undo each other, and names that no run has, are refused before the runs.
func TestConflicts(t *testing.T) {
	tune := "\ncalibrate: {keys: {specimen.mass: {from: 20, to: 30}}"
	for _, tc := range []struct{ text, set, want string }{
		{"variables: {compensator: [{kind: amb}], compensator.kind: [none]}", "", "one would undo the other"},
		{"variables: {specimen.mass: [20, 21]}" + tune + "}", "", "keys.specimen.mass is a variable too"},
		{"perturbed: 2\nvariables: {perturbed: [1, 2]}", "", "beside a variable of that key"},
		{"perturbed: 2\nvariables: {specimen.mass: [20, 21]}", "scatter={specimen.mass: {kind: normal, mean: 29, sd: 1}}",
			"specimen.mass is drawn by scatter"},
		{"criterion: J2_true\nvariables: {seed: [1]}", "", `criterion: "J2_true": want one of J1_ms`},
		{"sampling: saltelli\npoints: 2\nsobol: [J22]\nvariables: {specimen.mass: {kind: uniform, from: 20, to: 30}}", "",
			`sobol: "J22"`},
		{"points: 1" + tune + ", constraints: {J3_tru_pct: {max: 3}}}", "", `"J3_tru_pct": did you mean`},
		{"points: 2\nvariables: {structure.case: {kind: uniform, from: 1, to: 3}}", "", "want a whole number"},
		{"points: 10000000\nsampling: saltelli\nvariables: {specimen.mass: {kind: uniform, from: 20, to: 30}}", "",
			"runs: want at most"},
		{"variables: {specimen.mass: [1, +1.0]}", "", "stands twice"},
		{"variables: {name: ['a', a]}", "", "stands twice"},
	} {
		sets := []string{quake}
		if tc.set != "" {
			sets = append(sets, tc.set)
		}
		f, err := Parse("study.yaml", []byte("scenario: base.yaml\n"+tc.text))
		if err == nil {
			_, err = NewBench("").NewPlan(t.Context(), f, template(t, "benchmark-siso.yaml", sets...))
		}
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s\n%v\nwant %s", tc.text, err, tc.want)
		}
	}
	_, p := planned(t, "points: 1"+tune+", radius_below: 1}", "loop=open")
	if _, err := NewCalibration(t.Context(), p); err == nil || !strings.Contains(err.Error(), "the loop is open") {
		t.Errorf("the radius of an open loop: %v", err)
	}
}

// A variable seed stands in its one column; a grid between whole ends is whole.
func TestSeedsAsAVariable(t *testing.T) {
	b, p := planned(t, "points: 2\nvariables: {seed: {kind: grid, from: 1, to: 7, points: 7}}")
	f := made(t, b, p, 2)
	if _, err := f.Finish(p, rths.Completed, "", nil); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(f.Dir, CSVFile))
	if err != nil || strings.Count(strings.SplitN(string(text), "\n", 2)[0], "seed") != 1 {
		t.Errorf("%.100s, %v", text, err)
	}
	for run := range p.Runs() {
		if got := fmt.Sprint(p.Settings(run)); !strings.HasSuffix(got, fmt.Sprintf("seed=%d]", run/2+1)) {
			t.Errorf("run %d: %s", run, got)
		}
	}
}

// A study whose record has changed does not go on.
func TestResumeWithAnotherRecord(t *testing.T) {
	dir := t.TempDir()
	quake := filepath.Join(dir, "quake.csv")
	write(t, quake, "time_s,accel_m_s2\n0,0\n0.1,1\n0.2,0\n0.3,-1\n")
	plan := func() (*Bench, *Plan) {
		return planned(t, "points: 1\nvariables: {ground: [{file: "+quake+"}, {kind: sine, duration_s: 0.2}]}")
	}
	b, p := plan()
	m := Manifest{Kind: StudyKind, Inputs: p.Inputs}
	f, err := Create(filepath.Join(dir, "s"), m, p)
	if err != nil || len(p.Inputs) == 0 {
		t.Fatal(p.Inputs, err)
	}
	if err := b.Execute(t.Context(), p, f, Workers(1), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Finish(p, rths.Completed, "", nil); err != nil {
		t.Fatal(err)
	}
	write(t, quake, "time_s,accel_m_s2\n0,0\n0.1,2\n0.2,0\n0.3,-1\n")
	_, p = plan()
	if _, err := Resume(f.Dir, Manifest{Kind: StudyKind, Inputs: p.Inputs}, p); err == nil ||
		!strings.Contains(err.Error(), "quake.csv has changed") {
		t.Errorf("%v", err)
	}
}

// A run whose criterion is no number is a violation.
func TestCriterionWithoutNumber(t *testing.T) {
	c := newCalibrate()
	good, bad := Row{Status: rths.Completed}, Row{Status: rths.Completed}
	good.Values, bad.Values = append(good.Values, value("J2", 3)), append(bad.Values, value("J2", math.NaN()))
	if f := c.Judge("J2", []Row{good, bad}); f.Violation != 0.5 || f.Value != 3 {
		t.Errorf("%+v", f)
	}
}

// A study file with a mistake in its YAML is not called a scenario.
func TestIs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.yaml")
	for _, tc := range []struct {
		text string
		is   bool
		want string
	}{{"scenario: a.yaml\n", true, ""}, {"name: a\n", false, ""}, {"scenario: a\nset: [a: b: c]\n", false, "s.yaml:2:"},
		{"", false, "empty"}} {
		write(t, path, tc.text)
		is, err := Is(path)
		if is != tc.is || (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%q: %v, %v", tc.text, is, err)
		}
	}
}

// A folder whose program was killed before its first row goes on.
func TestResumeFromTheBeginning(t *testing.T) {
	b, p := planned(t, crossed)
	f, err := Create(filepath.Join(t.TempDir(), "s"), Manifest{Kind: StudyKind}, p)
	if err != nil {
		t.Fatal(err)
	}
	f.log.Close()
	for _, log := range []string{"", "rths ro"} {
		write(t, filepath.Join(f.Dir, LogFile), log)
		again, err := Resume(f.Dir, Manifest{Kind: StudyKind}, p)
		if err != nil {
			t.Fatalf("%q: %v", log, err)
		}
		if err := b.Execute(t.Context(), p, again, Workers(2), nil); err != nil {
			t.Fatal(err)
		}
		again.log.Close()
		if again, err = Resume(f.Dir, Manifest{Kind: StudyKind}, p); err != nil || again.Table.Done() != 6 {
			t.Fatalf("%q: %v", log, err)
		}
		again.log.Close()
	}
}
