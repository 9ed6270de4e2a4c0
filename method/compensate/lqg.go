package compensate

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/lti"
	"rths/maths/signal"
)

// LQG is the feedback of MBCLQG by itself: u_FB = −K (ẑ, d̂), from the tracking error of one
// instant, target less measurement. Its command is 0 as long as the error is 0. It belongs
// beside a feedforward, in a chain with join: parallel (see combine.Chain), as LQG beside the adaptive
// inverse of Chen et al. 2015. Alone it hardly moves the rig.
//
// Not for plants far from the model: the regulator is optimal for the model only, and the
// specimen is not in the model. Look at the loop's spectral radius first (see MBCLQG).
type LQG struct {
	Model      string    `yaml:"model,omitempty" doc:"where the model comes from: bare-transfer (power series of the inverse of the scenario's transfer system without specimen), plant (inverse of the scenario's plant up to 20 Hz, inner loop included) or given (key a); left out: given if a is, else the first of bare-transfer and plant that there is, else given"`
	A          []float64 `yaml:"a,omitempty" doc:"the model's a0 (-), a1 (s), a2 (s²), a3 (s³), 1 to 4 numbers; default the four of Gálmez 2021, eq. 7.7, where there is no other model"`
	LQGWeights `yaml:",inline"`
}

// LQGWeights are what regulator and estimator are designed for, see MBCLQG.
type LQGWeights struct {
	ErrorWeight      float64 `yaml:"error_weight" doc:"q, weight of the squared tracking error against the squared feedback command, -; 0: no feedback; usual 1 to 100, more for a good model"`
	EstimatorWeights `yaml:",inline"`
}

// EstimatorWeights are what the estimator of error and disturbance is designed for, see MBCLQG.
type EstimatorWeights struct {
	DisturbanceUM float64 `yaml:"disturbance_um" doc:"standard deviation of the disturbance at the model's input, µm; more than 0, usual 1 to 1000; its ratio to noise_um sets how fast the estimator is"`
	ShapingHz     float64 `yaml:"shaping_hz" doc:"ω/2π of the shaping filter ω²/(s² + 2ζωs + ω²) that makes the disturbance of white noise, scaled to disturbance_um, Hz, below half the rate; usual: a quarter of the structure's first frequency to 5"`
	ShapingZeta   float64 `yaml:"shaping_damping_ratio" doc:"ζ of the shaping filter, -; more than 0, usual 0.3 to 1"`
	NoiseUM       float64 `yaml:"noise_um" doc:"standard deviation of the displacement reading's noise, µm; more than 0"`
}

// lqgDefaults has the benchmark sensor's noise, 16 µm. The other four numbers come
// from a search on the benchmark's plant with the model of its transfer system without
// specimen, described in docs/guides/compare-compensators.md.
func lqgDefaults() LQGWeights {
	return LQGWeights{ErrorWeight: 30, EstimatorWeights: EstimatorWeights{DisturbanceUM: 300, ShapingHz: 1,
		ShapingZeta: 0.3, NoiseUM: 16}}
}

// besideDefaults has the weight that leaves the least J2 beside amb on the four nonlinear
// specimens of paper 001, Table 7.5, among 1, 2, 5, 10 and 30. Feedback of what an inverse
// leaves may be weaker than mbc-lqg's.
func besideDefaults() *LQG {
	p := &LQG{LQGWeights: lqgDefaults()}
	p.ErrorWeight = 2
	return p
}

// Make designs regulator and estimator.
func (p *LQG) Make(at At) (rths.Compensator, error) {
	at.Ahead = 0 // the model is for the feedback
	m := MBC{Model: p.Model, A: p.A}
	if err := m.resolveModel("lqg", at); err != nil {
		return nil, err
	}
	p.Model, p.A = m.Model, m.A
	f, err := p.feedback("lqg", p.A, at)
	if err != nil {
		return nil, err
	}
	return &lqgAlone{lqgFeedback: f}, nil
}

// feedback designs and makes the feedback; name is the kind's.
func (p *LQGWeights) feedback(name string, model []float64, at At) (lqgFeedback, error) {
	if err := p.check(name, at); err != nil {
		return lqgFeedback{}, err
	}
	d, err := p.design(model, 1/at.RateHz)
	if err != nil {
		return lqgFeedback{}, fmt.Errorf("%s: %w", name, err)
	}
	return d.made(at.Lead), nil
}

func (p *LQGWeights) check(name string, at At) error {
	if !(p.ErrorWeight >= 0) || !rths.Finite(p.ErrorWeight) {
		return fmt.Errorf("%s: error_weight %g: want 0 or more", name, p.ErrorWeight)
	}
	return p.EstimatorWeights.check(name, at)
}

func (p *EstimatorWeights) check(name string, at At) error {
	switch {
	case at.Lead < 0 || at.Lead > 1e5:
		return fmt.Errorf("%s: target %d samples ahead of the reading: want 0 to 100000", name, at.Lead)
	case !(p.DisturbanceUM > 0) || !rths.Finite(p.DisturbanceUM):
		return fmt.Errorf("%s: disturbance_um %g: want more than 0", name, p.DisturbanceUM)
	case !(p.ShapingHz > 0) || !(p.ShapingHz < at.RateHz/2):
		return fmt.Errorf("%s: shaping_hz %g: want more than 0 and less than the Nyquist frequency %g Hz", name, p.ShapingHz,
			at.RateHz/2)
	case !(p.ShapingZeta > 0) || !rths.Finite(p.ShapingZeta):
		return fmt.Errorf("%s: shaping_damping_ratio %g: want more than 0", name, p.ShapingZeta)
	case !(p.NoiseUM > 0) || !rths.Finite(p.NoiseUM):
		return fmt.Errorf("%s: noise_um %g: want more than 0", name, p.NoiseUM)
	}
	return nil
}

// lqg is the deviation system with its regulator and estimator, all discrete.
type lqg struct {
	n                int        // states: the model's, then the filter's two
	a, b, c          *mat.Dense // deviation system, exact at the loop's rate
	noise            *mat.Dense // covariance of w's effect in a sample
	reading          float64    // variance of the reading's noise, m²
	regulator        lti.Regulator
	estimator        lti.Estimator
	feedback, kalman []float64 // K and L as used
}

// design is for the model x/u = 1/(a₀ + a₁s + …). It works in µm, for well-scaled matrices.
func (p *LQGWeights) design(model []float64, h float64) (*lqg, error) {
	d, err := p.estimator(model, h)
	if err != nil {
		return nil, err
	}
	var q mat.Dense
	q.Mul(d.c.T(), d.c)
	q.Scale(p.ErrorWeight, &q)
	if d.regulator, err = lti.LQR(d.a, d.b, &q, lti.Diagonal(1, 1), h); err != nil {
		return nil, fmt.Errorf("regulator: %w", err)
	}
	d.feedback = mat.Row(nil, 0, d.regulator.K)
	return d, nil
}

// estimator is the design without its regulator.
func (p *EstimatorWeights) estimator(model []float64, h float64) (*lqg, error) {
	a, b, g, c, err := p.deviation(model)
	if err != nil {
		return nil, err
	}
	d := &lqg{c: c, reading: p.NoiseUM * p.NoiseUM}
	d.n, _ = a.Dims()
	if d.a, d.b, err = lti.ZOHInputs(a, b, h); err != nil {
		return nil, err
	}
	// White noise of intensity W leaves the filter with variance W ω/(4ζ).
	w := 4 * p.ShapingZeta * p.DisturbanceUM * p.DisturbanceUM / (2 * math.Pi * p.ShapingHz)
	if d.noise, err = lti.NoiseInputs(a, g, lti.Diagonal(1, w), h); err != nil {
		return nil, err
	}
	if d.estimator, err = lti.LQE(d.a, lti.Diagonal(d.n, 1), c, d.noise, lti.Diagonal(1, d.reading), h); err != nil {
		return nil, fmt.Errorf("estimator: %w", err)
	}
	d.kalman = mat.Col(nil, 0, d.estimator.L)
	return d, nil
}

// deviation is the continuous deviation system with its shaping filter: a, b for
// u_FB, g for w, c for x − x_target. The filter's states are d and ḋ/ω.
func (p *EstimatorWeights) deviation(inverse []float64) (a, b, g, c *mat.Dense, err error) {
	model, err := inverseOf(inverse)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	if len(model.Den) < 2 {
		return nil, nil, nil, nil, fmt.Errorf("the model %v has no lag: nothing to feed back, want a model with a lag",
			inverse)
	}
	s, err := model.SS()
	if err != nil {
		return nil, nil, nil, nil, err
	}
	m := len(model.Den) - 1
	n := m + 2
	a, b, g, c = mat.NewDense(n, n, nil), mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil), mat.NewDense(1, n, nil)
	a.Slice(0, m, 0, m).(*mat.Dense).Copy(s.A)
	a.Set(0, m, 1) // d beside u_FB, which drives the first state
	w := 2 * math.Pi * p.ShapingHz
	a.Set(m, m+1, w)
	a.Set(m+1, m, -w)
	a.Set(m+1, m+1, -2*p.ShapingZeta*w)
	g.Set(m+1, 0, w)
	b.Set(0, 0, 1)
	c.Slice(0, 1, 0, m).(*mat.Dense).Copy(s.C)
	return a, b, g, c, nil
}

// maxLQG is the largest number of states: a model of order 3 and its filter.
const maxLQG = 5

// made is the feedback with the design in the arrays of the step.
func (d *lqg) made(lead int) lqgFeedback {
	c := lqgFeedback{desired: signal.NewLine(lead + 1), lead: lead, n: d.n}
	for i := range d.n {
		for j := range d.n {
			c.a[i][j] = d.a.At(i, j)
		}
		c.b[i], c.c[i] = d.b.At(i, 0), d.c.At(0, i)
		c.k[i], c.l[i] = d.feedback[i], d.kalman[i]
	}
	return c
}

// lqgFeedback is u_FB.
type lqgFeedback struct {
	n, lead    int
	a          [maxLQG][maxLQG]float64
	b, c, k, l [maxLQG]float64
	z          [maxLQG]float64 // estimate before the reading of the tick
	desired    *signal.Line    // targets, to have the one of the reading's instant
	feedback   float64         // u_FB, m
	reading    signal.Sane
}

// of is u_FB for the target of this tick and the reading.
func (c *lqgFeedback) of(target, reading float64) float64 {
	c.correct(target, reading)
	c.predict(c.linear())
	return c.feedback
}

// correct corrects ẑ by the deviation of this instant.
func (c *lqgFeedback) correct(target, reading float64) {
	c.desired.Push(target)
	y := c.reading.Of(reading) - c.desired.At(c.lead)
	z := c.z[:c.n]
	for i, v := range z {
		y -= c.c[i] * v
	}
	for i := range z {
		z[i] += c.l[i] * y
	}
}

// linear is −K ẑ.
func (c *lqgFeedback) linear() float64 {
	u := 0.0
	for i, v := range c.z[:c.n] {
		u -= c.k[i] * v
	}
	return u
}

// predict takes u as u_FB and predicts the next ẑ. After an overflow it starts anew.
func (c *lqgFeedback) predict(u float64) {
	z := c.z[:c.n]
	var next [maxLQG]float64
	for i := range z {
		v := c.b[i] * u
		for j, zj := range z {
			v += c.a[i][j] * zj
		}
		if next[i] = v; !rths.Finite(v) {
			c.z, c.feedback = [maxLQG]float64{}, 0
			return
		}
	}
	c.z, c.feedback = next, u
}

// Channels are the feedback command and the estimated disturbance of the next tick.
func (c *lqgFeedback) Channels() []rths.Channel {
	return []rths.Channel{{Name: "u_fb", Unit: "m", V: &c.feedback}, {Name: "d_hat", Unit: "m", V: &c.z[c.n-2]}}
}

func (c *lqgFeedback) visit(v *rths.StateVisitor) {
	v.State(c.desired)
	v.Floats(c.z[:c.n])
	v.State(&c.reading)
}

// lqgAlone commands u_FB.
type lqgAlone struct {
	lqgFeedback
	out signal.Sane
}

func (c *lqgAlone) Step(command []float64, target *rths.Motion, read *rths.Reading) {
	command[0] = c.out.Of(c.of(target.X[0], read.X[0]))
}

func (c *lqgAlone) VisitState(v *rths.StateVisitor) {
	c.visit(v)
	v.State(&c.out)
}
