package record

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Archive is a run read back: its manifest and all its columns. Its Columns are
// those of the stream.
type Archive struct {
	Manifest
	Dir       string
	Truncated bool // the stream has no end: the run was killed, or is still running
	values    [][]float64
	index     map[string]int
}

// Open reads the archive in dir. A stream that was cut off is read up to its
// last whole batch.
func Open(dir string) (*Archive, error) {
	m, err := loadManifest(dir)
	if err != nil {
		return nil, err
	}
	a := &Archive{Manifest: m, Dir: dir}
	file, err := os.Open(filepath.Join(dir, FramesFile))
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	if err := a.read(file, info.Size()); err != nil {
		return nil, fmt.Errorf("record: %s: %w", file.Name(), err)
	}
	return a, nil
}

// read fills the archive from a stream of size bytes. Arrow's reader panics on
// some streams that are not sound, and so do its arrays when they are looked
// at; this is the boundary where such a panic becomes an error.
func (a *Archive) read(file io.ReadSeeker, size int64) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("not a sound Arrow stream: %v", p)
		}
	}()
	ended, err := hasEnd(file, size)
	if err != nil {
		return err
	}
	a.Truncated = !ended
	stream, err := openStream(bufio.NewReaderSize(file, 1<<16), size)
	if err != nil {
		return fmt.Errorf("want an Arrow stream: %w", err)
	}
	defer stream.Release()
	if err := a.setColumns(stream.Schema()); err != nil {
		return err
	}
	for stream.Next() {
		if err := a.appendBatch(stream.RecordBatch(), size); err != nil {
			return err
		}
	}
	if errors.Is(stream.Err(), io.ErrUnexpectedEOF) {
		a.Truncated = true
		return nil
	}
	return stream.Err()
}

// hasEnd reports whether the stream closes with its end mark, and goes back to
// the beginning.
func hasEnd(file io.ReadSeeker, size int64) (bool, error) {
	last := make([]byte, len(endOfStream))
	if size >= int64(len(last)) {
		if _, err := file.Seek(-int64(len(last)), io.SeekEnd); err != nil {
			return false, err
		}
		if _, err := io.ReadFull(file, last); err != nil {
			return false, err
		}
	}
	_, err := file.Seek(0, io.SeekStart)
	return bytes.Equal(last, endOfStream), err
}

// openStream reads with bounds on what a message may claim to hold: the size
// of the file, or of the largest batch if that is larger, because the batch
// that was cut off may be the first.
func openStream(r io.Reader, size int64) (*ipc.Reader, error) {
	limit := max(size, maxBatch)
	alloc := bounded{memory.NewGoAllocator(), limit}
	messages := ipc.NewMessageReader(r,
		ipc.WithAllocator(alloc),
		ipc.WithMetadataSizeLimit(limit),
		ipc.WithBodySizeLimit(limit))
	return ipc.NewReaderFromMessageReader(messages, ipc.WithAllocator(alloc))
}

// bounded refuses to allocate more than max bytes at once.
type bounded struct {
	memory.Allocator
	max int64
}

func (b bounded) Allocate(size int) []byte {
	b.check(size)
	return b.Allocator.Allocate(size)
}

func (b bounded) Reallocate(size int, old []byte) []byte {
	b.check(size)
	return b.Allocator.Reallocate(size, old)
}

func (b bounded) check(size int) {
	if int64(size) > b.max {
		panic(fmt.Sprintf("a message of %d bytes: want at most %d", size, b.max))
	}
}

// setColumns takes names, units and docs from the schema of the stream.
func (a *Archive) setColumns(schema *arrow.Schema) error {
	fields := schema.Fields()
	if len(fields) == 0 {
		return errors.New("no columns: want at least time_s")
	}
	a.Columns = make([]Column, len(fields))
	a.values = make([][]float64, len(fields))
	a.index = make(map[string]int, len(fields))
	for i, f := range fields {
		if f.Type.ID() != arrow.FLOAT64 {
			return fmt.Errorf("column %q of type %s: want float64", f.Name, f.Type)
		}
		if _, taken := a.index[f.Name]; taken {
			return fmt.Errorf("two columns named %q", f.Name)
		}
		a.Columns[i] = Column{Name: f.Name, Unit: meta(f, "unit"), Doc: meta(f, "doc"), Source: meta(f, "source")}
		a.index[f.Name] = i
	}
	return nil
}

func meta(f arrow.Field, key string) string {
	v, _ := f.Metadata.GetValue(key)
	return v
}

// appendBatch copies a batch behind the columns. A stream of size bytes cannot
// hold more than size/8 values, whatever its batches claim.
func (a *Archive) appendBatch(batch arrow.RecordBatch, size int64) error {
	rows := batch.NumRows()
	if all := (int64(a.Rows()) + rows) * int64(len(a.values)); rows < 0 || rows > size || all > size/8 {
		return fmt.Errorf("a batch of %d rows after %d in a file of %d bytes", rows, a.Rows(), size)
	}
	for i := range a.values {
		column, ok := batch.Column(i).(*array.Float64)
		if !ok || int64(len(column.Float64Values())) != rows {
			return fmt.Errorf("column %q: want %d values of type float64", a.Columns[i].Name, rows)
		}
		from := len(a.values[i])
		a.values[i] = append(a.values[i], column.Float64Values()...)
		blankNulls(a.values[i][from:], column)
	}
	return nil
}

// blankNulls makes NaN of nulls. This package writes none, but programs that
// rewrite the file may.
func blankNulls(values []float64, column *array.Float64) {
	if column.NullN() == 0 {
		return
	}
	for i := range values {
		if column.IsNull(i) {
			values[i] = math.NaN()
		}
	}
}

// Rows is the number of ticks.
func (a *Archive) Rows() int {
	if len(a.values) == 0 {
		return 0
	}
	return len(a.values[0])
}

// Names are the column names in order.
func (a *Archive) Names() []string {
	names := make([]string, len(a.Columns))
	for i, c := range a.Columns {
		names[i] = c.Name
	}
	return names
}

// Column returns the values of a column, which belong to the archive, and
// whether there is such a column.
func (a *Archive) Column(name string) ([]float64, bool) {
	i, ok := a.index[name]
	if !ok {
		return nil, false
	}
	return a.values[i], true
}
