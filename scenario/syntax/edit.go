package syntax

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
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

// rewriting collects what changes in a text.
type rewriting struct {
	text, newline string
	splices       []splice
}

// splice puts a text in place of some bytes.
type splice struct {
	from, to int
	insert   string
}

func (w *rewriting) put(from, to int, insert string) {
	w.splices = append(w.splices, splice{from, to, insert})
}

func (w *rewriting) result() string {
	slices.SortStableFunc(w.splices, func(a, b splice) int { return cmp.Compare(a.from, b.from) })
	var out strings.Builder
	at := 0
	for _, s := range w.splices {
		out.WriteString(w.text[at:max(at, s.from)] + s.insert)
		at = max(at, s.to)
	}
	return out.String() + w.text[at:]
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

// become puts a value in place of the one at a spot. Of lists only the entries that differ change.
func (w *rewriting) become(at spot, value *Node) {
	if sameNodes(at.n, value) {
		return
	}
	if at.n.Shape != Sequence || value.Shape != Sequence || len(at.n.Items) == 0 || len(value.Items) == 0 {
		w.renew(at, w.written(at, value))
		*at.n = *value.Clone()
		return
	}
	shared := min(len(at.n.Items), len(value.Items))
	for i := range shared {
		w.become(at.child(i), value.Items[i])
	}
	for _, item := range value.Items[shared:] {
		w.insert(at, len(at.n.Items), "", item)
	}
	if shared < len(at.p.entries) {
		w.cut(at, shared, len(at.p.entries))
	}
}

// written is a value as it stands at a spot: a scalar in the quotes of the one before.
func (w *rewriting) written(at spot, value *Node) string {
	if value.Shape != Scalar {
		return value.Flow()
	}
	old := w.text[at.p.from:at.p.to]
	switch {
	case value.Quoted && strings.HasPrefix(old, "'") && !strings.ContainsFunc(value.Text, unicode.IsControl):
		return "'" + strings.ReplaceAll(value.Text, "'", "''") + "'"
	case value.Quoted && strings.HasPrefix(old, `"`), !isPlain(value.Text, at.flow):
		return strconv.Quote(value.Text)
	}
	return value.Text
}

// isPlain reports whether a text is read as itself without quotes, also in brackets.
func isPlain(text string, flow bool) bool {
	around := "k: " + text
	if flow {
		around = "k: [" + text + "]"
	}
	root, err := parse("", []byte(around))
	if err != nil || root.Shape != Mapping || len(root.Keys) != 1 {
		return false
	}
	if _, err := outline(around, root); err != nil {
		return false
	}
	n := root.Keys[0].Value
	if flow {
		if len(n.Items) != 1 {
			return false
		}
		n = n.Items[0]
	}
	return n.Shape == Scalar && !n.Quoted && n.Text == text
}

// renew puts a text in place of the value at a spot. One that stands below its key goes into the line of the key.
func (w *rewriting) renew(at spot, text string) {
	p, after := at.p, 0
	if at.owner != nil {
		after = at.owner.after
	}
	switch {
	case p.from == p.to && at.owner != nil && after == 0: // a key in brackets, without a colon
		w.put(p.from, p.to, ": "+text)
	case p.from == p.to:
		w.put(p.from, p.to, " "+text)
	case after > 0 && len(p.entries) > 0 && !p.flow && lineBegin(w.text, p.from) > after:
		w.put(after, after, " "+text)
		w.put(lineBegin(w.text, p.from), lineEnd(w.text, p.to), "")
	default:
		w.put(p.from, p.to, text)
	}
}

// emptied is a block or a list with nothing in it.
func emptied(shape Shape) string { return (&Node{Shape: shape}).Flow() }

// cut takes the entries from i to j out of a block or a list.
func (w *rewriting) cut(at spot, i, j int) {
	p, n := at.p, at.n
	if n.Shape == Mapping {
		n.Keys = slices.Delete(n.Keys, i, j)
	} else {
		n.Items = slices.Delete(n.Items, i, j)
	}
	first, last := p.entries[i], p.entries[j-1]
	switch {
	case p.flow:
		w.cutFlow(p, i, j)
	case len(p.entries) == j-i:
		w.renew(at, emptied(p.shape))
	case strings.TrimSpace(w.text[lineBegin(w.text, first.from):first.from]) == "":
		w.put(lineBegin(w.text, first.from), lineEnd(w.text, last.end()), "")
	case !strings.Contains(w.text[last.end():p.entries[j].from], "#"):
		w.put(first.from, p.entries[j].from, "")
	default: // behind a dash, with a comment before the next key
		end := lineEnd(w.text, last.end())
		w.put(first.from, last.end()+len(strings.TrimRight(w.text[last.end():end], "\r\n")), "")
	}
}

// cutFlow takes entries and their commas out of brackets, and leaves the comments between.
func (w *rewriting) cutFlow(p *piece, i, j int) {
	from, to := p.entries[i].from, p.entries[j-1].end()
	comma := func(after int) int {
		o := outliner{text: w.text, at: after, size: p.to}
		o.skip()
		return o.at
	}
	switch next := comma(to); {
	case j < len(p.entries) && !strings.Contains(w.text[to:p.entries[j].from], "#"):
		w.put(from, p.entries[j].from, "")
	case j < len(p.entries):
		w.put(from, to, "")
		w.put(next, next+1, "")
	case i == 0 && w.text[next] == ',':
		w.put(from, to, "")
		w.put(next, next+1, "")
	case i == 0:
		w.put(from, to, "")
	case !strings.Contains(w.text[p.entries[i-1].end():from], "#"):
		w.put(p.entries[i-1].end(), to, "")
	default:
		before := comma(p.entries[i-1].end())
		w.put(before, before+1, "")
		w.put(from, to, "")
		if w.text[next] == ',' {
			w.put(next, next+1, "")
		}
	}
}

// insert puts a new entry at a place of a block or a list, with a key or without.
func (w *rewriting) insert(at spot, i int, name string, value *Node) {
	p, n := at.p, at.n
	text := w.written(spot{p: &piece{}, flow: p.flow}, value)
	if n.Shape == Mapping {
		text = strings.TrimSpace(nameText(name) + ": " + text)
		n.Keys = slices.Insert(n.Keys, i, &Key{Name: name, Value: value.Clone()})
	} else {
		if !p.flow {
			text = strings.TrimSpace("- " + text)
		}
		n.Items = slices.Insert(n.Items, i, value.Clone())
	}
	switch before := min(i, len(p.entries)) - 1; {
	case len(p.entries) == 0:
		w.put(p.from+1, p.from+1, text)
	case before < 0 && p.flow:
		w.put(p.entries[0].from, p.entries[0].from, text+", ")
	case before < 0:
		w.put(p.entries[0].from, p.entries[0].from, text+w.newline+w.margin(p))
	case p.flow:
		w.put(p.entries[before].end(), p.entries[before].end(), w.separator(p)+text)
	default:
		w.line(p, p.entries[before], text)
	}
}

// margin are the blanks before the entries of a block.
func (w *rewriting) margin(p *piece) string {
	return strings.Repeat(" ", p.entries[0].from-lineBegin(w.text, p.entries[0].from))
}

// separator is what stands between the last entries of brackets.
func (w *rewriting) separator(p *piece) string {
	if n := len(p.entries); n > 1 {
		if gap := w.text[p.entries[n-2].end():p.entries[n-1].from]; strings.Trim(gap, " ") == "," {
			return gap
		}
	}
	return ", "
}

// line puts a line below an entry of a block and the comments that stand further in.
func (w *rewriting) line(p *piece, below *entry, text string) {
	margin, at := w.margin(p), lineEnd(w.text, below.end())
	for at < len(w.text) {
		line := w.text[at:lineEnd(w.text, at)]
		if inner := strings.TrimLeft(line, " "); !strings.HasPrefix(inner, "#") || len(line)-len(inner) <= len(margin) {
			break
		}
		at += len(line)
	}
	if strings.HasSuffix(w.text[:at], "\n") {
		w.put(at, at, margin+text+w.newline)
	} else {
		w.put(at, at, w.newline+margin+text)
	}
}
