package record_test

import (
	"slices"
	"testing"

	"rths/result/record"
)

// Signals are cut, scaled and subtracted without copies; none stays none, and no cut goes beyond an end.
func TestSignal(t *testing.T) {
	s, none := record.SignalOf([]float64{1, 2, 4, 8}), record.Signal{}
	squares := record.SignalBy(3, func(k int) float64 { return float64(k * k) })
	for name, c := range map[string]struct {
		got  record.Signal
		want []float64
	}{
		"all": {s, []float64{1, 2, 4, 8}}, "first": {s.First(2), []float64{1, 2}},
		"first of few": {s.First(9), []float64{1, 2, 4, 8}}, "from": {s.From(1), []float64{2, 4, 8}},
		"from the end":  {s.From(9), []float64{}},
		"first of from": {s.From(1).First(2), []float64{2, 4}}, "times": {s.Times(-3), []float64{-3, -6, -12, -24}},
		"minus": {s.Minus(squares), []float64{1, 1, 0}}, "minus the longer": {squares.Minus(s), []float64{-1, -1, 0}},
		"none": {none, nil}, "none times": {none.Times(2), nil},
	} {
		if got := c.got.Values(); !slices.Equal(got, c.want) || c.got.Len() != len(c.want) ||
			c.got.None() != (c.want == nil) {
			t.Errorf("%s: %g, none %t: want %g", name, got, c.got.None(), c.want)
		}
	}
	if s.At(2) != 4 {
		t.Errorf("number 2 is %g", s.At(2))
	}
}
