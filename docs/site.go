package docs

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"path"
	"slices"
	"strings"
)

//go:embed assets/page.html
var pageText string

//go:embed assets/page.css
var pageStyle []byte

//go:embed assets/search.js
var searchScript []byte

// Site is the website: the content of each file, by its path from the root. It needs no network and no server. Its
// examples open in the workbench, at its address from the root; "": there is none.
func Site(workbench string) (map[string][]byte, error) {
	pages := Pages()
	out := map[string][]byte{"page.css": pageStyle}
	for _, p := range slices.Concat(pages, decisions()) {
		content, err := p.render(pages, workbench)
		if err != nil {
			return nil, err
		}
		out[p.URL()] = content
	}
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(name, ".md") {
			return err
		}
		out[name], err = files.ReadFile(name)
		return err
	})
	if err != nil {
		return nil, err
	}
	out["search.js"], err = searchIndex(pages)
	return out, err
}

func (p *Page) render(pages []*Page, workbench string) ([]byte, error) {
	root := strings.Repeat("../", strings.Count(p.Path, "/")) // from the page
	if workbench != "" {
		workbench = root + workbench
	}
	body, err := p.html(workbench)
	if err != nil {
		return nil, err
	}
	var list strings.Builder
	for _, folder := range folders {
		open := map[bool]string{true: " open"}[path.Dir(p.Path) == folder]
		fmt.Fprintf(&list, "<details%s><summary>%s</summary>\n<ul>", open, html.EscapeString(folder))
		for _, other := range pages {
			if path.Dir(other.Path) == folder {
				here := map[bool]string{true: ` aria-current="page"`}[other == p]
				fmt.Fprintf(&list, `<li><a href="%s"%s>%s</a></li>`, root+other.URL(), here, html.EscapeString(other.Title))
			}
		}
		list.WriteString("</ul>\n</details>\n")
	}
	return []byte(strings.NewReplacer("{{TITLE}}", html.EscapeString(p.Title), "{{ROOT}}", root, "{{BODY}}", body,
		"{{FOLDERS}}", list.String()).Replace(pageText)), nil
}

// searchIndex is the script that searches, after the texts that it searches.
func searchIndex(pages []*Page) ([]byte, error) {
	type entry struct {
		Title    string   `json:"title"`
		URL      string   `json:"url"`
		Headings []string `json:"headings"`
		Text     string   `json:"text"`
	}
	var list []entry
	for _, p := range pages {
		list = append(list, entry{p.Title, p.URL(), append([]string{}, p.Headings...),
			strings.Join(strings.Fields(p.Text), " ")})
	}
	text, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	return append(append([]byte("const pages = "), append(text, ";\n"...)...), searchScript...), nil
}
