//go:build !js

package record

import (
	"fmt"
	"io"
	"slices"

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

func newOrdered(columns []SheetColumn) ordered {
	o := ordered{Group: parquet.Group{}, fields: make([]parquet.Field, len(columns))}
	place := make(map[string]int, len(columns))
	for i, c := range columns {
		leaf := parquet.Leaf(parquet.DoubleType)
		if c.Texts != nil {
			leaf = parquet.String()
		}
		o.Group[c.Name] = parquet.Compressed(leaf, &parquet.Snappy)
		place[c.Name] = i
	}
	for _, f := range o.Group.Fields() {
		o.fields[place[f.Name()]] = f
	}
	return o
}

// WriteParquet writes the columns in their order: numbers as float64, texts as UTF-8, the unit
// of a column as key-value metadata "unit.NAME" and the name as "name".
func (s *Sheet) WriteParquet(w io.Writer) error {
	for i, c := range s.Columns {
		if slices.ContainsFunc(s.Columns[:i], func(b SheetColumn) bool { return b.Name == c.Name }) {
			return fmt.Errorf("record: parquet: two columns have the name %q", c.Name)
		}
	}
	options := []parquet.WriterOption{
		parquet.NewSchema("frames", newOrdered(s.Columns)),
		parquet.MaxRowsPerRowGroup(rowsPerGroup),
		parquet.KeyValueMetadata("name", s.Name),
	}
	for _, c := range s.Columns {
		if c.Unit != "" {
			options = append(options, parquet.KeyValueMetadata("unit."+c.Name, c.Unit))
		}
	}
	out := parquet.NewGenericWriter[any](w, options...)
	if err := s.writeRows(out); err != nil {
		return fmt.Errorf("record: parquet: %w", err)
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("record: parquet: %w", err)
	}
	return nil
}

func (s *Sheet) writeRows(out *parquet.GenericWriter[any]) error {
	row := make(parquet.Row, len(s.Columns))
	for k := range s.Rows() {
		for i, c := range s.Columns {
			if c.Texts != nil {
				row[i] = parquet.ByteArrayValue([]byte(c.Texts[k])).Level(0, 0, i)
			} else {
				row[i] = parquet.DoubleValue(c.Numbers[k]).Level(0, 0, i)
			}
		}
		if _, err := out.WriteRows([]parquet.Row{row}); err != nil {
			return fmt.Errorf("row %d: %w", k, err)
		}
	}
	return nil
}
