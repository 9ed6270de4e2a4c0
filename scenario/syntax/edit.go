package syntax

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Path leads to a place in a text: keys, and places in lists counted from 1, as in specimens, 2, specimen, kind.
type Path []string

// String is the path as --set takes it.
func (p Path) String() string {
	var out string
	for _, step := range p {
		if n, err := strconv.Atoi(step); err == nil && n > 0 && out != "" {
			out += "[" + step + "]"
		} else {
			out = Join(out, step)
		}
	}
	return out
}

// Edit changes one key or one entry of a list in a text, and no byte that may stay.
type Edit struct {
	Path  Path
	Value *Node      // Quoted: it may keep the quotes of the text; nil: key or entry are removed
	Order [][]string // the keys of the block of each step, in the order in which a new one is put
}

// Apply gives the changed text. It refuses what the text cannot take: the changed text always reads as the text with
// that one change. Errors call the text name.
func (e Edit) Apply(name, text string) (string, error) {
	root, err := Parse(name, []byte(text), "a block of keys")
	if err != nil {
		return "", err
	}
	text, marked := strings.CutPrefix(text, byteOrder)
	whole, err := outline(text, root)
	if err != nil {
		return "", fmt.Errorf("%s: %s: %w", name, e.Path, err)
	}
	w := rewriting{text: text, newline: "\n"}
	if strings.Contains(text, "\r\n") {
		w.newline = "\r\n"
	}
	wanted := root.Clone()
	if err := w.walk(spot{n: wanted, p: whole}, e); err != nil {
		return "", fmt.Errorf("%s: %s: %w", name, e.Path, err)
	}
	out := w.result()
	if got, err := Parse(name, []byte(out), "a block of keys"); err != nil || !sameNodes(got, wanted) {
		return "", fmt.Errorf("%s: %s cannot be changed without more around it: change it in the text", name, e.Path)
	}
	if marked {
		out = byteOrder + out
	}
	return out, nil
}

// sameNodes reports whether two nodes say the same, wherever they stand.
func sameNodes(a, b *Node) bool {
	return a.Shape == b.Shape && a.Text == b.Text &&
		slices.EqualFunc(a.Keys, b.Keys, func(a, b *Key) bool { return a.Name == b.Name && sameNodes(a.Value, b.Value) }) &&
		slices.EqualFunc(a.Items, b.Items, sameNodes)
}

// spot is a node, the piece of the text that it stands in, the entry whose value it is and the brackets around it.
type spot struct {
	n     *Node
	p     *piece
	owner *entry // nil: the whole
	flow  bool
}

// child is the spot of an entry.
func (s spot) child(i int) spot {
	e := s.p.entries[i]
	if s.n.Shape == Mapping {
		return spot{s.n.Keys[i].Value, e.value, e, s.p.flow}
	}
	return spot{s.n.Items[i], e.value, e, s.p.flow}
}

// index is the place of a step among the entries of a node; there are none of it: its number of entries.
func (n *Node) index(step string) int {
	if n.Shape == Mapping {
		if i := slices.IndexFunc(n.Keys, func(k *Key) bool { return k.Name == step }); i >= 0 {
			return i
		}
		return len(n.Keys)
	}
	if i, err := strconv.Atoi(step); err == nil && i >= 1 && i <= len(n.Items) {
		return i - 1
	}
	return len(n.Items)
}

// walk goes to the block of the last step of a path, or to the innermost one that there is, and changes it.
func (w *rewriting) walk(at spot, e Edit) error {
	if len(e.Path) == 0 || len(e.Path) > deepest {
		return fmt.Errorf("%d steps: want 1 to %d", len(e.Path), deepest)
	}
	for i, step := range e.Path {
		rest := e.Path[i+1:]
		switch at.n.Shape {
		case Scalar:
			return fmt.Errorf("%s has a value in place of a block: remove it first", e.Path[:i])
		case Empty:
			if e.Value == nil {
				return fmt.Errorf("found no %s: there is nothing to remove", step)
			}
			w.become(at, nested(append(Path{step}, rest...), e.Value))
			return nil
		}
		k := at.n.index(step)
		switch there := k < len(at.p.entries); {
		case there && len(rest) > 0:
			at = at.child(k)
		case there && e.Value == nil:
			w.cut(at, k, k+1)
			return nil
		case there:
			w.become(at.child(k), e.Value)
			return nil
		case e.Value == nil:
			return fmt.Errorf("found no %s: there is nothing to remove", step)
		case at.n.Shape == Sequence && step != strconv.Itoa(k+1):
			return fmt.Errorf("found a list of %d: want entry 1 to %d", k, k+1)
		case at.n.Shape == Sequence:
			w.insert(at, k, "", nested(rest, e.Value))
			return nil
		default:
			w.insert(at, at.n.placeOf(step, e.orderAt(i)), step, nested(rest, e.Value))
			return nil
		}
	}
	return nil
}

func (e Edit) orderAt(step int) []string {
	if step < len(e.Order) {
		return e.Order[step]
	}
	return nil
}

// nested is a value inside the blocks of a path.
func nested(path Path, value *Node) *Node {
	if len(path) > 0 && value.Shape == Scalar {
		value = &Node{Text: value.Text, Quoted: !isPlain(value.Text, true)}
	}
	for _, step := range slices.Backward(path) {
		value = &Node{Shape: Mapping, Keys: []*Key{{Name: step, Value: value}}}
	}
	return value.Clone()
}

// placeOf is the place of a new key: behind the last one that comes before it, else the first one if no key comes
// before it, else the last one.
func (n *Node) placeOf(name string, order []string) int {
	before := order[:max(0, slices.Index(order, name))]
	for i, k := range slices.Backward(n.Keys) {
		if slices.Contains(before, k.Name) {
			return i + 1
		}
	}
	if len(order) > 0 && order[0] == name {
		return 0
	}
	return len(n.Keys)
}
