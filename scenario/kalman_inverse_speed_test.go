package scenario_test

import (
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/scenario"
)

// BenchmarkKalmanInverse is a tick of the single-actuator benchmark with kalman-inverse and with
// amb.
func BenchmarkKalmanInverse(b *testing.B) {
	newLoop := func(kind string) *rths.Loop {
		s, err := scenario.Shipped("benchmark-siso.yaml", "ground={kind: clough-penzien, duration_s: 40, pga_g: 0.15}",
			"limits=none", "compensator=", "compensator.kind="+kind)
		if err != nil {
			b.Fatal(err)
		}
		run, err := s.Build(b.Context(), scenario.Options{})
		if err != nil {
			b.Fatal(err)
		}
		return run.Loop
	}
	rthstest.InTurns(b, 200, [2]string{"ns/amb-tick", "ns/kalman-inverse-tick"}, func() [2]*rths.Loop {
		return [2]*rths.Loop{newLoop("amb"), newLoop("kalman-inverse")}
	})
}
