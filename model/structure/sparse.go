package structure

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rths/maths/lti"
)

// Sparse is mass, damping and stiffness of a large structure without dense
// matrices: lumped masses, the entries of K, and C = diag(C) + A1 K. Rayleigh
// damping is C = a₀ M and A1 = a₁; a specimen taken out leaves its dashpot in C.
type Sparse struct {
	M  []float64 // kg
	K  *lti.CSR  // N/m
	C  []float64 // N·s/m
	A1 float64   // s
}

// DenseUpTo is the number of degrees of freedom up to which a structure of narrow band
// (kinds shear and matrices) has dense matrices. Above, steps with the band are faster: a
// dense step takes 4 times as long for twice the degrees of freedom, its preparation 8
// times (docs/internals/performance.md).
const DenseUpTo = 100

// A band is narrow if half of it is at most this part of the degrees of freedom.
const narrowPart = 1.0 / 8

// newSparse is an undamped structure of lumped masses.
func newSparse(m []float64, k *lti.CSR, gamma *mat.Dense) *Structure {
	n := len(m)
	return &Structure{N: n, Sparse: &Sparse{M: m, K: k, C: make([]float64, n)}, Gamma: gamma}
}

// narrow is an undamped structure as sparse matrices, or nil if it is small, its band
// wide, or its mass not lumped with some at every degree of freedom.
func (s *Structure) narrow() *Structure {
	if s.N <= DenseUpTo {
		return nil
	}
	masses := lumped(s.M)
	if masses == nil {
		return nil
	}
	var entries []lti.Entry
	for i := range s.N {
		if !(masses[i] > 0) {
			return nil
		}
		for j := range s.N {
			v := (s.K.At(i, j) + s.K.At(j, i)) / 2
			switch {
			case v == 0:
			case math.Abs(float64(i-j)) > narrowPart*float64(s.N):
				return nil
			default:
				entries = append(entries, lti.Entry{Row: i, Col: j, V: v})
			}
		}
	}
	return newSparse(masses, lti.NewCSR(s.N, entries), s.Gamma)
}

// lumped is the diagonal of a diagonal matrix, nil of any other.
func lumped(m *mat.Dense) []float64 {
	n, _ := m.Dims()
	out := make([]float64, n)
	for i := range n {
		for j, v := range m.RawRowView(i) {
			if i != j && v != 0 {
				return nil
			}
		}
		out[i] = m.At(i, i)
	}
	return out
}

// rayleigh damps: C = a₀ M + a₁ K.
func (s *Sparse) rayleigh(r *Rayleigh) error {
	if err := checkRatio(r.Ratio); err != nil {
		return err
	}
	w1, w2, err := r.frequencies(func(n int) ([]float64, error) {
		if n = min(n, len(s.M)); n > mostLowest {
			return nil, fmt.Errorf("rayleigh damping: mode %d of a structure held as sparse matrices: want freq_hz, or "+
				"modes up to %d", n, mostLowest)
		}
		return s.Lowest(n)
	})
	if err != nil {
		return err
	}
	a0, a1 := r.factors(w1, w2)
	for i, m := range s.M {
		s.C[i] = a0 * m
	}
	s.A1 = a1
	return nil
}

// Dense is the same structure with dense matrices in place of sparse ones, for
// methods that need them: 3 N² numbers.
func (s *Structure) Dense() *Structure {
	if s.Sparse == nil {
		return s
	}
	n := s.N
	out := *s
	out.Sparse = nil
	out.M, out.C, out.K = mat.NewDense(n, n, nil), mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			k := s.Sparse.K.At(i, j)
			out.K.Set(i, j, k)
			out.C.Set(i, j, s.Sparse.A1*k)
		}
		out.M.Set(i, i, s.Sparse.M[i])
		out.C.Set(i, i, out.C.At(i, i)+s.Sparse.C[i])
	}
	return &out
}

// divide takes mass, damping and stiffness at dof out, into new memory.
func (s *Sparse) divide(dof int, m, c, k float64) *Sparse {
	out := &Sparse{M: append([]float64(nil), s.M...), C: append([]float64(nil), s.C...), A1: s.A1}
	out.M[dof] -= m
	out.C[dof] += s.A1*k - c // A1 K has lost A1 k: C takes it back
	less := make([]float64, len(s.M))
	less[dof] = -k
	out.K = s.K.Shifted(1, less)
	return out
}

// Sums are the column sums of K and C: the forces (N) when all degrees of freedom have
// unit displacement, or unit velocity.
func (s *Sparse) Sums() (stiffness, damping []float64) {
	n := len(s.M)
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	stiffness, damping = make([]float64, n), make([]float64, n)
	s.K.MulVec(stiffness, ones)
	for i, k := range stiffness {
		damping[i] = s.C[i] + s.A1*k
	}
	return stiffness, damping
}

// mostLowest frequencies take some seconds in 10 000 degrees of freedom, and 4 times as
// long for twice as many of them: Lanczos' vectors are kept orthogonal.
const mostLowest = 200

// Lowest are the n lowest circular frequencies (rad/s), by Lanczos' method on K⁻¹ M with
// one banded factorisation. K must not be singular. Modes of exactly equal frequency
// count once.
func (s *Sparse) Lowest(n int) ([]float64, error) {
	if most := min(len(s.M), mostLowest); n < 1 || n > most {
		return nil, fmt.Errorf("modes: %d of them: want 1 to %d", n, most)
	}
	k, err := lti.NewBanded(s.K)
	if err != nil {
		return nil, fmt.Errorf("modes: stiffness: %w", err)
	}
	root := s.rootMass()
	values, err := lanczos(len(s.M), n, func(y, x []float64) { // M^½ K⁻¹ M^½
		for i, v := range x {
			y[i] = root[i] * v
		}
		k.Solve(y)
		for i := range y {
			y[i] *= root[i]
		}
	})
	for i, v := range values {
		values[i] = 1 / math.Sqrt(v)
	}
	return values, err
}

// Highest is the highest circular frequency (rad/s), by Lanczos' method on M⁻¹ K, or by
// factors for a narrow band.
func (s *Sparse) Highest() (float64, error) {
	if s.K.HalfBandwidth() <= factorBand {
		return s.highestByFactors(), nil
	}
	root := s.rootMass()
	scaled := make([]float64, len(root))
	values, err := lanczos(len(root), 1, func(y, x []float64) { // M^−½ K M^−½
		for i, v := range x {
			scaled[i] = v / root[i]
		}
		s.K.MulVec(y, scaled)
		for i := range y {
			y[i] /= root[i]
		}
	})
	if err != nil {
		return 0, err
	}
	return math.Sqrt(values[0]), nil
}

// factorBand is the half bandwidth up to which the highest frequency is found by
// factors. The highest frequencies of a long chain lie so close together that Lanczos'
// method takes as many steps as the chain has links; factors of a narrow band are cheap.
const factorBand = 8

// highestByFactors finds ω² by bisection, down to neighbouring numbers: ω² M − K has a
// Cholesky factor only above the highest ω². Bisection starts at the largest K_ii/m_i,
// which is never above.
func (s *Sparse) highestByFactors() float64 {
	scaled := make([]float64, len(s.M))
	above := func(square float64) bool {
		for i, m := range s.M {
			scaled[i] = square * m
		}
		_, err := lti.NewBanded(s.K.Shifted(-1, scaled))
		return err == nil
	}
	low := 0.0
	for i, m := range s.M {
		low = max(low, s.K.At(i, i)/m)
	}
	high := max(2*low, 1)
	for !above(high) && !math.IsInf(high, 1) {
		high *= 2
	}
	for {
		mid := low + (high-low)/2
		if !(mid > low && mid < high) {
			return math.Sqrt(high)
		}
		if above(mid) {
			high = mid
		} else {
			low = mid
		}
	}
}

func (s *Sparse) rootMass() []float64 {
	root := make([]float64, len(s.M))
	for i, m := range s.M {
		root[i] = math.Sqrt(m)
	}
	return root
}
