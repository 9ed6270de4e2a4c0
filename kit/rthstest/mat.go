package rthstest

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"math"
)

// matWriter writes MAT-files for the tests, element by element as "MAT-File
// Format" describes them. It is independent of the reader's code.
type matWriter struct {
	bytes.Buffer
	order binary.AppendByteOrder
}

// newMAT begins a file with its heading of 128 bytes.
func newMAT(order binary.AppendByteOrder) *matWriter {
	w := &matWriter{order: order}
	text := "MATLAB 5.0 MAT-file, Platform: GLNXA64"
	w.WriteString(text)
	for w.Len() < 124 {
		w.WriteByte(' ')
	}
	w.Write(order.AppendUint16(nil, 0x0100))
	w.Write(order.AppendUint16(nil, 'M'<<8|'I'))
	return w
}

// element is tag, body and padding; up to four bytes go inside the tag.
func (w *matWriter) element(kind uint32, body []byte) []byte {
	if n := len(body); n >= 1 && n <= 4 {
		b := w.order.AppendUint32(nil, uint32(n)<<16|kind)
		return append(append(b, body...), make([]byte, 4-n)...)
	}
	b := w.order.AppendUint32(w.order.AppendUint32(nil, kind), uint32(len(body)))
	b = append(b, body...)
	if kind != 15 {
		b = append(b, make([]byte, (8-len(body)%8)%8)...)
	}
	return b
}

// MATArray is an array of a MAT-file, column by column.
type MATArray struct {
	Name    string
	Class   uint32
	Storage uint32 // data type of the numbers
	Dims    []int32
	Values  []float64
	Imag    bool
	Row     []int32 // of a sparse array: the row of each value, from 0
	Start   []int32 // and where each column starts, and the last one ends
}

// matrix is a whole miMATRIX element.
func (w *matWriter) matrix(a MATArray) []byte {
	flags := a.Class
	if a.Imag {
		flags |= 0x0800
	}
	body := w.element(6, w.order.AppendUint32(w.order.AppendUint32(nil, flags), 0))
	var dims []byte
	for _, d := range a.Dims {
		dims = w.order.AppendUint32(dims, uint32(d))
	}
	body = append(body, w.element(5, dims)...)
	body = append(body, w.element(1, []byte(a.Name))...)
	for _, index := range [][]int32{a.Row, a.Start} {
		if index != nil {
			var b []byte
			for _, i := range index {
				b = w.order.AppendUint32(b, uint32(i))
			}
			body = append(body, w.element(5, b)...)
		}
	}
	body = append(body, w.element(a.Storage, w.numbers(a))...)
	if a.Imag {
		body = append(body, w.element(a.Storage, w.numbers(a))...)
	}
	return w.element(14, body)
}

// numbers encodes the values in the storage type.
func (w *matWriter) numbers(a MATArray) (b []byte) {
	for _, v := range a.Values {
		switch a.Storage {
		case 1:
			b = append(b, byte(int8(v)))
		case 2:
			b = append(b, byte(v))
		case 3:
			b = w.order.AppendUint16(b, uint16(int16(v)))
		case 4:
			b = w.order.AppendUint16(b, uint16(v))
		case 5:
			b = w.order.AppendUint32(b, uint32(int32(v)))
		case 6:
			b = w.order.AppendUint32(b, uint32(v))
		case 7:
			b = w.order.AppendUint32(b, math.Float32bits(float32(v)))
		case 9:
			b = w.order.AppendUint64(b, math.Float64bits(v))
		case 12:
			b = w.order.AppendUint64(b, uint64(int64(v)))
		case 13:
			b = w.order.AppendUint64(b, uint64(v))
		}
	}
	return b
}

// compressed wraps an element.
func (w *matWriter) compressed(element []byte) []byte {
	var z bytes.Buffer
	zw := zlib.NewWriter(&z)
	zw.Write(element)
	zw.Close()
	return w.element(15, z.Bytes())
}

// MATFile is a MATLAB v5 file of arrays, each compressed or all plain.
func MATFile(order binary.AppendByteOrder, compress bool, arrays ...MATArray) []byte {
	w := newMAT(order)
	for _, a := range arrays {
		e := w.matrix(a)
		if compress {
			e = w.compressed(e)
		}
		w.Write(e)
	}
	return w.Bytes()
}
