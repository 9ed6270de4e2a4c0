package integrate

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"rths"
)

// forceFit is the force correction of Ahmadizadeh, Mosqueda and Reinhorn 2008. Least
// squares fit quadratics to the last samples of measured displacement d(s) and force
// f(s), s in samples from now. The corrected force is f(s*) with d(s*) = desired, s* the
// root nearest to now. Without a root within a main step the measured force stays.
//
// With a perfect actuator the samples of a main step lie on a line. While the target speeds up,
// the desired displacement is more than a main step ahead on this line: the correction then
// works half of the time.
type forceFit struct {
	m     int        // coordinates
	reach float64    // largest |s*|, samples
	fit   *mat.Dense // 3 × samples: coefficients of 1, s, s² from the values, newest first
	d, f  []float64  // all coordinates at one instant, newest first
}

func newForceFit(samples, m int, reach float64) *forceFit {
	a, one := mat.NewDense(samples, 3, nil), mat.NewDense(samples, samples, nil)
	for k := range samples {
		s := -float64(k)
		a.SetRow(k, []float64{1, s, s * s})
		one.Set(k, k, 1)
	}
	fit := new(mat.Dense)
	if err := fit.Solve(a, one); err != nil {
		panic(err) // our own: three distinct samples suffice
	}
	return &forceFit{m: m, reach: reach, fit: fit, d: make([]float64, m*samples), f: make([]float64, m*samples)}
}

func (c *forceFit) push(felt *rths.Reading) {
	push(c.d, felt.X[:c.m])
	push(c.f, felt.F[:c.m])
}

// correct replaces the present force by the force at the desired displacements.
func (c *forceFit) correct(force, desired []float64) {
	for i := range c.m {
		d0, d1, d2 := c.quadratic(c.d, i)
		if s, ok := nearestRoot(d2, d1, d0-desired[i]); ok && math.Abs(s) <= c.reach {
			f0, f1, f2 := c.quadratic(c.f, i)
			force[i] = f0 + s*(f1+s*f2)
		}
	}
}

// quadratic is the fit of coordinate i.
func (c *forceFit) quadratic(y []float64, i int) (c0, c1, c2 float64) {
	return weigh(c.fit.RawRowView(0), y, i, c.m), weigh(c.fit.RawRowView(1), y, i, c.m),
		weigh(c.fit.RawRowView(2), y, i, c.m)
}

// nearestRoot is the real root of a s² + b s + c nearest to 0, if it has one, in
// the form that does not cancel.
func nearestRoot(a, b, c float64) (float64, bool) {
	d := b*b - 4*a*c
	q := -(b + math.Copysign(math.Sqrt(d), b)) / 2
	if !(d >= 0) || q == 0 {
		return 0, false
	}
	return c / q, true
}

// fill is a past in which the specimen rested.
func (c *forceFit) fill(x, force []float64) {
	for k := range len(c.d) / c.m {
		copy(c.d[k*c.m:], x)
		copy(c.f[k*c.m:], force)
	}
}

func (c *forceFit) VisitState(v *rths.StateVisitor) { v.Floats(c.d, c.f) }
