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
	Name     string    // the word a scenario uses
	Doc      string    // one line of description
	Ref      string    // paper, equation, table
	Defaults func() M  // a fresh parameter struct holding the defaults
	Tunable  []Tunable // keys that a search tunes, one to four; nil: none
}

// Tunable is a key of a kind that a search over settings tunes, and the range of the search.
// Both ends belong to the range; the default lies within. The keys of a kind are set
// in two steps:
//
//  1. A block {kind: …} gets the keys that are not Relative; the maker fills in all keys that are
//     left out, from the scenario at hand.
//  2. The Relative keys multiply the numbers in the block that the maker has filled in.
type Tunable struct {
	Key      string  // a key of the parameter struct, or an entry of a list counted from 1, as in a[2]
	From, To float64 // in the unit of the key; of a Relative key factors
	Log      bool    // search the logarithm; From is above 0
	Whole    bool    // whole numbers only; not Relative
	Relative bool    // From and To are factors on what the maker fills in, of a list on all its entries
}

// Range says the range in words, as in "1 to 3, whole numbers".
func (t Tunable) Range() string {
	text := fmt.Sprintf("%g to %g", t.From, t.To)
	if t.Relative {
		text += " times its default"
	}
	if t.Whole {
		text += ", whole numbers"
	}
	if t.Log {
		text += ", on a log scale"
	}
	return text
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
