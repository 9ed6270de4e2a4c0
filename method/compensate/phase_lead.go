package compensate

import (
	"fmt"

	"rths"
	"rths/maths/lti"
	"rths/maths/signal"
)

// PhaseLead is one phase-lead network, or two in series (Zhao et al. 2003; Jung et al. 2007),
//
//	d_c/d = ((1 + T₁ s)/(1 + T₂ s))ᴺ
//
// Tustin-discretised. The network leads slow motion by N (T₁ − T₂) (s) and amplifies fast
// motion by up to (T₁/T₂)ᴺ.
type PhaseLead struct {
	Order  int     `yaml:"order" doc:"number N of networks, 1 or 2"`
	LeadMs float64 `yaml:"lead_ms" doc:"T1 of each, ms"`
	LagMs  float64 `yaml:"lag_ms" doc:"T2 of each, ms, less than T1"`
}

// Make discretises the network.
func (p *PhaseLead) Make(at At) (rths.Compensator, error) {
	switch {
	case p.Order < 1 || p.Order > 2:
		return nil, fmt.Errorf("phase-lead: order %d: want 1 or 2", p.Order)
	case !(p.LagMs > 0) || !(p.LeadMs > p.LagMs) || !rths.Finite(p.LeadMs):
		return nil, fmt.Errorf("phase-lead: lead_ms %g, lag_ms %g: want a lag above 0 and a longer lead", p.LeadMs, p.LagMs)
	}
	num, den := []float64{p.LeadMs / 1e3, 1}, []float64{p.LagMs / 1e3, 1}
	if p.Order == 2 {
		num, den = lti.PolyMul(num, num), lti.PolyMul(den, den)
	}
	f, err := tustin(num, den, at.RateHz)
	if err != nil {
		return nil, fmt.Errorf("phase-lead: %w", err)
	}
	return &filtered{f: f}, nil
}

// filtered is a compensator that is a filter on the target.
type filtered struct {
	f   *signal.Filter
	out signal.Sane
}

func (c *filtered) Step(command []float64, target *rths.Motion, _ *rths.Reading) {
	command[0] = c.out.Of(c.f.Step(target.X[0]))
}

func (c *filtered) VisitState(v *rths.StateVisitor) {
	v.State(c.f)
	v.State(&c.out)
}

// The lag stays below the lead.
var phaseLeadTunable = []rths.Tunable{
	{Key: "lead_ms", From: 5, To: 20, Log: true},
	{Key: "lag_ms", From: 0.3, To: 4, Log: true},
}
