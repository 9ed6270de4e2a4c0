package study

import (
	"encoding/json"
	"fmt"
)

// LatinSearch tries the points of a Latin hypercube, and learns nothing: for a look at how the
// objective depends on the tuned keys (paper 001, Fig. 7.10), or where to begin.
type LatinSearch struct {
	Points int `yaml:"points" doc:"number of candidates, 1 or more"`
}

// batch is the number of candidates of a generation, and so between checkpoints.
const batch = 20

// hypercube has the state of the search. Its points follow from the seed.
type hypercube struct {
	points [][]float64
	hypercubeState
}

type hypercubeState struct {
	Parameters LatinSearch `json:"parameters"`
	Seed       uint64      `json:"seed"`
	H          int         `json:"h"` // generations told
	G          found       `json:"g"` // best point
}

// Make draws the points.
func (p *LatinSearch) Make(k int, seed uint64) (Search, error) {
	if err := checkSizes(k, "points", p.Points, 1, "generations", 1); err != nil {
		return nil, err
	}
	points, err := Points(Latin, p.Points, k, seed)
	if err != nil {
		return nil, err
	}
	return &hypercube{points, hypercubeState{Parameters: *p, Seed: seed}}, nil
}

// Ask returns the next points.
func (s *hypercube) Ask() [][]float64 {
	if s.Done() {
		return nil
	}
	from := s.H * batch
	return clones(s.points[from:min(from+batch, len(s.points))])
}

// Tell notes the best point.
func (s *hypercube) Tell(f []Fitness) {
	x := s.Ask()
	mustHaveAll(f, len(x))
	for i := range x {
		s.G.tell(x[i], f[i])
	}
	s.H++
}

// Generation is the number of generations told.
func (s *hypercube) Generation() int { return s.H }

// Best is the best point.
func (s *hypercube) Best() ([]float64, Fitness, bool) { return s.G.best() }

// Done holds when all points were told.
func (s *hypercube) Done() bool { return s.H*batch >= len(s.points) }

// Reason is that all points were tried.
func (s *hypercube) Reason() string {
	if !s.Done() {
		return ""
	}
	return fmt.Sprintf("all %d points were tried", len(s.points))
}

// MarshalJSON is the checkpoint.
func (s *hypercube) MarshalJSON() ([]byte, error) { return json.Marshal(s.hypercubeState) }

// UnmarshalJSON goes on from a checkpoint.
func (s *hypercube) UnmarshalJSON(data []byte) error {
	var in hypercubeState
	err := json.Unmarshal(data, &in)
	if err == nil {
		err = in.check(s)
	}
	var points [][]float64
	if err == nil {
		points, err = Points(Latin, len(s.points), len(s.points[0]), in.Seed)
	}
	if err != nil {
		return fmt.Errorf("checkpoint of latin: %w", err)
	}
	s.points, s.hypercubeState = points, in
	return nil
}

func (in *hypercubeState) check(s *hypercube) error {
	if err := fits(in.Parameters, s.Parameters); err != nil {
		return err
	}
	if most := (len(s.points) + batch - 1) / batch; in.H < 0 || in.H > most {
		return fmt.Errorf("%d generations told: want 0 to %d", in.H, most)
	}
	return in.G.check(len(s.points[0]), in.H)
}
