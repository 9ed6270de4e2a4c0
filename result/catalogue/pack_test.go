package catalogue

import (
	"fmt"
	"math"
	"testing"

	"rths"
)

// FuzzUnpack reads any bytes without a panic; what it reads, pack writes so that it is read again.
func FuzzUnpack(f *testing.F) {
	names, ids := make([]string, 301), map[string]uint64{"a": 1, "b": 300}
	names[1], names[300] = "a", "b"
	e := &Entry{Kind: Run, Name: "frame", Started: "2026-11-02T10:00:00Z", Compensator: "amb", Tags: []string{"t", ""},
		Numbers: []rths.Value{{Name: "b", V: math.Pi}, {Name: "a", V: math.NaN()}}}
	f.Add(pack(e, ids))
	f.Add([]byte{0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1})
	f.Fuzz(func(t *testing.T, piece []byte) {
		var first, second Entry
		if _, err := first.unpack(piece, wishing(names)); err != nil {
			return
		}
		if _, err := second.unpack(pack(&first, ids), wishing(names)); err != nil ||
			fmt.Sprintf("%q %q", first.Tags, first.Name+first.Reason+first.Compensator) != fmt.Sprintf("%q %q", second.Tags,
				second.Name+second.Reason+second.Compensator) || len(first.Numbers) != len(second.Numbers) {
			t.Errorf("%v, %v, %v: want what was packed", first, second, err)
		}
	})
}
