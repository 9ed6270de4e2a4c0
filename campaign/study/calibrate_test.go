package study

import (
	"encoding/json"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/scenario"
	"rths/scenario/growth"
	"rths/scenario/syntax"
)

// tuning tunes two keys of forward prediction over two plants.
const tuning = `
seed: 3
points: 2
criterion: J2_true_pct
variables:
  specimen.stiffness: {kind: uniform, from: 1.1e6, to: 1.3e6}
calibrate:
  keys:
    compensator.tau_ms: {from: 2, to: 60, log: true}
    compensator.gain: {from: 0.8, to: 1.2}
  search: {kind: pso, particles: 4, iterations: 3}
`

var predicting = []string{"compensator={kind: forward-prediction, order: 2, tau_ms: 5}", "sensors="}

func calibration(t testing.TB, text string, sets ...string) (*Bench, *Calibration) {
	t.Helper()
	b, p := planned(t, text, sets...)
	b.Radii = p.File.Calibrate.Radius > 0
	c, err := NewCalibration(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return b, c
}

// searched runs a search to its end.
func searched(t testing.TB, b *Bench, c *Calibration, workers int) {
	t.Helper()
	for !c.Search.Done() {
		if err := c.Step(t.Context(), b, Workers(workers), nil); err != nil {
			t.Fatal(err)
		}
	}
}

// A search gives the same bits with any number of workers, and after it went on from a
// checkpoint.
func TestCalibrationHangsOnTheStudyAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and other tests run the same goroutines")
	}
	b, c := calibration(t, tuning, predicting...)
	searched(t, b, c, 1)
	b, other := calibration(t, tuning, predicting...)
	searched(t, b, other, 3)
	if !reflect.DeepEqual(c.History, other.History) || len(c.History) != 16 {
		t.Errorf("%d and %d candidates, not the same", len(c.History), len(other.History))
	}
	dir := t.TempDir()
	b, begun := calibration(t, tuning, predicting...)
	for range 2 {
		if err := begun.Step(t.Context(), b, Workers(2), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := begun.Save(dir); err != nil {
		t.Fatal(err)
	}
	b, resumed := calibration(t, tuning, predicting...)
	if err := resumed.Resume(dir); err != nil {
		t.Fatal(err)
	}
	searched(t, b, resumed, 2)
	if !reflect.DeepEqual(resumed.History, c.History) {
		t.Error("the search that went on is another one")
	}
	for _, text := range []string{strings.Replace(tuning, "to: 60", "to: 50", 1),
		strings.Replace(tuning, "particles: 4", "particles: 5", 1), tuning + "  of: worst\n"} {
		_, another := calibration(t, text, predicting...)
		if err := another.Resume(dir); err == nil || !strings.Contains(err.Error(), "another calibration") {
			t.Errorf("%s\n%v: want another calibration", text, err)
		}
	}
}

// The objective of a candidate is what the runs of a study with its values give, and of no
// candidate what the base scenario gives.
func TestObjectiveIsTheStudys(t *testing.T) {
	b, c := calibration(t, tuning, predicting...)
	u := []float64{0.7, 0.25}
	fitness, err := b.Evaluate(t.Context(), c.Plan, c.Criterion, [][]float64{u, nil}, Workers(2), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, tuned := range [][]syntax.Setting{c.Plan.File.Calibrate.Settings(u), nil} {
		b, p := planned(t, tuning, predicting...)
		p.Tune(tuned)
		x := made(t, b, p, 2).Table.Column("J2_true_pct")
		if want := (x[0] + x[1]) / 2; fitness[i].Value != want || fitness[i].Violation != 0 {
			t.Errorf("fitness %+v, want %v", fitness[i], want)
		}
	}
	values := c.Plan.File.Calibrate.Values(u)
	rthstest.Near(t, "τ", values[0], 2*math.Pow(30, 0.7), 1e-12)
	rthstest.Near(t, "gain", values[1], 0.9, 1e-15)
}

// The search finds what a fine grid finds: a better gain than the base scenario's.
func TestCalibrationFindsTheOptimum(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and other tests run the same goroutines")
	}
	text := strings.NewReplacer("points: 2", "points: 1", "    compensator.gain: {from: 0.8, to: 1.2}\n", "",
		"particles: 4, iterations: 3", "particles: 8, iterations: 10").Replace(tuning)
	b, c := calibration(t, text, predicting...)
	searched(t, b, c, 2)
	var grid [][]float64
	for i := range 101 {
		grid = append(grid, []float64{float64(i) / 100})
	}
	fitness, err := b.Evaluate(t.Context(), c.Plan, c.Criterion, grid, Workers(2), nil)
	if err != nil {
		t.Fatal(err)
	}
	least := fitness[0]
	for _, f := range fitness {
		if f.Less(least) {
			least = f
		}
	}
	_, best, _ := c.Search.Best()
	if !(best.Value <= least.Value*1.01) || !(least.Value < 0.5*fitness[0].Value) {
		t.Errorf("best %v; of 101 values on a grid %v, the first %v", best.Value, least.Value, fitness[0].Value)
	}
	if steps := c.Best(); len(steps) != 11 || steps[10] != best {
		t.Errorf("best after every generation: %v", steps)
	}
}

// Mean, quantile and worst; runs that fail and constraints that break count as violations.
func TestJudge(t *testing.T) {
	row := func(status string, j2, rough float64) Row {
		var r Row
		r.Status = status
		for name, v := range map[string]float64{"J2": j2, "rough": rough} {
			r.Values = append(r.Values, value(name, v))
		}
		return r
	}
	rows := []Row{
		row(rths.Completed, 1, 1), row(rths.Completed, 2, 9), row("tripped", 100, 1), row(rths.Completed, 4, 1),
		{Status: rths.Failed},
	}
	limit := 5.0
	for _, tc := range []struct {
		of   string
		want Fitness
	}{{"mean", Fitness{0.6, 7.0 / 3}}, {"worst", Fitness{0.6, 4}}, {"quantile", Fitness{0.6, 3.6}}} {
		c := newCalibrate()
		c.Of, c.Constraints = tc.of, scenario.Expect{{Name: "rough", Range: scenario.Range{Max: &limit}}}
		if got := c.Judge("J2", rows); math.Abs(got.Value-tc.want.Value) > 1e-12 || got.Violation != tc.want.Violation {
			t.Errorf("%s: %+v, want %+v", tc.of, got, tc.want)
		}
	}
	c := newCalibrate()
	if got := c.Judge("J2", rows[4:]); got.Violation != 1 || !math.IsInf(got.Value, 1) {
		t.Errorf("no run has completed: %+v", got)
	}
	if text, err := json.Marshal(c.Judge("J2", rows[4:])); err != nil || !strings.Contains(string(text), "null") {
		t.Errorf("%s, %v", text, err)
	}
}

// The radius at the end of a run is that of a loop that starts with the parameters of the end,
// and a constraint on it counts.
func TestRadiusOfWhatWasLearnt(t *testing.T) {
	text := strings.NewReplacer("compensator.tau_ms: {from: 2, to: 60, log: true}",
		"compensator.gamma[1]: {from: 1e6, to: 1e10, log: true}", "    compensator.gain: {from: 0.8, to: 1.2}\n",
		"").Replace(tuning)
	b, c := calibration(t, text+"  radius_below: 1\n")
	row, err := b.Play(t.Context(), c.Plan.Template, c.Plan.Settings(0))
	if err != nil || row.Status != rths.Completed {
		t.Fatal(row, err)
	}
	s, err := c.Plan.Template.With(c.Plan.Settings(0)...)
	if err != nil {
		t.Fatal(err)
	}
	run, err := s.Build(t.Context(), scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Loop.Run(0, nil); err != nil {
		t.Fatal(err)
	}
	var a []string
	for _, v := range run.Parameters()[:4] {
		text, _ := json.Marshal(v.V)
		a = append(a, string(text))
	}
	for name, set := range map[string]string{RadiusStart: "name=start",
		RadiusEnd: "compensator.a=[" + strings.Join(a, ", ") + "]"} {
		s, err := run.Scenario.With("compensator.initial=given", set)
		if err != nil {
			t.Fatal(err)
		}
		still, err := s.AtRest(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want, err := growth.Radius(t.Context(), still)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := row.Value(name)
		if !ok || math.Abs(got-want) > 1e-9 {
			t.Errorf("%s %v, want %v", name, got, want)
		}
	}
	start, _ := row.Value(RadiusStart)
	end, _ := row.Value(RadiusEnd)
	if start == end {
		t.Error("the compensator has learnt nothing")
	}
	k := c.Plan.File.Calibrate
	k.Radius = max(start, end)
	if f := k.Judge(c.Criterion, []Row{row}); f.Violation != 1 {
		t.Errorf("a radius of %v against the bound %v: %+v", k.Radius, k.Radius, f)
	}
}

// A map around the optimum has the objective of its points, and lies within the bounds.
func TestNeighbourhood(t *testing.T) {
	b, c := calibration(t, tuning+"  neighbourhood: 3\n", predicting...)
	searched(t, b, c, 2)
	if err := c.Neighbourhood(t.Context(), b, Workers(2), nil); err != nil {
		t.Fatal(err)
	}
	if len(c.Maps) != 1 || c.Maps[0].KeyX != "compensator.tau_ms" || len(c.Maps[0].Value) != 3 {
		t.Fatalf("%+v", c.Maps)
	}
	m, u := c.Maps[0], make([]float64, 2)
	for j := range 3 {
		for i := range 3 {
			u[0], u[1] = c.Plan.File.Calibrate.Keys[0].Of.U(m.AtX[i]), c.Plan.File.Calibrate.Keys[1].Of.U(m.AtY[j])
			want, err := b.Evaluate(t.Context(), c.Plan, c.Criterion, [][]float64{u}, Workers(1), nil)
			if err != nil {
				t.Fatal(err)
			}
			rthstest.Near(t, "objective", m.Value[j][i].Value, want[0].Value, 1e-6)
		}
	}
	for u, want := range map[float64][]float64{0.5: {0.375, 0.5, 0.625}, 0: {0, 0.0625, 0.125}, 0.95: {0.825, 0.9125, 1}} {
		rthstest.NearAll(t, "points", around(u, 3), want, 1e-15)
	}
}

// With a margin a candidate is judged by itself and by each key alone at both ends of the margin, within the range: the
// worst of these counts, a violation before any value. Maps are without it.
func TestMargin(t *testing.T) {
	c := Calibrate{Margin: 0.25}
	var points []float64
	for _, p := range c.within([]float64{0.5, 0.1}) {
		points = append(points, p...)
	}
	rthstest.NearAll(t, "points", points, []float64{0.5, 0.1, 0.25, 0.1, 0.75, 0.1, 0.5, 0, 0.5, 0.35}, 1e-15)
	if alone := (&Calibrate{}).within([]float64{0.5, 0.1}); len(alone) != 1 {
		t.Errorf("%d points without a margin: want the candidate", len(alone))
	}
	if base := c.within(nil); len(base) != 1 || base[0] != nil {
		t.Errorf("points %v of the base scenario: want it alone", base)
	}

	b, plain := calibration(t, tuning, predicting...)
	_, robust := calibration(t, tuning+"  margin: 0.25\n", predicting...)
	if plain.Identity() == robust.Identity() {
		t.Error("a checkpoint with a margin fits a search without")
	}
	candidates := [][]float64{{0.7, 0.25}, nil, {0.4, 0.9}}
	got, err := b.Evaluate(t.Context(), robust.Plan, plain.Criterion, candidates, Workers(2), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, u := range candidates {
		each, err := b.Evaluate(t.Context(), plain.Plan, plain.Criterion, robust.Plan.File.Calibrate.within(u),
			Workers(2), nil)
		if err != nil {
			t.Fatal(err)
		}
		worst := each[0]
		for _, f := range each {
			if worst.Less(f) {
				worst = f
			}
		}
		if got[i] != worst || u != nil && worst == each[0] {
			t.Errorf("candidate %v: %v: want the worst of %v, not the candidate's own", u, got[i], each)
		}
	}
	if _, err := Parse("s.yaml", []byte("scenario: a.yaml"+tuning+"  margin: 0.6\n")); err == nil ||
		!strings.Contains(err.Error(), "margin 0.6: want 0 to 0.5 of the range of a key") {
		t.Errorf("a margin of 0.6: %v", err)
	}
}

// A calibration writes its folder and goes on in it.
func TestCheckpointMistakes(t *testing.T) {
	_, c := calibration(t, tuning, predicting...)
	dir := t.TempDir()
	if err := c.Resume(dir); err != nil {
		t.Errorf("no checkpoint yet: %v", err)
	}
	for _, text := range []string{"", "{", `{"format": 2}`,
		`{"format": 1, "identity": "` + c.Identity() + `", "search": {}}`,
		`{"format": 1, "identity": "` + c.Identity() + `", "search": null}`} {
		write(t, filepath.Join(dir, CheckpointFile), text)
		if err := c.Resume(dir); err == nil {
			t.Errorf("%q: want an error", text)
		}
	}
	if _, err := NewCalibration(t.Context(), mustPlan(t, crossed)); err == nil ||
		!strings.Contains(err.Error(), "no keys to tune") {
		t.Errorf("no keys: %v", err)
	}
}
