package wire

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"rths/kit/rthstest"
)

// faults are the shares of datagrams that a simulated network loses, doubles and delays, each
// independent of the others. A delay beyond the next datagram is an overtaking.
type faults struct {
	lost, twice, late float64
	latest            int // µs
}

// flight is a datagram on its way.
type flight struct {
	at    int // µs
	toRig bool
	bytes []byte
	order int // of departure, for datagrams of one instant
}

// lane counts one direction from outside.
type lane struct{ sent, doubled, lost, received int }

// network is a network in simulated time.
type network struct {
	faults
	random        *rand.Rand
	now           int // µs
	flying        []flight
	toRig, toLoop lane
	departed      int
}

func (n *network) lane(toRig bool) *lane {
	if toRig {
		return &n.toRig
	}
	return &n.toLoop
}

func (n *network) send(toRig bool, b []byte) {
	l := n.lane(toRig)
	l.sent++
	copies := 1
	if n.random.Float64() < n.twice {
		copies = 2
		l.doubled++
	}
	for range copies {
		if n.random.Float64() < n.lost {
			l.lost++
			continue
		}
		delay := 100
		if n.random.Float64() < n.late {
			delay += n.random.IntN(n.latest)
		}
		n.departed++
		n.flying = append(n.flying, flight{n.now + delay, toRig, slices.Clone(b), n.departed})
	}
}

// next takes the datagram that arrives first, if it arrives before an instant.
func (n *network) next(before int) (flight, bool) {
	first := -1
	for i, f := range n.flying {
		if f.at < before && (first < 0 || f.at < n.flying[first].at ||
			f.at == n.flying[first].at && f.order < n.flying[first].order) {
			first = i
		}
	}
	if first < 0 {
		n.now = before
		return flight{}, false
	}
	f := n.flying[first]
	n.flying = slices.Delete(n.flying, first, first+1)
	n.now = f.at
	n.lane(f.toRig).received++
	return f, true
}

// number is of a datagram, without the codec.
func number(b []byte) uint64 { return binary.LittleEndian.Uint64(b[16:]) }

// tally predicts the counts of one side: the first of its numbers is taken, the newest once
// more is repeated, an older one is old.
type tally struct {
	newest             map[Kind]uint64 // and one
	taken, counted     int
	repeated, old, bad uint64
}

func (y *tally) arrive(kind Kind, number uint64) {
	if y.newest == nil {
		y.newest = map[Kind]uint64{}
	}
	switch at := y.newest[kind]; {
	case number+1 > at:
		y.newest[kind] = number + 1
		y.taken++
	case number+1 == at:
		y.repeated++
	default:
		y.old++
	}
	y.counted++
}

func (y *tally) equal(c Counts) bool {
	return c.Repeated == y.repeated && c.Old == y.old && c.Bad == y.bad && c.Received == uint64(y.counted)
}

// simulation is a loop and a rig of one integrator on a network.
type simulation struct {
	*pair
	network
	x             float64   // of the integrator
	readings      []float64 // that the loop took
	commands      []float64 // that acted
	atRig, atLoop tally
}

func newSimulation(t testing.TB, clock Clock, f faults, seed uint64) *simulation {
	return &simulation{pair: newPair(t, clock, nil), network: network{faults: f, random: rand.New(rand.NewPCG(seed, 7))}}
}

// move is one sample of motion.
func (s *simulation) move(u float64) {
	s.commands = append(s.commands, u)
	s.x += 0.3 * (u - s.x)
}

func (s *simulation) measure() {
	s.read.X[0], s.read.F[0], s.read.A[0] = s.x, 1e6*s.x, float64(len(s.commands))
	s.read.Age = len(s.commands) % 3
	status := Idle
	if s.s.started {
		status = Running
	}
	s.s.Reading(&s.read, status, int64(s.now), int64(s.now))
	s.send(false, s.s.Out)
}

// arriveAtRig is a rig in lockstep; a rig with a clock measures by itself.
func (s *simulation) arriveAtRig(b []byte) Event {
	kind := Kind(b[5])
	s.atRig.arrive(kind, number(b))
	event := s.s.Take(b, here, int64(s.now))
	lockstep := s.s.Info.Clock == Lockstep
	switch {
	case event == Reply || event == Begun || event == Parted:
		s.send(false, s.s.Out)
	case lockstep && event == Moved:
		for range s.s.Skipped + 1 {
			s.move(s.s.Command[0])
		}
		s.measure()
	case lockstep && event == Started:
		s.measure()
	}
	return event
}

func (s *simulation) arriveAtLoop(b []byte) Event {
	kind := Kind(b[5])
	n := number(b)
	if kind == Welcome {
		n = 0 // once
	}
	s.atLoop.arrive(kind, n)
	event := s.m.Take(b)
	if event == Measured {
		s.readings = append(s.readings, s.m.Read.X[0])
	}
	return event
}

// ask sends a datagram of the loop, again after every second without the answer.
func (s *simulation) ask(b []byte, want Event) {
	for range 1000 {
		s.send(true, b)
		if s.wait(want, s.now+1_000_000) {
			return
		}
		b = s.m.Again()
	}
	panic("1000 times asked without the answer")
}

func (s *simulation) wait(want Event, until int) bool {
	for {
		f, ok := s.next(until)
		switch {
		case !ok:
			return false
		case f.toRig:
			s.arriveAtRig(f.bytes)
		case s.arriveAtLoop(f.bytes) == want:
			return true
		}
	}
}

// lockstep plays a session of so many commands.
func (s *simulation) lockstep(commands int) {
	s.ask(s.m.Hello(1), Welcomed)
	s.ask(s.m.Start(int64(s.now)), Measured)
	u := 0.0
	for k := range commands {
		u = 0.7*u + 1e-3*math.Sin(float64(k)/10) - 0.4*s.m.Read.X[0]
		s.ask(s.m.Command(uint64(k), []float64{u}, int64(s.now)), Measured)
	}
	s.part()
}

// never is an event that does not happen.
const never = Event(-1)

// part waits until nothing is on its way, and ends the session on a good network.
func (s *simulation) part() {
	s.wait(never, math.MaxInt)
	s.now, s.faults = 0, faults{}
	s.ask(s.m.Bye(int64(s.now)), Parted)
}

// whole wants all datagrams accounted for: by the network, by both sides, and as predicted.
func (s *simulation) whole(t rthstest.TB) {
	t.Helper()
	for name, l := range map[string]lane{"to the rig": s.toRig, "to the loop": s.toLoop} {
		if l.sent+l.doubled != l.received+l.lost {
			t.Errorf("%s: %+v: want sent + doubled = received + lost", name, l)
		}
	}
	if s.m.Counts.Sent != uint64(s.toRig.sent) || s.m.Theirs.Sent != uint64(s.toLoop.sent) || s.m.Theirs != s.s.Counts {
		t.Errorf("the loop counts %+v, the rig %+v (%+v of its own): want %d and %d sent", s.m.Counts, s.m.Theirs, s.s.Counts,
			s.toRig.sent, s.toLoop.sent)
	}
	if !s.atRig.equal(s.s.Counts) || !s.atLoop.equal(s.m.Counts) {
		t.Errorf("rig: %+v: want %+v; loop: %+v: want %+v", s.s.Counts, s.atRig, s.m.Counts, s.atLoop)
	}
}

func drawFaults(t *rapid.T, latest int) faults {
	share := func(name string) float64 { return rapid.Float64Range(0, 0.5).Draw(t, name) }
	return faults{share("lost"), share("doubled"), share("late"), rapid.IntRange(1, latest).Draw(t, "latest, µs")}
}

// In lockstep no network changes a bit: every command acts exactly once, and the loop has
// every reading once. Delays are up to three times the time after which the loop repeats.
func TestNoNetworkChangesLockstep(tt *testing.T) {
	const commands = 60
	want := newSimulation(tt, Lockstep, faults{}, 0)
	want.lockstep(commands)
	if len(want.commands) != commands || len(want.readings) != commands+1 ||
		want.m.Counts != (Counts{Sent: commands + 3, Received: commands + 3}) {
		tt.Fatalf("%d commands, %d readings, %+v on a good network", len(want.commands), len(want.readings), want.m.Counts)
	}
	same := func(t rthstest.TB, f faults, seed uint64) (repeated, old uint64) {
		s := newSimulation(tt, Lockstep, f, seed)
		s.lockstep(commands)
		if !slices.Equal(s.commands, want.commands) || !slices.Equal(s.readings, want.readings) {
			t.Fatalf("commands %g, readings %g: want %g, %g", s.commands, s.readings, want.commands, want.readings)
		}
		s.whole(t)
		return s.atRig.repeated + s.atLoop.repeated, s.atRig.old + s.atLoop.old
	}
	rapid.Check(tt, func(t *rapid.T) {
		same(t, drawFaults(t, 3_000_000), rapid.Uint64().Draw(t, "seed"))
	})
	for seed := range uint64(20) {
		if repeated, old := same(tt, faults{0.3, 0.3, 0.5, 3_000_000}, seed); repeated < 20 || old < 20 {
			tt.Errorf("seed %d: %d repeated, %d old: want a worse network", seed, repeated, old)
		}
	}
}

// ticked plays a session of a rig with a clock of 1 kHz: at each tick the newest command that
// has come acts, and the loop answers each new reading.
func (s *simulation) ticked(t rthstest.TB, ticks int) {
	s.ask(s.m.Hello(1), Welcomed)
	good := s.faults
	s.faults = faults{} // Start without a reading after it would wait for a tick
	s.send(true, s.m.Start(int64(s.now)))
	for !s.s.started {
		if f, _ := s.next(math.MaxInt); f.toRig {
			s.arriveAtRig(f.bytes)
		} else {
			s.arriveAtLoop(f.bytes)
		}
	}
	s.faults = good
	var came uint64 // numbers of commands that have come, the largest and one
	ages := map[uint64]int{}
	for j := range uint64(ticks) {
		s.tick(t, &came, ages)
		if came > j {
			t.Fatalf("tick %d: command %d of a later reading has come", j, came-1)
		}
		s.move(s.s.Command[0])
		ages[j] = len(s.commands) % 3
		s.measure()
		h, _, err := s.s.codec.Open(s.s.Out)
		if want := came - 1; err != nil || h.Number != j || h.Acted != want || h.Status.Has(Trigger) != (j == 0) {
			t.Fatalf("tick %d: %+v: want command %d to act", j, h, want)
		}
		if came > 0 && s.s.Command[0] != float64(came-1) {
			t.Fatalf("tick %d: command %g acts: want the newest, %d", j, s.s.Command[0], came-1)
		}
	}
	s.part()
}

// tick lets a tick pass: the rig takes commands, and the loop answers each new reading with
// a command that is its number.
func (s *simulation) tick(t rthstest.TB, came *uint64, ages map[uint64]int) {
	until := s.now + 1000
	for {
		f, ok := s.next(until)
		switch {
		case !ok:
			return
		case f.toRig:
			if Kind(f.bytes[5]) == Command {
				*came = max(*came, number(f.bytes)+1)
			}
			s.arriveAtRig(f.bytes)
		case s.arriveAtLoop(f.bytes) == Measured:
			if s.m.Read.Age != ages[s.m.Number] {
				t.Errorf("reading %d of age %d: want %d", s.m.Number, s.m.Read.Age, ages[s.m.Number])
			}
			s.send(true, s.m.Command(s.m.Number, []float64{float64(s.m.Number)}, int64(s.now)))
		}
	}
}

// A rig with a clock ticks whatever the network does: at each tick the newest command that
// has come acts, and no command acts before the tick after its reading.
func TestARigWithAClockOnBadNetworks(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := newSimulation(t, OwnClock, drawFaults(rt, 8000), rapid.Uint64().Draw(rt, "seed"))
		s.ticked(rt, 200)
		if len(s.commands) != 200 {
			rt.Errorf("%d ticks: want 200", len(s.commands))
		}
		s.whole(rt)
	})
}
