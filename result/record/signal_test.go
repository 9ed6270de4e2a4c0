package record_test

import (
	"math"
	"math/rand/v2"
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
		"times from":  {s.Times(-3).From(2).Times(2), []float64{-24, -48}},
		"times minus": {s.Times(3).Minus(s.Times(2)), []float64{1, 2, 4, 8}},
		"minus":       {s.Minus(squares), []float64{1, 1, 0}}, "minus the longer": {squares.Minus(s), []float64{-1, -1, 0}},
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

// Extremes are the places of the smallest and the largest number that is finite, in memory and elsewhere.
func TestExtremes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		values := make([]float64, 1+r.IntN(8))
		for k := range values {
			values[k] = []float64{r.NormFloat64(), float64(r.IntN(3)), math.NaN(), math.Inf(1), math.Inf(-1)}[r.IntN(5)]
		}
		from := r.IntN(len(values) + 1)
		to, factor := from+r.IntN(len(values)-from+1), []float64{1, -2, 1000}[r.IntN(3)]
		low, high := from, from
		for k := from; k < to; k++ {
			v, least, most := factor*values[k], factor*values[low], factor*values[high]
			if v-v != 0 {
				continue
			}
			if v < least || least-least != 0 {
				low = k
			}
			if v > most || most-most != 0 {
				high = k
			}
		}
		for _, s := range []record.Signal{record.SignalOf(values),
			record.SignalBy(len(values), func(k int) float64 { return values[k] })} {
			if l, h := s.Times(factor).Extremes(from, to); l != low || h != high {
				t.Fatalf("%g × %g from %d to %d: %d, %d: want %d, %d", factor, values, from, to, l, h, low, high)
			}
		}
	}
}

// A signal of a file is read by two goroutines at once, each in its own order. One that is computed is not.
func TestSignalApart(t *testing.T) {
	values := make([]float64, 30_000)
	for k := range values {
		values[k] = float64(k)
	}
	a, err := record.SpoolColumns([]string{"x"}, len(values), func(put func(int, []float64) error) error {
		return put(0, values)
	})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	s, _ := a.Signal("x")
	memory := record.SignalOf(values)
	for name, s := range map[string]record.Signal{"file": s.Times(2).From(5), "memory": memory.Times(2).From(5)} {
		other, ok := s.Apart()
		if !ok || other.Len() != s.Len() {
			t.Fatalf("%s: %t, %d numbers: want %d", name, ok, other.Len(), s.Len())
		}
		done := make(chan bool)
		go func() {
			for k := range other.Len() {
				if v := other.At(other.Len() - 1 - k); v != 2*float64(len(values)-1-k) {
					t.Errorf("%s: number %d from the end is %g", name, k, v)
					break
				}
			}
			close(done)
		}()
		for k := range s.Len() {
			if v := s.At(k); v != 2*float64(k+5) {
				t.Errorf("%s: number %d is %g", name, k, v)
				break
			}
		}
		<-done
	}
	if _, ok := s.Times(2).Times(2).Apart(); ok {
		t.Error("a signal computed from one of a file is read twice at once: want no")
	}
}
