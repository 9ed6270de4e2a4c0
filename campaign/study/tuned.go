package study

import (
	"errors"
	"fmt"
	"math"

	"rths"
)

// Tuned is the range of a key that a search tunes. It maps the edge [0, 1] of the unit cube to values.
type Tuned struct {
	From float64 `yaml:"from" doc:"least value, in the unit of the key; above 0 if log"`
	To   float64 `yaml:"to" doc:"largest value, above from"`
	Log  bool    `yaml:"log" doc:"search the logarithm of the key, so that all orders of magnitude count alike"`
}

// Check refuses a range that cannot be searched.
func (r Tuned) Check() error {
	switch {
	case !rths.Finite(r.From) || !rths.Finite(r.To):
		return errors.New("a number that is not finite: want finite numbers")
	case !(r.From < r.To):
		return fmt.Errorf("from %g to %g: want from less than to", r.From, r.To)
	case r.Log && !(r.From > 0):
		return fmt.Errorf("from %g with log: want from above 0, or no log", r.From)
	case math.IsInf(r.To-r.From, 0):
		return fmt.Errorf("from %g to %g: want a range of at most %g", r.From, r.To, math.MaxFloat64)
	}
	return nil
}

// Value is the value at u in [0, 1]: From at 0 and To at 1, both exactly, and never beyond.
func (r Tuned) Value(u float64) float64 {
	switch {
	case u <= 0:
		return r.From
	case u >= 1:
		return r.To
	case r.Log:
		from, to := math.Log(r.From), math.Log(r.To)
		return r.within(math.Exp(from + u*(to-from)))
	}
	return r.within(r.From + u*(r.To-r.From))
}

func (r Tuned) within(x float64) float64 { return min(max(x, r.From), r.To) }

// U is the inverse of Value, but for rounding. A value beyond the range has the u of the nearer end.
func (r Tuned) U(x float64) float64 {
	switch {
	case x <= r.From:
		return 0
	case x >= r.To:
		return 1
	case r.Log:
		from, to := math.Log(r.From), math.Log(r.To)
		return min(max((math.Log(x)-from)/(to-from), 0), 1)
	}
	return min(max((x-r.From)/(r.To-r.From), 0), 1)
}
