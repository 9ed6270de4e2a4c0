package report

import (
	"fmt"
	"slices"
	"strings"

	"rths"
	"rths/method/learn"
	"rths/result/plotting"
	"rths/result/record"
)

// learningTitle says what the bands of its figures are.
const learningTitle = "Learning, with bands of ± 2 standard deviations"

// learning is each parameter that devices learn with its standard deviation and bounds, then the residual of the force
// of each group over the band that it should lie in.
func (fs *figures) learning(s source) []figure {
	var values, residuals []figure
	for _, c := range s.channels() {
		switch c.Quantity {
		case learn.Learned:
			values = append(values, fs.learned(s, c))
		case learn.Residual:
			f := figure{id: "learning-residual", xLabel: timeLabel, yLabel: "residual, N"}
			f.title = fmt.Sprintf("devices[%d]: measured force less the predicted one", c.Floor)
			t, _ := s.trace(c.Name, 1)
			f.line(true, "residual", overTime, fs.add(t), plotting.Colours[2])
			if sd, ok := s.of(rths.Meaning{Quantity: learn.ResidualSD, Floor: c.Floor}, 2); ok {
				zero := t
				zero.values, zero.of = t.values.Times(0), "0"
				f.curves[0].band = fs.bandOf(zero, sd, nil)
			}
			odd := func(g record.Learned) bool { return g.Devices == c.Floor && g.NotWhite }
			if slices.ContainsFunc(s.archive.Learned, odd) {
				f.title += ", not white at the end"
			}
			residuals = append(residuals, f)
		}
	}
	return slices.Concat(values, residuals)
}

// learned is a parameter with its band and, where the manifest has them, its bounds.
func (fs *figures) learned(s source, c record.Column) figure {
	scale, label := fs.readable([]source{s}, c)
	value, _ := s.trace(c.Name, scale)
	bare := strings.TrimPrefix(c.Name, fmt.Sprintf("learn%d_", c.Floor))
	f := figure{id: "learning", title: fmt.Sprintf("devices[%d].%s", c.Floor, bare), channel: c.Name, xLabel: timeLabel,
		yLabel: label, shape: small}
	f.line(true, c.Name, overTime, fs.add(value), plotting.Colours[2])
	fs.bound(&f, c)
	for _, g := range s.archive.Learned {
		for _, p := range g.Parameters {
			if p.Name == c.Name {
				f.bounds = []float64{scale * float64(p.Lower), scale * float64(p.Upper)}
			}
		}
	}
	if sd, ok := s.trace(learn.SDName(c.Name), 2*scale); ok {
		f.curves[0].band = fs.bandOf(value, sd, f.bounds)
	}
	return f
}

// bandOf keeps the ends of a band of half the width around a trace, within bounds; nil: none.
func (fs *figures) bandOf(t, half trace, bounds []float64) [2]int {
	end := func(sign float64) int {
		out := trace{start: t.start, rate: t.rate, of: fmt.Sprintf("%s %+g %s", t.of, sign, half.of), ends: new(ends)}
		out.values = record.SignalBy(t.values.Len(), func(k int) float64 {
			v := t.values.At(k) + sign*half.values.At(k)
			if bounds != nil {
				v = min(max(v, bounds[0]), bounds[1])
			}
			return v
		})
		return fs.add(out)
	}
	return [2]int{end(-1), end(1)}
}

// learnedTable is what devices have learned: of one run with the start and the bounds.
func learnedTable(runs []*record.Archive, names []string) table {
	t := table{Title: "What devices have learned, ± standard deviation", First: "Parameter", Heads: names, Titled: true}
	if len(runs) == 1 {
		t.Heads = []string{"Began at", "Ended at", "Bounds", "Fell back"}
	}
	for i, a := range runs {
		for _, g := range a.Learned {
			for _, p := range g.Parameters {
				row := t.row(Label(rths.Value{Name: p.Key, Unit: strings.Trim(p.Unit, "-")}))
				if len(runs) > 1 {
					row.Cells[i] = p.WithSD()
					continue
				}
				row.Cells = []string{p.Start(), p.WithSD(), p.Bounds(), fmt.Sprintf("%d ×", g.FellBack)}
			}
		}
	}
	return t
}
