package rig

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"rths"
)

// pair is a rig of two actuators and two load cells: it is where it was commanded to be,
// and its readings may fail.
type pair struct {
	x    [2]float64
	sent [][2]float64
	fail error
	v    []float64 // measured velocities, if any
}

func (p *pair) Read(r *rths.Reading) error {
	copy(r.X, p.x[:])
	r.V = p.v
	r.F[0], r.F[1] = 1e5*p.x[0], -3e5*p.x[1]
	return p.fail
}

func (p *pair) Write(u []float64) error {
	p.x = [2]float64(u)
	p.sent = append(p.sent, p.x)
	return nil
}

// bench drives a guard of two actuators, with targets that are a tenth of a millimetre
// and half a millimetre away from what is measured.
type bench struct {
	t   *testing.T
	rig *pair
	g   *Guard
	o   rths.Observer
	f   rths.Frame
}

func newBench(t *testing.T, c GuardConfig) *bench {
	t.Helper()
	c.RateHz, c.Axes, c.Forces = 1000, 2, 2
	if c.Profile.Velocity == 0 {
		c.Profile = slow
	}
	b := &bench{t: t, rig: &pair{}}
	var err error
	if b.g, err = NewGuard(b.rig, c); err != nil {
		t.Fatal(err)
	}
	if err := b.g.Arm(); err != nil {
		t.Fatal(err)
	}
	b.o = b.g.Observer()
	b.f = rths.Frame{K: -1, Read: rths.NewReading(2, 2), Desired: make([]float64, 2), Command: make([]float64, 2)}
	return b
}

func (b *bench) tick(u, w float64) error {
	f := &b.f
	f.K++
	f.Err = b.g.Read(&f.Read)
	f.Desired[0], f.Desired[1] = f.Read.X[0]-1e-4, f.Read.X[1]+5e-4
	f.Command[0], f.Command[1] = u, w
	if f.Err == nil {
		f.Err = b.g.Write(f.Command)
	}
	b.o.Observe(f)
	return f.Err
}

// everything watches all channels of two actuators far below their levels.
func everything() []Limit {
	var out []Limit
	for _, of := range []string{"", "_1", "_2"} {
		for _, c := range []string{"command%s_m", "command_rate%s_m_s", "measured%s_m", "velocity%s_m_s", "error%s_m",
			"force%s_N"} {
			out = append(out, Limit{Channel: fmt.Sprintf(c, of), Trip: 1e6, Action: Hold})
		}
	}
	return append(out, Limit{Channel: "age", Trip: 10, Action: Hold})
}

// Every channel of every axis is its definition, and the one without a number is the
// largest of them.
func TestGuardChannels(t *testing.T) {
	b := newBench(t, GuardConfig{Limits: everything()})
	values := map[string]*float64{}
	for _, c := range b.o.(rths.Channeler).Channels() {
		values[c.Name] = c.V
	}
	for i := range b.g.Watched() {
		values[b.g.watch.limits()[i].name] = b.g.watch.limits()[i].v
	}
	r := rand.New(rand.NewPCG(5, 5))
	var x, before, now [2]float64
	var path [][2]float64
	for k := range 40 {
		x, before, now = b.rig.x, now, [2]float64{1e-3 * r.NormFloat64(), 1e-3 * r.NormFloat64()}
		path = append(path, x)
		if err := b.tick(now[0], now[1]); err != nil {
			t.Fatal(err)
		}
		want := map[string][2]float64{
			"command%s_m": now, "command_rate%s_m_s": {(now[0] - before[0]) * 1000, (now[1] - before[1]) * 1000},
			"measured%s_m": x, "error%s_m": {1e-4, 5e-4}, "force%s_N": {1e5 * x[0], 3e5 * x[1]},
		}
		if k >= 5 { // the mean over 5 ms
			want["velocity%s_m_s"] = [2]float64{(x[0] - path[k-5][0]) * 200, (x[1] - path[k-5][1]) * 200}
		}
		for name, v := range want {
			first, second := math.Abs(v[0]), math.Abs(v[1])
			for number, w := range map[string]float64{"_1": first, "_2": second, "": max(first, second)} {
				if got := *values[fmt.Sprintf(name, number)]; math.Abs(got-w) > 1e-9*(1+w) {
					t.Fatalf("tick %d: %s is %g: want %g", k, fmt.Sprintf(name, number), got, w)
				}
			}
		}
	}
}

// What is recorded beside the frame: of one actuator the command that left has no
// number, and a channel that the frame has is not there twice.
func TestGuardRecords(t *testing.T) {
	names := func(o rths.Observer) string {
		var out []string
		for _, c := range o.(rths.Channeler).Channels() {
			out = append(out, c.Name)
		}
		return strings.Join(out, " ")
	}
	limits := []Limit{{Channel: "measured_m", Trip: 1}, {Channel: "error_m", Trip: 1}, {Channel: "force_N", Trip: 1},
		{Channel: "age", Trip: 1}}
	one := newTicker(t, &mirror{}, GuardConfig{Limits: limits})
	if got := names(one.g.Observer()); got != "guard_state guard_command_m error_m" {
		t.Errorf("one actuator: %s", got)
	}
	two := newBench(t, GuardConfig{Limits: append(limits, Limit{Channel: "measured_2_m", Trip: 1})})
	if got := names(two.o); got != "guard_state guard_command_1_m guard_command_2_m measured_m error_m force_N" {
		t.Errorf("two actuators: %s", got)
	}
}

// A level is crossed above it, not on it; and each of several channels trips its own
// limit.
func TestLevelsAreCrossedAboveThem(t *testing.T) {
	for channel, at := range map[string]struct {
		level float64
		u     [2]float64 // a command that brings the channel to its level
	}{
		"command_1_m": {0.25, [2]float64{0.25, 0}}, "measured_2_m": {0.5, [2]float64{0, -0.5}},
		"measured_m": {0.5, [2]float64{0.25, -0.5}},
		"force_1_N":  {0.25e5, [2]float64{0.25, 0}}, "force_2_N": {0.75e5, [2]float64{0, 0.25}},
		"force_N":            {0.75e5, [2]float64{0.5, 0.25}},
		"command_rate_2_m_s": {250, [2]float64{0, 0.25}}, "velocity_1_m_s": {50, [2]float64{0.25, 0}},
		"error_2_m": {5e-4, [2]float64{0, 0}},
	} {
		for _, beyond := range []bool{false, true} {
			u, level := at.u, at.level
			if beyond {
				level *= 1 - 1e-12
			}
			b := newBench(t, GuardConfig{HoldS: 1, Limits: []Limit{{Channel: channel, Trip: level, Action: Hold}}})
			if channel == "error_2_m" && !beyond {
				b.g.watch.limits()[0].trip = 5e-4 * (1 + 1e-9) // rounding of the difference
				b.g.watch.levels()
			}
			for range 8 {
				if err := b.tick(u[0], u[1]); err != nil {
					t.Fatal(err)
				}
			}
			if tripped := b.g.State() == Holding; tripped != beyond {
				t.Errorf("%s at %g, level %g: %s", channel, at.level, level, b.g.State())
			}
		}
	}
	b := newBench(t, GuardConfig{Limits: []Limit{{Channel: "measured_1_m", Warn: 0.25, Trip: 1}}})
	for range 4 {
		if err := b.tick(0.25, 0); err != nil || len(b.g.Events()) > 0 {
			t.Errorf("on the warning level: %v, events %v", err, b.g.Events())
		}
	}
	// A warning does not come twice.
	k := newTicker(t, &mirror{}, GuardConfig{Limits: []Limit{{Channel: "measured_m", Warn: 0.25, Trip: 1, Action: Hold}}})
	if err := k.g.Arm(); err != nil {
		t.Fatal(err)
	}
	for _, u := range []float64{0.25, 0.25, 0.5, 0.5, 0.75} {
		if n := len(k.g.Events()); u == 0.5 && n > 0 && k.f.K < 3 {
			t.Errorf("%d events at the warning level", n)
		}
		if err := k.tick(u); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(k.g.Events()); n != 1 {
		t.Errorf("%d events: want one warning", n)
	}
}

// Measured velocities count in place of differences.
func TestMeasuredVelocities(t *testing.T) {
	b := newBench(t, GuardConfig{HoldS: 1, Limits: []Limit{{Channel: "velocity_m_s", Trip: 1, Action: Hold}}})
	for k, v := range [][]float64{{0.5, -0.9}, {0.5, -0.9}, {0.5, -1.1}} {
		b.rig.v = v
		if err := b.tick(0, 0); err != nil || (b.g.State() == Holding) != (k == 2) {
			t.Fatalf("velocities %v: %v, %s", v, err, b.g.State())
		}
	}
}

// With one actuator too a velocity trips by itself, and an error beside a velocity that
// is calm.
func TestVelocityOfOneActuator(t *testing.T) {
	for channel, want := range map[string]bool{"velocity_m_s": true, "error_m": false} {
		m := &mirror{}
		k := newTicker(t, m, GuardConfig{HoldS: 1, Limits: []Limit{{Channel: "velocity_m_s", Trip: 0.3, Action: Hold},
			{Channel: "error_m", Trip: 1e-3, Action: Hold}}})
		if err := k.g.Arm(); err != nil {
			t.Fatal(err)
		}
		o := k.g.Observer()
		for i := range 20 {
			f := &k.f
			f.K, f.Command[0] = i, 0
			if want {
				f.Command[0] = 4e-4 * float64(i) // 0.4 m/s
			}
			if err := errors.Join(k.g.Read(&f.Read), k.g.Write(f.Command)); err != nil {
				t.Fatal(err)
			}
			f.Desired[0] = f.Read.X[0]
			if !want && i == 10 {
				f.Desired[0] += 2e-3
			}
			o.Observe(f)
		}
		if e := k.g.Events(); len(e) != 1 || e[0].Channel != channel || k.g.State() != Holding {
			t.Errorf("%s: %s, events %v", channel, k.g.State(), e)
		}
	}
}

// There is a channel of every axis and of every force where there are several, and of
// no others.
func TestNumberedChannels(t *testing.T) {
	for _, c := range []struct {
		axes, forces int
		none         string
	}{{3, 2, "force_3_N"}, {2, 1, "force_1_N"}, {1, 2, "measured_1_m"}, {2, 3, "error_3_m"}, {1, 1, "measured_1_m"}} {
		limits := []Limit{{Channel: c.none, Trip: 1}}
		if _, err := NewGuard(&mirror{}, GuardConfig{RateHz: 1000, Axes: c.axes, Forces: c.forces, Profile: slow,
			Limits: limits}); err == nil {
			t.Errorf("%d axes, %d forces: there is a channel %s", c.axes, c.forces, c.none)
		}
	}
}

// Whatever the rate, velocities are means over 5 ms: 20 samples here, in each of which the
// velocity of a start from rest grows.
func TestVelocitiesOfAQuickLoop(t *testing.T) {
	m := &mirror{}
	g, err := NewGuard(m, GuardConfig{RateHz: 4000, Axes: 1, Forces: 1, Profile: slow,
		Limits: []Limit{{Channel: "velocity_m_s", Trip: 100}}})
	if err != nil || g.Arm() != nil {
		t.Fatal(err)
	}
	f := rths.Frame{Read: rths.NewReading(1, 1), Desired: make([]float64, 1), Command: make([]float64, 1)}
	o := g.Observer()
	for k := range 400 {
		f.K, f.Command[0] = k, 0.3*float64(k+1)/4000 // 0.3 m/s
		if err := errors.Join(g.Read(&f.Read), g.Write(f.Command)); err != nil {
			t.Fatal(err)
		}
		o.Observe(&f)
		if v, want := g.watch.value.velocity, 0.3*float64(min(k, 20))/20; math.Abs(v-want) > 1e-12 {
			t.Fatalf("tick %d: velocity %g m/s: want %g", k, v, want)
		}
	}
}

// A reading that fails is the last one again, with its age, and acts; the reason is
// kept. What was measured before it is held. A guard that is not armed lets it through.
func TestReadingThatFails(t *testing.T) {
	gone := errors.New("no answer")
	b := newBench(t, GuardConfig{HoldS: 0.005, NonFinite: Hold})
	for i := range 5 {
		if err := b.tick(0.001*float64(i), 0.002*float64(i)); err != nil {
			t.Fatal(err)
		}
	}
	x, force := b.rig.x, b.f.Read.F[1] // in the next reading, and in the last
	b.rig.x = [2]float64{7, 7}
	b.rig.fail = gone
	for i := 1; i <= 3; i++ {
		if err := b.tick(9, 9); err != nil {
			t.Fatal(err)
		}
		if r := b.f.Read; r.X[0] != 0.003 || r.X[1] != 0.006 || r.F[1] != force || r.Age != i {
			t.Fatalf("reading %+v after %d that failed: want the last one, X 0.003 and 0.006 m, F[1] %g N", r, i, force)
		}
	}
	if sent := b.rig.sent[len(b.rig.sent)-1]; sent != [2]float64{0.003, 0.006} {
		t.Errorf("held at %v: want what was measured last, 0.003 and 0.006 (%v left later)", sent, x)
	}
	b.rig.fail = nil // it comes back: fresh again, the hold goes on
	var end error
	for i := 0; end == nil && i < 10; i++ {
		if end = b.tick(9, 9); end == nil && b.f.Read.Age != 0 {
			t.Error("a fresh reading has an age")
		}
	}
	var trip *TripError
	if !errors.As(end, &trip) || !errors.Is(end, gone) || trip.Cause.Channel != "reading" ||
		!strings.Contains(end.Error(), "the reading failed (no answer): command held") {
		t.Errorf("%v: want the failure as cause", end)
	}
	b.rig.fail = gone
	if err := b.g.Read(&b.f.Read); !errors.Is(err, gone) {
		t.Errorf("tripped: %v: want the rig's error", err)
	}
	idle := newBench(t, GuardConfig{NonFinite: Hold})
	idle.g.Idealise(true)
	idle.rig.fail = gone
	if err := idle.g.Read(&idle.f.Read); !errors.Is(err, gone) {
		t.Errorf("idealised: %v: want the rig's error", err)
	}
	if idle.g.Idealise(false); idle.g.Read(&idle.f.Read) != nil {
		t.Error("armed: want no error")
	}
	looks := newBench(t, GuardConfig{NonFinite: Indicate})
	if looks.rig.fail = gone; !errors.Is(looks.tick(0, 0), gone) || len(looks.g.Events()) != 1 {
		t.Errorf("indicated: %v: want the rig's error, which ends the run", looks.f.Err)
	}
	if fresh, err := NewGuard(idle.rig, GuardConfig{RateHz: 1000, Axes: 2, Forces: 2, Profile: slow}); err != nil ||
		!errors.Is(fresh.Read(&idle.f.Read), gone) {
		t.Errorf("disarmed: %v: want the rig's error", err)
	}
}

// Commands are clipped at the stroke and at the rate, each with one event, and are sent
// as they are up to there and with it.
func TestClipping(t *testing.T) {
	b := newBench(t, GuardConfig{Stroke: 0.5, Rate: 125, Limits: nil}) // 0.125 m in a sample
	for i, c := range []struct{ u, want float64 }{
		{0.125, 0.125}, {0.25, 0.25}, {0.5, 0.375}, {0.5, 0.5}, {0.75, 0.5}, {0.5, 0.5}, {-0.75, 0.375}, {-0.75, 0.25},
		{0.25, 0.25},
	} {
		if err := b.tick(c.u, 0); err != nil {
			t.Fatal(err)
		}
		if got := b.rig.sent[i]; got != [2]float64{c.want, 0} {
			t.Fatalf("command %d of %g m: %v was sent: want %g", i, c.u, got, c.want)
		}
	}
	var got []string
	for _, e := range b.g.Events() {
		got = append(got, fmt.Sprintf("%s %g %g %s at %d", e.Channel, e.Value, e.Limit, e.Action, e.K))
	}
	if want := "command_rate_m_s 250 125 clip at 2, command_m 0.75 0.5 clip at 4"; strings.Join(got, ", ") != want {
		t.Errorf("events %v: want %s", got, want)
	}
}

// A command that is not finite never leaves, not even where that only makes an event.
func TestCommandsThatAreNotFinite(t *testing.T) {
	for _, rate := range []float64{0, 125} {
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			b := newBench(t, GuardConfig{Rate: rate, NonFinite: Indicate})
			for _, u := range []float64{0.0625, bad, bad} {
				if err := b.tick(u, 0.03125); err != nil {
					t.Fatal(err)
				}
				if b.rig.x != [2]float64{0.0625, 0.03125} {
					t.Errorf("rate %g, command %g: the rig is at %v", rate, u, b.rig.x)
				}
			}
			if e := b.g.Events(); len(e) != 1 || e[0].Channel != "non_finite" {
				t.Errorf("events %v: want one", e)
			}
		}
	}
}

// A stop ends the run in the tick that brings the command to the position: the next one,
// or as many later as the rate needs.
func TestStopEndsWhereItIs(t *testing.T) {
	for _, c := range []struct {
		rate  float64
		ticks int
	}{{0, 1}, {125, 3}} {
		b := newBench(t, GuardConfig{Rate: c.rate, Limits: []Limit{{Channel: "force_1_N", Trip: 1e4, Action: Stop}}})
		u := 0.0
		for b.g.State() != Holding && b.g.State() != Tripped {
			if err := b.tick(u, 0); err != nil {
				t.Fatal(err)
			}
			u = min(u+0.0625, 0.375)
		}
		b.g.mover.sent[0] = 0.375 + b.g.valid.before[0] // far away
		n := 0
		for err := error(nil); err == nil && n < 50; n++ {
			err = b.tick(1, 1)
		}
		if n != c.ticks || b.rig.x[0] != b.g.mover.at[0] || b.g.State() != Tripped {
			t.Errorf("rate %g: stopped after %d ticks at %g m, %s: want %d ticks, %g m", c.rate, n, b.rig.x[0], b.g.State(),
				c.ticks, b.g.mover.at[0])
		}
	}
}

// The checks of one actuator on numbers equal the checks of several actuators on vectors: random tests with values that
// are not finite, failing readings and jumps go the same way, tick by tick.
func TestOneActuatorIsOneOfMany(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 3))
	tripped := 0
	for range 300 {
		config := GuardConfig{RateHz: 1000, Axes: 1, Forces: 1, Stroke: 0.02 * r.Float64(), Rate: 10 * r.Float64(),
			NonFinite: Action(r.IntN(4)), HoldS: 0.01, Profile: slow}
		config.Late.Most, config.Late.Within = 2, 40
		for _, l := range []Limit{{Channel: "command_m", Trip: 0.02}, {Channel: "command_rate_m_s", Trip: 8},
			{Channel: "measured_m", Trip: 0.012},
			{Channel: "error_m", Trip: 0.02}, {Channel: "force_N", Trip: 1500}, {Channel: "velocity_m_s", Trip: 1.5},
			{Channel: "age", Trip: 2}} {
			if r.IntN(2) > 0 {
				l.Action, l.Trip = Action(r.IntN(4)), l.Trip*(0.2+2*r.Float64())
				l.Warn = l.Trip * r.Float64() * float64(r.IntN(2))
				config.Limits = append(config.Limits, l)
			}
		}
		single, many := newSolo(t, config), newSolo(t, config)
		if single.g.valid.one == nil {
			t.Fatal("a guard of one actuator takes vectors")
		}
		many.g.valid.one, many.g.valid.oneBefore = nil, nil
		for range 60 {
			x, force, u := 0.005*r.NormFloat64(), 500*r.NormFloat64(), 0.005*r.NormFloat64()
			fail, age := r.IntN(80) == 0, r.IntN(40)/38
			for _, v := range []*float64{&x, &force, &u} {
				if r.IntN(150) == 0 {
					*v = []float64{math.NaN(), math.Inf(1), math.Inf(-1)}[r.IntN(3)]
				}
			}
			p, q := single.tick(x, force, u, age, fail), many.tick(x, force, u, age, fail)
			a := fmt.Sprint(p, single.sent, single.f.Read, single.g.Events(), rths.AppendState(nil, single.o))
			b := fmt.Sprint(q, many.sent, many.f.Read, many.g.Events(), rths.AppendState(nil, many.o))
			if a != b {
				t.Fatalf("one actuator and many differ:\n%s\n%s", a, b)
			}
			if p != nil {
				tripped++
				break
			}
		}
	}
	if tripped < 50 || tripped > 250 {
		t.Errorf("%d of 300 tests end early: want some that do and some that do not", tripped)
	}
}

// solo is a rig of one actuator that measures what it is told to.
type solo struct {
	x, force float64
	age      int
	fail     error
	sent     float64
	g        *Guard
	o        rths.Observer
	f        rths.Frame
}

func newSolo(t *testing.T, c GuardConfig) *solo {
	t.Helper()
	s := &solo{f: rths.Frame{K: -1, Read: rths.NewReading(1, 1), Desired: make([]float64, 1), Command: make([]float64, 1)}}
	var err error
	if s.g, err = NewGuard(s, c); err != nil {
		t.Fatal(err)
	}
	if err := s.g.Arm(); err != nil {
		t.Fatal(err)
	}
	s.o = s.g.Observer()
	return s
}

func (s *solo) Read(r *rths.Reading) error {
	r.X[0], r.F[0], r.Age = s.x, s.force, s.age
	return s.fail
}

func (s *solo) Write(u []float64) error { s.sent = u[0]; return nil }

func (s *solo) tick(x, force, u float64, age int, fail bool) error {
	if s.x, s.force, s.age, s.fail = x, force, age, nil; fail {
		s.fail = errors.New("gone")
	}
	f := &s.f
	f.K++
	f.Command[0] = u
	if f.Err = s.g.Read(&f.Read); f.Err == nil {
		f.Err = s.g.Write(f.Command)
	}
	s.o.Observe(f)
	return f.Err
}

// everywhere has commands have been everywhere.
func (s *solo) everywhere() {
	for i := range s.g.mover.trail {
		s.g.mover.trail[i] = 0.05 - 0.1*float64(i%2)
	}
}

// A displacement that runs away for several samples before its limit notices is not
// followed: no reading counts that is farther from the last one than the actuator moves in
// the time between. A specimen that stays where it jumped to is believed in time.
func TestRunawaySensor(t *testing.T) {
	rate := Limit{Channel: "command_rate_m_s", Trip: 2, Action: Hold} // 2 mm in a sample
	for _, tc := range []struct {
		name   string
		config GuardConfig
		x      []float64
		want   float64
	}{
		{"rate of the actuator", GuardConfig{Rate: 2}, []float64{0.001, 0.002, 0.0055, 0.009, 0.0125}, 0.001},
		{"level of the command's rate", GuardConfig{Limits: []Limit{rate}}, []float64{0.001, 0.002, 0.0055, 0.009, 0.0125},
			0.001},
		{"just as fast as it can be", GuardConfig{Rate: 2}, []float64{0.002, 0.004, 0.006, 0.008, 0.010, 0.012}, 0.010},
		{"half as fast again", GuardConfig{Rate: 2}, []float64{0.0029, 0.0058, 0.0087, 0.0116}, 0.0087},
		{"noise within the stroke", GuardConfig{Rate: 0.2, Stroke: 0.1}, []float64{0.009, 0.0095, 0.009, 0.0101, 0.0102},
			0.0101},
		{"believed when many agree", GuardConfig{Rate: 0.1},
			slices.Concat([]float64{0.001}, slices.Repeat([]float64{0.009}, 12), []float64{0.0105}), 0.009},
		{"not believed when few agree", GuardConfig{Rate: 0.1},
			slices.Concat([]float64{0.001, 0.001}, slices.Repeat([]float64{0.009}, 9), []float64{0.0105}), 0.001},
		{"believed in time", GuardConfig{Rate: 2}, []float64{0.001, 0.009, 0.009, 0.009, 0.009, 0.009, 0.012}, 0.009},
		{"not known", GuardConfig{}, []float64{0.001, 0.002, 0.005, 0.008, 0.011}, 0.008},
	} {
		for _, many := range []bool{false, true} {
			c := tc.config
			c.RateHz, c.Axes, c.Forces, c.HoldS, c.Profile = 1000, 1, 1, 0.001, slow
			c.Limits = append([]Limit{{Channel: "measured_m", Trip: 0.0101, Action: Hold}}, c.Limits...)
			s := newSolo(t, c)
			if many {
				s.g.valid.one = nil
			}
			for i, x := range tc.x {
				if i == 1 {
					s.everywhere()
				}
				if err := s.tick(x, 0, 0, 0, false); err != nil {
					t.Fatal(err)
				}
			}
			var end error
			for i := 0; end == nil && i < 100; i++ {
				end = s.tick(0.02, 0, 0, 0, false)
			}
			if math.Abs(s.sent-tc.want) > 1e-15 {
				t.Errorf("%s (many axes: %t): %v: held at %g m: want %g m", tc.name, many, end, s.sent, tc.want)
			}
		}
	}
}

// Before the first command of a run all commands were where the rig stood, far from zero as that may be: an action
// begins there, although a sensor drifts towards zero.
func TestCommandsBeforeTheFirst(t *testing.T) {
	for _, stood := range []float64{0.02, -0.02} {
		s := newSolo(t, GuardConfig{RateHz: 1000, Axes: 1, Forces: 1, Start: []float64{stood}, Rate: 2, HoldS: 0.001,
			Profile: slow, Limits: []Limit{{Channel: "measured_m", Trip: 0.05, Action: Hold}}})
		for k := range 11 {
			if err := s.tick(stood*(1-0.08*float64(k)), 0, stood, 0, false); err != nil {
				t.Fatal(err)
			}
		}
		s.g.Trip(Operator, 1, 0, Hold)
		for err := error(nil); err == nil; {
			err = s.tick(0.2*stood, 0, stood, 0, false)
		}
		if s.sent != stood {
			t.Errorf("held at %g m: want %g", s.sent, stood)
		}
	}
}

// The rate of a command is counted from the command before, also while the guard clips.
func TestRateOfClippedCommands(t *testing.T) {
	s := newSolo(t, GuardConfig{RateHz: 1000, Axes: 1, Forces: 1, Stroke: 0.004, Rate: 1, HoldS: 0.001, Profile: slow,
		Limits: []Limit{{Channel: "command_rate_m_s", Trip: 2.5, Action: Hold}}})
	for k := range 20 { // 2 mm a sample, up and back: twice what the actuator can do
		if err := s.tick(0, 0, 0.02-math.Abs(0.002*float64(k-10)), 0, false); err != nil {
			t.Fatalf("tick %d: %v", k, err)
		}
		if s.sent > 0.004 {
			t.Fatalf("tick %d: %g m left", k, s.sent)
		}
	}
	for range 10 {
		if err := s.tick(0, 0, 0, 0, false); err != nil || s.g.mover.catchingUp && s.sent == 0 {
			t.Fatalf("%v, at %g m: want the command back at zero", err, s.sent)
		}
	}
	if s.g.mover.catchingUp || s.sent != 0 {
		t.Errorf("behind %t, at %g m: want the commands followed again", s.g.mover.catchingUp, s.sent)
	}
	s.tick(0, 0, 0.003, 0, false)
	if e := s.g.Events(); len(e) != 3 || e[0].Action != "clip" || e[1].Action != "clip" || e[2].Action != "hold" ||
		math.Abs(e[2].Value-3) > 1e-12 {
		t.Errorf("events %v: want two that were clipped, and a jump", s.g.Events())
	}
}

// A guard stopped anywhere and resumed in another one goes on with the same bits, events
// and end.
func TestGuardResumes(t *testing.T) {
	limits := append(everything(), Limit{Channel: "command_1_m", Trip: 1})[:0]
	limits = append(limits, Limit{Channel: "measured_1_m", Warn: 0.002, Trip: 0.004, Action: Hold},
		Limit{Channel: "velocity_2_m_s", Trip: 0.3, Action: Ramp},
		Limit{Channel: "error_2_m", Trip: 1}, Limit{Channel: "command_2_m", Trip: 0.02, Action: Indicate})
	config := GuardConfig{HoldS: 0.03, NonFinite: Ramp, Stroke: 0.05, Rate: 40, Limits: limits,
		Profile: Profile{ToSafe: true, Velocity: 0.02, Acceleration: 0.2, WithinS: 2}}
	command := func(k int) (float64, float64) {
		return 1e-4 * float64(k), 2e-4*float64(k) + 1e-3*math.Sin(float64(k*k))
	}
	for _, at := range []int{1, 3, 10, 25, 42, 44, 60, 75} {
		a, b := newBench(t, config), newBench(t, config)
		step := func(x *bench, k int) error {
			x.rig.fail = nil
			if k == 72 || k == 73 {
				x.rig.fail = errors.New("gone")
			}
			return x.tick(command(k))
		}
		for k := range at {
			if err := step(a, k); err != nil {
				t.Fatal(err)
			}
		}
		b.rig.x, b.f.K = a.rig.x, a.f.K
		state := rths.AppendState(nil, a.o)
		if rest := rths.SetState(append(state, 42), b.o); len(rest) != 1 || rest[0] != 42 {
			t.Fatalf("%v are left of the state: want 42", rest)
		}
		if again := rths.AppendState(nil, b.o); fmt.Sprint(again) != fmt.Sprint(state) {
			t.Fatalf("at %d: the state is\n%v\nresumed\n%v", at, state, again)
		}
		before := len(a.g.Events())
		for k := at; k < 4000; k++ {
			p, q := step(a, k), step(b, k)
			if a.rig.x != b.rig.x || a.g.State() != b.g.State() || a.f.Read.Age != b.f.Read.Age {
				t.Fatalf("resumed at %d: tick %d at %v, %s: want %v, %s", at, k, b.rig.x, b.g.State(), a.rig.x, a.g.State())
			}
			if p != nil || q != nil {
				if p == nil || q == nil || strings.Replace(p.Error(), "(gone)", "", 1) != strings.Replace(q.Error(), "(gone)", "",
					1) {
					t.Errorf("resumed at %d: ends with %v: want %v", at, q, p)
				}
				break
			}
		}
		rest := a.g.Events()[before:]
		if len(rest) != len(b.g.Events()) {
			t.Fatalf("resumed at %d: events %v: want %v", at, b.g.Events(), rest)
		}
		for i, e := range b.g.Events() {
			if e.K != rest[i].K || e.Channel != rest[i].Channel || e.Action != rest[i].Action {
				t.Errorf("resumed at %d: event %v: want %v", at, e, rest[i])
			}
		}
	}
}

// From rest to rest: the triangle v_max = √(a d) where the way is short, else the
// trapezium; both take as long as the ramp itself does.
func TestDurationOfRamps(t *testing.T) {
	for _, p := range []Profile{{Velocity: 0.2, Acceleration: 4}, {Velocity: 0.02, Acceleration: 0.5}} {
		for _, distance := range []float64{1e-4, p.Velocity * p.Velocity / p.Acceleration, 0.1} {
			at := p.at(1e5)
			x, v, n := []float64{0}, []float64{0}, 0
			for ; !at.move(x, v, []float64{distance}); n++ {
			}
			if got, want := float64(n)/1e5, p.Duration(distance); math.Abs(got-want) > 2e-3*want+3e-5 {
				t.Errorf("%+v over %g m: %g s, said to be %g", p, distance, got, want)
			}
		}
	}
}

// A run ends at the time of the tick that ended it, of a cause at its own; a limit that
// has acted does not warn any more.
func TestTimesOfATrip(t *testing.T) {
	k := newTicker(t, &mirror{}, GuardConfig{HoldS: 0.02,
		Limits: []Limit{{Channel: "measured_m", Warn: 0.001, Trip: 0.002, Action: Hold}}})
	if err := k.g.Arm(); err != nil {
		t.Fatal(err)
	}
	var trip *TripError
	for i := 0; trip == nil && i < 100; i++ {
		u := 0.0
		if i >= 10 {
			u = 0.005 // measured in tick 11, held from tick 12 on
		}
		errors.As(k.tick(u), &trip)
	}
	if trip == nil || trip.Cause.K != 11 || trip.Cause.T != 0.011 || k.f.K != 31 || trip.T != 0.031 {
		t.Errorf("%+v in tick %d: want the cause at 0.011 s and the end in tick 31, at 0.031 s", trip, k.f.K)
	}
	if e := k.g.Events(); len(e) != 1 {
		t.Errorf("events %v: want the trip alone", e)
	}
}

// A guard works at any rate above 0, without load cells too.
func TestSlowGuard(t *testing.T) {
	for _, rate := range []float64{0.5, 1, 100} {
		g, err := NewGuard(&mirror{}, GuardConfig{RateHz: rate, Axes: 1,
			Profile: Profile{Velocity: 1, Acceleration: 1, WithinS: 1},
			Limits:  []Limit{{Channel: "velocity_m_s", Trip: 1, Action: Hold}}})
		if err != nil || g.Arm() != nil {
			t.Fatalf("%g Hz: %v", rate, err)
		}
		f := rths.Frame{Read: rths.NewReading(1, 1), Desired: make([]float64, 1)}
		f.Read.F = f.Read.F[:0]
		g.rig = &still{x: &f.Read}
		o := g.Observer()
		for k := range 3 {
			f.K = k
			if err := errors.Join(g.Read(&f.Read), g.Write([]float64{1.5 * float64(k) / rate})); err != nil {
				t.Fatal(err)
			}
			o.Observe(&f)
		}
		if g.State() != Holding {
			t.Errorf("%g Hz: 1.5 m/s: %s, events %v", rate, g.State(), g.Events())
		}
	}
}

// still has no load cell and is where it was commanded to be.
type still struct {
	x   *rths.Reading
	now float64
}

func (s *still) Read(r *rths.Reading) error { r.X[0] = s.now; return nil }
func (s *still) Write(u []float64) error    { s.now = u[0]; return nil }

// What a guard is made of is checked, with the bounds themselves allowed.
func TestGuardConfigs(t *testing.T) {
	good := GuardConfig{RateHz: 1000, Axes: 1, Forces: 1, Profile: slow, HoldS: LongestS}
	if _, err := NewGuard(&mirror{}, good); err != nil {
		t.Error(err)
	}
	inf := math.Inf(1)
	for want, change := range map[string]func(*GuardConfig){
		"rate +Inf Hz":                   func(c *GuardConfig) { c.RateHz = inf },
		"rate -Inf Hz":                   func(c *GuardConfig) { c.RateHz = -inf },
		"rate 0 Hz":                      func(c *GuardConfig) { c.RateHz = 0 },
		"0 axes, 1 forces":               func(c *GuardConfig) { c.Axes = 0 },
		"1 axes, -1 forces":              func(c *GuardConfig) { c.Forces = -1 },
		"start of 2 commands: want 1":    func(c *GuardConfig) { c.Start = []float64{0, 0} },
		"stroke -1 m":                    func(c *GuardConfig) { c.Stroke = -1 },
		"rate -1 m/s":                    func(c *GuardConfig) { c.Rate = -1 },
		"want at most the stroke, 0.5 m": func(c *GuardConfig) { c.Stroke, c.Start = 0.5, []float64{-0.6} },
		"hold of 3600.001 s":             func(c *GuardConfig) { c.HoldS = LongestS + 1e-3 },
		"hold of -1 s":                   func(c *GuardConfig) { c.HoldS = -1 },
		"trip 0: want a number above 0":  func(c *GuardConfig) { c.Limits = []Limit{{Channel: "age"}} },
		"ramp within 0 s":                func(c *GuardConfig) { c.Profile.WithinS = 0 },
		"ramp at 0.1 m/s and 0 m/s²":     func(c *GuardConfig) { c.Profile.Acceleration = 0 },
		"it takes 1.9 s at 0.1 m/s and 1 m/": func(c *GuardConfig) {
			c.Profile.WithinS = 1
			c.Limits = []Limit{{Channel: "measured_m", Trip: 0.18, Action: Ramp}}
		},
	} {
		c := good
		change(&c)
		if _, err := NewGuard(&mirror{}, c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q", err, want)
		}
	}
}

// A resumed guard tells the same first cause, whatever the loop that diverged was called,
// and goes on with the velocity.
func TestGuardResumesItsCause(t *testing.T) {
	for _, what := range []string{"target", "measured", "command"} {
		c := GuardConfig{RateHz: 10_000, Axes: 1, Forces: 1, NonFinite: Hold, HoldS: 1, Profile: slow,
			Limits: []Limit{{Channel: "measured_m", Trip: 5}, {Channel: "velocity_m_s", Trip: 50}}}
		a, b := newSolo(t, c), newSolo(t, c)
		for k := range 21 {
			if err := a.tick(1e-5*float64(k), 0, 0, 0, false); err != nil {
				t.Fatal(err)
			}
		}
		a.g.TakeOver(&rths.DivergedError{What: what, Value: 2, Limit: 1})
		rths.SetState(rths.AppendState(nil, a.o), b.o)
		if b.g.latch.first.Channel != what+"_m" || b.g.latch.first.Action != "hold" || b.g.latch.first.Value != 2 {
			t.Errorf("%s: resumed with the cause %+v: want %+v", what, b.g.latch.first, a.g.latch.first)
		}
		if v := b.g.watch.value.velocity; v != a.g.watch.value.velocity || v == 0 {
			t.Errorf("resumed with a velocity of %g m/s: want %g", v, a.g.watch.value.velocity)
		}
	}
}

// Readings that were lost for a while are repeated, and grow old. The next fresh one is
// valid though the specimen has moved on: the time between counts.
func TestFreshReadingAfterLostOnes(t *testing.T) {
	s := newSolo(t, GuardConfig{RateHz: 1000, Axes: 1, Forces: 1, Rate: 2, HoldS: 0.001, Profile: slow,
		Limits: []Limit{{Channel: "measured_m", Trip: 0.0201, Action: Hold}}})
	for age := range 10 {
		if err := s.tick(0, 0, 0, age, false); err != nil {
			t.Fatal(err)
		}
	}
	s.everywhere()
	for _, x := range []float64{0.019, 0.020, 0.021} { // 2 m/s since the last that was fresh
		if err := s.tick(x, 0, 0, 0, false); err != nil {
			t.Fatal(err)
		}
	}
	for i, end := 0, error(nil); end == nil && i < 100; i++ {
		end = s.tick(0.021, 0, 0, 0, false)
	}
	if s.sent != 0.020 {
		t.Errorf("held at %g m: want 0.020, the valid reading before the one that tripped", s.sent)
	}
}

// While a guard acts, the rate of a command is the change of what it sends, of every axis
// and the largest of them.
func TestRateWhileActing(t *testing.T) {
	limits := []Limit{{Channel: "measured_m", Trip: 0.0045, Action: Hold}}
	for _, c := range []string{"command_rate_m_s", "command_rate_1_m_s", "command_rate_2_m_s"} {
		limits = append(limits, Limit{Channel: c, Trip: 1e3, Action: Hold})
	}
	b := newBench(t, GuardConfig{HoldS: 0.02, Limits: limits})
	held := 0
	for k := range 15 {
		if err := b.tick(0.001*float64(k), -0.0005*float64(k)); err != nil {
			t.Fatal(err)
		}
		n := len(b.rig.sent)
		if b.g.State() != Holding || n < 2 {
			continue
		}
		held++
		now, last := b.rig.sent[n-1], b.rig.sent[n-2]
		one, two := 1000*math.Abs(now[0]-last[0]), 1000*math.Abs(now[1]-last[1])
		if g := b.g; math.Abs(g.watch.each[0].rate-one) > 1e-12 || math.Abs(g.watch.each[1].rate-two) > 1e-12 ||
			g.watch.value.rate != max(g.watch.each[0].rate, g.watch.each[1].rate) {
			t.Errorf("tick %d: rates %g and %g, largest %g m/s: want %g and %g", k, g.watch.each[0].rate, g.watch.each[1].rate,
				g.watch.value.rate, one, two)
		}
	}
	if held < 5 {
		t.Errorf("held for %d ticks: want some", held)
	}
}

// A second limit of the same action does not begin the hold again.
func TestSameActionGoesOn(t *testing.T) {
	var first, second float64
	b := newBench(t, GuardConfig{
		HoldS:    0.02, // 20 ticks
		Channels: []rths.Channel{{Name: "first", V: &first}, {Name: "second", V: &second}},
		Limits:   []Limit{{Channel: "first", Trip: 1, Action: Hold}, {Channel: "second", Trip: 1, Action: Hold}},
	})
	ticks := 0
	for b.tick(0, 0) == nil {
		if ticks++; ticks == 1 {
			first = 2
		}
		if ticks == 12 {
			second = 2
		}
		if ticks > 100 {
			break
		}
	}
	if ticks < 20 || ticks > 24 {
		t.Errorf("the run ends after %d ticks: want 20 from the first limit on", ticks)
	}
}

// Errors list what there is, and say what a ramp would cross.
func TestGuardErrorsSayWhat(t *testing.T) {
	for want, c := range map[string]GuardConfig{
		`channel "speed": there is none of this name: want one of command_m, command_rate_m_s, measured_m`: {
			Limits: []Limit{{Channel: "speed", Trip: 1}}},
		"ramp at 0.5 m/s: above the limit 0.2 of velocity_m_s, which it would cross itself: want less": {
			Limits:  []Limit{{Channel: "velocity_m_s", Trip: 0.2, Action: Ramp}},
			Profile: Profile{Velocity: 0.5, Acceleration: 1, WithinS: 60},
		},
	} {
		c.RateHz, c.Axes, c.Forces = 1000, 1, 1
		if c.Profile.Velocity == 0 {
			c.Profile = slow
		}
		if _, err := NewGuard(&pair{}, c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v: want %q", err, want)
		}
	}
}
