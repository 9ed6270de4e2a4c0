package wire

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rths"
	"rths/kit/rthstest"
)

// The rig of these tests: an ideal actuator and a spring, as in testdata/counterpart.c.
const (
	counterpartHz = 256.0
	stiffness     = 1e6 // N/m
	labKey        = "a key of twenty bytes"
)

var (
	wishOfC = Expectation{RateHz: counterpartHz, Clock: Lockstep, Sensors: rths.Sensors{X: 1, F: 1}, Program: "test"}
	infoOfC = Info{RateHz: counterpartHz, WatchdogS: 10, Clock: Lockstep, Virtual: true, Name: "test",
		X: []Channel{{Range: 0.1, Unit: "m"}}, F: []Channel{{Unit: "N"}}}
)

// The C program speaks the protocol as this package does: two readers of docs/reference/protocol.md agree.
func TestCounterpart(t *testing.T) {
	open := build(t, "counterpart.c")
	keyed := build(t, "counterpart.c", "counterpart_hmac.c")
	for name, run := range map[string]func(*testing.T, string, string){
		"its loop":                       loopOfC,
		"its rig, a session with faults": rigOfC,
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); run(t, open, "") })
		t.Run(name+", with a key", func(t *testing.T) { t.Parallel(); run(t, keyed, labKey) })
	}
	t.Run("its loop, refused", func(t *testing.T) { t.Parallel(); loopRefused(t, open) })
	t.Run("its loop, gives up", func(t *testing.T) { loopGivesUp(t, open) })
	t.Run("its loop, in silence", func(t *testing.T) { t.Parallel(); loopInSilence(t, open) })
	t.Run("mistakes", func(t *testing.T) { t.Parallel(); mistakesToC(t, open, keyed) })
	t.Run("its rig, refuses", func(t *testing.T) { t.Parallel(); rigRefuses(t, open) })
	t.Run("its watchdog", func(t *testing.T) { t.Parallel(); watchdogOfC(t, open) })
	t.Run("bye lost", func(t *testing.T) { t.Parallel(); byeLost(t, open) })
	t.Run("RFC 4231", func(t *testing.T) { t.Parallel(); hmacVectors(t) })
}

// build compiles files of testdata without a warning.
func build(t *testing.T, files ...string) string {
	t.Helper()
	args := []string{"-std=c11", "-Wall", "-Wextra", "-Werror", "-O2"}
	for _, f := range files {
		if !filepath.IsAbs(f) {
			f = filepath.Join("testdata", f)
		}
		args = append(args, f)
	}
	return rthstest.Compile(t, args...)
}

func program(key string, args ...string) *exec.Cmd {
	c := exec.Command(args[0], args[1:]...)
	c.Env = []string{}
	if key != "" {
		c.Env = append(c.Env, "RTHS_RIG_KEY="+key)
	}
	return c
}

func listen(t *testing.T) *net.UDPConn {
	t.Helper()
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// receive waits for a datagram. A minute is a rig that hangs.
func receive(t *testing.T, conn *net.UDPConn) ([]byte, netip.AddrPort) {
	t.Helper()
	buf := make([]byte, 4096)
	conn.SetReadDeadline(time.Now().Add(time.Minute))
	n, from, err := conn.ReadFromUDPAddrPort(buf)
	if err != nil {
		t.Fatal(err)
	}
	return buf[:n], netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
}

// loopOfC runs the loop in C against Slave. Command 1 is lost, and then reading 4: command 3 comes
// twice and the rig answers from memory. Reading 6 comes twice, and after it reading 3 again, a
// reading of another session and a damaged one.
func loopOfC(t *testing.T, c, key string) {
	conn := listen(t)
	slave, err := NewSlave(infoOfC, []byte(key), func() uint64 { return 77 })
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	cmd := program(key, c, "master", "127.0.0.1", port(conn), "256", "9")
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	rig := springRig{slave: slave}
	var said Counts // by the loop's bye
	var first, third []byte
	lost, dropped := false, false
	for ended := false; !ended; {
		in, from := receive(t, conn)
		switch h, body, _ := slave.codec.Open(in); {
		case h.Kind == Command && h.Number == 1 && !dropped:
			first, dropped = in, true
			continue
		case h.Kind == Command && h.Number == 1 && !bytes.Equal(in, first):
			t.Errorf("the loop sent again %x, want %x", in, first)
		case h.Kind == Bye:
			said.take(body)
		}
		ended = rig.take(in, from) == Parted
		out := [][]byte{slave.Out}
		switch h, _, _ := slave.codec.Open(slave.Out); {
		case h.Kind != Reading || h.Status.State() == Idle:
		case h.Number == 3:
			third = append(third, slave.Out...)
		case h.Number == 4 && !lost:
			lost, out = true, nil
		case h.Number == 6:
			foreign := append([]byte(nil), slave.Out...)
			binary.LittleEndian.PutUint64(foreign[8:], 78)
			damaged := append([]byte(nil), slave.Out...)
			damaged[70] ^= 1
			out = append(out, slave.Out, third, NewCodec([]byte(key)).Seal(foreign), damaged)
		}
		for _, d := range out {
			if _, err := conn.WriteToUDPAddrPort(d, from); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	// Sent: hello, keep, start, 9 commands, 2 of them again, bye.
	want := rig.readings +
		"loop: sent 15, received 17, repeated 1, old 2, bad 1, clipped 0\n" +
		"rig: sent 14, received 14, repeated 1, old 0, bad 0, clipped 0\n"
	if want := (Counts{Sent: 15, Received: 16, Repeated: 1, Old: 2, Bad: 1}); said != want {
		t.Errorf("the bye of the loop in C says %+v, want %+v", said, want)
	}
	if out.String() != want {
		t.Errorf("the loop in C printed\n%s, want\n%s", out.String(), want)
	}
}

// springRig moves the rig of these tests. readings are what its loop should print.
type springRig struct {
	slave    *Slave
	x        float64
	readings string
}

func (r *springRig) take(in []byte, from netip.AddrPort) Event {
	event := r.slave.Take(in, from, 1)
	status := Running
	switch event {
	case Started:
		r.x = 0
	case Moved:
		r.x = r.slave.Command[0]
	case Asked:
		status = Idle
	default:
		return event
	}
	if status == Running {
		r.readings += fmt.Sprintf("%d %s %s\n", r.slave.reading, as17g(r.x), as17g(stiffness*r.x))
	}
	r.slave.Reading(&rths.Reading{Motion: rths.Motion{X: []float64{r.x}}, F: []float64{stiffness * r.x}}, status, 1, 1)
	return event
}

// as17g prints a number as C does by %.17g.
func as17g(v float64) string { return fmt.Sprintf("%.17g", v) }

func port(conn *net.UDPConn) string {
	return fmt.Sprint(conn.LocalAddr().(*net.UDPAddr).Port)
}

// slaveOfC is the rig in C, and a loop connected to it.
type slaveOfC struct {
	t       *testing.T
	conn    *net.UDPConn
	at      netip.AddrPort
	master  *Master
	answers [2][]byte // the last but one, and the last
}

// startSlave starts the rig in C with a watchdog, s, until the test ends.
func startSlave(t *testing.T, c, key, watchdog string) *slaveOfC {
	t.Helper()
	cmd := program(key, c, "slave", "127.0.0.1", "0", fmt.Sprint(counterpartHz), fmt.Sprint(stiffness), watchdog)
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	line, err := bufio.NewReader(pipe).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	at, err := netip.ParseAddrPort("127.0.0.1:" + strings.TrimSpace(strings.TrimPrefix(line, "port ")))
	if err != nil {
		t.Fatal(err)
	}
	return &slaveOfC{t: t, conn: listen(t), at: at, master: NewMaster(wishOfC, []byte(key), 5)}
}

func (s *slaveOfC) send(conn *net.UDPConn, d []byte) {
	s.t.Helper()
	if _, err := conn.WriteToUDPAddrPort(d, s.at); err != nil {
		s.t.Fatal(err)
	}
}

// ask sends a datagram and wants an event of the answer.
func (s *slaveOfC) ask(d []byte, want Event) {
	s.t.Helper()
	s.send(s.conn, d)
	in, _ := receive(s.t, s.conn)
	s.answers = [2][]byte{s.answers[1], in}
	if got := s.master.Take(in); got != want {
		s.t.Fatalf("event %d, want %d (%s)", got, want, s.master.Why)
	}
}

// wantSame wants the last two answers to have the same bytes.
func (s *slaveOfC) wantSame() {
	s.t.Helper()
	if !bytes.Equal(s.answers[0], s.answers[1]) {
		s.t.Errorf("the rig sent again %x, want %x", s.answers[1], s.answers[0])
	}
}

// begin goes as far as reading 0.
func (s *slaveOfC) begin() {
	s.t.Helper()
	m := s.master
	s.ask(m.Hello(1), Welcomed)
	s.ask(m.Keep(2), Measured)
	if m.Status != Idle || m.Acted != None {
		s.t.Errorf("before start: %v, acted %d", m.Status, m.Acted)
	}
	s.ask(m.Start(3), Measured)
	if m.Number != 0 || m.Status != Running|Trigger || m.Acted != None {
		s.t.Errorf("behind start: reading %d, %v, acted %d", m.Number, m.Status, m.Acted)
	}
}

// reads wants a reading with the displacement, to the bit, and the spring's force.
func (s *slaveOfC) reads(number uint64, x float64, status Status) {
	s.t.Helper()
	m := s.master
	if m.Number != number || m.Acted != number-1 || m.Status != status ||
		math.Float64bits(m.Read.X[0]) != math.Float64bits(x) ||
		math.Float64bits(m.Read.F[0]) != math.Float64bits(stiffness*x) {
		s.t.Errorf("reading %d, acted %d, %v, x %v, f %v; want %d, %v, x %v", m.Number, m.Acted, m.Status, m.Read.X, m.Read.F,
			number, status, x)
	}
}

// rigOfC runs a session with each thing that a network or another program can do to it.
func rigOfC(t *testing.T, c, key string) {
	s := startSlave(t, c, key, "10")
	m, other := s.master, listen(t)
	s.ask(m.Hello(1), Welcomed)
	s.ask(m.Again(), Nothing) // the welcome again
	s.ask(m.Keep(2), Measured)
	s.send(s.conn, m.Command(0, []float64{0.05}, 2)) // bad before start
	s.ask(m.Start(3), Measured)
	s.ask(m.Again(), Nothing) // reading 0 again
	s.wantSame()
	s.ask(m.Command(0, []float64{0.1 / 3}, 4), Measured)
	s.reads(1, 0.1/3, Running)
	s.ask(m.Again(), Nothing) // from memory
	s.wantSame()
	s.ask(m.Command(1, []float64{0.25}, 5), Measured)
	s.reads(2, 0.1, Running|Clipped)
	s.ask(m.Command(3, []float64{-1e-3}, 6), Measured) // command 2 is lost
	s.reads(4, -1e-3, Running)
	s.send(s.conn, m.Command(2, []float64{0.02}, 7)) // overtaken: old
	// 2561 samples ahead of reading 5: beyond the watchdog's 10 s: bad
	s.send(s.conn, m.Command(5+2561, []float64{0.02}, 7))
	s.send(s.conn, m.Command(4, []float64{math.NaN()}, 7))    // bad
	s.send(s.conn, m.Command(4, []float64{0.02, 0.02}, 7))    // bad: two displacements
	s.send(s.conn, m.Command(4, []float64{0.02}, 7)[:75])     // bad: cut off
	s.send(s.conn, damaged(m.Command(4, []float64{0.02}, 7))) // bad
	s.send(s.conn, altered(key, m.Keep(7), 56, 1))            // bad: a displacement in keep
	s.send(s.conn, altered(key, m.Keep(7), 59, 1))            // bad: not 0
	s.send(s.conn, m.Start(8))                                // repeated, no answer after a command
	m.newest = 5                                              // Start has reset the count of readings
	s.send(other, m.Command(4, []float64{0.02}, 8))           // old: another sender
	stranger := NewMaster(wishOfC, []byte(key), 6)
	stranger.session = m.session + 1
	s.send(s.conn, stranger.Command(4, []float64{0.02}, 8)) // old: another session
	wrong := NewMaster(wishOfC, []byte("another key, of 24 bytes"), 6)
	wrong.session = m.session
	s.send(s.conn, wrong.Command(4, []float64{0.02}, 8)) // bad
	stranger = NewMaster(wishOfC, []byte(key), 6)
	s.send(other, stranger.Hello(9))
	if in, _ := receive(t, other); stranger.Take(in) != Refused || stranger.Reason != Busy {
		t.Errorf("reason %d, %q; want busy", stranger.Reason, stranger.Why)
	}
	s.ask(m.Keep(9), Nothing) // reading 4 again
	s.ask(m.Command(4, []float64{2e-3}, 10), Measured)
	s.reads(5, 2e-3, Running)
	s.ask(m.Bye(11), Parted)
	// Sent: 2 welcomes, 1 idle reading, 0 twice, 1 twice, 2, 4 twice, 5, bye.
	want := Counts{Sent: 12, Received: m.Counts.Sent + 2, Repeated: 4, Old: 3, Bad: 9, Clipped: 1}
	if m.Theirs != want {
		t.Errorf("the rig counted %+v, want %+v", m.Theirs, want)
	}
}

// altered is a datagram with another byte, and with the checksum and the code of its new bytes.
func altered(key string, d []byte, at int, to byte) []byte {
	d = append([]byte(nil), d...)
	d[at] = to
	return NewCodec([]byte(key)).Seal(d)
}

func damaged(d []byte) []byte {
	d = append([]byte(nil), d...)
	d[20] ^= 4
	return d
}

// startMaster starts the loop in C at a rate, Hz. Its errors go to errs.
func startMaster(t *testing.T, c string, conn *net.UDPConn, rate string) (cmd *exec.Cmd, errs *strings.Builder) {
	t.Helper()
	errs = &strings.Builder{}
	cmd = program("", c, "master", "127.0.0.1", port(conn), rate, "9")
	cmd.Stderr = errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	return cmd, errs
}

// gaveUp wants exit status 1 of the loop in C, and a text.
func gaveUp(t *testing.T, cmd *exec.Cmd, errs *strings.Builder, text string) {
	t.Helper()
	cmd.Wait()
	if cmd.ProcessState.ExitCode() != 1 || !strings.Contains(errs.String(), text) {
		t.Errorf("exit status %d, %q; want 1, %q", cmd.ProcessState.ExitCode(), errs.String(), text)
	}
}

// loopRefused wants the text of the rig from the loop in C, of whatever version the rig is. The
// answer to another loop's hello is none of its business.
func loopRefused(t *testing.T, c string) {
	for _, version := range []byte{Version, Version + 1} {
		conn := listen(t)
		slave, err := NewSlave(infoOfC, nil, func() uint64 { return 77 })
		if err != nil {
			t.Fatal(err)
		}
		cmd, errs := startMaster(t, c, conn, "200")
		in, from := receive(t, conn)
		slave.Take(in, from, 1)
		foreign := altered("", slave.Out, 16, slave.Out[16]^1)
		copy(foreign[headerSize:], "another")
		for _, d := range [][]byte{NewCodec(nil).Seal(foreign), altered("", slave.Out, 4, version)} {
			if _, err := conn.WriteToUDPAddrPort(d, from); err != nil {
				t.Fatal(err)
			}
		}
		gaveUp(t, cmd, errs, "counterpart: the loop runs at 200 Hz, the rig at 256 Hz")
	}
}

// loopGivesUp shows the loop in C rigs that it cannot load: a byte of their welcome, or of a
// reading after start, is changed. The loop says bye, and why.
func loopGivesUp(t *testing.T, c string) {
	for name, x := range map[string]struct {
		kind Kind
		at   int
		to   byte
		why  string
	}{
		// 2 s with another exponent: 0 s
		"no watchdog":     {Welcome, headerSize + 15, 0, "the welcome: want the loop's rate, a watchdog"},
		"clock rig":       {Welcome, headerSize + 16, 1, "the welcome: want the loop's rate"},
		"mm":              {Welcome, headerSize + welcomeBody + 17, 'm', "one displacement in m"},
		"kN":              {Welcome, headerSize + welcomeBody + channelSize + 16, 'k', "one force in N"},
		"not in lockstep": {Reading, 16, 7, "the rig is not in lockstep"},
		"tripped":         {Reading, 62, byte(Tripped), "the rig takes no commands any more"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := listen(t)
			info := infoOfC
			info.WatchdogS = 2
			slave, err := NewSlave(info, nil, func() uint64 { return 77 })
			if err != nil {
				t.Fatal(err)
			}
			cmd, errs := startMaster(t, c, conn, "256")
			rig := springRig{slave: slave}
			for ended := false; !ended; {
				in, from := receive(t, conn)
				ended = rig.take(in, from) == Parted
				d := slave.Out
				if h, _, _ := slave.codec.Open(d); h.Kind == x.kind && (h.Kind == Welcome || h.Status.State() == Running) {
					d = altered("", d, x.at, x.to)
				}
				if _, err := conn.WriteToUDPAddrPort(d, from); err != nil {
					t.Fatal(err)
				}
			}
			gaveUp(t, cmd, errs, x.why)
		})
	}
}

// loopInSilence wants five hellos of the same bytes, then the end.
func loopInSilence(t *testing.T, c string) {
	rthstest.Long(t)
	conn := listen(t)
	cmd, errs := startMaster(t, c, conn, "256")
	first, _ := receive(t, conn)
	for range 4 {
		if in, _ := receive(t, conn); !bytes.Equal(in, first) {
			t.Errorf("sent again %x, want %x", in, first)
		}
	}
	gaveUp(t, cmd, errs, "the rig is silent")
	conn.SetReadDeadline(time.Now().Add(time.Millisecond))
	if n, _, err := conn.ReadFromUDP(make([]byte, 4096)); err == nil {
		t.Errorf("a sixth datagram of %d bytes", n)
	}
}

// mistakesToC wants the C program to refuse what nobody should start.
func mistakesToC(t *testing.T, open, keyed string) {
	for _, x := range []struct {
		c, key string
		args   []string
		why    string
	}{
		{open, "", []string{"slave", "127.0.0.1", "0", "256", "1e6", "0"}, "with a watchdog above 0 s"},
		{open, "", []string{"slave", "0.0.0.0", "0", "256", "1e6", "10"}, "want HOST 127.0.0.1 and no key"},
		{open, "", []string{"master", "192.0.2.1", "7400", "256", "9"}, "want HOST 127.0.0.1 and no key"},
		{open, labKey, []string{"slave", "127.0.0.1", "0", "256", "1e6", "10"}, "counterpart_hmac.c linked"},
		{keyed, "", []string{"slave", "0.0.0.0", "0", "256", "1e6", "10"}, "want HOST 127.0.0.1 and no key"},
		{keyed, "short", []string{"slave", "127.0.0.1", "0", "256", "1e6", "10"}, "16 bytes and more"},
	} {
		cmd := program(x.key, append([]string{x.c}, x.args...)...)
		var errs strings.Builder
		cmd.Stderr = &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		stop := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
		gaveUp(t, cmd, &errs, x.why)
		stop.Stop()
	}
}

// rigRefuses wants the reason from the rig in C for each thing that it does not offer. A session
// can begin after the refusals, and its counts hold none of them.
func rigRefuses(t *testing.T, c string) {
	s := startSlave(t, c, "", "10")
	for reason, w := range map[Reason]Expectation{
		OtherRate:     {RateHz: 200, Sensors: rths.Sensors{X: 1, F: 1}},
		OtherChannels: {RateHz: counterpartHz, Sensors: rths.Sensors{X: 1, F: 1, A: 1}},
		OtherClock:    {RateHz: counterpartHz, Sensors: rths.Sensors{X: 1, F: 1}, Clock: OwnClock},
		OtherVersion:  wishOfC,
	} {
		m := NewMaster(w, nil, 6)
		hello := append([]byte(nil), m.Hello(1)...)
		if reason == OtherVersion {
			hello[4] = 2
			hello = m.codec.Seal(hello)
		}
		s.send(s.conn, hello)
		if in, _ := receive(t, s.conn); m.Take(in) != Refused || m.Reason != reason || m.Why == "" {
			t.Errorf("reason %d, %q; want reason %d", m.Reason, m.Why, reason)
		}
	}
	s.begin()
	s.ask(s.master.Bye(4), Parted)
	if want := (Counts{Sent: 4, Received: 4}); s.master.Theirs != want {
		t.Errorf("the rig counted %+v, want %+v", s.master.Theirs, want)
	}
}

// watchdogOfC keeps the rig in C without commands: keep does not feed its watchdog. It ramps to
// zero, trips, answers commands without moving, and is free in the end.
func watchdogOfC(t *testing.T, c string) {
	s := startSlave(t, c, "", "0.05")
	s.begin()
	m := s.master
	s.ask(m.Command(0, []float64{0.01}, 4), Measured)
	s.reads(1, 0.01, Running)
	for k := uint64(1); m.Status.State() != Tripped; k++ {
		x := m.Read.X[0]
		time.Sleep(100 * time.Millisecond) // twice the watchdog's time
		s.ask(m.Keep(5), Nothing)
		s.ask(m.Command(k, []float64{0.05}, 6), Measured)
		if m.Number != k+1 || !m.Status.Has(Watchdog) || m.Acted != 0 || !(m.Read.X[0] <= x) {
			t.Fatalf("reading %d, acted %d, %v, x %v behind %v", m.Number, m.Acted, m.Status, m.Read.X[0], x)
		}
		if k > 600 {
			t.Fatal("the rig does not trip")
		}
	}
	if m.Read.X[0] != 0 {
		t.Errorf("tripped at x = %v", m.Read.X[0])
	}
	stranger := NewMaster(wishOfC, nil, 6)
	for event := Nothing; event != Welcomed; { // busy until ten times the watchdog's time
		s.send(s.conn, stranger.Hello(9))
		in, _ := receive(t, s.conn)
		if event = stranger.Take(in); event != Welcomed && stranger.Reason != Busy {
			t.Fatalf("event %d, reason %d", event, stranger.Reason)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// byeLost says bye twice: the rig in C answers twice, and takes no command between.
func byeLost(t *testing.T, c string) {
	s := startSlave(t, c, "", "10")
	s.begin()
	s.ask(s.master.Bye(4), Parted)
	s.send(s.conn, s.master.Command(0, []float64{0.01}, 5))
	s.master.Begun = true
	s.ask(s.master.Bye(6), Parted)
	if want := (Counts{Sent: 5, Received: 6, Repeated: 1, Old: 1}); s.master.Theirs != want {
		t.Errorf("the rig counted %+v, want %+v", s.master.Theirs, want)
	}
	s.master = NewMaster(wishOfC, nil, 9)
	s.begin()
	s.ask(s.master.Bye(4), Parted)
}

// vectors prints hmac_sha256 of the cases 1 to 4, 6 and 7 of RFC 4231.
const vectors = `
#include <stdio.h>
#include <string.h>
void hmac_sha256(const unsigned char *key, size_t nkey, const unsigned char *text, size_t n, unsigned char out[32]);
static void say(const void *key, size_t nkey, const void *text, size_t n) {
    unsigned char out[32];
    hmac_sha256(key, nkey, text, n, out);
    for (int i = 0; i < 32; i++) printf("%02x", out[i]);
    printf("\n");
}
int main(void) {
    unsigned char key[131], data[50];
    const char *six = "Test Using Larger Than Block-Size Key - Hash Key First";
    const char *seven = "This is a test using a larger than block-size key and a larger than block-size data. "
        "The key needs to be hashed before being used by the HMAC algorithm.";
    say(memset(key, 0x0b, 20), 20, "Hi There", 8);
    say("Jefe", 4, "what do ya want for nothing?", 28);
    say(memset(key, 0xaa, 20), 20, memset(data, 0xdd, 50), 50);
    for (int i = 0; i < 25; i++) key[i] = (unsigned char)(i + 1);
    say(key, 25, memset(data, 0xcd, 50), 50);
    say(memset(key, 0xaa, 131), 131, six, strlen(six));
    say(key, 131, seven, strlen(seven));
}
`

func hmacVectors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "vectors.c")
	if err := os.WriteFile(file, []byte(vectors), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(build(t, file, "counterpart_hmac.c")).Output()
	if err != nil {
		t.Fatal(err)
	}
	const want = "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7\n" +
		"5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843\n" +
		"773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe\n" +
		"82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b\n" +
		"60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54\n" +
		"9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2\n"
	if string(out) != want {
		t.Errorf("RFC 4231: got\n%swant\n%s", out, want)
	}
}

// The check value of CRC-32C, of the text that catalogues of CRCs use.
func TestChecksum(t *testing.T) {
	if got := crc32.Checksum([]byte("123456789"), castagnoli); got != 0xE3069283 {
		t.Errorf("%#x, want 0xE3069283", got)
	}
}
