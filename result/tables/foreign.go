//go:build !js

package tables

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/parquet-go/parquet-go"

	"rths/model/foreign"
	"rths/result/record"
)

// readAnyArrow reads the columns of numbers of a stream or file.
func (t *Table) readAnyArrow(file *os.File, size int64) error {
	columns, values, err := record.ReadForeign(file, size)
	for i, c := range columns {
		t.add(c.Name, c.Unit, record.SignalOf(values[i]))
	}
	return err
}

// readParquet reads the columns of numbers that stand at the top of the schema.
func readParquet(file *os.File, t *Table) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	f, err := parquet.OpenFile(file, info.Size())
	if err != nil {
		return fmt.Errorf("want a Parquet file: %w", err)
	}
	for i, field := range f.Schema().Fields() {
		if !field.Leaf() || field.Repeated() || !isNumber(field.Type().Kind()) {
			t.left = append(t.left, foreign.LeftOut{Name: field.Name(), Why: "no numbers: want doubles, floats or integers at the " +
				"top of the schema"})
			continue
		}
		leaf, ok := f.Schema().Lookup(field.Name())
		if !ok {
			return fmt.Errorf("column %d, %s: not found in the schema", i+1, field.Name())
		}
		var values []float64
		for _, group := range f.RowGroups() {
			if values, err = appendChunk(values, group.ColumnChunks()[leaf.ColumnIndex]); err != nil {
				return fmt.Errorf("column %s: %w", field.Name(), err)
			}
		}
		unit, _ := f.Lookup("unit." + field.Name())
		t.add(field.Name(), unit, record.SignalOf(values))
	}
	t.Notes = append(t.Notes, foreign.NotesOfLeft(t.left)...)
	return nil
}

func isNumber(k parquet.Kind) bool {
	return k == parquet.Double || k == parquet.Float || k == parquet.Int32 || k == parquet.Int64
}

// appendChunk appends the values of one column of a row group, NaN for a null.
func appendChunk(values []float64, chunk parquet.ColumnChunk) ([]float64, error) {
	pages := chunk.Pages()
	defer pages.Close()
	buffer := make([]parquet.Value, 4096)
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return values, nil
		}
		if err != nil {
			return values, err
		}
		for r := page.Values(); err == nil; {
			var n int
			n, err = r.ReadValues(buffer)
			for _, v := range buffer[:n] {
				values = append(values, numberIn(v))
			}
		}
		parquet.Release(page)
		if !errors.Is(err, io.EOF) {
			return values, err
		}
	}
}

func numberIn(v parquet.Value) float64 {
	switch {
	case v.IsNull():
		return math.NaN()
	case v.Kind() == parquet.Double:
		return v.Double()
	case v.Kind() == parquet.Float:
		return float64(v.Float())
	case v.Kind() == parquet.Int32:
		return float64(v.Int32())
	}
	return float64(v.Int64())
}
