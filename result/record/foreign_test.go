package record

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// foreignKinds are columns of each type of Arrow: three values as JSON, and the numbers that they are; nil: none.
func foreignKinds() []foreignKind {
	p, f, b, nan := arrow.PrimitiveTypes, arrow.FixedWidthTypes, arrow.BinaryTypes, math.NaN()
	float := arrow.Field{Name: "f", Type: p.Float64, Nullable: true}
	word := arrow.Field{Name: "w", Type: b.String, Nullable: true}
	inner := arrow.StructOf(float, arrow.Field{Name: "l", Type: arrow.ListOf(b.StringView), Nullable: true}, word)
	return []foreignKind{
		{p.Int8, `-128, null, 127`, []float64{-128, nan, 127}},
		{p.Uint8, `0, null, 255`, []float64{0, nan, 255}},
		{p.Int16, `-32768, 5, 32767`, []float64{-32768, 5, 32767}},
		{p.Uint16, `null, 5, 65535`, []float64{nan, 5, 65535}},
		{p.Int32, `-2147483648, null, 2147483647`, []float64{-1 << 31, nan, 1<<31 - 1}},
		{p.Uint32, `1, 2, 4294967295`, []float64{1, 2, 1<<32 - 1}},
		{p.Int64, `-9007199254740991, null, 9007199254740993`, []float64{-1<<53 + 1, nan, 1 << 53}},
		{p.Uint64, `1, 9223372036854775808, null`, []float64{1, 1 << 63, nan}},
		{f.Float16, `-1.5, 65504, 0.25`, []float64{-1.5, 65504, 0.25}},
		{p.Float32, `0.5, null, -0.25`, []float64{0.5, nan, -0.25}},
		{p.Float64, `0.1, null, 1e300`, []float64{0.1, nan, 1e300}},
		{arrow.Null, `null, null, null`, nil},
		{f.Boolean, `true, null, false`, nil},
		{b.String, `"a", null, "long enough to stand outside of a view"`, nil},
		{b.LargeString, `"a", null, "bc"`, nil},
		{b.Binary, `"YQ==", null, "YmM="`, nil},
		{b.LargeBinary, `"YQ==", null, "YmM="`, nil},
		{b.StringView, `"a", null, "long enough to stand outside of a view"`, nil},
		{b.BinaryView, `"YQ==", "YQ==", "YQ=="`, nil},
		{&arrow.FixedSizeBinaryType{ByteWidth: 1}, `"YQ==", null, "Yg=="`, nil},
		{f.Date32, `1, null, 3`, nil}, {f.Date64, `1, null, 3`, nil},
		{f.Time32ms, `"00:00:01", null, "00:00:02"`, nil},
		{f.Timestamp_us, `1, null, 3`, nil},
		{f.Duration_s, `1, null, 3`, nil}, {f.MonthInterval, `{"months": 1}, null, {"months": 2}`, nil},
		{&arrow.Decimal128Type{Precision: 5, Scale: 1}, `"1.5", null, "2.5"`, nil},
		{arrow.ListOf(p.Float64), `[1, 2], null, []`, nil}, {arrow.LargeListOf(b.String), `["a"], null, ["b"]`, nil},
		{arrow.ListViewOf(p.Int8), `[1, 2], null, []`, nil}, {arrow.FixedSizeListOf(2, p.Int16), `[1, 2], null, [3, 4]`, nil},
		{inner, `{"f": 1, "l": ["a"], "w": "b"}, null, {"f": null, "l": null, "w": "c"}`, nil},
		{arrow.MapOf(b.String, p.Float64), `[{"key": "a", "value": 1}], null, []`, nil},
		{arrow.SparseUnionOf([]arrow.Field{float, word}, []int8{3, 5}), `[3, 1], [5, "a"], [3, 2]`, nil},
		{arrow.DenseUnionOf([]arrow.Field{float, word}, []int8{3, 5}), `[3, 1], [5, "a"], [3, 2]`, nil},
		{arrow.RunEndEncodedOf(p.Int32, p.Float64), `1, 1, 2`, nil},
		{&arrow.DictionaryType{IndexType: p.Int8, ValueType: b.String}, `"a", null, "b"`, nil},
		{&arrow.DictionaryType{IndexType: p.Int16, ValueType: p.Float64}, `1, null, 2`, nil},
		{p.Int32, `1, 2, 3`, []float64{1, 2, 3}},
	}
}

type foreignKind struct {
	kind   arrow.DataType
	text   string
	values []float64
}

// uncut reports whether arrow-go panics when it writes a part of such a column.
func (k foreignKind) uncut() bool {
	return slices.Contains([]arrow.Type{arrow.DENSE_UNION, arrow.LIST_VIEW}, k.kind.ID())
}

// foreignBatches are the kinds in batches of several lengths, one of them cut out of a longer one.
func foreignBatches(t testing.TB, kinds []foreignKind) (batches []arrow.RecordBatch, want [][]float64) {
	t.Helper()
	fields := make([]arrow.Field, len(kinds))
	for i, k := range kinds {
		fields[i] = arrow.Field{Name: fmt.Sprint(i), Type: k.kind, Nullable: true}
	}
	fields[0].Metadata = arrow.MetadataFrom(map[string]string{"unit": "kN"})
	whole := slices.ContainsFunc(kinds, foreignKind.uncut)
	for _, s := range [][3]int{{1, 0, 3}, {1, 0, 0}, {300, 0, 900}, {5, 1,
		14}} { // three values so many times, rows from, to
		times := s[0]
		columns := make([]arrow.Array, len(kinds))
		for i, k := range kinds {
			text := strings.TrimSuffix(strings.Repeat(k.text+", ", times), ", ")
			var err error
			if columns[i], _, err = array.FromJSON(memory.DefaultAllocator, k.kind,
				strings.NewReader("["+text+"]")); err != nil {
				t.Fatalf("%s: %v", k.kind, err)
			}
		}
		batch := array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, int64(3*times))
		from := 0
		if !whole {
			batch, from = batch.NewSlice(int64(s[1]), int64(s[2])), s[1]
		}
		batches = append(batches, batch)
		to := 0
		for _, k := range kinds {
			if k.values == nil {
				continue
			}
			if to == len(want) {
				want = append(want, nil)
			}
			for row := range int(batch.NumRows()) {
				want[to] = append(want[to], k.values[(from+row)%3])
			}
			to++
		}
	}
	return batches, want
}

// foreignText is what arrow-go writes of the batches.
func foreignText(t testing.TB, batches []arrow.RecordBatch, file bool, options ...ipc.Option) []byte {
	t.Helper()
	var out bytes.Buffer
	var w interface {
		Write(arrow.RecordBatch) error
		Close() error
	}
	options = append(options, ipc.WithSchema(batches[0].Schema()))
	if w = ipc.NewWriter(&out, options...); file {
		var err error
		if w, err = ipc.NewFileWriter(&out, options...); err != nil {
			t.Fatal(err)
		}
	}
	for _, b := range batches {
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Numbers of all types are read, beside columns of every other type, from streams and files, compressed or not.
func TestForeignKinds(t *testing.T) {
	whole := foreignKinds()
	cut := slices.DeleteFunc(foreignKinds(), foreignKind.uncut)
	for _, kinds := range [][]foreignKind{whole, cut} {
		checkForeign(t, kinds)
	}
}

func checkForeign(t *testing.T, kinds []foreignKind) {
	t.Helper()
	batches, want := foreignBatches(t, kinds)
	for name, option := range map[string]ipc.Option{"plain": ipc.WithCompressConcurrency(1), "LZ4": ipc.WithLZ4(),
		"zstd": ipc.WithZstd(), "zstd where it pays": ipc.WithMinSpaceSavings(0.5)} {
		options := []ipc.Option{option}
		if name == "zstd where it pays" {
			options = append(options, ipc.WithZstd())
		}
		for _, file := range []bool{false, true} {
			text := foreignText(t, batches, file, options...)
			columns, values, err := ReadForeign(bytes.NewReader(text), int64(len(text)))
			if err != nil || len(values) != len(want) || columns[0].Unit != "kN" {
				t.Errorf("%s, file %t: %d columns, %v: want %d", name, file, len(values), err, len(want))
				continue
			}
			for i := range want {
				if !slices.EqualFunc(values[i], want[i], func(a, b float64) bool {
					return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
				}) {
					t.Errorf("%s, file %t: column %s: %g: want %g", name, file, columns[i].Name, values[i], want[i])
				}
			}
		}
	}
}

// A number of 16 bits is the one that arrow-go makes of it.
func TestHalf(t *testing.T) {
	for bits, want := range map[uint64]float64{0: 0, 0x8000: math.Copysign(0, -1), 1: 0x1p-24, 0x83ff: -1023 * 0x1p-24,
		0x0400: 0x1p-14, 0x3c00: 1, 0xfbff: -65504, 0x7c00: math.Inf(1), 0xfc00: math.Inf(-1)} {
		if got := half(bits); math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("%#x: %g: want %g", bits, got, want)
		}
	}
	if got := half(0x7e00); got == got {
		t.Errorf("%g: want NaN", got)
	}
}

// A stream may end behind a message without its mark; a cut elsewhere, and a file that is not whole, are errors.
func TestForeignEnds(t *testing.T) {
	batches, _ := foreignBatches(t, foreignKinds())
	stream, file := foreignText(t, batches, false), foreignText(t, batches, true)
	marked := stream[:len(stream)-8]
	if _, values, err := ReadForeign(bytes.NewReader(marked), int64(len(marked))); err != nil || len(values[0]) != 921 {
		t.Errorf("without an end mark: %v", err)
	}
	spoiled := bytes.Clone(file)
	binary.LittleEndian.PutUint32(spoiled[len(file)-10:], uint32(len(file)))
	for name, text := range map[string][]byte{"the stream is cut off": stream[:len(stream)-9],
		"want an Arrow stream: the stream is cut off":                                           file[:12],
		fmt.Sprintf("want an Arrow stream: a footer of %d bytes in a file of %[1]d", len(file)): spoiled} {
		if _, _, err := ReadForeign(bytes.NewReader(text), int64(len(text))); err == nil || err.Error() != name {
			t.Errorf("%v: want %q", err, name)
		}
	}
}

// A file whose first message stands behind 64 bytes, as other writers put it, is read by its footer; so is one of the
// kind that this package writes, whose numbers stay in the file.
func TestFileByFooter(t *testing.T) {
	batches, want := foreignBatches(t, []foreignKind{{arrow.PrimitiveTypes.Float64, `1, 2, 3`, []float64{1, 2, 3}}})
	text := foreignText(t, batches, true)
	moved := slices.Concat(text[:8], make([]byte, 56), text[8:])
	footer := len(moved) - 10 - int(binary.LittleEndian.Uint32(moved[len(moved)-10:]))
	for at := footer; at < len(moved)-16; at += 4 { // each place of a batch, known by the mark that stands there
		place := binary.LittleEndian.Uint64(moved[at:])
		if place >= 8 && place < uint64(footer-64) && bytes.HasPrefix(text[place:], []byte{255, 255, 255, 255}) {
			binary.LittleEndian.PutUint64(moved[at:], place+56)
		}
	}
	for _, text := range [][]byte{text, moved} {
		a := &Archive{}
		if err := a.read(bytes.NewReader(text), int64(len(text))); err != nil {
			t.Fatal(err)
		}
		if got, _ := a.Column("0"); !slices.Equal(got, want[0]) {
			t.Errorf("%g: want %g", got, want[0])
		}
	}
}

// Fields that stand too deep in others, or more often than the bytes can list them, are refused while they are counted.
func TestForeignNesting(t *testing.T) {
	kind := arrow.DataType(arrow.PrimitiveTypes.Float64)
	for range maxNesting {
		kind = arrow.ListOf(kind)
	}
	var text bytes.Buffer
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: kind}}, nil)
	if err := ipc.NewWriter(&text, ipc.WithSchema(schema)).Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ReadForeign(bytes.NewReader(text.Bytes()), int64(text.Len())); err == nil ||
		err.Error() != "column 1: fields within fields: want each once, and at most 64 within another" {
		t.Errorf("%v", err)
	}
}

// FuzzForeign reads any bytes: an error, or as many columns of numbers as names, and no more memory than what the bytes
// hold (zstd packs a block of 128 kB of one value into 4 bytes).
func FuzzForeign(f *testing.F) {
	kinds := foreignKinds()
	for i, k := range kinds {
		batches, _ := foreignBatches(f, []foreignKind{k, kinds[len(kinds)-1]})
		f.Add(foreignText(f, batches[:1], i%2 == 0))
		f.Add(foreignText(f, batches[3:], i%2 == 1, ipc.WithLZ4()))
		f.Add(foreignText(f, batches[3:], i%2 == 1, ipc.WithZstd()))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		columns, values, err := ReadForeign(bytes.NewReader(text), int64(len(text)))
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 512<<20+1<<20*uint64(len(text)) {
			t.Errorf("%d bytes allocated for a file of %d", used, len(text))
		}
		if err == nil && len(columns) != len(values) {
			t.Errorf("%d columns of %d names", len(values), len(columns))
		}
	})
}
