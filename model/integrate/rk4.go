package integrate

import (
	"math/cmplx"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/model/structure"
)

// RK4 is the classical Runge–Kutta method of order 4 on z = [x; ẋ], with the
// ground acceleration at t_k, t_k + h/2 and t_k+1 and the force of the specimen
// held over the step, as Simulink's ode4 does it in series with a unit delay. It is not for
// stiff models: |ω h| must stay below 2.83.
type RK4 struct{}

// HoldsForce: over all four stages.
func (*RK4) HoldsForce() {}

// Make makes the integrator, or says which step would be stable.
func (*RK4) Make(p *structure.Partition, h float64) (rths.Integrator, error) {
	if err := checkPositive("rk4", h); err != nil {
		return nil, err
	}
	if p.Sparse != nil {
		return newSparseRK4(p, h)
	}
	if len(p.Devices) > 0 {
		return newStagedRK4(p, h)
	}
	s, err := newFirstOrder(p)
	if err != nil {
		return nil, err
	}
	if err := s.checkStep("rk4", h, rk4Growth); err != nil {
		return nil, err
	}
	o := newOneStep(&rk4{s, h}, p)
	for _, d := range p.Interface {
		for j := range p.Interface {
			o.inverseMass = append(o.inverseMass, -s.e.At(s.n+d, j))
		}
	}
	return o, nil
}

// rk4Growth is the factor of one step on z' = λz, with q = λh.
func rk4Growth(q complex128) float64 {
	return cmplx.Abs(1 + q*(1+q/2*(1+q/3*(1+q/4))))
}

type rk4 struct {
	*firstOrder
	h float64
}

func (r *rk4) states() int { return 2 * r.n }

// start is [x; 0].
func (r *rk4) start(x, _ []float64) ([]float64, error) {
	return append(append([]float64(nil), x...), make([]float64, r.n)...), nil
}

// step evaluates the four stages.
func (r *rk4) step(in *input) *output {
	h := r.h
	k1 := r.rate(in.z, in.g[0], in.force)
	k2 := r.rate(axpy(in.z, h/2, k1), in.g[1], in.force)
	k3 := r.rate(axpy(in.z, h/2, k2), in.g[1], in.force)
	k4 := r.rate(axpy(in.z, h, k3), in.g[2], in.force)
	z := make([]float64, len(in.z))
	for i := range z {
		z[i] = in.z[i] + h/6*(k1[i]+2*k2[i]+2*k3[i]+k4[i])
	}
	n := r.n
	end := r.rate(z, in.g[2], in.force)
	return &output{
		z: z, v: in.z[n:], a: k1[n:],
		target: rths.Motion{X: z[:n], V: z[n:], A: end[n:]},
	}
}

// axpy is x + a y.
func axpy(x []float64, a float64, y []float64) []float64 {
	out := make([]float64, len(x))
	for i := range out {
		out[i] = x[i] + a*y[i]
	}
	return out
}

// firstOrder is the numerical part as z' = A z + G a_g + E f with z = [x; ẋ].
type firstOrder struct {
	n       int
	a, g, e *mat.Dense
}

func newFirstOrder(p *structure.Partition) (*firstOrder, error) {
	if len(p.Interface) == 0 {
		return firstOrderOf(p, nil)
	}
	where := mat.NewDense(p.N(), len(p.Interface), nil)
	for i, d := range p.Interface {
		where.Set(d, i, 1)
	}
	return firstOrderOf(p, where)
}

// firstOrderOf has forces that act along the columns of where; nil: none.
func firstOrderOf(p *structure.Partition, where *mat.Dense) (*firstOrder, error) {
	n := p.N()
	inv, err := p.InverseMass()
	if err != nil {
		return nil, err
	}
	s := &firstOrder{n: n, a: mat.NewDense(2*n, 2*n, nil)}
	below := func(m *mat.Dense, minus mat.Matrix) { // rows n… of m: −M⁻¹ minus
		var b mat.Dense
		b.Mul(inv, minus)
		b.Scale(-1, &b)
		_, c := b.Dims()
		m.Slice(n, 2*n, 0, c).(*mat.Dense).Copy(&b)
	}
	for i := range n {
		s.a.Set(i, n+i, 1)
	}
	below(s.a, p.K)
	below(s.a.Slice(0, 2*n, n, 2*n).(*mat.Dense), p.C)
	_, comps := p.Load.Dims()
	s.g = mat.NewDense(2*n, comps, nil)
	below(s.g, p.Load)
	if where != nil {
		_, forces := where.Dims()
		s.e = mat.NewDense(2*n, forces, nil)
		below(s.e, where)
	}
	return s, nil
}

func (s *firstOrder) rate(z, ground, force []float64) []float64 {
	out := mat.NewVecDense(2*s.n, nil)
	out.MulVec(s.a, mat.NewVecDense(len(z), z))
	var part mat.VecDense
	part.MulVec(s.g, mat.NewVecDense(len(ground), ground))
	out.AddVec(out, &part)
	if s.e != nil {
		part.Reset()
		part.MulVec(s.e, mat.NewVecDense(len(force), force))
		out.AddVec(out, &part)
	}
	return out.RawVector().Data
}
