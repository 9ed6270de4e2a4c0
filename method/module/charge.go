//go:build !js

package module

import "fmt"

// Instructions that are written, or looked at.
const (
	opUnreachable = 0x00
	opBlock       = 0x02
	opLoop        = 0x03
	opIf          = 0x04
	opEnd         = 0x0b
	opCall        = 0x10
	opGetLocal    = 0x20
	opGetGlobal   = 0x23
	opSetGlobal   = 0x24
	opGrowMemory  = 0x40
	opConst       = 0x41 // i32.const
	opLess        = 0x48 // i32.lt_s
	opSubtract    = 0x6b // i32.sub
	opShift       = 0x76 // i32.shr_u
	opBulk        = 0xfc // the first byte of several
	opVector      = 0xfd // the first byte of several
	noResult      = 0x40
)

// block is a block that is being read. A function is charged as a loop of one turn.
type block struct {
	loop  bool
	begun uint64 // cost of all before it
	at    int    // place of its cost in the new body
}

// charged is the body of a function that takes its cost, and the cost of each turn of its loops, from the meter.
func (p *parts) charged(body []byte) ([]byte, error) {
	r := &reader{b: body}
	for range r.count() { // groups of variables: a number and a type
		r.number()
		r.byte()
	}
	out, open, cost := append([]byte(nil), body[:len(body)-len(r.b)]...), []block(nil), uint64(0)
	enter := func(loop bool) {
		open = append(open, block{loop, cost, len(out) + 1 + len(unsigned(nil, p.globals)) + 1})
		if loop {
			out = p.charge(out, append([]byte{opConst}, padded(0)...))
		}
	}
	for enter(true); len(open) > 0; {
		start := r.b
		op, err := r.instruction()
		if err != nil {
			return nil, err
		}
		code := start[:len(start)-len(r.b)]
		cost += costOf(op, code)
		out = append(out, p.replaced(op, code)...)
		switch op {
		case opBlock, opIf, opLoop:
			enter(op == opLoop)
		case opEnd:
			last := open[len(open)-1]
			if open = open[:len(open)-1]; last.loop {
				copy(out[last.at:], padded(uint32(min(cost-last.begun, budget))))
			}
		}
	}
	if len(r.b) > 0 {
		return nil, errCut
	}
	return out, nil
}

// charge writes: meter = meter − cost; if meter < 0, trap.
func (p *parts) charge(out, cost []byte) []byte {
	meter := unsigned(nil, p.globals)
	out = append(append(append(out, opGetGlobal), meter...), cost...)
	out = append(append(out, opSubtract, opSetGlobal), meter...)
	out = append(append(out, opGetGlobal), meter...)
	return append(out, opConst, 0, opLess, opIf, noResult, opUnreachable, opEnd)
}

// padded is a number below 2³¹ in LEB128, in five bytes whatever its size.
func padded(v uint32) []byte {
	return []byte{byte(v) | 0x80, byte(v>>7) | 0x80, byte(v>>14) | 0x80, byte(v>>21) | 0x80, byte(v >> 28)}
}

// costOf is the cost of an instruction in bytes of code.
func costOf(op byte, code []byte) uint64 {
	switch {
	case op == opGrowMemory:
		return costOfGrowth
	// div, rem, sqrt
	case op >= 0x6d && op <= 0x70, op >= 0x7f && op <= 0x82, op == 0x91, op == 0x95, op == 0x9f, op == 0xa3:
		return costOfDivision
	}
	return uint64(len(code))
}

// replaced is an instruction; for one that fills or copies many bytes or entries, the call of a function that first
// takes a quarter of their number from the meter.
func (p *parts) replaced(op byte, code []byte) []byte {
	if op != opBulk || bulkWords[code[1]] == 0 {
		return code
	}
	index, ok := p.bulk[string(code)]
	if !ok {
		if len(p.bulk) == 0 {
			p.types = append(p.types, []byte{0x60, 3, 0x7f, 0x7f, 0x7f, 0}) // three i32, and no result
		}
		body := p.charge([]byte{0}, []byte{opGetLocal, 2, opConst, 2, opShift})
		body = append(append(body, opGetLocal, 0, opGetLocal, 1, opGetLocal, 2), code...)
		index = p.add(uint32(len(p.types)-1), append(body, opEnd))
		p.bulk[string(code)] = index
	}
	return unsigned([]byte{opCall}, index)
}

// bulkWords are how many numbers follow memory.init, memory.copy, memory.fill, table.init and table.copy.
var bulkWords = [256]int{8: 2, 10: 2, 11: 1, 12: 2, 14: 2}

// instruction reads an instruction of the core of WebAssembly, version 2, and returns its first byte.
func (r *reader) instruction() (op byte, err error) {
	switch op = r.byte(); {
	case op >= opBlock && op <= opIf, op == opConst, op == 0x42: // the type of a block, i32.const, i64.const
		r.long()
	case op == 0x0c, op == 0x0d, op == opCall, op >= opGetLocal && op <= 0x26, op == 0x3f, op == opGrowMemory, op == 0xd2:
		r.number()
	case op == 0x0e: // br_table
		for range r.count() + 1 {
			r.number()
		}
	case op == 0x11: // call_indirect
		r.number()
		r.number()
	case op == 0x1c: // select with types
		r.bytes()
	case op >= 0x28 && op <= 0x3e: // loads and stores: alignment and offset
		r.number()
		r.number()
	case op == 0x43:
		r.skip(4)
	case op == 0x44:
		r.skip(8)
	case op == 0xd0: // ref.null
		r.byte()
	case op == opBulk:
		err = r.bulk()
	case op == opVector:
		r.vector()
	// nothing follows
	case op <= 0x01, op == 0x05, op == opEnd, op == 0x0f, op == 0x1a, op == 0x1b, op >= 0x45 && op <= 0xc4, op == 0xd1:
	default:
		err = fmt.Errorf(
			"instruction %#x is not of the core of WebAssembly, version 2: build without extensions (threads, tail calls, "+
				"exceptions)", op)
	}
	if r.cut {
		err = errCut
	}
	return op, err
}

// bulk reads the rest of an instruction with opBulk. The number after it has one byte, as all compilers write it.
func (r *reader) bulk() error {
	switch sub := r.byte(); {
	case sub <= 7: // conversions
	case bulkWords[sub] > 0:
		for range bulkWords[sub] {
			r.number()
		}
	case sub == 9, sub == 13, sub == 16: // data.drop, elem.drop, table.size
		r.number()
	default:
		return fmt.Errorf("instruction 0xfc %d: want a table of functions that keeps its size", sub)
	}
	return nil
}

// vector reads the rest of an instruction with opVector.
func (r *reader) vector() {
	switch sub := r.number(); {
	case sub <= 11, sub == 92, sub == 93: // loads and stores
		r.number()
		r.number()
	case sub == 12, sub == 13: // a constant, a shuffle
		r.skip(16)
	case sub >= 21 && sub <= 34: // a lane
		r.byte()
	case sub >= 84 && sub <= 91: // loads and stores of a lane
		r.number()
		r.number()
		r.byte()
	}
}
