package combine

import (
	"math"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/method/compensate"
)

// An inner loop keeps what every compensator must keep, around methods that learn.
func TestInnerLoopConformance(t *testing.T) {
	inner := InnerPI{Kp: 0.5, Ki: 20}
	for _, kind := range []string{"amb", "kf", "ats"} {
		t.Run(kind, func(t *testing.T) {
			maker := kindOf(kind)
			c := rthstest.Compensator{Axes: 1, RateHz: 4096, Limit: 0.1, Make: func() rths.Compensator {
				at := benchAt(4096, 1, 0)
				return rthstest.Must(inner.Around(rthstest.Must(maker.Make(at)), at))
			}}
			rthstest.Keeps(t, c.Broken())
		})
	}
}

// An inner loop wants the rates of the target where its compensator does.
func TestInnerLoopWantsRates(t *testing.T) {
	at := benchAt(4096, 1, 0)
	for kind, want := range map[string]bool{"none": false, "linear-acceleration": true} {
		outer := rthstest.Must(kindOf(kind).Make(at))
		c := rthstest.Must((&InnerPI{Kp: 0.5}).Around(outer, at))
		if _, got := rths.As[rths.RateUser](c); got != want {
			t.Errorf("around %s: rates wanted %t: want %t", kind, got, want)
		}
	}
}

// While nothing moves the command is kp e + ki ∫ e, for a ramp exactly by the
// trapezoidal rule.
func TestInnerPIIntegrates(t *testing.T) {
	const h = 1.0 / 1024
	at := compensate.At{RateHz: 1024, Axes: 2}
	p := InnerPI{Kp: 2, Ki: 95}
	c, err := p.Around(rthstest.Must((&compensate.None{}).Make(at)), at)
	if err != nil {
		t.Fatal(err)
	}
	target, read, command := rths.NewMotion(2), rths.NewReading(2, 0), make([]float64, 2)
	for k := range 1024 {
		s := float64(k) * h
		target.X[0], target.X[1] = 0.01*s, -0.02*s
		c.Step(command, &target, &read)
		for i, slope := range []float64{0.01, -0.02} {
			if want := slope * (2*s + 95*s*s/2); math.Abs(command[i]-want) > 1e-13 {
				t.Fatalf("t = %g s, actuator %d: %g, want %g", s, i+1, command[i], want)
			}
		}
	}
	read.X[0] = math.NaN()
	if c.Step(command, &target, &read); math.IsNaN(command[0]) {
		t.Error("a lost reading reaches the command")
	}
	if n := testing.AllocsPerRun(100, func() { c.Step(command, &target, &read) }); n > 0 {
		t.Errorf("%g allocations", n)
	}
	p.Kp = math.Inf(1)
	if _, err := p.Around(rthstest.Must((&compensate.None{}).Make(at)), at); err == nil {
		t.Error("an infinite gain is accepted")
	}
}
