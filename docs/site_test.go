package docs

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	links = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	ids   = regexp.MustCompile(` id="([^"]*)"`)
)

// Every link of the website leads to one of its files, and to a place that the file has.
func TestSiteIsWhole(t *testing.T) {
	site, err := Site("rths.html")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range site {
		if path.Ext(name) != ".html" {
			continue
		}
		for _, m := range links.FindAllSubmatch(content, -1) {
			file, place, _ := strings.Cut(string(m[1]), "#")
			page, _, _ := strings.Cut(file, "?")
			if strings.Contains(file, ":") || path.Join(path.Dir(name), page) == "rths.html" {
				continue
			}
			to := name
			if file != "" {
				to = path.Join(path.Dir(name), file)
			}
			target, ok := site[to]
			if !ok {
				t.Errorf("%s: link %s: there is no file %s", name, m[1], to)
				continue
			}
			has := slices.ContainsFunc(ids.FindAllSubmatch(target, -1), func(id [][]byte) bool { return string(id[1]) == place })
			if place != "" && !has {
				t.Errorf("%s: link %s: %s has no place %s", name, m[1], to, place)
			}
		}
	}
}

// An example that is live opens in the workbench where there is one; others have no link.
func TestLiveExamples(t *testing.T) {
	text := "# T\n\n```yaml live\na: [1, \"é&<\"]\n```\n\n```yaml\nb: 2\n```\n\n- x\n\n  ```yaml live\n  c: 3\n  ```\n"
	for workbench, want := range map[string][]string{"": nil, "../": {
		`<a href="../?name=own&amp;text=a%3A+%5B1%2C+%22%C3%A9%26%3C%22%5D%0A">Run this test, and drag its numbers</a>`,
		`<a href="../?name=own-2&amp;text=c%3A+3%0A">`,
	}} {
		out, err := parse("guides/own.md", []byte(text)).html(workbench)
		if err != nil || strings.Count(out, "<a ") != len(want) || strings.Count(out, "<pre>") != 3 {
			t.Errorf("%q: %v, %s", workbench, err, out)
		}
		for _, link := range want {
			if !strings.Contains(out, link) {
				t.Errorf("%q: %s\nwant %s", workbench, out, link)
			}
		}
	}
}

// Formulas become MathML, and a formula that is none is an error.
func TestFormulas(t *testing.T) {
	for body, want := range map[string]string{
		`<pre><code class="language-math">\frac{a}{b} &lt; 1</code></pre>`: `<mfrac>`,
		"so $<code>x^2</code>$ holds":                                      `<msup>`,
		"so $<code>x</code>$, then":                                        `</math>,</span> then`,
		`so $<code>\ddot{x}</code>$`:                                       ">\u00a8</mo>",
		"<p>costs $5 and $6</p>":                                           "<p>costs $5 and $6</p>",
	} {
		if out, err := formulas(body); err != nil || !strings.Contains(out, want) {
			t.Errorf("%s: %s, %v: want %s", body, out, err, want)
		}
	}
}

// The website has the same bytes when it is made again.
func TestSameBytes(t *testing.T) {
	want, err := Site("rths.html")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		got, err := Site("rths.html")
		if err != nil {
			t.Fatal(err)
		}
		for name := range want {
			if !bytes.Equal(got[name], want[name]) {
				t.Errorf("%s differs", name)
			}
		}
	}
}

// A newcomer who reads only titles, headings and the texts of links finds the page for a question within two clicks
// from the index.
func TestNewcomersFindTheirPages(t *testing.T) {
	pages := map[string]*Page{}
	for _, p := range Pages() {
		pages[p.Path] = p
	}
	for question, want := range map[string][]string{
		"use my AT2 file":           {"AT2"},
		"record my own compensator": {"compensator of your own", "own compensator"},
		"which compensator":         {"which compensator"},
		"is it stable":              {"stable", "stability"},
		"connect my Speedgoat":      {"Speedgoat"},
		"open in MATLAB":            {"MATLAB"},
		"what does J2 mean":         {"J2"},
		"cite it":                   {"cite"},
		"try it in the browser":     {"first test in the browser"},
		"teach it to my students":   {"lesson"},
	} {
		if !found(pages, "index.md", want, 2) {
			t.Errorf("%s: no link text with one of %q within two clicks from the index", question, want)
		}
	}
}

var pageLink = regexp.MustCompile(`\[([^\]]+)\]\(([^)#\s]*)(#[^)\s]*)?\)`)

// found looks for a link whose line, or a page whose title or headings, have one of the words.
func found(pages map[string]*Page, at string, words []string, clicks int) bool {
	has := func(text string) bool {
		return slices.ContainsFunc(words, func(w string) bool {
			return strings.Contains(strings.ToLower(text),
				strings.ToLower(w))
		})
	}
	p := pages[at]
	if p == nil || clicks < 0 {
		return false
	}
	for line := range strings.Lines(p.Text) {
		for _, m := range pageLink.FindAllStringSubmatch(line, -1) {
			to := path.Join(path.Dir(at), m[2])
			if next := pages[to]; clicks > 0 && next != nil &&
				(has(line) || has(next.Title) || slices.ContainsFunc(next.Headings, has)) {
				return true
			}
			if clicks > 1 && path.Base(to) == "index.md" && to != at && found(pages, to, words, clicks-1) {
				return true
			}
		}
	}
	return false
}
