package foreign

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// The MATLAB level 4 MAT-file format ("MAT-File Format", chapter 2): variables one after the other, each with five
// whole numbers of four bytes (type, rows, columns, whether imaginary parts follow, length of the name), its name and
// its numbers, column by column.

// storage4 is the data type of level 5 for the digit P of a type MOPT.
var storage4 = [6]uint32{9, 7, 5, 3, 4, 2}

// version4 is the byte order of a level 4 file, nil of any other: of a type MOPT, M is the order and O is 0.
func version4(data []byte) binary.ByteOrder {
	if len(data) < 20 {
		return nil
	}
	sound := func(order binary.ByteOrder, m uint32) bool {
		mopt := order.Uint32(data) - 1000*m
		return mopt < 60 && mopt%10 < 3 && order.Uint32(data[16:]) <= 256 && order.Uint32(data[16:]) > 1 &&
			order.Uint32(data[12:]) < 2
	}
	switch {
	case sound(binary.LittleEndian, 0):
		return binary.LittleEndian
	case sound(binary.BigEndian, 1):
		return binary.BigEndian
	}
	return nil
}

// scan4 walks over the variables of a level 4 file.
func (f *MATFile) scan4() error {
	for at := 0; at < len(f.data); {
		v, next, err := f.variable4(at)
		if err != nil {
			return fmt.Errorf("byte %d: a MATLAB version 4 file: %w", at, err)
		}
		if len(f.Vars) == maxMATVariables {
			return fmt.Errorf("byte %d: want at most %d variables", at, maxMATVariables)
		}
		f.Vars = append(f.Vars, v)
		at = next
	}
	return nil
}

// variable4 reads the variable at the given byte.
func (f *MATFile) variable4(at int) (v Variable, next int, err error) {
	if len(f.data)-at < 20 {
		return v, 0, fmt.Errorf("found %d bytes, want the 20 of a variable's heading", len(f.data)-at)
	}
	var h [5]int64
	for i := range h {
		h[i] = int64(f.order.Uint32(f.data[at+4*i:]))
	}
	storage, class := h[0]%100/10, h[0]%10
	if h[0] > 1052 || storage >= int64(len(storage4)) || class > 2 {
		return v, 0, fmt.Errorf("found type %d, want one such as 0 (double)", h[0])
	}
	v = Variable{Class: [3]uint8{6, 4, mxSPARSE}[class], Complex: h[3] != 0, Dims: []int{int(h[1]), int(h[2])}, Offset: at,
		kind: storage4[storage]}
	size, left := int64(storageSize[v.kind]), int64(len(f.data)-at-20)
	if h[4] < 1 || h[4] > left || h[1] > left || h[2] > left {
		return v, 0, fmt.Errorf("%d by %d numbers and a name of %d bytes, but %d bytes are left: want a complete file", h[1],
			h[2], h[4], left)
	}
	from := at + 20 + int(h[4])
	v.Name = string(bytes.TrimRight(f.data[at+20:from], "\x00"))
	body := h[1] * h[2] * size
	if whole := body * (1 + min(h[3], 1)); body > left || whole > int64(len(f.data)-from) {
		return v, 0, fmt.Errorf("variable %.40q of %d bytes, but %d are left: want a complete file", v.Name, whole,
			len(f.data)-from)
	}
	v.data = f.data[from : from+int(body) : from+int(body)]
	return v, from + int(body*(1+min(h[3], 1))), nil
}
