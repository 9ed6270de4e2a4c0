package structure

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"rths/maths/lti"
	"rths/maths/portable"
)

// ComparedMode is a mode of the matrices beside the mode of OpenSees with the same number. Both shapes have
// φᵀMφ = 1 and are by equation.
type ComparedMode struct {
	Omega, OpenSees float64 // rad/s
	Ratio           float64 // damping ratio φᵀCφ/2ω of the damping matrix
	// of the matrices: what of OpenSees' shape lies in the modes within sameMode of its frequency
	Shape  []float64
	Theirs []float64 // of OpenSees

	// Apart is the largest difference of the shapes at one equation over the largest entry. A rotation counts as the
	// displacement that it makes over the size of the model.
	Apart float64
	Where Place // of the largest difference

	// Late is how many places later OpenSees has the shape; 0: not, or nowhere. OpenSees 3.8.0 does so on some processors
	// where frequencies are equal: ARPACK finds more shapes than were wanted, and its first ones are none.
	Late int
}

// Off is the relative difference of the frequencies.
func (c ComparedMode) Off() float64 { return math.Abs(c.Omega-c.OpenSees) / c.OpenSees }

// Limits of an import.
const (
	MostOff   = 1e-8 // relative difference of frequencies
	MostApart = 1e-6 // difference of shapes (ComparedMode.Apart)
)

// Compare finds the modes of the matrices and compares them with OpenSees' modes, lowest first. Shapes of equal
// frequency are arbitrary within their span: each of OpenSees' is compared with what of it lies in the span
// of all modes of the matrices within sameMode of its frequency.
func (o *OpenSees) Compare() ([]ComparedMode, error) {
	const more = 4 // modes of the highest frequency may go on after the last one
	omega, shapes, err := lowestModes(o.M, o.K, len(o.Modes)+more)
	if err != nil {
		return nil, fmt.Errorf("%w: the model moves without force, or has buckled: want supports and a state that is stable",
			err)
	}
	if len(omega) < len(o.Modes) {
		return nil, fmt.Errorf("OpenSees found %d modes, and the mass matrix has %d: want rths_export with %d", len(o.Modes),
			len(omega), len(omega))
	}
	var out []ComparedMode
	for j, mode := range o.Modes {
		c := ComparedMode{Omega: omega[j], OpenSees: mode.Omega, Theirs: normalised(o.M, mode.Shape),
			Shape: make([]float64, len(mode.Shape))}
		push := make([]float64, len(mode.Shape))
		o.M.MulVec(push, c.Theirs)
		for i, phi := range shapes {
			if math.Abs(omega[i]-mode.Omega) <= sameMode*mode.Omega {
				floats.AddScaled(c.Shape, portable.Dot(phi, push), phi)
			}
		}
		c.Ratio = quadratic(o.C, shapes[j]) / (2 * omega[j])
		if c.Apart, c.Where = o.apart(c.Shape, c.Theirs); c.Apart > 0.5 {
			c.Late = o.late(j, omega, shapes)
		}
		out = append(out, c)
	}
	return out, nil
}

// late is how many places later a shape stands that lies in the modes of the frequency of mode j.
func (o *OpenSees) late(j int, omega []float64, shapes [][]float64) int {
	for later := j + 1; later < len(o.Modes); later++ {
		push, part := make([]float64, len(shapes[0])), 0.0
		o.M.MulVec(push, normalised(o.M, o.Modes[later].Shape))
		for i, phi := range shapes {
			if math.Abs(omega[i]-o.Modes[j].Omega) <= sameMode*o.Modes[j].Omega {
				d := portable.Dot(phi, push)
				part += d * d
			}
		}
		if part > 1-MostApart {
			return later - j
		}
	}
	return 0
}

// normalised is a shape with φᵀMφ = 1.
func normalised(m *lti.CSR, shape []float64) []float64 {
	out := append([]float64(nil), shape...)
	if square := quadratic(m, shape); square > 0 {
		scaleTo(out, 1/math.Sqrt(square))
	}
	return out
}

// quadratic is xᵀAx.
func quadratic(a *lti.CSR, x []float64) float64 {
	y := make([]float64, len(x))
	a.MulVec(y, x)
	return portable.Dot(x, y)
}

// apart is the largest difference of two shapes over the largest entry, and where.
func (o *OpenSees) apart(ours, theirs []float64) (most float64, where Place) {
	size, largest := o.size(), 0.0
	where = o.At[0]
	for i, at := range o.At {
		arm := 1.0
		if at.Rotation {
			arm = size
		}
		largest = max(largest, math.Abs(theirs[i])*arm)
		if d := math.Abs(ours[i]-theirs[i]) * arm; !(d <= most) {
			most, where = d, at
		}
	}
	return most / largest, where
}

// size is the largest extent of the nodes along an axis; 1 where all stand at one point.
func (o *OpenSees) size() (most float64) {
	for axis := range o.Dimensions {
		low, high := math.Inf(1), math.Inf(-1)
		for _, node := range o.Nodes {
			low, high = min(low, node.X[axis]), max(high, node.X[axis])
		}
		most = max(most, high-low)
	}
	if most > 0 {
		return most
	}
	return 1
}

// X are the coordinates of the node of an equation, m in SI.
func (o *OpenSees) X(p Place) []float64 { return o.Nodes[p.index].X }

// Agree refuses modes that are farther apart than an import may be.
func Agree(modes []ComparedMode) error {
	for j, c := range modes {
		switch {
		case !(c.Off() <= MostOff):
			return fmt.Errorf(
				"mode %d: OpenSees has %.10g Hz, and its matrices %.10g Hz, %.2g apart (relative): want at most %g. Is the "+
					"tangent of an element unlike the stiffness that eigen takes, or a mode left out by OpenSees?",
				j+1, c.OpenSees/(2*math.Pi), c.Omega/(2*math.Pi), c.Off(), MostOff)
		case c.Late > 0:
			return fmt.Errorf(
				"mode %d: the command eigen of OpenSees has put this shape %d places late, at that of another frequency, as it does "+
					"on some processors where frequencies are equal: want rths_export on another machine, or with another number of modes",
				j+1, c.Late)
		case !(c.Apart <= MostApart):
			return fmt.Errorf(
				"mode %d: the shapes of OpenSees and of its matrices are %.2g of the largest entry apart at %v: want at most %g. "+
					"Is another node's equation meant, or are two frequencies nearly equal?",
				j+1, c.Apart, c.Where, MostApart)
		}
	}
	return nil
}
