package report

import (
	"math"
	"slices"

	"rths/result/record"
)

// between is the part of a trace from one time to another, s.
func (t trace) between(from, to float64) trace {
	place := func(s float64) int {
		return int(max(0, min(math.Round((s-t.start)*t.rate), float64(t.values.Len()))))
	}
	i := place(from)
	return trace{start: t.start + float64(i)/t.rate, rate: t.rate, values: t.values.First(max(i, place(to))).From(i)}
}

// corners are the places in [from, to) at which two quantities are smallest and largest, in order, each once.
func corners(x, y record.Signal, from, to int) []int {
	left, right := x.Extremes(from, to)
	low, high := y.Extremes(from, to)
	places := []int{left, right, low, high}
	slices.Sort(places)
	return slices.Compact(places)
}
