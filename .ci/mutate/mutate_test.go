package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const sample = `package p

type list []float64

func (l *list) sum(n int) (s float64, err error) {
	for i := 0; i < n; i++ {
		if l == nil && n != 7 {
			return 0, nil
		}
		s += 2.5 * (*l)[i]
		touch(l, math.Inf(1))
	}
	s, err = -s, nil
	_, _ = l.next()
	return s, err
}
`

// Every mistake that can be made in a function of each kind of line, and nothing else; each
// changes the file in one place.
func TestMutantsOfASample(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(path, []byte(sample), 0o644); err != nil {
		t.Fatal(err)
	}
	all, err := mutantsOf(path)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range all {
		before, after := m.lines()
		if m.function != "list.sum" || !strings.Contains(sample, before[:min(5, len(before))]) ||
			strings.Count(sample, "\n") < m.line {
			t.Errorf("mutant of %q at line %d: %s", m.function, m.line, before)
		}
		if text := string(m.source()); len(text)-len(sample) != len(m.text)-(m.to-m.from) ||
			!strings.HasPrefix(text, sample[:m.from]) || !strings.HasSuffix(text, sample[m.to:]) {
			t.Errorf("more than one place changed:\n%s", text)
		}
		got = append(got, after)
	}
	want := []string{
		"for i := 1; i < n; i++ {", "for i := 0; i <= n; i++ {", "for i := 0; i < n; i-- {",
		"if l == nil || n != 7 {", "if l != nil && n != 7 {", "if l == nil && n == 7 {", "if l == nil && n != 8 {",
		"", "return 1, nil",
		"s -= 2.5 * (*l)[i]", "_ = 2.5 * (*l)[i]", "s += 2.5 / (*l)[i]", "s += 5 * (*l)[i]",
		"", "_, _ = -s, nil", "s, err = s, nil", "",
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("mutants\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A listed mutant is found again by its lines, wherever it stands, and is not drawn; a block
// that is not whole is an error.
func TestEquivalentIsNotDrawn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(path, []byte(strings.Replace(sample, "type", "\n\n// moved\ntype", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	all, err := mutantsOf(path)
	if err != nil {
		t.Fatal(err)
	}
	list, err := readEquivalent("# a remark\n\n" + filepath.ToSlash(path) +
		" list.sum\n- for i := 0; i < n; i++ {\n+ for i := 0; i <= n; i++ {\nno reason\n")
	if err != nil {
		t.Fatal(err)
	}
	if rest, listed := list.without(all); listed != 1 || len(rest) != len(all)-1 {
		t.Errorf("%d listed and %d left of %d: want one less", listed, len(rest), len(all))
	}
	for _, wrong := range []string{"a b\n- c\n+ d", "a b\n+ c\n- d\ne", "only a line"} {
		if _, err := readEquivalent(wrong); err == nil {
			t.Errorf("%q was taken", wrong)
		}
	}
	if _, err := readEquivalent(equivalentText); err != nil {
		t.Error(err)
	}
}

// Tests that take a tenth of the time or more run last.
func TestSlowTests(t *testing.T) {
	out := "--- PASS: TestA (0.01s)\n--- PASS: TestB (4.60s)\n    --- PASS: TestB/part (4.50s)\n--- PASS: TestC " +
		"(1.20s)\n--- PASS: TestD (0.30s)\nPASS\n"
	if got := slowTests(out); got != "^(TestB|TestC)$" {
		t.Errorf("slow: %q", got)
	}
	if got := slowTests("--- PASS: TestA (0.01s)\n"); got != "" {
		t.Errorf("slow: %q, want none", got)
	}
}
