package judge

import (
	"math"
	"testing"

	"rths/result/record"
)

// A slow test has a sample for each step: with ways of many samples between them the answer is that of the same steps
// in real time.
func TestDampingOfASlowTest(t *testing.T) {
	const h, n, between = 0.01, 3000, 7
	direct, slow := &Test{RateHz: 1 / h}, &Test{RateHz: 100}
	var x, m, f, times []float64
	var sx, sm, sf []float64
	for k := range n {
		s := float64(k) * h
		target, measured := math.Sin(3*s)*math.Sin(0.2*s), math.Sin(3*(s-0.002))*math.Sin(0.2*(s-0.002))
		x, m, f = append(x, 1e-2*target), append(m, 1e-2*measured), append(f, 1e3*measured)
		for i := range between {
			sx, sm, sf, times = append(sx, 1e-2*target+float64(i)), append(sm, 1e-2*measured-float64(i)), append(sf, 1e3*measured+
				float64(i)), append(times, s)
		}
	}
	axis := func(a, b, c []float64) []Axis {
		return []Axis{{Target: record.SignalOf(a), Measured: record.SignalOf(b), Force: record.SignalOf(c)}}
	}
	direct.Axes, slow.Axes = axis(x, m, f), axis(sx, sm, sf)
	got := slow.steps(record.SignalOf(times), 1/h)
	for k := range n {
		for i, pair := range [][2]record.Signal{{got.Axes[0].Target, direct.Axes[0].Target},
			{got.Axes[0].Measured, direct.Axes[0].Measured}, {got.Axes[0].Force, direct.Axes[0].Force}} {
			if pair[0].At(k) != pair[1].At(k) || got.RateHz != 1/h || got.Samples() != n {
				t.Fatalf("signal %d of step %d: %g: want %g", i, k, pair[0].At(k), pair[1].At(k))
			}
		}
	}
}
