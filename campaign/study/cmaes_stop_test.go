package study

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
)

// Each stop says its name, and a search that has stopped stays so in a checkpoint.
func TestCMAESStops(t *testing.T) {
	narrow := func(x []float64) float64 { return (x[0]-0.5)*(x[0]-0.5) + 1e18*(x[1]-0.5)*(x[1]-0.5) }
	short := patient(0.3)
	short.Generations = 7
	flat := func([]float64) float64 { return 1 }
	for _, tc := range []struct {
		p    *CMAES
		f    func([]float64) float64
		set  func(s *cmaes)
		at   int // generation of the end; 0: any
		want string
	}{
		{short, sphere, nil, 7, "all 7 generations were made"},
		{patient(0.3), sphere, nil, 0, "TolX: "},
		{patient(0.3), flat, nil, 20, "EqualFunValues: the best fitness was the same in 20 generations"}, // 10 + 30·2/6
		{patient(0.3), narrow, nil, 0, "ConditionCov: the condition number"},
		{patient(0.3), sphere, func(s *cmaes) { s.Sigma = 3001 }, 0, "TolXUp: "}, // 10⁴ times 0.3
		{patient(0.3), sphere, func(s *cmaes) { s.M[1], s.Sigma = 1e6, 1e-11 }, 0, "NoEffect: "},
		{patient(0.3), sphere, func(s *cmaes) { s.c.SetSym(0, 0, -1e3) }, 1,
			"ConditionCov: the covariance matrix is singular"},
	} {
		s := cma(t, tc.p, 2, 5)
		if tc.set != nil {
			tc.set(s)
			if tc.at == 0 && !s.Done() {
				t.Errorf("goes on, want %q", tc.want)
			}
		}
		if !s.Done() {
			minimise(s, tc.f, -1)
		}
		if !strings.Contains(s.Reason(), tc.want) || tc.at > 0 && s.G != tc.at || s.Ask() != nil {
			t.Errorf("generation %d: %q, want %q", s.G, s.Reason(), tc.want)
		}
		other, before := cma(t, tc.p, 2, 6), checkpoint(t, s)
		if s.G == 0 { // a state that was only set
			continue
		}
		if err := json.Unmarshal(before, other); err != nil || other.Reason() != s.Reason() ||
			!bytes.Equal(checkpoint(t, other), before) {
			t.Errorf("%q comes back as %q, %v", s.Reason(), other.Reason(), err)
		}
	}
}

// Just within the bounds of a stop, a search goes on.
func TestCMAESGoesOn(t *testing.T) {
	for _, set := range []func(s *cmaes){
		func(s *cmaes) { s.Sigma = 2999 },
		func(s *cmaes) { s.d[0] = 1.0001e-7 },
		func(s *cmaes) { s.Flat, s.G = 18, 30 },
		func(s *cmaes) { s.Sigma, s.PC[1] = 1e-13, 11 },
		func(s *cmaes) { s.G = 4999 },
	} {
		s := cma(t, patient(0.3), 2, 5)
		set(s)
		if s.Done() {
			t.Error(s.Reason())
		}
	}
}

// Only the best fitness of a generation counts for EqualFunValues.
func TestCMAESOfOneGoodCandidate(t *testing.T) {
	s := cma(t, patient(0.3), 2, 5)
	for !s.Done() {
		x := s.Ask()
		f := fitnesses(x, func(x []float64) float64 { return 1 + x[0] })
		f[s.G%len(x)].Value = 0
		s.Tell(f)
	}
	if s.G != 20 || !strings.Contains(s.Reason(), "EqualFunValues") {
		t.Errorf("generation %d: %q", s.G, s.Reason())
	}
}

// NoEffectAxis looks at a tenth of the standard deviation along one axis, NoEffectCoord at a fifth along
// every key. The next number above 1 is 2.2e-16 away, the next above 1000 1.1e-13: half of it is lost.
func TestCMAESStepsWithoutEffect(t *testing.T) {
	for _, tc := range []struct {
		m, c  float64
		sigma float64
		g     int
		want  bool
	}{
		{1, 1, 1.2e-15, 0, false}, {1, 1, 8e-16, 0, true}, {1, 1, 8e-16, 1, true}, {1, 1, 5e-16, 0, true},
		{1000, 1, 2e-13, 0, true}, {1000, 1, 4e-13, 0, false}, {1000, 1, 4e-13, 1, true}, {1000, 1, 8e-13, 1, false},
		{1, 4, 6e-16, 0, false}, {1, 4, 4e-16, 0, true}, // standard deviations of 2 σ
	} {
		s := cma(t, patient(0.3), 2, 1)
		s.c.ScaleSym(tc.c, s.c)
		if err := s.decompose(); err != nil {
			t.Fatal(err)
		}
		s.M, s.Sigma, s.G = []float64{1, tc.m}, tc.sigma, tc.g
		if s.noEffect() != tc.want {
			t.Errorf("mean %v, C %g, σ %g, generation %d: no effect %v", s.M, tc.c, s.Sigma, s.G, !tc.want)
		}
	}
}

// A matrix that is no covariance matrix has no roots.
func TestCMAESWithoutACovariance(t *testing.T) {
	for _, x := range []float64{math.NaN(), math.Inf(1), 1e60, -1, 0} {
		s := cma(t, patient(0.3), 2, 1)
		s.c.SetSym(0, 0, x)
		if s.decompose() == nil {
			t.Errorf("C_11 = %g: want an error", x)
		}
	}
}
