package foreign

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"rths/kit/rthstest"
)

// byHand is a file of one segment, written by hand from the layout that National Instruments publish: a group with a
// property, a channel "x" of two whole numbers of 32 bits in steps of 1 ms.
const byHand = `
54 44 53 6D  0E 00 00 00  69 12 00 00  92 00 00 00 00 00 00 00  8A 00 00 00 00 00 00 00
02 00 00 00
08 00 00 00  2F 27 47 72 6F 75 70 27  FF FF FF FF  01 00 00 00
  04 00 00 00 70 72 6F 70  20 00 00 00  05 00 00 00 76 61 6C 75 65
0C 00 00 00  2F 27 47 72 6F 75 70 27 2F 27 78 27  14 00 00 00  03 00 00 00  01 00 00 00  02 00 00 00 00 00 00 00
  02 00 00 00
  0B 00 00 00 75 6E 69 74 5F 73 74 72 69 6E 67  20 00 00 00  02 00 00 00 6D 6D
  0C 00 00 00 77 66 5F 69 6E 63 72 65 6D 65 6E 74  0A 00 00 00  FC A9 F1 D2 4D 62 50 3F
01 00 00 00 FE FF FF FF`

func unhex(s string) []byte {
	return rthstest.Must(hex.DecodeString(strings.Join(strings.Fields(s), "")))
}

// tdmsMaker writes segments in one byte order.
type tdmsMaker struct {
	order binary.AppendByteOrder
	toc   uint32 // besides what its methods say
	file  []byte
}

func (m *tdmsMaker) u32(b []byte, v ...uint32) []byte {
	for _, v := range v {
		b = m.order.AppendUint32(b, v)
	}
	return b
}

func (m *tdmsMaker) text(b []byte, s string) []byte { return append(m.u32(b, uint32(len(s))), s...) }

// tdmsChannel is a channel of a segment; kind 0: its values are as before.
type tdmsChannel struct {
	path       string
	kind       uint32
	count      int
	properties map[string]any
}

// segment appends a segment; without channels its list is as before.
func (m *tdmsMaker) segment(channels []tdmsChannel, raw []byte) {
	toc := m.toc | tocRaw
	var meta []byte
	if channels != nil {
		toc |= tocMeta | tocNewList
		meta = m.u32(nil, uint32(len(channels)))
		for _, c := range channels {
			meta = m.text(meta, c.path)
			switch {
			case c.count < 0:
				meta = m.u32(meta, noRaw)
			case c.kind == 0:
				meta = m.u32(meta, sameRaw)
			default:
				meta = m.u32(meta, 20, c.kind, 1)
				meta = m.order.AppendUint64(meta, uint64(c.count))
			}
			meta = m.u32(meta, uint32(len(c.properties)))
			for name, value := range c.properties {
				meta = m.text(meta, name)
				switch v := value.(type) {
				case string:
					meta = m.text(m.u32(meta, tdmsText), v)
				case float64:
					meta = m.order.AppendUint64(m.u32(meta, tdmsDouble), math.Float64bits(v))
				case tdmsTime:
					meta = m.stamp(m.u32(meta, tdmsStamp), v)
				}
			}
		}
	}
	m.lead(toc, len(meta)+len(raw), len(meta))
	m.file = append(append(m.file, meta...), raw...)
}

func (m *tdmsMaker) stamp(b []byte, t tdmsTime) []byte {
	if m.order == binary.AppendByteOrder(binary.BigEndian) {
		return m.order.AppendUint64(m.order.AppendUint64(b, uint64(t.seconds)), t.part)
	}
	return m.order.AppendUint64(m.order.AppendUint64(b, t.part), uint64(t.seconds))
}

func (m *tdmsMaker) lead(toc uint32, length, meta int) {
	if m.order == binary.AppendByteOrder(binary.BigEndian) {
		toc |= tocBigEndian
	}
	m.file = binary.LittleEndian.AppendUint32(append(m.file, tdmsMark...), toc)
	m.file = m.order.AppendUint64(m.order.AppendUint64(m.u32(m.file, 4713), uint64(length)), uint64(meta))
}

// numbers are values of a type.
func (m *tdmsMaker) numbers(kind uint32, values ...float64) (out []byte) {
	for _, v := range values {
		switch kind {
		case 1, 5:
			out = append(out, byte(int64(v)))
		case 2, 6:
			out = m.order.AppendUint16(out, uint16(int64(v)))
		case 3, 7:
			out = m.order.AppendUint32(out, uint32(int64(v)))
		case 4, 8:
			out = m.order.AppendUint64(out, uint64(int64(v)))
		case tdmsFloat, tdmsFloatUnit:
			out = m.order.AppendUint32(out, math.Float32bits(float32(v)))
		default:
			out = m.order.AppendUint64(out, math.Float64bits(v))
		}
	}
	return out
}

func readTDMS(t *testing.T, file []byte) (*Columns, []string) {
	t.Helper()
	f, err := ReadTDMS(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, l := range f.Left {
		left = append(left, l.Name+": "+l.Why)
	}
	if f.Cut != "" {
		left = append(left, f.Cut)
	}
	return f, left
}

// has compares the columns with name unit: values.
func hasColumns(t *testing.T, list *Columns, want ...string) {
	t.Helper()
	var got []string
	all := rthstest.Must(list.Values())
	for i, c := range list.List {
		values := all[i]
		if len(values) != c.N {
			t.Errorf("%s: %d values: want %d", c.Name, len(values), c.N)
		}
		got = append(got, fmt.Sprintf("%s %s: %v", c.Name, c.Unit, values))
	}
	if !slices.Equal(got, want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestTDMSByHand(t *testing.T) {
	list, left := readTDMS(t, unhex(byHand))
	hasColumns(t, list, "time s: [0 0.001]", "x mm: [1 -2]")
	if left != nil {
		t.Errorf("left out: %q", left)
	}
}

// Every type, in both byte orders.
func TestTDMSTypes(t *testing.T) {
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, kind := range []uint32{1, 2, 3, 4, 5, 6, 7, 8, tdmsFloat, tdmsDouble, tdmsFloatUnit, tdmsDoubleUnit} {
			m := &tdmsMaker{order: order}
			values, want := []float64{-3, 100}, "a : [-3 100]"
			if kind >= 5 && kind <= 8 {
				values, want = []float64{3, 200}, "a : [3 200]"
			}
			m.segment([]tdmsChannel{{"/'g'/'a'", kind, 2, nil}}, m.numbers(kind, values...))
			list, _ := readTDMS(t, m.file)
			hasColumns(t, list, want)
		}
		m := &tdmsMaker{order: order}
		start := tdmsTime{3_800_000_000, 1 << 63}
		m.segment([]tdmsChannel{{"/'g'/'when'", tdmsStamp, 3, nil}}, m.stamp(m.stamp(m.stamp(nil, start),
			tdmsTime{start.seconds + 1, 1 << 62}), tdmsTime{start.seconds + 2, 1}))
		list, _ := readTDMS(t, m.file)
		hasColumns(t, list, "when : [0 0.75 1.5]")
	}
}

// Values in chunks, in several segments, with lists that change; the same in rows.
func TestTDMSSegments(t *testing.T) {
	m := &tdmsMaker{order: binary.LittleEndian}
	a, b := tdmsChannel{"/'g'/'a'", tdmsDouble, 2, map[string]any{"unit_string": "m"}}, tdmsChannel{"/'g'/'b'", 2, 1, nil}
	chunk := func(from float64) []byte {
		return append(m.numbers(tdmsDouble, from, from+1), m.numbers(2, -from)...)
	}
	m.segment([]tdmsChannel{{"/", 0, -1, nil}, {"/'g'", 0, -1, nil}, a, b}, append(chunk(1), chunk(3)...)) // two chunks
	m.segment(nil, chunk(5))                                                                               // the list as before
	m.segment([]tdmsChannel{{path: a.path}}, m.numbers(tdmsDouble, 7, 8))                                  // a alone, as before
	rows := &tdmsMaker{order: binary.LittleEndian, toc: tocInterleaved, file: m.file}
	both := []tdmsChannel{{a.path, tdmsDouble, 2, nil}, {b.path, 2, 2, nil}}
	row := func(v float64) []byte { return append(m.numbers(tdmsDouble, v), m.numbers(2, -v)...) }
	rows.segment(both, slices.Concat(row(9), row(10), row(11), row(12)))
	list, left := readTDMS(t, rows.file)
	hasColumns(t, list, "a m: [1 2 3 4 5 6 7 8 9 10 11 12]", "b : [-1 -3 -5 -9 -10 -11 -12]")
	if left != nil {
		t.Errorf("left out: %q", left)
	}
}

// A recorder that writes value by value: pieces that go on at equal distances take no memory.
func TestTDMSValueByValue(t *testing.T) {
	m := &tdmsMaker{order: binary.LittleEndian}
	const n = 20_000
	channels := []tdmsChannel{{"/'g'/'a'", tdmsDouble, 1, nil}, {"/'g'/'b'", tdmsFloat, 1, nil}}
	for k := range n {
		m.segment(channels, append(m.numbers(tdmsDouble, float64(k)), m.numbers(tdmsFloat, float64(-k))...))
		channels = nil
	}
	f := &tdms{r: bytes.NewReader(m.file), size: int64(len(m.file)), objects: map[string]*tdmsObject{}}
	if err := f.segments(); err != nil {
		t.Fatal(err)
	}
	if f.pieces > 4 {
		t.Errorf("%d pieces: want a few", f.pieces)
	}
	c := rthstest.Must(f.columns())
	for i, values := range rthstest.Must(c.Values()) {
		for k, v := range values {
			if want := float64(k) * float64(1-2*i); v != want {
				t.Fatalf("%s, value %d: %g: want %g", c.List[i].Name, k, v, want)
			}
		}
	}
}

// A file whose program was killed: whole chunks and rows are read, and the rest is said.
func TestTDMSUnfinished(t *testing.T) {
	for _, toc := range []uint32{0, tocInterleaved} {
		m := &tdmsMaker{order: binary.LittleEndian, toc: toc}
		m.segment([]tdmsChannel{{"/'g'/'a'", tdmsDouble, 1, nil}, {"/'g'/'b'", tdmsDouble, 1, nil}},
			m.numbers(tdmsDouble, 1, -1, 2, -2, 3))
		for i := range 8 {
			m.file[12+i] = 0xFF
		}
		list, left := readTDMS(t, m.file)
		hasColumns(t, list, "a : [1 2]", "b : [-1 -2]")
		if len(left) != 1 || !strings.Contains(left[0], "the last 8 bytes are no whole") {
			t.Errorf("left out: %q", left)
		}
		list, left = readTDMS(t, append(m.file[:len(m.file)-8:len(m.file)-8], "TDSm"...)) // 4 bytes of a row in its place
		hasColumns(t, list, "a : [1 2]", "b : [-1 -2]")
		if len(left) != 1 {
			t.Errorf("left out: %q", left)
		}
	}
	loose := &tdmsMaker{order: binary.LittleEndian} // some programs leave less than a chunk in a whole segment
	loose.segment([]tdmsChannel{{"/'g'/'a'", tdmsDouble, 2, nil}}, loose.numbers(tdmsDouble, 1, 2, 3))
	part, cut := readTDMS(t, loose.file)
	hasColumns(t, part, "a : [1 2]")
	if len(cut) != 1 || !strings.Contains(cut[0], "the last 8 bytes are no whole chunk of 16") {
		t.Errorf("left out: %q", cut)
	}
	followed := append(slices.Clone(loose.file), unhex(byHand)...)
	if _, err := ReadTDMS(bytes.NewReader(followed), int64(len(followed))); err == nil ||
		!strings.Contains(err.Error(), "and another segment follows: want a file without a hole") {
		t.Errorf("a hole between segments: %v", err)
	}
	short := unhex(byHand)
	list, left := readTDMS(t, append(short, short[:20]...))
	hasColumns(t, list, "time s: [0 0.001]", "x mm: [1 -2]")
	if len(left) != 1 || !strings.Contains(left[0], "its last 20 bytes are left out") {
		t.Errorf("left out: %q", left)
	}
}

// Groups have their times, from the first start on; a channel of another step is left out, and so is a spectrum's step.
func TestTDMSTimes(t *testing.T) {
	m := &tdmsMaker{order: binary.LittleEndian}
	wave := func(group, name string, step, offset float64, seconds int64, more ...string) tdmsChannel {
		p := map[string]any{"wf_increment": step, "wf_start_offset": offset, "wf_start_time": tdmsTime{seconds, 0}}
		for i := 0; i < len(more); i += 2 {
			p[more[i]] = more[i+1]
		}
		return tdmsChannel{"/'" + group + "'/'" + name + "'", tdmsDouble, 2, p}
	}
	m.segment([]tdmsChannel{wave("fast", "it''s", 0.5, 0, 101), wave("fast", "other", 0.25, 0, 101),
		wave("slow", "b", 2, 10, 100), wave("late", "c", 0.5, 0, 100, "wf_xunit_string", "Hz")},
		m.numbers(tdmsDouble, 1, 2, 3, 4, 5, 6, 7, 8))
	list, left := readTDMS(t, m.file)
	hasColumns(t, list, "fast/time s: [1 1.5]", "fast/it's : [1 2]", "slow/time s: [10 12]", "slow/b : [5 6]", "late/c : [7 8]")
	if len(left) != 1 || !strings.Contains(left[0], "channel fast/other: 2 values from 1 s in steps of 0.25 s") {
		t.Errorf("left out: %q", left)
	}
	own := &tdmsMaker{order: binary.LittleEndian}
	own.segment([]tdmsChannel{wave("g", "a", 0.5, 0, 0), {"/'g'/'Time [s]'", tdmsDouble, 2, nil}}, own.numbers(tdmsDouble, 1, 2, 3, 4))
	list, _ = readTDMS(t, own.file)
	hasColumns(t, list, "a : [1 2]", "Time [s] : [3 4]")
	timer := &tdmsMaker{order: binary.LittleEndian}
	timer.segment([]tdmsChannel{wave("g", "Timer", 0.5, 0, 0)}, timer.numbers(tdmsDouble, 1, 2))
	list, _ = readTDMS(t, timer.file)
	hasColumns(t, list, "time s: [0 0.5]", "Timer : [1 2]")
}

// What would be read wrongly, or cannot be read, is refused with the way out.
func TestTDMSRefuses(t *testing.T) {
	index := unhex(byHand)
	index[3] = 'h'
	daqmx := unhex(byHand)
	binary.LittleEndian.PutUint32(daqmx[bytes.Index(daqmx, []byte{0x14, 0, 0, 0, 3}):], rawDAQmx)
	scaled := &tdmsMaker{order: binary.LittleEndian}
	scaled.segment([]tdmsChannel{{"/'g'/'a'", 2, 1, map[string]any{"NI_Number_Of_Scales": 1.0}}}, scaled.numbers(2, 7))
	texts := &tdmsMaker{order: binary.LittleEndian}
	texts.segment([]tdmsChannel{{"/'g'/'a'", 0x10000d, 1, nil}}, make([]byte, 16))
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"an index":   {index, "want the .tdms file beside this .tdms_index"},
		"DAQmx":      {daqmx, "raw data of DAQmx"},
		"raw counts": {scaled.file, "raw counts, which a scale of the file makes numbers"},
		"complex":    {texts.file, "values of type 0x10000d"},
		"text":       {[]byte(strings.Repeat("time,acc\n", 9)), `found "time", want TDSm`},
		"nothing":    {nil, "found 0 bytes"},
		"cut off":    {unhex(byHand)[:170], "no channels of numbers; the last 4 bytes are no whole chunk of 8, and are left out"},
	} {
		_, err := ReadTDMS(bytes.NewReader(c.file), int64(len(c.file)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v: want %q", name, err, c.want)
		}
	}
}

// tdmsExample is a file with all that files have.
func tdmsExample() []byte {
	m := &tdmsMaker{order: binary.LittleEndian, file: unhex(byHand)}
	m.segment([]tdmsChannel{{"/'g'/'a'", tdmsDouble, 3, map[string]any{"unit_string": "kN"}}, {"/'g'/'b'", 2, 1, nil}},
		append(m.numbers(tdmsDouble, 1, 2, 3), m.numbers(2, 4)...))
	m.segment(nil, append(m.numbers(tdmsDouble, 1, 2, 3), m.numbers(2, 4)...))
	big := &tdmsMaker{order: binary.BigEndian, toc: tocInterleaved, file: m.file}
	big.segment([]tdmsChannel{{"/'h'/'c'", tdmsFloat, 2, nil}, {"/'h'/'d'", 5, 2, nil}}, make([]byte, 20))
	return big.file
}

// damagedTDMS reads a damaged file as far as it can.
func damagedTDMS(t *testing.T, file []byte) {
	f, err := ReadTDMS(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return
	}
	n := make([]int, len(f.List))
	whole := f.Read(func(i int, v []float64) error { n[i] += len(v); return nil }) == nil
	for i, c := range f.List {
		if whole && n[i] != c.N {
			t.Fatalf("%s: %d values: want %d", c.Name, n[i], c.N)
		}
		if c.N > len(file) {
			t.Fatalf("%s: %d values in %d bytes", c.Name, c.N, len(file))
		}
	}
	if len(f.List) == 0 {
		t.Fatal("neither columns nor an error")
	}
}

func TestDamagedTDMS(t *testing.T) {
	r := rand.New(rand.NewPCG(52, 3))
	sound := tdmsExample()
	list, _ := readTDMS(t, sound)
	if len(list.List) != 6 {
		t.Fatalf("%d columns of the sound file: want 6", len(list.List))
	}
	for range 2000 {
		file := slices.Clone(sound)
		for range 1 + r.IntN(4) {
			at := r.IntN(len(file))
			switch r.IntN(4) {
			case 0:
				file = file[:at+1]
			case 1:
				file = slices.Insert(file, at, byte(r.Uint32()))
			case 2:
				file[at] = []byte{0, 1, 0x7F, 0x80, 0xFF}[r.IntN(5)]
			default:
				file[at] ^= 1 << r.IntN(8)
			}
		}
		damagedTDMS(t, file)
	}
}

func FuzzTDMS(f *testing.F) {
	f.Add(unhex(byHand))
	f.Add(tdmsExample())
	f.Fuzz(func(t *testing.T, file []byte) { damagedTDMS(t, file) })
}
