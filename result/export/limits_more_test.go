package export

import (
	"math"
	"math/rand/v2"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/lab/rig"
)

// The limits of C equal those of the guard where some of them are not known, with several
// actuators, and from a start that is not 0.
func TestLimitsAreTheGuardWithFewerOrMore(t *testing.T) {
	const rate, samples = 1024.0 / 3, 300
	tests := rthstest.Draws(10, 30)
	for name, l := range map[string]Limits{
		"nothing known": {},
		"no rate":       {Stroke: 0.02, Position: 0.03, Jump: 2},
		"jump only":     {Jump: 2},
		"position only": {Position: 0.015},
		"rate only":     {Rate: 0.3},
		"from a start":  {Stroke: 0.02, Rate: 0.3, Position: 0.03, Jump: 2, Start: []float64{0.005, -0.004}},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "no rate" || name == "jump only" {
				rthstest.Full(t)
			}
			program := build(t, "gcc", Source{Name: "x", Title: "test", Program: "test", Compensator: passing(t), RateHz: rate,
				Axes: 2, Limits: &l})
			acted := 0
			for seed := range uint64(tests) {
				motion := wildPair(seed, samples, l.Start)
				sink := &sink{at: motion}
				g, err := l.guard(sink, 2, rate)
				if err != nil {
					t.Fatal(err)
				}
				read := rths.NewReading(2, 0)
				for k := range motion {
					if err := g.Read(&read); err != nil {
						t.Fatal(err)
					}
					if err := g.Write(motion[k].target.X); err != nil {
						t.Fatal(err)
					}
					look(g, k, &read)
				}
				compare(t, "gcc", inC(t, program, motion.bytes(2, 0)), sink.sent)
				if g.State() > rig.Running {
					acted++
				}
			}
			if acted == 0 || acted == tests {
				t.Errorf("limits acted in %d of %d tests: want some of both", acted, tests)
			}
		})
	}
}

// wildPair are commands and readings of two actuators, of which some are beyond every limit.
func wildPair(seed uint64, samples int, start []float64) (out stream) {
	r := rand.New(rand.NewPCG(seed, 2))
	u, x := make([]float64, 2), make([]float64, 2)
	copy(u, start)
	copy(x, start)
	for k := range samples {
		t := tick{rths.NewMotion(2), rths.NewReading(2, 0)}
		for i := range u {
			u[i] += 3e-4 * r.NormFloat64()
			x[i] += (u[i] - x[i]) / 5
			t.target.X[i], t.read.X[i] = u[i], x[i]
			if seed%5 == 1 && k > 100 { // another zero: believed in time, and no command has been there
				t.read.X[i] += 0.008
			}
		}
		if odd := r.IntN(100); k > 50 && seed%3 > 0 {
			i := r.IntN(2)
			switch {
			case odd == 0 && seed%3 == 1:
				t.target.X[i] = []float64{math.NaN(), math.Inf(-1), 0.5, u[i] + 0.01}[r.IntN(4)]
			case odd == 1:
				t.read.X[i] = []float64{math.NaN(), math.Inf(1), 0.5, x[i] + 0.004}[r.IntN(4)]
			case odd < 5:
				t.read.Age = 1 + r.IntN(3)
			}
		}
		out = append(out, t)
	}
	return out
}
