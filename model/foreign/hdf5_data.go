package foreign

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// field5 is numbers in each element of a dataset: the element itself, or a member of a compound.
type field5 struct {
	name   string // after a dot; "" is the element
	at     int    // bytes in the element
	count  int    // numbers that follow each other
	number func(b []byte) float64
	size   int
}

// storage5 is how a dataset stands in the file (IV.A.2.i, IV.A.2.l).
type storage5 struct {
	class      uint64 // 0 compact, 1 contiguous, 2 chunked
	raw        []byte // of a compact one
	addr       uint64
	chunk      []int  // elements along each dimension
	index      uint64 // of chunks; 0: B-tree of version 1
	single     uint64 // bytes of the one chunk; 0: it is not filtered
	mask       uint64 // filters that the one chunk lacks
	plainEdges bool   // chunks across the edge are not filtered
	filters    []filter5
}

type filter5 struct {
	id     uint64
	values []uint64
}

// dataset adds the arrays of numbers of a dataset. Others, such as texts, are left out.
func (f *hdf5) dataset(path string, messages []message5) error {
	var dims, most []int
	var fields []field5
	var s storage5
	var unit, class string // of MATLAB
	var size int
	var err error
	for _, m := range messages {
		c := &cursor5{f: f, b: m.data}
		switch {
		case m.kind == msgType && m.shared:
			f.leave(path, `its type is a named one of the file: want a copy, as by f["y"] = f["x"][:] (h5py)`)
			return nil
		case m.kind == msgType:
			if fields, size = f.fields(c); f.matlab && len(m.data) > 0 && m.data[0]&15 == 7 { // references
				class = cmp.Or(class, references)
			}
		case m.kind == msgSpace:
			dims, most = f.dims(c)
		case m.kind == msgLayout:
			err = cmp.Or(err, f.layout(c, &s))
		case m.kind == msgFilters:
			s.filters = f.pipeline(c)
		case m.kind == msgAttribute:
			switch title, text := f.attribute(c); {
			case unit == "" && (strings.EqualFold(title, "unit") || strings.EqualFold(title, "units")):
				unit = text
			case title == "MATLAB_class":
				class = text
			case title == "MATLAB_empty":
				return nil // in place of numbers it has their dimensions
			}
		}
		err = cmp.Or(err, c.err)
	}
	if why := noNumbers(class); why != "" {
		f.leave(path, why)
		return nil
	}
	if class == "char" || len(fields) == 0 || size == 0 || size < 0 {
		return nil // no numbers
	}
	if len(dims) > 2 {
		f.leave(path, fmt.Sprintf("numbers of %d dimensions: want one or two, as by squeeze", len(dims)))
		return nil
	}
	if len(dims) == 0 {
		dims, most = []int{1}, []int{1}
	}
	flat := len(dims) == 1
	if flat {
		dims, most = append(dims, 1), append(most, 1)
	}
	if dims[0] == 0 || dims[1] == 0 {
		return nil
	}
	for i := range most { // a damaged file may say less
		most[i] = max(most[i], dims[i])
	}
	a := &array5{f: f, path: path, storage: s, dims: [2]int(dims), most: [2]int(most), size: size}
	if a.along = 1; flat || dims[0] > dims[1] {
		a.along = 0
	}
	if err == nil {
		err = a.find(flat)
	}
	if err != nil {
		if errors.As(err, new(cannot)) {
			f.leave(path, err.Error())
			return nil
		}
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, field := range fields {
		if err := f.add(a, flat, unit, field); err != nil {
			return err
		}
	}
	return nil
}

// leave leaves a dataset out.
func (f *hdf5) leave(path, why string) { f.left = append(f.left, LeftOut{path, why}) }

// cannot is the error of a dataset that is sound, and not of the subset.
type cannot struct{ text string }

func (c cannot) Error() string { return c.text }

// add adds an array of numbers.
func (f *hdf5) add(a *array5, flat bool, unit string, field field5) error {
	n := a.dims[0] * a.dims[1]
	if f.numbers += n * field.count; f.numbers > mostNumbers || len(f.vars) > maxMATVariables {
		return fmt.Errorf("%s: more than %d numbers or %d arrays: want a file with fewer", a.path, mostNumbers,
			maxMATVariables)
	}
	v := Variable{Name: a.path, Class: 6, Dims: []int{a.dims[1], a.dims[0]}, Unit: unit, array: a, field: field}
	if field.name != "" {
		v.Name += "." + field.name
	}
	switch {
	case flat && field.count > 1:
		v.Dims = []int{field.count, a.dims[0]}
	case flat:
		v.Dims = []int{a.dims[0], 1}
	case field.count > 1:
		return nil // of three dimensions
	}
	f.vars = append(f.vars, v)
	return nil
}

// endless is a dimension that may grow without end.
const endless = 1 << 40

// dims are the dimensions of a dataspace (IV.A.2.b), and those that they may grow to; none is one number.
func (f *hdf5) dims(c *cursor5) (dims, most []int) {
	version, rank, flags := c.u(1), int(c.u(1)), c.u(1)
	if version == 1 {
		c.skip(5)
	} else if c.u(1) == 2 {
		return []int{0}, []int{0}
	}
	read := func() (out []int) {
		for range min(rank, 32) {
			n := c.length()
			if f.lengths < 8 && n == 1<<(8*f.lengths)-1 {
				n = endless
			}
			out = append(out, int(min(n, endless)))
		}
		return out
	}
	dims = read()
	if flags&1 == 0 {
		return dims, slices.Clone(dims)
	}
	return dims, read()
}

// fields reads a datatype (IV.A.2.d): its numbers, none where it has none, and the bytes of an element.
func (f *hdf5) fields(c *cursor5) (fields []field5, size int) {
	head, bits := c.u(1), c.u(3)
	size = int(c.u(4))
	version, one := head>>4, field5{count: 1, size: size}
	switch head & 15 {
	case 0: // whole numbers
		c.skip(4)
		one.number = whole5(size, bits&1 != 0, bits&8 != 0)
	case 1: // floating point
		layout := c.take(8)
		c.skip(4)
		one.number = float5(size, bits&0x41, layout)
	case 2:
		c.skip(2)
	case 4:
		c.skip(4)
	case 5:
		c.skip(int(bits & 255))
	case 6:
		return f.members(c, version, int(bits&0xFFFF), size), size
	case 8: // names of whole numbers
		_, base := f.fields(c)
		for range bits & 0xFFFF {
			f.padded(c, version)
		}
		c.skip(int(bits&0xFFFF) * base)
	case 9:
		f.fields(c)
	case 10: // arrays
		rank := int(c.u(1))
		if version < 3 {
			c.skip(3)
		}
		count := 1
		for range rank {
			if d := int(c.u(4)); d > 0 && count <= maxSignals {
				count *= d
			}
		}
		if version < 3 {
			c.skip(4 * rank)
		}
		of, each := f.fields(c)
		if len(of) == 1 && of[0].name == "" && of[0].count == 1 && count <= maxSignals && count*each <= size {
			one.count, one.number, one.size = count, of[0].number, each
		}
	}
	if one.number == nil || c.err != nil {
		return nil, size
	}
	return []field5{one}, size
}

// padded is a name in a datatype: to version 2 its bytes are a multiple of 8.
func (f *hdf5) padded(c *cursor5, version uint64) string {
	before := len(c.b)
	name := c.text()
	if version < 3 {
		c.skip((8 - (before-len(c.b))%8) % 8)
	}
	return name
}

// members reads the members of a compound.
func (f *hdf5) members(c *cursor5, version uint64, n, size int) (fields []field5) {
	for range n {
		name := f.padded(c, version)
		var at int
		switch {
		case version < 3:
			at = int(c.u(4))
		default:
			bytes := 1
			for bytes < 4 && size >= 1<<(8*bytes) {
				bytes++
			}
			at = int(c.u(bytes))
		}
		dimensions := 0
		if version == 1 {
			dimensions = int(c.u(1))
			c.skip(3 + 4 + 4 + 16)
		}
		of, each := f.fields(c)
		if c.err != nil {
			return fields
		}
		for _, m := range of {
			if dimensions > 0 || at+each > size {
				continue
			}
			if m.at += at; m.name != "" {
				name += "." + m.name
			}
			m.name = name
			fields = append(fields, m)
		}
	}
	return fields
}

// whole5 reads a whole number of 1, 2, 4 or 8 bytes; nil: it has others.
func whole5(size int, big, signed bool) func(b []byte) float64 {
	if size != 1 && size != 2 && size != 4 && size != 8 {
		return nil
	}
	return func(b []byte) float64 {
		v := uint64(0)
		for i := range size {
			if big {
				v = v<<8 | uint64(b[i])
			} else {
				v |= uint64(b[i]) << (8 * i)
			}
		}
		if signed {
			shift := 64 - 8*size
			return float64(int64(v<<shift) >> shift)
		}
		return float64(v)
	}
}

// float5 reads a number of IEEE 754 of 4 or 8 bytes; nil: it is another one.
func float5(size int, order uint64, layout []byte) func(b []byte) float64 {
	var e binary.ByteOrder = binary.LittleEndian
	if order == 1 {
		e = binary.BigEndian
	}
	// bit offset, precision, place and size of the exponent, of the mantissa
	switch {
	case order > 1 || len(layout) < 8:
	case size == 4 && bytes.Equal(layout, []byte{0, 0, 32, 0, 23, 8, 0, 23}):
		return func(b []byte) float64 { return float64(math.Float32frombits(e.Uint32(b))) }
	case size == 8 && bytes.Equal(layout, []byte{0, 0, 64, 0, 52, 11, 0, 52}):
		return func(b []byte) float64 { return math.Float64frombits(e.Uint64(b)) }
	}
	return nil
}

// layout reads where the elements are.
func (f *hdf5) layout(c *cursor5, s *storage5) error {
	version := c.u(1)
	if version != 3 && version != 4 {
		return cannot{fmt.Sprintf("a layout of version %d: want a file of HDF5 1.6 or later: h5repack makes one", version)}
	}
	switch s.class = c.u(1); {
	case s.class == 0:
		s.raw = c.take(int(c.u(2)))
	case s.class == 1:
		s.addr = c.addr()
	case s.class == 2 && version == 3:
		rank := int(c.u(1))
		s.addr = c.addr()
		for range rank - 1 {
			s.chunk = append(s.chunk, int(c.u(4)))
		}
	case s.class == 2:
		flags, rank, bytes := c.u(1), int(c.u(1)), int(c.u(1))
		for range rank - 1 {
			s.chunk = append(s.chunk, int(c.u(bytes)))
		}
		c.skip(bytes)
		s.plainEdges = flags&1 != 0
		switch s.index = c.u(1); {
		case s.index == indexSingle && flags&2 != 0:
			s.single, s.mask = c.length(), c.u(4)
		case s.index < indexSingle || s.index > indexTree2:
			return fmt.Errorf("chunks with an index of kind %d: want 1 to 5", s.index)
		default: // how the index is made stands there again
			c.skip([...]int{indexFixed: 1, indexExtensible: 5, indexTree2: 6}[s.index])
		}
		s.addr = c.addr()
	default:
		return cannot{"a virtual dataset: want one with its numbers, as by h5repack -l CONTI OLD NEW"}
	}
	return nil
}

// pipeline reads the filters of chunks.
func (f *hdf5) pipeline(c *cursor5) (out []filter5) {
	version, n := c.u(1), int(c.u(1))
	if version == 1 {
		c.skip(6)
	}
	for range min(n, 32) {
		var p filter5
		p.id = c.u(2)
		name := 0
		if version == 1 || p.id >= 256 {
			name = int(c.u(2))
		}
		c.skip(2)
		values := int(c.u(2))
		if version == 1 {
			name = (name + 7) / 8 * 8
		}
		c.skip(name)
		for range values {
			if c.err != nil {
				return out
			}
			p.values = append(p.values, c.u(4))
		}
		if version == 1 && values%2 == 1 {
			c.skip(4)
		}
		out = append(out, p)
	}
	return out
}

// unfiltered undoes the filters of a chunk, the last one first (IV.A.2.l). Bits of mask are filters that it lacks.
func unfiltered(raw []byte, filters []filter5, mask uint64, size, want int) ([]byte, error) {
	for i := len(filters) - 1; i >= 0; i-- {
		if mask>>i&1 != 0 {
			continue
		}
		switch filters[i].id {
		case 1: // deflate
			z, err := zlib.NewReader(bytes.NewReader(raw))
			if err != nil {
				return nil, fmt.Errorf("deflate: %w", err)
			}
			if raw, err = io.ReadAll(io.LimitReader(z, int64(want)+5)); err != nil {
				return nil, fmt.Errorf("deflate: %w", err)
			}
		case 2: // shuffle: all first bytes of elements, then all second ones
			n := len(raw) / size
			out := make([]byte, len(raw))
			for b := range size {
				for k := range n {
					out[k*size+b] = raw[b*n+k]
				}
			}
			copy(out[n*size:], raw[n*size:])
			raw = out
		case 3: // Fletcher's checksum, after the numbers
			raw = raw[:max(0, len(raw)-4)]
		default:
			return nil, unknown5(filters[i].id)
		}
	}
	if len(raw) != want {
		return nil, fmt.Errorf("%d bytes: want %d", len(raw), want)
	}
	return raw, nil
}

// unknown5 is the error of a filter that is not undone here.
func unknown5(id uint64) error {
	name := map[uint64]string{4: " (szip)", 5: " (nbit)", 6: " (scale-offset)", 32000: " (LZF)", 32001: " (Blosc)",
		32004: " (LZ4)", 32015: " (Zstandard)"}[id]
	way := "repack the file by h5repack -f GZIP=4 OLD NEW"
	if id >= 256 { // h5repack leaves out what it has no plugin for
		way = `want gzip, as by f.create_dataset("y", data=f["x"][:], compression="gzip") (h5py)`
	}
	return cannot{fmt.Sprintf("it is packed by the filter %d%s: %s", id, name, way)}
}

// fromTable is how the numbers of a table of MATLAB come out of it.
const fromTable = "want the numbers of a table or timetable T, saved in MATLAB by s = table2struct(timetable2table(T), " +
	"'ToScalar', true); save('numbers.mat', '-struct', 's')"

// references is in place of a class where a dataset refers to others.
const references = "references"

// noNumbers says why a variable of a class of MATLAB has no numbers in its place; "": it has.
func noNumbers(class string) string {
	switch class {
	case "", "char", "double", "single", "logical", "struct", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64",
		"uint64":
		return ""
	case "cell":
		return "a cell array of MATLAB 7.3: want it saved by save -v7, or as one array by cell2mat"
	case references:
		return "a field of several structures of MATLAB 7.3: want them saved by save -v7"
	}
	return fmt.Sprintf("of the class %s of MATLAB: %s", class, fromTable)
}

// attribute is the title of an attribute and its text (IV.A.2.m), "" of others.
func (f *hdf5) attribute(c *cursor5) (title, text string) {
	version := c.u(1)
	c.skip(1)
	name, kind, space := int(c.u(2)), int(c.u(2)), int(c.u(2))
	if version == 3 {
		c.skip(1)
	}
	pad := func(n int) int {
		if version == 1 {
			return (n + 7) / 8 * 8
		}
		return n
	}
	title, _, _ = strings.Cut(string(c.take(pad(name))), "\x00")
	of := c.take(pad(kind))
	c.skip(pad(space))
	rest := c.b
	if c.err != nil || len(of) < 8 {
		c.err = nil // an attribute that is not understood does not matter
		return title, ""
	}
	size := int(binary.LittleEndian.Uint32(of[4:]))
	switch of[0] & 15 {
	case 3:
		text, _, _ = strings.Cut(string(rest[:min(size, len(rest))]), "\x00")
	case 9:
		text = f.heaped(&cursor5{f: f, b: rest})
	}
	return title, strings.TrimSpace(text)
}

// heaped is a text in the global heap (III.E).
func (f *hdf5) heaped(c *cursor5) string {
	n, addr, index := c.u(4), c.addr(), c.u(4)
	head, err := f.at(addr, 8+f.lengths)
	if c.err != nil || err != nil || string(head[:4]) != "GCOL" {
		return ""
	}
	size := (&cursor5{f: f, b: head[8:]}).length()
	body, err := f.at(addr, int(min(size, 1<<30)))
	if err != nil || len(body) < len(head) {
		return ""
	}
	for at := (&cursor5{f: f, b: body[len(head):]}); len(at.b) >= 8+f.lengths; {
		id := at.u(2)
		at.skip(6)
		size := at.length()
		text := at.take(int(min(size, 1<<30)))
		if at.err != nil || id == 0 {
			return ""
		}
		if id == index {
			return strings.TrimSpace(string(text[:min(n, uint64(len(text)))]))
		}
		at.skip(int(8-size%8) % 8)
	}
	return ""
}
