package picture

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"rths/kit/rthstest"
	"rths/result/plotting"
)

// madeAdvice has a recommended method, today's, one that failed, and two that did not come to the final runs.
func madeAdvice() *Advice {
	nan := math.NaN()
	values := func(scale float64) (out []float64) {
		for i := range 21 { // 90th percentile: 1.8 scale
			out = append(out, scale*float64(i)/10+1e-3)
		}
		return out
	}
	return &Advice{
		Name: "a frame", Runs: 2635, LagMs: 20, GoodPct: 5, Settings: "compensator: {kind: kf, qf: 0.3}\n",
		Drop: []string{"inner_loop"}, File: "scenario.yaml",
		Sentences: []string{"Take kf (qf 0.3).", "First to fail is more delay."},
		Final: []AdviceRow{
			{Method: "kf, tuned", Settings: "qf 0.3", Recommended: true, Adaptive: true, Runs: 21, Median: 1, P90: 1.8,
				From: 1.5, To: math.Inf(1), Global: 2, Rough: 30, MarginMs: 4, Radius: 0.9999969, Values: values(1)},
			{Method: "inverse, own", Settings: "as in the scenario", Today: true, Runs: 21, Failures: 21, Median: nan,
				P90: math.Inf(1), From: nan, To: math.Inf(1), Global: nan, Rough: 300, MarginMs: nan, Radius: 1.2,
				Reason: "diverged at once", Values: slices.Repeat([]float64{nan}, 21)},
		},
		Others: []AdviceRow{{Method: "pe", Settings: "defaults", Runs: 4, Median: 3, P90: 4, From: nan, To: nan,
			Global: nan, Rough: 10, MarginMs: nan, Radius: 0.9, Note: "without inner_loop"}},
		Selecting: []AdvicePoint{{"kf", true, true, false, 30, 1}, {"inverse", false, false, true, 300, nan},
			{"pe", false, false, false, 10, 3}, {"mbc", false, false, false, 12, 4}, {"pi", false, false, false, 15, 5},
			{"hinf", false, false, true, 1e6, 2}},
		Fails: []AdviceLimit{
			{What: "more delay", Unit: "ms", Bears: 20, Fails: 60, BearsFactor: 2, FailsFactor: 4, Why: "J2_true of 11 %"},
			{What: "a softer specimen", Unit: "times", Bears: 0.25, Fails: math.Inf(1), BearsFactor: 4,
				FailsFactor: math.Inf(1)},
		},
		Misfits: []StudyFact{{"tf", "its numbers are the user's own"}}, Facts: []StudyFact{{"seed", "1"}},
		Notes: []string{"no force_n"},
	}
}

func adviceHTML(t *testing.T, a *Advice) string {
	t.Helper()
	var b bytes.Buffer
	if err := AdvicePage(&b, a); err != nil {
		t.Fatal(err)
	}
	checkAlone(t, b.String())
	return b.String()
}

// The answer comes first, then the settings, tables and pictures in their order; the recommended and
// today's method are marked in words.
func TestAdvicePage(t *testing.T) {
	page := adviceHTML(t, madeAdvice())
	last := -1
	for _, part := range []string{
		`<p class="place virtual"><strong>VIRTUAL</strong>`, "<h1>a frame</h1>",
		"virtual tests: 2635 runs. No real test has been made.", `<p class="answer">Take kf (qf 0.3).</p>`,
		"First to fail is more delay.",
		"The file scenario.yaml beside this page", "Remove the block inner_loop.",
		"<pre>compensator: {kind: kf, qf: 0.3}\n</pre>", "<h2>Final runs</h2>", "kf, tuned (recommended)", "0 of 21",
		"1.800<span class=\"more\">[1.500 or more]</span>", "0.999997",
		"inverse, own (today&#39;s method)", "first failure: diverged at once", "21 of 21",
		"<h2>J2_true of the final runs</h2>", "<h2>What fails first</h2>", "with the lag 20 ms",
		"<h2>How far from failing</h2>", "60.00 ms", "not reached",
		"<h2>Tracking against roughness", "Outside of the picture: inverse (no value), hinf (1.000·10⁶ µm, 2.000 %).",
		"<h2>Other methods</h2>", "defaults; without inner_loop", "How the answer was found", "no force_n",
		"<details>\n<summary>Methods that do not fit (1)",
	} {
		at := strings.Index(page, part)
		if at < 0 || at < last {
			t.Errorf("%q is missing or stands too early", part)
		}
		last = at
	}
	if n := strings.Count(page, "<svg"); n != 3 || n != strings.Count(page, `role="img" aria-label="`) {
		t.Errorf("%d pictures: want 3, each with words", n)
	}
	if page != adviceHTML(t, madeAdvice()) {
		t.Error("the same advice gives other bytes")
	}
}

// Without a good method the remedies stand in place of what fails first, and nothing is recommended.
func TestAdvicePageWithoutWinner(t *testing.T) {
	a := madeAdvice()
	a.Settings, a.Fails, a.Final[0].Recommended = "", nil, false
	a.Remedies = []AdviceRemedy{{What: "twice the rate", Method: "kf", Settings: "defaults", Runs: 16, Failures: 3, P90: 6,
		Why: "spectral radius 1.01"}, {What: "a lag divided by 1.5", Why: "refused", P90: math.NaN()}}
	page := adviceHTML(t, a)
	rthstest.Contains(t, page, "None: no method is good here.", "<h2>What would help</h2>", "spectral radius 1.01",
		"3 of 16", "no change suffices.")
	for _, part := range []string{"What fails first", "(recommended)", "<pre>"} {
		if strings.Contains(page, part) {
			t.Errorf("a page without a recommended method has %q", part)
		}
	}
	a.Remedies[0].Suffices = true
	rthstest.Contains(t, adviceHTML(t, a), "twice the rate suffices.")
}

// An advice that was stopped says so; odd numbers are dashes.
func TestOddAdvices(t *testing.T) {
	stopped := adviceHTML(t, &Advice{Ended: "stopped after 3 runs", Runs: 3})
	rthstest.Contains(t, stopped, "<h1>Advice</h1>", "stopped after 3 runs", "There is no answer")
	if strings.Contains(stopped, "<svg") || strings.Contains(stopped, "Recommended settings") {
		t.Error("a stopped advice has pictures or settings")
	}
	nan, inf := math.NaN(), math.Inf(1)
	odd := madeAdvice()
	odd.GoodPct = 1000
	odd.Final = append(odd.Final, AdviceRow{Method: "none", Runs: 1, Median: 0, P90: 0, From: 0, To: 0, Rough: 0,
		Values: []float64{0, 1e300, -1, inf}})
	odd.Selecting = []AdvicePoint{{"none", true, false, false, 0, 0}, {"a", false, true, true, nan, inf}}
	odd.Fails = []AdviceLimit{{What: "noise", Unit: "times", Bears: 1, Fails: inf, BearsFactor: 1, FailsFactor: inf},
		{What: "delay", Unit: "ms", BearsFactor: nan, FailsFactor: nan, Fails: nan}}
	odd.Remedies = []AdviceRemedy{{What: "x", P90: inf}, {What: "y", P90: 0, Suffices: true}}
	page := adviceHTML(t, odd)
	if regexp.MustCompile(`NaN|[+-]Inf`).MatchString(page) {
		t.Error("the page has a number that is none")
	}
	if _, err := AdvicePlots(t.TempDir(), "", odd); err != nil {
		t.Error(err)
	}
}

func TestAdvicePageEscapes(t *testing.T) {
	evil, long := "<script>alert(1)</script>\x01&\"", strings.Repeat("long.name.", 30)
	a := madeAdvice()
	a.Name, a.Ended, a.Sentences, a.Settings, a.Drop, a.Notes = evil, evil, []string{evil, long}, evil, []string{evil},
		[]string{evil}
	a.Facts, a.Misfits = []StudyFact{{evil, evil}}, []StudyFact{{long, evil}}
	a.Final[0].Method, a.Final[0].Settings, a.Final[1].Method, a.Final[1].Reason, a.Others[0].Note = evil, evil, long,
		evil, evil
	a.Selecting[0].Method, a.Selecting[2].Method = evil, long
	a.Fails[0].What, a.Fails[0].Unit, a.Fails[0].Why = evil, evil, evil
	a.Remedies = []AdviceRemedy{{What: evil, Method: long, Settings: evil, Why: evil, P90: 3}}
	var b bytes.Buffer
	if err := AdvicePage(&b, a); err != nil {
		t.Fatal(err)
	}
	checkAlone(t, strings.ReplaceAll(b.String(), "\x01", "")) // XML knows no such letter, HTML leaves it out
}

// The marks of the 90th percentiles stand where a logarithmic axis has them: 0.1, 1 and 100 are one and
// two decades apart; so are the ends of the interval.
func TestScoresPlaces(t *testing.T) {
	a := &Advice{GoodPct: 5}
	for _, p90 := range []float64{0.1, 1, 100} {
		a.Final = append(a.Final, AdviceRow{Method: "kf", Runs: 9, P90: p90, From: p90 / 10, To: 10 * p90,
			Values: []float64{p90}})
	}
	svg := drawn(a.scores(), 0)
	x, y := centres(svg, plotting.Ink)
	if len(x) != 3 {
		t.Fatalf("%d diamonds: want 3", len(x))
	}
	near(t, "two decades over one", (x[2]-x[1])/(x[1]-x[0]), 2, 0.01)
	if !(y[0] < y[1] && y[1] < y[2]) && !(y[0] > y[1] && y[1] > y[2]) {
		t.Errorf("rows at %v: want their order", y)
	}
	decade := x[1] - x[0]
	bars := strokes(svg, plotting.Vermillion)
	if len(bars) != 3 {
		t.Fatalf("%d intervals: want 3", len(bars))
	}
	for i, bar := range bars {
		near(t, "interval, decades to the left", (x[i]-bar[0])/decade, 1, 0.01)
		near(t, "interval, decades to the right", (bar[1]-x[i])/decade, 1, 0.01)
	}
	rthstest.Contains(t, a.scores().caption, "Dashed line: 5 %")
}

// centres are the centres of the four-cornered marks of a colour.
func centres(svg, colour string) (x, y []float64) {
	for _, r := range rectangles(svg, colour) { // the first and the third corner of a diamond lie on its level
		x, y = append(x, float64(r.Min.X+r.Max.X)/2), append(y, float64(r.Min.Y+r.Max.Y)/2)
	}
	return x, y
}

// strokes are the left and right ends of the straight lines of a colour.
func strokes(svg, colour string) (out [][2]float64) {
	for _, m := range regexp.MustCompile(`<path d="M([0-9.]+),[0-9.]+L([0-9.]+),[0-9.]+"\s*style="[^"]*stroke:`+
		colour).FindAllStringSubmatch(svg, -1) {
		from, _ := strconv.ParseFloat(m[1], 64)
		to, _ := strconv.ParseFloat(m[2], 64)
		out = append(out, [2]float64{from, to})
	}
	return out
}

// The bar of a direction is as long as the logarithm of its factor: borne up to 2, failing at 4, and
// borne up to 4 without a failure.
func TestFailingBars(t *testing.T) {
	svg := drawn(madeAdvice().failing(), 0)
	dark, pale := rectangles(svg, plotting.Colours[0]), rectangles(svg, plotting.Box)
	if len(dark) != 3 || len(pale) != 1 { // two bars and a point
		t.Fatalf("%d dark bars, %d pale: want 3 and 1", len(dark), len(pale))
	}
	octave := float64(dark[0].Size().X)
	near(t, "pale, octaves", float64(pale[0].Size().X)/octave, 1, 0.01)
	near(t, "borne without failure, octaves", float64(dark[1].Size().X)/octave, 2, 0.01)
	if crosses := subpaths(svg, "stroke:"+plotting.Failed); crosses != 2 {
		t.Errorf("%d strokes of crosses: want one cross", crosses)
	}
	rthstest.Contains(t, svg, "tolerates 20, fails at 60 ms", "no failure up to 0.25 times")
}

// A remedy below the limit has its bar to the left of the line, one above to the right.
func TestRemedyBars(t *testing.T) {
	a := &Advice{GoodPct: 5, Remedies: []AdviceRemedy{{What: "a", P90: 0.5, Suffices: true}, {What: "b", P90: 50}}}
	bars := rectangles(drawn(a.remedies(), 0), plotting.Box)
	if len(bars) != 2 {
		t.Fatalf("%d bars: want 2", len(bars))
	}
	near(t, "the line", float64(bars[0].Max.X), float64(bars[1].Min.X), printed)
	near(t, "a decade on both sides", float64(bars[0].Size().X), float64(bars[1].Size().X), 2*printed)
}

// Methods that adapt are triangles, the others circles, in the colours of the methods; empty marks have failed runs.
func TestTradeOffMarks(t *testing.T) {
	a := &Advice{Selecting: []AdvicePoint{{"kf", false, true, false, 1, 1}, {"kf, tuned", false, true, true, 2, 2},
		{"amb", false, false, false, 3, 3}, {"amb, tuned", false, false, true, 4, 1.5}}}
	svg := drawn(a.tradeOff(), 0)
	if filled, open := subpaths(svg, "fill:"+plotting.Colours[1]),
		subpaths(svg, "stroke:"+plotting.Colours[1]); filled != 1 || open != 1 {
		t.Errorf("%d filled triangles, %d outlines: want 1 and 1", filled, open)
	}
	if filled, rings := subpaths(svg, "fill:"+plotting.Colours[0]),
		subpaths(svg, "stroke:"+plotting.Colours[0]); filled != 1 || rings != 2 {
		t.Errorf("%d filled circles, %d outlines: want 1 and 2", filled, rings)
	}
	rthstest.Contains(t, svg, ">kf<", ">kf, tuned<", ">amb<", ">amb, tuned<", "of 4 methods, of which 2 adapt")
}

// Labels cover no mark and no other label, and stay in the picture: of 30 methods anywhere, and of 12 in one place.
func TestPlaceLabels(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	area := vg.Rectangle{Max: vg.Point{X: 270, Y: 240}}
	for round := range 20 {
		n, spread := 30, 1.0
		if round%2 == 1 {
			n, spread = 12, 0.02
		}
		at, sizes := make([]vg.Point, n), make([]vg.Point, n)
		for i := range at {
			place := func(length vg.Length) vg.Length { return length * vg.Length(0.5+0.9*spread*(random.Float64()-0.5)) }
			at[i] = vg.Point{X: place(area.Max.X), Y: place(area.Max.Y)}
			sizes[i] = vg.Point{X: vg.Length(15 + 45*random.Float64()), Y: 8}
		}
		labels := placeLabels(area, at, sizes, func(i int) bool { return i == 7 })
		for i, r := range labels {
			if cover(r, labels) > sizes[i].X*sizes[i].Y*(1+1e-9) {
				t.Errorf("round %d: label %d covers another", round, i)
			}
			for _, p := range at {
				if cover(r, []vg.Rectangle{around(p, markRadius)}) > 0 {
					t.Errorf("round %d: label %d covers a mark", round, i)
				}
			}
			if r.Min.X < 0 || r.Min.Y < 0 || r.Max.X > area.Max.X || r.Max.Y > area.Max.Y {
				t.Errorf("round %d: label %d is outside: %v", round, i, r)
			}
		}
	}
}

func TestAdvicePlots(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plots")
	paths, err := AdvicePlots(dir, "svg", madeAdvice())
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
		checkXML(t, string(content))
	}
	if got := fmt.Sprint(names); got != "[final.svg fails-first.svg tracking-roughness.svg]" {
		t.Errorf("files %s", got)
	}
	if _, err := AdvicePlots(dir, "gif", madeAdvice()); err == nil || !strings.Contains(err.Error(), "want png or svg") {
		t.Errorf("format gif: %v", err)
	}
}
