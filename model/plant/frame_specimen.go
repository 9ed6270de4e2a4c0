package plant

import (
	"gonum.org/v1/gonum/mat"

	"rths"
)

// FrameSpecimen is the specimen of the multi-axial RTHS benchmark: a portal frame
// with pinned bases and five coordinates, x and the rotations of joints 7 and 6 and
// of both bases. The actuators control x and θ₇; the others follow statically, so
// that with q = (x, θ₇)
//
//	f = K₅ L q + C₅ L q̇ + M₅ L q̈,  L = [I; T],  T = −K_oo⁻¹ K_ot,
//
// of which the first three rows are the force at x and the moments at θ₇ and θ₆
// (docs/reference/benchmark-multiaxial.md, Specimen). The moment at θ₆ has no stiffness part:
// static recovery makes it zero.
//
// FrameSpecimen is not a Specimen: it has two coordinates and three forces, which
// rig.NewRecovered computes. Its rotations have the opposite sign of the structure's;
// Partition.Sign corrects this.
type FrameSpecimen struct{}

const (
	inch        = 0.0254
	frameE      = 200e9                                   // Pa
	frameColumn = 0.64135                                 // m
	frameBeam   = 0.762                                   // m
	frameIc     = 0.7 * 2.520 * inch * inch * inch * inch // m⁴
	frameIb     = 4.21372e-7                              // m⁴
)

// frameMass is M₅, diagonal, kg and kg·m², the package's with its factor of 1.1.
var frameMass = []float64{8.453988995734699, 0.8904444862487942, 0.8904444862487942, 0.40905366967751405,
	0.40905366967751405}

// frameDamping is C₅, 5 % on all five modes with their frequencies rounded to
// 0.01 rad/s, in N·s/m, N·s and N·m·s.
var frameDamping = []float64{
	810.1034312346245, 86.71576773913641, 86.71576773913648, 89.4001181171593, 89.40011811715932,
	86.71576773913641, 103.84035282284329, 6.749806416142352, -3.599057471336348, 14.310202554931298,
	86.71576773913647, 6.7498064161423486, 103.84035282284327, 14.310202554931301, -3.59905747133633,
	89.40011811715931, -3.599057471336348, 14.310202554931305, 57.01541025918387, -2.9763819154556685,
	89.40011811715931, 14.310202554931294, -3.599057471336323, -2.9763819154556757, 57.01541025918387,
}

// frameStiffness is K₅ of beam and columns in bending, axially rigid.
func frameStiffness() *mat.Dense {
	ei, l := frameE*frameIc, frameColumn
	k3, k2, k4, h := 12*ei/(l*l*l), 6*ei/(l*l), 4*ei/l, 2*ei/l
	b4, b2 := 4*frameE*frameIb/frameBeam, 2*frameE*frameIb/frameBeam
	return mat.NewDense(5, 5, []float64{
		2 * k3, k2, k2, k2, k2,
		k2, k4 + b4, b2, 0, h,
		k2, b2, k4 + b4, h, 0,
		k2, 0, h, k4, 0,
		k2, h, 0, 0, k4,
	})
}

// Matrices are K₅ L, C₅ L and M₅ L, rows for the forces at x, θ₇ and θ₆.
func (*FrameSpecimen) Matrices() (m, c, k *mat.Dense, err error) {
	k5 := frameStiffness()
	var t mat.Dense
	if err := t.Solve(k5.Slice(2, 5, 2, 5), k5.Slice(2, 5, 0, 2)); err != nil {
		return nil, nil, nil, err
	}
	l := mat.NewDense(5, 2, []float64{1, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	t.Scale(-1, &t)
	l.Slice(2, 5, 0, 2).(*mat.Dense).Copy(&t)
	rows := func(a mat.Matrix) *mat.Dense {
		var out mat.Dense
		out.Mul(a, l)
		return mat.DenseCopyOf(out.Slice(0, 3, 0, 2))
	}
	return rows(mat.NewDiagDense(5, frameMass)), rows(mat.NewDense(5, 5, frameDamping)), rows(k5), nil
}

// Make makes it as a specimen without forces of its own, which is all a transfer
// system that has it inside needs.
func (p *FrameSpecimen) Make() (Specimen, error) { return inside{p}, nil }

// inside is the frame where a plant holds it already.
type inside struct{ *FrameSpecimen }

func (inside) Mass() float64 { return frameMass[0] }
func (inside) States() int   { return 0 }

// Rate leaves forces to the one who recovers them.
func (inside) Rate(_, force, _ []float64, _ *rths.Motion) { clear(force) }

// Recoverable is implemented by specimens whose forces are computed from their
// motion: f = M q̈ + C q̇ + K q, rows for the forces, columns for the controlled
// coordinates q.
type Recoverable interface {
	Matrices() (m, c, k *mat.Dense, err error)
}
