package scenario

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/model/plant"
	"rths/scenario/syntax"
)

// couplers is the table that a scenario chooses from: all couplers, and a rigid body that a set-up may state.
var couplers = withSetups(slices.Clone(plant.Couplers))

func withSetups(table []rths.Kind[plant.CouplerMaker]) []rths.Kind[plant.CouplerMaker] {
	for i := range table {
		switch table[i].Defaults().(type) {
		case *plant.RigidBody:
			defaults := table[i].Defaults
			table[i].Defaults = func() plant.CouplerMaker {
				return &bodyBlock{Setup: syntax.NewChoice(plant.Setups), RigidBody: *defaults().(*plant.RigidBody)}
			}
		case *plant.Aggregate:
			table[i].Defaults = func() plant.CouplerMaker { return &bodiesBlock{} } // its list is the user's
		}
	}
	return table
}

// bodyBlock is the block of a rigid body as a text has it. Once it is read, the plain body stands in its place.
type bodyBlock struct {
	Setup           syntax.Choice[plant.Setup] `yaml:"setup,omitempty" doc:"one of OpenFresco's experimental set-ups, in place of coordinates and actuators"`
	plant.RigidBody `yaml:",inline"`
}

// Prepare sets the table of the choice, for a body of several.
func (b *bodyBlock) Prepare() { b.Setup = syntax.NewChoice(plant.Setups) }

// bodiesBlock is the same of several bodies.
type bodiesBlock struct {
	Of    []bodyBlock `yaml:"of" doc:"bodies in order, each with the keys of rigid-body but instruments and platform"`
	plain plant.Aggregate
}

// Axes are those of the plain bodies, and so is Lever.
func (b *bodiesBlock) Axes() (iface, actuators int) { return b.plain.Axes() }
func (b *bodiesBlock) Lever() (*mat.Dense, error)   { return b.plain.Lever() }

// Make is that of the plain bodies.
func (b *bodiesBlock) Make(rateHz float64) (rths.Coupler, error) { return b.plain.Make(rateHz) }

type wanting = func(key string, ok bool, format string, args ...any)

// setUp puts plain bodies in the place of their blocks, with coordinates and actuators of their set-ups.
func (s *Scenario) setUp(want wanting) {
	switch block := s.Coupler.Params.(type) {
	case *bodyBlock:
		s.Coupler.Params = block.plain(s, "coupler", want)
	case *bodiesBlock:
		s.Coupler.Params = &block.plain
		for i := range block.Of {
			block.plain.Of = append(block.plain.Of, *block.Of[i].plain(s, fmt.Sprintf("coupler.of[%d]", i+1), want))
		}
	}
}

// plain is the body of a block at a place.
func (b *bodyBlock) plain(s *Scenario, at string, want wanting) *plant.RigidBody {
	if !b.Setup.Given() {
		return &b.RigidBody
	}
	for _, key := range []string{at + ".coordinates", at + ".actuators"} {
		want(key, s.Place(key) == "", "beside setup, which states them: want one or the other")
	}
	stated, err := b.Setup.Params.Body()
	want(at+".setup", err == nil, "%s: %v", b.Setup.Kind, err)
	b.Coordinates, b.Actuators = stated.Coordinates, stated.Actuators
	return &b.RigidBody
}
