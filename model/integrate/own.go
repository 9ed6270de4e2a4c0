package integrate

import (
	"fmt"
	"slices"

	"rths"
)

// own is what the loop's half of TwoRate keeps beside a calculating half of its own.
type own struct {
	exchange  Exchange
	calc      *Calculator // where it is here, and hands its results over a main step late; nil: it is elsewhere
	late      int         // most results that may be missing
	posted    float64     // main steps
	collected float64
	missing   float64 // results at the newest main instant
	// of the main steps whose result is missing, and one more: step i at place i modulo the length; none without a
	// predicted ground
	instants []groundAt
	kept     []kept // the newest results, step i at place i modulo the length
	past     rths.Motion
	err      error
}

// groundAt is the ground at a main instant.
type groundAt struct{ x, slow []float64 }

// kept is a result, and its row.
type kept struct {
	result
	row []float64
}

func newOwn(o *TwoRate, t *twoRate) *own {
	w := &own{exchange: o.Exchange, late: o.Late, kept: make([]kept, o.Late+2),
		past: rths.Motion{X: make([]float64, len(t.shown.X))}}
	if t.whole {
		w.instants = make([]groundAt, o.Late+2)
	}
	for i := range w.instants {
		w.instants[i] = groundAt{make([]float64, t.comps), make([]float64, t.comps)}
	}
	for i := range w.kept {
		row := make([]float64, t.calc.Gives())
		w.kept[i] = kept{t.calc.view(row), row}
	}
	if w.exchange == nil {
		w.calc = t.calc
		w.exchange = &later{calc: t.calc, given: make([]float64, t.calc.Gives())}
	}
	return w
}

func (w *own) at(step float64) *groundAt { return &w.instants[int(step)%len(w.instants)] }

// collect takes all results that have come. It gives the predictor of this main instant: in the place
// of missing results stands what was predicted. It gives nil where too many are missing.
func (w *own) collect(t *twoRate) *predictor {
	if w.err != nil {
		return nil
	}
	if t.whole {
		now := w.at(w.posted)
		copy(now.x, t.table.x)
		copy(now.slow, t.slow)
	}
	for w.collected < w.posted && w.take(t) {
	}
	if w.missing = w.posted - w.collected; w.missing > float64(w.late) {
		w.err = w.missed()
		return nil
	}
	if w.missing == 0 {
		return t.known
	}
	t.ahead.take(t.known)
	for range int(w.missing) {
		t.ahead.predict(t.desired)
		t.ahead.suppose(t.desired)
	}
	return t.ahead
}

// take takes the next result, if it has come.
func (w *own) take(t *twoRate) bool {
	slot := &w.kept[int(w.collected)%len(w.kept)]
	if !w.exchange.Collect(slot.row) {
		return false
	}
	copy(t.given, slot.row)
	t.known.learn(&t.result)
	if t.whole {
		t.known.liftRates(t.table, w.at(w.collected).slow)
	}
	w.collected++
	if t.whole {
		next := w.at(w.collected)
		t.known.lift(t.table, next.x, next.slow)
	}
	return true
}

// stateAt is the state at tick k, or nil before its result has come.
func (w *own) stateAt(k, n int) *rths.Motion {
	step := k / n
	if step >= int(w.collected) || step < int(w.collected)-len(w.kept) {
		return nil
	}
	r := &w.kept[step%len(w.kept)]
	between(w.past.X, r.begin, r.end, float64(k%n)/float64(n))
	w.past.V, w.past.A = r.vel, r.acc
	return &w.past
}

// missed is why a test without results does not go on.
func (w *own) missed() error {
	why := ""
	if e, ok := w.exchange.(interface{ Err() error }); ok && e.Err() != nil {
		why = ": " + e.Err().Error()
	}
	return fmt.Errorf(
		"main step %.0f of the numerical part has given no result: the target has been the predicted one for %d main "+
			"steps, as "+
			"many as two_rate.late allows%s", w.collected+1, w.late, why)
}

func (w *own) post(t *twoRate) {
	w.exchange.Post(t.inputs)
	w.posted++
}

// channels are those of the integrator, as its newest result shows them, then what has come, and when, as
// far as the exchange knows.
func (w *own) channels(t *twoRate) []rths.Channel {
	out := slices.Clone(t.calc.channels)
	for i := range out {
		out[i].V = &t.result.channels[i]
	}
	out = append(out, rths.NamedChannels([]rths.Channel{
		{Meaning: rths.Meaning{Quantity: "main_results"}, Unit: "-", V: &w.collected},
		{Meaning: rths.Meaning{Quantity: "main_missing"}, Unit: "-", V: &w.missing},
	})...)
	if c, ok := w.exchange.(rths.Channeler); ok {
		out = append(out, c.Channels()...)
	}
	return out
}

func (w *own) visit(v *rths.StateVisitor) {
	v.Float(&w.posted, &w.collected, &w.missing)
	for _, i := range w.instants {
		v.Floats(i.x, i.slow)
	}
	for i := range w.kept {
		v.Floats(w.kept[i].row)
	}
	v.StateOf(w.exchange)
}

// later is the calculating half in this process: it gives its results at the next main instant, as one
// elsewhere that is in time.
type later struct {
	calc  *Calculator
	given []float64
}

func (l *later) Post(asked []float64) { l.calc.Step(l.given, asked) }

func (l *later) Collect(given []float64) bool {
	copy(given, l.given)
	return true
}

func (l *later) VisitState(v *rths.StateVisitor) { v.Floats(l.given) }
