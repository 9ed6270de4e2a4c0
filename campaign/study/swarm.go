package study

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"rths/result/record"
	"rths/scenario/files"
)

// Calibration is a search under way, with its history. It stands in CheckpointFile after every
// generation.
type Calibration struct {
	Plan      *Plan
	Criterion string
	Search    Search
	History   []Candidate
	Maps      []Map
}

// Candidate is one point that the search has tried.
type Candidate struct {
	Generation int       `json:"generation"` // from 1
	U          []float64 `json:"u"`          // in the unit cube
	Fitness    Fitness   `json:"fitness"`
}

// NewCalibration starts the search that a study asks for. criterion is the study's own, or else the
// main criterion of the base scenario.
func NewCalibration(ctx context.Context, p *Plan) (*Calibration, error) {
	c := &p.File.Calibrate
	if len(c.Keys) == 0 {
		return nil, p.File.origin.At("calibrate",
			errors.New("no keys to tune: want keys, each with from and to, as in {keys: {compensator.tau_ms: {from: 1, to: "+
				"50, log: true}}}"))
	}
	for i := range c.Keys {
		e := &c.Keys[i]
		for _, u := range []float64{0, 0.382, 0.5, 1} {
			if _, err := p.Template.With(e.Number(e.Of.Value(u))); err != nil {
				return nil, err
			}
		}
	}
	criterion, err := p.baseRow().Main(p.File)
	if err != nil {
		return nil, err
	}
	if c.Radius > 0 {
		if _, err := p.Base.Scenario.AtRest(ctx); err != nil {
			return nil, p.File.origin.At("calibrate.radius_below", err)
		}
	}
	search, err := c.Search.Params.Make(len(c.Keys), p.File.Seed)
	if err != nil {
		return nil, p.File.origin.At("calibrate.search", err)
	}
	return &Calibration{Plan: p, Criterion: criterion, Search: search}, nil
}

// Identity is a fingerprint of all that the calibration hangs on.
func (c *Calibration) Identity() string {
	k := &c.Plan.File.Calibrate
	var keys []any
	for _, e := range k.Keys {
		keys = append(keys, e.Key, e.Of)
	}
	var constraints []string
	for _, e := range k.Constraints {
		constraints = append(constraints, e.Name+" "+e.Range.String())
	}
	settings, err := k.Search.Settings()
	if err != nil {
		settings = err.Error()
	}
	if k.Margin > 0 {
		settings += fmt.Sprint(" margin ", k.Margin)
	}
	return hash(fmt.Sprint(c.Plan.Identity(), keys, c.Criterion, k.Of, k.Share, constraints, k.Radius, settings))
}

// Step evaluates one generation.
func (c *Calibration) Step(ctx context.Context, b *Bench, by Executor, progress func(done, of int)) error {
	candidates := c.Search.Ask()
	fitness, err := b.Evaluate(ctx, c.Plan, c.Criterion, candidates, by, progress)
	if err != nil {
		return err
	}
	for i := range candidates {
		c.History = append(c.History, Candidate{c.Search.Generation() + 1, candidates[i], fitness[i]})
	}
	c.Search.Tell(fitness)
	return nil
}

// saved is the content of CheckpointFile.
type saved struct {
	Format   int             `json:"format"`
	Identity string          `json:"identity"`
	Search   json.RawMessage `json:"search"`
	History  []Candidate     `json:"history"`
}

// Save writes the checkpoint.
func (c *Calibration) Save(dir string) error {
	search, err := c.Search.MarshalJSON()
	if err != nil {
		return err
	}
	return files.Write(filepath.Join(dir, CheckpointFile), func(w io.Writer) error {
		return record.WriteJSON(w, saved{Format, c.Identity(), search, c.History})
	})
}

// Resume takes the checkpoint of a folder. A folder without one has no whole generation yet.
func (c *Calibration) Resume(dir string) error {
	path := filepath.Join(dir, CheckpointFile)
	text, err := readAll(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var from saved
	if err := json.Unmarshal(text, &from); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if from.Format != Format || from.Identity != c.Identity() {
		return fmt.Errorf("%s is of another calibration: want the same study file and flags, or another folder", path)
	}
	if err := c.Search.UnmarshalJSON(from.Search); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for i, h := range from.History {
		if len(h.U) != len(c.Plan.File.Calibrate.Keys) {
			return fmt.Errorf("%s: history, entry %d: %d numbers: want %d", path, i+1, len(h.U), len(c.Plan.File.Calibrate.Keys))
		}
	}
	c.History = from.History
	return nil
}

// Best is the best fitness after every generation.
func (c *Calibration) Best() (best []Fitness) {
	for _, h := range c.History {
		if h.Generation > len(best) {
			if len(best) == 0 {
				best = append(best, Fitness{math.Inf(1), math.Inf(1)})
			} else {
				best = append(best, best[len(best)-1])
			}
		}
		if last := &best[len(best)-1]; h.Fitness.Less(*last) {
			*last = h.Fitness
		}
	}
	return best
}

// Sheet is the history as a table.
func (c *Calibration) Sheet() *record.Sheet {
	column := func(name string, of func(Candidate) float64) record.SheetColumn {
		out := record.SheetColumn{Name: name, Numbers: make([]float64, len(c.History))}
		for i, h := range c.History {
			out.Numbers[i] = of(h)
		}
		return out
	}
	s := &record.Sheet{Name: c.Plan.File.Name,
		Columns: []record.SheetColumn{column("generation", func(h Candidate) float64 { return float64(h.Generation) })}}
	for i, e := range c.Plan.File.Calibrate.Keys {
		s.Columns = append(s.Columns, column(e.Key, func(h Candidate) float64 { return e.Of.Value(h.U[i]) }))
	}
	return &record.Sheet{Name: s.Name, Columns: append(s.Columns,
		column("objective", func(h Candidate) float64 { return h.Fitness.Value }),
		column("violation", func(h Candidate) float64 { return h.Fitness.Violation }),
	)}
}

// Map is the objective, without a margin, over two keys around the best candidate, with the other keys as they are
// there.
type Map struct {
	X, Y  int         `json:"-"` // places of the keys
	KeyX  string      `json:"x"`
	KeyY  string      `json:"y"`
	AtX   []float64   `json:"at_x"`
	AtY   []float64   `json:"at_y"`
	Value [][]Fitness `json:"value"` // [y][x]
}

// mapReach is half the side of a map, of the range of a key.
const mapReach = 0.125

// Neighbourhood evaluates the objective on a grid around the best candidate, for one pair of
// keys after the other.
func (c *Calibration) Neighbourhood(ctx context.Context, b *Bench, by Executor, progress func(done, of int)) error {
	k := &c.Plan.File.Calibrate
	best, _, ok := c.Search.Best()
	n := k.Neighbourhood
	if n == 0 || !ok {
		return nil
	}
	var candidates [][]float64
	var maps []Map
	for x := range k.Keys {
		for y := x + 1; y < len(k.Keys); y++ {
			m := Map{X: x, Y: y, KeyX: k.Keys[x].Key, KeyY: k.Keys[y].Key}
			us, vs := around(best[x], n), around(best[y], n)
			for i := range n {
				m.AtX, m.AtY = append(m.AtX, k.Keys[x].Of.Value(us[i])), append(m.AtY, k.Keys[y].Of.Value(vs[i]))
			}
			for _, v := range vs {
				for _, u := range us {
					point := append([]float64(nil), best...)
					point[x], point[y] = u, v
					candidates = append(candidates, point)
				}
			}
			maps = append(maps, m)
		}
	}
	fitness, err := b.evaluate(ctx, c.Plan, c.Criterion, candidates, by, progress)
	if err != nil {
		return err
	}
	for i := range maps {
		for range n {
			maps[i].Value = append(maps[i].Value, fitness[:n])
			fitness = fitness[n:]
		}
	}
	c.Maps = maps
	return nil
}

// around are n points of [0, 1] about u.
func around(u float64, n int) []float64 {
	from, to := max(0, u-mapReach), min(1, u+mapReach)
	out := make([]float64, n)
	for i := range out {
		out[i] = from
		if n > 1 {
			out[i] += (to - from) * float64(i) / float64(n-1)
		}
	}
	return out
}
