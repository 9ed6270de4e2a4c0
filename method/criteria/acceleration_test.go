package criteria_test

import (
	"math"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/method/criteria"
)

// A table whose acceleration is 0.9 of the target's has an error of 10 %, whatever the
// timing: a command for the next instant belongs to the next reading. An alternating noise
// of amplitude b on a ramp of velocity, acceleration 1 m/s², is 100 b %.
func TestAccelerationOfAScaledTarget(t *testing.T) {
	const rate, b = 100.0, 0.05
	for _, lead := range []int{0, 1} {
		c := criteria.NewAcceleration(rate, 0, 1, true)
		f := &rths.Frame{Target: rths.NewMotion(1), Read: rths.NewReading(1, 1)}
		f.Read.A, f.Read.TrueA = make([]float64, 1), make([]float64, 1)
		velocity := func(k int) float64 { return float64(k) / rate }
		for k := range 400 {
			f.K, f.TargetK = k, k+lead
			f.Target.V[0] = velocity(k + lead)
			f.Read.TrueA[0] = 0.9 * (velocity(k) - velocity(k-1)) * rate
			f.Read.A[0] = f.Read.TrueA[0] + b*math.Pow(-1, float64(k))
			c.Observe(f)
			if k > 1 {
				rthstest.Near(t, "target acceleration", *c.Channels()[0].V, 1, 1e-9)
			}
		}
		for i, want := range []float64{100 * math.Hypot(0.1, b), 10, 100 * b} {
			v := c.Summary()[i]
			rthstest.Near(t, v.Name, v.V, want, 1e-9)
		}
	}
}

// Without accelerometers there is no such criterion.
func TestNoAccelerationWithoutAccelerometer(t *testing.T) {
	a := at(2)
	a.Accelerations = false
	if made, err := (&criteria.AccelerationKeys{}).Make(a); len(made) > 0 || err != nil {
		t.Errorf("%d criteria, %v: want none", len(made), err)
	}
}
