package rig

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/model/plant"
)

// Recovered computes the forces of a frame specimen for a rig without load cells, from
// measured displacements (docs/reference/benchmark-multiaxial.md, Specimen). With q the
// controlled node's displacement (m) and rotation (rad) at the actuators' positions
//
//	f = M q̈ + C q̇ + K q,  q̇[k] = (q[k] − q[k−1])/h,  q̈[k] = (q̇[k] − q̇[k−1])/h,
//
// with q̇ = q̈ = 0 at the first reading. An old reading repeats the last forces; after it the differences
// are over the samples that have passed. f acts at the node (N, N·m); a Coupler passes f on unchanged.
// Displacement noise of standard deviation σ gives q̈ a noise of 2.45 σ/h². A filter against this noise
// adds its lag to the loop.
//
// Read fails when no position of the node fits the actuators (plant.OutOfReach).
type Recovered struct {
	rig     rths.Rig
	coupler rths.Coupler
	reach   reacher // nil: always in reach
	rateHz  float64
	m, c, k [][2]float64 // rows for the forces

	measured, truth history
	at              rths.Reading // of the node
}

// reacher is implemented by couplers that do not reach everywhere.
type reacher interface{ Reach(axes []float64) error }

// history has the past values for the differences of a displacement.
type history struct {
	q, v [2]float64
	old  bool    // q has been measured before
	over float64 // samples that v is over
	gone float64 // samples since q, less one: those of old readings
	f    []float64
}

// NewRecovered wraps a rig of two actuators that hold a node with two coordinates.
func NewRecovered(r rths.Rig, c rths.Coupler, s plant.Recoverable, rateHz float64) (*Recovered, error) {
	m, d, k, err := s.Matrices()
	if err != nil {
		return nil, fmt.Errorf("recovered force: %w", err)
	}
	out := &Recovered{rig: r, coupler: c, rateHz: rateHz, at: rths.NewReading(2, 0)}
	for _, part := range []struct {
		to *[][2]float64
		of *mat.Dense
	}{{&out.m, m}, {&out.c, d}, {&out.k, k}} {
		rows, cols := part.of.Dims()
		if cols != 2 || rows < 2 {
			return nil, fmt.Errorf("recovered force: a specimen of %d coordinates and %d forces: want 2 coordinates and at "+
				"least as many forces", cols, rows)
		}
		for i := range rows {
			*part.to = append(*part.to, [2]float64{part.of.At(i, 0), part.of.At(i, 1)})
		}
	}
	if !(rateHz > 0) {
		return nil, fmt.Errorf("recovered force: rate %g Hz: want more than 0", rateHz)
	}
	for _, h := range []*history{&out.measured, &out.truth} {
		h.over, h.f = 1, make([]float64, len(out.k))
	}
	out.reach, _ = c.(reacher)
	return out, nil
}

// Forces is the number of forces, one per row of the specimen's matrices.
func (r *Recovered) Forces() int { return len(r.k) }

// Read measures, and computes the forces.
func (r *Recovered) Read(out *rths.Reading) error {
	if err := r.rig.Read(out); err != nil {
		return err
	}
	if r.reach != nil {
		if err := r.reach.Reach(out.X); err != nil {
			return err
		}
	}
	r.coupler.Interface(&r.at, out)
	r.force(out.F, &r.measured, r.at.X, out.Age)
	if len(out.TrueX) > 0 {
		r.force(out.TrueF, &r.truth, r.at.TrueX, 0)
	}
	return nil
}

// force takes the forces at q. v is over some samples and stands for the middle of them, so that two of them are
// half of the samples of both apart.
func (r *Recovered) force(f []float64, h *history, q []float64, age int) {
	if age > 0 && h.old {
		h.gone++
		copy(f, h.f)
		return
	}
	var v, a [2]float64
	over := 1 + h.gone
	if h.old {
		for i := range v {
			v[i] = (q[i] - h.q[i]) * r.rateHz / over
			a[i] = (v[i] - h.v[i]) * r.rateHz / ((over + h.over) / 2)
		}
	}
	h.q, h.v, h.old, h.over, h.gone = [2]float64(q), v, true, over, 0
	for i := range f {
		m, c, k := &r.m[i], &r.c[i], &r.k[i]
		f[i] = k[0]*q[0] + k[1]*q[1] + c[0]*v[0] + c[1]*v[1] + m[0]*a[0] + m[1]*a[1]
	}
	copy(h.f, f)
}

// Write commands the rig.
func (r *Recovered) Write(command []float64) error { return r.rig.Write(command) }

// Unwrap is the rig.
func (r *Recovered) Unwrap() any { return r.rig }

// VisitState visits what the differences need, then the rig's state. (A rig that
// has measured nothing yet is 1 in the fifth place, so that zeros are rest.)
func (r *Recovered) VisitState(v *rths.StateVisitor) {
	for _, h := range []*history{&r.measured, &r.truth} {
		fresh, over := !h.old, h.over-1
		v.Floats(h.q[:], h.v[:])
		v.Bool(&fresh)
		v.Float(&over, &h.gone)
		v.Floats(h.f)
		if v.Restoring() {
			h.old, h.over = !fresh, 1+over
		}
	}
	v.StateOf(r.rig)
}
