package lti

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
)

func span(from, to float64, n int) []float64 {
	return floats.LogSpan(make([]float64, n), from, to)
}

// secondOrder is ω²/(s² + 2ζω s + ω²) in state space.
func secondOrder(t *testing.T, omega, zeta float64) SS {
	t.Helper()
	g, err := NewTF([]float64{omega * omega}, []float64{1, 2 * zeta * omega, omega * omega}, 0)
	if err != nil {
		t.Fatal(err)
	}
	s, err := g.SS()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A second-order system in closed form: |G| = 1/√((1−r²)² + (2ζr)²) and
// φ = −atan2(2ζr, 1−r²) with r = ω/ω₀.
func TestBodeOfSecondOrder(t *testing.T) {
	for _, zeta := range []float64{0.01, 0.3, 0.8, 1.5} {
		const omega = 50.0
		hz := span(0.1, 80, 60)
		b, err := secondOrder(t, omega, zeta).Response(0, 0).Bode(hz, 0)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range hz {
			r := 2 * math.Pi * f / omega
			mag := -20 * math.Log10(math.Hypot(1-r*r, 2*zeta*r))
			phase := -math.Atan2(2*zeta*r, 1-r*r)
			delay := -1e3 * phase / (2 * math.Pi * f)
			if math.Abs(b.MagDB[i]-mag) > 1e-9 || math.Abs(b.PhaseDeg[i]-phase*180/math.Pi) > 1e-7 ||
				math.Abs(b.DelayMs[i]-delay) > 1e-6 {
				t.Errorf("ζ = %g, %.3g Hz: %g dB, %g°, %g ms, want %g, %g, %g", zeta, f, b.MagDB[i], b.PhaseDeg[i], b.DelayMs[i],
					mag, phase*180/math.Pi, delay)
			}
		}
	}
}

// A pure delay has the same delay at all frequencies, however many turns its
// phase makes between them, and whether it is known beforehand or not.
func TestBodeOfDelay(t *testing.T) {
	for _, tc := range []struct{ delay, known float64 }{{0.025, 0}, {0.025, 0.025}, {0.025, 0.1}, {0.4, 0}, {20, 20},
		{20, 20.1}} {
		g := Response(func(hz float64) complex128 { return cmplx.Exp(complex(0, -2*math.Pi*hz*tc.delay)) })
		b, err := g.Bode([]float64{0.1, 3, 50, 400}, tc.known)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range b.Hz {
			if math.Abs(b.DelayMs[i]-1e3*tc.delay) > 1e-6*tc.delay || math.Abs(b.PhaseDeg[i]+360*f*tc.delay) > 1e-6 ||
				math.Abs(b.MagDB[i]) > 1e-12 {
				t.Errorf("delay %g s, %g s known, %g Hz: %g dB, %g°, %g ms", tc.delay, tc.known, f, b.MagDB[i], b.PhaseDeg[i],
					b.DelayMs[i])
			}
		}
	}
}

// The phase of random stable systems of many sharp resonances is the sum of the phases
// of their factors, from two frequencies as from two hundred.
func TestBodePhaseIsThatOfTheFactors(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		type factor struct{ omega, zeta float64 }
		var poles []factor
		for range 1 + r.IntN(5) {
			poles = append(poles, factor{math.Exp(r.Float64()*5 + 1), math.Exp(-7 * r.Float64())})
		}
		g := Response(func(hz float64) complex128 {
			s, out := complex(0, 2*math.Pi*hz), complex128(1)
			for _, p := range poles {
				w := complex(p.omega, 0)
				out *= w * w / (s*s + 2*complex(p.zeta, 0)*w*s + w*w)
			}
			return out
		})
		for _, n := range []int{2, 200} {
			b, err := g.Bode(span(0.05, 60, n), 0)
			if err != nil {
				t.Fatal(err)
			}
			for i, f := range b.Hz {
				want := 0.0
				for _, p := range poles {
					x := 2 * math.Pi * f / p.omega
					want -= 180 / math.Pi * math.Atan2(2*p.zeta*x, 1-x*x)
				}
				if math.Abs(b.PhaseDeg[i]-want) > 1e-6 {
					t.Fatalf("%v at %g Hz of %d: phase %g°, want %g°", poles, f, n, b.PhaseDeg[i], want)
				}
			}
		}
	}
}

// Reversed polarity is a phase of 180° from 0 Hz on.
func TestBodeOfReversedPolarity(t *testing.T) {
	b, err := Response(func(hz float64) complex128 { return -cmplx.Exp(complex(0, -2*math.Pi*hz*0.01)) }).Bode([]float64{1,
		10}, 0)
	if err != nil || math.Abs(b.PhaseDeg[0]-176.4) > 1e-9 || math.Abs(b.PhaseDeg[1]-144) > 1e-9 {
		t.Errorf("%v, phase %v: want 176.4 and 144", err, b.PhaseDeg)
	}
}

// aᵏ is 1/(1 − a/z); a discrete system has the response of its impulse response.
func TestImpulseResponse(t *testing.T) {
	const a, dt = 0.9, 0.01
	h := Impulse{Dt: dt}
	for k := range 400 {
		h.H = append(h.H, math.Pow(a, float64(k)))
	}
	for _, hz := range []float64{0.1, 3, 49} {
		want := 1 / (1 - a*cmplx.Exp(complex(0, -2*math.Pi*hz*dt)))
		if got := h.Response(hz); cmplx.Abs(got-want) > 1e-12*cmplx.Abs(want) {
			t.Errorf("%g Hz: %g, want %g", hz, got, want)
		}
	}
	d, err := C2D(secondOrder(t, 50, 0.8), dt, ZOH)
	if err != nil {
		t.Fatal(err)
	}
	impulse := Impulse{Dt: dt, H: []float64{0}}
	x, y := d.B.At(0, 0), d.B.At(1, 0)
	for range 400 {
		impulse.H = append(impulse.H, d.C.At(0, 0)*x+d.C.At(0, 1)*y)
		x, y = d.A.At(0, 0)*x+d.A.At(0, 1)*y, d.A.At(1, 0)*x+d.A.At(1, 1)*y
	}
	for _, hz := range []float64{0.1, 3, 49} {
		want, got := d.Response(0, 0)(hz), impulse.Response(hz)
		if cmplx.Abs(got-want) > 1e-12 {
			t.Errorf("%g Hz: %g from the impulse response, %g from the states", hz, got, want)
		}
	}
}

func TestImpulseCentroid(t *testing.T) {
	for _, tc := range []struct {
		h    []float64
		want float64
	}{{nil, 0}, {[]float64{0, 0}, 0}, {[]float64{0, 0, -3}, 0.02}, {[]float64{0, 1, 0, -1}, 0.02}} {
		if got := (Impulse{H: tc.h, Dt: 0.01}).Centroid(); math.Abs(got-tc.want) > 1e-15 {
			t.Errorf("%v: %g, want %g", tc.h, got, tc.want)
		}
	}
}

func TestBodeWrongInput(t *testing.T) {
	one := Response(func(float64) complex128 { return 1 })
	for _, hz := range [][]float64{{0}, {-1}, {math.NaN()}, {math.Inf(1)}, {1, 1}, {2, 1}} {
		if _, err := one.Bode(hz, 0); err == nil || !strings.Contains(err.Error(), "want increasing frequencies above 0") {
			t.Errorf("%v: %v", hz, err)
		}
	}
	for _, v := range []complex128{0, cmplx.NaN(), cmplx.Inf()} {
		if _, err := Response(func(float64) complex128 { return v }).Bode([]float64{1}, 0); err == nil ||
			!strings.Contains(err.Error(), "at 1 Hz the gain is") {
			t.Errorf("gain %g: %v", v, err)
		}
	}
	if v := secondOrder(t, 2*math.Pi, 0).Response(0, 0)(1); !cmplx.IsNaN(v) && cmplx.Abs(v) < 1e12 {
		t.Errorf("at its undamped pole the response is %g", v)
	}
}
