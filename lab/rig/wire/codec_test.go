package wire

import (
	"bytes"
	"net/netip"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"rths"
	"rths/kit/rthstest"
)

// drawHeader draws a header that a kind may have.
func drawHeader(t *rapid.T) Header {
	h := Header{Kind: Kind(rapid.Uint8Range(1, uint8(kinds-1)).Draw(t, "kind")),
		Session: rapid.Uint64().Draw(t, "session"), Number: rapid.Uint64().Draw(t, "number"),
		Acted: rapid.Uint64().Draw(t, "acted"),
		Sent:  rapid.Int64().Draw(t, "sent"), Echo: rapid.Int64().Draw(t, "echo"),
		Measured: rapid.Int64().Draw(t, "measured"),
		Age:      rapid.Uint16().Draw(t, "age"), Status: Status(rapid.Uint16().Draw(t, "status"))}
	channels := rapid.Uint8Range(0, MostChannels)
	switch h.Kind {
	case Hello, Welcome, Reading:
		h.NX, h.NF, h.NA = channels.Draw(t, "nx"), channels.Draw(t, "nf"), channels.Draw(t, "na")
		h.NL = channels.Draw(t, "nl")
	case Command:
		h.NX = channels.Draw(t, "nx")
	}
	return h
}

func drawKey(t *rapid.T) []byte {
	return rapid.OneOf(rapid.Just([]byte(nil)), rapid.SliceOfN(rapid.Byte(), 16, 80)).Draw(t, "key")
}

// drawDatagram draws a datagram of any kind and content.
func drawDatagram(t *rapid.T) (c *Codec, h Header, body, datagram []byte) {
	c, h = NewCodec(drawKey(t)), drawHeader(t)
	buf := rapid.SliceOfN(rapid.Byte(), MostBytes, MostBytes).Draw(t, "buffer") // Begin clears what it leaves
	begun := c.Begin(buf, &h)
	if bytes.ContainsFunc(begun, func(r rune) bool { return r != 0 }) {
		t.Fatal("a body begins with bytes that are not zero")
	}
	body = rapid.SliceOfN(rapid.Byte(), len(begun), len(begun)).Draw(t, "body")
	copy(begun, body)
	return c, h, body, c.Seal(buf)
}

func TestOpenReadsWhatSealWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, want, body, datagram := drawDatagram(t)
		h, got, err := c.Open(datagram)
		if err != nil || h != want || !bytes.Equal(got, body) {
			t.Fatalf("%+v, %x, %v: want %+v, %x", h, got, err, want, body)
		}
	})
}

// A datagram of another length, with another key, with a flipped bit, or with a missing or an
// additional code is refused.
func TestOpenRefusesDamage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, _, _, datagram := drawDatagram(t)
		bit := rapid.IntRange(0, 8*len(datagram)-1).Draw(t, "bit")
		flipped := slices.Clone(datagram)
		flipped[bit/8] ^= 1 << (bit % 8)
		if _, _, err := c.Open(flipped); err == nil {
			t.Fatalf("bit %d of %x flipped: want a refusal", bit, datagram)
		}
		if n := rapid.IntRange(0, len(datagram)-1).Draw(t, "bytes left"); true {
			if _, _, err := c.Open(datagram[:n]); err == nil {
				t.Fatalf("%d bytes of %x: want a refusal", n, datagram)
			}
		}
		if _, _, err := c.Open(append(slices.Clip(datagram),
			rapid.SliceOfN(rapid.Byte(), 1, 40).Draw(t, "more")...)); err == nil {
			t.Fatalf("more than %x: want a refusal", datagram)
		}
		if _, _, err := NewCodec([]byte("an unknown key of a stranger")).Open(datagram); err == nil {
			t.Fatalf("%x with a stranger's key: want a refusal", datagram)
		}
		if _, _, err := NewCodec(nil).Open(datagram); err == nil && c.mac != nil {
			t.Fatalf("%x without the key: want a refusal", datagram)
		}
	})
}

// Every single bit of one datagram of each kind counts.
func TestEveryBitCounts(t *testing.T) {
	for _, g := range goldens(t) {
		c := NewCodec(g.key)
		for bit := range 8 * len(g.bytes) {
			g.bytes[bit/8] ^= 1 << (bit % 8)
			if _, _, err := c.Open(g.bytes); err == nil {
				t.Errorf("%s, key %q, bit %d flipped: want a refusal", g.name, g.key, bit)
			}
			g.bytes[bit/8] ^= 1 << (bit % 8)
		}
		for n := range len(g.bytes) {
			if _, _, err := c.Open(g.bytes[:n]); err == nil {
				t.Errorf("%s, key %q, %d of %d bytes: want a refusal", g.name, g.key, n, len(g.bytes))
			}
		}
	}
}

// sealed changes a datagram and mends length and codes.
func sealed(c *Codec, datagram []byte, change func(b []byte)) []byte {
	var buf [MostBytes]byte
	copy(buf[:], datagram)
	change(buf[:])
	return slices.Clone(c.Seal(buf[:]))
}

// Sound codes do not make a datagram good.
func TestOpenSaysWhy(t *testing.T) {
	c := NewCodec(nil)
	command := slices.Clone(goldens(t)[Command-1].bytes)
	start := goldens(t)[Start-1].bytes
	for _, tc := range []struct {
		name     string
		datagram []byte
		want     error
	}{
		{"nothing", nil, ErrShort},
		{"67 bytes", command[:67], ErrShort},
		{"magic", sealed(c, command, func(b []byte) { b[3] = 'X' }), ErrMagic},
		{"version 2", sealed(c, command, func(b []byte) { b[4] = 2 }), ErrVersion},
		{"version 0", sealed(c, command, func(b []byte) { b[4] = 0 }), ErrVersion},
		{"kind 0", sealed(c, command, func(b []byte) { b[5] = 0 }), ErrKind},
		{"kind 9", sealed(c, command, func(b []byte) { b[5] = 9 }), ErrKind},
		{"kind of another length", sealed(c, command, func(b []byte) { b[5] = byte(Bye) }), ErrLength},
		{"three displacements in the place of two", sealed(c, command, func(b []byte) { b[56] = 3 }), ErrLength},
		{"a command with forces", sealed(c, command, func(b []byte) { b[57] = 1 }), ErrLength},
		{"a start with channels", sealed(c, start, func(b []byte) { b[56] = 1 }), ErrLength},
		{"33 displacements", sealed(c, command, func(b []byte) { b[56], b[6], b[7] = 33, 76, 1 }), ErrLength},
		{"byte 59", sealed(c, command, func(b []byte) { b[59] = 1 }), ErrLength},
		{"crc", append(slices.Clone(command[:len(command)-1]), command[len(command)-1]^1), ErrSum},
	} {
		if _, _, err := c.Open(tc.datagram); err != tc.want {
			t.Errorf("%s: %v: want %v", tc.name, err, tc.want)
		}
	}
	if _, _, err := NewCodec(goldenKey).Open(goldens(t)[Command-1].bytes); err == nil {
		t.Error("a command without code: want a refusal")
	}
}

var here, there = netip.MustParseAddrPort("127.0.0.1:7000"), netip.MustParseAddrPort("127.0.0.1:7001")

// pair is both sides of a session, begun, or started too.
type pair struct {
	m    *Master
	s    *Slave
	read rths.Reading // of the rig
}

func newPair(t testing.TB, clock Clock, key []byte) *pair {
	t.Helper()
	info := goldenInfo()
	info.Clock = clock
	session := uint64(0)
	p := &pair{m: NewMaster(Expectation{RateHz: 1024, Clock: clock, Sensors: rths.Sensors{X: 1, F: 1, A: 1}, Program: "test"}, key, 77)}
	p.s = rthstest.Must(NewSlave(info, key, func() uint64 { session += 1000; return session }))
	p.read = rths.Reading{Motion: rths.Motion{X: make([]float64, 1), A: make([]float64, 1)}, F: make([]float64, 1)}
	return p
}

func (p *pair) begun(t testing.TB) *pair {
	t.Helper()
	if e := p.s.Take(p.m.Hello(1), here, 1); e != Begun {
		t.Fatalf("event %d: want a session", e)
	}
	if e := p.m.Take(p.s.Out); e != Welcomed {
		t.Fatalf("event %d (%s): want a welcome", e, p.m.Why)
	}
	return p
}

func (p *pair) started(t testing.TB) *pair {
	t.Helper()
	p.begun(t)
	if e := p.s.Take(p.m.Start(2), here, 2); e != Started {
		t.Fatalf("event %d: want a start", e)
	}
	p.s.Reading(&p.read, Running, 2, 2)
	if e := p.m.Take(p.s.Out); e != Measured || p.m.Number != 0 || !p.m.Status.Has(Trigger) {
		t.Fatalf("event %d, reading %d, %s: want reading 0", e, p.m.Number, p.m.Status)
	}
	return p
}

// commanded sends command k and takes the answer.
func (p *pair) commanded(t testing.TB, k uint64) *pair {
	t.Helper()
	p.read.X[0] = float64(k+1) / 1024
	if e := p.s.Take(p.m.Command(k, p.read.X, int64(k)), here, int64(k)); e != Moved || p.s.Command[0] != p.read.X[0] {
		t.Fatalf("command %d: event %d, %g: want motion to %g", k, e, p.s.Command[0], p.read.X[0])
	}
	p.s.Reading(&p.read, Running, 2, 2)
	if e := p.m.Take(p.s.Out); e != Measured || p.m.Number != k+1 || p.m.Acted != k || p.m.Read.X[0] != p.read.X[0] {
		t.Fatalf("event %d, reading %d after command %d of %g: want reading %d after command %d", e, p.m.Number, p.m.Acted,
			p.m.Read.X[0], k+1, k)
	}
	return p
}

func TestTicksAllocateNothing(t *testing.T) {
	for _, key := range [][]byte{nil, goldenKey} {
		p := newPair(t, Lockstep, key).started(t)
		k := uint64(0)
		rthstest.NoAllocation(t, func() { p.commanded(t, k); k++ })
		again := slices.Clone(p.m.Again())
		rthstest.NoAllocation(t, func() { p.s.Take(again, here, 1) })
		again[70] ^= 1
		rthstest.NoAllocation(t, func() { p.s.Take(again, here, 1); p.m.Take(again) })
	}
}
