package scenario

import (
	"errors"
	"fmt"
	"math"

	"rths"
	"rths/lti"
	"rths/plant"
)

// OpenLoop is the loop of a scenario opened, from a target to a true
// displacement: compensator (frozen at its initial parameters), hold and control
// plant, without noise, converters and saturation. It is linear, sampled, and
// described by its responses to one sample of target displacement, and of
// velocity and acceleration where the compensator looks at them.
type OpenLoop struct {
	X lti.Impulse // m/m
	V lti.Impulse // m/(m/s); no values where the compensator does not look
	A lti.Impulse // m/(m/s²)
}

// Sizes of the impulse, in m (m/s, m/s²): the second is to show that the
// response is proportional. They are small because an inverse of third order
// multiplies them by ten thousand, and a specimen that yields from the first
// motion on (Bouc and Wen's with N = 1) has to be seen at rest.
const (
	impulseSize      = 1e-15
	otherImpulseSize = -3e-15
)

// Bounds of an impulse response: it is over when its second half stays below
// decayed times its peak, and has to be over after longestImpulse samples.
const (
	decayed        = 1e-9
	firstImpulse   = 1 << 10
	longestImpulse = 1 << 21
)

// OpenLoop runs the impulse responses of one actuator. Ground motion, structure and
// integrator take no part in it.
func (s *Scenario) OpenLoop() (*OpenLoop, error) {
	return s.openTo(func(f *rths.Frame) float64 { return f.Read.TrueX[0] })
}

// OpenLoopBetween is the same of several actuators, counted from 0: from the target of
// one to the displacement of another, or of itself, while the others' targets rest.
func (s *Scenario) OpenLoopBetween(from, to int) (*OpenLoop, error) {
	return s.openFrom(from, func(f *rths.Frame) float64 { return f.Read.TrueX[to] })
}

// openTo is the loop of one actuator opened, from the target to what of finds in a
// frame.
func (s *Scenario) openTo(of func(*rths.Frame) float64) (*OpenLoop, error) {
	if n := s.axes(); n != 1 {
		return nil, s.at("coupler", fmt.Errorf("%s of %d axes: want 1, so that there is one frequency response", s.Coupler.Kind, n))
	}
	return s.openFrom(0, of)
}

func (s *Scenario) openFrom(axis int, of func(*rths.Frame) float64) (*OpenLoop, error) {
	o := &OpenLoop{}
	rates, err := s.response(&o.X, impulse{axis: axis, q: displacement}, of)
	if err != nil || !rates {
		return o, err
	}
	if _, err := s.response(&o.V, impulse{axis: axis, q: velocity}, of); err != nil {
		return nil, err
	}
	_, err = s.response(&o.A, impulse{axis: axis, q: acceleration}, of)
	return o, err
}

// Response is the gain for a target that is a sine with its exact velocity and
// acceleration: X + jω V + (jω)² A.
func (o *OpenLoop) Response(hz float64) complex128 {
	jw := complex(0, 2*math.Pi*hz)
	return o.X.Response(hz) + jw*(o.V.Response(hz)+jw*o.A.Response(hz))
}

// response runs the response to an impulse, and says whether the compensator looks at
// rates at all. An impulse of another size must give the same per unit.
func (s *Scenario) response(h *lti.Impulse, in impulse, of func(*rths.Frame) float64) (rates bool, err error) {
	in.size = impulseSize
	first, err := s.openLoop(in, of)
	if err != nil {
		return false, err
	}
	if err := first.run(); err != nil {
		return false, err
	}
	in.size = otherImpulseSize
	other, err := s.openLoop(in, of)
	if err != nil {
		return false, err
	}
	if err := other.extend(len(first.h)); err != nil {
		return false, err
	}
	h.H, h.Dt = first.h, 1/s.RateHz
	return first.rates, s.proportional(first.h, other.h)
}

// proportional compares responses to impulses of different sizes.
func (s *Scenario) proportional(a, b []float64) error {
	apart := make([]float64, len(a))
	for i := range a {
		apart[i] = a[i] - b[i]
	}
	if ratio := peak(apart) / peak(a); !(ratio <= 1e-9) {
		return fmt.Errorf("open loop: responses to impulses of %g m and %g m differ by %.2g of their peak: compensator %s or transfer system %s is not linear and has no frequency response",
			impulseSize, otherImpulseSize, ratio, s.Compensator.Kind, s.Transfer.Kind)
	}
	return nil
}

// opened is an open loop and its response so far, per unit of the impulse and
// from the impulse's instant t_1 on.
type opened struct {
	s     *Scenario
	loop  *rths.Loop
	size  float64
	rates bool
	of    func(*rths.Frame) float64
	h     []float64
}

// openLoop builds the loop with an impulse in place of the integrator.
func (s *Scenario) openLoop(in impulse, of func(*rths.Frame) float64) (*opened, error) {
	b, err := s.physical()
	if err != nil {
		return nil, err
	}
	for _, part := range []struct {
		key string
		do  func() error
	}{{"coupler", b.couple}, {"transfer", b.transfer}, {"converters", b.converters}, {"sensors", b.rig}, {"compensator", b.compensator}} {
		if err := part.do(); err != nil {
			return nil, s.at(part.key, err)
		}
	}
	timing := rths.Timing{Target: rths.Current, CommandDelay: s.Timing.CommandDelay}
	if s.Timing.Target == "next" {
		timing.Target = rths.Next
	}
	loop, err := rths.NewLoop(rths.Config{
		RateHz: s.RateHz, Samples: longestImpulse + 1, Timing: timing, Open: true, Axes: s.axes(), Forces: max(b.forces, 1),
		DivergedM:  math.Inf(1), // told apart by its growth
		Integrator: &in, Compensator: b.comp, Rig: b.theRig,
	})
	if err != nil {
		return nil, s.at("timing", err)
	}
	loop.Freeze(true)
	loop.Idealise(true)
	_, rates := rths.As[rths.RateUser](b.comp)
	return &opened{s: s, loop: loop, size: in.size, rates: rates, of: of}, nil
}

// run runs until the response is over.
func (o *opened) run() error {
	for n := firstImpulse; n <= longestImpulse; n *= 2 {
		if err := o.extend(n); err != nil {
			return err
		}
		all, late := peak(o.h), peak(o.h[n/2:])
		switch seconds := float64(n) / o.s.RateHz; {
		case all > 0 && late <= decayed*all:
			return nil
		case n == longestImpulse && all == 0:
			return o.error(fmt.Errorf("no response within %.4g s of an impulse", seconds))
		case n == longestImpulse || late > 1e12:
			return o.error(fmt.Errorf("%.4g s after an impulse the response is still %.2g of its peak: the loop is unstable or hardly damped", seconds, late/all))
		}
	}
	return nil
}

// extend runs until n samples are there.
func (o *opened) extend(n int) error {
	for len(o.h) < n {
		if err := o.loop.Step(); err != nil {
			return o.error(err)
		}
		if f := o.loop.Frame(); f.K > 0 {
			o.h = append(o.h, o.of(f)/o.size)
		}
	}
	return nil
}

func (o *opened) error(err error) error {
	return fmt.Errorf("open loop of compensator %s and transfer system %s: %w", o.s.Compensator.Kind, o.s.Transfer.Kind, err)
}

func peak(x []float64) float64 {
	out := 0.0
	for _, v := range x {
		out = max(out, math.Abs(v))
	}
	return out
}

type quantity int

const (
	displacement quantity = iota
	velocity
	acceleration
)

// impulse is a target of one sample, at t_1: with timing "current" the target
// of t_0 is 0 whatever the integrator.
type impulse struct {
	axis int
	q    quantity
	size float64
	k    int // instants made
}

func (in *impulse) Step(target *rths.Motion, _ []float64, _ *rths.Reading) {
	in.k++
	for i, v := range [][]float64{target.X, target.V, target.A} {
		clear(v)
		if in.k == 1 && quantity(i) == in.q {
			v[in.axis] = in.size
		}
	}
}

func (*impulse) Closing() bool { return false }

// physical draws the random plant the scenario asks for, and makes the specimen.
func (s *Scenario) physical() (*builder, error) {
	b := s.builder(Options{})
	if err := b.perturb(); err != nil {
		return nil, s.at("perturbed", err)
	}
	return b, s.at("specimen", b.specimen())
}

// MakeSpecimen makes the specimen by itself.
func (s *Scenario) MakeSpecimen() (plant.Specimen, error) {
	b, err := s.physical()
	if err != nil {
		return nil, err
	}
	return b.spec, nil
}

// PlantModel is the continuous linear model of the transfer system with a
// specimen, or of the transfer system alone for nil. A specimen that yields is
// taken for what it is in small motion.
func (s *Scenario) PlantModel(specimen plant.Specimen) (plant.Model, error) {
	b, err := s.physical()
	if err != nil {
		return plant.Model{}, err
	}
	t, ok := b.drawn.Transfer.Params.(plant.Modelled)
	if !ok {
		return plant.Model{}, s.at("transfer", fmt.Errorf("%s has no linear model, and so no frequency response", s.Transfer.Kind))
	}
	if yielding, ok := specimen.(plant.Initial); ok {
		mass, c, k := yielding.Initial()
		if specimen, err = (&plant.LinearSpecimen{Mass: mass, Damping: c, Stiffness: k}).Make(); err != nil {
			return plant.Model{}, s.at("specimen", err)
		}
	}
	switch t.(type) {
	case *plant.Delay, *plant.Ideal:
		specimen = nil // whose mass would have no bounded force, and which the displacement does not know
	}
	m, err := t.Model(specimen)
	if err != nil {
		return plant.Model{}, s.at("transfer", err)
	}
	if _, inputs, _ := m.SS.Dims(); inputs != s.axes() {
		return plant.Model{}, s.at("transfer", fmt.Errorf("%s has %d axes: want %d", s.Transfer.Kind, inputs, s.axes()))
	}
	return m, nil
}

// PerturbedPlant is the scenario with its n-th random plant.
func (s *Scenario) PerturbedPlant(n int) (*Scenario, error) {
	out, err := s.With()
	if err != nil {
		return nil, err
	}
	out.Perturbed = n
	return out, nil
}

// With is a copy of the scenario with some keys set, as --set does.
func (s *Scenario) With(sets ...string) (*Scenario, error) {
	text, err := s.YAML()
	if err != nil {
		return nil, err
	}
	out, err := Parse(s.source, []byte(text), s.baseDir, sets)
	if err != nil {
		return nil, err
	}
	out.places = s.places // for messages: of the file, not of the copy
	return out, nil
}

// CompensatorChannels makes the compensator and returns its channels, whose
// names are the columns of its parameters in an archive.
func (s *Scenario) CompensatorChannels() ([]rths.Channel, error) {
	b := s.builder(Options{})
	if err := b.compensator(); err != nil {
		return nil, s.at("compensator", err)
	}
	c, ok := rths.As[rths.Channeler](b.comp)
	if !ok {
		return nil, s.at("compensator", errors.New(s.Compensator.Kind+" has no parameters"))
	}
	return c.Channels(), nil
}
