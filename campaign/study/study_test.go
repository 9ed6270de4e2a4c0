package study

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/scenario"
	"rths/scenarios"
)

// quake is a short artificial motion, in place of the record of a shipped scenario.
const quake = "ground={kind: clough-penzien, duration_s: 1}"

// template is a shipped scenario with some keys set.
func template(t testing.TB, file string, sets ...string) *scenario.Template {
	t.Helper()
	text, err := scenarios.Files.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	out, err := scenario.NewTemplate(file, text, ".", sets)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// planned is the plan of a study's text on a shipped scenario.
func planned(t testing.TB, text string, sets ...string) (*Bench, *Plan) {
	t.Helper()
	f, err := Parse("study.yaml", []byte("scenario: base.yaml\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	b := NewBench("")
	p, err := b.NewPlan(t.Context(), f, template(t, "benchmark-siso.yaml", append([]string{quake}, sets...)...))
	if err != nil {
		t.Fatal(err)
	}
	return b, p
}

// crossed has levels of compensators and three variables of all kinds.
const crossed = `
seed: 7
points: 3
variables:
  compensator.kind: [none, amb]
  specimen.stiffness: {kind: uniform, from: 1.1e6, to: 1.3e6}
  timing.force_delay: {kind: choice, of: [0, 1]}
  ground.pga_g: {kind: log-uniform, from: 0.05, to: 0.2}
`

// made is a study that is made whole, in a new folder.
func made(t testing.TB, b *Bench, p *Plan, workers int) *Folder {
	t.Helper()
	f, err := Create(filepath.Join(t.TempDir(), "study"), Manifest{Kind: StudyKind, Name: "s"}, p)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Execute(t.Context(), p, f, Workers(workers), nil); err != nil {
		t.Fatal(err)
	}
	return f
}

// rows are all rows without their wall times.
func rowsOf(f *Folder) (out []Row) {
	for _, run := range f.Table.Runs() {
		row, _ := f.Table.Row(run)
		row.WallS = 0
		out = append(out, row)
	}
	return out
}

// sameRows wants the same rows, numbers to the last bit.
func sameRows(t *testing.T, got, want []Row) {
	t.Helper()
	if text := fmt.Sprintf("%#v", got); text != fmt.Sprintf("%#v", want) {
		t.Errorf("%d rows\n%.2000s\nwant %d rows\n%#.2000v", len(got), text, len(want), want)
	}
}

// A run is the same whatever the number of workers, and the same as the scenario of its
// settings by itself.
func TestRunsHangOnTheStudyAlone(t *testing.T) {
	b, p := planned(t, crossed)
	one := rowsOf(made(t, b, p, 1))
	if len(one) != 6 {
		t.Fatalf("%d rows: want 2 compensators × 3 points", len(one))
	}
	b, p = planned(t, crossed)
	sameRows(t, rowsOf(made(t, b, p, 4)), one)
	for run, row := range one {
		var sets []string
		for _, s := range p.Settings(run) {
			sets = append(sets, s.String())
		}
		s, err := scenario.Shipped("benchmark-siso.yaml", append([]string{quake}, sets...)...)
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Build(t.Context(), scenario.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Loop.Run(0, nil); err != nil {
			t.Fatal(err)
		}
		want := r.Values()
		if _, learnt := row.Value("a1"); learnt != (run/3 == 1) {
			t.Errorf("run %d, %q: a1 at the end: %v; want it of amb alone", run, sets, learnt)
		}
		if len(want) != len(row.Values) {
			t.Fatalf("run %d, %q: %d values, want %d", run, sets, len(row.Values), len(want))
		}
		for i, v := range row.Values {
			if math.Float64bits(v.V) != math.Float64bits(want[i].V) || v.Name != want[i].Name {
				t.Errorf("run %d, %q: %s %v: want %s %v", run, sets, v.Name, v.V, want[i].Name, want[i].V)
			}
		}
	}
}

// Both compensators meet the same points and seeds, and no two points are alike.
func TestLevelsMeetTheSamePoints(t *testing.T) {
	_, p := planned(t, crossed)
	text := func(run int) (out []string) {
		for _, s := range p.Settings(run) {
			if s.Key != "compensator.kind" {
				out = append(out, s.String())
			}
		}
		return out
	}
	for i := range 3 {
		if !slices.Equal(text(i), text(i+3)) {
			t.Errorf("point %d: %q and %q", i, text(i), text(i+3))
		}
		if slices.Equal(text(i), text((i+1)%3)) {
			t.Errorf("points %d and %d are alike: %q", i, (i+1)%3, text(i))
		}
	}
	if p.Label(0) != "none" || p.Label(1) != "amb" {
		t.Errorf("labels %q, %q", p.Label(0), p.Label(1))
	}
}

// One at a time: the base scenario, then each level with all else as in the base.
func TestOneAtATime(t *testing.T) {
	_, p := planned(t,
		"one_at_a_time: true\nvariables: {compensator.kind: [none, kf], timing.force_delay: [0, 2], specimen.mass: {kind: "+
			"grid, from: 10, to: 30, points: 3}}")
	var got []string
	for run := range p.Runs() {
		got = append(got, fmt.Sprint(p.Settings(run)))
	}
	want := []string{"[]", "[compensator.kind=none]", "[compensator.kind=kf]", "[timing.force_delay=0]",
		"[timing.force_delay=2]", "[specimen.mass=10]", "[specimen.mass=20]", "[specimen.mass=30]"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Kinds are set before the keys in their blocks, whatever the order in the file.
func TestKindsComeFirst(t *testing.T) {
	_, p := planned(t, "variables: {compensator.filter_hz: [10, 30], compensator.kind: [amb]}")
	s, err := p.Template.With(p.Settings(1)...)
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := s.Compensator.Settings(); !strings.Contains(text, "kind: amb,") ||
		!strings.Contains(text, "filter_hz: 30") {
		t.Errorf("settings %s", text)
	}
}

// A run that cannot be built, diverges, trips or panics is a row with its reason.
func TestFailuresAreRows(t *testing.T) {
	b, p := planned(t, "variables: {specimen.mass: [29, 1e9]}")
	f := made(t, b, p, 2)
	row, _ := f.Table.Row(1)
	if row.Status != rths.Refused || !strings.Contains(row.Reason, "heavier") && row.Reason == "" {
		t.Errorf("a specimen of 1e9 kg: %+v", row)
	}
	if n := f.Table.Failed(); n != 1 {
		t.Errorf("%d of 2 runs failed: want 1", n)
	}
	for _, tc := range []struct{ set, status, reason string }{
		{"diverged_m=1e-6", "diverged", "diverged"},
		{"limits=[{channel: command_m, trip: 1e-6, action: stop}]", "tripped", "command_m"},
	} {
		_, p := planned(t, "variables: {seed: [1]}", tc.set)
		row, err := b.Play(t.Context(), p.Template, nil)
		if err != nil || row.Status != tc.status || !strings.Contains(row.Reason, tc.reason) {
			t.Errorf("%s: %+v, %v", tc.set, row, err)
		}
	}
	row, err := b.Play(t.Context(), nil, nil)
	told := strings.HasPrefix(row.Reason, "panic: ") && strings.Contains(row.Reason, ".go:")
	if err != nil || row.Status != rths.Failed || !told {
		t.Errorf("a panic: %+v, %v", row, err)
	}
}

// A run that ctx ends is no row.
func TestStoppedRunIsNoRow(t *testing.T) {
	b, p := planned(t, crossed)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f, err := Create(filepath.Join(t.TempDir(), "s"), Manifest{Kind: StudyKind}, p)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Execute(ctx, p, f, Workers(2), nil); err == nil || f.Table.Done() != 0 {
		t.Errorf("%d rows, %v: want none and an error", f.Table.Done(), err)
	}
	if row, err := b.Play(ctx, p.Template, p.Settings(0)); !errors.Is(err, context.Canceled) {
		t.Errorf("%+v, %v: want no refusal", row, err)
	}
}

// Columns of a sheet: inputs as numbers or texts, then results; a variable that is not set says
// so.
func TestSheet(t *testing.T) {
	b, p := planned(t, "one_at_a_time: true\nvariables: {timing.force_delay: [0, 2]}")
	s := made(t, b, p, 2).Table.Sheet(p)
	var names []string
	for _, c := range s.Columns {
		names = append(names, c.Name)
	}
	if want := []string{"run", "timing.force_delay", "status", "verdict", "reason", "warnings", "wall_s", "simulated_s",
		"J1_ms", "J2_pct"}; !slices.Equal(names[:len(want)], want) {
		t.Errorf("columns %q, want %q first", names, want)
	}
	if got := s.Columns[1].Texts; !slices.Equal(got, []string{"as in the scenario", "0", "2"}) {
		t.Errorf("force_delay %q", got)
	}
	_, p = planned(t, crossed)
	kinds := map[string]bool{}
	for _, in := range p.Columns([]int{0, 1, 2, 3, 4, 5}) {
		kinds[in.Key] = in.Numbers != nil
	}
	want := map[string]bool{"compensator.kind": false, "specimen.stiffness": true, "timing.force_delay": true,
		"ground.pga_g": true, "seed": true}
	if !reflect.DeepEqual(kinds, want) {
		t.Errorf("numbers %v, want %v", kinds, want)
	}
}

// What cannot be is refused with its place and what was wanted.
func TestStudyMistakes(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"points: 3\nvariables: {specimen.stifness: {kind: uniform, from: 1, to: 2}}",
			"study.yaml:3:13: specimen.stifness: unknown key: did you mean stiffness?"},
		{"variables: {compensator.kind: [amb, kff]}", `kind "kff"`},
		{"variables: {ground.record: [elcentro]}", "ground.record: unknown key"},
		{"points: 3\nvariables: {specimen.mass: {kind: uniform, from: 2, to: 1}}", "want from less than to"},
		{"points: 3\nvariables: {specimen.mass: {kind: truncated-normal, mean: 0, sd: 1, from: 1e3, to: 2e3}}",
			"nothing is left"},
		{"points: 3\nvariables: {specimen.mass: {kind: gaussian}}", `kind "gaussian"`},
		{"variables: {specimen.mass: {kind: uniform, from: 1, to: 2}}", "points: missing"},
		{"variables: {specimen.mass: 3}", "want a list of values, or a block with kind"},
		{"variables: {specimen.mass: []}", "found an empty list"},
		{"variables: {specimen.mass: [1, 1]}", "stands twice"},
		{"variables: {specimen.mass: {kind: grid, from: 0, to: 1, log: true}}", "want more than 0"},
		{"variables: {specimen.mass: {kind: grid, from: 1, to: 2, points: 1}}", "want 2 to"},
		{"points: 2\nvariables: {specimen.mass: {kind: choice, of: []}}", "of is empty"},
		{"points: 2\nperturbed: 3", "want one of the two"},
		{"points: 2\nsampling: sobol", "want random, latin, halton or saltelli"},
		{"points: 2\nsampling: latin\nsobol: [J2_pct]\nvariables: {specimen.mass: {kind: uniform, from: 20, to: 30}}",
			"need the runs of Saltelli's design"},
		{"points: 2\nsampling: saltelli\nvariables: {specimen.mass: [1, 2]}", "saltelli without variables drawn at random"},
		{"points: 2\nsampling: saltelli\nvariables: {specimen.mass: {kind: uniform, from: 20, to: 30}, seed: [1, 2]}",
			"saltelli beside levels"},
		{"one_at_a_time: true\npoints: 2\nvariables: {specimen.mass: {kind: uniform, from: 20, to: 30}}",
			"no variable has levels"},
		{"variables: {specimen.mass: {kind: grid, from: 1, to: 2, points: 5000}, seed: {kind: grid, from: 1, to: 5000, " +
			"points: 5000}}", "want fewer levels"},
		{"variabels: {}", "unknown key: did you mean variables?"},
		{"calibrate: {keys: {specimen.mass: {from: 1}}}", "no bounds: want from and to"},
		{"calibrate: {keys: {specimen.mass: {from: 2, to: 1}}}", "want from less than to"},
		{"calibrate: {of: median, keys: {specimen.mass: {from: 1, to: 2}}}", "want mean, quantile or worst"},
		{"calibrate: {search: {kind: pso, particles: 0}, keys: {specimen.mass: {from: 1, to: 2}}}", "particles 0"},
		{"calibrate: {keys: {compensator.filter_hz: {from: 5, to: 1e4}}}",
			"keys.compensator.filter_hz: 10000: want a range that the scenario allows: "},
	} {
		f, err := Parse("study.yaml", []byte("scenario: base.yaml\n"+tc.text))
		if err == nil {
			_, err = NewBench("").NewPlan(t.Context(), f, template(t, "benchmark-siso.yaml", quake))
		}
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s\n%v\nwant %s", tc.text, err, tc.want)
		}
	}
	if _, err := Parse("study.yaml", []byte("points: 3")); err == nil ||
		!strings.Contains(err.Error(), "scenario: missing") {
		t.Errorf("no base scenario: %v", err)
	}
}

// Compare is the study of the flags of the command.
func TestCompare(t *testing.T) {
	base := template(t, "benchmark-siso.yaml", quake)
	f, err := Compare(base, []string{"amb", "kf"}, []string{"kobe"}, 4)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range f.Variables {
		got = append(got, fmt.Sprint(v.Key, v.Levels))
	}
	want := []string{"compensator.kind[compensator.kind=amb compensator.kind=kf]", `ground[ground={record: "kobe"}]`}
	if !slices.Equal(got, want) || f.Perturbed != 4 || f.Seed != 1 {
		t.Errorf("%q, %+v", got, f)
	}
	if _, err := Compare(base, []string{"ambb"}, nil, 0); err == nil || !strings.Contains(err.Error(), "ambb") {
		t.Errorf("unknown compensator: %v", err)
	}
	if _, err := Compare(base, nil, nil, -1); err == nil || !strings.Contains(err.Error(), "perturbed") {
		t.Errorf("perturbed -1: %v", err)
	}
}

// FuzzStudy reads any text as a study on a scenario: no panic, and what is planned can be asked for.
func FuzzStudy(f *testing.F) {
	for _, seed := range []string{crossed, tuning, "variables: {specimen.mass: {kind: grid, from: 1, to: 2}}",
		"one_at_a_time: true\nvariables: {limits: [none]}",
		"sampling: saltelli\npoints: 2\nvariables: {specimen.mass: {kind: normal, mean: 20}}", "perturbed: 3",
		"points: 1\nvariables: {ground: {kind: choice, of: [{kind: sine, duration_s: 1}]}}", "variables: {a: [], '': [1]}"} {
		f.Add(seed)
	}
	base := template(f, "benchmark-siso.yaml", "ground={kind: sine, duration_s: 0.1}")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := Parse("study.yaml", []byte("scenario: base.yaml\n"+text))
		if err != nil || file.points() > 100 {
			return
		}
		for _, v := range file.Variables {
			if len(v.Levels) > 100 {
				return
			}
		}
		copied, err := scenario.NewTemplate("base", []byte(base.Text()), ".", nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := NewBench("").NewPlan(t.Context(), file, copied)
		if err != nil {
			return
		}
		p.Identity()
		p.Describe()
		for _, run := range []int{0, p.Runs() / 2, p.Runs() - 1} {
			p.Settings(run)
			p.Label(p.Cell(run))
		}
		p.Columns([]int{0, p.Runs() - 1})
	})
}

// The shipped studies can be planned, and their first runs complete.
func TestShippedStudies(t *testing.T) {
	records := rthstest.Records(t)
	names, err := filepath.Glob("../../studies/*.yaml")
	if err != nil || len(names) < 3 {
		t.Fatalf("%d studies, %v", len(names), err)
	}
	for _, name := range names {
		f, base, err := Load(name, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		b := NewBench(records)
		p, err := b.NewPlan(t.Context(), f, base)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for run := range 3 {
			if row, err := b.Play(t.Context(), p.Template, p.Settings(run)); err != nil || row.Status != rths.Completed {
				t.Errorf("%s, run %d: %+v, %v", name, run+1, row, err)
			}
		}
		if len(f.Calibrate.Keys) > 0 {
			if _, err := NewCalibration(t.Context(), p); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
