package papers

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Paper is one of the sources, with everything in it that could be shown.
type Paper struct {
	Number string // as in docs/sources.md
	Title  string
	Items  []Item
}

// Item is an equation, table or figure of a paper, or several in one row.
type Item struct {
	Name   string   // as in the paper: "eqs 8–10", "Table 5", "Fig. 2"
	What   string   // subject, in a few words
	By     []string // evidence: tests as compensate.TestName, commands as "rths …"
	Status Status
	Why    string                               // for Different and Cannot; a remark otherwise
	Check  func(e *Evidence) ([]Finding, error) // numbers, computed when the page is made; nil where a test has them
}

// Status is the result of an item.
type Status string

// The statuses of an item. A scheme is a drawing or definition with nothing to
// compute; it is followed.
const (
	Reproduced Status = "reproduced"
	Different  Status = "different because"
	Cannot     Status = "cannot be because"
	NotYet     Status = "not yet"
	Scheme     Status = "followed"
)

// Finding is one number beside the published one. All findings of a Reproduced item must
// hold.
type Finding struct {
	What, Ours, Published string
	Holds                 bool
}

// Within is the finding |ours − published| ≤ tolerance.
func Within(what string, ours, published, tolerance float64, unit string) Finding {
	d := ours - published
	return Finding{
		What: what, Ours: fmt.Sprintf("%.4g %s", ours, unit), Published: fmt.Sprintf("%.4g %s", published, unit),
		Holds: d <= tolerance && -d <= tolerance, // false for NaN
	}
}

// Papers are the five sources.
var Papers = []Paper{paper000, paper001, paper002, paper003, paper004}

// Evidence holds the rows of suites. Each suite runs once.
type Evidence struct {
	Context context.Context
	Lab     Lab
	once    map[string]any
}

// onceFor computes the evidence of that name the first time it is asked for.
func onceFor[T any](e *Evidence, name string, compute func() (T, error)) (T, error) {
	if v, ok := e.once[name]; ok {
		return v.(T), nil
	}
	v, err := compute()
	if err != nil {
		return v, err
	}
	if e.once == nil {
		e.once = map[string]any{}
	}
	e.once[name] = v
	return v, nil
}

// siso runs the single-actuator suite for one compensator, all cases and records
// with noise, on the nominal plant and 20 perturbed ones.
func (e *Evidence) siso(compensator string) ([]sisoRow, error) {
	return onceFor(e, "siso "+compensator, func() ([]sisoRow, error) {
		s := newSISO()
		s.Compensators, s.Perturbed = []string{compensator}, 20
		return s.rows(e.Context, e.Lab)
	})
}

// WriteValidation writes the page docs/validation.md: every item with its evidence, our
// value, the published value and the status. A Reproduced item whose findings do not hold
// is an error.
func WriteValidation(out io.Writer, e *Evidence) error {
	var page strings.Builder
	page.WriteString(validationHead)
	for _, p := range Papers {
		fmt.Fprintf(&page, "\n## %s\n\nPaper %s of [sources.md](sources.md). %s\n\n", p.Title, p.Number, p.count())
		page.WriteString("| item | what | shown by | ours | published | status |\n|---|---|---|---|---|---|\n")
		for _, it := range p.Items {
			if err := it.write(&page, e); err != nil {
				return fmt.Errorf("validation: paper %s, %s: %w", p.Number, it.Name, err)
			}
		}
	}
	_, err := io.WriteString(out, page.String())
	return err
}

const validationHead = `# What is validated

Every equation, table and figure of the five papers this program follows, with
the test or command that shows it, our value and the published one. This page is
made by ` + "`rths benchmark --all --validation`" + `, which computes the numbers anew and
refuses to print an item as reproduced whose numbers do not hold. Tests are named
as package.Test: ` + "`go test ./compensate -run TestName`" + ` runs one.

Statuses: *reproduced*; *followed* (a scheme or definition, nothing to compute);
*different because* …; *cannot be because* …; *not yet*.
`

// count lists the number of items of each status.
func (p Paper) count() string {
	var parts []string
	for _, s := range []Status{Reproduced, Scheme, Different, Cannot, NotYet} {
		n := 0
		for _, it := range p.Items {
			if it.Status == s {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, strings.TrimSuffix(string(s), " because")))
		}
	}
	return strings.Join(parts, ", ") + "."
}

// write adds the item's row.
func (it Item) write(out io.Writer, e *Evidence) error {
	var findings []Finding
	if it.Check != nil {
		var err error
		if findings, err = it.Check(e); err != nil {
			return err
		}
	}
	if i := slices.IndexFunc(findings, func(f Finding) bool { return !f.Holds }); i >= 0 && it.Status == Reproduced {
		return fmt.Errorf("%s: ours %s, published %s: not reproduced", findings[i].What, findings[i].Ours, findings[i].Published)
	}
	var ours, published []string
	for _, f := range findings {
		ours = append(ours, strings.TrimSpace(f.What+" "+f.Ours))
		published = append(published, f.Published)
	}
	var by []string
	for _, b := range it.By {
		by = append(by, "`"+b+"`")
	}
	status := string(it.Status)
	if it.Why != "" {
		status += ": " + it.Why
		if it.Status == Different || it.Status == Cannot {
			status = string(it.Status) + " " + it.Why
		}
	}
	_, err := fmt.Fprintf(out, "| %s | %s | %s | %s | %s | %s |\n", it.Name, it.What,
		strings.Join(by, ", "), strings.Join(ours, "<br>"), strings.Join(published, "<br>"), status)
	return err
}
