package rthstest

// LagPlant is the plant of a first-order lag in the samples of the methods,
//
//	u[k−L] = a₀ x[k] + a₁ (x[k] − x[k−1])/h,
//
// which every method with two coefficients has in its class, with a target that leads by L
// samples.
type LagPlant struct {
	x, a1 float64   // a₁ in samples
	late  []float64 // commands, the oldest first
}

// NewLagPlant has a₀ = 1 and a₁ = 10 ms.
func NewLagPlant(lead int, rateHz float64) *LagPlant {
	return &LagPlant{a1: 0.010 * rateHz, late: make([]float64, lead-1)}
}

// Step is the displacement of the next sample.
func (p *LagPlant) Step(u float64) float64 {
	p.late = append(p.late, u)
	p.x = (p.late[0] + p.a1*p.x) / (1 + p.a1)
	p.late = p.late[1:]
	return p.x
}
