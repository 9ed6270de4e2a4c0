package udp

import (
	"math"
	"net/netip"
	"slices"

	"rths/lab/rig"
	"rths/lab/rig/wire"
)

// network lets datagrams pass as faults of a network want. Only the first datagram of a number
// has a fate; what the loop sends again passes.
type network struct {
	faults  *rig.Network // nil: all pass
	period  int64        // ns
	first   [2]uint64    // the lowest number that has had no fate yet, of commands and readings
	lost    [2]uint64
	doubled [2]uint64
	waiting []parcel
	behind  [2]parcel // to go when the next datagram of its direction has gone; no text: none
	thawed  uint64    // samples below have been frozen already
	frozen  int64     // until this instant, ns
}

// The two directions.
const (
	inward  = iota // commands
	outward        // readings
)

// parcel is a datagram that waits.
type parcel struct {
	direction int
	text      []byte
	from      netip.AddrPort
	due       int64
}

func newNetwork(faults *rig.Network, period int64) network {
	return network{faults: faults, period: period}
}

// due is the instant at which the next datagram that waits goes on.
func (n *network) due() (at int64, ok bool) {
	for i := range n.waiting {
		if w := &n.waiting[i]; !ok || w.due < at {
			at, ok = w.due, true
		}
	}
	return at, ok
}

// delivery is what the faults do to a datagram after Start. They do nothing to repeated datagrams and
// to other kinds than command and reading.
func (n *network) delivery(direction int, datagram []byte) rig.Delivery {
	kind, number, ok := wire.Glance(datagram)
	if n.faults == nil || !ok || number < n.first[direction] ||
		kind != [2]wire.Kind{wire.Command, wire.Reading}[direction] {
		return rig.Delivery{}
	}
	n.first[direction] = number + 1
	if direction == inward {
		return n.faults.Command(number)
	}
	return n.faults.Reading(number)
}

// still reports whether the rig is frozen at an instant in which sample k is the newest. In
// lockstep no sample passes while the rig is frozen, so the length of the freeze is a time on the wall clock.
func (n *network) still(k uint64, now int64) bool {
	if n.faults == nil || now < n.frozen {
		return n.faults != nil
	}
	if k < n.thawed {
		return false
	}
	switch samples := n.faults.Frozen(k); samples {
	case 0:
		return false
	case rig.Forever:
		n.frozen = math.MaxInt64
	default:
		n.thawed, n.frozen = k+samples, now+int64(samples)*n.period
	}
	return true
}

// arrive passes a datagram of a loop on, or not.
func (s *Server) arrive(datagram []byte, from netip.AddrPort) {
	s.pass(inward, datagram, from)
}

// depart passes a reading on, or not.
func (s *Server) depart(datagram []byte) { s.pass(outward, datagram, s.slave.Master()) }

func (s *Server) pass(direction int, datagram []byte, peer netip.AddrPort) {
	n, now := &s.net, s.socket.now()
	if s.session.started && n.still(s.slave.Sample(), now) {
		n.lost[direction]++
		return
	}
	var f rig.Delivery
	if s.session.started {
		f = n.delivery(direction, datagram)
	}
	if f.Lost {
		n.lost[direction]++
		return
	}
	if f.Twice {
		n.doubled[direction]++
		s.route(direction, f, datagram, peer, now)
	}
	s.route(direction, f, datagram, peer, now)
	if held := n.behind[direction]; held.text != nil && !f.Swapped {
		n.behind[direction] = parcel{}
		s.forward(held)
	}
}

// route forwards a datagram now, later, or after the next one.
func (s *Server) route(direction int, f rig.Delivery, datagram []byte, peer netip.AddrPort, now int64) {
	n := &s.net
	p := parcel{direction, datagram, peer, now + int64(f.Later)*n.period}
	switch {
	case f.Later > 0:
		p.text = slices.Clone(datagram)
		n.waiting = append(n.waiting, p)
	case f.Swapped && n.behind[direction].text == nil:
		p.text = slices.Clone(datagram)
		n.behind[direction] = p
	default:
		s.forward(p)
	}
}

// deliver forwards the datagrams whose time has come, the earliest first.
func (s *Server) deliver(now int64) {
	n := &s.net
	for {
		first := -1
		for i := range n.waiting {
			if w := &n.waiting[i]; w.due <= now && (first < 0 || w.due < n.waiting[first].due) {
				first = i
			}
		}
		if first < 0 {
			return
		}
		p := n.waiting[first]
		n.waiting = slices.Delete(n.waiting, first, first+1)
		s.forward(p)
	}
}

// drop loses what still waits when a session ends.
func (n *network) drop() {
	for _, p := range append(n.waiting, n.behind[:]...) {
		if p.text != nil {
			n.lost[p.direction]++
		}
	}
}

func (s *Server) forward(p parcel) {
	if p.direction == inward {
		s.take(p.text, p.from)
		return
	}
	s.socket.sendTo(p.text, p.from)
}
