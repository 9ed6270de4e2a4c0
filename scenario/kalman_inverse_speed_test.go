package scenario_test

import (
	"slices"
	"testing"
	"time"

	"rths"
	"rths/scenario"
)

// BenchmarkKalmanInverse is a tick of the single-actuator benchmark with kalman-inverse and with
// amb, in turn for 512 ticks each, so that whatever else the machine does hits both. The ratio is
// the median of all pairs.
func BenchmarkKalmanInverse(b *testing.B) {
	newLoop := func(kind string) *rths.Loop {
		s, err := scenario.Shipped("benchmark-siso.yaml", "ground={kind: clough-penzien, duration_s: 40, pga_g: 0.15}", "limits=none", "compensator=", "compensator.kind="+kind)
		if err != nil {
			b.Fatal(err)
		}
		run, err := s.Build(scenario.Options{})
		if err != nil {
			b.Fatal(err)
		}
		return run.Loop
	}
	const turn = 512
	var times [2][]float64
	var ratios []float64
	for b.Loop() {
		loops := [2]*rths.Loop{newLoop("amb"), newLoop("kalman-inverse")}
		for range 200 {
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
	b.ReportMetric(median(times[0]), "ns/amb-tick")
	b.ReportMetric(median(times[1]), "ns/kalman-inverse-tick")
}
