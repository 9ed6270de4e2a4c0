package docs

import (
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"

	"github.com/wyatt915/treeblood"
)

// A formula of a page is LaTeX in a code block of the language math, or in a code span between dollar signs, as GitHub
// takes both.
var (
	blockFormula = regexp.MustCompile(`(?s)<pre><code class="language-math">(.*?)</code></pre>`)
	spanFormula  = regexp.MustCompile(`(?s)\$<code>(.*?)</code>\$([,;:.)]*)`)
)

var (
	attributes = regexp.MustCompile(`(?: [\w:-]+="[^"]*")+`)
	attribute  = regexp.MustCompile(` [\w:-]+="[^"]*"`)
	style      = regexp.MustCompile(`(?:[\w-]+:[^:;"]*;)+`)
	property   = regexp.MustCompile(`[\w-]+:[^:;"]*;`)
)

// inOrder sorts the attributes of each element, and the properties of each style: the writer of formulas takes both
// from maps, and a release has the same bytes when it is made again.
func inOrder(formula string) string {
	return attributes.ReplaceAllStringFunc(formula, func(all string) string {
		return sorted(attribute, style.ReplaceAllStringFunc(all, func(of string) string { return sorted(property, of) }))
	})
}

// sorted puts the parts of a text, which are nothing but these, into the order of their letters.
func sorted(part *regexp.Regexp, text string) string {
	parts := part.FindAllString(text, -1)
	slices.Sort(parts)
	return strings.Join(parts, "")
}

// formulas makes MathML of the formulas in a body: browsers draw it without a script, a font or the network.
func formulas(body string) (out string, err error) {
	convert := func(pattern *regexp.Regexp, block bool) {
		body = pattern.ReplaceAllStringFunc(body, func(whole string) string {
			found := pattern.FindStringSubmatch(whole)
			tex := html.UnescapeString(found[1])
			write := treeblood.InlineStyle
			if block {
				write = treeblood.DisplayStyle
			}
			formula, wrong := write(tex, nil)
			if wrong != nil && err == nil {
				err = fmt.Errorf("docs: formula %q: %w", tex, wrong)
			}
			formula = inOrder(formula)
			formula = strings.ReplaceAll(formula, "\u0308", "\u00a8") // the combining mark of \ddot stands beside its letter
			if !block && found[2] != "" {                             // no line begins with a comma
				formula = `<span class="formula">` + formula + found[2] + "</span>"
			}
			return formula
		})
	}
	convert(blockFormula, true)
	convert(spanFormula, false)
	return body, err
}
