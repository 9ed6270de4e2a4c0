package structure

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths/kit/rthstest"
	"rths/maths/lti"
)

// response is the displacement of some degrees of freedom under a load, by the whole complex
// system (K − ω²M + iωC) u = f, real and imaginary parts one below the other. Nothing of the
// reduction is in it.
func response(t rthstest.TB, s *Structure, load []float64, omega float64, at []int) []complex128 {
	t.Helper()
	d := s.Dense()
	n := d.N
	a, b, u := mat.NewDense(2*n, 2*n, nil), mat.NewVecDense(2*n, nil), mat.NewVecDense(2*n, nil)
	for i := range n {
		b.SetVec(i, load[i])
		for j := range n {
			stiff, damp := d.K.At(i, j)-omega*omega*d.M.At(i, j), omega*d.C.At(i, j)
			a.Set(i, j, stiff)
			a.Set(n+i, n+j, stiff)
			a.Set(i, n+j, -damp)
			a.Set(n+i, j, damp)
		}
	}
	if err := u.SolveVec(a, b); err != nil {
		t.Fatalf("%g rad/s: %v", omega, err)
	}
	out := make([]complex128, len(at))
	for i, dof := range at {
		out[i] = complex(u.AtVec(dof), u.AtVec(n+dof))
	}
	return out
}

// loadsOf are the loads of unit forces at some degrees of freedom, then of the ground motion.
func loadsOf(s *Structure, at []int) (out [][]float64) {
	for _, dof := range at {
		f := make([]float64, s.N)
		f[dof] = 1
		out = append(out, f)
	}
	load := s.load()
	_, components := s.Gamma.Dims()
	for j := range components {
		f := mat.Col(nil, j, load)
		scaleTo(f, -1)
		out = append(out, f)
	}
	return out
}

// misses is the error of a reduction at a frequency, by whole complex systems, in %: the largest of
// all outputs and actions.
func misses(t rthstest.TB, s *Structure, r *Reduced, outputs int, omega float64) float64 {
	t.Helper()
	own := make([]int, len(r.Kept))
	for i := range own {
		own[i] = i
	}
	most := 0.0
	short := loadsOf(r.Structure, own)
	for i, load := range loadsOf(s, r.Kept) {
		want, got := response(t, s, load, omega, r.Kept[:outputs]), response(t, r.Structure, short[i], omega, own[:outputs])
		for j, v := range want {
			most = max(most, 100*cmplx.Abs(got[j]-v)/cmplx.Abs(v))
		}
	}
	return most
}

// frame is a shear frame of n floors with uneven masses and storeys.
func frame(t rthstest.TB, n int, damping Damping) *Structure {
	t.Helper()
	p := &Shear{Damping: damping}
	for i := range n {
		p.Masses = append(p.Masses, 1000*(1+0.3*math.Sin(float64(i))))
		p.Stiffnesses = append(p.Stiffnesses, 1e7*(1+0.3*math.Cos(float64(2*i))))
	}
	return mustMake(t, p)
}

func ground(t rthstest.TB, nx, ny int) *Structure {
	t.Helper()
	p := newFEFoundation()
	p.NX, p.NY, p.Modulus = nx, ny, 4e8
	return mustMake(t, p)
}

// random is a structure with full matrices, whose damping is not proportional.
func random(seed uint64, n int) *Structure {
	r := rand.New(rand.NewPCG(seed, 7))
	definite := func(size, least float64) *mat.Dense {
		a := mat.NewDense(n, n, nil)
		for i := range n {
			for j := range n {
				a.Set(i, j, r.NormFloat64()/math.Sqrt(float64(n)))
			}
		}
		out := product(a, a.T())
		for i := range n {
			out.Set(i, i, out.At(i, i)+least)
		}
		out.Scale(size, out)
		return out
	}
	s := &Structure{N: n, M: definite(100, 1), K: definite(1e5, 0.01), C: definite(40, 0), Gamma: Ones(n)}
	for i := range n {
		s.Gamma.Set(i, 0, r.NormFloat64())
	}
	return s
}

func mustReduce(t rthstest.TB, s *Structure, keep []int, modes int, upToHz float64) *Reduced {
	t.Helper()
	r, err := s.Reduce(Reduction{Keep: keep, Modes: modes, UpToHz: upToHz})
	if err != nil {
		t.Fatalf("%v", err)
	}
	return r
}

// reduceAnyway is a reduction whatever its error.
func reduceAnyway(t rthstest.TB, s *Structure, keep []int, modes int, upToHz float64) *Reduced {
	t.Helper()
	in, err := newInside(s, keep)
	if err != nil {
		t.Fatalf("%v", err)
	}
	g, hz, cut, err := craigBampton(in, keep, modes)
	if err != nil {
		t.Fatalf("%v", err)
	}
	r := &Reduced{Structure: g.reduced(keep), From: s.N, Kept: keep, Hz: hz, Cut: cut, UpToHz: upToHz}
	c := &comparison{g: g, in: in, n: len(g.t), outputs: len(keep), top: 2 * math.Pi * upToHz}
	_ = c.judge(r) // the error is wanted, not the verdict
	return r
}

var reductions = []struct {
	name   string
	make   func(t rthstest.TB) *Structure
	keep   []int
	modes  int
	upToHz float64
}{
	{"dense frame", func(t rthstest.TB) *Structure { return frame(t, 40, Damping{ModalRatio: []float64{0.02}}) }, []int{0},
		12, 10},
	{"small error", func(t rthstest.TB) *Structure { return frame(t, 40, Damping{ModalRatio: []float64{0.02}}) }, []int{0},
		30, 5},
	{"frame held in the middle", func(t rthstest.TB) *Structure {
		return frame(t, 60,
			Damping{ModalRatio: []float64{0.03}})
	}, []int{29}, 20, 8},
	{"band frame, two degrees of freedom",
		func(t rthstest.TB) *Structure { return frame(t, 150, Damping{Rayleigh: &Rayleigh{Ratio: 0.02}}) }, []int{70, 3}, 30,
		4},
	{"foundation", func(t rthstest.TB) *Structure { return ground(t, 12, 8) }, []int{104}, 30, 12},
	{"random, damping not proportional", func(rthstest.TB) *Structure { return random(1, 60) }, []int{5, 20}, 25, 1.5},
	{"random, one degree of freedom", func(rthstest.TB) *Structure { return random(2, 120) }, []int{0}, 40, 1.2},
	{"frame with a dashpot", func(t rthstest.TB) *Structure {
		s := frame(t, 50, Damping{Rayleigh: &Rayleigh{Ratio: 0.01}})
		s.C.Set(30, 30, s.C.At(30, 30)+3e4)
		return s
	}, []int{10}, 15, 8},
}

// The error stated is the largest of whole complex systems at many frequencies, and is
// reached where it says.
func TestReductionStatesItsError(t *testing.T) {
	for _, c := range reductions {
		t.Run(c.name, func(t *testing.T) {
			s := c.make(t)
			r := reduceAnyway(t, s, c.keep, c.modes, c.upToHz)
			t.Logf("%s", r)
			rthstest.Near(t, "error where it is largest, %", misses(t, s, r, len(c.keep), 2*math.Pi*r.AtHz), r.ErrorPct,
				0.02*r.ErrorPct+1e-6)
			for i := range rthstest.Draws(8, 50) {
				hz := c.upToHz * (float64(i) + 0.5) / float64(rthstest.Draws(8, 50))
				if got := misses(t, s, r, len(c.keep), 2*math.Pi*hz); got > 1.01*r.ErrorPct+1e-6 {
					t.Errorf("error of %.4g %% at %g Hz: %.4g %% is stated for up to %g Hz", got, hz, r.ErrorPct, c.upToHz)
				}
			}
		})
	}
}

// The same on random structures, so that the error is seen between 0.001 and 100 %.
func TestReductionStatesItsErrorOfRandomStructures(t *testing.T) {
	for seed := range uint64(rthstest.Draws(4, 30)) {
		s := random(seed+10, 20+int(seed%5)*10)
		modes := 4 + int(seed%7)
		in, err := newInside(s, []int{3})
		if err != nil {
			t.Fatalf("%v", err)
		}
		omega, _, err := in.modes(modes)
		if err != nil {
			t.Fatalf("%v", err)
		}
		top := omega[modes-1] / (2 * math.Pi)
		r := reduceAnyway(t, s, []int{3}, modes, 0.9*top)
		rthstest.Near(t, fmt.Sprintf("seed %d: error at %g Hz, %%", seed, r.AtHz), misses(t, s, r, 1, 2*math.Pi*r.AtHz),
			r.ErrorPct, 0.02*r.ErrorPct)
		for i := range 40 {
			if got := misses(t, s, r, 1, 2*math.Pi*0.9*top*float64(i+1)/40); got > 1.01*r.ErrorPct {
				t.Errorf("seed %d: %g %% at step %d: %g %% are stated", seed, got, i, r.ErrorPct)
			}
		}
	}
}

// Resonances of a structure of little damping are narrow, and the error is largest there.
func TestReductionStatesItsErrorAtResonances(t *testing.T) {
	for _, ratio := range []float64{3e-4, 2e-3} {
		for _, c := range []struct {
			keep   []int
			modes  int
			upToHz float64
		}{{[]int{29}, 14, 5}, {[]int{10, 30}, 20, 8}, {[]int{39}, 25, 12}}[:rthstest.Draws(1, 3)] {
			s := frame(t, 40, Damping{ModalRatio: []float64{ratio}})
			r := reduceAnyway(t, s, c.keep, c.modes, c.upToHz)
			for _, m := range append(mustModes(t, s), mustModes(t, r.Structure)...) {
				for k := -3; k <= 3; k++ {
					hz := m.FreqHz * (1 + float64(k)*ratio/2)
					if got := misses(t, s, r, len(c.keep), 2*math.Pi*min(hz, c.upToHz)); got > 1.01*r.ErrorPct {
						t.Errorf("damping ratio %g: error of %.4g %% at %g Hz: %.4g %% is stated", ratio, got, hz, r.ErrorPct)
					}
				}
			}
		}
	}
}

// clamped is equal masses between equal springs, fixed at both ends, whose modes with the middle
// held come in pairs of equal frequency, each beside a natural mode of the structure.
func clamped(t rthstest.TB, n int) *Structure {
	t.Helper()
	k := diagonal(n, func(int) float64 { return 4e7 })
	for i := range n - 1 {
		k.Set(i, i+1, -2e7)
		k.Set(i+1, i, -2e7)
	}
	m := diagonal(n, func(int) float64 { return 1000 })
	return mustMake(t, &Matrices{Mass: Rows(rowsOf(m)), Stiffness: Rows(rowsOf(k)),
		Damping: Damping{ModalRatio: []float64{0.05}}})
}

// Frequencies of the grid that are some rounding apart end the search all the same.
func TestReductionOfSymmetricChainsEnds(t *testing.T) {
	for _, c := range []struct {
		n, modes int
		upToHz   float64
	}{{21, 9, 4}, {41, 13, 6.75}, {41, 20, 9.19}, {61, 30, 9.3}, {81, 40, 15.6}, {81, 54, 19.3}, {99, 33, 11.5}} {
		s := clamped(t, c.n)
		in, err := newInside(s, []int{c.n / 2})
		if err != nil {
			t.Fatal(err)
		}
		omega, _, err := in.modes(c.modes)
		if err != nil {
			t.Fatal(err)
		}
		upToHz := min(c.upToHz, omega[c.modes-1]/(2*math.Pi))
		r := reduceAnyway(t, s, []int{c.n / 2}, c.modes, upToHz)
		t.Logf("%d masses: %s", c.n, r)
		if c.n > 41 {
			continue
		}
		for i := range 20 {
			hz := upToHz * float64(i+1) / 20
			if got := misses(t, s, r, 1, 2*math.Pi*hz); got > 1.01*r.ErrorPct {
				t.Errorf("%d masses: error of %.4g %% at %g Hz: %.4g %% is stated", c.n, got, hz, r.ErrorPct)
			}
		}
		rthstest.Near(t, fmt.Sprintf("%d masses: error, %%", c.n), misses(t, s, r, 1, 2*math.Pi*r.AtHz), r.ErrorPct,
			0.02*r.ErrorPct)
	}
}

// free is equal masses between equal springs and dashpots, held by nothing.
func free(t rthstest.TB, n int) *Structure {
	t.Helper()
	of := func(storey float64) [][]float64 {
		a := diagonal(n, func(i int) float64 { return storey * float64(min(1, i)+min(1, n-1-i)) })
		for i := range n - 1 {
			a.Set(i, i+1, -storey)
			a.Set(i+1, i, -storey)
		}
		return rowsOf(a)
	}
	m := diagonal(n, func(int) float64 { return 2000 })
	return mustMake(t, &Matrices{Mass: Rows(rowsOf(m)), Stiffness: Rows(of(4e6)), Damping: Damping{Matrix: Rows(of(4e3))}})
}

// A structure that moves as a rigid body on its one interface has no static stiffness there, and an
// error all the same.
func TestReductionOfAFreeStructure(t *testing.T) {
	for _, c := range []struct {
		keep   []int
		modes  int
		upToHz float64
		want   float64 // %, by whole complex systems at 6000 frequencies
	}{{[]int{0}, 2, 4, 37.2}, {[]int{0}, 3, 7, 8.9}, {[]int{2}, 3, 7, 27.8}, {[]int{5}, 3, 7, 8.9},
		{[]int{0, 5}, 3, 5, 0}} {
		s := free(t, 6)
		r := reduceAnyway(t, s, c.keep, c.modes, c.upToHz)
		t.Logf("%s", r)
		if c.want > 0 {
			rthstest.Near(t, "error, %", r.ErrorPct, c.want, 0.1)
			_, err := s.Reduce(Reduction{Keep: c.keep, Modes: c.modes, UpToHz: c.upToHz})
			rthstest.WantError(t, err, "the largest error is")
		}
		statesIt(t, s, r, len(c.keep))
	}
}

// statesIt fails unless the error of a reduction is what whole complex systems give where it says, and
// nowhere larger.
func statesIt(t rthstest.TB, s *Structure, r *Reduced, outputs int) {
	t.Helper()
	rthstest.Near(t, "error where it is largest, %", misses(t, s, r, outputs, 2*math.Pi*r.AtHz), r.ErrorPct,
		0.02*r.ErrorPct)
	for i := range 50 {
		hz := r.UpToHz * float64(i+1) / 50
		if got := misses(t, s, r, outputs, 2*math.Pi*hz); got > 1.01*r.ErrorPct+1e-6 {
			t.Errorf("error of %.4g %% at %g Hz: %.4g %% is stated", got, hz, r.ErrorPct)
		}
	}
}

// Each degree of freedom of the interface is judged by itself: one that moves little beside
// another may be far off.
func TestEachDegreeOfFreedomIsJudged(t *testing.T) {
	for _, c := range []struct {
		first  float64 // storey, N/m
		keep   []int
		modes  int
		upToHz float64
		want   float64 // %; 0: which modes are kept, and with them the error, depends on rounding
		where  string
	}{
		{2e9, []int{0, 14}, 6, 1.6, 15.9, "at 1.49 Hz, degree of freedom 1 per unit of ground acceleration"},
		{4e6, []int{9, 29}, 8, 2, 0,
			"(the first mode left out has the frequency of the highest kept: which of them are kept depends on rounding): " +
				"want " +
				"more modes"},
	} {
		p := &Shear{Masses: slices.Repeat([]float64{2e3}, 30), Stiffnesses: slices.Repeat([]float64{4e6}, 30),
			Damping: Damping{ModalRatio: []float64{0.02}}}
		p.Stiffnesses[0] = c.first
		s := mustMake(t, p)
		_, err := s.Reduce(Reduction{Keep: c.keep, Modes: c.modes, UpToHz: c.upToHz})
		rthstest.WantError(t, err, c.where)
		r := reduceAnyway(t, s, c.keep, c.modes, c.upToHz)
		t.Logf("%s", r)
		if c.want > 0 {
			rthstest.Near(t, "error, %", r.ErrorPct, c.want, 0.2)
		}
		statesIt(t, s, r, 2)
	}
}

// Beside a degree of freedom that an action does not move by symmetry, others are judged: a foundation
// whose middle is pushed upwards does not go sideways, but for rounding.
func TestSymmetryIsNoError(t *testing.T) {
	s := ground(t, 12, 8)
	r := mustReduce(t, s, []int{s.Interface, s.Interface + 1}, 30, 5)
	if !(r.ErrorPct > 0.05 && r.ErrorPct < 1) {
		t.Errorf("%s: want a small error", r)
	}
	in, err := newInside(s, []int{s.Interface})
	if err != nil {
		t.Fatal(err)
	}
	g, hz, _, err := craigBampton(in, []int{s.Interface}, 5)
	if err != nil {
		t.Fatal(err)
	}
	err = (&comparison{g: g, in: in, n: len(g.t), top: 10}).judge(&Reduced{Hz: hz})
	rthstest.WantError(t, err, "no force and no ground motion moves the interface")
}

// Modes that end within some of equal frequency are told: which are kept hangs on the search.
func TestReductionSaysWhereItCutsEqualModes(t *testing.T) {
	for _, c := range []struct {
		s     *Structure
		keep  int
		modes int
		cut   bool
	}{
		{clamped(t, 21), 10, 9, true}, {clamped(t, 21), 10, 10, false}, {star(3, 50, 1e-3), 0, 7, true},
		{star(3, 50, 1e-3), 0, 8, true}, {star(3, 50, 1e-3), 0, 9, false},
		{star(2, 80, 1e-3), 0, 21, true}, {star(2, 80, 1e-3), 0, 22, false}, {frame(t, 40, Damping{}), 3, 7, false},
		{clamped(t, 21), 10, 20, false},
	} {
		r := reduceAnyway(t, c.s, []int{c.keep}, c.modes, 0.5)
		if r.Cut != c.cut || len(r.Hz) != c.modes || strings.Contains(strings.Join(r.Notes(), "\n"),
			"depend on rounding") != c.cut {
			t.Errorf("%d of %d: %q, cut %v: want %v", c.modes, c.s.N, r.Notes(), r.Cut, c.cut)
		}
	}
}

// An error that is not seen is not given a place.
func TestSmallErrorHasNoPlace(t *testing.T) {
	s := frame(t, 12, Damping{Rayleigh: &Rayleigh{Ratio: 0.05}})
	text := reduceAnyway(t, s, []int{4}, 11, 1).String()
	if !strings.HasSuffix(text, "up to 1 Hz: below 0.001 %") {
		t.Error(text)
	}
}

// With all modes the reduction is a change of coordinates: responses and frequencies are those of the
// structure.
func TestAllModesAreTheStructure(t *testing.T) {
	for _, s := range []*Structure{frame(t, 12, Damping{ModalRatio: []float64{0.05}}), random(3, 15),
		frame(t, 110, Damping{Rayleigh: &Rayleigh{Ratio: 0.05}})} {
		keep := []int{4, 1}
		r := reduceAnyway(t, s, keep, s.N-2, 1)
		if r.N != s.N {
			t.Fatalf("%d degrees of freedom: want %d", r.N, s.N)
		}
		for _, omega := range []float64{1, 7, 33, 121} {
			if got := misses(t, s, r, 2, omega); !(got < 1e-7) {
				t.Errorf("%d degrees of freedom: error of %g %% at %g rad/s: want rounding", s.N, got, omega)
			}
		}
		got, want := mustModes(t, r.Structure), mustModes(t, s.Dense())
		for i := range want {
			rthstest.Near(t, fmt.Sprintf("frequency %d", i+1), got[i].FreqHz, want[i].FreqHz, 1e-9*want[i].FreqHz)
			rthstest.Near(t, fmt.Sprintf("damping %d", i+1), got[i].Ratio, want[i].Ratio, 1e-7)
		}
	}
}

// TᵀMΓ by its definition, the influence at the interface as it was, M_r positive definite; the static
// response is exact whatever modes are kept, and frequencies are above those of the structure.
func TestReductionLaws(t *testing.T) {
	for _, c := range reductions {
		t.Run(c.name, func(t *testing.T) {
			s := c.make(t)
			if err := s.Shake(slices.Repeat([]float64{0.5}, s.N)); err != nil {
				t.Fatalf("%v", err)
			}
			r := reduceAnyway(t, s, c.keep, c.modes, c.upToHz)
			full := s.Dense()
			basis := basisOf(t, s, c.keep, c.modes)
			nearMatrix(t, "load", r.load(), product(basis.T(), full.load()), 1e-7)
			for i, dof := range c.keep {
				for j := range 2 {
					if got, want := r.Gamma.At(i, j), s.Gamma.At(dof, j); got != want {
						t.Errorf("Γ(%d,%d) is %g: want %g", i+1, j+1, got, want)
					}
				}
			}
			var chol mat.Cholesky
			if !chol.Factorize(symmetric(r.M)) {
				t.Error("M is not positive definite")
			}
			for i := range len(c.keep) {
				for j := len(c.keep); j < r.N; j++ {
					if k := r.K.At(i, j); k != 0 {
						t.Errorf("K(%d,%d) is %g: want 0", i+1, j+1, k)
					}
				}
			}
			if got := misses(t, s, r, len(c.keep), 0); !(got < 1e-6) {
				t.Errorf("static error of %g %%: want none", got)
			}
			got, want := mustModes(t, r.Structure), mustModes(t, full)
			for i := range got {
				if got[i].Omega < want[i].Omega*(1-1e-9) {
					t.Errorf("mode %d at %.12g rad/s: want not below the structure's %.12g", i+1, got[i].Omega, want[i].Omega)
				}
			}
		})
	}
}

// More modes, a smaller error.
func TestMoreModesAreBetter(t *testing.T) {
	for _, s := range []*Structure{frame(t, 60, Damping{ModalRatio: []float64{0.03}}), ground(t, 12, 8)} {
		last := math.Inf(1)
		for _, modes := range []int{10, 20, 40} {
			r := reduceAnyway(t, s, []int{s.Interface}, modes, 5)
			if !(r.ErrorPct < last/2) {
				t.Errorf("%s: with half the modes it was %.2g %%", r, last)
			}
			last = r.ErrorPct
		}
	}
}

// light is random without mass at every third degree of freedom.
func light(seed uint64, n int) *Structure {
	s := random(seed, n)
	for i := 2; i < n; i += 3 {
		for j := range n {
			s.M.Set(i, j, 0)
			s.M.Set(j, i, 0)
		}
	}
	return s
}

// Coordinates without mass follow statically, but for their damping, which the error has in it. Modes
// are those of the others.
func TestReductionOfCoordinatesWithoutMass(t *testing.T) {
	for _, proportional := range []bool{true, false} {
		s := light(5, 30)
		if proportional {
			s.C.Scale(1e-3, s.K)
		}
		r := reduceAnyway(t, s, []int{0}, 19, 1)
		for i := range 20 {
			hz := float64(i+1) / 20
			if got := misses(t, s, r, 1, 2*math.Pi*hz); got > 1.01*r.ErrorPct+1e-6 {
				t.Errorf("error of %.4g %% at %g Hz: %.4g %% is stated", got, hz, r.ErrorPct)
			}
		}
	}
	_, err := light(5, 30).Reduce(Reduction{Keep: []int{0}, Modes: 20, UpToHz: 1})
	rthstest.WantError(t, err,
		"modes 20: the degrees of freedom beside those that are kept have mass for 19: want at most 19")
}

func TestReduceRefuses(t *testing.T) {
	yields := mustMake(t, &Shear{Masses: []float64{1, 1, 1}, Stiffnesses: []float64{1, 1, 1},
		Yielding: []YieldingStorey{{Storey: 2, Bilinear: &BilinearStorey{YieldDrift: 1}}}})
	free := mustMake(t, &Matrices{Mass: Rows([][]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}),
		Stiffness: Rows([][]float64{{2, -1, 0}, {-1, 1, 0}, {0, 0, 0}})})
	var springs []lti.Entry
	for i := range 120 {
		if i != 60 { // what is beyond hangs on nothing
			springs = append(springs, lti.Entry{Row: i, Col: i, V: 1e6}, lti.Entry{Row: i + 1, Col: i + 1, V: 1e6},
				lti.Entry{Row: i, Col: i + 1, V: -1e6}, lti.Entry{Row: i + 1, Col: i, V: -1e6})
		}
	}
	floating := newSparse(slices.Repeat([]float64{100}, 121), lti.NewCSR(121, springs), Ones(121))
	s := frame(t, 20, Damping{ModalRatio: []float64{0.02}})
	undamped := frame(t, 20, Damping{})
	for _, c := range []struct {
		s    *Structure
		of   Reduction
		want string
	}{
		{yields, Reduction{[]int{0}, 1, 1, false},
			"storey 2 has a law of its own, and modes belong to a linear structure: want no yielding storeys and no devices"},
		{free, Reduction{[]int{0}, 1, 0.01, false},
			"with the interface held, the rest of the structure moves without force: its stiffness is not positive definite"},
		{floating, Reduction{[]int{0}, 5, 0.01, false},
			"with the interface held, the rest of the structure moves without force"},
		{star(2, 60, 0), Reduction{nil, 1, 1, false},
			"no degree of freedom is kept: want the degrees of freedom of the interface"},
		{s, Reduction{[]int{20}, 1, 1, false}, "degree of freedom 21 is kept: want 1 to 20"},
		{s, Reduction{[]int{3, 3}, 1, 1, false}, "degree of freedom 4 is kept twice: want it once"},
		{s, Reduction{[]int{3}, 0, 1, false}, "modes 0: want 1 to 200"},
		{s, Reduction{[]int{3}, 201, 1, false}, "modes 201: want 1 to 200"},
		{s, Reduction{[]int{3}, 19, 1, false},
			"modes 19: beside the degrees of freedom that are kept the structure has 19: want fewer modes, or leave reduce out"},
		{s, Reduction{[]int{3}, 5, 0, false}, "up_to_hz 0: want more than 0"},
		{s, Reduction{[]int{3}, 5, math.NaN(), false}, "up_to_hz NaN: want more than 0"},
		{s, Reduction{[]int{3}, 5, math.Inf(1), false}, "up_to_hz +Inf: want more than 0"},
		{s, Reduction{[]int{3}, 5, 30, false},
			"the highest of 5 modes is at 12.1 Hz, below up_to_hz 30: want more modes, or up_to_hz of at most 12"},
		{s, Reduction{[]int{3}, 5, 9, false}, "5 modes carry the interface's response up to "},
		{undamped, Reduction{[]int{3}, 15, 18, false},
			"(the structure has no damping: near its natural frequencies the error has no bound)"},
	} {
		_, err := c.s.Reduce(c.of)
		rthstest.WantError(t, err, c.want)
	}
}

// What is said to be carried is accepted.
func TestWhatIsCarriedIsAccepted(t *testing.T) {
	for _, c := range reductions {
		s := c.make(t)
		_, err := s.Reduce(Reduction{Keep: c.keep, Modes: c.modes, UpToHz: 1.2 * c.upToHz})
		if err == nil {
			continue
		}
		m := regexp.MustCompile(`(?:response up to|want more modes, or up_to_hz of at most) ([0-9.e+-]+)`).FindStringSubmatch(
			err.Error())
		if m == nil {
			t.Errorf("%s: %v: want a frequency", c.name, err)
			continue
		}
		hz, _ := strconv.ParseFloat(m[1], 64)
		r, err := s.Reduce(Reduction{Keep: c.keep, Modes: c.modes, UpToHz: hz})
		if strings.Contains(m[0], "at most") {
			continue // of the modes, not of the error
		}
		if err != nil || r.ErrorPct < 3 {
			t.Errorf("%s: up to %g Hz: %v, %v", c.name, hz, r, err)
		}
	}
}

// Without the ground motion its error does not count.
func TestReductionWithoutGround(t *testing.T) {
	s := frame(t, 40, Damping{ModalRatio: []float64{0.02}})
	with, without := reduceAnyway(t, s, []int{0}, 12, 7),
		rthstest.Must(s.Reduce(Reduction{Keep: []int{0}, Modes: 12, UpToHz: 7, NoGround: true}))
	if !(without.ErrorPct < with.ErrorPct) || !strings.Contains(without.Action, "force") ||
		!strings.Contains(with.Action, "ground") {
		t.Errorf("%s; with the ground motion: %s", without, with)
	}
	nearMatrix(t, "load", without.load(), with.load(), 1e-12)
}

// star is chains of equal masses and springs from a hub, the first degree of freedom: all modes
// with the hub held are there as often as there are chains.
func star(chains, length int, damping float64) *Structure {
	n := 1 + chains*length
	masses := slices.Repeat([]float64{100}, n)
	k := []lti.Entry{{Row: 0, Col: 0, V: 1e6}}
	for chain := range chains {
		before := 0
		for i := range length {
			at := 1 + chain*length + i
			k = append(k, lti.Entry{Row: before, Col: before, V: 1e6}, lti.Entry{Row: at, Col: at, V: 1e6},
				lti.Entry{Row: before, Col: at, V: -1e6}, lti.Entry{Row: at, Col: before, V: -1e6})
			before = at
		}
	}
	s := newSparse(masses, lti.NewCSR(n, k), Ones(n))
	s.Sparse.A1 = damping
	return s
}

// Modes of equal frequency are all found.
func TestReductionFindsEqualModes(t *testing.T) {
	s := star(3, 50, 1e-4)
	s.Sparse.M[60] *= 1.000001 // so that nothing hangs on exact symmetry
	in, err := newInside(s, []int{0})
	if err != nil {
		t.Fatal(err)
	}
	got, shapes, err := in.modes(20)
	if err != nil {
		t.Fatal(err)
	}
	d := s.Dense()
	want, _, err := eigen(in.part(d.M), in.part(d.K))
	if err != nil {
		t.Fatal(err)
	}
	product := make([]float64, s.N)
	for i, omega := range got {
		rthstest.Near(t, fmt.Sprintf("frequency %d, rad/s", i+1), omega, want[i], 1e-8*want[i])
		for j := range i + 1 {
			s.timesM(product, shapes[i])
			rthstest.Near(t, fmt.Sprintf("φ%dᵀMφ%d", j+1, i+1), inner(shapes[j], product), map[bool]float64{true: 1}[i == j],
				1e-9)
		}
	}
	s = star(2, 80, 1e-3)
	r := mustReduce(t, s, []int{0}, 30, 3)
	rthstest.Near(t, "error, %", misses(t, s, r, 1, 2*math.Pi*r.AtHz), r.ErrorPct, 0.02*r.ErrorPct)
}

// basisOf is T by dense matrices: Ψ by an inverse, Φ by eigen.
func basisOf(t rthstest.TB, s *Structure, keep []int, modes int) *mat.Dense {
	t.Helper()
	in, err := newInside(s, keep)
	if err != nil {
		t.Fatalf("%v", err)
	}
	s = s.Dense()
	var inverse, psi mat.Dense
	if err := inverse.Inverse(in.part(s.K)); err != nil {
		t.Fatalf("%v", err)
	}
	_, shapes, err := in.modes(modes)
	if err != nil {
		t.Fatalf("%v", err)
	}
	out := mat.NewDense(s.N, len(keep)+modes, nil)
	for j, dof := range keep {
		pull := mat.NewDense(len(in.at), 1, nil)
		for i, p := range in.at {
			pull.Set(i, 0, -s.K.At(p, dof))
		}
		psi.Mul(&inverse, pull)
		out.Set(dof, j, 1)
		for i, p := range in.at {
			out.Set(p, j, psi.At(i, 0))
		}
	}
	_, phi, err := eigen(in.part(s.M), in.part(s.K))
	if err != nil {
		t.Fatalf("%v", err)
	}
	for j := range modes {
		sign := 0.0
		for i, p := range in.at {
			sign += phi.At(i, j) * shapes[j][p]
		}
		for i, p := range in.at {
			out.Set(p, len(keep)+j, math.Copysign(1, sign)*phi.At(i, j))
		}
	}
	return out
}

// No dense matrix of the whole structure is made: one alone would have n² numbers.
func TestReductionMakesNoDenseMatrix(t *testing.T) {
	s := ground(t, 60, 40)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	mustReduce(t, s, []int{s.Interface}, 30, 6)
	runtime.ReadMemStats(&after)
	if used := float64(after.TotalAlloc-before.TotalAlloc) / 8; !(used < 0.7*float64(s.N*s.N)) {
		t.Errorf("%.3g numbers for %d degrees of freedom: want fewer than in one matrix", used, s.N)
	} else {
		t.Logf("%.3g numbers for %d degrees of freedom", used, s.N)
	}
}

// BenchmarkReduce reduces a foundation to its interface and 40 modes, and finds the error.
func BenchmarkReduce(b *testing.B) {
	for _, elements := range [][2]int{{32, 20}, {148, 92}} {
		s := ground(b, elements[0], elements[1])
		b.Run(fmt.Sprint(s.N), func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Reduce(Reduction{Keep: []int{s.Interface}, Modes: 40, UpToHz: 8}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
