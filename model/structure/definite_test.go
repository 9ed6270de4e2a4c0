package structure

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"rths/kit/rthstest"
)

// A shear frame of 30, 25 and 20 MN/m has the static stiffness of its storeys in series:
// 30 MN/m at the first floor, 1/(1/30 + 1/25) at the second.
func TestStaticStiffnessOfShearFrame(t *testing.T) {
	s := mustMake(t, &Shear{Masses: []float64{2e4, 3e4, 4e4}, Stiffnesses: []float64{30e6, 25e6, 20e6}})
	for dof, want := range []float64{30e6, 1 / (1/30e6 + 1/25e6), 1 / (1/30e6 + 1/25e6 + 1/20e6)} {
		got := rthstest.Must(s.StaticStiffness(dof))
		rthstest.Near(t, "static stiffness, N/m", got, want, 1e-9*want)
		mass := rthstest.Must(s.StaticMass(dof))
		rthstest.Near(t, "mass, kg", mass, s.M.At(dof, dof), 1e-9*mass)
	}
	wantRoom(t, s, 0, 2e4, 30e6) // the whole storey
	err := s.WantRoom(0, 10, 50e6)
	rthstest.WantError(t, err,
		"its stiffness of 5e+07 N/m leaves -2e+07 N/m to the numerical part at degree of freedom 1: the undivided "+
			"structure, of which the specimen is a part, has 3e+07 N/m there")
	rthstest.WantError(t, s.WantRoom(1, 31e3, 0),
		"its mass of 31000 kg leaves -1000 kg to the numerical part at degree of freedom 2")
}

// A specimen is refused exactly if a matrix of the numerical part has a negative
// eigenvalue, whatever the structure, dense or sparse.
func TestRoomIsNoNegativeEigenvalue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, p := drawFull(t)
		s := mustMake(t, p)
		dof := rapid.IntRange(0, s.N-1).Draw(t, "interface")
		k := rapid.Float64Range(0.01, 1.5).Draw(t, "k/K") * s.K.At(dof, dof)
		m := rapid.Float64Range(0.01, 1.5).Draw(t, "m/M") * s.M.At(dof, dof)
		for _, part := range []struct {
			a    *mat.Dense
			m, k float64
			v    float64
		}{{s.K, 0, k, k}, {s.M, m, 0, m}} {
			lowest := lowestAfter(part.a, dof, part.v)
			if math.Abs(lowest) < 1e-4*part.a.At(dof, dof) {
				continue // at the border rounding decides
			}
			if err := s.WantRoom(dof, part.m, part.k); (err == nil) != (lowest > 0) {
				t.Fatalf("lowest eigenvalue %g of the numerical part, error %v", lowest, err)
			}
		}
	})
}

// lowestAfter is the lowest eigenvalue of A − v e eᵀ.
func lowestAfter(a *mat.Dense, dof int, v float64) float64 {
	left := symmetric(a)
	left.SetSym(dof, dof, left.At(dof, dof)-v)
	var e mat.EigenSym
	e.Factorize(left, false)
	return e.Values(nil)[0]
}

func wantRoom(t *testing.T, s *Structure, dof int, m, k float64) {
	t.Helper()
	if err := s.WantRoom(dof, m, k); err != nil {
		t.Error(err)
	}
}

// A free structure has no static stiffness: no spring to the ground is a part of it.
// A structure without stiffness, or with coordinates without mass, is one all the same.
func TestRoomOfFreeStructure(t *testing.T) {
	free := mustMake(t, &Matrices{Mass: Rows([][]float64{{2, 0}, {0, 0}}),
		Stiffness: Rows([][]float64{{5e6, -5e6}, {-5e6, 5e6}})})
	wantRoom(t, free, 0, 1, 0)
	rthstest.WantError(t, free.WantRoom(0, 0, 100), "its stiffness of 100 N/m leaves -100 N/m")
	mustMake(t, &Matrices{Mass: Rows([][]float64{{2}}), Stiffness: Rows([][]float64{{0}})})
}

// Given matrices with a negative eigenvalue are refused; the message says where. Storeys of
// −10 and 20 N/m have eigenvalues of 15 ± √(5² + 20²) N/m.
func TestNegativeMatrices(t *testing.T) {
	eye := [][]float64{{1, 0}, {0, 1}}
	_, err := (&Matrices{Mass: Rows(eye), Stiffness: Rows([][]float64{{10, -20}, {-20, 20}})}).Make()
	rthstest.WantError(t, err,
		"stiffness matrix has the negative eigenvalue -5.61553, with its largest displacement at degree of freedom 1")
	_, err = (&Matrices{Mass: Rows([][]float64{{1, 2}, {2, 1}}), Stiffness: Rows(eye)}).Make()
	rthstest.WantError(t, err, "mass matrix has the negative eigenvalue -1")
}

// Numbers whose sums overflow have no eigenvalue: the message says so, and names none.
func TestEntriesTooLarge(t *testing.T) {
	_, err := (&Matrices{Mass: Rows([][]float64{{1, 0}, {0, 1}}),
		Stiffness: Rows([][]float64{{1e308, -1e308}, {-1e308, 1.7e308}})}).Make()
	rthstest.WantError(t, err, "stiffness matrix has entries too large to compute with: look at its unit")
}

// Matrices of a file have some digits: a free body with six of them is accepted, and has
// no static stiffness to speak of.
func TestRoundedFreeBody(t *testing.T) {
	s := mustMake(t, &Matrices{Mass: Rows([][]float64{{1, 0}, {0, 1}}),
		Stiffness: Rows([][]float64{{1e6, -1e6 - 0.1}, {-1e6 - 0.1, 1e6}})})
	if own := rthstest.Must(s.StaticStiffness(0)); own > 10 {
		t.Errorf("static stiffness %g N/m: want next to nothing", own)
	}
	_, err := (&Matrices{Mass: Rows([][]float64{{1}}), Stiffness: Rows([][]float64{{1}}),
		Damping: Damping{Matrix: Rows([][]float64{{-0.1}})}}).Make()
	rthstest.WantError(t, err, "damping matrix has the negative eigenvalue -0.1")
}
