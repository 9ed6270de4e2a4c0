package structure

import (
	"fmt"
	"testing"

	"rths/kit/rthstest"
)

// Sparse and dense matrices of a mesh have the same frequencies.
func TestLanczosFindsTheModes(t *testing.T) {
	for _, size := range [][2]int{{2, 1}, {4, 2}, {12, 8}, {6, 14}, {24, 5}} {
		p := newFEFoundation()
		p.NX, p.NY = size[0], size[1]
		p.Rayleigh = Rayleigh{Ratio: 0.05, FreqHz: []float64{5, 20}}
		s := mustMake(t, p)
		modes := mustModes(t, s.Dense())
		top, err := s.Sparse.Highest()
		if err != nil {
			t.Fatal(err)
		}
		what := fmt.Sprintf("%d × %d: ", size[0], size[1])
		rthstest.Near(t, what+"highest", top/modes[s.N-1].Omega, 1, 1e-12)
		low, err := s.Sparse.Lowest(min(6, s.N))
		if err != nil {
			t.Fatal(err)
		}
		for i, omega := range low {
			rthstest.Near(t, fmt.Sprintf("%sω(%d)", what, i+1), omega/modes[i].Omega, 1, 1e-11)
		}
	}
}

// The highest frequency of a large mesh, where dense eigenvalues are out of
// reach, is below the limit of a single free element (Irons and Treharne 1971), and
// with elements of twice the size it is half, but for the edges.
func TestHighestOfALargeMesh(t *testing.T) {
	top := func(nx, ny int) float64 {
		p := newFEFoundation()
		p.NX, p.NY = nx, ny
		p.Rayleigh = Rayleigh{Ratio: 0.05, FreqHz: []float64{5, 20}}
		omega, err := mustMake(t, p).Sparse.Highest()
		if err != nil {
			t.Fatal(err)
		}
		return omega
	}
	material := Material{Modulus: 4e9, Poisson: 0.2, Density: 2000, Thickness: 1}
	element := mustAssemble(t, mustMesh(t, 1, 1, 1, 1), material)
	modes := mustModes(t, element.Dense())
	coarse, fine := top(30, 20), top(60, 40) // squares of 2 m and 1 m
	bound := modes[element.N-1].Omega
	if !(fine < bound && fine > 0.8*bound) {
		t.Errorf("highest %g rad/s: want somewhat less than the %g of one element", fine, bound)
	}
	rthstest.Near(t, "ratio", fine/coarse, 2, 0.02)
}

func TestModesRefuse(t *testing.T) {
	s := mustMake(t, newFEFoundation())
	_, err := s.Modes()
	rthstest.WantError(t, err,
		"modes: a structure of 176 degrees of freedom held as a sparse one: want a method for these, or its Dense form")
	_, err = s.Undivided().InverseMass()
	rthstest.WantError(t, err, "mass matrix: a structure of 176 degrees of freedom")
	_, err = s.Sparse.Lowest(0)
	rthstest.WantError(t, err, "modes: 0 of them: want 1 to 176")
	_, err = mustAssemble(t, mustMesh(t, 2, 2, 2, 2), soil).Sparse.Lowest(1)
	rthstest.WantError(t, err, "modes: stiffness: band matrix: row")
}

// Taking a specimen out of sparse matrices and of dense ones is the same.
func TestDivideSparse(t *testing.T) {
	p := newFEFoundation()
	p.NX, p.NY = 4, 3
	s := mustMake(t, p)
	if err := s.Push(3); err != nil {
		t.Fatal(err)
	}
	before := s.Dense()
	got, err := s.Divide(s.Interface, 1e4, 3e5, 1e8)
	if err != nil {
		t.Fatal(err)
	}
	want, err := s.Dense().Divide(s.Interface, 1e4, 3e5, 1e8)
	if err != nil {
		t.Fatal(err)
	}
	dense := (&Structure{N: s.N, Sparse: got.Sparse, Gamma: s.Gamma}).Dense()
	nearMatrix(t, "M", dense.M, want.M, 0)
	nearMatrix(t, "K", dense.K, want.K, 0)
	nearMatrix(t, "C", dense.C, want.C, 1e-15)
	nearMatrix(t, "load", got.Load, want.Load, 0)
	if got.N() != s.N || got.M != nil {
		t.Errorf("%d degrees of freedom, dense mass %v: want %d, none", got.N(), got.M, s.N)
	}
	nearMatrix(t, "K of the whole", s.Dense().K, before.K, 0)
	u := s.Undivided()
	if u.Sparse != s.Sparse || u.N() != s.N {
		t.Errorf("undivided: want the structure's own matrices")
	}
	_, err = s.Divide(s.Interface, 1e9, 0, 0)
	rthstest.WantError(t, err, "the specimen's mass 1e+09 kg leaves")
	_, err = s.Attach(s.N, 0)
	rthstest.WantError(t, err, "interface at degree of freedom 19: want 1 to 18")
}
