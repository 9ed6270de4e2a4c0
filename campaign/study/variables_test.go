package study

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/scenario"
)

// A file of another format is decoded as strictly as a scenario.
type keyedFile struct {
	Points    int           `yaml:"points" doc:"number"`
	Variables Variables     `yaml:"variables" doc:"keys"`
	Tuned     Keyed[bounds] `yaml:"tuned" doc:"keys"`
}

type bounds struct {
	From float64 `yaml:"from" doc:"least"`
	To   float64 `yaml:"to" doc:"largest"`
}

func decodedFile(t *testing.T, text string) (*keyedFile, error) {
	t.Helper()
	var o keyedFile
	_, err := scenario.Decode("file.yaml", []byte(text), "a file of keys", &o)
	return &o, err
}

func TestVariableKinds(t *testing.T) {
	rthstest.Keeps(t, rthstest.Table(VariableKinds))
	for _, k := range VariableKinds {
		switch k.Name {
		case "choice": // has no defaults
		default:
			o, err := decodedFile(t, "variables: {specimen.mass: {kind: "+k.Name+", from: 1, to: 2}}")
			if k.Name == "normal" {
				o, err = decodedFile(t, "variables: {specimen.mass: {kind: normal, mean: 1.5}}")
			}
			if err != nil || len(o.Variables) != 1 || o.Variables[0].Key != "specimen.mass" {
				t.Errorf("%s: %+v, %v", k.Name, o, err)
			}
		}
	}
}

// Levels, grids and choices in the order of the file, whatever their values are.
func TestVariables(t *testing.T) {
	o, err := decodedFile(t, `
points: 3
variables:
  compensator: [{kind: amb, order: 2}, {kind: none}]
  ground.record: ["el centro", kobe]
  specimen.mass: {kind: grid, from: 1, to: 100, points: 3, log: true}
  specimen.damping: {kind: grid, from: 0, to: 1, points: 3}
  limits: {kind: choice, of: [none, [{channel: command_m, trip: 0.02, action: ramp}]]}
  specimen.stiffness: {kind: log-uniform, from: 1, to: 100}
`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range o.Variables {
		got = append(got, fmt.Sprint(v.Key, " ", v.Levels, v.Of, v.Random(), v.Log))
	}
	want := []string{
		"compensator [compensator={kind: amb, order: 2} compensator={kind: none}] [] false false",
		`ground.record [ground.record="el centro" ground.record=kobe] [] false false`,
		"specimen.mass [specimen.mass=1 specimen.mass=10 specimen.mass=100] [] false true",
		"specimen.damping [specimen.damping=0 specimen.damping=0.5 specimen.damping=1] [] false false",
		"limits [] [limits=none limits=[{channel: command_m, trip: 0.02, action: ramp}]] true false",
		"specimen.stiffness [] [] true true",
	}
	for i := range want {
		if strings.ReplaceAll(got[i], "][", "] [") != want[i] {
			t.Errorf("%s\nwant %s", got[i], want[i])
		}
	}
	v := o.Variables[5]
	if x, ok := v.Setting(0.5).Float(); !ok || math.Abs(x-10) > 1e-12 {
		t.Errorf("the middle of 1 to 100 is %v", x)
	}
	if s := o.Variables[4].Setting(0.75).String(); s != "limits=[{channel: command_m, trip: 0.02, action: ramp}]" {
		t.Errorf("choice at 0.75: %s", s)
	}
	for _, u := range []float64{1e-300, 1 - 1e-16, 1} {
		o.Variables[4].Setting(u) // within the list
	}
}

func TestKeyed(t *testing.T) {
	o, err := decodedFile(t, "tuned: {'compensator.gamma[1]': {from: 1, to: 2}, specimen.mass: {to: 3}}")
	if err != nil || len(o.Tuned) != 2 || o.Tuned[0].Of != (bounds{1, 2}) || o.Tuned[1].Has("from") ||
		!o.Tuned[1].Has("to") {
		t.Errorf("%+v, %v", o, err)
	}
	for _, tc := range []struct{ text, want string }{
		{"tuned: 3", "want keys of the scenario, each with a block of from, to"},
		{"tuned: {specimen.mass: {fron: 1}}", "file.yaml:1:25: tuned.specimen.mass.fron: unknown key: did you mean from?"},
		{"tuned: {specimen.mass: {from: a}}", "want a finite number"},
		{"variables: [1]", "want keys of the scenario"},
		{"pionts: 1", "unknown key: did you mean points?"},
		{"- 1", "want a file of keys"},
		{"rate_hz: 1", "unknown key: want one of points, tuned, variables"},
	} {
		if _, err := decodedFile(t, tc.text); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %s", tc.text, err, tc.want)
		}
	}
}
