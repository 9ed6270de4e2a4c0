package study

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"rths"
	"rths/maths/scatter"
	"rths/scenario/syntax"
)

// Variables are keys of a scenario and what becomes of them in a study, in the order of the
// file.
type Variables []Variable

// Variable is one key that a study varies: by levels, or drawn at random.
type Variable struct {
	Key    string
	Levels []syntax.Setting     // one after the other
	Drawn  scatter.Distribution // a number at random; nil with levels
	Of     []syntax.Setting     // one of them at random, all equally probable
	Log    bool                 // its values spread over orders of magnitude
	at     string
}

// Setting is the value at u in (0, 1) of a variable that is drawn at random.
func (v *Variable) Setting(u float64) syntax.Setting {
	if v.Drawn != nil {
		return syntax.Number(v.Key, v.Drawn.Quantile(u), v.at)
	}
	return v.Of[min(int(u*float64(len(v.Of))), len(v.Of)-1)]
}

// Random reports whether the variable is drawn at random.
func (v *Variable) Random() bool { return len(v.Levels) == 0 }

// Levelled is a variable of a key with levels, each as --set has it.
func Levelled(key string, values []string) (Variable, error) {
	v := Variable{Key: key}
	for _, value := range values {
		s, err := syntax.ParseSetting(key + "=" + value)
		if err != nil {
			return v, err
		}
		v.Levels = append(v.Levels, s)
	}
	if twice, ok := repeated(v.Levels); ok {
		return v, fmt.Errorf("%s: %s stands twice", key, twice.Text())
	}
	return v, nil
}

// Grid is levels of a number from one end to the other.
type Grid struct {
	From   float64 `yaml:"from" doc:"first value, in the unit of the key"`
	To     float64 `yaml:"to" doc:"last value"`
	Points int     `yaml:"points" doc:"number of values, 2 or more, both ends included"`
	Log    bool    `yaml:"log" doc:"true: equal ratios, of values above 0; false: equal differences"`
}

// Pick is one of several values at random.
type Pick struct {
	Of []raw `yaml:"of" doc:"list of values or blocks, all equally probable"`
}

// raw is a value that is decoded with the scenario it goes into.
type raw struct{ node *syntax.Node }

func (r *raw) Choose(_ *syntax.Decoder, _ string, n *syntax.Node) { r.node = n }

// VariableKinds is what a variable may be, beside a list of values.
var VariableKinds = variableKinds()

func variableKinds() []rths.Kind[any] {
	out := []rths.Kind[any]{
		{Name: "grid", Doc: "values from one end to the other, each combined with all values of the other variables",
			Ref: "factorial design", Defaults: func() any { return &Grid{Points: 5} }},
		{Name: "choice", Doc: "one of a list, drawn at random", Ref: "discrete uniform distribution",
			Defaults: func() any { return &Pick{} }},
	}
	for _, k := range scatter.Kinds {
		out = append(out, rths.Kind[any]{Name: k.Name, Doc: k.Doc, Ref: k.Ref, Defaults: func() any { return k.Defaults() }})
	}
	return out
}

// choose reads the variables: key of the scenario, then a list of values or a block with kind.
func (v *Variables) Choose(d *syntax.Decoder, path string, n *syntax.Node) {
	if n.Shape != syntax.Mapping {
		d.Fail(n.At, path,
			"found %s: want keys of the scenario, as in {specimen.stiffness: {kind: uniform, from: 1e6, to: 1.4e6}, "+
				"ground.record: [elcentro, kobe]}", n.Describe())
		return
	}
	for _, k := range n.Keys {
		before := d.Failed()
		one := Variable{Key: k.Name, at: k.At}
		one.read(d, syntax.Join(path, k.Name), k.Value)
		if d.Failed() == before {
			*v = append(*v, one)
		}
	}
}

func (v *Variable) read(d *syntax.Decoder, path string, n *syntax.Node) {
	if n.Shape == syntax.Sequence {
		for _, item := range n.Items {
			v.Levels = append(v.Levels, v.to(item))
		}
		if len(n.Items) == 0 {
			d.Fail(n.At, path, "found an empty list: want values")
		}
		v.distinct(d, path, n, v.Levels)
		return
	}
	if n.Shape != syntax.Mapping {
		d.Fail(n.At, path, "found %s: want a list of values, or a block with kind, as in {kind: uniform, from: 1, to: 2}",
			n.Describe())
		return
	}
	block, before := syntax.NewChoice(VariableKinds), d.Failed()
	if block.Choose(d, path, n); d.Failed() > before {
		return
	}
	if err := v.make(block.Params); err != nil {
		d.Fail(n.At, path, "%v", err)
	}
	v.distinct(d, path, n, v.Of)
}

// make takes the parameters of a block.
func (v *Variable) make(params any) (err error) {
	switch p := params.(type) {
	case *Grid:
		v.Log = p.Log
		v.Levels, err = p.levels(v)
	case *Pick:
		for _, r := range p.Of {
			v.Of = append(v.Of, v.to(r.node))
		}
		if len(p.Of) == 0 {
			err = errors.New("of is empty: want values to choose from")
		}
	case scatter.Maker:
		_, v.Log = p.(*scatter.LogUniform)
		v.Drawn, err = p.Make()
	}
	return err
}

// to is the setting of the key to a value of the file.
func (v *Variable) to(n *syntax.Node) syntax.Setting {
	return syntax.To(v.Key, n.Moved(v.at), v.at)
}

func (v *Variable) distinct(d *syntax.Decoder, path string, n *syntax.Node, of []syntax.Setting) {
	if len(of) > mostLevels {
		d.Fail(n.At, path, "%d values: want at most %d", len(of), mostLevels)
		return
	}
	if twice, ok := repeated(of); ok {
		d.Fail(n.At, path, "%s stands twice", twice.Shown())
	}
}

// repeated is a value that stands twice: as a number, or else as a text.
func repeated(of []syntax.Setting) (syntax.Setting, bool) {
	seen := map[string]bool{}
	for _, s := range of {
		key := s.Same()
		if seen[key] {
			return s, true
		}
		seen[key] = true
	}
	return syntax.Setting{}, false
}

// mostLevels bounds the values of a variable.
const mostLevels = 100_000

func (p *Grid) levels(v *Variable) ([]syntax.Setting, error) {
	switch {
	case p.Points < 2 || p.Points > mostLevels:
		return nil, fmt.Errorf("%d points: want 2 to %d", p.Points, mostLevels)
	case p.From == p.To:
		return nil, fmt.Errorf("from %g to %g: want different ends", p.From, p.To)
	case p.Log && !(p.From > 0 && p.To > 0):
		return nil, fmt.Errorf("from %g to %g with log: true: want more than 0", p.From, p.To)
	}
	out := make([]syntax.Setting, p.Points)
	for i := range out {
		out[i] = syntax.Number(v.Key, p.at(i), v.at)
	}
	return out, nil
}

// at is value number i from 0, the ends exact. Between whole ends with a whole step all values are
// whole.
func (p *Grid) at(i int) float64 {
	last := p.Points - 1
	switch {
	case i == 0:
		return p.From
	case i == last:
		return p.To
	case p.Log:
		return p.From * math.Pow(p.To/p.From, float64(i)/float64(last))
	}
	return p.From + (p.To-p.From)*float64(i)/float64(last)
}

// Keyed are keys of a scenario, each with a block, in the order of the file.
type Keyed[T any] []Entry[T]

// Entry is one key with its block.
type Entry[T any] struct {
	Key   string
	Of    T
	at    string
	given []string // keys of the block that the file has
}

// Number sets the key to a number.
func (e *Entry[T]) Number(x float64) syntax.Setting { return syntax.Number(e.Key, x, e.at) }

// Has reports whether the block has a key.
func (e *Entry[T]) Has(key string) bool { return slices.Contains(e.given, key) }

// Choose decodes a block whose keys are keys of the scenario.
func (k *Keyed[T]) Choose(d *syntax.Decoder, path string, n *syntax.Node) {
	if n.Shape != syntax.Mapping {
		d.Fail(n.At, path, "found %s: want keys of the scenario, each with a block of %s", n.Describe(),
			strings.Join(syntax.Names(syntax.Keys(reflect.ValueOf(new(T)).Elem())), ", "))
		return
	}
	for _, one := range n.Keys {
		e := Entry[T]{Key: one.Name, at: one.At}
		d.Block(syntax.Join(path, one.Name), one.Value, &e.Of)
		for _, given := range one.Value.Keys {
			e.given = append(e.given, given.Name)
		}
		*k = append(*k, e)
	}
}
