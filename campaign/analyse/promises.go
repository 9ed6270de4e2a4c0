package analyse

import (
	"errors"
	"fmt"
	"slices"

	"rths"
	"rths/kit"
	"rths/scenario"
)

// BrokenPromise is a promise of compensators that a method of the user's own breaks.
type BrokenPromise struct {
	Key  string `json:"key"`  // its block, as in each[2].compensator
	File string `json:"file"` // its module
	kit.Broken
}

// ownLimit is the largest command, m, that a method of the user's own may give for the kit's target
// of 4 mm, as for every method of the table.
const ownLimit = 0.1

// Promises runs the conformance kit on every method of the user's own in a scenario, and returns the promises that
// are broken.
func Promises(s *scenario.Scenario) (out []BrokenPromise, err error) {
	if s, err = s.ReadOwnMethods(); err != nil {
		return nil, err
	}
	for _, own := range s.OwnMethods() {
		broken, err := brokenBy(s, own)
		if err != nil {
			return nil, err
		}
		for _, b := range broken {
			out = append(out, BrokenPromise{own.Key, own.Maker.File, b})
		}
	}
	return out, nil
}

// brokenBy runs the kit on a method. It says once that the method fails.
func brokenBy(s *scenario.Scenario, own scenario.OwnMethod) ([]kit.Broken, error) {
	if _, err := s.MakeOwn(own); err != nil {
		return nil, err
	}
	c := kit.Compensator{Axes: 1, RateHz: s.RateHz, Limit: ownLimit, Make: func() rths.Compensator {
		c, err := s.MakeOwn(own)
		if err != nil {
			panic(err) // it was made before, and a module knows nothing that changes
		}
		return c
	}}
	broken := c.Broken()
	return slices.CompactFunc(broken, func(a, b kit.Broken) bool {
		return a.Promise == b.Promise &&
			a.Promise == kit.NeverFails
	}), nil
}

// KeepsPromises refuses methods of the user's own that break what every compensator must keep.
func KeepsPromises(s *scenario.Scenario) error {
	if len(s.OwnMethods()) == 0 {
		return nil
	}
	broken, err := Promises(s)
	if err != nil {
		return err
	}
	var errs []error
	for _, b := range broken {
		errs = append(errs, s.At(b.Key+".file", fmt.Errorf("%s breaks a rule that every compensator keeps: %s "+
			"(docs/guides/method-of-your-own.md)", b.File, b.Broken)))
	}
	return errors.Join(errs...)
}
