package structure

import "fmt"

// FEFoundation is a block of ground under a structure: a rectangle of four-node
// plane-strain elements with fixed base and sides, lumped mass and Rayleigh
// damping (Zhu et al. 2014, section 4.2: 60 m × 40 m, 12 × 8 elements, 117 nodes;
// thickness, damping and fixed sides are assumptions of ours). The structure
// stands at the middle of the top. Fixed boundaries
// reflect waves: do not use results after reflected waves have come back.
type FEFoundation struct {
	Width float64 `yaml:"width" doc:"width, m"`
	Depth float64 `yaml:"depth" doc:"depth, m"`

	NX int `yaml:"elements_x" doc:"elements along the width, an even number: a node stands at the middle of the top"`

	NY        int      `yaml:"elements_y" doc:"elements along the depth"`
	Density   float64  `yaml:"density" doc:"mass density, kg/m³"`
	Modulus   float64  `yaml:"modulus" doc:"Young's modulus, Pa"`
	Poisson   float64  `yaml:"poisson" doc:"Poisson's ratio, 0 to below 0.5"`
	Thickness float64  `yaml:"thickness" doc:"thickness of the slice, m"`
	Rayleigh  Rayleigh `yaml:"rayleigh" doc:"C = aM + bK with a given ratio at two frequencies"`
}

// newFEFoundation is the foundation of Zhu et al. 2014.
func newFEFoundation() *FEFoundation {
	return &FEFoundation{
		Width: 60, Depth: 40, NX: 12, NY: 8, Density: 2000, Modulus: 4e9, Poisson: 0.2, Thickness: 1,
		Rayleigh: Rayleigh{Ratio: 0.05},
	}
}

// Make assembles the foundation. Its interface is the horizontal degree of
// freedom at the middle of the top.
func (p *FEFoundation) Make() (*Structure, error) {
	s, err := p.make()
	if err != nil {
		return nil, fmt.Errorf("fe-foundation: %w", err)
	}
	return s, nil
}

func (p *FEFoundation) mesh() (*Mesh, error) {
	mesh, err := Rectangle(p.Width, p.Depth, p.NX, p.NY)
	if err != nil {
		return nil, err
	}
	if p.NX%2 != 0 {
		return nil, fmt.Errorf("%d elements along the width: want an even number, with a node at the middle of the top", p.NX)
	}
	// Node coordinates are exact at the ends: n/n = 1.
	mesh.Fix(func(x, y float64) bool { return x == 0 || x == p.Width || y == 0 })
	return mesh, nil
}

func (p *FEFoundation) make() (*Structure, error) {
	mesh, err := p.mesh()
	if err != nil {
		return nil, err
	}
	s, err := mesh.Assemble(Material{Modulus: p.Modulus, Poisson: p.Poisson, Density: p.Density, Thickness: p.Thickness})
	if err != nil {
		return nil, err
	}
	dof, _ := mesh.DOF()
	s.Interface = dof[mesh.Nearest(p.Width/2, p.Depth)][0]
	return s, s.Sparse.rayleigh(&p.Rayleigh)
}
