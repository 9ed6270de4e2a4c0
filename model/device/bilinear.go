package device

// Bilinear is a spring with linear kinematic hardening (Simo and Hughes 1998, section 1.4):
//
//	f = k₂ x + (k₀ − k₂)(x − u_p),  |x − u_p| ≤ d_y
//
// Its state is the plastic displacement u_p, which moves when the limit is reached, by
// return mapping at the end of every step: exact as long as the motion does not turn round
// inside one. A cycle of amplitude A > d_y dissipates 4 (k₀ − k₂) d_y (A − d_y).
type Bilinear struct {
	K0, K2 float64 // N/m, before and after yielding, 0 ≤ k₂ ≤ k₀
	Dy     float64 // m
}

// AtRest is k₀.
func (l *Bilinear) AtRest() (k, c float64) { return l.K0, 0 }

// PostYield is k₂.
func (l *Bilinear) PostYield() float64 { return l.K2 }

// States is 1.
func (l *Bilinear) States() int { return 1 }

// Steepest is k₀; the state moves by Commit alone.
func (l *Bilinear) Steepest() (k, c, rate float64) { return l.K0, 0, 0 }

// elastic is x − u_p within its limits.
func (l *Bilinear) elastic(x, up float64) float64 { return min(max(x-up, -l.Dy), l.Dy) }

// Force is k₂ x + (k₀ − k₂)(x − u_p).
func (l *Bilinear) Force(x, _ float64, z []float64) float64 {
	return l.K2*x + (l.K0-l.K2)*l.elastic(x, z[0])
}

// Rate leaves the plastic displacement as it is: Commit moves it.
func (l *Bilinear) Rate(dz, _ []float64, _ float64) { dz[0] = 0 }

// Commit moves the plastic displacement as far as it takes.
func (l *Bilinear) Commit(z []float64, x float64) { z[0] = x - l.elastic(x, z[0]) }

// Stored is ½ k₂ x² + ½ (k₀ − k₂)(x − u_p)².
func (l *Bilinear) Stored(x float64, z []float64) float64 {
	e := l.elastic(x, z[0])
	return (l.K2*x*x + (l.K0-l.K2)*e*e) / 2
}
