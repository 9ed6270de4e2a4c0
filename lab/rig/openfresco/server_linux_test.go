package openfresco

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rths"
	"rths/kit/rthstest"
	"rths/lab/numerical"
	"rths/model/integrate"
)

// serving is a server, and what it has told the operator.
type serving struct {
	*Server
	stopped atomic.Bool
	told    []string
}

func serve(t *testing.T, change func(*Config)) *serving {
	t.Helper()
	s := new(serving)
	c := spring()
	c.Listen = netip.MustParseAddrPort("127.0.0.1:0")
	c.Stop, c.Say = s.stopped.Load, func(text string) { s.told = append(s.told, text) }
	if change != nil {
		change(c)
	}
	var err error
	if s.Server, err = Listen(*c); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// client is a genericClient of one degree of freedom.
type client struct {
	net.Conn
	t     *testing.T
	piece int // largest datagram; 0: all at once
}

func dial(t *testing.T, network string, s *serving) *client {
	t.Helper()
	c := &client{Conn: rthstest.Must(net.Dial(network, s.Address())), t: t}
	t.Cleanup(func() { c.Close() })
	return c
}

func (c *client) send(b []byte) {
	for len(b) > 0 {
		n := len(b)
		if c.piece > 0 {
			n = min(n, c.piece)
		}
		rthstest.Must(c.Write(b[:n]))
		b = b[n:]
	}
}

// force asks for the force, and reads the answer.
func (c *client) force() float64 {
	c.send(message(getForce))
	b := make([]byte, number*256)
	if c.piece > 0 {
		for at := 0; at < len(b); {
			n := rthstest.Must(c.Read(b[at:]))
			if n > c.piece {
				c.t.Errorf("a datagram of %d bytes: want the client's own %d", n, c.piece)
			}
			at += n
		}
	} else {
		rthstest.Must(io.ReadFull(c, b))
	}
	return float(b, 0)
}

// analysis is an explicit analysis of some steps.
func (c *client) analysis(steps int) {
	c.send(header(1, 1, 1, 0, 1, 0, 0, 0, 1, 0, 256))
	c.send(message(setTrial, 0))
	for j := range steps {
		x := float64(j + 1)
		c.send(message(setTrial, x, 0, 0, 0.01*x))
		if f := c.force(); f != 100*x {
			c.t.Errorf("force %g at %g: want %g", f, x, 100*x)
		}
		c.send(message(setTrial, x, 1, 1, 0.01*x))
		c.send(message(commit, x))
	}
}

// loop moves a spring of 100 N/m to every target, and returns how many there were.
func (s *serving) loop(t *testing.T) (n int, err error) {
	x, now := make([]float64, 1), rths.NewReading(1, 1)
	for {
		what, err := s.Next(x)
		switch {
		case err != nil || what != integrate.NewTarget:
			return n, err
		}
		n++
		now.X[0], now.F[0] = x[0], 100*x[0]
		s.Answer(&now)
	}
}

func TestServerTCP(t *testing.T) {
	s := serve(t, nil)
	go func() {
		c := dial(t, "tcp", s)
		c.analysis(200)
		c.send(message(die))
	}()
	if n, err := s.loop(t); n != 200 || err != nil || s.Waits() {
		t.Errorf("%d targets, %v: want 200", n, err)
	}
	if s.steps != 200 || s.moved != 200 || s.time != 2 {
		t.Errorf("%g steps, %g motions to %g s: want 200, 200, 2", s.steps, s.moved, s.time)
	}
}

// Datagrams: with the greeting of OpenSees, with the one of older clients, who also tell how they store numbers, and
// without; whole messages and pieces of 512 bytes.
func TestServerUDP(t *testing.T) {
	for name, of := range map[string]struct {
		greeting string
		piece    int
	}{"OpenSees": {"a", 0}, "older": {"ax", 512}, "2.8.0": {"", 512}} {
		s := serve(t, func(c *Config) { c.UDP = true })
		go func() {
			c := dial(t, "udp", s)
			for _, word := range []byte(of.greeting) {
				c.send([]byte{word})
				b := make([]byte, 8)
				if n := rthstest.Must(c.Read(b)); n != 1 || word == 'a' && b[0] != 'b' || word != 'a' && b[0] != 1 {
					t.Errorf("%s: greeted with % x", name, b[:n])
				}
			}
			c.piece = of.piece
			c.analysis(50)
			c.send(message(die))
		}()
		if n, err := s.loop(t); n != 50 || err != nil {
			t.Errorf("%s: %d targets, %v: want 50", name, n, err)
		}
	}
}

// A client that has gone, before the start, between steps or while it waits for an answer, is seen.
func TestServerClientGone(t *testing.T) {
	s := serve(t, nil)
	go func() {
		c := dial(t, "tcp", s)
		c.analysis(3)
		c.Close()
	}()
	if n, err := s.loop(t); n != 3 || !errors.Is(err, numerical.Left.Err()) || s.Waits() {
		t.Errorf("%d targets, %v", n, err)
	}
	if _, err := s.Next(make([]float64, 1)); !errors.Is(err, numerical.Left.Err()) {
		t.Errorf("again: %v", err)
	}

	s = serve(t, nil)
	go func() { dial(t, "tcp", s).Close() }()
	if err := s.AwaitClient(); !errors.Is(err, numerical.Left.Err()) ||
		!strings.Contains(err.Error(), "before the 44 bytes of its header were there: want element genericClient") {
		t.Errorf("before its header: %v", err)
	}

	s = serve(t, nil)
	asks, go2 := make(chan bool), make(chan bool)
	go func() {
		c := dial(t, "tcp", s)
		c.send(header(1, 1, 1, 0, 1, 0, 0, 0, 1, 0, 256))
		c.send(message(setTrial, 1))
		c.send(message(getForce))
		<-asks
		c.Close()
		close(go2)
	}()
	if what, err := s.Next(make([]float64, 1)); what != integrate.NewTarget || err != nil || s.Gone() {
		t.Fatal(what, err, s.Gone())
	}
	asks <- true
	<-go2
	rthstest.Must(0, wait(s.Gone))
}

func wait(done func() bool) error {
	for range 500 {
		if done() {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return errors.New("not in five seconds")
}

// After the end of a run the client gets the last force, whatever it asks for, until it leaves.
func TestServerFinish(t *testing.T) {
	s := serve(t, nil)
	ended := make(chan bool)
	go func() {
		c := dial(t, "tcp", s)
		c.send(header(1, 1, 1, 0, 1, 0, 0, 0, 1, 0, 256))
		c.send(message(setTrial, 1))
		if f := c.force(); f != 100 {
			t.Errorf("force %g: want 100", f)
		}
		for _, x := range []float64{2, 3, nan()} {
			c.send(message(setTrial, x))
			if f := c.force(); f != 100 {
				t.Errorf("force %g at %g after the end: want the last one, 100", f, x)
			}
		}
		c.send(message(die))
		close(ended)
	}()
	x, now := make([]float64, 1), rths.NewReading(1, 1)
	now.X[0], now.F[0] = 1, 100
	for range 2 { // the second target is not answered
		if what, err := s.Next(x); what != integrate.NewTarget || err != nil {
			t.Fatal(what, err)
		}
		if x[0] == 1 {
			s.Answer(&now)
		}
	}
	if !s.Waits() {
		t.Error("the client is there, and the server does not know it")
	}
	s.Finish(func() bool { return false })
	<-ended
	if s.Waits() {
		t.Error("the client has left, and the server waits for it")
	}
}

func nan() float64 { var zero float64; return zero / zero }

// Nobody but this computer and those allowed may be the client; a second one finds no server.
func TestServerRefuses(t *testing.T) {
	s := serve(t, nil)
	dial(t, "tcp", s).send(header(1, 1, 1, 0, 1, 0, 0, 0, 1, 0, 256))
	if err := s.AwaitClient(); err != nil {
		t.Fatal(err)
	}
	if c, err := net.Dial("tcp", s.Address()); err == nil {
		c.Close()
		t.Error("a second client was accepted")
	}

	other := otherAddress(t)
	for _, network := range []string{"tcp", "udp"} {
		for _, allow := range []bool{false, true} {
			s := serve(t, func(c *Config) {
				c.Listen, c.UDP = netip.AddrPortFrom(other, 0), network == "udp"
				if allow {
					c.Allow = []netip.Addr{other}
				}
			})
			c := dial(t, network, s) // comes from that address too
			if network == "tcp" {
				go c.send(header(1, 1, 1, 0, 1, 0, 0, 0, 1, 0, 256))
			} else {
				c.send(header(1, 1, 1, 0, 1, 0, 0, 0, 1, 0, 256))
			}
			time.AfterFunc(300*time.Millisecond, func() { s.stopped.Store(true) })
			err := s.AwaitClient()
			if allow && err != nil || !allow && (err == nil || len(s.told) == 0 ||
				!strings.Contains(s.told[0], "was refused: want it in structure.allow")) {
				t.Errorf("%s, allowed %t: %v, %q", network, allow, err, s.told)
			}
		}
	}
	if _, err := Listen(Config{Listen: netip.MustParseAddrPort("[::1]:0"), DOF: 1}); err == nil {
		t.Error("an IPv6 address was listened at")
	}
	s = serve(t, func(c *Config) { c.UDP = true })
	if _, err := Listen(Config{Listen: netip.MustParseAddrPort(s.Address()), UDP: true, DOF: 1}); err == nil ||
		!strings.Contains(err.Error(), "in use") {
		t.Errorf("a second server at %s: %v", s.Address(), err)
	}
}

// otherAddress is an address of this computer that is not loopback.
func otherAddress(t *testing.T) netip.Addr {
	t.Helper()
	for _, a := range rthstest.Must(net.InterfaceAddrs()) {
		if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr().Is4() && !p.Addr().IsLoopback() {
			return p.Addr()
		}
	}
	t.Skip("want a network beside loopback")
	return netip.Addr{}
}

// A server that is told to stop gives up waiting, and says nothing has come.
func TestServerStops(t *testing.T) {
	s := serve(t, nil)
	s.stopped.Store(true)
	if what, err := s.Next(make([]float64, 1)); what != integrate.Nothing || err != nil {
		t.Error(what, err)
	}
}

// A client that asks and never reads its answers does not keep the server from ending.
func TestServerStopsInAnAnswer(t *testing.T) {
	s := serve(t, nil)
	c := dial(t, "tcp", s)
	full := make(chan struct{})
	go func() {
		defer close(full)
		for asked := header(1, 1, 1, 0, 1, 0, 0, 0, 1, 0, 256); ; asked = message(tangentStiff) {
			_ = c.SetWriteDeadline(time.Now().Add(time.Second))
			if _, err := c.Write(asked); err != nil {
				return
			}
		}
	}()
	ended := make(chan error, 1)
	go func() {
		what, err := s.Next(make([]float64, 1))
		if what != integrate.Nothing {
			err = errors.Join(err, errors.New("something came"))
		}
		ended <- err
	}()
	<-full
	s.stopped.Store(true)
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Error("the server waits for ever")
		c.Close()
		<-ended
	}
}

// The operator is told, once, of nobody who comes, of a header that is not there, and of an analysis that is silent.
func TestServerTellsOfSilence(t *testing.T) {
	for want, send := range map[string][][]byte{
		"no analysis has come to 127.0.0.1:":            nil,
		"a client has sent the first bytes of a header": {{1, 0, 0, 0}},
		"the analysis has been silent for 0.15 s, after its time 0.25 s and 1 steps": {header(1, 1, 1, 0, 1, 0, 0, 0, 1, 0,
			256), message(setTrial, 0, 0, 0, 0.25), message(commit)},
	} {
		s := serve(t, nil)
		s.patience = 150 * time.Millisecond
		if send != nil {
			c := dial(t, "tcp", s)
			for _, b := range send {
				c.send(b)
			}
		}
		time.AfterFunc(700*time.Millisecond, func() { s.stopped.Store(true) })
		if what, err := s.Next(make([]float64, 1)); what != integrate.Nothing || err != nil {
			t.Errorf("%s: %v, %v", want, what, err)
		}
		if len(s.told) != 1 || !strings.HasPrefix(s.told[0], want) ||
			!strings.Contains(s.told[0], "Ctrl-C ends the waiting") {
			t.Errorf("the operator was told %q: want %q, once", s.told, want)
		}
	}
}

// Lines of a generic TCP controller's initial file are passed over; then it acquires.
func TestServerGenericTCP(t *testing.T) {
	s := serve(t, nil)
	go func() {
		c := dial(t, "tcp", s)
		c.send(header(1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 256))
		line := make([]byte, initLineBytes)
		copy(line, "\x02setpoint 1 3 5")
		c.send(line)
		c.send(line)
		c.send(message(setTrial, 2))
		c.send(message(acquire))
		b := make([]byte, number*256)
		rthstest.Must(io.ReadFull(c, b))
		if float(b, 0) != 2 || float(b, 1) != 200 {
			t.Errorf("acquired %g, %g: want 2, 200", float(b, 0), float(b, 1))
		}
		c.send(append(message(die), message(die)...)) // twice, as its destructor does
	}()
	if n, err := s.loop(t); n != 1 || err != nil {
		t.Errorf("%d targets, %v: want 1", n, err)
	}
}

// A reading that is not finite never reaches the client.
func TestServerReadingNotFinite(t *testing.T) {
	s := serve(t, nil)
	go func() {
		c := dial(t, "tcp", s)
		c.send(header(1, 1, 1, 0, 1, 0, 0, 0, 1, 0, 256))
		c.send(message(setTrial, 1))
		c.send(message(getForce))
	}()
	if _, err := s.Next(make([]float64, 1)); err != nil {
		t.Fatal(err)
	}
	now := rths.NewReading(1, 1)
	now.F[0] = nan()
	s.Answer(&now)
	if _, err := s.Next(make([]float64, 1)); err == nil || !strings.Contains(err.Error(), "not finite") {
		t.Errorf("%v", err)
	}
}
