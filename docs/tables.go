package docs

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// tables reads and writes the tables of pages, which have no alignment. Package extension of goldmark has tables too, and
// patterns of addresses: pages need none, and they are a tenth of the time in which the program starts.
type tables struct{}

// barInCell is what a page has for a bar in a cell while tables are split at bars; it is written \| there.
const barInCell = "\uE000"

// element is a part of a table.
type element struct {
	ast.BaseBlock
	tag string
}

var kindElement = ast.NewNodeKind("Element")

// Kind implements ast.Node.
func (e *element) Kind() ast.NodeKind { return kindElement }

// Dump implements ast.Node.
func (e *element) Dump(source []byte, level int) { ast.DumpHelper(e, source, level, nil, nil) }

// under appends a new element to a node.
func under(n ast.Node, tag string) *element {
	e := &element{tag: tag}
	n.AppendChild(n, e)
	return e
}

// Transform makes a table of a paragraph whose second line is |---|---|.
func (tables) Transform(p *ast.Paragraph, reader text.Reader, _ parser.Context) {
	source, lines := reader.Source(), p.Lines()
	if lines.Len() < 2 {
		return
	}
	second := lines.At(1)
	if rule := second.Value(source); !bytes.HasPrefix(rule, []byte("|-")) || len(bytes.Trim(rule, "|- \n")) > 0 {
		return
	}
	table := &element{tag: "table"}
	part, tag := under(table, "thead"), "th"
	for i := range lines.Len() {
		if i == 1 {
			continue
		}
		if i == 2 {
			part, tag = under(table, "tbody"), "td"
		}
		row, line := under(part, "tr"), lines.At(i)
		at := line.Start
		cells := bytes.TrimSuffix(bytes.TrimRight(line.Value(source), " \n"), []byte("|"))
		for i, cell := range bytes.SplitAfter(cells, []byte("|")) {
			if at += len(cell); i == 0 { // before the first bar
				continue
			}
			inside := text.NewSegment(at-len(cell), at-bytes.Count(cell, []byte("|")))
			inside = inside.TrimLeftSpace(source)
			under(row, tag).Lines().Append(inside.TrimRightSpace(source))
		}
	}
	p.Parent().ReplaceChild(p.Parent(), p, table)
}

// RegisterFuncs implements renderer.NodeRenderer.
func (tables) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(kindElement, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		tag := n.(*element).tag
		switch {
		case !entering:
			w.WriteString("</" + tag + ">\n")
		case tag == "th" || tag == "td":
			w.WriteString("<" + tag + ">")
		default:
			w.WriteString("<" + tag + ">\n")
		}
		return ast.WalkContinue, nil
	})
}
