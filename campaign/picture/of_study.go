package picture

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"rths/campaign/study"
	"rths/result/report"
)

// OfStudy is what is drawn of a study in a folder, with its summary.
func OfStudy(p *study.Plan, folder *study.Folder, s *study.Summary) *Study {
	t, m := folder.Table, folder.Manifest
	runs := t.Runs()
	out := &Study{Name: p.File.Name, Remarks: s.Remarks, Level: 0.95, Facts: []StudyFact{
		{Name: "base scenario", Value: p.Base.Scenario.Name}, {Name: "design", Value: p.Describe()},
		{Name: "runs", Value: fmt.Sprintf("%d of %d", t.Done(), p.Runs())}, {Name: "seed", Value: fmt.Sprint(p.File.Seed)},
		{Name: "wall time", Value: fmt.Sprintf("%.3g s, %d workers", m.WallS, m.Workers)},
		{Name: "started", Value: m.Started},
		{Name: "program", Value: m.Version + " · " + m.Go + " · " + m.Machine},
	}}
	if t.Done() < p.Runs() {
		out.Remarks = append([]string{fmt.Sprintf("%s: %d of %d runs are there", m.Status, t.Done(), p.Runs())},
			out.Remarks...)
	}
	drawn := slices.DeleteFunc(slices.Clone(runs), func(run int) bool { return !p.Independent(run) })
	of := func(column []float64) (values []float64) { // of the drawn runs
		for i, run := range runs {
			if p.Independent(run) {
				values = append(values, column[i])
			}
		}
		return values
	}
	for _, in := range p.Columns(drawn) {
		if in.Key != "seed" && in.Key != "perturbed" { // numbers without a meaning of their own
			out.Inputs = append(out.Inputs, pictured(in))
		}
	}
	for _, name := range t.Drawn() {
		out.Inputs = append(out.Inputs, StudyInput{Name: name, Values: of(t.Column(name)), Unit: keyUnit(name)})
	}
	role, units := roles(p), map[string]string{}
	for _, v := range p.Base.Parameters() {
		units[v.Name] = v.Unit
	}
	for _, name := range s.Names(t) {
		out.Outputs = append(out.Outputs, StudyOutput{Name: name, Values: of(t.Column(name)), Role: role(name),
			Unit: units[name]})
	}
	for _, run := range drawn {
		row, _ := t.Row(run)
		out.Status, out.Numbers = append(out.Status, row.Status), append(out.Numbers, run+1)
	}
	out.Links = links(folder.Dir, out.Numbers)
	out.Failures, out.Sobol = s.Failures, s.Sobol
	addSummary(out, s)
	return out
}

// links are those to the reports of runs that somebody has made again in the folder of the study, as run-12.
func links(dir string, numbers []int) map[int]string {
	out := map[int]string{}
	found, _ := fs.Glob(os.DirFS(dir), "run-*/"+report.File) // the pattern is right
	for _, file := range found {
		name := path.Dir(file)
		number, err := strconv.Atoi(strings.TrimPrefix(name, "run-"))
		if at, there := slices.BinarySearch(numbers, number); err == nil && there {
			out[at] = file
		}
	}
	return out
}

// roles says what an output is: the criteria and indicators are those of the base scenario, and the loop's radius; what
// else a run has is a parameter of its compensator.
func roles(p *study.Plan) func(name string) Role {
	known := map[string]Role{study.RadiusStart: Other, study.RadiusEnd: Other}
	for _, v := range slices.Concat(p.Base.Summary(), p.Base.Indicators()) {
		if known[v.Name] = Other; v.Number > 0 && !v.Exact {
			known[v.Name] = Numbered
		}
	}
	return func(name string) Role {
		if role, ok := known[name]; ok {
			return role
		}
		return Parameter
	}
}

// addSummary takes statistics, of several groups those of the main criterion alone.
func addSummary(out *Study, s *study.Summary) {
	for _, g := range s.Groups {
		for _, v := range g.Values {
			if v.Name != s.Criterion && len(s.Groups) > 1 {
				continue
			}
			one := StudySummary{Group: g.Name, Output: v.Name, N: v.N, Mean: v.Mean, MeanFrom: v.MeanFrom, MeanTo: v.MeanTo,
				SD: v.SD}
			for _, q := range v.Quantile {
				if len(s.Groups) > 1 && q.P != 0.5 && q.P != 0.9 {
					continue // a table of groups has room for two
				}
				one.Quantiles = append(one.Quantiles, q)
			}
			out.Summary = append(out.Summary, one)
		}
	}
}

// pictured is one variable: levels as words, unless they are many numbers. Levels that are numbers are swept.
func pictured(in study.Input) StudyInput {
	out := StudyInput{Name: in.Key, Log: in.Log, Unit: keyUnit(in.Key)}
	swept := sweptNumbers(in)
	out.Swept = swept != nil
	texts := in.Texts
	if in.Levels && texts == nil {
		for _, x := range in.Numbers {
			texts = append(texts, fmt.Sprintf("%g", x))
		}
	}
	distinct := map[string]bool{}
	for _, text := range texts {
		distinct[text] = true
	}
	switch {
	case out.Swept && len(distinct) <= mostNumbers:
		out.Values, out.Labels = swept, texts
	case out.Swept:
		out.Values = swept
	case texts == nil:
		out.Values = in.Numbers
	default:
		out.Labels = texts
	}
	return out
}

// fewestSwept is the number of values from which numbers are swept: fewer make no line.
const fewestSwept = 3

// sweptNumbers are the levels of each run if they are enough different numbers, NaN where a run of a one-at-a-time
// study leaves the variable alone; else nil.
func sweptNumbers(in study.Input) []float64 {
	out := slices.Clone(in.Numbers)
	for _, text := range in.Texts {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil && text != study.AsInScenario {
			return nil
		}
		if err != nil {
			x = math.NaN()
		}
		out = append(out, x)
	}
	if !in.Levels || len(distinct(out)) < fewestSwept {
		return nil
	}
	return out
}

// mostNumbers is the number of levels that are drawn as boxes: more numbers are an axis.
const mostNumbers = 8

// AddSearch adds the history and the maps of a calibration.
func (s *Study) AddSearch(c *study.Calibration) {
	k := &c.Plan.File.Calibrate
	search := &StudySearch{Objective: k.Objective(c.Criterion)}
	for i, e := range k.Keys {
		in := StudyInput{Name: e.Key, Log: e.Of.Log, Unit: keyUnit(e.Key)}
		for _, h := range c.History {
			in.Values = append(in.Values, e.Of.Value(h.U[i]))
		}
		search.Tuned = append(search.Tuned, in)
	}
	for _, h := range c.History {
		search.Generation = append(search.Generation, h.Generation)
		search.Value, search.Violation = append(search.Value, finiteOrNaN(h.Fitness.Value)),
			append(search.Violation, h.Fitness.Violation)
	}
	for _, best := range c.Best() {
		search.Best = append(search.Best, finiteOrNaN(best.Value))
	}
	u, _, ok := c.Search.Best()
	if !ok {
		return
	}
	search.Optimum = k.Values(u)
	s.Search = search
	for _, m := range c.Maps {
		one := Map{X: search.Tuned[m.X].label(), Y: search.Tuned[m.Y].label(), LogX: k.Keys[m.X].Of.Log,
			LogY: k.Keys[m.Y].Of.Log, AtX: m.AtX, AtY: m.AtY,
			MarkX: search.Optimum[m.X], MarkY: search.Optimum[m.Y], Objective: k.OfRuns(c.Criterion)}
		for _, line := range m.Value {
			var values []float64
			for _, f := range line {
				if f.Violation > 0 {
					f.Value = math.NaN()
				}
				values = append(values, finiteOrNaN(f.Value))
			}
			one.Value = append(one.Value, values)
		}
		s.Maps = append(s.Maps, one)
	}
}

func finiteOrNaN(x float64) float64 {
	if math.IsInf(x, 0) {
		return math.NaN()
	}
	return x
}
