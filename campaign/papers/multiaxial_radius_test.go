package papers

import (
	"testing"

	"rths/kit/rthstest"
	"rths/scenario"
	"rths/scenario/growth"
)

// The whole loop of every design is stable in every case on the nominal and on
// uncertain plants, 20 with RTHS_FULL=1: its spectral radius is below 1. Noise takes RoDeAC away
// from its initial parameters at once: its radius is at the initial parameters.
func TestEveryLoopDecays(t *testing.T) {
	s, lab := newMultiAxial(), lab(t)
	if err := s.calibrate(t.Context(), lab); err != nil {
		t.Fatal(err)
	}
	s.Noise = "off"
	runs := s.trials(rthstest.Draws(5, 20))
	sc, err := s.scenario(runs[0])
	if err != nil {
		t.Fatal(err)
	}
	shaking, err := sc.Shake(lab.RecordsDir)
	if err != nil {
		t.Fatal(err)
	}
	err = lab.Each(t.Context(), len(runs), func(i int) error {
		r := runs[i]
		sc, err := s.scenario(r)
		if err != nil {
			return err
		}
		run, err := sc.Build(t.Context(), scenario.Options{Shaking: shaking})
		if err != nil {
			return err
		}
		radius, err := growth.Radius(t.Context(), run)
		if err == nil && !(radius < 1) {
			t.Errorf("%s, case %d, trial %d: radius %.6f", r.Compensator, r.Case, r.random+1, radius)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
