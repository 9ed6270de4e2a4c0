//go:build !js

package module

import (
	"fmt"
	"math"

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

// settleLaw wants a derivative of each state, in the order of the states, and nothing that a law does not use. The
// entry now, which RTHS_TABLE makes, stays as it is.
func (c *wasm) settleLaw() error {
	for _, kind := range []entryKind{entryRates, entryLearnt, entryShown} {
		if v := c.table[kind]; v != nil {
			return fmt.Errorf("%s %s: a law has parameters, states and derivatives alone: leave it out", kind, v[0].name)
		}
	}
	found := map[string]variable{}
	for _, d := range c.table[entryDerivative] {
		found[d.name] = d
	}
	if d, z := len(found), len(c.table[entryState]); d > z {
		return fmt.Errorf("%d derivatives of %d states: want STATE(z) for each DERIVATIVE(z, dz)", d, z)
	}
	states := uint32(0)
	c.table[entryDerivative] = nil
	for _, z := range c.table[entryState] {
		d := found[z.name]
		if d.count != z.count {
			return fmt.Errorf("state %s of %d doubles has a derivative of %d: want DERIVATIVE(%[1]s, dz), with as many", z.name,
				z.count, d.count)
		}
		c.table[entryDerivative] = append(c.table[entryDerivative], d)
		states += z.count
	}
	switch {
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
	x := []float64{0.1, -0.003, 0.02, -0.1, 0}
	first := make([]float64, len(x))
	for i, x := range x {
		first[i] = l.Force(x, 5*x, z)
	}
	for i := len(x) - 1; i >= 0; i-- {
		if again := l.Force(x[i], 5*x[i], z); again != first[i] {
			return fmt.Errorf("force(%g, %g) is %g N, and %g N when asked again: want it to hang on x, v, parameters and "+
				"states alone; what a law remembers is a STATE", x[i], 5*x[i], first[i], again)
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
		l.err = fmt.Errorf("%s: force(%.4g, %.4g) %w", l.file, x, v, c.trapped(err))
		return math.NaN()
	}
	f := api.DecodeF64(c.stack[0])
	if !rths.Finite(f) {
		l.err = fmt.Errorf("%s: force(%.4g, %.4g) is %g N: want a finite number", l.file, x, v, f)
		return math.NaN()
	}
	return f
}

// Rate is the module's; NaN once a call has failed.
func (l *law) Rate(dz, z []float64, v float64) {
	if len(l.z) == 0 {
		return
	}
	ok := l.set(z) && rths.Finite(v)
	if ok {
		c := l.of
		c.stack[0] = api.EncodeF64(v)
		if err := c.rate.CallWithStack(always, c.stack); err != nil {
			l.err = fmt.Errorf("%s: rate(%.4g) %w", l.file, v, c.trapped(err))
			ok = false
		}
	}
	for i, at := range l.dz {
		if dz[i] = math.NaN(); ok {
			dz[i] = l.of.load(at)
		}
		if ok && !rths.Finite(dz[i]) {
			l.err = fmt.Errorf("%s: rate(%.4g) sets derivative %d to %g: want a finite number", l.file, v, i+1, dz[i])
		}
	}
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
