package rig

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/maths/signal"
)

// stair is a rig whose readings say their tick, and which keeps what it is sent:
// axis i reads k + 100 i, load cell i reads −k − 100 i.
type stair struct {
	k    int
	sent [][]float64
}

func (s *stair) Read(r *rths.Reading) error {
	for i := range r.X {
		r.X[i], r.TrueX[i] = float64(s.k+100*i), float64(s.k+100*i)
	}
	for i := range r.F {
		r.F[i], r.TrueF[i] = -float64(s.k+100*i), -float64(s.k+100*i)
	}
	return nil
}

func (s *stair) Write(u []float64) error {
	s.sent = append(s.sent, slices.Clone(u))
	s.k++
	return nil
}

// A run of 40 ticks at 100 Hz; faults are from tick 10 on for 5 ticks unless a test
// says otherwise.
var (
	short  = FaultConfig{RateHz: 100, Samples: 40, Axes: 1, LoadCells: 1, Seed: 3}
	middle = Span{FromS: 0.1, DurationS: 0.05}
)

func made(t testing.TB, c FaultConfig, makers ...FaultMaker) []*Fault {
	t.Helper()
	var list []*Fault
	for i, m := range makers {
		f, err := m.Make(c, fmt.Sprintf("fault %d", i+1))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, f)
	}
	return list
}

// observed is a run: readings and ages as the computer sees them, commands as they
// arrive. The command of tick k is k/10 + axis.
func observed(t *testing.T, c FaultConfig, makers ...FaultMaker) (read []rths.Reading, arrived [][]float64) {
	t.Helper()
	s := &stair{}
	f := NewFaults(s, c, made(t, c, makers...))
	out := rths.NewReading(c.Axes, c.LoadCells) // one for all ticks, as a loop has
	for k := range c.Lead + c.Samples {
		if err := f.Read(&out); err != nil {
			t.Fatal(err)
		}
		if truth := float64(k); out.TrueX[0] != truth || c.LoadCells > 0 && out.TrueF[0] != -truth {
			t.Fatalf("tick %d: true values %g m, %g N: want them untouched", k, out.TrueX, out.TrueF)
		}
		read = append(read, rths.Reading{Motion: rths.Motion{X: slices.Clone(out.X)}, F: slices.Clone(out.F), Age: out.Age})
		u := ramp(k, c.Axes)
		if err := f.Write(u); err != nil || !slices.Equal(u, ramp(k, c.Axes)) {
			t.Fatalf("tick %d: %v, the loop's command is %v", k, err, u)
		}
	}
	return read, s.sent
}

func ramp(k, axes int) []float64 {
	u := make([]float64, axes)
	for i := range u {
		u[i] = float64(k)/10 + float64(i)
	}
	return u
}

// Each fault of a sensor is its definition while it lasts, and leaves every other
// sample and the other sensor alone.
func TestSensorFaultsAreTheirDefinitions(t *testing.T) {
	for name, c := range map[string]struct {
		maker FaultMaker
		n     int // ticks
		want  func(x float64, since int) float64
	}{
		"stuck": {&StuckFault{"measured_m", middle}, 5,
			func(x float64, since int) float64 { return x - float64(since) }},
		"offset": {&SpikeFault{"measured_m", middle, 0.25}, 5,
			func(x float64, _ int) float64 { return x + 0.25 }},
		"spike": {&SpikeFault{"measured_m", Span{FromS: 0.1}, -7}, 1,
			func(x float64, _ int) float64 { return x - 7 }},
		"drift": {&DriftFault{"measured_m", middle, 50}, 5,
			func(x float64, since int) float64 { return x + 0.5*float64(since) }},
		"reversed": {&ReversedFault{"measured_m", middle}, 5, func(x float64, _ int) float64 { return -x }},
		"reversed for good": {&ReversedFault{"measured_m", Span{FromS: 0.1}}, 30,
			func(x float64, _ int) float64 { return -x }},
		"nearest sample": {&ReversedFault{"measured_m", Span{0.104, 0.046}}, 5,
			func(x float64, _ int) float64 { return -x }},
		"at least one": {&ReversedFault{"measured_m", Span{0.1, 0.001}}, 1,
			func(x float64, _ int) float64 { return -x }},
		"longer than it all": {&ReversedFault{"measured_m", Span{0.1, 1e300}}, 30,
			func(x float64, _ int) float64 { return -x }},
	} {
		read, arrived := observed(t, short, c.maker)
		for k, r := range read {
			want := float64(k)
			if since := k - 10; since >= 0 && since < c.n {
				want = c.want(want, since)
			}
			if math.Abs(r.X[0]-want) > 1e-12 || r.F[0] != -float64(k) || r.Age != 0 || arrived[k][0] != float64(k)/10 {
				t.Errorf("%s, tick %d: %g m, %g N, age %d, command %g: want %g m, the others untouched", name, k, r.X[0], r.F[0],
					r.Age, arrived[k][0], want)
			}
		}
	}
}

// The same of a load cell, and of the second of two sensors.
func TestSensorFaultsFindTheirChannel(t *testing.T) {
	two := FaultConfig{RateHz: 100, Samples: 40, Axes: 2, LoadCells: 2}
	for channel, want := range map[string][4]float64{
		"measured_1_m": {-12, 112, -12, -112}, "measured_2_m": {12, -112, -12, -112},
		"force_1_N": {12, 112, 12, -112}, "force_2_N": {12, 112, -12, 112},
	} {
		read, _ := observed(t, two, &ReversedFault{channel, middle})
		r := read[12]
		if got := [4]float64{r.X[0], r.X[1], r.F[0], r.F[1]}; got != want {
			t.Errorf("%s reversed: %v: want %v", channel, got, want)
		}
	}
}

// Faults on one channel act in the order of the list: a sign reversed after an offset reverses
// the offset too.
func TestFaultsActInOrder(t *testing.T) {
	offset, sign := &SpikeFault{"measured_m", middle, 3}, &ReversedFault{"measured_m", middle}
	read, _ := observed(t, short, offset, sign)
	if got := read[12].X[0]; got != -15 {
		t.Errorf("offset, then sign: %g, want -15", got)
	}
	if read, _ = observed(t, short, sign, offset); read[12].X[0] != -9 {
		t.Errorf("sign, then offset: %g, want -9", read[12].X[0])
	}
}

// Lost messages repeat the last one, with its age; where all are lost that is one
// message for as long as the fault lasts.
func TestLostReadings(t *testing.T) {
	read, _ := observed(t, short, &LostReadings{middle, 1})
	for k, r := range read {
		age := 0
		if k >= 10 && k < 15 {
			age = k - 9
		}
		if want := float64(k - age); r.X[0] != want || r.F[0] != -want || r.Age != age {
			t.Errorf("tick %d: %g m, %g N, age %d: want the values of tick %g, age %d", k, r.X[0], r.F[0], r.Age, want, age)
		}
	}
}

// A share of the messages: which ones is drawn from the fault's own stream, what is
// read is always the last that arrived, and the age says how long ago that was. In
// 20000 messages the share is met within three standard errors.
func TestShareOfLostReadings(t *testing.T) {
	long := short
	long.Samples = 20000
	for _, share := range []float64{0.1, 0.7} {
		read, _ := observed(t, long, &LostReadings{Span{}, share})
		chance, lost := signal.NewChance(3, "fault 1", share), 0
		age := 0
		for k, r := range read {
			if age++; !chance.Next() {
				age = 0
			}
			if age > 0 {
				lost++
			}
			if want := float64(k - age); k > 20 && (r.Age != age || r.X[0] != want) {
				t.Fatalf("tick %d of share %g: age %d, reading of tick %g: want %d and %g", k, share, r.Age, r.X[0], age, want)
			}
		}
		if got, band := float64(lost)/20000, 3*math.Sqrt(share*(1-share)/20000); math.Abs(got-share) > band {
			t.Errorf("%g of the messages are lost: want %g ± %g", got, share, band)
		}
	}
}

// Lost commands leave the rig with the last one; late ones arrive n samples late, the
// first of them n samples after the fault began, and the fresh ones at its end overtake
// them.
func TestCommandFaults(t *testing.T) {
	late := func(n, end int) func(k int) int {
		return func(k int) int {
			if k < 10 || k >= end {
				return k
			}
			return max(k-n, 9)
		}
	}
	for name, c := range map[string]struct {
		maker FaultMaker
		tick  func(k int) int // whose command arrives in tick k
	}{
		"lost":              {&LostCommands{"", middle, 1}, late(40, 15)},
		"late":              {&LateCommands{"command_m", middle, 30}, late(3, 15)},
		"late for good":     {&LateCommands{"", Span{FromS: 0.1}, 70}, late(7, 40)},
		"to nearest sample": {&LateCommands{"", Span{FromS: 0.1}, 26}, late(3, 40)},
	} {
		read, arrived := observed(t, short, c.maker)
		for k, u := range arrived {
			if want := float64(c.tick(k)) / 10; u[0] != want || read[k].X[0] != float64(k) {
				t.Errorf("%s: tick %d has the command %g: want %g", name, k, u[0], want)
			}
		}
	}
}

// A command of one actuator of two, and of both.
func TestCommandFaultsOfOneActuator(t *testing.T) {
	two := FaultConfig{RateHz: 100, Samples: 40, Axes: 2}
	for channel, want := range map[string][]float64{"command_1_m": {0.9, 2.3}, "command_2_m": {1.3, 1.9}, "": {0.9, 1.9}} {
		for _, m := range []FaultMaker{&LostCommands{channel, middle, 1}, &LateCommands{channel, middle, 50}} {
			if _, arrived := observed(t, two, m); !slices.Equal(arrived[13], want) {
				t.Errorf("%T of %q: %v arrives in tick 13: want %v", m, channel, arrived[13], want)
			}
		}
	}
}

// Before the run nothing is at work, but what comes before is remembered: a fault from
// t = 0 on repeats the reading and the command that the rig was brought to.
func TestNoFaultBeforeTheRun(t *testing.T) {
	c := short
	c.Lead = 25
	now := Span{DurationS: 0.05}
	read, arrived := observed(t, c, &LostReadings{now, 1}, &LateCommands{"", now, 20})
	for k := range read {
		since := k - 25
		tick, age := k, 0
		if since >= 0 && since < 5 {
			age = since + 1
			tick = max(k-2, 24)
		}
		if read[k].X[0] != float64(k-age) || read[k].Age != age || arrived[k][0] != float64(tick)/10 {
			t.Errorf("tick %d of the run: reading of tick %g, age %d, command of tick %g: want %d, %d, %d", since, read[k].X[0],
				read[k].Age, 10*arrived[k][0], k-age, age, tick)
		}
	}
}

// everyFault is one of each kind, overlapping.
func everyFault() []FaultMaker {
	return []FaultMaker{
		&StuckFault{"measured_m", Span{0.05, 0.1}}, &SpikeFault{"force_N", Span{0.08, 0.1}, 5},
		&DriftFault{"measured_m", Span{0.08, 0.2}, 0.1},
		&ReversedFault{"force_N", Span{0.03, 0.3}}, &LostReadings{Span{0.1, 0.2}, 0.5},
		&LostCommands{"", Span{0.02, 0.3}, 0.4}, &LateCommands{"", Span{0.06, 0.2}, 50},
		&SlippedPin{1, Span{0.04, 0.2}, 0.5},
	}
}

// Stopped at any tick and resumed on a rig of the same faults, a run goes on with the
// same bits.
func TestFaultsResume(t *testing.T) {
	if n := len(everyFault()); n != len(FaultKinds) {
		t.Fatalf("%d kinds of %d", n, len(FaultKinds))
	}
	tick := func(f *Faults, s *stair) string {
		out := rths.NewReading(1, 1)
		if err := f.Read(&out); err != nil {
			t.Fatal(err)
		}
		if err := f.Write([]float64{math.Sin(float64(s.k))}); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(out, s.sent[len(s.sent)-1])
	}
	for at := range short.Samples {
		first, second := &stair{}, &stair{}
		a, b := NewFaults(first, short, made(t, short, everyFault()...)),
			NewFaults(second, short, made(t, short, everyFault()...))
		for range at {
			tick(a, first)
		}
		state := rths.AppendState([]float64{7}, a)
		if rest := rths.SetState(append(state[1:], 8), b); !slices.Equal(rest, []float64{8}) || state[0] != 7 {
			t.Fatalf("rest %v of the state: want [8]", rest)
		}
		second.k = first.k
		for k := at; k < short.Samples; k++ {
			if x, y := tick(a, first), tick(b, second); x != y {
				t.Fatalf("resumed at %d: tick %d is %s, want %s", at, k, y, x)
			}
		}
	}
}

// Idealised there are no faults, and no time passes for them.
func TestIdealFaultsAreNone(t *testing.T) {
	s := &stair{}
	f := NewFaults(s, short, made(t, short, everyFault()...))
	f.Idealise(true)
	before := rths.AppendState(nil, f)
	out := rths.NewReading(1, 1)
	for k := range 30 {
		if err := f.Read(&out); err != nil || out.X[0] != float64(k) || out.F[0] != -float64(k) {
			t.Fatalf("tick %d: %v, %v", k, err, out)
		}
		if err := f.Write(ramp(k, 1)); err != nil || s.sent[k][0] != float64(k)/10 {
			t.Fatalf("tick %d: %v, command %v", k, err, s.sent[k])
		}
	}
	if !slices.Equal(before, rths.AppendState(nil, f)) {
		t.Error("time has passed for the faults")
	}
}

// Events are the beginnings and ends within the run so far, in order of time.
func TestFaultEvents(t *testing.T) {
	f := NewFaults(&mirror{}, short, made(t, short, &ReversedFault{"force_N", Span{FromS: 0.2}},
		&StuckFault{"measured_m", middle}, &LostCommands{"", Span{0, 0.1}, 1}))
	words := func(ticks int) string {
		var out []string
		for _, e := range f.Events(ticks) {
			word := "begins"
			if e.Over {
				word = "ends"
			}
			out = append(out, fmt.Sprintf("%g %s %s %s", e.T, e.Channel, e.Kind, word))
		}
		return strings.Join(out, ", ")
	}
	all := "0 commands lost-commands begins, 0.1 measured_m stuck begins, 0.1 commands lost-commands ends, 0.15 " +
		"measured_m stuck ends, 0.2 force_N reversed begins"
	if got := words(40); got != all {
		t.Errorf("events %s: want %s", got, all)
	}
	if got, want := words(15),
		"0 commands lost-commands begins, 0.1 measured_m stuck begins, 0.1 commands lost-commands ends"; got != want {
		t.Errorf("events of 15 ticks %s: want %s", got, want)
	}
}

// What arrived is shown where faults can change it; the age of a reading is in the frame.
func TestFaultChannels(t *testing.T) {
	names := func(makers ...FaultMaker) string {
		var out []string
		for _, c := range NewFaults(&mirror{}, short, made(t, short, makers...)).Channels() {
			out = append(out, c.Name)
		}
		return strings.Join(out, " ")
	}
	if got := names(&StuckFault{"measured_m", middle}); got != "" {
		t.Errorf("channels %q of a stuck sensor: want none", got)
	}
	if got := names(&LateCommands{"", middle, 20}, &LostReadings{middle, 1}); got != "arrived_m" {
		t.Errorf("channels %q", got)
	}
}

// The table's words name the faults; impossible faults are refused.
func TestWrongFaults(t *testing.T) {
	for i, m := range everyFault() {
		if f := made(t, short, m)[0]; f.Kind != FaultKinds[i].Name ||
			fmt.Sprintf("%T", m) != fmt.Sprintf("%T", FaultKinds[i].Defaults()) {
			t.Errorf("row %s makes %s by %T", FaultKinds[i].Name, f.Kind, m)
		}
	}
	if share := (everyDefault("lost-commands")).(*LostCommands).Share; share != 1 {
		t.Errorf("lost-commands loses a share of %g by default: want all", share)
	}
	two := FaultConfig{RateHz: 100, Samples: 40, Axes: 2}
	for _, c := range []struct {
		at    FaultConfig
		maker FaultMaker
		want  string
	}{
		{short, &StuckFault{"velocity_m_s", middle},
			`channel "velocity_m_s": no sensor measures it: want measured_m or force_N`},
		{short, &StuckFault{"", middle}, `want measured_m or force_N`},
		{short, &DriftFault{"measured_2_m", middle, 1}, `no sensor measures it`},
		{two, &ReversedFault{"measured_m", middle}, `want measured_1_m or measured_2_m`},
		{two, &ReversedFault{"force_1_N", middle}, `there is no load cell`},
		{short, &LostCommands{"command_2_m", middle, 1}, `there is no such command: want command_m, or none for all`},
		{short, &LateCommands{"measured_m", middle, 20}, `there is no such command`},
		{short, &StuckFault{"measured_m", Span{FromS: 0.4}}, "from_s 0.4: want 0 or more and less than the 0.4 s of the run"},
		{short, &StuckFault{"measured_m", Span{FromS: 1e300}}, "from_s 1e+300"},
		{short, &StuckFault{"measured_m", Span{FromS: -0.1}}, "from_s -0.1"},
		{short, &StuckFault{"measured_m", Span{FromS: math.NaN()}}, "from_s NaN"},
		{short, &StuckFault{"measured_m", Span{0.1, -0.1}}, "duration_s -0.1: want more than 0"},
		{short, &StuckFault{"measured_m", Span{0.1, math.NaN()}}, "duration_s NaN"},
		{short, &SpikeFault{"measured_m", middle, 0}, "size 0: want another"},
		{short, &SpikeFault{"measured_m", middle, math.Inf(1)}, "size +Inf"},
		{short, &SpikeFault{"measured_m", middle, math.Inf(-1)}, "size -Inf"},
		{short, &DriftFault{"measured_m", middle, 0}, "rate 0: want another"},
		{short, &LostReadings{middle, 0}, "share 0: want above 0, at most 1"},
		{short, &LostReadings{middle, 1.01}, "share 1.01"},
		{short, &LostCommands{"", middle, math.NaN()}, "share NaN"},
		{short, &LostCommands{"", Span{FromS: 9}, 1}, "from_s 9"},
		{short, &LateCommands{"", middle, 4}, "delay_ms 4: want at least one sample, 10 ms, and at most 10000"},
		{short, &LateCommands{"", middle, 2e4}, "delay_ms 20000"},
		{short, &LateCommands{"", Span{FromS: -1}, 20}, "from_s -1"},
	} {
		if _, err := c.maker.Make(c.at, "fault 1"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v: want %q", c.maker, err, c.want)
		}
	}
}

func everyDefault(kind string) FaultMaker {
	k, err := rths.Find(FaultKinds, kind)
	if err != nil {
		panic(err)
	}
	return k.Defaults()
}

// A delay is counted in whole samples.
func TestDelayOfCommandsIsInSamples(t *testing.T) {
	long := FaultConfig{RateHz: 1000, Samples: 2000, Axes: 1}
	_, arrived := observed(t, long, &LateCommands{"", Span{FromS: 0.1}, 600})
	if got, want := arrived[1500][0], 90.0; got != want {
		t.Errorf("tick 1500: command %g: want %g, 600 samples late", got, want)
	}
	for delay, sound := range map[float64]bool{0.4: false, 0.5: true, longestDelayMs: true, longestDelayMs * 1.001: false,
		math.NaN(): false} {
		if _, err := (&LateCommands{"", Span{}, delay}).Make(long, ""); (err == nil) != sound {
			t.Errorf("delay_ms %g: %v", delay, err)
		}
	}
}

// Two faults of a kind do not meet on a channel; one after the other they do no harm,
// nor on different channels.
func TestFaultsClash(t *testing.T) {
	two := FaultConfig{RateHz: 100, Samples: 40, Axes: 2}
	for _, c := range []struct {
		a, b  FaultMaker
		clash bool
	}{
		{&ReversedFault{"measured_1_m", middle}, &ReversedFault{"measured_1_m", Span{0.14, 0.05}}, true},
		{&ReversedFault{"measured_1_m", middle}, &ReversedFault{"measured_1_m", Span{0.15, 0.05}}, false},
		{&ReversedFault{"measured_1_m", middle}, &ReversedFault{"measured_2_m", middle}, false},
		{&ReversedFault{"measured_1_m", middle}, &StuckFault{"measured_1_m", middle}, false},
		{&LostCommands{"command_2_m", middle, 1}, &LostCommands{"", middle, 0.5}, true},
		{&LostCommands{"command_2_m", middle, 1}, &LostCommands{"command_1_m", middle, 0.5}, false},
		{&LostReadings{middle, 1}, &LostReadings{middle, 0.5}, true},
	} {
		list := made(t, two, c.a, c.b)
		if err := list[1].Clash(list[:1]); (err != nil) != c.clash ||
			err != nil && !strings.Contains(err.Error(), ": meets entry 1 of the same kind on "+list[0].Channel+
				": want one after the other") {
			t.Errorf("%+v and %+v: %v", c.a, c.b, err)
		}
	}
}
