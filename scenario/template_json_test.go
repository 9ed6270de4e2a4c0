package scenario_test

import (
	"encoding/json"
	"io/fs"
	"testing"

	"rths/kit/rthstest"
	"rths/scenario"
	"rths/scenario/syntax"
	"rths/scenarios"
)

// A template comes back the same from its JSON, and from its text: every shipped scenario has
// the same keys and values, defaults included.
func TestTemplateGoesToAnotherComputer(t *testing.T) {
	names, err := fs.Glob(scenarios.Files, "*.yaml")
	if err != nil || len(names) < 10 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		text, err := scenarios.Files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		before, err := scenario.NewTemplate(name, text, "some where",
			[]string{`name="a: 'b' \"c\" #1"`, "tags=[a, 'b, c', \"1\"]"})
		if err != nil {
			t.Fatal(err)
		}
		want := yamlOf(t, before)
		if after := carried(t, before); yamlOf(t, after) != want {
			t.Errorf("%s: behind JSON\n%s\nwant\n%s", name, yamlOf(t, after), want)
		}
		after, err := scenario.NewTemplate(name, []byte(before.Text()), "some where", nil)
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, before.Text())
		}
		if got := yamlOf(t, after); got != want {
			t.Errorf("%s: behind its text\n%s\nwant\n%s", name, got, want)
		}
	}
}

// Settings come back the same from their JSON, and errors have the same places.
func TestSettingsGoToAnotherComputer(t *testing.T) {
	text := "rate_hz: 1024\nground: {kind: sine}\nstructure: {kind: silva2020, case: 1}\n"
	before, err := scenario.NewTemplate("a.yaml", []byte(text), "folder", nil)
	if err != nil {
		t.Fatal(err)
	}
	after := carried(t, before)
	for _, set := range []string{"rate_hz=512", "rate_hz=0x", "rate_hz=1e999", "name='1'", "name=", "tags=[a, '1']",
		"ground={kind: sine, amplitude: 0.1}", "no.such=1", "structure.case=9"} {
		one, err := syntax.ParseSetting(set)
		if err != nil {
			t.Fatal(err)
		}
		var two syntax.Setting
		through(t, one, &two)
		if one.String() != two.String() {
			t.Errorf("%q, want %q", two, one)
		}
		s1, err1 := before.With(one)
		s2, err2 := after.With(two)
		if !same(err1, err2) {
			t.Errorf("%s: %v, want %v", set, err2, err1)
		}
		if err1 == nil && mustYAML(t, s1) != mustYAML(t, s2) {
			t.Errorf("%s: another scenario", set)
		}
	}
}

// A text that is no template is no panic.
func TestBrokenTemplate(t *testing.T) {
	for _, text := range []string{"{}", `{"root":null}`, `{"root":{"shape":9}}`,
		`{"root":{"shape":1,"keys":[{"name":"rate_hz"}]}}`, `{"root":{"shape":2,"items":[null]}}`, `[]`, `{"root":7}`} {
		var broken scenario.Template
		if err := json.Unmarshal([]byte(text), &broken); err != nil {
			continue
		}
		if _, err := broken.With(); err == nil {
			t.Errorf("%s is a scenario", text)
		}
	}
}

func same(a, b error) bool {
	return (a == nil) == (b == nil) && (a == nil || a.Error() == b.Error())
}

func carried(t *testing.T, before *scenario.Template) *scenario.Template {
	t.Helper()
	var after scenario.Template
	through(t, before, &after)
	return &after
}

func through(t *testing.T, from, to any) {
	t.Helper()
	text, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func yamlOf(t *testing.T, from *scenario.Template) string {
	t.Helper()
	s, err := from.With()
	if err != nil {
		t.Fatal(err)
	}
	return mustYAML(t, s)
}

func mustYAML(t *testing.T, s *scenario.Scenario) string {
	t.Helper()
	text, err := s.YAML()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Any JSON is a template whose scenarios are made or refused, and so is any setting of it.
func FuzzTemplateJSON(f *testing.F) {
	for _, name := range []string{"demo.yaml", "wang2020-sdof.yaml", "benchmark-multiaxial.yaml"} {
		text, err := scenarios.Files.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		t, err := scenario.NewTemplate(name, text, ".", nil)
		if err != nil {
			f.Fatal(err)
		}
		set, err := syntax.ParseSetting("compensator={kind: pe, order: 2}")
		if err != nil {
			f.Fatal(err)
		}
		whole, one := rthstest.Must(json.Marshal(t)), rthstest.Must(json.Marshal(set))
		f.Add(whole, one)
	}
	f.Add([]byte(`{"root": {"at": "a", "shape": 1, "keys": [{"name": "each", "value": null}]}}`),
		[]byte(`{"key": "each[1].compensator"}`))
	f.Fuzz(func(_ *testing.T, whole, one []byte) {
		var t scenario.Template
		var s syntax.Setting
		if json.Unmarshal(whole, &t) != nil {
			return
		}
		_, _ = t.With()
		if json.Unmarshal(one, &s) == nil {
			_, _ = t.With(s)
		}
	})
}
