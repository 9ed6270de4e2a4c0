// Package openfresco is the element server that the genericClient element of OpenSees talks with, in the protocol of
// OpenFresco, over TCP or UDP: an unmodified OpenSees integrates the numerical part, gives target
// displacements, and gets the forces measured there. Generic TCP controllers (expControl GenericTCP) talk with the
// same server.
//
// The system's socket calls block, in the goroutine that calls the server: lock it to its thread. The client never
// notices that a server has closed and then takes all of a processor, so the server goes on answering with held values
// until the client leaves (Finish).
//
// Facts of the wire: OpenFresco's and OpenSees' sources, and OpenSees 3.8.0 as it talks.
package openfresco

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"rths"
	"rths/lab/numerical"
	"rths/model/integrate"
)

// Units are the client's units in SI units.
type Units struct {
	Length float64 // m
	Force  float64 // N
}

// Config describes a Server.
type Config struct {
	Listen    netip.AddrPort // IPv4, as the clients know no other
	UDP       bool
	Allow     []netip.Addr // other computers that may be clients; this one always may
	DOF       int          // of the element, at least 1
	Units     Units
	Stiffness []float64 // of the element at rest, N/m, by rows; nil: not known, and a client that asks is refused
	Damping   []float64 // nil: zeros
	Mass      []float64 // nil: zeros
	OneMotion bool      // a second motion in a step ends the analysis

	Stop func() bool       // asked ten times a second while the server waits, and before each message: gives up
	Say  func(text string) // for the operator
}

// inClientUnits are the matrices that the client asks for.
func (c *Config) inClientUnits() (k, d, m []float64) {
	in := func(v []float64) []float64 {
		out := make([]float64, c.DOF*c.DOF)
		for i := range v {
			out[i] = v[i] * c.Units.Length / c.Units.Force
		}
		return out
	}
	return in(c.Stiffness), in(c.Damping), in(c.Mass)
}

// patience is the longest time in a system call that waits for the client.
const patience = 100 * time.Millisecond

// Errors of waiting.
var (
	errStopped = errors.New("stopped while waiting for the analysis")
	errEarly   = fmt.Errorf(
		"%w, before the %d bytes of its header were there: want element genericClient there, and this run again",
		numerical.Left.Err(), headerBytes)
	errLeft = numerical.Left.Err()
)

// stream is the way to the client. Its methods block, for patience at a time, while stop says no.
type stream interface {
	accept(stop func() bool) error
	read(b []byte, stop func() bool) error // all of b
	write(b []byte, stop func() bool) error
	gone() bool // the client has closed or was killed; never waits
	close()
	address() string
}

// Server serves one client. It is an integrate.Client that waits.
type Server struct {
	c       Config
	to      stream
	talk    *dialogue // nil: no client yet
	message []byte
	heard   time.Time // the newest message came, or the wait for the first one began
	told    bool      // the operator knows that nothing comes
	begun   bool      // of the first client's header something is there
	pending bool      // a request for the force is not answered yet
	left    bool      // the client has said farewell, or has gone
	err     error

	patience time.Duration // the operator is told of a longer silence

	time, steps, moved, fault float64
}

// Listen listens for a client.
func Listen(c Config) (*Server, error) {
	if c.Stop == nil {
		c.Stop = func() bool { return false }
	}
	if c.Say == nil {
		c.Say = func(string) {}
	}
	s := &Server{c: c, patience: tellAfter}
	to, err := listen(&s.c)
	if err != nil {
		return nil, err
	}
	s.to = to
	return s, nil
}

// Address is where the server listens.
func (s *Server) Address() string { return s.to.address() }

// Invitation tells the operator that the analysis may come.
func (s *Server) Invitation() string {
	protocol := "tcp"
	if s.c.UDP {
		protocol = "udp"
	}
	return fmt.Sprintf("listening at %s (%s) for the analysis: start it now", s.Address(), protocol)
}

// Next waits for the next displacement that the specimen was not brought to.
func (s *Server) Next(x []float64) (integrate.Arrival, error) {
	if s.err != nil {
		return integrate.Nothing, s.err
	}
	what, err := s.next(x)
	if err != nil && !errors.Is(err, errStopped) {
		s.err, s.fault = err, float64(numerical.FaultOf(err))
	}
	if errors.Is(err, errStopped) {
		return integrate.Nothing, nil
	}
	return what, err
}

func (s *Server) next(x []float64) (integrate.Arrival, error) {
	if err := s.handshake(); err != nil {
		return integrate.Nothing, err
	}
	for {
		what, err := s.serve()
		s.time, s.steps, s.moved = s.talk.time, s.talk.steps, s.talk.moved
		switch {
		case err != nil:
			return integrate.Nothing, err
		case what == end:
			s.left = true
			return integrate.TheEnd, nil
		case what == move:
			s.pending = true
			for i := range x {
				x[i] = s.talk.trial[i] * s.talk.length
			}
			return integrate.NewTarget, nil
		}
	}
}

// serve takes a message and answers it, if it does not ask for a motion.
func (s *Server) serve() (act, error) {
	if s.c.Stop() { // a client that talks without end never makes the server wait
		return silent, errStopped
	}
	if err := s.to.read(s.message, s.wait); err != nil {
		s.left = errors.Is(err, errLeft)
		return silent, err
	}
	s.hear()
	if s.message[0] == initLine {
		return silent, s.skipLine()
	}
	what, err := s.talk.take(s.message)
	switch {
	case err != nil:
		s.pending = wantsReply(s.message) // Finish gives it
	case what == answer:
		err = s.to.write(s.talk.replyTo(s.message), s.wait)
	}
	return what, err
}

// A line of the file -initFile of a generic TCP controller is a message of its own length. Its first
// byte does not begin a code.
const (
	initLine      = 2
	initLineBytes = 16385
)

func (s *Server) skipLine() error {
	rest := initLineBytes - len(s.message)
	if rest < 0 {
		return fmt.Errorf("a line of an -initFile with messages of %d numbers: want -dataSize 256", s.talk.header.Size)
	}
	return s.to.read(make([]byte, rest), s.wait)
}

// handshake waits for the client and its header.
func (s *Server) handshake() error {
	if s.talk != nil {
		return nil
	}
	s.hear()
	h, err := s.header()
	if err != nil {
		return err
	}
	s.message = make([]byte, number*h.Size)
	s.talk = newDialogue(h, &s.c)
	if h.ToldVel > 0 || h.ToldAcc > 0 {
		s.c.Say("the analysis wants measured velocities or accelerations, which nobody measures: it gets zeros")
	}
	return nil
}

// header waits for the client and its header. A shadow site of OpenFresco begins with four
// bytes and waits for an answer.
func (s *Server) header() (Header, error) {
	if err := s.to.accept(s.wait); err != nil {
		return Header{}, err
	}
	b := make([]byte, headerBytes)
	for _, part := range [][]byte{b[:4], b[4:]} {
		switch err := s.to.read(part, s.wait); {
		case errors.Is(err, errLeft):
			return Header{}, errEarly
		case err != nil:
			return Header{}, err
		}
		s.begun = true
		s.hear()
	}
	h, err := parseHeader(b, s.c.DOF)
	if err != nil {
		err = fmt.Errorf("%w; end the analysis too: its program does not notice that nobody answers", err)
	}
	return h, err
}

// hear notes that something has come.
func (s *Server) hear() { s.heard, s.told = time.Now(), false }

// tellAfter is the silence after which the operator is told.
const tellAfter = 10 * time.Second

// wait tells the operator, once, of a silence that is long, and reports whether to give up. A
// client that is held may be silent.
func (s *Server) wait() bool {
	if held := s.talk != nil && s.talk.held; !s.told && !held && time.Since(s.heard) >= s.patience {
		s.told = true
		s.c.Say(s.silence())
	}
	return s.c.Stop()
}

// silence says what has not come.
func (s *Server) silence() string {
	flag := "and without -udp"
	if s.c.UDP {
		flag = "and -udp"
	}
	seconds := s.patience.Seconds()
	switch {
	case s.talk != nil:
		return fmt.Sprintf(
			"the analysis has been silent for %g s, after its time %g s and %g steps: the run waits for its next message; "+
				"Ctrl-C ends the waiting", seconds, s.talk.time, s.talk.steps)
	case s.begun:
		return fmt.Sprintf(
			"a client has sent the first bytes of a header, and nothing more for %g s: want element genericClient, or "+
				"expControl GenericTCP of OpenFresco (a shadow site speaks otherwise); Ctrl-C ends the waiting", seconds)
	}
	return fmt.Sprintf(
		"no analysis has come to %s in %g s: an element looks for its server once, when its model is read: want element "+
			"genericClient with this port %s; Ctrl-C ends the waiting", s.Address(), seconds, flag)
}

// AwaitClient waits for the client and its header, before anything moves.
func (s *Server) AwaitClient() error { return s.handshake() }

// Answer gives the client what was measured.
func (s *Server) Answer(now *rths.Reading) {
	if !s.pending || s.err != nil {
		return
	}
	for i := range s.c.DOF {
		if !rths.Finite(now.F[i]) || !rths.Finite(now.X[i]) {
			s.err = fmt.Errorf(
				"the reading at the target is not finite (displacement %g m, force %g N in degree of freedom %d): the analysis "+
					"gets no such number", now.X[i], now.F[i], i+1)
			return
		}
	}
	s.pending = false
	s.talk.put(now)
	s.err = s.to.write(s.talk.reply, s.wait)
}

// Hold makes the server answer with what it has answered last.
func (s *Server) Hold() {
	if s.talk != nil {
		s.talk.held = true
	}
}

// Gone reports whether the client has gone, without waiting.
func (s *Server) Gone() bool { return s.talk != nil && (s.left || s.to.gone()) }

// Finish answers with held values until the client leaves, or until stop says that nobody waits for it any more.
func (s *Server) Finish(stop func() bool) {
	if s.talk == nil || s.left {
		return
	}
	s.Hold()
	s.c.Stop = stop
	if s.pending {
		s.pending = false
		if s.to.write(s.talk.reply, s.wait) != nil {
			return
		}
	}
	for {
		if what, err := s.serve(); err != nil || what == end {
			s.left = s.left || what == end
			return
		}
	}
}

// Silent is the time since the newest message.
func (s *Server) Silent() time.Duration { return time.Since(s.heard) }

// Waits reports whether the client is still there, so that Finish has something to do.
func (s *Server) Waits() bool { return s.talk != nil && !s.left }

// Channels are those of a client.
func (s *Server) Channels() []rths.Channel {
	return numerical.ClientChannels(&s.time, &s.steps, &s.moved, &s.fault)
}

// Close closes the way to the client.
func (s *Server) Close() { s.to.close() }

// allowed reports whether a computer may be the client.
func (c *Config) allowed(a netip.Addr) bool { return a.IsLoopback() || slices.Contains(c.Allow, a) }
