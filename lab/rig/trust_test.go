package rig

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
)

// sayer is a rig that reads what it is told to read.
type sayer struct {
	x, f float64
	age  int
	err  error
}

func (s *sayer) Read(r *rths.Reading) error {
	r.X[0], r.F[0], r.Age = s.x, s.f, s.age
	return s.err
}

func (s *sayer) Write([]float64) error { return nil }

// trustful is a guard at 1 kHz with a stroke of 100 mm and 0.5 m/s: a reading may be 0.75 mm a sample, and 1 mm, from
// the last valid one, and ten readings in a row that agree are valid.
func trustful(t *testing.T, more ...Limit) (*Guard, *sayer) {
	t.Helper()
	s := &sayer{}
	g := rthstest.Must(NewGuard(s, GuardConfig{RateHz: 1000, Axes: 1, Forces: 1, Stroke: 0.1, Rate: 0.5, NonFinite: Hold,
		HoldS: 1, Profile: slow, Limits: more}))
	if trust := g.c.Trust(); math.Abs(trust.Move-0.75e-3) > 1e-15 || math.Abs(trust.Reach-1.75e-3) > 1e-15 ||
		trust.Agree != 10 || trust.Recent != 250 {
		t.Fatalf("%+v", trust)
	}
	return g, s
}

// valid is the last valid displacement: it takes the place of one that is not a number.
func valid(g *Guard, s *sayer) float64 {
	before, out := *s, rths.NewReading(1, 1)
	s.x, s.age, s.err = math.NaN(), 0, nil
	_ = g.Read(&out)
	s.x, s.age, s.err = before.x, before.age, before.err
	return out.X[0]
}

// The permitted distance of a reading from the last valid one grows with the time since: with every sample without
// a reading, by its age, and up to a bound.
func TestReachGrowsWithSilence(t *testing.T) {
	for name, c := range map[string]struct {
		failed, age int // samples without a reading; age of the next one
		x           float64
		valid       bool
	}{
		"at once":              {0, 0, 1.7e-3, true},
		"too far":              {0, 0, 1.8e-3, false},
		"after two failures":   {2, 0, 3.2e-3, true},
		"too far after two":    {2, 0, 3.3e-3, false},
		"other side":           {2, 0, -3.2e-3, true},
		"too far, other side":  {2, 0, -3.3e-3, false},
		"after ten failures":   {10, 0, 9.2e-3, true},
		"too far after ten":    {10, 0, 9.3e-3, false},
		"an old one, at once":  {0, 3, 1.7e-3, true},
		"an old one, too far":  {0, 3, 1.8e-3, false}, // its age counts for the next one
		"old after a failure":  {1, 3, 2.4e-3, true},
		"old, too far after 1": {1, 3, 2.6e-3, false},
	} {
		g, s := trustful(t)
		out := rths.NewReading(1, 1)
		g.StepAlone(&out) // met at 0
		s.err = errors.New("no answer")
		for range c.failed {
			g.StepAlone(&out)
		}
		s.err, s.x, s.age = nil, c.x, c.age
		g.StepAlone(&out)
		if got := valid(g, s); (got == c.x) != c.valid || !c.valid && got != 0 {
			t.Errorf("%s: %g m is the last valid one after %g: want valid %t", name, got, c.x, c.valid)
		}
	}
}

// Readings that agree with each other are valid after ten of them, wherever they are. A reading that does not agree
// begins the count anew, an old one does not count. A checkpoint in between keeps the count.
func TestReadingsThatAgree(t *testing.T) {
	far, step := 0.03, 1e-3 // agree: within 1.75 mm of each other
	for name, c := range map[string]struct {
		read func(k int) (x float64, age int)
		want int // readings until they are valid; 0: never in 30
	}{
		"agree":             {func(k int) (float64, int) { return far + step*float64(k%2), 0 }, 10},
		"wander":            {func(k int) (float64, int) { return far + 1.7e-3*float64(k), 0 }, 10},
		"jump to and fro":   {func(k int) (float64, int) { return far * float64(1-2*(k%2)), 0 }, 0},
		"one does not":      {func(k int) (float64, int) { return far + map[bool]float64{true: far}[k == 5], 0 }, 16},
		"every third old":   {func(k int) (float64, int) { return far, map[bool]int{true: 1}[k%3 == 2] }, 14},
		"all of them old":   {func(k int) (float64, int) { return far, 1 }, 0},
		"drift off slowly":  {func(k int) (float64, int) { return 1.7e-3 * float64(k+1), 0 }, 1},
		"just not together": {func(k int) (float64, int) { return far + 1.8e-3*float64(k), 0 }, 0},
	} {
		for _, checkpoint := range []int{-1, 4, 8} {
			g, s := trustful(t)
			out := rths.NewReading(1, 1)
			g.StepAlone(&out)
			got := 0
			for k := 0; k < 30 && got == 0; k++ {
				if s.x, s.age = c.read(k); k == checkpoint {
					state := rths.AppendState(nil, g.Observer())
					g, _ = trustful(t)
					g.rig = s
					rest := rths.SetState(state, g.Observer())
					same := func(a, b float64) bool { return a == b || a != a && b != b }
					if len(rest) != 0 || !slices.EqualFunc(rths.AppendState(nil, g.Observer()), state, same) {
						t.Fatalf("%s: a checkpoint of %d numbers is not restored", name, len(state))
					}
				}
				_ = g.Read(&out)
				if g.valid.last[0] == s.x {
					got = k + 1
				}
			}
			if got != c.want {
				t.Errorf("%s, checkpoint at %d: valid after %d readings: want %d", name, checkpoint, got, c.want)
			}
		}
	}
}

// Once the integrator has failed there is no target, and a hold does not give way to a ramp for the distance from it. A
// target that is not a number for another reason crosses the limit.
func TestNoTargetNoError(t *testing.T) {
	for name, c := range map[string]struct {
		why  error
		want string
	}{"integrator failed": {errors.New("no convergence"), "held"}, "target is not a number": {nil, "ramped"}} {
		g, _ := trustful(t, Limit{Channel: "error_m", Trip: 0.01, Action: Ramp})
		if err := errors.Join(g.StartAt(&rths.Reading{Motion: rths.Motion{X: []float64{0}}, F: []float64{0}}),
			g.Arm()); err != nil {
			t.Fatal(err)
		}
		f := rths.Frame{K: -1, Read: rths.NewReading(1, 1), Desired: []float64{0}, Command: []float64{0}}
		tick := func() {
			f.K++
			if f.Err = g.Read(&f.Read); f.Err == nil {
				f.Err = g.Write(f.Command)
			}
			g.Observer().Observe(&f)
		}
		for range 5 {
			tick()
		}
		if !g.TakeOver(&rths.DivergedError{What: "target", Value: math.NaN(), Limit: 1, Why: c.why}) {
			t.Fatal("the guard does not take over")
		}
		f.Desired[0] = math.NaN()
		for range 5 {
			tick()
		}
		if end := g.Unfinished(); !strings.Contains(end.Error(), c.want) {
			t.Errorf("%s: %v: want %s", name, end, c.want)
		}
	}
}

// How many readings must agree, and how many commands are recent: by time, and a few at least in a slow test; how far a
// reading may be from the last one: half as far again as the actuator moves, and a hundredth of the stroke.
func TestTrust(t *testing.T) {
	for _, c := range []struct {
		rateHz        float64
		agree, recent int
	}{{10, 3, 8}, {32, 3, 8}, {33, 3, 9}, {300, 3, 75}, {301, 4, 76}, {1000, 10, 250}} {
		config := GuardConfig{RateHz: c.rateHz, Rate: 2, Stroke: 0.5}
		got := config.Trust()
		if got.Agree != c.agree || got.Recent != c.recent || math.Abs(got.Move-3/c.rateHz) > 1e-12 ||
			math.Abs(got.Reach-got.Move-0.005) > 1e-12 {
			t.Errorf("%g Hz: %+v: want %d readings, %d commands, %g m and 5 mm more", c.rateHz, got, c.agree, c.recent,
				3/c.rateHz)
		}
	}
	bare := GuardConfig{RateHz: 100}
	if got := bare.Trust(); !math.IsInf(got.Move, 1) || !math.IsInf(got.Reach, 1) {
		t.Errorf("of an unknown rate: %+v", got)
	}
}
