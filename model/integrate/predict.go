package integrate

import (
	"fmt"
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/lti"
	"rths/model/structure"
)

// Predictor predicts the displacement u[i+2] of the interface one main step Δt ahead,
// when u[i+1], u̇[i+1] and ü[i] are the newest known (see TwoRate). All predictors are
// weighted sums of known values.
type Predictor interface {
	Weights() (Weights, error)
}

// Weights of a predictor,
//
//	u[i+2] = Σ U[k] u[i+1−k] + Δt Σ V[k] u̇[i+1−k] + Δt² Σ A[k] ü[i−k]
//
// with α ü in place of ü where Lambda is not 0; α is eq. 4 of paper 003 (see Gui).
type Weights struct {
	U, V, A []float64
	Lambda  float64
}

// Predictors is the table of predictors (paper 003, sections 1 and 3.1). The
// polynomials pass through the last displacements; the others apply a method of
// integration once more, over H = 2 Δt from u[i] or over Δt from u[i+1].
var Predictors = []rths.Kind[Predictor]{
	{
		Name: "none", Doc: "no prediction: the target comes a main step late",
		Ref:      "Zhu et al. 2014, Fig. 3",
		Defaults: func() Predictor { return &NoPrediction{} },
	},
	{
		Name: "poly2", Doc: "polynomial of order 2 through three displacements",
		Ref:      "Nakashima and Masaoka 1999; Zhu et al. 2014, section 1",
		Defaults: func() Predictor { return &Polynomial2{} },
	},
	{
		Name: "poly3", Doc: "polynomial of order 3 through four displacements",
		Ref:      "Nakashima and Masaoka 1999; Zhu et al. 2014, section 1",
		Defaults: func() Predictor { return &Polynomial3{} },
	},
	{
		Name: "poly4", Doc: "polynomial of order 4 through five displacements",
		Ref:      "Nakashima and Masaoka 1999; Zhu et al. 2014, section 1",
		Defaults: func() Predictor { return &Polynomial4{} },
	},
	{
		Name: "linear-acceleration", Doc: "linear extrapolation of the acceleration, over two main steps",
		Ref:      "Horiuchi and Konno 2001; Zhu et al. 2014, section 1",
		Defaults: func() Predictor { return &LinearAcceleration{} },
	},
	{
		Name: "newmark-explicit", Doc: "displacement of Newmark's explicit method, over two main steps",
		Ref:      "Ahmadizadeh et al. 2008; Zhu et al. 2014, section 1",
		Defaults: func() Predictor { return &NewmarkPrediction{} },
	},
	{
		Name:     "dual-explicit",
		Doc:      "displacement of the Gui-λ method over one main step, its acceleration by a polynomial of order 4",
		Ref:      "Zhu et al. 2014, eqs 5 and 6 (corrected)",
		Defaults: func() Predictor { return &DualExplicit{} },
	},
}

// NoPrediction takes the newest displacement as it is.
type NoPrediction struct{}

// Weights is u[i+1].
func (*NoPrediction) Weights() (Weights, error) { return Weights{U: []float64{1}}, nil }

// Polynomial2, 3 and 4 go on with the polynomial through the last displacements.
type (
	Polynomial2 struct{}
	Polynomial3 struct{}
	Polynomial4 struct{}
)

// Weights is 3 u[i+1] − 3 u[i] + u[i−1].
func (*Polynomial2) Weights() (Weights, error) { return Weights{U: extrapolate(2)}, nil }

// Weights is 4 u[i+1] − 6 u[i] + 4 u[i−1] − u[i−2].
func (*Polynomial3) Weights() (Weights, error) { return Weights{U: extrapolate(3)}, nil }

// Weights is 5 u[i+1] − 10 u[i] + 10 u[i−1] − 5 u[i−2] + u[i−3].
func (*Polynomial4) Weights() (Weights, error) { return Weights{U: extrapolate(4)}, nil }

// extrapolate weighs order + 1 values, newest first, to the next value of the
// polynomial through them: −(−1)ᵏ binomial(order+1, k), k = 1, 2, …
func extrapolate(order int) []float64 {
	out := make([]float64, order+1)
	c := 1.0
	for k := range out {
		c *= -float64(order+1-k) / float64(k+1)
		out[k] = -c
	}
	return out
}

// LinearAcceleration goes on over H = 2 Δt:
//
//	u[i] + H u̇[i] + H² (ü[i]/3 + a/6),  a = ü[i] + (ü[i] − ü[i−1]) H/Δt
type LinearAcceleration struct{}

// Weights has H² (ü[i]/3 + (3 ü[i] − 2 ü[i−1])/6) collected.
func (*LinearAcceleration) Weights() (Weights, error) {
	return Weights{U: []float64{0, 1}, V: []float64{0, 2}, A: []float64{10.0 / 3, -4.0 / 3}}, nil
}

// NewmarkPrediction goes on over H = 2 Δt: u[i] + H u̇[i] + H²/2 ü[i].
type NewmarkPrediction struct{}

// Weights has H²/2 = 2 Δt².
func (*NewmarkPrediction) Weights() (Weights, error) {
	return Weights{U: []float64{0, 1}, V: []float64{0, 2}, A: []float64{2}}, nil
}

// DualExplicit is the method of paper 003: the step of a Gui-λ integrator (eq. 6,
// errata 003.1) from u[i+1] and u̇[i+1], with the acceleration of t[i+1] from the
// polynomial of order 4 through the last five accelerations (eq. 5).
type DualExplicit struct {
	Lambda float64 `yaml:"lambda" doc:"parameter λ of α, more than 0; default 0: λ of the integrator, which must be cr or gui"`
}

// Weights is u[i+1] + Δt u̇[i+1] + Δt² α (5 ü[i] − 10 ü[i−1] + 10 ü[i−2] − 5 ü[i−3] + ü[i−4]).
func (p *DualExplicit) Weights() (Weights, error) {
	if !(p.Lambda > 0) || math.IsInf(p.Lambda, 1) {
		return Weights{}, fmt.Errorf("dual-explicit: lambda %g: want more than 0", p.Lambda)
	}
	return Weights{U: []float64{1}, V: []float64{1}, A: extrapolate(4), Lambda: p.Lambda}, nil
}

// adopt takes λ from the integrator the prediction is for, where it was left open.
func (p *DualExplicit) adopt(inner Maker) error {
	if p.Lambda != 0 {
		return nil
	}
	switch m := inner.(type) {
	case *Gui:
		p.Lambda = m.Lambda
	case *CR:
		p.Lambda = 4
	default:
		return fmt.Errorf("dual-explicit: the integrator has no lambda to take: want lambda, or integrator cr or gui")
	}
	return nil
}

// Response is the predicted over the true u[i+2] of a vibration exp(jωt), at Ω = ω Δt.
// Its absolute value is the amplitude β, its argument the phase φ of paper 003, eqs 9–11.
// Velocities and accelerations are the exact derivatives. α = λ/(λ + Ω²), as of an
// undamped mass of frequency ω.
func (w Weights) Response(omega float64) complex128 {
	at := func(steps int) complex128 { return cmplx.Exp(complex(0, -omega*float64(steps))) }
	alpha := 1.0
	if w.Lambda > 0 {
		alpha = w.Lambda / (w.Lambda + omega*omega)
	}
	var out complex128
	for k, c := range w.U {
		out += complex(c, 0) * at(k+1)
	}
	for k, c := range w.V {
		out += complex(0, omega*c) * at(k+1)
	}
	for k, c := range w.A {
		out += complex(-omega*omega*alpha*c, 0) * at(k+2)
	}
	return out
}

// OwnVelocity has the velocities of a Gui integrator, Δt u̇[i+1] = u[i+1] − u[i], in
// place of exact ones.
func (w Weights) OwnVelocity() Weights {
	u := make([]float64, max(len(w.U), len(w.V)+1))
	copy(u, w.U)
	for k, c := range w.V {
		u[k] += c
		u[k+1] -= c
	}
	w.U, w.V = u, nil
	return w
}

// predictor applies weights to the past motion of the interface.
type predictor struct {
	Weights           // V times Δt, A times Δt²
	m       int       // coordinates
	h       float64   // Δt
	u, v, a []float64 // known values: all coordinates at one instant, newest first
}

func newPredictor(w Weights, m int, h float64) *predictor {
	out := &predictor{
		m: m, h: h,
		u: make([]float64, m*len(w.U)), v: make([]float64, m*len(w.V)), a: make([]float64, m*len(w.A)),
	}
	out.U = w.U
	for _, c := range w.V {
		out.V = append(out.V, c*h)
	}
	for _, c := range w.A {
		out.A = append(out.A, c*h*h)
	}
	return out
}

// alphaRows are the rows of α = 2λ left⁻¹ M (paper 003, eq. 4) at the interface:
// yᵀ M with leftᵀ y = 2λ e.
func alphaRows(p *structure.Partition, lambda, h float64) (*mat.Dense, error) {
	m := len(p.Interface)
	e := mat.NewDense(p.N(), m, nil)
	for i, d := range p.Interface {
		e.Set(d, i, 2*lambda)
	}
	out := new(mat.Dense)
	if p.Sparse == nil {
		var y mat.Dense
		if err := y.Solve((&Gui{Lambda: lambda}).left(p, h).T(), e); err != nil {
			return nil, err
		}
		out.Mul(y.T(), p.M)
		return out, nil
	}
	diagonal := make([]float64, p.N())
	for i := range diagonal {
		diagonal[i] = 2*lambda*p.Sparse.M[i] + lambda*h*p.Sparse.C[i]
	}
	left, err := lti.NewBanded(p.Sparse.K.Shifted(lambda*h*p.Sparse.A1+2*h*h, diagonal))
	if err != nil {
		return nil, err
	}
	out = mat.NewDense(m, p.N(), nil)
	for i := range m {
		y := mat.Col(nil, i, e)
		left.Solve(y)
		for j, mass := range p.Sparse.M {
			out.Set(i, j, y[j]*mass)
		}
	}
	return out, nil
}

// rates reports whether velocities or accelerations are looked at.
func (w *Weights) rates() bool { return len(w.V)+len(w.A) > 0 }

// learn takes a result: u[i+1] and u̇[i+1], and u̇[i] and ü[i]. u̇[i] replaces the value of a main
// step ago, which is final for Gui-λ only: Newmark's velocity needs the force of its instant.
func (p *predictor) learn(r *result) {
	push(p.u, r.u)
	copy(p.v[:min(len(p.v), p.m)], r.known)
	push(p.v, r.v)
	push(p.a, r.a)
}

// suppose takes the displacements u[i+1] that were predicted in the place of a result that has not
// come, with rates that go on as the prediction does. With one displacement among the weights they are
// those of a Gui integrator (eqs 2 and 3 of paper 003),
//
//	u̇[i+1] = (u[i+1] − u[i])/Δt,   α ü[i] = (u̇[i+1] − u̇[i])/Δt
//
// and with several those of a motion whose acceleration is linear, or constant where one is looked at:
//
//	ü[i] = (u[i+1] − 2 u[i] + u[i−1])/Δt²,   u̇[i+1] = u̇[i] + Δt (ü[i] + ü[i+1])/2
func (p *predictor) suppose(u []float64) {
	m, h := p.m, p.h
	for i, u := range u { // a coordinate is shifted by itself
		v, a := 0.0, 0.0
		switch {
		case !p.rates():
		case len(p.U) == 1:
			v = (u - p.u[i]) / h
			a = (v - p.v[i]) / h
		default:
			a = (u - 2*p.u[i] + p.u[m+i]) / (h * h)
			next := a
			if len(p.A) > 1 {
				next += a - p.a[i]
			}
			v = p.v[i] + h*(a+next)/2
		}
		shift(p.u, i, m, u)
		shift(p.v, i, m, v)
		shift(p.a, i, m, a)
	}
}

// shift puts the newest value of coordinate i of m before the others.
func shift(history []float64, i, m int, newest float64) {
	for k := len(history) - m + i; k >= m; k -= m {
		history[k] = history[k-m]
	}
	if len(history) > 0 {
		history[i] = newest
	}
}

// take makes the past the one of another predictor of the same weights.
func (p *predictor) take(o *predictor) {
	copy(p.u, o.u)
	copy(p.v, o.v)
	copy(p.a, o.a)
}

// lift makes the newest displacements and velocities, which learn left relative to the
// ground, absolute. x is the ground's displacement at their instant, v its velocity as the
// integrator has velocities.
func (p *predictor) lift(g *groundMotion, x, v []float64) {
	g.add(p.u[:p.m], x)
	if len(p.v) > 0 {
		g.add(p.v[:p.m], v)
	}
}

// liftRates makes the velocities absolute that learn has given their final values: of the main
// instant before the newest displacements. The accelerations are absolute already (Calculator).
func (p *predictor) liftRates(g *groundMotion, v []float64) {
	if len(p.v) > p.m {
		g.add(p.v[p.m:2*p.m], v)
	}
}

// push puts the newest values before the others, of which the oldest fall out.
func push(history, newest []float64) {
	if len(history) > 0 {
		copy(history[len(newest):], history)
		copy(history, newest)
	}
}

func dot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// predict writes u[i+2] of the interface.
func (p *predictor) predict(to []float64) {
	m := p.m
	for i := range m {
		to[i] = weigh(p.U, p.u, i, m) + weigh(p.V, p.v, i, m) + weigh(p.A, p.a, i, m)
	}
}

// weigh sums coordinate i of m over the instants.
func weigh(c, history []float64, i, m int) (sum float64) {
	for k, v := range c {
		sum += v * history[k*m+i]
	}
	return sum
}

// fill is a past in which the interface rested at x.
func (p *predictor) fill(x []float64) {
	for k := range p.U {
		copy(p.u[k*len(x):], x)
	}
	clear(p.v)
	clear(p.a)
}

func (p *predictor) VisitState(v *rths.StateVisitor) { v.Floats(p.u, p.v, p.a) }
