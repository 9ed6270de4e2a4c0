package scenario

import (
	"strings"
	"testing"
)

// A message on a text of the program's own names the key and not a line, which the user's file does
// not have. An override is named.
func TestParseResolvedNamesNoLines(t *testing.T) {
	s, err := Shipped("demo.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.YAML()
	if err != nil {
		t.Fatal(err)
	}
	for sets, want := range map[string]string{"": "test.yaml: compensator: kind",
		"rate_hz=-1": "--set rate_hz=-1: rate_hz"} {
		spoiled, list := text, []string(nil)
		if sets == "" {
			spoiled = strings.Replace(text, "kind: amb-galmez2021", "kind: nothing", 1)
		} else {
			list = []string{sets}
		}
		_, err := ParseResolved("test.yaml", []byte(spoiled), "", list)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", sets, err, want)
		}
	}
}
