package record

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/endian"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	flatbuffers "github.com/google/flatbuffers/go"
)

// streamOf is an Arrow stream of one batch of 8 rows: column i has 8 i + k in row k.
func streamOf(t *testing.T, names ...string) []byte {
	t.Helper()
	var columns []Column
	var body []byte
	for i, name := range names {
		columns = append(columns, Column{Name: name, Unit: "m"})
		for k := range 8 {
			body = binary.LittleEndian.AppendUint64(body, math.Float64bits(float64(8*i+k)))
		}
	}
	return slices.Concat(schemaMessage(columns), batchMessage(len(columns), body, 64, 8), endOfStream)
}

// independent is the schema of the columns in arrow-go, a program that has nothing of this package.
func independent(columns []Column) *arrow.Schema {
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = arrow.Field{Name: c.Name, Type: arrow.PrimitiveTypes.Float64,
			Metadata: arrow.NewMetadata([]string{"unit", "doc", "source"}, []string{c.Unit, c.Doc, c.Source})}
	}
	return arrow.NewSchema(fields, nil)
}

// The bytes of a stream are those that arrow-go writes, whatever the numbers of columns and rows.
func TestBytesOfArrowGo(t *testing.T) {
	for columns := range 5 {
		for _, rows := range []int{1, 3, 8, 9, 64, 65} {
			var of []Column
			var body []byte
			var arrays []arrow.Array
			for i := range columns {
				of = append(of, Column{Name: strings.Repeat("é", i) + "x", Unit: strings.Repeat("m", i), Doc: "what it is"})
				values := array.NewFloat64Builder(memory.DefaultAllocator)
				for k := range 65 {
					body = binary.LittleEndian.AppendUint64(body, math.Float64bits(float64(100*i+k)))
					if k < rows {
						values.Append(float64(100*i + k))
					}
				}
				arrays = append(arrays, values.NewArray())
			}
			var want bytes.Buffer
			schema := independent(of)
			w := ipc.NewWriter(&want, ipc.WithSchema(schema))
			if err := errors.Join(w.Write(array.NewRecordBatch(schema, arrays, int64(rows))), w.Close()); err != nil {
				t.Fatal(err)
			}
			got := slices.Concat(schemaMessage(of), batchMessage(columns, body, 8*65, rows), endOfStream)
			if !bytes.Equal(got, want.Bytes()) {
				t.Errorf("%d columns, %d rows: %d bytes, not the %d of arrow-go", columns, rows, len(got), want.Len())
			}
		}
	}
}

// pair is how two numbers stand beside each other in a header: offset and length of a buffer,
// values and nulls of a column.
func pair(a, b uint64) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, a), b)
}

// A batch that is not as this package writes it is named by its column: arrow-go reads foreign
// batches, and nobody reads impossible ones.
func TestBatchesOfOthers(t *testing.T) {
	sound := streamOf(t, "a", "b", "c")
	for _, c := range []struct {
		name     string
		from, to []byte
		want     string
		foreign  bool
	}{
		{"sound", nil, nil, "", false},
		{"unequal distances", pair(128, 64), pair(120, 64), "column 3 begins at byte 120: want columns at equal distances",
			true},
		{"nulls", pair(8, 0), pair(8, 1), "column 1 has 8 values and 1 nulls: want 8 and none", true},
		{"fewer values", pair(8, 0), pair(7, 0), "column 1 has 7 values and 0 nulls: want 8 and none", true},
		{"beyond the body", pair(128, 64), pair(136, 64), "column 3 begins at byte 136 of 192", false},
		{"more columns than bytes", append([]byte{3, 0, 0, 0}, pair(8, 0)...),
			append([]byte{0xff, 0xff, 0xff, 0}, pair(8, 0)...), "columns of a batch: a list of 16777215 entries in 232 bytes",
			false},
		{"before the body", append(pair(64, 0), pair(64, 64)...), append(pair(64, 0), pair(1<<64-8, 64)...),
			"column 2 begins at byte -8 of 192", false},
	} {
		at := bytes.Index(sound, c.from)
		if at < 0 {
			t.Fatalf("%s: no %x in the stream", c.name, c.from)
		}
		text := bytes.Clone(sound)
		copy(text[at:], c.to)
		a := &Archive{}
		err := a.read(bytes.NewReader(text), int64(len(text)))
		var foreign *ForeignError
		if got := errors.As(err, &foreign); (err == nil) != (c.want == "") || err != nil && err.Error() != c.want ||
			got != c.foreign {
			t.Errorf("%s: %v, foreign %t: want %q, %t", c.name, err, got, c.want, c.foreign)
		}
		if err != nil {
			continue
		}
		for i, name := range a.Names() {
			s, _ := a.Signal(name)
			for k := range 8 {
				if s.At(k) != float64(8*i+k) {
					t.Errorf("%s, row %d of %s: %g", c.name, k, name, s.At(k))
				}
			}
		}
	}
}

// noHeader is a message that says it is a schema, and has none.
func noHeader() []byte {
	b := flatbuffers.NewBuilder(0)
	b.StartObject(4)
	b.PrependByteSlot(1, kindSchema, 0)
	b.Finish(b.EndObject())
	table := b.FinishedBytes()
	return append(binary.LittleEndian.AppendUint32([]byte{0xff, 0xff, 0xff, 0xff}, uint32(len(table))), table...)
}

// Messages that do not belong together are told by what was wanted.
func TestMessagesThatDoNotBelongTogether(t *testing.T) {
	three, two := streamOf(t, "a", "b", "c"), streamOf(t, "a", "b")
	head := func(names ...string) int {
		var columns []Column
		for _, name := range names {
			columns = append(columns, Column{Name: name, Unit: "m"})
		}
		return len(schemaMessage(columns))
	}
	h3, h2 := head("a", "b", "c"), head("a", "b")
	for name, c := range map[string]struct {
		text []byte
		want string
	}{
		"a batch first":    {three[h3:], "the first message is of kind 3: want a schema (1)"},
		"two schemas":      {slices.Concat(three[:h3], three), "a message of kind 1: want a batch (3)"},
		"a batch of fewer": {slices.Concat(three[:h3], two[h2:]), "a batch of 8 rows and 3 columns in 128 bytes"},
		"a batch of more":  {slices.Concat(two[:h2], three[h3:]), "columns of a batch: found 3: want 2"},
		"no mark of a message": {slices.Concat(three[:h3], []byte("no mark.")),
			"a message begins with 0x6d206f6e: want 0xffffffff"},
		"nothing":                {nil, "want an Arrow stream: the stream is cut off"},
		"columns of one name":    {streamOf(t, "a", "a"), `two columns named "a": want one`},
		"no header":              {noHeader(), "want an Arrow stream: a message without header"},
		"a schema that is short": {three[:h3-8], "want an Arrow stream: the stream is cut off"},
	} {
		err := (&Archive{}).read(bytes.NewReader(c.text), int64(len(c.text)))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: %v: want %q", name, err, c.want)
		}
	}
	for cut, rows := range map[int]int{h3: 0, len(three) - 8: 8, len(three) - 9: 0, len(three) - 1: 8} {
		a := &Archive{}
		if err := a.read(bytes.NewReader(three[:cut]), int64(cut)); err != nil || !a.Truncated || a.Rows() != rows {
			t.Errorf("cut off behind byte %d: %v, truncated %t, %d rows: want %d", cut, err, a.Truncated, a.Rows(), rows)
		}
	}
}

// A schema whose list of columns cannot be in its bytes, and one of numbers the other way round, are refused.
func TestSchemaOfOthers(t *testing.T) {
	sound, told := streamOf(t, "a", "b", "c"), false
	for at := 8; at < 1000; at += 4 {
		if !bytes.Equal(sound[at:at+4], []byte{3, 0, 0, 0}) {
			continue
		}
		text := bytes.Clone(sound)
		text[at+3] = 1 // a list of 3 has 16777219 entries
		if err := (&Archive{}).read(bytes.NewReader(text), int64(len(text))); err != nil {
			told = told || strings.HasPrefix(err.Error(), "schema: a list of 16777219 entries in ")
		}
	}
	if !told {
		t.Error("no list of columns is too long")
	}
	var text bytes.Buffer
	schema := independent([]Column{{Name: "a"}}).WithEndianness(endian.BigEndian)
	if err := ipc.NewWriter(&text, ipc.WithSchema(schema)).Close(); err != nil {
		t.Fatal(err)
	}
	if err := (&Archive{}).read(bytes.NewReader(text.Bytes()), int64(text.Len())); err == nil ||
		err.Error() != "big-endian values: want little-endian" {
		t.Errorf("%v", err)
	}
}

// A compressed batch is foreign.
func TestCompressedBatch(t *testing.T) {
	schema := independent([]Column{{Name: "a", Unit: "m"}})
	var text bytes.Buffer
	w := ipc.NewWriter(&text, ipc.WithSchema(schema), ipc.WithLZ4())
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	b.Field(0).(*array.Float64Builder).AppendValues(make([]float64, 100), nil)
	if err := errors.Join(w.Write(b.NewRecordBatch()), w.Close()); err != nil {
		t.Fatal(err)
	}
	err := (&Archive{}).read(bytes.NewReader(text.Bytes()), int64(text.Len()))
	var foreign *ForeignError
	if !errors.As(err, &foreign) || err.Error() != "a compressed batch: want one without compression" {
		t.Errorf("%v", err)
	}
}

// A batch without rows, as another program may write one, takes nothing from those before and after it.
func TestBatchWithoutRows(t *testing.T) {
	schema := independent([]Column{{Name: "a", Unit: "m"}})
	var text bytes.Buffer
	w := ipc.NewWriter(&text, ipc.WithSchema(schema))
	for _, values := range [][]float64{{1, 2}, nil, {3}} {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		b.Field(0).(*array.Float64Builder).AppendValues(values, nil)
		if err := w.Write(b.NewRecordBatch()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	a := &Archive{}
	err := a.read(bytes.NewReader(text.Bytes()), int64(text.Len()))
	if got, ok := a.Column("a"); err != nil || !ok || !slices.Equal(got, []float64{1, 2, 3}) {
		t.Errorf("%g, %v: want 1, 2 and 3", got, err)
	}
}

// A stream without columns has none to be read.
func TestStreamWithoutColumns(t *testing.T) {
	text := streamOf(t)
	if err := (&Archive{}).read(bytes.NewReader(text), int64(len(text))); err == nil ||
		err.Error() != "no columns: want at least time_s" {
		t.Errorf("%v", err)
	}
}

// A batch is a quarter of a second, in whole blocks whose number is odd, and no larger than 32 MB or 65536 rows.
func TestBatchRows(t *testing.T) {
	for _, c := range []struct {
		rateHz        float64
		columns, want int
	}{{1, 1, 8}, {64, 5, 8}, {96, 5, 24}, {4096, 20, 1016}, {1e6, 1, 65528}, {1e6, 1000, 4184}, {1e6, 1 << 30, 8}} {
		if got := batchRows(c.rateHz, c.columns); got != c.want {
			t.Errorf("%g Hz, %d columns: %d rows: want %d", c.rateHz, c.columns, got, c.want)
		}
	}
}
