package structure

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"rths/kit/rthstest"
)

// nearMatrix compares entries; tol is relative to the largest wanted one.
func nearMatrix(t rthstest.TB, what string, got, want mat.Matrix, tol float64) {
	t.Helper()
	gr, gc := got.Dims()
	wr, wc := want.Dims()
	if gr != wr || gc != wc {
		t.Fatalf("%s is %d × %d: want %d × %d", what, gr, gc, wr, wc)
	}
	scale := largest(want)
	for i := range wr {
		for j := range wc {
			if !rthstest.Near(t, fmt.Sprintf("%s(%d,%d)", what, i+1, j+1), got.At(i, j), want.At(i, j), tol*scale) {
				return
			}
		}
	}
}

func largest(m mat.Matrix) float64 { return max(mat.Max(m), -mat.Min(m)) }

func mustMake(t rthstest.TB, m Maker) *Structure {
	t.Helper()
	s, err := m.Make()
	if err != nil {
		t.Fatalf("%v", err)
	}
	return s
}

func mustModes(t rthstest.TB, s *Structure) []Mode {
	t.Helper()
	modes, err := s.Modes()
	if err != nil {
		t.Fatalf("%v", err)
	}
	return modes
}

// shapes is Φ, a mode per column.
func shapes(modes []Mode) *mat.Dense {
	phi := mat.NewDense(len(modes), len(modes), nil)
	for i, m := range modes {
		phi.SetCol(i, m.Shape)
	}
	return phi
}

// product is a·b·c·…
func product(factors ...mat.Matrix) *mat.Dense {
	var out mat.Dense
	out.Product(factors...)
	return &out
}

func diagonal(n int, entry func(i int) float64) *mat.Dense {
	d := mat.NewDense(n, n, nil)
	for i := range n {
		d.Set(i, i, entry(i))
	}
	return d
}

func rowsOf(m mat.Matrix) [][]float64 {
	n, _ := m.Dims()
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = mat.Row(nil, i, m)
	}
	return rows
}

// drawShear draws a frame of 1 to 6 floors, storeys of 1e5 to 1e7 N/m and
// floors of 500 to 2000 kg.
func drawShear(t *rapid.T) *Shear {
	n := rapid.IntRange(1, 6).Draw(t, "floors")
	return &Shear{
		Masses:      rapid.SliceOfN(rapid.Float64Range(500, 2000), n, n).Draw(t, "masses"),
		Stiffnesses: rapid.SliceOfN(rapid.Float64Range(1e5, 1e7), n, n).Draw(t, "stiffnesses"),
	}
}

// drawFull draws a structure with full matrices: a shear frame in coordinates
// y, x = T y, so that M is TᵀMT and K is TᵀKT. Frequencies are the frame's.
func drawFull(t *rapid.T) (frame *Structure, full *Matrices) {
	frame = mustMake(t, drawShear(t))
	n := frame.N
	change := diagonal(n, func(int) float64 { return 1 })
	for i := range n {
		for j := i + 1; j < n; j++ {
			change.Set(i, j, rapid.Float64Range(-0.5, 0.5).Draw(t, "t"))
		}
	}
	return frame, &Matrices{
		Mass:      Rows(rowsOf(product(change.T(), frame.M, change))),
		Stiffness: Rows(rowsOf(product(change.T(), frame.K, change))),
	}
}

// benchmarkSpecimen is mass, damping and stiffness of the single-actuator
// benchmark's specimen (docs/reference/benchmark-siso.md, Partition, package).
var benchmarkSpecimen = [3]float64{29.13, 114.22, 1190e3}

func benchmark(t testing.TB, number int) *Structure {
	t.Helper()
	return mustMake(t, &Silva2020{Case: number})
}
