package identify

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Recursive least squares is the batch solution: θ minimises
// Σ λ^(N−i) (y_i − φ_i'θ)² + λ^N (θ − θ0)' P0⁻¹ (θ − θ0), and P is its inverse
// normal matrix.
func TestRLSEqualsBatchLeastSquares(t *testing.T) {
	const n, steps = 3, 200
	r := rand.New(rand.NewPCG(1, 2))
	theta0 := []float64{1, -2, 0.5}
	p0 := []float64{4, 1, 0.5, 1, 3, -0.2, 0.5, -0.2, 2}
	for _, lambda := range []float64{1, 0.97} {
		got, err := NewRLS(theta0, p0, lambda)
		if err != nil {
			t.Fatal(err)
		}
		var normal mat.Dense
		if err := normal.Inverse(mat.NewDense(n, n, p0)); err != nil {
			t.Fatal(err)
		}
		var right mat.VecDense
		right.MulVec(&normal, mat.NewVecDense(n, theta0))
		for range steps {
			phi := []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
			y := 3*phi[0] - phi[1] + 0.2*phi[2] + 0.1*r.NormFloat64()
			got.Update(phi, y)
			v := mat.NewVecDense(n, phi)
			normal.Scale(lambda, &normal)
			normal.RankOne(&normal, 1, v, v)
			right.ScaleVec(lambda, &right)
			right.AddScaledVec(&right, y, v)
		}
		var p mat.Dense
		var theta mat.VecDense
		if err := p.Inverse(&normal); err != nil {
			t.Fatal(err)
		}
		theta.MulVec(&p, &right)
		for i, v := range got.theta {
			if math.Abs(v-theta.AtVec(i)) > 1e-12*math.Abs(theta.AtVec(i)) {
				t.Errorf("λ %g: parameter %d is %.15g, batch %.15g", lambda, i+1, v, theta.AtVec(i))
			}
		}
		for k, v := range got.p {
			if math.Abs(v-p.At(k/n, k%n)) > 1e-12*p.At(0, 0) {
				t.Errorf("λ %g: P[%d] is %.15g, batch %.15g", lambda, k, v, p.At(k/n, k%n))
			}
		}
	}
}

// In silence P winds up to a bound and no further, and the estimate still finds
// the truth afterwards.
func TestRLSSilence(t *testing.T) {
	r, err := NewRLS([]float64{1, 1}, []float64{1, 2}, 0.9)
	if err != nil {
		t.Fatal(err)
	}
	for range 100000 {
		r.Update([]float64{0, 0}, 0)
	}
	if r.p[0] < windUp || r.p[0] > windUp/0.9 || r.p[3] > 2*windUp/0.9 || r.theta[0] != 1 {
		t.Errorf("after silence θ %v, P %v: want θ unchanged and P at %g times its start", r.theta, r.p, windUp)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		r.Update([]float64{a, b}, 3*a-b)
	}
	if math.Abs(r.theta[0]-3) > 1e-9 || math.Abs(r.theta[1]+1) > 1e-9 {
		t.Errorf("θ %v, want 3 and -1", r.theta)
	}
}

// What cannot be numbers leaves everything as it was.
func TestRLSLeavesOutWhatOverflows(t *testing.T) {
	for _, bad := range []float64{1e200, math.MaxFloat64, math.Inf(1), math.NaN()} {
		r, err := NewRLS([]float64{1, 1}, []float64{1e200}, 0.9)
		if err != nil {
			t.Fatal(err)
		}
		r.Update([]float64{bad, -bad}, 1)
		if r.theta[0] != 1 || r.p[0] != 1e200 || r.p[1] != 0 {
			t.Errorf("φ of %g: θ %v, P %v", bad, r.theta, r.p)
		}
	}
	r, _ := NewRLS([]float64{1, 1}, []float64{1, 1}, 1)
	r.Update([]float64{1, 2}, math.NaN())
	if r.theta[0] != 1 || r.p[0] != 1 {
		t.Errorf("y of NaN: θ %v, P %v", r.theta, r.p)
	}
}

func TestRLSWrongInput(t *testing.T) {
	for _, tc := range []struct {
		p0     []float64
		lambda float64
		want   string
	}{
		{[]float64{1, 2, 3}, 1, "3 numbers in p0: want 1, 2 (diagonal) or 4 (rows)"},
		{[]float64{1, -2}, 1, "p0: variance -2 of parameter 2: want 0 or more"},
		{[]float64{math.Inf(1)}, 1, "p0 holds +Inf: want finite numbers"},
		{[]float64{1}, 0, "forgetting 0: want above 0, at most 1"},
		{[]float64{1}, 1.1, "forgetting 1.1: want above 0, at most 1"},
	} {
		if _, err := NewRLS([]float64{1, 1}, tc.p0, tc.lambda); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want it to say %q", err, tc.want)
		}
	}
}

// An update is possible while its sums are finite, and not where only one of them is not.
func TestPossibleUpdate(t *testing.T) {
	const big = 1.7e308
	for _, c := range []struct {
		r    RLS
		d, e float64
		want bool
	}{
		{RLS{a: []float64{1, 2}, theta: []float64{1, 1}, lambda: 0.99}, 4, 0.1, true},
		{RLS{a: []float64{1}, theta: []float64{big}, lambda: 0.99}, 1, big, false},
		{RLS{a: []float64{1}, theta: []float64{1}, lambda: 0.99}, 0, 1, false},
		{RLS{a: []float64{1}, theta: []float64{-big}, lambda: 1}, 1, big, true},
	} {
		if got := c.r.possible(c.d, c.e); got != c.want {
			t.Errorf("θ %v, d %g, e %g: possible %t, want %t", c.r.theta, c.d, c.e, got, c.want)
		}
	}
}
