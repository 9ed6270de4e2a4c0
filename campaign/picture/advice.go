package picture

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"sync"

	"rths/result/plotting"
)

// Advice is what is drawn of an advice: which compensator a test should take. Numbers that do not
// exist are NaN.
type Advice struct {
	Name      string
	Ended     string   // how the work has ended, if it ended early; "": it is complete
	Runs      int      // virtual tests that were made
	Sentences []string // the answer
	Settings  string   // blocks of the recommended method, ready to paste; "": no method is good
	Drop      []string // keys of the scenario that have to go for them
	File      string   // beside the page, the whole scenario with them; "": there is none
	LagMs     float64  // of the actuator in slow motion, on which a delay is added, ms
	GoodPct   float64  // J2_true that a good method has at most in 9 of 10 runs, %
	Final     []AdviceRow
	Others    []AdviceRow   // not in the final runs: by the runs for selecting
	Selecting []AdvicePoint // every method by the runs for selecting
	Fails     []AdviceLimit // how far the recommended method is from failing
	Remedies  []AdviceRemedy
	Misfits   []StudyFact // kinds that do not fit, and why
	Facts     []StudyFact // budget, streams, program
	Notes     []string
}

// AdviceRow is a method with its settings in some runs, the best of a list first.
type AdviceRow struct {
	Method, Settings string // Method with a word on the settings, as "kf, tuned"
	Recommended      bool
	Today            bool // the scenario's own method
	Adaptive         bool
	Runs, Failures   int
	Median           float64 // of J2_true, %
	P90, From, To    float64 // its 90th percentile with an interval, %; To may be +Inf
	Global           float64 // error against the undivided structure, %
	Rough            float64 // µm
	MarginMs, Radius float64
	Reason           string    // of the first failure
	Note             string    // how the method stands in the scenario
	Values           []float64 // J2_true of the runs, %; NaN: the run has none
}

// AdvicePoint is a method by the runs for selecting.
type AdvicePoint struct {
	Method      string
	Recommended bool
	Adaptive    bool
	Failed      bool    // some of its runs have failed
	Rough, J2   float64 // medians, µm and %
}

// AdviceLimit is one direction in which a test becomes harder. The factors say how much harder, 1 for the
// scenario as it is.
type AdviceLimit struct {
	What, Unit               string
	Bears, Fails             float64 // in Unit; Fails +Inf: no failure up to Bears, the farthest that was tried
	BearsFactor, FailsFactor float64
	Why                      string // what fails
}

// AdviceRemedy is a change of the test, with the best method for it.
type AdviceRemedy struct {
	What, Method, Settings string
	Runs, Failures         int
	P90                    float64 // of J2_true, %; NaN: there was no run
	Suffices               bool
	Why                    string // why it does not suffice
}

//go:embed assets/advice.css
var adviceStyle string

//go:embed assets/advice.html
var adviceText string

// adviceTemplate has the table of the page of a study.
var adviceTemplate = sync.OnceValue(func() plotting.Template { return plotting.NewTemplate(adviceText, studyText) })

// advicePage is the input of the template.
type advicePage struct {
	*Advice
	Title    string
	Lead     string
	Verdicts []string
	Parts    []advicePart
	CSS      plotting.Raw
}

// advicePart is a picture or a table.
type advicePart struct {
	Picture *pagePicture
	Table   *studyTable
}

// AdvicePage writes an advice as one HTML page that needs no network and no script: the answer in
// words, the settings to paste, tables, pictures, and how the answer was found.
func AdvicePage(w io.Writer, a *Advice) error {
	p := advicePage{Advice: a, Title: cmp.Or(a.Name, "Advice"), Lead: a.lead(), Verdicts: a.verdicts(), Parts: a.parts()}
	p.CSS = plotting.Raw(plotting.Asset("page.css") + studyStyle + adviceStyle)
	return adviceTemplate().Execute(w, p)
}

// AdvicePlots draws the pictures of an advice into files of dir, as final.png or fails-first.svg, and
// returns their paths. The format is "png", "svg" or "" for both.
func AdvicePlots(dir, format string, a *Advice) ([]string, error) {
	return savePictures(dir, format, a.pictures())
}

// lead says what the page answers, and that no actuator has moved for it.
func (a *Advice) lead() string {
	return fmt.Sprintf(
		"Which compensator this test should take. The answer comes from virtual tests: %s. No real test has been made.",
		plotting.CountOf(a.Runs, "run"))
}

// verdicts are the sentences in large letters.
func (a *Advice) verdicts() []string {
	var out []string
	if a.Ended != "" {
		out = append(out, a.Ended)
	}
	if len(a.Sentences) == 0 {
		return append(out, "There is no answer: the final runs have not been made.")
	}
	return append(out, a.Sentences...)
}

// parts are tables and pictures in the order of the page.
func (a *Advice) parts() []advicePart {
	var out []advicePart
	table := func(t studyTable) {
		if len(t.Rows) > 0 {
			out = append(out, advicePart{Table: &t})
		}
	}
	picture := func(p picture) {
		if len(p.tiles) > 0 {
			drawn := p.page()
			out = append(out, advicePart{Picture: &drawn})
		}
	}
	table(a.finalTable())
	picture(a.scores())
	picture(a.failing())
	table(a.failingTable())
	picture(a.remedies())
	table(a.remedyTable())
	picture(a.tradeOff())
	table(a.otherTable())
	return out
}

// pictures are all that the advice has.
func (a *Advice) pictures() []picture {
	return slices.DeleteFunc([]picture{a.scores(), a.failing(), a.remedies(), a.tradeOff()},
		func(p picture) bool { return len(p.tiles) == 0 })
}
