package scenario

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"rths"
	"rths/maths/scatter"
)

// Decode reads a text of another format as strictly as a scenario: into is a pointer to a
// struct with yaml tags. Messages call the text name and its content what, as in "a study".
func Decode(name string, text []byte, what string, into any) (Origin, error) {
	root, err := parseBlock(name, text, what)
	if err != nil {
		return Origin{}, err
	}
	d := decoder{other: true}
	d.block("", root, reflect.ValueOf(into).Elem())
	return newOrigin(name, root), d.err()
}

// NewChoice is a choice from a table, for a format that Decode reads.
func NewChoice[M any](kinds []rths.Kind[M]) Choice[M] { return Choice[M]{kinds: kinds} }

// Variables are keys of a scenario and what becomes of them in a study, in the order of the
// file.
type Variables []Variable

// Variable is one key that a study varies: by levels, or drawn at random.
type Variable struct {
	Key    string
	Levels []Setting            // one after the other
	Drawn  scatter.Distribution // a number at random; nil with levels
	Of     []Setting            // one of them at random, each as probable as the next
	Log    bool                 // its values spread over orders of magnitude
	at     string
}

// Setting is the value at u in (0, 1) of a variable that is drawn at random.
func (v *Variable) Setting(u float64) Setting {
	if v.Drawn != nil {
		return Number(v.Key, v.Drawn.Quantile(u), v.at)
	}
	return v.Of[min(int(u*float64(len(v.Of))), len(v.Of)-1)]
}

// Random reports whether the variable is drawn at random.
func (v *Variable) Random() bool { return len(v.Levels) == 0 }

// Levelled is a variable of a key with levels, each as --set has it.
func Levelled(key string, values []string) (Variable, error) {
	v := Variable{Key: key}
	for _, value := range values {
		s, err := ParseSetting(key + "=" + value)
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
	Of []raw `yaml:"of" doc:"list of values or blocks, each as probable as the next"`
}

// raw is a value that is decoded with the scenario it goes into.
type raw struct{ node *node }

func (r *raw) choose(_ *decoder, _ string, n *node) { r.node = n }

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
func (v *Variables) choose(d *decoder, path string, n *node) {
	if n.shape != mapping {
		d.fail(n.at, path,
			"found %s: want keys of the scenario, as in {specimen.stiffness: {kind: uniform, from: 1e6, to: 1.4e6}, "+
				"ground.record: [elcentro, kobe]}", n.describe())
		return
	}
	for _, k := range n.keys {
		before := len(d.errs)
		one := Variable{Key: k.name, at: k.at}
		one.read(d, join(path, k.name), k.value)
		if len(d.errs) == before {
			*v = append(*v, one)
		}
	}
}

func (v *Variable) read(d *decoder, path string, n *node) {
	if n.shape == sequence {
		for _, item := range n.items {
			v.Levels = append(v.Levels, v.to(item))
		}
		if len(n.items) == 0 {
			d.fail(n.at, path, "found an empty list: want values")
		}
		v.distinct(d, path, n, v.Levels)
		return
	}
	if n.shape != mapping {
		d.fail(n.at, path, "found %s: want a list of values, or a block with kind, as in {kind: uniform, from: 1, to: 2}",
			n.describe())
		return
	}
	block, before := NewChoice(VariableKinds), len(d.errs)
	if block.choose(d, path, n); len(d.errs) > before {
		return
	}
	if err := v.make(block.Params); err != nil {
		d.fail(n.at, path, "%v", err)
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
func (v *Variable) to(n *node) Setting {
	value := n.clone()
	value.relocate(v.at)
	return Setting{v.Key, v.at, value}
}

func (v *Variable) distinct(d *decoder, path string, n *node, of []Setting) {
	if len(of) > mostLevels {
		d.fail(n.at, path, "%d values: want at most %d", len(of), mostLevels)
		return
	}
	if twice, ok := repeated(of); ok {
		d.fail(n.at, path, "%s stands twice", shown(twice.Value()))
	}
}

// repeated is a value that stands twice: as a number, or else as a text.
func repeated(of []Setting) (Setting, bool) {
	seen := map[string]bool{}
	for _, s := range of {
		key := s.value.flow()
		if x, ok := s.Float(); ok {
			key = strconv.FormatFloat(x, 'g', -1, 64)
		} else if s.value.shape == scalar {
			key = "text " + s.value.text
		}
		if seen[key] {
			return s, true
		}
		seen[key] = true
	}
	return Setting{}, false
}

// mostLevels bounds the values of a variable.
const mostLevels = 100_000

func (p *Grid) levels(v *Variable) ([]Setting, error) {
	switch {
	case p.Points < 2 || p.Points > mostLevels:
		return nil, fmt.Errorf("%d points: want 2 to %d", p.Points, mostLevels)
	case p.From == p.To:
		return nil, fmt.Errorf("from %g to %g: want different ends", p.From, p.To)
	case p.Log && !(p.From > 0 && p.To > 0):
		return nil, fmt.Errorf("from %g to %g with log: true: want more than 0", p.From, p.To)
	}
	out := make([]Setting, p.Points)
	for i := range out {
		out[i] = Number(v.Key, p.at(i), v.at)
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

// HasKey reports whether a text, which errors call name, is a block of keys with this one.
func HasKey(name string, text []byte, key string) (bool, error) {
	root, err := parse(name, text)
	return err == nil && root.get(key) != nil, err
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
func (e *Entry[T]) Number(x float64) Setting { return Number(e.Key, x, e.at) }

// Has reports whether the block has a key.
func (e *Entry[T]) Has(key string) bool { return slices.Contains(e.given, key) }

func (k *Keyed[T]) choose(d *decoder, path string, n *node) {
	if n.shape != mapping {
		d.fail(n.at, path, "found %s: want keys of the scenario, each with a block of %s", n.describe(),
			strings.Join(names(fields(reflect.ValueOf(new(T)).Elem())), ", "))
		return
	}
	for _, one := range n.keys {
		e := Entry[T]{Key: one.name, at: one.at}
		d.block(join(path, one.name), one.value, reflect.ValueOf(&e.Of).Elem())
		for _, given := range one.value.keys {
			e.given = append(e.given, given.name)
		}
		*k = append(*k, e)
	}
}
