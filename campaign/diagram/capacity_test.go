package diagram

import (
	"math"
	"slices"
	"testing"

	"rths/campaign/analyse"
	"rths/kit/rthstest"
	"rths/result/panels"
	"rths/result/plotting"
)

// Every diagonal is a displacement v/ω or an acceleration v ω of a power of ten, from border to border of the box, and its
// name stands on it.
func TestTripartite(t *testing.T) {
	p := &analyse.Performance{}
	for hz := 0.1; hz < 101; hz *= 1.1 {
		p.Hz, p.Stroke = append(p.Hz, hz), append(p.Stroke, 2*math.Pi*hz*0.1)
		p.Valve, p.Bare, p.Wanted = append(p.Valve, 0.5), append(p.Bare, 0.8), append(p.Wanted, 0.02)
	}
	panel := Tripartite(p)
	if panel.Box[2] != 0.01 || panel.Box[3] != 1 {
		t.Errorf("velocities from %g to %g: want 0.01 to 1", panel.Box[2], panel.Box[3])
	}
	inside := func(x, y float64) bool {
		b := panel.Box
		return x > b[0]*(1-1e-9) && x < b[1]*(1+1e-9) && y > b[2]*(1-1e-9) && y < b[3]*(1+1e-9)
	}
	seen := map[float64]int{}
	for _, l := range panel.Lines {
		for k, hz := range l.X {
			v := l.Y[k]
			if math.IsNaN(v) {
				continue
			}
			if !inside(hz, v) {
				t.Errorf("%s: %g m/s at %g Hz is outside of %g", l.Name, v, hz, panel.Box)
			}
			if l.Colour == plotting.Bundle {
				power := math.Log10(v / (2 * math.Pi * hz))
				if l.Dashed {
					power = math.Log10(v * 2 * math.Pi * hz)
				}
				rthstest.Near(t, l.Name+", power of ten", power, math.Round(power), 1e-9)
				seen[math.Round(power)]++
			}
		}
	}
	// 1 mm to 1 m and 0.1 to 100 m/s² cross the box at its middle frequencies, with two ends each.
	if seen[-2] < 2 || seen[-1] < 4 || seen[1] < 2 {
		t.Errorf("ends of diagonals by power of ten: %v", seen)
	}
	for _, n := range panel.Notes {
		if !inside(n.X, n.Y) {
			t.Errorf("%s at %g Hz, %g m/s is outside", n.Text, n.X, n.Y)
		}
	}
	if !slices.ContainsFunc(panel.Notes, func(n panels.Note) bool { return n.Text == "10 m/s²" }) {
		t.Errorf("%v: want 10 m/s² among them", panel.Notes)
	}
}

// Where nothing moves and nothing is wanted the axes are still there.
func TestTripartiteOfNothing(t *testing.T) {
	none := []float64{0, 0}
	panel := Tripartite(&analyse.Performance{Hz: []float64{0.1, 100}, Valve: none, Bare: none, Wanted: none})
	if panel.Box != [4]float64{0.1, 100, 0.01, 1} {
		t.Errorf("axes %g: want 0.1 to 100 Hz and 0.01 to 1 m/s", panel.Box)
	}
}

// A thinned line keeps its extremes in both directions.
func TestThinned(t *testing.T) {
	var l panels.Line
	for k := range 50000 {
		l.X, l.Y = append(l.X, math.Sin(float64(k)/300)), append(l.Y, math.Cos(float64(k)/300))
	}
	l.X[20001], l.Y[30001] = 7, -5
	out := thinned(l)
	if len(out.X) > 4*blocks || slices.Max(out.X) != 7 || slices.Min(out.Y) != -5 || len(out.Y) != len(out.X) {
		t.Errorf("%d points to %g and %g", len(out.X), slices.Max(out.X), slices.Min(out.Y))
	}
	short := panels.Line{X: []float64{1, 2, 3}, Y: []float64{3, 1, 2}}
	if out := thinned(short); !slices.Equal(out.X, short.X) || !slices.Equal(out.Y, short.Y) {
		t.Errorf("three points become %v, %v", out.X, out.Y)
	}
}
