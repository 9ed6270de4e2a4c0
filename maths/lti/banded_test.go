package lti

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// band draws a symmetric matrix of n rows and half bandwidth k, dominated by
// its diagonal, so positive definite; every other diagonal may be empty.
func band(seed uint64, n, k int) *CSR {
	r := rand.New(rand.NewPCG(seed, 3))
	var list []Entry
	for i := range n {
		list = append(list, Entry{i, i, 2*float64(k) + 1 + r.Float64()})
		for j := max(0, i-k); j < i; j++ {
			if v := 2*r.Float64() - 1; v > -0.5 || i-j == k {
				list = append(list, Entry{i, j, v}, Entry{j, i, v})
			}
		}
	}
	return NewCSR(n, list)
}

func full(a *CSR) *mat.Dense {
	d := mat.NewDense(a.n, a.n, nil)
	for i := range a.n {
		for j := range a.n {
			d.Set(i, j, a.At(i, j))
		}
	}
	return d
}

// Entries at one place add up; the product, one row of the product and the shifted
// matrix equal the dense ones.
func TestCSRIsItsDenseMatrix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		want := mat.NewDense(n, n, nil)
		var list []Entry
		for range rapid.IntRange(0, 40).Draw(t, "entries") {
			e := Entry{rapid.IntRange(0, n-1).Draw(t, "row"), rapid.IntRange(0, n-1).Draw(t, "col"),
				float64(rapid.IntRange(-9, 9).Draw(t, "v"))}
			list = append(list, e)
			want.Set(e.Row, e.Col, want.At(e.Row, e.Col)+e.V)
		}
		a := NewCSR(n, list)
		x, d := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], d[i] = float64(i*i-3), float64(7-i)
		}
		y, half := make([]float64, n), 0
		a.MulVec(y, x)
		s := a.Shifted(-2, d)
		for i := range n {
			sum := 0.0
			for j := range n {
				sum += want.At(i, j) * x[j]
				shifted := -2 * want.At(i, j)
				if i == j {
					shifted += d[i]
				}
				if a.At(i, j) != want.At(i, j) || s.At(i, j) != shifted {
					t.Fatalf("entry (%d,%d) is %g, shifted %g: want %g and %g", i, j, a.At(i, j), s.At(i, j), want.At(i, j), shifted)
				}
				if want.At(i, j) != 0 {
					half = max(half, i-j, j-i)
				}
			}
			if y[i] != sum {
				t.Fatalf("row %d times x is %g: want %g", i, y[i], sum)
			}
		}
		if a.HalfBandwidth() != half || a.Rows() != n {
			t.Fatalf("half bandwidth %d of %d rows: want %d of %d", a.HalfBandwidth(), a.Rows(), half, n)
		}
	})
}

// The solution is gonum's, dense and banded, from a diagonal matrix to a full
// one.
func TestBandedSolvesAsGonum(t *testing.T) {
	for _, size := range [][2]int{{1, 0}, {7, 0}, {2, 1}, {30, 1}, {40, 7}, {50, 49}, {200, 19}, {300, 43}} {
		n, k := size[0], size[1]
		a := band(uint64(n+k), n, k)
		b, err := NewBanded(a)
		if err != nil {
			t.Fatal(err)
		}
		if b.HalfBandwidth() != k {
			t.Errorf("half bandwidth %d: want %d", b.HalfBandwidth(), k)
		}
		x, right := make([]float64, n), make([]float64, n)
		for i := range x {
			right[i] = math.Sin(float64(3 * i))
		}
		copy(x, right)
		b.Solve(x)

		var dense, banded mat.VecDense
		if err := dense.SolveVec(full(a), mat.NewVecDense(n, right)); err != nil {
			t.Fatal(err)
		}
		sym := mat.NewSymBandDense(n, k, nil)
		for i := range n {
			for j := i; j <= min(n-1, i+k); j++ {
				sym.SetSymBand(i, j, a.At(i, j))
			}
		}
		var chol mat.BandCholesky
		if !chol.Factorize(sym) {
			t.Fatal("gonum: not positive definite")
		}
		if err := chol.SolveVecTo(&banded, mat.NewVecDense(n, right)); err != nil {
			t.Fatal(err)
		}
		for i := range x {
			if e := max(math.Abs(x[i]-dense.AtVec(i)), math.Abs(x[i]-banded.AtVec(i))); e > 1e-14 {
				t.Fatalf("n %d, k %d: x(%d) = %g: want %g, %g", n, k, i, x[i], dense.AtVec(i), banded.AtVec(i))
			}
		}
		if allocs := testing.AllocsPerRun(10, func() { b.Solve(x); a.MulVec(right, x) }); allocs != 0 {
			t.Errorf("%g allocations: want none", allocs)
		}
	}
}

// What is not positive definite is refused, with the row.
func TestBandedRefuses(t *testing.T) {
	for _, c := range []struct {
		entries []Entry
		want    string
	}{
		{[]Entry{{0, 0, 1}, {1, 1, -1}}, "band matrix: row 2 leaves -1 on the diagonal: want a positive definite matrix"},
		{[]Entry{{0, 0, 1}, {0, 1, 1}, {1, 0, 1}, {1, 1, 1}}, "row 2 leaves 0"},
		{[]Entry{{0, 0, math.NaN()}, {1, 1, 1}}, "row 1 leaves NaN"},
		{[]Entry{{0, 0, math.Inf(1)}, {1, 1, 1}}, "row 1 leaves +Inf"},
	} {
		_, err := NewBanded(NewCSR(2, c.entries))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v: want one that says %q", err, c.want)
		}
	}
}

// Rows and columns that are dropped leave all others as they were.
func TestWithout(t *testing.T) {
	a := band(5, 30, 4)
	for _, drop := range [][]int{nil, {0}, {29}, {7, 3, 8, 20}} {
		b := a.Without(drop)
		if b.Rows() != a.Rows()-len(drop) {
			t.Fatalf("without %d: %d rows", drop, b.Rows())
		}
		var left []int
		for i := range a.Rows() {
			if !slices.Contains(drop, i) {
				left = append(left, i)
			}
		}
		for i, p := range left {
			for j, q := range left {
				if b.At(i, j) != a.At(p, q) {
					t.Errorf("without %d: entry (%d,%d) is %g: want %g", drop, i, j, b.At(i, j), a.At(p, q))
				}
			}
		}
	}
}

// BenchmarkBanded is one solution of 1240 rows, half bandwidth 43.
func BenchmarkBanded(b *testing.B) {
	a := band(1, 1240, 43)
	f, err := NewBanded(a)
	if err != nil {
		b.Fatal(err)
	}
	x := make([]float64, 1240)
	for b.Loop() {
		x[7] = 1
		f.Solve(x)
	}
}
