package scenario_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/scenario"
)

// A scenario that is written into another folder reads the same files as before: motion, force
// history and matrices.
func TestFilesOfAMovedScenario(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"in/data/quake.csv": "time_s,accel_m_s2\n0,0\n0.01,0.5\n0.02,-0.25\n0.03,0\n",
		"in/push.csv":       "time_s,force_N\n0,0\n0.01,3\n0.02,0\n",
		"mass.csv":          "2000\n",
		"in/frame.yaml": `
name: frame
rate_hz: 1024
duration_s: 0.05
ground: {file: data/quake.csv}
forces: [{dof: 1, history: {file: push.csv}}]
structure: {kind: matrices, mass: {file: ../mass.csv}, damping: {modal_ratio: [0.05]}, stiffness: [[8000]]}
specimen: {kind: linear, stiffness: 8000}
transfer: {kind: ideal}
limits: none
`,
		"out/deep/x": "",
	} {
		rthstest.Must(0, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777))
		rthstest.Must(0, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	before := rthstest.Must(scenario.Load(filepath.Join(dir, "in/frame.yaml"), nil))
	text := rthstest.Must(before.YAMLIn(filepath.Join(dir, "out/deep")))
	for _, want := range []string{"file: ../../in/data/quake.csv", "file: ../../in/push.csv", "file: ../../mass.csv"} {
		if strings.Count(text, want) != 1 {
			t.Errorf("found no %s in\n%s", want, text)
		}
	}
	path := filepath.Join(dir, "out/deep/moved.yaml")
	rthstest.Must(0, os.WriteFile(path, []byte(text), 0o666))
	x, y := rthstest.Must(before.Build(t.Context(), scenario.Options{})),
		rthstest.Must(rthstest.Must(scenario.Load(path, nil)).Build(t.Context(), scenario.Options{}))
	for !x.Loop.Done() {
		rthstest.Must(0, x.Loop.Step())
		rthstest.Must(0, y.Loop.Step())
		if a, b := x.Loop.Frame(), y.Loop.Frame(); a.Target.X[0] != b.Target.X[0] || a.Force[0] != b.Force[0] {
			t.Fatalf("tick %d: target %g and %g m", a.K, a.Target.X[0], b.Target.X[0])
		}
	}
	if again := rthstest.Must(before.YAML()); !strings.Contains(again, "file: data/quake.csv") {
		t.Error("the scenario itself has moved")
	}
}
