// Package numerical has the numerical part of a test in a process of its own (two_rate.process: own; Zhu et
// al. 2014, section 2: computer 1). At every main instant the loop posts the actions on the structure and the
// force of the specimen (Link), the process makes the main step (Server), and the loop collects the result
// at the next main instant. Between them lie two rings, one in each direction: neither side waits for the
// other with a lock, and the loop never waits at all. A process that has died is one whose results do not
// come.
//
// Not for parts that are integrated within a sample: there the loop does it, without a second processor.
package numerical

import (
	"fmt"
	"time"

	"rths"
	"rths/lab/realtime"
	"rths/lab/ring"
	"rths/model/integrate"
)

// Places of the numbers in front of a row of the ring that asks.
const (
	askTaken   = iota // when the loop had the reading of the main instant, s since the start
	askColumns        // here the row of integrate.Calculator begins
)

// The same of the ring that gives.
const (
	giveTaken   = iota // as asked
	giveDone           // when the main step was made, s of realtime.Now
	giveColumns        // here the row of integrate.Calculator begins
)

// Shapes are the rings between a loop and a calculator: for what is asked and what is given. late is
// the most results that may be missing. number is one that both processes know.
func Shapes(c *integrate.Calculator, number uint64, late int, rateHz float64) (ask, give ring.Shape) {
	ask = ring.Shape{Session: number, Width: askColumns + c.Asks(), Rows: late + spare, RateHz: rateHz}
	give = ring.Shape{Session: number, Width: giveColumns + c.Gives(), Rows: late + spare, RateHz: rateHz}
	return ask, give
}

// spare is how many rows a ring has beyond the results that may be missing: then the loop posts nothing more.
const spare = 4

// Link is the loop's side: the Exchange of integrate.TwoRate. Its methods do not wait and allocate nothing.
type Link struct {
	sides
	steps     int // samples in a main step
	collected int
	row       []float64
	rest      *rths.Flusher // of the result in row
	taken     *float64      // when the loop had its present reading, s since the start
	fresh     bool          // nothing was collected since the last post
	// from the reading of the main instant to the result, the longest of those collected at once, µs
	took    float64
	arrived float64 // of the newest result, s since the start
}

// NewLink is a link before its rings. taken shows when the loop had its present reading, s since the start; steps is
// the number of samples in a main step.
func NewLink(taken *float64, steps int) *Link { return &Link{taken: taken, steps: steps} }

// Connect gives the link its rings.
func (l *Link) Connect(ask *ring.Producer, give *ring.Consumer) {
	l.sides.Connect(ask, give)
	l.row = make([]float64, give.Shape().Width)
	l.rest = rths.NewFlusher(row(l.row[giveColumns:]))
}

// Post gives what a main step needs to the process.
func (l *Link) Post(asked []float64) {
	l.fresh = true
	slot := l.ask.Next()
	if slot == nil { // the results of a whole ring are missing
		return
	}
	slot[askTaken] = *l.taken
	copy(slot[askColumns:], asked)
	l.ask.Publish()
	l.ask.Wake()
}

// Collect takes the oldest result that has come.
func (l *Link) Collect(given []float64) bool {
	if !l.give.Take(l.row) {
		return false
	}
	l.rest.Between(l.collected*l.steps, (l.collected+1)*l.steps)
	l.collected++
	l.arrived = l.row[giveDone] - l.origin
	took := 1e6 * (l.arrived - l.row[giveTaken])
	if !l.fresh {
		took = max(took, l.took)
	}
	l.took, l.fresh = took, false
	copy(given, l.row[giveColumns:])
	return true
}

// Channels say when the newest result has come.
func (l *Link) Channels() []rths.Channel { return channels(&l.arrived, &l.took) }

func channels(arrived, took *float64) []rths.Channel {
	return rths.NamedChannels([]rths.Channel{
		{Meaning: rths.Meaning{Quantity: "main_arrived_at"}, Unit: "s", V: arrived},
		{Meaning: rths.Meaning{Quantity: "main_took"}, Unit: "us", V: took},
	})
}

// row is a row as a state.
type row []float64

func (r row) VisitState(v *rths.StateVisitor) { v.Floats(r) }

// Server makes main steps for a loop.
type Server struct {
	calc    *integrate.Calculator
	steps   int
	rest    *rths.Flusher
	request []float64
	spare   []float64 // a result that has no place
	made    int
	now     func() int64 // realtime.Now
}

// NewServer serves with a calculator; steps is the number of samples in a main step.
func NewServer(c *integrate.Calculator, steps int) *Server {
	return &Server{calc: c, steps: steps, rest: rths.NewFlusher(c), spare: make([]float64, c.Gives()), now: realtime.Now}
}

// Longest makes so many main steps at rest and says how long the longest took, without the first, which meets its
// memory for the first time. Longest leaves the state as it was.
func (s *Server) Longest(n int) (most time.Duration) {
	state := rths.AppendState(nil, s.calc)
	still := make([]float64, s.calc.Asks())
	for i := range n + 1 {
		begun := s.now()
		s.calc.Step(s.spare, still)
		if took := s.now() - begun; i > 0 {
			most = max(most, time.Duration(took))
		}
	}
	rths.SetState(state, s.calc)
	return most
}

// patience is how long the server sleeps before it looks whether it is still wanted.
const patience = 50 * time.Millisecond

// Serve makes main steps as they are asked for, until stop says that nobody wants them any more.
func (s *Server) Serve(ask *ring.Consumer, give *ring.Producer, stop func() bool) {
	s.request = make([]float64, ask.Shape().Width)
	for !stop() {
		for ask.Wait(patience) && ask.Take(s.request) {
			s.step(give)
		}
	}
}

// Step makes the next main step.
func (s *Server) Step(given, asked []float64) {
	s.rest.Between((s.made-1)*s.steps, s.made*s.steps)
	s.made++
	s.calc.Step(given, asked)
}

// step makes a main step for the ring.
func (s *Server) step(give *ring.Producer) {
	slot := give.Next()
	if slot == nil { // the loop does not collect any more
		s.Step(s.spare, s.request[askColumns:])
		return
	}
	s.Step(slot[giveColumns:], s.request[askColumns:])
	slot[giveTaken], slot[giveDone] = s.request[askTaken], float64(s.now())/1e9
	give.Publish()
}

// Match refuses a ring of another shape than the calculator's.
func Match(got, want ring.Shape) error {
	if got != want {
		return fmt.Errorf(
			"a ring of %d × %d numbers of session %d: want %d × %d of session %d: both processes must be of one version and "+
				"one scenario", got.Width, got.Rows, got.Session, want.Width, want.Rows, want.Session)
	}
	return nil
}
