package tables_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/parquet-go/parquet-go"

	"rths/result/tables"
)

// text writes a file and reads it.
func readText(t *testing.T, text string) (*tables.Table, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data.csv")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return tables.Read(path)
}

func TestReadText(t *testing.T) {
	for _, text := range []string{
		"t,x [mm],f (kN)\n0,1,2\n1,3,4\n",
		"\ufeff# a laboratory\n\nt;x;f\n[s];[mm];kN\n0;1;2;\n\n1;3;4;\n",
		"\"t\"\t\"x [mm]\"\t\"f [kN]\"\r\n0\t1\t2\r\n1\t3\t4\r\n",
		"% t x f\n t  x[mm] f[kN]\n 0 1.0 2\n 1 3 4.0e0",
	} {
		got, err := readText(t, text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if fmt.Sprint(columns(got)) != "[[0 1] [1 3] [2 4]]" || !slices.Equal(got.Names, []string{"t", "x", "f"}) ||
			!slices.Equal(got.Units[1:], []string{"mm", "kN"}) {
			t.Errorf("%q: %v %v %v", text, got.Names, got.Units, columns(got))
		}
	}
	for _, text := range []string{"\xff\xfet\x00,\x00x\x00\n\x000\x00,\x001\x00",
		"\xfe\xff\x00t\x00,\x00x\x00\n\x000\x00,\x001"} {
		if got, err := readText(t, text); err != nil || fmt.Sprint(got.Names, columns(got)) != "[t x] [[0] [1]]" {
			t.Errorf("UTF-16 %q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"# a rig\n# t,x [mm]\n0,1\n1,2", "%t x[mm]\n0 1\n1 2"} {
		if got, err := readText(t, text); err != nil || fmt.Sprint(got.Names, got.Units) != "[t x] [ mm]" {
			t.Errorf("titles in a comment: %q %q, %v", got.Names, got.Units, err)
		}
	}
	if got, err := readText(t, "# five words of a remark\n0 1\n1 2"); err != nil || fmt.Sprint(got.Names) != "[1 2]" {
		t.Errorf("a remark: %v, %v", got, err)
	}
	for _, text := range []string{
		"Header Size: 2\nSampling Rate, 10\nt, x [mm], f [kN], Events\n 0, 1, 2, start\n 1, 3, 4\n 2, 5, 6\n",
		"Laboratory\t\nChannels\t2\t\t\nX0\t0\t0\t\n\nt\tx\tf\tComment\ns\tmm\tkN\t-\n0\t1\t2\n1\t3\t4\n2\t5\t6",
	} {
		got, err := readText(t, text)
		if err != nil || fmt.Sprint(got.Names[:3], got.Units[1:3], columns(got)[:3],
			len(got.Names)) != "[t x f] [mm kN] [[0 1 2] [1 3 5] [2 4 6]] 4" {
			t.Errorf("free lines: %q: %v, %v", text, got, err)
		} else if line := strings.Count(text[:strings.Index(text, "x")], "\n"); len(got.Understood) != 1 ||
			!strings.Contains(got.Understood[0],
				fmt.Sprintf("; the first %d lines are a heading and are not read; titles in line %d", line, line+1)) {
			t.Errorf("free lines: %q", got.Understood)
		}
	}
	// Decimal commas, with each separator and in quotes; numbers that touch; exponents of Fortran.
	for _, text := range []string{
		"a rig\nt;x\n0,0;-0,5\n1;1\n2,00;2\n", "t\tx\n0\t-5,0e-1\n1,0\t1\n2\t2,0\n", "t x\n0,0 -,5\n1 1,0\n2 2,0\n",
		"t,x\n\"0,0\",\"-0,5\"\n\"1,0\",\"1,0\"\n2,\"2,0\"\n", "t,x\n.00E+00-.50E+00\n.10E+01 1.0\n2.000 2.0\n",
		"t x\n0.0D+00 -5.D-1\n1.0d0 1\n2 2\n",
	} {
		if got, err := readText(t, text); err != nil || fmt.Sprint(got.Names, columns(got)) != "[t x] [[0 1 2] [-0.5 1 2]]" {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	// Times of day.
	for _, text := range []string{
		"n,stamp,x\n1,01/02/2000 11:59:59.500 PM,3\n2,01/03/2000 12:00:00.000 AM,4\n",
		"n;stamp;x\n1;2000-01-02 23:59:59,5;3\n2;2000-01-03 00:00:00,0;4\n",
		"n\tstamp\tx\n1\t23:59:59.5\t3\n2\t00:00:00\t4\n", "n,stamp,x\n1,2000-01-02T23:59:59.5Z,3\n2,2000-01-03T00:00:00Z,4\n",
	} {
		if got, err := readText(t, text); err != nil || fmt.Sprint(got.Names, columns(got)) !=
			"[n stamp x] [[1 2] [0 0.5] [3 4]]" || got.Units[1] != "s" {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	if got, err := readText(t, "0 1\n1 2"); err != nil || fmt.Sprint(got.Names) != "[1 2]" {
		t.Errorf("without titles: %v, %v", got, err)
	}
}

func TestReadTableRefuses(t *testing.T) {
	for _, c := range []struct{ text, column, want string }{
		{"", "", "no columns of numbers"},
		{"t,x\n0,1\n1\n", "", "line 3: found 1 columns: want 2"},
		{"t,x\n0\n", "",
			"line 2: found 1 columns: want 2, as in the first line; titles are one line, units may be one below, and # begins " +
				"other lines of a heading"},
		{"t,x\n0,0,0,5\n", "", "line 2: found 4 columns: want 2, as in the first line; decimal commas: write decimal points"},
		{"t,t\n0,1\n", "", `columns 1 and 2 are both named "t": want different names`},
		{"t,x [mm],x [in]\n0,1,2\n", "", `columns 2 and 3 are both named "x": want different names`},
		{"Laboratory,A\ntime,x\ns,mm\n0,1\n", "", `line 2: found "time": want a row of numbers; titles are one line`},
		{"a,b\nx,y\ns,mm\n0,1\n", "", `line 3: found "s": want a row of numbers; titles are one line`},
		// a row above titles is not left out
		{"1,2,3\nt,x,f\n0,1,2\n1,3,4\n2,5,6\n", "1", `line 2: column 1: found "t": want a number`},
		{"a heading\nt,x,f\n0,1,2\n1,3,4\n2,5,6\n2,5\n", "", "line 6: found 2 columns: want 3, as in the first line"},
		// titles have three rows below them at least
		{"a heading\nt,x,f\n0,1,2\n1,3,4\n", "", "line 2: found 3 columns: want 1"},
		{"t,x,Events\n0,1,start\n1\n", "", "line 3: found 1 columns: want 3"},
		{"t,x,Events\n0,1,2\n1,2\n", "Events", `line 3: column Events: found "": want a number`},
		{"PK\x03\x04", "", "line 1: found a ZIP file, as an Excel workbook is: want text: save the sheet as CSV"},
		{"\x00t\x00,\x00x", "", "line 1: found bytes that are no text"},
		// thousands, or decimals: nothing tells
		{"t;x\n0;1,500\n1;2,250\n", "x", `line 2: column x: found "1,500": want a number`},
		// decimal commas, and a point
		{"t;x\n0;0,5\n1;1,5\n2;1.250\n", "x", `line 2: column x: found "0,5": want a number`},
		{"t,x\n0,1\n\n1,\n", "x", `line 4: column x: found ""`},
		{"t,x\n0,1\n1,NaN\n", "x", "line 3: column x: found NaN: want a finite number"},
		{"t,x\n0,1\n", "y", "no column y: the file has t, x"},
	} {
		table, err := readText(t, c.text)
		if err == nil {
			_, err = table.Column(c.column)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v: want %q", c.text, err, c.want)
		}
	}
	dir := t.TempDir()
	for name, want := range map[string]string{
		"a.xlsx": "line 1: titles, and no row of numbers below", "a.parquet": "want a Parquet file", "a.arrow": "want an Arrow stream",
		"a.mat": "want an HDF5 file, or a MATLAB v5 MAT-file", "none.csv": "no such file",
	} {
		path := filepath.Join(dir, name)
		if name != "none.csv" {
			os.WriteFile(path, []byte("not what its name says, not at all"), 0o644)
		}
		if _, err := tables.Read(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v: want %q", name, err, want)
		}
	}
}

// Other programs write other types, nulls, compression and the file format.
func TestReadForeignArrow(t *testing.T) {
	for _, name := range []string{"stream.arrow", "file.feather"} {
		path := filepath.Join(t.TempDir(), name)
		writeForeignArrow(t, path, name == "file.feather")
		table, err := tables.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(table.Names, columns(table),
			table.Units[0]); got != "[t x n] [[0 0.5 1 1.5] [1 NaN 1 NaN] [7 8 7 8]]s" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// A stream of another program that is cut off is no table of the rows before the cut.
func TestForeignArrowCutOff(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stream.arrow")
	writeForeignArrow(t, path, false)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, left := range []int{len(whole) - 40, len(whole) / 2} {
		if err := os.WriteFile(path, whole[:left], 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := tables.Read(path)
		if told := fmt.Sprint(err); !strings.Contains(told, "stream.arrow: ") || !strings.Contains(told,
			"the stream is cut off") {
			t.Errorf("%d of %d bytes: %v: want that the file ends too early", left, len(whole), err)
		}
	}
}

// writeForeignArrow writes a batch of float64, text, float32 with a null, and
// int64 twice, compressed.
func writeForeignArrow(t *testing.T, path string, file bool) {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "t", Type: arrow.PrimitiveTypes.Float64, Metadata: arrow.MetadataFrom(map[string]string{"unit": "s"})},
		{Name: "note", Type: arrow.BinaryTypes.String},
		{Name: "x", Type: arrow.PrimitiveTypes.Float32, Nullable: true},
		{Name: "n", Type: arrow.PrimitiveTypes.Int64},
	}, nil)
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	options := []ipc.Option{ipc.WithSchema(schema), ipc.WithLZ4()}
	var w interface {
		Write(arrow.RecordBatch) error
		Close() error
	} = ipc.NewWriter(out, options...)
	if file {
		if w, err = ipc.NewFileWriter(out, options...); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 2 {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		b.Field(0).(*array.Float64Builder).AppendValues([]float64{float64(i), float64(i) + 0.5}, nil)
		b.Field(1).(*array.StringBuilder).AppendValues([]string{"a", "b"}, nil)
		b.Field(2).(*array.Float32Builder).AppendValues([]float32{1, 2}, []bool{true, false})
		b.Field(3).(*array.Int64Builder).AppendValues([]int64{7, 8}, nil)
		if err := w.Write(b.NewRecordBatch()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// Columns of numbers of any type are read from a Parquet file of another program, with their units; a null is no
// number, and other columns are left out.
func TestReadForeignParquet(t *testing.T) {
	type row struct {
		Double float64   `parquet:"double"`
		Float  float32   `parquet:"float"`
		Short  int32     `parquet:"short"`
		Long   int64     `parquet:"long"`
		Null   *float64  `parquet:"null,optional"`
		Text   string    `parquet:"text"`
		Yes    bool      `parquet:"yes"`
		List   []float64 `parquet:"list"`
		Group  struct {
			Inner float64 `parquet:"inner"`
		} `parquet:"group"`
	}
	path := filepath.Join(t.TempDir(), "other.parquet")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	out := parquet.NewGenericWriter[row](file, parquet.MaxRowsPerRowGroup(2), parquet.KeyValueMetadata("unit.float", "mm"))
	for k := range 3 {
		one := row{Double: float64(k) + 0.5, Float: float32(k) + 0.25, Short: -int32(k), Long: 1 << (40 + k), Text: "a",
			List: []float64{1, 2}}
		if k == 1 {
			one.Null = new(7.0)
		}
		if _, err := out.Write([]row{one}); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	table, err := tables.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	want := "[double float short long null] [[0.5 1.5 2.5] [0.25 1.25 2.25] [0 -1 -2] [1.099511627776e+12 " +
		"2.199023255552e+12 4.398046511104e+12] [NaN 7 NaN]]"
	if got := fmt.Sprint(table.Names, columns(table)); got != want ||
		!slices.Equal(table.Units, []string{"", "mm", "", "", ""}) {
		t.Errorf("%s, units %q: want %s", got, table.Units, want)
	}
	left := "left out: text, yes, list and 1 more: no numbers: want doubles, floats or integers at the top of the schema"
	if len(table.Notes) != 1 || table.Notes[0] != path+": "+left {
		t.Errorf("notes %q: want %q", table.Notes, left)
	}
}

// A line of units says the units; brackets in a title are then a part of the name, and so are those
// that hold nothing before them.
func TestUnitsOfTitles(t *testing.T) {
	for text, want := range map[string]string{
		"t,x [in],v],[mm]\ns,mm,,\n0,1,2,3\n1,2,3,4\n":  `["t" "x [in]" "v]" "[mm]"] ["s" "mm" "" ""]`,
		"t (s),x [ in ],v [a]b,(c)\n0,1,2,3\n1,2,3,4\n": `["t" "x" "v [a]b" "(c)"] ["s" "in" "" ""]`,
	} {
		if got, err := readText(t, text); err != nil || fmt.Sprintf("%q %q", got.Names, got.Units) != want {
			t.Errorf("%q: %q %q, %v: want %s", text, got.Names, got.Units, err, want)
		}
	}
}

// The line of an entry is known where comments and blank lines stand between rows.
func TestReadTextKnowsLines(t *testing.T) {
	text := "# made\nt,x\n\n0,1\n1,2\n# a pause\n2,3\n\n\n3,4\n4,five\n5,6\n"
	table, err := readText(t, text)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := table.Column("x"); err == nil || !strings.Contains(err.Error(), "line 11: column x: found \"five\"") {
		t.Errorf("%v: want line 11", err)
	}
}

// A text that would fill the memory is refused by its size, before it is read. The file
// is a hole: it takes no room.
func TestReadTextRefusesSize(t *testing.T) {
	path := filepath.Join(t.TempDir(), "long.csv")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 5<<30); err != nil {
		t.Skip(err)
	}
	if _, err := tables.Read(path); err == nil || !strings.Contains(err.Error(),
		"found 5369 MB of text: want at most 4295 MB") {
		t.Errorf("%v: want that the file is too large", err)
	}
}

// columns are the values of all columns.
func columns(t *tables.Table) (out [][]float64) {
	for _, c := range t.Columns {
		out = append(out, c.Values())
	}
	return out
}

// Lines to pass over, and columns by position.
func TestSkipAndPosition(t *testing.T) {
	inFolder(t, map[string]string{"a.csv": "1,2,3\n4,5,6\nt,x [mm]\n0,1\n1,2\n2,3\n"})
	table, err := tables.ReadAll([]string{"a.csv"}, "measured=2", 2)
	if err != nil {
		t.Fatal(err)
	}
	c, err := tables.NewChooser(table, []tables.Role{tables.TimeRole, tables.MeasuredRole}, "measured=2", "")
	if err != nil {
		t.Fatal(err)
	}
	got, used, err := c.Take(tables.MeasuredRole)
	if err != nil || fmt.Sprint(got.Values()) != "[0.001 0.002 0.003]" || used.Column != "x" {
		t.Errorf("%v %+v, %v: want 1, 2, 3 mm of column x", got.Values(), used, err)
	}
	if _, err := tables.ReadAll([]string{"a.csv"}, "", -1); err == nil || !strings.Contains(err.Error(), "--skip -1") {
		t.Errorf("%v: want an error of --skip -1", err)
	}
}

// A long text stands in a file of the temporary folder, with the same numbers, and the file goes with the table.
func TestLongText(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir) // Windows
	defer tables.KeepInMemory(1000)()
	const rows, columns = 20_000, 7
	var text strings.Builder
	for i := range columns {
		fmt.Fprintf(&text, "c%d;", i)
	}
	for k := range rows {
		text.WriteByte('\n')
		for i := range columns {
			fmt.Fprintf(&text, "%d;", (k*columns+i)%977)
		}
	}
	table, err := readText(t, text.String())
	if err != nil {
		t.Fatal(err)
	}
	// On Windows an open file keeps its name.
	if left, _ := filepath.Glob(filepath.Join(dir, "rths-table-*")); len(left) != 0 && runtime.GOOS != "windows" {
		t.Fatalf("%q: a killed program would leave it", left)
	}
	for _, i := range []int{0, 3, columns - 1} {
		column := table.Columns[i]
		if column.Len() != rows {
			t.Fatalf("%d rows: want %d", column.Len(), rows)
		}
		for k := range rows {
			if got, want := column.At(k), float64((k*columns+i)%977); got != want {
				t.Fatalf("row %d of column %d: %g: want %g", k, i, got, want)
			}
		}
	}
	if err := table.Close(); err != nil {
		t.Error(err)
	}
	_, err = readText(t, text.String()+"\n1;2")
	if want := fmt.Sprintf("line %d: found 2 columns", rows+2); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v: want %s", err, want)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "rths-table-*")); len(left) != 0 {
		t.Errorf("%q are left", left)
	}
}
