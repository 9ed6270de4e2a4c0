package plant

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"rths/kit/rthstest"
)

// sampled is a motion written down in closed form, at the ends of n samples,
// with the force of the specimen m, c, k.
func sampled(n int, s *linear, motion func(t float64) (x, v, a float64)) (out trace) {
	for k := range n {
		x, v, a := motion(float64(k+1) / rate)
		out.x, out.v, out.a = append(out.x, x), append(out.v, v), append(out.a, a)
		out.f = append(out.f, s.m*a+s.c*v+s.k*x)
	}
	return out
}

// same wants two traces equal to a part of their largest values.
func same(t *testing.T, what string, got, want trace, tol float64) {
	t.Helper()
	for _, c := range []struct {
		name      string
		got, want []float64
	}{{"x", got.x, want.x}, {"v", got.v, want.v}, {"a", got.a, want.a}, {"f", got.f, want.f}} {
		if d := apart(c.got, c.want); !(d <= tol*peak(c.want)) {
			t.Errorf("%s: %s is %.2g from the closed form, largest %.2g", what, c.name, d, peak(c.want))
		}
	}
}

// someSpecimens: the benchmark's, one heavy and soft, a bare spring.
var someSpecimens = []*linear{{specimenMass, specimenDamping, specimenStiffness}, {1000, 20, 1e4}, {k: 5e4}}

// The step response of x/u = g ω²/(s² + 2ζω s + ω²), below, at and above
// critical damping, and the force of a specimen that follows it.
func TestSecondOrderStep(t *testing.T) {
	const n = 2000
	for _, s := range someSpecimens {
		for _, p := range []SecondOrder{{Omega: 50, DampingRatio: 0.8, Gain: 1}, {Omega: 45, DampingRatio: 0.8, Gain: 1},
			{Omega: 200, DampingRatio: 0.05, Gain: 1.3}, {Omega: 30, DampingRatio: 1, Gain: 0.9},
			{Omega: 50, DampingRatio: 1.5, Gain: 1}} {
			w, z, g := p.Omega, p.DampingRatio, p.Gain
			want := sampled(n, s, func(t float64) (x, v, a float64) {
				// impulse response h = g ω² e^{−ζωt} S with S'' = (ζ²−1)ω² S, S(0) = 0, S'(0) = 1
				e := math.Exp(-z * w * t)
				var sine, cosine float64 // S and S'
				switch d := w * math.Sqrt(math.Abs(1-z*z)); {
				case z < 1:
					sine, cosine = math.Sin(d*t)/d, math.Cos(d*t)
				case z > 1:
					sine, cosine = math.Sinh(d*t)/d, math.Cosh(d*t)
				default:
					sine, cosine = t, 1
				}
				return g * (1 - e*(cosine+z*w*sine)), g * w * w * e * sine, g * w * w * e * (cosine - z*w*sine)
			})
			got := drive(rthstest.Must(p.Make(At{RateHz: rate, Specimen: s})), steps(n))
			same(t, fmt.Sprintf("%+v with %+v", p, *s), got, want, 1e-11)
		}
	}
}

// The step response of x/u = g/(τs + 1), and the force of a specimen that
// follows it; the jump of the velocity at the start is no force.
func TestFirstOrderStep(t *testing.T) {
	const n = 1000
	for _, s := range someSpecimens {
		for _, p := range []FirstOrder{{TauMs: 10, Gain: 1}, {TauMs: 2.5, Gain: 1.2}, {TauMs: 100, Gain: 0.7}} {
			tau := p.TauMs / 1e3
			want := sampled(n, s, func(t float64) (x, v, a float64) {
				e := p.Gain * math.Exp(-t/tau)
				return p.Gain - e, e / tau, -e / tau / tau
			})
			got := drive(rthstest.Must(p.Make(At{RateHz: rate, Specimen: s})), steps(n))
			same(t, fmt.Sprintf("%+v with %+v", p, *s), got, want, 1e-11)
		}
	}
}

// A delay of d samples shows at the end of sample k the command of k − d,
// between two commands a point on the straight line. Velocity, acceleration and force
// come from backward differences.
func TestDelay(t *testing.T) {
	s := &linear{m: 2, c: 300, k: 4e4}
	u := wander(40, 400, 1e-3)
	at := func(k int) float64 {
		if k < 0 {
			return 0
		}
		return u[k]
	}
	for _, c := range []struct{ hz, ms, samples float64 }{
		{1000, 0, 0}, {1000, 1, 1}, {1000, 7, 7}, {1000, 0.25, 0.25}, {1000, 3.75, 3.75}, {rate, 5, 20.48},
		{1024, 8.5, 8.704}, {rate, 1e3 / rate, 1},
	} {
		got := drive(rthstest.Must((&Delay{DelayMs: c.ms}).Make(At{RateHz: c.hz, Specimen: s})), u)
		n := int(c.samples)
		part := c.samples - float64(n)
		for k := range u {
			x := (1-part)*at(k-n) + part*at(k-n-1)
			rthstest.Near(t, fmt.Sprintf("%g ms at %g Hz: x of step %d", c.ms, c.hz, k), got.x[k], x, 1e-15)
			before := func(j int) float64 {
				if k < j {
					return 0
				}
				return got.x[k-j]
			}
			v, a := (got.x[k]-before(1))*c.hz, (got.x[k]-2*before(1)+before(2))*c.hz*c.hz
			if got.v[k] != v || got.a[k] != a || math.Abs(got.f[k]-(s.m*a+s.c*v+s.k*got.x[k])) > 1e-12*peak(got.f) {
				t.Fatalf("%g ms at %g Hz: step %d has v %g, a %g, f %g: want the differences %g and %g and their force", c.ms, c.hz,
					k, got.v[k], got.a[k], got.f[k], v, a)
			}
		}
	}
}

// Without delay the displacement is the command itself.
func TestIdeal(t *testing.T) {
	u := wander(41, 300, 1e-3)
	at := At{RateHz: rate, Specimen: benchmarkSpecimen()}
	ideal := drive(rthstest.Must((&Ideal{}).Make(at)), u)
	if !slices.Equal(ideal.x, u) {
		t.Error("the displacement is not the command")
	}
	none := drive(rthstest.Must((&Delay{}).Make(at)), u)
	if !slices.Equal(ideal.x, none.x) || !slices.Equal(ideal.f, none.f) {
		t.Error("an ideal system is not one with a delay of 0")
	}
}

// The series of the inverses: (s² + 2ζω s + ω²)/(g ω²), (τs + 1)/g and e^{sτ}.
func TestSimpleBareInverse(t *testing.T) {
	for _, c := range []struct {
		name string
		p    Inverter
		want []float64
	}{
		{"second-order", &SecondOrder{Omega: 50, DampingRatio: 0.8, Gain: 1.25},
			[]float64{1 / 1.25, 1.6 / (50 * 1.25), 1 / (2500 * 1.25), 0, 0}},
		{"first-order", &FirstOrder{TauMs: 10, Gain: 2}, []float64{0.5, 0.005, 0, 0, 0}},
		{"delay", &Delay{DelayMs: 20}, []float64{1, 0.02, 0.02 * 0.02 / 2, 0.02 * 0.02 * 0.02 / 6,
			0.02 * 0.02 * 0.02 * 0.02 / 24}},
		{"ideal", &Ideal{}, []float64{1, 0, 0, 0, 0}},
	} {
		for n := 1; n <= len(c.want); n++ {
			got := rthstest.Must(c.p.BareInverse(n))
			if len(got) != n {
				t.Fatalf("%s: %d coefficients: want %d", c.name, len(got), n)
			}
			for i, v := range got {
				rthstest.Near(t, fmt.Sprintf("%s: s^%d", c.name, i), v, c.want[i], 1e-14*math.Abs(c.want[i]))
			}
		}
	}
	for _, k := range oneAxis() {
		for _, n := range []int{0, -1} {
			_, err := k.Defaults().(Inverter).BareInverse(n)
			rthstest.WantError(t, err, fmt.Sprintf("%d coefficients: want 1 or more", n))
		}
	}
	for _, p := range []Inverter{&SecondOrder{Omega: 1, DampingRatio: 1}, &FirstOrder{TauMs: 1}} {
		_, err := p.BareInverse(2)
		rthstest.WantError(t, err, "gain at s = 0 is zero")
	}
	for _, p := range []Inverter{&SecondOrder{Omega: math.Inf(1), DampingRatio: 1, Gain: 1},
		&FirstOrder{TauMs: math.NaN(), Gain: 1}} {
		_, err := p.BareInverse(2)
		rthstest.WantError(t, err, "want a finite number")
	}
}

func TestSimpleErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	at := At{RateHz: rate, Specimen: benchmarkSpecimen()}
	for _, c := range []struct {
		p    TransferMaker
		want string
	}{
		{&SecondOrder{Omega: 0, DampingRatio: 0.8, Gain: 1},
			"second-order transfer system: omega 0 rad/s, damping ratio 0.8: want both above 0"},
		{&SecondOrder{Omega: nan, DampingRatio: 0.8, Gain: 1}, "omega NaN rad/s"},
		{&SecondOrder{Omega: 50, DampingRatio: -0.1, Gain: 1}, "damping ratio -0.1: want both above 0"},
		{&SecondOrder{Omega: inf, DampingRatio: 0.8, Gain: 1}, "transfer system: zoh"},
		{&SecondOrder{Omega: 50, DampingRatio: 0.8, Gain: nan}, "transfer system: zoh"},
		{&FirstOrder{TauMs: 0, Gain: 1}, "first-order transfer system: tau 0 ms: want more than 0"},
		{&FirstOrder{TauMs: -1, Gain: 1}, "tau -1 ms"},
		{&FirstOrder{TauMs: nan, Gain: 1}, "tau NaN ms"},
		{&FirstOrder{TauMs: 10, Gain: inf}, "transfer system: zoh"},
		{&Delay{DelayMs: -1}, "delay transfer system: delay -1 ms: want 0 to a million samples"},
		{&Delay{DelayMs: nan}, "delay NaN ms"},
		{&Delay{DelayMs: inf}, "delay +Inf ms"},
		{&Delay{DelayMs: 1e6}, "delay 1e+06 ms"},
	} {
		_, err := c.p.Make(at)
		rthstest.WantError(t, err, c.want)
	}
}
