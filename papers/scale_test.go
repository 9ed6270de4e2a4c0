package papers

import (
	"context"
	"errors"
	"testing"
	"time"
)

// The rows are those of the meshes; larger ones take longer. The times
// themselves are the machine's.
func TestScale(t *testing.T) {
	s := &Scale{Meshes: ScaleMeshes, MaxDOF: 1240, Measure: 20 * time.Millisecond}
	out, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if out.Name != "scale" || len(out.Rows) != 2 {
		t.Fatalf("suite %q of %d rows: want scale, 2", out.Name, len(out.Rows))
	}
	for i, want := range [][2]int{{234, 21}, {1240, 43}} {
		row := out.Rows[i]
		if row.Get("dof") != want[0] || row.Get("half_bandwidth") != want[1] {
			t.Errorf("row %v: want %d degrees of freedom, half bandwidth %d", row, want[0], want[1])
		}
		step, rate := row.Float("step_us"), row.Float("max_rate_hz")
		if !(step > 0 && rate <= 1e6/step && rate > 1e6/step-1 && row.Float("median_us") >= step) {
			t.Errorf("row %v: want a positive time and its rate", row)
		}
	}
	if !(out.Rows[1].Float("step_us") > 2*out.Rows[0].Float("step_us")) {
		t.Errorf("%g µs for 234 and %g µs for 1240 degrees of freedom: want more", out.Rows[0].Float("step_us"), out.Rows[1].Float("step_us"))
	}
	s.MaxDOF = 100
	if _, err := s.Run(context.Background()); err == nil || err.Error() != "scale: no mesh of at most 100 degrees of freedom: want 234 or more" {
		t.Errorf("error %v: want that no mesh is so small", err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("enough"))
	if _, err := s.Run(ctx); err == nil || err.Error() != "enough" {
		t.Errorf("error %v: want that of the context", err)
	}
}

// What is asked of it: 1240 degrees of freedom in at most 100 µs on one core.
// A target of speed, run by `go test -bench Scale ./papers` on a quiet machine.
func BenchmarkScale(b *testing.B) {
	s := &Scale{Meshes: ScaleMeshes, MaxDOF: 20000, Measure: time.Second}
	for b.Loop() {
		out, err := s.Run(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(out.Rows[1].Float("step_us"), "µs/step-of-1240")
	}
}
