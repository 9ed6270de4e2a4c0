package integrate

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/model/device"
	"rths/model/structure"
)

// stiffening is a spring that is δ times as stiff as at rest at once: the loop is linear,
// and its limit of stability has a closed form.
type stiffening struct{ k0, delta float64 }

func (l stiffening) AtRest() (k, c float64)                  { return l.k0, 0 }
func (l stiffening) States() int                             { return 0 }
func (l stiffening) Force(x, _ float64, _ []float64) float64 { return l.delta * l.k0 * x }
func (l stiffening) Rate(_, _ []float64, _ float64)          {}
func (l stiffening) Commit([]float64, float64)               {}
func (l stiffening) Steepest() (k, c, rate float64)          { return l.delta * l.k0, 0, 0 }
func (l stiffening) Stored(x float64, _ []float64) float64   { return l.delta * l.k0 * x * x / 2 }

// Gui-λ is stable up to (λ δ − 4) Ω₀² = 4 λ, δ the tangent stiffness over the one at rest
// (paper 003): 1 % below, the loop's spectral radius is 1 at most; 1 % beyond, it is above
// and the integrator is refused with the storey, δ and a rate that will do. Softening is
// never refused.
func TestHardeningThatBreaksGui(t *testing.T) {
	for _, c := range []struct{ lambda, omega float64 }{{4, 0.5}, {4, 3}, {2, 1}, {11.5, 0.7}} {
		const h = 0.01
		limit := (4*c.lambda/(c.omega*c.omega) + 4) / c.lambda // δ
		for _, part := range []float64{0.2, 0.99, 1.01, 1.5} {
			p := sdof(c.omega/h, 0.02)
			k0 := p.K.At(0, 0)
			p.Devices = []structure.Device{{Storey: 1, Up: 0, Down: -1, K: k0, Law: stiffening{k0, part * limit}}}
			in, err := (&Gui{Lambda: c.lambda}).Make(p, h)
			what := fmt.Sprintf("λ %g, Ω %g, %g of the limit", c.lambda, c.omega, part)
			switch {
			case part > 1 && (err == nil || !strings.Contains(err.Error(), "storey 1 with a tangent of up to") ||
				!strings.Contains(err.Error(), "Hz or more")):
				t.Errorf("%s: %v: want it refused", what, err)
			case part < 1 && err != nil:
				t.Errorf("%s: %v", what, err)
			case part < 1:
				if r := radius(t, iteration(in.(integrator), p)); r > 1+1e-9 {
					t.Errorf("%s: radius %g: want at most 1", what, r)
				}
			default:
				p.Devices[0].Law = unsaid{p.Devices[0].Law}
				in, err := (&Gui{Lambda: c.lambda}).Make(p, h)
				if err != nil {
					t.Fatal(err)
				}
				if r := radius(t, iteration(in.(integrator), p)); !(r > 1) {
					t.Errorf("%s: radius %g: want above 1", what, r)
				}
			}
		}
	}
}

// unsaid does not say how steep it is.
type unsaid struct{ device.Law }

func (l unsaid) Steepest() (k, c, rate float64) {
	k, c = l.AtRest()
	return k, c, 0
}

// Steps of the other explicit methods are checked with the storeys at their steepest.
func TestHardeningNeedsSmallerSteps(t *testing.T) {
	const h = 0.01
	for _, m := range []Maker{&RK4{}, &CentralDifference{}, &NewmarkExplicit{}} {
		p := sdof(1.5/h, 0.02)
		p.Devices = []structure.Device{{Storey: 1, Up: 0, Down: -1, K: p.K.At(0, 0), Law: stiffening{p.K.At(0, 0), 4}}}
		if _, err := m.Make(p, h); err == nil || !strings.Contains(err.Error(),
			"storey 1 with a tangent of up to 9e+07 N/m, 4 times its stiffness at rest") ||
			!strings.Contains(err.Error(), "unstable") {
			t.Errorf("%T: %v: want it refused", m, err)
		}
	}
	sudden := structure.YieldingStorey{Storey: 3, BoucWen: &structure.BoucWenStorey{YieldDrift: 0.004, Exponent: 50}}
	if _, err := (&RK4{}).Make(yieldingFrame(t, sudden), h); err == nil ||
		!strings.Contains(err.Error(), "storey 3: its state moves by up to 6250 1/s") ||
		!strings.Contains(err.Error(), "3125 Hz or more") {
		t.Errorf("rk4: %v: want it refused", err)
	}
	sudden.BoucWen.YieldDrift = 1e-6
	for _, m := range []Maker{&AverageAcceleration{}, &CR{}} {
		if _, err := m.Make(yieldingFrame(t, sudden), h); err == nil || !strings.Contains(err.Error(), "storey 3") ||
			!strings.Contains(err.Error(), "parts of a step") {
			t.Errorf("%T: %v: want it refused", m, err)
		}
	}
}

// striking is a spring whose force jumps up by a blow where it meets a stop: between both
// forces there is no equilibrium.
type striking struct{ stiffening }

func (l striking) Force(x, _ float64, _ []float64) float64 {
	if x > 1e-3 {
		return l.k0*x + 1e6
	}
	return l.k0 * x
}

// Newton's method is bounded: where no drift balances the forces, the step fails with the
// storey and what to do, the target is not a number, the state stays as it was, and the
// integrator does not go on. Forces that are not numbers fail too.
func TestNewtonThatDoesNotConverge(t *testing.T) {
	p := sdof(30, 0.02)
	p.Devices = []structure.Device{{Storey: 1, Up: 0, Down: -1, K: p.K.At(0, 0), Law: striking{stiffening{p.K.At(0, 0), 1}}}}
	in, target := must(t, &AverageAcceleration{}, p, 0.01), rths.NewMotion(1)
	step := func(g, f float64) error {
		in.Step(&target, []float64{g, g, g}, &rths.Reading{F: []float64{f}})
		return in.(rths.Failer).Err()
	}
	var err error
	before := rths.AppendState(nil, in)
	for range 100 {
		if err = step(-2, 0); err != nil {
			break
		}
		before = rths.AppendState(before[:0], in)
	}
	if err == nil || !strings.Contains(err.Error(), "storey 1 has not converged in 20 iterations") ||
		!strings.Contains(err.Error(), "want a smaller step") {
		t.Fatalf("%v: want an error", err)
	}
	if !math.IsNaN(target.X[0]) || !slices.Equal(rths.AppendState(nil, in), before) {
		t.Errorf("target %g, state %g: want not a number and %g", target.X, rths.AppendState(nil, in), before)
	}
	if again := step(0, 0); again != err || !math.IsNaN(target.X[0]) {
		t.Errorf("the step behind a failed one: %v, target %g", again, target.X)
	}
	rths.SetState(make([]float64, len(before)), in)
	if err := step(-2, 0); err != nil || math.IsNaN(target.X[0]) {
		t.Errorf("from another state: %v, target %g", err, target.X)
	}
	if step(0, math.NaN()) == nil {
		t.Error("a force that is not a number: want an error")
	}
}
