package scenario

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"rths"
)

// Choice is a block of a scenario that chooses one row of a family's table by
// the key kind and sets its parameters by the others.
type Choice[M any] struct {
	Kind   string
	Params M
	kinds  []rths.Kind[M]
}

// choose decodes the block.
func (c *Choice[M]) choose(d *decoder, path string, n *node) { c.with(d, path, n, nil) }

// with decodes kind, the defaults of that kind, then the keys; own are keys that every kind
// has.
func (c *Choice[M]) with(d *decoder, path string, n *node, own []field) {
	switch n.shape {
	case mapping:
	case empty:
		d.fail(n.at, path,
			"found nothing: want a block with kind, one of %s; its lines stand further in than the line of its name", c.names())
		return
	default:
		d.fail(n.at, path, "found %s: want a block with kind, one of %s%s", n.describe(), c.names(), c.blockOf(n))
		return
	}
	if k := n.get("kind"); k != nil && k.value.shape != scalar {
		d.fail(k.value.at, join(path, "kind"), "found %s: want one of %s", k.value.describe(), c.names())
		return
	}
	name, at := c.kindOf(n)
	if name == "" {
		d.fail(n.at, path, "kind is missing: want one of %s", c.names())
		return
	}
	switch err := c.Use(name); {
	case err != nil && len(d.errs) >= mostErrors:
		d.fail(at, path, "unknown kind") // not shown: no time for a hint
		return
	case err != nil:
		d.fail(at, path, "%s", unknownKind(name, c.docs()))
		return
	}
	d.keys(path, n, append(own, fields(reflect.ValueOf(c.Params).Elem())...), "kind")
}

// blockOf shows the block of a kind whose name stands alone, as in transfer: ideal.
func (c *Choice[M]) blockOf(n *node) string {
	if slices.ContainsFunc(c.kinds, func(k rths.Kind[M]) bool { return n.shape == scalar && k.Name == n.text }) {
		return fmt.Sprintf(", as in {kind: %s}", n.text)
	}
	if names := strings.Split(c.names(), ", "); n.shape == scalar {
		return recordHint(n.text, names)
	}
	return ""
}

// kindOf is the word under kind; without it, a key that is the name of a kind
// (record: elcentro) says so too.
func (c *Choice[M]) kindOf(n *node) (name, at string) {
	if k := n.get("kind"); k != nil {
		return k.value.text, k.value.at
	}
	for _, row := range c.kinds {
		if k := n.get(row.Name); k != nil {
			return row.Name, k.at
		}
	}
	return "", ""
}

func (c *Choice[M]) names() string {
	names := make([]string, len(c.kinds))
	for i, k := range c.kinds {
		names[i] = k.Name
	}
	return strings.Join(names, ", ")
}

// Given reports whether the scenario has the block.
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

// prepared is a block, in a list or at a pointer, that sets its tables and defaults.
type prepared interface{ prepare() }

// fresh is a pointer to a new block or value.
func fresh(t reflect.Type) reflect.Value {
	v := reflect.New(t)
	if p, ok := v.Interface().(prepared); ok {
		p.prepare()
	}
	return v
}

// choice is a Choice of any family, for encoding and documentation.
type choice interface {
	block() (kind string, params any)
	own() []field // keys that every kind has, beside kind
	docs() []KindDoc
}

func (c *Choice[M]) own() []field { return nil }

func (c *Choice[M]) block() (kind string, params any) { return c.Kind, c.Params }
