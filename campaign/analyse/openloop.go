package analyse

import (
	"errors"
	"fmt"
	"math"

	"rths"
	"rths/maths/lti"
	"rths/scenario"
)

// OpenLoop is the opened loop of a scenario, from a target to a true displacement:
// compensator (frozen at its initial parameters), hold and control plant, without noise,
// converters and saturation. Its impulse responses describe this linear sampled system:
// responses to one sample of target displacement, and of target velocity and acceleration
// where the compensator looks at them.
type OpenLoop struct {
	X lti.Impulse // m/m
	V lti.Impulse // m/(m/s); no values where the compensator does not look
	A lti.Impulse // m/(m/s²)
}

// Sizes of the impulse, in m (m/s, m/s²): two, to check that the response is proportional.
// Both are small, because an inverse of third order multiplies an impulse by ten thousand,
// and because some specimens yield from the first motion on (Bouc–Wen with N = 1).
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

// NewOpenLoop runs the impulse responses of one actuator, without ground motion, structure
// and integrator. A loop that is not linear, or unstable, is an error, and so are several
// actuators.
func NewOpenLoop(s *scenario.Scenario) (*OpenLoop, error) {
	return openTo(s, func(f *rths.Frame) float64 { return f.Read.TrueX[0] })
}

// openLoopBetween is the opened loop of several actuators, counted from 0: from the target
// of one actuator to the displacement of any, while the other targets are 0.
func openLoopBetween(s *scenario.Scenario, from, to int) (*OpenLoop, error) {
	return openFrom(s, from, func(f *rths.Frame) float64 { return f.Read.TrueX[to] })
}

// errSeveral is the error of a loop that has a matrix of frequency responses.
var errSeveral = errors.New("only for one actuator, and the scenario has several")

// openTo is the opened loop of one actuator, from the target to of(frame).
func openTo(s *scenario.Scenario, of func(*rths.Frame) float64) (*OpenLoop, error) {
	if s.Axes() != 1 { // a matrix of responses, and more forces than targets
		return nil, errSeveral
	}
	return openFrom(s, 0, of)
}

func openFrom(s *scenario.Scenario, axis int, of func(*rths.Frame) float64) (*OpenLoop, error) {
	o := &OpenLoop{}
	rates, err := response(s, &o.X, impulse{axis: axis, q: displacement}, of, 0)
	if err != nil || !rates {
		return o, err
	}
	if _, err := response(s, &o.V, impulse{axis: axis, q: velocity}, of, len(o.X.H)); err != nil {
		return nil, err
	}
	_, err = response(s, &o.A, impulse{axis: axis, q: acceleration}, of, len(o.X.H))
	return o, err
}

// Response is the gain for a target that is a sine with its exact velocity and
// acceleration: X + jω V + (jω)² A.
func (o *OpenLoop) Response(hz float64) complex128 {
	jw := complex(0, 2*math.Pi*hz)
	return o.X.Response(hz) + jw*(o.V.Response(hz)+jw*o.A.Response(hz))
}

// response runs the response to an impulse, and reports whether the compensator looks at
// velocity or acceleration. An impulse of another size must give the same response per
// unit. There may be none within enough samples, of a method that looks at one of both; 0: there must be one.
func response(s *scenario.Scenario, h *lti.Impulse, in impulse, of func(*rths.Frame) float64, enough int) (rates bool,
	err error) {
	in.size = impulseSize
	first, err := openLoop(s, in, of)
	if err != nil {
		return false, err
	}
	if err := first.run(enough); err != nil {
		return false, err
	}
	in.size = otherImpulseSize
	other, err := openLoop(s, in, of)
	if err != nil {
		return false, err
	}
	if err := other.extend(len(first.h)); err != nil {
		return false, err
	}
	h.H, h.Dt = first.h, 1/s.RateHz
	return first.rates, proportional(s, first.h, other.h)
}

// proportional compares responses to impulses of different sizes.
func proportional(s *scenario.Scenario, a, b []float64) error {
	apart := make([]float64, len(a))
	for i := range a {
		apart[i] = a[i] - b[i]
	}
	if largest := peak(a); !(peak(apart) <= 1e-9*largest) {
		return fmt.Errorf(
			"open loop: responses to impulses of %g m and %g m differ by %.2g of their peak: compensator %s or transfer "+
				"system %s is not linear and has no frequency response",
			impulseSize, otherImpulseSize, peak(apart)/largest, s.CompensatorKind(), s.TransferKind())
	}
	return nil
}

// opened is an open loop and its response so far, per unit of the impulse and
// from the impulse's instant t_1 on.
type opened struct {
	s     *scenario.Scenario
	loop  *rths.Loop
	size  float64
	rates bool
	of    func(*rths.Frame) float64
	h     []float64
}

// openLoop makes the loop with an impulse in place of the integrator.
func openLoop(s *scenario.Scenario, in impulse, of func(*rths.Frame) float64) (*opened, error) {
	loop, err := s.Opened(&in, longestImpulse+1)
	if err != nil {
		return nil, err
	}
	_, rates := rths.As[rths.RateUser](loop.Config().Compensator)
	return &opened{s: s, loop: loop, size: in.size, rates: rates, of: of}, nil
}

// run runs until the response is over, or there is none within enough samples (0: no end).
func (o *opened) run(enough int) error {
	for n := firstImpulse; n <= longestImpulse; n *= 2 {
		if err := o.extend(n); err != nil {
			return err
		}
		all, late := peak(o.h), peak(o.h[n/2:])
		switch seconds := float64(n) / o.s.RateHz; {
		case all > 0 && late <= decayed*all:
			return nil
		case all == 0 && enough > 0 && n >= enough:
			return nil
		case n == longestImpulse && all == 0:
			return o.error(fmt.Errorf("no response within %.4g s of an impulse", seconds))
		case n == longestImpulse || late > 1e12:
			return o.error(
				fmt.Errorf("%.4g s after an impulse the response is still %.2g of its peak: the loop is unstable or hardly damped",
					seconds, late/all))
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
	return fmt.Errorf("open loop of compensator %s and transfer system %s: %w", o.s.CompensatorKind(), o.s.TransferKind(),
		err)
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
