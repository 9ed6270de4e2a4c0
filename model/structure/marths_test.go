package structure

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// condensed is M and K of the massive coordinates: the others follow statically.
func condensed(s *Structure) (m, k *mat.Dense) {
	var heavy, light []int
	for i := range s.N {
		if s.M.At(i, i) > 0 {
			heavy = append(heavy, i)
		} else {
			light = append(light, i)
		}
	}
	pick := func(a *mat.Dense, rows, cols []int) *mat.Dense {
		out := mat.NewDense(len(rows), len(cols), nil)
		for i, r := range rows {
			for j, c := range cols {
				out.Set(i, j, a.At(r, c))
			}
		}
		return out
	}
	var follow, back mat.Dense
	if err := follow.Solve(pick(s.K, light, light), pick(s.K, light, heavy)); err != nil {
		panic(err)
	}
	back.Mul(pick(s.K, heavy, light), &follow)
	k = pick(s.K, heavy, heavy)
	k.Sub(k, &back)
	return pick(s.M, heavy, heavy), k
}

// Masses, frequencies and damping ratios of the cases (docs/reference/benchmark-multiaxial.md).
func TestMaRTHSReference(t *testing.T) {
	s, err := (&MaRTHS{Case: 1}).Make()
	if err != nil {
		t.Fatal(err)
	}
	massless := 0
	for i := range s.N {
		if s.M.At(i, i) == 0 {
			massless++
		}
	}
	if s.N != 29 || massless != 14 {
		t.Errorf("%d equations, %d of them without mass: want 29 and 14", s.N, massless)
	}
	m, k := condensed(s)
	omega, _, err := eigen(m, k)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{14.396, 80.098, 165.124} {
		if math.Abs(omega[i]-want) > 1e-3 {
			t.Errorf("mode %d: %.4f rad/s, want %.3f", i+1, omega[i], want)
		}
	}
	total := 0.0
	for i := range s.N {
		total += s.M.At(i, i) * s.Gamma.At(i, 0)
	}
	if math.Abs(total-30643) > 0.5 {
		t.Errorf("%g kg move horizontally, want 30643", total)
	}
	for c, want := range []struct{ mass, w1, ratio float64 }{{1, 13.493, 0.05}, {1.1, 12.865070716690777, 0.04},
		{1.3, 11.834143854509744, 0.03}, {1, 13.493, 0.03}} {
		s, err := (&MaRTHS{Case: c + 1}).Make()
		if err != nil {
			t.Fatal(err)
		}
		if got := s.M.At(26, 26) / 7680.90291732432; math.Abs(got-want.mass) > 1e-12 {
			t.Errorf("case %d: mass factor %g, want %g", c+1, got, want.mass)
		}
		// C = a M + b K has the ratio (a/w + b w)/2 at any w; b is C/K where there is no mass.
		b := s.C.At(20, 20) / s.K.At(20, 20)
		a := (s.C.At(26, 26) - b*s.K.At(26, 26)) / s.M.At(26, 26)
		if got := (a/want.w1 + b*want.w1) / 2; math.Abs(got-want.ratio) > 1e-9 {
			t.Errorf("case %d: damping ratio %g at %g rad/s, want %g", c+1, got, want.w1, want.ratio)
		}
	}
}

func divided(t *testing.T, c int) *Partition {
	t.Helper()
	s := &MaRTHS{Case: c}
	p, err := s.Divide(mustMake(t, s))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// What is taken out of the structure (docs/reference/benchmark-multiaxial.md, Partition).
func TestMaRTHSPartition(t *testing.T) {
	p := divided(t, 1)
	var k, c, m mat.Dense
	k.Sub(p.Whole.K, p.K)
	c.Sub(p.Whole.C, p.C)
	m.Sub(p.Whole.M, p.M)
	order := []int{26, 28, 20} // x, joint 6, joint 7
	wantK := []float64{4915814.4, -1560771.072, -1560771.072, -1560771.072, 1259050.901248, -133980.63526399998,
		-1560771.072, -133980.63526399998, 1259050.901248}
	wantC := []float64{3654.2253861277272, -513.7797085296776, -513.7797085296776, -513.7797085296776, 454.76047088712625,
		-44.104182201654076, -513.7797085296776, -44.104182201654076, 454.76047088712625}
	for i, at := range order {
		for j, to := range order {
			if got, want := k.At(at, to), wantK[3*i+j]; math.Abs(got-want) > 1e-6*math.Abs(want) {
				t.Errorf("K_P(%d,%d) = %.10g, want %.10g", i+1, j+1, got, want)
			}
			if got, want := c.At(at, to), wantC[3*i+j]; math.Abs(got-want) > 1e-9*math.Abs(want) {
				t.Errorf("C_P(%d,%d) = %.10g, want %.10g", i+1, j+1, got, want)
			}
		}
	}
	if got := mat.Sum(&m); math.Abs(got-902.5273820384) > 1e-9 || math.Abs(m.At(26, 26)-got) > 1e-9 {
		t.Errorf("%g kg taken out, %g at degree of freedom 27: want 902.527, all there", got, m.At(26, 26))
	}
	// numerical_K_29x29.csv, entries of the interface.
	for _, e := range []struct {
		i, j int
		v    float64
	}{{27, 27, 270738057.972854}, {27, 21, 13106803.5021324}, {27, 29, 15519157.8916963}, {21, 29, 360091.613565546},
		{21, 21, 7703851.54825261}} {
		if got := p.K.At(e.i-1, e.j-1); math.Abs(got-e.v) > 1e-9*math.Abs(e.v) {
			t.Errorf("K_N(%d,%d) = %.12g, want %.12g", e.i, e.j, got, e.v)
		}
	}
	if got := -p.Load.At(26, 0) + 7680.90291732432; math.Abs(got-902.5273820384) > 1e-8 {
		t.Errorf("the ground moves %g kg less than the structure's: want those taken out", got)
	}
	if _, err := (&MaRTHS{Case: 5}).Make(); err == nil {
		t.Error("case 5 is accepted")
	}
}

// A specimen joined to the numerical part is its matrices at the interface, with
// the signs of its coordinates; the numerical part itself stays as it is.
func TestJoined(t *testing.T) {
	p := divided(t, 2)
	before := slices.Clone(p.K.RawMatrix().Data)
	zero := mat.NewDense(3, 2, nil)
	k := mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6})
	j, err := p.Joined(zero, zero, k)
	if err != nil {
		t.Fatal(err)
	}
	var d mat.Dense
	d.Sub(j.K, p.K)
	for i, row := range [][]float64{{1, -2}, {-3, 4}, {-5, 6}} {
		for c, want := range row {
			if got := d.At(p.Interface[i], p.Interface[c]); math.Abs(got-want) > 1e-6 {
				t.Errorf("entry (%d,%d) changed by %g, want %g", i+1, c+1, got, want)
			}
		}
	}
	if !slices.Equal(before, p.K.RawMatrix().Data) {
		t.Error("joining changed the numerical part")
	}
	if _, err := p.Joined(mat.NewDense(2, 2, nil), zero, k); err == nil {
		t.Error("a specimen of two forces fits an interface of three")
	}
}
