package structure

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rths"
)

// Partition is a structure divided into a numerical part and a specimen at the
// degree of freedom Interface:
//
//	M_N ẍ + C_N ẋ + K_N x = −M Γ a_g + Σ e_j p_j − e f
//
// f is the restoring force of the specimen. The ground term has the mass of the whole
// structure: the specimen moves in relative coordinates, so the computer must add the
// inertia of its mass under a_g (docs/reference/benchmark-siso.md, Partition).
type Partition struct {
	Whole   *Structure // the reference, undivided
	M, C, K *mat.Dense // numerical part
	Sparse  *Sparse    // in their place (which are then nil) for a large structure
	// N × actions: M Γ of the whole structure for each component of the ground motion, −e_j for each force history
	Load      *mat.Dense
	Interface []int    // degrees of freedom of the interface, from 0
	Devices   []Device // and yielding storeys of the numerical part; K and C have their linear part

	// Sign is +1 or −1 per interface coordinate: coordinate and force times Sign are the
	// displacement and force of the degree of freedom. nil means +1.
	Sign []float64
}

// Divide takes a specimen of mass m (kg), damping c (N·s/m) and stiffness k
// (N/m) between the ground and degree of freedom dof (from 0) out of the
// structure. The sum of both parts is the structure, so changing the specimen
// leaves the reference as it is.
func (s *Structure) Divide(dof int, m, c, k float64) (*Partition, error) {
	if dof < 0 || dof >= s.N {
		return nil, fmt.Errorf("interface at degree of freedom %d: want 1 to %d", dof+1, s.N)
	}
	for _, part := range []struct {
		name string
		v    float64
	}{{"mass", m}, {"damping", c}, {"stiffness", k}} {
		if !rths.Finite(part.v) {
			return nil, fmt.Errorf("partition: the specimen's %s is %g: want a finite number", part.name, part.v)
		}
	}
	p := &Partition{Whole: s, Load: s.load(), Interface: []int{dof}, Devices: s.Devices}
	if s.Sparse != nil {
		p.Sparse = s.Sparse.divide(dof, m, c, k)
	} else {
		less := func(a *mat.Dense, v float64) *mat.Dense {
			left := mat.DenseCopyOf(a)
			left.Set(dof, dof, left.At(dof, dof)-v)
			return left
		}
		p.M, p.C, p.K = less(s.M, m), less(s.C, c), less(s.K, k)
	}
	if left := p.mass(dof); left <= 0 {
		return nil, fmt.Errorf("partition: the specimen's mass %g kg leaves %g kg at degree of freedom %d of the numerical "+
			"part: want more than 0", m, left, dof+1)
	}
	return p, nil
}

// Attach puts the specimen beside the structure at degree of freedom dof (from 0): the
// numerical part is the whole structure. The specimen's mass m (kg) at the interface
// enters the ground term, as in Divide.
func (s *Structure) Attach(dof int, m float64) (*Partition, error) {
	p, err := s.Divide(dof, 0, 0, 0)
	if err != nil {
		return nil, err
	}
	_, comps := s.Gamma.Dims() // the load's columns after these are forces
	for j := range comps {
		p.Load.Set(dof, j, p.Load.At(dof, j)+m*s.Gamma.At(dof, j))
	}
	return p, nil
}

// FreeField is the numerical part of a soil–structure test whose ground motion is given
// at the interface, as measured without a structure there (Zhu et al. 2014, section 4.3).
// Only the specimen's force acts on the part; its displacements are relative to the free
// field, and the interface moves by their sum with the free field.
func (p *Partition) FreeField() *Partition {
	out := *p
	out.Load = mat.DenseCopyOf(p.Load)
	_, comps := p.Whole.Gamma.Dims()
	for j := range comps {
		out.Load.SetCol(j, make([]float64, p.N()))
	}
	return &out
}

// Joined is the numerical part with a specimen of force M q̈ + C q̇ + K q as one structure,
// where q are the first interface coordinates: m, c, k have a row per interface
// coordinate and a column per coordinate of q. Use it as the reference of perfect
// tracking. The ground term stays the numerical part's.
func (p *Partition) Joined(m, c, k *mat.Dense) (*Partition, error) {
	out := &Partition{Whole: p.Whole, M: mat.DenseCopyOf(p.M), C: mat.DenseCopyOf(p.C), K: mat.DenseCopyOf(p.K),
		Load: p.Load}
	for _, part := range []struct{ to, of *mat.Dense }{{out.M, m}, {out.C, c}, {out.K, k}} {
		rows, cols := part.of.Dims()
		if rows != len(p.Interface) || cols > rows {
			return nil, fmt.Errorf("specimen of %d forces and %d coordinates: want %d forces, as many as the interface has",
				rows, cols, len(p.Interface))
		}
		for i := range rows {
			for j := range cols {
				at, to := p.Interface[i], p.Interface[j]
				part.to.Set(at, to, part.to.At(at, to)+p.SignOf(i)*part.of.At(i, j)*p.SignOf(j))
			}
		}
	}
	return out, nil
}

// Carrying is the numerical part with mass (kg) and damping (N·s/m) more at its interface: a row and a column for each
// interface coordinate. A slow test wants it, whose measured force has no inertia.
func (p *Partition) Carrying(m, c *mat.Dense) (*Partition, error) {
	if p.Sparse != nil {
		return p.carryingSparse(m, c)
	}
	rows, _ := m.Dims()
	out, err := p.Joined(m, c, mat.NewDense(rows, rows, nil))
	if err != nil {
		return nil, err
	}
	out.Interface, out.Devices, out.Sign = p.Interface, p.Devices, p.Sign
	return out, nil
}

func (p *Partition) carryingSparse(m, c *mat.Dense) (*Partition, error) {
	out, s := *p, *p.Sparse
	s.M, s.C = slices.Clone(s.M), slices.Clone(s.C)
	for i, dof := range p.Interface {
		for j := range p.Interface {
			if i != j && (m.At(i, j) != 0 || c.At(i, j) != 0) {
				return nil, wantDense("a specimen with mass or damping between two coordinates", p.N())
			}
		}
		s.M[dof] += m.At(i, i)
		s.C[dof] += c.At(i, i)
	}
	out.Sparse = &s
	return &out, nil
}

// Response is how the interface coordinates of the numerical part alone answer the first
// action, of frequency hz: m (or rad) per m/s² of ground acceleration, with the force of
// the specimen left out.
func (p *Partition) Response(hz float64) ([]complex128, error) {
	n, w := p.N(), 2*math.Pi*hz
	if p.Sparse != nil {
		return nil, wantDense("response", n)
	}
	// (K − ω²M + iωC) u = −load, real and imaginary parts one below the other.
	a, b, u := mat.NewDense(2*n, 2*n, nil), mat.NewVecDense(2*n, nil), mat.NewVecDense(2*n, nil)
	for i := range n {
		b.SetVec(i, -p.Load.At(i, 0))
		for j := range n {
			stiff, damp := p.K.At(i, j)-w*w*p.M.At(i, j), w*p.C.At(i, j)
			a.Set(i, j, stiff)
			a.Set(n+i, n+j, stiff)
			a.Set(i, n+j, -damp)
			a.Set(n+i, j, damp)
		}
	}
	if err := u.SolveVec(a, b); err != nil {
		return nil, fmt.Errorf("response of the numerical part at %g Hz: %w", hz, err)
	}
	var out []complex128
	for i, dof := range p.Interface {
		out = append(out, complex(p.SignOf(i)*u.AtVec(dof), p.SignOf(i)*u.AtVec(n+dof)))
	}
	return out, nil
}

// SignOf is the sign of interface coordinate i.
func (p *Partition) SignOf(i int) float64 {
	if p.Sign == nil {
		return 1
	}
	return p.Sign[i]
}

// N is the number of degrees of freedom of the numerical part.
func (p *Partition) N() int {
	if p.Sparse != nil {
		return len(p.Sparse.M)
	}
	n, _ := p.M.Dims()
	return n
}

func (p *Partition) mass(dof int) float64 {
	if p.Sparse != nil {
		return p.Sparse.M[dof]
	}
	return p.M.At(dof, dof)
}

// wantDense is the error of methods that need dense matrices.
func wantDense(what string, n int) error {
	return fmt.Errorf(
		"%s: a structure of %d degrees of freedom held as a sparse one: want a method for these, or its Dense form", what, n)
}

// Undivided is the whole structure as a partition without specimen, for the reference
// response.
func (s *Structure) Undivided() *Partition {
	return &Partition{Whole: s, M: s.M, C: s.C, K: s.K, Sparse: s.Sparse, Load: s.load(), Devices: s.Devices}
}

// InverseMass is M_N⁻¹, for methods that need the acceleration.
func (p *Partition) InverseMass() (*mat.Dense, error) {
	if p.Sparse != nil {
		return nil, wantDense("mass matrix", p.N())
	}
	var chol mat.Cholesky
	if !chol.Factorize(symmetric(p.M)) {
		return nil, fmt.Errorf("numerical part: %s", whySingular(p.M))
	}
	var inv mat.SymDense
	if err := chol.InverseTo(&inv); err != nil {
		return nil, fmt.Errorf("numerical part: mass matrix is nearly singular: %w", err)
	}
	return mat.DenseCopyOf(&inv), nil
}
