package compensate

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"

	"rths"
	"rths/maths/portable"
	"rths/maths/signal"
	"rths/method/identify"
)

// TVC is three-variable control of a shake table: displacement, velocity and acceleration, each by feedforward and by
// feedback with a crossover (Tagawa and Kajiwara 2007; Nowak et al. 2000; with the inverse of a model as feedforward,
// Phillips, Wierschem and Spencer 2014). Those authors' gains are of their tables; here all gains are of one inverse of
// the plant,
//
//	D(s) = a₀ + a₁ s + a₂ s² + a₃ s³ + … + (b₀ + b₁ s) ω²/(s² + 2ζω s + ω²) s²
//
// to s⁵ at most. Its last term is the mode of a payload on the table (ω, ζ with the table held), which makes the notch
// of the plant; left out where there is none. The command is
//
//	u = D r + u_FB,  u_FB = 2πf_b ∫ D ê dt,  ê of r − x                                (1)
//
// a feedback of the integral, the displacement, the velocity and the acceleration of the error with the gains 2πf_b a₀,
// 2πf_b a₁, 2πf_b a₂ and 2πf_b a₃. With the right D the loop is 2πf_b/s: errors are (1 + 2πf_b/s)⁻¹ of those without
// feedback, down to any plant that has not the inverse D.
//
// **Accelerations are means over the sample**, as those of the accelerometer: of the target the change of its velocity
// over the sample. What D is on them, hold and delays included, is fitted (see identify.Plant).
//
// **Crossover.** The error e of displacement and the error e_a of the accelerometer become one (see crossover),
//
//	ê = F(s) e + (1 − F(s)) e_a/s²,  F = (3ω_c s² + 3ω_c² s + ω_c³)/(s + ω_c)³          (2)
//
// so that ê is the error where both sensors are right; an offset of the accelerometer leaves none in ê, and drift is
// the displacement's.
//
// Not for: tables without an accelerometer, targets whose velocity is late or rough (cr, gui, central-difference,
// two_rate), payloads whose frequency is not known to 1 % or which yield.
type TVC struct {
	A           []float64 `yaml:"a,omitempty" doc:"a0 (-), a1 (s), a2 (s²), a3 (s³) … of the inverse, 2 to 6 numbers; left out: they and the payload are fitted to the inverse of the scenario's plant with its specimen up to band_hz"`
	PayloadHz   float64   `yaml:"payload_hz,omitempty" doc:"frequency of the payload's mode with the table held, Hz; 0 beside a: no such mode"`
	PayloadZeta float64   `yaml:"payload_damping_ratio,omitempty" doc:"its damping ratio, -, 0 to 1"`
	B           []float64 `yaml:"b,omitempty" doc:"b0 (s²) and b1 (s³) of the payload's mode; left out without one"`
	BandHz      float64   `yaml:"band_hz,omitempty" doc:"the inverse is fitted up to here, Hz; left out: 50, halved while the inverse leaves more than 5 % of the plant"`
	CrossoverHz float64   `yaml:"crossover_hz,omitempty" doc:"crossover from displacement below to acceleration above, Hz; left out: a fifth of the frequency where the noise of both sensors is the same, 0.2 to 5; 1 without noise"`
	FeedbackHz  float64   `yaml:"feedback_hz,omitempty" doc:"f_b, bandwidth of the feedback, Hz; left out: the largest up to 5 with which the plant's sensitivity stays below 1.5"`
}

func tvcDefaults() *TVC { return &TVC{} }

// Of the law: terms of the series and of the inverse at most; relative rms error of an inverse that is good enough, and
// what a further term has to leave of it; the largest and least band that is left open, Hz, and what an inverse may
// leave there; the feedback that is left open, Hz, and its largest sensitivity; a reading
// beyond absurdAcceleration is lost, m/s².
const (
	tvcSeries          = 6
	tvcTerms           = tvcSeries + 2
	exactInverse       = 5e-4
	worthATerm         = 0.7
	mostBand           = 50.0
	leastBand          = 3.0
	poorInverse        = 0.05
	mostFeedback       = 5.0
	leastFeedback      = 0.05
	mostSensitivity    = 1.5
	absurdAcceleration = 1e6
)

// Make fits the inverse, and chooses crossover and feedback where they are left out.
func (p *TVC) Make(at At) (rths.Compensator, error) {
	c, err := p.make(at)
	if err != nil {
		return nil, fmt.Errorf("tvc: %w", err)
	}
	return c, nil
}

func (p *TVC) make(at At) (*tvc, error) {
	if !at.Accelerometer {
		return nil, errors.New("no accelerometer, whose acceleration it controls: want sensors: {acceleration: true}, or " +
			"mbc, which needs none")
	}
	if err := p.check(at.RateHz); err != nil {
		return nil, err
	}
	if p.A == nil {
		if err := p.fit(at); err != nil {
			return nil, err
		}
	}
	if p.BandHz == 0 {
		p.BandHz = min(mostBand, 0.4*at.RateHz)
	}
	if p.CrossoverHz == 0 {
		p.CrossoverHz = 1
		if at.Noise > 0 && at.AccelerationNoise > 0 {
			p.CrossoverHz = min(max(math.Sqrt(at.AccelerationNoise/at.Noise)/(2*math.Pi*5), 0.2), 5)
		}
	}
	if p.FeedbackHz == 0 {
		p.FeedbackHz = p.feedback(at)
	}
	h := 1 / at.RateHz
	c := &tvc{
		count: len(p.A) + len(p.B), lead: at.Lead, h: h, gain: 2 * math.Pi * p.FeedbackHz * h,
		reference: p.derivatives(h), deviation: p.derivatives(h), crossover: newCrossover(p.CrossoverHz, h),
		wanted: signal.NewLine(at.Lead + 1), wantedA: signal.NewLine(at.Lead + 1),
	}
	copy(c.theta[:], p.A)
	copy(c.theta[len(p.A):], p.B)
	return c, nil
}

func (p *TVC) check(rateHz float64) error {
	for _, q := range []struct {
		name string
		v    float64
	}{{"band_hz", p.BandHz}, {"payload_hz", p.PayloadHz}, {"crossover_hz", p.CrossoverHz},
		{"feedback_hz", p.FeedbackHz}} {
		if !(q.v >= 0 && q.v < rateHz/2) {
			return fmt.Errorf("%s %g Hz: want 0, to leave it out, to below the Nyquist frequency %g Hz", q.name, q.v, rateHz/2)
		}
	}
	if !(p.PayloadZeta >= 0 && p.PayloadZeta <= 1) {
		return fmt.Errorf("payload_damping_ratio %g: want 0 to 1", p.PayloadZeta)
	}
	if p.A == nil {
		if p.PayloadHz > 0 || p.B != nil {
			return errors.New("payload_hz or b without a: want all numbers of the inverse, or none, to have them fitted")
		}
		return nil
	}
	if n := len(p.A); n < 2 || n > tvcSeries {
		return fmt.Errorf("%d numbers in a: want 2 to %d", n, tvcSeries)
	}
	if n := len(p.B); n != 0 && n != 2 || (n == 2) != (p.PayloadHz > 0) {
		return fmt.Errorf("%d numbers in b and payload_hz %g: want 2 and a frequency, or neither", n, p.PayloadHz)
	}
	for _, v := range append(append([]float64(nil), p.A...), p.B...) {
		if !rths.Finite(v) {
			return fmt.Errorf("a or b holds %g: want finite numbers", v)
		}
	}
	if p.A[0] == 0 { // slow motion would be commanded away
		return errors.New("a0 is 0: want 1 over the static gain of the table")
	}
	return nil
}

// fit fills in the inverse, and the band if it is left out.
func (p *TVC) fit(at At) error {
	if at.Plant == nil {
		return errors.New("the plant has no linear model to start from: want a")
	}
	if p.BandHz > 0 {
		_, err := p.fitted(at)
		return err
	}
	for p.BandHz = min(mostBand, 0.4*at.RateHz); ; p.BandHz /= 2 {
		if left, err := p.fitted(at); err != nil || left <= poorInverse || p.BandHz < 2*leastBand {
			return err
		}
	}
}

// fitted fills in the inverse up to band_hz, without a payload, or with one if it halves the error that is left.
func (p *TVC) fitted(at At) (left float64, err error) {
	plant := identify.Plant{H: at.Plant, RateHz: at.RateHz, MainStep: at.MainStep, EvenHz: p.BandHz}.Once()
	best, with := TVC{BandHz: p.BandHz}, TVC{BandHz: p.BandHz, B: make([]float64, 2)}
	if left, err = best.series(plant); err != nil {
		return 0, err
	}
	if omega, zeta, ok := plant.Mode(); ok && left > exactInverse {
		with.PayloadHz, with.PayloadZeta = omega/(2*math.Pi), zeta
		if l, err := with.series(plant); err == nil && l < left/2 {
			left, best = l, with
		}
	}
	p.A, p.B, p.PayloadHz, p.PayloadZeta = best.A, best.B, best.PayloadHz, best.PayloadZeta
	return left, nil
}

// series fits a and b with as many terms as the plant needs, and returns the rms error of the inverse in the band. A
// series that magnifies what lies above the band would make the loop unstable. A target that bends with every main step
// has no acceleration.
func (p *TVC) series(plant identify.Plant) (left float64, err error) {
	most, payload := tvcSeries, len(p.B)
	if plant.MainStep > 1 {
		most = 2
	}
	left = math.Inf(1)
	for n := 2; n <= most && left > exactInverse; n++ {
		term := p.term(plant.RateHz, n)
		c, err := plant.Inverse(n+payload, term)
		if err != nil {
			return 0, err
		}
		if e := plant.Error(c, term); n == 2 || e < worthATerm*left && !plant.Magnifies(c, term) {
			left, p.A, p.B = e, c[:n:n], c[n:]
		}
	}
	return left, nil
}

// term is the frequency response of term i of D on a displacement, with n terms of the series, as the step has them.
func (p *TVC) term(rateHz float64, n int) func(i int, hz float64) complex128 {
	h := 1 / rateHz
	w2, damping := square(2*math.Pi*p.PayloadHz), 4*math.Pi*p.PayloadZeta*p.PayloadHz
	return func(i int, hz float64) complex128 {
		s := complex(0, 2*math.Pi*hz)
		d := (1 - cmplx.Exp(-s*complex(h, 0))) / complex(h, 0)
		switch {
		case i == 0:
			return 1
		case i < n:
			return s * cmplx.Pow(d, complex(float64(i-1), 0))
		}
		t := complex(0, 2/h*math.Tan(math.Pi*hz*h)) // the trapezoidal rule's s
		q := complex(w2, 0) / (t*t + complex(damping, 0)*t + complex(w2, 0)) * s * d
		if i > n {
			q *= t
		}
		return q
	}
}

func square(x float64) float64 { return x * x }

// feedback is the largest bandwidth, Hz, with which the sensitivity 1/(1 + L) stays below mostSensitivity,
//
//	L = 2πf_b h/(1 − z⁻¹) D H z^(−lead),
//
// for it and all smaller ones, so that no root of 1 + L has left the unit circle on the way.
func (p *TVC) feedback(at At) float64 {
	hz := leastFeedback
	for next := hz; next <= mostFeedback; next = min(next*1.2, mostFeedback) {
		if !(p.sensitivity(at, next) < mostSensitivity) {
			break
		}
		if hz = next; next == mostFeedback {
			break
		}
	}
	return hz
}

// sensitivity is the largest of |1/(1 + L)|; NaN: the plant is not known.
func (p *TVC) sensitivity(at At, feedbackHz float64) (most float64) {
	const points = 300
	term, n := p.term(at.RateHz, len(p.A)), len(p.A)
	for k := range points {
		hz := leastFeedback / 10 * math.Pow(at.RateHz/2/(leastFeedback/10), float64(k)/(points-1))
		if at.Plant == nil {
			return math.NaN()
		}
		l, err := at.Plant(hz)
		if err != nil {
			return math.NaN()
		}
		inverse := complex(0, 0)
		for i, a := range p.A {
			inverse += complex(a, 0) * term(i, hz)
		}
		for i, b := range p.B {
			inverse += complex(b, 0) * term(n+i, hz)
		}
		late := cmplx.Exp(complex(0, -2*math.Pi*hz/at.RateHz)) // z⁻¹
		l *= inverse * complex(2*math.Pi*feedbackHz/at.RateHz, 0) / (1 - late) * cmplx.Pow(late, complex(float64(at.Lead), 0))
		most = max(most, 1/cmplx.Abs(1+l))
	}
	return most
}

// derivatives are the terms of D of one motion, without the coefficients.
type derivatives struct {
	n      int // of the series
	h      float64
	past   [tvcSeries]float64 // mean acceleration, its difference quotient, …, of the sample before
	mode   oscillator
	phi    [tvcTerms]float64
	loaded bool // with a mode
}

func (p *TVC) derivatives(h float64) derivatives {
	return derivatives{n: len(p.A), h: h, loaded: len(p.B) > 0,
		mode: newOscillator(2*math.Pi*p.PayloadHz, p.PayloadZeta, h)}
}

// of takes displacement, velocity and the mean acceleration over the sample before.
func (d *derivatives) of(x, v, a float64) {
	d.phi[0], d.phi[1] = x, v
	next := a
	for i := 2; i < d.n; i++ {
		now := next
		d.phi[i] = now
		next = (now - d.past[i]) / d.h
		d.past[i] = now
	}
	if d.loaded {
		d.mode.step(a)
		d.phi[d.n], d.phi[d.n+1] = d.mode.q, d.mode.v
	}
}

func (d *derivatives) visit(v *rths.StateVisitor) {
	v.Floats(d.past[2:d.n])
	if d.loaded {
		v.Float(&d.mode.q, &d.mode.v, &d.mode.a)
	}
}

// oscillator is q̈ + 2ζω q̇ + ω² q = ω² a by the trapezoidal rule.
type oscillator struct {
	half, stiffness, damping, over float64 // h/2, ω², 2ζω, 1/(1 + 2ζω h/2 + ω² (h/2)²)
	q, v, a                        float64 // q, q̇, q̈
}

func newOscillator(omega, zeta, h float64) oscillator {
	o := oscillator{half: h / 2, stiffness: omega * omega, damping: 2 * zeta * omega}
	o.over = 1 / (1 + o.damping*o.half + o.stiffness*(o.half*o.half))
	return o
}

func (o *oscillator) step(a float64) {
	v := o.v + o.half*o.a
	q := o.q + o.half*(o.v+v)
	o.a = (o.stiffness*(a-q) - o.damping*v) * o.over
	o.v = v + o.half*o.a
	o.q = q + o.half*(o.half*o.a)
}

// crossover is (2): an observer of a point that moves at the acceleration less an offset, by the displacement. With all
// three poles at p = e^{−ω_c h} its gains are those of the fading-memory filter of order 2 (Morrison 1969).
type crossover struct {
	h                  float64
	gainX, gainV, gain float64 // 1 − p³, 3(1 − p)²(1 + p)/2h, (1 − p)³/h²
	x, v, offset       float64 // m, m/s, m/s²
}

func newCrossover(hz, h float64) crossover {
	p := portable.Exp(-2 * math.Pi * hz * h)
	left := 1 - p
	return crossover{h: h, gainX: 1 - p*p*p, gainV: 1.5 * (left * left) * (1 + p) / h, gain: left * left * left / (h * h)}
}

// step takes displacement and mean acceleration over the sample before.
func (c *crossover) step(x, a float64) {
	a += c.offset
	move := c.h * c.v
	c.v += c.h * a
	c.x += move + c.h/2*(c.h*a)
	y := x - c.x
	c.x += c.gainX * y
	c.v += c.gainV * y
	c.offset += c.gain * y
}

// tvc is a run of the law. θ is a, then b.
type tvc struct {
	theta                [tvcTerms]float64
	count, lead          int // of θ; samples that the target is ahead of the reading
	h, gain              float64
	velocity             float64 // the target's, of the sample before, m/s
	reference, deviation derivatives
	crossover            crossover
	wanted, wantedA      *signal.Line // the target's displacement and mean acceleration
	feedback             float64      // u_FB, m
	out                  signal.Sane
}

// Step is (1).
func (c *tvc) Step(command []float64, target *rths.Motion, read *rths.Reading) {
	command[0] = c.command(target, read)
}

func (c *tvc) command(target *rths.Motion, read *rths.Reading) float64 {
	c.refer(target)
	if heard(read) {
		c.compare(read)
	}
	return c.out.Of(c.inverse(&c.reference.phi) + c.feedback)
}

// refer takes the terms of the target.
func (c *tvc) refer(target *rths.Motion) {
	x, v := target.X[0], target.V[0]
	a := (v - c.velocity) / c.h
	c.velocity = v
	c.reference.of(x, v, a)
	c.wanted.Push(x)
	c.wantedA.Push(a)
}

// heard reports whether a reading has both sensors, of its tick.
func heard(read *rths.Reading) bool {
	return identify.Timely(read) && len(read.A) > 0 && math.Abs(read.X[0]) <= identify.Absurd &&
		math.Abs(read.A[0]) <= absurdAcceleration
}

// compare takes the terms of the error at the instant of the reading, and integrates u_FB. After an overflow it starts
// anew.
func (c *tvc) compare(read *rths.Reading) {
	a := c.wantedA.At(c.lead) - read.A[0]
	c.crossover.step(c.wanted.At(c.lead)-read.X[0], a)
	c.deviation.of(c.crossover.x, c.crossover.v, a+c.crossover.offset)
	c.feedback += c.gain * c.inverse(&c.deviation.phi)
	if !rths.Finite(c.feedback) {
		c.feedback, c.crossover.x, c.crossover.v, c.crossover.offset = 0, 0, 0, 0
		c.deviation.rest()
	}
}

// inverse is Σ θᵢ φᵢ.
func (c *tvc) inverse(phi *[tvcTerms]float64) float64 {
	sum := 0.0
	for i, v := range phi[:c.count] {
		sum += c.theta[i] * v
	}
	return sum
}

// rest forgets the motion.
func (d *derivatives) rest() {
	d.past, d.phi = [tvcSeries]float64{}, [tvcTerms]float64{}
	d.mode.q, d.mode.v, d.mode.a = 0, 0, 0
}

// UsesRates: the target's velocity.
func (c *tvc) UsesRates() {}

// Channels are the feedback command and the error of displacement after the crossover.
func (c *tvc) Channels() []rths.Channel {
	return []rths.Channel{{Name: "u_fb", Unit: "m", V: &c.feedback}, {Name: "e_hat", Unit: "m", V: &c.crossover.x}}
}

func (c *tvc) VisitState(v *rths.StateVisitor) {
	v.Float(&c.velocity, &c.crossover.x, &c.crossover.v, &c.crossover.offset, &c.feedback)
	c.reference.visit(v)
	c.deviation.visit(v)
	v.State(c.wanted, c.wantedA, &c.out)
}

var tvcTunable = []rths.Tunable{{Key: "feedback_hz", From: 0.2, To: 10, Log: true},
	{Key: "crossover_hz", From: 0.2, To: 5, Log: true}}
