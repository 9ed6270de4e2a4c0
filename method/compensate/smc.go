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

// SMC is sliding-mode control of one actuator. (Gálmez 2021, section 2.3, names it, of Xu et al.
// 2019 and Maghareh et al., without equations. The law here is the textbook's with a boundary
// layer: J.-J. Slotine, W. Li, Applied Nonlinear Control, 1991, section 7.1.) The model of order n
// with a disturbance d of its command,
//
//	a_n x⁽ⁿ⁾ + … + a₁ ẋ + a₀ x = u + d,
//
// and the feedforward of mbc, u_FF = a₀ r + a₁ ṙ + …, leave for the error e = x − r of the target r
//
//	a_n e⁽ⁿ⁾ + … + a₁ ė + a₀ e = u_SM + d,  u = u_FF + u_SM
//
// On the surface s = 0 the error decays with n − 1 poles at −λ:
//
//	s = (d/dt + λ)ⁿ⁻¹ e = Σ c_i e⁽ⁱ⁾,  i = 0 … n−1,  c_{n−1} = 1
//	a_n ṡ = a_n Σ c_i e⁽ⁱ⁺¹⁾, i < n−1,  − Σ a_i e⁽ⁱ⁾ + u_SM + d
//
// The equivalent control holds s where d is known; the second part leads to the surface:
//
//	u_SM = Σ a_i e⁽ⁱ⁾ − a_n Σ c_i e⁽ⁱ⁺¹⁾ − d̂ − D sat(a_n κ s/D)
//	a_n ṡ = −D sat(a_n κ s/D) + (d − d̂)
//
// Outside the layer |s| < D/(a_n κ), V = s²/2 falls as V̇ ≤ −(D − |d − d̂|) |s|/a_n: every
// |d − d̂| below D is overcome in finite time. Inside, s decays at κ without chatter. e, its
// derivatives and d̂ are estimates of the Kalman filter of mbc-lqg, which has one more state of
// disturbance than sliding control of an exact state; inside the layer the whole is linear.
//
// Unlike msmc, which counts the reference as constant, it leaves no lag, because u_FF has the
// target's own velocity and acceleration.
//
// Not for plants with a resonance that the model lacks near λ or κ; a larger λ or κ costs
// gain margin: look at the loop's spectral radius. Not where velocity and acceleration of the
// target are not known and its differences are rough (two_rate).
type SMC struct {
	MBC              `yaml:",inline"`
	Lambda           float64 `yaml:"lambda_rad_s,omitempty" doc:"λ, decay of the error on the sliding surface, rad/s, more than 0; left out: 200, at most a fifth of the rate per second"`
	Kappa            float64 `yaml:"kappa_rad_s,omitempty" doc:"κ, decay of the distance from the surface within the boundary layer, rad/s, more than 0; left out: as lambda_rad_s"`
	SwitchingUM      float64 `yaml:"switching_um" doc:"D, the largest command of the switching part, µm: disturbances of the command up to D are overcome, more than 0"`
	EstimatorWeights `yaml:",inline"`
}

func smcDefaults() *SMC {
	return &SMC{MBC: MBC{Derivatives: "target"}, SwitchingUM: 1000, EstimatorWeights: lqgDefaults().EstimatorWeights}
}

// Make designs surface, layer and estimator.
func (p *SMC) Make(at At) (rths.Compensator, error) {
	if at.Ahead > 0 {
		return nil, errors.New("smc: feedforward and feedback have one model, and the feedforward would compensate once " +
			"more what the extrapolation in front does: want mbc after an extrapolation")
	}
	f, err := p.feedforward("smc", at)
	if err != nil {
		return nil, err
	}
	if err := p.check(at); err != nil {
		return nil, fmt.Errorf("smc: %w", err)
	}
	d, surface, err := p.slide(1 / at.RateHz)
	if err != nil {
		return nil, fmt.Errorf("smc: %w", err)
	}
	c := &smc{f: f, lqgFeedback: d.made(at.Lead), limit: 1e-6 * p.SwitchingUM}
	copy(c.s[:], surface)
	if p.Derivatives == "target" {
		return smcRates{c}, nil
	}
	return c, nil
}

// check fills in λ and κ: near the fastest pole of the single-actuator benchmark's actuator,
// with a gain margin of 5 there, and slow beside the rate.
func (p *SMC) check(at At) error {
	if p.Lambda == 0 {
		p.Lambda = math.Min(200, at.RateHz/5)
	}
	if p.Kappa == 0 {
		p.Kappa = p.Lambda
	}
	for _, v := range []struct {
		name string
		v    float64
	}{{"lambda_rad_s", p.Lambda}, {"kappa_rad_s", p.Kappa}, {"switching_um", p.SwitchingUM}} {
		if !(v.v > 0) || !rths.Finite(v.v) {
			return fmt.Errorf("%s %g: want more than 0", v.name, v.v)
		}
	}
	return p.EstimatorWeights.check("estimator", at)
}

// slide is the estimator with the equivalent control −K ẑ as its feedback, and a_n κ s as a row
// over the states.
func (p *SMC) slide(h float64) (d *lqg, surface []float64, err error) {
	if d, err = p.estimator(p.A, h); err != nil {
		return nil, nil, err
	}
	n := d.n - 2            // order of the model
	scale := d.c.At(0, n-1) // 1/a_n: the states, the last first, are a_n e, a_n ė, …
	c := binomial(n-1, p.Lambda)
	d.feedback, surface = make([]float64, d.n), make([]float64, d.n)
	for i := range n {
		j := n - 1 - i // the state of e⁽ⁱ⁾
		d.feedback[j] -= p.A[i] * scale
		if i > 0 {
			d.feedback[j] += c[i-1]
		}
		surface[j] = p.Kappa * c[i]
	}
	d.feedback[n] = 1 // d̂
	var loop, k mat.Dense
	k.Add(mat.NewDense(1, d.n, d.feedback), mat.NewDense(1, d.n, surface))
	loop.Sub(d.a, lti.Product(d.b, &k))
	radius, err := lti.SpectralRadius(&loop)
	if err == nil && !(radius < 1) {
		err = fmt.Errorf(
			"unstable with its own model at %g Hz: spectral radius %.6g: want below 1, by a smaller lambda_rad_s or "+
				"kappa_rad_s or a higher rate", 1/h, radius)
	}
	return d, surface, err
}

// binomial are the coefficients of (s + λ)^n, ascending.
func binomial(n int, lambda float64) []float64 {
	c := []float64{1}
	for range n {
		next := make([]float64, len(c)+1)
		for i, v := range c {
			next[i] += lambda * v
			next[i+1] += v
		}
		c = next
	}
	return c
}

type smc struct {
	f *feedforward
	lqgFeedback
	s       [maxLQG]float64 // a_n κ s = s·ẑ, m
	limit   float64         // D, m
	sliding float64         // a_n κ s, m
	ideal   bool
	out     signal.Sane
}

func (c *smc) Step(command []float64, target *rths.Motion, read *rths.Reading) {
	c.correct(target.X[0], read.X[0])
	c.sliding = 0
	for i, v := range c.z[:c.n] {
		c.sliding += c.s[i] * v
	}
	c.predict(c.linear() - c.switching())
	command[0] = c.out.Of(c.f.of(target) + c.feedback)
}

// switching is D sat(a_n κ s/D).
func (c *smc) switching() float64 {
	if c.ideal {
		return c.sliding
	}
	return math.Max(-c.limit, math.Min(c.sliding, c.limit))
}

// Idealise: no end of the boundary layer.
func (c *smc) Idealise(on bool) { c.ideal = on }

// Channels are the feedback command, the estimated disturbance and the distance from the
// surface, as the command that it asks for.
func (c *smc) Channels() []rths.Channel {
	return append(c.lqgFeedback.Channels(), rths.Channel{Name: "sliding", Unit: "m", V: &c.sliding})
}

func (c *smc) VisitState(v *rths.StateVisitor) {
	c.f.VisitState(v)
	c.visit(v)
	v.State(&c.out)
}

// smcRates is smc with the target's rates.
type smcRates struct{ *smc }

// UsesRates: velocity and acceleration of the target.
func (smcRates) UsesRates() {}

var smcTunable = []rths.Tunable{{Key: "lambda_rad_s", From: 0.2, To: 3, Log: true, Relative: true}, disturbance,
	shaping}
