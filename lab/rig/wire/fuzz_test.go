package wire

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"

	"rths/kit/rthstest"
)

// page is what a reader of docs/reference/protocol.md knows of a session, to judge datagrams by the page's
// sentences alone.
type page struct {
	key      []byte
	session  uint64
	master   netip.AddrPort
	started  bool
	nx       int
	next     uint64 // the number after the newest command
	readings uint64 // made after start
	ahead    uint64 // samples of the watchdog's time
}

// sum is the CRC of the page, bit by bit.
func sum(b []byte) uint32 {
	crc := ^uint32(0)
	for _, c := range b {
		crc ^= uint32(c)
		for range 8 {
			crc = crc>>1 ^ 0x82f63b78*(crc&1)
		}
	}
	return ^crc
}

// whole reports whether a datagram's magic, version, length, crc and hmac are right, for a body
// of so many bytes.
func (p *page) whole(b []byte, body int) bool {
	at := 64 + body
	want := at + 4
	if p.key != nil {
		want += 32
	}
	if len(b) != want || string(b[:4]) != "RTHS" || b[4] != 1 || int(b[6])+256*int(b[7]) != want || b[59] != 0 ||
		binary.LittleEndian.Uint32(b[at:]) != sum(b[:at]) {
		return false
	}
	code := hmac.New(sha256.New, p.key)
	code.Write(b[:at+4])
	return p.key == nil || string(b[at+4:]) == string(code.Sum(nil))
}

func (p *page) ours(b []byte, from netip.AddrPort) bool {
	return p.session != 0 && from == p.master && len(b) >= 64 && binary.LittleEndian.Uint64(b[8:]) == p.session
}

// moves reports whether a datagram is a well-formed command that is newer than the newest.
func (p *page) moves(b []byte, from netip.AddrPort) bool {
	if !p.started || !p.ours(b, from) || b[5] != 5 || int(b[56]) != p.nx || b[57] != 0 || b[58] != 0 ||
		!p.whole(b, 8*p.nx) {
		return false
	}
	for i := range p.nx {
		if exponent := binary.LittleEndian.Uint64(b[64+8*i:]) >> 52 & 0x7ff; exponent == 0x7ff {
			return false // not finite
		}
	}
	number := binary.LittleEndian.Uint64(b[16:])
	return number >= p.next && number <= p.readings+p.ahead
}

// plain reports whether a datagram is a sound one of the session without channels, of a kind
// with a body of so many bytes.
func (p *page) plain(b []byte, from netip.AddrPort, kind Kind, body int) bool {
	return p.ours(b, from) && b[5] == byte(kind) && b[56] == 0 && b[57] == 0 && b[58] == 0 && p.whole(b, body)
}

// mend puts right what a random datagram never has.
func mend(b []byte, session uint64, key []byte) {
	c := NewCodec(key)
	at := len(b) - c.trailer()
	if at < headerSize {
		return
	}
	le := binary.LittleEndian
	le.PutUint32(b, magic)
	b[4], b[59] = Version, 0
	le.PutUint16(b[6:], uint16(len(b)))
	le.PutUint64(b[8:], session)
	c.Seal(b)
}

// running is a session after some commands, and what the page says of it.
func running(t testing.TB, clock Clock, key []byte, commands uint64) (*pair, *page) {
	t.Helper()
	p := newPair(t, clock, key).started(t)
	for k := range commands {
		p.commanded(t, k)
	}
	// 0.25 s at 1024 Hz
	return p, &page{key: key, session: 1000, master: here, started: true, nx: 1, next: commands, readings: commands + 1,
		ahead: 256}
}

// inState is a session in one of six states, and what the page says of it.
func inState(t testing.TB, choice byte) (*pair, *page) {
	t.Helper()
	var key []byte
	if choice&8 != 0 {
		key = goldenKey
	}
	clock := Clock(choice >> 4 & 1)
	switch choice & 7 {
	case 0:
		return newPair(t, clock, key), &page{key: key, nx: 1}
	case 1:
		return newPair(t, clock, key).begun(t), &page{key: key, session: 1000, master: here, nx: 1}
	case 2:
		p, w := running(t, clock, key, 3)
		p.s.Take(p.m.Bye(9), here, 9)
		*w = page{key: key, nx: 1}
		return p, w
	}
	return running(t, clock, key, uint64(choice&3)*2)
}

func seeds(f *testing.F) {
	for _, g := range goldens(f) {
		for _, choice := range []byte{0, 1, 2, 3, 5} {
			if g.key != nil {
				choice |= 8
			}
			f.Add(choice, g.bytes)
			f.Add(choice|0x80, g.bytes)
			f.Add(choice|0x50, g.bytes)
		}
	}
}

// added is by how much the counts of what was not taken have grown.
func added(a, b Counts) uint64 {
	return b.Repeated - a.Repeated + b.Old - a.Old + b.Bad - a.Bad
}

func FuzzOpen(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, choice byte, b []byte) {
		var key []byte
		if choice&8 != 0 {
			key = goldenKey
		}
		if choice&0x80 != 0 {
			mend(b, 1000, key)
		}
		c := NewCodec(key)
		h, body, err := c.Open(b)
		if err != nil {
			return
		}
		if !(&page{key: key}).whole(b, len(body)) {
			t.Errorf("%x is not whole", b)
		}
		var buf [MostBytes]byte
		copy(c.Begin(buf[:], &h), body)
		if again := c.Seal(buf[:]); !slices.Equal(again, b) {
			t.Errorf("%x: written again %x", b, again)
		}
	})
}

// A datagram moves the rig if and only if the page says so, in every state.
func FuzzSlave(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, choice byte, b []byte) {
		p, w := inState(t, choice)
		from := here
		if choice&0x20 != 0 {
			from = there
		}
		if choice&0x80 != 0 {
			mend(b, 1000, w.key)
		}
		before, command, want := p.s.Counts, slices.Clone(p.s.Command), w.moves(b, from)
		event := p.s.Take(b, from, 10)
		if got := event == Moved; got != want {
			t.Errorf("state %d, from %s, %x: moved %v: want %v", choice&7, from, b, got, want)
		}
		if event != Moved && event != Begun && !slices.Equal(p.s.Command, command) {
			t.Errorf("state %d, from %s, %x: event %d has changed the command", choice&7, from, b, event)
		}
		if n := p.s.Counts.Received - before.Received; event != Begun && n != 1 &&
			(n != 0 || added(before, p.s.Counts) != 0) || added(before, p.s.Counts) > 1 {
			t.Errorf("state %d, from %s, %x: counts %+v after %+v", choice&7, from, b, p.s.Counts, before)
		}
	})
}

// A loop takes a sound reading of its session that is newer than the last, and no other.
func FuzzMaster(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, choice byte, b []byte) {
		p, w := inState(t, choice)
		if choice&7 == 2 { // the rig has parted; the loop hears of it
			p.m.Take(p.s.Out)
		}
		if choice&0x80 != 0 {
			mend(b, 1000, w.key)
		}
		want := w.session != 0 && len(b) >= 64 && b[5] == 6 && b[56] == 1 && b[57] == 1 && b[58] == 1 && w.ours(b, here) &&
			w.whole(b, 24)
		if want {
			number, state := binary.LittleEndian.Uint64(b[16:]), b[62]&15
			want = number != None && (!w.started || number >= w.readings && state != 0)
		}
		before, read := p.m.Counts, math.Float64bits(p.m.Read.X[0])
		event := p.m.Take(b)
		if (event == Measured) != want {
			t.Errorf("state %d, %x: event %d: want a reading: %v", choice&7, b, event, want)
		}
		if event != Measured && math.Float64bits(p.m.Read.X[0]) != read {
			t.Errorf("state %d, %x: event %d has changed the reading", choice&7, b, event)
		}
		taken := uint64(0)
		if event != Nothing {
			taken = 1
		}
		if p.m.Counts.Received != before.Received+1 || added(before, p.m.Counts)+taken != 1 {
			t.Errorf("state %d, event %d, %x: counts %+v after %+v", choice&7, event, b, p.m.Counts, before)
		}
	})
}

// spoiler makes random datagrams.
type spoiler struct {
	*rand.Rand
	key     []byte
	session uint64
	sound   [][]byte
}

// datagram is random bytes, or a sound datagram with some bytes changed, and often mended.
func (r *spoiler) datagram(buf []byte) []byte {
	b := append(buf[:0], r.sound[r.IntN(len(r.sound))]...)
	if r.IntN(8) == 0 {
		b = buf[:r.IntN(200)]
		for i := range b {
			b[i] = byte(r.Uint32())
		}
	}
	if len(b) > 0 {
		for range r.IntN(4) {
			b[r.IntN(len(b))] = byte(r.Uint32())
		}
	}
	if len(b) >= 72 {
		le := binary.LittleEndian
		switch r.IntN(8) {
		case 0:
			le.PutUint64(b[16:], r.Uint64()>>r.IntN(64)) // number
		case 1:
			le.PutUint64(b[16:], uint64(r.IntN(300)))
		case 2:
			le.PutUint64(b[64:], 0x7ff0<<48|uint64(r.IntN(2))<<63|r.Uint64()>>12*uint64(r.IntN(2))) // infinite, or not a number
		case 3:
			b = b[:len(b)-r.IntN(9)]
		}
	}
	if session := r.session; r.IntN(2) == 0 {
		if r.IntN(4) == 0 {
			session += r.Uint64() >> r.IntN(64)
		}
		mend(b, session, r.key)
	}
	return b
}

// A million random datagrams neither crash a running rig nor move anything; all of them
// are counted. Left out are those that by the page may move the rig or end the session.
func TestAMillionDatagramsMoveNothing(t *testing.T) {
	rthstest.Long(t)
	for name, key := range map[string][]byte{"without a key": nil, "with a key": goldenKey} {
		t.Run(name, func(t *testing.T) {
			p, w := running(t, Lockstep, key, 5)
			r := &spoiler{Rand: rand.New(rand.NewPCG(1, 2)), key: key, session: 1000}
			for _, g := range goldens(t) {
				r.sound = append(r.sound, g.bytes)
			}
			command := p.m.Command(5, []float64{0.5}, 1)
			for range 8 { // as many commands as all others
				r.sound = append(r.sound, slices.Clone(command))
			}
			at, begin := p.s.Command[0], p.s.Counts
			var moving, parting, keeps, refused, starts uint64
			var buf [MostBytes]byte
			for fed := 0; fed < 500_000; fed++ {
				b, from := r.datagram(buf[:]), here
				if r.IntN(4) == 0 {
					from = there
				}
				switch {
				case w.moves(b, from):
					moving, fed = moving+1, fed-1
					continue
				case w.plain(b, from, Bye, 48):
					parting, fed = parting+1, fed-1
					continue
				case w.plain(b, from, Keep, 0):
					keeps++
				case w.plain(b, from, Start, 0):
					starts++
				case len(b) > 64 && b[5] == 1 && w.whole(b, 48) && b[56] <= 32 && b[57] <= 32 && b[58] <= 32:
					if binary.LittleEndian.Uint64(b[16:]) != 77 || from != here {
						refused++
					}
				}
				before := p.s.Counts
				event := p.s.Take(b, from, 1)
				if event != Nothing && event != Reply || p.s.Command[0] != at || p.s.session != 1000 || !p.s.started ||
					p.s.Master() != here {
					t.Fatalf("event %d, command %g, session %d of %x from %s", event, p.s.Command[0], p.s.session, b, from)
				}
				if added(before, p.s.Counts) > 1 {
					t.Fatalf("%x is counted twice", b)
				}
			}
			got := p.s.Counts.Received - begin.Received
			if got != 500_000-refused || got != keeps+added(begin, p.s.Counts) {
				t.Errorf("%d received, of them %d kept alive, %+v after %+v: want %d, and all counted", got, keeps, p.s.Counts,
					begin, 500_000-refused)
			}
			if moving < 1000 || parting < 1000 || keeps < 1000 || starts < 1000 || refused < 1000 {
				t.Errorf("%d would move, %d part, %d keep, %d start, %d are refused: want 1000 of each at least", moving, parting,
					keeps, starts, refused)
			}
			t.Logf("left out: %d commands, %d byes; %d hellos refused; %+v", moving, parting, refused, p.s.Counts)
			if e := p.s.Take(command, here, 1); e != Moved || p.s.Command[0] != 0.5 {
				t.Errorf("event %d, command %g: want the next command to move the rig", e, p.s.Command[0])
			}
		})
	}
}
