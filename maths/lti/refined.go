package lti

import (
	"math/cmplx"

	lapack "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"
)

// Refined is a Sweep whose solutions are improved by their residuals in the states that were given. A Sweep rotates all
// states into each other: where some are 1e9 times as large as others, as in inverses of third order with chains of
// delays, the response from small to small has no correct digit. N. J. Higham, Accuracy and Stability of Numerical
// Algorithms, 2nd ed., chapter 12.
type Refined struct {
	s     SS
	sweep *Sweep
	back  *mat.Dense // from the states of the sweep to those given
	there *mat.Dense // its inverse
}

// Refined prepares the system. The result has room for one evaluation at a time.
func (s SS) Refined() *Refined {
	h, scale := balance(s.A)
	n, _, _ := s.Dims()
	a := h.RawMatrix()
	tau, work := make([]float64, max(0, n-1)), make([]float64, 64*n)
	var impl lapack.Implementation
	impl.Dgehrd(n, 0, n-1, a.Data, a.Stride, tau, work, len(work))
	q := mat.DenseCopyOf(h)
	impl.Dorghr(n, 0, n-1, q.RawMatrix().Data, q.RawMatrix().Stride, tau, work, len(work))
	r := &Refined{s: s, back: mat.DenseCopyOf(q), there: mat.DenseCopyOf(q.T()), sweep: &Sweep{h: h,
		left: make([]complex128, n*n)}}
	r.back.Apply(func(i, _ int, v float64) float64 { return v * scale[i] }, r.back)
	r.there.Apply(func(_, j int, v float64) float64 { return v / scale[j] }, r.there)
	return r
}

// mostRefined is how often a solution is improved before Gauss has to do it.
const mostRefined = 6

// At is SS.At.
func (r *Refined) At(z complex128) (*mat.CDense, error) {
	n, m, p := r.s.Dims()
	x, rest := mat.NewCDense(n, m, nil), asComplex(r.s.B)
	last := mat.NewCDense(p, m, nil)
	for range mostRefined {
		r.sweep.x = times(r.there, rest).RawCMatrix().Data
		r.sweep.fill(z)
		if err := r.sweep.solve(n, m); err != nil {
			break
		}
		add(x, 1, times(r.back, mat.NewCDense(n, m, r.sweep.x)))
		g := times(r.s.C, x)
		add(g, 1, asComplex(r.s.D))
		if settled(g, last) {
			return g, nil
		}
		last = g
		rest = times(r.s.A, x) // B − (zI − A) x
		add(rest, -z, x)
		add(rest, 1, asComplex(r.s.B))
	}
	return r.s.At(z)
}

// settled: no number moves by more than the rounding of the largest.
func settled(g, last *mat.CDense) bool {
	size, moved := 0.0, 0.0
	for i, v := range g.RawCMatrix().Data {
		size, moved = max(size, cmplx.Abs(v)), max(moved, cmplx.Abs(v-last.RawCMatrix().Data[i]))
	}
	return moved <= 1e-11*size
}

func asComplex(a *mat.Dense) *mat.CDense {
	n, m := a.Dims()
	out := mat.NewCDense(n, m, nil)
	for i := range n {
		for j := range m {
			out.Set(i, j, complex(a.At(i, j), 0))
		}
	}
	return out
}

// times is A X.
func times(a *mat.Dense, x *mat.CDense) *mat.CDense {
	n, k := a.Dims()
	_, m := x.Dims()
	out, from := make([]complex128, n*m), x.RawCMatrix().Data
	for i := range n {
		for c, v := range a.RawRowView(i)[:k] {
			if v == 0 {
				continue
			}
			subtract(out[i*m:(i+1)*m], complex(-v, 0), from[c*m:(c+1)*m])
		}
	}
	return mat.NewCDense(n, m, out)
}

// add is X ← X + f Y.
func add(x *mat.CDense, f complex128, y *mat.CDense) {
	subtract(x.RawCMatrix().Data, -f, y.RawCMatrix().Data)
}
