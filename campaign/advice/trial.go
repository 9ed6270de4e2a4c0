package advice

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"rths"
	"rths/campaign/study"
	"rths/model/plant"
	"rths/scenario"
	"rths/scenario/growth"
	"rths/scenario/syntax"
)

// Trial is what advice keeps of a run.
type Trial struct {
	Why     string  // the run has failed, or breaks a constraint; "": it is sound
	J2      float64 // J2_true, %, of the worst actuator; NaN: none
	Global  float64 // error against the undivided structure, %; NaN: none
	Rough   float64 // µm, of the roughest actuator
	Radius  float64 // of the loop, the larger of start and end; NaN: not looked at
	there   bool
	refused bool // there is no such test
}

// limits are the constraints on a run.
type limits struct {
	rating plant.Rating // 0: not stated
	rough  float64      // µm; 0: any
	radius bool
	names  names
}

// names are the names of values that a trial looks at, of all actuators or points.
type names struct{ j2, global, rough, command, rate, force []string }

// namesOf lists them for so many actuators; summary has the criteria of such a run.
func namesOf(axes int, summary []rths.Value) names {
	each := func(quantity, unit string, exact bool) (out []string) {
		for i := range axes {
			of := rths.Meaning{Quantity: quantity, Axis: rths.Component(i, axes), Exact: exact}
			out = append(out, of.NameIn(unit))
		}
		return out
	}
	return names{
		j2: each("J2", "%", true), global: global(summary), rough: each("roughness", "µm", false),
		command: each("command", "m", false), rate: each("command_rate", "m/s", false), force: each("force", "N", false),
	}
}

// global are the names of the errors against the undivided structure: of one actuator J4, of several J7 of every point.
func global(summary []rths.Value) (out []string) {
	for _, quantity := range []string{"J4", "J7"} {
		for _, v := range summary {
			if v.Quantity == quantity && v.Unit == "%" && v.Exact && v.Against == "" {
				out = append(out, v.Name)
			}
		}
		if out != nil {
			return out
		}
	}
	return nil
}

// look finds which constraints the scenario can have.
func (a *Advice) look(ctx context.Context, s *scenario.Scenario) {
	a.limits = limits{rating: s.Rating(), rough: a.RoughUm, radius: true, names: namesOf(s.Axes(), a.base.Summary())}
	still, err := s.AtRest(ctx)
	if err == nil {
		_, err = growth.Roots(ctx, still)
	}
	var many *growth.TooManyStates
	if err != nil {
		a.limits.radius = false
		reason := oneLine(err.Error())
		if errors.As(err, &many) {
			reason = fmt.Sprintf("the loop has %d states", many.States)
		}
		a.Notes = append(a.Notes, "the spectral radius of the loop is no constraint here: "+reason)
	}
	var missing []string
	for _, q := range []struct {
		key string
		v   float64
	}{{"stroke_m", a.limits.rating.Stroke}, {"rate_m_s", a.limits.rating.Rate}, {"force_n", a.limits.rating.Force}} {
		if q.v == 0 {
			missing = append(missing, q.key)
		}
	}
	if len(missing) > 0 {
		a.Notes = append(a.Notes, fmt.Sprintf("the transfer system states no %s: no constraint on it",
			strings.Join(missing, ", no ")))
	}
	a.bench.Radii = a.limits.radius
}

// trial judges a row.
func (l *limits) trial(row *study.Row) Trial {
	t := Trial{
		J2: worst(row, l.names.j2), Global: worst(row, l.names.global), Rough: worst(row, l.names.rough), Radius: math.NaN(),
		there: true, refused: row.Status == rths.Refused,
	}
	if l.radius {
		t.Radius = math.Max(value(row, study.RadiusStart), value(row, study.RadiusEnd))
	}
	t.Why = l.broken(row, &t)
	if row.Status != rths.Completed {
		t.J2, t.Global = math.NaN(), math.NaN()
	}
	return t
}

// broken is why a run is not sound, or "".
func (l *limits) broken(row *study.Row, t *Trial) string {
	over := func(what string, limit float64, v float64, unit string) string {
		if limit > 0 && !(v <= limit) {
			return fmt.Sprintf("%s %.3g %s, the limit is %.3g %s", what, v, unit, limit, unit)
		}
		return ""
	}
	switch {
	case row.Status != rths.Completed:
		return row.Status + ": " + strings.TrimPrefix(row.Reason, row.Status+": ")
	case !rths.Finite(t.J2):
		return "no J2 without noise: the target does not move"
	case l.radius && !(t.Radius < 1):
		return fmt.Sprintf("the loop is unstable with the parameters at start or end: spectral radius %.6g", t.Radius)
	}
	for _, text := range []string{
		over("command", l.rating.Stroke, worst(row, l.names.command), "m"),
		over("rate of the command", l.rating.Rate, worst(row, l.names.rate), "m/s"),
		over("force", l.rating.Force, orNone(worst(row, l.names.force)), "N"),
		over("roughness", l.rough, t.Rough, "µm"),
	} {
		if text != "" {
			return text
		}
	}
	return ""
}

// orNone: without a load cell there is no force to be too large.
func orNone(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}

func value(row *study.Row, name string) float64 {
	if v, ok := row.Value(name); ok {
		return v
	}
	return math.NaN()
}

// worst is the largest value of some names; NaN: there is none, or one of them is no number.
func worst(row *study.Row, names []string) float64 {
	out := math.Inf(-1)
	for _, v := range row.Values {
		if slices.Contains(names, v.Name) {
			out = math.Max(out, v.V)
		}
	}
	if math.IsInf(out, -1) {
		return math.NaN()
	}
	return out
}

// job is a run that is wanted: a candidate under a condition of a stream.
type job struct {
	c         *Candidate
	stream, i int
}

// play makes runs of a template, and gives each trial to keep by its place in jobs.
func (a *Advice) play(ctx context.Context, by study.Executor, name string, t *scenario.Template, jobs []job,
	keep func(i int, t Trial), progress func(done, of int)) error {
	done := 0
	return by.Make(ctx, a.bench, study.Jobs{
		Name: name, N: len(jobs), Inputs: a.inputs, Template: t,
		Settings: func(i int) []syntax.Setting {
			return slices.Concat(jobs[i].c.Settings, a.condition(jobs[i].stream, jobs[i].i))
		},
	}, func(row study.Row) error {
		l := a.limits
		if r := jobs[row.Run].c.perRate; r > 0 {
			l.rough *= r * r // a smooth command is rougher with the square of the sample
		}
		keep(row.Run, l.trial(&row))
		done, a.Done = done+1, a.Done+1
		if progress != nil {
			progress(done, len(jobs))
		}
		return nil
	})
}

// evaluate brings candidates to n trials each of a stream: the first n conditions, the same for all.
func (a *Advice) evaluate(ctx context.Context, by study.Executor, stream int, of []*Candidate, n int,
	progress func(stage string, done, of int)) error {
	var jobs []job
	for _, c := range of {
		for i := len(c.trials[stream]); i < n; i++ {
			jobs = append(jobs, job{c, stream, i})
		}
	}
	for _, c := range of {
		c.trials[stream] = append(c.trials[stream], make([]Trial, max(0, n-len(c.trials[stream])))...)
	}
	return a.play(ctx, by, streamNames[stream], a.Template, jobs, func(i int, t Trial) {
		jobs[i].c.trials[stream][jobs[i].i] = t
	}, func(done, of int) {
		if progress != nil {
			progress(streamNames[stream], done, of)
		}
	})
}
