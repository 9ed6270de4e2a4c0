package compensate

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/signal"
	"rths/method/identify"
)

// ADM is adaptive compensation with a discrete model of the loading system
// (paper 000; errata 000.1 to 000.4). With i the instant a command aims at and all taps s
// samples apart, the model is
//
//	d_c[i] = Σ θ_c^j d_c[i−js] + Σ θ_m^k d_m[i−(k−1)s],  j = 1 … p, k = 1 … q          (1)
//
// its parameters are found by recursive least squares with a forgetting factor
// (3). The command is the same expression with the target in place of the measurement
// to come (6). Older d_m are measured (paper 000 eq. 6) or targets, "to enhance the
// robustness" (paper 002 eq. 17, paper 004 eq. 41).
//
// Start and spacing come from the plant where they are left out. Taps stand one sample
// apart where they invert the plant, and 7.57 ms apart, as kf's, where the plant has no
// inverse of q taps or a shortened one would magnify some frequency more than 20 times.
//
// With taps one sample apart p = 1, q = 3 is the exact model of a second-order
// loading system under a held command. The method as printed (history measured, no
// filter, λ = 0.97, always updating) inverts the plant up to the Nyquist frequency. Do
// not use this form with noisy readings at rates far above the plant's frequencies:
// take older entries from the target and filter the signals of the regression, as the
// defaults do. The taps then identify difference quotients of the filtered
// motion.
//
// A plant with more lag than a second-order one leads to θ_c above 1: the command runs
// away. A small P0 for past commands avoids this, because the displacements' parameters
// are then learnt first. λ = 1 keeps P small.
//
// P0 is in 1/m²: (Φ'Φ)⁻¹ of an off-line test (see identify.FitADM), or the squared uncertainty
// of θ over the variance of the residual.
//
// Every step checks the identified model (paper 000 section 4.3). The roots of
// θ_1 z^{q−1} + … + θ_q are the model's poles from command to displacement; a pole
// outside the unit circle means a wrong model, because a loading system is stable. The
// roots of z^p − θ_c1 z^{p−1} − … − θ_cp are the poles of the compensator; one outside
// the unit circle makes the command run away. Channels count both. With hold_unstable
// the command keeps the last parameters without such roots, while the estimation goes
// on.
type ADM struct {
	P            int       `yaml:"p" doc:"past commands in the model, 0 to 8"`
	Q            int       `yaml:"q" doc:"displacements in the model, 1 to 8"`
	Initial      string    `yaml:"initial,omitempty" doc:"where θ(0) comes from: plant (inverse of the scenario's plant up to 20 Hz), bare-transfer (inverse of its transfer system without specimen under a held command, as taps), or given (key theta0; without it the inverse of Gálmez 2021, eq. 7.7, as taps); left out: given if theta0 is, else plant"`
	Theta0       []float64 `yaml:"theta0,omitempty" doc:"θ(0): p numbers for past commands, then q"`
	P0           []float64 `yaml:"p0,omitempty" doc:"P(0), 1/m²: one number, the p+q of the diagonal, or all rows in turn; default 1e4 for past commands, 1e12 for displacements"`
	History      string    `yaml:"history" doc:"older displacements in the command: measured (Wang et al. 2020, eq. 6) or target (Ning et al. 2020, eq. 17)"`
	Spacing      int       `yaml:"spacing,omitempty" doc:"distance s of the taps, samples; left out: 1 with a given θ(0), else 1 sample or 7.57 ms by the plant"`
	Forgetting   float64   `yaml:"forgetting" doc:"forgetting factor λ per sample, at most 1"`
	FilterOrder  int       `yaml:"filter_order" doc:"order of the Butterworth low-pass on command and measurement of the regression"`
	FilterHz     float64   `yaml:"filter_hz" doc:"its cutoff, Hz; 0: no filter"`
	RemoveOffset bool      `yaml:"remove_offset" doc:"the adaptation takes a constant offset off the readings, which it estimates while little moves"`
	SuspendBelow float64   `yaml:"suspend_below_m" doc:"no update while the (filtered) measurement is smaller, m; 0: always update"`
	Lower        []float64 `yaml:"lower,omitempty" doc:"lower bounds of θ as used; default none"`
	Upper        []float64 `yaml:"upper,omitempty" doc:"upper bounds of θ as used; default none"`
	HoldUnstable bool      `yaml:"hold_unstable,omitempty" doc:"while the identified model has a pole or a zero outside the unit circle, the last parameters without one stay in use (Wang et al. 2020, section 4.3)"`
}

// wangADM leaves start and spacing to the plant. Filter, λ, history and the limit of
// suspension were found by a search on the single-actuator benchmark.
func wangADM(p, q int) *ADM {
	return &ADM{P: p, Q: q, History: "target", Forgetting: 1, FilterOrder: 4, FilterHz: 20, RemoveOffset: true,
		SuspendBelow: 20e-6}
}

// Make resolves θ(0) and P(0) and checks the rest.
func (p *ADM) Make(at At) (rths.Compensator, error) {
	c, err := p.make(at)
	if err != nil {
		return nil, fmt.Errorf("adm: %w", err)
	}
	return c, nil
}

// lowPasses are one Butterworth low-pass for command and measurement, the noise after it, and its slowest pole; without
// a cutoff they change nothing.
func lowPasses(at At, order int, hz float64) (command, measured *signal.Filter, noise *identify.Noise, pole float64,
	err error) {
	var b, a []float64
	if hz > 0 {
		if b, a, err = signal.Butterworth(order, hz, at.RateHz); err != nil {
			return nil, nil, nil, 0, fmt.Errorf("filter: %w", err)
		}
		pole = signal.ButterworthPole(order, hz, at.RateHz)
	}
	return signal.NewFilter(b, a), signal.NewFilter(b, a), identify.NewNoise(at.Noise, at.RateHz, b, a), pole, nil
}

func (p *ADM) make(at At) (*adm, error) {
	leftOpen(&p.Initial, p.Theta0)
	if p.Spacing == 0 && p.Q >= 1 && p.Q <= identify.MaxOrder {
		p.Spacing = p.spacing(at)
	}
	if err := p.check(at.Lead); err != nil {
		return nil, err
	}
	if err := p.start(at); err != nil {
		return nil, err
	}
	r, err := identify.NewRLS(p.Theta0, p.P0, p.Forgetting)
	if err != nil {
		return nil, err
	}
	s, n := p.Spacing, p.P+p.Q
	c := &adm{
		p: p.P, q: p.Q, s: s, lead: at.Lead, quiet: p.SuspendBelow, lower: p.Lower, upper: p.Upper, rls: r,
		theta: make([]float64, n), trial: make([]float64, n), phi: make([]float64, n), byTarget: p.History == "target",
		zero:    identify.NewZero(p.RemoveOffset, at.Noise),
		desired: signal.NewLine(at.Lead + 1), measured: signal.NewLine(1), issued: signal.NewLine(max(p.P*s, at.Lead) + 1),
		y: signal.NewLine(p.P*s + 1), x: signal.NewLine((p.Q-1)*s + 1),
	}
	if c.byTarget {
		c.desired = signal.NewLine(max((p.Q-1)*s, at.Lead) + 1)
	} else {
		c.measured = signal.NewLine(max((p.Q-1)*s-at.Lead, 0) + 1)
	}
	var pole float64
	if c.yf, c.xf, c.noise, pole, err = lowPasses(at, p.FilterOrder, p.FilterHz); err != nil {
		return nil, err
	}
	c.Settling = identify.NewSettling(pole, (p.Q-1)*s)
	clamp(c.theta, r.Theta(), c.lower, c.upper)
	c.watch = identify.NewWatch(p.P, p.Q, float64(s)/at.RateHz)
	if c.watch.Start(c.theta); p.HoldUnstable && !c.watch.Sound() {
		return nil, fmt.Errorf("hold_unstable: θ(0) = %g already has %s outside the unit circle: want another theta0, or "+
			"hold_unstable false", c.theta, c.watch.What())
	}
	c.hold, c.unaimed = p.HoldUnstable, identify.Unaimed(at.Lead)
	return c, nil
}

// spacing of the taps that is left open.
func (p *ADM) spacing(at At) int {
	if p.Initial == "plant" {
		return at.Start().Spacing(p.Q)
	}
	return 1
}

func (p *ADM) check(lead int) error {
	switch {
	case p.P < 0 || p.P > identify.MaxOrder:
		return fmt.Errorf("p %d: want 0 to %d", p.P, identify.MaxOrder)
	case p.Q < 1 || p.Q > identify.MaxOrder:
		return fmt.Errorf("q %d: want 1 to %d", p.Q, identify.MaxOrder)
	case p.Spacing < 1 || p.Spacing > 1e5:
		return fmt.Errorf("spacing %d samples: want 1 to 100000", p.Spacing)
	case p.History == "measured" && p.Spacing < lead:
		return fmt.Errorf("spacing %d samples: want at least the %d by which the target leads the reading, or history target",
			p.Spacing, lead)
	case p.History != "measured" && p.History != "target":
		return fmt.Errorf("history %q: want measured or target", p.History)
	case !(p.FilterHz >= 0):
		return fmt.Errorf("filter_hz %g: want 0 (none) or more", p.FilterHz)
	case !(p.SuspendBelow >= 0):
		return fmt.Errorf("suspend_below_m %g: want 0 or more", p.SuspendBelow)
	}
	return nil
}

// start resolves θ(0) and P(0).
func (p *ADM) start(at At) error {
	switch {
	case p.Initial != "given" && p.Theta0 != nil:
		return fmt.Errorf("initial %s and theta0: want one of them", p.Initial)
	case p.Initial == "plant":
		taps, err := at.Start().Taps(p.Q, p.Spacing)
		if err != nil {
			return fmt.Errorf("initial plant: %w: want theta0, or initial bare-transfer", err)
		}
		p.Initial, p.Theta0 = "given", append(make([]float64, p.P), taps...)
	case p.Initial == "bare-transfer" && at.BareInverse == nil:
		return errors.New(
			"initial bare-transfer: this transfer system has no model to expand, or an inner loop around it: want initial " +
				"given and theta0")
	case p.Initial == "bare-transfer":
		c, err := at.BareInverse(p.Q)
		if err != nil {
			return fmt.Errorf("initial bare-transfer: %w", err)
		}
		p.Initial, p.Theta0 = "given", p.taps(c, at)
	case p.Initial != "given":
		return fmt.Errorf("initial %q: want plant, bare-transfer or given", p.Initial)
	case p.Theta0 == nil:
		p.Theta0 = p.taps(galmezA, at)
	}
	if p.P0 == nil {
		p.P0 = make([]float64, p.P+p.Q)
		for i := range p.P0 {
			p.P0[i] = 1e12
			if i < p.P {
				p.P0[i] = 1e4
			}
		}
	}
	if err := checkLists("theta", p.P+p.Q, list{"theta0", p.Theta0}, list{"lower", p.Lower},
		list{"upper", p.Upper}); err != nil {
		return err
	}
	return checkBounds("theta", p.Lower, p.Upper)
}

// taps turns the inverse c₀ + c₁s + … of a loading system into θ of the same
// series under a held command: past commands have no weight, and
//
//	Σ θ_k e^{−(k−1)sσ} = (c₀ + c₁σ + …)/g(σ),  g(σ) = e^{Lhσ}(1 − e^{−hσ})/(hσ)
//
// to the order q − 1 in σ; g is the effect of the hold and of a lead of L samples.
func (p *ADM) taps(c []float64, at At) []float64 {
	h, lead, q := 1/at.RateHz, float64(at.Lead), p.Q
	d := make([]float64, q) // of c/g, in units of hᵏ/k!
	g := func(k int) float64 {
		n := float64(k + 1)
		return (math.Pow(lead, n) - math.Pow(lead-1, n)) / math.Gamma(n+1)
	}
	for k := range d {
		if k < len(c) {
			d[k] = c[k] / math.Pow(h, float64(k))
		}
		for j := 1; j <= k; j++ {
			d[k] -= g(j) * d[k-j]
		}
	}
	powers, right := mat.NewDense(q, q, nil), mat.NewVecDense(q, nil)
	for k := range q {
		right.SetVec(k, d[k]*math.Gamma(float64(k+1))/math.Pow(float64(p.Spacing), float64(k)))
		for i := range q {
			powers.Set(k, i, math.Pow(-float64(i), float64(k)))
		}
	}
	theta := make([]float64, p.P+q)
	_ = mat.NewVecDense(q, theta[p.P:]).SolveVec(powers, right) // of distinct whole numbers: regular
	return theta
}

// PlantModel is d_m/d_c of (1). The parameters are θ alone, or all channels.
func (p *ADM) PlantModel(rateHz float64, parameters []float64) func(hz float64) complex128 {
	n := p.P + p.Q
	if len(parameters) != n && len(parameters) != n+identify.WatchChannels {
		return nil
	}
	theta := append([]float64(nil), parameters[:n]...)
	return func(hz float64) complex128 {
		delay := cmplx.Exp(complex(0, -2*math.Pi*hz/rateHz*float64(p.Spacing)))
		num, den, z := complex(1, 0), complex(0, 0), delay
		for _, v := range theta[:p.P] {
			num -= complex(v, 0) * z
			z *= delay
		}
		z = 1
		for _, v := range theta[p.P:] {
			den += complex(v, 0) * z
			z *= delay
		}
		return num / den
	}
}

type adm struct {
	p, q, s, lead     int
	byTarget          bool
	quiet             float64 // m
	lower, upper      []float64
	rls               *identify.RLS
	theta             []float64    // as used: bounded
	phi               []float64    // scratch
	desired, measured *signal.Line // what the command looks at: one of them has a past
	issued            *signal.Line // commands
	y, x              *signal.Line // command and measurement of the same instant, filtered
	yf, xf            *signal.Filter
	zero              identify.Zero
	reading, out      signal.Sane
	frozen, hold      bool
	unaimed           identify.Unaimed
	identify.Settling
	trial  []float64 // the estimate, bounded
	beside identify.Beside
	noise  *identify.Noise `c:"watched"`
	watch  identify.Watch
}

// Step learns from the reading before the command is made if that reading's
// command is known, that is if the target leads; else afterwards.
func (c *adm) Step(command []float64, target *rths.Motion, read *rths.Reading) {
	m := c.reading.Of(read.X[0])
	c.measured.Push(m)
	if c.lead > 0 {
		c.learn(c.beside.Add(c.issued.At(c.lead-1)), c.zero.Of(m, c.desired.At(c.lead-1), read), read)
	}
	command[0] = c.command(target.X[0])
	if c.lead == 0 {
		c.learn(c.beside.Add(command[0]), c.zero.Of(m, target.X[0], read), read)
	}
}

// command is (6).
func (c *adm) command(target float64) float64 {
	c.desired.Push(target)
	for j := range c.p {
		c.phi[j] = c.issued.At((j+1)*c.s - 1)
	}
	c.phi[c.p] = target
	for k := 1; k < c.q; k++ {
		if c.byTarget {
			c.phi[c.p+k] = c.desired.At(k * c.s)
		} else {
			c.phi[c.p+k] = c.measured.At(k*c.s - c.lead)
		}
	}
	sum := 0.0
	for i, v := range c.theta {
		sum += v * c.phi[i]
	}
	u := c.out.Of(sum)
	c.issued.Push(u)
	return u
}

// learn updates θ by (3) with the measurement of an instant and the command
// that was aimed at it.
func (c *adm) learn(command, measured float64, read *rths.Reading) {
	c.y.Push(c.yf.Step(command))
	c.x.Push(c.xf.Step(measured))
	if !c.Learns(read) || c.frozen || c.unaimed.Pass() || math.Abs(c.x.At(0)) < c.quiet {
		return
	}
	for j := range c.p {
		c.phi[j] = c.y.At((j + 1) * c.s)
	}
	for k := range c.q {
		c.phi[c.p+k] = c.x.At(k * c.s)
	}
	c.rls.Update(c.phi, c.y.At(0))
	clamp(c.trial, c.rls.Theta(), c.lower, c.upper)
	if c.watch.Look(c.trial); c.watch.Sound() || !c.hold {
		copy(c.theta, c.trial)
		c.watch.Lag(c.theta)
	}
}

func (c *adm) Share(sent []identify.Sent) bool {
	c.beside = identify.NewBeside(sent, c.lead)
	return true
}

// Freeze holds the parameters; the filters run on.
func (c *adm) Freeze(on bool) { c.frozen = on }

// Channels are the parameters as used, with their bounds, and the watched delay, poles and zeros.
func (c *adm) Channels() []rths.Channel {
	var out []rths.Channel
	for i := range c.theta {
		name := fmt.Sprintf("theta_c%d", i+1)
		if i >= c.p {
			name = fmt.Sprintf("theta_%d", i-c.p+1)
		}
		out = append(out, rths.Channel{Name: name, Unit: "-", V: &c.theta[i]})
	}
	return append(bounded(out, c.lower, c.upper), c.watch.Channels()...)
}

func (c *adm) VisitState(v *rths.StateVisitor) {
	v.State(c.desired, c.measured, c.issued, c.y, c.x, c.yf, c.xf)
	c.beside.VisitState(v)
	v.State(&c.reading, &c.out, &c.zero)
	c.Settling.VisitState(v)
}

// VisitAdaptation visits θ and P as estimated, θ as used, what is watched, and the
// readings not to learn from.
func (c *adm) VisitAdaptation(v *rths.StateVisitor) {
	c.rls.VisitAdaptation(v)
	v.Floats(c.theta)
	v.State(&c.watch)
	v.Float((*float64)(&c.unaimed))
}

func (c *adm) Pinned() bool { return pinnedBy(c.theta, c.lower, c.upper) }

func (c *adm) Estimates() []rths.Channel { return firstEstimates(c.Channels(), c.rls.Theta()) }

// AtBounds compares with bounds: hold_unstable too keeps parameters from the estimate.
func (c *adm) AtBounds() []string { return atBounds(c.Channels()) }

// Residual is of (1) with the parameters as used.
func (c *adm) Residual() (left, noise float64) {
	left = c.y.At(0)
	for j := range c.p {
		left -= c.theta[j] * c.y.At((j+1)*c.s)
	}
	for k := range c.q {
		left -= c.theta[c.p+k] * c.x.At(k*c.s)
	}
	return left, c.noise.Through(c.theta[c.p:], c.s)
}

// Taps stand one sample apart, or up to 7.57 ms at 4096 Hz; adm leaves this to the plant, because few
// distances suit four taps and more. λ below 1 winds P up while little moves: at 4096 Hz four
// parameters lose the loop, on one plant with 0.9999. Two and three bear it.
var (
	tapDistance = rths.Tunable{Key: "spacing", From: 1, To: 32, Log: true, Whole: true}

	admTunable = []rths.Tunable{
		{Key: "q", From: 2, To: 5, Whole: true}, cutoff,
		{Key: "p0", From: 0.01, To: 10, Log: true, Relative: true},
	}
	adm2Tunable = []rths.Tunable{{Key: "forgetting", From: 0.99, To: 1}}
	adm3Tunable = []rths.Tunable{tapDistance, {Key: "forgetting", From: 0.995, To: 1}, cutoff}
	adm4Tunable = []rths.Tunable{tapDistance, cutoff}
)
