package workbench

import (
	"context"
	"fmt"
	"strings"

	"rths/scenario/syntax"
)

// Number is a number that a text gives.
type Number struct {
	Key   string  `json:"key"` // as --set takes it: lists count from 1
	Value float64 `json:"value"`
}

// numbers are those of a text, in its order.
func (d *Desk) numbers(_ context.Context, in Place) ([]Number, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	root, err := syntax.Parse(in.name(), []byte(in.Text), "a scenario")
	if err != nil {
		return nil, &Refused{err}
	}
	return numbersBelow(root, "", []Number{}), nil
}

func numbersBelow(n *syntax.Node, path string, out []Number) []Number {
	switch n.Shape {
	case syntax.Scalar:
		if x, ok := syntax.To(path, n, path).Float(); ok {
			out = append(out, Number{path, x})
		}
	case syntax.Mapping:
		for _, k := range n.Keys {
			if strings.ContainsAny(k.Name, ".[]= ") { // a path as a key: --set does not reach below
				continue
			}
			out = numbersBelow(k.Value, syntax.Join(path, k.Name), out)
		}
	case syntax.Sequence:
		for i, item := range n.Items {
			if path[len(path)-1] != ']' { // --set knows no list in a list
				out = numbersBelow(item, fmt.Sprintf("%s[%d]", path, i+1), out)
			}
		}
	}
	return out
}
