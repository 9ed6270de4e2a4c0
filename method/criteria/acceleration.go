package criteria

import (
	"rths"
)

// Acceleration compares the acceleration of one actuator, as of a shake table, with the
// target's (Gálmez 2021, section 3.3; Tang et al. 2020):
//
//	100 rms(a − a_target)/rms(a_target)
//
// means not removed. A table that tracks displacements does not track accelerations by
// itself: an error of amplitude ε at the frequency ω counts with ω² ε.
//
// Both are means over the sample before the reading; the target's is the change of its
// velocity, (v(t_k) − v(t_k−1))/h. The velocity of cr, gui and central-difference is half
// a sample late, which counts as an error of ωh/2.
type Acceleration struct {
	rateHz   float64
	axis     int
	number   int        // of the actuator, from 1; 0: the only one
	truth    bool       // there is a true acceleration
	velocity [2]float64 // m/s, of the target, at the newest instants; latest first
	seen     float64    // how many of them there are
	want     float64    // m/s², of the target, over the sample before the reading
	tally    tally
}

// Signals of Acceleration. Those from accExact on need the true one.
const (
	accTarget = iota // a_target
	accErr           // reading − a_target
	accExact         // the same without sensor noise
	accNoise         // reading less true acceleration
	accSignals
)

// NewAcceleration judges the given axis (from 0) of a loop with axes of them. truth says
// whether readings carry true accelerations.
func NewAcceleration(rateHz float64, axis, axes int, truth bool) *Acceleration {
	number := rths.Component(axis, axes)
	return &Acceleration{rateHz: rateHz, axis: axis, number: number, truth: truth, tally: newTally(accSignals)}
}

// AccelerationKeys are the keys of Acceleration: none.
type AccelerationKeys struct{}

// Make makes Acceleration of every actuator that has an accelerometer and a target with an
// acceleration.
func (*AccelerationKeys) Make(at At) ([]Criterion, error) {
	if !at.Accelerations {
		return nil, nil
	}
	return each(at, func(i int) Criterion { return NewAcceleration(at.RateHz, i, at.Actuators, at.Truth) }), nil
}

// UsesRates says that the target's velocity is looked at.
func (*Acceleration) UsesRates() {}

// Observe adds a tick; the tick that failed is left out.
func (c *Acceleration) Observe(f *rths.Frame) {
	if f.Err != nil {
		return
	}
	v, now := &c.velocity, f.Target.V[c.axis]
	if f.TargetK > f.K { // the target of the instant to come
		c.want = (v[0] - v[1]) * c.rateHz
	} else {
		c.want = (now - v[0]) * c.rateHz
	}
	v[0], v[1] = now, v[0]
	if c.seen < 2 { // at the start; the target may begin with a jump of velocity
		c.seen++
		c.want = 0
		return
	}
	a, truth := f.Read.A[c.axis], 0.0
	if c.truth {
		truth = f.Read.TrueA[c.axis]
	}
	if c.tally.n == 0 {
		c.tally.start(c.want, a-c.want, truth-c.want, a-truth)
	}
	c.tally.n++
	c.tally.sums[accTarget].add(c.want)
	c.tally.sums[accErr].add(a - c.want)
	c.tally.sums[accExact].add(truth - c.want)
	c.tally.sums[accNoise].add(a - truth)
}

// Quantities of the acceleration: its rms error, and the channel of the target.
const (
	AccelerationError  = "acc_rms"
	TargetAcceleration = "target_acceleration"
)

// of is a quantity of the actuator.
func (c *Acceleration) of(quantity string) rths.Meaning {
	return rths.Meaning{Quantity: quantity, Axis: c.number}
}

// Summary is the rms error, then with true accelerations the true one and the noise floor.
// A run's summary has them beside J2.
func (c *Acceleration) Summary() []rths.Value {
	r := &c.tally
	out := []rths.Value{{Meaning: c.of(AccelerationError), Unit: "%", V: r.rmsRatio(accErr, accTarget),
		Doc: "rms acceleration error over rms target acceleration"}}
	if c.truth {
		exact := c.of(AccelerationError)
		exact.Exact = true
		out = append(out,
			rths.Value{Meaning: exact, Unit: "%", V: r.rmsRatio(accExact, accTarget),
				Doc: "acc_rms on the acceleration without sensor noise"},
			rths.Value{Meaning: c.of("acc_rms_floor"), Unit: "%", V: r.rmsRatio(accNoise, accTarget),
				Doc: "noise floor of acc_rms: the acc_rms of a perfect table with the noisy reading"})
	}
	return ofFamily("acceleration", out)
}

// Channels has the target's acceleration, over the sample before the reading.
func (c *Acceleration) Channels() []rths.Channel {
	return rths.NamedChannels([]rths.Channel{{Meaning: c.of(TargetAcceleration), Unit: "m/s²", V: &c.want}})
}

// VisitState visits the target's velocities and the sums.
func (c *Acceleration) VisitState(v *rths.StateVisitor) {
	v.Floats(c.velocity[:])
	v.Float(&c.seen)
	c.tally.visit(v)
}
