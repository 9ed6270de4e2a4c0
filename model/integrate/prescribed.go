package integrate

import "rths"

// Prescribed stands in for an integrator in an open loop: its target is a
// given displacement. The velocity is a central difference of the half steps, the acceleration
// of whole steps: half steps may be interpolated, on a line without acceleration, and would
// give twice the acceleration at the samples between.
type Prescribed struct {
	half  []float64 // displacement at t = 0, h/2, h, …
	along []float64 // how far each coordinate moves of it
	h     float64
	k     int // instant of the next target
}

// NewPrescribed takes the displacement at half steps of h (s), in m. After its
// end the last value is held. The target of tick 0 is 0 unless the loop asks
// for the next instant (rths.Next), as with any integrator.
func NewPrescribed(half []float64, h float64) *Prescribed {
	return PrescribedAlong(half, []float64{1}, h)
}

// PrescribedAlong moves several coordinates together, each by its part of the displacement.
func PrescribedAlong(half, along []float64, h float64) *Prescribed {
	return &Prescribed{half: half, along: along, h: h, k: 1}
}

// Step gives the target of the next instant.
func (p *Prescribed) Step(target *rths.Motion, _ []float64, _ *rths.Reading) {
	x := p.at(2 * p.k)
	v := (p.at(2*p.k+1) - p.at(2*p.k-1)) / p.h
	a := (p.at(2*p.k+2) - 2*x + p.at(2*p.k-2)) / (p.h * p.h)
	for i, c := range p.along {
		target.X[i], target.V[i], target.A[i] = c*x, c*v, c*a
	}
	p.k++
}

func (p *Prescribed) at(j int) float64 {
	if len(p.half) == 0 {
		return 0
	}
	return p.half[min(max(j, 0), len(p.half)-1)]
}

// Closing is false.
func (p *Prescribed) Closing() bool { return false }

// VisitState visits the instant of the next target.
func (p *Prescribed) VisitState(v *rths.StateVisitor) { v.Int(&p.k) }
