package report_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/result/record"
	"rths/result/report"
)

// tested is a test in the laboratory, or its rehearsal: 4 s at 100 Hz of a sine of 2 Hz and 10 mm, which is measured in
// the test with another of 7 Hz.
type tested struct {
	manifest      record.Manifest
	rehearsal     bool
	ticks         int
	before        int     // rows
	behind        int     // rows
	otherM        float64 // amplitude of 7 Hz, m
	lateAt, every int     // a late tick and the ticks of a second
	rampAt        int     // tick in which the guard takes the command over; 0: none
	stamps        func(k int) stamp
}

// stamp is when the parts of a tick happened, s, and what it had; tests of an earlier version have no due.
type stamp struct{ due, taken, left, late, age, reading, acted float64 }

const testedScenario = "name: column\nrate_hz: 100\nspecimen: {kind: linear, mass: 10}\n"

func scenarioHash() string {
	sum := sha256.Sum256([]byte(testedScenario))
	return hex.EncodeToString(sum[:])
}

// punctual is a tick whose reading was there after 100 µs, and whose command left after another 100 µs.
// The run begins with reading 50.
func punctual(k int, rateHz float64) stamp {
	due := float64(k+50) / rateHz
	return stamp{due: due, taken: due + 100e-6, left: due + 200e-6, reading: float64(k + 50), acted: float64(k + 49)}
}

// later is a tick that was late by some µs until its command left.
func (s stamp) later(us float64) stamp {
	s.late, s.taken, s.left = 1, s.due+(us-100)*1e-6, s.due+us*1e-6
	return s
}

// lost is a tick whose reading had not come, n ticks after the last one that had.
func lost(at stamp, n int) stamp {
	at = at.later(5200)
	at.reading, at.acted, at.age = at.reading-float64(n), at.acted-float64(n), float64(n)
	return at
}

// held is a tick whose reading shows an old command.
func held(at stamp, samples float64) stamp {
	at.late, at.acted = 1, at.acted-samples
	return at
}

func usualTest() tested {
	nan := record.Number(math.NaN())
	return tested{ticks: 400, before: 50, behind: 30, otherM: 1e-3, lateAt: -1, every: 100, manifest: record.Manifest{
		Name: "column", Status: rths.Completed, Version: "1.0", Scenario: testedScenario,
		Criteria: []rths.Value{{Name: "J2_pct", V: 9.87}},
		Rig:      &record.Rig{Laboratory: "Steel Hall", Address: "10.0.0.2:7400", Clock: "rig", Parted: true},
		Test: &record.Test{
			FirstSample: 50,
			Steps: []record.Step{
				{Name: "connect", At: "2026-11-02T10:00:00.250+01:00", Text: "the laboratory"},
				{Name: "START", At: "2026-11-02T10:01:02.750+01:00", Text: "yes"},
			},
			Checks: []record.Check{
				{Name: "round trip", Value: 504, Compare: "≤", Limit: 3906.25, Unit: "µs", Text: "the shortest of 64", OK: true},
				{Name: "stroke of the actuator", Value: 0.12, Compare: "≤", Limit: 0.1, Unit: "m"},
				{Name: "force limit of the load cell", Value: nan, Compare: "≤", Limit: nan, Unit: "N", OK: true},
				{Name: "free space on disk", Value: 3 << 20, Compare: "≤", Limit: 5 << 30, Unit: "bytes", OK: true},
			},
			Moves:       []record.Move{{Gain: 0.998765, Stiffness: 1.25e6}, {Gain: 1}},
			RoundTripUs: 504,
			Rehearsal: &record.Rehearsal{
				Folder: "runs/rehearsal", Scenario: scenarioHash(), Version: "1.0", DisplacementPct: 10, ForcePct: 12.5,
				PartedS: nan,
				PeakM:   0.011, RehearsedPeakM: 0.010, PeakN: 2200, RehearsedPeakN: 2000,
			},
		},
	}}
}

func usualRehearsal() tested {
	r := usualTest()
	r.rehearsal, r.otherM, r.before, r.behind = true, 0, 0, 0
	r.manifest.Rig, r.manifest.Test = nil, nil
	r.manifest.Criteria = []rths.Value{{Name: "J2_pct", V: 1.23}}
	return r
}

// run records it. Time in the session begins before the run.
func (s tested) run(t *testing.T) *record.Archive {
	t.Helper()
	var columns []record.Column
	for _, c := range []struct{ name, unit, source string }{
		{"time_s", "s", "frame"}, {"target_m", "m", "frame"}, {"measured_m", "m", "frame"}, {"command_m", "m", "frame"},
		{"force_N", "N", "frame"},
		{"age", "-", "frame"}, {"late", "-", "frame"}, {"phase", "-", "channel"}, {"raw_m", "m", "channel"},
		{"guard_command_m", "m", "channel"},
	} {
		columns = append(columns, record.Column{Name: c.name, Unit: c.unit, Source: c.source, Meaning: meaningOf(c.name)})
	}
	if s.stamps != nil {
		for _, c := range []struct{ name, unit string }{{"due_at_s", "s"}, {"taken_at_s", "s"}, {"left_at_s", "s"},
			{"reading", "-"}, {"acted", "-"}} {
			columns = append(columns, record.Column{Name: c.name, Unit: c.unit, Source: "channel", Meaning: meaningOf(c.name)})
		}
	}
	m := s.manifest
	meant(&m, nil)
	rate := float64(s.every)
	m.RateHz, m.Samples, m.SimulatedS = rate, s.ticks, float64(s.ticks)/rate
	dir := filepath.Join(t.TempDir(), "run")
	w, err := record.Create(dir, m, columns)
	if err != nil {
		t.Fatal(err)
	}
	around := func(time, phase, command float64) {
		row := make([]float64, len(columns))
		copy(row, []float64{time, 0, command, -1, 0, 0, 0, phase, 0, command}) // command_m is of the loop, which stands still
		w.AppendAround(row)
	}
	for k := range s.before {
		around(float64(k)/rate, 1, 1e-3)
	}
	for k := range s.ticks {
		time := float64(k) / rate
		x := 10e-3 * math.Sin(4*math.Pi*time)
		y := x + s.otherM*math.Sin(14*math.Pi*time)
		late := 0.0
		if k == s.lateAt {
			late = 1
		}
		sent := x
		if s.rampAt > 0 && k >= s.rampAt {
			sent = 0
		}
		row := []float64{time, x, y, x, 2e5 * y, 3 * late, late, 2, y, sent}
		if s.stamps != nil {
			at := s.stamps(k)
			row[5], row[6] = at.age, at.late
			row = append(row, at.due, at.taken, at.left, at.reading, at.acted)
		}
		w.Append(row)
	}
	for k := range s.behind {
		around(float64(s.before+s.ticks+k)/rate, 3, -2e-3)
	}
	if err := w.Close(m); err != nil {
		t.Fatal(err)
	}
	a, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// drawn is a figure of a page with the numbers of its curves.
type drawn struct {
	Title   string  `json:"title"`
	Shape   string  `json:"shape"`
	Level   float64 `json:"level"`
	LogX    bool    `json:"log_x"`
	LogY    bool    `json:"log_y"`
	XLabel  string  `json:"x_label"`
	Section string
	Curves  []struct {
		Name   string `json:"name"`
		X, Y   int
		Dashed bool `json:"dashed"`
	} `json:"curves"`
	traces []string
}

// numbers are those of a trace.
func (d drawn) numbers(t *testing.T, place int) []float64 {
	t.Helper()
	return report.Unpack(t, d.traces[place])
}

var dataOf = regexp.MustCompile(`(?s)<script id="data" type="application/json">(.*?)</script>`)

// figuresOf are the figures of a page by their titles, and the sections in order.
func figuresOf(t *testing.T, page string) (map[string]drawn, []string) {
	t.Helper()
	var data struct {
		Traces   []string `json:"traces"`
		Sections []struct {
			Title   string  `json:"title"`
			Figures []drawn `json:"figures"`
		} `json:"sections"`
	}
	if err := json.Unmarshal([]byte(dataOf.FindStringSubmatch(page)[1]), &data); err != nil {
		t.Fatal(err)
	}
	out := map[string]drawn{}
	var sections []string
	for _, s := range data.Sections {
		sections = append(sections, s.Title)
		for _, f := range s.Figures {
			f.Section, f.traces = s.Title, data.Traces
			out[f.Title] = f
		}
	}
	return out, sections
}

func missing(t *testing.T, page string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(page, part) {
			t.Errorf("the page has %q", part)
		}
	}
}

// Every page begins with the place of the motion.
func TestPlace(t *testing.T) {
	const inVirtual, inHall = `<p class="place virtual"><strong>VIRTUAL</strong>`,
		`<p class="place laboratory"><strong>LABORATORY Steel Hall</strong>`
	virtual := usualRehearsal().run(t)
	served := usualTest()
	served.manifest.Rig = &record.Rig{Virtual: true, Laboratory: "Steel Hall", Address: "127.0.0.1:7400"}
	judged := usualRehearsal()
	judged.manifest.Scenario = record.JudgedFrom + "hall.csv\n"
	nameless := usualTest()
	nameless.manifest.Rig = &record.Rig{Address: "10.0.0.2:7400"}
	laboratory := usualTest().run(t)

	for name, c := range map[string]struct {
		run  *record.Archive
		want []string
		not  []string
	}{
		"virtual": {virtual, []string{inVirtual, "<title>VIRTUAL · column</title>"},
			[]string{"LABORATORY", `class="place laboratory"`}},
		"virtual rig": {served.run(t), []string{inVirtual +
			" no real rig has moved; the rig Steel Hall at 127.0.0.1:7400 is a virtual laboratory."},
			[]string{"LABORATORY"}},
		"laboratory": {laboratory, []string{inHall, "a real rig has moved; its address is 10.0.0.2:7400",
			"<title>LABORATORY Steel Hall · column</title>"}, []string{"VIRTUAL"}},
		"without its name": {nameless.run(t), []string{`<p class="place laboratory"><strong>LABORATORY</strong>`},
			[]string{"VIRTUAL"}},
		"judged": {judged.run(t), []string{`<p class="place unknown"><strong>JUDGED DATA</strong>`},
			[]string{"VIRTUAL", "LABORATORY"}},
	} {
		t.Run(name, func(t *testing.T) {
			page := html(t, c.run)
			rthstest.Contains(t, page, c.want...)
			missing(t, page, c.not...)
			if i := strings.Index(page, `<p class="place`); i < 0 || i > strings.Index(page, "<h1>") {
				t.Error("the place does not stand in front of the title")
			}
		})
	}

	// Of several runs, each place names its runs, the laboratory first, and each run has its own.
	another := usualTest()
	another.manifest.Name, another.manifest.Test.Rehearsal = "beam", nil
	virtual.Name = "frame"
	page := html(t, virtual, laboratory, another.run(t))
	rthstest.Contains(t, page, inHall+" <span>column, beam:</span>", inVirtual+" <span>frame:</span>", "<title>LABORATORY",
		`<strong>frame:</strong> <span class="tag virtual">VIRTUAL</span>`,
		`<strong>beam:</strong> <span class="tag laboratory">LABORATORY Steel Hall</span>`)
	if strings.Index(page, inHall) > strings.Index(page, inVirtual) {
		t.Error("VIRTUAL stands in front of the laboratory")
	}
	beside := html(t, virtual, served.run(t), laboratory)
	if n := strings.Count(beside, `<p class="place`); n != 2 {
		t.Errorf("%d banners: want one for both virtual runs, and one for the laboratory", n)
	}
	rthstest.Contains(t, html(t, virtual, virtual), inVirtual+" <span>all runs:</span>")
}

// A test whose rehearsal is gone shows its session.
func TestSession(t *testing.T) {
	s := usualTest()
	s.ticks, s.every, s.lateAt = 90000, 1000, 12346 // the page has one tick in three, and not this one
	s.manifest.Test.LateTicks, s.manifest.Test.LongestLate = 1, 1
	s.manifest.Test.Cause = "guard: force_N is 9, limit 8"
	page := html(t, s.run(t))
	rthstest.Contains(t, page,
		"<dt>First cause of the end</dt><dd>guard: force_N is 9, limit 8</dd>",
		"<dt>Late ticks</dt><dd>1 of 90000, at most 1 in a row; the oldest reading was 3 samples old</dd>",
		"<dt>Round trip</dt><dd>504 µs",
		`<td>10:01:02.750</td><td class="number">62.500</td><td>START</td><td>yes</td>`,
		`<tr class="holds"><td>round trip <span class="doc">the shortest of 64</span></td><td class="number">504 µs</td><td class="number">≤ 3906.2 µs</td><td>holds</td>`,
		`<tr class="FAILED"><td>stroke of the actuator</td><td class="number">120 mm</td><td class="number">≤ 100 mm</td><td>FAILED</td>`,
		`<td class="number">none</td><td class="number">–</td><td>holds</td>`,
		`<td class="number">3.0 MiB</td><td class="number">≤ 5.0 GiB</td>`,
		"<li>Checks before arming that FAILED: stroke of the actuator</li>",
		`<td>1</td><td class="number">0.9988</td><td class="number">1250 kN/m</td>`,
		`<td>2</td><td class="number">1.0000</td><td class="number">no load cell of its own</td>`,
		"The record of the rehearsal, runs/rehearsal, is not beside the test")
	figures, _ := figuresOf(t, page)
	late := figures["Late ticks"]
	if late.Shape != "strip" {
		t.Fatalf("figure %+v: want a strip", late)
	}
	sum := 0.0
	for _, v := range late.numbers(t, late.Curves[0].Y) {
		sum += v
	}
	if sum < 1 {
		t.Error("the late tick is not drawn")
	}
	for _, name := range []string{"phase", "raw_m"} {
		if _, ok := figures[name]; ok {
			t.Errorf("%s has a figure: it is for the replay", name)
		}
	}

	before, behind := figures["Before the first tick"], figures["After the last tick"]
	for _, c := range []struct {
		drawn
		first, command float64 // s, mm
		rows           int
	}{{before, -0.05, 1, 50}, {behind, 90, -2, 30}} {
		if len(c.Curves) != 2 || c.Curves[1].Name != "command" {
			t.Fatalf("curves %+v: want measured and command", c.Curves)
		}
		x, y := c.numbers(t, c.Curves[1].X), c.numbers(t, c.Curves[1].Y)
		if len(x) != c.rows || math.Abs(x[0]-c.first) > 1e-3 || math.Abs(y[0]-c.command) > 1e-6 {
			t.Errorf("%s: %d points from (%g s, %g mm): want %d from (%g s, %g mm)", c.Title, len(x), x[0], y[0], c.rows,
				c.first, c.command)
		}
	}

	s = usualTest()
	s.before, s.behind, s.manifest.Test.Moves, s.manifest.Test.Steps = 1, 7, nil, nil
	page = html(t, s.run(t))
	rthstest.Contains(t, page, "<dt>Late ticks</dt><dd>none of 400</dd>")
	missing(t, page, "Before the first tick", "After the last tick", "First cause", "Small move", "What was done",
		"Late ticks\"")
}

// A test that was stopped on its way to the first command has no ticks, and shows the way.
func TestSessionWithoutTicks(t *testing.T) {
	s := usualTest()
	s.ticks, s.behind, s.manifest.Test.FirstSample = 0, 20, 0
	s.manifest.Test.Rehearsal.DisplacementPct = record.Number(math.NaN())
	s.manifest.Status, s.manifest.Reason = rths.Stopped, "the operator stopped the test"
	s.manifest.Events = []record.Event{{Channel: "operator", Value: 1, Action: "ramp"}}
	page := html(t, s.run(t), usualRehearsal().run(t))
	rthstest.Contains(t, page, "<strong>Stopped</strong>: the operator stopped the test; the run had not begun.",
		"<dd>the run had no ticks</dd>", "datagrams were not counted",
		"The test has no ticks that can be compared with the rehearsal runs/rehearsal.", "time in the session, s")
	missing(t, page, "Criteria are of the whole run", "of the ticks that both have")
	page = html(t, s.run(t))
	rthstest.Contains(t, page, "No samples were recorded", "time in the session, s", "Before the first tick",
		"After the last tick")
}

// What cannot be read beside the frames is said, and costs nothing else.
func TestUnreadAround(t *testing.T) {
	a := usualTest().run(t)
	if err := os.WriteFile(filepath.Join(a.Dir, record.AroundFile), []byte("no stream, and longer than a head"),
		0o644); err != nil {
		t.Fatal(err)
	}
	rthstest.Contains(t, html(t, a), "<li>around.arrow cannot be read: ", "Tracking error")
}

// Test and rehearsal are recognised in any order, and compared.
func TestRehearsal(t *testing.T) {
	test, rehearsal := usualTest().run(t), usualRehearsal().run(t)
	page := html(t, rehearsal, test)
	if page != html(t, test, rehearsal) {
		t.Error("the order of the two makes another page")
	}
	rthstest.Contains(t, page, "<h1>column: test and rehearsal</h1>",
		`<strong>test:</strong> <span class="tag laboratory">`, `<strong>rehearsal:</strong> <span class="tag virtual">`,
		"differs from the rehearsal&#39;s by 10 %, the measured force by 12.5 %",
		"The largest displacement is 11 mm in the test and 10 mm in the rehearsal; the largest force is 2.2 kN and 2 kN.",
		"No displacement differs by more than a tenth of the rehearsal&#39;s largest.",
		`<td class="number" data-head="test">9.87</td><td class="number" data-head="rehearsal">1.23</td>`,
		"which the rig may not")
	missing(t, page, "test and rehearsal differ by a tenth", "of the ticks that both have")
	figures, sections := figuresOf(t, page)
	if sections[0] != "Test against rehearsal" {
		t.Errorf("sections %q: want the comparison first", sections)
	}

	d := figures["Measured displacement: test − rehearsal"]
	if math.Abs(d.Level-0.998) > 1e-3 { // the largest sample of a sine of 10 mm
		t.Errorf("level %g mm: want 0.998", d.Level)
	}
	for k, v := range d.numbers(t, d.Curves[0].Y) {
		if want := math.Sin(14 * math.Pi * float64(k) / 100); math.Abs(v-want) > 1e-5 {
			t.Fatalf("difference %g mm in tick %d: want %g", v, k, want)
		}
	}

	// 4 s hold 8 and 28 whole cycles: lines of 10 and 1 mm at 2 and 7 Hz, and of 2 and 0.2 kN, up to what the taper lets
	// through. Nothing moves above.
	for title, scale := range map[string]float64{"Amplitude spectrum of the measured displacement": 10,
		"Amplitude spectrum of the measured force": 2} {
		f := figures[title]
		if len(f.Curves) != 2 || !f.LogY || f.Curves[0].Name != "test" || f.Curves[1].Name != "rehearsal" ||
			f.Curves[0].Dashed || !f.Curves[1].Dashed {
			t.Fatalf("%s: %+v: want test and, dashed, rehearsal", title, f)
		}
		for i, want := range []map[float64]float64{{2: 1, 7: 0.1}, {2: 1, 7: 0}} {
			x, y := f.numbers(t, f.Curves[i].X), f.numbers(t, f.Curves[i].Y)
			for k := range x {
				if w, ok := want[x[k]]; ok && math.Abs(y[k]/scale-w) > 6e-3 {
					t.Errorf("%s, %s: %g at %g Hz: want %g", title, f.Curves[i].Name, y[k], x[k], w*scale)
				}
				if y[k] <= 0 {
					t.Errorf("%s: %g at %g Hz: want more than 0 on a logarithmic axis", title, y[k], x[k])
				}
			}
			if last := x[len(x)-1]; last < 7 || last > 15 {
				t.Errorf("%s: up to %g Hz: want up to where there is motion, and 50 %% more", title, last)
			}
		}
	}
}

// They part, and the test is shorter.
func TestRehearsalParts(t *testing.T) {
	s := usualTest()
	s.ticks, s.manifest.Test.Rehearsal.PartedS = 300, 1.25
	page := html(t, s.run(t), usualRehearsal().run(t))
	rthstest.Contains(t, page, "At t = 1.250 s a displacement first differs",
		`{"from_s":1.25,"to_s":1.25,"label":"test and rehearsal differ by a tenth"}`,
		"Differences and peaks are of the ticks that both have: the test has 300, the rehearsal 400.")
}

// Other runs are no rehearsals: of another scenario, by another version, in the laboratory, tests themselves.
func TestNoRehearsal(t *testing.T) {
	test := usualTest().run(t)
	for name, change := range map[string]func(m *record.Manifest){
		"scenario":   func(m *record.Manifest) { m.Scenario += "seed: 2\n" },
		"version":    func(m *record.Manifest) { m.Version = "1.1" },
		"laboratory": func(m *record.Manifest) { m.Rig = &record.Rig{Laboratory: "Steel Hall"} },
		"test":       func(m *record.Manifest) { m.Test = &record.Test{} },
	} {
		t.Run(name, func(t *testing.T) {
			r := usualRehearsal()
			change(&r.manifest)
			page := html(t, test, r.run(t))
			missing(t, page, "<h2>Test and rehearsal</h2>", "Test against rehearsal")
			rthstest.Contains(t, page, "Comparison of 2 runs")
		})
	}
	r := usualRehearsal()
	r.manifest.Rig = &record.Rig{Virtual: true}
	rthstest.Contains(t, html(t, test, r.run(t)), "<h2>Test and rehearsal</h2>")
}

// The verdict of a test that something outside of its limits has stopped. J2 is of the time before.
func TestVerdictOfStoppedTest(t *testing.T) {
	stop := func(channel, action string) []record.Event {
		return []record.Event{{TimeS: 2, Channel: channel, Value: 1, Action: action}}
	}
	for name, c := range map[string]struct {
		status, reason string
		events         []record.Event
		want           []string
	}{
		"operator": {rths.Stopped, "the operator stopped the test at t = 2.0000 s: command ramped at t = 2.3 s",
			stop("operator", "ramp"), []string{
				"<strong>Stopped</strong>: the operator stopped the test at t = 2.0000 s: command ramped at t = 2.3 s; before the " +
					"test was stopped the measured displacement misses its target by 10.0 % (J2).",
				"Criteria are of the whole run, also of the command&#39;s way to rest.",
				`<td>operator</td><td colspan="3">the operator stopped the test: ramp</td>`, `"label":"operator: ramp"`}},
		"operator, twice": {rths.Stopped, "at once", stop("operator_twice", "stop"),
			[]string{"<strong>Stopped</strong>: at once; before the test was stopped", `"label":"operator twice: stop"`}},
		"supervisor": {rths.Tripped, "the supervisor was silent at t = 2.0000 s", stop("supervisor_silent", "ramp"), []string{
			"<strong>Tripped</strong>: the supervisor was silent at t = 2.0000 s; before the test was stopped",
			"the supervisor was silent: ramp"}},
		"disk": {rths.Tripped, "the record could not be kept", stop("record", "ramp"),
			[]string{"<strong>Tripped</strong>: the record could not be kept; before the test was stopped"}},
		"terminated": {rths.Stopped, "told to end", stop("terminated", "ramp"),
			[]string{"<strong>Stopped</strong>: told to end; before the test was stopped"}},
		"limit": {rths.Tripped, "force_N is 9",
			[]record.Event{{TimeS: 2, Channel: "force_N", Value: 9, Limit: 8, Action: "ramp"}}, []string{
				"<strong>Tripped by a limit</strong>: force_N is 9; before the limit acted the measured displacement",
				"also of the time after the limit had acted", `"label":"ramp"`}},
		"lost": {rths.Lost, "the process of the loop has died (signal: killed) after 400 ticks", nil,
			[]string{"<strong>Lost</strong>: the process of the loop has died (signal: killed) after 400 ticks; until then " +
				"the measured displacement misses"}},
		"lost, then stopped": {rths.Lost, "the supervisor was killed", stop("supervisor_silent", "ramp"),
			[]string{"<strong>Lost</strong>: the supervisor was killed; before the test was stopped"}},
		"failed": {rths.Failed, "398 of 400 rows of the run are recorded", nil,
			[]string{"<strong>Failed</strong>: 398 of 400 rows of the run are recorded; until then the measured " +
				"displacement misses"}},
		"failed on the way": {rths.Failed, "rows are lost", stop("record", "ramp"),
			[]string{"<strong>Failed</strong>: rows are lost; before the test was stopped"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := usualTest()
			s.manifest.Status, s.manifest.Reason, s.manifest.Events = c.status, c.reason, c.events
			if c.events != nil {
				s.rampAt = 200
			}
			page := html(t, s.run(t))
			rthstest.Contains(t, page, c.want...)
			missing(t, page, "the limits changed") // it was the way to rest
		})
	}

	// A virtual run may have a channel of such a name.
	s := usualRehearsal()
	s.manifest.Status, s.manifest.Events = rths.Tripped, stop("record", "ramp")
	rthstest.Contains(t, html(t, s.run(t)), "<strong>Tripped by a limit</strong>", "before the limit acted")
}

// A text comparison says first where the motion took place.
func TestComparisonOfPlaces(t *testing.T) {
	var b strings.Builder
	if err := report.WriteComparison(&b, []*record.Archive{usualTest().run(t), usualRehearsal().run(t)}); err != nil {
		t.Fatal(err)
	}
	want := "Motion      test                   rehearsal\ntook place  LABORATORY Steel Hall  VIRTUAL\n"
	if !strings.HasPrefix(b.String(), want) {
		t.Errorf("%s\nwant first\n%s", b.String(), want)
	}
}

// Figures for papers say nothing of places.
func TestFigureWithoutPlace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "error.svg")
	width, err := report.ParseWidth("90mm")
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Figure(path, "error", width, []*record.Archive{usualTest().run(t)}); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	text, err := io.ReadAll(file)
	if err != nil || len(text) == 0 {
		t.Fatal(fmt.Errorf("%d bytes, %w", len(text), err))
	}
	missing(t, string(text), "LABORATORY", "Steel")
}
