package page

import (
	"rths"
	"rths/result/record"
)

// Observer gives the ticks of a loop in this process to a feed.
type Observer struct {
	layout *record.Layout
	feed   *Feed
	row    []float64
}

// NewObserver is the observer of a loop's frame, with the columns of this layout. It looks at no velocities of the
// numerical part, so it costs the loop none.
func NewObserver(l *record.Layout, f *Feed) *Observer {
	return &Observer{layout: l, feed: f, row: make([]float64, len(l.Columns))}
}

// Observe takes a tick.
func (o *Observer) Observe(f *rths.Frame) {
	if o.layout.Row(o.row, f) == nil {
		o.feed.Row(o.row)
	}
}
