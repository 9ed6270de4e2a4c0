package picture

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rths/campaign/study"
	"rths/kit/rthstest"
)

func studyHTML(t *testing.T, s *Study) string {
	t.Helper()
	var b bytes.Buffer
	if err := StudyPage(&b, s); err != nil {
		t.Fatal(err)
	}
	checkAlone(t, b.String())
	return b.String()
}

// checkAlone wants a well-formed page that loads nothing.
func checkAlone(t *testing.T, page string) {
	t.Helper()
	page = withoutScripts(page)
	checkXML(t, page)
	for _, outside := range []string{"<script", "<link", "src=", "href=", "@import", "url(", "http"} {
		if strings.Contains(page, outside) {
			t.Errorf("the page has %q: want nothing from outside, and no script", outside)
		}
	}
}

// ownScript is the data of a page, or its script.
var ownScript = regexp.MustCompile(`(?s)<script( type="application/json")?>.*?</script>`)

func withoutScripts(page string) string { return ownScript.ReplaceAllString(page, "") }

func checkXML(t *testing.T, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	d.Entity = xml.HTMLEntity
	for {
		if _, err := d.Token(); err != nil {
			if !errors.Is(err, io.EOF) {
				t.Errorf("not well-formed: %v", err)
			}
			return
		}
	}
}

// The page says the numbers of the summary in four digits, the verdict first, facts last.
func TestStudyPage(t *testing.T) {
	s := withSummary(withSobol(madeStudy(600, 12, 5, 4)))
	s.Remarks = []string{"the plants are assumed"}
	page := studyHTML(t, s)
	rthstest.Contains(t, page, `<p class="place virtual"><strong>VIRTUAL</strong>`, "<h1>scatter of plants</h1>",
		"600 runs, 31 failed (31 diverged). J2, %: mean 3.123 [3.012, 3.235], 90 % quantile 4.444 [4.333, 4.556], largest "+
			"5.171 in run 185. In brackets: 95 % confidence intervals.",
		"the plants are assumed", "Single runs: J2, %", "J2, % by compensator and record", "Sobol&#39; indices",
		"Mean of J2, %: compensator × record", "95 % confidence intervals", "50 % quantile", "|target| above 1 m",
		"<dd>siso.yaml</dd>",
		"Of 569 runs with a value. Solid line: mean 3.123. Dashed line: 90 % quantile 4.444. The 31 failed runs are "+
			"not drawn.",
		"rank correlation 0.51", "the largest total index, 0.5400 [0.5000, 0.6000], is of specimen.parameter_1.")
	for _, g := range s.Summary {
		if g.Group != "" {
			rthstest.Contains(t, page, inDigits(g.Mean)+between(g.MeanFrom, g.MeanTo), fmt.Sprint(g.N))
		}
	}
	last := -1
	for _, part := range []string{"600 runs, 31 failed", "<svg", "Outputs of all runs", "Runs that failed", "<dl>"} {
		at := strings.Index(page, part)
		if at < last {
			t.Errorf("%q stands too early", part)
		}
		last = at
	}
	if n := strings.Count(page, "<svg"); n != 1+4+4+2+2 || n != strings.Count(page, `role="img" aria-label="`) {
		t.Errorf("%d pictures: want 13, each with words", n)
	}
	if page != studyHTML(t, withRemarks(withSummary(withSobol(madeStudy(600, 12, 5, 4))), s.Remarks)) {
		t.Error("the same study gives other bytes")
	}
}

func withRemarks(s *Study, remarks []string) *Study { s.Remarks = remarks; return s }

// mostPage is how large a page of many runs may be.
const mostPage = 3 << 20

func TestStudyPageOfMany(t *testing.T) {
	rthstest.Long(t)
	for _, s := range []*Study{
		madeStudy(100_000, 12, 20, 10), madeStudy(15*cloudDots, 40, 0, 0), madeStudy(6400, 1, 40, 40),
		withSobol(madeStudy(allDots/12, 12, 0, 0)),
	} {
		page := studyHTML(t, s)
		if len(page) > mostPage {
			t.Errorf("a page of %d bytes: want at most %d", len(page), mostPage)
		}
		if explored := strings.Contains(page, "Single runs"); explored != (s.runs() < 10_000) {
			t.Errorf("%d runs: single runs %v", s.runs(), explored)
		} else if !explored {
			rthstest.Contains(t, page, "Cells stand in place of ")
		}
	}
	rthstest.Contains(t, studyHTML(t, madeStudy(6400, 1, 40, 40)),
		"There are no boxes of compensator × record: they would be more than 400.")
	rthstest.Contains(t, studyHTML(t, madeStudy(6400, 1, 41, 2)), "at most 40 levels. Left out: compensator.")
}

func TestStudyPageEscapes(t *testing.T) {
	evil, long := "<script>alert(1)</script>\x01&\"", strings.Repeat("long.name.", 30)
	s := withSobol(madeStudy(60, 2, 3, 2))
	s.Name, s.Inputs[0].Name, s.Inputs[1].Name, s.Inputs[2].Name = evil, evil, long, long
	s.Facts, s.Remarks, s.Failures = []StudyFact{{evil, evil}}, []string{evil},
		[]study.Failure{{Status: evil, Reason: evil, Runs: 1}}
	s.Outputs[0].Name, s.Outputs[1].Name, s.Outputs[1].Doc = evil, long, evil
	for i := range s.Inputs[2].Labels {
		s.Inputs[2].Labels[i] += evil + long
	}
	s.Sobol[0].Inputs[0].Key, s.Sobol[0].Name = evil, evil
	s.Summary = []StudySummary{{Group: evil, Output: evil}, {Group: long, Output: long}}
	var b bytes.Buffer
	if err := StudyPage(&b, s); err != nil {
		t.Fatal(err)
	}
	page := strings.ReplaceAll(withoutScripts(b.String()), "\x01", "") // XML knows no such letter, HTML leaves it out
	checkXML(t, page)
	if strings.Contains(page, "<script") {
		t.Error("a name is a script")
	}
	if _, err := StudyPlots(t.TempDir(), "svg", s); err != nil {
		t.Error(err)
	}
}

// oddStudies have little to show, or strange values.
func oddStudies() map[string]*Study {
	failed, constant, strange := madeStudy(40, 2, 3, 2), madeStudy(40, 2, 3, 2), madeStudy(40, 2, 3, 2)
	for i := range 40 {
		failed.Status[i], failed.Outputs[0].Values[i] = "diverged", math.NaN()
		for _, o := range constant.Outputs {
			o.Values[i] = 3.25
		}
		constant.Inputs[0].Values[i], constant.Inputs[1].Values[i] = 0, -7
		wild := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, 5e-324, 0, 1e149, -1e149}
		strange.Inputs[0].Values[i], strange.Inputs[1].Values[i] = wild[i%len(wild)], wild[(i+3)%len(wild)]
		strange.Outputs[0].Values[i], strange.Outputs[1].Values[i] = wild[i/4%len(wild)], math.Pow10(i-20)
		strange.Status[i] = "completed"
	}
	blind := madeSearch()
	for i := range blind.Search.Value {
		blind.Search.Value[i] = math.NaN()
	}
	for i := range blind.Search.Best {
		blind.Search.Best[i] = math.Inf(1)
	}
	blind.Maps = []Map{{X: "a", Y: "b", AtX: []float64{1}, AtY: []float64{-1}, Value: [][]float64{{math.NaN()}},
		MarkX: math.NaN()}}
	bare := &Study{Outputs: []StudyOutput{{Name: "J2_pct"}}, Search: &StudySearch{},
		Sobol: []study.Indices{{Name: "J2_pct"}}}
	nan := math.NaN()
	lost := &Study{Sobol: []study.Indices{{Name: "J2_pct",
		Inputs: []study.SobolOfInput{indicesOf("a", nan, nan, nan, nan, nan, nan), indicesOf("b", -5, -9, 9, 7, 3, 100)}}}}
	noOutput := madeStudy(5, 2, 2, 0)
	noOutput.Outputs = nil
	noStatus := madeStudy(5, 1, 0, 0)
	noStatus.Status = nil
	return map[string]*Study{"failed": failed, "constant": constant, "strange": strange, "one": madeStudy(1, 2, 1, 1),
		"two": madeStudy(2, 1, 2, 0), "empty": {}, "blind": blind, "bare": bare, "lost": lost, "no output": noOutput,
		"no status": noStatus, "no input": madeStudy(30, 0, 0, 0)}
}

func TestOddStudies(t *testing.T) {
	verdicts := map[string]string{
		"failed":   "40 runs, all failed (40 diverged). No run has a value of J2, %.",
		"constant": "mean 3.250, 90 % quantile 3.250, largest 3.250",
		"one":      "1 run, none failed. J2, %: ", "empty": "<h1>Study</h1>\n<p class=\"status\">0 runs.</p>",
		"blind": "candidates without a value or with a broken limit: 150",
	}
	if got := (&Study{Status: []string{"diverged"}}).runVerdict(); got != "1 run, all failed (1 diverged)." {
		t.Error(got)
	}
	for name, s := range oddStudies() {
		page := withoutScripts(studyHTML(t, s))
		rthstest.Contains(t, page, verdicts[name])
		if strings.Contains(page, "NaN") || strings.Contains(page, "Inf") {
			t.Errorf("%s: the page has a number that is none", name)
		}
		if _, err := StudyPlots(t.TempDir(), "svg", s); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestStudyPlots(t *testing.T) {
	rthstest.Long(t)
	s := withSobol(madeStudy(60, 2, 3, 2))
	found := madeSearch()
	s.Search, s.Maps = found.Search, found.Maps
	dir := filepath.Join(t.TempDir(), "pictures")
	paths, err := StudyPlots(dir, "", s)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, path := range paths {
		names = append(names, filepath.Base(path))
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(path) == ".png" {
			if _, err := png.Decode(bytes.NewReader(content)); err != nil {
				t.Errorf("%s: %v", path, err)
			}
			continue
		}
		checkXML(t, string(content))
	}
	want := strings.Fields(
		"search.png search.svg search-parameters.png search-parameters.svg map.png map.svg distribution.png " +
			"distribution.svg boxes.png boxes.svg matrix.png matrix.svg criteria.png criteria.svg scatter.png scatter.svg " +
			"sobol.png sobol.svg outputs.png outputs.svg")
	if !slices.Equal(names, want) {
		t.Errorf("files %v: want %v", names, want)
	}
	if _, err := StudyPlots(dir, "gif", s); err == nil || !strings.Contains(err.Error(), "want png or svg") {
		t.Errorf("format gif: %v", err)
	}
	if _, err := StudyPlots("/dev/null/x", "svg", s); err == nil {
		t.Error("a folder that cannot be made: want an error")
	}
}

// Values that do not fit are refused with their names and numbers.
func TestStudyCheck(t *testing.T) {
	for want, change := range map[string]func(s *Study){
		"input specimen.parameter_1 has 4 values of 5 runs": func(s *Study) { s.Inputs[0].Values = s.Inputs[0].Values[1:] },
		"input specimen.parameter_1 has values and labels": func(s *Study) {
			s.Inputs[0].Labels = make(
				[]string, 5)
		},
		"output J1_ms has 3 values of 5 runs":                               func(s *Study) { s.Outputs[1].Values = s.Outputs[1].Values[2:] },
		"search: 150 values, 149 generations":                               func(s *Study) { s.Search.Generation = s.Search.Generation[1:] },
		"search: an optimum of 3 numbers: want one for each of 4":           func(s *Study) { s.Search.Optimum = s.Search.Optimum[1:] },
		"parameter compensator.gain0 has 149 values of 150 candidates":      func(s *Study) { s.Search.Tuned[0].Values = s.Search.Tuned[0].Values[1:] },
		"20 rows of values at 21 × 21 points":                               func(s *Study) { s.Maps[0].Value = s.Maps[0].Value[1:] },
		"a row of 20 values at 21 points":                                   func(s *Study) { s.Maps[0].Value[3] = s.Maps[0].Value[3][1:] },
		"map: compensator.gain1 -1: want numbers in increasing order":       func(s *Study) { s.Maps[0].AtY[0] = -1 },
		"map: compensator.gain0 1: want numbers in increasing order, above": func(s *Study) { s.Maps[0].AtX[1] = 1 },
	} {
		s := madeSearch()
		runs := madeStudy(5, 1, 0, 0)
		s.Inputs, s.Outputs, s.Status = runs.Inputs, runs.Outputs, runs.Status
		change(s)
		_, err := StudyPlots(t.TempDir(), "svg", s)
		if page := StudyPage(io.Discard, s); err == nil || page == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v: want %q", err, want)
		}
	}
}
