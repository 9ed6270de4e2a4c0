package record

import (
	"slices"
	"testing"
)

// Settings have the keys of a scenario with dots; entries of a list of blocks count from 1, any
// other list is one value.
func TestSettingsOf(t *testing.T) {
	s := SettingsOf(
		"rate: 256\nof: {a: x, in: {b: 2}}\nlimits:\n- {channel: age, trip: 3}\n- {channel: late}\nlist: [1, 2]\nmixed: " +
			"[{c: 1}, 2]\nnone: []\n")
	keys := []string{"rate", "of.a", "of.in.b", "limits[1].channel", "limits[1].trip", "limits[2].channel", "list",
		"mixed", "none"}
	if !slices.Equal(s.Keys, keys) || len(s.Values) != len(keys) {
		t.Errorf("keys %q: want %q", s.Keys, keys)
	}
	for key, want := range map[string]string{"rate": "256", "of.a": "x", "of.in.b": "2", "limits[1].trip": "3",
		"limits[2].channel": "late", "list": "[1 2]", "none": "[]"} {
		if got := s.Values[key]; got != want {
			t.Errorf("%s: %q: want %q", key, got, want)
		}
	}
	if s := SettingsOf("judged data: [\n"); len(s.Keys) != 0 {
		t.Errorf("keys %q of what is no scenario: want none", s.Keys)
	}
	s.Add("version", "7")
	if s.Keys[len(s.Keys)-1] != "version" || s.Values["version"] != "7" {
		t.Errorf("%+v: want the key that was added last", s)
	}
}
