package syntax

import (
	"strings"
	"testing"
)

// The outline has the shape that the parser sees, in every style of YAML that scenarios use.
func TestOutlineAgrees(t *testing.T) {
	for _, text := range []string{
		"a: 1\n", "a: 1", "# c\na: 1 # d\n\n# e\nb:\n  c: 2\n  d:\n    - 1\n    - 2\ne: f\n",
		"a:\n- 1\n- b: 2\n  c: 3\n- - x\n  - y\nd: {e: [1, 2,\n  3], f: {g: h i}} # j\n",
		"\"a b\": 'it''s'\n'c': \"d\\\" # e\"\n", "a: b c\n  d e\nf: g\n", "a: |\n  b\n  # c\n\n  d\ne: >-\n  f\n",
		"---\na: 1\n...\n", "\ufeffa: 1\n", "a: 1\r\nb:\r\n  c: 2 # d\r\n", "{a: 1, b: , c, \"d\":2}\n",
		"a:\nb: ~\nc: null\n",
		"a: http://x#y\nb: [a b, 'c, d', -1e-3]\n", "a: {  # x\n  b: 1, # y\n  c: 2 # z\n  }\n", "a:   \n  # c\n  b: 1\n",
		"a: {}\nb: []\nc: { }\n", "a:\n  - b:\n      c: 1\n    d: 2\n  # e\n  -\n    f: 3\n  -\ng: x\n",
		"a: \"b\n  c\"\nd: 1\n", "limits: none\nexpect: {J7_x1: {max: 1}}\n", "a: b:c\nd: x#y\ne: a - b\n",
		"  a: 1\n  b: 2\n", "a: [b\n  c, d:e, {f: g h}]\n", "a: 'b\n\n  c'\n", "a: {b:\n  c}\n", "a: b\n\n  c\n\n# d\ne: f\n",
		"a: [\n  [1, 2],\n  [3, 4],\n]\n",
	} {
		root, err := Parse("x", []byte(text), "a block")
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if _, err := outline(strings.TrimPrefix(text, byteOrder), root); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A tree that is not that of the text is refused, with the line.
func TestOutlineRefuses(t *testing.T) {
	root, err := Parse("x", []byte("a: 1\nb: [2, 3]\n"), "a block")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"a: 4\nb: [2, 3]\n", "a: 1\nb: [2]\n", "a: 1\n", "a: 1\nb: {c: 2}\n"} {
		if _, err := outline(text, root); err == nil || !strings.HasPrefix(err.Error(), "line ") {
			t.Errorf("%q: %v: want a refusal", text, err)
		}
	}
}
