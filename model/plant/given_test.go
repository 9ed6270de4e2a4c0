package plant

import (
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/model/device"
)

// The same second-order system written in four ways is the same plant.
func TestGivenIsSecondOrder(t *testing.T) {
	u := wander(70, 2000, 1e-3)
	for _, s := range []Specimen{&linear{m: 10, c: 1000, k: 1e4},
		rthstest.Must((&Maxwell{Stiffness: 1e6, Damping: 1e4, Exponent: 1}).Make()),
		rthstest.Must((&Friction{Coefficient: 0.3, NormalForce: 1e3, StickStiffness: 1e6, Mass: 5}).Make())} {
		want := drive(rthstest.Must((&SecondOrder{Omega: 50, DampingRatio: 0.8, Gain: 1.25}).Make(At{RateHz: rate,
			Specimen: s})), u)
		for _, p := range []TransferMaker{
			&GivenTF{Num: []float64{0, 3125}, Den: []float64{1, 80, 2500}},
			&GivenTF{Num: []float64{6250}, Den: []float64{2, 160, 5000}},
			&GivenZPK{Poles: [][]float64{{-40, -30}, {-40, 30}}, Gain: 3125},
			&GivenSS{A: [][]float64{{-80, -2500}, {1, 0}}, B: [][]float64{{1}, {0}}, C: [][]float64{{0, 3125}},
				D: [][]float64{{0}}},
			// a pole and zero that cancel
			&GivenZPK{Zeros: [][]float64{{-100, 0}}, Poles: [][]float64{{-100, 0}, {-40, 30}, {-40, -30}}, Gain: 3125},
		} {
			same(t, "given", drive(rthstest.Must(p.Make(At{RateHz: rate, Specimen: s})), u), want, 1e-8)
		}
	}
	want := drive(rthstest.Must((&FirstOrder{TauMs: 10, Gain: 1}).Make(At{RateHz: rate, Specimen: benchmarkSpecimen()})),
		u)
	same(t, "first order",
		drive(rthstest.Must((&GivenTF{Num: []float64{1}, Den: []float64{0.01, 1}}).Make(At{RateHz: rate,
			Specimen: benchmarkSpecimen()})), u), want, 1e-11)
}

// A gain is a numerator of the order of the denominator: the displacement jumps
// with the command and has no velocity but its jumps.
func TestGivenGain(t *testing.T) {
	u := wander(71, 100, 1e-3)
	got := drive(rthstest.Must((&GivenTF{Num: []float64{3}, Den: []float64{2}}).Make(At{RateHz: rate,
		Specimen: &linear{m: 1, c: 1, k: 100}})), u)
	for k := range u {
		if got.x[k] != 1.5*u[k] || got.v[k] != 0 || got.a[k] != 0 || math.Abs(got.f[k]-150*u[k]) > 1e-15 {
			t.Fatalf("step %d: %g %g %g %g", k, got.x[k], got.v[k], got.a[k], got.f[k])
		}
	}
}

// A step through 1/(τs + 1) with any delay is 1 − e^{−(t−d)/τ} from t = d on.
func TestGivenDelayOfAStep(t *testing.T) {
	const hz, tau = 1000, 0.01
	s := &linear{c: 300, k: 4e4}
	for _, ms := range []float64{0.25, 0.5, 1, 1.999, 2, 7.3, 20.48} {
		p := rthstest.Must((&GivenTF{Num: []float64{1}, Den: []float64{tau, 1}, DelayMs: ms}).Make(At{RateHz: hz,
			Specimen: s}))
		got := drive(p, steps(200))
		for k := range got.x {
			x, v := 0.0, 0.0
			if at := float64(k+1)/hz - ms/1e3; at > 1e-12 {
				x, v = 1-math.Exp(-at/tau), math.Exp(-at/tau)/tau
			}
			if math.Abs(got.x[k]-x) > 1e-12 || math.Abs(got.v[k]-v) > 1e-9 || math.Abs(got.f[k]-s.k*x-s.c*v) > 1e-6 {
				t.Fatalf("delay %g ms, step %d: x %g, v %g, f %g: want %g and %g", ms, k, got.x[k], got.v[k], got.f[k], x, v)
			}
		}
	}
}

// A delay of 3.7 samples is one of 37 of a clock ten times as fast, with a linear
// specimen and with one that is integrated.
func TestGivenDelayOnAFasterClock(t *testing.T) {
	u := wander(72, 400, 1e-3)
	make := func(hz float64, s Specimen) Plant {
		return rthstest.Must((&GivenTF{Num: []float64{30, 2500}, Den: []float64{1, 80, 2500},
			DelayMs: 3.7}).Make(At{RateHz: hz, Specimen: s}))
	}
	for _, c := range []struct {
		s   Specimen
		tol float64
	}{
		{&linear{m: 3, c: 300, k: 4e4}, 1e-9},
		{rthstest.Must((&TunedMassDamper{DamperMass: 20, Damping: 100, Stiffness: 4e4, Mass: 2}).Make()), 1e-9},
		{rthstest.Must((&ViscousDamper{Damping: 500, Exponent: 0.3, LinearBelow: 1e-3, Stiffness: 100}).Make()), 1e-9},
		{hidden{rthstest.Must((&Maxwell{Damping: 1e3, Stiffness: 1e5, Exponent: 1}).Make())}, 1e-5}, // by RK4
	} {
		got, fast := drive(make(1000, c.s), u), drive(make(10000, c.s), repeat(u, 10))
		var want trace
		for k := range u {
			at := 10*k + 9
			want.x, want.v = append(want.x, fast.x[at]), append(want.v, fast.v[at])
			want.a, want.f = append(want.a, fast.a[at]), append(want.f, fast.f[at])
		}
		same(t, "delay of 3.7 samples", got, want, c.tol)
	}
}

// hidden is a linear specimen that does not say so.
type hidden struct{ Specimen }

func (h hidden) Steepest() (k, c, rate float64) { return steepest(h.Specimen) }

// pair is two systems of one axis as one of two.
func pair(delay float64) (both *GivenSS, one, two *GivenSS) {
	one = &GivenSS{A: [][]float64{{0, 1}, {-2500, -80}}, B: [][]float64{{0}, {2500}}, C: [][]float64{{1, 0}},
		DelayMs: delay}
	two = &GivenSS{A: [][]float64{{-100}}, B: [][]float64{{100}}, C: [][]float64{{1.1}}, DelayMs: delay}
	both = &GivenSS{
		A: [][]float64{{0, 1, 0}, {-2500, -80, 0}, {0, 0, -100}}, B: [][]float64{{0, 0}, {2500, 0}, {0, 100}},
		C: [][]float64{{1, 0, 0}, {0, 0, 1.1}}, DelayMs: delay,
	}
	return both, one, two
}

// driveAxes runs a plant of several axes; forces, then displacements, velocities
// and accelerations.
func driveAxes(p Plant, u [][]float64) (out [][]float64) {
	n := len(u[0])
	now := rths.NewReading(n, n)
	now.Motion = rths.NewMotion(n)
	for _, command := range u {
		p.Step(&now, command)
		out = append(out, slices.Concat(now.F, now.X, now.V, now.A))
	}
	return out
}

// Two axes that have nothing to do with one another are two plants; the same
// specimen stands on each with states of its own.
func TestDiagonalAxesAreSinglePlants(t *testing.T) {
	u, w := wander(73, 1500, 1e-3), wander(74, 1500, 2e-3)
	var both [][]float64
	for k := range u {
		both = append(both, []float64{u[k], w[k]})
	}
	for name, s := range specimens(t) {
		for _, delay := range []float64{0, 5, 1e3 / rate} {
			p, one, two := pair(delay)
			at := At{RateHz: rate, Specimen: s}
			got := driveAxes(rthstest.Must(p.Make(at)), both)
			for axis, alone := range []trace{drive(rthstest.Must(one.Make(at)), u), drive(rthstest.Must(two.Make(at)), w)} {
				mine := trace{f: column(got, axis), x: column(got, 2+axis), v: column(got, 4+axis), a: column(got, 6+axis)}
				same(t, name, mine, alone, 1e-9)
			}
		}
	}
}

// coupledAxes is two masses that hang together, driven over springs.
func coupledAxes(delay float64) *GivenSS {
	return &GivenSS{
		A: [][]float64{{0, 0, 1, 0}, {0, 0, 0, 1}, {-3000, 800, -60, 10}, {500, -2000, 5, -70}},
		B: [][]float64{{0, 0}, {0, 0}, {2500, -100}, {50, 1500}}, C: [][]float64{{1, 0, 0, 0}, {0.1, 1, 0, 0}},
		D: [][]float64{{0, 0}, {0.01, 0}}, DelayMs: delay,
	}
}

// Coupled axes are their model, stepped by its own exponential.
func TestCoupledAxes(t *testing.T) {
	u, w := wander(75, 1500, 1e-3), wander(76, 1500, 1e-3)
	var both [][]float64
	for k := range u {
		both = append(both, []float64{u[k], w[k]})
	}
	for _, s := range []Specimen{&linear{m: 5, c: 300, k: 1e4}, rthstest.Must((&Maxwell{Mass: 1, Damping: 100, Stiffness: 1e4, Exponent: 1}).Make())} {
		for _, samples := range []float64{0, 3} {
			p := coupledAxes(samples / rate * 1e3)
			got, want := driveAxes(rthstest.Must(p.Make(At{RateHz: rate, Specimen: s})), both),
				stepModel(t, rthstest.Must(p.Model(s)), rate, both)
			for i, j := range []int{2, 3, 0, 1} { // the model has displacements first
				if d := apart(column(got, j), column(want, i)); !(d <= 1e-9*peak(column(want, i))) {
					t.Errorf("%T, %g samples late: output %d is %.2g from the model, largest %.2g", s, samples, i, d,
						peak(column(want, i)))
				}
			}
		}
	}
}

// Stopped and resumed, axes with a delay go on with the same bits; a step
// allocates nothing.
func TestAxesResume(t *testing.T) {
	u := [][]float64{}
	for _, v := range wander(77, 600, 1e-3) {
		u = append(u, []float64{v, -2 * v})
	}
	for name, s := range specimens(t) {
		fresh := func() Plant { return rthstest.Must(coupledAxes(5).Make(At{RateHz: rate, Specimen: s})) }
		want := driveAxes(fresh(), u)
		first, resumed := fresh(), fresh()
		driveAxes(first, u[:300])
		driveAxes(resumed, u[:77])
		if rest := rths.SetState(append(rths.AppendState(nil, first), 7), resumed); len(rest) != 1 {
			t.Errorf("%s: rest %v: want one number", name, rest)
		}
		got := driveAxes(resumed, u[300:])
		for k := range got {
			if !slices.Equal(got[k], want[300+k]) {
				t.Fatalf("%s: resumed, other bits", name)
			}
		}
		now, p := rths.NewReading(2, 2), fresh()
		if n := testing.AllocsPerRun(100, func() { p.Step(&now, u[0]) }); n != 0 {
			t.Errorf("%s: %g allocations per step: want none", name, n)
		}
	}
}

// BareInverse agrees with the model, delay and zeros included.
func TestGivenBareInverse(t *testing.T) {
	for _, p := range []interface {
		Inverter
		Modelled
	}{
		&GivenTF{Num: []float64{30, 2500}, Den: []float64{1, 80, 2500}, DelayMs: 12},
		&GivenZPK{Zeros: [][]float64{{-300, 0}}, Poles: [][]float64{{-100, 0}, {-40, 30}, {-40, -30}}, Gain: 800, DelayMs: 3},
		&GivenSS{A: [][]float64{{0, 1}, {-2500, -80}}, B: [][]float64{{0}, {2500}}, C: [][]float64{{1, 0.01}},
			D: [][]float64{{0.2}}, DelayMs: 7},
	} {
		c := rthstest.Must(p.BareInverse(9))
		m := rthstest.Must(p.Model(nil))
		s, inverse := complex(0.3, 0.6), complex(0, 0)
		for i := len(c) - 1; i >= 0; i-- {
			inverse = inverse*s + complex(c[i], 0)
		}
		g := rthstest.Must(m.SS.At(s)).At(0, 0) * cmplx.Exp(-s*complex(m.Delay(0), 0))
		if d := cmplx.Abs(g*inverse - 1); !(d <= 1e-12) {
			t.Errorf("%+v: model times inverse is 1 within %.2g", p, d)
		}
		for n := 1; n < 9; n++ {
			if short := rthstest.Must(p.BareInverse(n)); len(short) != n ||
				math.Abs(short[n-1]-c[n-1]) > 1e-12*math.Abs(c[n-1]) {
				t.Errorf("%+v: %d coefficients end with %v: want %g", p, n, short, c[n-1])
			}
		}
	}
}

func TestGivenErrors(t *testing.T) {
	nan := math.NaN()
	one := [][]float64{{1}}
	for _, c := range []struct {
		p    TransferMaker
		want string
	}{
		{&GivenTF{Num: []float64{1}}, "tf transfer system: transfer function: denominator [] is zero"},
		{&GivenTF{Den: []float64{1, 1}}, "tf transfer system: the numerator is zero"},
		{&GivenTF{Num: []float64{nan}, Den: []float64{1, 1}}, "numerator[0] = NaN: want a finite number"},
		{&GivenTF{Num: []float64{1, 2, 3}, Den: []float64{1, 1}},
			"tf transfer system: improper, numerator of order 2 over denominator of order 1: want at most 1"},
		{&GivenTF{Num: []float64{1}, Den: []float64{1, -2, 10}},
			"tf transfer system: unstable, a pole at 1-3i rad/s: want negative real parts"},
		{&GivenTF{Num: []float64{1}, Den: []float64{1, 0}}, "unstable, a pole at 0 rad/s"},
		{&GivenTF{Num: []float64{1}, Den: make([]float64, 15)}, "is zero: want a non-zero coefficient"},
		{&GivenTF{Num: []float64{1}, Den: append([]float64{1}, make([]float64, 13)...)},
			"denominator of order 13: want at most 12"},
		{&GivenTF{Num: []float64{1}, Den: []float64{1, 1}, DelayMs: -1},
			"tf transfer system: delay -1 ms: want 0 to a million samples"},
		{&GivenTF{Num: []float64{1}, Den: []float64{1, 1}, DelayMs: 1e6}, "delay 1e+06 ms"},
		{&GivenTF{Num: []float64{1}, Den: []float64{1, 1}, DelayMs: nan}, "delay NaN ms"},
		{&GivenZPK{Poles: [][]float64{{-1}}, Gain: 1},
			"zpk transfer system: pole 1 is [-1]: want [re, im], two finite numbers"},
		{&GivenZPK{Poles: [][]float64{{-1, nan}}, Gain: 1}, "pole 1 is [-1 NaN]"},
		{&GivenZPK{Poles: [][]float64{{-1, 0}, {-2, 3}}, Gain: 1},
			"zpk transfer system: pole 2, -2+3i rad/s, has no conjugate: want -2-3i beside it"},
		{&GivenZPK{Zeros: [][]float64{{-1, -4}}, Poles: [][]float64{{-1, 0}}, Gain: 1},
			"zero 1, -1-4i rad/s, has no conjugate: want -1+4i"},
		{&GivenZPK{Zeros: [][]float64{{-1, 0}, {-2, 0}}, Poles: [][]float64{{-1, 0}}, Gain: 1},
			"zpk transfer system: improper"},
		{&GivenZPK{Poles: [][]float64{{2, 0}}, Gain: 1}, "unstable, a pole at 2 rad/s"},
		{&GivenZPK{Poles: [][]float64{{-2, 0}}}, "zpk transfer system: the numerator is zero"},
		{&GivenZPK{Poles: [][]float64{{-2, 0}}, Gain: nan}, "want a finite number"},
		{&GivenSS{}, "ss transfer system: a of 0 rows, c of 0: want 1 to 12"},
		{&GivenSS{A: [][]float64{{-1, 0}}, B: one, C: one},
			"ss transfer system: row 1 of a has 2 numbers: want 1 (1 states and 1 axes"},
		{&GivenSS{A: [][]float64{{-1}}, B: [][]float64{{1}, {1}}, C: one}, "b has 2 rows: want 1"},
		{&GivenSS{A: [][]float64{{-1}}, B: [][]float64{{1, 2}}, C: one}, "row 1 of b has 2 numbers: want 1"},
		{&GivenSS{A: [][]float64{{-1}}, B: one, C: [][]float64{{1, 1}}}, "row 1 of c has 2 numbers: want 1"},
		{&GivenSS{A: [][]float64{{-1}}, B: one, C: one, D: [][]float64{{1, 2}}}, "row 1 of d has 2 numbers: want 1"},
		{&GivenSS{A: [][]float64{{nan}}, B: one, C: one}, "row 1 of a holds NaN: want finite numbers"},
		{&GivenSS{A: [][]float64{{0, 1}, {-4, 0}}, B: [][]float64{{0}, {1}}, C: [][]float64{{1, 0}}},
			"ss transfer system: unstable, a pole at"},
		{&GivenSS{A: [][]float64{{-1}}, B: one, C: one, DelayMs: -3}, "ss transfer system: delay -3 ms"},
	} {
		_, err := c.p.Make(At{RateHz: rate, Specimen: benchmarkSpecimen()})
		rthstest.WantError(t, err, c.want)
	}
	for _, c := range []struct {
		p    Inverter
		want string
	}{
		{&GivenTF{Num: []float64{1}, Den: []float64{1, -1}}, "unstable, a pole at 1 rad/s"},
		{&GivenTF{Num: []float64{1, 0}, Den: []float64{1, 1}}, "gain at s = 0 is zero"},
		{&GivenZPK{Poles: [][]float64{{-1}}}, "pole 1 is [-1]"},
		{&GivenZPK{Zeros: [][]float64{{-1}}}, "zero 1 is [-1]"},
		{&GivenSS{A: [][]float64{{0}}, B: one, C: one}, "ss transfer system: unstable"},
		{&GivenSS{}, "a of 0 rows"},
		{coupledAxes(0), "inverse series of 2 axes: want one"},
	} {
		_, err := c.p.BareInverse(3)
		rthstest.WantError(t, err, c.want)
	}
}

// No numbers make a given system panic, and one that is made has finite motion.
func FuzzGiven(f *testing.F) {
	f.Add(2500.0, 1.0, 80.0, 2500.0, 0.0)
	f.Add(1.0, -3.0, 4.0, 0.01, 7.25)
	f.Add(1e300, 1e-300, 1.0, 1e18, 1e-9)
	f.Fuzz(func(t *testing.T, a, b, c, d, ms float64) {
		for _, p := range []TransferMaker{
			&GivenTF{Num: []float64{a, b}, Den: []float64{c, d, a}, DelayMs: ms},
			&GivenZPK{Zeros: [][]float64{{a, 0}}, Poles: [][]float64{{b, c}, {b, -c}, {d, 0}}, Gain: a, DelayMs: ms},
			&GivenSS{A: [][]float64{{a, b}, {c, d}}, B: [][]float64{{b, 1}, {0, d}}, C: [][]float64{{1, 0}, {a, 1}},
				DelayMs: ms},
		} {
			for _, s := range []Specimen{&linear{m: 1, c: 10, k: 1e3}, &device.Mounted{Law: &device.Friction{K: 1e6, Mu: 1, N: 100}}} {
				plant, err := p.Make(At{RateHz: 100, Specimen: s})
				if err != nil {
					continue
				}
				n := 1
				if a, ok := p.(Axial); ok {
					n = a.Axes()
				}
				now := rths.NewReading(n, n)
				for range 3 {
					plant.Step(&now, make([]float64, n))
				}
				if x := now.X[0] + now.F[0]; x != 0 {
					t.Errorf("%+v moves without a command: %g", p, x)
				}
			}
		}
	})
}
