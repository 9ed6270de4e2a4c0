package syntax

import "strings"

// brackets reads a block or a list in brackets.
func (o *outliner) brackets() *piece {
	p := &piece{from: o.at, shape: Mapping, flow: true}
	if o.peek(0) == '[' {
		p.shape = Sequence
	}
	shut := closing[o.peek(0)]
	o.at++
	for o.skip(); o.at < o.size && o.peek(0) != shut; o.skip() {
		begun := o.at
		p.entries = append(p.entries, o.bracketed(p.shape == Mapping))
		if o.skip(); o.peek(0) == ',' {
			o.at++
		} else if o.peek(0) != shut || o.at == begun {
			break
		}
	}
	if o.at >= o.size || o.peek(0) != shut {
		return nothing(o.at) // the parser has found its end elsewhere
	}
	o.at++
	p.to = o.at
	return p
}

// bracketed reads an entry in brackets.
func (o *outliner) bracketed(keyed bool) *entry {
	e := &entry{from: o.at}
	e.value = o.flowValue()
	if !keyed {
		return e
	}
	e.named = o.at
	if o.skip(); o.peek(0) != ':' {
		o.at = e.named
		e.value = nothing(e.named)
		return e
	}
	o.at++
	e.after = o.at
	o.skip()
	if c := o.peek(0); o.at >= o.size || c == ',' || c == '}' || c == ']' {
		o.at = e.after
		e.value = nothing(e.after)
		return e
	}
	e.value = o.flowValue()
	return e
}

// flowValue reads a value in brackets.
func (o *outliner) flowValue() *piece {
	if o.depth++; o.depth > 2*deepest {
		return nothing(o.at)
	}
	defer func() { o.depth-- }()
	p := &piece{from: o.at, shape: Scalar}
	switch c := o.peek(0); c {
	case '{', '[':
		return o.brackets()
	case '"', '\'':
		o.quoted()
		p.to = o.at
		return p
	}
	ends := func(c byte) bool { return strings.IndexByte(",{}[]", c) >= 0 }
	for {
		p.to = o.plain(ends)
		o.at = p.to
		rest := o.at
		for o.at < o.size && blank(o.peek(0)) {
			o.at++
		}
		if c := o.peek(0); o.at >= o.size || ends(c) || c == '#' || c == ':' || !strings.Contains(o.text[rest:o.at], "\n") {
			o.at = rest
			return p.orNothing(o.text)
		}
	}
}
