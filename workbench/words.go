package workbench

import (
	"context"
	"slices"
	"strings"
	"unicode/utf16"

	"rths/scenario"
	"rths/scenario/syntax"
)

// At is a place in a text: line and column from 1, the column in units of UTF-16 as browsers count them.
type At struct {
	Text   string `json:"text"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// bytesTo is how many bytes of a line come before a column.
func bytesTo(line string, column int) int {
	units := 1
	for i, r := range line {
		if units >= column {
			return i
		}
		units += utf16.RuneLen(r)
	}
	return len(line)
}

// columnAt is the column of a byte of a line.
func columnAt(line string, at int) int { return len(utf16.Encode([]rune(line[:at]))) + 1 }

func (a At) line() string {
	lines := strings.Split(a.Text, "\n")
	if a.Line < 1 || a.Line > len(lines) {
		return ""
	}
	return strings.TrimRight(lines[a.Line-1], "\r")
}

func (a At) cursor() syntax.Cursor { return syntax.At(a.Text, a.Line-1, bytesTo(a.line(), a.Column)) }

// Item is a word that may stand at a place.
type Item struct {
	Label  string `json:"label"`
	Detail string `json:"detail,omitempty"` // unit and default
	Info   string `json:"info,omitempty"`   // what it is
	Apply  string `json:"apply"`            // what is written
}

// Items are the words that may stand at a place, which begin at a column.
type Items struct {
	From  int    `json:"from"`
	Items []Item `json:"items"`
}

func (d *Desk) complete(_ context.Context, in At) (Items, error) {
	c, line := in.cursor(), in.line()
	out := Items{From: columnAt(line, min(len(line), c.From)), Items: []Item{}}
	if c.Value {
		out.Items = append(out.Items, valuesOf(c)...)
		return out, nil
	}
	for _, p := range keysAt(c.Path, c.Beside["kind"]) {
		if _, there := c.Beside[p.Key]; !there || p.Key == c.Word {
			out.Items = append(out.Items, itemOf(p))
		}
	}
	return out, nil
}

// itemOf is a key with its colon.
func itemOf(p syntax.ParamDoc) Item {
	detail := p.DefaultText()
	if detail == "–" {
		detail = ""
	}
	if unit := p.Unit(); unit != "" {
		detail = strings.TrimSpace(detail + " " + unit)
	}
	return Item{Label: p.Key, Detail: detail, Info: p.Doc, Apply: p.Key + ": "}
}

// valuesOf are the words that the last key of a path may have as its value.
func valuesOf(c syntax.Cursor) (out []Item) {
	if len(c.Path) == 0 {
		return nil
	}
	block, key := c.Path[:len(c.Path)-1], c.Path[len(c.Path)-1]
	if key == "kind" {
		for _, k := range kindsAt(block) {
			out = append(out, Item{Label: k.Name, Info: k.Doc, Apply: k.Name})
		}
		return out
	}
	for _, p := range keysAt(block, c.Beside["kind"]) {
		if p.Key != key {
			continue
		}
		if _, truth := p.Default.(bool); truth {
			return []Item{{Label: "true", Apply: "true"}, {Label: "false", Apply: "false"}}
		}
		if text := p.DefaultText(); text != "–" && text != "" {
			out = append(out, Item{Label: text, Detail: "default", Info: p.Doc, Apply: text})
		}
	}
	return out
}

// kindsAt are the kinds that a block may have: of its key at the top, or of the family of that name further in.
func kindsAt(block []string) []syntax.KindDoc {
	block = slices.DeleteFunc(slices.Clone(block), func(s string) bool { return s == "[]" })
	if len(block) == 0 {
		return nil
	}
	last := block[len(block)-1]
	if len(block) == 1 {
		for _, b := range scenario.Blocks() {
			if b.Key == last {
				return b.Kinds
			}
		}
	}
	families := scenario.Families()
	for _, name := range []string{last, strings.TrimSuffix(last, "s"), block[0], strings.TrimSuffix(block[0], "s")} {
		for _, f := range families {
			if f.Key == name {
				return f.Kinds
			}
		}
	}
	return nil
}

// keysAt are the keys of a block, of the kind that it has or of all of its kinds.
func keysAt(path []string, kind string) (out []syntax.ParamDoc) {
	path = slices.DeleteFunc(slices.Clone(path), func(s string) bool { return s == "[]" })
	if len(path) == 0 {
		for _, b := range scenario.Blocks() {
			out = append(out, syntax.ParamDoc{Key: b.Key, Default: b.Default, Doc: b.Doc})
		}
		return out
	}
	var params []syntax.ParamDoc
	for _, b := range scenario.Blocks() {
		if b.Key == path[0] {
			params = append(params, b.Params...)
		}
	}
	kinds := kindsAt(path)
	if len(path) > 1 && !slices.ContainsFunc(kinds, func(k syntax.KindDoc) bool { return k.Name == kind }) {
		kinds = kindsAt(path[:1])
	}
	if len(kinds) > 0 {
		params = append(params, syntax.ParamDoc{Key: "kind", Doc: "which one"})
	}
	for _, k := range kinds {
		if k.Name == kind || kind == "" || len(path) > 1 && k.Name != kind {
			params = append(params, k.Params...)
		}
	}
	return inBlock(params, strings.Join(path[1:], "."))
}

// inBlock are the keys of a block further in, each once and without its path. A block further in of another kind than
// the table's has them without a path already.
func inBlock(params []syntax.ParamDoc, block string) (out []syntax.ParamDoc) {
	found := false
	add := func(p syntax.ParamDoc) {
		p.Key, _, _ = strings.Cut(strings.TrimPrefix(p.Key, "[]."), ".")
		p.Key = strings.TrimSuffix(p.Key, "[]")
		if p.Key != "" && !slices.ContainsFunc(out, func(o syntax.ParamDoc) bool { return o.Key == p.Key }) {
			out = append(out, p)
		}
	}
	for _, p := range params {
		if rest, ok := strings.CutPrefix(p.Key, block+"."); ok || block == "" {
			if block == "" {
				rest = p.Key
			}
			p.Key, found = rest, true
			add(p)
		}
	}
	if !found {
		for _, p := range params {
			add(p)
		}
	}
	return out
}

// Hover is what a word of a text means.
type Hover struct {
	From  int    `json:"from"` // columns in the line
	To    int    `json:"to"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

// hover is nil where there is nothing to say.
func (d *Desk) hover(_ context.Context, in At) (*Hover, error) {
	line := in.line()
	from := bytesTo(line, in.Column)
	to := from
	part := func(i int) bool {
		return i >= 0 && i < len(line) && !strings.ContainsRune(" :,{}[]#\"'", rune(line[i]))
	}
	for part(from - 1) {
		from--
	}
	for part(to) {
		to++
	}
	word := line[from:to]
	if word == "" {
		return nil, nil
	}
	out := &Hover{From: columnAt(line, from), To: columnAt(line, to)}
	c := syntax.At(in.Text, in.Line-1, from)
	c.Beside = syntax.At(in.Text, in.Line-1, to).Beside
	if c.Value && len(c.Path) > 0 && c.Path[len(c.Path)-1] == "kind" {
		for _, k := range kindsAt(c.Path[:len(c.Path)-1]) {
			if k.Name == word {
				out.Title, out.Text = k.Name, strings.TrimSpace(k.Doc+"\n"+k.Ref)
				return out, nil
			}
		}
		return nil, nil
	}
	if c.Value {
		return nil, nil
	}
	for _, p := range keysAt(c.Path, c.Beside["kind"]) {
		if p.Key == word {
			out.Title, out.Text = p.Key, p.Doc
			if unit := p.Unit(); unit != "" {
				out.Title += ", " + unit
			}
			if text := p.DefaultText(); text != "–" && text != "" {
				out.Text += "\ndefault " + text
			}
			return out, nil
		}
	}
	return nil, nil
}
