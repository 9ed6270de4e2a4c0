package integrate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/kit/rthstest"
	"rths/model/structure"
)

// The laws of storeys in these tests.
var (
	steelStorey = structure.YieldingStorey{Storey: 2,
		Bilinear: &structure.BilinearStorey{YieldDrift: 0.006, PostYieldRatio: 0.1}}
	smoothStorey = structure.YieldingStorey{Storey: 3,
		BoucWen: &structure.BoucWenStorey{YieldDrift: 0.004, PostYieldRatio: 0.05}}
	farStorey = structure.YieldingStorey{Storey: 2,
		Bilinear: &structure.BilinearStorey{YieldDrift: 1e3, PostYieldRatio: 0.1}}
)

// yieldingFrame is a frame of three floors at 1.3, 3.2 and 4.9 Hz with a specimen of nothing
// at floor 1.
func yieldingFrame(t rthstest.TB, storeys ...structure.YieldingStorey) *structure.Partition {
	t.Helper()
	p, err := mustStructure(t, &structure.Shear{
		Masses: []float64{1000, 1000, 1000}, Stiffnesses: []float64{4e5, 3e5, 2e5}, Yielding: storeys,
		Damping: structure.Damping{ModalRatio: []float64{0.02}},
	}).Divide(0, 0, 0, 0)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return p
}

// quake is a ground acceleration, m/s², under which both storeys yield many times.
func quake(t float64) float64 {
	return min(t, 1) * (2*math.Sin(8.2*t) + 1.5*math.Sin(26*t+1) + 0.8*math.Sin(3.1*t*t))
}

// pulling pushes all floors one way, ever harder, and smoothly.
func pulling(t float64) float64 { return -0.5 * t * t * t }

// apart is the largest difference of two histories, the second with so many steps to one of
// the first, over the largest displacement of the second.
func apart(got, want [][]float64, every int) float64 {
	off, scale := 0.0, 0.0
	for k, x := range got {
		for i, v := range x {
			off = max(off, math.Abs(v-want[k*every][i]))
			scale = max(scale, math.Abs(want[k*every][i]))
		}
	}
	return off / scale
}

// RK4 at 4096 Hz against steps 64 times finer: 5e-6 of the peak. Where a bilinear storey
// yields or turns inside a step the error is of order 2.
func TestYieldingRK4AgainstFinerSteps(t *testing.T) {
	const rate, seconds, finer = 4096, 8, 64
	frames := [][]structure.YieldingStorey{
		{steelStorey, smoothStorey}, {steelStorey}, {smoothStorey},
		{{Storey: 1, Bilinear: &structure.BilinearStorey{YieldDrift: 0.009, PostYieldRatio: 0.3}}},
	}
	for i, storeys := range frames[:rthstest.Draws(1, len(frames))] {
		name := fmt.Sprintf("frame %d", i+1)
		p := yieldingFrame(t, storeys...)
		got := shake(must(t, &RK4{}, p, 1.0/rate), 1.0/rate, seconds*rate, quake)
		want := shakeEvery(must(t, &RK4{}, p, 1.0/rate/finer), 1.0/rate/finer, seconds*rate, finer, quake)
		off := apart(got, want, 1)
		if t.Logf("%s: %.2g of the peak", name, off); !(off <= 5e-6) {
			t.Errorf("%s: off by %.3g of the peak: want 5e-6", name, off)
		}
		if linear := apart(got, shake(must(t, &RK4{}, yieldingFrame(t), 1.0/rate), 1.0/rate, seconds*rate, quake),
			1); linear < 0.1 {
			t.Errorf("%s: %.2g of the peak apart from the linear frame: it has hardly yielded", name, linear)
		}
	}
}

// shakeEvery is shake that keeps one step of so many.
func shakeEvery(in integrator, h float64, steps, every int, ground func(t float64) float64) (x [][]float64) {
	target, felt := rths.NewMotion(1), rths.NewReading(1, 1)
	for k := range steps * every {
		t := float64(k) * h
		in.Step(&target, []float64{ground(t), ground(t + h/2), ground(t + h)}, &felt)
		if k%every == 0 {
			x = append(x, slices.Clone(in.State().X))
		}
	}
	return x
}

// While nothing turns, every method keeps its order on smooth laws: the error falls by
// 2^order when the step is halved, to 1 %.
func TestYieldingKeepsTheOrder(t *testing.T) {
	orders := map[string]float64{"rk4": 4}
	smooth := structure.YieldingStorey{Storey: 2, BoucWen: &structure.BoucWenStorey{YieldDrift: 0.01, PostYieldRatio: 0.1}}
	p := yieldingFrame(t, smooth, smoothStorey)
	const seconds, finest = 2, 16384
	want := shake(must(t, &RK4{}, p, 1.0/finest), 1.0/finest, seconds*finest+1, pulling)
	for k := range finest / 2 { // monotonic: nothing turns
		a, b := want[k*4], want[k*4+4]
		if !(a[1]-a[0] <= b[1]-b[0] && a[2]-a[1] <= b[2]-b[1]) {
			t.Fatalf("a storey turns at %g s", float64(k)*4/finest)
		}
	}
	if drift := want[len(want)-1][2] - want[len(want)-1][1]; drift < 5*0.004 {
		t.Errorf("drift of %g m: want five times the yield drift", drift)
	}
	for _, kind := range Kinds {
		order := orders[kind.Name]
		if order == 0 {
			order = 2
		}
		off := func(rate int) float64 {
			return apart(shake(must(t, kind.Defaults(), p, 1/float64(rate)), 1/float64(rate), seconds*rate+1, pulling), want,
				finest/rate)
		}
		coarse, fine := off(128), off(256)
		got := slope(coarse, fine)
		t.Logf("%s: %.3g and %.3g of the peak, order %.3f", kind.Name, coarse, fine, got)
		rthstest.Near(t, kind.Name+": order", got, order, 0.01*order)
	}
}

// A storey that does not reach its yield drift is the linear storey, to rounding.
func TestElasticStoreysAreLinear(t *testing.T) {
	for _, kind := range Kinds {
		const rate = 512
		run := func(p *structure.Partition) [][]float64 {
			return shake(must(t, kind.Defaults(), p, 1.0/rate), 1.0/rate, 4*rate, quake)
		}
		far := structure.YieldingStorey{Storey: 3, BoucWen: &structure.BoucWenStorey{YieldDrift: 1e3, PostYieldRatio: 0.1,
			Exponent: 4}}
		off := apart(run(yieldingFrame(t, farStorey, far)), run(yieldingFrame(t)), 1)
		if t.Logf("%s: %.2g of the peak", kind.Name, off); !(off <= 1e-11) {
			t.Errorf("%s: off by %.2g of the peak: want rounding", kind.Name, off)
		}
	}
}

// The laws are odd: the opposite ground motion gives the opposite response, bit for bit.
// They are not linear: twice the ground motion does not give twice the response, but for
// storeys that stay elastic.
func TestYieldingIsOddAndNotLinear(t *testing.T) {
	for _, kind := range Kinds {
		const rate = 256
		run := func(factor float64, storeys ...structure.YieldingStorey) [][]float64 {
			in := must(t, kind.Defaults(), yieldingFrame(t, storeys...), 1.0/rate)
			x := shake(in, 1.0/rate, 4*rate, func(t float64) float64 { return factor * quake(t) })
			for _, x := range x {
				for i := range x {
					x[i] /= factor
				}
			}
			return x
		}
		once := run(1, steelStorey, smoothStorey)
		if off := apart(run(-1, steelStorey, smoothStorey), once, 1); off != 0 {
			t.Errorf("%s: the opposite motion is off by %g", kind.Name, off)
		}
		if off := apart(run(2, steelStorey, smoothStorey), once, 1); !(off > 0.1) {
			t.Errorf("%s: twice the motion is off by %g only", kind.Name, off)
		}
		if off := apart(run(2, farStorey), run(1, farStorey), 1); !(off < 1e-11) {
			t.Errorf("%s: twice the elastic motion is off by %g: want rounding", kind.Name, off)
		}
	}
}

// The state shown balances the forces at t_k: M a + C v + restoring forces + L w + e f = 0,
// with drift and force of the storeys that the channels show.
func TestYieldingStateSatisfiesTheEquationOfMotion(t *testing.T) {
	p := yieldingFrame(t, steelStorey, smoothStorey)
	for _, kind := range Kinds {
		const rate = 256
		in, target, felt := must(t, kind.Defaults(), p, 1.0/rate), rths.NewMotion(1), rths.NewReading(1, 1)
		worst := 0.0
		for k := range 4 * rate {
			at := float64(k) / rate
			felt.F[0] = 500 * math.Sin(17*at)
			in.Step(&target, []float64{quake(at), quake(at + 0.5/rate), quake(at + 1.0/rate)}, &felt)
			derive(in, &target)
			s := in.State()
			rest := combine([]float64{1, 1, 1, 1}, times(p.M, s.A), times(p.C, s.V), times(p.K, s.X),
				pull(p, []float64{quake(at)}, felt.F))
			for i, y := range storeysOf(t, in).list {
				c := in.(rths.Channeler).Channels()[2*i:]
				rthstest.Near(t, "drift shown", *c[0].V, y.Deformation(s.X), 1e-15)
				for dof, a := range y.Along(3) {
					rest[dof] += a * (*c[1].V - y.K**c[0].V)
				}
			}
			if at > 0.1 { // before, nothing has moved much
				worst = max(worst, largest(rest)/largest(times(p.K, s.X)))
			}
		}
		t.Logf("%s: %.2g", kind.Name, worst)
		// Rounding, of central differences that of M x/h² beside K x; Newton's method stops
		// at 1e-12 of the drift.
		if !(worst < 1e-11) {
			t.Errorf("%s: forces are out of balance by %.2g of the largest", kind.Name, worst)
		}
	}
}

// A released frame begins where it was released, at rest, with its storeys yielded on the
// way there.
func TestYieldingStart(t *testing.T) {
	p := yieldingFrame(t, steelStorey, smoothStorey)
	x0 := []float64{0.002, 0.012, 0.02} // drifts of 0.010 and 0.008 m
	for _, kind := range Kinds {
		in, ok := must(t, kind.Defaults(), p, 1.0/1024).(Starter)
		if !ok {
			continue
		}
		if err := in.Start(x0, []float64{0}); err != nil {
			t.Fatal(err)
		}
		z := storeysOf(t, in.(rths.Integrator)).Each
		rthstest.Near(t, kind.Name+": plastic drift", z[0][0], 0.004, 1e-15)
		// η₁ + η₂ = 1, N = 2: z = f_y tanh(d/d_y).
		rthstest.Near(t, kind.Name+": hysteretic force", z[1][0], 0.95*2e5*0.004*math.Tanh(2), 1e-9)
		target := rths.NewMotion(1)
		in.(rths.Integrator).Step(&target, []float64{0, 0, 0}, &rths.Reading{F: []float64{0}})
		derive(in.(rths.Integrator), &target)
		s := in.(rths.NumericalState).State()
		nearAll(t, kind.Name, s.X, x0, 1e-12)
		for i, v := range s.V { // a velocity that lags half a step: h/2 · |ẍ|
			rthstest.Near(t, fmt.Sprintf("%s: velocity %d", kind.Name, i+1), v, 0, largest(s.A)/2048*1.01+1e-9)
		}
		force := *in.(rths.Channeler).Channels()[1].V
		rthstest.Near(t, kind.Name+": force shown", force, 3e5*(0.006+0.1*0.004), 1e-9)
	}
}

// Idealised storeys stay elastic, and their states as they are.
func TestIdealisedStoreys(t *testing.T) {
	for _, kind := range Kinds {
		run := func(p *structure.Partition, ideal bool) ([][]float64, integrator) {
			in := must(t, kind.Defaults(), p, 1.0/512)
			if ideal {
				in.(rths.Idealiser).Idealise(true)
			}
			return shake(in, 1.0/512, 1024, quake), in
		}
		x, in := run(yieldingFrame(t, steelStorey, smoothStorey), true)
		linear, _ := run(yieldingFrame(t), false)
		if off := apart(x, linear, 1); !(off < 1e-11) {
			t.Errorf("%s: off by %g: want rounding", kind.Name, off)
		}
		if s := storeysOf(t, in); largest(s.Z) != 0 {
			t.Errorf("%s: states %g: want zeros", kind.Name, s.Z)
		}
	}
}

// Elements and the rest without their stiffness are the frame: at rest the sum has the
// stiffness of the frame, and small motions are those of the linear reference.
func TestYieldingElements(t *testing.T) {
	p := yieldingFrame(t, farStorey, smoothStorey)
	rest, elements := DeviceElements(p, nil)
	sum := mat.DenseCopyOf(rest.K)
	for i, e := range elements {
		b := mat.NewVecDense(3, e.Along)
		sum.RankOne(sum, p.Devices[i].K, b, b)
	}
	if !mat.Equal(sum, p.K) || len(rest.Devices) != 0 {
		t.Errorf("stiffness %v: want %v", sum, p.K)
	}
	const rate = 1024
	ref, err := NewCoupled(rest, elements, 1.0/rate)
	if err != nil {
		t.Fatal(err)
	}
	want := shake(must(t, &RK4{}, p, 1.0/rate/8), 1.0/rate/8, 4*rate*8, linearBetween(rate))
	var got [][]float64
	for k := range 4 * rate {
		at := float64(k) / rate
		ref.Step([]float64{quake(at), 0, quake(at + 1.0/rate)})
		got = append(got, slices.Clone(ref.State().X))
	}
	if off := apart(got, want, 8); !(off < 1e-6) {
		t.Errorf("the reference is off by %.2g of the peak from finer steps", off)
	}
}

// linearBetween is quake, linear between samples.
func linearBetween(rate float64) func(t float64) float64 {
	return func(t float64) float64 {
		k := math.Floor(t*rate + 1e-9)
		part := t*rate - k
		return (1-part)*quake(k/rate) + part*quake((k+1)/rate)
	}
}

// A step of three floors, two of which yield, and of the linear frame.
func BenchmarkYielding(b *testing.B) {
	for _, kind := range Kinds {
		for name, storeys := range map[string][]structure.YieldingStorey{"linear": nil,
			"yielding": {steelStorey, smoothStorey}} {
			in, target, felt := must(b, kind.Defaults(), yieldingFrame(b, storeys...), 1.0/1024), rths.NewMotion(1),
				rths.NewReading(1, 1)
			ground := make([]float64, 3)
			b.Run(kind.Name+"/"+name, func(b *testing.B) {
				for k := range b.N {
					ground[0], ground[1], ground[2] = quake(float64(k%8192)/1024), quake(float64(k%8192)/1024),
						quake(float64(k%8192)/1024)
					in.Step(&target, ground, &felt)
				}
			})
		}
	}
}

// Gauss elimination with pivots solves random systems, half of them with nothing on the diagonal, and refuses one
// without a solution of finite numbers.
func TestEliminate(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	for draw := range 200 {
		n := 1 + r.IntN(6)
		a, kept, want := make([][]float64, n), make([][]float64, n), make([]float64, n)
		for i := range want {
			want[i] = r.NormFloat64()
		}
		for i := range a {
			a[i] = make([]float64, n+1)
			for j := range n {
				if a[i][j] = r.NormFloat64(); i == j && n > 1 && draw%2 == 0 {
					a[i][j] = 0
				}
				a[i][n] += a[i][j] * want[j]
			}
			kept[i] = slices.Clone(a[i])
		}
		if !eliminate(a) {
			t.Fatalf("%v is refused", kept)
		}
		for i := range n {
			if !(math.Abs(a[i][n]-want[i]) < 1e-7) {
				t.Fatalf("%v: unknown %d is %g: want %g", kept, i, a[i][n], want[i])
			}
		}
	}
	for _, a := range [][][]float64{
		{{1, 2, 3}, {2, 4, 6}}, {{1e-300, 1e300}}, {{1, 0, math.NaN()}, {0, 1, 1}}, {{1, 1, 1}, {0, 1e-300, 1e300}},
	} {
		if eliminate(a) {
			t.Errorf("a system without finite solution is solved: %g", a)
		}
	}
}

// The velocity and acceleration of a target of a yielding frame are the derivatives of its
// displacement, also above the first floor.
func TestYieldingRates(t *testing.T) {
	const h = 1.0 / 8192
	whole := mustStructure(t, &structure.Shear{
		Masses: []float64{1000, 1100, 900}, Stiffnesses: []float64{4e5, 3e5, 2e5},
		Yielding: []structure.YieldingStorey{smoothStorey},
		Damping:  structure.Damping{ModalRatio: []float64{0.02}},
	})
	p := rthstest.Must(whole.Divide(1, 0, 0, 0))
	in := must(t, &RK4{}, p, h)
	target, felt := rths.NewMotion(1), rths.NewReading(1, 1)
	var x, v, a []float64
	for k := range 8192 {
		at := func(part float64) float64 { return pulling((float64(k) + part) * h) }
		in.Step(&target, []float64{at(0), at(0.5), at(1)}, &felt)
		derive(in, &target)
		x, v, a = append(x, target.X[0]), append(v, target.V[0]), append(a, target.A[0])
	}
	for k := 1; k < len(x)-1; k++ {
		slope, bend := (x[k+1]-x[k-1])/(2*h), (v[k+1]-v[k-1])/(2*h)
		if math.Abs(v[k]-slope) > 1e-5*math.Abs(v[len(v)-1]) || math.Abs(a[k]-bend) > 1e-3*math.Abs(a[len(a)-1]) {
			t.Fatalf("sample %d: %g m/s and %g m/s²: want %g and %g, by differences", k, v[k], a[k], slope, bend)
		}
	}
	if v[len(v)-1] == 0 {
		t.Fatal("the frame does not move")
	}
}
