package lti

import (
	"errors"
	"fmt"
	"math/cmplx"

	"gonum.org/v1/gonum/blas"
	lapack "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"
)

// Sweep is a system prepared for its response at many points z. A is balanced and
// brought to upper Hessenberg form H = Qᵀ A Q once; (zI-H) X = Qᵀ B then costs n²
// operations at each z where SS.At costs n³. A. J. Laub, IEEE Trans. Autom. Control
// 26 (1981) 407, doi:10.1109/TAC.1981.1102598.
type Sweep struct {
	h, b, c, d *mat.Dense
	left, x    []complex128 // what is left of zI-H, and of the right-hand side
}

// Sweep prepares the system. The result has room for one evaluation at a time.
func (s SS) Sweep() *Sweep {
	n, m, p := s.Dims()
	h, scale := balance(s.A)
	w := &Sweep{h: h, b: mat.DenseCopyOf(s.B), c: mat.DenseCopyOf(s.C), d: s.D, left: make([]complex128, n*n),
		x: make([]complex128, n*m)}
	w.b.Apply(func(i, _ int, v float64) float64 { return v / scale[i] }, w.b)
	w.c.Apply(func(_, j int, v float64) float64 { return v * scale[j] }, w.c)
	var impl lapack.Implementation
	a, b, c := w.h.RawMatrix(), w.b.RawMatrix(), w.c.RawMatrix()
	tau, work := make([]float64, max(0, n-1)), make([]float64, 64*max(n, m, p))
	impl.Dgehrd(n, 0, n-1, a.Data, a.Stride, tau, work, len(work))
	impl.Dormhr(blas.Left, blas.Trans, n, m, 0, n-1, a.Data, a.Stride, tau, b.Data, b.Stride, work, len(work))
	impl.Dormhr(blas.Right, blas.NoTrans, p, n, 0, n-1, a.Data, a.Stride, tau, c.Data, c.Stride, work, len(work))
	return w
}

// At returns C (zI-A)^-1 B + D as SS.At does. A z that is a pole is an error.
func (w *Sweep) At(z complex128) (*mat.CDense, error) {
	n, m := w.b.Dims()
	p, _ := w.c.Dims()
	w.fill(z)
	for i := range n {
		for j := range m {
			w.x[i*m+j] = complex(w.b.At(i, j), 0)
		}
	}
	if err := w.solve(n, m); err != nil {
		return nil, fmt.Errorf("frequency response: z = %g is a pole: %w", z, err)
	}
	g := mat.NewCDense(p, m, nil)
	for i := range p {
		for j := range m {
			sum := complex(w.d.At(i, j), 0)
			for k := range n {
				sum += complex(w.c.At(i, k), 0) * w.x[k*m+j]
			}
			g.Set(i, j, sum)
		}
	}
	return g, nil
}

// fill makes zI-H.
func (w *Sweep) fill(z complex128) {
	n, _ := w.h.Dims()
	for i := range n {
		for j := max(0, i-1); j < n; j++ {
			w.left[i*n+j] = complex(-w.h.At(i, j), 0)
		}
		w.left[i*n+i] += z
	}
}

// solve is Gaussian elimination of one entry below each diagonal, the larger of two
// rows being the pivot, and substitution from below.
func (w *Sweep) solve(n, m int) error {
	row := func(i int) []complex128 { return w.left[i*n : (i+1)*n] }
	right := func(i int) []complex128 { return w.x[i*m : (i+1)*m] }
	for k := range n - 1 {
		if cmplx.Abs(row(k + 1)[k]) > cmplx.Abs(row(k)[k]) {
			swap(row(k)[k:], row(k + 1)[k:])
			swap(right(k), right(k+1))
		}
		if row(k)[k] != 0 {
			f := row(k + 1)[k] / row(k)[k]
			subtract(row(k + 1)[k+1:], f, row(k)[k+1:])
			subtract(right(k+1), f, right(k))
		}
	}
	for k := n - 1; k >= 0; k-- {
		pivot := row(k)[k]
		if pivot == 0 {
			return errors.New("singular matrix")
		}
		for j := range right(k) {
			right(k)[j] /= pivot
		}
		for i := range k {
			subtract(right(i), row(i)[k], right(k))
		}
	}
	return nil
}

func swap(a, b []complex128) {
	for i := range a {
		a[i], b[i] = b[i], a[i]
	}
}

// subtract takes f x off y.
func subtract(y []complex128, f complex128, x []complex128) {
	for i, v := range x {
		y[i] -= f * v
	}
}
