package foreign

import (
	"bytes"
	"encoding/binary"
	"os"
	"slices"
	"testing"

	"rths/kit/rthstest"
)

// variable4 is a variable of a level 4 file, of type MOPT.
func variable4(order binary.AppendByteOrder, mopt, rows, columns, imaginary uint32, name string, body []byte) []byte {
	var b []byte
	for _, x := range []uint32{mopt, rows, columns, imaginary, uint32(len(name) + 1)} {
		b = order.AppendUint32(b, x)
	}
	return append(append(append(b, name...), 0), body...)
}

// Numbers of every type are read, in both byte orders, and what stands between them is passed over.
func TestVersion4(t *testing.T) {
	for m, order := range map[uint32]binary.AppendByteOrder{0: binary.LittleEndian, 1000: binary.BigEndian} {
		doubles := order.AppendUint64(order.AppendUint64(nil, 0x3ff8000000000000), 0xc000000000000000)
		data := slices.Concat(
			variable4(order, m, 2, 1, 0, "double", doubles),
			variable4(order, m, 1, 1, 1, "complex", doubles),
			variable4(order, m+51, 1, 2, 0, "text", []byte("ab")),
			variable4(order, m+10, 1, 1, 0, "single", order.AppendUint32(nil, 0x3fc00000)),
			variable4(order, m+20, 1, 1, 0, "int32", order.AppendUint32(nil, 0xfffffffe)),
			variable4(order, m+30, 1, 1, 0, "int16", order.AppendUint16(nil, 0xfffe)),
			variable4(order, m+40, 1, 1, 0, "uint16", order.AppendUint16(nil, 0xfffe)),
			variable4(order, m+50, 1, 2, 0, "uint8", []byte{1, 254}),
		)
		f, err := OpenMAT(bytes.NewReader(data))
		if err != nil || len(f.Vars) != 8 {
			t.Fatalf("%v: %v, %v", order, f, err)
		}
		for _, c := range []struct {
			name string
			want []float64
		}{{"double", []float64{1.5, -2}}, {"single", []float64{1.5}}, {"int32", []float64{-2}}, {"int16", []float64{-2}},
			{"uint16", []float64{65534}}, {"uint8", []float64{1, 254}}} {
			v := f.Vars[slices.IndexFunc(f.Vars, func(v Variable) bool { return v.Name == c.name })]
			if got, err := f.Values(v, 2); err != nil || !v.Numeric() || !slices.Equal(got, c.want) {
				t.Errorf("%v %s: %v, %v: want %v", order, v, got, err, c.want)
			}
		}
		if v := f.Vars[1]; v.Numeric() || v.String() != "complex (1x1 double complex)" {
			t.Errorf("%s: want complex numbers", v)
		}
	}
}

func TestVersion4Errors(t *testing.T) {
	whole := variable4(binary.LittleEndian, 0, 2, 1, 0, "a", make([]byte, 16))
	for _, c := range []struct {
		data []byte
		want string
	}{
		{whole[:30], "byte 0: a MATLAB version 4 file: variable \"a\" of 16 bytes, but 8 are left"},
		{append(slices.Clone(whole), 1, 2, 3), "byte 38: a MATLAB version 4 file: found 3 bytes, want the 20"},
		{append(slices.Clone(whole), bytes.Repeat([]byte{9}, 20)...),
			"byte 38: a MATLAB version 4 file: found type 151587081"},
		{variable4(binary.LittleEndian, 0, 1<<30, 1<<30, 0, "a", make([]byte, 100)),
			"byte 0: a MATLAB version 4 file: 1073741824 by 1073741824 numbers"},
	} {
		_, err := OpenMAT(bytes.NewReader(c.data))
		rthstest.WantError(t, err, c.want)
	}
	data, err := os.ReadFile("testdata/sparse4.mat") // by Octave: s = sparse([1 0; 0 2]); save -v4
	if err != nil {
		t.Fatal(err)
	}
	f, err := OpenMAT(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if _, err = f.Triplets(f.Vars[0], 100); !f.Vars[0].Sparse() || err == nil {
		t.Errorf("%s, %v: want that sparse matrices of version 4 are refused", f.Vars[0], err)
	}
}
