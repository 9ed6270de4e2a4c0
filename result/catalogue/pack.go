package catalogue

import (
	"encoding/binary"
	"errors"
	"math"

	"rths"
)

// textsPacked is the number of texts in a piece.
const textsPacked = 9

// texts are the texts of an entry that a piece holds, in their order.
func (e *Entry) texts() [textsPacked]*string {
	return [...]*string{&e.Kind, &e.Name, &e.Status, &e.Reason, &e.Verdict, &e.Started, &e.Rig, &e.Compensator, &e.Note}
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

// unpack reads texts, tags and numbers of an entry. wanted has the names of numbers at their ids, "" for one that is
// left out.
func (e *Entry) unpack(piece []byte, wanted []string) error {
	r := packed{piece: piece}
	r.text = string(piece[:r.endOfTexts()])
	r.at = 0
	for _, text := range e.texts() {
		*text = r.take(r.count(1))
	}
	if n := r.count(1); n > 0 {
		e.Tags = make([]string, n)
	}
	for i := range e.Tags {
		e.Tags[i] = r.take(r.count(1))
	}
	n := r.count(9)
	e.Numbers = make([]rths.Value, 0, min(n, len(wanted)))
	for range n {
		id := r.number()
		if len(r.piece)-r.at < 8 {
			return errPacked
		}
		value := binary.LittleEndian.Uint64(r.piece[r.at:])
		r.at += 8
		if id < uint64(len(wanted)) && wanted[id] != "" {
			e.Numbers = append(e.Numbers, rths.Value{Name: wanted[id], V: math.Float64frombits(value)})
		}
	}
	if r.bad || r.at < len(r.piece) {
		return errPacked
	}
	return nil
}

// packed reads a piece.
type packed struct {
	piece []byte
	at    int    // bytes read so far
	text  string // the piece up to its numbers: all texts are parts of it
	bad   bool   // the piece has ended too early
}

// endOfTexts is the place of the first byte after texts and tags.
func (r *packed) endOfTexts() int {
	for range textsPacked {
		r.at += r.count(1)
	}
	for range r.count(1) {
		r.at += r.count(1)
	}
	return r.at
}

func (r *packed) number() uint64 {
	x, n := binary.Uvarint(r.piece[r.at:])
	if n <= 0 {
		r.bad, r.at = true, len(r.piece)
		return 0
	}
	r.at += n
	return x
}

// count is a number of things of at least so many bytes each; 0 where the rest cannot hold them.
func (r *packed) count(each int) int {
	n := r.number()
	if n > uint64((len(r.piece)-r.at)/each) {
		r.bad, r.at = true, len(r.piece)
		return 0
	}
	return int(n)
}

// take is the text of the next n bytes, of which count has found that they are there.
func (r *packed) take(n int) string {
	text := r.text[r.at : r.at+n]
	r.at += n
	return text
}
