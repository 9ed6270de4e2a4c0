package criteria

import (
	"fmt"

	"rths"
)

// Reference is the response of the undivided structure, advanced in step with
// the run: after Step with the window of tick k, State is the motion at t_k.
type Reference interface {
	Step(ground []float64)
	State() *rths.Motion
}

// Response compares a run with the reference structure: J4 to J9. The first
// axis is compared at its interface degree of freedom, the other floors of the
// numerical part with those of the reference.
type Response struct {
	ref    Reference
	dof    int // of the interface
	truth  bool
	others []int // the other degrees of freedom

	base, err, exactErr moments   // R1, x − R1, true x − R1
	floor, floorErr     []moments // of the others
}

// NewResponse judges a structure of n degrees of freedom with the interface at
// dof (from 0).
func NewResponse(ref Reference, n, dof int, truth bool) *Response {
	r := &Response{ref: ref, dof: dof, truth: truth}
	for i := range n {
		if i != dof {
			r.others = append(r.others, i)
		}
	}
	r.floor, r.floorErr = make([]moments, len(r.others)), make([]moments, len(r.others))
	return r
}

// Observe advances the reference and adds a tick.
func (r *Response) Observe(f *rths.Frame) {
	r.ref.Step(f.Ground)
	if f.Err != nil {
		return
	}
	ref, x := r.ref.State().X, f.Read.X[0]
	r.base.add(ref[r.dof])
	r.err.add(x - ref[r.dof])
	if r.truth {
		r.exactErr.add(f.Read.TrueX[0] - ref[r.dof])
	}
	for i, d := range r.others {
		r.floor[i].add(ref[d])
		r.floorErr[i].add(f.Num.X[d] - ref[d])
	}
}

// Summary is J4 and J5, then, in the order of the benchmark's code, the
// standard deviations of the other floors and their peaks: J6 to J9 for three
// floors. (Paper 002 Table 3 defines another order; its Table 5 follows this
// one: facts section 6.)
func (r *Response) Summary() []rths.Value {
	out := []rths.Value{
		{Name: "J4_pct", V: stdRatio(&r.err, &r.base), Doc: "standard deviation of measured minus reference displacement over that of the reference, interface floor"},
		{Name: "J5_pct", V: peakRatio(&r.err, &r.base), Doc: "peak of measured minus reference displacement over peak reference, interface floor"},
	}
	j := 6
	for i, d := range r.others {
		out = append(out, rths.Value{Name: fmt.Sprintf("J%d_pct", j), V: stdRatio(&r.floorErr[i], &r.floor[i]),
			Doc: fmt.Sprintf("standard deviation of numerical minus reference displacement over that of the reference, floor %d", d+1)})
		j++
	}
	for i, d := range r.others {
		out = append(out, rths.Value{Name: fmt.Sprintf("J%d_pct", j), V: peakRatio(&r.floorErr[i], &r.floor[i]),
			Doc: fmt.Sprintf("peak of numerical minus reference displacement over peak reference, floor %d", d+1)})
		j++
	}
	out = append(out,
		rths.Value{Name: "J4_rms_pct", V: rmsRatio(&r.err, &r.base), Doc: "J4 without removal of means"},
		rths.Value{Name: "J5_centred_pct", V: peakRatioCentred(&r.err, &r.base), Doc: "J5 with removal of means"})
	if r.truth {
		out = append(out,
			rths.Value{Name: "J4_true_pct", V: stdRatio(&r.exactErr, &r.base), Doc: "J4 on the displacement without sensor noise"},
			rths.Value{Name: "J5_true_pct", V: peakRatio(&r.exactErr, &r.base), Doc: "J5 on the displacement without sensor noise"})
	}
	return out
}

// Channels are the displacements of the reference.
func (r *Response) Channels() []rths.Channel {
	x := r.ref.State().X
	out := make([]rths.Channel, len(x))
	for i := range x {
		out[i] = rths.Channel{Name: fmt.Sprintf("ref_x%d", i+1), Unit: "m", V: &x[i]}
	}
	return out
}

func (r *Response) all() []*moments {
	out := []*moments{&r.base, &r.err, &r.exactErr}
	for i := range r.floor {
		out = append(out, &r.floor[i], &r.floorErr[i])
	}
	return out
}

// AppendState appends all sums and the state of the reference.
func (r *Response) AppendState(dst []float64) []float64 {
	dst = appendAll(dst, r.all()...)
	if s, ok := r.ref.(rths.Stateful); ok {
		dst = s.AppendState(dst)
	}
	return dst
}

// SetState takes them.
func (r *Response) SetState(src []float64) []float64 {
	src = setAll(src, r.all()...)
	if s, ok := r.ref.(rths.Stateful); ok {
		src = s.SetState(src)
	}
	return src
}
