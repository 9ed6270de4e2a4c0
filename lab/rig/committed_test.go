package rig

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/model/integrate"
	"rths/model/plant"
	"rths/model/structure"
)

// shaken is a loop of a single mass whose specimen's force is computed from a noisy
// measurement of the benchmark's actuator, on a ground motion that takes the specimen far
// beyond its yield displacement. The frames go to see.
func shaken(t *testing.T, m plant.SpecimenMaker, samples int, see rths.Observer) *rths.Loop {
	t.Helper()
	whole, err := (&structure.Shear{Masses: []float64{1000}, Stiffnesses: []float64{6e5}}).Make()
	if err != nil {
		t.Fatal(err)
	}
	p, err := whole.Divide(0, 0, 0, 2e5)
	if err != nil {
		t.Fatal(err)
	}
	kind, err := rths.Find(integrate.Kinds, "cr")
	if err != nil {
		t.Fatal(err)
	}
	in, err := kind.Defaults().Make(p, 1.0/rate)
	if err != nil {
		t.Fatal(err)
	}
	wave := make([]float64, 2*samples+1)
	for j := range wave {
		at := float64(j) / (2 * rate)
		wave[j] = 3 * math.Sin(2*math.Pi*3.1*at) * math.Sin(2*math.Pi*0.7*at)
	}
	l, err := rths.NewLoop(rths.Config{
		RateHz: rate, Samples: samples, Ground: wave, Axes: 1, Forces: 1, Truth: true,
		Integrator: in, Compensator: straight{}, Rig: computed(t, m, 5), Observers: []rths.Observer{see},
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

type straight struct{}

func (straight) Step(u []float64, target *rths.Motion, _ *rths.Reading) { copy(u, target.X) }

// bits keeps every number of every tick.
type bits struct{ all [][]float64 }

func (b *bits) Observe(f *rths.Frame) {
	b.all = append(b.all, slices.Concat(f.Read.X, f.Read.F, f.Read.TrueX, f.Read.TrueF, f.Force, f.Target.X, f.Command,
		f.Num.X, f.Num.V))
}

// committed are the specimens with return maps.
var committed = map[string]plant.SpecimenMaker{
	"bilinear": &plant.Bilinear{Stiffness: 2e5, PostStiffness: 2e4, YieldDisplacement: 1e-3, Damping: 200},
	"friction": &plant.Friction{Coefficient: 0.1, NormalForce: 2000, StickStiffness: 2e5},
}

// A loop whose computed force comes from a specimen with a return map is stopped in mid-run,
// after the specimen has yielded, and resumed in a fresh loop: the rest has the same bits.
func TestLoopOfAComputedForceResumes(t *testing.T) {
	const samples = 4096
	for name, maker := range committed {
		var whole bits
		l := shaken(t, maker, samples, &whole)
		checkpoints := map[int][]float64{0: nil, 1: nil, 1700: nil, 2901: nil}
		for k := 0; !l.Done(); k++ {
			if _, ok := checkpoints[k]; ok {
				checkpoints[k] = l.Checkpoint()
			}
			if err := l.Step(); err != nil {
				t.Fatal(err)
			}
		}
		if far := largest(whole.all[:1700]); !(far > 1.5e-3) {
			t.Errorf("%s: %g m before the checkpoint: the specimen has not yielded, the test shows nothing", name, far)
		}
		for k, checkpoint := range checkpoints {
			var rest bits
			fresh := shaken(t, maker, samples, &rest)
			if err := fresh.Resume(checkpoint); err != nil {
				t.Fatal(err)
			}
			if again := fresh.Checkpoint(); !slices.Equal(again, checkpoint) {
				t.Errorf("%s: the checkpoint at %d is not the one it was resumed from", name, k)
			}
			for !fresh.Done() {
				if err := fresh.Step(); err != nil {
					t.Fatal(err)
				}
			}
			if len(rest.all) != samples-k {
				t.Fatalf("%s: %d ticks after a checkpoint at %d: want %d", name, len(rest.all), k, samples-k)
			}
			for i, numbers := range rest.all {
				if !slices.Equal(numbers, whole.all[k+i]) {
					t.Fatalf("%s: checkpoint at %d: tick %d is %v resumed, %v in one go", name, k, k+i, numbers, whole.all[k+i])
				}
			}
			if !slices.Equal(fresh.Checkpoint(), l.Checkpoint()) {
				t.Errorf("%s: checkpoint at %d: the end is not the same", name, k)
			}
		}
	}
}

func largest(ticks [][]float64) float64 {
	out := 0.0
	for _, v := range ticks {
		out = max(out, math.Abs(v[0]))
	}
	return out
}

// apart is a rig whose true displacement has nothing to do with the measured one, or that
// has no true one, as a real rig.
type apart struct {
	x, truth [][]float64
	k        int
	fail     error
}

func (a *apart) Read(out *rths.Reading) error {
	if a.fail != nil {
		return a.fail
	}
	copy(out.X, a.x[a.k])
	copy(out.TrueX, a.truth[a.k])
	a.k++
	return nil
}

func (a *apart) Write([]float64) error { return nil }

// walks are two random walks of n coordinates.
func walks(seed uint64, n, ticks int, step float64) *apart {
	r := rand.New(rand.NewPCG(seed, 1))
	a := &apart{}
	x, truth := make([]float64, n), make([]float64, n)
	for range ticks {
		for i := range n {
			x[i] += step * r.NormFloat64()
			truth[i] += step * r.NormFloat64()
		}
		a.x, a.truth = append(a.x, slices.Clone(x)), append(a.truth, slices.Clone(truth))
	}
	return a
}

// The measured force depends on the history of the measured displacement only, the true
// force on the history of the true displacement only.
func TestComputedForcesKeepApart(t *testing.T) {
	for name, maker := range committed {
		s, err := maker.Make()
		if err != nil {
			t.Fatal(err)
		}
		a := walks(1, 1, 400, 5e-4)
		alone := func(x [][]float64) []float64 {
			at, z, dz, f := rths.NewMotion(1), make([]float64, 1), make([]float64, 1), make([]float64, 1)
			var out []float64
			for k := range x {
				at.V[0] = x[k][0] * rate
				if k > 0 {
					at.V[0] = (x[k][0] - x[k-1][0]) * rate
				}
				at.X[0] = x[k][0]
				s.(plant.Committed).Commit(z, &at)
				s.Rate(dz, f, z, &at)
				out = append(out, f[0])
			}
			return out
		}
		measured, truth := alone(a.x), alone(a.truth)
		c, err := NewComputed(a, s, rate)
		if err != nil {
			t.Fatal(err)
		}
		for k := range a.x {
			if got := read(t, c); got.F[0] != measured[k] || got.TrueF[0] != truth[k] || got.X[0] != a.x[k][0] ||
				got.TrueX[0] != a.truth[k][0] {
				t.Fatalf("%s: tick %d: forces %g and %g N: want %g and %g", name, k, got.F[0], got.TrueF[0], measured[k], truth[k])
			}
		}
	}
}

// A real rig has no true values: the force is computed all the same, and a true force that
// the rig gives without a true displacement is left alone. A rig's error comes through.
func TestComputedForceOfARealRig(t *testing.T) {
	a := walks(2, 1, 10, 1e-3)
	s, err := spring.Make()
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewComputed(a, s, rate)
	if err != nil {
		t.Fatal(err)
	}
	out := rths.Reading{Motion: rths.Motion{X: make([]float64, 1)}, F: make([]float64, 1)}
	for range 2 {
		if err := c.Read(&out); err != nil {
			t.Fatal(err)
		}
	}
	if want := 2e5*a.x[1][0] + 300*rate*(a.x[1][0]-a.x[0][0]); math.Abs(out.F[0]-want) > 1e-9*math.Abs(want) {
		t.Errorf("force %g N: want %g", out.F[0], want)
	}
	out.TrueF = []float64{7}
	if err := c.Read(&out); err != nil || out.TrueF[0] != 7 {
		t.Errorf("true force %g N, %v, without a true displacement: want it left alone", out.TrueF[0], err)
	}
	before := rths.AppendState(nil, c)
	a.fail = errors.New("cable out")
	if err := c.Read(&out); !errors.Is(err, a.fail) || !slices.Equal(rths.AppendState(nil, c), before) {
		t.Errorf("error %v: want the rig's, and the specimen as it was", err)
	}
	for _, hz := range []float64{0, -1, math.NaN()} {
		if _, err := NewComputed(a, s, hz); err == nil {
			t.Errorf("rate %g Hz was taken", hz)
		}
	}
}

// frameForces computes the forces of the frame from displacements of its actuators, by the equations of Recovered.
type frameForces struct {
	m, d, k *mat.Dense
	coupler rths.Coupler
}

func newFrameForces(t *testing.T) frameForces {
	t.Helper()
	m, d, k, err := (&plant.FrameSpecimen{}).Matrices()
	if err != nil {
		t.Fatal(err)
	}
	return frameForces{m, d, k, marthsCoupler(t)}
}

// alone are the forces of each tick, with differences of these displacements alone.
func (of frameForces) alone(axes [][]float64) (out [][3]float64) {
	node, at := rths.NewReading(2, 0), rths.NewReading(2, 0)
	last, lastV := make([]float64, 2), make([]float64, 2)
	for tick, x := range axes {
		copy(at.X, x)
		of.coupler.Interface(&node, &at)
		v, acceleration := make([]float64, 2), make([]float64, 2)
		if tick > 0 {
			for i := range 2 {
				v[i] = (node.X[i] - last[i]) * 1024
				acceleration[i] = (v[i] - lastV[i]) * 1024
			}
		}
		var f [3]float64
		for i := range f {
			for j := range 2 {
				f[i] += of.m.At(i, j)*acceleration[j] + of.d.At(i, j)*v[j] + of.k.At(i, j)*node.X[j]
			}
		}
		copy(last, node.X)
		lastV, out = v, append(out, f)
	}
	return out
}

func (of frameForces) same(got []float64, want [3]float64) bool {
	for i, f := range got {
		if !(math.Abs(f-want[i]) <= 1e-9*mat.Max(of.k)) {
			return false
		}
	}
	return true
}

// Forces of the frame: the measured ones from the measured displacements, the true ones from
// the true displacements, each with differences of its own (the equations of Recovered). Stopped
// in mid-run and resumed they go on with the same bits; a real rig has no true ones.
func TestRecoveredForcesKeepApart(t *testing.T) {
	a := walks(3, 2, 60, 1e-4)
	of := newFrameForces(t)
	measured, truth := of.alone(a.x), of.alone(a.truth)
	r, read := recovered(t, a), rths.NewReading(2, 3)
	if r.Forces() != 3 {
		t.Errorf("%d forces: want 3", r.Forces())
	}
	states := [][]float64{rths.AppendState(nil, r)}
	var forces [][]float64
	for k := range a.x {
		if err := r.Read(&read); err != nil {
			t.Fatal(err)
		}
		if !of.same(read.F, measured[k]) || !of.same(read.TrueF, truth[k]) {
			t.Fatalf("tick %d: forces %g and %g N: want %g and %g", k, read.F, read.TrueF, measured[k], truth[k])
		}
		forces, states = append(forces, slices.Concat(read.F, read.TrueF)), append(states, rths.AppendState(nil, r))
	}
	for _, cut := range []int{0, 1, 2, 33} {
		fresh := recovered(t, a)
		if rest := rths.SetState(append(slices.Clone(states[cut]), 8), fresh); !slices.Equal(rest, []float64{8}) {
			t.Fatalf("rest %v: want [8]", rest)
		}
		a.k = cut
		for k := cut; k < len(a.x); k++ {
			if err := fresh.Read(&read); err != nil || !slices.Equal(slices.Concat(read.F, read.TrueF), forces[k]) {
				t.Fatalf("resumed at %d: tick %d differs (%v)", cut, k, err)
			}
		}
	}
	real, out := recovered(t, a), rths.Reading{Motion: rths.Motion{X: make([]float64, 2)}, F: make([]float64, 3)}
	a.k = 0
	for k := range a.x {
		if err := real.Read(&out); err != nil || !of.same(out.F, measured[k]) {
			t.Fatalf("without true displacements: tick %d: forces %g N, %v: want %g", k, out.F, err, measured[k])
		}
	}
	before := rths.AppendState(nil, real)
	a.fail = errors.New("cable out")
	if err := real.Read(&out); !errors.Is(err, a.fail) || !slices.Equal(rths.AppendState(nil, real), before) {
		t.Errorf("error %v: want the rig's, and the differences as they were", err)
	}
}

// matrices is a specimen of two coordinates with the matrices given, or with an error.
type matrices struct {
	m, c, k *mat.Dense
	err     error
}

func (s matrices) Matrices() (m, c, k *mat.Dense, err error) { return s.m, s.c, s.k, s.err }

// As many forces as coordinates are enough, one is not; what the specimen says against its
// own matrices comes through.
func TestRecoveredTakesTwoForces(t *testing.T) {
	two, one, wide := mat.NewDense(2, 2, []float64{1, 2, 3, 4}), mat.NewDense(1, 2, []float64{1, 2}),
		mat.NewDense(2, 3, nil)
	r, err := NewRecovered(walks(1, 2, 1, 1), marthsCoupler(t), matrices{two, two, two, nil}, 0.5)
	if err != nil || r.Forces() != 2 {
		t.Errorf("two forces at half a Hertz: %v", err)
	}
	for _, wrong := range []matrices{{one, two, two, nil}, {two, one, two, nil}, {two, two, one, nil},
		{wide, two, two, nil}, {two, two, wide, nil}} {
		if _, err := NewRecovered(walks(1, 2, 1, 1), marthsCoupler(t), wrong, 1024); err == nil {
			t.Errorf("%+v was taken", wrong)
		}
	}
	broken := errors.New("no stiffness")
	if _, err := NewRecovered(walks(1, 2, 1, 1), marthsCoupler(t), matrices{two, two, two, broken}, 1024); !errors.Is(err,
		broken) {
		t.Errorf("error %v: want the specimen's", err)
	}
}

// A slow rate is a rate; a rig that has a true displacement and no place for a true force is read.
func TestComputedForceWithoutPlaceForATrueForce(t *testing.T) {
	a := walks(2, 1, 10, 1e-3)
	s, err := spring.Make()
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewComputed(a, s, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	out := rths.Reading{Motion: rths.Motion{X: make([]float64, 1)}, F: make([]float64, 1), TrueX: make([]float64, 1)}
	if err := c.Read(&out); err != nil {
		t.Fatal(err)
	}
	if want := (2e5 + 300*0.5) * a.x[0][0]; !(math.Abs(out.F[0]-want) <= 1e-9*math.Abs(want)) ||
		out.TrueX[0] != a.truth[0][0] {
		t.Errorf("force %g N, true displacement %g m: want %g and %g", out.F[0], out.TrueX[0], want, a.truth[0][0])
	}
}
