package study

import (
	"encoding/json"
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// MarshalJSON is the checkpoint.
func (s *cmaes) MarshalJSON() ([]byte, error) {
	state := s.cmaesState
	state.Random, state.C = s.random.state(), make([][]float64, s.weights.n)
	for i := range state.C {
		for j := range state.C {
			state.C[i] = append(state.C[i], s.c.At(i, j))
		}
	}
	return json.Marshal(state)
}

// UnmarshalJSON goes on from a checkpoint.
func (s *cmaes) UnmarshalJSON(data []byte) error {
	var in cmaesState
	if err := json.Unmarshal(data, &in); err != nil {
		return fmt.Errorf("checkpoint of cma-es: %w", err)
	}
	out, err := s.resumed(in)
	if err != nil {
		return fmt.Errorf("checkpoint of cma-es: %w", err)
	}
	*s = *out
	return nil
}

// resumed is the search that goes on from a state. B, D and the roots come again from the bits of C.
func (s *cmaes) resumed(in cmaesState) (*cmaes, error) {
	if err := in.check(s); err != nil {
		return nil, err
	}
	random, err := resumed(in.Random)
	if err != nil {
		return nil, err
	}
	out := &cmaes{random: random, weights: s.weights, c: mat.NewSymDense(s.weights.n, nil), cmaesState: in}
	for i, row := range in.C {
		for j := range i + 1 {
			if row[j] != in.C[j][i] {
				return nil, fmt.Errorf("c, row %d: want a symmetric matrix", i+1)
			}
			out.c.SetSym(i, j, row[j])
		}
	}
	if err := out.decompose(); err != nil && !in.Degenerate {
		return nil, err
	}
	steps := len(s.weights.w)
	if out.Done() {
		steps = 0
	}
	return out, checkRows("y", in.Y, steps, s.weights.n, tame)
}

// check compares a state with the search that is to go on from it, but for the steps.
func (in *cmaesState) check(s *cmaes) error {
	if err := fits(in.Parameters, s.Parameters); err != nil {
		return err
	}
	switch {
	case in.G < 0 || in.G > s.Parameters.Generations:
		return fmt.Errorf("%d generations told: want 0 to %d", in.G, s.Parameters.Generations)
	case in.Flat < 0 || in.Flat > in.G:
		return fmt.Errorf("%d generations of the same fitness of %d: want 0 to those", in.Flat, in.G)
	case !(in.Sigma > 0 && tame(in.Sigma)):
		return fmt.Errorf("sigma %g: want above 0", in.Sigma)
	}
	k := s.weights.n
	if err := checkRows("m, p_sigma, p_c", [][]float64{in.M, in.PSigma, in.PC}, 3, k, tame); err != nil {
		return err
	}
	if err := checkRows("c", in.C, k, k, tame); err != nil {
		return err
	}
	return in.Found.check(k, in.G)
}
