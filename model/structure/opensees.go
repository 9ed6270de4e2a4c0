package structure

import (
	_ "embed" // opensees.tcl
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/lti"
)

// OpenSeesSnippet is the Tcl text that a user's model sources: its command rths_export writes the
// file that ReadOpenSees reads.
//
//go:embed opensees.tcl
var OpenSeesSnippet string

// OpenSees is a linear model as OpenSees has it in its present state. Units are the model's
// own until SI has converted them.
type OpenSees struct {
	Version    string  // of OpenSees
	Time       float64 // of the model when it was written, s
	Dimensions int     // of its space: 1, 2 or 3
	Nodes      []OpenSeesNode
	At         []Place  // node and degree of freedom of each equation
	M, C, K    *lti.CSR // mass, damping and tangent stiffness; symmetric, a row per equation
	Modes      []OpenSeesMode
	Modal      []float64 // damping ratio of each mode that C has, and OpenSees' damping matrix has not; nil: none
	Unasked    bool      // OpenSees was not asked for damping beside its matrix, or its answer is of no use
	Less       bool      // its answer has less than its matrix: modal damping of more modes than are exported, or dashpots
}

// OpenSeesNode is a node of the model.
type OpenSeesNode struct {
	Tag       int
	X         []float64 // coordinates, one per dimension
	Equations []int     // of its degrees of freedom, from 0; −1 where a support holds it
}

// OpenSeesMode is what the command eigen has found.
type OpenSeesMode struct {
	Omega float64   // rad/s
	Shape []float64 // by equation; a rotation in rad
}

// Place is where an equation stands.
type Place struct {
	Node     int  // tag
	DOF      int  // degree of freedom of the node, from 1
	Rotation bool // or a displacement

	index int // of the node in Nodes
}

// String names node and degree of freedom.
func (p Place) String() string { return fmt.Sprintf("node %d, degree of freedom %d", p.Node, p.DOF) }

// Bounds of a file.
const (
	mostOpenSeesNodes = 100_000
	mostEquations     = 3000 // rths holds mass and stiffness of kind matrices in rows: 72 MB each
	mostEntries       = 4_000_000
	mostModes         = 200
)

// openSeesFormat is the first line of a file: rths-opensees and the version of the format.
const openSeesFormat = "rths-opensees 1"

// ReadOpenSees reads a file of rths_export. Its lines have fields between spaces:
//
//	rths-opensees 1
//	version 3.8.0                     of OpenSees
//	time 0.0
//	dimensions 2
//	nodes 4                           then a line for each: tag, coordinates, equation (from 0; -1: held) of each
//	                                  degree of freedom
//	1 0.0 0.0 -1 -1 -1
//	…
//	mass 4                            then a line for each entry that is not zero: row, column (from 1), value
//	1 1 10.0
//	…
//	damping 0
//	stiffness 24
//	…
//	modes 2                           then, for each, its number and eigenvalue ω² (rad²/s²), and a line for each
//	                                  node: tag, shape
//	mode 1 573.28869027198322
//	1 0.0 0.0 0.0
//	…
//	answer 3                          then a line for each equation: damping force at the velocities Σ φ/ω; or
//	                                  0: not asked
//	-1.25
//	…
//	end
//
// Errors begin with name and say the line, what was found and what was wanted. A node may have
// as many degrees of freedom as the space has dimensions, or these and the rotations: 3 in
// 2 dimensions, 6 in 3.
func ReadOpenSees(r io.Reader, name string) (*OpenSees, error) {
	o := &OpenSees{}
	f := newFields(r, name)
	for _, part := range []func(*fields) error{o.readHead, o.readNodes, o.number, o.readMatrices, o.readModes,
		o.readAnswer} {
		if err := part(f); err != nil {
			return nil, err
		}
	}
	if err := f.next("the last line, end"); err != nil {
		return nil, err
	}
	if f.text != "end" {
		return nil, f.wrong("the last line, end")
	}
	return o, nil
}

func (o *OpenSees) readHead(f *fields) (err error) {
	if err := f.next("the line " + openSeesFormat); err != nil {
		return err
	}
	if f.text != openSeesFormat {
		return f.wrong("the first line of a file of rths_export, " + openSeesFormat +
			" (rths import-opensees --snippet prints the commands)")
	}
	if err = f.named("version", 1); err != nil {
		return err
	}
	o.Version = f.words[1]
	if err = f.named("time", 1); err != nil {
		return err
	}
	if o.Time, err = f.number(1); err != nil {
		return err
	}
	o.Dimensions, err = f.count("dimensions", 1, 3)
	return err
}

func (o *OpenSees) readNodes(f *fields) error {
	n, err := f.count("nodes", 1, mostOpenSeesNodes)
	if err != nil {
		return err
	}
	seen := map[int]bool{}
	for range n {
		node, err := o.readNode(f)
		if err != nil {
			return err
		}
		if seen[node.Tag] {
			return f.wrong(fmt.Sprintf("node %d once", node.Tag))
		}
		seen[node.Tag] = true
		o.Nodes = append(o.Nodes, node)
	}
	return nil
}

func (o *OpenSees) readNode(f *fields) (node OpenSeesNode, err error) {
	if err := f.next("a node: tag, coordinates, equations"); err != nil {
		return node, err
	}
	dofs := len(f.words) - 1 - o.Dimensions
	if dofs < 1 {
		return node, f.wrong(fmt.Sprintf("tag, %d coordinates and the equation of each degree of freedom", o.Dimensions))
	}
	if node.Tag, err = f.whole(0, math.MinInt32, math.MaxInt32); err != nil {
		return node, err
	}
	if dofs != o.Dimensions && rotations[o.Dimensions] != dofs {
		return node, f.wrong(fmt.Sprintf("node %d with %s: rths does not know what the others are, and can neither convert "+
			"nor load them", node.Tag, o.wantedDOFs()))
	}
	for i := range o.Dimensions {
		x, err := f.number(1 + i)
		if err != nil {
			return node, err
		}
		node.X = append(node.X, x)
	}
	for i := range dofs {
		e, err := f.whole(1+o.Dimensions+i, -1, mostEquations-1)
		if err != nil {
			return node, err
		}
		node.Equations = append(node.Equations, e)
	}
	return node, nil
}

// rotations is the number of degrees of freedom of a node with rotations, by dimensions.
var rotations = map[int]int{2: 3, 3: 6}

func (o *OpenSees) wantedDOFs() string {
	if with := rotations[o.Dimensions]; with > 0 {
		return fmt.Sprintf("%d degrees of freedom, or %d with rotations", o.Dimensions, with)
	}
	return "1 degree of freedom"
}

// number finds the place of each equation, of which each has one.
func (o *OpenSees) number(f *fields) error {
	size := 0
	for _, node := range o.Nodes {
		size = max(size, slices.Max(node.Equations)+1)
	}
	if size == 0 {
		return f.refuse("every degree of freedom is held: want a model that moves")
	}
	o.At = make([]Place, size)
	for i, node := range o.Nodes {
		for j, e := range node.Equations {
			if e < 0 {
				continue
			}
			here := Place{Node: node.Tag, DOF: j + 1, Rotation: j >= o.Dimensions, index: i}
			if there := o.At[e]; there.DOF > 0 {
				return f.refuse(
					"equation %d belongs to %v and to %v: a constraint joins them, and rths wants one place for each equation: want "+
						"a stiff element in place of the constraint", e, there, here)
			}
			o.At[e] = here
		}
	}
	if e := slices.IndexFunc(o.At, func(p Place) bool { return p.DOF == 0 }); e >= 0 {
		return f.refuse(
			"equation %d belongs to no node, as an equation of a Lagrange multiplier: want the file as rths_export writes "+
				"it, which "+
				"takes the handler Plain", e)
	}
	return nil
}

func (o *OpenSees) readMatrices(f *fields) error {
	for _, part := range []struct {
		name string
		to   **lti.CSR
	}{{"mass", &o.M}, {"damping", &o.C}, {"stiffness", &o.K}} {
		entries, err := o.readEntries(f, part.name)
		if err != nil {
			return err
		}
		if *part.to, err = o.symmetric(f, part.name, lti.NewCSR(len(o.At), entries)); err != nil {
			return err
		}
	}
	for i, at := range o.At {
		if !(o.K.At(i, i) > 0) {
			return f.refuse(
				"%v has the stiffness %g: no element holds it, or the model has buckled: want an element or a fix there", at,
				o.K.At(i, i))
		}
		if o.M.At(i, i) < 0 {
			return f.refuse("%v has the mass %g: want 0 or more", at, o.M.At(i, i))
		}
	}
	return nil
}

func (o *OpenSees) readEntries(f *fields, name string) (entries []lti.Entry, err error) {
	n, err := f.count(name, 0, mostEntries)
	if err != nil {
		return nil, err
	}
	seen := map[[2]int]bool{}
	for range n {
		if err := f.next("an entry of the matrix " + name + ": row, column, value"); err != nil {
			return nil, err
		}
		if len(f.words) != 3 {
			return nil, f.wrong("row, column and value of an entry of the matrix " + name)
		}
		row, err := f.whole(0, 1, len(o.At))
		if err != nil {
			return nil, err
		}
		column, err := f.whole(1, 1, len(o.At))
		if err != nil {
			return nil, err
		}
		v, err := f.number(2)
		if err != nil {
			return nil, err
		}
		if seen[[2]int{row, column}] {
			return nil, f.wrong("each entry once")
		}
		seen[[2]int{row, column}] = true
		entries = append(entries, lti.Entry{Row: row - 1, Col: column - 1, V: v})
	}
	return entries, nil
}

// symmetric is the mean of a matrix and its transpose, which may differ by rounding. The two entries are
// measured by their diagonals, whatever their units: |a_ij| ≤ √(a_ii a_jj) without negative eigenvalues.
func (o *OpenSees) symmetric(f *fields, name string, a *lti.CSR) (*lti.CSR, error) {
	var entries []lti.Entry
	var err error
	a.Each(func(i, j int, v float64) {
		mirror := a.At(j, i)
		if err == nil && !(math.Abs(v-mirror) <= asymmetry*math.Sqrt(math.Abs(a.At(i, i)))*math.Sqrt(math.Abs(a.At(j, j)))) {
			err = f.refuse(
				"the matrix %s is not symmetric: row %d (%v) column %d (%v) has %g, and mirrored %g: want elements whose tangent "+
					"is symmetric", name, i+1, o.At[i], j+1, o.At[j], v, mirror)
		}
		entries = append(entries, lti.Entry{Row: i, Col: j, V: v / 2}, lti.Entry{Row: j, Col: i, V: v / 2})
	})
	return lti.NewCSR(len(o.At), entries), err
}

func (o *OpenSees) readModes(f *fields) error {
	n, err := f.count("modes", 1, min(mostModes, len(o.At)))
	if err != nil {
		return err
	}
	for j := range n {
		mode, err := o.readMode(f, j+1)
		if err != nil {
			return err
		}
		o.Modes = append(o.Modes, mode)
	}
	return nil
}

func (o *OpenSees) readMode(f *fields, number int) (mode OpenSeesMode, err error) {
	if err := f.named("mode", 2); err != nil {
		return mode, err
	}
	if _, err := f.whole(1, number, number); err != nil {
		return mode, err
	}
	square, err := f.number(2)
	if err != nil {
		return mode, err
	}
	if !(square > 0) {
		return mode, f.wrong("an eigenvalue above 0: at 0 or below the model moves without force, or has buckled")
	}
	mode.Omega, mode.Shape = math.Sqrt(square), make([]float64, len(o.At))
	for _, node := range o.Nodes {
		if err := f.next(fmt.Sprintf("the shape of mode %d at node %d", number, node.Tag)); err != nil {
			return mode, err
		}
		if len(f.words) != 1+len(node.Equations) || f.words[0] != fmt.Sprint(node.Tag) {
			return mode, f.wrong(fmt.Sprintf("the shape of mode %d at node %d: tag and %d numbers", number, node.Tag,
				len(node.Equations)))
		}
		for i, e := range node.Equations {
			v, err := f.number(1 + i)
			if err != nil {
				return mode, err
			}
			if e >= 0 {
				mode.Shape[e] = v
			}
		}
	}
	if !slices.ContainsFunc(mode.Shape, func(v float64) bool { return v != 0 }) {
		return mode, f.wrong("a shape that moves")
	}
	return mode, nil
}

// Equation is the number of the equation, from 0, of a degree of freedom (from 1) of a node.
func (o *OpenSees) Equation(node, dof int) (int, error) {
	i := slices.IndexFunc(o.Nodes, func(n OpenSeesNode) bool { return n.Tag == node })
	if i < 0 {
		return 0, fmt.Errorf("the model has no node %d", node)
	}
	equations := o.Nodes[i].Equations
	if dof < 1 || dof > len(equations) {
		return 0, fmt.Errorf("node %d, degree of freedom %d: want 1 to %d", node, dof, len(equations))
	}
	if equations[dof-1] < 0 {
		return 0, fmt.Errorf("node %d, degree of freedom %d is held by a support: want one that moves", node, dof)
	}
	return equations[dof-1], nil
}

// Influence is the influence vector of a ground motion along direction dof (from 1): 1 at each
// displacement in that direction. All supports move together.
func (o *OpenSees) Influence(dof int) ([]float64, error) {
	if dof < 1 || dof > o.Dimensions {
		return nil, fmt.Errorf("direction %d of the ground motion: want 1 to %d", dof, o.Dimensions)
	}
	out := make([]float64, len(o.At))
	loaded := false
	for i, at := range o.At {
		if at.DOF == dof {
			out[i] = 1
			loaded = loaded || o.M.At(i, i) > 0
		}
	}
	if !loaded {
		return nil, fmt.Errorf("no node with mass moves in direction %d, so that a ground motion in this direction loads "+
			"nothing: want another one", dof)
	}
	return out, nil
}

// Masses are the masses that a ground motion moves, by its direction.
func (o *OpenSees) Masses() []float64 {
	out := make([]float64, o.Dimensions)
	o.M.Each(func(i, j int, v float64) {
		if d := o.At[i].DOF; d <= o.Dimensions && d == o.At[j].DOF {
			out[d-1] += v
		}
	})
	return out
}

// Massless are the equations without mass, from 0.
func (o *OpenSees) Massless() (out []int) {
	for i := range o.At {
		if o.M.At(i, i) == 0 {
			out = append(out, i)
		}
	}
	return out
}

// Damped reports whether the damping matrix has an entry.
func (o *OpenSees) Damped() (is bool) {
	o.C.Each(func(_, _ int, v float64) { is = is || v != 0 })
	return is
}

// Structure is the model as a structure with dense matrices, a degree of freedom per equation, and
// a ground motion along direction shake. Rayleigh damping, if given, takes the place of the model's damping matrix.
func (o *OpenSees) Structure(shake int, in *Rayleigh) (*Structure, error) {
	influence, err := o.Influence(shake)
	if err != nil {
		return nil, err
	}
	m, c, k := denseOf(o.M), denseOf(o.C), denseOf(o.K)
	if in != nil {
		if c, err = in.make(m, k); err != nil {
			return nil, err
		}
	}
	return newStructure(m, c, k, mat.NewDense(len(influence), 1, influence))
}

// SI is the model in m, kg, s and N, from units N-m, kN-m, N-mm, kN-mm, kip-in or lb-in. Rotations stay in rad. Between
// a force of unit F/u_i and a motion of unit u_j (a length L, or 1 of a rotation) a stiffness has the unit F L/(u_i
// u_j), a damping and a mass the same times s and s².
func (o *OpenSees) SI(system string) (*OpenSees, error) {
	u, ok := units[system]
	if !ok {
		return nil, fmt.Errorf("units %.40q: want one of %s", system, strings.Join(unitNames, ", "))
	}
	length, energy := u[0], u[0]*u[1]
	unit := make([]float64, len(o.At))
	for i, at := range o.At {
		if unit[i] = length; at.Rotation {
			unit[i] = 1
		}
	}
	out := *o
	for _, part := range []struct {
		to **lti.CSR
		of *lti.CSR
	}{{&out.M, o.M}, {&out.C, o.C}, {&out.K, o.K}} {
		var entries []lti.Entry
		part.of.Each(func(i, j int, v float64) {
			entries = append(entries, lti.Entry{Row: i, Col: j, V: v * energy / (unit[i] * unit[j])})
		})
		*part.to = lti.NewCSR(len(o.At), entries)
		if err := allFinite(*part.to); err != nil {
			return nil, err
		}
	}
	out.Nodes = slices.Clone(o.Nodes)
	for i, node := range o.Nodes {
		out.Nodes[i].X = slices.Clone(node.X)
		scaleTo(out.Nodes[i].X, length)
	}
	out.Modes = nil
	for _, mode := range o.Modes {
		shape := slices.Clone(mode.Shape)
		for i := range shape {
			shape[i] *= unit[i]
		}
		out.Modes = append(out.Modes, OpenSeesMode{mode.Omega, shape})
	}
	return &out, nil
}

func allFinite(a *lti.CSR) (err error) {
	a.Each(func(i, j int, v float64) {
		if err == nil && !rths.Finite(v) {
			err = fmt.Errorf("row %d, column %d has %g in SI units: want finite numbers", i+1, j+1, v)
		}
	})
	return err
}
