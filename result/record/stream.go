package record

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// stream is an Arrow stream of rows in a file of the folder.
//
// Each row is copied into a batch of columns. The header of a batch depends only on its
// number of rows, so it is made once. A full batch is one write to the unbuffered file: a
// killed program loses at most its unfinished batch. While its message is hashed the next batch
// fills the other one.
type stream struct {
	name    string
	columns []Column
	file    *os.File
	made    os.FileInfo // identity of the file

	message []byte // header and body of a full batch
	body    []byte // the body in it: one column after the other, float64, little endian
	other   []byte // a second message
	digest  *digest
	stride  int  // bytes from one column to the next
	at      int  // byte of the current row in each column
	written int  // rows in the file
	dirty   bool // written to since the last sync
}

// endOfStream is the message that ends an Arrow IPC stream.
var endOfStream = []byte{0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0}

// A batch has at most maxRows rows and about maxBatch bytes, however high the
// rate.
const (
	maxRows  = 1 << 16
	maxBatch = 32 << 20
)

// batchRows is the number of rows in a batch: a quarter of a second, cut down to
// an odd multiple of 8. A column is then a whole number of 64-byte blocks, so
// that Arrow puts no padding between columns, and their distance is not a power
// of two, so that the values of a row do not compete for one set of the cache
// (which would double the cost of a row).
func batchRows(rateHz float64, columns int) int {
	rows := min(int(min(rateHz/4, maxRows)), maxBatch/(8*columns))
	blocks := rows / 8
	if blocks%2 == 0 {
		blocks--
	}
	return 8 * max(blocks, 1)
}

// newStream allocates the message of a full batch and fills in its header.
func newStream(name string, columns []Column, batch int) *stream {
	s := &stream{name: name, columns: columns, stride: 8 * batch, digest: newDigest()}
	size := s.stride * len(columns)
	s.message = batchMessage(len(columns), make([]byte, size), s.stride, batch)
	s.body = s.message[len(s.message)-size:]
	s.other = slices.Clone(s.message)
	return s
}

// open makes the file, which must not be there, and writes the schema.
func (s *stream) open(root *os.Root) (err error) {
	if s.file, err = root.OpenFile(s.name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644); err != nil {
		return err
	}
	if s.made, err = s.file.Stat(); err != nil {
		return err
	}
	return s.write(schemaMessage(s.columns), 0)
}

// write writes a message, which must not change until the next write or sum. Its rows count, and it is
// hashed, when all of it is in the file.
func (s *stream) write(message []byte, rows int) error {
	s.dirty = true
	if _, err := s.file.Write(message); err != nil {
		return err
	}
	s.written += rows
	s.digest.add(message)
	return nil
}

// sum is the hash of what is in the file.
func (s *stream) sum() Sum { return s.digest.sum(strings.TrimSuffix(s.name, beside)) }

// append copies a row, a number for each column, into the batch, and writes the batch when
// it is full.
func (s *stream) append(row []float64) error {
	if n := len(s.body) / s.stride; len(row) != n {
		return fmt.Errorf("row of %d numbers: want %d, one for each column", len(row), n)
	}
	at := s.at
	for _, v := range row {
		binary.LittleEndian.PutUint64(s.body[at:], math.Float64bits(v))
		at += s.stride
	}
	if s.next() {
		return s.flush()
	}
	return nil
}

// next goes on to the next row of the batch and reports whether there is none: then the batch has
// to be flushed.
func (s *stream) next() bool {
	s.at += 8
	return s.at == s.stride
}

// flush writes the full batch, and goes on in the other message.
func (s *stream) flush() error {
	s.at = 0
	full := s.message
	s.message, s.other = s.other, full
	s.body = s.message[len(s.message)-len(s.body):]
	return s.write(full, s.stride/8)
}

// part writes the rows of a partial batch, if there are some.
func (s *stream) part() error {
	rows := s.at / 8
	if rows == 0 {
		return nil
	}
	s.at = 0
	return s.write(batchMessage(len(s.columns), s.body, s.stride, rows), rows)
}

// end writes the rows of the last, partial batch and the end of the stream.
func (s *stream) end() error {
	if err := s.part(); err != nil {
		return err
	}
	return s.write(endOfStream, 0)
}

// sync waits until the disk has what is in the file.
func (s *stream) sync() error {
	if !s.dirty {
		return nil
	}
	if err := syncData(s.file); err != nil {
		return err
	}
	s.dirty = false
	return nil
}

// inPlace wants the file where a reader will look for it.
func (s *stream) inPlace(dir string) error {
	path := filepath.Join(dir, s.name)
	there, err := os.Stat(path)
	if err == nil && !os.SameFile(there, s.made) {
		err = errors.New("another file has its name")
	}
	if err != nil {
		return fmt.Errorf("%s was moved or removed during the run: leave the folder alone until the run ends (%w)", path, err)
	}
	return nil
}

// in reports whether the file is in the folder, which may have been moved.
func (s *stream) in(root *os.Root) bool {
	there, err := root.Stat(s.name)
	return err == nil && os.SameFile(there, s.made)
}

// close closes the file, if there is one.
func (s *stream) close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}
