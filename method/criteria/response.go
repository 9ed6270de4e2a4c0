package criteria

import (
	"fmt"

	"rths"
)

// Reference is the response of the undivided structure, or of the structure with the
// specimen beside it, advanced with the run: after Step with the window of tick k, State
// is the motion at t_k.
type Reference interface {
	Step(ground []float64)
	State() *rths.Motion
}

// stateful are the references that implement rths.Stateful.
func stateful(refs ...Reference) (out []rths.Stateful) {
	for _, r := range refs {
		if s, ok := r.(rths.Stateful); ok {
			out = append(out, s)
		}
	}
	return out
}

// Response compares a run with the reference structure: J4 to J9. The measured
// displacement of the first axis is compared at the interface, the numerical part at the
// other floors.
type Response struct {
	ref    Reference
	state  *rths.Motion // of the reference
	dof    int          // of the interface
	truth  bool         // there is a true displacement
	others []int        // the other degrees of freedom

	tally tally
	first []float64 // room for the values of the first tick
}

// Signals of Response: R1, x − R1, the same without sensor noise, and for each
// of the other floors its reference and its error.
const (
	base = iota
	baseErr
	exactBaseErr
	floors
)

// NewResponse judges a structure of n degrees of freedom with the interface at
// dof (from 0). truth says whether readings carry true displacements.
func NewResponse(ref Reference, n, dof int, truth bool) *Response {
	r := &Response{ref: ref, state: ref.State(), dof: dof, truth: truth}
	for i := range n {
		if i != dof {
			r.others = append(r.others, i)
		}
	}
	r.tally = newTally(floors + 2*len(r.others))
	r.first = make([]float64, 0, floors+2*len(r.others))
	return r
}

// ResponseKeys are the keys of Response: none.
type ResponseKeys struct{}

// Make makes Response where one actuator has a reference.
func (*ResponseKeys) Make(at At) ([]Criterion, error) {
	if at.Reference == nil || at.Points != nil {
		return nil, nil
	}
	return []Criterion{NewResponse(at.Reference, at.Floors, at.Interface, at.Truth)}, nil
}

// UsesNumerical: the numerical part is set against others of its instant.
func (*Response) UsesNumerical() {}

// Observe advances the reference and adds a tick.
func (r *Response) Observe(f *rths.Frame) {
	r.ref.Step(f.Ground)
	if f.Err != nil {
		return
	}
	ref, num, x, truth := r.state.X, f.Num.X, f.Read.X[0], 0.0
	if r.truth {
		truth = f.Read.TrueX[0]
	}
	r1 := ref[r.dof]
	if r.tally.n == 0 {
		r.start(ref, num, x, truth)
	}
	r.tally.n++
	sums := r.tally.sums
	sums[base].add(r1)
	sums[baseErr].add(x - r1)
	sums[exactBaseErr].add(truth - r1)
	sums = sums[floors:]
	for _, d := range r.others {
		sums[0].add(ref[d])
		sums[1].add(num[d] - ref[d])
		sums = sums[2:]
	}
}

// start takes the first values.
func (r *Response) start(ref, num []float64, x, truth float64) {
	values := append(r.first[:0], ref[r.dof], x-ref[r.dof], truth-ref[r.dof])
	for _, d := range r.others {
		values = append(values, ref[d], num[d]-ref[d])
	}
	r.tally.start(values...)
}

// Summary is J4 and J5, then, in the order of the benchmark's code, the
// standard deviations of the other floors and their peaks: J6 to J9 for its
// three floors. (Paper 002 Table 3 defines another order; its Table 5 follows this
// one.)
func (r *Response) Summary() []rths.Value {
	t := &r.tally
	out := []rths.Value{
		{Meaning: rths.Meaning{Quantity: "J4"}, Unit: "%", Number: 4, V: t.stdRatio(baseErr, base),
			Doc: "standard deviation of measured minus reference displacement over standard deviation of the reference, " +
				"interface floor"},
		{Meaning: rths.Meaning{Quantity: "J5"}, Unit: "%", Number: 5, V: t.peakRatio(baseErr, base),
			Doc: "peak of measured minus reference displacement over peak reference, interface floor"},
	}
	for i, d := range r.others {
		of, number := r.of(d, "std", 6)
		out = append(out, rths.Value{Meaning: of, Unit: "%", Number: number, V: t.stdRatio(floors+2*i+1, floors+2*i),
			Doc: fmt.Sprintf(
				"standard deviation of numerical minus reference displacement over standard deviation of the reference, floor %d",
				d+1)})
	}
	for i, d := range r.others {
		of, number := r.of(d, "peak", 8)
		out = append(out, rths.Value{Meaning: of, Unit: "%", Number: number, V: t.peakRatio(floors+2*i+1, floors+2*i),
			Doc: fmt.Sprintf("peak of numerical minus reference displacement over peak reference, floor %d", d+1)})
	}
	out = append(out,
		rths.Value{Meaning: rths.Meaning{Quantity: "J4_rms"}, Unit: "%", V: t.rmsRatio(baseErr, base),
			Doc: "J4 without removal of means"},
		rths.Value{Meaning: rths.Meaning{Quantity: "J5_centred"}, Unit: "%", V: t.peakRatioCentred(baseErr, base),
			Doc: "J5 with removal of means"})
	if r.truth {
		out = append(out,
			rths.Value{Meaning: rths.Meaning{Quantity: "J4", Exact: true}, Unit: "%", Number: 4,
				V:   t.stdRatio(exactBaseErr, base),
				Doc: "J4 on the displacement without sensor noise"},
			rths.Value{Meaning: rths.Meaning{Quantity: "J5", Exact: true}, Unit: "%", Number: 5,
				V:   t.peakRatio(exactBaseErr, base),
				Doc: "J5 on the displacement without sensor noise"})
	}
	return ofFamily("response", out)
}

// of is the criterion of another floor: J6 to J9 for the benchmark's three floors with
// the interface at the first, so that a J7 always is the same thing; std or peak of the
// floor otherwise. first is the number at the second floor.
func (r *Response) of(d int, what string, first int) (of rths.Meaning, number int) {
	if r.dof == 0 && len(r.others) == 2 {
		number = first + d - 1
		return rths.Meaning{Quantity: fmt.Sprintf("J%d", number)}, number
	}
	return rths.Meaning{Quantity: what, Floor: d + 1}, 0
}

// ReferenceX is the quantity of the channels of Response, ref_x1, ref_x2, …, whose unit stands beside their names.
const ReferenceX = "ref_x"

// Channels are the displacements of the reference, as far as they are judged.
func (r *Response) Channels() []rths.Channel {
	x := r.state.X
	out := make([]rths.Channel, len(r.others)+1)
	for i := range out {
		of := rths.Meaning{Quantity: ReferenceX, Floor: i + 1}
		out[i] = rths.Channel{Name: fmt.Sprintf("%s%d", ReferenceX, i+1), Meaning: of, Unit: "m", V: &x[i]}
	}
	return out
}

// Decaying is the reference.
func (r *Response) Decaying() []rths.Stateful { return stateful(r.ref) }

// VisitState visits all sums and the state of the reference.
func (r *Response) VisitState(v *rths.StateVisitor) {
	r.tally.visit(v)
	v.StateOf(r.ref)
}
