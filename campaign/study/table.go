package study

import (
	"math"
	"slices"
	"strings"

	"rths"
	"rths/result/record"
)

// Table has the rows of a study that are there, by the number of the run.
type Table struct {
	rows []stored
	sets [][]string // lists of names of values; rows with the same names share one
	done int
}

// stored is a Row without the names of its values.
type stored struct {
	Row
	there  bool
	set    int
	values []float64
}

func newTable(runs int) *Table { return &Table{rows: make([]stored, runs)} }

// put takes a row, and says which list of names it has and whether that list is new.
func (t *Table) put(row Row) (set int, fresh bool) {
	names, values := make([]string, len(row.Values)), make([]float64, len(row.Values))
	for i, v := range row.Values {
		names[i], values[i] = v.Name, v.V
	}
	set = slices.IndexFunc(t.sets, func(s []string) bool { return slices.Equal(s, names) })
	if fresh = set < 0; fresh {
		set = len(t.sets)
		t.sets = append(t.sets, names)
	}
	row.Values = nil
	t.keep(stored{Row: row, set: set, values: values})
	return set, fresh
}

func (t *Table) keep(s stored) {
	if !t.rows[s.Run].there {
		t.done++
	}
	s.there = true
	t.rows[s.Run] = s
}

// Done is the number of rows.
func (t *Table) Done() int { return t.done }

// Missing are the runs without a row.
func (t *Table) Missing() []int {
	out := make([]int, 0, len(t.rows)-t.done)
	for i := range t.rows {
		if !t.rows[i].there {
			out = append(out, i)
		}
	}
	return out
}

// Row is the row of a run, and whether it is there.
func (t *Table) Row(run int) (Row, bool) {
	s := t.rows[run]
	for i, v := range s.values {
		s.Values = append(s.Values, rths.Value{Name: t.sets[s.set][i], V: v})
	}
	return s.Row, s.there
}

// Names are the names of criteria, indicators and learnt parameters, in the order of the runs.
func (t *Table) Names() []string {
	return slices.DeleteFunc(t.names(), func(name string) bool { return strings.HasPrefix(name, drawn) })
}

// Drawn are the names of what random plants have drawn, as drawn.transfer.omega_rad_s.
func (t *Table) Drawn() []string {
	return slices.DeleteFunc(t.names(), func(name string) bool { return !strings.HasPrefix(name, drawn) })
}

// names are the names of all values.
func (t *Table) names() (names []string) {
	seen := map[int]bool{}
	for i := range t.rows {
		if s := &t.rows[i]; s.there && !seen[s.set] {
			seen[s.set] = true
			for _, name := range t.sets[s.set] {
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// Column is a value of all runs that have a row, in their order; NaN where a row has none of
// the name.
func (t *Table) Column(name string) []float64 {
	at := make([]int, len(t.sets))
	for i, names := range t.sets {
		at[i] = slices.Index(names, name)
	}
	out := make([]float64, 0, t.done)
	for i := range t.rows {
		if s := &t.rows[i]; s.there && at[s.set] >= 0 {
			out = append(out, s.values[at[s.set]])
		} else if s.there {
			out = append(out, math.NaN())
		}
	}
	return out
}

// Runs are the numbers of the runs that have a row.
func (t *Table) Runs() []int {
	out := make([]int, 0, t.done)
	for i := range t.rows {
		if t.rows[i].there {
			out = append(out, i)
		}
	}
	return out
}

// simulatedS is the time that all runs have simulated, s.
func (t *Table) simulatedS() (s float64) {
	for i := range t.rows {
		s += t.rows[i].SimulatedS
	}
	return s
}

// Failed is the number of rows whose run has not completed.
func (t *Table) Failed() (n int) {
	for i := range t.rows {
		if r := &t.rows[i]; r.there && r.Status != rths.Completed {
			n++
		}
	}
	return n
}

// Sheet is the table of a plan, one row a run: its number from 1, inputs, status, reason and wall
// time, then all values.
func (t *Table) Sheet(p *Plan) *record.Sheet {
	runs := t.Runs()
	s := &record.Sheet{Name: p.File.Name}
	number := func(name, unit string, of func(run int) float64) {
		c := record.SheetColumn{Name: name, Unit: unit, Numbers: make([]float64, len(runs))}
		for i, run := range runs {
			c.Numbers[i] = of(run)
		}
		s.Columns = append(s.Columns, c)
	}
	text := func(name string, of func(run int) string) {
		c := record.SheetColumn{Name: name, Texts: make([]string, len(runs))}
		for i, run := range runs {
			c.Texts[i] = of(run)
		}
		s.Columns = append(s.Columns, c)
	}
	number("run", "", func(run int) float64 { return float64(run + 1) })
	for _, in := range p.Columns(runs) {
		s.Columns = append(s.Columns, record.SheetColumn{Name: in.Key, Numbers: in.Numbers, Texts: in.Texts})
	}
	for _, name := range t.Drawn() {
		s.Columns = append(s.Columns, record.SheetColumn{Name: name, Numbers: t.Column(name)})
	}
	text("status", func(run int) string { return t.rows[run].Status })
	text("verdict", func(run int) string { return t.rows[run].Verdict })
	text("reason", func(run int) string { return t.rows[run].Reason })
	text("warnings", func(run int) string { return t.rows[run].Warnings })
	number("wall_s", "s", func(run int) float64 { return t.rows[run].WallS })
	number("simulated_s", "s", func(run int) float64 { return t.rows[run].SimulatedS })
	for _, name := range t.Names() {
		s.Columns = append(s.Columns, record.SheetColumn{Name: name, Numbers: t.Column(name)})
	}
	return s
}

// Input is what one variable is in some runs, in their order: numbers, or texts.
type Input struct {
	Key     string
	Levels  bool // not drawn at random
	Log     bool
	Numbers []float64
	Texts   []string // nil if all are numbers
}

// Columns are the inputs of some runs: the variables, then random plant and seed where the
// study sets them.
func (p *Plan) Columns(runs []int) (out []Input) {
	for i, v := range p.File.Variables {
		in := Input{Key: v.Key, Levels: !v.Random(), Log: v.Log, Numbers: make([]float64, len(runs))}
		for j, run := range runs {
			x, ok := p.input(run, i).Float()
			if in.Numbers[j] = x; !ok {
				in.Numbers, in.Texts = nil, p.texts(runs, i)
				break
			}
		}
		out = append(out, in)
	}
	number := func(key string, of func(run int) float64) {
		if p.varies(key) {
			return // the variable counts
		}
		in := Input{Key: key, Numbers: make([]float64, len(runs))}
		for j, run := range runs {
			in.Numbers[j] = of(run)
		}
		out = append(out, in)
	}
	if p.File.Perturbed > 0 {
		number("perturbed", func(run int) float64 { return float64(p.Point(run) + 1) })
	}
	if p.drawn {
		number("seed", func(run int) float64 { seed, _ := p.Seed(run); return float64(seed) })
	}
	return out
}

// varies reports whether a key is a variable.
func (p *Plan) varies(key string) bool {
	return slices.ContainsFunc(p.File.Variables, func(v Variable) bool { return v.Key == key })
}

// AsInScenario is the text of a variable that a run of a one-at-a-time study leaves alone.
const AsInScenario = "as in the scenario"

// texts are the values of a variable in some runs as a scenario has them.
func (p *Plan) texts(runs []int, variable int) []string {
	out := make([]string, len(runs))
	for j, run := range runs {
		if out[j] = AsInScenario; p.input(run, variable).Key != "" {
			out[j] = p.input(run, variable).Text()
		}
	}
	return out
}
