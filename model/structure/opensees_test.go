package structure

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths/maths/lti"
)

// shearDump is a shear building of three equal floors in a line, as rths_export writes it: m = 2, k = 800, whose
// frequencies are ω_j = 2 √(k/m) sin((2j−1)π/14) (Chopra, Dynamics of Structures, ch. 11). Equations are numbered
// from the top.
func shearDump() string {
	const m, k = 2.0, 800.0
	text := "rths-opensees 1\nversion 3.8.0\ntime 1.5\ndimensions 1\nnodes 4\n10 0.0 -1\n1 3.0 2\n2 6.0 1\n3 9.0 0\n" +
		fmt.Sprintf("mass 3\n1 1 %[1]g\n2 2 %[1]g\n3 3 %[1]g\ndamping 1\n3 3 5.5\n", m) +
		fmt.Sprintf("stiffness 7\n1 1 %[1]g\n1 2 %[2]g\n2 1 %[2]g\n2 2 %[3]g\n2 3 %[2]g\n3 2 %[2]g\n3 3 %[3]g\nmodes 2\n", k,
			-k, 2*k)
	for j := 1; j <= 2; j++ {
		theta := float64(2*j-1) * math.Pi / 7
		text += fmt.Sprintf("mode %d %.17g\n10 0.0\n", j, math.Pow(2*math.Sqrt(k/m)*math.Sin(theta/2), 2))
		for floor := 1; floor <= 3; floor++ {
			text += fmt.Sprintf("%d %.17g\n", floor, math.Sin(float64(floor)*theta))
		}
	}
	return text + "answer 0\nend\n"
}

// beamDump is a massless cantilever in the plane with a mass at its tip: EI = 3e4, L = 3, EA = 6e3, m = 4, so that
// ω² = 3EI/mL³ across and EA/mL along it.
func beamDump() string {
	const ei, ea, l, m = 3e4, 6e3, 3.0, 4.0
	across, along := 3*ei/(m*l*l*l), ea/(m*l)
	return "rths-opensees 1\nversion 3.8.0\ntime 0\ndimensions 2\nnodes 2\n1 0.0 0.0 -1 -1 -1\n7 3.0 0.0 0 1 2\n" +
		fmt.Sprintf("mass 2\n1 1 %[1]g\n2 2 %[1]g\ndamping 0\n", m) +
		fmt.Sprintf("stiffness 5\n1 1 %.17g\n2 2 %.17g\n2 3 %.17g\n3 2 %.17g\n3 3 %.17g\n", ea/l, 12*ei/(l*l*l), -6*ei/(l*l),
			-6*ei/(l*l), 4*ei/l) +
		fmt.Sprintf("modes 2\nmode 1 %.17g\n1 0 0 0\n7 1.0 0.0 0.0\nmode 2 %.17g\n1 0 0 0\n7 0.0 1.0 %.17g\n",
			min(across, along), max(across, along), 1.5/l) +
		"answer 0\nend\n"
}

func readDump(t testing.TB, text string) *OpenSees {
	t.Helper()
	o, err := ReadOpenSees(strings.NewReader(text), "model.dump")
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// Frequencies and shapes of a shear building are those in closed form, and so are those of the structure made of it.
func TestOpenSeesShear(t *testing.T) {
	o := readDump(t, shearDump())
	if o.Version != "3.8.0" || o.Time != 1.5 || o.Dimensions != 1 || len(o.Nodes) != 4 || !o.Damped() ||
		len(o.Massless()) != 0 {
		t.Errorf("%+v", o)
	}
	for e, node := range []int{3, 2, 1} {
		if at := o.At[e]; at.Node != node || at.DOF != 1 || at.Rotation {
			t.Errorf("equation %d: %+v: want node %d", e, at, node)
		}
		if got, err := o.Equation(node, 1); got != e || err != nil {
			t.Errorf("node %d: equation %d, %v: want %d", node, got, err, e)
		}
	}
	modes, err := o.Compare()
	if err != nil || Agree(modes) != nil || len(modes) != 2 {
		t.Fatalf("%v, %v", err, Agree(modes))
	}
	s, err := o.Structure(1, nil)
	if err != nil {
		t.Fatal(err)
	}
	own, err := s.Modes()
	if err != nil {
		t.Fatal(err)
	}
	for j, m := range modes {
		want := 40 * math.Sin(float64(2*j+1)*math.Pi/14)
		if math.Abs(m.Omega-want) > 1e-12*want || math.Abs(own[j].Omega-want) > 1e-12*want || m.Off() > 1e-12 ||
			m.Apart > 1e-10 {
			t.Errorf("mode %d: %g rad/s, structure %g, apart %g and %g: want %g", j+1, m.Omega, own[j].Omega, m.Off(), m.Apart,
				want)
		}
		if math.Abs(m.Ratio-own[j].Ratio) > 1e-12 || !(m.Ratio > 0) {
			t.Errorf("mode %d: damping ratio %g, of the structure %g", j+1, m.Ratio, own[j].Ratio)
		}
	}
}

// A massless cantilever with a tip mass: ω² = EA/mL and 3EI/mL³ with a rotation that has no mass, in every system of
// units the same frequencies, and SI entries of the right dimension.
func TestOpenSeesBeamInUnits(t *testing.T) {
	raw := readDump(t, beamDump())
	for _, name := range unitNames {
		o, err := raw.SI(name)
		if err != nil {
			t.Fatal(err)
		}
		u := units[name]
		for _, c := range []struct {
			what      string
			got, want float64
		}{
			{"mass, F s²/L", o.M.At(0, 0), 4 * u[1] / u[0]},
			{"axial stiffness, F/L", o.K.At(0, 0), 2e3 * u[1] / u[0]},
			{"coupling, F", o.K.At(1, 2), -2e4 * u[1]},
			{"rotational stiffness, F L", o.K.At(2, 2), 4e4 * u[1] * u[0]},
			{"coordinate, L", o.Nodes[1].X[0], 3 * u[0]},
		} {
			if math.Abs(c.got-c.want) > 1e-14*math.Abs(c.want) {
				t.Errorf("%s: %s: %g: want %g", name, c.what, c.got, c.want)
			}
		}
		modes, err := o.Compare()
		if err != nil || Agree(modes) != nil {
			t.Fatalf("%s: %v, %v", name, err, Agree(modes))
		}
		if a, b := modes[0].Omega*modes[0].Omega, modes[1].Omega*modes[1].Omega; math.Abs(a-500) > 1e-9 ||
			math.Abs(b-2500.0/3) > 1e-9 {
			t.Errorf("%s: ω² = %.12g and %.12g: want 500 and 833.3", name, a, b)
		}
		if got := o.Massless(); !slices.Equal(got, []int{2}) {
			t.Errorf("massless %v: want the rotation", got)
		}
	}
	if raw.K.At(2, 2) != 4e4 || raw.Nodes[1].X[0] != 3 {
		t.Error("SI changed its model")
	}
	if _, err := raw.SI("kN-cm"); err == nil || !strings.Contains(err.Error(), "want one of N-m, kN-m") {
		t.Errorf("%v", err)
	}
}

// A wrong file is refused with line, what was found and what was wanted.
func TestOpenSeesWrong(t *testing.T) {
	shear, beam := shearDump(), beamDump()
	for _, c := range []struct{ name, text, old, new, want string }{
		{"another file", shear, "rths-opensees 1", "%%MatrixMarket",
			`line 1: found "%%MatrixMarket": want the first line of a file of rths_export`},
		{"a later format", shear, "rths-opensees 1", "rths-opensees 2", `line 1: found "rths-opensees 2": want`},
		{"no version", shear, "version 3.8.0", "version", `line 2: found "version": want the word version and 1 fields`},
		{"four dimensions", shear, "dimensions 1", "dimensions 4",
			"line 4: found \"dimensions 4\": want a whole number from 1 to 3 in field 2"},
		{"too many nodes", shear, "nodes 4", "nodes 4000000", "line 5: "},
		{"a node twice", shear, "2 6.0 1\n", "1 6.0 1\n", `line 8: found "1 6.0 1": want node 1 once`},
		{"a coordinate that is no number", shear, "2 6.0 1", "2 NaN 1",
			`line 8: found "2 NaN 1": want a finite number in field 2`},
		{"degrees of freedom that nobody knows", beam, "7 3.0 0.0 0 1 2", "7 3.0 0.0 0 1 2 3",
			"line 7: found \"7 3.0 0.0 0 1 2 3\": want node 7 with 2 degrees of freedom, or 3 with rotations"},
		{"two nodes with one equation", shear, "2 6.0 1", "2 6.0 2",
			"equation 2 belongs to node 1, degree of freedom 1 and to node 2, degree of freedom 1: a constraint joins them"},
		{"an equation without a node", shear, "2 6.0 1", "2 6.0 -1",
			"equation 1 belongs to no node, as an equation of a Lagrange multiplier"},
		{"a degree of freedom with a constraint", shear, "2 6.0 1", "2 6.0 -4",
			"line 8: found \"2 6.0 -4\": want a whole number from -1 to 2999 in field 3"},
		{"everything held", strings.NewReplacer("1 3.0 2", "1 3.0 -1", "2 6.0 1", "2 6.0 -1", "3 9.0 0",
			"3 9.0 -1").Replace(shear), "", "", "every degree of freedom is held"},
		{"a row beyond the equations", shear, "3 3 5.5", "4 3 5.5",
			`line 15: found "4 3 5.5": want a whole number from 1 to 3 in field 1`},
		{"an entry of two fields", shear, "3 3 5.5", "3 5.5",
			`line 15: found "3 5.5": want row, column and value of an entry of the matrix damping`},
		{"an entry twice", shear, "2 2 1600", "1 1 1600", `want each entry once`},
		{"not symmetric", shear, "1 2 -800", "1 2 -801",
			"the matrix stiffness is not symmetric: row 1 (node 3, degree of freedom 1) column 2 (node 2, degree of freedom " +
				"1) has -801, and mirrored -800"},
		{"on one side only", shear, "stiffness 7\n1 1 800\n1 2 -800", "stiffness 6\n1 1 800",
			"the matrix stiffness is not symmetric"},
		{"nothing holds a node", shear, "stiffness 7\n1 1 800\n1 2 -800\n2 1 -800\n", "stiffness 4\n",
			"node 3, degree of freedom 1 has the stiffness 0: no element holds it"},
		{"a negative mass", shear, "1 1 2\n", "1 1 -2\n", "node 3, degree of freedom 1 has the mass -2: want 0 or more"},
		{"more modes than equations", shear, "modes 2", "modes 4", "want a whole number from 1 to 3"},
		{"another mode", shear, "mode 2", "mode 3", "want 2 in field 2"},
		{"an eigenvalue of a mechanism", shear, "mode 1 ", "mode 1 -",
			"want an eigenvalue above 0: at 0 or below the model moves without force, or has buckled"},
		{"a shape of another node", shear, "\n3 0.9", "\n4 0.9", "want the shape of mode 1 at node 3: tag and 1 numbers"},
		{"no end", shear, "end\n", "", "the file ends here: want the last line, end; the whole file ends with the line end"},
		{"more behind", shear, "end\n", "ende\n", `found "ende": want the last line, end`},
	} {
		text := strings.Replace(c.text, c.old, c.new, 1)
		if text == c.text && c.old != "" {
			t.Errorf("%s: %q is not in the file", c.name, c.old)
		}
		if _, err := ReadOpenSees(strings.NewReader(text), "model.dump"); err == nil ||
			!strings.HasPrefix(err.Error(), "model.dump: line ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v: want %q", c.name, err, c.want)
		}
	}
	for cut := range len(shear) - 2 {
		if _, err := ReadOpenSees(strings.NewReader(shear[:cut]), "model.dump"); err == nil {
			t.Errorf("the file is read without its last %d bytes", len(shear)-cut)
		}
	}
}

// Frequencies and shapes that differ are refused, with the mode, and the node of the largest difference.
func TestOpenSeesAgree(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"1 1 2\n", "1 1 2.0000001\n", "mode 1: OpenSees has 1.4166"},
		{"\n2 0.7818", "\n2 0.7819", "mode 1: the shapes of OpenSees and of its matrices are "},
	} {
		text := strings.Replace(shearDump(), c.old, c.new, 1)
		if text == shearDump() {
			t.Fatalf("%q is not in\n%s", c.old, text)
		}
		modes, err := readDump(t, text).Compare()
		if err != nil {
			t.Fatal(err)
		}
		if err := Agree(modes); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: want %q", err, c.want)
		}
	}
}

// Shapes of equal frequency are compared as spans: OpenSees may give any two of them; a shape outside is refused.
func TestOpenSeesEqualFrequencies(t *testing.T) {
	dump := func(first, second string) string {
		return "rths-opensees 1\nversion 3.8.0\ntime 0\ndimensions 2\nnodes 2\n1 0 0 -1 -1\n2 0 3 0 1\nmass 2\n1 1 2\n2 2 " +
			"2\ndamping 0\nstiffness 2\n1 1 8\n2 2 8\nmodes 2\n" +
			"mode 1 4\n1 0 0\n2 " + first + "\nmode 2 4\n1 0 0\n2 " + second + "\nanswer 0\nend\n"
	}
	for _, pair := range [][2]string{{"1 0", "0 1"}, {"0.6 0.8", "-0.8 0.6"}, {"0 -3", "5 0"}} {
		modes, err := readDump(t, dump(pair[0], pair[1])).Compare()
		if err != nil || Agree(modes) != nil || modes[0].Apart > 1e-14 {
			t.Errorf("%v: %v, %v", pair, err, Agree(modes))
		}
	}
	split := strings.Replace(dump("0.6 0.8", "-0.8 0.6"), "2 2 8\n", "2 2 8.00008\n", 1) // 5e-6 apart
	split = strings.Replace(split, "mode 2 4\n", "mode 2 4.00004\n", 1)
	modes, err := readDump(t, split).Compare()
	if err != nil || Agree(modes) == nil || modes[0].Apart < 0.5 {
		t.Errorf("%v, %v: want shapes that differ where frequencies do", err, modes)
	}
	// Shapes of other frequencies in the wrong order are said to be late.
	late := strings.Replace(dump("0 1", "1 0"), "2 2 8\n", "2 2 18\n", 1)
	late = strings.Replace(late, "mode 2 4\n", "mode 2 9\n", 1)
	if modes, err = readDump(t, late).Compare(); err != nil || modes[0].Late != 1 ||
		!strings.Contains(fmt.Sprint(Agree(modes)), "mode 1: the command eigen of OpenSees has put this shape 1 places late") {
		t.Errorf("%v, %+v, %v: want the first shape one place late", err, modes, Agree(modes))
	}
}

// The influence vector is 1 at displacements along the direction, and a direction that loads nothing is refused.
func TestOpenSeesInfluence(t *testing.T) {
	o := readDump(t, beamDump())
	for dof, want := range map[int][]float64{1: {1, 0, 0}, 2: {0, 1, 0}} {
		if got, err := o.Influence(dof); err != nil || !slices.Equal(got, want) {
			t.Errorf("direction %d: %v, %v: want %v", dof, got, err, want)
		}
	}
	for dof, want := range map[int]string{0: "want 1 to 2", 3: "want 1 to 2"} {
		if _, err := o.Influence(dof); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("direction %d: %v: want %q", dof, err, want)
		}
	}
	light := readDump(t, strings.Replace(beamDump(), "mass 2\n1 1 4\n", "mass 1\n", 1))
	if _, err := light.Influence(1); err == nil || !strings.Contains(err.Error(), "loads nothing") {
		t.Errorf("%v: want that the motion loads nothing", err)
	}
	for _, c := range []struct {
		node, dof int
		want      string
	}{{9, 1, "the model has no node 9"}, {7, 4, "want 1 to 3"}, {1, 2, "is held by a support"}} {
		if _, err := o.Equation(c.node, c.dof); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("node %d, %d: %v: want %q", c.node, c.dof, err, c.want)
		}
	}
}

// Subspace iteration finds what the dense eigenvalue problem has, with coordinates without mass, full mass
// matrices and equal frequencies.
func TestLowestModes(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for _, c := range []struct{ n, massless, count int }{{1, 0, 1}, {12, 0, 12}, {40, 25, 6}, {60, 0, 5}, {30, 28, 2}} {
		m, k := mat.NewDense(c.n, c.n, nil), mat.NewDense(c.n, c.n, nil)
		for i := range c.n {
			for j := range min(i+1, c.n) {
				if i-j > 4 {
					continue
				}
				v := r.NormFloat64()
				k.Set(i, i, k.At(i, i)+math.Abs(v)+0.1)
				k.Set(j, j, k.At(j, j)+math.Abs(v)+0.1)
				if i != j {
					k.Set(i, j, v)
					k.Set(j, i, v)
				}
			}
			if i >= c.massless {
				m.Set(i, i, 1+r.Float64())
			}
			if i > c.massless {
				m.Set(i, i-1, 0.3)
				m.Set(i-1, i, 0.3)
			}
		}
		var chol mat.Cholesky
		if !chol.Factorize(symmetric(k)) {
			t.Fatal("K is not positive definite")
		}
		want, _, err := inverseModes(&chol, m)
		if err != nil {
			t.Fatal(err)
		}
		omega, shapes, err := lowestModes(sparseOf(m), sparseOf(k), c.count)
		if err != nil || len(omega) != c.count {
			t.Fatalf("%+v: %v, %d modes", c, err, len(omega))
		}
		for j, w := range omega {
			if e := math.Abs(w-1/math.Sqrt(want[j])) / w; !(e < 1e-11) {
				t.Errorf("%+v: mode %d: %g rad/s: want %g", c, j+1, w, 1/math.Sqrt(want[j]))
			}
			if q := quadratic(sparseOf(m), shapes[j]); math.Abs(q-1) > 1e-10 {
				t.Errorf("%+v: mode %d: φᵀMφ = %g", c, j+1, q)
			}
		}
	}
	if _, _, err := lowestModes(lti.NewCSR(2, nil), lti.NewCSR(2,
		[]lti.Entry{{Row: 0, Col: 0, V: 1}, {Row: 1, Col: 1, V: 1}}), 1); err == nil {
		t.Error("no mass: want an error")
	}
	if _, _, err := lowestModes(sparseOf(mat.NewDense(2, 2, []float64{1, 0, 0, 1})),
		sparseOf(mat.NewDense(2, 2, []float64{1, 2, 2, 1})), 1); err == nil ||
		!strings.Contains(err.Error(), "positive definite") {
		t.Errorf("indefinite: %v", err)
	}
}

// A Matrix Market file has the lower triangle, from 1, with all digits.
func TestWriteMatrixMarket(t *testing.T) {
	var out bytes.Buffer
	a := lti.NewCSR(3, []lti.Entry{{Row: 0, Col: 0, V: 2.0 / 3}, {Row: 0, Col: 2, V: -1e7 / 7},
		{Row: 2, Col: 0, V: -1e7 / 7}, {Row: 2, Col: 2, V: 5}})
	if err := WriteMatrixMarket(&out, a, "stiffness, N/m"); err != nil {
		t.Fatal(err)
	}
	want := "%%MatrixMarket matrix coordinate real symmetric\n% stiffness, N/m\n3 3 3\n1 1 0.66666666666666663\n3 1 " +
		"-1428571.4285714286\n3 3 5\n"
	if out.String() != want {
		t.Errorf("%s\nwant\n%s", out.String(), want)
	}
}

// The snippet's first lines say how to use it, and the format that it writes is the one that is read.
func TestOpenSeesSnippet(t *testing.T) {
	if !strings.Contains(OpenSeesSnippet, `puts $file "`+openSeesFormat+`"`) {
		t.Errorf("the snippet does not write %s", openSeesFormat)
	}
	if here, err := os.ReadFile("opensees.tcl"); err != nil || string(here) != OpenSeesSnippet {
		t.Errorf("%v: want opensees.tcl", err)
	}
}

// Whatever a file holds, it is refused or a model whose modes are compared without a panic.
func FuzzReadOpenSees(f *testing.F) {
	f.Add(shearDump())
	f.Add(beamDump())
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			return
		}
		o, err := ReadOpenSees(strings.NewReader(text), "fuzz")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "fuzz: line ") {
				t.Errorf("%v: want name and line first", err)
			}
			return
		}
		if len(o.At) > 50 {
			return
		}
		if o, err = o.SI("kip-in"); err != nil {
			return
		}
		if modes, err := o.Compare(); err == nil && Agree(modes) == nil {
			for _, m := range modes {
				if !(m.Omega > 0) {
					t.Errorf("%+v", m)
				}
			}
		}
	})
}

// A damping force beyond C v is damping of the modes, ζ = 3 and 7 % here; another force is refused, and so is an
// answer of another size. The answer of C alone changes nothing.
func TestOpenSeesModalDamping(t *testing.T) {
	o := readDump(t, shearDump())
	v, force := make([]float64, 3), make([]float64, 3)
	for _, mode := range o.Modes {
		for e, phi := range mode.Shape {
			v[e] += phi / mode.Omega
		}
	}
	o.C.MulVec(force, v)
	answered := func(force []float64) string {
		text := "answer 3\n"
		for _, f := range force {
			text += fmt.Sprintf("%.17g\n", f)
		}
		return strings.Replace(shearDump(), "answer 0\n", text, 1)
	}
	if same := readDump(t, answered(force)); same.Modal != nil || same.Unasked || same.Less || same.C.At(2, 2) != 5.5 {
		t.Errorf("C alone: modal damping %v, C %g", same.Modal, same.C.At(2, 2))
	}
	ratios := []float64{0.03, 0.07}
	for j, mode := range o.Modes {
		for e, phi := range mode.Shape {
			force[e] += 2 * ratios[j] * 2 * phi // 2 ζ ω M φ/ω, M = 2
		}
	}
	damped := readDump(t, answered(force))
	for j, mode := range o.Modes {
		phi := normalised(o.M, mode.Shape)
		want := quadratic(o.C, phi) + 2*ratios[j]*mode.Omega
		if got := quadratic(damped.C, phi); math.Abs(got-want) > 1e-12*want || math.Abs(damped.Modal[j]-ratios[j]) > 1e-12 {
			t.Errorf("mode %d: φᵀCφ = %g, modal %g: want %g, %g", j+1, got, damped.Modal[j], want, ratios[j])
		}
	}
	if damped.C.At(0, 2) != damped.C.At(2, 0) || damped.C.At(0, 2) == 0 {
		t.Errorf("C is not symmetric: %g, %g", damped.C.At(0, 2), damped.C.At(2, 0))
	}
	weak := make([]float64, 3)
	o.C.MulVec(weak, v)
	for i := range weak {
		weak[i] *= 0.5
	}
	if less := readDump(t, answered(weak)); !less.Unasked || !less.Less || less.Modal != nil || less.C.At(2, 2) != 5.5 {
		t.Errorf("an answer with half of C: asked %t, modal damping %v, C %g: want C as it is", !less.Unasked, less.Modal,
			less.C.At(2, 2))
	}
	force[0] += 0.01
	for text, want := range map[string]string{
		answered(force): "of the damping force of OpenSees is neither in its damping matrix nor damping of the 2 modes",
		strings.Replace(shearDump(), "answer 0\n", "answer 2\n1\n2\n", 1):   "answer of 2 equations: want 3, or 0",
		strings.Replace(shearDump(), "answer 0\n", "answer 3\n1\n2 3\n", 1): "want the damping force of an equation",
	} {
		if _, err := ReadOpenSees(strings.NewReader(text), "model.dump"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("found %v: want %s", err, want)
		}
	}
}
