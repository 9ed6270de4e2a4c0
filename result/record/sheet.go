package record

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
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
