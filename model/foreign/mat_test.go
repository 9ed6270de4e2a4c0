package foreign

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"rths/kit/rthstest"
)

func TestReadAtMost(t *testing.T) {
	if data, err := ReadAtMost(strings.NewReader("12345"), 5); err != nil || string(data) != "12345" {
		t.Errorf("%q, %v", data, err)
	}
	_, err := ReadAtMost(strings.NewReader("123456"), 5)
	rthstest.WantError(t, err, "byte 5: the file goes on: want at most 5 bytes")
}

type array = rthstest.MATArray

// sparse is [2 0 −1; 0 0 5], with room for one number more.
func sparse() array {
	return array{Name: "K", Class: 5, Storage: 9, Dims: []int32{2, 3}, Values: []float64{2, -1, 5, 0},
		Row: []int32{0, 0, 1, 0}, Start: []int32{0, 1, 1, 3}}
}

func TestTriplets(t *testing.T) {
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, compress := range []bool{false, true} {
			f, err := OpenMAT(bytes.NewReader(rthstest.MATFile(order, compress, sparse())))
			if err != nil || len(f.Vars) != 1 || !f.Vars[0].Sparse() || f.Vars[0].Numeric() {
				t.Fatalf("%v, %v", f, err)
			}
			got, err := f.Triplets(f.Vars[0], 10)
			if err != nil || fmt.Sprint(*got) != "{[0 0 1] [0 2 2] [2 -1 5]}" {
				t.Errorf("%v, %v", got, err)
			}
			_, err = f.Triplets(f.Vars[0], 3)
			rthstest.WantError(t, err, "row indices: element of 16 bytes, want at most 12")
		}
	}
}

func TestTripletsRefuses(t *testing.T) {
	for want, spoil := range map[string]func(a *array){
		"column 3 has an entry in row 4: want ascending rows of 1 to 2":      func(a *array) { a.Row[2] = 3 },
		"column 3 has an entry in row 1: want ascending rows of 1 to 2":      func(a *array) { a.Row[2] = 0 },
		"row indices: found -1, want 0 or more":                              func(a *array) { a.Row[0] = -1 },
		"column 2 goes from entry 1 to 0 of 4: want ascending column starts": func(a *array) { a.Start[2] = 0 },
		"found 3 column starts from [0] to the end of 4 entries: want the 4 of K (2x3 sparse), from 0": func(a *array) {
			a.Start = []int32{0, 1, 3}
		},
		"found 4 column starts from [0] to the end of 4 entries: want the 4 of K (2x3 sparse), from 0": func(a *array) {
			a.Start[3] = 9
		},
		"found 2 numbers, want 3 for the entries of K (2x3 sparse)": func(a *array) { a.Values = a.Values[:2] },
	} {
		a := sparse()
		a.Row, a.Start, a.Values = slices.Clone(a.Row), slices.Clone(a.Start), slices.Clone(a.Values)
		spoil(&a)
		f, err := OpenMAT(bytes.NewReader(rthstest.MATFile(binary.LittleEndian, true, a)))
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.Triplets(f.Vars[0], 100)
		rthstest.WantError(t, err, want)
	}
}

func FuzzTriplets(f *testing.F) {
	f.Add(rthstest.MATFile(binary.LittleEndian, true, sparse()))
	f.Add(rthstest.MATFile(binary.BigEndian, false, sparse()))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := OpenMAT(bytes.NewReader(data))
		if err != nil {
			return
		}
		for _, v := range m.Vars {
			if !v.Sparse() {
				continue
			}
			got, err := m.Triplets(v, 1000)
			if err == nil && (len(got.Row) != len(got.V) || len(got.Col) != len(got.V)) {
				t.Errorf("%d rows, %d columns, %d numbers", len(got.Row), len(got.Col), len(got.V))
			}
		}
	})
}
