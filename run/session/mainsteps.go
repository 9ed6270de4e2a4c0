package session

import (
	"math"
	"sync/atomic"

	"rths/lab/realtime"
	"rths/result/record"
	"rths/scenario"
)

// mainSteps counts how a numerical part in a process of its own kept its instants.
type mainSteps struct {
	of                     *record.MainSteps // nil: it has none
	results, missing, took int               // places in a row
	steps, allowed         int               // samples in a main step; results that may be missing
	ticks                  int
	before                 float64 // results that had come by the row before
	row                    int     // late main instants in a row
	failed                 bool    // more were missing: nothing is asked for any more
	times                  realtime.Histogram
}

// newMainSteps counts into a test of a scenario.
func newMainSteps(t *record.Test, at map[string]int, s *scenario.Scenario) mainSteps {
	t.MainSteps = nil
	if !s.Separate() {
		return mainSteps{}
	}
	steps := s.TwoRate.MainStep
	t.MainSteps = &record.MainSteps{PeriodUs: float64(steps) * 1e6 / s.RateHz}
	return mainSteps{
		of: t.MainSteps, results: at["main_results"], missing: at["main_missing"], took: at["main_took_us"], steps: steps,
		allowed: s.LateMainSteps(),
		times:   realtime.NewHistogram(make([]atomic.Uint64, realtime.HistogramWords)),
	}
}

// see takes the next tick of the run.
func (m *mainSteps) see(row []float64) {
	if m.of == nil {
		return
	}
	if now := row[m.results]; now > m.before {
		m.before = now
		m.times.Add(int64(math.Round(1e3 * row[m.took])))
	}
	if m.ticks++; m.ticks == 1 || (m.ticks-1)%m.steps != 0 || m.failed {
		return
	}
	m.of.Steps++
	if row[m.missing] == 0 {
		m.row = 0
		return
	}
	m.row++
	m.of.Late++
	m.of.LongestLate = max(m.of.LongestLate, m.row)
	m.failed = int(row[m.missing]) > m.allowed
}

// end puts the times into the test.
func (m *mainSteps) end() {
	if m.of != nil {
		m.of.Took = m.times.Distribution()
	}
}
