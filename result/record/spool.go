package record

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
)

// Spool keeps rows of numbers in a file of the temporary folder, so that a long table takes no memory. The file has no
// name where the system lets an open file lose its own, so that a program that is killed leaves nothing; elsewhere
// Archive.Close removes it.
type Spool struct {
	archive *Archive
	file    *os.File
	batch   []byte // one column after the other, float64, little endian
	rows    int    // in the batch
	size    int64  // of the file
}

// spoolRows are the rows of a batch: each column of it is 64 kB.
const spoolRows = 8192

// named is a file that is removed when it is closed.
type named struct{ *os.File }

func (t named) Close() error {
	t.File.Close()
	return os.Remove(t.Name())
}

// NewSpool begins a table of columns.
func NewSpool(names []string) (*Spool, error) {
	a := &Archive{}
	columns := make([]Column, len(names))
	for i, name := range names {
		columns[i].Name = name
	}
	if err := a.setColumns(columns); err != nil {
		return nil, err
	}
	file, err := os.CreateTemp("", "rths-table-*")
	if err != nil {
		return nil, fmt.Errorf("a long table wants a file in the temporary folder: %w", err)
	}
	if a.blocks.file = file; os.Remove(file.Name()) != nil {
		a.blocks.file = named{file}
	}
	return &Spool{archive: a, file: file}, nil
}

// Append adds a row, a number for each column.
func (s *Spool) Append(row []float64) error {
	if s.batch == nil {
		s.batch = make([]byte, 8*spoolRows*len(row))
	}
	for i, v := range row {
		binary.LittleEndian.PutUint64(s.batch[8*(i*spoolRows+s.rows):], math.Float64bits(v))
	}
	if s.rows++; s.rows < spoolRows {
		return nil
	}
	return s.flush()
}

// flush writes the batch.
func (s *Spool) flush() error {
	b := &s.archive.blocks
	if _, err := s.file.Write(s.batch); err != nil {
		return fmt.Errorf("a long table wants room in the temporary folder: %w", err)
	}
	b.list = append(b.list, block{first: b.rows, rows: s.rows, at: s.size, stride: 8 * spoolRows})
	b.rows, s.size, s.rows = b.rows+s.rows, s.size+int64(len(s.batch)), 0
	return nil
}

// Archive is the rows, which are read where they are asked for. Nothing is appended after it.
func (s *Spool) Archive() (*Archive, error) {
	if s.rows > 0 {
		if err := s.flush(); err != nil {
			return nil, err
		}
	}
	s.batch = nil
	return s.archive, nil
}

// Discard removes the file of a spool whose archive is not wanted.
func (s *Spool) Discard() { s.archive.Close() }

// SpoolColumns keeps columns of so many rows in such a file. fill gives their numbers in pieces, those of a column in
// their order. A column of fewer numbers ends with zeros.
func SpoolColumns(names []string, rows int, fill func(put func(column int, values []float64) error) error) (*Archive,
	error) {
	s, err := NewSpool(names)
	if err != nil {
		return nil, err
	}
	size := 8 * int64(rows)
	filled := make([]int64, len(names)) // bytes of each
	var raw []byte
	err = fill(func(i int, values []float64) error {
		raw = raw[:0]
		for _, v := range values {
			raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
		}
		if filled[i]+int64(len(raw)) > size {
			return fmt.Errorf("column %s: more than %d numbers", names[i], rows)
		}
		if _, err := s.file.WriteAt(raw, int64(i)*size+filled[i]); err != nil {
			return fmt.Errorf("a long table wants room in the temporary folder: %w", err)
		}
		filled[i] += int64(len(raw))
		return nil
	})
	if err == nil {
		err = s.file.Truncate(size * int64(len(names)))
	}
	if err != nil {
		s.Discard()
		return nil, err
	}
	b := &s.archive.blocks
	b.list, b.rows = []block{{rows: rows, stride: size}}, rows
	return s.archive, nil
}
