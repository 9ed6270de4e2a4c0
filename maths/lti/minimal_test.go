package lti

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// withHidden adds modes that the inputs do not reach, that the outputs do not see, or
// neither, some of them unstable, and hides them by a rotation.
func withHidden(r *rand.Rand, s SS, extra int) SS {
	n, m, p := s.Dims()
	all := n + extra
	a, b, c := mat.NewDense(all, all, nil), mat.NewDense(all, m, nil), mat.NewDense(p, all, nil)
	setBlock(a, 0, 0, s.A)
	setBlock(b, 0, 0, s.B)
	setBlock(c, 0, 0, s.C)
	for i := n; i < all; i++ {
		a.Set(i, i, r.NormFloat64())
		switch r.IntN(3) {
		case 0: // not reached: drives the rest and the outputs
			for j := range n {
				a.Set(j, i, r.NormFloat64())
			}
			c.SetCol(i, randomMatrix(r, p, 1, 1).RawMatrix().Data)
		case 1: // not seen: driven by the rest and the inputs
			for j := range n {
				a.Set(i, j, r.NormFloat64())
			}
			b.SetRow(i, randomMatrix(r, 1, m, 1).RawMatrix().Data)
		}
	}
	u := rotation(r, all)
	return must(NewSS(Product(u, a, u.T()), Product(u, b), Product(c, u.T()), s.D, s.Dt))
}

// sameResponse compares transfer matrices at frequencies around 1 rad/s.
func sameResponse(t *testing.T, what string, got, want SS, unit, tol float64) {
	t.Helper()
	for _, w := range []float64{0, 0.1, 0.7, 2, 9} {
		z := complex(0, w*unit)
		if got.Dt > 0 {
			z = cmplx.Exp(complex(0, w/3))
		}
		g, h := must(got.At(z)), must(want.At(z))
		_, m, p := want.Dims()
		scale := 0.0
		for i := range p {
			for j := range m {
				scale = max(scale, cmplx.Abs(h.At(i, j)))
			}
		}
		for i := range p {
			for j := range m {
				if d := cmplx.Abs(g.At(i, j) - h.At(i, j)); !(d <= tol*scale) {
					t.Errorf("%s: entry %d, %d at %g: %.6g, want %.6g", what, i+1, j+1, w, g.At(i, j), h.At(i, j))
				}
			}
		}
	}
}

// Random systems are minimal; hidden modes, stable or not, go and the transfer matrix
// stays.
func TestMinimalDropsHiddenModes(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 60 {
		n, m, p, extra := 1+r.IntN(6), 1+r.IntN(3), 1+r.IntN(3), r.IntN(5)
		s := must(NewSS(randomMatrix(r, n, n, 1), randomMatrix(r, n, m, 1), randomMatrix(r, p, n, 1),
			randomMatrix(r, p, m, 1), 0.01*float64(r.IntN(2))))
		got := must(withHidden(r, s, extra).Minimal())
		if k, _, _ := got.Dims(); k != n {
			t.Errorf("%d states of %d and %d hidden ones: want %d", k, n, extra, n)
		}
		sameResponse(t, "minimal", got, s, 1, 1e-7)
	}
}

// Units of states, inputs and outputs do not count.
func TestMinimalInOtherUnits(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	s := withHidden(r, must(NewSS(randomMatrix(r, 4, 4, 1), randomMatrix(r, 4, 2, 1), randomMatrix(r, 2, 4, 1),
		mat.NewDense(2, 2, nil), 0)), 3)
	b, c := mat.DenseCopyOf(s.B), mat.DenseCopyOf(s.C)
	b.Apply(func(_, j int, v float64) float64 { return v * []float64{1e9, 1e-9}[j] }, b)
	c.Apply(func(i, _ int, v float64) float64 { return v * []float64{1e-6, 1e6}[i] }, c)
	for i := range 7 { // 1e0 … 1e-6
		f := math.Pow(10, float64(-i))
		rescale(s.A, i, f)
		for j := range 2 {
			b.Set(i, j, b.At(i, j)/f)
			c.Set(j, i, c.At(j, i)*f)
		}
	}
	got := must(must(NewSS(s.A, b, c, s.D, 0)).Minimal())
	if n, _, _ := got.Dims(); n != 4 {
		t.Errorf("%d states: want 4", n)
	}
}

func TestMinimalOfNothing(t *testing.T) {
	s := must(NewSS(Diagonal(2, 1), mat.NewDense(2, 1, nil), mat.NewDense(1, 2, []float64{1, 1}), scalar(3), 0))
	got := must(s.Minimal())
	if ok, _ := got.Stable(); !ok {
		t.Error("a constant is not stable")
	}
	if g := must(got.At(5i)).At(0, 0); g != 3 {
		t.Errorf("%g: want 3", g)
	}
	if _, err := (SS{}).Minimal(); err == nil {
		t.Error("no error of an empty system")
	}
}

// benchmark2 is the transfer system of the multi-axial benchmark as
// Shangguan et al. 2024, eq. 27 stack it: four blocks, of which two and two are equal.
func benchmark2(t *testing.T) (stacked SS, h [2][2]TF) {
	t.Helper()
	hz := func(v complex128) complex128 { return v * 2 * math.Pi }
	frame := []complex128{hz(-50 + 63i), hz(-50 - 63i)}
	zpk := func(gain float64, zeros []complex128, poles ...complex128) TF {
		return must(must(NewZPK(zeros, append(poles, frame...), gain, 0)).TF())
	}
	z1 := []complex128{hz(-120), hz(-90)}
	h[0][0] = zpk(2165.2, z1, hz(-2.65), hz(-40))
	h[1][0] = zpk(349.95, z1, hz(-2.65), hz(-40))
	h[0][1] = zpk(4.5394e6, []complex128{hz(-3)}, hz(-3.5), hz(-18.5))
	h[1][1] = zpk(1.9238e7, []complex128{hz(-5)}, hz(-3.5), hz(-18.5))
	a, b, c := mat.NewDense(16, 16, nil), mat.NewDense(16, 2, nil), mat.NewDense(2, 16, nil)
	for i := range 2 {
		for j := range 2 {
			s := must(h[i][j].SS())
			at := 8*i + 4*j
			setBlock(a, at, at, s.A)
			setBlock(b, at, j, s.B)
			setBlock(c, i, at, s.C)
		}
	}
	return must(NewSS(a, b, c, mat.NewDense(2, 2, nil), 0)), h
}

// 8 of the 16 states of eq. 27 are minimal, since H21/H11 is a constant and column 2
// shares its poles.
func TestMinimalOfTheStackedPlant(t *testing.T) {
	s, _ := benchmark2(t)
	got := must(s.Minimal())
	if n, _, _ := got.Dims(); n != 8 {
		t.Errorf("%d states: want 8", n)
	}
	sameResponse(t, "stacked plant", got, s, 60, 1e-9)
}

// The benchmark plant's chains have a unit of frequency of 300 rad/s and an x₁ with
// unit static gain.
func TestChainsOfTheBenchmarkPlant(t *testing.T) {
	s, h := benchmark2(t)
	got, orders, err := s.Chains(300)
	if err != nil {
		t.Fatal(err)
	}
	if len(orders) != 2 || orders[0] != 4 || orders[1] != 4 {
		t.Fatalf("orders %d: want 4 and 4", orders)
	}
	sameResponse(t, "chains", got, s, 60, 1e-9)
	for j, want := range [][]float64{{-39.58209034031996, -789.6343677150612, -1426.4868227707818, -896.296384069168},
		{-24.17868254278979, -410.09039343038677, -1149.315432506856, -766.5486074759096}} {
		for i, v := range want {
			near(t, "row of A", complex(got.A.At(4*j+3, 4*j+i), 0), complex(v, 0), 1e-9, 0)
		}
		near(t, "B", complex(got.B.At(4*j+3, j), 0), complex(-want[0], 0), 1e-9, 0)
		for i := range 2 {
			near(t, "C", complex(got.C.At(i, 4*j), 0), dcGain(h[i][j]), 1e-9, 0)
		}
	}
}

// Random systems keep their transfer matrix in chains.
func TestChainsOfRandomSystems(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for range 40 {
		n, m, p := 1+r.IntN(6), 1+r.IntN(3), 1+r.IntN(3)
		s := withHidden(r, must(NewSS(randomMatrix(r, n, n, 1), randomMatrix(r, n, m, 1), randomMatrix(r, p, n, 1),
			randomMatrix(r, p, m, 1), 0)), r.IntN(3))
		got, orders, err := s.Chains(1.3)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0
		for _, v := range orders {
			sum += v
		}
		if k, _, _ := got.Dims(); k != sum || sum != n*m {
			t.Errorf("%d states, orders %d: want %d per input", k, orders, n)
		}
		sameResponse(t, "chains", got, s, 1, 1e-5)
	}
}

// An integrator has no static gain: its chain counts from the input itself.
func TestChainsOfAnIntegrator(t *testing.T) {
	s := must(must(NewTF([]float64{5}, []float64{1, 2, 0}, 0)).SS())
	got, _, err := s.Chains(2)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "at 3i", must(got.At(3i)).At(0, 0), must(s.At(3i)).At(0, 0), 1e-12, 0)
}

func TestChainsErrors(t *testing.T) {
	s := must(NewSS(diagonal(-1, -2), mat.NewDense(2, 2, []float64{1, 0, 2, 0}), mat.NewDense(1, 2, []float64{1, 1}),
		mat.NewDense(1, 2, nil), 0))
	_, _, err := s.Chains(1)
	wantError(t, err, "input 2: has no effect")
	_, _, err = s.Chains(0)
	wantError(t, err, "want a continuous system and more than 0")
	s.Dt = 0.1
	_, _, err = s.Chains(1)
	wantError(t, err, "sample time 0.1 s")
}
