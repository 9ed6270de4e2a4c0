package rig_test

import (
	"errors"
	"math"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/lab/rig"
	"rths/maths/signal"
	"rths/method/compensate"
	"rths/method/stability"
	"rths/model/integrate"
	"rths/model/plant"
	"rths/model/structure"
)

// Fault drills: the benchmark of one actuator, compensated, with a fault that
// appears in the middle of strong motion. Each must end in the configured action,
// begun within two samples of the limit being crossed, with the right first cause.

const (
	drillRate  = 4096
	faultTick  = 6000
	drillTicks = 16384
	rampM_s    = 0.05
	rampM_s2   = 2.0
)

// faulty is a rig with a fault.
type faulty struct {
	rths.Rig
	k     int
	read  func(k int, r *rths.Reading)
	write func(k int, u []float64)
	sent  []float64 // what arrives at the rig
	u     []float64
}

func (f *faulty) Read(r *rths.Reading) error {
	err := f.Rig.Read(r)
	if f.read != nil && f.k >= faultTick {
		f.read(f.k, r)
	}
	return err
}

func (f *faulty) Write(command []float64) error {
	copy(f.u, command)
	f.sent = append(f.sent, command[0])
	if f.write != nil {
		f.write(f.k, f.u)
	}
	f.k++
	return f.Rig.Write(f.u)
}

func (f *faulty) Unwrap() any { return f.Rig }

// drill is a run with a guard around a faulty rig.
type drill struct {
	rig    *faulty
	guard  *rig.Guard
	loop   *rths.Loop
	values map[string]*float64 // channels
	limit  rig.Limit
	cross  int     // tick in which the limited channel was first seen above its limit
	valid  float64 // the last valid measured position before it, m
	began  int     // tick whose command the guard took over
	end    error
}

// newDrill makes the loop with one limit and the action of non-finite values.
func newDrill(t *testing.T, limit rig.Limit, nonFinite rig.Action, fault faulty) *drill {
	t.Helper()
	whole := rthstest.Must((&structure.Silva2020{Case: 1}).Make())
	spec := rthstest.Must((&plant.SilvaSpecimen{Mass: 29.13, Stiffness: 1190e3, DampingRatio: 0.0097}).Make())
	m, c, k := spec.(plant.Linear).Linear()
	part := rthstest.Must(whole.Divide(0, m, c, k))
	integ := rthstest.Must((&integrate.RK4{}).Make(part, 1.0/drillRate))
	kind := rthstest.Must(rths.Find(plant.Transfers, "silva2020"))
	transfer := rthstest.Must(kind.Defaults().Make(plant.At{RateHz: drillRate, Specimen: spec}))
	sensors := plant.PerfectSensors()
	sensors.DisplacementNoise, sensors.ForceNoise = 16e-6, 2.18
	x, f, err := sensors.Gauges(1, 1, 1.0/drillRate, 1, plant.Conversion{})
	if err != nil {
		t.Fatal(err)
	}
	amb := rthstest.Must(rths.Find(compensate.Kinds, "amb-galmez2021"))
	comp := rthstest.Must(amb.Defaults().Make(compensate.At{RateHz: drillRate}))
	energies := rthstest.Must(stability.NewEnergies(part, stability.Config{RateHz: drillRate, Held: true, SW: 1, EEI: 1}))

	synchrony := rthstest.Must(stability.NewSynchrony(drillRate, 0, 1))
	channels := append(energies.Channels(), synchrony.Channels()...)

	d := &drill{rig: &fault, limit: limit, cross: -1, began: -1, values: map[string]*float64{}}
	d.rig.Rig = rig.NewVirtual(transfer, signal.Converter{}, x, f)
	d.rig.u = make([]float64, 1)
	var limits []rig.Limit
	if limit.Channel != "non_finite" {
		limits = append(limits, limit)
	}
	d.guard = rthstest.Must(rig.NewGuard(d.rig, rig.GuardConfig{
		RateHz: drillRate, Axes: 1, Forces: 1, Limits: limits, Channels: channels, NonFinite: nonFinite, HoldS: 0.5,
		Profile: rig.Profile{Velocity: rampM_s, Acceleration: rampM_s2, WithinS: 10},
	}))
	if err := d.guard.Arm(); err != nil {
		t.Fatal(err)
	}
	for _, c := range channels {
		d.values[c.Name] = c.V
	}
	ground := make([]float64, 2*drillTicks+1)
	for j := range ground { // resonance with the first mode, rising over a second
		at := float64(j) / (2 * drillRate)
		ground[j] = 0.5 * min(at, 1) * math.Sin(2*math.Pi*3.6*at)
	}
	d.loop = rthstest.Must(rths.NewLoop(rths.Config{
		RateHz: drillRate, Samples: drillTicks, Ground: ground, Timing: rths.Timing{ForceDelay: 1}, Axes: 1, Forces: 1,
		Truth:      true,
		Integrator: integ, Compensator: comp, Rig: d.guard,
		Observers: []rths.Observer{energies, synchrony, d, d.guard.Observer()},
	}))
	return d
}

// Observe computes the limited channel anew and notes when it crosses, and from
// which tick on the rig is not sent what the loop wants.
func (d *drill) Observe(f *rths.Frame) {
	if d.limit.Channel == "non_finite" && f.K >= faultTick && d.cross < 0 {
		d.cross = f.K
	}
	if f.Err != nil {
		return
	}
	var v float64
	switch d.limit.Channel {
	case "error_m":
		v = f.Read.X[0] - f.Desired[0]
	case "measured_m":
		v = f.Read.X[0]
	case "force_N":
		v = f.Read.F[0]
	case "command_m":
		v = f.Command[0]
	case "age":
		v = float64(f.Read.Age)
	case "non_finite":
	default:
		v = *d.values[d.limit.Channel]
	}
	if d.cross < 0 && d.limit.Trip > 0 && !(math.Abs(v) <= d.limit.Trip) {
		d.cross = f.K
	}
	if d.cross < 0 {
		d.valid = f.Read.X[0]
	}
	if d.began < 0 && (d.guard.State() > rig.Running) {
		d.began = f.K
	}
}

// run runs to the end and checks what every drill must hold.
func (d *drill) run(t *testing.T) {
	t.Helper()
	for d.end = nil; d.end == nil && !d.loop.Done(); {
		d.end = d.loop.Step()
	}
	var trip *rig.TripError
	if !errors.As(d.end, &trip) {
		t.Fatalf("the run ended with %v: want a trip", d.end)
	}
	want := d.limit.Channel
	if trip.Cause.Channel != want || trip.Cause.Action != d.limit.Action.String() {
		t.Errorf("first cause %s, action %s: want %s and %s", trip.Cause.Channel, trip.Cause.Action, want, d.limit.Action)
	}
	if trip.Cause.K != d.cross || d.cross < faultTick {
		t.Errorf("cause at tick %d, the channel crossed at tick %d, the fault came at %d", trip.Cause.K, d.cross, faultTick)
	}
	if acted := d.acted(); acted > d.cross+2 {
		t.Errorf("the guard acted on the command of tick %d, the limit was crossed at %d: want within two samples", acted,
			d.cross)
	}
	if d.guard.State() != rig.Tripped || d.guard.Events()[0].Channel != want {
		t.Errorf("state %s, first event %v", d.guard.State(), d.guard.Events()[0])
	}
	d.kept(t)
}

// acted is the first tick that the rig was sent the guard's command in, or none.
func (d *drill) acted() int {
	if d.limit.Action == rig.Stop {
		return len(d.rig.sent) - 1 // the last one
	}
	return d.began
}

// kept: the way the guard sends the rig starts at the last valid measured position
// and keeps to the action.
func (d *drill) kept(t *testing.T) {
	t.Helper()
	sent := d.rig.sent[d.acted():]
	if d.limit.Action != rig.Ramp {
		for i, u := range sent {
			if u != d.valid {
				t.Fatalf("command %g m in tick %d of a hold at %g m", u, i, d.valid)
			}
		}
		want := drillRate / 2
		if d.limit.Action == rig.Stop {
			want = 1
		}
		if n := len(sent); n != want {
			t.Errorf("held for %d ticks: want %d", n, want)
		}
		return
	}
	before, speed := d.valid, 0.0
	for _, u := range append(sent, 0) {
		now := (u - before) * drillRate
		if math.Abs(now) > rampM_s*(1+1e-9) || math.Abs(now-speed) > rampM_s2/drillRate*(1+1e-6) {
			t.Fatalf("ramp: velocity %g after %g m/s: want at most %g m/s and %g m/s²", now, speed, rampM_s, rampM_s2)
		}
		speed, before = now, u
	}
	if last := sent[len(sent)-1]; last != 0 {
		t.Errorf("the ramp ends at %g m: want 0", last)
	}
}

func TestDrillSensorStuck(t *testing.T) {
	stuck := math.NaN()
	newDrill(t, rig.Limit{Channel: "error_m", Trip: 0.002, Action: rig.Hold}, rig.Hold,
		faulty{read: func(_ int, r *rths.Reading) {
			if stuck != stuck {
				stuck = r.X[0]
			}
			r.X[0] = stuck
		}}).run(t)
}

func TestDrillSensorReversed(t *testing.T) {
	newDrill(t, rig.Limit{Channel: "error_m", Trip: 0.002, Action: rig.Ramp}, rig.Hold,
		faulty{read: func(_ int, r *rths.Reading) {
			r.X[0] = -r.X[0]
		}}).run(t)
}

// A load cell with the wrong sign feeds the structure what it should take.
func TestDrillForceReversed(t *testing.T) {
	newDrill(t, rig.Limit{Channel: "sw_pct", Warn: 50, Trip: 100, Action: rig.Ramp}, rig.Hold,
		faulty{read: func(_ int, r *rths.Reading) {
			r.F[0] = -r.F[0]
		}}).run(t)
}

func TestDrillSpike(t *testing.T) {
	newDrill(t, rig.Limit{Channel: "measured_m", Trip: 0.02, Action: rig.Stop}, rig.Hold,
		faulty{read: func(k int, r *rths.Reading) {
			if k == faultTick+100 {
				r.X[0] += 0.05
			}
		}}).run(t)
}

func TestDrillNaN(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		for _, action := range []rig.Action{rig.Hold, rig.Ramp, rig.Stop} {
			for _, force := range []bool{false, true} {
				d := newDrill(t, rig.Limit{Channel: "non_finite", Action: action}, action,
					faulty{read: func(_ int, r *rths.Reading) {
						if force {
							r.F[0] = bad
						} else {
							r.X[0] = bad
						}
					}})
				d.run(t)
				if f := d.loop.Frame(); f.Num.X[0]-f.Num.X[0] != 0 || f.Read.X[0]-f.Read.X[0] != 0 {
					t.Error("the loop has read what is not a number")
				}
			}
		}
	}
}

// A converter or valve that lets no more than 1 mm through.
func TestDrillCommandSaturated(t *testing.T) {
	newDrill(t, rig.Limit{Channel: "error_m", Trip: 0.002, Action: rig.Ramp}, rig.Hold,
		faulty{write: func(k int, u []float64) {
			if k >= faultTick {
				u[0] = min(max(u[0], -0.001), 0.001)
			}
		}}).run(t)
}

// The plant's 24 ms and as much again.
func TestDrillDelayDoubled(t *testing.T) {
	var past [98]float64
	newDrill(t, rig.Limit{Channel: "running_delay_ms", Warn: 3, Trip: 10, Action: rig.Ramp}, rig.Hold,
		faulty{write: func(k int, u []float64) {
			late := past[k%len(past)]
			past[k%len(past)] = u[0]
			if k >= faultTick {
				u[0] = late
			}
		}}).run(t)
}

// Readings that stay what they were grow old.
func TestDrillStaleReading(t *testing.T) {
	age := 0
	newDrill(t, rig.Limit{Channel: "age", Trip: 8, Action: rig.Hold}, rig.Hold, faulty{read: func(_ int, r *rths.Reading) {
		age++
		r.Age = age
	}}).run(t)
}

// The same loop without fault runs to its end.
func TestNoFaultNoTrip(t *testing.T) {
	for _, l := range []rig.Limit{
		{Channel: "error_m", Trip: 0.002, Action: rig.Hold}, {Channel: "sw_pct", Warn: 50, Trip: 100, Action: rig.Ramp},
		{Channel: "running_delay_ms", Trip: 10, Action: rig.Ramp}, {Channel: "measured_m", Trip: 0.02, Action: rig.Stop},
	} {
		d := newDrill(t, l, rig.Hold, faulty{})
		for !d.loop.Done() {
			if err := d.loop.Step(); err != nil {
				t.Fatal(err)
			}
		}
		if d.guard.State() != rig.Running || len(d.guard.Events()) != 0 {
			t.Errorf("%s: state %s, events %v", l.Channel, d.guard.State(), d.guard.Events())
		}
	}
}
