package record

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// draws is a sheet of texts and numbers, some of which are missing.
func draws() *Sheet {
	return &Sheet{Name: "draws", Columns: []SheetColumn{
		{Name: "run", Texts: []string{"a", `the "b", say`, "two\nlines"}},
		{Name: "seed", Numbers: []float64{1 << 52, 1 << 53, -3}},
		{Name: "J1, all", Unit: "%", Numbers: []float64{0.1, math.NaN(), math.Inf(1)}},
	}}
}

// A sheet as CSV: quotes where a cell needs them, whole numbers without an exponent, nothing where a number is missing.
func TestSheetCSV(t *testing.T) {
	var out bytes.Buffer
	if err := draws().WriteCSV(&out); err != nil {
		t.Fatal(err)
	}
	want := "run,seed,\"J1, all\"\na,4503599627370496,0.1\n\"the \"\"b\"\", " +
		"say\",9.007199254740992e+15,\n\"two\nlines\",-3,+Inf\n"
	if out.String() != want {
		t.Errorf("%q: want %q", out.String(), want)
	}
	out.Reset()
	if err := (&Sheet{}).WriteCSV(&out); err != nil || out.String() != "\n" || (&Sheet{}).Rows() != 0 {
		t.Errorf("without columns: %q, %v", out.String(), err)
	}
}

// full is a disk that takes nothing.
type full struct{}

var errFull = errors.New("the disk is full")

func (full) Write([]byte) (int, error) { return 0, errFull }

// A sheet says that it could not be written.
func TestSheetThatCannotBeWritten(t *testing.T) {
	if err := draws().WriteCSV(full{}); !errors.Is(err, errFull) || !strings.HasPrefix(err.Error(), "record: csv: ") {
		t.Errorf("CSV: %v", err)
	}
	if err := draws().WriteParquet(full{}); !errors.Is(err, errFull) ||
		!strings.HasPrefix(err.Error(), "record: parquet: ") {
		t.Errorf("Parquet: %v", err)
	}
	twice := draws()
	twice.Columns[2].Name = "run"
	if err := twice.WriteParquet(&bytes.Buffer{}); err == nil ||
		err.Error() != `record: parquet: two columns have the name "run"` {
		t.Errorf("two columns of one name: %v", err)
	}
}

// A sheet as Parquet: columns in their order, with their texts, numbers and units.
func TestSheetParquet(t *testing.T) {
	var out bytes.Buffer
	if err := draws().WriteParquet(&out); err != nil {
		t.Fatal(err)
	}
	file, err := parquet.OpenFile(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"name": "draws", "unit.J1, all": "%", "unit.seed": ""} {
		if got, ok := file.Lookup(key); got != want || ok != (want != "") {
			t.Errorf("%s: %q: want %q", key, got, want)
		}
	}
	var names []string
	for _, f := range file.Schema().Fields() {
		names = append(names, f.Name())
	}
	if !slices.Equal(names, []string{"run", "seed", "J1, all"}) {
		t.Errorf("columns %q: want them in their order", names)
	}
	rows, of := make([]parquet.Row, 4), draws()
	n, _ := file.RowGroups()[0].Rows().ReadRows(rows)
	if n != 3 {
		t.Fatalf("%d rows: want 3", n)
	}
	for k, row := range rows[:n] {
		if text, seed := row[0].String(), row[1].Double(); text != of.Columns[0].Texts[k] ||
			seed != of.Columns[1].Numbers[k] {
			t.Errorf("row %d: %q, %g", k, text, seed)
		}
		if math.Float64bits(row[2].Double()) != math.Float64bits(of.Columns[2].Numbers[k]) {
			t.Errorf("row %d: %g: want %g", k, row[2].Double(), of.Columns[2].Numbers[k])
		}
	}
}
