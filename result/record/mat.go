package record

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"rths"
)

// Of the MATLAB level 5 MAT-file format (The MathWorks, "MAT-File Format",
// chapter 1) what is needed here: data types of elements, classes of arrays.
const (
	miINT8, miINT32, miUINT32, miDOUBLE = 1, 5, 6, 9
	miUINT16, miMATRIX                  = 4, 14
	mxSTRUCT, mxCHAR, mxDOUBLE          = 2, 4, 6
)

// longestName is MATLAB's namelengthmax.
const longestName = 63

// WriteMAT writes a MATLAB file of level 5 (as save -v6): a column vector of
// doubles for each column, and a structure units with the unit of each. Variables
// are named as the columns without their unit (target_m is target), because the
// names must be valid in MATLAB.
func (a *Archive) WriteMAT(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	m := matWriter{w: out}
	m.heading("MATLAB 5.0 MAT-file, written by rths, run " + a.Name)
	names := matNames(a.Columns)
	for i, c := range a.Columns {
		values, _ := a.Signal(c.Name)
		m.vector(names[i], values)
	}
	m.units(names, a.Columns)
	if m.err == nil {
		m.err = out.Flush()
	}
	if m.err != nil {
		return fmt.Errorf("record: mat: %w", m.err)
	}
	return a.Err()
}

// matNames are the names of the columns as MATLAB takes them: without unit,
// letters, digits and underscores only, a letter first, at most 63 of them, each
// once.
func matNames(columns []Column) []string {
	names := make([]string, len(columns))
	taken := map[string]bool{"units": true}
	for i, c := range columns {
		name := validName(withoutUnit(c))
		if taken[name] {
			name = validName(c.Name)
		}
		base := name
		for n := 2; taken[name]; n++ {
			more := fmt.Sprintf("_%d", n)
			name = base[:min(len(base), longestName-len(more))] + more
		}
		names[i], taken[name] = name, true
	}
	return names
}

// bareUnits are the units that are taken off the names of columns: those of the frame.
var bareUnits = []string{"s", "m", "N", "m/s", "m/s²"}

// withoutUnit takes the unit off the name of a frame column, where each has one.
func withoutUnit(c Column) string {
	if !slices.Contains(bareUnits, c.Unit) {
		return c.Name
	}
	return rths.WithoutUnit(c.Name, c.Unit)
}

func validName(text string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '_'
	}, text)
	if name == "" || name[0] == '_' || name[0] >= '0' && name[0] <= '9' {
		name = "x" + name
	}
	return name[:min(len(name), longestName)]
}

// matWriter writes elements: a tag of type and length, and a body padded to
// whole blocks of 8 bytes. All is little-endian. The first failure is kept.
type matWriter struct {
	w   io.Writer
	err error
}

func (m *matWriter) write(b []byte) {
	if m.err == nil {
		_, m.err = m.w.Write(b)
	}
}

// heading is 116 bytes of text, 8 of subsystem data, version and byte order.
func (m *matWriter) heading(text string) {
	b := make([]byte, 128)
	for i := range 116 {
		b[i] = ' '
	}
	copy(b[:116], ascii(text))
	binary.LittleEndian.PutUint16(b[124:], 0x0100)
	copy(b[126:], "IM")
	m.write(b)
}

// ascii replaces what an old MATLAB may not show.
func ascii(text string) string {
	text = strings.NewReplacer("²", "^2", "³", "^3", "·", "*").Replace(text)
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, text)
}

// vector writes a column vector without holding a copy of it.
func (m *matWriter) vector(name string, values Signal) {
	size := 8 * values.Len()
	if size > math.MaxInt32-1<<10 {
		m.fail(fmt.Errorf("%d rows: a variable of level 5 holds at most 2 GB: want fewer, or Parquet", values.Len()))
		return
	}
	head := matHead(name, mxDOUBLE, values.Len(), 1)
	m.write(matTag(miMATRIX, len(head)+8+size))
	m.write(head)
	m.write(matTag(miDOUBLE, size))
	var b [8]byte
	for k := range values.Len() {
		binary.LittleEndian.PutUint64(b[:], math.Float64bits(values.At(k)))
		m.write(b[:])
	}
}

func (m *matWriter) fail(err error) {
	if m.err == nil {
		m.err = err
	}
}

// units writes the structure of units: its field names in equal slots, then a
// nameless text for each.
func (m *matWriter) units(names []string, columns []Column) {
	const slot = longestName + 1
	fields := make([]byte, slot*len(names))
	for i, n := range names {
		copy(fields[slot*i:], n)
	}
	body := matHead("units", mxSTRUCT, 1, 1)
	order := binary.LittleEndian
	body = order.AppendUint32(order.AppendUint32(body, 4<<16|miINT32), slot) // small format: the body is in the tag
	body = append(body, matElement(miINT8, fields)...)
	for _, c := range columns {
		text := ascii(c.Unit)
		one := append(matHead("", mxCHAR, min(1, len(text)), len(text)), matElement(miUINT16, wideText(text))...)
		body = append(body, matElement(miMATRIX, one)...)
	}
	m.write(matElement(miMATRIX, body))
}

func wideText(text string) []byte {
	var b []byte
	for _, r := range text {
		b = binary.LittleEndian.AppendUint16(b, uint16(r))
	}
	return b
}

// matHead is the head of an array: flags with its class, size, name.
func matHead(name string, class uint32, rows, columns int) []byte {
	order := binary.LittleEndian
	b := matElement(miUINT32, order.AppendUint32(order.AppendUint32(nil, class), 0))
	b = append(b, matElement(miINT32, order.AppendUint32(order.AppendUint32(nil, uint32(rows)), uint32(columns)))...)
	return append(b, matElement(miINT8, []byte(name))...)
}

func matElement(kind uint32, body []byte) []byte {
	b := append(matTag(kind, len(body)), body...)
	return append(b, make([]byte, (8-len(body)%8)%8)...)
}

func matTag(kind uint32, size int) []byte {
	order := binary.LittleEndian
	return order.AppendUint32(order.AppendUint32(nil, kind), uint32(size))
}
