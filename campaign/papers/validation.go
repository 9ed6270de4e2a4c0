package papers

import (
	"context"
	"embed"
	"fmt"
	"strings"

	"rths/campaign/suite"

	"github.com/goccy/go-yaml"
)

// Paper is one of the sources, with everything in it that could be shown: a file of
// validation/, named by the paper's number in docs/internals/sources.md.
type Paper struct {
	Number   string    `yaml:"-"`
	Title    string    `yaml:"title"`
	Settings []Setting `yaml:"settings"`
	Items    []Item    `yaml:"items"`
}

// Setting is one that the paper does not print and items are reproduced with.
type Setting struct {
	Name   string   `yaml:"name"`
	Why    string   `yaml:"why"`
	Fitted []string `yaml:"fitted"` // items that it was fitted to; none: it was chosen without a look at the results
}

// Item is an equation, table or figure of a paper, or several in one row.
type Item struct {
	Name     string   `yaml:"name"` // as the paper calls it: "eqs 8–10", "Table 5", "Fig. 2"
	What     string   `yaml:"what"` // what it says, in a few words
	Status   Status   `yaml:"status"`
	By       []string `yaml:"by"`       // what shows it: tests as compensate.TestName, commands as "rths …"
	Settings []string `yaml:"settings"` // of Inferred and Fitted: names of the paper's settings
	Why      string   `yaml:"why"`      // for Different and Cannot; a remark otherwise
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

// Status is the result of an item.
type Status string

// The statuses of an item.
const (
	Reproduced Status = "reproduced"        // every figure is within its limit, with the printed settings
	Inferred   Status = "inferred"          // so it is, but with settings that the paper does not print
	Fitted     Status = "fitted"            // so it is, with a setting that was fitted to these figures
	Structural Status = "structural"        // an equation or curve without a number: tests hold it
	Scheme     Status = "followed"          // a drawing or definition: there is nothing to compute
	Different  Status = "different because" // a figure is beyond its limit, or cannot be compared with one
	Cannot     Status = "cannot be because"
	NotYet     Status = "not yet"
)

// statuses in the order of a paper's count.
var statuses = []Status{Reproduced, Inferred, Fitted, Structural, Scheme, Different, Cannot, NotYet}

// claims tells whether every figure of the item is within its limit.
func (s Status) claims() bool { return s == Reproduced || s == Inferred || s == Fitted }

// Finding is one number beside the published one.
type Finding struct {
	What, Ours, Published string
	Limit                 string // what Holds means: "± 0.5 ms", "< 5 %"; "–" where nothing is claimed
	Figures               int    // published figures that are compared
	Holds                 bool
}

// none stands where there is nothing.
const none = "–"

// within is the finding |ours − published| ≤ tolerance.
func within(what string, ours, published, tolerance float64, unit string) Finding {
	d := ours - published
	return Finding{
		What: what, Ours: withUnit(ours, unit), Published: withUnit(published, unit), Limit: "± " + withUnit(tolerance, unit),
		Figures: 1,
		Holds:   d <= tolerance && -d <= tolerance, // false for NaN
	}
}

func withUnit(v float64, unit string) string {
	return strings.TrimSpace(fmt.Sprintf("%.5g %s", v, unit))
}

// says is a finding of one published figure or statement, with the limit that it is held to.
func says(what, ours, published, limit string, holds bool) Finding {
	return Finding{What: what, Ours: ours, Published: published, Limit: limit, Figures: 1, Holds: holds}
}

// below is a finding with nothing published beside it, held to a limit of ours.
func below(what string, ours, limit float64, unit string) Finding {
	return Finding{What: what, Ours: fmt.Sprintf("%.3g %s", ours, unit), Published: none,
		Limit: fmt.Sprintf("< %.3g %s", limit, unit), Holds: ours < limit}
}

// note is a number of ours that claims nothing.
func note(what, ours string) Finding {
	return Finding{What: what, Ours: ours, Published: none, Limit: none, Holds: true}
}

// Evidence is what findings are taken from: the rows of suites, run once each.
type Evidence struct {
	Lab  suite.Lab
	once map[string]any
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

// table5 are the runs beside Tables 5 to 7 of paper 002, with noise, on the nominal plant and 20 random ones: the
// records × 1.0, and R = 1e-4 m².
func (e *Evidence) table5(ctx context.Context) ([]sisoRow, error) {
	return e.ning(ctx, 20, "compensator.r_mm2=100")
}

// ning are runs of kf-table5 with all cases and records × 1.0.
func (e *Evidence) ning(ctx context.Context, plants int, sets ...string) ([]sisoRow, error) {
	return onceFor(e, fmt.Sprint("kf-table5 ", plants, sets), func() ([]sisoRow, error) {
		s := newSISO()
		s.Compensators, s.Scale, s.Perturbed, s.Set = []string{"kf-table5"}, 1, plants, sets
		return s.rows(ctx, e.Lab)
	})
}
