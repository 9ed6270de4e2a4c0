package compensate

import (
	"fmt"
	"math"

	"rths"
	"rths/signal"
)

// KalmanInverse is the target-regressed Kalman inverse (docs/kalman-inverse.md). The command
// is the inverse of the plant on the target's own derivatives,
//
//	u = a₀ d + a₁ v + a₂ a + a₃ j + a₄ s + b g v                                     (1)
//
// with jerk j and snap s from the filtered difference of a. A Kalman filter within bounds
// estimates a₀ … a₃ from the residual of command u and reading x behind the prefilter G,
//
//	r = w_u − Σ aᵢ w_x⁽ⁱ⁾ − b w_gv,  i = 0 … 4,                                      (2)
//
// with the regressor of the target d behind the same prefilter,
//
//	φᵢ = (w_d⁽ⁱ⁾ + cᵢ w_d⁽⁴⁾)/Wⁱ,  i = 0 … 3,  W = 2π · 10 Hz                         (3)
//
// which has no sensor noise: noise in a regressor of readings biases the coefficients. The
// prior, the bounds and the prefilter come from the bare plant's inverse b₀ + b₁ s + … and
// from the declared ranges (see prior), and a₄ = Σ cᵢ aᵢ follows from the others (see snapOf).
//
// The term b g v serves specimens that yield: g = |f|/max|f| while the force f and v have one
// sign, else 0. Its variance opens only while the residual is larger than noise explains.
//
// Not for: sampling rates below 1024 Hz, a pure delay without lag, more than 8 samples of
// delay that nobody has declared, and actuators that must have a smooth command.
type KalmanInverse struct {
	Bare        []float64 `yaml:"bare,omitempty" doc:"b0 (-), b1 (s), b2 (s²), b3 (s³) of the inverse u/x of the transfer system without specimen, 1 to 4 numbers; left out: from the scenario's transfer system, or, where no such model is known, the inverse of the plant up to 20 Hz"`
	Loading     string    `yaml:"loading,omitempty" doc:"specimen (the specimen's force loads the transfer system, the inverse has order 4) or none (order 3); left out: from the scenario's transfer system"`
	JerkHz      float64   `yaml:"jerk_hz" doc:"cutoff of the two low-passes on the target's jerk, Hz"`
	LeadSamples float64   `yaml:"lead_samples,omitempty" doc:"samples by which the target is expanded ahead, 0 or more"`
	BandHz      float64   `yaml:"band_hz" doc:"cutoff of the prefilter of the estimation, Hz"`
	DriftHz     float64   `yaml:"drift_hz" doc:"cutoff of the running mean that is taken off in the estimation, Hz"`
	LagSD       float64   `yaml:"lag_sd" doc:"standard deviation of the gain and of b1, b2, b3 about the bare plant, relative"`
	DelayMs     float64   `yaml:"delay_ms,omitempty" doc:"the largest delay beside the bare plant that is to be expected, ms; 0: none"`
	LeftOut     float64   `yaml:"left_out" doc:"what order 4 leaves out of the inverse, relative to the target: counts as noise"`
	WatchS      float64   `yaml:"watch_s" doc:"time constant of the mean of the residual's square, s"`
	ForgetS     float64   `yaml:"forget_s" doc:"time in which the covariance returns to its start when the residual is too large, s; half of it is the time constant"`
	YieldSD     float64   `yaml:"yield_sd" doc:"standard deviation of b of the yielding term, relative to b1; 0: no such term"`
}

func kalmanInverseDefaults() *KalmanInverse {
	return &KalmanInverse{JerkHz: 200, BandHz: 40, DriftHz: 0.1, LagSD: 0.1, LeftOut: 0.001, WatchS: 0.5, ForgetS: 1, YieldSD: 0.3}
}

// Names of Loading.
const (
	bySpecimen = "specimen"
	byNothing  = "none"
)

// Of the law: numbers of a transfer system are kalmanTerms, unknown ones too; the unit W of
// the parameters θᵢ = aᵢ Wⁱ; the noise of a reading at the start and at least, m²·s; the
// bounds of b over its standard deviation; a reading beyond absurd is lost, m.
const (
	kalmanTerms  = 4
	kalmanW      = 2 * math.Pi * 10
	noiseStart   = 6.25e-14
	noiseFloor   = 1e-14
	yieldReach   = 2.0
	noiseBand    = 2.22 // noise bandwidth of the prefilter over band_hz, both sides
	noiseOpen    = 4.0  // times the noise of the residual, where the gate begins to open
	absurd       = 1e3
	thirdOfWhite = 20.0 // variance of the third difference of white noise: 1 + 9 + 9 + 1
)

// Make fills in the bare plant, draws the prior and designs the prefilter.
func (p *KalmanInverse) Make(at At) (rths.Compensator, error) {
	if err := p.resolve(at); err != nil {
		return nil, fmt.Errorf("kalman-inverse: %w", err)
	}
	if err := p.check(at.RateHz); err != nil {
		return nil, fmt.Errorf("kalman-inverse: %w", err)
	}
	h := 1 / at.RateHz
	c := &kalmanInverse{
		h: h, alpha: 1 - math.Exp(-2*math.Pi*p.JerkHz*h), tau: p.LeadSamples * h,
		longest: max(1, 1/(2*math.Pi*p.DriftHz*h)),
		left:    p.LeftOut * p.LeftOut, watch: h / p.WatchS, forget: 2 * h / p.ForgetS,
		floor: noiseFloor / h, opens: noiseOpen * noiseBand * p.BandHz * h,
		noise: noiseStart / h, late: newAimed(at.Lead), unaimed: unaimed(at.Lead),
	}
	var b [kalmanTerms]float64
	copy(b[:], p.Bare)
	c.prefilter = newPrefilter(b, 2*math.Pi*p.BandHz, h)
	c.prior = p.prior(b)
	c.bLimit = yieldReach * math.Abs(b[1])
	c.bStart = p.YieldSD * p.YieldSD * b[1] * b[1]
	unit := 1.0
	for i := range c.theta {
		c.unit[i], c.theta[i] = unit, b[i]*unit
		unit *= kalmanW
	}
	c.p = c.prior.p0
	c.use()
	return c, nil
}

// resolve fills in the bare inverse and the loading.
func (p *KalmanInverse) resolve(at At) (err error) {
	switch p.Loading {
	case "":
		p.Loading = byNothing
		if at.Loaded {
			p.Loading = bySpecimen
		}
	case bySpecimen, byNothing:
	default:
		return fmt.Errorf("loading %q: want specimen or none", p.Loading)
	}
	switch {
	case p.Bare != nil:
	case at.BareInverse != nil:
		if p.Bare, err = at.bareInverse(kalmanTerms); err != nil {
			return fmt.Errorf("bare is left out: %w", err)
		}
	default:
		if p.Bare, err = at.fitInverse(kalmanTerms, exactDerivative); err != nil {
			return fmt.Errorf("bare is left out: %w: want bare", err)
		}
	}
	return nil
}

func (p *KalmanInverse) check(rateHz float64) error {
	if n := len(p.Bare); n < 1 || n > kalmanTerms {
		return fmt.Errorf("%d numbers in bare: want 1 to %d", n, kalmanTerms)
	}
	for _, v := range p.Bare {
		if !rths.Finite(v) {
			return fmt.Errorf("bare holds %g: want finite numbers", v)
		}
	}
	if !(p.Bare[0] > 0) {
		return fmt.Errorf("b0 of bare is %g: want 1 over the static gain of the transfer system, more than 0", p.Bare[0])
	}
	return p.checkRanges(rateHz)
}

// checkRanges wants numbers that the rate allows.
func (p *KalmanInverse) checkRanges(rateHz float64) error {
	for _, q := range []struct {
		name string
		v    float64
	}{{"jerk_hz", p.JerkHz}, {"band_hz", p.BandHz}, {"drift_hz", p.DriftHz}} {
		if !(q.v > 0 && q.v < rateHz/2) {
			return fmt.Errorf("%s %g Hz: want above 0 and below the Nyquist frequency %g Hz", q.name, q.v, rateHz/2)
		}
	}
	for _, q := range []struct {
		name string
		v    float64
	}{{"watch_s", p.WatchS}, {"forget_s", p.ForgetS}} {
		if !(q.v*rateHz >= 2) || !rths.Finite(q.v) {
			return fmt.Errorf("%s %g s: want two samples (%g s) or more", q.name, q.v, 2/rateHz)
		}
	}
	for _, q := range []struct {
		name    string
		v, most float64
		unit    string
	}{{"lead_samples", p.LeadSamples, 1000, "samples"}, {"lag_sd", p.LagSD, 0.5, ""}, {"delay_ms", p.DelayMs, 100, "ms"}, {"left_out", p.LeftOut, 1, ""}, {"yield_sd", p.YieldSD, 10, ""}} {
		if !(q.v >= 0 && q.v <= q.most) {
			return fmt.Errorf("%s %g: want 0 to %g %s", q.name, q.v, q.most, q.unit)
		}
	}
	return nil
}

// PlantModel is x/u = 1/Σ aᵢ sⁱ of the coefficients shown.
func (p *KalmanInverse) PlantModel(_ float64, parameters []float64) func(hz float64) complex128 {
	if len(parameters) != len(kalmanChannels) {
		return nil
	}
	return func(hz float64) complex128 {
		sum := complex(0, 0)
		for i, a := range parameters[:kalmanTerms+1] {
			sum += complex(a, 0) * exactDerivative(i, hz)
		}
		return 1 / sum
	}
}

// kalmanInverse is a run of the law. Estimates are in the units θᵢ = aᵢ Wⁱ.
type kalmanInverse struct {
	h, alpha, tau   float64
	longest         float64 // samples of the running mean
	left            float64 // left_out²
	watch, forget   float64 // steps of ν and of the covariance
	floor, opens    float64 // least R, m², and ν₀
	bLimit, bStart  float64 // of b, s, and its variance, s²
	unit            [kalmanTerms]float64
	prefilter       prefilter
	prior           prior
	jerk            jerk
	x, d, u, gv     derived
	k               float64    // readings
	past            [3]float64 // the last three readings, newest first
	late            aimedLines
	beside          beside
	out             sane
	theta           [kalmanTerms]float64
	p               [kalmanTerms][kalmanTerms]float64
	b, pb           float64                  // of the yielding term, and its variance
	noise, nu, most float64                  // R, ν, and max|f|
	a               [kalmanTerms + 1]float64 // as used
	gate            float64
	frozen          bool
	unaimed         unaimed
}

// Step is one tick: the command with the old estimates, the filters, then the estimation.
func (c *kalmanInverse) Step(command []float64, target *rths.Motion, read *rths.Reading) {
	d, v := target.X[0], target.V[0]
	gv := c.loading(read, v) * v
	u := c.out.of(c.inverse(d, v, target.A[0]) + c.b*gv)
	command[0] = u
	aimed, wanted, yielding := c.late.pass(u, d, gv)
	aimed = c.beside.add(aimed)
	x := read.X[0]
	fresh := math.Abs(x) <= absurd
	if fresh && !c.frozen && read.Age == 0 {
		c.hear(x)
	}
	if fresh {
		c.k++
		c.past[2], c.past[1], c.past[0] = c.past[1], c.past[0], x
	}
	memory := 1 / min(max(c.k, 1), c.longest)
	c.prefilter.step(&c.x, x, memory)
	c.prefilter.step(&c.d, wanted, memory)
	c.prefilter.step(&c.u, aimed, memory)
	c.prefilter.step(&c.gv, yielding, memory)
	if fresh && !c.frozen && read.Age == 0 && !c.unaimed.pass() {
		c.learn()
	}
}

// inverse is (1) without its last term: each term expanded τ ahead.
func (c *kalmanInverse) inverse(d, v, a float64) float64 {
	j, s := c.jerk.of(a, c.alpha, c.h)
	t, k := c.tau, &c.a
	return k[0]*(d+t*(v+t/2*a)) + k[1]*(v+t*(a+t/2*j)) + k[2]*(a+t*j) + k[3]*j + k[4]*s
}

// loading is g.
func (c *kalmanInverse) loading(read *rths.Reading, v float64) float64 {
	if len(read.F) == 0 {
		return 0
	}
	f := read.F[0]
	size := math.Abs(f)
	if !(size <= math.MaxFloat64) {
		return 0
	}
	if size > c.most && !c.frozen {
		c.most = size
	}
	if !(f*v > 0) || c.most == 0 {
		return 0
	}
	return min(size/c.most, 1)
}

// jerk is the target's jerk behind two low-passes of first order.
type jerk struct{ a, once, twice float64 }

// of is jerk and snap.
func (j *jerk) of(a, alpha, h float64) (jerk, snap float64) {
	raw := (a - j.a) / h
	j.a = a
	j.once += alpha * (raw - j.once)
	step := alpha * (j.once - j.twice)
	j.twice += step
	return j.twice, step / h
}

// aimedLines have command, target and g v aimed at the instant of the reading.
type aimedLines struct{ u, d, gv *signal.Line }

func newAimed(lead int) aimedLines {
	if lead == 0 {
		return aimedLines{}
	}
	return aimedLines{signal.NewLine(lead + 1), signal.NewLine(lead + 1), signal.NewLine(lead + 1)}
}

func (l *aimedLines) pass(u, d, gv float64) (lateU, lateD, lateGV float64) {
	if l.u == nil {
		return u, d, gv
	}
	l.u.Push(u)
	l.d.Push(d)
	l.gv.Push(gv)
	n := l.u.Len() - 1
	return l.u.At(n), l.d.At(n), l.gv.At(n)
}

func (l *aimedLines) appendState(dst []float64) []float64 {
	if l.u == nil {
		return dst
	}
	return l.gv.AppendState(l.d.AppendState(l.u.AppendState(dst)))
}

func (l *aimedLines) setState(src []float64) []float64 {
	if l.u == nil {
		return src
	}
	return l.gv.SetState(l.d.SetState(l.u.SetState(src)))
}

// UsesRates: velocity and acceleration of the target.
func (c *kalmanInverse) UsesRates() {}

// UsesPrompt: the acceleration is the equation of motion's with the force just received.
func (c *kalmanInverse) UsesPrompt() bool { return true }

// Freeze holds the estimates, the noise, ν and max|f|; the filters run on.
func (c *kalmanInverse) Freeze(on bool) { c.frozen = on }

func (c *kalmanInverse) share(sent []sent) bool {
	c.beside = newBeside(sent, c.late.lead())
	return true
}

func (l *aimedLines) lead() int {
	if l.u == nil {
		return 0
	}
	return l.u.Len() - 1
}

// kalmanChannels are the names of the channels.
var kalmanChannels = []string{"a0", "a1", "a2", "a3", "a4", "b_yield", "gate"}

// Channels are the coefficients as used, b and the gate.
func (c *kalmanInverse) Channels() []rths.Channel {
	values := []*float64{&c.a[0], &c.a[1], &c.a[2], &c.a[3], &c.a[4], &c.b, &c.gate}
	units := []string{"-", "s", "s²", "s³", "s⁴", "s", "-"}
	var out []rths.Channel
	for i, name := range kalmanChannels {
		out = append(out, rths.Channel{Name: name, Unit: units[i], V: values[i]})
	}
	return out
}
