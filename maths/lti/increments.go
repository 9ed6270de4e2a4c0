package lti

import "gonum.org/v1/gonum/mat"

// Increments rewrites a recursion of a second-order system for speed. m is its
// matrix, over states [x; y], as many y as x, and inputs u:
//
//	x[k+1] = M11 x + M12 y + B u
//
// The result, over states [x; p] with p = (M11 − I) x + M12 y, has the same x:
//
//	x[k+1] = x + p + B u
//
// and [x; y] = back [x; p]. Increments returns m and the identity where there is no gain
// (sizes that Recursion does not write out, matrices with as many zeros of their own),
// where M12 is nearly singular (a mode moves by half a period in a sample), and for
// numbers that are not finite.
func Increments(m *mat.Dense, nz int) (inc, back *mat.Dense) {
	_, cols := m.Dims()
	n := nz / 2
	if nz != 6 || cols != 8 && cols != 10 || finiteMatrix("step", m) != nil || !(mat.Cond(m.Slice(0, n, n, nz), 2) < 100) {
		return m, Diagonal(nz, 1)
	}
	to := Diagonal(cols, 1) // [x; p; u] over [x; y; u]
	for i := range n {
		for j := range nz {
			to.Set(n+i, j, m.At(i, j)-to.At(i, j))
		}
	}
	var from, all mat.Dense
	if err := from.Inverse(to); err != nil {
		return m, Diagonal(nz, 1)
	}
	all.Product(to.Slice(0, nz, 0, nz), m, &from)
	for i := range n {
		for j := range nz {
			all.Set(i, j, twoIdentities(i, j, n)) // free of rounding
		}
	}
	if zeros(&all) <= zeros(m) {
		return m, Diagonal(nz, 1)
	}
	return &all, mat.DenseCopyOf(from.Slice(0, nz, 0, nz))
}

func zeros(m *mat.Dense) (n int) {
	for _, v := range m.RawMatrix().Data {
		if v == 0 {
			n++
		}
	}
	return n
}

// twoIdentities is entry i, j of [I I], n × 2n.
func twoIdentities(i, j, n int) float64 {
	if j%n == i {
		return 1
	}
	return 0
}

// holdsIncrements says whether the first n rows of m are [I I B].
func holdsIncrements(m mat.Matrix, n int) bool {
	for i := range n {
		for j := range 2 * n {
			if m.At(i, j) != twoIdentities(i, j, n) {
				return false
			}
		}
	}
	return true
}

// increments3and2 is a matrix of increments of 3 displacements and 2 inputs: B and
// the rows of p.
type increments3and2 struct {
	b [3][2]float64
	p [3][8]float64
}

func newIncrements3and2(rows [][8]float64) *increments3and2 {
	if rows == nil {
		return nil
	}
	m := &increments3and2{p: [3][8]float64(rows[3:])}
	for i := range m.b {
		m.b[i] = [2]float64(rows[i][6:])
	}
	return m
}

func (m *increments3and2) step(out, in []float64) {
	z, w, g := (*[6]float64)(out), (*[8]float64)(in), &m.b
	a, b, c, d, e, f, u, v := z[0], z[1], z[2], z[3], z[4], z[5], w[6], w[7]
	w[0], w[1], w[2], w[3], w[4], w[5] = a, b, c, d, e, f
	z[0] = a + (d + g[0][0]*u + g[0][1]*v)
	z[1] = b + (e + g[1][0]*u + g[1][1]*v)
	z[2] = c + (f + g[2][0]*u + g[2][1]*v)
	for i := range m.p {
		r := &m.p[i]
		z[3+i] = r[0]*a + r[1]*b + r[2]*c + r[3]*d + r[4]*e + r[5]*f + r[6]*u + r[7]*v
	}
}

// increments3and4 is the same for 4 inputs.
type increments3and4 struct {
	b [3][4]float64
	p [3][10]float64
}

func newIncrements3and4(rows [][10]float64) *increments3and4 {
	if rows == nil {
		return nil
	}
	m := &increments3and4{p: [3][10]float64(rows[3:])}
	for i := range m.b {
		m.b[i] = [4]float64(rows[i][6:])
	}
	return m
}

func (m *increments3and4) step(out, in []float64) {
	z, w, g := (*[6]float64)(out), (*[10]float64)(in), &m.b
	a, b, c, d, e, f, u, v, s, t := z[0], z[1], z[2], z[3], z[4], z[5], w[6], w[7], w[8], w[9]
	w[0], w[1], w[2], w[3], w[4], w[5] = a, b, c, d, e, f
	z[0] = a + (d + g[0][0]*u + g[0][1]*v + g[0][2]*s + g[0][3]*t)
	z[1] = b + (e + g[1][0]*u + g[1][1]*v + g[1][2]*s + g[1][3]*t)
	z[2] = c + (f + g[2][0]*u + g[2][1]*v + g[2][2]*s + g[2][3]*t)
	for i := range m.p {
		r := &m.p[i]
		z[3+i] = r[0]*a + r[1]*b + r[2]*c + r[3]*d + r[4]*e + r[5]*f + r[6]*u + r[7]*v + r[8]*s + r[9]*t
	}
}
