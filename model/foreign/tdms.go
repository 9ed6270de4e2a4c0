package foreign

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

const (
	tdmsMark  = "TDSm"
	tdmsIndex = "TDSh" // begins a .tdms_index, which has no numbers

	tdmsLead = 28 // bytes before the metadata of a segment

	// bits of a segment's table of contents
	tocMeta, tocNewList, tocRaw, tocInterleaved, tocBigEndian, tocDAQmx = 1 << 1, 1 << 2, 1 << 3, 1 << 5, 1 << 6, 1 << 7

	noRaw, sameRaw           = 0xFFFFFFFF, 0
	rawDAQmx, rawDAQmxDigits = 0x69120000, 0x69130000

	mostTDMSMeta     = 1 << 26 // bytes of the metadata of a segment
	mostTDMSObjects  = 100_000
	mostTDMSPieces   = 1 << 22
	mostTDMSSegments = 20_000_000
)

// Types of TDMS that have a meaning here.
const (
	tdmsInt8, tdmsInt64, tdmsUint8, tdmsUint64 = 1, 4, 5, 8
	tdmsFloat, tdmsDouble                      = 9, 10
	tdmsFloatUnit, tdmsDoubleUnit              = 0x19, 0x1A
	tdmsText, tdmsBool, tdmsStamp              = 0x20, 0x21, 0x44
	tdmsVoid                                   = 0
)

// tdmsSize is the bytes of a value; 0: a text, or a type without a fixed size.
func tdmsSize(kind uint32) int {
	switch kind {
	case tdmsInt8, tdmsUint8, tdmsBool:
		return 1
	case 2, 6:
		return 2
	case 3, 7, tdmsFloat, tdmsFloatUnit:
		return 4
	case tdmsInt64, tdmsUint64, tdmsDouble, tdmsDoubleUnit, 0x08000c: // two floats
		return 8
	case 11: // of 80 bits, in 16 bytes
		return 16
	case tdmsStamp, 0x10000d: // two doubles
		return 16
	}
	return 0
}

// piece is numbers of a channel: n at distances of stride bytes, and this again every gap bytes, in all times times.
type piece struct {
	at          int64
	n, times    int
	stride, gap int64
}

// tdmsObject is the file, a group or a channel.
type tdmsObject struct {
	path  []string // group and channel
	kind  uint32   // of its values
	count int      // in a chunk
	bytes int64    // of a chunk
	has   bool     // its type is known
	on    bool     // it is active

	pieces []piece
	big    bool // byte order of its values
	n      int
	odd    string // why it cannot be read

	unit   string
	status string
	scales float64
	step   float64  // wf_increment, s
	offset float64  // wf_start_offset, s
	start  tdmsTime // wf_start_time
	across string   // wf_xunit_string, of the step
}

// tdmsTime is a time: seconds since 1904, and 2⁻⁶⁴ of them.
type tdmsTime struct {
	seconds int64
	part    uint64
}

// since is the time after another, s.
func (t tdmsTime) since(other tdmsTime) float64 {
	return float64(t.seconds-other.seconds) + (float64(t.part)-float64(other.part))*0x1p-64
}

// tdms reads a file segment by segment.
//
// Source: National Instruments, TDMS File Format Internal Structure (2023).
type tdms struct {
	r       io.ReaderAt
	size    int64
	objects map[string]*tdmsObject
	order   []*tdmsObject
	active  []*tdmsObject // with values in the chunks of a segment, in their order
	left    []LeftOut
	cut     string
	pieces  int
}

// ReadTDMS lists the channels of numbers of a TDMS file of version 1 or 2. A channel is called by its name, after its
// group and a slash where there are several groups. Before channels with a step of their waveform (wf_increment) comes
// a column time of their group in s, if it has none. A channel of time stamps has s from its first. It refuses raw data
// of DAQmx, and leaves out channels whose scale the file leaves to the reader.
func ReadTDMS(r io.ReaderAt, size int64) (*Columns, error) {
	f := &tdms{r: r, size: size, objects: map[string]*tdmsObject{}}
	if size < tdmsLead {
		return nil, fmt.Errorf("found %d bytes: want the %d that begin a TDMS file, or more", size, tdmsLead)
	}
	if err := f.segments(); err != nil {
		return nil, err
	}
	return f.columns()
}

// segments walks over the file.
func (f *tdms) segments() error {
	var lead [tdmsLead]byte
	for at, k := int64(0), 0; at < f.size; k++ {
		if k == mostTDMSSegments {
			return fmt.Errorf("byte %d: more than %d segments: want the file defragmented, in LabVIEW by TDMS Defragment", at, k)
		}
		if f.size-at < tdmsLead {
			f.cut = fmt.Sprintf("the file ends within a segment: its last %d bytes are left out", f.size-at)
			break
		}
		if _, err := f.r.ReadAt(lead[:], at); err != nil {
			return err
		}
		next, err := f.segment(at, lead[:])
		if err != nil {
			return fmt.Errorf("byte %d: TDMS segment %d: %w", at, k+1, err)
		}
		at = next
	}
	return nil
}

// segment reads a segment, and says where the next one begins.
func (f *tdms) segment(at int64, lead []byte) (next int64, err error) {
	switch string(lead[:4]) {
	case tdmsMark:
	case tdmsIndex:
		return 0, errors.New("an index, which has no numbers: want the .tdms file beside this .tdms_index")
	default:
		return 0, fmt.Errorf("found %q, want %s", lead[:4], tdmsMark)
	}
	toc := binary.LittleEndian.Uint32(lead[4:])
	var order binary.ByteOrder = binary.LittleEndian
	if toc&tocBigEndian != 0 {
		order = binary.BigEndian
	}
	if v := order.Uint32(lead[8:]); v != 4712 && v != 4713 {
		return 0, fmt.Errorf("version %d: want 4712 or 4713", v)
	}
	body := at + tdmsLead
	length, meta := order.Uint64(lead[12:]), order.Uint64(lead[20:])
	next = f.size
	unfinished := length == math.MaxUint64 // the program that wrote it was interrupted
	if left := uint64(f.size - body); !unfinished && length <= left {
		next = body + int64(length)
	} else if !unfinished {
		f.cut = fmt.Sprintf("the file ends %d bytes before its last segment does", length-left)
		unfinished = true
	}
	if meta > uint64(next-body) {
		if unfinished {
			f.cut = "the last segment ends in its metadata, and is left out"
			return f.size, nil
		}
		return 0, fmt.Errorf("raw data %d bytes after its beginning, of %d bytes: want them within", meta, next-body)
	}
	if toc&tocMeta != 0 {
		if meta > mostTDMSMeta {
			return 0, fmt.Errorf("metadata of %d bytes: want at most %d", meta, mostTDMSMeta)
		}
		raw := make([]byte, meta)
		if _, err := f.r.ReadAt(raw, body); err != nil {
			return 0, err
		}
		if err := f.metadata(&tdmsCursor{b: raw, order: order}, toc&tocNewList != 0); err != nil {
			return 0, err
		}
	}
	if toc&tocRaw == 0 {
		return next, nil
	}
	return next, f.chunks(body+int64(meta), next, toc)
}

// tdmsCursor reads metadata. After an error its numbers are 0.
type tdmsCursor struct {
	b     []byte
	order binary.ByteOrder
	err   error
}

func (c *tdmsCursor) take(n int) []byte {
	if c.err == nil && (n < 0 || n > len(c.b)) {
		c.err = errors.New("its metadata are cut off")
	}
	if c.err != nil {
		return make([]byte, min(max(n, 0), 16))
	}
	out := c.b[:n]
	c.b = c.b[n:]
	return out
}

func (c *tdmsCursor) u32() uint32 { return c.order.Uint32(c.take(4)) }

func (c *tdmsCursor) u64() uint64 { return c.order.Uint64(c.take(8)) }

func (c *tdmsCursor) text() string {
	n := c.u32()
	if c.err == nil && uint64(n) > uint64(len(c.b)) {
		c.err = fmt.Errorf("a text of %d bytes in metadata of which %d are left", n, len(c.b))
	}
	if c.err != nil {
		return ""
	}
	return string(c.take(int(n)))
}

// metadata reads the objects of a segment.
func (f *tdms) metadata(c *tdmsCursor, fresh bool) error {
	if fresh {
		for _, o := range f.active {
			o.on = false
		}
		f.active = nil
	}
	for n := c.u32(); n > 0 && c.err == nil; n-- {
		path := c.text()
		o, err := f.object(path)
		if err = errors.Join(c.err, err); err != nil {
			return err
		}
		if err := f.index(o, c); err != nil {
			return fmt.Errorf("%.80q: %w", path, err)
		}
		for n := c.u32(); n > 0 && c.err == nil; n-- {
			if err := o.property(c); err != nil {
				return fmt.Errorf("%.80q: %w", path, err)
			}
		}
	}
	return c.err
}

// object is the object of a path such as /'group'/'channel'.
func (f *tdms) object(path string) (*tdmsObject, error) {
	if o := f.objects[path]; o != nil {
		return o, nil
	}
	o := &tdmsObject{}
	for rest := strings.TrimSuffix(path, "/"); rest != ""; {
		if !strings.HasPrefix(rest, "/'") || len(o.path) == 2 {
			return nil, fmt.Errorf("object %.80q: want a path such as /'group'/'channel'", path)
		}
		name := ""
		for rest = rest[2:]; ; {
			before, after, found := strings.Cut(rest, "'")
			if !found {
				return nil, fmt.Errorf("object %.80q: want a path such as /'group'/'channel'", path)
			}
			if name, rest = name+before, after; !strings.HasPrefix(rest, "'") {
				break
			}
			name, rest = name+"'", rest[1:] // a quote within is written twice
		}
		o.path = append(o.path, name)
	}
	if len(f.order) == mostTDMSObjects {
		return nil, fmt.Errorf("more than %d objects: want fewer", mostTDMSObjects)
	}
	f.objects[path], f.order = o, append(f.order, o)
	return o, nil
}

// index reads what a segment has of an object's values.
func (f *tdms) index(o *tdmsObject, c *tdmsCursor) error {
	switch length := c.u32(); {
	case c.err != nil:
		return c.err
	case length == noRaw:
		if o.on {
			f.active = slices.DeleteFunc(f.active, func(other *tdmsObject) bool { return other == o })
			o.on = false
		}
		return nil
	case length == rawDAQmx || length == rawDAQmxDigits:
		return errors.New("raw data of DAQmx, which its driver scales: want a file that LabVIEW has read and written anew by " +
			"TDMS Write, or exported as text")
	case length == sameRaw:
		if !o.has {
			return errors.New("its values are as before, but there were none")
		}
	default:
		kind, dimension, count := c.u32(), c.u32(), c.u64()
		size := uint64(tdmsSize(kind))
		total := count * size
		if kind == tdmsText {
			total = c.u64()
		}
		switch {
		case c.err != nil:
			return c.err
		case dimension != 1:
			return fmt.Errorf("values of dimension %d: want 1", dimension)
		case size == 0 && kind != tdmsText:
			return fmt.Errorf("values of type %#x: want numbers, texts or times", kind)
		case count > math.MaxInt32*16 || total > math.MaxInt64/4 || size > 0 && count > math.MaxInt64/4/size:
			return fmt.Errorf("%d values in a chunk: want fewer", count)
		case o.n > 0 && kind != o.kind:
			o.odd = "its type changes within the file"
		}
		o.kind, o.count, o.bytes, o.has = kind, int(count), int64(total), true
	}
	if !o.on {
		f.active, o.on = append(f.active, o), true
	}
	return nil
}

// property reads a property, and keeps it if it means something here.
func (o *tdmsObject) property(c *tdmsCursor) error {
	name, kind := c.text(), c.u32()
	var text string
	var number float64
	var at tdmsTime
	switch size := tdmsSize(kind); {
	case c.err != nil:
		return c.err
	case kind == tdmsText:
		text = c.text()
	case kind == tdmsVoid: // no value
	case size == 0:
		return fmt.Errorf("property %.80q of type %#x: want a number, a text or a time", name, kind)
	case kind == tdmsStamp:
		at = stampOf(c.order, c.take(size))
	default:
		number = tdmsNumber(kind, c.order, c.take(size))
	}
	switch name {
	case "unit_string":
		o.unit = strings.TrimSpace(text)
	case "wf_increment":
		o.step = number
	case "wf_start_offset":
		o.offset = number
	case "wf_xunit_string":
		o.across = strings.ToLower(strings.TrimSpace(text))
	case "wf_start_time":
		o.start = at
	case "NI_Scaling_Status":
		o.status = text
	case "NI_Number_Of_Scales":
		o.scales = number
	}
	return c.err
}

// chunks finds the values of a segment's raw data, from one byte to before another.
func (f *tdms) chunks(from, to int64, toc uint32) error {
	if toc&tocDAQmx != 0 {
		return errors.New("raw data of DAQmx: want a file that LabVIEW has converted, or exported as text")
	}
	var size int64
	for _, o := range f.active {
		if o.bytes > math.MaxInt64/4-size {
			return errors.New("chunks of too many bytes")
		}
		size += o.bytes
	}
	if size == 0 || from == to {
		return nil
	}
	times := (to - from) / size
	rest := (to - from) % size
	if toc&tocInterleaved != 0 {
		return f.interleaved(from, times, size, rest, toc)
	}
	if times > 0 {
		at := from
		for _, o := range f.active {
			if err := f.piece(o, piece{at, o.count, int(times), int64(tdmsSize(o.kind)), size}, toc); err != nil {
				return err
			}
			at += o.bytes
		}
	}
	if rest > 0 {
		return f.rest(to, fmt.Sprintf("the last %d bytes are no whole chunk of %d", rest, size))
	}
	return nil
}

// rest is bytes at the end of a segment that are no values: of the last one they are left out, elsewhere they would be
// a hole in the times.
func (f *tdms) rest(to int64, what string) error {
	if to < f.size {
		return fmt.Errorf("%s, and another segment follows: want a file without a hole", what)
	}
	f.cut = what + ", and are left out"
	return nil
}

// interleaved finds values that stand row by row.
func (f *tdms) interleaved(from, times, size, rest int64, toc uint32) error {
	var row int64
	count := f.active[0].count
	for _, o := range f.active {
		if o.count != count || tdmsSize(o.kind) == 0 {
			return errors.New("channels that are written row by row: want numbers, as many of each")
		}
		row += int64(tdmsSize(o.kind))
	}
	if rest%row != 0 {
		if err := f.rest(from+times*size+rest, fmt.Sprintf("the last %d bytes are no whole row", rest%row)); err != nil {
			return err
		}
	}
	rows := int((times*size + rest) / row)
	for _, o := range f.active {
		if err := f.piece(o, piece{from, rows, 1, row, 0}, toc); err != nil {
			return err
		}
		from += int64(tdmsSize(o.kind))
	}
	return nil
}

// piece adds numbers to a channel: to the last piece, where they go on at its distances.
func (f *tdms) piece(o *tdmsObject, p piece, toc uint32) error {
	if p.n == 0 {
		return nil
	}
	big := toc&tocBigEndian != 0
	if len(o.pieces) > 0 && big != o.big {
		o.odd = "its byte order changes within the file"
	}
	o.big = big
	total := p.n * p.times
	if p.n > math.MaxInt32*16/p.times || o.n > math.MaxInt32*16-total {
		return errors.New("too many values: want fewer")
	}
	o.n += total
	if k := len(o.pieces) - 1; k >= 0 && p.times == 1 {
		last := &o.pieces[k]
		gap := last.gap
		if last.times == 1 {
			gap = p.at - last.at
		}
		if last.n == p.n && last.stride == p.stride && p.at == last.at+int64(last.times)*gap {
			last.gap, last.times = gap, last.times+1
			return nil
		}
	}
	if f.pieces++; f.pieces > mostTDMSPieces {
		return fmt.Errorf("values in more than %d pieces: want the file defragmented, in LabVIEW by TDMS Defragment",
			mostTDMSPieces)
	}
	o.pieces = append(o.pieces, p)
	return nil
}
