package lti

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// oscillators is the matrix of a sample of h s of three coupled oscillators with nu
// inputs, exact for held inputs.
func oscillators(t *testing.T, r *rand.Rand, h float64, nu int) *mat.Dense {
	t.Helper()
	a, b := mat.NewDense(6, 6, nil), mat.NewDense(6, nu, nil)
	for i := range 3 {
		a.Set(i, 3+i, 1)
		for j := range 3 {
			a.Set(3+i, j, 20*r.NormFloat64())
			a.Set(3+i, 3+j, r.NormFloat64())
		}
		a.Set(3+i, i, -400-300*r.Float64())
		for j := range nu {
			b.Set(3+i, j, r.NormFloat64())
		}
	}
	phi, gamma, err := ZOHInputs(a, b, h)
	if err != nil {
		t.Fatal(err)
	}
	var m mat.Dense
	m.Augment(phi, gamma)
	return &m
}

// A recursion in increments goes where the one it was made from goes, with half the
// products of the displacements' rows.
func TestIncrementsAreTheSameMotion(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, nu := range []int{2, 4} {
		for _, h := range []float64{1e-4, 1e-3, 0.02} {
			m := oscillators(t, r, h, nu)
			inc, back := Increments(m, 6)
			if !holdsIncrements(inc, 3) {
				t.Fatalf("%d inputs, %g s: first rows %v: want [I I B]", nu, h, mat.Formatted(inc))
			}
			want, got := NewRecursion(m, 6), NewRecursion(inc, 6)
			if got.increments3and2 == nil && got.increments3and4 == nil {
				t.Fatalf("%d inputs, %g s: products with 0 and 1 are not left out", nu, h)
			}
			y, most, off := mat.NewVecDense(6, nil), make([]float64, 6), make([]float64, 6)
			for range 2000 {
				for i := range nu {
					want.U[i] = r.NormFloat64()
					got.U[i] = want.U[i]
				}
				want.Step()
				got.Step()
				y.MulVec(back, mat.NewVecDense(6, got.Out))
				for i, v := range want.Out {
					most[i], off[i] = max(most[i], math.Abs(v)), max(off[i], math.Abs(v-y.AtVec(i)))
				}
			}
			for i := range most {
				if !(off[i] <= 1e-11*most[i]) || math.IsInf(most[i], 1) {
					t.Errorf("%d inputs, %g s: state %d is off by %g of %g", nu, h, i, off[i], most[i])
				}
			}
		}
	}
}

// Nothing is rewritten where there is nothing to gain: other sizes, half a period
// per sample, and matrices full of zeros already.
func TestIncrementsDecline(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	half := mat.NewDense(6, 8, nil) // x, ẋ of a mode of half a period: both change sign
	for i := range 6 {
		half.Set(i, i, -1)
		half.Set(i, (i+1)%3, 0.1)
	}
	past := oscillators(t, r, 1e-3, 4) // y is the x before
	for i := range 3 {
		past.SetRow(3+i, make([]float64, 10))
		past.Set(3+i, i, 1)
	}
	for name, m := range map[string]*mat.Dense{
		"three inputs": oscillators(t, r, 1e-3, 3), "half a period": half, "past x": past,
	} {
		inc, back := Increments(m, 6)
		if inc != m || !mat.Equal(back, Diagonal(6, 1)) {
			t.Errorf("%s: rewritten as %v", name, mat.Formatted(inc))
		}
	}
	five := mat.NewDense(5, 6, nil)
	if inc, back := Increments(five, 5); inc != five || !mat.Equal(back, Diagonal(5, 1)) {
		t.Error("five states: rewritten")
	}
}

// Numbers beyond double precision, as of a damping of 1e300, come back as they are.
func TestIncrementsOfWhatIsNotFinite(t *testing.T) {
	m := mat.NewDense(6, 8, nil)
	m.Set(3, 3, math.NaN())
	if inc, back := Increments(m, 6); inc != m || !mat.Equal(back, Diagonal(6, 1)) {
		t.Errorf("increments %v", mat.Formatted(inc))
	}
}
