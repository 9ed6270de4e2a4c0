package structure

import (
	"fmt"
	"math"
)

// FEMesh is a plane of four-node plane-strain elements given node by node, with
// lumped mass and Rayleigh damping. Degrees of freedom are the displacements x
// and y of the free nodes in their order: number the nodes along the short side.
type FEMesh struct {
	Nodes     [][]float64 `yaml:"nodes" doc:"coordinates [x, y] of the nodes, m"`
	Elements  [][]int     `yaml:"elements" doc:"four nodes of each element, from 1, counterclockwise"`
	Fixed     []int       `yaml:"fixed" doc:"nodes that are held, from 1; they move with the ground, horizontally"`
	Density   float64     `yaml:"density" doc:"mass density, kg/m³"`
	Modulus   float64     `yaml:"modulus" doc:"Young's modulus, Pa"`
	Poisson   float64     `yaml:"poisson" doc:"Poisson's ratio, 0 to below 0.5"`
	Thickness float64     `yaml:"thickness" doc:"thickness of the slice, m"`
	Rayleigh  Rayleigh    `yaml:"rayleigh" doc:"C = aM + bK with a given ratio at two frequencies"`
}

// Make assembles the mesh. Its interface is degree of freedom 1 unless the
// scenario names another.
func (p *FEMesh) Make() (*Structure, error) {
	m, err := p.mesh()
	if err != nil {
		return nil, fmt.Errorf("fe-mesh: %w", err)
	}
	s, err := m.Assemble(Material{Modulus: p.Modulus, Poisson: p.Poisson, Density: p.Density, Thickness: p.Thickness})
	if err != nil {
		return nil, fmt.Errorf("fe-mesh: %w", err)
	}
	if err := s.Sparse.rayleigh(&p.Rayleigh); err != nil {
		return nil, fmt.Errorf("fe-mesh: %w", err)
	}
	return s, nil
}

func (p *FEMesh) mesh() (*Mesh, error) {
	if len(p.Nodes) > mostNodes || len(p.Elements) == 0 {
		return nil, fmt.Errorf("%d nodes and %d elements: want 1 element or more, at most %d nodes", len(p.Nodes),
			len(p.Elements), mostNodes)
	}
	m := &Mesh{Fixed: make([][2]bool, len(p.Nodes))}
	for i, at := range p.Nodes {
		if len(at) != 2 || math.IsNaN(at[0]+at[1]) || math.IsInf(at[0], 0) || math.IsInf(at[1], 0) {
			return nil, fmt.Errorf("node %d is at %g: want [x, y], m", i+1, at)
		}
		m.Nodes = append(m.Nodes, [2]float64(at))
	}
	for e, nodes := range p.Elements {
		if len(nodes) != 4 {
			return nil, fmt.Errorf("element %d has nodes %d: want four", e+1, nodes)
		}
		m.Quads = append(m.Quads, [4]int{nodes[0] - 1, nodes[1] - 1, nodes[2] - 1, nodes[3] - 1})
	}
	for _, node := range p.Fixed {
		if node < 1 || node > len(p.Nodes) {
			return nil, fmt.Errorf("fixed node %d: want 1 to %d", node, len(p.Nodes))
		}
		m.Fixed[node-1] = [2]bool{true, true}
	}
	return m, nil
}
