package structure

import "testing"

// A shape has only joints, lines and degrees of freedom that are there, and each degree of freedom of a plane frame or
// mesh once up or across; what it stands on does not move.
func TestShapes(t *testing.T) {
	shaped := 0
	for name, p := range map[string]Maker{
		"silva2020": &Silva2020{Case: 1}, "marths": &MaRTHS{Case: 1}, "oscillator": &Oscillator{Mass: 1, FreqHz: 1},
		"shear": &Shear{Masses: []float64{1, 2, 3, 4}, Stiffnesses: []float64{4, 3, 2, 1}}, "fe": newFEFoundation(),
		"mesh": &FEMesh{Nodes: [][]float64{{0, 0}, {1, 0}, {1, 1}, {0, 1}}, Elements: [][]int{{1, 2, 3, 4}},
			Fixed: []int{1, 2}, Density: 1, Modulus: 1, Thickness: 1, Rayleigh: Rayleigh{Ratio: 0.05}},
		"matrices": &Matrices{},
	} {
		s, err := ShapeOf(p)
		if err != nil {
			t.Fatal(name, err)
		}
		if s == nil {
			continue
		}
		shaped++
		made, err := p.Make()
		if err != nil {
			t.Fatal(name, err)
		}
		if len(s.DOF) != len(s.Joints) {
			t.Errorf("%s: %d joints, %d of them move", name, len(s.Joints), len(s.DOF))
		}
		lowest, moved := s.Joints[0][1], false
		for _, at := range s.Joints {
			lowest = min(lowest, at[1])
		}
		for joint, dofs := range s.DOF {
			for _, dof := range dofs {
				if dof >= made.N || (dof >= 0 && s.Joints[joint][1] == lowest) {
					t.Errorf("%s: joint %d at %g moves with degree of freedom %d of %d", name, joint, s.Joints[joint], dof, made.N)
				}
				moved = moved || dof >= 0
			}
		}
		seen := map[[2]int]bool{}
		for _, l := range s.Lines {
			if l[0] < 0 || l[0] >= len(s.Joints) || l[1] < 0 || l[1] >= len(s.Joints) || l[0] == l[1] || seen[l] ||
				seen[[2]int{l[1], l[0]}] {
				t.Errorf("%s: line %d: want two joints of %d, once", name, l, len(s.Joints))
			}
			seen[l] = true
		}
		if !moved || len(s.Lines) == 0 {
			t.Errorf("%s: nothing moves, or there are no lines", name)
		}
	}
	if shaped != 6 {
		t.Errorf("%d structures have a shape: want all but the matrices", shaped)
	}
}

// The frame of the multi-axial benchmark has 16 joints, whose floors move with three degrees of freedom.
func TestFrameShape(t *testing.T) {
	s, _ := ShapeOf(&MaRTHS{Case: 1})
	if len(s.Joints) != 16 || len(s.Lines) != 12+9 || s.DOF[4][0] != marthsX1-1 || s.DOF[15][0] != marthsX3-1 {
		t.Errorf("%d joints, %d lines, floors move with %v", len(s.Joints), len(s.Lines), s.DOF)
	}
	mesh, err := ShapeOf(newFEFoundation())
	if err != nil || !mesh.Metres || len(mesh.Joints) != 13*9 || len(mesh.Lines) != 12*9+13*8 {
		t.Errorf("the block of 12 × 8 elements has %d joints and %d lines, %v", len(mesh.Joints), len(mesh.Lines), err)
	}
}
