package export

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/maths/portable"
	"rths/method/learn"
	"rths/model/device"
	"rths/model/plant"
)

// taught is a device that learns from a truth that is another by a third.
type taught struct {
	law, truth device.Law
	p, ofTruth []device.Parameter
	linear     bool // by least squares
	close      bool // the truth is another by 2 % only, and stays
}

// laws are those that can be learned, each with numbers that its branches in C hang on.
func laws() map[string]func() taught {
	boucwen := func(of device.BoucWen) func() taught {
		return func() taught {
			a, b := of, of
			return taught{law: &a, truth: &b, p: around(&a.Ke, &a.Fy), ofTruth: around(&b.Ke, &b.Fy)}
		}
	}
	return map[string]func() taught{
		"boucwen": boucwen(device.BoucWen{Ke: 3e5, A: 0.05, Fy: 1500, N: 2, Eta1: 0.5, Eta2: 0.5}),
		"degrading": boucwen(device.BoucWen{Ke: 3e5, A: 0.05, Fy: 1500, N: 1.6, Eta1: 0.6, Eta2: 0.4, Alpha: 1e-5,
			Beta: 1e-4, Kh: 1e8}),
		"damped": func() taught {
			a := &device.BoucWen{Ke: 3e5, A: 0.05, Fy: 1500, N: 3, Eta1: 0.5, Eta2: 0.5}
			b := *a
			da, db := &device.Damped{Law: a, C: 900}, &device.Damped{Law: &b, C: 900}
			return taught{law: da, truth: db, p: around(&a.Fy, &a.N, &da.C), ofTruth: around(&b.Fy, &b.N, &db.C)}
		},
		"bilinear": func() taught {
			a := &device.Bilinear{K0: 3e5, K2: 3e4, Dy: 0.004}
			b := *a
			return taught{law: &device.Damped{Law: a, C: 10}, truth: &device.Damped{Law: &b, C: 10}, p: around(&a.K0, &a.Dy),
				ofTruth: around(&b.K0, &b.Dy)}
		},
		"friction": func() taught {
			a := &device.Friction{K: 1e6, Mu: 0.1, N: 9000}
			b := *a
			b.K = 2e5 // which is not learned: another class
			return taught{law: a, truth: &b, p: around(&a.Mu), ofTruth: around(&b.Mu)}
		},
		"lugre": func() taught {
			a := &device.LuGre{Sigma0: 1e6, Sigma1: 200, Sigma2: 100, Fc: 700, Fs: 1100, Vs: 0.05}
			b := *a
			return taught{law: a, truth: &b, p: around(&a.Fc, &a.Sigma2, &a.Vs), ofTruth: around(&b.Fc, &b.Sigma2, &b.Vs)}
		},
		"viscous": func() taught {
			a := &device.Viscous{C: 3e3, Alpha: 0.4, V0: 1e-3, K: 2e4}
			b := *a
			return taught{law: a, truth: &b, p: around(&a.C, &a.Alpha), ofTruth: around(&b.C, &b.Alpha)}
		},
		"maxwell": func() taught {
			a := &device.Maxwell{K: 1e6, C: 3e3, Alpha: 0.6}
			b := *a
			return taught{law: a, truth: &b, p: around(&a.C, &a.Alpha), ofTruth: around(&b.C, &b.Alpha)}
		},
		"linear": func() taught {
			a, b := &device.Viscoelastic{K: 3e5, C: 4e3}, &device.Viscoelastic{K: 3e5, C: 4e3}
			return taught{a, b, around(&a.K, &a.C), around(&b.K, &b.C), true, true}
		},
		"branches": func() taught {
			of := func() *device.Viscoelastic {
				return &device.Viscoelastic{K: 3e5, C: 400, Branches: []device.Branch{{K: 2e5, Rate: 3}, {K: 1e5, Rate: 40}}}
			}
			a, b := of(), of()
			return taught{a, b, around(&a.K, &a.Branches[1].K), around(&b.K, &b.Branches[1].K), true, false}
		},
		"stop1": func() taught {
			a := &device.Stop{K: 4e5, Travel: 0.004, Gap: true, Hook: true}
			b := *a
			return taught{law: a, truth: &b, p: around(&a.K, &a.Travel), ofTruth: around(&b.K, &b.Travel)}
		},
	}
}

// around are parameters with bounds around them.
func around(of ...*float64) (out []device.Parameter) {
	for i, v := range of {
		out = append(out, device.Parameter{Name: fmt.Sprint("number", i+1), Unit: "N", V: v, Low: *v / 2, High: *v * 1.6})
	}
	return out
}

// lessons are samples of a noisy test of the truth, whose first parameter goes beyond its bound after a while. Readings
// are old at times, and some are no numbers.
func (d *taught) lessons(rate float64, samples int) (out []tickOf) {
	r, h := rand.New(rand.NewPCG(7, 31)), 1/rate
	off, more := 1.3, 1.5
	if d.close {
		off, more = 1.02, 1
	}
	for _, p := range d.ofTruth {
		*p.V *= off
	}
	path, z, x := rthstest.Must(device.NewPath(d.truth, h)), make([]float64, d.truth.States()), 0.0
	for k := range samples {
		if k == samples/2 {
			*d.ofTruth[0].V *= more
		}
		s := float64(k) * h
		to := min(1, 2*s) * (0.012*math.Sin(11*s) + 0.006*math.Sin(29*s))
		path.Advance(z, x, to)
		t := tickOf{rths.NewMotion(1), rths.NewReading(1, 1)}
		t.target.X[0] = to
		t.read.X[0], t.read.F[0] = to+2e-6*r.NormFloat64(), d.truth.Force(to, (to-x)*rate, z)+30*r.NormFloat64()
		switch r.IntN(150) {
		case 0:
			t.read.Age = 2
		case 1:
			t.read.F[0] = math.NaN()
		}
		x = to
		out = append(out, t)
	}
	return out
}

// group has a filter of the device.
func (d *taught) group(rate float64, block int) *learn.Group {
	set := learn.Settings{RateHz: rate / float64(block), Noise: 40, StillBelow: 0.01, PinnedS: 0.2}
	g := &learn.Group{Name: "learn1", Number: 1, Law: d.law, Parameters: d.p}
	if d.linear {
		g.Filter = rthstest.Must(learn.NewRLS(d.law, d.p, set))
	} else {
		g.Filter = rthstest.Must(learn.NewUKF(d.law, d.p, set))
	}
	return g
}

const lessonHz, lessonBlock = 1024, 2

// exported is a device of the table, and what Go makes of its lessons: the outputs of the self-test. What is in C is a
// device that has learned nothing, or what learned has.
func exported(t *testing.T, name string, samples int, frozen bool, learned []float64) (d *Devices, v *Vectors,
	end *learn.Group) {
	t.Helper()
	fresh, twin := laws()[name](), laws()[name]()
	d = &Devices{Name: name, Title: "test", Program: "test", Group: fresh.group(lessonHz, lessonBlock),
		Block: learn.Samples{Size: lessonBlock, RateHz: lessonHz}, Copies: 3, Frozen: frozen, Peak: 0.01}
	g := twin.group(lessonHz, lessonBlock)
	if learned != nil {
		for _, f := range []learn.Filter{d.Group.Filter, g.Filter} {
			if left := rths.SetAdaptation(learned, f); len(left) != 0 {
				t.Fatalf("%d numbers left", len(left))
			}
		}
	}
	return d, rthstest.Must(d.vectors(twin.lessons(lessonHz, samples), g)), g
}

// compiled is a program of all devices, which are numbered: it reads the number and inputs, and writes outputs.
func compiled(t *testing.T, cc string, list []*Devices, more ...string) string {
	t.Helper()
	if _, err := exec.LookPath(cc); err != nil {
		t.Skipf("want %s installed", cc)
	}
	dir, main, cases := t.TempDir(), "#include <stdio.h>\n#include <stdlib.h>\n", ""
	args := []string{"-o", filepath.Join(dir, "program"), filepath.Join(dir, "main.c")}
	for i, d := range list {
		files, err := d.C()
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{d.Name + ".h", d.Name + ".c"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(files[name]), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		main += "#include \"" + d.Name + ".c\"\n" // in one piece: faster
		cases += strings.NewReplacer("rths", d.Name, "RTHS", strings.ToUpper(d.Name)).Replace(fmt.Sprintf(`	case %d: {
		static rths_t c;
		rths_init(&c);
		while (fread(p, sizeof p, 1, stdin) == 1) {
			rths_learn(&c, p[0], p[2], p[3] != 0);
			rths_advance(&c, RTHS_DEVICES - 1, p[0]);
			for (i = 0; i < RTHS_PARAMETERS; i++) {
				out[2 * i] = rths_parameter(&c, i);
				out[2 * i + 1] = rths_sd(&c, i);
			}
			out[2 * i] = rths_force(&c, RTHS_DEVICES - 1, p[0], p[1]);
			fwrite(out, sizeof *out, 2 * i + 1, stdout);
		}
		out[0] = rths_fits(&c);
		fwrite(out, sizeof *out, 1, stdout);
		break;
	}
`, i))
	}
	main += "int main(int n, char **a)\n{\n\tdouble p[4], out[20];\n\tint i;\n\tswitch (n > 1 ? atoi(a[1]) : 0) {\n" +
		cases + "\t}\n\treturn 0;\n}\n"
	if err := os.WriteFile(filepath.Join(dir, "main.c"), []byte(main), 0o666); err != nil {
		t.Fatal(err)
	}
	args = append(append(append(args, flags...), more...), "-lm")
	if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cc, err, out)
	}
	return args[1]
}

// asGo compares device i of a program.
func asGo(t *testing.T, program string, i int, d *Devices, v *Vectors, fits bool) {
	t.Helper()
	var input []byte
	for _, row := range v.Inputs {
		for _, x := range row {
			input = binary.LittleEndian.AppendUint64(input, math.Float64bits(x))
		}
	}
	run := exec.Command(program, fmt.Sprint(i))
	run.Stdin = bytes.NewReader(input)
	out, err := run.Output()
	if err != nil {
		t.Fatalf("%s: %v", d.Name, err)
	}
	got := numbers(t, out)
	last := len(got) - 1
	if (got[last] == 1) != fits {
		t.Errorf("%s: C says %g, Go %v of the fit", d.Name, got[last], fits)
	}
	compare(t, d.Name, got[:last], slices.Concat(v.Commands...))
}

// The C of devices gives the parameters, standard deviations and forces of Go, to the bit, whatever their law. Each of
// them learns. Some come to a bound and go back from it, and some do not fit.
func TestDevicesInC(t *testing.T) {
	samples := rthstest.Draws(2400, 6000)
	var list []*Devices
	var want []*Vectors
	var fits []bool
	back := 0
	for _, name := range slices.Sorted(maps.Keys(laws())) {
		d, v, end := exported(t, name, samples, false, nil)
		list, want, fits = append(list, d), append(want, v), append(fits, end.Filter.White())
		if first, last := v.Commands[0], v.Commands[len(v.Commands)-1]; first[0] == last[0] {
			t.Errorf("%s: nothing was learned", name)
		}
		back += end.Filter.FellBack()
	}
	if back == 0 || !slices.Contains(fits, true) || !slices.Contains(fits, false) {
		t.Errorf("%d went back from a bound, fits %v: want some, of both", back, fits)
	}
	for _, cc := range compilers[:rthstest.Draws(1, 2)] {
		program := compiled(t, cc, list, brisk()...)
		for i, d := range list {
			asGo(t, program, i, d, want[i], fits[i])
		}
	}
}

// The table has every law of a device that can be learned.
func TestEveryLawThatLearns(t *testing.T) {
	has := map[reflect.Type]bool{}
	for _, made := range laws() {
		d := made()
		has[reflect.TypeOf(d.law)] = true
		if in, ok := d.law.(*device.Damped); ok {
			has[reflect.TypeOf(in.Law)] = true
		}
	}
	for _, k := range plant.Devices {
		m := k.Defaults()
		if bw, ok := m.(*plant.BoucWen); ok {
			bw.Mass = 0
		}
		law, numbers, err := plant.DeviceOf(m, true)
		if err != nil {
			t.Errorf("%s: %v", k.Name, err)
			continue
		}
		if in, ok := law.(*device.Damped); ok {
			law = in.Law
		}
		if len(numbers) > 0 && !has[reflect.TypeOf(law)] {
			t.Errorf("%s: the table has no %T: want one, and result/export/c", k.Name, law)
		}
	}
}

// So does the C of what was learned before, with more learning and without, which reads and writes its own memory only.
func TestDevicesInCLater(t *testing.T) {
	rthstest.Full(t) // like TestDevicesInC
	var list []*Devices
	var want []*Vectors
	var fits []bool
	for i, name := range slices.Sorted(maps.Keys(laws())) {
		_, _, before := exported(t, name, 3000, false, nil)
		d, v, end := exported(t, name, 3000, i%2 == 0, rths.AppendAdaptation(nil, before.Filter))
		list, want, fits = append(list, d), append(want, v), append(fits, end.Filter.White())
		if first, last := v.Commands[0], v.Commands[len(v.Commands)-1]; (first[0] == last[0]) != d.Frozen {
			t.Errorf("%s: %g, then %g", name, first[0], last[0])
		}
	}
	program := compiled(t, "gcc", list, "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
	for i, d := range list {
		asGo(t, program, i, d, want[i], fits[i])
	}
}

// Exp and Pow have the bits of package portable.
func TestPortableInC(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("want gcc installed")
	}
	dir := t.TempDir()
	program, source := filepath.Join(dir, "program"), filepath.Join(dir, "main.c")
	text := "#include <math.h>\n#include <stdbool.h>\n#include <stdio.h>\n" + read("base") + read("portable") + `
int main(void)
{
	double in[2];

	while (fread(in, sizeof in, 1, stdin) == 1) {
		double out[] = {rths_exp(in[1]), rths_pow(in[0], in[1])};

		fwrite(out, sizeof out, 1, stdout);
	}
	return 0;
}
`
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", append(append([]string{"-o", program, source}, flags...), "-Wno-unused-function",
		"-lm")...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	r := rand.New(rand.NewPCG(2, 43))
	pairs := [][2]float64{{0, 0.3}, {0, 2}, {0, -0.3}, {1, 7}, {2, 0}, {3, 1}, {2, 0.5}, {2, -0.5}, {0.7, 3}, {1e300, 2.5},
		{1e-300, 2.5}, {math.Inf(1), 0.4}, {2, math.Inf(1)}, {0.5, math.Inf(1)}, {3, 1e300}, {2, 800}, {2, -1080}, {2, -2000},
		{2, math.Inf(-1)}, {5, 709.9}, {5, 7000.5}}
	for range 5000 {
		pairs = append(pairs, [2]float64{math.Exp(20 * r.NormFloat64()), 20 * r.NormFloat64()})
	}
	var input []byte
	var want []float64
	for _, p := range pairs {
		input, _ = binary.Append(input, binary.LittleEndian, p)
		want = append(want, portable.Exp(p[1]), portable.Pow(p[0], p[1]))
	}
	compare(t, "gcc", inC(t, program, input), want)
}

// A program in C++ may include the header of devices.
func TestDevicesHeaderInCPlusPlus(t *testing.T) {
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("want g++ installed")
	}
	d, _, _ := exported(t, "branches", 10, false, nil)
	main := filepath.Join(t.TempDir(), "main.cpp")
	text := "static branches_t c;\nint main() {\nbranches_init(&c); branches_learn(&c, 0, 0, true);\n" +
		"branches_advance(&c, 2, 0);\nreturn branches_parameter(&c, 0) + branches_sd(&c, 1) + " +
		"branches_force(&c, 0, 0, 0) + branches_fits(&c) < 0; }\n"
	if err := os.WriteFile(main, []byte(rthstest.Must(d.C())["branches.h"]+text), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("g++", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", main).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// Names that are no words of C, parameters that are not of the law, and states too fast for the loop are refused.
func TestDevicesNotInC(t *testing.T) {
	d, _, _ := exported(t, "boucwen", 10, false, nil)
	d.Name = "two words"
	if _, err := d.C(); err == nil || !strings.Contains(err.Error(), "want a word of C") {
		t.Errorf("error %v", err)
	}
	d.Name, d.Group.Parameters[1].V = "elsewhere", new(float64)
	if _, err := d.C(); err == nil || !strings.Contains(err.Error(), "[1].V points at a number that has no place in C") {
		t.Errorf("error %v", err)
	}
	d.Name, d.Block.RateHz = "slow", 1e-3
	if _, err := d.C(); err == nil || !strings.Contains(err.Error(), "a higher rate") {
		t.Errorf("error %v", err)
	}
}
