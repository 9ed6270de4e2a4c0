package structure

import (
	"fmt"
	"math"
)

// Material is an isotropic linear elastic one in plane strain.
type Material struct {
	Modulus   float64 // Young's modulus E, Pa
	Poisson   float64 // ν, -
	Density   float64 // ρ, kg/m³
	Thickness float64 // m
}

func (m Material) check() error {
	for _, q := range []struct {
		name, unit string
		v          float64
	}{{"elastic modulus", "Pa", m.Modulus}, {"density", "kg/m³", m.Density}, {"thickness", "m", m.Thickness}} {
		if !(q.v > 0) || math.IsInf(q.v, 1) {
			return fmt.Errorf("%s %g %s: want more than 0", q.name, q.v, q.unit)
		}
	}
	// At ν = 1/2 the material cannot change its volume; long before, four-node
	// elements lock.
	if !(m.Poisson >= 0 && m.Poisson < 0.5) {
		return fmt.Errorf("poisson ratio %g: want 0 to below 0.5", m.Poisson)
	}
	return nil
}

// elastic is D of σ = D ε, plane strain: rows σx, σy, τxy.
func (m Material) elastic() (d11, d12, d33 float64) {
	f := m.Modulus / ((1 + m.Poisson) * (1 - 2*m.Poisson))
	return f * (1 - m.Poisson), f * m.Poisson, f * (1 - 2*m.Poisson) / 2
}

// quad is the four-node isoparametric element (Zienkiewicz and Taylor, The Finite
// Element Method, vol. 1, ch. 8; Hughes, The Finite Element Method, ch. 3):
// nodes counterclockwise from (ξ, η) = (−1, −1), degrees of freedom u₁, v₁, u₂, ….
type quad [4][2]float64

var quadCorners = [4][2]float64{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}

// shape is N, ∂N/∂x, ∂N/∂y and det J at (ξ, η).
func (q *quad) shape(xi, eta float64) (n, nx, ny [4]float64, det float64) {
	var nxi, neta [4]float64
	var j [2][2]float64 // ∂(x, y)/∂(ξ, η)
	for i, c := range quadCorners {
		n[i] = (1 + c[0]*xi) * (1 + c[1]*eta) / 4
		nxi[i], neta[i] = c[0]*(1+c[1]*eta)/4, c[1]*(1+c[0]*xi)/4
		for d := range 2 {
			j[d][0] += nxi[i] * q[i][d]
			j[d][1] += neta[i] * q[i][d]
		}
	}
	det = j[0][0]*j[1][1] - j[0][1]*j[1][0]
	for i := range n {
		nx[i] = (j[1][1]*nxi[i] - j[1][0]*neta[i]) / det
		ny[i] = (j[0][0]*neta[i] - j[0][1]*nxi[i]) / det
	}
	return n, nx, ny, det
}

// check wants det J > 0 at every corner: det J is linear in ξ and η, so it is then
// positive in the whole element.
func (q *quad) check() error {
	for i, c := range quadCorners {
		if _, _, _, det := q.shape(c[0], c[1]); !(det > 0) || math.IsInf(det, 1) {
			return fmt.Errorf(
				"inverted or degenerate at its corner %d (%g, %g), Jacobian %.3g m²: want four corners counterclockwise, each "+
					"less than 180°", i+1, q[i][0], q[i][1], det)
		}
	}
	return nil
}

// matrices are the stiffness K = ∫ Bᵀ D B t dA (N/m) by 2 × 2 Gauss points and the
// masses ∫ ρ N t dA lumped at the nodes (kg), which are positive and add up to
// the mass of the element.
func (q *quad) matrices(m Material) (k [8][8]float64, mass [4]float64) {
	d11, d12, d33 := m.elastic()
	g := 1 / math.Sqrt(3)
	for _, at := range quadCorners {
		n, nx, ny, det := q.shape(g*at[0], g*at[1])
		w := det * m.Thickness
		for i := range 4 {
			mass[i] += m.Density * n[i] * w
			for j := range 4 {
				k[2*i][2*j] += w * (nx[i]*d11*nx[j] + ny[i]*d33*ny[j])
				k[2*i][2*j+1] += w * (nx[i]*d12*ny[j] + ny[i]*d33*nx[j])
				k[2*i+1][2*j] += w * (ny[i]*d12*nx[j] + nx[i]*d33*ny[j])
				k[2*i+1][2*j+1] += w * (ny[i]*d11*ny[j] + nx[i]*d33*nx[j])
			}
		}
	}
	for i := range 8 { // mirrored entries get the same bits
		for j := range i {
			k[i][j] = k[j][i]
		}
	}
	return k, mass
}
