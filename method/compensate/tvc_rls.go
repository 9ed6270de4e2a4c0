package compensate

import (
	"fmt"
	"math"

	"rths"
	"rths/maths/lti"
	"rths/maths/signal"
	"rths/method/identify"
)

// TVCRLS is TVC that learns the coefficients θ of D, a and b, while it runs. What the table did is D⁻¹ of what it got,
//
//	F u = Σ θᵢ F φᵢ(x),  φᵢ(x) = φᵢ(r) − φᵢ(ê),                                       (1)
//
// with the command u and the terms φᵢ of the target that aimed at the instant of the reading, and the terms of the
// error after the crossover: the displacement is the sensor's below it, the accelerometer's above. θ is found by
// recursive least squares (see identify.RLS). F is a high-pass of order 2 at learn_hz and a low-pass of order 4 at
// band_hz: least squares of displacements would look at slow motion, of which an acceleration has little.
//
// P0 is the square of the standard deviations σᵢ = 0.1 |θᵢ| + h/2 |θᵢ₋₁| (the second of a delay of half a sample; of b
// 0.2 |θᵢ|) over the variance R of the residual, which the noise of both sensors makes through crossover, D and F.
// Nothing is learnt while F u is smaller than ten times its noise. θ stays within five σᵢ of its start.
//
// Not for what tvc is not for. Frequency and damping of the payload's mode are not learnt.
type TVCRLS struct {
	TVC     `yaml:",inline"`
	LearnHz float64 `yaml:"learn_hz,omitempty" doc:"motion above is learnt from, Hz, below band_hz; left out: 5, at most half of band_hz"`
	MemoryS float64 `yaml:"memory_s" doc:"time constant of forgetting, s"`
}

func tvcRLSDefaults() *TVCRLS { return &TVCRLS{MemoryS: 20} }

// Of the estimation: standard deviations; bounds in standard deviations; the square of F u over R from which there is
// something to learn, and the time constant of its mean, s; the least standard deviation of the residual, m.
const (
	tvcSD       = 0.1
	payloadSD   = 0.2
	tvcBounds   = 5.0
	loudEnough  = 100.0
	loudS       = 0.5
	leastNoise  = 1e-9
	noiseTimeS  = 5.0
	learnOrder  = 2
	quietOrder  = 4
	learnFilter = learnOrder + quietOrder
)

// Make makes tvc, and the estimation beside it.
func (p *TVCRLS) Make(at At) (rths.Compensator, error) {
	law, err := p.TVC.make(at)
	if err != nil {
		return nil, fmt.Errorf("tvc-rls: %w", err)
	}
	c, err := p.learner(law, at)
	if err != nil {
		return nil, fmt.Errorf("tvc-rls: %w", err)
	}
	return c, nil
}

func (p *TVCRLS) learner(law *tvc, at At) (*tvcRLS, error) {
	band := min(p.BandHz, 0.4*at.RateHz)
	if p.LearnHz == 0 {
		p.LearnHz = min(5, band/2)
	}
	switch {
	case !(p.LearnHz > 0 && p.LearnHz < band):
		return nil, fmt.Errorf("learn_hz %g Hz: want above 0 and below %g Hz, the band", p.LearnHz, band)
	case !(p.MemoryS*at.RateHz >= 2) || !rths.Finite(p.MemoryS):
		return nil, fmt.Errorf("memory_s %g s: want two samples (%g s) or more", p.MemoryS, 2/at.RateHz)
	}
	b, a, err := learnBand(p.LearnHz, band, at.RateHz)
	if err != nil {
		return nil, err
	}
	n := law.count
	c := &tvcRLS{
		tvc: *law, phi: make([]float64, n), lower: make([]float64, n), upper: make([]float64, n),
		issued: signal.NewLine(at.Lead + 1), sent: signal.NewFilter(b, a), unaimed: identify.Unaimed(at.Lead),
		Settling: identify.NewSettling(max(signal.ButterworthPole(learnOrder, p.LearnHz, at.RateHz),
			signal.ButterworthPole(quietOrder, band, at.RateHz)), 0),
	}
	for range n {
		c.aimed, c.terms = append(c.aimed, signal.NewLine(at.Lead+1)), append(c.terms, signal.NewFilter(b, a))
	}
	c.noise = p.residualNoise(law, at, b, a)
	p0 := make([]float64, n)
	for i, v := range law.theta[:n] {
		sd := payloadSD * math.Abs(v)
		if i < len(p.A) {
			sd = tvcSD * math.Abs(v)
			if i > 0 {
				sd += c.h / 2 * math.Abs(law.theta[i-1])
			}
		}
		p0[i] = sd * sd / c.noise
		c.lower[i], c.upper[i] = v-tvcBounds*sd, v+tvcBounds*sd
	}
	c.rls, err = identify.NewRLS(law.theta[:n], p0, 1-c.h/p.MemoryS)
	return c, err
}

// learnBand is F.
func learnBand(lowHz, highHz, rateHz float64) (b, a []float64, err error) {
	b, a, err = signal.ButterworthHigh(learnOrder, lowHz, rateHz)
	if err != nil {
		return nil, nil, fmt.Errorf("learn_hz: %w", err)
	}
	low, poles, err := signal.Butterworth(quietOrder, highHz, rateHz)
	return lti.PolyMul(b, low), lti.PolyMul(a, poles), err
}

// residualNoise is R, m²: white noise of variance σ² through a filter with the impulse response g has Σ g² σ².
func (p *TVCRLS) residualNoise(law *tvc, at At, b, a []float64) float64 {
	sum := leastNoise * leastNoise
	for _, of := range [][2]float64{{at.Noise, 0}, {0, at.AccelerationNoise}} {
		cross, d, f := law.crossover, law.deviation, signal.NewFilter(b, a)
		for range int(noiseTimeS * at.RateHz) {
			cross.step(of[0], of[1])
			d.of(cross.x, cross.v, of[1]+cross.offset)
			of = [2]float64{}
			sum += square(f.Step(law.inverse(&d.phi)))
		}
	}
	return sum
}

// PlantModel is 1/D of the parameters, θ alone or all channels.
func (p *TVCRLS) PlantModel(rateHz float64, parameters []float64) func(hz float64) complex128 {
	n := len(p.A) + len(p.B)
	if len(parameters) != n && len(parameters) != n+tvcChannels || n == 0 {
		return nil
	}
	theta, term := append([]float64(nil), parameters[:n]...), p.term(rateHz, len(p.A))
	return func(hz float64) complex128 {
		sum := complex(0, 0)
		for i, v := range theta {
			sum += complex(v, 0) * term(i, hz)
		}
		return 1 / sum
	}
}

// tvcRLS is tvc with an estimation.
type tvcRLS struct {
	tvc
	rls          *identify.RLS
	phi          []float64        // scratch
	lower, upper []float64        // of θ as used
	aimed        []*signal.Line   // terms of the target
	issued       *signal.Line     // commands
	terms        []*signal.Filter // F φ
	sent         *signal.Filter   // F u
	filtered     float64          // F u, m
	loud         float64          // mean of its square, m²
	noise        float64          // R, m²
	frozen       bool
	unaimed      identify.Unaimed
	beside       identify.Beside
	identify.Settling
}

// Step commands with the old estimate, and learns from the reading.
func (c *tvcRLS) Step(command []float64, target *rths.Motion, read *rths.Reading) {
	fresh := heard(read)
	learns := c.Takes(read, fresh) && !c.frozen
	u := c.tvc.command(target, read)
	command[0] = u
	c.issued.Push(u)
	for i, line := range c.aimed {
		line.Push(c.reference.phi[i])
		c.phi[i] = c.terms[i].Step(line.At(c.lead) - c.deviation.phi[i])
	}
	c.filtered = c.sent.Step(c.beside.Add(c.issued.At(c.lead)))
	c.loud += c.h / loudS * (c.filtered*c.filtered - c.loud)
	if learns && !c.unaimed.Pass() && c.loud > loudEnough*c.noise {
		c.learn()
	}
}

// learn is (1).
func (c *tvcRLS) learn() {
	c.rls.Update(c.phi, c.filtered)
	clamp(c.theta[:c.count], c.rls.Theta(), c.lower, c.upper)
}

func (c *tvcRLS) Share(sent []identify.Sent) bool {
	c.beside = identify.NewBeside(sent, c.lead)
	return true
}

// Freeze holds the parameters; the filters run on.
func (c *tvcRLS) Freeze(on bool) { c.frozen = on }

// tvcChannels is the number of channels beside θ.
const tvcChannels = 2

// Channels are θ with its bounds, and those of tvc.
func (c *tvcRLS) Channels() []rths.Channel {
	units := [tvcSeries]string{"-", "s", "s²", "s³", "s⁴", "s⁵"}
	var out []rths.Channel
	for i := range c.count {
		ch := rths.Channel{Name: fmt.Sprintf("a%d", i), Unit: units[min(i, tvcSeries-1)], V: &c.theta[i]}
		if j := i - c.reference.n; j >= 0 {
			ch.Name, ch.Unit = fmt.Sprintf("b%d", j), units[2+j]
		}
		out = append(out, ch)
	}
	return append(bounded(out, c.lower, c.upper), c.tvc.Channels()...)
}

func (c *tvcRLS) VisitState(v *rths.StateVisitor) {
	c.tvc.VisitState(v)
	v.State(c.issued, c.sent)
	v.Floats(c.deviation.phi[:c.count]) // kept while readings are old
	for i, line := range c.aimed {
		v.State(line, c.terms[i])
	}
	v.Float(&c.loud)
	c.beside.VisitState(v)
	c.Settling.VisitState(v)
}

// VisitAdaptation visits θ as estimated and as used, and the readings not to learn from.
func (c *tvcRLS) VisitAdaptation(v *rths.StateVisitor) {
	c.rls.VisitAdaptation(v)
	v.Floats(c.theta[:c.count])
	v.Float((*float64)(&c.unaimed))
}

// Pinned reports whether a bound holds a coefficient.
func (c *tvcRLS) Pinned() bool { return pinnedBy(c.theta[:c.count], c.lower, c.upper) }

// AtBounds are the coefficients that a bound holds.
func (c *tvcRLS) AtBounds() []string { return held(c.Channels()[:c.count], c.Estimates()) }

// Estimates are θ as estimated.
func (c *tvcRLS) Estimates() []rths.Channel { return firstEstimates(c.Channels(), c.rls.Theta()) }

// Residual is what θ as used leaves of (1), and the standard deviation of its noise.
func (c *tvcRLS) Residual() (left, noise float64) {
	left = c.filtered
	for i, v := range c.phi {
		left -= c.theta[i] * v
	}
	return left, math.Sqrt(c.noise)
}

var tvcRLSTunable = append([]rths.Tunable{{Key: "learn_hz", From: 0.3, To: 1.9, Log: true, Relative: true},
	{Key: "memory_s", From: 5, To: 100, Log: true}}, tvcTunable...)
