package record

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"

	flatbuffers "github.com/google/flatbuffers/go"
)

// Streams are decoded here and not by arrow-go, whose reader believes the
// counts it finds: one wrong byte in a schema made it ask for 250 GB, which
// ends a Go program without a chance to recover. Here no count is believed that
// the bytes of the file cannot hold. This file reads a Writer's format: columns
// of float64, no nulls, no compression. foreign.go reads the others.

// Slots of the tables in Arrow's Message.fbs, Schema.fbs and File.fbs that are
// used here: field n of a table is at slot 4 + 2n.
const (
	messageVersion, messageKind                = 4, 6
	messageHeader, messageBody                 = 8, 10
	schemaEndianness, schemaFields             = 4, 6
	fieldName, fieldTypeKind, fieldType        = 4, 8, 10
	fieldDictionary, fieldChildren             = 12, 14
	fieldMetadata                              = 16
	floatPrecision                             = 4
	pairKey, pairValue                         = 4, 6
	batchLength, batchNodes, batchBuffers      = 4, 6, 8
	batchCompression                           = 10
	footerVersion, footerSchema, footerBatches = 4, 6, 10
	kindSchema, kindBatch, kindFloat, float64s = 1, 3, 3, 2 // values of the unions and of Precision
)

// errCut is met when a stream ends within a message.
var errCut = errors.New("the stream is cut off")

// message is one message of a stream: its metadata table and its body.
type message struct {
	version int16
	kind    byte
	header  flatbuffers.Table
	body    []byte
	at      int64 // where the body begins in the stream
}

// source reads messages from a stream of known size.
type source struct {
	r       io.Reader
	at, end int64 // where the next byte is, where the stream ends
	body    []byte
}

// next reads a message; its body is valid until the next one. It returns io.EOF
// at the end mark and errCut where the file ends without one.
func (s *source) next() (message, error) {
	var m message
	mark, err := s.take(nil, 8)
	if err != nil {
		return m, err
	}
	if start := binary.LittleEndian.Uint32(mark); start != math.MaxUint32 {
		return m, fmt.Errorf("a message begins with %#x: want 0xffffffff", start)
	}
	size := binary.LittleEndian.Uint32(mark[4:])
	if size == 0 {
		return m, io.EOF
	}
	meta, err := s.take(nil, int64(size))
	if err != nil {
		return m, err
	}
	table := flatbuffers.Table{Bytes: meta, Pos: flatbuffers.GetUOffsetT(meta)}
	m.version, m.kind = table.GetInt16Slot(messageVersion, 0), table.GetByteSlot(messageKind, 0)
	if !child(&m.header, table, messageHeader) {
		return m, errors.New("a message without header")
	}
	m.at = s.at
	s.body, err = s.take(s.body, table.GetInt64Slot(messageBody, 0))
	m.body = s.body
	return m, err
}

// take reads n bytes, into the given array if it is large enough.
func (s *source) take(into []byte, n int64) ([]byte, error) {
	switch {
	case n < 0:
		return nil, fmt.Errorf("a message of %d bytes: want 0 or more", n)
	case n > s.end-s.at:
		return nil, errCut
	case int64(cap(into)) < n:
		into = make([]byte, n)
	}
	into = into[:n]
	if _, err := io.ReadFull(s.r, into); err != nil {
		return nil, err
	}
	s.at += n
	return into, nil
}

// child finds the table in a slot and reports whether there is one.
func child(found *flatbuffers.Table, t flatbuffers.Table, slot flatbuffers.VOffsetT) bool {
	o := flatbuffers.UOffsetT(t.Offset(slot))
	if o == 0 {
		return false
	}
	*found = flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(t.Pos + o)}
	return true
}

// vector finds the vector in a slot: where its elements of the given size
// begin, and how many there are. More than the metadata can hold is an error.
func vector(t flatbuffers.Table, slot flatbuffers.VOffsetT, size int) (start flatbuffers.UOffsetT, n int, err error) {
	o := flatbuffers.UOffsetT(t.Offset(slot))
	if o == 0 {
		return 0, 0, nil
	}
	start, n = t.Vector(o), t.VectorLen(o)
	if n < 0 || int64(start)+int64(n)*int64(size) > int64(len(t.Bytes)) {
		return 0, 0, fmt.Errorf("a list of %d entries in %d bytes", n, len(t.Bytes))
	}
	return start, n, nil
}

// tables lists the tables of a vector of tables.
func tables(t flatbuffers.Table, slot flatbuffers.VOffsetT) ([]flatbuffers.Table, error) {
	start, n, err := vector(t, slot, flatbuffers.SizeUOffsetT)
	if err != nil {
		return nil, err
	}
	list := make([]flatbuffers.Table, n)
	for i := range list {
		at := start + flatbuffers.UOffsetT(i*flatbuffers.SizeUOffsetT)
		list[i] = flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(at)}
	}
	return list, nil
}

func text(t flatbuffers.Table, slot flatbuffers.VOffsetT) string {
	o := flatbuffers.UOffsetT(t.Offset(slot))
	if o == 0 {
		return ""
	}
	return string(t.ByteVector(t.Pos + o))
}

// fields are the fields of a schema message.
func (m message) fields() ([]flatbuffers.Table, error) {
	if m.kind != kindSchema {
		return nil, fmt.Errorf("the first message is of kind %d: want a schema (%d)", m.kind, kindSchema)
	}
	if e := m.header.GetInt16Slot(schemaEndianness, 0); e != 0 {
		return nil, errors.New("big-endian values: want little-endian")
	}
	fields, err := tables(m.header, schemaFields)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return fields, nil
}

// columns reads the columns of a schema message.
func (m message) columns() ([]Column, error) {
	fields, err := m.fields()
	if err != nil {
		return nil, err
	}
	columns := make([]Column, len(fields))
	for i, f := range fields {
		var kind flatbuffers.Table
		if f.GetByteSlot(fieldTypeKind, 0) != kindFloat || !child(&kind, f, fieldType) ||
			kind.GetInt16Slot(floatPrecision, 0) != float64s || f.Offset(fieldDictionary) != 0 {
			err = &ForeignError{fmt.Errorf("%q is of another type: want float64", text(f, fieldName))}
		} else {
			columns[i], err = column(f)
		}
		if err != nil {
			return nil, fmt.Errorf("column %d: %w", i+1, err)
		}
	}
	return columns, nil
}

// column is what a field says of a column.
func column(f flatbuffers.Table) (Column, error) {
	c := Column{Name: text(f, fieldName)}
	pairs, err := tables(f, fieldMetadata)
	for _, p := range pairs {
		switch text(p, pairKey) {
		case "unit":
			c.Unit = text(p, pairValue)
		case "doc":
			c.Doc = text(p, pairValue)
		case "source":
			c.Source = text(p, pairValue)
		}
	}
	return c, err
}

// pairs is where a list of so many pairs of numbers begins.
func (m message) pairs(slot flatbuffers.VOffsetT, want int) (start flatbuffers.UOffsetT, err error) {
	start, n, err := vector(m.header, slot, 16)
	if err == nil && n != want {
		err = fmt.Errorf("found %d: want %d", n, want)
	}
	return start, err
}

// layout is the number of rows of a batch message, and where in its body each column begins.
func (m message) layout(columns int) (rows int, offsets []int64, err error) {
	if m.kind != kindBatch {
		return 0, nil, fmt.Errorf("a message of kind %d: want a batch (%d)", m.kind, kindBatch)
	}
	if m.header.Offset(batchCompression) != 0 {
		return 0, nil, &ForeignError{errors.New("a compressed batch: want one without compression")}
	}
	length := m.header.GetInt64Slot(batchLength, 0)
	if length < 0 || length > int64(len(m.body)/8/columns) {
		return 0, nil, fmt.Errorf("a batch of %d rows and %d columns in %d bytes", length, columns, len(m.body))
	}
	nodes, err := m.pairs(batchNodes, columns)
	if err != nil {
		return 0, nil, fmt.Errorf("columns of a batch: %w", err)
	}
	buffers, err := m.pairs(batchBuffers, 2*columns)
	if err != nil {
		return 0, nil, fmt.Errorf("buffers of a batch: %w", err)
	}
	offsets = make([]int64, columns)
	for i := range offsets {
		node := nodes + flatbuffers.UOffsetT(16*i)
		if values, nulls := m.header.GetInt64(node), m.header.GetInt64(node+8); values != length || nulls != 0 {
			return 0, nil, &ForeignError{fmt.Errorf("column %d has %d values and %d nulls: want %d and none", i+1, values, nulls,
				length)}
		}
		from := m.header.GetInt64(buffers + flatbuffers.UOffsetT(16*(2*i+1))) // after the validity buffer, which is empty
		if from < 0 || from > int64(len(m.body))-8*length {
			return 0, nil, fmt.Errorf("column %d begins at byte %d of %d", i+1, from, len(m.body))
		}
		offsets[i] = from
	}
	return int(length), offsets, nil
}

// putFloats fills dst with the float64 of the format, little-endian.
func putFloats(dst []float64, raw []byte) {
	for i := range dst {
		dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
	}
}

// ForeignError is met in an Arrow stream that is sound but not of the kind this
// package writes: another reader has to read it.
type ForeignError struct{ error }

// Unwrap is what was found.
func (f *ForeignError) Unwrap() error { return f.error }

// Unsound is the error of a file on which a library panicked; the library's own message
// would not help a user.
func Unsound(what string, p any) error {
	if _, ok := p.(runtime.Error); ok {
		return fmt.Errorf("the %s is damaged or cut off", what)
	}
	return fmt.Errorf("the %s is damaged: %v", what, p)
}
