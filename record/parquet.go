package record

import (
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// rowsPerGroup bounds what a Parquet row group holds in memory.
const rowsPerGroup = 1 << 16

// ordered is a Parquet group whose columns keep their order; parquet.Group
// sorts them by name.
type ordered struct {
	parquet.Group
	fields []parquet.Field
}

func (o ordered) Fields() []parquet.Field { return o.fields }

func newOrdered(columns []Column) ordered {
	o := ordered{Group: parquet.Group{}, fields: make([]parquet.Field, len(columns))}
	for _, c := range columns {
		o.Group[c.Name] = parquet.Compressed(parquet.Leaf(parquet.DoubleType), &parquet.Snappy)
	}
	place := make(map[string]int, len(columns))
	for i, c := range columns {
		place[c.Name] = i
	}
	for _, f := range o.Group.Fields() {
		o.fields[place[f.Name()]] = f
	}
	return o
}

// WriteParquet writes the columns as float64, in order, with the unit of each
// as key-value metadata "unit.NAME" and the name of the run as "name".
func (a *Archive) WriteParquet(w io.Writer) error {
	options := []parquet.WriterOption{
		parquet.NewSchema("frames", newOrdered(a.Columns)),
		parquet.MaxRowsPerRowGroup(rowsPerGroup),
		parquet.KeyValueMetadata("name", a.Name),
	}
	for _, c := range a.Columns {
		options = append(options, parquet.KeyValueMetadata("unit."+c.Name, c.Unit))
	}
	out := parquet.NewGenericWriter[any](w, options...)
	if err := a.writeRows(out); err != nil {
		return fmt.Errorf("record: parquet: %w", err)
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("record: parquet: %w", err)
	}
	return nil
}

func (a *Archive) writeRows(out *parquet.GenericWriter[any]) error {
	row := make(parquet.Row, len(a.values))
	for k := range a.Rows() {
		for i, column := range a.values {
			row[i] = parquet.DoubleValue(column[k]).Level(0, 0, i)
		}
		if _, err := out.WriteRows([]parquet.Row{row}); err != nil {
			return fmt.Errorf("row %d: %w", k, err)
		}
	}
	return nil
}
