package record

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"rths"
)

// long records a run with two channels of any numbers, some of them not finite and many of them equal.
func long(t testing.TB, rows int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	var frame rths.Frame
	var wild, coarse float64
	channels := []rths.Channel{{Name: "wild", Unit: "m", V: &wild}, {Name: "coarse", Unit: "m", V: &coarse}}
	w, err := NewRecorder(dir, Manifest{RateHz: 1024}, &frame, channels)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, uint64(rows)))
	for k := range rows {
		frame.T = float64(k) / 1024
		wild, coarse = math.Float64frombits(r.Uint64()), math.Round(r.NormFloat64())
		if k/700%3 == 0 {
			wild = math.NaN() // whole blocks have no number
		}
		w.Observe(&frame)
	}
	m := Manifest{RateHz: 1024, Status: rths.Completed, Samples: rows}
	if err := w.Close(m); err != nil {
		t.Fatal(err)
	}
	return dir
}

func opened(t testing.TB, open func(string) (*Archive, error), dir string) *Archive {
	t.Helper()
	a, err := open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

// piled is a run with a pyramid.
func piled(t testing.TB, rows int) string {
	t.Helper()
	dir := long(t, rows)
	if err := opened(t, Open, dir).WritePyramid(nil); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Every stretch of every column has the same extremes, at the same places, with a pyramid as from the rows alone, also
// times a factor and from a later row on.
func TestPyramidIsExact(t *testing.T) {
	dir := piled(t, 70001) // three levels and a rest
	with, without := opened(t, Reopen, dir), opened(t, Open, dir)
	if with.pyramid == nil || without.pyramid != nil {
		t.Fatal("want Reopen to have found the pyramid, and Open not to have looked for it")
	}
	if with.Rows() != without.Rows() || fmt.Sprint(with.Columns) != fmt.Sprint(without.Columns) {
		t.Fatalf("%d rows, %v: want %d, %v", with.Rows(), with.Columns, without.Rows(), without.Columns)
	}
	same := func(a, b float64) bool { return a == b || a != a && b != b }
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"time_s", "wild", "coarse"}).Draw(t, "column")
		a, _ := with.Signal(name)
		b, _ := without.Signal(name)
		if a.peaks == nil || b.peaks != nil {
			t.Fatal("want peaks of one signal alone")
		}
		factor := rapid.SampledFrom([]float64{1, 1000, -2, 0, 1e300}).Draw(t, "factor")
		from := rapid.SampledFrom([]int{0, 0, 256, 777}).Draw(t, "first")
		a, b = a.Times(factor).From(from), b.Times(factor).From(from)
		i := rapid.IntRange(0, a.Len()).Draw(t, "from")
		if rapid.Bool().Draw(t, "aligned") {
			i -= i % baseRows
		}
		j := rapid.IntRange(i, a.Len()).Draw(t, "to")
		low, high := a.Extremes(i, j)
		wantLow, wantHigh := b.Extremes(i, j)
		tied := factor != 1 && i < j && same(b.At(low), b.At(wantLow)) && same(b.At(high), b.At(wantHigh))
		if (low != wantLow || high != wantHigh) && !tied { // a factor may make numbers equal that are not
			t.Errorf("extremes at %d and %d: want %d and %d", low, high, wantLow, wantHigh)
		}
		if i == j {
			return
		}
		first, second := a.Outer(i, j)
		wantFirst, wantSecond := b.At(min(low, high)), b.At(max(low, high))
		if !same(first, wantFirst) || !same(second, wantSecond) {
			t.Errorf("%g, %g: want %g, %g", first, second, wantFirst, wantSecond)
		}
	})
	if with.Err() != nil {
		t.Error(with.Err())
	}
}

// With a pyramid the curve of a whole column reads few rows.
func TestPyramidReadsLittle(t *testing.T) {
	a := opened(t, Reopen, piled(t, 70001))
	s, _ := a.Signal("coarse")
	read, column := 0, s.column
	s.column, s.at = nil, func(k int) float64 { read++; return column.at(k) }
	for from := 0; from+1024 <= s.Len(); from += 1024 {
		s.Outer(from, from+1024)
	}
	if read > 0 {
		t.Errorf("%d rows were read: want none", read)
	}
	if s.Extremes(0, s.Len()); read != 70001%256 {
		t.Errorf("%d rows were read: want those after the last whole block, %d", read, 70001%256)
	}
}

// A pyramid that is damaged, or of another state of the archive, is not taken, and the archive is read as without one.
func TestPyramidThatDoesNotFit(t *testing.T) {
	dir := piled(t, 5000)
	frames, beside := filepath.Join(dir, FramesFile), filepath.Join(dir, PyramidFile)
	text, rows := read(t, beside), read(t, frames)
	info, err := os.Stat(frames)
	if err != nil {
		t.Fatal(err)
	}
	put := func(path string, b []byte) {
		t.Helper()
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	restore := func() {
		put(beside, text)
		put(frames, rows)
		if err := os.Chtimes(frames, info.ModTime(), info.ModTime()); err != nil {
			t.Fatal(err)
		}
	}
	taken := func() bool { t.Helper(); return takenIn(t, dir) }
	if !taken() {
		t.Fatal("want the pyramid taken as it was written")
	}
	for n := 0; n < len(text); n += 1 + n/7 {
		put(beside, text[:n])
		if taken() {
			t.Errorf("a pyramid of %d of %d bytes was taken", n, len(text))
		}
	}
	put(beside, append(slices.Clone(text), 0))
	if taken() {
		t.Error("a pyramid with a byte more was taken")
	}
	r := rand.New(rand.NewPCG(7, 7))
	for range 300 {
		bad := slices.Clone(text)
		bit := r.IntN(8 * len(bad))
		bad[bit/8] ^= 1 << (bit % 8)
		put(beside, bad)
		if taken() {
			t.Errorf("a pyramid whose bit %d was flipped was taken", bit)
		}
	}
	restore()
	if err := os.Chtimes(frames, time.Now(), time.Now()); err != nil {
		t.Fatal(err)
	}
	if taken() {
		t.Error("the pyramid of an archive that was written later was taken")
	}
	restore()
	if !taken() {
		t.Error("want the pyramid taken again")
	}
	put(frames, append(slices.Clone(rows), 0))
	if _, err := Reopen(dir); !errors.As(err, new(*Damage)) {
		t.Errorf("%v: want the damage of the archive", err)
	}
	restore()
	other := piled(t, 5001)
	put(beside, read(t, filepath.Join(other, PyramidFile)))
	if taken() {
		t.Error("the pyramid of another archive was taken")
	}
}

// takenIn reports whether a run is opened with its pyramid. Its extremes are right in any case.
func takenIn(t *testing.T, dir string) bool {
	t.Helper()
	a, err := Reopen(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for _, name := range a.Names() {
		s, _ := a.Signal(name)
		low, high := s.Extremes(0, s.Len())
		plain := SignalOf(s.Values())
		if l, h := plain.Extremes(0, plain.Len()); low != l || high != h {
			t.Errorf("%s: extremes at %d and %d: want %d and %d", name, low, high, l, h)
		}
	}
	return a.pyramid != nil && a.Err() == nil
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// No pyramid is made of a run that goes on or has changed since it was opened, nor where somebody stops it or a link
// stands in its place; then none is left.
func TestPyramidIsNotMade(t *testing.T) {
	dir := long(t, 3000)
	path := filepath.Join(dir, PyramidFile)
	stop := make(chan struct{})
	close(stop)
	a := opened(t, Open, dir)
	if err := a.WritePyramid(stop); err == nil || !strings.Contains(err.Error(), "not wanted") {
		t.Errorf("%v: want that it was stopped", err)
	}
	if a.WantsPyramid() {
		t.Error("3000 rows: want no pyramid")
	}
	frames := filepath.Join(dir, FramesFile)
	if err := os.Chtimes(frames, time.Now().Add(time.Hour), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := a.WritePyramid(nil); err == nil || !strings.Contains(err.Error(), "has changed") {
		t.Errorf("%v: want that the archive has changed", err)
	}
	a.Manifest.Status = rths.Running
	if err := a.WritePyramid(nil); err == nil || !strings.Contains(err.Error(), "not final") {
		t.Errorf("%v: want that the run goes on", err)
	}
	if names, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(names) != 2 {
		t.Errorf("%v, %q: want the archive alone", err, names)
	}
	if err := os.Symlink(filepath.Join(t.TempDir(), "elsewhere"), path); err != nil {
		t.Fatal(err)
	}
	if err := opened(t, Open, dir).WritePyramid(nil); err == nil || !strings.Contains(err.Error(), "no plain file") {
		t.Errorf("%v: want no link", err)
	}
}

// FuzzPyramid reads any bytes as a head, with a right CRC or not: an error, or a head that is written as it was read
// and whose batches lie in the archive; no panic.
func FuzzPyramid(f *testing.F) {
	p := &pyramid{identity: identity{size: 4000, changed: 5}, names: []string{"time_s", "x"}, rows: 200,
		list: []block{{0, 150, 100, 1200}, {150, 50, 2600, 400}}}
	head := p.head()[len(pyramidMagic)+4:]
	f.Add(head[:len(head)-4], true)
	f.Add(p.head(), false)
	f.Fuzz(func(t *testing.T, text []byte, right bool) {
		if right {
			order := binary.LittleEndian
			b := order.AppendUint32([]byte(pyramidMagic), uint32(len(text)))
			text = order.AppendUint32(append(b, text...), crc32.Checksum(text, castagnoli))
		}
		for _, more := range []int64{0, 8} { // the columns without blocks have a CRC alone
			p, err := parsePyramid(bytes.NewReader(text), int64(len(text))+more)
			if err != nil {
				continue
			}
			if !bytes.Equal(p.head(), text[:p.bytes]) {
				t.Errorf("%q: want %q", p.head(), text)
			}
			for _, one := range p.list {
				last := one.at + one.stride*int64(len(p.names)-1) + 8*int64(one.rows)
				if one.at < 0 || one.rows < 1 || last > p.size || last < 0 {
					t.Errorf("%+v: want a batch within %d bytes", one, p.size)
				}
			}
			for i := range p.names {
				p.column(bytes.NewReader(text), i)
			}
		}
	})
}
