package compensate

import (
	"fmt"
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/signal"
	"rths/method/identify"
)

// ForwardPrediction is the adaptive forward prediction of Wallace, Wagg and Neild
// 2005. The actuator is taken as a delay τ with a gain: the command is
//
//	x_c(t) = k P(t + τ)
//
// with P the polynomial of order N through the last n targets, by least squares where
// n > N + 1. The synchronisation error e = x_t − x_m of one instant corrects τ and k, each
// where e depends on one of them alone:
//
//	target crosses zero:     x_m = −δ ẋ_t with a lag δ,       τ ← τ + μ_τ e/ẋ_t
//	velocity crosses zero:   x_m = x_t/k' with a factor k',   k ← k + μ_k e/x_t
//
// once per crossing. A crossing counts if the target's peak since the last crossing
// reached suspend_below_m and half of the peak before: quotients of small numbers are
// noise. τ stays between 0 and max_tau_ms, k between 0.5 and 2. This law is ours: the
// first-order solution of e for either parameter.
//
// Prediction by τ from n targets amplifies their noise about (τ/(n h))ᴺ times, and noise
// that returns with the force can make the loop diverge: on the single-actuator benchmark
// a cubic through 8 ms of targets, 20 ms ahead, does, and a parabola through targets of
// the time τ does with the stiff structure of galmez-case6.yaml. The default is therefore a
// line through targets of τ/4. Not for actuators whose magnitude or delay changes within
// the frequencies of the test.
type ForwardPrediction struct {
	Order  int     `yaml:"order" doc:"order N of the polynomial, 1 to 6"`
	Points int     `yaml:"points,omitempty" doc:"number n of targets it is fitted to, more than the order; left out: as many as fit in tau_ms, in a quarter of it with order 1, and order + 1 at least"`
	TauMs  float64 `yaml:"tau_ms,omitempty" doc:"delay τ at first, ms; left out or 0: of the scenario's plant up to 3 Hz"`
	Gain   float64 `yaml:"gain,omitempty" doc:"factor k at first, 0.5 to 2; left out: of the scenario's plant up to 3 Hz"`

	TauRate      float64 `yaml:"tau_rate" doc:"μ_τ: share of the delay found by which τ is corrected at each crossing, 0 (fixed) to 1"`
	GainRate     float64 `yaml:"gain_rate" doc:"μ_k: share of the missing amplitude by which k is corrected at each peak, 0 (fixed) to 1"`
	MaxTauMs     float64 `yaml:"max_tau_ms" doc:"largest τ, ms"`
	SuspendBelow float64 `yaml:"suspend_below_m" doc:"smaller half waves of the target do not count, m"`
}

// wallaceForward leaves delay, gain and number of points to the plant.
func wallaceForward() *ForwardPrediction {
	return &ForwardPrediction{Order: 1, TauRate: 0.2, GainRate: 0.2, MaxTauMs: longestTau, SuspendBelow: 20e-6}
}

// Bounds of the parameters.
const (
	mostOrder  = 6
	mostPoints = 10_000
	leastGain  = 0.5
	mostGain   = 2
)

// Make checks the parameters.
func (p *ForwardPrediction) Make(at At) (rths.Compensator, error) {
	if err := p.start(at); err != nil {
		return nil, fmt.Errorf("forward-prediction: %w", err)
	}
	if p.Points == 0 {
		length := p.TauMs / 1e3
		if p.Order == 1 {
			length /= 4
		}
		p.Points = int(min(max(math.Round(length*at.RateHz), float64(p.Order+1)), mostPoints))
	}
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("forward-prediction: %w", err)
	}
	c := &forward{
		p: *p, h: 1 / at.RateHz, lead: at.Lead, tau: p.TauMs / 1e3, gain: p.Gain,
		target: signal.NewLine(max(p.Points, at.Lead+3)),
	}
	// The polynomial in samples from the newest target, over the length of the points
	// so that its powers are of one size.
	c.length = float64(p.Points)
	a, one := mat.NewDense(p.Points, p.Order+1, nil), mat.NewDense(p.Points, p.Points, nil)
	for k := range p.Points {
		for j := range p.Order + 1 {
			a.Set(k, j, math.Pow(-float64(k)/c.length, float64(j)))
		}
		one.Set(k, k, 1)
	}
	c.fit = new(mat.Dense)
	if err := c.fit.Solve(a, one); err != nil {
		return nil, fmt.Errorf("forward-prediction: %w", err)
	}
	return c, nil
}

// start takes τ and k from the plant where they are left out.
func (p *ForwardPrediction) start(at At) error {
	if p.TauMs != 0 && p.Gain != 0 {
		return nil
	}
	tau, k, err := at.Start().DelayAndGain()
	if err != nil {
		return fmt.Errorf("%w: want tau_ms and gain", err)
	}
	if p.TauMs == 0 {
		p.TauMs = max(1e3*tau, 0)
	}
	if p.Gain == 0 {
		p.Gain = min(max(k, leastGain), mostGain)
	}
	return nil
}

func (p *ForwardPrediction) check() error {
	switch {
	case p.Order < 1 || p.Order > mostOrder:
		return fmt.Errorf("order %d: want 1 to %d", p.Order, mostOrder)
	case p.Points <= p.Order || p.Points > mostPoints:
		return fmt.Errorf("%d points for a polynomial of order %d: want %d to %d", p.Points, p.Order, p.Order+1, mostPoints)
	case !(p.Gain >= leastGain) || p.Gain > mostGain:
		return fmt.Errorf("gain %g: want %g to %d", p.Gain, leastGain, mostGain)
	case !(p.TauRate >= 0) || p.TauRate > 1 || !(p.GainRate >= 0) || p.GainRate > 1:
		return fmt.Errorf("tau_rate %g, gain_rate %g: want 0 to 1", p.TauRate, p.GainRate)
	case !(p.SuspendBelow >= 0):
		return fmt.Errorf("suspend_below_m %g: want 0 or more", p.SuspendBelow)
	}
	return wantTau(p.TauMs, p.MaxTauMs)
}

// PlantModel is a delay τ with gain 1/k.
func (*ForwardPrediction) PlantModel(_ float64, parameters []float64) func(hz float64) complex128 {
	if len(parameters) != 2 {
		return nil
	}
	tau, gain := parameters[0], parameters[1]
	return func(hz float64) complex128 {
		return cmplx.Exp(complex(0, -2*math.Pi*hz*tau)) / complex(gain, 0)
	}
}

type forward struct {
	p            ForwardPrediction
	h            float64 // s
	lead         int
	length       float64    // samples
	fit          *mat.Dense // coefficients of powers of s/length, from the targets, newest first
	tau, gain    float64
	target       *signal.Line
	most, before float64 // largest |target| since it crossed zero, and between the crossings before, m
	reading, out signal.Sane
	frozen       bool
}

func (c *forward) Step(command []float64, target *rths.Motion, read *rths.Reading) {
	c.target.Push(target.X[0])
	command[0] = c.out.Of(c.gain * c.predict())
	c.adapt(c.reading.Of(read.X[0]), identify.Timely(read) && rths.Finite(read.X[0]))
}

// predict is P(t + τ), by Horner's rule.
func (c *forward) predict() (x float64) {
	s := c.tau / (c.h * c.length)
	for j := c.p.Order; j >= 0; j-- {
		coefficient := 0.0
		for k, w := range c.fit.RawRowView(j) {
			coefficient += w * c.target.At(k)
		}
		x = x*s + coefficient
	}
	return x
}

// adapt compares the measurement with the target of its instant.
func (c *forward) adapt(measured float64, fresh bool) {
	x, before, older := c.target.At(c.lead), c.target.At(c.lead+1), c.target.At(c.lead+2)
	crossed, turned := (x > 0) != (before > 0), (x-before)*(before-older) < 0
	least := max(c.p.SuspendBelow, c.before/2)
	c.most = max(c.most, math.Abs(x))
	counts := c.most >= least
	if crossed {
		c.before, c.most = c.most, math.Abs(x)
	}
	if c.frozen || !fresh || !counts {
		return
	}
	missed := x - measured
	if v := (x - before) / c.h; crossed && v != 0 {
		c.tau = min(max(c.tau+c.p.TauRate*missed/v, 0), c.p.MaxTauMs/1e3)
	}
	if turned && math.Abs(x) >= least && x != 0 {
		c.gain = min(max(c.gain+c.p.GainRate*missed/x, leastGain), mostGain)
	}
}

// share: the law looks at the target and at no command. Where target and measurement agree,
// the feedback beside is 0, and τ and k are those of the plant.
// While another method commands, the error belongs to that method: nothing follows.
func (c *forward) Share([]identify.Sent) bool { return false }

// Freeze holds τ and k.
func (c *forward) Freeze(on bool) { c.frozen = on }

// Channels are τ and k, with their bounds.
func (c *forward) Channels() []rths.Channel {
	return []rths.Channel{
		{Name: "tau", Unit: "s", V: &c.tau, Lower: new(0.0), Upper: new(c.p.MaxTauMs / 1e3)},
		{Name: "gain", Unit: "-", V: &c.gain, Lower: new(leastGain), Upper: new(float64(mostGain))},
	}
}

func (c *forward) VisitAdaptation(v *rths.StateVisitor) { v.Float(&c.tau, &c.gain) }

func (c *forward) VisitState(v *rths.StateVisitor) {
	v.State(c.target)
	v.Float(&c.most, &c.before)
	v.State(&c.reading, &c.out)
}

func (c *forward) Pinned() bool {
	return c.tau <= 0 || c.tau >= c.p.MaxTauMs/1e3 || c.gain <= leastGain || c.gain >= mostGain
}

func (c *forward) AtBounds() []string { return atBounds(c.Channels()) }

// The delay itself is learnt.
var forwardTunable = []rths.Tunable{
	{Key: "order", From: 1, To: 3, Whole: true},
	{Key: "gain_rate", From: 0, To: 0.5},
	{Key: "tau_rate", From: 0, To: 0.5},
}
