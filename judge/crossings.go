package judge

import (
	"cmp"
	"math"
	"slices"
)

// hysteresis is the part of its peak a signal must pass on both sides for a
// crossing of zero to count: noise about zero is no crossing.
const hysteresis = 0.05

// crossing is where a signal passes zero, in samples, and whether upwards.
type crossing struct {
	at float64
	up bool
}

// crossings lists where x passes zero, interpolated between samples. Means are
// not removed: zero is where target and specimen are at rest.
func crossings(x []float64) []crossing {
	peak := 0.0
	for _, v := range x {
		peak = max(peak, math.Abs(v))
	}
	level := hysteresis * peak
	var out []crossing
	side, last := 0, 0.0 // the side it was on, and where it last changed sign
	for k, v := range x {
		if k > 0 && (v > 0) != (x[k-1] > 0) {
			last = float64(k-1) + x[k-1]/(x[k-1]-v)
		}
		now := side
		switch {
		case peak > 0 && v >= level:
			now = 1
		case peak > 0 && v <= -level:
			now = -1
		}
		if side != 0 && now != side {
			out = append(out, crossing{last, now > 0})
		}
		side = now
	}
	return out
}

// ZeroCrossingDelay is the mean and the sample standard deviation of the time,
// in samples, from where the target passes zero to where the measured
// displacement does, in the same direction and within half the time to the next
// crossing. NaN where there are fewer than two.
func ZeroCrossingDelay(target, measured []float64) (mean, std float64) {
	want, got := crossings(target), crossings(measured)
	var delays []float64
	for i, w := range want {
		reach := math.Inf(1)
		if i > 0 {
			reach = w.at - want[i-1].at
		}
		if i+1 < len(want) {
			reach = min(reach, want[i+1].at-w.at)
		}
		if d := nearest(w, got); math.Abs(d) <= reach/2 {
			delays = append(delays, d)
		}
	}
	n := float64(len(delays))
	if n < 2 {
		return math.NaN(), math.NaN()
	}
	for _, d := range delays {
		mean += d / n
	}
	for _, d := range delays {
		std += (d - mean) * (d - mean)
	}
	return mean, math.Sqrt(std / (n - 1))
}

// nearest is the distance to the nearest crossing of the same direction.
// Directions alternate, so it is among the two before and the two after.
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
