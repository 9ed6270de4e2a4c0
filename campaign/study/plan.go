package study

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rths"
	"rths/maths/words"
	"rths/result/record"
	"rths/scenario"
	"rths/scenario/files"
	"rths/scenario/syntax"
)

// mostRuns bounds a study.
const mostRuns = 10_000_000

// Plan is the list of all runs of a study. Run i is the same whoever makes it, and whatever
// the other runs are: it hangs on the file alone.
type Plan struct {
	File     *File
	Template *scenario.Template
	Base     *scenario.Run // the base scenario, before its first tick
	Inputs   []files.Input // that the base scenario and the levels read

	cells  [][]int     // the level of every variable with levels, -1: as in the base scenario
	levels []int       // places of these variables in File.Variables
	random []int       // places of those drawn at random
	points [][]float64 // of the random variables, in the unit cube
	drawn  bool        // runs have seeds of their own
	tuned  []syntax.Setting
	fixed  []string // blocks whose defaults are those of the base scenario in all runs
}

// Tune sets tuned keys in all runs from now on.
func (p *Plan) Tune(settings []syntax.Setting) { p.tuned = settings }

// NewPlan builds the base scenario, looks at every value of every variable, and lists the runs.
func (b *Bench) NewPlan(ctx context.Context, f *File, t *scenario.Template) (*Plan, error) {
	p := &Plan{File: f, Template: t}
	for i, v := range f.Variables {
		if v.Random() {
			p.random = append(p.random, i)
		} else {
			p.levels = append(p.levels, i)
		}
	}
	if err := b.base(ctx, p); err != nil {
		return nil, err
	}
	if err := p.cross(); err != nil {
		return nil, f.origin.At("variables", err)
	}
	if n := float64(len(p.cells)) * p.size(); n > mostRuns {
		return nil, f.origin.At("variables", fmt.Errorf("%.3g runs: want at most %d", n, mostRuns))
	}
	if err := p.draw(); err != nil {
		return nil, f.origin.At("points", err)
	}
	if err := p.named(); err != nil {
		return nil, err
	}
	if err := b.try(p); err != nil {
		return nil, err
	}
	return p, b.tryTuned(ctx, p)
}

// base builds the base scenario.
func (b *Bench) base(ctx context.Context, p *Plan) error {
	s, err := p.Template.With()
	if err != nil {
		return err
	}
	if p.Base, err = s.Build(ctx, scenario.Options{RecordsDir: b.RecordsDir, Shared: b.Shared}); err != nil {
		return fmt.Errorf("the base scenario: %w", err)
	}
	if p.File.Name == "" {
		p.File.Name = s.Name
	}
	p.Inputs = slices.Clone(p.Base.Inputs)
	p.fixed, err = p.Template.Spell(p.Base.Scenario, p.keys()...)
	return err
}

// keys are the keys that vary.
func (p *Plan) keys() (out []string) {
	for _, v := range p.File.Variables {
		out = append(out, v.Key)
	}
	for _, tuned := range p.File.Calibrate.Keys {
		out = append(out, tuned.Key)
	}
	return out
}

// cross lists the combinations of levels, those of the last variable next to each other.
func (p *Plan) cross() error {
	n := 1
	for _, i := range p.levels {
		if n *= len(p.File.Variables[i].Levels); n > mostRuns {
			return fmt.Errorf("more than %d combinations of levels: want fewer levels, or one_at_a_time: true", mostRuns)
		}
	}
	if p.File.OneAtATime {
		p.oneAtATime()
		return nil
	}
	for c := range n {
		cell := make([]int, len(p.levels))
		for j := len(p.levels) - 1; j >= 0; j-- {
			of := len(p.File.Variables[p.levels[j]].Levels)
			cell[j], c = c%of, c/of
		}
		p.cells = append(p.cells, cell)
	}
	return nil
}

// oneAtATime lists the base scenario, and each level of each variable alone.
func (p *Plan) oneAtATime() {
	base := make([]int, len(p.levels))
	for j := range base {
		base[j] = -1
	}
	p.cells = append(p.cells, base)
	for j, i := range p.levels {
		for level := range p.File.Variables[i].Levels {
			cell := append([]int(nil), base...)
			cell[j] = level
			p.cells = append(p.cells, cell)
		}
	}
}

// size is the number of points that draw makes.
func (p *Plan) size() float64 {
	n := float64(max(1, p.File.points()))
	if p.File.Sampling == saltelli {
		n *= float64(len(p.random) + 2)
	}
	return n
}

// named looks for the criteria that the file names among those of the base scenario, and for keys
// that a random plant would draw over.
func (p *Plan) named() error {
	t := p.baseRow()
	known := t.Names()
	for _, name := range p.File.Sobol {
		if !slices.Contains(known, name) {
			return p.File.origin.At("sobol", unknown(name, known))
		}
	}
	for _, e := range p.File.Calibrate.Constraints {
		if !slices.Contains(known, e.Name) {
			return p.File.origin.At("calibrate.constraints", unknown(e.Name, known))
		}
	}
	for _, s := range p.Base.Scenario.Scatter {
		if (p.File.Perturbed > 0 || p.Base.Scenario.Perturbed > 0) && slices.Contains(p.keys(), s.Key) {
			return p.File.origin.At("variables",
				fmt.Errorf("%s is drawn by scatter for every random plant, and its value here would change the nominal plant "+
					"alone: want it in one of the two", s.Key))
		}
	}
	_, err := t.Main(p.File)
	return err
}

// baseRow is a table of the base scenario alone, before its first tick.
func (p *Plan) baseRow() *Table {
	t := newTable(1)
	t.put(Row{Status: rths.Completed, Values: p.Base.Values()})
	return t
}

// unknown is the error of a name that no value of a run has.
func unknown(name string, known []string) error {
	if like := words.Like(name, known); len(like) > 0 {
		return fmt.Errorf("%q: did you mean %s?", name, strings.Join(like, ", "))
	}
	return fmt.Errorf("%q: want one of %s", name, strings.Join(known, ", "))
}

// draw draws the points.
func (p *Plan) draw() (err error) {
	n, k := p.File.points(), len(p.random)
	p.drawn = n > 0
	switch {
	case n == 0:
		p.points = [][]float64{nil}
	case k == 0:
		p.points = make([][]float64, n)
	case p.File.Sampling == saltelli:
		p.points, err = saltelliPoints(Halton, n, k, p.File.Seed)
	default:
		p.points, err = Points(Sampling(p.File.Sampling), n, k, p.File.Seed)
	}
	return err
}

// beside is a setting beside those of the first run: a key may be one of the block that another
// variable sets.
func (p *Plan) beside(set syntax.Setting) []syntax.Setting {
	others := slices.DeleteFunc(p.Settings(0), func(s syntax.Setting) bool { return s.Key == set.Key })
	return syntax.Sorted(append(others, set))
}

// try decodes the scenario with every level, and with the middle of every distribution, one after
// the other, and reads the excitation where it is another one.
func (b *Bench) try(p *Plan) error {
	for i := range p.File.Variables {
		v := &p.File.Variables[i]
		tries := append(append([]syntax.Setting(nil), v.Levels...), v.Of...)
		if v.Drawn != nil {
			tries = append(tries, v.Setting(0.5), v.Setting(0.382)) // two, so that a whole number is no accident
		}
		for _, set := range tries {
			s, err := p.Template.With(p.beside(set)...)
			if err == nil && reads(v.Key) {
				err = b.read(p, s)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// tryTuned wants the scenario to allow both ends of every tuned key.
func (b *Bench) tryTuned(ctx context.Context, p *Plan) error {
	keys := p.File.Calibrate.Keys
	for i := range keys {
		for _, end := range []float64{0, 1} {
			if err := b.tryEnd(ctx, p, i, end); err != nil {
				return p.File.origin.At("calibrate", fmt.Errorf("keys.%s: %g: want a range that the scenario allows: %w",
					keys[i].Key, keys[i].Of.Value(end), err))
			}
		}
	}
	return nil
}

// tryEnd builds the base scenario with a tuned key at an end, 0 or 1: with the other keys as they stand, or else at
// their least or their largest values. The error is the first where all three are refused.
func (b *Bench) tryEnd(ctx context.Context, p *Plan, key int, end float64) error {
	c := &p.File.Calibrate
	first := b.builds(ctx, p.Template, c.Keys[key].Number(c.Keys[key].Of.Value(end)))
	for _, others := range []float64{0, 1} {
		u := slices.Repeat([]float64{others}, len(c.Keys))
		u[key] = end
		if first == nil || b.builds(ctx, p.Template, c.Settings(u)...) == nil {
			return nil
		}
	}
	return first
}

// builds is why a scenario with some settings cannot be built, or nil.
func (b *Bench) builds(ctx context.Context, t *scenario.Template, sets ...syntax.Setting) error {
	s, err := t.With(sets...)
	if err == nil {
		_, err = s.Build(ctx, scenario.Options{RecordsDir: b.RecordsDir, Shared: b.Shared})
	}
	return err
}

// read reads the excitation of a level, and the matrices of its structure, and notes the files.
func (b *Bench) read(p *Plan, s *scenario.Scenario) error {
	made, err := b.Shared.Shake(s, b.RecordsDir)
	if err != nil {
		return err
	}
	matrices, err := b.Shared.Matrices(s)
	if err != nil {
		return err
	}
	for _, in := range slices.Concat(made.Inputs, matrices) {
		if !slices.Contains(p.Inputs, in) {
			p.Inputs = append(p.Inputs, in)
		}
	}
	return nil
}

// reads reports whether a key may name a file: it belongs to the excitation or to the structure.
func reads(key string) bool {
	top, _, _ := strings.Cut(key, ".")
	top, _, _ = strings.Cut(top, "[")
	return slices.Contains([]string{"ground", "more_ground", "forces", "target", "structure"}, top)
}

// Runs is the number of runs.
func (p *Plan) Runs() int { return len(p.cells) * len(p.points) }

// Cells is the number of combinations of levels.
func (p *Plan) Cells() int { return len(p.cells) }

// Cell is the combination of levels of a run.
func (p *Plan) Cell(run int) int { return run / len(p.points) }

// Point is the number of a run's point, from 0.
func (p *Plan) Point(run int) int { return run % len(p.points) }

// Seed is the scenario's seed of a run, and whether the study sets it. Runs at the same point
// have the same seed in all cells. In Saltelli's design the noise is one more input, which no
// index is of: points A and B have seeds of their own, and a point AB has the seed of its A.
func (p *Plan) Seed(run int) (seed uint64, set bool) {
	point, n := p.Point(run), max(1, p.File.points())
	if !p.Independent(run) {
		point %= n
	}
	return RunSeed(p.File.Seed, point) >> 11, p.drawn // a float64 holds 53 bits
}

// Independent reports whether the point of a run hangs on no other point: in Saltelli's design
// those of A and B, and not those that change one variable of a point A.
func (p *Plan) Independent(run int) bool {
	return p.File.Sampling != saltelli || p.Point(run) < 2*p.File.points()
}

// input is the value of a variable in a run. A variable that a run of a one-at-a-time study leaves
// as it is in the base scenario has an empty Key.
func (p *Plan) input(run, variable int) syntax.Setting {
	if j := slices.Index(p.random, variable); j >= 0 {
		return p.File.Variables[variable].Setting(p.points[p.Point(run)][j])
	}
	if level := p.cells[p.Cell(run)][slices.Index(p.levels, variable)]; level >= 0 {
		return p.File.Variables[variable].Levels[level]
	}
	return syntax.Setting{}
}

// Settings are the settings of a run in the order in which they are made: seed and plant
// first, so that a variable of the same key counts.
func (p *Plan) Settings(run int) (out []syntax.Setting) {
	if seed, set := p.Seed(run); set {
		out = append(out, syntax.Whole("seed", seed, "the run's seed"))
	}
	if p.File.Perturbed > 0 {
		out = append(out, syntax.Whole("perturbed", uint64(p.Point(run)+1), "the run's plant"))
	}
	for i := range p.File.Variables {
		if s := p.input(run, i); s.Key != "" {
			out = append(out, s)
		}
	}
	return syntax.Sorted(append(out, p.tuned...))
}

// Levels are the levels of a cell by their keys; in a one-at-a-time study of the variable that
// has one, or none for the base scenario.
func (p *Plan) Levels(cell int) record.Row {
	out := record.Row{}
	for j, i := range p.levels {
		if level := p.cells[cell][j]; level >= 0 {
			out.Put(p.File.Variables[i].Key, p.File.Variables[i].Levels[level].Text())
		}
	}
	return out
}

// Label names the levels of a cell, as in "amb, kobe", or "timing.force_delay 2" of a
// one-at-a-time study.
func (p *Plan) Label(cell int) string {
	levels := p.Levels(cell)
	if p.File.OneAtATime {
		if len(levels) == 0 {
			return "base scenario"
		}
		return levels[0].Key + " " + brief(levels[0].V.(string))
	}
	var words []string
	for _, level := range levels {
		words = append(words, brief(level.V.(string)))
	}
	return strings.Join(words, ", ")
}

// briefly is the longest text of a level in a label.
const briefly = 32

// brief is the text of a level for a label: a number with 6 digits, the beginning of a block.
func brief(text string) string {
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		return strconv.FormatFloat(x, 'g', 6, 64)
	}
	if len(text) > briefly {
		return strings.ToValidUTF8(text[:briefly], "") + "…"
	}
	return text
}

// Describe says the design in words.
func (p *Plan) Describe() string {
	var words []string
	switch n := len(p.cells); {
	case p.File.OneAtATime:
		words = append(words, fmt.Sprintf("one variable at a time, %d levels and the base scenario", n-1))
	case len(p.levels) > 0:
		words = append(words, fmt.Sprintf("%d combinations of levels", n))
	}
	switch n := p.File.points(); {
	case p.File.Sampling == saltelli:
		words = append(words, fmt.Sprintf("Saltelli's design of %s and %s", counted(n, "point"),
			counted(len(p.random), "variable")))
	case len(p.random) > 0:
		words = append(words, fmt.Sprintf("%s of %s, sampling %s", counted(n, "point"), counted(len(p.random), "variable"),
			p.File.Sampling))
	case n > 0 && p.File.Perturbed == 0:
		words = append(words, fmt.Sprintf("%d repeats", n))
	}
	if p.File.Perturbed > 0 {
		words = append(words, fmt.Sprintf("%d random plants", p.File.Perturbed))
	}
	if len(words) == 0 {
		return "one run"
	}
	return strings.Join(words, "; ")
}

// counted is a number of things.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Identity is a fingerprint of all that the runs hang on, besides the program and the files of
// the scenario.
func (p *Plan) Identity() string {
	type variable struct{ Key, What string }
	var variables []variable
	for i := range p.File.Variables {
		v := &p.File.Variables[i]
		what := fmt.Sprintf("%#v %v %v", v.Drawn, v.Levels, v.Of)
		variables = append(variables, variable{v.Key, what})
	}
	text, err := json.Marshal(struct {
		Scenario          string
		Seed              uint64
		Variables         []variable
		OneAtATime        bool
		Sampling          string
		Points, Perturbed int
	}{p.Template.Text(), p.File.Seed, variables, p.File.OneAtATime, p.File.Sampling, p.File.Points, p.File.Perturbed})
	if err != nil {
		panic(err) // texts and numbers
	}
	return hash(string(text))
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
