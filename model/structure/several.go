package structure

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rths"
)

// Share is a specimen as a part of the structure: mass (kg), damping (N·s/m) and stiffness
// (N/m) of its deformation Along · x, with a coefficient for each degree of freedom.
type Share struct {
	Along   []float64
	M, C, K float64
	Beside  bool // the specimen stands beside the structure; of M, C, K only M counts
}

// Between takes specimens out of the structure whose actuators hold the degrees of freedom
// at (from 0). With b = Along of each specimen
//
//	M_N = M − Σ m b bᵀ,  C_N = C − Σ c b bᵀ,  K_N = K − Σ k b bᵀ
//
// M_N and K_N must have no negative eigenvalue: the specimens are parts of the structure.
// A specimen beside the structure takes nothing out; its mass enters the ground term, as in
// Attach.
func (s *Structure) Between(at []int, shares []Share) (*Partition, error) {
	for _, dof := range at {
		if dof < 0 || dof >= s.N {
			return nil, fmt.Errorf("interface at degree of freedom %d: want 1 to %d", dof+1, s.N)
		}
	}
	p := &Partition{Whole: s, Load: s.load(), Interface: at, Devices: s.Devices}
	if s.Sparse != nil {
		return p, p.takeSparse(shares)
	}
	p.M, p.C, p.K = mat.DenseCopyOf(s.M), mat.DenseCopyOf(s.C), mat.DenseCopyOf(s.K)
	for i, share := range shares {
		if err := share.check(s.N); err != nil {
			return nil, fmt.Errorf("specimen %d: %w", i+1, err)
		}
		if share.Beside {
			p.push(&share)
			continue
		}
		b := mat.NewVecDense(s.N, share.Along)
		p.M.RankOne(p.M, -share.M, b, b)
		p.C.RankOne(p.C, -share.C, b, b)
		p.K.RankOne(p.K, -share.K, b, b)
	}
	return p, p.wantSemidefinite()
}

func (s *Share) check(n int) error {
	if len(s.Along) != n {
		return fmt.Errorf("its deformation has %d coefficients: want %d, one per degree of freedom", len(s.Along), n)
	}
	for _, v := range append([]float64{s.M, s.C, s.K}, s.Along...) {
		if !rths.Finite(v) {
			return fmt.Errorf("it holds %g: want finite numbers", v)
		}
	}
	return nil
}

// push adds the ground's push on a specimen beside the structure: m b bᵀΓ.
func (p *Partition) push(s *Share) {
	_, comps := p.Whole.Gamma.Dims()
	for j := range comps {
		moved := 0.0 // deformation per unit displacement of the ground
		for i, b := range s.Along {
			moved += b * p.Whole.Gamma.At(i, j)
		}
		for i, b := range s.Along {
			p.Load.Set(i, j, p.Load.At(i, j)+s.M*b*moved)
		}
	}
}

// takeSparse allows specimens beside a structure of sparse matrices.
func (p *Partition) takeSparse(shares []Share) error {
	for i, share := range shares {
		if !share.Beside {
			return fmt.Errorf(
				"specimen %d is taken out of a structure of %d degrees of freedom held as sparse matrices, at several degrees of "+
					"freedom: want specimens that stand beside the structure, or up to %d degrees of freedom", i+1, p.Whole.N,
				DenseUpTo)
		}
		p.push(&share)
	}
	p.Sparse = p.Whole.Sparse
	return nil
}

// wantSemidefinite refuses specimens that the structure does not contain.
func (p *Partition) wantSemidefinite() error {
	for _, part := range []struct {
		name        string
		left, whole *mat.Dense
	}{{"mass", p.M, p.Whole.M}, {"stiffness", p.K, p.Whole.K}} {
		if mat.Equal(part.left, part.whole) {
			continue
		}
		left := sparseOf(part.left)
		if _, err := semidefinite(part.name, left, asymmetry); err != nil {
			v, at, _ := lowest(left)
			return fmt.Errorf(
				"the specimens leave the numerical part a %s matrix with the negative eigenvalue %.4g, with its largest "+
					"displacement at degree of freedom %d: want specimens that the undivided structure contains, lighter or "+
					"softer ones", part.name, v, at+1)
		}
	}
	return nil
}
