package structure

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"rths/maths/lti"
)

// ImportedFile is a file of the folder of an import.
type ImportedFile struct {
	Name  string
	Write func(io.Writer) error
}

// Files are matrices, influence vector, degrees of freedom, modes, and a scenario that runs as it stands. Split comes
// first.
func (m *Import) Files() []ImportedFile {
	market := func(name, what string, of *lti.CSR) ImportedFile {
		return ImportedFile{name + ".mtx", func(w io.Writer) error {
			return WriteMatrixMarket(w, of, name+", "+what+"; rows: dofs.csv")
		}}
	}
	all := []ImportedFile{market("mass", "kg", m.M), market("stiffness", "N/m", m.K)}
	if m.Damped() {
		all = append(all, market("damping", "N s/m", m.C))
	}
	return append(all,
		ImportedFile{"influence.csv", m.writeInfluence}, ImportedFile{"dofs.csv", m.writeDOFs},
		ImportedFile{"modes.csv", m.writeModes}, ImportedFile{"test.yaml", m.writeScenario})
}

// writeInfluence writes a number a line, a line a row of the matrices.
func (m *Import) writeInfluence(w io.Writer) error {
	influence, err := m.Influence(m.shake)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	for _, v := range influence {
		fmt.Fprintf(out, "%g\n", v)
	}
	return out.Flush()
}

// writeDOFs says what each row of the matrices is.
func (m *Import) writeDOFs(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "row,node,dof,motion,%s\n", strings.Join([]string{"x_m", "y_m", "z_m"}[:m.Dimensions], ","))
	for i, at := range m.At {
		motion := "displacement"
		if at.Rotation {
			motion = "rotation"
		}
		fmt.Fprintf(out, "%d,%d,%d,%s", i+1, at.Node, at.DOF, motion)
		for _, x := range m.X(at) {
			fmt.Fprintf(out, ",%.10g", x)
		}
		fmt.Fprintln(out)
	}
	return out.Flush()
}

// writeModes writes the shapes of the matrices and of OpenSees by node; both have φᵀMφ = 1 kg m².
func (m *Import) writeModes(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, "mode,frequency_hz,opensees_hz,row,node,dof,shape,opensees_shape")
	for j, c := range m.modes {
		for i, at := range m.At {
			fmt.Fprintf(out, "%d,%.12g,%.12g,%d,%d,%d,%.12g,%.12g\n",
				j+1, c.hz(), c.theirHz(), i+1, at.Node, at.DOF, c.Shape[i], c.Theirs[i])
		}
	}
	return out.Flush()
}

// writeScenario writes a scenario that runs as it stands.
func (m *Import) writeScenario(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, `# An OpenSees model as the numerical part of a test, made by rths import-opensees from
# %s (OpenSees %s, units %s, at the model's time %g s). All numbers here are SI: m, kg, s, N.
# Check it:    rths lint test.yaml
# Ask:         rths stability test.yaml
# Run it:      rths run test.yaml --report
name: %s

rate_hz: 1024

# An artificial earthquake along direction %d. A record of your own: ground: {file: quake.csv, pga_g: 0.25}
ground: {kind: clough-penzien, duration_s: 20, pga_g: 0.1}

# Rows of the matrices are the degrees of freedom of dofs.csv. The structure contains the specimen.
structure:
  kind: matrices
  mass: {file: mass.mtx}
  stiffness: {file: stiffness.mtx}
%s  influence: {file: influence.csv}

%s
%s# Explicit, and stable for any step.
integrator: {kind: gui, lambda: 4}

# Replace by yours: what stands in the laboratory. A tenth of the structure's static stiffness
# at the interface stands here. A linear specimen is taken out of the structure. Others: rths doc specimens
specimen: {kind: linear, stiffness: %g}

# Replace by yours: the actuator with its controller, from a loading test (rths init loading-test)
# or a data sheet, with its ratings stroke_m and rate_m_s.
transfer: {kind: second-order, omega_rad_s: 100, damping_ratio: 0.75}

# Noise of the sensors, standard deviations: m and N.
sensors: {displacement_noise: 1e-6, force_noise: 1}

# The method that removes the lag of the actuator. Others: rths doc compensators
compensator: {kind: amb}
`, filepath.Base(m.name), m.Version, m.units, m.Time, nameOf(m.name),
		m.shake, m.dampingKey(), m.interfaceKey(), m.reduceKey(), m.specimen)
	return out.Flush()
}

// nameOf is a name for a scenario, in quotes.
func nameOf(path string) string {
	base := filepath.Base(path)
	return fmt.Sprintf("%q", strings.TrimSuffix(base, filepath.Ext(base)))
}

func (m *Import) dampingKey() string {
	in := m.stoodIn()
	if in == nil {
		return "  damping: {matrix: {file: damping.mtx}}\n"
	}
	return fmt.Sprintf("  # Replace by yours: OpenSees has no damping matrix.\n"+
		"  damping: {rayleigh: {ratio: %g, freq_hz: [%g, %g]}}\n", in.Ratio, in.FreqHz[0], in.FreqHz[1])
}

func (m *Import) interfaceKey() string {
	if len(m.held) == 1 {
		at := m.held[0]
		return fmt.Sprintf("# The row that the actuator holds: %v\ninterface_dof: %d\n", m.At[at], at+1)
	}
	text, numbers := "", []string{}
	for _, at := range m.held {
		text += fmt.Sprintf("# %d: %v\n", at+1, m.At[at])
		numbers = append(numbers, fmt.Sprint(at+1))
	}
	return fmt.Sprintf("# Rows that have an actuator and a specimen each:\n%sinterface: [%s]\n",
		text, strings.Join(numbers, ", "))
}

func (m *Import) reduceKey() string {
	if m.reduction == 0 {
		return ""
	}
	why := "The interface and some modes in place of all rows."
	if none := m.Massless(); len(none) > 0 {
		why = fmt.Sprintf("%d of %d rows have no mass: the interface and some modes in their place.", len(none), len(m.At))
	}
	return fmt.Sprintf("# %s\nreduce: {modes: %d, up_to_hz: %g}\n\n", why, m.reduction, m.upToHz)
}
