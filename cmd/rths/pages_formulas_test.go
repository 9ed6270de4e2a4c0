package main

import (
	"regexp"
	"strings"
	"testing"
)

// The tables have formulas as plain text, which a terminal shows as it stands: x/u = ω²/(s² + 2ζωs + ω²). A page has
// them as LaTeX. A formula is a run of words that have only single letters, functions, numbers and signs; one of the
// words has a Greek letter, an index or a derivative. So units, articles and names of keys are no formulas.
var (
	ofFormula = regexp.MustCompile(
		`^(?:(?:[A-Za-z]|sin|cos|exp|sgn)(?:[^A-Za-z]|$)|[0-9α-ωΑ-ΩẋẍṠ₀-₉⁰¹²³⁴-⁹⁻=+−±·×/|()\[\]^_*'.√∞])*$`)
	symbol  = regexp.MustCompile(`[α-ωΑ-ΩẋẍṠ₀-₉]`)
	signs   = regexp.MustCompile(`^[=+−·×/]$`)
	article = regexp.MustCompile(`^[aAI] [^=+−·×/]`)
)

// withFormulas is a line of text with its formulas as LaTeX between dollar signs and backquotes.
func withFormulas(line string) string {
	var out, run []string
	flush := func() {
		out = append(out, marked(strings.Join(run, " ")))
		run = nil
	}
	for _, word := range strings.Split(line, " ") {
		bare := strings.TrimRight(word, ",;:.")
		if !ofFormula.MatchString(bare) || bare == "" {
			if len(run) > 0 {
				flush()
			}
			out = append(out, word)
			continue
		}
		run = append(run, word)
		if bare != word {
			flush()
		}
	}
	if len(run) > 0 {
		flush()
	}
	return strings.Join(out, " ")
}

// formulasInHelp is a help text with its formulas as LaTeX. Indented lines are code.
func formulasInHelp(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if !strings.HasPrefix(line, " ") {
			lines[i] = withFormulas(line)
		}
	}
	return strings.Join(lines, "\n")
}

// marked is a run of words as a formula, if it is one. Punctuation, an article, signs and brackets without a partner at
// its ends stay outside.
func marked(run string) string {
	before, after := "", ""
	for changed := true; changed && run != ""; {
		changed = false
		first, _, _ := strings.Cut(run, " ")
		last := run[strings.LastIndex(run, " ")+1:]
		opens, closes := strings.Count(run, "("), strings.Count(run, ")")
		switch {
		case article.MatchString(run), first != run && signs.MatchString(first) && first != "−":
			before, run, changed = before+run[:len(first)+1], run[len(first)+1:], true
		case strings.HasPrefix(run, "(") && opens > closes:
			before, run, changed = before+"(", run[1:], true
		case strings.HasSuffix(run, ")") && closes > opens, strings.ContainsAny(run[len(run)-1:], ",;:."):
			after, run, changed = run[len(run)-1:]+after, run[:len(run)-1], true
		case last != run && signs.MatchString(last):
			after, run, changed = run[len(run)-len(last)-1:]+after, run[:len(run)-len(last)-1], true
		}
	}
	if !symbol.MatchString(run) || strings.Count(run, "(") != strings.Count(run, ")") {
		return before + run + after
	}
	return before + "$`" + latex(run) + "`$" + after
}

var (
	lowered = regexp.MustCompile(`[₀-₉]+`)
	raised  = regexp.MustCompile(`[⁰¹²³⁴-⁹⁻]+`)
	index   = regexp.MustCompile(`([_^])(−?[A-Za-z0-9]{2,}|−[A-Za-z0-9])`)
	root    = regexp.MustCompile(`√\(([^()]*)\)`)
	digits  = strings.NewReplacer("₀", "0", "₁", "1", "₂", "2", "₃", "3", "₄", "4", "₅", "5", "₆", "6", "₇", "7", "₈", "8",
		"₉", "9", "⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4",
		"⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9", "⁻", "-")
	signsOf = strings.NewReplacer("sin", `\sin `, "cos", `\cos `, "exp", `\exp `, "sgn", `\text{sgn} `, "·", `\cdot `,
		"×", `\times `, "ẋ", `\dot{x}`, "ẍ", `\ddot{x}`, "Ṡ", `\dot{S}`, "−", "-")
)

// latex writes what LaTeX has no letters for: indices, powers, roots, derivatives and functions.
func latex(plain string) string {
	plain = index.ReplaceAllString(plain, "$1{$2}")
	plain = lowered.ReplaceAllStringFunc(plain, func(s string) string { return "_{" + digits.Replace(s) + "}" })
	plain = raised.ReplaceAllStringFunc(plain, func(s string) string { return "^{" + digits.Replace(s) + "}" })
	plain = root.ReplaceAllString(plain, `\sqrt{$1}`)
	return strings.ReplaceAll(strings.TrimSpace(signsOf.Replace(plain)), "  ", " ")
}

// Formulas are found in sentences, and nothing else is.
func TestFormulasOfTables(t *testing.T) {
	for text, want := range map[string]string{
		"x/u = ω²/(s² + 2ζω s + ω²), whatever": "$`x/u = ω^{2}/(s^{2} + 2ζω s + ω^{2})`$, whatever",
		"peak, g = 9.80665 m/s², above 0":      "peak, g = 9.80665 m/s², above 0",
		"damping coefficient c, N·(s/m)^α":     "damping coefficient c, $`N\\cdot (s/m)^α`$",
		"damper c |v|^α sgn v, beside":         "damper $`c |v|^α \\text{sgn} v`$, beside",
		"with a λ of 2, in a file":             "with a $`λ`$ of 2, in a file",
		"(by β = 0, γ = 1/2)":                  "(by $`β = 0`$, $`γ = 1/2`$)",
		"its yield force is (1 − a) k₀ d_y":    "its yield force is $`(1 - a) k_{0} d_y`$",
		"P0 = diag((qf x0)²)":                  "P0 = diag((qf x0)²)",
		"a of ω(t) = ω + a sin(b t), rad/s":    "a of $`ω(t) = ω + a \\sin (b t)`$, rad/s",
	} {
		if got := withFormulas(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
