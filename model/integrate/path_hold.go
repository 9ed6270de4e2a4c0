package integrate

import (
	"fmt"
	"math"

	"rths"
)

// Ramp is how a Path goes to a target.
type Ramp int

// Ramps.
const (
	Cubic  Ramp = iota // through the target, with the velocity of the targets so far
	Smooth             // from rest to rest, also in acceleration: s = 10 τ³ − 15 τ⁴ + 6 τ⁵
	Linear             // from rest to rest with a constant velocity
)

// steepest is the largest velocity of a ramp over its mean.
func (r Ramp) steepest() float64 {
	if r == Smooth {
		return 15. / 8
	}
	return 1
}

// Hold is how a ramp stands at its target before the force is read. The zero value takes the first reading.
type Hold struct {
	Tolerance float64 // of measured displacement less target, m (rad); 0: any
	Settled   int     // readings in a row within Tolerance that end the hold; 0: one
	Timeout   int     // readings after which a hold that has not ended fails; 0: never
	Average   int     // last readings of the hold whose mean is read, 0 (one) to Settled
}

func (h *Hold) check() error {
	settled := max(1, h.Settled)
	switch {
	case !(h.Tolerance >= 0) || math.IsInf(h.Tolerance, 0):
		return fmt.Errorf("hold: tolerance %g m: want 0 (any) or more", h.Tolerance)
	case h.Settled < 0 || h.Average < 0 || h.Timeout < 0:
		return fmt.Errorf("hold: %d readings settled, %d averaged, %d at most: want 0 or more", h.Settled, h.Average, h.Timeout)
	case h.Average > settled:
		return fmt.Errorf("hold: the mean of %d readings of a hold of %d: want at most as many", h.Average, settled)
	case h.Timeout > 0 && h.Timeout < settled:
		return fmt.Errorf("hold: %d readings at most, and %d in a row have to be settled: want at least as many", h.Timeout,
			settled)
	}
	return nil
}

// standing is a hold that goes on.
type standing struct {
	Hold
	readings int          // so far
	settled  int          // in a row
	mean     rths.Reading // of the last Average
	first    []float64    // force of the first settled one, N
	sum      Holds

	missV, readingsV float64
	relaxed          []float64 // force of the last reading less first, N
}

// Holds is what a Path's holds have come to.
type Holds struct {
	Number     int     // of holds that have ended
	Longest    int     // readings
	Miss       float64 // largest displacement less target at a reading that counts, m (rad)
	Relaxation float64 // largest change of a force within the settled readings of a hold, N (N·m)
}

// newStanding is for n coordinates, each with a force.
func newStanding(h Hold, n int) standing {
	return standing{Hold: h, mean: rths.NewReading(n, n).WithoutTruth(), first: make([]float64, n), relaxed: make([]float64, n)}
}

func (s *standing) begin() { s.readings, s.settled = 0, 0 }

// take takes a reading while the path stands at the targets of way. It returns the reading that counts when the hold
// has ended, before that nil.
func (s *standing) take(way []way, felt *rths.Reading) (*rths.Reading, error) {
	miss := 0.0
	for i := range way {
		miss = max(miss, math.Abs(felt.X[i]-way[i].to)) // NaN stays
	}
	s.readings++
	s.missV, s.readingsV = miss, float64(s.readings)
	if s.Tolerance > 0 && !(miss <= s.Tolerance) {
		s.settled = 0
	} else {
		s.settled++
		s.average(felt, miss)
	}
	switch {
	case s.settled > 0 && s.settled >= s.Settled:
		s.end(felt)
		return &s.mean, nil
	case s.Timeout > 0 && s.readings >= s.Timeout:
		return nil, fmt.Errorf("after a hold of %d samples the measured displacement is %.4g mm from the target, and was within %g "+
			"mm for the last %d: want %d: look at the actuator's gain and offset, or let it settle longer or less closely",
			s.readings, 1e3*miss, 1e3*s.Tolerance, s.settled, s.Settled)
	}
	return nil, nil
}

// average adds a settled reading to the mean of the last Average of the hold.
func (s *standing) average(felt *rths.Reading, miss float64) {
	if s.settled == 1 {
		copy(s.first, felt.F)
	}
	n := s.settled - max(1, s.Settled) + max(1, s.Average)
	if n < 1 {
		return
	}
	if n == 1 {
		copy(s.mean.X, felt.X)
		copy(s.mean.F, felt.F)
		s.sum.Miss = max(s.sum.Miss, miss)
		return
	}
	for i, x := range felt.X { // this form is exact for equal readings
		s.mean.X[i] += (x - s.mean.X[i]) / float64(n)
	}
	for i, f := range felt.F {
		s.mean.F[i] += (f - s.mean.F[i]) / float64(n)
	}
	s.sum.Miss = max(s.sum.Miss, miss)
}

func (s *standing) end(felt *rths.Reading) {
	s.mean.TrueX, s.mean.TrueF, s.mean.Age, s.mean.Late = felt.TrueX, felt.TrueF, felt.Age, felt.Late
	s.sum.Number++
	s.sum.Longest = max(s.sum.Longest, s.readings)
	for i, f := range felt.F {
		s.relaxed[i] = f - s.first[i]
		s.sum.Relaxation = max(s.sum.Relaxation, math.Abs(s.relaxed[i]))
	}
}

// VisitState visits what a hold that goes on remembers.
func (s *standing) VisitState(v *rths.StateVisitor) {
	v.Int(&s.readings, &s.settled, &s.sum.Number, &s.sum.Longest)
	v.Float(&s.sum.Miss, &s.sum.Relaxation, &s.missV, &s.readingsV)
	v.Floats(s.mean.X, s.mean.F, s.first, s.relaxed)
}

// channels are those of a ramp.
func (s *standing) channels() []rths.Channel {
	out := []rths.Channel{
		{Meaning: rths.Meaning{Quantity: "settle_error"}, Unit: "m", V: &s.missV},
		{Meaning: rths.Meaning{Quantity: "hold_samples"}, Unit: "-", V: &s.readingsV},
	}
	for i := range s.relaxed {
		of := rths.Meaning{Quantity: "relaxation", Axis: rths.Component(i, len(s.relaxed))}
		out = append(out, rths.Channel{Meaning: of, Unit: "N", V: &s.relaxed[i]})
	}
	return out
}
