package scenario

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"rths/kit/rthstest"
)

// A file of another format is decoded as strictly as a scenario.
type other struct {
	Points    int           `yaml:"points" doc:"number"`
	Variables Variables     `yaml:"variables" doc:"keys"`
	Tuned     Keyed[bounds] `yaml:"tuned" doc:"keys"`
}

type bounds struct {
	From float64 `yaml:"from" doc:"least"`
	To   float64 `yaml:"to" doc:"largest"`
}

func decoded(t *testing.T, text string) (*other, error) {
	t.Helper()
	var o other
	_, err := Decode("file.yaml", []byte(text), "a file of keys", &o)
	return &o, err
}

func TestVariableKinds(t *testing.T) {
	rthstest.Keeps(t, rthstest.Table(VariableKinds))
	for _, k := range VariableKinds {
		switch k.Name {
		case "choice": // has no defaults
		default:
			o, err := decoded(t, "variables: {specimen.mass: {kind: "+k.Name+", from: 1, to: 2}}")
			if k.Name == "normal" {
				o, err = decoded(t, "variables: {specimen.mass: {kind: normal, mean: 1.5}}")
			}
			if err != nil || len(o.Variables) != 1 || o.Variables[0].Key != "specimen.mass" {
				t.Errorf("%s: %+v, %v", k.Name, o, err)
			}
		}
	}
}

// Levels, grids and choices in the order of the file, whatever their values are.
func TestVariables(t *testing.T) {
	o, err := decoded(t, `
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

// Each value of a template is that of --set, and templates are not changed by it.
func TestTemplate(t *testing.T) {
	text := "name: t\nrate_hz: 1024\nground: {kind: sine, duration_s: 1}\nstructure: {kind: shear, masses: [1e3], " +
		"stiffnesses: [1e6]}\nspecimen: {kind: linear, mass: 10, stiffness: 1e4}\ntransfer: {kind: ideal}\n"
	tpl, err := NewTemplate("t.yaml", []byte(text), ".", []string{"rate_hz=2048"})
	if err != nil {
		t.Fatal(err)
	}
	before := tpl.Text()
	for _, sets := range [][]string{{"specimen.mass=20"}, {"structure.masses[1]=2e3", "name='a, b'"},
		{"compensator.kind=amb", "compensator.order=2"}, {"limits=none"}} {
		var settings []Setting
		for _, set := range sets {
			s, err := ParseSetting(set)
			if err != nil {
				t.Fatal(err)
			}
			settings = append(settings, s)
		}
		got, err := tpl.With(settings...)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Parse("t.yaml", []byte(text), ".", append([]string{"rate_hz=2048"}, sets...))
		if err != nil {
			t.Fatal(err)
		}
		a, errA := got.YAML()
		b, errB := want.YAML()
		if errA != nil || errB != nil || a != b {
			t.Errorf("%q:\n%s\nwant\n%s", sets, a, b)
		}
	}
	if tpl.Text() != before {
		t.Errorf("the template is %s, was %s", tpl.Text(), before)
	}
	if again, err := NewTemplate("again", []byte(before), ".", nil); err != nil || again.Text() != before {
		t.Errorf("the text of a template is no template: %v\n%s", err, before)
	}
}

// Entries of a list that the file leaves to its default can be set, and nothing else changes.
func TestSpell(t *testing.T) {
	s, err := Shipped("benchmark-siso.yaml", "ground={kind: sine, duration_s: 1}", "compensator={kind: amb}")
	if err != nil {
		t.Fatal(err)
	}
	built, err := s.Build(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.YAML()
	if err != nil {
		t.Fatal(err)
	}
	tpl, err := NewTemplate("t", []byte(text), ".", []string{"compensator={kind: amb}"})
	if err != nil {
		t.Fatal(err)
	}
	one := Number("compensator.gamma[2]", 5e5, "here")
	if _, err := tpl.With(one); err == nil || !strings.Contains(err.Error(), "gamma is no list of this scenario") {
		t.Errorf("an entry of a default: %v", err)
	}
	blocks, err := tpl.Spell(built.Scenario, "compensator.gamma[2]", "specimen.mass", "faults[1].from_s")
	if err != nil || !slices.Equal(blocks, []string{"compensator"}) {
		t.Fatal(blocks, err)
	}
	same, err := tpl.With()
	if err != nil {
		t.Fatal(err)
	}
	a, _ := same.Compensator.Settings()
	b, _ := built.Scenario.Compensator.Settings()
	if a != b {
		t.Errorf("%s\nwant %s", a, b)
	}
	changed, err := tpl.With(one)
	if err != nil {
		t.Fatal(err)
	}
	if c, _ := changed.Compensator.Settings(); c == a || !strings.Contains(c, "500000") {
		t.Errorf("gamma[2] is not set: %s", c)
	}
	fragment, err := changed.Fragment("compensator.gamma[2]", "specimen.mass")
	if err != nil || !strings.Contains(fragment, "\ncompensator: {kind: amb") ||
		!strings.HasPrefix(fragment, "specimen: {") || strings.Count(fragment, "\n") != 2 {
		t.Errorf("%v\n%s", err, fragment)
	}
}

// Sorted puts blocks and kinds before the keys in them, and changes no other order.
func TestSorted(t *testing.T) {
	var in []Setting
	for _, key := range []string{"compensator.gamma[2]", "compensator.order", "compensator.kind", "seed", "compensator",
		"ground.scale"} {
		in = append(in, Number(key, 1, ""))
	}
	var got []string
	for _, s := range Sorted(in) {
		got = append(got, s.Key)
	}
	want := []string{"compensator.kind", "seed", "compensator", "compensator.order", "ground.scale",
		"compensator.gamma[2]"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestKeyed(t *testing.T) {
	o, err := decoded(t, "tuned: {'compensator.gamma[1]': {from: 1, to: 2}, specimen.mass: {to: 3}}")
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
		if _, err := decoded(t, tc.text); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %s", tc.text, err, tc.want)
		}
	}
}
