//go:build !js

package module

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/tetratelabs/wazero/api"

	"rths"
	"rths/model/device"
	"rths/model/plant"
)

// mostStates of a law: its slopes are measured with each of them.
const mostStates = 64

// Make makes an instance of the module with a memory of its own, fills in the parameters that were left out, and
// measures the law.
func (p *Law) Make() (plant.Specimen, error) {
	c, err := (*WASM)(p).start(aLaw, 0, 0)
	if err != nil {
		return nil, err
	}
	l := &law{of: c, file: p.File}
	for i, z := range c.table.of(entryState) {
		for k := range z.count {
			l.z = append(l.z, z.at+8*k)
			l.dz = append(l.dz, c.table.of(entryDerivative)[i].at+8*k)
		}
	}
	if l.slopes, err = device.Measure(l); err == nil {
		err = l.wantPure()
	}
	if l.err != nil { // whatever was measured of it
		return nil, &KeyError{"file", l.err}
	}
	if err != nil {
		return nil, &KeyError{"file", fmt.Errorf("%s: %w (docs/guides/method-of-your-own.md)", p.File, err)}
	}
	return &device.Mounted{Law: l}, nil
}

// settleLaw wants a derivative of each state, and nothing that a law does not use. The entry now, which RTHS_TABLE
// makes, stays as it is.
func (c *wasm) settleLaw() error {
	for _, kind := range []entryKind{entryRates, entryLearnt, entryShown} {
		if v := c.table[kind]; v != nil {
			return fmt.Errorf("%s %s: a law has parameters, states and derivatives alone: leave it out", kind, v[0].name)
		}
	}
	z, d, states := c.table[entryState], c.table[entryDerivative], uint32(0)
	same := func(z, d variable) bool { states += z.count; return z.name == d.name && z.count == d.count }
	switch {
	case !slices.EqualFunc(z, d, same):
		return errors.New("states and derivatives differ: want DERIVATIVE(z, dz) for each STATE(z), of as many doubles and in " +
			"the same order")
	case states > mostStates:
		return fmt.Errorf("%d states: want at most %d", states, mostStates)
	case states > 0:
		return c.module.wantExports("rate")
	}
	return nil
}

// law is an instance of a module that is the law of a device.
type law struct {
	of     *wasm
	file   string
	z, dz  []uint32 // addresses of states and derivatives
	slopes device.Slopes
	err    error // of the call that failed: the module is not called any more
}

// wantPure wants the same bits from calls in another order.
func (l *law) wantPure() error {
	z := make([]float64, len(l.z))
	for _, x := range []float64{0.1, -0.003, 0.02} {
		first := l.Force(x, 5*x, z)
		l.Force(-x, 0.2, z)
		if again := l.Force(x, 5*x, z); again != first {
			return fmt.Errorf("force(%g, %g) is %g N, and %g N when asked again: want it to hang on x, v, parameters and "+
				"states alone; what a law remembers is a STATE", x, 5*x, first, again)
		}
	}
	return nil
}

// States is the number of states in the table.
func (l *law) States() int { return len(l.z) }

// Force is the module's; NaN once a call has failed.
func (l *law) Force(x, v float64, z []float64) float64 {
	if !l.set(z) || !rths.Finite(x+v) {
		return math.NaN()
	}
	c := l.of
	c.stack[0], c.stack[1] = api.EncodeF64(x), api.EncodeF64(v)
	if err := c.call.CallWithStack(always, c.stack); err != nil {
		return l.fail("force(%.4g, %.4g) %w", x, v, c.trapped(err))
	}
	f := api.DecodeF64(c.stack[0])
	if !rths.Finite(f) {
		return l.fail("force(%.4g, %.4g) is %g N: want a finite number", x, v, f)
	}
	return f
}

// Rate is the module's; NaN once a call has failed.
func (l *law) Rate(dz, z []float64, v float64) {
	called := len(z) > 0 && l.set(z) && rths.Finite(v)
	if called {
		l.of.stack[0] = api.EncodeF64(v)
		if err := l.of.rate.CallWithStack(always, l.of.stack); err != nil {
			l.fail("rate(%.4g) %w", v, l.of.trapped(err))
		}
	}
	for i, at := range l.dz {
		dz[i] = math.NaN()
		if called && l.err == nil {
			if dz[i] = l.of.load(at); !rths.Finite(dz[i]) {
				l.fail("rate(%.4g) sets derivative %d to %g: want a finite number", v, i+1, dz[i])
			}
		}
	}
}

func (l *law) fail(format string, args ...any) float64 {
	l.err = fmt.Errorf("%s: %w", l.file, fmt.Errorf(format, args...))
	return math.NaN()
}

// set hands the states over, and reports whether the module can be called.
func (l *law) set(z []float64) bool {
	if l.err != nil {
		return false
	}
	for i, at := range l.z {
		if !rths.Finite(z[i]) {
			return false
		}
		l.of.store(at, z[i])
	}
	return true
}

// Commit does nothing: states have a rate.
func (l *law) Commit([]float64, float64) {}

// AtRest is the stiffness at rest. How much of the damping is there at every speed is not known: 0.
func (l *law) AtRest() (k, c float64) { return l.slopes.AtRest, 0 }

// Steepest is the steepest that was measured.
func (l *law) Steepest() (k, c, rate float64) { return l.slopes.K, l.slopes.C, l.slopes.Rate }

// Stored is not known: 0, as if all were dissipated.
func (l *law) Stored(float64, []float64) float64 { return 0 }

// Err is why a call failed; nil: none did. See rths.Failer.
func (l *law) Err() error { return l.err }
