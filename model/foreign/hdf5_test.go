package foreign

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"rths/kit/rthstest"
)

// vectorsOf reads a file of testdata/hdf5, which h5py has written.
func vectorsOf(t *testing.T, name string) (map[string]vector, error) {
	t.Helper()
	list, err := readVectors(rthstest.Must(os.ReadFile(filepath.Join("testdata/hdf5", name))), name)
	out := map[string]vector{}
	for _, v := range list {
		out[v.Name] = v
	}
	return out, err
}

// same wants so many values.
func same(t *testing.T, what string, got vector, unit string, n int, want func(i int) float64) {
	t.Helper()
	if len(got.Values) != n || got.Unit != unit {
		t.Errorf("%s: %d values in %q: want %d in %q", what, len(got.Values), got.Unit, n, unit)
		return
	}
	for i, v := range got.Values {
		if v != want(i) {
			t.Errorf("%s: value %d is %v: want %v", what, i+1, v, want(i))
			return
		}
	}
}

func at(i int) float64 { return float64(i) * 0.01 }

// near is a sine within rounding of the one that NumPy computed.
func near(t *testing.T, what string, got vector, unit string, factor, within float64) {
	t.Helper()
	if len(got.Values) != 70 || got.Unit != unit {
		t.Errorf("%s: %d values in %q: want 70 in %q", what, len(got.Values), got.Unit, unit)
		return
	}
	for i, v := range got.Values {
		if want := factor * math.Sin(7*at(i)); math.Abs(v-want) > within {
			t.Errorf("%s: value %d is %v: want %v", what, i+1, v, want)
			return
		}
	}
}

func TestHDF5(t *testing.T) {
	got, err := vectorsOf(t, "earliest.h5")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "contiguous", got["time"], "s", 70, at)
	same(t, "by another name", got["again"], "s", 70, at)
	near(t, "chunked, deflate, shuffle, float32", got["test/axis/x"], "mm", 1, 1e-7)
	near(t, "big-endian int16, checksum", got["test/axis/counts"], "", 1000, 1)
	same(t, "bytes", got["test/axis/bytes"], "", 70, func(i int) float64 { return float64(i) })
	same(t, "table, column 1", got["table_1"], "", 70, at)
	near(t, "table, column 2", got["table_2"], "", 1, 1e-15)
	near(t, "table, column 3", got["table_3"], "", 2, 1e-15)
	near(t, "big endian", got["big"], "", 1, 1e-15)
	same(t, "compound, t", got["rows.t"], "", 70, at)
	near(t, "compound, f", got["rows.f"], "", 1, 1e-7)
	near(t, "compound, array 1", got["rows.xy_1"], "", 1, 1e-15)
	near(t, "compound, array 2", got["rows.xy_2"], "", -1, 1e-15)
	if len(got) != 13 {
		t.Errorf("%d vectors: want 13", len(got))
	}
	if got, err = vectorsOf(t, "many.h5"); err != nil || len(got) != 61 {
		t.Fatalf("many: %d vectors, %v: want 61", len(got), err)
	}
	same(t, "the last of many", got["c059"], "", 2, func(int) float64 { return 59 })
	same(t, "many chunks", got["long"], "", 2000, func(i int) float64 { return float64(i) })
	if got, err = vectorsOf(t, "latest.h5"); err != nil || len(got) != 4 {
		t.Fatalf("latest: %d vectors, %v: want 4", len(got), err)
	}
	same(t, "latest", got["time"], "s", 70, at)
	near(t, "one chunk, filtered", got["x"], "", 1, 1e-15)
	near(t, "one chunk", got["plain"], "", 1, 1e-15)
	same(t, "compact", got["compact"], "", 3, func(i int) float64 { return float64(i) })
	if got, err = vectorsOf(t, "dense.h5"); err != nil || len(got) != 20 {
		t.Fatalf("dense: %d vectors, %v: want 20", len(got), err)
	}
	same(t, "the last of a dense group", got["c19"], "", 70, at)
	if got, err = vectorsOf(t, "indexes.h5"); err != nil || len(got) != 64 {
		t.Fatalf("indexes: %d vectors, %v: want 64", len(got), err)
	}
	for name, n := range map[string]int{"implicit": 200, "fixed, paged": 1100, "extensible": 300,
		"extensible, packed": 300, "many/a member with quite a name 89": 200} {
		same(t, name, got[name], "", n, func(i int) float64 { return float64(i) })
	}
	if got, err = vectorsOf(t, "matlab.mat"); err != nil || len(got) != 5 {
		t.Fatalf("MATLAB 7.3: %d vectors, %v: want 5", len(got), err)
	}
	same(t, "quake, time", got["quake_1"], "", 70, at)
	near(t, "quake", got["quake_2"], "", 1, 1e-15)
	same(t, "structure, time", got["out.time"], "", 70, at)
	near(t, "structure, values", got["out.signals.values_2"], "", 3, 1e-15)
}

// What stands for texts, tables, empty and sparse arrays of MATLAB 7.3 is not taken for numbers.
func TestMATLABClasses(t *testing.T) {
	data := rthstest.Must(os.ReadFile("testdata/hdf5/classes.mat"))
	c := rthstest.Must(ReadMATVectors(bytes.NewReader(data), int64(len(data)), "classes.mat"))
	if len(c.List) != 2 || c.List[0].Name != "x_1" || c.List[1].Name != "x_2" {
		t.Errorf("%+v: want x_1 and x_2", c.List)
	}
	want := []string{"K: a sparse matrix of MATLAB 7.3: want it saved by save -v7",
		"T: of the class timetable of MATLAB: want the numbers of a table or timetable T, saved in MATLAB by s = ",
		"c: a cell array of MATLAB 7.3: want it saved by save -v7, or as one array by cell2mat",
		"s.x: a field of several structures of MATLAB 7.3: want them saved by save -v7"}
	if len(c.Left) != len(want) {
		t.Fatalf("left out: %q", c.Left)
	}
	for i, l := range c.Left {
		if got := l.Name + ": " + l.Why; !strings.HasPrefix(got, want[i]) {
			t.Errorf("left out: %s: want %s", got, want[i])
		}
	}
}

// Matrices of any shape, in chunks and in one piece: as a whole, and column by column along the longer side.
func TestHDF5Shapes(t *testing.T) {
	for file, n := range map[string]int{"shapes.h5": 10, "matrices.h5": 8} {
		data := rthstest.Must(os.ReadFile("testdata/hdf5/" + file))
		f := rthstest.Must(OpenMAT(bytes.NewReader(data)))
		if len(f.Vars) != n {
			t.Fatalf("%d datasets: want %d", len(f.Vars), n)
		}
		got := rthstest.Must(vectorsOf(t, file))
		for _, v := range f.Vars {
			shape(t, f, v, got)
		}
	}
}

// shape looks at a matrix of shapes.h5.
func shape(t *testing.T, f *MATFile, v Variable, got map[string]vector) {
	t.Helper()
	columns, rows := v.Dims[0], v.Dims[1] // MATLAB's order is the other one
	if !strings.HasPrefix(v.Name, fmt.Sprintf("%dx%d ", rows, columns)) {
		t.Errorf("%s: %d by %d", v.Name, rows, columns)
	}
	for k, x := range rthstest.Must(f.Values(v, 1000)) {
		if want := float64(k/columns*1000 + k%columns); x != want {
			t.Fatalf("%s: number %d is %g: want %g", v.Name, k, x, want)
		}
	}
	for j := range min(rows, columns) {
		name := v.Name
		if min(rows, columns) > 1 {
			name = fmt.Sprintf("%s_%d", v.Name, j+1)
		}
		same(t, name, got[name], "", max(rows, columns), func(k int) float64 {
			if rows > columns {
				return float64(1000*k + j)
			}
			return float64(1000*j + k)
		})
	}
}

func TestHDF5Refuses(t *testing.T) {
	for name, want := range map[string]string{
		"lzf.h5":    `x: it is packed by the filter 32000 (LZF): want gzip, as by f.create_dataset("y", data=f["x"][:]`,
		"partly.h5": "x: 10 of 100 numbers were written: want all",
		"texts.h5":  "no real numeric vectors; the file holds no variables",
	} {
		if _, err := vectorsOf(t, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v: want %s", name, err, want)
		}
	}
}

// A global heap that says to be shorter than its head has no units.
func TestHDF5HeapWithoutLength(t *testing.T) {
	data := rthstest.Must(os.ReadFile("testdata/hdf5/latest.h5"))
	at := bytes.Index(data, []byte("GCOL"))
	putHDF5(data, at+8, 8, 0)
	f, err := OpenMAT(bytes.NewReader(data))
	if at < 0 || err != nil || len(f.Vars) != 4 || f.Vars[0].Name != "time" || f.Vars[0].Unit != "" {
		t.Errorf("heap at %d: %+v, %v: want 4 datasets without units", at, f, err)
	}
}

// Two thousand damaged files: a message or a sound reading, and little memory.
func TestDamagedHDF5(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	files, err := filepath.Glob("testdata/hdf5/*.[hm]*")
	if err != nil || len(files) < 8 {
		t.Fatal(files, err)
	}
	read, refused := 0, 0
	for i := range rthstest.Draws(600, 2000) {
		data := rthstest.Must(os.ReadFile(files[i%len(files)]))
		for range 1 + random.IntN(4) {
			switch at := random.IntN(len(data)); random.IntN(4) {
			case 0:
				data = data[:max(600, at)]
			case 1:
				copy(data[at:], slices.Repeat([]byte{0xFF}, 8))
			default:
				data[random.IntN(min(len(data), 3000))] = byte(random.Uint32())
			}
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := readVectors(data, "x")
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 1<<30 {
			t.Errorf("%s, %d: %d bytes were allocated", files[i%len(files)], i, got)
		}
		if err == nil {
			read++
		} else {
			refused++
		}
	}
	if read == 0 || refused == 0 {
		t.Errorf("%d were read, %d refused", read, refused)
	}
}

func FuzzHDF5(f *testing.F) {
	files, err := filepath.Glob("testdata/hdf5/*.[hm]*")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		f.Add(rthstest.Must(os.ReadFile(name)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if hdf5At(bytes.NewReader(data)) < 0 {
			return
		}
		f, err := OpenMAT(bytes.NewReader(data))
		if err != nil {
			return
		}
		for _, v := range f.Vars {
			if got, err := f.Values(v, 1<<24); err == nil && len(got) != v.Dims[0]*v.Dims[1] {
				t.Error(fmt.Sprint(v, len(got)))
			}
		}
		_, _ = readVectors(data, "fuzz")
	})
}

// putHDF5 writes numbers of so many bytes into a file in memory.
func putHDF5(b []byte, at, size int, values ...int) int {
	for _, v := range values {
		for i := range size {
			b[at+i] = byte(uint64(v) >> (8 * i))
		}
		at += size
	}
	return at
}

// emptyHDF5 is a file whose root has one message.
func emptyHDF5(kind int, data ...int) []byte {
	b := make([]byte, 8192)
	copy(b, hdf5Mark)
	putHDF5(b, 13, 1, 8, 8)
	putHDF5(b, 24, 8, 0, -1, len(b), -1, 0, 96)
	putHDF5(b, 96, 1, 1, 0)
	putHDF5(b, 98, 2, 1)
	putHDF5(b, 100, 4, 1, 8+8*len(data))
	putHDF5(b, 112, 2, kind, 8*len(data))
	putHDF5(b, 120, 8, data...)
	return b
}

// A header that goes on in itself, and a tree whose nodes are each other's, come to an end.
func TestHDF5WithoutEnd(t *testing.T) {
	ring := emptyHDF5(msgContinued, 512, 24)
	putHDF5(ring, 512, 2, msgContinued, 16)
	putHDF5(ring, 520, 8, 512, 24)
	tree := emptyHDF5(msgSymbols, 512, 400)
	copy(tree[400:], "HEAP")
	putHDF5(tree, 408, 8, 8, 1, 440)
	at := 512
	for level := deepestGroup - 2; level >= 0; level-- { // each node has one child twenty times
		next := at + 24 + 8 + 20*16
		copy(tree[at:], "TREE")
		putHDF5(tree, at+5, 1, level)
		putHDF5(tree, at+6, 2, 20)
		for i := range 20 {
			putHDF5(tree, at+24+8+16*i, 8, next, 0)
		}
		if at = next; at > len(tree)-1000 {
			tree = append(tree, make([]byte, 8192)...)
		}
	}
	copy(tree[at:], "SNOD")
	for name, data := range map[string][]byte{"ring": ring, "tree": tree} {
		if _, _, err := openHDF5(bytes.NewReader(data), int64(len(data)), 0); err == nil || !strings.Contains(err.Error(), "want a sound file") {
			t.Errorf("%s: %v: want an error", name, err)
		}
	}
}
