// Package judge judges a test of another program. Columns of a file give targets and
// measured displacements of one or several actuators; the criteria of a run look at them
// tick by tick; and an archive as of a run keeps them for reports. Units are SI: m, rad,
// N, s.
package judge

import (
	"math"
	"slices"

	"rths"
	"rths/method/criteria"
	"rths/result/record"
	"rths/result/tables"
)

// Axis is the record of one actuator: target, measured displacement and command in m,
// force in N, at the same instants. Command and Force may be none.
type Axis struct{ Target, Measured, Command, Force record.Signal }

// Coordinate is a coordinate of the node that several actuators hold: the numerical
// part's motion and the measured motion, m or rad.
type Coordinate struct {
	Name                string // x or theta
	Numerical, Measured record.Signal
}

// Test is a recorded test.
type Test struct {
	RateHz float64
	StartS float64 // time of the first sample
	Axes   []Axis
	Node   []Coordinate  // nil: none in the file
	Ground record.Signal // acceleration of the ground, m/s²; may be none
	Used   []tables.Used // the columns
}

// Samples is the length of the record.
func (t *Test) Samples() int { return t.Axes[0].Target.Len() }

// Criteria judges the test: the tracking criteria of a run (J1 to J3 and others), the
// frequency-domain index of the whole record, delays at zero crossings, and the energy of
// force over displacement. Names of several actuators are numbered; J4 to J6 judge their
// node.
func (t *Test) Criteria() []rths.Value {
	out, whole := t.criteria()
	whole()
	return out
}

// criteria is Criteria, where the frequency-domain indices are NaN until whole has put them in: they take the longest,
// and are found beside the rest and what the caller does before whole.
func (t *Test) criteria() (out []rths.Value, whole func()) {
	indices := t.indices()
	for i := range t.Axes {
		out = append(out, t.ofAxis(i)...)
	}
	for i := range t.Node {
		out = append(out, t.ofNode(&t.Node[i])...)
	}
	return out, func() {
		for i, index := range indices() {
			for _, v := range index.Values(rths.Component(i, len(t.Axes))) {
				same := func(of rths.Value) bool { return of.Meaning == v.Meaning }
				out[slices.IndexFunc(out, same)].V = v.V
			}
		}
	}
}

// indices begins to find the frequency-domain indices of all axes, one after the other because of their memory, and
// returns a function that waits for them. Signals that no second goroutine can read are read by that function.
func (t *Test) indices() func() []criteria.Index {
	axes, apart := slices.Clone(t.Axes), true
	for i := range axes {
		a, target, measured := &axes[i], false, false
		a.Target, target = a.Target.Apart()
		a.Measured, measured = a.Measured.Apart()
		apart = apart && target && measured
	}
	find := func() (out []criteria.Index) {
		for _, a := range axes {
			out = append(out, criteria.IndexOf(t.Samples(), a.Target.At, a.Measured.At, t.RateHz))
		}
		return out
	}
	if !apart {
		return find
	}
	found := make(chan []criteria.Index, 1)
	go func() { found <- find() }()
	return func() []criteria.Index { return <-found }
}

func (t *Test) ofAxis(i int) []rths.Value {
	a, number := &t.Axes[i], rths.Component(i, len(t.Axes))
	track := criteria.NewTracking(t.RateHz, i, len(t.Axes), false)
	t.replay(track.Observe)
	out := track.Summary()
	unknown := math.NaN()
	out = append(out, criteria.Index{A: unknown, FEq: unknown, DelS: unknown}.Values(number)...)
	steady := steadinessOf(a.Target, a.Measured, valueOf(out, rths.Meaning{Quantity: "J1", Axis: number})/1e3*t.RateHz)
	median, spread := ZeroCrossingDelay(a.Target, steady.of(a.Measured))
	out = append(out, steady.values(number, t.Samples())...)
	out = append(out,
		rths.Value{Meaning: rths.Meaning{Quantity: "delay_zero", Axis: number}, Unit: "ms", V: 1e3 * median / t.RateHz,
			Doc: "median delay of the measured displacement, without offset and drift, where the target crosses zero; " +
				"negative leads"},
		rths.Value{Meaning: rths.Meaning{Quantity: "delay_zero_spread", Axis: number}, Unit: "ms", V: 1e3 * spread / t.RateHz,
			Doc: "half the interquartile range of the delay at zero crossings"})
	if !a.Force.None() {
		out = append(out, a.energies(number)...)
	}
	return rths.Named(out)
}

// valueOf is the value of that meaning, NaN where there is none.
func valueOf(values []rths.Value, of rths.Meaning) float64 {
	for _, v := range values {
		if v.Meaning == of {
			return v.V
		}
	}
	return math.NaN()
}

// ofNode is J4 to J6 of the multi-axial benchmark: J1 to J3 of a coordinate of the node.
func (t *Test) ofNode(c *Coordinate) []rths.Value {
	one := &Test{RateHz: t.RateHz, Axes: []Axis{{Target: c.Numerical, Measured: c.Measured}}}
	track := criteria.NewTracking(t.RateHz, 0, 1, false)
	one.replay(track.Observe)
	var out []rths.Value
	for _, v := range track.Summary() {
		for _, as := range []struct{ from, quantity, doc string }{
			{"J1", "J4", "delay of the node's measured " + c.Name + " after numerical " + c.Name + ", whole samples"},
			{"J2", "J5",
				"standard deviation of measured minus numerical " + c.Name + " over standard deviation of numerical " + c.Name},
			{"J3", "J6", "peak of measured minus numerical " + c.Name + " over peak of numerical " + c.Name},
			{"delay", "delay", "the delay of " + c.Name + ", in fractions of a sample; negative: the measured motion leads"},
		} {
			if v.Quantity == as.from {
				of := rths.Meaning{Quantity: as.quantity, Coordinate: c.Name}
				out = append(out, rths.Value{Meaning: of, Unit: v.Unit, V: v.V, Doc: as.doc})
			}
		}
	}
	return rths.Named(out)
}

// energies are ∫F dx over the measured displacement, the work on the specimen, and ∫F dx
// over the target, the work in the numerical part. The tracking error adds the difference
// to the test: for a spring k with amplitude X and lag φ, π k X² sin φ per cycle.
func (a *Axis) energies(number int) []rths.Value {
	specimen, numerical, peak := work(a.Force, a.Measured), work(a.Force, a.Target), 0.0
	for k := range a.Force.Len() {
		peak = max(peak, math.Abs(a.Force.At(k)))
	}
	of := func(quantity string) rths.Meaning { return rths.Meaning{Quantity: quantity, Axis: number} }
	return []rths.Value{
		{Meaning: of("force_peak"), Unit: "kN", V: peak / 1e3, Doc: "peak measured force"},
		{Meaning: of("work"), Unit: "J", V: specimen, Doc: "work done on the specimen: force over measured displacement"},
		{Meaning: of("work_target"), Unit: "J", V: numerical,
			Doc: "work that the numerical part gives: force over target displacement"},
		{Meaning: of("energy_added"), Unit: "J", V: specimen - numerical,
			Doc: "energy that the tracking error adds to the test: a lag adds energy, a lead takes energy out"},
	}
}

// work is ∫F dx by the trapezoidal rule.
func work(force, x record.Signal) float64 {
	sum, f0, x0 := 0.0, force.At(0), x.At(0)
	for k := 1; k < x.Len(); k++ {
		f1, x1 := force.At(k), x.At(k)
		sum += (f1 + f0) / 2 * (x1 - x0)
		f0, x0 = f1, x1
	}
	return sum
}

// frame makes the frame of a test.
func (t *Test) frame() *rths.Frame {
	unknown, n := math.NaN(), len(t.Axes) // the file has no ground motion
	f := &rths.Frame{Desired: make([]float64, n), Read: rths.Reading{Motion: rths.Motion{X: make([]float64, n)}},
		Ground: []float64{unknown, unknown, unknown}}
	if !t.Axes[0].Command.None() {
		f.Command = make([]float64, n)
	}
	if !t.Axes[0].Force.None() {
		f.Read.F = make([]float64, n)
	}
	return f
}

// replay calls look with every tick of the test.
func (t *Test) replay(look func(f *rths.Frame)) { t.replayInto(t.frame(), look) }

func (t *Test) replayInto(f *rths.Frame, look func(f *rths.Frame)) {
	for k := range t.Samples() {
		f.K, f.T = k, t.StartS+float64(k)/t.RateHz
		for i, a := range t.Axes {
			f.Desired[i], f.Read.X[i] = a.Target.At(k), a.Measured.At(k)
			if f.Command != nil {
				f.Command[i] = a.Command.At(k)
			}
			if f.Read.F != nil {
				f.Read.F[i] = a.Force.At(k)
			}
		}
		look(f)
	}
}

// Record writes the test into dir as the archive of a run, without ground motion and
// numerical part.
func (t *Test) Record(dir string, m record.Manifest) error {
	m.RateHz, m.Samples = t.RateHz, t.Samples()
	m.SimulatedS = float64(m.Samples) / t.RateHz
	f := t.frame()
	w, err := record.NewRecorder(dir, m, f, nil)
	if err != nil {
		return err
	}
	t.replayInto(f, w.Observe)
	return w.Close(m)
}
