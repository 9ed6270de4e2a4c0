package device

import (
	"fmt"
	"math"

	"rths/maths/portable"
)

// Friction is Coulomb friction, reached over a stiffness in stick, which is elastic–perfectly plastic as in OpenSees's
// FlatSliderBearing:
//
//	f = k (x − s),  |f| ≤ F_c = μ N;  the slip s moves when the limit is reached
//
// The slip is brought up to date by return mapping at the end of every step (Simo and Hughes 1998, section 1.4), exact
// as long as the motion does not turn round inside a step. Friction is the same at all speeds, static friction equals
// sliding friction, and the normal force is constant. A cycle of amplitude A dissipates 4 F_c (A − F_c/k).
type Friction struct {
	K  float64 // N/m
	Mu float64 // μ, -
	N  float64 // N
}

// Sliding is F_c, N.
func (l *Friction) Sliding() float64 { return l.Mu * l.N }

// States is 1.
func (l *Friction) States() int { return 1 }

// Force is k (x − s) within its limits.
func (l *Friction) Force(x, _ float64, z []float64) float64 {
	most := l.Sliding()
	return min(max(l.K*(x-z[0]), -most), most)
}

// Rate leaves the slip as it is: Commit moves it.
func (l *Friction) Rate(dz, _ []float64, _ float64) { dz[0] = 0 }

// Commit moves the slip so far that the spring carries the limit.
func (l *Friction) Commit(z []float64, x float64) {
	most := l.Sliding()
	if f := l.K * (x - z[0]); math.Abs(f) > most {
		z[0] = x - math.Copysign(most, f)/l.K
	}
}

// AtRest is the spring that sticks.
func (l *Friction) AtRest() (k, c float64) { return l.K, 0 }

// Steepest is the spring that sticks.
func (l *Friction) Steepest() (k, c, rate float64) { return l.K, 0, 0 }

// Stored is f²/(2k).
func (l *Friction) Stored(x float64, z []float64) float64 {
	f := l.Force(x, 0, z)
	return f * f / (2 * l.K)
}

// LuGre is friction with bristles that bend before they slip, and a static friction that falls with the speed (Canudas
// de Wit, Olsson, Åström and Lischinsky 1995; Malik et al. 2025):
//
//	g(v) = F_c + (F_s − F_c) e^(−|v|/v_s)
//	ż = v − σ₀ |v|/g(v) z
//	f = σ₀ z + σ₁ ż + σ₂ v
//
// Its state is the deflection z (m) of the bristles. At a steady speed the force is g(v) sgn v + σ₂ v.
type LuGre struct {
	Sigma0 float64 // N/m
	Sigma1 float64 // N·s/m
	Sigma2 float64 // N·s/m
	Fc, Fs float64 // N
	Vs     float64 // m/s
}

// Check wants a law that gives no energy. σ₁ ż brakes the bristles, and pushes what slides fast: the power f v − σ₀ z ż
// is certain not to be negative while σ₁² |v| ≤ 4 (σ₁ + σ₂) g, with the least of F_c and F_s for g.
func (l *LuGre) Check() error {
	if most := 4 * (l.Sigma1 + l.Sigma2) * min(l.Fc, l.Fs) / (l.Sigma1 * l.Sigma1); l.Sigma1 > 0 && most < fastSpeed {
		return fmt.Errorf("bristle damping of %g N·s/m may give energy above a speed of %.3g m/s: want %g m/s or more, by "+
			"less of it", l.Sigma1, most, fastSpeed)
	}
	return nil
}

// Steady is g(v), N.
func (l *LuGre) Steady(v float64) float64 {
	return l.Fc + (l.Fs-l.Fc)*portable.Exp(-math.Abs(v)/l.Vs)
}

// States is 1.
func (l *LuGre) States() int { return 1 }

// Force is σ₀ z + σ₁ ż + σ₂ v.
func (l *LuGre) Force(_, v float64, z []float64) float64 {
	return l.Sigma0*z[0] + l.Sigma1*l.bend(z[0], v) + l.Sigma2*v
}

// bend is ż.
func (l *LuGre) bend(z, v float64) float64 { return v - l.Sigma0*math.Abs(v)/l.Steady(v)*z }

// Flow is z at a steady rate: it tends to ±g/σ₀ as e^(−σ₀ |v| h/g).
func (l *LuGre) Flow(z []float64, v, h float64, _ int) {
	g := l.Steady(v)
	slid := math.Copysign(g/l.Sigma0, v)
	z[0] = slid + (z[0]-slid)*portable.Exp(-l.Sigma0*math.Abs(v)*h/g)
}

// Rate is ż.
func (l *LuGre) Rate(dz, z []float64, v float64) { dz[0] = l.bend(z[0], v) }

// Commit does nothing: the state has a rate.
func (l *LuGre) Commit([]float64, float64) {}

// AtRest is the bristles, and σ₂.
func (l *LuGre) AtRest() (k, c float64) { return l.Sigma0, l.Sigma2 }

// Steepest is the stiffness of bristles that turn round while they are bent, the damping there, and the rate at which
// they settle in a fast motion: σ₀ (1 + F_s/F_c), σ₁ (1 + F_s/F_c (1 + the steepest fall of g)) + σ₂ and σ₀ v/F_c, with
// the larger force for F_s and the smaller for F_c.
// settle in a fast motion.
func (l *LuGre) Steepest() (k, c, rate float64) {
	least, most := min(l.Fc, l.Fs), max(l.Fc, l.Fs)
	falls := (most - least) / (math.E * least) // the largest v g'/g
	return l.Sigma0 * (1 + most/least), l.Sigma1*(1+most/least*(1+falls)) + l.Sigma2, l.Sigma0 * fastSpeed / least
}

// Stored is ½ σ₀ z².
func (l *LuGre) Stored(_ float64, z []float64) float64 { return l.Sigma0 * z[0] * z[0] / 2 }
