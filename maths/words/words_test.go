package words

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	names := []string{"time", "target", "measured", "t"}
	for name, want := range map[string]string{"Time": "time", "targte": "target", "mesured": "measured", "x": "",
		"tx": "t", "force": "", "": ""} {
		if got := Nearest(name, names); got != want {
			t.Errorf("%q: %q: want %q", name, got, want)
		}
	}
}

// A swap of neighbours is one edit.
func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"run", "rnu", 1}, {"bode", "nope", 2}, {"list", "lits", 1}, {"", "ab", 2}, {"kitten", "sitting", 3},
		{"ca", "abc", 3}, {"amb", "amb", 0}} {
		if got, back := Distance(c.a, c.b), Distance(c.b, c.a); got != c.want || back != c.want {
			t.Errorf("%q and %q: %d and %d edits: want %d", c.a, c.b, got, back, c.want)
		}
	}
}

func TestIsName(t *testing.T) {
	for name, want := range map[string]bool{
		"a": true, "amb_2": true, "Z9": true, "": false, "_a": false, "2a": false, "a-b": false, "é": false,
		strings.Repeat("a", 40): true, strings.Repeat("a", 41): false,
	} {
		if got := IsName(name); got != want {
			t.Errorf("%q is a name: %t, want %t", name, got, want)
		}
	}
}
