package scenario

import (
	"slices"
	"strings"
	"testing"

	"rths/scenario/syntax"
)

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
		var settings []syntax.Setting
		for _, set := range sets {
			s, err := syntax.ParseSetting(set)
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
	one := syntax.Number("compensator.gamma[2]", 5e5, "here")
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
