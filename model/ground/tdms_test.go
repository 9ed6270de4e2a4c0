package ground

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

// The sample of testdata, which a program in Python has written: its formula, and channels that are asked for.
func TestReadTDMS(t *testing.T) {
	f, _ := byExtension("a.tdms")
	_, data := sample(t, f)
	m, err := ReadTDMS(bytes.NewReader(data), "x", Want{})
	if err != nil || len(m.A) != 120 || math.Abs(m.Dt-0.01) > 1e-15 || len(m.Notes) != 0 {
		t.Fatalf("%d samples every %g s, %q, %v", len(m.A), m.Dt, m.Notes, err)
	}
	for k, a := range m.A {
		if want := 3 * math.Sin(0.3*float64(k)) * math.Exp(-float64(k)/40); math.Abs(a-want) > 1e-13 {
			t.Fatalf("sample %d: %g m/s²: want %g", k+1, a, want)
		}
	}
	for want, message := range map[Want]string{
		{Part: "Load"}:          `channel Load: title "Load [kN]": want accelerations: this is another quantity`,
		{Part: "acc"}:           `channel "acc": want one of the file's channels: Load, Acc`,
		{Unit: "g"}:             `unit "g": the title line says gal`,
		{Dt: 0.02, Part: "Acc"}: "a step of 0.02 s is stated",
	} {
		if _, err := ReadTDMS(bytes.NewReader(data), "x", want); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%+v: %v: want %s", want, err, message)
		}
	}
	// Another unit in the file, of as many letters; without a step the user states it.
	if _, err := ReadTDMS(bytes.NewReader(bytes.Replace(data, []byte("gal"), []byte("rad"), 1)), "x", Want{Part: "Acc"}); err == nil {
		t.Error("rad: want an error")
	}
	bare := bytes.ReplaceAll(data, []byte("wf_increment"), []byte("wf_incremenT"))
	if _, err := ReadTDMS(bytes.NewReader(bare), "x", Want{}); err == nil || !strings.Contains(err.Error(), "dt_s") {
		t.Errorf("no step: %v", err)
	}
	if m, err := ReadTDMS(bytes.NewReader(bare), "x", Want{Dt: 0.02}); err != nil || math.Abs(m.Dt-0.02) > 1e-15 {
		t.Errorf("a stated step: %g, %v", m.Dt, err)
	}
}
