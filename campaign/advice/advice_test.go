package advice

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"rths"
	"rths/campaign/study"
	"rths/kit/rthstest"
	"rths/method/compensate"
	"rths/scenario"
)

func TestMain(m *testing.M) {
	rthstest.FewCollections()
	m.Run()
}

var firstOrder = rthstest.FirstOrder(2)

func asked(t testing.TB, text string, sets ...string) *Advice {
	t.Helper()
	return rthstest.Must(New(t.Context(), study.NewBench(""),
		Question{Template: template(t, text, sets...), Seed: 1, GoodPct: DefaultGoodPct}))
}

// quick leaves out the methods whose design takes longer than the run.
func quick(a *Advice) *Advice {
	a.Methods = slices.DeleteFunc(a.Methods, func(m *Method) bool {
		return slices.Contains([]string{"hinf", "mpc", "msmc", "adm-msmc"}, m.Name)
	})
	return a
}

func template(t testing.TB, text string, sets ...string) *scenario.Template {
	t.Helper()
	return rthstest.Must(scenario.NewTemplate("test.yaml", []byte(text), ".", sets))
}

func advised(t *testing.T, a *Advice, by study.Executor) *Result {
	t.Helper()
	rthstest.Long(t)
	if err := a.Allot(2400); err != nil {
		t.Fatal(err)
	}
	if err := a.Run(t.Context(), by, nil); err != nil {
		t.Fatal(err)
	}
	return a.Result(t.Context())
}

// few is little advice on firstOrder by two workers. Tests compare others with it, and leave it as it is.
func few(t *testing.T) (*Advice, *Result) {
	t.Helper()
	rthstest.Long(t)
	fewOnce.Do(func() {
		fewMade.a = quick(asked(t, firstOrder))
		fewMade.r = little(t, fewMade.a, study.Workers(2))
	})
	return fewMade.a, fewMade.r
}

var (
	fewOnce sync.Once
	fewMade struct {
		a *Advice
		r *Result
	}
)

// little is advice of few runs, for what does not depend on their number.
func little(t *testing.T, a *Advice, by study.Executor) *Result {
	t.Helper()
	rthstest.Long(t)
	a.Budget = Budget{Runs: 800, Tuning: 480, Selecting: 120, Final: 200, Failing: 120, Candidates: 4, First: 2}
	if err := a.Run(t.Context(), by, nil); err != nil {
		t.Fatal(err)
	}
	return a.Result(t.Context())
}

func jsonOf(t testing.TB, v any) string {
	t.Helper()
	return string(rthstest.Must(json.MarshalIndent(v, "", " ")))
}

// On plants of first order whose delays scatter, the inverse of first order whose delay follows is recommended before
// the one whose delay is fixed; the sentences' numbers are those of the table.
func TestPlantedWinner(t *testing.T) {
	rthstest.Full(t) // the script advise has the same winner
	a := asked(t, firstOrder)
	r := advised(t, a, study.Workers(2))
	if r.Recommended == nil || r.RunnerUp == nil || r.Recommended.Method != "wfei" || r.RunnerUp.Method != "inverse" {
		t.Fatalf("recommended %s: want wfei before inverse\n%s", jsonOf(t, r.Recommended), strings.Join(r.Sentences, "\n"))
	}
	if r.Done > a.Budget.Runs {
		t.Errorf("%d runs of a budget of %d", r.Done, a.Budget.Runs)
	}
	numbersOfSentences(t, r)
	s := rthstest.Must(a.Recommended(t.Context(), "."))
	with := rthstest.Must(scenario.Parse("winner.yaml", []byte(s), ".", []string{"perturbed=1"}))
	run := rthstest.Must(with.Build(t.Context(), scenario.Options{}))
	if status, why := run.Status(run.Loop.Run(0, nil)); status != "completed" {
		t.Errorf("the recommended scenario: %s, %s", status, why)
	}
}

// One worker gives the answer of two.
func TestWorkersAgree(t *testing.T) {
	one := little(t, quick(asked(t, firstOrder)), study.Workers(1))
	_, two := few(t)
	if jsonOf(t, one) != jsonOf(t, two) {
		t.Error("one worker gives another answer than two")
	}
	numbersOfSentences(t, two)
}

// numbersOfSentences wants every number of the sentences to be one of the JSON, or a constant of the wording.
func numbersOfSentences(t *testing.T, r *Result) {
	t.Helper()
	known := map[float64]bool{90: true, 95: true, r.GoodPct: true}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case float64:
			known[v] = true
		case string:
			for _, text := range regexp.MustCompile(`-?\d+(\.\d+)?(e[-+]\d+)?`).FindAllString(v, -1) {
				x, _ := strconv.ParseFloat(text, 64)
				known[x] = true
			}
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for key, e := range v {
				if key != "sentences" {
					walk(e)
				}
			}
		}
	}
	var all any
	if err := json.Unmarshal([]byte(jsonOf(t, r)), &all); err != nil {
		t.Fatal(err)
	}
	walk(all)
	found := 0
	for _, sentence := range r.Sentences {
		for _, text := range regexp.MustCompile(`-?\d+(\.\d+)?(e[-+]\d+)?`).FindAllString(sentence, -1) {
			found++
			if x, _ := strconv.ParseFloat(text, 64); !known[x] {
				t.Errorf("%s of %q is no number of the JSON", text, sentence)
			}
		}
	}
	if len(r.Sentences) != 2 || found < 8 {
		t.Errorf("%d numbers in %q", found, r.Sentences)
	}
}

// A soft structure on a stiff specimen whose actuator lags by a quarter of a second: no method is
// good, and the remedies were tried by runs.
func TestHopeless(t *testing.T) {
	r := little(t, quick(asked(t, firstOrder,
		"transfer={kind: delay, delay_ms: 250}", "scatter={transfer.delay_ms: {kind: uniform, from: 180, to: 320}}",
		"rate_hz=128", "specimen.stiffness=30000", "structure.frequency_hz=1.5")), study.Workers(2))
	if r.Recommended != nil {
		t.Fatalf("recommended %s", jsonOf(t, r.Recommended))
	}
	if !strings.Contains(jsonOf(t, r), `"recommended": null`) ||
		!strings.HasPrefix(r.Sentences[0], "No method is good here") {
		t.Errorf("sentences %q", r.Sentences)
	}
	if len(r.Remedies) != 3 {
		t.Fatalf("%d remedies: want 3", len(r.Remedies))
	}
	for _, m := range r.Remedies {
		if m.Suffices != (m.Why == "") || m.N == 0 && m.Method != "" {
			t.Errorf("remedy %+v", m)
		}
	}
	numbersOfSentences(t, r)
}

// An actuator so slow that twice the rate does not help, and so little too slow that a lag divided by
// 1.5 does: the remedy is found by its runs.
func TestRemedySuffices(t *testing.T) {
	a := asked(t, firstOrder)
	if err := a.Allot(2400); err != nil {
		t.Fatal(err)
	}
	// Nothing but "none" may answer: of a lag of 12 ms its J2 is some 10 %, which falls with the lag.
	for _, m := range a.Methods {
		if m.Kind == "none" {
			a.Methods = []*Method{a.Methods[0]}
		}
	}
	champions := a.Methods[0].Candidates
	ctx := t.Context()
	if err := a.evaluate(ctx, study.Workers(2), final, champions, 20, nil); err != nil {
		t.Fatal(err)
	}
	a.Ranked = champions
	a.GoodPct = score(champions[0].trials[final]).P90 / 1.25
	if err := a.remedies(ctx, study.Workers(2), nil); err != nil {
		t.Fatal(err)
	}
	var got []bool
	for _, r := range a.Remedies {
		got = append(got, r.Suffices)
	}
	if !slices.Equal(got[:2], []bool{false, true}) {
		t.Errorf("sufficing %v: want no for twice the rate, and yes for a lag divided by 1.5: %+v", got, a.Remedies)
	}
	a.settled = true
	if text := a.Result(t.Context()).second(); !strings.HasPrefix(text, "A lag divided by 1.5 suffices") {
		t.Errorf("sentence %q", text)
	}
}

// cheat is an executor whose runs of one kind are perfect under the conditions of tuning, and bad under others.
type cheat struct {
	study.Executor
	kind string
	seen map[string]bool // seeds of the stream tuning
}

func (c cheat) Make(ctx context.Context, b *study.Bench, jobs study.Jobs, keep func(study.Row) error) error {
	return c.Executor.Make(ctx, b, jobs, func(row study.Row) error {
		text := fmt.Sprint(jobs.Settings(row.Run))
		if !strings.Contains(text, "kind: "+c.kind+"}") && !strings.Contains(text, "kind: "+c.kind+",") {
			return keep(row)
		}
		j2 := 30.0
		for _, s := range jobs.Settings(row.Run) {
			if s.Key == "seed" && c.seen[s.Value()] {
				j2 = 1e-6
			}
		}
		row.Status = rths.Completed
		for i, v := range row.Values {
			if v.Name == "J2_true_pct" {
				row.Values[i].V = j2
			}
		}
		return keep(row)
	})
}

// A method that has learnt the tuning by heart is not recommended.
func TestMemoryIsNoAdvice(t *testing.T) {
	a := quick(asked(t, firstOrder))
	seen := map[string]bool{}
	for i := range 2000 {
		seen[a.condition(tuning, i)[0].Value()] = true
	}
	r := little(t, a, cheat{study.Workers(2), "inverse", seen})
	if r.Recommended == nil || r.Recommended.Method == "inverse" {
		t.Errorf("recommended %s", jsonOf(t, r.Recommended))
	}
	for _, row := range append(r.Table, r.Others...) {
		if row.Method == "inverse" && !(row.P90 >= 29) {
			t.Errorf("inverse is judged by the tuning: %s", jsonOf(t, row))
		}
	}
}

// Other seeds of selecting and final runs leave what was tuned as it is, to the bit.
func TestHeldSeedsTuneNothing(t *testing.T) {
	var tuned [2]string
	var finals [2]float64
	for i := range tuned {
		a, r := few(t)
		if i == 1 {
			a = quick(asked(t, firstOrder))
			a.held = 42
			r = little(t, a, study.Workers(2))
		}
		finals[i] = float64(r.Table[0].Median)
		for _, m := range a.Methods {
			for _, c := range ranked(m.Candidates, tuning) {
				tuned[i] += fmt.Sprintln(m.Name, c.Values, c.Settings, len(c.trials[tuning]), c.trials[tuning])
			}
		}
	}
	if tuned[0] != tuned[1] {
		t.Error("the tuned settings depend on the held seeds")
	}
	if finals[0] == finals[1] {
		t.Error("other held seeds give the same final runs")
	}
}

// The answer does not depend on the order of the table of compensators.
func TestOrderOfCandidates(t *testing.T) {
	_, r := few(t)
	want := jsonOf(t, r)
	kinds := slices.Clone(compensate.Kinds)
	defer copy(compensate.Kinds, kinds)
	slices.Reverse(compensate.Kinds)
	got := little(t, quick(asked(t, firstOrder)), study.Workers(2))
	slices.Reverse(got.Misfits[:len(got.Misfits)-1]) // a list of the table, chain last
	if jsonOf(t, got) != want {
		t.Errorf("another order of the table, another answer:\n%s\n%s", jsonOf(t, got), want)
	}
}

// No condition of one stream is one of another.
func TestStreamsAreDisjoint(t *testing.T) {
	a := asked(t, firstOrder, "ground={kind: sine, frequency_hz: 1, amplitude_m_s2: 0.980665, duration_s: 4}")
	seen, motions := map[string]int{}, map[string]bool{}
	for stream := range streams {
		motions[fmt.Sprint(a.Motions[stream].settings)] = true
		for i := range 5000 {
			seed := a.condition(stream, i)[0].Value()
			if before, ok := seen[seed]; ok {
				t.Fatalf("seed %s is in the streams %d and %d", seed, before, stream)
			}
			seen[seed] = stream
		}
	}
	if len(motions) != 2 {
		t.Errorf("motions %v: want the sine for tuning, and Clough–Penzien motions for the others", motions)
	}
	peak := rthstest.Must(rthstest.Must(a.Template.With(a.condition(final, 3)...)).Shake("")).Motion.PGA()
	if math.Abs(peak/(0.1*9.80665)-1) > 1e-9 {
		t.Errorf("the final motions have a peak of %g m/s²: want the sine's", peak)
	}
}

// Without scatter there is no advice, and the example in the message is one.
func TestNoScatter(t *testing.T) {
	_, err := New(t.Context(), study.NewBench(""), Question{Template: template(t, firstOrder, "scatter="), Seed: 1,
		GoodPct: 5})
	if err == nil || !strings.Contains(err.Error(), "scatter:\n") {
		t.Fatalf("error %v: want an example of a block scatter", err)
	}
	_, example, _ := strings.Cut(err.Error(), "as in\n")
	with := strings.Replace(firstOrder, "scatter:\n  transfer.tau_ms: {kind: normal, mean: 12, sd: 0.0001}", example, 1)
	if !strings.Contains(with, "specimen.stiffness: {kind: normal, mean: 8000, sd: 400}") {
		t.Errorf("example %q", example)
	}
	asked(t, with)
}
