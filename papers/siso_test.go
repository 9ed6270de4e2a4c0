package papers

import (
	"context"
	"math"
	"rths/rthstest"
	"testing"
)

func suite(t *testing.T, s SISO) *Suite {
	t.Helper()
	s.RecordsDir, s.Workers, s.Seed, s.Scale = rthstest.Records(t), 2, 1, 0.4
	out, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// docs/benchmark-siso.md, Where our numbers stand: an independent implementation of the benchmark on El
// Centro × 0.4, case 1. Its noise is another realisation: J1 may differ by a
// sample, J3 and J5, maxima over 168 674 noise samples, by several of their
// standard deviations of 0.09 points.
func TestIndependentImplementation(t *testing.T) {
	want := map[string][9]float64{
		"pi":        {4.64, 10.37, 11.67, 36.07, 18.92, 32.26, 32.38, 14.82, 14.77},
		"kf":        {0.00, 2.55, 1.87, 3.28, 2.54, 1.97, 1.98, 0.99, 1.00},
		"kf-table5": {0.24, 2.59, 2.01, 4.22, 3.28, 3.20, 3.21, 1.61, 1.64},
		"amb":       {0.00, 2.55, 1.86, 3.18, 2.51, 1.85, 1.86, 1.18, 1.17},
		"amb-fixed": {4.64, 10.47, 11.38, 34.23, 17.21, 31.25, 31.34, 14.66, 14.61},
	}
	tolerance := [9]float64{0.26, 0.1, 0.6, 0.1, 0.6, 0.1, 0.1, 0.25, 0.25}
	got := suite(t, SISO{Compensators: []string{"pi", "kf", "kf-table5", "amb", "amb-fixed"}, Cases: []int{1}, Records: []string{"elcentro"}, Noise: []bool{true}})
	for _, row := range got.Rows {
		name := row.Get("compensator").(string)
		if row.Get("status") != "completed" {
			t.Errorf("%s: %v", name, row.Get("status"))
		}
		for i, w := range want[name] {
			if v := row.Float(sisoKeys[i]); !(math.Abs(v-w) <= tolerance[i]) {
				t.Errorf("%s: %s = %.3f, independent %.2f, tolerance %.2f", name, sisoKeys[i], v, w, tolerance[i])
			}
		}
	}
}
