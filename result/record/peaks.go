package record

import (
	"bytes"
	"encoding/binary"
	"math"

	"rths"
)

// reach are the smallest and the largest finite number of a row of numbers, and their places, each the first one.
type reach struct {
	low, high     float64
	lowAt, highAt int
}

// nowhere is the reach of no number.
var nowhere = reach{low: math.Inf(1), high: math.Inf(-1)}

// number adds the number at a place.
func (e *reach) number(k int, v float64) {
	if !rths.Finite(v) {
		return
	}
	if v < e.low {
		e.low, e.lowAt = v, k
	}
	if v > e.high {
		e.high, e.highAt = v, k
	}
}

// block adds a block that begins at a place.
func (e *reach) block(at int, b reach) {
	if b.low < e.low {
		e.low, e.lowAt = b.low, at+b.lowAt
	}
	if b.high > e.high {
		e.high, e.highAt = b.high, at+b.highAt
	}
}

// times is the reach of the same numbers times a factor.
func (e reach) times(factor float64) reach {
	if factor < 0 {
		return reach{factor * e.high, factor * e.low, e.highAt, e.lowAt}
	}
	return reach{factor * e.low, factor * e.high, e.lowAt, e.highAt}
}

func (e reach) write(out *bytes.Buffer) {
	var b [blockBytes]byte
	order := binary.LittleEndian
	order.PutUint64(b[:], math.Float64bits(e.low))
	order.PutUint64(b[8:], math.Float64bits(e.high))
	order.PutUint32(b[16:], uint32(e.lowAt))
	order.PutUint32(b[20:], uint32(e.highAt))
	out.Write(b[:])
}

// level are blocks of so many rows, as they stand in a PyramidFile.
type level struct {
	width  int
	blocks []byte
}

func (l level) at(i int) reach {
	b, order := l.blocks[blockBytes*i:], binary.LittleEndian
	return reach{math.Float64frombits(order.Uint64(b)), math.Float64frombits(order.Uint64(b[8:])),
		int(order.Uint32(b[16:])), int(order.Uint32(b[20:]))}
}

// peaks is a column of a pyramid, the smallest blocks first.
type peaks struct{ levels []level }

// between is the reach of numbers times a factor, from one place to before another. Those beside whole blocks are read,
// with the factor.
func (p *peaks) between(read func(k int) float64, factor float64, from, to int) reach {
	e := nowhere
	for k := from; k < to; {
		if l := p.widest(k, to); l != nil {
			e.block(k, l.at(k/l.width).times(factor))
			k += l.width
			continue
		}
		for end := min(to, k-k%baseRows+baseRows); k < end; k++ {
			e.number(k, read(k))
		}
	}
	return e
}

// widest is the level with the widest block that begins at a place and ends before another; nil: there is none.
func (p *peaks) widest(k, to int) *level {
	for i := len(p.levels) - 1; i >= 0; i-- {
		l := &p.levels[i]
		if k%l.width == 0 && k+l.width <= to && blockBytes*(k/l.width) < len(l.blocks) {
			return l
		}
	}
	return nil
}
