package device

import (
	"math"

	"rths/maths/portable"
)

// Viscous is a fluid viscous damper with a spring beside it (Symans and Constantinou 1998):
//
//	f = c |v|^α sgn v + k x
//
// For α < 1 the slope at v = 0 would be infinite. The force is therefore c v (v² + v₀²)^((α−1)/2): a dashpot c v₀^(α−1)
// well below v₀, and within 1 % of the power law beyond 10 v₀. A cycle of amplitude A at ω dissipates
// 4·2^α Γ²(1 + α/2)/Γ(2 + α) c A^(1+α) ω^α. With α = 1 use Viscoelastic, which is linear.
type Viscous struct {
	C, Alpha float64 // N·(s/m)^α, -
	V0       float64 // m/s
	K        float64 // N/m
}

// States is 0.
func (l *Viscous) States() int { return 0 }

// Force is c v (v² + v₀²)^((α−1)/2) + k x.
func (l *Viscous) Force(x, v float64, _ []float64) float64 {
	return l.C*v*portable.Pow(v*v+l.V0*l.V0, (l.Alpha-1)/2) + l.K*x
}

// Rate has no states to move.
func (l *Viscous) Rate(_, _ []float64, _ float64) {}

// Commit has no states to map.
func (l *Viscous) Commit([]float64, float64) {}

// AtRest is the spring: the dashpot is another one at every speed.
func (l *Viscous) AtRest() (k, c float64) { return l.K, 0 }

// Steepest is at rest; with an exponent above 1 at a speed of 1 m/s, which is fast for an actuator.
func (l *Viscous) Steepest() (k, c, rate float64) {
	if l.Alpha > 1 {
		return l.K, l.C * l.Alpha, 0
	}
	return l.K, l.C * portable.Pow(l.V0, l.Alpha-1), 0
}

// Stored is ½ k x².
func (l *Viscous) Stored(x float64, _ []float64) float64 { return l.K * x * x / 2 }

// Viscoelastic is a spring k, a dashpot c and Maxwell branches side by side, the generalised Maxwell model (Prony
// series; Christensen 1982, chapter 1):
//
//	f = k x + c v + Σ zᵢ,  żᵢ = kᵢ v − zᵢ/τᵢ
//
// Its storage modulus is k + Σ kᵢ ω²τᵢ²/(1 + ω²τᵢ²), its loss modulus c ω + Σ kᵢ ωτᵢ/(1 + ω²τᵢ²). It is linear, and
// passive as long as no number is negative.
type Viscoelastic struct {
	K, C     float64 // N/m, N·s/m
	Branches []Branch
}

// Branch is a spring k in series with a dashpot: after a step of the deformation its force falls as e^(−rate t).
type Branch struct{ K, Rate float64 } // N/m, 1/τ in 1/s

// States is the number of branches.
func (l *Viscoelastic) States() int { return len(l.Branches) }

// Force is k x + c v + Σ zᵢ.
func (l *Viscoelastic) Force(x, v float64, z []float64) float64 {
	f := l.K*x + l.C*v
	for _, z := range z {
		f += z
	}
	return f
}

// Rate is kᵢ v − zᵢ/τᵢ.
func (l *Viscoelastic) Rate(dz, z []float64, v float64) {
	for i := range l.Branches {
		b := &l.Branches[i]
		dz[i] = b.K*v - b.Rate*z[i]
	}
}

// Commit does nothing: the states have a rate.
func (l *Viscoelastic) Commit([]float64, float64) {}

// AtRest is k and c; the branches give way.
func (l *Viscoelastic) AtRest() (k, c float64) { return l.K, l.C }

// Steepest is all springs, the dashpot and the fastest branch.
func (l *Viscoelastic) Steepest() (k, c, rate float64) {
	k = l.K
	for _, b := range l.Branches {
		k, rate = k+b.K, max(rate, b.Rate)
	}
	return k, l.C, rate
}

// Stored is ½ k x² + Σ zᵢ²/(2 kᵢ).
func (l *Viscoelastic) Stored(x float64, z []float64) float64 {
	e := l.K * x * x / 2
	for i, b := range l.Branches {
		if b.K > 0 {
			e += z[i] * z[i] / (2 * b.K)
		}
	}
	return e
}

// Fractional is f = k x + c D^β x between lowHz and highHz, as a Viscoelastic. With
//
//	s^β = (sin πβ)/π ∫ s/(s + λ) λ^β d ln λ
//
// a branch stands for every part of the integral over ln λ from a hundredth of the lowest to thirty times the highest
// frequency. What lies below acts as a spring, what lies above as a dashpot. In the band the dynamic stiffness of D^β is
// right within 0.5 %, for β from 0.05 to 0.95. (With λ = s t the integral is Euler's ∫ t^(β−1)/(1 + t) dt = π/sin πβ.)
// Not below the band over long times, where the true force relaxes to k x.
func Fractional(k, c, beta, lowHz, highHz float64) *Viscoelastic {
	low, high := math.Log(2*math.Pi*lowHz/100), math.Log(2*math.Pi*highHz*30)
	n := math.Ceil((high - low) / math.Ln10 * branchesPerDecade)
	part := (high - low) / n
	c *= math.Sin(math.Pi*beta) / math.Pi
	l := &Viscoelastic{K: k + c*portable.Exp(beta*low)/beta, C: c * portable.Exp((beta-1)*high) / (1 - beta)}
	for i := range int(n) {
		at := low + (float64(i)+0.5)*part
		l.Branches = append(l.Branches, Branch{K: c * part * portable.Exp(beta*at), Rate: portable.Exp(at)})
	}
	return l
}

const branchesPerDecade = 3
