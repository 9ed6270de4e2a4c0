package device

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"rths/kit/rthstest"
)

// laws are laws of a storey of 2e5 N/m that yields at 4 mm.
var laws = map[string]Spring{
	"bilinear": &Bilinear{K0: 2e5, K2: 2e4, Dy: 0.004},
	"plastic":  &Bilinear{K0: 2e5, Dy: 0.004},
	"smooth":   &BoucWen{Ke: 2e5, A: 0.05, Fy: 760, N: 2, Eta1: 0.5, Eta2: 0.5},
	"sharp":    &BoucWen{Ke: 2e5, Fy: 800, N: 20, Eta1: 0.5, Eta2: 0.5},
	"degrading": &BoucWen{Ke: 2e5, A: 0.1, Fy: 720, N: 1.5, Eta1: 0.7, Eta2: 0.3, Alpha: 1e-3,
		Beta: 2e-3},
	"hardening": &BoucWen{Ke: 2e5, A: 0.1, Fy: 720, N: 3, Eta1: 0.9, Eta2: 0.2, Kh: 1e8},
}

// turning is a path of displacements (m) that turns at random places.
func turning(seed uint64, n int, size float64) []float64 {
	r, x := rand.New(rand.NewPCG(seed, 3)), []float64{0}
	for len(x) < n {
		to := size * (2*r.Float64() - 1)
		from := x[len(x)-1]
		for i := range 100 {
			x = append(x, from+(to-from)*(1-math.Cos(math.Pi*float64(i+1)/100))/2)
		}
	}
	return x
}

// along moves a law along a path and gives the work done on it and its states at the end.
func along(t *testing.T, l Spring, x []float64, h float64) (work float64, z []float64) {
	t.Helper()
	p, err := NewPath(l, h)
	if err != nil {
		t.Fatal(err)
	}
	z = make([]float64, l.States())
	force := 0.0
	for i := range len(x) - 1 {
		p.Advance(z, x[i], x[i+1])
		f := l.Force(x[i+1], 0, z)
		work += (force + f) / 2 * (x[i+1] - x[i])
		force = f
	}
	return work, z
}

// At rest the tangent is the stiffness at rest, and the force there is zero.
func TestLawsAtRest(t *testing.T) {
	for name, l := range laws {
		z := make([]float64, l.States())
		k, c := l.AtRest()
		rthstest.Near(t, name+": stiffness", k, 2e5, 0)
		rthstest.Near(t, name+": damping", c, 0, 0)
		rthstest.Near(t, name+": force", l.Force(0, 0, z), 0, 0)
		rthstest.Near(t, name+": stored", l.Stored(0, z), 0, 0)
		p, err := NewPath(l, 1e-3)
		if err != nil {
			t.Fatal(err)
		}
		const small = 1e-9
		p.Advance(z, 0, small)
		rthstest.Near(t, name+": stiffness of a small motion", l.Force(small, 0, z)/small, k, 1e-5*k)
	}
}

// A cycle of the bilinear spring dissipates 4 (k₀ − k₂) d_y (A − d_y), and a smooth law comes
// to f_y tanh(x/d_y) on its way out (η₁ + η₂ = 1, N = 2, a = 0).
func TestClosedForms(t *testing.T) {
	var cycle []float64
	for i := range 5001 {
		cycle = append(cycle, 0.01*math.Sin(2*math.Pi*float64(i)/2000))
	}
	l := laws["bilinear"]
	two, _ := along(t, l, cycle[:4501], 1e-3) // to the second valley but one
	one, _ := along(t, l, cycle[:2501], 1e-3)
	rthstest.Near(t, "energy of a cycle", two-one, 4*1.8e5*0.004*0.006, 1e-4*two)
	tanh := &BoucWen{Ke: 2e5, Fy: 800, N: 2, Eta1: 0.5, Eta2: 0.5}
	z := make([]float64, 2)
	Bring(tanh, z, 0.007)
	rthstest.Near(t, "z", z[0], 800*math.Tanh(0.007/0.004), 1e-9)
	rthstest.Near(t, "H", z[1], 800*0.004*math.Log(math.Cosh(0.007/0.004))-z[0]*z[0]/4e5, 1e-9)
}

// A line in one step or in many leads to the same states: exactly with the bilinear law, to
// the error of order 4 with the others while z keeps its sign, and to 1e-5 of the yield force with the parts that
// NewPath chooses.
func TestPathsDoNotHangOnTheSteps(t *testing.T) {
	for name, l := range laws {
		end := func(steps int, path ...float64) float64 {
			p := newPath(l, 1, steps)
			z := make([]float64, l.States())
			for i := range len(path) - 1 {
				p.Advance(z, path[i], path[i+1])
			}
			return l.Force(path[len(path)-1], 0, z)
		}
		path := []float64{0, 0.006, 0.001, -0.003}
		want := end(20000, path...)
		if b, ok := l.(*Bilinear); ok {
			rthstest.Near(t, name+": one step", end(1, path...), want, 1e-12*b.K0*b.Dy)
			continue
		}
		loaded := end(20000, path[:2]...)
		coarse, fine := math.Abs(end(100, path[:2]...)-loaded), math.Abs(end(200, path[:2]...)-loaded)
		// |z|^1.5 has a kink at rest
		if ratio := coarse / fine; l.(*BoucWen).N >= 2 && !(ratio > 10 && ratio < 25) && coarse > 1e-8 {
			t.Errorf("%s: error %.2g N in 100 parts, %.2g in 200: want a sixteenth", name, coarse, fine)
		}
		p, err := NewPath(l, 0.006/fastSpeed) // the first line at 0.5 m/s
		if err != nil {
			t.Fatal(err)
		}
		off := math.Abs(end(p.parts, path...)-want) / 800
		if t.Logf("%s: %d parts, %.2g of the yield force", name, p.parts, off); !(off < 1e-5) {
			t.Errorf("%s: %d parts, off by %.2g of the yield force", name, p.parts, off)
		}
	}
}

// The work done on a spring is what it stores and what it has dissipated: H of a smooth law
// without loss of stiffness. The dissipated energy never falls where η₁ ≥ η₂.
func TestEnergyOfPaths(t *testing.T) {
	for name, l := range laws {
		x := turning(11, 20000, 0.02)
		work, z := along(t, l, x, 1e-4)
		dissipated := work - l.Stored(x[len(x)-1], z)
		if b, ok := l.(*BoucWen); ok && b.Alpha == 0 {
			rthstest.Near(t, name+": dissipated and H", dissipated, z[1], 2e-3*z[1])
		}
		sum, most := 0.0, 0.0
		zs := make([]float64, l.States())
		p, _ := NewPath(l, 1e-4)
		for i := range len(x) - 1 {
			before := l.Force(x[i], 0, zs)
			p.Advance(zs, x[i], x[i+1])
			sum += (before + l.Force(x[i+1], 0, zs)) / 2 * (x[i+1] - x[i])
			if b, ok := l.(*BoucWen); !ok || b.Alpha == 0 {
				d := sum - l.Stored(x[i+1], zs)
				if d < most-2e-3*most-1e-9 {
					t.Fatalf("%s: dissipated %g J after %g J", name, d, most)
				}
				most = max(most, d)
			}
		}
		if !(dissipated > 10) {
			t.Errorf("%s: %g J dissipated: want more", name, dissipated)
		}
	}
}

// The slope on no path is above Steepest, but for a cubic spring beyond ten yield
// displacements.
func TestSteepest(t *testing.T) {
	for name, l := range laws {
		most, _, _ := l.Steepest()
		x := turning(13, 20000, 0.02)
		p, err := NewPath(l, 1e-4)
		if err != nil {
			t.Fatal(err)
		}
		z := make([]float64, l.States())
		for i := range len(x) - 1 {
			before := l.Force(x[i], 0, z)
			p.Advance(z, x[i], x[i+1])
			rise := l.Force(x[i+1], 0, z) - before
			if k := rise / (x[i+1] - x[i]); k > most*(1+1e-12)+1e-9/math.Abs(x[i+1]-x[i]) {
				t.Fatalf("%s: %g N/m at %g m: want at most %g", name, k, x[i+1], most)
			}
		}
	}
}

// Steepest of a law that hardens and unloads more steeply than it loads, by hand: at the yield
// force q is (η₂ − η₁)/(η₁ + η₂) in unloading, and z returns by N k_e (1 − a)/f_y
// (η₁ + η₂)^(1/N) per metre. A law that unloads softly is steepest at rest.
func TestSteepestByHand(t *testing.T) {
	l := &BoucWen{Ke: 2e5, A: 0.1, Fy: 720, N: 3, Eta1: 0.9, Eta2: 0.3, Kh: 1e6}
	k, _, rate := l.Steepest()
	rthstest.Near(t, "stiffness", k, 2e4+1.8e5*1.5+3e6*0.036*0.036, 1e-6)
	rthstest.Near(t, "rate", rate, 0.5*3*1.8e5/720*math.Cbrt(1.2), 1e-9)
	if _, _, rate := laws["bilinear"].Steepest(); rate != 0 {
		t.Errorf("bilinear: rate %g of a state that Commit moves: want 0", rate)
	}
	l.Eta1, l.Eta2, l.Kh = 0.3, 0.9, 0
	k, _, _ = l.Steepest()
	rthstest.Near(t, "stiffness of a soft unloading", k, 2e5, 1e-9)
}

// After a loss of energy H the yield force is f_y0/(1 + β H) and the stiffness
// (e^(−α H) − a) k_e, 0 where the first is below a.
func TestDegradedByHand(t *testing.T) {
	l := &BoucWen{Ke: 2e5, A: 0.1, Fy: 720, N: 2, Eta1: 0.5, Eta2: 0.5, Alpha: 0.01, Beta: 0.004}
	k, fy := l.Degraded(50)
	rthstest.Near(t, "stiffness", k, (math.Exp(-0.5)-0.1)*2e5, 1e-9)
	rthstest.Near(t, "yield force", fy, 600, 1e-9)
	// Far above the yield force |z/f_y|^N (η₁ + η₂) counts as 2.
	l.Alpha, l.Eta1, l.Eta2 = 0, 0.6, 0.2
	dz := make([]float64, 2)
	l.Rate(dz, []float64{10 * 720, 0}, 1)
	rthstest.Near(t, "rate of a z far too large", dz[0], (1-2)*1.8e5, 1e-9)
	l.Alpha = 0.01
	k, _ = l.Degraded(1000)
	rthstest.Near(t, "stiffness lost", k, 0, 0)
}

// Bring forgets what was before, and comes from rest.
func TestBring(t *testing.T) {
	for name, l := range laws {
		z, again := make([]float64, l.States()), make([]float64, l.States())
		Bring(l, z, 0.01)
		for i := range again {
			again[i] = 7
		}
		if Bring(l, again, 0.01); !slices.Equal(z, again) {
			t.Errorf("%s: %g behind another state: want %g", name, again, z)
		}
	}
}

// A step allocates nothing, and a law that needs too many parts is refused.
func TestPathIsReady(t *testing.T) {
	for _, l := range laws {
		p, err := NewPath(l, 1e-3)
		if err != nil {
			t.Fatal(err)
		}
		z, to := make([]float64, l.States()), 0.001
		rthstest.NoAllocation(t, func() { p.Advance(z, to-0.001, to); to += 0.001 })
	}
	_, err := NewPath(&BoucWen{Ke: 1e6, Fy: 1, N: 2, Eta1: 1}, 1e-2)
	if err == nil || !strings.Contains(err.Error(),
		"1e+06 1/s at 0.5 m/s, which takes 1e+05 parts of a step of 0.01 s: want at most 1000") {
		t.Errorf("%v: want it refused", err)
	}
}

// A law that goes along a line by itself comes to where Stages comes, BoucWen bit for bit.
func TestFlowIsStages(t *testing.T) {
	all := map[string]Law{"lugre": timely["lugre"]}
	for name, l := range laws {
		if _, ok := l.(*BoucWen); ok {
			all[name] = &Damped{l, 200}
		}
	}
	for name, l := range all {
		within := 1e-9 * 800 / 1e6 // m, of bristles
		if _, ok := l.(*Damped); ok {
			within = 0
		}
		p, slow := newPath(l, 1e-3, 7), newPath(l, 1e-3, 7)
		slow.flow = nil
		if p.flow == nil {
			t.Fatalf("%s has no flow of its own", name)
		}
		z, want, x := make([]float64, l.States()), make([]float64, l.States()), turning(5, 3000, 0.008)
		for i := range len(x) - 1 {
			p.Advance(z, x[i], x[i+1])
			slow.Advance(want, x[i], x[i+1])
			if !(math.Abs(z[0]-want[0]) <= within) || len(z) > 1 && z[1] != want[1] {
				t.Fatalf("%s, line %d: states %g: want %g", name, i, z, want)
			}
		}
	}
}

// A dashpot beside a law adds c v to its force and c to its slopes, and nothing else.
func TestDamped(t *testing.T) {
	l := laws["smooth"]
	d := &Damped{l, 300}
	z := []float64{100, 3}
	rthstest.Near(t, "force", d.Force(0.01, -0.2, z), l.Force(0.01, -0.2, z)-60, 1e-9)
	k, c := d.AtRest()
	ks, cs, rate := d.Steepest()
	own, _, ownRate := l.Steepest()
	if k != 2e5 || c != 300 || ks != own || cs != 300 || rate != ownRate || d.Stored(0.01, z) != l.Stored(0.01, z) {
		t.Errorf("at rest %g, %g; steepest %g, %g, %g", k, c, ks, cs, rate)
	}
}

// Corners goes to all of them once and comes back. Steepest is the largest of all.
func TestCorners(t *testing.T) {
	l := &LuGre{Sigma0: 1e6, Sigma1: 100, Sigma2: 10, Fc: 800, Fs: 900, Vs: 0.01}
	p := []Parameter{{Name: "fc", V: &l.Fc, Low: 400, High: 1600}, {Name: "k", V: &l.Sigma0, Low: 5e5, High: 2e6}}
	var seen [][2]float64
	Corners(p, func() { seen = append(seen, [2]float64{l.Fc, l.Sigma0}) })
	want := [][2]float64{{400, 5e5}, {1600, 5e5}, {400, 2e6}, {1600, 2e6}}
	if !slices.Equal(seen, want) || l.Fc != 800 || l.Sigma0 != 1e6 {
		t.Errorf("%g, then %g and %g: want %g", seen, l.Fc, l.Sigma0, want)
	}
	k, _, rate := Steepest(l, p)
	if k != 2e6*(1+900.0/400) || rate != 2e6*fastSpeed/400 {
		t.Errorf("%g N/m, %g 1/s", k, rate)
	}
	if k, _, _ := Steepest(l, nil); k != 1e6*(1+900.0/800) {
		t.Errorf("%g N/m of a law that does not learn", k)
	}
}
