package session

import (
	"cmp"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/lab/numerical"
	"rths/lab/rig"
	"rths/lab/rig/wire"
	"rths/model/integrate"
	"rths/result/record"
	"rths/scenario"
	"rths/scenario/files"
)

// rehearsalOf is the record of a run of two actuators and a load cell.
func rehearsalOf(t *testing.T, dir string, m record.Manifest, rows ...[]float64) {
	t.Helper()
	columns := []record.Column{{Name: "command_1_m", Unit: "m"}, {Name: "command_2_m", Unit: "m"},
		{Name: "measured_1_m", Unit: "m"}, {Name: "measured_2_m", Unit: "m"}, {Name: "measured_m", Unit: "m"},
		{Name: "force_N", Unit: "N"}}
	w := rthstest.Must(record.Create(dir, m, columns))
	for _, row := range rows {
		w.Append(row)
	}
	if err := w.Close(m); err != nil {
		t.Fatal(err)
	}
}

// A rehearsal tells where a run begins, how large its first steps are beside its later ones, and
// its largest values by magnitude.
func TestOpenRehearsal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	m := record.Manifest{Name: "run", Status: rths.Completed, RateHz: 64}
	rehearsalOf(t, dir, m,
		// the first four samples
		[]float64{1, 0, 1, 0, 99, 5}, []float64{1.5, 0, -3, 0.5, 99, -70}, []float64{1.5, 0, 0, 0, 99, 0},
		[]float64{1.25, 0, 0, 0, 99, 0},
		[]float64{1.25, 8, 2, 0, 99, 60}, []float64{1.375, 8, 0, -4, 99, 0})
	r := rthstest.Must(openRehearsal(dir))
	for name, c := range map[string]struct{ got, want []float64 }{
		"first": {r.first, []float64{1, 0}}, "jump": {r.jump, []float64{0.5, 0}}, "step": {r.step, []float64{0.125, 8}},
		"mostX": {r.mostX, []float64{3, 4}}, "mostF": {r.mostF, []float64{70}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: %g: want %g", name, c.got, c.want)
		}
	}
	if r.folder != dir || len(r.x) != 2 || len(r.f) != 1 || len(r.x[0]) != 6 {
		t.Errorf("folder %s, %d displacements, %d forces", r.folder, len(r.x), len(r.f))
	}
	empty := filepath.Join(t.TempDir(), "empty")
	rehearsalOf(t, empty, m)
	if _, err := openRehearsal(empty); err == nil || !strings.Contains(err.Error(),
		"no commands and displacements: want the record of a run") {
		t.Errorf("a run without rows: %v", err)
	}
	if _, err := openRehearsal(t.TempDir()); err == nil {
		t.Error("an empty folder is no rehearsal")
	}
}

// Among runs the newest that fits is the rehearsal; where none does, the message names the run
// of that name and why it is none.
func TestFindRehearsal(t *testing.T) {
	dir := t.TempDir()
	row := []float64{0, 0, 0, 0, 0, 0}
	test := record.Manifest{Name: "bridge", Scenario: "a: 1\n", Version: "v1"}
	put := func(name, started string, spoil func(*record.Manifest)) {
		m := record.Manifest{Name: "bridge", Status: rths.Completed, RateHz: 64, Scenario: "a: 1\n", Version: "v1",
			Started: started}
		if spoil != nil {
			spoil(&m)
		}
		rehearsalOf(t, filepath.Join(dir, name), m, row)
	}
	none := func(want string) {
		t.Helper()
		if _, err := findRehearsal("", []string{dir, filepath.Join(dir, "nowhere")}, &test); !errors.Is(err, errRehearsal) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q", err, want)
		}
	}
	none("by this version in " + dir + ", " + filepath.Join(dir, "nowhere") +
		": run it virtually first (rths run), or say which")
	put("a", "2026-01-05T00:00:00Z", func(m *record.Manifest) { m.Scenario = "a: 2\n" })
	put("b", "2026-01-05T00:00:00Z", func(m *record.Manifest) { m.Name, m.Version = "tower", "v0" })
	none(`(` + filepath.Join(dir, "a") + ` is of another scenario: a is 2 in the run and 1 in this test): run it`)
	put("c", "2026-01-03T00:00:00Z", nil)
	put("d", "2026-01-04T00:00:00Z", nil)
	put("e", "2026-01-02T00:00:00Z", nil)
	put("f", "2026-01-04T00:00:00Z", nil) // the same second: the later folder
	put("g", "2026-01-09T00:00:00Z", func(m *record.Manifest) { m.Test = &record.Test{} })
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if r, err := findRehearsal("", []string{dir}, &test); err != nil || filepath.Base(r.folder) != "f" {
		t.Errorf("%v: want the newest, f", err)
	}
	if r, err := findRehearsal(filepath.Join(dir, "e"), []string{dir}, &test); err != nil ||
		filepath.Base(r.folder) != "e" {
		t.Errorf("%v: want the one that was named", err)
	}
	if _, err := findRehearsal(filepath.Join(dir, "a"), nil, &test); !errors.Is(err, errRehearsal) ||
		!strings.Contains(err.Error(), "is of another scenario") {
		t.Errorf("%v: want why the one that was named is none", err)
	}
	if _, err := findRehearsal("", []string{filepath.Join(dir, "notes.txt")}, &test); err == nil ||
		errors.Is(err, errRehearsal) {
		t.Errorf("%v: want that a file is no folder of runs", err)
	}
}

// Two scenarios part at the first key with another value, also where one has a key that the other has not.
func TestParting(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"x: 1\nof: {y: 2, z: 3}\n", "x: 1\nof: {y: 2, z: 4}\n", "of.z is 3 in the run and 4 in this test"},
		{"x: 1\n", "x: 1\ny: 2\n", "y is 2 in this test, and the run has no such key"},
		{"x: 1\ny: 2\n", "x: 1\n", "y is 2 in the run, and this test has no such key"},
		{"limits:\n- {channel: age, trip: 3}\n", "limits:\n- {channel: age, trip: 4}\n",
			"limits[1].trip is 3 in the run and 4 in this test"},
		{"x: 1\n", "x:  1\n", "the same values are written in another way"},
	} {
		if got := parting(c.a, c.b); !strings.HasPrefix(got, c.want) {
			t.Errorf("%q and %q: %s: want %s", c.a, c.b, got, c.want)
		}
	}
	m := record.Manifest{Status: rths.Completed, Inputs: []files.Input{{File: "s", SHA256: "1"}}}
	if why := unfit(&m, &record.Manifest{}); why != "" {
		t.Errorf("a run with the file of its scenario alone: %s", why)
	}
}

// A session's end completes the rig of a manifest, with a warning of commands that the rig clipped.
func TestPart(t *testing.T) {
	ours, theirs := wire.Counts{Sent: 1, Received: 2, Repeated: 3, Old: 4, Bad: 5}, wire.Counts{Sent: 6, Received: 7}
	m := record.Manifest{Rig: &record.Rig{}}
	completeRig(&m, ours, theirs, true)
	if r := m.Rig; r.Sent != 1 || r.Received != 2 || r.Repeated != 3 || r.Old != 4 || r.Bad != 5 || r.RigSent != 6 ||
		r.RigReceived != 7 || !r.Parted || m.Warnings != nil {
		t.Errorf("%+v, warnings %q", r, m.Warnings)
	}
	theirs.Clipped = 8
	if completeRig(&m, ours, theirs, false); m.Rig.RigClipped != 8 || m.Rig.Parted || len(m.Warnings) != 1 ||
		!strings.Contains(m.Warnings[0], "clipped 8 commands") {
		t.Errorf("%+v, warnings %q", m.Rig, m.Warnings)
	}
}

// A run's manifest says what came of it: ticks, times, spectra of each floor, events in order of time.
func TestConcludeOfARun(t *testing.T) {
	s := rthstest.Must(scenario.Parse("small", []byte(small), ".",
		[]string{"criteria.floor_spectra=true", "faults=[{kind: lost-readings, from_s: 0.02, duration_s: 0.01}]", "tags=[a]",
			"limits=[{channel: measured_m, trip: 0.0005}]"}))
	run := rthstest.Must(s.Build(t.Context(), scenario.Options{}))
	m := rthstest.Must(newManifest(run, "v7"))
	if m.Version != "v7" || m.Status != rths.Running || m.RateHz != 256 || m.Format != record.Format ||
		!slices.Equal(m.Tags, []string{"a"}) || !filepath.IsAbs(m.Folder) || m.Scenario == "" {
		t.Errorf("begun: %+v", m)
	}
	m.WallS = 0.5
	conclude(t.Context(), &m, run, run.Loop.Run(1, nil))
	if m.Status != rths.Tripped || m.Samples != run.Loop.Ticks() || m.SimulatedS != float64(m.Samples)/256 ||
		m.RealtimeFactor != 2*m.SimulatedS {
		t.Errorf("%s, %d samples, %g s, %g times real time", m.Status, m.Samples, m.SimulatedS, m.RealtimeFactor)
	}
	if len(m.Spectra) != 2 || m.Spectra[0].Name != "floor 1" || m.Spectra[1].Name != "floor 2" ||
		len(m.Spectra[0].Sa) != len(m.Spectra[0].PeriodS) || m.Spectra[0].DampingRatio != run.Spectra.Damping {
		t.Errorf("spectra %+v: want one of each floor", m.Spectra)
	}
	if len(m.Criteria) == 0 || len(m.Compensator) == 0 {
		t.Errorf("%d criteria, %d parameters", len(m.Criteria), len(m.Compensator))
	}
	var kinds []string
	for _, e := range m.Events {
		kinds = append(kinds, e.Fault+e.Action)
	}
	if want := []string{"lost-readings" + record.Begins, "lost-readings" + record.Ends, "ramp"}; !slices.Equal(kinds,
		want) {
		t.Errorf("events %q: want %q", kinds, want)
	}
	if e := m.Events[len(m.Events)-1]; e.Channel != "measured_m" || e.Limit != 0.0005 || !(e.Value > e.Limit) ||
		len(e.Values) != len(run.Guard.Watched()) || e.Values[0].Name != run.Guard.Watched()[0] {
		t.Errorf("event %+v", e)
	}
	if !slices.IsSortedFunc(m.Events, func(a, b record.Event) int { return cmp.Compare(a.TimeS, b.TimeS) }) {
		t.Errorf("events %+v: want them in order of time", m.Events)
	}
}

// A compensator that gives way to its fallback, and comes back, is an event of the run, with the time and the cause.
func TestFallsAreEvents(t *testing.T) {
	s := rthstest.Must(scenarioOf(`name: fallback
rate_hz: 2048
timing: {target: current, force_delay: 1}
ground: {kind: sine, frequency_hz: 2, amplitude_m_s2: 1, duration_s: 2}
structure: {kind: silva2020, case: 4}
specimen: {kind: silva2020}
transfer: {kind: silva2020, stroke_m: 0.02}
sensors: {displacement_noise: 16e-6, force_noise: 2.18}
compensator: {kind: kf}
fallback: {kind: amb, gamma: [0, 0, 0, 0], residual_s: 0.2}
faults: [{kind: lost-readings, from_s: 1, duration_s: 0.2}]
`))
	run := rthstest.Must(s.Build(t.Context(), scenario.Options{}))
	for run.Loop.Ticks() < 3072 {
		if err := run.Loop.Step(); err != nil {
			t.Fatal(err)
		}
	}
	if err := run.ReturnFromFallback(); err != nil {
		t.Fatal(err)
	}
	_ = run.Loop.Step()
	list := fallEvents(run)
	if len(list) != 2 || list[0].Action != record.FallsBack || list[1].Action != record.Returns || list[1].TimeS != 1.5 ||
		!(list[0].TimeS > 1 && list[0].TimeS < 1.5) {
		t.Fatalf("%+v: want a fall, and the return at 1.5 s", list)
	}
	for _, e := range list {
		if e.Channel != "fallback" || rths.Finite(float64(e.Value)) || rths.Finite(float64(e.Limit)) ||
			(e.Cause == "") != (e.Action == record.Returns) {
			t.Errorf("%+v", e)
		}
	}
}

// How a run and its analysis in another program have parted.
func TestEndOfClient(t *testing.T) {
	s := rthstest.Must(scenario.Parse("small", []byte(small), ".", nil))
	build := func() *scenario.Run {
		return rthstest.Must(s.Build(t.Context(), scenario.Options{}))
	}
	done, fresh, trip := build(), build(), build()
	if err := done.Loop.Run(1, nil); err != nil {
		t.Fatal(err)
	}
	_ = trip.Loop.Step()
	trip.Guard.Trip(rig.Operator, 1, 0, rig.Hold)
	_ = trip.Loop.Step()
	for name, c := range map[string]struct {
		run      *scenario.Run
		farewell bool
		fault    numerical.Fault
		want     record.ClientEnd
	}{
		"gone": {done, false, numerical.Left, record.Gone}, "not finite": {done, true, numerical.NotFinite, record.NotFinite},
		"second motion": {done, false, numerical.TwoMotion, record.SecondMotion},
		"broken":        {done, false, numerical.Other, record.Broken},
		"farewell":      {trip, true, 0, record.Farewell}, "held": {trip, false, 0, record.Held},
		"time up": {done, false, 0, record.TimeUp}, "left": {fresh, false, 0, record.Left},
	} {
		if got := endOfClient(c.run, c.farewell, c.fault); got != c.want {
			t.Errorf("%s: %s: want %s", name, got, c.want)
		}
	}
}

// The file that asks an analysis to end is there with a text.
func TestAskToStop(t *testing.T) {
	dir := t.TempDir()
	if err := askToStop(dir); err != nil {
		t.Fatal(err)
	}
	if text := rthstest.Must(os.ReadFile(filepath.Join(dir, stopFile))); string(text) != "the test has ended\n" {
		t.Errorf("%q", text)
	}
	if askToStop(filepath.Join(dir, "none")) == nil {
		t.Error("a folder that is not there takes no file")
	}
}

// A manifest tells what has become of the analysis of a run, and warns of a run that was over before it.
func TestTell(t *testing.T) {
	s := rthstest.Must(scenario.Parse("x.yaml",
		[]byte("name: x\nrate_hz: 10\nduration_s: 1\ntiming: {target: next}\nstructure: {kind: external, dt_s: "+
			"0.2}\nspecimen: {kind: linear, stiffness: 1e5}\ntransfer: {kind: ideal}\ncompensator: {kind: none}\n"), ".", nil))
	client := &numerical.RecordedClient{X: make([]float64, 1)}
	run := rthstest.Must(s.Build(t.Context(), scenario.Options{Client: client}))
	client.Time, client.Steps, client.Moved = 0.5, 3, 2
	m := rthstest.Must(newManifest(run, "v1"))
	conclude(t.Context(), &m, run, run.Loop.Run(1, nil))
	describeClient(&m, run)
	of := m.Client
	if m.Status != rths.Completed || of == nil || of.End != record.TimeUp || of.Ended || of.Steps != 3 ||
		of.Motions != 2 || of.TimeS != 0.5 || of.DOF != 1 || of.PerTarget != 2 {
		t.Fatalf("%s, %s: %+v", m.Status, m.Reason, of)
	}
	if want := (m.SimulatedS - float64(of.RestSamples)/10) / 0.5; of.TimeScale != want {
		t.Errorf("time scale %g: want %g", of.TimeScale, want)
	}
	if len(m.Warnings) == 0 || !strings.Contains(m.Warnings[len(m.Warnings)-1],
		"the run was over at its duration_s, 1 s, before the analysis had ended") {
		t.Errorf("warnings %q", m.Warnings)
	}
	// The analysis says farewell in its first tick: then the path stands, and the time scale is without that.
	client.What = integrate.TheEnd
	run = rthstest.Must(s.Build(t.Context(), scenario.Options{Client: client}))
	m = rthstest.Must(newManifest(run, "v1"))
	conclude(t.Context(), &m, run, run.Loop.Run(1, nil))
	m.Warnings = nil
	describeClient(&m, run)
	if far := m.Client; far.End != record.Farewell || !far.Ended || far.RestSamples == 0 ||
		math.Abs(far.TimeScale-(m.SimulatedS-float64(far.RestSamples)/10)/0.5) > 1e-12 || m.Warnings != nil {
		t.Errorf("after its farewell: %+v, warnings %q", far, m.Warnings)
	}
	plain := rthstest.Must(rthstest.Must(scenario.Parse("small", []byte(small), ".", nil)).Build(t.Context(),
		scenario.Options{}))
	m.Client, m.Warnings = of, nil
	if describeClient(&m, plain); m.Client != nil || m.Warnings != nil {
		t.Errorf("without an analysis: %+v, %q", m.Client, m.Warnings)
	}
}
