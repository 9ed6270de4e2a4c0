// Package ring is the memory that two processes of a test in the laboratory share. The loop
// (Producer) writes one row of numbers at every tick. The supervisor (Consumer) takes the rows and
// records them. A ring has one producer and one consumer. Two more rings lie between the loop and a
// numerical part in a process of its own, one in each direction (package numerical).
//
// A ring is a file that both processes map into their memory. The file lies in a folder that is memory
// itself, normally /dev/shm: the loop must not wait for a disk. The file outlives both processes: after
// a crash, Read gives the rows that are still there. The file does not outlive the computer: after a
// power failure the rows are gone.
//
// The loop never waits: once Open has returned, no method of the Producer allocates, locks or fails. A
// program that shortens the file ends both processes (SIGBUS). Only Linux has rings.
//
// # Layout, version 2
//
// Numbers are in the byte order of the machine, which is little endian on amd64 and arm64. The file begins
// with a header of 36864 bytes. What the loop writes and what the supervisor writes is 64 bytes apart:
// the two processors do not compete for one line of their caches.
//
//	  0  8 bytes  "rthsring"
//	  8  uint32   version of the layout
//	 12  uint32   bytes of the header
//	 16  uint64   session
//	 24  uint64   hash of the columns
//	 32  uint32   width: numbers in a row
//	 36  uint32   rows
//	 40  float64  rate, rows per second
//	 64  uint64   head: rows that the loop has published
//	 72  uint64   state of the loop
//	 80  int64    beat of the loop, ns of realtime.Now
//	128  uint64   tail: rows that the supervisor has taken
//	136  int64    beat of the supervisor, ns of realtime.Now
//	144  uint64   request of the supervisor to the loop
//	4096 uint64   4096 counters of the loop
//
// The header is followed by rows × width numbers (float64). Row i has place i modulo rows. All bytes
// not named are 0.
package ring

import (
	"errors"
	"fmt"
	"math"
	"os"
	"sync/atomic"
	"unsafe"
)

// ErrInUse says that a process of the test still has the ring.
var ErrInUse = errors.New("the test is still running")

// Counters is how many numbers a loop can show beside its rows.
const Counters = 4096

const (
	magic       = "rthsring"
	version     = 2
	namedBytes  = 4096 // of the header, before the counters
	headerBytes = namedBytes + numberBytes*Counters
	numberBytes = 8
)

// header is the beginning of a ring. The fields stand where the layout has them.
type header struct {
	magic   [len(magic)]byte
	version uint32
	bytes   uint32
	session uint64
	columns uint64
	width   uint32
	rows    uint32
	rateHz  float64
	_       [16]byte

	head     atomic.Uint64
	state    atomic.Uint64
	loopBeat atomic.Int64
	_        [40]byte

	tail           atomic.Uint64
	supervisorBeat atomic.Int64
	request        atomic.Uint64
}

// Shape is what does not change in a ring.
type Shape struct {
	Session uint64  // number of the session of the test
	Columns uint64  // hash of names and units of the columns: both processes must mean the same columns
	Width   int     // numbers in a row
	Rows    int     // rows that the ring holds
	RateHz  float64 // rows per second
}

// Bytes is the size of a ring's file. No file is as large as math.MaxInt64, the answer for a ring that
// cannot be.
func Bytes(width, rows int) int64 {
	if width <= 0 || rows <= 0 || int64(rows) > (math.MaxInt64-headerBytes)/numberBytes/int64(width) {
		return math.MaxInt64
	}
	return headerBytes + int64(width)*int64(rows)*numberBytes
}

func (s Shape) check() error {
	if Bytes(s.Width, s.Rows) == math.MaxInt64 || max(int64(s.Width), int64(s.Rows)) > math.MaxUint32 {
		return fmt.Errorf("a ring of %d columns × %d rows: want 1 to 4294967295 of each, and less than 2^63 bytes in all",
			s.Width, s.Rows)
	}
	if !(s.RateHz > 0 && s.RateHz <= math.MaxFloat64) {
		return fmt.Errorf("a ring of %g rows per second: want more than 0", s.RateHz)
	}
	return nil
}

// begin writes a shape into a header of zeros. The magic is written last: half a header is no ring.
func (h *header) begin(s Shape) {
	h.version, h.bytes = version, headerBytes
	h.session, h.columns = s.Session, s.Columns
	h.width, h.rows, h.rateHz = uint32(s.Width), uint32(s.Rows), s.RateHz
	copy(h.magic[:], magic)
}

// shape is the shape of a header. A header that does not agree with the file's size or with itself is an
// error.
func (h *header) shape(size int64) (Shape, error) {
	s := Shape{Session: h.session, Columns: h.columns, Width: int(h.width), Rows: int(h.rows), RateHz: h.rateHz}
	if string(h.magic[:]) != magic {
		return s, fmt.Errorf("the file begins with %q: want %q: this is no ring, or its maker was killed while making it",
			h.magic, magic)
	}
	if h.version != version || h.bytes != headerBytes {
		return s, fmt.Errorf("a ring of version %d with a header of %d bytes: want %d and %d: use the rths that made it",
			h.version, h.bytes, version, headerBytes)
	}
	if err := s.check(); err != nil {
		return s, fmt.Errorf("the header is damaged: %w", err)
	}
	if want := Bytes(s.Width, s.Rows); size != want {
		return s, fmt.Errorf("the header or the file is damaged: a file of %d bytes: want %d for %d columns × %d rows",
			size, want, s.Width, s.Rows)
	}
	if head, tail := h.head.Load(), h.tail.Load(); head > math.MaxInt64 || head-tail > uint64(s.Rows) {
		return s, fmt.Errorf("the header is damaged: %d rows are published and %d of them taken: want at most %d between",
			head, tail, s.Rows)
	}
	return s, nil
}

// readHeader reads and checks the header of a file.
func readHeader(file *os.File) (*header, Shape, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, Shape{}, err
	}
	h := new(header)
	if info.Size() < headerBytes {
		return nil, Shape{}, fmt.Errorf("a file of %d bytes: want a ring, which has %d or more", info.Size(), headerBytes)
	}
	if _, err := file.ReadAt(unsafe.Slice((*byte)(unsafe.Pointer(h)), unsafe.Sizeof(*h)), 0); err != nil {
		return nil, Shape{}, err
	}
	s, err := h.shape(info.Size())
	return h, s, err
}

// side is a ring as one of the two processes has it.
type side struct {
	*header
	shape    Shape
	file     *os.File // has the lock
	mapped   []byte
	counters []atomic.Uint64
	data     []float64 // all rows
	next     uint64    // number of the row that this side writes or takes next
	at       int       // place of that row in data
}

// newSide is the side whose next row has the number next.
func newSide(file *os.File, mapped []byte, s Shape, next uint64) side {
	return side{
		header:   (*header)(unsafe.Pointer(&mapped[0])),
		shape:    s,
		file:     file,
		mapped:   mapped,
		counters: unsafe.Slice((*atomic.Uint64)(unsafe.Pointer(&mapped[namedBytes])), Counters),
		data:     unsafe.Slice((*float64)(unsafe.Pointer(&mapped[headerBytes])), s.Width*s.Rows),
		next:     next,
		at:       int(next%uint64(s.Rows)) * s.Width,
	}
}

// headWord is the low half of head, which changes with every row; the layout is little endian.
func (d *side) headWord() *uint32 { return (*uint32)(unsafe.Pointer(&d.head)) }

// Counters are numbers that the loop counts with and the supervisor reads at any time; 0 at the start.
func (d *side) Counters() []atomic.Uint64 { return d.counters }

// Shape is the shape of the ring.
func (d *side) Shape() Shape { return d.shape }

// row is the place of the next row.
func (d *side) row() []float64 {
	end := d.at + d.shape.Width
	return d.data[d.at:end:end]
}

func (d *side) advance() {
	d.next++
	if d.at += d.shape.Width; d.at == len(d.data) {
		d.at = 0
	}
}

// Close gives the ring back; the file stays. No other method may be called afterwards, and no slice of
// Next used.
func (d *side) Close() {
	if d.mapped == nil {
		return
	}
	unmap(d.mapped)
	d.file.Close()
	d.header, d.mapped, d.counters, d.data = nil, nil, nil, nil
}
