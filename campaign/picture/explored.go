package picture

import (
	"encoding/json"
	"slices"
	"strconv"

	"rths/result/plotting"
)

// Limits of the pictures of single runs.
const (
	mostScatters    = 12
	mostUpright     = 11 // upright axes
	fewestUprightOf = 4  // criteria among them, where there are as many
	leastExplored   = 2
	mostMarks       = 30      // of levels: more have one colour
	mostNumbersSent = 250_000 // to the script: of more there are fewer criteria, or no pictures of single runs
)

// explored are runs or candidates that study.js draws: a section of the page.
type explored struct {
	Title, Caption string
	Data           plotting.Raw
}

// exploredData is what the script reads: columns in place of runs, so that ten thousand runs are short.
type exploredData struct {
	Thing    string          `json:"thing"`
	N        int             `json:"n"`
	Numbers  []int           `json:"numbers,omitempty"` // of the runs; none: from 1
	Status   coded           `json:"status"`
	Links    map[int]string  `json:"links,omitempty"` // by the place of the run
	Columns  []exploredInput `json:"columns"`
	Main     int             `json:"main"`    // the column that scatters and histogram are of
	Axes     []int           `json:"axes"`    // columns of the parallel coordinates and of the table
	Scatter  []exploredTile  `json:"scatter"` // the main column over others
	Edges    []float64       `json:"edges"`   // of the bars of the histogram, coordinates
	Method   int             `json:"method"`  // the column that colours are of; -1: none
	Marks    []exploredMark  `json:"marks"`
	Failed   string          `json:"failed"` // colour of what failed
	AllWords string          `json:"words"`  // of the file with all runs
}

// exploredInput is an input or a criterion. Coordinates go from Low to High, as those of axis.
type exploredInput struct {
	Label  string    `json:"label"`  // of its axis
	Name   string    `json:"name"`   // with its unit
	Output bool      `json:"output"` // a value that a run which failed has not
	Values compact   `json:"v"`      // nil of levels
	Of     *coded    `json:"of"`     // levels
	Log    bool      `json:"log"`    // coordinates are logarithms
	Power  int       `json:"power"`  // coordinates are values over this power of ten
	Range  []float64 `json:"range"`  // of the coordinates
}

type exploredTile struct {
	Column int    `json:"column"`
	Title  string `json:"title"`
	Words  string `json:"words"`
}

type exploredMark struct {
	Colour string `json:"colour"`
	Round  int    `json:"round"`
}

// coded are texts by their places in a list.
type coded struct {
	Levels []string `json:"levels"`
	At     []int    `json:"at"`
}

func newCoded(texts []string) *coded {
	c, place := &coded{Levels: []string{}, At: make([]int, len(texts))}, map[string]int{}
	for i, text := range texts {
		at, known := place[text]
		if !known {
			at = len(c.Levels)
			place[text], c.Levels = at, append(c.Levels, text)
		}
		c.At[i] = at
	}
	return c
}

// compact are numbers in seven digits, null where no axis can show one.
type compact []float64

// MarshalJSON writes a list, null for none.
func (c compact) MarshalJSON() ([]byte, error) {
	if c == nil {
		return []byte("null"), nil
	}
	out := []byte{'['}
	for i, v := range c {
		if i > 0 {
			out = append(out, ',')
		}
		if !shown(v) {
			out = append(out, "null"...)
			continue
		}
		out = strconv.AppendFloat(out, v, 'g', 7, 64)
	}
	return append(out, ']'), nil
}

// section is the data as a section of the page, safe within a script element: Marshal escapes <, > and &.
func (d *exploredData) section(title, caption string) explored {
	text, err := json.Marshal(d)
	if err != nil {
		panic("picture: " + err.Error()) // texts and numbers only
	}
	return explored{title, caption, plotting.Raw(text)}
}

// add adds a column, and gives its place.
func (d *exploredData) add(c exploredInput, a axis) int {
	c.Label, c.Log, c.Power, c.Range = a.label(c.Name), a.log, a.power, []float64{a.low, a.high}
	d.Columns = append(d.Columns, c)
	return len(d.Columns) - 1
}

// addInput adds an input: numbers, or else levels.
func (d *exploredData) addInput(in StudyInput) {
	if in.Values == nil {
		d.add(exploredInput{Name: in.label(), Of: newCoded(in.Labels)}, axis{high: 1})
		return
	}
	d.add(exploredInput{Name: in.label(), Values: in.Values}, newAxis(in.Log, in.Values...))
}

// addOutput adds a criterion; log: its axis is wanted logarithmic.
func (d *exploredData) addOutput(name string, values []float64, log bool) int {
	return d.add(exploredInput{Name: name, Output: true, Values: values}, newAxis(log, values...))
}

// setAxes chooses the upright axes, of inputs that vary and of the first criteria, and the bars of the main one.
func (d *exploredData) setAxes() {
	var inputs, outputs []int
	for i, c := range d.Columns {
		switch {
		case c.Output:
			outputs = append(outputs, i)
		case c.Of != nil && len(c.Of.Levels) > 1 || c.Values != nil && len(distinct(c.Values)) > 1:
			inputs = append(inputs, i)
		}
	}
	inputs = inputs[:min(len(inputs), mostUpright-min(len(outputs), fewestUprightOf))]
	d.Axes = slices.Concat(inputs, outputs[:min(len(outputs), fewestUprightOf)])
	main := d.Columns[d.Main]
	a := axis{log: main.Log, power: main.Power}
	var at []float64
	for _, v := range main.Values {
		if shown(v) {
			at = append(at, a.at(v))
		}
	}
	d.Edges, _ = histogram(at)
	main.Range[0], main.Range[1] = min(main.Range[0], d.Edges[0]), max(main.Range[1], d.Edges[len(d.Edges)-1])
}

// colour chooses the column of the colours.
func (d *exploredData) colour(in *StudyInput, at int) {
	if d.Method = -1; in == nil {
		d.Marks = []exploredMark{{plotting.Colour(0), 0}}
		return
	}
	d.Method = at
	of := newCoded(in.Labels)
	d.Columns[at].Of = of
	for _, m := range levelMarks(in.Name, of.Levels) {
		d.Marks = append(d.Marks, exploredMark{m.colour, m.round})
	}
}
