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
func (a *Archive) WriteCSV(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	head := csv.NewWriter(out)
	if err := head.Write(a.Names()); err != nil {
		return fmt.Errorf("record: csv: %w", err)
	}
	head.Flush()
	var line []byte
	for row := range a.All() {
		line = line[:0]
		for i, v := range row {
			if i > 0 {
				line = append(line, ',')
			}
			line = strconv.AppendFloat(line, v, 'g', -1, 64)
		}
		out.Write(append(line, '\n')) // Flush has the error
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("record: csv: %w", err)
	}
	return a.Err()
}
