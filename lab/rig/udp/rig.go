package udp

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"time"

	"rths"
	"rths/lab/rig/wire"
)

// none says that no datagram is there. A datagram may be empty.
const none = -1

// Times of the protocol: without an answer the last datagram is sent again, MostRepeats times
// in all; then the rig is silent.
const (
	RepeatAfter = time.Second // without an answer the last datagram is sent again
	MostRepeats = 5           // then the rig is silent
	lookEvery   = 50 * time.Millisecond
)

// Rig is a rig in another process. With clock lockstep, Read waits for the rig. With the rig's
// own clock, Read waits for the reading of its tick until Config.ReplyWithin after the instant
// at which it is expected, then gives the last reading with its age.
//
// Not for two loops at a time, nor for a loop whose ticks do not make one Read and one Write.
type Rig struct {
	socket *socket
	m      *wire.Master
	c      Config
	at     netip.AddrPort
	buf    [wire.MostBytes]byte
	k      uint64 // tick of the next Read or Write
	ahead  bool   // the master's reading is not used yet
	lag    clock
	last   int64 // instant of the last Read, ns
	late   int64 // how long the tick had been due then, ns
	slept  bool  // the Read had to wait
	silent error // the rig has gone, or the session has ended; nil: not
	told   bool  // that the rig takes no commands
	closed bool
	given  rths.Reading
	number uint64 // of given; None: none yet
	acted  uint64 // newest command that the rig had taken at given
	status wire.Status
	taken  int64 // when given was measured, ns on the rig's clock
}

// Config says what a loop wants of a rig.
type Config struct {
	Address     string // udp://host:port
	Expected    wire.Expectation
	ReplyWithin time.Duration // with the rig's own clock
	Notice      func(string)  // is told of a rig that does not answer, while the loop waits; nil: nobody
	Stop        func() bool   // asked while the loop waits for seconds: whether to give up; nil: never
}

// New makes a rig that Begin has to give a session. Nothing is sent yet: a loop can be built with it.
func New(c Config) (*Rig, error) {
	at, err := resolve(c.Address)
	if err != nil {
		return nil, err
	}
	key, err := Key(at)
	if err != nil {
		return nil, err
	}
	if at.Port() == 0 {
		return nil, fmt.Errorf("rig address %q: port 0: want the port that the rig listens at", c.Address)
	}
	r := &Rig{c: c, at: at, m: wire.NewMaster(c.Expected, key, draw()), number: wire.None}
	if r.socket, err = dial(at); err != nil {
		return nil, err
	}
	r.lag.period = 1e9 / c.Expected.RateHz
	r.given = c.Expected.Sensors.Reading()
	return r, nil
}

// Begin begins a session: hello and welcome, then a first reading, before anything moves. The
// error of a rig that does not answer, refuses, or is not what the loop wants says what to do; the
// rig is closed then.
func (r *Rig) Begin() error {
	err := r.begin()
	if err != nil {
		r.closed = true
		if r.m.Holds() { // the rig need not wait for this loop
			r.socket.send(r.m.Bye(r.socket.now()))
		}
		r.socket.close()
	}
	return err
}

// Dial makes a rig and begins a session.
func Dial(c Config) (*Rig, error) {
	r, err := New(c)
	if err != nil {
		return nil, err
	}
	return r, r.Begin()
}

// draw draws a number that nobody can guess; not 0.
func draw() uint64 {
	var b [8]byte
	for {
		rand.Read(b[:]) // does not fail
		if n := binary.LittleEndian.Uint64(b[:]); n != 0 {
			return n
		}
	}
}

// begin says hello and takes the first idle reading, which stands for reading 0 until that comes.
func (r *Rig) begin() error {
	event := r.ask(r.m.Hello(r.socket.now()), wire.Welcomed, wire.Refused)
	for i := 1; event == wire.Refused && r.m.Reason == wire.NotReady && !r.m.Holds() && i < MostRepeats &&
		!r.stopped(); i++ {
		r.notice(r.m.Why)
		for deadline := r.socket.now() + int64(RepeatAfter); r.wait(deadline); {
			r.take()
		}
		event = r.ask(r.m.Hello(r.socket.now()), wire.Welcomed, wire.Refused)
	}
	switch event {
	case wire.Nothing:
		return fmt.Errorf("rig at %s: %w: want a controller or rths rig listening there, with the same %s, if any", r.at,
			errSilent, KeyVariable)
	case wire.Refused:
		return fmt.Errorf("rig at %s: %s", r.at, r.m.Why)
	}
	if r.ask(r.m.Keep(r.socket.now()), wire.Measured, wire.Parted) != wire.Measured {
		return fmt.Errorf(
			"rig at %s: welcomed the loop, then gave no reading: want an answer to keep (docs/reference/protocol.md)", r.at)
	}
	r.deliver()
	r.number = wire.None
	return r.unfit()
}

// Idle asks for a reading before the first Read, and moves nothing; the rig sees that the loop is there. trip is
// the time from the question to the answer; with the rig's own clock the answer waits for the rig's next tick.
func (r *Rig) Idle(out *rths.Reading) (trip time.Duration, err error) {
	r.drain()
	asked := r.socket.now()
	switch r.askSince(asked, r.m.Keep(asked), wire.Measured, wire.Parted) {
	case wire.Nothing:
		return 0, fmt.Errorf("rig at %s: %w before the start", r.at, errSilent)
	case wire.Parted:
		return 0, r.parted()
	}
	trip = time.Duration(r.socket.now() - asked)
	r.deliver()
	r.number = wire.None
	out.Take(&r.given)
	return trip, r.unfit()
}

// unfit is the error of a rig that is at work though nothing was asked of it.
func (r *Rig) unfit() error {
	if s := r.status; s.State() != wire.Idle || s.Has(wire.Watchdog|wire.OwnLimit) {
		return fmt.Errorf("rig at %s: is %s before the start: want it idle, and no limit of the rig at work", r.at, s)
	}
	return nil
}

// ask sends a datagram, again after a second, until one of some events comes. Nothing: none.
func (r *Rig) ask(datagram []byte, wanted ...wire.Event) wire.Event {
	return r.askSince(math.MinInt64, datagram, wanted...)
}

// askSince is ask, and a reading counts only if the rig had a datagram by then that was sent at an instant or later.
func (r *Rig) askSince(instant int64, datagram []byte, wanted ...wire.Event) wire.Event {
	for i := 0; i < MostRepeats && !(i > 0 && r.stopped()); i++ {
		if i > 0 {
			r.unanswered(i)
			datagram = r.m.Again()
		}
		r.socket.send(datagram)
		for deadline := r.socket.now() + int64(RepeatAfter); r.wait(deadline); {
			event := r.take()
			if slices.Contains(wanted, event) && (event != wire.Measured || r.m.Stamps.Echo >= instant) {
				return event
			}
		}
	}
	return wire.Nothing
}

// wait waits for a datagram until an instant, or until the loop shall stop.
func (r *Rig) wait(deadline int64) bool {
	for {
		until := min(deadline, r.socket.now()+int64(lookEvery))
		if r.socket.wait(until) {
			return true
		}
		if until >= deadline || r.stopped() {
			return false
		}
	}
}

func (r *Rig) stopped() bool { return r.c.Stop != nil && r.c.Stop() }

func (r *Rig) unanswered(times int) {
	r.notice(fmt.Sprintf("no answer, asked %d of %d times", times, MostRepeats))
}

func (r *Rig) notice(text string) {
	if r.c.Notice != nil {
		r.c.Notice(fmt.Sprintf("rig at %s: %s", r.at, text))
	}
}

// take takes a datagram, if there is one.
func (r *Rig) take() wire.Event {
	n := r.socket.receive(r.buf[:])
	if n == none {
		return wire.Nothing
	}
	event := r.m.Take(r.buf[:n])
	if event == wire.Measured {
		r.lag.saw(r.m.Number, r.socket.now())
	}
	return event
}

// Info is what the rig says of itself.
func (r *Rig) Info() *wire.Info { return &r.m.Info }

// Address is where the rig is.
func (r *Rig) Address() netip.AddrPort { return r.at }

// Status is the rig's status at its newest reading.
func (r *Rig) Status() wire.Status { return r.m.Status }

// Counts are the datagrams of the loop's side.
func (r *Rig) Counts() wire.Counts { return r.m.Counts }

// Read gives the reading of the next tick, or the last one with its age. Read fails once when
// the rig takes no commands any more, and always when the rig is silent in lockstep or has ended
// the session.
func (r *Rig) Read(out *rths.Reading) error {
	switch {
	case r.closed:
		return errClosed
	case r.silent != nil:
		return r.silent
	}
	if r.silent = r.await(); r.silent != nil {
		return r.silent
	}
	out.Take(&r.given)
	behind := int(r.k - r.number) // of None one more than k
	out.Age, out.Late = r.given.Age+behind, behind > 0 || r.slow()
	if r.m.Status.Alone() && !r.told {
		r.told = true
		return fmt.Errorf("the rig at %s takes no commands any more, it is %s", r.at, r.m.Status)
	}
	return nil
}

// slow reports whether a loop that has the reading of its tick is late all the same: the rig has ticked again
// already, or a command before came too late for it.
func (r *Rig) slow() bool {
	if r.c.Expected.Clock == wire.Lockstep {
		return false
	}
	return r.last >= r.lag.expects(r.k+1) || r.number > 0 && r.acted+1 != r.number
}

// await waits for the reading of tick k as the clock wants.
func (r *Rig) await() error {
	if r.k == 0 && r.number == wire.None {
		return r.start()
	}
	if r.c.Expected.Clock == wire.Lockstep {
		return r.answer()
	}
	due := r.lag.expects(r.k)
	r.slept = r.socket.now() < due
	err := r.tick(max(due+int64(r.c.ReplyWithin), r.last+int64(r.lag.period)))
	r.last = r.socket.now()
	r.late = r.last - due
	return err
}

// start has the rig count its readings from 0, and takes the first.
func (r *Rig) start() error {
	r.drain()
	r.lag = clock{period: r.lag.period} // readings are numbered anew
	switch r.ask(r.m.Start(r.socket.now()), wire.Measured, wire.Parted) {
	case wire.Nothing:
		return r.gone()
	case wire.Parted:
		return r.parted()
	}
	r.last = r.socket.now()
	return r.reached()
}

// drain takes the idle readings of a rig that ticks by itself: they fill the socket while the loop
// is being built.
func (r *Rig) drain() {
	for n := r.socket.receive(r.buf[:]); n != none; n = r.socket.receive(r.buf[:]) {
		r.m.Take(r.buf[:n])
	}
}

// reached makes the reading that has come the reading of tick k. In lockstep it must be that. A later
// reading of a rig that ticks by itself waits for its tick.
func (r *Rig) reached() error {
	switch {
	case r.m.Number == r.k:
		r.deliver()
	case r.c.Expected.Clock == wire.Lockstep:
		return fmt.Errorf(
			"the rig at %s answers with reading %d, not %d: want a rig that makes one sample of motion per command", r.at,
			r.m.Number, r.k)
	default:
		r.ahead = true
	}
	return nil
}

// answer waits in lockstep for the answer to the last command, and repeats the command after a
// second without.
func (r *Rig) answer() error {
	for i := 0; i < MostRepeats && !r.stopped(); i++ {
		if i > 0 {
			r.unanswered(i)
			r.socket.send(r.m.Again())
		}
		for deadline := r.socket.now() + int64(RepeatAfter); r.wait(deadline); {
			switch r.take() {
			case wire.Measured:
				return r.reached()
			case wire.Parted:
				return r.parted()
			}
		}
	}
	return r.gone()
}

func (r *Rig) parted() error { return fmt.Errorf("the rig at %s has ended the session", r.at) }

func (r *Rig) gone() error {
	if r.stopped() {
		return fmt.Errorf("rig at %s: stopped while the rig did not answer", r.at)
	}
	return fmt.Errorf("rig at %s: %w for %d s", r.at, errSilent, int(MostRepeats*RepeatAfter/time.Second))
}

// tick takes the queued readings in order up to the one of tick k, and waits for it until the
// deadline. A reading of a later tick waits for its own: then the one of tick k was lost.
func (r *Rig) tick(deadline int64) error {
	for {
		if r.ahead && r.m.Number > r.k {
			return nil
		}
		if r.ahead {
			r.deliver()
			if r.number == r.k {
				return nil
			}
		}
		switch r.take() {
		case wire.Measured:
			r.ahead = true
		case wire.Parted:
			return r.parted()
		case wire.Nothing:
			if !r.socket.wait(deadline) {
				return nil
			}
		}
	}
}

// deliver makes the master's reading the newest one of the loop.
func (r *Rig) deliver() {
	r.given.Take(&r.m.Read)
	r.number, r.acted, r.ahead = r.m.Number, r.m.Acted, false
	r.status, r.taken = r.m.Status, r.m.Stamps.Measured
}

// Given says which reading Read has given last: its number, the newest command that acted then, the rig's status, and
// the instant of measurement on the rig's clock, ns. wire.None: there is none.
func (r *Rig) Given() (number, acted uint64, status wire.Status, measured int64) {
	return r.number, r.acted, r.status, r.taken
}

// Waited says how long the last tick had been due when Read had its reading, or went on without, and whether Read came
// before that instant. It works with the rig's own clock only.
func (r *Rig) Waited() (late time.Duration, slept bool) { return time.Duration(r.late), r.slept }

// Paces reports whether Read waits for the instant of its tick: in lockstep, and when there will be no more readings,
// the loop needs a clock of its own.
func (r *Rig) Paces() bool {
	return r.c.Expected.Clock == wire.OwnClock && r.silent == nil && !r.closed
}

// Write sends the command of the tick.
func (r *Rig) Write(command []float64) error {
	switch {
	case r.closed:
		return errClosed
	case r.silent != nil:
		return r.silent
	}
	r.socket.send(r.m.Command(r.k, command, r.socket.now()))
	r.k++
	return nil
}

// Close ends the session and gives the rig's counts; known is false if the rig did not answer.
// A second Close does nothing.
func (r *Rig) Close() (theirs wire.Counts, known bool) {
	if r.closed {
		return r.m.Theirs, false
	}
	r.closed = true
	switch {
	case !r.m.Holds(): // there was no session
	case !r.m.Begun: // the rig has ended the session
		known = true
	case r.silent != nil: // and cannot be waited for
		r.socket.send(r.m.Bye(r.socket.now()))
	default:
		known = r.ask(r.m.Bye(r.socket.now()), wire.Parted) == wire.Parted
	}
	r.socket.close()
	return r.m.Theirs, known
}

var errClosed = errors.New("the session with the rig has been closed")

// clock says when a reading is expected: k samples after reading 0, plus the shortest way from the rig to the
// loop that there was. The shortest way grows by 100 ppm of the time, as the two clocks may drift apart. The
// rig's instants are not used: who sets its clock does not set the loop's.
type clock struct {
	period float64 // ns
	start  int64   // of reading 0, on the loop's clock, ns
	number uint64  // of the newest reading
	known  bool
}

func (c *clock) saw(number uint64, arrival int64) {
	start := arrival - int64(float64(number)*c.period)
	if c.known {
		start = min(start, c.start+int64(1e-4*c.period*float64(number-c.number)))
	}
	c.start, c.number, c.known = start, number, true
}

func (c *clock) expects(k uint64) int64 { return c.start + int64(float64(k)*c.period) }
