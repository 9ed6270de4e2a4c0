package ground

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

func TestReadMATVectors(t *testing.T) {
	for _, compress := range []bool{false, true} {
		file := matFileOf(binary.LittleEndian, compress,
			matArray{name: "t", class: 6, storage: 9, dims: []int32{3, 1}, values: []float64{0, 0.1, 0.2}},
			matArray{name: "fs", class: 6, storage: 9, dims: []int32{1, 1}, values: []float64{10}},
			matArray{name: "x", class: 7, storage: 7, dims: []int32{1, 3}, values: []float64{1, 2, 3}},
			matArray{name: "tall", class: 6, storage: 9, dims: []int32{3, 2}, values: []float64{1, 2, 3, 4, 5, 6}},
			matArray{name: "wide", class: 6, storage: 9, dims: []int32{2, 3}, values: []float64{1, 4, 2, 5, 3, 6}},
			matArray{name: "z", class: 6, storage: 9, dims: []int32{2, 1}, values: []float64{1, 2}, imag: true})
		got, err := ReadMATVectors(bytes.NewReader(file), "test.mat")
		if err != nil {
			t.Fatal(err)
		}
		want := "[{t [0 0.1 0.2]} {x [1 2 3]} {tall_1 [1 2 3]} {tall_2 [4 5 6]} {wide_1 [1 2 3]} {wide_2 [4 5 6]}]"
		if fmt.Sprint(got) != want {
			t.Errorf("%v: want %s", got, want)
		}
	}
}

func TestReadMATVectorsRefuses(t *testing.T) {
	scalar := matFileOf(binary.LittleEndian, false, matArray{name: "fs", class: 6, storage: 9, dims: []int32{1, 1}, values: []float64{10}})
	for _, c := range []struct {
		file []byte
		want string
	}{
		{[]byte("MATLAB 7.3 MAT-file"), "save it with -v7"},
		{scalar, "no real numeric vectors; the file holds fs (1x1 double)"},
		{scalar[:150], "want a complete file"},
	} {
		if _, err := ReadMATVectors(bytes.NewReader(c.file), "test.mat"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v: want %q", err, c.want)
		}
	}
}

func FuzzReadMATVectors(f *testing.F) {
	f.Add(matFileOf(binary.LittleEndian, true, matArray{name: "x", class: 6, storage: 9, dims: []int32{2, 3}, values: []float64{1, 4, 2, 5, 3, 6}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		vectors, err := ReadMATVectors(bytes.NewReader(data), "fuzz.mat")
		if err == nil && len(vectors) == 0 {
			t.Error("no vectors and no error")
		}
	})
}
