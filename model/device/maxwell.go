package device

import (
	"math"

	"rths/maths/portable"
)

// Maxwell is a spring k in series with a dashpot of the power law c |v_d|^α sgn v_d: a fluid damper whose mounting
// gives way.
//
//	ḟ = k (v − v_d),  v_d = (|f|/c)^(1/α) sgn f
//
// Its state is the force. At a steady speed v the force is c v^α. With α = 1 use Viscoelastic, which is linear.
type Maxwell struct {
	K        float64 // N/m
	C, Alpha float64 // N·(s/m)^α, above 0 to 1
}

// States is 1.
func (l *Maxwell) States() int { return 1 }

// Force is the state.
func (l *Maxwell) Force(_, _ float64, z []float64) float64 { return z[0] }

// Rate is k (v − v_d).
func (l *Maxwell) Rate(dz, z []float64, v float64) {
	dashpot := portable.Pow(math.Abs(z[0])/l.C, 1/l.Alpha)
	dz[0] = l.K * (v - math.Copysign(dashpot, z[0]))
}

// Commit does nothing: the state has a rate.
func (l *Maxwell) Commit([]float64, float64) {}

// AtRest is the spring, which gives way slowly under a small force.
func (l *Maxwell) AtRest() (k, c float64) { return l.K, 0 }

// Steepest is the spring, and the rate k v^(1−α)/(α c) at which the force of a fast dashpot settles.
func (l *Maxwell) Steepest() (k, c, rate float64) {
	return l.K, 0, l.K * portable.Pow(fastSpeed, 1-l.Alpha) / (l.Alpha * l.C)
}

// Stored is f²/(2k).
func (l *Maxwell) Stored(_ float64, z []float64) float64 { return z[0] * z[0] / (2 * l.K) }
