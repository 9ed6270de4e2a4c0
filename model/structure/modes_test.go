package structure

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"rths/kit/rthstest"
)

// ΦᵀMΦ = I, ΦᵀKΦ = Ω², lowest first; frequencies do not depend on the
// coordinates.
func TestModesSolveTheEigenproblem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		frame, p := drawFull(t)
		s := mustMake(t, p)
		modes := mustModes(t, s)
		n := len(modes)
		top := modes[n-1].Omega
		phi := shapes(modes)
		nearMatrix(t, "ΦᵀMΦ", product(phi.T(), s.M, phi), diagonal(n, func(int) float64 { return 1 }), 1e-11)
		nearMatrix(t, "ΦᵀKΦ", product(phi.T(), s.K, phi),
			diagonal(n, func(i int) float64 { return modes[i].Omega * modes[i].Omega }), 1e-11)
		for i, same := range mustModes(t, frame) {
			// An eigenvalue ω² is off by the rounding of the largest.
			rthstest.Near(t, "ω of the frame in other coordinates", modes[i].Omega*modes[i].Omega, same.Omega*same.Omega,
				1e-12*top*top)
			rthstest.Near(t, "frequency", modes[i].FreqHz*2*math.Pi, modes[i].Omega, 1e-14*top)
			if i > 0 && modes[i].Omega < modes[i-1].Omega {
				t.Fatalf("mode %d is lower than mode %d", i+1, i)
			}
		}
	})
}

// freeChain is three masses joined by two springs, not held by the ground.
func freeChain() *Matrices {
	return &Matrices{
		Mass:      Rows([][]float64{{3.1, 0, 0}, {0, 7.7, 0}, {0, 0, 11.3}}),
		Stiffness: Rows([][]float64{{1000, -1000, 0}, {-1000, 3333, -2333}, {0, -2333, 2333}}),
	}
}

// A rigid-body mode has frequency 0 and no damping ratio, damped or not.
func TestRigidBodyMode(t *testing.T) {
	p := freeChain()
	for _, c := range [][][]float64{
		{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}},
		{{1, -1, 0}, {-1, 1, 0}, {0, 0, 0}}, // dashpot between masses
		{{1, 0, 0}, {0, 0, 0}, {0, 0, 0}},   // dashpot to the ground
	} {
		p.Damping.Matrix.Rows = c
		modes := mustModes(t, mustMake(t, p))
		if m := modes[0]; m.Omega != 0 || m.FreqHz != 0 || !math.IsNaN(m.Ratio) {
			t.Errorf("first mode: %g rad/s, %g Hz, ratio %g: want 0, 0, NaN", m.Omega, m.FreqHz, m.Ratio)
		}
		total := 3.1 + 7.7 + 11.3
		for _, v := range modes[0].Shape {
			rthstest.Near(t, "rigid-body shape", math.Abs(v), 1/math.Sqrt(total), 1e-14)
		}
		if !(modes[1].Omega > 1) {
			t.Errorf("second mode: %g rad/s: want a vibration", modes[1].Omega)
		}
	}
}

// A soft structure is not a rigid body: frequencies 1e5 apart are both kept.
func TestSoftModeIsKept(t *testing.T) {
	s := mustMake(t, &Shear{Masses: []float64{1, 1}, Stiffnesses: []float64{2, 1e10}})
	rthstest.Near(t, "ω of both masses on the soft spring", mustModes(t, s)[0].Omega, 1, 1e-5)
}

func TestSingularMassIsNamed(t *testing.T) {
	unit := mat.NewDense(2, 2, []float64{1, 0, 0, 1})
	for _, c := range []struct {
		mass []float64
		want string
	}{
		{[]float64{1, 0, 0, 0}, "singular mass matrix: degree of freedom 2 has mass 0 kg: want more than 0"},
		{[]float64{-2, 0, 0, 1}, "singular mass matrix: degree of freedom 1 has mass -2 kg: want more than 0"},
		{[]float64{1, 1, 1, 1}, "singular mass matrix: want a positive definite one"},
		{[]float64{1, 2, 2, 1}, "singular mass matrix: want a positive definite one"},
	} {
		s := &Structure{N: 2, M: mat.NewDense(2, 2, c.mass), C: unit, K: unit, Gamma: Ones(2)}
		_, err := s.Modes()
		rthstest.WantError(t, err, c.want)
		_, err = s.Undivided().InverseMass()
		rthstest.WantError(t, err, "numerical part: "+c.want)
	}
}
