package scenario

import (
	"slices"

	"rths"
	"rths/model/plant"
	"rths/scenario/syntax"
)

// couplers is the table that a scenario chooses from: all couplers, and a rigid body that a set-up may state.
var couplers = withSetups(slices.Clone(plant.Couplers))

func withSetups(table []rths.Kind[plant.CouplerMaker]) []rths.Kind[plant.CouplerMaker] {
	for i := range table {
		if body, ok := table[i].Defaults().(*plant.RigidBody); ok {
			table[i].Defaults = func() plant.CouplerMaker {
				return &bodyBlock{Setup: syntax.NewChoice(plant.Setups), RigidBody: *syntax.Clone(body)}
			}
		}
	}
	return table
}

// bodyBlock is the block of a rigid body as a text has it. Once it is read, the plain body stands in its place.
type bodyBlock struct {
	Setup           syntax.Choice[plant.Setup] `yaml:"setup,omitempty" doc:"one of OpenFresco's experimental set-ups, in place of coordinates and actuators"`
	plant.RigidBody `yaml:",inline"`
}

// setUp puts the plain body in the place of its block, with coordinates and actuators of the set-up.
func (s *Scenario) setUp(want func(key string, ok bool, format string, args ...any)) {
	block, ok := s.Coupler.Params.(*bodyBlock)
	if !ok {
		return
	}
	body := &block.RigidBody
	s.Coupler.Params = body
	if !block.Setup.Given() {
		return
	}
	for _, key := range []string{"coupler.coordinates", "coupler.actuators"} {
		want(key, s.Place(key) == "", "beside setup, which states them: want one or the other")
	}
	stated, err := block.Setup.Params.Body()
	want("coupler.setup", err == nil, "%s: %v", block.Setup.Kind, err)
	body.Coordinates, body.Actuators = stated.Coordinates, stated.Actuators
}
