package rigidbody

import (
	"errors"
	"fmt"
	"math"

	"rths"
)

// Platform is the mass of a body itself, in the axes of the structure with the body at rest.
type Platform struct {
	Mass    float64       // kg, more than 0
	Centre  [3]float64    // of mass, m, from the node
	Inertia [3][3]float64 // about the centre, kg·m²
	Gravity [3]float64    // m/s²
}

// From is a platform with its centre and its axes in space as it is seen from a node, as Link.From sees a link.
func (p Platform) From(node, turned [3]float64) Platform {
	r, _ := rotation(scaled(turned, -1))
	return Platform{Mass: p.Mass, Centre: times(r, minus(p.Centre, node)), Inertia: turn(r, p.Inertia),
		Gravity: times(r, p.Gravity)}
}

// Check refuses a platform that no body can be: its largest moment of inertia is at most the sum of the others. The
// moments are those about x, y and z; one about z alone, of a body in a plane, is always possible.
func (p *Platform) Check() error {
	x, y, z := p.Inertia[0][0], p.Inertia[1][1], p.Inertia[2][2]
	for _, v := range []float64{p.Mass, x, y, z, norm(p.Centre), norm(p.Gravity)} {
		if !rths.Finite(v) || math.Abs(v) > 1e12 {
			return fmt.Errorf("%g: want finite numbers up to 1e12", v)
		}
	}
	switch largest := max(x, y, z); {
	case !(p.Mass > 0):
		return fmt.Errorf("a mass of %g kg: want more than 0", p.Mass)
	case min(x, y, z) < 0 || norm(p.Gravity) > 100:
		return errors.New("want moments of inertia of 0 or more, and a gravity of at most 100 m/s²")
	case (x != 0 || y != 0) && largest > (x+y+z-largest)*(1+1e-9):
		return fmt.Errorf("moments of inertia %g, %g, %g kg·m²: want the largest at most the sum of the others, as of every "+
			"body", x, y, z)
	}
	return nil
}

// turn is R A Rᵀ.
func turn(r, a matrix) (out matrix) {
	for i := range 3 {
		for k := range 3 {
			for l := range 3 {
				out[i][k] += dot(r[i], vector{a[0][l], a[1][l], a[2][l]}) * r[k][l]
			}
		}
	}
	return out
}

// Hold sets out to the forces (N, N·m) at the coordinates that move a platform with the body: of its inertia in the
// motion q, q̇, q̈, and against its weight. With the centre c = R p, a = r̈ + α × c + ω × (ω × c) and I = R I₀ Rᵀ they are
//
//	f = m (a − g),  moment = c × f + I α + ω × I ω
//
// by virtual work: at rotations Jᵀ moment, with ω = J θ̇.
func (b *Body) Hold(out []float64, p *Platform, q, rate, bend []float64) {
	b.place(q)
	omega, alpha := b.spin(rate, bend)
	r := b.swing
	for i := range r {
		r[i][i]++
	}
	c := times(r, p.Centre)
	pull := plus(vector(b.bend[:3]), plus(cross(alpha, c), cross(omega, cross(omega, c))))
	force := scaled(minus(pull, p.Gravity), p.Mass)
	inertia := turn(r, p.Inertia)
	moment := plus(cross(c, force), plus(times(inertia, alpha), cross(omega, times(inertia, omega))))
	for i, k := range b.coords {
		if k < RX {
			out[i] = force[k]
			continue
		}
		k -= RX
		out[i] = moment[0]*b.jacobian[0][k] + moment[1]*b.jacobian[1][k] + moment[2]*b.jacobian[2][k]
	}
}

// Lean sets out to what forces f (N) along the first links and the weight of a platform give at the coordinates in the pose
// q more than at rest, Jᵀ f − w less J₀ᵀ f − w₀, with all digits of small motions: the two alone are much larger.
func (b *Body) Lean(out, f []float64, p *Platform, q []float64) {
	b.place(q)
	clear(out)
	for i, f := range f {
		l := &b.links[i]
		longer, u, _ := b.along(i)
		swung := times(b.swing, l.Pin)
		at, turned := u, vector{} // the direction at rest, and what it is more now
		if !b.direct[i] {
			e, length := minus(l.Pin, l.Base), b.rest[i]+longer
			at = scaled(e, 1/b.rest[i])
			turned = scaled(minus(plus(swung, vector(b.full[:3])), scaled(at, longer)), 1/length)
		}
		b.lean(out, f, turned, cross(l.Pin, at), plus(cross(swung, u), cross(l.Pin, turned)))
	}
	hold := scaled(p.Gravity, -p.Mass)
	b.lean(out, -1, vector{}, cross(p.Centre, hold), cross(times(b.swing, p.Centre), hold))
}

// lean adds a force that has turned, by times, with its moment at rest and what that is more now.
func (b *Body) lean(out []float64, by float64, force, moment, more vector) {
	for i, c := range b.coords {
		if c < RX {
			out[i] += by * force[c]
			continue
		}
		for k := range 3 { // (m₀ + Δm)ᵀ J − m₀ᵀ
			out[i] += by * (more[k]*b.jacobian[k][c-RX] + moment[k]*b.lag[k][c-RX])
		}
	}
}

// MassOf sets out, n×n by rows, to the mass matrix of a platform at the coordinates in the pose q.
func (b *Body) MassOf(out []float64, p *Platform, q []float64) {
	n := len(q)
	still := Platform{Mass: p.Mass, Centre: p.Centre, Inertia: p.Inertia}
	for j := range n {
		one := zero
		one[j] = 1
		b.Hold(out[j*n:(j+1)*n], &still, q, zero[:n], one[:n]) // symmetric: the row is the column
	}
}

// Bend sets out to the q̈ of M q̈ = f. M is n×n by rows, symmetric with positive diagonal. Not ok: it has no inverse.
func (b *Body) Bend(out, m, f []float64) (ok bool) {
	n := len(f)
	for i := range n {
		copy(b.ortho[i][:n], m[i*n:(i+1)*n])
	}
	if ok = b.factor(n); ok {
		b.solve(out, f)
	}
	return ok
}
