package kit

import (
	"math"
	"math/cmplx"

	"rths"
)

// Names of the promises of compensators.
const (
	Bounded       = "a small target gives a small command"
	BoundedRough  = "lost readings and saturation leave the command bounded"
	FiniteCommand = "a finite target gives a finite command"
	BlindToTruth  = "TrueX, TrueA and TrueF are not looked at"
	BlindToRates  = "the target's velocity and acceleration are looked at by a RateUser only"
	Freezes       = "frozen parameters do not move, and move again afterwards"
	OldTeachNo    = "old readings teach nothing"
	ModelShown    = "the parameters shown are a model of the plant"
	NeverFails    = "a step does not fail"
	ShownStay     = "channels have names of their own and stay where they are"
)

// Compensator is a compensator under test.
type Compensator struct {
	Axes   int
	RateHz float64
	Limit  float64 // the largest command allowed for a target of 4 mm, m; ten times as much while readings are lost
	Make   func() rths.Compensator

	// Learners are its parts that learn, of a method whose adaptation also says which
	// part commands: an old reading may change this. nil: the method itself.
	Learners func(rths.Compensator) []rths.Adaptive

	// Model is the frequency response that parameters, in the order of the channels, stand
	// for; nil where the compensator does not say what plant it has found.
	Model func(parameters []float64) func(hz float64) complex128
}

// seat is one tick of a compensator: all its inputs are views of one slice, in.
type seat struct {
	in      []float64 // target X, V, A, reading X, F, TrueX, TrueF, A, TrueA of all axes, then the age
	target  rths.Motion
	read    rths.Reading
	command []float64
}

func newSeat(in, command []float64) *seat {
	n := len(command)
	view := func(i int) []float64 { return in[i*n : (i+1)*n : (i+1)*n] }
	return &seat{
		in: in, command: command,
		target: rths.Motion{X: view(0), V: view(1), A: view(2)},
		read: rths.Reading{Motion: rths.Motion{X: view(3), A: view(7)}, F: view(4), TrueX: view(5), TrueF: view(6),
			TrueA: view(8)},
	}
}

// ins is how many numbers a compensator is given in a tick.
func (c *Compensator) ins() int { return 9*c.Axes + 1 }

// columns are the places of the inputs of some quantities: 0 is target.X, 8 TrueA.
func (c *Compensator) columns(quantities ...int) (out []int) {
	for _, q := range quantities {
		for i := range c.Axes {
			out = append(out, q*c.Axes+i)
		}
	}
	return out
}

func (c *Compensator) part() *part {
	made := c.Make()
	return &part{made, func(in, command []float64) func() {
		s := newSeat(in, command)
		return func() {
			s.read.Age = int(in[len(in)-1])
			made.Step(s.command, &s.target, &s.read)
		}
	}}
}

// Broken are the promises that it breaks.
func (c *Compensator) Broken() []Broken {
	var r report
	c.within(&r, Bounded, none, c.Limit)
	blown := c.within(&r, FiniteCommand, huge, math.MaxFloat64)
	given := c.within(&r, BoundedRough, rough, 10*c.Limit)
	if len(r) > 0 {
		return r // what follows would say the same in other words
	}
	s := &script{fresh: c.part, ins: c.ins(), outs: c.Axes, given: given, cuts: troubled}
	r = s.shared()
	if s.erratic {
		return r
	}
	s.still(&r, Ticks)
	s.blind(&r, BlindToTruth, c.columns(5, 6, 8)...)
	if _, uses := rths.As[rths.RateUser](c.Make()); !uses {
		s.blind(&r, BlindToRates, c.columns(1, 2)...)
	}
	c.frozen(&r, s)
	c.old(&r, s)
	c.held(&r)
	c.shown(&r, s)
	c.modelled(&r)
	if len(r) == 0 {
		c.overflown(&r, blown)
	}
	return r
}

// overflown: a method that holds its last command while a sum overflows resumes in the
// middle of that too.
func (c *Compensator) overflown(r *report, given []float64) {
	s := &script{fresh: c.part, ins: c.ins(), outs: c.Axes, given: given}
	s.first(r)
	s.resumed(r, hugeTick, hugeTick+1, hugeTick+2)
}

// within drives it on the bench and wants commands up to a limit. It returns what the
// compensator was given.
func (c *Compensator) within(r *report, promise string, trouble trouble, limit float64) []float64 {
	b, made, n := newBench(c.Axes, c.RateHz), c.Make(), c.ins()
	given := make([]float64, n*Ticks)
	s := newSeat(make([]float64, n), make([]float64, c.Axes))
	was := newSeat(make([]float64, n), s.command)
	for k := range Ticks {
		Sine(&s.target, k, c.RateHz)
		b.read(&s.read)
		trouble(b, &s.read, &was.read)
		s.in[n-1] = float64(s.read.Age)
		copy(given[k*n:], s.in)
		copy(was.in, s.in)
		was.read.Age = s.read.Age
		made.Step(s.command, &s.target, &s.read)
		if err := failed(made); err != nil {
			r.add(NeverFails, "tick %d: %v", k, err)
			return nil
		}
		for _, u := range s.command {
			if !(math.Abs(u) <= limit) {
				r.add(promise, "tick %d: %g m: want at most %g m", k, u, limit)
				return nil
			}
		}
		b.write(s.command)
	}
	return given
}

// failed is the error of a method that may fail.
func failed(made rths.Compensator) error {
	for _, f := range rths.FailersOf(made) {
		if err := f.Err(); err != nil {
			return err
		}
	}
	return nil
}

// frozen: what an adaptive compensator has learnt does not move while frozen, whatever it
// reads, and moves again afterwards if it moved before.
func (c *Compensator) frozen(r *report, s *script) {
	p := c.part()
	a, ok := rths.As[rths.Adaptive](p.self)
	if !ok {
		return
	}
	start := rths.AppendAdaptation(nil, a)
	s.run(p, 0, Ticks/2, nil)
	learnt := rths.AppendAdaptation(nil, a)
	a.Freeze(true)
	s.run(p, Ticks/2, Ticks, nil)
	if !sameBits(learnt, rths.AppendAdaptation(nil, a)) {
		r.add(Freezes, "parameters move while frozen")
	}
	a.Freeze(false)
	s.run(p, Ticks/2, Ticks, nil)
	if moved := !sameBits(start, learnt); moved && sameBits(learnt, rths.AppendAdaptation(nil, a)) {
		r.add(Freezes, "parameters no longer move after freezing")
	}
}

// shown: channels have names of their own, finite values within their bounds, and point where they pointed.
func (c *Compensator) shown(r *report, s *script) {
	p := c.part()
	ch, ok := rths.As[rths.Channeler](p.self)
	if !ok {
		return
	}
	before, seen := ch.Channels(), map[string]bool{}
	s.run(p, 0, Ticks/2, nil)
	after := ch.Channels()
	if len(before) != len(after) {
		r.add(ShownStay, "%d channels: want %d as at the start", len(after), len(before))
		return
	}
	for i, b := range before {
		a := after[i]
		if b.Name == "" || b.Unit == "" || b.V == nil || seen[b.Name] || a.Name != b.Name || a.Unit != b.Unit || a.V != b.V ||
			!rths.Finite(*b.V) {
			r.add(ShownStay, "channel %d is %+v, then %+v: want a name of its own, a unit, one place and a finite value", i+1, b,
				a)
		} else if beyondBounds(a) {
			r.add(ShownStay, "channel %s is %g, outside of its bounds", a.Name, *a.V)
		}
		seen[b.Name] = true
	}
}

// beyondBounds reports whether a channel is outside of its bounds.
func beyondBounds(c rths.Channel) bool {
	return c.Lower != nil && !(*c.V >= *c.Lower) || c.Upper != nil && !(*c.V <= *c.Upper)
}

// modelled: after a while on the bench the parameters shown are a model of it, where the
// target moves: within a fifth.
func (c *Compensator) modelled(r *report) {
	if c.Model == nil {
		return
	}
	var kept rths.Compensator
	one := *c
	one.Make = func() rths.Compensator { kept = c.Make(); return kept }
	one.within(r, Bounded, none, c.Limit)
	var parameters []float64
	if ch, ok := rths.As[rths.Channeler](kept); ok {
		for _, channel := range ch.Channels() {
			parameters = append(parameters, *channel.V)
		}
	}
	model := c.Model(parameters)
	if model == nil {
		r.add(ModelShown, "no model of %g", parameters)
		return
	}
	for _, hz := range []float64{1.1, 3.6} {
		bench := 1 / cmplx.Pow(complex(1, 2*math.Pi*hz*lag), 2)
		if got := model(hz); !(cmplx.Abs(got-bench) <= 0.2) {
			r.add(ModelShown, "%.4g at %g Hz: want about %.4g", got, hz, bench)
		}
	}
}
