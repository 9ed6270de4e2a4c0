package criteria

import (
	"fmt"

	"rths"
)

// Acceleration compares the acceleration of one actuator, as of a shake table, with the
// target's of the same instant (Gálmez 2021, section 3.3; Tang et al. 2020):
//
//	100 rms(a − a_target)/rms(a_target)
//
// means not removed. A table that tracks displacements does not track accelerations by
// itself: an error of amplitude ε at frequency ω counts with ω² ε.
//
// The reading of tick k is of t_k, before the command of t_k acts. The acceleration of a
// transfer system of relative degree 2 jumps with each command: compared is the end of the
// hold. The target's acceleration is as the integrator has it; see docs/results.md.
type Acceleration struct {
	axis   int
	suffix string  // "" or "_2"
	want   float64 // m/s², the target's at the instant of the reading
	next   float64 // m/s², at the instant of the next reading, where the command aims there
	tally  tally
}

// Signals of Acceleration, a being the acceleration of the target.
const (
	accTarget = iota // a
	accErr           // reading − a
	accExact         // the same without sensor noise
	accNoise         // reading less true acceleration
	accSignals
)

// NewAcceleration judges the given axis (from 0) of a loop with axes of them.
func NewAcceleration(axis, axes int) *Acceleration {
	c := &Acceleration{axis: axis, tally: newTally(accSignals)}
	if axes > 1 {
		c.suffix = fmt.Sprintf("_%d", axis+1)
	}
	return c
}

// AccelerationKeys are the keys of Acceleration: none.
type AccelerationKeys struct{}

// Make makes Acceleration of every actuator that has an accelerometer and a target with an
// acceleration.
func (*AccelerationKeys) Make(at At) ([]Criterion, error) {
	if !at.Accelerations {
		return nil, nil
	}
	return each(at, func(i int) Criterion { return NewAcceleration(i, at.Actuators) }), nil
}

// UsesRates says that the target's acceleration is looked at.
func (*Acceleration) UsesRates() {}

// Observe adds a tick; the tick that failed is left out.
func (c *Acceleration) Observe(f *rths.Frame) {
	if f.Err != nil {
		return
	}
	c.want = f.Target.A[c.axis]
	if f.TargetK > f.K {
		c.want, c.next = c.next, c.want
	}
	a, truth := f.Read.A[c.axis], f.Read.TrueA[c.axis]
	if c.tally.n == 0 {
		c.tally.start(c.want, a-c.want, truth-c.want, a-truth)
	}
	c.tally.n++
	c.tally.sums[accTarget].add(c.want)
	c.tally.sums[accErr].add(a - c.want)
	c.tally.sums[accExact].add(truth - c.want)
	c.tally.sums[accNoise].add(a - truth)
}

// Summary is the rms error, measured and true, and the noise floor. The measured one stands
// beside J2.
func (c *Acceleration) Summary() []rths.Value {
	r, s := &c.tally, c.suffix
	return of("acceleration", []rths.Value{
		{Name: "acc_rms" + s + "_pct", Number: 2, V: r.rmsRatio(accErr, accTarget), Doc: "rms acceleration error over rms target acceleration"},
		{Name: "acc_rms" + s + "_true_pct", Number: 2, Exact: true, V: r.rmsRatio(accExact, accTarget), Doc: "acc_rms on the acceleration without sensor noise"},
		{Name: "acc_rms_floor" + s + "_pct", V: r.rmsRatio(accNoise, accTarget), Doc: "noise floor of acc_rms: what a perfect table scores on the noisy reading"},
	})
}

// Channels has the target's acceleration, at the instant of the reading.
func (c *Acceleration) Channels() []rths.Channel {
	return []rths.Channel{{Name: "target_acceleration" + c.suffix + "_m_s2", Unit: "m/s²", V: &c.want}}
}

// AppendState appends the sums and the target to come.
func (c *Acceleration) AppendState(dst []float64) []float64 {
	return c.tally.append(append(dst, c.next))
}

// SetState restores what AppendState appended.
func (c *Acceleration) SetState(src []float64) []float64 {
	c.next = src[0]
	return c.tally.set(src[1:])
}
