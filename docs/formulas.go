package docs

import (
	"fmt"
	"html"
	"regexp"
	"strings"

	"github.com/wyatt915/treeblood"
)

// A formula of a page is LaTeX in a code block of the language math, or in a code span between dollar signs, as GitHub
// takes both.
var (
	blockFormula = regexp.MustCompile(`(?s)<pre><code class="language-math">(.*?)</code></pre>`)
	spanFormula  = regexp.MustCompile(`(?s)\$<code>(.*?)</code>\$([,;:.)]*)`)
)

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
