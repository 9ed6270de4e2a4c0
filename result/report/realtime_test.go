package report_test

import (
	"math"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"rths/kit/rthstest"
	"rths/lab/realtime"
	"rths/result/record"
)

// timed counts ticks with these times from the instant to the beginning, µs. The reading is there then, the command
// leaves 10 µs later, and the tick ends another 5 µs later. Ticks of more than 1000 µs are late and follow no wait.
func timed(us ...float64) realtime.Timing {
	t := realtime.NewTicks(make([]atomic.Uint64, realtime.TicksWords))
	for range realtime.LeftOut {
		t.See(&realtime.Tick{Begun: 9e9, Left: 9e9, Done: 9e9})
	}
	for _, u := range us {
		begun := int64(1e3 * u)
		late := u > 1000
		t.See(&realtime.Tick{Begun: begun, Taken: begun, Left: begun + 10e3, Done: begun + 15e3, Slept: !late, Late: late})
	}
	return t.Timing()
}

// someTimes are 100 ticks: 98 of 20.5 µs, one of 0.5 µs, one of 4000 µs.
func someTimes() realtime.Timing {
	us := []float64{0.5, 4000}
	for range 98 {
		us = append(us, 20.5)
	}
	return timed(us...)
}

// What real time got, what it did not, and what mends that.
func TestRealTime(t *testing.T) {
	s := usualTest()
	s.manifest.Test.Realtime = &record.Realtime{
		Soft: true, CPU: 3, PageFaults: 17, Timing: someTimes(), Grants: []realtime.Grant{
			{Name: "garbage collector", Granted: true, Needed: true, Text: "off"},
			{Name: "memory", Granted: true, Needed: true, Text: "locked"},
			{Name: "priority", Needed: true, Text: "operation not permitted",
				Mend: "echo '* - rtprio 90\n* - memlock unlimited'"},
			{Name: "idle states", Text: "permission denied", Mend: "sudo chmod o+w /dev/cpu_dma_latency"},
		},
	}
	page := html(t, s.run(t))
	rthstest.Contains(t, page,
		"<dt>Real time</dt><dd>NOT granted: priority; the test was allowed to go on without real time (--soft)</dd>",
		"<dt>Granted</dt><dd>garbage collector: off; memory: locked</dd>",
		"<dt>Processor of the loop</dt><dd>3</dd>",
		"<dt>Page faults</dt><dd>17, of the loop&#39;s thread from arming to disarming</dd>",
		"<dt>Ticks</dt><dd>100 counted before, in and after the run; the first 64 ticks are not counted</dd>",
		"<dt>Missed deadlines</dt><dd>1, of which 0 had time to wait for their instant; the others came at once after a "+
			"late tick</dd>",
		`<tr class="FAILED"><td>priority (needed) <span class="doc">operation not permitted</span></td><td><code>echo &#39;* - rtprio 90`+"\n"+`* - memlock unlimited&#39;</code></td>`,
		`<tr><td>idle states <span class="doc">permission denied</span></td><td><code>sudo chmod o&#43;w /dev/cpu_dma_latency</code></td>`,
		`<td class="name">Lateness, µs <span class="doc">from the instant at which the reading was expected until the loop had it; of the 99 ticks that had time to wait for it</span></td>`+
			`<td class="number" data-head="p50">20.5</td><td class="number" data-head="p99">20.5</td><td class="number" data-head="p99.9">20.5</td><td class="number" data-head="largest">20.5</td>`,
		`<td class="name">Execution, µs <span class="doc">from the reading to the end of the tick</span></td><td class="number" data-head="p50">15</td>`,
		`until its command left</span></td><td class="number" data-head="p50">31</td><td class="number" data-head="p99">31</td><td class="number" data-head="p99.9">4010</td><td class="number" data-head="largest">4010</td>`)
	if i, j := strings.Index(page, "<h3>Real time</h3>"), strings.Index(page, "<h2>Session with the rig</h2>"); i < j {
		t.Error("the facts on real time do not stand in the part on the session")
	}

	r := s.manifest.Test.Realtime
	r.Soft, r.CPU, r.PageFaults, r.Grants, r.Timing = false, -1, -1, r.Grants[:2], timed(5, 6)
	s.manifest.Rig.Clock = "lockstep"
	page = html(t, s.run(t))
	rthstest.Contains(t, page, "<dt>Real time</dt><dd>the machine gave all that it needs</dd>",
		"<dt>Processor of the loop</dt><dd>any</dd>",
		"<dt>Missed deadlines</dt><dd>none</dd>", "from the instant of the tick until the loop woke; of the 2 ticks")
	missing(t, page, "Page faults", "Not granted", "--soft", "until the loop had it")
	r.PageFaults, r.CPU, r.Soft = 0, 0, true
	rthstest.Contains(t, html(t, s.run(t)),
		"<dd>the machine gave all that it needs; without that the test was allowed to go on (--soft)</dd>",
		"<dt>Page faults</dt><dd>0, of", "<dt>Processor of the loop</dt><dd>0<")
}

// The histograms of a test, with one sample of 10 000 µs.
func TestInstants(t *testing.T) {
	s := usualTest()
	s.manifest.Test.Realtime = &record.Realtime{Timing: someTimes()}
	a := s.run(t)
	for name, page := range map[string]string{"": html(t, a), ": test": html(t, a, usualRehearsal().run(t))} {
		figures, _ := figuresOf(t, page)
		f := figures["Number of ticks over lateness, execution and departure"]
		if f.Section != "Instants of the loop"+name || f.Shape != "broad" || !f.LogX || !f.LogY || len(f.Curves) != 4 {
			t.Fatalf("%+v: want a broad figure of four curves, in decades", f)
		}
		for i, want := range []struct {
			name    string
			at      []float64 // µs
			ticks   []float64 // there
			largest float64   // end of the curve, µs
		}{
			{"lateness", []float64{0.9, 10, 20.5}, []float64{1, 0.5, 98}, 21},
			{"execution", []float64{15}, []float64{100}, 18},
			{"departure", []float64{10.5, 30.5, 1000, 4010}, []float64{1, 98, 0.5, 1}, 4217},
		} {
			c := f.Curves[i]
			x, y := f.numbers(t, c.X), f.numbers(t, c.Y)
			for k, us := range want.at {
				if got := heightAt(x, y, us); c.Name != want.name || got != want.ticks[k] {
					t.Errorf("%s at %g µs: %g ticks: want %s, %g", c.Name, us, got, want.name, want.ticks[k])
				}
			}
			if y[0] != 0.5 || y[len(y)-1] != 0.5 || math.Abs(x[len(x)-1]-want.largest) > 1 {
				t.Errorf("%s goes from %g ticks to %g at %g µs: want from the axis and back to it at %g µs", c.Name, y[0],
					y[len(y)-1], x[len(x)-1], want.largest)
			}
		}
		sample := f.Curves[3]
		if x := f.numbers(t, sample.X); sample.Name != "one sample, 10000 µs" || !sample.Dashed || x[0] != 10000 ||
			x[1] != 10000 {
			t.Errorf("%+v at %g µs: want one sample, dashed, at 10000", sample, x)
		}
		if !strings.Contains(f.XLabel, "below 1 µs are drawn left of 1") {
			t.Errorf("label %q: want what is below 1 µs", f.XLabel)
		}
	}
	for _, format := range []string{"png", "svg"} {
		found := false
		for _, path := range checkPlots(t, a, format) {
			found = found || filepath.Base(path) == "instants."+format
		}
		if !found {
			t.Errorf("no instants.%s", format)
		}
	}
}

// heightAt is the height of steps at a place; 0: none.
func heightAt(x, y []float64, at float64) float64 {
	for i := 1; i < len(x); i++ {
		if x[i-1] <= at && at < x[i] && y[i-1] == y[i] {
			return y[i]
		}
	}
	return 0
}

// Each command of a page of a long test is seen, also the one that left late.
func TestDepartures(t *testing.T) {
	s := usualTest()
	s.ticks, s.every = 90000, 1000
	s.stamps = func(k int) stamp {
		at := punctual(k, 1000)
		if k == 12346 {
			at.left += 5e-3
		}
		return at
	}
	a := s.run(t)
	figures, _ := figuresOf(t, html(t, a))
	f := figures["Command after its instant, µs (one sample is 1000 µs)"]
	if f.Shape != "strip" || f.Section != "Messages between loop and rig" {
		t.Fatalf("figure %+v: want a strip among the messages", f)
	}
	largest, usual := 0.0, 0
	for _, v := range f.numbers(t, f.Curves[0].Y) {
		largest = max(largest, v)
		if math.Abs(v-200) < 0.1 {
			usual++
		}
	}
	if math.Abs(largest-5200) > 0.1 || usual < 10000 {
		t.Errorf("at most %g µs, %d points at 200: want 5200, and all but one point", largest, usual)
	}
	for _, column := range []string{"acted", "due_at_s", "reading"} {
		if _, ok := figures[column]; ok {
			t.Errorf("%s has a figure: it is for the replay", column)
		}
	}

	s.ticks = 100
	s.stamps = func(k int) stamp {
		at := punctual(k, 1000)
		at.left += 10e-3
		return at
	}
	figures, _ = figuresOf(t, html(t, s.run(t)))
	f = figures["Command after its instant, ms (one sample is 1 ms)"]
	if v := f.numbers(t, f.Curves[0].Y)[50]; math.Abs(v-10.2) > 1e-4 {
		t.Errorf("%g ms: want 10.2", v)
	}
}

// A test that ended before its loop had begun, and one without counted ticks or instants, have less.
func TestWithoutRealTime(t *testing.T) {
	s := usualTest()
	s.lateAt = 100
	old := html(t, s.run(t))
	rthstest.Contains(t, old, "Late ticks", "Session with the rig")
	missing(t, old, "Real time", "Instants of the loop", "Command after its instant", "What was done on late ticks",
		"Times of a tick")

	s.manifest.Test.Realtime = &record.Realtime{}
	page := html(t, s.run(t), usualRehearsal().run(t))
	rthstest.Contains(t, page, "<dt>Granted</dt><dd>nothing</dd>", "0 counted")
	missing(t, page, "Instants of the loop", "Times of a tick")

	s.ticks, s.manifest.Test.Realtime.Timing = 0, someTimes() // ticks on the way to the run
	rthstest.Contains(t, html(t, s.run(t)), "Instants of the loop", "Times of a tick")

	s.ticks = 100
	s.stamps = func(k int) stamp { return lost(punctual(k, 100), 1) }
	a := s.run(t)
	a.RateHz = 0
	page = html(t, a)
	rthstest.Contains(t, page, "Instants of the loop", `"Command after its instant, µs"`)
	missing(t, page, "one sample, ", "What was done on late ticks")

	s.manifest.Test = nil
	page = html(t, s.run(t))
	missing(t, page, "Real time", "Instants of the loop", "Command after its instant", "What was done on late ticks")
}

// How long main steps took, which were late, and a histogram of them with the instant at which they were due.
func TestMainSteps(t *testing.T) {
	s := usualTest()
	h := realtime.NewHistogram(make([]atomic.Uint64, realtime.HistogramWords))
	for range 99 {
		h.Add(50_500)
	}
	h.Add(4_000_000)
	s.manifest.Test.Realtime = &record.Realtime{CPU: 3, Timing: someTimes()}
	s.manifest.Test.MainSteps = &record.MainSteps{PeriodUs: 1953.125, Steps: 100, Late: 2, LongestLate: 1,
		Took: h.Distribution()}
	page := html(t, s.run(t))
	rthstest.Contains(t, page,
		"<dt>Main steps</dt><dd>of 1953 µs, by a process of their own</dd>",
		"<dt>Late main steps</dt><dd>2 of 100, at most 1 in a row: there the target was the predicted one</dd>",
		`<td class="name">Main step, µs <span class="doc">from the reading of a main instant until its result was there; the longest where several came at once</span></td><td class="number" data-head="p50">51</td>`,
		"Number of main steps over the time that they took", "due, 1953 µs",
	)
	s.manifest.Test.MainSteps.Late = 0
	rthstest.Contains(t, html(t, s.run(t)), "<dt>Late main steps</dt><dd>none of 100</dd>")
	s.manifest.Test.MainSteps = nil
	if strings.Contains(html(t, s.run(t)), "main step") {
		t.Error("main steps of a test whose loop makes them")
	}
}
