package syntax

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

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

// become puts a value in place of the one at a spot. Of lists only the entries that differ change.
func (w *rewriting) become(at spot, value *Node) {
	if sameNodes(at.n, value) {
		return
	}
	if at.n.Shape != Sequence || value.Shape != Sequence || len(at.n.Items) == 0 {
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
