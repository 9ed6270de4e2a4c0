package rig

import (
	"fmt"

	"rths"
	"rths/model/plant"
)

// Computed replaces the rig's force by the computed force of a specimen, under the
// measured (noisy) displacement and its velocity by backward differences
// (paper 000, virtual tests: displacement noise reaches the force; the force has no noise
// of its own). An old reading repeats the last force; after it the velocity is over the samples that have
// passed. Use it for rigs without a load cell, or with a specimen in another program. Do not use it for
// specimens with inertia, because no acceleration is measured, nor for specimens whose states have rates
// (maxwell, tuned-mass-damper).
type Computed struct {
	rig             rths.Rig
	measured, truth felt
	rateHz          float64
}

// felt is a specimen on displacements given sample by sample.
type felt struct {
	specimen plant.Specimen
	commit   plant.Committed // nil: none
	at       rths.Motion
	z, dz, f []float64
	gone     float64 // samples since at, less one: those of old readings
}

// NewComputed wraps a rig with a specimen, or with an assembly of several axes.
func NewComputed(r rths.Rig, s plant.Specimen, rateHz float64) (*Computed, error) {
	axes, list := 1, []plant.Specimen{s}
	if a, ok := s.(*plant.Assembly); ok {
		axes, list = a.Axes(), a.Specimens()
	}
	for _, one := range list {
		_, commits := one.(plant.Committed)
		if s, ok := one.(plant.Steep); ok { // a state that has a rate must be integrated
			_, _, rate := s.Steepest()
			commits = commits && rate == 0
		}
		switch {
		case one.Mass() != 0:
			return nil, fmt.Errorf("computed force: specimen of %g kg: want 0, its acceleration is not measured", one.Mass())
		case one.States() > 0 && !commits:
			return nil, fmt.Errorf("computed force: specimen with %d states of its own: want one whose force follows from "+
				"displacement and velocity", one.States())
		}
	}
	if !(rateHz > 0) {
		return nil, fmt.Errorf("computed force: rate %g Hz: want more than 0", rateHz)
	}
	return &Computed{rig: r, rateHz: rateHz, measured: newFelt(s, axes), truth: newFelt(s, axes)}, nil
}

func newFelt(s plant.Specimen, axes int) felt {
	commit, _ := s.(plant.Committed)
	return felt{specimen: s, commit: commit, at: rths.NewMotion(axes), z: make([]float64, s.States()),
		dz: make([]float64, s.States()), f: make([]float64, axes)}
}

// force is the specimen's force (N) at displacements x (m) that were measured age samples ago.
func (s *felt) force(x []float64, age int, rateHz float64) []float64 {
	if age > 0 {
		s.gone++
		return s.f
	}
	for i, now := range x {
		s.at.V[i] = (now - s.at.X[i]) * rateHz / (1 + s.gone)
		s.at.X[i] = now
	}
	s.gone = 0
	if s.commit != nil {
		s.commit.Commit(s.z, &s.at)
	}
	s.specimen.Rate(s.dz, s.f, s.z, &s.at)
	return s.f
}

// Read measures, and computes the force.
func (c *Computed) Read(out *rths.Reading) error {
	if err := c.rig.Read(out); err != nil {
		return err
	}
	copy(out.F, c.measured.force(out.X, out.Age, c.rateHz))
	if len(out.TrueF) > 0 && len(out.TrueX) > 0 {
		copy(out.TrueF, c.truth.force(out.TrueX, 0, c.rateHz))
	}
	return nil
}

// Write commands the rig.
func (c *Computed) Write(command []float64) error { return c.rig.Write(command) }

// Unwrap is the rig.
func (c *Computed) Unwrap() any { return c.rig }

// VisitState visits what the specimen remembers, then the rig's.
func (c *Computed) VisitState(v *rths.StateVisitor) {
	for _, s := range []*felt{&c.measured, &c.truth} {
		v.Floats(s.at.X, s.z, s.f)
		v.Float(&s.gone)
	}
	v.StateOf(c.rig)
}
