package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rths/model/structure"
	"rths/result/record"
	"rths/scenario/files"
)

// importFlags are the flags of import-opensees.
type importFlags struct {
	*app
	snippet   bool
	out       string
	units     string
	iface     []string
	shake     int
	reduction int
}

func importCommand(a *app) *cobra.Command {
	f := &importFlags{app: a}
	c := &cobra.Command{
		Use:   "import-opensees DUMP",
		Short: "Make the numerical part of a test from the matrices of an OpenSees model",
		Long: `Reads mass, damping and tangent stiffness of an OpenSees model, as its command rths_export has
written them, and compares the modes of the matrices with those that OpenSees' own eigen found:
frequencies agree within 1e-8, mode shapes by node within 1e-6, or the model is refused.

--snippet prints rths_export in Tcl. Save it, and put two lines at the end of the model:

  source rths.tcl
  rths_export model.dump 12

--out writes a new folder with the matrices in SI units, what each row is, the modes, and
test.yaml, a scenario that runs as it stands; replace its specimen and transfer system by yours.`,
		Example: `  rths import-opensees --snippet > rths.tcl
  rths import-opensees model.dump --units kN-m
  rths import-opensees model.dump --units kN-m --interface 2:1 --out frame`,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.snippet {
				return want(0, "none beside --snippet")(cmd, args)
			}
			return want(1, "one file of rths_export")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.snippet {
				return f.printSnippet(cmd.OutOrStdout())
			}
			if err := f.importModel(cmd.OutOrStdout(), args[0]); err != nil {
				return fmt.Errorf("import-opensees: %w", err)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&f.snippet, "snippet", false, "print the Tcl text with rths_export")
	c.Flags().StringVarP(&f.out, "out", "o", "", "new folder for matrices, modes and test.yaml")
	c.Flags().StringVar(&f.units, "units", "N-m", "units of the model: N-m, kN-m, N-mm, kN-mm, kip-in or lb-in, and s")
	c.Flags().StringSliceVar(&f.iface, "interface", nil, "NODE:DOF where a specimen stands, repeatable; with --out")
	c.Flags().IntVar(&f.shake, "shake", 1, "direction of the ground motion, 1 to 3")
	c.Flags().IntVar(&f.reduction, "reduce", 0, "reduce the structure to the interface and so many modes (default all modes if equations have no mass, else no reduction)")
	return c
}

func (f *importFlags) printSnippet(out io.Writer) error {
	if f.json {
		return record.WriteJSON(out, map[string]string{"snippet": structure.OpenSeesSnippet})
	}
	_, err := io.WriteString(out, structure.OpenSeesSnippet)
	return err
}

// imported is a model on its way to a scenario.
type imported struct {
	*structure.OpenSees
	path  string
	units string
	modes []structure.ComparedMode

	shake     int
	held      []int // equations of the interface, from 0
	reduction int
	upToHz    float64
	specimen  float64 // stiffness at each place of the interface, N/m
}

// importModel reads, compares, prints and writes.
func (f *importFlags) importModel(out io.Writer, path string) error {
	m, err := f.read(path)
	if err != nil {
		return err
	}
	if !f.json {
		m.print(out)
	}
	if err := structure.Agree(m.modes); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	var written []string
	if f.out != "" {
		if err := m.prepare(f); err != nil {
			return err
		}
		if written, err = m.write(f.out); err != nil {
			return err
		}
	}
	if f.json {
		return record.WriteJSON(out, m.document(written))
	}
	return m.printWritten(out, written)
}

func (f *importFlags) read(path string) (*imported, error) {
	if f.out == "" && (len(f.iface) > 0 || f.reduction != 0) {
		return nil, fmt.Errorf("--interface and --reduce are for the folder of --out: want --out FOLDER")
	}
	file, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	raw, err := structure.ReadOpenSees(file, path)
	if err != nil {
		return nil, err
	}
	m := &imported{path: path, units: f.units}
	if m.OpenSees, err = raw.SI(f.units); err != nil {
		return nil, fmt.Errorf("--units: %w", err)
	}
	if m.modes, err = m.Compare(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// prepare takes the flags of --out, and finds what the scenario needs.
func (m *imported) prepare(f *importFlags) error {
	if len(f.iface) == 0 {
		return fmt.Errorf("--out %s without --interface: want NODE:DOF where the specimen stands, as in --interface %s", f.out, m.likely(f.shake))
	}
	for _, text := range f.iface {
		at, err := m.place(text)
		if err != nil {
			return fmt.Errorf("--interface %s: %w", text, err)
		}
		if slices.Contains(m.held, at) {
			return fmt.Errorf("--interface %s: given twice", text)
		}
		m.held = append(m.held, at)
	}
	whole, err := m.Structure(f.shake, m.stoodIn())
	if err != nil {
		return fmt.Errorf("--shake %d: %w", f.shake, err)
	}
	m.shake = f.shake
	if err := m.chooseReduction(f.reduction); err != nil {
		return err
	}
	if m.reduction > 0 {
		if err := m.findUpTo(whole); err != nil {
			return err
		}
	}
	return m.chooseSpecimen(whole)
}

// chooseSpecimen takes a tenth of the least static stiffness at the interface, shared by all places of it, so
// that the structure keeps a positive stiffness without the specimens.
func (m *imported) chooseSpecimen(whole *structure.Structure) error {
	least := math.Inf(1)
	for _, at := range m.held {
		own, err := whole.StaticStiffness(at)
		if err != nil {
			return err
		}
		least = min(least, own)
	}
	m.specimen = rounded(0.1 * least / float64(len(m.held)))
	return nil
}

// likely is a place for a specimen: the one with most mass in the direction of the ground motion.
func (m *imported) likely(shake int) string {
	best := -1
	for i, at := range m.At {
		if at.DOF == shake && !at.Rotation && (best < 0 || m.M.At(i, i) > m.M.At(best, best)) {
			best = i
		}
	}
	if best < 0 {
		best = 0
	}
	return fmt.Sprintf("%d:%d", m.At[best].Node, m.At[best].DOF)
}

// place is the equation of NODE:DOF.
func (m *imported) place(text string) (int, error) {
	a, b, ok := strings.Cut(text, ":")
	node, err1 := strconv.Atoi(a)
	dof, err2 := strconv.Atoi(b)
	if !ok || err1 != nil || err2 != nil {
		return 0, fmt.Errorf("want NODE:DOF, as in 3:1 for degree of freedom 1 of node 3")
	}
	at, err := m.Equation(node, dof)
	if err == nil && m.At[at].Rotation {
		return 0, fmt.Errorf("%v is a rotation: want a displacement, which an actuator can hold", m.At[at])
	}
	return at, err
}

// mostReduced is the largest number of modes of the key reduce.
const mostReduced = 200

// chooseReduction takes the modes of --reduce, or all modes if there are equations without mass, which no
// integrator of a whole scenario takes: the reduction to all modes leaves them out and is exact but for their damping.
func (m *imported) chooseReduction(asked int) error {
	beside := len(m.At) - len(m.Massless())
	for _, at := range m.held {
		if m.M.At(at, at) > 0 {
			beside--
		}
	}
	switch {
	case asked > 0 && beside < 1:
		return fmt.Errorf("--reduce %d: all mass is at the interface, and a reduction keeps a mode beside it: want mass at another degree of freedom", asked)
	case asked < 0 || asked > mostReduced || asked > beside:
		return fmt.Errorf("--reduce %d: want 1 to %d modes, beside the interface", asked, min(beside, mostReduced))
	case asked > 0:
		m.reduction = asked
	case len(m.Massless()) == 0:
	case beside < 1:
		return fmt.Errorf("%d of %d equations have no mass, as %v, and all mass is at the interface: an integrator needs a mass at each equation, and a reduction a mode beside the interface: want a mass there, or at another node",
			len(m.Massless()), len(m.At), m.At[m.Massless()[0]])
	default:
		m.reduction = min(beside, mostReduced)
	}
	return nil
}

// findUpTo finds the highest frequency that the reduction carries, by trying.
func (m *imported) findUpTo(whole *structure.Structure) (err error) {
	in := structure.Reduction{Keep: m.held, Modes: m.reduction, UpToHz: 1e-9}
	r, err := whole.Reduce(in)
	if err != nil {
		return fmt.Errorf("--reduce %d: %w", m.reduction, err)
	}
	for _, share := range []float64{0.9, 0.7, 0.5, 0.3, 0.2, 0.1, 0.05} {
		in.UpToHz = rounded(share * r.Hz[len(r.Hz)-1])
		if _, err = whole.Reduce(in); err == nil {
			m.upToHz = in.UpToHz
			return nil
		}
	}
	return fmt.Errorf("--reduce %d: %w", m.reduction, err)
}

// rounded has two digits, rounded down.
func rounded(v float64) float64 {
	scale := math.Pow(10, math.Floor(math.Log10(v))-1)
	out, _ := strconv.ParseFloat(strconv.FormatFloat(math.Floor(v/scale)*scale, 'g', 2, 64), 64)
	return out
}

// print prints the modes of both.
func (m *imported) print(out io.Writer) {
	fmt.Fprintf(out, "%s: OpenSees %s, %d nodes, %d equations, units %s, at the model's time %g s\n", m.path, m.Version, len(m.Nodes), len(m.At), m.units, m.Time)
	fmt.Fprintf(out, "mass along each direction: %s kg, first period %.3g s: are they yours? Wrong units show here\n\n", m.masses(), 2*math.Pi/m.modes[0].Omega)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "mode\tOpenSees, Hz\tmatrices, Hz\tapart\tshapes apart\tat node\tdof\tdamping, %\t")
	for j, c := range m.modes {
		fmt.Fprintf(t, "%d\t%.8g\t%.8g\t%.1e\t%.1e\t%d\t%d\t%.4g\t\n", j+1, c.OpenSees/(2*math.Pi), c.Omega/(2*math.Pi), c.Off(), c.Apart, c.Where.Node, c.Where.DOF, 100*c.Ratio)
	}
	t.Flush()
	fmt.Fprintln(out)
	for _, note := range m.notes() {
		fmt.Fprintln(out, note)
	}
}

// masses are the masses that a ground motion in each direction moves.
func (m *imported) masses() string {
	var out []string
	for _, mass := range m.Masses() {
		out = append(out, strconv.FormatFloat(mass, 'g', 5, 64))
	}
	return strings.Join(out, ", ")
}

// stoodIn is Rayleigh damping for a model whose damping matrix is zero: a loop without damping is hardly ever stable.
// The damping is 2 % at the first mode and at the third, or the highest. It is nil for other models.
func (m *imported) stoodIn() *structure.Rayleigh {
	if m.Damped() {
		return nil
	}
	low, high := m.modes[0].Omega/(2*math.Pi), m.modes[min(2, len(m.modes)-1)].Omega/(2*math.Pi)
	return &structure.Rayleigh{Ratio: 0.02, FreqHz: []float64{rounded(low), rounded(max(high, 2*low))}}
}

// notes say what the matrices leave out, or want.
func (m *imported) notes() (out []string) {
	if !m.Damped() {
		out = append(out, "note: the damping matrix is zero: test.yaml takes 2 % in its place, for you to replace")
	}
	if m.Modal != nil {
		out = append(out, fmt.Sprintf("note: OpenSees damps its modes beside its damping matrix, as by modalDamping (mode 1 by %.3g %%): the damping here has both", 100*m.Modal[0]))
	}
	if m.Less {
		out = append(out, fmt.Sprintf("warning: OpenSees' damping force is less than its damping matrix gives: modalDamping of more modes than the %d exported is missing here, and a material may be a dashpot: export as many modes as modalDamping has, and compare a free decay", len(m.modes)))
	} else if m.Unasked {
		out = append(out, "note: with dashpots in the model OpenSees was not asked for damping beside its matrix: modalDamping would be missing here")
	}
	if none := m.Massless(); len(none) > 0 {
		out = append(out, fmt.Sprintf("note: %d of %d equations have no mass (the first: %v): a scenario needs the block reduce, which leaves them out; --out writes it", len(none), len(m.At), m.At[none[0]]))
	}
	return out
}

func (m *imported) printWritten(out io.Writer, written []string) error {
	if written == nil {
		_, err := fmt.Fprintf(out, "nothing is written without --out\n")
		return err
	}
	for _, name := range written {
		fmt.Fprintln(out, filepath.ToSlash(name))
	}
	return nil
}

// importJSON is the document of import-opensees --json.
type importJSON struct {
	Version   string           `json:"opensees"`
	Time      float64          `json:"time_s"`
	Nodes     int              `json:"nodes"`
	Equations int              `json:"equations"`
	Massless  int              `json:"without_mass"`
	Masses    []float64        `json:"mass_kg"` // along each direction
	Modes     []importModeJSON `json:"modes"`
	Notes     []string         `json:"notes"`
	Files     []string         `json:"files"`
}

type importModeJSON struct {
	Hz       float64 `json:"frequency_hz"`
	OpenSees float64 `json:"opensees_hz"`
	Off      float64 `json:"apart"`
	Apart    float64 `json:"shapes_apart"`
	Node     int     `json:"at_node"`
	DOF      int     `json:"at_dof"`
	Ratio    float64 `json:"damping_ratio"`
}

func (m *imported) document(written []string) importJSON {
	d := importJSON{Version: m.Version, Time: m.Time, Nodes: len(m.Nodes), Equations: len(m.At), Massless: len(m.Massless()), Masses: m.Masses(), Notes: append([]string{}, m.notes()...), Files: append([]string{}, written...)}
	for _, c := range m.modes {
		d.Modes = append(d.Modes, importModeJSON{c.Omega / (2 * math.Pi), c.OpenSees / (2 * math.Pi), c.Off(), c.Apart, c.Where.Node, c.Where.DOF, c.Ratio})
	}
	return d
}
