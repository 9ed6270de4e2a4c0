package integrate

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/kit/rthstest"
	"rths/model/structure"
)

// beside is a spring, dashpot and mass beside a structure, and if steps are given
// wants so many of a sample h.
type beside struct {
	m, c, k float64
	own     float64 // 1/s
}

func (s *beside) Mass() float64 { return s.m }
func (s *beside) States() int   { return 0 }
func (s *beside) Rate(_, force, _ []float64, m *rths.Motion) {
	force[0] = s.c*m.V[0] + s.k*m.X[0]
}
func (s *beside) Steepest() (k, c, rate float64) { return s.k, s.c, s.own }

// hanging is a mass on spring and dashpot that hangs at the interface: a degree
// of freedom of its own, with no push of the ground on it.
type hanging struct{ m, c, k float64 }

func (s *hanging) Mass() float64 { return 0 }
func (s *hanging) States() int   { return 2 }
func (s *hanging) Rate(dz, force, z []float64, m *rths.Motion) {
	f := s.c*(m.V[0]-z[1]) + s.k*(m.X[0]-z[0])
	force[0], dz[0], dz[1] = f, z[1], f/s.m
}

// slider slips beyond a force, by a return map.
type slider struct{ k, limit float64 }

func (s *slider) Mass() float64 { return 0 }
func (s *slider) States() int   { return 1 }
func (s *slider) Rate(dz, force, z []float64, m *rths.Motion) {
	dz[0], force[0] = 0, min(max(s.k*(m.X[0]-z[0]), -s.limit), s.limit)
}
func (s *slider) Commit(z []float64, m *rths.Motion) {
	if f := s.k * (m.X[0] - z[0]); math.Abs(f) > s.limit {
		z[0] = m.X[0] - math.Copysign(s.limit, f)/s.k
	}
}
func (s *slider) Steepest() (k, c, rate float64) { return s.k, 0, 0 }

// frame is three floors.
func frame(t rthstest.TB) *structure.Structure {
	return mustStructure(t, &structure.Shear{Masses: []float64{1000, 1000, 800}, Stiffnesses: []float64{2e6, 1.5e6, 1e6},
		Damping: structure.Damping{ModalRatio: []float64{0.03}}})
}

func mustCoupled(t rthstest.TB, s *structure.Structure, dof int, with Specimen, h float64) *Coupled {
	t.Helper()
	p, err := s.Attach(dof, with.Mass())
	if err != nil {
		t.Fatalf("%v", err)
	}
	r, err := NewCoupled(p, []Element{{Specimen: with, Along: unitAt(p.N(), dof)}}, h)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return r
}

func unitAt(n, dof int) []float64 {
	along := make([]float64, n)
	along[dof] = 1
	return along
}

// shaken is the displacements of all floors under the polygon.
func shaken(r interface {
	Step([]float64)
	State() *rths.Motion
}, h float64, samples int) (out []float64) {
	for k := range samples {
		r.Step([]float64{polygonAt(float64(k) * h), math.NaN(), polygonAt(float64(k+1) * h)})
		out = append(out, r.State().X...)
	}
	return out
}

// With a linear specimen beside it the structure is one with that much more mass,
// damping and stiffness, for which the reference is exact; the sub-steps come
// nearer to it with their fourth power.
func TestCoupledIsTheStrongerStructure(t *testing.T) {
	const dof, m, c, k, h = 1, 300.0, 4e3, 1e6, 1.0 / 128
	strong := frame(t)
	for _, part := range []struct {
		a *mat.Dense
		v float64
	}{{strong.M, m}, {strong.C, c}, {strong.K, k}} {
		part.a.Set(dof, dof, part.a.At(dof, dof)+part.v)
	}
	want := shaken(mustReference(t, strong, h), h, 400)
	var errs []float64
	for _, steps := range []float64{8, 16, 32} {
		r := mustCoupled(t, frame(t), dof, &beside{m, c, k, (steps - 0.5) * fastestStep / h}, h)
		got, worst := shaken(r, h, 400), 0.0
		for i := range got {
			worst = max(worst, math.Abs(got[i]-want[i]))
		}
		errs = append(errs, worst/largest(want))
	}
	for i := range 2 {
		if r := errs[i] / errs[i+1]; !(r > 14 && r < 18) {
			t.Errorf("errors %.2g: ratio %.3g: want about 16", errs, r)
		}
	}
	nearAll(t, "with the sub-steps it chooses", shaken(mustCoupled(t, frame(t), dof, &beside{m, c, k, 0}, h), h, 400),
		want, 1e-5)
}

// Elements between floors are storeys, and an element along two floors at once is the
// square of their sum: together they are the structure with that much more of all.
func TestCoupledElementsAreTheStrongerStructure(t *testing.T) {
	const h = 1.0 / 512
	elements := []Element{
		{Specimen: &beside{m: 40, c: 2e3, k: 5e5}, Along: []float64{-1, 1, 0}},
		{Specimen: &beside{m: 100, c: 1e3, k: 2e5}, Along: []float64{0.5, 0, 2}},
	}
	strong := frame(t)
	for _, e := range elements {
		s := e.Specimen.(*beside)
		for _, part := range []struct {
			a *mat.Dense
			v float64
		}{{strong.M, s.m}, {strong.C, s.c}, {strong.K, s.k}} {
			part.a.RankOne(part.a, part.v, mat.NewVecDense(3, e.Along), mat.NewVecDense(3, e.Along))
		}
	}
	p, err := frame(t).Divide(0, 0, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	p.Load = strong.Undivided().Load
	r, err := NewCoupled(p, elements, h)
	if err != nil {
		t.Fatal(err)
	}
	nearAll(t, "floors", shaken(r, h, 1500), shaken(mustReference(t, strong, h), h, 1500), 1e-6)
}

// A mass that hangs at a floor is a fourth degree of freedom the ground does not
// push.
func TestCoupledWithStatesIsALargerStructure(t *testing.T) {
	const dof, h = 2, 1.0 / 512
	s := &hanging{m: 50, c: 100, k: 2e4}
	small := frame(t)
	grow := func(a *mat.Dense, v float64) *mat.Dense {
		out := mat.NewDense(4, 4, nil)
		out.Slice(0, 3, 0, 3).(*mat.Dense).Copy(a)
		for _, e := range []struct {
			i, j int
			v    float64
		}{{dof, dof, v}, {dof, 3, -v}, {3, dof, -v}, {3, 3, v}} {
			out.Set(e.i, e.j, out.At(e.i, e.j)+e.v)
		}
		return out
	}
	large := &structure.Structure{N: 4, M: grow(small.M, 0), C: grow(small.C, s.c), K: grow(small.K, s.k),
		Gamma: mat.NewDense(4, 1, []float64{1, 1, 1, 0})}
	large.M.Set(3, 3, s.m)
	all := shaken(mustReference(t, large, h), h, 1500)
	var want []float64
	for k := range 1500 {
		want = append(want, all[4*k:4*k+3]...)
	}
	nearAll(t, "floors", shaken(mustCoupled(t, small, dof, s, h), h, 1500), want, 1e-6)
}

// A slider takes out energy: at the end of the shaking the work of the ground is
// what the frame holds, what its damping has taken, and what the slider has.
func TestCoupledSliderEnergy(t *testing.T) {
	const h, n, limit = 1.0 / 4096, 4 * 4096, 1000.0
	sdof := single(15, 0)
	r := mustCoupled(t, sdof, 0, &slider{k: 1e7, limit: limit}, h)
	k := sdof.K.At(0, 0)
	var in, slid float64
	for i := range n {
		now, next := polygonAt(float64(i)*h), polygonAt(float64(i+1)*h)
		v, slip := r.y[1], r.y[2]
		r.Step([]float64{now, 0, next})
		in -= 1000 * h * (now*v + next*r.y[1]) / 2
		slid += limit * math.Abs(r.y[2]-slip)
	}
	x, v := r.y[0], r.y[1]
	spring := 1e7 * (x - r.y[2]) * (x - r.y[2]) / 2
	rthstest.Near(t, "energy", 500*v*v+k*x*x/2+slid+spring, in, 1e-4*slid)
	if !(slid > 10) {
		t.Errorf("the slider has taken %g J: want a test of it", slid)
	}
}

// relaxing is a spring and a dashpot in series, whose force relaxes; its second state is the integral of its
// deformation.
type relaxing struct{ k, tau float64 }

func (s *relaxing) Mass() float64 { return 0 }
func (s *relaxing) States() int   { return 2 }
func (s *relaxing) Rate(dz, force, z []float64, m *rths.Motion) {
	force[0], dz[0], dz[1] = z[0], s.k*m.V[0]-z[0]/s.tau, m.X[0]
}

// On the way to the displacements of the start the states of a specimen follow its deformation, here (t/T)³
// of the whole, with an error of the fourth order: the force of a relaxing spring has its closed form, and
// the integral of a cubic is exact.
func TestCoupledStatesFollowTheStart(t *testing.T) {
	const duration, k, tau, x = 2.0, 1e4, 0.7, 0.03
	r := mustCoupled(t, frame(t), 1, &relaxing{k, tau}, 1.0/512)
	r.Start([]float64{0.01, x, 0.05}, func(s float64) (share, rate float64) {
		return math.Pow(s/duration, 3), 3 * s * s / math.Pow(duration, 3)
	}, duration)
	rthstest.NearAll(t, "displacements and velocities", r.y[:6], []float64{0.01, x, 0.05, 0, 0, 0}, 0)
	force := 3 * k * x / math.Pow(duration, 3) * (tau*duration*duration - 2*tau*tau*duration +
		2*tau*tau*tau*(1-math.Exp(-duration/tau)))
	rthstest.Near(t, "force, N", r.y[6], force, 1e-9*force)
	rthstest.Near(t, "integral of the deformation, m·s", r.y[7], x*duration/4, 1e-12)
}

// Stopped and resumed it goes on with the same bits, and a step allocates nothing.
func TestCoupledResumes(t *testing.T) {
	const h = 1.0 / 512
	fresh := func() *Coupled { return mustCoupled(t, frame(t), 0, &slider{k: 1e6, limit: 2000}, h) }
	whole, second := fresh(), fresh()
	shaken(whole, h, 300)
	state := rths.AppendState([]float64{1}, whole)
	if rest := rths.SetState(append(state[1:], 5), second); len(rest) != 1 || rest[0] != 5 {
		t.Fatalf("rest %v: want [5]", rest)
	}
	a, b := shaken(whole, h, 200), shaken(second, h, 200)
	for i := range a {
		if a[i] != b[i] {
			t.Fatalf("resumed, other bits at %d", i)
		}
	}
	ground := []float64{1, 2, 3}
	if n := testing.AllocsPerRun(100, func() { whole.Step(ground) }); n != 0 {
		t.Errorf("%g allocations per step: want none", n)
	}
}

// Actions superpose: the motion under a ground motion and the force of a history is the sum of those under each alone.
func TestCoupledActionsSuperpose(t *testing.T) {
	const h = 1.0 / 128
	p, err := frame(t).Attach(1, 300)
	if err != nil {
		t.Fatal(err)
	}
	ground, history := p.Load, mat.NewDense(p.N(), 1, []float64{0, 0, -1})
	under := func(load *mat.Dense, actions ...func(t float64) float64) (out []float64) {
		p.Load = load
		r, err := NewCoupled(p, []Element{{Specimen: &beside{300, 4e3, 1e6, 0}, Along: unitAt(p.N(), 1)}}, h)
		if err != nil {
			t.Fatal(err)
		}
		n := len(actions)
		for k := range 100 {
			window := make([]float64, 3*n)
			for i, a := range actions {
				window[i], window[n+i], window[2*n+i] = a(float64(k)*h), math.NaN(), a(float64(k+1)*h)
			}
			r.Step(window)
			out = append(out, r.State().X...)
		}
		return out
	}
	force := func(t float64) float64 { return 3e3 * math.Sin(11*t) }
	var both mat.Dense
	both.Augment(ground, history)
	one, two, sum := under(ground, polygonAt), under(history, force), under(&both, polygonAt, force)
	for i, got := range sum {
		if !(math.Abs(got-one[i]-two[i]) <= 1e-9*largest(sum)) {
			t.Fatalf("number %d: %g: want %g + %g", i, got, one[i], two[i])
		}
	}
}

func TestCoupledErrors(t *testing.T) {
	p, err := frame(t).Attach(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	with := func(s Specimen) []Element { return []Element{{Specimen: s, Along: unitAt(3, 0)}} }
	_, err = NewCoupled(p, with(&beside{}), math.NaN())
	rthstest.WantError(t, err, "coupled reference: step NaN s")
	_, err = NewCoupled(p, with(&beside{k: 1e18}), 1e-3)
	rthstest.WantError(t, err, "of structure and specimens needs")
}
