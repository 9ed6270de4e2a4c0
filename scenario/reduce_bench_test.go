package scenario_test

import (
	"testing"

	"rths/kit/rthstest"
	"rths/scenario"
)

// BenchmarkReducedTick is a tick of a whole loop, with criteria, limits and reference response, on a foundation of 27
// 048 degrees of freedom reduced to 41: with a linear specimen, whose reference is one product, and with the frame of
// Zhu et al. 2014, whose reference is integrated together with it in sub-steps.
func BenchmarkReducedTick(b *testing.B) {
	common := []string{"rate_hz=4096", "structure={kind: fe-foundation, elements_x: 148, elements_y: 92}",
		"reduce={modes: 40, up_to_hz: 25}", "duration_s=60",
		"transfer={kind: second-order, omega_rad_s: 150, damping_ratio: 0.8, stroke_m: 0.5, rate_m_s: 5}", "limits="}
	for name, sets := range map[string][]string{
		"linear": {"interface_motion=relative", "sensors={force_gain: 1}",
			"specimen={kind: linear, mass: 10, damping: 1e3, stiffness: 1e7}"},
		"frame": nil,
	} {
		b.Run(name, func(b *testing.B) {
			r := rthstest.Must(rthstest.Must(scenario.Shipped("soil-structure.yaml",
				append(common, sets...)...)).Build(b.Context(), scenario.Options{}))
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				if r.Loop.Done() {
					b.Fatal("the run is over: want -benchtime of at most 200000x")
				}
				if err := r.Loop.Step(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
