package scenario

import (
	"rths"
	"rths/criteria"
	"rths/plant"
)

// judge adds tracking of every actuator, the voltages where commands leave as such, and
// for a closed loop the comparison with a reference response.
func (b *builder) judge() error {
	n := b.s.Axes()
	for i := range n {
		b.judgeBy(criteria.NewTracking(b.s.RateHz, i, n, true))
	}
	if w, ok := b.s.Transfer.Params.(plant.Wired); ok {
		var per, at []float64
		for _, c := range w.Channels() {
			p, a := c.Volts()
			per, at = append(per, p), append(at, a)
		}
		b.judgeBy(criteria.NewDrive(per, at))
	}
	if b.part == nil || b.s.Loop == "open" {
		return nil
	}
	return b.boundary.compare(b)
}

// judge is an observer that sums the run up.
type judge interface {
	rths.Observer
	rths.Summarizer
}

func (b *builder) judgeBy(j judge) {
	b.observers = append(b.observers, j)
	b.run.Criteria = append(b.run.Criteria, j)
}
