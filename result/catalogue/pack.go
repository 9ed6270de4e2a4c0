package catalogue

import (
	"encoding/binary"
	"errors"
	"math"

	"rths"
)

// texts are the texts of an entry that a piece holds, in their order.
func (e *Entry) texts() [8]*string {
	return [...]*string{&e.Kind, &e.Name, &e.Status, &e.Reason, &e.Verdict, &e.Started, &e.Rig, &e.Compensator}
}

// pack writes texts, tags and numbers of an entry in one piece. ids are the ids of the names. The piece has length and
// bytes of each text; the number of tags, then length and bytes of each tag; the number of numbers, then the id of the
// name and the float64 of each, little-endian. Lengths and ids are varints of encoding/binary. A number that is not
// finite becomes NaN.
func pack(e *Entry, ids map[string]uint64) []byte {
	var out []byte
	for _, text := range e.texts() {
		out = append(binary.AppendUvarint(out, uint64(len(*text))), *text...)
	}
	out = binary.AppendUvarint(out, uint64(len(e.Tags)))
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
var errPacked = errors.New("found an entry that cannot be read")

// unpack reads texts, tags and numbers of an entry. wanted has the names of numbers at their ids, "" for one that is left out.
func (e *Entry) unpack(piece []byte, wanted []string) error {
	r := packed{rest: piece, text: string(piece)}
	for _, text := range e.texts() {
		*text = r.take(r.count(1))
	}
	for range r.count(1) {
		e.Tags = append(e.Tags, r.take(r.count(1)))
	}
	n := r.count(9)
	e.Numbers = make([]rths.Value, 0, min(n, len(wanted)))
	for range n {
		id := r.number()
		if len(r.rest) < 8 {
			return errPacked
		}
		value := binary.LittleEndian.Uint64(r.rest)
		r.rest = r.rest[8:]
		if id < uint64(len(wanted)) && wanted[id] != "" {
			e.Numbers = append(e.Numbers, rths.Value{Name: wanted[id], V: math.Float64frombits(value)})
		}
	}
	if r.bad || len(r.rest) > 0 {
		return errPacked
	}
	return nil
}

// packed is the rest of a piece; bad once it has ended too early. All texts are parts of one string.
type packed struct {
	rest []byte
	text string // the whole piece
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

// take is the text of the next n bytes, of which count has found that they are there.
func (r *packed) take(n int) string {
	at := len(r.text) - len(r.rest)
	r.rest = r.rest[n:]
	return r.text[at : at+n]
}
