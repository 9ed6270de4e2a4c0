// Package docs has the documentation of the program and makes a website of it.
package docs

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

//go:embed */*.md */*.png */*.svg index.md
var files embed.FS

// folders are those of the pages, in the order in which a reader needs them.
var folders = []string{"start", "guides", "lessons", "concepts", "reference", "internals"}

// Page is a page of the documentation.
type Page struct {
	Path     string   // in the folder docs, as in guides/run-a-test.md
	Title    string   // the first heading
	Headings []string // the others
	Text     string   // Markdown

	source []byte // of root: Text with barInCell
	root   ast.Node
}

var markdown = goldmark.New(goldmark.WithParserOptions(parser.WithAutoHeadingID(),
	parser.WithParagraphTransformers(util.Prioritized(tables{}, 200))),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(tables{}, 500))))

// Pages are all pages but the decisions: the index, then folder by folder, each with its own index first.
func Pages() []*Page {
	out := []*Page{read("index.md")}
	for _, folder := range folders {
		out = append(out, pagesIn(folder)...)
	}
	return out
}

// decisions are the pages of the folder adr, to which internals/adr.md leads.
func decisions() []*Page { return pagesIn("adr") }

func pagesIn(folder string) (out []*Page) {
	names, err := fs.Glob(files, folder+"/*.md")
	if err != nil {
		panic(err) // the pattern is wrong
	}
	slices.SortStableFunc(names, func(a, b string) int { return rank(a) - rank(b) })
	for _, name := range names {
		out = append(out, read(name))
	}
	return out
}

// rank puts an index first.
func rank(name string) int {
	if path.Base(name) == "index.md" {
		return 0
	}
	return 1
}

func read(name string) *Page {
	content, err := files.ReadFile(name)
	if err != nil {
		panic(err) // it has been listed
	}
	return parse(name, content)
}

func parse(name string, content []byte) *Page {
	p := &Page{Path: name, Text: string(content), source: bytes.ReplaceAll(content, []byte(`\|`), []byte(barInCell))}
	p.root = markdown.Parser().Parse(text.NewReader(p.source))
	for n := p.root.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok {
			continue
		}
		if title := plain(h, p.source); p.Title == "" {
			p.Title = title
		} else {
			p.Headings = append(p.Headings, title)
		}
	}
	return p
}

// plain is the text of a node without its marks.
func plain(n ast.Node, source []byte) string {
	var out strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			out.Write(t.Segment.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return out.String()
}

// URL is the address of the page in the website, from its root.
func (p *Page) URL() string { return address(p.Path) }

func address(name string) string { return strings.TrimSuffix(name, ".md") + ".html" }

// html is the body of the page. Links between pages lead to their addresses; a link to a file that is not here becomes
// the name of the file in the repository.
// A scenario in a block of code "yaml live" has a link that opens it in the workbench, at its address from the page.
func (p *Page) html(workbench string) (string, error) {
	var live []*ast.FencedCodeBlock
	_ = ast.Walk(p.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if link, ok := n.(*ast.Link); ok && entering {
			link.Destination = []byte(p.resolve(string(link.Destination)))
		}
		if code, ok := n.(*ast.FencedCodeBlock); ok && entering && code.Info != nil &&
			string(code.Info.Segment.Value(p.source)) == "yaml live" {
			live = append(live, code)
		}
		return ast.WalkContinue, nil
	})
	for i, code := range live {
		if workbench == "" {
			break
		}
		name := strings.TrimSuffix(path.Base(p.Path), ".md")
		if i > 0 {
			name += fmt.Sprintf("-%d", i+1)
		}
		link, words := ast.NewLink(), ast.NewParagraph()
		test := url.Values{"name": {name}, "text": {string(code.Lines().Value(p.source))}}
		link.Destination = []byte(workbench + "?" + test.Encode())
		link.AppendChild(link, ast.NewString([]byte("Run this test, and drag its numbers")))
		words.AppendChild(words, link)
		code.Parent().InsertAfter(code.Parent(), code, words)
	}
	var out bytes.Buffer
	if err := markdown.Renderer().Render(&out, p.source, p.root); err != nil {
		return "", fmt.Errorf("docs: %s: %w", p.Path, err)
	}
	body := elsewhere.ReplaceAllString(strings.ReplaceAll(out.String(), barInCell, "|"), "$2 (<code>$1</code>)")
	return formulas(body)
}

// inRepository marks a link to a file that the website does not have.
const inRepository = "repository:"

var elsewhere = regexp.MustCompile(`(?s)<a href="` + inRepository + `([^"]*)"[^>]*>(.*?)</a>`)

// resolve is the address to which a link of the page leads.
func (p *Page) resolve(to string) string {
	file, place, placed := strings.Cut(to, "#")
	if file == "" || strings.Contains(file, ":") {
		return to
	}
	name := path.Join(path.Dir(p.Path), file)
	if strings.HasPrefix(name, "..") {
		return inRepository + strings.TrimPrefix(name, "../")
	}
	if _, err := fs.Stat(files, name); err != nil {
		return inRepository + path.Join("docs", name)
	}
	if strings.HasSuffix(file, ".md") {
		file = address(file)
	}
	if placed {
		file += "#" + place
	}
	return file
}
