package structure

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Import makes a test of an OpenSees model: it compares the modes, and writes matrices and a scenario.
type Import struct {
	*OpenSees
	name  string // of the file
	units string
	modes []ComparedMode

	shake     int
	held      []int // equations of the interface, from 0
	reduction int
	upToHz    float64
	specimen  float64 // stiffness at each place of the interface, N/m
}

// NewImport reads a file of rths_export in units as SI takes them, and compares the modes. Agree says how they
// compare.
func NewImport(r io.Reader, name, units string) (*Import, error) {
	raw, err := ReadOpenSees(r, name)
	if err != nil {
		return nil, err
	}
	m := &Import{name: name, units: units}
	if m.OpenSees, err = raw.SI(units); err != nil {
		return nil, fmt.Errorf("--units: %w", err)
	}
	if m.modes, err = m.Compare(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// Agree refuses a model whose modes are not those of OpenSees.
func (m *Import) Agree() error {
	if err := Agree(m.modes); err != nil {
		return fmt.Errorf("%s: %w", m.name, err)
	}
	return nil
}

// Split holds the model at places NODE:DOF, where specimens stand, and chooses what else a scenario needs: a
// specimen, and a reduction to so many modes (0: one only where equations have no mass). The ground moves along a
// direction, from 1.
func (m *Import) Split(places []string, shake, modes int) error {
	for _, text := range places {
		at, err := m.place(text)
		if err != nil {
			return fmt.Errorf("--interface %s: %w", text, err)
		}
		if slices.Contains(m.held, at) {
			return fmt.Errorf("--interface %s: given twice", text)
		}
		m.held = append(m.held, at)
	}
	whole, err := m.Structure(shake, m.stoodIn())
	if err != nil {
		return fmt.Errorf("--shake %d: %w", shake, err)
	}
	m.shake = shake
	if err := m.chooseReduction(modes); err != nil {
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
func (m *Import) chooseSpecimen(whole *Structure) error {
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

// Likely is a place for a specimen: the one with most mass in the direction of the ground motion.
func (m *Import) Likely(shake int) string {
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
func (m *Import) place(text string) (int, error) {
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
func (m *Import) chooseReduction(asked int) error {
	beside := len(m.At) - len(m.Massless())
	for _, at := range m.held {
		if m.M.At(at, at) > 0 {
			beside--
		}
	}
	switch {
	case asked > 0 && beside < 1:
		return fmt.Errorf("--reduce %d: all mass is at the interface, and a reduction keeps a mode beside it: "+
			"want mass at another degree of freedom", asked)
	case asked < 0 || asked > mostReduced || asked > beside:
		return fmt.Errorf("--reduce %d: want 1 to %d modes, beside the interface", asked, min(beside, mostReduced))
	case asked > 0:
		m.reduction = asked
	case len(m.Massless()) == 0:
	case beside < 1:
		return fmt.Errorf("%d of %d equations have no mass, as %v, and all mass is at the interface: an integrator needs a "+
			"mass at each equation, and a reduction a mode beside the interface: want a mass there, or at another node",
			len(m.Massless()), len(m.At), m.At[m.Massless()[0]])
	default:
		m.reduction = min(beside, mostReduced)
	}
	return nil
}

// findUpTo finds the highest frequency that the reduction carries, by trying.
func (m *Import) findUpTo(whole *Structure) (err error) {
	in := Reduction{Keep: m.held, Modes: m.reduction, UpToHz: 1e-9}
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
