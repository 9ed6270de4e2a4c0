package ground

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
)

// The numeric part of the MATLAB level 5 MAT-file format (The MathWorks,
// "MAT-File Format", chapter 1): a heading of 128 bytes, then data elements of
// a tag (type and length) and a body padded to 8 bytes. A variable is an
// element of type miMATRIX, or of type miCOMPRESSED that inflates to one.
//
// Nothing is allocated because a length in the file says so: bodies are read
// until they end or the length is reached, and only the chosen variable is
// inflated beyond its heading.

// Data types of elements.
const (
	miMATRIX     = 14
	miCOMPRESSED = 15
)

const (
	maxMATFile      = 256 << 20 // bytes
	maxMATVariables = 10_000
	mxOPAQUE        = 17 // class of MATLAB objects, which have no dimensions
)

// storageSize is the size in bytes of one number of the data types miINT8 (1)
// … miUINT64 (13); 0 for types without numbers.
var storageSize = [14]int{1: 1, 2: 1, 3: 2, 4: 2, 5: 4, 6: 4, 7: 4, 9: 8, 12: 8, 13: 8}

// classNames are the words for the array classes 1 … 17.
var classNames = [18]string{"?", "cell", "struct", "object", "char", "sparse", "double", "single",
	"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "function", "object"}

// matVariable is the heading of one variable.
type matVariable struct {
	name    string
	class   uint8
	complex bool
	dims    []int
	offset  int // of its element, bytes from the beginning of the file
}

// isPairs tells whether the array can hold times and accelerations.
func (v matVariable) isPairs() bool {
	return v.class >= 6 && v.class <= 15 && !v.complex && len(v.dims) == 2 &&
		(v.dims[0] == 2 || v.dims[1] == 2) && min(v.dims[0], v.dims[1]) >= 2
}

// String is the name with size and class: "Accel (2x2060 double)".
func (v matVariable) String() string {
	size := make([]string, len(v.dims))
	for i, d := range v.dims {
		size[i] = fmt.Sprint(d)
	}
	words := strings.TrimSpace(strings.Join(size, "x") + " " + classNames[v.class])
	if v.complex {
		words += " complex"
	}
	return fmt.Sprintf("%s (%s)", v.name, words)
}

// matFile is a MAT-file in memory, its variables' headings read.
type matFile struct {
	data  []byte
	order binary.ByteOrder
	vars  []matVariable
}

// openMAT reads the file and the headings of its variables.
func openMAT(r io.Reader) (*matFile, error) {
	data, err := readAtMost(r, maxMATFile)
	if err != nil {
		return nil, err
	}
	f := &matFile{data: data}
	if f.order, err = matByteOrder(data); err != nil {
		return nil, err
	}
	return f, f.scan()
}

// readAtMost reads to the end, which has to come within limit bytes.
func readAtMost(r io.Reader, limit int) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err == nil && len(data) > limit {
		err = fmt.Errorf("byte %d: the file goes on: want at most %d bytes", limit, limit)
	}
	return data, err
}

// matByteOrder checks the 128 bytes of heading.
func matByteOrder(data []byte) (binary.ByteOrder, error) {
	if bytes.HasPrefix(data, []byte("MATLAB 7.3")) || bytes.HasPrefix(data, []byte("\x89HDF")) {
		return nil, fmt.Errorf("byte 0: found a MATLAB 7.3 file (HDF5), want version 5: save it with -v7")
	}
	if len(data) < 128 {
		return nil, fmt.Errorf("found %d bytes, want a MATLAB v5 MAT-file with a heading of 128 (save with -v7 or -v6)", len(data))
	}
	var order binary.ByteOrder
	switch string(data[126:128]) {
	case "IM":
		order = binary.LittleEndian
	case "MI":
		order = binary.BigEndian
	default:
		return nil, fmt.Errorf("byte 126: found %q, want IM or MI (a MATLAB v5 MAT-file: save with -v7 or -v6)", data[126:128])
	}
	if v := order.Uint16(data[124:]); v != 0x0100 {
		return nil, fmt.Errorf("byte 124: found version %#04x, want 0x0100 (save with -v7 or -v6)", v)
	}
	return order, nil
}

// scan walks over the elements of the file and reads the headings of the
// variables.
func (f *matFile) scan() error {
	for at := 128; at < len(f.data); {
		e, err := f.element(at)
		if err != nil {
			return fmt.Errorf("byte %d: %w", at, err)
		}
		if e.kind == miMATRIX || e.kind == miCOMPRESSED {
			v, _, err := f.heading(at)
			if err != nil {
				return fmt.Errorf("byte %d: %w", at, err)
			}
			if v.name != "" { // MATLAB keeps its own data in nameless variables
				f.vars = append(f.vars, v)
			}
		}
		if len(f.vars) > maxMATVariables {
			return fmt.Errorf("byte %d: want at most %d variables", at, maxMATVariables)
		}
		at = e.next
	}
	return nil
}

// matElement is an element of the file: its type, body and where the next is.
type matElement struct {
	kind uint32
	body []byte
	next int
}

// element looks at the tag at the given byte.
func (f *matFile) element(at int) (matElement, error) {
	left := len(f.data) - at - 8
	if left < 0 {
		return matElement{}, fmt.Errorf("found %d bytes, want the 8 of a tag", left+8)
	}
	kind, n := f.order.Uint32(f.data[at:]), f.order.Uint32(f.data[at+4:])
	if kind>>16 != 0 { // small format: the body is inside the tag
		return matElement{kind: kind & 0xffff, next: at + 8}, nil
	}
	if int64(n) > int64(left) {
		return matElement{}, fmt.Errorf("an element of %d bytes, but %d are left: want a complete file", n, left)
	}
	end := at + 8 + int(n)
	e := matElement{kind: kind, body: f.data[at+8 : end], next: end}
	if kind != miCOMPRESSED {
		e.next += (8 - int(n)%8) % 8
	}
	return e, nil
}

// heading reads the heading of the variable at the given byte and leaves the
// reader before its numbers.
func (f *matFile) heading(at int) (matVariable, *matStream, error) {
	v := matVariable{offset: at}
	s, err := f.open(at)
	if err != nil {
		return v, nil, err
	}
	flags, err := s.small("array flags", 6, 8)
	if err != nil {
		return v, nil, err
	}
	if len(flags) < 4 {
		return v, nil, fmt.Errorf("array flags of %d bytes, want 8", len(flags))
	}
	word := f.order.Uint32(flags)
	v.class, v.complex = uint8(word), word&0x0800 != 0
	if v.class == 0 || int(v.class) >= len(classNames) {
		return v, nil, fmt.Errorf("array class %d, want 1 to 17", v.class)
	}
	if v.class != mxOPAQUE {
		if v.dims, err = s.dimensions(); err != nil {
			return v, nil, err
		}
	}
	name, err := s.small("variable name", 1, 256)
	v.name = string(name)
	return v, s, err
}

// open is a stream over the body of the miMATRIX element at the given byte,
// inflated if need be.
func (f *matFile) open(at int) (*matStream, error) {
	e, err := f.element(at)
	if err != nil {
		return nil, err
	}
	s := &matStream{r: bytes.NewReader(e.body), order: f.order}
	if e.kind == miMATRIX {
		return s, nil
	}
	if s.r, err = zlib.NewReader(s.r); err != nil {
		return nil, fmt.Errorf("compressed element: %w", err)
	}
	kind, _, _, err := s.tag()
	if err == nil && kind != miMATRIX {
		err = fmt.Errorf("compressed element of type %d, want %d (miMATRIX)", kind, miMATRIX)
	}
	return s, err
}

// values reads the numbers of a variable, column by column.
func (f *matFile) values(v matVariable) ([]float64, error) {
	n := 1
	for _, d := range v.dims {
		if n *= d; n > 2*maxSamples {
			return nil, fmt.Errorf("found %s, want at most %d samples", v, maxSamples)
		}
	}
	_, s, err := f.heading(v.offset)
	if err != nil {
		return nil, err
	}
	kind, body, err := s.body(8 * n)
	if err != nil {
		return nil, err
	}
	if int(kind) >= len(storageSize) || storageSize[kind] == 0 {
		return nil, fmt.Errorf("numbers of data type %d, want a numeric type", kind)
	}
	if len(body) != n*storageSize[kind] {
		return nil, fmt.Errorf("found %d bytes of numbers, want %d×%d for %s", len(body), n, storageSize[kind], v)
	}
	// A compressed element ends with its checksum, tested when it is reached.
	if _, err := io.CopyN(io.Discard, s.r, 1<<10); err != nil && err != io.EOF {
		return nil, err
	}
	return decodeNumbers(body, kind, f.order), nil
}

// decodeNumbers converts the stored type to float64.
func decodeNumbers(b []byte, kind uint32, order binary.ByteOrder) []float64 {
	size := storageSize[kind]
	out := make([]float64, len(b)/size)
	for i := range out {
		p := b[i*size:]
		switch kind {
		case 1:
			out[i] = float64(int8(p[0]))
		case 2:
			out[i] = float64(p[0])
		case 3:
			out[i] = float64(int16(order.Uint16(p)))
		case 4:
			out[i] = float64(order.Uint16(p))
		case 5:
			out[i] = float64(int32(order.Uint32(p)))
		case 6:
			out[i] = float64(order.Uint32(p))
		case 7:
			out[i] = float64(math.Float32frombits(order.Uint32(p)))
		case 9:
			out[i] = math.Float64frombits(order.Uint64(p))
		case 12:
			out[i] = float64(int64(order.Uint64(p)))
		case 13:
			out[i] = float64(order.Uint64(p))
		}
	}
	return out
}
