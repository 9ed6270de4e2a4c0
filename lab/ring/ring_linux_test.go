package ring_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"rths/kit/rthstest"
	"rths/lab/realtime"
	"rths/lab/ring"
)

func shape(width, rows int) ring.Shape {
	return ring.Shape{Session: 0x1122334455667788, Columns: 0x99aabbccddeeff00, Width: width, Rows: rows, RateHz: 4096}
}

// tb is what tests, benchmarks, fuzz targets and random cases have in common.
type tb interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
	Errorf(string, ...any)
}

// create makes a ring and opens its other side.
func create(t tb, path string, s ring.Shape) (*ring.Producer, *ring.Consumer) {
	t.Helper()
	c, err := ring.Create(path, s)
	if err != nil {
		t.Fatal(err)
	}
	p, err := ring.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return p, c
}

func newRing(t testing.TB, width, rows int) (*ring.Producer, *ring.Consumer, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ring")
	p, c := create(t, path, shape(width, rows))
	t.Cleanup(func() { p.Close(); c.Close() })
	return p, c, path
}

// put writes row i, which has its number in every column, or returns false if there is no place.
func put(p *ring.Producer, i uint64) bool {
	row := p.Next()
	if row == nil {
		return false
	}
	for j := range row {
		row[j] = float64(i)
	}
	p.Publish()
	return true
}

func checkRow(t tb, row []float64, i uint64) {
	t.Helper()
	for j, v := range row {
		if v != float64(i) {
			t.Fatalf("row %d, column %d: %g", i, j, v)
		}
	}
}

// drain takes all rows from row i on, and returns the number of the next row.
func drain(t tb, c *ring.Consumer, row []float64, i uint64) uint64 {
	t.Helper()
	for ; c.Take(row); i++ {
		checkRow(t, row, i)
	}
	return i
}

// checkRest wants the rows from first to head in a ring whose processes have ended, and no others.
func checkRest(t tb, path string, first, head uint64) *ring.Rest {
	t.Helper()
	r, err := ring.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.First != first || r.Head != head {
		t.Fatalf("rows %d to %d are left: want %d to %d", r.First, r.Head, first, head)
	}
	row := make([]float64, r.Shape.Width+1)
	for i := first; i < head; i++ {
		row[r.Shape.Width] = float64(i) // after the row
		if !r.Row(i, row) {
			t.Fatalf("row %d is not there", i)
		}
		checkRow(t, row, i)
	}
	if r.Row(head, row) || r.Row(first-1, row) {
		t.Errorf("there are more rows than %d to %d", first, head)
	}
	return r
}

// Every bit of a row arrives.
func TestRowsArrive(t *testing.T) {
	p, c, _ := newRing(t, 5, 4)
	want := []float64{math.Inf(-1), math.Copysign(0, -1), 1.0 / 3, math.MaxFloat64,
		math.Float64frombits(0x7ff8dead0000beef)}
	copy(p.Next(), want)
	p.Publish()
	got := make([]float64, 7)
	if !c.Take(got) || got[5] != 0 || got[6] != 0 {
		t.Fatalf("%v: want a row of 5 numbers", got)
	}
	for i := range want {
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
			t.Errorf("column %d: %x: want %x", i, got[i], want[i])
		}
	}
	if c.Take(got) {
		t.Error("a row was taken twice")
	}
	if p.Shape() != shape(5, 4) || c.Shape() != shape(5, 4) {
		t.Errorf("shapes %+v, %+v: want %+v", p.Shape(), c.Shape(), shape(5, 4))
	}
}

// Any rate above 0 will do.
func TestRates(t *testing.T) {
	for _, rate := range []float64{math.SmallestNonzeroFloat64, math.MaxFloat64} {
		p, c := create(t, filepath.Join(t.TempDir(), "ring"), ring.Shape{Width: 1, Rows: 1, RateHz: rate})
		if p.Shape().RateHz != rate || c.Shape().RateHz != rate {
			t.Errorf("%g and %g rows per second: want %g", p.Shape().RateHz, c.Shape().RateHz, rate)
		}
		p.Close()
		c.Close()
	}
}

// A full ring has no place, and a row that has no place is not published.
func TestFullRing(t *testing.T) {
	p, c, _ := newRing(t, 2, 3)
	row := make([]float64, 2)
	for i := range uint64(3) {
		put(p, i)
	}
	if p.Next() != nil {
		t.Fatal("a fourth place in a ring of 3 rows")
	}
	p.Publish()
	if c.Head() != 3 || p.Behind() != 3 || c.Behind() != 3 {
		t.Fatalf("head %d, %d and %d rows behind: want 3", c.Head(), p.Behind(), c.Behind())
	}
	if !c.Take(row) || !put(p, 3) || p.Next() != nil {
		t.Fatal("a row taken: want one place")
	}
	if n := drain(t, c, row, 1); n != 4 {
		t.Fatalf("%d rows: want 4", n)
	}
}

// Publish publishes a row once, and a place that was asked for twice is the same.
func TestPublishOnce(t *testing.T) {
	p, c, _ := newRing(t, 1, 3)
	p.Publish()
	if c.Head() != 0 {
		t.Error("a row without a place is published")
	}
	if first, second := p.Next(), p.Next(); &first[0] != &second[0] {
		t.Error("two places for one row")
	}
	p.Publish()
	p.Publish()
	if c.Head() != 1 {
		t.Errorf("%d rows: want 1", c.Head())
	}
}

// Loop and supervisor in any order, beside a queue that has no end. Each ring ends in the middle of a row.
func TestAnyOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ring")
	rapid.Check(t, func(t *rapid.T) {
		width, rows := rapid.IntRange(1, 3).Draw(t, "width"), rapid.IntRange(1, 5).Draw(t, "rows")
		p, c := create(t, path, shape(width, rows))
		defer os.Remove(path)
		var head, tail, first uint64
		row := make([]float64, width)
		for _, write := range rapid.SliceOfN(rapid.Bool(), 0, 40).Draw(t, "writes") {
			switch full := head-tail == uint64(rows); {
			case write:
				if put(p, head) == full {
					t.Fatalf("%d rows, %d taken: a place %v", head, tail, !full)
				}
				if !full {
					head++
				}
			case c.Take(row) != (head > tail):
				t.Fatalf("%d rows, %d taken: want a row only if there is one", head, tail)
			case head > tail:
				checkRow(t, row, tail)
				tail++
			}
			if p.Behind() != int(head-tail) || c.Behind() != int(head-tail) {
				t.Fatalf("%d and %d rows behind: want %d", p.Behind(), c.Behind(), head-tail)
			}
		}
		if head >= uint64(rows) {
			first = head - uint64(rows)
		}
		if torn := p.Next(); torn != nil {
			torn[0] = -1
			if head >= uint64(rows) {
				first++
			}
		}
		p.Close()
		c.Close()
		if r := checkRest(t, path, first, head); r.Tail != tail {
			t.Fatalf("%d rows taken: want %d", r.Tail, tail)
		}
	})
}

// The numbers of rows may be any that a run can reach, and a loop that opens the ring goes on after the
// last row.
func TestLargeNumbers(t *testing.T) {
	const rows = 3
	for _, begin := range []uint64{1, rows, math.MaxUint32 - 1, math.MaxInt64 - rows} {
		path := filepath.Join(t.TempDir(), "ring")
		rthstest.Must(ring.Create(path, shape(2, rows))).Close()
		write(t, path, 64, begin)
		write(t, path, 128, begin)
		p := rthstest.Must(ring.Open(path))
		for i := begin; i < begin+rows; i++ {
			if !put(p, i) {
				t.Fatalf("row %d has no place", i)
			}
		}
		if p.Next() != nil || p.Behind() != rows {
			t.Errorf("%d rows behind: want %d and no place", p.Behind(), rows)
		}
		p.Close()
		checkRest(t, path, begin, begin+rows)
	}
}

// write writes a number into a file.
func write(t tb, path string, offset int64, v any) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	text, err := binary.Append(nil, binary.NativeEndian, v)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteAt(text, offset); err != nil {
		t.Fatal(err)
	}
}

// What one side says the other side hears, and what is left says it too.
func TestSaid(t *testing.T) {
	p, c, path := newRing(t, 1, 1)
	if c.State() != 0 || c.LoopBeat() != 0 || p.Request() != 0 || p.SupervisorBeat() != 0 {
		t.Error("a new ring: want zeros")
	}
	p.SetState(3)
	p.Beat(-4)
	c.SetRequest(5)
	c.Beat(6)
	if c.State() != 3 || c.LoopBeat() != -4 || p.Request() != 5 || p.SupervisorBeat() != 6 {
		t.Errorf("%d %d %d %d: want 3 -4 5 6", c.State(), c.LoopBeat(), p.Request(), p.SupervisorBeat())
	}
	p.Counters()[ring.Counters-1].Store(7)
	if n := c.Counters()[ring.Counters-1].Load(); n != 7 {
		t.Errorf("the last counter is %d: want 7", n)
	}
	p.Close()
	c.Close()
	rest := rthstest.Must(ring.Read(path))
	if n := rest.Counters(); len(n) != ring.Counters || n[0].Load() != 0 || n[ring.Counters-1].Load() != 7 {
		t.Errorf("%d counters, the first and last not 0 and 7", len(n))
	}
	rest.Close()
	if r := checkRest(t, path, 0, 0); r.State != 3 || r.LoopBeat != -4 || r.Request != 5 || r.SupervisorBeat != 6 ||
		r.Shape != shape(1, 1) {
		t.Errorf("%+v: want 3 -4 5 6", r)
	}
}

// The file is what the comment of the package says.
func TestLayout(t *testing.T) {
	p, c, path := newRing(t, 2, 3)
	put(p, 0)
	put(p, 1)
	c.Take(make([]float64, 2))
	p.SetState(3)
	p.Beat(4)
	c.Beat(5)
	c.SetRequest(6)
	p.Counters()[7].Store(9)
	want := make([]byte, ring.Bytes(2, 3))
	copy(want, "rthsring")
	for offset, v := range map[int]any{
		8: uint32(2), 12: uint32(36864), 16: uint64(0x1122334455667788), 24: uint64(0x99aabbccddeeff00), 32: uint32(2),
		36: uint32(3), 40: 4096.0,
		64: uint64(2), 72: uint64(3), 80: int64(4), 128: uint64(1), 136: int64(5), 144: uint64(6), 4096 + 7*8: uint64(9),
		36864 + 2*8: 1.0, 36864 + 3*8: 1.0,
	} {
		if _, err := binary.Encode(want[offset:], binary.NativeEndian, v); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("error %v\n%x\nwant\n%x", err, got, want)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, error %v: want 0600", info.Mode(), err)
	}
}

// While a side has the ring, nobody recovers it; during a recovery, no loop opens it.
func TestInUse(t *testing.T) {
	p, c, path := newRing(t, 1, 1)
	refused := func(who string) {
		t.Helper()
		if _, err := ring.Read(path); !errors.Is(err, ring.ErrInUse) {
			t.Errorf("%s: error %v: want %v", who, err, ring.ErrInUse)
		}
	}
	refused("both sides")
	p.Close()
	refused("the supervisor")
	p = rthstest.Must(ring.Open(path))
	c.Close()
	refused("the loop")
	p.Close()
	r := rthstest.Must(ring.Read(path))
	refused("another recovery")
	_, err := ring.Open(path)
	rthstest.WantError(t, err, "recovered")
	if err := r.Remove(); err != nil {
		t.Error(err)
	}
	if _, err := ring.Read(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v: want no file", err)
	}
}

// A ring that is there is not written over. A ring that is removed is gone, and the loop can go on.
func TestCreateAndRemove(t *testing.T) {
	p, c, path := newRing(t, 1, 2)
	put(p, 0)
	_, err := ring.Create(path, shape(1, 1))
	if !errors.Is(err, fs.ErrExist) {
		t.Errorf("error %v: want one that says that the file exists", err)
	}
	rthstest.WantError(t, err, "recover")
	if err := c.Remove(); err != nil {
		t.Error(err)
	}
	if _, err := ring.Open(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v: want no file", err)
	}
	if !put(p, 1) || put(p, 2) {
		t.Error("the loop has another ring than before")
	}
	p.Close()
	p.Close() // again: nothing to do
	if _, err := ring.Create(filepath.Join(path, "ring"), shape(1, 1)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v: want no folder", err)
	}
}

// held is how often this process has a file mapped and open.
func held(path string) (mapped, open int) {
	mapped = bytes.Count(rthstest.Must(os.ReadFile("/proc/self/maps")), []byte(path))
	for _, f := range rthstest.Must(os.ReadDir("/proc/self/fd")) {
		if to, err := os.Readlink("/proc/self/fd/" + f.Name()); err == nil && strings.HasPrefix(to, path) {
			open++
		}
	}
	return mapped, open
}

func checkHeld(t tb, path string, want int) {
	t.Helper()
	if mapped, open := held(path); mapped != want || open != want {
		t.Errorf("%s is mapped %d times and open %d times: want %d", path, mapped, open, want)
	}
}

// A ring that is closed or removed is not held any longer, by whatever side.
func TestClose(t *testing.T) {
	p, c, path := newRing(t, 1, 1)
	checkHeld(t, path, 2)
	p.Close()
	checkHeld(t, path, 1)
	c.Close()
	rthstest.Must(ring.Read(path)).Close()
	if err := rthstest.Must(ring.Read(path)).Remove(); err != nil {
		t.Error(err)
	}
	p, c = create(t, path, shape(1, 1))
	defer p.Close()
	if err := c.Remove(); err != nil {
		t.Error(err)
	}
	checkHeld(t, path, 1) // the loop
}

// A damaged header is an error.
func TestDamage(t *testing.T) {
	for _, c := range []struct {
		name   string
		offset int64
		value  any
		want   string
	}{
		{"magic", 7, byte('k'), "no ring"},
		{"half made", 0, uint64(0), "no ring"},
		{"version", 8, uint32(1), "use the rths that made it"},
		{"header", 12, uint32(8192), "use the rths that made it"},
		{"no columns", 32, uint32(0), "want 1 to"},
		{"no rows", 36, uint32(0), "want 1 to"},
		{"more columns", 32, uint32(3), "damaged: a file of"},
		{"more rows", 36, uint32(4), "damaged: a file of"},
		{"2^67 bytes", 32, [2]uint32{math.MaxUint32, math.MaxUint32}, "less than 2^63 bytes"},
		{"2^64+48 bytes", 32, [2]uint32{1 << 31, 1 << 30}, "want 1 to"},
		{"rate", 40, math.NaN(), "rows per second"},
		{"head", 64, uint64(4), "4 rows are published and 0 of them taken"},
		{"tail", 128, uint64(1), "0 rows are published and 1 of them taken"},
		{"head and tail", 64, [9]uint64{math.MaxInt64 + 1, 8: math.MaxInt64 + 1}, "want at most 3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "ring")
			rthstest.Must(ring.Create(path, shape(2, 3))).Close()
			write(t, path, c.offset, c.value)
			checkRefused(t, path, c.want)
		})
	}
	for size, want := range map[int64]string{0: "a file of 0 bytes", 36863: "a file of 36863 bytes", 36864: "damaged",
		ring.Bytes(2, 3) - 1: "damaged", ring.Bytes(2, 3) + 1: "damaged"} {
		path := filepath.Join(t.TempDir(), "ring")
		rthstest.Must(ring.Create(path, shape(2, 3))).Close()
		if err := os.Truncate(path, size); err != nil {
			t.Fatal(err)
		}
		checkRefused(t, path, want)
	}
	if _, err := ring.Read(t.TempDir()); err == nil {
		t.Error("a folder is a ring")
	}
}

func checkRefused(t *testing.T, path, want string) {
	t.Helper()
	_, err := ring.Open(path)
	rthstest.WantError(t, err, want)
	_, err = ring.Read(path)
	rthstest.WantError(t, err, want)
	checkHeld(t, path, 0)
	if err == nil || !bytes.Contains([]byte(err.Error()), []byte(path)) {
		t.Errorf("%v: want the path of the file", err)
	}
}

// A file that is cut while its rows are read gives no rows, and no fault.
func TestRestCut(t *testing.T) {
	p, c, path := newRing(t, 2, 3)
	put(p, 0)
	put(p, 1)
	p.Close()
	c.Close()
	r := rthstest.Must(ring.Read(path))
	defer r.Close()
	if err := os.Truncate(path, 36864+16+8); err != nil {
		t.Fatal(err)
	}
	if row := make([]float64, 2); !r.Row(0, row) || r.Row(1, row) {
		t.Error("want row 0 and not row 1, which is cut")
	}
}

// What the loop and the supervisor do in each tick allocates nothing.
func TestNoAllocation(t *testing.T) {
	p, c, _ := newRing(t, 47, 8)
	row := make([]float64, 47)
	if n := testing.AllocsPerRun(1000, func() {
		p.Next()[0] = 1
		p.Publish()
		p.SetState(1 + p.Request())
		p.Beat(max(realtime.Now(), p.SupervisorBeat()) + int64(p.Behind()))
		if !c.Take(row) {
			t.Fatal("no row")
		}
		c.SetRequest(1 + c.State())
		c.Beat(max(realtime.Now(), c.LoopBeat()) + int64(c.Behind()))
	}); n != 0 {
		t.Errorf("%g allocations: want none", n)
	}
}

// The race detector sees both sides of a ring on the heap, and every row arrives whole through a file.
func TestBothSidesAtOnce(t *testing.T) {
	heapP, heapC := ring.OnHeap(shape(47, 8))
	bothSides(t, heapP, heapC)
	p, c, _ := newRing(t, 47, 8)
	bothSides(t, p, c)
}

func bothSides(t *testing.T, p *ring.Producer, c *ring.Consumer) {
	t.Helper()
	const rows = 20000
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for i := uint64(0); i < rows; {
			if put(p, i) {
				i++
			} else {
				runtime.Gosched()
			}
			p.Beat(realtime.Now())
		}
	}()
	row := make([]float64, 47)
	for i := uint64(0); i < rows; i = drain(t, c, row, i) {
		c.Beat(realtime.Now())
		runtime.Gosched()
	}
	<-ended
}

// benchRing is a ring of 1024 rows in memory, as in a test in the laboratory.
func benchRing(b *testing.B) (*ring.Producer, *ring.Consumer) {
	b.Helper()
	folder, err := os.MkdirTemp("/dev/shm", "ring")
	if err != nil {
		b.Skip(err)
	}
	b.Cleanup(func() { os.RemoveAll(folder) })
	p, c := create(b, filepath.Join(folder, "ring"), shape(47, 1024))
	b.Cleanup(func() { p.Close(); c.Close() })
	return p, c
}

// half moves 512 rows of 47 numbers. One side's time counts.
func half(b *testing.B, timed func(p *ring.Producer, c *ring.Consumer) (before, counts func())) {
	p, c := benchRing(b)
	before, counts := timed(p, c)
	for b.Loop() {
		b.StopTimer()
		before()
		b.StartTimer()
		counts()
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/512, "ns/row")
}

func sides(p *ring.Producer, c *ring.Consumer) (write, take func()) {
	row, values := make([]float64, 47), make([]float64, 47)
	write = func() {
		for range 512 {
			copy(p.Next(), values)
			p.Publish()
		}
	}
	take = func() {
		for c.Take(row) {
		}
	}
	return write, take
}

// BenchmarkPublish is a row of 47 numbers by the loop.
func BenchmarkPublish(b *testing.B) {
	half(b, func(p *ring.Producer, c *ring.Consumer) (before, counts func()) {
		write, take := sides(p, c)
		return take, write
	})
}

// BenchmarkTake is a row of 47 numbers by the supervisor.
func BenchmarkTake(b *testing.B) { half(b, sides) }

// A consumer that waits is woken by the row, wherever in its wait this comes; without one it
// wakes when the time is over.
func TestWait(t *testing.T) {
	p, c, _ := newRing(t, 2, 8)
	row := make([]float64, 2)
	if began := time.Now(); c.Wait(30*time.Millisecond) || time.Since(began) > 10*time.Second {
		t.Error("there was no row")
	}
	ended := make(chan uint64)
	go func() {
		taken := uint64(0)
		for deadline := time.Now().Add(30 * time.Second); taken < 5000 && time.Now().Before(deadline); {
			for taken < 5000 && c.Wait(10*time.Second) && c.Take(row) {
				taken++
			}
		}
		ended <- taken
	}()
	began := time.Now()
	for i := uint64(0); i < 5000; {
		if put(p, i) {
			p.Wake()
			i++
		}
		if i%7 == 0 {
			time.Sleep(time.Microsecond)
		}
	}
	// A lost wake-up costs the 10 s of a wait.
	if taken := <-ended; taken != 5000 || time.Since(began) > 9*time.Second {
		t.Errorf("%d of 5000 rows in %v", taken, time.Since(began))
	}
}
