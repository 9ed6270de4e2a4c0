package integrate

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"rths/kit/rthstest"
	"rths/model/structure"
)

func mustReference(t rthstest.TB, s *structure.Structure, h float64) *Reference {
	t.Helper()
	r, err := NewReference(s, h)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return r
}

// single is one mass of 1000 kg.
func single(omega, zeta float64) *structure.Structure {
	p := sdof(omega, zeta)
	return &structure.Structure{N: 1, M: p.M, C: p.C, K: p.K, Gamma: structure.Ones(1)}
}

// polygon is a ground acceleration (m/s²) in straight lines between kinks 0.4 s
// apart, and after the last.
var polygon = []float64{0, -4, 0, 2, 0.5, -7, 5, 0, 1, -1}

func polygonAt(t float64) float64 {
	k := min(int(t/0.4+1e-9), len(polygon)-2)
	part := t/0.4 - float64(k)
	return polygon[k]*(1-part) + polygon[k+1]*part
}

// afterPolygon is the response as a sum of ramps, one from each kink.
func afterPolygon(omega, zeta, t float64) (x, v float64) {
	slope := 0.0
	for k := range len(polygon) - 1 {
		next := (polygon[k+1] - polygon[k]) / 0.4
		if since := t - 0.4*float64(k); since > 0 {
			rx, rv := afterRamp(omega, zeta, since)
			x, v = x-(next-slope)*rx, v-(next-slope)*rv
		}
		slope = next
	}
	return x, v
}

// Displacement and velocity agree with the closed form to rounding, however
// large the step: first-order hold is exact for what is linear within steps.
func TestReferenceIsExactForPolygons(t *testing.T) {
	const omega = 20.0
	for _, zeta := range []float64{0, 0.02, 0.5} {
		for _, perKink := range []int{1, 4, 64} {
			h := 0.4 / float64(perKink)
			r := mustReference(t, single(omega, zeta), h)
			var gotX, wantX, gotV, wantV []float64
			for k := range 9 * perKink {
				at := float64(k) * h
				r.Step([]float64{polygonAt(at), math.NaN(), polygonAt(at + h)}) // the half step is not used
				x, v := afterPolygon(omega, zeta, at)
				gotX, wantX = append(gotX, r.State().X[0]), append(wantX, x)
				gotV, wantV = append(gotV, r.State().V[0]), append(wantV, v)
			}
			what := fmt.Sprintf("ζ = %g, h = %g s: ", zeta, h)
			nearAll(t, what+"displacement", gotX, wantX, 1e-12)
			nearAll(t, what+"velocity", gotV, wantV, 1e-12)
		}
	}
}

// A ramp of the ground from rest, one step at a time, relative to the largest
// response so far.
func TestReferenceUnderARamp(t *testing.T) {
	const omega, zeta, h = 23.0, 0.05, 1.0 / 4096
	r := mustReference(t, single(omega, zeta), h)
	var gotX, wantX, gotV, wantV []float64
	for k := range 4096 {
		at := float64(k) * h
		r.Step([]float64{2 * at, 0, 2 * (at + h)})
		x, v := afterRamp(omega, zeta, at)
		gotX, wantX = append(gotX, r.State().X[0]), append(wantX, -2*x)
		gotV, wantV = append(gotV, r.State().V[0]), append(wantV, -2*v)
	}
	nearAll(t, "displacement", gotX, wantX, 1e-12)
	nearAll(t, "velocity", gotV, wantV, 1e-12)
}

// RK4 on the same polygon with finer and finer steps comes to the reference
// with order 4, for all DOF of random structures shaken in several directions.
func TestRK4ComesToTheReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPartition(t)
		n, steps := p.N(), 10
		_, comps := p.Load.Dims()
		var inverse mat.Dense
		if err := inverse.Inverse(p.M); err != nil {
			t.Fatal(err)
		}
		whole := &structure.Structure{N: n, M: p.M, C: p.C, K: p.K, Gamma: product(&inverse, p.Load)}
		h := rapid.Float64Range(0.2, 1).Draw(t, "ωh") / highest(t, p)
		samples := drawMany(t, "ground", (steps+1)*comps, 5)
		at := func(k float64) []float64 { // ground at t = k h
			i := min(int(k), steps-1)
			return combine([]float64{1 - (k - float64(i)), k - float64(i)}, samples[i*comps:(i+1)*comps],
				samples[(i+1)*comps:(i+2)*comps])
		}
		window := func(k, step float64) []float64 {
			return append(append(at(k), at(k+step/2)...), at(k+step)...)
		}
		r := mustReference(t, whole, h)
		var want []float64
		for k := range steps {
			r.Step(window(float64(k), 1))
			want = append(want, append(r.State().X, r.State().V...)...)
		}
		off := func(fine int) (most float64) {
			in := must(t, &RK4{}, whole.Undivided(), h/float64(fine))
			l := &loads{comps: comps, force: make([][]float64, steps*fine)}
			for i := range l.force {
				w := window(float64(i)/float64(fine), 1/float64(fine))
				l.ground = append(l.ground, w[:2*comps]...)
			}
			l.ground = append(l.ground, at(float64(steps))...)
			got := run(in, l, 0)
			for k := range steps {
				s := got[k*fine].state
				for i, v := range append(append([]float64(nil), s.X...), s.V...) {
					most = max(most, math.Abs(v-want[2*n*k+i]))
				}
			}
			return most
		}
		coarse, fine := off(8), off(16)
		if scale := largest(want); coarse > 1e-4*scale || coarse > 1e-9*scale && !(coarse/fine > 12 && coarse/fine < 20) {
			t.Fatalf("errors %.3g and %.3g of %.3g with 8 and 16 steps per sample: want a ratio of 16", coarse, fine, scale)
		}
	})
}

// The state shown is where the step started; there is no acceleration in it.
func TestReferenceShowsTheStartOfTheStep(t *testing.T) {
	r := mustReference(t, single(20, 0.05), 0.01)
	r.Step([]float64{1, 1, 1})
	if s := r.State(); s.X[0] != 0 || s.V[0] != 0 || len(s.A) != 0 {
		t.Errorf("after the first step %+v: want rest", *s)
	}
	r.Step([]float64{1, 1, 1})
	rthstest.Near(t, "x after a step under −1 m/s²", r.State().X[0], -afterJump(20, 0.05, 0.01), 1e-18)
}

func TestReferenceErrors(t *testing.T) {
	s := single(20, 0.05)
	_, err := NewReference(s, 0)
	rthstest.WantError(t, err, "sample time 0 s: want a positive number")
	s.M.Zero()
	_, err = NewReference(s, 0.01)
	rthstest.WantError(t, err, "singular mass matrix: degree of freedom 1 has mass 0 kg")
}
