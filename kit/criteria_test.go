package kit

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"rths"
)

// peakOf is a good criterion, the largest measured displacement, and what a bad one
// changes of it.
type peakOf struct {
	peak      float64 // m
	looks     int     // summaries so far
	value     rths.Value
	bad       func(p *peakOf, f *rths.Frame) // at the beginning of Observe
	worse     func(p *peakOf)                // at the beginning of Summary
	stateless bool
}

var waste [][]float64

func (p *peakOf) Observe(f *rths.Frame) {
	if p.bad != nil {
		p.bad(p, f)
	}
	if f.Err != nil {
		return
	}
	for _, x := range f.Read.X {
		p.peak = max(p.peak, math.Abs(x))
	}
}

func (p *peakOf) Summary() []rths.Value {
	p.looks++
	if p.worse != nil {
		p.worse(p)
	}
	p.value.V = 1e3 * p.peak
	return []rths.Value{p.value}
}

func (p *peakOf) VisitState(v *rths.StateVisitor) {
	peak := p.peak
	if p.stateless {
		peak = 0
	}
	v.Float(&peak)
	if v.Restoring() {
		p.peak = peak
	}
}

// mute hides the state.
type mute struct{ p *peakOf }

func (m mute) Observe(f *rths.Frame) { m.p.Observe(f) }
func (m mute) Summary() []rths.Value { return m.p.Summary() }

func good() *peakOf {
	return &peakOf{value: rths.Value{Name: "peak_mm", Meaning: rths.Meaning{Quantity: "peak"}, Unit: "mm",
		Doc: "largest displacement", Family: "peak"}}
}

// The kit sees each broken promise, and nothing in a criterion that keeps all.
func TestCheckCriterionSees(t *testing.T) {
	made := 0
	change := func(do func(p *peakOf)) func() Criterion {
		return func() Criterion { p := good(); do(p); return p }
	}
	observe := func(bad func(p *peakOf, f *rths.Frame)) func() Criterion {
		return change(func(p *peakOf) { p.bad = bad })
	}
	for _, c := range []struct {
		want string // "" is none
		make func() Criterion
	}{
		{"", change(func(*peakOf) {})},
		{`want its unit, "mm", at the end of its name`, change(func(p *peakOf) { p.value.Name = "peak" })},
		{"want the quantity", change(func(p *peakOf) { p.value.Quantity = "" })},
		{"want words that say what it is", change(func(p *peakOf) { p.value.Doc = "" })},
		{`family "": want "peak"`, change(func(p *peakOf) { p.value.Family = "" })},
		{"0 values before the first tick, 1 after", func() Criterion { return silent{good()} }},
		{"comes twice", func() Criterion { return twice{good()} }},
		{"equal frames give other bits", func() Criterion { made++; p := good(); p.peak = float64(made); return p }},
		{"differs from the first", change(func(p *peakOf) { p.worse = func(p *peakOf) { p.peak++ } })},
		{"summaries on the way change the last one", change(func(p *peakOf) {
			p.worse = func(p *peakOf) {
				if p.looks > 2 && p.looks%2 == 1 {
					p.peak++
				}
			}
		})},
		{"the tick that failed changes the summary",
			observe(func(p *peakOf, f *rths.Frame) { p.peak = max(p.peak, f.Read.X[0]) })},
		{"lost readings: it panics: a reading is lost", observe(func(_ *peakOf, f *rths.Frame) {
			for _, x := range f.Read.X {
				if !rths.Finite(x) {
					panic("a reading is lost")
				}
			}
		})},
		{"other values after readings of NaN", observe(func(p *peakOf, f *rths.Frame) {
			if math.IsNaN(f.Read.F[0]) {
				p.value.Doc = "a reading was lost"
			}
		})},
		{"1 of 2 are left", func() Criterion { return long{good()} }},
		{"Observe changes the frame", observe(func(_ *peakOf, f *rths.Frame) { f.Command[0] = 0 })},
		{"it has no state to stop and resume with", func() Criterion { return mute{good()} }},
		{"the resumed criterion differs", change(func(p *peakOf) {
			p.stateless = true
			p.bad = func(p *peakOf, f *rths.Frame) {
				if f.K < 10 {
					p.peak = 1
				}
			}
		})},
		{"no allocation: ", observe(func(_ *peakOf, f *rths.Frame) {
			if f.K%1000 == 0 {
				waste = append(waste[:0], make([]float64, 3))
			}
		})},
	} {
		for _, actuators := range []int{1, 3} {
			broken := CheckCriterion(actuators, true, "peak", c.make)
			if c.want == "" && len(broken) > 0 || c.want != "" && !strings.Contains(fmt.Sprint(broken), c.want) {
				t.Errorf("%d actuators: the kit sees %q: want %q", actuators, broken, c.want)
			}
		}
	}
}

// silent says nothing before the first tick, twice says everything two times, long
// keeps a number too many.
type (
	long   struct{ *peakOf }
	silent struct{ *peakOf }
	twice  struct{ *peakOf }
)

func (l long) VisitState(v *rths.StateVisitor) {
	if l.peakOf.VisitState(v); !v.Restoring() {
		v.Floats([]float64{1})
	}
}

func (s silent) Summary() []rths.Value {
	if s.peak == 0 {
		return nil
	}
	return s.peakOf.Summary()
}

func (s twice) Summary() []rths.Value { return append(s.peakOf.Summary(), s.peakOf.Summary()...) }
