package report_test

import (
	"math"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/result/record"
)

// Yielding storeys show force over drift in one figure each, and have no panels over time.
func TestPageOfYieldingStoreys(t *testing.T) {
	f := &rths.Frame{Desired: make([]float64, 1), Read: rths.NewReading(1, 1), Command: make([]float64, 1)}
	values := make([]float64, 4)
	channels := []rths.Channel{
		{Name: "storey2_drift_m", Unit: "m", V: &values[0]}, {Name: "storey2_force_N", Unit: "N", V: &values[1]},
		{Name: "storey12_drift_m", Unit: "m", V: &values[2]}, {Name: "storey12_force_N", Unit: "N", V: &values[3]},
	}
	m := record.Manifest{Name: "yielding", RateHz: 1024, Samples: 2000, Status: rths.Completed}
	page := html(t, archived(t, m, f, channels, m.Samples, func(k int) {
		f.K, f.T = k, float64(k)/m.RateHz
		for i := range values {
			values[i] = math.Sin(f.T + float64(i))
		}
	}))
	rthstest.Contains(t, page, "Yielding storeys",
		`"title":"Storey 2 of the numerical part","x_label":"drift, mm","y_label":"force, kN","shape":"loop"`,
		"Storey 12 of the numerical part")
	for _, c := range channels {
		if strings.Contains(page, `"title":"`+c.Name) {
			t.Errorf("channel %s has a panel of its own", c.Name)
		}
	}
}
