package compensate

import (
	"fmt"
	"math"

	"rths"
	"rths/maths/lti"
	"rths/maths/signal"
)

type msmc struct {
	r, z            int     // actuators, states
	lag             float64 `c:"-"` // s
	m               *lti.Map
	in, out         []float64
	reading, issued []signal.Sane
}

func (c *msmc) Step(command []float64, target *rths.Motion, read *rths.Reading) {
	for i := range c.r {
		c.in[c.z+i] = target.X[i]
		c.in[c.z+c.r+i] = c.reading[i].Of(read.X[i])
	}
	c.m.Apply(c.out, c.in)
	for i := range command {
		command[i] = c.issued[i].Of(c.out[c.z+i])
	}
	c.keep()
}

// keep takes over the states; after an overflow they start anew.
func (c *msmc) keep() {
	total := 0.0
	for _, v := range c.out {
		total += math.Abs(v)
	}
	if rths.Finite(total) {
		copy(c.in, c.out[:c.z])
		return
	}
	clear(c.in[:c.z])
}

// SlowLag is the design's.
func (c *msmc) SlowLag() float64 { return c.lag }

// Channels are the sliding variables, rates of displacements.
func (c *msmc) Channels() []rths.Channel {
	out := make([]rths.Channel, c.r)
	for i := range out {
		out[i] = rths.Channel{Name: fmt.Sprintf("sliding_%d", i+1), Unit: "m/s", V: &c.out[c.z+c.r+i]}
	}
	return out
}

func (c *msmc) VisitState(v *rths.StateVisitor) {
	v.Floats(c.in[:c.z])
	for i := range c.r {
		v.State(&c.reading[i], &c.issued[i])
	}
}
