package session

import (
	"testing"

	"rths/kit/rthstest"
	"rths/result/record"
	"rths/scenario"
)

// A tick is late if the loop has called it so, or if its command left after the instant of the next tick.
func TestLateness(t *testing.T) {
	at := map[string]int{"due_at_s": 0, "late": 1, "left_at_s": 2}
	rows := [][]float64{
		{1, 0, 1.001}, {1, 1, 1.001}, {1, 0, 1.006}, {1, 1, 1.2}, {1, 0, 1.0049}, {1, 0, 1.3},
	}
	test := &record.Test{LateTicks: 99, LongestLate: 99} // of a recovery before
	l := newLateness(test, at, 200)
	for _, row := range rows {
		l.see(row)
	}
	if test.LateTicks != 4 || test.LongestLate != 3 {
		t.Errorf("%d late ticks, %d in a row: want 4, 3", test.LateTicks, test.LongestLate)
	}
}

// Main steps are counted at their instants: the late ones, the most of them in a row, and how long each result took.
// None is counted after the one that has ended the test.
func TestMainSteps(t *testing.T) {
	s := rthstest.Must(scenarioOf(small))
	// four samples, and four results may be missing
	s.TwoRate = rthstest.Must(scenario.Parse("quick", []byte(quick), ".", separate)).TwoRate
	at := map[string]int{"main_results": 0, "main_missing": 1, "main_took_us": 2}
	test := new(record.Test)
	m := newMainSteps(test, at, s)
	for k, c := range []struct {
		missing float64 // at the main instant
		steps   int
		late    int
		longest int
	}{{9, 0, 0, 0}, {0, 1, 0, 0}, {1, 2, 1, 1}, {2, 3, 2, 2}, {0, 4, 2, 2}, {3, 5, 3, 2}, {4, 6, 4, 2}, {5, 7, 5, 3},
		{0, 7, 5, 3}} {
		m.see([]float64{float64(k), c.missing, 250})
		if of := test.MainSteps; of.Steps != c.steps || of.Late != c.late || of.LongestLate != c.longest {
			t.Errorf("main instant %d: %+v: want %d steps, %d late, %d in a row", k, of, c.steps, c.late, c.longest)
		}
		for range 3 { // between main instants nothing is late
			m.see([]float64{float64(k), 9, 1e6})
		}
	}
	m.end()
	if of := test.MainSteps; of.Took.Count != 8 || of.Took.MaxUs < 240 || of.Took.MaxUs > 260 || of.PeriodUs != 4e6/256 {
		t.Errorf("%+v: want 8 results that took 250 µs, every 15625 µs", of)
	}
	m = newMainSteps(test, at, rthstest.Must(scenarioOf(small)))
	m.see(nil)
	if m.end(); test.MainSteps != nil {
		t.Errorf("main steps in the loop itself: %+v", test.MainSteps)
	}
}

// quick is a test of a quarter of a second on the virtual rig in the loop's process.
var quick = rthstest.TwoStoreys(0.25, "{kind: udp, clock: lockstep, watchdog_ms: 1500, supervisor_silent_s: 60}")

const quickSamples = 65 // with the one at 0
