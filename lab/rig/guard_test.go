package rig

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/model/plant"
)

// mirror is a rig that is where it was commanded to be.
type mirror struct {
	x    float64
	off  float64 // of its sensor, m
	sent int
}

func (m *mirror) Read(r *rths.Reading) error {
	r.X[0], r.F[0] = m.x+m.off, 1e6*m.x
	return nil
}

func (m *mirror) Write(u []float64) error {
	m.x = u[0]
	m.sent++
	return nil
}

var slow = Profile{Velocity: 0.1, Acceleration: 1, WithinS: 5}

// ticker drives a guard as a loop does.
type ticker struct {
	g *Guard
	f rths.Frame
}

func newTicker(t *testing.T, m *mirror, c GuardConfig) *ticker {
	t.Helper()
	c.RateHz, c.Axes, c.Forces = 1000, 1, 1
	if c.Profile == (Profile{}) {
		c.Profile = slow
	}
	g, err := NewGuard(m, c)
	if err != nil {
		t.Fatal(err)
	}
	return &ticker{g: g, f: rths.Frame{K: -1, Read: rths.NewReading(1, 1), Desired: make([]float64, 1),
		Command: make([]float64, 1)}}
}

func (k *ticker) tick(u float64) error {
	f := &k.f
	f.K++
	f.Err = k.g.Read(&f.Read)
	f.Desired[0], f.Command[0] = f.Read.X[0], u
	if f.Err == nil {
		f.Err = k.g.Write(f.Command)
	}
	k.g.Observer().Observe(f)
	return f.Err
}

// The latch: nothing leaves while disarmed, a trip stays until Reset, and Arm
// begins anew.
func TestLatch(t *testing.T) {
	m := &mirror{}
	k := newTicker(t, m, GuardConfig{HoldS: 0.01, Limits: []Limit{{Channel: "measured_m", Trip: 0.01, Action: Hold}}})
	if err := k.tick(0.001); err == nil || m.sent != 0 || k.g.State() != Disarmed {
		t.Fatalf("disarmed: %v, %d commands sent", err, m.sent)
	}
	if err := k.g.Reset(); err == nil {
		t.Error("a guard that has not tripped was reset")
	}
	if err := k.g.Arm(); err != nil || k.g.State() != Armed {
		t.Fatalf("%v, %s", err, k.g.State())
	}
	if err := k.g.Arm(); err == nil {
		t.Error("armed twice")
	}
	states := []State{}
	var trip *TripError
	for i := 0; trip == nil && i < 100; i++ {
		err := k.tick(0.002 * float64(i))
		errors.As(err, &trip)
		if n := len(states); n == 0 || states[n-1] != k.g.State() {
			states = append(states, k.g.State())
		}
	}
	if len(states) != 3 || states[0] != Running || states[1] != Holding || states[2] != Tripped {
		t.Errorf("states %v: want running, holding, tripped", states)
	}
	if m.x != 0.010 { // measured in the tick before the one that measured 0.012
		t.Errorf("held at %g m: want 0.010", m.x)
	}
	if sent := m.sent; k.tick(0) == nil || m.sent != sent {
		t.Error("a command got through a tripped guard")
	}
	if err := k.g.Reset(); err != nil || k.g.State() != Disarmed {
		t.Fatalf("%v, %s", err, k.g.State())
	}
	if err := k.g.Arm(); err != nil {
		t.Fatal(err)
	}
	if err := k.tick(0.009); err != nil || m.x != 0.009 {
		t.Errorf("after reset: %v, at %g m", err, m.x)
	}
}

// Limits on the command act before it leaves.
func TestBadCommandsDoNotLeave(t *testing.T) {
	for _, c := range []struct {
		limit Limit
		bad   float64
	}{
		{Limit{Channel: "command_m", Trip: 0.01, Action: Hold}, 0.02},
		{Limit{Channel: "command_rate_m_s", Trip: 0.5, Action: Hold}, -0.009},
		{Limit{Channel: "command_m", Trip: 0.01, Action: Hold}, math.NaN()},
	} {
		m := &mirror{}
		k := newTicker(t, m, GuardConfig{HoldS: 1, NonFinite: Hold, Limits: []Limit{c.limit}})
		if err := k.g.Arm(); err != nil {
			t.Fatal(err)
		}
		for i := range 10 {
			if err := k.tick(0.0001 * float64(i)); err != nil {
				t.Fatal(err)
			}
		}
		if err := k.tick(c.bad); err != nil || math.Abs(m.x-0.0008) > 1e-12 || k.g.State() != Holding {
			t.Errorf("%s: %v, rig at %g m, %s: want it held at 0.0008, the last position measured", c.limit.Channel, err, m.x,
				k.g.State())
		}
	}
}

// A harder action takes over, a milder one does not, and the first cause is kept;
// indicate and warn leave an event each and do nothing.
func TestFirstCauseAndHarderActions(t *testing.T) {
	m := &mirror{}
	k := newTicker(t, m, GuardConfig{HoldS: 1, Limits: []Limit{
		{Channel: "command_m", Trip: 0.03, Action: Indicate},
		{Channel: "measured_m", Warn: 0.001, Trip: 0.002, Action: Hold},
		{Channel: "force_N", Trip: 2500, Action: Ramp},
		{Channel: "age", Trip: 3, Action: Hold},
	}})
	if err := k.g.Arm(); err != nil {
		t.Fatal(err)
	}
	for _, u := range []float64{0, 0.0005, 0.0015, 0.0021, 0.04} {
		if err := k.tick(u); err != nil {
			t.Fatal(err)
		}
	}
	if k.g.State() != Holding || m.x != 0.04 {
		t.Fatalf("%s at %g m: want holding, the rig still at 0.04", k.g.State(), m.x)
	}
	k.f.Read.Age = 9
	var trip *TripError
	for i := 0; trip == nil && i < 2000; i++ {
		errors.As(k.tick(0.5), &trip)
		if i == 1 && k.g.State() != Ramping {
			t.Fatalf("%s: want the force's ramp to take over", k.g.State())
		}
	}
	if trip == nil || trip.Cause.Channel != "measured_m" || trip.Cause.Value != 0.0021 || trip.Cause.K != 4 || m.x != 0 {
		t.Fatalf("%+v, rig at %g m: want the measured displacement of tick 4, and the ramp's end at 0", trip, m.x)
	}
	var got []string
	for _, e := range k.g.Events() {
		got = append(got, e.Channel+" "+e.Action)
	}
	if want := "measured_m warn, command_m indicate, measured_m hold, force_N ramp, age hold"; strings.Join(got,
		", ") != want && strings.Join(got,
		", ") != "measured_m warn, command_m indicate, measured_m hold, age hold, force_N ramp" {
		t.Errorf("events %v: want %s", got, want)
	}
	if v := k.g.Events()[0].Values; len(v) != 4 || v[1] != 0.0015 || v[2] != 1500 {
		t.Errorf("values %v of %v at the warning", v, k.g.Watched())
	}
}

// A ramp to the last safe position ends where no level was crossed yet.
func TestLastSafePosition(t *testing.T) {
	m := &mirror{}
	p := slow
	p.ToSafe = true
	k := newTicker(t, m, GuardConfig{Profile: p,
		Limits: []Limit{{Channel: "measured_m", Warn: 0.010, Trip: 0.015, Action: Ramp}}})
	if err := k.g.Arm(); err != nil {
		t.Fatal(err)
	}
	var err error
	for i := 0; err == nil && i < 5000; i++ {
		err = k.tick(0.001 * float64(i))
	}
	// 0.010 is the last reading at ease, 0.009 the valid one before it.
	if math.Abs(m.x-0.009) > 1e-15 {
		t.Errorf("%v: rig at %g m: want 0.009", err, m.x)
	}
}

// A ramp to the last safe position goes nowhere where no command has been, whatever a sensor said of it.
func TestLastSafePositionIsOneThatWasSent(t *testing.T) {
	p := slow
	p.ToSafe = true
	// the sensor reads too little of commands from 4 to 6 mm, too much of those from -4 to -6 mm
	for _, side := range []float64{1, -1} {
		m := &mirror{x: 0.004 * side, off: -0.003 * side}
		k := newTicker(t, m, GuardConfig{Profile: p, Start: []float64{0.004 * side},
			Limits: []Limit{{Channel: "force_N", Warn: 5000, Trip: 5900, Action: Ramp}}})
		if err := k.g.Arm(); err != nil {
			t.Fatal(err)
		}
		var err error
		for i := 0; err == nil && i < 5000; i++ {
			err = k.tick(side * (0.004 + 1e-4*float64(i)))
		}
		if math.Abs(m.x-0.004*side) > 1e-15 {
			t.Errorf("%v: rig at %g m: want %g, the nearest command to the safe reading", err, m.x, 0.004*side)
		}
	}
}

// From any position and velocity the ramp arrives, within its velocity and
// acceleration, without passing the goal if it need not.
func TestProfileKeepsItsLimits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	for range 300 {
		p := Profile{Velocity: math.Pow(10, -3+2*r.Float64()), Acceleration: math.Pow(10, -2+3*r.Float64()), WithinS: 1}
		rate := math.Pow(10, 2+2*r.Float64())
		at := p.at(rate)
		x, goal := []float64{0.1 * r.NormFloat64()}, []float64{0.1 * r.NormFloat64()}
		v := []float64{p.Velocity * (2*r.Float64() - 1)}
		limit := 3*p.Duration(math.Abs(goal[0]-x[0])) + 10*p.Velocity/p.Acceleration + 10/rate
		n := 0
		for ; ; n++ {
			x0, v0 := x[0], v[0]
			if at.move(x, v, goal) {
				break
			}
			now := (x[0] - x0) * rate
			if math.Abs(now) > p.Velocity*(1+1e-9)+1e-9 || math.Abs(now-v0) > p.Acceleration/rate*(1+1e-6)+1e-9 {
				t.Fatalf("%+v at %g Hz: velocity %g after %g m/s", p, rate, now, v0)
			}
			if float64(n) > limit*rate {
				t.Fatalf("%+v at %g Hz: not there after %g s: at %g, %g m/s, goal %g", p, rate, limit, x[0], v[0], goal[0])
			}
		}
		if x[0] != goal[0] {
			t.Errorf("ends at %g m: want %g", x[0], goal[0])
		}
	}
}

// From rest the ramp takes the time that is counted on when it is checked.
func TestProfileDuration(t *testing.T) {
	for _, distance := range []float64{0.001, 0.02, 0.3} {
		p := Profile{Velocity: 0.1, Acceleration: 1, WithinS: 10}
		at := p.at(4096)
		x, v, goal := []float64{0}, []float64{0}, []float64{distance}
		n := 0
		for !at.move(x, v, goal) {
			n++
		}
		if got, want := float64(n)/4096, p.Duration(distance); math.Abs(got-want) > 0.01*want+3.0/4096 {
			t.Errorf("%g m in %g s: want %g", distance, got, want)
		}
	}
}

// A ramp that takes too long ends all the same.
func TestRampEndsInTime(t *testing.T) {
	m := &mirror{}
	k := newTicker(t, m, GuardConfig{Profile: Profile{Velocity: 0.001, Acceleration: 1, WithinS: 0.1},
		Limits: []Limit{{Channel: "force_N", Trip: 1000, Action: Ramp}}})
	if err := k.g.Arm(); err != nil {
		t.Fatal(err)
	}
	if err := k.tick(0.0009); err != nil {
		t.Fatal(err)
	}
	var err error
	n := 0
	for ; err == nil && n < 1000; n++ {
		err = k.tick(0.01)
	}
	// 0.01 leaves in the first tick and is measured in the second.
	if err == nil || !strings.Contains(err.Error(), "command's ramp not finished in time") || n != 102 {
		t.Errorf("%v after %d ticks: want the end after 0.1 s", err, n)
	}
	if math.Abs(m.x-0.0008) > 1e-6 {
		t.Errorf("ends at %g m: want 0.1 mm nearer to 0 than 0.9 mm", m.x)
	}
}

// Nothing is allocated with a warning on, nor while a ramp goes back: at 0.4 m/s it trips in
// the first samples.
func TestGuardAllocatesNothing(t *testing.T) {
	for _, rad := range []float64{0.05, 0.2} {
		m := &mirror{}
		k := newTicker(t, m, GuardConfig{
			Profile: Profile{Velocity: 1e-5, Acceleration: 1, WithinS: 3600}, HoldS: 1,
			Limits: []Limit{{Channel: "command_m", Warn: 0.001, Trip: 0.01, Action: Ramp},
				{Channel: "velocity_m_s", Trip: 0.2, Action: Ramp}},
		})
		o := k.g.Observer()
		if err := k.g.Arm(); err != nil {
			t.Fatal(err)
		}
		f := &k.f
		rthstest.NoAllocation(t, func() {
			f.K++
			_ = k.g.Read(&f.Read)
			f.Command[0] = 0.002 * math.Sin(rad*float64(f.K))
			if err := k.g.Write(f.Command); err != nil {
				t.Fatal(err)
			}
			o.Observe(f)
		})
	}
}

// What the default limits of the single-actuator benchmark cost: the guard's part of a
// tick around a rig that does nothing.
func BenchmarkGuard(b *testing.B) {
	g, err := NewGuard(&mirror{}, GuardConfig{RateHz: 4096, Axes: 1, Forces: 1, Profile: slow, Stroke: 0.1,
		Limits: []Limit{
			{Channel: "command_m", Trip: 0.1, Action: Ramp}, {Channel: "command_rate_m_s", Trip: 30, Action: Ramp},
			{Channel: "measured_m", Trip: 0.1, Action: Ramp},
			{Channel: "error_m", Trip: 0.05, Action: Ramp}, {Channel: "force_N", Trip: 1e9, Action: Ramp},
			{Channel: "velocity_m_s", Trip: 0.025},
		}})
	if err != nil || g.Arm() != nil {
		b.Fatal(err)
	}
	o := g.Observer()
	f := rths.Frame{Read: rths.NewReading(1, 1), Desired: make([]float64, 1), Command: make([]float64, 1)}
	for b.Loop() {
		f.K++
		_ = g.Read(&f.Read)
		_ = g.Write(f.Command)
		o.Observe(&f)
	}
}

// A coupler that has lost a force is a cause by its own name, and its reason is in the error.
func TestLostForce(t *testing.T) {
	m := &mirror{}
	k := newTicker(t, m, GuardConfig{HoldS: 0.01, NonFinite: Hold})
	if err := k.g.Arm(); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if err := k.tick(0.001); err != nil {
			t.Fatal(err)
		}
	}
	why := &plant.ForceLost{Why: 1, Coordinate: 2, Is: -5, Should: 5}
	d := &rths.DivergedError{What: why.Quantity(), Value: math.NaN(), Why: why}
	if !k.g.TakeOver(d) || !strings.HasPrefix(d.Error(), "reading at t = 0.0000 s: coordinate 2: ") {
		t.Fatalf("%v: want the guard to take over", d)
	}
	var err error
	for range 50 {
		if err = k.tick(1); err != nil {
			break
		}
	}
	var trip *TripError
	if !errors.As(err, &trip) || trip.Cause.Channel != "axis_force_N" || m.x != 0.001 ||
		!strings.Contains(err.Error(), "the control of a force ended (coordinate 2: ") || !strings.Contains(err.Error(), "sign") {
		t.Errorf("%v at %g m: want a hold at 1 mm by the force", err, m.x)
	}
}
