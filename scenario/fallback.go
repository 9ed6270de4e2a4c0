package scenario

import (
	"errors"
	"fmt"

	"rths"
	"rths/method/combine"
	"rths/method/compensate"
	"rths/scenario/syntax"
)

// Fallback is the block fallback: a safe method, with the keys of combine.Fallback beside
// its own.
type Fallback struct {
	combine.Fallback `yaml:",inline"`
	syntax.Choice[compensate.Maker]
}

// Prepare sets the defaults and the table.
func (f *Fallback) Prepare() {
	f.Fallback, f.Choice = combine.FallbackDefaults(), syntax.NewChoice(methods)
}

// Own has the keys beside those of the kind.
func (f *Fallback) Own() any { return &f.Fallback }

// Choose decodes the block, and refuses what is not one safe method.
func (f *Fallback) Choose(d *syntax.Decoder, path string, n *syntax.Node) {
	if k := n.Get("kind"); k != nil && k.Value.Text == "chain" {
		d.Fail(k.Value.At, path+".kind",
			"a chain: want one method that is known to work, as mbc, the fixed inverse, or kf")
		return
	}
	if k := n.Get("fallback"); k != nil {
		d.Fail(k.At, path+".fallback", "a fallback of a fallback: want one safe method, without fallback")
		return
	}
	f.With(d, path, n, f.Own())
}

// checkFallback refuses what does not go together with the key fallback.
func (s *Scenario) checkFallback(want func(key string, ok bool, format string, args ...any)) {
	one := func(key, of string, f *Fallback) {
		if f == nil {
			return
		}
		want(key, f.Kind != of,
			"%s is the kind of the compensator itself, and what makes one fail may make the other fail: want another "+
				"method, as mbc, the fixed inverse", f.Kind)
		_, correction := f.Params.(*compensate.LQG)
		want(key, !correction,
			"lqg is a correction without a command to correct: want a method that stands alone, as mbc or kf")
	}
	if !s.eachCompensates() {
		one("fallback", s.Compensator.Kind, s.Fallback)
	}
	for i, a := range s.Each {
		key := fmt.Sprintf("each[%d].fallback", i+1)
		want(key, a.Fallback == nil || s.Fallback == nil, "beside the key fallback of all actuators: want one or the other")
		want(key, a.Fallback == nil || a.Compensator.Given(),
			"without compensator in this block: want both in it, or the key fallback beside each")
		one(key, a.Compensator.Kind, a.Fallback)
		if a.Compensator.Given() {
			one("fallback", a.Compensator.Kind, s.Fallback)
		}
	}
}

// withFallback puts the safe method of a block beside a compensator. Without compensation
// there is nothing to fall back from, and the block stays for other compensators.
func (s *Scenario) withFallback(key string, active rths.Compensator, of compensate.Maker, f *Fallback,
	at compensate.At) (rths.Compensator, error) {
	if _, none := of.(*compensate.None); f == nil || none {
		return active, nil
	}
	if at.Axes > 1 && !takesAll(f.Params) {
		if _, none := f.Params.(*compensate.None); !none {
			return nil, s.At(key, fmt.Errorf("%s is of one actuator, and the compensator takes all %d at once: want a method "+
				"that takes all, as msmc, or none", f.Kind, at.Axes))
		}
	}
	safe, err := f.Params.Make(at)
	if err != nil {
		return nil, s.atBlock(key, "", err)
	}
	c, err := f.Around(active, safe, at)
	return c, s.At(key, err)
}

// fallbackKey is the key that actuator i, from 0, has its fallback from.
func (s *Scenario) fallbackKey(i int) string {
	if key := fmt.Sprintf("each[%d].fallback", i+1); s.Place(key) != "" {
		return key
	}
	return "fallback"
}

// fallbacks are all blocks fallback.
func (s *Scenario) fallbacks() (out []*Fallback) {
	if s.Fallback != nil {
		out = append(out, s.Fallback)
	}
	for _, a := range s.Each {
		if a.Fallback != nil {
			out = append(out, a.Fallback)
		}
	}
	return out
}

// dropFallback leaves out every fallback.
func (s *Scenario) dropFallback() {
	s.Fallback = nil
	for i := range s.Each {
		s.Each[i].Fallback = nil
	}
}

// Falls are the changes between the compensator and its fallback so far.
func (r *Run) Falls() []compensate.Fall {
	if c, ok := rths.As[compensate.Switch](r.compensator); ok {
		return c.Falls()
	}
	return nil
}

// ReturnFromFallback asks for the compensator where its fallback commands, at the next tick.
func (r *Run) ReturnFromFallback() error {
	c, ok := rths.As[compensate.Switch](r.compensator)
	if !ok {
		return errors.New("the run has no fallback to return from")
	}
	c.Return()
	return nil
}
