package structure

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rths/maths/lti"
)

// Mesh is a plane divided into four-node elements. Degrees of freedom are the
// displacements x and y of the free nodes, in the order of the nodes, so the numbering
// of the nodes sets the bandwidth.
type Mesh struct {
	Nodes [][2]float64 // coordinates, m
	Quads [][4]int     // nodes from 0, counterclockwise
	Fixed [][2]bool    // nodes held in x and in y
}

// Rectangle is a mesh of nx × ny equal elements with the origin at its lower left
// corner, numbered along the side of fewer elements. All nodes are free.
func Rectangle(width, height float64, nx, ny int) (*Mesh, error) {
	for _, q := range []struct {
		name string
		v    float64
	}{{"width", width}, {"height", height}} {
		if !(q.v > 0) || math.IsInf(q.v, 1) {
			return nil, fmt.Errorf("mesh: %s %g m: want more than 0", q.name, q.v)
		}
	}
	if nx < 1 || ny < 1 || nx > mostNodes || ny > mostNodes || (nx+1)*(ny+1) > mostNodes {
		return nil, fmt.Errorf("mesh: %d × %d elements: want 1 or more each way, at most %d nodes", nx, ny, mostNodes)
	}
	m := &Mesh{Nodes: make([][2]float64, (nx+1)*(ny+1)), Fixed: make([][2]bool, (nx+1)*(ny+1))}
	node := func(i, j int) int {
		if nx < ny {
			return j*(nx+1) + i
		}
		return i*(ny+1) + j
	}
	for i := range nx + 1 {
		for j := range ny + 1 {
			m.Nodes[node(i, j)] = [2]float64{width * (float64(i) / float64(nx)), height * (float64(j) / float64(ny))}
			if i < nx && j < ny {
				m.Quads = append(m.Quads, [4]int{node(i, j), node(i+1, j), node(i+1, j+1), node(i, j+1)})
			}
		}
	}
	return m, nil
}

// Limits against typing errors that would take all memory: number of nodes, and numbers
// in the band of the factorised matrix (1 GB).
const (
	mostNodes   = 200_000
	mostNumbers = 1 << 27
)

// checkBand refuses a mesh whose band is too large.
func (m *Mesh) checkBand(dof [][2]int, n int) error {
	width := 0
	for _, nodes := range m.Quads {
		least, most := n, -1
		for _, node := range nodes {
			for _, at := range dof[node] {
				if at >= 0 {
					least, most = min(least, at), max(most, at)
				}
			}
		}
		width = max(width, most-least+1)
	}
	if n*width > mostNumbers {
		return fmt.Errorf(
			"mesh: %d degrees of freedom in a band of %d, %.3g numbers: want at most %d; fewer elements, or nodes numbered "+
				"along the shorter side", n, width, float64(n)*float64(width), mostNumbers)
	}
	return nil
}

// Fix holds, in x and y, every node for which chosen returns true.
func (m *Mesh) Fix(chosen func(x, y float64) bool) {
	for i, at := range m.Nodes {
		if chosen(at[0], at[1]) {
			m.Fixed[i] = [2]bool{true, true}
		}
	}
}

// Nearest is the node nearest to a point.
func (m *Mesh) Nearest(x, y float64) int {
	best, least := 0, math.Inf(1)
	for i, at := range m.Nodes {
		if d := math.Hypot(at[0]-x, at[1]-y); d < least {
			best, least = i, d
		}
	}
	return best
}

// DOF is the number, from 0, of every node's degrees of freedom in x and y; −1
// where it is fixed.
func (m *Mesh) DOF() (dof [][2]int, n int) {
	dof = make([][2]int, len(m.Nodes))
	for i, fixed := range m.Fixed {
		for d := range 2 {
			dof[i][d] = -1
			if !fixed[d] {
				dof[i][d], n = n, n+1
			}
		}
	}
	return dof, n
}

// Assemble makes the structure of the free degrees of freedom, sparse and
// undamped. The ground motion is horizontal: the fixed nodes move with it.
func (m *Mesh) Assemble(material Material) (*Structure, error) {
	if err := material.check(); err != nil {
		return nil, fmt.Errorf("mesh: %w", err)
	}
	if len(m.Fixed) != len(m.Nodes) {
		return nil, fmt.Errorf("mesh: %d nodes and %d marks of fixed nodes: want one mark for each node", len(m.Nodes),
			len(m.Fixed))
	}
	dof, n := m.DOF()
	if n == 0 {
		return nil, errors.New("mesh: no free degree of freedom: want a finer mesh or less fixed")
	}
	s := &Sparse{M: make([]float64, n), C: make([]float64, n)}
	entries := make([]lti.Entry, 0, 64*len(m.Quads))
	for e, nodes := range m.Quads {
		k, mass, err := m.element(e, material)
		if err != nil {
			return nil, err
		}
		var at [8]int
		for i, node := range nodes {
			at[2*i], at[2*i+1] = dof[node][0], dof[node][1]
		}
		for i, row := range at {
			if row < 0 {
				continue
			}
			s.M[row] += mass[i/2]
			for j, col := range at {
				if col >= 0 {
					entries = append(entries, lti.Entry{Row: row, Col: col, V: k[i][j]})
				}
			}
		}
	}
	if err := m.checkBand(dof, n); err != nil {
		return nil, err
	}
	s.K = lti.NewCSR(n, entries)
	for i, at := range dof {
		for d, k := range at {
			if k >= 0 && !(s.M[k] > 0) {
				return nil, fmt.Errorf("mesh: node %d has no mass in direction %d: want every free node at an element", i+1, d+1)
			}
		}
	}
	return &Structure{N: n, Sparse: s, Gamma: horizontal(dof, n)}, nil
}

// horizontal is the influence of a horizontal ground motion.
func horizontal(dof [][2]int, n int) *mat.Dense {
	gamma := mat.NewDense(n, 1, nil)
	for _, at := range dof {
		if at[0] >= 0 {
			gamma.Set(at[0], 0, 1)
		}
	}
	return gamma
}

// element makes the matrices of element e, or says what is wrong with it.
func (m *Mesh) element(e int, material Material) (k [8][8]float64, mass [4]float64, err error) {
	var q quad
	nodes := m.Quads[e]
	for i, node := range nodes {
		if node < 0 || node >= len(m.Nodes) {
			return k, mass, fmt.Errorf("mesh: element %d: node %d: want 1 to %d", e+1, node+1, len(m.Nodes))
		}
		q[i] = m.Nodes[node]
	}
	if err := q.check(); err != nil {
		return k, mass, fmt.Errorf("mesh: element %d (nodes %d, %d, %d, %d): %w", e+1, nodes[0]+1, nodes[1]+1, nodes[2]+1,
			nodes[3]+1, err)
	}
	k, mass = q.matrices(material)
	return k, mass, nil
}
