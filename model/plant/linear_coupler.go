package plant

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rths"
)

// LinearCoupler are actuators whose displacements x are linear in the interface coordinates
// q. By virtual work the forces f at the coordinates follow from the forces F of the
// actuators:
//
//	x = T q,  f = Tᵀ F
//
// T has a row for each actuator and a column for each coordinate; there are as many actuators
// as coordinates. An actuator along the direction (a, b) at the point (X, Y) of a rigid floor
// with the displacements u, v and the rotation θ has the row (a, b, b X − a Y). Not for
// rotations so large that the directions of the actuators turn: see FrameCoupler.
type LinearCoupler struct {
	Matrix [][]float64 `yaml:"matrix" doc:"rows: displacement of each actuator per unit of each interface coordinate"`
}

// mostActuators keeps a test in a laboratory, and mistakes small.
const mostActuators = 32

// Axes are rows and columns.
func (p *LinearCoupler) Axes() (iface, actuators int) { return len(p.Matrix), len(p.Matrix) }

// Lever is T, or what is wrong with it.
func (p *LinearCoupler) Lever() (*mat.Dense, error) {
	n := len(p.Matrix)
	if n == 0 || n > mostActuators {
		return nil, fmt.Errorf("linear coupler: matrix of %d rows: want one for each actuator, 1 to %d", n, mostActuators)
	}
	t := mat.NewDense(n, n, nil)
	for i, row := range p.Matrix {
		if len(row) != n {
			return nil, fmt.Errorf("linear coupler: row %d of matrix has %d numbers: want %d, as many as there are actuators: "+
				"as many actuators as interface coordinates hold the interface", i+1, len(row), n)
		}
		for _, v := range row {
			if !rths.Finite(v) {
				return nil, fmt.Errorf("linear coupler: row %d of matrix holds %g: want finite numbers", i+1, v)
			}
		}
		t.SetRow(i, row)
	}
	return t, p.wantRegular(t)
}

// singularBelow is the ratio of singular values below which a motion of the interface counts
// as one that moves no actuator. Rotations in rad beside displacements in m, with arms from
// a millimetre to a kilometre, stay above.
const singularBelow = 1e-9

// wantRegular names a motion of the interface that moves no actuator.
func (p *LinearCoupler) wantRegular(t *mat.Dense) error {
	var svd mat.SVD
	if !svd.Factorize(t, mat.SVDFull) {
		return fmt.Errorf("linear coupler: the singular values of matrix are not found: want numbers of a real geometry")
	}
	s := svd.Values(nil)
	n := len(s)
	if s[n-1] > singularBelow*s[0] {
		return nil
	}
	var v mat.Dense
	svd.VTo(&v)
	free := make([]float64, n)
	for i := range free {
		free[i] = v.At(i, n-1) + 0 // −0 reads badly
	}
	return fmt.Errorf(
		"linear coupler: singular matrix: the motion %.3g of the interface coordinates moves no actuator: want actuators "+
			"that hold every coordinate", free)
}

// Make checks the matrix and inverts it.
func (p *LinearCoupler) Make(float64) (rths.Coupler, error) {
	t, err := p.Lever()
	if err != nil {
		return nil, err
	}
	var inv mat.Dense
	if err := inv.Inverse(t); err != nil {
		return nil, fmt.Errorf("linear coupler: %w", err)
	}
	return &linearCoupler{n: len(p.Matrix), t: t.RawMatrix().Data, inv: inv.RawMatrix().Data}, nil
}

type linearCoupler struct {
	n      int
	t, inv []float64 // n × n, row-major
}

func (c *linearCoupler) Axes(axes, iface *rths.Motion) {
	c.multiply(axes.X, c.t, iface.X)
	c.multiply(axes.V, c.t, iface.V)
	c.multiply(axes.A, c.t, iface.A)
}

func (c *linearCoupler) Interface(iface, axes *rths.Reading) {
	c.multiply(iface.X, c.inv, axes.X)
	c.multiply(iface.V, c.inv, axes.V)
	c.multiply(iface.A, c.inv, axes.A)
	c.multiply(iface.TrueX, c.inv, axes.TrueX)
	c.multiply(iface.TrueA, c.inv, axes.TrueA)
	c.virtualWork(iface.F, axes.F)
	c.virtualWork(iface.TrueF, axes.TrueF)
}

// multiply is to = a x; values that are missing stay missing.
func (c *linearCoupler) multiply(to, a, x []float64) {
	if len(to) != c.n || len(x) != c.n {
		return
	}
	for i := range to {
		sum := 0.0
		for j, v := range x {
			sum += a[i*c.n+j] * v
		}
		to[i] = sum
	}
}

// virtualWork is f = Tᵀ F.
func (c *linearCoupler) virtualWork(f, forces []float64) {
	if len(f) != c.n || len(forces) != c.n {
		return
	}
	for j := range f {
		sum := 0.0
		for i, v := range forces {
			sum += c.t[i*c.n+j] * v
		}
		f[j] = sum
	}
}
