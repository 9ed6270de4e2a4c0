package foreign

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"rths/rthstest"
)

func TestReadMATVectors(t *testing.T) {
	for _, compress := range []bool{false, true} {
		file := rthstest.MATFile(binary.LittleEndian, compress,
			rthstest.MATArray{Name: "t", Class: 6, Storage: 9, Dims: []int32{3, 1}, Values: []float64{0, 0.1, 0.2}},
			rthstest.MATArray{Name: "fs", Class: 6, Storage: 9, Dims: []int32{1, 1}, Values: []float64{10}},
			rthstest.MATArray{Name: "x", Class: 7, Storage: 7, Dims: []int32{1, 3}, Values: []float64{1, 2, 3}},
			rthstest.MATArray{Name: "tall", Class: 6, Storage: 9, Dims: []int32{3, 2}, Values: []float64{1, 2, 3, 4, 5, 6}},
			rthstest.MATArray{Name: "wide", Class: 6, Storage: 9, Dims: []int32{2, 3}, Values: []float64{1, 4, 2, 5, 3, 6}},
			rthstest.MATArray{Name: "z", Class: 6, Storage: 9, Dims: []int32{2, 1}, Values: []float64{1, 2}, Imag: true})
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

// structFile is a MAT-file of one structure whose fields are left out.
func structFile(name string, fields ...string) []byte {
	element := func(kind uint32, body []byte) []byte {
		out := binary.LittleEndian.AppendUint32(nil, kind)
		out = binary.LittleEndian.AppendUint32(out, uint32(len(body)))
		return append(append(out, body...), make([]byte, (8-len(body)%8)%8)...)
	}
	text := make([]byte, 32*len(fields))
	for i, f := range fields {
		copy(text[32*i:], f)
	}
	var body []byte
	for _, e := range [][]byte{
		element(6, []byte{mxSTRUCT, 0, 0, 0, 0, 0, 0, 0}), element(5, []byte{1, 0, 0, 0, 1, 0, 0, 0}), element(1, []byte(name)),
		element(5, []byte{32, 0, 0, 0}), element(1, text),
	} {
		body = append(body, e...)
	}
	head := append(bytes.Repeat([]byte(" "), 124), 0, 1, 'I', 'M')
	return append(head, element(miMATRIX, body)...)
}

func TestReadMATVectorsRefuses(t *testing.T) {
	scalar := rthstest.MATFile(binary.LittleEndian, false, rthstest.MATArray{Name: "fs", Class: 6, Storage: 9, Dims: []int32{1, 1}, Values: []float64{10}})
	version4 := binary.LittleEndian.AppendUint32(nil, 0) // of little-endian doubles
	for _, word := range []uint32{1, 2, 0, 2} {          // rows, columns, imaginary, length of the name
		version4 = binary.LittleEndian.AppendUint32(version4, word)
	}
	version4 = append(version4, "x\x00\x00\x00\x00\x00\x00\x00\xf0\x3f\x00\x00\x00\x00\x00\x00\x00\x40"...)
	structure := structFile("s", "time", "signals")
	for _, c := range []struct {
		file []byte
		want string
	}{
		{[]byte("MATLAB 7.3 MAT-file"), "save it with -v7"},
		{scalar, "no real numeric vectors; the file holds fs (1x1 double)"},
		{scalar[:150], "want a complete file"},
		{version4, "byte 0: found a MATLAB version 4 file, want version 5: load it in MATLAB or Octave and save it with -v7"},
		{structure, "the file holds s (1x1 struct of time, signals); what stands in structures and cells is not read: in MATLAB give it names of its own, as in t = s.time; x = c{1}; and save these with -v7"},
		{structure[:len(structure)-8], "want a complete file"},
	} {
		if _, err := ReadMATVectors(bytes.NewReader(c.file), "test.mat"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v: want %q", err, c.want)
		}
	}
}

func FuzzReadMATVectors(f *testing.F) {
	f.Add(rthstest.MATFile(binary.LittleEndian, true, rthstest.MATArray{Name: "x", Class: 6, Storage: 9, Dims: []int32{2, 3}, Values: []float64{1, 4, 2, 5, 3, 6}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		vectors, err := ReadMATVectors(bytes.NewReader(data), "fuzz.mat")
		if err == nil && len(vectors) == 0 {
			t.Error("no vectors and no error")
		}
	})
}
