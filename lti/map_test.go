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
