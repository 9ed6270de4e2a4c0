package plotting_test

import (
	"errors"
	"html/template"
	"strings"
	"testing"

	"rths/result/plotting"
)

const shared = `{{define "list"}}{{$all := .}}{{range $i, $c := .Cells}}<i title="{{index $all.Names $i}}">{{$c}}</i>` +
	`{{end}}{{end}}`

type listed struct {
	Names []string
	Cells []int
}

type inner struct{ Word, Empty string }

type outer[T any] struct {
	*inner
	Lists []listed
	None  *listed
	Place inner
	Yes   bool
	Mark  T
}

// What the package writes is what html/template writes, for every part of the language that it has.
func TestTemplateIsHTMLTemplate(t *testing.T) {
	word := &inner{Word: `a<b> "c" & 'd' + e` + "\x00 ö"}
	lists := []listed{{[]string{"x", "y"}, []int{1, -2}}, {[]string{"<z>"}, []int{3}}}
	theirs := outer[template.HTML]{inner: word, Yes: true, Lists: lists, Mark: "<b>&+</b>"}
	ours := outer[plotting.Raw]{inner: word, Yes: true, Lists: lists, Mark: "<b>&+</b>"}
	for _, text := range []string{
		`<title>{{.Word}}</title><p class="{{.Word}}">{{.Word}}</p>`,
		`{{if .Empty}}a{{else}}b{{end}}{{if .Yes}}c{{end}}{{if .None}}d{{end}}{{if gt (len .Lists) 1}}e{{end}}` +
			`{{if gt (len .Lists) 2}}f{{end}}`,
		`{{with .None}}a{{.Cells}}{{else}}{{.Word}}{{end}}{{with .Place}}b{{.Word}}{{end}}` +
			`{{with .Word}}{{.}}{{$.Yes}}{{end}}{{if .None}}{{else if .Yes}}c{{end}}`,
		`{{range .Lists}}({{template "list" .}}{{range .Names}}{{.}}, {{end}}{{len .Cells}}){{end}}`,
		`{{range .Lists}}{{if $.Yes}}{{range .Cells}}{{.}}{{end}}{{end}}{{end}}{{/* remark */}}{{.Mark}}`,
	} {
		var want, got strings.Builder
		reference := template.Must(template.Must(template.New("").Parse(text)).Parse(shared))
		if err := reference.Execute(&want, theirs); err != nil {
			t.Fatal(err)
		}
		if err := plotting.NewTemplate(text, shared).Execute(&got, ours); err != nil || got.String() != want.String() {
			t.Errorf("%s: %v\n%s, want\n%s", text, err, got.String(), want.String())
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// A page that cannot be written is an error; a fault of the program's own text is none that a user can meet.
func TestTemplateFaults(t *testing.T) {
	if err := plotting.NewTemplate("text").Execute(full{}, nil); err == nil || err.Error() != "disk full" {
		t.Error(err)
	}
	for _, text := range []string{"{{if}}", "{{.Absent}}", "{{break}}", "{{$x}}", "{{html .}}"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s passes", text)
				}
			}()
			_ = plotting.NewTemplate(text).Execute(&strings.Builder{}, listed{})
		}()
	}
}
