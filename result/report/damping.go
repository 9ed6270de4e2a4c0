package report

import (
	"fmt"

	"rths/result/judge"
	"rths/result/plotting"
	"rths/result/record"
)

// DampingSentence is what control errors did to the damping of a run, as judge says it; "": nothing is known of its
// numerical part.
func DampingSentence(a *record.Archive) string {
	if d := judge.OfRun(a); d != nil {
		return d.Sentence() + "."
	}
	return ""
}

// damping is the sentence on damping that control errors added, and this damping and frequency over time, each at the
// middle of its window, with two standard errors.
func (fs *figures) damping(a *record.Archive) (list []figure) {
	d := judge.OfRun(a)
	if d == nil {
		return nil
	}
	fs.added = d.Sentence() + "."
	if d.CannotTell != "" || len(d.Windows) < 2 {
		return nil
	}
	of := func(value func(w *judge.Window) float64) int {
		var out []float64
		for i := range d.Windows {
			out = append(out, value(&d.Windows[i]))
		}
		return fs.add(listed(out))
	}
	at := of(func(w *judge.Window) float64 { return (w.FromS + w.ToS) / 2 })
	w := &d.Windows[0]
	for _, part := range []struct {
		id, title, label string
		of               func(w *judge.Window) (v, se float64)
	}{
		{"added-damping", "Damping added to mode 1", "points",
			func(w *judge.Window) (float64, float64) { return 100 * w.Added, 100 * w.AddedSE }},
		{"moved-frequency", "Frequency of mode 1, moved", "%",
			func(w *judge.Window) (float64, float64) { return 100 * w.Moved, 100 * w.MovedSE }},
	} {
		f := figure{id: part.id, title: part.title, xLabel: fmt.Sprintf("time, s: middle of %.3g s", w.ToS-w.FromS),
			yLabel: part.label, shape: half, least: leastAdded}
		for i, times := range []float64{-2, 2, 0} {
			name := [...]string{"− 2 standard errors", "+ 2 standard errors", "by control errors"}[i]
			y := of(func(w *judge.Window) float64 { v, se := part.of(w); return v + times*se })
			f.curves = append(f.curves, curve{name: name, x: at, y: y, colour: plotting.Colours[1], dashed: times != 0})
		}
		list = append(list, f)
	}
	return list
}

// leastAdded is a damping ratio, %, or a frequency, %, that no axis magnifies.
const leastAdded = 0.1
