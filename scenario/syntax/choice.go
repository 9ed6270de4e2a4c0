package syntax

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"rths"
)

// Choice is a block that chooses one row of a family's table by
// the key kind and sets its parameters by the others.
type Choice[M any] struct {
	Kind   string
	Params M
	kinds  []rths.Kind[M]
}

// NewChoice is a choice from a table.
func NewChoice[M any](kinds []rths.Kind[M]) Choice[M] { return Choice[M]{kinds: kinds} }

// Choose decodes the block.
func (c *Choice[M]) Choose(d *Decoder, path string, n *Node) { c.With(d, path, n, nil) }

// With decodes kind, the defaults of that kind, then the keys; own points to a block of keys that every kind
// has, or is nil.
func (c *Choice[M]) With(d *Decoder, path string, n *Node, own any) {
	switch n.Shape {
	case Mapping:
	case Empty:
		d.Fail(n.At, path,
			"found nothing: want a block with kind, one of %s; its lines stand further in than the line of its name", c.Names())
		return
	default:
		d.Fail(n.At, path, "found %s: want a block with kind, one of %s%s", n.Describe(), c.Names(), c.blockOf(d, n))
		return
	}
	if k := n.Get("kind"); k != nil && k.Value.Shape != Scalar {
		d.Fail(k.Value.At, Join(path, "kind"), "found %s: want one of %s", k.Value.Describe(), c.Names())
		return
	}
	name, at := c.kindOf(n)
	if name == "" {
		d.Fail(n.At, path, "kind is missing: want one of %s", c.Names())
		return
	}
	switch err := c.Use(name); {
	case err != nil && d.full():
		d.Fail(at, path, "unknown kind") // not shown: no time for a hint
		return
	case err != nil:
		d.Fail(at, path, "%s", d.format.unknownKind(name, c.docs()))
		return
	}
	d.keys(path, n, append(keysOf(own), keysOf(c.Params)...), "kind")
}

// blockOf shows the block of a kind whose name stands alone, as in transfer: ideal.
func (c *Choice[M]) blockOf(d *Decoder, n *Node) string {
	if slices.ContainsFunc(c.kinds, func(k rths.Kind[M]) bool { return n.Shape == Scalar && k.Name == n.Text }) {
		return fmt.Sprintf(", as in {kind: %s}", n.Text)
	}
	if names := strings.Split(c.Names(), ", "); n.Shape == Scalar {
		return d.format.KindHint(n.Text, names)
	}
	return ""
}

// kindOf is the word under kind; without it, a key that is the name of a kind
// (record: elcentro) says so too.
func (c *Choice[M]) kindOf(n *Node) (name, at string) {
	if k := n.Get("kind"); k != nil {
		return k.Value.Text, k.Value.At
	}
	for _, row := range c.kinds {
		if k := n.Get(row.Name); k != nil {
			return row.Name, k.At
		}
	}
	return "", ""
}

// Names lists the kinds.
func (c *Choice[M]) Names() string {
	names := make([]string, len(c.kinds))
	for i, k := range c.kinds {
		names[i] = k.Name
	}
	return strings.Join(names, ", ")
}

// Given reports whether the text has the block.
func (c *Choice[M]) Given() bool { return c.Kind != "" }

// Use sets the choice to a kind with its defaults.
func (c *Choice[M]) Use(kind string) error {
	row, err := rths.Find(c.kinds, kind)
	if err != nil {
		return err
	}
	c.Kind, c.Params = kind, row.Defaults()
	return nil
}

// Settings writes the block in a line, as in "{kind: pi, kp: 2, …}".
func (c *Choice[M]) Settings() (string, error) { return flow(encodeChoice(c)) }

// Own is a pointer to a block of keys that every kind has, beside kind; nil: there are none.
func (c *Choice[M]) Own() any { return nil }

func (c *Choice[M]) block() (kind string, params any) { return c.Kind, c.Params }

func (c *Choice[M]) docs() []KindDoc { return docs(c.kinds) }

// choice is a Choice of any family, for encoding and documentation.
type choice interface {
	block() (kind string, params any)
	Own() any
	docs() []KindDoc
}

// chosen is v as a choice.
func chosen(v reflect.Value) (c choice, ok bool) {
	c, ok = v.Addr().Interface().(choice)
	return c, ok
}

// prepared is a block, in a list or at a pointer, that sets its tables and defaults.
type prepared interface{ Prepare() }

// fresh is a pointer to a new block or value.
func fresh(t reflect.Type) reflect.Value {
	v := reflect.New(t)
	if p, ok := v.Interface().(prepared); ok {
		p.Prepare()
	}
	return v
}
