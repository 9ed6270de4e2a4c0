package compensate

import (
	"fmt"
	"math"

	"rths"
	"rths/maths/lti"
	"rths/maths/signal"
)

// HInf is H∞ control of the tracking error by mixed sensitivity. (Gálmez 2021, section 2.3, names
// H∞ feedback for tests, of Gao et al. 2013 and Ou et al. 2015, without equations. The design
// here is the textbook's: S. Skogestad, I. Postlethwaite, Multivariable Feedback Control, 2nd
// ed. 2005, sections 2.8.3 and 9.3.) With the model G = x/u, the error e = r − x of the target r
// and the command u = K e,
//
//	S = 1/(1 + GK),  e = S r,  u = K S r,  x = T r,  T = 1 − S
//
// Weights say how large e, u and x may be at each frequency: |S| below 1/|W1|, |KS| below
// 1/|W2|, |T| below 1/|W3|. A disturbance d of the command, of size δ, keeps K from
// cancelling slow or lightly damped poles of G, which S and KS do not show. The generalised
// plant from w = (r, d) to z = (W1 e, W2 u, W3 x), with the states of G, W1, W2 and W3, is
//
//	ẋ_g = A_g x_g + B_g (u + δ d)        x = C_g x_g
//	ẋ₁ = A₁ x₁ + B₁ (r − x)              z₁ = C₁ x₁
//	ẋ₂ = A₂ x₂ + B₂ u                    z₂ = C₂ x₂ + D₂ u
//	ẋ₃ = A₃ x₃ + B₃ x                    z₃ = C₃ x₃ + D₃ x
//	                                     y  = r − x
//
// lti.HInf iterates γ and gives K with which the gain from w to z is below γ. Where γ is
// below 1 all weights are kept; the channel gamma shows it. K is discretised by Tustin.
//
// Two conditions of the two Riccati equations meet the user: W1 has to fall off (no direct way
// from r to z₁, so that D11 = 0), and W2 must not (the command costs something at every
// frequency, D12 ≠ 0).
//
// Not where a feedforward would do: a feedback of the error tracks up to its bandwidth only,
// and bandwidth is bought with noise in the command. Not for plants far from the model, as a
// stiff specimen with a resonance in the band of K: the norm holds for the model only. Look at
// the loop's spectral radius first.
type HInf struct {
	TrackingModel `yaml:",inline"`

	W1Num       []float64 `yaml:"w1_num" doc:"numerator of the weight W1 of the tracking error, in descending powers of s"`
	W1Den       []float64 `yaml:"w1_den" doc:"its denominator, of higher order than the numerator, all roots in the left half plane"`
	W2Num       []float64 `yaml:"w2_num" doc:"numerator of the weight W2 of the command"`
	W2Den       []float64 `yaml:"w2_den" doc:"its denominator, of the numerator's order, all roots in the left half plane"`
	W3Num       []float64 `yaml:"w3_num,omitempty" doc:"numerator of the weight W3 of the displacement; left out: no such weight"`
	W3Den       []float64 `yaml:"w3_den,omitempty" doc:"its denominator, of at least the numerator's order, all roots in the left half plane"`
	Disturbance float64   `yaml:"disturbance" doc:"δ, size of the disturbance of the command beside a target of size 1, -; 0 or more"`
}

// hinfDefaults are W1 = 100/(s/2π + 1)², s in rad/s: an error of a hundredth below 1 Hz, and
// W2 = 0.05 (s/(2π·20) + 1)/(s/(2π·400) + 1): a command that falls off above 20 Hz. They keep
// a gain margin of 1.5 on the single-actuator benchmark, whose oil column resonates at 67 Hz.
func hinfDefaults() *HInf {
	return &HInf{
		W1Num: []float64{3948}, W1Den: []float64{1, 12.566, 39.48},
		W2Num: []float64{4e-4, 0.05}, W2Den: []float64{4e-4, 1}, Disturbance: 0.3,
	}
}

// Make designs the controller.
func (p *HInf) Make(at At) (rths.Compensator, error) {
	if at.Lead < 0 || at.Lead > 1e5 {
		return nil, fmt.Errorf("hinf: target %d samples ahead of the reading: want 0 to 100000", at.Lead)
	}
	d, err := p.design(at)
	if err != nil {
		return nil, err
	}
	k, err := newLinear("hinf: controller", d.k, at)
	if err != nil {
		return nil, err
	}
	return &hinf{k: k.(*linear), gamma: d.gamma, lead: at.Lead, desired: signal.NewLine(at.Lead + 1)}, nil
}

// hinfDesign is a generalised plant in time of the unit 1/ω₀ and the controller in seconds.
type hinfDesign struct {
	omega float64 // ω₀, rad/s
	plant lti.Generalised
	k     lti.SS
	gamma float64
}

func (p *HInf) design(at At) (*hinfDesign, error) {
	g, err := p.resolve("hinf", at)
	if err != nil {
		return nil, err
	}
	w1, w2, w3, err := p.weights()
	if err != nil {
		return nil, fmt.Errorf("hinf: %w", err)
	}
	n := len(g.Den) - 1
	d := &hinfDesign{omega: math.Pow(g.Den[n]/g.Den[0], 1/float64(n))}
	var blocks [4]lti.SS
	for i, f := range []lti.TF{g, w1, w2, w3} {
		if blocks[i], err = f.Slowed(d.omega).SS(); err != nil {
			return nil, fmt.Errorf("hinf: %w", err)
		}
	}
	d.plant = lti.MixedSensitivity(blocks[0], blocks[1], blocks[2], blocks[3], p.Disturbance)
	made, err := lti.HInf(d.plant)
	if err != nil {
		return nil, fmt.Errorf("hinf: %w: want other weights, or another model", err)
	}
	d.k, d.gamma = made.K, made.Gamma
	d.k.A.Scale(d.omega, d.k.A)
	d.k.B.Scale(d.omega, d.k.B)
	return d, nil
}

// weights are W1, W2, W3, checked.
func (p *HInf) weights() (w1, w2, w3 lti.TF, err error) {
	if !(p.Disturbance >= 0) || !rths.Finite(p.Disturbance) {
		return w1, w2, w3, fmt.Errorf("disturbance %g: want 0 or more", p.Disturbance)
	}
	if w1, err = weightOf("w1", p.W1Num, p.W1Den); err != nil {
		return w1, w2, w3, err
	}
	if len(w1.Num) == len(w1.Den) {
		return w1, w2, w3,
			fmt.Errorf("w1 does not fall off at high frequencies, numerator and denominator of order %d: want a denominator "+
				"of higher order, by one more pole far above the band", len(w1.Den)-1)
	}
	if w2, err = weightOf("w2", p.W2Num, p.W2Den); err != nil {
		return w1, w2, w3, err
	}
	if len(w2.Num) < len(w2.Den) {
		return w1, w2, w3,
			fmt.Errorf("w2 falls off at high frequencies, numerator of order %d over denominator of order %d, so that the "+
				"command costs nothing there: want equal orders, by one more zero far above the band", len(w2.Num)-1, len(w2.Den)-1)
	}
	if p.W3Num == nil && p.W3Den == nil {
		w3, err = lti.NewTF([]float64{0}, []float64{1}, 0)
		return w1, w2, w3, err
	}
	w3, err = weightOf("w3", p.W3Num, p.W3Den)
	return w1, w2, w3, err
}

// weightOf is a proper, stable weight of at most order 4.
func weightOf(name string, num, den []float64) (lti.TF, error) {
	const most = 4
	w, err := lti.NewTF(num, den, 0)
	if err != nil {
		return lti.TF{}, fmt.Errorf("%s: %w", name, err)
	}
	m, n := len(w.Num)-1, len(w.Den)-1
	switch {
	case m > n:
		return lti.TF{}, improper(name, m, n)
	case n > most:
		return lti.TF{}, fmt.Errorf("%s: denominator of order %d: want at most %d", name, n, most)
	case w.Num[0] == 0:
		return lti.TF{}, fmt.Errorf("%s is 0: want a weight other than 0", name)
	}
	if n == 0 {
		return w, nil
	}
	poles, err := w.Poles()
	if err != nil {
		return lti.TF{}, fmt.Errorf("%s: %w", name, err)
	}
	for _, v := range poles {
		if real(v) >= 0 {
			return lti.TF{},
				fmt.Errorf("%s: unstable, a pole at %s rad/s: want all in the left half plane; a slow pole, as of s + 0.01, in "+
					"place of an integrator", name, lti.PoleText(v))
		}
	}
	return w, nil
}

// hinf is u = K e.
type hinf struct {
	k       *linear
	gamma   float64 `c:"-"`
	lead    int
	desired *signal.Line // targets, to have the one of the reading's instant
	reading signal.Sane
}

func (c *hinf) Step(command []float64, target *rths.Motion, read *rths.Reading) {
	c.desired.Push(target.X[0])
	command[0] = c.k.of(c.desired.At(c.lead) - c.reading.Of(read.X[0]))
}

// Channels are γ of the design.
func (c *hinf) Channels() []rths.Channel {
	return []rths.Channel{{Name: "gamma", Unit: "-", V: &c.gamma}}
}

func (c *hinf) VisitState(v *rths.StateVisitor) {
	v.State(c.desired, c.k, &c.reading)
}

// Only the ratio of W1 and W2 counts where there is no W3: w1_num stays.
var hinfTunable = []rths.Tunable{
	{Key: "w2_num", From: 0.5, To: 15, Log: true, Relative: true},
	{Key: "disturbance", From: 0.1, To: 1, Log: true},
}
