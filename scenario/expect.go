package scenario

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"rths"
	"rths/maths/words"
	"rths/scenario/syntax"
)

// Expect is the block expect: what a run has to reach, by the names of criteria, indicators and learned parameters
// (Run.Values), as in {J2_pct: {max: 3}}. A run that misses it ends with exit status 1.
type Expect []Expectation

// Expectation is the range of one value.
type Expectation struct {
	Name string
	Range
}

// Range holds a value; without min or max it is open.
type Range struct {
	Min *float64 `yaml:"min,omitempty" doc:"smallest value, in the unit of the name"`
	Max *float64 `yaml:"max,omitempty" doc:"largest value, in the unit of the name"`
}

// Choose reads the names with their ranges.
func (e *Expect) Choose(d *syntax.Decoder, path string, n *syntax.Node) {
	if n.Shape == syntax.Empty {
		*e = nil
		return
	}
	if n.Shape != syntax.Mapping {
		d.Fail(n.At, path, "found %s: want names of criteria with their ranges, as in {J2_pct: {max: 3}}", n.Describe())
		return
	}
	for _, k := range n.Keys {
		of, at := Expectation{Name: k.Name}, path+"."+k.Name
		d.Block(at, k.Value, &of.Range)
		switch {
		case of.Min == nil && of.Max == nil:
			d.Fail(k.At, at, "want min, max or both")
		case of.Min != nil && of.Max != nil && *of.Min > *of.Max:
			d.Fail(k.At, at, "min %g above max %g", *of.Min, *of.Max)
		}
		*e = append(*e, of)
	}
}

// Keyed is the block under a name.
func (e Expect) Keyed() any { return &Range{} }

// Docs documents the keys of the block under a name.
func (e Expect) Docs() []syntax.ParamDoc {
	return []syntax.ParamDoc{{Key: "NAME.min", Doc: "smallest value, in the unit of the name"},
		{Key: "NAME.max", Doc: "largest value"}}
}

// Encode writes the names with their ranges.
func (e Expect) Encode() (out yaml.MapSlice) {
	for _, of := range e {
		out = append(out, yaml.MapItem{Key: of.Name, Value: syntax.Encode(&of.Range)})
	}
	return out
}

// holds refuses a name that the run will not have.
func (e Expect) holds(values []rths.Value) error {
	var known []string
	for _, v := range values {
		known = append(known, v.Name)
	}
	for _, of := range e {
		if !slices.Contains(known, of.Name) {
			return fmt.Errorf("%s: this run has no criterion, indicator or adaptive parameter of the name%s", of.Name,
				words.Ask(of.Name, known))
		}
	}
	return nil
}

// String says the range in words.
func (r Range) String() string {
	var words []string
	if r.Min != nil {
		words = append(words, fmt.Sprintf("at least %g", *r.Min))
	}
	if r.Max != nil {
		words = append(words, fmt.Sprintf("at most %g", *r.Max))
	}
	return strings.Join(words, " and ")
}

// expect refuses names that the run will not have. Names that it misses for want of true
// values are noted.
func (b *builder) expect() error {
	values := b.run.Values()
	if b.truth() || len(b.s.Expect) == 0 {
		return b.s.Expect.holds(values)
	}
	exact, err := b.withTruth()
	if err != nil {
		return err
	}
	for _, of := range b.s.Expect {
		if !has(values, of.Name) && has(exact, of.Name) {
			b.run.Notes = append(b.run.Notes,
				fmt.Sprintf("expect: %s needs the true displacement or force, which no rig in another process sends: not judged",
					of.Name))
		}
	}
	return b.s.Expect.holds(append(values, exact...))
}

// withTruth are the criteria of the same run on a virtual rig.
func (b *builder) withTruth() (out []rths.Value, err error) {
	at := b.judged
	at.Truth = true
	for _, row := range b.s.Criteria.Rows {
		made, err := row.Make(at)
		if err != nil {
			return nil, err
		}
		for _, c := range made {
			out = append(out, c.Summary()...)
		}
	}
	return out, nil
}

func has(values []rths.Value, name string) bool {
	return slices.ContainsFunc(values, func(v rths.Value) bool { return v.Name == name })
}
