package scenario_test

import (
	"math"
	"testing"

	"rths/method/kalman"
	"rths/scenario"
)

// kalman-inverse starts at the pure delay of the transfer system, as rths identify prints it, and
// takes the rest of it for the bare plant. With an inner loop around it the fitted inverse has the
// delay, and δ starts at 0.
func TestKalmanInverseStartsAtTheDelayOfTheTransferSystem(t *testing.T) {
	for _, tc := range []struct {
		sets  []string
		delay float64 // s
		b1    float64 // s
	}{
		{[]string{"transfer={kind: tf, num: [1], den: [0.0001, 0.02, 1], delay_ms: 6}"}, 6e-3, 0.02},
		{[]string{"transfer={kind: delay, delay_ms: 4}"}, 4e-3, 0},
		{[]string{"transfer={kind: first-order, tau_ms: 20}"}, 0, 0.02},
		{[]string{"transfer={kind: tf, num: [1], den: [0.02, 1], delay_ms: 6}", "inner_loop={kp: 1}"}, 0, math.NaN()},
	} {
		s, err := parse(small, append(tc.sets, "compensator={kind: kalman-inverse}", "rate_hz=2048")...)
		if err != nil {
			t.Fatal(err)
		}
		run, err := s.Build(t.Context(), scenario.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := run.Loop.Step(); err != nil {
			t.Fatal(err)
		}
		delay := math.NaN()
		for _, c := range run.Channels {
			if c.Name == "delay" {
				delay = *c.V
			}
		}
		if math.Abs(delay-tc.delay) > 1e-6 {
			t.Errorf("%v: δ starts at %g s, want %g", tc.sets, delay, tc.delay)
		}
		bare := run.Scenario.Compensator.Params.(*kalman.Inverse).Bare
		if !math.IsNaN(tc.b1) && math.Abs(bare[1]-tc.b1) > 1e-12 {
			t.Errorf("%v: bare %v, want b1 %g", tc.sets, bare, tc.b1)
		}
	}
}

// With a pure delay of 10 ms that the transfer system declares, the loop stays stable with plants
// of order 0, 1 and 2: E raises fast motion by no more than the force of the specimen allows. J2 is a mean of three
// seeds: single ones scatter by a tenth.
func TestKalmanInverseBehindADeclaredDelay(t *testing.T) {
	for _, transfer := range []string{
		"{kind: delay, delay_ms: 10}",
		"{kind: tf, num: [1], den: [0.02, 1], delay_ms: 10}",
		"{kind: tf, num: [1], den: [0.0001, 0.02, 1], delay_ms: 10}",
	} {
		for _, partition := range []string{"1", "4"} {
			mean := 0.0
			for _, seed := range []string{"1", "2", "3"} {
				mean += trueJ2(t, "benchmark-siso.yaml", "ground={kind: clough-penzien, duration_s: 20, pga_g: 0.15}",
					"limits=none", "structure.case="+partition, "compensator={kind: kalman-inverse}", "transfer="+transfer,
					"seed="+seed) / 3
			}
			if !(mean < 1) {
				t.Errorf("%s, case %s: mean J2 %.3g %%, want below 1", transfer, partition, mean)
			}
		}
	}
}

// trueJ2 runs a shipped scenario to its end and returns J2_true, %.
func trueJ2(t *testing.T, file string, sets ...string) float64 {
	t.Helper()
	s, err := scenario.Shipped(file, sets...)
	if err != nil {
		t.Fatal(err)
	}
	run, err := s.Build(t.Context(), scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Loop.Run(0, nil); err != nil {
		t.Fatalf("%v: %v", sets, err)
	}
	for _, v := range run.Summary() {
		if v.Name == "J2_true_pct" {
			return v.V
		}
	}
	t.Fatalf("%v: no J2_true_pct", sets)
	return 0
}
