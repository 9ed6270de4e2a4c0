package lti

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Map is the matrix–vector product, padded with zeros, for small and large
// matrices alike.
func TestMapIsTheMatrixProduct(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range [][2]int{{1, 1}, {3, 5}, {4, 4}, {9, 10}, {25, 25}, {30, 24}, {87, 91}} {
		rows, cols := size[0], size[1]
		m, x := mat.NewDense(rows, cols, nil), make([]float64, cols)
		for j := range cols {
			x[j] = r.NormFloat64()
			for i := range rows {
				m.Set(i, j, r.NormFloat64())
			}
		}
		p := NewMap(m)
		y := make([]float64, p.Rows())
		for i := range y {
			y[i] = 7
		}
		p.Apply(y, x)
		for i, got := range y {
			want := 0.0
			if i < rows {
				want = mat.Dot(m.RowView(i), mat.NewVecDense(cols, x))
			}
			if math.Abs(got-want) > 1e-12 {
				t.Errorf("%d × %d: row %d is %g, want %g", rows, cols, i, got, want)
			}
		}
	}
}

// A plain map adds up its rows from left to right.
func TestPlainMapAddsFromLeftToRight(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{3, 24, 61} {
		m, x := mat.NewDense(n, n+1, nil), make([]float64, n+1)
		m.Apply(func(int, int, float64) float64 { return r.NormFloat64() }, m)
		for j := range x {
			x[j] = r.NormFloat64()
		}
		p := NewPlainMap(m)
		y := make([]float64, p.Rows())
		p.Apply(y, x)
		for i := range n {
			want := 0.0
			for j, v := range x {
				want += m.At(i, j) * v
			}
			if y[i] != want {
				t.Errorf("%d rows: row %d is %v, want %v", n, i, y[i], want)
			}
		}
	}
}

// A recursion is its definition, whether its size is written out or not, and also
// where it holds increments.
func TestRecursionIsItsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, size := range []struct {
		nz, nu, ny int
		increments bool
	}{
		{5, 1, 1, false}, {6, 2, 0, false}, {6, 4, 0, false}, {6, 4, 3, false}, {5, 2, 1, false}, {30, 3, 2, false},
		{6, 2, 0, true}, {6, 4, 0, true}, {6, 4, 3, true}, {6, 3, 0, true},
	} {
		rows, cols := size.nz+size.ny, size.nz+size.nu
		m := mat.NewDense(rows, cols, nil)
		m.Apply(func(int, int, float64) float64 { return r.NormFloat64() / 5 }, m)
		if size.increments {
			for i := range 3 {
				for j := range 6 {
					m.Set(i, j, twoIdentities(i, j, 3))
				}
			}
		}
		p, z := NewRecursion(m, size.nz), make([]float64, size.nz)
		for range 5 {
			w := append(z, make([]float64, size.nu)...)
			for i := range p.U {
				p.U[i] = r.NormFloat64()
				w[size.nz+i] = p.U[i]
			}
			p.Step()
			var want mat.VecDense
			want.MulVec(m, mat.NewVecDense(cols, w))
			for i := range rows {
				if got := p.Out[i]; math.Abs(got-want.AtVec(i)) > 1e-12 {
					t.Errorf("%+v: row %d is %g, want %g", size, i, got, want.AtVec(i))
				}
			}
			for i, v := range p.In {
				if v != w[i] {
					t.Errorf("%+v: input %d is %g, want %g", size, i, v, w[i])
				}
			}
			z = append([]float64(nil), p.State()...)
		}
	}
}
