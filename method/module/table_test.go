package module

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero/api"

	"rths/kit/rthstest"
	"rths/maths/words"
)

// bytesOf is a memory of a module.
type bytesOf struct {
	api.Memory
	b []byte
}

func (m bytesOf) Size() uint32 { return uint32(len(m.b)) }

func (m bytesOf) Read(at, n uint32) ([]byte, bool) {
	if uint64(at)+uint64(n) > uint64(len(m.b)) {
		return nil, false
	}
	return m.b[at : at+n], true
}

func (m bytesOf) ReadUint32Le(at uint32) (uint32, bool) {
	b, ok := m.Read(at, 4)
	if !ok {
		return 0, false
	}
	return binary.LittleEndian.Uint32(b), true
}

// tableAt is a module's function table, which gives an address.
type tableAt struct {
	api.Function
	at uint64
}

func (f tableAt) Call(context.Context, ...uint64) ([]uint64, error) { return []uint64{f.at}, nil }

// row is an entry of a table: kind, name and unit, address, count.
type row struct {
	kind       entryKind
	name, unit string
	at, count  uint32
}

// moduleOf has the entries from an address on in a memory of so many bytes, and texts after them. Texts of the last
// row end the memory where last is set.
func moduleOf(rows []row, at, size int, last bool) *wasm {
	b := make([]byte, size)
	next := at + (len(rows)+1)*entrySize
	put := func(text string, end bool) uint32 {
		where := next
		if end {
			where = size - len(text) - 1
		} else {
			next += len(text) + 1
		}
		copy(b[where:], text)
		return uint32(where)
	}
	for i, r := range rows {
		words := []uint32{uint32(r.kind), put(r.name, false), put(r.unit, last && i == len(rows)-1), r.at, r.count}
		for j, w := range words {
			binary.LittleEndian.PutUint32(b[at+i*entrySize+4*j:], w)
		}
	}
	return &wasm{memory: bytesOf{b: b}}
}

var now = row{entryNow, "now", "", 0, nowDoubles}

// A table may have so many entries and so many numbers, and variables to the end of the memory; beyond it is refused.
func TestBoundsOfATable(t *testing.T) {
	const size = 1 << 20
	entries := func(n int) (rows []row) {
		rows = append(rows, now)
		for i := range n - 1 {
			rows = append(rows, row{entryParameter, fmt.Sprintf("p%d", i), "m", 8 * uint32(i), 1})
		}
		return rows
	}
	state := func(at, count uint32) []row { return []row{now, {entryState, "s", "", at, count}} }
	for _, c := range []struct {
		rows []row
		want string
	}{
		{entries(mostEntries - 1), ""},
		{entries(mostEntries), "the table has no end: want an entry of kind 0 after at most 256 others"},
		{state(0, mostDoubles-nowDoubles), ""},
		{state(0, mostDoubles-nowDoubles+1), "the table has more than 65536 numbers"},
		{state(size-80, 10), ""},
		{state(size-79, 10), "state s: 10 doubles at address 1048497 are outside the memory of 1048576 bytes"},
		{state(1<<32-8, 2), "state s: 2 doubles at address 4294967288 are outside the memory of 1048576 bytes"},
		{state(0, 0), "state s has no double in it"},
		{[]row{now, now}, "now now stands twice in the table"},
		{[]row{{entryNow, "now", "", 0, 4}}, "entry 1 of the table: now now of 4 doubles: want 5"},
		{[]row{now, {entryRates, "r", "", 0, 3}}, "entry 2 of the table: rates r of 3 doubles: want 2"},
		{[]row{now, {entryKinds, "r", "", 0, 3}}, "entry 2 of the table: kind 8: want 1 to 7, as in rths.h"},
		{[]row{now, {entryShown, "", "", 0, 1}}, `a name of "": want a letter and then`},
		{[]row{{entryRates, "r", "", 0, 2}}, "the table has not one entry of kind now"},
		{nil, "the table has not one entry of kind now"},
	} {
		m := moduleOf(c.rows, 512, size, false)
		err := m.readTable(tableAt{at: 512})
		switch {
		case c.want != "":
			rthstest.WantError(t, err, c.want)
		case err != nil:
			t.Errorf("%d entries: %v", len(c.rows), err)
		}
	}
}

// Entries and texts may stand at the very end of the memory; texts have a bound, and what is no text is refused.
func TestTextsOfATable(t *testing.T) {
	long := strings.Repeat("ü", words.LongestName/2)
	for _, c := range []struct{ unit, want string }{{"", "-"}, {"mm", "mm"}, {long, long}} {
		m := moduleOf([]row{now, {entryShown, "shown", c.unit, 16, 1}}, 100, 4096, true)
		if err := m.readTable(tableAt{at: 100}); err != nil || m.table[entryShown][0].unit != c.want || len(m.shown) != 1 {
			t.Errorf("unit %q: %v, %+v", c.unit, err, m.table)
		}
	}
	for _, unit := range []string{long + "ü", "\xff", "a\nb"} {
		m := moduleOf([]row{now, {entryShown, "shown", unit, 16, 1}}, 100, 4096, true)
		rthstest.WantError(t, m.readTable(tableAt{at: 100}), "shown: unit: no text of at most 40 bytes")
	}
	m := &wasm{memory: bytesOf{b: []byte("abc")}}
	for at, want := range map[uint32]string{0: "no text of at most 200 bytes", 3: "address 3 is outside the memory of 3"} {
		_, err := m.text(at, longestText)
		rthstest.WantError(t, err, want)
	}
	m = &wasm{memory: bytesOf{b: make([]byte, entrySize-1)}}
	rthstest.WantError(t, m.readTable(tableAt{}), "entry 1 of the table: address 0 is outside the memory of 19 bytes")
}
