package compensate

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/lti"
)

const lqgRate = 4096

// designed returns the compensator and its design.
func designed(t *testing.T, p *MBCLQG) (*mbcLQG, *lqg) {
	t.Helper()
	c, err := p.Make(At{RateHz: lqgRate})
	if err != nil {
		t.Fatal(err)
	}
	d, err := p.design(p.A, 1.0/lqgRate)
	if err != nil {
		t.Fatal(err)
	}
	return c.(mbcLQGRates).mbcLQG, d
}

// rest steps the compensator with a target at rest and a reading x, and returns its
// command, which then is u_FB.
func rest(c *mbcLQG, x float64) float64 {
	target, read, u := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}
	read.X[0] = x
	c.Step(u, &target, &read)
	return u[0]
}

// next is A z + B u.
func (d *lqg) next(z []float64, u float64) []float64 {
	out := make([]float64, d.n)
	for i := range out {
		out[i] = d.b.At(i, 0) * u
		for j, v := range z {
			out[i] += d.a.At(i, j) * v
		}
	}
	return out
}

func (d *lqg) output(z []float64) (y float64) {
	for i, v := range z {
		y += d.c.At(0, i) * v
	}
	return y
}

// Separation: model and compensator, probed state by state through Step, have the
// poles of regulator and estimator, and all are stable.
func TestMBCLQGSeparation(t *testing.T) {
	for _, a := range [][]float64{nil, {1, 0.02}, {0.99, 0.02, 1e-4}} {
		p := mbcLQGDefaults()
		p.A = a
		c, d := designed(t, p)
		n := d.n
		loop := mat.NewDense(2*n, 2*n, nil)
		for j := range 2 * n {
			z := make([]float64, n)
			c.z = [maxLQG]float64{}
			if j < n {
				z[j] = 1
			} else {
				c.z[j-n] = 1
			}
			u := rest(c, d.output(z))
			loop.SetCol(j, append(d.next(z, u), c.z[:n]...))
		}
		got, err := lti.Eigenvalues(loop)
		if err != nil {
			t.Fatal(err)
		}
		want := append(append([]complex128(nil), d.regulator.Poles...), d.estimator.Poles...)
		for _, w := range want {
			best := 0
			for i, g := range got {
				if cmplx.Abs(g-w) < cmplx.Abs(got[best]-w) {
					best = i
				}
			}
			if cmplx.Abs(got[best]-w) > 1e-6 || cmplx.Abs(w) >= 1 {
				t.Errorf("order %d: pole %.8g of the design, nearest of the loop %.8g", n-2, w, got[best])
			}
			got = append(got[:best], got[best+1:]...)
		}
	}
}

// In a Monte-Carlo run of the deviation system with its noises, the error of the
// estimate has the covariance the Riccati equation promises.
func TestMBCLQGEstimatorCovariance(t *testing.T) {
	p := mbcLQGDefaults()
	c, d := designed(t, p)
	// A square root of the noise's covariance, which is nearly singular.
	var eig mat.EigenSym
	if !eig.Factorize(mat.NewSymDense(d.n, mat.DenseCopyOf(d.noise).RawMatrix().Data), true) {
		t.Fatal("no eigenvectors")
	}
	var root mat.Dense
	eig.VectorsTo(&root)
	for j, v := range eig.Values(nil) {
		for i := range d.n {
			root.Set(i, j, root.At(i, j)*math.Sqrt(max(v, 0)))
		}
	}
	r := rand.New(rand.NewPCG(5, 7))
	const ticks = 1000000
	z := make([]float64, d.n)
	var deviation, disturbance, variance float64
	for k := range ticks + lqgRate {
		if k >= lqgRate { // a second to settle
			e := make([]float64, d.n)
			for i := range e {
				e[i] = z[i] - c.z[i]
			}
			y := d.output(e)
			deviation += y * y
			disturbance += e[d.n-2] * e[d.n-2]
			variance += z[d.n-2] * z[d.n-2]
		}
		c.correct(0, d.output(z)+p.NoiseUM*r.NormFloat64())
		c.predict(c.linear())
		next := d.next(z, c.feedback)
		for j := range d.n {
			g := r.NormFloat64()
			for i := range next {
				next[i] += root.At(i, j) * g
			}
		}
		z = next
	}
	var cp, cpc mat.Dense
	cp.Mul(d.c, d.estimator.P)
	cpc.Mul(&cp, d.c.T())
	for _, q := range []struct {
		what      string
		got, want float64
	}{
		{"estimated deviation", deviation / ticks, cpc.At(0, 0)},
		{"estimated disturbance", disturbance / ticks, d.estimator.P.At(d.n-2, d.n-2)},
		{"disturbance itself", variance / ticks, p.DisturbanceUM * p.DisturbanceUM},
	} {
		t.Logf("%s: %.4g µm² of %.4g", q.what, q.got, q.want)
		if math.Abs(q.got/q.want-1) > 0.05 { // a few thousand independent samples: 2 to 3 %
			t.Errorf("%s: variance %.4g µm² in %d samples, promised %.4g", q.what, q.got, ticks, q.want)
		}
	}
}

// A constant disturbance of the model's input is left by the regulator with 1/(1+q) of
// its effect, once it is known: q (u + d)² + u² is least at u = -q d/(1+q).
func TestMBCLQGRejectsADisturbance(t *testing.T) {
	p := mbcLQGDefaults()
	c, d := designed(t, p)
	z := make([]float64, d.n)
	for range 4 * lqgRate {
		u := rest(c, d.output(z))
		z[d.n-2], z[d.n-1] = 1, 0 // the disturbance
		z = d.next(z, u)
	}
	if left := math.Abs(d.output(z)); left > 0.1 || left < 1/(1+p.ErrorWeight)/2 {
		t.Errorf("%.3g of a constant disturbance left: want about 1/%g", left, 1+p.ErrorWeight)
	}
}

// Without weight the command equals the feedforward's, to the bit, whatever is read.
func TestMBCLQGWithoutWeightIsMBC(t *testing.T) {
	p := mbcLQGDefaults()
	p.ErrorWeight = 0
	at := At{RateHz: lqgRate, Lead: 1}
	one, err := p.Make(at)
	if err != nil {
		t.Fatal(err)
	}
	two, err := (&MBC{Derivatives: "target"}).Make(at)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(2, 3))
	target, read, u, v := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}, []float64{0}
	for range 1000 {
		target.X[0], target.V[0], target.A[0], read.X[0] = r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
		one.Step(u, &target, &read)
		two.Step(v, &target, &read)
		if u[0] != v[0] {
			t.Fatalf("command %g, mbc %g", u[0], v[0])
		}
	}
}

// The reading is compared with the target of its own instant: a specimen that is
// where it should be needs no feedback, and one that is a sample off does.
func TestMBCLQGComparesEqualInstants(t *testing.T) {
	for lead := range 3 {
		c, err := mbcLQGDefaults().Make(At{RateHz: lqgRate, Lead: lead})
		if err != nil {
			t.Fatal(err)
		}
		other, err := mbcLQGDefaults().Make(At{RateHz: lqgRate, Lead: lead + 1})
		if err != nil {
			t.Fatal(err)
		}
		target, read, u := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}
		past := make([]float64, lead)
		for k := range 500 {
			target.X[0] = 1e-3 * float64(k)
			past = append(past, target.X[0])
			read.X[0] = past[k]
			c.Step(u, &target, &read)
			other.Step(u, &target, &read)
		}
		if f := c.(mbcLQGRates).feedback; f != 0 {
			t.Errorf("lead %d: feedback %g on no error", lead, f)
		}
		if f := other.(mbcLQGRates).feedback; f == 0 {
			t.Errorf("lead %d: no feedback on an error of a sample", lead+1)
		}
	}
}

// An overflow does not poison the estimate.
func TestMBCLQGAfterOverflow(t *testing.T) {
	c, _ := designed(t, mbcLQGDefaults())
	for _, x := range []float64{math.MaxFloat64, -math.MaxFloat64, math.MaxFloat64} {
		if u := rest(c, x); !rths.Finite(u) {
			t.Fatalf("command %g", u)
		}
	}
	for range 20 * lqgRate {
		rest(c, 0)
	}
	for i, v := range c.z {
		if !rths.Finite(v) {
			t.Errorf("state %d is %g", i, v)
		}
	}
}

func TestMBCLQGWrongInput(t *testing.T) {
	for _, tc := range []struct {
		change func(p *MBCLQG)
		want   string
	}{
		{func(p *MBCLQG) { p.ErrorWeight = -1 }, "error_weight -1: want 0 or more"},
		{func(p *MBCLQG) { p.DisturbanceUM = 0 }, "disturbance_um 0: want more than 0"},
		{func(p *MBCLQG) { p.ShapingHz = 3000 }, "Nyquist frequency 2048 Hz"},
		{func(p *MBCLQG) { p.ShapingZeta = math.Inf(1) }, "shaping_damping_ratio +Inf"},
		{func(p *MBCLQG) { p.NoiseUM = math.NaN() }, "noise_um NaN"},
		{func(p *MBCLQG) { p.A = []float64{1} }, "has no lag"},
		{func(p *MBCLQG) { p.A = []float64{1, 0, 0, 0} }, "has no lag"},
		{func(p *MBCLQG) { p.Model = "guess" }, `mbc-lqg: model "guess"`},
	} {
		p := mbcLQGDefaults()
		tc.change(p)
		if _, err := p.Make(At{RateHz: lqgRate}); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want it to say %q", err, tc.want)
		}
	}
}
