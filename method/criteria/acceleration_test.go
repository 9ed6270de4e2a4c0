package criteria_test

import (
	"math"
	"math/rand/v2"
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

// Of a sine of 4 Hz and one of 100 Hz with another error each the band has the first alone, to what the filter leaves
// of the other: 1/√(1 + r⁸), r the ratio of the prewarped frequencies. White noise of the reading has a share of the
// band: of its variance 50 Hz · 1.026 (the filter's noise bandwidth) of the 500 Hz up to half the rate.
func TestAccelerationInTheBand(t *testing.T) {
	const rate, noise = 1000.0, 0.1
	c := criteria.NewAcceleration(rate, 0, 1, true)
	f := &rths.Frame{Target: rths.NewMotion(1), Read: rths.NewReading(1, 1)}
	f.Read.A, f.Read.TrueA = make([]float64, 1), make([]float64, 1)
	random := rand.New(rand.NewPCG(1, 2))
	for k := range 200000 {
		at := func(k int) (slow, fast float64) { // velocities
			s := float64(k) / rate
			return math.Sin(2*math.Pi*4*s) / (2 * math.Pi * 4), math.Sin(2*math.Pi*100*s) / (2 * math.Pi * 100)
		}
		slow, fast := at(k)
		slow0, fast0 := at(k - 1)
		f.K, f.TargetK, f.Target.V[0] = k, k, slow+fast
		f.Read.TrueA[0] = (0.98*(slow-slow0) + 0.5*(fast-fast0)) * rate
		f.Read.A[0] = f.Read.TrueA[0] + noise*random.NormFloat64()
		c.Observe(f)
	}
	values := c.Summary()
	exact, floor := rthstest.Value(t, values, "acc_band_true_pct"), rthstest.Value(t, values, "acc_band_floor_pct")
	left := 1 / math.Sqrt(1+math.Pow(math.Tan(math.Pi*100/rate)/math.Tan(math.Pi*50/rate), 8))
	left *= math.Sin(math.Pi*100/rate) / (math.Pi * 100 / rate) // the mean over the sample
	rthstest.Near(t, "in the band", exact, 100*math.Hypot(0.02, 0.5*left), 0.01)
	rthstest.Near(t, "noise in the band", floor, 100*noise*math.Sqrt2*math.Sqrt(50*1.026/500), 0.1)
	rthstest.Near(t, "both", rthstest.Value(t, values, "acc_band_pct"), math.Hypot(exact, floor), 0.05)
	if slow := criteria.NewAcceleration(199, 0, 1, true).Summary(); len(slow) != 3 {
		t.Errorf("%d values at 199 Hz: want none of the band", len(slow))
	}
}
