package lti

import "gonum.org/v1/gonum/mat"

// Recursion is a constant matrix applied once per sample,
//
//	[z[k+1]; y[k]] = M [z[k]; u[k]]
//
// with states z, inputs u and outputs y: a one-step method on a linear system, or an
// exactly held plant. The caller sets the inputs U; Step copies the state from Out to In
// and multiplies.
//
// The three sizes of the single-actuator benchmark are written out without loops, which
// takes half the time of Map; Map does all other sizes. For structures of three degrees
// of freedom the products with the 0 and 1 of Increments are left out, a third of all.
type Recursion struct {
	In    []float64 // [z; u] of the last step
	U     []float64 // the inputs in In
	Out   []float64 // [z; y] at its end, perhaps followed by zeros
	nz    int
	six   [][6]float64  // rows for 5 states and 1 input: plant
	eight [][8]float64  // for 6 and 2: reference structure
	ten   [][10]float64 // for 6 and 4: numerical part
	other *Map

	increments3and2 *increments3and2 // in place of eight and ten, where the first
	increments3and4 *increments3and4 // three rows are [I I B]
}

// NewRecursion returns the recursion with the matrix m and nz states, at rest.
func NewRecursion(m mat.Matrix, nz int) *Recursion {
	rows, cols := m.Dims()
	r := &Recursion{In: make([]float64, cols), Out: make([]float64, rows), nz: nz}
	r.U = r.In[nz:]
	for i := range rows {
		switch row := mat.Row(nil, i, m); [2]int{nz, cols} {
		case [2]int{5, 6}:
			r.six = append(r.six, [6]float64(row))
		case [2]int{6, 8}:
			r.eight = append(r.eight, [8]float64(row))
		case [2]int{6, 10}:
			r.ten = append(r.ten, [10]float64(row))
		}
	}
	if rows == 6 && holdsIncrements(m, 3) {
		r.increments3and2, r.increments3and4 = newIncrements3and2(r.eight), newIncrements3and4(r.ten)
	}
	if r.six == nil && r.eight == nil && r.ten == nil {
		r.other = NewMap(m)
		r.Out = make([]float64, r.other.Rows())
	}
	return r
}

// State is the state the next step starts from.
func (r *Recursion) State() []float64 { return r.Out[:r.nz] }

// Step makes one step with the inputs in U.
func (r *Recursion) Step() {
	switch {
	case r.increments3and2 != nil:
		r.increments3and2.step(r.Out, r.In)
	case r.increments3and4 != nil:
		r.increments3and4.step(r.Out, r.In)
	case r.six != nil:
		step5and1(r.Out, r.In, r.six)
	case r.eight != nil:
		step6and2(r.Out, r.In, r.eight)
	case r.ten != nil:
		step6and4(r.Out, r.In, r.ten)
	default:
		copy(r.In, r.Out[:r.nz])
		r.other.Apply(r.Out, r.In)
	}
}

func step5and1(out, in []float64, m [][6]float64) {
	z, w := (*[5]float64)(out), (*[6]float64)(in)
	a, b, c, d, e, u := z[0], z[1], z[2], z[3], z[4], w[5]
	w[0], w[1], w[2], w[3], w[4] = a, b, c, d, e
	out = out[:len(m)]
	for i := range m {
		r := &m[i]
		out[i] = r[0]*a + r[1]*b + r[2]*c + r[3]*d + r[4]*e + r[5]*u
	}
}

func step6and2(out, in []float64, m [][8]float64) {
	z, w := (*[6]float64)(out), (*[8]float64)(in)
	a, b, c, d, e, f, u, v := z[0], z[1], z[2], z[3], z[4], z[5], w[6], w[7]
	w[0], w[1], w[2], w[3], w[4], w[5] = a, b, c, d, e, f
	out = out[:len(m)]
	for i := range m {
		r := &m[i]
		out[i] = r[0]*a + r[1]*b + r[2]*c + r[3]*d + r[4]*e + r[5]*f + r[6]*u + r[7]*v
	}
}

func step6and4(out, in []float64, m [][10]float64) {
	z, w := (*[6]float64)(out), (*[10]float64)(in)
	a, b, c, d, e, f, u, v, s, t := z[0], z[1], z[2], z[3], z[4], z[5], w[6], w[7], w[8], w[9]
	w[0], w[1], w[2], w[3], w[4], w[5] = a, b, c, d, e, f
	out = out[:len(m)]
	for i := range m {
		r := &m[i]
		out[i] = r[0]*a + r[1]*b + r[2]*c + r[3]*d + r[4]*e + r[5]*f + r[6]*u + r[7]*v + r[8]*s + r[9]*t
	}
}
