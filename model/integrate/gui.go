package integrate

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/model/structure"
)

// Gui is the family of explicit methods of Gui et al. 2014 (paper 003, eqs 2–4):
//
//	u[i+1] = u[i] + Δt u̇[i] + α Δt² ü[i]                               (2)
//	u̇[i+1] = u̇[i] + α Δt ü[i]                                          (3)
//	α = 2λ (2λ M + λ Δt C₀ + 2 Δt² K₀)⁻¹ M                              (4)
//
// with M, C₀, K₀ of the numerical part; λ = 4 is the CR method of Chen and Ricles
// 2008. The displacement is of order 2. The velocity obeys Δt u̇[i+1] = u[i+1] −
// u[i] exactly: it lags half a step and is of order 1. Stable for any step if
// λ ≤ 4, else for Ω = ω Δt ≤ 2 √(λ/(λ−4)), whatever the damping. The specimen's
// stiffness is not in α: with a stiff specimen the limit is lower.
type Gui struct {
	Lambda float64 `yaml:"lambda" doc:"parameter λ of the family, more than 0: up to 4 stable for any step, 11.5 the most accurate; 4 is CR"`
}

// Limits of λ. In α (4) the terms of mass and stiffness, 2λ M and 2 Δt² K₀, are as λ to
// Ω². At Ω = 1 rounding takes the mass below λ = ε = 2⁻⁵², and the stiffness above 1/ε.
const (
	leastLambda = 0x1p-52
	mostLambda  = 0x1p52
)

// Make makes the integrator, or says which step would be stable.
func (p *Gui) Make(part *structure.Partition, h float64) (rths.Integrator, error) {
	return p.make("gui", part, h)
}

func (p *Gui) make(name string, part *structure.Partition, h float64) (rths.Integrator, error) {
	if err := checkPositive(name, h); err != nil {
		return nil, err
	}
	if !(p.Lambda >= leastLambda && p.Lambda <= mostLambda) {
		return nil, fmt.Errorf("gui: lambda %g: want more than 0, from %.2g to %.2g: beyond, double precision loses a "+
			"term of α", p.Lambda, leastLambda, mostLambda)
	}
	if err := p.checkStep(part, h); err != nil {
		return nil, err
	}
	if err := p.checkHardening(name, part, h); err != nil {
		return nil, err
	}
	if part.Sparse != nil {
		return newBanded(name, part, h, 1/p.Lambda, deriveGui)
	}
	inv, err := part.InverseMass()
	if err != nil {
		return nil, err
	}
	g := &gui{p: withDevices(part), h: h, inv: inv, alpha: new(mat.Dense)}
	if err := g.alpha.Inverse(p.left(part, h)); err != nil {
		return nil, fmt.Errorf("gui: %w", err)
	}
	g.alpha.Scale(2*p.Lambda, g.alpha)
	return leading(g, part, h)
}

// left is 2λ M + λ Δt C₀ + 2 Δt² K₀.
func (p *Gui) left(part *structure.Partition, h float64) *mat.Dense {
	var out, c, k mat.Dense
	out.Scale(2*p.Lambda, part.M)
	c.Scale(p.Lambda*h, part.C)
	k.Scale(2*h*h, part.K)
	out.Add(&out, &c)
	out.Add(&out, &k)
	return &out
}

// LimitOmega is the largest stable Ω = ω Δt: (λ − 4) Ω² ≤ 4 λ (docs/reference/zhu2014.md, Gui-λ).
func (p *Gui) LimitOmega() float64 {
	if p.Lambda <= 4 {
		return math.Inf(1)
	}
	return 2 * math.Sqrt(p.Lambda/(p.Lambda-4))
}

// checkStep compares h with the limit at the highest mode.
func (p *Gui) checkStep(part *structure.Partition, h float64) error {
	limit := p.LimitOmega()
	if part.Sparse != nil && math.IsInf(limit, 1) {
		return nil
	}
	top, err := topOmega(part)
	if err != nil {
		return fmt.Errorf("gui: numerical part: %w", err)
	}
	if h*top > limit*(1+1e-12) {
		return &StepError{Method: fmt.Sprintf("gui with lambda %g", p.Lambda), H: h, Limit: limit / top,
			HighestHz: top / (2 * math.Pi)}
	}
	return nil
}

// CR is the method of Chen and Ricles 2008: Gui with λ = 4.
type CR struct{}

// Make makes the integrator; every step is stable.
func (*CR) Make(p *structure.Partition, h float64) (rths.Integrator, error) {
	return (&Gui{Lambda: 4}).make("cr", p, h)
}

// FamilyLambda is λ.
func (p *Gui) FamilyLambda() float64 { return p.Lambda }

// FamilyLambda is 4.
func (*CR) FamilyLambda() float64 { return 4 }

// FamilyLambda is +Inf: central differences are the limit of the family.
func (*CentralDifference) FamilyLambda() float64 { return math.Inf(1) }

// FamilyLambda is +Inf: the displacements are central difference's.
func (*NewmarkExplicit) FamilyLambda() float64 { return math.Inf(1) }

type gui struct {
	p     *structure.Partition
	h     float64
	inv   *mat.Dense // M⁻¹
	alpha *mat.Dense // α M⁻¹, from unbalanced forces to α ü
}

func (g *gui) states() int { return 2 * g.p.N() }

// start is [x; −Δt/2 α ü₀]: this method's velocity lags half a step, and a start at 0
// would reduce the order of the displacement.
func (g *gui) start(x, force []float64) ([]float64, error) {
	n := g.p.N()
	a := multiply(g.alpha, balance(g.p, x, make([]float64, n), nil, force))
	z := append(append([]float64(nil), x...), make([]float64, n)...)
	for i := range n {
		z[n+i] = -g.h / 2 * a[i]
	}
	return z, nil
}

func (g *gui) step(in *input) *output {
	n, h := g.p.N(), g.h
	u, v := in.z[:n], in.z[n:]
	forces := balance(g.p, u, v, in.g[0], in.force)
	nextV := axpy(v, h, multiply(g.alpha, forces))        // (3)
	nextU := axpy(u, h, nextV)                            // (2) with (3)
	held := balance(g.p, nextU, nextV, in.g[2], in.force) // M ü of the force held to the end of the step
	return &output{
		z: append(append([]float64(nil), nextU...), nextV...), v: v, a: multiply(g.inv, forces),
		target: rths.Motion{X: nextU, V: nextV, A: multiply(g.inv, held)},
	}
}
