package foreign

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

const (
	mxCELL         = 1
	mxSTRUCT       = 2
	deepestField   = 8
	maxFields      = 1000
	longestOfField = 64 // bytes of a field's name, its end among them
)

// add adds a variable, and what a structure or a cell array holds, under names as MATLAB writes them: quake.time,
// quake.signals.values, runs(2).x, c{3}. rest is what follows the name of the variable. What stands after an entry that
// is not understood is left out.
func (f *MATFile) add(v Variable, rest *stream, depth int) {
	f.Vars = append(f.Vars, v)
	if v.Class != mxSTRUCT && v.Class != mxCELL || len(v.Dims) != 2 || depth == deepestField {
		return
	}
	count := v.Dims[0] * v.Dims[1]
	names := []string{""}
	if v.Class == mxSTRUCT {
		names = rest.fieldNames()
	}
	if count < 1 || count > maxFields {
		return
	}
	at, err := f.fields(v, rest)
	if err != nil {
		return
	}
	for k := range count {
		for _, name := range names {
			e, err := f.element(at)
			if err != nil || e.kind != miMATRIX || len(f.Vars) > maxMATVariables {
				return
			}
			if len(e.body) > 0 { // else an empty array
				entry, rest, err := f.heading(at)
				if err != nil {
					return
				}
				entry.Name, entry.Offset = v.Name+entryName(v, k, count, name), v.Offset
				f.add(entry, rest, depth+1)
			}
			at = e.next
		}
	}
}

// entryName is what follows the name of a structure or cell array: .time, (2).time, {3}.
func entryName(v Variable, k, count int, field string) string {
	switch {
	case v.Class == mxCELL:
		return fmt.Sprintf("{%d}", k+1)
	case count > 1:
		return fmt.Sprintf("(%d).%s", k+1, field)
	}
	return "." + field
}

// fields is where the fields of a structure begin. Fields of a compressed one are appended to the file: of
// all structures at most as many bytes as a file may have.
func (f *MATFile) fields(v Variable, rest *stream) (at int, err error) {
	if plain, ok := rest.r.(*bytes.Reader); ok {
		e, err := f.element(v.at)
		return v.at + 8 + len(e.body) - plain.Len(), err
	}
	room := MostInMemory - (len(f.data) - f.size)
	body, err := io.ReadAll(io.LimitReader(rest.r, int64(room)))
	if len(body) == room {
		err = io.ErrUnexpectedEOF
	}
	if err == nil {
		at, f.data = len(f.data), append(f.data, body...)
	}
	return at, err
}

// fieldNames reads the names of a structure's fields, each in as many bytes; none if they are not sound.
func (s *stream) fieldNames() (names []string) {
	length, err := s.small("length of field names", 5, 4)
	if err != nil || len(length) != 4 {
		return nil
	}
	n := int(s.order.Uint32(length))
	if n < 1 || n > longestOfField {
		return nil
	}
	text, err := s.small("field names", 1, maxFields*n)
	if err != nil {
		return nil
	}
	for ; len(text) >= n; text = text[n:] {
		name, _, _ := strings.Cut(string(text[:n]), "\x00")
		names = append(names, name)
	}
	return names
}
