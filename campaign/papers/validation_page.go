package papers

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// WriteValidation writes the page docs/internals/validation.md: every item with what shows it, our
// value, the published one, the limit and its status. It fails where an item claims more
// than its findings hold.
func WriteValidation(ctx context.Context, out io.Writer, e *Evidence) error {
	papers, err := Papers()
	if err != nil {
		return err
	}
	var page strings.Builder
	page.WriteString(validationHead + "\n" + counted(papers) + "\n")
	for _, p := range papers {
		fmt.Fprintf(&page, "\n## %s\n\nPaper %s of [sources.md](sources.md). %s.\n\n", p.Title, p.Number, count(p.Items))
		page.WriteString("| item | what | shown by | ours | published | limit | status |\n|---|---|---|---|---|---|---|\n")
		explained := map[string][]share{} // by setting; a fitted row is no evidence of any
		for _, it := range p.Items {
			fitted, _ := p.fitted(it)
			figures, err := it.write(ctx, &page, e, checks[p.Number+" "+it.Name], fitted)
			if err != nil {
				return fmt.Errorf("validation: paper %s, %s: %w", p.Number, it.Name, err)
			}
			for _, s := range it.Settings {
				if it.Status == Inferred {
					explained[s] = append(explained[s], share{it.Name, figures})
				}
			}
		}
		p.writeSettings(&page, explained)
	}
	_, err = io.WriteString(out, page.String())
	return err
}

const validationHead = `# What is validated

Every equation, table and figure of the five papers this program follows, with
the test or command that shows it, our value and the published one. This page is
made by ` + "`rths benchmark --all --validation`" + `, which computes the numbers again and
fails where a number is beyond its limit. Tests are named as package.Test:
` + "`go test ./method/compensate -run TestName`" + ` runs one. ` + "`go run ./.ci/named`" + ` runs all that
are named here, and fails if one does not exist, is skipped or fails; CI runs it.

| status | meaning |
|---|---|
| reproduced | every figure is within its limit, with the settings that the paper prints |
| inferred | every figure is within its limit, but with settings that the paper does not print: they are listed ` +
	`below the paper's table, with the number of figures that they explain. None was fitted to the row itself |
| fitted | as inferred, but a setting was fitted to the row itself: no evidence |
| structural | an equation or curve without a number: the named tests hold it, one of them at least without recorded ` +
	`motions |
| followed | a scheme or definition: there is nothing to compute |
| different because | a figure is beyond its limit, or cannot be put beside the printed one |
| cannot be because | inputs are missing, contradict each other, or are of a real rig |
| not yet | nothing is here |

The limit of a printed number is half a unit of its last digit unless the row says otherwise.
The limit of a statement is ours. What the package of the single-actuator benchmark states
(noise, gain, matrices) counts as printed by papers 001 and 002, which cite it.
`

// counted is the sentence that counts the items of all papers.
func counted(papers []Paper) string {
	var all []Item
	for _, p := range papers {
		all = append(all, p.Items...)
	}
	return fmt.Sprintf("Of %d rows: %s.", len(all), count(all))
}

// count lists the number of items of each status.
func count(items []Item) string {
	var parts []string
	for _, s := range statuses {
		n := 0
		for _, it := range items {
			if it.Status == s {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, strings.TrimSuffix(string(s), " because")))
		}
	}
	return strings.Join(parts, ", ")
}

// commands are what an item may name beside tests.
var commands = regexp.MustCompile(`^(rths [a-z]|go test )`)

// Tests are the tests that the item names, as package.Test.
func (it Item) Tests() []string {
	return slices.DeleteFunc(slices.Clone(it.By), commands.MatchString)
}

// FolderOf is the folder of a package that tests are named by, in the sources at root: compensate stands in
// root/method/compensate, rths in root itself.
func FolderOf(root, pkg string) (string, error) {
	if pkg == "rths" {
		return root, nil
	}
	for _, pattern := range []string{pkg, filepath.Join("*", pkg)} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(found) == 1 {
			return strings.Join(found, ""), err
		}
	}
	return "", fmt.Errorf("package %s: want one folder of this name in %s or in a folder of it", pkg, root)
}

// claim wants of an item's findings what its status says.
func (it Item) claim(findings []Finding) error {
	claims, compared := it.Status.claims(), 0
	for _, f := range findings {
		switch {
		case !f.Holds && (claims || it.Status == Structural):
			return fmt.Errorf("%s: ours %s, published %s, limit %s: does not hold", f.What, f.Ours, f.Published, f.Limit)
		case claims && f.Figures > 0 && (f.Limit == "" || f.Limit == none):
			return fmt.Errorf("%s: ours %s, published %s: want a limit", f.What, f.Ours, f.Published)
		}
		compared += f.Figures
	}
	switch {
	case claims && compared == 0:
		return fmt.Errorf("%s: want a published figure beside ours", it.Status)
	case it.Status == Structural && compared > 0:
		return fmt.Errorf("structural, and compares %d published figures: want another status", compared)
	case it.Status == Structural && len(it.Tests()) == 0:
		return fmt.Errorf("structural: want a test")
	}
	return nil
}

// fitted is how many of the item's settings were fitted, and whether one was to the item itself.
func (p Paper) fitted(it Item) (n int, own bool) {
	for _, s := range p.Settings {
		if len(s.Fitted) > 0 && slices.Contains(it.Settings, s.Name) {
			n, own = n+1, own || slices.Contains(s.Fitted, it.Name)
		}
	}
	return n, own
}

// write adds the item's row, and tells how many published figures it compares.
func (it Item) write(ctx context.Context, out io.Writer, e *Evidence, check check, fitted int) (figures int,
	err error) {
	var findings []Finding
	if check != nil {
		if findings, err = check(ctx, e); err != nil {
			return 0, err
		}
	}
	if err := it.claim(findings); err != nil {
		return 0, err
	}
	var ours, published, limits, by []string
	for _, f := range findings {
		ours = append(ours, strings.TrimSpace(f.What+" "+f.Ours))
		published, limits = append(published, f.Published), append(limits, f.Limit)
		figures += f.Figures
	}
	for _, b := range it.By {
		by = append(by, "`"+b+"`")
	}
	const line = "<br>"
	_, err = fmt.Fprintf(out, "| %s | %s | %s | %s | %s | %s | %s |\n", it.Name, it.What, strings.Join(by, ", "),
		strings.Join(ours, line), strings.Join(published, line), strings.Join(limits, line), it.status(figures, fitted))
	return figures, err
}

// status is the last cell of the row.
func (it Item) status(figures, fitted int) string {
	text := string(it.Status)
	if n := len(it.Settings); n > 0 {
		noun := "settings"
		if n == 1 {
			noun = "setting"
		}
		text += fmt.Sprintf(" with %d %s (%s); fitted settings: %d; figures: %d", n, noun, strings.Join(it.Settings, "; "),
			fitted, figures)
	}
	switch {
	case it.Why == "":
		return text
	case it.Status == Different || it.Status == Cannot:
		return text + " " + it.Why
	}
	return text + ": " + it.Why
}

// share is how many figures a setting explains in an item.
type share struct {
	item    string
	figures int
}

// writeSettings lists the settings that the paper does not print, with what they explain.
func (p Paper) writeSettings(out io.Writer, explained map[string][]share) {
	if len(p.Settings) == 0 {
		return
	}
	fmt.Fprint(out,
		"\nSettings of the inferred and fitted rows, which the paper does not print:\n\n| setting | why | fitted to | "+
			"figures of inferred rows that it explains |\n|---|---|---|---|\n")
	for _, s := range p.Settings {
		sum, of := 0, []string{}
		for _, e := range explained[s.Name] {
			sum, of = sum+e.figures, append(of, fmt.Sprintf("%d of %s", e.figures, e.item))
		}
		text := fmt.Sprintf("%d: %s", sum, strings.Join(of, "; "))
		if sum == 0 {
			text = "none of an inferred row: no evidence"
		}
		fitted := cmp.Or(strings.Join(s.Fitted, "; "), "nothing: chosen")
		fmt.Fprintf(out, "| %s | %s | %s | %s |\n", s.Name, s.Why, fitted, text)
	}
}
