package picture

import (
	"math"
	"slices"
	"strings"
	"testing"

	"rths/campaign/advice"
	"rths/campaign/study"
	"rths/kit/rthstest"
	"rths/scenario"
)

var advised = rthstest.FirstOrder(2)

func asked(t *testing.T, sets ...string) *advice.Advice {
	t.Helper()
	with := rthstest.Must(scenario.NewTemplate("test.yaml", []byte(advised), ".", sets))
	a := rthstest.Must(advice.New(t.Context(), study.NewBench(""),
		advice.Question{Template: with, Seed: 1, GoodPct: advice.DefaultGoodPct}))
	a.Methods = slices.DeleteFunc(a.Methods, func(m *advice.Method) bool {
		return slices.Contains([]string{"hinf", "mpc", "msmc", "adm-msmc"}, m.Name) // their designs take longer than runs
	})
	if err := a.Allot(2400); err != nil {
		t.Fatal(err)
	}
	return a
}

// The page has the numbers of the tables and of the runs, and its settings, pasted in place of the
// scenario's compensator, make the recommended scenario.
func TestPageOfAdvice(t *testing.T) {
	rthstest.Long(t)
	a := asked(t)
	if err := a.Run(t.Context(), study.Workers(2), nil); err != nil {
		t.Fatal(err)
	}
	r := a.Result(t.Context())
	p := rthstest.Must(OfAdvice(t.Context(), a, r))
	if len(p.Final) != len(r.Table) || len(p.Selecting) != len(r.Table)+len(r.Others) || len(p.Fails) != len(r.Fails) ||
		len(p.Fails) == 0 {
		t.Fatalf("%d rows, %d points, %d directions", len(p.Final), len(p.Selecting), len(p.Fails))
	}
	for i, row := range p.Final {
		if row.Recommended != (i == slices.Index(a.Ranked, a.Winner)) ||
			row.Today != (r.Table[i].Settings == advice.OwnMethod) || len(row.Values) != row.Runs {
			t.Errorf("row %+v", row)
		}
		sorted := slices.Clone(row.Values) // the 90th percentile between the two values next to 0.9 (n − 1), in four digits
		slices.Sort(sorted)
		at := 0.9 * float64(len(sorted)-1)
		low := sorted[int(at)]
		want := low + (at-math.Floor(at))*(sorted[min(int(at)+1, len(sorted)-1)]-low)
		if !slices.ContainsFunc(sorted, math.IsNaN) && math.Abs(row.P90/want-1) > 5e-4 {
			t.Errorf("%s: 90th percentile %g, of the runs %g", row.Method, row.P90, want)
		}
	}
	for _, f := range p.Fails {
		if !(f.BearsFactor >= 1 && f.FailsFactor > f.BearsFactor) {
			t.Errorf("%s: factors %g and %g: want 1 or more, rising", f.What, f.BearsFactor, f.FailsFactor)
		}
	}
	pasted := rthstest.Must(rthstest.Must(scenario.Parse("pasted.yaml", []byte(advised+p.Settings), ".",
		nil)).Build(t.Context(), scenario.Options{}))
	_, recommended, _ := strings.Cut(rthstest.Must(a.Recommended(t.Context(), ".")), "name:")
	if got := rthstest.Must(pasted.Scenario.YAML()); !strings.HasSuffix(got, recommended) {
		t.Errorf("pasted:\n%s\nrecommended:\n%s", got, recommended)
	}
}

// An advice that was stopped has a page, whatever the scenario's name.
func TestPageOfStoppedAdvice(t *testing.T) {
	a := asked(t, `name="<script>alert(1)</script>"`)
	p := rthstest.Must(OfAdvice(t.Context(), a, a.Result(t.Context())))
	p.Ended = "stopped by the user after 0 runs"
	var b strings.Builder
	if err := AdvicePage(&b, p); err != nil {
		t.Fatal(err)
	}
	if names, err := AdvicePlots(t.TempDir(), "svg", p); err != nil || len(names) > 0 {
		t.Errorf("pictures %v, %v: want none", names, err)
	}
	page := b.String()
	if strings.Contains(page, "<script") || !strings.Contains(page, "stopped by the user after 0 runs") ||
		!strings.Contains(page, "There is no answer") {
		t.Errorf("page %s", page)
	}
}

// A delay of half the lag makes the test 1.5 times harder, a quarter of the stiffness 4 times.
func TestHardness(t *testing.T) {
	for _, c := range []struct {
		unit        string
		level, want float64
	}{{"ms", 0, 1}, {"ms", 10, 1.5}, {"times", 1, 1}, {"times", 0.25, 4}, {"times", 3, 3},
		{"ms", math.Inf(1), math.Inf(1)}, {"times", math.Inf(1), math.Inf(1)}} {
		if got := hardness(c.unit, 0.02, c.level); got != c.want {
			t.Errorf("%g %s: %g, want %g", c.level, c.unit, got, c.want)
		}
	}
}

// A method that stands once in a picture has its bare name.
func TestShorten(t *testing.T) {
	points := []AdvicePoint{{Method: "kf, tuned"}, {Method: "pe"}, {Method: "pe, tuned"}, {Method: "adm, own"}}
	shorten(points)
	var got []string
	for _, p := range points {
		got = append(got, p.Method)
	}
	if want := []string{"kf", "pe", "pe, tuned", "adm"}; !slices.Equal(got, want) {
		t.Errorf("names %q: want %q", got, want)
	}
}
