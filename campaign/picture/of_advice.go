package picture

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"strings"

	"rths"
	"rths/campaign/advice"
	"rths/result/record"
)

// OfAdvice is what is drawn of an advice with its result. Whoever made it adds how it ended, and with which program.
func OfAdvice(ctx context.Context, a *advice.Advice, out *advice.Result) (*Advice, error) {
	p := &Advice{Name: out.Name, Runs: out.Done, Sentences: out.Sentences, GoodPct: out.GoodPct, LagMs: 1e3 * a.Lag(ctx),
		Notes: out.Notes, Facts: factsOfAdvice(a, out)}
	var err error
	if a.Winner != nil {
		p.Settings, p.Drop, err = a.Block(ctx)
	}
	for i, c := range a.Ranked {
		row := drawnRow(&out.Table[i])
		row.Recommended, row.Values = c == a.Winner, c.Final()
		selected := c.Selected()
		p.Final = append(p.Final, row)
		p.Selecting = append(p.Selecting, drawnPoint(&selected, row.Recommended))
	}
	for i := range out.Others {
		p.Others = append(p.Others, drawnRow(&out.Others[i]))
		p.Selecting = append(p.Selecting, drawnPoint(&out.Others[i], false))
	}
	shorten(p.Selecting)
	for _, f := range out.Fails {
		bears, fails := hardness(f.Unit, a.Lag(ctx), float64(f.Bears)), hardness(f.Unit, a.Lag(ctx), float64(f.Fails))
		p.Fails = append(p.Fails, AdviceLimit{What: f.What, Unit: f.Unit, Bears: float64(f.Bears), Fails: float64(f.Fails),
			BearsFactor: bears, FailsFactor: fails, Why: f.Why})
	}
	for _, m := range out.Remedies {
		p.Remedies = append(p.Remedies, AdviceRemedy{What: m.What, Method: m.Method, Settings: m.Settings, Runs: m.N,
			Failures: m.Failures, P90: float64(m.P90), Suffices: m.Suffices, Why: m.Why})
	}
	for _, m := range out.Misfits {
		p.Misfits = append(p.Misfits, StudyFact{Name: m.Kind, Value: m.Reason})
	}
	return p, err
}

// OfAnswer is what is drawn of an advice with its answer: how it ended, and with which program, too.
func OfAnswer(ctx context.Context, a *advice.Advice, out *advice.Answer) (*Advice, error) {
	p, err := OfAdvice(ctx, a, out.Result)
	if err != nil {
		return nil, err
	}
	if out.Status != rths.Completed {
		p.Ended = fmt.Sprintf("The work has not come to its end: %s.", out.Reason)
	}
	if out.Scenario != "" {
		p.File = filepath.Base(out.Scenario)
	}
	p.Facts = append(p.Facts,
		StudyFact{Name: "wall time", Value: fmt.Sprintf("%s s, %d workers", record.Text("%.3g", out.WallS), out.Workers)},
		StudyFact{Name: "program", Value: out.Version + " · " + runtime.Version()},
	)
	return p, nil
}

// hardness is how much harder a level makes the test, 1 for the scenario as it is: of delay, ms, the
// lag with it over the lag alone, s; of a factor, the factor or its inverse.
func hardness(unit string, lag, level float64) float64 {
	if unit == "ms" {
		return 1 + level/1e3/lag
	}
	return math.Max(level, 1/level)
}

// drawnRow is a row of a table.
func drawnRow(r *advice.Row) AdviceRow {
	return AdviceRow{Method: titled(r), Settings: r.Settings, Today: r.Settings == advice.OwnMethod, Adaptive: r.Adaptive,
		Runs: r.N, Failures: r.Failures,
		Median: float64(r.Median), P90: float64(r.P90), From: float64(r.From), To: float64(r.To), Global: float64(r.Global),
		Rough:    float64(r.Rough),
		MarginMs: float64(r.MarginMs), Radius: float64(r.Radius), Reason: r.FirstReason, Note: r.Note}
}

// drawnPoint is a row by the runs for selecting as a mark of a
func drawnPoint(r *advice.Row, recommended bool) AdvicePoint {
	return AdvicePoint{Method: titled(r), Recommended: recommended, Adaptive: r.Adaptive, Failed: r.Failures > 0,
		Rough: float64(r.Rough), J2: float64(r.Median)}
}

// shorten leaves the word on the settings out where a method stands once.
func shorten(points []AdvicePoint) {
	kind := func(p AdvicePoint) string { name, _, _ := strings.Cut(p.Method, ","); return name }
	times := map[string]int{}
	for _, p := range points {
		times[kind(p)]++
	}
	for i, p := range points {
		if times[kind(p)] == 1 {
			points[i].Method = kind(p)
		}
	}
}

// titled is a method with a word on its settings.
func titled(r *advice.Row) string {
	switch r.Settings {
	case advice.OwnMethod:
		return r.Method + ", own"
	case "defaults":
		return r.Method
	}
	return r.Method + ", tuned"
}

// factsOfAdvice say how the answer was found.
func factsOfAdvice(a *advice.Advice, out *advice.Result) []StudyFact {
	b := out.Budget
	tuned := "no method has keys to tune"
	if b.Candidates > 1 {
		tuned = fmt.Sprintf(
			"at most %d runs; %d settings of each method, of which the better half goes on with twice the runs, from %d "+
				"runs on; %s", b.Tuning, b.Candidates, b.First, out.Motions[0])
	}
	good := fmt.Sprintf("none of the final runs fails, and 9 of 10 have a J2_true up to %.4g %%", out.GoodPct)
	if out.RoughUm > 0 {
		good += fmt.Sprintf("; a run fails when its command is rougher than %.4g µm", out.RoughUm)
	}
	return []StudyFact{
		{Name: "a good method", Value: good},
		{Name: "virtual tests", Value: fmt.Sprintf("%d runs of at most %d", out.Done, b.Runs)},
		{Name: "plants", Value: out.Scatter +
			"; each run has a plant and a seed of its own, and no two of tuning, selecting and final runs share them"},
		{Name: "tuning", Value: tuned},
		{Name: "selecting",
			Value: fmt.Sprintf("at most %d runs of the defaults and the tuned settings of all methods, and more of the best; %s",
				b.Selecting, out.Motions[1])},
		{Name: "final runs", Value: fmt.Sprintf("at most %d runs, of which %d show what fails first or what would help; %s",
			b.Final, b.Failing, out.Motions[2])},
		{Name: "methods", Value: fmt.Sprintf("%d fit, %d do not", len(a.Methods)-1, len(a.Misfits))},
		{Name: "seed", Value: fmt.Sprint(out.Seed)},
	}
}
