package scenario_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/lab/rig"
	"rths/method/stability"
	"rths/scenario"
)

// dissipating is the scenario of docs/guides/indicators.md, and the page.
func dissipating(t *testing.T) (text, page string) {
	t.Helper()
	data, err := os.ReadFile("../docs/guides/indicators.md")
	if err != nil {
		t.Fatal(err)
	}
	page = string(data)
	_, text, ok := strings.Cut(page, "# file: dissipating.yaml\n")
	text, _, end := strings.Cut(text, "```")
	if !ok || !end {
		t.Fatal("docs/guides/indicators.md has no dissipating.yaml")
	}
	return text, page
}

// A delayed test and what its indicators said.
type delayedTest struct {
	name, specimen    string
	pga, ms           float64
	sw, whole, recent float64 // largest, %
	// of the last 2 s of the run: mean of SW_e of the last 2 s, %; displacement 10 s earlier and then, m
	end, early, motion float64
	run                *scenario.Run
}

const (
	linearSpecimen = "specimen={kind: linear, mass: 0, damping: 0, stiffness: 1e5}"
	smoothSpecimen = "specimen={kind: bouc-wen, mass: 0, damping: 0, stiffness: 1e5, post_yield_ratio: 0.1, " +
		"yield_force: 600, exponent: 2, eta1: 0.5, eta2: 0.5, alpha: 0, beta: 0}"
	plasticSpecimen = "specimen={kind: bouc-wen, mass: 0, damping: 0, stiffness: 1e5, post_yield_ratio: 0, yield_force: " +
		"300, exponent: 2, eta1: 0.5, eta2: 0.5, alpha: 0, beta: 0}"
	frictionDamper = "specimen={kind: friction, mass: 0, coefficient: 0.1, normal_force: 3000, stick_stiffness: 1e6}"
	viscousDamper  = "specimen={kind: viscous-damper, mass: 0, damping: 2000, exponent: 1}"
)

// play runs the test, whose actuator is a pure delay.
func (d *delayedTest) play(t *testing.T, text string, sets ...string) error {
	t.Helper()
	transfer := "transfer={kind: ideal}"
	if d.ms > 0 {
		transfer = fmt.Sprintf("transfer={kind: delay, delay_ms: %g}", d.ms)
	}
	d.run = built(t, text, append([]string{d.specimen, transfer, fmt.Sprintf("ground.pga_g=%g", d.pga)}, sets...)...)
	d.run.Loop.Attach(observerFunc(func(f *rths.Frame) {
		switch x, left := math.Abs(f.Read.X[0]), d.run.Motion.Duration()-f.T; {
		case left < 2:
			d.motion = max(d.motion, x)
			d.end += channel(t, d.run, "error_work_2s_pct") / (2 * d.run.Scenario.RateHz)
		case left >= 10 && left < 12:
			d.early = max(d.early, x)
		}
	}))
	err := d.run.Loop.Run(0, nil)
	d.sw, d.whole, d.recent = indicator(t, d.run, "sw_max_pct"), indicator(t, d.run, "error_work_max_pct"),
		indicator(t, d.run, "error_work_2s_max_pct")
	return err
}

// row is the line of the table.
func (d *delayedTest) row() string {
	return fmt.Sprintf("| %s | %g | %.1f | %.1f | %.1f | %.1f |", d.name, d.ms, d.sw, d.whole, d.recent, 1e3*d.motion)
}

// The table of docs/guides/indicators.md: SW is nearly blind where the specimen dissipates, and the error
// work of the last 2 s grows with the delay. The page shows some of the tests. (Every other one; all with RTHS_FULL=1.)
func TestErrorWorkOfDissipatingSpecimens(t *testing.T) {
	text, page := dissipating(t)
	for _, s := range []struct {
		name, specimen string
		pga            float64
		delays         []float64
	}{
		{"linear", linearSpecimen, 0.3, []float64{0, 5, 10, 12.5, 13.5, 15}},
		{"`bouc-wen`, 1/100 of the motion", smoothSpecimen, 0.003, []float64{10, 12.5, 13.5, 30}},
		{"`bouc-wen`, 600 N", smoothSpecimen, 0.3, []float64{0, 10, 15, 30, 60, 100}},
		{"`bouc-wen`, 300 N", plasticSpecimen, 0.3, []float64{0, 10, 15, 30, 60, 100}},
		{"`friction`, 300 N", frictionDamper, 0.3, []float64{0, 10, 30, 60}},
		{"`viscous-damper`", viscousDamper, 0.3, []float64{0, 10, 30, 60}},
	} {
		before := delayedTest{recent: -1, whole: -1}
		for i, ms := range s.delays {
			if i%2 == 1 && rthstest.Draws(0, 1) == 0 {
				continue
			}
			d := delayedTest{name: s.name, specimen: s.specimen, pga: s.pga, ms: ms}
			if err := d.play(t, text); err != nil {
				t.Fatal(err)
			}
			t.Log(d.row())
			if start := fmt.Sprintf("\n| %s | %g |", d.name, d.ms); strings.Contains(page, start) &&
				!strings.Contains(page, d.row()+"\n") {
				t.Errorf("docs/guides/indicators.md has another row than %s", d.row())
			}
			if !(d.recent > before.recent) || !(d.whole > before.whole) {
				t.Errorf("%s, %g ms: SW_e up to %.3g and %.3g %%: want more than %.3g and %.3g with the shorter delay", s.name, ms,
					d.whole, d.recent, before.whole, before.recent)
			}
			if ms == 0 && d.whole > 1e-9 {
				t.Errorf("%s: SW_e up to %g %% without delay: want 0", s.name, d.whole)
			}
			before = d
		}
	}
}

// In small motion a bouc-wen specimen is its tangent: 5 % below the exact critical delay the
// motion decays and SW_e of the last 2 s is below 100 % in the end, 5 % above it the motion
// grows and the indicator is above 100 %, as with the linear specimen. (C_SW is near 0: the
// motion is far smaller than during the earthquake.)
func TestErrorWorkAtTheCriticalDelay(t *testing.T) {
	text, _ := dissipating(t)
	whole := built(t, text, linearSpecimen).Whole
	p := rthstest.Must(whole.Divide(0, 0, 0, 1e5))
	critical, err := rthstest.Must(stability.NewHybrid(p, 0, 0, 1e5)).Critical()
	if err != nil {
		t.Fatal(err)
	}
	rthstest.Near(t, "critical delay, ms", 1e3*critical.Delay, 13.04, 0.005)
	for _, specimen := range []string{linearSpecimen, smoothSpecimen} {
		for _, part := range []float64{0.95, 1.05, 0.5, 1.2}[:rthstest.Draws(2, 4)] {
			d := delayedTest{specimen: specimen, pga: 0.0003, ms: 1e3 * critical.Delay * part}
			if err := d.play(t, text, "ground.duration_s=60", "indicators.c_sw_j=1e-9"); err != nil {
				t.Fatal(err)
			}
			t.Logf("%.2f of the critical delay: %.3g then %.3g mm, SW_e of the last 2 s is %.1f %%, SW up to %.1f %%", part,
				1e3*d.early, 1e3*d.motion, d.end, d.sw)
			if grows := part > 1; grows != (d.end > 100) || grows != (d.motion > d.early) {
				t.Errorf("%s, %.2f of the critical delay: %.3g then %.3g mm, SW_e of the last 2 s is %.1f %%", specimen, part,
					1e3*d.early, 1e3*d.motion, d.end)
			}
		}
	}
}

// Beyond the critical delay the yielding of the specimen ends the growth: the motion stays the
// same, the tracking error feeds what both parts take, and SW_e of the last 2 s is 100 % in
// the mean, but for C_SW.
func TestErrorWorkOfALimitCycle(t *testing.T) {
	text, _ := dissipating(t)
	for _, ms := range []float64{30, 20, 60}[:rthstest.Draws(1, 3)] {
		d := delayedTest{specimen: plasticSpecimen, pga: 0.003, ms: ms}
		if err := d.play(t, text, "ground.duration_s=60"); err != nil {
			t.Fatal(err)
		}
		t.Logf("%g ms: %.3g then %.3g mm, SW_e of the last 2 s %.1f %%", ms, 1e3*d.early, 1e3*d.motion, d.end)
		if math.Abs(d.motion/d.early-1) > 0.01 || math.Abs(d.end-100) > 0.5 {
			t.Errorf("%g ms: %.3g then %.3g mm, SW_e of the last 2 s %.1f %%: want a motion that stays, and 100 %%", ms,
				1e3*d.early, 1e3*d.motion, d.end)
		}
	}
}

// W_S is what the specimen holds and dissipates: the friction damper the limit force times its
// slip, and F²/2k in its spring. The sums are trapezoids.
func TestSpecimenWorkOfFriction(t *testing.T) {
	text, _ := dissipating(t)
	for _, ms := range []float64{0, 20} {
		slip, slipped, most := 0.0, 0.0, 0.0
		r := built(t, text, frictionDamper, fmt.Sprintf("transfer={kind: delay, delay_ms: %g}", ms), "rate_hz=4096",
			"ground.duration_s=10")
		steps(t, r, func(f *rths.Frame) {
			x, force := f.InterfaceRead.X[0], f.InterfaceRead.F[0]
			slipped += 300 * math.Abs(x-force/1e6-slip)
			slip = x - force/1e6
			most = max(most, math.Abs(channel(t, r, "specimen_work_J")-slipped-force*force/2e6))
		})
		if !(slipped > 100) || !(most < 2e-3*slipped) {
			t.Errorf("%g ms: W_S is off by %.3g J of %.3g J", ms, most, slipped)
		}
	}
}

// A limit on the error work of the last 2 s stops a test of a yielding specimen on which SW
// says nothing.
func TestLimitOnTheErrorWork(t *testing.T) {
	text, _ := dissipating(t)
	for _, c := range []struct {
		channel string
		trips   bool
	}{{"sw_pct", false}, {"error_work_2s_pct", true}} {
		d := delayedTest{specimen: smoothSpecimen, pga: 0.3, ms: 30}
		err := d.play(t, text, "limits=[{channel: "+c.channel+", trip: 50, action: ramp}]")
		var trip *rig.TripError
		if errors.As(err, &trip) != c.trips || c.trips && trip.Cause.Channel != c.channel {
			t.Errorf("limit on %s: ended with %v: want a trip: %v", c.channel, err, c.trips)
		}
	}
}

// By kit/independent/error_work.py: E_d, W_F, W_S and W_e after 20 s, J; the largest SW, SW_e
// and SW_e of the last 2 s, %.
var (
	errorWorkEnergies = []float64{2240.44556386, -1566.21156681, 2369.22958463, 803.018017824}
	errorWorkLargest  = []float64{0, 19.5880855039, 21.8029164319}
)

// A yielding specimen downstream of a delay of 31.25 ms, on a sine, beside a program in numpy that
// integrates the delay differential equation: SW is 0 all the time. The run ends a sample before 20
// s, and CR is of second order: 3e-5 at 4096 Hz.
func TestErrorWorkIndependent(t *testing.T) {
	text, _ := dissipating(t)
	r := built(t, text, "rate_hz=4096", "ground={kind: sine, duration_s: 20, frequency_hz: 1.2, amplitude_m_s2: 2}",
		"structure.damping={matrix: [[600, -200, 0], [-200, 600, -200], [0, -200, 400]]}",
		"transfer={kind: delay, delay_ms: 31.25}",
		"indicators.c_sw_j=1", "indicators.c_eei_j=1")
	steps(t, r, nil)
	for i, name := range []string{"dissipated_J", "feedback_work_J", "specimen_work_J", "error_work_J"} {
		rthstest.Near(t, name, channel(t, r, name), errorWorkEnergies[i], 3e-5*math.Abs(errorWorkEnergies[i]))
	}
	for i, name := range []string{"sw_max_pct", "error_work_max_pct", "error_work_2s_max_pct"} {
		rthstest.Near(t, name, indicator(t, r, name), errorWorkLargest[i], 3e-5*errorWorkLargest[i])
	}
}

func TestProgramOfTheErrorWork(t *testing.T) {
	got := rthstest.Independent(t, "error_work.py")
	rthstest.NearAll(t, "energies, J,", got["energies_J"], errorWorkEnergies, 1e-8)
	rthstest.NearAll(t, "largest, %,", got["largest_pct"], errorWorkLargest, 1e-9)
}
