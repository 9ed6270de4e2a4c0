package rths

import (
	"fmt"
	"strings"
)

// Kind is one row of a family's table (compensate.Kinds, plant.Transfers, …).
// M is the family's maker interface: a pointer to the parameter struct, whose
// fields are the keys a scenario may set and whose values are the defaults.
// The commands list, doc, lint and schema and the conformance tests all read
// the tables, so a new method is one file, one row and one paper test.
type Kind[M any] struct {
	Name     string   // the word a scenario uses
	Doc      string   // one line of description
	Ref      string   // paper, equation, table
	Defaults func() M // a fresh parameter struct holding the defaults

	Tunable []Tunable
}

// Tunable is provisional.
type Tunable struct {
	Key                  string
	From, To             float64
	Log, Whole, Relative bool
}

// Find returns the row of the table with the given name, or an error that
// says which names there are.
func Find[M any](table []Kind[M], name string) (Kind[M], error) {
	names := make([]string, len(table))
	for i, k := range table {
		if k.Name == name {
			return k, nil
		}
		names[i] = k.Name
	}
	return Kind[M]{}, fmt.Errorf("kind %q: want one of %s", name, strings.Join(names, ", "))
}
