package integrate

import (
	"fmt"
	"math"
	"math/cmplx"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"rths"
	"rths/kit/rthstest"
)

func weightsOf(t rthstest.TB, p Predictor) Weights {
	t.Helper()
	w, err := p.Weights()
	if err != nil {
		t.Fatalf("%v", err)
	}
	return w
}

func TestPredictorsAreDescribed(t *testing.T) {
	for _, kind := range Predictors {
		if found, err := rths.Find(Predictors, kind.Name); err != nil || found.Doc != kind.Doc || kind.Doc == "" ||
			kind.Ref == "" {
			t.Errorf("%+v, %v: want a name of its own, a line of documentation and a reference", found, err)
		}
	}
}

// The weights of Zhu et al. 2014 (docs/reference/zhu2014.md, Predictors).
func TestPolynomialWeights(t *testing.T) {
	for p, want := range map[Predictor][]float64{
		&Polynomial2{}: {3, -3, 1}, &Polynomial3{}: {4, -6, 4, -1}, &Polynomial4{}: {5, -10, 10, -5, 1},
	} {
		nearAll(t, "weights", weightsOf(t, p).U, want, 0)
	}
	nearAll(t, "eq. 5", weightsOf(t, &DualExplicit{Lambda: 3}).A, []float64{5, -10, 10, -5, 1}, 0)
}

// A predictor is exact on motions u = tᵈ up to the degree of its order, and not
// beyond: polynomials on their own degree, linear acceleration on cubics, Newmark
// on quadratics.
func TestPredictorsAreExactOnPolynomials(t *testing.T) {
	const h, t0 = 0.02, 0.3
	for _, tc := range []struct {
		p      Predictor
		degree int
	}{{&NoPrediction{}, 0}, {&Polynomial2{}, 2}, {&Polynomial3{}, 3}, {&Polynomial4{}, 4}, {&LinearAcceleration{}, 3},
		{&NewmarkPrediction{}, 2}} {
		for d := range tc.degree + 2 {
			p := newPredictor(weightsOf(t, tc.p), 1, h)
			power := func(c float64, d int, t float64) float64 {
				if d < 0 {
					return 0
				}
				return c * math.Pow(t, float64(d))
			}
			n := float64(d)
			for i := range 6 { // u[i+1], u̇[i+1], u̇[i] and ü[i]
				at := t0 + h*float64(i+1)
				p.learn(&result{
					u: []float64{power(1, d, at)}, v: []float64{power(n, d-1, at)},
					known: []float64{power(n, d-1, at-h)}, a: []float64{power(n*(n-1), d-2, at-h)},
				})
			}
			to := []float64{0}
			p.predict(to)
			miss := math.Abs(to[0] - power(1, d, t0+7*h))
			if exact := miss < 1e-13; exact != (d <= tc.degree) {
				t.Errorf("%T misses t^%d by %.2g: want it exact to degree %d and not beyond", tc.p, d, miss, tc.degree)
			}
		}
	}
}

// The dual explicit prediction is exact for a Gui integrator of the same λ as long
// as α ü is a polynomial of degree 4 in time (eq. 6 is then eq. 2), whatever α.
func TestDualExplicitIsExactForItsIntegrator(t *testing.T) {
	const h, lambda = 0.02, 3.0
	part := shearFrame(t, 3)
	p := newPredictor(weightsOf(t, &DualExplicit{Lambda: lambda}), 1, h)
	g := &Gui{Lambda: lambda}
	alpha := new(mat.Dense)
	if err := alpha.Solve(g.left(part, h), part.M); err != nil {
		t.Fatal(err)
	}
	alpha.Scale(2*lambda, alpha)
	u, v := []float64{0.1, 0.2, -0.1}, []float64{1, -1, 0.5}
	to := []float64{0}
	for i := range 9 {
		s := float64(i) - 4
		a := []float64{1 + s*s*s*s, 2*s - s*s*s, 3 - s*s}
		if i >= 6 {
			p.predict(to)
		}
		au, now := times(alpha, a), v // eqs 2 and 3
		u = combine([]float64{1, h, h * h}, u, v, au)
		v = combine([]float64{1, h}, v, au)
		if i >= 6 {
			rthstest.Near(t, "u[i+2]", to[0], u[0], 1e-12)
		}
		p.learn(&result{u: u[:1], v: v[:1], known: now[:1], a: au[:1]})
	}
}

// α at the interface of a foundation held as a sparse structure equals α of the
// dense form.
func TestAlphaOfASparsePart(t *testing.T) {
	s := foundation(t, 4, 3)
	sparse, err := s.Divide(2, 0, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	dense, err := s.Dense().Divide(2, 0, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	got, err := alphaRows(sparse, 3, 0.01)
	if err != nil {
		t.Fatal(err)
	}
	want, err := alphaRows(dense, 3, 0.01)
	if err != nil {
		t.Fatal(err)
	}
	nearAll(t, "α", got.RawMatrix().Data, want.RawMatrix().Data, 1e-12)
}

// Closed forms of the frequency response, with z = exp(−jΩ): 1 − (1 − z)ᴺ⁺¹ for the
// polynomials, z² (1 + 2jΩ − 2Ω²) for Newmark's, z² (1 + 2jΩ − Ω² (10 − 4z)/3) for
// linear acceleration, z (1 + jΩ − α Ω² (1 − (1 − z)⁵)) for the dual explicit method.
func TestPredictorResponses(t *testing.T) {
	for big := 0.1; big < 1.45; big += 0.1 {
		z, jo := cmplx.Exp(complex(0, -big)), complex(0, big)
		past := func(n int) complex128 { return 1 - cmplx.Pow(1-z, complex(float64(n), 0)) }
		alpha := complex(3/(3+big*big), 0)
		for p, want := range map[Predictor]complex128{
			&NoPrediction{}: z, &Polynomial2{}: past(3), &Polynomial3{}: past(4), &Polynomial4{}: past(5),
			&NewmarkPrediction{}:     z * z * (1 + 2*jo + 2*jo*jo),
			&LinearAcceleration{}:    z * z * (1 + 2*jo + jo*jo*(10-4*z)/3),
			&DualExplicit{Lambda: 3}: z * (1 + jo + alpha*jo*jo*past(5)),
		} {
			if got := weightsOf(t, p).Response(big); cmplx.Abs(got-want) > 1e-13 {
				t.Errorf("%T at Ω = %.1f: %v, want %v", p, big, got, want)
			}
		}
	}
}

// A sampled vibration put through the predictor comes out with the amplitude and
// phase of its response (eqs 8–11).
func TestResponseIsThatOfTheSamples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		big := rapid.Float64Range(0.05, 1.4).Draw(t, "Ω")
		phase := rapid.Float64Range(-3, 3).Draw(t, "phase")
		const h = 0.01
		part := sdof(big/h, 0)
		part.Interface = []int{0}
		for _, kind := range Predictors {
			maker := kind.Defaults()
			if d, ok := maker.(*DualExplicit); ok {
				d.Lambda = rapid.Float64Range(1, 20).Draw(t, "λ")
			}
			w := weightsOf(t, maker)
			p, alpha := newPredictor(w, 1, h), 1.0
			if w.Lambda != 0 {
				rows, err := alphaRows(part, w.Lambda, h)
				if err != nil {
					t.Fatal(err)
				}
				alpha = rows.At(0, 0)
			}
			u := func(k int, order int) float64 { // derivative at instant k
				s, c := math.Sincos(big*float64(k) + phase)
				return []float64{s, big / h * c, -big * big / (h * h) * s}[order]
			}
			for i := range 6 {
				p.learn(&result{u: []float64{u(i+1, 0)}, v: []float64{u(i+1, 1)}, known: []float64{u(i, 1)},
					a: []float64{alpha * u(i, 2)}})
			}
			to := []float64{0}
			p.predict(to)
			want := imag(w.Response(big) * cmplx.Exp(complex(0, 7*big+phase)))
			rthstest.Near(t, kind.Name, to[0], want, 1e-11)
		}
	})
}

// Fig. 7. Below Ω = 0.3 all predictors are within some percent ("negligible
// dispersion"). The real part of the dual explicit method's response vanishes near
// 1.1, where the paper's arctangent jumps. Its amplitude is the nearest to 1 from 1.0
// to 1.2 with the integrator's u̇, but not with the exact derivatives of eq. 8; at 1.4 with
// neither.
func TestFig7(t *testing.T) {
	worst := func(w Weights, from, to float64) (e float64) {
		for big := from; big < to+0.01; big += 0.05 {
			e = max(e, math.Abs(cmplx.Abs(w.Response(big))-1))
		}
		return e
	}
	var others []Weights
	for _, p := range []Predictor{&Polynomial2{}, &Polynomial3{}, &Polynomial4{}, &LinearAcceleration{},
		&NewmarkPrediction{}} {
		others = append(others, weightsOf(t, p))
	}
	for _, lambda := range []float64{3, 4, 11.5} {
		exact := weightsOf(t, &DualExplicit{Lambda: lambda})
		own := exact.OwnVelocity()
		for i, w := range others {
			if d, o := worst(own, 1, 1.2), worst(w, 1, 1.2); d >= o {
				t.Errorf("λ = %g: amplitude off by %.3f, predictor %d by %.3f: want the dual explicit method nearer", lambda, d, i,
					o)
			}
		}
		for _, w := range []Weights{exact, own} {
			if e := worst(w, 0.01, 0.3); e > 0.045 {
				t.Errorf("λ = %g: amplitude off by %.3f below Ω = 0.3", lambda, e)
			}
			if a, b := real(w.Response(1.0)), real(w.Response(1.2)); a*b > 0 {
				t.Errorf("λ = %g: Re P is %.3f at 1.0 and %.3f at 1.2: want a zero between", lambda, a, b)
			}
		}
	}
}

// The velocity of the integrator is u̇[i+1] = (u[i+1] − u[i])/Δt: a response
// z (1 + (1 − z) − …) in place of z (1 + jΩ − …).
func TestOwnVelocity(t *testing.T) {
	w := weightsOf(t, &DualExplicit{Lambda: 3})
	const big = 0.7
	z := cmplx.Exp(complex(0, -big))
	got, want := w.OwnVelocity().Response(big)-w.Response(big), z*(1-z-complex(0, big))
	if cmplx.Abs(got-want) > 1e-14 {
		t.Errorf("difference %v, want %v", got, want)
	}
	if w.V[0] != 1 || len(w.U) != 1 {
		t.Errorf("weights changed to %+v", w)
	}
}

// A past that was learnt relative to the ground and lifted by the ground's motion is the one learnt in absolute
// coordinates, at every coordinate of the interface and with every component of the ground: both predict the same.
func TestLiftedPastIsAbsolute(t *testing.T) {
	g := &groundMotion{gamma: [][]float64{{1, 0.5}, {-0.3, 2}, {0, 1}}}
	ground := func(i int, of func(float64) float64) []float64 {
		return []float64{of(float64(i)), 3 * of(0.7*float64(i))}
	}
	absolute := func(i int, of func(float64) float64) []float64 {
		return []float64{of(1 + 0.3*float64(i)), of(2 + 0.5*float64(i)), of(3 - 0.2*float64(i))}
	}
	relative := func(i int, of func(float64) float64) []float64 {
		out := absolute(i, of)
		for c, row := range g.gamma {
			for j, x := range ground(i, of) {
				out[c] -= row[j] * x
			}
		}
		return out
	}
	for _, kind := range []Predictor{&NoPrediction{}, &Polynomial3{}, &LinearAcceleration{}, &NewmarkPrediction{},
		&DualExplicit{Lambda: 3}} {
		w := weightsOf(t, kind)
		lifted, direct := newPredictor(w, 3, 0.02), newPredictor(w, 3, 0.02)
		a, b := make([]float64, 3), make([]float64, 3)
		for i := range 8 {
			acc := absolute(i, math.Exp)
			lifted.learn(&result{u: relative(i+1, math.Sin), v: relative(i+1, math.Cos), known: relative(i, math.Cos), a: acc})
			lifted.liftRates(g, ground(i, math.Cos))
			lifted.lift(g, ground(i+1, math.Sin), ground(i+1, math.Cos))
			direct.learn(&result{u: absolute(i+1, math.Sin), v: absolute(i+1, math.Cos), known: absolute(i, math.Cos), a: acc})
			if i < 5 {
				continue // the histories are not full
			}
			lifted.predict(a)
			direct.predict(b)
			for c := range a {
				rthstest.Near(t, fmt.Sprintf("%T, coordinate %d", kind, c), a[c], b[c], 1e-12*(1+math.Abs(b[c])))
			}
		}
	}
}

func TestDualExplicitErrors(t *testing.T) {
	for _, lambda := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		_, err := (&DualExplicit{Lambda: lambda}).Weights()
		rthstest.WantError(t, err, "want more than 0")
	}
	for _, maker := range []Maker{&RK4{}, &NewmarkExplicit{}} {
		_, err := (&TwoRate{Steps: 2, Predictor: &DualExplicit{}}).Make(maker, sdof(10, 0), 0.001)
		rthstest.WantError(t, err, "want lambda, or integrator cr or gui")
	}
	for maker, want := range map[Maker]float64{&CR{}: 4, &Gui{Lambda: 3}: 3} {
		d := &DualExplicit{}
		if err := d.adopt(maker); err != nil || d.Lambda != want {
			t.Errorf("λ = %g, %v from %T: want %g", d.Lambda, err, maker, want)
		}
	}
}

// Of an interface that has long rested every predictor says that it goes on to rest where it is, in every coordinate.
func TestRestIsPredicted(t *testing.T) {
	at := []float64{3, -5, 7}
	for _, kind := range Predictors {
		w, err := kind.Defaults().Weights()
		if err != nil {
			continue // takes what it needs from an integrator
		}
		p, to := newPredictor(w, len(at), 0.01), make([]float64, len(at))
		p.fill(at)
		p.predict(to)
		rthstest.NearAll(t, kind.Name, to, at, 1e-12)
	}
}
