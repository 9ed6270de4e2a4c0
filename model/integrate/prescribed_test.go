package integrate

import (
	"math"
	"testing"

	"rths"
	"rths/kit/rthstest"
)

// Targets belong to t_k+1; velocity and acceleration by differences are exact for a
// parabola, also where its half steps are interpolated linearly, as those of a sampled
// history are.
func TestPrescribedParabola(t *testing.T) {
	const h, steps = 0.25, 40
	x := func(t float64) float64 { return 3 - 2*t + 0.5*t*t }
	var exact, between []float64
	for i := range 2*steps + 3 {
		exact = append(exact, x(float64(i)*h/2))
		between = append(between, (x(float64(i/2)*h)+x(float64((i+1)/2)*h))/2)
	}
	wantParabola(t, NewPrescribed(exact, h), x, h, steps)
	wantParabola(t, NewPrescribed(between, h), x, h, steps)
}

func wantParabola(t *testing.T, p *Prescribed, x func(float64) float64, h float64, steps int) {
	t.Helper()
	target := rths.NewMotion(1)
	for k := range steps {
		p.Step(&target, nil, nil)
		at := float64(k+1) * h
		rthstest.Near(t, "displacement", target.X[0], x(at), 0) // every number here is exact in binary
		rthstest.Near(t, "velocity", target.V[0], -2+at, 0)
		rthstest.Near(t, "acceleration", target.A[0], 1, 0)
	}
	if p.Closing() {
		t.Error("prescribed motion closes: want a leading integrator: the target is of the next instant")
	}
}

// Differences over a step are of order 2.
func TestPrescribedSineIsOfOrder2(t *testing.T) {
	const omega = 10.0
	off := func(h float64) (v, a float64) {
		half := make([]float64, int(2/h)+2)
		for i := range half {
			half[i] = math.Sin(omega * float64(i) * h / 2)
		}
		p := NewPrescribed(half, h)
		target := rths.NewMotion(1)
		for k := range int(1/h) - 1 {
			p.Step(&target, nil, nil)
			at := float64(k+1) * h
			rthstest.Near(t, "displacement", target.X[0], math.Sin(omega*at), 1e-12)
			v = max(v, math.Abs(target.V[0]-omega*math.Cos(omega*at)))
			a = max(a, math.Abs(target.A[0]+omega*omega*math.Sin(omega*at)))
		}
		return v, a
	}
	v1, a1 := off(1.0 / 128)
	v2, a2 := off(1.0 / 256)
	rthstest.Near(t, "order of the velocity", slope(v1, v2), 2, 0.05)
	rthstest.Near(t, "order of the acceleration", slope(a1, a2), 2, 0.05)
}

// After the end the last value is held, at rest; nothing prescribed is rest.
func TestPrescribedEnd(t *testing.T) {
	for _, c := range []struct {
		half []float64
		want float64
	}{{[]float64{0, 1, 2, 3, 4}, 4}, {[]float64{7}, 7}, {nil, 0}} {
		p := NewPrescribed(c.half, 0.5)
		target := rths.NewMotion(1)
		for range 3 { // the third target belongs to half step 6
			p.Step(&target, nil, nil)
		}
		for range 3 {
			if target.X[0] != c.want || target.V[0] != 0 || target.A[0] != 0 {
				t.Errorf("%v: target %+v: want %g at rest", c.half, target, c.want)
			}
			p.Step(&target, nil, nil)
		}
	}
}

// Coordinates with displacements of their own move as each would alone, without allocation.
func TestPrescribedEach(t *testing.T) {
	const h = 0.25
	var both []float64
	var alone [2][]float64
	for i := range 41 {
		for j := range alone {
			x := math.Sin(float64((j+1)*i) / 7)
			both, alone[j] = append(both, x), append(alone[j], x)
		}
	}
	p, target, want := PrescribedEach(both, 2, h), rths.NewMotion(2), rths.NewMotion(1)
	one := []*Prescribed{NewPrescribed(alone[0], h), NewPrescribed(alone[1], h)}
	for range 25 {
		p.Step(&target, nil, nil)
		for j, q := range one {
			q.Step(&want, nil, nil)
			if target.X[j] != want.X[0] || target.V[j] != want.V[0] || target.A[j] != want.A[0] {
				t.Fatalf("coordinate %d: %+v: want %+v", j+1, target, want)
			}
		}
	}
	rthstest.NoAllocation(t, func() { p.Step(&target, nil, nil) })
}
