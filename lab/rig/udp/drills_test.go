package udp_test

import (
	"errors"
	"math"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rths"
	"rths/kit/rthstest"
	"rths/lab/rig/udp"
	"rths/lab/rig/wire"
	"rths/scenario"
)

// bench is a laboratory with one quick actuator, at a rate that any machine keeps.
const bench = `name: a bench
rate_hz: 128
ground: {kind: sine, frequency_hz: 2, amplitude_m_s2: 1, duration_s: 4}
structure: {kind: shear, masses: [1000], stiffnesses: [1e6], damping: {modal_ratio: [0.02]}}
specimen: {kind: linear, mass: 10, damping: 100, stiffness: 1e5}
transfer: {kind: second-order, stroke_m: 0.1, rate_m_s: 0.5}
sensors: {}
rig: {kind: udp}
`

// laboratory serves the bench until the test ends.
type laboratory struct {
	scenario *scenario.Scenario
	address  string
	sessions chan udp.Session
	broken   atomic.Bool // no new rig can be made
	notices  chan string // what the rig prints
}

func serveBench(t testing.TB, sets ...string) *laboratory {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bench.yaml")
	if err := os.WriteFile(path, []byte(bench), 0o644); err != nil {
		t.Fatal(err)
	}
	s := rthstest.Must(scenario.Load(path, sets))
	lab := rthstest.Must(s.Laboratory(scenario.Options{}))
	l := &laboratory{scenario: s, sessions: make(chan udp.Session, 8), notices: make(chan string, 64)}
	server := rthstest.Must(udp.NewServer("127.0.0.1:0", udp.Laboratory{
		Info: lab.Info(), Guard: lab.OwnLimits(), Network: lab.Network,
		Notice: func(text string) {
			select {
			case l.notices <- text:
			default:
			}
		},
		Make: func() (rths.Rig, error) {
			if l.broken.Load() {
				return nil, errors.New("the file is gone")
			}
			fresh, err := s.Laboratory(scenario.Options{})
			return fresh.Rig, err
		},
	}, func(of udp.Session) { l.sessions <- of }))
	l.address = server.Address().String()
	rthstest.Background(t, server.Serve)
	return l
}

func (l *laboratory) dial(t testing.TB) *udp.Rig {
	t.Helper()
	return rthstest.Must(udp.Dial(udp.Config{Address: l.address, Expected: l.scenario.Expectation("drill"),
		ReplyWithin: 2 * time.Millisecond}))
}

// ended waits for the report of a session.
func (l *laboratory) ended(t *testing.T) udp.Session {
	t.Helper()
	select {
	case s := <-l.sessions:
		return s
	case <-time.After(20 * time.Second):
		t.Fatal("no session has ended")
		panic("unreachable")
	}
}

// reading has room for what the bench measures.
func reading() *rths.Reading {
	r := rths.NewReading(1, 1).WithoutTruth()
	return &r
}

// tick is one tick of a loop; an error of the reading is returned.
func tick(t *testing.T, r *udp.Rig, read *rths.Reading, u float64) error {
	t.Helper()
	err := r.Read(read)
	if w := r.Write([]float64{u}); w != nil {
		t.Fatal(w)
	}
	return err
}

// accounted wants sent + doubled = received + lost in both directions.
func accounted(t *testing.T, ours, theirs wire.Counts, s udp.Session) {
	t.Helper()
	if ours.Sent+s.Doubled[0] != theirs.Received+s.Lost[0] {
		t.Errorf("to the rig: %d sent + %d doubled, %d received + %d lost", ours.Sent, s.Doubled[0], theirs.Received,
			s.Lost[0])
	}
	if theirs.Sent+s.Doubled[1] != ours.Received+s.Lost[1] {
		t.Errorf("to the loop: %d sent + %d doubled, %d received + %d lost", theirs.Sent, s.Doubled[1], ours.Received,
			s.Lost[1])
	}
}

// A rig that ticks by itself, on a network that loses, doubles, reorders and delays, and stops for a
// while: the loop keeps the rig's time, what is late says so, and no datagram is unaccounted for.
func TestOwnClockOnABadNetwork(t *testing.T) {
	t.Parallel()
	rthstest.Long(t)
	l := serveBench(t, "rig.clock=rig", "rig.watchdog_ms=1000",
		"rig.network=[{kind: loss, share: 0.05}, {kind: duplication, share: 0.1}, {kind: reordering, share: 0.1}, {kind: "+
			"jitter, share: 0.1}, {kind: freeze, from_s: 1, duration_s: 0.2}]")
	r, read := l.dial(t), reading()
	stale, oldest, begun := 0, 0, time.Now()
	const ticks = 256 // 2 s
	for k := range ticks {
		if err := tick(t, r, read, 0.005*math.Sin(2*math.Pi*float64(k)/128)); err != nil {
			t.Fatal(err)
		}
		if read.Age < 0 || read.Age > 0 && !read.Late {
			t.Fatalf("tick %d: age %d, late %t", k, read.Age, read.Late)
		}
		if read.Late {
			stale++
		}
		oldest = max(oldest, read.Age)
	}
	if took := time.Since(begun).Seconds(); took < 1.9 {
		t.Errorf("%d ticks took %.2f s: want the rig's 2 s", ticks, took)
	}
	if oldest < 20 || stale < 30 {
		t.Errorf("%d old readings, the oldest of %d samples: want those of the freeze, 25, and of the faults", stale, oldest)
	}
	theirs, known := r.Close()
	s := l.ended(t)
	if !known || s.End != "bye" || s.Status.State() != wire.Running {
		t.Errorf("known %t, end %q, %s: want counts of the rig, bye, running", known, s.End, s.Status)
	}
	accounted(t, r.Counts(), theirs, s)
	if s.Doubled[0] == 0 || s.Doubled[1] == 0 || s.Lost[0] == 0 || s.Lost[1] == 0 || r.Counts().Repeated == 0 ||
		r.Counts().Old == 0 {
		t.Errorf("lost %d, doubled %d, %+v: want some of all", s.Lost, s.Doubled, r.Counts())
	}
}

// A loop that is built for a while fills its socket with idle readings; it begins at reading 0 all the same.
func TestIdleReadingsFillTheSocket(t *testing.T) {
	l := serveBench(t, "rate_hz=4096", "rig.clock=rig", "rig.watchdog_ms=1000")
	r, read := l.dial(t), reading()
	time.Sleep(300 * time.Millisecond)
	if err := tick(t, r, read, 0); err != nil {
		t.Fatal(err)
	}
	if read.Age < 0 || r.Status().State() != wire.Running {
		t.Errorf("age %d, %s: want running", read.Age, r.Status())
	}
	theirs, _ := r.Close()
	if theirs.Sent < 1000 {
		t.Errorf("%d datagrams of the rig: want a second's quarter", theirs.Sent)
	}
}

// Commands stop: the rig with its own clock ramps to zero by itself, and the loop is told once.
func TestWatchdogOfARigWithAClock(t *testing.T) {
	t.Parallel()
	rthstest.Long(t)
	l := serveBench(t, "rig.clock=rig", "rig.watchdog_ms=400", "on_trip.velocity_m_s=0.2")
	r, read := l.dial(t), reading()
	for k := range 40 {
		if err := tick(t, r, read, 2e-4*float64(k)); err != nil {
			t.Fatal(err)
		}
	}
	if read.X[0] < 5e-3 {
		t.Fatalf("the rig stands at %g m: want it away from zero", read.X[0])
	}
	var told []string
	for range 128 { // reads only
		if err := r.Read(read); err != nil {
			told = append(told, err.Error())
		}
		time.Sleep(8 * time.Millisecond)
	}
	// The loop's tick has not moved on, so its reading waits; the next ticks catch up.
	for range 120 {
		if err := tick(t, r, read, 0.01); err != nil {
			told = append(told, err.Error())
		}
	}
	if len(told) != 1 || !strings.Contains(told[0], "takes no commands any more") {
		t.Errorf("the loop was told %q: want it once", told)
	}
	for printed := ""; !strings.HasPrefix(printed, "watchdog: no command for "); {
		select {
		case printed = <-l.notices:
		default:
			t.Fatalf("the rig has not printed that its watchdog acted; the last was %q", printed)
		}
	}
	if x := read.X[0]; math.Abs(x) > 1e-4 || !r.Status().Has(wire.Watchdog) || r.Status().State() != wire.Tripped {
		t.Errorf("the rig stands at %g m, %s: want zero, tripped by its watchdog", x, r.Status())
	}
	r.Close()
	if s := l.ended(t); len(s.Events) != 1 || s.Events[0].Channel != "watchdog_s" || s.Events[0].Limit != 0.4 {
		t.Errorf("events %v: want the watchdog's", s.Events)
	}
}

// The rig keeps its own limits whatever the loop wants: it clips commands to stroke and rate, and counts
// them.
func TestOwnLimits(t *testing.T) {
	l := serveBench(t)
	r, read := l.dial(t), reading()
	most := 0.0
	for range 200 {
		before := read.X[0]
		if err := tick(t, r, read, 3); err != nil {
			t.Fatal(err)
		}
		most = max(most, (read.X[0]-before)*128)
	}
	if read.X[0] > 0.1*1.01 || read.X[0] < 0.099 || most > 0.5*1.05 || !r.Status().Has(wire.Clipped) {
		t.Errorf("3 m were wanted: the rig is at %g m, at most %g m/s, %s: want 0.1 m, 0.5 m/s, clipped", read.X[0], most,
			r.Status())
	}
	theirs, _ := r.Close()
	if theirs.Clipped != 200 {
		t.Errorf("%d commands clipped: want 200", theirs.Clipped)
	}
}

// Strangers and damaged datagrams are counted, and move nothing.
func TestStrangersAreCounted(t *testing.T) {
	l := serveBench(t)
	r, read := l.dial(t), reading()
	stranger := rthstest.Must(net.Dial("udp4", l.address))
	defer stranger.Close()
	old := wire.NewMaster(l.scenario.Expectation("old"), nil, 5) // a loop whose session has gone, or never was
	for k := range uint64(50) {
		if err := tick(t, r, read, 0); err != nil {
			t.Fatal(err)
		}
		if k%5 == 0 {
			stranger.Write(old.Command(k, []float64{0.05}, 1))
			stranger.Write(
				[]byte("a datagram of something else, which is long enough to have a header and a checksum, but has neither"))
		}
	}
	if err := r.Read(read); err != nil || read.X[0] != 0 {
		t.Errorf("the rig is at %g m, %v: want 0", read.X[0], err)
	}
	theirs, known := r.Close()
	if want := (wire.Counts{Sent: 54, Received: 54 + 20, Old: 10, Bad: 10}); !known || theirs != want {
		t.Errorf("counts of the rig %+v: want %+v", theirs, want)
	}
	if ours := r.Counts(); ours != (wire.Counts{Sent: 54, Received: 54}) {
		t.Errorf("counts of the loop %+v: want 54 sent and received", ours)
	}
}

// A rig that has died is silence: the loop gives up after five seconds in lockstep, and Read says so always.
func TestARigThatDies(t *testing.T) {
	t.Parallel()
	rthstest.Full(t) // dead@1 of the command line's TestLies has the same silence
	conn := rthstest.Must(net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}))
	l := serveBench(t)
	slave := rthstest.Must(wire.NewSlave(rthstest.Must(l.scenario.Laboratory(scenario.Options{})).Info(), nil,
		func() uint64 { return 9 }))
	go func() { // answers hello, keep and start, then closes its port
		buf := make([]byte, wire.MostBytes)
		for answered := 0; answered < 3; answered++ {
			n, from, _ := conn.ReadFromUDPAddrPort(buf)
			if e := slave.Take(buf[:n], from, 1); e == wire.Started || e == wire.Asked {
				slave.Reading(reading(), wire.Running*wire.Status(min(1, answered-1)), 1, 1)
			}
			conn.WriteToUDPAddrPort(slave.Out, from)
		}
		conn.Close()
	}()
	r := rthstest.Must(udp.Dial(udp.Config{Address: conn.LocalAddr().String(), Expected: l.scenario.Expectation("drill")}))
	read := reading()
	if err := tick(t, r, read, 0); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	err := r.Read(read)
	if took := time.Since(begun).Seconds(); err == nil || !strings.Contains(err.Error(), "does not answer for 5 s") ||
		took < 4.9 || took > 8 {
		t.Errorf("after %.1f s: %v: want that the rig does not answer for 5 s", took, err)
	}
	if again := r.Read(read); again == nil || r.Write([]float64{0}) == nil {
		t.Error("a rig that has died takes commands")
	}
	if _, known := r.Close(); known {
		t.Error("a rig that has died has told its counts")
	}
}

// In lockstep the answer to command k is reading k + 1. A rig that counts otherwise ends the run.
func TestAnswerOfAnotherNumber(t *testing.T) {
	conn := rthstest.Must(net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}))
	defer conn.Close()
	l := serveBench(t)
	slave := rthstest.Must(wire.NewSlave(rthstest.Must(l.scenario.Laboratory(scenario.Options{})).Info(), nil,
		func() uint64 { return 9 }))
	go func() {
		buf := make([]byte, wire.MostBytes)
		for {
			n, from, err := conn.ReadFromUDPAddrPort(buf)
			if err != nil {
				return
			}
			switch slave.Take(buf[:n], from, 1) {
			case wire.Asked:
				slave.Reading(reading(), wire.Idle, 1, 1)
			case wire.Started, wire.Moved:
				slave.Reading(reading(), wire.Running, 1, 1)
				if slave.Command[0] > 0 {
					ahead := wire.NewCodec(nil)
					h, body, _ := ahead.Open(slave.Out)
					h.Number += 3
					out := make([]byte, wire.MostBytes)
					copy(ahead.Begin(out, &h), body)
					conn.WriteToUDPAddrPort(ahead.Seal(out), from)
					continue
				}
			}
			conn.WriteToUDPAddrPort(slave.Out, from)
		}
	}()
	r := rthstest.Must(udp.Dial(udp.Config{Address: conn.LocalAddr().String(), Expected: l.scenario.Expectation("drill")}))
	read := reading()
	for _, u := range []float64{0, 0.001} {
		if err := tick(t, r, read, u); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Read(read); err == nil || !strings.Contains(err.Error(), "answers with reading 5, not 2") {
		t.Errorf("%v: want that the answer has another number", err)
	}
}
