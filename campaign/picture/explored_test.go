package picture

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sent is what the script of a page reads.
type sent struct {
	Thing   string
	N       int
	Numbers []int
	Status  coded
	Links   map[string]string
	Main    int
	Axes    []int
	Scatter []exploredTile
	Edges   []float64
	Method  int
	Marks   []exploredMark
	Columns []struct {
		Label, Name string
		Output, Log bool
		V           []*float64
		Of          *coded
		Power       int
		Range       []float64
	}
}

var sentBlock = regexp.MustCompile(`(?s)<script type="application/json">(.*?)</script>`)

// sentOf are the blocks of the page of a study.
func sentOf(t *testing.T, s *Study) (out []sent) {
	t.Helper()
	var b bytes.Buffer
	if err := StudyPage(&b, s); err != nil {
		t.Fatal(err)
	}
	for _, block := range sentBlock.FindAllStringSubmatch(b.String(), -1) {
		var one sent
		if err := json.Unmarshal([]byte(block[1]), &one); err != nil {
			t.Fatal(err)
		}
		out = append(out, one)
	}
	return out
}

// same reports whether a number that was sent is a value, to seven digits; null is none.
func same(got *float64, want float64) bool {
	if got == nil || !shown(want) {
		return got == nil && !shown(want)
	}
	return math.Abs(*got-want) <= 1e-6*math.Abs(want)
}

// The script reads the values of the study: inputs, criteria of runs that completed, status and number.
func TestExploredRuns(t *testing.T) {
	s := madeStudy(600, 3, 4, 2)
	s.Inputs[0].Unit, s.Inputs[1].Values[7] = "N/m", math.NaN()
	for i := range s.runs() {
		s.Numbers = append(s.Numbers, 2*i+5)
	}
	s.Links = map[int]string{3: "run-11/report.html"}
	s.Status[9] = "tripped" // its value is none of a completed run
	d := sentOf(t, s)[0]
	if d.Thing != "run" || d.N != 600 || !slices.Equal(d.Numbers, s.Numbers) || d.Links["3"] != "run-11/report.html" {
		t.Errorf("%s, %d, %v", d.Thing, d.N, d.Links)
	}
	for i, status := range s.Status {
		level := d.Columns[3].Of.Levels[d.Columns[3].Of.At[i]]
		if d.Status.Levels[d.Status.At[i]] != status || !same(d.Columns[0].V[i], s.Inputs[0].Values[i]) ||
			!same(d.Columns[1].V[i], s.Inputs[1].Values[i]) || level != s.Inputs[3].Labels[i] {
			t.Errorf("run %d: other settings or another status", i)
		}
		want := s.Outputs[0].Values[i]
		if status != "completed" {
			want = math.NaN()
		}
		if !same(d.Columns[d.Main].V[i], want) {
			t.Errorf("run %d: %v, want %g", i, d.Columns[d.Main].V[i], want)
		}
	}
	if got := d.Columns[0].Label; got != "specimen.parameter_1, N/m, 1e6" {
		t.Error(got)
	}
	if d.Method != 3 || len(d.Marks) != 4 || len(d.Scatter) != 3 || !strings.HasPrefix(d.Scatter[0].Title, "ρ = ") {
		t.Errorf("colours of column %d, %d marks, %d scatters", d.Method, len(d.Marks), len(d.Scatter))
	}
	if !slices.IsSorted(d.Edges) || len(d.Axes) != 5+3 {
		t.Errorf("edges %v, axes %v", d.Edges, d.Axes)
	}
}

// Every odd study gives data that a script can read, and a calibration its candidates too.
func TestExploredOddStudies(t *testing.T) {
	for name, s := range oddStudies() {
		for _, d := range sentOf(t, s) {
			for _, c := range d.Columns {
				if c.V == nil && c.Of == nil || len(c.Range) != 2 || !(c.Range[1] > c.Range[0]) {
					t.Errorf("%s: column %s: range %v", name, c.Name, c.Range)
				}
			}
		}
	}
	s := madeSearch()
	d := sentOf(t, s)[0]
	if d.Thing != "candidate" || d.N != len(s.Search.Value) || len(d.Scatter) != len(s.Search.Tuned) || d.Method != -1 {
		t.Errorf("%d %ss, %d scatters", d.N, d.Thing, len(d.Scatter))
	}
	for i, v := range s.Search.Value {
		if !same(d.Columns[d.Main].V[i], v) {
			t.Errorf("candidate %d: %v, want %g", i, d.Columns[d.Main].V[i], v)
		}
	}
}

// No name ends the block of data, and every text comes back as it was.
func TestExploredEscapes(t *testing.T) {
	evil := "</script><script>alert(1)</script><!--\u2028&\""
	s := madeStudy(60, 1, 2, 0)
	s.Inputs[0].Name = evil
	for i := range s.Inputs[1].Labels {
		s.Inputs[1].Labels[i] += evil
	}
	d := sentOf(t, s)
	if len(d) != 1 || d[0].Columns[0].Name != evil || !strings.HasSuffix(d[0].Columns[1].Of.Levels[0], evil) {
		t.Errorf("%d blocks", len(d))
	}
}

// A method has its colour whatever else is in a study, and no two methods look the same.
func TestLevelMarks(t *testing.T) {
	a := levelMarks("compensator.kind", []string{"kf", "amb", "none"})
	b := levelMarks("compensator", []string{"ats", "amb", "{kind: kf, taps: 3}", "{kind: kf, taps: 4}", "mine", "wfei"})
	if a[0] != b[2] || a[1] != b[1] || b[3].colour != b[2].colour || b[3].round != 1 {
		t.Errorf("%v, %v", a, b)
	}
	for i, m := range b {
		if slices.Contains(b[:i], m) {
			t.Errorf("two levels are drawn as %v", m)
		}
	}
	for i, kind := range firstMethods {
		if methodPlace(kind) != i {
			t.Errorf("%s: place %d", kind, methodPlace(kind))
		}
	}
}

// The description of a key states its unit.
func TestKeyUnit(t *testing.T) {
	for key, want := range map[string]string{"specimen.stiffness": "N/m", "compensator.kind": "", "ground.scale": "",
		"drawn.specimen.mass": "kg", "no.key": ""} {
		if got := keyUnit(key); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
	if got := (StudyInput{Name: "structure.frequency_hz"}).label(); got != "structure.frequency, Hz" {
		t.Error(got)
	}
}
