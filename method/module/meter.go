//go:build !js

package module

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// A module's code runs as machine code, which the scheduler of Go cannot interrupt: a loop without end would take
// Ctrl-C and garbage collection from the whole program. So each module gets a meter before it is compiled: a global
// variable, set when init, step, force, rate or table is called. Each function and each turn of a loop takes its size
// in bytes from the meter, and traps when nothing is left. This counts and reads no clock: a module ends at the same
// place in every run. The numbers that it computes stay what they were (docs/adr/0053).

// budget is what a call may take from the meter, in bytes of code: some hundredths of a second, tenths where
// every access misses the caches.
const budget = 1 << 27

// meterName is the name of the meter, for the reason of a trap.
const meterName = "rths meter"

// Costs of instructions that take longer than their few bytes.
const (
	costOfDivision = 16
	costOfGrowth   = 1 << 12 // of a memory or table: a way out of the module and back
)

// Sections of a module, in the order of their bytes but for sectionDataCount, which comes before sectionCode.
const (
	sectionType      = 1
	sectionFunction  = 3
	sectionGlobal    = 6
	sectionExport    = 7
	sectionCode      = 10
	sectionDataCount = 12
)

// sectionOrder is the order in a file.
var sectionOrder = []byte{1, 2, 3, 4, 5, sectionGlobal, sectionExport, 8, 9, sectionDataCount, sectionCode, 11}

// parts are a module's. A vector is a count, then its entries.
type parts struct {
	sections [13][]byte
	types    [][]byte // entries of the sections of that name
	of       []uint32 // type of each function
	exports  []export
	bodies   [][]byte
	globals  uint32
	bulk     map[string]uint32 // the functions that charge for instructions on many bytes, by the instruction
}

type export struct {
	name  string
	kind  byte
	index uint32
}

// metered is the module with a meter. The module has passed checkSections, and is not validated yet.
func metered(code []byte) ([]byte, error) {
	p := &parts{bulk: map[string]uint32{}}
	if err := p.read(code); err != nil {
		return nil, err
	}
	if err := p.meter(); err != nil {
		return nil, err
	}
	return p.write(), nil
}

// read takes the module apart. Sections with names and sources are left out.
func (p *parts) read(code []byte) error {
	for r := (&reader{b: code[8:]}); len(r.b) > 0; {
		id, body := r.byte(), r.bytes()
		switch {
		case r.cut:
			return errCut
		case id == 0:
		case int(id) >= len(p.sections):
			return fmt.Errorf("section %d is not of version 1", id)
		case p.sections[id] != nil:
			return fmt.Errorf("section %d stands twice", id)
		default:
			p.sections[id] = body
		}
	}
	if err := p.readTypes(); err != nil {
		return err
	}
	r := &reader{b: p.sections[sectionFunction]}
	for range r.count() {
		p.of = append(p.of, r.number())
	}
	r = p.after(r, sectionGlobal)
	p.globals = r.count()
	r = p.after(r, sectionExport)
	for range r.count() {
		p.exports = append(p.exports, export{string(r.bytes()), r.byte(), r.number()})
	}
	r = p.after(r, sectionCode)
	for range r.count() {
		p.bodies = append(p.bodies, r.bytes())
	}
	if r.cut || len(p.bodies) != len(p.of) {
		return errCut
	}
	return nil
}

// after reads on in another section.
func (p *parts) after(r *reader, id byte) *reader { return &reader{b: p.sections[id], cut: r.cut} }

// readTypes reads the types of functions: 0x60, the parameters, the results.
func (p *parts) readTypes() error {
	r := &reader{b: p.sections[sectionType]}
	for range r.count() {
		start := r.b
		r.byte()
		r.bytes()
		r.bytes()
		if r.cut {
			return errCut
		}
		p.types = append(p.types, start[:len(start)-len(r.b)])
	}
	return nil
}

// meter charges in every body, and adds functions that set the meter.
func (p *parts) meter() error {
	own := len(p.bodies)
	for i := range own {
		body, err := p.charged(p.bodies[i])
		if err != nil {
			return fmt.Errorf("function %d: %w", i+1, err)
		}
		p.bodies[i] = body
	}
	for i, e := range p.exports {
		if e.name == meterName {
			return fmt.Errorf("it exports %q: want another name", meterName)
		}
		if e.kind == 0 && int(e.index) < own && slices.ContainsFunc(signatures,
			func(s signature) bool { return s.name == e.name }) {
			if at, ok := p.setting(e.index); ok {
				p.exports[i].index = at
			}
		}
	}
	p.exports = append(p.exports, export{meterName, 3, p.globals})
	return nil
}

// setting is a function that sets the meter, then calls another one.
func (p *parts) setting(callee uint32) (index uint32, ok bool) {
	if int(p.of[callee]) >= len(p.types) {
		return 0, false
	}
	r := &reader{b: p.types[p.of[callee]][1:]}
	body := append(signed([]byte{0, opConst}, budget), opSetGlobal) // 0: no variables
	body = unsigned(body, p.globals)
	for i := range len(r.bytes()) {
		body = unsigned(append(body, opGetLocal), uint32(i))
	}
	body = append(unsigned(append(body, opCall), callee), opEnd)
	return p.add(p.of[callee], body), true
}

// add adds a function.
func (p *parts) add(kind uint32, body []byte) (index uint32) {
	p.of, p.bodies = append(p.of, kind), append(p.bodies, body)
	return uint32(len(p.bodies) - 1)
}

// write puts the module together.
func (p *parts) write() []byte {
	p.sections[sectionType] = vector(p.types, func(b, entry []byte) []byte { return append(b, entry...) })
	p.sections[sectionFunction] = vector(p.of, unsigned)
	p.sections[sectionExport] = vector(p.exports, func(b []byte, e export) []byte {
		return unsigned(append(sized(b, []byte(e.name)), e.kind), e.index)
	})
	p.sections[sectionCode] = vector(p.bodies, sized)
	r := &reader{b: p.sections[sectionGlobal]}
	r.count()
	globals := append(unsigned(nil, p.globals+1), r.b...)
	globals = append(globals, 0x7f, 1, opConst) // a variable of type i32
	p.sections[sectionGlobal] = append(signed(globals, budget), opEnd)

	out := binary.LittleEndian.AppendUint32([]byte("\x00asm"), 1)
	for _, id := range sectionOrder {
		if body := p.sections[id]; body != nil {
			out = sized(append(out, id), body)
		}
	}
	return out
}

// vector writes a count and the entries.
func vector[T any](list []T, write func([]byte, T) []byte) []byte {
	out := unsigned(nil, uint32(len(list)))
	for _, entry := range list {
		out = write(out, entry)
	}
	return out
}

// sized writes a size in bytes and the bytes.
func sized(b, body []byte) []byte { return append(unsigned(b, uint32(len(body))), body...) }

// unsigned and signed write a number in LEB128.
func unsigned(b []byte, v uint32) []byte { return binary.AppendUvarint(b, uint64(v)) }

func signed(b []byte, v int32) []byte {
	for ; v < -64 || v > 63; v >>= 7 {
		b = append(b, byte(v&0x7f)|0x80)
	}
	return append(b, byte(v&0x7f))
}

// reader reads parts of a module. Beyond the end it reads zeros.
type reader struct {
	b   []byte
	cut bool
}

func (r *reader) skip(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.b, r.cut = nil, true
		return nil
	}
	out := r.b[:n:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) byte() byte {
	if b := r.skip(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) number() uint32 {
	v, rest, ok := number(r.b)
	r.b, r.cut = rest, r.cut || !ok
	return v
}

// count is the number of entries, each of a byte at least, of a vector; 0 of a section that is not there.
func (r *reader) count() uint32 {
	if len(r.b) == 0 {
		return 0
	}
	n := r.number()
	if uint64(n) > uint64(len(r.b)) {
		r.b, r.cut, n = nil, true, 0
	}
	return n
}

// bytes reads a size and so many bytes.
func (r *reader) bytes() []byte { return r.skip(uint64(r.number())) }

// long skips a number of up to 64 bits in LEB128.
func (r *reader) long() {
	for range 10 {
		if r.byte() < 0x80 {
			return
		}
	}
	r.cut = true
}
