package foreign

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"rths/maths/words"
)

// columns are the channels of numbers, and their times.
func (f *tdms) columns() (*Columns, error) {
	out := &Columns{Cut: f.cut}
	var reads []func(put func([]float64) error) error
	add := func(name, unit string, n int, read func(put func([]float64) error) error) {
		out.List, reads = append(out.List, Column{name, unit, n}), append(reads, read)
	}
	var channels []*tdmsObject
	groups := map[string]*tdmsGroup{}
	for _, o := range f.order {
		if len(o.path) == 2 && o.n > 0 {
			channels = append(channels, o)
			if groups[o.path[0]] == nil {
				groups[o.path[0]] = &tdmsGroup{}
			}
			g := groups[o.path[0]]
			g.timed = g.timed || timeChannel().MatchString(o.path[1])
		}
	}
	var begin tdmsTime // the earliest start of a waveform
	for _, o := range channels {
		if o.stepped() && o.start != (tdmsTime{}) && (begin == tdmsTime{} || o.start.since(begin) < 0) {
			begin = o.start
		}
	}
	for _, o := range channels {
		g, before := groups[o.path[0]], ""
		if len(groups) > 1 {
			before = o.path[0] + "/"
		}
		why := o.refused()
		if why == "" && o.stepped() && !g.timed {
			at := o.offset
			if o.start != (tdmsTime{}) {
				at += o.start.since(begin)
			}
			if g.first == nil {
				g.first, g.at = o, at
				add(before+"time", "s", o.n, func(put func([]float64) error) error { return o.times(at, put) })
			}
			if o.step != g.first.step || at != g.at || o.n != g.first.n {
				why = fmt.Sprintf("%d values from %g s in steps of %g s: channel %s of its group has %d from %g in steps of "+
					"%g: want one step in a group", o.n, at, o.step, g.first.path[1], g.first.n, g.at, g.first.step)
			}
		}
		if why != "" {
			f.left = append(f.left, LeftOut{"channel " + before + o.path[1], why})
			continue
		}
		add(before+o.path[1], o.unit, o.n, func(put func([]float64) error) error { return f.values(o, put) })
	}
	if len(out.List) == 0 {
		why := fmt.Sprintf("found %d bytes, and in them no channels of numbers", f.size)
		if f.cut != "" {
			why += "; " + f.cut
		}
		if left := ListLeft(f.left, ""); left != "" {
			why += "; " + left
		}
		return nil, errors.New(why)
	}
	out.Left = f.left
	out.read = func(put func(int, []float64) error) error {
		for i, read := range reads {
			if err := read(func(values []float64) error { return put(i, values) }); err != nil {
				return fmt.Errorf("channel %s: %w", out.List[i].Name, err)
			}
		}
		return nil
	}
	return out, nil
}

// timeChannel is a name of times: Time, time_s, Time [ms]; and not Timer.
var timeChannel = words.Pattern(`(?i)^time(?:$|[^a-z])`)

// tdmsGroup is what the channels of a group have in common.
type tdmsGroup struct {
	timed bool        // one of them is the time
	first *tdmsObject // with the step of a waveform
	at    float64     // its first time, s
}

// stepped tells whether the file states the step of its times: of a spectrum it is one of frequencies.
func (o *tdmsObject) stepped() bool {
	return o.step > 0 && !math.IsInf(o.step, 0) && slices.Contains([]string{"", "s", "sec", "second", "seconds"}, o.across)
}

// refused says why a channel is no column; "": it is one.
func (o *tdmsObject) refused() string {
	switch {
	case o.odd != "":
		return o.odd
	case o.scales > 0 && o.status != "scaled":
		return "raw counts, which a scale of the file makes numbers: want it written with its scaled values"
	case o.kind == tdmsText:
		return "texts"
	case o.kind == 11 || o.kind > tdmsStamp:
		return fmt.Sprintf("values of type %#x: want real numbers of at most 64 bits", o.kind)
	}
	return ""
}

// times are the times of a channel by the step of its waveform.
func (o *tdmsObject) times(at float64, put func([]float64) error) error {
	out := make([]float64, 0, min(o.n, 1<<13))
	for k := range o.n {
		out = append(out, at+float64(k)*o.step)
		if len(out) == cap(out) || k == o.n-1 {
			if err := put(out); err != nil {
				return err
			}
			out = out[:0]
		}
	}
	return nil
}

// values reads the numbers of a channel.
func (f *tdms) values(o *tdmsObject, put func([]float64) error) error {
	var order binary.ByteOrder = binary.LittleEndian
	if o.big {
		order = binary.BigEndian
	}
	const most = 1 << 16 // bytes at once, at least a value
	size := tdmsSize(o.kind)
	raw, out := make([]byte, most), make([]float64, 0, most)
	number := func(b []byte) float64 { return tdmsNumber(o.kind, order, b) }
	if o.kind == tdmsStamp { // s from the first
		var first *tdmsTime
		number = func(b []byte) float64 {
			at := stampOf(order, b)
			if first == nil {
				first = &at
			}
			return at.since(*first)
		}
	}
	for _, p := range o.pieces {
		if p.n == 1 && p.times > 1 { // a value a chunk
			p = piece{p.at, p.times, 1, p.gap, 0}
		}
		for t := range p.times {
			at := p.at + int64(t)*p.gap
			for k := 0; k < p.n; {
				n := min(p.n-k, max(1, int((most-int64(size))/p.stride+1)))
				b := raw[:int64(n-1)*p.stride+int64(size)]
				if _, err := f.r.ReadAt(b, at+int64(k)*p.stride); err != nil {
					return fmt.Errorf("byte %d: %w", at+int64(k)*p.stride, err)
				}
				for j := range n {
					if out = append(out, number(b[int64(j)*p.stride:])); len(out) == cap(out) {
						if err := put(out); err != nil {
							return err
						}
						out = out[:0]
					}
				}
				k += n
			}
		}
	}
	if len(out) == 0 {
		return nil
	}
	return put(out)
}

// tdmsNumber is a value.
func tdmsNumber(kind uint32, order binary.ByteOrder, b []byte) float64 {
	switch kind {
	case 1:
		return float64(int8(b[0]))
	case 2:
		return float64(int16(order.Uint16(b)))
	case 3:
		return float64(int32(order.Uint32(b)))
	case 4:
		return float64(int64(order.Uint64(b)))
	case 5, tdmsBool:
		return float64(b[0])
	case 6:
		return float64(order.Uint16(b))
	case 7:
		return float64(order.Uint32(b))
	case 8:
		return float64(order.Uint64(b))
	case tdmsFloat, tdmsFloatUnit:
		return float64(math.Float32frombits(order.Uint32(b)))
	case tdmsDouble, tdmsDoubleUnit:
		return math.Float64frombits(order.Uint64(b))
	}
	return math.NaN()
}

// stampOf is a value that is a time.
func stampOf(order binary.ByteOrder, b []byte) tdmsTime {
	if order == binary.BigEndian {
		return tdmsTime{int64(order.Uint64(b)), order.Uint64(b[8:])}
	}
	return tdmsTime{int64(order.Uint64(b[8:])), order.Uint64(b)}
}
