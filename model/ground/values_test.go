package ground

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rths/scenario/files"
)

func TestReadValues(t *testing.T) {
	for text, want := range map[string][]float64{
		"1\n-2\n3\n":                      {1, -2, 3},
		"accel_g\n1\n2\n":                 {StandardGravity, 2 * StandardGravity},
		"# OpenSees\n 1 2 3\n4 5 6\n\n7 ": {1, 2, 3, 4, 5, 6, 7},
		"1.,2\n0,4\n":                     {1, 2, 0, 4}, // the first of a line does not increase
		"1 2":                             {1, 2},
	} {
		m, err := ReadCSV(strings.NewReader(text), "x", Want{Dt: 0.005})
		if err != nil || m.Dt != 0.005 || !slices.Equal(m.A, want) ||
			(len(m.Notes) == 0) != strings.HasPrefix(text, "accel") {
			t.Errorf("%q: %v every %g s, notes %q, %v: want %v", text, m.A, m.Dt, m.Notes, err, want)
		}
	}
	m, err := ReadCSV(strings.NewReader("1\n2"), "x", Want{Dt: 0.01, Unit: "gal"})
	if err != nil || m.A[1] != 0.02 || len(m.Notes) > 0 {
		t.Errorf("in gal: %v, %v", m, err)
	}
}

func TestReadValuesErrors(t *testing.T) {
	for _, c := range []struct {
		text string
		dt   float64
		unit string
		want string
	}{
		{"1\n2", 0, "",
			"x: line 1: found one column, want time and acceleration; accelerations alone need their time step (dt_s"},
		{"1\n2", -0.01, "", "x: time step -0.01 s: want"},
		{"1", 0.01, "", "x: too few points: found 1"},
		{"", 0.01, "", "x: too few points: found 0"},
		{"0 1\n0.01 2\n0.02 1\n", 0.02, "", "x: two columns or more of which the first goes from 0 to 0.02"},
		{"1\nfoo\n", 0.01, "", `x: line 2: found "foo", want a number`},
		{"1\nnan\n", 0.01, "", "x: line 2: found nan, want a finite number"},
		{"1\n1e308\n", 0.01, "g", "x: value 2: want a finite acceleration"},
		{"1\n2\n", 0.01, "foo", `unit "foo": want one of cm/s2`},
		{"accel_g\n1\n2\n", 0.01, "gal", "the title line says g"},
	} {
		_, err := ReadCSV(strings.NewReader(c.text), "x", Want{Dt: c.dt, Unit: c.unit})
		wantInError(t, err, c.want)
	}
}

// A scenario says the step by dt_s, for text files only.
func TestStepOfValues(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.txt": "1\n2\n", "b.at2": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	at := At{Files: files.Disk{}, BaseDir: dir, RateHz: 100}
	m, err := (&File{File: "a.txt", Conditioning: Conditioning{Scale: 1, Dt: 0.02}}).Motion(at)
	if err != nil || m.Dt != 0.02 || len(m.A) != 2 {
		t.Errorf("%+v, %v", m, err)
	}
	_, err = (&File{File: "a.txt", Conditioning: asRecorded}).Motion(at)
	wantInError(t, err, "found one column, want time and acceleration; accelerations alone need their time step (dt_s")
	_, err = (&File{File: "b.at2", Conditioning: Conditioning{Scale: 1, Dt: 0.02}}).Motion(at)
	wantInError(t, err, "dt_s 0.02: want none")
	_, err = (&File{File: "a.txt", Conditioning: Conditioning{Scale: 1, Dt: -1}}).Motion(at)
	wantInError(t, err, "dt_s -1: want 0")
}

func FuzzReadValues(f *testing.F) {
	f.Add("accel_g\n1 2\n-3 4\n", 0.01, "")
	f.Add("0 1\n0.01 2\n", 0.01, "2")
	f.Add("3 0.01\n1 2\n3\n", 0.0, "")
	f.Add("time,NS (g),EW [g]\n0,1,2\n0.01,1,2\n0.02,1,2\n", 0.01, "ns")
	f.Add("NPTS= 3, DT= .01\n1\n2\n3\n", 0.0, "")
	f.Fuzz(func(t *testing.T, text string, dt float64, column string) {
		m, err := ReadCSV(strings.NewReader(text), "fuzz", Want{Dt: dt, Column: column})
		soundMotion(t, m, err)
		if err == nil && dt != 0 && !sameStep(m.Dt, dt) && m.T0 == 0 {
			t.Fatalf("%d samples every %g s, asked for %g s", len(m.A), m.Dt, dt)
		}
	})
}

func wantInError(t *testing.T, err error, part string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("error %v: want one that says %q", err, part)
	}
}
