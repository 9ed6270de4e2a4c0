// Package kalman is the law kalman-inverse: the inverse of the plant on the target, learnt by a Kalman filter within
// the bounds of a prior.
package kalman

import (
	"cmp"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"rths"
	"rths/maths/portable"
	"rths/maths/signal"
	"rths/method/identify"
)

// Inverse is the target-regressed Kalman inverse; docs/reference/kalman-inverse.md numbers the equations. The
// command is the inverse of the plant on the target's own derivatives,
//
//	u = E_δ (a₀ d + a₁ v + a₂ a + a₃ j + a₄ s + b g v + e q v)                       (1)
//
// with jerk j and snap s from the filtered difference of a, and E_δ for a delay δ beside the inverse (see
// extrapolation). The command corrects a for what it is early, and j for what it is late (see inverse). A Kalman filter
// within bounds estimates a₀ … a₃ and δ from the residual of command u and reading x after the prefilter G,
//
//	r = w_u(t − δ) − Σ aᵢ w_x⁽ⁱ⁾ − b w_gv − e w_qv,  i = 0 … 4,                      (6)
//
// with the regressor of the target d after the same prefilter,
//
//	φᵢ = (w_d⁽ⁱ⁾ + cᵢ w_d⁽⁴⁾)/Wⁱ,  i = 0 … 3,  W = 2π · 10 Hz,                        (7)
//	φ_δ = Σ aᵢ w_d⁽ⁱ⁺¹⁾/W
//
// which has no sensor noise: noise in a regressor of readings biases the coefficients. The
// prior, the bounds and the prefilter come from the bare plant's inverse b₀ + b₁ s + … and
// from the declared ranges (see prior), and a₄ = Σ cᵢ aᵢ follows from the others (see snapOf). The estimates start at
// the inverse of the scenario's plant with its specimen (see loaded), else at b.
//
// The term b g v serves specimens that yield: g = |f|/max|f| while the force f and v have one
// sign, else 0. The term e q v serves specimens that harden: q = (d/max|d|)². Their covariance
// opens only while the residual is larger than noise explains.
//
// Not for: sampling rates below 512 Hz, more delay beside the bare plant than 1.5 delay_ms, a
// pure delay of more than 10 ms, and actuators that must have a smooth command.
type Inverse struct {
	Bare        []float64 `yaml:"bare,omitempty" doc:"b0 (-), b1 (s), b2 (s²), b3 (s³) of the inverse u/x of the transfer system without specimen and without its pure delay, 1 to 4 numbers; left out: from the scenario's transfer system, or, where no such model is known, the inverse of the plant up to 20 Hz"`
	Loading     string    `yaml:"loading,omitempty" doc:"specimen (the specimen's force loads the transfer system, the inverse has order 4) or none (order 3); left out: from the scenario's transfer system"`
	JerkHz      float64   `yaml:"jerk_hz" doc:"cutoff of the two low-passes on the target's jerk, Hz"`
	LeadSamples float64   `yaml:"lead_samples,omitempty" doc:"samples by which the target is expanded ahead, 0 or more"`
	BandHz      float64   `yaml:"band_hz" doc:"cutoff of the prefilter of the estimation, Hz"`
	DriftHz     float64   `yaml:"drift_hz" doc:"cutoff of the slow mean that the estimation removes, Hz"`

	LagSD    float64 `yaml:"lag_sd" doc:"standard deviation of the gain and of b1, b2, b3 about the bare plant, relative"`
	DelayMs  float64 `yaml:"delay_ms" doc:"the largest delay to be expected beside the bare plant and the pure delay of the scenario's transfer system, ms; δ, pure delay included, is estimated within 1.5 times this of the pure delay; 0: δ stays the pure delay"`
	AheadHz  float64 `yaml:"ahead_hz" doc:"cutoff of the low-passes in the extrapolation by δ, Hz: higher is more exact and rougher"`
	LeftOut  float64 `yaml:"left_out" doc:"part of the inverse beyond order 4, relative to the target; it counts as noise"`
	WatchS   float64 `yaml:"watch_s" doc:"time constant of the mean of the residual's square, s"`
	ForgetS  float64 `yaml:"forget_s" doc:"time in which the covariance returns to its start when the residual is too large, s; half of it is the time constant"`
	YieldSD  float64 `yaml:"yield_sd" doc:"standard deviation of b of the yielding term, relative to b1; 0: no such term"`
	HardenSD float64 `yaml:"harden_sd" doc:"standard deviation of e of the hardening term, relative to b1; 0: no such term"`
}

// Defaults are the parameters that a scenario may leave out.
func Defaults() *Inverse {
	return &Inverse{JerkHz: 120, BandHz: 40, DriftHz: 0.1, LagSD: 0.1, DelayMs: 3, AheadHz: 80, LeftOut: 0.001,
		WatchS: 0.5, ForgetS: 1, YieldSD: 0.6, HardenSD: 0.02}
}

// Names of Loading.
const (
	bySpecimen = "specimen"
	byNothing  = "none"
)

// Of the law: a transfer system has kalmanTerms numbers, and they and δ are estimated; the unit W
// of the estimates θᵢ = aᵢ Wⁱ and δ W; the noise of a reading at the start and at least, m²·s;
// the bound of b and of e over b₁.
const (
	kalmanTerms  = 4
	kalmanParams = kalmanTerms + 1
	kalmanW      = 2 * math.Pi * 10
	noiseStart   = 6.25e-14
	noiseFloor   = 1e-14
	yieldReach   = 2.0
	noiseBand    = 2.22 // noise bandwidth of the prefilter over band_hz, both sides
	noiseOpen    = 4.0  // times the noise of the residual, where the gate begins to open
	offTarget    = 0.5  // error of tracking over the motion, for the mean of the reading
	offLag       = 0.3  // error of the lag over the lag, for the same
	mostLag      = 1e3  // bᵢ Wⁱ over b₀
	leastLag     = 1e-3 // b₁ W over b₀ beneath a load
	thirdOfWhite = 20.0 // variance of the third difference of white noise: 1 + 9 + 9 + 1
)

// Make fills in the bare plant, draws the prior and designs the prefilter.
func (p *Inverse) Make(at identify.At) (rths.Compensator, error) {
	if err := p.resolve(at); err != nil {
		return nil, fmt.Errorf("kalman-inverse: %w", err)
	}
	if err := p.check(at.RateHz); err != nil {
		return nil, fmt.Errorf("kalman-inverse: %w", err)
	}
	h := 1 / at.RateHz
	c := &kalmanInverse{
		h: h, alpha: 1 - portable.Exp(-2*math.Pi*p.JerkHz*h), tau: p.LeadSamples * h,
		longest: max(1, 1/(2*math.Pi*p.DriftHz*h)),
		left:    p.LeftOut * p.LeftOut, watch: h / p.WatchS, forget: 2 * h / p.ForgetS,
		floor: noiseFloor / h, opens: noiseOpen * noiseBand * p.BandHz * h,
		noise: noiseStart / h, late: newAimed(at.Lead), unaimed: identify.Unaimed(at.Lead),
		ahead: newExtrapolation(p.AheadHz, at.PureDelay(), h),
	}
	var b [kalmanTerms]float64
	copy(b[:], p.Bare)
	c.prefilter = newPrefilter(b, 2*math.Pi*p.BandHz, h)
	pole, err := c.prefilter.slowest()
	if err != nil {
		return nil, fmt.Errorf("kalman-inverse: %w", err)
	}
	c.Settling = identify.NewSettling(pole, 0)
	c.jerkLag = h/2 + 2*h*(1-c.alpha)/c.alpha
	c.early = newEarly(h)
	c.prior = p.prior(b, at.PureDelay())
	c.waiting = signal.NewLine(int(c.prior.hi[kalmanTerms]/kalmanW/h) + 3)
	c.bend.limit = yieldReach * math.Abs(b[1])
	c.bend.start = [2]float64{p.YieldSD * p.YieldSD * b[1] * b[1], p.HardenSD * p.HardenSD * b[1] * b[1]}
	unit := 1.0
	for i := range b {
		c.unit[i], c.theta[i] = unit, b[i]*unit
		unit *= kalmanW
	}
	c.theta[kalmanTerms] = c.prior.pure
	c.zeroVariance = math.MaxFloat64
	c.loaded(at)
	c.prior.about(c.theta)
	c.p = c.prior.p0
	c.use()
	return c, nil
}

// loaded starts the estimates at the inverse of the scenario's plant with its specimen, up to 20 Hz: the coefficients
// that fit it best with a delay of whole samples within its bounds, and this delay. A plant without a linear model
// leaves them at b.
func (c *kalmanInverse) loaded(at identify.At) {
	if at.Plant == nil || !at.Loaded {
		return
	}
	plant, least := at.Start().Once(), math.Inf(1)
	for delta := c.prior.pure / kalmanW; delta <= c.prior.hi[kalmanTerms]/kalmanW; delta += c.h {
		term := func(i int, hz float64) complex128 {
			s := complex(0, 2*math.Pi*hz)
			power := complex(1, 0) // sⁱ
			for range i {
				power *= s
			}
			return (power + complex(c.prior.c[i], 0)*(s*s*s*s)) * cmplx.Exp(s*complex(delta, 0))
		}
		a, err := plant.Inverse(kalmanTerms, term)
		if err != nil {
			return
		}
		left, err := plant.Left(a, term)
		if err != nil || left >= least {
			continue
		}
		least = left
		for i, v := range a {
			c.theta[i] = min(max(v*c.unit[i], c.prior.lo[i]), c.prior.hi[i])
		}
		c.theta[kalmanTerms] = delta * kalmanW
	}
}

// resolve fills in the bare inverse and the loading.
func (p *Inverse) resolve(at identify.At) (err error) {
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
	if p.Bare != nil {
		return nil
	}
	var bare []float64
	if at.BareInverse != nil {
		if bare, err = at.Bare(kalmanTerms); err != nil {
			return fmt.Errorf("bare is left out: %w", err)
		}
	} else if bare, err = at.Start().Inverse(kalmanTerms, identify.ExactDerivative); err != nil {
		return fmt.Errorf("bare is left out: %w: want bare", err)
	}
	p.Bare = identify.Advanced(bare, -at.PureDelay())
	return nil
}

func (p *Inverse) check(rateHz float64) error {
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
	return cmp.Or(p.checkLag(), p.checkRanges(rateHz))
}

// checkLag wants a lag b1/b0 that an actuator has, and some lag where a specimen loads it: the
// load is told from the higher coefficients over b1.
func (p *Inverse) checkLag() error {
	for i, b := range p.Bare {
		if size := math.Abs(b) * math.Pow(kalmanW, float64(i)); !(size <= mostLag*p.Bare[0]) {
			return fmt.Errorf("b%d of bare is %g s^%d: want at most %.3g times b0", i, b, i,
				mostLag/math.Pow(kalmanW, float64(i)))
		}
	}
	lag := 0.0
	if len(p.Bare) > 1 {
		lag = p.Bare[1] / p.Bare[0]
	}
	higher := slices.ContainsFunc(p.Bare[min(2, len(p.Bare)):], func(b float64) bool { return b != 0 })
	switch {
	case lag < 0:
		return fmt.Errorf("b1 of bare is %g s: want 0 or more, the lag of the transfer system times b0", p.Bare[1])
	case lag*kalmanW < leastLag && higher && p.Loading == bySpecimen:
		return fmt.Errorf(
			"b1 of bare is %g s beside b2 or b3, and a specimen loads the transfer system: want %.2g s or more, or "+
				"loading: none", lag*p.Bare[0], leastLag/kalmanW*p.Bare[0])
	}
	return nil
}

// checkRanges wants numbers that the rate allows.
func (p *Inverse) checkRanges(rateHz float64) error {
	for _, q := range []struct {
		name string
		v    float64
	}{{"jerk_hz", p.JerkHz}, {"band_hz", p.BandHz}, {"drift_hz", p.DriftHz}, {"ahead_hz", p.AheadHz}} {
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
	}{{"lead_samples", p.LeadSamples, 1000, "samples"}, {"lag_sd", p.LagSD, 0.5, ""}, {"delay_ms", p.DelayMs, 100, "ms"},
		{"left_out", p.LeftOut, 1, ""}, {"yield_sd", p.YieldSD, 10, ""}, {"harden_sd", p.HardenSD, 10, ""}} {
		if !(q.v >= 0 && q.v <= q.most) {
			return fmt.Errorf("%s %g: want 0 to %g %s", q.name, q.v, q.most, q.unit)
		}
	}
	return nil
}

// PlantModel is x/u = e^(−δs)/Σ aᵢ sⁱ of the coefficients shown.
func (p *Inverse) PlantModel(_ float64, parameters []float64) func(hz float64) complex128 {
	if len(parameters) != len(kalmanChannels) {
		return nil
	}
	return func(hz float64) complex128 {
		sum := complex(0, 0)
		for i, a := range parameters[:kalmanTerms+1] {
			sum += complex(a, 0) * identify.ExactDerivative(i, hz)
		}
		return cmplx.Exp(complex(0, -2*math.Pi*hz*parameters[kalmanDelay])) / sum
	}
}

// kalmanInverse is a run of the law. Estimates are θᵢ = aᵢ Wⁱ, then δ W.
type kalmanInverse struct {
	h, alpha, tau   float64
	jerkLag         float64 // of the jerk's difference and low-passes, s
	longest         float64 // samples of the running mean
	left            float64 // left_out²
	watch, forget   float64 // steps of ν and of the covariance
	floor, opens    float64 // least R, m², and ν₀
	unit            [kalmanTerms]float64
	prefilter       prefilter
	prior           prior
	jerk            jerk
	x, d, u, gv, qv derived
	acceleration    derived // the target's
	early           early
	k               float64    // readings
	past            [3]float64 // the last three readings, newest first
	torn            float64    // fresh readings until these follow one another
	late            aimedLines
	beside          identify.Beside
	out             signal.Sane
	theta           [kalmanParams]float64
	p               [kalmanParams][kalmanParams]float64
	ahead           extrapolation
	waiting         *signal.Line // w_u
	bend            bend
	noise, nu       float64                  // R and ν
	a               [kalmanTerms + 1]float64 // as used
	delta           float64                  // δ, s, as used
	gate            float64
	frozen          bool
	zeroVariance    float64 // of the mean of the reading, m²
	off             float64 // reading less target, without their means, m
	unaimed         identify.Unaimed
	identify.Settling
}

// Step is one tick: the command with the old estimates, the filters, then the estimation. While a
// reading is old or lost the target stands for it: the running mean forgets slowly, and a value that
// is held would leave it an offset long after the prefilter has settled.
func (c *kalmanInverse) Step(command []float64, target *rths.Motion, read *rths.Reading) {
	d, v := target.X[0], target.V[0]
	x := read.X[0]
	fresh := identify.Timely(read) && math.Abs(x) <= identify.Absurd
	learns := c.Takes(read, fresh) && !c.frozen
	gv, qv := c.bend.yielding(read, v, learns)*v, c.bend.hardening(d, learns)*v
	u := c.out.Of(c.ahead.of(c.inverse(d, v, target.A[0]) + c.bend.b*gv + c.bend.e*qv))
	command[0] = u
	aimed := c.late.pass([5]float64{u, d, gv, qv, target.A[0]})
	wanted := aimed[1]
	if learns {
		c.hear(x)
	}
	if fresh {
		c.keep(x)
	} else {
		x, c.torn = wanted-c.d.mean+c.x.mean, float64(len(c.past))
	}
	memory, sent := 1/c.longest, c.beside.Add(aimed[0])
	if c.k <= 1 {
		c.rest(x, wanted, sent, aimed[0])
	}
	c.prefilter.step(&c.d, wanted, memory)
	if fresh {
		c.zero(x, wanted, v)
	}
	c.prefilter.step(&c.x, x, memory)
	c.prefilter.step(&c.u, sent, memory)
	c.prefilter.step(&c.gv, aimed[2], memory)
	c.prefilter.step(&c.qv, aimed[3], memory)
	c.prefilter.step(&c.acceleration, aimed[4], memory)
	c.early.learn(&c.acceleration.w, &c.d.w)
	c.waiting.Push(c.u.w[0])
	if fresh {
		c.off = x - c.x.mean - (wanted - c.d.mean)
	}
	if learns && !c.unaimed.Pass() {
		c.learn()
	}
}

// rest starts the running means at those of a target at rest: reading and target at their first values, the command at
// its static part, and all rates at 0. The means then follow slowly, all alike: this commutes with the plant, so that
// w_u = Σ aᵢ w_x⁽ⁱ⁾ holds of the right aᵢ.
func (c *kalmanInverse) rest(x, target, sent, command float64) {
	c.x.mean, c.d.mean, c.u.mean = x, target, sent-command+c.a[0]*target
}

// zero corrects the mean of the reading by a Kalman filter on reading less target. Its noise is the noise of the
// reading, half of the motion, and the motion within the delay and the part of the lag that are not known yet. The
// first reading alone would leave its noise as an offset of the estimation for seconds.
func (c *kalmanInverse) zero(x, target, velocity float64) {
	moved, lagged := offTarget*(target-c.d.mean), offLag*c.a[1]*velocity
	late := c.p[kalmanTerms][kalmanTerms] / (kalmanW * kalmanW) * (velocity * velocity)
	noise := c.noise + moved*moved + lagged*lagged + late
	if !rths.Finite(noise) {
		return
	}
	part := c.zeroVariance / (c.zeroVariance + noise)
	c.zeroVariance = part * noise
	c.x.mean += part * (x - target - c.x.mean + c.d.mean)
}

// inverse is (1) without E_δ and the last two terms: each term expanded τ ahead. What an acceleration is ahead of the
// displacement, and what the jerk lags, is taken back to first order by the next derivative.
func (c *kalmanInverse) inverse(d, v, a float64) float64 {
	j, s := c.jerk.of(a, c.alpha, c.h)
	late := -c.early.by
	t, k := c.tau, &c.a
	return k[0]*(d+t*(v+t/2*a)) + k[1]*(v+t*(a+t/2*j)) + k[2]*(a+(t+late)*j) + k[3]*(j+(late+c.jerkLag)*s) + k[4]*s
}

// jerk is the target's jerk after two low-passes of first order.
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

// aimedLines have command, target, g v, q v and the target's acceleration aimed at the instant of the reading; no lines
// where they are of that instant.
type aimedLines []*signal.Line

func newAimed(lead int) (l aimedLines) {
	if lead > 0 {
		for range 5 {
			l = append(l, signal.NewLine(lead+1))
		}
	}
	return l
}

func (l aimedLines) pass(v [5]float64) [5]float64 {
	for i, line := range l {
		line.Push(v[i])
		v[i] = line.At(line.Len() - 1)
	}
	return v
}

func (l aimedLines) lead() int {
	if len(l) == 0 {
		return 0
	}
	return l[0].Len() - 1
}

func (l aimedLines) visit(v *rths.StateVisitor) {
	for _, line := range l {
		v.State(line)
	}
}

// UsesRates: velocity and acceleration of the target.
func (c *kalmanInverse) UsesRates() {}

// UsesCurrentForce: the acceleration is the equation of motion's with the force just received.
func (c *kalmanInverse) UsesCurrentForce() bool { return true }

// Freeze holds the estimates, the noise, ν and max|f|; the filters run on.
func (c *kalmanInverse) Freeze(on bool) { c.frozen = on }

func (c *kalmanInverse) Share(sent []identify.Sent) bool {
	c.beside = identify.NewBeside(sent, c.late.lead())
	return true
}

// kalmanChannels are the names of the channels.
var kalmanChannels = []string{"a0", "a1", "a2", "a3", "a4", "delay", "b_yield", "e_harden", "gate"}

// kalmanEstimates are the names of the estimates.
var kalmanEstimates = [kalmanParams]string{"a0", "a1", "a2", "a3", "delay"}

// kalmanDelay is the place of δ among the channels.
const kalmanDelay = kalmanTerms + 1

// Channels are the coefficients as used, δ, b, e and the gate. a₀ … a₃ and δ have bounds.
func (c *kalmanInverse) Channels() []rths.Channel {
	values := []*float64{&c.a[0], &c.a[1], &c.a[2], &c.a[3], &c.a[4], &c.delta, &c.bend.b, &c.bend.e, &c.gate}
	units := []string{"-", "s", "s²", "s³", "s⁴", "s", "s", "s", "-"}
	var out []rths.Channel
	for i, name := range kalmanChannels {
		out = append(out, rths.Channel{Name: name, Unit: units[i], V: values[i]})
	}
	lo, hi := &c.prior.lo, &c.prior.hi
	for i, unit := range c.unit {
		out[i].Lower, out[i].Upper = new(lo[i]/unit), new(hi[i]/unit)
	}
	out[kalmanDelay].Lower, out[kalmanDelay].Upper = new(lo[kalmanTerms]/kalmanW), new(hi[kalmanTerms]/kalmanW)
	return out
}

// Tunable are the parameters that a search may vary.
var Tunable = []rths.Tunable{
	{Key: "lag_sd", From: 0.01, To: 0.3, Log: true},
	{Key: "jerk_hz", From: 50, To: 400, Log: true},
	{Key: "band_hz", From: 15, To: 60, Log: true},
}
