package module_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/method/module"
	"rths/model/device"
)

// attemptLaw makes the law of a module, or says why not.
func attemptLaw(code []byte, parameters map[string]float64) (device.Law, error) {
	m, err := module.Compile(code)
	if err != nil {
		return nil, err
	}
	p := &module.Law{File: "device.wasm", Parameters: parameters}
	(*module.WASM)(p).Use(m)
	s, err := p.Make()
	if err != nil {
		return nil, err
	}
	return s.(*device.Mounted).Law, nil
}

// The example is device.Viscous, and maxwell.wasm is device.Maxwell: force, rates and what they say of themselves.
func TestLawsAreTheirTwins(t *testing.T) {
	for _, c := range []struct {
		code []byte
		set  map[string]float64
		want device.Law
	}{
		{exampleModule(t, "device"), nil, &device.Viscous{C: 1e5, Alpha: 0.5, V0: 1e-3}},
		{exampleModule(t, "device"), map[string]float64{"exponent": 2, "stiffness": 3e5},
			&device.Viscous{C: 1e5, Alpha: 2, K: 3e5, V0: 1e-3}},
		{read(t, "maxwell"), map[string]float64{"damping": 2e4}, &device.Maxwell{K: 1e6, C: 2e4, Alpha: 0.4}},
	} {
		got := rthstest.Must(attemptLaw(c.code, c.set))
		z, dz, other := make([]float64, c.want.States()), []float64{0}, []float64{0}
		if got.States() != c.want.States() {
			t.Fatalf("%d states: want %d", got.States(), c.want.States())
		}
		for i := range 1000 {
			x, v := 0.1*math.Sin(float64(i)), 0.5*math.Cos(float64(3*i))
			for j := range z {
				z[j] = 1e4 * math.Sin(float64(7*i))
				got.Rate(dz, z, v)
				c.want.Rate(other, z, v)
				rthstest.Near(t, "rate", dz[0], other[0], 1e-12*math.Abs(other[0])+1e-6)
			}
			want := c.want.Force(x, v, z)
			rthstest.Near(t, "force", got.Force(x, v, z), want, 1e-13*math.Abs(want))
		}
		k, damping := got.AtRest()
		wantK, _ := c.want.AtRest()
		rthstest.Near(t, "stiffness at rest", k, wantK, 1e-9*wantK)
		rthstest.Near(t, "damping at rest", damping, 0, 0)
		k, damping, rate := got.Steepest()
		wantK, wantC, wantRate := c.want.Steepest()
		if v, ok := c.want.(*device.Viscous); ok && v.Alpha > 1 {
			wantC /= 2 // which is at 1 m/s
		}
		rthstest.Near(t, "steepest stiffness", k, wantK, 1e-6*wantK)
		rthstest.Near(t, "steepest damping", damping, wantC, 1e-6*wantC)
		rthstest.Near(t, "steepest rate", rate, wantRate, 1e-5*wantRate)
		rthstest.Near(t, "stored", got.Stored(0.1, z), 0, 0)
	}
}

// What is no law is refused with what was found and what is wanted.
func TestBadLawsAreRefused(t *testing.T) {
	for name, want := range map[string]string{
		"step_only":     "file: device.wasm: no function force is exported: want double force(double x, double v)",
		"wrong_force":   "function force takes f64 and returns f64: want double force(double x, double v), which takes f64, f64",
		"at_rest":       "file: device.wasm: a force of 12 N at rest: want 0 without deformation and speed; subtract it",
		"traps_at_once": "file: device.wasm: force(0, 0.3) traps: integer divide by zero",
		"keeps": "want it to hang on x, v, parameters and states alone; what a law remembers is a STATE " +
			"(docs/guides/method-of-your-own.md)",
		"no_rate":          "no function rate is exported: want void rate(double v), as in rths.h",
		"moves":            "state 1 moves by 2 1/s at rest",
		"no_derivative":    "states and derivatives differ: want DERIVATIVE(z, dz) for each STATE(z), of as many doubles",
		"other_derivative": "states and derivatives differ",
		"no_state":         "states and derivatives differ",
		"learns":           "learnt z: a law has parameters, states and derivatives alone: leave it out",
	} {
		_, err := attemptLaw(read(t, name), nil)
		var key *module.KeyError
		if !errors.As(err, &key) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v: want %q", name, err, want)
		}
	}
	_, err := attemptLaw(exampleModule(t, "template"), nil)
	rthstest.WantError(t, err, "no function force is exported")
	_, err = attempt(exampleModule(t, "device"), nil)
	rthstest.WantError(t, err, "no function step is exported: want double step(void)")
	_, err = attempt(read(t, "maxwell"), nil)
	rthstest.WantError(t, err, "no function step is exported")
	_, err = attemptLaw(exampleModule(t, "device"), map[string]float64{"damping": -1})
	rthstest.WantError(t, err, "parameters.damping: -1, which device.wasm refuses: want 0 or more")
	_, err = attemptLaw(exampleModule(t, "device"), map[string]float64{"c": 1})
	rthstest.WantError(t, err, "parameters.c: no such parameter of device.wasm: want one of damping, exponent")
	_, err = (&module.Law{}).Make()
	rthstest.WantError(t, err, "file is missing")
}

// After a call that fails all forces are NaN, and Err says why. What is not finite from outside is no failure.
func TestFailedLaws(t *testing.T) {
	for name, want := range map[string]string{
		"force_traps":        "device.wasm: force(0.13, 0) traps: integer divide by zero",
		"force_not_a_number": "device.wasm: force(0.13, 0) is NaN N: want a finite number",
		"force_endless":      "device.wasm: force(0.13, 0) did not return after 134 million bytes of code",
		"rate_traps":         "device.wasm: rate(0.7) traps: integer divide by zero",
		"rate_not_a_number":  "device.wasm: rate(0.7) sets derivative 1 to NaN: want a finite number",
	} {
		l := rthstest.Must(attemptLaw(read(t, name), nil))
		z := make([]float64, l.States())
		if f := l.Force(math.NaN(), 0, z); !math.IsNaN(f) || l.(rths.Failer).Err() != nil {
			t.Errorf("%s: force %g at NaN, %v: want NaN and no failure", name, f, l.(rths.Failer).Err())
		}
		if f := l.Force(0.01, 0, z); !rths.Finite(f) {
			t.Errorf("%s: force %g: want a number", name, f)
		}
		l.Force(0.13, 0, z)
		l.Rate([]float64{0}, z, 0.7)
		rthstest.WantError(t, l.(rths.Failer).Err(), want)
		if f := l.Force(0.01, 0, z); !math.IsNaN(f) {
			t.Errorf("%s: force %g after a failure: want NaN", name, f)
		}
	}
}

func TestLawAllocatesNothing(t *testing.T) {
	l := rthstest.Must(attemptLaw(read(t, "maxwell"), nil))
	z, dz, x := []float64{0}, []float64{0}, 0.0
	rthstest.NoAllocation(t, func() {
		x += 1e-6
		z[0] = l.Force(x, 0.1, z) + 1
		l.Rate(dz, z, 0.1)
	})
}
