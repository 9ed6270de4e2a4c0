package integrate

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"rths"
	"rths/kit/rthstest"
	"rths/model/structure"
)

// refused makes an integrator with a step that must be too large.
func refused(t rthstest.TB, m Maker, p *structure.Partition, h float64) *StepError {
	t.Helper()
	_, err := m.Make(p, h)
	var e *StepError
	if !errors.As(err, &e) {
		t.Fatalf("step %g s: error %v: want a StepError", h, err)
	}
	if e.H != h || !(e.Limit > 0 && e.Limit < h) {
		t.Fatalf("step error of step %g s and limit %g s: want %g s and less", e.H, e.Limit, h)
	}
	return e
}

// wantLimit wants the given limit (s) of a single mass, to a relative tolerance,
// and steps on both sides of it treated as they deserve.
func wantLimit(t rthstest.TB, m Maker, p *structure.Partition, limit, tol float64) {
	t.Helper()
	e := refused(t, m, p, 3*limit)
	rthstest.Near(t, "limit", e.Limit, limit, tol*limit)
	rthstest.Near(t, "highest frequency", e.HighestHz, highest(t, p)/(2*math.Pi), 1e-7*e.HighestHz)
	refused(t, m, p, limit*(1+2*tol))
	below := must(t, m, p, limit*(1-2*tol))
	if r := radius(t, iteration(below, p)); !(r <= 1+1e-6) { // a double root at the limit is known to √ε
		t.Fatalf("spectral radius %.9g just below the limit: want at most 1", r)
	}
}

// wantLimitOf compares the limit named with the spectral radius of the method
// written independently, on both sides of the limit.
func wantLimitOf(t rthstest.TB, m Maker, p *structure.Partition, independent func(h float64) *mat.Dense) {
	t.Helper()
	limit := refused(t, m, p, 100/highest(t, p)).Limit
	below, above := limit*(1-1e-4), limit*(1+1e-4)
	for what, r := range map[string]float64{
		"the integrator": radius(t, iteration(must(t, m, p, below), p)),
		"the method":     radius(t, independent(below)),
	} {
		if !(r <= 1+1e-9) {
			t.Fatalf("spectral radius of %s is %.12g below the limit: want at most 1", what, r)
		}
	}
	refused(t, m, p, above)
	if r := radius(t, independent(above)); !(r > 1+1e-8) {
		t.Fatalf("spectral radius of the method is %.12g above the limit: want more than 1", r)
	}
}

// A message says what would do, and that does it.
func TestStepErrorNamesARateThatWorks(t *testing.T) {
	_, err := (&RK4{}).Make(sdof(10, 0), 1)
	want := "rk4: step 1 s (1 Hz) is unstable for the numerical part's highest frequency 1.592 Hz, stable up to 0.2828 " +
		"s: want a rate of 4 Hz or more"
	if err == nil || err.Error() != want {
		t.Errorf("error %v\nwant  %s", err, want)
	}
	for _, kind := range Kinds {
		if slices.Contains([]string{"cr", "average-acceleration", "kr-alpha", "mkr-alpha"}, kind.Name) {
			continue // stable with any step: TestGuiLimit, TestKRAlphaIsStable
		}
		rapid.Check(t, func(t *rapid.T) {
			p := sdof(math.Pow(10, rapid.Float64Range(-1, 6).Draw(t, "log ω")), rapid.Float64Range(0, 0.9).Draw(t, "ζ"))
			if _, err := kind.Defaults().Make(p, 100/highest(t, p)); err == nil {
				t.Skip("stable with any step")
			}
			e := refused(t, kind.Defaults(), p, 100/highest(t, p))
			_, words, _ := strings.Cut(e.Error(), "want a rate of ")
			var rate float64
			if _, err := fmt.Sscanf(words, "%g Hz or more", &rate); err != nil {
				t.Fatalf("%q names no rate", e)
			}
			must(t, kind.Defaults(), p, 1/rate)
			if rate > 2 {
				refused(t, kind.Defaults(), p, 1/(rate-2))
			}
		})
	}
}

// Rigid-body modes and coordinates without stiffness are not refused, whatever
// the step. Chains of 2 to 5 masses that nothing holds, with and without
// damping between them.
func TestRigidBodiesAreNotRefused(t *testing.T) {
	for _, kind := range Kinds {
		t.Run(kind.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				n := rapid.IntRange(2, 5).Draw(t, "n")
				m, k, c := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil), new(mat.Dense)
				for i := range n {
					m.Set(i, i, math.Pow(10, rapid.Float64Range(0, 4).Draw(t, "log mass")))
					if i > 0 {
						s := math.Pow(10, rapid.Float64Range(3, 9).Draw(t, "log storey"))
						k.Set(i, i, s)
						k.Set(i-1, i-1, k.At(i-1, i-1)+s)
						k.Set(i, i-1, -s)
						k.Set(i-1, i, -s)
					}
				}
				p := &structure.Partition{M: m, C: c, K: k, Load: mat.NewDense(n, 1, nil), Interface: []int{0}}
				c.Scale(0, k)
				top := highest(t, p)
				if rapid.Bool().Draw(t, "damped") {
					c.Scale(2*0.03/top, k)
				}
				must(t, kind.Defaults(), p, rapid.Float64Range(1e-3, 1.95).Draw(t, "ωh")/top)
			})
			free := sdof(0, 0)
			for _, h := range []float64{1e-4, 1, 1e4} {
				must(t, kind.Defaults(), free, h)
			}
		})
	}
}

// A free mass is integrated exactly, up to a shift: constant velocity, and the
// parabola of a constant force.
func TestFreeMass(t *testing.T) {
	const h, v, f = 0.01, 0.3, 50.0
	for _, c := range []struct {
		maker Maker
		start []float64               // at x = 0 with velocity v
		force func(k float64) float64 // displacement at step k under −f from rest, in f h²/m
	}{
		{&RK4{}, []float64{0, v}, func(k float64) float64 { return k * k / 2 }},
		{&CentralDifference{}, []float64{0, -v * h}, func(k float64) float64 { return k * (k + 1) / 2 }},
	} {
		drifting, pushed := must(t, c.maker, sdof(0, 0), h), must(t, c.maker, sdof(0, 0), h)
		rths.SetState(c.start, drifting)
		target := rths.NewMotion(1)
		for i := range 1000 {
			k := float64(i + 1)
			drifting.Step(&target, []float64{0, 0, 0}, &rths.Reading{F: []float64{0}})
			rthstest.Near(t, fmt.Sprintf("%T: drift at step %g", c.maker, k), target.X[0], k*v*h, 1e-11)
			pushed.Step(&target, []float64{0, 0, 0}, &rths.Reading{F: []float64{-f}})
			want := c.force(k) * f * h * h / 1000
			rthstest.Near(t, fmt.Sprintf("%T: parabola at step %g", c.maker, k), target.X[0], want, 1e-11*max(1, want))
		}
	}
}

// What grows by itself is not the step's fault: negative stiffness and negative
// damping are integrated as they are, also where RK4 grows faster (|λ|h = 0.5 at
// 45° to the real axis: by (|λ|h)⁵/120).
func TestGrowingStructuresAreNotRefused(t *testing.T) {
	for _, kind := range Kinds {
		for name, p := range map[string]*structure.Partition{
			"negative damping":   sdof(20, -0.05),
			"negative stiffness": byHand(1, []float64{1000}, []float64{0}, []float64{-4e5}, mat.NewDense(1, 1, nil), 0),
		} {
			if q := cmplx.Rect(0.5, math.Pi/4); !(rk4Growth(q) > math.Exp(real(q))+settled) {
				t.Fatalf("growth of RK4 at %g is %g: want more than the motion's", q, rk4Growth(q))
			}
			must(t, kind.Defaults(), sdof(20, -math.Sqrt2/2), 0.5/20)
			const h = 0.001
			in := must(t, kind.Defaults(), p, h)
			rths.SetState([]float64{0.01, 0.01}, in)
			grown := shake(in, h, 2000, resting)
			if !(largest(grown[1999]) > 0.02) {
				t.Errorf("%s, %s: %g m after 2 s: want growth", kind.Name, name, grown[1999][0])
			}
		}
	}
}

// But a step too large for a frequency is refused also where its damping is a
// little negative, as in a numerical part whose specimen has the larger dashpot.
func TestGrowthDoesNotHideAStepTooLarge(t *testing.T) {
	const omega = 20.0
	for _, zeta := range []float64{-1e-10, -1e-6, -1e-3} {
		for _, c := range []struct {
			maker Maker
			limit float64 // ωh
		}{{&RK4{}, 2 * math.Sqrt2}, {&CentralDifference{}, 2}} {
			e := refused(t, c.maker, sdof(omega, zeta), 4/omega)
			// damping shifts the limit in proportion
			rthstest.Near(t, fmt.Sprintf("%T: limit of ωh with ζ = %g", c.maker, zeta), e.Limit*omega, c.limit,
				3*math.Abs(zeta)+1e-8)
		}
	}
}

func TestStepMustBePositive(t *testing.T) {
	for _, kind := range Kinds {
		for _, h := range []float64{0, -0.001, math.NaN(), math.Inf(1)} {
			_, err := kind.Defaults().Make(sdof(10, 0), h)
			rthstest.WantError(t, err, fmt.Sprintf("%s: step %g s: want a positive number", kind.Name, h))
		}
	}
}

// Where powers of the eigenvalues leave double precision no step is stable, and none
// is made up.
func TestStepErrorBeyondNumbers(t *testing.T) {
	one := func(v float64) *mat.Dense { return mat.NewDense(1, 1, []float64{v}) }
	p := &structure.Partition{M: one(1), C: one(1e300), K: one(1), Load: one(1), Interface: []int{0}}
	_, err := (&RK4{}).Make(p, 1e-3)
	rthstest.WantError(t, err, "1.592e+299 Hz: want less stiffness or damping, or more mass")
}
