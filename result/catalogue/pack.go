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

// wish is what a reader wants of many entries.
type wish struct {
	names  []string // of numbers, at their ids; "" for one that is left out
	wanted int      // of them
	seen   []bool   // at the ids that any entry has
	fits   func(e *Entry) bool
	where  [][]Condition // at the ids of the names
	all    int           // of them
}

// wishing wishes for all entries and numbers.
func wishing(names []string) *wish {
	return &wish{names: names, wanted: len(names), seen: make([]bool, len(names)), fits: func(*Entry) bool { return true },
		where: make([][]Condition, len(names))}
}

// unpack reads an entry. One that does not fit is left as far as it was read.
func (e *Entry) unpack(piece []byte, w *wish) (fits bool, err error) {
	r := packed{piece: piece}
	end := r.endOfTexts()
	n := r.count(9)
	start, met := r.at, 0
	for range n {
		id, v := r.value()
		if r.bad || id >= uint64(len(w.names)) {
			return false, errPacked
		}
		w.seen[id] = true
		for _, c := range w.where[id] {
			if c.holds(v) {
				met++
			}
		}
	}
	if r.bad || r.at < len(r.piece) {
		return false, errPacked
	}
	if met < w.all {
		return false, nil
	}
	r.at, r.text = 0, string(piece[:end])
	for _, text := range e.texts() {
		*text = r.take(r.count(1))
	}
	if n := r.count(1); n > 0 {
		e.Tags = make([]string, n)
	}
	for i := range e.Tags {
		e.Tags[i] = r.take(r.count(1))
	}
	if !w.fits(e) {
		return false, nil
	}
	r.at = start
	e.Numbers = make([]rths.Value, 0, min(n, w.wanted))
	for range n {
		if id, v := r.value(); w.names[id] != "" {
			e.Numbers = append(e.Numbers, rths.Value{Name: w.names[id], V: v})
		}
	}
	return true, nil
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

// value is the id of a name, and its number.
func (r *packed) value() (id uint64, v float64) {
	if id = r.number(); len(r.piece)-r.at < 8 {
		r.bad, r.at = true, len(r.piece)
		return 0, 0
	}
	v = math.Float64frombits(binary.LittleEndian.Uint64(r.piece[r.at:]))
	r.at += 8
	return id, v
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

// next are length and bytes of a text.
func (r *packed) next() []byte {
	n := r.count(1)
	r.at += n
	return r.piece[r.at-n : r.at]
}

// names are a number of texts, and length and bytes of each.
func (r *packed) names() (out []string) {
	for range r.count(1) {
		out = append(out, string(r.next()))
	}
	return out
}

// take is the text of the next n bytes, of which count has found that they are there.
func (r *packed) take(n int) string {
	text := r.text[r.at : r.at+n]
	r.at += n
	return text
}
