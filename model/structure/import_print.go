package structure

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Print prints the modes of both, and what there is to note.
func (m *Import) Print(out io.Writer) {
	fmt.Fprintf(out, "%s: OpenSees %s, %d nodes, %d equations, units %s, at the model's time %g s\n",
		m.name, m.Version, len(m.Nodes), len(m.At), m.units, m.Time)
	fmt.Fprintf(out, "mass along each direction: %s kg, first period %.3g s: are they yours? Wrong units show here\n\n",
		m.masses(), 2*math.Pi/m.modes[0].Omega)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "mode\tOpenSees, Hz\tmatrices, Hz\tapart\tshapes apart\tat node\tdof\tdamping, %\t")
	for j, c := range m.modes {
		fmt.Fprintf(t, "%d\t%.8g\t%.8g\t%.1e\t%.1e\t%d\t%d\t%.4g\t\n",
			j+1, c.theirHz(), c.hz(), c.Off(), c.Apart, c.Where.Node, c.Where.DOF, 100*c.Ratio)
	}
	t.Flush()
	fmt.Fprintln(out)
	for _, note := range m.notes() {
		fmt.Fprintln(out, note)
	}
}

// masses are the masses that a ground motion in each direction moves.
func (m *Import) masses() string {
	var out []string
	for _, mass := range m.Masses() {
		out = append(out, strconv.FormatFloat(mass, 'g', 5, 64))
	}
	return strings.Join(out, ", ")
}

// stoodIn is Rayleigh damping for a model whose damping matrix is zero: a loop without damping is hardly ever
// stable.
// The damping is 2 % at the first mode and at the third, or the highest. It is nil for other models.
func (m *Import) stoodIn() *Rayleigh {
	if m.Damped() {
		return nil
	}
	low, high := m.modes[0].hz(), m.modes[min(2, len(m.modes)-1)].hz()
	return &Rayleigh{Ratio: 0.02, FreqHz: []float64{rounded(low), rounded(max(high, 2*low))}}
}

// notes say what the matrices leave out, or want.
func (m *Import) notes() (out []string) {
	if !m.Damped() {
		out = append(out, "note: the damping matrix is zero: test.yaml takes 2 % in its place, for you to replace")
	}
	if m.Modal != nil {
		out = append(out, fmt.Sprintf("note: OpenSees damps its modes beside its damping matrix, as by modalDamping "+
			"(mode 1 by %.3g %%): the damping here has both", 100*m.Modal[0]))
	}
	if m.Less {
		out = append(out, fmt.Sprintf("warning: OpenSees' damping force is less than its damping matrix gives: modalDamping "+
			"of more modes than the %d exported is missing here, and a material may be a dashpot: export as many modes as "+
			"modalDamping has, and compare a free decay", len(m.modes)))
	} else if m.Unasked {
		out = append(out, "note: with dashpots in the model OpenSees was not asked for damping beside its matrix: "+
			"modalDamping would be missing here")
	}
	if none := m.Massless(); len(none) > 0 {
		out = append(out, fmt.Sprintf("note: %d of %d equations have no mass (the first: %v): a scenario needs the block "+
			"reduce, which leaves them out; --out writes it", len(none), len(m.At), m.At[none[0]]))
	}
	return out
}

// Imported is the document of import-opensees --json.
type Imported struct {
	Version   string         `json:"opensees"`
	Time      float64        `json:"time_s"`
	Nodes     int            `json:"nodes"`
	Equations int            `json:"equations"`
	Massless  int            `json:"without_mass"`
	Masses    []float64      `json:"mass_kg"` // along each direction
	Modes     []ImportedMode `json:"modes"`
	Notes     []string       `json:"notes"`
	Files     []string       `json:"files"`
}

// ImportedMode is a mode in that document.
type ImportedMode struct {
	Hz       float64 `json:"frequency_hz"`
	OpenSees float64 `json:"opensees_hz"`
	Off      float64 `json:"apart"`
	Apart    float64 `json:"shapes_apart"`
	Node     int     `json:"at_node"`
	DOF      int     `json:"at_dof"`
	Ratio    float64 `json:"damping_ratio"`
}

// Document is what Print prints, with the files that were written.
func (m *Import) Document(written []string) Imported {
	d := Imported{
		Version: m.Version, Time: m.Time, Nodes: len(m.Nodes), Equations: len(m.At), Massless: len(m.Massless()),
		Masses: m.Masses(), Notes: append([]string{}, m.notes()...), Files: append([]string{}, written...),
	}
	for _, c := range m.modes {
		d.Modes = append(d.Modes, ImportedMode{c.hz(), c.theirHz(), c.Off(), c.Apart, c.Where.Node, c.Where.DOF, c.Ratio})
	}
	return d
}

func (c *ComparedMode) hz() float64      { return c.Omega / (2 * math.Pi) }
func (c *ComparedMode) theirHz() float64 { return c.OpenSees / (2 * math.Pi) }
