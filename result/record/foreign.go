//go:build !js

package record

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// Slots and values that only streams of other programs have.
const (
	intBits, intSigned           = 4, 6
	unionMode, unionDense        = 4, 1
	batchViews                   = 12 // how many buffers each column of views has
	codecSlot, codecLZ4, codecZS = 4, 0, 1
	kindDictionary               = 2 // of a message
	kindInt, kindUnion           = 2, 14
	kindBinaryView, kindTextView = 23, 24

	maxNesting = 64
	maxWindow  = 128 << 20 // bytes that zstd looks back, at its highest level
)

// buffersOf are the buffers of each type in Arrow's Schema.fbs, without its children's: which values are null, offsets,
// values. A union has one more in version 4, and one if it is dense.
var buffersOf = [...]int{1: 0, kindInt: 2, kindFloat: 2, 4: 3, 5: 3, 6: 2, 7: 2, 8: 2, 9: 2, 10: 2, 11: 2, 12: 2, 13: 1,
	kindUnion: 1, 15: 2, 16: 1, 17: 2, 18: 2, 19: 3, 20: 3, 21: 2, 22: 0, kindBinaryView: 2, kindTextView: 2, 25: 3, 26: 3}

// foreign reads the columns of numbers of a stream of any program.
type foreign struct {
	fields  []foreignField
	all     foreignField // sums over the fields
	columns []Column     // of numbers
	values  [][]float64  // of each
	zstd    *zstd.Decoder
	raw     bytes.Buffer
}

// foreignField is a field at the top of a schema: what a batch has of it and its children, and how its numbers are
// read.
type foreignField struct {
	nodes, buffers, views int
	bytes                 int // of a number; 0: it is no number
	float, signed         bool
}

// ReadForeign reads the columns of numbers of an Arrow stream or file into memory. A null is NaN. Other columns are
// left out. A stream may end without its mark, but not within a message.
func ReadForeign(file io.ReaderAt, size int64) ([]Column, [][]float64, error) {
	f := &foreign{}
	var end int64 // of the last whole message
	until := func(next func(message) error) func(message) error {
		return func(m message) error { end = m.at + int64(len(m.body)); return next(m) }
	}
	cut, err := scan(file, size, until(f.schema), until(f.batch))
	if err == nil && cut && end != size {
		err = errCut
	}
	if f.zstd != nil {
		f.zstd.Close()
	}
	return f.columns, f.values, err
}

func (f *foreign) schema(m message) error {
	fields, err := m.fields()
	if err != nil {
		return err
	}
	left := len(m.header.Bytes) / flatbuffers.SizeUOffsetT // so many fields can be listed
	for i, table := range fields {
		one := foreignField{}
		if err := one.count(table, m.version, maxNesting, &left); err != nil {
			return fmt.Errorf("column %d: %w", i+1, err)
		}
		if one.readAs(table); one.bytes > 0 {
			c, err := column(table)
			if err != nil {
				return fmt.Errorf("column %d: %w", i+1, err)
			}
			f.columns, f.values = append(f.columns, c), append(f.values, nil)
		}
		f.fields = append(f.fields, one)
		f.all.nodes, f.all.views = f.all.nodes+one.nodes, f.all.views+one.views
	}
	return nil
}

// count counts what a batch has of a field. left is how many fields may still be met.
func (f *foreignField) count(field flatbuffers.Table, version int16, deeper int, left *int) error {
	if *left--; *left < 0 || deeper == 0 {
		return fmt.Errorf("fields within fields: want each once, and at most %d within another", maxNesting)
	}
	f.nodes++
	if field.Offset(fieldDictionary) != 0 {
		f.buffers += buffersOf[kindInt] // the values, and what they consist of, are in other messages
		return nil
	}
	kind := int(field.GetByteSlot(fieldTypeKind, 0))
	if kind == 0 || kind >= len(buffersOf) {
		return fmt.Errorf("%q is of an unknown type (%d)", text(field, fieldName), kind)
	}
	f.buffers += buffersOf[kind]
	switch kind {
	case kindUnion:
		var union flatbuffers.Table
		if child(&union, field, fieldType) && union.GetInt16Slot(unionMode, 0) == unionDense {
			f.buffers++
		}
		if version < formatV5 {
			f.buffers++
		}
	case kindBinaryView, kindTextView:
		f.views++
	}
	children, err := tables(field, fieldChildren)
	for _, c := range children {
		if err == nil {
			err = f.count(c, version, deeper-1, left)
		}
	}
	return err
}

// readAs finds how the numbers of a field are read.
func (f *foreignField) readAs(field flatbuffers.Table) {
	var kind flatbuffers.Table
	if field.Offset(fieldDictionary) != 0 || !child(&kind, field, fieldType) {
		return
	}
	switch field.GetByteSlot(fieldTypeKind, 0) {
	case kindFloat:
		f.float, f.bytes = true, 2<<min(uint16(kind.GetInt16Slot(floatPrecision, 0)), float64s)
	case kindInt:
		f.bytes, f.signed = min(max(int(kind.GetInt32Slot(intBits, 0))/8, 0), 8), kind.GetBoolSlot(intSigned, false)
	}
}

// number is the number that some bytes begin with.
func (f *foreignField) number(raw []byte) float64 {
	bits := uint64(0)
	for i, b := range raw[:f.bytes] {
		bits |= uint64(b) << (8 * i)
	}
	above := 64 - 8*f.bytes
	switch {
	case f.signed:
		return float64(int64(bits<<above) >> above)
	case !f.float:
		return float64(bits)
	case f.bytes == 2:
		return half(bits)
	case f.bytes == 4:
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
}

// half is the number of 16 bits: sign, 5 bits of the exponent, 10 of the fraction (IEEE 754).
func half(bits uint64) float64 {
	x := float64(math.Float32frombits(uint32(bits&0x7fff)<<13)) * 0x1p112 // exponents count from 15, not from 127
	switch {
	case x == 0x1p16:
		x = math.Inf(1)
	case x > 0x1p16:
		x = math.NaN()
	}
	if bits>>15 == 1 {
		return -x
	}
	return x
}

// batch appends the numbers of a batch.
func (f *foreign) batch(m message) error {
	if m.kind == kindDictionary {
		return nil
	}
	if m.kind != kindBatch {
		return fmt.Errorf("a message of kind %d: want a batch (%d)", m.kind, kindBatch)
	}
	node, err := m.pairs(batchNodes, f.all.nodes)
	if err != nil {
		return fmt.Errorf("columns of a batch: %w", err)
	}
	view, n, err := vector(m.header, batchViews, 8)
	if err == nil && n != f.all.views {
		err = fmt.Errorf("found %d: want %d", n, f.all.views)
	}
	if err != nil {
		return fmt.Errorf("views of a batch: %w", err)
	}
	buffer, left, err := vector(m.header, batchBuffers, 16)
	if err != nil {
		return fmt.Errorf("buffers of a batch: %w", err)
	}
	to := 0
	for i, field := range f.fields {
		buffers := field.buffers
		for range field.views {
			buffers += int(min(max(m.header.GetInt64(view), 0), int64(left)+1))
			view += 8
		}
		if left -= buffers; left < 0 {
			return fmt.Errorf("column %d: its buffers are not in the batch", i+1)
		}
		if field.bytes > 0 {
			if f.values[to], err = f.appendNumbers(f.values[to], m, node, buffer, field); err != nil {
				return fmt.Errorf("column %d, %s: %w", i+1, f.columns[to].Name, err)
			}
			to++
		}
		node, buffer = node+flatbuffers.UOffsetT(16*field.nodes), buffer+flatbuffers.UOffsetT(16*buffers)
	}
	return nil
}

// appendNumbers appends the numbers of a column, NaN for a null. node and buffer are its entries in the lists of a
// batch.
func (f *foreign) appendNumbers(values []float64, m message, node, buffer flatbuffers.UOffsetT,
	field foreignField) ([]float64, error) {
	rows := m.header.GetInt64Slot(batchLength, 0)
	if n := m.header.GetInt64(node); n != rows || n < 0 || n > math.MaxInt64/8 {
		return values, fmt.Errorf("%d values in a batch of %d rows", n, rows)
	}
	var valid []byte
	if nulls := m.header.GetInt64(node + 8); nulls != 0 && m.header.GetInt64(buffer+8) != 0 {
		raw, err := f.bytes(m, buffer, (rows+7)/8)
		if err != nil {
			return values, fmt.Errorf("which values are null: %w", err)
		}
		valid = bytes.Clone(raw)
	}
	raw, err := f.bytes(m, buffer+16, rows*int64(field.bytes))
	for i := 0; err == nil && i < int(rows); i++ {
		v := math.NaN()
		if valid == nil || valid[i/8]>>(i%8)&1 == 1 {
			v = field.number(raw[i*field.bytes:])
		}
		values = append(values, v)
	}
	return values, err
}

// bytes are the first n bytes of a buffer, valid until the next call.
func (f *foreign) bytes(m message, buffer flatbuffers.UOffsetT, n int64) ([]byte, error) {
	from, length := m.header.GetInt64(buffer), m.header.GetInt64(buffer+8)
	if from < 0 || length < 0 || from > int64(len(m.body))-length {
		return nil, fmt.Errorf("%d bytes from byte %d of %d", length, from, len(m.body))
	}
	raw := m.body[from : from+length]
	var compression flatbuffers.Table
	if n > 0 && child(&compression, m.header, batchCompression) {
		if len(raw) < 8 {
			return nil, fmt.Errorf("%d compressed bytes: want their length first", len(raw))
		}
		whole := binary.LittleEndian.Uint64(raw) == math.MaxUint64 // not compressed after all
		if raw = raw[8:]; !whole {
			return f.unpack(raw, compression.GetInt8Slot(codecSlot, 0), n)
		}
	}
	if int64(len(raw)) < n {
		return nil, fmt.Errorf("found %d bytes: want %d", len(raw), n)
	}
	return raw[:n], nil
}

// unpack is the first n bytes of what was packed. It takes memory as they come, whatever n is.
func (f *foreign) unpack(packed []byte, codec int8, n int64) (out []byte, err error) {
	in := io.Reader(lz4.NewReader(bytes.NewReader(packed)))
	switch {
	case codec == codecZS && f.zstd == nil:
		f.zstd, err = zstd.NewReader(bytes.NewReader(packed), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow))
		in = f.zstd
	case codec == codecZS:
		err, in = f.zstd.Reset(bytes.NewReader(packed)), f.zstd
	case codec != codecLZ4:
		err = fmt.Errorf("compression %d: want LZ4 (%d) or zstd (%d)", codec, codecLZ4, codecZS)
	}
	if err != nil {
		return nil, err
	}
	f.raw.Reset()
	if _, err = io.CopyN(&f.raw, in, n); errors.Is(err, io.EOF) {
		err = fmt.Errorf("unpacked %d bytes: want %d", f.raw.Len(), n)
	}
	return f.raw.Bytes(), err
}
