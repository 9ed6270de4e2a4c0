package foreign

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"rths/kit/rthstest"
)

// vector is a column with its numbers.
type vector struct {
	Name   string
	Values []float64
	Unit   string
}

// readVectors reads all vectors of a file.
func readVectors(data []byte, name string) (out []vector, err error) {
	c, err := ReadMATVectors(bytes.NewReader(data), int64(len(data)), name)
	if err != nil {
		return nil, err
	}
	values, err := c.Values()
	for i, column := range c.List {
		if err == nil && len(values[i]) != column.N {
			panic(fmt.Sprintf("%s: %d values: want %d", column.Name, len(values[i]), column.N))
		}
		out = append(out, vector{column.Name, values[i], column.Unit})
	}
	return out, err
}

func TestReadMATVectors(t *testing.T) {
	for _, compress := range []bool{false, true} {
		file := rthstest.MATFile(binary.LittleEndian, compress,
			rthstest.MATArray{Name: "t", Class: 6, Storage: 9, Dims: []int32{3, 1}, Values: []float64{0, 0.1, 0.2}},
			rthstest.MATArray{Name: "fs", Class: 6, Storage: 9, Dims: []int32{1, 1}, Values: []float64{10}},
			rthstest.MATArray{Name: "x", Class: 7, Storage: 7, Dims: []int32{1, 3}, Values: []float64{1, 2, 3}},
			rthstest.MATArray{Name: "tall", Class: 6, Storage: 9, Dims: []int32{3, 2}, Values: []float64{1, 2, 3, 4, 5, 6}},
			rthstest.MATArray{Name: "wide", Class: 6, Storage: 9, Dims: []int32{2, 3}, Values: []float64{1, 4, 2, 5, 3, 6}},
			rthstest.MATArray{Name: "z", Class: 6, Storage: 9, Dims: []int32{2, 1}, Values: []float64{1, 2}, Imag: true})
		got, err := readVectors(file, "test.mat")
		if err != nil {
			t.Fatal(err)
		}
		want := "[{t [0 0.1 0.2] } {x [1 2 3] } {tall_1 [1 2 3] } {tall_2 [4 5 6] } {wide_1 [1 2 3] } {wide_2 [4 5 6] }]"
		if fmt.Sprint(got) != want {
			t.Errorf("%v: want %s", got, want)
		}
	}
}

// Numbers that are no vectors are left out with a reason, one note for each.
func TestWhatIsLeftOfAMATFile(t *testing.T) {
	array := func(name string, class uint32, dims ...int32) rthstest.MATArray {
		n := int32(1)
		for _, d := range dims {
			n *= d
		}
		return rthstest.MATArray{Name: name, Class: class, Storage: 9, Dims: dims, Values: make([]float64, n)}
	}
	z, w := array("z", 6, 2, 1), array("w", 6, 3, 1)
	z.Imag, w.Imag = true, true
	sparse := rthstest.MATArray{Name: "s", Class: 5, Storage: 9, Dims: []int32{2, 2}, Values: []float64{1, 2},
		Row: []int32{0, 1}, Start: []int32{0, 1, 2}}
	data := rthstest.MATFile(binary.LittleEndian, true, array("x", 6, 5, 1), z, array("cube", 6, 2, 2, 2), w, sparse,
		array("large", 6, 1001, 1002))
	c := rthstest.Must(ReadMATVectors(bytes.NewReader(data), int64(len(data)), "test.mat"))
	want := []string{"left out: z, w: complex numbers: want real and imag apart",
		"left out: cube: numbers of 3 dimensions: want one or two, as by squeeze", "left out: s: a sparse matrix: want full of it",
		"left out: large: a matrix of 1001 by 1002: want at most 1000 columns"}
	if got := NotesOfLeft(c.Left); !slices.Equal(got, want) || len(c.List) != 1 {
		t.Errorf("%q: want %q", got, want)
	}
}

func TestReadMATVectorsRefuses(t *testing.T) {
	scalar := rthstest.MATFile(binary.LittleEndian, false,
		rthstest.MATArray{Name: "fs", Class: 6, Storage: 9, Dims: []int32{1, 1}, Values: []float64{10}})
	for _, c := range []struct {
		file []byte
		want string
	}{
		{[]byte("MATLAB 7.3 MAT-file"), "found 19 bytes, want an HDF5 file, or a MATLAB v5 MAT-file"},
		{scalar, "no real numeric vectors; the file holds fs (1x1 double)"},
		{scalar[:150], "want a complete file"},
	} {
		if _, err := readVectors(c.file, "test.mat"); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v: want %q", err, c.want)
		}
	}
}

func FuzzReadMATVectors(f *testing.F) {
	f.Add(rthstest.MATFile(binary.LittleEndian, true,
		rthstest.MATArray{Name: "x", Class: 6, Storage: 9, Dims: []int32{2, 3}, Values: []float64{1, 4, 2, 5, 3, 6}}))
	for _, file := range []string{"../ground/testdata/kinds/structure.mat", "../ground/testdata/kinds/nested.mat",
		"../ground/testdata/kinds/v4.mat", "testdata/sparse4.mat"} {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		vectors, err := readVectors(data, "fuzz.mat")
		if err == nil && len(vectors) == 0 {
			t.Error("no vectors and no error")
		}
	})
}

// Vectors inside cells and arrays of structures, as GNU Octave writes them.
func TestVectorsInCells(t *testing.T) {
	want := map[string]string{
		"c{1}": "[0 0.01 0.02 0.03 0.04]", "c{2}": "[1 2 3 4 5]", "s(1).x": "[0 0.01 0.02 0.03 0.04]",
		"s(2).x": "[0 0.02 0.04 0.06 0.08]", "s(2).y": "[9 8]", "q.in.c{1}": "[0 0.03 0.06 0.09 0.12]",
	}
	for _, name := range []string{"cells-v6.mat", "cells-v7.mat"} {
		vectors, err := readVectors(rthstest.Must(os.ReadFile("testdata/"+name)), name)
		if err != nil || len(vectors) != len(want) {
			t.Fatalf("%s: %d vectors, %v: want %d", name, len(vectors), err, len(want))
		}
		for _, v := range vectors {
			if got := fmt.Sprint(v.Values); got != want[v.Name] {
				t.Errorf("%s: %s: %s: want %s", name, v.Name, got, want[v.Name])
			}
		}
	}
}
