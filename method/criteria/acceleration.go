package criteria

import (
	"rths"
	"rths/maths/lti"
	"rths/maths/signal"
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
//
// The noise of an accelerometer is white up to half the rate, and a table moves up to some 50 Hz. The same error from
// 0.1 to 50 Hz compares what a table can follow: both signals pass Butterworth filters of order 2 and 4 before.
type Acceleration struct {
	rateHz   float64
	axis     int
	number   int        // of the actuator, from 1; 0: the only one
	truth    bool       // there is a true acceleration
	velocity [2]float64 // m/s, of the target, at the newest instants; latest first
	seen     float64    // how many of them there are
	want     float64    // m/s², of the target, over the sample before the reading
	tally    tally
	band     []*signal.Filter // of target, reading and truth; nil: the rate is too low for the band
}

// Signals of Acceleration. Those from accExact on need the true one.
const (
	accTarget  = iota // a_target
	accErr            // reading − a_target
	accExact          // the same without sensor noise
	accNoise          // reading less true acceleration
	accBand           // the four in the band
	accSignals = 2 * accBand
)

// The band, Hz, and the least rate over its upper end.
const (
	bandFrom, bandTo = 0.1, 50.0
	bandRate         = 4
)

// NewAcceleration judges the given axis (from 0) of a loop with axes of them. truth says
// whether readings carry true accelerations.
func NewAcceleration(rateHz float64, axis, axes int, truth bool) *Acceleration {
	number := rths.Component(axis, axes)
	c := &Acceleration{rateHz: rateHz, axis: axis, number: number, truth: truth, tally: newTally(accSignals)}
	if rateHz >= bandRate*bandTo {
		high, highPoles, _ := signal.ButterworthHigh(2, bandFrom, rateHz) // of a band below half the rate
		low, lowPoles, _ := signal.Butterworth(4, bandTo, rateHz)
		for range 3 {
			c.band = append(c.band, signal.NewFilter(lti.PolyMul(high, low), lti.PolyMul(highPoles, lowPoles)))
		}
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
	c.add(0, c.want, a, truth)
	if c.band != nil {
		c.add(accBand, c.band[0].Step(c.want), c.band[1].Step(a), c.band[2].Step(truth))
	}
}

// add adds the four signals, from the one given on.
func (c *Acceleration) add(from int, want, a, truth float64) {
	sums := c.tally.sums[from:]
	sums[accTarget].add(want)
	sums[accErr].add(a - want)
	sums[accExact].add(truth - want)
	sums[accNoise].add(a - truth)
}

// Quantities of the acceleration: its rms error, that from 0.1 to 50 Hz, and the channel of the target.
const (
	AccelerationError  = "acc_rms"
	accelerationBand   = "acc_band"
	TargetAcceleration = "target_acceleration"
)

// of is a quantity of the actuator.
func (c *Acceleration) of(quantity string) rths.Meaning {
	return rths.Meaning{Quantity: quantity, Axis: c.number}
}

// Summary is the rms error, then with true accelerations the true one and the noise floor, then the same in the band.
// A run's summary has them beside J2.
func (c *Acceleration) Summary() []rths.Value {
	out := c.errors(AccelerationError, 0, "rms acceleration error over rms target acceleration")
	if c.band != nil {
		out = append(out, c.errors(accelerationBand, accBand, "acc_rms from 0.1 to 50 Hz")...)
	}
	return ofFamily("acceleration", out)
}

// errors are the values of a quantity, of the signals from the one given on.
func (c *Acceleration) errors(quantity string, from int, doc string) []rths.Value {
	ratio := func(signal int) float64 { return c.tally.rmsRatio(from+signal, from+accTarget) }
	out := []rths.Value{{Meaning: c.of(quantity), Unit: "%", V: ratio(accErr), Doc: doc}}
	if c.truth {
		exact := c.of(quantity)
		exact.Exact = true
		out = append(out,
			rths.Value{Meaning: exact, Unit: "%", V: ratio(accExact),
				Doc: quantity + " on the acceleration without sensor noise"},
			rths.Value{Meaning: c.of(quantity + "_floor"), Unit: "%", V: ratio(accNoise),
				Doc: "noise floor of " + quantity + ": the " + quantity + " of a perfect table with the noisy reading"})
	}
	return out
}

// Channels has the target's acceleration, over the sample before the reading.
func (c *Acceleration) Channels() []rths.Channel {
	return rths.NamedChannels([]rths.Channel{{Meaning: c.of(TargetAcceleration), Unit: "m/s²", V: &c.want}})
}

// VisitState visits the target's velocities, the sums and the filters.
func (c *Acceleration) VisitState(v *rths.StateVisitor) {
	v.Floats(c.velocity[:])
	v.Float(&c.seen)
	c.tally.visit(v)
	for _, f := range c.band {
		v.State(f)
	}
}

// Decaying is the filters, and the velocities that they are fed from.
func (c *Acceleration) Decaying() []rths.Stateful { return []rths.Stateful{c} }
