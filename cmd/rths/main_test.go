package main

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"rths": main})
}

// The scripts under testdata are how the commands are used; read them as a
// manual.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars, "RTHS_RECORDS="+os.Getenv("RTHS_RECORDS"))
			return nil
		},
		Condition: func(cond string) (bool, error) {
			return cond == "records" && os.Getenv("RTHS_RECORDS") != "", nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"frame": writeFrame},
	})
}

// writeFrame is the command frame N FILE: a scenario too long for a script.
func writeFrame(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	list := func(v string) string { return "[" + strings.Repeat(v+", ", n-1) + v + "]" }
	text := "name: frame\nrate_hz: 1024\n" +
		"ground: {kind: sine, duration_s: 0.5, frequency_hz: 2, amplitude_m_s2: 1}\n" +
		"structure: {kind: shear, masses: " + list("1000") + ", stiffnesses: " + list("1e8") + ", damping: {rayleigh: {ratio: 0.02, freq_hz: [1, 10]}}}\n" +
		"integrator: {kind: central-difference}\n" +
		"specimen: {kind: linear, mass: 20, damping: 300, stiffness: 1e5}\n" +
		"transfer: {kind: second-order, omega_rad_s: 150, damping_ratio: 0.8}\n"
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o644))
}
