package report

import (
	"path/filepath"
	"testing"

	"rths"
	"rths/result/record"
)

// Of several actuators measured_m is a channel of the guard, the largest of all; the first
// actuator's column is measured_1_m.
func TestFirstOfSeveralActuators(t *testing.T) {
	largest := 0.0
	for axes, want := range map[int]string{1: "measured_m", 2: "measured_1_m"} {
		f := &rths.Frame{Desired: make([]float64, axes), Read: rths.NewReading(axes, axes), Command: make([]float64, axes)}
		var channels []rths.Channel
		if axes > 1 {
			channels = []rths.Channel{{Name: "measured_m", Unit: "m", V: &largest}}
		}
		dir := filepath.Join(t.TempDir(), "run")
		m := record.Manifest{Name: "first", RateHz: 1024, Samples: 2, Status: rths.Completed}
		w, err := record.NewRecorder(dir, m, f, channels)
		if err != nil {
			t.Fatal(err)
		}
		w.Observe(f)
		if err := w.Close(m); err != nil {
			t.Fatal(err)
		}
		a, err := record.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		s := newSource(a)
		if got, n := s.numbered("measured", "m", 0), s.count("measured", "m"); got != want || n != axes {
			t.Errorf("%d actuators: the first is %s of %d: want %s of %d", axes, got, n, want, axes)
		}
	}
}
