package session

import (
	"sync/atomic"

	"rths/lab/realtime"
	"rths/result/record"
)

// lateness counts the late ticks of a test: all, and the most in a row.
type lateness struct {
	test            *record.Test
	late, due, left int     // places in a row
	period          float64 // s
	row             int     // late ticks in a row
}

func newLateness(t *record.Test, at map[string]int, rateHz float64) lateness {
	t.LateTicks, t.LongestLate = 0, 0
	return lateness{test: t, late: at["late"], due: at["due_at_s"], left: at["left_at_s"], period: 1 / rateHz}
}

// see takes the next tick of the run. It is late if the loop has called it so, or if its command left
// after the instant of the next tick.
func (l *lateness) see(row []float64) {
	if row[l.late] == 0 && row[l.left]-row[l.due] <= l.period {
		l.row = 0
		return
	}
	l.row++
	l.test.LateTicks++
	l.test.LongestLate = max(l.test.LongestLate, l.row)
}

// timingOf are the counts of a loop.
func timingOf(counters []atomic.Uint64) realtime.Timing { return realtime.NewTicks(counters).Timing() }
