package rths

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"time", "target", "measured", "t"}
	for name, want := range map[string]string{"Time": "time", "targte": "target", "mesured": "measured", "x": "", "tx": "t", "force": "", "": ""} {
		if got := Nearest(name, names); got != want {
			t.Errorf("%q: %q: want %q", name, got, want)
		}
	}
}
