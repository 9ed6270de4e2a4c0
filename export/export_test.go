package export

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"rths"
	"rths/compensate"
	"rths/scenario"
)

// tick is what a compensator gets in a sample.
type tick struct {
	target rths.Motion
	read   rths.Reading
}

// stream is the motion of a run: targets and readings.
type stream []tick

func (s *stream) Observe(f *rths.Frame) {
	clone := func(v []float64, n int) []float64 { return append(make([]float64, 0, n), v...) }
	t := tick{rths.Motion{X: clone(f.Target.X, 4), V: clone(f.Target.V, 4), A: clone(f.Target.A, 4)}, rths.Reading{Motion: rths.Motion{X: clone(f.Read.X, 4)}, F: clone(f.Read.F, 4), Age: f.Read.Age, Late: f.Read.Late}}
	*s = append(*s, t)
}

// commands are those of a Go object.
func (s stream) commands(c rths.Compensator, axes int) (out []float64) {
	command := make([]float64, axes)
	for i := range s {
		c.Step(command, &s[i].target, &s[i].read)
		out = append(out, command...)
	}
	return out
}

// bytes are the inputs for the program of a test.
func (s stream) bytes(axes, forces int) []byte {
	var b bytes.Buffer
	put := func(v []float64, n int) {
		for i := range n {
			x := 0.0
			if i < len(v) {
				x = v[i]
			}
			binary.Write(&b, binary.LittleEndian, x)
		}
	}
	for _, t := range s {
		put(t.target.X, axes)
		put(t.target.V, axes)
		put(t.target.A, axes)
		put(t.read.X, axes)
		put(t.read.F, forces)
		late := 0.0
		if t.read.Late {
			late = 1
		}
		put([]float64{float64(t.read.Age), late}, 2)
	}
	return b.Bytes()
}

// harness reads inputs and writes commands.
const harness = `#include <stdio.h>
#include "x.h"
static x_t c;
int main(void)
{
	double in[4 * X_AXES + X_FORCES + 2], out[X_AXES];
	x_input i;
	int k;
	x_init(&c);
	while (fread(in, sizeof in, 1, stdin) == 1) {
		const double *p = in;
		for (k = 0; k < X_AXES; k++) i.target[k] = *p++;
		for (k = 0; k < X_AXES; k++) i.velocity[k] = *p++;
		for (k = 0; k < X_AXES; k++) i.acceleration[k] = *p++;
		for (k = 0; k < X_AXES; k++) i.measured[k] = *p++;
		for (k = 0; k < X_FORCES; k++) i.force[k] = *p++;
		i.age = (int)*p++;
		i.late = *p != 0;
		x_step(&c, &i, out);
		fwrite(out, sizeof out, 1, stdout);
	}
	return 0;
}
`

// flags are those of every build.
var flags = []string{"-std=c99", "-O2", "-ffp-contract=off", "-Wall", "-Wextra", "-Wpedantic", "-Werror"}

// build compiles an export with a compiler.
func build(t *testing.T, cc string, s Source, more ...string) string {
	t.Helper()
	dir := t.TempDir()
	s.Name = "x"
	files, err := C(s)
	if err != nil {
		t.Fatal(err)
	}
	files["main.c"] = harness
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(dir, "program")
	args := append(append([]string{"-o", program, filepath.Join(dir, "x.c"), filepath.Join(dir, "main.c")}, flags...), more...)
	if out, err := exec.Command(cc, append(args, "-lm")...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s\n%s", cc, err, out, files["x.c"])
	}
	return program
}

// inC runs the program of an export.
func inC(t *testing.T, program string, input []byte) []float64 {
	t.Helper()
	run := exec.Command(program)
	run.Stdin = bytes.NewReader(input)
	var errs bytes.Buffer
	run.Stderr = &errs
	out, err := run.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	values := make([]float64, len(out)/8)
	if err := binary.Read(bytes.NewReader(out), binary.LittleEndian, values); err != nil {
		t.Fatal(err)
	}
	return values
}

// The C of a method gives the commands of the Go object to the bit, over the motion of a run.
func TestCIsGo(t *testing.T) {
	for _, kind := range compensate.Kinds {
		t.Run(kind.Name, func(t *testing.T) {
			sets := []string{"compensator={kind: " + kind.Name + "}", "ground={kind: clough-penzien, duration_s: 5}", "limits=none", "rate_hz=4096"}
			s, err := scenario.Shipped("benchmark-siso.yaml", sets...)
			if err != nil {
				t.Skip(err)
			}
			run, err := s.Build(scenario.Options{})
			if err != nil {
				t.Skip(err)
			}
			fresh, err := s.Build(scenario.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var motion stream
			run.Loop.Attach(&motion)
			_ = run.Loop.Run(0, nil) // a run that diverges is a test all the same
			source := Source{Name: "x", Title: "test", Program: "test", Compensator: fresh.Compensator(), RateHz: 4096, Axes: 1, Forces: 1}
			program := build(t, "gcc", source)
			got := inC(t, program, motion.bytes(1, 1))
			want := motion.commands(fresh.Compensator(), 1)
			compare(t, got, want)
		})
	}
}

func compare(t *testing.T, got, want []float64) {
	t.Helper()
	if len(got) != len(want) || len(want) == 0 {
		t.Fatalf("%d commands of C, %d of Go", len(got), len(want))
	}
	for i := range got {
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
			t.Fatalf("command %d: C %v, Go %v", i, got[i], want[i])
		}
	}
}

var _ = fmt.Sprint
