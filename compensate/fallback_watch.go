package compensate

import (
	"fmt"
	"math"

	"rths"
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
	p       Fallback
	rateHz  float64
	pinned  Pinned  // nil: no bounds
	watched Watched // nil: no residual
	settler settler // nil: it remembers no reading
	what    string  // it is

	bound, unfit             float64 // ticks since when
	left, explained, command float64 // mean squares, m²
	age                      float64 // of the reading, s
	pct                      float64 // residual above the noise, of the command, %
}

func newDoubts(p *Fallback, active rths.Compensator, rateHz float64) doubts {
	d := doubts{p: *p, rateHz: rateHz, what: "the residual of the identification"}
	if w, ok := rths.As[interface{ Watches() string }](active); ok {
		d.what = w.Watches()
	}
	d.settler, _ = rths.As[settler](active)
	if p.AtBoundsS > 0 {
		d.pinned, _ = rths.As[Pinned](active)
	}
	if p.ResidualPct > 0 {
		if d.watched, _ = rths.As[Watched](active); d.watched != nil {
			d.watched.Residual() // allocates
		}
	}
	return d
}

// weigh takes what left in this tick, and the residual, if there was something new to learn.
// Residual looks at the oldest entries of histories, which a state has no longer: it is asked
// before the tick ends.
func (d *doubts) weigh(command []float64, read *rths.Reading) {
	if d.watched == nil {
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
	e, n := d.watched.Residual()
	d.approach(&d.left, e*e)
	d.approach(&d.explained, n*n)
	more := max(d.left-4*d.explained, 0)
	d.unfit = lasts(d.unfit, more > d.command*math.Pow(d.p.ResidualPct/100, 2))
	if d.pct = 0; more > 0 && d.command > 0 {
		d.pct = 100 * math.Sqrt(more/d.command)
	}
}

// approach is a running mean over residual_s.
func (d *doubts) approach(mean *float64, v float64) {
	part := 1 / (1 + d.p.ResidualS*d.rateHz)
	if next := *mean + part*(v-*mean); rths.Finite(next) {
		*mean = next
	}
}

// blind reports whether the method learns nothing for want of readings: no parameter leaves a bound
// then, and the residual is of values that were held.
func (d *doubts) blind(read *rths.Reading) bool {
	return read.Age > 0 || d.settler != nil && d.settler.settles()
}

// look looks at the method as the last tick left it, and at the age of the reading.
func (d *doubts) look(read *rths.Reading) doubt {
	d.age = float64(read.Age) / d.rateHz
	if d.pinned != nil && !d.blind(read) {
		d.bound = lasts(d.bound, d.pinned.Pinned())
	}
	switch {
	case d.p.StaleS > 0 && d.age > d.p.StaleS:
		return stale
	case d.pinned != nil && d.bound >= max(d.p.AtBoundsS*d.rateHz, 1):
		return atABound
	case d.watched != nil && d.unfit >= max(d.p.ResidualS*d.rateHz, 1):
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
