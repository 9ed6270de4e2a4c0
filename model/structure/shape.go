package structure

// Shape is how a structure is drawn: joints in a plane, and the lines between them.
type Shape struct {
	Joints [][2]float64 `json:"joints"` // across and up: m, or storeys and bays where Metres is false
	Lines  [][2]int     `json:"lines"`  // joints, from 0
	// degrees of freedom of each joint across and up, from 0; −1: it moves with the ground
	DOF    [][2]int `json:"dof"`
	Metres bool     `json:"metres"`
}

// Shaped is a structure whose places are known: not one of matrices, nor that of another program.
type Shaped interface{ Shape() (*Shape, error) }

// ShapeOf is the shape of a kind of structure; nil where its places are not known.
func ShapeOf(p Maker) (*Shape, error) {
	if shaped, ok := p.(Shaped); ok {
		return shaped.Shape()
	}
	return nil, nil
}

// Shape is one bay with a storey for each floor.
func (p *Shear) Shape() (*Shape, error) { return frameOf(1, floors(len(p.Masses))), nil }

// Shape is one bay with three storeys.
func (p *Silva2020) Shape() (*Shape, error) { return frameOf(1, floors(3)), nil }

// Shape is one bay with one storey.
func (p *Oscillator) Shape() (*Shape, error) { return frameOf(1, floors(1)), nil }

// Shape is three bays with three storeys. Joints move up and down by a small fraction of their way across: not drawn.
func (p *MaRTHS) Shape() (*Shape, error) {
	return frameOf(3, []int{marthsX1 - 1, marthsX2 - 1, marthsX3 - 1}), nil
}

// floors are the degrees of freedom of a frame with one for each floor.
func floors(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// frameOf is a frame whose floors move across with the given degrees of freedom, from the bottom.
func frameOf(bays int, floors []int) *Shape {
	s := &Shape{}
	row := bays + 1
	for storey := range len(floors) + 1 {
		dof := -1
		if storey > 0 {
			dof = floors[storey-1]
		}
		for i := range row {
			at := storey*row + i
			s.Joints, s.DOF = append(s.Joints, [2]float64{float64(i), float64(storey)}), append(s.DOF, [2]int{dof, -1})
			if storey > 0 {
				s.Lines = append(s.Lines, [2]int{at - row, at})
			}
			if storey > 0 && i > 0 {
				s.Lines = append(s.Lines, [2]int{at - 1, at})
			}
		}
	}
	return s
}

// Shape is the elements of the block.
func (p *FEFoundation) Shape() (*Shape, error) {
	m, err := p.mesh()
	if err != nil {
		return nil, err
	}
	return m.shape(), nil
}

// Shape is the elements.
func (p *FEMesh) Shape() (*Shape, error) {
	m, err := p.mesh()
	if err != nil {
		return nil, err
	}
	return m.shape(), nil
}

// shape has each edge once. Elements with a node that does not exist have none: Assemble says so.
func (m *Mesh) shape() *Shape {
	s := &Shape{Joints: m.Nodes, Metres: true}
	s.DOF, _ = m.DOF()
	seen := map[[2]int]bool{}
	for _, nodes := range m.Quads {
		for i, from := range nodes {
			to := nodes[(i+1)%4]
			edge := [2]int{min(from, to), max(from, to)}
			if edge[0] < 0 || edge[1] >= len(m.Nodes) || seen[edge] {
				continue
			}
			seen[edge] = true
			s.Lines = append(s.Lines, edge)
		}
	}
	return s
}
