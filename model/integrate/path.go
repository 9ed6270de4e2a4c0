package integrate

import (
	"errors"
	"fmt"
	"math"

	"rths"
)

// Arrival is what came from a Client.
type Arrival int

// What may have come.
const (
	Nothing   Arrival = iota // yet
	NewTarget                // a displacement that the specimen has not been brought to
	TheEnd                   // the analysis is over
)

// Client is an analysis in another program, which integrates the numerical part: it gives target
// displacements and waits for the force at each of them. The loop calls its methods within a tick.
//
// A Client of a virtual run waits: its Next returns when something has come. A Client of a test in real
// time never waits: its Next returns Nothing until something has come.
type Client interface {
	// Next writes the next target, m, into x. The error of an analysis that has gone, or whose target is not
	// finite, ends the run in the guard's hands.
	Next(x []float64) (Arrival, error)

	// Answer gives the client what was measured at the target that Next gave last: displacements in m and
	// forces in N.
	Answer(now *rths.Reading)

	// Hold says that the guard acts, and that nothing is answered any more: from here on the client gets the
	// answer before, whatever it asks for, until it leaves.
	Hold()
}

// Path moves the interface from target to target of a Client, in place of an integrator: the loop of the
// controller's rate in the three-loop architecture (Schellenberg, Mahin and Fenves 2009, section 2.5;
// Mosqueda, Stojadinovic and Mahin 2005). The target of the client is reached in Samples samples by
// interpolation, and the last of them is the target exactly. There a ramp holds (Hold). The force read there goes to
// the client. While the next target has not come, a cubic goes on by extrapolation, slows down, and holds. When the
// client has said farewell, the path slows down at once, twice as gently where there is room within Samples, and stands
// for Rest samples. Then the run ends.
//
// Its target is that of t_k+1, and the reading of the tick in which it is reached belongs to it: use it
// with timing "next", without a force delay. The ground motion is the client's: Path uses none.
type Path struct {
	Samples int // samples from target to target, at least 1; a ramp may need more, see Speed
	// samples for which the path goes on while the next target has not come, 0 to MostExtrapolated(Samples)
	Extrapolate int
	Ramp        Ramp
	Speed       float64 // of a ramp: largest, m (rad) per sample; 0: any
	Hold        Hold    // at the targets of a ramp
	Rest        int     // samples for which a cubic stands after the farewell, 0 or more: command and specimen follow
	Client      Client  // nil: the run fails in its first tick; Paced is the numerical part itself

	// Acting reports whether the guard has taken over; nil: there is none.
	Acting func() bool
}

// States of the path, as path_state shows them.
const (
	correcting = iota // on the way to a target
	predicting        // the next target has not come yet: extrapolation
	slowing           // it has not come for longer than Extrapolate
	holding           // the path stands
	settling          // it stands at a target whose force has not been read
)

// mostSamples is the longest way to a target, samples.
const mostSamples = 1e9

// Stands reports whether the specimen stands when its force is read. A path with a target for every sample and no hold
// has targets alone, and moves on.
func (e *Path) Stands() bool {
	return e.Ramp != Cubic && (e.Samples > 1 || e.Hold.Settled > 1 || e.Hold.Tolerance > 0)
}

// MostExtrapolated is the most samples of extrapolation between targets that are so many apart: a quarter of the
// way is left for the correction.
func MostExtrapolated(samples int) int { return 3 * samples / 4 }

// path is the integrator of a Path.
type path struct {
	*Path
	h       float64 // s
	way     []way
	state   int
	left    int  // samples to the target
	length  int  // samples of the way to it
	waited  int  // samples since the target before was reached
	answer  bool // the reading of this tick belongs to the target
	waiting bool // the client has its answer, and has not given a target
	begun   bool // there was a target
	held    bool // the guard acts
	ended   bool
	stands  standing
	full    int // samples after a target for which the path goes on at full speed
	slow    int // samples for which it slows down then
	stood   int // samples for which it has stood
	so      Targets
	next    []float64
	err     error

	newTarget, switchPC, atTarget, late, stateV, endedV float64
}

// way is one coordinate of the path; all times in samples.
type way struct {
	x, v, a     float64    // the path at the newest instant: per sample, per sample squared
	from, slope float64    // where the way began, and its velocity
	to          float64    // the target
	rate        float64    // velocity at the target: of the cubic through it and the three before
	bend, twist float64    // its acceleration and jerk there
	past        [3]float64 // the three targets before, the newest first
}

// Make makes the integrator of n coordinates, for samples of h (s).
func (e *Path) Make(n int, h float64) (rths.Integrator, error) {
	switch {
	case n < 1:
		return nil, fmt.Errorf("path: %d coordinates: want 1 or more", n)
	case e.Samples < 1:
		return nil, fmt.Errorf("path: %d samples from target to target: want 1 or more", e.Samples)
	case e.Rest < 0:
		return nil, fmt.Errorf("path: rest of %d samples: want 0 or more", e.Rest)
	case !(e.Speed >= 0) || math.IsInf(e.Speed, 0):
		return nil, fmt.Errorf("path: speed %g m per sample: want 0 (any) or more", e.Speed)
	case e.Ramp == Cubic && (e.Hold != Hold{} || e.Speed != 0):
		return nil, errors.New("path: a cubic with a hold or a speed limit: want a ramp")
	case e.Extrapolate < 0 || e.Extrapolate > MostExtrapolated(e.Samples):
		return nil, fmt.Errorf("path: extrapolation of %d samples: want 0 to %d, three quarters of those from target "+
			"to target", e.Extrapolate, MostExtrapolated(e.Samples))
	}
	if err := e.Hold.check(); err != nil {
		return nil, fmt.Errorf("path: %w", err)
	}
	p := &path{Path: e, h: h, way: make([]way, n), next: make([]float64, n), waiting: true, state: holding,
		full: e.Extrapolate, slow: (e.Samples + 1) / 2, stands: newStanding(e.Hold, n)}
	if steps, ok := e.Client.(*Paced); ok {
		p.answer = true // the force at rest, or at the displacement that the test starts from
		return &pacedPath{p, steps}, nil
	}
	return p, nil
}

// Closing is false: the target is that of t_k+1.
func (e *path) Closing() bool { return false }

// Err is why the client gives no targets any more.
func (e *path) Err() error { return e.err }

// Finished reports whether the client has ended the analysis and the path has come to rest. A guard that has acted
// meanwhile ends the run itself.
func (e *path) Finished() bool {
	return e.ended && !e.held && e.state == holding && (e.Ramp != Cubic || e.stood >= e.Rest)
}

// Targets is what has become of the client's targets.
type Targets struct {
	Late    int // targets that came later than Extrapolate samples after the previous answer
	Longest int // samples from an answer to the next target, the largest number
	Resting int // samples since the client's farewell
}

// Targets is what has become of the targets so far.
func (e *path) Targets() Targets { return e.so }

// Holds is what the holds have come to so far.
func (e *path) Holds() Holds { return e.stands.sum }

var errNoClient = errors.New("an external structure without its client: only rths run and rths test have one")

// Step gives the target of t_k+1. If the target before was that of a client, felt is what it waits for.
func (e *path) Step(target *rths.Motion, _ []float64, felt *rths.Reading) {
	e.newTarget, e.atTarget = 0, 0
	e.listen(felt)
	switch {
	case e.err != nil:
		for i := range target.X {
			target.X[i], target.V[i], target.A[i] = math.NaN(), 0, 0
		}
		return
	case e.held:
		e.state = holding
	}
	e.move()
	e.switchPC, e.stateV = 0, float64(e.state)
	if e.state == correcting {
		e.switchPC = 1
	}
	for i := range e.way {
		w := &e.way[i]
		target.X[i], target.V[i], target.A[i] = w.x, w.v/e.h, w.a/(e.h*e.h)
	}
}

// listen answers the client and takes its next target.
func (e *path) listen(felt *rths.Reading) {
	if !e.held && e.Acting != nil && e.Acting() {
		e.held = true
		if e.Client != nil {
			e.Client.Hold()
		}
	}
	switch {
	case e.held || e.ended || e.err != nil:
		return
	case e.Client == nil:
		e.err = errNoClient
		return
	case e.answer:
		counts, err := felt, error(nil)
		if e.Ramp != Cubic {
			if counts, err = e.stands.take(e.way, felt); counts == nil {
				e.state, e.err = settling, err
				return
			}
		}
		e.answer, e.waiting, e.waited, e.atTarget, e.state = false, true, 0, 1, predicting
		e.Client.Answer(counts)
	}
	if !e.waiting {
		return
	}
	what, err := e.Client.Next(e.next)
	switch {
	case err != nil:
		e.err = err
	case what == TheEnd:
		e.end()
	case what == NewTarget:
		e.take()
	}
}

// end begins the way to rest. What slows down already goes on doing so.
func (e *path) end() {
	e.ended, e.endedV = true, 1
	if e.waited <= e.Extrapolate {
		e.full = e.waited
		e.slow = max(e.slow, min(e.Samples, 2*(e.Samples-e.full)))
	}
}

// take begins the way to a new target.
func (e *path) take() {
	e.length = e.Samples
	if e.begun { // a target in time is reached Samples after the one before
		e.length -= min(e.waited, e.Extrapolate)
		e.see(e.waited - e.Extrapolate)
	}
	if e.Speed > 0 {
		for i := range e.way {
			d := math.Abs(e.next[i] - e.way[i].x)
			e.length = max(e.length, int(math.Ceil(min(d*e.Ramp.steepest()/e.Speed, mostSamples))))
		}
	}
	e.left, e.state, e.stood, e.waiting, e.begun, e.newTarget = e.length, correcting, 0, false, true, 1
	for i := range e.way {
		e.way[i].turn(e.next[i], float64(e.Samples), e.Ramp != Cubic)
	}
}

// see counts a target that came over samples too late; 0 or less: in time.
func (e *path) see(over int) {
	e.so.Longest = max(e.so.Longest, e.waited)
	if over > 0 {
		e.so.Late++
		e.late += float64(over)
	}
}

// turn begins the way to the next target. With the polynomial through the last four targets, n samples apart,
//
//	ẋ = (11 d₀ − 18 d₁ + 9 d₂ − 2 d₃)/6n,  ẍ = (2 d₀ − 5 d₁ + 4 d₂ − d₃)/n²,  x⃛ = (d₀ − 3 d₁ + 3 d₂ − d₃)/n³
//
// at the newest one, d₀.
func (w *way) turn(next, n float64, ramp bool) {
	w.from, w.slope = w.x, w.v
	w.past = [3]float64{w.to, w.past[0], w.past[1]}
	w.to = next
	if ramp {
		return
	}
	d1, d2, d3 := w.past[0], w.past[1], w.past[2]
	w.rate = (11*next - 18*d1 + 9*d2 - 2*d3) / (6 * n)
	w.bend = (2*next - 5*d1 + 4*d2 - d3) / (n * n)
	w.twist = (next - 3*d1 + 3*d2 - d3) / (n * n * n)
}

// move brings the path to the next instant.
func (e *path) move() {
	if e.state == correcting {
		e.approach()
		return
	}
	if e.answer { // the path stands, and settles
		for i := range e.way {
			e.way[i].v, e.way[i].a = 0, 0
		}
		return
	}
	e.waited++
	if e.ended {
		e.so.Resting++
	}
	e.goOn()
}

// approach is the next sample on the way to the target: the last is the target itself.
func (e *path) approach() {
	e.left--
	n := float64(e.length)
	s := 1 - float64(e.left)/n
	for i := range e.way {
		w := &e.way[i]
		d, p, q := w.to-w.from, n*w.slope, n*w.rate
		switch e.Ramp { // neither ramp goes beyond the target
		case Linear:
			w.x, w.v, w.a = w.from+d*s, d/n, 0
		case Smooth:
			w.x = w.from + d*s*s*s*(10-s*(15-6*s))
			w.v = 30 * d * s * s * (1 - s) * (1 - s) / n
			w.a = 60 * d * s * (1 - s) * (1 - 2*s) / (n * n)
		default: // cubic Hermite polynomial
			w.x = w.from + s*(p+s*(3*d-2*p-q+s*(p+q-2*d)))
			w.v = (p + s*(2*(3*d-2*p-q)+3*s*(p+q-2*d))) / n
			w.a = (2*(3*d-2*p-q) + 6*s*(p+q-2*d)) / (n * n)
		}
		if e.left == 0 {
			w.x, w.v = w.to, w.rate
		}
	}
	if e.left == 0 {
		e.answer = true
		e.stands.begin()
	}
}

// goOn goes on past the target, along the polynomial through the last four: for full samples at full speed, then
// slower and slower for slow samples, with the speed r of a clock that stops. A ramp stands at its target.
func (e *path) goOn() {
	if e.Ramp != Cubic {
		e.state = holding
	}
	if e.state == holding {
		e.stood++
		for i := range e.way {
			e.way[i].v, e.way[i].a = 0, 0
		}
		return
	}
	t, r, slows := float64(e.waited), 1.0, 0.0 // time on the polynomial, its rate, and the rate of that
	if q := e.waited - e.full; q > 0 {
		most := float64(e.slow)
		over := min(float64(q), most)
		t = float64(e.full) + over - over*over/(2*most)
		r, slows = 1-over/most, -1/most
		e.state = slowing
		if r == 0 {
			e.state, slows = holding, 0
		}
	}
	for i := range e.way {
		w := &e.way[i]
		v := w.rate + t*(w.bend+t*w.twist/2)
		w.x = w.to + t*(w.rate+t*(w.bend/2+t*w.twist/6))
		w.v, w.a = v*r, (w.bend+t*w.twist)*r*r+v*slows
	}
}

// Channels are the flags of the three-loop architecture and what became of late targets.
func (e *path) Channels() []rths.Channel {
	out := []rths.Channel{
		{Meaning: rths.Meaning{Quantity: "new_target"}, Unit: "-", V: &e.newTarget},
		{Meaning: rths.Meaning{Quantity: "switch_pc"}, Unit: "-", V: &e.switchPC},
		{Meaning: rths.Meaning{Quantity: "at_target"}, Unit: "-", V: &e.atTarget},
		{Meaning: rths.Meaning{Quantity: "path_state"}, Unit: "-", V: &e.stateV},
		{Meaning: rths.Meaning{Quantity: "late_samples"}, Unit: "-", V: &e.late},
		{Meaning: rths.Meaning{Quantity: "client_ended"}, Unit: "-", V: &e.endedV},
	}
	for i := range e.way {
		of := rths.Meaning{Quantity: "client_target", Axis: rths.Component(i, len(e.way))}
		out = append(out, rths.Channel{Meaning: of, Unit: "m", V: &e.way[i].to})
	}
	if e.Ramp != Cubic {
		out = append(out, e.stands.channels()...)
	}
	rths.NamedChannels(out)
	if c, ok := e.Client.(rths.Channeler); ok {
		out = append(out, c.Channels()...)
	}
	return out
}
