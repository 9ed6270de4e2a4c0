package criteria

import (
	"fmt"

	"rths"
)

// Tracking compares the displacement of one axis with its target of the same
// instant: J1, J2, J3 and their kin.
type Tracking struct {
	rateHz float64
	axis   int
	suffix string // "" or "_2"
	truth  bool   // there is a true displacement

	target, measured, exact moments // N1, x with noise, x without
	err, exactErr, noise    moments
	lag, exactLag           lagged
}

// NewTracking judges the given axis (from 0) of a loop with axes of them.
// truth says whether readings carry true displacements.
func NewTracking(rateHz float64, axis, axes int, truth bool) *Tracking {
	t := &Tracking{rateHz: rateHz, axis: axis, truth: truth}
	if axes > 1 {
		t.suffix = fmt.Sprintf("_%d", axis+1)
	}
	return t
}

// Observe adds a tick; the tick that failed is left out.
func (t *Tracking) Observe(f *rths.Frame) {
	if f.Err != nil {
		return
	}
	want, x := f.Desired[t.axis], f.Read.X[t.axis]
	t.target.add(want)
	t.measured.add(x)
	t.err.add(x - want)
	t.lag.add(want, x)
	if t.truth {
		exact := f.Read.TrueX[t.axis]
		t.exact.add(exact)
		t.exactErr.add(exact - want)
		t.noise.add(x - exact)
		t.exactLag.add(want, exact)
	}
}

// Summary is J1 to J3 and what else is said of tracking.
func (t *Tracking) Summary() []rths.Value {
	ms := 1e3 / t.rateHz
	whole, fine := t.lag.delay(&t.target, &t.measured)
	s := t.suffix
	out := []rths.Value{
		{Name: "J1" + s + "_ms", V: whole * ms, Doc: "tracking delay: lag of 0 to 49 samples with the largest correlation of measured and target displacement"},
		{Name: "J2" + s + "_pct", V: stdRatio(&t.err, &t.target), Doc: "standard deviation of the tracking error over that of the target"},
		{Name: "J3" + s + "_pct", V: peakRatio(&t.err, &t.target), Doc: "peak tracking error over peak target"},
		{Name: "delay" + s + "_ms", V: fine * ms, Doc: "tracking delay between samples: vertex of the correlation's parabola; negative leads"},
		{Name: "nrmse" + s + "_pct", V: rmsRatio(&t.err, &t.target), Doc: "rms tracking error over rms target, means not removed (J2 of Gálmez 2021)"},
		{Name: "peak_centred" + s + "_pct", V: peakRatioCentred(&t.err, &t.target), Doc: "peak tracking error over peak target, means removed"},
	}
	if t.truth {
		out = append(out, t.exactSummary(ms)...)
	}
	return out
}

func (t *Tracking) exactSummary(ms float64) []rths.Value {
	whole, fine := t.exactLag.delay(&t.target, &t.exact)
	s := t.suffix + "_true"
	return []rths.Value{
		{Name: "J1" + s + "_ms", V: whole * ms, Doc: "J1 on the displacement without sensor noise"},
		{Name: "J2" + s + "_pct", V: stdRatio(&t.exactErr, &t.target), Doc: "J2 on the displacement without sensor noise"},
		{Name: "J3" + s + "_pct", V: peakRatio(&t.exactErr, &t.target), Doc: "J3 on the displacement without sensor noise"},
		{Name: "delay" + s + "_ms", V: fine * ms, Doc: "tracking delay between samples, without sensor noise"},
		{Name: "nrmse" + s + "_pct", V: rmsRatio(&t.exactErr, &t.target), Doc: "nrmse without sensor noise"},
		{Name: "peak_centred" + s + "_pct", V: peakRatioCentred(&t.exactErr, &t.target), Doc: "peak_centred without sensor noise"},
		{Name: "J2_floor" + t.suffix + "_pct", V: stdRatio(&t.noise, &t.target), Doc: "noise floor of J2: what a perfect actuator scores on the noisy reading"},
	}
}

func (t *Tracking) all() []*moments {
	return []*moments{&t.target, &t.measured, &t.exact, &t.err, &t.exactErr, &t.noise}
}

// AppendState appends all sums and buffers.
func (t *Tracking) AppendState(dst []float64) []float64 {
	dst = appendAll(dst, t.all()...)
	return t.exactLag.appendState(t.lag.appendState(dst))
}

// SetState takes them.
func (t *Tracking) SetState(src []float64) []float64 {
	src = setAll(src, t.all()...)
	return t.exactLag.setState(t.lag.setState(src))
}
