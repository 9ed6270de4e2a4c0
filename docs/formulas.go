package docs

import (
	"fmt"
	"html"
	"regexp"

	"github.com/wyatt915/treeblood"
)

// A formula of a page is LaTeX in a code block of the language math, or in a code span between dollar signs, as GitHub
// takes both.
var (
	blockFormula = regexp.MustCompile(`(?s)<pre><code class="language-math">(.*?)</code></pre>`)
	spanFormula  = regexp.MustCompile(`(?s)\$<code>(.*?)</code>\$`)
)

// formulas makes MathML of the formulas in a body: browsers draw it without a script, a font or the network.
func formulas(body string) (out string, err error) {
	convert := func(pattern *regexp.Regexp, block bool) {
		body = pattern.ReplaceAllStringFunc(body, func(whole string) string {
			tex := html.UnescapeString(pattern.FindStringSubmatch(whole)[1])
			write := treeblood.InlineStyle
			if block {
				write = treeblood.DisplayStyle
			}
			formula, wrong := write(tex, nil)
			if wrong != nil && err == nil {
				err = fmt.Errorf("docs: formula %q: %w", tex, wrong)
			}
			return formula
		})
	}
	convert(blockFormula, true)
	convert(spanFormula, false)
	return body, err
}
