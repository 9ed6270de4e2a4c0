// Package rthstest holds the conformance kits of compensators and criteria, and what other
// families' tests share: what a method of the tables must keep, whatever it
// computes. Each family's test ranges over its table, so a new method is tested
// from its first line; integrators and plants are held to the same in the tests
// of their packages.
package rthstest

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/lti"
)

// Sine is a smooth target of n coordinates at tick k of the given rate: 3 mm at
// 3.6 Hz with a slower component, risen from rest over half a second.
func Sine(m *rths.Motion, k int, rateHz float64) {
	t := float64(k) / rateHz
	for i := range m.X {
		a := 0.003 / float64(i+1)
		ramp := smoothstep(t / 0.5)
		m.X[i] = ramp * a * (math.Sin(2*math.Pi*3.6*t) + 0.3*math.Sin(2*math.Pi*1.1*t))
		m.V[i] = a * 2 * math.Pi * 3.6 * math.Cos(2*math.Pi*3.6*t)
		m.A[i] = -a * math.Pow(2*math.Pi*3.6, 2) * math.Sin(2*math.Pi*3.6*t)
	}
}

// smoothstep rises from 0 to 1 with three continuous derivatives: compensators
// that differentiate three times must not be judged on a kink.
func smoothstep(u float64) float64 {
	u = min(max(u, 0), 1)
	return u * u * u * u * (35 - u*(84-u*(70-20*u)))
}

// bench is a rig in miniature: on each axis two lags of 10 ms one behind the other,
// with a stroke of ±0.1 m, and a little ripple on the reading in place of noise.
// One axis does not feel the others.
type bench struct {
	rateHz float64
	k      int
	x, y   []float64 // m
}

// stroke is the largest displacement of the bench, m; lag the time of each lag, s.
const stroke, lag = 0.1, 0.010

func newBench(axes int, rateHz float64) *bench {
	return &bench{rateHz: rateHz, x: make([]float64, axes), y: make([]float64, axes)}
}

func (b *bench) clone() *bench {
	return &bench{b.rateHz, b.k, slices.Clone(b.x), slices.Clone(b.y)}
}

// BenchModel is the kit's rig as a continuous system, from the commands of its axes to
// their displacements, for methods that are designed on a model.
func BenchModel(axes int) (lti.SS, error) {
	n := 2 * axes
	a, b, c := mat.NewDense(n, n, nil), mat.NewDense(n, axes, nil), mat.NewDense(axes, n, nil)
	for i := range axes {
		a.Set(2*i, 2*i, -1/lag)
		a.Set(2*i+1, 2*i+1, -1/lag)
		a.Set(2*i+1, 2*i, 1/lag)
		b.Set(2*i, i, 1/lag)
		c.Set(i, 2*i+1, 1)
	}
	return lti.NewSS(a, b, c, mat.NewDense(axes, axes, nil), 0)
}

func (b *bench) read(r *rths.Reading) {
	for i, x := range b.x {
		r.TrueX[i] = x
		r.X[i] = x + 1e-5*math.Sin(float64(7*b.k+i))
		r.TrueF[i], r.F[i] = 1e6*x, 1e6*r.X[i]
	}
}

func (b *bench) write(command []float64) {
	step := 1 / (lag * b.rateHz)
	for i, u := range command {
		b.y[i] += step * (min(max(u, -stroke), stroke) - b.y[i])
		b.x[i] += step * (b.y[i] - b.x[i])
	}
	b.k++
}

// drive steps a compensator on the bench for n ticks and returns its commands, tick
// by tick. change may alter what the compensator sees.
func drive(c rths.Compensator, b *bench, n int, change func(k int, t *rths.Motion, r *rths.Reading)) []float64 {
	axes := len(b.x)
	target, read, command := rths.NewMotion(axes), rths.NewReading(axes, axes), make([]float64, axes)
	var out []float64
	for range n {
		Sine(&target, b.k, b.rateHz)
		b.read(&read)
		if change != nil {
			change(b.k, &target, &read)
		}
		c.Step(command, &target, &read)
		b.write(command)
		out = append(out, command...)
	}
	return out
}

// Compensator checks a compensator of so many axes. limit is the largest command
// (m) allowed for a 4 mm target; make returns a fresh one each time.
func Compensator(t *testing.T, axes int, rateHz, limit float64, make func() rths.Compensator) {
	const n = 8192
	t.Run("equal inputs give equal bits", func(t *testing.T) {
		if !sameBits(drive(make(), newBench(axes, rateHz), n, nil), drive(make(), newBench(axes, rateHz), n, nil)) {
			t.Error("two runs over the same inputs differ")
		}
	})
	t.Run("bounded on bounded input", func(t *testing.T) {
		wantWithin(t, drive(make(), newBench(axes, rateHz), n, nil), limit)
	})
	t.Run("silence", func(t *testing.T) {
		silent := drive(make(), newBench(axes, rateHz), n, func(_ int, m *rths.Motion, r *rths.Reading) { clearAll(m, r) })
		wantWithin(t, silent, 0)
	})
	t.Run("readings that are not numbers", func(t *testing.T) { lostReadings(t, axes, rateHz, limit, make) })
	t.Run("does not look at true values", func(t *testing.T) {
		scrambled := drive(make(), newBench(axes, rateHz), n, func(k int, _ *rths.Motion, r *rths.Reading) {
			for i := range r.X {
				r.TrueX[i], r.TrueF[i] = math.NaN(), float64(k)
			}
		})
		if !sameBits(scrambled, drive(make(), newBench(axes, rateHz), n, nil)) {
			t.Error("the command depends on TrueX or TrueF")
		}
	})
	t.Run("does not look at rates unless it says so", func(t *testing.T) {
		if _, ok := rths.As[rths.RateUser](make()); ok {
			return
		}
		scrambled := drive(make(), newBench(axes, rateHz), n, func(k int, m *rths.Motion, _ *rths.Reading) {
			for i := range m.X {
				m.V[i], m.A[i] = math.NaN(), float64(k)
			}
		})
		if !sameBits(scrambled, drive(make(), newBench(axes, rateHz), n, nil)) {
			t.Error("the command depends on the target's velocity or acceleration: want UsesRates")
		}
	})
	t.Run("inputs unchanged", func(t *testing.T) { unchangedInputs(t, axes, rateHz, make()) })
	t.Run("no allocation", func(t *testing.T) { noAllocation(t, axes, rateHz, make()) })
	t.Run("stop and resume", func(t *testing.T) { resumed(t, axes, rateHz, make) })
	t.Run("freeze", func(t *testing.T) { frozen(t, axes, rateHz, make()) })
}

func noAllocation(t *testing.T, axes int, rateHz float64, c rths.Compensator) {
	target, read, command := rths.NewMotion(axes), rths.NewReading(axes, axes), make([]float64, axes)
	k := 0
	NoAllocation(t, func() {
		Sine(&target, k, rateHz)
		copy(read.X, target.X)
		c.Step(command, &target, &read)
		k++
	})
}

// lostReadings: the command stays finite and bounded when readings are lost,
// and recovers when they come back.
func lostReadings(t *testing.T, axes int, rateHz, limit float64, make func() rths.Compensator) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64} {
		got := drive(make(), newBench(axes, rateHz), 8192, func(k int, _ *rths.Motion, r *rths.Reading) {
			if k%1000 < 5 && k > 1000 && bad != math.MaxFloat64 || k == 3000 {
				last := len(r.X) - 1 // of several axes one loses its readings
				r.X[last], r.F[last] = bad, bad
			}
		})
		for k, u := range got {
			if u-u != 0 {
				t.Fatalf("command %g at tick %d after readings of %g", u, k/axes, bad)
			}
		}
		if bad != math.MaxFloat64 {
			wantWithin(t, got, 10*limit)
		}
	}
}

func unchangedInputs(t *testing.T, axes int, rateHz float64, c rths.Compensator) {
	target, read, command := rths.NewMotion(axes), rths.NewReading(axes, axes), make([]float64, axes)
	b := newBench(axes, rateHz)
	for k := range 1000 {
		Sine(&target, k, rateHz)
		b.read(&read)
		before := slices.Concat(target.X, target.V, target.A, read.X, read.F, read.TrueX, read.TrueF)
		c.Step(command, &target, &read)
		after := slices.Concat(target.X, target.V, target.A, read.X, read.F, read.TrueX, read.TrueF)
		if !sameBits(before, after) {
			t.Fatalf("tick %d: Step changed its inputs from %g to %g", k, before, after)
		}
		b.write(command)
	}
}

// resumed: a compensator stopped in the middle and set into a fresh one goes on
// with the same bits.
func resumed(t *testing.T, axes int, rateHz float64, make func() rths.Compensator) {
	const n, cut = 6000, 3333
	c, b := make(), newBench(axes, rateHz)
	drive(c, b, cut, nil)
	state, learnt := Save(c)
	middle := b.clone()
	whole := drive(c, b, n-cut, nil)
	fresh := make()
	Restore(t, fresh, state, learnt)
	if !sameBits(whole, drive(fresh, middle, n-cut, nil)) {
		t.Error("the resumed compensator differs from the one that went on")
	}
	if again, _ := Save(make()); len(again) != len(state) {
		t.Errorf("a state of %d numbers before, %d later: want a constant length", len(again), len(state))
	}
}

// frozen: adaptive parameters stay constant while frozen, and change again afterwards if
// they changed before.
func frozen(t *testing.T, axes int, rateHz float64, c rths.Compensator) {
	a, ok := rths.As[rths.Adaptive](c)
	if !ok {
		return
	}
	b := newBench(axes, rateHz)
	start := a.AppendAdaptation(nil)
	drive(c, b, 4096, nil)
	learnt := a.AppendAdaptation(nil)
	a.Freeze(true)
	drive(c, b, 4096, nil)
	if !sameBits(learnt, a.AppendAdaptation(nil)) {
		t.Error("parameters moved while frozen")
	}
	a.Freeze(false)
	drive(c, b, 4096, nil)
	if moved := !sameBits(start, learnt); moved && sameBits(learnt, a.AppendAdaptation(nil)) {
		t.Error("parameters no longer move after freezing")
	}
}

// Save returns the state of a part and what it has learnt.
func Save(part any) (state, learnt []float64) {
	if s, ok := rths.As[rths.Stateful](part); ok {
		state = s.AppendState(nil)
	}
	if a, ok := rths.As[rths.Adaptive](part); ok {
		learnt = a.AppendAdaptation(nil)
	}
	return state, learnt
}

// Restore sets what Save returned, and checks that all of it is taken.
func Restore(t *testing.T, part any, state, learnt []float64) {
	t.Helper()
	if s, ok := rths.As[rths.Stateful](part); ok {
		if rest := s.SetState(state); len(rest) != 0 {
			t.Errorf("SetState left %d of %d numbers", len(rest), len(state))
		}
	}
	if a, ok := rths.As[rths.Adaptive](part); ok {
		if rest := a.SetAdaptation(learnt); len(rest) != 0 {
			t.Errorf("SetAdaptation left %d of %d numbers", len(rest), len(learnt))
		}
	}
}

// NoAllocation runs step 500 times at once, so that one allocation among them is seen
// (per run, testing.AllocsPerRun rounds down), and wants none. What the runtime
// itself allocates now and then does not come three times.
func NoAllocation(t *testing.T, step func()) {
	t.Helper()
	if n := allocations(500, step); n > 0 {
		t.Errorf("%g allocations in 500 steps: want 0", n)
	}
}

// allocations is the least number of three runs of so many steps.
func allocations(steps int, step func()) float64 {
	least := math.Inf(1)
	for try := 0; try < 3 && least > 0; try++ {
		least = min(least, testing.AllocsPerRun(1, func() {
			for range steps {
				step()
			}
		}))
	}
	return least
}

func clearAll(m *rths.Motion, r *rths.Reading) {
	for _, s := range [][]float64{m.X, m.V, m.A, r.X, r.F, r.TrueX, r.TrueF} {
		clear(s)
	}
}

func wantWithin(t *testing.T, got []float64, limit float64) {
	t.Helper()
	for k, u := range got {
		if !(math.Abs(u) <= limit) {
			t.Fatalf("command %g m, number %d: want at most %g", u, k, limit)
		}
	}
}

// sameBits compares numbers by their bits, so that NaN equals itself.
func sameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// Long leaves a test of many numbers out of go test -short. The race detector, which makes
// it ten times slower, is run that way; the other tests show it the same goroutines.
func Long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: many numbers")
	}
}
