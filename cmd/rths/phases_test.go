package main

import (
	"slices"
	"testing"
	"unicode/utf8"

	"rths/docs"
)

// Each command that the help shows has a phase, a line that fits beside its name, and a page that there is.
func TestPhases(t *testing.T) {
	root := rootCommand(&app{})
	named := map[string]bool{}
	for _, p := range phases {
		for name, page := range p.pages {
			named[name] = true
			if !slices.ContainsFunc(docs.Pages(), func(of *docs.Page) bool { return of.Path == page }) {
				t.Errorf("%s: there is no page %s", name, page)
			}
		}
	}
	for _, c := range root.Commands() {
		if !c.IsAvailableCommand() || c.Name() == "help" {
			continue
		}
		if n := utf8.RuneCountInString(c.Short); !named[c.Name()] || c.GroupID == "" || n > 60 {
			t.Errorf("%s: phase %q, a line of %d characters: want a phase and at most 60", c.Name(), c.GroupID, n)
		}
	}
}
