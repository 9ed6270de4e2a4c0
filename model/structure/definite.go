package structure

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rths/maths/lti"
)

// A matrix A counts as positive semidefinite if A + d diag(A) has a Cholesky factor: d is
// rounding for matrices that the program has assembled, asymmetry for those that a file
// gives with some digits.
const rounding = 1e-12

// spareless is the part of a specimen's mass, damping or stiffness that rounding may
// leave below zero: a specimen may be a whole storey.
const spareless = 1e-6

// WantRoom refuses a specimen of mass m (kg) and stiffness k (N/m), between the ground
// and degree of freedom dof (from 0), whose removal would leave a mass or stiffness matrix
// with a negative eigenvalue. What is left of a matrix A of the structure has no negative
// eigenvalue exactly if the specimen has at most the static stiffness 1/(A⁻¹)_jj of the
// structure at the degree of freedom j. (Of a mass matrix: the mass there.)
func (s *Structure) WantRoom(dof int, m, k float64) error {
	for _, part := range []struct {
		name, unit, advice string
		v                  float64
		static             func(int) (float64, error)
	}{
		{"mass", "kg", "a lighter specimen", m, s.StaticMass},
		{"stiffness", "N/m", "a softer specimen", k, s.StaticStiffness},
	} {
		if part.v == 0 {
			continue
		}
		own, err := part.static(dof)
		if err != nil {
			return err
		}
		if left := own - part.v; left < -spareless*part.v {
			return fmt.Errorf(
				"its %s of %.6g %s leaves %.6g %s to the numerical part at degree of freedom %d: the undivided structure, of "+
					"which the specimen is a part, has %.6g %s there: want %s, or a structure that contains it",
				part.name, part.v, part.unit, left, part.unit, dof+1, own, part.unit, part.advice)
		}
	}
	return nil
}

// StaticStiffness is the force per displacement of a degree of freedom (from 0) while no
// other is loaded, 1/(K⁻¹)_jj, N/m: the largest stiffness that a specimen there may have.
func (s *Structure) StaticStiffness(dof int) (float64, error) {
	if s.Sparse != nil {
		return staticOf("stiffness", s.Sparse.K, dof)
	}
	return staticOf("stiffness", sparseOf(s.K), dof)
}

// StaticDamping is 1/(C⁻¹)_jj, N·s/m: the largest damping that a specimen may have without
// leaving the numerical part a damping matrix with a negative eigenvalue.
func (s *Structure) StaticDamping(dof int) (float64, error) {
	if s.Sparse != nil {
		return 0, wantDense("damping", s.N)
	}
	return staticOf("damping", sparseOf(s.C), dof)
}

// StaticMass is 1/(M⁻¹)_jj, kg; of lumped masses, the mass of the degree of freedom.
func (s *Structure) StaticMass(dof int) (float64, error) {
	if s.Sparse != nil {
		return s.Sparse.M[dof], nil
	}
	return staticOf("mass", sparseOf(s.M), dof)
}

func staticOf(name string, a *lti.CSR, dof int) (float64, error) {
	factor, err := semidefinite(name, a, rounding)
	if err != nil {
		factor, err = semidefinite(name, a, asymmetry)
	}
	if err != nil {
		return 0, err
	}
	x := make([]float64, a.Rows())
	x[dof] = 1
	factor.Solve(x)
	own := 1 / x[dof]
	if own <= 10*float64(a.Rows())*rounding*a.At(dof, dof) || a.At(dof, dof) == 0 {
		return 0, nil // a free body, or nothing there
	}
	return own, nil
}

// semidefinite is a factor of a matrix without negative eigenvalues.
func semidefinite(name string, a *lti.CSR, d float64) (*lti.Banded, error) {
	n := a.Rows()
	largest := 0.0
	for i := range n {
		largest = max(largest, a.At(i, i))
	}
	little := make([]float64, n)
	for i := range little {
		if little[i] = d * a.At(i, i); little[i] <= 0 {
			little[i] = d * largest
		}
		if largest == 0 {
			little[i] = d // the matrix may be zero
		}
	}
	factor, err := lti.NewBanded(a.Shifted(1, little))
	if err != nil {
		return nil, negative(name, a)
	}
	return factor, nil
}

// negative is the error of a matrix with a negative eigenvalue. It says the eigenvalue and
// where its vector is largest.
func negative(name string, a *lti.CSR) error {
	v, at, ok := lowest(a)
	if ok && math.IsNaN(v) {
		return fmt.Errorf("%s matrix has entries too large to compute with: look at its unit", name)
	}
	if !ok {
		return fmt.Errorf("%s matrix has a negative eigenvalue: want none", name)
	}
	return fmt.Errorf(
		"%s matrix has the negative eigenvalue %.6g, with its largest displacement at degree of freedom %d: want none "+
			"below 0; look at the signs of row %d", name, v, at+1, at+1)
}

// lowest is the lowest eigenvalue and the degree of freedom (from 0) where its vector is
// largest; not ok of matrices too large for that.
func lowest(a *lti.CSR) (value float64, at int, ok bool) {
	n := a.Rows()
	if n > mostModal {
		return 0, 0, false
	}
	m := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			m.SetSym(i, j, a.At(i, j))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(m, true) {
		return 0, 0, false
	}
	var v mat.Dense
	e.VectorsTo(&v)
	for i := range n {
		if v.At(i, 0)*v.At(i, 0) > v.At(at, 0)*v.At(at, 0) {
			at = i
		}
	}
	return e.Values(nil)[0], at, true
}

// sparseOf is a dense matrix by its entries that are not zero.
func sparseOf(a *mat.Dense) *lti.CSR {
	n, _ := a.Dims()
	var entries []lti.Entry
	for i := range n {
		for j := range n {
			if v := (a.At(i, j) + a.At(j, i)) / 2; v != 0 {
				entries = append(entries, lti.Entry{Row: i, Col: j, V: v})
			}
		}
	}
	return lti.NewCSR(n, entries)
}
