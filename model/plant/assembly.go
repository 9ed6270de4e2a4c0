package plant

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rths"
)

// Assembly is the specimens that several actuators load together. The deformations e of the
// specimens are linear in the displacements x of the actuators, and by virtual work the forces
// F of the actuators follow from the specimens' forces s:
//
//	e = G x,  F = Gᵀ s
//
// G has a row for each specimen and a column for each actuator. An Assembly is a Specimen
// whose motion and force have a value for each actuator.
type Assembly struct {
	parts []placed
	axes  int
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

// alone is the specimen of an assembly of one on one axis, of which G is 1.
func (a *Assembly) alone() Specimen {
	if a.axes == 1 && len(a.parts) == 1 && len(a.parts[0].g) == 1 && a.parts[0].g[0] == 1 {
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

// rows is G.
func (a *Assembly) rows() *mat.Dense {
	g := mat.NewDense(len(a.parts), a.axes, nil)
	for j := range a.parts {
		for i, axis := range a.parts[j].axes {
			g.Set(j, axis, a.parts[j].g[i])
		}
	}
	return g
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
		rest, err := NewAssembly(specimens, s.rows())
		if err != nil {
			panic(err) // our own: as many rows as before
		}
		return rest
	}
	return s
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
	at.X[0], at.V[0], at.A[0] = x, v, acc
}

// push adds the force s of a part to the forces of the actuators.
func (p *placed) push(force []float64, s float64) {
	for i, axis := range p.axes {
		force[axis] += p.g[i] * s
	}
}

// states are a part's own states.
func (p *placed) states(z []float64) []float64 { return z[p.from : p.from+p.States()] }

// Rate is the rates of all states, and the forces at the actuators without inertia.
func (a *Assembly) Rate(dz, force, z []float64, m *rths.Motion) {
	clear(force)
	for i := range a.parts {
		p := &a.parts[i]
		p.deformed(&a.at, m)
		p.Specimen.Rate(p.states(dz), a.force, p.states(z), &a.at)
		p.push(force, a.force[0])
	}
}

// Commit commits the specimens with return maps.
func (a *Assembly) Commit(z []float64, m *rths.Motion) {
	for i := range a.parts {
		if p := &a.parts[i]; p.commit != nil {
			p.deformed(&a.at, m)
			p.commit.Commit(p.states(z), &a.at)
		}
	}
}

// addInertia adds the inertia Gᵀ m ë to the forces.
func (a *Assembly) addInertia(force []float64, m *rths.Motion) {
	for i := range a.parts {
		p := &a.parts[i]
		p.deformed(&a.at, m)
		p.push(force, p.Mass()*a.at.A[0])
	}
}

// rate is the fastest rate of the specimens' own states, 1/s.
func (a *Assembly) rate() (fastest float64) {
	for i := range a.parts {
		_, _, rate := steepest(a.parts[i].Specimen)
		fastest = max(fastest, rate)
	}
	return fastest
}

// matrix is Σ v bᵀ b of the rows b of G with a value v of each specimen.
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

// forms are the linear forms of the specimens, if each has one.
func (a *Assembly) forms() (out []form, ok bool) {
	for i := range a.parts {
		f, ok := formOf(a.parts[i].Specimen)
		if !ok {
			return nil, false
		}
		out = append(out, f)
	}
	return out, true
}
