package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"rths/kit/rthstest"
)

// The cases of data from laboratories and of OpenSees models have the values of their expect.md, or a refusal that
// names the remedy. The cases of ground motions are in package ground.
func TestSharedCases(t *testing.T) {
	dir := rthstest.Cases(t)
	for _, c := range []struct {
		args    []string
		delayMs float64
	}{
		{[]string{"identify", filepath.Join(dir, "daq-logger-text/chirp.txt"), "--rate", "1000", "--columns",
			"command=CHANNEL2[cm],measured=CHANNEL0[cm]"}, 20.5},
		{[]string{"identify", filepath.Join(dir, "daq-logger-text/cut.csv"), "--rate", "1000", "--columns",
			"command=CHANNEL2[cm],measured=CHANNEL0[cm]"}, 20.5},
		{[]string{"identify", filepath.Join(dir, "daq-logger-text/chirp.txt"), "--columns",
			"time=Date/Time,command=CHANNEL2[cm],measured=CHANNEL0[cm]"}, 20.5},
		{[]string{"judge", filepath.Join(dir, "lvm/test.lvm")}, 12},
		{[]string{"judge", filepath.Join(dir, "lvm/comma.lvm")}, 12},
		{[]string{"judge", filepath.Join(dir, "mat-v4-and-struct/judge-structure.mat"), "--unit", "mm",
			"--columns", "time=out.time,target=out.signals.values_1,measured=out.signals.values_2"}, 12},
	} {
		var out, errs bytes.Buffer
		status := run(append(c.args, "--json"), &out, &errs)
		var doc struct {
			Delay    float64            `json:"delay_ms"` // of identify
			Criteria map[string]float64 `json:"criteria"` // of judge
		}
		if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
			t.Fatalf("%v: %v\n%s", c.args, err, errs.String())
		}
		if got := doc.Delay + doc.Criteria["delay_ms"]; status != exitDone || math.Abs(got-c.delayMs) > 0.02 {
			t.Errorf("%v: exit status %d, %g ms: want %g ms\n%s", c.args, status, got, c.delayMs, errs.String())
		}
	}
	// 6.12 % is what OpenSees' own free decay of the model gives.
	dump, _ := exported(t, fmt.Sprintf("source {%s}", filepath.Join(dir, "modal-and-rayleigh/model.tcl")), 2)
	doc := importedFrom(t, dump, "--units", "kN-m")
	if got := doc.Modes[0].Ratio; math.Abs(got-0.0612) > 5e-5 || len(doc.Notes) == 0 ||
		math.Abs(doc.Masses[0]-40e3) > 1e-6 {
		t.Errorf("mode 1 is damped by %g, mass %g kg, notes %q: want 0.0612, 40 000 kg and a note on modal damping", got,
			doc.Masses, doc.Notes)
	}
}
