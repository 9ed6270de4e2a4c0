package report

import (
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"gonum.org/v1/plot/plotter"

	"rths/lab/realtime"
	"rths/result/plotting"
)

// Each duration lies in its step, from 10 ns to 100 s, and none is lost.
func TestSteps(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		ns := int64(math.Pow(10, 1+10*random.Float64()))
		h := realtime.NewHistogram(make([]atomic.Uint64, realtime.HistogramWords))
		h.Add(ns)
		h.Add(ns)
		x, y := steps(h.Distribution())
		us := max(float64(ns)/1e3, x[0]) // shorter ones are in the first step
		us = min(us, lastStepUs)         // longer ones in the last
		if len(x) != 4 || x[1] > us*(1+1e-6) || x[2] < us*(1-1e-6) || y[1] != 2 || y[2] != 2 || x[2]/x[1] > 2.1 {
			t.Fatalf("%d ns: steps at %g with %g ticks: want one of 2 ticks around it", ns, x, y)
		}
	}
	if x, y := steps(realtime.Distribution{Bins: []realtime.Bin{{FromUs: 1, ToUs: 2}}}); x != nil || y != nil {
		t.Errorf("steps %g, %g of no ticks", x, y)
	}
}

// A histogram stands on its axis, with room above and beside it; what has no logarithm is not drawn.
func TestHistogramAxes(t *testing.T) {
	fs := &figures{}
	f := newHistograms()
	fs.histogram(&f, "lateness", plotting.Ink,
		realtime.Distribution{Bins: []realtime.Bin{{FromUs: 10, ToUs: 11, Count: 1000}}})
	legend := plotting.NewLegend()
	p, err := fs.plot(f, &legend)
	if err != nil {
		t.Fatal(err)
	}
	if p.Y.Min != math.Log10(noTicks) || p.Y.Max <= 3 || p.Y.Max > 3.5 || p.X.Min >= 1 || p.X.Min < 0.9 ||
		p.X.Max <= math.Log10(11) || p.X.Max > 1.1 {
		t.Errorf("axes from %g to %g and from %g to %g", p.X.Min, p.X.Max, p.Y.Min, p.Y.Max)
	}
	if ticks := p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max); len(ticks) != 4 || ticks[3].Label != "1000" ||
		math.Abs(ticks[3].Value-3) > 1e-9 {
		t.Errorf("ticks %v: want 1 10 100 1000", ticks)
	}
	if ticks := p.X.Tick.Marker.Ticks(0, 6); len(ticks) != 55 || ticks[54].Label != "1e6" || ticks[1].Label != "" {
		t.Errorf("ticks %v: want decades up to 1e6, and lines between them", ticks)
	}
	points := f.coordinates(plotter.XYs{{X: 0, Y: 1}, {X: 100, Y: 10}, {X: 1, Y: -1}})
	if len(points) != 1 || points[0] != (plotter.XY{X: 2, Y: 1}) {
		t.Errorf("points %v: want one", points)
	}
	if points := (figure{}).coordinates(plotter.XYs{{X: 0, Y: -1}}); len(points) != 1 ||
		points[0] != (plotter.XY{X: 0, Y: -1}) {
		t.Errorf("points %v without decades: want them as they are", points)
	}
}
