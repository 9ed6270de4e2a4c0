package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rths"
	"rths/kit/rthstest"
	"rths/lab/rig"
	"rths/lab/rig/udp"
	"rths/lab/rig/wire"
	"rths/scenario"
)

// slow is a test at a rate that any machine keeps, with noise, limits and a method that adapts.
var slow = rthstest.TwoStoreys(1.5, "{kind: udp}")

func slowFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "slow.yaml")
	if err := os.WriteFile(path, []byte(slow), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// Faults of the network change no number in lockstep, and every datagram is accounted for. What the
// seed loses, doubles, holds back and delays says every count beforehand.
func TestLockstepWithFaultsOfTheNetwork(t *testing.T) {
	rthstest.Full(t) // TestLockstepIsTheVirtualRun without faults, lab/rig/udp with them
	path := slowFile(t)
	faults := "rig.network=[{kind: loss, share: 0.006}, {kind: duplication, share: 0.1}, {kind: reordering, share: " +
		"0.004}, {kind: jitter, share: 0.05}]"
	sets := []string{faults, "seed=3"}
	address, sessions := serveLab(t, path, sets...)
	virtual, real := across(t, path, address, sets...)
	if !sameColumns(t, virtual, real) {
		t.Error("faults of the network have changed the run")
	}
	s, ours := <-sessions, real.Manifest.Rig
	n := rthstest.Must(rthstest.Must(scenario.Load(path, sets)).Laboratory(scenario.Options{})).Network
	want := accountOf(n, virtual.Rows())
	if want.lost[0] == 0 || want.lost[1] == 0 || want.doubled[0] < 10 || want.doubled[1] < 10 || want.again < 3 {
		t.Fatalf("the seed gives %+v: want another seed", want)
	}
	got := account{
		sent: [2]uint64{ours.Sent, s.Counts.Sent}, received: [2]uint64{s.Counts.Received, ours.Received}, lost: s.Lost,
		doubled: s.Doubled,
		repeats: [2]uint64{s.Counts.Repeated + s.Counts.Old, ours.Repeated + ours.Old}, again: want.again,
	}
	if got != want {
		t.Errorf("datagrams %+v: the seed gives %+v", got, want)
	}
	for d, name := range []string{"commands", "readings"} {
		if got.sent[d]+got.doubled[d] != got.received[d]+got.lost[d] {
			t.Errorf("%s: %d sent + %d doubled, %d received + %d lost", name, got.sent[d], got.doubled[d], got.received[d],
				got.lost[d])
		}
	}
	if s.Counts.Bad+ours.Bad != 0 {
		t.Errorf("%d and %d bad datagrams: want none", s.Counts.Bad, ours.Bad)
	}
}

// account counts the datagrams of a session in lockstep, from the loop and from the rig.
type account struct {
	sent, received, lost, doubled [2]uint64
	repeats                       [2]uint64 // received with a number that had come before: repeated or old
	again                         uint64    // sent once more by the loop, after a second
}

// accountOf works out what the faults of a network make of a run, from the rules of docs/reference/protocol.md.
func accountOf(n *rig.Network, rows int) account {
	a := account{sent: [2]uint64{4, 3}, received: [2]uint64{4, 3}} // hello, keep, start, bye; welcome, idle reading, bye
	a.exchange(rig.Delivery{}, n.Reading(0), true)                 // start, counted above
	a.sent[0]--
	a.received[0]--
	for k := range uint64(rows) {
		a.exchange(n.Command(k), n.Reading(k+1), k+1 < uint64(rows))
	}
	return a
}

// exchange is a command and its answer. A loop that awaits the answer sends the command again until it
// comes; what is sent again meets no fault.
func (a *account) exchange(command, reading rig.Delivery, awaited bool) {
	if command.Later > 0 && !awaited || command.Twice && command.Swapped || reading.Twice && reading.Swapped {
		panic("a fate that is not worked out: want another seed")
	}
	arrived, held := a.pass(0, command)
	answers, heldBack := uint64(0), uint64(0)
	answer := func(commands uint64) { // each copy of the command is answered; the first answer meets its fate
		for ; commands > 0; commands-- {
			a.received[0]++
			now, later := a.pass(1, reading)
			answers, heldBack, reading = answers+now+heldBack, later, rig.Delivery{}
		}
	}
	answer(arrived)
	copies := arrived
	for awaited && answers == 0 {
		a.again++
		a.sent[0]++
		answer(1 + held)
		copies, held = copies+1+held, 0
	}
	a.lost[0] += held
	a.lost[1] += heldBack
	a.received[1] += answers
	if copies > 1 {
		a.repeats[0] += copies - 1
	}
	if answers > 1 {
		a.repeats[1] += answers - 1
	}
}

// pass sends a datagram: how many arrive, and how many are held back until the next one.
func (a *account) pass(direction int, f rig.Delivery) (arrived, held uint64) {
	a.sent[direction]++
	switch {
	case f.Lost:
		a.lost[direction]++
		return 0, 0
	case f.Twice:
		a.doubled[direction]++
		return 2, 0
	case f.Swapped:
		return 0, 1
	}
	return 1, 0
}

// A tick over datagrams, through limits, allocates nothing, on both sides.
func TestTickOverDatagramsAllocatesNothing(t *testing.T) {
	path := slowFile(t)
	address, _ := serveLab(t, path)
	s := rthstest.Must(scenario.Load(path, []string{"ground.duration_s=20"}))
	link := rthstest.Must(udp.Dial(udp.Config{Address: address, Expected: s.Expectation("test")}))
	defer link.Close()
	run := rthstest.Must(s.Build(t.Context(), scenario.Options{Rig: link}))
	if run.Guard == nil {
		t.Fatal("no guard")
	}
	step := func() {
		if err := run.Loop.Step(); err != nil {
			t.Fatal(err)
		}
	}
	for range 100 {
		step()
	}
	if n := testing.AllocsPerRun(1000, step); n != 0 {
		t.Errorf("%g allocations in a tick", n)
	}
}

// Without commands for the time of its watchdog the rig goes to zero by itself. The loop that
// comes back is told once, and its guard holds.
func TestWatchdog(t *testing.T) {
	t.Parallel()
	rthstest.Long(t)
	path := slowFile(t)
	address, sessions := serveLab(t, path, "rig.watchdog_ms=1500", "on_trip.velocity_m_s=0.2")
	s := rthstest.Must(scenario.Load(path, nil))
	link := rthstest.Must(udp.Dial(udp.Config{Address: address, Expected: s.Expectation("test")}))
	read := rths.NewReading(1, 1)
	read.TrueX, read.TrueF = nil, nil
	for k := range 60 {
		if err := link.Read(&read); err != nil {
			t.Fatal(err)
		}
		if err := link.Write([]float64{1e-4 * float64(k)}); err != nil {
			t.Fatal(err)
		}
	}
	if read.X[0] < 4e-3 {
		t.Fatalf("the rig stands at %g m: want it away from zero", read.X[0])
	}
	time.Sleep(2500 * time.Millisecond) // 1.5 s of patience, 0.1 s to zero
	err := link.Read(&read)
	if err != nil { // the answer to the last command came before the watchdog
		t.Fatal(err)
	}
	_ = link.Write([]float64{6e-3})
	err = link.Read(&read)
	if err == nil || link.Status().State() != wire.Tripped || !link.Status().Has(wire.Watchdog) {
		t.Fatalf("after 2.5 s without commands the rig is %s, error %v: want it tripped by its watchdog", link.Status(), err)
	}
	if x := read.X[0]; x > 1e-4 || x < -1e-4 {
		t.Errorf("the rig stands at %g m: want zero", x)
	}
	link.Close()
	if got := <-sessions; len(got.Events) != 1 || got.Events[0].Channel != "watchdog_s" {
		t.Errorf("events of the rig: %v: want the watchdog", got.Events)
	}
}

// What a loop wants and a rig does not offer is refused before anything moves, with what to do.
func TestRefusedBeforeAnythingMoves(t *testing.T) {
	path := slowFile(t)
	address, _ := serveLab(t, path)
	for name, c := range map[string]struct {
		sets []string
		args []string
		want string
	}{
		"rate": {[]string{"rate_hz=512"}, nil, "the loop runs at 512 Hz, the rig at 256 Hz: want one rate_hz"},
		"sensors": {[]string{"sensors.acceleration=true"}, nil,
			"displacements, forces, accelerations, lengths: loop 1, 1, 1, 0, rig 1, 1, 0, 0: want one interface and the same sensors"},
		"clock":    {[]string{"rig.clock=rig"}, nil, "rig.clock"},
		"released": {[]string{"initial_displacement=[0.001, 0.001]"}, nil, "initial_displacement"},
		"truth":    {nil, []string{"--rig", "tcp://127.0.0.1:1"}, "tcp is unknown: want udp://host:port"},
		"no key":   {nil, []string{"--rig", "udp://192.0.2.1:7400"}, "not loopback, and RTHS_RIG_KEY is not set"},
	} {
		args := append([]string{"run", path, "--no-record", "--rig", "udp://" + address}, c.args...)
		for _, set := range c.sets {
			args = append(args, "--set", set)
		}
		code, _, errs := called(args...)
		if code != exitWrong || !strings.Contains(errs, c.want) {
			t.Errorf("%s: exit status %d, %q: want 2 and %q", name, code, errs, c.want)
		}
	}
	if _, err := udp.NewServer(address, udp.Laboratory{}, nil); err == nil {
		t.Error("a server without a rate")
	}
	code, _, errs := called("rig", path, "--listen", address)
	if code != exitWrong || !strings.Contains(errs, "in use by another program") {
		t.Errorf("a port in use: exit status %d, %q", code, errs)
	}
	code, _, errs = called("rig", path, "--listen", "0.0.0.0:0")
	if code != exitWrong || !strings.Contains(errs, "RTHS_RIG_KEY is not set") {
		t.Errorf("listening beyond loopback without a key: exit status %d, %q", code, errs)
	}
}

// One loop at a time has the rig.
func TestSecondLoopIsRefused(t *testing.T) {
	path := slowFile(t)
	address, _ := serveLab(t, path)
	s := rthstest.Must(scenario.Load(path, nil))
	first := rthstest.Must(udp.Dial(udp.Config{Address: address, Expected: s.Expectation("first")}))
	if _, err := udp.Dial(udp.Config{Address: address, Expected: s.Expectation("second")}); err == nil ||
		!strings.Contains(err.Error(), "another loop, at 127.0.0.1:") {
		t.Errorf("a second loop: %v", err)
	}
	first.Close()
	second := rthstest.Must(udp.Dial(udp.Config{Address: address, Expected: s.Expectation("second")}))
	second.Close()
}

// With the rig's own clock the run is the virtual run of the scenario, to the bit, up to the first
// reading or command that came too late. A busy machine is late often: many beginnings are compared.
func TestClockOfTheRig(t *testing.T) {
	rthstest.Long(t)
	path := slowFile(t)
	sets := []string{"rate_hz=128", "rig.clock=rig", "rig.watchdog_ms=1000", "rig.reply_within_us=7000"}
	s := rthstest.Must(scenario.Load(path, sets))
	virtual := rthstest.Must(s.Build(t.Context(), scenario.Options{}))
	var want [][]float64
	for !virtual.Loop.Done() {
		if err := virtual.Loop.Step(); err != nil {
			t.Fatal(err)
		}
		f := virtual.Loop.Frame()
		want = append(want, slices.Concat(f.Read.X, f.Read.F, f.Command))
	}
	address, _ := serveLab(t, path, sets...)
	compared, longest := 0, 0
	for range 40 {
		link := rthstest.Must(udp.Dial(udp.Config{Address: address, Expected: s.Expectation("test"),
			ReplyWithin: 7 * time.Millisecond}))
		run := rthstest.Must(s.Build(t.Context(), scenario.Options{Rig: link}))
		equal := 0
		for late := false; !run.Loop.Done() && !late; equal++ {
			if err := run.Loop.Step(); err != nil {
				t.Fatal(err)
			}
			f := run.Loop.Frame()
			late = f.Read.Late
			if !late && !slices.Equal(want[f.K], slices.Concat(f.Read.X, f.Read.F, f.Command)) {
				t.Fatalf("tick %d: %g: want %g", f.K, slices.Concat(f.Read.X, f.Read.F, f.Command), want[f.K])
			}
		}
		link.Close()
		if compared, longest = compared+equal, max(longest, equal); compared > 150 && longest > 50 {
			return
		}
	}
	t.Skipf("%d ticks in time at most, of 40 beginnings: this machine is too busy for 128 Hz", longest)
}

func called(args ...string) (code int, out, errs string) {
	var o, e strings.Builder
	code = run(args, &o, &e)
	return code, o.String(), e.String()
}

// A rig that clips commands spoils the run, and the run says so.
func TestRigThatClips(t *testing.T) {
	path := slowFile(t)
	address, _ := serveLab(t, path, "transfer.stroke_m=0.0005")
	code, out, errs := called("run", path, "--rig", "udp://"+address, "--no-record")
	if code != exitDone || !strings.Contains(out, "the rig has clipped") ||
		!strings.Contains(errs, "actuator 1 of the rig has a range of 0.0005 m, and the scenario states 0.1") {
		t.Errorf("exit status %d\n%s\n%s: want warnings of the range and of clipped commands", code, out, errs)
	}
}
