package kit

import (
	"math"
	"testing"

	"rths"
)

// slider is an integrator that keeps every promise: a mass of 1 kg on a dashpot.
type slider struct {
	x, v, a float64
	shown   rths.Motion
	ticks   int
}

func (s *slider) Step(target *rths.Motion, ground []float64, felt *rths.Reading) {
	s.ticks++
	s.a = -ground[0] - felt.F[0] - s.v
	s.shown.X[0] = s.x
	s.x += 1e-3 * s.v
	s.v += 1e-3 * s.a
	target.X[0] = s.x
}

func (s *slider) Derive(target *rths.Motion) {
	s.shown.V[0], s.shown.A[0] = s.v-1e-3*s.a, s.a
	target.V[0], target.A[0] = s.v, s.a
}

func (s *slider) Closing() bool                   { return false }
func (s *slider) State() *rths.Motion             { return &s.shown }
func (s *slider) VisitState(v *rths.StateVisitor) { v.Float(&s.x, &s.v) }

// badSlider is the sound one with something done to each step.
type badSlider struct {
	slider
	kept    []float64
	last    float64
	jump    float64 // of the displacement in Derive
	closing bool
	do      func(s *badSlider, target *rths.Motion, ground []float64, felt *rths.Reading)
}

func (s *badSlider) Step(target *rths.Motion, ground []float64, felt *rths.Reading) {
	s.slider.Step(target, ground, felt)
	s.do(s, target, ground, felt)
}

func (s *badSlider) Derive(target *rths.Motion) {
	s.slider.Derive(target)
	s.x += s.jump
}

func (s *badSlider) Closing() bool { return s.closing }

func TestBadIntegratorsAreSeen(t *testing.T) {
	skipShort(t)
	for name, b := range map[string]struct {
		promises []string
		do       func(s *badSlider, target *rths.Motion, ground []float64, felt *rths.Reading)
	}{
		"none": {nil, func(*badSlider, *rths.Motion, []float64, *rths.Reading) {}},
		"allocates after 5000 ticks": {[]string{NoAllocations},
			func(s *badSlider, _ *rths.Motion, _ []float64, _ *rths.Reading) {
				if s.ticks == 5000 {
					heap = make([]float64, 3)
				}
			}},
		"allocates in large motion": {[]string{NoAllocations},
			func(_ *badSlider, _ *rths.Motion, ground []float64, _ *rths.Reading) {
				if ground[0] > 500 {
					heap = make([]float64, 3)
				}
			}},
		"starts a goroutine": {[]string{NoGoroutines}, func(s *badSlider, _ *rths.Motion, _ []float64, _ *rths.Reading) {
			if s.ticks == 6000 {
				go func() {}()
			}
		}},
		"rests on a package variable": {[]string{EqualBits},
			func(_ *badSlider, target *rths.Motion, _ []float64, _ *rths.Reading) {
				global += 1e-9
				target.X[0] += global
			}},
		"forgets a register": {[]string{Resumes}, func(s *badSlider, target *rths.Motion, _ []float64, felt *rths.Reading) {
			target.X[0] += 1e-6 * s.last
			s.last = felt.F[0]
		}},
		"changes the ground": {[]string{InputsStay}, func(_ *badSlider, _ *rths.Motion, ground []float64, _ *rths.Reading) {
			ground[2] = 0
		}},
		"keeps the force": {[]string{NothingKept, Resumes},
			func(s *badSlider, target *rths.Motion, _ []float64, felt *rths.Reading) {
				if s.kept == nil {
					s.kept = felt.F
				}
				if rths.Finite(s.kept[0]) {
					target.X[0] += 1e-6 * s.kept[0]
				}
			}},
		"looks at the displacement felt": {[]string{ForceOnly},
			func(_ *badSlider, target *rths.Motion, _ []float64, felt *rths.Reading) {
				target.X[0] += 1e-12 * felt.X[0]
			}},
		"looks at the age": {[]string{ForceOnly}, func(_ *badSlider, target *rths.Motion, _ []float64, felt *rths.Reading) {
			target.X[0] += 1e-12 * float64(felt.Age)
		}},
		"moves in Derive": {[]string{RestIsRest, RatesAside},
			func(s *badSlider, _ *rths.Motion, _ []float64, _ *rths.Reading) {
				s.jump = 1e-9
			}},
		"overflows": {[]string{Filled}, func(_ *badSlider, target *rths.Motion, ground []float64, _ *rths.Reading) {
			if ground[0] > 500 {
				target.X[0] = math.Inf(1)
			}
		}},
		"drifts at rest": {[]string{RestIsRest}, func(_ *badSlider, target *rths.Motion, ground []float64, _ *rths.Reading) {
			if ground[0] == 0 {
				target.X[0] += 1e-12
			}
		}},
		"changes its direction": {[]string{OneDirection}, func(s *badSlider, _ *rths.Motion, _ []float64, _ *rths.Reading) {
			s.closing = s.ticks > 1000
		}},
	} {
		t.Run(name, func(t *testing.T) {
			global = 0
			c := Integrator{Actions: 1, Interface: 1, Make: func() rths.Integrator {
				return &badSlider{slider: slider{shown: rths.NewMotion(1)}, do: b.do}
			}}
			wantBroken(t, c.Broken(), b.promises...)
		})
	}
}
