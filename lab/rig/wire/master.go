package wire

import (
	"math"

	"rths"
)

// Master is the loop's side of the protocol.
type Master struct {
	Info   Info         // of the rig, once welcomed
	Read   rths.Reading // the newest
	Number uint64       // of Read
	Acted  uint64       // the newest command that had acted at Read; None: none
	Status Status       // of the rig at Read
	Counts Counts
	Theirs Counts // of the rig, once parted
	Reason Reason // of a refusal
	Why    string // of a refusal
	Stamps Stamps // of the newest reading
	Begun  bool   // a session has begun and not ended

	wish    Expectation
	codec   *Codec
	buf     [MostBytes]byte
	out     []byte
	nonce   uint64
	session uint64
	started bool
	newest  uint64 // number of the newest reading, before Start or after it, plus one
	echo    int64
}

// Stamps are the instants of a reading, ns.
type Stamps struct {
	Measured int64 // on the rig's clock
	Sent     int64 // on the rig's clock
	Echo     int64 // Sent of the newest datagram of the loop that the rig had, on the loop's clock
}

// NewMaster makes a loop's side. nonce is a number that the loop has drawn.
func NewMaster(w Expectation, key []byte, nonce uint64) *Master {
	return &Master{wish: w, codec: NewCodec(key), nonce: nonce, Read: w.Sensors.Reading()}
}

// Holds reports whether the rig has given the loop a session, of whatever rig.
func (m *Master) Holds() bool { return m.session != 0 }

// Hello is the datagram that asks for a session, sent at an instant of the loop's clock, ns.
func (m *Master) Hello(now int64) []byte {
	h := Header{Kind: Hello, Number: m.nonce, Acted: None, Sent: now}
	h.numbers(m.wish.Sensors)
	m.wish.put(m.codec.Begin(m.buf[:], &h))
	return m.seal()
}

// Keep asks for a reading.
func (m *Master) Keep(now int64) []byte { return m.plain(Keep, now) }

// Start makes the next reading number 0.
func (m *Master) Start(now int64) []byte {
	m.started, m.newest = true, 0
	return m.plain(Start, now)
}

// Bye ends the session. The rig answers with its counts.
func (m *Master) Bye(now int64) []byte {
	h := m.header(Bye, now)
	counts := m.Counts
	counts.Sent++ // this one
	counts.put(m.codec.Begin(m.buf[:], &h))
	return m.seal()
}

// Command is command k, made from the newest reading.
func (m *Master) Command(k uint64, command []float64, now int64) []byte {
	h := m.header(Command, now)
	h.Number, h.NX = k, uint8(len(command))
	if m.newest > 0 {
		h.Acted = m.newest - 1
	}
	putValues(m.codec.Begin(m.buf[:], &h), command)
	return m.seal()
}

// Again is the last datagram once more.
func (m *Master) Again() []byte {
	m.Counts.Sent++
	return m.out
}

func (m *Master) plain(kind Kind, now int64) []byte {
	h := m.header(kind, now)
	m.codec.Begin(m.buf[:], &h)
	return m.seal()
}

func (m *Master) header(kind Kind, now int64) Header {
	return Header{Kind: kind, Session: m.session, Acted: None, Sent: now, Echo: m.echo}
}

func (m *Master) seal() []byte {
	m.Counts.Sent++
	m.out = m.codec.Seal(m.buf[:])
	return m.out
}

// Take takes a datagram of the rig.
func (m *Master) Take(datagram []byte) Event {
	m.Counts.Received++
	h, body, err := m.codec.Open(datagram)
	switch {
	case h.Kind == Refuse && (err == nil || err == ErrVersion):
		return m.refused(&h, body)
	case err != nil:
		m.Counts.Bad++
		return Nothing
	case h.Kind == Welcome:
		return m.welcome(&h, body)
	case h.Kind != Reading && h.Kind != Bye:
		m.Counts.Bad++
		return Nothing
	case !m.Begun || h.Session != m.session:
		m.Counts.Old++
		return Nothing
	case h.Kind == Bye:
		m.Theirs.take(body)
		m.Begun = false
		return Parted
	}
	return m.reading(&h, body)
}

// refused takes the answer to the loop's own hello, from a rig of another version too.
func (m *Master) refused(h *Header, body []byte) Event {
	switch {
	case m.session != 0:
		m.Counts.Bad++
		return Nothing
	case h.Number != m.nonce:
		m.Counts.Old++
		return Nothing
	}
	m.Reason, m.Why = Reason(h.Status), text(body)
	return Refused
}

// welcome takes a session. Of a rig that is not as wished the loop should say Bye.
func (m *Master) welcome(h *Header, body []byte) Event {
	switch {
	case h.Number != m.nonce || h.Session == 0 || m.session != 0 && h.Session != m.session:
		m.Counts.Old++
		return Nothing
	case m.session != 0:
		m.Counts.Repeated++
		return Nothing
	}
	m.session, m.echo = h.Session, h.Sent // of a rig that is not as wished too: Bye frees it
	if err := m.Info.take(h, body); err != nil {
		m.Reason, m.Why = NotReady, "what the rig says of itself cannot be: "+err.Error()
		return Refused
	}
	if m.Reason, m.Why = m.Info.Meets(&m.wish); m.Reason != 0 {
		return Refused
	}
	m.Begun = true
	return Welcomed
}

// mostWatchdogs times the watchdog is how far the numbers of readings may leap.
const mostWatchdogs = 10

// most is how far the number of a reading may be ahead of the last one's, samples.
func (m *Master) most() uint64 {
	return uint64(min(max(1, mostWatchdogs*m.Info.WatchdogS*m.Info.RateHz), math.MaxInt32))
}

// reading takes a reading that is newer than the last. Once Start has gone, idle readings are
// old: the rig measured them before it had Start.
func (m *Master) reading(h *Header, body []byte) Event {
	idle := h.Status.State() == Idle
	switch {
	case h.sensors() != m.wish.Sensors:
		m.Counts.Bad++
		return Nothing
	case h.Number >= m.newest+m.most():
		m.Counts.Bad++
		return Nothing
	case m.started && idle || h.Number+1 < m.newest:
		m.Counts.Old++
		return Nothing
	case h.Number+1 == m.newest:
		m.Counts.Repeated++
		return Nothing
	}
	m.newest = h.Number + 1
	m.Number, m.Acted, m.Status, m.Read.Age = h.Number, h.Acted, h.Status, int(h.Age)
	m.Stamps, m.echo = Stamps{h.Measured, h.Sent, h.Echo}, h.Sent
	takeValues(m.Read.L, takeValues(m.Read.A, takeValues(m.Read.F, takeValues(m.Read.X, body))))
	return Measured
}
