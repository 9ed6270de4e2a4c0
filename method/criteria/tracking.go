package criteria

import (
	"fmt"
	"math"

	"rths"
)

// Tracking compares the displacement of one axis with its target of the same
// instant: J1, J2, J3, sub-sample delay and noise floor.
type Tracking struct {
	rateHz float64
	axis   int
	suffix string // "" or "_2"
	truth  bool   // there is a true displacement

	tally tally
	most  float64 // largest command, m
	old   int     // ticks whose reading was old
	lag   delays  // of the measured and the true displacement relative to the target
}

// Signals of Tracking, N1 being the target and x the displacement. Those from
// exactErr on need the true one.
const (
	target   = iota // N1
	trackErr        // x − N1
	exactErr        // the same without sensor noise
	noise           // reading less true x
	trackSignals
)

// Signals that are correlated with the target.
const (
	measured = iota
	exact
)

// NewTracking judges the given axis (from 0) of a loop with axes of them.
// truth says whether readings carry true displacements.
func NewTracking(rateHz float64, axis, axes int, truth bool) *Tracking {
	t := &Tracking{rateHz: rateHz, axis: axis, truth: truth, tally: newTally(trackSignals), lag: newDelays(truth, axes > 1)}
	if axes > 1 {
		t.suffix = fmt.Sprintf("_%d", axis+1)
	}
	return t
}

// TrackingKeys are the keys of Tracking: none.
type TrackingKeys struct{}

// Make makes Tracking of every actuator.
func (*TrackingKeys) Make(at At) ([]Criterion, error) {
	return each(at, func(i int) Criterion { return NewTracking(at.RateHz, i, at.Actuators, at.Truth) }), nil
}

// Observe adds a tick; the tick that failed is left out.
func (t *Tracking) Observe(f *rths.Frame) {
	if f.Err != nil {
		return
	}
	want, x, truth := f.Desired[t.axis], f.Read.X[t.axis], 0.0
	if t.truth {
		truth = f.Read.TrueX[t.axis]
	}
	if t.axis < len(f.Command) { // a file that is judged may have none
		t.most = max(t.most, math.Abs(f.Command[t.axis]))
	}
	if f.Read.Age > 0 {
		t.old++
	}
	t.lag.add(want, x, truth)
	if t.tally.n == 0 {
		t.tally.start(want, x-want, truth-want, x-truth)
	}
	t.tally.n++
	t.tally.sums[target].add(want)
	t.tally.sums[trackErr].add(x - want)
	t.tally.sums[exactErr].add(truth - want)
	t.tally.sums[noise].add(x - truth)
}

// Old is how many of the ticks had an old reading. J1 to J3 and the noise floor count it as one of its tick.
func (t *Tracking) Old() (old, ticks int) { return t.old, int(t.tally.n) }

// Summary is J1 to J3, the noise floor, the sub-sample delay and other tracking results.
func (t *Tracking) Summary() []rths.Value {
	ms := 1e3 / t.rateHz
	r, s := &t.tally, t.suffix
	whole, fine := t.lag.delay(measured, &r.sums[target])
	out := []rths.Value{
		{Name: "J1" + s + "_ms", Number: 1, V: whole * ms, Doc: t.delayDoc()},
		{Name: "J2" + s + "_pct", Number: 2, V: r.stdRatio(trackErr, target), Doc: "standard deviation of the tracking error over standard deviation of the target"},
		{Name: "J3" + s + "_pct", Number: 3, V: r.peakRatio(trackErr, target), Doc: "peak tracking error over peak target"},
		{Name: "delay" + s + "_ms", V: fine * ms, Doc: "tracking delay between samples: vertex of the correlation's parabola; negative leads"},
		{Name: "nrmse" + s + "_pct", V: r.rmsRatio(trackErr, target), Doc: "rms tracking error over rms target, means not removed (J2 of Gálmez 2021)"},
		{Name: "peak_centred" + s + "_pct", V: r.peakRatioCentred(trackErr, target), Doc: "peak tracking error over peak target, means removed"},
	}
	if t.truth {
		out = append(out, t.exactSummary(ms)...)
	}
	return of("tracking", out)
}

func (t *Tracking) delayDoc() string {
	if t.suffix != "" {
		return "tracking delay: lag of −49 to 49 samples with the largest correlation of measured and target displacement; negative leads"
	}
	return "tracking delay: lag of 0 to 49 samples with the largest correlation of measured and target displacement; 0 where it leads"
}

func (t *Tracking) exactSummary(ms float64) []rths.Value {
	r := &t.tally
	whole, fine := t.lag.delay(exact, &r.sums[target])
	s := t.suffix + "_true"
	return []rths.Value{
		{Name: "J1" + s + "_ms", Number: 1, Exact: true, V: whole * ms, Doc: "J1 on the displacement without sensor noise"},
		{Name: "J2" + s + "_pct", Number: 2, Exact: true, V: r.stdRatio(exactErr, target), Doc: "J2 on the displacement without sensor noise"},
		{Name: "J3" + s + "_pct", Number: 3, Exact: true, V: r.peakRatio(exactErr, target), Doc: "J3 on the displacement without sensor noise"},
		{Name: "delay" + s + "_ms", Exact: true, V: fine * ms, Doc: "tracking delay between samples, without sensor noise"},
		{Name: "nrmse" + s + "_pct", Exact: true, V: r.rmsRatio(exactErr, target), Doc: "nrmse without sensor noise"},
		{Name: "peak_centred" + s + "_pct", Exact: true, V: r.peakRatioCentred(exactErr, target), Doc: "peak_centred without sensor noise"},
		{Name: "J2_floor" + t.suffix + "_pct", V: r.stdRatio(noise, target), Doc: "noise floor of J2: what a perfect actuator scores on the noisy reading"},
	}
}

// Extent is the largest target and command, m, and the standard deviation of the true
// displacement over the target's, %.
func (t *Tracking) Extent() (wanted, command, moved float64) {
	of, signal := &t.tally.sums[target], measured
	if t.truth {
		signal = exact
	}
	return of.peak(0), t.most, percent(t.lag.behind.std(signal), of.std(t.tally.n))
}

// Lead is how far the displacement leads its target, samples; 0 where it does not. Of one
// actuator nothing is correlated beyond a sample: a longer lead is at least 2 samples. Of
// files without true displacement the measured one counts.
func (t *Tracking) Lead() (samples float64, atLeast bool) {
	signal := measured
	if t.truth {
		signal = exact
	}
	mx := &t.tally.sums[target]
	_, fine := t.lag.delay(signal, mx)
	switch {
	case fine >= -2 || len(t.lag.ahead) > 0:
		return max(-fine, 0), false
	case t.lag.behind.early(signal, mx):
		return 2, true
	}
	return 0, false
}

// VisitState visits all sums and buffers.
func (t *Tracking) VisitState(v *rths.StateVisitor) {
	v.Float(&t.most)
	t.tally.visit(v)
	t.lag.visit(v)
}
