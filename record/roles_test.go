package record

import (
	"math"
	"strings"
	"testing"
)

func TestUniformRate(t *testing.T) {
	for want, times := range map[string][]float64{
		"1 rows: want two":                          {1},
		"it does not increase":                      {1, 0},
		"after sample 2, at 0.5 s, a step of 1.5 s": {0, 0.5, 2, 2.5},
	} {
		if _, err := UniformRate(times); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v: want one that says %q", times, err, want)
		}
	}
	rounded := make([]float64, 5000) // written with six digits
	for i := range rounded {
		rounded[i] = math.Round(float64(i)/1024*1e6) / 1e6
	}
	if rate, err := UniformRate(rounded); err != nil || rate != 1024 {
		t.Errorf("rate %g Hz, %v: want 1024", rate, err)
	}
}
