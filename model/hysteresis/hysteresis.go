// Package hysteresis holds the force–displacement laws of springs that yield: of specimens
// (package plant) and of storeys of the numerical part (packages structure and integrate).
//
// A law is a function of its displacement x (m) and of states z, its memory. Both laws are
// independent of time: ż is proportional to ẋ, so the states after a path hang on the path
// and not on the speed. Dashpot and mass belong to what the spring is a part of. Not for
// pinching, gaps and fracture.
package hysteresis

import (
	"fmt"
	"math"
)

// Law is a spring that yields.
type Law interface {
	// Stiffness is the stiffness at rest, N/m, YieldDisplacement where it is lost, m, and
	// PostYield what is left of it far beyond, N/m.
	Stiffness() float64
	PostYield() float64
	YieldDisplacement() float64

	// States is the number of states z; at rest they are 0.
	States() int

	// Force is the restoring force, N.
	Force(x float64, z []float64) float64

	// Rate sets dz = ż at the velocity v (m/s). It is pure: an integrator may try it at its
	// stages.
	Rate(dz, z []float64, v float64)

	// Commit is the return map at the end of an accepted step that led to x.
	Commit(z []float64, x float64)

	// Tangent is df/dx (N/m) of a motion that goes on in the direction of v, with the
	// states before Commit.
	Tangent(z []float64, x, v float64) float64

	// Steepest is the largest stiffness (N/m), and the rate (1/s) of the states at the
	// speed of a fast storey or actuator, 0.5 m/s.
	Steepest() (k, rate float64)

	// Stored is the energy that the spring can give back, J.
	Stored(x float64, z []float64) float64
}

// fastSpeed (m/s) is fast for a storey, and for an actuator on a yielding specimen. There
// the sub-steps are as fine as elsewhere; they stay stable at ten times as much.
const fastSpeed = 0.5

// Path moves the states of a law along straight lines: a return map for a step from one
// displacement to the next. The states' equation dz/dx is integrated by the classical
// Runge–Kutta method of order 4 in Steps equal parts of the line, with Commit after each. For
// Bilinear one part is exact. Where z passes zero BoucWen has a kink, and the order is lower.
type Path struct {
	Law
	Steps int
	trial []float64
	k     [4][]float64
}

// finest is λ h of a part of a line at 0.5 m/s; mostSteps of a line are made.
const (
	finest    = 0.1
	mostSteps = 1000
)

// NewPath moves the states of a law in steps of h (s): at up to 0.5 m/s a part is so short
// that its error is 1e-7 of the step.
func NewPath(l Law, h float64) (*Path, error) {
	_, rate := l.Steepest()
	n := math.Ceil(rate * h / finest)
	if !(n <= mostSteps) {
		return nil, fmt.Errorf("its state moves by %.3g 1/s at %g m/s, which takes %.3g parts of a step of %.3g s: want at "+
			"most %d, a smaller exponent, a larger yield displacement or a higher rate", rate, fastSpeed, n, h, mostSteps)
	}
	return newPath(l, max(int(n), 1)), nil
}

func newPath(l Law, steps int) *Path {
	p := &Path{Law: l, Steps: steps, trial: make([]float64, l.States())}
	for i := range p.k {
		p.k[i] = make([]float64, l.States())
	}
	return p
}

// Bring moves states from rest to the displacement x (m).
func Bring(l Law, z []float64, x float64) {
	clear(z)
	newPath(l, mostSteps).Advance(z, 0, x)
}

// Advance moves z along the line between two displacements (m), and gives the tangent (N/m)
// at its end.
func (p *Path) Advance(z []float64, from, to float64) (tangent float64) {
	k, n := &p.k, float64(p.Steps)
	d := (to - from) / n // of one part, which takes a time of 1
	for i := range p.Steps {
		end := to - float64(p.Steps-1-i)*d
		p.Rate(k[0], z, d)
		p.Rate(k[1], p.ahead(z, 0.5, k[0]), d)
		p.Rate(k[2], p.ahead(z, 0.5, k[1]), d)
		p.Rate(k[3], p.ahead(z, 1, k[2]), d)
		for j := range z {
			z[j] += (k[0][j] + 2*k[1][j] + 2*k[2][j] + k[3][j]) / 6
		}
		tangent = p.Tangent(z, end, d)
		p.Commit(z, end)
	}
	return tangent
}

func (p *Path) ahead(z []float64, part float64, k []float64) []float64 {
	for i := range p.trial {
		p.trial[i] = z[i] + part*k[i]
	}
	return p.trial
}
