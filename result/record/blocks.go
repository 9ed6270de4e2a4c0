package record

import (
	"fmt"
	"io"
	"math"
	"slices"
	"sync/atomic"
)

// blocks are the batches of a stream in a file, whose columns are read when they are asked for.
type blocks struct {
	file io.ReaderAt
	list []block
	rows int
	err  atomic.Pointer[error] // the first one met while columns were read, perhaps several at a time
}

func (b *blocks) failed() error {
	if err := b.err.Load(); err != nil {
		return *err
	}
	return nil
}

// block is a batch in a file: column i begins at byte at + i stride.
type block struct {
	first, rows int // row of the stream, number of rows
	at, stride  int64
}

// add adds the batch of a message.
func (b *blocks) add(m message, columns int) error {
	rows, offsets, err := m.layout(columns)
	if err != nil {
		return err
	}
	one := block{first: b.rows, rows: rows, at: m.at + offsets[0]}
	if columns > 1 {
		one.stride = offsets[1] - offsets[0]
	}
	for i, from := range offsets {
		if from != offsets[0]+int64(i)*one.stride {
			return &ForeignError{fmt.Errorf("column %d begins at byte %d: want columns at equal distances", i+1, from)}
		}
	}
	if rows > 0 {
		b.list, b.rows = append(b.list, one), b.rows+rows
	}
	return nil
}

// read reads the values of a column from a row on, as many as dst holds. raw is memory for 8 len(dst) bytes.
func (b *blocks) read(dst []float64, raw []byte, column, row int) error {
	i, found := slices.BinarySearchFunc(b.list, row, func(one block, row int) int { return one.first - row })
	if !found {
		i--
	}
	for ; len(dst) > 0; i++ {
		one := b.list[i]
		n := min(len(dst), one.first+one.rows-row)
		if _, err := b.file.ReadAt(raw[:8*n], one.at+int64(column)*one.stride+8*int64(row-one.first)); err != nil {
			return fmt.Errorf("rows %d to %d of column %d: %w", row+1, row+n, column+1, err)
		}
		putFloats(dst[:n], raw)
		dst, row = dst[n:], row+n
	}
	return nil
}

// cursorRows are the rows that a cursor holds.
const cursorRows = 8192

// cursor reads one column, a block at a time.
type cursor struct {
	of     *blocks
	column int
	first  int // row of values[0]
	values []float64
	raw    []byte
}

// at is the value in a row; NaN where it cannot be read.
func (c *cursor) at(row int) float64 {
	if i := row - c.first; uint(i) < uint(len(c.values)) {
		return c.values[i]
	}
	return c.load(row)
}

func (c *cursor) load(row int) float64 {
	if row < 0 || row >= c.of.rows || c.of.failed() != nil {
		return math.NaN()
	}
	if c.raw == nil {
		n := min(cursorRows, c.of.rows)
		c.values, c.raw = make([]float64, 0, n), make([]byte, 8*n)
	}
	c.first = row - row%cursorRows
	c.values = c.values[:min(cursorRows, c.of.rows-c.first)]
	if err := c.of.read(c.values, c.raw, c.column, c.first); err != nil {
		c.of.err.CompareAndSwap(nil, &err)
		c.values = c.values[:0]
		return math.NaN()
	}
	return c.values[row-c.first]
}
