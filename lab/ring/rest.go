package ring

import (
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"
)

// Rest is what is left of a ring after its processes have ended. Rows that the supervisor had taken are
// there too, as far as the loop has not written over them: the supervisor may have died before the rows
// were in its record.
type Rest struct {
	Shape          Shape
	State          uint64 // of the loop
	Request        uint64 // of the supervisor
	LoopBeat       int64  // the last, ns of realtime.Now
	SupervisorBeat int64  // the last, ns of realtime.Now
	Head           uint64 // rows that the loop has published
	Tail           uint64 // rows that the supervisor has taken
	First          uint64 // the oldest row that is still whole, whether taken or not: rows First to Head-1 are there

	path string
	file *os.File // has the lock
}

// Read opens a ring whose processes have ended, for recovery. While one of them still has the ring, the
// error is ErrInUse. Read changes nothing in the file.
func Read(path string) (*Rest, error) {
	file, err := openFile(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	r, err := newRest(file)
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r.path = path
	return r, nil
}

func newRest(file *os.File) (*Rest, error) {
	if locked, err := lockAlone(file); err != nil {
		return nil, err
	} else if !locked {
		return nil, fmt.Errorf("%w: wait for its end", ErrInUse)
	}
	h, s, err := readHeader(file)
	if err != nil {
		return nil, err
	}
	r := &Rest{Shape: s, file: file,
		State: h.state.Load(), Request: h.request.Load(),
		LoopBeat: h.loopBeat.Load(), SupervisorBeat: h.supervisorBeat.Load(),
		Head: h.head.Load(), Tail: h.tail.Load(),
	}
	r.First = oldest(r.Head, r.Tail, uint64(s.Rows))
	return r, nil
}

// oldest is the oldest row that is still whole. Row head-rows shares its place with row head. Once row
// head-rows is taken, the loop may have begun to write row head there, and may have died in the middle.
func oldest(head, tail, rows uint64) uint64 {
	if head < rows {
		return 0
	}
	first := head - rows
	if tail > first {
		first++
	}
	return first
}

// Row copies row i to dst, Width numbers. Row returns false if row i is not there or cannot be read.
func (r *Rest) Row(i uint64, dst []float64) bool {
	if i < r.First || i >= r.Head {
		return false
	}
	dst = dst[:r.Shape.Width]
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&dst[0])), numberBytes*len(dst))
	_, err := r.file.ReadAt(bytes, headerBytes+int64(i%uint64(r.Shape.Rows))*int64(len(bytes)))
	return err == nil
}

// Counters are the last numbers that the loop counted with; zeros if they cannot be read.
func (r *Rest) Counters() []atomic.Uint64 {
	out := make([]atomic.Uint64, Counters)
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&out[0])), numberBytes*Counters)
	if _, err := r.file.ReadAt(bytes, namedBytes); err != nil {
		clear(bytes)
	}
	return out
}

// Close gives the ring back; the file stays.
func (r *Rest) Close() { r.file.Close() }

// Remove removes the file and closes the ring.
func (r *Rest) Remove() error {
	err := os.Remove(r.path)
	r.file.Close()
	return err
}
