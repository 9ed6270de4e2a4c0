package compensate

import (
	"errors"
	"fmt"

	"rths"
	"rths/maths/lti"
	"rths/maths/signal"
)

// PI is the controller shipped with the single-actuator benchmark (Silva et al.
// 2020; docs/reference/benchmark-siso.md): a phase lead on the target, then proportional–integral
// control of (lead output − measurement). Its output alone is the command, there
// is no feedforward. Both are Tustin-discretised. Not for fast plants: on the
// benchmark it leaves 4.6 ms.
//
// The benchmark's model has converters inside the controller, and applies their
// numbers, meant as volts, to metres. The converter of the command belongs to the rig.
type PI struct {
	Kp      float64   `yaml:"kp" doc:"proportional gain, -"`
	Ki      float64   `yaml:"ki" doc:"integral gain, 1/s"`
	LeadNum []float64 `yaml:"lead_num" doc:"numerator of the phase lead in descending powers of s"`
	LeadDen []float64 `yaml:"lead_den" doc:"denominator of the phase lead in descending powers of s"`
	Quantum float64   `yaml:"quantum_m" doc:"step of the converters inside the controller, m; 0: none"`
	Range   float64   `yaml:"range_m" doc:"range of the converters inside the controller, ±m; 0: none"`
}

// silvaPI holds the numbers decoded from the benchmark's stored objects.
func silvaPI() *PI {
	return &PI{
		Kp: 2, Ki: 95,
		LeadNum: []float64{50.83163360273612, 8570.397339444286},
		LeadDen: []float64{1, 8570.397339444286},
		Quantum: 1.0 / (1 << 18), Range: 3.8,
	}
}

// Make discretises lead and controller.
func (p *PI) Make(at At) (rths.Compensator, error) {
	lead, err := tustin(p.LeadNum, p.LeadDen, at.RateHz)
	if err != nil {
		return nil, fmt.Errorf("pi: phase lead: %w", err)
	}
	pi, err := tustin([]float64{p.Kp, p.Ki}, []float64{1, 0}, at.RateHz)
	if err != nil {
		return nil, fmt.Errorf("pi: %w", err)
	}
	if p.Kp == 0 && p.Ki == 0 {
		return nil, errors.New("pi: kp and ki are 0: want at least one other than 0, or the compensator none")
	}
	if !(p.Quantum >= 0) || !(p.Range >= 0) {
		return nil, fmt.Errorf("pi: quantum_m %g, range_m %g: want 0 or more", p.Quantum, p.Range)
	}
	return &pi1{lead: lead, pi: pi, conv: signal.Converter{Quantum: p.Quantum, Range: p.Range}}, nil
}

func tustin(num, den []float64, rate float64) (*signal.Filter, error) {
	g, err := lti.NewTF(num, den, 0)
	if err != nil {
		return nil, err
	}
	switch {
	case len(g.Den)-1 > signal.MaxOrder:
		return nil, fmt.Errorf("denominator of order %d: want at most %d", len(g.Den)-1, signal.MaxOrder)
	case allZero(num):
		return nil, fmt.Errorf("numerator %g: want one that is not zero", num)
	case len(g.Num) > len(g.Den):
		return nil, fmt.Errorf("numerator of order %d over denominator of order %d: want a proper function", len(g.Num)-1,
			len(g.Den)-1)
	}
	d, err := lti.C2DTF(g, 1/rate, lti.Tustin)
	if err != nil {
		return nil, err
	}
	// Descending powers of z are ascending powers of z⁻¹ once numerator and
	// denominator have the same length.
	num = append(make([]float64, len(d.Den)-len(d.Num)), d.Num...)
	return signal.NewFilter(num, d.Den), nil
}

type pi1 struct {
	lead, pi *signal.Filter
	conv     signal.Converter
	xm, out  signal.Sane
	ideal    bool
}

func (c *pi1) Step(command []float64, target *rths.Motion, read *rths.Reading) {
	d, xm := target.X[0], c.xm.Of(read.X[0])
	if c.ideal {
		command[0] = c.out.Of(c.pi.Step(c.lead.Step(d) - xm))
		return
	}
	l := c.conv.DA(c.lead.Step(c.conv.AD(d)))
	command[0] = c.out.Of(c.pi.Step(c.conv.AD(l - xm)))
}

// Idealise switches the converters off or on.
func (c *pi1) Idealise(on bool) { c.ideal = on }

func (c *pi1) VisitState(v *rths.StateVisitor) {
	v.State(c.lead, c.pi)
	v.State(&c.xm, &c.out)
}

// The lead of PI removes a delay of lead_num[1] over lead_num[2].
var piTunable = []rths.Tunable{
	{Key: "ki", From: 40, To: 250, Log: true},
	{Key: "lead_num[1]", From: 0.3, To: 2, Log: true, Relative: true},
	{Key: "kp", From: 0.4, To: 3, Log: true},
}
