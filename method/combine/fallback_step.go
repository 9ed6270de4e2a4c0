package combine

import (
	"math"

	"rths"
	"rths/maths/signal"
	"rths/method/compensate"
	"rths/method/identify"
)

// fallback is an adaptive method, 0, and a safe one, 1.
type fallback struct {
	compensate.Group
	h, blend float64 // s
	stroke   float64 // m
	step     float64 // the largest change of a command in a tick, m
	second   int     // ticks
	u        [2][]float64
	sent     [2][]identify.Sent
	follows  [2]bool // it learns also while the other commands
	axes     []blendAxis
	watch    doubts
	k        int  // tick
	in       int  // the method that commands
	j, most  int  // ticks of the blend so far, and of all of it
	asked    bool // for the way back
	cause    float64
	share    float64 // of the safe method, 0 to 1
	frozen   bool
	ideal    bool
	learners [2][]rths.Adaptive
	falls    []fall `c:"-"`
}

type fallbackWithRates struct{ *fallback }

func (fallbackWithRates) UsesRates() {}

// blendAxis is one actuator.
type blendAxis struct {
	method [2][2]float64 // commands of both methods, clipped, at the last two ticks, newest first
	left   [2]float64    // what the actuator got then
	peak   [2]float64    // largest second difference of both methods, of this second and the one before
	e, v   float64       // e₀, m, and v₀, m/s
	slope  float64       // T_v, s
	out    signal.Sane
}

// Unwrap is the adaptive method.
func (c *fallback) Unwrap() any { return c.Group[0] }

func (c *fallback) Step(command []float64, target *rths.Motion, read *rths.Reading) {
	if !c.frozen {
		c.decide(read)
	}
	if c.j < c.most {
		if c.j++; c.j == c.most {
			c.hold()
		}
	}
	c.share = c.shareNow()
	in, out := c.in, 1-c.in
	for i := range c.axes {
		c.sent[in][i].Set(1, c.offset(&c.axes[i]))
	}
	c.Group[in].Step(c.u[in], target, read)
	for i, u := range c.u[in] {
		a := &c.axes[i]
		if c.blending() {
			u = c.sent[in][i].Of(c.clip(u, a.method[in][0]))
		}
		command[i] = a.out.Of(u)
		c.sent[out][i].Set(0, command[i])
	}
	c.Group[out].Step(c.u[out], target, read)
	c.keep(command)
	if !c.frozen {
		c.watch.weigh(command, read)
	}
	c.k++
}

// blending reports whether the command has an offset.
func (c *fallback) blending() bool { return c.j < c.most && !c.ideal }

// offset is e.
func (c *fallback) offset(a *blendAxis) float64 {
	if !c.blending() {
		return 0
	}
	x := float64(c.j) / float64(c.most)
	e := a.e * (1 + x*x*(2*x-3))
	if y := float64(c.j) * c.h / a.slope; y < 1 {
		e += a.v * a.slope * y * (1 - y) * (1 - y)
	}
	return e
}

// shareNow is 3τ² − 2τ³ on the way to the safe method, and 1 less on the way back.
func (c *fallback) shareNow() float64 {
	x := 1.0
	if c.j < c.most {
		x = float64(c.j) / float64(c.most)
		x *= x * (3 - 2*x)
	}
	if c.in == 0 {
		return 1 - x
	}
	return x
}

// clip brings a command within the stroke, and within the rate from the command before.
func (c *fallback) clip(u, before float64) float64 {
	if c.ideal {
		return u
	}
	u = min(max(u, -c.stroke), c.stroke)
	if change := u - before; c.k > 0 && math.Abs(change) > c.step {
		return before + math.Copysign(c.step, change)
	}
	return u
}

// keep remembers the commands of the tick.
func (c *fallback) keep(command []float64) {
	turn := c.k%c.second == 0
	for i := range c.axes {
		a := &c.axes[i]
		if turn {
			a.peak = [2]float64{0, a.peak[0]}
		}
		for m := range c.Group {
			l := &a.method[m]
			u := c.clip(c.u[m][i], l[0])
			if bend := math.Abs(u - 2*l[0] + l[1]); c.k > 1 && rths.Finite(bend) {
				a.peak[0] = max(a.peak[0], bend)
			}
			l[0], l[1] = u, l[0]
		}
		u := command[i]
		if !c.blending() {
			u = a.method[c.in][0] // as the limits clip it
		}
		a.left = [2]float64{u, a.left[0]}
	}
}

// decide looks for doubts, and for somebody who asks for the way back.
func (c *fallback) decide(read *rths.Reading) {
	cause := c.watch.look(read)
	switch {
	case c.in == 0 && cause != trusted:
		c.cause = float64(cause)
		c.change(cause)
	case c.in == 1 && c.asked:
		c.watch.again()
		c.cause = 0
		c.change(trusted)
	}
	c.asked = false
}

// change lets the other method command.
func (c *fallback) change(cause doubt) {
	c.in = 1 - c.in
	length := c.blend
	for i := range c.axes {
		a := &c.axes[i]
		to := a.method[c.in]
		a.e = a.left[0] - to[0]
		a.v = (a.e - (a.left[1] - to[1])) / c.h
		if !rths.Finite(a.e) || !rths.Finite(a.v) {
			a.e, a.v = 0, 0
		}
		t, slope := blendTimes(math.Abs(a.e), math.Abs(a.v), max(a.peak[0], a.peak[1])/(c.h*c.h), c.blend)
		a.slope = slope
		length = max(length, t, slope)
	}
	c.j, c.most = 0, int(math.Ceil(min(length, longestBlend)/c.h))
	c.hold()
	if len(c.falls) < mostFalls {
		c.falls = append(c.falls, fall{c.k, cause, c.watch.value(cause)})
	}
}

// blendTimes are T and T_v for offset, slope, and a second derivative r of the offset, m/s².
func blendTimes(e, v, r, least float64) (t, slope float64) {
	if e > 0 {
		t = math.Sqrt(12 * e / r)
	}
	t = min(max(t, least), longestBlend)
	if v > 0 {
		slope = min(4*v/(r-6*e/(t*t)), longestBlend)
	}
	if math.IsNaN(t) || math.IsNaN(slope) || slope < 0 { // r is infinite, or too small for 10 s
		return longestBlend, longestBlend
	}
	return t, slope
}

// hold freezes a method that does not follow while it does not command alone.
func (c *fallback) hold() {
	for i, parts := range c.learners {
		for _, a := range parts {
			a.Freeze(c.frozen || !c.follows[i] && (i != c.in || c.j < c.most))
		}
	}
}

// fall is a Fall before it has words.
type fall struct {
	k     int
	cause doubt
	value float64
}

// Falls are the changes so far.
func (c *fallback) Falls() (out []compensate.Fall) {
	for _, f := range c.falls {
		out = append(out, compensate.Fall{T: float64(f.k) * c.h, Back: f.cause == trusted,
			Cause: c.watch.describe(f.cause, f.value)})
	}
	return out
}

// Return asks for the way back.
func (c *fallback) Return() { c.asked = true }
