package structure

import (
	"math"
	"math/cmplx"
	"rths/maths/portable"

	"gonum.org/v1/gonum/floats"
)

// timesM, timesC and timesK set y = M x, C x, K x.
func (s *Structure) timesM(y, x []float64) {
	if s.Sparse == nil {
		multiply(y, s.M.RawMatrix().Data, x)
		return
	}
	for i, m := range s.Sparse.M {
		y[i] = m * x[i]
	}
}

func (s *Structure) timesC(y, x []float64) {
	if s.Sparse == nil {
		multiply(y, s.C.RawMatrix().Data, x)
		return
	}
	s.Sparse.K.MulVec(y, x)
	for i, c := range s.Sparse.C {
		y[i] = c*x[i] + s.Sparse.A1*y[i]
	}
}

func (s *Structure) timesK(y, x []float64) {
	if s.Sparse == nil {
		multiply(y, s.K.RawMatrix().Data, x)
		return
	}
	s.Sparse.K.MulVec(y, x)
}

// multiply sets y = A x for a square matrix by rows.
func multiply(y, a, x []float64) {
	for i := range y {
		y[i] = portable.Dot(a[i*len(x):(i+1)*len(x)], x)
	}
}

// galerkin is a structure in the coordinates of a basis T, x = T q: TᵀMT, TᵀCT, TᵀKT and the
// loads Tᵀe of some actions. The first coordinates are degrees of freedom of the structure,
// and no later one moves these.
type galerkin struct {
	s       *Structure
	kept    int
	t       [][]float64 // columns of T
	m, c, k [][]float64 // lower triangles by rows
	actions []action
}

// action is something that moves the structure, at unit size: a force (N) or a component of the
// ground acceleration (m/s²).
type action struct {
	name string
	on   []float64 // load of all degrees of freedom, N
	load []float64 // of the coordinates
}

// add adds a column to T.
func (g *galerkin) add(t []float64) {
	g.t = append(g.t, t)
	y := make([]float64, g.s.N)
	for _, part := range []struct {
		times func(y, x []float64)
		rows  *[][]float64
	}{{g.s.timesM, &g.m}, {g.s.timesC, &g.c}, {g.s.timesK, &g.k}} {
		part.times(y, t)
		row := make([]float64, len(g.t))
		for j, u := range g.t {
			row[j] = portable.Dot(u, y)
		}
		*part.rows = append(*part.rows, row)
	}
	if last := len(g.t) - 1; last >= g.kept { // KΨ + K_ib = 0
		clear(g.k[last][:g.kept])
	}
	for i := range g.actions {
		a := &g.actions[i]
		a.load = append(a.load, portable.Dot(t, a.on))
	}
}

// addOrthogonal adds the part of t that is orthogonal to T in the product of K, at unit energy,
// if more than tolerance is left. t leaves the kept degrees of freedom where they are.
func (g *galerkin) addOrthogonal(t []float64, tolerance float64) bool {
	pull := make([]float64, g.s.N)
	for range 2 {
		g.s.timesK(pull, t)
		for j := g.kept; j < len(g.t); j++ {
			floats.AddScaled(t, -portable.Dot(g.t[j], pull)/g.k[j][j], g.t[j])
		}
	}
	g.s.timesK(pull, t)
	size := math.Sqrt(max(0, portable.Dot(t, pull)))
	if !(size > tolerance) {
		return false
	}
	scaleTo(t, 1/size)
	g.add(t)
	return true
}

// energy is √(qᴴ K q) of the first coordinates.
func (g *galerkin) energy(q []complex128) float64 {
	sum := 0.0
	for i, row := range g.k[:len(q)] {
		for j, k := range row {
			twice := 2.0
			if i == j {
				twice = 1
			}
			sum += twice * k * real(q[i]*cmplx.Conj(q[j]))
		}
	}
	return math.Sqrt(max(0, sum))
}

// responses solves (K + iωC − ω²M) q = load for all actions in the first n coordinates; nil
// where an undamped structure is at its natural frequency.
func (g *galerkin) responses(omega float64, n int) [][]complex128 {
	z := make([]complex128, n*n)
	for i := range n {
		for j := range i + 1 {
			v := complex(g.k[i][j]-omega*omega*g.m[i][j], omega*g.c[i][j])
			z[i*n+j], z[j*n+i] = v, v
		}
	}
	out := make([][]complex128, len(g.actions))
	for a := range out {
		out[a] = make([]complex128, n)
		for i := range n {
			out[a][i] = complex(g.actions[a].load[i], 0)
		}
	}
	if !eliminate(z, out) {
		return nil
	}
	return out
}

// eliminate replaces the right sides b by the solutions of z x = b, with row pivoting. It
// reports false of a singular matrix.
func eliminate(z []complex128, b [][]complex128) bool {
	n := len(b[0])
	for k := range n {
		p := k
		for i := k + 1; i < n; i++ {
			if size(z[i*n+k]) > size(z[p*n+k]) {
				p = i
			}
		}
		pivot := z[p*n+k]
		if pivot == 0 || cmplx.IsNaN(pivot) {
			return false
		}
		upper := z[k*n : (k+1)*n]
		if p != k {
			for j, v := range z[p*n : (p+1)*n] {
				z[p*n+j], upper[j] = upper[j], v
			}
			for _, x := range b {
				x[k], x[p] = x[p], x[k]
			}
		}
		for i := k + 1; i < n; i++ {
			f := z[i*n+k] / pivot
			if f == 0 {
				continue
			}
			row := z[i*n+k+1 : (i+1)*n]
			for j, v := range upper[k+1:] {
				row[j] -= f * v
			}
			for _, x := range b {
				x[i] -= f * x[k]
			}
		}
	}
	for _, x := range b {
		for i := n - 1; i >= 0; i-- {
			sum := x[i]
			for j, v := range z[i*n+i+1 : (i+1)*n] {
				sum -= v * x[i+1+j]
			}
			x[i] = sum / z[i*n+i]
		}
	}
	return true
}

// size is a norm of a complex number, at most √2 times the absolute value.
func size(v complex128) float64 { return math.Abs(real(v)) + math.Abs(imag(v)) }

// residual is the load of an action that a response leaves over in the whole structure, real
// and imaginary part.
func (g *galerkin) residual(a *action, omega float64, q []complex128) (re, im []float64) {
	n := g.s.N
	x := [2][]float64{make([]float64, n), make([]float64, n)}
	for j, v := range q {
		floats.AddScaled(x[0], real(v), g.t[j])
		floats.AddScaled(x[1], imag(v), g.t[j])
	}
	re, im = append([]float64(nil), a.on...), make([]float64, n)
	out, y := [2][]float64{re, im}, make([]float64, n)
	for i, turned := range []float64{-omega, omega} { // −iωC (x₀ + i x₁)
		g.s.timesK(y, x[i])
		floats.Sub(out[i], y)
		g.s.timesM(y, x[i])
		floats.AddScaled(out[i], omega*omega, y)
		g.s.timesC(y, x[i])
		floats.AddScaled(out[1-i], turned, y)
	}
	return re, im
}
