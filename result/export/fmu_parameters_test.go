package export

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// parametersOfFMU is a master in C: two instances, one of which gets a value that no limit has.
const parametersOfFMU = `
#include <stdio.h>
#include <stdlib.h>
#include "x_fmi2.c"

static fmi2CallbackFunctions callbacks = {NULL, calloc, free, NULL, NULL};
static const double wrong[] = {0, -0.1, NAN, INFINITY};

static struct fmu *instance(void)
{
	return x_fmi2Instantiate("a", fmi2CoSimulation, GUID, "", &callbacks, 0, 0);
}

int main(void)
{
	int bad = 0;
	unsigned vr, k;
	double start[2];
	fmi2ValueReference command[2] = {SETTABLE, SETTABLE + 1};

	for (vr = SETTABLE - PARAMETERS; vr < SETTABLE; vr++) {
		for (k = 0; k < 4; k++) {
			struct fmu *m = instance();

			bad += x_fmi2SetReal(m, &vr, 1, &wrong[k]) != fmi2OK;
			if (x_fmi2ExitInitializationMode(m) != fmi2Error) {
				printf("parameter %u takes %g\n", vr, wrong[k]);
				bad++;
			}
			bad += x_fmi2Reset(m) != fmi2OK || x_fmi2ExitInitializationMode(m) != fmi2OK;
			x_fmi2FreeInstance(m);
		}
	}
	{
		struct fmu *m = instance();

		bad += x_fmi2GetReal(m, command, 2, start) != fmi2OK || start[0] != 0.005 || start[1] != -0.004;
		x_fmi2FreeInstance(m);
	}
	printf("%d wrong\n", bad);
	return bad != 0;
}
`

// A limit that is 0, negative or no number would let commands run away: the FMU refuses it. Before the first step the
// command is where the rig stands. The functions take the prefix of the standard.
func TestFMURefusesLimits(t *testing.T) {
	s := Source{Name: "x", Title: "test", Program: "test", Compensator: passing(t), RateHz: 1000, Axes: 2,
		Limits: &Limits{Stroke: 0.1, Rate: 0.5, Position: 0.1, Jump: 5, Start: []float64{0.005, -0.004}}}
	if out, err := master(t, s); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// master compiles the master with the sources of an FMU, and runs it.
func master(t *testing.T, s Source) ([]byte, error) {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("want gcc installed")
	}
	content, err := FMU(s)
	if err != nil {
		t.Fatal(err)
	}
	content["sources/main.c"] = parametersOfFMU
	dir := t.TempDir()
	for name, text := range content {
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(dir, "program")
	args := []string{"-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-DFMI2_FUNCTION_PREFIX=x_", "-o", program,
		filepath.Join(dir, "main.c"), filepath.Join(dir, "x.c"), "-lm"}
	if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		return out, err
	}
	return exec.Command(program).CombinedOutput()
}
