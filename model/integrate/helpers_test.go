package integrate

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"rths"
	"rths/kit/rthstest"
	"rths/maths/lti"
	"rths/model/structure"
)

// nearAll compares histories; tol is relative to the largest wanted value.
func nearAll(t rthstest.TB, what string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) || len(want) == 0 {
		t.Fatalf("%s has %d values: want %d, at least 1", what, len(got), len(want))
	}
	scale := largest(want)
	for i := range want {
		if !rthstest.Near(t, fmt.Sprintf("%s[%d]", what, i), got[i], want[i], tol*scale) {
			return
		}
	}
}

func largest(x []float64) float64 {
	most := 0.0
	for _, v := range x {
		most = max(most, math.Abs(v))
	}
	return most
}

func mustStructure(t rthstest.TB, m structure.Maker) *structure.Structure {
	t.Helper()
	s, err := m.Make()
	if err != nil {
		t.Fatalf("%v", err)
	}
	return s
}

// integrator is the interface of every kind: it shows all DOF and can be resumed.
type integrator interface {
	rths.Integrator
	rths.NumericalState
	rths.Stateful
}

func must(t rthstest.TB, m Maker, p *structure.Partition, h float64) integrator {
	t.Helper()
	made, err := m.Make(p, h)
	if err != nil {
		t.Fatalf("%v", err)
	}
	in, ok := made.(integrator)
	if !ok {
		t.Fatalf("%T: want an integrator that shows its state and can be resumed", made)
	}
	return in
}

// sdof is a single mass of 1000 kg with the given ω (rad/s) and ζ, which may be
// negative. Its one interface coordinate has no specimen.
func sdof(omega, zeta float64) *structure.Partition {
	const m = 1000
	return byHand(1, []float64{m}, []float64{2 * zeta * omega * m}, []float64{omega * omega * m},
		mat.NewDense(1, 1, []float64{m}), 0)
}

// byHand is a partition of n × n matrices given row by row.
func byHand(n int, m, c, k []float64, load *mat.Dense, iface ...int) *structure.Partition {
	return &structure.Partition{M: mat.NewDense(n, n, m), C: mat.NewDense(n, n, c), K: mat.NewDense(n, n, k), Load: load,
		Interface: iface}
}

// shearFrame is a frame of equal storeys, 1000 kg and 1e6 N/m, with 3 % in all
// modes; a specimen of nothing at floor 1 makes that the interface.
func shearFrame(t rthstest.TB, floors int) *structure.Partition {
	t.Helper()
	p := &structure.Shear{Damping: structure.Damping{ModalRatio: []float64{0.03}}}
	for range floors {
		p.Masses, p.Stiffnesses = append(p.Masses, 1000), append(p.Stiffnesses, 1e6)
	}
	part, err := mustStructure(t, p).Divide(0, 0, 0, 0)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return part
}

// benchmark is the partition of the single-actuator benchmark, case 1
// (docs/reference/benchmark-siso.md, Structure and Partition).
func benchmark(t rthstest.TB) *structure.Partition {
	t.Helper()
	p, err := mustStructure(t, &structure.Silva2020{Case: 1}).Divide(0, 29.13, 114.22, 1190e3)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return p
}

// drawMany draws n multiples of most/1000 between −most and most: a motion is
// zero or of a size that relative tolerances suit.
func drawMany(t *rapid.T, what string, n int, most float64) []float64 {
	out := make([]float64, n)
	for i, v := range rapid.SliceOfN(rapid.IntRange(-1000, 1000), n, n).Draw(t, what) {
		out[i] = most / 1000 * float64(v)
	}
	return out
}

// drawPartition draws a numerical part of 1 to 5 degrees of freedom with full
// matrices, nonclassical damping below 30 % or so, 1 to 3 ground components and
// any number of interface coordinates in any order.
func drawPartition(t *rapid.T) *structure.Partition {
	n := rapid.IntRange(1, 5).Draw(t, "n")
	comps := rapid.IntRange(1, 3).Draw(t, "components")
	m, k := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		m.Set(i, i, rapid.Float64Range(500, 2000).Draw(t, "mass"))
		s := rapid.Float64Range(1e5, 1e7).Draw(t, "storey")
		k.Set(i, i, k.At(i, i)+s)
		if i > 0 {
			k.Set(i-1, i-1, k.At(i-1, i-1)+s)
			k.Set(i, i-1, -s)
			k.Set(i-1, i, -s)
		}
	}
	change := identity(n)
	for i := range n {
		for j := i + 1; j < n; j++ {
			change.Set(i, j, rapid.Float64Range(-0.5, 0.5).Draw(t, "t"))
		}
	}
	c := mat.NewDense(n, n, nil)
	c.Scale(rapid.Float64Range(0, 1e-3).Draw(t, "b"), k)
	for i := range n { // dashpots to the ground
		c.Set(i, i, c.At(i, i)+rapid.Float64Range(0, 2000).Draw(t, "dashpot"))
	}
	p := &structure.Partition{
		M: product(change.T(), m, change), C: product(change.T(), c, change), K: product(change.T(), k, change),
		Load: mat.NewDense(n, comps, drawMany(t, "load", n*comps, 2000)),
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	p.Interface = rapid.Permutation(all).Draw(t, "interface")[:rapid.IntRange(0, n).Draw(t, "forces")]
	return p
}

// highest is the highest undamped frequency of a numerical part, rad/s.
func highest(t rthstest.TB, p *structure.Partition) float64 {
	t.Helper()
	modes, err := (&structure.Structure{N: p.N(), M: p.M, C: p.C, K: p.K}).Modes()
	if err != nil {
		t.Fatalf("%v", err)
	}
	return modes[len(modes)-1].Omega
}

func identity(n int) *mat.Dense {
	m := mat.NewDense(n, n, nil)
	for i := range n {
		m.Set(i, i, 1)
	}
	return m
}

func product(factors ...mat.Matrix) *mat.Dense {
	var out mat.Dense
	out.Product(factors...)
	return &out
}

// times is m·x.
func times(m mat.Matrix, x []float64) []float64 {
	var y mat.VecDense
	y.MulVec(m, mat.NewVecDense(len(x), x))
	return y.RawVector().Data
}

// solve is m⁻¹·b by elimination.
func solve(m mat.Matrix, b []float64) []float64 {
	var x mat.VecDense
	if err := x.SolveVec(m, mat.NewVecDense(len(b), b)); err != nil {
		panic(err)
	}
	return x.RawVector().Data
}

// combine is a[0] x[0] + a[1] x[1] + …
func combine(a []float64, x ...[]float64) []float64 {
	out := make([]float64, len(x[0]))
	for i, v := range x {
		for j := range out {
			out[j] += a[i] * v[j]
		}
	}
	return out
}

// pull is L g + e f: the forces that pull the numerical part back.
func pull(p *structure.Partition, ground, force []float64) []float64 {
	out := times(p.Load, ground)
	for i, d := range p.Interface {
		out[d] += force[i]
	}
	return out
}

// loads are random windows of ground acceleration and held forces.
type loads struct {
	ground []float64 // at half steps, component by component
	force  [][]float64
	comps  int
}

func drawLoads(t *rapid.T, p *structure.Partition, steps int) *loads {
	_, comps := p.Load.Dims()
	l := &loads{comps: comps, force: make([][]float64, steps)}
	l.ground = drawMany(t, "ground", (2*steps+1)*comps, 5)
	for k := range l.force {
		l.force[k] = drawMany(t, "force", len(p.Interface), 1e4)
	}
	return l
}

// window is Frame.Ground at tick k.
func (l *loads) window(k int) []float64 { return l.ground[2*k*l.comps : (2*k+3)*l.comps] }

// at is the ground acceleration at t_k + part·h/2.
func (l *loads) at(k, part int) []float64 { return l.window(k)[part*l.comps : (part+1)*l.comps] }

// instant has the results of one step.
type instant struct{ target, state rths.Motion }

func copyOf(m *rths.Motion) rths.Motion {
	return rths.Motion{X: append([]float64(nil), m.X...), V: append([]float64(nil), m.V...),
		A: append([]float64(nil), m.A...)}
}

// run steps an integrator through all loads.
func run(in integrator, l *loads, interfaces int) []instant {
	target := rths.NewMotion(interfaces)
	out := make([]instant, len(l.force))
	for k, f := range l.force {
		in.Step(&target, l.window(k), &rths.Reading{F: f})
		derive(in, &target)
		out[k] = instant{copyOf(&target), copyOf(in.State())}
	}
	return out
}

// shake steps an integrator of one interface coordinate under a ground
// acceleration of one component given as a function of time, without interface
// force, and returns the displacement of all DOF at every step.
func shake(in integrator, h float64, steps int, ground func(t float64) float64) (x [][]float64) {
	target, felt := rths.NewMotion(1), rths.NewReading(1, 1)
	for k := range steps {
		t := float64(k) * h
		in.Step(&target, []float64{ground(t), ground(t + h/2), ground(t + h)}, &felt)
		x = append(x, append([]float64(nil), in.State().X...))
	}
	return x
}

// resting is a ground that does not move.
func resting(float64) float64 { return 0 }

// iteration is the matrix that takes the state of an integrator of p over a
// step without loads, found by stepping from unit vectors.
func iteration(in integrator, p *structure.Partition) *mat.Dense {
	n, interfaces := len(rths.AppendState(nil, in)), len(p.Interface)
	_, comps := p.Load.Dims()
	m := mat.NewDense(n, n, nil)
	target, felt := rths.NewMotion(interfaces), rths.NewReading(interfaces, interfaces)
	for j := range n {
		start := make([]float64, n)
		start[j] = 1
		rths.SetState(start, in)
		in.Step(&target, make([]float64, 3*comps), &felt)
		m.SetCol(j, rths.AppendState(nil, in))
	}
	return m
}

func radius(t rthstest.TB, m *mat.Dense) float64 {
	t.Helper()
	r, err := lti.SpectralRadius(m)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return r
}

// slope is the order of a method by its errors with steps of h and h/2.
func slope(coarse, fine float64) float64 { return math.Log2(coarse / fine) }

// rms is the root mean square of the difference of two histories.
func rms(got, want [][]float64) float64 {
	sum, n := 0.0, 0
	for k := range want {
		for i := range want[k] {
			sum += math.Pow(got[k][i]-want[k][i], 2)
			n++
		}
	}
	return math.Sqrt(sum / float64(n))
}

// derive asks for the rates of the step just made, as a loop does when a part
// uses them.
func derive(in rths.Integrator, target *rths.Motion) {
	if d, ok := rths.As[rths.Deriver](in); ok {
		d.Derive(target)
	}
}

// startAt has an integrator start with displacement x and velocity v. After x its state holds
// the numbers of which the shown velocity is a linear function.
func startAt(t rthstest.TB, in integrator, still *loads, interfaces int, x, v []float64) {
	t.Helper()
	n := len(x)
	shown := func(z []float64) []float64 {
		rths.SetState(z, in)
		return run(in, still, interfaces)[0].state.V
	}
	state := append(append([]float64(nil), x...), make([]float64, n)...)
	missing := mat.NewVecDense(n, combine([]float64{1, -1}, v, shown(state)))
	columns := mat.NewDense(n, n, nil)
	for j := range n {
		unit := make([]float64, 2*n)
		unit[n+j] = 1
		columns.SetCol(j, shown(unit))
	}
	var y mat.VecDense
	if err := y.SolveVec(columns, missing); err != nil {
		t.Fatalf("velocity of the state: %v", err)
	}
	copy(state[n:], y.RawVector().Data)
	rths.SetState(state, in)
}
