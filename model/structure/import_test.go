package structure

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

func imported(t *testing.T, text string) *Import {
	t.Helper()
	m, err := NewImport(strings.NewReader(text), "model.dump", "N-m")
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Agree(); err != nil {
		t.Fatal(err)
	}
	return m
}

// The folder of a shear building has its matrices, and a scenario with a specimen of a tenth of the static stiffness
// at the interface, rounded down to two digits: 800/3 N/m of three springs in a row.
func TestImportShear(t *testing.T) {
	m := imported(t, shearDump())
	if got := m.Likely(1); got != "3:1" {
		t.Errorf("a place for the specimen at %s: want 3:1, of three equal masses the first equation", got)
	}
	if err := m.Split([]string{"3:1"}, 1, 0); err != nil {
		t.Fatal(err)
	}
	if m.specimen != 26 || m.reduction != 0 {
		t.Errorf("specimen %g N/m, %d modes: want 26 N/m, no reduction", m.specimen, m.reduction)
	}
	written := map[string]string{}
	for _, f := range m.Files() {
		var text bytes.Buffer
		if err := f.Write(&text); err != nil {
			t.Fatal(err)
		}
		written[f.Name] = text.String()
	}
	for name, want := range map[string]string{
		"mass.mtx": "kg", "stiffness.mtx": "N/m", "damping.mtx": "N s/m", "influence.csv": "1\n1\n1\n", "modes.csv": "\n2,",
		"dofs.csv": "row,node,dof,motion,x_m\n1,3,1,displacement,9\n", "test.yaml": "interface_dof: 1\n",
	} {
		if !strings.Contains(written[name], want) {
			t.Errorf("%s: want %q in\n%s", name, want, written[name])
		}
	}
	d := m.Document(nil)
	if len(d.Modes) != 2 || math.Abs(d.Modes[0].Hz/d.Modes[0].OpenSees-1) > 1e-8 || d.Equations != 3 {
		t.Errorf("the document has modes %+v of %d equations", d.Modes, d.Equations)
	}
}

// All mass of the cantilever stands at two equations; those without mass need a reduction, which keeps a mode.
func TestImportMassless(t *testing.T) {
	m := imported(t, beamDump())
	if err := m.Split([]string{"7:2"}, 2, 0); err != nil {
		t.Fatal(err)
	}
	if m.reduction != 1 || !(m.upToHz > 0) {
		t.Errorf("%d modes up to %g Hz: want the one mode along the beam", m.reduction, m.upToHz)
	}
	if in := m.stoodIn(); in == nil || in.Ratio != 0.02 {
		t.Errorf("damping %+v: want 2 %% in place of none", in)
	}
}

// What cannot be held is refused with the flag that asks for it.
func TestImportRefuses(t *testing.T) {
	for _, c := range []struct {
		places       []string
		shake, modes int
		want         string
	}{
		{[]string{"tip"}, 1, 0, "--interface tip: want NODE:DOF"},
		{[]string{"7:3"}, 1, 0, "is a rotation"},
		{[]string{"7:1", "7:1"}, 1, 0, "--interface 7:1: given twice"},
		{[]string{"7:1"}, 4, 0, "--shake 4"},
		{[]string{"7:1"}, 1, 2, "--reduce 2: want 1 to 1 modes"},
		{[]string{"7:1", "7:2"}, 1, 1, "--reduce 1: all mass is at the interface"},
	} {
		if err := imported(t, beamDump()).Split(c.places, c.shake, c.modes); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v: want %q", c.places, err, c.want)
		}
	}
}
