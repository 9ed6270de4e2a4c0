package udp

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"rths"
	"rths/lab/rig"
	"rths/lab/rig/wire"
)

// Laboratory is what a Server serves.
type Laboratory struct {
	Info    wire.Info                // Virtual is set by the Server
	Make    func() (rths.Rig, error) // the rig with a new specimen, for every session; Stateful
	Guard   rig.GuardConfig          // the rig's own limits; its profile takes the rig to safety; the rig stands at Start
	Network *rig.Network             // faults of the network; nil: none
	Notice  func(string)             // is told of sessions that begin and datagrams that cannot be read; nil: nobody
}

// Session is what became of a session.
type Session struct {
	Loop    netip.AddrPort
	Program string      // of the loop
	Counts  wire.Counts // of the rig's side
	Lost    [2]uint64   // commands and readings that faults of the network took away, or still held back at the end
	Doubled [2]uint64   // commands and readings that faults of the network doubled
	Status  wire.Status // at the end
	End     string      // "bye", or how the loop was lost
	At      []float64   // measured displacement at the end, m
	Events  []rig.Event // of the rig's own limits
}

// Server serves a virtual laboratory to one loop at a time.
type Server struct {
	lab       Laboratory
	socket    *socket
	slave     *wire.Slave
	at        netip.AddrPort
	period    int64 // ns
	dog       int64 // watchdog, ns
	buf       [wire.MostBytes]byte
	net       network
	report    func(Session)
	session   session
	spare     *session // for the next loop; nil: it could not be made
	parting   *session // goes to safety after bye; nil: none
	strangers []error  // what has been told of datagrams that could not be read
}

// session is the rig while a loop has it.
type session struct {
	loop    netip.AddrPort
	started bool
	rig     rths.Rig
	guard   *rig.Guard
	watch   rths.Observer
	birth   []float64 // state of the new rig
	begun   bool
	frame   rths.Frame
	held    []float64 // command in the present sample
	fed     int64     // when the last command came, ns
	next    int64     // instant of the next tick of the rig's own, ns
	fresh   bool      // Start has come: the next tick is number 0
	taken   bool      // a command has come and not been written yet
	tripped wire.Status
	alarmed bool // that the rig goes to safety by itself has been told
}

// idleFor times the watchdog is how long a loop may be silent before its session ends; before Start, when it
// may still be building, at least idleAtLeast.
const (
	idleFor     = 10
	idleAtLeast = 30 * time.Second
)

// mostAtOnce bounds the datagrams that are taken before the rig looks at its own clock again.
const mostAtOnce = 64

// NewServer listens at an address for the loops of a laboratory. report gets every session
// that has ended.
func NewServer(listenAt string, lab Laboratory, report func(Session)) (*Server, error) {
	at, err := resolve(listenAt)
	if err != nil {
		return nil, err
	}
	key, err := Key(at)
	if err != nil {
		return nil, err
	}
	lab.Info.Virtual = true // whoever simulates says so
	slave, err := wire.NewSlave(lab.Info, key, draw)
	if err != nil {
		return nil, err
	}
	s := &Server{lab: lab, slave: slave, report: report, period: int64(1e9 / lab.Info.RateHz),
		dog: int64(lab.Info.WatchdogS * 1e9)}
	if err := s.prepare(); err != nil { // now, and not when a loop comes
		return nil, err
	}
	if s.socket, err = listen(at); err != nil {
		return nil, err
	}
	s.at, err = s.socket.local()
	return s, err
}

// Address is where the server listens.
func (s *Server) Address() netip.AddrPort { return s.at }

// prepare makes a rig with a new specimen for the next loop, and guards it by the rig's own
// limits.
func (s *Server) prepare() error {
	s.spare = nil
	bare, err := s.lab.Make()
	if err != nil {
		return err
	}
	if _, ok := rths.As[rths.Stateful](bare); !ok {
		return errors.New("a rig to be served: want one with a state that can be set")
	}
	g, err := rig.NewGuard(bare, s.lab.Guard)
	if err != nil {
		return err
	}
	i := &s.lab.Info
	st := &session{rig: bare, guard: g, watch: g.Observer(), held: make([]float64, len(i.X))}
	st.birth = rths.AppendState(nil, bare)
	st.frame.Read = i.Sensors().Reading()
	st.frame.Desired = st.frame.Read.X
	copy(st.held, s.lab.Guard.Start)
	s.spare = st
	return g.Arm()
}

// ready says whether a loop can have a session, and makes its rig if there is none yet.
func (s *Server) ready() {
	s.slave.Unready = ""
	switch {
	case s.parting != nil:
		s.slave.Unready = "the rig goes to safety after the last session: want a moment"
	case s.spare == nil:
		if err := s.prepare(); err != nil {
			s.slave.Unready = "a new rig cannot be made: " + err.Error()
		}
	}
}

// Serve serves until the context ends. It belongs to its goroutine.
func (s *Server) Serve(ctx context.Context) error {
	defer s.socket.close()
	for ctx.Err() == nil {
		s.socket.wait(s.until())
		s.receive()
		if err := s.work(s.socket.now()); err != nil {
			return err
		}
	}
	if s.session.begun {
		s.slave.Leave(s.socket.now())
		s.socket.sendTo(s.slave.Out, s.session.loop)
		s.end("the rig was stopped")
	}
	return nil
}

// until is the instant of the next thing to do without a datagram, at most 50 ms ahead, so that
// the end of the context is seen.
func (s *Server) until() int64 {
	at := s.socket.now() + int64(50*time.Millisecond)
	if s.session.begun && (s.lab.Info.Clock == wire.OwnClock || s.alone()) {
		at = min(at, s.session.next)
	}
	if s.parting != nil {
		at = min(at, s.parting.next)
	}
	if s.session.started && !s.alone() {
		at = min(at, s.session.fed+s.dog+1)
	}
	if due, ok := s.net.due(); ok {
		at = min(at, due)
	}
	return at
}

// alone reports whether the rig moves by itself: its guard acts.
func (s *Server) alone() bool {
	return s.session.begun && s.session.guard.State() > rig.Running
}

// receive takes the datagrams that are there, up to a number.
func (s *Server) receive() {
	for range mostAtOnce {
		n, from := s.socket.receiveFrom(s.buf[:])
		if n == none {
			return
		}
		s.arrive(s.buf[:n], from)
	}
}

// take hands a datagram to the protocol and does what it means.
func (s *Server) take(datagram []byte, from netip.AddrPort) {
	now := s.socket.now()
	if kind, _, ok := wire.Glance(datagram); ok && kind == wire.Hello && !s.session.begun {
		s.ready()
	}
	switch s.slave.Take(datagram, from, now) {
	case wire.Nothing:
		s.strange(from)
	case wire.Begun:
		s.begin(now)
		s.socket.sendTo(s.slave.Out, from)
	case wire.Reply:
		s.socket.sendTo(s.slave.Out, from)
	case wire.Parted:
		s.socket.sendTo(s.slave.Out, from)
		s.park(now)
		s.end("bye")
	case wire.Started:
		s.start(now)
	case wire.Asked:
		if s.lab.Info.Clock == wire.Lockstep {
			s.measure(now)
		}
	case wire.Moved:
		s.session.fed, s.session.taken = now, true
		if s.lab.Info.Clock == wire.Lockstep {
			s.command(now)
		}
	}
}

// strange tells of the first datagram of each kind that could not be read while there was no session.
func (s *Server) strange(from netip.AddrPort) {
	if err := s.slave.Bad; err != nil && !s.session.begun && !slices.Contains(s.strangers, err) {
		s.strangers = append(s.strangers, err)
		s.notice(fmt.Sprintf(
			"dropped a datagram of %s: %v: want the protocol of docs/reference/protocol.md, and one %s on both sides, if any; "+
				"more of them are not reported", from, err, KeyVariable))
	}
	s.slave.Bad = nil
}

func (s *Server) notice(text string) {
	if s.lab.Notice != nil {
		s.lab.Notice(text)
	}
}

// begin gives the rig that has been made to a new session.
func (s *Server) begin(now int64) {
	s.session, s.spare = *s.spare, nil
	st := &s.session
	st.loop, st.begun, st.fed, st.next = s.slave.Master(), true, now, now+s.period
	copy(s.slave.Command, st.held)
	s.notice(fmt.Sprintf("session of %s (%s) begins", st.loop, s.slave.Expected.Program))
	s.net = newNetwork(s.lab.Network, s.period)
}

// start puts the rig back to its first sample, so that its sensors give the noise of a virtual run, and
// answers in lockstep with reading 0. Nothing has moved it: before Start there are no commands.
func (s *Server) start(now int64) {
	st := &s.session
	rths.SetState(st.birth, st.rig)
	st.started, st.fresh, st.fed, st.frame.K = true, true, now, 0
	if s.lab.Info.Clock == wire.Lockstep {
		s.measure(now)
	}
}

// park leaves the rig of a session that has ended to go to safety by itself.
func (s *Server) park(now int64) {
	if !s.session.started {
		return
	}
	st := s.session
	_ = st.guard.Finish() // a rig whose limits act goes on as they want
	st.next = now + s.period
	s.parting = &st
}

// unpark moves the parted rig on its way to safety.
func (s *Server) unpark(now int64) {
	for st := s.parting; s.parting != nil && st.next <= now; st.next += s.period {
		if st.guard.StepAlone(&st.frame.Read) {
			s.parting = nil
			s.notice(fmt.Sprintf("the command is at rest, and the rig reads %s", positions(st.frame.Read.X)))
		}
	}
}

// positions in words.
func positions(x []float64) string {
	var out []string
	for _, v := range x {
		out = append(out, fmt.Sprintf("%.3g mm", 1e3*v))
	}
	return strings.Join(out, ", ")
}

// command moves by one sample in lockstep, and before it by those whose commands did not come.
func (s *Server) command(now int64) {
	s.session.taken = false // not yet
	for range s.slave.Skipped {
		s.move(s.session.held)
		s.read()
	}
	s.session.taken = true
	s.move(s.slave.Command)
	s.measure(now)
}

// move holds a command over one sample of motion. While the rig's guard acts, the command is
// ignored, and the rig moves by its own clock.
func (s *Server) move(command []float64) {
	st := &s.session
	if st.guard.State() > rig.Running {
		return
	}
	copy(st.held, command)
	_ = st.guard.Write(st.held) // a trip shows in the state
	if st.taken && st.guard.Clipped() {
		s.slave.Counts.Clipped++
	}
	st.taken = false
}

// read reads the sensors; the guard looks at them.
func (s *Server) read() {
	st := &s.session
	_ = st.guard.Read(&st.frame.Read) // a virtual rig does not fail
	st.watch.Observe(&st.frame)
	st.frame.K++
}

// measure reads the sensors and sends the reading.
func (s *Server) measure(now int64) {
	s.read()
	s.send(now)
}

func (s *Server) send(measured int64) {
	s.slave.Reading(&s.session.frame.Read, s.status(), measured, s.socket.now())
	s.depart(s.slave.Out)
}

// status is what the rig does now.
func (s *Server) status() wire.Status {
	st := &s.session
	out := st.tripped
	switch g := st.guard.State(); {
	case !st.started: // idle, whatever the limits do
	case g == rig.Tripped:
		out |= wire.Tripped
	case g == rig.Ramping:
		out |= wire.Ramping
	case g == rig.Holding:
		out |= wire.Holding
	default:
		out |= wire.Running
	}
	if st.guard.State() > rig.Running && st.tripped == 0 {
		out |= wire.OwnLimit
	}
	if st.guard.Clipped() {
		out |= wire.Clipped
	}
	return out
}

// work does what is due without a datagram: delayed datagrams, ticks of the rig's own, the
// watchdog, and the end of a session that nobody uses.
func (s *Server) work(now int64) error {
	s.deliver(now)
	s.unpark(now)
	st := &s.session
	if !st.begun {
		return nil
	}
	s.watchdog(now)
	defer s.alarm()
	for st.next <= now && st.begun {
		switch {
		case s.lab.Info.Clock == wire.OwnClock:
			s.tick(st.next)
		case s.alone():
			st.guard.StepAlone(&st.frame.Read)
		}
		st.next += s.period
		if s.lab.Info.Clock == wire.Lockstep && !s.alone() {
			st.next = now + s.period
		}
	}
	silent := now - s.slave.Heard
	if silent > idleFor*s.dog && (!st.started && silent > int64(idleAtLeast) ||
		st.started && st.guard.State() == rig.Tripped) {
		s.end(fmt.Sprintf("nothing from the loop for %.3g s", float64(silent)/1e9))
	}
	return nil
}

// watchdog takes the rig to safety when no command has come for too long.
func (s *Server) watchdog(now int64) {
	st := &s.session
	if !st.started || now-st.fed <= s.dog || st.guard.State() > rig.Running {
		return
	}
	st.tripped = wire.Watchdog
	st.guard.Trip(rig.Watchdog, float64(now-st.fed)/1e9, float64(s.dog)/1e9, rig.Ramp)
	st.next = max(st.next, now)
}

// alarm tells once that the rig goes to safety by itself, and why.
func (s *Server) alarm() {
	st := &s.session
	var trip *rig.TripError
	if !st.begun || st.alarmed || !errors.As(st.guard.Unfinished(), &trip) {
		return
	}
	st.alarmed = true
	why := "own limit: " + trip.What()
	if st.tripped.Has(wire.Watchdog) {
		why = fmt.Sprintf("watchdog: no command for %.3g s, longer than %.3g s", trip.Cause.Value, trip.Cause.Limit)
	}
	s.notice(fmt.Sprintf("%s: the rig goes to safety from %s", why, positions(st.frame.Read.X)))
}

// tick is a tick of the rig's own clock at its instant: the newest command begins to act, the
// sensors are read, the reading leaves.
func (s *Server) tick(at int64) {
	st := &s.session
	switch {
	case st.guard.State() > rig.Running:
		st.guard.StepAlone(&st.frame.Read)
		st.frame.K++
	case st.started && !st.fresh:
		s.move(s.slave.Command)
		s.read()
	default: // idle, or the first after Start: the standstill is measured
		s.read()
	}
	st.fresh = false
	s.send(at)
}

// end ends a session and reports it.
func (s *Server) end(how string) {
	st := &s.session
	if !st.begun {
		return
	}
	s.net.drop()
	s.report(Session{Loop: st.loop, Program: s.slave.Expected.Program, Counts: s.slave.Counts, Lost: s.net.lost,
		Doubled: s.net.doubled, Status: s.status(), End: how, At: slices.Clone(st.frame.Read.X), Events: st.guard.Events()})
	s.slave.End()
	s.session, s.net = session{}, network{}
}
