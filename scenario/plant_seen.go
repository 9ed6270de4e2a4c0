package scenario

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"

	"rths/lti"
	"rths/plant"
)

// plantSeen is compensate.At.Plant of actuator i: the other actuators hold still.
func (s *Scenario) plantSeen(i int) func(hz float64) (complex128, error) {
	held, delay, err := s.heldPlant()
	return func(hz float64) (complex128, error) {
		if err != nil {
			return 0, err
		}
		z := cmplx.Exp(complex(0, 2*math.Pi*hz/s.RateHz))
		h, err := held(i, z)
		if err != nil {
			return 0, err
		}
		h *= cmplx.Exp(complex(0, -2*math.Pi*hz*(delay+float64(s.Timing.CommandDelay)/s.RateHz)))
		h *= s.readingOver()
		if in := s.Inner; in.Kp != 0 || in.Ki != 0 {
			if z == 1 { // the integral leaves no error
				h = 1
			} else {
				c := complex(in.Kp, 0) + complex(in.Ki/(2*s.RateHz), 0)*(z+1)/(z-1)
				h = c * h / (1 + c*h)
			}
		}
		if s.Timing.Target == "next" { // the command leaves a sample before its instant
			h *= z
		}
		return h, nil
	}
}

// readingOver is the static gain of the displacement sensor.
func (s *Scenario) readingOver() complex128 { return complex(s.Sensors.DisplacementGain, 0) }

// heldPlant is the response of displacement i to command i at z, of the nominal plant
// with its specimen at rest, for held commands, and a pure delay, s. A transfer system
// without such a model answers with its inverse series.
func (s *Scenario) heldPlant() (at func(i int, z complex128) (complex128, error), delay float64, err error) {
	m, err := s.modelAtRest()
	if err != nil {
		return s.heldSeries(err)
	}
	d, err := lti.C2D(m.SS, 1/s.RateHz, lti.ZOH)
	if err != nil {
		return nil, 0, err
	}
	sweep := d.Sweep()
	return func(i int, z complex128) (complex128, error) {
		g, err := sweep.At(z)
		if err != nil {
			return 0, err
		}
		return g.At(i, i), nil
	}, m.DelayS, nil
}

// modelAtRest is the nominal plant, a yielding specimen taken as it is at rest.
func (s *Scenario) modelAtRest() (plant.Model, error) {
	m, err := s.modelOfPlant()
	if err == nil {
		return m, nil
	}
	t, ok := s.Transfer.Params.(plant.Modelled)
	spec, failed := s.Specimen.Params.Make()
	if !ok || failed != nil {
		return m, err
	}
	mass, c, k, ok := plant.Within(spec)
	if !ok {
		return m, err
	}
	rest, failed := (&plant.LinearSpecimen{Mass: mass, Damping: c, Stiffness: k}).Make()
	if failed != nil {
		return m, err
	}
	return t.Model(rest)
}

// seriesTerms is enough for the transfer systems of second and third order.
const seriesTerms = 4

// heldSeries is heldPlant of 1/(c₀ + c₁s + …) behind a hold.
func (s *Scenario) heldSeries(why error) (at func(i int, z complex128) (complex128, error), delay float64, err error) {
	inv, ok := s.Transfer.Params.(plant.Inverter)
	if !ok {
		return nil, 0, why
	}
	c, err := inv.BareInverse(seriesTerms)
	if err != nil {
		return nil, 0, errors.Join(why, fmt.Errorf("its inverse: %w", err))
	}
	return func(_ int, z complex128) (complex128, error) {
		w := cmplx.Log(z) * complex(s.RateHz, 0) // jω
		sum := complex(0, 0)
		for i := len(c) - 1; i >= 0; i-- {
			sum = sum*w + complex(c[i], 0)
		}
		hold := complex(1, 0)
		if w != 0 {
			hold = (1 - 1/z) * complex(s.RateHz, 0) / w
		}
		return hold / sum, nil
	}, 0, nil
}
