package structure

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// MaRTHS is the reference structure of the multi-axial RTHS benchmark: a steel
// frame of three storeys and three bays in its plane, 29 equations of 16 joints,
// all joints of a floor with one horizontal displacement. Mass is at the three
// floors (27, 26, 13) and the twelve vertical displacements; the 14 rotations have
// none, so that only integrators for massless coordinates serve. Matrices are
// from the public package, damping is Rayleigh's (docs/reference/benchmark-multiaxial.md,
// Structure).
//
// The cases are an assumption (same page, Cases): mass factors and damping ratios of
// the single-actuator benchmark.
type MaRTHS struct {
	Case int `yaml:"case" doc:"partition case, 1 to 4"`
}

// Degrees of freedom of the frame by joint, counted from 1: horizontal
// displacement of a floor and rotation of a joint.
const (
	marthsX1, marthsTheta7, marthsTheta6 = 27, 21, 29 // controlled node, and the other end of the specimen's beam
	marthsX2, marthsTheta12              = 26, 22
	marthsX3, marthsTheta16              = 13, 3
)

// marthsCases are mass factor and damping ratio of the cases.
var marthsCases = []struct{ mass, ratio float64 }{{1, 0.05}, {1.1, 0.04}, {1.3, 0.03}, {1, 0.03}}

// Frequencies, rad/s, where the damping ratio holds in case 1. The first is not the
// first mode of this model (14.396), the second is its third.
const marthsW1, marthsW2 = 13.493, 165.125

// Make returns the undivided structure of the case.
func (p *MaRTHS) Make() (*Structure, error) {
	if p.Case < 1 || p.Case > len(marthsCases) {
		return nil, fmt.Errorf("marths: case %d: want 1 to %d", p.Case, len(marthsCases))
	}
	c := marthsCases[p.Case-1]
	n := len(marthsStiffness)
	m, k := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for dof, v := range marthsMass {
		m.Set(dof-1, dof-1, v*c.mass)
	}
	for i, row := range marthsStiffness {
		for _, e := range row {
			k.Set(i, e.column-1, e.v)
			k.Set(e.column-1, i, e.v)
		}
	}
	gamma := mat.NewDense(n, 1, nil) // vertical masses are not excited
	for _, dof := range []int{marthsX1, marthsX2, marthsX3} {
		gamma.Set(dof-1, 0, 1)
	}
	slower := math.Sqrt(c.mass)
	return newStructure(m, rayleigh(m, k, c.ratio, marthsW1/slower, marthsW2/slower), k, gamma)
}

// rayleigh is a M + b K with the given ratio at w1 and w2 (rad/s).
func rayleigh(m, k *mat.Dense, ratio, w1, w2 float64) *mat.Dense {
	var c, bk mat.Dense
	c.Scale(2*ratio*w1*w2/(w1+w2), m)
	bk.Scale(2*ratio/(w1+w2), k)
	c.Add(&c, &bk)
	return &c
}

// Divided is implemented by structures with a partition of their own: the part that
// leaves the structure differs from the tested specimen.
type Divided interface {
	Divide(whole *Structure) (*Partition, error)
	// Watched are the degrees of freedom that criteria compare, the controlled node's
	// first.
	Watched() []Watched
}

// Watched is a degree of freedom that a run is judged by.
type Watched struct {
	Name string // as in J7_x_pct
	DOF  int    // from 0
	Sign float64
	Unit string
}

// Watched are displacement and rotation of the controlled node (joint 7), then of
// joint 12 in the second and joint 16 in the third storey. The specimen counts the
// rotation of joint 7 the other way round, hence the sign −1.
func (*MaRTHS) Watched() []Watched {
	return []Watched{
		{"x", marthsX1 - 1, 1, "m"}, {"theta", marthsTheta7 - 1, -1, "rad"},
		{"x2", marthsX2 - 1, 1, "m"}, {"theta2", marthsTheta12 - 1, 1, "rad"},
		{"x3", marthsX3 - 1, 1, "m"}, {"theta3", marthsTheta16 - 1, 1, "rad"},
	}
}

// Divide takes the portal frame of the ground floor's middle bay out of the
// structure, as the package's scripts model it (docs/reference/benchmark-multiaxial.md,
// Partition): pinned at its bases, vertical displacements left out. The interface is
// (x, θ of joint 7, θ of joint 6). The actuators hold the first two; joint 6 takes a
// moment but has no target.
//
// Of the portal's mass only 902.5 kg leave, at x: the package types the density a
// hundred times too large. The specimen has 8.45 kg, so numerical part plus specimen
// is not the undivided structure.
func (*MaRTHS) Divide(whole *Structure) (*Partition, error) {
	mp, cp, kp, err := portal()
	if err != nil {
		return nil, err
	}
	d := &Partition{
		Whole: whole, M: mat.DenseCopyOf(whole.M), C: mat.DenseCopyOf(whole.C), K: mat.DenseCopyOf(whole.K),
		Interface: []int{marthsX1 - 1, marthsTheta7 - 1, marthsTheta6 - 1}, Sign: []float64{1, -1, -1},
	}
	d.M.Set(marthsX1-1, marthsX1-1, d.M.At(marthsX1-1, marthsX1-1)-mp.At(0, 0))
	for i, at := range []int{marthsX1 - 1, marthsTheta6 - 1, marthsTheta7 - 1} {
		for j, to := range []int{marthsX1 - 1, marthsTheta6 - 1, marthsTheta7 - 1} {
			d.C.Set(at, to, d.C.At(at, to)-cp.At(i, j))
			d.K.Set(at, to, d.K.At(at, to)-kp.At(i, j))
		}
	}
	numerical := &Structure{N: whole.N, M: d.M, C: d.C, K: d.K, Gamma: whole.Gamma, Forces: whole.Forces}
	d.Load = numerical.load() // the ground moves the numerical part's mass only
	return d, nil
}

// portal is mass, damping and stiffness of the portal frame taken out, in the
// order x, θ of joint 6, θ of joint 7 (kg, kg·m², N·s/m, N/m, …).
func portal() (m, c, k *mat.Dense, err error) {
	const (
		inch   = 0.0254
		lb, lc = 0.762, 0.635 // m, beam and columns
		ic, ib = 2.520 * inch * inch * inch * inch, 0.6132 * inch * inch * inch * inch
		ac, ab = 1.670 * inch * inch, 0.947 * inch * inch
		e, rho = 200e9, 785e3 // rho as the package has it
	)
	s, d, o := -3*e*ic/(lc*lc), 3*e*ic/lc+4*e*ib/lb, -2*e*ib/lb
	k = mat.NewDense(3, 3, []float64{6 * e * ic / (lc * lc * lc), s, s, s, d, o, s, o, d})
	mass, inertia := rho*(ac*lc+ab*lb), rho*(ac*lc*lc*lc+ab*lb*lb*lb)/24
	m = mat.NewDense(3, 3, []float64{mass, 0, 0, 0, inertia, 0, 0, 0, inertia})
	omega, _, err := eigen(m, k)
	if err != nil {
		return nil, nil, nil, err
	}
	return m, rayleigh(m, k, 0.05, omega[0], omega[2]), k, nil
}
