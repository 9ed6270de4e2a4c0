package structure

import (
	"errors"
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/mat"

	"rths/maths/lti"
)

// driven is how actions answer each other in the coordinates of a galerkin, prepared for many
// frequencies: H = Eᵀ (K + iωC − ω²M)⁻¹ E, where E has the loads as columns. In the row of a force H has
// the displacement there. With iω = σ + σ/θ and Z(σ) = K + σC + σ²M, which has an inverse though
// a structure moves as a rigid body or has coordinates without mass,
//
//	(θ² + θ A₁ + A₂) p = Z(σ)⁻¹ E,   A₁ = σ Z(σ)⁻¹ (C + 2σM),   A₂ = σ² Z(σ)⁻¹ M,   H = θ² Eᵀ p
//
// is a system of the first order whose matrix has no units, and |θ| is 0.7 to 1 up to ω = σ.
type driven struct {
	sweep *lti.Sweep
	sigma float64 // rad/s
}

// driven takes the first n coordinates, for frequencies up to sigma.
func (g *galerkin) driven(n int, sigma float64) (*driven, error) {
	size := make([]float64, n)
	for i := range size {
		size[i] = 1 / math.Sqrt(g.k[i][i]+sigma*sigma*g.m[i][i])
	}
	e, right := mat.NewDense(n, len(g.actions), nil), mat.NewDense(n, len(g.actions)+2*n, nil)
	z := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range i + 1 {
			unit := size[i] * size[j]
			m, c, k := sigma*sigma*g.m[i][j]*unit, sigma*g.c[i][j]*unit, g.k[i][j]*unit
			for _, at := range [][2]int{{i, j}, {j, i}} {
				z.Set(at[0], at[1], k+c+m)
				right.Set(at[0], at[1], -m)
				right.Set(at[0], n+at[1], -c-2*m)
			}
		}
		for j := range g.actions {
			e.Set(i, j, size[i]*g.actions[j].load[i])
			right.Set(i, 2*n+j, e.At(i, j))
		}
	}
	var x mat.Dense
	var poor mat.Condition
	if err := x.Solve(z, right); err != nil && (!errors.As(err, &poor) || math.IsInf(float64(poor), 1)) {
		return nil, err
	}
	a, b, c := mat.NewDense(2*n, 2*n, nil), mat.NewDense(2*n, len(g.actions), nil), mat.NewDense(len(g.actions), 2*n, nil)
	for i := range n {
		a.Set(i, n+i, 1)
	}
	a.Slice(n, 2*n, 0, 2*n).(*mat.Dense).Copy(x.Slice(0, n, 0, 2*n))
	b.Slice(n, 2*n, 0, len(g.actions)).(*mat.Dense).Copy(x.Slice(0, n, 2*n, 2*n+len(g.actions)))
	c.Slice(0, len(g.actions), 0, n).(*mat.Dense).Copy(e.T())
	return &driven{lti.SS{A: a, B: b, C: c, D: mat.NewDense(len(g.actions), len(g.actions), nil)}.Sweep(), sigma}, nil
}

// at is H at a frequency (rad/s); nil at a natural frequency of an undamped structure.
func (d *driven) at(omega float64) *answers {
	theta := complex(d.sigma, 0) / complex(-d.sigma, omega)
	h, err := d.sweep.At(theta)
	if err != nil {
		return nil
	}
	return &answers{h, theta * theta}
}

// answers are H at a frequency.
type answers struct {
	h    *mat.CDense
	unit complex128
}

// of is how output j answers action i.
func (a *answers) of(j, i int) complex128 { return a.unit * a.h.At(j, i) }

// silent is the part of the responses to an action at its own place, and of an output to an action at
// its place, below which the response of the one to the other counts as none.
const silent = 1e-8

// still reports whether an action hardly moves an output: what moves there is rounding,
// as under a vertical ground motion the horizontal displacement of a symmetric structure.
func (a *answers) still(j, i int) bool {
	own := math.Sqrt(cmplx.Abs(a.of(j, j)) * cmplx.Abs(a.of(i, i)))
	return !(cmplx.Abs(a.of(j, i)) > silent*own)
}
