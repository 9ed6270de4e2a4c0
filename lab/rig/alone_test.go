package rig

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
)

// one is a guard of one axis at 1000 Hz around an actuator that follows at once.
func one(t *testing.T, c GuardConfig) *lab {
	t.Helper()
	c.RateHz, c.Axes, c.Forces = 1000, 1, 1
	if c.Profile.Velocity == 0 {
		c.Profile = slow
	}
	return newLab(t, c, 1, 1)
}

// meets puts the actuator at x (m) and lets the guard meet it there.
func (l *lab) meets(t *testing.T, x float64) {
	t.Helper()
	for i := range l.rig.x {
		l.rig.x[i], l.rig.u[i] = x, x
	}
	if err := l.g.StartAt(&rths.Reading{Motion: rths.Motion{X: l.rig.x}, F: make([]float64, len(l.rig.x))}); err != nil {
		t.Fatal(err)
	}
}

// tends calls StepAlone until it says done, and returns the number of samples.
func (l *lab) tends(t *testing.T, most int) (n int) {
	t.Helper()
	for l.do(deed{What: "tend"}); !l.done; l.do(deed{What: "tend"}) {
		if n++; n > most {
			t.Fatalf("%s, not done after %d samples", l.g.State(), n)
		}
	}
	return n
}

// ticks runs the loop with one command.
func (l *lab) ticks(t *testing.T, n int, u float64) {
	t.Helper()
	for range n {
		if l.do(deed{What: "tick", U: [2]float64{u, u}}); l.end != nil {
			t.Fatal(l.end)
		}
	}
}

func (l *lab) arms(t *testing.T) {
	t.Helper()
	if err := l.g.Arm(); err != nil {
		t.Fatal(err)
	}
}

// A rig that stands at 30 mm is met there, stays there, and is brought to the first command
// at 10 mm in the time of the profile, from rest to rest within its velocity and
// acceleration, and within the rate. The loop begins there, and nothing trips.
func TestBroughtToTheFirstCommand(t *testing.T) {
	l := one(t, GuardConfig{Rate: 0.3, Stroke: 0.05,
		Limits: []Limit{{Channel: "velocity_m_s", Trip: 0.2, Action: Hold},
			{Channel: "measured_m", Trip: 0.04, Action: Ramp}}})
	l.meets(t, 0.030)
	for range 3 {
		if l.do(deed{What: "tend"}); !l.done || l.rig.u[0] != 0.030 {
			t.Fatalf("nothing is asked for: done %t, at %g m: want the 0.030 m that were measured", l.done, l.rig.u[0])
		}
	}
	l.rig.sent = nil
	if err := l.g.Approach([]float64{0.010}); err != nil {
		t.Fatal(err)
	}
	n := l.tends(t, 1000)
	rthstest.Near(t, "time of the approach, s", float64(n)/1000, slow.Duration(0.020), 0.004)
	x, v := 0.030, 0.0
	for k, u := range l.rig.sent {
		now := (u[0] - x) * 1000
		if math.Abs(now) > slow.Velocity*(1+1e-9) || math.Abs(now-v) > slow.Acceleration/1000*(1+1e-6) {
			t.Fatalf("sample %d: %g m/s after %g m/s: want at most 0.1 m/s and 1 m/s²", k, now, v)
		}
		x, v = u[0], now
	}
	if x != 0.010 {
		t.Errorf("brought to %g m: want 0.010", x)
	}
	l.arms(t)
	l.do(deed{What: "tend"})
	l.ticks(t, 20, 0.0101)
	if l.rig.u[0] != 0.0101 || l.g.State() != Running || len(l.g.Events()) != 0 {
		t.Errorf("at %g m, %s, %s: want the loop's 0.0101 m and no event", l.rig.u[0], l.g.State(), told(l.g))
	}
}

// A guard that is armed can be brought somewhere too, and to a second position on its way to
// the first one.
func TestApproachAnotherPositionOnTheWay(t *testing.T) {
	l := one(t, GuardConfig{Stroke: 0.05})
	l.meets(t, 0)
	l.arms(t)
	for _, goal := range []float64{0.05, -0.01} {
		if err := l.g.Approach([]float64{goal}); err != nil {
			t.Fatal(err)
		}
		for range 200 {
			l.do(deed{What: "tend"})
		}
		if l.done {
			t.Fatalf("done on the way to %g m", goal)
		}
	}
	if l.tends(t, 2000); l.rig.u[0] != -0.01 || l.g.State() != Armed {
		t.Errorf("at %g m, %s: want -0.01 m, armed", l.rig.u[0], l.g.State())
	}
}

// Before it has met the rig, or where it stands beyond the stroke, a guard says where it
// wants the command; what cannot be met or approached is refused, and changes nothing.
func TestWhatCannotBeAskedFor(t *testing.T) {
	nan := math.NaN()
	reading := func(x, f []float64) *rths.Reading { return &rths.Reading{Motion: rths.Motion{X: x}, F: f} }
	l := one(t, GuardConfig{Stroke: 0.02})
	for want, err := range map[string]error{
		"reading of 2 displacements and 1 forces: want 1 and 1": l.g.StartAt(reading([]float64{0, 0}, []float64{0})),
		"reading of 1 displacements and 0 forces: want 1 and 1": l.g.StartAt(reading([]float64{0}, nil)),
		"whose value 1 is NaN: want finite numbers":             l.g.StartAt(reading([]float64{nan}, []float64{0})),
		"whose value 1 is +Inf: want finite numbers": l.g.StartAt(reading([]float64{0},
			[]float64{math.Inf(1)})),
		"a position of 0 axes: want 1":                                 l.g.Approach(nil),
		"approaches 0.03 m on axis 1: want at most the stroke, 0.02":   l.g.Approach([]float64{0.03}),
		"approaches NaN m on axis 1":                                   l.g.Approach([]float64{nan}),
		"guard is disarmed: want it running or armed to finish":        l.g.Finish(),
		"guard does not know where the rig stands: want StartAt, or a": l.g.Approach([]float64{0.01}),
	} {
		rthstest.WantError(t, err, want)
	}
	l.meets(t, 0.021)
	if l.do(deed{What: "tend"}); !l.done || l.rig.u[0] != 0.02 {
		t.Errorf("met beyond the stroke: %g m: want its end, 0.02 m", l.rig.u[0])
	}
	l.arms(t)
	rthstest.WantError(t, l.g.StartAt(&l.out), "guard is armed: want it disarmed to start at the rig")
	l.ticks(t, 1, 0.02)
	rthstest.WantError(t, l.g.StartAt(&l.out), "guard is running: want it disarmed to start at the rig")
	rthstest.WantError(t, l.g.Approach([]float64{0}), "guard is running: want it disarmed or armed to approach a position")
	for _, action := range []Action{Hold, Ramp} {
		l.g.Trip(Operator, 1, 0, action)
		rthstest.WantError(t, l.g.Finish(), "guard is "+l.g.State().String()+": want it running or armed to finish")
	}
	l.tends(t, 10_000)
	rthstest.WantError(t, l.g.Finish(), "guard is tripped: want it running or armed to finish")
	l = one(t, GuardConfig{})
	l.arms(t)
	rthstest.WantError(t, l.g.Finish(), "guard does not know where the rig stands")
	l = one(t, GuardConfig{})
	l.meets(t, 0)
	if err := l.g.Approach([]float64{0.01}); err != nil {
		t.Fatal(err)
	}
	l.do(deed{What: "tend"})
	rthstest.WantError(t, l.g.StartAt(&l.out), "guard moves the command: want it at rest to start at the rig")
	l.tends(t, 1000)
	l.meets(t, 0.01)
}

// Finish goes from the command, from rest, to zero or to the last safe position. There is no trip and no event, no
// command of the loop passes, and the guard serves the next run, whose limits act afresh.
func TestRetire(t *testing.T) {
	for _, safe := range []bool{false, true} {
		p := slow
		p.ToSafe = safe
		l := one(t, GuardConfig{Profile: p, Stroke: 0.05,
			Limits: []Limit{{Channel: "measured_m", Warn: 0.012, Trip: 0.04, Action: Hold}}})
		l.rig.gain = 0.9
		l.meets(t, 0)
		l.arms(t)
		for k := range 100 { // up to 18 mm, of which 16.2 mm are measured
			l.ticks(t, 1, 0.018*float64(k)/99)
		}
		l.ticks(t, 5, 0.018)
		if err := l.g.Finish(); err != nil || l.g.State() != Disarmed {
			t.Fatalf("%v, %s", err, l.g.State())
		}
		n := len(l.rig.sent)
		if l.do(deed{What: "tick"}); l.end == nil || len(l.rig.sent) != n {
			t.Error("a command passed a guard that has retired")
		}
		l.tends(t, 5000)
		first, goal := l.rig.sent[n][0], 0.0
		rthstest.Near(t, "first step, m", 0.018-first, slow.Acceleration*1e-6, 1e-12)
		if safe {
			goal = l.g.mover.safe[0] // below the level of the warning
		}
		if got := l.rig.u[0]; got != goal || safe && !(got > 0.011 && got <= 0.012) {
			t.Errorf("to safe %t: ends at %g m: want %g m", safe, got, goal)
		}
		if e := told(l.g); strings.Count(e, ";") != 1 || !strings.Contains(e, "warn") || l.g.Unfinished() != nil {
			t.Errorf("events %s, %v: want the warning of the run alone", e, l.g.Unfinished())
		}
		l.arms(t)
		if l.ticks(t, 5, 0.02); l.rig.u[0] != 0.02 || len(l.g.Events()) != 2 {
			t.Errorf("the next run is at %g m, events %s: want 0.02 m, and its own warning", l.rig.u[0], told(l.g))
		}
	}
}

// Of each action the first Trip counts, whatever channel a later one names; a milder one
// makes its event and changes nothing; a harder one takes over; the first that acts is the
// cause. An operator's word to look makes an event only.
func TestTripsOneAfterAnother(t *testing.T) {
	l := one(t, GuardConfig{HoldS: 10})
	l.arms(t)
	l.ticks(t, 10, 0.001)
	for _, c := range []struct {
		cause  Cause
		action Action
		want   State
		events int
	}{
		{Operator, Indicate, Running, 1}, {SupervisorSilent, Indicate, Running, 1}, {RecordFailed, Hold, Holding, 2},
		{Watchdog, Hold, Holding, 2},
		{Watchdog, Ramp, Ramping, 3}, {Operator, Ramp, Ramping, 3}, {Operator, Stop, Holding, 4},
		{RecordFailed, Stop, Holding, 4},
	} {
		l.g.Trip(c.cause, 12, 10, c.action)
		l.do(deed{What: "tend"})
		if c.action == Stop { // where the ramp is: done with the next sample
			c.want = Tripped
		}
		if l.g.State() != c.want || len(l.g.Events()) != c.events {
			t.Errorf("%s of %s: %s, %s: want %s and %d events", c.action, c.cause, l.g.State(), told(l.g), c.want, c.events)
		}
	}
	if want := "operator 12 of 10 indicate at 10; record 12 of 10 hold at 12; watchdog_s 12 of 10 ramp at 14; operator " +
		"12 of 10 stop at 16; "; told(l.g) != want {
		t.Errorf("events %s: want %s", told(l.g), want)
	}
	rthstest.WantError(t, l.g.Unfinished(),
		"tripped at t = 0.0120 s: record is 12, limit 10: command stopped at t = 0.0160 s")
	if err := l.g.Reset(); err != nil || l.g.Unfinished() != nil {
		t.Fatalf("%v, %v after a reset", err, l.g.Unfinished())
	}
	if l.g.Trip(RecordFailed, 1, 0, Hold); l.g.State() != Holding || len(l.g.Events()) != 5 {
		t.Errorf("after a reset: %s, %s: want the trip to act again", l.g.State(), told(l.g))
	}
}

// Before the first tick a trip stays where the command stands, or ramps from there; the tick
// number stays. In the middle of an approach the guard brakes by the profile.
func TestTripBeforeTheFirstTick(t *testing.T) {
	for _, armed := range []bool{false, true} {
		for _, action := range []Action{Hold, Ramp, Stop} {
			l := one(t, GuardConfig{HoldS: 0.02})
			l.rig.gain = 0.9 // what is measured is not where the command stands
			l.meets(t, 0.02)
			if armed {
				l.arms(t)
			}
			if err := l.g.Approach([]float64{0.03}); err != nil {
				t.Fatal(err)
			}
			for range 50 {
				l.do(deed{What: "tend"})
			}
			at, speed := l.rig.u[0], slow.Acceleration*0.050
			l.g.Trip(Operator, 1, 0, action)
			l.do(deed{What: "tend"})
			if now := (l.rig.u[0] - at) * 1000; math.Abs(now-speed) > slow.Acceleration/1000*(1+1e-6) {
				t.Errorf("%s before the run: %g m/s after %g m/s", action, now, speed)
			}
			n := l.tends(t, 5000)
			rest := at + 49*speed/1000/2 // it comes down by a fiftieth with each sample
			if want := map[Action]float64{Hold: rest, Ramp: 0, Stop: rest}[action]; math.Abs(l.rig.u[0]-want) > 1e-12 ||
				l.g.State() != Tripped {
				t.Errorf("%s before the run ends at %g m, %s: want %g m", action, l.rig.u[0], l.g.State(), want)
			}
			if action != Ramp && n != 48 { // and the two with which it began and ended
				t.Errorf("%s after %d samples: want 48 to brake, longer than the hold", action, n)
			}
			if e := l.g.Events(); len(e) != 1 || e[0].K != 0 {
				t.Errorf("events %s: want one, before the first tick", told(l.g))
			}
		}
	}
}

// A running guard whose loop has gone holds the last command, and its ticks go on.
func TestLoopThatHasGone(t *testing.T) {
	l := one(t, GuardConfig{HoldS: 0.005})
	l.arms(t)
	l.ticks(t, 8, 0.004) // 0 to 7
	for range 20 {       // 8 to 27
		if l.do(deed{What: "tend"}); !l.done || l.g.State() != Running || l.rig.u[0] != 0.004 {
			t.Fatalf("done %t, %s, at %g m: want the last command held", l.done, l.g.State(), l.rig.u[0])
		}
	}
	l.g.Trip(SupervisorSilent, 3, 2, Hold)
	l.tends(t, 100)
	rthstest.WantError(t, l.g.Unfinished(),
		"tripped at t = 0.0280 s: supervisor_silent is 3, limit 2: command held at t = 0.0320 s")
	l.do(deed{What: "tick", U: [2]float64{1, 1}})
	rthstest.WantError(t, l.end, "held at t = 0.0320 s")
	for range 5 {
		if l.do(deed{What: "tend"}); !l.done || l.rig.u[0] != 0.004 {
			t.Errorf("tripped, done %t, at %g m: want 0.004 m for ever", l.done, l.rig.u[0])
		}
	}
}

// Readings that fail are repeated and grow older from the age that they had. A fresh one is
// valid again though the actuator has moved on in the meantime, as far as it can.
func TestReadingsThatFailInTend(t *testing.T) {
	l := one(t, GuardConfig{Rate: 1, HoldS: 0.001})
	l.meets(t, 0.001)
	if l.do(deed{What: "tend", Fails: "old", Age: 4}); l.out.Age != 4 {
		t.Fatalf("age %d: want the rig's", l.out.Age)
	}
	for i := range 10 {
		l.do(deed{What: "tend", Fails: "read"})
		if l.out.X[0] != 0.001 || l.out.F[0] != 100 || l.out.Age != 5+i {
			t.Fatalf("%+v: want 0.001 m, 100 N and an age of %d", l.out, 5+i)
		}
	}
	l.rig.x[0], l.rig.u[0] = 0.010, 0.010
	if l.do(deed{What: "tend"}); l.out.Age != 0 || l.g.valid.last[0] != 0.010 {
		t.Errorf("age %d, the last valid position is %g m: want a fresh one, 0.010 m", l.out.Age, l.g.valid.last[0])
	}
}

// Limits act in StepAlone on the way, armed or not: on what is measured, not on the target's error.
func TestLimitsInTend(t *testing.T) {
	for _, c := range []struct {
		channel string
		armed   bool
		want    State
	}{
		{"measured_m", true, Tripped}, {"force_N", true, Tripped}, {"velocity_m_s", true, Tripped}, {"error_m", true, Armed},
		{"measured_m", false, Tripped}, {"force_N", false, Tripped}, {"velocity_m_s", false, Tripped},
		{"error_m", false, Disarmed},
	} {
		trip := map[string]float64{"measured_m": 0.02, "force_N": 2000, "velocity_m_s": 0.05, "error_m": 1e-9}[c.channel]
		l := one(t, GuardConfig{HoldS: 0.01, Limits: []Limit{{Channel: c.channel, Trip: trip, Action: Hold}}})
		l.meets(t, 0)
		if c.armed {
			l.arms(t)
		}
		if err := l.g.Approach([]float64{0.03}); err != nil {
			t.Fatal(err)
		}
		l.tends(t, 5000)
		if l.g.State() != c.want || (len(l.g.Events()) > 0) != (c.want == Tripped) {
			t.Errorf("%s, armed %t: %s, %s: want %s", c.channel, c.armed, l.g.State(), told(l.g), c.want)
		}
		if brake := slow.Velocity * slow.Velocity / 2 / slow.Acceleration; c.channel == "measured_m" &&
			math.Abs(l.rig.u[0]-0.02-brake) > 2e-4 {
			t.Errorf("held at %g m: want the level, 0.02 m, and the way to brake, %g m", l.rig.u[0], brake)
		}
	}
}

// Old readings: above HoldAfter samples of age the guard holds, above RampAfter it ramps,
// and a hold that lasts trips. A limit of the user's on age acts beside them.
func TestOldReadings(t *testing.T) {
	for name, c := range map[string]struct {
		hold, ramp int
		limits     []Limit
		ages       []int
		want       []State
		events     string
	}{
		"never": {ages: []int{50}, want: []State{Running}},
		"hold":  {hold: 3, ages: []int{3, 4}, want: []State{Running, Holding}, events: "age 4 of 3 hold at 1; "},
		"ramp":  {ramp: 3, ages: []int{3, 4}, want: []State{Running, Ramping}, events: "age 4 of 3 ramp at 1; "},
		"hold, then ramp": {hold: 2, ramp: 4, ages: []int{2, 3, 4, 5, 0},
			want:   []State{Running, Holding, Holding, Ramping, Ramping},
			events: "age 3 of 2 hold at 1; age 5 of 4 ramp at 3; "},
		"a hold trips": {hold: 1, ages: []int{2, 0, 0, 0, 0, 0},
			want: []State{Holding, Holding, Holding, Holding, Holding, Tripped}, events: "age 2 of 1 hold at 0; "},
		"a limit's warning between": {hold: 1, ramp: 9, limits: []Limit{{Channel: "age", Warn: 2, Trip: 4, Action: Ramp}},
			ages:   []int{2, 3, 4, 5, 10},
			want:   []State{Holding, Holding, Holding, Ramping, Ramping},
			events: "age 2 of 1 hold at 0; age 3 of 2 warn at 1; age 5 of 4 ramp at 3; age 10 of 9 ramp at 4; "},
		"a limit that looks": {ramp: 3, limits: []Limit{{Channel: "age", Trip: 1}}, ages: []int{2, 4},
			want: []State{Running, Ramping}, events: "age 2 of 1 indicate at 0; age 4 of 3 ramp at 1; "},
	} {
		t.Run(name, func(t *testing.T) {
			config := GuardConfig{HoldS: 0.005, Limits: c.limits}
			config.Late.HoldAfter, config.Late.RampAfter = c.hold, c.ramp
			l := one(t, config)
			l.meets(t, 0.01)
			l.arms(t)
			for k, age := range c.ages {
				l.do(deed{What: "tick", U: [2]float64{0.01}, Fails: "old", Age: age})
				if l.g.State() != c.want[k] {
					t.Fatalf("age %d in tick %d: %s: want %s", age, k, l.g.State(), c.want[k])
				}
			}
			if told(l.g) != c.events {
				t.Errorf("events %s: want %s", told(l.g), c.events)
			}
			if c.ramp == 0 && c.hold > 0 && l.g.State() == Tripped {
				rthstest.WantError(t, l.end, "no reading for 2 samples (age is 2, limit 1): command held")
			}
		})
	}
	// A silent link in StepAlone: the readings fail one after another.
	config := GuardConfig{HoldS: 1, NonFinite: Indicate}
	config.Late.HoldAfter, config.Late.RampAfter = 2, 5
	l := one(t, config)
	l.arms(t)
	l.ticks(t, 3, 0.001)
	for age, want := range []State{Running, Running, Holding, Holding, Holding, Ramping} {
		if l.do(deed{What: "tend", Fails: "read"}); l.g.State() != want {
			t.Errorf("reading %d that failed: %s: want %s", age+1, l.g.State(), want)
		}
		if l.done != (want == Running) {
			t.Errorf("reading %d that failed: done %t, while %s", age+1, l.done, want)
		}
	}
}

// The reading that the guard has met is a valid one: what is farther away than the actuator
// moves is not, the specimen stands still before it, it is where hold begins and the last
// safe position.
func TestWhatIsMetIsValid(t *testing.T) {
	p := slow
	p.ToSafe = true
	l := one(t, GuardConfig{Rate: 1, HoldS: 0.01, NonFinite: Hold, Profile: p,
		Limits: []Limit{{Channel: "velocity_m_s", Trip: 0.2, Action: Hold}}})
	l.meets(t, 0.030)
	l.rig.x[0], l.rig.u[0] = 0.050, 0.050
	if l.do(deed{What: "tend"}); l.g.valid.last[0] != 0.030 {
		t.Errorf("%g m is the last valid position: want the 0.030 m that were met", l.g.valid.last[0])
	}
	l.meets(t, 0.030)
	l.arms(t)
	if l.ticks(t, 10, 0.030); l.g.State() != Running {
		t.Errorf("%s, %s: want a specimen that stands still", l.g.State(), told(l.g))
	}
	l = one(t, GuardConfig{NonFinite: Hold, HoldS: 0.01})
	l.meets(t, 0.030)
	l.arms(t)
	if err := l.g.Write([]float64{math.NaN()}); err != nil || l.rig.u[0] != 0.030 {
		t.Errorf("%v, a first command that is not a number: held at %g m: want 0.030 m", err, l.rig.u[0])
	}
	l = one(t, GuardConfig{Profile: p})
	l.meets(t, 0.030)
	if err := l.g.Approach([]float64{0.010}); err != nil {
		t.Fatal(err)
	}
	l.tends(t, 1000)
	l.g.Trip(Operator, 1, 0, Ramp)
	if l.tends(t, 1000); l.rig.u[0] != 0.030 {
		t.Errorf("ramp to the last safe position: %g m: want the 0.030 m that were met", l.rig.u[0])
	}
}

// Where nothing is asked for the command stays: where a guard was made to start, and after a
// Reset where a ramp was not finished in time.
func TestNothingMovesByItself(t *testing.T) {
	l := one(t, GuardConfig{Start: []float64{0.01}, Profile: Profile{Velocity: 0.01, Acceleration: 1, WithinS: 0.1}})
	l.rig.x[0], l.rig.u[0] = 0.01, 0.01
	if l.do(deed{What: "tend"}); !l.done || l.rig.u[0] != 0.01 {
		t.Errorf("done %t, at %g m: want the start, 0.01 m", l.done, l.rig.u[0])
	}
	l.g.Trip(Operator, 1, 0, Ramp)
	l.tends(t, 200)
	at := l.rig.u[0]
	rthstest.WantError(t, l.g.Unfinished(), "command's ramp not finished in time")
	if err := l.g.Reset(); err != nil {
		t.Fatal(err)
	}
	if l.do(deed{What: "tend"}); !l.done || l.rig.u[0] != at {
		t.Errorf("after a reset: done %t, at %g m: want %g m", l.done, l.rig.u[0], at)
	}
}

// The next run does not remember the last one: neither commands beyond the stroke, from which
// a rate would be counted, nor an error of the target.
func TestNextRunBeginsAfresh(t *testing.T) {
	l := one(t, GuardConfig{Stroke: 0.01, HoldS: 0.01,
		Limits: []Limit{{Channel: "command_rate_m_s", Trip: 15, Action: Hold}}})
	l.arms(t)
	l.ticks(t, 1, 0.01)
	l.ticks(t, 1, 0.02)
	if err := l.g.Finish(); err != nil {
		t.Fatal(err)
	}
	l.tends(t, 1000)
	l.arms(t)
	if l.ticks(t, 5, 0); l.g.State() != Running {
		t.Errorf("after Finish: %s, %s: want running", l.g.State(), told(l.g))
	}
	l = one(t, GuardConfig{HoldS: 0.01, Limits: []Limit{{Channel: "error_m", Trip: 0.001, Action: Hold}}})
	l.arms(t)
	l.ticks(t, 5, 0)
	l.f.Desired[0] = 0.5
	l.o.Observe(&l.f)
	l.tends(t, 100)
	if err := errors.Join(l.g.Reset(), l.g.Arm()); err != nil {
		t.Fatal(err)
	}
	if l.do(deed{What: "tend"}); l.g.State() != Armed {
		t.Errorf("after Reset: %s, %s: want armed", l.g.State(), told(l.g))
	}
}

// A rig whose readings are always fresh does not say so, and the first reading may fail: the
// specimen has stood where it is measured first.
func TestFirstReadings(t *testing.T) {
	l := one(t, GuardConfig{HoldS: 0.01, Limits: []Limit{{Channel: "velocity_m_s", Trip: 0.2, Action: Hold}}})
	l.do(deed{What: "tend", Fails: "read"})
	l.rig.x[0], l.rig.u[0], l.g.mover.sent[0] = 0.03, 0.03, 0.03
	l.arms(t)
	if l.ticks(t, 10, 0.03); l.g.State() != Running {
		t.Errorf("%s, %s: want running", l.g.State(), told(l.g))
	}
	g := rthstest.Must(NewGuard(&mirror{}, GuardConfig{RateHz: 1000, Axes: 1, Forces: 1, Profile: slow}))
	out := rths.NewReading(1, 1)
	out.Age = 7
	if g.StepAlone(&out); out.Age != 0 {
		t.Errorf("age %d of a fresh reading: want 0", out.Age)
	}
}

// What is wrong with the policy on old readings is said, and a ramp of this policy must be
// possible.
func TestPolicyOnOldReadings(t *testing.T) {
	for _, c := range []struct {
		hold, ramp int
		want       string
	}{
		{-1, 0, "hold after an age of -1 samples, ramp after 0: want 0 (never) or more"}, {0, -2, "ramp after -2: want 0"},
		{3, 3, "ramp after an age of 3 samples, hold after 3: the hold would never come first"},
		{4, 3, "want the ramp after more samples"},
		{3, 4, ""}, {0, 1, "it would cross itself"}, {4, 0, ""},
	} {
		config := GuardConfig{RateHz: 1000, Axes: 1, Forces: 1, Profile: slow}
		if c.want == "it would cross itself" {
			c.want = "above the limit 0.05 of velocity_m_s, which it would cross itself"
			config.Limits = []Limit{{Channel: "velocity_m_s", Trip: 0.05, Action: Hold}}
		}
		config.Late.HoldAfter, config.Late.RampAfter = c.hold, c.ramp
		_, err := NewGuard(&mirror{}, config)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("hold after %d, ramp after %d: %v: want %q", c.hold, c.ramp, err, c.want)
		}
	}
}

// A resumed guard tells each cause from outside.
func TestCauseFromOutsideResumes(t *testing.T) {
	for cause := range Cause(len(causes)) {
		a, b := one(t, GuardConfig{HoldS: 0.003}), one(t, GuardConfig{HoldS: 0.003})
		a.arms(t)
		a.ticks(t, 4, 0.001)
		a.g.Trip(cause, 3, 2, Hold)
		b.g.Trip((cause+1)%Cause(len(causes)), 1, 0, Hold)
		for _, done := range []bool{false, true} {
			if done {
				a.tends(t, 100)
			}
			rths.SetState(rths.AppendState(nil, a.o), b.o)
			if got, was := b.g.Unfinished().Error(), a.g.Unfinished().Error(); got != was ||
				!strings.Contains(got, cause.String()+" is 3, limit 2") {
				t.Errorf("resumed with %s: want %s", got, was)
			}
		}
	}
	// A limit knows its name, however long.
	var v float64
	long := strings.Repeat("watchdog_of_the_rig_", 3)
	c := GuardConfig{HoldS: 1, Channels: []rths.Channel{{Name: long, V: &v}},
		Limits: []Limit{{Channel: long, Trip: 1, Action: Hold}}}
	a, b := one(t, c), one(t, c)
	a.arms(t)
	v = 2
	a.ticks(t, 1, 0)
	rths.SetState(rths.AppendState(nil, a.o), b.o)
	if got := b.g.latch.first.Channel; got != long {
		t.Errorf("resumed with the cause %s: want %s", got, long)
	}
}

// quiet is a rig that allocates nothing.
type quiet struct{ fails error }

func (q quiet) Read(*rths.Reading) error { return q.fails }
func (q quiet) Write([]float64) error    { return q.fails }

// Nothing is allocated without a loop, nor by a trip, also where guards have tripped so often
// that there is no space for events.
func TestTendAllocatesNothing(t *testing.T) {
	for _, fails := range []error{nil, errors.New("gone")} {
		c := GuardConfig{RateHz: 1000, Axes: 2, Forces: 2, Profile: slow, HoldS: 0.002, NonFinite: Hold,
			Limits: []Limit{{Channel: "velocity_m_s", Trip: 1}}}
		c.Late.HoldAfter = 2
		g := rthstest.Must(NewGuard(quiet{fails}, c))
		out, goal := rths.NewReading(2, 2), []float64{1e-3, 2e-3}
		rthstest.NoAllocation(t, func() {
			must := func(err error) {
				if err != nil {
					t.Fatal(err)
				}
			}
			must(g.StartAt(&out))
			g.StepAlone(&out)
			must(g.Arm())
			must(g.Approach(goal))
			g.StepAlone(&out)
			for _, action := range []Action{Indicate, Hold, Ramp, Stop} {
				g.Trip(Watchdog, 2, 1, action)
				g.StepAlone(&out)
			}
			for !g.StepAlone(&out) {
			}
			must(g.Reset())
			must(g.Arm())
			must(g.Finish())
			for !g.StepAlone(&out) {
			}
			if g.State() == Tripped {
				must(g.Reset())
			}
		})
	}
}

// Each number of a state comes back to the quantity that it was taken from: distinct numbers stay where they are.
func TestEveryNumberOfAStateComesBack(t *testing.T) {
	c := GuardConfig{HoldS: 0.003, Limits: []Limit{{Channel: "measured_m", Trip: 1, Action: Hold}}}
	a, b := one(t, c), one(t, c)
	a.arms(t)
	a.ticks(t, 4, 0.001)
	a.g.Trip(SupervisorSilent, 3, 2, Hold)
	g := a.g
	g.latch.first.K, g.latch.first.Value, g.latch.first.Limit, g.latch.first.Age, g.latch.first.Fresh,
		g.latch.first.Silent = 101, 102, 103, 104, 105, 106
	g.watch.silent, g.mover.apart, g.valid.agreeing = 107, Apart{Axis: 108, Reading: 109, Command: 110}, 111
	g.watch.value.err, g.watch.freshErr, g.watch.freshCommand, g.valid.tolerance, g.watch.value.velocity = 112, 113, 114,
		115, 116
	g.watch.lateTicks, g.mover.remaining, g.watch.readingAge, g.latch.endK = 117, 118, 119, 120
	state := rths.AppendState(nil, a.o)
	if rest := rths.SetState(state, b.o); len(rest) > 0 {
		t.Fatalf("%d numbers are left", len(rest))
	}
	if got := rths.AppendState(nil, b.o); !slices.Equal(got, state) {
		t.Errorf("%v: want %v", got, state)
	}
	f := b.g.latch.first
	want := Event{K: 101, T: 101 / g.c.RateHz, Age: 104, Fresh: 105, Silent: 106, Channel: "supervisor_silent", Value: 102,
		Limit: 103, Action: Hold.String()}
	if fmt.Sprint(f) != fmt.Sprint(want) || b.g.mover.apart != g.mover.apart || b.g.watch.silent != 107 ||
		b.g.valid.agreeing != 111 || b.g.watch.freshErr != 113 || b.g.watch.freshCommand != 114 {
		t.Errorf("%+v, %+v: want %+v, %+v", f, b.g.mover.apart, want, g.mover.apart)
	}
}
