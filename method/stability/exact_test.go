package stability

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths/kit/rthstest"
	"rths/maths/lti"
	"rths/model/structure"
)

// log10 of milliseconds: 1 s is 3, 1 ms is 0; a partition without a critical delay has an
// infinite one.
func TestPSI(t *testing.T) {
	rthstest.Near(t, "PSI of 1 s", Critical{Delay: 1}.PSI(), 3, 1e-15)
	rthstest.Near(t, "PSI of 1 ms", Critical{Delay: 1e-3}.PSI(), 0, 1e-15)
	if none.Exists() || !(Critical{Delay: 5}).Exists() || !math.IsInf(none.PSI(), 1) {
		t.Error("a partition without critical delay has one, or a delay of 5 s is none")
	}
}

// The grid is strictly ascending from a thousandth of the smallest root to a thousand times
// the largest, nowhere coarser than 100 a decade, and comes at each root and at its damped
// frequency as near as a tenth of its half bandwidth over 0.77, from both sides.
func TestSweepSeesEveryRoot(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for range 50 {
		var roots []complex128
		for range 1 + rng.IntN(4) {
			w := math.Pow(10, 4*rng.Float64())
			roots = append(roots, cmplx.Rect(w, math.Pi/2+math.Pow(10, -12*rng.Float64())))
		}
		roots = append(roots, 0, complex(-300*rng.Float64(), 0)) // neither of them is a resonance
		grid := sweep(roots)
		low, high := math.Inf(1), 0.0
		for _, r := range roots[:len(roots)-2] {
			low, high = min(low, cmplx.Abs(r)), max(high, cmplx.Abs(r))
		}
		if !(grid[0] > 0) || grid[0] > low/1e3 || grid[len(grid)-1] < 1e3*high/1.0233 {
			t.Errorf("from %g to %g rad/s: want three decades beyond %g and %g", grid[0], grid[len(grid)-1], low, high)
		}
		for i := 1; i < len(grid); i++ {
			if !(grid[i] > grid[i-1]) || grid[i] >= low/1e3 && grid[i-1] > 0 && grid[i] < 900*high &&
				grid[i]/grid[i-1] > 1.02330 && grid[i-1] > low/1e3 {
				t.Fatalf("%.17g after %.17g rad/s: want more, and at most 2.33 %% more", grid[i], grid[i-1])
			}
		}
		for _, r := range roots[:len(roots)-2] {
			w, v := cmplx.Abs(r), math.Abs(imag(r))
			reach := max(1e-9*w, math.Abs(real(r))/10)
			for _, at := range []float64{w, v} {
				i, _ := slices.BinarySearch(grid, at)
				if below, above := at-grid[i-1], grid[min(i+1, len(grid)-1)]-at; below > reach/0.77+1e-15*w ||
					above > 2*reach/0.77/0.77+1e-15*w {
					t.Errorf("root %g: the grid comes to %g below %g rad/s and %g above: want %g", r, below, at, above, reach)
				}
			}
		}
	}
	if grid := sweep(nil); grid[0] > 1e-3 || grid[len(grid)-1] < 900 {
		t.Errorf("without roots from %g to %g rad/s: want three decades about 1", grid[0], grid[len(grid)-1])
	}
}

// Of the delayed spring alone (TestDelayedSpringClosedForm) |L| = 1 at both roots of the
// quadratic; the upper one takes stability away, the lower one gives a root back.
func TestCrossingsOfADelayedSpring(t *testing.T) {
	const m, c, kn, ke = 1.0, 0.3, 10.0, 6.0
	b := c*c/(m*m) - 2*kn/m
	root := math.Sqrt(b*b - 4*(kn*kn-ke*ke)/(m*m))
	got := rthstest.Must(SDOF(m, c, kn, 0, 0, ke).Crossings())
	if len(got) != 2 {
		t.Fatalf("crossings %+v: want two", got)
	}
	for i, w2 := range []float64{(-b - root) / 2, (-b + root) / 2} {
		w := math.Sqrt(w2)
		lag := math.Mod(math.Atan2(c*w, m*w2-kn)+2*math.Pi, 2*math.Pi)
		rthstest.Near(t, "frequency", got[i].Omega, w, 1e-12*w)
		rthstest.Near(t, "delay", got[i].Delay, lag/w, 1e-10)
		// ds/dτ = s E/(N′ + E′ e… ) of N(s) + ke e^{−sτ} = 0: s ke e/(N′ − τ ke e), ke e = −N.
		s := complex(0, w)
		n, slope := s*s*m+s*c+kn, 2*m*s+c
		want := real(-s * n / (slope + complex(got[i].Delay, 0)*n))
		rthstest.Near(t, "speed", got[i].Speed, want, 1e-8*math.Abs(want))
	}
	if !(got[0].Speed < 0 && got[1].Speed > 0) {
		t.Errorf("speeds %g and %g: want the lower to come back and the upper to be lost", got[0].Speed, got[1].Speed)
	}
}

// A structure that is unstable undivided tolerates nothing, by either method, and
// the frequency belongs to its growing root.
func TestUnstableStructureHasAFrequency(t *testing.T) {
	h := SDOF(1, -0.5, 60, 0, 0.1, 40) // s² − 0.4 s + 100
	for _, c := range []Critical{rthstest.Must(h.Critical()), rthstest.Must(h.CriticalTracked(1)),
		rthstest.Must(h.CriticalPade(3))} {
		rthstest.Near(t, "delay", c.Delay, 0, 0)
		rthstest.Near(t, "frequency", c.Omega, math.Sqrt(100-0.04), 1e-9)
	}
	if c := rthstest.Must(galmez(100, 2, 0.05, 0.6, 0.1, 0.3).CriticalTracked(1)); c.Delay != 0 ||
		!math.IsInf(c.Omega, 1) {
		t.Errorf("neutral equation followed: %+v: want no delay at an infinite frequency", c)
	}
}

// Followed as far as the critical delay a root crosses, followed less far none does; the
// frequency belongs to the crossing.
func TestTrackedStopsAtTheLongest(t *testing.T) {
	h := benchmark(t, 2)
	want := rthstest.Must(h.Critical())
	for longest, exists := range map[float64]bool{0.999 * want.Delay: false, 1.001 * want.Delay: true, 1: true} {
		got := rthstest.Must(h.CriticalTracked(longest))
		if got.Exists() != exists {
			t.Errorf("followed to %g s: %+v: want a critical delay: %v", longest, got, exists)
		} else if exists {
			rthstest.Near(t, "critical delay", got.Delay, want.Delay, 1e-10*want.Delay)
			rthstest.Near(t, "frequency", got.Omega, want.Omega, 1e-8*want.Omega)
		}
	}
}

// The roots that are followed satisfy det(M s² + C s + K + e E e^{−sτ}) = 0, and there are as
// many as the undivided structure has in the upper half plane.
func TestFollowedRootsSolveTheEquation(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 12))
	for range 30 {
		h := random(rng)
		n, _ := h.M.Dims()
		tau := 0.5 * min(1, rthstest.Must(h.Critical()).Delay)
		found := rthstest.Must(h.Roots(tau))
		if len(found) != n {
			t.Errorf("%d roots of %d degrees of freedom", len(found), n)
		}
		for _, s := range found {
			if imag(s) < 0 {
				t.Errorf("root %g: want it in the upper half plane", s)
			}
			if v := characteristic(h, s, tau); !(cmplx.Abs(v) <= 1e-9) {
				t.Errorf("1 + g E e^{−sτ} = %g at root %g", v, s)
			}
		}
	}
}

// characteristic is 1 + L e^{−sτ} with L by dense complex algebra for one to four degrees of
// freedom: E times the entry of the inverse of M s² + C s + K.
func characteristic(h *Hybrid, s complex128, tau float64) complex128 {
	n, _ := h.M.Dims()
	both := mat.NewDense(2*n, 2*n, nil) // [Re −Im; Im Re]
	for i := range n {
		for j := range n {
			z := s*s*complex(h.M.At(i, j), 0) + s*complex(h.C.At(i, j), 0) + complex(h.K.At(i, j), 0)
			both.Set(i, j, real(z))
			both.Set(n+i, n+j, real(z))
			both.Set(i, n+j, -imag(z))
			both.Set(n+i, j, imag(z))
		}
	}
	var inv mat.Dense
	if err := inv.Inverse(both); err != nil {
		panic(err)
	}
	g := complex(inv.At(h.DOF, h.DOF), inv.At(n+h.DOF, h.DOF))
	e := s*s*complex(h.Me, 0) + s*complex(h.Ce, 0) + complex(h.Ke, 0)
	return 1 + g*e*cmplx.Exp(-s*complex(tau, 0))
}

// L is the receptance times the specimen's dynamic stiffness also of specimens without mass,
// without damping, and of only one of the three; and at every interface.
func TestLoopOfEverySpecimen(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for _, e := range [][3]float64{{0, 0, 30}, {0, 4, 0}, {0.1, 0, 0}, {0, 4, 30}, {0.1, 0, 30}, {0.1, 4, 0}} {
		for range 10 {
			h := random(rng)
			h.Me, h.Ce, h.Ke = e[0], e[1], e[2]
			l := rthstest.Must(h.Loop())
			s := complex(rng.NormFloat64(), 20*rng.Float64())
			if got, want := 1+l.At(s), characteristic(h, s, 0); !(cmplx.Abs(got-want) <= 1e-8*(1+cmplx.Abs(want))) {
				t.Errorf("specimen %v: 1 + L(%g) = %g: want %g", e, s, got, want)
			}
			ratio := rthstest.Must(h.MassRatio())
			var inv mat.Dense
			if err := inv.Inverse(h.M); err != nil {
				t.Fatal(err)
			}
			rthstest.Near(t, "mass ratio", ratio, h.Me*inv.At(h.DOF, h.DOF), 1e-12)
		}
	}
}

// Whole is both parts added, and the numerical part stays as it is.
func TestWholeIsBothParts(t *testing.T) {
	h := random(rand.New(rand.NewPCG(4, 1)))
	before := mat.DenseCopyOf(h.M)
	w := h.Whole()
	for _, part := range []struct {
		whole, part *mat.Dense
		e           float64
	}{{w.M, h.M, h.Me}, {w.C, h.C, h.Ce}, {w.K, h.K, h.Ke}} {
		var d mat.Dense
		d.Sub(part.whole, part.part)
		rthstest.Near(t, "added", d.At(h.DOF, h.DOF), part.e, 1e-12*math.Abs(part.whole.At(h.DOF, h.DOF)))
		d.Set(h.DOF, h.DOF, 0)
		rthstest.Near(t, "added elsewhere", mat.Norm(&d, 2), 0, 0)
	}
	if !mat.Equal(before, h.M) || w.N != len(w.Gamma.RawMatrix().Data) {
		t.Error("the numerical part has changed, or the structure has no shape")
	}
}

// What has neither stiffness nor mass to solve with is refused by every question, and so is
// a partition with two interface coordinates or a number that is none.
func TestEveryQuestionRefuses(t *testing.T) {
	massless := SDOF(0, 1, 1, 0, 0, 1)
	empty := SDOF(1, 0.1, 1, 0, 0, 0)
	for what, h := range map[string]*Hybrid{"no mass": massless, "no specimen": empty} {
		for name, ask := range map[string]func() error{
			"Loop":            func() error { _, err := h.Loop(); return err },
			"Critical":        func() error { _, err := h.Critical(); return err },
			"Crossings":       func() error { _, err := h.Crossings(); return err },
			"Roots":           func() error { _, err := h.Roots(0.1); return err },
			"CriticalTracked": func() error { _, err := h.CriticalTracked(0.1); return err },
			"CriticalPade":    func() error { _, err := h.CriticalPade(2); return err },
		} {
			if err := ask(); err == nil {
				t.Errorf("%s of %s: want an error", name, what)
			}
		}
	}
	if _, err := empty.Loop(); err == nil || !strings.Contains(err.Error(), "neither mass, damping nor stiffness") {
		t.Errorf("error %v: want one that says what the specimen lacks", err)
	}
	inertia := SDOF(0, 1, 1, 1, 0, 1)
	if _, err := inertia.MassRatio(); err == nil {
		t.Error("mass ratio to no mass: want an error")
	}
	if _, err := inertia.CriticalTracked(1); err == nil {
		t.Error("tracked critical delay of a massless part: want an error")
	}
	for _, order := range []int{0, -1, 11} {
		if _, err := benchmark(t, 1).CriticalPade(order); err == nil {
			t.Errorf("order %d: want an error", order)
		}
	}
	s := rthstest.Must((&structure.Silva2020{Case: 1}).Make())
	p := rthstest.Must(s.Divide(0, 1, 1, 1))
	for _, e := range [][3]float64{{math.NaN(), 1, 1}, {1, math.NaN(), 1}, {1, 1, math.NaN()}, {math.Inf(1), 1, 1},
		{1, math.Inf(-1), 1}, {1, 1, math.Inf(1)}} {
		if _, err := NewHybrid(p, e[0], e[1], e[2]); err == nil {
			t.Errorf("specimen %v: want an error", e)
		}
	}
	two := *p
	two.Interface = []int{0, 1}
	if _, err := NewHybrid(&two, 1, 1, 1); err == nil {
		t.Error("two interface coordinates: want an error")
	}
	flat := *p
	flat.M = mat.NewDense(3, 3, nil)
	if _, err := NewHybrid(&flat, 1, 1, 1); err == nil {
		t.Error("no mass: want an error")
	}
}

// Of order 1 the phase is −2 atan(x/2): it takes x = 2 tan(φ/2) to reach −φ, and π never.
func TestPadeAngleOfOrder1(t *testing.T) {
	unit := rthstest.Must(lti.Pade(1, 1))
	den := rthstest.Must(lti.Roots(unit.Den))
	for _, phase := range []float64{1e-6, 0.3, 1, 2, 3, 3.1} {
		rthstest.Near(t, "x", padeAngle(den, phase), 2*math.Tan(phase/2), 1e-9*(1+2*math.Tan(phase/2)))
		rthstest.Near(t, "phase", padePhase(den, phase), -2*math.Atan(phase/2), 1e-12)
	}
	if got := padeAngle(den, 0); got != 0 {
		t.Errorf("x = %g for no phase: want 0", got)
	}
	for _, phase := range []float64{math.Pi, 4, 6} {
		if got := padeAngle(den, phase); !math.IsInf(got, 1) {
			t.Errorf("x = %g for a phase of %g: want none", got, phase)
		}
	}
}

// One order n ends at a phase of −nπ, and where the approximation is good it is −x.
func TestPadePhase(t *testing.T) {
	for order := 2; order <= 6; order++ {
		unit := rthstest.Must(lti.Pade(1, order))
		den := rthstest.Must(lti.Roots(unit.Den))
		rthstest.Near(t, "phase far away", padePhase(den, 1e9), -math.Pi*float64(order), 1e-6)
		rthstest.Near(t, "phase of 1", padePhase(den, 1), -1, 2e-3)
		rthstest.Near(t, "x of it", padeAngle(den, -padePhase(den, 7)), 7, 1e-8)
		if got := padeAngle(den, math.Pi*float64(order)); !math.IsInf(got, 1) {
			t.Errorf("order %d reaches its last phase at %g", order, got)
		}
	}
}
