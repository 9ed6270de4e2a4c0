package rthstest

import (
	"slices"
	"testing"
	"time"

	"rths"
)

// InTurns measures two loops in one process: 512 ticks of the one, 512 of the other, so that
// whatever else the machine does hits both. It reports the median of all ratios, second over
// first, and the medians of a tick, ns, in the units given.
func InTurns(b *testing.B, turns int, units [2]string, made func() [2]*rths.Loop) {
	b.Helper()
	const turn = 512
	var times [2][]float64
	var ratios []float64
	for b.Loop() {
		loops := made()
		for range turns {
			for i, l := range loops {
				start := time.Now()
				for range turn {
					if err := l.Step(); err != nil {
						b.Fatal(err)
					}
				}
				times[i] = append(times[i], float64(time.Since(start).Nanoseconds())/turn)
			}
			ratios = append(ratios, times[1][len(ratios)]/times[0][len(ratios)])
		}
	}
	median := func(x []float64) float64 { slices.Sort(x); return x[len(x)/2] }
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(ratios), "ratio")
	for i, unit := range units {
		b.ReportMetric(median(times[i]), unit)
	}
}
