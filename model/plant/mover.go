package plant

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/lti"
)

// mover is a transfer system whose actuator feels the specimen. Its own states w,
// of which the last is the force F of the piston, and the specimen are
//
//	ẇ = A [w; x; ẋ] + b u,  m ẍ + f(x, ẋ, z) = F
type mover struct {
	a [][]float64
	b []float64
}

// wantMass wants the mass that F accelerates.
func wantMass(name string, m float64) error {
	if !(m > 0) {
		return fmt.Errorf(
			"%s transfer system: the specimen's mass is %g kg: want more than 0, at least the mass of piston and fittings", name,
			m)
	}
	return nil
}

// wantStable wants the poles of the plant in the left half-plane, with a linear specimen
// or with a yielding one in its elastic range. It accepts all other specimens.
func (p mover) wantStable(name string, specimen Specimen) error {
	sp, linear := formOf(AtRest(specimen))
	if !linear {
		return nil
	}
	return wantDecay(name, p.load(sp).a)
}

// wantDecay wants all poles of a plant in the left half-plane.
func wantDecay(name string, a *mat.Dense) error {
	var e mat.Eigen
	if !e.Factorize(a, mat.EigenNone) {
		return fmt.Errorf("%s transfer system: its poles could not be computed: want numbers of a real actuator and specimen",
			name)
	}
	for _, s := range e.Values(nil) {
		if real(s) >= 0 {
			return fmt.Errorf(
				"%s transfer system: unstable with this specimen, a pole at %s rad/s: want a smaller gain of the "+
					"actuator, or a specimen of less mass or more damping", name, lti.PoleText(s))
		}
	}
	return nil
}

// load is the plant with a linear specimen, in continuous time; states of the
// specimen stand last.
func (p mover) load(sp form) *system {
	own := len(p.b)
	force, disp, vel := own-1, own, own+1
	n := own + 2 + len(sp.cz)
	a, b := mat.NewDense(n, n, nil), mat.NewDense(n, 1, nil)
	for i, row := range p.a {
		copy(a.RawRowView(i), row)
		b.Set(i, 0, p.b[i])
	}
	a.Set(disp, vel, 1)
	a.Set(vel, force, 1/sp.m)
	a.Set(vel, disp, -sp.k/sp.m)
	a.Set(vel, vel, -sp.c/sp.m)
	for i, c := range sp.cz {
		a.Set(vel, own+2+i, -c/sp.m)
		copy(a.RawRowView(own + 2 + i)[own+2:], sp.a.RawRowView(i))
		a.Set(own+2+i, disp, sp.b.At(i, 0))
		a.Set(own+2+i, vel, sp.b.At(i, 1))
	}
	row := func(i int) [][]float64 { r := make([]float64, n+1); r[i] = 1; return [][]float64{r} }
	acc := append(append([]float64(nil), a.RawRowView(vel)...), 0)
	return &system{a: a, b: b, x: row(disp), v: row(vel), acc: [][]float64{acc}, f: row(force)}
}

// interacting is such a transfer system with a specimen that is not linear:
// actuator and specimen are integrated together.
type interacting struct {
	mover
	u      float64 // command
	mass   float64
	limit  float64 // of the force, N; +Inf: none
	ideal  bool
	steps  int
	h      float64 // s, of a sub-step
	load   *follower
	motion *rths.Motion
	rungeKutta
}

// newInteracting finds the fastest rate on the plant linearised where the
// specimen is steepest. A limit of 0 N is none.
func newInteracting(name string, p mover, limit float64, s Specimen, h float64) (*interacting, error) {
	if !(h > 0) || math.IsInf(h, 0) {
		return nil, fmt.Errorf("%s transfer system: sample time %g s: want a positive number", name, h)
	}
	k, c, lambda := steepest(s)
	radius, err := lti.SpectralRadius(p.load(form{m: s.Mass(), c: c, k: k}).a)
	if err != nil {
		return nil, fmt.Errorf("%s transfer system: %w", name, err)
	}
	steps, err := subSteps(max(radius, lambda), h)
	if err != nil {
		return nil, err
	}
	i := &interacting{mover: p, mass: s.Mass(), limit: limit, steps: steps, h: h / float64(steps), load: newFollower(s),
		rungeKutta: newRungeKutta(len(p.b) + 2 + s.States())}
	if limit == 0 {
		i.limit = math.Inf(1)
	}
	i.motion = &i.load.m[end]
	return i, nil
}

// rate is the equations of mover.
func (i *interacting) rate(dy, y []float64, _ int) {
	own, m := len(i.b), i.motion
	for r, row := range i.a {
		sum := i.b[r] * i.u
		for j, a := range row {
			sum += a * y[j]
		}
		dy[r] = sum
	}
	m.X[0], m.V[0] = y[own], y[own+1]
	dy[own] = m.V[0]
	i.load.specimen.Rate(dy[own+2:], i.load.f, y[own+2:], m)
	dy[own+1] = (i.applied(y[own-1]) - i.load.f[0]) / i.mass
}

// applied is the force within its limit.
func (i *interacting) applied(f float64) float64 {
	if i.ideal {
		return f
	}
	return min(max(f, -i.limit), i.limit)
}

func (i *interacting) Step(now *rths.Reading, command []float64) {
	i.u = command[0]
	for range i.steps {
		i.subStep(i)
	}
	i.read(now)
}

// subStep goes over one sub-step of the equations, which are i's or around i's.
func (i *interacting) subStep(of ode) {
	i.step(of, i.h)
	if c := i.load.commit; c != nil {
		own := len(i.b)
		i.motion.X[0], i.motion.V[0] = i.y[own], i.y[own+1]
		c.Commit(i.y[own+2:], i.motion)
	}
}

func (i *interacting) read(now *rths.Reading) {
	own := len(i.b)
	now.X[0], now.F[0] = i.y[own], i.applied(i.y[own-1])
	if len(now.V) > 0 {
		now.V[0] = i.y[own+1]
	}
	if len(now.A) > 0 {
		i.rate(i.trial, i.y, end)
		now.A[0] = i.trial[own+1]
	}
}

// Idealise lifts the limit.
func (i *interacting) Idealise(on bool) { i.ideal = on }
