package integrate

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"rths"
	"rths/kit/rthstest"
	"rths/maths/lti"
	"rths/model/structure"
)

func TestNewmarkExplicitIsOfOrder2(t *testing.T) { wantOrder(t, &NewmarkExplicit{}, 2) }

func TestGuiIsOfOrder2(t *testing.T) {
	for _, lambda := range []float64{1, 3, 4, 11.5, 20} {
		wantOrder(t, &Gui{Lambda: lambda}, 2)
	}
	wantOrder(t, &CR{}, 2)
}

// Newmark's explicit method has the displacements of central
// difference, from rest under a load that begins at zero (the first step of
// either sees no load).
func TestNewmarkExplicitIsCentralDifference(t *testing.T) {
	sameDisplacements(t, &NewmarkExplicit{}, &CentralDifference{}, 1.5)
}

// sameDisplacements wants two methods to have the same displacements from rest, under loads that begin at zero, with
// ωh of the highest mode up to most.
func sameDisplacements(t *testing.T, one, other Maker, most float64) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		p := drawPartition(t)
		h := rapid.Float64Range(0.05, most).Draw(t, "ωh") / highest(t, p)
		l := drawLoads(t, p, 20)
		for i := range l.at(0, 0) { // the first instant without load
			l.at(0, 0)[i] = 0
		}
		for i := range l.force[0] {
			l.force[0][i] = 0
		}
		a, b := must(t, one, p, h), must(t, other, p, h)
		var got, want []float64
		for _, now := range run(a, l, len(p.Interface)) {
			got = append(got, now.state.X...)
		}
		for _, now := range run(b, l, len(p.Interface)) {
			want = append(want, now.state.X...)
		}
		nearAll(t, "displacement", got, want, 1e-9)
	})
}

// Eqs 2–4 of Zhu et al. written out for one degree of freedom (docs/reference/zhu2014.md):
// α = λ/(λ + ξ λ Ω + Ω²), amplification [[1 − αΩ², 1 − 2ξΩα], [−αΩ², 1 − 2ξΩα]]
// on [u; Δt u̇], determinant 1 − 2ξΩα.
func TestGuiIsItsEquations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lambda := rapid.Float64Range(0.5, 20).Draw(t, "λ")
		xi := rapid.Float64Range(0, 0.5).Draw(t, "ξ")
		g := &Gui{Lambda: lambda}
		big := rapid.Float64Range(0.01, min(3, 0.99*g.LimitOmega())).Draw(t, "Ω")
		const h = 0.01
		alpha := lambda / (lambda + xi*lambda*big + big*big)
		want := [][]float64{{1 - alpha*big*big, 1 - 2*xi*big*alpha}, {-alpha * big * big, 1 - 2*xi*big*alpha}}
		got := amplification(t, g, big, xi, h)
		for i := range 2 {
			for j := range 2 {
				rthstest.Near(t, fmt.Sprintf("A(%d,%d)", i+1, j+1), got.At(i, j), want[i][j], 1e-12)
			}
		}
		rthstest.Near(t, "determinant", mat.Det(got), 1-2*xi*big*alpha, 1e-12)
	})
}

// amplification is the matrix of a step on [u; Δt u̇] for one degree of freedom.
func amplification(t rthstest.TB, m Maker, big, xi, h float64) *mat.Dense {
	t.Helper()
	in := must(t, m, sdof(big/h, xi), h)
	out, target := mat.NewDense(2, 2, nil), rths.NewMotion(1)
	for j, unit := range [][]float64{{1, 0}, {0, 1 / h}} {
		rths.SetState(unit, in)
		in.Step(&target, []float64{0, 0, 0}, &rths.Reading{F: []float64{0}})
		z := rths.AppendState(nil, in)
		out.Set(0, j, z[0])
		out.Set(1, j, h*z[1])
	}
	return out
}

// The limit Ω = 2 √(λ/(λ−4)), whatever the damping, is where an eigenvalue leaves
// the unit circle, to 1e-6; the error names it.
func TestGuiLimit(t *testing.T) {
	const h = 0.01
	for _, lambda := range []float64{4.5, 6, 11.5, 20, 100} {
		for _, xi := range []float64{0, 0.02, 0.3} {
			g := &Gui{Lambda: lambda}
			limit := g.LimitOmega()
			for _, side := range []float64{1 - 1e-6, 1 + 1e-6} {
				r, err := lti.SpectralRadius(ofOneStep(t, g, sdof(limit*side/h, xi), h))
				if err != nil {
					t.Fatal(err)
				}
				if stable := r <= 1+1e-12; stable != (side < 1) {
					t.Errorf("λ = %g, ξ = %g: spectral radius %.12f at %.6f of the limit", lambda, xi, r, side)
				}
				_, err = g.Make(sdof(limit*side/h, xi), h)
				if (err == nil) != (side < 1) {
					t.Errorf("λ = %g, ξ = %g at %.6f of the limit: error %v", lambda, xi, side, err)
				}
			}
			e := refused(t, g, sdof(2*limit/h, xi), h)
			rthstest.Near(t, "limit named", e.Limit, h/2, 1e-9)
		}
	}
	for _, m := range []Maker{&CR{}, &Gui{Lambda: 4}, &Gui{Lambda: 1}} {
		must(t, m, sdof(1e6, 0.02), 1)
	}
}

// ofOneStep is the matrix of one step of the method from unit states, whether or not it is stable.
func ofOneStep(t *testing.T, p *Gui, part *structure.Partition, h float64) *mat.Dense {
	t.Helper()
	inv, err := part.InverseMass()
	if err != nil {
		t.Fatal(err)
	}
	g := &gui{p: part, h: h, inv: inv, alpha: new(mat.Dense)}
	if err := g.alpha.Inverse(p.left(part, h)); err != nil {
		t.Fatal(err)
	}
	g.alpha.Scale(2*p.Lambda, g.alpha)
	a := mat.NewDense(g.states(), g.states(), nil)
	for j := range g.states() {
		a.SetCol(j, g.step(unit(j, g.states(), 1, 1)).z)
	}
	return a
}

// The velocity shown is (u[i] − u[i−1])/Δt exactly, so of order 1.
func TestGuiVelocityLagsHalfAStep(t *testing.T) {
	const h = 0.01
	in := must(t, &CR{}, sdof(12, 0.03), h)
	rths.SetState([]float64{0.01, 0.2}, in)
	target := rths.NewMotion(1)
	before := 0.01
	for range 50 {
		in.Step(&target, []float64{0.3, 0.3, 0.3}, &rths.Reading{F: []float64{5}})
		in.(rths.Deriver).Derive(&target)
		rthstest.Near(t, "velocity", target.V[0], (target.X[0]-before)/h, 1e-12)
		before = target.X[0]
	}
}

// Released from rest away from it, every method follows x₀ cos ωt with an error
// that falls with the square of the step.
func TestStartIsOfOrder2(t *testing.T) {
	const omega, x0 = 20.0, 0.01
	for _, kind := range Kinds {
		if kind.Name == "rk4" || kind.Name == "average-acceleration" {
			continue // of order 4; cannot be released
		}
		worst := func(h float64) (e float64) {
			in := must(t, kind.Defaults(), sdof(omega, 0), h)
			if err := in.(Starter).Start([]float64{x0}, []float64{0}); err != nil {
				t.Fatal(err)
			}
			for k, x := range shake(in, h, int(2/h), resting) {
				e = max(e, math.Abs(x[0]-x0*math.Cos(omega*h*float64(k))))
			}
			return e
		}
		rthstest.Near(t, kind.Name+": order", slope(worst(1.0/512), worst(1.0/1024)), 2, 0.05)
	}
}

func TestGuiErrors(t *testing.T) {
	for _, lambda := range []float64{0, -4, math.NaN(), math.Inf(1)} {
		_, err := (&Gui{Lambda: lambda}).Make(sdof(10, 0), 0.01)
		rthstest.WantError(t, err, fmt.Sprintf("gui: lambda %g: want more than 0", lambda))
	}
}

// A spring so stiff that double precision knows nothing of the rest is refused, and not integrated without digits.
func TestGuiRefusesWhatHasNoDigits(t *testing.T) {
	stiff, load := []float64{1e22, -1e22, -1e22, 1e22}, mat.NewDense(2, 1, []float64{1, 1})
	p := byHand(2, []float64{1, 0, 0, 1}, make([]float64, 4), stiff, load, 0)
	_, err := (&CR{}).Make(p, 0.01)
	rthstest.WantError(t, err, "gui: matrix singular or near-singular")
}

// The largest stable step itself is taken, to rounding, and a step above it is refused with this limit.
func TestGuiTakesItsLimit(t *testing.T) {
	top := rthstest.Must(topOmega(benchmarkPart))
	for _, lambda := range []float64{5, 8, 11.5} {
		p := &Gui{Lambda: lambda}
		h := p.LimitOmega() / top
		if _, err := p.Make(benchmarkPart, h); err != nil {
			t.Errorf("λ %g, step %g s: %v", lambda, h, err)
		}
		var step *StepError
		if _, err := p.Make(benchmarkPart, h*(1+1e-9)); !errors.As(err, &step) || math.Abs(step.Limit/h-1) > 1e-12 {
			t.Errorf("λ %g, step %g s: %v: want a limit of %g s", lambda, h*(1+1e-9), err, h)
		}
	}
}
