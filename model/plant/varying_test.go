package plant

import (
	"math"
	"reflect"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/maths/lti"
)

func swinging(t *testing.T, p SecondOrder, s Specimen) Plant {
	t.Helper()
	pl, err := p.Make(At{RateHz: 102.4, Specimen: s})
	if err != nil {
		t.Fatal(err)
	}
	return pl
}

// In every sample the plant is the system of the sample's middle, held: here its
// own state space, discretised anew by the matrix exponential (paper 000, section 3.4).
func TestVaryingIsRediscretisedEverySample(t *testing.T) {
	const h = 1 / 102.4
	for _, zeta := range []float64{0.3, 0.8, 1, 1.7} {
		s := &linear{m: 3, c: 40, k: 1e4}
		p := swinging(t, SecondOrder{Omega: 50, Swing: 5, SwingRate: 1, DampingRatio: zeta, Gain: 1.1}, s)
		now, x, v := roomy(), 0.0, 0.0
		for k, u := range wander(1, 1000, 1e-2) {
			w := 50 + 5*math.Sin((float64(k)+0.5)*h)
			fixed := rthstest.Must((&SecondOrder{Omega: w, DampingRatio: zeta, Gain: 1.1}).stiff())
			ss := rthstest.Must(lti.C2D(lti.SS{A: fixed.motion.a, B: fixed.motion.b, C: fixed.motion.a, D: fixed.motion.b}, h,
				lti.ZOH))
			x, v = ss.A.At(0, 0)*x+ss.A.At(0, 1)*v+ss.B.At(0, 0)*u, ss.A.At(1, 0)*x+ss.A.At(1, 1)*v+ss.B.At(1, 0)*u
			a := w*w*(1.1*u-x) - 2*zeta*w*v
			p.Step(now, []float64{u})
			rthstest.Near(t, "x", now.X[0], x, 1e-14)
			rthstest.Near(t, "v", now.V[0], v, 1e-12)
			rthstest.Near(t, "a", now.A[0], a, 1e-10)
			rthstest.Near(t, "f", now.F[0], 1e4*x+40*v+3*a, 1e-9)
			if t.Failed() {
				t.Fatalf("ζ = %g, step %d", zeta, k)
			}
		}
	}
}

// A swing of no width is the plant without, with every specimen.
func TestVaryingWithoutSwing(t *testing.T) {
	u := wander(2, 500, 1e-2)
	for name, s := range specimens(t) {
		still := drive(swinging(t, SecondOrder{Omega: 50, DampingRatio: 0.8, Gain: 1}, s), u)
		p := rthstest.Must((&SecondOrder{Omega: 50, Swing: 1e-300, SwingRate: 1, DampingRatio: 0.8,
			Gain: 1}).Make(At{RateHz: 102.4, Specimen: s}))
		got := drive(p, u)
		if d := apart(got.x, still.x); d > 1e-13*peak(still.x) {
			t.Errorf("%s: displacements %.2g apart", name, d)
		}
		if d := apart(got.f, still.f); d > 1e-5*peak(still.f) { // Runge–Kutta beside an exact hold
			t.Errorf("%s: forces %.2g apart, largest %.2g", name, d, peak(still.f))
		}
	}
}

func TestVaryingResumesWithoutAllocation(t *testing.T) {
	u := wander(3, 400, 1e-2)
	for name, s := range specimens(t) {
		fresh := func() Plant {
			return swinging(t, SecondOrder{Omega: 50, Swing: 5, SwingRate: 1, DampingRatio: 0.8, Gain: 1}, s)
		}
		want, first, second := drive(fresh(), u), fresh(), fresh()
		drive(first, u[:170])
		drive(second, u[:9])
		if rest := rths.SetState(append(rths.AppendState(nil, first), 7), second); len(rest) != 1 {
			t.Fatalf("%s: rest %v", name, rest)
		}
		if got := drive(second, u[170:]); !reflect.DeepEqual(got.f, want.f[170:]) {
			t.Errorf("%s: resumed with other bits", name)
		}
		now, command := roomy(), []float64{1e-3}
		if n := testing.AllocsPerRun(100, func() { second.Step(now, command) }); n != 0 {
			t.Errorf("%s: %g allocations a step", name, n)
		}
	}
}

func TestVaryingWrongInput(t *testing.T) {
	p := SecondOrder{Omega: 50, Swing: 50, SwingRate: 1, DampingRatio: 0.8, Gain: 1}
	_, err := p.Make(At{RateHz: 100, Specimen: benchmarkSpecimen()})
	rthstest.WantError(t, err, "swing 50 rad/s about 50: want less")
	p.Swing = 5
	_, err = p.Make(At{RateHz: 100})
	rthstest.WantError(t, err, "no specimen: want one")
	_, err = p.Model(nil)
	rthstest.WantError(t, err, "varies with time")
	p.SwingRate = math.Inf(1)
	_, err = p.Make(At{RateHz: 100, Specimen: benchmarkSpecimen()})
	rthstest.WantError(t, err, "swing rate +Inf rad/s")
}
