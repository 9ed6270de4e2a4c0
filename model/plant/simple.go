package plant

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/lti"
	"rths/maths/signal"
)

// SecondOrder is x/u = gain ω²/(s² + 2ζω s + ω²): a loading system with its
// controller, stiff against any specimen (paper 000 eq. 10). Its frequency
// may swing, ω(t) = ω + a sin(b t) (section 3.4): see varying. A swinging plant has no
// linear model, and its BareInverse takes the mean ω.
type SecondOrder struct {
	Omega        float64 `yaml:"omega_rad_s" doc:"circular frequency ω, rad/s"`
	Swing        float64 `yaml:"swing_rad_s,omitempty" doc:"a of ω(t) = ω + a sin(b t), rad/s; 0: constant. Wang et al. 2020, section 3.4: 5"`
	SwingRate    float64 `yaml:"swing_rate_rad_s,omitempty" doc:"b of it, rad/s. Wang et al. 2020, section 3.4: 1"`
	DampingRatio float64 `yaml:"damping_ratio" doc:"damping ratio ζ"`
	Gain         float64 `yaml:"gain" doc:"static gain"`
	Rating       `yaml:",inline"`
}

// Make makes the plant; the specimen follows the displacement.
func (p *SecondOrder) Make(at At) (Plant, error) {
	if p.Swing == 0 {
		return makeStiff(p, at)
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	return p.vary(at)
}

// Model is the plant with a linear specimen, or without.
func (p *SecondOrder) Model(specimen Specimen) (Model, error) {
	if p.Swing != 0 {
		return Model{},
			fmt.Errorf("second-order transfer system: swing %g rad/s: no linear model of a plant that varies with time: want "+
				"swing_rad_s 0", p.Swing)
	}
	return modelStiff(p, specimen)
}

func (p *SecondOrder) check() error {
	switch {
	case !(p.Omega > 0) || !(p.DampingRatio > 0):
		return fmt.Errorf("second-order transfer system: omega %g rad/s, damping ratio %g: want both above 0", p.Omega,
			p.DampingRatio)
	case !(math.Abs(p.Swing) < p.Omega):
		return fmt.Errorf(
			"second-order transfer system: swing %g rad/s about %g: want less than that, so that the frequency stays above 0",
			p.Swing, p.Omega)
	case p.SwingRate-p.SwingRate != 0:
		return fmt.Errorf("second-order transfer system: swing rate %g rad/s: want a finite number", p.SwingRate)
	}
	return nil
}

func (p *SecondOrder) stiff() (*stiff, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	w2 := p.Omega * p.Omega
	return newStiff("second-order", lti.SS{
		A: mat.NewDense(2, 2, []float64{0, 1, -w2, -2 * p.DampingRatio * p.Omega}),
		B: mat.NewDense(2, 1, []float64{0, w2 * p.Gain}),
		C: mat.NewDense(1, 2, []float64{1, 0}), D: mat.NewDense(1, 1, nil),
	}, 0), nil
}

// BareInverse is the inverse's series: it ends with s².
func (p *SecondOrder) BareInverse(n int) ([]float64, error) {
	w2 := p.Omega * p.Omega
	g, err := lti.NewTF([]float64{p.Gain * w2}, []float64{1, 2 * p.DampingRatio * p.Omega, w2}, 0)
	if err != nil {
		return nil, err
	}
	return g.InverseSeries(n)
}

// FirstOrder is x/u = gain/(τ s + 1).
type FirstOrder struct {
	TauMs  float64 `yaml:"tau_ms" doc:"time constant τ, ms"`
	Gain   float64 `yaml:"gain" doc:"static gain"`
	Rating `yaml:",inline"`
}

// Make makes the plant; the specimen follows the displacement. The velocity
// jumps with the held command; its jump is not counted as inertia force.
func (p *FirstOrder) Make(at At) (Plant, error) { return makeStiff(p, at) }

// Model is the plant with a linear specimen, or without. As in the plant, the
// acceleration leaves out the jumps of the velocity: with a mass, the force
// belongs to a held command and is not m s² x.
func (p *FirstOrder) Model(specimen Specimen) (Model, error) { return modelStiff(p, specimen) }

func (p *FirstOrder) stiff() (*stiff, error) {
	if !(p.TauMs > 0) {
		return nil, fmt.Errorf("first-order transfer system: tau %g ms: want more than 0", p.TauMs)
	}
	r := 1e3 / p.TauMs
	return newStiff("first-order", lti.SS{
		A: mat.NewDense(1, 1, []float64{-r}), B: mat.NewDense(1, 1, []float64{r * p.Gain}),
		C: mat.NewDense(1, 1, []float64{1}), D: mat.NewDense(1, 1, nil),
	}, 0), nil
}

// BareInverse is the inverse's series: it ends with s.
func (p *FirstOrder) BareInverse(n int) ([]float64, error) {
	g, err := lti.NewTF([]float64{p.Gain}, []float64{p.TauMs / 1e3, 1}, 0)
	if err != nil {
		return nil, err
	}
	return g.InverseSeries(n)
}

// Delay is a pure delay. Commands between samples are interpolated linearly, so
// that any delay of 0 or more is possible; the sample in which a command is
// held is not part of it.
type Delay struct {
	DelayMs float64 `yaml:"delay_ms" doc:"delay, ms"`
	Rating  `yaml:",inline"`
}

// Make makes the plant. Velocity and acceleration of the specimen are backward
// differences of its displacement; a specimen with states goes from one
// displacement to the next in a straight line.
func (p *Delay) Make(at At) (Plant, error) {
	if !(at.RateHz > 0) || math.IsInf(at.RateHz, 0) {
		return nil, fmt.Errorf("delay transfer system: rate %g Hz: want more than 0", at.RateHz)
	}
	if err := wantSpecimen("delay", at); err != nil {
		return nil, err
	}
	if err := checkDelay("delay", p.DelayMs/1e3, at.RateHz); err != nil {
		return nil, err
	}
	samples := p.DelayMs / 1e3 * at.RateHz
	n := int(samples)
	d := &delayed{rate: at.RateHz, n: n, part: samples - float64(n), past: signal.NewLine(n + 2), x: signal.NewLine(3)}
	if sp, ok := formOf(at.Specimen); ok && sp.a == nil {
		d.m, d.c, d.k = sp.m, sp.c, sp.k
		return d, nil
	}
	return d, d.carry(at.Specimen)
}

// carry takes a specimen with states, or one that is not linear.
func (d *delayed) carry(s Specimen) (err error) {
	_, _, lambda := steepest(s)
	d.steps, err = subSteps(lambda, 1/d.rate)
	d.specimen = newFollower(s)
	return err
}

// Model is a gain of 1 in series with the delay, with the force of a spring. A mass or damper
// on a jumping displacement has no finite force (an improper transfer function): use
// Model(nil), the transfer system alone.
func (p *Delay) Model(specimen Specimen) (Model, error) {
	if err := checkDelay("delay", p.DelayMs/1e3, 0); err != nil {
		return Model{}, err
	}
	s := &system{a: mat.NewDense(1, 1, []float64{-1}), b: mat.NewDense(1, 1, nil), x: [][]float64{{0, 1}}}
	if specimen != nil {
		sp, ok := formOf(specimen)
		switch {
		case !ok:
			return Model{}, notLinear("delay")
		case sp.m != 0 || sp.c != 0 || sp.a != nil:
			return Model{},
				errors.New("delay transfer system: no model with a specimen that has mass or damping, whose force on a " +
					"displacement that jumps is not bounded: want a spring, or the transfer system alone")
		}
		s.f = [][]float64{{0, sp.k}}
	}
	return s.model([]float64{p.DelayMs / 1e3})
}

// BareInverse is the series of e^{sτ}.
func (p *Delay) BareInverse(n int) ([]float64, error) {
	if n < 1 {
		return nil, fmt.Errorf("inverse series: %d coefficients: want 1 or more", n)
	}
	return advance(p.DelayMs/1e3, n), nil
}

// advance is the first n coefficients of e^{sτ}: τ^i/i!.
func advance(tau float64, n int) []float64 {
	out := make([]float64, n)
	term := 1.0
	for i := range out {
		out[i] = term
		term *= tau / float64(i+1)
	}
	return out
}

// Ideal follows the held command without any lag.
type Ideal struct {
	Rating `yaml:",inline"`
}

// Make makes the plant: a delay of zero.
func (*Ideal) Make(at At) (Plant, error) { return (&Delay{}).Make(at) }

// Model is of no delay: displacement equals command.
func (*Ideal) Model(specimen Specimen) (Model, error) { return (&Delay{}).Model(specimen) }

// BareInverse is 1.
func (*Ideal) BareInverse(n int) ([]float64, error) { return (&Delay{}).BareInverse(n) }

type delayed struct {
	m, c, k, rate float64
	n             int
	part          float64 // of a sample
	past, x       *signal.Line
	specimen      *follower // in place of m, c, k
	steps         int       // of it in a sample
}

func (d *delayed) Step(now *rths.Reading, command []float64) {
	d.past.Push(command[0])
	d.x.Push((1-d.part)*d.past.At(d.n) + d.part*d.past.At(d.n+1))
	x, x1, x2 := d.x.At(0), d.x.At(1), d.x.At(2)
	v, a := (x-x1)*d.rate, (x-2*x1+x2)*d.rate*d.rate
	now.X[0], now.F[0] = x, d.k*x+d.c*v+d.m*a
	if d.specimen != nil {
		now.F[0] = d.follow(x1, v, a)[0]
	}
	if len(now.V) > 0 {
		now.V[0] = v
	}
	if len(now.A) > 0 {
		now.A[0] = a
	}
}

// follow takes the specimen from x at the speed v over the sample.
func (d *delayed) follow(x, v, a float64) []float64 {
	f, h := d.specimen, 1/d.rate/float64(d.steps)
	for i := range d.steps {
		for stage := range f.m {
			m := &f.m[stage]
			m.X[0], m.V[0], m.A[0] = x+v*h*(float64(i)+float64(stage)/2), v, a
		}
		f.advance(h)
	}
	return f.restoring()
}

func (d *delayed) VisitState(v *rths.StateVisitor) {
	v.State(d.past, d.x)
	if d.specimen != nil {
		v.State(d.specimen)
	}
}
