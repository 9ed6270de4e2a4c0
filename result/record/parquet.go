package record

import (
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

// WriteParquet writes the columns as float64, in order, with the unit of each
// as key-value metadata "unit.NAME" and the name of the run as "name".
func (a *Archive) WriteParquet(w io.Writer) error {
	s := Sheet{Name: a.Name}
	for _, c := range a.Columns {
		values, _ := a.Column(c.Name)
		s.Columns = append(s.Columns, SheetColumn{Name: c.Name, Unit: c.Unit, Numbers: values})
	}
	if err := a.Err(); err != nil {
		return err
	}
	return s.WriteParquet(w)
}
