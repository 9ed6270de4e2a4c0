package integrate

import (
	"fmt"
	"math"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/model/structure"
)

// onTable is a two-rate integrator of Gui's with λ = 3.
func onTable(t rthstest.TB, o TwoRate, p *structure.Partition, h float64) integrator {
	t.Helper()
	in, err := o.Make(&Gui{Lambda: 3}, p, h)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return in.(integrator)
}

// A known motion of the ground is added to the target at every sample, as Absolute adds it.
func TestKnownGroundIsAdded(t *testing.T) {
	const h = 1.0 / 2048
	p := shearFrame(t, 3)
	for _, kind := range Predictors {
		o := TwoRate{Steps: 7, Predictor: kind.Defaults()}
		want, err := NewAbsolute(onTable(t, o, p, h), p, h)
		if err != nil {
			t.Fatal(err)
		}
		o.Ground = GroundKnown
		got := onTable(t, o, p, h)
		x, y, felt := rths.NewMotion(1), rths.NewMotion(1), rths.NewReading(1, 1)
		for k := range 200 {
			a, b := math.Sin(0.1*float64(k*k)), math.Sin(0.1*float64((k+1)*(k+1)))
			felt.F[0] = 1e3 * math.Cos(float64(k))
			window := []float64{a, (a + b) / 2, b}
			got.Step(&x, window, &felt)
			want.Step(&y, window, &felt)
			derive(got, &x)
			want.Derive(&y)
			if x.X[0] != y.X[0] || x.V[0] != y.V[0] || x.A[0] != y.A[0] {
				t.Fatalf("%s, sample %d: %g, %g, %g: want %g, %g, %g", kind.Name, k, x.X[0], x.V[0], x.A[0], y.X[0], y.V[0], y.A[0])
			}
		}
	}
}

// A predicted motion of the ground: a cubic displacement, of an acceleration linear in time,
// is met at every main instant by the polynomials of order 3 and more, and the target is a
// line between. Without prediction it comes a main step late.
func TestPredictedGroundIsACubic(t *testing.T) {
	const h, n = 1.0 / 256, 16
	s := foundation(t, 6, 4)
	p, err := s.Divide(s.Interface, 0, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	free := p.FreeField()
	ground := func(at float64) float64 { return at*at + at*at*at/6 }
	for _, c := range []struct {
		predictor Predictor
		late      float64
	}{{&Polynomial3{}, 0}, {&Polynomial4{}, 0}, {&NoPrediction{}, n * h}} {
		in := onTable(t, TwoRate{Steps: n, Predictor: c.predictor, Ground: GroundPredicted}, free, h)
		target, felt := rths.NewMotion(1), rths.NewReading(1, 1)
		var x []float64
		for k := range 12 * n {
			at := float64(k) * h
			in.Step(&target, []float64{2 + at, 2 + at + h/2, 2 + at + h}, &felt)
			x = append(x, target.X[0]) // of t_k+1
		}
		for k := 6 * n; k < 12*n; k++ {
			from, part := float64(k/n*n)*h-c.late, float64(k%n+1)/n
			want := (1-part)*ground(from) + part*ground(from+n*h)
			rthstest.Near(t, "target", x[k], want, 1e-12)
		}
	}
}

// Every prediction meets a ground that moves evenly, also predictions that look at velocities: the ground's velocity
// is that of a main step. Without prediction it comes a main step late.
func TestPredictedGroundGoesOnEvenly(t *testing.T) {
	const h, n = 1.0 / 256, 16
	s := foundation(t, 6, 4)
	p, err := s.Divide(s.Interface, 0, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	free := p.FreeField()
	for _, kind := range Predictors {
		in := onTable(t, TwoRate{Steps: n, Predictor: kind.Defaults(), Ground: GroundPredicted}, free, h)
		late := 0.0
		if kind.Name == "none" {
			late = n * h
		}
		target, felt := rths.NewMotion(1), rths.NewReading(1, 1)
		a := 3 / h // falls to 0 in the first sample: then there are 1.5 m/s, at h m
		for k := range 20 * n {
			in.Step(&target, []float64{a, a / 2, 0}, &felt)
			a = 0
			if k >= 8*n {
				rthstest.Near(t, fmt.Sprintf("%s, sample %d", kind.Name, k), target.X[0], 1.5*(float64(k+1)*h-late)-0.5*h, 1e-9)
			}
		}
	}
}

// On a shake table the force correction looks for the absolute displacement: the specimen
// lags by some samples, and the corrected force is of the displacement that was wanted. It once
// looked for the relative displacement.
func TestForceCorrectionOnATable(t *testing.T) {
	const h, n, stiffness, late = 1.0 / 2048, 20, 1e3, 6
	p := shearFrame(t, 1)
	for _, ground := range []Ground{GroundKnown, GroundPredicted} {
		in := onTable(t, TwoRate{Steps: n, Predictor: &Polynomial3{}, ForceFit: 8, Ground: ground}, p, h)
		corrected := in.(rths.ForceCorrector).Corrected()
		target, felt := rths.NewMotion(1), rths.NewReading(1, 1)
		x := make([]float64, late+1)
		worst, without, largest := 0.0, 0.0, 0.0
		for k := range 100 * n {
			felt.X[0] = x[len(x)-1-late]
			felt.F[0] = stiffness * felt.X[0]
			a := func(k int) float64 { return math.Sin(2 * math.Pi * 1.5 * float64(k) * h) }
			in.Step(&target, []float64{a(k), (a(k) + a(k+1)) / 2, a(k + 1)}, &felt)
			if k%n == 0 && k > 10*n {
				want := stiffness * x[len(x)-1] // the target of now
				worst, without, largest = max(worst, math.Abs(corrected[0]-want)), max(without, math.Abs(felt.F[0]-want)),
					max(largest, math.Abs(want))
			}
			x = append(x, target.X[0])
		}
		if worst > without/10 || without < 0.005*largest {
			t.Errorf("ground %d: force off by %.3g N with the correction, by %.3g N without, of %.3g N: want a tenth or less",
				ground, worst, without, largest)
		}
	}
}
