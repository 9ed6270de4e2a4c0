package rig

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/kit/rthstest"
	"rths/model/plant"
)

// parabola is a rig of two actuators on x = a t²/2 that loses some readings: those repeat the last one and
// say their age.
type parabola struct {
	k, age     int
	rate, a    float64
	from, lost int
}

func (p *parabola) Read(out *rths.Reading) error {
	if p.age++; p.k < p.from || p.k >= p.from+p.lost {
		p.age = 0
	}
	t := float64(p.k-p.age) / p.rate
	for i := range out.X {
		out.X[i] = p.a * t * t / 2
	}
	out.Age = p.age
	p.k++
	return nil
}

func (p *parabola) Write([]float64) error { return nil }

// identity is a coupler whose interface is the actuators.
type identity struct{}

func (identity) Axes(axes, iface *rths.Motion) { copy(axes.X, iface.X) }

func (identity) Interface(iface, axes *rths.Reading) { copy(iface.X, axes.X) }

// Old readings make no velocity, and the first fresh one makes no jump: the differences after a gap are over
// the samples that have passed. Under constant acceleration the differences of velocities are exact whatever
// the gap, and the velocities are those of the middle. After a stop and a resumption within the gap the
// forces are the same.
func TestForcesOfOldReadings(t *testing.T) {
	const rateHz, a, from = 1000.0, 3.0, 40
	spec := matrices{m: mat.NewDense(2, 2, []float64{5, 0, 0, 7}), c: mat.NewDense(2, 2, []float64{11, 0, 0, 13}),
		k: mat.NewDense(2, 2, nil)}
	dashpot := rthstest.Must((&plant.LinearSpecimen{Damping: 11, Stiffness: 0}).Make())
	for _, lost := range []int{0, 1, 2, 7, 30} {
		recoveredRig := func() rths.Rig {
			return rthstest.Must(NewRecovered(&parabola{rate: rateHz, a: a, from: from, lost: lost}, identity{}, spec, rateHz))
		}
		computedRig := func() rths.Rig {
			return rthstest.Must(NewComputed(&parabola{rate: rateHz, a: a, from: from, lost: lost}, dashpot, rateHz))
		}
		for name, make := range map[string]func() rths.Rig{"recovered": recoveredRig, "computed": computedRig} {
			r := make()
			read, before := rths.NewReading(2, 2).WithoutTruth(), 0.0
			if name == "computed" {
				read = rths.NewReading(1, 1).WithoutTruth()
			}
			for k := range 120 {
				if err := r.Read(&read); err != nil {
					t.Fatal(err)
				}
				over := 1.0
				if lost > 0 && k == from+lost {
					over = float64(lost + 1)
				}
				want := 11 * a * (float64(k) - over/2) / rateHz
				if name == "recovered" {
					want += 5 * a
				}
				if read.Age > 0 {
					want = before
				}
				if k > 2 && !(math.Abs(read.F[0]-want) < 1e-9*(1+math.Abs(want))) {
					t.Fatalf("%s, %d readings lost: tick %d: %g N, want %g", name, lost, k, read.F[0], want)
				}
				before = read.F[0]
				if k == from+lost/2 { // resumed in the midst of the gap
					fresh := make()
					inner := fresh.(interface{ Unwrap() any }).Unwrap().(*parabola)
					*inner = *r.(interface{ Unwrap() any }).Unwrap().(*parabola)
					rths.SetState(rths.AppendState(nil, r), fresh)
					r = fresh
				}
			}
		}
	}
}

// A loop that is too slow has the reading of every tick, and is late in each: late ticks in a row hold and ramp
// as an old reading does, and one tick in time begins the count anew.
func TestLateTicksInARow(t *testing.T) {
	c := GuardConfig{NonFinite: Hold, HoldS: 1}
	c.Late.HoldAfter, c.Late.RampAfter = 5, 8
	l := one(t, c)
	l.arms(t)
	late := func(n int, is bool) {
		l.rig.late = is
		l.ticks(t, n, 0.001)
	}
	late(5, true)
	late(1, false)
	late(5, true)
	if l.g.State() != Running {
		t.Fatalf("%s after five late ticks, twice: want it running", l.g.State())
	}
	late(1, true)
	if e := l.g.Events(); l.g.State() != Holding || len(e) != 1 || e[0].Channel != "late_ticks" || e[0].Value != 6 {
		t.Errorf("%s, events %v after six: want a hold at 6", l.g.State(), e)
	}
	late(3, true)
	if l.g.State() != Ramping {
		t.Errorf("%s after nine: want a ramp", l.g.State())
	}
}

// Where a silent rig lets the error cross its limit, the silence is the cause. A limit that was half reached at the
// last fresh reading, and a limit that old readings cannot move, keep their own cause.
func TestFirstCauseWhileReadingsAreOld(t *testing.T) {
	for name, tc := range map[string]struct {
		error float64 // at the last fresh reading, m
		lost  int     // readings before the limit is crossed
		want  string
	}{
		"silent":               {0.001, 5, "no reading since t = 0.0100 s, then error_m is 0.05, limit 0.04"},
		"one reading is lost":  {0.001, 1, "error_m is 0.05, limit 0.04"},
		"it ran away before":   {0.03, 5, "error_m is 0.05, limit 0.04"},
		"crossed by a reading": {0.001, 0, "error_m is 0.05, limit 0.04"},
	} {
		s := newSolo(t, GuardConfig{RateHz: 1000, Axes: 1, Forces: 1, HoldS: 0.001, Profile: slow,
			Limits: []Limit{{Channel: "error_m", Trip: 0.04, Action: Hold}}})
		s.f.Desired = []float64{-tc.error}
		for range 10 + min(1, tc.lost) {
			if err := s.tick(0, 0, 0, 0, false); err != nil {
				t.Fatal(err)
			}
		}
		for age := 1; age < tc.lost; age++ {
			if err := s.tick(0, 0, 0, age, false); err != nil {
				t.Fatal(err)
			}
		}
		s.f.Desired[0] = -0.05
		_ = s.tick(0, 0, 0, tc.lost, false)
		var trip *TripError
		if !errors.As(s.g.Unfinished(), &trip) || trip.What() != tc.want {
			t.Errorf("%s: %v: want %q", name, s.g.Unfinished(), tc.want)
		}
	}
}

// At a rate of some Hz a hold still begins where the commands had been before they ran away.
func TestHoldAtLowRates(t *testing.T) {
	for _, rate := range []float64{2, 4, 10, 20} {
		s := newSolo(t, GuardConfig{RateHz: rate, Axes: 1, Forces: 1, HoldS: 10, Profile: slow,
			Limits: []Limit{{Channel: "error_m", Trip: 0.02, Action: Hold}}})
		for k := 0; s.g.State() != Holding && k < 100; k++ {
			u := 0.012 * max(0, float64(k-20))
			s.f.Desired = []float64{u}
			if err := s.tick(0, 0, u, 0, false); err != nil {
				t.Fatal(err)
			}
		}
		if s.g.mover.at[0] != 0 {
			t.Errorf("%g Hz: a hold of an actuator at 0 begins at %g m", rate, s.g.mover.at[0])
		}
	}
}
