package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/model/structure"
	"rths/scenario/files"
)

// These tests export models from the real OpenSees and import them.

// exported runs a model and rths_export in OpenSees. It returns the file, and what OpenSees has said. The script
// looks at time, displacements and element forces before and after the export, and at a recorder.
func exported(t *testing.T, model string, modes int, env ...string) (dump, said string) {
	t.Helper()
	dir := t.TempDir()
	dump = filepath.Join(dir, "model.dump")
	snippet, script := filepath.Join(dir, "rths.tcl"), filepath.Join(dir, "run.tcl")
	var out, errs bytes.Buffer
	if status := run([]string{"import-opensees", "--snippet"}, &out, &errs); status != exitDone {
		t.Fatal(errs.String())
	}
	text := fmt.Sprintf(`%s
proc state {} {
    set all [getTime]
    foreach node [getNodeTags] { lappend all [nodeDisp $node] [nodeVel $node] [nodeAccel $node] }
    foreach element [getEleTags] { if {[eleType $element] ne "GenericClient"} { lappend all [eleForce $element] } }
    return $all
}
set before [state]
set digits $tcl_precision
recorder Node -file {%s} -time -node [lindex [getNodeTags] 0] -dof 1 disp
source {%s}
set failed [catch {rths_export {%s} %d} why]
puts $why
puts "state [expr {[state] eq $before ? {kept} : {changed}}], digits [expr {$tcl_precision == $digits ? {kept} : `+
		`{changed}}]"
exit $failed
`, model, filepath.Join(dir, "recorded"), snippet, dump, modes)
	if err := os.WriteFile(snippet, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(script, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	o := startOpenSees(t, script, env...)
	said = o.end()
	if !strings.Contains(said, "state kept, digits kept") {
		t.Errorf("OpenSees said\n%s\nwant that the state is kept", said)
	}
	if info, err := os.Stat(filepath.Join(dir, "recorded")); err != nil || info.Size() > 0 {
		t.Errorf("a recorder has written %v, %v: want nothing", info, err)
	}
	left := rthstest.Must(filepath.Glob(dump + ".*"))
	if _, err := os.Stat(dump); o.cmd.ProcessState.Success() != (err == nil) || len(left) > 0 {
		t.Errorf("OpenSees ended with %v, file: %v, others: %v\n%s", o.cmd.ProcessState, err, left, said)
	}
	return dump, said
}

// sourced is a model of testdata/opensees as Tcl.
func sourced(name string) string {
	return "source {" + rthstest.Must(filepath.Abs(filepath.Join("testdata", "opensees", name))) + "}"
}

// importedFrom imports a dump and returns the JSON.
func importedFrom(t *testing.T, dump string, args ...string) (doc structure.Imported) {
	t.Helper()
	var out, errs bytes.Buffer
	if status := run(append([]string{"import-opensees", dump, "--json"}, args...), &out, &errs); status != exitDone {
		if strings.Contains(errs.String(), "places late, at that of another frequency") {
			t.Skip("OpenSees as installed here puts shapes of equal frequencies at wrong places")
		}
		t.Fatalf("exit status %d\n%s", status, errs.String())
	}
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// threeStorey is the model of examples/opensees with its export before OpenSees ends: rths_export stands in for
// the steps.
func threeStorey(t *testing.T) string {
	motion := filepath.Join(t.TempDir(), "motion.csv")
	if err := os.WriteFile(motion, []byte("0,0\n1,0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(
		"set argv {{%s}}\nset ::env(ALONE) 1\nset ::env(OUT) {%s}\nset text [read [open {%s}]]\nset text [string range "+
			"$text 0 [string first {record_response} $text]-1]\nset text [string map [list {[info script]} {{%s}}] "+
			"$text]\neval $text\n",
		motion, t.TempDir(), filepath.Join(examples, "three-storey", "model.tcl"),
		filepath.Join(examples, "three-storey", "model.tcl"))
}

// Frequencies of the imported matrices are within 1e-8 of OpenSees' own eigen, shapes by node within 1e-6, in
// seven models. The first frequency of the three-storey frame is the one of this program's own structure, and the
// other frequencies have the known size.
func TestImportOpenSees(t *testing.T) {
	t.Parallel()
	storeys := rthstest.Must(rthstest.Must((&structure.Silva2020{Case: 1}).Make()).Modes())
	for _, c := range []struct {
		name, model, units string
		modes, massless    int
		first, within      float64 // Hz
		env                []string
	}{
		{"plane frame, joints without rotational mass", sourced("frame2d.tcl"), "kN-m", 12, 9, 1.94094, 1e-5, nil},
		{"all of its modes", sourced("frame2d.tcl"), "kN-m", 18, 9, 1.94094, 1e-5, nil},
		{"three storeys of the benchmark", threeStorey(t), "N-m", 3, 0, storeys[0].FreqHz, 1e-8, nil},
		{"space frame, equal frequencies", sourced("frame3d.tcl"), "N-mm", 12, 0, 2.58712, 1e-5, nil},
		{"the second of two equal frequencies left out", sourced("frame3d.tcl"), "N-mm", 5, 0, 2.58712, 1e-5, nil},
		{"Rayleigh damping and a dashpot", sourced("damped.tcl"), "N-m", 3, 0, 3.13828, 1e-5, []string{"DASHPOT=1"}},
		{"fibre column at rest", sourced("pdelta.tcl"), "kip-in", 12, 12, 0.500829, 1e-5, []string{"GRAVITY=0"}},
		{"fibre column under its load", sourced("pdelta.tcl"), "kip-in", 12, 12, 0.392665, 1e-5, nil},
		{"cantilever of 240 equations", sourced("cantilever.tcl"), "N-m", 12, 80,
			3.516 / (2 * math.Pi) * math.Sqrt(2e11*8.013e-6/78.5) / (4.136 * 4.136), 1e-3, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			dump, _ := exported(t, c.model, c.modes, c.env...)
			doc := importedFrom(t, dump, "--units", c.units)
			off, apart := 0.0, 0.0
			for j, m := range doc.Modes {
				if j > 0 && m.Hz < doc.Modes[j-1].Hz*(1-1e-9) {
					t.Errorf("mode %d: %g Hz, below the one before", j+1, m.Hz)
				}
				off, apart = max(off, math.Abs(m.Hz-m.OpenSees)/m.OpenSees), max(apart, m.Apart)
			}
			t.Logf("%d equations, %d modes: frequencies %.1e, shapes %.1e apart", doc.Equations, len(doc.Modes), off, apart)
			if len(doc.Modes) != c.modes || doc.Massless != c.massless || !(off <= 1e-8) || !(apart <= 1e-6) {
				t.Errorf("%d modes, %d equations without mass, frequencies %g and shapes %g apart: want %d, %d, 1e-8, 1e-6",
					len(doc.Modes), doc.Massless, off, apart, c.modes, c.massless)
			}
			if first := doc.Modes[0].Hz; !(math.Abs(first-c.first) <= c.within*c.first) {
				t.Errorf("mode 1: %.8g Hz: want %.8g", first, c.first)
			}
		})
	}
}

// The folder of an import is a scenario that lints and runs as it stands, and whose files have the matrices that were
// compared, to the bit.
func TestImportOpenSeesRuns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ model, units, at, reduce string }{
		{"frame2d.tcl", "kN-m", "31:1", "0"}, {"frame3d.tcl", "N-mm", "21:1", "0"}, {"damped.tcl", "N-m", "1:1", "0"},
		{"pdelta.tcl", "kip-in", "12:1", "6"},
	} {
		t.Run(c.model, func(t *testing.T) {
			dump, _ := exported(t, sourced(c.model), 3)
			folder := filepath.Join(t.TempDir(), "imported")
			doc := importedFrom(t, dump, "--units", c.units, "--interface", c.at, "--reduce", c.reduce, "--out", folder)
			scenario := filepath.Join(folder, "test.yaml")
			for _, args := range [][]string{{"lint", scenario}, {"run", scenario, "--no-record"}} {
				var out, errs bytes.Buffer
				if status := run(args, &out, &errs); status != exitDone {
					t.Errorf("rths %s: exit status %d\n%s", strings.Join(args, " "), status, errs.String())
				}
			}
			matrix := func(name string) structure.Matrix {
				return structure.Matrix{FromFile: structure.FromFile{File: filepath.Join(folder, name)}}
			}
			p := &structure.Matrices{Mass: matrix("mass.mtx"), Stiffness: matrix("stiffness.mtx")}
			if err := p.Read(structure.At{Files: files.Disk{}}); err != nil {
				t.Fatal(err)
			}
			s := rthstest.Must(p.Make())
			file := rthstest.Must(os.Open(dump))
			defer file.Close()
			o := rthstest.Must(rthstest.Must(structure.ReadOpenSees(file, dump)).SI(c.units))
			for i := range s.N {
				for j := range s.N {
					if s.M.At(i, j) != o.M.At(i, j) || s.K.At(i, j) != o.K.At(i, j) {
						t.Fatalf("row %d, column %d: %g kg, %g N/m: want %g, %g", i+1, j+1, s.M.At(i, j), s.K.At(i, j), o.M.At(i, j),
							o.K.At(i, j))
					}
				}
			}
			if s.N != doc.Equations || len(doc.Files) < 6 {
				t.Errorf("%d rows, files %v: want %d rows", s.N, doc.Files, doc.Equations)
			}
		})
	}
}

// The damping matrix holds Rayleigh damping, whose ratios are a/2ω + bω/2, and the constant of a dashpot.
func TestImportOpenSeesDamping(t *testing.T) {
	t.Parallel()
	read := func(env ...string) *structure.OpenSees {
		dump, _ := exported(t, sourced("damped.tcl"), 3, env...)
		file := rthstest.Must(os.Open(dump))
		defer file.Close()
		return rthstest.Must(structure.ReadOpenSees(file, dump))
	}
	without, with := read(), read("DASHPOT=1")
	for j, m := range rthstest.Must(without.Compare()) {
		if want := 0.4/(2*m.Omega) + 0.002*m.Omega/2; !(math.Abs(m.Ratio-want) <= 1e-12) {
			t.Errorf("mode %d: damping ratio %g: want %g", j+1, m.Ratio, want)
		}
	}
	modal := read("MODAL=1")
	for j, m := range rthstest.Must(modal.Compare()) {
		if want := 0.4/(2*m.Omega) + 0.002*m.Omega/2 + 0.03 + 0.01*float64(j); !(math.Abs(m.Ratio-want) <= 1e-8) {
			t.Errorf("mode %d with modal damping: damping ratio %g: want %g", j+1, m.Ratio, want)
		}
	}
	if without.Modal != nil || without.Unasked || !with.Unasked || len(modal.Modal) != 3 {
		t.Errorf("modal damping %v, %v, asked %t, %t", without.Modal, modal.Modal, !without.Unasked, !with.Unasked)
	}
	at := rthstest.Must(with.Equation(1, 1))
	for i := range 3 {
		for j := range 3 {
			want := 0.0
			if i == at && j == at {
				want = 1200
			}
			if d := with.C.At(i, j) - without.C.At(i, j); !(math.Abs(d-want) <= 1e-9) {
				t.Errorf("C(%d,%d): the dashpot adds %g N·s/m: want %g", i+1, j+1, d, want)
			}
		}
	}
}

// Eleven digits, as printA -ret has them, do not give the frequencies of a fine mesh within 1e-8: the import refuses.
func TestImportOpenSeesDigits(t *testing.T) {
	t.Parallel()
	dump, _ := exported(t, sourced("cantilever.tcl"), 3)
	text := string(rthstest.Must(os.ReadFile(dump)))
	head, rest, _ := strings.Cut(text, "\nstiffness ")
	body, tail, _ := strings.Cut(rest, "\nmodes ")
	entry := regexp.MustCompile(`(?m)^([0-9]+ [0-9]+) (\S+)$`)
	body = entry.ReplaceAllStringFunc(body, func(line string) string {
		m := entry.FindStringSubmatch(line)
		return fmt.Sprintf("%s %.10e", m[1], rthstest.Must(strconv.ParseFloat(m[2], 64)))
	})
	if err := os.WriteFile(dump, []byte(head+"\nstiffness "+body+"\nmodes "+tail), 0o644); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if status := run([]string{"import-opensees", dump}, &out, &errs); status != exitWrong ||
		!strings.Contains(errs.String(), "mode 1: OpenSees has 4.67") {
		t.Errorf("exit status %d, %s: want a refusal of mode 1", status, errs.String())
	}
}

// What rths_export refuses, it refuses with the place, the reason and the way out, and leaves no file.
func TestImportOpenSeesRefuses(t *testing.T) {
	t.Parallel()
	server := rthstest.Must(net.Listen("tcp", "127.0.0.1:0"))
	defer server.Close()
	go func() {
		for {
			c, err := server.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(io.Discard, c); c.Close() }()
		}
	}()
	port := server.Addr().(*net.TCPAddr).Port
	frame2d, frame3d := sourced("frame2d.tcl"), sourced("frame3d.tcl")
	for _, c := range []struct{ name, model, want string }{
		{"equalDOF", frame2d + "\nequalDOF 11 12 1",
			"node 12 follows node 11 (degrees of freedom 1): a degree of freedom that follows another (equalDOF, rigidLink, " +
				"rigidDiaphragm) has no equation of its own, so that its displacement would not be in the matrices. Want " +
				"stiff elements"},
		{"rigidLink", frame2d + "\nrigidLink beam 11 12", "node 12 follows node 11 (degrees of freedom 1 2 3)"},
		{"rigidDiaphragm", frame3d + "\nrigidDiaphragm 3 11 12 13 14",
			"node 12 follows node 11 (degrees of freedom 1 2 6), node 13 follows node 11"},
		{"genericClient", frame2d + fmt.Sprintf("\nelement genericClient 99 -node 11 -dof 1 -server %d 127.0.0.1 -noRayleigh",
			port), "element 99 is a genericClient: its stiffness is a laboratory's"},
		{"sp in a pattern", frame2d + "\ntimeSeries Constant 1\npattern Plain 1 1 { sp 31 1 0.01 }",
			"a load pattern holds or moves node 31 (sp or imposedMotion)"},
		{"imposed motion", frame2d +
			"\ntimeSeries Constant 1\npattern MultipleSupport 1 {\ngroundMotion 1 Plain -disp 1\nimposedMotion 31 1 1\n}",
			"a load pattern holds or moves node 31"},
		{"pore pressure",
			"model Basic -ndm 2 -ndf 3\nforeach {n x y} {1 0 0  2 1 0  3 1 1  4 0 1} { node $n $x $y }\nnDMaterial " +
				"ElasticIsotropic 1 1e4 0.3 1.8\nelement quadUP 1 1 2 3 4 1.0 1 2.2e6 1.0 1e-5 1e-5",
			"element 1 is a FourNodeQuadUP, whose nodes have pore pressures"},
		{"a spring with damping of its own",
			hung("damping Uniform 1 0.05 0.1 50.0\nuniaxialMaterial Elastic 1 800.0\nelement zeroLength 1 1 2 -mat 1 -dir " +
				"1 -damp 1"), "element 1 has damping of its own (-damp), which is in no matrix of OpenSees"},
		{"a dashpot that -doRayleigh takes away",
			hung("uniaxialMaterial Elastic 1 800.0 30.0\nelement zeroLength 1 1 2 -mat 1 -dir 1 -doRayleigh 1"),
			"element 1 is a zeroLength whose dashpot is not in the damping matrix of OpenSees: with -doRayleigh 1 OpenSees " +
				"leaves it out. Want the dashpot in a zeroLength of its own"},
		{"the same of a Viscous material",
			hung("uniaxialMaterial Elastic 1 800.0\nuniaxialMaterial Viscous 2 30.0 1.0\nelement zeroLength 1 1 2 -mat 1 2 " +
				"-dir 1 1 -doRayleigh 1"), "element 1 is a zeroLength whose dashpot is not in the damping matrix"},
		{"a damper with an exponent",
			hung("uniaxialMaterial Elastic 1 800.0\nuniaxialMaterial Viscous 2 30.0 0.5\nelement zeroLength 1 1 2 -mat 1 " +
				"2 -dir 1 1"),
			"element 1 has the material 2, a Viscous with exponent 0.5: its force is no multiple of its velocity"},
		{"a Maxwell damper in a truss",
			hung("uniaxialMaterial Elastic 1 800.0\nuniaxialMaterial Maxwell 2 100.0 30.0 1.0 1.0\nelement zeroLength 1 1 2 " +
				"-mat 1 -dir 1\nnode 3 -1.0\nfix 3 1\nelement truss 7 3 2 1.0 2"),
			"element 7 has the material 2, a Maxwell: its force is no multiple of its velocity"},
		{"no mass", "model Basic -ndm 1 -ndf 1\nnode 1 0.0\nnode 2 0.0\nfix 1 1\nuniaxialMaterial Elastic 1 1.0\nelement " +
			"zeroLength 1 1 2 -mat 1 -dir 1", "the model has no mass"},
		{"all fixed", "model Basic -ndm 1 -ndf 1\nnode 1 0.0\nfix 1 1", "every degree of freedom of the model is fixed"},
		{"no model", "", "the model has no node"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, said := exported(t, c.model, 3); !strings.Contains(said, "rths_export: "+c.want) {
				t.Errorf("OpenSees said\n%s\nwant %q", said, c.want)
			}
		})
	}
}

// hung is a mass at node 2 that hangs on the elements given; node 1 is held.
func hung(elements string) string {
	return "model Basic -ndm 1 -ndf 1\nnode 1 0.0\nnode 2 0.0 -mass 2.0\nfix 1 1\nrayleigh 0.1 0.0 0.0 0.0\n" + elements
}

// Dashpots of zeroLength elements without -doRayleigh are taken in any direction, also of rotations, and the export
// names their elements. A damper that no element uses is no reason to refuse.
func TestImportOpenSeesDashpots(t *testing.T) {
	t.Parallel()
	dump, said := exported(t, `model Basic -ndm 2 -ndf 3
node 1 0.0 0.0
node 2 0.0 0.0 -mass 2.0 3.0 0.5
fix 1 1 1 1
uniaxialMaterial Elastic 1 800.0
uniaxialMaterial Elastic 2 500.0 30.0
uniaxialMaterial Viscous 3 7.0 1.0
uniaxialMaterial Viscous 4 7.0 0.3
element zeroLength 1 1 2 -mat 1 1 1 -dir 1 2 6
element zeroLength 2 1 2 -mat 2 -dir 1 -orient 3 4 0 -4 3 0
element zeroLength 3 2 1 -mat 3 3 -dir 2 6
`, 3)
	if want := "rths_export: zeroLength with dashpots (2, 3): where one has -doRayleigh 1 too"; !strings.Contains(said,
		want) {
		t.Errorf("OpenSees said\n%s\nwant %q", said, want)
	}
	file := rthstest.Must(os.Open(dump))
	defer file.Close()
	m := rthstest.Must(structure.ReadOpenSees(file, dump))
	for dof, want := range []float64{30 * 9 / 25.0, 30*16/25.0 + 7, 7} {
		if at := rthstest.Must(m.Equation(2, dof+1)); math.Abs(m.C.At(at, at)-want) > 1e-12 {
			t.Errorf("degree of freedom %d: damping %g: want %g", dof+1, m.C.At(at, at), want)
		}
	}
}

// The matrices of a bar of consistent mass ρL/6 [2 1; 1 2] that is held at one end lack a third of the load that a
// ground motion makes. The matrices of a bar of lumped mass lack nothing, and there is no warning.
func TestImportOpenSeesConsistentMass(t *testing.T) {
	t.Parallel()
	bar := "model Basic -ndm 1 -ndf 1\nnode 1 0.0\nnode 2 1.0\nfix 1 1\nuniaxialMaterial Elastic 1 800.0\nelement truss " +
		"1 1 2 1.0 1 -rho 6.0 -cMass %d"
	const want = "rths_export: 33.3 % of the load of a ground motion is missing in the matrices"
	for consistent := range 2 {
		if _, said := exported(t, fmt.Sprintf(bar, consistent), 1); strings.Contains(said, want) != (consistent == 1) ||
			strings.Contains(said, "missing") != (consistent == 1) {
			t.Errorf("-cMass %d: OpenSees said\n%s", consistent, said)
		}
	}
}

// OpenSees' own eigen finds no mode of a model with a node that no element holds.
func TestImportOpenSeesLoose(t *testing.T) {
	t.Parallel()
	if _, said := exported(t, sourced("frame2d.tcl")+"\nnode 99 0.0 20.0 -mass 1.0 1.0 1.0", 3); !strings.Contains(said,
		"rths_export: OpenSees' own eigen finds no mode: does an element hold every node that is not fixed?") {
		t.Errorf("OpenSees said\n%s", said)
	}
}
