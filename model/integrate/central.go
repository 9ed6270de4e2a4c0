package integrate

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/model/structure"
)

// CentralDifference is
//
//	(M/h² + C/2h) x[k+1] = −M Γ a_g[k] − e f[k] − K x[k] + M (2x[k] − x[k−1])/h² + C x[k−1]/2h
//
// of order 2, stable for ω h ≤ 2 (paper 000, section 3). The
// state is [x[k]; x[k−1]], both 0 at the start: a load that begins with a jump
// acts as if it had begun half a step earlier. The target's velocity is the
// backward difference at t_k+1, of order 1; its acceleration belongs to t_k.
// Not for massless degrees of freedom, even damped ones: the step is then
// x[k+1] = x[k−1] − 2h (K/C) x[k], which grows whatever h.
type CentralDifference struct{}

// Make makes the integrator, or says which step would be stable.
func (*CentralDifference) Make(p *structure.Partition, h float64) (rths.Integrator, error) {
	if err := checkPositive("central-difference", h); err != nil {
		return nil, err
	}
	c := &central{p: withDevices(p), h: h}
	if err := whileSteep(p, h, c.checkStep); err != nil {
		return nil, err
	}
	if p.Sparse != nil {
		return newBanded("central-difference", p, h, 0, deriveCentral)
	}
	var left, damp mat.Dense
	left.Scale(1/(h*h), p.M)
	damp.Scale(1/(2*h), p.C)
	left.Add(&left, &damp)
	c.inv = new(mat.Dense)
	if err := c.inv.Inverse(&left); err != nil {
		return nil, fmt.Errorf("central-difference: M/h² + C/2h: %w", err)
	}
	return leading(c, p, h)
}

type central struct {
	p   *structure.Partition
	h   float64
	inv *mat.Dense
}

func (c *central) states() int { return 2 * c.p.N() }

// start is [x; x + h²/2 ẍ₀] with M ẍ₀ = −K x − e f: the step before the first,
// of a motion that is symmetric about its release.
func (c *central) start(x, force []float64) ([]float64, error) {
	inv, err := c.p.InverseMass()
	if err != nil {
		return nil, err
	}
	n := c.p.N()
	var load, acc mat.VecDense
	load.MulVec(c.p.K, mat.NewVecDense(n, x))
	for i, d := range c.p.Interface {
		load.SetVec(d, load.AtVec(d)+force[i])
	}
	acc.MulVec(inv, &load)
	z := append(append([]float64(nil), x...), x...)
	for i := range n {
		z[n+i] -= c.h * c.h / 2 * acc.AtVec(i)
	}
	return z, nil
}

func (c *central) step(in *input) *output {
	n, h, p := c.p.N(), c.h, c.p
	x, before := in.z[:n], in.z[n:]
	load := mat.NewVecDense(n, nil)
	sub := func(m mat.Matrix, v []float64) {
		var part mat.VecDense
		part.MulVec(m, mat.NewVecDense(len(v), v))
		load.SubVec(load, &part)
	}
	sub(p.Load, in.g[0])
	sub(p.K, x)
	past := make([]float64, n)
	lag := make([]float64, n)
	for i := range n {
		past[i] = (before[i] - 2*x[i]) / (h * h)
		lag[i] = -before[i] / (2 * h)
	}
	sub(p.M, past)
	sub(p.C, lag)
	for i, d := range p.Interface {
		load.SetVec(d, load.AtVec(d)-in.force[i])
	}
	var next mat.VecDense
	next.MulVec(c.inv, load)
	xn := next.RawVector().Data
	out := &output{z: append(append([]float64(nil), xn...), x...), v: make([]float64, n), a: make([]float64, n)}
	out.target = rths.NewMotion(n)
	copy(out.target.X, xn)
	for i := range n {
		out.v[i] = (xn[i] - before[i]) / (2 * h)
		out.a[i] = (xn[i] - 2*x[i] + before[i]) / (h * h)
		out.target.V[i] = (xn[i] - x[i]) / h
		out.target.A[i] = out.a[i]
	}
	return out
}

// checkStep compares h with 2/ω of the highest mode, which damping does not
// change for this method.
func (c *central) checkStep(p *structure.Partition) error {
	top, err := topOmega(p)
	if err != nil {
		return fmt.Errorf("central-difference: numerical part: %w", err)
	}
	if c.h*top > 2*(1+1e-12) {
		return &StepError{Method: "central-difference", H: c.h, Limit: 2 / top, HighestHz: top / (2 * math.Pi)}
	}
	return nil
}
