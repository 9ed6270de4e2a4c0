package structure

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"rths/maths/lti"
)

// inside is a structure while some degrees of freedom are held.
type inside struct {
	s       *Structure
	at      []int             // the degrees of freedom that are free, from 0
	solve   func(x []float64) // x becomes K⁻¹ x, of the free degrees of freedom
	factor  *mat.Cholesky     // of K; nil of sparse matrices
	skipped [][]float64       // vectors that the products of a further search leave out
}

// newInside holds degrees of freedom. The rest must not move without force.
func newInside(s *Structure, held []int) (*inside, error) {
	in := &inside{s: s}
	for i := range s.N {
		if !slices.Contains(held, i) {
			in.at = append(in.at, i)
		}
	}
	if s.Sparse != nil {
		k, err := lti.NewBanded(s.Sparse.K.Without(held))
		if err != nil {
			return nil, loose(err.Error())
		}
		in.solve = k.Solve
		return in, nil
	}
	in.factor = new(mat.Cholesky)
	if !in.factor.Factorize(symmetric(in.part(s.K))) || in.factor.Cond() > 1/epsilon {
		return nil, loose("its stiffness is not positive definite")
	}
	in.solve = func(x []float64) {
		v := mat.NewVecDense(len(x), x)
		_ = in.factor.SolveVecTo(v, v) // its condition is known
	}
	return in, nil
}

func loose(why string) error {
	return fmt.Errorf(
		"with the interface held, the rest of the structure moves without force: %s: want springs or supports that hold "+
			"it, or leave reduce out", why)
}

// part is the rows and columns of a dense matrix that are free.
func (in *inside) part(a *mat.Dense) *mat.Dense {
	out := mat.NewDense(len(in.at), len(in.at), nil)
	for i, p := range in.at {
		for j, q := range in.at {
			out.Set(i, j, a.At(p, q))
		}
	}
	return out
}

// spread is the vector of all degrees of freedom with x at the free ones, 0 at the others.
func (in *inside) spread(x []float64) []float64 {
	out := make([]float64, in.s.N)
	for i, p := range in.at {
		out[p] = x[i]
	}
	return out
}

// gather takes the free degrees of freedom.
func (in *inside) gather(x []float64) []float64 {
	out := make([]float64, len(in.at))
	for i, p := range in.at {
		out[i] = x[p]
	}
	return out
}

// settle is the displacement of all degrees of freedom under a load on the free ones.
func (in *inside) settle(load []float64) []float64 {
	x := in.gather(load)
	in.solve(x)
	return in.spread(x)
}

// constraint is the static displacement of all while the held degree of freedom dof moves by 1.
func (in *inside) constraint(dof int) []float64 {
	unit, pull := make([]float64, in.s.N), make([]float64, in.s.N)
	unit[dof] = 1
	in.s.timesK(pull, unit)
	scaleTo(pull, -1)
	out := in.settle(pull)
	out[dof] = 1
	return out
}

// modes are the modes of lowest frequency, φᵀMφ = 1, and their circular frequencies (rad/s).
// Of a structure with coordinates without mass there may be fewer.
func (in *inside) modes(count int) (omega []float64, shapes [][]float64, err error) {
	find := in.searched
	if in.factor != nil {
		find = in.direct
	}
	inverse, shapes, err := find(count)
	for _, v := range inverse {
		omega = append(omega, 1/math.Sqrt(v))
	}
	for i := range shapes {
		shapes[i] = in.spread(shapes[i])
	}
	return omega, shapes, err
}

// direct finds modes with dense matrices: with K = L Lᵀ, 1/ω² are the eigenvalues of
// L⁻¹ M L⁻ᵀ, and φ = L⁻ᵀ y ω. Coordinates without mass have 1/ω² = 0.
func (in *inside) direct(count int) (inverse []float64, shapes [][]float64, err error) {
	inverse, v, err := inverseModes(in.factor, in.part(in.s.M))
	if err != nil {
		return nil, nil, err
	}
	for j, value := range inverse {
		if j == count || !(value > float64(len(inverse))*epsilon*inverse[0]) {
			return inverse[:j], shapes, nil
		}
		shape := mat.Col(nil, j, v)
		scaleTo(shape, 1/math.Sqrt(value))
		shapes = append(shapes, shape)
	}
	return inverse, shapes, nil
}

// inverseModes solves M φ = (1/ω²) K φ for a factor of K, lowest ω first: φᵀKφ = 1.
func inverseModes(factor *mat.Cholesky, m *mat.Dense) (inverse []float64, phi *mat.Dense, err error) {
	var l mat.TriDense
	factor.LTo(&l)
	var a mat.Dense
	if err = a.Solve(&l, m); err == nil {
		err = a.Solve(&l, mat.DenseCopyOf(a.T()))
	}
	if err != nil {
		return nil, nil, fmt.Errorf("modes: %w", err)
	}
	var e mat.EigenSym
	if !e.Factorize(symmetric(&a), true) {
		return nil, nil, errors.New("modes: the eigenvalue iteration did not converge")
	}
	var y mat.Dense
	e.VectorsTo(&y)
	n := factor.SymmetricDim()
	phi = mat.NewDense(n, n, nil)
	if err := phi.Solve(l.T(), &y); err != nil {
		return nil, nil, fmt.Errorf("modes: %w", err)
	}
	inverse = e.Values(nil)
	slices.Reverse(inverse)
	for j := range n / 2 {
		a, b := mat.Col(nil, j, phi), mat.Col(nil, n-1-j, phi)
		phi.SetCol(j, b)
		phi.SetCol(n-1-j, a)
	}
	return inverse, phi, nil
}

// searched finds modes of sparse matrices, by Lanczos' method on M^½ K⁻¹ M^½. A search meets
// modes of equal frequency once: while what is left has one that is lower than the highest
// found, a further search leaves out those found.
func (in *inside) searched(count int) (inverse []float64, shapes [][]float64, err error) {
	root := in.gather(in.s.Sparse.rootMass())
	for first := true; first || in.missed(root, inverse, count); first = false {
		values, vectors, err := lanczosVectors(len(in.at), count, in.inverse(root))
		if err != nil {
			return nil, nil, err
		}
		if len(values) == 0 {
			break
		}
		inverse, shapes = merged(append(inverse, values...), append(shapes, vectors...), count)
		in.skipped = shapes
	}
	in.skipped = nil
	if stiffest := in.stiffest(); len(inverse) > 0 && 1/inverse[0] <= 16*float64(len(in.at))*epsilon*stiffest {
		return nil, nil, loose("its lowest mode has no frequency but rounding")
	}
	for _, shape := range shapes {
		for i, m := range root {
			shape[i] /= m
		}
	}
	return inverse, shapes, nil
}

// stiffest is the largest K_jj/m_j, a lower bound of the highest ω².
func (in *inside) stiffest() (most float64) {
	for _, dof := range in.at {
		most = max(most, in.s.Sparse.K.At(dof, dof)/in.s.Sparse.M[dof])
	}
	return most
}

// inverse multiplies by M^½ K⁻¹ M^½, without what the skipped vectors have in it.
func (in *inside) inverse(root []float64) func(y, x []float64) {
	return func(y, x []float64) {
		copy(y, x)
		takeOff(y, in.skipped)
		floats.Mul(y, root)
		in.solve(y)
		floats.Mul(y, root)
		takeOff(y, in.skipped)
	}
}

// missedSteps of Lanczos' method show whether there is a larger eigenvalue than those found.
const missedSteps = 30

// missed reports whether the modes that are not found have a lower one than the highest found,
// or whether some are wanted still.
func (in *inside) missed(root, inverse []float64, count int) bool {
	if len(inverse) < count || len(inverse) == len(in.at) {
		return len(inverse) < len(in.at)
	}
	l := newKrylov(len(in.at), 2, in.inverse(root))
	for m := 0; m < missedSteps && m < len(in.at)-len(inverse); m++ {
		if l.step(); l.beta <= epsilon*inverse[0] {
			break
		}
		l.next()
	}
	return largestOf(l.diagonal, l.off[:len(l.diagonal)-1], 1)[0] > inverse[count-1]*(1+lanczosResidual)
}

// merged sorts eigenvalues with their vectors, largest first, and takes the first ones.
func merged(values []float64, vectors [][]float64, count int) ([]float64, [][]float64) {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(values[j], values[i]) })
	var v []float64
	var s [][]float64
	for _, i := range order[:min(count, len(order))] {
		v, s = append(v, values[i]), append(s, vectors[i])
	}
	return v, s
}
