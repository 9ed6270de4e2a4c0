package foreign

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
	miDOUBLE     = 9
	miMATRIX     = 14
	miCOMPRESSED = 15
)

const (
	MostInMemory    = 256 << 20 // bytes of a file that is read as a whole
	maxMATVariables = 10_000
	mxSPARSE        = 5
	mxOPAQUE        = 17 // class of MATLAB objects, which have no dimensions
)

// storageSize is the size in bytes of one number of the data types miINT8 (1)
// … miUINT64 (13); 0 for types without numbers.
var storageSize = [14]int{1: 1, 2: 1, 3: 2, 4: 2, 5: 4, 6: 4, 7: 4, 9: 8, 12: 8, 13: 8}

// classNames are the words for the array classes 1 … 17.
var classNames = [18]string{"?", "cell", "struct", "object", "char", "sparse", "double", "single",
	"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "function", "object"}

// Variable is the heading of one variable of a MAT-file.
type Variable struct {
	Name    string
	Class   uint8 // 1 to 17, as in the format: 5 sparse, 6 double, …
	Complex bool
	Dims    []int
	Unit    string // of an HDF5 dataset with an attribute of this name
	Offset  int    // of its element, bytes from the beginning of the file; of a field, of the structure's

	at   int    // of the element in MATFile.data
	data []byte // of a version 4 file: its numbers, of data type kind
	kind uint32

	array *array5 // of an HDF5 file: where its numbers are
	field field5
}

// Place is where a variable stands, for errors: "byte 128: variable x", or "dataset test/x" of HDF5.
func (v Variable) Place() string {
	if v.array != nil {
		return "dataset " + v.Name
	}
	return fmt.Sprintf("byte %d: variable %s", v.Offset, v.Name)
}

// Numeric tells whether the array is a matrix or vector of real numbers, not a sparse one.
func (v Variable) Numeric() bool {
	return v.Class >= 6 && v.Class <= 15 && !v.Complex && len(v.Dims) == 2
}

// Sparse tells whether the array is a sparse matrix of real numbers.
func (v Variable) Sparse() bool { return v.Class == mxSPARSE && !v.Complex && len(v.Dims) == 2 }

// String is the name with size and class: "Accel (2x2060 double)".
func (v Variable) String() string {
	size := make([]string, len(v.Dims))
	for i, d := range v.Dims {
		size[i] = fmt.Sprint(d)
	}
	words := strings.TrimSpace(strings.Join(size, "x") + " " + classNames[v.Class])
	if v.Complex {
		words += " complex"
	}
	return fmt.Sprintf("%s (%s)", v.Name, words)
}

// MATFile is a MATLAB MAT-file of version 7.3, 5 or 4 in memory, its variables' headings read.
type MATFile struct {
	data  []byte // the file, then the fields of compressed structures
	size  int    // of the file
	order binary.ByteOrder
	// Vars are in the order of the file; the fields of a structure follow it, as quake.time. What MATLAB keeps for
	// itself is left out.
	Vars []Variable
	Left []LeftOut // datasets of numbers of an HDF5 file
}

// OpenMAT reads a file of at most 256 MB (save -v4, -v6, -v7 or -v7.3) and the headings of its variables; or an HDF5
// file of another program, whose datasets it takes for such variables. Its errors say the byte.
func OpenMAT(r io.Reader) (*MATFile, error) {
	data, err := ReadAtMost(r, MostInMemory)
	if err != nil {
		return nil, err
	}
	return openMAT(bytes.NewReader(data), int64(len(data)))
}

// openMAT is OpenMAT of a file: one of HDF5 may be of any size, and its numbers stay there.
func openMAT(r io.ReaderAt, size int64) (*MATFile, error) {
	f := &MATFile{}
	var err error
	if at := hdf5At(r); at >= 0 {
		f.order = binary.LittleEndian
		f.Vars, f.Left, err = openHDF5(r, size, at)
		return f, err
	}
	if f.data, err = ReadAtMost(io.NewSectionReader(r, 0, size), MostInMemory); err != nil {
		return nil, err
	}
	f.size = len(f.data)
	if f.order = version4(f.data); f.order != nil {
		return f, f.scan4()
	}
	if f.order, err = byteOrder(f.data); err != nil {
		return nil, err
	}
	return f, f.scan()
}

// ReadAtMost reads to the end, which has to come within limit bytes.
func ReadAtMost(r io.Reader, limit int) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err == nil && len(data) > limit {
		err = fmt.Errorf("byte %d: the file goes on: want at most %d bytes", limit, limit)
	}
	return data, err
}

// byteOrder checks the 128 bytes of heading.
func byteOrder(data []byte) (binary.ByteOrder, error) {
	if len(data) < 128 {
		return nil, fmt.Errorf("found %d bytes, want an HDF5 file, or a MATLAB v5 MAT-file with a heading of 128 (save with -v7 or -v6)",
			len(data))
	}
	var order binary.ByteOrder
	switch string(data[126:128]) {
	case "IM":
		order = binary.LittleEndian
	case "MI":
		order = binary.BigEndian
	default:
		return nil, fmt.Errorf("byte 126: found %q, want IM or MI (a MATLAB v5 MAT-file: save with -v7 or -v6)",
			data[126:128])
	}
	if v := order.Uint16(data[124:]); v != 0x0100 {
		return nil, fmt.Errorf("byte 124: found version %#04x, want 0x0100 (save with -v7 or -v6)", v)
	}
	return order, nil
}

// scan walks over the elements of the file and reads the headings of the
// variables.
func (f *MATFile) scan() error {
	for at := 128; at < f.size; {
		e, err := f.element(at)
		if err != nil {
			return fmt.Errorf("byte %d: %w", at, err)
		}
		if e.kind == miMATRIX || e.kind == miCOMPRESSED {
			v, rest, err := f.heading(at)
			if err != nil {
				return fmt.Errorf("byte %d: %w", at, err)
			}
			if v.Name != "" { // MATLAB keeps its own data in nameless variables
				f.add(v, rest, 0)
			}
		}
		if len(f.Vars) > maxMATVariables {
			return fmt.Errorf("byte %d: want at most %d variables", at, maxMATVariables)
		}
		at = e.next
	}
	return nil
}

// element is an element of the file: its type, body and where the next is.
type element struct {
	kind uint32
	body []byte
	next int
}

// element looks at the tag at the given byte.
func (f *MATFile) element(at int) (element, error) {
	left := len(f.data) - at - 8
	if left < 0 {
		return element{}, fmt.Errorf("found %d bytes, want the 8 of a tag", left+8)
	}
	kind, n := f.order.Uint32(f.data[at:]), f.order.Uint32(f.data[at+4:])
	if kind>>16 != 0 { // small format: the body is inside the tag
		return element{kind: kind & 0xffff, next: at + 8}, nil
	}
	if int64(n) > int64(left) {
		return element{}, fmt.Errorf("an element of %d bytes, but %d are left: want a complete file", n, left)
	}
	end := at + 8 + int(n)
	e := element{kind: kind, body: f.data[at+8 : end], next: end}
	if kind != miCOMPRESSED {
		e.next += (8 - int(n)%8) % 8
	}
	return e, nil
}

// heading reads the heading of the variable at the given byte and leaves the
// reader before its numbers.
func (f *MATFile) heading(at int) (Variable, *stream, error) {
	v := Variable{Offset: at, at: at}
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
	v.Class, v.Complex = uint8(word), word&0x0800 != 0
	if v.Class == 0 || int(v.Class) >= len(classNames) {
		return v, nil, fmt.Errorf("array class %d, want 1 to 17", v.Class)
	}
	if v.Class != mxOPAQUE {
		if v.Dims, err = s.dimensions(); err != nil {
			return v, nil, err
		}
	}
	name, err := s.small("variable name", 1, 256)
	v.Name = string(name)
	return v, s, err
}

// open is a stream over the body of the miMATRIX element at the given byte,
// inflated if need be.
func (f *MATFile) open(at int) (*stream, error) {
	e, err := f.element(at)
	if err != nil {
		return nil, err
	}
	s := &stream{r: bytes.NewReader(e.body), order: f.order}
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

// Values reads the numbers of a numeric variable, at most so many, column by column.
func (f *MATFile) Values(v Variable, most int) ([]float64, error) {
	n := 1
	for _, d := range v.Dims {
		if n *= d; n > most {
			return nil, fmt.Errorf("found %s, want at most %d numbers", v, most)
		}
	}
	if v.array != nil {
		return v.array.values(v.field)
	}
	if v.data != nil {
		return decodeNumbers(v.data, v.kind, f.order), nil
	}
	_, s, err := f.heading(v.at)
	if err != nil {
		return nil, err
	}
	out, err := f.numbers(s, n, v)
	if err != nil {
		return nil, err
	}
	return out, s.end()
}

// Triplets are the entries of a sparse matrix that its file has, column by column; indices count from 0.
type Triplets struct {
	Row, Col []int
	V        []float64
}

// Triplets reads the entries of a sparse variable, at most so many. Their rows are within its size, and ascend
// in every column.
func (f *MATFile) Triplets(v Variable, most int) (*Triplets, error) {
	if v.data != nil {
		return nil, fmt.Errorf("a sparse matrix of a MATLAB version 4 file: want it saved with -v7")
	}
	_, s, err := f.heading(v.at)
	if err != nil {
		return nil, err
	}
	rows, err := s.indices("row indices", most)
	if err != nil {
		return nil, err
	}
	starts, err := s.indices("column starts", most)
	if err != nil {
		return nil, err
	}
	out, err := triplets(v, rows, starts)
	if err != nil {
		return nil, err
	}
	// There may be room for more numbers than there are entries.
	if out.V, err = f.numbers(s, -len(rows), v); err != nil {
		return nil, err
	}
	if len(out.V) < len(out.Row) {
		return nil, fmt.Errorf("found %d numbers, want %d for the entries of %s", len(out.V), len(out.Row), v)
	}
	out.V = out.V[:len(out.Row)]
	return out, s.end()
}

// triplets has rows and columns of the entries.
func triplets(v Variable, rows, starts []int) (*Triplets, error) {
	if len(starts) != v.Dims[1]+1 || starts[0] != 0 || starts[len(starts)-1] > len(rows) {
		return nil, fmt.Errorf("found %d column starts from %v to the end of %d entries: want the %d of %s, from 0",
			len(starts), starts[:min(1, len(starts))], len(rows), v.Dims[1]+1, v)
	}
	out := &Triplets{Row: rows[:starts[len(starts)-1]]}
	for j := range v.Dims[1] {
		if starts[j+1] < starts[j] || starts[j+1] > len(rows) {
			return nil, fmt.Errorf("column %d goes from entry %d to %d of %d: want ascending column starts", j+1, starts[j],
				starts[j+1], len(rows))
		}
		for p := starts[j]; p < starts[j+1]; p++ {
			if rows[p] >= v.Dims[0] || p > starts[j] && rows[p] <= rows[p-1] {
				return nil, fmt.Errorf("column %d has an entry in row %d: want ascending rows of 1 to %d", j+1, rows[p]+1,
					v.Dims[0])
			}
			out.Col = append(out.Col, j)
		}
	}
	return out, nil
}

// numbers reads n numbers; of −n, at most n.
func (f *MATFile) numbers(s *stream, n int, v Variable) ([]float64, error) {
	kind, body, err := s.body(8 * max(n, -n))
	if err != nil {
		return nil, err
	}
	if int(kind) >= len(storageSize) || storageSize[kind] == 0 {
		return nil, fmt.Errorf("numbers of data type %d, want a numeric type", kind)
	}
	if n >= 0 && len(body) != n*storageSize[kind] {
		return nil, fmt.Errorf("found %d bytes of numbers, want %d×%d for %s", len(body), n, storageSize[kind], v)
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

// ListVariables is for errors: the first variables with their sizes.
func ListVariables(vars []Variable) string {
	if len(vars) == 0 {
		return "no variables"
	}
	var s []string
	for _, v := range vars[:min(len(vars), 20)] {
		s = append(s, v.String())
	}
	if more := len(vars) - len(s); more > 0 {
		s = append(s, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(s, ", ")
}
