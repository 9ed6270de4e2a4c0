package compensate

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/lti"
	"rths/maths/signal"
)

// MPC is model predictive control with a short horizon. (Gálmez 2021, section 2.3, names it, of
// Tsokanas et al. 2020, without equations. The law here is the textbook's: L. Wang, Model
// Predictive Control System Design and Implementation Using MATLAB, 2009, chapters 1 and 2.)
// The model x/u = 1/(a₀ + a₁s + …) with a disturbance of its command, discrete under a command
// held over H, is
//
//	z⁺ = A z + B u,  x = C z
//
// A Kalman filter, mbc-lqg's, estimates z from the readings and the commands issued. The moves
// v_j = u_j − u_{j−1} of the next N steps of H, with u_{−1} the last command, give
//
//	x_i = f_i + Σ s_{i−j} v_j, j = 0 … i−1,  f_i = C Aⁱ ẑ + s_i u_{−1},  s_i = Σ C A^l B, l < i
//
// and minimise, for the target r_i at i H from the reading's instant,
//
//	J = Σ (r_i − x_i)² + ρ Σ v_j²,  i = 1 … N,  j = 0 … N−1
//	E v = Sᵀ(r − f),  E = SᵀS + ρ I                                      without bounds
//
// under |u_j| ≤ U, |v_0| ≤ V̇ h, |v_j| ≤ V̇ H: v_0 is what leaves in this tick of h, and the next
// tick solves anew. If the free v keeps all bounds, it is the solution. Else the bounded problem is
// split between v and the rows w = M v, the moves and the commands less u_{−1} (alternating
// directions: S. Boyd et al., Found. Trends Mach. Learn. 3 (2011) 1, doi:10.1561/2200000016, section
// 5.2), with multipliers σ y:
//
//	v ← (E + σMᵀM)⁻¹ (Sᵀ(r − f) + σMᵀ(w − y)),  w ← M v + y within its bounds,  y ← y + M v − w
//
// σ is the geometric mean of ρ and |E|, near the least and the largest eigenvalue of E. It converges
// to the optimum; a hundred rounds are made in every such tick, and v_0, which alone leaves, is
// then cut to its bounds, so that command and rate keep them in every tick.
//
// The future target is extrapolated from the target of the tick, its velocity and its
// acceleration, as a parabola.
//
// Not for plants far from the model: the horizon sees the model only. Not with a horizon long
// beside the structure's period: the parabola leaves the target. Not where the bounds are
// reached often: the test then is another one, and the report shows by how much.
type MPC struct {
	TrackingModel    `yaml:",inline"`
	Horizon          int     `yaml:"horizon" doc:"N, steps that are predicted, 2 to 20"`
	StepMs           float64 `yaml:"step_ms" doc:"H, length of a step, ms; rounded to samples, at least one; N H of 20 to 40 ms is usual"`
	MoveWeight       float64 `yaml:"move_weight" doc:"ρ, weight of the squared moves of the command against the squared tracking errors, -, more than 0"`
	LimitM           float64 `yaml:"limit_m" doc:"U, the largest command, ±m, more than 0"`
	RateMS           float64 `yaml:"rate_m_s" doc:"V̇, the largest rate of the command, ±m/s, more than 0"`
	EstimatorWeights `yaml:",inline"`
}

// mpcDefaults suit an actuator with a lag of some 20 ms; the bounds are far away.
func mpcDefaults() *MPC {
	return &MPC{Horizon: 6, StepMs: 4, MoveWeight: 0.01, LimitM: 1, RateMS: 10,
		EstimatorWeights: lqgDefaults().EstimatorWeights}
}

const longestHorizon, rounds = 20, 100

// Make designs estimator and predictions.
func (p *MPC) Make(at At) (rths.Compensator, error) {
	if at.Ahead > 0 {
		return nil, errors.New("mpc: it predicts the target itself: want no extrapolation in front")
	}
	if _, err := p.resolve("mpc", at); err != nil {
		return nil, err
	}
	c, err := p.make(at)
	if err != nil {
		return nil, fmt.Errorf("mpc: %w", err)
	}
	return c, nil
}

func (p *MPC) make(at At) (*mpc, error) {
	h := 1 / at.RateHz
	if err := p.check(at); err != nil {
		return nil, err
	}
	p.StepMs = 1e3 * h * math.Max(1, math.Round(p.StepMs*1e-3/h))
	d, err := p.estimator(p.A, h)
	if err != nil {
		return nil, err
	}
	d.feedback = make([]float64, d.n)
	q, err := p.problem(d)
	if err != nil {
		return nil, err
	}
	c := &mpc{estimate: d.made(0), quadratic: *q, step: 1e-3 * p.StepMs, shift: float64(at.Lead) * h, limit: p.LimitM,
		rate: p.RateMS, h: h}
	radius, err := lti.SpectralRadius(c.loop(d))
	if err == nil && !(radius < 1) {
		err = fmt.Errorf(
			"unstable with its own model: spectral radius %.6g: want below 1, by a larger horizon, step_ms or move_weight",
			radius)
	}
	return c, err
}

func (p *MPC) check(at At) error {
	if p.Horizon < 2 || p.Horizon > longestHorizon {
		return fmt.Errorf("horizon %d: want 2 to %d", p.Horizon, longestHorizon)
	}
	for _, v := range []struct {
		name string
		v    float64
	}{{"step_ms", p.StepMs}, {"move_weight", p.MoveWeight}, {"limit_m", p.LimitM}, {"rate_m_s", p.RateMS}} {
		if !(v.v > 0) || !rths.Finite(v.v) {
			return fmt.Errorf("%s %g: want more than 0", v.name, v.v)
		}
	}
	if p.StepMs > 1e3 {
		return fmt.Errorf("step_ms %g: want at most 1000", p.StepMs)
	}
	return p.EstimatorWeights.check("estimator", at)
}

// quadratic is the problem of a tick, with room for its solution.
type quadratic struct {
	n       int
	free    *mat.Dense // rows C Aⁱ, i = 1 … N
	s       []float64  // s_1 … s_N
	gain    *mat.Dense // E⁻¹Sᵀ
	stay    *mat.Dense // (E + σMᵀM)⁻¹ E
	pull    *mat.Dense // σ (E + σMᵀM)⁻¹
	w, y    []float64  // of the rows of moves, then of commands
	start   []float64  // moves without bounds
	toward  []float64  // Mᵀ(w − y)
	v, miss []float64  // moves; r − f
}

// problem predicts by steps of H.
func (p *MPC) problem(d *lqg) (*quadratic, error) {
	n := p.Horizon
	a, b, _, c, err := p.deviation(p.A)
	if err != nil {
		return nil, err
	}
	phi, gamma, err := lti.ZOHInputs(a, b, 1e-3*p.StepMs)
	if err != nil {
		return nil, err
	}
	q := &quadratic{n: n, free: mat.NewDense(n, d.n, nil), s: make([]float64, n), gain: mat.NewDense(n, n, nil),
		v: make([]float64, n), miss: make([]float64, n), w: make([]float64, 2*n), y: make([]float64, 2*n),
		start: make([]float64, n), toward: make([]float64, n)}
	row, sum := c, 0.0
	for i := range n {
		sum += lti.Product(row, gamma).At(0, 0)
		row = lti.Product(row, phi)
		q.s[i] = sum
		q.free.SetRow(i, row.RawRowView(0))
	}
	s := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range i + 1 {
			s.Set(i, j, q.s[i-j])
		}
	}
	e := lti.Product(s.T(), s)
	for i := range n {
		e.Set(i, i, e.At(i, i)+p.MoveWeight)
	}
	var inverse mat.Dense
	if err := inverse.Inverse(e); err != nil {
		return nil, fmt.Errorf("horizon: %w: want a larger move_weight", err)
	}
	q.gain.Mul(&inverse, s.T())
	return q, q.bounds(e, math.Sqrt(p.MoveWeight*mat.Norm(e, 2)))
}

// bounds prepares the splitting: the rows of M give v_i, and u_i − u_{−1} = Σ v_j, j ≤ i.
func (q *quadratic) bounds(e *mat.Dense, sigma float64) error {
	n := q.n
	m := mat.NewDense(2*n, n, nil)
	for i := range n {
		m.Set(i, i, 1)
		for j := range i + 1 {
			m.Set(n+i, j, 1)
		}
	}
	split := lti.Product(m.T(), m)
	split.Scale(sigma, split)
	split.Add(split, e)
	var inverse mat.Dense
	if err := inverse.Inverse(split); err != nil {
		return fmt.Errorf("bounds: %w: want a larger move_weight", err)
	}
	q.stay = lti.Product(&inverse, e)
	q.pull = &inverse
	q.pull.Scale(sigma, q.pull)
	return nil
}

// of is m v of row i.
func (q *quadratic) of(i int, v []float64) float64 {
	if i < q.n {
		return v[i]
	}
	sum := 0.0
	for _, w := range v[:i-q.n+1] {
		sum += w
	}
	return sum
}

type mpc struct {
	estimate lqgFeedback
	quadratic
	h, step, shift float64 // sample, H, from the reading's instant to the target's, s
	limit, rate    float64
	command        float64 // u_{−1}
	ideal          bool
	active         float64 // 1 while a bound holds the command
	out            signal.Sane
}

// loop is the closed loop of the model with known states and no bounds: of z and the last
// command.
func (c *mpc) loop(d *lqg) *mat.Dense {
	n := d.n
	loop := mat.NewDense(n+1, n+1, nil)
	for j := range n {
		for i := range c.n {
			loop.Set(n, j, loop.At(n, j)-c.gain.At(0, i)*c.free.At(i, j))
		}
	}
	keep := 1.0
	for i, s := range c.s {
		keep -= c.gain.At(0, i) * s
	}
	loop.Set(n, n, keep)
	for i := range n {
		for j := range n + 1 {
			v := d.b.At(i, 0) * loop.At(n, j)
			if j < n {
				v += d.a.At(i, j)
			}
			loop.Set(i, j, v)
		}
	}
	return loop
}

func (c *mpc) Step(command []float64, target *rths.Motion, read *rths.Reading) {
	c.estimate.correct(0, read.X[0])
	for i := range c.miss {
		at := float64(i+1)*c.step - c.shift
		c.miss[i] = target.X[0] + target.V[0]*at + target.A[0]*at*at/2 - c.s[i]*c.command
		for j, w := range c.free.RawRowView(i) {
			c.miss[i] -= w * c.estimate.z[j]
		}
	}
	c.solve()
	c.command = c.out.Of(c.command + c.v[0])
	c.estimate.predict(c.command)
	command[0] = c.command
}

// solve finds the moves, and cuts the first to its bounds.
func (c *mpc) solve() {
	c.unbounded()
	c.active = 0
	if c.ideal || c.kept() {
		return
	}
	c.active = 1
	c.split(rounds)
	move := math.Max(-c.rate*c.h, math.Min(c.v[0], c.rate*c.h))
	c.v[0] = math.Max(-c.limit, math.Min(c.command+move, c.limit)) - c.command
}

// unbounded is v = E⁻¹Sᵀ(r − f).
func (c *mpc) unbounded() {
	for i := range c.v {
		sum := 0.0
		for j, w := range c.gain.RawRowView(i) {
			sum += w * c.miss[j]
		}
		c.v[i] = sum
	}
}

// bound is what row i may be.
func (c *mpc) bound(i int) (low, high float64) {
	switch {
	case i == 0:
		return -c.rate * c.h, c.rate * c.h
	case i < c.n:
		return -c.rate * c.step, c.rate * c.step
	}
	return -c.limit - c.command, c.limit - c.command
}

// kept reports whether the moves keep all bounds.
func (c *mpc) kept() bool {
	for i := range c.w {
		low, high := c.bound(i)
		if v := c.of(i, c.v); !(v >= low && v <= high) {
			return false
		}
	}
	return true
}

// split alternates between moves without bounds and rows within them.
func (c *mpc) split(rounds int) {
	copy(c.start, c.v)
	clear(c.w)
	clear(c.y)
	for range rounds {
		later := 0.0
		for j := c.n - 1; j >= 0; j-- {
			later += c.w[c.n+j] - c.y[c.n+j]
			c.toward[j] = c.w[j] - c.y[j] + later
		}
		for i := range c.v {
			sum := 0.0
			stay, pull := c.stay.RawRowView(i), c.pull.RawRowView(i)
			for j := range c.v {
				sum += stay[j]*c.start[j] + pull[j]*c.toward[j]
			}
			c.v[i] = sum
		}
		for i := range c.w {
			low, high := c.bound(i)
			a := c.of(i, c.v) + c.y[i]
			c.w[i] = math.Max(low, math.Min(a, high))
			c.y[i] = a - c.w[i]
		}
	}
}

// Idealise: no bounds.
func (c *mpc) Idealise(on bool) { c.ideal = on }

// UsesRates: velocity and acceleration of the target.
func (*mpc) UsesRates() {}

// Channels are whether a bound holds the command, and the estimated disturbance.
func (c *mpc) Channels() []rths.Channel {
	return []rths.Channel{{Name: "bounded", Unit: "-", V: &c.active},
		{Name: "d_hat", Unit: "m", V: &c.estimate.z[c.estimate.n-2]}}
}

func (c *mpc) VisitState(v *rths.StateVisitor) {
	c.estimate.visit(v)
	v.Float(&c.command)
	v.State(&c.out)
}

// Shorter steps and a larger disturbance lose the loop on most plants.
var mpcTunable = []rths.Tunable{
	{Key: "move_weight", From: 3e-4, To: 0.1, Log: true},
	{Key: "step_ms", From: 2, To: 6, Log: true},
	{Key: "disturbance_um", From: 10, To: 500, Log: true},
}
