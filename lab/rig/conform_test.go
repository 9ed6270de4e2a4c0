package rig

import (
	"math"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/maths/signal"
	"rths/model/plant"
)

func TestTable(t *testing.T) {
	rthstest.Keeps(t, rthstest.Table(FaultKinds))
	rthstest.Keeps(t, rthstest.Table(NetworkKinds))
}

// lasting are faults of every row that are at work for most of the kit's ticks, the first
// tick among them or not.
func lasting() []FaultMaker {
	late := Span{FromS: 0.1, DurationS: 1.6}
	return []FaultMaker{
		&StuckFault{"measured_m", Span{0.5, 0.7}}, &SpikeFault{"force_N", late, 5}, &DriftFault{"measured_m", late, 0.1},
		&ReversedFault{"force_N", Span{}}, &LostReadings{late, 0.5}, &LostCommands{"", late, 0.4},
		&LateCommands{"", Span{0, 1.8}, 50}, &SlippedPin{1, late, 1e-3},
	}
}

// What is around the sensors and the virtual rig inside keep what every rig must keep: each
// row of the faults by itself, all of them together, and a computed force.
func TestConformance(t *testing.T) {
	c := FaultConfig{RateHz: rate, Samples: rthstest.Ticks, Axes: 1, LoadCells: 1, Seed: 3}
	virtual := func() rths.Rig { r, _ := benchmark(t, 3); return r }
	rigs := map[string]func() rths.Rig{
		"virtual":   virtual,
		"own clock": func() rths.Rig { return NewOwnClock(virtual(), 1, 0) },
		"own clock, all faults": func() rths.Rig {
			return NewOwnClock(NewFaults(virtual(), c, made(t, c, lasting()...)), 1, 0)
		},
		"all faults": func() rths.Rig { return NewFaults(virtual(), c, made(t, c, lasting()...)) },
		"computed": func() rths.Rig {
			return computed(t, &plant.Bilinear{Stiffness: 2e5, PostStiffness: 1e5, YieldDisplacement: 1e-3}, 3)
		},
	}
	if n := len(lasting()); n != len(FaultKinds) {
		t.Fatalf("%d faults: want one of each of the %d rows", n, len(FaultKinds))
	}
	for i, k := range FaultKinds {
		rigs[k.Name] = func() rths.Rig {
			list := made(t, c, lasting()[i])
			if list[0].Kind != k.Name {
				t.Fatalf("fault %d is %s: want %s", i+1, list[0].Kind, k.Name)
			}
			return NewFaults(virtual(), c, list)
		}
	}
	c.Accelerometers = 1
	rigs["with accelerometer"] = func() rths.Rig { return accelerated(t, 3) }
	rigs["with accelerometer, lost readings"] = func() rths.Rig {
		return NewFaults(accelerated(t, 3), c, made(t, c, &LostReadings{Span{FromS: 0.1, DurationS: 1.6}, 0.5}))
	}
	for name, make := range rigs {
		t.Run(name, func(t *testing.T) {
			r := rthstest.Rig{Axes: 1, Forces: 1, RateHz: rate, Size: 3e-3, Make: make}
			if strings.HasPrefix(name, "with accelerometer") {
				r.Accelerometers = 1
			}
			rthstest.Keeps(t, r.Broken())
		})
	}
}

// accelerated is the benchmark's rig with a noisy accelerometer.
func accelerated(t *testing.T, seed uint64) rths.Rig {
	t.Helper()
	r, _ := benchmark(t, seed)
	s := plant.PerfectSensors()
	s.Acceleration, s.AccelerationNoise = true, 0.01
	return NewAccelerated(r, rthstest.Must(s.Accelerometers(1, 1.0/rate, seed)), rate)
}

// The accelerometer gives the mean of the acceleration over the sample: a clock 64 times as
// fast gives the same mean of what the plant says.
func TestAccelerometerIsTheMeanOverTheSample(t *testing.T) {
	const fine = 64
	table := func(hz float64) plant.Plant {
		p := &plant.SecondOrder{Omega: 150, DampingRatio: 0.8, Gain: 1}
		return rthstest.Must(p.Make(plant.At{RateHz: hz, Specimen: rthstest.Must((&plant.LinearSpecimen{Mass: 10}).Make())}))
	}
	s := plant.PerfectSensors()
	s.Acceleration = true
	x, f, err := s.Gauges(1, 1, 1.0/rate, 1, plant.Conversion{})
	if err != nil {
		t.Fatal(err)
	}
	r := NewAccelerated(NewVirtual(table(rate), signal.Converter{}, x, f), rthstest.Must(s.Accelerometers(1, 1.0/rate, 1)),
		rate)
	read, now, other := rths.NewReading(1, 1), rths.NewReading(1, 1), table(rate*fine)
	read.A, read.TrueA, now.A = make([]float64, 1), make([]float64, 1), make([]float64, 1)
	last := 0.0
	for k := range 300 {
		u := []float64{1e-3 * math.Sin(0.05*float64(k))}
		if err := r.Write(u); err != nil {
			t.Fatal(err)
		}
		mean := 0.0
		before := now.A[0] + 150*150*(u[0]-last) // it jumps with the command
		for range fine {
			other.Step(&now, u)
			mean += (before + now.A[0]) / 2 / fine
			before = now.A[0]
		}
		last = u[0]
		if err := r.Read(&read); err != nil {
			t.Fatal(err)
		}
		// of the trapezoidal rule: (150/4096/64)²/12 = 3e-8 of at most 25 m/s²
		rthstest.Near(t, "mean", read.A[0], mean, 1e-6)
		if read.TrueA[0] != read.A[0] {
			t.Fatalf("true acceleration %g m/s², reading %g: want no noise", read.TrueA[0], read.A[0])
		}
	}
}
