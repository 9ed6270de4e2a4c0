// Package device holds the force–deformation laws of devices: of specimens (package plant), and of devices and storeys
// of the numerical part (packages structure and integrate).
//
// A law is a function of the deformation x (m), its rate v (m/s) and of states z, its memory. No law gives more energy
// than it has taken. Masses belong to what the device is a part of; Mounted adds one.
package device

import (
	"fmt"
	"math"

	"rths"
)

// Law is the law of a device. At rest x, v and z are 0, and so is the force.
type Law interface {
	// States is the number of states z.
	States() int

	// Force is the restoring force, N.
	Force(x, v float64, z []float64) float64

	// Rate sets dz = ż. It is pure: an integrator may try it at its stages.
	Rate(dz, z []float64, v float64)

	// Commit is the return map at the end of an accepted step that led to x.
	Commit(z []float64, x float64)

	// AtRest is the stiffness ∂f/∂x (N/m) of small motion about rest, and the damping ∂f/∂v (N·s/m) that the law
	// has at every speed. An integrator takes them with its matrices.
	AtRest() (k, c float64)

	// Steepest is the largest stiffness ∂f/∂x (N/m) and damping ∂f/∂v (N·s/m), and the rate (1/s) of the states at a
	// speed that is fast for a storey or an actuator, 0.5 m/s.
	Steepest() (k, c, rate float64)

	// Stored is the energy that the device can give back, J.
	Stored(x float64, z []float64) float64
}

// Spring is a law that is independent of time: the force hangs on x and z alone and ż is proportional to v, so the
// states after a path hang on the path and not on the speed. Not for pinching and fracture.
type Spring interface {
	Law

	// PostYield is the stiffness that is left far beyond yielding, N/m.
	PostYield() float64
}

// Parameter is a number of a law that may change, as it is learned, and the bounds that it keeps.
type Parameter struct {
	Name      string   `c:"-"`
	Unit      string   `c:"-"`
	V         *float64 `c:"points"` // into the law
	Low, High float64
}

// Damped is a law with a dashpot c (N·s/m) beside it.
type Damped struct {
	Law
	C float64
}

// Force is the law's and the dashpot's.
func (d *Damped) Force(x, v float64, z []float64) float64 { return d.Law.Force(x, v, z) + d.C*v }

// AtRest is the law's with the dashpot.
func (d *Damped) AtRest() (k, c float64) {
	k, c = d.Law.AtRest()
	return k, c + d.C
}

// Steepest is the law's with the dashpot.
func (d *Damped) Steepest() (k, c, rate float64) {
	k, c, rate = d.Law.Steepest()
	return k, c + d.C, rate
}

// Mounted is a law with a mass m (kg) and a dashpot c (N·s/m) beside it: what stands at an interface, or between two
// degrees of freedom.
type Mounted struct {
	Law  Law
	M, C float64
}

// Mass is m.
func (d *Mounted) Mass() float64 { return d.M }

// States is the number of states of the law.
func (d *Mounted) States() int { return d.Law.States() }

// Rate sets the rate of the states, and the force without inertia, for the motion m of one coordinate.
func (d *Mounted) Rate(dz, force, z []float64, m *rths.Motion) {
	v := m.V[0]
	d.Law.Rate(dz, z, v)
	force[0] = d.Law.Force(m.X[0], v, z) + d.C*v
}

// Commit is the return map of the law.
func (d *Mounted) Commit(z []float64, m *rths.Motion) { d.Law.Commit(z, m.X[0]) }

// Steepest is the steepest of the law, with the dashpot.
func (d *Mounted) Steepest() (k, c, rate float64) {
	k, c, rate = d.Law.Steepest()
	return k, c + d.C, rate
}

// fastSpeed (m/s) is fast for a storey, and for an actuator on a yielding specimen. There
// the sub-steps are as fine as elsewhere; they stay stable at ten times as much.
const fastSpeed = 0.5

// Path moves the states of a law along straight lines, each gone at a steady speed: a return map for a step from one
// deformation to the next. The equation ż is integrated by the classical Runge–Kutta method of order 4 in equal parts
// of the line, with Commit after each. For Bilinear one part is exact. Where z passes zero BoucWen has a kink, and the
// order is lower.
//
// A law with Flow goes along the line by itself, in a third of the time.
type Path struct {
	Law
	flow   flower // nil: none
	parts  int
	h      float64 // s, of a line
	stages *Stages
}

// flower is a law that moves its states itself by a time h (s) at the steady rate v (m/s): in closed form, or as Stages
// does in so many parts.
type flower interface {
	Flow(z []float64, v, h float64, parts int)
}

// finest is λ h of a part of a line at 0.5 m/s, atBounds the same with parameters at their bounds; mostParts of a line
// are made.
const (
	finest    = 0.1
	atBounds  = 0.4
	mostParts = 1000
)

// NewPath moves the states of a law in steps of h (s): at up to 0.5 m/s a part is so short that its error is 1e-7 of
// the step, and 1e-4 where parameters that are learned stand at their bounds; at 0.1 m/s there it is 3e-8.
func NewPath(l Law, h float64, p ...Parameter) (*Path, error) {
	_, _, now := l.Steepest()
	_, _, rate := Steepest(l, p)
	n := math.Ceil(h * max(now/finest, rate/atBounds))
	if !(n <= mostParts) {
		return nil, fmt.Errorf("its state moves by %.3g 1/s at %g m/s, which takes %.3g parts of a step of %.3g s: want at "+
			"most %d, a smaller exponent, a larger yield displacement or a higher rate", rate, fastSpeed, n, h, mostParts)
	}
	return newPath(l, h, max(int(n), 1)), nil
}

func newPath(l Law, h float64, parts int) *Path {
	own := l
	if d, ok := l.(*Damped); ok { // the dashpot has no states
		own = d.Law
	}
	flow, _ := own.(flower)
	return &Path{Law: l, flow: flow, parts: parts, h: h, stages: NewStages(l)}
}

// Advance moves z along the line between two deformations (m).
func (p *Path) Advance(z []float64, from, to float64) {
	v, n := (to-from)/p.h, float64(p.parts)
	if p.flow != nil {
		p.flow.Flow(z, v, p.h, p.parts)
		return
	}
	for i := range p.parts {
		p.stages.Step(z, v, p.h/n)
		p.Commit(z, to-float64(p.parts-1-i)*(to-from)/n)
	}
}

// Swing is the force (N) of a law at rest along a sine of 10 mm and 0.3 m/s, at so many steps.
func (p *Path) Swing(steps int) (forces []float64) {
	const amplitude, speed = 0.01, 0.3
	z, x := make([]float64, p.States()), 0.0
	for k := range steps {
		sin, cos := math.Sincos(speed / amplitude * float64(k+1) * p.h)
		p.Advance(z, x, amplitude*sin)
		x = amplitude * sin
		forces = append(forces, p.Force(x, speed*cos, z))
	}
	return forces
}

// A device is brought to a deformation within BringS and rests there for HoldS, as a rig is before a test. Parts of the
// way are between bringParts[0] and bringParts[1].
const (
	BringS = 2.0
	HoldS  = 3.0
)

var bringParts = [2]float64{1000, 100_000}

// Way is the share of a deformation on the way to it, a cycloid, and its rate, 1/s.
func Way(t float64) (share, rate float64) {
	u := min(t/BringS, 1)
	return u - math.Sin(2*math.Pi*u)/(2*math.Pi), (1 - math.Cos(2*math.Pi*u)) / BringS
}

// Bring moves states from rest to the deformation x (m), along Way.
func Bring(l Law, z []float64, x float64) {
	clear(z)
	_, _, rate := l.Steepest()
	n := math.Ceil(min(max(rate*BringS/finest, bringParts[0]), bringParts[1]))
	p := newPath(l, BringS/n, 1)
	for i, from := 0, 0.0; i < int(n*(1+HoldS/BringS)); i++ {
		share, _ := Way(float64(i+1) * BringS / n)
		p.Advance(z, from, share*x)
		from = share * x
	}
}

// Steepest is the steepest of a law wherever its parameters are within their bounds: of all corners.
func Steepest(l Law, p []Parameter) (k, c, rate float64) {
	k, c, rate = l.Steepest()
	Corners(p, func() {
		k2, c2, rate2 := l.Steepest()
		k, c, rate = max(k, k2), max(c, c2), max(rate, rate2)
	})
	return k, c, rate
}

// Corners calls look with the parameters at each corner of their bounds, and sets them back.
func Corners(p []Parameter, look func()) {
	if len(p) == 0 {
		return
	}
	now := make([]float64, len(p))
	for i := range p {
		now[i] = *p[i].V
	}
	for corner := range 1 << len(p) {
		for i := range p {
			if *p[i].V = p[i].Low; corner>>i&1 == 1 {
				*p[i].V = p[i].High
			}
		}
		look()
	}
	for i := range p {
		*p[i].V = now[i]
	}
}

// Stages moves the states of a law by the classical Runge–Kutta method of order 4.
type Stages struct {
	law   Law
	trial []float64
	k     [4][]float64
}

// NewStages has the room that a law's states need.
func NewStages(l Law) *Stages {
	s := &Stages{law: l, trial: make([]float64, l.States())}
	for i := range s.k {
		s.k[i] = make([]float64, l.States())
	}
	return s
}

// Step moves z by a time h (s) at the rate v (m/s). Commit comes after.
func (s *Stages) Step(z []float64, v, h float64) {
	k := &s.k
	s.law.Rate(k[0], z, v)
	s.law.Rate(k[1], s.ahead(z, h/2, k[0]), v)
	s.law.Rate(k[2], s.ahead(z, h/2, k[1]), v)
	s.law.Rate(k[3], s.ahead(z, h, k[2]), v)
	for i := range z {
		z[i] += h * (k[0][i] + 2*k[1][i] + 2*k[2][i] + k[3][i]) / 6
	}
}

func (s *Stages) ahead(z []float64, h float64, k []float64) []float64 {
	for i := range s.trial {
		s.trial[i] = z[i] + h*k[i]
	}
	return s.trial
}
