package integrate

import (
	"rths/maths/lti"
	"rths/model/structure"
)

// bandedIncrement solves
//
//	(K + 4/h² M + 2/h C) d = −K U₀ + (4/h M + C) V₀ + M A₀ − L w₁ − e f₁
//
// for d = U₁ − U₀ in every step, with a band matrix factorised beforehand.
type bandedIncrement struct {
	p    *sparsePart
	left *lti.Banded
	a2   float64   // 4/h
	back []float64 // −V₀: the right side has +C V₀, the balance of forces −C V
}

func (s *Average) bandedIncrement(p *structure.Partition) error {
	k, diagonal := p.Sparse.K, make([]float64, s.n)
	for i, m := range p.Sparse.M {
		diagonal[i] = s.a0*m + s.a1*p.Sparse.C[i]
	}
	left, err := lti.NewBanded(k.Shifted(1+s.a1*p.Sparse.A1, diagonal))
	if err != nil {
		return err
	}
	s.step = &bandedIncrement{p: newSparsePart(p), left: left, a2: s.a2, back: make([]float64, s.n)}
	s.d = make([]float64, s.n)
	return nil
}

// Apply sets d for in = [U₀; V₀; A₀; w₁; f₁].
func (b *bandedIncrement) Apply(d, in []float64) {
	n := len(d)
	u, v, a, w := in[:n], in[n:2*n], in[2*n:3*n], in[3*n:]
	for i, v := range v {
		b.back[i] = -v
	}
	b.p.balance(d, u, b.back, w, w[len(b.p.load):])
	for i, m := range b.p.M {
		d[i] += m * (b.a2*v[i] + a[i])
	}
	b.left.Solve(d)
}
