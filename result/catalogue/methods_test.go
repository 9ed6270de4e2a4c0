package catalogue

import (
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/scenario"
)

// A list of runs names the method of a resolved scenario in a few words.
func TestMethods(t *testing.T) {
	for set, want := range map[string]string{
		"compensator.kind=amb": "amb",
		"compensator={kind: chain, join: parallel, of: [{kind: amb}, {kind: lqg}]}": "amb + lqg",
		"name=other": "none",
	} {
		s := rthstest.Must(scenario.Parse("test.yaml", []byte(rthstest.Small), ".", []string{set}))
		text := rthstest.Must(s.YAML())
		if got := methods(text); got != want {
			t.Errorf("--set %s: %q: want %q", set, got, want)
		}
	}
	for text, want := range map[string]string{
		"each:\n- compensator:\n    kind: kf\n- compensator:\n    kind: amb\nname: |\n  compensator: pi\n": "kf, amb",
		// what is no matter is not looked at
		"structure: [\ncompensator:\n  kind: amb\n  order: 2\nname: }":                             "amb",
		"each: [{compensator: {kind: kf}}, {compensator: {kind: amb}}, {compensator: {kind: kf}}]": "kf, amb",
		"each: [{transfer: {kind: ideal}}]\ncompensator: {kind: pi}":                               "pi",
		"":                                 "",
		"# judged from test.csv\n":         "",
		"compensator: amb":                 "",
		"compensator: {kind: chain}":       "chain",
		"{":                                "",
		strings.Repeat("[", 1<<20):         "",
		"each: {compensator: {kind: amb}}": "",
	} {
		if got := methods(text); got != want {
			t.Errorf("%.80q: %q: want %q", text, got, want)
		}
	}
}
