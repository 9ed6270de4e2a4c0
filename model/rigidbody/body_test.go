package rigidbody

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths/kit/rthstest"
)

// hexapod has six legs of 2 m, from a ring of 1.5 m to a platform of 0.8 m, moved a little at random.
func hexapod(r *rand.Rand) []Link {
	var out []Link
	for i := range 6 {
		base := math.Pi/3*float64(i/2*2) + 0.2*float64(i%2*2-1)
		pin := base + (math.Pi/3-0.4)*float64(i%2*2-1)
		l := Link{Base: vector{1.5 * math.Cos(base), 1.5 * math.Sin(base), -1.8},
			Pin: vector{0.8 * math.Cos(pin), 0.8 * math.Sin(pin), 0}}
		for k := range 3 {
			l.Base[k] += 0.05 * r.NormFloat64()
			l.Pin[k] += 0.05 * r.NormFloat64()
		}
		out = append(out, l)
	}
	return out
}

var six = []int{X, Y, Z, RX, RY, RZ}

func pose(r *rand.Rand, size float64) []float64 {
	q := make([]float64, 6)
	for i := range q {
		q[i] = size * (2*r.Float64() - 1)
	}
	return q
}

// From pose to lengths and back over a workspace of 0.2 m and 0.2 rad, in steps of 10 mm or mrad: 1e-12.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 54))
	for range rthstest.Draws(20, 300) {
		b := rthstest.Must(New(hexapod(r), six))
		want, got, e := pose(r, 0.2), make([]float64, 6), make([]float64, 6)
		for k := 1; k <= 40; k++ { // a path from rest, of less than 10 mm a step
			at := make([]float64, 6)
			for i := range at {
				at[i] = want[i] * float64(k) / 40
			}
			b.Elongations(e, at)
			if off := b.Pose(got, e); !(off < 1e-12) {
				t.Fatalf("step %d: off by %g m", k, off)
			}
			for i := range got {
				rthstest.Near(t, names[i], got[i], at[i], 1e-12)
			}
		}
	}
}

// The rotation of a vector θ is by Rodrigues' formula, also beside a quaternion, and J θ̇ is the rate of turning.
func TestRotation(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 54))
	for range 200 {
		theta := vector{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		theta = scaled(theta, math.Pow(10, -3*r.Float64()))
		phi := norm(theta)
		turn, j := rotation(theta)
		w, v := math.Cos(phi/2), scaled(theta, math.Sin(phi/2)/phi)
		p := vector{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		// q p q⁻¹ = p + 2 w (v × p) + 2 v × (v × p)
		want := plus(p, plus(scaled(cross(v, p), 2*w), scaled(cross(v, cross(v, p)), 2)))
		got := times(turn, p)
		rate := vector{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		ahead, _ := rotation(plus(theta, scaled(rate, 1e-6)))
		back, _ := rotation(minus(theta, scaled(rate, 1e-6)))
		velocity := scaled(minus(times(ahead, p), times(back, p)), 1/2e-6)
		turned := cross(times(j, rate), got)
		for i := range 3 {
			rthstest.Near(t, "R p", got[i], want[i], 1e-14*(1+norm(p)))
			rthstest.Near(t, "ω × R p", turned[i], velocity[i], 1e-8*(1+norm(p)*norm(rate)))
		}
	}
}

// Velocities and accelerations of the links are the derivatives of their lengths; power is conserved: f·l̇ = F·q̇.
func TestRatesAndPower(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 54))
	for range rthstest.Draws(20, 200) {
		links := append(hexapod(r), Link{Parallel: vector{1, 2, 0.5}, Pin: vector{0.3, 0.1, 0.2}})
		b := rthstest.Must(New(links, six))
		q, rate, bend := pose(r, 0.3), pose(r, 1), pose(r, 5)
		n := len(links)
		v, a := make([]float64, n), make([]float64, n)
		b.Rates(v, a, q, rate, bend)
		at := func(t float64) []float64 {
			x, out := make([]float64, 6), make([]float64, n)
			for i := range x {
				x[i] = q[i] + t*rate[i] + t*t/2*bend[i]
			}
			b.Elongations(out, x)
			return out
		}
		const h = 1e-4
		before, now, after := at(-h), at(0), at(h)
		f, forces := pose(r, 1e4), make([]float64, 6)
		f = append(f, 3e3)
		b.Forces(forces, f, q)
		power, taken, scale := 0.0, 0.0, 0.0
		for i := range n {
			rthstest.Near(t, "velocity", v[i], (after[i]-before[i])/(2*h), 1e-6)
			rthstest.Near(t, "acceleration", a[i], (after[i]-2*now[i]+before[i])/(h*h), 2e-5*(1+math.Abs(a[i])))
			power += f[i] * v[i]
			scale += math.Abs(f[i] * v[i])
		}
		backRate, backBend := make([]float64, 6), make([]float64, 6)
		if !b.Motion(backRate, backBend, q, v, a) {
			t.Fatal("singular")
		}
		along, held := make([]float64, 6), make([]float64, 6)
		b.Forces(held, f[:6], q)
		if !b.Along(along, held, q) {
			t.Fatal("singular")
		}
		for i := range 6 {
			rthstest.Near(t, "rate back", backRate[i], rate[i], 1e-12*10)
			rthstest.Near(t, "bend back", backBend[i], bend[i], 1e-12*1e2)
			rthstest.Near(t, "force back", along[i], f[i], 1e-12*1e5)
		}
		for i := range forces {
			taken += forces[i] * rate[i]
		}
		rthstest.Near(t, "power", taken, power, 1e-12*scale)
	}
}

// Two parallel actuators on a beam are the multi-axial benchmark's: x_i = x + d (cos(θ + α_i) − cos α_i).
func TestFrameOfTheBenchmark(t *testing.T) {
	const arm, offset = 0.26670, 0.127
	b := rthstest.Must(New([]Link{
		{Parallel: vector{1, 0, 0}, Pin: vector{arm, -offset, 0}}, {Parallel: vector{1, 0, 0}, Pin: vector{arm, offset, 0}},
	}, []int{X, RZ}))
	d, alpha := math.Hypot(arm, offset), math.Atan(offset/arm)
	r := rand.New(rand.NewPCG(4, 54))
	e, q := make([]float64, 2), make([]float64, 2)
	for range 100 {
		want := []float64{0.02 * (2*r.Float64() - 1), 0.1 * (2*r.Float64() - 1)}
		b.Elongations(e, want)
		for i, a := range []float64{-alpha, alpha} {
			rthstest.Near(t, "actuator", e[i], want[0]+d*(math.Cos(want[1]+a)-math.Cos(a)), 1e-15)
		}
		clear(q)
		for range 3 { // from far away
			b.Pose(q, e)
		}
		rthstest.Near(t, "x", q[0], want[0], 1e-13)
		rthstest.Near(t, "θ", q[1], want[1], 1e-13)
	}
}

// A set-up that its own mirror image is: the mirrored pose has the mirrored lengths.
func TestSymmetry(t *testing.T) {
	b := rthstest.Must(New([]Link{
		{Base: vector{-2, 0.5, 0}, Pin: vector{-0.3, 0.5, 0}}, {Base: vector{-2, -0.5, 0}, Pin: vector{-0.3, -0.5, 0}},
		{Base: vector{0, 2, 0}, Pin: vector{0, 0.7, 0}}, {Base: vector{0, -2, 0}, Pin: vector{0, -0.7, 0}},
	}, []int{X, Y, RZ}))
	one, other := make([]float64, 4), make([]float64, 4)
	b.Elongations(one, []float64{0.01, 0.02, 0.05})
	b.Elongations(other, []float64{0.01, -0.02, -0.05})
	for i, k := range []int{1, 0, 3, 2} {
		rthstest.Near(t, "mirrored", other[i], one[k], 1e-15)
	}
}

// A slip is invisible with as many links as coordinates. One surplus sensor shows it, and the residual is the share that
// Seen says; the pose of least squares is that of no slip where the others outvote it.
func TestSlips(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 54))
	links := hexapod(r)
	e, q := make([]float64, 6), make([]float64, 6)
	b := rthstest.Must(New(links, six))
	b.Elongations(e, pose(r, 0.05))
	e[2] += 0.005
	b.Pose(q, e)
	if off := b.Pose(q, e); !(off < 1e-12) {
		t.Errorf("six links see a slip of 5 mm: %g m", off)
	}
	for i, s := range rthstest.Must(b.Seen(q)) {
		if !(s < 1e-6) {
			t.Errorf("link %d sees %g of a slip", i+1, s)
		}
	}
	links = append(links, Link{Base: vector{2, 0.3, 0.2}, Pin: vector{0.5, 0.1, 0.1}}, Link{Base: vector{0.2, -2, 0.4},
		Pin: vector{0.1, -0.4, 0.2}})
	b = rthstest.Must(New(links, six))
	e, q = make([]float64, 8), make([]float64, 6)
	b.Elongations(e, pose(r, 0.01))
	e[2] += 1e-5
	b.Pose(q, e)
	b.Pose(q, e)
	at := make([]float64, 8)
	b.Elongations(at, q)
	sum := 0.0
	for i := range e {
		sum += (e[i] - at[i]) * (e[i] - at[i])
	}
	rthstest.Near(t, "residual", math.Sqrt(sum), 1e-5*rthstest.Must(b.Seen(q))[2], 1e-9)
}

// With two surplus sensors a slip of 5 mm is named, with one it is not, and neither are noise and two slips.
func TestSlipIsNamed(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 54))
	named, draws := 0, rthstest.Draws(50, 500)
	for range draws {
		links := append(hexapod(r), Link{Base: vector{2, 0.3, 0.2}, Pin: vector{0.5, 0.1, 0.1}},
			Link{Base: vector{0.2, -2, 0.4}, Pin: vector{0.1, -0.4, 0.2}})
		at := pose(r, 0.05)
		for surplus := 1; surplus <= 2; surplus++ {
			m := 6 + surplus
			b := rthstest.Must(New(links[:m], six))
			e, q := make([]float64, m), append([]float64{}, at...)
			b.Elongations(e, at)
			for i := range e {
				e[i] += 5e-6 * r.NormFloat64()
			}
			k := r.IntN(m)
			e[k] += 5e-3
			b.Pose(q, e)
			link, slip := b.Suspect(m)
			switch {
			case surplus == 1 && link >= 0:
				t.Errorf("one surplus sensor names link %d", link+1)
			case surplus == 2 && link == k && math.Abs(slip-5e-3) < 5e-4:
				named++
			case surplus == 2 && link >= 0:
				t.Errorf("link %d has slipped: %d is named, by %g m", k+1, link+1, slip)
			}
		}
	}
	t.Logf("%d of %d named", named, draws)
	if named < draws*3/4 {
		t.Errorf("%d of %d slips are named: want most", named, draws)
	}
}

// Three steps of Newton's method from 10 mm and mrad away leave 1e-13; a step allocates nothing.
func TestThreeStepsAreEnough(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 54))
	b := rthstest.Must(New(hexapod(r), six))
	worst := 0.0
	e, q, f, out := make([]float64, 6), make([]float64, 6), make([]float64, 6), make([]float64, 6)
	for range 500 {
		want := pose(r, 0.1)
		b.Elongations(e, want)
		for i := range q {
			q[i] = want[i] + 0.01*(2*r.Float64()-1)
		}
		b.Pose(q, e)
		for i := range q {
			worst = max(worst, math.Abs(q[i]-want[i]))
		}
	}
	if t.Logf("worst %g", worst); !(worst < 2e-13) {
		t.Errorf("off by %g: want 1e-13", worst)
	}
	rthstest.NoAllocation(t, func() {
		b.Pose(q, e)
		b.Elongations(e, q)
		b.Forces(out, f, q)
		b.Rates(out, f, q, q, q)
	})
}

// Geometries that hold nothing are refused with what is free, and a pose that no lengths have leaves the old one.
func TestRefused(t *testing.T) {
	along := Link{Base: vector{-2, 0, 0}, Pin: vector{-0.5, 0, 0}}
	across := Link{Base: vector{0, -2, 0}, Pin: vector{0, -0.5, 0}}
	for _, c := range []struct {
		links  []Link
		coords []int
		want   string
	}{
		{[]Link{along, {Base: vector{2, 0, 0}, Pin: vector{0.5, 0, 0}}}, []int{X, Y}, "no link sees the motion 1 y"},
		{[]Link{along, across}, []int{X, RZ}, "no link sees the motion 1 rz"},
		{[]Link{along}, []int{X, Y}, "1 links for 2 coordinates"},
		{[]Link{{Base: vector{1, 0, 0}, Pin: vector{1, 0, 0}}}, []int{X}, "link 1: its pin is on its base"},
		{[]Link{{Base: vector{1, 0, 0}, Parallel: vector{1, 0, 0}}}, []int{X}, "base and direction: want one of them"},
		{[]Link{{Base: vector{math.NaN(), 0, 0}}}, []int{X}, "link 1: NaN"},
		{[]Link{along}, []int{X, X}, "at most once"},
		{[]Link{along}, []int{7}, "at most once"},
		{nil, nil, "0 coordinates: want 1 to 6"},
	} {
		_, err := New(c.links, c.coords)
		rthstest.WantError(t, err, c.want)
	}
	b := rthstest.Must(New([]Link{along, across}, []int{X, Y}))
	q := []float64{0.01, 0.02}
	if off := b.Pose(q, []float64{math.NaN(), 0}); !math.IsNaN(off) || q[0] != 0.01 || q[1] != 0.02 {
		t.Errorf("lengths that are no numbers: off by %g, %g", off, q)
	}
	if off := b.Pose(q, []float64{0.9, -5}); off < 1 {
		t.Errorf("lengths that no pose has: off by %g m", off)
	}
}

// The Jacobian is the slope of the elongations.
func TestJacobian(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 54))
	b := rthstest.Must(New(hexapod(r), six))
	q := pose(r, 0.4)
	j := b.Jacobian(q, 6)
	want := mat.NewDense(6, 6, nil)
	up, down := make([]float64, 6), make([]float64, 6)
	for k := range 6 {
		at := append([]float64{}, q...)
		at[k] += 1e-6
		b.Elongations(up, at)
		at[k] -= 2e-6
		b.Elongations(down, at)
		for i := range 6 {
			want.Set(i, k, (up[i]-down[i])/2e-6)
		}
	}
	if !mat.EqualApprox(j, want, 1e-9) {
		t.Errorf("Jacobian %v: want %v", mat.Formatted(j), mat.Formatted(want))
	}
	if s := names[RZ]; !strings.HasPrefix(s, "r") {
		t.Error(s)
	}
}

// BenchmarkTick is forward kinematics, inverse and forces of six actuators.
func BenchmarkTick(b *testing.B) {
	body := rthstest.Must(New(hexapod(rand.New(rand.NewPCG(8, 54))), six))
	e, q, f, out := make([]float64, 6), make([]float64, 6), make([]float64, 6), make([]float64, 6)
	for b.Loop() {
		body.Pose(q, e)
		body.Elongations(e, q)
		body.Forces(out, f, q)
	}
}

// Motions of 1e-12 m have their digits, as linearising a loop wants: they are in proportion to motions of 1e-6 m, as
// far as those are linear, and back again.
func TestSmallMotionsKeepTheirDigits(t *testing.T) {
	links := []Link{{Base: [3]float64{-2.3, 0.4, 0.2}, Pin: [3]float64{-0.7, 0.5, 0.3}},
		{Base: [3]float64{-2.1, -0.6, 0.1}, Pin: [3]float64{-0.8, -0.4, 0.2}},
		{Pin: [3]float64{0.3, 0.7, 0.1}, Parallel: [3]float64{0.2, 1, 0}}}
	b, err := New(links, []int{X, Y, RZ})
	if err != nil {
		t.Fatal(err)
	}
	small, large := make([]float64, 3), make([]float64, 3)
	b.Elongations(small, []float64{1e-12, -2e-12, 3e-12})
	b.Elongations(large, []float64{1e-6, -2e-6, 3e-6})
	for i := range small {
		if got, want := small[i]*1e6, large[i]; math.Abs(got-want) > 2e-5*math.Abs(want) {
			t.Errorf("link %d: %g m from 1e-12, %g from 1e-6", i, small[i], large[i])
		}
	}
	q := make([]float64, 3)
	b.Pose(q, small)
	for j, want := range []float64{1e-12, -2e-12, 3e-12} {
		if math.Abs(q[j]-want) > 1e-12*math.Abs(want) {
			t.Errorf("coordinate %d comes back as %g: want %g", j, q[j], want)
		}
	}
}
