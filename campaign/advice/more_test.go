package advice

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/campaign/study"
	"rths/kit/rthstest"
	"rths/model/plant"
	"rths/scenario"
)

// recorded is a folder of n recorded motions, r1 to rn: motion i has the peak i m/s² and lasts i s.
func recorded(t *testing.T, n int) (dir string, names []string) {
	t.Helper()
	dir = t.TempDir()
	for i := 1; i <= n; i++ {
		text := "time_s,accel_m_s2\n"
		for k := range 10*i + 1 {
			text += fmt.Sprintf("%.1f,%g\n", 0.1*float64(k), float64(i)*math.Sin(math.Pi*float64(k)/2))
		}
		name := fmt.Sprintf("r%d", i)
		if err := os.WriteFile(filepath.Join(dir, name+".csv"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return dir, names
}

// Records go in turn to tuning, final and selecting. A stream without one has artificial motions of
// their mean peak and of the longest's length; streams with several take turns.
func TestRecordsAreDealt(t *testing.T) {
	const artificial = "Clough–Penzien"
	for n, want := range map[int][streams][]string{
		1: {tuning: {"r1"}, selecting: {artificial}, final: {artificial}},
		2: {tuning: {"r1"}, selecting: {artificial}, final: {"r2"}},
		3: {tuning: {"r1"}, selecting: {"r3"}, final: {"r2"}},
		4: {tuning: {"r1", "r4"}, selecting: {"r3"}, final: {"r2"}},
	} {
		dir, names := recorded(t, n)
		for _, ground := range []string{"ground={record: r1}", "ground={kind: clough-penzien, duration_s: 3}"} {
			a := rthstest.Must(New(t.Context(), study.NewBench(dir),
				Question{Template: template(t, firstOrder, ground), Seed: 1, GoodPct: 5, Records: names}))
			for stream := range streams {
				if got := a.Motions[stream].Says; !strings.HasPrefix(got, strings.Join(want[stream], ", ")) {
					t.Errorf("%d records, %s: %s has %q: want %q", n, ground, streamNames[stream], got, want[stream])
				}
				for i := range 4 {
					s := rthstest.Must(a.Template.With(a.condition(stream, i)...))
					shaking := rthstest.Must(s.Shake(dir))
					name := want[stream][i%len(want[stream])]
					peak, length := float64(n+1)/2, float64(n) // means and longest of 1 to n
					if name != artificial {
						if _, err := fmt.Sscanf(name, "r%f", &peak); err != nil {
							t.Fatal(err)
						}
						length = peak
					}
					if got := shaking.Motion.PGA(); math.Abs(got/peak-1) > 1e-9 {
						t.Errorf("%d records: %s, condition %d: a peak of %g m/s², want %g of %s", n, streamNames[stream], i, got, peak,
							name)
					}
					if got := float64(shaking.Samples) / s.RateHz; math.Abs(got-length) > 2/s.RateHz {
						t.Errorf("%d records: %s, condition %d: %g s, want %g of %s", n, streamNames[stream], i, got, length, name)
					}
				}
			}
		}
	}
}

// still is a test without ground motion: it starts from a displacement.
var still = strings.Replace(firstOrder,
	"ground: {kind: clough-penzien, duration_s: 2, pga_g: 0.2, rise_s: 0.5, strong_s: 1, decay_s: 1}",
	"duration_s: 2\ninitial_displacement: [0.01]", 1)

// Without ground motion the streams differ in plants and seeds, which the notes say; records are refused.
func TestNoGroundMotion(t *testing.T) {
	a := asked(t, still)
	if !slices.ContainsFunc(a.Notes, func(n string) bool {
		return strings.Contains(n,
			"the scenario has no ground motion")
	}) {
		t.Errorf("notes %q", a.Notes)
	}
	for stream := range streams {
		if a.Motions[stream].Says != "the motion of the scenario" || len(a.Motions[stream].settings) > 0 ||
			len(a.condition(stream, 0)) != 3 {
			t.Errorf("%s: %+v", streamNames[stream], a.Motions[stream])
		}
	}
	dir, names := recorded(t, 2)
	_, err := New(t.Context(), study.NewBench(dir), Question{Template: template(t, still), Seed: 1, GoodPct: 5,
		Records: names})
	rthstest.WantError(t, err, "records r1, r2: the scenario has no ground motion: want a scenario with the key ground")
}

// The notes say which ratings are missing, that other components are shared, and why no radius is looked at.
func TestNotes(t *testing.T) {
	sine := "ground={kind: sine, frequency_hz: 1, amplitude_m_s2: 1, duration_s: 1}"
	for _, c := range []struct {
		sets []string
		want string // "": no note of this
		not  string
	}{
		{nil, "the transfer system states no stroke_m, no rate_m_s, no force_n: no constraint on it", "spectral radius"},
		{[]string{"transfer.stroke_m=0.1", "transfer.force_n=1e4"}, "states no rate_m_s: no", "stroke_m"},
		{[]string{"transfer.stroke_m=0.1", "transfer.force_n=1e4", "transfer.rate_m_s=1"}, "", "no constraint"},
		{[]string{"passivity={max_damping: 1e4}"}, "the spectral radius of the loop is no constraint here: ", "more_ground"},
		{[]string{sine,
			"more_ground=[{influence: [1], motion: {kind: sine, frequency_hz: 2, amplitude_m_s2: 1, duration_s: 1}}]"},
			"further components of the ground motion (more_ground) are the same in all streams", "spectral radius"},
	} {
		a := asked(t, firstOrder, c.sets...)
		notes := strings.Join(a.Notes, "\n")
		if !strings.Contains(notes, c.want) || strings.Contains(notes, c.not) {
			t.Errorf("%q: notes %q: want %q, not %q", c.sets, notes, c.want, c.not)
		}
		if a.bench.Radii != a.limits.radius || a.bench.Radii == strings.Contains(notes,
			"the spectral radius of the loop is no constraint") {
			t.Errorf("%q: radii are looked at: %v, a constraint: %v", c.sets, a.bench.Radii, a.limits.radius)
		}
	}
}

// rowOf is the row of a sound run, with some values in place of its own; NaN leaves one out.
func rowOf(values map[string]float64) *study.Row {
	all := map[string]float64{"J2_true_pct": 1, "J4_true_pct": 2, "command_m": 0.01, "command_rate_m_s": 0.2,
		"force_N": 500, "roughness_um": 3, study.RadiusStart: 0.9, study.RadiusEnd: 0.99}
	for name, v := range values {
		all[name] = v
	}
	r := &study.Row{Status: rths.Completed}
	for name, v := range all {
		if !math.IsNaN(v) {
			r.Values = append(r.Values, rths.Value{Name: name, V: v})
		}
	}
	return r
}

// A run is sound up to its limits: stroke, rate and force of the rating, roughness, radius.
func TestLimits(t *testing.T) {
	nan := math.NaN()
	one := []rths.Value{{Name: "J4_true_pct", Unit: "%", Meaning: rths.Meaning{Quantity: "J4", Exact: true}}}
	l := limits{rating: plant.Rating{Stroke: 0.02, Rate: 0.5, Force: 1000}, rough: 10, radius: true}
	for _, c := range []struct {
		values map[string]float64
		axes   int
		want   string // "": sound
	}{
		{nil, 1, ""},
		{map[string]float64{"command_m": 0.02, "command_rate_m_s": 0.5, "force_N": 1000, "roughness_um": 10}, 1, ""},
		{map[string]float64{"command_m": 0.021}, 1, "command 0.021 m, the limit is 0.02 m"},
		{map[string]float64{"command_rate_m_s": 0.6}, 1, "rate of the command 0.6 m/s, the limit is 0.5 m/s"},
		{map[string]float64{"force_N": 1100}, 1, "force 1.1e+03 N, the limit is 1e+03 N"},
		{map[string]float64{"force_N": nan}, 1, ""}, // no load cell
		{map[string]float64{"roughness_um": 11}, 1, "roughness 11 µm, the limit is 10 µm"},
		{map[string]float64{"command_m": nan}, 1, "command NaN m"}, // not known is not sound
		{map[string]float64{"J2_true_pct": nan}, 1, "no J2 without noise: the target does not move"},
		{map[string]float64{study.RadiusEnd: 1}, 1, "is unstable with the parameters at start or end: spectral radius 1"},
		{map[string]float64{study.RadiusStart: 1.01}, 1, "spectral radius 1.01"},
		{map[string]float64{study.RadiusEnd: nan}, 1, "spectral radius NaN"},
		{map[string]float64{"command_m": nan, "command_1_m": 0.01, "command_2_m": 0.03}, 2, "command 0.03 m"}, // the worst
	} {
		l.names = namesOf(1, one)
		if c.axes > 1 {
			l.names.command = namesOf(c.axes, nil).command
		}
		if got := l.trial(rowOf(c.values)); (got.Why == "") != (c.want == "") || !strings.Contains(got.Why, c.want) ||
			!got.there {
			t.Errorf("%v: %q, want %q", c.values, got.Why, c.want)
		}
		free := limits{names: l.names}
		if got := free.trial(rowOf(c.values)); (got.Why == "") != !math.IsNaN(got.J2) || !math.IsNaN(got.Radius) {
			t.Errorf("%v without limits: %+v", c.values, got)
		}
	}
	l.names = namesOf(1, one)
	tripped := rowOf(nil)
	tripped.Status, tripped.Reason = "tripped", "stroke at 3 s"
	if got := l.trial(tripped); got.Why != "tripped: stroke at 3 s" || !math.IsNaN(got.J2) || !math.IsNaN(got.Global) {
		t.Errorf("tripped: %+v", got)
	}
}

// The values of a trial are the worst of all actuators and points; values against another reference do not count.
func TestWorst(t *testing.T) {
	nan := math.NaN()
	point := func(quantity, unit, against string, coordinate string) rths.Value {
		of := rths.Meaning{Quantity: quantity, Coordinate: coordinate, Against: against, Exact: true}
		return rths.Value{Unit: unit, Meaning: of}
	}
	summary := rths.Named([]rths.Value{
		point("J4", "ms", "", "x"), point("J7", "%", "", "x"), point("J7", "%", "", "theta"), point("J7", "%", "mono", "x"),
	})
	r := rowOf(map[string]float64{
		"J2_true_pct": nan, "J2_1_true_pct": 3, "J2_2_true_pct": 5, "J2_pct": 99, "J4_true_pct": nan, "J4_x_true_ms": 99,
		"J7_x_true_pct": 6, "J7_theta_true_pct": 7, "J7_x_mono_true_pct": 99, "roughness_um": nan, "roughness_1_um": 3,
	})
	l := limits{names: namesOf(2, summary)}
	if got := l.trial(r); got.J2 != 5 || got.Global != 7 || got.Rough != 3 {
		t.Errorf("%+v: want J2 5, against the undivided structure 7, roughness 3", got)
	}
	r = rowOf(map[string]float64{"J2_true_pct": nan, "J2_1_true_pct": 3})
	r.Values = append(r.Values, rths.Value{Name: "J2_2_true_pct", V: nan})
	if got := l.trial(r); !math.IsNaN(got.J2) || got.Why == "" {
		t.Errorf("an actuator without J2: %+v", got)
	}
}

// A limit of the question acts on runs: every command is rougher than a picometre, none than a metre.
func TestRoughUm(t *testing.T) {
	for _, c := range []struct {
		um    float64
		sound bool
	}{{1e-6, false}, {1e6, true}, {0, true}} {
		a := rthstest.Must(New(t.Context(), study.NewBench(""),
			Question{Template: template(t, firstOrder), Seed: 1, GoodPct: 5, RoughUm: c.um}))
		own := a.Methods[0].Candidates
		if err := a.evaluate(t.Context(), study.Workers(2), tuning, own, 3, nil); err != nil {
			t.Fatal(err)
		}
		for _, trial := range own[0].trials[tuning] {
			if sound := trial.Why == ""; sound != c.sound || !sound && !strings.HasPrefix(trial.Why, "roughness ") ||
				!(trial.Rough > 0) {
				t.Errorf("%g µm: %+v", c.um, trial)
			}
		}
		if a.Done != 3 {
			t.Errorf("%d runs done, want 3", a.Done)
		}
		if rows := a.Sheet().Columns; len(rows[0].Texts) != 3 || rows[0].Texts[0] != "tuning" {
			t.Errorf("the sheet has %v", rows[0].Texts)
		}
	}
}

// What cannot be asked is refused.
func TestWrongQuestions(t *testing.T) {
	for _, c := range []struct {
		good, rough float64
		want        string
	}{{0, 0, "a good J2_true of 0 %"}, {math.NaN(), 0, "a good J2_true of NaN %"},
		{1001, 0, "want more than 0, at most 1000"}, {5, -1, "a roughness of -1 µm"},
		{5, math.NaN(), "a roughness of NaN µm"}} {
		_, err := New(t.Context(), study.NewBench(""), Question{Template: template(t, firstOrder), Seed: 1, GoodPct: c.good,
			RoughUm: c.rough})
		rthstest.WantError(t, err, c.want)
	}
	a := asked(t, firstOrder)
	for _, runs := range []int{0, -1, mostRuns + 1} {
		rthstest.WantError(t, a.Allot(runs), fmt.Sprintf("%d runs: want 1 to %d", runs, mostRuns))
	}
	rthstest.WantError(t, a.Allot(1), "too few runs: 1 for")
	for _, minutes := range []float64{0, -1, math.NaN(), 1e7} {
		_, err := a.RunsIn(t.Context(), minutes, 1)
		rthstest.WantError(t, err, "want more than 0, at most 1e6")
	}
	if n, err := a.RunsIn(t.Context(), 60, 2); err != nil || n < 1 || n > mostRuns || a.Done != 0 {
		t.Errorf("an hour has %d runs, %v; %d done", n, err, a.Done)
	}
}

// A record that stands twice would be in two streams, and a motion of nothing has no peak to take over.
func TestWrongMotions(t *testing.T) {
	for want, q := range map[string]Question{
		"record kobe stands twice": {Template: template(t, firstOrder), Records: []string{"kobe", "elcentro", "kobe"}},
		"no peak":                  {Template: template(t, firstOrder, "ground={kind: step, amplitude_m_s2: 0}")},
	} {
		q.Seed, q.GoodPct = 1, DefaultGoodPct
		if _, err := New(t.Context(), study.NewBench("nowhere"), q); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v: want %q", err, want)
		}
	}
}

// A setting that a lower rate refuses is no failure of the method: the level was not tried, and the notes say why. Nor
// is a random plant that does not exist.
func TestRefusalsAreNoFailures(t *testing.T) {
	a := asked(t, firstOrder, "rate_hz=1024")
	m := a.Methods[slices.IndexFunc(a.Methods, func(m *Method) bool { return m.Name == "kalman-inverse" })]
	values := make([]float64, len(m.Tunable))
	for i, k := range m.Tunable {
		values[i] = k.From
		if k.Key == "jerk_hz" {
			values[i] = 300
		}
	}
	var err error
	if a.Winner, _, err = a.candidate(t.Context(), rthstest.Must(a.Template.With()), m, values); err != nil {
		t.Fatal(err)
	}
	var slower *direction
	for _, d := range a.directions(t.Context()) {
		if d.what == "a lower rate" {
			slower = d
		}
	}
	easy, hard := a.level(t.Context(), slower, 1.25), a.level(t.Context(), slower, 2)
	if easy.c == nil || hard.c != nil || !strings.Contains(hard.cannot, "jerk_hz") {
		t.Fatalf("at 819 Hz %q, at 512 Hz %q: want the second refused by its key", easy.cannot, hard.cannot)
	}
	for job := range 3 {
		easy.take(2*job, Trial{J2: 1})
		easy.take(2*job+1, Trial{Why: "no such plant", refused: true})
	}
	a.Notes = nil
	got, ok := a.conclude(slower, []*level{easy, hard})
	if !ok || got.Bears != 0.8 || !math.IsInf(got.Fails, 1) || got.Why != "" {
		t.Errorf("%+v: want a rate of 0.8 borne, and no failure", got)
	}
	if len(a.Notes) != 1 || !strings.Contains(a.Notes[0], "3 random plants: the others cannot be built: no such plant") {
		t.Errorf("notes %q", a.Notes)
	}
	a.Notes = nil
	if _, ok := a.conclude(slower, []*level{hard}); ok || len(a.Notes) != 1 ||
		!strings.Contains(a.Notes[0], "a lower rate (0.5 times) was not tried: its settings are refused: ") {
		t.Errorf("notes %q, said %t", a.Notes, ok)
	}
}

// The recommended scenario reads its motion from the folder that it is written into.
func TestRecommendedReadsItsFiles(t *testing.T) {
	dir, _ := recorded(t, 1)
	text := strings.Replace(firstOrder,
		"ground: {kind: clough-penzien, duration_s: 2, pga_g: 0.2, rise_s: 0.5, strong_s: 1, decay_s: 1}",
		"ground: {file: ../r1.csv}", 1)
	for _, folder := range []string{"in", "far/away"} {
		rthstest.Must(0, os.MkdirAll(filepath.Join(dir, folder), 0o777))
	}
	base := filepath.Join(dir, "in/base.yaml")
	rthstest.Must(0, os.WriteFile(base, []byte(text), 0o666))
	a := rthstest.Must(New(t.Context(), study.NewBench(""),
		Question{Template: rthstest.Must(scenario.LoadTemplate(base, "", nil)), Seed: 1, GoodPct: 5}))
	a.Winner = a.Methods[0].Candidates[0]
	a.Winner.trials[final] = trials(1, 2, 3)
	path := filepath.Join(dir, "far/away/scenario.yaml")
	rthstest.Must(0, os.WriteFile(path, []byte(rthstest.Must(a.Recommended(t.Context(), filepath.Dir(path)))), 0o666))
	run := rthstest.Must(rthstest.Must(scenario.Load(path, nil)).Build(t.Context(), scenario.Options{}))
	if run.Motion.PGA() != 1 {
		t.Errorf("a peak of %g m/s²: want 1, the record's", run.Motion.PGA())
	}
}

// Trials come in any order: what a level says is of the first job.
func TestTrialsInAnyOrder(t *testing.T) {
	for _, order := range [][]int{{0, 1, 2, 3}, {3, 1, 2, 0}, {2, 3, 0, 1}} {
		l := &level{}
		for _, job := range order {
			l.take(job, Trial{Why: []string{"", "b", "plant c", "d"}[job], refused: job == 2, J2: float64(job)})
		}
		a := &Advice{Question: Question{GoodPct: 5}}
		if got := a.fails(l); got != "b" || l.drawn != "plant c" || l.trials[2].Why != "d" {
			t.Errorf("in the order %v: %q, %q, %v", order, got, l.drawn, l.trials)
		}
	}
}
