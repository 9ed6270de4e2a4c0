package rig

import (
	"fmt"
	"math"
)

// Profile moves the command from rest to its goal within an acceleration (m/s²) and a
// velocity (m/s). Each axis moves by itself.
type Profile struct {
	// to the last valid measured position at which no level of a limit that acts was crossed; else to zero
	ToSafe       bool
	Velocity     float64 // m/s; where GuardConfig.Rate or an acting limit on the command's rate is lower, that
	Acceleration float64 // m/s²
	WithinS      float64 // the ramp ends after this time wherever it is, s
}

// check wants a ramp that can be kept, if it is used at all.
func (p *Profile) check(c *GuardConfig, used bool) error {
	switch {
	case !(p.Velocity > 0) || math.IsInf(p.Velocity, 0) || !(p.Acceleration > 0) || math.IsInf(p.Acceleration, 0):
		return fmt.Errorf("ramp at %g m/s and %g m/s²: want both above 0", p.Velocity, p.Acceleration)
	case !(p.WithinS > 0) || p.WithinS > LongestS:
		return fmt.Errorf("ramp within %g s: want more than 0, at most %g", p.WithinS, float64(LongestS))
	}
	if !used {
		return nil
	}
	for _, l := range c.Limits {
		if l.Action == Indicate {
			continue
		}
		switch {
		case c.is(l.Channel, ofRate), c.is(l.Channel, ofVelocity):
			if p.Velocity > l.Trip {
				return fmt.Errorf("ramp at %g m/s: above the limit %g of %s, which it would cross itself: want less",
					p.Velocity, l.Trip, l.Channel)
			}
		case c.is(l.Channel, ofCommand), c.is(l.Channel, ofMeasured):
			if t := p.Duration(l.Trip); t > p.WithinS {
				return fmt.Errorf(
					"ramp within %g s: from the limit %g of %s it takes %.4g s at %g m/s and %g m/s²: want a faster ramp or more time",
					p.WithinS, l.Trip, l.Channel, t, p.Velocity, p.Acceleration)
			}
		}
	}
	return nil
}

// Duration of a ramp over a distance (m), from rest to rest, s.
func (p *Profile) Duration(distance float64) float64 {
	if distance < p.Velocity*p.Velocity/p.Acceleration {
		return 2 * math.Sqrt(distance/p.Acceleration)
	}
	return distance/p.Velocity + p.Velocity/p.Acceleration
}

func (p *Profile) at(rateHz float64) profile {
	h := 1 / rateHz
	return profile{h: h, velocity: p.Velocity, step: p.Acceleration * h}
}

// profile is a Profile at a sampling rate.
type profile struct {
	h, velocity float64
	step        float64 // largest change of velocity in a sample, m/s
}

// move takes the position x (m) and velocity v (m/s) of every axis one sample
// nearer to the goal, and says whether all are there.
func (p *profile) move(x, v, goal []float64) bool {
	there := true
	for i := range x {
		if x[i] == goal[i] && math.Abs(v[i]) <= p.step {
			v[i] = 0
			continue
		}
		p.axis(&x[i], &v[i], goal[i])
		there = false
	}
	return there
}

// rest is how far a velocity carries on while it comes down to 0 as fast as it may, m.
func (p *profile) rest(v float64) float64 {
	n := math.Floor(math.Abs(v) / p.step) // samples before the one at rest
	return math.Copysign(n*(math.Abs(v)-(n+1)/2*p.step)*p.h, v)
}

// axis takes the largest velocity w from which the axis can still stop at the goal,
// w h + w²/2a ≤ distance; near the goal w h = distance.
func (p *profile) axis(x, v *float64, goal float64) {
	way := goal - *x
	distance := math.Abs(way)
	if w := way / p.h; math.Abs(w) <= min(p.step, p.velocity) && math.Abs(w-*v) <= p.step*(1+1e-9) { // the last sample
		*x, *v = goal, w
		return
	}
	a := p.step / p.h
	w := math.Copysign(min(p.velocity, math.Sqrt(p.step*p.step+2*a*distance)-p.step), way)
	now := min(max(*v, -p.velocity), p.velocity)
	*v = now + min(max(w-now, -p.step), p.step)
	*x += *v * p.h
}
