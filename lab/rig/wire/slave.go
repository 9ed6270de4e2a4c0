package wire

import (
	"fmt"
	"math"
	"net/netip"

	"rths"
)

// Event is what a datagram means to its receiver.
type Event int

// The events.
const (
	Nothing  Event = iota // drop it
	Reply                 // send Out back to where it came from
	Begun                 // slave: a session has begun; then as Reply
	Started               // slave: the next reading is number 0: measure, and send Reading
	Asked                 // slave: measure without moving, and send Reading
	Moved                 // slave: Command has changed
	Parted                // the session is over; slave: then as Reply
	Welcomed              // master: the rig is in Info
	Refused               // master: Why says why
	Measured              // master: a reading is in Read
)

// Slave is the rig's side of the protocol. One loop at a time has a session.
type Slave struct {
	Info     Info
	Expected Expectation   // of the loop that has the session, or had the last
	Draw     func() uint64 // draws the number of a session: from a source that nobody can guess
	Counts   Counts        // of the present or last session; hellos that were refused are in none
	Command  []float64     // the newest one
	Skipped  int           // commands before it that did not come
	Unready  string        // why the rig cannot have a session now, "": it can
	Bad      error         // what is wrong with the last datagram that was bad by its bytes
	Heard    int64         // when a datagram of the session came last, ns
	Out      []byte        // to be sent

	codec   *Codec
	buf     [MostBytes]byte // of Out
	memory  [MostBytes]byte // of the last reading
	last    []byte          // the last reading sent, nil: none
	session uint64          // 0: none
	past    uint64          // the session that has parted
	nonce   uint64          // of the loop that has it, or had the last
	master  netip.AddrPort
	started bool
	next    uint64 // number of the command that is expected
	acted   uint64 // the newest command that has moved the rig; None: none
	reading uint64 // number of the next reading
	echo    int64  // Sent of the newest datagram of the loop
	most    uint64 // samples that a command may be ahead of the rig
}

// NewSlave makes a rig's side. The rig's Info is checked. draw must not return 0.
func NewSlave(info Info, key []byte, draw func() uint64) (*Slave, error) {
	if err := info.check(); err != nil {
		return nil, err
	}
	s := &Slave{Info: info, Draw: draw, codec: NewCodec(key), Command: make([]float64, len(info.X))}
	s.most = uint64(min(max(1, info.WatchdogS*info.RateHz), math.MaxInt32))
	return s, nil
}

// Master is the address of the loop that has the session; invalid without one.
func (s *Slave) Master() netip.AddrPort { return s.master }

// Sample is the number of the next reading.
func (s *Slave) Sample() uint64 { return s.reading }

// Take takes a datagram that came from an address at an instant of the rig's clock, ns.
func (s *Slave) Take(datagram []byte, from netip.AddrPort, now int64) Event {
	h, body, err := s.codec.Open(datagram)
	if err == ErrVersion && h.Kind == Hello && s.session == 0 {
		return s.refuse(&h, OtherVersion,
			"the rig speaks version 1 of the protocol: want the program of one release on both sides", now)
	}
	if err == nil && h.Kind == Hello {
		return s.hello(&h, body, from, now)
	}
	s.Counts.Received++
	if err != nil {
		s.Bad = err
	}
	switch {
	case err != nil || h.Kind == Welcome || h.Kind == Reading || h.Kind == Refuse ||
		h.Kind == Command && !s.right(&h, body):
		s.Counts.Bad++
		return Nothing
	case s.session == 0 && h.Kind == Bye && h.Session == s.past && s.past != 0: // the answer was lost
		s.Counts.Repeated++
		return s.parting(now)
	case s.session == 0 || h.Session != s.session || from != s.master:
		s.Counts.Old++
		return Nothing
	}
	s.echo, s.Heard = max(s.echo, h.Sent), now
	switch h.Kind {
	case Start:
		return s.start()
	case Command:
		return s.command(&h, body)
	case Bye:
		return s.bye(now)
	}
	return s.keep()
}

// hello begins a session, welcomes the same loop once more, or refuses.
func (s *Slave) hello(h *Header, body []byte, from netip.AddrPort, now int64) Event {
	var w Expectation
	w.take(h, body)
	if s.session != 0 && h.Number == s.nonce && from == s.master {
		s.Counts.Received++
		s.Counts.Repeated++
		s.Heard = now
		if s.started {
			return Nothing
		}
		return s.welcome(now, Reply) // it was lost
	}
	if s.session == 0 && s.past != 0 && h.Number == s.nonce { // the network had it twice
		s.Counts.Received++
		s.Counts.Old++
		return Nothing
	}
	if s.session != 0 {
		return s.refuse(h, Busy,
			fmt.Sprintf("another loop, at %s, has the session; heard %.1f s ago: wait until it has ended", s.master,
				float64(now-s.Heard)/1e9), now)
	}
	if reason, why := s.Info.Meets(&w); reason != 0 {
		return s.refuse(h, reason, why, now)
	}
	if s.Unready != "" {
		return s.refuse(h, NotReady, s.Unready, now)
	}
	s.session, s.nonce, s.master, s.echo, s.Heard, s.Expected = s.Draw(), h.Number, from, h.Sent, now, w
	s.started, s.next, s.reading, s.acted, s.last = false, 0, 0, None, nil
	s.Counts = Counts{Received: 1}
	clear(s.Command)
	return s.welcome(now, Begun)
}

func (s *Slave) welcome(now int64, event Event) Event {
	h := s.header(Welcome, now)
	h.Number = s.nonce
	s.Info.put(s.codec.Begin(s.buf[:], &h))
	s.seal()
	return event
}

// refuse answers a hello.
func (s *Slave) refuse(to *Header, reason Reason, why string, now int64) Event {
	h := Header{Kind: Refuse, Number: to.Number, Acted: None, Sent: now, Echo: to.Sent, Status: Status(reason)}
	putText(s.codec.Begin(s.buf[:], &h), why)
	s.Out = s.codec.Seal(s.buf[:])
	return Reply
}

func (s *Slave) seal() {
	s.Out = s.codec.Seal(s.buf[:])
	s.Counts.Sent++
}

func (s *Slave) header(kind Kind, now int64) Header {
	i := &s.Info
	h := Header{Kind: kind, Session: s.session, Acted: None, Sent: now, Echo: s.echo}
	if kind == Welcome || kind == Reading {
		h.numbers(i.Sensors())
	}
	return h
}

// start begins the count of readings. Repeated, it asks for reading 0 once more.
func (s *Slave) start() Event {
	if !s.started {
		s.started, s.next, s.reading, s.last = true, 0, 0, nil
		return Started
	}
	s.Counts.Repeated++
	return s.again(s.next == 0)
}

// keep asks for a reading: a new one before Start, else the last one once more. A rig that
// ticks by itself sends readings anyway.
func (s *Slave) keep() Event {
	if s.started || s.Info.Clock == OwnClock {
		return s.again(true)
	}
	return Asked
}

// again sends the last reading from memory, in lockstep; a rig that ticks by itself sends the
// next one anyway.
func (s *Slave) again(wanted bool) Event {
	if !wanted || s.last == nil || s.Info.Clock == OwnClock {
		return Nothing
	}
	s.Out = s.last
	s.Counts.Sent++
	return Reply
}

// right reports whether a command is one for this rig.
func (s *Slave) right(h *Header, body []byte) bool {
	return int(h.NX) == len(s.Command) && finite(body)
}

// command takes the command of the next number, or of a later one where some did not come.
func (s *Slave) command(h *Header, body []byte) Event {
	switch {
	case !s.started:
		s.Counts.Bad++
		return Nothing
	case s.next > 0 && h.Number == s.next-1:
		s.Counts.Repeated++
		return s.again(true)
	case h.Number < s.next:
		s.Counts.Old++
		return Nothing
	case h.Number > s.reading+s.most:
		s.Counts.Bad++
		return Nothing
	}
	takeValues(s.Command, body)
	s.Skipped, s.next = int(h.Number-s.next), h.Number+1
	if s.Info.Clock == Lockstep {
		s.reading = s.next
	}
	return Moved
}

func (s *Slave) bye(now int64) Event {
	s.Leave(now)
	return Parted
}

// Leave ends the session from the rig's side: Out has the bye.
func (s *Slave) Leave(now int64) {
	s.End()
	s.parting(now)
}

// parting is the answer to Bye: the counts of the session, this datagram included.
func (s *Slave) parting(now int64) Event {
	h := Header{Kind: Bye, Session: s.past, Acted: None, Sent: now, Echo: s.echo}
	s.Counts.Sent++
	s.Counts.put(s.codec.Begin(s.buf[:], &h))
	s.Out = s.codec.Seal(s.buf[:])
	return Reply
}

// End ends the session without a word: the loop is gone.
func (s *Slave) End() {
	if s.session != 0 {
		s.past = s.session
	}
	s.session, s.started, s.last, s.master = 0, false, nil, netip.AddrPort{}
}

// Reading makes the datagram of a reading that was measured at an instant of the rig's clock,
// ns, and puts it into Out. Before Start readings are numbered from 0; after Start again.
func (s *Slave) Reading(r *rths.Reading, status Status, measured, now int64) {
	if s.started && s.Info.Clock == Lockstep {
		s.reading = s.next // the answer to command next − 1
	}
	h := s.header(Reading, now)
	h.Number, h.Measured, h.Age, h.Status = s.reading, measured, uint16(min(r.Age, 65535)), status
	if s.started && s.next > 0 && status.State() == Running {
		s.acted = s.next - 1
	}
	h.Acted = s.acted
	if s.started && s.reading == 0 {
		h.Status |= Trigger
	}
	body := s.codec.Begin(s.memory[:], &h)
	putValues(putValues(putValues(putValues(body, r.X), r.F), r.A), r.L)
	s.last = s.codec.Seal(s.memory[:])
	s.Out = s.last
	s.Counts.Sent++
	s.reading++
}
