package integrate

import "rths/model/structure"

// sparsePart is a numerical part held as sparse matrices.
type sparsePart struct {
	*structure.Sparse
	load  [][]float64 // columns of L
	iface []int
	sum   []float64 // x + A1 v
}

func newSparsePart(p *structure.Partition) *sparsePart {
	n := p.N()
	_, comps := p.Load.Dims()
	s := &sparsePart{Sparse: p.Sparse, iface: p.Interface, sum: make([]float64, n)}
	for j := range comps {
		column := make([]float64, n)
		for i := range column {
			column[i] = p.Load.At(i, j)
		}
		s.load = append(s.load, column)
	}
	return s
}

// balance sets r = −L w − e f − C v − K x. As C is diag(C) + A1 K, one product with K
// serves both.
func (p *sparsePart) balance(r, x, v, w, force []float64) {
	c, sum, a1 := p.C[:len(r)], p.sum[:len(r)], p.A1
	v = v[:len(r)]
	for i, x := range x[:len(r)] {
		sum[i] = x + a1*v[i]
	}
	p.K.MulVec(r, sum)
	for i, f := range r {
		r[i] = -f - c[i]*v[i]
	}
	for j, column := range p.load {
		a := w[j]
		for i, l := range column[:len(r)] {
			r[i] -= l * a
		}
	}
	for i, d := range p.iface {
		r[d] -= force[i]
	}
}
