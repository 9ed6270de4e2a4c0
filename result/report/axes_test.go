package report

import (
	"testing"

	"rths"
	"rths/result/plotting"
	"rths/result/record"
)

// A percentage ends at 200 % and is 1 % long at least; a constant is not stretched until its
// rounding fills the axis.
func TestBound(t *testing.T) {
	fs := &figures{}
	f := figure{}
	f.line(true, "a", overTime, fs.add(listed([]float64{40, -50})), plotting.Ink)
	fs.bound(&f, record.Column{Unit: "s"})
	if f.least != 0.5 || f.most != 0 {
		t.Errorf("axis of 50 s: least %g, most %g: want 0.5 and none", f.least, f.most)
	}
	fs.bound(&f, record.Column{Unit: "%"})
	if f.least != 1 || f.most != 200 {
		t.Errorf("axis of a percentage: least %g, most %g: want 1 and 200", f.least, f.most)
	}
	p, err := fs.plot(figure{xLabel: timeLabel, most: 30, curves: f.curves}, new(plotting.NewLegend()))
	if err != nil || p.Y.Min < -33 || p.Y.Max > 33 {
		t.Errorf("axis from %g to %g, %v: want 30 and a margin", p.Y.Min, p.Y.Max, err)
	}
}

// The curve of a run that diverged ends where it leaves 1.5 times the range of the others.
func TestCut(t *testing.T) {
	sources := []source{{archive: &record.Archive{Manifest: record.Manifest{Status: rths.Completed}}},
		{archive: &record.Archive{Manifest: record.Manifest{Status: rths.Diverged}}}}
	names := []string{"calm", "wild"}
	fs := &figures{}
	f := figure{title: "x"}
	f.run(true, names, 0, overTime, fs.add(listed([]float64{1, -2, 1, 0})))
	f.run(true, names, 1, fs.add(listed([]float64{1, 2, 3, 4})), fs.add(listed([]float64{1, -3, 3.5, 1e6})))
	fs.cut(sources, names, &f)
	x, y := fs.traces[f.curves[1].x].values, fs.traces[f.curves[1].y].values
	if x.Len() != 2 || y.Len() != 2 || fs.traces[f.curves[0].y].values.Len() != 4 || f.title != "x"+cutNote {
		t.Errorf("%q: x %v, y %v: want two points and the note", f.title, x, y)
	}
	for i := range sources {
		sources[i].archive.Status = rths.Diverged
	}
	f.title = "x"
	if fs.cut(sources, names, &f); f.title != "x" {
		t.Error("where all runs diverged, nothing is cut")
	}
}
