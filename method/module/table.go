//go:build !js

package module

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/tetratelabs/wazero/api"

	"rths/maths/words"
)

// entryKind is what a variable of the table is for.
type entryKind uint32

// Kinds of entries, as in rths.h.
const (
	entryEnd entryKind = iota
	entryNow
	entryRates
	entryParameter
	entryState
	entryLearnt
	entryShown
	entryDerivative
	entryKinds
)

func (k entryKind) String() string {
	return [...]string{"end", "now", "rates", "parameter", "state", "learnt", "shown", "derivative"}[k]
}

// Bounds of a table and its texts.
const (
	mostEntries  = 256
	mostDoubles  = 1 << 16
	longestText  = 200 // bytes
	entrySize    = 20  // bytes: kind, name, unit, address, count, each a little-endian u32
	nowDoubles   = 5   // target, measured, force, age, frozen
	ratesDoubles = 2   // velocity, acceleration
)

// variable is one entry: count doubles from an address.
type variable struct {
	name, unit string
	at, count  uint32
}

// table is the entries by kind, each kind in the order of the module.
type table [entryKinds][]variable

func (t *table) of(kind entryKind) []variable { return t[kind] }

// readTable calls table, and reads and checks the entries.
func (c *wasm) readTable(f api.Function) error {
	out, err := f.Call(always)
	if err != nil {
		return fmt.Errorf("table %w", c.trapped(err))
	}
	at, doubles := api.DecodeU32(out[0]), uint32(0)
	for i := 0; ; i++ {
		if i == mostEntries {
			return fmt.Errorf("the table has no end: want an entry of kind 0 after at most %d others, as RTHS_TABLE makes it",
				mostEntries)
		}
		kind, v, err := c.entry(at + uint32(i)*entrySize)
		if err != nil {
			return fmt.Errorf("entry %d of the table: %w", i+1, err)
		}
		if kind == entryEnd {
			break
		}
		if doubles += v.count; doubles > mostDoubles {
			return fmt.Errorf("the table has more than %d numbers", mostDoubles)
		}
		c.table[kind] = append(c.table[kind], v)
	}
	return c.settle()
}

// entry reads one entry.
func (c *wasm) entry(at uint32) (entryKind, variable, error) {
	var raw [entrySize / 4]uint32
	for i := range raw {
		w, ok := c.memory.ReadUint32Le(at + 4*uint32(i))
		if !ok {
			return 0, variable{}, fmt.Errorf("address %d is outside the memory of %d bytes", at, c.memory.Size())
		}
		raw[i] = w
	}
	kind, v := entryKind(raw[0]), variable{at: raw[3], count: raw[4]}
	if kind == entryEnd {
		return kind, v, nil
	}
	if kind >= entryKinds {
		return kind, v, fmt.Errorf("kind %d: want 1 to %d, as in rths.h", raw[0], entryKinds-1)
	}
	var err error
	if v.name, err = c.text(raw[1], words.LongestName); err != nil || !words.IsName(v.name) {
		return kind, v, fmt.Errorf("a name of %q: want a letter and then letters, digits and _, %d at most", v.name,
			words.LongestName)
	}
	if v.unit, err = c.text(raw[2], words.LongestName); err != nil {
		return kind, v, fmt.Errorf("%s: unit: %w", v.name, err)
	}
	return kind, v, c.checkEntry(kind, v)
}

func (c *wasm) checkEntry(kind entryKind, v variable) error {
	exact := map[entryKind]uint32{entryNow: nowDoubles, entryRates: ratesDoubles, entryParameter: 1, entryShown: 1}[kind]
	switch size := c.memory.Size(); {
	case v.count == 0:
		return fmt.Errorf("%s %s has no double in it: want a variable of type double, or an array or struct of them", kind,
			v.name)
	case exact > 0 && v.count != exact:
		return fmt.Errorf("%s %s of %d doubles: want %d", kind, v.name, v.count, exact)
	case uint64(v.at)+8*uint64(v.count) > uint64(size):
		return fmt.Errorf("%s %s: %d doubles at address %d are outside the memory of %d bytes", kind, v.name, v.count, v.at,
			size)
	}
	return nil
}

// settle takes the addresses, and wants names of their own.
func (c *wasm) settle() error {
	for kind := entryNow; kind < entryKinds; kind++ {
		seen := map[string]bool{}
		for _, v := range c.table[kind] {
			if seen[v.name] {
				return fmt.Errorf("%s %s stands twice in the table", kind, v.name)
			}
			seen[v.name] = true
		}
	}
	if c.as == aLaw {
		return c.settleLaw()
	}
	if d := c.table[entryDerivative]; d != nil {
		return fmt.Errorf("%s %s: want it in the law of a device alone", entryDerivative, d[0].name)
	}
	if len(c.table[entryNow]) != 1 || len(c.table[entryRates]) > 1 {
		return errors.New(
			"the table has not one entry of kind now and at most one of kind rates: want the table that RTHS_TABLE makes")
	}
	c.now = c.table[entryNow][0].at
	if r := c.table[entryRates]; r != nil {
		c.rates = r[0].at
	}
	for i, v := range c.table[entryShown] {
		if v.unit == "" {
			c.table[entryShown][i].unit = "-"
		}
	}
	c.shown = make([]float64, len(c.table[entryShown]))
	return nil
}

// text is the text at an address, which a 0 ends.
func (c *wasm) text(at uint32, longest int) (string, error) {
	size := c.memory.Size()
	if at >= size {
		return "", fmt.Errorf("address %d is outside the memory of %d bytes", at, size)
	}
	b, _ := c.memory.Read(at, min(uint32(longest)+1, size-at))
	end := bytes.IndexByte(b, 0)
	if end < 0 || !utf8.Valid(b[:end]) || bytes.ContainsFunc(b[:end], func(r rune) bool { return r < ' ' }) {
		return "", fmt.Errorf("no text of at most %d bytes", longest)
	}
	return string(b[:end]), nil
}
