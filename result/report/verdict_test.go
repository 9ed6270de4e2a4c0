package report_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/result/record"
)

// follower is a rig that follows a sine of 1 Hz and 10 mm: late, with a gain, with noise of a
// standard deviation, and with a gain error that ends at a time.
type follower struct {
	lagMs, gain, noise, learntS float64
	end                         record.Manifest
	floorless                   bool // no rig knows its noise
}

// run records 10 s at 1000 Hz. J2 and its noise floor come from their closed forms.
func (r follower) run(t *testing.T) *record.Archive {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	f := &rths.Frame{Desired: make([]float64, 1), Read: rths.NewReading(1, 1), Command: make([]float64, 1)}
	m := r.end
	m.RateHz = 1000
	m.Criteria = []rths.Value{{Name: "delay_ms", V: r.lagMs},
		{Name: "J2_floor_pct", V: 100 * r.noise / (10e-3 / math.Sqrt2)}}
	if r.floorless {
		m.Criteria = m.Criteria[:1]
	}
	sent := 0.0
	return archived(t, m, f, []rths.Channel{{Name: "guard_command_m", Unit: "m", V: &sent}}, 10000, func(k int) {
		f.T = float64(k) / 1000
		gain := r.gain
		if f.T < r.learntS {
			gain = 0
		}
		f.Desired[0] = 10e-3 * math.Sin(2*math.Pi*f.T)
		f.Read.X[0] = gain*10e-3*math.Sin(2*math.Pi*(f.T-r.lagMs/1000)) + r.noise*random.NormFloat64()
		f.Command[0] = f.Desired[0]
		sent = min(f.Command[0], 8e-3)
		if r.end.Name != "clipped" {
			sent = f.Command[0]
		}
	})
}

// A lag τ of a sine gives J2 = 2 sin(ωτ/2), a gain A gives |A − 1|, noise σ gives σ √2 / 10 mm.
// A command that is cut off at 0.8 of a sine is cut (π/2 − asin 0.8)/π of the time.
func TestVerdict(t *testing.T) {
	done := record.Manifest{Name: "x", Status: rths.Completed}
	late := 200 * math.Sin(math.Pi*0.02)
	for name, c := range map[string]struct {
		rig  follower
		want string
	}{
		"lag": {follower{lagMs: 20, gain: 1, end: done},
			fmt.Sprintf("<strong>Completed</strong>: the measured displacement misses its target by %.1f %% (J2), mainly "+
				"because it lags the target by 20.0 ms: without this delay J2 is 0.", late)},
		"lead": {follower{lagMs: -20, gain: 1, end: done}, "mainly because it leads the target by 20.0 ms"},
		"gain": {follower{gain: 1.3, end: done},
			"misses its target by 30.0 % (J2), mainly because its amplitude is 130.0 % of the target&#39;s: with 100 % J2 " +
				"is 0.0 %."},
		"noise": {follower{gain: 1, noise: 1e-3, end: done}, "and noise of the sensor alone makes 14.1 %."},
		"learns": {follower{gain: 1, learntS: 4, end: done},
			"neither its delay (0.0 ms) nor its amplitude (60.0 %) explains: J2 is 89.4 % in the first half of the motion and " +
				"0.0 % in the second."},
		"shakes": {follower{gain: 1, noise: 1e-3, end: done, floorless: true},
			"nor its amplitude (100.0 %) explains: the rest is noise, or motion that the target does not have."},
		"still": {follower{gain: 1, end: done}, "misses its target by 0.0 % (J2)."},
		"ended": {follower{gain: 1.3, end: record.Manifest{Status: rths.Diverged, Reason: "diverged at t = 10 s"}},
			"<strong>Diverged</strong>: diverged at t = 10 s; until then the measured displacement misses its target by 30.0 %"},
		"lost": {follower{gain: 1.3, end: record.Manifest{Status: rths.Lost, Reason: "the loop was killed"}},
			"<strong>Lost</strong>: the loop was killed; until then the measured displacement misses its target by 30.0 %"},
		"clipped": {follower{gain: 1, end: record.Manifest{Name: "clipped", Status: rths.Completed}},
			"; the limits changed 20 % of the commands."},
		"fell back": {follower{gain: 1, learntS: 4, end: record.Manifest{Status: rths.Completed,
			Events: []record.Event{{TimeS: 2, Channel: "fallback", Action: record.FallsBack}}}},
			"J2 is 89.4 % in the first half of the motion and 0.0 % in the second."},
		"fault": {follower{gain: 1, end: record.Manifest{Status: rths.Completed,
			Events: []record.Event{{TimeS: 1, Channel: "measured_m", Fault: "stuck", Action: record.Begins},
				{TimeS: 2, Channel: "measured_m", Fault: "stuck", Action: record.Ends}}}},
			"(J2); faults on request: stuck measured_m."},
		"unmet": {follower{gain: 1, end: record.Manifest{Status: rths.Completed,
			Unmet: []string{"J2_pct is 5: expected at most 3"}}}, "<li>Not reached: J2_pct is 5: expected at most 3</li>"},
		"warned": {follower{gain: 1, end: record.Manifest{Status: rths.Completed,
			Warnings: []string{"the stroke was reached"}}}, "<li>the stroke was reached</li>"},
		"noted": {follower{gain: 1, end: record.Manifest{Status: rths.Completed,
			Notes: []string{"no limits act on this run (limits: none)", "a.csv: no unit is stated"}}},
			"<ul>\n<li>Note before the run: a.csv: no unit is stated</li>\n</ul>"},
		"cut off": {follower{gain: 1, end: record.Manifest{Status: rths.Completed,
			Scenario: "converters: {reading: volts, bits: 18, span_v: 3.8, mm_per_v: 1}\n"}},
			"; the converters clipped 75 % of the commands, at ±3.8 mm."},
	} {
		t.Run(name, func(t *testing.T) { rthstest.Contains(t, html(t, c.rig.run(t)), c.want) })
	}
}

// The summary has the parts of the test in units, and the criteria have theirs.
func TestSummary(t *testing.T) {
	s := usual()
	s.rows = 10
	s.end.Scenario = "specimen: {kind: linear, mass: 29.13, stiffness: 1e+06, damping: 0.0}\ntransfer: {kind: " +
		"silva2020, alpha1_beta0: 2.1283e13, stroke_m: 0.007, force_n: 8900}\nlimits: none\n"
	s.end.Criteria = []rths.Value{{Name: "J2_pct", V: 2.4774, Doc: "error"}, {Name: "J2_true_pct", V: 0.43045},
		{Name: "delay_ms", V: -0.0036}, {Name: "J9_pct", V: 37479.4}}
	rthstest.Contains(t, html(t, s.run(t)),
		"spring, dashpot and mass of one degree of freedom; mass 29.13 kg, stiffness 1000 kN/m</dd>",
		"alpha1 beta0 2.1283·10¹³ Pa·m/s³, stroke 7 mm, force 8.9 kN</dd>", "This run had no limits.",
		`J2, % <span class="doc">error</span></td><td class="number" data-head="Value">2.48</td><td class="number" data-head="Without sensor noise">0.43</td>`,
		`<td class="name">delay, ms</td><td class="number" data-head="Value">0.00</td>`, ">37479<", ">0.00017<")
}

// A comparison shows what differs in the settings, and floors, loops and parameters of all.
func TestComparison(t *testing.T) {
	var runs []*record.Archive
	for i, kind := range []string{"amb", "pi"} {
		s := usual()
		s.rows = 3000
		s.end.Scenario = fmt.Sprintf("rate_hz: %d\ncompensator: {kind: %s, %s: 1}\nspecimen: {kind: linear, mass: 10}\n",
			1024*(i+1), kind, kind)
		runs = append(runs, s.run(t))
	}
	page := html(t, runs...)
	rthstest.Contains(t, page, "Settings that differ", `>rate_hz</td>`, `>compensator.kind</td>`,
		"spring, dashpot and mass", "Hysteresis", "Floor 3", "Parameters and indicators", `"title":"a0"`)
	for _, unwanted := range []string{">compensator.amb</td>", ">specimen.mass</td>"} {
		if strings.Contains(page, unwanted) {
			t.Errorf("the page has %s: want only settings that differ", unwanted)
		}
	}
}

// Words that all long names begin with stand in the title alone.
func TestLongNames(t *testing.T) {
	var runs []*record.Archive
	for _, variant := range []string{"1", "2 soft"} {
		s := usual()
		s.rows, s.name = 10, "single-actuator benchmark, variant "+variant
		runs = append(runs, s.run(t))
	}
	rthstest.Contains(t, html(t, runs...), "<h1>Comparison of 2 runs: single-actuator benchmark</h1>",
		"<strong>variant 1:</strong>", "<strong>variant 2 soft:</strong>")
}
