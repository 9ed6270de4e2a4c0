package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"rths/kit/rthstest"
	"rths/model/foreign"
	"rths/result/record"
)

const judgedScenario = `name: judged
rate_hz: 4096
duration_s: 5
ground: {kind: clough-penzien, duration_s: 3, pga_g: 0.1}
structure: {kind: silva2020, case: 1}
specimen: {kind: silva2020}
transfer: {kind: silva2020}
sensors: {displacement_noise: 16e-6, force_noise: 2.18}
compensator: {kind: pi}
criteria: {fei: true}
`

// call runs a command and decodes the document it prints.
func call(t *testing.T, v any, args ...string) {
	t.Helper()
	var out, errs bytes.Buffer
	if status := run(append(args, "--json"), &out, &errs); status != exitDone {
		t.Fatalf("rths %v: status %d, %s", args, status, errs.String())
	}
	if err := json.Unmarshal(out.Bytes(), v); err != nil {
		t.Fatalf("rths %v: %v", args, err)
	}
}

// A run judged from any of its exports gets the tracking criteria of the run, to the last
// bit; the index of the whole record agrees with the index of the block means but for the
// noise.
func TestJudgeAgreesWithTheRun(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("judged.yaml", []byte(judgedScenario), 0o644); err != nil {
		t.Fatal(err)
	}
	var ran struct{ Criteria map[string]float64 }
	call(t, &ran, "run", "judged.yaml", "--out", "run", "--csv", "--parquet", "--mat")
	for _, file := range []string{"run", "run/frames.arrow", "run/frames.csv", "run/frames.parquet", "run/frames.mat"} {
		var judged struct{ Criteria map[string]float64 }
		call(t, &judged, "judge", file)
		for _, name := range []string{"J1_ms", "J2_pct", "J3_pct", "delay_ms", "nrmse_pct", "peak_centred_pct"} {
			got, ok := judged.Criteria[name]
			if want := ran.Criteria[name]; !ok || want == 0 || got != want {
				t.Errorf("%s: %s = %.17g: want %.17g", file, name, got, want)
			}
		}
		for name, tol := range map[string]float64{"FEI_A": 1e-3, "FEI_delay_ms": 0.05, "FEI_f_eq_hz": 0.05} {
			if got, want := judged.Criteria[name], ran.Criteria[name]; !(got-want < tol && want-got < tol) {
				t.Errorf("%s: %s = %g: want %g within %g", file, name, got, want, tol)
			}
		}
	}
	checkMAT(t, "run")
}

// checkMAT reads the MATLAB export with the reader of ground motions.
func checkMAT(t *testing.T, dir string) {
	t.Helper()
	file, err := os.Open(filepath.Join(dir, record.MATFile))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	vectors := rthstest.Must(foreign.ReadMATVectors(file, rthstest.Must(file.Stat()).Size(), record.MATFile))
	values := rthstest.Must(vectors.Values())
	a, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(vectors.List) != len(a.Columns) {
		t.Fatalf("%d vectors: want %d", len(vectors.List), len(a.Columns))
	}
	for i, c := range a.Columns {
		want, _ := a.Column(c.Name)
		for k, got := range values[i] {
			if got != want[k] {
				t.Fatalf("%s for %s: value %d is %g: want %g", vectors.List[i].Name, c.Name, k, got, want[k])
			}
		}
	}
}
