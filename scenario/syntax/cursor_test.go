package syntax

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// A bar marks the place in each text.
func TestCursor(t *testing.T) {
	for _, c := range []struct {
		text, path, word string
		value            bool
		beside           map[string]string
	}{
		{"na|", "", "na", false, nil},
		{"name: x\nrate_hz: 10|24", "rate_hz", "10", true, map[string]string{"name": "x", "rate_hz": "1024"}},
		{"ground:\n  kind: sine\n  |", "ground", "", false, map[string]string{"kind": "sine"}},
		{"ground:\n  kind: si|", "ground.kind", "si", true, map[string]string{"kind": "si"}},
		{"structure:\n  damping:\n    modal_ratio: [0.02|]", "structure.damping.modal_ratio", "0.02", true, nil},
		{"compensator: {kind: amb, or|", "compensator", "or", false, map[string]string{"kind": "amb"}},
		{"compensator: {or|, kind: amb}", "compensator", "or", false, map[string]string{"kind": "amb"}},
		{"compensator: {kind: |}", "compensator.kind", "", true, nil},
		{"transfer: {kind: x, inner: {kind: |", "transfer.inner.kind", "", true, nil},
		{"a: {b: {c: 1}, d|", "a", "d", false, nil},
		{"faults:\n  - {kind: lo|", "faults.[].kind", "lo", true, map[string]string{"kind": "lo"}},
		{"faults:\n  - kind: lost\n    fr|", "faults.[]", "fr", false, map[string]string{"kind": "lost"}},
		{"x: 1 # a comment |", "x", "", true, map[string]string{"x": "1"}},
		{"masses: [1, 2|, 3]", "masses", "2", true, nil},
		{"a:\n  b: 1\n|", "", "", false, map[string]string{}},
		{"a:\r\n  b: 1|\r\n", "a.b", "1", true, map[string]string{"b": "1"}},
	} {
		before, _, _ := strings.Cut(c.text, "|")
		line := strings.Count(before, "\n")
		column := len(before) - (strings.LastIndexByte(before, '\n') + 1)
		got := At(strings.Replace(c.text, "|", "", 1), line, column)
		if path := strings.Join(got.Path, "."); path != c.path || got.Word != c.word || got.Value != c.value {
			t.Errorf("%q: path %q, word %q, value %t: want %q, %q, %t", c.text, path, got.Word, got.Value, c.path, c.word,
				c.value)
		}
		if c.beside != nil && !maps.Equal(got.Beside, c.beside) {
			t.Errorf("%q: beside %v: want %v", c.text, got.Beside, c.beside)
		}
	}
	if got := At("a: 1", 7, 3); !slices.Equal(got.Path, nil) {
		t.Errorf("a line that is not there: %v", got)
	}
}

// Nothing that is typed makes it panic.
func FuzzCursor(f *testing.F) {
	f.Add("ground: {kind: sine, [}\n - a:", 1, 3)
	f.Fuzz(func(t *testing.T, text string, line, column int) {
		c := At(text, line, column)
		if lines := strings.Split(text, "\n"); line >= 0 && line < len(lines) &&
			!strings.HasSuffix(lines[line][:min(len(lines[line]), c.From+len(c.Word))], c.Word) {
			t.Errorf("word %q from column %d of %q", c.Word, c.From, lines[line])
		}
	})
}
