package session

import (
	"testing"

	"rths/record"
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
	delete(at, "due_at_s") // a record of an older version
	l = newLateness(test, at, 200)
	for _, row := range rows {
		l.see(row)
	}
	if test.LateTicks != 2 || test.LongestLate != 1 {
		t.Errorf("%d late ticks, %d in a row: want 2, 1", test.LateTicks, test.LongestLate)
	}
}
