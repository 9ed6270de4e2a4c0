package study

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"

	"rths"
)

// Fitness orders the candidates of a search: fewer violations first, then the smaller value. A number
// that is not finite is worse than any finite one. In JSON it is null, and comes back as NaN.
type Fitness struct {
	Violation float64 `json:"violation"` // share of runs that failed or broke a constraint, 0 to 1
	Value     float64 `json:"value"`     // objective
}

// Less says that f is better than g. It is a strict weak ordering, also with NaN.
func (f Fitness) Less(g Fitness) bool {
	if a, b := worth(f.Violation), worth(g.Violation); a != b {
		return a < b
	}
	return worth(f.Value) < worth(g.Value)
}

// worth puts numbers that are not finite after the finite numbers.
func worth(x float64) float64 {
	if rths.Finite(x) {
		return x
	}
	return math.Inf(1)
}

type fitnessJSON struct {
	Violation *float64 `json:"violation"`
	Value     *float64 `json:"value"`
}

// MarshalJSON writes null for a number that is not finite.
func (f Fitness) MarshalJSON() ([]byte, error) {
	var out fitnessJSON
	if rths.Finite(f.Violation) {
		out.Violation = &f.Violation
	}
	if rths.Finite(f.Value) {
		out.Value = &f.Value
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads null, or no number, as NaN.
func (f *Fitness) UnmarshalJSON(data []byte) error {
	var in fitnessJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	*f = Fitness{math.NaN(), math.NaN()}
	if in.Violation != nil {
		f.Violation = *in.Violation
	}
	if in.Value != nil {
		f.Value = *in.Value
	}
	return nil
}

// Search looks for the point of the unit cube [0, 1]^k with the best fitness. It proposes candidates and
// learns from their fitness, one generation after the other: Ask, evaluate in any order, Tell. Its draws
// hang on the seed alone. It trusts a fitness and does not ask again: run all candidates with the same
// random numbers, so that none is the best by luck.
//
// A checkpoint is the search in JSON, whole and exact: a search made with the same parameters, and then
// unmarshalled from it, goes on bit for bit, whatever its seed was. A checkpoint that does not fit is
// refused, and the search stays as it was.
type Search interface {
	Ask() [][]float64 // candidates of the present generation, the same until Tell; none when done
	// fitness of those candidates, in their order; panics at another number of them
	Tell(f []Fitness)
	Generation() int                         // generations told so far
	Best() (x []float64, f Fitness, ok bool) // of all candidates told, the first of equals; not ok before the first Tell
	Done() bool                              // Reason is not empty
	Reason() string                          // why the search has ended; empty as long as it goes on
	json.Marshaler
	json.Unmarshaler
}

// SearchMaker is the maker interface of the table Searches. Make makes a search over k keys, and checks
// the parameters.
type SearchMaker interface {
	Make(k int, seed uint64) (Search, error)
}

// Searches is the table of searches.
var Searches = []rths.Kind[SearchMaker]{
	{Name: "pso", Doc: "particle swarm: few generations of a swarm that contracts towards its best point",
		Ref: "Gálmez 2021, eqs 7.10 and 7.11; Kennedy and Eberhart 1995", Defaults: func() SearchMaker { return newPSO() }},
	{Name: "cma-es",
		Doc: "evolution strategy that adapts a normal distribution to the objective; for narrow valleys and fine optima",
		Ref: "Hansen 2016, figure 6 and table 1", Defaults: func() SearchMaker { return newCMAES() }},
	{Name: "latin", Doc: "Latin hypercube: samples the whole range, without learning",
		Ref:      "McKay, Beckman and Conover 1979; Gálmez 2021, Fig. 7.10",
		Defaults: func() SearchMaker { return &LatinSearch{Points: 200} }},
}

// Bounds of the sizes of a search, and so of its checkpoint.
const (
	mostKeys        = 50
	mostCandidates  = 10_000
	mostGenerations = 100_000
)

// searchStream keeps the draws of searches apart from those of other parts with the same seed.
const searchStream = 2

// checkSizes: name is what a method calls its candidates, and turns what it calls its generations.
func checkSizes(k int, name string, n, least int, turns string, generations int) error {
	switch {
	case k < 1 || k > mostKeys:
		return fmt.Errorf("%d tuned keys: want 1 to %d", k, mostKeys)
	case n < least || n > mostCandidates:
		return fmt.Errorf("%s %d: want %d to %d", name, n, least, mostCandidates)
	case generations < 1 || generations > mostGenerations:
		return fmt.Errorf("%s %d: want 1 to %d", turns, generations, mostGenerations)
	}
	return nil
}

// checkRange wants from ≤ x ≤ to.
func checkRange(name string, x, from, to float64) error {
	if !(x >= from && x <= to) {
		return fmt.Errorf("%s %g: want %g to %g", name, x, from, to)
	}
	return nil
}

// found is the best candidate that a search was told.
type found struct {
	X []float64 `json:"x"` // none before the first Tell
	F Fitness   `json:"fitness"`
}

func (b *found) tell(x []float64, f Fitness) {
	if b.X == nil || f.Less(b.F) {
		b.X, b.F = append([]float64(nil), x...), f
	}
}

// best is the answer to Search.Best.
func (b *found) best() ([]float64, Fitness, bool) {
	return append([]float64(nil), b.X...), b.F, b.X != nil
}

func (b *found) check(k, generation int) error {
	if (b.X != nil) != (generation > 0) {
		return fmt.Errorf("best candidate %v after %d generations: want one after the first", b.X, generation)
	}
	if b.X == nil {
		return nil
	}
	return checkRows("best candidate", [][]float64{b.X}, 1, k, inCube)
}

// mustHaveAll panics unless there is a fitness for every candidate.
func mustHaveAll(f []Fitness, candidates int) {
	if len(f) != candidates {
		panic(fmt.Sprintf("study: %d fitnesses of %d candidates", len(f), candidates))
	}
}

// fits compares the parameters of a checkpoint with those of the search that is to go on.
func fits(checkpoint, own any) error {
	if !reflect.DeepEqual(checkpoint, own) {
		return fmt.Errorf("the checkpoint has parameters %+v: want the parameters of the search, %+v", checkpoint, own)
	}
	return nil
}

// inCube holds for the coordinates of a candidate, tame for any other number of a state: far from
// overflow, so that nothing that a search computes from it is infinite.
func inCube(x float64) bool { return x >= 0 && x <= 1 }
func tame(x float64) bool   { return math.Abs(x) <= mostTame }

const mostTame = 1e50

// checkRows wants n rows of k numbers for which ok holds.
func checkRows(name string, rows [][]float64, n, k int, ok func(float64) bool) error {
	if len(rows) != n {
		return fmt.Errorf("%s: %d rows: want %d", name, len(rows), n)
	}
	for i, row := range rows {
		if len(row) != k {
			return fmt.Errorf("%s, row %d: %d numbers: want %d", name, i+1, len(row), k)
		}
		for _, x := range row {
			if !ok(x) {
				return fmt.Errorf("%s, row %d: %g is out of bounds", name, i+1, x)
			}
		}
	}
	return nil
}

// generator is a source of random numbers that goes on from where a checkpoint left it. rand.Rand keeps
// nothing of its own.
type generator struct {
	pcg *rand.PCG
	*rand.Rand
}

func newGenerator(seed uint64) generator {
	pcg := rand.NewPCG(seed, searchStream)
	return generator{pcg, rand.New(pcg)}
}

// state is for a checkpoint.
func (g generator) state() []byte {
	b, err := g.pcg.MarshalBinary()
	if err != nil {
		panic(err) // never: the method has no error to return
	}
	return b
}

// resumed is a generator with the state of a checkpoint.
func resumed(state []byte) (generator, error) {
	g := newGenerator(0)
	if err := g.pcg.UnmarshalBinary(state); err != nil {
		return g, fmt.Errorf("random: %w: want the state of a generator", err)
	}
	return g, nil
}

// clones are copies of rows.
func clones(rows [][]float64) [][]float64 {
	out := make([][]float64, len(rows))
	for i, row := range rows {
		out[i] = append([]float64(nil), row...)
	}
	return out
}
