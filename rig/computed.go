package rig

import (
	"fmt"

	"rths"
	"rths/plant"
)

// Computed replaces the rig's force by the computed force of a specimen, under the
// measured (noisy) displacement and its velocity by backward differences
// (paper 000, virtual tests: displacement noise reaches the force; the force has no noise
// of its own). Use it for rigs without a load cell, or with a specimen in another program.
// Not for specimens with inertia, because no acceleration is measured, nor for specimens
// whose states have rates (maxwell, tuned-mass-damper).
type Computed struct {
	rig             rths.Rig
	measured, truth felt
	rateHz          float64
}

// felt is a specimen on a displacement given sample by sample.
type felt struct {
	specimen plant.Specimen
	commit   plant.Committed // nil: none
	at       rths.Motion
	z, dz, f []float64
}

// NewComputed wraps a rig of one axis.
func NewComputed(r rths.Rig, s plant.Specimen, rateHz float64) (*Computed, error) {
	commit, _ := s.(plant.Committed)
	switch {
	case s.Mass() != 0:
		return nil, fmt.Errorf("computed force: specimen of %g kg: want 0, its acceleration is not measured", s.Mass())
	case s.States() > 0 && commit == nil:
		return nil, fmt.Errorf("computed force: specimen with %d states of its own: want one whose force follows from displacement and velocity", s.States())
	case !(rateHz > 0):
		return nil, fmt.Errorf("computed force: rate %g Hz: want more than 0", rateHz)
	}
	return &Computed{rig: r, rateHz: rateHz, measured: newFelt(s, commit), truth: newFelt(s, commit)}, nil
}

func newFelt(s plant.Specimen, commit plant.Committed) felt {
	return felt{specimen: s, commit: commit, at: rths.NewMotion(1), z: make([]float64, s.States()), dz: make([]float64, s.States()), f: make([]float64, 1)}
}

// force is the specimen's force (N) at displacement x (m).
func (s *felt) force(x, rateHz float64) float64 {
	s.at.V[0] = (x - s.at.X[0]) * rateHz
	s.at.X[0] = x
	if s.commit != nil {
		s.commit.Commit(s.z, &s.at)
	}
	s.specimen.Rate(s.dz, s.f, s.z, &s.at)
	return s.f[0]
}

// Read measures, and computes the force.
func (c *Computed) Read(out *rths.Reading) error {
	if err := c.rig.Read(out); err != nil {
		return err
	}
	out.F[0] = c.measured.force(out.X[0], c.rateHz)
	if len(out.TrueF) > 0 && len(out.TrueX) > 0 {
		out.TrueF[0] = c.truth.force(out.TrueX[0], c.rateHz)
	}
	return nil
}

// Write commands the rig.
func (c *Computed) Write(command []float64) error { return c.rig.Write(command) }

// Unwrap is the rig.
func (c *Computed) Unwrap() any { return c.rig }

// AppendState appends what the specimen remembers, then the rig's.
func (c *Computed) AppendState(dst []float64) []float64 {
	for _, s := range []*felt{&c.measured, &c.truth} {
		dst = append(append(dst, s.at.X[0]), s.z...)
	}
	return rths.AppendStateOf(dst, c.rig)
}

// SetState restores what AppendState appended.
func (c *Computed) SetState(src []float64) []float64 {
	for _, s := range []*felt{&c.measured, &c.truth} {
		s.at.X[0] = src[0]
		src = src[1+copy(s.z, src[1:]):]
	}
	return rths.SetStateOf(src, c.rig)
}
