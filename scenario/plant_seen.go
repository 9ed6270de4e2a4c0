package scenario

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"

	"rths/maths/lti"
	"rths/method/combine"
	"rths/model/plant"
)

// plantSeen is compensate.At.Plant of actuator i: the other actuators hold still. The plant
// is made when a compensator asks for it first.
func (s *Scenario) plantSeen(i int) func(hz float64) (complex128, error) {
	var held func(i int, z complex128) (complex128, error)
	var m plant.Model
	return func(hz float64) (h complex128, err error) {
		if held == nil {
			if held, m, err = s.heldPlant(); err != nil {
				return 0, err
			}
		}
		z := cmplx.Exp(complex(0, 2*math.Pi*hz/s.RateHz))
		if h, err = held(i, z); err != nil {
			return 0, err
		}
		h *= cmplx.Exp(complex(0, -2*math.Pi*hz*(m.Delay(i)+float64(s.CommandDelay())/s.RateHz)))
		h *= complex(s.Sensors.DisplacementGain, 0)
		h = s.throughInner(h, z)
		if s.Timing.Target == "next" { // the command leaves a sample before its instant
			h *= z
		}
		return h, nil
	}
}

// throughInner is the response h with the inner loop around it: u = C (r − x) with
// C = kp + ki h/2 (z + 1)/(z − 1), the trapezoidal rule.
func (s *Scenario) throughInner(h, z complex128) complex128 {
	in := s.Inner
	if in == (combine.InnerPI{}) {
		return h
	}
	c := complex(in.Kp, 0)
	if in.Ki != 0 {
		if z == 1 { // the integral leaves no error
			return 1
		}
		c += complex(in.Ki/(2*s.RateHz), 0) * (z + 1) / (z - 1)
	}
	return c * h / (1 + c*h)
}

// heldPlant is the response of displacement i to command i at z, of the nominal plant
// with its specimen at rest, for held commands, and the model, whose pure delays stand
// apart. A transfer system without such a model answers with its inverse series.
func (s *Scenario) heldPlant() (at func(i int, z complex128) (complex128, error), m plant.Model, err error) {
	if m, err = s.modelAtRest(); err != nil {
		at, err = s.heldSeries(err)
		return at, plant.Model{}, err
	}
	if plant.Follows(s.transferMaker()) { // it gives the displacement at the end of the held sample
		return func(i int, z complex128) (complex128, error) {
			return m.SS.Response(i, i)(cmplx.Phase(z)*s.RateHz/(2*math.Pi)) / z, nil
		}, m, nil
	}
	d, err := lti.C2D(m.SS, 1/s.RateHz, lti.ZOH)
	if err != nil {
		return nil, m, err
	}
	sweep := d.Sweep()
	return func(i int, z complex128) (complex128, error) {
		g, err := sweep.At(z)
		if err != nil {
			return 0, err
		}
		return g.At(i, i), nil
	}, m, nil
}

// modelAtRest is the nominal plant, a yielding specimen taken as it is at rest.
func (s *Scenario) modelAtRest() (plant.Model, error) {
	if t, ok := s.transferMaker().(plant.Nominal); ok {
		return t.Nominal()
	}
	nominal := s.PerturbedPlant(0)
	nominal.Transfer.Params = atStart(nominal.Transfer.Params)
	return nominal.ControlPlant()
}

// seriesTerms is enough for the transfer systems of second and third order.
const seriesTerms = 4

// heldSeries is heldPlant of 1/(c₀ + c₁s + …) in series with a hold.
func (s *Scenario) heldSeries(why error) (at func(i int, z complex128) (complex128, error), err error) {
	var series [][]float64
	for i := range s.Axes() {
		inverse := s.inverseOf(i)
		if inverse == nil {
			return nil, why
		}
		c, err := inverse(seriesTerms)
		if err != nil {
			return nil, errors.Join(why, fmt.Errorf("its inverse: %w", err))
		}
		series = append(series, c)
	}
	return func(i int, z complex128) (complex128, error) {
		c, w := series[i], cmplx.Log(z)*complex(s.RateHz, 0) // w is jω
		sum := complex(0, 0)
		for i := len(c) - 1; i >= 0; i-- {
			sum = sum*w + complex(c[i], 0)
		}
		hold := complex(1, 0)
		if w != 0 {
			hold = (1 - 1/z) * complex(s.RateHz, 0) / w
		}
		return hold / sum, nil
	}, nil
}
