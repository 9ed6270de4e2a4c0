package judge

import (
	"errors"
	"math/cmplx"

	"gonum.org/v1/gonum/mat"

	"rths/maths/lti"
	"rths/model/structure"
)

// wholeUpTo are the degrees of freedom of a numerical part that is not reduced; powers are those of K⁻¹ M which the
// shapes of a reduced one are of; and shapes below faintest of the largest, 1, are left out.
const (
	wholeUpTo = 12
	powers    = 6
	faintest  = 1e-8
)

// numericalPart is a numerical part in few shapes. at has the interface coordinates, a column each.
type numericalPart struct{ m, c, k, at mat.Matrix }

// newNumericalPart is the part whose specimen has about stiffness k, N/m, by the interface coordinates.
func newNumericalPart(p *structure.Partition, k mat.Matrix) (*numericalPart, error) {
	n, m := p.N(), len(p.Interface)
	at := mat.NewDense(n, m, nil)
	for i, dof := range p.Interface {
		at.Set(dof, i, p.SignOf(i))
	}
	out := &numericalPart{p.M, p.C, p.K, at}
	if n <= wholeUpTo {
		return out, nil
	}
	var stiff mat.LU
	stiff.Factorize(joined(p.K, at, k))
	var shape mat.Dense
	shape.Augment(at, p.Load)
	_, width := shape.Dims()
	all := mat.NewDense(n, powers*width, nil)
	for i := range powers {
		if err := stiff.SolveTo(&shape, false, &shape); err != nil {
			return nil, errors.New("the structure with the specimen's secant has no stiffness")
		}
		for j := range width {
			if one := shape.ColView(j).(*mat.VecDense); mat.Norm(one, 2) > 0 {
				one.ScaleVec(1/mat.Norm(one, 2), one)
			}
		}
		all.Slice(0, n, i*width, (i+1)*width).(*mat.Dense).Copy(&shape)
		shape.Mul(p.M, &shape)
	}
	var svd mat.SVD
	if !svd.Factorize(all, mat.SVDThin) {
		return nil, errors.New("the numerical part cannot be reduced")
	}
	var shapes mat.Dense
	svd.UTo(&shapes)
	kept := 0
	for _, size := range svd.Values(nil) {
		if size > faintest*svd.Values(nil)[0] {
			kept++
		}
	}
	by := shapes.Slice(0, n, 0, kept)
	of := func(a mat.Matrix) mat.Matrix {
		var out mat.Dense
		out.Product(by.T(), a, by)
		return &out
	}
	var held mat.Dense
	held.Mul(by.T(), at)
	return &numericalPart{of(p.M), of(p.C), of(p.K), &held}, nil
}

// joined is a with b, which is by interface coordinates.
func joined(a, at, b mat.Matrix) *mat.Dense {
	var out mat.Dense
	out.Product(at, b, at.T())
	out.Add(&out, a)
	return &out
}

// mode1 is the eigenvalue of least size, rad/s, that swings, of the numerical part with secants [K C]ᵀ.
func (p *numericalPart) mode1(secants mat.Matrix) (complex128, error) {
	n, _ := p.m.Dims()
	_, m := p.at.Dims()
	k, c := mat.NewDense(m, m, nil), mat.NewDense(m, m, nil)
	for i := range m { // of force i by coordinate j
		for j := range m {
			k.Set(i, j, secants.At(2*j, i))
			c.Set(i, j, secants.At(2*j+1, i))
		}
	}
	a := mat.NewDense(2*n, 2*n, nil)
	for i := range n {
		a.Set(i, n+i, 1)
	}
	for i, b := range []*mat.Dense{joined(p.k, p.at, k), joined(p.c, p.at, c)} {
		var rate mat.Dense
		if err := rate.Solve(p.m, b); err != nil {
			return 0, errors.New("the mass matrix has no inverse")
		}
		rate.Scale(-1, &rate)
		a.Slice(n, 2*n, i*n, (i+1)*n).(*mat.Dense).Copy(&rate)
	}
	poles, err := lti.Eigenvalues(a)
	if err != nil {
		return 0, err
	}
	var first complex128
	for _, pole := range poles {
		if imag(pole) > 0 && (first == 0 || cmplx.Abs(pole) < cmplx.Abs(first)) {
			first = pole
		}
	}
	if first == 0 {
		return 0, errors.New("no mode of the structure swings")
	}
	return first, nil
}

// ratio is the damping ratio of a mode.
func ratio(mode complex128) float64 { return -real(mode) / cmplx.Abs(mode) }
