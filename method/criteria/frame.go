package criteria

import (
	"fmt"
	"slices"

	"rths"
)

// Point is a degree of freedom of numerical part and references that Frame compares.
// Displacement times Sign is the coordinate of the node.
type Point struct {
	Name string // as in J7_x_pct
	DOF  int    // from 0
	Sign float64
	Unit string // of its channels, as in m or rad
}

// Frame judges a test of several actuators in the coordinates of the node they hold:
// J4 to J10 of the multi-axial RTHS benchmark (docs/reference/benchmark-multiaxial.md, Criteria).
// With m the node's motion at the actuators' measured displacements, n the numerical
// part's motion and r a reference's,
//
//	J4       delay of m relative to n
//	J5, J6   std(m − n)/std(n), max|m − n|/max|n|
//	J7, J9   std(m − r)/std(r), max|m − r|/max|r|
//	J8, J10  std(n − r)/std(r), max|n − r|/max|r| at the other points
//
// For J4 the package's code repeats J1. J7 to J10 compare with the undivided structure;
// names with _mono compare with numerical part and specimen as one structure, where that is
// another one. The benchmark takes 902.5 kg out and puts 8.45 kg back, so perfect actuators still miss
// the undivided structure by some percent. Names with _true take m from displacements
// without sensor noise.
type Frame struct {
	rateHz float64
	truth  bool        // there are true displacements
	refs   []Reference // undivided; and monolithic, if that is another one
	state  []*rths.Motion
	held   []Point // of the interface
	other  []Point
	tally  tally
	fresh  []float64 // the signals of a tick
	shown  []float64 // channels: numerical part, both references, and of the node the measured motion
	lag    []delays  // of m and the true m relative to n
	before []float64 // targets of the tick before: with timing "next" n of this tick
}

// heldSignals of a held coordinate are n; m − n and its true form; for each reference r,
// m − r and its true form. otherSignals of another point are r and n − r for each reference.
func (c *Frame) heldSignals() int  { return 3 + 3*len(c.refs) }
func (c *Frame) otherSignals() int { return 2 * len(c.refs) }

// shownEach is the number of channels of a point.
const shownEach = 4

// NewFrame judges a run whose interface coordinates are the first held points. mono is nil
// where numerical part and specimen are the undivided structure. truth says whether
// readings carry true displacements.
func NewFrame(rateHz float64, whole, mono Reference, points []Point, held int, truth bool) *Frame {
	f := &Frame{rateHz: rateHz, truth: truth, refs: []Reference{whole}, held: points[:held], other: points[held:]}
	if mono != nil {
		f.refs = append(f.refs, mono)
	}
	for _, r := range f.refs {
		f.state = append(f.state, r.State())
	}
	f.before = make([]float64, held)
	for range held {
		f.lag = append(f.lag, newDelays(truth, true))
	}
	n := f.heldSignals()*held + f.otherSignals()*len(f.other)
	f.tally, f.fresh, f.shown = newTally(n), make([]float64, n), make([]float64, shownEach*len(points))
	return f
}

// FrameKeys are the keys of Frame: none.
type FrameKeys struct{}

// Make makes Frame where several actuators have their references.
func (*FrameKeys) Make(at At) ([]Criterion, error) {
	if at.Reference == nil || at.Points == nil {
		return nil, nil
	}
	return []Criterion{NewFrame(at.StepHz, at.Reference, at.Monolithic, at.Points, at.Held, at.Truth)}, nil
}

// UsesNumerical: the numerical part is set against others of its instant.
func (*Frame) UsesNumerical() {}

// Observe advances the references and adds a tick.
func (c *Frame) Observe(f *rths.Frame) {
	for _, r := range c.refs {
		r.Step(f.Ground)
	}
	if f.Err != nil {
		return
	}
	v, show := c.fresh, c.shown
	for i, p := range c.held {
		n, m, truth := f.InterfaceTarget.X[i], f.InterfaceRead.X[i], 0.0
		if c.truth {
			truth = f.InterfaceRead.TrueX[i]
		}
		if f.TargetK > f.K {
			n, c.before[i] = c.before[i], n
		}
		c.lag[i].add(n, m, truth)
		v[0], v[1], v[2] = n, m-n, truth-n
		for j, s := range c.state {
			r := p.Sign * s.X[p.DOF]
			v[3+3*j], v[4+3*j], v[5+3*j] = r, m-r, truth-r
		}
		show[0], show[1], show[3] = n, v[3], m
		if len(c.refs) > 1 {
			show[2] = v[6]
		}
		v, show = v[c.heldSignals():], show[shownEach:]
	}
	for _, p := range c.other {
		n := p.Sign * f.Num.X[p.DOF]
		for j, s := range c.state {
			r := p.Sign * s.X[p.DOF]
			v[2*j], v[2*j+1] = r, n-r
		}
		if show[0], show[1] = n, v[0]; len(c.refs) > 1 {
			show[2] = v[2]
		}
		v, show = v[c.otherSignals():], show[shownEach:]
	}
	if c.tally.n == 0 {
		c.tally.start(c.fresh...)
	}
	c.tally.n++
	for i, x := range c.fresh {
		c.tally.sums[i].add(x)
	}
}

// Summary is J4 to J10 in order, then the criteria against the monolithic solution and
// the criteria without sensor noise, if there are true displacements.
func (c *Frame) Summary() []rths.Value {
	var out, mono, between, truth []rths.Value
	add := func(to *[]rths.Value, number int, of rths.Meaning, unit string, v float64, doc string) {
		of.Quantity, of.Exact = fmt.Sprintf("J%d", number), to == &truth
		switch {
		case number == 0:
			of.Quantity = "delay"
		case to == &mono: // the benchmark has no number for them
			number = 0
		}
		*to = append(*to, rths.Value{Meaning: of, Unit: unit, V: v, Doc: doc, Number: number})
	}
	t, ms := &c.tally, 1e3/c.rateHz
	for i, p := range c.held {
		of := rths.Meaning{Coordinate: p.Name}
		whole, fine := c.lag[i].delay(measured, &t.sums[i*c.heldSignals()])
		add(&out, 4, of, "ms", whole*ms, "delay of the node's measured "+p.Name+" after the numerical part's, whole samples")
		add(&between, 0, of, "ms", fine*ms, "the same delay in fractions of a sample; negative: the measured motion leads")
		if c.truth {
			whole, fine = c.lag[i].delay(exact, &t.sums[i*c.heldSignals()])
			add(&truth, 4, of, "ms", whole*ms, "the same without sensor noise")
			add(&truth, 0, of, "ms", fine*ms, "the same without sensor noise")
		}
	}
	type ratio func(e, of int) float64
	pair := func(std, peak int, do func(number int, r ratio, what string)) {
		do(std, t.stdRatio, "standard deviation")
		do(peak, t.peakRatio, "peak")
	}
	pair(5, 6, func(number int, r ratio, what string) {
		for i, p := range c.held {
			at, of := i*c.heldSignals(), rths.Meaning{Coordinate: p.Name}
			add(&out, number, of, "%", r(at+1, at),
				what+" of measured minus numerical "+p.Name+" over "+what+" of numerical "+p.Name)
			add(&truth, number, of, "%", r(at+2, at), "the same without sensor noise")
		}
	})
	against := []struct {
		key, what string
		to        *[]rths.Value
	}{{"", "the undivided structure", &out}, {"mono", "numerical part and specimen as one", &mono}}
	for j, a := range against[:len(c.refs)] {
		pair(7, 9, func(number int, r ratio, what string) {
			for i, p := range c.held {
				at, of := i*c.heldSignals()+3+3*j, rths.Meaning{Coordinate: p.Name, Against: a.key}
				add(a.to, number, of, "%", r(at+1, at),
					what+" of measured minus reference "+p.Name+" over "+what+" of the reference: "+a.what)
				add(&truth, number, of, "%", r(at+2, at), "the same without sensor noise")
			}
		})
		pair(8, 10, func(number int, r ratio, what string) {
			for i, p := range c.other {
				at, of := len(c.held)*c.heldSignals()+i*c.otherSignals()+2*j, rths.Meaning{Coordinate: p.Name, Against: a.key}
				add(a.to, number, of, "%", r(at+1, at),
					what+" of numerical minus reference "+p.Name+" over "+what+" of the reference: "+a.what)
			}
		})
	}
	if !c.truth {
		truth = nil
	}
	return ofFamily("frame", slices.Concat(out, mono, between, truth))
}

// Points are the quantities of the channels of Frame, each of every point; the node alone has the last one.
var Points = []string{"numerical", "undivided", "monolithic", "measured"}

// Channels are the motions of the points: of the numerical part, of both references,
// and of the node as measured. Their units stand beside their names.
func (c *Frame) Channels() []rths.Channel {
	var out []rths.Channel
	for i, p := range append(append([]Point(nil), c.held...), c.other...) {
		quantities := Points
		if i >= len(c.held) {
			quantities = Points[:3]
		}
		for j, q := range quantities {
			if j == 2 && len(c.refs) == 1 {
				continue
			}
			of := rths.Meaning{Quantity: q, Coordinate: p.Name}
			out = append(out, rths.Channel{Name: of.NameIn(""), Meaning: of, Unit: p.Unit, V: &c.shown[shownEach*i+j]})
		}
	}
	return out
}

// Decaying is the references.
func (c *Frame) Decaying() []rths.Stateful { return stateful(c.refs...) }

// VisitState visits all sums and buffers and the state of the references.
func (c *Frame) VisitState(v *rths.StateVisitor) {
	c.tally.visit(v)
	v.Floats(c.before)
	for i := range c.lag {
		c.lag[i].visit(v)
	}
	for _, r := range c.refs {
		v.StateOf(r)
	}
}
