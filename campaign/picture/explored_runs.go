package picture

import (
	"fmt"
	"math"
	"slices"

	"rths"
	"rths/result/plotting"
)

// howToExplore says what a reader can do with the pictures.
const howToExplore = "A point or a line is a %[1]s; a bar counts them. Drag over points, along an upright axis or " +
	"over bars: all pictures and the table mark the same %[1]ss. Several brushes mark what lies in all of them. " +
	"Escape, a double click or a click on nothing clears them. "

// explored are the candidates and the runs that the page lets a reader explore.
func (s *Study) explored() (out []explored) {
	if s.Search != nil {
		if part, ok := s.Search.explored(); ok {
			out = append(out, part)
		}
	}
	if part, ok := s.exploredRuns(); ok {
		out = append(out, part)
	}
	return out
}

// exploredRuns are the runs of a study; not ok: there is nothing to mark.
func (s *Study) exploredRuns() (out explored, ok bool) {
	if s.runs() < leastExplored || len(s.Outputs) == 0 || len(s.values(s.Outputs[0])) == 0 {
		return out, false
	}
	room := mostNumbersSent/s.runs() - len(s.Inputs) // for criteria
	if room < 1 {
		return out, false
	}
	d := exploredData{Thing: "run", N: s.runs(), Numbers: s.Numbers, Links: s.Links, Status: *newCoded(s.statusOfRuns()),
		Failed: plotting.Failed, Scatter: []exploredTile{}, AllWords: "rows.csv has all runs. A run with a report in a " +
			"folder such as run-12 beside this page has a link to it, once the page is written again."}
	s.addInputs(&d)
	d.Main = len(d.Columns)
	for _, o := range s.criteria()[:min(len(s.criteria()), room)] {
		d.addOutput(criterion(o), s.ofCompleted(o), false)
	}
	d.setAxes()
	lost := s.runs() - len(s.values(s.Outputs[0]))
	caption := fmt.Sprintf(howToExplore, "run") + failWords(min(lost, failMarks))
	if len(d.Scatter) > 0 {
		caption += s.rhoWords()
	}
	return d.section("Single runs: "+criterion(s.Outputs[0]), caption), true
}

// explored are the candidates of the search, in the same pictures; not ok: there is nothing to mark.
func (h *StudySearch) explored() (out explored, ok bool) {
	feasible := h.feasible()
	if len(feasible) < leastExplored {
		return out, false
	}
	d := exploredData{Thing: "candidate", N: len(h.Value), Failed: plotting.Failed,
		AllWords: "candidates.csv has all candidates.", Scatter: []exploredTile{}}
	status, values := slices.Repeat([]string{"infeasible"}, d.N), slices.Repeat([]float64{math.NaN()}, d.N)
	for _, i := range feasible {
		status[i], values[i] = "feasible", h.Value[i]
	}
	d.Status = *newCoded(status)
	for _, in := range h.Tuned {
		words := fmt.Sprintf("%s over %s: %s", objectiveName(h.Objective), in.Name, plotting.CountOf(d.N, "candidate"))
		d.Scatter = append(d.Scatter, exploredTile{len(d.Columns), "", words + "."})
		d.addInput(in)
	}
	d.Scatter = d.Scatter[:min(len(d.Scatter), mostScatters)]
	generation := StudyInput{Name: "generation"}
	for _, g := range h.Generation {
		generation.Values = append(generation.Values, float64(g))
	}
	d.addInput(generation)
	d.colour(nil, -1)
	d.Main = d.addOutput(objectiveName(h.Objective), values, tight(values...))
	d.setAxes()
	return d.section("Candidates: "+objectiveName(h.Objective), fmt.Sprintf(howToExplore, "candidate")+
		"Crosses in the grey strip have no value or break a limit."), true
}

// statusOfRuns are the statuses of all runs.
func (s *Study) statusOfRuns() []string {
	if s.Status == nil {
		return slices.Repeat([]string{rths.Completed}, s.runs())
	}
	return s.Status
}

// ofCompleted are the values of an output, NaN where a run did not complete.
func (s *Study) ofCompleted(o StudyOutput) []float64 {
	values := slices.Clone(o.Values)
	for run := range values {
		if !s.has(o, run) {
			values[run] = math.NaN()
		}
	}
	return values
}

// addInputs adds the inputs, those of numbers with a scatter, and colours by the compared one.
func (s *Study) addInputs(d *exploredData) {
	methods := s.compared("")
	var compared *StudyInput
	at := -1
	for i, in := range s.Inputs {
		d.addInput(in)
		if methods != nil && methods.name == in.Name && len(methods.levels) <= mostMarks {
			compared, at = &s.Inputs[i], i
		}
		if in.Values != nil && len(d.Scatter) < mostScatters {
			title, words := s.scatterWords(in, s.Outputs[0], s.scatterData(in, s.Outputs[0]))
			d.Scatter = append(d.Scatter, exploredTile{i, title, words})
		}
	}
	d.colour(compared, at)
}
