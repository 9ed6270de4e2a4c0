// Package structure holds the equations of motion of a building and its
// partition into a numerical substructure and a specimen:
//
//	M ẍ + C ẋ + K x = −M Γ a_g + Σ e_j p_j
//
// with displacements x relative to the ground. Units are kg, N·s/m, N/m.
package structure

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rths"
)

// Structure is an undivided structure of N degrees of freedom, linear but for its devices
// and yielding storeys.
type Structure struct {
	N       int
	M, C, K *mat.Dense // N × N: mass, damping, stiffness
	Sparse  *Sparse    // in their place (which are then nil) for a large structure
	Gamma   *mat.Dense // N × components: influence of the ground acceleration
	Loads   *mat.Dense // of a reduction: its load of the ground acceleration, TᵀMΓ of the structure; nil: M Γ
	Forces  []int      // degrees of freedom (from 0) that force histories p_j (N) act on

	Devices []Device // and storeys that yield; K and C have their linear part

	Interface int // degree of freedom (from 0) a specimen stands at unless told otherwise
}

// Shake adds a component of the ground motion with its influence vector.
func (s *Structure) Shake(influence []float64) error {
	if len(influence) != s.N {
		return fmt.Errorf("influence vector of %d entries: want %d, one per degree of freedom", len(influence), s.N)
	}
	column := mat.NewDense(s.N, 1, append([]float64(nil), influence...))
	if _, err := checkFinite("influence vector", column); err != nil {
		return err
	}
	var gamma mat.Dense
	gamma.Augment(s.Gamma, column)
	s.Gamma = &gamma
	return nil
}

// Push adds a force history at degree of freedom dof (from 0).
func (s *Structure) Push(dof int) error {
	if dof < 0 || dof >= s.N {
		return fmt.Errorf("force at degree of freedom %d: want 1 to %d, counted from 1", dof+1, s.N)
	}
	s.Forces = append(s.Forces, dof)
	return nil
}

// load multiplies the actions w = [a_g; p]: the right side is −load w, with columns M Γ for
// the ground motion and −1 where a force acts.
func (s *Structure) load() *mat.Dense {
	_, components := s.Gamma.Dims()
	out := mat.NewDense(s.N, components+len(s.Forces), nil)
	switch {
	case s.Loads != nil:
		out.Slice(0, s.N, 0, components).(*mat.Dense).Copy(s.Loads)
	case s.Sparse == nil:
		out.Slice(0, s.N, 0, components).(*mat.Dense).Mul(s.M, s.Gamma)
	default:
		for i, m := range s.Sparse.M {
			for j := range components {
				out.Set(i, j, m*s.Gamma.At(i, j))
			}
		}
	}
	for j, dof := range s.Forces {
		out.Set(dof, components+j, -1)
	}
	return out
}

// Maker is the maker interface of the table Kinds.
type Maker interface{ Make() (*Structure, error) }

// newStructure checks shapes, finite entries and symmetry.
func newStructure(m, c, k *mat.Dense, gamma *mat.Dense) (*Structure, error) {
	n, _ := m.Dims()
	for _, a := range []struct {
		name string
		a    *mat.Dense
	}{{"mass", m}, {"damping", c}, {"stiffness", k}} {
		if err := checkMatrix(a.name, a.a, n); err != nil {
			return nil, err
		}
	}
	if err := checkInfluence(gamma, n); err != nil {
		return nil, err
	}
	return &Structure{N: n, M: m, C: c, K: k, Gamma: gamma}, nil
}

func checkInfluence(gamma *mat.Dense, n int) error {
	if r, _ := gamma.Dims(); r != n {
		return fmt.Errorf("influence vector of %d entries: want %d, one per degree of freedom", r, n)
	}
	_, err := checkFinite("influence vector", gamma)
	return err
}

// asymmetry is the largest difference of mirrored entries, relative to the
// largest entry, that is put down to rounding.
const asymmetry = 1e-6

func checkMatrix(name string, a *mat.Dense, n int) error {
	if r, c := a.Dims(); r != n || c != n {
		return fmt.Errorf("%s matrix of %d × %d: want %d × %d", name, r, c, n, n)
	}
	largest, err := checkFinite(name+" matrix", a)
	if err != nil {
		return err
	}
	for i := range n {
		for j := range i {
			if math.Abs(a.At(i, j)-a.At(j, i)) > asymmetry*largest {
				return asymmetric(name, i, j, a.At(i, j), a.At(j, i))
			}
		}
	}
	return nil
}

// checkFinite returns the largest magnitude of the entries.
func checkFinite(name string, a *mat.Dense) (largest float64, err error) {
	for _, v := range a.RawMatrix().Data {
		if !rths.Finite(v) {
			return 0, fmt.Errorf("%s has an entry %g: want finite numbers", name, v)
		}
		largest = max(largest, math.Abs(v))
	}
	return largest, nil
}

// Ones is the influence vector of a structure whose every coordinate moves
// with the ground: n × 1 ones.
func Ones(n int) *mat.Dense {
	g := mat.NewDense(n, 1, nil)
	for i := range n {
		g.Set(i, 0, 1)
	}
	return g
}

// dense makes a matrix of rows given in a scenario.
func dense(name string, rows [][]float64) (*mat.Dense, error) {
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s matrix is missing: want rows of numbers", name)
	}
	m := mat.NewDense(len(rows), len(rows), nil)
	for i, row := range rows {
		if len(row) != len(rows) {
			return nil, ragged(name, i, len(row), len(rows))
		}
		m.SetRow(i, row)
	}
	return m, nil
}
