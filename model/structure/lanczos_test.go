package structure

import (
	"fmt"
	"testing"

	"rths/kit/rthstest"
)

// Vectors belong to their values and are orthonormal; the values are those without vectors.
func TestLanczosVectors(t *testing.T) {
	s := ground(t, 12, 8)
	root := s.Sparse.rootMass()
	scaled := make([]float64, s.N)
	multiply := func(y, x []float64) {
		for i, v := range x {
			scaled[i] = v / root[i]
		}
		s.Sparse.K.MulVec(y, scaled)
		for i := range y {
			y[i] /= root[i]
		}
	}
	const want = 25
	plain := rthstest.Must(lanczos(s.N, want, multiply))
	values, vectors, err := lanczosVectors(s.N, want, multiply)
	if err != nil || len(values) != want || len(vectors) != want {
		t.Fatalf("%d values, %d vectors, %v", len(values), len(vectors), err)
	}
	product := make([]float64, s.N)
	for i, x := range vectors {
		rthstest.Near(t, fmt.Sprintf("value %d", i+1), values[i], plain[i], 1e-12*plain[0])
		multiply(product, x)
		for j := range product {
			product[j] -= values[i] * x[j]
		}
		rthstest.Near(t, fmt.Sprintf("residual %d", i+1), norm(product), 0, 1e-8*values[0])
		for j := range i + 1 {
			rthstest.Near(t, fmt.Sprintf("x%d·x%d", i+1, j+1), inner(x, vectors[j]), map[bool]float64{true: 1}[i == j], 1e-10)
		}
	}
}

// Equal eigenvalues may be found once or more often, each time with a vector of its own.
func TestLanczosVectorsOfEqualValues(t *testing.T) {
	value := func(i int) float64 { return float64(1 + i%3) }
	values, vectors, err := lanczosVectors(50, 20, func(y, x []float64) {
		for i, v := range x {
			y[i] = value(i) * v
		}
	})
	if err != nil || len(values) < 3 || len(vectors) != len(values) {
		t.Fatalf("%g, %d vectors, %v", values, len(vectors), err)
	}
	for i, x := range vectors {
		for j, v := range x {
			rthstest.Near(t, fmt.Sprintf("(A − %g) x%d, entry %d", values[i], i+1, j+1), (value(j)-values[i])*v, 0, 1e-9)
		}
		for j := range i + 1 {
			rthstest.Near(t, fmt.Sprintf("x%d·x%d", i+1, j+1), inner(x, vectors[j]), map[bool]float64{true: 1}[i == j], 1e-9)
		}
	}
}
