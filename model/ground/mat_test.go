package ground

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"rths/kit/rthstest"
)

// byteOrders are the byte orders of MAT-files.
var byteOrders = []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian}

// record2xN has times 5, 5.02, 5.04, 5.06 s in its first row.
func record2xN(name string) rthstest.MATArray {
	return rthstest.MATArray{Name: name, Class: 6, Storage: 9, Dims: []int32{2, 4},
		Values: []float64{5, 1, 5.02, -2, 5.04, 3, 5.06, 0.25}}
}

// recordNx2 is the same by columns.
func recordNx2(name string) rthstest.MATArray {
	return rthstest.MATArray{Name: name, Class: 6, Storage: 9, Dims: []int32{4, 2},
		Values: []float64{5, 5.02, 5.04, 5.06, 1, -2, 3, 0.25}}
}

func TestReadMATLayouts(t *testing.T) {
	want := Motion{Name: "quake", T0: 5, Dt: 0.02, A: []float64{1, -2, 3, 0.25}}
	for _, order := range byteOrders {
		for _, compress := range []bool{false, true} {
			for _, a := range []rthstest.MATArray{record2xN("ElCentroAccel"), recordNx2("ElCentroAccel"), recordNx2("a"),
				record2xN("ab12")} {
				t.Run(fmt.Sprintf("%v compressed %v %s %v", order, compress, a.Name, a.Dims), func(t *testing.T) {
					for _, variable := range []string{"", a.Name} {
						got, err := ReadMAT(bytes.NewReader(rthstest.MATFile(order, compress, a)), "quake", Want{Part: variable})
						if err != nil || got.Name != want.Name || got.T0 != want.T0 || got.Dt != want.Dt || !slices.Equal(got.A, want.A) {
							t.Errorf("%+v, %v: want %+v", got, err, want)
						}
					}
				})
			}
		}
	}
}

// MATLAB stores a double array of whole numbers in the smallest integer type.
func TestReadMATStorageTypes(t *testing.T) {
	for _, order := range byteOrders {
		for _, kind := range []uint32{1, 2, 3, 4, 5, 6, 7, 9, 12, 13} {
			a := rthstest.MATArray{Name: "q", Class: 6, Storage: kind, Dims: []int32{3, 2},
				Values: []float64{0, 1, 2, 7, 100, 9}}
			if signed := kind%2 == 1 && kind < 13 || kind == 12; signed {
				a.Values[5] = -9
			}
			got, err := ReadMAT(bytes.NewReader(rthstest.MATFile(order, true, a)), "x", Want{Unit: "gal"})
			want := []float64{0.01 * 7, 0.01 * 100, 0.01 * a.Values[5]}
			if err != nil || got.Dt != 1 || !slices.Equal(got.A, want) {
				t.Errorf("data type %d: %+v, %v: want %v", kind, got, err, want)
			}
		}
	}
}

// Times in single precision are uniform to seven digits only, and their step is
// still found.
func TestReadMATSingle(t *testing.T) {
	a := rthstest.MATArray{Name: "q", Class: 7, Storage: 7, Dims: []int32{2000, 2}, Values: make([]float64, 4000)}
	for i := range 2000 {
		a.Values[i] = float64(i) * 0.01
	}
	m, err := ReadMAT(bytes.NewReader(rthstest.MATFile(binary.LittleEndian, false, a)), "x", Want{})
	if err != nil || m.Dt != 0.01 {
		t.Errorf("step %v s, %v: want 0.01", m.Dt, err)
	}
}

func TestReadMATChoosesTheVariable(t *testing.T) {
	file := rthstest.MATFile(binary.LittleEndian, true,
		rthstest.MATArray{Name: "dt", Class: 6, Storage: 9, Dims: []int32{1, 1}, Values: []float64{0.02}},
		rthstest.MATArray{Name: "note", Class: 4, Storage: 4, Dims: []int32{2, 2}, Values: []float64{65, 66, 67, 68}},
		rthstest.MATArray{Name: "", Class: 9, Storage: 2, Dims: []int32{2, 2}, Values: []float64{1, 2, 3, 4}},
		rthstest.MATArray{Name: "C", Class: 6, Storage: 9, Dims: []int32{2, 2}, Values: []float64{1, 2, 3, 4}, Imag: true},
		record2xN("east"))
	if m, err := ReadMAT(bytes.NewReader(file), "x", Want{}); err != nil || len(m.A) != 4 {
		t.Errorf("%+v, %v: want the array east", m, err)
	}
	_, err := ReadMAT(bytes.NewReader(file), "x", Want{Part: "north"})
	wantError(t, err,
		`x: variable "north": found 0 of that name, want one; the file holds dt (1x1 double), note (2x2 char), C (2x2 `+
			`double complex), east (2x4 double)`)
	_, err = ReadMAT(bytes.NewReader(file), "x", Want{Part: "dt"})
	wantError(t, err,
		"x: variable dt (1x1 double): want a real 2×N or N×2 array of time and acceleration, or a vector beside one called time; the file holds dt (1x1 "+
			"double), note (2x2 char), C (2x2 double complex), east (2x4 double)")

	two := rthstest.MATFile(binary.BigEndian, false, record2xN("east"), recordNx2("north"))
	_, err = ReadMAT(bytes.NewReader(two), "x", Want{})
	wantError(t, err,
		"x: 2 arrays could be the motion: want the name of one (variable in a scenario, --channel of rths ground); the "+
			"file holds east (2x4 double), north (4x2 double)")
	if m, err := ReadMAT(bytes.NewReader(two), "x", Want{Part: "north"}); err != nil || m.A[3] != 0.25 {
		t.Errorf("%+v, %v: want the array north", m, err)
	}
}

// A vector of accelerations and its times, each a dataset of a group, with their units.
func TestReadMATBesideTime(t *testing.T) {
	data := rthstest.Must(os.ReadFile("testdata/kinds/beside.h5"))
	for part, peak := range map[string]float64{"": 0.02, "event/NS": 0.02, "event/EW": 2.5} {
		m, err := ReadMAT(bytes.NewReader(data), "x", Want{Part: part})
		if err != nil || len(m.A) != 50 || math.Abs(m.Dt-0.005) > 1e-12 || math.Abs(m.PGA()-peak) > 1e-12 {
			t.Errorf("%q: %d samples every %g s, peak %g, %v: want 50, 0.005, %g", part, len(m.A), m.Dt, m.PGA(), err, peak)
		}
	}
	for part, want := range map[string]string{
		"event/load": "want accelerations", "event/time": "or a vector beside one called time",
		"lonely": "or a vector beside one called time",
	} {
		if _, err := ReadMAT(bytes.NewReader(data), "x", Want{Part: part}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v: want %s", part, err, want)
		}
	}
}

func TestReadMATErrors(t *testing.T) {
	left := rthstest.Must(os.ReadFile("../foreign/testdata/hdf5/left.h5"))
	_, err := ReadMAT(bytes.NewReader(left), "left.h5", Want{Part: "measured"})
	if err == nil || !strings.Contains(err.Error(), "; left out: measured: its type is a named one of the file: want a") {
		t.Errorf("%v: want what is left out", err)
	}
	le := binary.LittleEndian
	good := rthstest.MATFile(le, false, record2xN("q"))
	change := func(at int, b ...byte) []byte { c := slices.Clone(good); copy(c[at:], b); return c }
	backwards := record2xN("q")
	backwards.Values[4] = 5.01
	packed := rthstest.MATFile(le, true, record2xN("q"))
	spoilt := slices.Clone(packed)
	spoilt[len(spoilt)-1] ^= 0xff
	short := record2xN("q")
	short.Values = short.Values[:6]
	huge := record2xN("q")
	huge.Dims = []int32{2, 1 << 30}
	for _, c := range []struct {
		name string
		data []byte
		unit string
		want string
	}{
		{"empty", nil, "", "x: found 0 bytes, want an HDF5 file, or a MATLAB v5 MAT-file with a heading of 128 (save with -v7 or -v6)"},
		{"text", bytes.Repeat([]byte("0.1 0.2\n"), 40), "",
			`x: byte 126: found "2\n", want IM or MI (a MATLAB v5 MAT-file: save with -v7 or -v6)`},
		{"plain HDF5", []byte("\x89HDF\r\n\x1a\n"), "",
			"x: byte 0: HDF5 superblock: it is cut off"},
		{"version", change(124, 0, 2), "", "x: byte 124: found version 0x0200, want 0x0100 (save with -v7 or -v6)"},
		{"no variable", good[:128], "",
			"x: no real 2×N or N×2 array of time and acceleration; the file holds no variables: want one array of both, in " +
				"MATLAB record = [t(:) acc(:)]"},
		{"cut tag", good[:132], "", "x: byte 128: found 4 bytes, want the 8 of a tag"},
		{"cut array", good[:len(good)-8], "", "x: byte 128: an element of 112 bytes, but 104 are left: want a complete file"},
		{"class", change(144, 99), "", "x: byte 128: array class 99, want 1 to 17"},
		{"dimensions", change(160, 0xff, 0xff, 0xff, 0xff), "", "x: byte 128: dimensions: found -1, want 0 or more"},
		{"text for numbers", change(176, 16), "", "x: byte 128: variable q: numbers of data type 16, want a numeric type"},
		{"few numbers", rthstest.MATFile(le, true, short), "",
			"x: byte 128: variable q: found 48 bytes of numbers, want 8×8 for q (2x4 double)"},
		{"claims", rthstest.MATFile(le, true, huge), "",
			"x: byte 128: variable q: found q (2x1073741824 double), want at most 16777216 numbers"},
		{"checksum", spoilt, "", "x: byte 128: variable q: zlib: invalid checksum"},
		{"time", rthstest.MATFile(le, true, backwards), "",
			"x: variable q: sample 3: time 5.01 s after 5.02 s: want increasing times"},
		{"unit", good, "inch", `x: unit "inch": want one of cm/s2, ft/s2, g, gal, in/s2, m/s2, mg, mm/s2`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ReadMAT(bytes.NewReader(c.data), "x", Want{Unit: c.unit})
			wantError(t, err, c.want)
		})
	}
}

// A compressed element may hold a thousand times its own size. What is not the
// record is not inflated.
func TestReadMATDoesNotInflateBombs(t *testing.T) {
	one := rthstest.MATFile(binary.LittleEndian, true,
		rthstest.MATArray{Name: "bomb", Class: 6, Storage: 9, Dims: []int32{3, 1 << 17}, Values: make([]float64, 3<<17)})
	data := append(slices.Clone(one), bytes.Repeat(one[128:], 99)...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := ReadMAT(bytes.NewReader(data), "x", Want{})
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), "no real 2×N or N×2 array") {
		t.Errorf("error %v", err)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 20<<20 {
		t.Errorf("%d bytes allocated for a file of %d that unpacks to 300 MB", got, len(data))
	}
}

func FuzzReadMAT(f *testing.F) {
	for _, order := range byteOrders {
		for _, compress := range []bool{false, true} {
			f.Add(rthstest.MATFile(order, compress, record2xN("ElCentroAccel")), "")
			f.Add(rthstest.MATFile(order, compress, recordNx2("q"), record2xN("r")), "r")
			f.Add(rthstest.MATFile(order, compress, rthstest.MATArray{Name: "i", Class: 6, Storage: 2, Dims: []int32{3, 2},
				Values: []float64{0, 1, 2, 7, 100, 9}}), "")
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, variable string) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m, err := ReadMAT(bytes.NewReader(data), "fuzz", Want{Part: variable})
		runtime.ReadMemStats(&after)
		soundMotion(t, m, err)
		// zlib gains at most a factor of 1032; an inflater itself takes some 50 kB.
		if got := after.TotalAlloc - before.TotalAlloc; got > 64<<20+uint64(len(data))*8000 {
			t.Errorf("%d bytes allocated for %d", got, len(data))
		}
	})
}

// Files that another program wrote (GNU Octave 7.3, save -v6 and -v7), with
// structures, cells, text, complex, sparse, logical and empty variables beside
// the array of interest.
func TestReadMATOfOctave(t *testing.T) {
	for _, c := range []struct {
		file string
		dt   float64
		want []float64
	}{
		{"octave-v6.mat", 0.02, []float64{0.5, -1.25, 3, 2, 0.001}},
		{"octave-v7.mat", 0.02, []float64{0.5, -1.25, 3, 2, 0.001}},
		{"octave-v7-integers.mat", 1, []float64{5, -7, 300, 2}},
		{"octave-v7-single.mat", 0.02, []float64{0.5, -1.25, 3, 2, float64(float32(0.001))}},
	} {
		m, err := atDisk.Read("testdata/"+c.file, Want{})
		if err != nil || m.Dt != c.dt || !slices.Equal(m.A, c.want) {
			t.Errorf("%s: step %v s, %v, %v: want %g, %v", c.file, m.Dt, m.A, err, c.dt, c.want)
		}
	}
}
