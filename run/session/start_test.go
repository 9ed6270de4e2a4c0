package session

import (
	"math"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/lab/rig"
	"rths/lab/rig/wire"
	"rths/scenario"
)

// started is a test that has met its rig at a reading, before its first tick, and the commands that it sends.
func started(t *testing.T, l *liar, at rths.Reading, first float64, to bool, sets ...string) (*course, *[]float64) {
	t.Helper()
	s := rthstest.Must(scenario.Parse("small", []byte(small), ".", sets))
	l.Rig = rthstest.Must(s.Laboratory(scenario.Options{})).Rig
	band := newTape(l, s.Expectation(""), s.Rating().Rate)
	run := rthstest.Must(s.Build(t.Context(), scenario.Options{Rig: band, Disarmed: true, Rehearsed: true}))
	sent := new([]float64)
	c := rthstest.Must(newCourse(run, band, func() { *sent = append(*sent, band.command[0]) }))
	n := -1
	band.stamps = func(t *tape) {
		n++
		t.values[atReading], t.values[atActed], t.values[atTaken] = float64(n), float64(n-1), float64(n)/s.RateHz
	}
	if err := c.begin(&at, slices.Repeat([]float64{first}, len(at.X)), to); err != nil {
		t.Fatal(err)
	}
	l.course = c
	return c, sent
}

func reading(x, f float64) rths.Reading {
	return rths.Reading{Motion: rths.Motion{X: []float64{x}}, F: []float64{f}}
}

// to takes a test to a phase.
func (c *course) to(t *testing.T, wanted phase) {
	t.Helper()
	for k := 0; c.phase < wanted; k++ {
		if c.tick(); k > 50000 {
			t.Fatalf("phase %d, guard %s: want phase %d", c.phase, c.guard.State(), wanted)
		}
	}
}

// The guard stands where the rig was measured, or at the first command where the two cannot be told apart; a zero
// and a shift stay what the rig's own zero wants. From there the command goes to the first one without a jump, at
// the rate of the profile at most.
func TestWhereTheGuardStands(t *testing.T) {
	for name, c := range map[string]struct {
		start    string
		x, first float64
		to       bool
		from     float64 // first command at the rig, m
		goal     float64 // the one at the first tick of the run, m
		phase    phase   // after begin
	}{
		"measured":                  {"", 1e-3, 0, true, 1e-3, 0, approach},
		"to a first command":        {"", 1e-3, 2e-3, true, 1e-3, 2e-3, approach},
		"not to be told":            {"", 1e-6, 0, false, 0, 0, running},
		"at the first command":      {"", 0, 0, true, 0, 0, running},
		"zeroed":                    {"zero: both", 5e-3, 0, true, 5e-3, 5e-3, running},
		"zeroed, preload":           {"zero: both, preload_m: [0.001]", 5e-3, 0, true, 5e-3, 6e-3, approach},
		"preload alone, from there": {"preload_m: [0.001]", 2e-4, 0, true, 2e-4, 1e-3, approach},
	} {
		var sets []string
		if c.start != "" {
			sets = append(sets, "rig={kind: udp, clock: rig, watchdog_ms: 1500, start: {settle_s: 0.1, "+c.start+"}}")
		}
		test, sent := started(t, &liar{}, reading(c.x, 7), c.first, c.to, sets...)
		if test.phase != c.phase || (*sent)[0] != c.from || test.values()[atReading] != -1 {
			t.Errorf("%s: begins in phase %d with the command %g m and reading %g: want %d, %g, -1", name, test.phase,
				(*sent)[0], test.values()[atReading], c.phase, c.from)
		}
		if test.to(t, running); !test.still.certain {
			t.Errorf("%s: in the run the offset of the sensor is not known", name)
		}
		before := len(*sent)
		if at := (*sent)[before-1]; math.Abs(at-c.goal) > 1e-9 {
			t.Errorf("%s: the run begins at %g m: want %g", name, at, c.goal)
		}
		for k := 1; k < before; k++ {
			if step := math.Abs((*sent)[k] - (*sent)[k-1]); step > 0.02/256*(1+1e-6) {
				t.Fatalf("%s, row %d: a step of %g m before the run", name, k, step)
			}
		}
	}
}

// A preload becomes the zero of the run: displacements by the command, forces by the measurement over the second
// half of the settling time, whatever was read in the first half.
func TestPreloadBecomesZero(t *testing.T) {
	const preload, force = 1e-3, 50.0
	settling := 0
	l := &liar{reads: func(c *course, out *rths.Reading) error {
		out.F[0] = force
		out.X[0] += 2e-4 // the command stands at the preload, whatever the sensor reads
		if c.settled == 0 {
			settling = 0
		}
		if c.phase == approach {
			if settling++; settling < 10 {
				out.F[0] = 900
			}
		}
		return nil
	}}
	c, sent := started(t, l, reading(0, 0), 0, false,
		"rig={kind: udp, clock: rig, watchdog_ms: 1500, start: {settle_s: 0.1, preload_m: [0.001]}}")
	c.to(t, running)
	for k := 1; k < len(*sent); k++ {
		if u := *sent; math.Abs(u[k]-u[k-1]) > 0.02/256*(1+1e-6) || u[k] > preload+1e-12 {
			t.Fatalf("row %d: a command of %g m behind one of %g m", k, u[k], u[k-1])
		}
	}
	if x, f := c.tape.shiftX[0], c.tape.shiftF[0]; x != preload || math.Abs(f-force) > 1e-9 {
		t.Errorf("shifts %g m, %g N: want %g, %g", x, f, preload, force)
	}
	if settling == 0 {
		t.Error("nothing was read while it settled")
	}
}

// A preload that the guard refuses, as its forces are no numbers, stops the test and leaves every shift as it was.
func TestPreloadRefused(t *testing.T) {
	c, sent := started(t, &liar{}, reading(3e-3, 7), 0, true,
		"rig={kind: udp, clock: rig, watchdog_ms: 1500, start: {zero: both, settle_s: 0.1, preload_m: [0.001]}}")
	for c.settled == 0 {
		c.tick()
	}
	c.meanF[0] = math.NaN()
	c.preload()
	if x, f := c.tape.shiftX[0], c.tape.shiftF[0]; x != 3e-3 || f != 7 {
		t.Errorf("shifts %g m, %g N: want those of the zero, 3 mm and 7 N", x, f)
	}
	if e := c.guard.Events(); len(e) != 1 || e[0].Channel != "preload" || e[0].Value != 1 || e[0].Limit != 0 ||
		e[0].Action != rig.Ramp.String() {
		t.Errorf("events %+v", e)
	}
	if !strings.HasPrefix(c.cause(), "rig: preload: ") || !strings.Contains(c.cause(), "NaN") {
		t.Errorf("cause %q", c.cause())
	}
	for c.to(t, ended); len(*sent) > 1; *sent = (*sent)[1:] {
		if u := *sent; math.Abs(u[1]-u[0]) > 0.02/256*(1+1e-6) {
			t.Fatalf("a command of %g m behind one of %g m", u[1], u[0])
		}
	}
}

// A small move tells the gain of an actuator and the stiffness of its specimen. A gain that is not about 1, or a force
// that drives, stops the test before its run.
func TestSmallMoveStops(t *testing.T) {
	const stiffness = 1e5
	type told func(*course, []float64)
	gain := func(g float64) told { return func(_ *course, u []float64) { u[0] *= g } }
	force := func(k float64) func(*course, *rths.Reading) error {
		return func(_ *course, out *rths.Reading) error { out.F[0] *= k; return nil }
	}
	for name, c := range map[string]struct {
		rig       liar
		gain      float64
		stiffness float64
		cause     string // "": the run begins
	}{
		"sound":         {liar{}, 1, stiffness, ""},
		"a little less": {liar{told: gain(0.92)}, 0.92, stiffness, ""},
		"a little more": {liar{told: gain(1.08)}, 1.08, stiffness, ""},
		"too little":    {liar{told: gain(0.88)}, 0.88, stiffness, "guard: gain is 0.8"},
		"too much":      {liar{told: gain(1.12)}, 1.12, stiffness, "guard: gain is 1.1"},
		"reversed":      {liar{told: gain(-1)}, -1, stiffness, "guard: gain is -"},
		"does not move": {liar{told: gain(0)}, 0, math.NaN(), "guard: gain is "},
		"reversed cell": {liar{reads: force(-1)}, 1, -stiffness, "guard: stiffness_N_m is -"},
		"dead cell":     {liar{reads: force(0)}, 1, 0, "guard: stiffness_N_m is 0"},
		"cell of three": {liar{reads: force(3)}, 1, 3 * stiffness, ""},
		"not a number once": {liar{reads: func(c *course, out *rths.Reading) error { out.F[0] = math.NaN(); return nil }},
			math.NaN(), math.NaN(), "guard: "},
	} {
		m, test := drill(t, &c.rig, "rig={kind: udp, clock: rig, watchdog_ms: 1500, start: {settle_s: 0.3, move_m: 0.001}}",
			"sensors={}", "limits=[{channel: measured_m, trip: 0.1}]")
		if !strings.HasPrefix(m.Test.Cause, c.cause) || c.cause == "" && m.Test.Cause != "" ||
			(ran(test) > 0) != (c.cause == "") {
			t.Errorf("%s: cause %q, %d ticks of the run: want %q", name, m.Test.Cause, ran(test), c.cause)
		}
		if limit := map[bool]string{true: ", limit 0.9", false: ", limit 1.1"}[c.gain < 1]; strings.HasPrefix(c.cause,
			"guard: gain") && !strings.HasSuffix(m.Test.Cause, limit) {
			t.Errorf("%s: cause %q: want %q", name, m.Test.Cause, limit)
		}
		if math.IsNaN(c.gain) {
			continue
		}
		if len(test.moves) != 1 || math.Abs(float64(test.moves[0].Gain)-c.gain) > 1e-3 {
			t.Errorf("%s: moves %+v: want a gain of %g", name, test.moves, c.gain)
		}
		if k := float64(test.moves[0].Stiffness); !math.IsNaN(c.stiffness) &&
			math.Abs(k-c.stiffness) > 1e-2*math.Abs(c.stiffness) {
			t.Errorf("%s: stiffness %g N/m: want %g", name, k, c.stiffness)
		}
	}
}

// Displacements in another order than the actuators end the test at the small move, which says so.
func TestSensorsInAnotherOrder(t *testing.T) {
	for name, reads := range map[string]func(*course, *rths.Reading) error{
		"sound":   nil,
		"swapped": func(_ *course, out *rths.Reading) error { out.X[0], out.X[1] = out.X[1], out.X[0]; return nil },
	} {
		at := rths.Reading{Motion: rths.Motion{X: make([]float64, 2)}, F: make([]float64, 2)}
		c, _ := started(t, &liar{reads: reads}, at, 0, false, "sensors={}", "limits=[{channel: measured_m, trip: 0.1}]",
			"rig={kind: udp, clock: rig, watchdog_ms: 1500, start: {settle_s: 0.3, move_m: 0.001}}", "interface=[1, 2]",
			"coupler={kind: rigid-body, coordinates: [x, rz], actuators: [{base_m: [-2, 0.5], pin_m: [-0.5, 0.5]}, "+
				"{base_m: [-2, -0.5], pin_m: [-0.5, -0.5]}]}", "specimen=null",
			"specimens=[{along: [1, 0], specimen: {kind: linear, stiffness: 1e5}}, "+
				"{along: [0, 1], specimen: {kind: linear, stiffness: 1e5}}]")
		m, lost := concluded(t, c), reads != nil
		if got := c.moves[0].Instead; (got == 2) != lost || strings.HasPrefix(m.Test.Cause, "guard: gain is ") != lost ||
			(ran(c) > 0) == lost {
			t.Errorf("%s: moves %+v, cause %q, %d ticks", name, c.moves, m.Test.Cause, ran(c))
		}
		if text := c.moves[0].InsteadText(); strings.Contains(text, "displacement 2 moved instead") != lost {
			t.Errorf("%s: %q", name, text)
		}
	}
}

// A first command that the guard cannot go to stops the test after its preload, and the cause says why.
func TestFirstCommandOutOfReach(t *testing.T) {
	c, sent := started(t, &liar{}, reading(0, 0), 0.2, true,
		"rig={kind: udp, clock: rig, watchdog_ms: 1500, start: {settle_s: 0.1, preload_m: [0.001]}}")
	c.to(t, ended)
	if ran(c) > 0 || !strings.HasPrefix(c.cause(), "rig: ") || !strings.Contains(c.cause(), "0.2") {
		t.Errorf("%d ticks of the run, cause %q", ran(c), c.cause())
	}
	if e := c.guard.Events(); len(e) != 1 || e[0].Channel != "start" || e[0].Value != 1 || e[0].Limit != 0 ||
		e[0].Action != rig.Ramp.String() {
		t.Errorf("events %+v", e)
	}
	for _, u := range *sent {
		if math.Abs(u) > 0.0021 {
			t.Fatalf("a command of %g m", u)
		}
	}
}

// The first cause is the rig's where its watchdog or limit had acted before the guard, by the number of the reading
// that says so; a loop that takes the reading later does not make it later.
func TestRigActsFirst(t *testing.T) {
	for name, c := range map[string]struct {
		status  wire.Status
		measure float64 // number of the reading with the status
		ask     int     // tick of the run in which the operator stops
		want    string
	}{
		"watchdog before": {wire.Watchdog, 100, 105,
			"rig: its watchdog acted; then supervisor: the operator stopped the test"},
		"limit before": {wire.OwnLimit, 100, 105,
			"rig: its own limit acted; then supervisor: the operator stopped the test"},
		"both": {wire.OwnLimit | wire.Watchdog, 100, 105,
			"rig: its watchdog acted; then supervisor: the operator stopped the test"},
		"after": {wire.Watchdog, 150, 50, "supervisor: the operator stopped the test"},
		"taken late": {wire.Watchdog, 100, 120,
			"rig: its watchdog acted; then supervisor: the operator stopped the test"},
		"alone": {wire.Watchdog, 100, -1, "rig: its watchdog acted"},
	} {
		l := &liar{}
		test, _ := started(t, l, reading(0, 0), 0, false)
		stamps := test.tape.stamps
		test.tape.stamps = func(t *tape) {
			if stamps(t); t.values[atReading] >= c.measure {
				t.values[atStatus] = float64(c.status)
			}
		}
		l.reads = func(c2 *course, _ *rths.Reading) error {
			if ran(c2) == c.ask {
				c2.ask(operatorStops)
			}
			return nil
		}
		if test.to(t, ended); test.cause() != c.want {
			t.Errorf("%s: cause %q: want %q", name, test.cause(), c.want)
		}
	}
}

// A test without limits has nothing that stops its loop.
func TestCourseWantsLimits(t *testing.T) {
	s := rthstest.Must(scenario.Parse("small", []byte(small), ".",
		[]string{"limits=none", "rig={kind: udp, clock: lockstep}"}))
	band := newTape(rthstest.Must(s.Laboratory(scenario.Options{})).Rig, s.Expectation(""), 0)
	run := rthstest.Must(s.Build(t.Context(), scenario.Options{Rig: band, Disarmed: true}))
	if _, err := newCourse(run, band, func() {}); err == nil ||
		!strings.HasPrefix(err.Error(), "limits: none: want limits") {
		t.Errorf("%v", err)
	}
}
