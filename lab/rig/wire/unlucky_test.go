package wire

import (
	"encoding/binary"
	"math"
	"net/netip"
	"rths"
	"slices"
	"strings"
	"testing"

	"rths/kit/rthstest"
)

// sent is one datagram to a rig, and what must become of it.
type sent struct {
	name     string
	datagram []byte
	from     netip.AddrPort
	event    Event
	counts   Counts // by how much they grow; of refused hellos nothing
}

var (
	repeated = Counts{Received: 1, Repeated: 1}
	answered = Counts{Sent: 1, Received: 1, Repeated: 1}
	old      = Counts{Received: 1, Old: 1}
	bad      = Counts{Received: 1, Bad: 1}
)

// met sends datagrams one after the other.
func (p *pair) met(t *testing.T, list ...sent) {
	t.Helper()
	for _, d := range list {
		before := p.s.Counts
		event := p.s.Take(d.datagram, d.from, 1)
		want := before
		for i, n := range want.all() {
			*n += *d.counts.all()[i]
		}
		if event != d.event || p.s.Counts != want {
			t.Errorf("%s: event %d, counts %+v after %+v: want event %d, %+v", d.name, event, p.s.Counts, before, d.event, want)
		}
	}
}

// said is a copy of a datagram, which the sender overwrites.
func said(b []byte) []byte { return slices.Clone(b) }

// reasonOut is the reason of the refusal that the rig has to send.
func (p *pair) reasonOut(t *testing.T) Reason {
	t.Helper()
	h, _, err := p.s.codec.Open(p.s.Out)
	if err != nil || h.Kind != Refuse {
		t.Fatalf("%+v, %v: want a refusal", h, err)
	}
	return Reason(h.Status)
}

// A recorded session does nothing to the rig in the next one, whatever is sent of it, and
// no command of this session acts twice.
func TestReplays(t *testing.T) {
	for _, clock := range []Clock{Lockstep, OwnClock} {
		p := newPair(t, clock, goldenKey)
		hello := said(p.m.Hello(1))
		p.begun(t)
		keep, start := said(p.m.Keep(1)), said(p.m.Start(1))
		p.met(t, sent{"start", start, here, Started, Counts{Received: 1}})
		p.s.Reading(&p.read, Running, 1, 1)
		p.m.Take(p.s.Out)
		var commands [][]byte
		for k := range uint64(4) {
			commands = append(commands, said(p.m.Command(k, []float64{1}, 1)))
			p.met(t, sent{"command", commands[k], here, Moved, Counts{Received: 1}})
			p.s.Reading(&p.read, Running, 1, 1)
		}
		bye := said(p.m.Bye(1))
		again := answered
		if clock == OwnClock {
			again = repeated
		}
		event := map[Clock]Event{Lockstep: Reply, OwnClock: Nothing}[clock]
		p.met(t, sent{"its hello", hello, here, Nothing, repeated},
			sent{"its hello from elsewhere", hello, there, Reply, Counts{}},
			sent{"an older command", commands[1], here, Nothing, old},
			sent{"the last command", commands[3], here, event, again},
			sent{"start", start, here, Nothing, repeated},
			sent{"the last command from elsewhere", commands[3], there, Nothing, old},
			sent{"bye from elsewhere", bye, there, Nothing, old},
			sent{"bye", bye, here, Parted, Counts{Sent: 1, Received: 1}},
			sent{"the second bye", bye, here, Reply, answered},
			sent{"start to a free rig", start, here, Nothing, old},
			sent{"keep to a free rig", keep, here, Nothing, old},
			sent{"a command to a free rig", commands[3], here, Nothing, old})

		// The next session, with the same loop's address.
		p.m = NewMaster(p.m.wish, goldenKey, 78)
		p.started(t).commanded(t, 0)
		at := p.s.Command[0]
		for i, b := range slices.Concat([][]byte{keep, start}, commands, [][]byte{bye}) {
			p.met(t, sent{"datagram " + string(rune('0'+i)) + " of the old session", b, here, Nothing, old})
		}
		p.met(t, sent{"the old hello", hello, here, Reply, Counts{}})
		if p.s.Command[0] != at || p.s.session != 2000 {
			t.Errorf("command %g, session %d: want %g, 2000", p.s.Command[0], p.s.session, at)
		}
		p.commanded(t, 1)

		// A replayed hello takes a free rig, which nobody can then move.
		p.s.End()
		p.met(t, sent{"the old start", start, here, Nothing, old})
		if e := p.s.Take(hello, there, 1); e != Begun || p.s.session != 3000 {
			t.Errorf("a replayed hello: event %d, session %d: want a session of nobody", e, p.s.session)
		}
		p.met(t, sent{"its start", start, there, Nothing, old}, sent{"its command", commands[0], there, Nothing, old})
	}
}

// What comes at the wrong time, of another loop, of the wrong kind or version, by state.
func TestEveryStateMeetsTheUnlucky(t *testing.T) {
	other := NewMaster(Expectation{RateHz: 1024, Sensors: rths.Sensors{X: 1, F: 1, A: 1}}, nil, 99)
	c := NewCodec(nil)
	forState := map[string]func(*testing.T) *pair{
		"free":    func(t *testing.T) *pair { return newPair(t, Lockstep, nil) },
		"idle":    func(t *testing.T) *pair { return newPair(t, Lockstep, nil).begun(t) },
		"running": func(t *testing.T) *pair { p, _ := running(t, Lockstep, nil, 3); return p },
	}
	for name, state := range forState {
		t.Run(name, func(t *testing.T) {
			p := state(t)
			hello := said(other.Hello(5))
			if p.s.session != 0 {
				p.met(t, sent{"a second loop", hello, there, Reply, Counts{}})
				if r := p.reasonOut(t); r != Busy {
					t.Errorf("reason %d: want busy", r)
				}
				p.met(t, sent{"a second loop of the same address", hello, here, Reply, Counts{}})
			}
			for _, kind := range []Kind{Welcome, Reading, Refuse} {
				p.met(t, sent{"a kind of a rig", goldens(t)[kind-1].bytes, here, Nothing, bad})
			}
			for kind := Hello; kind < kinds; kind++ {
				later := sealed(c, goldens(t)[kind-1].bytes, func(b []byte) { b[4] = 2 })
				if kind == Hello && name == "free" {
					p.met(t, sent{"a hello of version 2", later, here, Reply, Counts{}})
					if r := p.reasonOut(t); r != OtherVersion {
						t.Errorf("reason %d: want another version", r)
					}
					continue
				}
				p.met(t, sent{"version 2", later, here, Nothing, bad})
			}
			stray := NewMaster(Expectation{Sensors: rths.Sensors{X: 1}}, nil, 5) // of session 0
			for _, b := range [][]byte{said(stray.Start(1)), said(stray.Keep(1)), said(stray.Command(0, []float64{1}, 1)),
				said(stray.Bye(1))} {
				p.met(t, sent{"session 0", b, here, Nothing, old})
			}
			if name == "idle" {
				p.met(t, sent{"a command before start", said(p.m.Command(0, []float64{1}, 1)), here, Nothing, bad})
				p.met(t, sent{"hello once more", said(p.m.Hello(1)), here, Reply, answered})
			}
		})
	}
}

// Commands that are not the next one: the last that is taken is 2, the next reading 4.
func TestOtherCommands(t *testing.T) {
	for _, tc := range []struct {
		name    string
		number  uint64
		value   float64
		event   Event
		counts  Counts
		skipped int
	}{
		{"older", 1, 1, Nothing, old, 0},
		{"the last", 2, 1, Reply, answered, 0},
		{"the next", 3, 1, Moved, Counts{Received: 1}, 0},
		{"one skipped", 4, 1, Moved, Counts{Received: 1}, 1},
		{"the watchdog's time ahead", 4 + 256, 1, Moved, Counts{Received: 1}, 257},
		{"beyond the watchdog's time", 4 + 257, 1, Nothing, bad, 0},
		{"2⁶³", 1 << 63, 1, Nothing, bad, 0},
		{"2⁶⁴ − 1", math.MaxUint64, 1, Nothing, bad, 0},
		{"not a number", 3, math.NaN(), Nothing, bad, 0},
		{"infinite", 3, math.Inf(-1), Nothing, bad, 0},
	} {
		p, _ := running(t, Lockstep, nil, 3)
		p.met(t, sent{tc.name, said(p.m.Command(tc.number, []float64{tc.value}, 1)), here, tc.event, tc.counts})
		if tc.event != Moved {
			continue
		}
		p.s.Reading(&p.read, Running, 1, 1)
		if p.m.Take(p.s.Out); p.s.Skipped != tc.skipped || p.m.Number != tc.number+1 || p.m.Acted != tc.number {
			t.Errorf("%s: %d skipped, answered with reading %d of command %d: want %d, %d, %d", tc.name, p.s.Skipped, p.m.Number,
				p.m.Acted, tc.skipped, tc.number+1, tc.number)
		}
	}
	p, _ := running(t, Lockstep, nil, 3)
	p.met(t, sent{"two displacements", said(p.m.Command(3, []float64{1, 1}, 1)), here, Nothing, bad})
}

// A rig with a clock takes the next command after any number of lost ones, with and without a
// watchdog.
func TestOutageOfARigWithAClock(t *testing.T) {
	for _, watchdogS := range []float64{1e-9, 0.25, 1e300} {
		info := goldenInfo()
		info.Clock, info.WatchdogS = OwnClock, watchdogS
		p := newPair(t, OwnClock, nil)
		p.s = rthstest.Must(NewSlave(info, nil, func() uint64 { return 1 }))
		p.started(t)
		for range 1000 {
			p.s.Reading(&p.read, Running, 1, 1)
		}
		p.met(t, sent{"the command of the newest reading", said(p.m.Command(1000, []float64{1}, 1)), here, Moved,
			Counts{Received: 1}})
		if p.s.Skipped != 1000 {
			t.Errorf("%d skipped: want 1000", p.s.Skipped)
		}
		p.met(t, sent{"2⁶⁴ − 1", said(p.m.Command(math.MaxUint64, []float64{1}, 1)), here, Nothing, bad})
		p.met(t, sent{"keep", said(p.m.Keep(1)), here, Nothing, Counts{Received: 1}})
	}
}

// Echo is the newest instant of the other side, whatever comes late.
func TestEchoNeverGoesBack(t *testing.T) {
	p, _ := running(t, Lockstep, nil, 3)
	early := said(p.m.Command(1, []float64{1}, 50))
	p.s.Take(p.m.Command(3, []float64{1}, 100), here, 1)
	p.s.Take(early, here, 1)
	p.s.Reading(&p.read, Running, 1, 1)
	if p.m.Take(p.s.Out); p.m.Stamps.Echo != 100 {
		t.Errorf("echo %d: want 100", p.m.Stamps.Echo)
	}
}

// A loop refuses what cannot be its rig, and its bye then frees the rig.
func TestWelcomesThatALoopCannotTake(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(i *Info)
		reason Reason
		why    string
	}{
		{"rate", func(i *Info) { i.RateHz = 1000 }, OtherRate, "the loop runs at 1024 Hz, the rig at 1000 Hz"},
		{"rate NaN", func(i *Info) { i.RateHz = math.NaN() }, NotReady, "rate NaN Hz"},
		{"watchdog", func(i *Info) { i.WatchdogS = math.Inf(1) }, NotReady, "watchdog of +Inf s"},
		{"clock", func(i *Info) { i.Clock = OwnClock }, OtherClock, "clock lockstep, the rig has rig"},
		{"unknown clock", func(i *Info) { i.Clock = 7 }, NotReady, "clock 7: want"},
		{"forces", func(i *Info) { i.F = nil }, OtherChannels, "rig 1, 0, 1"},
		{"no displacement", func(i *Info) { i.X = nil }, NotReady, "0 displacements"},
		{"unit", func(i *Info) { i.X[0].Unit = "mm" }, NotReady, `displacement 1 in "mm": want SI units`},
		{"unit that clears the screen", func(i *Info) { i.F[0].Unit = "\x1b[2J" }, NotReady, `force 1 in "?[2J"`},
		{"range NaN", func(i *Info) { i.A[0].Range = math.NaN() }, NotReady, "acceleration 1: range NaN"},
		{"rate of a channel", func(i *Info) { i.X[0].Rate = -1 }, NotReady, "rate -1: want 0"},
	} {
		p := newPair(t, Lockstep, nil)
		if e := p.s.Take(p.m.Hello(1), here, 1); e != Begun {
			t.Fatal(e)
		}
		tc.change(&p.s.Info)
		p.s.welcome(1, Reply)
		if e := p.m.Take(p.s.Out); e != Refused || p.m.Reason != tc.reason || !strings.Contains(p.m.Why, tc.why) ||
			p.m.Begun {
			t.Errorf("%s: event %d, reason %d, %q: want a refusal for %d with %q", tc.name, e, p.m.Reason, p.m.Why, tc.reason,
				tc.why)
		}
		p.met(t, sent{tc.name + ": bye", said(p.m.Bye(1)), here, Parted, Counts{Sent: 1, Received: 1}})
	}
	p := newPair(t, Lockstep, nil)
	p.s.Info.Name = "lab\x1b[31m\u202e\xff"
	if p.begun(t); p.m.Info.Name != "lab?[31m??" {
		t.Errorf("name %q: want question marks for what spoils a screen", p.m.Info.Name)
	}
}

// What a rig sends at the wrong time.
func TestLoopMeetsTheUnlucky(t *testing.T) {
	p := newPair(t, Lockstep, nil)
	p.s.Take(p.m.Hello(1), here, 1)
	welcome := said(p.s.Out)
	take := func(name string, b []byte, want Event, counts Counts) {
		t.Helper()
		before, grown := p.m.Counts, p.m.Counts
		grown.Received++
		grown.Repeated += counts.Repeated
		grown.Old += counts.Old
		grown.Bad += counts.Bad
		if e := p.m.Take(b); e != want || p.m.Counts != grown {
			t.Errorf("%s: event %d, counts %+v after %+v: want event %d, %+v", name, e, p.m.Counts, before, want, grown)
		}
	}
	c := NewCodec(nil)
	take("a welcome with another number", sealed(c, welcome, func(b []byte) { b[16]++ }), Nothing, old)
	take("a welcome of session 0", sealed(c, welcome, func(b []byte) { clear(b[8:16]) }), Nothing, old)
	take("a reading before the welcome", goldens(t)[Reading-1].bytes, Nothing, old)
	take("welcome", welcome, Welcomed, Counts{})
	take("welcome once more", welcome, Nothing, repeated)
	take("a welcome of a rig that has restarted", sealed(c, welcome, func(b []byte) { b[8]++ }), Nothing, old)
	take("a late refusal", goldens(t)[Refuse-1].bytes, Nothing, bad)
	p.s.Reading(&p.read, Idle, 1, 1)
	first := said(p.s.Out)
	p.s.Reading(&p.read, Idle, 1, 1)
	take("idle reading 1", p.s.Out, Measured, Counts{})
	take("idle reading 1 once more", p.s.Out, Nothing, repeated)
	take("idle reading 0", first, Nothing, old)
	p.s.Take(p.m.Start(1), here, 1)
	take("idle reading 1 behind start", p.s.Out, Nothing, old)
	p.s.Reading(&p.read, Running, 1, 1)
	take("reading 0", p.s.Out, Measured, Counts{})
	reading := said(p.s.Out)
	take("a reading of another session", sealed(c, reading, func(b []byte) { b[8]++; b[16] = 1 }), Nothing, old)
	take("a reading of two displacements", sealed(c, goldens(t)[Reading-1].bytes,
		func(b []byte) { copy(b[8:16], reading[8:16]) }), Nothing, bad)
	take("a command", goldens(t)[Command-1].bytes, Nothing, bad)
	for kind := Hello; kind < kinds; kind++ {
		take("version 2", sealed(c, goldens(t)[kind-1].bytes, func(b []byte) { b[4] = 2 }), Nothing, bad)
	}

	// The rig restarts: its next session is nothing to this loop.
	session := p.m.session
	q := newPair(t, Lockstep, nil)
	q.s.Draw = func() uint64 { return session + 1 }
	if e := q.s.Take(p.m.Keep(1), here, 1); e != Nothing || q.s.Counts.Old != 1 {
		t.Errorf("a restarted rig: event %d, %+v: want old", e, q.s.Counts)
	}
	q.started(t)
	take("a reading of the restarted rig", q.s.Out, Nothing, old)

	p.s.Take(p.m.Bye(1), here, 1)
	take("bye", p.s.Out, Parted, Counts{})
	take("bye once more", p.s.Out, Nothing, old)
	take("the welcome behind bye", welcome, Nothing, repeated)
	take("a reading behind bye", reading, Nothing, old)
	if p.m.Begun || p.m.Theirs != p.s.Counts {
		t.Errorf("begun %v, counts of the rig %+v: want %+v", p.m.Begun, p.m.Theirs, p.s.Counts)
	}
}

// A hello that the rig cannot meet is refused, with the reason.
func TestHellosThatARigCannotMeet(t *testing.T) {
	for reason, change := range map[Reason]func(w *Expectation){
		OtherRate:     func(w *Expectation) { w.RateHz = math.NaN() },
		OtherChannels: func(w *Expectation) { w.Sensors.A = 0 },
		OtherClock:    func(w *Expectation) { w.Clock = 9 },
	} {
		p := newPair(t, Lockstep, nil)
		change(&p.m.wish)
		p.met(t, sent{"hello", said(p.m.Hello(1)), here, Reply, Counts{}})
		if e := p.m.Take(p.s.Out); e != Refused || p.m.Reason != reason || p.m.Why == "" || p.s.Master().IsValid() {
			t.Errorf("event %d, reason %d, %q: want a refusal for %d", e, p.m.Reason, p.m.Why, reason)
		}
	}
}

// A loop gives up when the rig refuses its own hello, in whatever version the rig speaks.
func TestRefusalsOfTheLoopsHello(t *testing.T) {
	p := newPair(t, Lockstep, nil)
	p.m.Hello(1)
	c := NewCodec(nil)
	refuse := goldens(t)[Refuse-1].bytes
	if e := p.m.Take(sealed(c, refuse, func(b []byte) { b[16]++ })); e != Nothing || p.m.Counts.Old != 1 {
		t.Errorf("the refusal of another hello: event %d, %+v: want old", e, p.m.Counts)
	}
	for _, version := range []byte{1, 2} {
		mine := sealed(c, refuse, func(b []byte) { b[4] = version; binary.LittleEndian.PutUint64(b[16:], p.m.nonce) })
		if e := p.m.Take(mine); e != Refused || p.m.Reason != Busy ||
			p.m.Why != "another loop has the session: wait until it has ended" {
			t.Errorf("version %d: event %d, reason %d, %q: want refused, busy", version, e, p.m.Reason, p.m.Why)
		}
	}
}

// Every datagram of its session tells a rig that the loop is there, and no other does.
func TestWhatARigHears(t *testing.T) {
	p := newPair(t, OwnClock, nil).started(t)
	keep := said(p.m.Keep(1))
	for i, c := range []struct {
		b    []byte
		from netip.AddrPort
		want int64
	}{{keep, here, 50}, {keep, there, 50}, {sealed(NewCodec(nil), keep, func(b []byte) { b[8]++ }), here, 50},
		{keep, here, 53}} {
		p.s.Take(c.b, c.from, int64(50+i))
		if p.s.Heard != c.want {
			t.Errorf("datagram %d: heard at %d: want %d", i+1, p.s.Heard, c.want)
		}
	}
}

// A late copy of the last session's hello takes the rig of nobody; another loop does.
func TestHelloOfTheLastSession(t *testing.T) {
	p := newPair(t, Lockstep, nil)
	hello := said(p.m.Hello(1))
	p.met(t, sent{"hello", hello, here, Begun, Counts{Sent: 1, Received: 1}})
	p.s.Take(p.m.Bye(2), here, 2) // a loop may say bye at once
	p.m.Take(p.s.Out)
	q := newPair(t, Lockstep, nil)
	q.m.nonce++
	session := p.s.session
	if session != 0 {
		p.s.End()
	}
	p.met(t, sent{"the last session's hello", hello, here, Nothing, old},
		sent{"from elsewhere", hello, there, Nothing, old})
	if e := p.s.Take(q.m.Hello(3), there, 3); e != Begun {
		t.Errorf("another loop's hello: event %d", e)
	}
}

// A rig that is not ready refuses with its reason in words, and draws no session.
func TestUnreadyRig(t *testing.T) {
	p := newPair(t, Lockstep, nil)
	p.s.Unready = "on its way to safety"
	if e := p.s.Take(p.m.Hello(1), here, 1); e != Reply || p.s.Master().IsValid() {
		t.Errorf("event %d, master %v: want a refusal", e, p.s.Master())
	}
	if e := p.m.Take(p.s.Out); e != Refused || p.m.Reason != NotReady || p.m.Why != p.s.Unready || p.m.Holds() {
		t.Errorf("event %d, reason %d, %q", e, p.m.Reason, p.m.Why)
	}
	p.s.Unready = ""
	if e := p.s.Take(p.m.Hello(2), here, 2); e != Begun {
		t.Errorf("event %d of a rig that is ready again", e)
	}
}

// A rig that leaves says bye with its counts, and answers the loop's bye after it once more.
func TestRigLeaves(t *testing.T) {
	p := newPair(t, Lockstep, nil).started(t)
	p.s.Leave(9)
	if e := p.m.Take(p.s.Out); e != Parted || p.m.Theirs != p.s.Counts || p.m.Begun {
		t.Errorf("event %d, %+v: want the rig's counts, %+v", e, p.m.Theirs, p.s.Counts)
	}
	p.met(t, sent{"the loop's bye", said(p.m.Bye(9)), here, Reply, answered})
}

// Numbers of readings may leap by ten times the watchdog's time and no further.
func TestLeapsOfReadings(t *testing.T) {
	for _, c := range []struct {
		leap uint64
		want Event
	}{{1 + 2560, Measured}, {1 + 2561, Nothing}, {1 << 60, Nothing}} { // 0.25 s at 1024 Hz, ten times
		p := newPair(t, OwnClock, nil).started(t)
		for p.m.Number < 1 {
			p.s.Reading(&p.read, Running, 1, 1)
			p.m.Take(p.s.Out)
		}
		p.s.Reading(&p.read, Running, 1, 1)
		leapt := sealed(NewCodec(nil), p.s.Out, func(b []byte) { binary.LittleEndian.PutUint64(b[16:], c.leap) })
		if e := p.m.Take(leapt); e != c.want {
			t.Errorf("from reading 1 to %d: event %d, want %d", c.leap, e, c.want)
		}
	}
}
