package numerical

import (
	"sync/atomic"

	"rths/lab/ring"
)

// sides is the loop's side of the two rings, and what it knows of the other process.
type sides struct {
	ask    *ring.Producer
	give   *ring.Consumer
	origin float64 // the start, s of realtime.Now
	ended  atomic.Pointer[error]
}

// Connect gives the link its rings.
func (p *sides) Connect(ask *ring.Producer, give *ring.Consumer) { p.ask, p.give = ask, give }

// Start says when the test has started, ns of realtime.Now.
func (p *sides) Start(origin int64) { p.origin = float64(origin) / 1e9 }

// Ended says that the process has ended.
func (p *sides) Ended(why error) { p.ended.Store(&why) }

// Err is why nothing comes any more, as far as the link knows.
func (p *sides) Err() error {
	if why := p.ended.Load(); why != nil {
		return *why
	}
	return nil
}

// Close gives the rings back.
func (p *sides) Close() {
	if p.ask != nil {
		p.ask.Close()
		p.give.Close()
	}
}
