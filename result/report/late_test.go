package report_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/result/record"
)

var lateRow = regexp.MustCompile(
	`<tr><td class="number">([0-9.]+)</td><td class="number">(\d+)</td><td class="number">([0-9.]+)</td><td class="number">(\d+)</td><td>([^<]*)</td></tr>`)

// lateRows are the rows of the table of late ticks.
func lateRows(page string) (out []string) {
	for _, row := range lateRow.FindAllStringSubmatch(page, -1) {
		out = append(out, strings.Join(row[1:], " | "))
	}
	return out
}

// What was done on late ticks, in words, where the rig ticks by itself. A sample is 10 ms.
func TestLateTicks(t *testing.T) {
	limit := func(k int, channel, action string) record.Event {
		return record.Event{TimeS: float64(k) / 100, Channel: channel, Value: 2, Limit: 1, Action: action}
	}
	for name, c := range map[string]struct {
		tick   func(k int, at stamp) stamp // of ticks from 100 on
		ticks  int
		events []record.Event
		want   string
	}{
		"one reading lost": {func(k int, at stamp) stamp { return lost(at, 1) }, 1, nil,
			"1.0000 | 1 | 5200 | 1 | went on with the last reading, 1 sample old; methods learned nothing"},
		"readings lost": {func(k int, at stamp) stamp { return lost(at, k-99) }, 3, nil,
			"1.0000 | 3 | 5200 | 3 | went on with the last reading, 3 samples old; methods learned nothing"},
		"a stall": {func(k int, at stamp) stamp { return at.later(float64(40000 - 10000*(k-100))) }, 3, nil,
			"1.0000 | 3 | 40000 | 0 | the loop had stalled; caught up 3 ticks without waiting"},
		"a short stall": {func(k int, at stamp) stamp { return at.later(10100) }, 1, nil,
			"1.0000 | 1 | 10100 | 0 | the loop had stalled; caught up 1 tick without waiting"},
		"a stall and holds": {func(k int, at stamp) stamp { return held(at.later(20000), 4) }, 1, nil,
			"1.0000 | 1 | 20000 | 0 | the loop had stalled; caught up 1 tick without waiting"},
		"command too late": {func(k int, at stamp) stamp { return held(at, 1) }, 1, nil,
			"1.0000 | 1 | 200 | 0 | the rig held the previous command for one more sample"},
		"much too late": {func(k int, at stamp) stamp { return held(at, float64(k-98)) }, 2, nil,
			"1.0000 | 2 | 200 | 0 | the rig held the previous command for 3 samples more"},
		"no word of it": {func(k int, at stamp) stamp { at.acted, at.late = -1, 1; return at }, 2, nil,
			"1.0000 | 2 | 200 | 0 | the rig did not say which command acted"},
		"the first": {func(k int, at stamp) stamp { at.acted, at.late = 0, 1; return at }, 1, nil,
			"1.0000 | 1 | 200 | 0 | the rig held the previous command for 149 samples more"},
		"not told why": {func(k int, at stamp) stamp { at.late = 1; return at }, 1, nil,
			"1.0000 | 1 | 200 | 0 | the loop had stalled"},
		"behind the reading": {func(k int, at stamp) stamp { at.left = at.due + 12e-3; return at }, 1, nil,
			"1.0000 | 1 | 12000 | 0 | the loop had stalled"},
		"and its next tick": {func(k int, at stamp) stamp {
			if k == 100 {
				at.left = at.due + 22e-3
				return at
			}
			return at.later(12100)
		}, 2, nil, "1.0000 | 2 | 22000 | 0 | the loop had stalled; caught up 1 tick without waiting"},
		"several": {func(k int, at stamp) stamp {
			return []stamp{lost(at, 1), at.later(11000), held(at, 1), lost(at, 2)}[k-100]
		}, 4, nil, "1.0000 | 4 | 11000 | 2 | went on with the last reading, 2 samples old; methods learned nothing; the " +
			"loop had stalled; caught up 1 tick without waiting; the rig held the previous command for one more sample"},
		"the guard": {func(k int, at stamp) stamp { return lost(at, k-99) }, 3,
			[]record.Event{limit(100, "age", "warn"), limit(101, "age", "hold"), limit(102, "age", "ramp"),
				limit(102, "late", "ramp"), limit(103, "late", "stop")},
			"1.0000 | 3 | 5200 | 3 | went on with the last reading, 3 samples old; methods learned nothing; the guard held; " +
				"the guard ramped"},
		"another limit": {func(k int, at stamp) stamp { return lost(at, 1) }, 1,
			[]record.Event{limit(100, "force_N", "ramp"), limit(99, "age", "hold")},
			"1.0000 | 1 | 5200 | 1 | went on with the last reading, 1 sample old; methods learned nothing"},
		"stopped": {func(k int, at stamp) stamp { return lost(at, 1) }, 1, []record.Event{limit(100, "age", "stop")},
			"1.0000 | 1 | 5200 | 1 | went on with the last reading, 1 sample old; methods learned nothing; the guard stopped"},
	} {
		t.Run(name, func(t *testing.T) {
			s := usualTest()
			s.manifest.Events = c.events
			s.stamps = func(k int) stamp {
				if at := punctual(k, 100); k < 100 || k >= 100+c.ticks {
					return at
				} else {
					return c.tick(k, at)
				}
			}
			if rows := lateRows(html(t, s.run(t))); len(rows) != 1 || rows[0] != c.want {
				t.Errorf("rows %q: want %q", rows, c.want)
			}
		})
	}
}

// Where the loop makes the ticks, the instants move by what is beyond the deadline.
func TestLateTicksOfLockstep(t *testing.T) {
	s := usualTest()
	s.manifest.Rig.Clock = "lockstep"
	moved := 0.0
	s.stamps = func(k int) stamp {
		at := punctual(k, 100)
		at.due, at.taken, at.left = at.due+moved, at.taken+moved, at.left+moved
		switch k {
		case 100: // the next tick begins 0.8 ms after the command
			at.left += 15e-3
			moved += 6e-3
		case 200, 201: // an answer that came late
			at.taken, at.left = at.taken+24e-3, at.left+24e-3
			moved += 15e-3
		case 399:
			at.left += 12e-3
		}
		return at
	}
	want := []string{
		"2.0000 | 2 | 24200 | 0 | the loop or the rig had stalled; the instants moved by 30 ms",
		"1.0000 | 1 | 15200 | 0 | the loop had stalled; the instants moved by 6 ms",
		"3.9900 | 1 | 12200 | 0 | the loop had stalled; the instants moved by 2.2 ms", // of the last tick, by what is known
	}
	s.manifest.Test.LateTicks, s.manifest.Test.LongestLate = 4, 2
	page := html(t, s.run(t))
	if rows := lateRows(page); fmt.Sprint(rows) != fmt.Sprint(want) {
		t.Errorf("rows %q: want %q", rows, want)
	}
	rthstest.Contains(t, page, "<dd>4 of 400, at most 2 in a row</dd>") // no reading was old
}

// Of many stretches the latest are shown, and of equal ones those with old readings.
func TestManyLateTicks(t *testing.T) {
	s := usualTest()
	s.stamps = func(k int) stamp {
		at := punctual(k, 100)
		switch {
		case k == 20 || k == 21:
			return lost(at, k-19)
		case k >= 40 && k < 100 && k%2 == 0:
			return lost(at, 1)
		case k == 200:
			return at.later(30000)
		case k == 300:
			return held(at, 1)
		}
		return at
	}
	page := html(t, s.run(t))
	rows := lateRows(page)
	if len(rows) != 20 {
		t.Fatalf("%d rows: want 20", len(rows))
	}
	for i, want := range []string{"2.0000 | 1 | 30000 | 0 | ", "0.2000 | 2 | 5200 | 2 | ", "0.4000 | 1 | 5200 | 1 | ",
		"0.4200 | 1 | 5200 | 1 | "} {
		if !strings.HasPrefix(rows[i], want) {
			t.Errorf("row %d: %q: want %q", i, rows[i], want)
		}
	}
	rthstest.Contains(t, page, "<h3>What was done on late ticks</h3>", "13 more, none later than 5200 µs.")

	s.stamps = func(k int) stamp { return punctual(k, 100) }
	missing(t, html(t, s.run(t)), "What was done on late ticks", " more, none later than")
}
