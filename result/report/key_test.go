package report

import (
	"testing"

	"gonum.org/v1/plot/vg"

	"rths/result/plotting"
)

// The names of curves begin below the name of their part where they do not fit beside it.
func TestKey(t *testing.T) {
	f := figure{title: "part", curves: []curve{{name: "lateness", colour: plotting.Ink},
		{name: "departure", colour: plotting.Ink}}}
	style := plotting.NewPlot(f.xLabel, f.yLabel).X.Tick.Label
	heights := func(width vg.Length) (out []float64) {
		for _, e := range newKey(f, true, style, width).entries {
			out = append(out, float64(e.at.Y))
		}
		return out
	}
	if y := heights(500); y[0] != y[1] || y[1] != y[2] {
		t.Errorf("heights %g: want one line", y)
	}
	if y := heights(125); !(y[0] > y[1]) || y[1] != y[2] {
		t.Errorf("heights %g: want the curves below the name", y)
	}
}
