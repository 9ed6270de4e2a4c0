package integrate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/kit/rthstest"
	"rths/maths/lti"
	"rths/model/structure"
)

// foundation is the foundation of paper 003 with nx × ny elements, Rayleigh
// damping, without a specimen.
func foundation(t rthstest.TB, nx, ny int) *structure.Structure {
	t.Helper()
	for _, kind := range structure.Kinds {
		if kind.Name == "fe-foundation" {
			p := kind.Defaults().(*structure.FEFoundation)
			p.NX, p.NY = nx, ny
			return mustStructure(t, p)
		}
	}
	t.Fatalf("no fe-foundation among the structures")
	return nil
}

// both are a numerical part as sparse and as dense matrices: with a specimen of
// mass, damping and stiffness taken out, a force history and a second component
// of ground motion.
func both(t rthstest.TB, s *structure.Structure) (sparse, dense *structure.Partition) {
	t.Helper()
	vertical := make([]float64, s.N)
	for i := range vertical {
		vertical[i] = 1 - s.Gamma.At(i, 0)
	}
	if err := s.Shake(vertical); err != nil {
		t.Fatalf("%v", err)
	}
	if err := s.Push(5); err != nil {
		t.Fatalf("%v", err)
	}
	var parts []*structure.Partition
	for _, form := range []*structure.Structure{s, s.Dense()} {
		p, err := form.Divide(s.Interface, 5e3, 2e5, 3e7)
		if err != nil {
			t.Fatalf("%v", err)
		}
		p.Interface = append(p.Interface, 1) // and a force somewhere else
		parts = append(parts, p)
	}
	return parts[0], parts[1]
}

// sparseMakers are the methods that step a sparse numerical part, with a stable
// step for the foundation of paper 003, whose highest frequency is 94 Hz.
var sparseMakers = []struct {
	m Maker
	h float64
}{
	{&CR{}, 40.0 / 2048}, {&CR{}, 1.0 / 2048}, {&Gui{Lambda: 3}, 40.0 / 2048}, {&Gui{Lambda: 11.5}, 1.0 / 2048},
	{&NewmarkExplicit{}, 1.0 / 1024}, {&CentralDifference{}, 1.0 / 1024}, {&RK4{}, 1.0 / 2048},
	{&AverageAcceleration{}, 40.0 / 2048}, {&AverageAcceleration{}, 1.0 / 2048},
}

func randomLoads(seed uint64, steps, comps, forces int) *loads {
	r := rand.New(rand.NewPCG(seed, 9))
	l := &loads{comps: comps, ground: make([]float64, (2*steps+1)*comps), force: make([][]float64, steps)}
	for i := range l.ground {
		l.ground[i] = r.NormFloat64()
	}
	for k := range l.force {
		for range forces {
			l.force[k] = append(l.force[k], 1e5*r.NormFloat64())
		}
	}
	return l
}

// Step by step the sparse form is the dense one, of the 234 degrees of freedom
// of paper 003 (176 free): targets, states and their rates to 1e-10.
func TestBandedIsOneStep(t *testing.T) {
	sparse, dense := both(t, foundation(t, 12, 8))
	const steps = 60
	l := randomLoads(1, steps, 3, 2)
	for _, c := range sparseMakers {
		name := fmt.Sprintf("%T %+v, step %g s", c.m, c.m, c.h)
		sameMotion(t, name, run(must(t, c.m, sparse, c.h), l, 2), run(must(t, c.m, dense, c.h), l, 2), 1e-10)
	}
}

// sameMotion compares displacements, velocities and accelerations of target and state.
func sameMotion(t rthstest.TB, name string, got, want []instant, tol float64) {
	t.Helper()
	for _, part := range []struct {
		what string
		of   func(instant) []float64
	}{
		{"target displacement", func(i instant) []float64 { return i.target.X }},
		{"target velocity", func(i instant) []float64 { return i.target.V }},
		{"target acceleration", func(i instant) []float64 { return i.target.A }},
		{"displacement", func(i instant) []float64 { return i.state.X }},
		{"velocity", func(i instant) []float64 { return i.state.V }},
		{"acceleration", func(i instant) []float64 { return i.state.A }},
	} {
		var g, w []float64
		for k := range want {
			g, w = append(g, part.of(got[k])...), append(w, part.of(want[k])...)
		}
		nearAll(t, name+": "+part.what, g, w, tol)
	}
}

// narrowFrame is a random shear frame with Rayleigh damping as sparse matrices, and
// the same as dense ones: with a specimen taken out of a floor, a second component of
// the ground motion and a force.
func narrowFrame(t rthstest.TB, seed uint64, floors int) (sparse, dense *structure.Partition) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	p := &structure.Shear{Damping: structure.Damping{Rayleigh: &structure.Rayleigh{Ratio: 0.03, FreqHz: []float64{1, 10}}}}
	for range floors {
		p.Masses, p.Stiffnesses = append(p.Masses, 1e4+1e4*r.Float64()), append(p.Stiffnesses, 1e8+9e8*r.Float64())
	}
	s := mustStructure(t, p)
	if s.Sparse == nil {
		s = sparseFrame(s)
	}
	s.Interface = r.IntN(floors)
	return both(t, s)
}

// sparseFrame is a small frame, which has dense matrices, as sparse ones.
func sparseFrame(s *structure.Structure) *structure.Structure {
	a1 := s.C.At(0, 1) / s.K.At(0, 1)
	out := &structure.Sparse{A1: a1}
	var k []lti.Entry
	for i := range s.N {
		out.M, out.C = append(out.M, s.M.At(i, i)), append(out.C, s.C.At(i, i)-a1*s.K.At(i, i))
		for j := max(0, i-1); j <= min(i+1, s.N-1); j++ {
			k = append(k, lti.Entry{Row: i, Col: j, V: s.K.At(i, j)})
		}
	}
	out.K = lti.NewCSR(s.N, k)
	return &structure.Structure{N: s.N, Sparse: out, Gamma: s.Gamma}
}

// Step by step a frame's band gives what the dense matrix of a step gives, to 1e-12
// of the peak, by every method.
func TestFrameIsOneStep(t *testing.T) {
	rthstest.Long(t)
	const steps = 120
	l := randomLoads(3, steps, 3, 2)
	for seed, floors := range []int{30, 101, 200}[:rthstest.Draws(2, 3)] {
		sparse, dense := narrowFrame(t, uint64(seed), floors)
		for _, k := range Kinds {
			name := fmt.Sprintf("%s, %d storeys", k.Name, floors)
			m := k.Defaults()
			if strings.HasSuffix(k.Name, "kr-alpha") {
				if _, err := m.Make(sparse, 1.0/1024); err == nil || !strings.Contains(err.Error(), "want reduce") {
					t.Errorf("%s: %v: want sparse matrices refused", name, err)
				}
				continue
			}
			sameMotion(t, name, run(must(t, m, sparse, 1.0/1024), l, 2), run(must(t, m, dense, 1.0/1024), l, 2), 1e-12)
		}
	}
}

// Released from a displacement, the sparse form goes as the dense one; Derive may
// be asked twice.
func TestBandedStarts(t *testing.T) {
	sparse, dense := both(t, foundation(t, 4, 3))
	x := make([]float64, sparse.N())
	for i := range x {
		x[i] = 1e-3 * math.Sin(float64(i))
	}
	for _, c := range sparseMakers {
		a, b := must(t, c.m, sparse, c.h), must(t, c.m, dense, c.h)
		if a.Closing() {
			continue // not for a structure that is released
		}
		for _, in := range []integrator{a, b} {
			if err := in.(Starter).Start(x, []float64{1e5, -2e4}); err != nil {
				t.Fatal(err)
			}
		}
		l := randomLoads(2, 20, 3, 2)
		var got, want []float64
		for _, now := range run(a, l, 2) {
			got = append(got, now.state.X...)
		}
		for _, now := range run(b, l, 2) {
			want = append(want, now.state.X...)
		}
		nearAll(t, fmt.Sprintf("%T", c.m), got, want, 1e-10)
		once, twice := rths.NewMotion(2), rths.NewMotion(2)
		a.(rths.Deriver).Derive(&once)
		a.(rths.Deriver).Derive(&twice)
		if !slices.Equal(once.V, twice.V) || !slices.Equal(once.A, twice.A) {
			t.Errorf("%T: rates %g, %g, the second time %g, %g", c.m, once.V, once.A, twice.V, twice.A)
		}
	}
}

// The stability limit equals the dense form's, to the accuracy of the highest frequency.
func TestBandedLimit(t *testing.T) {
	sparse, dense := both(t, foundation(t, 12, 8))
	for _, m := range []Maker{&NewmarkExplicit{}, &CentralDifference{}, &Gui{Lambda: 6}, &Gui{Lambda: 40}} {
		got, want := refused(t, m, sparse, 0.1), refused(t, m, dense, 0.1)
		rthstest.Near(t, fmt.Sprintf("%T: limit", m), got.Limit/want.Limit, 1, 1e-11)
		rthstest.Near(t, fmt.Sprintf("%T: frequency", m), got.HighestHz/want.HighestHz, 1, 1e-11)
		if got.Method != want.Method {
			t.Errorf("method %q: want %q", got.Method, want.Method)
		}
		must(t, m, sparse, got.Limit*(1-1e-9))
		if _, err := m.Make(sparse, got.Limit*(1+1e-9)); err == nil {
			t.Errorf("%T: a step just beyond the limit is not refused", m)
		}
	}
}

// The limit of Runge and Kutta's method equals the dense form's without a specimen. With a
// specimen, whose dashpot is taken out of one place, it is a little below.
func TestSparseRK4Limit(t *testing.T) {
	s := foundation(t, 12, 8)
	alone := refused(t, &RK4{}, s.Undivided(), 0.1)
	want := refused(t, &RK4{}, s.Dense().Undivided(), 0.1)
	rthstest.Near(t, "limit", alone.Limit/want.Limit, 1, 1e-9)
	rthstest.Near(t, "frequency", alone.HighestHz/want.HighestHz, 1, 1e-9)
	sparse, dense := both(t, s)
	got, want := refused(t, &RK4{}, sparse, 0.1), refused(t, &RK4{}, dense, 0.1)
	if r := got.Limit / want.Limit; !(r <= 1 && r > 0.999) {
		t.Errorf("limit is %g times the limit with dense matrices: want 0.999 to 1", r)
	}
	must(t, &RK4{}, sparse, got.Limit*(1-1e-9))
}

// What needs dense matrices says so, and a matrix that has no factor.
func TestSparseRefused(t *testing.T) {
	s := foundation(t, 4, 3)
	p := s.Undivided()
	_, err := NewReference(s, 1e-3)
	rthstest.WantError(t, err, "18 degrees of freedom held as a sparse one")
	p.Sparse.M[3] = -1e9
	_, err = (&CR{}).Make(p, 1e-6)
	rthstest.WantError(t, err, "cr: numerical part: band matrix: row 4")
	_, err = (&AverageAcceleration{}).Make(p, 1e-6)
	rthstest.WantError(t, err,
		"average-acceleration: K + 4/h² M + 2/h C is singular: a coordinate with neither mass, damping nor stiffness: band "+
			"matrix: row 4")
}

// A large foundation, which no dense matrix of a step would suit, shaken and
// left alone: it stays stable at a long step and comes to rest.
func TestLargeFoundation(t *testing.T) {
	s := foundation(t, 62, 41)
	p, err := s.Divide(s.Interface, 0, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if p.N() != 5002 {
		t.Fatalf("%d degrees of freedom: want 5002", p.N())
	}
	in := must(t, &CR{}, p, 1.0/64)
	target, felt := rths.NewMotion(1), rths.NewReading(1, 1)
	most, end := 0.0, 0.0
	for k := range 600 {
		w := 0.0
		if k < 64 {
			w = math.Sin(2 * math.Pi * float64(k) / 32)
		}
		in.Step(&target, []float64{w, w, w}, &felt)
		most, end = max(most, math.Abs(target.X[0])), math.Abs(target.X[0])
	}
	if !(most > 1e-5 && end < 1e-3*most) {
		t.Errorf("largest displacement %g m, at the end %g m: want a motion that dies away", most, end)
	}
}

func TestBandedDoesNotAllocate(t *testing.T) {
	sparse, _ := both(t, foundation(t, 12, 8))
	target, felt, window := rths.NewMotion(2), rths.NewReading(2, 2), make([]float64, 9)
	for _, c := range sparseMakers {
		in := must(t, c.m, sparse, c.h)
		saved, v := make([]float64, 0, 3*sparse.N()), new(rths.StateVisitor)
		rthstest.NoAllocation(t, func() {
			in.Step(&target, window, &felt)
			in.(rths.Deriver).Derive(&target)
			v.Restore(v.Append(saved, in), in)
		})
	}
}

// Without stiffness-proportional damping Newmark's explicit method solves with a
// diagonal matrix.
func TestBandwidthOfExplicitMethods(t *testing.T) {
	s := foundation(t, 12, 8)
	for _, c := range []struct {
		m    Maker
		want int
	}{{&CR{}, 19}, {&NewmarkExplicit{}, 19}} {
		if k := must(t, c.m, s.Undivided(), 1e-4).(*Banded).HalfBandwidth(); k != c.want {
			t.Errorf("%T: half bandwidth %d: want %d", c.m, k, c.want)
		}
	}
	s.Sparse.A1 = 0
	if k := must(t, &NewmarkExplicit{}, s.Undivided(), 1e-4).(*Banded).HalfBandwidth(); k != 0 {
		t.Errorf("half bandwidth %d: want 0", k)
	}
}

// Free vibration in the lowest mode of a sparse part: the displacement's error
// falls with the square of the step.
func TestBandedIsOfOrder2(t *testing.T) {
	s := foundation(t, 6, 4)
	s.Sparse.A1 = 0
	clear(s.Sparse.C)
	modes, err := s.Dense().Modes()
	if err != nil {
		t.Fatal(err)
	}
	mode := modes[0]
	for _, m := range []Maker{&CR{}, &Gui{Lambda: 11.5}, &NewmarkExplicit{}, &CentralDifference{}} {
		worst := func(h float64) (e float64) {
			p := s.Undivided()
			p.Load = mat.NewDense(s.N, 1, nil)
			in := must(t, m, p, h)
			if err := in.(Starter).Start(mode.Shape, nil); err != nil {
				t.Fatal(err)
			}
			target, felt := rths.Motion{}, rths.Reading{}
			for k := range int(0.5 / h) {
				in.Step(&target, []float64{0, 0, 0}, &felt)
				now := in.State().X
				for i, v := range mode.Shape {
					e = max(e, math.Abs(now[i]-v*math.Cos(mode.Omega*h*float64(k)))/largest(mode.Shape))
				}
			}
			return e
		}
		rthstest.Near(t, fmt.Sprintf("%T: order", m), slope(worst(1.0/2048), worst(1.0/4096)), 2, 0.05)
	}
}
