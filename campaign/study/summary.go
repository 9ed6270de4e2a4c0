package study

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"rths"
	"rths/method/criteria"
	"rths/result/record"
)

// Summary is the result of a study in numbers. Statistics are over the runs that have
// completed; the others are counted as failures.
type Summary struct {
	Criterion string    `json:"criterion"` // the main one
	Runs      int       `json:"runs"`
	Completed int       `json:"completed"`
	Failures  []Failure `json:"failures"`
	Groups    []Group   `json:"groups"`
	Sobol     []Indices `json:"sobol,omitempty"`
	Remarks   []string  `json:"remarks"`
}

// Failure is how often runs ended in one way. Numbers in Reason are those of the first run.
type Failure struct {
	Status string `json:"status"`
	Reason string `json:"reason"`
	Runs   int    `json:"runs"`
	First  int    `json:"first_run"` // from 1, as in the rows
}

// Group is the runs of one combination of levels.
type Group struct {
	Name      string     `json:"name"`
	Levels    record.Row `json:"levels"`
	Runs      int        `json:"runs"`
	Completed int        `json:"completed"`
	Values    Statistics `json:"values"`
}

// Statistics are statistics by the names of criteria and indicators, in order.
type Statistics []Statistic

// MarshalJSON writes an object with the names as keys.
func (s Statistics) MarshalJSON() ([]byte, error) {
	row := record.Row{}
	for _, one := range s {
		row.Put(one.Name, record.Flat(one))
	}
	return row.MarshalJSON()
}

// Statistic describes a value over n runs. Intervals hold the quantity of infinitely many runs
// with a probability of 95 %: of the mean by Student's distribution, of quantiles by order
// statistics. An end that n runs cannot give is NaN.
type Statistic struct {
	Name     string
	N        int        `col:"n"`
	Mean     float64    `col:"mean"`
	MeanFrom float64    `col:"mean_from"`
	MeanTo   float64    `col:"mean_to"`
	SD       float64    `col:"sd"`
	Least    float64    `col:"min"`
	Largest  float64    `col:"max"`
	Quantile []Quantile `col:"quantiles"`
}

// Quantile is the value below which a share P of the runs is, with its interval.
type Quantile struct {
	P, Value, From, To float64
}

// MarshalJSON writes NaN as null.
func (q Quantile) MarshalJSON() ([]byte, error) {
	return record.Row{{Key: "p", V: q.P}, {Key: "value", V: q.Value}, {Key: "from", V: q.From},
		{Key: "to", V: q.To}}.MarshalJSON()
}

// shares are the quantiles of a summary.
var shares = []float64{0.05, 0.25, 0.5, 0.75, 0.9, 0.95}

// newStatistic describes some values; those that are not finite do not count.
func newStatistic(name string, values []float64) Statistic {
	x := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	slices.Sort(x)
	n := float64(len(x))
	nan := math.NaN()
	s := Statistic{Name: name, N: len(x), Mean: nan, MeanFrom: nan, MeanTo: nan, SD: nan, Least: nan, Largest: nan}
	if len(x) == 0 {
		return s
	}
	s.Mean, s.Least, s.Largest = 0, x[0], x[len(x)-1]
	for _, v := range x {
		s.Mean += v / n
	}
	if len(x) > 1 {
		square := 0.0
		for _, v := range x {
			square += (v - s.Mean) * (v - s.Mean)
		}
		s.SD = math.Sqrt(square / (n - 1))
		half := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.975) * s.SD / math.Sqrt(n)
		s.MeanFrom, s.MeanTo = s.Mean-half, s.Mean+half
	}
	for _, p := range shares {
		s.Quantile = append(s.Quantile, quantile(x, p))
	}
	return s
}

// quantile is a quantile of sorted values, between the two next to (n − 1) p (Hyndman and Fan
// 1996, definition 7). Its interval is between the l-th and the u-th value, l and u the
// binomial quantiles of 2.5 and 97.5 % (David and Nagaraja 2003, section 7.1).
func quantile(x []float64, p float64) Quantile {
	n := len(x)
	at := p * float64(n-1)
	below := int(at)
	q := Quantile{P: p, Value: x[below], From: math.NaN(), To: math.NaN()}
	if part := at - float64(below); part > 0 {
		q.Value += part * (x[below+1] - x[below])
	}
	count := distuv.Binomial{N: float64(n), P: p}
	// Value number i (from 1) lies below the quantile with the probability P(count ≥ i).
	if l := binomialQuantile(count, n, 0.025); l >= 1 {
		q.From = x[l-1]
	}
	if u := binomialQuantile(count, n, 0.975) + 1; u <= n {
		q.To = x[u-1]
	}
	return q
}

// binomialQuantile is the least k with P(count ≤ k) ≥ p.
func binomialQuantile(count distuv.Binomial, n int, p float64) int {
	lo, hi := 0, n
	for lo < hi {
		if mid := (lo + hi) / 2; count.CDF(float64(mid)) >= p {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// mainCriteria are the values that a study begins with, the first that its runs have.
var mainCriteria = []string{"J2_true_pct", "J2_1_true_pct", "nrmse_true_pct", "nrmse_pct", "J2_pct"}

// Main is the main criterion of the rows: the file's, or the first known one.
func (t *Table) Main(f *File) (string, error) {
	names := t.Names()
	if f.Criterion != "" {
		if len(names) > 0 && !slices.Contains(names, f.Criterion) {
			return "", f.origin.At("criterion", unknown(f.Criterion, names))
		}
		return f.Criterion, nil
	}
	for _, name := range mainCriteria {
		if slices.Contains(names, name) {
			return name, nil
		}
	}
	if len(names) == 0 {
		return "", nil
	}
	return names[0], nil
}

// summarise makes the summary of the rows that are there, in the order of the runs.
func (t *Table) summarise(p *Plan) (*Summary, error) {
	main, err := t.Main(p.File)
	if err != nil {
		return nil, err
	}
	s := &Summary{Criterion: main, Runs: t.done, Completed: t.done - t.Failed(), Failures: t.failures(),
		Remarks: []string{}}
	names := s.Names(t)
	columns := map[string][]float64{}
	for _, name := range names {
		columns[name] = t.Column(name)
	}
	if len(p.random) > 0 && (p.File.Sampling == string(Latin) || p.File.Sampling == string(Halton)) {
		s.Remarks = append(s.Remarks,
			"intervals are for independent points: this design spreads its points more evenly, and the intervals are wider "+
				"than they need be")
	}
	for _, block := range p.fixed {
		s.Remarks = append(s.Remarks,
			fmt.Sprintf("the block %s has the settings of the base scenario in all runs, since an entry of a list that it "+
				"leaves to its default varies: settings that follow from the plant do not follow other plants", block))
	}
	if n := t.lost(); n > 0 {
		s.Remarks = append(s.Remarks,
			fmt.Sprintf("%d of %d runs completed with the verdict lost (J2 above %g %%): the statistics include them", n,
				s.Completed, criteria.LostJ2))
	}
	cells := t.cells(p, s)
	runs := t.Runs()
	for cell, places := range cells {
		g := t.group(runs, places, names, columns)
		if g.Name, g.Levels = "all combinations", (record.Row{}); len(cells) == p.Cells() {
			g.Name, g.Levels = p.Label(cell), p.Levels(cell)
		}
		s.Groups = append(s.Groups, g)
	}
	return s, t.sobol(p, s)
}

// lost is the number of runs that completed with results that are worth nothing.
func (t *Table) lost() (n int) {
	for i := range t.rows {
		if r := &t.rows[i]; r.there && r.Status == rths.Completed && r.Verdict == criteria.Lost {
			n++
		}
	}
	return n
}

// Names are the names of all values, the main criterion first.
func (s *Summary) Names(t *Table) []string {
	names := t.Names()
	if i := slices.Index(names, s.Criterion); i > 0 {
		names = append([]string{s.Criterion}, slices.Delete(names, i, i+1)...)
	}
	return names
}

// mostGroups bounds the groups of a summary.
const mostGroups = 1000

// cells are the places of the rows of every combination of levels in a column; of all rows
// where there are too many combinations.
func (t *Table) cells(p *Plan, s *Summary) [][]int {
	out := make([][]int, p.Cells())
	if len(out) > mostGroups {
		s.Remarks = append(s.Remarks, fmt.Sprintf("statistics are over all %d combinations of levels together: more than %d",
			len(out), mostGroups))
		out = make([][]int, 1)
	}
	if p.File.Sampling == saltelli {
		s.Remarks = append(s.Remarks,
			fmt.Sprintf("statistics are over the %d runs at independent points; the other runs change one variable of such a "+
				"point, for the indices alone", 2*p.File.points()))
	}
	for place, run := range t.Runs() {
		if !p.Independent(run) {
			continue
		}
		cell := min(p.Cell(run), len(out)-1)
		out[cell] = append(out[cell], place)
	}
	return out
}

// group are the statistics of some rows, of those that have completed.
func (t *Table) group(runs, places []int, names []string, columns map[string][]float64) Group {
	g := Group{Runs: len(places), Values: Statistics{}}
	places = slices.DeleteFunc(places, func(i int) bool { return t.rows[runs[i]].Status != rths.Completed })
	g.Completed = len(places)
	for _, name := range names {
		x := make([]float64, len(places))
		for i, place := range places {
			x[i] = columns[name][place]
		}
		if s := newStatistic(name, x); s.N > 0 {
			g.Values = append(g.Values, s)
		}
	}
	return g
}

// failures counts the rows that have not completed, by status and reason without its numbers.
func (t *Table) failures() []Failure {
	out, at := []Failure{}, map[string]int{}
	for run := range t.rows {
		r := &t.rows[run]
		if !r.there || r.Status == rths.Completed {
			continue
		}
		key := r.Status + " " + withoutNumbers(r.Reason)
		i, known := at[key]
		if !known {
			i = len(out)
			at[key] = i
			out = append(out, Failure{Status: r.Status, Reason: r.Reason, First: run + 1})
		}
		out[i].Runs++
	}
	slices.SortStableFunc(out, func(a, b Failure) int { return b.Runs - a.Runs })
	return out
}

func withoutNumbers(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || strings.ContainsRune(".+-e", r) {
			return -1
		}
		return r
	}, text)
}

// Indices are the Sobol' indices of one value.
type Indices struct {
	Name   string         `json:"name"`
	Inputs []SobolOfInput `json:"inputs"`
	Lost   int            `json:"lost_points"` // points of which a run has no value
}

// SobolOfInput are the indices of one variable.
type SobolOfInput struct {
	Key   string `json:"key"`
	First Index  `json:"first"`
	Total Index  `json:"total"`
}

// sobol adds the Sobol' indices, if the design is Saltelli's and all rows are there.
func (t *Table) sobol(p *Plan, s *Summary) error {
	if p.File.Sampling != saltelli {
		return nil
	}
	if t.done < len(t.rows) {
		s.Remarks = append(s.Remarks, fmt.Sprintf("no Sobol' indices: %d of %d runs are missing", len(t.rows)-t.done,
			len(t.rows)))
		return nil
	}
	names := p.File.Sobol
	if len(names) == 0 {
		names = []string{s.Criterion}
	}
	for _, name := range names {
		if !slices.Contains(t.Names(), name) {
			return p.File.origin.At("sobol", unknown(name, t.Names()))
		}
		values := t.Column(name)
		for run := range t.rows {
			if t.rows[run].Status != rths.Completed {
				values[run] = math.NaN()
			}
		}
		of, lost, err := sobolIndices(values, len(p.random), p.File.Seed)
		if err != nil {
			s.Remarks = append(s.Remarks, fmt.Sprintf("no Sobol' indices of %s: %v", name, err))
			continue
		}
		one := Indices{Name: name, Lost: lost}
		for i := range p.random {
			one.Inputs = append(one.Inputs, SobolOfInput{p.File.Variables[p.random[i]].Key, of.First[i], of.Total[i]})
		}
		s.Sobol = append(s.Sobol, one)
	}
	return nil
}

// headline is the main criterion over all groups, for lists of studies.
func (s *Summary) headline() record.Row {
	row := record.Row{}
	if len(s.Groups) != 1 || len(s.Groups[0].Values) == 0 {
		return row
	}
	v := s.Groups[0].Values[0]
	row.Put(v.Name+"_mean", v.Mean)
	row.Put(v.Name+"_max", v.Largest)
	return row
}

// At is the quantile of a share, NaN if the statistic has none.
func (s *Statistic) At(share float64) float64 {
	for _, q := range s.Quantile {
		if q.P == share {
			return q.Value
		}
	}
	return math.NaN()
}
