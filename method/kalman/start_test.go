package kalman

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"rths/method/identify"

	"rths"
)

// The acceleration of a target is found to be as early as it is, to a tenth of a sample, under noise of the force and
// with a jump at the start.
func TestKalmanKnowsHowEarlyTheAccelerationIs(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, early := range []float64{-1, 0, 0.5, 0.97} {
		c := kalmanOf(t, Defaults(), identify.At{})
		target, read, u := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}
		for k := range 4 * kalmanRate {
			target.X[0], target.V[0], target.A[0] = 0, 0, 0.05*random.NormFloat64()
			for _, hz := range []float64{1.3, 3.1, 5.7} {
				w := 2 * math.Pi * hz
				s := float64(k) * c.h
				target.X[0] += 1e-3 * (1 - math.Cos(w*s))
				target.V[0] += 1e-3 * w * math.Sin(w*s)
				target.A[0] += 1e-3 * w * w * math.Cos(w*(s+early*c.h))
			}
			read.X[0] = target.X[0]
			c.Step(u, &target, &read)
		}
		if got := c.early.by / c.h; math.Abs(got-early) > 0.1 {
			t.Errorf("the acceleration is %.3f samples early: want %g", got, early)
		}
	}
}

// The estimates start at the inverse of the scenario's plant: of a loaded plant of order 4 with a delay of whole
// samples they are its coefficients and its delay.
func TestKalmanStartsAtThePlant(t *testing.T) {
	bare := kalmanOf(t, Defaults(), identify.At{Loaded: true})
	const kappa, gamma, mu = 0.2, 1e-4, 5e-6
	b := silvaBare
	want := []float64{b[0], b[1] * (1 + kappa), b[2]*(1+kappa) + b[1]*gamma, b[3]*(1+kappa) + b[2]*gamma + b[1]*mu,
		b[3]*gamma + b[2]*mu}
	for _, samples := range []int{0, 3, 9} {
		delay := float64(samples) / kalmanRate
		c := kalmanOf(t, Defaults(), identify.At{Loaded: true, Plant: func(hz float64) (complex128, error) {
			s, sum := complex(0, 2*math.Pi*hz), complex(0, 0)
			for i, a := range want {
				sum += complex(a, 0) * cmplx.Pow(s, complex(float64(i), 0))
			}
			return cmplx.Exp(-s*complex(delay, 0)) / sum, nil
		}})
		for i, a := range want {
			if math.Abs(c.a[i]-a) > 1e-3*math.Abs(a) {
				t.Errorf("%d samples: a%d starts at %g, want %g", samples, i, c.a[i], a)
			}
		}
		if math.Abs(c.delta-delay) > 1e-9 {
			t.Errorf("δ starts at %g s, want %g", c.delta, delay)
		}
		for i := range kalmanTerms { // nearer to the mean of the draws than b is
			if c.p[i][i] > bare.p[i][i]*1.0001 {
				t.Errorf("%d samples: the variance of a%d is %g, about b %g", samples, i, c.p[i][i], bare.p[i][i])
			}
		}
	}
}

// P0 about any estimates is the second moment of the draws about them: it is least about their mean, and going there
// and back changes nothing.
func TestKalmanPriorMoves(t *testing.T) {
	c := kalmanOf(t, Defaults(), identify.At{Loaded: true})
	q := c.prior
	start := q.start
	q.about(q.middle)
	for i := range kalmanParams {
		off := q.middle[i] - start[i]
		if got, want := c.prior.p0[i][i]-q.p0[i][i], off*off; math.Abs(got-want) > 1e-12*c.prior.p0[i][i] {
			t.Errorf("P0 of %d falls by %g about the mean: want %g", i, got, want)
		}
	}
	q.about(start)
	for i := range kalmanParams {
		for j := range kalmanParams {
			if d := q.p0[i][j] - c.prior.p0[i][j]; math.Abs(d) > 1e-12*math.Abs(c.prior.p0[i][i]) {
				t.Errorf("P0 of %d and %d is off by %g after going there and back", i, j, d)
			}
		}
	}
}

// The mean of the reading is the sensor's offset within the noise of the readings at rest, although the motion starts
// after only 64 of them; without noise the motion leaves no offset in it.
func TestKalmanMeanOfTheReading(t *testing.T) {
	for _, noise := range []float64{0, 16e-6} {
		const offset, rest = 1e-3, 64
		random := rand.New(rand.NewPCG(8, 1))
		p := Defaults()
		p.DriftHz = 1e-4 // the running mean stands still meanwhile
		c := kalmanOf(t, p, identify.At{})
		target, read, u := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}
		for k := range kalmanRate / 4 {
			if k >= rest {
				w, s := 2*math.Pi*3, float64(k-rest)*c.h
				target.X[0], target.V[0], target.A[0] = 1e-3*(1-math.Cos(w*s)), 1e-3*w*math.Sin(w*s), 1e-3*w*w*math.Cos(w*s)
			}
			read.X[0] = target.X[0] + offset + noise*random.NormFloat64()
			c.Step(u, &target, &read)
		}
		if off := c.x.mean - c.d.mean - offset; math.Abs(off) > 4*noise/math.Sqrt(rest)+1e-9 {
			t.Errorf("noise %g m: the mean is %g m off", noise, off)
		}
	}
}
