package compensate

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/lti"
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
// tick solves anew. With rows m of the bounds and multipliers λ, v = E⁻¹(Sᵀ(r − f) − Mᵀλ); if the
// free v keeps all bounds, λ = 0. Else Hildreth's method (C. Hildreth, Naval Res. Logist. Q. 4
// (1957) 79, doi:10.1002/nav.3800040113) sets one λ after the other such that its bound holds,
// in a hundred sweeps. It converges to the optimum; a hundred sweeps leave the cost within a
// thousandth of it and pass the bounds of some later moves by 2 % of their width. v_0, which alone
// leaves, is cut to its bounds, so that command and rate keep them in every tick.
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
	return &MPC{Horizon: 6, StepMs: 4, MoveWeight: 0.01, LimitM: 1, RateMS: 10, EstimatorWeights: lqgDefaults().EstimatorWeights}
}

const longestHorizon, sweeps = 20, 100

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
	c := &mpc{estimate: d.made(0), quadratic: *q, step: 1e-3 * p.StepMs, shift: float64(at.Lead) * h, limit: p.LimitM, rate: p.RateMS, h: h}
	radius, err := lti.SpectralRadius(c.loop(d))
	if err == nil && !(radius < 1) {
		err = fmt.Errorf("unstable with its own model: spectral radius %.6g: want below 1, by a larger horizon, step_ms or move_weight", radius)
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
	free    *mat.Dense  // rows C Aⁱ, i = 1 … N
	s       []float64   // s_1 … s_N
	gain    *mat.Dense  // E⁻¹Sᵀ
	toward  [][]float64 // E⁻¹m for the rows m of moves and of commands
	against []float64   // m E⁻¹ mᵀ of every row
	lambda  []float64
	v, miss []float64 // moves; r − f
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
	q := &quadratic{n: n, free: mat.NewDense(n, d.n, nil), s: make([]float64, n), gain: mat.NewDense(n, n, nil), v: make([]float64, n), miss: make([]float64, n), lambda: make([]float64, 2*n), against: make([]float64, 2*n)}
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
	q.bounds(&inverse)
	return q, nil
}

// bounds prepares the rows of the bounds: v_i = e_i v, then u_i − u_{−1} = Σ v_j, j ≤ i.
func (q *quadratic) bounds(inverse *mat.Dense) {
	for i := range 2 * q.n {
		first, last := i, i
		if i >= q.n {
			first, last = 0, i-q.n
		}
		column := make([]float64, q.n)
		for j := range column {
			for l := first; l <= last; l++ {
				column[j] += inverse.At(j, l)
			}
		}
		q.toward = append(q.toward, column)
		q.against[i] = q.of(i, column)
	}
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
	out            sane
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
	c.command = c.out.of(c.command + c.v[0])
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
	c.hildreth(sweeps)
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
	for i := range c.lambda {
		low, high := c.bound(i)
		if v := c.of(i, c.v); !(v >= low && v <= high) {
			return false
		}
	}
	return true
}

// hildreth sets λ row by row: without its λ the row would be a; λ takes it to the nearest value
// that its bound allows.
func (c *mpc) hildreth(sweeps int) {
	clear(c.lambda)
	for range sweeps {
		for i, was := range c.lambda {
			a := c.of(i, c.v) + c.against[i]*was
			low, high := c.bound(i)
			c.lambda[i] = (a - math.Max(low, math.Min(a, high))) / c.against[i]
			for j, w := range c.toward[i] {
				c.v[j] -= w * (c.lambda[i] - was)
			}
		}
	}
}

// Idealise: no bounds.
func (c *mpc) Idealise(on bool) { c.ideal = on }

// UsesRates: velocity and acceleration of the target.
func (*mpc) UsesRates() {}

// Channels are whether a bound holds the command, and the estimated disturbance.
func (c *mpc) Channels() []rths.Channel {
	return []rths.Channel{{Name: "bounded", Unit: "-", V: &c.active}, {Name: "d_hat", Unit: "m", V: &c.estimate.z[c.estimate.n-2]}}
}

func (c *mpc) AppendState(dst []float64) []float64 {
	return append(c.estimate.appendState(dst), c.command, c.out.last)
}

func (c *mpc) SetState(src []float64) []float64 {
	src = c.estimate.setState(src)
	c.command, c.out.last = src[0], src[1]
	return src[2:]
}
