package ring

import (
	"errors"
	"fmt"
	"os"
)

// Producer is the loop's side of a ring. It belongs to one goroutine.
type Producer struct {
	side
	writing bool // Next has given a place, and Publish has not been called yet
}

// Open opens the ring that the supervisor has made. The caller compares Session and Columns of the Shape
// with its own.
func Open(path string) (*Producer, error) {
	file, err := openFile(path, os.O_RDWR)
	if err != nil {
		return nil, err
	}
	p, err := newProducer(file)
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

func newProducer(file *os.File) (*Producer, error) {
	if locked, err := lockShared(file); err != nil {
		return nil, err
	} else if !locked {
		return nil, errors.New("the rows of this ring are being recovered: make a new ring for a new test")
	}
	h, s, err := readHeader(file)
	if err != nil {
		return nil, err
	}
	mapped, err := mapFile(file, Bytes(s.Width, s.Rows))
	if err != nil {
		return nil, err
	}
	return &Producer{side: newSide(file, mapped, s, h.head.Load())}, nil
}

// Next is the place for the next row, Width numbers in the ring itself. The place holds an old row: the
// caller writes every number and then calls Publish. Next is nil while the supervisor lags by a whole
// ring: a row is not overwritten before the supervisor has taken it.
func (p *Producer) Next() []float64 {
	if p.writing = p.next-p.tail.Load() < uint64(p.shape.Rows); !p.writing {
		return nil
	}
	return p.row()
}

// Publish shows the row to the supervisor. If Next has given no place, Publish does nothing.
func (p *Producer) Publish() {
	if !p.writing {
		return
	}
	p.writing = false
	p.advance()
	p.head.Store(p.next)
}

// Wake wakes a consumer in Wait. It costs a system call that does not wait.
func (p *Producer) Wake() { wake(p.headWord()) }

// Behind is the number of rows that the supervisor has not taken yet.
func (p *Producer) Behind() int { return int(p.next - p.tail.Load()) }

// SetState tells the supervisor the state of the loop.
func (p *Producer) SetState(state uint64) { p.state.Store(state) }

// Beat tells the supervisor that the loop was alive at the instant now (realtime.Now).
func (p *Producer) Beat(now int64) { p.loopBeat.Store(now) }

// Request is what the supervisor wants of the loop; 0 before the first SetRequest.
func (p *Producer) Request() uint64 { return p.request.Load() }

// SupervisorBeat is the instant at which the supervisor was last alive; 0 before its first Beat.
func (p *Producer) SupervisorBeat() int64 { return p.supervisorBeat.Load() }
