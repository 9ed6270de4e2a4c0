package syntax

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"

	"rths/kit/rthstest"
	"rths/scenarios"
)

func scalar(text string) *Node { return &Node{Shape: Scalar, Text: text} }

func items(texts ...string) *Node {
	n := &Node{Shape: Sequence}
	for _, text := range texts {
		n.Items = append(n.Items, scalar(text))
	}
	return n
}

func keys(pairs ...string) *Node {
	n := &Node{Shape: Mapping}
	for i := 0; i < len(pairs); i += 2 {
		n.Keys = append(n.Keys, &Key{Name: pairs[i], Value: scalar(pairs[i+1])})
	}
	return n
}

// An edit changes what it has to, in the style of the text.
func TestEdit(t *testing.T) {
	for _, c := range []struct {
		text, path string
		value      *Node
		order      string
		want       string
	}{
		{"a: 1 # one\nb: 2\n", "a", scalar("3"), "", "a: 3 # one\nb: 2\n"},
		{"a: 1 # one\r\nb: 2\r\n", "c", scalar("3"), "", "a: 1 # one\r\nb: 2\r\nc: 3\r\n"},
		{"\ufeffa: 1\nc: 2\n", "b", scalar("3"), "a b c", "\ufeffa: 1\nb: 3\nc: 2\n"},
		{"b: 1", "a", scalar("3"), "a b", "a: 3\nb: 1"},
		{"b: 1", "c", scalar("3"), "a b", "b: 1\nc: 3"},
		{"a: # one\nb: 2\n", "a", scalar("3"), "", "a: 3 # one\nb: 2\n"},
		{"a: {b: 1, c: 2}\n", "a b", nil, "", "a: {c: 2}\n"},
		{"a: {b: 1, c: 2}\n", "a c", nil, "", "a: {b: 1}\n"},
		{"a: {b: 1}\n", "a b", nil, "", "a: {}\n"},
		{"a: {}\n", "a b", scalar("x, y"), "", "a: {b: \"x, y\"}\n"},
		{"a: {c: 1}\n", "a kind", scalar("x"), "kind", "a: {kind: x, c: 1}\n"},
		{"a: {b: 1, # one\n  c: 2 # two\n  }\n", "a b", nil, "", "a: { # one\n  c: 2 # two\n  }\n"},
		{"a: {b: 1, # one\n  c: 2 # two\n  }\n", "a c", nil, "", "a: {b: 1 # one\n   # two\n  }\n"},
		{"a:\n  # of b\n  b: 1 # one\n  # of c\n  c: 2\n", "a b", nil, "", "a:\n  # of b\n  # of c\n  c: 2\n"},
		{"a: # x\n  b: 1\nc: 2\n", "a b", nil, "", "a: {} # x\nc: 2\n"},
		{"a:\n- 1\nc: 2\n", "a 1", nil, "", "a: []\nc: 2\n"},
		{"a:\n- b: 1\n  c: 2\n", "a 1 b", nil, "", "a:\n- c: 2\n"},
		{"a:\n- b: 1 # one\n  # of c\n  c: 2\n", "a 1 b", nil, "", "a:\n- \n  # of c\n  c: 2\n"},
		{"a:\n- b: 1\n  c: 2\n", "a 1 kind", scalar("x"), "kind", "a:\n- kind: x\n  b: 1\n  c: 2\n"},
		{"a:\n  - b: 1\n  # end\n", "a 2", keys("b", "2"), "", "a:\n  - b: 1\n  - {b: 2}\n  # end\n"},
		{"a:\n  b: 1\n    # in\n  # at\nc: 2\n", "a d", scalar("5"), "", "a:\n  b: 1\n    # in\n  d: 5\n  # at\nc: 2\n"},
		{"a: [1,2, # two\n 3]\n", "a", items("1", "5", "3"), "", "a: [1,5, # two\n 3]\n"},
		{"a: [1,2]\n", "a", items("1", "2", "3", "4"), "", "a: [1,2,3,4]\n"},
		{"a: [1,2, 3, 4]\n", "a", items("1", "2"), "", "a: [1,2]\n"},
		{"a: [1] # one\n", "a", items(), "", "a: [] # one\n"},
		{"a: # one\n  - 1\n  # two\n  - 2\n", "a", items("5"), "", "a: # one\n  - 5\n  # two\n"},
		{"a: # one\n  - 1\n", "a", items(), "", "a: [] # one\n"},
		{"a: []\n", "a", items("1", "2"), "", "a: [1, 2]\n"},
		{"a: []\n", "a 1", scalar("1"), "", "a: [1]\n"},
		{"a: {b, c: 1}\n", "a b", scalar("2"), "", "a: {b: 2, c: 1}\n"},
		{"a: {b: , c: 1}\n", "a b", scalar("2"), "", "a: {b: 2 , c: 1}\n"},
		{"a: {\n  b: 1,\n  c: 2\n}\n", "a c", nil, "", "a: {\n  b: 1\n}\n"},
		{"a: {b: 1, # x, y\n  c: 2,\n}\n", "a c", nil, "", "a: {b: 1 # x, y\n  \n}\n"},
		{"a: {b: 1 # x, y\n  ,}\n", "a b", nil, "", "a: { # x, y\n  }\n"},
		{"a: 'b'\n", "a", &Node{Text: "it's", Quoted: true}, "", "a: 'it''s'\n"},
		{"a: \"5\"\n", "a", scalar("6"), "", "a: 6\n"},
		{"a: b, c\n", "a", scalar("d, e: f"), "", "a: \"d, e: f\"\n"},
		{"a: b\n", "a", scalar("c, d"), "", "a: c, d\n"},
		{"a: {b: 1}\n", "a b", scalar(":"), "", "a: {b: \":\"}\n"},
		{"a: b\n", "a", scalar("null"), "", "a: \"null\"\n"},
		{"a: b\n", "a", scalar(""), "", "a: \"\"\n"},
		{"a: |\n  x\n  y\nb: 1\n", "a", scalar("z"), "", "a: z\nb: 1\n"},
		{"a: 1\n", "b c d", scalar("z"), "", "a: 1\nb: {c: {d: z}}\n"},
		{"a: 1\nc: 2\n", "b d", &Node{Text: "z", Quoted: true}, "a b c", "a: 1\nb: {d: z}\nc: 2\n"},
		{"a: ~\n", "a b", scalar("z"), "", "a: {b: z}\n"},
		{"a: none\n", "a", &Node{Shape: Sequence, Items: []*Node{keys("k", "1")}}, "", "a: [{k: 1}]\n"},
		{"a:\n  b: 1\n  c: 2\nd: 3\n", "a", keys("kind", "x"), "", "a: {kind: x}\nd: 3\n"},
	} {
		e := Edit{Path: strings.Fields(c.path), Value: c.value}
		for range e.Path {
			e.Order = append(e.Order, strings.Fields(c.order))
		}
		if got, err := e.Apply("x", c.text); err != nil || got != c.want {
			t.Errorf("%q, %s: %q, %v: want %q", c.text, c.path, got, err, c.want)
		}
	}
}

// What a text cannot take is refused.
func TestEditRefuses(t *testing.T) {
	for _, c := range []struct{ text, path, want string }{
		{"a: {b: 1\n", "a b", "x:1:4: found { without its }: want both"},
		{"a: &b 1\nc: *b\n", "c", "anchors, aliases"},
		{"a: 1\n", "b", "x: b: found no b: there is nothing to remove"},
		{"a: [1]\n", "a 0", "x: a.0: found no 0: there is nothing to remove"},
		{"a: [1]\n", "a 3", "x: a[3]: found no 3: there is nothing to remove"},
		{"a: 1\n", "a b", "x: a.b: a has a value in place of a block: remove it first"},
		{"{b # y,\r}", "b", "x: b: found a carriage return inside of a line"},
		{"a: 1\n", "", "0 steps"},
	} {
		_, err := Edit{Path: strings.Fields(c.path)}.Apply("x", c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q, %s: %v: want %q", c.text, c.path, err, c.want)
		}
	}
}

// paths are the places of a node, of a long list of numbers the first ones and the last one.
func paths(n *Node, at Path) (out []Path) {
	for _, k := range n.Keys {
		out = append(out, append(slices.Clone(at), k.Name))
		out = append(out, paths(k.Value, out[len(out)-1])...)
	}
	for i, item := range n.Items {
		if i > 1 && i < len(n.Items)-1 && item.Shape != Mapping {
			continue
		}
		out = append(out, append(slices.Clone(at), strconv.Itoa(i+1)))
		out = append(out, paths(item, out[len(out)-1])...)
	}
	return out
}

// at is the node of a path.
func at(n *Node, path Path) *Node {
	for _, step := range path {
		if n.Shape == Mapping {
			n = n.Get(step).Value
		} else {
			i, _ := strconv.Atoi(step)
			n = n.Items[i-1]
		}
	}
	return n
}

// The kinds of edits that the tests make.
const (
	toScalar = iota
	toRemove
	toAdd
	toAppend
	toBlock
	editKinds
)

// editOf is an edit at a place, and the tree that it has to leave, made without the code under test.
func editOf(root *Node, path Path, kind int, value string) (e Edit, want *Node) {
	want = root.Clone()
	n, last := at(want, path), path[len(path)-1]
	parent := at(want, path[:len(path)-1])
	v := &Node{Shape: Scalar, Text: value, Quoted: n.Quoted}
	switch {
	case kind == toRemove:
		parent.Keys = slices.DeleteFunc(parent.Keys, func(k *Key) bool { return k.Name == last })
		if i, err := strconv.Atoi(last); err == nil && parent.Shape == Sequence {
			parent.Items = slices.Delete(parent.Items, i-1, i)
		}
		return Edit{Path: path}, want
	case kind == toAdd && n.Shape == Mapping && n.Get("new one") == nil:
		n.Keys = append(n.Keys, &Key{Name: "new one", Value: v})
		return Edit{Path: append(slices.Clone(path), "new one"), Value: v}, want
	case kind == toAppend && n.Shape == Sequence:
		n.Items = append(n.Items, v)
		return Edit{Path: append(slices.Clone(path), strconv.Itoa(len(n.Items))), Value: v}, want
	case kind == toBlock:
		v = keys("kind", "x", "tau_ms", "5")
	}
	*n = *v
	return Edit{Path: path, Value: v}, want
}

// comments are those of a text, with their lines.
func comments(text string) (out []string, lines []int) {
	for _, t := range lexer.Tokenize(strings.ReplaceAll(strings.TrimPrefix(text, byteOrder), "\r\n", "\n")) {
		if t.Type == token.CommentType {
			out, lines = append(out, strings.TrimSpace(t.Value)), append(lines, t.Position.Line)
		}
	}
	return out, lines
}

// linesOf are the first and the last line of the entry at a path.
func linesOf(text string, n *Node, p *piece, path Path) (first, last int) {
	from, to := 0, 0
	for _, step := range path {
		e := p.entries[n.index(step)]
		from, to = e.from, e.end()
		n, p = at(n, Path{step}), e.value
	}
	return 1 + strings.Count(text[:from], "\n"), 1 + strings.Count(text[:to], "\n")
}

// checkComments wants the comments of a text in another one, in their order, but for those of some lines.
func checkComments(t *testing.T, what, text, out string, first, last int) {
	t.Helper()
	before, lines := comments(text)
	after, _ := comments(out)
	head := slices.IndexFunc(lines, func(l int) bool { return l >= first })
	tail := len(lines)
	if head < 0 {
		head = len(lines)
	}
	for tail > head && lines[tail-1] > last {
		tail--
	}
	more := len(after) - head - (len(before) - tail)
	if more < 0 || !slices.Equal(after[:head], before[:head]) || !slices.Equal(after[head+more:], before[tail:]) {
		t.Fatalf("comments are %q: want %q and %q; %d %d", after, before[:head], before[tail:], first, last)
	}
	inside := before[head:tail]
	for _, c := range after[head : head+more] {
		i := slices.Index(inside, c)
		if i < 0 && strings.Contains(text, "#"+c) {
			continue // behind a text of several lines the lexer tells of no comment
		}
		if i < 0 {
			t.Fatalf("%s: the comment %q is new", what, c)
		}
		inside = inside[i+1:]
	}
}

// checkEdit makes an edit and checks what it has left. It reports a refusal.
func checkEdit(t *testing.T, text string, root *Node, path Path, kind int, value string) (refused error) {
	e, want := editOf(root, path, kind, value)
	out, err := e.Apply("x", text)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("%q\n%v, %d, %q:\n%q", text, path, kind, value, out)
	got, err := Parse("x", []byte(out), "a block")
	if err != nil || !sameNodes(got, want) {
		t.Fatalf("%s: %v: reads as\n%s\nwant\n%s", what, err, got.Flow(), want.Flow())
	}
	whole, err := outline(strings.TrimPrefix(text, byteOrder), root)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	first, last := linesOf(strings.TrimPrefix(text, byteOrder), root, whole, path)
	if len(e.Path) > len(path) { // nothing is replaced
		first, last = len(text), 0
	}
	checkComments(t, what, text, out, first, last)
	old := at(root, path)
	raw := text[:0]
	if whole, n := whole, root; old.Shape == Scalar && kind == toScalar {
		for _, step := range path {
			i := n.index(step)
			n, whole = at(n, Path{step}), whole.entries[i].value
		}
		raw = strings.TrimPrefix(text, byteOrder)[whole.from:whole.to]
	}
	if raw == "" || strings.ContainsAny(raw, "\\\n") || raw[0] == '|' || raw[0] == '>' {
		return nil
	}
	back, err := Edit{Path: path, Value: old}.Apply("x", out)
	if err != nil || back != text && raw == old.Text && isPlain(raw, false) { // the parser takes some behind a tab only
		t.Fatalf("%s: set back: %v:\n%q", what, err, back)
	}
	return nil
}

// shipped are the scenarios of the program, in other styles too.
func shipped(t testing.TB) (out []string) {
	err := fs.WalkDir(scenarios.Files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".yaml") {
			return err
		}
		text, err := scenarios.Files.ReadFile(name)
		out = append(out, string(text))
		return err
	})
	if err != nil || len(out) < 20 {
		t.Fatalf("%d scenarios, %v: want those of the program", len(out), err)
	}
	for i, text := range out {
		switch i % 3 {
		case 0:
			out = append(out, strings.ReplaceAll(text, "\n", "\r\n"))
		case 1:
			out = append(out, strings.ReplaceAll(text, ", ", ", # here\n    "))
		case 2:
			out = append(out, "\ufeff"+strings.ReplaceAll(text, "\n", " # there\n\n"))
		}
	}
	return append(out, "\"a b\": 'c' # d\ne: {\"f\":1,'g': \"h\"}\n",
		"a:\n- b: 1 # one\n  # two\n  c:\n  - d\n  - - e\n    - f\ng:\n",
		"{a: 1, # x\n b: [2,3 # y\n ],\n}\n", "a:\n    b: |\n      text\n\n    # c\n    d: e\n      f\n# g")
}

// Every key of every shipped scenario takes edits, in several styles.
func TestEditTakesAll(t *testing.T) {
	for k, text := range shipped(t) {
		root, err := Parse("x", []byte(text), "a block")
		if err != nil {
			continue // a style that the text does not take
		}
		for i, path := range paths(root, nil) {
			for kind := range editKinds {
				if (i+k+kind)%rthstest.Draws(9, 3) > 0 { // each sees enough texts and keys
					continue
				}
				if err := checkEdit(t, text, root, path, kind, "5e3"); err != nil {
					t.Errorf("%q: %v, %d: %v", text, path, kind, err)
				}
			}
		}
	}
}

// No edit of any text loses a comment or changes another key.
func FuzzEdit(f *testing.F) {
	for i, text := range shipped(f) {
		f.Add(text, uint16(7*i), uint8(i), "5")
	}
	for i, text := range []string{"{0:#%1: #\n}", "Z:\n  A: 1\n  C: {A,B:[0,\n]}}a0:", "{b> # y[ ],\r}",
		"a: [1, [2, {b: c}]] # d\n", "a:\n  - # b\n    c: 1\n", "a: \"\\u00e9\"\nb: ''\n",
		"? a\n: b\n",
		"a: >-\n  b\n\n  c\n\nd: 1\n", "---\n{a: b}\n...\n", "a: &b 1\nc: *b",
		"a: b #c\n#d\n   # e\nf:\n   # g\n", "a: {b: 1}\n"} {
		f.Add(text, uint16(i), uint8(i), "it's: {# \"")
	}
	f.Fuzz(func(t *testing.T, text string, pick uint16, kind uint8, value string) {
		root, err := Parse("x", []byte(text), "a block")
		if err != nil {
			return
		}
		if all := paths(root, nil); len(all) > 0 {
			_ = checkEdit(t, text, root, all[int(pick)%len(all)], int(kind)%editKinds, value) // it may be refused
		}
	})
}
