package module

import (
	"bytes"
	"slices"
	"testing"

	"rths/kit/rthstest"
)

// Operands follow the first byte, or the first two, of an instruction: WebAssembly Core Specification 2.0, 5.4. A
// number has two bytes here, which is how any of LEB128 may be written.
var (
	wasmNumber = []byte{0x85, 0x01}
	wasmMemory = slices.Concat(wasmNumber, wasmNumber) // alignment and offset
	wasmByte   = []byte{0x85}                          // one lane, or a type
)

func span(from, to byte) (out [][]byte) {
	for b := int(from); b <= int(to); b++ {
		out = append(out, []byte{byte(b)})
	}
	return out
}

// after puts a byte in front of others.
func after(first byte, second [][]byte) (out [][]byte) {
	for _, b := range second {
		out = append(out, append([]byte{first}, b...))
	}
	return out
}

// Every instruction of the specification is read to its last byte and no further.
func TestInstructionsAreReadToTheirEnd(t *testing.T) {
	for _, c := range []struct {
		heads [][]byte
		rest  []byte
	}{
		{slices.Concat(span(0x00, 0x01), [][]byte{{0x05}, {0x0b}, {0x0f}, {0xd1}}, span(0x1a, 0x1b), span(0x45, 0xc4)), nil},
		{slices.Concat(span(0x02, 0x04), span(0x0c, 0x0d), span(0x20, 0x26), span(0x3f, 0x42), [][]byte{{0x10}, {0xd2}}),
			wasmNumber},
		// three labels and another one
		{span(0x0e, 0x0e), slices.Concat([]byte{3}, wasmNumber, wasmNumber, wasmNumber, wasmNumber)},
		{slices.Concat(span(0x11, 0x11), span(0x28, 0x3e)), wasmMemory},
		{span(0x1c, 0x1c), []byte{2, 0x7f, 0x7c}},
		{span(0x43, 0x43), make([]byte, 4)},
		{span(0x44, 0x44), make([]byte, 8)},
		{span(0xd0, 0xd0), []byte{0x70}},
		{after(opBulk, span(0, 7)), nil},
		{after(opBulk, [][]byte{{9}, {11}, {13}, {16}}), wasmNumber},
		{after(opBulk, [][]byte{{8}, {10}, {12}, {14}}), slices.Concat(wasmNumber, wasmNumber)},
		{after(opVector, slices.Concat(span(0, 11), span(92, 93))), wasmMemory},
		{after(opVector, span(12, 13)), make([]byte, 16)},
		{after(opVector, slices.Concat(span(14, 20), span(35, 83), span(94, 127), [][]byte{{0x80, 1}, {0xff, 1}})), nil},
		{after(opVector, span(21, 34)), wasmByte},
		{after(opVector, span(84, 91)), slices.Concat(wasmMemory, wasmByte)},
	} {
		for _, head := range c.heads {
			next := []byte{0xaa, 0xbb}
			r := &reader{b: slices.Concat(head, c.rest, next)}
			if op, err := r.instruction(); err != nil || op != head[0] || !bytes.Equal(r.b, next) {
				t.Errorf("instruction % x: %v, % x is left: want % x", slices.Concat(head, c.rest), err, r.b, next)
			}
			whole := slices.Concat(head, c.rest)
			if _, err := (&reader{b: whole[:len(whole)-1]}).instruction(); err == nil && len(whole) > len(head) {
				t.Errorf("instruction % x without its last byte is read", whole)
			}
		}
	}
}

// What is no instruction of the core, or changes the size of a table, is refused.
func TestOtherInstructionsAreRefused(t *testing.T) {
	for _, b := range slices.Concat(
		span(0x06, 0x0a), span(0x12, 0x19), span(0x1d, 0x1f), span(0x27, 0x27), span(0xc5, 0xcf), span(0xd3, 0xfb),
		span(0xfe, 0xff),
	) {
		_, err := (&reader{b: append(b, make([]byte, 20)...)}).instruction()
		rthstest.WantError(t, err, "is not of the core of WebAssembly, version 2")
	}
	for _, b := range [][]byte{{15}, {17}, {18}, {255}} {
		_, err := (&reader{b: slices.Concat([]byte{opBulk}, b, make([]byte, 20))}).instruction()
		rthstest.WantError(t, err, "want a table of functions that keeps its size")
	}
}
