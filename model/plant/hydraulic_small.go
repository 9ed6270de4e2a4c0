package plant

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"rths/maths/lti"
)

// linearise is a hydraulic plant, idealised, about rest with linear specimens, by differences of its equations, which are
// linear or even there: of outputs displacements, then forces. States are those of all cylinders, then the specimens'.
func linearise(of smoothODE, e *embedded, all []*cylinder) lti.SS {
	y, axes := e.y, len(all)
	var at []int
	for i, c := range all {
		c.hydraulicNumbers = c.linear
		c.dry = c.stuck
		for s, some := range c.has() {
			if some {
				at = append(at, i*hydraulicStates+s)
			}
		}
	}
	for s := axes * hydraulicStates; s < len(y); s++ {
		at = append(at, s)
	}
	together := func() {
		for i, c := range all {
			c.together(y[i*hydraulicStates:])
		}
	}
	n := len(at)
	ss := lti.SS{A: mat.NewDense(n, n, nil), B: mat.NewDense(n, axes, nil), C: mat.NewDense(2*axes, n, nil),
		D: mat.NewDense(2*axes, axes, nil)}
	up, down, felt := make([]float64, len(y)), make([]float64, len(y)), make([]float64, axes)
	slope := func(v *float64, step float64, column, force *mat.Dense, j int) {
		*v = step
		together()
		of.rate(up, y)
		for i, c := range all {
			felt[i] = c.felt
		}
		*v = -step
		together()
		of.rate(down, y)
		*v = 0
		together()
		for i, s := range at {
			column.Set(i, j, (up[s]-down[s])/(2*step))
		}
		for i, c := range all {
			force.Set(axes+i, j, (felt[i]-c.felt)/(2*step))
		}
	}
	for j, s := range at {
		slope(&y[s], max(math.Abs(e.sizes[s])/100, 1e-6), ss.A, ss.C, j)
		if i := s / hydraulicStates; i < axes && s%hydraulicStates == place {
			ss.C.Set(i, j, 1)
		}
	}
	for i, c := range all {
		slope(&c.u, e.sizes[i*hydraulicStates+place]/100, ss.B, ss.D, i)
	}
	return ss
}

// has says which states the linear plant has.
func (p *cylinder) has() [hydraulicStates]bool {
	return [hydraulicStates]bool{spool: true, spoolSpeed: p.order == 2, integral: p.ki > 0, chamberA: true,
		meanDrop: p.kdp > 0 && p.corner > 0, seal: p.dry, body: p.frameM > 0, bodySpeed: p.frameM > 0,
		piston: p.clevisK > 0, pistonSpeed: p.clevisK > 0, holding: p.lag > 0, place: true, speed: true}
}

// together keeps the oil of both chambers: in small motion the edges let in as much as out.
func (p *cylinder) together(y []float64) {
	if p.b == 0 {
		return
	}
	x := y[place]
	if p.clevisK > 0 {
		x = y[piston]
	}
	y[chamberB] = -(p.va*y[chamberA] + p.beta*(p.a-p.b)*(x-y[body])) / p.vb
}
