package papers

import (
	"math"
	"runtime"
	"testing"
	"time"
)

// The 12 nominal and 240 perturbed runs of paper 002 in one go, against the 12
// nominal ones one after the other, as time per run and core.
func BenchmarkPaper002(b *testing.B) {
	s, lab := newSISO(), lab(b)
	s.Compensators = []string{"kf-table5"}
	perRun := func(workers, perturbed int) float64 {
		lab.Workers, s.Perturbed = workers, perturbed
		start := time.Now()
		if _, err := s.rows(b.Context(), lab); err != nil {
			b.Fatal(err)
		}
		return time.Since(start).Seconds() * 1e3 * float64(workers) / float64(12*(1+perturbed))
	}
	single, all := math.Inf(1), math.Inf(1) // the least disturbed of each
	for b.Loop() {
		single = min(single, perRun(1, 0))
		all = min(all, perRun(runtime.GOMAXPROCS(0), 20))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(single, "single-ms/run")
	b.ReportMetric(all, "all-ms/run/core")
	b.ReportMetric(all/single, "ratio")
}
