package combine

import (
	"fmt"
	"math"
	"slices"

	"rths"
	"rths/method/compensate"
)

// doubt is why a fallback acts.
type doubt int

const (
	trusted doubt = iota
	atABound
	unexplained
	stale
)

// doubts watches the adaptive method.
type doubts struct {
	p       Fallback `c:"-"`
	rateHz  float64
	old     float64              // stale_s; 0: the age is not watched
	long    float64              // at_bounds_s, ticks
	last    float64              // residual_s, ticks
	part    float64              // of a new value in a mean over residual_s
	share   float64              // residual_pct squared, of the mean square of the command
	pinned  []compensate.Pinned  // none: no bounds
	watches bool                 // false: no residual
	watched []compensate.Watched // parts
	settler []compensate.Settler // none: it remembers no reading
	what    string               `c:"-"` // it is

	bound, unfit             float64 // ticks since when
	left, explained, command float64 // mean squares, m²
	age                      float64 // of the reading, s
	pct                      float64 // residual above the noise, of the command, %
}

func newDoubts(p *Fallback, active rths.Compensator, rateHz float64) doubts {
	share := p.ResidualPct / 100
	d := doubts{
		p: *p, rateHz: rateHz, what: "the residual of the identification",
		old: p.StaleS, long: max(p.AtBoundsS*rateHz, 1), last: max(p.ResidualS*rateHz, 1), part: 1 / (1 + p.ResidualS*rateHz),
		share: share * share,
	}
	if w, ok := rths.As[interface{ Watches() string }](active); ok {
		d.what = w.Watches()
	}
	d.settler = compensate.LeavesOf[compensate.Settler](active)
	if p.AtBoundsS > 0 {
		d.pinned = compensate.LeavesOf[compensate.Pinned](active)
	}
	if p.ResidualPct > 0 {
		_, d.watches = rths.As[compensate.Watched](active)
		d.watched = compensate.LeavesOf[compensate.Watched](active)
		d.residual() // allocates
	}
	return d
}

// residual is that of all parts: the roots of the sums of squares.
func (d *doubts) residual() (left, noise float64) {
	for _, w := range d.watched {
		e, n := w.Residual()
		left, noise = math.Hypot(left, e), math.Hypot(noise, n)
	}
	return left, noise
}

// weigh takes what left in this tick, and the residual, if there was something new to learn.
// Residual looks at the oldest entries of histories, which a state has no longer: it is asked
// before the tick ends.
func (d *doubts) weigh(command []float64, read *rths.Reading) {
	if !d.watches {
		return
	}
	sum := 0.0
	for _, u := range command {
		sum += u * u
	}
	d.approach(&d.command, sum)
	if d.blind(read) {
		return
	}
	e, n := d.residual()
	d.approach(&d.left, e*e)
	d.approach(&d.explained, n*n)
	more := max(d.left-4*d.explained, 0)
	d.unfit = lasts(d.unfit, more > d.command*d.share)
	if d.pct = 0; more > 0 && d.command > 0 {
		d.pct = 100 * math.Sqrt(more/d.command)
	}
}

// approach is a running mean over residual_s.
func (d *doubts) approach(mean *float64, v float64) {
	if next := *mean + d.part*(v-*mean); rths.Finite(next) {
		*mean = next
	}
}

// blind reports whether the method learns nothing for want of readings: no parameter leaves a bound
// then, and the residual is of values that were held.
func (d *doubts) blind(read *rths.Reading) bool {
	return read.Age > 0 || slices.ContainsFunc(d.settler, compensate.Settler.Settles)
}

// look looks at the method as the last tick left it, and at the age of the reading.
func (d *doubts) look(read *rths.Reading) doubt {
	d.age = float64(read.Age) / d.rateHz
	if len(d.pinned) > 0 && !d.blind(read) {
		d.bound = lasts(d.bound, slices.ContainsFunc(d.pinned, compensate.Pinned.Pinned))
	}
	switch {
	case d.old > 0 && d.age > d.old:
		return stale
	case len(d.pinned) > 0 && d.bound >= d.long:
		return atABound
	case d.watches && d.unfit >= d.last:
		return unexplained
	}
	return trusted
}

// lasts counts ticks in which something holds without a break.
func lasts(ticks float64, holds bool) float64 {
	if !holds {
		return 0
	}
	return ticks + 1
}

// again gives the method another chance.
func (d *doubts) again() {
	d.bound, d.unfit, d.left, d.explained, d.command = 0, 0, 0, 0, 0
}

// value is what goes with a doubt: a time, s, the residual, %, or an age, s.
func (d *doubts) value(cause doubt) float64 {
	return [...]float64{atABound: d.p.AtBoundsS, unexplained: d.pct, stale: d.age}[cause]
}

func (d *doubts) describe(cause doubt, value float64) string {
	switch cause {
	case trusted:
		return ""
	case atABound:
		return fmt.Sprintf("a bound has held a parameter for %g s", value)
	case unexplained:
		return fmt.Sprintf("%s is %.3g %% of the command beyond sensor noise", d.what, value)
	}
	return fmt.Sprintf("the reading is %.3g ms old", 1e3*value)
}
