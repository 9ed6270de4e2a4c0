package catalogue

import (
	"encoding/binary"
	"errors"
	"math"

	"rths"
)

// pack writes tags and numbers of an entry in one piece. ids are the ids of the names. The piece is the number of tags,
// then length and bytes of each tag; the number of numbers, then the id of the name and the float64 of each,
// little-endian. Lengths and ids are varints of encoding/binary. A number that is not finite becomes NaN.
func pack(e *Entry, ids map[string]uint64) []byte {
	out := binary.AppendUvarint(nil, uint64(len(e.Tags)))
	for _, tag := range e.Tags {
		out = append(binary.AppendUvarint(out, uint64(len(tag))), tag...)
	}
	out = binary.AppendUvarint(out, uint64(len(e.Numbers)))
	for _, v := range e.Numbers {
		if !rths.Finite(v.V) {
			v.V = math.NaN()
		}
		out = binary.AppendUvarint(out, ids[v.Name])
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v.V))
	}
	return out
}

// errPacked is the error of a piece that pack has not written.
var errPacked = errors.New("found tags and numbers that cannot be read")

// unpack reads tags and numbers of an entry. wanted are the names of numbers, by id; others are left out.
func (e *Entry) unpack(piece []byte, wanted map[uint64]string) error {
	r := packed{rest: piece}
	for range r.count(1) {
		e.Tags = append(e.Tags, string(r.take(r.count(1))))
	}
	n := r.count(9)
	e.Numbers = make([]rths.Value, 0, min(n, len(wanted)))
	for range n {
		name, is := wanted[r.number()]
		value := r.take(8)
		if r.bad {
			return errPacked
		}
		if !is {
			continue
		}
		e.Numbers = append(e.Numbers, rths.Value{Name: name, V: math.Float64frombits(binary.LittleEndian.Uint64(value))})
	}
	if r.bad || len(r.rest) > 0 {
		return errPacked
	}
	return nil
}

// packed is the rest of a piece; bad once it has ended too early.
type packed struct {
	rest []byte
	bad  bool
}

func (r *packed) number() uint64 {
	x, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.bad, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[n:]
	return x
}

// count is a number of things of at least so many bytes each; 0 where the rest cannot hold them.
func (r *packed) count(each int) int {
	n := r.number()
	if n > uint64(len(r.rest)/each) {
		r.bad, r.rest = true, nil
		return 0
	}
	return int(n)
}

func (r *packed) take(n int) []byte {
	if n > len(r.rest) {
		r.bad, r.rest = true, nil
		return nil
	}
	out := r.rest[:n]
	r.rest = r.rest[n:]
	return out
}
