package advice

import (
	"context"
	"fmt"
	"math"
	"strings"

	"rths/result/record"
)

// Result is the answer, for JSON, tables and pages. Numbers that do not exist are null.
type Result struct {
	Name        string        `json:"name"`
	Scatter     string        `json:"scatter"`
	Motions     []string      `json:"motions"` // of the streams tuning, selecting and final
	Seed        uint64        `json:"seed"`
	GoodPct     float64       `json:"good_pct"`
	RoughUm     float64       `json:"rough_um"` // 0: any
	Budget      Budget        `json:"budget"`
	Done        int           `json:"runs_done"`
	Recommended *Row          `json:"recommended"` // null: no method is good
	RunnerUp    *Row          `json:"runner_up"`   // the best of another method
	Today       *Row          `json:"today"`       // the scenario's own method
	Sentences   []string      `json:"sentences"`
	Table       []Row         `json:"table"`  // judged on the final stream, the best first
	Others      []Row         `json:"others"` // of the methods not judged there, the best by the stream selecting
	Fails       []FailingRow  `json:"fails"`  // how far the recommended method is from failing, the nearest first
	Remedies    []RemedyRow   `json:"remedies"`
	Misfits     []Misfit      `json:"misfits"`
	LagMs       record.Number `json:"lag_ms"` // of the actuators; 0: not asked for
	Notes       []string      `json:"notes"`

	best    *Row   // of the final runs
	tie     string // why the recommended method comes before the runner-up, where their scores tie
	settled bool   // what fails first, or what would help, was tried to its end
}

// Row is a candidate in a table.
type Row struct {
	Method      string        `json:"method"` // kind
	Recommended bool          `json:"recommended"`
	Settings    string        `json:"settings"` // default, own, or the tuned values
	Adaptive    bool          `json:"adaptive"`
	N           int           `json:"n"`
	Failures    int           `json:"failures"`
	Valued      int           `json:"n_with_J2_true"` // that median and percentile are of
	Median      record.Number `json:"J2_true_median_pct"`
	P90         record.Number `json:"J2_true_p90_pct"`
	From        record.Number `json:"J2_true_p90_from_pct"` // where the 90th percentile of n further runs lies with 95 %
	To          record.Number `json:"J2_true_p90_to_pct"`
	Global      record.Number `json:"global_error_median_pct"` // against the undivided structure
	Rough       record.Number `json:"roughness_median_um"`
	MarginMs    record.Number `json:"delay_margin_ms"` // of the nominal loop at rest
	Radius      record.Number `json:"radius_max"`
	FirstReason string        `json:"first_failure"`
	Note        string        `json:"note,omitempty"`
}

// FailingRow is one direction in which the recommended method fails.
type FailingRow struct {
	What  string        `json:"what"`
	Unit  string        `json:"unit"`
	Bears record.Number `json:"bears"`
	Fails record.Number `json:"fails"` // null: not up to the farthest that was tried, which bears is
	Why   string        `json:"why"`
	Runs  int           `json:"runs"` // at each step
}

// RemedyRow is a change of the test that was tried.
type RemedyRow struct {
	What     string        `json:"what"`
	Method   string        `json:"method"`
	Settings string        `json:"settings"`
	N        int           `json:"n"`
	Failures int           `json:"failures"`
	P90      record.Number `json:"J2_true_p90_pct"`
	Suffices bool          `json:"suffices"`
	Why      string        `json:"why"`
}

// Result is what the runs so far show.
func (a *Advice) Result(ctx context.Context) *Result {
	r := &Result{Name: a.base.Scenario.Name, Scatter: a.Scatter, Seed: a.Seed, GoodPct: a.GoodPct, RoughUm: a.RoughUm,
		Budget: a.Budget, Done: a.Done,
		Sentences: []string{}, Table: []Row{}, Others: []Row{}, Fails: []FailingRow{}, Remedies: []RemedyRow{},
		Misfits: a.Misfits, Notes: append([]string{}, a.Notes...)}
	for _, m := range a.Motions {
		r.Motions = append(r.Motions, m.Says)
	}
	first := a.Winner
	if first == nil && len(a.Ranked) > 0 {
		first = a.Ranked[0]
	}
	for _, c := range a.Ranked {
		row := newRow(c, final)
		row.Recommended = c == a.Winner
		r.Table = append(r.Table, row)
		switch {
		case c == a.Winner:
			r.Recommended = &row
		case r.RunnerUp == nil && c.Method != first.Method:
			r.RunnerUp, r.tie = &row, a.tie(c)
		}
		if c.Label == labelOwn {
			r.Today = &row
		}
		if r.best == nil {
			r.best = &row
		}
	}
	r.settled = a.settled
	if len(a.Ranked) > 0 && a.Winner == nil {
		r.LagMs = rounded(1e3 * a.Lag(ctx))
	}
	r.others(a)
	for _, f := range a.Failures {
		r.Fails = append(r.Fails, FailingRow{f.What, f.Unit, rounded(f.Bears), rounded(f.Fails), f.Why, f.Runs})
	}
	for _, m := range a.Remedies {
		row := RemedyRow{What: m.What, N: m.Score.N, Failures: m.Score.Failures, P90: rounded(m.Score.P90),
			Suffices: m.Suffices, Why: m.Why}
		if m.Best != nil {
			row.Method, row.Settings = m.Best.Method.Kind, settingsOf(m.Best)
		} else {
			row.P90 = record.Number(math.NaN())
		}
		r.Remedies = append(r.Remedies, row)
	}
	if len(r.Table) > 0 {
		r.Sentences = []string{r.first(), r.second()}
	}
	return r
}

// others has the best candidate of every method that did not come to the final stream.
func (r *Result) others(a *Advice) {
	judged := map[*Method]bool{}
	for _, c := range a.Ranked {
		judged[c.Method] = true
	}
	var rest []*Candidate
	for _, m := range a.Methods {
		var met []*Candidate
		for _, c := range m.Candidates {
			if len(c.trials[selecting]) > 0 {
				met = append(met, c)
			}
		}
		if !judged[m] && len(met) > 0 {
			rest = append(rest, ranked(met, selecting)[0])
		}
	}
	for _, c := range ranked(rest, selecting) {
		row := newRow(c, selecting)
		row.From, row.To = record.Number(math.NaN()), record.Number(math.NaN())
		r.Others = append(r.Others, row)
	}
}

// newRow is a candidate in a stream.
func newRow(c *Candidate, stream int) Row {
	trials := c.trials[stream]
	s := score(trials)
	from, to := interval(trials)
	row := Row{Method: c.Method.Kind, Settings: settingsOf(c), Adaptive: c.Method.Adaptive, N: s.N, Failures: s.Failures,
		Valued: s.Valued,
		Median: rounded(s.Median), P90: rounded(s.P90), From: rounded(from), To: rounded(to),
		Global: rounded(median(trials, func(t *Trial) float64 { return t.Global })), Rough: rounded(roughAt(trials)),
		MarginMs: rounded(1e3 * c.MarginS), Radius: record.Number(largest(trials)), Note: c.Method.Note}
	for i := range trials {
		if trials[i].Why != "" {
			row.FirstReason = trials[i].Why
			break
		}
	}
	return row
}

func largest(trials []Trial) float64 {
	out := math.NaN()
	for i := range trials {
		if v := trials[i].Radius; !math.IsNaN(v) && !(v <= out) {
			out = v
		}
	}
	return out
}

func settingsOf(c *Candidate) string {
	if text := c.describe(); text != "" {
		return text
	}
	return map[string]string{labelOwn: OwnMethod, labelDefault: "defaults", labelTuned: "defaults"}[c.Label]
}

// rounded keeps four digits, which sentences, tables and JSON share.
func rounded(x float64) record.Number {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return record.Number(x)
	}
	p := math.Pow(10, 3-math.Floor(math.Log10(math.Abs(x))))
	return record.Number(math.Round(x*p) / p)
}

// first is the first sentence: which method, how good, against which others.
func (r *Result) first() string {
	var against []string
	best, opening := r.Recommended, "Take "
	if best == nil {
		best, opening = r.best,
			fmt.Sprintf("No method is good here (no failure, and a 90th percentile of J2_true up to %g %%); the best is ",
				r.GoodPct)
	}
	if r.RunnerUp != nil && r.RunnerUp != r.Today {
		against = append(against, fmt.Sprintf("the runner-up, %s, has %s %%%s%s", r.RunnerUp.named(), num(r.RunnerUp.P90),
			r.RunnerUp.failed(), r.tie))
	}
	if r.Today != nil && r.Today != best && r.Today == r.RunnerUp {
		against = append(against, fmt.Sprintf("the runner-up is the scenario's own method, %s, and has %s %%%s%s",
			r.Today.Method, num(r.Today.P90), r.Today.failed(), r.tie))
	} else if r.Today != nil && r.Today != best {
		against = append(against, fmt.Sprintf("the scenario's own method, %s, has %s %%%s", r.Today.Method, num(r.Today.P90),
			r.Today.failed()))
	}
	text := fmt.Sprintf(
		"%s%s: J2_true has the median %s %% and the 90th percentile %s %% (95 %% interval %s to %s) in %d runs on "+
			"plants, seeds "+
			"and motions that the tuning has not seen, of which %d failed%s",
		opening, best.named(), num(best.Median), num(best.P90), num(best.From), num(best.To), best.N, best.Failures,
		best.valued())
	if len(against) > 0 {
		text += "; " + strings.Join(against, ", ")
	}
	return text + "."
}

// second is the second sentence: what fails first, or what would help.
func (r *Result) second() string {
	if !r.settled {
		return "The runs that show what fails first, or what would help, were not finished."
	}
	if r.Recommended == nil {
		return r.help()
	}
	if len(r.Fails) == 0 {
		return "What fails first is not known: the scenario has nothing to make harder."
	}
	first, steps := r.Fails[0], fmt.Sprintf(" (%d runs at each step).", r.Fails[0].Runs)
	if math.IsInf(float64(first.Fails), 1) {
		return "Nothing that was tried makes it fail: " + says(r.Fails) + steps
	}
	text := fmt.Sprintf("%s makes it fail first: %s (%s)", capital(first.What), first.says(), first.Why)
	if len(r.Fails) > 1 {
		text += "; " + says(r.Fails[1:])
	}
	return text + steps
}

func says(rows []FailingRow) string {
	var parts []string
	for _, f := range rows {
		parts = append(parts, f.What+": "+f.says())
	}
	return strings.Join(parts, "; ")
}

// says is what is tolerated, and what is too much.
func (f *FailingRow) says() string {
	if !math.IsInf(float64(f.Fails), 1) {
		return fmt.Sprintf("%s %s is tolerated, %s is too much", num(f.Bears), f.Unit, num(f.Fails))
	}
	to := "up"
	if f.Bears < 1 && f.Unit == "times" {
		to = "down"
	}
	return fmt.Sprintf("tolerated %s to %s %s", to, num(f.Bears), f.Unit)
}

// help names the smallest change that suffices.
func (r *Result) help() string {
	var parts []string
	for _, m := range r.Remedies {
		if m.Suffices {
			return fmt.Sprintf("%s suffices: %s then has the 90th percentile %s %% in %d runs without failure.", capital(m.What),
				named(m.Method, m.Settings), num(m.P90), m.N)
		}
		parts = append(parts, fmt.Sprintf("%s (%s)", m.What, m.Why))
	}
	return fmt.Sprintf("None of these suffices by itself, with actuators that lag by %s ms: %s.", num(r.LagMs),
		strings.Join(parts, "; "))
}

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

func (r *Row) named() string { return named(r.Method, r.Settings) }

func named(method, settings string) string { return fmt.Sprintf("%s (%s)", method, settings) }

// valued says how many runs have a J2_true, where some have none.
func (r *Row) valued() string {
	if r.Valued == r.N {
		return ""
	}
	return fmt.Sprintf(" (%d finished and have a J2_true)", r.Valued)
}

func (r *Row) failed() string {
	if r.Failures == 0 {
		return ""
	}
	return fmt.Sprintf(" and %d of %d runs failed", r.Failures, r.N)
}

// num writes a number of the result.
func num(x record.Number) string { return record.Text("%.4g", float64(x)) }
