package udp_test

import (
	"math"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"rths/kit/rthstest"
	"rths/lab/rig/udp"
	"rths/lab/rig/wire"
	"rths/scenario"
)

// wrongRig is a rig with a clock whose readings are spoilt: spoil changes the header of reading n and says
// whether the rig then says bye.
func wrongRig(t *testing.T, l *laboratory, spoil func(n int, started bool,
	h *wire.Header) (bye bool)) (address string) {
	conn := rthstest.Must(net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}))
	t.Cleanup(func() { conn.Close() })
	slave := rthstest.Must(wire.NewSlave(rthstest.Must(l.scenario.Laboratory(scenario.Options{})).Info(), nil,
		func() uint64 { return 9 }))
	codec, out := wire.NewCodec(nil), make([]byte, wire.MostBytes)
	send := func(h wire.Header, body []byte, to netip.AddrPort) {
		copy(codec.Begin(out, &h), body)
		conn.WriteToUDPAddrPort(codec.Seal(out), to)
	}
	go func() {
		buf := make([]byte, wire.MostBytes)
		status, n := wire.Idle, 0
		for next := time.Now(); ; {
			conn.SetReadDeadline(next)
			size, from, err := conn.ReadFromUDPAddrPort(buf)
			if err == nil {
				switch slave.Take(buf[:size], from, 1) {
				case wire.Started:
					status, n = wire.Running, 0
				case wire.Begun, wire.Parted, wire.Reply:
					conn.WriteToUDPAddrPort(slave.Out, from)
				}
				continue
			}
			if e, ok := err.(net.Error); !ok || !e.Timeout() {
				return
			}
			if peer := slave.Master(); peer.IsValid() {
				slave.Reading(reading(), status, 1, 1)
				h, body, _ := codec.Open(slave.Out)
				bye := spoil(n, status == wire.Running, &h)
				send(h, body, peer)
				if bye {
					send(wire.Header{Kind: wire.Bye, Session: 9, Acted: wire.None}, nil, peer)
				}
				n++
			}
			next = next.Add(time.Second / 128)
		}
	}()
	return conn.LocalAddr().String()
}

// ticksOver runs some ticks over a wrong rig: how long they take, how many are late, and the first error.
func ticksOver(t *testing.T, ticks int, spoil func(n int, started bool, h *wire.Header) bool) (took time.Duration,
	late int, r *udp.Rig, err error) {
	l := serveBench(t, "rig.clock=rig", "rig.watchdog_ms=200")
	r = rthstest.Must(udp.Dial(udp.Config{Address: wrongRig(t, l, spoil), Expected: l.scenario.Expectation("drill"),
		ReplyWithin: 2 * time.Millisecond}))
	read, begun := reading(), time.Now()
	for range ticks {
		if err = r.Read(read); err != nil {
			break
		}
		if read.Late {
			late++
		}
		if w := r.Write([]float64{0}); w != nil {
			t.Fatal(w)
		}
	}
	return time.Since(begun), late, r, err
}

// Whatever a rig with a clock says of numbers and instants, the loop goes no faster than the rig.
func TestNoReadingMakesTheLoopRunFree(t *testing.T) {
	t.Parallel()
	rthstest.Long(t)
	for name, spoil := range map[string]func(n int, started bool, h *wire.Header) bool{
		"a number far ahead": func(n int, started bool, h *wire.Header) bool {
			if started && n == 20 {
				h.Number = 1 << 40
			}
			return false
		},
		"an instant set back": func(n int, started bool, h *wire.Header) bool {
			if started && n > 20 {
				h.Measured = -1e9
			}
			return false
		},
		"numbers that stand": func(n int, started bool, h *wire.Header) bool {
			if started && n > 20 {
				h.Number = 20
			}
			return false
		},
	} {
		took, _, r, err := ticksOver(t, 128, spoil)
		if err != nil || took < 950*time.Millisecond {
			t.Errorf("%s: 128 ticks took %v, %v: want the rig's second", name, took, err)
		}
		r.Close()
	}
}

// A rig that says bye ends the run of a rig with a clock too, and its counts are known.
func TestByeOfARigWithAClock(t *testing.T) {
	_, _, r, err := ticksOver(t, 128, func(n int, started bool, h *wire.Header) bool { return started && n == 20 })
	if err == nil || !strings.Contains(err.Error(), "has ended the session") {
		t.Errorf("%v: want that the rig has ended the session", err)
	}
	if _, known := r.Close(); !known {
		t.Error("the rig's counts are not known: want them, as it said bye")
	}
}

// A loop that is slower than its rig is late in every tick, though it has the reading of each.
func TestSlowLoop(t *testing.T) {
	l := serveBench(t, "rate_hz=1024", "rig.clock=rig", "rig.watchdog_ms=1000")
	r, read := l.dial(t), reading()
	late := 0
	for range 50 {
		time.Sleep(3 * time.Millisecond)
		if err := tick(t, r, read, 0); err != nil {
			t.Fatal(err)
		}
		if read.Late {
			late++
		}
	}
	if late < 48 || read.Age > 0 {
		t.Errorf("%d of 50 ticks late, the last reading %d samples old: want all but the first, and no old one", late,
			read.Age)
	}
	r.Close()
}

// After bye the rig goes to safety by itself; meanwhile it is not ready, and a loop asks again.
func TestSafetyBehindBye(t *testing.T) {
	t.Parallel()
	rthstest.Long(t)
	l := serveBench(t, "on_trip.velocity_m_s=0.02")
	r, read := l.dial(t), reading()
	for k := range 101 {
		if err := tick(t, r, read, 2e-4*float64(k)); err != nil {
			t.Fatal(err)
		}
	}
	at := read.X[0]
	r.Close()
	begun := time.Now()
	again := l.dial(t)
	if took := time.Since(begun).Seconds(); at < 0.018 || took < 0.9 || took > 6 {
		t.Errorf("the rig was at %g m, its next session began after %g s: want that of the way to zero, 1 s at 0.02 m/s", at,
			took)
	}
	if err := again.Read(read); err != nil || read.X[0] != 0 {
		t.Errorf("the next session begins at %g m, %v: want a new specimen at 0", read.X[0], err)
	}
	again.Close()
}

// The network's second copy of a hello does not take the rig after the session.
func TestHelloOfTheLastSession(t *testing.T) {
	l := serveBench(t)
	c := rthstest.Must(net.Dial("udp4", l.address))
	defer c.Close()
	m := wire.NewMaster(l.scenario.Expectation("drill"), nil, 77)
	buf := make([]byte, wire.MostBytes)
	hello := append([]byte(nil), m.Hello(1)...)
	for _, d := range [][]byte{hello, nil} {
		if d == nil {
			d = m.Bye(2)
		}
		c.Write(d)
		m.Take(buf[:rthstest.Must(c.Read(buf))])
	}
	c.Write(hello)
	c.Write(nil) // an empty datagram takes nothing either
	r := l.dial(t)
	r.Close()
	if s := l.ended(t); s.Counts.Bad != 0 || s.Counts.Old != 0 {
		t.Errorf("the first session: %+v: want a clean one", s.Counts)
	}
}

// A link that is closed takes nothing: its socket's number may be another file's.
func TestClosedLink(t *testing.T) {
	l := serveBench(t)
	r, read := l.dial(t), reading()
	r.Close()
	if err := r.Read(read); err == nil {
		t.Error("a closed link gives a reading")
	}
	if err := r.Write([]float64{math.Pi}); err == nil {
		t.Error("a closed link takes a command")
	}
	if _, known := r.Close(); known {
		t.Error("the second Close says that the rig has answered it")
	}
}

// A rig that cannot be made anew is not ready, and says why.
func TestRigThatCannotBeMadeAnew(t *testing.T) {
	t.Parallel()
	rthstest.Long(t)
	l := serveBench(t)
	r := l.dial(t)
	l.broken.Store(true)
	r.Close()
	_, err := udp.Dial(udp.Config{Address: l.address, Expected: l.scenario.Expectation("drill")})
	if err == nil || !strings.Contains(err.Error(), "a new rig cannot be made: the file is gone") {
		t.Errorf("%v: want why the rig is not ready", err)
	}
}
