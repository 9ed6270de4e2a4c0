package advice

import (
	"testing"

	"rths"
)

// Whole numbers stand in equal shares of the range, or of its logarithm: from 1 to 8 with Log the half below
// u = log(3)/log(9) is 1 and 2.
func TestWholeValues(t *testing.T) {
	for _, c := range []struct {
		log     bool
		u, want float64
	}{
		{false, 0, 1}, {false, 0.12, 1}, {false, 0.13, 2}, {false, 0.5, 5}, {false, 0.99, 8}, {false, 1, 8},
		{true, 0, 1}, {true, 0.31, 1}, {true, 0.32, 2}, {true, 0.49, 2}, {true, 0.51, 3}, {true, 0.94, 7}, {true, 0.95, 8},
		{true, 1, 8},
	} {
		if got := valueAt(rths.Tunable{From: 1, To: 8, Whole: true, Log: c.log}, c.u); got != c.want {
			t.Errorf("log %t, u = %g: %g, want %g", c.log, c.u, got, c.want)
		}
	}
}
