package structure

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/lti"
)

// Kinds is the table of structures.
var Kinds = []rths.Kind[Maker]{
	{
		Name: "silva2020", Doc: "three-storey frame of the single-actuator RTHS benchmark, cases 1 to 4, and two further cases",
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
			return &FEMesh{Density: p.Density, Modulus: p.Modulus, Poisson: p.Poisson, Thickness: p.Thickness, Rayleigh: p.Rayleigh}
		},
	},
	{
		Name: "external", Doc: "structure that another program integrates, as an unmodified OpenSees through its element genericClient",
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
			k = append(k, lti.Entry{Row: i - 1, Col: i - 1, V: v}, lti.Entry{Row: i, Col: i - 1, V: -v}, lti.Entry{Row: i - 1, Col: i, V: -v})
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
	Mass      [][]float64 `yaml:"mass" doc:"mass matrix by rows, kg"`
	Stiffness [][]float64 `yaml:"stiffness" doc:"stiffness matrix by rows, N/m"`
	Damping   Damping     `yaml:"damping,omitempty" doc:"damping of the undivided structure"`
	Influence []float64   `yaml:"influence,omitempty" doc:"influence vector of the ground motion; default ones"`
}

// Make checks and takes the matrices.
func (p *Matrices) Make() (*Structure, error) {
	m, err := dense("mass", p.Mass)
	if err != nil {
		return nil, err
	}
	k, err := dense("stiffness", p.Stiffness)
	if err != nil {
		return nil, err
	}
	n, _ := m.Dims()
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
	gamma := Ones(n)
	if len(p.Influence) > 0 {
		gamma = mat.NewDense(len(p.Influence), 1, append([]float64(nil), p.Influence...))
	}
	s := &Structure{N: n, M: m, K: k, Gamma: gamma}
	if err := checkInfluence(gamma, n); err != nil {
		return nil, err
	}
	if band := s.narrow(); band != nil {
		s = band
	}
	return p.Damping.damp(s)
}
