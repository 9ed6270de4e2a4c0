package structure

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/lti"
)

// Kinds is the table of structures.
var Kinds = []rths.Kind[Maker]{
	{
		Name:     "silva2020",
		Doc:      "three-storey frame of the single-actuator RTHS benchmark, cases 1 to 4, and two further cases",
		Ref:      "Silva et al. 2020; Ning et al. 2020, Table 1; Gálmez 2021, Table 7.2",
		Defaults: func() Maker { return &Silva2020{Case: 1} },
	},
	{
		Name: "marths", Doc: "three-storey, three-bay frame of the multi-axial RTHS benchmark, cases 1 to 4",
		Ref:      "Condori Uribe et al. 2023, benchmark package",
		Defaults: func() Maker { return &MaRTHS{Case: 1} },
	},
	{
		Name: "shear", Doc: "shear frame: one lateral displacement per floor; storeys may yield",
		Ref:      "Chopra, Dynamics of Structures, ch. 9",
		Defaults: func() Maker { return &Shear{} },
	},
	{
		Name: "oscillator", Doc: "one degree of freedom given by mass, frequency and damping ratio",
		Ref:      "Chopra, Dynamics of Structures, ch. 2; Gálmez 2021, Table 7.4",
		Defaults: func() Maker { return &Oscillator{Mass: 1} },
	},
	{
		Name: "matrices", Doc: "mass, damping and stiffness matrices as given",
		Ref:      "Ning et al. 2020, eq. 1",
		Defaults: func() Maker { return &Matrices{} },
	},
	{
		Name: "fe-foundation", Doc: "block of ground under a structure: plane-strain finite elements, any number",
		Ref:      "Zhu et al. 2014, section 4.2",
		Defaults: func() Maker { return newFEFoundation() },
	},
	{
		Name: "fe-mesh", Doc: "plane-strain finite elements given node by node",
		Ref: "Zienkiewicz and Taylor, The Finite Element Method, vol. 1, ch. 8",
		Defaults: func() Maker {
			p := newFEFoundation()
			return &FEMesh{Density: p.Density, Modulus: p.Modulus, Poisson: p.Poisson, Thickness: p.Thickness,
				Rayleigh: p.Rayleigh}
		},
	},
	{
		Name:     "external",
		Doc:      "structure that another program integrates, as an unmodified OpenSees through its element genericClient",
		Ref:      "Schellenberg, Mahin and Fenves 2009; OpenSees, element genericClient",
		Defaults: func() Maker { return newExternal() },
	},
}

// Shear is a shear frame, floors counted from the ground.
type Shear struct {
	Masses      []float64 `yaml:"masses" doc:"floor masses from the bottom, kg"`
	Stiffnesses []float64 `yaml:"stiffnesses" doc:"storey stiffnesses from the bottom, N/m"`
	Damping     Damping   `yaml:"damping,omitempty" doc:"damping of the undivided structure"`

	Yielding []YieldingStorey `yaml:"yielding,omitempty" doc:"storeys that yield; the others are linear"`
}

// Make assembles the frame: storey i joins floors i−1 and i.
func (p *Shear) Make() (*Structure, error) {
	n := len(p.Masses)
	if n == 0 || len(p.Stiffnesses) != n {
		return nil, fmt.Errorf("shear frame: %d masses and %d stiffnesses: want one of each per floor", n, len(p.Stiffnesses))
	}
	var k []lti.Entry
	for i := range n {
		if !(p.Masses[i] > 0) || math.IsInf(p.Masses[i], 1) {
			return nil, fmt.Errorf("shear frame: mass %d is %g kg: want more than 0, finite", i+1, p.Masses[i])
		}
		if !(p.Stiffnesses[i] > 0) || math.IsInf(p.Stiffnesses[i], 1) {
			return nil, fmt.Errorf("shear frame: stiffness %d is %g N/m: want more than 0, finite", i+1, p.Stiffnesses[i])
		}
		v := p.Stiffnesses[i]
		k = append(k, lti.Entry{Row: i, Col: i, V: v})
		if i > 0 {
			k = append(k, lti.Entry{Row: i - 1, Col: i - 1, V: v}, lti.Entry{Row: i, Col: i - 1, V: -v},
				lti.Entry{Row: i - 1, Col: i, V: -v})
		}
	}
	s, err := p.Damping.damp(newSparse(slices.Clone(p.Masses), lti.NewCSR(n, k), Ones(n)))
	if err != nil {
		return nil, fmt.Errorf("shear frame: %w", err)
	}
	if err := p.yields(s); err != nil {
		return nil, fmt.Errorf("shear frame: %w", err)
	}
	return s, nil
}

// Matrices is a structure given by its matrices.
type Matrices struct {
	Mass      Matrix  `yaml:"mass" doc:"mass matrix by rows, kg, or {file: …}"`
	Stiffness Matrix  `yaml:"stiffness" doc:"stiffness matrix by rows, N/m, or {file: …}"`
	Damping   Damping `yaml:"damping,omitempty" doc:"damping of the undivided structure"`
	Influence Vector  `yaml:"influence,omitempty" doc:"influence vector of the ground motion, or {file: …}; default ones"`
}

// Make checks and takes the matrices.
func (p *Matrices) Make() (*Structure, error) {
	n := p.Mass.size()
	gamma, err := p.influence(n)
	if err != nil {
		return nil, err
	}
	s, err := p.undamped(n, gamma)
	if err != nil {
		return nil, err
	}
	return p.Damping.damp(s)
}

// influence is the influence vector, or ones.
func (p *Matrices) influence(n int) (*mat.Dense, error) {
	values, err := p.Influence.Numbers()
	if err != nil {
		return nil, err
	}
	if len(values) == 0 {
		return Ones(max(n, 1)), nil
	}
	return mat.NewDense(len(values), 1, values), nil
}

// undamped is the structure without damping, sparse where that is faster.
func (p *Matrices) undamped(n int, gamma *mat.Dense) (*Structure, error) {
	if n > DenseUpTo && (p.Mass.isSparse() || p.Stiffness.isSparse()) {
		return p.sparse(n, gamma)
	}
	m, err := p.Mass.dense("mass")
	if err != nil {
		return nil, err
	}
	k, err := p.Stiffness.dense("stiffness")
	if err != nil {
		return nil, err
	}
	for _, part := range []struct {
		name string
		a    *mat.Dense
	}{{"mass", m}, {"stiffness", k}} {
		if err := checkMatrix(part.name, part.a, n); err != nil {
			return nil, err
		}
		if _, err := semidefinite(part.name, sparseOf(part.a), asymmetry); err != nil {
			return nil, err
		}
	}
	s := &Structure{N: n, M: m, K: k, Gamma: gamma}
	if err := checkInfluence(gamma, n); err != nil {
		return nil, err
	}
	if band := s.narrow(); band != nil {
		s = band
	}
	return s, nil
}

// sparse is a large structure of sparse matrices. Where its mass is not lumped, or its band wide, it becomes a
// dense one if it is small enough.
func (p *Matrices) sparse(n int, gamma *mat.Dense) (*Structure, error) {
	k, err := p.Stiffness.definite("stiffness", n)
	if err != nil {
		return nil, err
	}
	m, err := p.Mass.definite("mass", n)
	if err != nil {
		return nil, err
	}
	if err := checkInfluence(gamma, n); err != nil {
		return nil, err
	}
	masses, why := lumpedSparse(m)
	if band := k.HalfBandwidth(); why == "" && float64(band) > narrowPart*float64(n) {
		why = fmt.Sprintf(
			"the stiffness matrix of %d rows has a band of %d on each side of the diagonal (%s): number the degrees of "+
				"freedom so that neighbours have near numbers, as symrcm does in MATLAB", n, band, farthest(k))
	}
	switch {
	case why == "":
		return newSparse(masses, k, gamma), nil
	case n*n > mostFull:
		return nil, fmt.Errorf("%s; %w", why, errTooFull)
	}
	return &Structure{N: n, M: denseOf(m), K: denseOf(k), Gamma: gamma}, nil
}

var errTooFull = fmt.Errorf("other structures are held with all numbers of their matrices, of which there may be %d",
	mostFull)
