package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"

	"rths/campaign/picture"
	"rths/campaign/study"
	"rths/scenario/files"
)

// picturesOf is what is drawn of a study.
func picturesOf(p *study.Plan, folder *study.Folder, s *study.Summary) *picture.Study {
	t, m := folder.Table, folder.Manifest
	runs := t.Runs()
	out := &picture.Study{Name: p.File.Name, Remarks: s.Remarks, Level: 0.95, Facts: []picture.StudyFact{
		{Name: "base scenario", Value: p.Base.Scenario.Name}, {Name: "design", Value: p.Describe()},
		{Name: "runs", Value: fmt.Sprintf("%d of %d", t.Done(), p.Runs())}, {Name: "seed", Value: fmt.Sprint(p.File.Seed)},
		{Name: "wall time", Value: fmt.Sprintf("%.3g s, %d workers", m.WallS, m.Workers)}, {Name: "started", Value: m.Started},
		{Name: "program", Value: m.Version + " · " + m.Go + " · " + m.Machine},
	}}
	if t.Done() < p.Runs() {
		out.Remarks = append([]string{fmt.Sprintf("%s: %d of %d runs are there", m.Status, t.Done(), p.Runs())}, out.Remarks...)
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
		out.Inputs = append(out.Inputs, picture.StudyInput{Name: name, Values: of(t.Column(name))})
	}
	for _, name := range s.Names(t) {
		out.Outputs = append(out.Outputs, picture.StudyOutput{Name: name, Values: of(t.Column(name))})
	}
	for _, run := range drawn {
		row, _ := t.Row(run)
		out.Status = append(out.Status, row.Status)
	}
	for _, f := range s.Failures {
		out.Failures = append(out.Failures, picture.StudyFailure{Status: f.Status, Reason: f.Reason, N: f.Runs})
	}
	addSummary(out, s)
	return out
}

// addSummary takes statistics, of several groups those of the main criterion alone, and Sobol'
// indices.
func addSummary(out *picture.Study, s *study.Summary) {
	for _, g := range s.Groups {
		for _, v := range g.Values {
			if v.Name != s.Criterion && len(s.Groups) > 1 {
				continue
			}
			one := picture.StudySummary{Group: g.Name, Output: v.Name, N: v.N, Mean: v.Mean, MeanFrom: v.MeanFrom, MeanTo: v.MeanTo, SD: v.SD}
			for _, q := range v.Quantile {
				if len(s.Groups) > 1 && q.P != 0.5 && q.P != 0.9 {
					continue // a table of groups has room for two
				}
				one.Quantiles = append(one.Quantiles, picture.StudyQuantile(q))
			}
			out.Summary = append(out.Summary, one)
		}
	}
	for _, of := range s.Sobol {
		one := picture.StudySobol{Output: of.Name}
		for _, in := range of.Inputs {
			one.Bars = append(one.Bars, picture.StudyBar{Input: in.Key, First: in.First.Value, FirstFrom: in.First.From, FirstTo: in.First.To,
				Total: in.Total.Value, TotalFrom: in.Total.From, TotalTo: in.Total.To})
		}
		out.Sobol = append(out.Sobol, one)
	}
}

// pictured is one variable: levels as words, unless they are many numbers.
func pictured(in study.Input) picture.StudyInput {
	out := picture.StudyInput{Name: in.Key, Log: in.Log}
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
	if texts == nil || in.Texts == nil && len(distinct) > mostBoxes {
		out.Values = in.Numbers
	} else {
		out.Labels = texts
	}
	return out
}

// mostBoxes is the number of levels that are drawn as boxes: more numbers are an axis.
const mostBoxes = 8

// addSearch adds the history and the maps of a calibration.
func addSearch(out *picture.Study, c *study.Calibration) {
	k := &c.Plan.File.Calibrate
	search := &picture.StudySearch{Objective: k.Objective(c.Criterion)}
	for i, e := range k.Keys {
		in := picture.StudyInput{Name: e.Key, Log: e.Of.Log}
		for _, h := range c.History {
			in.Values = append(in.Values, e.Of.Value(h.U[i]))
		}
		search.Tuned = append(search.Tuned, in)
	}
	for _, h := range c.History {
		search.Generation = append(search.Generation, h.Generation)
		search.Value, search.Violation = append(search.Value, finiteOrNaN(h.Fitness.Value)), append(search.Violation, h.Fitness.Violation)
	}
	for _, best := range c.Best() {
		search.Best = append(search.Best, finiteOrNaN(best.Value))
	}
	u, _, ok := c.Search.Best()
	if !ok {
		return
	}
	search.Optimum = k.Values(u)
	out.Search = search
	for _, m := range c.Maps {
		one := picture.StudyMap{X: m.KeyX, Y: m.KeyY, LogX: k.Keys[m.X].Of.Log, LogY: k.Keys[m.Y].Of.Log, AtX: m.AtX, AtY: m.AtY,
			MarkX: search.Optimum[m.X], MarkY: search.Optimum[m.Y], Objective: search.Objective}
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
		out.Maps = append(out.Maps, one)
	}
}

func finiteOrNaN(x float64) float64 {
	if math.IsInf(x, 0) {
		return math.NaN()
	}
	return x
}

// drawStudy writes the page, and the pictures as files if a format is given, and names what
// was written.
func drawStudy(dir, format string, s *picture.Study) (names []string, err error) {
	if len(s.Status) == 0 && s.Search == nil {
		return nil, nil // nothing has been run
	}
	if err := files.Write(filepath.Join(dir, reportFile), func(w io.Writer) error { return picture.StudyPage(w, s) }); err != nil {
		return nil, fmt.Errorf("%s was not written: %w", reportFile, err)
	}
	names = append(names, reportFile)
	if format == "" {
		return names, nil
	}
	paths, err := picture.StudyPlots(filepath.Join(dir, "plots"), format, s)
	for _, path := range paths {
		names = append(names, filepath.Join("plots", filepath.Base(path)))
	}
	return names, err
}
