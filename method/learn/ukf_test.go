package learn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/kit/rthstest"
	"rths/model/device"
)

// motion is a random motion of ±size m, of six waves up to 4 Hz that grow in 2 s, and its rate.
func motion(r *rand.Rand, size float64) func(t float64) (x, v float64) {
	type wave struct{ a, w, p float64 }
	var waves []wave
	for range 6 {
		waves = append(waves, wave{size / 3 * (0.3 + r.Float64()), 2 * math.Pi * (0.3 + 3.7*r.Float64()), 7 * r.Float64()})
	}
	return func(t float64) (x, v float64) {
		g, dg := 1-math.Exp(-t), math.Exp(-t)
		for _, c := range waves {
			sin, cos := math.Sincos(c.w*t + c.p)
			x += g * c.a * sin
			v += c.a * (dg*sin + g*c.w*cos)
		}
		return x, v
	}
}

// truth is a device in the laboratory, with play in front of it, or a copy of one. Its states go along the motion itself
// in steps far finer than those of the filter, which knows one speed a tick.
type truth struct {
	law    device.Law
	z      []float64
	stages *device.Stages
	move   func(t float64) (x, v float64)
	h      float64
	k      int
	play   float64 // half of it, m
	at     float64
}

func newTruth(law device.Law, rate, play float64, move func(t float64) (x, v float64)) *truth {
	return &truth{law: law, z: make([]float64, law.States()), stages: device.NewStages(law), move: move, h: 1 / rate,
		play: play / 2}
}

// next is the force at the end of the next tick.
func (d *truth) next() (force float64) {
	const parts = 8
	h := d.h / parts
	for i := range parts {
		end := (float64(d.k) + float64(i+1)/parts) * d.h
		x, v := d.move(end)
		_, middle := d.move(end - h/2)
		if d.play > 0 {
			inner := min(max(d.at, x-d.play), x+d.play)
			middle = (inner - d.at) / h
			d.at, x, v = inner, inner, middle
		}
		d.stages.Step(d.z, middle, h)
		d.law.Commit(d.z, x)
		force = d.law.Force(x, v, d.z)
	}
	d.k++
	return force
}

// outcome of a device whose copies learn, in shares of the force's range after the first 2 s.
type outcome struct {
	fixed, learned float64 // NRMSE
	inside         bool    // within two standard deviations, both
	white          bool
}

// trained lets copies learn from a device with the true parameters, which are up to 30 % from the nominal ones.
func trained(t *testing.T, seed uint64, rate, play, noise float64, make func(scale [2]float64) (device.Law, []*float64),
) (out outcome) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 531))
	scale := [2]float64{0.7 + 0.6*r.Float64(), 0.7 + 0.6*r.Float64()}
	trueLaw, trueP := make(scale)
	copyLaw, p := make([2]float64{1, 1})
	fixedLaw, _ := make([2]float64{1, 1})
	move := motion(r, 0.02)
	lab, fixed := newTruth(trueLaw, rate, play, move), newTruth(fixedLaw, rate, 0, move)
	learned := newTruth(copyLaw, rate, 0, move)
	var list []device.Parameter
	for _, v := range p {
		list = append(list, bounded("p", v, 0.4**v, 2.5**v))
	}
	u := rthstest.Must(NewUKF(copyLaw, list, Settings{RateHz: rate, Noise: noise, StillBelow: 0.1, PinnedS: 1}))
	var square [2]float64
	low, high := 0.0, 0.0
	for k := range int(20 * rate) {
		x, v := move(float64(k+1) / rate)
		y, a, b := lab.next(), fixed.next(), learned.next()
		square[0] += (a - y) * (a - y)
		square[1] += (b - y) * (b - y)
		low, high = min(low, y), max(high, y)
		u.Step(x, v, y+noise*r.NormFloat64(), false)
	}
	n := 20 * rate * (high - low) * (high - low)
	out = outcome{math.Sqrt(square[0] / n), math.Sqrt(square[1] / n), true, u.White()}
	for i := range p {
		v, sd := u.Value(i)
		out.inside = out.inside && math.Abs(v-*trueP[i]) < 2*sd
	}
	return out
}

func boucWen(s [2]float64) (device.Law, []*float64) {
	l := &device.BoucWen{Ke: 4e6 * s[0], A: 0.05, Fy: 19e3 * s[1], N: 2, Eta1: 0.5, Eta2: 0.5}
	return l, []*float64{&l.Ke, &l.Fy}
}

func luGre(s [2]float64) (device.Law, []*float64) {
	l := &device.LuGre{Sigma0: 6442.5e3 * s[0], Sigma1: 29.61e3, Fc: 19.75e3 * s[1], Fs: 21.93e3 * s[1], Vs: 0.025}
	return &slipping{l, l.Fs / l.Fc}, []*float64{&l.Sigma0, &l.Fc}
}

// slipping is LuGre friction whose static force goes along with the other.
type slipping struct {
	*device.LuGre
	ratio float64
}

func (l *slipping) Force(x, v float64, z []float64) float64 {
	l.Fs = l.ratio * l.Fc
	return l.LuGre.Force(x, v, z)
}
func (l *slipping) Flow(z []float64, v, h float64, parts int) {
	l.Fs = l.ratio * l.Fc
	l.LuGre.Flow(z, v, h, parts)
}
func (l *slipping) Rate(dz, z []float64, v float64) { l.Fs = l.ratio * l.Fc; l.LuGre.Rate(dz, z, v) }

// Of the right class the copies are several times nearer than with nominal parameters that are up to 30 % wrong, and the
// parameters lie within two standard deviations. With a backlash that the law has not they are nearer still, and the
// residual is not white.
func TestCopiesLearn(t *testing.T) {
	rthstest.Long(t)
	for _, c := range []struct {
		name                     string
		make                     func([2]float64) (device.Law, []*float64)
		play                     float64
		median, tenth, worse, in float64
	}{
		{"Bouc–Wen", boucWen, 0, 3, 1.5, 0.03, 0.9},
		{"LuGre", luGre, 0, 3, 1.5, 0.03, 0.9},
		{"Bouc–Wen, backlash", boucWen, 1e-3, 1.5, 0, 0.1, 0},
		{"LuGre, backlash", luGre, 1e-3, 1.5, 0, 0.1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "LuGre, backlash" {
				rthstest.Full(t) // the other law with a backlash does the same
			}
			n := rthstest.Draws(6, 50)
			if rthstest.All() {
				n = 200
			}
			var ratios []float64
			worse, inside, white := 0, 0, 0
			for seed := range n {
				o := trained(t, uint64(seed), 512, c.play, 200, c.make)
				ratios = append(ratios, o.fixed/o.learned)
				if o.learned > 1.02*o.fixed {
					worse++
				}
				if o.inside {
					inside++
				}
				if o.white {
					white++
				}
			}
			slices.Sort(ratios)
			median, tenth := ratios[n/2], ratios[n/10]
			t.Logf("ratio %.2f (10 %% quantile %.2f), worse in %d, inside in %d, white in %d of %d", median, tenth, worse, inside,
				white, n)
			if !(median >= c.median && tenth >= c.tenth) || worse > int(math.Ceil(c.worse*float64(n))) ||
				float64(inside) < c.in*float64(n) {
				t.Errorf("want a ratio of %g (%g), worse in at most %g, inside in %g of all", c.median, c.tenth, c.worse, c.in)
			}
			if right := c.play == 0; right && white < n*9/10 || !right && white > n/20 {
				t.Errorf("the residual is white in %d of %d, right class: %v", white, n, right)
			}
		})
	}
}

// Of a law that is linear in its parameters the filter is the Kalman filter, whose row is x, v and the force of the
// branch for each newton per metre.
func TestUKFOfALinearLawIsTheKalmanFilter(t *testing.T) {
	const rate, noise = 256.0, 50.0
	l, list := viscoelastic()
	for i := range list {
		list[i].Low, list[i].High = *list[i].V/100, *list[i].V*100
	}
	u := rthstest.Must(NewUKF(l, list, Settings{RateHz: rate, Noise: noise, PinnedS: 1}))
	r := rand.New(rand.NewPCG(1, 53))
	move := motion(r, 0.02)
	theta, p := mat.NewVecDense(3, []float64{1, 1, 1}), mat.NewDense(3, 3, nil)
	for i := range 3 {
		p.Set(i, i, 0.01)
	}
	for k := range 5000 {
		x, v := move(float64(k+1) / rate)
		if k == 0 {
			u.begun, u.at = true, 0
		}
		branch := u.state[0] / u.theta[2]
		next := []float64{branch}
		device.NewStages(&device.Viscoelastic{Branches: []device.Branch{{K: 8e4, Rate: 5}}}).Step(next, (x-u.at)*rate, 1/rate)
		row := mat.NewVecDense(3, []float64{1e5 * x, 2e3 * v, next[0]})
		y := 1.2*row.AtVec(0) + 0.8*row.AtVec(1) + 1.3*row.AtVec(2) + noise*r.NormFloat64()
		u.Step(x, v, y, false)
		for i := range 3 {
			p.Set(i, i, p.At(i, i)+4*3e-5*3e-5)
		}
		var gain mat.VecDense
		gain.MulVec(p, row)
		s := mat.Dot(row, &gain) + noise*noise
		e := y - mat.Dot(row, theta)
		theta.AddScaledVec(theta, e/s, &gain)
		p.RankOne(p, -1/s, &gain, &gain)
	}
	for i := range 3 {
		rthstest.Near(t, "parameter", u.theta[i], theta.AtVec(i), 1e-8)
		_, sd := u.Value(i)
		rthstest.Near(t, "standard deviation", sd/u.unit[i], math.Sqrt(p.At(i, i)), 1e-6*math.Sqrt(p.At(i, i)))
	}
}

// A law with a return map is learned as well: Coulomb's force, from a wrong one, with the slip that goes along.
func TestFrictionIsLearned(t *testing.T) {
	l := &device.Friction{K: 4e6, Mu: 0.7, N: 2e4}
	slip := 0.0
	u := rthstest.Must(NewUKF(l, []device.Parameter{bounded("coefficient", &l.Mu, 0.25, 2)}, Settings{RateHz: 512, Noise: 200,
		StillBelow: 0.01, PinnedS: 1}))
	r := rand.New(rand.NewPCG(4, 53))
	move := motion(r, 0.02)
	for k := range 10 * 512 {
		x, v := move(float64(k+1) / 512)
		force := min(max(4e6*(x-slip), -18e3), 18e3)
		slip = x - force/4e6
		u.Step(x, v, force+200*r.NormFloat64(), false)
	}
	if got, sd := u.Value(0); !(math.Abs(got-0.9) < 3*sd) || !(sd < 0.0025) || !(math.Abs(u.state[0]-slip) < 1e-4) {
		t.Errorf("%g ± %g, slip %g m: want 0.9, %g", got, sd, u.state[0], slip)
	}
}

// Nothing is learned at rest, from old readings or from no number, and the states go on.
func TestFreeze(t *testing.T) {
	l := &device.BoucWen{Ke: 4e6, A: 0.05, Fy: 19e3, N: 2, Eta1: 0.5, Eta2: 0.5}
	u := rthstest.Must(NewUKF(l, []device.Parameter{bounded("fy", &l.Fy, 1e4, 4e4)},
		Settings{RateHz: 512, Noise: 200, StillBelow: 0.01, PinnedS: 1}))
	for k := range 512 {
		u.Step(1e-5*float64(k), 0.005, 1e5, false)
		u.Step(1e-5*float64(k), 0.5, 1e5, true)
		u.Step(1e-5*float64(k), 0.5, math.NaN(), false)
		u.Step(math.NaN(), 0.5, 1e5, false)
		u.Step(1e-5*float64(k), math.Inf(1), 1e5, false)
	}
	if v, sd := u.Value(0); v != 19e3 || sd != 1900 || u.state[0] == 0 || l.Fy != 19e3 {
		t.Errorf("%g ± %g N, state %g: want 19000 ± 1900, and a state that moves", v, sd, u.state[0])
	}
}

// A device that is beyond the bounds pushes the parameter to its bound, and after some time it is the last sound one.
func TestFallsBackFromItsBound(t *testing.T) {
	l := &device.Viscoelastic{K: 1e5}
	u := rthstest.Must(NewUKF(l, []device.Parameter{bounded("k", &l.K, 5e4, 1.5e5)}, Settings{RateHz: 512, Noise: 50, PinnedS: 0.5}))
	move := motion(rand.New(rand.NewPCG(2, 53)), 0.02)
	last := 0.0
	for k := range 6 * 512 {
		x, v := move(float64(k) / 512)
		stiff := 1.1e5
		if k > 3*512 {
			stiff = 4e5
		}
		u.Step(x, v, stiff*x, false)
		if k == 3*512 {
			last = l.K
		}
		if !(l.K >= 5e4 && l.K <= 1.5e5) {
			t.Fatalf("tick %d: %g N/m is out of its bounds", k, l.K)
		}
		if at := l.K >= 1.5e5-100.1; at != u.AtBound() || l.K > 1.5e5-99.9 { // a thousandth of 1e5 inside
			t.Fatalf("tick %d: %g N/m, at a bound: %v", k, l.K, u.AtBound())
		}
		if u.FellBack() == 1 {
			rthstest.Near(t, "parameter that came back", l.K, last, 0.02*last)
			_, sd := u.Value(0)
			rthstest.Near(t, "its standard deviation", sd, 1e4, 1e-9)
			return
		}
	}
	t.Errorf("no parameter came back from its bound: %g N/m", l.K)
}

// The states of a law go as they do in closed form: a branch at a steady speed, ż = k v − z/τ.
func TestStatesGoWithTheMotion(t *testing.T) {
	l := &device.Viscoelastic{Branches: []device.Branch{{K: 1e5, Rate: 40}}}
	u := rthstest.Must(NewUKF(l, []device.Parameter{bounded("k", &l.Branches[0].K, 5e4, 2e5)}, Settings{RateHz: 256, Noise: 50,
		StillBelow: 1, PinnedS: 1}))
	for k := range 30 {
		u.Step(0.5*float64(k+1)/256, 0.5, 0, false)
		settled := 1 - math.Exp(-40*float64(k+1)/256)
		rthstest.Near(t, "state", u.state[0], 1e5*0.5/40*settled, 1e-6*1e5*0.5/40)
		rthstest.Near(t, "∂z/∂θ", u.slope[0][0], 1e5*0.5/40*settled, 1e-6*1e5*0.5/40)
	}
}

// A residual that was not white is forgotten after some times of three seconds, and one that is too large is told; a small one is not.
func TestWhiteness(t *testing.T) {
	const rate = 100.0
	r := rand.New(rand.NewPCG(9, 53))
	var w whiteness
	play := func(seconds, size, lag float64) bool {
		last := 0.0
		for range int(seconds * rate) {
			last = lag*last + math.Sqrt(1-lag*lag)*size*r.NormFloat64()
			w.take(last, 1-1/(whiteS*rate))
		}
		return w.is()
	}
	for _, c := range []struct {
		seconds, size, lag float64
		want               bool
	}{{30, 1, 0, true}, {10, 1, 0.5, false}, {120, 1, 0, true}, {20, 1.3, 0, false}, {120, 1, 0, true}, {20, 0.7, 0, true},
		{20, 0.1, 0.9, true}} {
		if got := play(c.seconds, c.size, c.lag); got != c.want {
			t.Errorf("%+v: white %v", c, got)
		}
	}
	rthstest.Near(t, "readings that count", w.n, whiteS*rate, 0.01*whiteS*rate)
}

// Points keep the bounds by a smaller α.
func TestSpreadKeepsBounds(t *testing.T) {
	for _, c := range []struct{ low, high, alpha float64 }{{0.5, 2, 1}, {0.948, 2, 0.5}, {0.5, 1.021, 0.2}, {0.997, 1.5, 0.03}} {
		l := &device.Viscoelastic{K: 1e5}
		u := rthstest.Must(NewUKF(l, []device.Parameter{bounded("k", &l.K, 1e5*c.low, 1e5*c.high)},
			Settings{RateHz: 512, Noise: 50, PinnedS: 0.5}))
		rthstest.Near(t, "α", u.spread(), c.alpha, 1e-12)
		for i, side := range []float64{0.1, -0.1} {
			rthstest.Near(t, "point", u.points[i], side*c.alpha, 1e-12)
		}
	}
}

// A filter goes on from its state to the bit, and allocates nothing.
func TestState(t *testing.T) {
	made := func() (*UKF, *device.BoucWen) {
		law, p := boucWen([2]float64{1, 1})
		return rthstest.Must(NewUKF(law, []device.Parameter{bounded("k", p[0], 2e6, 8e6), bounded("fy", p[1], 1e4, 4e4)},
			Settings{RateHz: 512, Noise: 200, PinnedS: 1})), law.(*device.BoucWen)
	}
	r := rand.New(rand.NewPCG(3, 53))
	move := motion(r, 0.02)
	step := func(u *UKF, k int) {
		x, v := move(float64(k) / 512)
		u.Step(x, v, 3e6*x, false)
	}
	u, law := made()
	for k := range 700 {
		step(u, k)
	}
	again, other := made()
	var v rths.StateVisitor
	state := v.Append(nil, whole{u})
	if rest := v.Restore(state, whole{again}); len(rest) != 0 || *other != *law {
		t.Errorf("%d numbers left; %+v: want %+v", len(rest), *other, *law)
	}
	for k := range 700 {
		step(u, 700+k)
		step(again, 700+k)
	}
	if !slices.Equal(v.Append(nil, whole{u}), new(rths.StateVisitor).Append(nil, whole{again})) {
		t.Error("the filter goes on otherwise from its state")
	}
	k := 1400
	rthstest.NoAllocation(t, func() { step(u, k); k++ })
}

func TestUKFErrors(t *testing.T) {
	l := &device.Viscoelastic{K: 1e5, C: 1e3}
	good := Settings{RateHz: 512, Noise: 50, PinnedS: 1}
	for _, c := range []struct {
		p    []device.Parameter
		s    Settings
		want string
	}{
		{nil, good, "0 parameters to learn: want 1 to 6"},
		{[]device.Parameter{bounded("k", &l.K, 2e5, 3e5)}, good, "k: 100000 is not between its bounds 200000 and 300000"},
		{[]device.Parameter{bounded("k", &l.K, 0, 3e5)}, good, "k: 100000 is not between its bounds 0 and 300000, or these are not above 0"},
		{[]device.Parameter{bounded("k", &l.K, math.Inf(-1), 3e5)}, good, "k: 100000 is not between its bounds -Inf"},
		{[]device.Parameter{bounded("k", &l.K, 1, 3e5)}, Settings{Noise: 1, PinnedS: 1}, "rate 0: want more than 0"},
		{[]device.Parameter{bounded("k", &l.K, 1, 3e5)}, Settings{RateHz: 1, PinnedS: 1}, "standard deviation of the force 0"},
		{[]device.Parameter{bounded("k", &l.K, 1, 3e5)}, Settings{RateHz: 1, Noise: 1}, "time at a bound 0"},
		{[]device.Parameter{bounded("k", &l.K, 1, 3e5)}, Settings{RateHz: 1, Noise: 1, PinnedS: 1, StillBelow: -1}, "speed -1 m/s"},
	} {
		_, err := NewUKF(l, c.p, c.s)
		rthstest.WantError(t, err, c.want)
	}
	fast := &device.BoucWen{Ke: 4e9, Fy: 1, N: 20, Eta1: 1}
	_, err := NewUKF(fast, []device.Parameter{bounded("fy", &fast.Fy, 0.5, 2)}, good)
	rthstest.WantError(t, err, "parts of a step of 0.00195 s: want at most 1000")
}

// BenchmarkUKF is a tick of one group of two parameters.
func BenchmarkUKF(b *testing.B) {
	law, p := boucWen([2]float64{1, 1})
	u := rthstest.Must(NewUKF(law, []device.Parameter{bounded("k", p[0], 2e6, 8e6), bounded("fy", p[1], 1e4, 4e4)},
		Settings{RateHz: 1024, Noise: 200, PinnedS: 1}))
	move := motion(rand.New(rand.NewPCG(3, 53)), 0.02)
	var at [4096][2]float64
	for k := range at {
		at[k][0], at[k][1] = move(float64(k) / 1024)
	}
	for k := 0; b.Loop(); k++ {
		x := at[k%4096]
		u.Step(x[0], x[1], 3e6*x[0], false)
	}
}

// bounded is a parameter between two bounds.
func bounded(name string, v *float64, low, high float64) device.Parameter {
	return device.Parameter{Name: name, V: v, Low: low, High: high}
}

// whole is all that a filter remembers.
type whole struct{ Filter }

func (w whole) VisitState(v *rths.StateVisitor) {
	w.Filter.VisitState(v)
	w.VisitAdaptation(v)
}
