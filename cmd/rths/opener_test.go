package main

import (
	"slices"
	"testing"
)

// Each system has its own command for a page; on Linux it wants a display.
func TestOpener(t *testing.T) {
	for _, display := range []string{"", ":0"} {
		t.Setenv("DISPLAY", display)
		t.Setenv("WAYLAND_DISPLAY", "")
		linux := []string{"xdg-open"}
		if display == "" {
			linux = nil
		}
		for system, want := range map[string][]string{"linux": linux, "darwin": {"open"},
			"windows": {"rundll32", "url.dll,FileProtocolHandler"}} {
			if got := opener(system); !slices.Equal(got, want) {
				t.Errorf("%s, display %q: %q: want %q", system, display, got, want)
			}
		}
	}
}
