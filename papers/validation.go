package papers

import (
	"context"
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// Paper is one of the sources, with everything in it that could be shown: a file of
// validation/, named by the paper's number in docs/sources.md.
type Paper struct {
	Number string `yaml:"-"`
	Title  string `yaml:"title"`
	Items  []Item `yaml:"items"`
}

// Item is an equation, table or figure of a paper, or several in one row.
type Item struct {
	Name   string   `yaml:"name"` // as the paper calls it: "eqs 8–10", "Table 5", "Fig. 2"
	What   string   `yaml:"what"` // what it says, in a few words
	Status Status   `yaml:"status"`
	By     []string `yaml:"by"`  // what shows it: tests as compensate.TestName, commands as "rths …"
	Why    string   `yaml:"why"` // for Different and Cannot; a remark otherwise
}

//go:embed validation/*.yaml
var validation embed.FS

// Papers reads what is said of the five sources.
func Papers() (papers []Paper, err error) {
	for _, number := range []string{"000", "001", "002", "003", "004"} {
		text, err := validation.ReadFile("validation/" + number + ".yaml")
		if err != nil {
			return nil, err
		}
		p := Paper{Number: number}
		if err := yaml.UnmarshalWithOptions(text, &p, yaml.Strict()); err != nil {
			return nil, fmt.Errorf("validation/%s.yaml: %w", number, err)
		}
		papers = append(papers, p)
	}
	return papers, nil
}

// check computes the numbers of an item when the page is made.
type check func(*Evidence) ([]Finding, error)

// checks by paper and item; the numbers of the other items are in tests.
var checks = map[string]check{
	"000 Eq. 4":                     wangConditions,
	"000 Table 1":                   wangExact,
	"000 Table 2, Figs 3–4":         wangTable("fixed", 0),
	"000 Table 3, Fig. 5":           wangTable("fixed", wangNoise),
	"000 Table 4, Figs 6–7":         wangTable("varying", wangNoise),
	"000 Section 3.5, Figs 8–9":     wangFig9,
	"000 Table 5":                   wangLab("open"),
	"000 Table 6, Fig. 11":          wangLab("closed"),
	"001 Eqs 5.1–5.9, Figs 5.1–5.3": galmezCritical,
	"001 Fig. 5.4":                  galmezFig54,
	"001 Fig. 7.14":                 galmezFig714,
	"001 Fig. 7.19":                 galmezFig719,
	"001 Eqs 7.13–7.18, Table 7.5, Figs 7.20–7.23": galmezNonlinear,
	"001 Eqs 7.22–7.26":                            galmezModal,
	"001 Eqs 7.27–7.29, Figs 7.24–7.28":            galmezDelays,
	"001 Table 7.6, Figs 7.29–7.34":                galmezGains,
	"002 PSI, section 2.2":                         ningPSI,
	"002 Fig. 2":                                   ningFig2,
	"002 Eqs 23–24":                                ningTrue,
	"002 Fig. 4":                                   ningFig4,
	"002 Fig. 5":                                   ningFig5,
	"002 Table 4":                                  ningTable4,
	"002 Fig. 6":                                   ningRMSE("x0"),
	"002 Fig. 7":                                   ningConverged("x0"),
	"002 Fig. 8":                                   ningRMSE("P0", "R"),
	"002 Figs 9–10":                                ningConverged("P0", "R"),
	"002 Fig. 11":                                  ningFig11,
	"002 Table 5, J1":                              ningTable5("J1_ms", sisoRecords, 0.05),
	"002 Table 5, J2 and J3":                       ningUnscaled("J2_pct J3_pct"),
	"002 Table 5, J4 and J5":                       ningUnscaled("J4_pct J5_pct"),
	"002 Table 5, J2 to J5":                        ningTable5("J2_pct J3_pct J4_pct J5_pct", sisoRecords, 0.5),
	"002 Table 5, J6 to J9 on El Centro and Kobe":  ningTable5("J6_pct J7_pct J8_pct J9_pct", sisoRecords[:2], 0.5),
	"002 Table 5, J6 to J9 on Morgan Hill":         ningTable5("J6_pct J7_pct J8_pct J9_pct", sisoRecords[2:], 0.5),
	"002 Table 6":                                  ningPerturbed("mean", paper002Table6),
	"002 Table 7":                                  ningPerturbed("std", paper002Table7),
	"003 Table 1":                                  table1Findings,
	"003 Table 2, Figs 8–9":                        table2Findings,
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

// statuses in the order of a paper's count.
var statuses = []Status{Reproduced, Scheme, Different, Cannot, NotYet}

// Finding is one number beside the published one. An item that is Reproduced
// must hold all of them.
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

// Evidence is what findings are taken from: the rows of suites, run once each.
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

// unscaled are the nominal runs of kf-table5 with the records × 1.0.
func (e *Evidence) unscaled() ([]sisoRow, error) {
	return onceFor(e, "unscaled", func() ([]sisoRow, error) {
		s := newSISO()
		s.Compensators, s.Scale = []string{"kf-table5"}, 1
		return s.rows(e.Context, e.Lab)
	})
}

// WriteValidation writes the page docs/validation.md: every item with what shows
// it, our value, the published one and its status. It fails where an item claims
// more than its findings hold.
func WriteValidation(out io.Writer, e *Evidence) error {
	var page strings.Builder
	page.WriteString(validationHead)
	papers, err := Papers()
	if err != nil {
		return err
	}
	for _, p := range papers {
		fmt.Fprintf(&page, "\n## %s\n\nPaper %s of [sources.md](sources.md). %s\n\n", p.Title, p.Number, p.count())
		page.WriteString("| item | what | shown by | ours | published | status |\n|---|---|---|---|---|---|\n")
		for _, it := range p.Items {
			if err := it.write(&page, e, checks[p.Number+" "+it.Name]); err != nil {
				return fmt.Errorf("validation: paper %s, %s: %w", p.Number, it.Name, err)
			}
		}
	}
	_, err = io.WriteString(out, page.String())
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
	for _, s := range statuses {
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
func (it Item) write(out io.Writer, e *Evidence, check check) error {
	var findings []Finding
	if check != nil {
		var err error
		if findings, err = check(e); err != nil {
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
