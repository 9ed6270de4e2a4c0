package papers

import (
	"context"
	"errors"
	"testing"
	"time"

	"rths/campaign/suite"
)

// The rows are the meshes. How long a step takes is the machine's matter.
func TestScale(t *testing.T) {
	s := &Scale{MaxDOF: 1240, measure: time.Millisecond}
	rows, err := s.rows(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 2 {
		t.Fatalf("%d rows: want 2", len(rows))
	}
	for i, want := range [][2]int{{234, 21}, {1240, 43}} {
		row := rows[i]
		if row.DOF != want[0] || row.Band != want[1] {
			t.Errorf("row %v: want %d degrees of freedom, half bandwidth %d", row, want[0], want[1])
		}
		if step, rate := row.StepUs, row.MaxRate; !(step > 0 && rate <= 1e6/step && rate > 1e6/step-1 &&
			row.MedianUs >= step) {
			t.Errorf("row %v: want a positive time and its rate", row)
		}
	}
	s.MaxDOF = 100
	if _, err := s.Run(t.Context(), suite.Lab{}); err == nil ||
		err.Error() != "no mesh of at most 100 degrees of freedom: want 234 or more" {
		t.Errorf("error %v: want that no mesh is so small", err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("enough"))
	if _, err := s.Run(ctx, suite.Lab{}); err == nil || err.Error() != "enough" {
		t.Errorf("error %v: want the context's", err)
	}
}

// What is asked of it: 1240 degrees of freedom in at most 100 µs on one core.
// A target of speed, run by `go test -bench Scale ./campaign/papers` on a quiet machine.
func BenchmarkScale(b *testing.B) {
	s := &Scale{MaxDOF: 20000, measure: time.Second}
	for b.Loop() {
		rows, err := s.rows(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(rows[1].StepUs, "µs/step-of-1240")
	}
}
