package combine

import (
	"fmt"

	"rths"
	"rths/maths/signal"
	"rths/method/compensate"
)

// InnerPI is a proportional–integral controller of every actuator on its measured
// displacement, downstream of the compensator. With the compensator's output r and e = r − x_m
// the command is
//
//	u = kp e + ki ∫ e dt,
//
// the integral by the trapezoidal rule (Shangguan et al. 2024).
// The zero value is none: the command is r. Not inside methods that close the
// loop themselves (sliding-mode control).
//
// It is the same as a part pi without lead and converters downstream of the compensator in a
// chain (see Chain). InnerPI belongs to the laboratory: it stays when another compensator is
// chosen, stands on every actuator downstream of one that takes all, and bode and stability
// count it as part of the plant.
type InnerPI struct {
	Kp float64 `yaml:"kp" doc:"proportional gain, -"`
	Ki float64 `yaml:"ki" doc:"integral gain, 1/s"`
}

// Around returns the controller with a compensator of several actuators around it.
func (p *InnerPI) Around(outer rths.Compensator, at compensate.At) (rths.Compensator, error) {
	if !rths.Finite(p.Kp) || !rths.Finite(p.Ki) {
		return nil, fmt.Errorf("inner loop: kp %g, ki %g: want finite numbers", p.Kp, p.Ki)
	}
	n := max(at.Axes, 1)
	return &innerPI{outer: outer, kp: p.Kp, half: p.Ki / at.RateHz / 2, axes: make([]piAxis, n), r: make([]float64, n)},
		nil
}

type innerPI struct {
	outer    rths.Compensator
	kp, half float64 // half: ki h/2
	axes     []piAxis
	r        []float64
}

type piAxis struct {
	integral, before float64 // of the error before
	reading, out     signal.Sane
}

// Unwrap is the compensator around the inner loop, which may want the rates of the target.
func (c *innerPI) Unwrap() any { return c.outer }

func (c *innerPI) Step(command []float64, target *rths.Motion, read *rths.Reading) {
	c.outer.Step(c.r, target, read)
	for i := range command {
		a := &c.axes[i]
		e := c.r[i] - a.reading.Of(read.X[i])
		a.integral += c.half * (e + a.before)
		a.before = e
		command[i] = a.out.Of(c.kp*e + a.integral)
	}
}

func (c *innerPI) VisitState(v *rths.StateVisitor) {
	for i := range c.axes {
		a := &c.axes[i]
		v.Float(&a.integral, &a.before)
		v.State(&a.reading, &a.out)
	}
	v.StateOf(c.outer)
}
