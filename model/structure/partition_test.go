package structure

import (
	"math"
	"math/cmplx"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"rths/kit/rthstest"
)

// Numerical part and specimen add up to the structure, which stays as it is;
// the load is the whole mass times Γ whatever the specimen (docs/reference/benchmark-siso.md,
// Partition).
func TestPartsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, p := drawFull(t)
		p.Damping.ModalRatio = []float64{0.03}
		n := len(p.Mass.Rows)
		for _, v := range rapid.SliceOfN(rapid.IntRange(-20, 20), n, n).Draw(t, "Γ·10") {
			p.Influence.Values = append(p.Influence.Values, float64(v)/10)
		}
		s, again := mustMake(t, p), mustMake(t, p)
		dof := rapid.IntRange(0, n-1).Draw(t, "interface")
		m := rapid.Float64Range(0, 0.99).Draw(t, "m") * s.M.At(dof, dof)
		c := rapid.Float64Range(0, 1e5).Draw(t, "c")
		k := rapid.Float64Range(0, 1e8).Draw(t, "k")
		part, err := s.Divide(dof, m, c, k)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range []struct {
			name           string
			numerical      *mat.Dense
			specimen       float64
			whole, pristin *mat.Dense
		}{{"M", part.M, m, s.M, again.M}, {"C", part.C, c, s.C, again.C}, {"K", part.K, k, s.K, again.K}} {
			sum := mat.DenseCopyOf(a.numerical)
			sum.Set(dof, dof, sum.At(dof, dof)+a.specimen)
			nearMatrix(t, a.name+" of both parts", sum, a.whole, 1e-13*max(1, a.specimen/largest(a.whole)))
			nearMatrix(t, a.name+" of the whole", a.whole, a.pristin, 0)
		}
		if part.Whole != s || part.N() != n || !slices.Equal(part.Interface, []int{dof}) {
			t.Fatalf("whole %p, %d degrees of freedom, interface %d: want %p, %d, [%d]", part.Whole, part.N(), part.Interface, s,
				n, dof)
		}
		want := product(s.M, mat.NewDense(n, 1, p.Influence.Values))
		nearMatrix(t, "load", part.Load, want, 1e-14)
		nearMatrix(t, "load without specimen", s.Undivided().Load, want, 1e-14)
	})
}

// The benchmark, case 1 (docs/reference/benchmark-siso.md, Partition): K_N(1,1) is about 4.6 % less than
// K(1,1), and the ground term carries 1000 kg at each floor although 29.13 kg
// of the first are in the laboratory.
func TestBenchmarkPartition(t *testing.T) {
	s := benchmark(t, 1)
	m, c, k := benchmarkSpecimen[0], benchmarkSpecimen[1], benchmarkSpecimen[2]
	part, err := s.Divide(0, m, c, k)
	if err != nil {
		t.Fatal(err)
	}
	rthstest.Near(t, "k_e/K(1,1)", 1-part.K.At(0, 0)/s.K.At(0, 0), 0.046, 0.0005)
	rthstest.Near(t, "c_e = 2 ζ_e √(k_e m_e)", c, 2*0.0097*math.Sqrt(k*m), 0.005)
	rthstest.Near(t, "M_N(1,1)", part.M.At(0, 0), 970.87, 1e-12)
	rthstest.Near(t, "C_N(1,1)", part.C.At(0, 0), s.C.At(0, 0)-114.22, 1e-11)
	nearMatrix(t, "load", part.Load, mat.NewDense(3, 1, []float64{1000, 1000, 1000}), 0)
}

// Ground motion in two directions has a column of load for each.
func TestLoadOfTwoComponents(t *testing.T) {
	s := &Structure{
		N: 2, M: mat.NewDense(2, 2, []float64{4, 1, 1, 3}), C: mat.NewDense(2, 2, nil),
		K:     mat.NewDense(2, 2, []float64{9, 0, 0, 9}),
		Gamma: mat.NewDense(2, 2, []float64{1, 0, 0, 2}),
	}
	part, err := s.Divide(1, 1, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	nearMatrix(t, "load", part.Load, mat.NewDense(2, 2, []float64{4, 2, 1, 6}), 0)
}

func TestUndivided(t *testing.T) {
	s := benchmark(t, 3)
	p := s.Undivided()
	nearMatrix(t, "M", p.M, s.M, 0)
	nearMatrix(t, "C", p.C, s.C, 0)
	nearMatrix(t, "K", p.K, s.K, 0)
	if p.Whole != s || p.N() != 3 || len(p.Interface) != 0 {
		t.Errorf("whole %p, %d degrees of freedom, interface %d: want %p, 3, none", p.Whole, p.N(), p.Interface, s)
	}
}

func TestInverseMass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, p := drawFull(t)
		part := mustMake(t, p).Undivided()
		inverse, err := part.InverseMass()
		if err != nil {
			t.Fatal(err)
		}
		nearMatrix(t, "M⁻¹M", product(inverse, part.M), diagonal(part.N(), func(int) float64 { return 1 }), 1e-11)
	})
}

func TestDivideErrors(t *testing.T) {
	s := benchmark(t, 1)
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		dof     int
		m, c, k float64
		want    string
	}{
		{-1, 1, 1, 1, "interface at degree of freedom 0: want 1 to 3"},
		{3, 1, 1, 1, "interface at degree of freedom 4: want 1 to 3"},
		{1, 1200, 0, 0,
			"the specimen's mass 1200 kg leaves -200 kg at degree of freedom 2 of the numerical part: want more than 0"},
		{0, 1000, 0, 0, "the specimen's mass 1000 kg leaves 0 kg at degree of freedom 1"},
		{0, nan, 0, 0, "the specimen's mass is NaN: want a finite number"},
		{0, inf, 0, 0, "the specimen's mass is +Inf: want a finite number"},
		{0, 1, nan, 0, "the specimen's damping is NaN: want a finite number"},
		{0, 1, 0, inf, "the specimen's stiffness is +Inf: want a finite number"},
	} {
		_, err := s.Divide(c.dof, c.m, c.c, c.k)
		rthstest.WantError(t, err, c.want)
	}
}

// Mass that is enough at its degree of freedom can still leave a numerical part
// that no acceleration can be computed for.
func TestIndefiniteNumericalMass(t *testing.T) {
	s := &Structure{N: 2, M: mat.NewDense(2, 2, []float64{2, 1, 1, 1}), C: mat.NewDense(2, 2, nil),
		K: mat.NewDense(2, 2, nil), Gamma: Ones(2)}
	part, err := s.Divide(0, 1.5, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = part.InverseMass()
	rthstest.WantError(t, err, "numerical part: singular mass matrix: want a positive definite one")
}

// A specimen beside the structure leaves it whole; its mass is pushed by the
// ground as the floor's is.
func TestAttach(t *testing.T) {
	s := benchmark(t, 1)
	p, err := s.Attach(1, 40)
	if err != nil {
		t.Fatal(err)
	}
	nearMatrix(t, "M", p.M, s.M, 0)
	nearMatrix(t, "C", p.C, s.C, 0)
	nearMatrix(t, "K", p.K, s.K, 0)
	heavier := benchmark(t, 1)
	heavier.M.Set(1, 1, heavier.M.At(1, 1)+40)
	nearMatrix(t, "load", p.Load, heavier.Undivided().Load, 1e-9)
	if len(p.Interface) != 1 || p.Interface[0] != 1 || p.Whole != s {
		t.Errorf("interface %v: want degree of freedom 1 of the structure", p.Interface)
	}
	for _, s := range []*Structure{s, heavier} {
		if err := s.Push(0); err != nil {
			t.Fatal(err)
		}
	}
	p = rthstest.Must(s.Attach(1, 40)) // the columns of forces stay
	nearMatrix(t, "load with a force", p.Load, heavier.Undivided().Load, 1e-9)
	_, err = s.Attach(3, 0)
	rthstest.WantError(t, err, "interface at degree of freedom 4: want 1 to 3")
}

// The response of one mass to the ground's acceleration is the textbook's: −1/(ω₁² − ω² +
// 2iζω₁ω) with what the specimen has left. A sign turns the interface round.
func TestResponse(t *testing.T) {
	whole := mustMake(t, &Matrices{Mass: Rows([][]float64{{2}}), Stiffness: Rows([][]float64{{800}})})
	p, err := whole.Divide(0, 0.5, -3, 200)
	if err != nil {
		t.Fatal(err)
	}
	p.Sign = []float64{-1}
	for _, hz := range []float64{0, 1, 3.1831, 8} {
		w := 2 * math.Pi * hz
		want := 2 / complex(600-w*w*1.5, w*3) // −(−1), the whole mass is pushed
		if got, err := p.Response(hz); err != nil || cmplx.Abs(got[0]-want) > 1e-12*cmplx.Abs(want) {
			t.Errorf("%g Hz: %.6g, %v: want %.6g", hz, got, err, want)
		}
	}
	p.K.Set(0, 0, 0)
	if _, err := p.Response(0); err == nil || !strings.Contains(err.Error(), "at 0 Hz") {
		t.Errorf("nothing holds the mass: %v", err)
	}
}
