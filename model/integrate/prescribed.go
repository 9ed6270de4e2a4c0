package integrate

import (
	"slices"

	"rths"
)

// Prescribed stands in for an integrator in an open loop: its target is a
// given displacement. The velocity is a central difference of the half steps, the acceleration
// of whole steps: half steps may be interpolated, on a line without acceleration, and would
// give twice the acceleration at the samples between.
type Prescribed struct {
	half    []float64 // displacement at t = 0, h/2, h, …: all columns of an instant, then of the next
	columns int       // one for all coordinates, or one for each
	along   []float64 // how far each coordinate moves of its column
	h       float64
	k       int // instant of the next target
}

// NewPrescribed takes the displacement at half steps of h (s), in m. After its
// end the last value is held. The target of tick 0 is 0 unless the loop asks
// for the next instant (rths.Next), as with any integrator.
func NewPrescribed(half []float64, h float64) *Prescribed {
	return PrescribedEach(half, 1, h)
}

// PrescribedEach moves n coordinates, each by a displacement of its own: half holds those of all coordinates at an
// instant, then at the next.
func PrescribedEach(half []float64, n int, h float64) *Prescribed {
	return &Prescribed{half: half, columns: n, along: slices.Repeat([]float64{1}, n), h: h, k: 1}
}

// PrescribedAlong moves several coordinates together, each by its part of the displacement.
func PrescribedAlong(half, along []float64, h float64) *Prescribed {
	return &Prescribed{half: half, columns: 1, along: along, h: h, k: 1}
}

// Step gives the target of the next instant.
func (p *Prescribed) Step(target *rths.Motion, _ []float64, _ *rths.Reading) {
	for i, c := range p.along {
		of := i % p.columns
		x := p.at(2*p.k, of)
		target.X[i], target.V[i] = c*x, c*(p.at(2*p.k+1, of)-p.at(2*p.k-1, of))/p.h
		target.A[i] = c * (p.at(2*p.k+2, of) - 2*x + p.at(2*p.k-2, of)) / (p.h * p.h)
	}
	p.k++
}

// at is the displacement of a column at an instant of half steps.
func (p *Prescribed) at(j, column int) float64 {
	if len(p.half) == 0 {
		return 0
	}
	return p.half[min(max(j, 0), len(p.half)/p.columns-1)*p.columns+column]
}

// Closing is false.
func (p *Prescribed) Closing() bool { return false }

// VisitState visits the instant of the next target.
func (p *Prescribed) VisitState(v *rths.StateVisitor) { v.Int(&p.k) }
