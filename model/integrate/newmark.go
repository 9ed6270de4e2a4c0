package integrate

import (
	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/model/structure"
)

// NewmarkExplicit is Newmark's method with β = 0, γ = 1/2:
//
//	x[k+1] = x[k] + h ẋ[k] + h²/2 ẍ[k],   ẋ[k] = ẋ[k−1] + h/2 (ẍ[k−1] + ẍ[k])
//	M ẍ[k] + C ẋ[k] + K x[k] = −L w[k] − e f[k]
//
// of order 2, stable for ω h ≤ 2. The state is [x[k]; ẋ[k−1] + h/2 ẍ[k−1]], with
// the velocity as far as it is known before the force of t_k. Displacements
// equal central difference's. Every degree of freedom needs a mass.
type NewmarkExplicit struct{}

// Make makes the integrator, or says which step would be stable.
func (*NewmarkExplicit) Make(p *structure.Partition, h float64) (rths.Integrator, error) {
	if err := checkPositive("newmark-explicit", h); err != nil {
		return nil, err
	}
	if err := whileSteep(p, h, (&central{h: h}).checkStep); err != nil {
		return nil, renamed(err, "newmark-explicit")
	}
	if p.Sparse != nil {
		return newBanded("newmark-explicit", p, h, 0, deriveNewmark)
	}
	inv, err := p.InverseMass()
	if err != nil {
		return nil, err
	}
	n := &newmark{p: withDevices(p), h: h, inv: inv, left: new(mat.Dense)}
	var damped mat.Dense
	damped.Scale(h/2, p.C)
	damped.Add(&damped, p.M)
	if err := n.left.Inverse(&damped); err != nil {
		return nil, err
	}
	return leading(n, p, h)
}

type newmark struct {
	p    *structure.Partition
	h    float64
	inv  *mat.Dense // M⁻¹
	left *mat.Dense // (M + h/2 C)⁻¹
}

func (m *newmark) states() int { return 2 * m.p.N() }

func (m *newmark) start(x, force []float64) ([]float64, error) {
	n := m.p.N()
	a := multiply(m.inv, balance(m.p, x, make([]float64, n), nil, force))
	z := append(append([]float64(nil), x...), make([]float64, n)...)
	for i := range n {
		z[n+i] = -m.h / 2 * a[i] // so that ẋ[0] = 0
	}
	return z, nil
}

func (m *newmark) step(in *input) *output {
	n, h := m.p.N(), m.h
	x, known := in.z[:n], in.z[n:]
	a := multiply(m.left, balance(m.p, x, known, in.g[0], in.force))
	v := axpy(known, h/2, a)
	next := axpy(axpy(x, h, v), h*h/2, a)
	nextKnown := axpy(v, h/2, a)
	// The target's rates assume that the force is held to the end of the step.
	held := multiply(m.left, balance(m.p, next, nextKnown, in.g[2], in.force))
	return &output{
		z: append(append([]float64(nil), next...), nextKnown...), v: v, a: a,
		target: rths.Motion{X: next, V: axpy(nextKnown, h/2, held), A: held},
	}
}

// balance is −L w − e f − C v − K x = M ẍ.
func balance(p *structure.Partition, x, v, w, force []float64) []float64 {
	out := make([]float64, len(x))
	sub := func(m mat.Matrix, y []float64) {
		for i, f := range multiply(m, y) {
			out[i] -= f
		}
	}
	if w != nil {
		sub(p.Load, w)
	}
	sub(p.K, x)
	sub(p.C, v)
	for i, d := range p.Interface {
		out[d] -= force[i]
	}
	return out
}

func multiply(m mat.Matrix, x []float64) []float64 {
	var y mat.VecDense
	y.MulVec(m, mat.NewVecDense(len(x), x))
	return y.RawVector().Data
}
