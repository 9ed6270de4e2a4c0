package judge

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths/kit/rthstest"
	"rths/model/ground"
	"rths/model/structure"
	"rths/result/record"
)

// law is a hysteretic force, N, per step of displacement, m; it keeps its own state.
type law func(dx float64) float64

// yieldsDt is the step of virtual tests, s: the smallest delay that is planted.
const yieldsDt = 2e-4

// hardening is the stiffness after yielding over the one before.
const hardening = 0.1

// bilinear is a spring k, N/m, that yields at a displacement.
func bilinear(k, at float64) law {
	x, z := 0., 0.
	return func(dx float64) float64 {
		x += dx
		z = min(max(z+dx, -at), at)
		return k * (hardening*x + (1-hardening)*z)
	}
}

// boucWen is the same with a smooth transition: exponent 1, beta = gamma = 1/2.
func boucWen(k, at float64) law {
	x, z := 0., 0.
	return func(dx float64) float64 {
		x += dx
		if dx*z > 0 {
			z -= dx * math.Abs(z/at)
		}
		z += dx
		return k * (hardening*x + (1-hardening)*z)
	}
}

// yields is a test of a yielding specimen with a dashpot c, which moves by gain times the target, late.
type yields struct {
	p           *structure.Partition
	law         func() law
	c           float64
	gain, lateS float64
}

// run is the test under a ground acceleration, m/s², with spring and dashpot beside the numerical part's.
func (e *yields) run(motion []float64, spring, dashpot float64) (d, x, f []float64) {
	n, dof, late, of := e.p.N(), e.p.Interface[0], int(math.Round(e.lateS/yieldsDt)), e.law()
	disp, vel, acc := make([]float64, n), make([]float64, n), make([]float64, n)
	d, x, f = make([]float64, len(motion)), make([]float64, len(motion)), make([]float64, len(motion))
	for i, ag := range motion {
		d[i] = disp[dof]
		if i >= late {
			x[i] = e.gain * d[i-late]
		}
		f[i] = of(x[i]-x[max(i-1, 0)]) + e.c*(x[i]-x[max(i-1, 0)])/yieldsDt
		for r := range n {
			acc[r] = -e.p.Whole.M.At(r, r) * ag
			for s := range n {
				acc[r] -= e.p.K.At(r, s)*disp[s] + e.p.C.At(r, s)*vel[s]
			}
		}
		acc[dof] -= f[i] + spring*disp[dof] + dashpot*vel[dof]
		for r := range n {
			vel[r] += acc[r] / e.p.M.At(r, r) * yieldsDt
			disp[r] += vel[r] * yieldsDt
		}
	}
	return d, x, f
}

// exact is what the planted error did: the force, and the force that the specimen would have had in the motion of the
// numerical part, by their secants without noise. spring and dashpot are their difference.
func (e *yields) exact(d, f []float64) (added, moved, spring, dashpot float64) {
	of, perfect := e.law(), make([]float64, len(d))
	for i := range d {
		step := d[i] - d[max(i-1, 0)]
		perfect[i] = of(step) + e.c*step/yieldsDt
	}
	k, c := secantOf(d, f)
	k0, c0 := secantOf(d, perfect)
	with, without := modeOf(e.p, k, c), modeOf(e.p, k0, c0)
	return ratio(with) - ratio(without), cmplx.Abs(with)/cmplx.Abs(without) - 1, k - k0, c - c0
}

// secantOf is stiffness and damping of f on [d v 1], by the normal equations.
func secantOf(d, f []float64) (k, c float64) {
	a, b := mat.NewDense(3, 3, nil), mat.NewVecDense(3, nil)
	for i := 1; i+1 < len(d); i++ {
		row := [3]float64{d[i], (d[i+1] - d[i-1]) / 2 / yieldsDt, 1}
		for r := range row {
			for s := range row {
				a.Set(r, s, a.At(r, s)+row[r]*row[s])
			}
			b.SetVec(r, b.AtVec(r)+row[r]*f[i])
		}
	}
	var out mat.VecDense
	if err := out.SolveVec(a, b); err != nil {
		panic(err)
	}
	return out.AtVec(0), out.AtVec(1)
}

// recorded is the test as a laboratory has it: 1000 Hz, noise of 5 µm and of 0.1 % of the yield force.
func recorded(r *rand.Rand, d, x, f []float64, yield float64) *Test {
	thin := func(v []float64, noise float64) record.Signal {
		var out []float64
		for i := 0; i < len(v); i += int(math.Round(1e-3 / yieldsDt)) {
			out = append(out, v[i]+noise*r.NormFloat64())
		}
		return record.SignalOf(out)
	}
	return &Test{RateHz: 1000, Axes: []Axis{{Target: thin(d, 0), Measured: thin(x, 5e-6), Force: thin(f, 1e-3*yield)}}}
}

// shaken is filtered noise that grows and dies away, m/s².
func shaken(r *rand.Rand, seconds float64) []float64 {
	out, w, z, x, v := make([]float64, int(seconds/yieldsDt)), 2*math.Pi*2.5, 0.6, 0., 0.
	for i := range out {
		t := float64(i) * yieldsDt
		v += (r.NormFloat64()/math.Sqrt(yieldsDt) - 2*z*w*v - w*w*x) * yieldsDt
		x += v * yieldsDt
		out[i] = min(1, t*t/4) * math.Exp(-max(0, 7.5*(t/seconds-0.6))) * (w*w*x + 2*z*w*v)
	}
	return out
}

// tally counts how near estimates come.
type tally struct {
	all, told, near, inside, paper int
	most                           float64
}

// see counts a test.
func (n *tally) see(t *testing.T, d *Damping, want, moved, paper float64) {
	n.all++
	if math.Abs(paper-want) < 2e-3 {
		n.paper++
	}
	if d.CannotTell != "" {
		return
	}
	n.told++
	off := math.Abs(d.Added - want)
	if off < 2e-3 {
		n.near++
	}
	if off < 2*d.AddedSE+1e-5 {
		n.inside++
	}
	n.most = max(n.most, off)
	if off > 3e-3 || math.Abs(d.Moved-moved) > 5e-3 {
		t.Errorf("%s: want %.3f points, %+.2f %%", d.Sentence(), 100*want, 100*moved)
	}
}

// ofYielding judges tests of both laws with planted errors. The specimen yields at a part of the largest displacement
// of an elastic one.
func (n *tally) ofYielding(t *testing.T, r *rand.Rand, storeys int, motion []float64, part float64, lates ...float64) {
	p, k, c := frame(t, storeys, 1.5, 0.5)
	elastic := &yields{p: p, c: c / 5, gain: 1, law: func() law { return bilinear(k, math.Inf(1)) }}
	d, _, _ := elastic.run(motion, 0, 0)
	at := 0.0
	for _, x := range d {
		at = max(at, part*math.Abs(x))
	}
	for _, made := range []func(k, at float64) law{bilinear, boucWen} {
		for _, lateMs := range lates {
			e := &yields{p: p, c: c / 5, gain: 0.9 + 0.2*r.Float64(), lateS: lateMs / 1e3, law: func() law { return made(k, at) }}
			if lateMs == 0 {
				e.gain = 1
			}
			d, x, f := e.run(motion, 0, 0)
			want, moved, _, _ := e.exact(d, f)
			km, cm := secantOf(x, f)
			kd, cd := secantOf(d, f)
			got := recorded(r, d, x, f, k*at).AddedDamping(p)
			n.see(t, got, want, moved, ratio(modeOf(p, kd, cd))-ratio(modeOf(p, km, cm)))
			if lateMs == 0 && got.CannotTell == "" && math.Abs(got.Added) > 3*got.AddedSE+2e-5 {
				t.Errorf("a perfect actuator: %s", got.Sentence())
			}
		}
	}
}

// check wants 95 % of tests within 0.2 points and within their intervals.
func (n *tally) check(t *testing.T) {
	t.Helper()
	t.Logf("%d tests, %d told: %d within 0.2 points, at most %.3f off, %d within the interval; by the measured displacement "+
		"alone %d within 0.2", n.all, n.told, n.near, 100*n.most, n.inside, n.paper)
	if 100*n.near < 95*n.told || 100*n.inside < 95*n.told || 10*n.told < 9*n.all {
		t.Error("want 95 % within 0.2 points and within their intervals, and 90 % told")
	}
}

// Delays of 0.2 to 5 ms and gains of 0.9 to 1.1, three frames, four motions, bilinear and Bouc–Wen specimens at
// ductilities of about 2 to 10: the added damping is within 0.2 points of what the planted error did in this motion.
func TestAddedDampingOfYieldingSpecimens(t *testing.T) {
	var n tally
	lates := []float64{0, 0.2, 1, 2.4, 5}
	for storeys := 1; storeys <= 3; storeys++ {
		for motion := range rthstest.Draws(1, 12) {
			r := rand.New(rand.NewPCG(uint64(motion), uint64(storeys)))
			n.ofYielding(t, r, storeys, shaken(r, 20), []float64{0.5, 0.25, 0.12, 0.33}[(motion+storeys)%4], lates...)
		}
	}
	n.check(t)
}

// The same with ground motions of earthquakes.
func TestAddedDampingOfYieldingSpecimensInEarthquakes(t *testing.T) {
	rthstest.Full(t)
	var n tally
	for i, file := range rthstest.Must(filepath.Glob(filepath.Join(rthstest.Records(t), "*.csv"))) {
		read := rthstest.Must(ground.ReadCSV(rthstest.Must(os.Open(file)), file, ground.Want{}))
		motion := make([]float64, int(min(40, read.Dt*float64(len(read.A)-1))/yieldsDt))
		for k := range motion {
			at, part := math.Modf(float64(k) * yieldsDt / read.Dt)
			motion[k] = read.A[int(at)] + part*(read.A[int(at)+1]-read.A[int(at)])
		}
		for storeys := 1; storeys <= 3; storeys++ {
			for _, part := range []float64{0.5, 0.2} {
				n.ofYielding(t, rand.New(rand.NewPCG(uint64(i), uint64(storeys))), storeys, motion, part, 0, 0.2, 1, 2.4, 5)
			}
		}
	}
	n.check(t)
}

// What the planted error did is what it seems to be in a test: the spring and the dashpot which a perfect test needs
// in its numerical part to move most nearly as the test with the error, found by simulation alone, are those of exact.
func TestExactIsAPerfectTestOfAnotherStructure(t *testing.T) {
	for storeys := 1; storeys <= rthstest.Draws(1, 3); storeys++ {
		p, k, c := frame(t, storeys, 1.5, 0.5)
		motion := shaken(rand.New(rand.NewPCG(7, uint64(storeys))), 20)
		for i, made := range []func(k, at float64) law{bilinear, boucWen} {
			e := &yields{p: p, c: c / 5, gain: 0.93, lateS: 3e-3, law: func() law { return made(k, 0.02) }}
			d, _, f := e.run(motion, 0, 0)
			want, _, spring, dashpot := e.exact(d, f)
			k0, c0 := secantOf(d, f)
			k0, c0 = k0-spring, c0-dashpot
			e.gain, e.lateS = 1, 0
			by := e.nearest(d, motion, [2]float64{1e-3 * k, 1e-2 * c})
			got := ratio(modeOf(p, k0+by[0], c0+by[1])) - ratio(modeOf(p, k0, c0))
			t.Logf("%d storeys, law %d: %.3f points, want %.3f", storeys, i, 100*got, 100*want)
			if math.Abs(got-want) > 1e-3 {
				t.Errorf("%d storeys, law %d: %.3f points: want %.3f within 0.1", storeys, i, 100*got, 100*want)
			}
		}
	}
}

// nearest are spring and dashpot with which the target moves most nearly as d, by Gauss and Newton.
func (e *yields) nearest(d, motion []float64, steps [2]float64) (at [2]float64) {
	run := func(at [2]float64) []float64 { x, _, _ := e.run(motion, at[0], at[1]); return x }
	for range 5 {
		now := run(at)
		by := [2][]float64{run([2]float64{at[0] + steps[0], at[1]}), run([2]float64{at[0], at[1] + steps[1]})}
		a, b := mat.NewDense(2, 2, nil), mat.NewVecDense(2, nil)
		for j := range now {
			for r := range 2 {
				for s := range 2 {
					a.Set(r, s, a.At(r, s)+(by[r][j]-now[j])*(by[s][j]-now[j]))
				}
				b.SetVec(r, b.AtVec(r)+(by[r][j]-now[j])*(d[j]-now[j]))
			}
		}
		var more mat.VecDense
		if err := more.SolveVec(a, b); err != nil {
			panic(err)
		}
		at[0], at[1] = at[0]+steps[0]*more.AtVec(0), at[1]+steps[1]*more.AtVec(1)
	}
	return at
}

// The second of two specimens yields between the floors of two actuators, whose delays differ: its force depends on the
// motion of both. The motion is given, and what the error did is by the exact law.
func TestAddedDampingOfASpecimenBetweenTwoFloors(t *testing.T) {
	one, k, c := frame(t, 3, 1.5, 0.3)
	between := [2][2]float64{{1, 0}, {-1, 1}} // of both coordinates
	p := rthstest.Must(one.Whole.Between([]int{0, 1}, []structure.Share{{Along: []float64{1, 0, 0}, K: k, C: c},
		{Along: []float64{-1, 1, 0}, K: k, C: c}}))
	by := func(v float64) *mat.Dense { return mat.NewDense(2, 2, []float64{2 * v, -v, -v, v}) }
	part := rthstest.Must(newNumericalPart(p, by(k)))
	forces := func(x [2][]float64) (f [2][]float64) {
		laws := [2]law{bilinear(k, math.Inf(1)), boucWen(k, 4e-3)}
		for i := range x[0] {
			var now [2]float64
			for s, law := range laws {
				step := 0.
				for j := range x {
					step += between[s][j] * (x[j][i] - x[j][max(i-1, 0)])
				}
				force := law(step) + c/5*step*1000
				for j := range now {
					now[j] += between[s][j] * force
				}
			}
			f[0], f[1] = append(f[0], now[0]), append(f[1], now[1])
		}
		return f
	}
	for i, late := range [][2]int{{0, 0}, {1, 3}, {4, 0}, {2, 2}} {
		r := rand.New(rand.NewPCG(uint64(i), 1))
		test := (&plantedErrors{p: p, k: by(k), c: by(c), gain: []float64{1, 1}, lateS: []float64{0, 0}, rateHz: 1000}).test(r, 1.5, 20)
		var d, x [2][]float64
		for j := range d {
			d[j], x[j] = test.Axes[j].Target.Values(), make([]float64, test.Samples())
			for k := range 2000 { // begins at rest
				d[j][k] *= float64(k) / 2000
			}
			test.Axes[j].Target = record.SignalOf(d[j])
			for k := late[j]; k < len(x[j]); k++ {
				x[j][k] = []float64{1, 0.96}[min(late[j], 1)] * d[j][k-late[j]]
			}
		}
		mode := func(f [2][]float64) complex128 {
			for j := range f {
				test.Axes[j].Force = record.SignalOf(f[j])
			}
			secants, _ := test.rough()
			return rthstest.Must(part.mode1(secants))
		}
		without := mode(forces(d))
		want := ratio(mode(forces(x))) - ratio(without)
		for j := range x {
			for k := range x[j] {
				x[j][k] += 5e-6 * r.NormFloat64()
			}
			test.Axes[j].Measured = record.SignalOf(x[j])
		}
		got := test.AddedDamping(p)
		t.Logf("%v ms: %.3f ± %.3f points, want %.3f; %s", late, 100*got.Added, 200*got.AddedSE, 100*want, got.CannotTell)
		if off := math.Abs(got.Added - want); got.CannotTell != "" || off > 2e-3 || off > 3*got.AddedSE+1e-5 {
			t.Errorf("%v ms: %s: want %.3f points", late, got.Sentence(), 100*want)
		}
	}
}
