package scenario

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"rths/model/structure"
)

// Reduce is the block reduce: the Craig–Bampton reduction of the undivided structure
// (structure.Reduced). A specimen loads degrees of freedom of the interface alone, which are
// kept, so that the reduction of what it leaves is what it leaves of the reduction.
type Reduce struct {
	Modes  int     `yaml:"modes" doc:"number of modes with the interface held that are kept, lowest first"`
	UpToHz float64 `yaml:"up_to_hz" doc:"frequency up to which the reduction has to carry the response of the interface with an error of at most 5 %, Hz: at most the frequency of the highest mode kept"`
}

// checkReduce refuses what does not go together with the key reduce.
func (s *Scenario) checkReduce(want func(key string, ok bool, format string, args ...any)) {
	if s.Reduce == nil {
		return
	}
	_, divided := s.Structure.Params.(structure.Divided)
	want("reduce", !s.Target.Given(), "has no effect with a prescribed target: leave it out")
	want("reduce", !divided, "beside structure %s, which brings its own partition: leave it out", s.Structure.Kind)
	want("reduce", len(s.Initial) == 0,
		"beside initial_displacement, which has every degree of freedom, and the reduced structure has not: leave one "+
			"of them out")
	want("reduce", s.Reduce.Modes >= 1, "modes %d: want 1 or more", s.Reduce.Modes)
	want("reduce", s.Reduce.UpToHz > 0, "up_to_hz %g: want more than 0, the highest frequency that matters to the test",
		s.Reduce.UpToHz)
}

// reduce puts the reduction in place of the undivided structure.
func (b *builder) reduce() error {
	if b.s.Reduce == nil {
		return nil
	}
	of := structure.Reduction{Keep: b.s.held(), Modes: b.s.Reduce.Modes, UpToHz: b.s.Reduce.UpToHz,
		NoGround: b.s.Motion == freeField || !b.s.Ground.Given()}
	if err := b.s.wantHeld(b.run.Whole); err != nil {
		return err
	}
	reduced, err := b.reduction(of)
	if err != nil {
		return err
	}
	b.unreduced, b.kept, b.run.Whole, b.run.Reduced = b.run.Whole, reduced.Kept, reduced.Structure, reduced
	b.run.Notes = append(b.run.Notes, reduced.Notes()...)
	if b.s.Loop != "open" {
		b.run.Notes = append(b.run.Notes,
			"the reference response belongs to the reduced structure: the error of the reduction is not in the criteria")
	}
	return nil
}

// held are the degrees of freedom of the interface, from 0.
func (s *Scenario) held() (at []int) {
	if len(s.Interface) == 0 {
		return []int{s.InterfaceDOF - 1}
	}
	for _, dof := range s.Interface {
		at = append(at, dof-1)
	}
	return at
}

// wantHeld refuses degrees of freedom of interface that the structure has not.
func (s *Scenario) wantHeld(whole *structure.Structure) error {
	for _, dof := range s.Interface {
		if dof > whole.N {
			return s.At("interface", fmt.Errorf("degree of freedom %d: want 1 to %d, counted from 1", dof, whole.N))
		}
	}
	return nil
}

// reduction reduces, or takes what another run has reduced.
func (b *builder) reduction(of structure.Reduction) (*structure.Reduced, error) {
	if b.o.Shared == nil {
		return b.run.Whole.Reduce(of)
	}
	text, err := b.s.Structure.Settings()
	if err != nil {
		return nil, err
	}
	key := sha256.Sum256(fmt.Appendf(nil, "%s %v %+v %v %v", text, b.matrices, of, b.run.Whole.Forces, b.run.Whole.Gamma))
	return b.o.Shared.reduced(key, func() (*structure.Reduced, error) { return b.run.Whole.Reduce(of) })
}

// place is the number in the structure of a run, from 0, of a degree of freedom of the interface.
func (b *builder) place(dof int) int {
	if b.s.Reduce == nil {
		return dof
	}
	return slices.Index(b.kept, dof)
}

// places are those of several.
func (b *builder) places(dofs []int) []int {
	out := make([]int, len(dofs))
	for i, dof := range dofs {
		out[i] = b.place(dof)
	}
	return out
}

// original is the undivided structure before it was reduced.
func (b *builder) original() *structure.Structure {
	if b.unreduced != nil {
		return b.unreduced
	}
	return b.run.Whole
}
