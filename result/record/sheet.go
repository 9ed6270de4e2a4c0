package record

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// Sheet is a table by columns, of numbers and texts, for CSV and Parquet.
type Sheet struct {
	Name    string // of what the table is of
	Columns []SheetColumn
}

// SheetColumn is a column of numbers, or of texts. A number that is NaN is missing.
type SheetColumn struct {
	Name, Unit string
	Numbers    []float64
	Texts      []string // nil: numbers
}

// Rows is the number of rows.
func (s *Sheet) Rows() int {
	if len(s.Columns) == 0 {
		return 0
	}
	return max(len(s.Columns[0].Numbers), len(s.Columns[0].Texts))
}

// WriteCSV writes a line of names, then the rows. Numbers have all their digits; a missing
// one is empty.
func (s *Sheet) WriteCSV(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	var line []byte
	for i, c := range s.Columns {
		line = comma(line, i)
		line = append(line, quoted(c.Name)...)
	}
	out.Write(append(line, '\n')) // Flush has the error
	for k := range s.Rows() {
		line = line[:0]
		for i, c := range s.Columns {
			line = comma(line, i)
			if c.Texts != nil {
				line = append(line, quoted(c.Texts[k])...)
			} else if v := c.Numbers[k]; v == math.Trunc(v) && math.Abs(v) < 1<<53 {
				line = strconv.AppendFloat(line, v, 'f', -1, 64) // a seed is a whole number
			} else if !math.IsNaN(v) {
				line = strconv.AppendFloat(line, v, 'g', -1, 64)
			}
		}
		out.Write(append(line, '\n'))
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("record: csv: %w", err)
	}
	return nil
}

func comma(line []byte, i int) []byte {
	if i > 0 {
		return append(line, ',')
	}
	return line
}

// quoted is a text as a cell of CSV (RFC 4180).
func quoted(text string) string {
	if !strings.ContainsAny(text, ",\"\r\n") {
		return text
	}
	return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
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
