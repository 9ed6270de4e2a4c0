package advice

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"rths"
	"rths/campaign/analyse"
	"rths/campaign/study"
	"rths/scenario"
)

// Failing is how far the winner is from failing in one direction: a run fails, breaks a constraint,
// or the score is above GoodPct.
type Failing struct {
	What   string // "more delay", "a stiffer specimen", "a softer specimen", "more noise", "a lower rate"
	Unit   string // "ms" for delay, "times" the scenario's value for the others
	Bears  float64
	Fails  float64 // +Inf: no failure up to Bears, the farthest that was tried
	Why    string  // what fails
	Runs   int     // of a level
	Factor float64 // Fails over the nominal value, 1 or more, to put directions in order; of delay (lag + Fails)/lag
}

// direction is one way to make a test harder.
type direction struct {
	what, unit string
	coarse     []float64 // levels, each harder than the one before
	change     func(level float64) func(*scenario.Scenario) error
	show       func(level float64) float64 // in Unit
	factor     func(level float64) float64
	between    func(good, bad float64) []float64
	remade     bool // the compensator is made anew for the changed scenario
}

func (a *Advice) directions(ctx context.Context) []*direction {
	same := func(level float64) float64 { return level }
	inverse := func(level float64) float64 { return 1 / level }
	geometric := func(good, bad float64) (out []float64) {
		for i := 1.0; i <= 3; i++ {
			out = append(out, good*math.Pow(bad/good, i/4))
		}
		return out
	}
	times := func(what string, coarse []float64, change func(s *scenario.Scenario, f float64) error) *direction {
		return &direction{what: what, unit: "times", coarse: coarse, show: same, factor: same, between: geometric,
			change: func(f float64) func(*scenario.Scenario) error {
				return func(s *scenario.Scenario) error { return change(s, f) }
			}}
	}
	softer := times("a softer specimen", []float64{1.1, 1.25, 1.5, 2, 4},
		func(s *scenario.Scenario, f float64) error { return s.Stiffen(1 / f) })
	softer.show = inverse
	slower := times("a lower rate", []float64{1.25, 1.6, 2, 4, 8},
		func(s *scenario.Scenario, f float64) error { s.RateHz /= f; return nil })
	slower.show, slower.remade = inverse, true
	return []*direction{
		a.later(ctx),
		times("a stiffer specimen", []float64{1.1, 1.25, 1.5, 2, 4}, (*scenario.Scenario).Stiffen),
		softer,
		times("more noise", []float64{2, 5, 10, 30, 100}, (*scenario.Scenario).Noisier),
		slower,
	}
}

// later is more delay, in samples of command delay.
func (a *Advice) later(ctx context.Context) *direction {
	rate := a.base.Scenario.RateHz
	lag, known := a.lag(ctx)
	if !known {
		a.Notes = append(a.Notes,
			fmt.Sprintf("the lag of the actuators is not known: %g ms is assumed for it, where more delay is compared with "+
				"other changes", 1e3*lag))
	}
	var coarse []float64
	for _, part := range []float64{0.1, 0.25, 0.5, 1, 2} {
		n := math.Max(1, math.Round(part*lag*rate))
		if len(coarse) > 0 {
			n = math.Max(n, coarse[len(coarse)-1]+1)
		}
		coarse = append(coarse, n)
	}
	return &direction{what: "more delay", unit: "ms", coarse: coarse,
		show:   func(n float64) float64 { return 1e3 * n / rate },
		factor: func(n float64) float64 { return 1 + n/rate/lag },
		change: func(n float64) func(*scenario.Scenario) error {
			return func(s *scenario.Scenario) error { s.Timing.CommandDelay += int(n); return nil }
		},
		between: func(good, bad float64) (out []float64) {
			for i := 1.0; i <= 3; i++ {
				if n := math.Round(good + (bad-good)*i/4); n > good && n < bad && !slices.Contains(out, n) {
					out = append(out, n)
				}
			}
			return out
		}}
}

// usualLag is taken where the plant shows no lag, s.
const usualLag = 0.01

// lag is the lag without compensation, s: of one actuator the largest phase delay at 0.5 to 5 Hz (an
// integral part hides it in slow motion), of several the largest delay in a run on the nominal plant.
// not ok: neither is known, and 10 ms is taken.
func (a *Advice) lag(ctx context.Context) (lag float64, ok bool) {
	s := a.base.Scenario
	bare, err := s.Uncompensated()
	if err != nil {
		return usualLag, false
	}
	if s.Axes() > 1 {
		lag = a.delayOf(ctx, bare)
	} else if open, err := analyse.NewOpenLoop(bare); err == nil {
		for _, hz := range []float64{0.5, 1, 2, 5} {
			v := open.Response(hz)
			lag = max(lag, -math.Atan2(imag(v), real(v))/(2*math.Pi*hz))
		}
		if s.Timing.Target == "next" {
			lag += 1 / s.RateHz // the command leaves a sample before the instant that it aims at
		}
	}
	if !(lag >= 1/s.RateHz) {
		return usualLag, false
	}
	return lag, true
}

// delayOf is the largest true delay of an actuator in a run, s; 0: the run does not complete.
func (a *Advice) delayOf(ctx context.Context, s *scenario.Scenario) (largest float64) {
	run, err := a.build(ctx, s)
	if err != nil {
		return 0
	}
	if status, _ := run.Status(run.Loop.Run(0, nil)); status != rths.Completed {
		return 0
	}
	for _, v := range run.Summary() {
		if v.Quantity == "delay" && v.Exact {
			largest = max(largest, v.V/1e3)
		}
	}
	return largest
}

// says is a level with its unit.
func (d *direction) says(level float64) string {
	if d.unit == "ms" {
		return num(rounded(d.show(level))) + " ms"
	}
	return num(rounded(d.show(level))) + " times"
}

// level is a level of a direction with its trials.
type level struct {
	of     *direction
	at     float64
	c      *Candidate // the winner, with the changes before its settings
	cannot string     // there is no such test: the scenario cannot change so far, or the winner is refused there
	drawn  string     // why some of its random plants do not exist, which say nothing of the winner
	trials []Trial
	jobs   []int // of the trials, in order: they come in any order, and advice says the same every time
	odd    int   // the first job whose plant does not exist, from 1; 0: all exist
}

// failing finds how far the winner is from failing: at coarse levels first, then between the last
// that is good and the first that is not.
func (a *Advice) failing(ctx context.Context, by study.Executor, progress func(stage string, done, of int)) error {
	directions := a.directions(ctx)
	var all []*level
	for _, d := range directions {
		for _, at := range d.coarse {
			all = append(all, a.level(ctx, d, at))
		}
	}
	if err := a.try(ctx, by, all, progress); err != nil {
		return err
	}
	var fine []*level
	for _, d := range directions {
		if good, bad, _ := a.edge(d, all); !math.IsInf(bad, 1) {
			for _, at := range d.between(good, bad) {
				fine = append(fine, a.level(ctx, d, at))
			}
		}
	}
	if err := a.try(ctx, by, fine, progress); err != nil {
		return err
	}
	for _, d := range directions {
		if out, ok := a.conclude(d, append(all, fine...)); ok {
			a.Failures = append(a.Failures, out)
		}
	}
	slices.SortStableFunc(a.Failures, func(f, g Failing) int { return cmp.Compare(f.Factor, g.Factor) })
	return nil
}

// start is the level of no change.
func (d *direction) start() float64 {
	if d.unit == "ms" {
		return 0
	}
	return 1
}

// level makes the winner under a change.
func (a *Advice) level(ctx context.Context, d *direction, at float64) *level {
	l := &level{of: d, at: at}
	l.c, l.cannot = a.under(ctx, a.Winner, d.change(at), d.remade)
	return l
}

// under is a candidate in the scenario after a change; made anew for it, or with the settings as
// they are. cannot says why there is no such test, or why the candidate is refused in it.
func (a *Advice) under(ctx context.Context, c *Candidate, change func(*scenario.Scenario) error,
	remade bool) (changed *Candidate, cannot string) {
	s, err := a.Template.With()
	if err != nil {
		return nil, oneLine(err.Error())
	}
	changes, err := s.Changes(change)
	if err == nil {
		err = change(s)
	}
	if err == nil {
		err = a.buildsBare(ctx, s)
	}
	if err != nil {
		return nil, oneLine(err.Error())
	}
	settings := c.Settings
	if remade && c.Settings != nil {
		anew, _, err := a.candidate(ctx, s, c.Method, c.Values)
		if err != nil {
			return nil, "its settings are refused: " + oneLine(err.Error())
		}
		settings = anew.Settings
	}
	return &Candidate{Method: c.Method, Label: c.Label, Values: c.Values, Settings: slices.Concat(changes, settings),
		perRate: a.base.Scenario.RateHz / s.RateHz}, ""
}

// buildsBare is why there is no test without compensation, with the nominal plant or a random one.
func (a *Advice) buildsBare(ctx context.Context, s *scenario.Scenario) error {
	bare, err := s.Uncompensated()
	if err == nil {
		_, err = a.build(ctx, bare)
	}
	if err == nil {
		_, err = a.build(ctx, bare.PerturbedPlant(1))
	}
	return err
}

// try plays all levels under the first conditions of the final stream.
func (a *Advice) try(ctx context.Context, by study.Executor, levels []*level,
	progress func(stage string, done, of int)) error {
	conditions := a.typical(a.runsAtLevel())
	var jobs []job
	var of []*level
	for _, l := range levels {
		if l.c == nil {
			continue
		}
		l.trials = make([]Trial, 0, len(conditions))
		for _, i := range conditions {
			jobs, of = append(jobs, job{l.c, final, i}), append(of, l)
		}
	}
	err := a.play(ctx, by, "what fails first", a.Template, jobs, func(i int, t Trial) { of[i].take(i, t) },
		func(done, of int) {
			if progress != nil {
				progress("what fails first", done, of)
			}
		})
	for _, l := range levels {
		if l.c != nil && len(l.trials) == 0 {
			l.cannot = l.drawn
		}
	}
	return err
}

// take keeps the trial of a job, unless its plant does not exist.
func (l *level) take(job int, t Trial) {
	if t.refused {
		if l.odd == 0 || job+1 < l.odd {
			l.odd, l.drawn = job+1, t.Why
		}
		return
	}
	at, _ := slices.BinarySearch(l.jobs, job)
	l.jobs, l.trials = slices.Insert(l.jobs, at, job), slices.Insert(l.trials, at, t)
}

// runsAtLevel is how many runs a level has.
func (a *Advice) runsAtLevel() int { return max(3, a.Budget.Failing/levelsTried) }

// typical are some final conditions for which the score stands: those in which the winner's J2_true
// is nearest to its 90th percentile, and good. Without a change the winner is good in all of them.
func (a *Advice) typical(n int) (conditions []int) {
	trials := a.Winner.trials[final]
	for i := range trials {
		if trials[i].J2 <= a.GoodPct {
			conditions = append(conditions, i)
		}
	}
	p90 := score(trials).P90
	slices.SortStableFunc(conditions, func(i, j int) int {
		return cmp.Compare(math.Abs(trials[i].J2-p90), math.Abs(trials[j].J2-p90))
	})
	return conditions[:min(n, len(conditions))]
}

// fails says why a level is no longer good, or "".
func (a *Advice) fails(l *level) string {
	for i := range l.trials {
		if l.trials[i].Why != "" {
			return l.trials[i].Why
		}
	}
	if s := score(l.trials); !(s.P90 <= a.GoodPct) {
		return fmt.Sprintf("J2_true of %.3g %%", s.P90)
	}
	return ""
}

// edge is the hardest level below the first that fails, and that one; +Inf: none fails.
func (a *Advice) edge(d *direction, all []*level) (good, bad float64, why string) {
	good, bad = d.start(), math.Inf(1)
	for _, l := range all {
		if l.of == d && l.cannot == "" {
			if reason := a.fails(l); reason != "" && l.at < bad {
				bad, why = l.at, reason
			}
		}
	}
	for _, l := range all {
		if l.of == d && l.cannot == "" && l.at < bad && a.fails(l) == "" {
			good = max(good, l.at)
		}
	}
	return good, bad, why
}

// conclude is the result of a direction; not ok: the scenario cannot change so.
func (a *Advice) conclude(d *direction, all []*level) (Failing, bool) {
	good, bad, why := a.edge(d, all)
	if note := d.untried(all); note != "" {
		a.Notes = append(a.Notes, note)
		if good == d.start() && math.IsInf(bad, 1) {
			return Failing{}, false
		}
	}
	out := Failing{What: d.what, Unit: d.unit, Bears: d.show(good), Fails: math.Inf(1), Factor: math.Inf(1), Why: why,
		Runs: a.runsAtLevel()}
	if !math.IsInf(bad, 1) {
		out.Fails, out.Factor = d.show(bad), d.factor(bad)
	}
	return out, true
}

// untried says which level was not tried, or not with all its plants, and why; "": all were.
func (d *direction) untried(all []*level) string {
	for _, l := range all {
		switch {
		case l.of == d && l.cannot != "":
			return fmt.Sprintf("%s (%s) was not tried: %s", d.what, d.says(l.at), l.cannot)
		case l.of == d && l.drawn != "":
			return fmt.Sprintf("%s (%s) was tried with %d random plants: the others cannot be built: %s", d.what, d.says(l.at),
				len(l.trials), l.drawn)
		}
	}
	return ""
}

// Remedy is a change of the test that may make a method good.
type Remedy struct {
	What     string
	Best     *Candidate // of those tried, under the change
	Score    Score
	Why      string // why it does not suffice, or ""
	Suffices bool
}

// remediesOf are the changes, the smallest for a laboratory first.
func remediesOf() []struct {
	what   string
	change func(*scenario.Scenario) error
} {
	return []struct {
		what   string
		change func(*scenario.Scenario) error
	}{
		{"twice the rate", func(s *scenario.Scenario) error { s.RateHz *= 2; return nil }},
		{"a lag divided by 1.5", func(s *scenario.Scenario) error { return s.Quicken(1.5) }},
		{"half of the specimen's stiffness", func(s *scenario.Scenario) error { return s.Stiffen(0.5) }},
	}
}

// tried is how many of the best candidates meet every remedy.
const tried = 3

// remedies tries what would help, with the best candidates made anew for the changed test.
func (a *Advice) remedies(ctx context.Context, by study.Executor, progress func(stage string, done, of int)) error {
	best := a.Ranked[:min(tried, len(a.Ranked))]
	n := max(3, a.Budget.Failing/(3*tried))
	for _, r := range remediesOf() {
		out := Remedy{What: r.what}
		for _, c := range best {
			changed, cannot := a.under(ctx, c, r.change, true)
			if changed == nil {
				if out.Best == nil {
					out.Why = cannot
				}
				continue
			}
			l := &level{c: changed}
			jobs := make([]job, n)
			for i := range jobs {
				jobs[i] = job{changed, final, i}
			}
			err := a.play(ctx, by, "what would help", a.Template, jobs, l.take, func(done, of int) {
				if progress != nil {
					progress("what would help", done, of)
				}
			})
			if err != nil {
				return err
			}
			if s := score(l.trials); len(l.trials) > 0 && (out.Best == nil || s.compare(out.Score) < 0) {
				out.Best, out.Score = c, s
				out.Why = a.fails(l)
			} else if out.Best == nil {
				out.Why = l.drawn
			}
		}
		out.Suffices = out.Best != nil && out.Why == ""
		a.Remedies = append(a.Remedies, out)
	}
	return nil
}

// margin is the delay margin of the nominal loop with a candidate.
func (a *Advice) margin(ctx context.Context, c *Candidate) error {
	with, err := a.Template.With(c.Settings...)
	if err == nil {
		c.MarginS, err = analyse.DelayMargin(ctx, with)
	}
	if err != nil {
		c.MarginS = math.NaN()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if note := "the delay margin is not known of every method: " + oneLine(err.Error()); !slices.Contains(a.Notes, note) {
			a.Notes = append(a.Notes, note)
		}
	}
	return nil
}
