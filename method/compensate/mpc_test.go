package compensate

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
)

func predicting(t *testing.T, p *MPC) *mpc {
	t.Helper()
	c, err := p.Make(At{RateHz: lqgRate})
	if err != nil {
		t.Fatal(err)
	}
	return c.(*mpc)
}

// Without bounds a tick is the least-squares problem itself: rows of x_i from the model stepped
// sample by sample under each command in turn, and √ρ of the moves, solved by QR.
func TestPredictiveControlIsLeastSquares(t *testing.T) {
	for _, a := range [][]float64{nil, {1, 0.02}, {0.99, 0.02, 1e-4}} {
		p := mpcDefaults()
		p.A, p.LimitM, p.RateMS = a, 1e9, 1e12 // far away, also from states of any size
		c := predicting(t, p)
		d, err := p.estimator(p.A, 1.0/lqgRate)
		if err != nil {
			t.Fatal(err)
		}
		samples := int(math.Round(p.StepMs * 1e-3 * lqgRate))
		x := func(z []float64, last float64, v []float64) (out []float64) {
			for _, move := range v {
				last += move
				for range samples {
					z = d.next(z, last)
				}
				out = append(out, d.output(z))
			}
			return out
		}
		r := rand.New(rand.NewPCG(1, 2))
		z, n := make([]float64, d.n), p.Horizon
		for i := range z {
			z[i] = r.NormFloat64() * 1e-3
		}
		copy(c.estimate.z[:], z)
		c.command = r.NormFloat64() * 1e-3
		target, read := rths.NewMotion(1), rths.NewReading(1, 1)
		target.X[0], target.V[0], target.A[0] = r.NormFloat64()*1e-3, r.NormFloat64()*1e-2, r.NormFloat64()*0.1
		read.X[0] = d.output(z) // what the estimate expects: nothing is corrected

		rows, right := mat.NewDense(2*n, n, nil), mat.NewDense(2*n, 1, nil)
		free := x(z, c.command, make([]float64, n))
		for i := range n {
			at := float64(i+1) * p.StepMs * 1e-3
			right.Set(i, 0, target.X[0]+target.V[0]*at+target.A[0]*at*at/2-free[i])
			move := make([]float64, n)
			move[i] = 1
			for j, v := range x(make([]float64, d.n), 0, move) {
				rows.Set(j, i, v)
			}
			rows.Set(n+i, i, math.Sqrt(p.MoveWeight))
		}
		var want mat.Dense
		if err := want.Solve(rows, right); err != nil {
			t.Fatal(err)
		}
		u, last := []float64{0}, c.command
		c.Step(u, &target, &read)
		for i, v := range c.v {
			if math.Abs(v-want.At(i, 0)) > 1e-9*mat.Norm(&want, 2) {
				t.Errorf("%v: move %d is %.12g: want %.12g", a, i, v, want.At(i, 0))
			}
		}
		if u[0] != last+c.v[0] || c.active != 0 {
			t.Errorf("%v: command %g, bounded %g: want the last, %g, and the first move, %g, and no bound", a, u[0], c.active,
				last, c.v[0])
		}
	}
}

// With bounds the moves keep them and no others that do are better: J is convex, so its
// gradient g = 2(E v − Sᵀ(r − f)) has gᵀ(w − v) ≥ 0 for every w that keeps the bounds. Many rounds
// come to rounding. The hundred of a tick leave the first move off by a fortieth of its width here
// where many bounds hold at once; the limit is twice that.
func TestPredictiveControlWithinBounds(t *testing.T) {
	p := mpcDefaults()
	p.LimitM, p.RateMS = 2e-3, 0.5
	c, r := predicting(t, p), rand.New(rand.NewPCG(3, 4))
	better, exceeded, first, held := 0.0, 0.0, 0.0, 0
	for range 100 {
		c.command = p.LimitM * (2*r.Float64() - 1)
		for i := range c.miss {
			c.miss[i] = 3e-3 * r.NormFloat64()
		}
		c.solve()
		if c.active == 0 {
			continue
		}
		held++
		issued := c.v[0]
		c.unbounded()
		c.split(20000)
		better = math.Max(better, c.improvement(p, r))
		for i := range c.w {
			low, high := c.bound(i)
			v := c.of(i, c.v)
			exceeded = math.Max(exceeded, math.Max(low-v, v-high)/(high-low))
		}
		low, high := c.bound(0)
		first = math.Max(first, math.Abs(issued-c.v[0])/(high-low))
	}
	t.Logf("%d held by a bound; another point is better by %.2g of the cost at most; bounds are passed by %.2g of their "+
		"width; first move off by %.2g of its width", held, better, exceeded, first)
	if held < 50 || better > 1e-9 || exceeded > 1e-9 || first > 0.05 {
		t.Errorf("%d held by a bound; another point is better by %.2g of the cost at most; bounds are passed by %.2g of "+
			"their width; first move off by %.2g of its width", held, better, exceeded, first)
	}
}

// improvement is −gᵀ(w − v) of the best of 50 random w within the bounds, over the cost of no
// moves.
func (c *mpc) improvement(p *MPC, r *rand.Rand) (best float64) {
	g, size := c.gradient(p.MoveWeight)
	for range 50 {
		slope, u := 0.0, c.command
		for j := range c.v {
			low, high := c.bound(j)
			w := math.Max(-p.LimitM-u, math.Min(low+(high-low)*r.Float64(), p.LimitM-u))
			u += w
			slope += g[j] * (w - c.v[j])
		}
		best = math.Max(best, -slope/size)
	}
	return best
}

// gradient of J at v, and |r − f|², the cost of no moves.
func (c *mpc) gradient(rho float64) (g []float64, size float64) {
	g = make([]float64, c.n)
	for i, r := range c.miss {
		size += r * r
		x := 0.0
		for j := range i + 1 {
			x += c.s[i-j] * c.v[j]
		}
		for j := range i + 1 {
			g[j] += 2 * c.s[i-j] * (x - r)
		}
	}
	for j := range g {
		g[j] += 2 * rho * c.v[j]
	}
	return g, size
}

// Command and rate keep their bounds in every tick, whatever target and reading do.
func TestPredictiveControlKeepsItsBounds(t *testing.T) {
	p := mpcDefaults()
	p.LimitM, p.RateMS = 3e-3, 0.2
	c, r := predicting(t, p), rand.New(rand.NewPCG(5, 6))
	plant := heldModel(t, p.A, lqgRate)
	target, read, u := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}
	last, bounded := 0.0, 0
	for k := range 4 * lqgRate {
		if k%200 == 0 { // jumps
			target.X[0], target.V[0], target.A[0] = 5e-3*r.NormFloat64(), 0.1*r.NormFloat64(), r.NormFloat64()
		}
		c.Step(u, &target, &read)
		if c.active > 0 {
			bounded++
		}
		if move := math.Abs(u[0] - last); math.Abs(u[0]) > p.LimitM*(1+1e-12) || move > p.RateMS/lqgRate*(1+1e-9) {
			t.Fatalf("tick %d: command %g m, moved by %g m: want at most %g and %g m", k, u[0], move, p.LimitM, p.RateMS/lqgRate)
		}
		last = u[0]
		read.X[0] = plant(u[0]) + 1e-5*r.NormFloat64()
	}
	if bounded < lqgRate/10 {
		t.Errorf("bounded in %d ticks: the test wants many", bounded)
	}
}

func TestMPCErrors(t *testing.T) {
	for want, spoil := range map[string]func(*MPC){
		"mpc: horizon 1: want 2 to 20":                 func(p *MPC) { p.Horizon = 1 },
		"mpc: step_ms 0: want more than 0":             func(p *MPC) { p.StepMs = 0 },
		"mpc: step_ms 2000: want at most 1000":         func(p *MPC) { p.StepMs = 2000 },
		"mpc: move_weight -1: want more than 0":        func(p *MPC) { p.MoveWeight = -1 },
		"mpc: limit_m 0: want more than 0":             func(p *MPC) { p.LimitM = 0 },
		"mpc: rate_m_s 0: want more than 0":            func(p *MPC) { p.RateMS = 0 },
		"mpc: estimator: noise_um 0: want more than 0": func(p *MPC) { p.NoiseUM = 0 },
		"has no lag": func(p *MPC) { p.A = []float64{1} },
	} {
		p := mpcDefaults()
		spoil(p)
		if _, err := p.Make(At{RateHz: lqgRate}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v: want one that says %q", err, want)
		}
	}
	if _, err := mpcDefaults().Make(At{RateHz: lqgRate, Ahead: 1}); err == nil ||
		!strings.Contains(err.Error(), "want no extrapolation in front") {
		t.Errorf("behind an extrapolation: %v", err)
	}
}
