package foreign

import (
	"bytes"
	"io"
	"strings"
)

const (
	mxSTRUCT       = 2
	deepestField   = 8
	maxFields      = 1000
	longestOfField = 64 // bytes of a field's name, its end among them
)

// add adds a variable, and the fields of a structure under their names: quake, quake.time, quake.signals.values. rest
// is what follows the name of the variable. Arrays of structures, and fields after one that is not understood, are
// left out.
func (f *MATFile) add(v Variable, rest *stream, depth int) {
	f.Vars = append(f.Vars, v)
	if v.Class != mxSTRUCT || len(v.Dims) != 2 || v.Dims[0] != 1 || v.Dims[1] != 1 || depth == deepestField {
		return
	}
	names := rest.fieldNames()
	at, err := f.fields(v, rest)
	if err != nil {
		return
	}
	for _, name := range names {
		e, err := f.element(at)
		if err != nil || e.kind != miMATRIX || len(f.Vars) > maxMATVariables {
			return
		}
		if len(e.body) > 0 { // else an empty array
			field, rest, err := f.heading(at)
			if err != nil {
				return
			}
			field.Name, field.Offset = v.Name+"."+name, v.Offset
			f.add(field, rest, depth+1)
		}
		at = e.next
	}
}

// fields is where the fields of a structure begin. Fields of a compressed one are appended to the file: of
// all structures at most as many bytes as a file may have.
func (f *MATFile) fields(v Variable, rest *stream) (at int, err error) {
	if plain, ok := rest.r.(*bytes.Reader); ok {
		e, err := f.element(v.at)
		return v.at + 8 + len(e.body) - plain.Len(), err
	}
	room := maxMATFile - (len(f.data) - f.size)
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
