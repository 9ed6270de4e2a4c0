package criteria

import (
	"math"

	"rths"
)

// Tracking compares the displacement of one axis with its target of the same
// instant: J1, J2, J3, sub-sample delay and noise floor.
type Tracking struct {
	rateHz float64
	axis   int
	number int  // of the actuator, from 1; 0: the only one
	truth  bool // there is a true displacement

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
	return &Tracking{
		rateHz: rateHz, axis: axis, number: rths.Component(axis, axes), truth: truth,
		tally: newTally(trackSignals), lag: newDelays(truth, axes > 1),
	}
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
	r := &t.tally
	whole, fine := t.lag.delay(measured, &r.sums[target])
	out := []rths.Value{
		{Meaning: t.of("J1"), Unit: "ms", Number: 1, V: whole * ms, Doc: t.delayDoc()},
		{Meaning: t.of("J2"), Unit: "%", Number: 2, V: r.stdRatio(trackErr, target),
			Doc: "standard deviation of the tracking error over standard deviation of the target"},
		{Meaning: t.of("J3"), Unit: "%", Number: 3, V: r.peakRatio(trackErr, target),
			Doc: "peak tracking error over peak target"},
		{Meaning: t.of("delay"), Unit: "ms", V: fine * ms,
			Doc: "tracking delay in fractions of a sample, by a parabola through the largest correlations; negative: the " +
				"displacement leads"},
		{Meaning: t.of("nrmse"), Unit: "%", V: r.rmsRatio(trackErr, target),
			Doc: "rms tracking error over rms target, means not removed (J2 of Gálmez 2021)"},
		{Meaning: t.of("peak_centred"), Unit: "%", V: r.peakRatioCentred(trackErr, target),
			Doc: "peak tracking error over peak target, means removed"},
	}
	if t.truth {
		out = append(out, t.exactSummary(ms)...)
	}
	return ofFamily("tracking", out)
}

// of is a quantity of the actuator as it is measured, exactly the same without sensor noise.
func (t *Tracking) of(quantity string) rths.Meaning {
	return rths.Meaning{Quantity: quantity, Axis: t.number}
}

func (t *Tracking) exactly(quantity string) rths.Meaning {
	return rths.Meaning{Quantity: quantity, Axis: t.number, Exact: true}
}

func (t *Tracking) delayDoc() string {
	if t.number > 0 {
		return "tracking delay: lag of −49 to 49 samples with the largest correlation of measured and target displacement; " +
			"negative: the displacement leads"
	}
	return "tracking delay: lag of 0 to 49 samples with the largest correlation of measured and target displacement; 0 " +
		"if the displacement leads"
}

func (t *Tracking) exactSummary(ms float64) []rths.Value {
	r := &t.tally
	whole, fine := t.lag.delay(exact, &r.sums[target])
	return []rths.Value{
		{Meaning: t.exactly("J1"), Unit: "ms", Number: 1, V: whole * ms, Doc: "J1 on the displacement without sensor noise"},
		{Meaning: t.exactly("J2"), Unit: "%", Number: 2, V: r.stdRatio(exactErr, target),
			Doc: "J2 on the displacement without sensor noise"},
		{Meaning: t.exactly("J3"), Unit: "%", Number: 3, V: r.peakRatio(exactErr, target),
			Doc: "J3 on the displacement without sensor noise"},
		{Meaning: t.exactly("delay"), Unit: "ms", V: fine * ms, Doc: "tracking delay in fractions of a sample, without " +
			"sensor noise"},
		{Meaning: t.exactly("nrmse"), Unit: "%", V: r.rmsRatio(exactErr, target), Doc: "nrmse without sensor noise"},
		{Meaning: t.exactly("peak_centred"), Unit: "%", V: r.peakRatioCentred(exactErr, target),
			Doc: "peak_centred without sensor noise"},
		{Meaning: t.of("J2_floor"), Unit: "%", V: r.stdRatio(noise, target),
			Doc: "noise floor of J2: the J2 of a perfect actuator with the noisy reading"},
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
