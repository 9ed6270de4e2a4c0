package stability

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths/kit/rthstest"
	"rths/maths/lti"
)

// lags is gain/(s/w + 1)³.
func lags(gain, w float64) lti.Response {
	return func(hz float64) complex128 {
		x := complex(1, 2*math.Pi*hz/w)
		return complex(gain, 0) / (x * x * x)
	}
}

// axes is A diag(l) B.
func axes(a, b *mat.Dense, l ...lti.Response) AxesLoop {
	n := len(l)
	return func(hz float64) (*mat.CDense, error) {
		out := mat.NewCDense(n, n, nil)
		for i := range n {
			for j := range n {
				var v complex128
				for k, of := range l {
					v += complex(a.At(i, k)*b.At(k, j), 0) * of(hz)
				}
				out.Set(i, j, v)
			}
		}
		return out, nil
	}
}

func axesMargins(t *testing.T, of AxesLoop, n int) AxesMargins {
	t.Helper()
	return rthstest.Must(NewAxesMargins(of, n, 1e-3, 1e3, nil))
}

// nearMargins compares all but frequencies, of which two may have the same margin.
func nearMargins(t *testing.T, what string, got, want Margins, tol float64) {
	t.Helper()
	for _, x := range []struct {
		name      string
		got, want float64
	}{{"gain up", got.GainUp, want.GainUp}, {"gain down", got.GainDown, want.GainDown}, {"delay", got.Delay, want.Delay},
		{"phase", got.PhaseDeg, want.PhaseDeg}, {"distance", got.Distance, want.Distance}} {
		if x.got != x.want && !(math.Abs(x.got-x.want) <= tol*math.Abs(x.want)) {
			t.Errorf("%s: %s %.12g: want %.12g", what, x.name, x.got, x.want)
		}
	}
}

func tightest(of ...Margins) Margins {
	out := of[0]
	for _, m := range of[1:] {
		out.tighten(m)
		out.Distance = min(out.Distance, m.Distance)
	}
	return out
}

// One actuator has the margins of its curve, and actuators that do not know of each other have their own, in any
// order: the least of them is that of all together.
func TestAxesThatDoNotMeet(t *testing.T) {
	loops := []lti.Response{lags(5, 30), lags(3, 8), lags(0.5, 2)}
	var own []Margins
	for _, l := range loops {
		m := rthstest.Must(NewCurve(l, 1e-3, 1e3, nil)).Margins()
		own = append(own, m)
		one := axesMargins(t, axes(lti.Diagonal(1, 1), lti.Diagonal(1, 1), l), 1)
		nearMargins(t, "one actuator together", one.Together, m, 1e-9)
		nearMargins(t, "one actuator alone", one.Alone[0], m, 1e-9)
	}
	rthstest.Near(t, "8/5", own[0].GainUp, 1.6, 1e-8)
	turn := mat.NewDense(3, 3, []float64{0, 1, 0, 0, 0, 1, 1, 0, 0}) // row 0 is loop 1, 1 is 2, 2 is 0
	for name, x := range map[string]struct {
		of    AxesLoop
		order [3]int
	}{
		"as they are": {axes(lti.Diagonal(3, 1), lti.Diagonal(3, 1), loops...), [3]int{0, 1, 2}},
		"turned":      {axes(turn, mat.DenseCopyOf(turn.T()), loops...), [3]int{1, 2, 0}},
	} {
		m := axesMargins(t, x.of, 3)
		nearMargins(t, name, m.Together, tightest(own...), 1e-8)
		for i, l := range x.order {
			nearMargins(t, fmt.Sprintf("%s, actuator %d", name, i+1), m.Alone[i], own[l], 1e-8)
		}
	}
}

// With other units of the actuators all margins but the distance stay, and in other coordinates those of all together.
func TestAxesInOtherCoordinates(t *testing.T) {
	loops := []lti.Response{lags(5, 30), lags(3, 8)}
	eye := lti.Diagonal(2, 1)
	want := axesMargins(t, axes(eye, eye, loops...), 2)
	to, from := mat.NewDense(2, 2, []float64{2, 0, 0, 500}), mat.NewDense(2, 2, []float64{0.5, 0, 0, 2e-3})
	units := axesMargins(t, axes(to, from, loops...), 2)
	mixed := mat.NewDense(2, 2, []float64{1, 0.8, -0.3, 1})
	var back mat.Dense
	if err := back.Inverse(mixed); err != nil {
		t.Fatal(err)
	}
	other := axesMargins(t, axes(mixed, &back, loops...), 2)
	if other.Together.Distance > want.Together.Distance*(1-1e-3) {
		t.Errorf("coupled, the distance is %g: want less than %g, from one loop alone", other.Together.Distance,
			want.Together.Distance)
	}
	for _, m := range []*AxesMargins{&units, &other} {
		m.Together.Distance = want.Together.Distance
		nearMargins(t, "together", m.Together, want.Together, 1e-8)
	}
	for i := range 2 {
		nearMargins(t, "alone", units.Alone[i], want.Alone[i], 1e-8)
	}
}

// In a ring of n actuators, each moved by the one before, L has the n-th roots of the product. Of two with lags:
// λ = ±l, of which −l passes −1 at rest, and alone each has −l². Of three with −l: λ³ = −l³, which passes −1 at
// rest too.
func TestRingsOfActuators(t *testing.T) {
	ring := func(n int, l lti.Response) AxesLoop {
		return func(hz float64) (*mat.CDense, error) {
			out := mat.NewCDense(n, n, nil)
			for i := range n {
				out.Set(i, (i+1)%n, l(hz))
			}
			return out, nil
		}
	}
	two := axesMargins(t, ring(2, lags(0.4, 10)), 2)
	rthstest.Near(t, "two, together", two.Together.GainUp, 2.5, 1e-6)
	for _, m := range two.Alone {
		rthstest.Near(t, "two, alone", m.GainUp, 1/0.16, 1e-6)
	}
	strong := axesMargins(t, ring(2, lags(4, 10)), 2) // |l| = 1 at w √(4^(2/3) − 1)
	w := 10 * math.Sqrt(math.Cbrt(16)-1)
	lag := math.Pi - 3*math.Atan(w/10)
	rthstest.Near(t, "two, phase", strong.Together.PhaseDeg, 180/math.Pi*math.Mod(lag+math.Pi, math.Pi), 1e-5)
	three := axesMargins(t, ring(3, func(hz float64) complex128 { return -lags(0.9, 10)(hz) }), 3)
	rthstest.Near(t, "three, together", three.Together.GainUp, 1/0.9, 1e-6)
	rthstest.Near(t, "three, alone", three.Alone[0].GainUp, 1/math.Pow(0.9, 3), 1e-6)
}

// Actuators without force, and such as move nothing but themselves, have no margins.
func TestAxesWithoutForce(t *testing.T) {
	eye := lti.Diagonal(2, 1)
	none := lti.Response(func(float64) complex128 { return 0 })
	m := axesMargins(t, axes(mat.NewDense(2, 2, []float64{1, 0.3, 0.3, 1}), eye, lags(5, 30), none), 2)
	if a := m.Alone[1]; !math.IsInf(a.GainUp, 1) || !math.IsInf(a.Delay, 1) || a.GainDown != 0 || a.Distance != 1 {
		t.Errorf("actuator without force: %+v", a)
	}
	want := rthstest.Must(NewCurve(lags(5, 30), 1e-3, 1e3, nil)).Margins()
	want.Distance = m.Alone[0].Distance
	nearMargins(t, "beside it", m.Alone[0], want, 1e-8)
	one := mat.NewDense(2, 2, []float64{1, 1, 1, 1}) // rank 1: eigenvalues 2 l and 0
	together := axesMargins(t, axes(one, eye, lags(2.5, 30), lags(2.5, 30)), 2).Together
	rthstest.Near(t, "one force for two", together.GainUp, 1.6, 1e-8)
	failed := errors.New("no response")
	if _, err := NewAxesMargins(func(float64) (*mat.CDense, error) { return nil, failed }, 2, 1, 2, nil); !errors.Is(err,
		failed) {
		t.Errorf("error %v: want that of the loop", err)
	}
	if _, err := NewAxesMargins(axes(eye, eye, none, none), 2, 2, 1, nil); err == nil {
		t.Error("from 2 Hz to 1 Hz: want an error")
	}
}

// drawnLoop is a random stable loop of 2 actuators at 1 Hz: L = c (zI − a)⁻¹ b.
type drawnLoop struct{ a, b, c *mat.Dense }

func newDrawn(r *rand.Rand, n int) drawnLoop {
	draw := func(rows, columns int) *mat.Dense {
		m := mat.NewDense(rows, columns, nil)
		m.Apply(func(int, int, float64) float64 { return r.NormFloat64() }, m)
		return m
	}
	s := drawnLoop{draw(n, n), draw(n, 2), draw(2, n)}
	s.a.Scale(0.9/rthstest.Must(lti.SpectralRadius(s.a)), s.a)
	for s.radius(1, 1) > 0.99 {
		s.c.Scale(0.7, s.c)
	}
	return s
}

// radius is the spectral radius with other gains of the actuators: of a − b d c.
func (s drawnLoop) radius(d ...float64) float64 {
	gains := mat.NewDense(2, 2, []float64{d[0], 0, 0, d[1]})
	closed := lti.Product(s.b, gains, s.c)
	closed.Sub(s.a, closed)
	return rthstest.Must(lti.SpectralRadius(closed))
}

// late is the loop with samples of delay before each actuator.
func (s drawnLoop) late(delay [2]int) drawnLoop {
	for i, m := range delay {
		for range m { // a state that keeps the input of actuator i
			n, _ := s.a.Dims()
			a, b, c := mat.NewDense(n+1, n+1, nil), mat.NewDense(n+1, 2, nil), mat.NewDense(2, n+1, nil)
			a.Slice(0, n, 0, n).(*mat.Dense).Copy(s.a)
			b.Slice(0, n, 0, 2).(*mat.Dense).Copy(s.b)
			c.Slice(0, 2, 0, n).(*mat.Dense).Copy(s.c)
			for k := range n {
				a.Set(k, n, s.b.At(k, i))
				b.Set(k, i, 0)
			}
			b.Set(n, i, 1)
			s = drawnLoop{a, b, c}
		}
	}
	return s
}

// Margins of random loops are true: at a gain margin the spectral radius is 1 and before it less, before a delay
// margin no whole number of samples grows and the next does, and at the margin det(I + L D) is 0.
func TestMarginsOfRandomLoops(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	var gains, downs, delays int
	for trial := range 60 {
		s := newDrawn(r, 3+trial%5)
		g := rthstest.Must(lti.NewSS(s.a, s.b, s.c, mat.NewDense(2, 2, nil), 1)).Sweep()
		of := AxesLoop(func(hz float64) (*mat.CDense, error) { return g.At(cmplx.Exp(complex(0, 2*math.Pi*hz))) })
		m := rthstest.Must(NewAxesMargins(of, 2, 1e-4, 0.5, nil))
		end := rthstest.Must(newAxesPoint(of, 2, 0.5))
		fast := []float64{cmplx.Abs(end.loci[0]), cmplx.Abs(end.alone[0]), cmplx.Abs(end.alone[1])}
		for k, x := range []struct {
			m    Margins
			with [2]bool
		}{{m.Together, [2]bool{true, true}}, {m.Alone[0], [2]bool{true, false}}, {m.Alone[1], [2]bool{false, true}}} {
			what := fmt.Sprintf("loop %d, change %d", trial, k)
			each := func(gain float64) []float64 {
				d := []float64{1, 1}
				for i, on := range x.with {
					if on {
						d[i] = gain
					}
				}
				return d
			}
			for _, edge := range []float64{x.m.GainUp, x.m.GainDown} {
				if edge == 0 || math.IsInf(edge, 1) {
					continue
				}
				if edge > 1 {
					gains++
				} else {
					downs++
				}
				rthstest.Near(t, what+": radius at the gain", s.radius(each(edge)...), 1, 1e-6)
				for part := 0.0; part < 1; part += 0.01 {
					if f := 1 + part*(edge-1); s.radius(each(f)...) > 1 {
						t.Errorf("%s: unstable with a factor of %g: margin %g", what, f, edge)
						break
					}
				}
			}
			grows := func(samples int) bool {
				var d [2]int
				for i, on := range x.with {
					if on {
						d[i] = samples
					}
				}
				return s.late(d).radius(1, 1) > 1
			}
			if fast[k] >= 1 {
				continue // no fraction of a sample has a meaning
			}
			if math.IsInf(x.m.Delay, 1) {
				if s := 12; slices.ContainsFunc([]int{1, 2, 3, s}, grows) {
					t.Errorf("%s: unstable with %d samples: no delay margin", what, s)
				}
				continue
			}
			delays++
			if n := int(x.m.Delay); n < 40 {
				for i := range n + 2 {
					if i <= n && grows(i) || i > n && x.m.Delay > 2 && !grows(i) {
						t.Errorf("%s: %d samples, unstable: %v, margin %g", what, i, grows(i), x.m.Delay)
					}
				}
				if l := rthstest.Must(of(x.m.DelayHz)); cmplx.Abs(det(l, x.with, x.m)) > 1e-6 {
					t.Errorf("%s: det(I + L D) = %g at the delay margin", what, det(l, x.with, x.m))
				}
			}
		}
	}
	if gains < 60 || downs < 5 || delays < 30 {
		t.Errorf("%d gains up, %d down and %d delays were looked at", gains, downs, delays)
	}
}

// det is det(I + L D) of 2 × 2 with the delay margin in some actuators.
func det(l *mat.CDense, with [2]bool, m Margins) complex128 {
	d := [2]complex128{1, 1}
	for i, on := range with {
		if on {
			d[i] = cmplx.Exp(complex(0, -2*math.Pi*m.DelayHz*m.Delay))
		}
	}
	return (1+l.At(0, 0)*d[0])*(1+l.At(1, 1)*d[1]) - l.At(0, 1)*d[1]*l.At(1, 0)*d[0]
}

// The distance is true: a change of L that is smaller, of any kind and in any direction, leaves I + L regular, and one
// of its size in the worst direction does not. With W = I + L = U Σ V*, the worst is −σ u v*.
func TestDistanceOfSeveral(t *testing.T) {
	s := newDrawn(rand.New(rand.NewPCG(3, 4)), 4)
	g := rthstest.Must(lti.NewSS(s.a, s.b, s.c, mat.NewDense(2, 2, nil), 1)).Sweep()
	of := AxesLoop(func(hz float64) (*mat.CDense, error) { return g.At(cmplx.Exp(complex(0, 2*math.Pi*hz))) })
	got := rthstest.Must(NewAxesMargins(of, 2, 1e-4, 0.5, nil)).Together.Distance
	least := math.Inf(1)
	for i := 1; i <= 200_000; i++ { // σ² are the roots of x² − ‖W‖² x + |det W|²
		l := rthstest.Must(of(max(1e-4, 0.5*float64(i)/200_000)))
		norm := 0.0
		for k := range 4 {
			v := l.At(k/2, k%2)
			if k%3 == 0 {
				v++
			}
			norm += real(v)*real(v) + imag(v)*imag(v)
		}
		d := cmplx.Abs(det(l, [2]bool{}, Margins{}))
		least = min(least, d/math.Sqrt((norm+math.Sqrt(norm*norm-4*d*d))/2))
	}
	rthstest.Near(t, "distance", got, least, 1e-7)
}
