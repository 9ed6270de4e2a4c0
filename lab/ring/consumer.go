package ring

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Consumer is the supervisor's side of a ring. It belongs to one goroutine.
type Consumer struct {
	side
	path string
}

// Create makes a ring. The file must not exist yet, and if Create fails, Create leaves no file. The room
// for all rows is taken at once: a folder that is too small is an error here and does not end the loop
// later.
func Create(path string, s Shape) (*Consumer, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	file, err := openFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%w: an earlier test left its rows there: recover them, or remove the file", err)
	}
	if err != nil {
		return nil, err
	}
	c, err := newConsumer(file, s)
	if err != nil {
		os.Remove(path) // before the lock goes with the file
		file.Close()
		return nil, advise(filepath.Dir(path), s, err)
	}
	c.path = path
	return c, nil
}

func newConsumer(file *os.File, s Shape) (*Consumer, error) {
	if locked, err := lockShared(file); err != nil {
		return nil, err
	} else if !locked {
		return nil, errors.New("another program reads the file already: try again")
	}
	size := Bytes(s.Width, s.Rows)
	if err := reserve(file, size); err != nil {
		return nil, err
	}
	mapped, err := mapFile(file, size)
	if err != nil {
		return nil, err
	}
	c := &Consumer{side: newSide(file, mapped, s, 0)}
	c.begin(s)
	return c, nil
}

// advise says what to do where a ring cannot be made.
func advise(folder string, s Shape, err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT):
		return noRoom(folder, s, err)
	case errors.Is(err, errors.ErrUnsupported):
		return fmt.Errorf("%w: %s cannot reserve the space for a ring in advance: want a folder that can, such as "+
			"/dev/shm", err,
			folder)
	}
	return fmt.Errorf("a ring of %d columns × %d rows in %s: %w", s.Width, s.Rows, folder, err)
}

func noRoom(folder string, s Shape, err error) error {
	free := "an unknown number of bytes"
	if n, err := Room(folder); err == nil {
		free = fmt.Sprintf("%d bytes", n)
	}
	return fmt.Errorf("%w: %s has %s free, and a ring of %d columns × %d rows wants %d bytes: "+
		"remove what earlier tests left there, enlarge the folder (a container: --shm-size), or record fewer columns or a "+
		"shorter test",
		err, folder, free, s.Width, s.Rows, Bytes(s.Width, s.Rows))
}

// Take copies the oldest row that has not been taken to dst, Width numbers, and gives the row's place
// back to the loop. Take returns false if there is no such row.
func (c *Consumer) Take(dst []float64) bool {
	if c.head.Load() == c.next {
		return false
	}
	copy(dst[:c.shape.Width], c.row())
	c.advance()
	c.tail.Store(c.next)
	return true
}

// Wait sleeps until there is a row to take or the time is over; a signal may end it early. The producer has to
// call Wake.
func (c *Consumer) Wait(most time.Duration) bool {
	if c.head.Load() == c.next {
		sleep(c.headWord(), uint32(c.next), most)
	}
	return c.head.Load() != c.next
}

// Head is the number of rows that the loop has published.
func (c *Consumer) Head() uint64 { return c.head.Load() }

// Behind is the number of rows that wait to be taken.
func (c *Consumer) Behind() int { return int(c.head.Load() - c.next) }

// State is the state of the loop; 0 before its first SetState.
func (c *Consumer) State() uint64 { return c.state.Load() }

// LoopBeat is the instant at which the loop was last alive; 0 before its first Beat.
func (c *Consumer) LoopBeat() int64 { return c.loopBeat.Load() }

// SetRequest tells the loop what the supervisor wants.
func (c *Consumer) SetRequest(request uint64) { c.request.Store(request) }

// Beat tells the loop that the supervisor was alive at the instant now (realtime.Now).
func (c *Consumer) Beat(now int64) { c.supervisorBeat.Store(now) }

// Remove removes the file and closes the ring. A loop that still has the ring keeps its memory.
func (c *Consumer) Remove() error {
	err := os.Remove(c.path)
	c.Close()
	return err
}
