package structure

import (
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths/kit/rthstest"
)

// The numerical part and what was taken out are the structure, in mass, damping and
// stiffness; one specimen at one degree of freedom is Divide's partition.
func TestBetweenAddsUp(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	whole := rthstest.Must((&Shear{Masses: []float64{3000, 2000, 1000}, Stiffnesses: []float64{3e6, 2e6, 1e6},
		Damping: Damping{ModalRatio: []float64{0.05}}}).Make())
	for range rthstest.Draws(5, 50) {
		var shares []Share
		sum := [3]*mat.Dense{mat.NewDense(3, 3, nil), mat.NewDense(3, 3, nil), mat.NewDense(3, 3, nil)}
		for range 1 + r.IntN(3) {
			along := []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
			s := Share{Along: along, M: 10 * r.Float64(), C: 100 * r.Float64(), K: 1e4 * r.Float64()}
			shares = append(shares, s)
			for i, v := range []float64{s.M, s.C, s.K} {
				b := mat.NewVecDense(3, along)
				sum[i].RankOne(sum[i], v, b, b)
			}
		}
		p, err := whole.Between([]int{0, 2}, shares)
		if err != nil {
			t.Fatal(err)
		}
		for i, pair := range [][2]*mat.Dense{{p.M, whole.M}, {p.C, whole.C}, {p.K, whole.K}} {
			sum[i].Add(sum[i], pair[0])
			if !mat.EqualApprox(sum[i], pair[1], 1e-9) {
				t.Errorf("matrix %d: both parts are %v: want %v", i, mat.Formatted(sum[i]), mat.Formatted(pair[1]))
			}
		}
		if !mat.Equal(p.Load, whole.load()) {
			t.Error("the ground no longer pushes the whole structure")
		}
	}
	one, err := whole.Between([]int{1}, []Share{{Along: []float64{0, 1, 0}, M: 5, C: 20, K: 1e5}})
	if err != nil {
		t.Fatal(err)
	}
	if want := rthstest.Must(whole.Divide(1, 5, 20, 1e5)); !mat.Equal(one.K, want.K) || !mat.Equal(one.M, want.M) ||
		!mat.Equal(one.C, want.C) || !mat.Equal(one.Load, want.Load) {
		t.Error("one specimen at one degree of freedom differs from Divide")
	}
}

// A specimen beside the structure takes nothing out, and the ground pushes its mass; of one
// between two floors that move alike, nothing.
func TestBetweenBeside(t *testing.T) {
	whole := rthstest.Must((&Shear{Masses: []float64{3000, 2000}, Stiffnesses: []float64{3e6, 2e6}}).Make())
	p, err := whole.Between([]int{0, 1}, []Share{{Along: []float64{0, 1}, M: 50, K: 1e9, Beside: true},
		{Along: []float64{-1, 1}, M: 70, Beside: true}})
	if err != nil {
		t.Fatal(err)
	}
	want := rthstest.Must(whole.Attach(1, 50))
	if !mat.Equal(p.K, whole.K) || !mat.Equal(p.M, whole.M) || !mat.Equal(p.Load, want.Load) {
		t.Errorf("load %v: want %v", mat.Formatted(p.Load), mat.Formatted(want.Load))
	}
}

func TestBetweenErrors(t *testing.T) {
	whole := rthstest.Must((&Shear{Masses: []float64{3000, 2000}, Stiffnesses: []float64{3e6, 2e6}}).Make())
	for _, c := range []struct {
		at     []int
		shares []Share
		want   string
	}{
		{[]int{2}, nil, "interface at degree of freedom 3: want 1 to 2"},
		{[]int{0}, []Share{{Along: []float64{1}}}, "specimen 1: its deformation has 1 coefficients: want 2"},
		{[]int{0}, []Share{{Along: []float64{1, 0}, K: 1e7}}, "stiffness matrix with the negative eigenvalue"},
		{[]int{0}, []Share{{Along: []float64{1, 0}, M: 3001}}, "mass matrix with the negative eigenvalue"},
	} {
		_, err := whole.Between(c.at, c.shares)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v: want one that says %q", err, c.want)
		}
	}
}
