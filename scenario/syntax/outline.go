package syntax

import (
	"errors"
	"fmt"
	"strings"
)

// piece is where a node stands in its text, in bytes. The tree of pieces has the shape of the tree of nodes.
type piece struct {
	from, to int // from == to: nothing stands there
	shape    Shape
	flow     bool // in brackets
	entries  []*entry
}

// entry is a key with its value, or an entry of a list.
type entry struct {
	from  int // first letter of the key, or the dash, or the value in brackets
	named int // behind the key; 0: there is none
	after int // behind the colon or the dash, where a value may begin; 0: there is neither
	value *piece
}

// end is behind the last letter of the entry.
func (e *entry) end() int { return max(e.after, e.value.to) }

// outline finds the pieces of a text that Parse has read as root. It reads YAML as scenarios use it; where it sees
// another shape than the parser, the text cannot be edited.
func outline(text string, root *Node) (*piece, error) {
	if strings.Contains(strings.ReplaceAll(text, "\r\n", "\n"), "\r") {
		return nil, errors.New("found a carriage return inside of a line: want line breaks only")
	}
	o := outliner{text: text, size: len(text)}
	if o.skip(); o.marker() {
		o.at += len("---")
		o.skip()
	}
	p := o.block(-1)
	if o.skip(); o.at < o.size || !agree(text, root, p) {
		line := 1 + strings.Count(text[:min(o.at, len(text))], "\n")
		return nil, fmt.Errorf("line %d is laid out in a way that only the text can be changed", line)
	}
	return p, nil
}

// agree reports whether a piece has the shape of a node, down to the places of plain values.
func agree(text string, n *Node, p *piece) bool {
	if n.Shape != p.shape || len(n.Keys)+len(n.Items) != len(p.entries) {
		return false
	}
	if n.Shape == Scalar && !n.Quoted && text[p.from:p.to] != n.Text && !strings.Contains(text[p.from:p.to], "\n") {
		return false
	}
	for i, e := range p.entries {
		child := (*Node)(nil)
		if n.Shape == Mapping {
			child = n.Keys[i].Value
			if name := text[e.from:e.named]; name != n.Keys[i].Name && !strings.ContainsAny(name[:min(1, len(name))], "\"'") {
				return false
			}
		} else {
			child = n.Items[i]
		}
		if !agree(text, child, e.value) {
			return false
		}
	}
	return true
}

// outliner goes through a text.
type outliner struct {
	text     string
	at, size int // size: where the document ends
	named    int // behind the last key outside of brackets
	depth    int
}

// peek is the letter so many bytes on; a line break behind the end.
func (o *outliner) peek(ahead int) byte {
	if o.at+ahead < 0 || o.at+ahead >= o.size {
		return '\n'
	}
	return o.text[o.at+ahead]
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// column is how far a place is from the beginning of its line.
func (o *outliner) column(at int) int { return at - lineBegin(o.text, at) }

func lineBegin(text string, at int) int { return strings.LastIndexByte(text[:at], '\n') + 1 }

// lineEnd is behind the line break of the line of a place, or at the end of the text.
func lineEnd(text string, at int) int {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// marker reports whether a line begins with the three signs of a document's begin or end.
func (o *outliner) marker() bool {
	word := o.text[o.at:min(o.at+3, o.size)]
	return (word == "---" || word == "...") && o.column(o.at) == 0 && blank(o.peek(3))
}

// skip goes past blanks and comments. The end of a document ends the text.
func (o *outliner) skip() {
	for o.at < o.size {
		switch c := o.text[o.at]; {
		case blank(c):
			o.at++
		case c == '#' && (o.at == 0 || blank(o.peek(-1))):
			o.at = lineEnd(o.text, o.at)
		case c == '.' && o.marker():
			o.size = o.at
		default:
			return
		}
	}
}

// nothing is a value that is not there.
func nothing(at int) *piece { return &piece{from: at, to: at, shape: Empty} }

// dashed reports whether an entry of a list begins.
func (o *outliner) dashed() bool { return o.peek(0) == '-' && blank(o.peek(1)) }

// block reads the value of a key or a dash that stands in a column; -1: the whole.
func (o *outliner) block(parent int) *piece {
	if o.depth++; o.depth > 2*deepest {
		return nothing(o.at)
	}
	defer func() { o.depth-- }()
	from, at := o.at, o.column(o.at)
	switch c := o.peek(0); {
	case o.at >= o.size:
		return nothing(o.at)
	case o.dashed():
		return o.list(at)
	case c == '{' || c == '[':
		return o.brackets()
	case c == '|' || c == '>':
		return o.literal(parent)
	}
	if o.key() {
		o.at = from
		return o.keys(at)
	}
	o.at = from
	return o.scalar(parent)
}

// list reads the dashes of a column.
func (o *outliner) list(column int) *piece {
	p := &piece{from: o.at, to: o.at, shape: Sequence}
	for o.at < o.size && o.dashed() && o.begins(p, column) {
		e := &entry{from: o.at, after: o.at + 1}
		o.at++
		e.value = o.inner(e.after, column, false)
		p.add(e)
		o.skip()
	}
	return p
}

// keys reads the keys of a column.
func (o *outliner) keys(column int) *piece {
	p := &piece{from: o.at, to: o.at, shape: Mapping}
	for o.at < o.size && o.begins(p, column) && !o.dashed() {
		e := &entry{from: o.at}
		if !o.key() {
			o.at = e.from
			break
		}
		e.after, e.named = o.at, o.named
		e.value = o.inner(e.after, column, true)
		p.add(e)
		o.skip()
	}
	return p
}

// begins reports whether an entry of a block may begin: in its column and, but for the first one, in a line of its own.
func (o *outliner) begins(p *piece, column int) bool {
	alone := strings.TrimSpace(o.text[lineBegin(o.text, o.at):o.at]) == ""
	return o.column(o.at) == column && (alone || len(p.entries) == 0)
}

func (p *piece) add(e *entry) {
	p.entries = append(p.entries, e)
	p.to = e.end()
}

// inner reads the value behind a colon or a dash in a column. The dashes below a key may stand in its column.
func (o *outliner) inner(after, column int, keyed bool) *piece {
	o.skip()
	same := lineBegin(o.text, o.at) == lineBegin(o.text, after)
	if at := o.column(o.at); !same && at <= column && !(keyed && at == column && o.dashed()) {
		return nothing(after)
	}
	if same && keyed && o.at < o.size && o.peek(0) != '|' && o.peek(0) != '>' && o.peek(0) != '{' && o.peek(0) != '[' {
		return o.scalar(column)
	}
	return o.block(column)
}

// key goes past a key and its colon, which stand in one line.
func (o *outliner) key() bool {
	if c := o.peek(0); c == '"' || c == '\'' {
		o.quoted()
	} else {
		for o.at < o.size && o.peek(0) != '\n' && !(o.peek(0) == ':' && blank(o.peek(1))) {
			if o.peek(0) == '#' && blank(o.peek(-1)) {
				return false
			}
			o.at++
		}
	}
	o.named = len(strings.TrimRight(o.text[:o.at], " \t"))
	for o.peek(0) == ' ' || o.peek(0) == '\t' {
		o.at++
	}
	if o.at >= o.size || o.peek(0) != ':' || !blank(o.peek(1)) {
		return false
	}
	o.at++
	return true
}

// quoted goes past a text in quotes.
func (o *outliner) quoted() {
	quote := o.peek(0)
	for o.at++; o.at < o.size; o.at++ {
		switch c := o.peek(0); {
		case c == '\\' && quote == '"':
			o.at++
		case c == quote && quote == '\'' && o.peek(1) == quote:
			o.at++
		case c == quote:
			o.at++
			return
		}
	}
	o.at = min(o.at, o.size)
}

// scalar reads a value outside of brackets; further lines stand further in than its key.
func (o *outliner) scalar(parent int) *piece {
	p := &piece{from: o.at, shape: Scalar}
	if c := o.peek(0); c == '"' || c == '\'' {
		o.quoted()
		p.to = o.at
		return p
	}
	for {
		p.to = o.plain(func(byte) bool { return false })
		o.at = p.to
		rest := o.at
		for o.at < o.size && blank(o.peek(0)) {
			o.at++
		}
		if o.at >= o.size || o.peek(0) == '#' || o.column(o.at) <= parent || o.marker() {
			o.at = rest
			return p.orNothing(o.text)
		}
	}
}

// orNothing is nothing in place of the words for it.
func (p *piece) orNothing(text string) *piece {
	switch text[p.from:p.to] {
	case "null", "Null", "NULL", "~":
		p.shape = Empty
	}
	return p
}

// plain is the end of a value without quotes in its line.
func (o *outliner) plain(ends func(byte) bool) int {
	i := o.at
	for ; i < o.size && o.text[i] != '\n' && !ends(o.text[i]); i++ {
		if o.text[i] == '#' && i > 0 && blank(o.text[i-1]) {
			break
		}
		if o.text[i] == ':' && ends(',') && (i+1 >= o.size || blank(o.text[i+1]) || ends(o.text[i+1])) {
			break
		}
	}
	return o.at + len(strings.TrimRight(o.text[o.at:i], " \t\r"))
}

// literal reads a text of several lines after | or >.
func (o *outliner) literal(parent int) *piece {
	p := &piece{from: o.at, shape: Scalar}
	p.to = o.at + len(strings.TrimRight(o.text[o.at:lineEnd(o.text, o.at)], " \t\r\n"))
	for at := lineEnd(o.text, o.at); at < o.size; at = lineEnd(o.text, at) {
		line := strings.TrimRight(o.text[at:lineEnd(o.text, at)], " \t\r\n")
		if line != "" && len(line)-len(strings.TrimLeft(line, " ")) <= parent {
			break
		}
		if line != "" {
			p.to = at + len(line)
		}
	}
	o.at = p.to
	return p
}
