package study

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"rths/kit/rthstest"
)

func search(t testing.TB, m SearchMaker, k int, seed uint64) Search {
	t.Helper()
	s, err := m.Make(k, seed)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fitnesses are those of candidates without violations.
func fitnesses(x [][]float64, f func([]float64) float64) []Fitness {
	out := make([]Fitness, len(x))
	for i := range x {
		out[i].Value = f(x[i])
	}
	return out
}

// minimise runs a search to its end, or until its best is at most target; it counts the evaluations.
func minimise(s Search, f func([]float64) float64, target float64) (x []float64, best float64, evaluations int) {
	for !s.Done() {
		candidates := s.Ask()
		s.Tell(fitnesses(candidates, f))
		evaluations += len(candidates)
		if x, b, _ := s.Best(); b.Value <= target {
			return x, b.Value, evaluations
		}
	}
	x, b, _ := s.Best()
	return x, b.Value, evaluations
}

func sphere(x []float64) float64 {
	sum := 0.0
	for i, x := range x {
		d := x - 0.4 - 0.01*float64(i%10)
		sum += d * d
	}
	return sum
}

// checkpoint is the search in JSON.
func checkpoint(t testing.TB, s Search) []byte {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var strange = []float64{math.Inf(-1), -1, 0, 0.5, 1, math.Inf(1), math.NaN()}

// Fewer violations come first, then the smaller value; the order is a strict weak one.
func TestFitnessOrder(t *testing.T) {
	nan := math.NaN()
	for _, tc := range []struct{ better, worse Fitness }{
		{Fitness{0, 2}, Fitness{0.1, 1}}, {Fitness{0.5, 1}, Fitness{0.5, 2}}, {Fitness{0, 1e300}, Fitness{0, nan}},
		{Fitness{0, nan}, Fitness{1, 0}}, {Fitness{1, 0}, Fitness{nan, 0}}, {Fitness{0, 1}, Fitness{0, math.Inf(-1)}},
	} {
		if !tc.better.Less(tc.worse) || tc.worse.Less(tc.better) {
			t.Errorf("%v is not before %v", tc.better, tc.worse)
		}
	}
	var all []Fitness
	for _, v := range strange {
		for _, x := range strange {
			all = append(all, Fitness{v, x})
		}
	}
	same := func(a, b Fitness) bool { return !a.Less(b) && !b.Less(a) }
	for _, a := range all {
		if a.Less(a) {
			t.Errorf("%v is before itself", a)
		}
		for _, b := range all {
			for _, c := range all {
				if a.Less(b) && b.Less(c) && !a.Less(c) || same(a, b) && same(b, c) && !same(a, c) {
					t.Fatalf("%v, %v, %v: not a weak order", a, b, c)
				}
			}
		}
	}
}

// A fitness goes through JSON; what is not finite is null, comes back as NaN and stays where it was in
// the order.
func TestFitnessInJSON(t *testing.T) {
	for _, v := range strange {
		for _, x := range strange {
			in, out := Fitness{v, x}, Fitness{}
			b, err := json.Marshal(in)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(b, &out); err != nil {
				t.Fatal(err)
			}
			if in.Less(out) || out.Less(in) {
				t.Errorf("%v comes back as %v", in, out)
			}
		}
	}
	b, _ := json.Marshal(Fitness{0.25, math.NaN()})
	if string(b) != `{"violation":0.25,"value":null}` {
		t.Errorf("%s", b)
	}
	var f Fitness
	if err := json.Unmarshal([]byte(`{"violation":"x"}`), &f); err == nil {
		t.Error("a violation that is a text: want an error")
	}
}

// landscapes are what a search may meet. Each has NaN, infinities, violations or plateaus but the first.
var landscapes = map[string]func(i int, x []float64) Fitness{
	"sphere":     func(_ int, x []float64) Fitness { return Fitness{0, sphere(x)} },
	"equal":      func(int, []float64) Fitness { return Fitness{0, 1} },
	"NaN":        func(int, []float64) Fitness { return Fitness{0, math.NaN()} },
	"infinite":   func(i int, _ []float64) Fitness { return Fitness{0, math.Inf(i%2*2 - 1)} },
	"infeasible": func(_ int, x []float64) Fitness { return Fitness{1, x[0]} },
	"half":       func(_ int, x []float64) Fitness { return Fitness{math.Round(x[0]), sphere(x)} },
	"some NaN": func(_ int, x []float64) Fitness {
		if x[0] > 0.45 {
			return Fitness{0, math.NaN()}
		}
		return Fitness{0, sphere(x)}
	},
}

// end runs a search to its end, and returns the last checkpoint.
func end(t *testing.T, s Search, land func(int, []float64) Fitness) []byte {
	t.Helper()
	for !s.Done() {
		step(s, land)
	}
	return checkpoint(t, s)
}

func step(s Search, land func(int, []float64) Fitness) {
	var f []Fitness
	for i, x := range s.Ask() {
		f = append(f, land(i, x))
	}
	s.Tell(f)
}

// every calls f with each search of the table, over few and many keys and every landscape.
func every(t *testing.T, f func(t *testing.T, make func(seed uint64) Search, land func(int, []float64) Fitness)) {
	for _, kind := range Searches {
		for _, k := range []int{1, 4, mostKeys} {
			for name, land := range landscapes {
				if k == mostKeys && name != "half" { // the others take long
					continue
				}
				t.Run(fmt.Sprintf("%s/%d/%s", kind.Name, k, name), func(t *testing.T) {
					f(t, func(seed uint64) Search { return search(t, kind.Defaults(), k, seed) }, land)
				})
			}
		}
	}
}

// A search stays in the cube, ends, knows the best of what it was told, and gives its candidates again
// until Tell, whatever a caller writes into them.
func TestSearchesKeepTheirWord(t *testing.T) {
	rthstest.Keeps(t, rthstest.Table(Searches))
	every(t, func(t *testing.T, make func(uint64) Search, land func(int, []float64) Fitness) {
		s := make(3)
		if _, _, ok := s.Best(); ok || s.Done() || s.Reason() != "" {
			t.Fatalf("a best candidate before the first Tell, or an end: %q", s.Reason())
		}
		var best Fitness
		var at []float64
		for g := 0; !s.Done(); g++ {
			if s.Generation() != g || g > 100 {
				t.Fatalf("generation %d: want %d", s.Generation(), g)
			}
			x := s.Ask()
			var f []Fitness
			for i := range x {
				f = append(f, land(i, x[i]))
				if at == nil || f[i].Less(best) {
					best, at = f[i], slices.Clone(x[i])
				}
				for j, u := range s.Ask()[i] {
					if !inCube(u) || u != x[i][j] {
						t.Fatalf("generation %d, candidate %d: %g, then %g", g, i, x[i][j], u)
					}
					x[i][j] = -1
				}
			}
			s.Tell(f)
			if got, value, ok := s.Best(); !ok || !slices.Equal(got, at) || value.Less(best) || best.Less(value) {
				t.Fatalf("generation %d: best %v %v, want %v %v", g, got, value, at, best)
			}
		}
		if s.Ask() != nil || s.Reason() == "" {
			t.Errorf("after the end: candidates %v, reason %q", s.Ask(), s.Reason())
		}
	})
}

// A search hangs on its seed alone, and goes on bit for bit from a checkpoint, whatever the seed of the
// search that goes on.
func TestSearchesGoOn(t *testing.T) {
	every(t, func(t *testing.T, make func(uint64) Search, land func(int, []float64) Fitness) {
		if reflect.DeepEqual(make(3).Ask(), make(4).Ask()) {
			t.Error("the same candidates with another seed")
		}
		s := make(3)
		var checkpoints [][]byte
		for !s.Done() {
			checkpoints = append(checkpoints, checkpoint(t, s))
			step(s, land)
		}
		whole := checkpoint(t, s)
		if !bytes.Equal(whole, end(t, make(3), land)) {
			t.Error("another end with the same seed")
		}
		for _, g := range []int{0, 1, len(checkpoints) / 2, len(checkpoints) - 1} {
			other := make(5)
			if err := json.Unmarshal(checkpoints[g], other); err != nil {
				t.Fatal(err)
			}
			if other.Generation() != g || !bytes.Equal(checkpoint(t, other), checkpoints[g]) ||
				!bytes.Equal(end(t, other, land), whole) {
				t.Errorf("from generation %d: another end", g)
			}
		}
		other := make(5)
		if err := json.Unmarshal(whole, other); err != nil || !other.Done() || other.Reason() != s.Reason() {
			t.Errorf("a search that has ended comes back with %v, %q", err, other.Reason())
		}
	})
}

// Only the order of the fitnesses counts: f, exp f and a step of violations give the same candidates.
func TestSearchesLookAtRanksAlone(t *testing.T) {
	for _, kind := range Searches {
		for _, k := range []int{1, 3, 8} {
			a, b, c := search(t, kind.Defaults(), k, 9), search(t, kind.Defaults(), k, 9), search(t, kind.Defaults(), k, 9)
			for g := 0; g < 20 && !a.Done(); g++ { // later, exp is rounded to ties
				if x := a.Ask(); !reflect.DeepEqual(x, b.Ask()) || !reflect.DeepEqual(x, c.Ask()) {
					t.Fatalf("%s, %d keys, generation %d: other candidates", kind.Name, k, g)
				}
				a.Tell(fitnesses(a.Ask(), sphere))
				b.Tell(fitnesses(b.Ask(), func(x []float64) float64 { return math.Exp(sphere(x)) - 100 }))
				f := fitnesses(c.Ask(), sphere)
				for i := range f {
					f[i] = Fitness{f[i].Value / float64(k), math.NaN()}
				}
				c.Tell(f)
			}
		}
	}
}

// The largest sizes and weights are not refused.
func TestSearchLimits(t *testing.T) {
	search(t, &PSO{Particles: mostCandidates, Iterations: mostGenerations, Inertia: 1, C1: 4, C2: 4, Velocity: 1},
		mostKeys, 1)
	search(t, &CMAES{Population: mostCandidates, Generations: mostGenerations, Sigma: 1, Tolerance: 0.999,
		Start: make([]float64, mostKeys)}, mostKeys, 1)
	search(t, &CMAES{Population: 2, Generations: 1, Sigma: 1e-11, Tolerance: 1e-12, Start: []float64{1}}, 1, 1)
}

func TestSearchMistakes(t *testing.T) {
	pso := func(f func(*PSO)) SearchMaker { p := newPSO(); f(p); return p }
	cma := func(f func(*CMAES)) SearchMaker { p := newCMAES(); f(p); return p }
	nan := math.NaN()
	for _, tc := range []struct {
		maker SearchMaker
		k     int
		want  string
	}{
		{newPSO(), 0, "0 tuned keys: want 1 to 50"}, {newCMAES(), 51, "51 tuned keys: want 1 to 50"},
		{pso(func(p *PSO) { p.Particles = 0 }), 1, "particles 0: want 1 to 10000"},
		{pso(func(p *PSO) { p.Iterations = 0 }), 1, "iterations 0: want 1 to 100000"},
		{pso(func(p *PSO) { p.Inertia = 1.1 }), 1, "inertia 1.1: want 0 to 1"},
		{pso(func(p *PSO) { p.C1 = nan }), 1, "c1 NaN: want 0 to 4"},
		{pso(func(p *PSO) { p.C2 = -1 }), 1, "c2 -1: want 0 to 4"},
		{pso(func(p *PSO) { p.Velocity = 2 }), 1, "velocity 2: want 0 to 1"},
		{cma(func(p *CMAES) { p.Population = 1 }), 1, "population 1: want 2 to 10000"},
		{cma(func(p *CMAES) { p.Population = -1 }), 1, "population -1: want 2 to 10000"},
		{cma(func(p *CMAES) { p.Generations = 100_001 }), 1, "generations 100001: want 1 to 100000"},
		{cma(func(p *CMAES) { p.Sigma = 0 }), 1, "sigma 0: want above 0"},
		{cma(func(p *CMAES) { p.Sigma = nan }), 1, "sigma NaN: want above 0"},
		{cma(func(p *CMAES) { p.Tolerance = 0.3 }), 1, "tolerance 0.3: want 1e-12 or more, and below sigma, 0.3"},
		{cma(func(p *CMAES) { p.Tolerance = 0 }), 1, "tolerance 0: want"},
		{cma(func(p *CMAES) { p.Start = []float64{0.5} }), 2, "start has 1 numbers: want one for each of 2 tuned keys"},
		{cma(func(p *CMAES) { p.Start = []float64{0.5, 1.5} }), 2, "start 1.5: want shares of the range"},
	} {
		if _, err := tc.maker.Make(tc.k, 1); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%+v: error %v, want it to say %q", tc.maker, err, tc.want)
		}
	}
	for _, kind := range Searches {
		s := search(t, kind.Defaults(), 2, 1)
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, fmt.Sprintf("fitnesses of %d candidates", len(s.Ask()))) {
					t.Errorf("%s: too few fitnesses: panic %s", kind.Name, got)
				}
			}()
			s.Tell(make([]Fitness, len(s.Ask())-1))
		}()
	}
}
