package judge

import (
	"cmp"
	"math"
	"slices"

	"rths/result/record"
)

// hysteresis, times the peak, is the level that a signal must pass on both sides of zero
// for a crossing to count: noise about zero is no crossing.
const hysteresis = 0.05

// crossing is where a signal passes zero, in samples, and whether upwards.
type crossing struct {
	at float64
	up bool
}

// crossings lists the zero crossings of x, in samples, interpolated: midway between the
// first and the last change of sign, so that noise moves them neither earlier nor later.
// The mean stays in x: target and specimen rest at zero.
func crossings(x record.Signal) []crossing {
	peak := 0.0
	for k := range x.Len() {
		peak = max(peak, math.Abs(x.At(k)))
	}
	level := hysteresis * peak
	if level == 0 {
		return nil
	}
	var out []crossing
	side := 0 // last seen beyond the level
	var first, last float64
	changed := false // of sign since
	v := 0.0
	for k := range x.Len() {
		before := v
		v = x.At(k)
		if k > 0 && (v > 0) != (before > 0) {
			last = float64(k-1) + before/(before-v)
			if !changed {
				first, changed = last, true
			}
		}
		if math.Abs(v) < level {
			continue
		}
		now := 1
		if v < 0 {
			now = -1
		}
		if side == -now {
			out = append(out, crossing{(first + last) / 2, now > 0})
		}
		side, changed = now, false
	}
	return out
}

// passing is a zero crossing of a target, and how much later the measured displacement passes zero, in samples.
type passing struct{ at, delay float64 }

// passings are the crossings of the target that have one of the measured displacement in the same direction within half
// the time to the target's next crossing.
func passings(target, measured record.Signal) (out []passing) {
	want, got := crossings(target), crossings(measured)
	for i, w := range want {
		reach := math.Inf(1)
		if i > 0 {
			reach = w.at - want[i-1].at
		}
		if i+1 < len(want) {
			reach = min(reach, want[i+1].at-w.at)
		}
		if d := nearest(w, got); math.Abs(d) <= reach/2 {
			out = append(out, passing{w.at, d})
		}
	}
	return out
}

// ZeroCrossingDelay is the delay, in samples, from a zero crossing of the target to the
// nearest crossing of the measured displacement in the same direction, within half the
// time to the target's next crossing: the median, and half the interquartile range. The
// median leaves out the slow crossings of a motion that begins or dies away, which are
// lost in noise. With fewer than two delays both are NaN.
func ZeroCrossingDelay(target, measured record.Signal) (median, spread float64) {
	var delays []float64
	for _, p := range passings(target, measured) {
		delays = append(delays, p.delay)
	}
	if len(delays) < 2 {
		return math.NaN(), math.NaN()
	}
	slices.Sort(delays)
	at := func(p float64) float64 {
		i, part := math.Modf(p * float64(len(delays)-1))
		k := int(i)
		return delays[k] + part*(delays[min(k+1, len(delays)-1)]-delays[k])
	}
	return at(0.5), (at(0.75) - at(0.25)) / 2
}

// nearest is the distance, in samples, to the nearest crossing of the same direction.
// Directions alternate: two crossings before and two after are enough.
func nearest(w crossing, list []crossing) float64 {
	best := math.Inf(1)
	at, _ := slices.BinarySearchFunc(list, w.at, func(c crossing, at float64) int { return cmp.Compare(c.at, at) })
	for _, c := range list[max(0, at-2):min(len(list), at+2)] {
		if d := c.at - w.at; c.up == w.up && math.Abs(d) < math.Abs(best) {
			best = d
		}
	}
	return best
}
