package record

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
)

// WriteCSV writes a line of column names and a line per tick, with as many
// digits as give back the same number.
func (a *Archive) WriteCSV(w io.Writer) error { return a.WriteCSVOf(w, a.Columns) }

// WriteCSVOf is WriteCSV of some columns.
func (a *Archive) WriteCSVOf(w io.Writer, columns []Column) error {
	out := bufio.NewWriterSize(w, 1<<16)
	names, signals := make([]string, len(columns)), make([]Signal, len(columns))
	for i, c := range columns {
		names[i] = c.Name
		signals[i], _ = a.Signal(c.Name)
	}
	head := csv.NewWriter(out)
	if err := head.Write(names); err != nil {
		return fmt.Errorf("record: csv: %w", err)
	}
	head.Flush()
	var line []byte
	for k := range a.Rows() {
		line = line[:0]
		for i := range signals {
			if i > 0 {
				line = append(line, ',')
			}
			line = strconv.AppendFloat(line, signals[i].At(k), 'g', -1, 64)
		}
		out.Write(append(line, '\n')) // Flush has the error
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("record: csv: %w", err)
	}
	return a.Err()
}
