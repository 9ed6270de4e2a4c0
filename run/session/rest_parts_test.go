package session

import (
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/lab/rig/wire"
	"rths/model/plant"
)

// A rig with less stroke or rate than the scenario states is told of, actuator by actuator.
func TestNarrower(t *testing.T) {
	axes := []wire.Channel{{Unit: "m", Range: 0.1, Rate: 0.5}, {Unit: "m", Range: 0.05, Rate: 0.4}, {Unit: "m"}}
	for _, c := range []struct {
		rating plant.Rating
		want   []string // the begins of the warnings
	}{
		{plant.Rating{Stroke: 0.05, Rate: 0.4}, nil},
		{plant.Rating{Stroke: 0.08, Rate: 0.4},
			[]string{"actuator 2 of the rig has a range of 0.05 m, and the scenario states 0.08:"}},
		{plant.Rating{Stroke: 0.2, Rate: 0.45}, []string{
			"actuator 1 of the rig has a range of 0.1 m", "actuator 2 of the rig has a range of 0.05 m",
			"actuator 2 of the rig has a largest velocity of 0.4 m/s, and the scenario states 0.45:",
		}},
		{plant.Rating{}, []string{"actuator 1 of the rig has a range", "actuator 1 of the rig has a largest",
			"actuator 2 of the rig has a range", "actuator 2 of the rig has a largest"}},
	} {
		got := narrower(axes, c.rating)
		if !slices.EqualFunc(got, c.want, strings.HasPrefix) {
			t.Errorf("%+v: %q: want %q", c.rating, got, c.want)
		}
	}
}

// Before the sensor's zero is known, an actuator is away only beyond what another zero explains.
func TestAwayBeforeTheFirstCommand(t *testing.T) {
	for _, c := range []struct {
		stroke, x float64
		certain   bool
		away      bool
	}{
		{0.1, 0.9e-3, false, false}, {0.1, 1.1e-3, false, true}, {0.1, 0.9e-3, true, true}, {0.02, 0.45e-3, false, false},
		{0.02, 0.55e-3, false, true},
		{4, 39e-3, false, false}, {4, 41e-3, false, true},
	} {
		s := newStandstill(100, c.stroke, 1, 1)
		s.certain = c.certain
		s.last.x[0] = [2]moments{{n: 1, mean: c.x}, {n: 1, mean: c.x}}
		if got := s.away(0); got != c.away {
			t.Errorf("stroke %g m, %g m from the command, zero known: %t: away %t", c.stroke, c.x, c.certain, got)
		}
	}
}

// A window without fresh readings holds the last one, as a reading in each half.
func TestStaleWindowHoldsTheLastReading(t *testing.T) {
	s := newStood(0.1)
	s.tick(0.003, 250, 0)
	s.repeat(s.tape)
	for _, halves := range [][2]moments{s.now.x[0], s.now.f[0]} {
		if halves[0] != halves[1] || halves[0].n != 1 {
			t.Errorf("%+v: want one reading in each half", halves)
		}
	}
	if mean(s.now.x[0]) != 0.003 || mean(s.now.f[0]) != 250 {
		t.Errorf("%g m, %g N: want 0.003 m, 250 N", mean(s.now.x[0]), mean(s.now.f[0]))
	}
}

// The rig in the process itself gives a reading of its start at once.
func TestIdleInside(t *testing.T) {
	out := rths.Reading{Motion: rths.Motion{X: []float64{3}, A: []float64{4}}, F: []float64{5}, Age: 6}
	took, err := new(inside).Idle(&out)
	if took != 0 || err != nil || out.X[0] != 0 || out.A[0] != 0 || out.F[0] != 0 || out.Age != 0 {
		t.Errorf("%v, %v, %+v: want zeros", took, err, out)
	}
}
