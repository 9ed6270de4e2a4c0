// Package picture draws the results of many tests: StudyPage and AdvicePage write one self-contained HTML page
// of a study, a calibration or an advice, StudyPlots and AdvicePlots image files. OfStudy and OfAdvice take what
// is drawn from the results.
package picture

import (
	"fmt"
	"math"

	"rths"
	"rths/campaign/study"
)

// Study is what is drawn of a study or of a calibration. Values are in the units that their names
// state. Slices with a value for each run have the order of the runs, which count from 1.
type Study struct {
	Name     string
	Facts    []StudyFact // base scenario, design, seed, wall time, version
	Remarks  []string    // what a reader must know before the pictures
	Inputs   []StudyInput
	Outputs  []StudyOutput   // the first is the main criterion: most pictures are of it
	Status   []string        // of each run, as in a manifest; nil: all have completed
	Numbers  []int           // of the runs, as in rows.csv; nil: 1, 2, …
	Links    map[int]string  // to the reports of runs that have a folder, by their places, relative to the page
	Failures []study.Failure // how many runs ended early, and why
	Summary  []StudySummary
	Level    float64 // confidence level of the intervals, as 0.95; 0: not stated
	Sobol    []study.Indices
	Search   *StudySearch // of a calibration
	Maps     []Map        // of the objective around the optimum
}

// StudyFact is a line of the list at the end of the page.
type StudyFact struct{ Name, Value string }

// StudyInput is a variable of the design: numbers, or levels.
type StudyInput struct {
	Name   string
	Values []float64 // of each run; nil of levels that are not swept
	Labels []string  // the level of each run; nil of numbers
	Swept  bool      // levels that are numbers: Values has them, NaN in a run without one; Labels too if they are few
	Log    bool      // a logarithmic axis is wanted
	Unit   string    // where the name does not say it
}

// StudyOutput is a criterion of all runs. A run that did not complete counts as failed in the
// pictures, whatever its value, and so does a run without a value.
type StudyOutput struct {
	Name, Doc string
	Values    []float64 // NaN where a run has none
	Unit      string    // where the name does not say it
	Role      Role
}

// Role is what an output is, for pictures of several outputs.
type Role int

// Roles of an output.
const (
	Other     Role = iota
	Numbered       // a criterion of a benchmark: J1, J2, …
	Parameter      // what a compensator has learnt, at the end of the run
)

// StudySummary is one output over the runs of a group. From and To bound confidence intervals; NaN
// where there is none.
type StudySummary struct {
	Group                  string // the levels, as "case 1, kf"; "" is the group of all runs
	Output                 string
	N                      int // runs that have a value
	Mean, MeanFrom, MeanTo float64
	SD                     float64
	Quantiles              []study.Quantile
}

// StudySearch is the history of a calibration: the candidates in the order of their evaluation.
type StudySearch struct {
	Objective  string
	Tuned      []StudyInput // Values of each candidate
	Generation []int        // of each candidate, from 1 up
	Value      []float64    // objective of each candidate; NaN where it has none
	Violation  []float64    // share of runs of each candidate that break a limit; nil: none
	Best       []float64    // the best value up to the end of generation 1, 2, …
	Optimum    []float64    // of each of Tuned
}

// Map is a quantity over two others: the objective over two of the tuned parameters, the others at the optimum; or a
// result of rths stability over two properties of a test.
type Map struct {
	X, Y         string
	LogX, LogY   bool
	AtX, AtY     []float64   // in increasing order
	Value        [][]float64 // Value[j][i] at AtX[i], AtY[j]; NaN: failed or not feasible; +Inf: without bound
	MarkX, MarkY float64     // the optimum, or the test as it is
	Objective    string      // name of Value

	NamesY   []string // of a choice, in place of the numbers AtY
	Contours bool     // lines at round values
	Limit    *float64 // value with a line that stands out; nil: none
}

// runs is the number of runs.
func (s *Study) runs() int {
	if s.Status != nil || len(s.Outputs) == 0 {
		return len(s.Status)
	}
	return len(s.Outputs[0].Values)
}

// number is the number of a run, from 1, as in rows.csv.
func (s *Study) number(i int) int {
	if s.Numbers == nil {
		return i + 1
	}
	return s.Numbers[i]
}

// completed reports whether run i completed.
func (s *Study) completed(i int) bool { return s.Status == nil || s.Status[i] == rths.Completed }

// has reports whether run i completed with a value of an output that an axis can show.
func (s *Study) has(o StudyOutput, i int) bool { return s.completed(i) && shown(o.Values[i]) }

// values are the values of the runs that have one.
func (s *Study) values(o StudyOutput) []float64 {
	var out []float64
	for i, v := range o.Values {
		if s.has(o, i) {
			out = append(out, v)
		}
	}
	return out
}

// beyond is a magnitude that no criterion has: a run with such a value has failed, whatever its
// status. Differences and squares of smaller values are finite.
const beyond = 1e150

// shown reports whether an axis can show a value.
func shown(v float64) bool { return math.Abs(v) < beyond }

// check reports slices whose lengths do not fit.
func (s *Study) check() error {
	n := s.runs()
	for _, in := range s.Inputs {
		if in.Values != nil && in.Labels != nil && !in.Swept {
			return fmt.Errorf("report: input %s has values and labels: want one of them", in.Name)
		}
		if got := max(len(in.Values), len(in.Labels)); got != n {
			return fmt.Errorf("report: input %s has %d values of %d runs", in.Name, got, n)
		}
	}
	for _, o := range s.Outputs {
		if len(o.Values) != n {
			return fmt.Errorf("report: output %s has %d values of %d runs", o.Name, len(o.Values), n)
		}
	}
	if s.Search != nil {
		if err := s.Search.check(); err != nil {
			return err
		}
	}
	for _, m := range s.Maps {
		if err := m.check(); err != nil {
			return err
		}
	}
	return nil
}

func (h *StudySearch) check() error {
	n := len(h.Value)
	if len(h.Generation) != n || h.Violation != nil && len(h.Violation) != n {
		return fmt.Errorf("report: search: %d values, %d generations and %d violations: want one for each candidate", n,
			len(h.Generation), len(h.Violation))
	}
	if h.Optimum != nil && len(h.Optimum) != len(h.Tuned) {
		return fmt.Errorf("report: search: an optimum of %d numbers: want one for each of %d parameters", len(h.Optimum),
			len(h.Tuned))
	}
	for _, in := range h.Tuned {
		if len(in.Values) != n {
			return fmt.Errorf("report: search: parameter %s has %d values of %d candidates", in.Name, len(in.Values), n)
		}
	}
	return nil
}

func (m Map) check() error {
	if len(m.Value) != len(m.AtY) || len(m.AtX) == 0 || len(m.AtY) == 0 {
		return fmt.Errorf("report: map of %s over %s: %d rows of values at %d × %d points", m.Y, m.X, len(m.Value),
			len(m.AtX), len(m.AtY))
	}
	for _, row := range m.Value {
		if len(row) != len(m.AtX) {
			return fmt.Errorf("report: map of %s over %s: a row of %d values at %d points", m.Y, m.X, len(row), len(m.AtX))
		}
	}
	for _, at := range []struct {
		name  string
		log   bool
		value []float64
	}{{m.X, m.LogX, m.AtX}, {m.Y, m.LogY, m.AtY}} {
		for i, v := range at.value {
			if !shown(v) || i > 0 && v <= at.value[i-1] || at.log && v <= 0 {
				return fmt.Errorf("report: map: %s %g: want numbers in increasing order, above 0 on a logarithmic axis", at.name, v)
			}
		}
	}
	return nil
}
