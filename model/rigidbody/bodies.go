package rigidbody

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Held is a body, or are several side by side, that as many links as coordinates hold.
type Held interface {
	Find(q, elongations []float64) (off float64)
	Rates(v, a []float64, q, rate, bend []float64)
	Motion(rate, bend []float64, q, v, a []float64) (ok bool)
	Along(f, s, q []float64) (ok bool)
	Forces(out, f, q []float64)
	Elongations(out, q []float64)
	Jacobian(q []float64, m int) *mat.Dense
	Slopes(out blas64.General, q []float64)
}

// Bodies are several bodies, none of which holds another. Coordinates and links are those of the first, then those of
// the second, and so on, as many links as coordinates of each. Methods are those of Body, of all bodies.
type Bodies []*Body

// each calls do for all bodies, whose coordinates and links are from and to.
func (b Bodies) each(do func(one *Body, from, to int)) {
	from := 0
	for _, one := range b {
		do(one, from, from+len(one.coords))
		from += len(one.coords)
	}
}

// Find is Find of a Body.
func (b Bodies) Find(q, elongations []float64) (off float64) {
	b.each(func(one *Body, i, j int) { off = math.Hypot(off, one.Find(q[i:j], elongations[i:j])) })
	return off
}

// Elongations is Elongations of a Body.
func (b Bodies) Elongations(out, q []float64) {
	b.each(func(one *Body, i, j int) { one.Elongations(out[i:j], q[i:j]) })
}

// Rates is Rates of a Body.
func (b Bodies) Rates(v, a []float64, q, rate, bend []float64) {
	b.each(func(one *Body, i, j int) { one.Rates(v[i:j], a[i:j], q[i:j], rate[i:j], bend[i:j]) })
}

// Motion is Motion of a Body.
func (b Bodies) Motion(rate, bend []float64, q, v, a []float64) (ok bool) {
	ok = true
	b.each(func(one *Body, i, j int) { ok = one.Motion(rate[i:j], bend[i:j], q[i:j], v[i:j], a[i:j]) && ok })
	return ok
}

// Along is Along of a Body.
func (b Bodies) Along(f, s, q []float64) (ok bool) {
	ok = true
	b.each(func(one *Body, i, j int) { ok = one.Along(f[i:j], s[i:j], q[i:j]) && ok })
	return ok
}

// Forces is Forces of a Body.
func (b Bodies) Forces(out, f, q []float64) {
	b.each(func(one *Body, i, j int) { one.Forces(out[i:j], f[i:j], q[i:j]) })
}

// Jacobian has a block for each body, of all m links.
func (b Bodies) Jacobian(q []float64, m int) *mat.Dense {
	out := mat.NewDense(m, m, nil)
	b.Slopes(out.RawMatrix(), q)
	return out
}

// Slopes sets the blocks of all bodies in out.
func (b Bodies) Slopes(out blas64.General, q []float64) {
	b.each(func(one *Body, i, j int) {
		one.Slopes(blas64.General{Rows: j - i, Cols: j - i, Stride: out.Stride, Data: out.Data[i*out.Stride+i:]}, q[i:j])
	})
}
