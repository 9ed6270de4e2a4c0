package analyse

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rths/result/tables"
)

func table(t *testing.T, text string) *tables.Table {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.csv")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := tables.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestNewIdentify(t *testing.T) {
	const text = "t,u,xm [mm],v\n0,1,100,5\n0.01,2,200,6\n0.02,3,300,7\n"
	for columns, want := range map[string][2]float64{ // last command and measurement, m
		"":                         {3, 0.3},
		"command=v":                {7, 0.3},
		"command=v[cm]":            {0.07, 0.3},
		"command=u[mm],measured=v": {0.003, 7},
		"time=t, measured=xm[um]":  {3, 300e-6},
	} {
		s, err := NewIdentify(table(t, text), columns, "", 0)
		if err != nil {
			t.Errorf("%q: %v", columns, err)
			continue
		}
		if math.Abs(s.Command[2]-want[0]) > 1e-12 || math.Abs(s.Measured[2]-want[1]) > 1e-12 || s.RateHz != 100 {
			t.Errorf("%q: %g, %g at %g Hz: want %g at 100", columns, s.Command[2], s.Measured[2], s.RateHz, want)
		}
	}
	for columns, want := range map[string]string{
		"force=u":             "want one of time, command, measured before =",
		"command=u,command=v": "command is given twice",
		"command=w":           "no column w: the file has t, u, xm, v",
		"measured=":           "want role=name",
		"time=u[s],command=v": "",
		"time=u,command=v":    "time: a step of 1 in column u, and no unit is stated: want one, as in --columns time=u[ms]",
	} {
		_, err := NewIdentify(table(t, text), columns, "", 0)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: error %v: want one that says %q", columns, err, want)
		}
	}
	if _, err := NewIdentify(table(t, "t,u,x,xm\n0,1,1,1\n1,2,2,2\n"), "", "", 0); err == nil ||
		!strings.Contains(err.Error(), "want --columns measured=NAME") {
		t.Errorf("error %v: want one about two measurements", err)
	}
	if s, err := NewIdentify(table(t, "u,x\n1,1\n2,2\n"), "", "mm", 50); err != nil || s.RateHz != 50 ||
		s.Command[1] != 2e-3 {
		t.Errorf("%+v, %v: want a rate without times, and mm", s, err)
	}
	// Times in ms, and a unit in the name of a column.
	s, err := NewIdentify(table(t, "clock,u_mm,x\n0,1,1\n10,2,2\n"), "time=clock[ms],command=u_mm", "", 0)
	if err != nil || s.RateHz != 100 || s.Command[1] != 2e-3 || s.Measured[1] != 2 {
		t.Errorf("%+v, %v: want 100 Hz, mm and m", s, err)
	}
}

// The file of a data logger: a heading, remarks in one row, cm.
func TestIdentifyADataLogger(t *testing.T) {
	table, err := tables.Read("../../../shared/cases/daq-logger-text/chirp.txt")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewIdentify(table, "command=CHANNEL2[cm],measured=CHANNEL0[cm]", "", 1000)
	if err != nil {
		t.Fatal(err)
	}
	if out := identified(t, s); len(s.Command) != 8000 || math.Abs(out.DelayMS-20.5) > 0.02 ||
		math.Abs(out.DiscreteMS-20.5) > 0.02 || math.Abs(out.Gain-1) > 1e-3 {
		t.Errorf("%d samples, delay %.3f and %.3f ms, gain %.4f: want 8000, 20.5 and 1", len(s.Command), out.DelayMS,
			out.DiscreteMS, out.Gain)
	}
}
