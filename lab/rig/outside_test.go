package rig

import (
	"math"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
)

// While a guard retires, as everywhere, readings that fail and forces over their limit act:
// the command brakes, and does not go on. The times are of the run that ended.
func TestLimitsActWhileRetiring(t *testing.T) {
	for _, what := range []string{"reading", "age", "force_N"} {
		c := GuardConfig{Stroke: 0.05, HoldS: 0.1, NonFinite: Hold,
			Limits: []Limit{{Channel: "force_N", Trip: 3000, Action: Hold}}}
		if what == "age" {
			c.NonFinite, c.Late.HoldAfter = Indicate, 3
		}
		l := one(t, c)
		l.meets(t, 0.025)
		l.arms(t)
		l.ticks(t, 10, 0.025)
		if err := l.g.Finish(); err != nil {
			t.Fatal(err)
		}
		for range 100 {
			l.do(deed{What: "tend"})
		}
		at, fails := l.rig.u[0], "read"
		if what == "force_N" {
			l.rig.x[0], l.rig.follow, fails = 0.045, 0, ""
		}
		for range 300 {
			l.do(deed{What: "tend", Fails: fails})
		}
		if moved := at - l.rig.u[0]; l.g.State() != Tripped || moved > slow.Velocity*slow.Velocity/2/slow.Acceleration+
			4*slow.Velocity/1000 {
			t.Errorf("%s: %s, the command has moved by %g m: want it to brake", what, l.g.State(), moved)
		}
		if e := l.g.Events(); e[len(e)-1].Channel != what || e[0].K < 110 || e[0].K > 115 {
			t.Errorf("events %s: want %s, in about tick 110", told(l.g), what)
		}
	}
}

// A guard that is disarmed and has not been sent anywhere looks at nothing; nor does one that
// has been reset, or has met the rig anew.
func TestNothingActsOnAGuardAtRest(t *testing.T) {
	l := one(t, GuardConfig{HoldS: 0.01, NonFinite: Hold,
		Limits: []Limit{{Channel: "measured_m", Trip: 0.02, Action: Hold}}})
	calm := func(when string, want int) {
		t.Helper()
		for _, fails := range []string{"", "read", "nan", "old"} {
			l.do(deed{What: "tend", Fails: fails, Age: 9})
		}
		if l.g.State() != Disarmed || len(l.g.Events()) != want {
			t.Errorf("%s: %s, %s: want it disarmed, %d events", when, l.g.State(), told(l.g), want)
		}
	}
	l.meets(t, 0.03)
	calm("at rest", 0)
	if err := l.g.Approach([]float64{0.025}); err != nil {
		t.Fatal(err)
	}
	if l.tends(t, 1000); l.g.State() != Tripped {
		t.Fatalf("%s on the way: want tripped", l.g.State())
	}
	if err := l.g.Reset(); err != nil {
		t.Fatal(err)
	}
	calm("reset", 1)
	l.meets(t, 0)
	if err := l.g.Approach([]float64{0.001}); err != nil {
		t.Fatal(err)
	}
	l.tends(t, 1000)
	l.meets(t, 0.03)
	calm("met anew", 1)
}

// Whatever gain the actuator has, Finish goes from the command to its goal without a step:
// command and profile agree.
func TestRetireKeepsToTheProfile(t *testing.T) {
	p := Profile{Velocity: 0.02, Acceleration: 0.5, WithinS: 30}
	for _, gain := range []float64{0.9, 1.1} {
		l := one(t, GuardConfig{Profile: p, Stroke: 0.05})
		l.rig.gain = gain
		l.meets(t, 0)
		l.arms(t)
		for k := range 100 {
			l.ticks(t, 1, 0.018*float64(k)/99)
		}
		if err := l.g.Finish(); err != nil {
			t.Fatal(err)
		}
		l.rig.sent = nil
		n := l.tends(t, 5000)
		rthstest.Near(t, "time, s", float64(n)/1000, p.Duration(0.018), 0.005)
		path := course{p: p, h: 1e-3, kept: true, known: true, x: []float64{0.018}, v: []float64{0}}
		for _, u := range l.rig.sent {
			if u[0] > path.x[0] {
				t.Fatalf("from %g to %g m: away from the goal", path.x[0], u[0])
			}
			path.goes(t, "retiring", u)
		}
	}
}

// A guard that has met nothing begins where the rig is measured, and sends nothing before:
// not where the reading fails or is not a number, not in hold or ramp either.
func TestFirstReadingIsMet(t *testing.T) {
	for _, action := range []Action{Indicate, Hold, Ramp, Stop} {
		for _, fails := range []string{"", "read", "nan"} {
			p := slow
			p.ToSafe = true
			l := one(t, GuardConfig{Stroke: 0.05, Rate: 0.3, HoldS: 0.02, NonFinite: Hold, Profile: p})
			l.rig.x[0], l.rig.u[0] = 0.03, 0.03
			l.g.Trip(Operator, 1, 0, action)
			if fails != "" {
				for range 5 {
					if l.do(deed{What: "tend", Fails: fails}); len(l.rig.sent) != 0 {
						t.Fatalf("%s, %s: %v was sent", action, fails, l.rig.sent)
					}
				}
			}
			for l.do(deed{What: "tend"}); !l.done; l.do(deed{What: "tend"}) {
			}
			for _, u := range l.rig.sent {
				if u[0] != 0.03 {
					t.Fatalf("%s, %s: %g m was sent: want the 0.03 m that were measured", action, fails, u[0])
				}
			}
			if len(l.rig.sent) == 0 {
				t.Errorf("%s, %s: nothing was sent", action, fails)
			}
		}
	}
	l := one(t, GuardConfig{Stroke: 0.05})
	l.rig.x[0], l.rig.u[0] = 0.03, 0.03
	l.g.Trip(Operator, 1, 0, Ramp)
	path := course{p: slow, h: 1e-3, kept: true, known: true, x: []float64{0.03}, v: []float64{0}}
	l.tends(t, 5000)
	for _, u := range l.rig.sent {
		path.goes(t, "ramp", u)
	}
	if path.x[0] != 0 {
		t.Errorf("the ramp of a guard that met its rig late ends at %g m: want 0", path.x[0])
	}
	// A rig that never answers: the action ends all the same, and nothing leaves.
	l = one(t, GuardConfig{HoldS: 0.01})
	l.g.Trip(Operator, 1, 0, Hold)
	for range 20 {
		l.do(deed{What: "tend", Fails: "read"})
	}
	if !l.done || l.g.State() != Tripped || len(l.rig.sent) != 0 {
		t.Errorf("done %t, %s, %v sent: want the end of the hold and nothing sent", l.done, l.g.State(), l.rig.sent)
	}
}

// A position beyond a limit on the command that acts is not approached, and no faster than a
// limit on its rate allows.
func TestApproachKeepsTheLimitsOnTheCommand(t *testing.T) {
	limits := []Limit{{Channel: "command_m", Trip: 0.02, Action: Ramp}, {Channel: "command_2_m", Trip: 0.01, Action: Hold},
		{Channel: "command_1_m", Trip: 0.001}}
	c := GuardConfig{RateHz: 1000, Axes: 2, Forces: 2, Profile: slow, Stroke: 0.05, Limits: limits}
	l := newLab(t, c, 1, 1)
	l.meets(t, 0)
	rthstest.WantError(t, l.g.Approach([]float64{-0.03, 0}),
		"guard approaches -0.03 m on axis 1: want at most the limit of command_m, 0.02 m")
	rthstest.WantError(t, l.g.Approach([]float64{0.02, 0.011}),
		"guard approaches 0.011 m on axis 2: want at most the limit of command_2_m, 0.01 m")
	if l.do(deed{What: "tend"}); !l.done {
		t.Error("a position that was refused is approached")
	}
	if err := l.g.Approach([]float64{0.02, -0.01}); err != nil {
		t.Error(err)
	}
	slower := one(t, GuardConfig{Limits: []Limit{{Channel: "command_rate_m_s", Trip: 0.05, Action: Hold}}})
	slower.meets(t, 0.02)
	slower.arms(t)
	if err := slower.g.Finish(); err != nil {
		t.Fatal(err)
	}
	path := course{p: Profile{Velocity: 0.05, Acceleration: slow.Acceleration}, h: 1e-3, kept: true, known: true,
		x: []float64{0.02}, v: []float64{0}}
	slower.tends(t, 1000)
	for _, u := range slower.rig.sent {
		path.goes(t, "retiring", u)
	}
}

// A gap of old readings makes no velocity, and does not hide one.
func TestVelocityAfterAGap(t *testing.T) {
	for _, n := range []int{0, 1, 4, 5, 20, 50} {
		for _, v := range []float64{0.03, 0.11} {
			s := newSolo(t, GuardConfig{RateHz: 1000, Axes: 1, Forces: 1, HoldS: 10, Profile: slow,
				Limits: []Limit{{Channel: "velocity_m_s", Trip: 0.1, Action: Hold}}})
			tripped := 0
			for k := range 200 {
				age := max(0, k-99)
				if age > n {
					age = 0
				}
				if err := s.tick(v*float64(k-age)/1000-0.0001, 0, 0, age, false); err != nil {
					t.Fatal(err)
				}
				if s.g.State() == Holding && tripped == 0 {
					tripped = k
				}
			}
			if (tripped > 0) != (v > 0.1) {
				t.Errorf("gap of %d, %g m/s: tripped in tick %d: %v", n, v, tripped, s.g.Events())
			}
		}
	}
	// A specimen that moved in the gap only is as fast as its mean over the gap.
	s := newSolo(t, GuardConfig{RateHz: 1000, Axes: 1, Forces: 1, HoldS: 10, Profile: slow,
		Limits: []Limit{{Channel: "velocity_m_s", Trip: 1, Action: Hold}}})
	for age := range 20 {
		s.tick(0, 0, 0, age, false)
	}
	if s.tick(0.010, 0, 0, 0, false); math.Abs(s.g.watch.value.velocity-0.5) > 1e-12 {
		t.Errorf("10 mm in 20 ms: %g m/s: want 0.5", s.g.watch.value.velocity)
	}
}

// The events of a second run count its own ticks, and a reading that is met keeps its age.
func TestSecondRunCountsItsTicks(t *testing.T) {
	l := one(t, GuardConfig{HoldS: 0.01})
	l.meets(t, 0)
	l.arms(t)
	l.ticks(t, 100, 0.001)
	if err := l.g.Finish(); err != nil {
		t.Fatal(err)
	}
	l.tends(t, 1000)
	l.meets(t, 0)
	l.arms(t)
	l.do(deed{What: "tend"})
	l.g.Trip(Operator, 1, 0, Hold)
	if e := l.g.Events(); len(e) != 1 || e[0].K != 0 || e[0].T != 0 {
		t.Errorf("events %+v: want one before tick 0", e)
	}
	l = one(t, GuardConfig{})
	if err := l.g.StartAt(&rths.Reading{Motion: rths.Motion{X: []float64{0.01}}, F: []float64{0}, Age: 4}); err != nil {
		t.Fatal(err)
	}
	if l.do(deed{What: "tend", Fails: "read"}); l.out.Age != 5 {
		t.Errorf("age %d of the reading that was met, a sample later: want 5", l.out.Age)
	}
}

// Every run has its own warnings, the way before it too; the way after it belongs to it.
func TestWarningsOfEachRun(t *testing.T) {
	l := one(t, GuardConfig{Limits: []Limit{{Channel: "measured_m", Warn: 0.01, Trip: 0.1, Action: Hold}}})
	for range 2 {
		l.meets(t, 0)
		if err := l.g.Approach([]float64{0.02}); err != nil {
			t.Fatal(err)
		}
		l.tends(t, 1000)
		l.arms(t)
		l.ticks(t, 5, 0.02)
		if err := l.g.Finish(); err != nil {
			t.Fatal(err)
		}
		l.tends(t, 1000)
	}
	if n := strings.Count(told(l.g), "warn"); n != 4 {
		t.Errorf("events %s: want two warnings of each run", told(l.g))
	}
}

// A command is clipped as long as another one leaves in its place: also while the guard
// catches up with a jump.
func TestClippedIsWhatDidNotLeave(t *testing.T) {
	l := one(t, GuardConfig{Stroke: 0.05, Rate: 0.1, HoldS: 1})
	l.meets(t, 0)
	l.arms(t)
	n := 0
	for k := range 400 {
		u := []float64{0, 0.010, 0.010, 0.060}[k/100]
		l.ticks(t, 1, u)
		if got, want := l.g.Clipped(), l.rig.u[0] != u; got != want {
			t.Fatalf("tick %d: clipped %t, %g m left of %g m", k, got, l.rig.u[0], u)
		}
		if l.g.Clipped() {
			n++
		}
	}
	if n < 199 || n > 200 {
		t.Errorf("%d commands clipped: want 99 of the jump and 100 beyond the stroke", n)
	}
	if err := l.g.Finish(); err != nil || l.g.Clipped() {
		t.Errorf("%v, clipped %t: want no command of a loop after the run", err, l.g.Clipped())
	}
}
