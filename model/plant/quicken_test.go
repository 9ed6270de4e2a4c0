package plant

import (
	"math"
	"math/cmplx"
	"reflect"
	"testing"

	"rths/kit/rthstest"
	"rths/maths/lti"
)

// factors of Quicken: slower, as it is, faster.
var factors = []float64{0.4, 1, 1.5, 7}

// frequencies, Hz, below and above the corner of every default.
var frequencies = []float64{0, 0.01, 0.3, 1, 3.6, 11, 40, 67, 200}

// unquick are the kinds that have no lag.
var unquick = map[string]bool{"ideal": true}

// more are transfer systems whose parameters are all at work: zeros, delays, several axes, a swing.
func more() map[string]func() TransferMaker {
	out := map[string]func() TransferMaker{
		"tf with zero and delay": func() TransferMaker {
			return &GivenTF{Num: []float64{3, 40, 5000}, Den: []float64{1, 90, 3000, 40000}, DelayMs: 2}
		},
		"tf, direct": func() TransferMaker { return &GivenTF{Num: []float64{1, 20}, Den: []float64{2, 50}} },
		"zpk with zeros and delay": func() TransferMaker {
			return &GivenZPK{Zeros: [][]float64{{-20, 0}, {30, 0}}, Poles: [][]float64{{-40, 30}, {-40, -30}, {-90, 0}},
				Gain: -300, DelayMs: 1.5}
		},
		"ss of two axes": func() TransferMaker {
			return &GivenSS{A: [][]float64{{-30, 4}, {-5, -60}}, B: [][]float64{{30, 1}, {2, 60}},
				C: [][]float64{{1, 0}, {0.1, 1}}, D: [][]float64{{0.1, 0}, {0, 0.2}}, DelayMs: 3}
		},
		"pid": func() TransferMaker {
			p := carrion
			p.IntegralGain, p.DerivativeGain = 900, 0.1
			return &p
		},
	}
	for _, k := range Transfers {
		out[k.Name] = k.Defaults
	}
	return out
}

// Every kind but one without lag can be made quicker.
func TestEveryKindQuickens(t *testing.T) {
	for _, k := range Transfers {
		if _, ok := k.Defaults().(Quickened); ok == unquick[k.Name] {
			t.Errorf("%s: quickens %v: want a method Quicken, or a place in the list of kinds without lag", k.Name, ok)
		}
	}
}

// responseOf is the matrix of displacements by commands at s, with the delays.
func responseOf(t *testing.T, p TransferMaker, s complex128) (out [][]complex128) {
	t.Helper()
	m := rthstest.Must(p.(Modelled).Model(nil))
	g := rthstest.Must(m.SS.At(s))
	_, inputs, outputs := m.SS.Dims()
	for i := range outputs {
		out = append(out, make([]complex128, inputs))
		for j := range inputs {
			out[i][j] = g.At(i, j) * cmplx.Exp(-s*complex(m.Delay(j), 0))
		}
	}
	return out
}

// G_f(jω) = G(jω/f) for every system without specimen, in every entry; of marths without its frame,
// whose poles stay. The gain at rest stays with it. The tolerance is rounding in companion matrices.
func TestQuickenScalesFrequency(t *testing.T) {
	for name, made := range more() {
		if unquick[name] || name == "servo-hydraulic" || name == "pid" { // integrators: not at 0, see below
			continue
		}
		for _, f := range factors {
			p, q := made(), made()
			q.(Quickened).Quicken(f)
			for _, hz := range frequencies {
				s := complex(0, 2*math.Pi*hz)
				got, want := responseOf(t, q, s), responseOf(t, p, s/complex(f, 0))
				for i := range got {
					for j := range got[i] {
						g, w := got[i][j], want[i][j]
						if _, ok := p.(*MaRTHS); ok {
							g, w = g/frameOf(s), w/frameOf(s/complex(f, 0))
						}
						if !(cmplx.Abs(g-w) <= 1e-9*cmplx.Abs(w)) {
							t.Errorf("%s × %g at %g Hz, %d from %d: %v, want %v", name, f, hz, i+1, j+1, g, w)
						}
					}
				}
			}
		}
	}
}

// frameOf is the pole pair of the frame of marths, 1 at s = 0.
func frameOf(s complex128) complex128 {
	p := marthsPlant()
	decay, swing := complex(2*math.Pi*p.Frame[0], 0), complex(2*math.Pi*p.Frame[1], 0)
	return (decay*decay + swing*swing) / ((s+decay)*(s+decay) + swing*swing)
}

// The bare servo-hydraulic system is x/u = 1 at rest, and G(s/f) elsewhere.
func TestQuickenServoHydraulic(t *testing.T) {
	for _, name := range []string{"servo-hydraulic", "pid"} {
		made := more()[name]
		for _, f := range factors {
			p, q := made(), made()
			q.(Quickened).Quicken(f)
			for _, hz := range frequencies[1:] {
				s := complex(0, 2*math.Pi*hz)
				got, want := responseOf(t, q, s)[0][0], responseOf(t, p, s/complex(f, 0))[0][0]
				if !(cmplx.Abs(got-want) <= 1e-9*cmplx.Abs(want)) {
					t.Errorf("%s × %g at %g Hz: %v, want %v", name, f, hz, got, want)
				}
			}
		}
	}
}

// lagOf is the lag of a transfer function in slow motion, s: −d arg G/dω at 0.
func lagOf(g lti.TF) float64 {
	late := func(poly []float64) float64 {
		if n := len(poly); n > 1 {
			return poly[n-2] / poly[n-1]
		}
		return 0
	}
	return late(g.Den) - late(g.Num)
}

// The lag in slow motion is divided by f, for every kind without specimen.
func TestQuickenDividesTheLag(t *testing.T) {
	const hz = 1e-3
	for name, made := range more() {
		if unquick[name] || name == "marths" || name == "pid" { // the frame keeps a lag; the integral gain leaves none
			continue
		}
		phase := func(p TransferMaker) float64 { return cmplx.Phase(responseOf(t, p, complex(0, 2*math.Pi*hz))[0][0]) }
		p := made()
		still := cmplx.Phase(complex(real(responseOf(t, p, 1e-9)[0][0]), 0)) // π for a negative gain
		want := still - phase(p)
		for _, f := range factors {
			q := made()
			q.(Quickened).Quicken(f)
			if lag := still - phase(q); !(math.Abs(lag*f-want) <= 1e-5*math.Abs(want)) { // (ω τ)² of the next term
				t.Errorf("%s × %g: lag of %.9g ms: want %.9g", name, f, 1e3*lag/(2*math.Pi*hz), 1e3*want/f/(2*math.Pi*hz))
			}
		}
	}
}

// The force that a quicker actuator needs is the specimen's own: x/u with the specimen m, c, k is
// the old x/u at s/f with f²m, fc, k, which have the same force m s² + c s + k. So α₂, the
// velocity's coefficient, stays. At rest the displacement stays.
func TestQuickenLeavesTheSpecimen(t *testing.T) {
	for _, f := range factors {
		for _, p := range []Silva2020{silvaCode, silvaPaper} {
			q := p
			q.Quicken(f)
			if q.Alpha2 != p.Alpha2 || q.Gain != p.Gain || q.ForceLimit != p.ForceLimit {
				t.Errorf("× %g: %+v: want α₂, gain and force limit of %+v", f, q, p)
			}
			got := rthstest.Must(q.Transfer(specimenMass, specimenDamping, specimenStiffness))
			want := rthstest.Must(p.Transfer(f*f*specimenMass, f*specimenDamping, specimenStiffness))
			for _, hz := range frequencies {
				s := complex(0, 2*math.Pi*hz)
				if d := cmplx.Abs(got.At(s) - want.At(s/complex(f, 0))); !(d <= 1e-9*cmplx.Abs(got.At(s))) {
					t.Errorf("silva2020 × %g at %g Hz: x/u %v, want %v", f, hz, got.At(s), want.At(s/complex(f, 0)))
				}
			}
			still := rthstest.Must(p.Transfer(specimenMass, specimenDamping, specimenStiffness))
			// the specimen's damping has a part c β₂α₃/(α₁β₀ + k β₂α₃) of the lag that no valve shortens
			own := specimenDamping * p.Beta2 * p.Alpha3 / (p.Alpha1Beta + specimenStiffness*p.Beta2*p.Alpha3)
			if d := (lagOf(got)-own)*f - (lagOf(still) - own); !(math.Abs(d) <= 1e-12) {
				t.Errorf("silva2020 × %g: lag %.6g ms, was %.6g ms, of which %.3g ms are the specimen's", f, 1e3*lagOf(got),
					1e3*lagOf(still), 1e3*own)
			}
		}
	}
}

// The pole pair of marths' frame stays, and all four gains at rest.
func TestQuickenMaRTHS(t *testing.T) {
	for _, f := range factors {
		p, q := marthsPlant(), marthsPlant()
		q.Quicken(f)
		if !reflect.DeepEqual(q.Frame, p.Frame) {
			t.Errorf("× %g: frame at %v Hz, was at %v", f, q.Frame, p.Frame)
		}
		got, want := responseOf(t, q, 0), responseOf(t, p, 0)
		for i := range got {
			for j := range got[i] {
				if d := cmplx.Abs(got[i][j] - want[i][j]); !(d <= 1e-12*cmplx.Abs(want[i][j])) {
					t.Errorf("× %g: gain at rest of %d from %d is %v: want %v", f, i+1, j+1, got[i][j], want[i][j])
				}
			}
		}
		q.Draws = []float64{1, -1, 0.5, 0.3, -0.2, 1, -1, 0.7, 0.1} // a random plant keeps them too
		for i, row := range responseOf(t, q, 0) {
			for j, g := range row {
				if d := cmplx.Abs(g - want[i][j]); !(d <= 1e-12*cmplx.Abs(want[i][j])) {
					t.Errorf("× %g, random: gain at rest of %d from %d is %v: want %v", f, i+1, j+1, g, want[i][j])
				}
			}
		}
	}
}

// Parameters that vary with time vary as before, in parts of themselves: the swing scales with ω, and
// its rate belongs to the oil, not to the actuator.
func TestQuickenWhatVaries(t *testing.T) {
	p := &SecondOrder{Omega: 50, Swing: 5, SwingRate: 1, DampingRatio: 0.8, Gain: 1}
	p.Quicken(2)
	if want := (SecondOrder{Omega: 100, Swing: 10, SwingRate: 1, DampingRatio: 0.8, Gain: 1}); *p != want {
		t.Errorf("%+v: want %+v", *p, want)
	}
	varies := Silva2020{Varies: []Variation{{Parameter: "beta1", Swing: 0.1, SwingRate: 2}}}
	varies.Quicken(2)
	if want := (Variation{Parameter: "beta1", Swing: 0.1, SwingRate: 2}); varies.Varies[0] != want {
		t.Errorf("%+v: want %+v", varies.Varies[0], want)
	}
}

// A factor of 1 changes no bit; a factor and its inverse change rounding.
func TestQuickenAndBack(t *testing.T) {
	for name, made := range more() {
		q, ok := made().(Quickened)
		if !ok {
			continue
		}
		if q.Quicken(1); !reflect.DeepEqual(q, made()) {
			t.Errorf("%s × 1 is %+v: want %+v", name, q, made())
		}
		q.Quicken(3)
		if reflect.DeepEqual(q, made()) {
			t.Errorf("%s × 3 is as before", name)
		}
		q.Quicken(1. / 3)
		got, want := numbersOf(reflect.ValueOf(q)), numbersOf(reflect.ValueOf(made()))
		if len(got) != len(want) {
			t.Fatalf("%s: %d numbers, were %d", name, len(got), len(want))
		}
		for i := range got {
			if !(math.Abs(got[i]-want[i]) <= 1e-14*math.Abs(want[i])) {
				t.Errorf("%s × 3 × 1/3: number %d is %.17g: want %.17g", name, i+1, got[i], want[i])
			}
		}
	}
}

// numbersOf are all numbers of a value, in order.
func numbersOf(v reflect.Value) (out []float64) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return numbersOf(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			out = append(out, numbersOf(v.Field(i))...)
		}
	case reflect.Slice:
		for i := range v.Len() {
			out = append(out, numbersOf(v.Index(i))...)
		}
	case reflect.Float64:
		out = append(out, v.Float())
	}
	return out
}
