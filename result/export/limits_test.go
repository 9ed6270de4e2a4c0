package export

import (
	"math"
	"math/rand/v2"
	"testing"

	"rths"
	"rths/lab/rig"
	"rths/method/compensate"
)

// The limits of C are those of the guard with the action hold, over random commands and readings, to the bit.
func TestLimitsAreTheGuard(t *testing.T) {
	const rate, samples = 1000.0, 400
	l := Limits{Stroke: 0.02, Rate: 0.5, Position: 0.03, Jump: 5}
	behind := Source{Name: "x", Title: "test", Program: "test", Compensator: passing(t), RateHz: rate, Axes: 1, Forces: 0,
		Limits: &l}
	program := build(t, "gcc", behind)
	acted := 0
	for seed := range uint64(40) {
		motion := wild(seed, samples)
		sink := &sink{at: motion}
		g, err := l.guard(sink, 1, rate)
		if err != nil {
			t.Fatal(err)
		}
		read := rths.NewReading(1, 0)
		for k := range motion {
			if err := g.Read(&read); err != nil {
				t.Fatal(err)
			}
			if err := g.Write(motion[k].target.X); err != nil {
				t.Fatal(err)
			}
			look(g, k, &read)
		}
		compare(t, "gcc", inC(t, program, motion.bytes(1, 0)), sink.sent)
		if g.State() > rig.Running {
			acted++
		}
	}
	if acted < 10 || acted > 30 {
		t.Errorf("limits acted in %d of 40 tests: want some of both", acted)
	}
}

// look ends a tick of a guard that limits neither displacement nor error.
func look(g *rig.Guard, k int, read *rths.Reading) {
	g.Observer().Observe(&rths.Frame{K: k, Read: *read, Desired: read.X})
}

// sink is a rig of prescribed readings, which keeps the commands.
type sink struct {
	at   stream
	k    int
	sent []float64
}

func (s *sink) Read(r *rths.Reading) error {
	copy(r.X, s.at[s.k].read.X)
	r.Age = s.at[s.k].read.Age
	s.k++
	return nil
}

func (s *sink) Write(command []float64) error {
	s.sent = append(s.sent, command...)
	return nil
}

// wild are commands and readings, of which some are beyond every limit.
func wild(seed uint64, samples int) (out stream) {
	r := rand.New(rand.NewPCG(seed, 1))
	u, x := 0.0, 0.0
	for k := range samples {
		u += 1e-3 * r.NormFloat64() * float64(1+seed%3) / 3
		x += (u - x) / 5
		t := tick{rths.Motion{X: []float64{u}}, rths.Reading{Motion: rths.Motion{X: []float64{x}}}}
		if seed%5 == 3 && k > 150 { // another zero: believed in time, and no command has been there
			t.read.X[0] += 0.009
		}
		if odd := r.IntN(100); k > 100+int(seed)*5 {
			switch {
			case odd == 0 && seed%4 > 0:
				t.target.X[0] = []float64{math.NaN(), math.Inf(-1), 0.5, u + 0.004}[r.IntN(4)]
			case odd == 1 && seed%4 > 1:
				t.read.X[0] = []float64{math.NaN(), math.Inf(1), 0.5, x + 0.004}[r.IntN(4)]
			case odd < 5:
				t.read.Age = 1 + r.IntN(3)
			}
		}
		out = append(out, t)
	}
	return out
}

// passing commands the target.
func passing(t *testing.T) rths.Compensator {
	t.Helper()
	c, err := (&compensate.None{}).Make(compensate.At{RateHz: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
