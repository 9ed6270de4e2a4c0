package plant

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/model/rigidbody"
)

// Assembly is the specimens that several actuators load together. The deformations e of the
// specimens are linear in the displacements x of the actuators, and by virtual work the forces
// F of the actuators follow from the specimens' forces s:
//
//	e = G x,  F = Gᵀ s
//
// G has a row for each specimen and a column for each actuator. Under actuators at any places of a rigid body (RigidBody)
// the deformations are linear in the coordinates q of its pose, whose forces Q are those of the actuators by virtual work:
//
//	e = B q(x),  Jᵀ F = Bᵀ s,  J = ∂x/∂q
//
// and B stands in place of G. A platform adds weight and inertia of the body to Bᵀ s; F counts from rest. An Assembly is a
// Specimen whose motion and force have a value for each actuator.
type Assembly struct {
	parts []placed
	axes  int
	body  *onBody     // nil: e = G x
	at    rths.Motion // deformation of one specimen
	force []float64   // of one specimen
}

// placed is a specimen with its row of G, and its place among the states.
type placed struct {
	Specimen
	commit Committed // nil: none
	axes   []int     // where the row is not 0
	g      []float64 // and what it is there
	from   int
	lean   *leaning // nil: it does not lean
}

// NewAssembly puts specimens at the rows of g.
func NewAssembly(specimens []Specimen, g *mat.Dense) (*Assembly, error) {
	rows, axes := g.Dims()
	if rows != len(specimens) {
		return nil, fmt.Errorf("assembly: %d specimens and %d rows: want a row for each", len(specimens), rows)
	}
	a := &Assembly{axes: axes, at: rths.NewMotion(1), force: make([]float64, 1)}
	for j, s := range specimens {
		p := placed{Specimen: s, from: a.States()}
		p.commit, _ = s.(Committed)
		for i := range axes {
			if v := g.At(j, i); v != 0 {
				p.axes, p.g = append(p.axes, i), append(p.g, v)
			}
		}
		a.parts = append(a.parts, p)
	}
	return a, nil
}

// onEachAxis is an assembly of the same specimen on every axis, unless it is one already.
func onEachAxis(s Specimen, axes int) (*Assembly, error) {
	if a, ok := s.(*Assembly); ok {
		if a.axes != axes {
			return nil, fmt.Errorf("transfer system of %d axes: its specimens have %d: want as many", axes, a.axes)
		}
		return a, nil
	}
	specimens, g := make([]Specimen, axes), mat.NewDense(axes, axes, nil)
	for i := range axes {
		specimens[i] = s
		g.Set(i, i, 1)
	}
	return NewAssembly(specimens, g)
}

// onBody is the body, or are the bodies, that an assembly stands under.
type onBody struct {
	rigidbody.Held
	carried      *carried    // nil: the body has no mass of its own
	at           rths.Motion // of the coordinates
	force, along []float64   // at the coordinates, and along the actuators
	mass         []float64   // M of specimens and platform at the coordinates, by rows
}

// NewAssemblyOn puts specimens at the rows of b, a column for each coordinate of a body that as many actuators hold.
// Its platform, nil for none, loads the actuators too; only a single body has one.
func NewAssemblyOn(body rigidbody.Held, platform *rigidbody.Platform, specimens []Specimen,
	b *mat.Dense) (*Assembly, error) {
	a, err := NewAssembly(specimens, b)
	if n := a.axes; err == nil {
		a.body = &onBody{body, newCarried(body, platform), rths.NewMotion(n), make([]float64, n), make([]float64, n),
			make([]float64, n*n)}
	}
	return a, err
}

// node is the motion that deforms the specimens at a motion of the actuators: the same, or the body's. Where no pose has
// these displacements it is not a number.
func (a *Assembly) node(m *rths.Motion) *rths.Motion {
	b := a.body
	if b == nil {
		return m
	}
	q := &b.at
	if off := b.Find(q.X, m.X); !(off < offAbove) || !b.Motion(q.V, q.A, q.X, m.V, m.A) {
		for i := range q.X {
			q.X[i], q.V[i], q.A[i] = math.NaN(), math.NaN(), math.NaN()
		}
	}
	return q
}

// atCoordinates are the forces of the specimens to add up in place of those of the actuators.
func (a *Assembly) atCoordinates(force []float64) []float64 {
	if a.body == nil {
		return force
	}
	clear(a.body.force)
	return a.body.force
}

// toActuators adds forces at the coordinates, in the pose of the last node, to those of the actuators.
func (a *Assembly) toActuators(force, at []float64) {
	if a.body == nil { // they are there already
		return
	}
	if !a.body.Along(a.body.along, at, a.body.at.X) {
		a.body.along[0] = math.NaN()
	}
	for i, f := range a.body.along {
		force[i] += f
	}
}

// alone is the specimen of an assembly of one on one axis, of which G is 1.
func (a *Assembly) alone() Specimen {
	if p := a.parts; a.body == nil && a.axes == 1 && len(p) == 1 && len(p[0].g) == 1 && p[0].g[0] == 1 && p[0].lean == nil {
		return a.parts[0].Specimen
	}
	return a
}

// Axes is the number of actuators.
func (a *Assembly) Axes() int { return a.axes }

// Specimens has all specimens in order.
func (a *Assembly) Specimens() (out []Specimen) {
	for i := range a.parts {
		out = append(out, a.parts[i].Specimen)
	}
	return out
}

// rows is G, or B under a body.
func (a *Assembly) rows() *mat.Dense {
	g := mat.NewDense(len(a.parts), a.axes, nil)
	for j := range a.parts {
		for i, axis := range a.parts[j].axes {
			g.Set(j, axis, a.parts[j].g[i])
		}
	}
	return g
}

// small are specimens in place of its own, in small motion about rest, where a specimen without force does not feel
// that it leans.
func (a *Assembly) small(specimens []Specimen) *Assembly {
	g := a.rows()
	if a.body != nil { // G = B J⁻¹
		var inv mat.Dense
		j := a.body.Jacobian(make([]float64, a.axes), a.axes)
		if err := inv.Inverse(j); err != nil {
			panic(err) // a body is held at rest
		}
		if a.body.carried != nil {
			own, rows := a.body.carried.small()
			specimens = append(slices.Clone(specimens), own...)
			var all mat.Dense
			all.Stack(g, rows)
			g = &all
		}
		g.Mul(g, &inv)
	}
	out, err := NewAssembly(specimens, g)
	if err != nil {
		panic(err) // as many rows as before
	}
	return out
}

// AtRest is a specimen in small motion from rest: a linear one in place of one that yields.
// Of an assembly this holds for every specimen. All others stay as they are.
func AtRest(s Specimen) Specimen {
	switch s := s.(type) {
	case Initial:
		m, c, k := s.Initial()
		return &linear{m: m, c: c, k: k}
	case *Assembly:
		specimens := s.Specimens()
		for i := range specimens {
			specimens[i] = AtRest(specimens[i])
		}
		return s.small(specimens)
	}
	return s
}

// steep is the assembly in small motion with specimens as stiff and as damped as they can be.
func (a *Assembly) steep() *Assembly {
	specimens := make([]Specimen, len(a.parts))
	for i := range a.parts {
		k, c, _ := steepest(a.parts[i].Specimen)
		specimens[i] = &linear{m: a.parts[i].Mass(), c: c, k: k}
	}
	return a.small(specimens)
}

// Mass is the sum of the specimens' masses, kg.
func (a *Assembly) Mass() (sum float64) {
	for i := range a.parts {
		sum += a.parts[i].Mass()
	}
	return sum
}

// States counts the states of all specimens.
func (a *Assembly) States() (n int) {
	for i := range a.parts {
		n += a.parts[i].States()
	}
	return n
}

// deformed is the deformation of a part, with its rate and acceleration, at a motion of the
// actuators.
func (p *placed) deformed(at, m *rths.Motion) {
	x, v, acc := 0.0, 0.0, 0.0
	for i, axis := range p.axes {
		x += p.g[i] * m.X[axis]
		v += p.g[i] * m.V[axis]
		acc += p.g[i] * m.A[axis]
	}
	if p.lean != nil {
		less, slower := p.lean.to(m)
		x, v = x-less, v-slower
	}
	at.X[0], at.V[0], at.A[0] = x, v, acc
}

// push adds the force s of a part to the forces of the actuators.
func (p *placed) push(force []float64, s float64) {
	for i, axis := range p.axes {
		force[axis] += p.g[i] * s
	}
	if p.lean != nil {
		p.lean.push(force, s)
	}
}

// states are a part's own states.
func (p *placed) states(z []float64) []float64 { return z[p.from : p.from+p.States()] }

// Rate is the rates of all states, and the forces at the actuators without inertia.
func (a *Assembly) Rate(dz, force, z []float64, m *rths.Motion) {
	clear(force)
	q, to := a.node(m), a.atCoordinates(force)
	a.rates(dz, to, z, q)
	a.toActuators(force, to)
}

// rates is Rate at a motion of the coordinates, and adds the forces there.
func (a *Assembly) rates(dz, to, z []float64, q *rths.Motion) {
	for i := range a.parts {
		p := &a.parts[i]
		p.deformed(&a.at, q)
		p.Specimen.Rate(p.states(dz), a.force, p.states(z), &a.at)
		p.push(to, a.force[0])
	}
	if c := a.carrying(); c != nil {
		c.add(to, 1, q.X, q.V, c.zero)
	}
}

// carrying is the platform with its body; nil: there is none.
func (a *Assembly) carrying() *carried {
	if a.body == nil {
		return nil
	}
	return a.body.carried
}

// Carried are the forces of the actuators that carry a platform at rest, N, which load cells do not show; nil: there is none.
func (a *Assembly) Carried() []float64 {
	if c := a.carrying(); c != nil {
		return c.rest
	}
	return nil
}

// SmallMotion are masses and stiffnesses at the actuators in small motion from rest; those of specimens with states of
// their own are left out.
func (a *Assembly) SmallMotion() (masses, stiffnesses *mat.Dense) {
	rest := AtRest(a).(*Assembly)
	of := func(i int) (k float64) { _, _, k, _ = Within(rest.parts[i].Specimen); return k }
	return rest.matrix(func(i int) float64 { return rest.parts[i].Mass() }), rest.matrix(of)
}

// Commit commits the specimens with return maps.
func (a *Assembly) Commit(z []float64, m *rths.Motion) { a.commit(z, a.node(m)) }

// commit is Commit at a motion of the coordinates.
func (a *Assembly) commit(z []float64, q *rths.Motion) {
	for i := range a.parts {
		if p := &a.parts[i]; p.commit != nil {
			p.deformed(&a.at, q)
			p.commit.Commit(p.states(z), &a.at)
		}
	}
}

// addInertia adds the inertia Gᵀ m ë to the forces.
func (a *Assembly) addInertia(force []float64, m *rths.Motion) {
	q, to := a.node(m), a.atCoordinates(force)
	for i := range a.parts {
		p := &a.parts[i]
		p.deformed(&a.at, q)
		p.push(to, p.Mass()*a.at.A[0])
	}
	if c := a.carrying(); c != nil { // Rate has done all but M q̈
		n := a.axes
		c.body.MassOf(a.body.mass, c.platform, q.X)
		for i := range n {
			for j := range n {
				to[i] += a.body.mass[i*n+j] * q.A[j]
			}
		}
	}
	a.toActuators(force, to)
}

// rate is the fastest rate of the specimens' own states, 1/s.
func (a *Assembly) rate() (fastest float64) {
	for i := range a.parts {
		_, _, rate := steepest(a.parts[i].Specimen)
		fastest = max(fastest, rate)
	}
	return fastest
}

// matrix is Σ v bᵀ b of the rows b of G, or B, with a value v of each specimen.
func (a *Assembly) matrix(value func(i int) float64) *mat.Dense {
	out := mat.NewDense(a.axes, a.axes, nil)
	for j := range a.parts {
		p := &a.parts[j]
		for i, to := range p.axes {
			for k, of := range p.axes {
				out.Set(to, of, out.At(to, of)+value(j)*p.g[i]*p.g[k])
			}
		}
	}
	return out
}

// forms are the linear forms of the specimens, if each has one and their deformations are linear in x.
func (a *Assembly) forms() (out []form, ok bool) {
	if a.body != nil {
		return nil, false
	}
	for i := range a.parts {
		f, ok := formOf(a.parts[i].Specimen)
		if !ok || a.parts[i].lean != nil {
			return nil, false
		}
		out = append(out, f)
	}
	return out, true
}
