package report

import (
	"math"
	"slices"
	"testing"

	"rths/result/record"
)

// A trace of a column is kept once for each scale, and once more where each point shows the largest.
func TestTracesAreKeptOnce(t *testing.T) {
	s := source{archive: &record.Archive{}, rate: 1}
	fs := &figures{}
	a, _ := s.trace("measured_m", 1000)
	b, _ := s.trace("measured_m", 1)
	largest := a
	largest.largest = true
	places := []int{fs.add(a), fs.add(b), fs.add(a), fs.add(largest), fs.add(difference(a, b)), fs.add(difference(a, b)),
		fs.add(a.first(3)), fs.add(a.first(3))}
	if want := []int{0, 1, 0, 2, 3, 3, 4, 5}; !slices.Equal(places, want) {
		t.Errorf("places %v: want %v", places, want)
	}
}

// Of one run the curves are related to the dashed one, of several to the first, and only where their samples are of the
// same instants.
func TestRelate(t *testing.T) {
	at := func(rate float64, v ...float64) trace { return timed(0, rate, v) }
	f := figure{curves: []curve{{x: overTime, y: 0}, {x: overTime, y: 1}, {x: overTime, y: 2, dashed: true}}}
	fs := &figures{traces: []trace{at(1, 3, 5), at(2, 3, 5), at(1, 1, 2)}, sections: []section{{figures: []figure{f}}}}
	fs.relate()
	if got := fs.traces[f.curves[0].less].values.Values(); !slices.Equal(got, []float64{2, 3}) || f.curves[1].less != 0 ||
		f.curves[2].less != 0 {
		t.Errorf("the first curve less the dashed one is %v: want 2 3; %v", got, f.curves)
	}
	fs.several = true
	fs.relate()
	if got := fs.traces[f.curves[2].less].values.Values(); !slices.Equal(got, []float64{-2, -3}) {
		t.Errorf("the third curve less the first is %v: want -2 -3", got)
	}
	alone := figure{curves: []curve{{x: overTime, y: 0}, {x: overTime, y: 2}}}
	(&figures{traces: fs.traces}).relateIn(alone)
	if alone.curves[1].less != 0 {
		t.Error("curves of one run without a dashed one are not to be compared")
	}
}

// A figure of a part of the time has points of its own: all samples of a second at 4096 Hz, however long the run is.
func TestPartHasPointsOfItsOwn(t *testing.T) {
	values := make([]float64, 400*4096)
	for i := range values {
		values[i] = float64(i)
	}
	fs := &figures{traces: []trace{timed(0, 4096, values)}}
	f := figure{from: 100, to: 101, curves: []curve{{x: overTime, y: 0}}}
	fs.sections = []section{{figures: []figure{f}}}
	data := pageData{}
	p := fs.data(fs.sections[0], nil, &data).Figures[0]
	got := Unpack(t, data.Traces[p.Curves[0].Y])
	if p.StartS != 100 || p.StepS != 1.0/4096 || len(got) != 4097 || math.Abs(got[0]/(100*4096)-1) > 1e-5 ||
		math.Abs(got[4096]/(101*4096)-1) > 1e-5 {
		t.Errorf("from %g s every %g s, %d points", p.StartS, p.StepS, len(got))
	}
	f.to = 200 // 409 601 samples do not fit
	fs.sections[0].figures[0] = f
	p = fs.data(fs.sections[0], nil, &data).Figures[0]
	if got := Unpack(t, data.Traces[p.Curves[0].Y]); len(got) > partPoints || len(got) < partPoints/2 ||
		math.Abs(got[len(got)-1]/(200*4096)-1) > 1e-3 {
		t.Errorf("%d points to %g: want at most %d to %g", len(got), got[len(got)-1], partPoints, 200.0*4096)
	}
}

// Late ticks and ticks without a reading are marked at the lower edge, those that would touch once.
func TestLapses(t *testing.T) {
	measured, late := make([]float64, 10000), make([]float64, 10000)
	for _, k := range []int{100, 101, 103, 5000} {
		late[k] = 1
	}
	measured[7000], measured[9999] = math.NaN(), math.NaN() // at the end the run has diverged
	want := []mark{{From: 0.1, To: 0.104}, {From: 5, To: 5.001}, {From: 7, To: 7.001}}
	got := lapsesIn(record.SignalOf(late), record.SignalOf(measured), 0, 1000)
	if len(got) != len(want) {
		t.Fatalf("%v: want %v", got, want)
	}
	for i, m := range got {
		if math.Abs(m.From-want[i].From) > 1e-12 || math.Abs(m.To-want[i].To) > 1e-12 || !m.low() {
			t.Errorf("%v: want %v", m, want[i])
		}
	}
	for i := range late {
		late[i] = float64(i % 2)
	}
	if got := lapsesIn(record.SignalOf(late), record.SignalOf(measured), 0, 1000); len(got) > mostLapses {
		t.Errorf("%d marks: want at most %d", len(got), mostLapses)
	}
}
