package record

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// WriteHDF5 writes an HDF5 file that every version of HDF5 reads (superblock 0, contiguous): a dataset of doubles for
// each column under its name, with the attributes unit and meaning. MATLAB reads it by h5read(FILE, '/target_m').
//
// Source: HDF5 File Format Specification, version 3.0.
func (a *Archive) WriteHDF5(w io.Writer) error { return a.WriteHDF5Of(w, a.Columns) }

// WriteHDF5Of is WriteHDF5 of some columns.
func (a *Archive) WriteHDF5Of(w io.Writer, columns []Column) error {
	out := bufio.NewWriterSize(w, 1<<16)
	_, err := out.Write(hdf5Head(columns, a.Rows()))
	var number [8]byte
	for _, c := range columns {
		values, _ := a.Signal(c.Name)
		for k := 0; k < values.Len() && err == nil; k++ {
			binary.LittleEndian.PutUint64(number[:], math.Float64bits(values.At(k)))
			_, err = out.Write(number[:])
		}
	}
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return fmt.Errorf("record: hdf5: %w", err)
	}
	return a.Err()
}

// hdf5Buffer is the beginning of a file in the making.
type hdf5Buffer struct{ b []byte }

func (h *hdf5Buffer) u(size int, values ...int) {
	for _, v := range values {
		for i := range size {
			h.b = append(h.b, byte(uint64(v)>>(8*i)))
		}
	}
}

// text is a text with a zero and as many more as make it a multiple of 8 bytes.
func (h *hdf5Buffer) text(s string) {
	h.b = append(h.b, s...)
	h.b = append(h.b, make([]byte, 8-len(s)%8)...)
}

func padded8(n int) int { return (n + 8) / 8 * 8 } // of a text with its zero

const noAddress = -1 // all bits

// hdf5Head is all that stands before the numbers: superblock, root group, and the header of each dataset.
func hdf5Head(columns []Column, rows int) []byte {
	names := make([]int, len(columns)) // columns in the order of their names
	for i := range names {
		names[i] = i
	}
	slices.SortFunc(names, func(i, j int) int { return strings.Compare(columns[i].Name, columns[j].Name) })

	// Places: superblock, header of the root, B-tree of one node, heap with the names, node of symbols, headers.
	const superblock, root, key = 96, 16 + 8 + 16, 8
	leaf := max(4, (len(columns)+1)/2) // half the symbols that a node has room for
	const internal = 16
	treeAt := superblock + root
	treeSize := 24 + (2*internal+1)*key + 2*internal*8
	heapAt := treeAt + treeSize
	namesAt := heapAt + 32
	place, size := make([]int, len(columns)), 8 // the empty name comes first
	for i, c := range columns {
		place[i] = size
		size += padded8(len(c.Name))
	}
	symbolsAt := namesAt + size
	headers := symbolsAt + 8 + 2*leaf*40
	at, next := make([]int, len(columns)), headers
	for i, c := range columns {
		at[i] = next
		next += hdf5HeaderSize(c)
	}
	data := next
	end := data + 8*rows*len(columns)

	h := &hdf5Buffer{}
	h.b = append(h.b, "\x89HDF\r\n\x1a\n"...)
	h.u(1, 0, 0, 0, 0, 0, 8, 8, 0)
	h.u(2, leaf, internal)
	h.u(4, 0)
	h.u(8, 0, noAddress, end, noAddress)
	h.u(8, 0, superblock) // the root: no name, its header
	h.u(4, 1, 0)          // whose B-tree and heap follow
	h.u(8, treeAt, heapAt)

	h.u(1, 1, 0)
	h.u(2, 1)
	h.u(4, 1, 24, 0)
	h.u(2, 0x11, 16) // symbol table
	h.u(4, 0)
	h.u(8, treeAt, heapAt)

	h.b = append(h.b, "TREE"...)
	h.u(1, 0, 0)
	h.u(2, min(1, len(columns)))
	h.u(8, noAddress, noAddress, 0)
	if n := len(names); n > 0 {
		h.u(8, symbolsAt, place[names[n-1]])
	}
	h.b = append(h.b, make([]byte, heapAt-len(h.b))...)

	h.b = append(h.b, "HEAP"...)
	h.u(4, 0)
	h.u(8, size, 1, namesAt) // 1: nothing is free
	h.text("")
	for _, c := range columns {
		h.text(c.Name)
	}

	h.b = append(h.b, "SNOD"...)
	h.u(1, 1, 0)
	h.u(2, len(columns))
	for _, i := range names {
		h.u(8, place[i], at[i])
		h.u(4, 0, 0)
		h.u(8, 0, 0)
	}
	h.b = append(h.b, make([]byte, headers-len(h.b))...)
	for i, c := range columns {
		h.dataset(c, rows, data+8*rows*i)
	}
	return h.b
}

// attributes of a column: unit and meaning, those that are not empty.
func attributes(c Column) (out [][2]string) {
	for _, a := range [][2]string{{"unit", c.Unit}, {"meaning", c.Doc}} {
		if a[1] != "" {
			out = append(out, a)
		}
	}
	return out
}

// Bytes of the messages of a dataset, without their heads of 8.
const (
	spaceSize, typeSize, fillSize, layoutSize = 16, 24, 8, 24
	textTypeSize, scalarSize                  = 8, 8
)

func attributeSize(a [2]string) int {
	return 8 + padded8(len(a[0])) + textTypeSize + scalarSize + padded8(len(a[1]))
}

func hdf5HeaderSize(c Column) int {
	size := 16 + 4*8 + spaceSize + typeSize + fillSize + layoutSize
	for _, a := range attributes(c) {
		size += 8 + attributeSize(a)
	}
	return size
}

// dataset writes the header of a dataset of doubles, whose numbers stand at an address.
func (h *hdf5Buffer) dataset(c Column, rows, at int) {
	list := attributes(c)
	h.u(1, 1, 0)
	h.u(2, 4+len(list))
	h.u(4, 1, hdf5HeaderSize(c)-16, 0)
	message := func(kind, size int) {
		h.u(2, kind, size)
		h.u(4, 0)
	}
	message(0x01, spaceSize)
	h.u(1, 1, 1, 0, 0)
	h.u(4, 0)
	h.u(8, rows)
	message(0x03, typeSize) // IEEE 754, little endian
	h.u(1, 0x11, 0x20, 63, 0)
	h.u(4, 8)
	h.u(2, 0, 64)
	h.u(1, 52, 11, 0, 52)
	h.u(4, 1023, 0)
	message(0x05, fillSize) // storage is allocated early, and no number stands for what was not written
	h.u(1, 2, 1, 0, 0)
	h.u(4, 0)
	message(0x08, layoutSize)
	h.u(1, 3, 1)
	h.u(8, at, 8*rows)
	h.u(6, 0)
	for _, a := range list {
		message(0x0C, attributeSize(a))
		h.u(1, 1, 0)
		h.u(2, len(a[0])+1, textTypeSize, scalarSize)
		h.text(a[0])
		h.u(1, 0x13, 0x10, 0, 0) // UTF-8, with a zero
		h.u(4, padded8(len(a[1])))
		h.u(1, 1, 0, 0, 0)
		h.u(4, 0)
		h.text(a[1])
	}
}
