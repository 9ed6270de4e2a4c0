package page

import (
	"testing"

	"rths/record"
	"rths/scenario"
)

// Rows tell when the run begins, and which readings and commands the link has lost.
func TestFeedOfALink(t *testing.T) {
	h := NewHub(nil)
	defer h.Close()
	of := plainTest(t)
	for _, name := range []string{"phase", "reading", "acted", "a0"} {
		of.Manifest.Columns = append(of.Manifest.Columns, record.Column{Name: name, Unit: "-", Source: "channel"})
	}
	of.Parameters = []scenario.Parameter{{Name: "a0", Lower: new(0.5)}}
	f, err := h.Begin(of)
	if err != nil {
		t.Fatal(err)
	}
	row := func(phase, reading, acted float64) { f.Row(append(rowAt(0, -1), phase, reading, acted, 1)) }
	row(0, -1, -1)
	row(1, 0, -1)
	row(1, 1, 0)
	if f.summary.start != nil {
		t.Errorf("the run has begun at %g s: want not yet", *f.summary.start)
	}
	row(2, 2, 1)
	row(2, 2, 1) // a late tick: the same reading again
	row(2, 4, 3) // reading 3 and command 2 are lost
	row(2, 5, 6) // commands 4 and 5
	row(3, 6, 7)
	if s := f.summary; s.start == nil || *s.start != 3./256 || s.readings != 1 || s.commands != 3 {
		t.Errorf("start %v, %d readings and %d commands lost: want 3/256 s, 1 and 3", s.start, s.readings, s.commands)
	}
	q := f.about.Quantities[len(f.about.Quantities)-1]
	if q.Panel != "parameters" || q.Name != "a0" || q.Lower == nil || *q.Lower != 0.5 || q.Upper != nil || !f.about.Linked {
		t.Errorf("the parameter is %+v: want a0 with the lower bound 0.5 and no upper one", q)
	}
}
