//go:build !js

package tables

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/parquet-go/parquet-go"

	"rths/result/record"
)

// batches is the common interface of arrow-go's two readers.
type batches func() (arrow.RecordBatch, error)

// readAnyArrow reads the columns of numbers of a stream or file.
func (t *Table) readAnyArrow(file *os.File, isFile bool) error {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	var next batches
	if isFile {
		r, err := ipc.NewFileReader(file)
		if err != nil {
			return err
		}
		defer r.Close()
		i := 0
		next = func() (arrow.RecordBatch, error) {
			if i == r.NumRecords() {
				return nil, io.EOF
			}
			i++
			return r.RecordBatchAt(i - 1)
		}
	} else {
		r, err := ipc.NewReader(file)
		if err != nil {
			return err
		}
		defer r.Release()
		next = r.Read
	}
	return t.addBatches(next)
}

// addBatches appends all batches, and keeps the columns that are numbers.
func (t *Table) addBatches(next batches) error {
	var place []int // of each field in the table, -1 where it is no number
	var columns [][]float64
	for {
		b, err := next()
		if errors.Is(err, io.EOF) {
			for i, values := range columns {
				t.Columns[i] = record.SignalOf(values)
			}
			return nil
		}
		if err != nil {
			return err
		}
		if place == nil {
			for i, f := range b.Schema().Fields() {
				place = append(place, -1)
				if number := numberOf(b.Column(i)); number != nil {
					place[i] = len(t.Names)
					t.add(f.Name, unitOf(f), record.Signal{})
				}
			}
		}
		columns = append(columns, make([][]float64, len(t.Names)-len(columns))...)
		for i, to := range place {
			if to < 0 {
				continue
			}
			column, number := b.Column(i), numberOf(b.Column(i))
			for row := range int(b.NumRows()) {
				v := math.NaN()
				if !column.IsNull(row) {
					v = number(row)
				}
				columns[to] = append(columns[to], v)
			}
		}
		b.Release()
	}
}

func unitOf(f arrow.Field) string {
	if i := f.Metadata.FindKey("unit"); i >= 0 {
		return f.Metadata.Values()[i]
	}
	return ""
}

// numberOf is how a value of the column is read as a number; nil where it is
// none.
func numberOf(column arrow.Array) func(row int) float64 {
	switch c := column.(type) {
	case *array.Float64:
		return c.Value
	case *array.Float32:
		return func(row int) float64 { return float64(c.Value(row)) }
	case *array.Int64:
		return func(row int) float64 { return float64(c.Value(row)) }
	case *array.Int32:
		return func(row int) float64 { return float64(c.Value(row)) }
	}
	return nil
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
