package study

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// spoilt are changes of a checkpoint, a JSON object of some generation, and what the error says.
var spoilt = map[string][]struct {
	key   string
	value any
	want  string
}{
	"pso": {
		{"parameters", map[string]any{"Particles": 3}, "want the parameters of the search"}, {"h", -1, "want 0 to 11"},
		{"h", 12, "want 0 to 11"}, {"h", 0, "want one after the first"},
		{"p", nil, "positions: 0 rows: want 15"}, {"v", [][]float64{{1}}, "velocities: 1 rows"},
		{"pm", "x", "cannot unmarshal"},
		{"pm_fitness", []Fitness{}, "0 fitnesses: want 15"}, {"g", found{}, "want one after the first"},
		{"g", found{X: []float64{2, 0}}, "2 is out of bounds"},
		{"random", []byte("x"), "want the state of a generator"},
	},
	"cma-es": {
		{"parameters", nil, "want the parameters of the search"}, {"g", 51, "want 0 to 50"}, {"flat", 99, "want 0 to"},
		{"sigma", 0, "sigma 0: want above 0"},
		{"m", []float64{1}, "row 1: 1 numbers: want 2"}, {"p_c", []float64{1, 1e60}, "1e+60 is out of bounds"},
		{"c", [][]float64{{1, 2}}, "c: 1 rows: want 2"},
		{"c", [][]float64{{1, 0.1}, {0.2, 1}}, "want a symmetric matrix"},
		{"c", [][]float64{{1, 2}, {2, 1}}, "without positive eigenvalues"},
		{"y", nil, "y: 0 rows: want 6"}, {"best", found{}, "want one after the first"},
		{"random", nil, "want the state of a generator"},
	},
}

// A checkpoint that does not fit is refused, says why, and leaves the search as it was.
func TestSpoiltCheckpoints(t *testing.T) {
	for _, kind := range Searches {
		s := search(t, kind.Defaults(), 2, 1)
		step(s, landscapes["sphere"])
		before := checkpoint(t, s)
		for _, tc := range spoilt[kind.Name] {
			var object map[string]any
			if err := json.Unmarshal(before, &object); err != nil {
				t.Fatal(err)
			}
			if _, ok := object[tc.key]; !ok {
				t.Errorf("%s: no key %s in %s", kind.Name, tc.key, before)
			}
			object[tc.key] = tc.value
			b, err := json.Marshal(object)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(b, s); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s, %s %v: error %v, want it to say %q", kind.Name, tc.key, tc.value, err, tc.want)
			}
			if !bytes.Equal(checkpoint(t, s), before) {
				t.Fatalf("%s, %s %v: the search has changed", kind.Name, tc.key, tc.value)
			}
		}
		for _, k := range []int{1, 3} {
			if err := json.Unmarshal(before, search(t, kind.Defaults(), k, 1)); err == nil {
				t.Errorf("%s: a checkpoint of 2 keys for %d: want an error", kind.Name, k)
			}
		}
		other := search(t, Searches[0].Defaults(), 2, 1)
		if kind.Name == Searches[0].Name {
			other = search(t, Searches[1].Defaults(), 2, 1)
		}
		if err := json.Unmarshal(before, other); err == nil {
			t.Errorf("%s: its checkpoint for another method: want an error", kind.Name)
		}
	}
}

// number is a number of a checkpoint, after its separator.
var number = regexp.MustCompile(`[\[:,]-?[0-9][0-9.eE+-]*`)

// A checkpoint with another number in any place is refused, or makes a search that goes on within the
// cube.
func TestStrangeNumbersInCheckpoints(t *testing.T) {
	refused, went := 0, 0
	for _, m := range small {
		s := search(t, m, 2, 1)
		for !s.Done() {
			whole := checkpoint(t, s)
			for _, at := range number.FindAllIndex(whole, -1) {
				for _, x := range []string{"0", "-1", "1", "2", "0.7", "-1e-9", "1e-300", "1e9", "9e49", "-9e49", "1e200", "null"} {
					data := slices.Concat(whole[:at[0]+1], []byte(x), whole[at[1]:])
					if wentOn(t, m, data) {
						went++
					} else {
						refused++
					}
				}
			}
			step(s, landscapes["half"])
		}
	}
	if refused < 1000 || went < 1000 {
		t.Errorf("%d refused, %d went on: want many of both", refused, went)
	}
}

// small are searches with few numbers.
var small = []SearchMaker{
	&PSO{Particles: 2, Iterations: 3, Inertia: 1, C1: 4, C2: 4, Velocity: 1},
	&CMAES{Population: 3, Generations: 4, Sigma: 1, Tolerance: 1e-12},
}

// wentOn resumes a search over two keys from a checkpoint, and runs it to its end; not if it was refused.
func wentOn(t *testing.T, m SearchMaker, data []byte) bool {
	t.Helper()
	s := search(t, m, 2, 2)
	before := checkpoint(t, s)
	if err := json.Unmarshal(data, s); err != nil {
		if !bytes.Equal(checkpoint(t, s), before) {
			t.Fatalf("%s: refused, but the search has changed", data)
		}
		return false
	}
	for !s.Done() {
		if err := checkRows("candidates", s.Ask(), len(s.Ask()), 2, inCube); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		step(s, landscapes["half"])
	}
	return true
}

// FuzzCheckpoint: any bytes are refused, or make a search that goes on within the cube.
func FuzzCheckpoint(f *testing.F) {
	for which, m := range small {
		for s := search(f, m, 2, 1); !s.Done(); step(s, landscapes["half"]) {
			f.Add(which == 1, checkpoint(f, s))
		}
	}
	f.Fuzz(func(t *testing.T, second bool, data []byte) {
		m := small[0]
		if second {
			m = small[1]
		}
		wentOn(t, m, data)
	})
}
