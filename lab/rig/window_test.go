package rig

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"rths"
	"rths/kit/rthstest"
)

// windowed ramps when more than most of the last within ticks were late.
func windowed(most, within int) GuardConfig {
	c := GuardConfig{RateHz: 1000, Axes: 1, Forces: 1, Profile: slow, HoldS: 1}
	c.Late.Most, c.Late.Within = most, within
	return c
}

// oddly is a tick, or a StepAlone, whose reading is in time or late in one of the ways there are.
func (l *lab) oddly(what, how string) {
	l.rig.late = how == "late" || how == "late and old"
	d := deed{What: what, U: [2]float64{0.03}, Fails: how, Age: 3}
	if how == "late and old" {
		d.Fails = "old"
	}
	l.do(d)
	l.rig.late = false
}

// of are the events of a channel in words.
func of(g *Guard, channel string) string {
	out := ""
	for _, e := range g.Events() {
		if e.Channel == channel {
			out += fmt.Sprintf("%g of %g %s at %d; ", e.Value, e.Limit, e.Action, e.K)
		}
	}
	return out
}

// Whichever ticks are late, in the loop and in StepAlone, the guard ramps in the tick in which more than most
// of the last within ticks were late, counted one by one, and says so once. The policy on the age acts
// beside the window as it does alone.
func TestLateTicksInAWindow(t *testing.T) {
	tripped := 0
	rapid.Check(t, func(t *rapid.T) {
		within := rapid.SampledFrom([]int{2, 5, 31, 32, 33, 64, 100}).Draw(t, "within")
		c := windowed(rapid.IntRange(1, within-1).Draw(t, "most"), within)
		c.Late.HoldAfter, c.Late.RampAfter = rapid.SampledFrom([]int{0, 2, 5}).Draw(t, "hold after"),
			rapid.SampledFrom([]int{0, 9}).Draw(t, "ramp after")
		without := c
		without.Late.Most, without.Late.Within = 0, 0
		l, alone := newLab(t, c, 1, 1), newLab(t, without, 1, 1)
		for _, l := range []*lab{l, alone} { // far from the goal of a ramp, which then takes longer than the test
			l.rig.x[0], l.rig.u[0] = 0.03, 0.03
			if err := errors.Join(l.g.StartAt(&rths.Reading{Motion: rths.Motion{X: l.rig.x}, F: make([]float64, 1)}),
				l.g.Arm()); err != nil {
				t.Fatal(err)
			}
		}
		what, hows := "tick", []string{"old", "late", "late and old"}
		if rapid.Bool().Draw(t, "by StepAlone") {
			what, hows = "tend", append(hows, "read")
		}
		share := rapid.Float64Range(0, 1).Draw(t, "share of late ticks")
		var flags []bool
		want := ""
		for k := range rapid.IntRange(1, 250).Draw(t, "ticks") {
			how := ""
			if k > 0 && rapid.Float64Range(0, 1).Draw(t, "late") < share {
				how = rapid.SampledFrom(hows).Draw(t, "how")
			}
			for _, l := range []*lab{l, alone} {
				if k == 0 {
					l.oddly("tick", "") // later every StepAlone is a tick
				} else {
					l.oddly(what, how)
				}
			}
			flags = append(flags, how != "")
			count := 0
			for _, late := range flags[max(0, len(flags)-within):] {
				if late {
					count++
				}
			}
			if want == "" && count > c.Late.Most {
				want = fmt.Sprintf("%d of %d ramp at %d; ", count, c.Late.Most, k)
				tripped++
			}
			if got := of(l.g, "late"); got != want || l.g.watch.window.late != float64(count) {
				t.Fatalf("tick %d: %g late ticks, events %q: want %d and %q", k, l.g.watch.window.late, got, count, want)
			}
			if state := l.g.State(); want != "" && state != Ramping || want == "" && state != alone.g.State() {
				t.Fatalf("tick %d: %s, events %s: without the window %s", k, state, told(l.g), alone.g.State())
			}
			if got, want := of(l.g, "age"), of(alone.g, "age"); got != want {
				t.Fatalf("tick %d: events of the age %s: want %s", k, got, want)
			}
		}
	})
	if tripped == 0 {
		t.Error("no guard ramps: want some")
	}
}

// Every second tick is late: no row of late ticks says so, the window does, in the fourth late tick. With
// every third one nothing acts, however long.
func TestWindowSeesWhatTheAgeDoesNot(t *testing.T) {
	for every, want := range map[int]string{2: "late 4 of 3 ramp at 7; ", 3: ""} {
		c := windowed(3, 8)
		c.Late.HoldAfter, c.Late.RampAfter = 1, 2
		l := one(t, c)
		l.arms(t)
		for k := range 600 {
			how := ""
			if k%every == every-1 {
				how = "late"
			}
			if l.oddly("tick", how); l.end != nil {
				break
			}
		}
		if told(l.g) != want {
			t.Errorf("one late tick in %d: %s: want %q", every, told(l.g), want)
		}
		if want != "" {
			rthstest.WantError(t, l.end, "tripped at t = 0.0070 s: late is 4, limit 3: command ramped at t = ")
		}
	}
}

// A silent rig counts outside the loop, on a guard that is armed: the command stays at its goal and the guard
// ramps. The guard at rest counts without acting, and Arm forgets that.
func TestWindowOutsideTheLoop(t *testing.T) {
	l := one(t, windowed(3, 8))
	l.meets(t, 0.01)
	for range 20 {
		l.do(deed{What: "tend", Fails: "read"})
	}
	if l.arms(t); l.g.State() != Armed || told(l.g) != "" {
		t.Fatalf("%s, %s: want a guard at rest to act on nothing", l.g.State(), told(l.g))
	}
	for n := range 4 {
		if l.do(deed{What: "tend"}); l.g.State() != Armed {
			t.Fatalf("%s after %d readings that failed: want it armed up to three", l.g.State(), n)
		}
		l.do(deed{What: "tend", Fails: "read"})
	}
	if l.g.State() != Ramping || of(l.g, "late") != "4 of 3 ramp at 0; " {
		t.Errorf("%s, %s: want a ramp", l.g.State(), told(l.g))
	}
}

// StartAt, Arm and Reset begin the count anew: three late ticks before them and three after do not ramp, four do.
func TestWindowBeginsAnew(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	retires := func(l *lab) { must(l.g.Finish()) }
	for name, c := range map[string]struct{ before, anew, behind func(l *lab) }{
		"Arm": {before: retires, anew: func(l *lab) { must(l.g.Arm()) }, behind: func(*lab) {}},
		"StartAt": {before: retires, anew: func(l *lab) { l.tends(t, 0); l.meets(t, 0) },
			behind: func(l *lab) { must(l.g.Approach([]float64{0.01})) }},
		"Reset": {before: func(l *lab) { l.g.Trip(Operator, 1, 0, Stop); l.tends(t, 1) },
			anew: func(l *lab) { must(l.g.Reset()) }, behind: func(l *lab) { must(l.g.Approach([]float64{0.01})) }},
	} {
		l := one(t, windowed(3, 50))
		l.arms(t)
		l.ticks(t, 1, 0)
		late := func(n int) {
			for range n {
				l.oddly("tend", "late")
			}
		}
		late(3)
		c.before(l)
		if l.g.watch.window.late != 3 {
			t.Fatalf("%s: %g late ticks before: want 3", name, l.g.watch.window.late)
		}
		c.anew(l)
		if !reflect.DeepEqual(l.g.watch.window, newWindow(50)) {
			t.Errorf("%s: the window is %+v: want a new one", name, l.g.watch.window)
		}
		c.behind(l)
		if late(3); of(l.g, "late") != "" {
			t.Errorf("%s: %s after three late ticks: want a new count", name, told(l.g))
		}
		if late(1); !strings.HasPrefix(of(l.g, "late"), "4 of 3 ramp") || l.g.State() != Ramping {
			t.Errorf("%s: %s, %s after four late ticks: want a ramp", name, told(l.g), l.g.State())
		}
	}
}

// A guard resumed amid late ticks has its window: it ramps in the same tick, and the late ticks leave the window
// as they would have done. A guard that had others forgets them.
func TestWindowResumes(t *testing.T) {
	for _, within := range []int{40, 32} {
		a, b := newSolo(t, windowed(5, within)), newSolo(t, windowed(5, within))
		age := func(k int) int { // up to five late ticks in a window, later ten
			if k%8 == 7 || k > 150 && k%4 == 3 {
				return 1
			}
			return 0
		}
		for k := range 300 {
			if errors.Join(a.tick(0, 0, 0.03, age(k), false)) != nil || k > 0 && b.tick(0, 0, 0.03, age(k), false) != nil {
				break
			}
			state := rths.AppendState(nil, a.o)
			if k > 0 && (b.g.watch.window.late != a.g.watch.window.late || told(b.g) != told(a.g)) {
				t.Fatalf("tick %d: resumed with %g late ticks, %s: want %g, %s", k, b.g.watch.window.late, told(b.g),
					a.g.watch.window.late, told(a.g))
			}
			b = newSolo(t, windowed(5, within))
			for range 3 {
				_ = b.tick(0, 0, 0, 1, false)
			}
			b.f.K, b.g.latch.events = a.f.K, append(b.g.latch.events[:0], a.g.latch.events...)
			if rest := rths.SetState(append(state, 42), b.o); len(rest) != 1 || rest[0] != 42 {
				t.Fatalf("%v are left of the state: want 42", rest)
			}
		}
		if got := of(a.g, "late"); !strings.HasPrefix(got, "6 of 5 ramp at 1") {
			t.Errorf("events %s: want a ramp after tick 150", got)
		}
	}
	// A guard without the window has no state of it.
	with, without := newSolo(t, windowed(5, 64)), newSolo(t, windowed(0, 0))
	if n := len(rths.AppendState(nil, with.o)) - len(rths.AppendState(nil, without.o)); n != 2+2+2 {
		t.Errorf("the state of a window of 64 ticks has %d numbers: want 6: count, place, 2 words, and the latch of "+
			"its limit", n)
	}
}

// What is wrong with the window is said, with the bounds allowed; and its ramp must be possible.
func TestWindowsThatCannotBe(t *testing.T) {
	for _, c := range []struct {
		most, within int
		want         string
	}{
		{0, 0, ""}, {1, 2, ""}, {LongestWindow - 1, LongestWindow, ""},
		{0, 5, "guard: ramp above 0 late ticks of the last 5: want at least 1, of more ticks than these and at most " +
			"1000000, or 0 of 0 (never)"},
		{5, 0, "ramp above 5 late ticks of the last 0: want"}, {5, 5, "ramp above 5 late ticks of the last 5: want"},
		{-1, 5, "ramp above -1 late"},
		{0, -5, "of the last -5"}, {-6, -5, "of the last -5"}, {5, LongestWindow + 1, "of the last 1000001"},
	} {
		_, err := NewGuard(&mirror{}, windowed(c.most, c.within))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%d of %d: %v: want %q", c.most, c.within, err, c.want)
		}
	}
	c := windowed(1, 2)
	c.Limits = []Limit{{Channel: "velocity_m_s", Trip: 0.05, Action: Hold}}
	_, err := NewGuard(&mirror{}, c)
	rthstest.WantError(t, err, "above the limit 0.05 of velocity_m_s, which it would cross itself")
}

// Nothing is allocated while late ticks enter and leave the window, nor when it ramps and begins anew.
func TestWindowAllocatesNothing(t *testing.T) {
	m := &mirror{}
	k := newTicker(t, m, windowed(5, 30))
	o, f := k.g.Observer(), &k.f
	tick := func(late bool) {
		f.K++
		_ = k.g.Read(&f.Read)
		f.Read.Late = late
		_ = k.g.Write(f.Command)
		o.Observe(f)
	}
	n := 0
	rthstest.NoAllocation(t, func() {
		n++
		f.Read.Late = n%3 == 0
		switch k.g.State() {
		case Disarmed:
			_ = k.g.Arm()
		case Tripped:
			_ = k.g.Reset()
		case Ramping:
			k.g.StepAlone(&f.Read)
		default:
			tick(n%40 < 10)
			k.g.StepAlone(&f.Read)
		}
	})
	if of(k.g, "late") == "" {
		t.Error("nothing ramps: want it to")
	}
}

// What the window costs a tick: no tick is late, one in ten is.
func BenchmarkGuardWindow(b *testing.B) {
	for name, every := range map[string]int{"none late": 0, "one in ten late": 10} {
		b.Run(name, func(b *testing.B) {
			g, err := NewGuard(&mirror{}, windowed(999, 1000))
			if err != nil || g.Arm() != nil {
				b.Fatal(err)
			}
			o := g.Observer()
			f := rths.Frame{Read: rths.NewReading(1, 1), Desired: make([]float64, 1), Command: make([]float64, 1)}
			for b.Loop() {
				f.K++
				_ = g.Read(&f.Read)
				f.Read.Late = every > 0 && f.K%every == 0
				_ = g.Write(f.Command)
				o.Observe(&f)
			}
		})
	}
}
