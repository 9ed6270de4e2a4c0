package kit

import (
	"math"
	"math/rand/v2"

	"rths"
)

// Names of the promises of plants, specimens, couplers and rigs.
const (
	RoomAside   = "room for velocity and acceleration changes nothing else"
	RateIsPure  = "Rate looks at its arguments only and changes none"
	RateAtRest  = "at rest there is no force and no rate"
	BlindToA    = "Rate does not look at the acceleration"
	CommitsOnce = "Commit changes the states only"
	IdealBack   = "a part idealised and set back is as before"
	ThereBack   = "a coupler there and back is where it was"
)

// Stepper is a control plant (plant.Plant).
type Stepper interface {
	Step(now *rths.Reading, command []float64)
}

// Plant is a control plant under test.
type Plant struct {
	Axes, Forces int
	RateHz       float64
	Size         float64 // of its commands, m
	Ticks        int     // how long to run it; 0: Ticks
	Make         func() Stepper
}

// part: the inputs are the command; the outputs X, V, A of all axes, then F.
func (c *Plant) part() *part {
	made := c.Make()
	return &part{made, func(command, out []float64) func() {
		n := c.Axes
		now := rths.Reading{Motion: rths.Motion{X: out[:n:n], V: out[n : 2*n : 2*n], A: out[2*n : 3*n : 3*n]}, F: out[3*n:]}
		return func() { made.Step(&now, command) }
	}}
}

// Broken are the promises that it breaks.
func (c *Plant) Broken() []Broken {
	ticks := length(c.Ticks)
	s := &script{fresh: c.part, ins: c.Axes, outs: 3*c.Axes + c.Forces, given: c.commands(ticks)}
	r := s.shared()
	if s.erratic {
		return r
	}
	s.still(&r, min(ticks, 500))
	c.roomless(&r, s)
	idealBack(&r, s)
	return r
}

// commands are sines of 11 Hz with noise, rest, steps and a stretch ten times as large.
func (c *Plant) commands(ticks int) []float64 {
	out, r := make([]float64, 0, c.Axes*ticks), rand.New(rand.NewPCG(2, 1))
	for k := range ticks {
		for i := range c.Axes {
			u := c.Size / float64(i+1) * (math.Sin(2*math.Pi*11*float64(k)/c.RateHz) + 0.1*r.NormFloat64())
			switch at := float64(k) / float64(ticks); {
			case at > 0.3 && at < 0.4:
				u = 0
			case at > 0.5 && at < 0.55:
				u *= 10
			case at > 0.7 && at < 0.8:
				u = c.Size
			}
			out = append(out, u)
		}
	}
	return out
}

// roomless: a reading without room for velocity, acceleration or both has the same
// displacement and force.
func (c *Plant) roomless(r *report, s *script) {
	n := c.Axes
	for _, room := range [][2]int{{0, 0}, {n, 0}, {0, n}} {
		made, now := c.Make(), rths.NewReading(n, c.Forces)
		now.V, now.A = make([]float64, room[0]), make([]float64, room[1])
		for k := range s.ticks() / 8 {
			made.Step(&now, s.input(k))
			want := s.answer(k)
			if !sameBits(now.X, want[:n]) || !sameBits(now.F, want[3*n:]) ||
				!sameBits(now.V, want[n:n+room[0]]) || !sameBits(now.A, want[2*n:2*n+room[1]]) {
				r.add(RoomAside, "room for %d velocities and %d accelerations: tick %d differs", room[0], room[1], k)
				return
			}
		}
	}
}

// idealBack: a part made ideal and set back before its first tick is as before.
func idealBack(r *report, s *script) {
	p := s.fresh()
	ideal, ok := rths.As[rths.Idealiser](p.self)
	if !ok {
		return
	}
	ideal.Idealise(true)
	ideal.Idealise(false)
	if at := s.same(p, 0, s.ticks()/8); at >= 0 {
		r.add(IdealBack, "tick %d differs", at)
	}
}

// Rates is a specimen with states (plant.Specimen).
type Rates interface {
	Mass() float64
	States() int
	Rate(dz, force, z []float64, m *rths.Motion)
}

// Commits is a specimen with return maps (plant.Committed).
type Commits interface {
	Commit(z []float64, m *rths.Motion)
}

// Specimen are the promises that a specimen of one coordinate breaks. Its plant keeps its
// states: a specimen has no memory of its own.
func Specimen(size float64, made func() Rates) []Broken {
	s := &script{ins: made().States() + 3, outs: made().States() + 1}
	s.fresh = func() *part { return ratePart(made()) }
	r := rand.New(rand.NewPCG(3, 1))
	for k := range Ticks {
		scale := size
		if k%5 == 0 {
			scale *= 100
		}
		for range s.ins - 3 {
			s.given = append(s.given, scale*r.NormFloat64())
		}
		s.given = append(s.given, scale*r.NormFloat64(), 20*scale*r.NormFloat64(), 400*scale*r.NormFloat64())
	}
	broken := s.shared()
	if s.erratic {
		return broken
	}
	s.blind(&broken, BlindToA, s.ins-1)
	s.pure(&broken)
	s.atRest(&broken)
	committed(&broken, s, made)
	return broken
}

// ratePart: the inputs are the states, then x, v and a; the outputs the rates and the force.
func ratePart(made Rates) *part {
	return &part{made, func(in, out []float64) func() {
		n := made.States()
		m := rths.Motion{X: in[n : n+1 : n+1], V: in[n+1 : n+2 : n+2], A: in[n+2:]}
		return func() { made.Rate(out[:n:n], out[n:], in[:n:n], &m) }
	}}
}

// pure: the order in which it is asked does not matter.
func (s *script) pure(r *report) {
	p, in, out := s.fresh(), make([]float64, s.ins), make([]float64, s.outs)
	step := p.call(in, out)
	for k := s.ticks() - 1; k >= 0; k-- {
		copy(in, s.input(k))
		if step(); !sameBits(out, s.answer(k)) {
			r.add(RateIsPure, "asked in another order: %g: want %g", out, s.answer(k))
			return
		}
	}
}

func (s *script) atRest(r *report) {
	var rest report
	if s.still(&rest, 1); len(rest) > 0 {
		r.add(RateAtRest, "%s", rest[0].How)
	}
}

// committed: Commit allocates nothing, leaves the motion alone, and gives equal bits.
func committed(r *report, s *script, made func() Rates) {
	one, ok := made().(Commits)
	if !ok {
		return
	}
	other, n := made().(Commits), made().States()
	z, again, in := make([]float64, n), make([]float64, n), make([]float64, s.ins)
	m := rths.Motion{X: in[n : n+1], V: in[n+1 : n+2], A: in[n+2:]}
	for k := range s.ticks() {
		copy(in, s.input(k))
		copy(again, z)
		one.Commit(z, &m)
		other.Commit(again, &m)
		if !sameBits(z, again) || !sameBits(in, s.input(k)) {
			r.add(CommitsOnce, "call %d: states %g and %g, inputs %g: want equal states, inputs %g", k, z, again, in, s.input(k))
			return
		}
	}
	allocations, _ := Least(func() func() {
		fresh := made().(Commits)
		return func() {
			for k := range s.ticks() {
				copy(in, s.input(k))
				fresh.Commit(z, &m)
			}
		}
	})
	if allocations > 0 {
		r.add(CommitsOnce, "%d allocations in %d calls", allocations, s.ticks())
	}
}
