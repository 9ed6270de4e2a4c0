package kit

import (
	"errors"
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"rths"
)

// sound is a compensator that keeps every promise: the target, with an offset that follows
// the last tracking errors, so slowly that a learnt gain shows.
type sound struct {
	past   [4]float64 // tracking errors, newest first
	gain   float64    // learnt
	frozen bool
	ticks  int
}

func (c *sound) Step(command []float64, target *rths.Motion, read *rths.Reading) {
	c.ticks++
	e := target.X[0] - read.X[0]
	if !rths.Finite(e) || math.Abs(e) > 1 {
		e = c.past[0]
	}
	copy(c.past[1:], c.past[:])
	c.past[0] = e
	if !c.frozen && read.Age == 0 {
		c.gain = 0.999*c.gain + 0.001*e
	}
	command[0] = target.X[0] + 0.01*(c.past[0]+c.past[3]) + 0.01*c.gain
}

func (c *sound) VisitState(v *rths.StateVisitor) { v.Floats(c.past[:]) }

func (c *sound) Freeze(on bool)                       { c.frozen = on }
func (c *sound) VisitAdaptation(v *rths.StateVisitor) { v.Float(&c.gain) }

func (c *sound) Channels() []rths.Channel {
	return []rths.Channel{{Name: "gain", Unit: "-", V: &c.gain}}
}

// bad is the sound one with something done to each step.
type bad struct {
	sound
	do func(c *bad, command []float64, target *rths.Motion, read *rths.Reading)

	kept  []float64
	own   float64
	grown []float64
}

func (c *bad) Step(command []float64, target *rths.Motion, read *rths.Reading) {
	c.sound.Step(command, target, read)
	c.do(c, command, target, read)
}

func (c *bad) VisitState(v *rths.StateVisitor) {
	c.sound.VisitState(v)
	v.Floats(c.grown)
}

// What bad methods leave outside themselves.
var (
	heap   []float64
	global float64
)

// badSteps break one promise each, some of them a second one with it.
var badSteps = map[string]struct {
	promises []string
	do       func(c *bad, command []float64, target *rths.Motion, read *rths.Reading)
}{
	"allocates after 5000 ticks": {[]string{NoAllocations}, func(c *bad, _ []float64, _ *rths.Motion, _ *rths.Reading) {
		if c.ticks == 5000 {
			heap = make([]float64, 3)
		}
	}},
	"allocates when a reading is lost": {[]string{NoAllocations},
		func(_ *bad, _ []float64, _ *rths.Motion, read *rths.Reading) {
			if !rths.Finite(read.X[0]) {
				heap = make([]float64, 3)
			}
		}},
	"allocates when a reading is repeated": {[]string{NoAllocations},
		func(_ *bad, _ []float64, _ *rths.Motion, read *rths.Reading) {
			if read.Age == 80 {
				heap = make([]float64, 3)
			}
		}},
	"allocates when the actuator saturates": {[]string{NoAllocations},
		func(_ *bad, _ []float64, target *rths.Motion, read *rths.Reading) {
			if math.Abs(target.X[0]-read.X[0]) > 3.6e-3 {
				heap = make([]float64, 3)
			}
		}},
	"starts a goroutine": {[]string{NoGoroutines}, func(c *bad, _ []float64, _ *rths.Motion, _ *rths.Reading) {
		if c.ticks == 7000 {
			go func() {}()
		}
	}},
	"rests on a package variable": {[]string{EqualBits}, func(_ *bad, command []float64, _ *rths.Motion, _ *rths.Reading) {
		global += 1e-9
		command[0] += global
	}},
	"grows its state": {[]string{NoAllocations, ConstantState, Resumes},
		func(c *bad, _ []float64, _ *rths.Motion, _ *rths.Reading) {
			if c.ticks == 4444 {
				c.grown = append(c.grown, 1)
			}
		}},
	"looks at the truth": {[]string{BlindToTruth}, func(_ *bad, command []float64, _ *rths.Motion, read *rths.Reading) {
		if read.Age > 90 {
			command[0] = read.TrueX[0]
		}
	}},
	"looks at the true force": {[]string{BlindToTruth},
		func(_ *bad, command []float64, _ *rths.Motion, read *rths.Reading) {
			command[0] += 1e-12 * read.TrueF[0]
		}},
	"looks at the velocity": {[]string{BlindToRates},
		func(_ *bad, command []float64, target *rths.Motion, _ *rths.Reading) {
			command[0] += 1e-3 * target.V[0]
		}},
	"changes its inputs": {[]string{InputsStay}, func(c *bad, _ []float64, _ *rths.Motion, read *rths.Reading) {
		if c.ticks == 6150 {
			read.F[0] = 0
		}
	}},
	"clips its inputs": {[]string{InputsStay}, func(_ *bad, _ []float64, target *rths.Motion, _ *rths.Reading) {
		target.X[0] = min(target.X[0], 0.003)
	}},
	"writes to the last destination": {[]string{NothingKept},
		func(c *bad, command []float64, _ *rths.Motion, _ *rths.Reading) {
			if c.kept != nil {
				c.kept[0] = command[0]
			}
			c.kept = command
		}},
	"reads its destination": {[]string{NothingKept, Resumes},
		func(c *bad, command []float64, _ *rths.Motion, _ *rths.Reading) {
			last := 0.0
			if c.kept != nil {
				last = c.kept[0]
			}
			c.kept = command[:1]
			if rths.Finite(last) {
				command[0] += 1e-6 * last
			}
		}},
	"keeps the first reading": {[]string{NothingKept, Resumes},
		func(c *bad, command []float64, _ *rths.Motion, read *rths.Reading) {
			if c.kept == nil {
				c.kept = read.X
			}
			if rths.Finite(c.kept[0]) {
				command[0] += 1e-6 * c.kept[0]
			}
		}},
	"forgets a register": {[]string{Resumes}, func(c *bad, command []float64, target *rths.Motion, _ *rths.Reading) {
		command[0] += 1e-6 * c.own
		c.own = target.X[0]
	}},
	"forgets what happened long ago": {[]string{Resumes},
		func(c *bad, command []float64, _ *rths.Motion, read *rths.Reading) {
			if !rths.Finite(read.X[0]) {
				c.own = 1e-6
			}
			command[0] += c.own
		}},
	"forgets the last good reading": {[]string{Resumes},
		func(c *bad, command []float64, _ *rths.Motion, read *rths.Reading) {
			if rths.Finite(read.X[0]) {
				c.own = read.X[0]
			} else {
				command[0] += 1e-6 * c.own
			}
		}},
	"learns while frozen": {[]string{Freezes}, func(c *bad, _ []float64, target *rths.Motion, _ *rths.Reading) {
		if c.frozen {
			c.gain += 1e-9
		}
	}},
	"never learns again": {[]string{Freezes}, func(c *bad, _ []float64, _ *rths.Motion, _ *rths.Reading) {
		if c.frozen {
			c.ticks = -1 << 40
		}
		if c.ticks < 0 {
			c.gain = 0
		}
	}},
	"learns from old readings": {[]string{OldTeachNo}, func(c *bad, _ []float64, _ *rths.Motion, read *rths.Reading) {
		if read.Age > 200 && !c.frozen {
			c.gain += 1e-9
		}
	}},
	"learns the jump behind old readings": {[]string{OldTeachNo},
		func(c *bad, _ []float64, _ *rths.Motion, read *rths.Reading) {
			if jump := c.past[0] - c.past[1]; math.Abs(jump) > 1e-4 && read.Age == 0 && !c.frozen {
				c.gain += 3 * jump
			}
		}},
	"passes NaN on": {[]string{BoundedRough}, func(_ *bad, command []float64, _ *rths.Motion, read *rths.Reading) {
		command[0] += 1e-9 * read.X[0]
	}},
	"overflows": {[]string{FiniteCommand, BoundedRough},
		func(_ *bad, command []float64, _ *rths.Motion, read *rths.Reading) {
			if r := read.X[0] * read.X[0]; r > 1 {
				command[0] += r
			}
		}},
	"winds up": {[]string{BoundedRough}, func(c *bad, command []float64, target *rths.Motion, read *rths.Reading) {
		if math.Abs(target.X[0]-read.X[0]) > 3.6e-3 {
			c.gain += 2
		}
	}},
	"is too large": {[]string{Bounded}, func(_ *bad, command []float64, _ *rths.Motion, _ *rths.Reading) {
		command[0] *= 100
	}},
	"moves at rest": {[]string{RestIsRest}, func(_ *bad, command []float64, target *rths.Motion, _ *rths.Reading) {
		if target.X[0] == 0 {
			command[0] += 1e-6
		}
	}},
}

func onBench(make func() rths.Compensator) []Broken {
	c := Compensator{Axes: 1, RateHz: 4096, Limit: 0.1, Make: make}
	return c.Broken()
}

// wantBroken wants these promises broken and no other.
func wantBroken(t *testing.T, got []Broken, promises ...string) {
	t.Helper()
	var names []string
	for _, b := range got {
		if b.How == "" {
			t.Errorf("%s: want what was found", b)
		}
		if b.Promise == NoAllocations && slices.Contains(promises, NoGoroutines) {
			continue // a goroutine may need new memory, or reuse the memory of a finished one
		}
		names = append(names, b.Promise)
	}
	if !slices.Equal(names, promises) {
		t.Errorf("broken promises %q: want %q", got, promises)
	}
}

// unfilled leaves its destination as it is while a reading is lost.
type unfilled struct{}

func (unfilled) Step(command []float64, target *rths.Motion, read *rths.Reading) {
	if rths.Finite(read.X[0]) {
		command[0] = target.X[0]
	}
}

func TestUnfilledDestinationIsSeen(t *testing.T) {
	wantBroken(t, onBench(func() rths.Compensator { return unfilled{} }), Filled)
}

func TestSoundCompensatorPasses(t *testing.T) {
	keeps(t, onBench(func() rths.Compensator { return &sound{} }))
}

func TestBadCompensatorsAreSeen(t *testing.T) {
	skipShort(t)
	for name, b := range badSteps {
		t.Run(name, func(t *testing.T) {
			global = 0
			wantBroken(t, onBench(func() rths.Compensator { return &bad{do: b.do} }), b.promises...)
		})
	}
}

func TestWrongModelsAreSeen(t *testing.T) {
	bench := func(hz float64) complex128 { return 1 / cmplx.Pow(complex(1, 2*math.Pi*hz*lag), 2) }
	for name, m := range map[string]struct {
		promises []string
		model    func(parameters []float64) func(hz float64) complex128
	}{
		"right": {nil, func([]float64) func(float64) complex128 { return bench }},
		"none":  {[]string{ModelShown}, func([]float64) func(float64) complex128 { return nil }},
		"of two": {[]string{ModelShown}, func(p []float64) func(float64) complex128 {
			return map[bool]func(float64) complex128{true: bench}[len(p) == 2]
		}},
		"not a number": {[]string{ModelShown, ModelShown},
			func([]float64) func(float64) complex128 { return func(float64) complex128 { return cmplx.NaN() } }},
		"another plant": {[]string{ModelShown},
			func([]float64) func(float64) complex128 { return func(hz float64) complex128 { return bench(2 * hz) } }},
	} {
		t.Run(name, func(t *testing.T) {
			global = 0
			c := Compensator{Axes: 1, RateHz: 4096, Limit: 0.1, Make: func() rths.Compensator { return &sound{} },
				Model: m.model}
			wantBroken(t, c.Broken(), m.promises...)
		})
	}
}

// badChannels shows a channel that moves to another place.
type badChannels struct{ sound }

func (c *badChannels) Channels() []rths.Channel {
	moved := c.gain
	return []rths.Channel{{Name: "gain", Unit: "-", V: &moved}}
}

func TestMovedChannelsAreSeen(t *testing.T) {
	wantBroken(t, onBench(func() rths.Compensator { return &badChannels{} }), ShownStay)
}

// badBounds shows a parameter outside of the bounds that it states.
type badBounds struct{ sound }

func (c *badBounds) Channels() []rths.Channel {
	out := c.sound.Channels()
	out[0].Lower = new(*out[0].V + 1)
	return out
}

func TestParametersOutsideOfTheirBoundsAreSeen(t *testing.T) {
	wantBroken(t, onBench(func() rths.Compensator { return &badBounds{} }), ShownStay)
}

func keeps(t *testing.T, broken []Broken) {
	t.Helper()
	for _, b := range broken {
		t.Error(b)
	}
}

// A method that fails breaks one promise, and says when and why.
func TestFailing(t *testing.T) {
	for failing := range 3 {
		c := Compensator{Axes: 1, RateHz: 4096, Limit: 0.1,
			Make: func() rths.Compensator { return &fails{at: [...]int{1 << 30, 0, 1003}[failing]} }}
		broken := c.Broken()
		if failing == 0 {
			keeps(t, broken)
			continue
		}
		if len(broken) == 0 || broken[0].Promise != NeverFails ||
			broken[0].How != [...]string{"", "tick 0: by design", "tick 1003: by design"}[failing] {
			t.Errorf("broken %v: want %q first", broken, NeverFails)
		}
	}
}

// fails is a sound compensator with an error from a tick on.
type fails struct {
	sound
	at int
}

func (c *fails) Err() error {
	if c.ticks > c.at {
		return errors.New("by design")
	}
	return nil
}

// skipShort leaves a test of many numbers out of go test -short, as rthstest.Long does.
func skipShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: many numbers")
	}
}
