package rig

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"rths"
	"rths/kit/rthstest"
)

// actuator is a rig whose displacement follows the command with a time lag and a gain. Its
// next reading or write may fail, be not finite or be old.
type actuator struct {
	x, u       []float64
	follow     float64 // share of the way to gain·u that the actuator goes in a sample
	gain       float64
	age        int
	late       bool
	broken     float64 // in place of the displacement, where not finite
	deaf, mute error   // of Write, of Read
	sent       [][]float64
}

func (a *actuator) Read(r *rths.Reading) error {
	for i := range a.x {
		a.x[i] += a.follow * (a.gain*a.u[i] - a.x[i])
		r.X[i], r.F[i] = a.x[i], 1e5*a.x[i]
	}
	if !rths.Finite(a.broken) {
		r.X[0] = a.broken
	}
	r.Age, r.Late = a.age, a.late
	return a.mute
}

func (a *actuator) Write(u []float64) error {
	a.sent = append(a.sent, append([]float64(nil), u...))
	if a.deaf == nil {
		copy(a.u, u)
	}
	return a.deaf
}

// deed is what happens to a guard in one step of a random test.
type deed struct {
	What   string
	U      [2]float64 // commands of the loop, m
	Action Action
	Number int
	Fails  string // what is wrong with rig or reading
	Age    int
}

var (
	deeds = []string{"tick", "tick", "tick", "tick", "tend", "tend", "tend", "trip", "trip between", "meet", "approach",
		"arm", "arm", "retire", "reset"}
	faulty = []string{"", "", "", "", "", "", "", "read", "write", "nan", "old", "late"}
)

func drawDeed(t *rapid.T) deed {
	return deed{
		What: rapid.SampledFrom(deeds).Draw(t, "deed"), Action: Action(rapid.IntRange(0, 3).Draw(t, "action")),
		Number: rapid.IntRange(1, 3).Draw(t, "number"),
		U:      [2]float64{rapid.Float64Range(-0.05, 0.05).Draw(t, "u1"), rapid.Float64Range(-0.05, 0.05).Draw(t, "u2")},
		Fails:  rapid.SampledFrom(faulty).Draw(t, "fault"), Age: rapid.IntRange(1, 12).Draw(t, "age"),
	}
}

// drawGuard is a guard of one or two axes that may or may not know stroke and rate.
func drawGuard(t *rapid.T) GuardConfig {
	n := rapid.IntRange(1, 2).Draw(t, "axes")
	c := GuardConfig{
		RateHz: rapid.SampledFrom([]float64{100, 1000, 4096}).Draw(t, "rate, Hz"), Axes: n, Forces: n,
		Stroke: rapid.SampledFrom([]float64{0, 0.02, 0.03}).Draw(t, "stroke, m"),
		Rate:   rapid.SampledFrom([]float64{0, 0.3, 3}).Draw(t, "rate, m/s"),
		HoldS:  rapid.Float64Range(0, 0.05).Draw(t, "hold, s"), NonFinite: Action(rapid.IntRange(0, 3).Draw(t, "non-finite")),
		Profile: Profile{Velocity: rapid.Float64Range(0.01, 1).Draw(t, "velocity"),
			Acceleration: rapid.Float64Range(0.1, 50).Draw(t, "acceleration"),
			WithinS:      10, ToSafe: rapid.Bool().Draw(t, "to safe")},
		Limits: []Limit{{Channel: "measured_m", Warn: 0.03, Trip: 0.04,
			Action: Action(rapid.IntRange(0, 3).Draw(t, "limit"))}},
	}
	c.Late.HoldAfter = rapid.SampledFrom([]int{0, 3}).Draw(t, "hold after")
	c.Late.RampAfter = rapid.SampledFrom([]int{0, 6}).Draw(t, "ramp after")
	if most := rapid.SampledFrom([]int{0, 2, 5}).Draw(t, "most late"); most > 0 {
		c.Late.Most, c.Late.Within = most, rapid.SampledFrom([]int{6, 32, 50}).Draw(t, "within")
	}
	if rapid.Bool().Draw(t, "velocity limit") {
		c.Limits = append(c.Limits, Limit{Channel: "velocity_m_s", Trip: 1.5, Action: Hold})
	}
	return c
}

// lab is a guard with its rig and what a loop would hold.
type lab struct {
	g    *Guard
	rig  *actuator
	o    rths.Observer
	f    rths.Frame
	out  rths.Reading
	end  error
	done bool
}

func newLab(t rthstest.TB, c GuardConfig, follow, gain float64) *lab {
	t.Helper()
	n := c.Axes
	l := &lab{rig: &actuator{x: make([]float64, n), u: make([]float64, n), follow: follow, gain: gain},
		out: rths.NewReading(n, n)}
	l.f = rths.Frame{K: -1, Read: rths.NewReading(n, n), Desired: make([]float64, n), Command: make([]float64, n)}
	l.g = rthstest.Must(NewGuard(l.rig, c))
	l.o = l.g.Observer()
	return l
}

func drawLab(t *rapid.T, c GuardConfig) *lab {
	return newLab(t, c, rapid.Float64Range(0.01, 1).Draw(t, "follow"), rapid.Float64Range(0.8, 1.2).Draw(t, "gain"))
}

// do does a deed; errors of deeds in the wrong state are a part of the test.
func (l *lab) do(d deed) {
	l.end, l.done = nil, false
	l.rig.mute, l.rig.deaf, l.rig.broken, l.rig.age = nil, nil, 0, 0
	switch d.Fails {
	case "read":
		l.rig.mute = errors.New("no answer")
	case "write":
		l.rig.deaf = errors.New("not taken")
	case "nan":
		l.rig.broken = math.NaN()
	case "old":
		l.rig.age = d.Age
	case "late":
		l.rig.late = true
		defer func() { l.rig.late = false }()
	}
	switch d.What {
	case "tick", "trip between":
		f := &l.f
		f.K++
		copy(f.Command, d.U[:])
		f.Err = l.g.Read(&f.Read)
		if d.What == "trip between" {
			l.g.Trip(Cause(d.Number), float64(d.Number), 0.5, d.Action)
		}
		copy(f.Desired, f.Read.X)
		if f.Err == nil {
			f.Err = l.g.Write(f.Command)
		}
		l.o.Observe(f)
		l.end = f.Err
	case "tend":
		l.done = l.g.StepAlone(&l.out)
	case "trip":
		l.g.Trip(Cause(d.Number), float64(d.Number), 0.5, d.Action)
	case "meet":
		r := rths.Reading{Motion: rths.Motion{X: l.rig.x}, F: make([]float64, len(l.rig.x))}
		l.end = l.g.StartAt(&r)
	case "approach":
		l.end = l.g.Approach(d.U[:len(l.rig.x)])
	case "arm":
		l.end = l.g.Arm()
	case "retire":
		l.end = l.g.Finish()
	case "reset":
		l.end = l.g.Reset()
	}
}

// Whatever happens to a guard, in whatever order, with whatever plant:
//
//	(a) no command leaves that is not finite, beyond the stroke or faster than the rate;
//	    before the first command and after Finish none is faster than the profile; without
//	    StartAt the first one is where the rig is measured;
//	(b) no command of the loop passes a tripped guard;
//	(c) a tripped guard sends the same command again and again, and says done;
//	(d) the first cause is kept until Reset;
//	(e) an action ends, in a number of samples that is known beforehand.
func TestWhatAGuardPromisesInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawGuard(t)
		l := drawLab(t, c)
		last := make([]float64, c.Axes)
		var cause *TripError
		for range rapid.IntRange(20, 120).Draw(t, "deeds") {
			d := drawDeed(t)
			was, met, n := l.g.State(), l.g.mover.placed, len(l.rig.sent)
			l.do(d)
			if d.What == "meet" && l.end == nil || d.What == "tend" && l.g.mover.placed != met {
				copy(last, l.g.mover.sent)
			}
			for _, u := range l.rig.sent[n:] {
				l.within(t, c, was, last, u)
				if was == Tripped && !reflect.DeepEqual(u, last) {
					t.Fatalf("(c) tripped at %v m: %v m was sent", last, u)
				}
				copy(last, u)
			}
			if (was == Tripped || l.g.State() == Tripped) && was == l.g.State() {
				if d.What == "tend" && !l.done {
					t.Fatal("(c) tripped: want done")
				}
				if d.What == "tick" && len(l.rig.sent) > n {
					t.Fatal("(b) a command passed a tripped guard")
				}
			}
			cause = l.keeps(t, cause)
		}
		l.ends(t, c, last)
	})
}

// within is (a).
func (l *lab) within(t *rapid.T, c GuardConfig, was State, last, u []float64) {
	most := orInf(c.Rate)
	if now := l.g.State(); was <= Armed && now <= Armed {
		most = min(most, c.Profile.Velocity)
	}
	for i, x := range u {
		if !rths.Finite(x) || math.Abs(x) > orInf(c.Stroke) {
			t.Fatalf("(a) %g m was sent: stroke %g m", x, c.Stroke)
		}
		if change := math.Abs(x - last[i]); change > most/c.RateHz*(1+1e-9)+1e-15 {
			t.Fatalf("(a) the command moved at %g m/s while %s: want at most %g m/s", change*c.RateHz, was, most)
		}
	}
}

// keeps is (d).
func (l *lab) keeps(t *rapid.T, before *TripError) *TripError {
	var now *TripError
	if !errors.As(l.g.Unfinished(), &now) {
		return nil
	}
	if before != nil && fmt.Sprint(now.Cause) != fmt.Sprint(before.Cause) {
		t.Fatalf("(d) the first cause was %+v, now it is %+v", before.Cause, now.Cause)
	}
	return now
}

// ends is (e): the longest action is a hold, a ramp after it, and the way that the rate lets
// the command go to each of them.
func (l *lab) ends(t *rapid.T, c GuardConfig, last []float64) {
	l.g.Trip(RecordFailed, 1, 0, Hold)
	if l.g.State() != Holding && l.g.State() != Ramping && l.g.State() != Tripped {
		t.Fatalf("%s after a trip", l.g.State())
	}
	way := 0.0
	for i := range last {
		way = max(way, math.Abs(last[i])+math.Abs(l.g.mover.at[i])+0.1)
	}
	most := int((c.HoldS+c.Profile.WithinS)*c.RateHz+2*way/orInf(c.Rate)*c.RateHz) + 4
	n := 0
	for l.do(deed{What: "tend"}); !l.done; l.do(deed{What: "tend"}) {
		if n++; n > most {
			t.Fatalf("(e) %s after %d samples", l.g.State(), n)
		}
	}
	if l.g.State() != Tripped {
		t.Fatalf("(e) done, and %s: want tripped", l.g.State())
	}
}

// Trip at the end of a tick does to the command what a limit does that a channel crosses in
// this tick.
func TestTripIsACrossedLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawGuard(t)
		c.Late.HoldAfter, c.Late.RampAfter = 0, 0
		c.Profile.ToSafe = false // a crossed limit says of its own tick that it is not safe, Trip does not
		action, at := Action(rapid.IntRange(1, 3).Draw(t, "action of the trip")), rapid.IntRange(0, 20).Draw(t, "tick")
		outside := drawLab(t, c)
		var signal float64
		c.Channels = []rths.Channel{{Name: "signal", V: &signal}}
		c.Limits = append(c.Limits, Limit{Channel: "signal", Trip: 0.5, Action: action})
		inside := newLab(t, c, outside.rig.follow, outside.rig.gain)
		outside.do(deed{What: "arm"})
		inside.do(deed{What: "arm"})
		for k := range 300 {
			if k == at {
				signal = 1
			}
			d := drawDeed(t)
			d.What, d.Fails = "tick", ""
			inside.do(d)
			outside.do(d)
			if k == at {
				outside.g.Trip(RecordFailed, 1, 0.5, action)
			}
			if !reflect.DeepEqual(inside.rig.sent, outside.rig.sent) || inside.g.State() != outside.g.State() {
				t.Fatalf("tick %d: %s, commands %v: want %s, %v", k, outside.g.State(), outside.rig.sent, inside.g.State(),
					inside.rig.sent)
			}
			if inside.end != nil || outside.end != nil {
				var p, q *TripError
				if !errors.As(inside.end, &p) || !errors.As(outside.end, &q) || p.End != q.End || p.T != q.T {
					t.Fatalf("ended by %v: want %v", outside.end, inside.end)
				}
				return
			}
		}
	})
}

// What StepAlone does when the loop has gone equals to the bit what Write does when the loop goes
// on: commands, states, events and the end, also where readings fail and grow old.
func TestTendCarriesOnWhatWriteBegan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawGuard(t)
		c.Late.HoldAfter, c.Late.RampAfter = 3, 6
		write := drawLab(t, c)
		tend := newLab(t, c, write.rig.follow, write.rig.gain)
		both := func(d deed, gone bool) {
			write.do(d)
			if gone {
				d.What = "tend"
			}
			tend.do(d)
		}
		both(deed{What: "arm"}, false)
		for range rapid.IntRange(1, 20).Draw(t, "ticks") {
			both(deed{What: "tick", U: drawDeed(t).U}, false)
		}
		both(deed{What: "trip", Action: Action(rapid.IntRange(1, 3).Draw(t, "action of the trip"))}, false)
		if write.g.State() == Tripped {
			return // by the limit on the velocity
		}
		for k := 0; write.end == nil; k++ {
			d := deed{What: "tick"}
			if k < 40 { // later nothing fails: the draws would take too long
				d = drawDeed(t)
				d.What = "tick"
			}
			both(d, true)
			if !reflect.DeepEqual(write.rig.sent, tend.rig.sent) || write.g.State() != tend.g.State() ||
				write.g.mover.k != tend.g.mover.k {
				t.Fatalf("%d samples after the trip, by StepAlone: %s in tick %d: want %s in tick %d", k, tend.g.State(),
					tend.g.mover.k, write.g.State(), write.g.mover.k)
			}
			if write.end == nil && !reflect.DeepEqual(write.g.watch.window, tend.g.watch.window) {
				t.Fatalf("%d samples after the trip: window %+v: want %+v", k, tend.g.watch.window, write.g.watch.window)
			}
			if !tend.done && write.end != nil || tend.done && write.end == nil {
				t.Fatalf("StepAlone says done: %t, Write %v", tend.done, write.end)
			}
		}
		if got := tend.g.Unfinished(); got == nil || got.Error() != write.end.Error() {
			t.Fatalf("ended by %v: want %v", got, write.end)
		}
		if got, want := told(tend.g), told(write.g); got != want {
			t.Fatalf("events %s: want %s", got, want)
		}
	})
}

// told are the events in words.
func told(g *Guard) string {
	out := ""
	for _, e := range g.Events() {
		out += fmt.Sprintf("%s %g of %g %s at %d; ", e.Channel, e.Value, e.Limit, e.Action, e.K)
	}
	return out
}

// A guard stopped amid anything and resumed in another one goes on with the same bits.
func TestGuardResumesAmidAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawGuard(t)
		a := drawLab(t, c)
		b := newLab(t, c, a.rig.follow, a.rig.gain)
		for range rapid.IntRange(0, 60).Draw(t, "deeds before") {
			a.do(drawDeed(t))
		}
		copy(b.rig.x, a.rig.x)
		copy(b.rig.u, a.rig.u)
		b.f.K, b.f.Read.Age = a.f.K, a.f.Read.Age
		state := rths.AppendState(nil, a.o)
		if rest := rths.SetState(state, b.o); len(rest) != 0 {
			t.Fatalf("%d values are left of the state", len(rest))
		}
		a.rig.sent = nil
		for k := range rapid.IntRange(1, 60).Draw(t, "deeds after") {
			d := drawDeed(t)
			a.do(d)
			b.do(d)
			if fmt.Sprint(a.rig.sent, a.g.State(), a.done) != fmt.Sprint(b.rig.sent, b.g.State(), b.done) {
				t.Fatalf("deed %d, %+v: sent %v, %s: want %v, %s", k, d, b.rig.sent, b.g.State(), a.rig.sent, a.g.State())
			}
			var p, q *TripError
			if errors.As(a.g.Unfinished(), &p) && errors.As(b.g.Unfinished(), &q) {
				p.Cause.Values, p.Reading, q.Reading = nil, nil, nil
				q.Cause.Values = nil
			}
			if fmt.Sprint(p) != fmt.Sprint(q) {
				t.Fatalf("resumed with the trip %v: want %v", q, p)
			}
		}
		if got, want := fmt.Sprint(rths.AppendState(nil, b.o)), fmt.Sprint(rths.AppendState(nil, a.o)); got != want {
			t.Fatalf("state\n%s\nwant\n%s", got, want)
		}
	})
}
