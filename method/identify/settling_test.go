package identify

import (
	"math"
	"testing"

	"rths"
)

// After as many samples as (2) counts, ε of a disturbance is left, and more than ε one sample before. A line of samples
// is passed after it; without a filter there is only the line.
func TestCountOfSettling(t *testing.T) {
	for _, pole := range []float64{0.2, 0.5, 0.9, 0.97, 0.999} {
		n := NewSettling(pole, 7).after - 7
		if left := disturbs * math.Pow(pole, n); !(left <= leftOver && left/pole > leftOver) {
			t.Errorf("pole %g: %g are left after %g samples: want %g", pole, left, n, leftOver)
		}
	}
	if n := NewSettling(0, 7).after; n != 7 {
		t.Errorf("without a filter %g samples: want 7", n)
	}
}

// After a long silence ε and the line are left behind when something is learnt again: ln ε/ln |z| + m fresh readings.
func TestSettlingAfterALongSilence(t *testing.T) {
	for _, pole := range []float64{0, 0.5, 0.97, 0.99} {
		const line = 7
		s, want := NewSettling(pole, line), float64(line)
		if pole > 0 {
			want += math.Log(leftOver) / math.Log(pole)
		}
		for range 5000 {
			if s.Takes(&rths.Reading{}, false) {
				t.Fatal("something is learnt in silence")
			}
		}
		fresh := 0
		for !s.Takes(&rths.Reading{}, true) {
			if fresh++; !s.Settles() {
				break
			}
		}
		if math.Abs(float64(fresh)-want) > 2 {
			t.Errorf("pole %g: %d fresh readings pass: want %.1f", pole, fresh, want)
		}
	}
}
