package scenario

import (
	"errors"
	"fmt"
	"slices"

	"rths"
	"rths/method/combine"
	"rths/method/compensate"
	"rths/method/module"
	"rths/scenario/syntax"
)

// compensators is the table that a scenario chooses from: all methods, and chains of them.
var compensators = append(slices.Clone(methods), rths.Kind[compensate.Maker]{
	Name:     "chain",
	Doc:      "compensators in series or in parallel, as feedforward with feedback, or a known delay and an adaptive rest",
	Ref:      "Chen et al. 2015 (with LQG); Wang, Yan, Ning and Wu 2020 (two-stage); Gálmez 2021, section 8.2",
	Defaults: func() compensate.Maker { return &Chain{Join: combine.Series} },
})

// Chain is the block of a combine.Chain.
type Chain struct {
	Join string `yaml:"join" doc:"series: the command of a part is the target of the part after it; parallel: the command is the sum, of one feedforward at most and of feedback of the tracking error, as lqg or pi without its lead"`
	Of   []Part `yaml:"of" doc:"list of parts, the one that gets the target first: blocks with kind and the keys of the kind, and with name if a kind stands twice"`
}

// Make makes the parts and joins them.
func (c *Chain) Make(at compensate.At) (rths.Compensator, error) {
	return c.chain().Make(at)
}

func (c *Chain) chain() *combine.Chain {
	out := &combine.Chain{Join: c.Join}
	for _, p := range c.Of {
		out.Of = append(out.Of, combine.Part{Name: p.Name, Kind: p.Kind, Maker: p.Params})
	}
	return out
}

// Part is a part of a chain: a compensator with a name.
type Part struct {
	Name string `yaml:"name,omitempty" doc:"stands before the names of the part's channels, as in amb_a0; left out: the kind"`
	syntax.Choice[compensate.Maker]
}

// Prepare leaves chains out of the table: a chain is one list.
func (p *Part) Prepare() { p.Choice = syntax.NewChoice(methods) }

// Own has the keys beside those of the kind.
func (p *Part) Own() any { return p }

// Choose decodes the part, and refuses a chain.
func (p *Part) Choose(d *syntax.Decoder, path string, n *syntax.Node) {
	if k := n.Get("kind"); k != nil && k.Value.Text == "chain" {
		d.Fail(k.Value.At, path+".kind", "a chain inside a chain: want its parts in the one list, in their order")
		return
	}
	p.With(d, path, n, p.Own())
}

// ownBlocks reports whether the file has the key, transfer or compensator, under each.
func (s *Scenario) ownBlocks(key string) bool {
	return s.Place("each") != "" && s.Place(key) == ""
}

// atCompensator gives an error of the compensator of actuator i, from 0, its place: its block
// under each, or the block of all actuators; in a chain, the part's place.
func (s *Scenario) atCompensator(i int, err error) error {
	key, who := fmt.Sprintf("each[%d].compensator", i+1), ""
	if !s.ownBlocks("compensator") {
		key = "compensator"
		if len(s.Each) > 0 {
			who = fmt.Sprintf("actuator %d: ", i+1)
		}
	}
	var e *combine.PartError
	if !errors.As(err, &e) {
		return s.atBlock(key, who, err)
	}
	of := func(part int) string { return fmt.Sprintf("%s.of[%d]", key, part) }
	if k := (*module.KeyError)(nil); errors.As(e.Err, &k) {
		return s.atBlock(of(e.Part), who, e.Err)
	}
	other := ""
	if place := s.Place(of(e.Other)); place != "" {
		other = fmt.Sprintf(" (%s: %s)", place, of(e.Other))
	}
	return s.At(of(e.Part), fmt.Errorf("%s%w%s", who, e.Err, other))
}

// atBlock gives an error of the block of a method the place of its key, or of the block.
func (s *Scenario) atBlock(key, who string, err error) error {
	if k := (*module.KeyError)(nil); errors.As(err, &k) {
		key, err = key+"."+k.Key, k.Err
	}
	return s.At(key, fmt.Errorf("%s%w", who, err))
}
