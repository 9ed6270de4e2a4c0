package session

import (
	"math"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/lab/rig/wire"
	"rths/result/record"
	"rths/scenario"
	"rths/scenario/files"
)

// sound is all that is known before a test that can be armed.
func sound(t *testing.T, sets ...string) *tests {
	s := rthstest.Must(scenario.Parse("small", []byte(small), ".", sets))
	r := rthstest.Must(s.Build(t.Context(), scenario.Options{}))
	m := rthstest.Must(newManifest(r, "1"))
	return &tests{
		s: r.Scenario, manifest: &m, built: &built{Stroke: 0.1, Rate: 0.5},
		info: &wire.Info{
			RateHz: 256, WatchdogS: 1.5, Clock: wire.OwnClock, X: []wire.Channel{{Range: 0.12, Rate: 0.5, Unit: "m"}},
			F: []wire.Channel{{Range: 1e4, Unit: "N"}},
		},
		measured: &checked{X: []float64{1e-5}, F: []float64{-3}, SpreadX: []float64{1e-6}, TripUs: 200, Readings: 64},
		rehearsal: &rehearsal{folder: "runs/r", first: []float64{0}, jump: []float64{1e-6}, step: []float64{1e-5},
			mostX: []float64{0.01}, mostF: []float64{1000}},
		ringBytes: 10, ringFree: 10, diskBytes: 5, diskFree: 6,
	}
}

// Every check holds for a sound rig, and each fails for its own mistake alone.
func TestChecks(t *testing.T) {
	limits := "limits=[{channel: command_m, trip: 0.05}, {channel: measured_m, trip: 0.06}, {channel: force_N, " +
		"trip: 5000}]"
	list := sound(t, limits).list()
	if last := list[len(list)-1]; last.Name != "rehearsals" || last.Value != 1 || last.Compare != "≥" || last.Limit != 1 ||
		!strings.HasPrefix(last.Text, "runs/r, scenario ") {
		t.Errorf("%+v: want the rehearsal", last)
	}
	if err := refused(list); err != nil {
		t.Fatalf("a sound rig: %v", err)
	}
	for want, spoil := range map[string]func(*tests){
		"axes: found 2, want 1":        func(c *tests) { c.info.X = append(c.info.X, c.info.X[0]) },
		"load cells: found 0, want 1":  func(c *tests) { c.info.F = nil },
		"rate: found 255, want 256 Hz": func(c *tests) { c.info.RateHz = 255 },
		"stroke of the actuator: found 0.05, want 0.04 m or less (range of the rig); displacement limit of the actuator: " +
			"found 0.06, want 0.04 m or less": func(c *tests) { c.info.X[0].Range = 0.04 },
		"displacement limit of the actuator: found 0.06, want 0.055 m or less": func(c *tests) { c.info.X[0].Range = 0.055 },
		"rate of the actuator: found 0.5, want 0.4 m/s or less":                func(c *tests) { c.info.X[0].Rate = 0.4 },
		"force limit of the load cell: found 5000, want 4000 N or less":        func(c *tests) { c.info.F[0].Range = 4000 },
		"watchdog of the rig: found 0.01, want 0.0195312 s or more":            func(c *tests) { c.info.WatchdogS = 0.01 },
		"round trip: found 4000, want 3906.25 µs or less":                      func(c *tests) { c.measured.TripUs = 4000 },
		"distance of the actuator from the first command: found 0.0006, want 0.0005 m or less": func(c *tests) {
			c.measured.X[0] = -6e-4
		},
		"force of the load cell at rest: found 51, want 50 N or less": func(c *tests) { c.measured.F[0] = -51 },
		"first step of the rehearsal's command of the actuator: found 2e-05, want 1e-05 m or less": func(c *tests) {
			c.rehearsal.jump[0] = 2e-5
		},
		"age of idle readings: found 2, want 0 samples": func(c *tests) { c.measured.Age = 2 },
		"free shared memory: 1.1e-05 MB needed, 1e-05 MB " +
			"free": func(c *tests) { c.ringBytes = 11 },
		"free space on disk: 7e-06 MB needed, 6e-06 MB " +
			"free": func(c *tests) { c.diskBytes = 7 },
		"watchdog of the rig: found 1.4, want 1.5 s or more (then the rig goes to safety by itself)": func(c *tests) {
			c.info.Clock, c.info.WatchdogS = wire.Lockstep, 1.4
		},
	} {
		c := sound(t, limits)
		c.built.Stroke = 0
		spoil(c)
		err := refused(c.list())
		if err == nil || !strings.Contains(err.Error(), "nothing has moved: "+want) {
			t.Errorf("%v: want %q alone", err, want)
		}
	}
}

// A check of what nobody has stated says so, and room is told in MB or GB.
func TestChecksInWords(t *testing.T) {
	for want, c := range map[string]record.Check{
		"no limit (the rig states no range)": {Value: record.Number(math.Inf(1)), Limit: record.Number(math.Inf(1)),
			Unit: "m/s", Text: "the rig states no range"},
		"0.5 m/s (the rig states no range)": {Value: 0.5, Limit: record.Number(math.Inf(1)), Unit: "m/s",
			Text: "the rig states no range"},
		"found none, want one of 0.4 m or less": {Value: record.Number(math.Inf(1)), Limit: 0.4, Unit: "m"},
		"3.2 MB needed, 25.3 GB free":           {Value: 3.2e6, Limit: 25.27e9, Unit: "bytes"},
	} {
		if got := inNumbers(c); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A zero and a preload move the run's limits against the rig's range; what is zeroed may read anything.
func TestChecksOfAStart(t *testing.T) {
	limits := "limits=[{channel: command_m, trip: 0.05}, {channel: measured_m, trip: 0.06}, {channel: force_N, " +
		"trip: 9000}]"
	for _, c := range []struct {
		start, want string
		x, f        float64
	}{
		{"{zero: both}", "", 0.05, 900},
		{"{zero: both}", "displacement limit of the actuator: found 0.13, want 0.12 m or less", 0.07, 0},
		{"{zero: force}", "", 0, 900},
		{"{zero: force}", "force limit of the load cell: found 10100, want 10000 N or less", 0, 1100},
		{"{zero: both}", "", 0.0601, 0}, // a thousandth of the range does not count
		{"{zero: force}", "distance of the actuator", 0.05, 900},
		{"{preload_m: [0.05]}", "", 0, 0},
		{"{preload_m: [-0.07]}", "displacement limit of the actuator: found 0.13, want 0.12 m or less", 0, 0},
	} {
		of := sound(t, limits, "rig={kind: udp, clock: rig, start: "+c.start+"}")
		of.built.Stroke, of.measured.X[0], of.measured.F[0] = 0, c.x, c.f
		if err := refused(of.list()); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, measured at %g m, %g N: %v: want %q", c.start, c.x, c.f, err, c.want)
		}
	}
}

// A rig that states a range wants a limit there; one that states none has no opinion.
func TestChecksWantLimits(t *testing.T) {
	c := sound(t, "limits=[{channel: command_m, trip: 0.05}, {channel: measured_m, trip: 0.06}]")
	if err := refused(c.list()); err == nil || !strings.Contains(err.Error(),
		"force limit of the load cell: found none, want one of 10000 N or less (range of the rig; the scenario has no "+
			"limit that acts there: add one)") {
		t.Errorf("%v", err)
	}
	c.info.F[0].Range = 0
	if err := refused(c.list()); err != nil {
		t.Errorf("without a range: %v", err)
	}
}

// Where the loop computes its forces from others, the load cells at rest have nothing in the
// rehearsal to be compared with.
func TestChecksOfComputedForces(t *testing.T) {
	for _, rehearsed := range [][]float64{nil, {1000, 1}} {
		c := sound(t, "limits=[{channel: measured_m, trip: 0.06}, {channel: force_N, trip: 5000}]")
		c.measured.F[0], c.rehearsal.mostF = -900, rehearsed
		list := c.list()
		if slices.ContainsFunc(list, func(of record.Check) bool { return strings.HasSuffix(of.Name, "at rest") }) ||
			refused(list) != nil {
			t.Errorf("%d rehearsed forces: %+v", len(rehearsed), list)
		}
	}
}

// What the mean of many readings cannot tell from the first command needs no way there.
func TestElsewhere(t *testing.T) {
	for _, c := range []struct {
		x, spread float64
		want      bool
	}{{0, 0, false}, {1e-12, 0, true}, {0.9e-6, 2e-6, false}, {1.1e-6, 2e-6, true}, {-1.1e-6, 2e-6, true}} {
		if got := elsewhere(&checked{X: []float64{c.x}, SpreadX: []float64{c.spread}, Readings: 64},
			[]float64{0}); got != c.want {
			t.Errorf("%g m with a spread of %g: %t", c.x, c.spread, got)
		}
	}
}

// A run is a rehearsal only if it is virtual, completed, and of the same scenario, version and inputs.
func TestUnfit(t *testing.T) {
	good := func() *record.Manifest {
		return &record.Manifest{Status: rths.Completed, Scenario: "a: 1\nb: 2\n", Version: "v",
			Inputs: []files.Input{{File: "s.yaml", SHA256: "1"}, {File: "q.txt", SHA256: "2"}}}
	}
	for want, spoil := range map[string]func(*record.Manifest){
		"":                       func(*record.Manifest) {},
		"has the status tripped": func(m *record.Manifest) { m.Status = rths.Tripped },
		"is no virtual run":      func(m *record.Manifest) { m.Test = &record.Test{} },
		"another scenario: b is 3 in the run and 2 in this test": func(m *record.Manifest) { m.Scenario = "a: 1\nb: 3\n" },
		"by version w":           func(m *record.Manifest) { m.Version = "w" },
		"has read another q.txt": func(m *record.Manifest) { m.Inputs[1].SHA256 = "3" },
	} {
		m := good()
		spoil(m)
		if got := unfit(m, good()); !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("%q: want %q", got, want)
		}
	}
	edited := good()
	edited.Inputs[0].SHA256 = "9" // a comment in the file: the values stand in the scenario
	if got := unfit(edited, good()); got != "" {
		t.Errorf("another comment in the file: %s", got)
	}
	if m := good(); true {
		if m.Rig = (&record.Rig{}); unfit(m, good()) == "" {
			t.Error("a run on a laboratory's rig is no rehearsal")
		}
		if m.Rig = (&record.Rig{Virtual: true}); unfit(m, good()) != "" {
			t.Error("a run on a virtual rig is one")
		}
	}
}

// The comparison of a test that is its rehearsal a tenth larger: 10 % rms, and they part where a
// tenth of the rehearsal times its size is a tenth of its largest, at the peak.
func TestComparison(t *testing.T) {
	n := 400
	x, f := make([]float64, n), make([]float64, n)
	for k := range n {
		x[k] = 0.01 * math.Sin(2*math.Pi*float64(k)/100)
		f[k] = 1e5 * x[k]
	}
	r := &rehearsal{x: [][]float64{x}, f: [][]float64{f}}
	c := r.compare(map[string]int{"measured_m": 0, "force_N": 1}, 100)
	for k := range n + 50 { // the test goes on after its rehearsal
		if k < n {
			c.see([]float64{1.2 * x[k], f[k]})
		} else {
			c.see([]float64{9, 9})
		}
	}
	var out record.Rehearsal
	c.put(&out)
	// 0.2 |sin| exceeds 0.1 after asin 1/2, a twelfth of the period.
	if math.Abs(float64(out.DisplacementPct)-20) > 1e-9 || float64(out.ForcePct) != 0 || float64(out.PartedS) != 0.09 {
		t.Errorf("%g %%, %g %%, parted at %g s: want 20, 0 and 0.09", out.DisplacementPct, out.ForcePct, out.PartedS)
	}
	if math.Abs(float64(out.PeakM)-0.012) > 1e-12 || float64(out.RehearsedPeakM) != most(x) ||
		float64(out.PeakN) != most(f) {
		t.Errorf("peaks %+v", out)
	}
	c = r.compare(map[string]int{"measured_m": 0, "force_N": 1}, 100)
	for k := range n {
		c.see([]float64{x[k], f[k]})
	}
	if c.put(&out); out.DisplacementPct != 0 || !math.IsNaN(float64(out.PartedS)) {
		t.Errorf("%g %%, parted at %g s: want 0 and never", out.DisplacementPct, out.PartedS)
	}
}
