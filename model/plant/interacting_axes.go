package plant

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/lti"
)

// Several actuators that feel their specimens are movers with
//
//	M ẍ + Gᵀ s(G x, G ẋ, z) = F,  M = Gᵀ diag(m) G
//
// x and F of all actuators; under a body M = Bᵀ diag(m) B is at its coordinates. Their states are those of every mover
// in order, then x, ẋ, and the specimens' states.

// interacting makes the plant of movers.
func (s *actuatorGroups) interacting(at At) (Plant, error) {
	load, err := onEachAxis(at.Specimen, len(s.movers))
	if err != nil {
		return nil, err
	}
	if err := wantStableAll(s.movers, load); err != nil {
		return nil, err
	}
	forms, linear := load.forms()
	for _, limit := range s.limits {
		linear = linear && limit == 0
	}
	if !linear {
		return newInteractingAxes(s.movers, s.limits, load, 1/at.RateHz)
	}
	whole, err := loadAll(s.movers, load, forms)
	if err != nil {
		return nil, err
	}
	return newHeldAxes(whole, 1/at.RateHz, make([]float64, len(s.movers)))
}

// inverseMass is M⁻¹ of an assembly. Every actuator needs a mass to move.
func inverseMass(load *Assembly) (*mat.Dense, error) {
	masses := load.matrix(func(i int) float64 { return load.parts[i].Mass() })
	if c := load.carrying(); c != nil {
		own := make([]float64, load.axes*load.axes)
		c.body.MassOf(own, c.platform, c.zero)
		masses.Add(masses, mat.NewDense(load.axes, load.axes, own))
	}
	sym, largest := mat.NewSymDense(load.axes, nil), 0.0
	for i := range load.axes {
		largest = max(largest, masses.At(i, i))
		for j := i; j < load.axes; j++ {
			sym.SetSym(i, j, masses.At(i, j))
		}
	}
	for i := range load.axes {
		if !(masses.At(i, i) > 0) {
			return nil, fmt.Errorf("transfer system: the specimens have no mass at actuator %d, which feels them: want more "+
				"than 0, at least the mass of piston and fittings", i+1)
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(sym) || chol.Cond() > 1e12 {
		return nil, errors.New("transfer system: a motion of the actuators moves none of the specimens' masses: want mass " +
			"in every direction, at least the masses of pistons and fittings")
	}
	var inv mat.SymDense
	if err := chol.InverseTo(&inv); err != nil {
		return nil, fmt.Errorf("transfer system: the specimens' masses: %w", err)
	}
	return mat.DenseCopyOf(&inv), nil
}

// loadAll is the plant with linear specimens, in continuous time.
func loadAll(movers []mover, load *Assembly, forms []form) (*system, error) {
	inv, err := inverseMass(load)
	if err != nil {
		return nil, err
	}
	axes, own := len(movers), 0
	for _, m := range movers {
		own += len(m.b)
	}
	disp, vel, states := own, own+axes, own+2*axes
	n := states + load.States()
	s := &system{a: mat.NewDense(n, n, nil), b: mat.NewDense(n, axes, nil)}
	unit := func(i int) []float64 { r := make([]float64, n+axes); r[i] = 1; return r }
	at := 0
	for i, m := range movers {
		for r, row := range m.a {
			copy(s.a.RawRowView(at + r)[at:], row[:len(m.b)])
			s.a.Set(at+r, disp+i, row[len(m.b)])
			s.a.Set(at+r, vel+i, row[len(m.b)+1])
			s.b.Set(at+r, i, m.b[r])
		}
		at += len(m.b)
		s.a.Set(disp+i, vel+i, 1)
		s.x, s.v, s.f = append(s.x, unit(disp+i)), append(s.v, unit(vel+i)), append(s.f, unit(at-1))
	}
	rest := mat.NewDense(axes, n, nil) // F − Gᵀ s over the states
	for i := range axes {
		copy(rest.RawRowView(i), s.f[i][:n])
	}
	for j := range load.parts {
		p, sp := &load.parts[j], &forms[j]
		x, v := p.sum(s.x), p.sum(s.v)
		from := states + p.from
		for r := range sp.cz {
			copy(s.a.RawRowView(from + r)[from:], sp.a.RawRowView(r))
			for c := range n {
				s.a.Set(from+r, c, s.a.At(from+r, c)+sp.b.At(r, 0)*x[c]+sp.b.At(r, 1)*v[c])
			}
		}
		for c := range n {
			force := sp.k*x[c] + sp.c*v[c]
			if c >= from && c < from+len(sp.cz) {
				force += sp.cz[c-from]
			}
			for k, axis := range p.axes {
				rest.Set(axis, c, rest.At(axis, c)-p.g[k]*force)
			}
		}
	}
	acc := s.a.Slice(vel, vel+axes, 0, n).(*mat.Dense)
	acc.Mul(inv, rest)
	for i := range axes {
		s.acc = append(s.acc, append(mat.Row(nil, i, acc), make([]float64, axes)...))
	}
	return s, nil
}

// wantStableAll is mover.wantStable of several actuators.
func wantStableAll(movers []mover, load *Assembly) error {
	rest := AtRest(load).(*Assembly)
	forms, linear := rest.forms()
	if !linear {
		return nil
	}
	whole, err := loadAll(movers, rest, forms)
	if err != nil {
		return err
	}
	return wantDecay("several actuators'", whole.a)
}

// interactingAxes are movers with specimens that are not linear, or with limited forces:
// actuators and specimens are integrated together.
type interactingAxes struct {
	movers []mover
	limits []float64 // of the forces, N; 0: none
	load   *follower
	mass   []float64 // M of the specimens, by rows
	inv    []float64 // M⁻¹, where there is no platform
	u      []float64 // commands
	rest   []float64 // F − Gᵀ s
	own    int       // states of all movers
	steps  int
	h      float64 // s, of a sub-step
	ideal  bool
	rungeKutta
}

// newInteractingAxes finds the fastest rate on the plant linearised where every specimen is
// steepest.
func newInteractingAxes(movers []mover, limits []float64, load *Assembly, h float64) (*interactingAxes, error) {
	inv, err := inverseMass(load)
	if err != nil {
		return nil, err
	}
	mass := load.matrix(func(i int) float64 { return load.parts[i].Mass() })
	steps, err := stepsOfAll(movers, load, h)
	if err != nil {
		return nil, err
	}
	axes := load.axes
	p := &interactingAxes{
		movers: movers, limits: limits, load: newFollower(load), mass: mass.RawMatrix().Data,
		inv: inv.RawMatrix().Data, u: make([]float64, axes),
		rest:  make([]float64, axes),
		steps: steps, h: h / float64(steps),
	}
	for _, m := range movers {
		p.own += len(m.b)
	}
	p.rungeKutta = newRungeKutta(p.own + 2*axes + load.States())
	return p, nil
}

func stepsOfAll(movers []mover, load *Assembly, h float64) (int, error) {
	if !(h > 0) || math.IsInf(h, 0) {
		return 0, fmt.Errorf("transfer system: sample time %g s: want a positive number", h)
	}
	steep := load.steep()
	forms, _ := steep.forms()
	whole, err := loadAll(movers, steep, forms)
	if err != nil {
		return 0, err
	}
	radius, err := lti.SpectralRadius(whole.a)
	if err != nil {
		return 0, fmt.Errorf("transfer system of several actuators: %w", err)
	}
	return subSteps(max(radius, load.rate()), h)
}

// look puts displacements and velocities at the end of the sub-step.
func (p *interactingAxes) look(y []float64) *rths.Motion {
	m, n := &p.load.m[end], len(p.u)
	copy(m.X, y[p.own:p.own+n])
	copy(m.V, y[p.own+n:p.own+2*n])
	return m
}

// rate is the equations of the movers.
func (p *interactingAxes) rate(dy, y []float64, _ int) {
	n, at := len(p.u), 0
	states := p.own + 2*n
	m := p.look(y)
	p.load.specimen.Rate(dy[states:], p.load.f, y[states:], m)
	for i, mv := range p.movers {
		own := len(mv.b)
		for r, row := range mv.a {
			sum := mv.b[r]*p.u[i] + row[own]*m.X[i] + row[own+1]*m.V[i]
			for j := range own {
				sum += row[j] * y[at+j]
			}
			dy[at+r] = sum
		}
		at += own
		p.rest[i] = p.applied(i, y[at-1]) - p.load.f[i]
		dy[p.own+i] = m.V[i]
	}
	p.accelerate(dy[p.own+n:states], m)
}

// accelerate sets a to ẍ. Under a body M is that of the coordinates, with the platform's: M q̈ = Jᵀ (F − f),
// ẍ = J q̈ + J̇ q̇.
func (p *interactingAxes) accelerate(a []float64, m *rths.Motion) {
	body, force, out := p.load.assembly.body, p.rest, a
	if body != nil {
		force, out = body.force, body.at.A
		body.Forces(force, p.rest, body.at.X)
	}
	if c := p.load.assembly.carrying(); c != nil {
		c.body.MassOf(body.mass, c.platform, body.at.X)
		for i, v := range p.mass {
			body.mass[i] += v
		}
		if !c.body.Bend(out, body.mass, force) {
			out[0] = math.NaN()
		}
		body.Rates(body.along, a, body.at.X, body.at.V, body.at.A)
		return
	}
	for i := range out {
		sum := 0.0
		for j, f := range force {
			sum += p.inv[i*len(out)+j] * f
		}
		out[i] = sum
	}
	if body != nil {
		body.Rates(body.along, a, body.at.X, body.at.V, body.at.A)
	}
}

// applied is the force of actuator i within its limit.
// A force counts from rest: that of the actuator carries the platform too.
func (p *interactingAxes) applied(i int, f float64) float64 {
	limit := p.limits[i]
	if limit <= 0 || p.ideal {
		return f
	}
	rest := 0.0
	if c := p.load.assembly.carrying(); c != nil {
		rest = c.rest[i]
	}
	return min(max(f, -limit-rest), limit-rest)
}

func (p *interactingAxes) Step(now *rths.Reading, command []float64) {
	copy(p.u, command)
	n := len(p.u)
	for range p.steps {
		p.step(p, p.h)
		if p.load.commit != nil {
			p.load.commit.Commit(p.y[p.own+2*n:], p.look(p.y))
		}
	}
	copy(now.X, p.y[p.own:])
	copy(now.V, p.y[p.own+n:])
	at := 0
	for i, m := range p.movers {
		at += len(m.b)
		now.F[i] = p.applied(i, p.y[at-1])
	}
	if len(now.A) > 0 {
		p.rate(p.trial, p.y, end)
		copy(now.A, p.trial[p.own+n:])
	}
}

// Idealise lifts the limits.
func (p *interactingAxes) Idealise(on bool) { p.ideal = on }
