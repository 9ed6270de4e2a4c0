package export

import (
	"math"
	"testing"

	"rths"
)

// An age that a controller counts up to the largest int, or sets below 0, leaves the limits at
// work: there is no spike where they hold.
func TestLimitsOfAnyAge(t *testing.T) {
	l := Limits{Stroke: 0.1, Rate: 0.5, Position: 0.05, Jump: 5}
	program := build(t, "gcc", Source{Name: "x", Title: "test", Program: "test", Compensator: passing(t), RateHz: 1000,
		Axes: 1, Limits: &l})
	for _, age := range []int{-2, math.MinInt32} {
		motion := stream{}
		for _, x := range []struct{ target, read float64 }{{0, 0}, {0, 0}, {0, 0.09}, {0, 0.09}, {math.NaN(), 0.09},
			{0, 0.09}} {
			motion = append(motion, tick{rths.Motion{X: []float64{x.target}},
				rths.Reading{Motion: rths.Motion{X: []float64{x.read}}, Age: age}})
		}
		for k, u := range inC(t, program, motion.bytes(1, 0)) {
			if u != 0 {
				t.Errorf("age %d: command %d is %g: want 0, the last valid reading", age, k, u)
			}
		}
	}
}
