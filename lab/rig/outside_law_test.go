package rig

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"rths"
	"rths/kit/rthstest"
)

// course is the path of what leaves, while it keeps to a profile.
type course struct {
	p     Profile
	h     float64 // s
	kept  bool    // no action that began in the run, and no loop, moves it
	known bool    // the last command
	x, v  []float64
}

func (c *course) stand(x []float64) {
	c.known = true
	copy(c.x, x)
	clear(c.v)
}

// goes checks velocity and acceleration of a command.
func (c *course) goes(t rthstest.TB, what string, u []float64) {
	t.Helper()
	if !c.known {
		c.stand(u)
	}
	for i, x := range u {
		v := (x - c.x[i]) / c.h
		if c.kept && (math.Abs(v) > c.p.Velocity*(1+1e-9)+1e-9 || math.Abs(v-c.v[i]) > c.p.Acceleration*c.h*(1+1e-6)+1e-9) {
			t.Fatalf("%s: %g m/s after %g m/s: want at most %g m/s, and changes of %g m/s", what, v, c.v[i], c.p.Velocity,
				c.p.Acceleration*c.h)
		}
		c.x[i], c.v[i] = x, v
	}
}

// follow does a deed and checks what leaves.
func (c *course) follow(t rthstest.TB, l *lab, d deed) {
	t.Helper()
	was, n := l.g.State(), len(l.rig.sent)
	l.do(d)
	if d.What == "tick" && (was == Armed || was == Running) && l.g.State() != Armed {
		c.kept = false
	}
	if d.What == "tend" && l.g.mover.placed && !c.known {
		c.stand(l.g.mover.safe) // where it was met
	}
	for _, u := range l.rig.sent[n:] {
		c.goes(t, fmt.Sprintf("%s %s of %s while %s", d.What, d.Fails, d.Action, was), u)
	}
	if l.end != nil {
		return
	}
	switch d.What {
	case "meet":
		c.kept = true
		c.stand(l.g.mover.sent)
	case "retire", "reset":
		if !c.kept {
			clear(c.v)
		}
		c.kept = true
	}
}

// Outside the loop, in whatever order guards meet, approach, retire, trip and are reset, with
// whatever is wrong with readings: velocity and acceleration of what leaves are within the
// profile from the first command on, which is where the rig is measured, up to a command of
// the loop.
func TestWhatLeavesOutsideTheLoopKeepsToTheProfile(t *testing.T) {
	asked := []string{"tend", "tend", "tend", "tend", "trip", "meet", "approach", "approach", "arm", "tick", "retire",
		"reset"}
	rapid.Check(t, func(t *rapid.T) {
		c := drawGuard(t)
		l := drawLab(t, c)
		for i := range l.rig.u {
			l.rig.u[i] = rapid.Float64Range(-0.03, 0.03).Draw(t, "stands at")
			l.rig.x[i] = l.rig.u[i]
		}
		path := course{p: c.Profile, h: 1 / c.RateHz, kept: true, x: make([]float64, c.Axes), v: make([]float64, c.Axes)}
		path.p.Velocity = min(path.p.Velocity, orInf(c.Rate))
		for range rapid.IntRange(5, 40).Draw(t, "deeds") {
			d := drawDeed(t)
			d.What = rapid.SampledFrom(asked).Draw(t, "asked")
			path.follow(t, l, d)
			if d.What != "tend" {
				continue
			}
			for d.Fails = ""; d.Age > 0; d.Age-- {
				for range d.Number {
					path.follow(t, l, d)
				}
			}
		}
	})
}

// On the way outside the loop, armed or not, before the run or after it, whatever is crossed
// acts: the guard does not go on.
func TestLimitsActOnTheWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawGuard(t)
		act := func(name string) Action { return Action(rapid.IntRange(1, 3).Draw(t, name)) }
		c.NonFinite, c.Late.HoldAfter, c.Late.RampAfter = act("non-finite"), 3, 6
		c.Limits = []Limit{{Channel: "measured_m", Trip: 0.04, Action: act("measured")},
			{Channel: "force_N", Trip: 6000, Action: act("force")}}
		l := newLab(t, c, rapid.Float64Range(0.01, 1).Draw(t, "follow"), 1)
		position := func(name string) [2]float64 {
			return [2]float64{rapid.Float64Range(-0.02, 0.02).Draw(t, name), rapid.Float64Range(-0.02, 0.02).Draw(t, name)}
		}
		at := position("stands at")
		copy(l.rig.x, at[:])
		copy(l.rig.u, at[:])
		must := func(d deed) {
			if l.do(d); l.end != nil {
				t.Fatal(l.end)
			}
		}
		must(deed{What: "meet"})
		switch rapid.SampledFrom([]string{"disarmed", "armed", "retire"}).Draw(t, "way") {
		case "disarmed":
			must(deed{What: "approach", U: position("goal")})
		case "armed":
			must(deed{What: "arm"})
			must(deed{What: "approach", U: position("goal")})
		case "retire":
			must(deed{What: "arm"})
			must(deed{What: "tick", U: at})
			must(deed{What: "retire"})
		}
		for range rapid.IntRange(0, 100).Draw(t, "samples on the way") {
			must(deed{What: "tend"})
		}
		if l.g.State() > Armed || len(l.g.Events()) > 0 {
			t.Fatalf("%s, %s: want nothing to act yet", l.g.State(), told(l.g))
		}
		bad := deed{What: "tend", Fails: rapid.SampledFrom([]string{"read", "nan", "old", "beyond", "pressed"}).Draw(t,
			"fault"), Age: 4}
		switch bad.Fails {
		case "beyond":
			l.rig.x[0], l.rig.follow = 0.041, 0
		case "pressed":
			l.rig.x[0], l.rig.follow = -0.0601, 0
		}
		if l.do(bad); l.g.State() <= Running {
			t.Fatalf("%s: %s: want the action of a limit", bad.Fails, l.g.State())
		}
		if e := l.g.Events(); len(e) == 0 {
			t.Fatalf("%s: no event", bad.Fails)
		}
	})
}

// steady is a rig that moves at a constant velocity, and whose readings are as old as they
// are told to be.
type steady struct {
	v, h     float64
	k, delay int
	lost     []bool // tick by tick
	last     int    // instant of the last reading
}

func (s *steady) Read(r *rths.Reading) error {
	if !s.lost[s.k] || s.k == 0 {
		s.last = s.k - s.delay
	}
	for i := range r.X {
		r.X[i] = s.v * s.h * float64(s.last)
	}
	r.Age = s.k - s.last
	s.k++
	return nil
}

func (s *steady) Write([]float64) error { return nil }

// The velocity of what moves steadily is its velocity, whichever readings are lost, however
// many, and however late all of them are; before, while the mean still reaches back to the
// start, a part of it.
func TestVelocityKnowsTheTimeBetweenReadings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.SampledFrom([]float64{150, 1000, 4096}).Draw(t, "rate, Hz")
		axes := rapid.IntRange(1, 2).Draw(t, "axes")
		r := &steady{v: rapid.Float64Range(0.001, 1).Draw(t, "v, m/s"), h: 1 / rate,
			delay: rapid.IntRange(0, 3).Draw(t, "delay"), lost: make([]bool, 300)}
		for k := 0; k < len(r.lost); k += rapid.IntRange(1, 40).Draw(t, "kept") {
			for range rapid.IntRange(0, 60).Draw(t, "lost") {
				if k < len(r.lost) {
					r.lost[k] = true
				}
				k++
			}
		}
		g := rthstest.Must(NewGuard(r, GuardConfig{RateHz: rate, Axes: axes, Profile: slow,
			Limits: []Limit{{Channel: "velocity_m_s", Trip: 100}}}))
		span := max(1, int(math.Round(0.005*rate)))
		o, f := g.Observer(), rths.Frame{Read: rths.NewReading(axes, 0), Desired: make([]float64, axes),
			Command: make([]float64, axes)}
		tend := rapid.Bool().Draw(t, "by StepAlone")
		if err := g.Arm(); err != nil {
			t.Fatal(err)
		}
		for k := range r.lost {
			f.K = k
			if tend {
				g.StepAlone(&f.Read)
			} else {
				if err := g.Read(&f.Read); err != nil {
					t.Fatal(err)
				}
				o.Observe(&f)
			}
			want := r.v * float64(min(r.last+r.delay, span)) / float64(span)
			if math.Abs(g.watch.value.velocity-want) > 1e-9 {
				t.Fatalf("tick %d, age %d: %g m/s: want %g", k, f.Read.Age, g.watch.value.velocity, want)
			}
		}
	})
}
