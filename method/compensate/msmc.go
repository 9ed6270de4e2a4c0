package compensate

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/lti"
	"rths/maths/signal"
)

// MSMC is sliding-mode control of all actuators together (Shangguan et al. 2024,
// section 2.2), on a linear model of the plant with its specimen from n commands to n
// displacements,
//
//	ẋ = A x + B y_c,  y_m = C x                                                  (27)
//
// The internal-model design puts the tracking error e = y_ac − y_m into the state; the
// reference counts as constant (28). Y = [−e; ẋ] then obeys
//
//	Ẏ = A* Y + B* ẏ_c,  A* = [0 C; 0 A],  B* = [0; B]                            (29)
//
// A linear–quadratic regulator gives the sliding surface S = P Y = 0 (13–19), a reaching
// law the gains [k₁ K] that lead to the surface, and a stationary Kalman filter (34), (35)
// the estimate x̂ of the states:
//
//	y_c = k₁ ∫ e dt − K x̂,  e = y_ac − C x̂                                        (31)
//
// Eq. 17 is corrected (errata 004.3). The law has no switching part: it is linear and
// constant.
//
// The paper stacks companion blocks of all entries of the transfer matrix, with twice
// the states of the benchmark's plant. Here each command has one chain of states, scaled
// by time_scale; Q weighs these states. The observer is discretised under held command
// and reading, the integral by the trapezoidal rule. All gains are ratios of like
// quantities, so metres or millimetres make no difference.
//
// Because the reference counts as constant, a few ms of lag remain (6 to 9 ms on the
// benchmark): adm-msmc removes them. Reaching law and observer put poles at hundreds of
// rad/s. Do not use msmc where the plant's model is wrong there, and check the loop's
// spectral radius. The paper's Table 2 is not readable: the defaults are our choice.
type MSMC struct {
	Reaching    string  `yaml:"reaching" doc:"exponential: Ṡ = −δ S, poles at −δ; or eq22: u = (G_s − δ χ') Y as printed (Shangguan et al. 2024, eq. 22), the same where P B* = I"`
	Delta       float64 `yaml:"delta,omitempty" doc:"δ of the reaching law, more than 0; exponential: 1/s, default 300; eq22: per second over (P B*)², default 0.3"`
	ErrorWeight float64 `yaml:"error_weight" doc:"weight in Q of the squared errors, relative to the weight of the squared rates of the states, 1/s², more than 0; 1e5 is usual, 1e6 tracks better and leaves less margin"`
	StateWeight float64 `yaml:"state_weight" doc:"weight in Q of the squared rates of the states, -, more than 0"`
	TimeScale   float64 `yaml:"time_scale_rad_s" doc:"unit of frequency ω of the states, each the rate of the one before it over ω, rad/s, near the plant's poles"`
	Qe          float64 `yaml:"qe_mm2_s" doc:"intensity of the noise that the observer expects on each command, mm² s, more than 0; only qe/re counts"`
	Re          float64 `yaml:"re_mm2_s" doc:"intensity of the noise of each displacement reading, mm² s, more than 0; multi-axial benchmark 1.5e-7"`
}

// slidingDefaults suit the transfer system of the multi-axial benchmark at 1024 Hz.
func slidingDefaults() MSMC {
	return MSMC{Reaching: "exponential", ErrorWeight: 1e5, StateWeight: 1, TimeScale: 300, Qe: 1e-6, Re: 1.5e-7}
}

// Make designs surface, gains and observer.
func (p *MSMC) Make(at At) (rths.Compensator, error) {
	d, err := p.design(at)
	if err != nil {
		return nil, fmt.Errorf("msmc: %w", err)
	}
	return d.compensator(), nil
}

// ManyAxes: as many actuators as the model of the plant has.
func (*MSMC) ManyAxes() {}

// OwnLoop is implemented by makers whose compensator closes a loop around the transfer system itself. It is designed
// for the plant without an inner loop: the scenario should have none.
type OwnLoop interface{ OwnLoop() }

// OwnLoop: the sliding-mode law feeds the readings back.
func (*MSMC) OwnLoop() {}

// Late is implemented by compensators whose design leaves a lag to the target. SlowLag is the
// largest lag of all actuators in slow motion of the design's own model, s.
type Late interface{ SlowLag() float64 }

func (p *MSMC) check() error {
	switch {
	case p.Reaching != "exponential" && p.Reaching != "eq22":
		return fmt.Errorf("reaching %q: want exponential or eq22", p.Reaching)
	case p.Delta == 0 && p.Reaching == "exponential":
		p.Delta = 300
	case p.Delta == 0:
		p.Delta = 0.3
	}
	for _, v := range []struct {
		name string
		v    float64
	}{{"delta", p.Delta}, {"error_weight", p.ErrorWeight}, {"state_weight", p.StateWeight},
		{"time_scale_rad_s", p.TimeScale}, {"qe_mm2_s", p.Qe}, {"re_mm2_s", p.Re}} {
		if !(v.v > 0) || !rths.Finite(v.v) {
			return fmt.Errorf("%s %g: want more than 0", v.name, v.v)
		}
	}
	return nil
}

// slidingMode is a design of r actuators and n states.
type slidingMode struct {
	r, n     int
	h        float64
	model    lti.SS     // (27), in chains
	surface  *mat.Dense // P, r×(r+n)
	gain     *mat.Dense // [k₁ K], r×(r+n)
	observer lti.Estimator
	control  lti.SS  // discrete: from y_ac and y_m to y_c and S
	lag      float64 // see Late, s
}

func (p *MSMC) design(at At) (*slidingMode, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	model, orders, err := chainsOf(at, p.TimeScale)
	if err != nil {
		return nil, err
	}
	d := &slidingMode{h: 1 / at.RateHz, model: model}
	d.n, d.r, _ = model.Dims()
	if err := p.slide(d, orders); err != nil {
		return nil, fmt.Errorf("sliding surface: %w", err)
	}
	g, w, v := model.B, lti.Diagonal(d.r, p.Qe), lti.Diagonal(d.r, p.Re)
	if d.observer, err = lti.LQE(model.A, g, model.C, w, v, 0); err != nil { // (35)
		return nil, fmt.Errorf("observer: %w", err)
	}
	if d.control, err = d.controller(); err != nil {
		return nil, err
	}
	loop, err := d.closed()
	if err != nil {
		return nil, err
	}
	radius, err := lti.SpectralRadius(loop.A)
	if err == nil && !(radius < 1) {
		err = fmt.Errorf(
			"unstable with its own model at %g Hz: spectral radius %.6g: want below 1, by a smaller delta or error_weight or "+
				"a higher rate", at.RateHz, radius)
	}
	d.lag = slowLag(loop) - float64(at.Lead)/at.RateHz
	return d, err
}

// slowLag is the largest delay of an output relative to its own input in slow motion, s.
func slowLag(loop lti.SS) (lag float64) {
	const hz = 0.1
	_, r, _ := loop.Dims()
	for i := range r {
		lag = max(lag, -cmplx.Phase(loop.Response(i, i)(hz))/(2*math.Pi*hz))
	}
	return lag
}

// chainsOf is the test's plant as chains of states, one chain per command.
func chainsOf(at At, scale float64) (lti.SS, []int, error) {
	if at.Model == nil {
		return lti.SS{}, nil,
			errors.New("this test has no linear model of its plant from commands to displacements, which the design needs")
	}
	model, err := at.Model()
	if err != nil {
		return lti.SS{}, nil, fmt.Errorf("model of the plant: %w", err)
	}
	_, in, out := model.Dims()
	if axes := max(at.Axes, 1); in != axes || out != axes {
		return lti.SS{}, nil,
			fmt.Errorf("model of the plant has %d commands and %d displacements: want %d of each, one per actuator", in, out,
				axes)
	}
	if mat.Norm(model.D, 1) != 0 {
		return lti.SS{}, nil,
			errors.New("model of the plant answers a command at once (D is not 0): want a strictly proper one")
	}
	return model.Chains(scale)
}

// slide finds P and [k₁ K]. The last state of every chain goes to the end, so that
// B₂ is not singular (33).
func (p *MSMC) slide(d *slidingMode, orders []int) error {
	all := d.r + d.n
	a, b, q := mat.NewDense(all, all, nil), mat.NewDense(all, d.r, nil), lti.Diagonal(all, p.StateWeight)
	a.Slice(0, d.r, d.r, all).(*mat.Dense).Copy(d.model.C)
	a.Slice(d.r, all, d.r, all).(*mat.Dense).Copy(d.model.A)
	b.Slice(d.r, all, 0, d.r).(*mat.Dense).Copy(d.model.B)
	for i := range d.r {
		q.Set(i, i, p.ErrorWeight)
	}
	order := lastToTheEnd(d.r, orders)
	aa, bb, qq := mat.NewDense(all, all, nil), mat.NewDense(all, d.r, nil), mat.NewDense(all, all, nil)
	for i, from := range order {
		bb.SetRow(i, b.RawRowView(from))
		for j, column := range order {
			aa.Set(i, j, a.At(from, column))
			qq.Set(i, j, q.At(from, column))
		}
	}
	s, err := lti.SlidingSurface(aa, bb, qq)
	if err != nil {
		return err
	}
	d.surface = mat.NewDense(d.r, all, nil)
	for j, to := range order {
		d.surface.SetCol(to, mat.Col(nil, j, s))
	}
	d.gain, err = reach(p.Reaching, p.Delta, a, b, d.surface)
	return err
}

func lastToTheEnd(r int, orders []int) []int {
	var front, end []int
	for i := range r {
		front = append(front, i)
	}
	at := r
	for _, n := range orders {
		for i := range n - 1 {
			front = append(front, at+i)
		}
		at += n
		end = append(end, at-1)
	}
	return append(front, end...)
}

// reach returns [k₁ K] of u = −[k₁ K] Y:
//
//	exponential: (P B)⁻¹ (P A + δ P), so that Ṡ = −δ S
//	eq22: −(G_s − δ χ'),  G_s = −(P B)⁻¹ P A,  χ = P' P B            (21), (22)
func reach(law string, delta float64, a, b, p *mat.Dense) (*mat.Dense, error) {
	pb, right := lti.Product(p, b), lti.Product(p, a)
	if law == "exponential" {
		var s mat.Dense
		s.Scale(delta, p)
		right.Add(right, &s)
	}
	var gain mat.Dense
	if err := gain.Solve(pb, right); err != nil {
		return nil, fmt.Errorf("matrix P B is singular: %w", err)
	}
	if law == "eq22" {
		chi := lti.Product(pb.T(), p)
		chi.Scale(delta, chi)
		gain.Add(&gain, chi)
	}
	return &gain, nil
}

// controller is observer, integral and gains as one discrete system. Its states are
// x̂ and σ = ξ + h e/2, the integral to the middle of the coming sample, so that
//
//	ξ = σ + h e/2,  σ⁺ = σ + h e  is the trapezoidal rule,
//
// its inputs y_ac and y_m, its outputs y_c and the sliding variable S = P [−e; dx̂/dt].
func (d *slidingMode) controller() (lti.SS, error) {
	n, r, h, all := d.n, d.r, d.h, d.n+3*d.r
	pick := func(rows, at int) *mat.Dense { // rows of the identity
		m := mat.NewDense(rows, all, nil)
		m.Slice(0, rows, at, at+rows).(*mat.Dense).Copy(lti.Diagonal(rows, 1))
		return m
	}
	x, sigma, yac, ym := pick(n, 0), pick(r, n), pick(r, n+r), pick(r, n+2*r)
	k1, k := d.gain.Slice(0, r, 0, r), d.gain.Slice(0, r, r, r+n)

	e := sum(1, yac, -1, lti.Product(d.model.C, x))
	yc := sum(1, lti.Product(k1, sum(1, sigma, h/2, e)), -1, lti.Product(k, x))
	innovation := lti.Product(d.observer.L, sum(1, ym, -1, lti.Product(d.model.C, x)))
	rate := sum(1, sum(1, lti.Product(d.model.A, x), 1, lti.Product(d.model.B, yc)), 1, innovation) // (34)
	s := sum(-1, lti.Product(d.surface.Slice(0, r, 0, r), e), 1, lti.Product(d.surface.Slice(0, r, r, r+n), rate))

	// (34) is exact under held y_c and y_m.
	closed := sum(1, d.model.A, -1, lti.Product(d.observer.L, d.model.C))
	inputs := mat.NewDense(n, 2*r, nil)
	inputs.Slice(0, n, 0, r).(*mat.Dense).Copy(d.model.B)
	inputs.Slice(0, n, r, 2*r).(*mat.Dense).Copy(d.observer.L)
	phi, gamma, err := lti.ZOHInputs(closed, inputs, h)
	if err != nil {
		return lti.SS{}, fmt.Errorf("observer: %w", err)
	}
	next := sum(1, lti.Product(phi, x), 1, sum(1, lti.Product(gamma.Slice(0, n, 0, r), yc), 1,
		lti.Product(gamma.Slice(0, n, r, 2*r), ym)))
	rows := stack(next, sum(1, sigma, h, e), yc, s)
	z := n + r
	return lti.NewSS(mat.DenseCopyOf(rows.Slice(0, z, 0, z)), mat.DenseCopyOf(rows.Slice(0, z, z, all)),
		mat.DenseCopyOf(rows.Slice(z, z+2*r, 0, z)), mat.DenseCopyOf(rows.Slice(z, z+2*r, z, all)), h)
}

// sum is a A + b B.
func sum(a float64, am mat.Matrix, b float64, bm mat.Matrix) *mat.Dense {
	var x, y mat.Dense
	x.Scale(a, am)
	y.Scale(b, bm)
	x.Add(&x, &y)
	return &x
}

func stack(parts ...*mat.Dense) *mat.Dense {
	out := parts[0]
	for _, p := range parts[1:] {
		var both mat.Dense
		both.Stack(out, p)
		out = &both
	}
	return out
}

// closed is the controller around its own model, exact under a held command: from
// y_ac to the displacements.
func (d *slidingMode) closed() (lti.SS, error) {
	phi, gamma, err := lti.ZOHInputs(d.model.A, d.model.B, d.h)
	if err != nil {
		return lti.SS{}, err
	}
	r, n, z := d.r, d.n, d.n+d.r
	c := d.control
	a, b, out := mat.NewDense(n+z, n+z, nil), mat.NewDense(n+z, r, nil), mat.NewDense(r, n+z, nil)
	dac, dm := c.D.Slice(0, r, 0, r), c.D.Slice(0, r, r, 2*r)
	a.Slice(0, n, 0, n).(*mat.Dense).Copy(sum(1, phi, 1, lti.Product(gamma, dm, d.model.C)))
	a.Slice(0, n, n, n+z).(*mat.Dense).Copy(lti.Product(gamma, c.C.Slice(0, r, 0, z)))
	a.Slice(n, n+z, 0, n).(*mat.Dense).Copy(lti.Product(c.B.Slice(0, z, r, 2*r), d.model.C))
	a.Slice(n, n+z, n, n+z).(*mat.Dense).Copy(c.A)
	b.Slice(0, n, 0, r).(*mat.Dense).Copy(lti.Product(gamma, dac))
	b.Slice(n, n+z, 0, r).(*mat.Dense).Copy(c.B.Slice(0, z, 0, r))
	out.Slice(0, r, 0, n).(*mat.Dense).Copy(d.model.C)
	return lti.NewSS(a, b, out, mat.NewDense(r, r, nil), d.h)
}

// compensator is the design as one map per step: [z; y_c; S] = M [z; y_ac; y_m].
func (d *slidingMode) compensator() *msmc {
	r, z := d.r, d.n+d.r
	m := mat.NewDense(z+2*r, z+2*r, nil)
	m.Slice(0, z, 0, z).(*mat.Dense).Copy(d.control.A)
	m.Slice(0, z, z, z+2*r).(*mat.Dense).Copy(d.control.B)
	m.Slice(z, z+2*r, 0, z).(*mat.Dense).Copy(d.control.C)
	m.Slice(z, z+2*r, z, z+2*r).(*mat.Dense).Copy(d.control.D)
	c := &msmc{r: r, z: z, lag: d.lag, m: lti.NewPlainMap(m), in: make([]float64, z+2*r), reading: make([]signal.Sane, r),
		issued: make([]signal.Sane, r)}
	c.out = make([]float64, c.m.Rows())
	return c
}

// Only the ratio of error_weight and state_weight counts.
var msmcTunable = []rths.Tunable{
	{Key: "error_weight", From: 1e4, To: 1e6, Log: true},
	reachingRate,
	{Key: "time_scale_rad_s", From: 150, To: 500, Log: true},
}
